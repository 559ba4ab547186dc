(* Three domains that write events until they are killed. *)

let rec collect () =
  ignore (Sys.opaque_identity (List.init 100 Fun.id));
  Gc.minor ();
  collect ()

let () =
  for _ = 1 to 2 do ignore (Domain.spawn collect : unit Domain.t) done;
  collect ()
