(* Works until a file named stop exists.  With the argument filter, first forbids
   itself perf_event_open, on pain of death.  With the argument take, takes three
   signals of the sampler from it when a file named take exists. *)

external forbid : unit -> unit = "perf_forbid"
external take : unit -> unit = "perf_take"

let kept = ref []

let argument = if Array.length Sys.argv > 1 then Sys.argv.(1) else ""

let work () =
  (* Allocates, so that minor collections look for threads. *)
  for i = 1 to 20_000 do
    kept := if i land 1023 = 0 then [] else i :: !kept
  done

let () =
  if argument = "filter" then forbid ();
  if argument = "take" then begin
    while not (Sys.file_exists "take") do work () done;
    take ();
    close_out (open_out "taken")
  end;
  while not (Sys.file_exists "stop") do work () done;
  print_endline "end"
