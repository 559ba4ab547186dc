(* The program that bench/run-validate observes.  The first argument is the
   task, the second its number of repetitions:

     nothing N   an empty function of C, called N times in a span each, with the
                 caches full of other data, as after collecting
     domains N   two domains that allocate, promote and so collect
     events N    runs of events, each followed by as long a computation
     cost N      prints the nanoseconds an event of such a run, N times *)

open Timing

external nothing : unit -> unit = "bench_nothing" [@@noalloc]

let span = Eventring.Span.register "span"

let call_nothing n =
  let other = Bytes.create (1 lsl 22) in
  for i = 1 to n do
    Bytes.fill other 0 (Bytes.length other) (Char.unsafe_chr (i land 255));
    Eventring.Span.start span;
    nothing ();
    Eventring.Span.finish span
  done

let allocate n =
  let kept = Array.make 1000 [] in
  for i = 1 to n do
    kept.(i mod 1000) <- List.init 100 (fun j -> i + j)
  done

let domains n =
  let other = Domain.spawn (fun () -> allocate n) in
  allocate n;
  Domain.join other

(* As in probes.ml. *)
let[@inline never] emit_run () =
  let[@inline] one () = Eventring.Span.start span; Eventring.Span.finish span in
  for _ = 1 to per_run / 8 do
    one (); one (); one (); one (); one (); one (); one (); one ()
  done

let[@inline never] compute () =
  let x = ref 1 in
  for _ = 1 to 25 * per_run do
    x := !x * 25214903917 + 11
  done;
  ignore (Sys.opaque_identity !x)

let events n =
  for _ = 1 to n do
    emit_run ();
    compute ()
  done

let cost n =
  for _ = 1 to n do
    let median, _ = measure emit_run in
    Printf.printf "%.3f\n" (median /. 2.)
  done

let () =
  let n = int_of_string Sys.argv.(2) in
  match Sys.argv.(1) with
  | "nothing" -> call_nothing n
  | "domains" -> domains n
  | "events" -> events n
  | "cost" -> cost n
  | what -> failwith what
