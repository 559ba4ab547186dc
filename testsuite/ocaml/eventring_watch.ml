(* Eventring.on_slow.

     eventring_watch          in one process
     eventring_watch fork     in a process and its child *)

open Eventring
open Check

let request = Span.register "request"
let part = Span.register "part"
let ms = 1_000_000

let slow_request () = Span.run request (fun () -> Unix.sleepf 0.03)

(* A watch for slow requests, and the function that polls it and returns the
   durations that it found. *)
let watch_requests () =
  let seen = ref [] in
  let watch = on_slow ["request", 20 * ms] (fun s -> seen := s.duration :: !seen) in
  watch, fun () -> seen := []; Watch.poll watch; List.rev !seen

(* Somebody writes to the first ring of the file. *)
let damage () =
  let fd = Unix.openfile (Option.get (path ())) [O_RDWR] 0 in
  let header = Bytes.create 80 in
  assert (Unix.read fd header 0 80 = 80);
  let rings_offset = Int64.to_int (Bytes.get_int64_ne header 64) in
  let nonsense = Bytes.make 400_000 '\255' in
  ignore (Unix.lseek fd rings_offset SEEK_SET);
  ignore (Unix.write fd nonsense 0 (Bytes.length nonsense));
  Unix.close fd

let damaged () =
  let watch, slow = watch_requests () in
  slow_request ();
  damage ();
  ok "in a damaged ring: nothing is seen, nothing is raised" (slow () = []);
  (* The next blocks are sound. *)
  for _ = 1 to 2000 do Span.run part ignore done;
  let rec polls n = if n > 0 then (ignore (slow ()); polls (n - 1)) in
  polls 10;
  slow_request ();
  ok "behind the damage: the next slow span is seen" (List.length (slow ()) = 1);
  Watch.stop watch;
  let failing = on_slow ["request", 0] (fun _ -> failwith "mine") in
  Span.run request ignore;
  raises "a Failure of the watch's function is passed on" ((=) (Failure "mine"))
    (fun () -> Watch.poll failing);
  Watch.stop failing

let restarted () =
  let watch, slow = watch_requests () in
  slow_request ();
  stop ();
  start ();
  slow_request ();
  ok "stopped and started again: spans of both sessions"
    (List.length (slow ()) = 2);
  slow_request ();
  ok "and the next one" (List.length (slow ()) = 1);
  Span.start request;
  stop ();
  start ();
  Unix.sleepf 0.03;
  Span.finish request;
  ok "a span across the stop is not seen" (slow () = []);
  Span.start request;
  ok "a span that has not ended is not slow yet" (slow () = []);
  Unix.sleepf 0.03;
  Span.finish request;
  stop ();
  ok "stopped: the last spans are seen" (List.length (slow ()) = 1);
  slow_request ();
  ok "stopped: nothing is recorded or raised" (slow () = []);
  start ();
  slow_request ();
  ok "started later: seen again" (List.length (slow ()) = 1);
  stop ();
  Watch.stop watch;
  start ();
  Span.run request ignore;
  ok "ended while nothing was recorded: a poll after its end does nothing"
    (slow () = []);
  let all = ref 0 and self = ref None in
  let ending = on_slow ["request", 0] (fun _ ->
      incr all; Option.iter Watch.stop !self) in
  self := Some ending;
  Span.run request ignore;
  stop ();
  start ();
  Span.run request ignore;
  Watch.poll ending;
  ok "ended by its function: no other session is read" (!all = 1)

let forked () =
  start ();
  let watch, slow = watch_requests () in
  slow_request ();
  let read, write = Unix.pipe () in
  match Unix.fork () with
  | 0 ->
    ignore (Unix.read read (Bytes.create 1) 0 1);
    ok "a child does not see its parent's spans" (slow () = []);
    Span.run request (fun () -> Unix.sleepf 0.1);
    (match slow () with
     | [duration] -> ok "a child sees its own span" (duration >= 100 * ms)
     | _ -> ok "a child sees its own span, once" false);
    Watch.stop watch;
    Unix._exit 0
  | pid ->
    slow_request ();
    ignore (Unix.write_substring write "x" 0 1);
    ok "the child ends well" (Unix.waitpid [] pid = (pid, Unix.WEXITED 0));
    ok "the parent sees its own spans" (List.length (slow ()) = 2);
    Watch.stop watch

(* Requests, with the name of a span. *)
let requests () =
  let kind = Request.register "get" and other = Request.register "put" in
  let before = Request.start kind in
  let seen = ref [] in
  let watch = on_slow ["get", 20 * ms] (fun s -> seen := s :: !seen) in
  let slow () = seen := []; Watch.poll watch; List.rev !seen in
  let numbers () = List.map (fun s -> (s.request :> int)) (slow ()) in
  let quick = Request.start kind and unwatched = Request.start other in
  let first = Request.start kind in
  Request.finish kind quick;
  Request.run_with first (fun () -> Unix.sleepf 0.03);
  Request.finish kind before;
  Request.finish other unwatched;
  ok "requests: quick, open, older and other ones are not seen"
    (numbers () = []);
  let second = Request.start kind in
  let ended = Domain.join (Domain.spawn (fun () ->
      Request.finish kind first;
      (Domain.self () :> int))) in
  (match slow () with
   | [ s ] ->
     ok "requests: a slow one is, with its name and number"
       (s.name = "get" && s.request = first);
     ok "requests: with how long it took, and where it ended"
       (s.duration >= 30 * ms && s.duration < 10_000 * ms && s.domain = ended)
   | other ->
     ok (Printf.sprintf "requests: one, not %d" (List.length other)) false);
  Unix.sleepf 0.03;
  Request.finish kind second;
  ok "requests: the next one, which overlapped it"
    (numbers () = [(second :> int)]);
  Request.finish kind second;
  ok "requests: a second finish is not seen" (numbers () = []);
  (* Many requests that never finish do not hide a later one. *)
  for i = 1 to 70_000 do
    ignore (Request.start kind);
    if i mod 1000 = 0 then ignore (slow ())
  done;
  let last = Request.start kind in
  Unix.sleepf 0.03;
  Request.finish kind last;
  ok "requests: one after 70000 that do not finish"
    (numbers () = [(last :> int)]);
  Watch.stop watch;
  let spans = on_slow ["request", 0]
      (fun s -> ok "a span has no request" (s.request = Request.none)) in
  Span.run request ignore;
  Watch.poll spans;
  Watch.stop spans

