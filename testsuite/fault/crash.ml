(* Counts, in several domains and in a forked child, each worker in a counter
   of its own, and leaves in a file how far it came: one word a worker, stored
   after its event was.  Somewhere on the way it is killed, see
   crash_stubs.c.

     crash PROGRESS-FILE *)

external arm : int -> unit = "test_arm"

let progress =
  let file = Unix.openfile Sys.argv.(1) [O_RDWR; O_CREAT] 0o600 in
  Unix.map_file file Bigarray.int Bigarray.c_layout true [| 16 |]
  |> Bigarray.array1_of_genarray

let count worker =
  let counter = Eventring.Counter.register (Printf.sprintf "w%d" worker) in
  let keep = Array.make 50 [] in
  for i = 1 to 1000 do
    Eventring.Counter.sample counter i;
    progress.{worker} <- i;
    keep.(i mod 50) <- List.init 10 (fun k -> k + i);
    if i mod 300 = 0 then Gc.minor ();
    if i mod 500 = 0 then Gc.full_major ()
  done

let life first =
  count first;
  let both = List.init 2 (fun i ->
    Domain.spawn (fun () -> count (first + 1 + i))) in
  count (first + 3);
  List.iter Domain.join both;
  Domain.join (Domain.spawn (fun () -> count (first + 4)))

let () =
  match Unix.fork () with
  | 0 -> arm 1; life 5
  | _ -> life 0
