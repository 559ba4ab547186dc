(* More domains than one stop records, of which the last one stops half a second after
   it was asked to; it writes a mark just before. *)

external register : unit -> unit = "late_register"
external wait : unit -> unit = "late_wait" [@@noalloc]

let () =
  let others = int_of_string Sys.argv.(1) in
  let ready = Atomic.make 0 and go = Atomic.make false and stop = Atomic.make false in
  register ();
  let idle () =
    Atomic.incr ready;
    while not (Atomic.get stop) do Domain.cpu_relax (); Unix.sleepf 0.001 done in
  let late () =
    Atomic.incr ready;
    while not (Atomic.get go) do Domain.cpu_relax () done;
    wait () in
  let domains = List.init others (fun _ -> Domain.spawn idle) in
  let last = Domain.spawn late in
  while Atomic.get ready <= others do Unix.sleepf 0.001 done;
  Printf.printf "%d\n%!" (Domain.get_id last :> int);
  Atomic.set go true;
  Gc.minor ();
  Domain.join last;
  Atomic.set stop true;
  List.iter Domain.join domains
