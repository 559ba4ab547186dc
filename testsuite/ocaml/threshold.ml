(* The shortest wait that is recorded, set by the program and from outside. *)

open Eventring
open Check

let command = Sys.getenv "EVENTRING_BIN"
let ten_seconds = 10_000_000_000

(* Three waits of 2 ms or more; how many of them are recorded. *)
let recorded cursor =
  let n = ref 0 in
  let complete c = if Cursor.name c = "blocking_section" then incr n in
  let callbacks = Cursor.callbacks ~complete () in
  let drain () = while Cursor.poll cursor callbacks > 0 do () done in
  drain ();
  n := 0;
  for _ = 1 to 3 do Unix.sleepf 0.002 done;
  drain ();
  !n

let outside duration =
  Sys.command (Printf.sprintf "%s threshold --quiet %d %s" command
                 (Unix.getpid ()) duration) = 0

(* Stores any number in the word of the file. *)
let scribble number =
  let fd = Unix.openfile (Option.get (path ())) [Unix.O_WRONLY] 0 in
  let bytes = Bytes.create 8 in
  Bytes.set_int64_ne bytes 0 number;
  ignore (Unix.lseek fd 1208 Unix.SEEK_SET);
  ignore (Unix.write fd bytes 0 8);
  Unix.close fd

let in_child test =
  match Unix.fork () with
  | 0 -> Unix._exit (if test () then 0 else 1)
  | pid -> snd (Unix.waitpid [] pid) = Unix.WEXITED 0

let () =
  set_threshold ten_seconds;
  ok "before the start, setting has no effect" (threshold () = 1000);
  start ();
  let cursor = Cursor.create Self in
  ok "1 us by default" (threshold () = 1000);
  ok "longer waits are recorded" (recorded cursor = 3);
  set_threshold ten_seconds;
  ok "set by the program" (threshold () = ten_seconds);
  ok "shorter waits are not recorded" (recorded cursor = 0);
  ok "a forked child has it"
    (in_child (fun () ->
         threshold () = ten_seconds && recorded (Cursor.create Self) = 0));
  set_threshold 1_000_000;
  ok "set lower again" (recorded cursor = 3);
  ok "set from outside" (outside "10s" && threshold () = ten_seconds);
  ok "it holds" (recorded cursor = 0);
  ok "a forked child has that, too"
    (in_child (fun () -> threshold () = ten_seconds));
  ok "set lower from outside" (outside "1ms" && recorded cursor = 3);
  set_threshold 0;
  ok "0 is 1 ns" (threshold () = 1 && recorded cursor >= 3);
  raises "a negative one is refused" invalid (fun () -> set_threshold (-1));
  scribble (-1L);
  ok "the largest number: no wait is recorded" (recorded cursor = 0);
  ok "it is cut for OCaml" (threshold () = max_int);
  scribble 0L;
  ok "no number: the threshold of the start"
    (threshold () = 1000 && recorded cursor = 3);
  set_threshold ten_seconds;
  stop ();
  start ();
  ok "it holds after another start"
    (threshold () = ten_seconds && recorded (Cursor.create Self) = 0);
  print_endline "done"
