(* The events of scale.ml with a stock toolchain. *)

open Runtime_events

type User.tag += Span
let event = User.register "span" Span Type.span

let[@inline] span () =
  User.write event Begin;
  User.write event End
