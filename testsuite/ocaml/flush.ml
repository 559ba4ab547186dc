(* Writes a mark for each line of its input, and after the line "flush" asks its
   readers for a flush. *)

external c_flush : unit -> unit = "flush_from_c"

let mark = Eventring.Mark.register "line"

let rec loop () =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
      Eventring.Mark.emit mark;
      if line = "flush" then Eventring.flush ();
      if line = "c_flush" then c_flush ();
      loop ()

let () =
  Eventring.flush ();          (* without any effect: not traced, or no reader *)
  loop ()
