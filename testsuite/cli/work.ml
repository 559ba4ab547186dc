(* Collects garbage for so many seconds, in this domain and in others.

     work SECONDS DOMAINS *)

let seconds = float_of_string Sys.argv.(1)
let domains = int_of_string Sys.argv.(2)

let began = Unix.gettimeofday ()

let collect () =
  let keep = Array.make 1000 [] in
  let i = ref 0 in
  while Unix.gettimeofday () -. began < seconds do
    keep.(!i mod 1000) <- List.init 100 (fun k -> k + !i);
    incr i
  done

let () =
  let others = List.init (domains - 1) (fun _ -> Domain.spawn collect) in
  collect ();
  List.iter Domain.join others
