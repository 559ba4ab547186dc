(* Works until a file named stop exists.  With the argument filter, first forbids
   itself perf_event_open, on pain of death. *)

external forbid : unit -> unit = "perf_forbid"

let kept = ref []

let () =
  if Array.length Sys.argv > 1 then forbid ();
  while not (Sys.file_exists "stop") do
    (* Allocates, so that minor collections look for threads. *)
    for i = 1 to 20_000 do
      kept := if i land 1023 = 0 then [] else i :: !kept
    done
  done;
  print_endline "end"
