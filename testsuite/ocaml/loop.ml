(* Loops for ever: in OCaml code without allocation or system call, or, with the
   argument C, in C code. *)

external spin : unit -> unit = "loop_spin"

let rec loop n = loop (n + 1)

let () =
  print_endline "begin";
  if Array.length Sys.argv > 1 then spin () else loop 0
