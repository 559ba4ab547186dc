(* Threads that wait, run and call each other's functions, for eventring stacks.

     stacks shadow     reads paths, a line each, and calls a function for each digit;
                       the innermost one reads the next path
     stacks deadlock   two threads wait for mutexes of each other
     stacks kinds      a thread reads, one waits for a condition, one has 1000 handlers of
                       effects, a domain runs without allocation
     stacks crowd      200 threads wait for a mutex that the main thread has
     stacks busy       threads and domains compute, allocate, write to each other, send
                       signals, and start threads and programs until a line comes, and say
                       how many of their results were wrong

   All but the first print "ready", read a line and exit. *)

open Eventring

let next = ref ""
let calls = ref 0

let innermost () = next := input_line stdin

(* Not the last thing that a function does, which would be a jump. *)
let called () = incr calls

type _ Effect.t += Never : unit Effect.t

let handled f =
  Effect.Deep.match_with f () {
    retc = Fun.id; exnc = raise;
    effc = fun (type a) (e : a Effect.t) ->
      match e with
      | Never -> Some (fun (k : (a, _) Effect.Deep.continuation) ->
          Effect.Deep.continue k ())
      | _ -> None }

let rec walk path at =
  if at = String.length path then innermost ()
  else (match path.[at] with
    | '0' -> plain path at
    | '1' -> caught path at
    | '2' -> in_fiber path at
    | _ -> in_list path at);
  called ()
and plain path at = walk path (at + 1); called ()
and caught path at = (try walk path (at + 1) with Exit -> ()); called ()
and in_fiber path at = handled (fun () -> walk path (at + 1)); called ()
and in_list path at = List.iter (fun at -> walk path at) [ at + 1 ]; called ()

let shadow () =
  innermost ();
  while !next <> "end" do walk !next 0 done

let ready () =
  print_endline "ready";
  ignore (input_line stdin);
  exit 0

let checkout = Request.register "checkout"
let parse = Span.register "parse"

let take first second both =
  set_thread_name "taker";
  Request.run_with (Request.start checkout) (fun () ->
    Span.run parse (fun () ->
      Mutex.lock first;
      Atomic.incr both;
      while Atomic.get both < 2 do Thread.yield () done;
      Mutex.lock second;
      called ()))

let deadlock () =
  let a = Mutex.create () and b = Mutex.create () and both = Atomic.make 0 in
  ignore (Thread.create (fun () -> take a b both; called ()) ());
  ignore (Thread.create (fun () -> take b a both; called ()) ());
  ready ()

let rec spin n = if n >= 0 then spin (n lxor 1) else n

let rec nest n =
  if n = 0 then Unix.sleepf 3600. else handled (fun () -> nest (n - 1); called ());
  called ()

let reads fd = ignore (Unix.read fd (Bytes.create 1) 0 1); called ()
let awaits mutex condition = Condition.wait condition mutex; called ()

let kinds () =
  let nobody, _ = Unix.pipe () in
  let mutex = Mutex.create () and condition = Condition.create () in
  ignore (Thread.create (fun () -> reads nobody; called ()) ());
  ignore (Thread.create (fun () ->
    Mutex.lock mutex; awaits mutex condition; called ()) ());
  ignore (Thread.create (fun () -> nest 1000; called ()) ());
  ignore (Domain.spawn (fun () -> Sys.opaque_identity (spin 1)));
  ready ()

let crowd () =
  let mutex = Mutex.create () in
  Mutex.lock mutex;
  for _ = 1 to 200 do
    ignore (Thread.create (fun () -> Mutex.lock mutex; called ()) ())
  done;
  ready ()

module Ints = Map.Make (Int)

let busy () =
  let stop = Atomic.make false and rounds = Atomic.make 0 and wrong = Atomic.make 0 in
  let repeat is_right () =
    while not (Atomic.get stop) do
      if not (is_right ()) then Atomic.incr wrong;
      Atomic.incr rounds
    done in
  let maps () =
    let map = Ints.of_seq (Seq.init 1000 (fun i -> i, i * i)) in
    Ints.fold (fun _ square sum -> sum + square) map 0 = 332_833_500
  and fibers () = handled (fun () ->
    Effect.perform Never;
    List.fold_left (+) 0 (List.init 1000 Fun.id) = 499_500)
  and exceptions () =
    let rec nest n = if n = 0 then raise Exit else try nest (n - 1) with Not_found -> n in
    match nest 100 with _ -> false | exception Exit -> true
  and to_read, to_write = Unix.pipe () in
  let bytes = Bytes.make 100 'x' in
  (* Signals end calls. *)
  let rec whole f = try f () with Unix.Unix_error (Unix.EINTR, _, _) -> whole f in
  let writes () = whole (fun () -> Unix.write to_write bytes 0 100) = 100
  and reads () = whole (fun () -> Unix.read to_read (Bytes.create 100) 0 100) = 100 in
  let caught = Atomic.make 0 in
  let signals () =
    let before = Atomic.get caught in
    Unix.kill (Unix.getpid ()) Sys.sigusr1;
    while Atomic.get caught = before do Thread.yield () done;
    Atomic.get caught = before + 1
  and threads () =
    let answer = ref 0 in
    Thread.join (Thread.create (fun () -> answer := 42) ());
    !answer = 42
  and programs () =
    let pid = Unix.create_process "true" [| "true" |] Unix.stdin Unix.stderr Unix.stderr in
    whole (fun () -> Unix.waitpid [] pid) = (pid, Unix.WEXITED 0) in
  Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> Atomic.incr caught));
  let in_domain = Domain.spawn (fun () ->
    let thread = Thread.create (repeat maps) () in
    repeat fibers ();
    Thread.join thread)
  in
  let running = List.map (fun f -> Thread.create (repeat f) ())
    [ exceptions; (fun () -> writes () && reads ()); signals; threads; programs ] in
  print_endline "ready";
  ignore (input_line stdin);
  Atomic.set stop true;
  List.iter Thread.join running;
  Domain.join in_domain;
  Printf.printf "%d wrong of %s\n" (Atomic.get wrong)
    (if Atomic.get rounds > 0 then "many" else "none")

let () = match Sys.argv.(1) with
  | "shadow" -> shadow ()
  | "deadlock" -> deadlock ()
  | "kinds" -> kinds ()
  | "busy" -> busy ()
  | _ -> crowd ()
