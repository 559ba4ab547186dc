(* The loop of the OCaml readers of bench/run-reader.  A line of standard input,
   MILLISECONDS TIMES, asks for TIMES polls with a pause before each; the answer
   is one line: nanoseconds spent in polls, events of the program, events of the
   runtime, losses reported to the reader, and polls that failed. *)

let user = ref 0
let runtime = ref 0
let lost = ref 0
let last = ref 0                (* callbacks look at the time of an event *)

let serve poll =
  print_endline "ready";
  try
    while true do
      let milliseconds, times =
        Scanf.sscanf (read_line ()) "%d %d" (fun a b -> a, b) in
      let spent = ref 0 and failed = ref 0 in
      user := 0; runtime := 0; lost := 0;
      for _ = 1 to times do
        if milliseconds > 0 then Unix.sleepf (float milliseconds /. 1000.);
        let start = Timing.now () in
        (try poll () with Failure _ -> incr failed);
        spent := !spent + Timing.now () - start
      done;
      Printf.printf "%d %d %d %d %d\n%!" !spent !user !runtime !lost !failed
    done
  with End_of_file -> ()
