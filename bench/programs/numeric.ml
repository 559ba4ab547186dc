(* Floating-point loops over arrays: the spectral norm of an infinite matrix,
   cut at [n].  Allocates almost nothing. *)

let a i j =
  1. /. float_of_int ((i + j) * (i + j + 1) / 2 + i + 1)

let times n f v result =
  for i = 0 to n - 1 do
    let sum = ref 0. in
    for j = 0 to n - 1 do
      sum := !sum +. f i j *. Float.Array.get v j
    done;
    Float.Array.set result i !sum
  done

let () =
  let n = int_of_string Sys.argv.(1) in
  let u = Float.Array.make n 1. and v = Float.Array.make n 0. in
  let w = Float.Array.make n 0. in
  let at i j = a j i in
  for _ = 1 to 4 do
    times n a u w;
    times n at w v;
    times n a v w;
    times n at w u
  done;
  let dot x y =
    let sum = ref 0. in
    for i = 0 to n - 1 do
      sum := !sum +. Float.Array.get x i *. Float.Array.get y i
    done;
    !sum
  in
  Printf.printf "%.9f\n" (sqrt (dot u v /. dot v v))
