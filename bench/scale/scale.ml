(* Domains that write at the same time, for bench/run-scale, with ours and with
   stock: ours/events.ml and stock/events.ml have the events.

     scale span|phase DOMAINS TIMES
       nanoseconds of processor time an event, events a second of all
     scale memory DOMAINS TIMES
       as above, then waits for the end of standard input
     scale spawn TIMES
       nanoseconds to spawn a domain and join it, the median *)

external cpu_now : unit -> int = "bench_cpu_now" [@@noalloc]
external phases : int -> unit = "bench_phases" [@@noalloc]

let spans times = for _ = 1 to times do Events.span () done

type part = { cpu : int; start : int; stop : int }

(* More than a lap of a ring of the default size, which allocates its pages. *)
let lap = 65_536

(* Runs [f] in every domain at once: they wait until all have done [prepare],
   and for each other before they end. *)
let in_domains domains prepare f =
  let lock = Mutex.create () and changed = Condition.create () in
  let meet = ref 0 in
  let wait_for n =
    Mutex.lock lock;
    incr meet;
    Condition.broadcast changed;
    while !meet < n do Condition.wait changed lock done;
    Mutex.unlock lock in
  let part () =
    prepare ();
    wait_for domains;
    let start = Timing.now () and cpu = cpu_now () in
    f ();
    let cpu = cpu_now () - cpu and stop = Timing.now () in
    wait_for (2 * domains);
    { cpu; start; stop } in
  let others = List.init (domains - 1) (fun _ -> Domain.spawn part) in
  let mine = part () in
  mine, others

let write domains prepared times f =
  let mine, others =
    in_domains domains (fun () -> f prepared) (fun () -> f times) in
  let parts = mine :: List.map Domain.join others in
  let events = 2 * times * domains in
  let of_all f with_ first = List.fold_left (fun x p -> with_ x (f p)) first in
  let cpu = of_all (fun p -> p.cpu) (+) 0 parts in
  let start = of_all (fun p -> p.start) min max_int parts in
  let stop = of_all (fun p -> p.stop) max 0 parts in
  Printf.printf "%.3f %.0f\n%!" (float cpu /. float events)
    (float events *. 1e9 /. float (stop - start))

let spawn times =
  let one _ =
    let start = Timing.now () in
    Domain.join (Domain.spawn ignore);
    float (Timing.now () - start) in
  let median, _ = Timing.median_and_least (Array.init times one) in
  Printf.printf "%.0f\n" median

let () =
  match List.tl (Array.to_list Sys.argv) with
  | ["span"; domains; times] ->
      write (int_of_string domains) lap (int_of_string times) spans
  | ["phase"; domains; times] ->
      write (int_of_string domains) lap (int_of_string times) phases
  | ["memory"; domains; times] ->
      write (int_of_string domains) 0 (int_of_string times) spans;
      ignore (In_channel.input_all stdin)
  | ["spawn"; times] -> spawn (int_of_string times)
  | _ -> prerr_endline "usage: see scale.ml"; exit 2
