(* User events through Runtime_events, written and read in one process. *)

open Runtime_events
open Check

type User.tag += Test
let register name typ = User.register name Test typ

(* Everything between two polls, as the callback makes of it. *)
let collect cursor typ f write =
  let drain = Callbacks.create () in
  ignore (read_poll cursor drain None);
  write ();
  let seen = ref [] in
  let callbacks =
    Callbacks.add_user_event typ
      (fun _ _ event v -> seen := f event v :: !seen) (Callbacks.create ()) in
  ignore (read_poll cursor callbacks None);
  List.rev !seen

let value _ v = v
let text = (* an encoder that copies; the decoder makes a string *)
  Type.register
    ~encode:(fun b s -> Bytes.blit_string s 0 b 0 (String.length s);
              String.length s)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)

let values cursor =
  let number = register "number" Type.int in
  let numbers =
    [ 0; 1; -1; max_int; min_int; 1 lsl 31; 1 lsl 32; -1 lsl 31; 1 lsl 61;
      0x1234_5678_9abc_def ] in
  ok "an int keeps all its bits"
    (collect cursor Type.int value (fun () ->
         List.iter (User.write number) numbers) = numbers);
  let span = register "span" Type.span in
  ok "a span begins and ends"
    (collect cursor Type.span value (fun () ->
         User.write span Begin; User.write span End) = [ Type.Begin; End ]);
  let unit = register "unit" Type.unit in
  ok "a unit"
    (collect cursor Type.unit value (fun () -> User.write unit ()) = [ () ]);
  ok "an event that the reader knows is the reader's own"
    (collect cursor Type.int (fun e _ -> User.name e, User.tag e) (fun () ->
         User.write number 1) = [ "number", Test ]);

  let custom = register "custom" text in
  let strings =
    List.init 1025 (fun n -> String.init n (fun i -> Char.chr ((i * n) land 255)))
  in
  ok "a custom event of each length from 0 to 1024 bytes"
    (collect cursor text value (fun () ->
         List.iter (User.write custom) strings) = strings)

let names () =
  ignore (register (String.make 127 'n') Type.unit);
  raises "a name of 128 bytes is refused" invalid (fun () ->
      register (String.make 128 'n') Type.unit);
  raises "a name with a NUL is refused" invalid (fun () ->
      register "a\000b" Type.unit);
  ignore (register "" Type.unit);
  ignore (register "na\xc3\xafve \xff\n\"name\"" Type.unit)

(* An encoder that returns the number it is given *)
let any_length = Type.register ~encode:(fun _ n -> n) ~decode:(fun _ n -> n)
let failing = Type.register ~encode:(fun _ () -> raise Exit)
    ~decode:(fun _ _ -> ())

let encoders cursor =
  let event = register "any length" any_length in
  List.iter (fun n ->
      raises (Printf.sprintf "an encoder that returns %d" n) invalid (fun () ->
          User.write event n))
    [ -1; 1025; 4096; max_int; min_int; 1 lsl 32; 1 lsl 60 ];
  ok "and after it those that are right are written"
    (collect cursor any_length value (fun () ->
         (try User.write event (-1) with Invalid_argument _ -> ());
         User.write event 0; User.write event 1024) = [ 0; 1024 ]);
  let event = register "failing" failing in
  raises "an encoder that raises" (fun e -> e = Exit) (fun () ->
      User.write event ());
  ok "leaves nothing behind"
    (collect cursor failing value (fun () ->
         try User.write event () with Exit -> ()) = []);
  (* Encoders that do everything they should not *)
  let inner = register "inner" text in
  let busy = Type.register
      ~encode:(fun b n -> User.write inner "inside"; Gc.compact ();
                pause (); resume (); Bytes.set b 0 (Char.chr n); 1)
      ~decode:(fun b n -> Gc.compact (); assert (n = 1);
                Char.code (Bytes.get b 0)) in
  let event = register "busy" busy in
  ok "an encoder that writes, pauses and compacts"
    (collect cursor busy value (fun () -> User.write event 77) = [ 77 ]);
  ok "what it wrote is there as well"
    (collect cursor text value (fun () -> User.write event 7) = [ "inside" ]);
  let stopping = Type.register ~encode:(fun _ () -> pause (); 0)
      ~decode:(fun _ _ -> ()) in
  let event = register "stopping" stopping in
  ok "an encoder that leaves tracing paused: its event is not written"
    (collect cursor stopping value (fun () -> User.write event (); resume ())
     = [])

