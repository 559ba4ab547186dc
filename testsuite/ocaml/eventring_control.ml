(* Eventring's start, pause, resume, categories and stop.

     eventring_control            in an empty folder
     eventring_control started    where the environment has started tracing
     eventring_control refuses DIRECTORY     a start there must fail *)

open Eventring
open Check

let sys_error words = function
  | Sys_error why ->
    let has word =
      let n = String.length word in
      let rec at i =
        i + n <= String.length why && (String.sub why i n = word || at (i + 1))
      in
      at 0 in
    if not (List.for_all has words) then Printf.printf "# %s\n" why;
    List.for_all has words
  | _ -> false

let file_of dir = Filename.concat dir
    (string_of_int (Unix.getpid ()) ^ ".eventring")

let not_traced when_ =
  ok (when_ ^ ": not active, no path, no categories")
    (not (active ()) && path () = None && categories () = []);
  pause (); resume (); set_categories [Gc]; stop ();
  ok (when_ ^ ": pause, resume, set_categories and stop have no effect")
    (not (active ()) && path () = None && categories () = [])

let all =
  [Gc; Gc_detail; Domain; Sync; User; Alloc; Sync_detail; Wait; Thread; Runtime]
let by_default = [Gc; Domain; Sync; User; Wait; Thread; Runtime]

let refusals () =
  let refused name words dir =
    raises name (sys_error words) (fun () -> start ~dir ()) in
  refused "a directory that is missing" ["none"; "No such file"] "none";
  refused "a directory without a name" ["No such file"] "";
  close_out (open_out "file");
  refused "a directory that is a file" ["file"; "Not a directory"] "file";
  refused "a name of 300 bytes" ["File name too long"] (String.make 300 'd');
  refused "a name of 100000 bytes" ["File name too long"]
    (String.make 100_000 'd');
  raises "a name with a NUL" invalid (fun () -> start ~dir:"a\000b" ());
  raises "no category" invalid (fun () -> start ~categories:[] ());
  close_out (open_out (file_of "."));
  let oc = open_out (file_of ".") in
  output_string oc (String.make 100 'x');
  close_out oc;
  refused "something else of the file's name" ["not a ring file"] ".";
  Sys.remove (file_of ".");
  Sys.remove "file";
  ok "and nothing is left behind" (Sys.readdir "." = [||]);
  not_traced "after failures"

(* Control by the categories of events that arrive *)
let arrives mark cursor =
  Recorded.by cursor (fun () -> Mark.emit mark) = ["instant here"]

let collections cursor =
  let n = ref 0 in
  let count c = if Cursor.name c = "minor" then incr n in
  let callbacks = Cursor.callbacks ~span_start:count () in
  ignore (Cursor.poll cursor callbacks);
  n := 0;
  Gc.minor ();
  ignore (Cursor.poll cursor callbacks);
  !n

(* Somebody else writes the control word: the masks now and after resume. *)
let set_control now after =
  let fd = Unix.openfile (Option.get (path ())) [O_WRONLY] 0 in
  let word = Bytes.create 8 in
  Bytes.set_int64_ne word 0
    (Int64.logor (Int64.of_int now) (Int64.shift_left (Int64.of_int after) 32));
  ignore (Unix.lseek fd 512 SEEK_SET);
  assert (Unix.write fd word 0 8 = 8);
  Unix.close fd

let from_outside () =
  let unknown = 1 lsl 20 and gc = 1 in
  List.iter (fun (name, now, after, is_active, expected) ->
      let name = "masks from outside, " ^ name in
      set_control now after;
      ok (name ^ ": active or not") (active () = is_active);
      ok (name ^ ": the categories are known ones") (categories () = expected);
      set_categories (categories ());
      ok (name ^ ": setting these categories changes nothing")
        (active () = is_active && categories () = expected);
      set_control now after;
      resume ();
      ok (name ^ ": resumed") (active () && categories () = expected);
      set_control now after;
      pause ();
      ok (name ^ ": paused") (not (active ()) && categories () = expected))
    ["all unknown", unknown, unknown, false, by_default;
     "unknown and known", unknown lor gc, unknown, true, [Gc];
     "paused, unknown", 0, unknown, false, by_default;
     "unknown, then known", unknown, gc, false, [Gc];
     "none", 0, 0, false, by_default;
     "every bit but those recorded by name only", 0xFFFF83FF, 0x7FFF83FF, true,
    all];
  set_categories by_default;
  resume ()

