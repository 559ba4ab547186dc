(* Events of C stubs: see example_stubs.c for what they write.

     ocamlopt example_stubs.c checksum.ml -o checksum
     ./checksum *)

external register : unit -> unit = "example_register"
external checksum : string -> int = "example_checksum" [@@noalloc]
external wait : unit -> unit = "example_wait"

let () =
  register ();
  Eventring.start ();
  let cursor = Eventring.Cursor.(create ~from_now:true Self) in
  Printf.printf "checksum %x\n" (checksum "Wikipedia");
  wait ();

  (* What they wrote.  Spans of the runtime come by here too. *)
  let open Eventring.Cursor in
  let ours c = List.mem (name c) ["checksum"; "checksum size"; "wait"] in
  let print what c =
    if ours c then
      if words c = 0 then Printf.printf "%s %s\n" what (name c)
      else Printf.printf "%s %s %d %s\n" what (name c) (value c) (unit c) in
  ignore (poll cursor
    (callbacks () ~span_start:(print "start") ~span_finish:(print "finish")
       ~counter:(print "counter")));
  close cursor