(* Raises for some events: the cursor goes on behind them. *)
let callbacks cursor =
  let number = register "raising" Type.int in
  ignore (read_poll cursor (Callbacks.create ()) None);
  for i = 1 to 10 do User.write number i done;
  let seen = ref [] and raised = ref 0 in
  let callbacks =
    Callbacks.add_user_event Type.int (fun _ _ e i ->
        if User.name e = "raising" then begin
          seen := i :: !seen;
          if i mod 3 = 0 then raise Exit
        end)
      (Callbacks.create ()) in
  let rec poll n = if n > 0 then
      match read_poll cursor callbacks None with
      | _ -> ()
      | exception Exit -> incr raised; poll (n - 1) in
  poll 10;
  ok "a callback that raises: each event once, in order"
    (List.rev !seen = List.init 10 succ);
  ok "a callback that raises: its exception comes out" (!raised = 3);

  let wrong = Type.register ~encode:(fun b n -> Bytes.set b 0 (Char.chr n); 1)
      ~decode:(fun b _ -> match Char.code (Bytes.get b 0) with
          | 2 -> raise Not_found | n -> n) in
  let event = register "wrong" wrong in
  List.iter (User.write event) [ 1; 2; 3 ];
  let seen = ref [] in
  let callbacks = Callbacks.add_user_event wrong
      (fun _ _ _ n -> seen := n :: !seen) (Callbacks.create ()) in
  raises "a decoder that raises: its exception comes out" ((=) Not_found)
    (fun () -> read_poll cursor callbacks None);
  ignore (read_poll cursor callbacks None);
  ok "a decoder that raises: the others are read" (!seen = [ 3; 1 ]);

  (* Every kind of callback *)
  let boom name create act =
    ignore (read_poll cursor (Callbacks.create ()) None);
    act ();
    raises (name ^ " that raises") ((=) Exit) (fun () ->
        read_poll cursor (create ()) None);
    let n = read_poll cursor (Callbacks.create ()) None in
    ok (name ^ " that raises: the cursor goes on") (n >= 0) in
  let full () = Gc.full_major () in
  boom "runtime_begin" (fun () ->
      Callbacks.create ~runtime_begin:(fun _ _ _ -> raise Exit) ()) full;
  boom "runtime_end" (fun () ->
      Callbacks.create ~runtime_end:(fun _ _ _ -> raise Exit) ()) full;
  boom "runtime_counter" (fun () ->
      Callbacks.create ~runtime_counter:(fun _ _ _ _ -> raise Exit) ()) full;
  boom "lifecycle" (fun () ->
      Callbacks.create ~lifecycle:(fun _ _ _ _ -> raise Exit) ())
    (fun () -> pause (); resume ());

  (* Polling from inside *)
  let refused = ref 0 in
  let callbacks = Callbacks.add_user_event Type.int (fun _ _ _ _ ->
      match read_poll cursor (Callbacks.create ()) None with
      | _ -> ()
      | exception Failure _ -> incr refused) (Callbacks.create ()) in
  User.write number 1; User.write number 2;
  ignore (read_poll cursor callbacks None);
  ok "polling the cursor in its own callback is refused" (!refused = 2);

  (* A callback that makes events: the poll ends all the same *)
  let made = ref 0 in
  let callbacks = Callbacks.add_user_event Type.int (fun _ _ _ n ->
      incr made;
      if !made < 20_000 then User.write number (n + 1);
      Unix.sleepf 0.0001)
      (Callbacks.create ()) in
  User.write number 1;
  ignore (read_poll cursor callbacks None);
  ok "a callback that writes what it reads: the poll ends" (!made < 10_000);
  ignore (read_poll cursor (Callbacks.create ()) None);

  (* Collections in callbacks move values that C code holds *)
  let number = register "moving" Type.int in
  let total = ref 0 in
  let callbacks = Callbacks.add_user_event Type.int (fun _ time event n ->
      Gc.compact ();
      ignore (Sys.opaque_identity (List.init 1000 Fun.id));
      Gc.minor ();
      if User.name event = "moving" && Timestamp.to_int64 time > 0L then
        total := !total + n) (Callbacks.create ()) in
  for i = 1 to 20 do User.write number i done;
  ignore (read_poll cursor callbacks None);
  ok "a callback that collects garbage" (!total = 210)

