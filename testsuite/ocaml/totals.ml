(* Collects in several domains, for testsuite/ocaml/totals.t:

     resize    with rings of another size in between, and a snapshot, ./snapshot,
               right after that; then prints its counts
     pause     with a pause of the recording in between
     fork      in a child, too, which prints its process id and its words
     calls     by calls of module Gc only
     sessions  in three sessions of their own, in the directories 0, 1 and 2, of
               which the first has nothing to count; prints for each session and
               domain the counts of Gc around it
     cut       with its file cut short before the rings get another size
     snapshot  and writes a snapshot, ./snapshot *)

let work times =
  for i = 1 to times do
    ignore (Sys.opaque_identity (List.init 1000 (fun k -> Some (k + i))));
    ignore (Sys.opaque_identity (Bytes.create 10_000))
  done

let work_in_two () =
  let other = Domain.spawn (fun () -> work 500; Gc.full_major ()) in
  work 500;
  Domain.join other;
  Gc.compact ()

let print_counts () =
  let s = Gc.quick_stat () in
  List.iter (fun (name, n) -> Printf.printf "%s %d\n" name n)
    [ "minor_collections", s.minor_collections;
      "major_cycles", s.major_collections;
      "compactions", s.compactions;
      "allocated_words", int_of_float s.minor_words;
      "promoted_words", int_of_float s.promoted_words;
      "major_allocated_words", int_of_float s.major_words;
      "explicit_calls", 4 ]

(* Before each session, both domains allocate in both heaps.  One session is
   without collections of the first domain. *)
let in_sessions () =
  let phase = Atomic.make 0 in
  let await n = while Atomic.get phase < n do Domain.cpu_relax () done in
  let counts = Array.init 2 (fun _ -> Array.make 6 (0., 0., 0.)) in
  let other =
    Domain.spawn (fun () ->
      for i = 0 to 2 do
        work 7;
        counts.(1).(2 * i) <- Gc.counters ();
        Atomic.incr phase;
        await (4 * i + 2);
        if i > 0 then work (i * 50);
        (* The end of a session counts the domain that ends it. *)
        Gc.minor ();
        ignore (Gc.major_slice 0 : int);
        Atomic.incr phase;
        await (4 * i + 4);
        counts.(1).(2 * i + 1) <- Gc.counters ()
      done)
  in
  for i = 0 to 2 do
    await (4 * i + 1);
    work 11;
    let dir = string_of_int i in
    Sys.mkdir dir 0o777;
    counts.(0).(2 * i) <- Gc.counters ();
    Eventring.start ~dir ();
    if i > 0 then work (i * 20);
    Atomic.incr phase;
    await (4 * i + 3);
    if i > 0 then work 3;
    Eventring.stop ();
    counts.(0).(2 * i + 1) <- Gc.counters ();
    Atomic.incr phase
  done;
  Domain.join other;
  for i = 0 to 2 do
    for domain = 0 to 1 do
      let minor, promoted, major = counts.(domain).(2 * i)
      and minor', promoted', major' = counts.(domain).(2 * i + 1) in
      Printf.printf "%d %d %.0f %.0f %.0f\n" i domain (minor' -. minor)
        (promoted' -. promoted)
        (major' -. promoted' -. (major -. promoted))
    done
  done

let () =
  match Sys.argv.(1) with
  | "resize" ->
    work_in_two ();
    Eventring.start ~ring_words:1024 ();
    Eventring.snapshot "snapshot";
    work_in_two ();
    print_counts ()
  | "pause" ->
    work_in_two ();
    Eventring.pause ();
    work_in_two ();
    Eventring.resume ();
    work_in_two ()
  | "fork" ->
    work 500;
    begin match Unix.fork () with
    | 0 ->
      let before = Gc.minor_words () in
      work 500;
      Gc.full_major ();
      Printf.printf "%d %.0f\n" (Unix.getpid ()) (Gc.minor_words () -. before)
    | child -> ignore (Unix.waitpid [] child); work 500
    end
  | "calls" ->
    for _ = 1 to 10 do Gc.full_major () done
  | "sessions" -> in_sessions ()
  | "cut" ->
    Unix.truncate (Option.get (Eventring.path ())) 4096;
    Eventring.start ~ring_words:2048 ();
    work 500;
    print_endline "works on"
  | _ ->
    work_in_two ();
    Eventring.snapshot "snapshot"
