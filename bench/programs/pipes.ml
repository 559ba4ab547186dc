(* Threads and blocking input and output: lines go through a pipe from one
   thread to another and back, and both allocate meanwhile. *)

let () =
  let n = int_of_string Sys.argv.(1) in
  let there_out, there_in = Unix.pipe () and back_out, back_in = Unix.pipe () in
  let echo () =
    let input = Unix.in_channel_of_descr there_out in
    let output = Unix.out_channel_of_descr back_in in
    try
      while true do
        let line = input_line input in
        output_string output (String.uppercase_ascii line);
        output_char output '\n';
        flush output
      done
    with End_of_file -> close_out output
  in
  let thread = Thread.create echo () in
  let output = Unix.out_channel_of_descr there_in in
  let input = Unix.in_channel_of_descr back_out in
  let length = ref 0 in
  for i = 1 to n do
    (* A batch of work for each message. *)
    let parts = List.init 300 (fun j -> string_of_int (i * j)) in
    output_string output (String.concat "," parts);
    output_char output '\n';
    flush output;
    length := !length + String.length (input_line input)
  done;
  close_out output;
  Thread.join thread;
  Printf.printf "%d\n" !length