let bounded cursor =
  let number = register "bounded" Type.int in
  ignore (read_poll cursor (Callbacks.create ()) None);
  for i = 1 to 10 do User.write number i done;
  let seen = ref [] in
  let callbacks = Callbacks.add_user_event Type.int
      (fun _ _ _ n -> seen := n :: !seen) (Callbacks.create ()) in
  ok "a poll of at most 4 events" (read_poll cursor callbacks (Some 4) = 4);
  ok "calls for these 4" (!seen = [ 4; 3; 2; 1 ]);
  ignore (read_poll cursor callbacks None);
  ok "and the next one for the rest" (List.length !seen = 10)

(* One name, five types *)
let same_name cursor =
  let reverse = Type.register
      ~encode:(fun b l -> List.iteri (fun i n ->
          Bytes.set b i (Char.chr n)) l; List.length l)
      ~decode:(fun b n -> List.init n (fun i -> Char.code (Bytes.get b i))) in
  let int = register "same" Type.int in
  let unit = register "same" Type.unit in
  let span = register "same" Type.span in
  let string = register "same" text in
  let list = register "same" reverse in
  ignore (read_poll cursor (Callbacks.create ()) None);
  User.write int 42; User.write unit (); User.write span Type.End;
  User.write string "text"; User.write list [ 1; 2; 3 ];
  User.write string "again";
  let seen = ref [] in
  let add s = seen := s :: !seen in
  let callbacks =
    Callbacks.create ()
    |> Callbacks.add_user_event Type.int
      (fun _ _ _ n -> add (string_of_int n))
    |> Callbacks.add_user_event Type.unit (fun _ _ _ () -> add "unit")
    |> Callbacks.add_user_event Type.span (fun _ _ _ s ->
        add (if s = Type.Begin then "begin" else "end"))
    |> Callbacks.add_user_event text (fun _ _ _ s -> add s)
    |> Callbacks.add_user_event reverse (fun _ _ _ l ->
        add (String.concat "," (List.map string_of_int l))) in
  ignore (read_poll cursor callbacks None);
  List.iter (Printf.printf "# %S\n") (List.rev !seen);
  ok "five events of one name, each by its own type"
    (List.rev !seen = [ "42"; "unit"; "end"; "text"; "1,2,3"; "again" ])

let freeing () =
  let number = register "freeing" Type.int in
  let cursor = create_cursor None in
  User.write number 1; User.write number 2;
  let calls = ref 0 in
  let callbacks = Callbacks.add_user_event Type.int (fun _ _ e _ ->
      if User.name e = "freeing" then begin
        incr calls; free_cursor cursor
      end) (Callbacks.create ()) in
  ok "freeing a cursor in its callback ends the poll"
    (read_poll cursor callbacks None >= 1 && !calls = 1);
  raises "a freed cursor cannot be polled" failure (fun () ->
      read_poll cursor callbacks None);
  free_cursor cursor;
  ok "freeing twice does no harm" true;
  for _ = 1 to 200 do ignore (create_cursor None) done;
  Gc.full_major ();
  ok "cursors that nobody freed are collected"
    (let cursor = create_cursor None in
     read_poll cursor (Callbacks.create ()) (Some 1) = 1)

let independent () =
  let number = register "independent" Type.int in
  let poll cursor =
    let seen = ref [] in
    let callbacks = Callbacks.add_user_event Type.int (fun _ _ e n ->
        if User.name e = "independent" then seen := n :: !seen)
        (Callbacks.create ()) in
    ignore (read_poll cursor callbacks None);
    List.rev !seen in
  let a = create_cursor None and b = create_cursor None in
  User.write number 1;
  let a1 = poll a in
  User.write number 2;
  let a2 = poll a and b12 = Domain.join (Domain.spawn (fun () -> poll b)) in
  ok "two cursors know nothing of each other, in two domains"
    (a1 = [ 1 ] && a2 = [ 2 ] && b12 = [ 1; 2 ])

let () =
  let early = register "early" Type.int in
  User.write early 1; (* not started: no effect *)
  raises "no cursor before the start" failure (fun () -> create_cursor None);
  ok "no path before the start" (Eventring.path () = None);
  start ();
  start ();
  ok "starting twice does no harm" (Eventring.path () <> None);
  let cursor = create_cursor None in
  ok "registered before the start, written after it"
    (collect cursor Type.int value (fun () -> User.write early 2) = [ 2 ]);
  values cursor;
  names ();
  encoders cursor;
  callbacks cursor;
  bounded cursor;
  same_name cursor;
  freeing ();
  independent ();
  print_endline "done"
