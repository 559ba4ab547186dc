(* Reading rings with Eventring.Cursor.

     eventring_cursor             all of it, in an empty folder
     eventring_cursor loss        with rings of 512 words
     eventring_cursor write       leaves a file with 2000 samples
     eventring_cursor file FILE EXPECTED     opens a file: "refused" with a
                                  reason, "read" to its end, or "either" *)

open Eventring
open Check

let are = Recorded.are
let mark = Mark.register "mark"
let counter = Counter.register ~unit:"jobs" "counter"
let message = Message.register "message"
let sys_error = function Sys_error why -> String.length why > 20 | _ -> false

(* CLOCK_MONOTONIC, to 10 ms *)
let now () =
  Scanf.Scanning.(
    let ic = open_in "/proc/uptime" in
    let s = Scanf.bscanf ic "%f" Fun.id in
    close_in ic;
    int_of_float (s *. 1e9))

let nothing = Cursor.callbacks ()

(* Returns the values of [counter] in the events that [cursor] has not passed *)
let samples ?max cursor =
  let seen = ref [] in
  let counter c =
    if Cursor.name c = "counter" then seen := Cursor.value c :: !seen in
  ignore (Cursor.poll ?max cursor (Cursor.callbacks ~counter ()));
  List.rev !seen

let sources () =
  raises "no such process" sys_error (fun () ->
      Cursor.create (Process { pid = 999_999_999; dir = None }));
  raises "no such process in a directory" sys_error (fun () ->
      Cursor.create (Process { pid = 1; dir = Some "." }));
  raises "no process has this id" sys_error (fun () ->
      Cursor.create (Process { pid = -1; dir = None }));
  raises "no such file" sys_error (fun () -> Cursor.create (File "none"));
  raises "a directory" sys_error (fun () -> Cursor.create (File "."));
  raises "a file with a NUL in its name" invalid (fun () ->
      Cursor.create (File "a\000b"));
  let file = Option.get (path ()) and pid = Unix.getpid () in
  List.iter (fun (name, source) ->
      let cursor = Cursor.create source in
      Counter.sample counter pid;
      ok (name ^ ": its events") (List.mem pid (samples cursor));
      ok (name ^ ": it is running") (Cursor.state cursor = Running);
      Cursor.close cursor)
    [ "this process", Self; "its file", Cursor.File file;
      "its id", Process { pid; dir = None };
      "its id in a directory", Process { pid; dir = Some "." } ];
  Counter.sample counter 1;
  let now = Cursor.create ~from_now:true Self in
  let oldest = Cursor.create ~from_now:false Self in
  Counter.sample counter 2;
  ok "from now" (samples now = [2]);
  ok "from the oldest" (List.mem 1 (samples oldest));
  Cursor.close now;
  Cursor.close oldest

