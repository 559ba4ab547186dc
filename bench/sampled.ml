(* sampled KIND PAIRS HZ: the processor time that HZ samples a second add to work.

   The work, at the end of 40 calls, is of a KIND: computes ("ocaml"), copies in
   C without the domain's stack pointer ("c"), does minor collections ("gc"), counts
   words in a hash table ("words"), builds balanced trees ("trees").  Four blocks of
   the same work, of 200 ms each, are a pair: on, off, off, on, or the other way
   round, so that a machine whose speed changes slowly changes both alike.  Prints
   the excess of each pair, in per cent.  With HZ 0, which takes no samples, this is
   noise. *)

let pairs = int_of_string Sys.argv.(2)
let rate = int_of_string Sys.argv.(3)

let arithmetic () =
  let s = ref 0 in
  for i = 1 to 100_000 do s := !s + (i * i) mod 7 done;
  ignore (Sys.opaque_identity !s)

let bytes = Bytes.create 1_000_000
let blit () = Bytes.blit bytes 0 bytes 500_000 500_000

let rec list n = if n = 0 then [] else n :: list (n - 1)
let collect () =
  let live = Array.init 100 (fun _ -> list 20) in
  Gc.minor ();
  ignore (Sys.opaque_identity live)

let numbers seed =
  let state = ref seed in
  fun () ->
    state := (!state * 1103515245 + 12345) land 0x3FFFFFFF;
    !state lsr 8

let words () =
  let counts = Hashtbl.create 16 in
  let next = numbers 42 in
  for _ = 1 to 2000 do
    let letter _ = Char.chr (Char.code 'a' + next () mod 12) in
    let word = String.init (1 + next () mod 4) letter in
    match Hashtbl.find_opt counts word with
    | Some count -> incr count
    | None -> Hashtbl.add counts word (ref 1)
  done;
  ignore (Sys.opaque_identity counts)

module Set = Stdlib.Set.Make (Int)

let trees () =
  let next = numbers 7 in
  let set = ref Set.empty in
  for _ = 1 to 2000 do set := Set.add (next ()) !set done;
  ignore (Sys.opaque_identity !set)

let work =
  match Sys.argv.(1) with
  | "ocaml" -> arithmetic
  | "c" -> blit
  | "gc" -> collect
  | "words" -> words
  | "trees" -> trees
  | work -> failwith work

let rec deep n f =
  if n = 0 then f ()
  else begin
    deep (n - 1) f;
    ignore (Sys.opaque_identity n)
  end

let repeat times = for _ = 1 to times do work () done

(* Returns how often [work] is done in 200 ms of processor time. *)
let calibrate () =
  let start = Sys.time () in
  let times = ref 0 in
  while Sys.time () -. start < 1. do work (); incr times done;
  max 5 (!times / 5)

(* Returns the seconds that [times] times [work] take.  The work before it gives the
   runtime time to open its events, or to close them. *)
let block times on =
  if on && rate > 0 then Eventring.Profile.start ~rate ();
  repeat (times / 5);
  let start = Sys.time () in
  repeat times;
  let seconds = Sys.time () -. start in
  if on && rate > 0 then Eventring.Profile.stop ();
  seconds

let () =
  deep 40 (fun () ->
    let times = calibrate () in
    for pair = 1 to pairs do
      let outer = pair land 1 = 0 in
      let first = block times outer in
      let second = block times (not outer) in
      let third = block times (not outer) in
      let fourth = block times outer in
      let ratio = (first +. fourth) /. (second +. third) in
      Printf.printf "%.4f\n%!"
        (100. *. ((if outer then ratio else 1. /. ratio) -. 1.))
    done)
