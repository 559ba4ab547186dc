(* Domains in turn and at once, and threads. Each event carries the unique id
   of the domain that writes it, so that the file can be held against itself.

     domains turn N         N domains one after the other: slots are reused
     domains once N         N domains at the same time
     domains churn N        N domains, four at a time, that start and stop
     domains late           tracing starts while four domains run
     domains threads        five threads in each of two domains *)

open Runtime_events

type User.tag += Test
let who = User.register "who" Test Type.int
let thread = User.register "thread" Test Type.int

let self () = (Domain.self () :> int)
let work () =
  User.write who (self ());
  for _ = 1 to 3 do Gc.minor () done;
  User.write who (self ())

let wait_for atomic n = while Atomic.get atomic < n do Unix.sleepf 0.001 done

let () =
  let n = if Array.length Sys.argv > 2 then int_of_string Sys.argv.(2) else 0 in
  begin match Sys.argv.(1) with
  | "turn" -> for _ = 1 to n do Domain.join (Domain.spawn work) done
  | "once" ->
    let here = Atomic.make 0 in
    List.init n (fun _ -> Domain.spawn (fun () ->
        work (); Atomic.incr here; wait_for here n; User.write who (self ())))
    |> List.iter Domain.join
  | "churn" ->
    List.init 4 (fun _ -> Domain.spawn (fun () ->
        for _ = 1 to n / 4 do Domain.join (Domain.spawn work) done))
    |> List.iter Domain.join
  | "late" ->
    let here = Atomic.make 0 in
    let domains = List.init 4 (fun _ -> Domain.spawn (fun () ->
        Atomic.incr here;
        while Atomic.get here < 5 do
          ignore (Sys.opaque_identity (List.init 100 Fun.id));
          User.write who (self ())
        done;
        User.write who (self ()))) in
    wait_for here 4;
    Unix.sleepf 0.01;
    start ();
    Unix.sleepf 0.05;
    Atomic.incr here;
    List.iter Domain.join domains
  | "threads" ->
    let threads () =
      List.init 5 (fun i -> Thread.create (fun () ->
          for _ = 1 to 20 do
            User.write thread i;
            User.write who (self ());
            Thread.yield ();
            ignore (Sys.opaque_identity (List.init 1000 Fun.id))
          done) ())
      |> List.iter Thread.join in
    let other = Domain.spawn threads in
    threads ();
    Domain.join other
  | _ -> exit 2
  end;
  print_endline "end"
