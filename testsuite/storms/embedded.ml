(* The OCaml part of embedded.c. *)

let collect n = for _ = 1 to n do Gc.minor () done

let () =
  Callback.register "collect" collect;
  at_exit (fun () -> collect 1; print_endline "at_exit");
  Domain.join (Domain.spawn (fun () -> collect 10))
