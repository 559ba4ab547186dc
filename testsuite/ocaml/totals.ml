(* Collects in several domains, for testsuite/ocaml/totals.t:

     resize    with rings of another size in between, and a snapshot, ./snapshot,
               right after that; then prints its counts
     pause     with a pause of the recording in between
     fork      in a child, too
     calls     by calls of module Gc only
     cut       with its file cut short before the rings get another size
     snapshot  and writes a snapshot, ./snapshot *)

let work times =
  for i = 1 to times do
    ignore (Sys.opaque_identity (List.init 1000 (fun k -> Some (k + i))));
    ignore (Sys.opaque_identity (Bytes.create 10_000))
  done

let work_in_two () =
  let other = Domain.spawn (fun () -> work 500; Gc.full_major ()) in
  work 500;
  Domain.join other;
  Gc.compact ()

let print_counts () =
  let s = Gc.quick_stat () in
  List.iter (fun (name, n) -> Printf.printf "%s %d\n" name n)
    [ "minor_collections", s.minor_collections;
      "major_cycles", s.major_collections;
      "compactions", s.compactions;
      "allocated_words", int_of_float s.minor_words;
      "promoted_words", int_of_float s.promoted_words;
      "major_allocated_words", int_of_float s.major_words;
      "explicit_calls", 4 ]

let () =
  match Sys.argv.(1) with
  | "resize" ->
    work_in_two ();
    Eventring.start ~ring_words:1024 ();
    Eventring.snapshot "snapshot";
    work_in_two ();
    print_counts ()
  | "pause" ->
    work_in_two ();
    Eventring.pause ();
    work_in_two ();
    Eventring.resume ();
    work_in_two ()
  | "fork" ->
    work 500;
    begin match Unix.fork () with
    | 0 -> work 500; Gc.full_major ()
    | child -> ignore (Unix.waitpid [] child); work 500
    end
  | "calls" ->
    for _ = 1 to 10 do Gc.full_major () done
  | "cut" ->
    Unix.truncate (Option.get (Eventring.path ())) 4096;
    Eventring.start ~ring_words:2048 ();
    work 500;
    print_endline "works on"
  | _ ->
    work_in_two ();
    Eventring.snapshot "snapshot"
