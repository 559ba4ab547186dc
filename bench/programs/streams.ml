(* Lazy streams: the numbers with no prime factors but 2, 3 and 5, in order, by
   streams that are merged; each cell is computed once and kept. *)

type 'a stream = Cons of 'a * 'a stream Lazy.t

let rec map f (Cons (x, rest)) =
  Cons (f x, lazy (map f (Lazy.force rest)))

let rec merge (Cons (x, xs) as a) (Cons (y, ys) as b) =
  if x < y then Cons (x, lazy (merge (Lazy.force xs) b))
  else if y < x then Cons (y, lazy (merge a (Lazy.force ys)))
  else Cons (x, lazy (merge (Lazy.force xs) (Lazy.force ys)))

let rec fold_first n f acc (Cons (x, rest)) =
  if n = 0 then acc
  else fold_first (n - 1) f (f acc x) (Lazy.force rest)

(* Floats: whole numbers that are exact far beyond 63 bits here, since their odd
   factors stay small. *)
let hamming () =
  let rec all = lazy (Cons (1., lazy (
    let Cons (_, _) as l = Lazy.force all in
    merge (map (( *. ) 2.) l)
      (merge (map (( *. ) 3.) l) (map (( *. ) 5.) l)))))
  in
  Lazy.force all

let () =
  let size = int_of_string Sys.argv.(1) in
  let sum = ref 0. in
  for _ = 1 to 10 do
    sum := fold_first size (fun sum x -> sum +. log x) !sum (hamming ())
  done;
  Printf.printf "%.6e\n" !sum
