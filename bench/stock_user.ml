(* The same figures as probes.ml for what stock OCaml has: user events and
   cursors of the library Runtime_events.  Compiled with a stock toolchain. *)

open Measure
open Runtime_events

type User.tag += Span | Value
let span = User.register "span" Span Type.span
let value = User.register "value" Value Type.int

let spans () =
  let[@inline] one () = User.write span Begin; User.write span End in
  for _ = 1 to per_run / 8 do
    one (); one (); one (); one (); one (); one (); one (); one ()
  done

let samples () =
  let[@inline] one i = User.write value i in
  for i = 1 to per_run / 8 do
    one i; one i; one i; one i; one i; one i; one i; one i
  done

let all state =
  row "User span" state (fun () -> measure spans);
  row "User int" state (fun () -> measure samples)

(* Events of the runtime and the program's, as the ring holds them. *)

let last = ref 0L
let count = ref 0

let callbacks =
  let see time = last := Timestamp.to_int64 time; incr count in
  let span _ time _ _ = see time and value _ time _ _ = see time in
  Callbacks.create ()
  |> Callbacks.add_user_event Type.span span
  |> Callbacks.add_user_event Type.int value

let read_all () =
  let cursor = create_cursor None in
  count := 0;
  let start = now () in
  ignore (read_poll cursor callbacks None);
  let ns = now () - start in
  free_cursor cursor;
  float ns /. float !count

let () =
  all "stock disabled";
  start ();
  pause ();
  all "stock paused";
  resume ();
  all "stock enabled";
  (* A ring full: the measurements left one of samples only. *)
  for _ = 1 to 3 do spans (); samples () done;
  row "User cursor" "stock" (fun () ->
    median_and_least (Array.init 41 (fun _ -> read_all ())))
