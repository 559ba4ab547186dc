(* A program with a life: it forks, both processes work in several domains,
   and the first one waits for its child.  Prints sums, the child's first;
   exit code 3. *)

let work seed =
  let keep = Array.make 100 [] in
  for i = 1 to 200 do
    keep.(i mod 100) <- List.init 20 (fun k -> k * i + seed);
    if i mod 100 = 0 then Gc.minor ()
  done;
  Array.fold_left (List.fold_left ( + )) 0 keep

let rest seed =
  let domains = List.init 2 (fun i -> Domain.spawn (fun () -> work i)) in
  let sum = List.fold_left (fun sum d -> sum + Domain.join d) (work seed)
              domains in
  Printf.printf "%d\n%!" sum

let () =
  let before = work 7 in
  match Unix.fork () with
  | 0 -> rest before
  | child ->
    let _, status = Unix.waitpid [] child in
    print_endline (if status = WEXITED 3 then "child as well" else "harmed");
    rest (before + 1)

let () = exit 3
