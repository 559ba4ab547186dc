(* A program that keeps a shadow stack, to be compared with its samples.  Each
   call of a function that has a number is

     enter t NUMBER; let r = f t x in leave t; r

   and nothing between [enter] and the call, nor between the call and [leave],
   allocates or polls.  A function with a number ends with no tail call.
   The words of the shadow stack are described in profile_truth_stubs.c;
   [t] is the index of the first of a thread. *)

open Bigarray
open Effect
open Effect.Deep

external shadow : unit -> (int, int_elt, c_layout) Array1.t = "truth_shadow"
external register : unit -> int = "truth_register"
external self : unit -> int = "truth_self" [@@noalloc]
external step : int -> unit = "truth_step" [@@noalloc]
external stop : unit -> int = "truth_stop" [@@noalloc]
external truth_noalloc : int -> unit = "truth_noalloc" [@@noalloc]
external truth_alloc : int -> int list = "truth_alloc"
external truth_block : int -> unit = "truth_block"
external truth_callback : (int -> int) -> int -> int = "truth_callback"

let m = shadow ()

let current = 0 and switching = 1 and target = 2 and fibers = 8
let used = 0 and depth = 1 and parent = 2 and ids = 3
let fiber_words = 1024 and fibers_of_thread = 64

let[@inline always] get i = Array1.unsafe_get m i
let[@inline always] set i x = Array1.unsafe_set m i x

let[@inline always] fiber t f = t + fibers + f * fiber_words
let[@inline always] this t = fiber t (get (t + current))

let[@inline always] enter t id =
  let f = this t in
  let d = get (f + depth) in
  set (f + ids + d) id;
  set (f + depth) (d + 1)

let[@inline always] leave t =
  let f = this t in
  set (f + depth) (get (f + depth) - 1)

