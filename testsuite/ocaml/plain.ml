(* Collects garbage, prints a number and ends with exit code 3: its behaviour
   must not depend on tracing.

     plain [DIRECTORY]      goes there half-way *)

let work seed =
  let keep = Array.make 100 [] in
  for i = 1 to 2_000 do
    keep.(i mod 100) <- List.init 50 (fun k -> k * i + seed)
  done;
  Array.fold_left (List.fold_left ( + )) 0 keep

let () =
  let first = work 1 in
  if Array.length Sys.argv > 1 then Sys.chdir Sys.argv.(1);
  let second = Domain.join (Domain.spawn (fun () -> work 2)) in
  Gc.full_major ();
  Printf.printf "%d\n" (first + second);
  exit 3
