(* A program for the tests of the ring file's format.

     rings gc N DOMAINS    collects garbage in several domains at once
     rings user            writes events of its own, of every kind
     rings turn N          starts domains, one after the other
     rings wait            events without end, until it is killed *)

module Ev = Runtime_events

type Ev.User.tag += Note | Count | Depth | Span | Tick | Odd

let custom =
  Ev.Type.register
    ~encode:(fun buf s ->
      let n = String.length s in
      Bytes.blit_string s 0 buf 0 n;
      n)
    ~decode:(fun buf n -> Bytes.sub_string buf 0 n)

let note = Ev.User.register "note" Note custom
let count = Ev.User.register "count" Count Ev.Type.int
let span = Ev.User.register "span" Span Ev.Type.span
let tick = Ev.User.register "tick" Tick Ev.Type.unit
let odd = Ev.User.register "odd \\ name\t\n\xff  \xc3\xa9 " Odd Ev.Type.unit

let garbage n =
  let keep = Array.make 100 [] in
  for i = 1 to n do
    keep.(i mod 100) <- List.init 50 (fun k -> k + i);
    if i mod 1000 = 0 then Gc.minor ();
    if i mod 20000 = 0 then Gc.full_major ()
  done

let gc n domains =
  let others =
    List.init (domains - 1) (fun _ -> Domain.spawn (fun () -> garbage n))
  in
  garbage n;
  List.iter Domain.join others

let text n = String.init n (fun i -> Char.chr ((i * 7 + n) land 255))

let user () =
  Ev.User.write span Ev.Type.Begin;
  Ev.User.write tick ();
  Ev.User.write odd ();
  List.iter (Ev.User.write count)
    [ 0; 1; -1; 42; min_int; max_int; 1 lsl 32; -(1 lsl 40) ];
  List.iter (fun n -> Ev.User.write note (text n))
    [ 0; 1; 7; 8; 9; 15; 16; 17; 63; 64; 487; 488; 489; 495; 496; 497; 503;
      504; 505; 511; 512; 513; 1000; 1024 ];
  Ev.User.write span Ev.Type.End

let turn n =
  for i = 1 to n do
    Domain.join
      (Domain.spawn (fun () ->
           Ev.User.write count i;
           garbage 100))
  done

let wait () =
  let i = ref 0 in
  while true do
    incr i;
    Ev.User.write count !i;
    Ev.User.write note (text (!i mod 600));
    garbage 10
  done

let number i = int_of_string Sys.argv.(i)

let () =
  match Sys.argv.(1) with
  | "gc" -> gc (number 2) (number 3)
  | "user" -> user ()
  | "turn" -> turn (number 2)
  | "wait" -> wait ()
  | _ -> prerr_endline "unknown work"; exit 2