(* The shadow stack's length from the root up to the fiber [f]. *)
let rec length t f =
  if f < 0 then 0
  else get (fiber t f + depth) + length t (get (fiber t f + parent))

(* From here to [settled] the stack is either as it is, or was cut to the length
   [n]; or, with several fibers above that, to one of their ends. *)
let[@inline always] switch t n =
  set (t + target) n;
  set (t + switching) 1

let[@inline always] settled t = set (t + switching) 0

let names = [|
  ""; "fib"; "deep"; "raiser"; "truth_noalloc"; "truth_alloc"; "truth_block";
  "truth_callback"; "called"; "compare_ints"; "collect"; "finaliser"; "apply";
  "closure"; "build"; "asks"; "nest"; "task"; "grows"; "even"; "odd";
  "format"; "hash"; "marshal"; "answer"; "run_tasks"; "floats";
  "trying";
|]
let number name =
  let rec from i = if names.(i) = name then i else from (i + 1) in
  from 1

let n_fib = number "fib" and n_deep = number "deep"
let n_raiser = number "raiser" and n_noalloc = number "truth_noalloc"
let n_alloc = number "truth_alloc" and n_block = number "truth_block"
let n_callback = number "truth_callback" and n_called = number "called"
let n_compare_ints = number "compare_ints" and n_collect = number "collect"
let n_finaliser = number "finaliser" and n_apply = number "apply"
let n_closure = number "closure" and n_build = number "build"
let n_asks = number "asks" and n_nest = number "nest"
let n_task = number "task" and n_grows = number "grows"
let n_even = number "even" and n_odd = number "odd"
let n_format = number "format" and n_hash = number "hash"
let n_marshal = number "marshal" and n_answer = number "answer"
let n_run_tasks = number "run_tasks"
let n_floats = number "floats" and n_trying = number "trying"

(* OCaml code *)

let[@inline never] rec fib t n =
  if n < 2 then n
  else begin
    enter t n_fib;
    let a = fib t (n - 1) in
    leave t;
    enter t n_fib;
    let b = fib t (n - 2) in
    leave t;
    a + b
  end

let[@inline never] rec deep t n =
  if n = 0 then 0
  else begin
    enter t n_deep;
    let r = deep t (n - 1) in
    leave t;
    r + 1
  end

let[@inline never] rec even t n =
  if n = 0 then true
  else begin
    enter t n_odd;
    let r = odd t (n - 1) in
    leave t;
    not (not r)
  end

and[@inline never] odd t n =
  if n = 0 then false
  else begin
    enter t n_even;
    let r = even t (n - 1) in
    leave t;
    not (not r)
  end

let[@inline never] rec build t n =
  if n = 0 then []
  else begin
    enter t n_build;
    let r = build t (n - 1) in
    leave t;
    n :: r
  end

let[@inline never] floats _ n =
  let s = ref 0. in
  for i = 1 to n do s := !s +. sin (float i) ** 1.1 done;
  int_of_float (Sys.opaque_identity !s)

exception Stop

let[@inline never] rec raiser t n =
  if n = 0 then begin
    switch t (get (t + target));
    raise Stop
  end else begin
    enter t n_raiser;
    let r = raiser t (n - 1) in
    leave t;
    r + 1
  end

let exceptions t =
  let f = this t in
  let d = get (f + depth) in
  set (t + target) (length t (get (t + current)));
  try
    enter t n_raiser;
    let r = raiser t 12 in
    leave t;
    ignore (Sys.opaque_identity r)
  with Stop ->
    set (f + depth) d;
    settled t

let[@inline never] apply t f n =
  enter t n_closure;
  let r = f t n in
  leave t;
  r + 1

let closures t =
  let k = Sys.opaque_identity 3 in
  let[@inline never] closure t n =
    enter t n_fib;
    let r = fib t (n + k) in
    leave t;
    r + k in
  enter t n_apply;
  let r = apply t closure 6 in
  leave t;
  ignore (Sys.opaque_identity r)

(* Calls of the collector and polls in the body of a handler. *)
let[@inline never] trying t n =
  let kept = ref [] in
  let total =
    try
      for i = 1 to n do kept := Sys.opaque_identity (i :: !kept) done;
      enter t n_fib;
      let a = fib t 2 in
      leave t;
      a + List.length !kept
    with Not_found -> 0 in
  total + 1

(* C code *)

let[@inline never] rec called t n =
  if n = 0 then begin
    enter t n_noalloc;
    truth_noalloc 30;
    leave t;
    0
  end else begin
    let f n =
      enter t n_called;
      let r = called t (n - 1) in
      leave t;
      r + 1 in
    enter t n_callback;
    let r = truth_callback f n in
    leave t;
    r + 1
  end

let[@inline never] compare_ints (_ : int) (a : int) b =
  Sys.opaque_identity (compare a b)

let sorting t =
  let c a b =
    enter t n_compare_ints;
    let r = compare_ints t a b in
    leave t;
    r + 0 in
  let a = Array.init 60 (fun i -> (i * 7919) mod 61) in
  Array.sort c a;
  ignore (List.sort c (Array.to_list a))

let[@inline never] format t n =
  let s = Printf.sprintf "%d %s %f" n "abc" (float n) in
  ignore (Sys.opaque_identity t);
  String.length s

let[@inline never] hash t n =
  let h = Hashtbl.create 10 in
  for i = 1 to n do Hashtbl.replace h (string_of_int i) t done;
  1 + Hashtbl.length h

let[@inline never] marshal t n =
  let x = List.init n string_of_int in
  ignore (Sys.opaque_identity t);
  let y : string list = Marshal.from_string (Marshal.to_string x []) 0 in
  1 + List.length y

(* Collections and finalisers *)

let[@inline never] finaliser t n =
  enter t n_fib;
  let r = fib t n in
  leave t;
  r + 1

(* Runs in any code that allocates or polls. *)
let finalise r =
  let t = self () in
  if t >= 0 && get (t + switching) = 0 then begin
    enter t n_finaliser;
    let x = finaliser t 5 in
    leave t;
    r := x
  end

let[@inline never] collect t n =
  for _ = 1 to n do Gc.finalise finalise (ref 0) done;
  Gc.minor ();
  if n mod 7 = 0 then ignore (Gc.major_slice 0);
  if n mod 31 = 0 then Gc.full_major ();
  ignore (Sys.opaque_identity t);
  n

(* Effects *)

type _ Effect.t += Ask : int -> int Effect.t | Yield : unit Effect.t

let[@inline never] new_fiber t =
  let rec free f =
    if f = fibers_of_thread then failwith "no fiber left"
    else if get (fiber t f + used) = 0 then f else free (f + 1) in
  let f = free 1 in
  let w = fiber t f in
  set (w + used) 1;
  set (w + depth) 0;
  set (w + parent) (get (t + current));
  f

(* How effects of a fiber are handled. *)
type handler = {
  on : 'b. int -> 'b Effect.t -> (('b, int) continuation -> int) option
}

(* Runs [body] in a fiber of its own; [handler] gets the fiber. *)
let in_fiber t body handler =
  let f = new_fiber t in
  let back () =
    set (t + current) (get (fiber t f + parent));
    set (fiber t f + used) 0 in
  set (t + current) f;
  match_with body ()
    { retc = (fun x -> back (); x);
      exnc = (fun e -> back (); settled t; raise e);
      effc = fun e -> handler.on f e }

(* Performs [e], to be answered at the fiber whose parent is [above]. *)
let[@inline always] ask t above e =
  switch t (length t above);
  let r = perform e in
  settled t;
  r

(* In a handler of the fiber [f], which was left from another inside it, or from
   itself.  Returns that. *)
let[@inline always] handled t f =
  let inner = get (t + current) in
  set (t + current) (get (fiber t f + parent));
  settled t;
  inner

(* Resumes [k] of the fiber [f], left from [inner], with [x]. *)
let[@inline always] resume t f inner k x =
  let here = get (t + current) in
  switch t (length t here);
  set (fiber t f + parent) here;
  set (t + current) inner;
  continue k x

let[@inline never] asks t n above =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + ask t above (Ask i)
  done;
  !s

let[@inline never] answer t n =
  enter t n_fib;
  let r = fib t 3 in
  leave t;
  r + n

let asking t body =
  in_fiber t body
    { on = fun (type b) f (e : b Effect.t) -> match e with
        | Ask n -> Some (fun (k : (b, int) continuation) ->
            let inner = handled t f in
            enter t n_answer;
            let x = answer t n in
            leave t;
            resume t f inner k x)
        | _ -> None }

let effects t =
  let above = get (t + current) in
  ignore (asking t (fun () ->
      enter t n_asks;
      let r = asks t 5 above in
      leave t;
      r + 0))

let[@inline never] rec nest t n above =
  if n = 0 then ask t above (Ask 1) + ask t above (Ask 2)
  else
    1 + in_fiber t (fun () ->
        enter t n_nest;
        let r = nest t (n - 1) above in
        leave t;
        r + 1)
      { on = fun (type b) f (e : b Effect.t) -> match e with
          | Yield -> Some (fun (k : (b, int) continuation) ->
              resume t f (handled t f) k ())
          | _ -> None }

let nested t =
  let above = get (t + current) in
  ignore (asking t (fun () ->
      enter t n_nest;
      let r = nest t 4 above in
      leave t;
      r + 0))

let[@inline never] grows t n =
  enter t n_deep;
  let r = deep t n in
  leave t;
  r + 1

let growing t =
  for i = 1 to 4 do
    ignore (asking t (fun () ->
        enter t n_grows;
        let r = grows t (i * 30) in
        leave t;
        r + 0))
  done

let[@inline never] task t n =
  for _ = 1 to 3 do
    enter t n_fib;
    let a = fib t 4 in
    leave t;
    (* The fiber's parent changes: always to be left to it. *)
    ask t (get (this t + parent)) Yield;
    enter t n_deep;
    let b = deep t n in
    leave t;
    ignore (Sys.opaque_identity (a + b))
  done;
  n

let[@inline never] run_tasks t n =
  let queue = Queue.create () in
  for i = 1 to n do
    Queue.push (fun () ->
        in_fiber t (fun () ->
            enter t n_task;
            let r = task t (i * 5) in
            leave t;
            r + 0)
          { on = fun (type b) f (e : b Effect.t) -> match e with
              | Yield -> Some (fun (k : (b, int) continuation) ->
                  let inner = handled t f in
                  Queue.push (fun () -> resume t f inner k ()) queue;
                  0)
              | _ -> None })
      queue
  done;
  while not (Queue.is_empty queue) do ignore ((Queue.pop queue) ()) done;
  n

(* An exception that leaves a fiber. *)
let thrown t =
  let f = this t in
  let d = get (f + depth) and here = get (t + current) in
  let n = length t here in
  try
    ignore (asking t (fun () ->
        set (t + target) n;
        enter t n_raiser;
        let r = raiser t 5 in
        leave t;
        r + 0))
  with Stop ->
    set (f + depth) d;
    settled t

let calls id f x t =
  enter t id;
  let r = f t x in
  leave t;
  ignore (Sys.opaque_identity r)

let in_c id f x t =
  ignore t;
  enter t id;
  let r = f x in
  leave t;
  ignore (Sys.opaque_identity r)

let noalloc t =
  enter t n_noalloc;
  truth_noalloc 200;
  leave t

let ways = [|
  effects; nested; growing; calls n_run_tasks run_tasks 6; thrown; exceptions;
  closures; calls n_fib fib 10; calls n_deep deep 60; calls n_even even 20;
  calls n_build build 100; calls n_called called 4; sorting;
  calls n_format format 7; calls n_hash hash 60; calls n_marshal marshal 60;
  calls n_floats floats 100; calls n_trying trying 2000; noalloc;
  (fun t ->
     enter t n_alloc;
     let r = truth_alloc 100 in
     leave t;
     ignore (Sys.opaque_identity r));
|]

let block t =
  enter t n_block;
  truth_block 500;
  leave t

(* Other threads run, or wait. *)
let seldom = [|
  block; calls n_collect collect 3; block; calls n_collect collect 7; block;
  calls n_collect collect 31
|]

let work until =
  let t = register () and i = ref 0 in
  while Unix.gettimeofday () < until do
    ways.(!i mod Array.length ways) t;
    incr i;
    if !i mod 1000 = 0 then seldom.(!i / 1000 mod Array.length seldom) t
  done

(* The ways from [first] to [last], instruction by instruction, [limit] of them
   at most. *)
let stepped limit first last =
  let t = register () in
  Array.iteri (fun i way ->
      if i >= first && i <= last then begin
        way t;
        let before = get (this t + depth) in
        step limit;
        way t;
        let left = stop () in
        assert (get (this t + depth) = before);
        Printf.printf "steps %d %d\n%!" i (limit - left)
      end)
    (Array.append ways seldom)

(* A stack that is larger than the stacks that the runtime keeps for fibers. *)
let[@inline never] rec large n = if n = 0 then 0 else 1 + large (n - 1)

(* Blocking sections, while another thread has the domain lock by turns. *)
let contended n =
  let t = register () and finished = ref false in
  let thread = Thread.create (fun () ->
      let t = register () in
      while not !finished do nested t; growing t; block t done) () in
  step max_int;
  for _ = 1 to n do block t; noalloc t done;
  ignore (stop ());
  finished := true;
  Thread.join thread

let print_maps () =
  In_channel.with_open_bin "/proc/self/maps" (fun c ->
      In_channel.fold_lines (fun () line -> Printf.printf "map %s\n" line) () c)

let () =
  Array.iteri (fun i name -> if i > 0 then Printf.printf "name %d %s\n" i name)
    names;
  (match Sys.argv.(1) with
   | "random" ->
       let until = Unix.gettimeofday () +. float_of_string Sys.argv.(2) in
       let domain = Domain.spawn (fun () ->
           let thread = Thread.create work until in
           work until;
           Thread.join thread) in
       let thread = Thread.create work until in
       work until;
       Thread.join thread;
       Domain.join domain
   | "step" ->
       let n i = int_of_string Sys.argv.(i) in
       stepped (n 2) (n 3) (n 4)
   | "large" ->
       let t = register () in
       ignore (asking t (fun () -> large 100_000))
   | "contended" -> contended (int_of_string Sys.argv.(2))
   | "plugin" -> ignore (register ()); Dynlink.loadfile Sys.argv.(2)
   | _ -> exit 2);
  print_maps ();
  print_endline "end"
