(* Metrics.  A domain of its own reads the rings of the program and sends, ten
   times a second, what happened to a Unix socket, a line a metric:

     minor.count 12              minor collections
     minor.ns 1840211            time spent in them
     jobs.done 250               sum of the program's counter "jobs"

     ocamlopt -I +unix unix.cmxa metrics_socket.ml -o metrics_socket
     ./metrics_socket /tmp/metrics.sock *)

open Eventring

let jobs = Counter.register ~unit:"jobs" "jobs"

(* The program proper. *)

let work rounds =
  for _ = 1 to rounds do
    let batch = List.init 10_000 string_of_int in
    Counter.sample jobs (List.length batch / 1000);
    Unix.sleepf 0.001
  done

(* The consumer.  Minor collections stop all domains, so those of domain 0
   are all of them. *)

type metrics = {
  mutable minors : int;
  mutable minor_ns : int;
  mutable began : int;          (* 0: not in a minor collection *)
  mutable jobs_done : int;
  mutable lost : int;
}

let reading m =
  let is_minor c = Cursor.name c = "minor" && Cursor.domain c = 0 in
  Cursor.callbacks ()
    ~span_start:(fun c -> if is_minor c then m.began <- Cursor.time c)
    ~span_finish:(fun c ->
      if is_minor c && m.began > 0 then begin
        m.minors <- m.minors + 1;
        m.minor_ns <- m.minor_ns + Cursor.time c - m.began;
        m.began <- 0
      end)
    ~counter:(fun c ->
      if Cursor.name c = "jobs" then
        m.jobs_done <- m.jobs_done + Cursor.value c)
    ~lost:(fun c -> m.lost <- m.lost + Cursor.value c; m.began <- 0)

let send out m =
  Printf.fprintf out "minor.count %d\nminor.ns %d\njobs.done %d\nlost %d\n%!"
    m.minors m.minor_ns m.jobs_done m.lost;
  m.minors <- 0; m.minor_ns <- 0; m.jobs_done <- 0; m.lost <- 0

let rec consume cursor callbacks m out finished =
  (* Looked at before the poll, so that the last one sees everything. *)
  let last = Atomic.get finished in
  ignore (Cursor.poll cursor callbacks);
  send out m;
  if not last then begin
    Unix.sleepf 0.1;
    consume cursor callbacks m out finished
  end

let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  start ();
  let cursor = Cursor.create ~from_now:true Self in
  let socket = Unix.(socket PF_UNIX SOCK_STREAM 0) in
  Unix.connect socket (Unix.ADDR_UNIX Sys.argv.(1));
  let finished = Atomic.make false in
  let consumer = Domain.spawn (fun () ->
    let out = Unix.out_channel_of_descr socket in
    let m = { minors = 0; minor_ns = 0; began = 0; jobs_done = 0; lost = 0 } in
    (* Who listens may go away; the program goes on. *)
    try consume cursor (reading m) m out finished
    with Sys_error why -> prerr_endline ("metrics: " ^ why)) in
  work 200;
  Atomic.set finished true;
  Domain.join consumer;
  Cursor.close cursor
