(* Waiting of each kind: waits KIND. Each wait ends after 60 ms, three times
   over. Prints the durations by the program's own measure, in ns. *)

external raise_signal : unit -> unit = "test_raise_signal" [@@noalloc]

let a_while = 0.06

let measured f =
  let since = Unix.gettimeofday () in
  f ();
  Printf.printf "%.0f\n%!" ((Unix.gettimeofday () -. since) *. 1e9)

(* [comes ~soon ~then_] calls [soon ()] in a thread or domain of its own and,
   when that is about to wait, after a while, [then_ ()]. *)
let comes spawn ~soon ~then_ =
  let here = Atomic.make false in
  let join = spawn (fun () -> Atomic.set here true; measured soon) in
  while not (Atomic.get here) do Thread.yield () done;
  Unix.sleepf a_while;
  then_ ();
  join ()

let in_thread f = let t = Thread.create f () in fun () -> Thread.join t
let in_domain f = let d = Domain.spawn f in fun () -> Domain.join d

let three_times f = for _ = 1 to 3 do f () done

let mutex spawn () =
  let m = Mutex.create () in
  Mutex.lock m;
  comes spawn
    ~soon:(fun () -> Mutex.lock m; Mutex.unlock m)
    ~then_:(fun () -> Mutex.unlock m)

let condition spawn () =
  let m = Mutex.create () and c = Condition.create () and it = ref false in
  comes spawn
    ~soon:(fun () ->
        Mutex.lock m;
        while not !it do Condition.wait c m done;
        Mutex.unlock m)
    ~then_:(fun () ->
        Mutex.lock m; it := true; Condition.signal c; Mutex.unlock m)

let counting spawn () =
  let s = Semaphore.Counting.make 0 in
  comes spawn
    ~soon:(fun () -> Semaphore.Counting.acquire s)
    ~then_:(fun () -> Semaphore.Counting.release s)

let binary spawn () =
  let s = Semaphore.Binary.make false in
  comes spawn
    ~soon:(fun () -> Semaphore.Binary.acquire s)
    ~then_:(fun () -> Semaphore.Binary.release s)

let channel () =
  (* The first thread holds the channel while the pipe is full. *)
  let exit, entry = Unix.pipe () in
  let ic = Unix.in_channel_of_descr exit in
  let oc = Unix.out_channel_of_descr entry in
  let size = 300_000 in
  let writer = Thread.create (fun () ->
      output_string oc (String.make size 'x'); flush oc) () in
  Unix.sleepf a_while;
  comes in_thread
    ~soon:(fun () -> output_char oc 'y')
    ~then_:(fun () -> ignore (really_input_string ic size));
  Thread.join writer;
  close_out oc;
  close_in ic

let yields () =
  let here = Atomic.make false and over = Atomic.make false in
  let other = Thread.create (fun () ->
      Atomic.set here true;
      while not (Atomic.get over) do Thread.yield () done) () in
  while not (Atomic.get here) do Thread.yield () done;
  measured (fun () -> for _ = 1 to 1000 do Thread.yield () done);
  Atomic.set over true;
  Thread.join other

exception Enough

let ways = [
  "blocking_section", (fun () -> measured (fun () -> Unix.sleepf a_while));
  "mutex_wait", mutex in_thread;
  "mutex_wait_domains", mutex in_domain;
  "condition_wait", condition in_thread;
  "condition_wait_domains", condition in_domain;
  "semaphore_wait", counting in_domain;
  "semaphore_wait_binary", binary in_thread;
  "domain_join", (fun () ->
      let d = Domain.spawn (fun () -> Unix.sleepf a_while) in
      measured (fun () -> Domain.join d));
  "thread_join", (fun () ->
      let t = Thread.create Unix.sleepf a_while in
      measured (fun () -> Thread.join t));
  "lock_wait", channel;
  "thread_yield", yields
]

let () =
  match Sys.argv.(1) with
  | "none" ->
    let m = Mutex.create () and s = Semaphore.Counting.make 1 in
    for _ = 1 to 100_000 do
      Mutex.lock m; Mutex.unlock m;
      Semaphore.Counting.acquire s; Semaphore.Counting.release s
    done
  | "short and long" -> Unix.sleepf 0.005; Unix.sleepf 0.1
  | "raises" ->
    (* The handler runs as the wait begins, and ends it before it has begun. *)
    Sys.set_signal Sys.sigalrm (Signal_handle (fun _ -> raise Enough));
    let m = Mutex.create () and c = Condition.create () in
    let raised = ref 0 in
    for _ = 1 to 100 do
      Mutex.lock m;
      (try raise_signal (); Condition.wait c m with Enough -> incr raised);
      Mutex.unlock m
    done;
    Printf.printf "raised %d times\n%!" !raised;
    Unix.sleepf a_while
  | "raises later" ->
    (* The handler runs when the wait is over. *)
    Sys.set_signal Sys.sigalrm (Signal_handle (fun _ -> raise Enough));
    let m = Mutex.create () and c = Condition.create () in
    (* Any domain would run it. *)
    ignore (Thread.sigmask SIG_BLOCK [Sys.sigalrm]);
    let other = Domain.spawn (fun () ->
        Unix.sleepf (2. *. a_while);
        Mutex.lock m; Condition.broadcast c; Mutex.unlock m) in
    ignore (Thread.sigmask SIG_UNBLOCK [Sys.sigalrm]);
    Mutex.lock m;
    let timer = { Unix.it_interval = 0.; it_value = a_while } in
    ignore (Unix.setitimer ITIMER_REAL timer);
    (try
       Condition.wait c m;
       (* Either way, depending on where the alarm was met *)
       while true do Unix.sleepf a_while done
     with Enough -> print_endline "raised");
    Domain.join other
  | way -> three_times (List.assoc way ways)
