(* One way to a collection or a stop each: causes NAME, where NAME is the cause
   or reason that the recorder should report.

   Domains that must do something at the same time meet first; actions that
   depend on chance are repeated until they have succeeded often enough, not for
   a time. *)

external minor_from_c : unit -> unit = "test_minor_collection"
external slice_from_c : unit -> unit = "test_request_major_slice"
external nest_slices : int -> unit = "test_nest_slices"

let keep x = ignore (Sys.opaque_identity x)
let allocate words = for i = 1 to words / 2 do keep (ref i) done
let heap_size = (Gc.get ()).minor_heap_size

(* [beside other work] does [work ()] while a second domain does [other ()]
   over and over. *)
let beside other work =
  let here = Atomic.make false and over = Atomic.make false in
  let domain = Domain.spawn (fun () ->
      Atomic.set here true;
      while not (Atomic.get over) do other () done) in
  while not (Atomic.get here) do Domain.cpu_relax () done;
  work ();
  Atomic.set over true;
  Domain.join domain

(* Blocks of the major heap that take a while to mark. *)
let live_data n =
  let data = Array.init n (fun i -> [i; i + 1; i + 2]) in
  Gc.minor ();
  Sys.opaque_identity data

let large_arrays n = for _ = 1 to n do keep (Array.make 100_000 0) done
let bytes n = Bigarray.(Array1.create char c_layout n)
let set_minor_heap words = Gc.set { (Gc.get ()) with minor_heap_size = words }

let ways = [
  "minor_heap_full", (fun () -> allocate (3 * heap_size));
  "gc_minor", Gc.minor;
  "gc_major_slice", (fun () -> keep (Gc.major_slice 0));
  "gc_major", Gc.major;
  "gc_full_major", Gc.full_major;
  "gc_compact", Gc.compact;
  "gc_stat", (fun () -> keep (Gc.stat ()));
  "gc_set", (fun () -> set_minor_heap (4 * heap_size));
  "minor_heap_resize", (fun () ->
      let young = ref 1 in
      set_minor_heap (heap_size / 4);
      keep young);
  "array_make", (fun () -> keep (Array.make 1000 (ref 1)));
  "memprof", (fun () ->
      (* With s=4k.  Some of the callbacks leave less room in the minor heap
         than the block needs that they are called for. *)
      let n = ref 0 in
      let alloc_minor _ = incr n; allocate (!n * 13 mod 4096); None in
      let profile = Gc.Memprof.start ~sampling_rate:1. ~callstack_size:0
          { Gc.Memprof.null_tracker with alloc_minor } in
      for i = 1 to 2000 do
        keep [| i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i;
                i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i; i |]
      done;
      Gc.Memprof.stop ();
      Gc.Memprof.discard profile);
  "ref_table_full", (fun () ->
      let old = Array.make 100_000 (ref 0) in
      for i = 0 to 99_999 do old.(i) <- ref i done;
      keep old);
  "ephe_ref_table_full", (fun () ->
      let weak = Weak.create 100_000 in
      let young = ref 0 in
      Gc.minor ();
      let young = if Sys.opaque_identity true then ref 1 else young in
      let some = Some young in
      for i = 0 to 99_999 do Weak.set weak i some done;
      keep weak);
  "custom_table_full", (fun () ->
      for _ = 1 to 100_000 do keep (Mutex.create ()) done);
  "custom_memory", (fun () -> for _ = 1 to 10_000 do keep (bytes 4096) done);
  "custom_memory_slice", (fun () ->
      for _ = 1 to 300 do keep (bytes 1_000_000) done);
  "c_call", (fun () -> keep (ref 1); minor_from_c ());
  "nested_slices", (fun () -> nest_slices 20);
  "c_call_slice", (fun () -> slice_from_c (); allocate 1000);
  "domain_end", (fun () ->
      Domain.join (Domain.spawn (fun () -> allocate 1000)));
  "half_minor_heap", (fun () -> allocate (3 * heap_size));
  "early_minor", (fun () -> Gc.minor (); allocate 100; Gc.minor ());
  "other_domain", (fun () ->
      beside (fun () -> allocate 2) (fun () -> allocate (10 * heap_size)));
  "major_allocation", (fun () -> large_arrays 300);
  "global_slice", (fun () ->
      (* The other domain is told of the slice, and does it, in between. *)
      let turns = Atomic.make 0 in
      beside
        (fun () -> allocate 2; Atomic.incr turns)
        (fun () ->
           for _ = 1 to 100 do
             large_arrays 1;
             let now = Atomic.get turns in
             while Atomic.get turns < now + 2 do Domain.cpu_relax () done
           done));
  "interrupted", (fun () ->
      let data = live_data 200_000 and turns = Atomic.make 0 in
      beside
        (fun () -> Gc.minor (); Atomic.incr turns)
        (fun () ->
           (* Each slice has much to mark, and finds the other's request. *)
           let rounds = ref 0 in
           while !rounds < 40 || Atomic.get turns < 40 do
             large_arrays 3; allocate 1000; incr rounds
           done);
      keep data);
  "opportunistic", (fun () ->
      (* With v=0x40.  This domain has nothing to promote and waits for the
         other one, which has something to promote. *)
      let data = live_data 200_000 in
      let young = ref [] in
      beside
        (fun () -> young := List.init 10_000 Fun.id; Gc.minor ())
        (fun () -> for _ = 1 to 30 do large_arrays 1; Gc.minor () done);
      keep data; keep young);
  (* A minor collection that the domain that stops for it did not ask for; the
     ids of both. *)
  (* Collections that the other domain did not ask for; the ids of both. *)
  "requester", (fun () ->
      let other = Atomic.make (-1) in
      beside
        (fun () ->
           Atomic.set other (Domain.self () :> int); Domain.cpu_relax ())
        (fun () ->
           while Atomic.get other < 0 do Domain.cpu_relax () done;
           Gc.minor ());
      Printf.printf "%d %d\n" (Domain.self () :> int) (Atomic.get other));
  "three", (fun () ->
      beside (fun () -> keep (ref 1))
        (fun () -> beside (fun () -> keep (ref 1))
            (fun () -> for _ = 1 to 20 do Gc.minor () done; allocate heap_size)));
  (* The last thing that each domain does is a request that its successor in
     the slot meets. *)
  "successors", (fun () ->
      for _ = 1 to 100 do
        keep (Domain.join (Domain.spawn (fun () -> Bytes.create 10_000_000)))
      done);
  "ring_size", (fun () -> Eventring.start ~ring_words:131_072 ());
  "code_loaded", (fun () -> Dynlink.loadfile Sys.argv.(2))
]

let () =
  (List.assoc Sys.argv.(1) ways) ();
  print_endline "end"
