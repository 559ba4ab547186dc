(* A reader for bench/run-reader: callbacks of Eventring.Cursor.  All
   events count as the program's.
   cursor FOLDER PID *)

open Eventring
open Polling

let callbacks =
  let see c = last := Cursor.time c; incr user in
  Cursor.callbacks ~span_start:see ~span_finish:see ~counter:see ~instant:see
    ~complete:see ~lost:(fun c -> lost := !lost + Cursor.value c) ()

let () =
  let cursor =
    Cursor.(create (Process { pid = int_of_string Sys.argv.(2);
                              dir = Some Sys.argv.(1) })) in
  serve (fun () -> ignore (Cursor.poll cursor callbacks))
