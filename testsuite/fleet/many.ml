(* A traced program with many short spans. *)
let () =
  let span = Eventring.Span.register "short" in
  for i = 1 to 200_000 do
    Eventring.Span.run span (fun () -> ignore (Sys.opaque_identity (ref i)))
  done
