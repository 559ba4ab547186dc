(* Names of domains and threads, given with module Eventring and seen through
   cursors.

     eventring_names            all of it, in an empty folder
     eventring_names forks      in a child
     eventring_names room       names until there is no room for another *)

open Eventring
open Check

let mark = Mark.register "mark"
let self = Counter.register "self"      (* its value: the writer *)

let event () = Mark.emit mark

(* Returns [look c] for each event of this program that the cursor has not
   passed. *)
let seen cursor look =
  let all = ref [] in
  let see c = if Cursor.id c >= 1024 then all := look c :: !all in
  let callbacks = Cursor.callbacks ~counter:see ~instant:see () in
  while Cursor.poll cursor callbacks > 0 do () done;
  List.rev !all

let domain_names cursor = seen cursor Cursor.domain_name
let thread_names cursor = seen cursor Cursor.thread_name

let are name found expected =
  if found <> expected then
    List.iter (Printf.printf "# there is %S\n") found;
  ok name (found = expected)

(* A domain or thread that runs the functions given to it, one by one. *)
type worker = { todo : (unit -> unit) option Atomic.t; finish : unit -> unit }

let worker make =
  let todo = Atomic.make None and ending = Atomic.make false in
  let rec loop () =
    (match Atomic.get todo with
     | Some f -> f (); Atomic.set todo None
     | None -> Unix.sleepf 0.001);
    if not (Atomic.get ending) then loop () in
  let join = make loop in
  { todo; finish = fun () -> Atomic.set ending true; join () }

let domain () = worker (fun f ->
    let d = Domain.spawn f in fun () -> Domain.join d)
let thread () = worker (fun f ->
    let t = Thread.create f () in fun () -> Thread.join t)

let ask worker f =
  Atomic.set worker.todo (Some f);
  while Atomic.get worker.todo <> None do Unix.sleepf 0.001 done

let refusals () =
  List.iter (fun (what, set) ->
      raises (what ^ ": an empty name") invalid (fun () -> set "");
      raises (what ^ ": a name of 128 bytes") invalid (fun () ->
          set (String.make 128 'n'));
      raises (what ^ ": a name with a NUL") invalid (fun () -> set "a\000b"))
    ["a domain", set_domain_name; "a thread", set_thread_name]

let names () =
  refusals ();
  (* Before tracing starts *)
  let d = domain () and t = thread () and nameless = domain () in
  set_domain_name "first";
  set_domain_name "main";
  set_thread_name "main thread";
  ask d (fun () -> set_domain_name "worker");
  ask t (fun () -> set_thread_name "helper");
  start ();
  let cursor = Cursor.create Self in
  event (); ask d event; ask t event; ask nameless event;
  are "domains named before the start" (domain_names cursor)
    ["main"; "worker"; "main"; ""];
  event (); ask t event;
  are "threads named before the start" (thread_names cursor)
    ["main thread"; "helper"];

  (* While it runs *)
  event (); ask d event; ask t event; ask nameless event;
  set_domain_name "main again";
  ask nameless (fun () -> set_domain_name "named");
  event ();
  are "domains named later: events of before, too, and not the next name"
    (domain_names cursor) ["main"; "worker"; "main"; "named"; "main again"];
  event (); ask t event;
  ask t (fun () -> set_thread_name "helper again");
  ask t event;
  are "threads named again: events of before keep their name"
    (thread_names cursor) ["main thread"; "helper"; "helper again"];
  ask d (fun () -> set_thread_name "its thread"; event ());
  are "the thread of another domain" (thread_names cursor) ["its thread"];
  let late = domain () in
  ask late (fun () -> set_domain_name "late"; event ());
  are "a domain that was spawned later" (domain_names cursor) ["late"];
  late.finish ();
  let next = domain () in
  ask next event;
  are "its name is not that of the domain after it" (domain_names cursor) [""];
  next.finish ();

  let longest = String.make 127 'n' in
  set_domain_name longest;
  event ();
  are "127 bytes" (domain_names cursor) [longest];
  set_domain_name "na\xc3\xafve \xff";
  event ();
  are "any bytes" (domain_names cursor) ["na\xc3\xafve \xff"];

  pause ();
  set_domain_name "paused";
  resume ();
  event ();
  are "named while paused" (domain_names cursor) ["paused"];

  set_domain_name "kept";
  event ();
  snapshot "snapshot";
  let file = Cursor.create (File "snapshot") in
  ok "in a snapshot" (List.mem "kept" (domain_names file));
  Cursor.close file;

  stop ();
  start ();
  event (); ask d event;
  are "after another start" (domain_names (Cursor.create Self))
    ["kept"; "worker"];
  List.iter (fun w -> w.finish ()) [d; t; nameless]

(* Threads that write in turn: each event has its own thread. *)
let threads () =
  let cursor = Cursor.create ~from_now:true Self in
  let write () =
    let id = Thread.id (Thread.self ()) in
    set_thread_name (Printf.sprintf "thread %d" id);
    for _ = 1 to 100 do
      Counter.sample self id;
      if Random.int 4 = 0 then Thread.yield ()
    done in
  List.init 4 (fun _ -> Thread.create write ()) |> List.iter Thread.join;
  let all = seen cursor (fun c ->
      Cursor.value c, Cursor.thread_id c, Cursor.thread_name c,
      Cursor.thread c) in
  ok "four threads: every event" (List.length all = 400);
  ok "four threads: each with its own id"
    (List.for_all (fun (self, id, _, _) -> self = id) all);
  ok "four threads: each with its own name"
    (List.for_all (fun (self, _, name, _) ->
         name = Printf.sprintf "thread %d" self) all);
  let of_system = List.sort_uniq compare
      (List.map (fun (self, _, _, thread) -> self, thread) all) in
  ok "four threads: each with one id of the system"
    (List.length of_system = 4
     && List.length (List.sort_uniq compare (List.map snd of_system)) = 4);
  Cursor.close cursor

let forks () =
  set_domain_name "given before";
  start ();
  match Unix.fork () with
  | 0 ->
    event ();
    are "a forked child has the names of its parent"
      (domain_names (Cursor.create Self)) ["given before"];
    exit 0
  | pid ->
    ok "the child ends in order"
      (Unix.waitpid [] pid = (pid, Unix.WEXITED 0))

let room () =
  start ();
  let cursor = Cursor.create Self in
  for i = 1 to 5000 do set_domain_name (string_of_int i) done;
  set_thread_name "one too many";
  event ();
  match domain_names cursor with
  | [name] ->
    let n = int_of_string name in
    Printf.printf "# %d names\n" n;
    ok "room for 4096 names, and no more" (n > 3000 && n <= 4096);
    ok "events are registered and written as before"
      (Mark.emit (Mark.register "after"); domain_names cursor = [name])
  | _ -> ok "one event" false

let () =
  (match Sys.argv with
   | [| _; "room" |] -> room ()
   | [| _; "forks" |] -> forks ()
   | _ -> names (); threads ());
  print_endline "done"
