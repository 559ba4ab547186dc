(* Rings of another size while the program runs.  Each domain samples a counter
   of its own, with the values 0, 1, 2...: a value that is missing, doubled or
   out of order shows.

     resize inside, forked, gone    print the results of their own tests
     resize emit DOMAINS            until its input ends; prints how many values
                                    each domain has sampled
     resize later DOMAINS           the same; then starts another session, and
                                    prints the size of its rings *)

open Check

let counter d = Eventring.Counter.register ("c" ^ string_of_int d)

(* Samples counter [d] until [stop], [burst] times in a millisecond at most.
   Returns how many times. *)
let emit burst stop d =
  let c = counter d in
  let rec loop i =
    if Atomic.get stop then i
    else begin
      Eventring.Counter.sample c i;
      if i mod burst = burst - 1 then Unix.sleepf 0.001;
      ignore (Sys.opaque_identity (ref i));
      loop (i + 1)
    end in
  loop 0

let spawn ?(burst = 100) stop n =
  List.init n (fun d -> Domain.spawn (fun () -> emit burst stop d))

(* The size of the rings, from the header of the ring file. *)
let ring_words () =
  let file = open_in_bin (Option.get (Eventring.path ())) in
  seek_in file 72;
  let b = really_input_string file 8 in
  close_in file;
  Int64.to_int (String.get_int64_le b 0)

(* Reads all of the cursor; adds the values of the counters to [next], by
   domain; returns whether each value came after the one before. *)
let read cursor next =
  let right = ref true in
  let take c =
    let name = Eventring.Cursor.name c in
    let d = Char.code name.[String.length name - 1] - Char.code '0' in
    if String.length name = 2 && name.[0] = 'c' && d >= 0 && d < 10 then begin
      if Eventring.Cursor.value c <> next.(d) then begin
        if !right then
          Printf.printf "# %s: %d after %d\n" name (Eventring.Cursor.value c)
            (next.(d) - 1);
        right := false
      end;
      next.(d) <- Eventring.Cursor.value c + 1
    end in
  let callbacks =
    Eventring.Cursor.callbacks ~counter:take
      ~lost:(fun c ->
        Printf.printf "# %d lost\n" (Eventring.Cursor.value c);
        right := false) () in
  while Eventring.Cursor.poll cursor callbacks > 0 do () done;
  !right

let inside () =
  let domains = 3 in
  Eventring.start ~ring_words:100_000 ();
  ok "the size is the next power of two" (ring_words () = 131_072);
  let path = Eventring.path () in
  Eventring.start ~ring_words:131_072 ();
  ok "the size that they have is no change" (Eventring.path () = path);
  List.iter (fun words ->
      raises (Printf.sprintf "rings of %d words are refused" words) invalid
        (fun () -> Eventring.start ~ring_words:words ()))
    [ -1; 0; 511; (1 lsl 30) + 1; max_int ];
  ok "a refused size changes nothing" (ring_words () = 131_072);
  let stop = Atomic.make false in
  let running = spawn stop domains in
  let first = Eventring.Cursor.(create Self) in
  let cursors =
    first :: List.init 20 (fun i ->
      Unix.sleepf 0.02;
      Eventring.start
        ~ring_words:(if i mod 2 = 0 then 262_144 else 131_072) ();
      Eventring.Cursor.(create Self)) in
  ok "the path stays" (Eventring.path () = path);
  ok "the size is the last one" (ring_words () = 131_072);
  Unix.sleepf 0.02;
  Atomic.set stop true;
  let sampled = List.map Domain.join running in
  let next = Array.make 10 0 in
  let right = List.map (fun c -> read c next) cursors in
  ok "each event is in one of the sessions, in order"
    (List.for_all Fun.id right);
  ok "no event is missing at the end"
    (sampled = Array.to_list (Array.sub next 0 domains));
  ok "all but the last session have ended"
    (List.for_all (fun c -> Eventring.Cursor.(state c = Ended))
       (List.tl (List.rev cursors)));
  Eventring.set_categories [ User; Gc ];
  Eventring.pause ();
  Eventring.start ~ring_words:65_536 ();
  ok "a paused session is replaced by a paused one"
    (ring_words () = 65_536 && not (Eventring.active ()));
  Eventring.resume ();
  ok "the categories stay" (Eventring.categories () = [ Gc; User ]);
  Eventring.stop ();
  Eventring.start ();
  ok "a later session has this size too" (ring_words () = 65_536)

(* A process may be forked only before it has created a domain. *)
let forked () =
  Eventring.start ~ring_words:1024 ();
  match Unix.fork () with
  | 0 -> Unix._exit (if ring_words () = 1024 then 0 else 1)
  | child ->
      ok "a forked child has this size too"
        (snd (Unix.waitpid [] child) = Unix.WEXITED 0)

(* A change that fails: the directory of the ring file is gone. *)
let gone () =
  Unix.mkdir "gone" 0o700;
  Eventring.start ~dir:"gone" ~ring_words:65_536 ();
  let cursor = Eventring.Cursor.(create Self) in
  Sys.remove (Option.get (Eventring.path ()));
  Unix.rmdir "gone";
  let stop = Atomic.make false in
  let running = spawn stop 2 in
  Unix.sleepf 0.01;
  ok "a change that fails is a Sys_error"
    (match Eventring.start ~ring_words:1024 () with
     | exception Sys_error why -> String.length why > 0
     | () -> false);
  Unix.sleepf 0.01;
  Atomic.set stop true;
  let sampled = List.map Domain.join running in
  let next = Array.make 10 0 in
  ok "the old session goes on" (Eventring.active ());
  ok "no event was lost" (read cursor next);
  ok "the events after the attempt are there"
    (sampled = Array.to_list (Array.sub next 0 2));
  Eventring.stop ();
  Eventring.start ();
  ok "the size of later sessions is the old one" (ring_words () = 65_536)

(* Few events, so that a busy machine does not lose them for the readers. *)
let outside domains =
  let stop = Atomic.make false in
  let running = spawn ~burst:10 stop domains in
  (try ignore (input_line stdin) with End_of_file -> ());
  Atomic.set stop true;
  List.iteri (fun d n -> Printf.printf "c%d %d\n" d n)
    (List.map Domain.join running)

let () =
  match Sys.argv with
  | [| _; "inside" |] -> inside (); print_endline "done"
  | [| _; "forked" |] -> forked (); print_endline "done"
  | [| _; "gone" |] -> gone (); print_endline "done"
  | [| _; "emit"; domains |] -> outside (int_of_string domains)
  | [| _; "later"; domains |] ->
      outside (int_of_string domains);
      Eventring.stop ();
      Eventring.start ();
      Printf.printf "later %d\n" (ring_words ())
  | _ -> exit 2
