(* The counters of Runtime_events that are fields of other events in our rings:
   a consumer goes on to see them as events of their own.

     runtime_counters             in an empty folder *)

open Runtime_events
open Check

(* The same events as consumers of Runtime_events and of Eventring see them *)
type seen = Begin of runtime_phase | End of runtime_phase
          | Counter of runtime_counter * int

let callbacks add =
  Callbacks.create ()
    ~runtime_begin:(fun _ _ phase -> add (Begin phase))
    ~runtime_end:(fun _ _ phase -> add (End phase))
    ~runtime_counter:(fun _ _ counter n -> add (Counter (counter, n)))

let rest cursor =
  let all = ref [] in
  while read_poll cursor (callbacks (fun s -> all := s :: !all)) None > 0 do ()
  done;
  List.rev !all

let values counter all =
  List.filter_map (function
      | Counter (c, n) when c = counter -> Some n
      | _ -> None) all

(* The fields of each event of this name and form, through Eventring.Cursor *)
let fields cursor name =
  let all = ref [] in
  let see c =
    if Eventring.Cursor.name c = name then
      all := List.map (fun (f : Eventring.Cursor.field) -> f.value)
          (Eventring.Cursor.fields c) :: !all in
  let callbacks =
    Eventring.Cursor.callbacks ~span_finish:see ~instant:see () in
  while Eventring.Cursor.poll cursor callbacks > 0 do () done;
  List.rev !all

let live = ref []
let print = List.iter (fun n -> Printf.printf "# %d\n" n)

let equal name found expected =
  if found <> expected then begin
    print_endline "# found:"; print found;
    print_endline "# expected:"; print expected
  end;
  ok name (found = expected)

let minor () =
  let cursor = create_cursor None in
  let eventring = Eventring.Cursor.create Self in
  Gc.full_major ();
  let words = Gc.minor_words ()
  and promoted = (Gc.quick_stat ()).promoted_words in
  ignore (rest cursor);
  ignore (fields eventring "");
  live := List.init 10_000 Fun.id;
  Gc.minor ();
  let words = int_of_float (Gc.minor_words () -. words)
  and promoted = int_of_float ((Gc.quick_stat ()).promoted_words -. promoted) in
  let all = rest cursor and fields = fields eventring "minor" in
  let eights place =
    List.filter_map (fun f -> Option.map (( * ) 8) (List.nth_opt f place))
      fields in
  equal "bytes promoted, of the words in the ring" (values EV_C_MINOR_PROMOTED all)
    (eights 0);
  equal "bytes promoted, of Gc's words" (values EV_C_MINOR_PROMOTED all)
    [8 * promoted];
  equal "bytes allocated, of the words in the ring"
    (values EV_C_MINOR_ALLOCATED all) (eights 1);
  ok "bytes allocated, of Gc's words"
    (List.for_all (fun n -> abs (n - 8 * words) < 8000)
       (values EV_C_MINOR_ALLOCATED all));
  let order = List.filter_map (function
      | Counter ((EV_C_MINOR_PROMOTED | EV_C_MINOR_ALLOCATED) as c, _) ->
        Some (runtime_counter_name c)
      | End EV_MINOR -> Some "end"
      | _ -> None) all in
  ok "in stock's order, before the end"
    (order = [runtime_counter_name EV_C_MINOR_PROMOTED;
              runtime_counter_name EV_C_MINOR_ALLOCATED; "end"]);
  free_cursor cursor;
  Eventring.Cursor.close eventring

(* Counters that are the fields of one record, in its order *)
let record name counters make =
  let cursor = create_cursor None in
  let eventring = Eventring.Cursor.create Self in
  ignore (rest cursor);
  ignore (fields eventring "");
  make ();
  let all = rest cursor and fields = fields eventring name in
  ok (name ^ ": it comes") (fields <> []);
  List.iteri (fun place counter ->
      equal (runtime_counter_name counter) (values counter all)
        (List.filter_map (fun f -> List.nth_opt f place) fields)) counters;
  free_cursor cursor;
  Eventring.Cursor.close eventring

(* Returns the counters up to the end of a minor collection.  [next ()] does a
   poll and returns the event that it read, if any. *)
let upto_end next =
  let rec go n =
    if n = 0 then []
    else match next () with
      | Some (End EV_MINOR) -> ["end"]
      | Some (Counter (c, _)) -> runtime_counter_name c :: go (n - 1)
      | Some _ | None -> go (n - 1) in
  go 10_000

let one_by_one () =
  let promoted = runtime_counter_name EV_C_MINOR_PROMOTED
  and allocated = runtime_counter_name EV_C_MINOR_ALLOCATED in
  let rec ends_so = function
    | [p; a; "end"] -> p = promoted && a = allocated
    | _ :: rest -> ends_so rest
    | [] -> false in
  let cursor = create_cursor None in
  ignore (rest cursor);
  Gc.minor ();
  let counts = ref true in
  ok "at most one event a poll: a counter is one"
    (ends_so (upto_end (fun () ->
         let last = ref [] in
         let n = read_poll cursor (callbacks (fun s -> last := s :: !last))
             (Some 1) in
         if n > 1 || List.length !last > n then counts := false;
         match !last with [s] -> Some s | _ -> None)));
  ok "and no poll makes it two" !counts;
  ignore (rest cursor);
  Gc.minor ();
  ok "callbacks that raise: each comes once, and none is left out"
    (ends_so (upto_end (fun () ->
         let last = ref None in
         match
           read_poll cursor (callbacks (fun s -> last := Some s; raise Exit))
             None
         with
         | _ -> None
         | exception Exit -> !last)));
  ignore (rest cursor);
  Gc.minor ();
  let closing = Callbacks.create ()
      ~runtime_counter:(fun _ _ counter _ ->
          if counter = EV_C_MINOR_PROMOTED then free_cursor cursor
          else if counter = EV_C_MINOR_ALLOCATED then
            ok "freed at a counter: no other one comes" false) in
  ignore (read_poll cursor closing None);
  raises "freed at a counter: freed" failure (fun () ->
      read_poll cursor closing None)

let () =
  start ();
  minor ();
  record "heap"
    [ EV_C_MAJOR_HEAP_POOL_WORDS; EV_C_MAJOR_HEAP_POOL_LIVE_WORDS;
      EV_C_MAJOR_HEAP_LARGE_WORDS; EV_C_MAJOR_HEAP_POOL_FRAG_WORDS;
      EV_C_MAJOR_HEAP_POOL_LIVE_BLOCKS; EV_C_MAJOR_HEAP_LARGE_BLOCKS ]
    Gc.full_major;
  record "major_pacing"
    [ EV_C_MAJOR_HEAP_WORDS; EV_C_MAJOR_ALLOCATED_WORDS;
      EV_C_MAJOR_ALLOCATED_WORK; EV_C_MAJOR_DEPENDENT_WORK;
      EV_C_MAJOR_EXTRA_WORK; EV_C_MAJOR_WORK_COUNTER;
      EV_C_MAJOR_ALLOC_COUNTER; EV_C_MAJOR_SLICE_TARGET;
      EV_C_MAJOR_SLICE_BUDGET ]
    (fun () ->
       for _ = 1 to 20 do
         live := List.init 50_000 Fun.id;
         ignore (Gc.major_slice 0)
       done);
  one_by_one ();
  print_endline "done"
