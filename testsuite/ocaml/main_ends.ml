(* The main thread ends; another one goes on, until its input ends. *)

external end_thread : unit -> unit = "end_thread"

let work () =
  print_endline "begin";
  while
    ignore (Sys.opaque_identity (List.init 1000 Fun.id));
    let ready, _, _ = Unix.select [Unix.stdin] [] [] 0.001 in
    ready = []
  do () done;
  Unix._exit 7

let () =
  ignore (Thread.create work ());
  end_thread ()
