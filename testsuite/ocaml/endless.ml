(* Writes some events, then ends in the way that its argument names. *)

let own_ring () = Printf.sprintf "%d.eventring" (Unix.getpid ())

let () =
  for _ = 1 to 100 do Gc.minor () done;
  match Sys.argv.(1) with
  | "exit2" -> exit 2
  | "uncaught" -> failwith "on purpose"
  | "_exit" -> Unix._exit 5
  | "abort" -> Unix.kill (Unix.getpid ()) Sys.sigterm; Unix.sleep 10
  | "domains" ->
    let started = Atomic.make false in
    let rec collect () = Gc.minor (); Atomic.set started true; collect () in
    ignore (Domain.spawn collect : unit Domain.t);
    while not (Atomic.get started) do Domain.cpu_relax () done;
    exit 0
  | "remove" -> Sys.remove (own_ring ())
  | "replace" ->
    Sys.remove (own_ring ());
    Out_channel.with_open_bin (own_ring ()) (fun out ->
        output_string out "other\n")
  | how -> invalid_arg how
