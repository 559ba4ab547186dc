(* Fills rings for bench/run-reader, on command: writer RINGS.  It writes with
   Runtime_events.User, which both toolchains have, so that both get the same
   events.  Each line of standard input is a command; the answer is one line:
   the number of events written, and the nanoseconds. *)

open Runtime_events

type User.tag += Span | Value
let span = User.register "span" Span Type.span
let value = User.register "value" Value Type.int

let per_turn = 12

let write_turn () =
  for i = 1 to per_turn / 3 do
    User.write span Begin;
    User.write value i;
    User.write span End
  done

let rings = int_of_string Sys.argv.(1)

(* The rings take turns, so that a merging reader has to merge.  Ring 0 belongs
   to the main domain, the other domains wait for their turn for ever. *)
let turn = Array.init rings (fun _ -> Semaphore.Binary.make false)

let pass_from i = Semaphore.Binary.release turn.((i + 1) mod rings)

let worker i () =
  while true do
    Semaphore.Binary.acquire turn.(i);
    write_turn ();
    pass_from i
  done

let fill per_ring =
  for _ = 1 to per_ring / per_turn do
    write_turn ();
    if rings > 1 then begin
      pass_from 0;
      Semaphore.Binary.acquire turn.(0)
    end
  done;
  per_ring * rings

(* Events of the runtime. *)
let collect times =
  for _ = 1 to times do
    ignore (Sys.opaque_identity (List.init 100 Fun.id));
    Gc.minor ()
  done;
  times

(* Writes [rate] events a second, in a burst each millisecond; 0: as fast as
   possible.  When late it writes more at once. *)
let write_at rate milliseconds =
  let start = Timing.now () in
  let stop = start + milliseconds * 1_000_000 in
  let rec go written =
    let now = Timing.now () in
    if now >= stop then written
    else if rate > 0
            && written >= rate * ((now - start) / 1_000) / 1_000_000
    then (Unix.sleepf 0.001; go written)
    else (write_turn (); go (written + per_turn)) in
  go 0

let command line =
  match String.split_on_char ' ' line with
  | ["fill"; n] -> fill (int_of_string n)
  | ["collect"; n] -> collect (int_of_string n)
  | ["rate"; n; ms] -> write_at (int_of_string n) (int_of_string ms)
  | _ -> failwith line

let () =
  for i = 1 to rings - 1 do ignore (Domain.spawn (worker i)) done;
  print_endline "ready";
  try
    while true do
      let line = read_line () in
      let start = Timing.now () in
      let written = command line in
      Printf.printf "%d %d\n%!" written (Timing.now () - start)
    done
  with End_of_file -> ()
