(* Events of module Eventring and its cursors, which a stock toolchain lacks.
   Eight a turn, as in probes.ml. *)

open Measure

let span = Eventring.Span.register "own span"
let counter = Eventring.Counter.register "own counter"
let mark = Eventring.Mark.register "own mark"
let message = Eventring.Message.register "own message"
let custom =
  Eventring.Custom.register "own custom"
    ~encode:(fun buffer s -> Bytes.blit_string s 0 buffer 0 16; 16)
    ~decode:(fun buffer length -> Bytes.sub_string buffer 0 length)

let[@inline] write_span _ =
  Eventring.Span.start span; Eventring.Span.finish span
let[@inline] write_counter i = Eventring.Counter.sample counter i
let[@inline] write_mark _ = Eventring.Mark.emit mark
let[@inline] write_text _ = Eventring.Message.emit message "sixteen bytes it"
let[@inline] write_custom _ = Eventring.Custom.emit custom "sixteen bytes it"

let spans n =
  for i = 1 to n / 8 do
    write_span i; write_span i; write_span i; write_span i;
    write_span i; write_span i; write_span i; write_span i
  done

let counters n =
  for i = 1 to n / 8 do
    write_counter i; write_counter i; write_counter i; write_counter i;
    write_counter i; write_counter i; write_counter i; write_counter i
  done

let marks n =
  for i = 1 to n / 8 do
    write_mark i; write_mark i; write_mark i; write_mark i;
    write_mark i; write_mark i; write_mark i; write_mark i
  done

let texts n =
  for i = 1 to n / 8 do
    write_text i; write_text i; write_text i; write_text i;
    write_text i; write_text i; write_text i; write_text i
  done

let customs n =
  for i = 1 to n / 8 do
    write_custom i; write_custom i; write_custom i; write_custom i;
    write_custom i; write_custom i; write_custom i; write_custom i
  done

let () =
  let op what events loop once =
    { what; from = "Eventring"; events; loop; once; bare = bare_once } in
  own_ops := [
    op "user span" 2 spans
      (fun () -> let t = ticks () in write_span 1; ticks () - t);
    op "user counter" 1 counters
      (fun () -> let t = ticks () in write_counter 1; ticks () - t);
    op "user unit" 1 marks
      (fun () -> let t = ticks () in write_mark 1; ticks () - t);
    op "user text, 16 bytes" 1 texts
      (fun () -> let t = ticks () in write_text 1; ticks () - t);
    op "user custom, 16 bytes" 1 customs
      (fun () -> let t = ticks () in write_custom 1; ticks () - t);
  ]

(* Reads with callbacks that look at the time, and from C. *)

let last = ref 0

let callbacks =
  let see c = last := Eventring.Cursor.time c in
  Eventring.Cursor.callbacks ~span_start:see ~span_finish:see ~counter:see
    ~instant:see ()

let read timed =
  let cursor = Eventring.Cursor.(create Self) in
  timed (fun () -> Eventring.Cursor.poll cursor callbacks);
  Eventring.Cursor.close cursor

external c_open : unit -> unit = "bench_own_open"
external c_read : bool -> int = "bench_own_read"
external c_close : unit -> unit = "bench_own_close"

let read_in_c merged timed =
  c_open ();
  timed (fun () -> c_read merged);
  c_close ()

let () =
  own_readers := [
    "Eventring", read;
    "libeventring", read_in_c true;
    "libeventring, one ring", read_in_c false;
  ]
