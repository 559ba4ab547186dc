(* Marshalling: a map with shared values is written to bytes, read back and
   changed, again and again. *)

module Map = Map.Make (String)

type value =
  | Number of float
  | Text of string
  | Both of value * value

let value i =
  match i mod 3 with
  | 0 -> Number (float_of_int i)
  | 1 -> Text (string_of_int i)
  | _ ->
      let shared = Text (String.make (i mod 40) 'x') in
      Both (shared, Both (Number 0.5, shared))

let rec weight = function
  | Number x -> int_of_float x
  | Text s -> String.length s
  | Both (a, b) -> weight a + weight b

let () =
  let rounds = int_of_string Sys.argv.(1) in
  let map = ref Map.empty in
  for i = 1 to 2000 do
    map := Map.add (string_of_int i) (value i) !map
  done;
  let bytes = ref 0 in
  for round = 1 to rounds do
    let written = Marshal.to_bytes !map [] in
    bytes := !bytes + Bytes.length written;
    let read : value Map.t = Marshal.from_bytes written 0 in
    map := Map.add (string_of_int (1 + round mod 2000)) (value round) read
  done;
  let weights = Map.fold (fun _ v sum -> sum + weight v) !map 0 in
  Printf.printf "%d bytes, %d\n" !bytes weights