let accessors cursor =
  ignore (Recorded.rest cursor);
  let before = now () in
  Counter.sample counter (-5);
  Message.emit message "text";
  let after = now () in
  let check c =
    ok "the time" (before - 100_000_000 <= Cursor.time c
                   && Cursor.time c <= after + 100_000_000);
    ok "the domain" (Cursor.domain c = (Domain.self () :> int));
    ok "the thread" (Cursor.thread c = Unix.getpid ());
    ok "the thread is none of the threads library" (Cursor.thread_id c = -1);
    ok "the domain has no name" (Cursor.domain_name c = "");
    ok "its integers have no names" (Cursor.fields c = []);
    raises "nor has one of them" ((=) Not_found) (fun () ->
        Cursor.field c "counter");
    ok "the ring" (Cursor.ring c = 0);
    ok "an id of the program's" (Cursor.id c >= 1024) in
  let counter c =
    if Cursor.name c = "counter" then begin
      check c;
      ok "the unit" (Cursor.unit c = "jobs");
      ok "the value" (Cursor.value c = -5 && Cursor.words c = 1
                      && Cursor.argument c 0 = -5);
      List.iter (fun n ->
          raises (Printf.sprintf "argument %d" n) invalid (fun () ->
              Cursor.argument c n)) [ 1; -1; max_int; min_int ];
      raises "a counter has no text" invalid (fun () -> Cursor.text c)
    end in
  let instant c =
    if Cursor.name c = "message" then begin
      check c;
      ok "the text" (Cursor.text c = "text" && Cursor.unit c = "");
    end in
  ignore (Cursor.poll cursor (Cursor.callbacks ~counter ~instant ()));
  (* Outside of callbacks these functions mean nothing, and do no harm. *)
  let odd c =
    ignore (Sys.opaque_identity
        (Cursor.time c, Cursor.domain c, Cursor.thread c, Cursor.ring c,
         Cursor.id c, Cursor.name c, Cursor.unit c, Cursor.value c,
         Cursor.words c));
    (try ignore (Cursor.text c) with Invalid_argument _ -> ());
    for i = -2 to 300 do
      try ignore (Cursor.argument c i) with Invalid_argument _ -> ()
    done in
  odd cursor;
  let fresh = Cursor.create Self in
  odd fresh;
  ignore (Recorded.rest fresh);
  odd fresh;
  Cursor.close fresh;
  odd fresh;
  ok "outside of callbacks: no harm" true

let merged cursor =
  ignore (Recorded.rest cursor);
  let each = 3000 in
  let write first () = for i = first to first + each - 1 do
      Counter.sample counter i; if i land 63 = 0 then Domain.cpu_relax () done in
  let domains = List.init 3 (fun d -> Domain.spawn (write (d * 10_000))) in
  List.iter Domain.join domains;
  let last = ref 0 and ordered = ref true and n = ref 0 in
  let by_domain = Hashtbl.create 8 in
  (* The order is the order of the processors' counter; the same instant of it
     may be a few nanoseconds apart in two rings, when the reader has measured
     the counter anew between their blocks. *)
  let note c =
    if Cursor.time c + 1000 < !last then begin
      Printf.printf "# %s of domain %d: %d ns before the one before it\n"
        (Cursor.name c) (Cursor.domain c) (!last - Cursor.time c);
      ordered := false
    end;
    last := Cursor.time c in
  let sampled c =
    note c;
    if Cursor.name c = "counter" then begin
      incr n;
      Hashtbl.replace by_domain (Cursor.domain c, Cursor.value c / 10_000) ()
    end in
  let callbacks = Cursor.callbacks ~span_start:note ~span_finish:note
      ~counter:sampled ~instant:note () in
  while Cursor.poll cursor callbacks > 0 do () done;
  ok "three domains: every event" (!n = 3 * each);
  ok "three domains: in the order of time" !ordered;
  ok "three domains: each by its own id" (Hashtbl.length by_domain = 3)

let several () =
  let cursors = List.init 4 (fun _ -> Cursor.create ~from_now:true Self) in
  let values = List.init 500 Fun.id in
  List.iter (Counter.sample counter) values;
  let domains =
    List.map (fun c -> Domain.spawn (fun () -> samples c)) (List.tl cursors) in
  let mine = samples (List.hd cursors) in
  ok "four cursors in four domains read the same"
    (mine = values && List.for_all (fun d -> Domain.join d = values) domains);
  List.iter Cursor.close cursors;
  for _ = 1 to 300 do ignore (Cursor.create Self) done;
  Gc.full_major ();
  ok "cursors that nobody closed are collected"
    (Array.length (Sys.readdir "/proc/self/fd") < 100)

let bounded cursor =
  ignore (Recorded.rest cursor);
  for i = 1 to 10 do Counter.sample counter i done;
  ok "at most none" (samples ~max:0 cursor = []);
  ok "at most -1" (samples ~max:(-1) cursor = []);
  ok "at most 4" (samples ~max:4 cursor = [1; 2; 3; 4]);
  ok "and the rest" (samples cursor = [5; 6; 7; 8; 9; 10]);
  Counter.sample counter 1;
  ok "how many" (Cursor.poll ~max:1 cursor nothing = 1)

