(* Collects garbage in this domain and in others, for so many seconds or until a file
   is there: all the time in the first second, so that there is something to see, and a
   tenth of it later, since other tests want the processors.

     work SECONDS|FILE DOMAINS *)

let domains = int_of_string Sys.argv.(2)

let began = Unix.gettimeofday ()

let goes_on () =
  match float_of_string_opt Sys.argv.(1) with
  | Some seconds -> Unix.gettimeofday () -. began < seconds
  | None -> not (Sys.file_exists Sys.argv.(1))

let collect () =
  let keep = Array.make 1000 [] in
  let i = ref 0 in
  while goes_on () do
    for _ = 1 to 100 do
      keep.(!i mod 1000) <- List.init 100 (fun k -> k + !i);
      incr i
    done;
    if Unix.gettimeofday () -. began > 1. then Unix.sleepf 0.01
  done

let () =
  let others = List.init (domains - 1) (fun _ -> Domain.spawn collect) in
  collect ();
  List.iter Domain.join others
