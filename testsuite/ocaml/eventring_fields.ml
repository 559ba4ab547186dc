(* The fields of the runtime's events, seen through Eventring.Cursor. *)

open Eventring
open Check

let ms = 1_000_000
let domain_id () = (Domain.self () :> int)
let all_categories =
  [Gc; Gc_detail; Domain; Sync; User; Alloc; Sync_detail; Wait; Thread; Runtime]

type seen = {
  form : string;
  name : string;
  time : int;
  value : int;
  fields : Cursor.field list;
  integers : int list;
}

(* Returns all events in the rings of this process since the last call *)
let rest cursor =
  let all = ref [] in
  let see form c =
    all := { form; name = Cursor.name c; time = Cursor.time c;
             value = Cursor.value c; fields = Cursor.fields c;
             integers = List.init (Cursor.words c) (Cursor.argument c) }
           :: !all in
  let callbacks = Cursor.callbacks ~span_start:(see "start")
      ~span_finish:(see "finish") ~counter:(see "counter")
      ~instant:(see "instant") ~complete:(see "complete") () in
  while Cursor.poll cursor callbacks > 0 do () done;
  List.rev !all

let by cursor f =
  ignore (rest cursor);
  f ();
  rest cursor

let called form name all =
  List.filter (fun s -> s.form = form && s.name = name) all

let names s = List.map (fun (f : Cursor.field) -> f.name) s.fields
let get name s =
  match List.find_opt (fun (f : Cursor.field) -> f.name = name) s.fields with
  | Some field -> field
  | None -> { name; unit = "none"; value = min_int; meaning = "none" }
let number name s = (get name s).value

let show s =
  Printf.printf "# %s %s %d:" s.form s.name s.value;
  List.iter (fun { Cursor.name; unit; value; meaning } ->
      Printf.printf " %s=%d %s %s" name value unit meaning) s.fields;
  print_newline ()

(* Check that [f] holds for the only event, or for any event *)
let one name all f =
  let good = match all with [s] -> f s | _ -> false in
  if not good then List.iter show all;
  ok name good

let some name all f =
  let good = List.exists f all in
  if not good then List.iter show all;
  ok name good

let live = ref []

let minor cursor =
  Gc.full_major ();
  let before = Gc.quick_stat () and words = Gc.minor_words () in
  ignore (rest cursor);
  live := List.init 10_000 Fun.id;
  Gc.minor ();
  let words = int_of_float (Gc.minor_words () -. words)
  and promoted = int_of_float
      ((Gc.quick_stat ()).promoted_words -. before.promoted_words) in
  let all = rest cursor in
  let ends = called "finish" "minor" all in
  one "a minor collection: what its end carries" ends (fun s ->
      names s = ["promoted"; "allocated"; "cause"; "requested_by"]);
  one "it promoted as many words as Gc says" ends (fun s ->
      number "promoted" s = promoted && promoted >= 30_000);
  one "it found as many words as Gc says" ends (fun s ->
      abs (number "allocated" s - words) < 1000);
  one "its cause" ends (fun s -> (get "cause" s).meaning = "gc_minor");
  one "who asked for it" ends (fun s ->
      number "requested_by" s = domain_id ());
  one "units" ends (fun s ->
      List.map (fun (f : Cursor.field) -> f.unit) s.fields
      = ["words"; "words"; "cause"; "domain"]);
  one "only causes have a meaning" ends (fun s ->
      List.for_all (fun (f : Cursor.field) ->
          (f.meaning <> "") = (f.unit = "cause")) s.fields);
  one "they are its integers" ends (fun s ->
      s.integers = List.map (fun (f : Cursor.field) -> f.value) s.fields
      && s.value = number "promoted" s);
  one "its start carries nothing" (called "start" "minor" all) (fun s ->
      s.fields = [] && s.integers = [])

let causes cursor =
  let cause what span meaning f =
    some (what ^ ": the cause") (called "finish" span (by cursor f)) (fun s ->
        (get "cause" s).meaning = meaning) in
  cause "a full minor heap" "minor" "minor_heap_full" (fun () ->
      for _ = 1 to 300_000 do
        ignore (Sys.opaque_identity (ref (Sys.opaque_identity 1)))
      done);
  cause "Gc.compact" "compaction" "gc_compact" Gc.compact;
  cause "Gc.major" "major_finish_cycle" "gc_major" Gc.major;
  cause "Gc.full_major" "major_finish_cycle" "gc_full_major" Gc.full_major;
  cause "Gc.major_slice" "major_slice" "gc_major_slice" (fun () ->
      ignore (Gc.major_slice 0))

let records cursor =
  let all = by cursor (fun () -> Gc.full_major ()) in
  some "the heap: its fields" (called "instant" "heap" all) (fun s ->
      names s = ["pools"; "live"; "large"; "fragmented"; "live_blocks";
                 "large_blocks"; "free"; "custom"; "pools_mapped";
                 "pools_unmapped"]
      && number "live" s > 0 && number "pools" s >= number "live" s);
  let all = by cursor (fun () ->
      live := List.init 200_000 Fun.id; ignore (Gc.major_slice 0)) in
  (* The collector of OCaml 5.2 does not report it. *)
  if Sys.ocaml_release.minor >= 3 then
    some "pacing" (called "instant" "major_pacing" all) (fun s ->
        List.length s.fields = 9 && number "heap" s > 0)

(* One field asked for by its name *)
let by_name cursor =
  ignore (rest cursor);
  Gc.minor ();
  let looked = ref false in
  let span_finish c =
    if Cursor.name c = "minor" && not !looked then begin
      looked := true;
      ok "a field by its name" ((Cursor.field c "cause").meaning = "gc_minor");
      List.iter (fun name ->
          raises (Printf.sprintf "no field %S" name) ((=) Not_found) (fun () ->
              Cursor.field c name))
        ["duration"; ""; "promote"; "promoted "];
      raises "it is no text" invalid (fun () -> Cursor.text c);
      raises "five integers" invalid (fun () -> Cursor.argument c 4)
    end in
  ignore (Cursor.poll cursor (Cursor.callbacks ~span_finish ()));
  ok "an end of a minor collection" !looked;
  (* Outside of callbacks these functions mean nothing, and do no harm. *)
  let fresh = Cursor.create Self in
  List.iter (fun c ->
      ignore (Sys.opaque_identity
          (Cursor.fields c, Cursor.domain_name c, Cursor.thread_name c,
           Cursor.thread_id c));
      match Cursor.field c "cause" with _ -> () | exception Not_found -> ())
    [cursor; fresh; (Cursor.close fresh; fresh)];
  ok "outside of callbacks: no harm" true

(* Events of the program have none. *)
let of_the_program cursor =
  let span = Span.register "span" and message = Message.register "message"
  and counter = Counter.register "counter" in
  let all = by cursor (fun () ->
      Span.run_with span 7 ignore; Message.emit message "text";
      Counter.sample counter 8) in
  List.iter (fun (form, name, value) ->
      one (form ^ " of the program: no fields") (called form name all) (fun s ->
          s.fields = [] && s.value = value))
    ["start", "span", 7; "finish", "span", 0; "instant", "message", 4;
     "counter", "counter", 8]

let complete cursor =
  let nothing_else name all =
    List.for_all (fun s -> s.name <> name || s.form = "complete") all in
  (* Durations longer than the system's sleep *)
  let waited name all =
    some (name ^ ": how long it took") (called "complete" name all) (fun s ->
        s.value >= 15 * ms && s.value < 10_000 * ms
        && number "duration" s = s.value && (get "duration" s).unit = "ns");
    ok (name ^ ": nothing else of this name") (nothing_else name all) in
  let sleeper f = Domain.spawn (fun () -> Unix.sleepf 0.03; f ()) in
  waited "domain_join" (by cursor (fun () -> Domain.join (sleeper ignore)));
  let semaphore name acquire release =
    let all = by cursor (fun () ->
        let d = sleeper release in acquire (); Domain.join d) in
    waited "semaphore_wait" all;
    ok (name ^ ": is no condition_wait")
      (called "complete" "condition_wait" all = []) in
  let counting = Semaphore.Counting.make 0
  and binary = Semaphore.Binary.make false in
  Semaphore.Counting.(semaphore "a counting semaphore"
                        (fun () -> acquire counting)
                        (fun () -> release counting));
  Semaphore.Binary.(semaphore "a binary semaphore"
                      (fun () -> acquire binary) (fun () -> release binary));
  let mutex = Mutex.create () and condition = Condition.create () in
  waited "condition_wait" (by cursor (fun () ->
      Mutex.lock mutex;
      let d = sleeper (fun () ->
          Mutex.protect mutex (fun () -> Condition.signal condition)) in
      Condition.wait condition mutex;
      Mutex.unlock mutex;
      Domain.join d));

  (* All domains stopped *)
  let ready = Atomic.make false and leave = Atomic.make false in
  let other = Domain.spawn (fun () ->
      Atomic.set ready true;
      while not (Atomic.get leave) do Domain.cpu_relax () done) in
  while not (Atomic.get ready) do Domain.cpu_relax () done;
  let other_id = (Domain.get_id other :> int) in
  (* The last domain to go on writes the event. *)
  let all = by cursor (fun () ->
      Gc.minor (); Atomic.set leave true; Domain.join other) in
  some "stop_the_world: why, and who asked"
    (called "complete" "stop_the_world" all) (fun s ->
        (get "reason" s).meaning = "minor_collection"
        && (get "cause" s).meaning = "gc_minor"
        && number "requested_by" s = domain_id ());
  some "stop_the_world: a field again for each domain"
    (called "complete" "stop_the_world" all) (fun s ->
        let domains = List.filter (fun (f : Cursor.field) -> f.name = "domain")
            s.fields in
        List.length s.fields = List.length s.integers
        && List.exists (fun (f : Cursor.field) -> f.value = other_id) domains
        && List.for_all (fun (f : Cursor.field) -> f.unit = "domain") domains)

let watched () =
  let seen = ref [] in
  let watch = on_slow ["domain_join", 15 * ms; "semaphore_wait", 10_000 * ms]
      (fun s -> seen := s :: !seen) in
  let semaphore = Semaphore.Binary.make false in
  Domain.join (Domain.spawn (fun () ->
      Unix.sleepf 0.03; Semaphore.Binary.release semaphore));
  Semaphore.Binary.acquire semaphore;
  Domain.join (Domain.spawn ignore);
  Watch.poll watch;
  (* On a slow machine, two. *)
  ok "a watch for something complete"
    (!seen <> []
     && List.for_all (fun (s : slow) ->
         s.name = "domain_join" && s.duration >= 15 * ms
         && s.domain = domain_id () && s.start > 0) !seen);
  Watch.stop watch

let () =
  start ~categories:all_categories ();
  let cursor = Cursor.create Self in
  minor cursor;
  causes cursor;
  records cursor;
  by_name cursor;
  of_the_program cursor;
  complete cursor;
  watched ();
  print_endline "done"
