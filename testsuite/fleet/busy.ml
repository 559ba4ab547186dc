(* Uses processor time in [hot] and [cold], three to one, until it has used half a
   second; in the second version, two to two. *)

let x = ref 1
let[@inline never] hot n = for i = 1 to n do x := !x * 17 + i done
let[@inline never] cold n = for i = 1 to n do x := !x * 19 + i done

let () =
  while Sys.time () < 0.5 do
    hot 300_000;
    cold 100_000
  done
