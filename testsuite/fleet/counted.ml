(* Samples the counter "n" with 1, 2, 3, ... in each of several domains, a batch
   at a time, until its input ends or so many batches are made, then prints the
   id of each domain with its last number.

   counted DOMAINS BATCH PAUSE [BATCHES] *)

let batch = int_of_string Sys.argv.(2)
let pause = float_of_string Sys.argv.(3)
let batches = if Array.length Sys.argv > 4 then int_of_string Sys.argv.(4)
              else max_int
let n = Eventring.Counter.register "n"
let stop = Atomic.make false

let count () =
  let last = ref 0 and made = ref 0 in
  while not (Atomic.get stop) && !made < batches do
    incr made;
    for _ = 1 to batch do
      incr last;
      Eventring.Counter.sample n !last
    done;
    if pause > 0. then Unix.sleepf pause
  done;
  (Domain.self () :> int), !last

let () =
  let others =
    List.init (int_of_string Sys.argv.(1)) (fun _ -> Domain.spawn count) in
  if batches = max_int then begin
    while Unix.read Unix.stdin (Bytes.create 1) 0 1 > 0 do () done;
    Atomic.set stop true
  end;
  List.iter
    (fun d -> let id, last = Domain.join d in Printf.printf "%d %d\n" id last)
    others
