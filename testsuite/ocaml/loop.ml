(* Loops for ever: in OCaml code without allocation or system call; with the argument
   C, in C code; with "samples", in OCaml code after it has started samples. *)

external spin : unit -> unit = "loop_spin"

let rec loop n = loop (n + 1)

let () =
  print_endline "begin";
  match Sys.argv with
  | [| _; "C" |] -> spin ()
  | [| _; "samples" |] -> Eventring.Profile.start (); loop 0
  | _ -> loop 0
