(* Works in 100 threads of C by turns, and in this one, until a file named stop
   exists. *)

external start : int -> unit = "threads_start"
external stop : unit -> unit = "threads_stop"

let kept = ref []

let () =
  start 100;
  while not (Sys.file_exists "stop") do
    (* Allocates, so that minor collections look for threads. *)
    for i = 1 to 20_000 do
      kept := if i land 1023 = 0 then [] else i :: !kept
    done
  done;
  stop ();
  print_endline "end"
