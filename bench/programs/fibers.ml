(* Effects: a round-robin scheduler of fibers that yield and pass values. *)

open Effect
open Effect.Deep

type _ Effect.t += Yield : unit Effect.t

let ready : (unit -> unit) Queue.t = Queue.create ()

let spawn f =
  let run () =
    match_with f () {
      retc = ignore;
      exnc = raise;
      effc = fun (type a) (e : a Effect.t) ->
        match e with
        | Yield ->
            Some (fun (k : (a, unit) continuation) ->
              Queue.push (fun () -> continue k ()) ready)
        | _ -> None
    }
  in
  Queue.push run ready

let () =
  let fibers = int_of_string Sys.argv.(1) in
  let rounds = 200 in
  let sum = ref 0 in
  for i = 1 to fibers do
    spawn (fun () ->
      let mine = ref [] in
      for round = 1 to rounds do
        mine := (i * round) :: !mine;
        if round land 15 = 0 then mine := [];
        perform Yield
      done;
      sum := !sum + List.length !mine + i)
  done;
  while not (Queue.is_empty ready) do Queue.pop ready () done;
  Printf.printf "%d\n" !sum
