(* Requests in a scheduler of fibers, with effects.  Each request is served by a
   fiber, which yields between its steps; the scheduler says on which request
   the thread works.

   The program measures the same itself, and prints the numbers of the requests
   in the order in which it worked on them, and for each request its total time
   and the time in which the thread worked on it, in microseconds.

     ocamlfind ocamlopt -package unix -linkpkg request_fibers.ml \
       -o request_fibers
     OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 ./request_fibers
     eventring stat *.eventring *)

open Eventring

type _ Effect.t += Yield : unit Effect.t

let ready : (unit -> unit) Queue.t = Queue.create ()

(* Runs [f] as a fiber that works on the request which is current now.  The
   fiber takes the request along when it is put aside, and a new one is
   started. *)
let fork f =
  let id = Request.current () in
  let handler = {
    Effect.Deep.effc = (fun (type a) (eff : a Effect.t) ->
      match eff with
      | Yield ->
          Some (fun (k : (a, unit) Effect.Deep.continuation) ->
            let id = Request.current () in
            Request.suspend id;
            Queue.add (fun () -> Request.resume id;
                        Effect.Deep.continue k ()) ready)
      | _ -> None) } in
  Queue.add (fun () -> Request.resume id;
              Effect.Deep.try_with f () handler;
              Request.suspend (Request.current ())) ready

let rec run () =
  match Queue.take_opt ready with
  | None -> ()
  | Some next -> next (); run ()

(* The program *)

let order = Request.register "order"
let results = Buffer.create 10000

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let step id worked =
  let since = Unix.gettimeofday () in
  Printf.bprintf results "run main %d\n" id;
  ignore (Sys.opaque_identity (fib (18 + (id mod 5))));
  worked := !worked +. Unix.gettimeofday () -. since

let serve id began () =
  let worked = ref 0. in
  for n = 1 to 3 do
    step (id : Request.id :> int) worked;
    if n < 3 then Effect.perform Yield
  done;
  let now = Unix.gettimeofday () in
  Request.finish order id;
  Printf.bprintf results "request %d %.0f %.0f\n" (id :> int)
    ((now -. began) *. 1e6) (!worked *. 1e6)

let () =
  for _ = 1 to 100 do
    let id = Request.start order in
    let began = Unix.gettimeofday () in
    Request.run_with id (fun () -> fork (serve id began))
  done;
  run ();
  print_string (Buffer.contents results)
