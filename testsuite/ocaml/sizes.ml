(* Two domains at the same time, each of which makes so many arrays of a size
   that the other one never makes. Each holds its own on its stack, so that it
   is the one that promotes them to the major heap, where they are counted. *)

let () =
  let ready = Atomic.make 0 in
  let allocate count words =
    let arrays = List.init count (fun _ -> Array.make words 0) in
    Atomic.incr ready;
    while Atomic.get ready < 2 do Domain.cpu_relax () done;
    Gc.minor ();
    ignore (Sys.opaque_identity arrays) in
  let other = Domain.spawn (fun () -> allocate 900 45) in
  allocate 700 85;
  Domain.join other
