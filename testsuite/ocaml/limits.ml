(* The highest number of user events, and another process' events as seen by a
   reader that has as many of its own.

     limits early|late      registers all before or after tracing starts
     limits write           a process with events that nobody else knows; prints
                            its id, and ends when standard input does
     limits read DIR PID    reads those
     limits full DIR PID    the same when no more can be registered here
     limits confused DIR PID
                            reads a file where a text has the unit's id *)

open Runtime_events
open Check

type User.tag += Test
let register name = User.register name Test Type.int

let fill () =
  let rec go n = match register (string_of_int n) with
    | _ -> go (n + 1)
    | exception Invalid_argument _ -> n in
  go 0

let all late =
  if late then start ();
  let events = Array.init 8192 (fun i -> register (string_of_int i)) in
  ok "8192 events" (Array.length events = 8192);
  raises "and not one more" invalid (fun () -> register "more");
  raises "however often one tries" invalid (fun () -> register "more");
  if not late then start ();
  let cursor = create_cursor None in
  Array.iteri (fun i e -> User.write e i) events;
  let right = ref 0 in
  let callbacks = Callbacks.add_user_event Type.int (fun _ _ e n ->
      if e == events.(n) && User.name e = string_of_int n then incr right)
      (Callbacks.create ()) in
  ignore (read_poll cursor callbacks None);
  Printf.printf "# %d right\n" !right;
  ok "each is read as itself" (!right = 8192)

let text = Type.register
    ~encode:(fun b s -> Bytes.blit_string s 0 b 0 (String.length s);
              String.length s)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)

let write () =
  start ();
  User.write (User.register "foreign unit" Test Type.unit) ();
  User.write (User.register "foreign int" Test Type.int) 17;
  User.write (User.register "foreign span" Test Type.span) Begin;
  User.write (User.register "foreign text" Test text) "abc";
  User.write (register "7") 7;
  Printf.printf "%d\n%!" (Unix.getpid ());
  ignore (In_channel.input_char stdin)

let poll cursor =
  let seen = ref [] in
  let add e s =
    seen := (User.name e ^ s ^ (match User.tag e with Test -> "" | _ -> "?"))
            :: !seen in
  let callbacks =
    Callbacks.create ()
    |> Callbacks.add_user_event Type.unit (fun _ _ e () -> add e "")
    |> Callbacks.add_user_event Type.int (fun _ _ e n ->
        add e (" " ^ string_of_int n))
    |> Callbacks.add_user_event Type.span (fun _ _ e _ -> add e "")
    |> Callbacks.add_user_event text (fun _ _ e s -> add e (" " ^ s)) in
  ignore (read_poll cursor callbacks None);
  List.rev !seen

let read dir pid =
  let mine = Some (dir, pid) in
  ok "events of another program: those without a decoder are read"
    (poll (create_cursor mine)
     = [ "foreign unit?"; "foreign int 17?"; "foreign span?"; "7 7?" ]);
  ignore (User.register "foreign text" Test text);
  ok "and the others once their decoder is known"
    (List.mem "foreign text abc" (poll (create_cursor mine)));
  ok "what an event's name means to this program counts" (
    ignore (register "7"); List.mem "7 7?" (poll (create_cursor mine))
                           || List.mem "7 7" (poll (create_cursor mine)));
  ignore (fill ());
  ok "as many events as can be: what is known is still read"
    (List.mem "7 7" (poll (create_cursor mine)));
  let cursor = create_cursor mine in
  ok "read again" (poll cursor <> []);
  ok "and the cursor goes on" (poll cursor = [])

let read_full dir pid =
  ignore (fill ());
  let cursor = create_cursor (Some (dir, pid)) in
  ok "no more can be registered: unknown events are left out, nothing fails"
    (poll cursor = [ "7 7" ]);
  ok "and the cursor goes on" (poll cursor = [])

let confused dir pid =
  ignore (User.register "foreign text" Test text);
  let seen = poll (create_cursor (Some (dir, pid))) in
  ok "an id in two forms: neither is taken for the other"
    (List.mem "foreign unit?" seen && List.mem "7 7?" seen
     && not (List.mem "foreign text abc" seen))

let () =
  match Array.to_list Sys.argv |> List.tl with
  | [ "early" ] -> all false; print_endline "done"
  | [ "late" ] -> all true; print_endline "done"
  | [ "write" ] -> write ()
  | [ "read"; dir; pid ] -> read dir (int_of_string pid); print_endline "done"
  | [ "full"; dir; pid ] ->
    read_full dir (int_of_string pid); print_endline "done"
  | [ "confused"; dir; pid ] ->
    confused dir (int_of_string pid); print_endline "done"
  | _ -> exit 2
