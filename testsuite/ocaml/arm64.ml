(* Domains with threads that allocate and write events of their own.

     arm64 ROUNDS     so many rounds in each thread, or until the file "stop"
                      is there; prints the number of samples

   A thread naps in its first round. *)

let rounds = int_of_string Sys.argv.(1)
let work = Eventring.Span.register "work"
let nap = Eventring.Span.register "nap"
let number = Eventring.Counter.register ~unit:"rounds" "number"
let mark = Eventring.Message.register "mark"
let written = Atomic.make 0

let thread () =
  let n = ref 0 in
  Eventring.Span.run_with nap 0 (fun () -> Thread.delay 0.3);
  while !n < rounds && not (Sys.file_exists "stop") do
    incr n;
    Eventring.Span.run_with work !n (fun () ->
      ignore (Sys.opaque_identity (List.init 500 string_of_int));
      Eventring.Counter.sample number !n;
      Atomic.incr written);
    Eventring.Message.emit mark (string_of_int !n);
    if rounds > 10_000 then Thread.delay 0.002
  done

let domain () =
  let other = Thread.create thread () in
  thread ();
  Thread.join other

let () =
  let others = List.init 2 (fun _ -> Domain.spawn domain) in
  domain ();
  List.iter Domain.join others;
  print_int (Atomic.get written);
  print_newline ()
