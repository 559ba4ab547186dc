(* Two domains that allocate, promote and collect: a program that the runtime
   of any OCaml 5 runs, with nothing but the standard library. *)

let work () =
  let live = Array.make 1000 [] in
  for i = 1 to 200_000 do
    live.(i mod 1000) <- i :: (if i mod 7 = 0 then [] else live.(i mod 1000))
  done;
  Gc.minor ();
  Gc.full_major ();
  ignore (Sys.opaque_identity live)

let () =
  let other = Domain.spawn work in
  work ();
  Domain.join other;
  Gc.compact ()
