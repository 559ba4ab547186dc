(* Requests in a loop of callbacks, as in Lwt or Async.  A callback belongs to
   the request that was current when it was registered: [later] keeps the
   request with the callback, and the code of the program has nothing to do
   but to start and finish it.

   The program measures the same itself, and prints the numbers of the requests
   in the order in which it worked on them, and for each request its total time
   and the time in which the thread worked on it, in microseconds.

     ocamlfind ocamlopt -package unix -linkpkg request_callbacks.ml \
       -o request_callbacks
     OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 ./request_callbacks
     eventring stat *.eventring *)

open Eventring

let callbacks = Queue.create ()

(* Calls [f] when the loop comes to it. *)
let later f =
  let id = Request.current () in
  Queue.add (fun () -> Request.run_with id f) callbacks

let rec loop () =
  match Queue.take_opt callbacks with
  | None -> ()
  | Some f -> f (); loop ()

(* The program *)

let order = Request.register "order"
let results = Buffer.create 10000

let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

let rec serve began worked steps () =
  let id = Request.current () and since = Unix.gettimeofday () in
  Printf.bprintf results "run main %d\n" (id :> int);
  ignore (Sys.opaque_identity (fib (18 + ((id :> int) mod 5))));
  let now = Unix.gettimeofday () in
  let worked = worked +. now -. since in
  if steps > 1 then later (serve began worked (steps - 1))
  else begin
    Request.finish order id;
    Printf.bprintf results "request %d %.0f %.0f\n" (id :> int)
      ((now -. began) *. 1e6) (worked *. 1e6)
  end

let () =
  for _ = 1 to 100 do
    let id = Request.start order in
    let began = Unix.gettimeofday () in
    Request.run_with id (fun () -> later (serve began 0. 3))
  done;
  loop ();
  print_string (Buffer.contents results)
