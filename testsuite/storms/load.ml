(* Everything at once, in rounds, until the answer to a round is "end".

     load domains    domains that work and domains that come and go, threads,
                     cursors, snapshots, other programs
     load forks      one domain with threads, which forks

   After each round all else waits, the heap is compacted, and a line
   "quiet BYTES DOMAINS" tells the bytes in use in the C heap and the number of
   domains that have ended.  The answer is "go", "held" for a round without
   numbers, in which tracing may be paused, or "end".  Then lines
   "written WORKER NUMBERS" tell the samples that must be in the trace: the
   counter number.W has had each value from 1 on once.

   LOAD_LEAK plants a leak that the watch must see. *)

external heap_bytes : unit -> int = "load_heap_bytes"
external lose_bytes : int -> unit = "load_lose_bytes"
external lose_pages : unit -> unit = "load_lose_pages"
external raw_fork : unit -> int = "load_raw_fork"

let leaks what = Sys.getenv_opt "LOAD_LEAK" = Some what

let ignore_int (_ : int) = ()
let allocate n = ignore (Sys.opaque_identity (List.init n string_of_int))
let allocate_major () = ignore (Sys.opaque_identity (Bytes.create 20_000))

(* Numbers *)

type numbers =
  { name : string; event : Eventring.Counter.t; last : int Atomic.t }

let numbers name =
  { name; event = Eventring.Counter.register ("number." ^ name);
    last = Atomic.make 0 }

let counting = Atomic.make true

let count w =
  if Atomic.get counting then begin
    let n = 1 + Atomic.fetch_and_add w.last 1 in
    if not (leaks "number" && n mod 1000 = 0) then
      Eventring.Counter.sample w.event n
  end

(* Workers that run all the time, and wait while it is quiet *)

let lock = Mutex.create ()
let changed = Condition.create ()
let working = ref true and ended = ref false and parked = ref 0

let park () =
  Mutex.protect lock (fun () ->
    incr parked;
    Condition.broadcast changed;
    while not !working do Condition.wait changed lock done;
    decr parked)

let span = Eventring.Span.register "work"
let message = Eventring.Message.register "message"
let flow = Eventring.Flow.register "flow"
let custom = Eventring.Custom.register "custom"
    ~encode:(fun b s -> Bytes.blit_string s 0 b 0 4; 4)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)

(* Uses tables that the runtime allocates for a domain on their first use. *)
let get_tables () =
  let old = Sys.opaque_identity (Array.make 1000 []) in
  old.(0) <- [Sys.opaque_identity (ref 0)];
  ignore (Sys.opaque_identity (Mutex.create ()))

let work w =
  get_tables ();
  let i = ref 0 in
  while not !ended do
    if not !working then park ();
    incr i;
    Eventring.Span.run_with span !i (fun () ->
      for _ = 1 to 5 do count w done;
      allocate 200;
      if !i mod 5 = 0 then allocate_major ();
      Eventring.Message.emit message "what a worker says";
      Eventring.Flow.start flow !i;
      Eventring.Flow.finish flow !i;
      Eventring.Custom.emit custom "four");
    Unix.sleepf 0.002
  done

let domains_ended = ref 0

let quiet workers =
  Mutex.protect lock (fun () ->
    working := false;
    while !parked < workers do Condition.wait changed lock done);
  Gc.compact ();
  Printf.printf "quiet %d %d\n%!" (heap_bytes ()) !domains_ended;
  let answer = read_line () in
  Atomic.set counting (answer = "go");
  Mutex.protect lock (fun () ->
    ended := answer = "end";
    working := true;
    Condition.broadcast changed);
  not !ended

(* Domains, threads and programs that begin and end *)

let spawned = numbers "spawned"

let domain k =
  incr domains_ended;
  Domain.spawn (fun () ->
    Eventring.set_domain_name (Printf.sprintf "spawned %d" k);
    count spawned;
    allocate 500;
    if leaks "domain" then lose_bytes 100)

let threads () =
  let m = Mutex.create () and c = Condition.create () and turn = ref 0 in
  let one i = Thread.create (fun () ->
    Eventring.set_thread_name (Printf.sprintf "turn %d" i);
    Mutex.protect m (fun () ->
      while !turn <> i do Condition.wait c m done;
      incr turn;
      Condition.broadcast c)) () in
  List.iter Thread.join (List.init 4 one)

