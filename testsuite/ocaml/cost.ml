(* Operations for cost.t: cost OPERATION N repeats one N times. *)

external cause : int -> unit = "test_cause" [@@noalloc]

let () =
  let n = int_of_string Sys.argv.(2) in
  match Sys.argv.(1) with
  | "cause" -> cause n
  | "span" ->
      let span = Eventring.Span.register "span" in
      for _ = 1 to n do Eventring.Span.start span done
  | "request" ->
      let id = Eventring.Request.(start (register "request")) in
      for _ = 1 to n do Eventring.Request.resume id done
  | "wait" -> for _ = 1 to n do Unix.sleepf 1e-5 done
  | operation -> failwith operation
