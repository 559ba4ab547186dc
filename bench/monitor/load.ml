(* The load for bench/run-monitor.

     load events SECONDS DOMAINS RATE   events of the program, RATE a second in
                                        all, and a mark each 50 ms
     load flood EVENTS DOMAINS          that many events as fast as they can be
                                        recorded, for a large recording
     load work ROUNDS DOMAINS           a fixed amount of work with garbage

   A mark is a value of counter "mark", from 0 to 999 and again from 0; the
   program prints each with the time in ms since the epoch. *)

open Eventring

let step = Span.register "step"
let size = Counter.register "size"
let mark = Counter.register "mark"

let argument i = int_of_string Sys.argv.(i)

let in_domains n work =
  let others = List.init (n - 1) (fun i -> Domain.spawn (fun () -> work (i + 1))) in
  work 0;
  List.iter Domain.join others

let wait_until time =
  let left = time -. Unix.gettimeofday () in
  if left > 0. then Unix.sleepf left

(* Three events. *)
let events i =
  Span.start step;
  Counter.sample size (i land 1023);
  Span.finish step

let steady seconds domains rate =
  let began = Unix.gettimeofday () in
  let milliseconds = seconds * 1000 in
  let each = rate / domains / 1000 / 3 in
  in_domains domains (fun domain ->
    for ms = 1 to milliseconds do
      for i = 1 to each do events i done;
      if ms mod 20 = 0 then ignore (Sys.opaque_identity (List.init 500 succ));
      if domain = 0 && ms mod 50 = 0 then begin
        let n = ms / 50 mod 1000 in
        Printf.printf "%d %.1f\n%!" n (Unix.gettimeofday () *. 1000.);
        Counter.sample mark n
      end;
      wait_until (began +. float ms /. 1000.)
    done)

(* Pauses let the recorder follow. *)
let flood count domains =
  in_domains domains (fun _ ->
    for i = 1 to count / domains / 3 do
      events i;
      if i mod 20_000 = 0 then begin
        ignore (Sys.opaque_identity (List.init 5000 succ));
        Unix.sleepf 0.015
      end
    done)

let work rounds domains =
  in_domains domains (fun _ ->
    for i = 1 to rounds do
      Span.start step;
      ignore (Sys.opaque_identity
                (List.sort compare (List.init 2000 (fun n -> n * 7919 mod 2003))));
      Counter.sample size i;
      Span.finish step
    done)

let () =
  match Sys.argv.(1) with
  | "events" -> steady (argument 2) (argument 3) (argument 4)
  | "flood" -> flood (argument 2) (argument 3)
  | "work" -> work (argument 2) (argument 3)
  | way -> failwith ("load: " ^ way)