let late_events round =
  let name kind = Printf.sprintf "%s %d" kind (round mod 4) in
  Eventring.Mark.emit (Eventring.Mark.register (name "late mark"));
  Eventring.Span.run (Eventring.Span.register (name "late span")) ignore

let cursors () =
  let events = Eventring.Cursor.callbacks
      ~counter:(fun c -> ignore_int (Eventring.Cursor.value c))
      ~complete:(fun c -> ignore (Eventring.Cursor.fields c)) () in
  let c = Eventring.Cursor.create Self in
  ignore_int (Eventring.Cursor.poll ~max:2000 c events);
  Eventring.Cursor.close c;
  let watch = Eventring.on_slow ["minor", 1_000_000_000] ignore in
  Eventring.Watch.poll watch;
  Eventring.Watch.stop watch;
  (* Refused, when others have changed the categories meanwhile. *)
  let before = Eventring.categories () in
  Eventring.(set_categories
               [Gc; Gc_detail; Domain; Sync; User; Alloc; Sync_detail; Wait;
                Thread; Runtime]);
  (match Runtime_events.create_cursor None with
   | exception Failure _ -> ()
   | c ->
     ignore_int (Runtime_events.read_poll c
                   (Runtime_events.Callbacks.create ()) (Some 2000));
     Runtime_events.free_cursor c);
  Eventring.set_categories before;
  if leaks "mapping" then lose_pages ()

let rec reap pid =
  try ignore (Unix.waitpid [] pid)
  with Unix.Unix_error (EINTR, _, _) -> reap pid

let other_program () =
  reap (Unix.create_process "/bin/true" [| "true" |]
          Unix.stdin Unix.stdout Unix.stderr)

let control () =
  let all = Eventring.categories () in
  Eventring.set_categories [Gc; User];
  Eventring.pause ();
  allocate 1000;
  Eventring.resume ();
  Eventring.set_categories all

let snapshot () = Eventring.snapshot (Sys.argv.(1) ^ ".snapshot")

(* A child, with a file of its own until it executes another program *)
let fork f =
  match Unix.fork () with
  | 0 -> allocate 2000; f ()
  | pid ->
    reap pid;
    if leaks "descriptor" then ignore (Unix.dup Unix.stdin)

let forks () =
  fork (fun () -> exit 0);
  fork (fun () -> Unix._exit 0);
  fork (fun () -> Unix.execv "/bin/true" [| "true" |]);
  fork (fun () -> fork (fun () -> exit 0); exit 0)

(* Rounds *)

(* More domains than readers keep apart, and more at once than later on. *)
let warm_up () =
  for i = 0 to 109 do
    List.iter Domain.join (List.init 10 (fun k -> domain (10 * i + k)))
  done

let domains () =
  let workers = List.init 2 (fun i ->
    let one k = numbers (Printf.sprintf "%d.%d" i k) in
    one 0, one 1) in
  let all = List.map (fun (a, b) -> Domain.spawn (fun () ->
    let t = Thread.create work b in
    work a;
    Thread.join t)) workers in
  let round = ref 0 in
  while quiet 4 do
    incr round;
    if !round = 1 then warm_up ();
    for i = 1 to 15 do
      let a = domain (2 * i) in
      let b = domain (2 * i + 1) in
      if i mod 3 = 0 then (other_program (); reap (raw_fork ()));
      if i mod 5 = 0 then (threads (); cursors ());
      Domain.join a;
      Domain.join b;
      if i = 10 then snapshot ();
      Unix.sleepf 0.02
    done;
    late_events !round;
    if not (Atomic.get counting) then control ();
    if leaks "thread" then
      ignore (Thread.create (fun () -> Unix.sleep 10_000) ())
  done;
  List.iter Domain.join all;
  spawned :: List.concat_map (fun (a, b) -> [a; b]) workers

let forking () =
  let workers = List.map numbers ["first"; "second"] in
  let all = List.map (Thread.create work) workers in
  let round = ref 0 in
  while quiet 2 do
    incr round;
    for _ = 1 to 2 do
      forks (); threads (); cursors (); other_program (); Unix.sleepf 0.1
    done;
    ignore_int (Sys.command "true");
    snapshot ();
    late_events !round;
    if not (Atomic.get counting) then control ()
  done;
  List.iter Thread.join all;
  workers

let () =
  get_tables ();
  let workers = match Sys.argv.(1) with
    | "domains" -> domains ()
    | "forks" -> forking ()
    | what -> invalid_arg what in
  List.iter (fun w -> Printf.printf "written %s %d\n" w.name
                (Atomic.get w.last)) workers
