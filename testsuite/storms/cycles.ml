(* cycles N: starts and stops tracing N times while five other domains write
   events, and prints by how much the mappings and the address space of the
   process grew after the first ten. *)

let lines file =
  let ic = open_in file in
  let rec read acc =
    match input_line ic with
    | line -> read (line :: acc)
    | exception End_of_file -> close_in ic; acc in
  read []

(* KiB of address space, number of mappings *)
let size () =
  let of_line line =
    Scanf.sscanf_opt line "VmSize: %d kB" (fun kilobytes -> kilobytes) in
  Option.get (List.find_map of_line (lines "/proc/self/status")),
  List.length (lines "/proc/self/maps")

let () =
  let cycles = int_of_string Sys.argv.(1) in
  let stop = Atomic.make false in
  let span = Eventring.Span.register "work" in
  let work _ = Domain.spawn (fun () ->
    while not (Atomic.get stop) do
      for _ = 1 to 100 do Eventring.Span.run span ignore done;
      Unix.sleepf 0.0001
    done) in
  let domains = List.init 5 work in
  let before = ref (0, 0) in
  for i = 1 to cycles do
    Eventring.start ();
    if i mod 3 = 0 then for _ = 1 to 100 do Eventring.Span.run span ignore done;
    Eventring.stop ();
    if i = 10 then before := size ()
  done;
  let kilobytes, mappings = size () in
  Atomic.set stop true;
  List.iter Domain.join domains;
  Printf.printf "%d KiB, %d mappings more\n" (kilobytes - fst !before)
    (mappings - snd !before)
