(* snapshot [hostile]: writes a snapshot of its rings, after somebody else wrote
   positions to their directory that no writer has. *)

let word file at =
  ignore (Unix.lseek file at SEEK_SET : int);
  let b = Bytes.create 8 in
  assert (Unix.read file b 0 8 = 8);
  Int64.to_int (Bytes.get_int64_le b 0)

let set_word file at n =
  ignore (Unix.lseek file at SEEK_SET : int);
  let b = Bytes.create 8 in
  Bytes.set_int64_le b 0 n;
  assert (Unix.write file b 0 8 = 8)

let () =
  Eventring.start ~categories:[Eventring.User] ();
  Eventring.Mark.emit (Eventring.Mark.register "mark");
  if Array.length Sys.argv > 1 then begin
    let file = Unix.openfile (Option.get (Eventring.path ())) [O_RDWR] 0 in
    let directory = word file 48 and ring_words = word file 72 in
    for slot = 0 to 127 do
      set_word file (directory + 128 * slot) (Int64.of_int ring_words);
      set_word file (directory + 128 * slot + 8) 0x4000000000000000L
    done;
    Unix.close file
  end;
  Eventring.snapshot "snapshot.eventring";
  print_endline "written"
