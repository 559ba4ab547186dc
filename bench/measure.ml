(* Timing for the programs of this folder: many short runs, of which the median
   counts; a run is short enough that most are not interrupted. *)

external now : unit -> int = "bench_now" [@@noalloc]
external bare_clock : unit -> unit = "bench_bare_clock" [@@noalloc]

let per_run = 4096                      (* operations in a run *)

let median_and_least a =
  Array.sort compare a;
  a.(Array.length a / 2), a.(0)

(* Nanoseconds an operation of [f], which does [per_run] of them. *)
let measure f =
  f ();
  median_and_least
    (Array.init 401 (fun _ ->
       let start = now () in
       f ();
       float (now () - start) /. float per_run))

(* The clock, measured beside each figure: the machine's speed drifts, and it
   is the floor of whatever reads it. *)
let row name state figure =
  let clock, _ = measure bare_clock in
  let median, least = figure () in
  Printf.printf "%s\t%s\t%.2f\t%.2f\t%.2f\n%!" name state median least clock
