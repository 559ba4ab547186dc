(* Uses processor time: for so many seconds in [first] and [second], three to
   one, and then in [later] only, until it is killed.

     hot SECONDS *)

let seconds = float_of_string Sys.argv.(1)
let x = ref 1

let[@inline never] first n =
  for i = 1 to n do x := !x * 17 + i done                          (* FIRST *)

let[@inline never] second n =
  for i = 1 to n do x := !x * 17 + i done

let[@inline never] both () =
  let began = Unix.gettimeofday () in
  while Unix.gettimeofday () -. began < seconds do
    first 300_000;
    second 100_000
  done

let[@inline never] later () =
  for i = 1 to 100_000 do x := !x * 17 + i done

let () =
  both ();
  while Sys.opaque_identity true do later () done
