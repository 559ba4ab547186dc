(* Works for a tenth of the time and waits for the rest.

     idle MODE SECONDS

   sleep: one domain allocates and sleeps; threads: so do two of its threads;
   nothing: it sleeps once and does not allocate. *)

let until = Unix.gettimeofday () +. float_of_string Sys.argv.(2)

let work seconds =
  let stop = Unix.gettimeofday () +. seconds in
  while Unix.gettimeofday () < stop do
    ignore (Sys.opaque_identity (List.init 100 Fun.id))
  done

let work_and_sleep () =
  while Unix.gettimeofday () < until do
    work 0.01;
    Unix.sleepf 0.09
  done

let () =
  match Sys.argv.(1) with
  | "sleep" -> work_and_sleep ()
  | "threads" ->
    let other = Thread.create work_and_sleep () in
    work_and_sleep ();
    Thread.join other
  | _ -> Unix.sleepf (float_of_string Sys.argv.(2))