let watches () =
  raises "not traced" (function Sys_error _ -> true | _ -> false) (fun () ->
      on_slow [] ignore);
  start ();
  Span.run request (fun () -> Unix.sleepf 0.03);
  let seen = ref [] in
  let watch = on_slow ["request", 20 * ms; "part", 5 * ms]
      (fun s -> seen := s :: !seen) in
  let slow () = seen := []; Watch.poll watch; List.rev !seen in
  let names () = List.map (fun s -> s.name) (slow ()) in
  ok "what was before the watch is not seen" (names () = []);
  for _ = 1 to 100 do Span.run request (fun () -> Span.run part ignore) done;
  ok "quick ones are not seen" (names () = []);
  Span.run request (fun () ->
      Span.run part (fun () -> Unix.sleepf 0.03);
      Span.run part ignore);
  (match slow () with
   | [ inner; outer ] ->
     ok "slow ones are, in the order of their ends"
       (inner.name = "part" && outer.name = "request");
     ok "with how long they took"
       (inner.duration >= 30 * ms && outer.duration >= inner.duration
        && outer.duration < 10_000 * ms);
     ok "with when and where"
       (outer.start <= inner.start && outer.domain = (Domain.self () :> int))
   | other ->
     ok (Printf.sprintf "slow ones are: two, not %d" (List.length other)) false);
  ok "each once" (names () = []);
  Span.run request (fun () ->
      ignore (names ());
      Span.run request (fun () -> Unix.sleepf 0.03));
  ok "one within another of its name, over two polls"
    (names () = ["request"; "request"]);
  let other = Domain.join (Domain.spawn (fun () ->
      Span.run request (fun () -> Unix.sleepf 0.03);
      (Domain.self () :> int))) in
  ok "in another domain"
    (List.map (fun s -> s.domain) (slow ()) = [other]);
  Span.finish request;
  Span.run request (fun () -> Unix.sleepf 0.03);
  ok "after an end without a beginning" (names () = ["request"]);
  (try Span.run request (fun () -> Unix.sleepf 0.03; raise Exit)
   with Exit -> ());
  ok "one that raises" (names () = ["request"]);

  let calls = ref 0 in
  let raising = on_slow ["request", 0] (fun _ -> incr calls; raise Exit) in
  Span.run request ignore;
  Span.run request ignore;
  raises "a function that raises: it comes out" ((=) Exit) (fun () ->
      Watch.poll raising);
  raises "and for the next one" ((=) Exit) (fun () -> Watch.poll raising);
  Watch.poll raising;
  ok "and no more than that" (!calls = 2);
  Watch.stop raising;

  let minor = on_slow ["minor", 0] (fun s ->
      incr calls;
      if s.name <> "minor" then ok "a span of the runtime: its name" false) in
  calls := 0;
  Gc.minor ();
  Watch.poll minor;
  ok "a span of the runtime" (!calls > 0);
  Watch.stop minor;

  let file = "slow.eventring" in
  let saving = on_slow ["part", 5 * ms] (fun _ -> snapshot file) in
  Span.run_with part 77 (fun () -> Unix.sleepf 0.01);
  Watch.poll saving;
  ok "a snapshot when it happens: the span is in it"
    (List.mem "begin part 77" (Recorded.file file));
  Watch.stop saving;
  Watch.stop saving;
  Watch.poll saving;
  ok "a poll after its stop does nothing" true;
  let polls = ref 0 and self = ref None in
  let nested = on_slow ["part", 0] (fun _ ->
      incr polls; Option.iter Watch.poll !self) in
  self := Some nested;
  Span.run part ignore; Span.run part ignore;
  Watch.poll nested;
  ok "a poll within a poll does nothing" (!polls = 2);
  let poll () =
    for _ = 1 to 2000 do Span.run part ignore; Watch.poll nested done in
  let others = List.init 2 (fun _ -> Domain.spawn poll) in
  poll ();
  List.iter Domain.join others;
  let ending = Domain.spawn poll in
  Unix.sleepf 0.001;
  Watch.stop nested;
  Domain.join ending;
  ok "polls in three domains, and a stop meanwhile, raise nothing" true;
  Watch.stop watch;
  let unknown = on_slow ["nobody's", 0] (fun _ -> incr calls) in
  calls := 0;
  let late = Span.register "nobody's" in
  Span.run late ignore;
  Watch.poll unknown;
  ok "a name that is registered later" (!calls = 1);
  Watch.stop unknown;
  requests ();
  damaged ();
  restarted ()

let () =
  (match Sys.argv with
   | [| _; "fork" |] -> forked ()
   | _ -> watches ());
  print_endline "done"
