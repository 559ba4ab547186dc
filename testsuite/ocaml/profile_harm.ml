(* Programs that samples have harmed; the first argument names one. *)

external reset_signals : unit -> unit = "harm_reset_signals"
external sleeper : unit -> unit = "harm_sleeper"
external interrupted : unit -> int = "harm_interrupted"
external fork_on_alarm : unit -> unit = "harm_fork_on_alarm"
external end_alarms : unit -> unit = "harm_end_alarms"
external fork_for_ever : unit -> unit = "harm_fork_for_ever"
external hung : unit -> int = "harm_hung"
external small_stack : int -> unit = "harm_small_stack"
external overwritten : int -> int = "harm_overwritten"
external mutex_is_free : unit -> bool = "harm_mutex_is_free"
external load : string -> unit = "harm_load"
external cpu_ns : unit -> int = "test_cpu_ns"

external times : unit -> int = "harm_times"
let times = times ()

let kept = ref []

(* Allocates, so that minor collections look for threads. *)
let work_for seconds f =
  let until = Unix.gettimeofday () +. seconds *. float_of_int times in
  while Unix.gettimeofday () < until do
    for i = 1 to 20_000 do
      kept := if i land 1023 = 0 then [] else i :: !kept
    done;
    f ()
  done

let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

let waits_and f =
  let stop = Atomic.make false in
  let rec busy () =
    if not (Atomic.get stop) then begin
      ignore (Sys.opaque_identity (List.init 100 Fun.id));
      Unix.sleepf 0.0005;
      busy ()
    end in
  let thread = Thread.create busy () in
  f ();
  Atomic.set stop true;
  Thread.join thread

let () =
  (match Sys.argv.(1) with
   | "deep" ->
       for _ = 1 to 8 * times do
         Domain.join (Domain.spawn (fun () ->
             ignore (Sys.opaque_identity (deep 3_000_000))))
       done
   | "reset" ->
       work_for 0.1 ignore;
       reset_signals ();
       work_for 0.15 ignore
   | "sleeps" ->
       work_for 0.8 (fun () -> sleeper (); Unix.sleepf 0.03);
       Unix.sleepf 0.5;
       Printf.printf "interrupted %d\n" (interrupted ())
   | "alarm" -> fork_on_alarm (); work_for 0.5 ignore; end_alarms ()
   | "children" ->
       fork_for_ever ();
       work_for 4. ignore;       (* an alarm after 2 s ends one that hangs *)
       Printf.printf "hung %d\n" (hung ())
   | "small" ->
       waits_and (fun () -> List.iter small_stack [0; 2000; 4000; 6000])
   | "alternate" ->
       waits_and (fun () ->
           List.iter
             (fun size -> Printf.printf "overwritten %d\n" (overwritten size))
             [16384; 8192; 4096])
   | "cancel" ->
       waits_and (fun () -> Printf.printf "free %b\n" (mutex_is_free ()))
   | "rates" ->
       let n = ref 0 in
       work_for 0.5 (fun () ->
           incr n;
           Eventring.Profile.set_rate (if !n land 1 = 0 then 100 else 101));
       Printf.printf "cpu %d\n" (cpu_ns ())
   | "note" -> load Sys.argv.(2); work_for 0.2 ignore
   | _ -> exit 2);
  print_endline "end"
