(* Measures the cost of the runtime's probes, of events of the program, and of
   reading, in every state.  Calls itself as "probes read DIRECTORY" to read the
   events of its parent without a pause.  Compiled with our toolchain, together
   with probes_own.ml, and with a stock one. *)

open Measure

external c_ops : unit -> int = "bench_ops"
external c_what : int -> string = "bench_what"
external c_events : int -> int = "bench_events"
external c_loop : int -> int -> unit = "bench_loop" [@@noalloc]
external c_once : int -> int = "bench_once" [@@noalloc]

(* The first is nothing, two are clocks. *)
let clocks, c_probes =
  let op i =
    { what = c_what i; from = "C"; events = c_events i; loop = c_loop i;
      once = (fun () -> c_once i); bare = (fun () -> c_once 0) } in
  match List.init (c_ops ()) op with
  | _ :: hardware :: gettime :: probes -> [hardware; gettime], probes
  | _ -> assert false

let () = floor_loop := (List.hd clocks).loop

(* Events of the library Runtime_events, eight a turn, so that the loop does not
   count. *)

open Runtime_events

type User.tag += Span | Value | Unit | Custom

let span = User.register "span" Span Type.span
let value = User.register "value" Value Type.int
let unit = User.register "unit" Unit Type.unit
let text =
  Type.register
    ~encode:(fun buffer s -> Bytes.blit_string s 0 buffer 0 16; 16)
    ~decode:(fun buffer length -> Bytes.sub_string buffer 0 length)
let custom = User.register "custom" Custom text

let[@inline] write_span _ = User.write span Begin; User.write span End
let[@inline] write_value i = User.write value i
let[@inline] write_unit _ = User.write unit ()
let[@inline] write_custom _ = User.write custom "sixteen bytes it"

let spans n =
  for i = 1 to n / 8 do
    write_span i; write_span i; write_span i; write_span i;
    write_span i; write_span i; write_span i; write_span i
  done

let values n =
  for i = 1 to n / 8 do
    write_value i; write_value i; write_value i; write_value i;
    write_value i; write_value i; write_value i; write_value i
  done

let units n =
  for i = 1 to n / 8 do
    write_unit i; write_unit i; write_unit i; write_unit i;
    write_unit i; write_unit i; write_unit i; write_unit i
  done

let customs n =
  for i = 1 to n / 8 do
    write_custom i; write_custom i; write_custom i; write_custom i;
    write_custom i; write_custom i; write_custom i; write_custom i
  done

let user_ops =
  let op what events loop once =
    { what; from = "Runtime_events"; events; loop; once; bare = bare_once } in
  [
    op "user span" 2 spans
      (fun () -> let t = ticks () in write_span 1; ticks () - t);
    op "user counter" 1 values
      (fun () -> let t = ticks () in write_value 1; ticks () - t);
    op "user unit" 1 units
      (fun () -> let t = ticks () in write_unit 1; ticks () - t);
    op "user custom, 16 bytes" 1 customs
      (fun () -> let t = ticks () in write_custom 1; ticks () - t);
  ]

let ops = c_probes @ !own_ops @ user_ops

(* Reads with callbacks that look at the time. *)

let last = ref 0L

let callbacks =
  let see time = last := Timestamp.to_int64 time in
  let phase _ time _ = see time and counter _ time _ _ = see time in
  let user _ time _ _ = see time in
  Callbacks.create ~runtime_begin:phase ~runtime_end:phase
    ~runtime_counter:counter ()
  |> Callbacks.add_user_event Type.span user
  |> Callbacks.add_user_event Type.int user
  |> Callbacks.add_user_event Type.unit user
  |> Callbacks.add_user_event text user

let read timed =
  let cursor = create_cursor None in
  timed (fun () -> read_poll cursor callbacks None);
  free_cursor cursor

external c_open : unit -> unit = "bench_open"
external c_poll : unit -> int = "bench_poll"
external c_close : unit -> unit = "bench_close"

let read_in_c timed =
  c_open ();
  timed c_poll;
  c_close ()

let readers = ["C", read_in_c; "Runtime_events", read] @ !own_readers

(* Writes two laps of spans and counters, a counter to a span; more laps in
   stock OCaml, where events are larger. *)
let fill spans counters =
  for _ = 1 to ring_bytes () / 128 do spans 8; counters 8 done

let read_all state =
  let named what = (List.find (fun op -> op.what = what) c_probes).loop in
  fill (named "begin+end") (named "counter");
  List.iter (reading state "read one of the runtime") readers;
  fill spans values;
  List.iter (reading state "read one of the program") readers

(* The consumer reports that it reads after its first event; it ends with its
   parent, or when the parent kills it.  Its share of a processor is printed,
   since other processes may use the processor too. *)

let consume directory =
  let parent = Unix.getppid () in
  let cursor = create_cursor (Some (directory, parent)) in
  let poll () = read_poll cursor callbacks None in
  while poll () = 0 do () done;
  print_string "reads";
  close_out stdout;
  while Unix.getppid () = parent do
    for _ = 1 to 1000 do ignore (poll ()) done
  done

let with_consumer f =
  let directory = Filename.dirname (Option.get (path ())) in
  let start = now () in
  let from_consumer, to_us = Unix.pipe ~cloexec:true () in
  let consumer =
    Unix.create_process Sys.executable_name [| "probes"; "read"; directory |]
      Unix.stdin to_us Unix.stderr in
  Unix.close to_us;
  if Unix.read from_consumer (Bytes.create 1) 0 1 = 0 then
    failwith "the consumer cannot read the ring file";
  f ();
  Unix.kill consumer Sys.sigkill;
  let ns = now () - start in
  ignore (Unix.waitpid [] consumer);
  Unix.close from_consumer;
  let used = Unix.times () in
  Printf.printf "consumer\t%.3f\n"
    ((used.tms_cutime +. used.tms_cstime) /. float ns *. 1e9)

let measure () =
  List.iter (warm "-") clocks;
  List.iter (warm "disabled") ops;
  List.iter (cold "disabled, cold") ops;
  start ();
  pause ();
  List.iter (warm "paused") ops;
  resume ();
  fill spans values;            (* the first lap is another state *)
  List.iter (warm "enabled") ops;
  with_consumer (fun () -> List.iter (warm "with a consumer") ops);
  List.iter (cold "enabled, cold") ops;
  List.iter (first_touch "first touch") ops;
  read_all "enabled"

let () =
  match Sys.argv with
  | [| _; "read"; directory |] -> consume directory
  | _ -> measure ()
