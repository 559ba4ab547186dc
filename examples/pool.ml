(* User events in a pool of domains.  Tasks wait in a queue and are done by
   whichever domain is free.  A span around each task says where it ran and for
   how long, a flow with the number of the task leads from who put it into the
   queue to who did it, and a counter shows how long the queue was.  Domains
   have names.

     ocamlopt pool.ml -o pool
     OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 ./pool
     eventring events *.eventring | grep task *)

open Eventring

(* Events are registered once, when the program starts. *)
let submit = Span.register "submit"
let task = Span.register "task"
let journey = Flow.register "task journey"
let waiting = Counter.register ~unit:"tasks" "tasks waiting"

type pool = {
  lock : Mutex.t;
  work_or_end : Condition.t;
  queue : (int * (unit -> unit)) Queue.t;
  mutable ending : bool;
}

let add pool number f =
  Span.run_with submit number (fun () ->
    Flow.start journey number;
    Mutex.protect pool.lock (fun () ->
      Queue.add (number, f) pool.queue;
      Counter.sample waiting (Queue.length pool.queue));
    Condition.signal pool.work_or_end)

let rec take pool =
  match Queue.take_opt pool.queue with
  | None when pool.ending -> None
  | None -> Condition.wait pool.work_or_end pool.lock; take pool
  | some -> Counter.sample waiting (Queue.length pool.queue); some

let rec worker pool =
  match Mutex.protect pool.lock (fun () -> take pool) with
  | None -> ()
  | Some (number, f) ->
      (* The flow ends inside the span, to which viewers draw its arrow.  The
         span ends even if [f] raises. *)
      Span.run_with task number (fun () -> Flow.finish journey number; f ());
      worker pool

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let () =
  let tasks = 40 in
  let pool = { lock = Mutex.create (); work_or_end = Condition.create ();
               queue = Queue.create (); ending = false } in
  set_domain_name "submitter";
  let workers = List.init 2 (fun i -> Domain.spawn (fun () ->
    set_domain_name (Printf.sprintf "worker %d" (i + 1));
    worker pool)) in
  let results = Array.make tasks 0 in
  for i = 0 to tasks - 1 do
    add pool i (fun () -> results.(i) <- fib (15 + i mod 10))
  done;
  Mutex.protect pool.lock (fun () -> pool.ending <- true);
  Condition.broadcast pool.work_or_end;
  List.iter Domain.join workers;
  Printf.printf "%d tasks, sum %d\n" tasks (Array.fold_left ( + ) 0 results)
