(* Registers data points, says "ready", and lives until its input ends.  How it
   passes its time and which points it has are its arguments. *)

open Eventring.Point

exception Own of int

let evaluations = ref 0

let plain () =
  register "answer" (fun () -> Int 42);
  register "smallest" (fun () -> Int min_int);
  register "share" (fun () -> Float 0.125);
  register "no number" (fun () -> Float nan);
  register "name" (fun () -> Text "two words");
  register "long" (fun () -> Text (String.make 2000 'x'));
  register "evaluations" (fun () -> incr evaluations; Int !evaluations);
  register "replaced" (fun () -> Int 1);
  register "replaced" (fun () -> Int 2);
  register "removed" (fun () -> Int 1);
  unregister "removed";
  unregister "never registered"

let rec deep n = 1 + deep (n + 1)

let raising () =
  register "own" (fun () -> raise (Own 7));
  register "deep" (fun () -> Int (deep 0));
  register "exit" (fun () -> raise Exit);
  register "after" (fun () -> Int 1)

(* Points that break the rules. *)
let harmful () =
  register "1 allocates" (fun () ->
    Gc.compact ();
    Int (List.length (List.init 100_000 Fun.id)));
  register "2 asks again" (fun () ->
    incr evaluations;
    Eventring.set_categories (Points :: Eventring.categories ());
    Gc.minor ();
    Int !evaluations);
  register "3 registers" (fun () ->
    register "late" (fun () -> Int 1);
    unregister "6 removed by another";
    Int 3);
  register "4 pauses" (fun () ->
    Eventring.pause ();
    Eventring.resume ();
    Int 4);
  register "5 spawns" (fun () ->
    Int (Domain.join (Domain.spawn (fun () -> Gc.full_major (); 5))));
  register "6 removed by another" (fun () -> Int 6);
  register "7 writes" (fun () ->
    Eventring.Counter.(sample (register "written") 7);
    Int 7)

let forking () =
  register "forks" (fun () ->
    match Unix.fork () with
    | 0 -> Unix._exit 5
    | pid ->
        match Unix.waitpid [] pid with
        | _, WEXITED code -> Int code
        | _ -> Int (-1))

let returning_twice () =
  let parent = Unix.getpid () in
  register "forks" (fun () -> Int (Unix.fork ()));
  at_exit (fun () ->
    if Unix.getpid () <> parent then print_endline "the child has ended")

let stopping () =
  register "a" (fun () -> Eventring.stop (); Int 1);
  register "b" (fun () -> Eventring.start (); Int 2)

let slow () = register "slow" (fun () -> Unix.sleepf 0.5; incr evaluations; Int 1)

let many () =
  for i = 1 to 1024 do
    register ("p" ^ string_of_int i) (fun () -> Int i)
  done;
  register "p7" (fun () -> Int 7);
  (match register "one too many" (fun () -> Int 0) with
   | () -> print_endline "no limit"
   | exception Invalid_argument why -> print_endline why);
  unregister "p1024";
  register "in its place" (fun () -> Int 0)

let wrong () =
  let refuses name =
    match register name (fun () -> Int 0) with
    | () -> print_endline "registered"
    | exception Invalid_argument why -> print_endline why in
  refuses "";
  refuses (String.make 128 'x');
  refuses "a\000b";
  ignore (Eventring.Counter.register "a counter");
  ignore (Eventring.Message.register "a message");
  refuses "a counter";
  refuses "a message";
  register "a point" (fun () -> Int 0);
  match Eventring.Message.register "a point" with
  | _ -> print_endline "registered"
  | exception Invalid_argument why -> print_endline why

let ended = ref false

(* Sleeps, and looks for the end of the input. *)
let rec sleeping () =
  match Unix.select [Unix.stdin] [] [] 0.002 with
  | [], _, _ -> sleeping ()
  | _ -> ()
  | exception Unix.Unix_error (EINTR, _, _) -> sleeping ()

(* Only allocates, until a signal. *)
let allocating () =
  while not !ended do ignore (Sys.opaque_identity (ref 0)) done

(* Only writes events. *)
let writing () =
  let counter = Eventring.Counter.register "i" in
  while not !ended do Eventring.Counter.sample counter 1 done

(* Always the same work. *)
let working () =
  for _ = 1 to int_of_string Sys.argv.(3) do
    let list = List.init 1000 (fun i -> i * 7919 mod 1009) in
    ignore (Sys.opaque_identity (List.sort compare list))
  done

(* In a system call. *)
let waiting () =
  ignore (Unix.read Unix.stdin (Bytes.create 1) 0 1);
  ignore (Sys.opaque_identity (ref 0))

let both_domains () =
  let other = Domain.spawn allocating in
  allocating ();
  Domain.join other

let () =
  Sys.set_signal Sys.sigterm (Signal_handle (fun _ -> ended := true));
  (match Sys.argv.(1) with
   | "plain" -> plain ()
   | "raising" -> raising ()
   | "harmful" -> harmful ()
   | "forking" -> forking ()
   | "twice" -> returning_twice ()
   | "stopping" -> stopping ()
   | "slow" -> slow ()
   | "many" -> many ()
   | "wrong" -> wrong ()
   | "none" -> ()
   | _ -> invalid_arg "points");
  print_endline "ready";
  (match Sys.argv.(2) with
   | "sleeping" -> sleeping ()
   | "allocating" -> allocating ()
   | "writing" -> writing ()
   | "domains" -> both_domains ()
   | "waiting" -> waiting ()
   | "working" -> working ()
   | "nothing" -> ()
   | _ -> invalid_arg "points");
  Printf.printf "%d evaluations\n" !evaluations
