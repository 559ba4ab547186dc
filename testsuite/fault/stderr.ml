(* stderr dup FILE: descriptor 2 becomes FILE.
   stderr open FILE: FILE gets the lowest descriptor that is free.
   stderr stay FILE: descriptor 2 stays.
   Then the ring file is cut short, which the runtime reports, and FILE gets a
   line. *)

let () =
  let file = Sys.argv.(2) in
  let fd =
    Unix.openfile file [O_WRONLY; O_CREAT; O_TRUNC; O_APPEND] 0o600 in
  (match Sys.argv.(1) with
   | "dup" -> Unix.dup2 fd Unix.stderr
   | "open" -> assert ((Obj.magic fd : int) = 2)
   | _ -> ());
  (match Eventring.path () with
   | Some ring -> Unix.truncate ring 0
   | None -> prerr_endline "not traced");
  Gc.full_major ();
  assert (Unix.write_substring fd "data\n" 0 5 = 5)
