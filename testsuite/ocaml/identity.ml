(* Domains and threads that write events: identity WHAT. Event "thread" has the
   id of the thread that writes it, "domain" the id of the domain; each test
   knows the other lines that are printed. *)

open Eventring

external name_thread : string -> unit = "test_name_thread"
external call_from_thread : (unit -> unit) -> unit = "test_call_from_thread"

let thread = Counter.register "thread"
let domain = Counter.register "domain"

let domain_id () = (Domain.self () :> int)
let event () =
  Counter.sample thread (Thread.id (Thread.self ()));
  Counter.sample domain (domain_id ())

let print_ids parent =
  Printf.printf "%d %d\n%!" (domain_id ()) parent

let spawned f =
  let parent = domain_id () in
  Domain.join (Domain.spawn (fun () -> print_ids parent; event (); f ()))

(* Events while others wait their turn, and waiting of many kinds *)
let busy () =
  for i = 1 to 50 do
    event ();
    Thread.yield ();
    event ();
    if i mod 10 = 0 then Unix.sleepf 0.001;
    event ();
    ignore (Sys.opaque_identity (List.init 1000 Fun.id))
  done

let threads n =
  List.init n (fun _ -> Thread.create busy ()) |> List.iter Thread.join

let () =
  match Sys.argv.(1) with
  | "nested" -> spawned (fun () -> spawned (fun () -> spawned ignore))
  | "slots" -> for _ = 1 to 5 do spawned ignore done
  | "threads" ->
    let other = Domain.spawn (fun () -> threads 4) in
    threads 4;
    Domain.join other
  | "backup" ->
    (* The second domain is in one system call while the first one stops it. *)
    let here = Atomic.make false and over = Atomic.make false in
    let other = Domain.spawn (fun () ->
        event ();
        Atomic.set here true;
        Unix.sleepf 0.3;
        event ();
        Atomic.set over true) in
    while not (Atomic.get here) do Domain.cpu_relax () done;
    Unix.sleepf 0.05;
    while not (Atomic.get over) do Gc.minor (); Unix.sleepf 0.02 done;
    Domain.join other
  | "c" ->
    event ();
    call_from_thread busy;
    event ()
  | "names" ->
    (* A name is looked for as a block of the ring begins. *)
    let many () = for _ = 1 to 20_000 do event () done in
    set_domain_name "first domain";
    let named how =
      Thread.join (Thread.create (fun () -> how (); many ()) ()) in
    named (fun () -> name_thread "from C");
    named (fun () -> set_thread_name "from OCaml");
    named (fun () ->
        name_thread "overruled"; many (); set_thread_name "last");
    named ignore
  | "fork" ->
    set_domain_name "parent";
    let parent = Unix.getpid () in
    begin match Unix.fork () with
    | 0 -> set_domain_name "child"; event ()
    | child ->
      ignore (Unix.waitpid [] child);
      event ();
      Printf.printf "%d %d\n" parent child
    end
  | "exit" -> exit (int_of_string Sys.argv.(2))
  | "raise" -> failwith "on purpose"
  | _ -> exit 99
