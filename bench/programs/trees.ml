(* Allocation: binary trees that are built, checked and dropped, while another
   tree lives on. *)

type tree = Leaf | Node of tree * tree

let rec make depth =
  if depth = 0 then Leaf else Node (make (depth - 1), make (depth - 1))

let rec count = function
  | Leaf -> 1
  | Node (l, r) -> 1 + count l + count r

let () =
  let size = int_of_string Sys.argv.(1) in
  let kept = make size in
  let total = ref 0 in
  for depth = 4 to size do
    if depth land 1 = 0 then
      for _ = 1 to 1 lsl (size - depth + 2) do
        total := !total + count (make depth)
      done
  done;
  Printf.printf "%d %d\n" !total (count kept)