let callbacks cursor =
  ignore (Recorded.rest cursor);
  for i = 1 to 9 do Counter.sample counter i done;
  let seen = ref [] and raised = ref 0 in
  let raising c =
    if Cursor.name c = "counter" then begin
      seen := Cursor.value c :: !seen;
      if Cursor.value c mod 3 = 0 then raise Exit
    end in
  for _ = 1 to 5 do
    match Cursor.poll cursor (Cursor.callbacks ~counter:raising ()) with
    | _ -> ()
    | exception Exit -> incr raised
  done;
  ok "a callback that raises: each event once, in order"
    (List.rev !seen = List.init 9 succ && !raised = 3);

  let polled = ref 0 in
  let polling c =
    if Cursor.name c = "counter" then begin
      incr polled;
      raises "a poll in a callback" invalid (fun () -> Cursor.poll c nothing)
    end in
  Counter.sample counter 1;
  Counter.sample counter 2;
  ignore (Cursor.poll cursor (Cursor.callbacks ~counter:polling ()));
  ok "which does not disturb the poll around it" (!polled = 2);

  let made = ref 0 in
  let writing c =
    if Cursor.name c = "counter" then begin
      incr made;
      if !made < 20_000 then Counter.sample counter !made;
      Unix.sleepf 0.0001
    end in
  Counter.sample counter 1;
  ignore (Cursor.poll cursor (Cursor.callbacks ~counter:writing ()));
  ok "a callback that writes what it reads: the poll ends" (!made < 10_000);
  ignore (Recorded.rest cursor);

  let total = ref 0 in
  let collecting c =
    Gc.compact ();
    if Cursor.name c = "counter" then total := !total + Cursor.value c in
  for i = 1 to 20 do Counter.sample counter i done;
  ignore (Cursor.poll cursor (Cursor.callbacks ~counter:collecting ()));
  ok "a callback that collects garbage" (!total = 210)

let two_domains () =
  let cursor = Cursor.create ~from_now:true Self in
  let inside = Atomic.make false and leave = Atomic.make false in
  Mark.emit mark;
  let instant _ =
    Atomic.set inside true;
    while not (Atomic.get leave) do Domain.cpu_relax () done in
  let other = Domain.spawn (fun () ->
      Cursor.poll ~max:1 cursor (Cursor.callbacks ~instant ())) in
  while not (Atomic.get inside) do Domain.cpu_relax () done;
  raises "polled by another domain" invalid (fun () ->
      Cursor.poll cursor nothing);
  Atomic.set leave true;
  ok "whose poll is good" (Domain.join other = 1);
  ok "and so is the next one here" (Cursor.poll cursor nothing >= 0);
  Cursor.close cursor;
  (* At full rate: each poll is good or refused. *)
  let cursor = Cursor.create Self in
  let polls () =
    for _ = 1 to 2000 do
      Mark.emit mark;
      match Cursor.poll cursor nothing with
      | _ -> ()
      | exception Invalid_argument _ -> ()
    done in
  let domains = List.init 3 (fun _ -> Domain.spawn polls) in
  polls ();
  List.iter Domain.join domains;
  ok "polled by four domains at full rate" (Cursor.poll cursor nothing >= 0);
  let poller = Domain.spawn (fun () ->
      match while true do ignore (Cursor.poll cursor nothing) done with
      | () -> false
      | exception Invalid_argument _ -> true) in
  Unix.sleepf 0.01;
  Cursor.close cursor;
  ok "closed while another domain polls" (Domain.join poller)

