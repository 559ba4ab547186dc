(* Prints a line for each event of the runtime, and for each number of the
   program, that a Runtime_events cursor reads, without its time.

     cursor_names DIRECTORY PID *)

open Runtime_events

let () =
  let cursor =
    create_cursor (Some (Sys.argv.(1), int_of_string Sys.argv.(2))) in
  let phase form _ _ p =
    Printf.printf "%s %s\n" form (runtime_phase_name p) in
  let runtime_counter _ _ c n =
    Printf.printf "counter %s %d\n" (runtime_counter_name c) n in
  let lifecycle _ _ l argument =
    Printf.printf "lifecycle %s %d\n" (lifecycle_name l)
      (Option.value ~default:0 argument) in
  let lost_events _ n = Printf.printf "lost %d\n" n in
  let callbacks =
    Callbacks.create ~runtime_begin:(phase "begin") ~runtime_end:(phase "end")
      ~runtime_counter ~lifecycle ~lost_events ()
    |> Callbacks.add_user_event Type.int (fun _ _ e n ->
        Printf.printf "user %s %d\n" (User.name e) n) in
  while read_poll cursor callbacks None > 0 do () done