let control () =
  let mark = Mark.register "here" in
  Unix.mkdir "rings" 0o700;
  start ~dir:"rings" ~categories:[User; Sync] ();
  ok "started" (active ());
  ok "with the categories asked for" (categories () = [Sync; User]);
  let absolute = file_of (Filename.concat (Sys.getcwd ()) "rings") in
  ok "the path is absolute, in the directory asked for"
    (path () = Some absolute && Sys.file_exists absolute);
  start ();
  start ~dir:"none" ~categories:[Gc] ();
  ok "starting again has no effect"
    (path () = Some absolute && categories () = [Sync; User]
     && Array.length (Sys.readdir "rings") = 1);
  raises "not even with no category" invalid (fun () -> start ~categories:[] ());

  let cursor = Cursor.create Self in
  ok "what is asked for is recorded" (arrives mark cursor);
  ok "what is not asked for is not" (collections cursor = 0);
  set_categories [Gc];
  ok "other categories" (categories () = [Gc]);
  ok "other categories: are recorded" (collections cursor > 0);
  ok "other categories: the former are not" (not (arrives mark cursor));
  raises "set to no category" invalid (fun () -> set_categories []);
  ok "set to no category: no effect" (categories () = [Gc]);
  set_categories (all @ all);
  ok "set to all, twice" (categories () = all);

  pause ();
  ok "paused" (not (active ()) && path () = Some absolute);
  ok "paused: the categories stay" (categories () = all);
  ok "paused: nothing is recorded"
    (not (arrives mark cursor) && collections cursor = 0);
  pause ();
  set_categories [User];
  ok "paused: other categories do not resume"
    (not (active ()) && categories () = [User]);
  start ();
  ok "paused: neither does start" (not (active ()));
  resume ();
  resume ();
  ok "resumed" (active () && categories () = [User]);
  ok "resumed: recorded again, of the categories set meanwhile"
    (arrives mark cursor && collections cursor = 0);

  (* From other domains, against each other *)
  let toggle () =
    for _ = 1 to 1000 do
      pause (); resume (); set_categories by_default; Mark.emit mark
    done in
  let domains = List.init 3 (fun _ -> Domain.spawn toggle) in
  toggle ();
  List.iter Domain.join domains;
  resume ();
  ok "four domains at the switches" (categories () = by_default && active ());

  stop ();
  ok "stopped: the file is gone" (not (Sys.file_exists absolute));
  Mark.emit mark;
  not_traced "stopped";
  start ();
  ok "started again, here" (path () = Some (file_of (Sys.getcwd ())));
  ok "with the usual categories" (categories () = by_default);
  let cursor = Cursor.create Self in
  ok "and it is recorded" (arrives mark cursor && collections cursor > 0);
  from_outside ();
  for _ = 1 to 20 do stop (); start (); Mark.emit mark done;
  ok "stopped and started again twenty times" (active ());
  stop ()

let () =
  match Sys.argv with
  | [| _ |] ->
    not_traced "before the start";
    refusals ();
    control ();
    print_endline "done"
  | [| _; "started" |] ->
    let before = path () in
    start ~dir:"none" ~categories:[Gc] ();
    ok "started by the environment: start has no effect"
      (before <> None && path () = before && categories () = by_default);
    print_endline "done"
  | [| _; "refuses"; dir; word |] ->
    raises ("refused: " ^ word) (sys_error [word]) (fun () -> start ~dir ());
    ok "refused: the file is gone" (not (Sys.file_exists (file_of dir)));
    not_traced "refused";
    print_endline "done"
  | _ -> exit 2
