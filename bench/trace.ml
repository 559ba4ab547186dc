(* Fills two rings, for run-trace.

     trace program N    events of the program: 5 N of each domain
     trace runtime N    N minor collections, with the events around them *)

open Eventring

let request = Span.register "request"
let step = Span.register "step"
let size = Counter.register ~unit:"lines" "size"

let program n =
  for i = 1 to n do
    Span.start_with request i;
    Span.start step;
    Counter.sample size i;
    Span.finish step;
    Span.finish request
  done

let runtime n =
  for _ = 1 to n do
    ignore (Sys.opaque_identity (ref 0));
    Gc.minor ()
  done

let () =
  let work = match Sys.argv.(1) with
    | "program" -> program
    | _ -> runtime in
  let n = int_of_string Sys.argv.(2) in
  let other = Domain.spawn (fun () -> work n) in
  work n;
  Domain.join other
