(* Threads of one domain that compute and allocate nothing. *)

let work size =
  let x = ref 1 in
  for i = 1 to size do x := (!x * 7 + i) land 0xFFFFFF done;
  !x

let () =
  let size = int_of_string Sys.argv.(1) in
  let totals = Array.make 2 0 in
  let part i = totals.(i) <- work size in
  List.iter Thread.join (List.init 2 (Thread.create part));
  Printf.printf "%d\n" (Array.fold_left (+) 0 totals)
