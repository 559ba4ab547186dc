(* resident NUMBER FILE: writes NUMBER to its ring until FILE exists.
   resident NUMBER: writes NUMBER to its ring and crashes. *)

let () =
  let who = Eventring.Counter.register "who" in
  let number = int_of_string Sys.argv.(1) in
  if Array.length Sys.argv > 2 then
    while not (Sys.file_exists Sys.argv.(2)) do
      Eventring.Counter.sample who number;
      Unix.sleepf 0.001
    done
  else begin
    Eventring.Counter.sample who number;
    (* The first process of a namespace cannot be killed from within. *)
    failwith "a crash"
  end
