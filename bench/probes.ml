(* Measures what probes, events of the program, and reading cost, and writes a
   table of tab-separated values. *)

open Measure

external run : int -> unit = "bench_run" [@@noalloc]
external bytes : int -> float = "bench_bytes"
external fill : unit -> unit = "bench_fill" [@@noalloc]
external read : bool -> float = "bench_read"

let gettime, begin_end, counter = 0, 1, 2

(* The same from OCaml code, eight a turn. *)

let span = Eventring.Span.register "span"
let value = Eventring.Counter.register "value"

let spans () =
  let[@inline] one () = Eventring.Span.start span; Eventring.Span.finish span in
  for _ = 1 to per_run / 8 do
    one (); one (); one (); one (); one (); one (); one (); one ()
  done

let samples () =
  let[@inline] one i = Eventring.Counter.sample value i in
  for i = 1 to per_run / 8 do
    one i; one i; one i; one i; one i; one i; one i; one i
  done

let all state =
  row "begin+end" state (fun () -> measure (fun () -> run begin_end));
  row "counter" state (fun () -> measure (fun () -> run counter));
  row "Eventring span" state (fun () -> measure spans);
  row "Eventring counter" state (fun () -> measure samples)

(* Reading with a callback for each event, which looks at its time. *)

let last = ref 0

let callbacks =
  let see c = last := Eventring.Cursor.time c in
  Eventring.Cursor.callbacks ~span_start:see ~span_finish:see ~counter:see ()

let read_all () =
  let cursor = Eventring.Cursor.(create Self) in
  let start = now () in
  let words = Gc.minor_words () in
  let count = Eventring.Cursor.poll cursor callbacks in
  let words = Gc.minor_words () -. words in
  let ns = now () - start in
  Eventring.Cursor.close cursor;
  float ns /. float count, words, count

let times_41 f = median_and_least (Array.init 41 (fun _ -> f ()))

let allocated f =
  let before = Gc.minor_words () in
  f ();
  Gc.minor_words () -. before

let () =
  row "rdtsc" "-" (fun () -> measure bare_clock);
  row "clock_gettime" "-" (fun () -> measure (fun () -> run gettime));
  all "disabled";
  Eventring.start ~categories:Eventring.[Gc; Gc_detail; User] ();
  Eventring.pause ();
  all "paused";
  Eventring.resume ();
  all "enabled";
  let many () = for _ = 1 to 100 do spans (); samples () done in
  let writing = allocated many in
  fill ();
  row "read an event" "one ring" (fun () -> times_41 (fun () -> read false));
  row "read an event" "merged" (fun () -> times_41 (fun () -> read true));
  row "Eventring.Cursor" "merged"
    (fun () -> times_41 (fun () -> let ns, _, _ = read_all () in ns));
  let _, reading, count = read_all () in
  Printf.eprintf "bytes of ring: begin or end %.2f, counter %.2f\n"
    (bytes begin_end /. 2.) (bytes counter);
  Printf.eprintf
    "minor words allocated: %.0f for %d spans and as many counters, \
     %.0f for reading %d events\n"
    writing (100 * per_run) reading count
