(* rounds [LEAST]: a traced program that works for LEAST rounds and until its input
   ends, with a span and data points of its own; prints the number of the spans that
   it made. *)
let () =
  let least = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 0 in
  let span = Eventring.Span.register "round" in
  let rounds = ref 0 in
  Eventring.Point.(register "rounds" (fun () -> Int !rounds));
  Eventring.Point.(register "broken" (fun () -> raise Exit));
  let ended () =
    match Unix.select [ Unix.stdin ] [] [] 0.002 with
    | [], _, _ -> false
    | _ -> true
  in
  while !rounds < least || not (ended ()) do
    incr rounds;
    Eventring.Span.run span (fun () ->
      ignore (Sys.opaque_identity (List.init 2_000 string_of_int)))
  done;
  print_int !rounds
