(* Programs with and without a fault that `eventring diagnose` finds:

     diagnose MODE

   A mode and "near_" and that mode differ in the fault only. *)

let seconds = 0.6
let keep x = ignore (Sys.opaque_identity x)

let during ?(seconds = seconds) work =
  let began = Unix.gettimeofday () in
  let i = ref 0 in
  while Unix.gettimeofday () -. began < seconds do work !i; incr i done

let spin ns =
  let began = Unix.gettimeofday () in
  while Unix.gettimeofday () -. began < ns *. 1e-9 do Domain.cpu_relax () done

let sleep = Unix.sleepf
let garbage n = for i = 1 to n do keep (ref i) done
let major () = Gc.full_major ()

(* Does [work ()] while [count] other domains do [other ()] over and over. *)
let beside count other work =
  let here = Atomic.make 0 and over = Atomic.make false in
  let domains = List.init count (fun _ -> Domain.spawn (fun () ->
      Atomic.incr here;
      while not (Atomic.get over) do other () done)) in
  while Atomic.get here < count do Domain.cpu_relax () done;
  work ();
  Atomic.set over true;
  List.iter Domain.join domains

(* Values that are dropped after [lives] others, before or after the minor heap
   of 256 k words is full. *)
let values ~lives =
  let window = Array.make lives [] in
  let cycle = ref 0 in
  during (fun i ->
      window.(i mod lives) <- List.init 10 (fun k -> i + k);
      if i land 0xffff = 0 then (incr cycle; keep (Gc.major_slice 1)));
  keep window

(* Values that live until their list is complete, on the stack. *)
let lists () =
  let rec count i = if i = 0 then [] else let x = ref i in x :: count (i - 1) in
  during (fun _ -> keep (count 30_000))

(* Values that are all kept. *)
let builds_up () =
  let all = ref [] in
  for i = 1 to 6_000_000 do all := i :: !all done;
  keep all

let bytes n = Bigarray.(Array1.create char c_layout n)

(* A large value that is marshalled, in C code that keeps the domain lock, or
   only a part of it. *)
let late size =
  let value = Array.init size (fun i -> i) in
  let marshal = Eventring.Span.register "marshal" in
  beside 1 (fun () -> garbage 20_000)
    (fun () ->
       during (fun _ ->
           (* The domain stops where it next allocates: within the span, too. *)
           Eventring.Span.run marshal (fun () ->
               keep (Marshal.to_string value []);
               garbage 10)))

let table old = during (fun i ->
    for k = 0 to 999 do
      old.((i * 1000 + k) mod Array.length old) <- Sys.opaque_identity [k]
    done)

(* Values that live for a short time, in cells that link each to the next, or in
   the places of an array.  A queue that gets empty would drop its cells. *)
let through_queue () =
  let waiting = Queue.create () in
  Queue.push (ref 0) waiting;
  during (fun i ->
      for _ = 1 to 100 do
        Queue.push (ref i) waiting;
        keep (Queue.pop waiting)
      done)

let through_array () =
  let waiting = Array.make 100 None in
  during (fun i ->
      for k = 0 to 99 do waiting.(k) <- Some (ref i) done;
      Array.fill waiting 0 100 None)

let locked ~inside ~outside =
  let m = Mutex.create () in
  let step () =
    Mutex.protect m inside;
    outside () in
  beside 1 step (fun () -> during (fun _ -> step ()))

let threads ~compute =
  let step i =
    ignore i;
    during (fun _ ->
        if compute then spin 1e5 else (spin 5e4; Thread.delay 0.002)) in
  List.iter Thread.join (List.init 3 (Thread.create step))

let finalise count ns =
  during (fun _ ->
      for _ = 1 to count do
        let r = ref 0 in
        Gc.finalise (fun _ -> spin ns) r
      done;
      spin 200_000.;
      garbage 10_000)

let grows ~forever =
  let all = ref [] in
  during ~seconds:1.5 (fun i ->
      if not forever && i mod 20 = 0 then all := [];
      all := Array.init 20_000 (fun k -> Some k) :: !all;
      spin 4_000_000.;
      if i mod 10 = 0 then Gc.major ());
  keep all

(* Much live data, of which every [dropped] of ten blocks is dropped. *)
let holes ~dropped =
  let all = Array.init 1_000_000 (fun i -> Some (ref i)) in
  Gc.major ();
  Array.iteri (fun i _ -> if i mod 10 < dropped then all.(i) <- None) all;
  for _ = 1 to 7 do Gc.major () done;
  during (fun _ -> spin 1e6);
  keep all

let[@inline never] hot n = let x = ref 1 in
  for i = 1 to n do x := !x * 7 + i done; keep !x
let[@inline never] one n = let x = ref 2 in
  for i = 1 to n do x := !x * 5 + i done; keep !x
let[@inline never] two n = let x = ref 3 in
  for i = 1 to n do x := !x * 3 + i done; keep !x
let[@inline never] three n = let x = ref 4 in
  for i = 1 to n do x := !x * 9 + i done; keep !x
