(* A program that takes numbers from its standard input, and passes each on to
   its standard output, one higher, after an event with the number; it ends after
   the first number that is not below LIMIT.

     many LIMIT [FIRST] *)

let limit = int_of_string Sys.argv.(1)

let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  let step = Eventring.Counter.register "step" in
  let turn = Eventring.Span.register "turn" in
  let pass n =
    Eventring.Span.run turn (fun () ->
      Eventring.Counter.sample step n;
      if n mod 10 = 0 then Gc.minor ());
    try Printf.printf "%d\n%!" (n + 1) with Sys_error _ -> ()
  in
  if Array.length Sys.argv > 2 then pass (int_of_string Sys.argv.(2));
  let rec go () =
    let n = int_of_string (input_line stdin) in
    if n < limit then begin pass n; go () end
    else try Printf.printf "%d\n%!" n with Sys_error _ -> ()
  in
  go ();
  (* Nobody reads the rest of the buffer. *)
  try close_out stdout with Sys_error _ -> exit 0
