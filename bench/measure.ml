(* Times operations in several states: see run-probes, which makes a table of
   the output.  A line a figure, separated by tabs: operation, source, state,
   bytes of ring and minor words an operation, the samples, and the floors
   measured between them, both in ns an operation. *)

external now : unit -> int = "bench_now" [@@noalloc]            (* ns *)
external ticks : unit -> int = "bench_ticks" [@@noalloc]
external evict : unit -> unit = "bench_evict" [@@noalloc]
external written : unit -> int = "bench_written"                (* words *)
external ring_bytes : unit -> int = "bench_ring_bytes"
external fresh_ring : unit -> unit = "bench_fresh_ring"

type op = {
  what : string;
  from : string;
  events : int;                 (* events that one operation writes *)
  loop : int -> unit;           (* does that many operations, a multiple of 8 *)
  once : unit -> int;           (* ticks of one operation *)
  bare : unit -> int;           (* ticks of none *)
}

let bare_once () = let t = ticks () in ticks () - t

let floor_loop = ref ignore             (* readings of the counter *)

let print what from state ~bytes ~words samples floors =
  let list a =
    String.concat "," (List.map (Printf.sprintf "%.4f") (Array.to_list a)) in
  Printf.printf "%s\t%s\t%s\t%.3f\t%.3f\t%s\t%s\n%!" what from state
    bytes words (list samples) (list floors)

let time loop n =
  let start = now () in
  loop n;
  now () - start

let each f n = float (time f n) /. float n

(* A batch is long compared with reading the clock, and so short that most are
   not interrupted. *)
let batches = 61
let batch_ns = 20_000

let batch_size loop =
  let rec search n =
    if n >= 65536 || min (time loop n) (time loop n) >= batch_ns then n
    else search (2 * n) in
  search 8

(* Returns minor words and bytes of ring an operation. *)
let needs op =
  let n = batch_size op.loop in
  let before = written () in
  let words = Gc.minor_words () in
  op.loop n;
  let words = Gc.minor_words () -. words in
  words /. float n, float (8 * (written () - before)) /. float n

(* Measures the floor, with each sample: the machine's speed drifts. *)
let floor op = each !floor_loop 512 *. float op.events

let warm state op =
  let words, bytes = needs op in
  let n = batch_size op.loop in
  let floors = Array.make batches 0. in
  let samples =
    Array.init batches (fun i ->
      floors.(i) <- floor op;
      each op.loop n) in
  print op.what op.from state ~bytes ~words samples floors

(* Times single operations, each after the caches were filled with other data,
   less the cost of timing in that state. *)

let shots = 11

let median a =
  let a = Array.copy a in
  Array.sort compare a;
  a.(Array.length a / 2)

let first_ticks, first_now = ticks (), now ()

let cold state op =
  let words, bytes = needs op in
  let shot f = evict (); f () in
  let bare = Array.make shots 0 in
  let taken =
    Array.init shots (fun i ->
      bare.(i) <- shot op.bare;
      shot op.once) in
  let bare = median bare in
  let ns_per_tick =
    float (now () - first_now) /. float (ticks () - first_ticks) in
  print op.what op.from state ~bytes ~words
    (Array.map (fun t -> float (t - bare) *. ns_per_tick) taken)
    (Array.init shots (fun _ -> floor op))

(* Times the first lap of a ring, in which its pages are allocated. *)

let laps = 3

let first_touch state op =
  let words, bytes = needs op in
  let n = int_of_float (float (ring_bytes ()) /. bytes) / 8 * 8 in
  print op.what op.from state ~bytes ~words
    (Array.init laps (fun _ -> fresh_ring (); each op.loop n))
    (Array.init laps (fun _ -> floor op))

(* Times reading.  [read timed] opens a cursor, passes [timed] a function that
   reads all events and returns their number, and closes the cursor. *)

let readings = 11

let reading state what (from, read) =
  let words = ref 0. and samples = ref [] in
  let timed poll =
    let before = Gc.minor_words () in
    let start = now () in
    let count = float (poll ()) in
    samples := float (now () - start) /. count :: !samples;
    words := (Gc.minor_words () -. before) /. count in
  for _ = 1 to readings do read timed done;
  let samples = Array.of_list !samples in
  print what from state ~bytes:0. ~words:!words samples
    (Array.map (fun _ -> 0.) samples)

(* Operations of probes_own.ml that stock OCaml lacks. *)
let own_ops : op list ref = ref []
let own_readers : (string * (((unit -> int) -> unit) -> unit)) list ref = ref []
