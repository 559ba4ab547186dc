(* The calls by which olly and other readers for stock OCaml find the file of a
   process: they take it for DIRECTORY/PID.events.

     stock_calls launch DIRECTORY PROGRAM   runs it, with the variables of stock
                                            OCaml, and reads it to its end
     stock_calls attach DIRECTORY PID       reads the events so far
     stock_calls start                      starts tracing by Runtime_events and
                                            prints the name of the file *)

open Runtime_events

let file dir pid = Filename.concat dir (string_of_int pid ^ ".events")

(* Polls until [over ()], and prints whether there were collections. *)
let read cursor over =
  let minors = ref 0 and steps = ref 0 in
  let runtime_end _ _ = function
    | EV_MINOR -> incr minors
    | EV_MINOR_LOCAL_ROOTS -> incr steps
    | _ -> () in
  let callbacks = Callbacks.create ~runtime_end () in
  let rec poll () =
    let last = over () in
    ignore (read_poll cursor callbacks None);
    if not last then (Unix.sleepf 0.01; poll ()) in
  poll ();
  free_cursor cursor;
  print_endline (if !minors > 0 && !steps > 0 then "read" else "nothing")

let launch dir program =
  let set = ["OCAML_RUNTIME_EVENTS_START=1"; "OCAML_RUNTIME_EVENTS_DIR=" ^ dir;
             "OCAML_RUNTIME_EVENTS_PRESERVE=1"] in
  let env = Array.append (Array.of_list set) (Unix.environment ()) in
  let null = Unix.openfile "/dev/null" [O_RDWR] 0 in
  let pid = Unix.create_process_env program [| program |] env
      null null Unix.stderr in
  let rec wait n =
    if n > 0 && not (Sys.file_exists (file dir pid)) then
      (Unix.sleepf 0.01; wait (n - 1)) in
  wait 1000;
  Unix.sleepf 0.1;
  let cursor = create_cursor (Some (dir, pid)) in
  read cursor (fun () -> fst (Unix.waitpid [WNOHANG] pid) <> 0);
  Unix.unlink (file dir pid)

let attach dir pid =
  Unix.access (file dir pid) [R_OK];
  read (create_cursor (Some (dir, pid))) (fun () -> true)

let () =
  match Sys.argv with
  | [| _; "launch"; dir; program |] -> launch dir program
  | [| _; "attach"; dir; pid |] -> attach dir (int_of_string pid)
  | [| _; "start" |] ->
    start ();
    let name = Filename.basename (Option.get (Eventring.path ())) in
    print_endline
      (if Filename.dirname (file "." (Unix.getpid ())) = "."
       && name = Filename.basename (file "." (Unix.getpid ()))
       && Sys.file_exists name then "named" else name)
  | _ -> exit 2
