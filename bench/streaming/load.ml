(* Programs that write events at a known rate, for bench/run-delay and
   bench/run-agent.

     load marks SECONDS RATE           RATE events a second, in a burst each
                                       millisecond
     load work DOMAINS EVENTS STEPS    so many events in each domain, with STEPS
                                       steps of a computation after each

   Marks: says "ready", begins when told a line, prints how many events of
   counter "number" and how many of counter "mark" there were, and ends with its
   input.  A mark, each 10 ms, has the time of the event as its value, in
   microseconds since the epoch.  Before the line, there is an event each 10 ms:
   a receiver opens a stream when its first events arrive.

   Work: prints a number that depends on the whole computation. *)

open Eventring

let number = Counter.register "number"
let mark = Counter.register "mark"
let argument i = int_of_string Sys.argv.(i)
let microseconds () = int_of_float (Unix.gettimeofday () *. 1e6)

(* Returns the number of events before the line. *)
let rec await events =
  match Unix.select [ Unix.stdin ] [] [] 0.01 with
  | [], _, _ -> Counter.sample number 0; await (events + 1)
  | _ -> ignore (read_line ()); events

let marks seconds rate =
  print_endline "ready";
  let before = await 0 in
  let began = Unix.gettimeofday () in
  let numbers = ref 0 and marks = ref 0 in
  for ms = 1 to seconds * 1000 do
    if ms mod 10 = 0 then begin
      incr marks;
      Counter.sample mark (microseconds ())
    end;
    (* All that are due by now. *)
    let due = rate * ms / 1000 in
    for i = !numbers + 1 to due do Counter.sample number i done;
    numbers := due;
    let left = began +. float ms /. 1000. -. Unix.gettimeofday () in
    if left > 0. then Unix.sleepf left
  done;
  Printf.printf "%d %d\n%!" (before + !numbers) !marks;
  while input_char stdin <> '\n' do () done

let work domains events steps =
  let count () =
    let x = ref 88172645463325252 in
    for i = 1 to events do
      for _ = 1 to steps do
        x := !x lxor (!x lsl 13);
        x := !x lxor (!x lsr 7);
        x := !x lxor (!x lsl 17)
      done;
      Counter.sample number i
    done;
    !x
  in
  let others = List.init (domains - 1) (fun _ -> Domain.spawn count) in
  let mine = count () in
  print_int (List.fold_left (fun sum d -> sum + Domain.join d) mine others)

let () =
  match Sys.argv.(1) with
  | "marks" -> (try marks (argument 2) (argument 3) with End_of_file -> ())
  | "work" -> work (argument 2) (argument 3) (argument 4)
  | way -> failwith ("load: " ^ way)