let[@inline never] four n = let x = ref 5 in
  for i = 1 to n do x := !x * 11 + i done; keep !x

(* A domain that waits, and one that collects. *)
let idle count ~work =
  let m = Mutex.create () and c = Condition.create () in
  let over = ref false in
  let domains = List.init count (fun _ -> Domain.spawn (fun () ->
      Mutex.protect m (fun () ->
          while not !over do Condition.wait c m done))) in
  during (fun _ -> work ());
  Mutex.protect m (fun () -> over := true; Condition.broadcast c);
  List.iter Domain.join domains

let processors = Domain.recommended_domain_count ()

let modes = [
  (* Servers, which wait most of the time. *)
  "collector_time", (fun () ->
      during (fun _ -> keep (List.init 20_000 string_of_int); sleep 5e-3));
  "near_collector_time", (fun () ->
      during (fun _ -> spin 1e6; garbage 1000; sleep 5e-3));
  (* As large as it must be on this machine *)
  "long_stop", (fun () ->
      let rec stop n =
        let live = Array.init n (fun i -> Some (ref i)) in
        let began = Unix.gettimeofday () in
        Gc.full_major ();
        keep live;
        if Unix.gettimeofday () -. began < 0.3 && n < 50_000_000 then stop (2 * n)
      in
      stop 3_000_000);
  "near_long_stop", (fun () ->
      let live = Array.init 60_000 (fun i -> Some (ref i)) in
      during (fun _ -> Gc.full_major (); spin 1e6); keep live);
  "minor_heap_small", lists;
  "near_minor_heap_small", (fun () -> values ~lives:5000);
  "all_values_stay", builds_up;
  "domain_late", (fun () -> late 3_000_000);
  "near_domain_late", (fun () -> late 1000);
  "idle_domains", (fun () -> idle 8 ~work:(fun () -> garbage 130_000));
  "near_idle_domains", (fun () -> idle 8 ~work:(fun () ->
       spin 20e6; Gc.minor ()));
  "explicit_collections", (fun () ->
      let live = Array.init 300_000 (fun i -> ref i) in
      during (fun _ -> Gc.full_major (); spin 1e7); keep live);
  "near_explicit_collections", (fun () ->
      let live = Array.init 300_000 (fun i -> ref i) in
      Gc.full_major (); during (fun _ -> spin 1e7); keep live);
  "compaction", (fun () ->
      let live = Array.init 300_000 (fun i -> ref i) in
      during (fun _ -> Gc.compact (); spin 1e7); keep live);
  "near_compaction", (fun () ->
      Gc.compact (); during (fun _ -> spin 1e7));
  "remembered_set", (fun () -> table (Array.make 200_000 []));
  "near_remembered_set", (fun () ->
      during (fun _ -> keep (Array.init 200 (fun k -> [k]))));
  "promoted_by_old", through_queue;
  "near_promoted_by_old", through_array;
  "custom_memory", (fun () -> during (fun _ -> keep (bytes 200_000)));
  "near_custom_memory", (fun () ->
      let one = bytes 200_000 in
      during (fun i -> one.{i mod 200_000} <- 'x'; garbage 100));
  "mutex_contention", (fun () ->
      locked ~inside:(fun () -> sleep 1e-3) ~outside:(fun () -> sleep 5e-4));
  "near_mutex_contention", (fun () ->
      locked ~inside:ignore ~outside:(fun () -> spin 2e5; sleep 1e-3));
  "domain_lock_contention", (fun () -> threads ~compute:true);
  "near_domain_lock_contention", (fun () -> threads ~compute:false);
  "more_domains_than_processors", (fun () ->
      beside (2 * processors) (fun () -> spin 1e5)
        (fun () -> during (fun _ -> spin 1e5)));
  "near_more_domains_than_processors", (fun () -> idle (2 * processors)
      ~work:(fun () -> spin 1e5));
  "finalisers", (fun () -> finalise 20 10_000.);
  "near_finalisers", (fun () -> finalise 2 10.);
  "memory_growth", (fun () -> grows ~forever:true);
  "near_memory_growth", (fun () -> grows ~forever:false);
  "fragmentation", (fun () -> holes ~dropped:9);
  "near_fragmentation", (fun () -> holes ~dropped:2);
  "hot_function", (fun () -> during (fun _ -> hot 100_000; one 20_000));
  "near_hot_function", (fun () ->
      during (fun _ ->
          one 20_000; two 20_000; three 20_000; four 20_000; hot 20_000));
]

let modes = [
  "quiet", (fun () -> during ~seconds:0.1 (fun _ -> spin 1e5));
  "forever", (fun () ->
      let live = Array.init 300_000 (fun i -> ref i) in
      during ~seconds:60. (fun _ -> Gc.full_major (); spin 1e6); keep live);
  "many_events", (fun () ->
      let tick = Eventring.Span.register "tick" in
      during ~seconds:60. (fun _ -> Eventring.Span.run tick ignore; spin 5e3));
] @ modes

let () = (List.assoc Sys.argv.(1) modes) ()
