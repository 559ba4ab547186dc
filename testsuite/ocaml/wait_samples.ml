(* Programs that wait and are sampled: wait_samples PROGRAM MS.  The threads print
   "NAME TID ELAPSED CPU DELAY": the time of their lives, and in it the processor
   time and the time in which they were ready and had no processor, in ns. *)

external tid : unit -> int = "test_tid"
external cpu_ns : unit -> int = "test_cpu_ns"

let now_ns () = int_of_float (Unix.gettimeofday () *. 1e9)

(* Second number of schedstat; 0 where the kernel has none. *)
let delay_ns () =
  try
    In_channel.with_open_bin "/proc/thread-self/schedstat" (fun c ->
        Scanf.sscanf (In_channel.input_all c) "%d %d" (fun _ n -> n))
  with _ -> 0

let lines = Mutex.create ()
let results = ref []

(* Nothing of the thread is outside of the time, but a few us. *)
let measured name f =
  let cpu = cpu_ns () in
  let since = now_ns () - cpu in
  let delay = delay_ns () in
  f (now_ns ());
  let delay = delay_ns () - delay in
  Mutex.protect lines (fun () ->
      let cpu = cpu_ns () and elapsed = now_ns () - since in
      results := (name, tid (), elapsed, cpu, delay) :: !results)

let print_results () =
  List.iter (fun (name, tid, elapsed, cpu, delay) ->
      Printf.printf "%s %d %d %d %d\n" name tid elapsed cpu delay) !results

let[@inline never] compute ms =
  let until = cpu_ns () + ms * 1_000_000 in
  while cpu_ns () < until do
    for i = 1 to 10_000 do ignore (Sys.opaque_identity (i * i)) done
  done

(* Each function repeats its work until [ms] have passed since [since].  Inlined:
   the frame of its caller stays on the stack. *)
let[@inline always] for_ms ms since f =
  while now_ns () - since < ms * 1_000_000 do f () done

let[@inline never] sleeper ms since =
  for_ms ms since (fun () -> compute 2; Unix.sleepf 0.006)

let[@inline never] short_sleeper ms since =
  for_ms ms since (fun () -> Unix.sleepf 0.0005)

let mutex = Mutex.create ()

let[@inline never] locker ms since =
  for_ms ms since (fun () ->
      Mutex.lock mutex;
      Unix.sleepf 0.003;
      Mutex.unlock mutex;
      compute 1)

let[@inline never] reader fd ms since =
  let b = Bytes.create 4096 in
  for_ms ms since (fun () ->
      if Unix.read fd b 0 4096 > 0 then compute 1)

let[@inline never] writer fd ms since =
  let b = Bytes.make 100 'x' in
  for_ms ms since (fun () -> Unix.sleepf 0.004; ignore (Unix.write fd b 0 100));
  Unix.close fd

let[@inline never] computer ms since = for_ms ms since (fun () -> compute 1)

let conserve ms =
  let out, entry = Unix.pipe () in
  let thread name f = Thread.create (fun () -> measured name f) () in
  let other = Domain.spawn (fun () ->
      let a = thread "computer" (computer ms) in
      let b = thread "computer" (computer ms) in
      Thread.join a;
      Thread.join b) in
  let threads = [
    thread "sleeper" (sleeper ms);
    thread "short_sleeper" (short_sleeper ms);
    thread "locker" (locker ms);
    thread "locker" (locker ms);
    thread "reader" (reader out (ms - 100));
    thread "writer" (writer entry ms)
  ] in
  List.iter Thread.join threads;
  Domain.join other

(* So many waits of 50 us, each shorter than a sample period *)
let short n =
  measured "short" (fun _ -> for _ = 1 to n do Unix.sleepf 50e-6 done)

(* Threads that end before they have waited for a sample period *)
let brief n =
  for _ = 1 to n do
    Thread.join (Thread.create (fun () -> Unix.sleepf 0.001) ())
  done

(* Everything at once, with forks in between, for programs that switch the
   categories meanwhile.  What it prints does not depend on time. *)
let stress ms =
  let since = now_ns () in
  let out, entry = Unix.pipe () in
  let sum = Atomic.make 0 in
  let work () =
    let b = Bytes.make 10 'x' in
    for_ms ms since (fun () ->
        ignore (Unix.write entry b 0 10);
        Mutex.protect mutex (fun () -> compute 0);
        Unix.sleepf 0.0001;
        let n = Unix.read out b 0 10 in
        ignore (Atomic.fetch_and_add sum (n - 10))) in
  let null = open_out_bin "/dev/null" in
  let threads = List.init 4 (fun _ -> Thread.create work ()) in
  for_ms ms since (fun () ->
      output_string null "x";
      flush null;
      match Unix.fork () with
      | 0 -> Unix.sleepf 0.0001; Unix._exit 7
      | pid ->
          if Unix.waitpid [] pid <> (pid, Unix.WEXITED 7) then
            print_endline "a child did not end in order");
  List.iter Thread.join threads;
  Printf.printf "%d bytes missing\n" (Atomic.get sum)

let () =
  let n = int_of_string Sys.argv.(2) in
  (match Sys.argv.(1) with
   | "conserve" -> conserve n
   | "short" -> short n
   | "brief" -> brief n
   | "stress" -> stress n
   | _ -> exit 2);
  print_results ();
  print_endline "end"
