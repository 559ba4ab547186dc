(* Works until a file named stop exists.  With the argument filter, first forbids
   itself perf_event_open, on pain of death.  With the argument take, takes three
   signals of the sampler from it when a file named take exists.  With the argument
   naps, sleeps now and then, in C code; ends in order only if no sleep is
   interrupted, nor one of a thread of C. *)

external forbid : unit -> unit = "perf_forbid"
external take : unit -> unit = "perf_take"
external nap : unit -> bool = "perf_nap"
external thread : unit -> bool = "perf_thread"

let kept = ref []

let argument = if Array.length Sys.argv > 1 then Sys.argv.(1) else ""

let work () =
  (* Allocates, so that minor collections look for threads. *)
  for i = 1 to 20_000 do
    kept := if i land 1023 = 0 then [] else i :: !kept
  done

let much n = for _ = 1 to n do work () done

let () =
  ignore (Thread.self () : Thread.t);     (* links the library *)
  Callback.register "work" much;
  if argument = "filter" then forbid ();
  if argument = "take" then begin
    while not (Sys.file_exists "take") do work () done;
    take ();
    close_out (open_out "taken")
  end;
  while not (Sys.file_exists "stop") do
    work ();
    if argument = "naps" then begin
      much 200;
      if nap () then failwith "a sleep was interrupted"
    end
  done;
  if argument = "naps" && thread () then
    failwith "a sleep of a thread of C was interrupted";
  print_endline "end"
