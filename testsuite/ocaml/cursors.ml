(* Cursors on files that are damaged, and on a process that records too little
   for Runtime_events.

     cursors own [start]    opens a cursor on this process, after
                            Runtime_events.start if told so; prints "opened", or
                            why not
     cursors other DIRECTORY PID    the same for another process
     cursors DIRECTORY      has 1.eventring, 2.eventring...; each line of its
                            file kinds names the kind of one of them and says
                            that it must be "refused", "read", or may be
                            "either" *)

open Runtime_events
open Check

let poll expected name dir pid =
  match create_cursor (Some (dir, pid)) with
  | exception Failure why ->
    ok (name ^ ": refused in words")
      (String.length why > 20 && expected <> "read")
  | cursor ->
    (* A callback for everything: all events of the file are looked at. *)
    let seen = ref 0 in
    let count1 _ _ _ = incr seen and count2 _ _ _ _ = incr seen in
    let callbacks =
      Callbacks.create ~runtime_begin:count1 ~runtime_end:count1
        ~runtime_counter:count2 ~alloc:count1 ~lifecycle:count2
        ~lost_events:(fun _ _ -> incr seen) ()
      |> Callbacks.add_user_event Type.unit count2
      |> Callbacks.add_user_event Type.int count2
      |> Callbacks.add_user_event Type.span count2 in
    for _ = 1 to 3 do
      match read_poll cursor callbacks None with
      | _ -> ()
      | exception Failure _ -> ()
    done;
    free_cursor cursor;
    ok (name ^ ": read to its end")
      (expected = "either" || expected = "read" && !seen > 0)

let attempt target =
  let before = Eventring.categories () in
  (match create_cursor target with
   | exception Failure why -> print_endline why
   | cursor -> free_cursor cursor; print_endline "opened");
  if Eventring.categories () <> before then
    print_endline "which changed the categories"

let files dir =
  raises "a directory that is not there" failure (fun () ->
      create_cursor (Some (Filename.concat dir "none", 1)));
  raises "a process that is not there" failure (fun () ->
      create_cursor (Some (dir, 999_999)));
  raises "a path with a NUL" (fun e -> failure e || invalid e) (fun () ->
      create_cursor (Some ("a\000b", 1)));
  raises "a path of 10000 bytes" failure (fun () ->
      create_cursor (Some (String.make 10_000 'x', 1)));
  raises "no ring of this process" failure (fun () -> create_cursor None);
  let ic = open_in (Filename.concat dir "kinds") in
  try
    while true do
      Scanf.sscanf (input_line ic) "%d %s %s@\n"
        (fun pid expected name -> poll expected name dir pid)
    done
  with End_of_file -> print_endline "done"

let () =
  match Sys.argv with
  | [| _; "own" |] -> attempt None
  | [| _; "own"; "start" |] -> start (); attempt None
  | [| _; "other"; dir; pid |] -> attempt (Some (dir, int_of_string pid))
  | _ -> files Sys.argv.(1)
