(* Requests, of which a hundred are under way at a time.  The first 4 of 400 do x
   for long, all others do y for a short time; between slices of a millisecond
   another request has its turn.  Each is a fiber; the argument says who runs
   them: "threads", 4 of the threads library, or "fibers", the main thread. *)

open Effect
open Effect.Deep

external cpu_ns : unit -> int = "test_cpu_ns"

let requests = 400 and slow = 4 and at_a_time = 100
let kind = Eventring.Request.register "get"

let[@inline never] compute n =
  let s = ref 0 in
  for i = 1 to n do s := !s + (i * i) mod 7 done;
  !s

(* A millisecond of processor time. *)
let[@inline never] slice () =
  let until = cpu_ns () + 1_000_000 in
  while cpu_ns () < until do ignore (Sys.opaque_identity (compute 1000)) done

let[@inline never] x pause = for _ = 1 to 60 do slice (); pause () done
let[@inline never] y pause = for _ = 1 to 4 do slice (); pause () done

(* Request [i], which calls [pause] between its slices. *)
let serve i id pause =
  let pause () =
    Eventring.Request.suspend id;
    pause ();
    Eventring.Request.resume id in
  Eventring.Request.resume id;
  if i < slow then (x [@inlined never]) pause
  else (y [@inlined never]) pause;
  Eventring.Request.finish kind id

(* Work that is left: the rest of a request, or a new one. *)
let queue = Queue.create () and lock = Mutex.create ()
let push work = Mutex.protect lock (fun () -> Queue.push work queue)
let pop () = Mutex.protect lock (fun () -> Queue.take_opt queue)

type _ Effect.t += Yield : unit Effect.t

(* Runs [f] up to its next Yield, and leaves the rest in the queue. *)
let run f =
  match_with f ()
    { retc = Fun.id; exnc = raise;
      effc = fun (type a) (e : a Effect.t) -> match e with
        | Yield ->
            Some (fun (k : (a, unit) continuation) ->
                push (fun () -> continue k ()))
        | _ -> None }

let begun = Atomic.make 0

(* The next request, if there is one, and another one when it has ended. *)
let rec begin_next () =
  let i = Atomic.fetch_and_add begun 1 in
  if i < requests then begin
    let id = Eventring.Request.start kind in
    push (fun () ->
        run (fun () -> serve i id (fun () -> perform Yield); begin_next ()))
  end

let rec work () =
  match pop () with
  | Some f -> f (); work ()
  | None -> if Atomic.get begun < requests then (Thread.yield (); work ())

let () =
  for _ = 1 to at_a_time do begin_next () done;
  (match Sys.argv.(1) with
   | "fibers" -> work ()
   | "threads" ->
       List.init 4 (fun _ -> Thread.create work ()) |> List.iter Thread.join
   | _ -> exit 2);
  print_endline "end"
