(* Programs to attach to, each with its own way to spend some time.  Their
   output and exit code do not depend on tracing.

     attach WAY [SECONDS] *)

let work seconds step =
  let until = Unix.gettimeofday () +. seconds in
  while Unix.gettimeofday () < until do step () done

let allocate () =
  ignore (Sys.opaque_identity (List.init 2000 string_of_int))

let sum = Atomic.make 0

(* The amounts are fixed: the result is the same in each run. *)
let count n =
  for i = 1 to n do
    allocate ();
    Atomic.fetch_and_add sum i |> ignore
  done

let busy seconds = count 500; work seconds allocate

let idle seconds =
  work seconds (fun () -> Unix.sleepf 0.002)

(* A loop without allocation: only polls. *)
let polling seconds =
  let until = Unix.gettimeofday () +. seconds in
  let n = ref 0 in
  while Unix.gettimeofday () < until do
    for i = 1 to 100_000 do n := Sys.opaque_identity (!n lxor i) done
  done

(* One system call, which a request cannot interrupt. *)
let blocked seconds =
  let input, output = Unix.pipe () in
  ignore (Unix.select [input] [] [] seconds);
  Unix.close input;
  Unix.close output;
  allocate ()

let domains seconds =
  let one () = count 200; work seconds allocate in
  List.init 2 (fun _ -> Domain.spawn one) |> List.iter Domain.join

let spawns seconds =
  work seconds (fun () -> Domain.join (Domain.spawn allocate))

let threads seconds =
  let lock = Mutex.create () in
  let step () =
    Mutex.protect lock allocate;
    Thread.yield () in
  List.init 3 (Thread.create (fun _ -> work seconds step))
  |> List.iter Thread.join

let signals seconds =
  Sys.set_signal Sys.sigalrm (Signal_handle (fun _ -> allocate ()));
  let interval = { Unix.it_interval = 0.001; it_value = 0.001 } in
  ignore (Unix.setitimer ITIMER_REAL interval);
  work seconds allocate

(* Ends with an exit code of its own, and a status for each child. *)
let forks seconds =
  work seconds (fun () ->
    match Unix.fork () with
    | 0 -> allocate (); Unix._exit 3
    | pid ->
      match Unix.waitpid [] pid with
      | _, WEXITED 3 -> ()
      | _ -> print_endline "a child failed")

let executes seconds =
  work (seconds /. 2.) allocate;
  Unix.execv Sys.executable_name
    [| Sys.executable_name; "busy"; string_of_float (seconds /. 2.) |]

let fails seconds = work seconds allocate; failwith "as intended"

let () =
  let way = Sys.argv.(1) in
  let seconds =
    if Array.length Sys.argv > 2 then float_of_string Sys.argv.(2) else 0.3 in
  print_endline ("begin " ^ way);
  List.assoc way
    ["busy", busy; "idle", idle; "polling", polling; "blocked", blocked;
     "domains", domains; "spawns", spawns; "threads", threads;
     "signals", signals; "forks", forks; "executes", executes;
     "fails", fails] seconds;
  Printf.printf "end %s %d\n" way (Atomic.get sum);
  exit (String.length way)
