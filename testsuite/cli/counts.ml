(* Collects in so many domains besides its own, one after the other, then prints
   its counts as the lines that testsuite/cli/stat.t compares. *)

let work times =
  for i = 1 to times do
    ignore (Sys.opaque_identity (List.init 1000 (fun k -> Some (k + i))))
  done

let () =
  let others = int_of_string Sys.argv.(1) in
  for _ = 1 to others do
    Domain.join (Domain.spawn (fun () -> work (2000 / others)))
  done;
  work 2000;
  for _ = 1 to 50 do ignore (Sys.opaque_identity (Bytes.create 100_000)) done;
  Gc.full_major ();
  Gc.compact ();
  let s = Gc.quick_stat () in
  List.iter (fun (name, n) -> Printf.printf "%s %d\n" name n)
    [ "minor_collections", s.minor_collections;
      "major_cycles", s.major_collections;
      "compactions", s.compactions;
      "allocated_words", int_of_float s.minor_words;
      "promoted_words", int_of_float s.promoted_words;
      "major_allocated_words", int_of_float s.major_words;
      "explicit_calls", 2 ]
