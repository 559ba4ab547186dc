(* Allocates as much as its first argument says, sleeps for as many milliseconds
   as its second one says, then ends as its third one says. *)
let kept = ref []
let number i = if Array.length Sys.argv > i then int_of_string Sys.argv.(i) else 0
let () =
  for i = 1 to number 1 do
    kept := if i mod 1000 = 0 then [] else i :: !kept
  done;
  Unix.sleepf (float (number 2) /. 1000.);
  match Sys.argv with
  | [| _; _; _; "kill" |] -> Unix.kill (Unix.getpid ()) Sys.sigkill
  | [| _; _; _; code |] -> exit (int_of_string code)
  | _ -> ()
