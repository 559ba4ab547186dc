(* Waits, and does not allocate: idle SECONDS *)

let () = Unix.sleepf (float_of_string Sys.argv.(1))
