(* Two domains with a known number of calls of module Gc and of events of the
   program, to be read by programs built with another OCaml. *)

open Runtime_events

type User.tag += Number
let number = User.register "number" Number Type.int

let work () =
  for i = 1 to 500 do
    User.write number i;
    if i mod 50 = 0 then Gc.minor ()
  done

let () =
  let other = Domain.spawn work in
  work ();
  Domain.join other;
  Gc.full_major ();
  Gc.compact ()
