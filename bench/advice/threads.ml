(* Threads of one domain that allocate: each builds and drops trees. *)

type tree = Leaf | Node of tree * tree

let rec make depth =
  if depth = 0 then Leaf else Node (make (depth - 1), make (depth - 1))

let rec count = function Leaf -> 1 | Node (l, r) -> 1 + count l + count r

let work size () =
  let total = ref 0 in
  for _ = 1 to size do total := !total + count (make 10) done;
  !total

let () =
  let size = int_of_string Sys.argv.(1) in
  let totals = Array.make 2 0 in
  let part i = totals.(i) <- work size () in
  List.iter Thread.join (List.init 2 (Thread.create part));
  Printf.printf "%d\n" (Array.fold_left (+) 0 totals)
