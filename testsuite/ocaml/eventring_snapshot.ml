(* Eventring.snapshot.

     eventring_snapshot                    in an empty folder
     eventring_snapshot full DIRECTORY     to a full disk
     eventring_snapshot storm              while other domains write, with the
                                           smallest rings *)

open Eventring
open Check

let counter = Counter.register "counter"
let message = Message.register "message"
let sys_error = function Sys_error why -> String.length why > 20 | _ -> false

let read file = In_channel.with_open_bin file In_channel.input_all
let write file text =
  Out_channel.with_open_bin file (fun oc -> output_string oc text)
let listing () = List.sort compare (Array.to_list (Sys.readdir "."))

(* A snapshot to [file] fails, and nothing has changed. *)
let fails name file =
  let before = listing () in
  raises name sys_error (fun () -> snapshot file);
  ok (name ^ ": nothing is left behind") (listing () = before)

let basic () =
  raises "not traced" sys_error (fun () -> snapshot "early");
  ok "not traced: no file" (listing () = []);
  start ();
  List.iter (Counter.sample counter) [1; 2; 3];
  Message.emit message "hello";
  write "snap" "what was there";
  snapshot "snap";
  Counter.sample counter 4;
  let expected = List.map (Printf.sprintf "counter counter %d") [1; 2; 3]
                 @ [{|instant message "hello"|}] in
  Recorded.are "what was recorded until then" (Recorded.file "snap") expected;
  let cursor = Cursor.create (File "snap") in
  ok "it is as of a process that has ended" (Cursor.state cursor = Ended);
  ok "for nobody else" ((Unix.stat "snap").st_perm = 0o600);
  snapshot "snap";
  Recorded.are "over another snapshot" (Recorded.file "snap")
    (expected @ ["counter counter 4"]);
  Recorded.are "which those who have it open still read" (Recorded.rest cursor)
    expected;
  Counter.sample counter 5;
  pause ();
  snapshot (Filename.concat (Sys.getcwd ()) "paused");
  resume ();
  Recorded.are "while paused" (Recorded.file "paused")
    (expected @ ["counter counter 4"; "counter counter 5"]);

  fails "a missing directory" "none/snap";
  fails "a file for a directory" "snap/snap";
  fails "no name" "";
  Unix.mkdir "there" 0o700;
  fails "a directory of this name" "there";
  fails "a name too long" (String.make 300 'x');
  fails "a path too long" (String.make 100_000 'x');
  raises "a NUL in the name" invalid (fun () -> snapshot "a\000b");
  let outside = "outside" in
  write outside "not to be touched";
  Unix.symlink outside "link";
  snapshot "link";
  ok "a symbolic link is replaced, not followed"
    (read outside = "not to be touched"
     && (Unix.lstat "link").st_kind = S_REG);

  (* One name, four domains *)
  let many () = for _ = 1 to 10 do snapshot "same" done in
  let domains = List.init 3 (fun _ -> Domain.spawn many) in
  many ();
  ok "four domains make snapshots of one name"
    (List.for_all (fun d -> Domain.join d = ()) domains
     && List.length (Recorded.file "same") >= 6);
  ok "and leave no other file"
    (List.for_all (fun f -> List.mem f
        ["snap"; "paused"; "there"; outside; "link"; "same"]
        || Filename.check_suffix f ".eventring") (listing ()));
  let file = Option.get (path ()) in
  snapshot file;
  ok "over the process's own ring file: it goes on"
    (Counter.sample counter 6; active () && Sys.file_exists file)

let full dir =
  start ();
  for i = 1 to 1000 do Counter.sample counter i done;
  let target = Filename.concat dir "snap" in
  raises "a full disk" sys_error (fun () -> snapshot target);
  ok "a full disk: the target is as it was" (read target = "what was there\n");
  ok "a full disk: nothing is left behind"
    (List.sort compare (Array.to_list (Sys.readdir dir)) = ["filler"; "snap"])

(* Writers of consecutive numbers: a snapshot has numbers without a gap for each
   domain, up to the last. *)
let storm () =
  start ~categories:[User] ();
  let go_on = Atomic.make true in
  let write () =
    let mine = Counter.register
        (Printf.sprintf "domain %d" (Domain.self () :> int)) in
    let n = ref 0 in
    while Atomic.get go_on do
      for _ = 1 to 1000 do incr n; Counter.sample mine !n done
    done in
  let domains = List.init 3 (fun _ -> Domain.spawn write) in
  let bad = ref 0 and events = ref 0 and damaged = ref 0 and unnamed = ref 0 in
  for i = 1 to 200 do
    let file = Printf.sprintf "storm%d" (i land 1) in
    snapshot file;
    let cursor = Cursor.create (File file) in
    let last = Hashtbl.create 8 in
    let callbacks = Cursor.callbacks ~counter:(fun c ->
        incr events;
        if Cursor.name c = "" then incr unnamed;
        if Cursor.name c
           <> Printf.sprintf "domain %d" (Cursor.domain c) then incr bad;
        (match Hashtbl.find_opt last (Cursor.domain c) with
         | Some n when Cursor.value c <> n + 1 -> incr bad
         | _ -> ());
        Hashtbl.replace last (Cursor.domain c) (Cursor.value c)) () in
    let rec all () =
      match Cursor.poll cursor callbacks with
      | 0 -> ()
      | _ -> all ()
      | exception Failure _ -> incr damaged; all () in
    all ();
    Cursor.close cursor
  done;
  Atomic.set go_on false;
  List.iter Domain.join domains;
  Printf.printf "# %d events, %d bad, %d unnamed, %d damaged blocks\n" !events
    !bad !unnamed !damaged;
  ok "there is something in them" (!events > 1000);
  ok "every event is what was written, without a gap"
    (!bad = 0 && !unnamed = 0);
  ok "no block is damaged" (!damaged = 0)

let () =
  (match Sys.argv with
   | [| _; "full"; dir |] -> full dir
   | [| _; "storm" |] -> storm ()
   | _ -> basic ());
  print_endline "done"
