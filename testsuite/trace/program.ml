(* Two domains with two threads each: spans inside of each other, counters,
   marks, messages, a flow from domain to domain, requests, waiting and
   collections. *)

open Eventring

let request = Span.register "request"
let step = Span.register "step"
let size = Counter.register ~unit:"lines" "size"
let mark = Mark.register "mark"
let note = Message.register "note"
let journey = Flow.register "journey"
let order = Request.register "order"

let lock = Mutex.create ()

let worker name first =
  set_thread_name name;
  for n = first to first + 9 do
    let id = Request.start order in
    Span.run_with request n (fun () ->
      Request.resume id;
      Mutex.protect lock (fun () ->
        Span.run step (fun () ->
          Flow.step journey n;
          Counter.sample size (-n);
          Unix.sleepf 0.0005));
      ignore (Sys.opaque_identity (List.init 30_000 string_of_int));
      Flow.finish journey n;
      Mark.emit mark);
    Request.suspend id;
    Request.resume id;
    Request.finish order id
  done

let pair domain first =
  set_domain_name domain;
  let other =
    Thread.create (fun () -> worker (domain ^ " 2") (first + 10)) () in
  worker (domain ^ " 1") first;
  Thread.join other

let () =
  for n = 0 to 39 do Flow.start journey n done;
  Message.emit note "caf\xc3\xa9 \"au lait\" \\ \xff";
  let back = Domain.spawn (fun () -> pair "back" 20) in
  pair "front" 0;
  Domain.join back;
  Gc.compact ()
