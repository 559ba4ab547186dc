(* Measures what the probes cost and writes a table of tab-separated values;
   see probes_stubs.c for how. *)

external measure : int -> float array = "bench_measure"
external bytes : int -> float = "bench_bytes"
external read : bool -> float array = "bench_read"

let rdtsc, gettime, begin_end, counter = 0, 1, 2, 3

(* The clock, measured beside each figure: the machine's speed drifts. *)
let row name state f =
  let clock = (measure rdtsc).(0) in
  let m = f () in
  Printf.printf "%s\t%s\t%.2f\t%.2f\t%.2f\n%!" name state m.(0) m.(1) clock

let both state =
  row "begin+end" state (fun () -> measure begin_end);
  row "counter" state (fun () -> measure counter)

let () =
  row "rdtsc" "-" (fun () -> measure rdtsc);
  row "clock_gettime" "-" (fun () -> measure gettime);
  both "disabled";
  Runtime_events.start ();
  Runtime_events.pause ();
  both "paused";
  Runtime_events.resume ();
  both "enabled";
  row "read an event" "one ring" (fun () -> read false);
  row "read an event" "merged" (fun () -> read true);
  Printf.eprintf "bytes of ring: begin or end %.2f, counter %.2f\n"
    (bytes begin_end /. 2.) (bytes counter)
