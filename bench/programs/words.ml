(* Strings and hash tables: words are made, counted, sorted and joined. *)

let () =
  let n = int_of_string Sys.argv.(1) in
  let counts = Hashtbl.create 16 in
  let state = ref 42 in
  let next bound =
    state := (!state * 1103515245 + 12345) land 0x3FFFFFFF;
    (!state lsr 8) mod bound
  in
  let buffer = Buffer.create 16 in
  for _ = 1 to n do
    Buffer.clear buffer;
    for _ = 0 to 1 + next 4 do
      Buffer.add_char buffer (Char.chr (Char.code 'a' + next 12))
    done;
    let word = Buffer.contents buffer in
    match Hashtbl.find_opt counts word with
    | Some count -> incr count
    | None -> Hashtbl.add counts word (ref 1)
  done;
  let all = Hashtbl.fold (fun word count l -> (!count, word) :: l) counts [] in
  let sorted = List.sort (fun a b -> compare b a) all in
  let text =
    String.concat " " (List.map (fun (c, w) -> w ^ ":" ^ string_of_int c) sorted)
  in
  Printf.printf "%d words, %d bytes, %s\n" (List.length sorted)
    (String.length text) (Digest.to_hex (Digest.string text))
