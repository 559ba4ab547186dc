(* A program for the tests of the ring file's format: threads of one domain
   that take turns, each for more than a block of a small ring, while another
   domain stops the world. *)

let garbage n =
  for i = 1 to n do
    ignore (Sys.opaque_identity (List.init 50 (fun k -> k + i)));
    if i mod 20 = 0 then Gc.minor ()
  done

let turns () =
  for _ = 1 to 40 do
    garbage 100;
    Thread.yield ()
  done

let () =
  let other = Domain.spawn (fun () -> garbage 2000) in
  let threads = List.init 3 (fun _ -> Thread.create turns ()) in
  turns ();
  List.iter Thread.join threads;
  Domain.join other
