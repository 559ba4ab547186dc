(* A function of another module, for inlined.t. *)

let[@inline always] scale (a : int array) i =
  a.(i) * 5                                                       (* SCALE *)
