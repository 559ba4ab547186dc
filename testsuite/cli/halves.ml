(* A fixed time in one function, and as many steps of another one as the argument
   says. *)
let rec burn a n = if n = 0 then a else burn ((a * 7 + n) land 0xffff) (n - 1)
let rec more a n = if n = 0 then a else more ((a * 5 + n) land 0xffff) (n - 1)
let () =
  ignore (Sys.opaque_identity (burn 1 50_000_000));
  ignore (Sys.opaque_identity (more 1 (int_of_string Sys.argv.(1))))
