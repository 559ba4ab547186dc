(* Functions with which the programs of this folder report their own tests: a
   line each, read by the function "checks" of programs.sh. *)

let ok name = function
  | true -> Printf.printf "ok - %s\n%!" name
  | false -> Printf.printf "not ok - %s\n%!" name

(* Checks that [f ()] raises an exception that [expected] accepts. *)
let raises name expected f =
  match f () with
  | _ -> Printf.printf "# raised nothing\n"; ok name false
  | exception e ->
    if not (expected e) then
      Printf.printf "# raised %s\n" (Printexc.to_string e);
    ok name (expected e)

let invalid = function Invalid_argument _ -> true | _ -> false
let failure = function Failure _ -> true | _ -> false
