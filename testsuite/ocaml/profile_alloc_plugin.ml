(* A plugin for profile_alloc.ml: it allocates while it is loaded, and a quarter
   stays alive, through a global of its own. *)
let kept = Array.make 100 []

let () =
  for i = 0 to 99 do
    let all = List.init 2000 (fun j -> (j, string_of_int j)) in
    if i mod 4 = 0 then kept.(i) <- all
  done
