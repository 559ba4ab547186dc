(* A large heap that lives on: a table of records, each with a finaliser and an
   ephemeron that knows it, of which a few are replaced all the time. *)

type entry = { key : int; mutable friend : entry option; text : string }

let finalised = ref 0

let entry key =
  let e = { key; friend = None; text = String.make (8 + key mod 57) '.' } in
  Gc.finalise (fun _ -> incr finalised) e;
  e

let note e = Ephemeron.K1.make e (e.key * 3)

let churn size table notes =
  let state = ref 7 in
  let next bound =
    state := (!state * 1103515245 + 12345) land 0x3FFFFFFF;
    (!state lsr 8) mod bound
  in
  for round = 1 to 4 * size do
    let i = next size in
    if round land 3 = 0 then begin
      table.(i) <- entry (size + round);
      notes.(i) <- note table.(i)
    end
    else table.(i).friend <- Some table.(next size);
    (* Chains of friends would keep every entry ever made. *)
    if round land 7 = 0 then table.(next size).friend <- None
  done

let check table notes =
  let sum = ref 0 in
  Array.iteri
    (fun i e ->
      match Ephemeron.K1.query notes.(i) e with
      | Some note -> sum := !sum + note + String.length e.text
      | None -> failwith "a key that lives has lost its data")
    table;
  !sum

let () =
  let size = int_of_string Sys.argv.(1) in
  let table = Array.init size entry in
  let notes = Array.map note table in
  churn size table notes;
  Printf.printf "%d, " (check table notes);
  (* Now only the table keeps an entry.  One collection calls finalisers,
     and their arguments can be freed in the next. *)
  Array.iter (fun e -> e.friend <- None) table;
  Gc.full_major ();
  Gc.full_major ();
  Printf.printf "%d finalised\n" !finalised;
  ignore (Sys.opaque_identity (table, notes))
