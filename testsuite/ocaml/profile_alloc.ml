(* Programs for profile_alloc.t.  The first argument is the name of one; each
   prints what only it knows: the words that it has allocated, and those that are
   alive at its end. *)

let kept = ref []
let keep x = kept := Obj.repr x :: !kept

(* Blocks of a size that nothing else has. *)
let[@inline never] array_of_37 () = Array.make 37 0
let[@inline never] large () = Array.make 1234 0
let[@inline never] combined x = (x, x + 1), ref x, [x]

let compact () =
  Gc.compact ();
  Gc.compact ()

(* With each word sampled, all numbers are exact. *)
let exact () =
  for i = 1 to 1000 do
    let a = Sys.opaque_identity (array_of_37 ()) in
    let l = Sys.opaque_identity (large ()) in
    if i mod 10 = 0 then (keep a; keep l)
  done;
  for i = 1 to 500 do
    let c = Sys.opaque_identity (combined i) in
    if i mod 50 = 0 then keep c
  done;
  Gc.full_major ()

(* Blocks that move, of which half dies afterwards. *)
let moved () =
  for i = 1 to 20_000 do
    let a = array_of_37 () in
    if i mod 20 = 0 then keep a
  done;
  compact ();
  kept := List.filteri (fun i _ -> i mod 2 = 0) !kept;
  compact ();
  Gc.full_major ()

(* Blocks of domains that have ended. *)
let adopted () =
  let made = Array.init 3 (fun _ ->
    Domain.spawn (fun () ->
      List.init 100 (fun _ -> ignore (large ()); array_of_37 ()))) in
  let lists = Array.map Domain.join made in
  Gc.full_major ();
  keep lists.(0);
  (* A domain that was joined may not have ended: its stack has its list. *)
  for _ = 1 to 10 do
    Unix.sleepf 0.05;
    Gc.full_major ()
  done

(* Blocks of a domain that has ended, which another domain frees, and says so in
   its own ring, which then wraps. *)
let[@inline never] made_by_domain () =
  Sys.opaque_identity (List.init 100 (fun _ -> array_of_37 ()))
let orphaned () =
  let list = ref (Domain.join (Domain.spawn made_by_domain)) in
  ignore (Sys.opaque_identity !list);
  list := [];
  for _ = 1 to 10 do
    Unix.sleepf 0.05;
    Gc.full_major ()
  done;
  for _ = 1 to 20_000 do ignore (Sys.opaque_identity (array_of_37 ())) done

let words_in_all () =
  let s = Gc.quick_stat () in
  s.minor_words +. s.major_words -. s.promoted_words

let finish () =
  compact ();
  Printf.printf "allocated %.0f\n" (words_in_all ());
  Printf.printf "live %d\n%!" (Gc.stat ()).live_words

type tree = Leaf | Node of tree * tree
let rec tree depth =
  if depth = 0 then Leaf else Node (tree (depth - 1), tree (depth - 1))

let work seed =
  let mine = ref [] in
  for i = 1 to 300 do
    let t = Sys.opaque_identity (tree 9) in
    let s = String.concat "," (List.init 100 string_of_int) in
    let a = Array.make (100 + i) s in
    if (i + seed) mod 8 = 0 then
      mine := (Obj.repr t, Obj.repr a) :: !mine
  done;
  !mine

let heavy () =
  for i = 1 to 8 do keep (work i) done

let domains () =
  for round = 1 to 4 do
    let made = List.init 3 (fun i -> Domain.spawn (fun () -> work (round + i))) in
    List.iter (fun d -> keep (Domain.join d)) made
  done

let threads () =
  let made = List.init 4 (fun i ->
    Thread.create (fun () -> kept := Obj.repr (work i) :: !kept) ()) in
  List.iter Thread.join made

(* The rate changed again and again, by a hundred times. *)
let rates () =
  for i = 1 to 100 do
    Eventring.Profile.set_alloc_rate (if i land 1 = 0 then 1e-3 else 1e-7);
    let made = work i in
    if i mod 20 = 0 then keep made
  done

let marshal () =
  let text = Marshal.to_string (List.init 5000 (fun i -> (i, string_of_int i))) []
  in
  for i = 1 to 60 do
    let x : (int * string) list = Marshal.from_string text 0 in
    if i mod 6 = 0 then keep x
  done

let bigarray () =
  for i = 1 to 4000 do
    let b = Bigarray.(Array1.create int c_layout 512) in
    if i mod 20 = 0 then keep b
  done;
  work 1 |> keep

