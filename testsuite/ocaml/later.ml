(* Fills the disk with the file of its argument when the first domain has
   written events and a second one is still to come.  Exit code 3. *)

let collect () = for _ = 1 to 100 do Gc.minor () done

let fill name =
  let out = open_out_bin name in
  let rec go n = if n > 0 then
    match output_string out (String.make n 'x'); flush out with
    | () -> go n
    | exception Sys_error _ -> go (n / 2) in
  go 65536;
  (* The lines that are still buffered cannot be written. *)
  close_out_noerr out

let () =
  collect ();
  print_string "first ";
  fill Sys.argv.(1);
  Domain.join (Domain.spawn collect);
  print_string "second ";
  collect ();
  print_endline "third";
  exit 3
