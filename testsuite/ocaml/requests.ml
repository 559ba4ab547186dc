(* Requests through Eventring.

     requests                     all of it, in an empty folder
     requests pause               a request that is left while tracing is paused
     requests loss                more events than the ring holds, in a request
     requests threads             two threads of a domain, a request each *)

open Eventring
open Check

let query = Request.register "query"
let run c = Printf.sprintf "run %d" (Cursor.value c)

(* Returns the events of requests that [write] writes. *)
let by cursor write =
  let events = ref [] in
  let seen line c = events := line c :: !events in
  let named form c =
    Printf.sprintf "%s %s %d" form (Cursor.name c) (Cursor.value c) in
  let callbacks =
    Cursor.callbacks
      ~request_start:(seen (named "start"))
      ~request_finish:(seen (named "finish"))
      ~instant:(fun c -> if Cursor.name c = "request_run" then seen run c)
      ~span_start:(fun c -> if Cursor.id c >= 1024 then seen (named "span") c)
      ~span_finish:(fun c -> if Cursor.id c >= 1024 then seen (named "span") c)
      () in
  while Cursor.poll cursor (Cursor.callbacks ()) > 0 do () done;
  write ();
  while Cursor.poll cursor callbacks > 0 do () done;
  List.rev !events

let are = Recorded.are
let current () = (Request.current () :> int)

external c_register : string -> int = "stub_request"
external c_start : int -> int = "stub_request_start"
external c_resume : int -> unit = "stub_request_resume"
external c_suspend : unit -> unit = "stub_request_suspend"
external c_current : unit -> int = "stub_request_current"
external c_finish : int -> int -> unit = "stub_request_finish"

let off () =
  let id = Request.start query in
  ok "not traced: no request" (id = Request.none);
  let before = Gc.minor_words () in
  for _ = 1 to 1000 do
    let id = Request.start query in
    Request.resume id; Request.suspend id; Request.run_with id ignore;
    Request.finish query id
  done;
  (* Bytecode always calls the primitives. *)
  ok "not traced: nothing is allocated"
    (Gc.minor_words () -. before < 100. || Sys.backend_type <> Sys.Native);
  ok "not traced: no current request" (current () = 0);
  ok "not traced: C has no request either" (c_start (c_register "query") = 0)

let ocaml by =
  are "start, run, finish"
    (by (fun () ->
         let id = Request.start query in
         Request.resume id; Request.resume id;
         Request.suspend id; Request.suspend id;
         Request.resume id; Request.finish query id; Request.suspend id))
    ["start query 1"; "run 1"; "run 0"; "run 1"; "finish query 1"];
  ok "no current request after the finish" (current () = 0);
  are "run_with puts back the request before, also after an exception"
    (by (fun () ->
         let a = Request.start query and b = Request.start query in
         Request.run_with a (fun () ->
           (try Request.run_with b (fun () -> raise Exit) with Exit -> ());
           ok "the one before" (Request.current () = a));
         Request.suspend b;
         Request.finish query b; Request.finish query a))
    ["start query 2"; "start query 3"; "run 2"; "run 3"; "run 2"; "run 0";
     "finish query 3"; "finish query 2"];
  are "suspend leaves the request of another alone"
    (by (fun () ->
         let a = Request.start query and b = Request.start query in
         Request.resume a; Request.suspend b; Request.resume b;
         Request.resume Request.none))
    ["start query 4"; "start query 5"; "run 4"; "run 5"; "run 0"]

let c by =
  let event = c_register "query" in
  ok "the same kind in C" (event = (Obj.magic query : int));
  ok "C: another type is refused, and an empty name"
    (Span.register "span" |> ignore; c_register "span" = -3
     && c_register "" = -4);
  are "C: start, run, finish"
    (by (fun () ->
         let n = c_start event in
         c_resume n;
         ok "C and OCaml: the same current request"
           (c_current () = n && current () = n);
         c_suspend (); c_suspend (); c_resume n; c_finish event n;
         ok "C: none after the finish" (c_current () = 0)))
    ["start query 6"; "run 6"; "run 0"; "run 6"; "finish query 6"];
  are "C: an error of registration, and no number"
    (by (fun () ->
         ok "no request of no kind" (c_start (-3) = 0); c_finish event 0))
    []

let threads () =
  let ids = List.init 2 (fun _ -> Request.start query) in
  let each id =
    Request.resume id;
    for _ = 1 to 100 do
      Thread.yield ();
      if Request.current () <> id then failwith "another thread's request"
    done in
  ok "each thread has its own request" (
    List.iter Thread.join (List.map (Thread.create each) ids);
    current () = 0)

let domains () =
  let id = Request.start query in
  Request.resume id;
  ok "a domain begins without a request"
    (Domain.join (Domain.spawn current) = 0);
  Request.finish query id

let fork () =
  let id = Request.start query in
  Request.resume id;
  match Unix.fork () with
  | 0 -> Unix._exit (if current () = 0 then 0 else 1)
  | pid ->
      ok "a forked child has no current request"
        (Unix.waitpid [] pid = (pid, Unix.WEXITED 0));
      ok "its parent keeps it" (Request.current () = id);
      Request.finish query id

(* The ring has to say nothing wrong of the time after the pause. *)
let pause_within () =
  let id = Request.start query in
  Request.resume id;
  pause ();
  Request.suspend id;
  ok "left while paused" (current () = 0);
  Request.resume id;
  ok "and taken up" (Request.current () = id);
  Request.suspend id;
  resume ();
  Unix.sleepf 0.02;
  Request.finish query id;
  let id = Request.start query in
  Request.resume id;
  pause ();
  Request.finish query id;
  ok "finished while paused: not the current one" (current () = 0);
  ok "started while paused: none" (Request.start query = Request.none);
  resume ();
  let id = Request.start query in
  Request.run_with id ignore;
  Request.finish query id

(* One request before, one through, and one after the loss. *)
let lose () =
  let mark = Mark.register "mark" in
  let short () =
    let id = Request.start query in
    Request.run_with id ignore;
    Request.finish query id in
  short ();
  let long = Request.start query in
  Request.resume long;
  for _ = 1 to 100_000 do Mark.emit mark done;
  let through = Request.start query in
  Request.run_with through (fun () -> Mark.emit mark);
  Request.finish query long;
  Request.finish query through;
  short ()

(* Both threads work on a request all the time, and begin blocks of the ring. *)
let two_threads () =
  let mark = Mark.register "mark" in
  let step () =
    for _ = 1 to 60 do Mark.emit mark done;
    Unix.sleepf 0.001 in
  let each () =
    let id = Request.start query in
    Request.run_with id (fun () -> for _ = 1 to 20 do step () done);
    Request.finish query id in
  List.iter Thread.join (List.init 2 (fun _ -> Thread.create each ()))

let () =
  match Sys.argv with
  | [| _; "pause" |] -> pause_within (); print_endline "done"
  | [| _; "loss" |] -> lose ()
  | [| _; "threads" |] -> two_threads ()
  | _ ->
      off ();
      start ();
      let cursor = Cursor.create Self in
      ocaml (by cursor); c (by cursor); threads (); fork (); domains ();
      print_endline "done"
