(* A child that begins to run when its parent has ended. *)

external outlive_parents : unit -> unit = "test_outlive_parents"

let orphaned = Eventring.Mark.register "orphaned"

let () =
  outlive_parents ();
  Eventring.start ();
  match Unix.fork () with
  | 0 ->
    Eventring.Mark.emit orphaned;
    print_endline (string_of_int (Unix.getpid ()))
  | _ -> ()
