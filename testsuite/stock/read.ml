(* Prints the events that Runtime_events reads of DIRECTORY/PID.events.  read
   DIRECTORY PID: for each event its ring, its time, its form, its name and its
   payload, in hexadecimal words; "lost" has words of the ring. *)
module R = Runtime_events
type R.User.tag += Note

let text =
  R.Type.register ~encode:(fun _ (_ : string) -> 0)
    ~decode:(fun buffer length -> Bytes.sub_string buffer 0 length)
(* An event of a type of the program's own is known to programs that register
   it. *)
let _note = R.User.register "note" Note text

let print ring time form name payload =
  Printf.printf "%d %Ld %s %s %s\n" ring (R.Timestamp.to_int64 time) form name
    payload
let word = Printf.sprintf "%016x"
let int n = if n < 0 then Printf.sprintf "%016Lx" (Int64.of_int n) else word n

let bytes s =
  let words = (String.length s + 7) / 8 in
  let padded = Bytes.make (words * 8) '\000' in
  Bytes.blit_string s 0 padded 0 (String.length s);
  String.concat " "
    (word (String.length s)
     :: List.init words (fun i ->
          Printf.sprintf "%016Lx" (Bytes.get_int64_ne padded (8 * i))))

let () =
  let cursor =
    R.create_cursor (Some (Sys.argv.(1), int_of_string Sys.argv.(2))) in
  let callbacks =
    R.Callbacks.create
      ~runtime_begin:(fun ring time phase ->
        print ring time "begin" (R.runtime_phase_name phase) "-")
      ~runtime_end:(fun ring time phase ->
        print ring time "end" (R.runtime_phase_name phase) "-")
      ~runtime_counter:(fun ring time counter value ->
        print ring time "counter" (R.runtime_counter_name counter) (int value))
      ~lifecycle:(fun ring time lifecycle value ->
        print ring time "instant" (R.lifecycle_name lifecycle)
          (int (Option.value value ~default:0)))
      ~lost_events:(fun ring words -> Printf.printf "%d lost %d\n" ring words)
      ()
    |> R.Callbacks.add_user_event R.Type.span (fun ring time event span ->
        print ring time (if span = R.Type.Begin then "begin" else "end")
          (R.User.name event) "-")
    |> R.Callbacks.add_user_event R.Type.int (fun ring time event value ->
        print ring time "counter" (R.User.name event) (int value))
    |> R.Callbacks.add_user_event R.Type.unit (fun ring time event () ->
        print ring time "instant" (R.User.name event) "-")
    |> R.Callbacks.add_user_event text (fun ring time event s ->
        print ring time "instant" (R.User.name event) (bytes s)) in
  ignore (R.read_poll cursor callbacks None)
