(* A reader for bench/run-reader, for both toolchains: the library
   Runtime_events, with callbacks in OCaml or in C (consumer_stubs.c).
   consumer FOLDER PID ocaml|c *)

open Runtime_events
open Polling

external c_open : string -> int -> unit = "bench_consumer_open"
external c_poll : unit -> unit = "bench_consumer_poll"
external c_count : int -> int = "bench_consumer_count"

let folder = Sys.argv.(1)
let pid = int_of_string Sys.argv.(2)

let in_ocaml () =
  let see count time =
    last := Int64.to_int (Timestamp.to_int64 time);
    incr count in
  let phase _ time _ = see runtime time in
  let counter _ time _ _ = see runtime time in
  let event _ time _ _ = see user time in
  let callbacks =
    Callbacks.create ~runtime_begin:phase ~runtime_end:phase
      ~runtime_counter:counter
      ~lost_events:(fun _ n -> lost := !lost + n) ()
    |> Callbacks.add_user_event Type.span event
    |> Callbacks.add_user_event Type.int event in
  let cursor = create_cursor (Some (folder, pid)) in
  fun () -> ignore (read_poll cursor callbacks None)

let in_c () =
  c_open folder pid;
  fun () ->
    c_poll ();
    List.iteri (fun i count -> count := !count + c_count i)
      [user; runtime; lost]

let () = serve (if Sys.argv.(3) = "c" then in_c () else in_ocaml ())
