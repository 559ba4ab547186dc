(* Requests in a pool of threads.  Each request takes several steps, and each
   step is done by any thread that is free: requests wait in the queue between
   their steps, and "eventring stat" shows for how long.

   The program measures the same itself, and prints for each thread the numbers
   of the requests in the order in which it worked on them, and for each request
   its total time and the time in which threads worked on it, in microseconds.

     ocamlfind ocamlopt -package threads.posix -linkpkg request_threads.ml \
       -o request_threads
     OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 ./request_threads
     eventring stat *.eventring *)

open Eventring

let order = Request.register "order"

type job = {
  id : Request.id;
  began : float;
  mutable steps : int;          (* still to do *)
  mutable worked : float;
}

let lock = Mutex.create ()
let more = Condition.create ()
let queue = Queue.create ()
let unfinished = ref 100
let results = Buffer.create 10000

let rec take () =
  match Queue.take_opt queue with
  | None when !unfinished = 0 -> None
  | None -> Condition.wait more lock; take ()
  | job -> job

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

(* Another thread gets the domain in the middle of it. *)
let work () =
  ignore (Sys.opaque_identity (fib 20));
  Thread.yield ();
  ignore (Sys.opaque_identity (fib 20))

let finish job =
  let now = Unix.gettimeofday () in
  Request.finish order job.id;
  Printf.bprintf results "request %d %.0f %.0f\n" (job.id :> int)
    ((now -. job.began) *. 1e6) (job.worked *. 1e6)

let rec serve name =
  match Mutex.protect lock take with
  | None -> ()
  | Some job ->
      Request.run_with job.id (fun () ->
        let since = Unix.gettimeofday () in
        Printf.bprintf results "run %s %d\n" name (job.id :> int);
        work ();
        job.worked <- job.worked +. Unix.gettimeofday () -. since);
      job.steps <- job.steps - 1;
      Mutex.protect lock (fun () ->
        if job.steps > 0 then Queue.add job queue
        else begin
          finish job;
          decr unfinished
        end;
        Condition.broadcast more);
      serve name

let () =
  for _ = 1 to !unfinished do
    let id = Request.start order in
    Queue.add { id; began = Unix.gettimeofday (); steps = 3; worked = 0. } queue
  done;
  let threads = List.init 4 (fun i ->
    let name = Printf.sprintf "worker%d" (i + 1) in
    Thread.create (fun () -> set_thread_name name; serve name) ()) in
  List.iter Thread.join threads;
  print_string (Buffer.contents results)
