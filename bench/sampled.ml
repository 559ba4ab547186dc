(* Works for the seconds in the second argument at the end of 40 calls: in OCaml
   code ("ocaml"), in a C call without the domain's stack pointer ("c"), or in
   minor collections ("gc").  Prints how
   often it did its work. *)

let seconds = float_of_string Sys.argv.(2)

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

let rec deep n work =
  if n = 0 then begin
    let until = Sys.time () +. seconds in
    let works = ref 0 in
    while Sys.time () < until do work (); incr works done;
    print_int !works
  end else begin
    deep (n - 1) work;
    ignore (Sys.opaque_identity n)
  end

let () =
  deep 40 (match Sys.argv.(1) with
           | "ocaml" -> arithmetic
           | "c" -> blit
           | "gc" -> collect
           | work -> failwith work)
