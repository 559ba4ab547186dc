(* A traced program with a long span, "long" with the integer 42, and short ones in
   it; the line "finish" on standard input ends the long span, another one the
   program. *)
let () =
  let long = Eventring.Span.register "long" in
  let round = Eventring.Span.register "round" in
  Eventring.Span.start_with long 42;
  let continue = ref true in
  while !continue do
    for _ = 1 to 20 do Eventring.Span.run round ignore done;
    match Unix.select [ Unix.stdin ] [] [] 0.002 with
    | [], _, _ -> ()
    | _ ->
        if read_line () = "finish" then Eventring.Span.finish long
        else continue := false
  done
