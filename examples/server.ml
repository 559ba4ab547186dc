(* A program that looks like a server, for the monitor: requests arrive, wait in
   a queue, and are answered by two domains, with a cache that grows and is
   emptied. It runs until it is killed, or for the seconds given.

     server [SECONDS] *)

open Eventring

let get = Request.register "get"
let report = Request.register "report"
let parse = Span.register "parse"
let look_up = Span.register "look up"
let render = Span.register "render"
let queued = Counter.register ~unit:"requests" "queued"
let cached = Counter.register ~unit:"entries" "cached"

let began = Unix.gettimeofday ()
let now () = Unix.gettimeofday () -. began
let seconds =
  if Array.length Sys.argv > 1 then float_of_string Sys.argv.(1) else infinity

(* A queue between domains *)

let lock = Mutex.create ()
let not_empty = Condition.create ()
let queue = Queue.create ()

let put work =
  Mutex.protect lock (fun () ->
    Queue.add work queue;
    Counter.sample queued (Queue.length queue);
    Condition.signal not_empty)

let take () =
  Mutex.protect lock (fun () ->
    while Queue.is_empty queue do Condition.wait not_empty lock done;
    Queue.take queue)

(* The work *)

let cache = Hashtbl.create 1024
let cache_lock = Mutex.create ()

let row key = List.init 20 (fun i -> string_of_int (key + i))

let find key =
  Mutex.protect cache_lock (fun () ->
    match Hashtbl.find_opt cache key with
    | Some rows -> rows
    | None ->
      if Hashtbl.length cache >= 20_000 then Hashtbl.reset cache;
      let rows = List.init 5 (fun i -> row (key * i)) in
      Hashtbl.add cache key rows;
      Counter.sample cached (Hashtbl.length cache);
      rows)

let answer key =
  let words = Span.run parse (fun () -> row key) in
  let rows =
    Span.run look_up (fun () ->
      List.concat_map (fun word -> find (int_of_string word)) words) in
  Span.run render (fun () ->
    String.length (String.concat "," (List.concat rows)))

(* A report sorts more than fits the minor heap. *)
let make_report () =
  Span.run render (fun () ->
    List.init 100_000 (fun i -> string_of_int (i * 7919 mod 100_003))
    |> List.sort compare |> List.length)

let serve name () =
  set_domain_name name;
  let rec loop () =
    match take () with
    | None -> ()
    | Some (kind, id, work) ->
      ignore (Request.run_with id work);
      Request.finish kind id;
      loop () in
  loop ()

(* The load has a rhythm of 12 seconds. *)
let pause () =
  let phase = 2. *. Float.pi *. now () /. 12. in
  0.0015 +. 0.0012 *. sin phase

let () =
  set_domain_name "front";
  let workers =
    List.map (fun name -> Domain.spawn (serve name)) ["worker 1"; "worker 2"] in
  let rec arrive n =
    if now () < seconds then begin
      let kind, work =
        if n mod 400 = 399 then report, make_report
        else get, fun () -> answer (Random.int 40_000) in
      put (Some (kind, Request.start kind, work));
      Unix.sleepf (pause ());
      arrive (n + 1)
    end in
  arrive 0;
  List.iter (fun _ -> put None) workers;
  List.iter Domain.join workers;
  print_endline "the server has answered all requests"
