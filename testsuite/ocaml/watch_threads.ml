(* Two requests that overlap in two threads of one domain: the watch tells how
   long each took. *)

let request = Eventring.Span.register "request"

let run ms =
  Eventring.Span.run request (fun () -> Thread.delay (float ms /. 1000.))

let () =
  Eventring.start ();
  let seen = ref [] in
  let watch =
    Eventring.on_slow ["request", 1_000_000] (fun slow ->
      seen := slow.duration / 1_000_000 :: !seen) in
  let first = Thread.create run 200 in
  Thread.delay 0.1;
  let second = Thread.create run 600 in
  Thread.join first;
  Thread.join second;
  Eventring.Watch.poll watch;
  let ok name condition =
    Printf.printf "%s - %s\n" (if condition then "ok" else "not ok") name in
  (match List.rev !seen with
   | [a; b] ->
     (* Taken for each other's, the first is of 100 ms and the second of 700. *)
     ok "the first thread's request" (a >= 200);
     ok "the second thread's request" (b >= 600 && b < 690 + (a - 200))
   | seen -> ok (Printf.sprintf "two requests, not %d" (List.length seen)) false);
  print_endline "done"
