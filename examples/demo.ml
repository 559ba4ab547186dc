(* A small program with something to see in every domain: each builds and drops
   search trees for as long as the others do, so that minor collections,
   which stop all domains, and slices of major collection come all the time. *)

module Trees = Map.Make (Int)

let rounds = 40
let size = 20_000

(* A tree that lives for one round, and a part of it that stays. *)
let work seed =
  let state = Random.State.make [| seed |] in
  let kept = ref [] in
  for round = 1 to rounds do
    let tree = ref Trees.empty in
    for _ = 1 to size do
      let key = Random.State.bits state in
      tree := Trees.add key (string_of_int key) !tree
    done;
    if round mod 4 = 0 then kept := !tree :: !kept
  done;
  List.fold_left (fun sum tree -> sum + Trees.cardinal tree) 0 !kept

let () =
  let domains = max 2 (min 4 (Domain.recommended_domain_count ())) in
  let others = List.init (domains - 1) (fun i -> Domain.spawn (fun () -> work i)) in
  let mine = work domains in
  let kept = List.fold_left (fun sum d -> sum + Domain.join d) mine others in
  Printf.printf "%d domains built %d trees and kept %d nodes\n"
    domains (domains * rounds) kept