(* Gc.Memprof of the program itself: what it sees is printed. *)
let memprof () =
  let blocks = ref 0 and samples = ref 0 and promoted = ref 0 and dead = ref 0 in
  let sampled (a : Gc.Memprof.allocation) =
    incr blocks;
    samples := !samples + a.n_samples;
    Some () in
  let tracker = {
    Gc.Memprof.alloc_minor = sampled; alloc_major = sampled;
    promote = (fun () -> incr promoted; Some ());
    dealloc_minor = (fun () -> incr dead);
    dealloc_major = (fun () -> incr dead) } in
  let profile = Gc.Memprof.start ~sampling_rate:0.001 ~callstack_size:10 tracker
  in
  for i = 1 to 4 do keep (work i) done;
  Gc.full_major ();
  Gc.Memprof.stop ();
  Gc.Memprof.discard profile;
  Printf.printf "memprof %d %d %d %d\n" !blocks !samples !promoted !dead

(* Gc.Memprof samples every word. *)
let memprof_all () =
  let tracker = { Gc.Memprof.null_tracker with alloc_minor = (fun _ -> None) } in
  let profile = Gc.Memprof.start ~sampling_rate:1. ~callstack_size:1 tracker in
  for i = 1 to 3 do keep (work i) done;
  Gc.Memprof.stop ();
  Gc.Memprof.discard profile

(* A hundredth of the allocation is never freed; a cache has its size soon, and
   the rest dies young. *)
let leaked = ref []
let[@inline never] leaky () = leaked := Array.make 4 0 :: !leaked
let[@inline never] cached cache i =
  cache.(i mod 1000) <- Array.make 200 i
let[@inline never] temporary () =
  ignore (Sys.opaque_identity (List.init 198 Fun.id))

let leak () =
  let until = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let cache = Array.make 1000 [||] in
  while Unix.gettimeofday () < until do
    for i = 1 to 1000 do
      leaky ();
      cached cache i;
      temporary ()
    done;
    Unix.sleepf 0.02
  done;
  ignore (Sys.opaque_identity cache)

(* Blocks of C code in which many words are sampled. *)
let huge () =
  for i = 1 to 20 do
    let s = Sys.opaque_identity (Bytes.create (1_000_000 * i)) in
    if i mod 5 = 0 then keep s
  done

(* Waits for the end of process [child], which must be in order. *)
let wait_for child =
  match Unix.waitpid [] child with
  | _, WEXITED 0 -> ()
  | _ -> failwith "a child ended badly"

(* All at once, until the time is over, and the file of the third argument is
   there, if there is one.  A process that forks has had one domain only: one
   child of the program forks, and the program itself has domains. *)
let storm () =
  let until = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
  let going () =
    Unix.gettimeofday () < until
    || (Array.length Sys.argv > 3 && not (Sys.file_exists Sys.argv.(3))) in
  let rec forks n =
    if going () then begin
      kept := [];
      keep (work n);
      (match Unix.fork () with
       | 0 -> keep (work n); Gc.full_major (); Unix._exit 0
       | child ->
           wait_for child;
           try Sys.remove (string_of_int child ^ ".eventring")
           with Sys_error _ -> ());
      forks (n + 1)
    end in
  let rec domains n =
    if going () then begin
      kept := [];
      let made = List.init 2 (fun i -> Domain.spawn (fun () ->
        let t = Thread.create (fun () -> ignore (work i)) () in
        let mine = work n in
        Thread.join t;
        mine)) in
      marshal ();
      bigarray ();
      List.iter (fun d -> keep (Domain.join d)) made;
      if n mod 3 = 0 then Gc.compact ();
      domains (n + 1)
    end in
  match Unix.fork () with
  | 0 -> forks 1; Unix._exit 0
  | child -> domains 1; wait_for child

let fork () =
  keep (work 1);
  Gc.full_major ();
  match Unix.fork () with
  | 0 -> keep (work 2); finish ()
  | child -> ignore (Unix.waitpid [] child)

let () =
  (match Sys.argv.(1) with
   | "exact" -> exact ()
   | "moved" -> moved ()
   | "adopted" -> adopted ()
   | "orphaned" -> orphaned ()
   | "heavy" -> heavy (); finish ()
   | "domains" -> domains (); finish ()
   | "threads" -> threads (); finish ()
   | "marshal" -> marshal (); finish ()
   | "bigarray" -> bigarray (); finish ()
   | "huge" -> huge (); finish ()
   | "rates" -> rates (); finish ()
   | "dynlink" -> Dynlink.loadfile Sys.argv.(2); finish ()
   | "leak" -> leak ()
   | "memprof" -> memprof ()
   | "memprof_all" -> memprof_all (); finish ()
   | "storm" -> storm ()
   | "fork" -> fork ()
   | other -> failwith other);
  ignore (Sys.opaque_identity !kept);
  print_endline "end"
