(* Begins to be sampled, and ends. *)
let () =
  Eventring.Profile.start ();
  print_endline "done"
