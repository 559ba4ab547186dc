(* Two domains that write events for a while, at a rate, in a burst each
   millisecond: writer KIND RATE MILLISECONDS

   KIND is counter (events of the program, RATE a second in both domains
   together, 0: as fast as can be) or collect (the events of the runtime when
   both allocate as fast as they can; RATE is not used).

   Says "ready", begins when told a line, and answers how many nanoseconds it
   took; for counter, how many events there were. *)

let counter = Eventring.Counter.register "number"

let now () = Unix.gettimeofday ()

let count rate seconds () =
  let start = now () in
  let per_ms = rate / 2 / 1000 in
  let written = ref 0 and ms = ref 0 in
  while now () -. start < seconds do
    let burst = if rate = 0 then 10_000 else per_ms in
    for i = 1 to burst do Eventring.Counter.sample counter i done;
    written := !written + burst;
    incr ms;
    if rate > 0 then begin
      let due = start +. float !ms /. 1000. -. now () in
      if due > 0. then Unix.sleepf due
    end
  done;
  !written

let collect seconds () =
  let start = now () in
  while now () -. start < seconds do
    for _ = 1 to 100 do ignore (Sys.opaque_identity (List.init 200 ref)) done
  done;
  0

let () =
  let seconds = float_of_string Sys.argv.(3) /. 1000. in
  let work = match Sys.argv.(1) with
    | "counter" -> count (int_of_string Sys.argv.(2)) seconds
    | _ -> collect seconds
  in
  print_endline "ready";
  ignore (read_line ());
  let start = now () in
  let other = Domain.spawn work in
  let mine = work () in
  let all = mine + Domain.join other in
  Printf.printf "%d %.0f\n" all ((now () -. start) *. 1e9)
