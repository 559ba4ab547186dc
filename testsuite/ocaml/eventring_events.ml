(* Events of the program through Eventring: registering and writing.

     eventring_events             all of it, in an empty folder
     eventring_events names       32768 names and one too many
     eventring_events forks       writes in a child
     eventring_events exits       writes in at_exit *)

open Eventring
open Check

let are = Recorded.are
let span = Span.register "span"
let counter = Counter.register "counter"
let bytes = Counter.register ~unit:"bytes" "heap"
let mark = Mark.register "mark"
let message = Message.register "message"
let flow = Flow.register "flow"
let list =
  Custom.register "list"
    ~encode:(fun b l -> List.iteri (fun i n -> Bytes.set_uint8 b i n) l;
              List.length l)
    ~decode:(fun b n -> List.init n (Bytes.get_uint8 b))

let at_the_top = 7        (* so many names above *)

let integers =
  [ 0; 1; -1; max_int; min_int; 1 lsl 31; 1 lsl 32; -1 lsl 31; 1 lsl 61;
    0x1234_5678_9abc_def ]

let values cursor =
  let by = Recorded.by cursor in
  are "a span" (by (fun () -> Span.start span; Span.finish span))
    ["begin span"; "end span"];
  are "a span with an integer"
    (by (fun () -> Span.start_with span (-7); Span.finish span))
    ["begin span -7"; "end span"];
  are "a counter keeps 63 bits"
    (by (fun () -> List.iter (Counter.sample counter) integers))
    (List.map (Printf.sprintf "counter counter %d") integers);
  are "so does a span"
    (by (fun () -> List.iter (Span.start_with span) integers))
    (List.map (Printf.sprintf "begin span %d") integers);
  are "so does a flow"
    (by (fun () -> List.iter (Flow.step flow) integers))
    (List.map (Printf.sprintf "step flow %d") integers);
  are "a counter with a unit" (by (fun () -> Counter.sample bytes 8))
    ["counter heap 8 bytes"];
  are "a mark" (by (fun () -> Mark.emit mark)) ["instant mark"];
  are "a flow"
    (by (fun () -> Flow.start flow 3; Flow.step flow 3; Flow.finish flow 3))
    ["start flow 3"; "step flow 3"; "finish flow 3"];
  are "a message" (by (fun () -> Message.emit message "hello"))
    [{|instant message "hello"|}];
  ok "the longest message has 1024 bytes"
    (Message.max_length = 1024 && Custom.max_length = 1024);
  let texts =
    List.init 1025 (fun n ->
        String.init n (fun i -> Char.chr ((i * n) land 255))) in
  are "a message of each length, of any bytes"
    (by (fun () -> List.iter (Message.emit message) texts))
    (List.map (Printf.sprintf "instant message %S") texts);
  let long = String.init 5000 (fun i -> Char.chr (i land 255)) in
  are "a message is cut to its first 1024 bytes"
    (by (fun () -> Message.emit message (String.sub long 0 1025);
          Message.emit message long))
    (List.init 2 (fun _ ->
         Printf.sprintf "instant message %S" (String.sub long 0 1024)));
  let decoded = ref [] in
  let decode c =
    (* The runtime's own instants come here too. *)
    if Cursor.name c = "list" then
      decoded := Custom.decode list (Cursor.text c) :: !decoded in
  let lists = [ []; [1; 2; 3]; List.init 1024 (fun i -> i land 255) ] in
  List.iter (Custom.emit list) lists;
  ignore (Cursor.poll cursor (Cursor.callbacks ~instant:decode ()));
  ok "a custom value, encoded and decoded" (List.rev !decoded = lists)

let runs cursor =
  let by = Recorded.by cursor in
  let inner = Span.register "inner" in
  are "run is a span around its result"
    (by (fun () ->
         ok "run: the result" (Span.run span (fun () -> Mark.emit mark; 42) = 42)))
    ["begin span"; "instant mark"; "end span"];
  are "run_with too"
    (by (fun () ->
         ok "run_with: the result" (Span.run_with span 5 (fun () -> "x") = "x")))
    ["begin span 5"; "end span"];
  are "spans nest, also in themselves"
    (by (fun () ->
         Span.run span (fun () -> Span.run span (fun () ->
             Span.run_with inner 1 ignore))))
    ["begin span"; "begin span"; "begin inner 1"; "end inner"; "end span";
     "end span"];
  are "a function that raises ends its spans"
    (by (fun () ->
         raises "and its exception comes out" ((=) Exit) (fun () ->
             Span.run span (fun () -> Span.run_with inner 2 (fun () ->
                 raise Exit)))))
    ["begin span"; "begin inner 2"; "end inner"; "end span"];
  are "started while paused inside: only what is recorded is there"
    (by (fun () -> Span.run span (fun () -> pause ()); resume ()))
    ["begin span"]

let same cursor =
  let ids = Hashtbl.create 16 in
  let note c = Hashtbl.replace ids (Cursor.name c, Cursor.id c) () in
  let all = Cursor.callbacks ~span_start:note ~counter:note ~instant:note
      ~flow_start:note () in
  Span.start (Span.register "span");
  Counter.sample (Counter.register "counter") 1;
  Counter.sample (Counter.register ~unit:"bytes" "heap") 1;
  Mark.emit (Mark.register "mark");
  Message.emit (Message.register "message") "";
  Flow.start (Flow.register "flow") 1;
  Span.start span; Counter.sample counter 1; Counter.sample bytes 1;
  Mark.emit mark; Message.emit message ""; Flow.start flow 1;
  ignore (Cursor.poll cursor all);
  List.iter (fun name ->
      ok (Printf.sprintf "%s: one event, however often registered" name)
        (Hashtbl.fold (fun (n, _) () k -> if n = name then k + 1 else k) ids 0
         = 1))
    ["span"; "counter"; "heap"; "mark"; "message"; "flow"];

  let register = [
    "span", (fun name -> ignore (Span.register name));
    "counter", (fun name -> ignore (Counter.register name));
    "heap", (fun name -> ignore (Counter.register ~unit:"bytes" name));
    "mark", (fun name -> ignore (Mark.register name));
    "message", (fun name -> ignore (Message.register name));
    "flow", (fun name -> ignore (Flow.register name)) ] in
  List.iter (fun (kind, register_this) ->
      List.iter (fun (name, _) ->
          if name <> kind then
            raises (Printf.sprintf "the name of a %s for a %s" name kind)
              invalid (fun () -> register_this name))
        register)
    register;
  (* From all domains at once *)
  let race () = List.init 500 (fun i -> Mark.register (string_of_int i)) in
  let domains = List.init 3 (fun _ -> Domain.spawn race) in
  let mine = race () in
  ok "four domains that register the same names get the same events"
    (List.for_all (fun d -> Domain.join d = mine) domains)

let names () =
  let refused name register = raises name invalid register in
  List.iter (fun (kind, register) ->
      refused (kind ^ ": an empty name") (fun () -> register "");
      refused (kind ^ ": 128 bytes") (fun () -> register (String.make 128 'n'));
      refused (kind ^ ": a megabyte") (fun () ->
          register (String.make 1_000_000 'n'));
      refused (kind ^ ": a NUL in it") (fun () -> register "a\000b");
      refused (kind ^ ": a NUL at its end") (fun () -> register "a\000");
      register (String.make 120 'n' ^ kind);
      register ("na\xc3\xafve \xff\n\"" ^ kind ^ "\""))
    [ "span", (fun n -> ignore (Span.register n));
      "counter", (fun n -> ignore (Counter.register n));
      "mark", (fun n -> ignore (Mark.register n));
      "message", (fun n -> ignore (Message.register n));
      "flow", (fun n -> ignore (Flow.register n));
      "custom", (fun n -> ignore (Custom.register n
          ~encode:(fun _ () -> 0) ~decode:(fun _ _ -> ()))) ];
  ignore (Counter.register ~unit:(String.make 15 'u') "unit of 15");
  refused "a unit of 16 bytes" (fun () ->
      Counter.register ~unit:(String.make 16 'u') "unit of 16");
  refused "a unit with a NUL" (fun () ->
      Counter.register ~unit:"a\000" "unit with a NUL")

let any_bytes cursor =
  let name = String.init 127 (fun i -> Char.chr (i + 129)) in
  are "a name of 127 bytes, of any but NUL"
    (Recorded.by cursor (fun () -> Mark.emit (Mark.register name)))
    ["instant " ^ name]

let encoders cursor =
  let by = Recorded.by cursor in
  let custom name encode =
    Custom.register name ~encode ~decode:(fun _ _ -> assert false) in
  let length = custom "length" (fun _ n -> n) in
  are "nothing is written by encoders that fail"
    (by (fun () ->
         List.iter (fun n ->
             raises (Printf.sprintf "an encoder that returns %d" n) invalid
               (fun () -> Custom.emit length n))
           [ -1; 1025; 4096; max_int; min_int; 1 lsl 32; 1 lsl 60 ];
         raises "an encoder that raises" ((=) Exit) (fun () ->
             Custom.emit (custom "raising" (fun _ () -> raise Exit)) ());
         raises "an encoder that goes over its buffer" invalid (fun () ->
             Custom.emit (custom "over" (fun b () ->
                 Bytes.fill b 0 1025 'x'; 0)) ())))
    [];
  are "an encoder that writes, pauses and compacts"
    (by (fun () ->
         Custom.emit (custom "busy" (fun b () ->
             Custom.emit length 0; Mark.emit mark; Gc.compact ();
             pause (); resume (); Bytes.set b 0 'y'; 1)) ()))
    [{|instant length ""|}; "instant mark"; {|instant busy "y"|}];
  are "an encoder that leaves tracing paused: its event is not written"
    (by (fun () ->
         Custom.emit (custom "pausing" (fun _ () -> pause (); 0)) ();
         resume ()))
    [];
  let calls = ref 0 in
  let counted = custom "counted" (fun _ () -> incr calls; 0) in
  pause ();
  Custom.emit counted ();
  resume ();
  ok "an encoder is not called while paused" (!calls = 0);
  let again = Custom.register "length"
      ~encode:(fun b s -> Bytes.blit_string s 0 b 0 (String.length s);
                String.length s)
      ~decode:(fun b n -> Bytes.sub_string b 0 n) in
  are "registered again, with other functions"
    (by (fun () -> Custom.emit again "other"; Custom.emit length 0))
    [{|instant length "other"|}; {|instant length ""|}];
  ok "and these decode" (Custom.decode again "other" = "other")

(* Writing from odd places *)

let write_all () =
  Span.start span; Span.start_with span 1; Span.finish span;
  Span.run span ignore; Span.run_with span 1 ignore;
  Counter.sample counter 1; Mark.emit mark; Message.emit message "text";
  Flow.start flow 1; Flow.step flow 1; Flow.finish flow 1;
  Custom.emit list [1]

let places cursor =
  let by = Recorded.by cursor in
  are "while paused" (by (fun () -> pause (); write_all (); resume ())) [];
  are "without the category"
    (by (fun () -> set_categories [Gc]; write_all ();
          set_categories [Gc; User])) [];
  are "in a finaliser"
    (by (fun () ->
         Gc.finalise (fun _ -> Span.run span (fun () -> Gc.minor ()))
           (Sys.opaque_identity (ref 0));
         Gc.finalise_last (fun () -> Mark.emit mark)
           (Sys.opaque_identity (ref 0));
         Gc.full_major (); Gc.full_major ())
     |> List.sort compare)
    ["begin span"; "end span"; "instant mark"];
  are "registered in a finaliser"
    (by (fun () ->
         Gc.finalise (fun _ -> Mark.emit (Mark.register "in a finaliser"))
           (Sys.opaque_identity (ref 0));
         Gc.full_major ()))
    ["instant in a finaliser"];
  are "in a signal handler"
    (by (fun () ->
         let old = Sys.signal Sys.sigusr1
             (Signal_handle (fun _ -> Span.run_with span 9 (fun () ->
                  Mark.emit (Mark.register "in a handler")))) in
         Unix.kill (Unix.getpid ()) Sys.sigusr1;
         Unix.sleepf 0.001;
         Sys.set_signal Sys.sigusr1 old))
    ["begin span 9"; "instant in a handler"; "end span"];
  let storm = ref 0 in
  let lines = by (fun () ->
      let old = Sys.signal Sys.sigalrm
          (Signal_handle (fun _ -> incr storm; Counter.sample counter !storm))
      in
      let every = { Unix.it_interval = 0.0005; it_value = 0.0005 } in
      ignore (Unix.setitimer ITIMER_REAL every);
      while !storm < 100 do
        Span.run span (fun () -> ignore (Sys.opaque_identity (ref 0)))
      done;
      ignore (Unix.setitimer ITIMER_REAL
                { it_interval = 0.; it_value = 0. });
      Sys.set_signal Sys.sigalrm old) in
  ok "a hundred signals amid spans: every sample is there or counted as lost"
    (let samples = List.filter (fun l -> l.[0] = 'c') lines in
     samples <> [] && List.length samples <= !storm);
  are "of a domain that ended, by the one that joined it"
    (by (fun () ->
         let theirs = Domain.join (Domain.spawn (fun () ->
             let m = Mark.register "theirs" in Mark.emit m; m)) in
         Mark.emit theirs))
    ["instant theirs"; "instant theirs"];
  are "in threads"
    (by (fun () ->
         List.iter Thread.join
           (List.init 4 (fun _ -> Thread.create Mark.emit mark))))
    (List.init 4 (fun _ -> "instant mark"))

let child cursor =
  let here = Sys.getcwd () in
  are "a forked child does not write to its parent's rings"
    (Recorded.by cursor (fun () ->
         match Unix.fork () with
         | 0 ->
           let mine = Cursor.create Self in
           write_all ();
           let n = List.length (Recorded.rest mine) in
           let other = path () <> None
                       && path () = Some (Filename.concat here
                            (string_of_int (Unix.getpid ()) ^ ".eventring")) in
           Unix._exit (if n = 14 && other then 0 else n + 1)
         | pid ->
           let status = snd (Unix.waitpid [] pid) in
           (match status with
            | WEXITED n -> Printf.printf "# child: %d\n%!" n
            | _ -> ());
           ok "a forked child writes to its own" (status = WEXITED 0)))
    []

(* Allocation: native code only, where integers have no boxes. *)
let allocation when_ =
  let million name f =
    f ();
    let before = Gc.minor_words () in
    for _ = 1 to 1_000_000 do f () done;
    let words = Gc.minor_words () -. before in
    if words > 100. then Printf.printf "# %.0f words\n" words;
    ok (Printf.sprintf "%s, %s: nothing is allocated" name when_)
      (words <= 100. || Sys.backend_type <> Native) in
  million "spans" (fun () -> Span.start span; Span.finish span);
  million "spans with an integer" (fun () -> Span.start_with span 7;
                                    Span.finish span);
  million "samples" (fun () -> Counter.sample counter 7);
  million "marks" (fun () -> Mark.emit mark);
  million "flows" (fun () -> Flow.start flow 7; Flow.step flow 7;
                    Flow.finish flow 7);
  million "messages" (fun () -> Message.emit message "text")

type Runtime_events.User.tag += Nothing

let thousands () =
  start ();
  let marks = ref [] and n = ref 0 in
  (try
     while !n < 40_000 do
       if !n = 5 then
         ignore (Runtime_events.User.register "theirs"
                   Nothing Runtime_events.Type.unit)
       else marks := Mark.register (Printf.sprintf "name %d" !n) :: !marks;
       incr n
     done
   with Invalid_argument why -> Printf.printf "# %s\n" why);
  Printf.printf "# %d names\n" !n;
  let last = 32_768 - at_the_top - 1 in
  ok "32768 names, those of Runtime_events among them" (!n = last + 1);
  raises "another one" invalid (fun () -> Span.register "one more");
  raises "another one of Runtime_events" invalid (fun () ->
      Runtime_events.User.register "one more" Nothing Runtime_events.Type.unit);
  ok "one that is there is found"
    (Mark.register (Printf.sprintf "name %d" last) = List.hd !marks
     && Mark.register "name 0" = List.nth !marks (last - 1));
  let cursor = Cursor.create Self in
  are "and all can be written"
    (Recorded.by cursor (fun () -> List.iter Mark.emit (List.rev !marks)))
    (List.filter_map (fun i ->
         if i = 5 then None else Some (Printf.sprintf "instant name %d" i))
        (List.init (last + 1) Fun.id));
  let file = Option.get (path ()) in
  stop ();
  start ();
  let cursor = Cursor.create Self in
  are "also in the next file"
    (Recorded.by cursor (fun () -> Mark.emit (List.hd !marks)))
    [Printf.sprintf "instant name %d" last];
  ok "which has the same name" (path () = Some file)

let () =
  match Sys.argv with
  | [| _; "exits" |] ->
    start ();
    let late = Mark.register "late" in
    at_exit (fun () -> Mark.emit late; Span.run span (fun () -> ()));
    at_exit (fun () -> Mark.emit (Mark.register "registered late"))
  | [| _; "names" |] ->
    thousands ();
    print_endline "done"
  | [| _; "forks" |] ->
    start ();
    child (Cursor.create Self);
    print_endline "done"
  | _ ->
    write_all ();
    ok "written before the start: no effect" true;
    allocation "before the start";
    let early = Mark.register "early" in
    names ();
    start ();
    allocation "recorded";
    let cursor = Cursor.create Self in
    are "registered before the start, written after it"
      (Recorded.by cursor (fun () -> Mark.emit early)) ["instant early"];
    values cursor;
    runs cursor;
    same cursor;
    names ();
    any_bytes cursor;
    encoders cursor;
    places cursor;
    pause ();
    allocation "paused";
    resume ();
    set_categories [Gc];
    allocation "without the category";
    stop ();
    allocation "after the stop";
    print_endline "done"
