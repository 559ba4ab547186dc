(* Pause times.  A program that reads its own rings while it works and prints
   each pause of its garbage collector, with its cause, and at the end a table
   of them.

     ocamlopt pause_times.ml -o pause_times && ./pause_times *)

open Eventring

module Trees = Map.Make (Int)

(* Something to collect: search trees that live for one round. *)
let work round =
  let tree = ref Trees.empty in
  for i = 1 to 20_000 do
    tree := Trees.add (i * round mod 7919) (string_of_int i) !tree
  done;
  Trees.cardinal !tree

(* The runtime's spans that are pauses, by the names that doc/EVENTS.md gives
   them, with the durations seen so far. *)
let pauses = ["minor", ref []; "major_slice", ref []]

(* When the pause that is going on began, by ring and id of the event. *)
let began : (int * int, int) Hashtbl.t = Hashtbl.create 8

let key c = Cursor.ring c, Cursor.id c

let span_start c =
  if List.mem_assoc (Cursor.name c) pauses then
    Hashtbl.replace began (key c) (Cursor.time c)

let span_finish c =
  match Hashtbl.find_opt began (key c) with
  | None -> ()          (* not a pause, or it began before we looked *)
  | Some start ->
      Hashtbl.remove began (key c);
      let duration = Cursor.time c - start in
      let seen = List.assoc (Cursor.name c) pauses in
      seen := duration :: !seen;
      Printf.printf "domain %d  %-11s  %8.1f us  %s\n" (Cursor.domain c)
        (Cursor.name c) (float duration /. 1e3)
        (Cursor.field c "cause").meaning

(* The reader came too late for some events: what was going on is unknown. *)
let lost c =
  Printf.printf "domain %d  lost %d events\n" (Cursor.domain c)
    (Cursor.value c);
  Hashtbl.reset began

let callbacks = Cursor.callbacks ~span_start ~span_finish ~lost ()

let print_total (name, seen) =
  let sorted = Array.of_list !seen in
  Array.sort compare sorted;
  let count = Array.length sorted in
  if count > 0 then
    Printf.printf "%-11s  %5d pauses, median %8.1f us, longest %8.1f us\n" name
      count (float sorted.(count / 2) /. 1e3)
      (float sorted.(count - 1) /. 1e3)

let () =
  start ();
  let cursor = Cursor.create Self in
  for round = 1 to 20 do
    ignore (Sys.opaque_identity (work round));
    ignore (Cursor.poll cursor callbacks)
  done;
  Cursor.close cursor;
  List.iter print_total pauses
