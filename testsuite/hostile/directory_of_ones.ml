(* Fills the directory of its own ring file with ones, as somebody else might,
   and takes a snapshot.  Exit code 3. *)

let () =
  Eventring.start ();
  let path = Option.get (Eventring.path ()) in
  let offset = In_channel.with_open_bin path (fun ic ->
    In_channel.seek ic 48L;
    let b = Bytes.create 16 in
    ignore (In_channel.really_input ic b 0 16 : unit option);
    Bytes.get_int64_le b 0) in
  let out = open_out_gen [Open_wronly; Open_binary] 0 path in
  Out_channel.seek out offset;
  Out_channel.output_string out (String.make (128 * 128) '\255');
  Out_channel.close out;
  (try Eventring.snapshot "snapshot" with Sys_error _ -> ());
  exit 3
