(* A parser and printer of JSON: a document is made, printed, parsed and walked
   through.  Variants, strings, exceptions and recursion. *)

type json =
  | Null
  | Bool of bool
  | Number of float
  | String of string
  | Array of json list
  | Object of (string * json) list

exception Error of int * string

let parse text =
  let at = ref 0 in
  let error what = raise (Error (!at, what)) in
  let peek () = if !at < String.length text then text.[!at] else '\000' in
  let rec skip () =
    match peek () with
    | ' ' | '\n' | '\t' | '\r' -> incr at; skip ()
    | _ -> ()
  in
  let expect c = if peek () = c then incr at else error (Char.escaped c) in
  let word w result =
    String.iter expect w;
    result
  in
  let string () =
    let buffer = Buffer.create 16 in
    let rec chars () =
      match peek () with
      | '"' -> incr at
      | '\\' ->
          incr at;
          Buffer.add_char buffer
            (match peek () with 'n' -> '\n' | 't' -> '\t' | c -> c);
          incr at;
          chars ()
      | '\000' -> error "unterminated string"
      | c -> Buffer.add_char buffer c; incr at; chars ()
    in
    expect '"';
    chars ();
    Buffer.contents buffer
  in
  let number () =
    let start = !at in
    let rec digits () =
      match peek () with
      | '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> incr at; digits ()
      | _ -> ()
    in
    digits ();
    match float_of_string_opt (String.sub text start (!at - start)) with
    | Some x -> x
    | None -> error "number"
  in
  let rec value () =
    skip ();
    let v =
      match peek () with
      | '{' -> Object (items '}' member)
      | '[' -> Array (items ']' value)
      | '"' -> String (string ())
      | 't' -> word "true" (Bool true)
      | 'f' -> word "false" (Bool false)
      | 'n' -> word "null" Null
      | _ -> Number (number ())
    in
    skip ();
    v
  and member () =
    skip ();
    let name = string () in
    skip ();
    expect ':';
    (name, value ())
  and items : type a. char -> (unit -> a) -> a list = fun close item ->
    incr at;
    skip ();
    let rec more found =
      let found = item () :: found in
      if peek () = ',' then (incr at; more found)
      else (expect close; List.rev found)
    in
    if peek () = close then (incr at; []) else more []
  in
  let result = value () in
  if !at < String.length text then error "end of text";
  result

let rec print buffer json =
  let add = Buffer.add_string buffer in
  let quoted s = add "\""; add (String.escaped s); add "\"" in
  let separated item =
    List.iteri (fun i x -> if i > 0 then add ","; item x)
  in
  match json with
  | Null -> add "null"
  | Bool b -> add (string_of_bool b)
  | Number x -> add (Printf.sprintf "%.12g" x)
  | String s -> quoted s
  | Array l -> add "["; separated (print buffer) l; add "]"
  | Object l ->
      add "{";
      separated (fun (name, v) -> quoted name; add ":"; print buffer v) l;
      add "}"

let rec document depth n =
  if depth = 0 then
    match n mod 4 with
    | 0 -> Null
    | 1 -> Bool (n land 4 = 0)
    | 2 -> Number (float_of_int n /. 8.)
    | _ -> String (Printf.sprintf "text \"%d\"\n" n)
  else if depth land 1 = 0 then
    Array (List.init 6 (fun i -> document (depth - 1) (n * 7 + i)))
  else
    Object
      (List.init 6 (fun i ->
         (Printf.sprintf "name%d" i, document (depth - 1) (n * 5 + i))))

let rec count = function
  | Null | Bool _ | Number _ | String _ -> 1
  | Array l -> List.fold_left (fun sum v -> sum + count v) 1 l
  | Object l -> List.fold_left (fun sum (_, v) -> sum + count v) 1 l

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let original = document 5 1 in
  let nodes = ref 0 in
  let printed json =
    let buffer = Buffer.create 1000 in
    print buffer json;
    Buffer.contents buffer
  in
  let text = ref (printed original) in
  for _ = 1 to rounds do
    let json = parse !text in
    nodes := !nodes + count json;
    text := printed json
  done;
  Printf.printf "%d nodes, %s\n" !nodes (Digest.to_hex (Digest.string !text))
