(* A traced program that works until its input ends, with a span of its own;
   prints the number of the spans that it made. *)
let () =
  let span = Eventring.Span.register "round" in
  let rounds = ref 0 in
  let continue = ref true in
  while !continue do
    incr rounds;
    Eventring.Span.run span (fun () ->
      ignore (Sys.opaque_identity (List.init 20_000 string_of_int)));
    match Unix.select [ Unix.stdin ] [] [] 0.002 with
    | [], _, _ -> ()
    | _ -> continue := false
  done;
  print_int !rounds