let closing () =
  let cursor = Cursor.create ~from_now:true Self in
  let calls = ref 0 in
  let instant c =
    incr calls;
    Cursor.close c;
    ok "closed in a callback: the event is still there"
      (Cursor.name c = "message" && Cursor.text c = "last");
    raises "closed in a callback: state" invalid (fun () -> Cursor.state c) in
  Message.emit message "last";
  Message.emit message "never seen";
  ok "closed in a callback: the poll ends"
    (Cursor.poll cursor (Cursor.callbacks ~instant ()) = 1 && !calls = 1);
  raises "polled after close" invalid (fun () -> Cursor.poll cursor nothing);
  raises "state after close" invalid (fun () -> Cursor.state cursor);
  Cursor.close cursor;
  ok "closing twice does no harm" true

let allocation cursor =
  let hold = 20_000 in
  let sum = ref 0 in
  let look c =
    sum := !sum + Cursor.time c + Cursor.domain c + Cursor.value c
           + String.length (Cursor.name c) in
  let callbacks = Cursor.callbacks ~counter:look () in
  let round () =
    for i = 1 to hold do Counter.sample counter i done;
    let before = Gc.minor_words () in
    let n = Cursor.poll cursor callbacks in
    n, Gc.minor_words () -. before in
  ignore (round ());
  let n, words = round () in
  Printf.printf "# %d events, %.0f words\n" n words;
  ok "nothing is allocated for an event"
    (n >= hold && (words < 200. || Sys.backend_type <> Native))

let loss () =
  start ();
  let cursor = Cursor.create ~from_now:true Self in
  let total = 100_000 in
  for i = 1 to total do Counter.sample counter i done;
  let lost = ref 0 and seen = ref [] in
  let callbacks = Cursor.callbacks
      ~lost:(fun c ->
          ok "a loss has no name" (Cursor.name c = "");
          lost := !lost + Cursor.value c)
      ~counter:(fun c ->
          if Cursor.name c = "counter" then seen := Cursor.value c :: !seen) ()
  in
  let passed = Cursor.poll cursor callbacks in
  Printf.printf "# %d passed, %d lost\n" passed !lost;
  ok "every event is read or counted as lost"
    (!lost > 0 && !lost + passed >= total);
  let n = List.length !seen in
  ok "what is read are the last ones"
    (n > 0 && List.rev !seen = List.init n (fun i -> total - n + 1 + i))

let file path expected =
  match Cursor.create (File path) with
  | exception (Sys_error why as e) ->
    Printf.printf "# %s\n" why;
    ok (path ^ ": refused in words") (sys_error e && expected <> "read")
  | cursor ->
    let n = ref 0 in
    let seen c =
      incr n;
      ignore (Cursor.name c, Cursor.unit c, Cursor.value c, Cursor.time c,
              Cursor.fields c, Cursor.domain_name c, Cursor.thread_name c);
      for i = 0 to Cursor.words c - 1 do ignore (Cursor.argument c i) done;
      try ignore (Cursor.text c) with Invalid_argument _ -> () in
    let callbacks = Cursor.callbacks ~span_start:seen ~span_finish:seen
        ~counter:seen ~instant:seen ~complete:seen ~lost:seen () in
    let rec all tries =
      if tries > 0 then
        match Cursor.poll cursor callbacks with
        | 0 -> ()
        | _ -> all (tries - 1)
        | exception Failure _ -> all (tries - 1) in
    all 1000;
    Printf.printf "# %d events\n" !n;
    ok (path ^ ": read to its end")
      (expected = "either" || expected = "read" && !n > 1000);
    ok (path ^ ": its process has ended") (Cursor.state cursor <> Running)

let () =
  (match Sys.argv with
   | [| _; "loss" |] -> loss ()
   | [| _; "file"; path; expected |] -> file path expected
   | [| _; "write" |] ->
     start ();
     for i = 1 to 2000 do Counter.sample counter i done
   | _ ->
     raises "this process, not traced" sys_error (fun () -> Cursor.create Self);
     start ();
     sources ();
     let cursor = Cursor.create Self in
     accessors cursor;
     merged cursor;
     several ();
     bounded cursor;
     callbacks cursor;
     allocation cursor;
     two_domains ();
     closing ());
  print_endline "done"
