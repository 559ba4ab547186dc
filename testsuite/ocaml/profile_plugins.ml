(* The functions of the plugins that profile_dynlink.ml has loaded. *)

let functions : (int -> int) list Atomic.t = Atomic.make []

(* Called by each plugin. *)
let rec register f =
  let old = Atomic.get functions in
  if not (Atomic.compare_and_set functions old (f :: old)) then register f
