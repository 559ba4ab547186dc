(* The events of scale.ml with our toolchain. *)

let event = Eventring.Span.register "span"

let[@inline] span () =
  Eventring.Span.start event;
  Eventring.Span.finish event
