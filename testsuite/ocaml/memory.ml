(* Memory that the collector found and moved: memory WHAT prints the numbers of
   module Gc for it. *)

let keep x = ignore (Sys.opaque_identity x)
let tree = ref []

let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

let () =
  match Sys.argv.(1) with
  | "minor" ->
    (* Counters between two collections of the whole minor heap *)
    Gc.minor ();
    let minor0, promoted0, _ = Gc.counters () in
    tree := List.init 30_000 Fun.id;
    keep (List.init 20_000 Fun.id);
    Gc.minor ();
    let minor1, promoted1, _ = Gc.counters () in
    Printf.printf "%.0f %.0f\n" (minor1 -. minor0) (promoted1 -. promoted0)
  | "heap" ->
    tree := List.init 100_000 Fun.id;
    let large = Array.make 200_000 0 in
    Gc.full_major ();
    let stat = Gc.quick_stat () in
    Printf.printf "%d\n" stat.heap_words;
    keep large
  | "process" ->
    (* The memory is told when a slice has followed a minor collection: before the
       loop and, more than a second later, after it. *)
    let block = Bytes.make 50_000_000 'x' in
    let collect () = for _ = 1 to 1000 do keep (List.init 1000 Fun.id) done in
    collect ();
    let since = Unix.gettimeofday () in
    while Unix.gettimeofday () -. since < 1.1 do
      keep (Array.make 1000 0);
      Unix.sleepf 0.01
    done;
    collect ();
    let ic = open_in "/proc/self/statm" in
    Scanf.sscanf (input_line ic) "%d %d" (fun mapped resident ->
        Printf.printf "%d %d\n" (mapped * 4096) (resident * 4096));
    keep block
  | "minor_heap" ->
    let size words = Gc.set { (Gc.get ()) with minor_heap_size = words } in
    Printf.printf "%d\n" (Gc.get ()).minor_heap_size;
    size 32768; size 65536; size 65536
  | "stack" -> Printf.printf "%d\n" (deep 1_000_000)
  | "pools" ->
    tree := List.init 300_000 Fun.id;
    Gc.full_major ();
    tree := [];
    Gc.compact ();
    Gc.full_major ()
  | "signal" ->
    Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> Unix.sleepf 0.02));
    Unix.kill (Unix.getpid ()) Sys.sigusr1;
    Sys.set_signal Sys.sigterm (Signal_handle (fun _ -> ()));
    Unix.kill (Unix.getpid ()) Sys.sigterm
  | "finalisers" ->
    for i = 1 to 7 do
      Gc.finalise (fun _ -> if i = 1 then Unix.sleepf 0.02) (ref i)
    done;
    for i = 1 to 5 do Gc.finalise_last ignore (ref i) done;
    Gc.full_major ()
  | "raises" ->
    for way = 1 to 5 do
      Gc.finalise (fun _ -> raise Exit) (ref way);
      (try
         (match way with
          | 1 -> Gc.full_major ()
          | 2 -> Gc.major ()
          | 3 -> Gc.compact ()
          | 4 -> keep (Gc.stat ())
          | _ -> Gc.full_major ());
       with Exit -> Printf.printf "%d\n" way)
    done;
    keep (Gc.major_slice 0);
    Gc.minor ()
  | "dynlink" -> Dynlink.loadfile Sys.argv.(2)
  | _ -> exit 99
