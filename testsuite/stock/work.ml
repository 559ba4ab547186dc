(* Two domains that collect, and write events of each type that a program can
   register.  work ROUNDS SECONDS END: sleeps so long in each round; END is
   the action at the end: "kill", "exec" or nothing; with "compact" it compacts
   from time to time. *)
module R = Runtime_events
type R.User.tag += Request | Size | Tick | Note

let request = R.User.register "request" Request R.Type.span
let size = R.User.register "size" Size R.Type.int
let tick = R.User.register "a tick" Tick R.Type.unit
let text =
  R.Type.register
    ~encode:(fun buffer s ->
      Bytes.blit_string s 0 buffer 0 (String.length s);
      String.length s)
    ~decode:(fun buffer length -> Bytes.sub_string buffer 0 length)
let note = R.User.register "note" Note text

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let pause = float_of_string Sys.argv.(2) in
  let work () =
    for i = 1 to rounds do
      R.User.write request R.Type.Begin;
      R.User.write size (3 - i);
      R.User.write tick ();
      R.User.write note (String.make (i mod 40) (Char.chr (i land 127)));
      ignore (Sys.opaque_identity (List.init 5_000 string_of_int));
      if i mod 10 = 0 then Gc.minor ();
      if Sys.argv.(3) = "compact" && i mod 20 = 0 then Gc.compact ();
      R.User.write request R.Type.End;
      if pause > 0. then Unix.sleepf pause
    done in
  let other = Domain.spawn work in
  work ();
  Domain.join other;
  print_endline "done";
  match Sys.argv.(3) with
  | "kill" -> Unix.kill (Unix.getpid ()) Sys.sigkill
  | "exec" -> Unix.execv "/bin/sleep" [| "sleep"; "100" |]
  | _ -> ()
