(* Opens 150 cursors on this process, of module Eventring or Runtime_events, and
   neither closes nor keeps one.  Prints how many readers are open then: each
   maps the ring file once. *)

(* Reads the file at once: a collection between two parts of it would close
   readers. *)
let mappings () =
  let maps = In_channel.with_open_bin "/proc/self/maps" In_channel.input_all in
  let ring = Printf.sprintf "/%d.events" (Unix.getpid ()) in
  String.split_on_char '\n' maps
  |> List.filter (String.ends_with ~suffix:ring)
  |> List.length

let () =
  let create =
    if Sys.argv.(1) = "eventring"
    then fun () -> ignore (Eventring.Cursor.create Self)
    else fun () -> ignore (Runtime_events.create_cursor None) in
  Runtime_events.start ();
  let writer = mappings () in
  for _ = 1 to 150 do create () done;
  print_int (mappings () - writer)
