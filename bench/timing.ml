(* Timing by the clock of the system: many short runs, of which the median
   counts; a run is short enough that most are not interrupted. *)

external now : unit -> int = "timing_now" [@@noalloc]           (* ns *)

let per_run = 4096                      (* operations in a run *)

let median_and_least a =
  Array.sort compare a;
  a.(Array.length a / 2), a.(0)

(* Returns the nanoseconds an operation of [f], which does [per_run] of them. *)
let measure f =
  f ();
  median_and_least
    (Array.init 401 (fun _ ->
       let start = now () in
       f ();
       float (now () - start) /. float per_run))
