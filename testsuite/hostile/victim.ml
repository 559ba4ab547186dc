(* Four domains that work, write events, and use all that module Eventring
   has, while somebody else writes to the ring file.  Prints sums that do not
   depend on it; exit code 3.

     victim ROUNDS     waits for a line on standard input first *)

let rounds = int_of_string Sys.argv.(1)
let counter = Eventring.Counter.register "work"
let span = Eventring.Span.register "span"

let work seed rounds =
  let keep = Array.make 100 [] in
  for i = 1 to rounds do
    Eventring.Span.run span (fun () ->
      keep.(i mod 100) <- List.init 30 (fun k -> k * i + seed));
    Eventring.Counter.sample counter i;
    if i mod 100 = 0 then Gc.minor ();
    if i mod 3000 = 0 then Gc.full_major ()
  done;
  Array.fold_left (List.fold_left ( + )) 0 keep

let quietly f = try f () with Sys_error _ | Failure _ -> ()

let control i =
  match i mod 8 with
  | 0 -> Eventring.pause ()
  | 1 | 3 -> Eventring.resume ()
  | 2 -> Eventring.set_categories [Eventring.Gc; Eventring.User]
  | 4 -> ignore (Eventring.categories () : Eventring.category list)
  | 5 when i < 2000 ->
    ignore (Eventring.Counter.register (string_of_int i)
            : Eventring.Counter.t)
  | 6 when i mod 100 = 6 ->
    quietly (fun () -> Eventring.snapshot "snapshot")
  | 7 when i mod 200 = 7 -> Eventring.stop (); quietly Eventring.start
  | _ -> Eventring.set_domain_name (string_of_int i)

let read () =
  quietly (fun () ->
    let module C = Eventring.Cursor in
    let cursor = C.create C.Self in
    let callbacks = C.callbacks () in
    for _ = 1 to 100 do
      quietly (fun () -> ignore (C.poll ~max:1000 cursor callbacks : int))
    done;
    C.close cursor)

let () =
  ignore (input_line stdin : string);
  let over = Atomic.make false in
  let others = List.init 2 (fun i -> Domain.spawn (fun () ->
    work i rounds)) in
  let controller = Domain.spawn (fun () ->
    let i = ref 0 in
    while not (Atomic.get over) do
      incr i;
      control !i;
      if !i mod 50 = 0 then read ();
      Domain.cpu_relax ()
    done) in
  let sum = work 5 rounds in
  let sums = List.map Domain.join others in
  Atomic.set over true;
  Domain.join controller;
  Printf.printf "%d\n" (List.fold_left ( + ) sum sums);
  exit 3
