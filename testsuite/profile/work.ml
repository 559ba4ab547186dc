(* Functions at known lines, for samples that ocaml.t makes. *)

let[@inline never] leaf n = n * 17 + Sys.opaque_identity 1        (* LEAF *)

let[@inline never] alloc n =
  let l = List.init n (fun i ->
    leaf i + 1) in                                                (* ANONYMOUS *)
  List.length l

let[@inline always] inner g x =
  let r = g x in                                                  (* INNER *)
  r + 1

let[@inline never] outer g x =
  let a = inner g x in                                            (* OUTER *)
  a * 2

let ( +@ ) a b = if a > 100 then a else leaf (a + b) + 1          (* OPERATOR *)

let[@inline never] step x =
  let a = Some x in                                               (* STEP_FIRST *)
  let b = [ x ] in                                                (* STEP_SECOND *)
  a, b                                                            (* STEP_THIRD *)

let () =
  let n = Array.length Sys.argv in
  ignore (Sys.opaque_identity (step n));
  print_int (outer leaf n + alloc n + (n +@ 3))                   (* MAIN *)
