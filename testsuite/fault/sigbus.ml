(* The ring file is cut, or its pages are taken away, under a program that
   writes events in two domains.  Its third domain is asleep, so that its
   backup thread collects for it.  Prints sums that do not depend on the cut,
   and ends with exit code 3.

     sigbus cut LENGTH      cut to this length, half-way
     sigbus last            cut so that only the sleeping domain's ring is gone
     sigbus punch FILLER    all pages are taken away, and FILLER takes the
                            room on the disk, so that none can come again
     sigbus again           cut, then started anew
     sigbus read            cut, while cursors of its own read the file
     sigbus cursors COUNT   a snapshot is cut that COUNT cursors read
     sigbus stopped         cut, when the recorder has been stopped
     sigbus fiber           cut, when a fiber with a small stack runs
     sigbus fork            cut, then the child and the parent go on
     sigbus snapshot        cut, then a snapshot; and other functions
     sigbus early HOW       with a SIGBUS handler from before tracing starts,
                            or without one, HOW: see below
     sigbus late HOW        likewise, from after that *)

external handle : string -> unit = "test_handle"
external foreign_fault : unit -> unit = "test_foreign_fault"
external send_bus : unit -> unit = "test_send_bus"
external punch : string -> int -> unit = "test_punch"
external cut_at_once : string -> unit = "test_cut_at_once" [@@noalloc]
external handled : unit -> int = "test_handled"

let counter = Eventring.Counter.register "work"

let work seed rounds =
  let keep = Array.make 100 [] in
  for i = 1 to rounds do
    keep.(i mod 100) <- List.init 20 (fun k -> k * i + seed);
    Eventring.Counter.sample counter i;
    if i mod 100 = 0 then Gc.minor ()
  done;
  Array.fold_left (List.fold_left ( + )) 0 keep

(* Without allocating, so that no event comes between. *)
let fill name =
  let piece = Bytes.make 65536 'x' in
  let out = Unix.openfile name [O_WRONLY; O_CREAT] 0o600 in
  fun () ->
    let rec go n = if n > 0 then
      match Unix.write out piece 0 n with
      | _ -> go n
      | exception Unix.Unix_error _ -> go (n / 2) in
    go 65536

(* [harm] comes while both domains work and the third one sleeps; [quietly]:
   while they write no events. *)
let under ?(quietly = false) harm =
  let sleep, wake = Unix.pipe () in
  let begun = Atomic.make 0 and harmed = Atomic.make false in
  let worker = Domain.spawn (fun () ->
    let sum = work 1 200 in
    Atomic.incr begun;
    while not (Atomic.get harmed) do
      if quietly then Domain.cpu_relax () else ignore (work 1 100 : int)
    done;
    sum + work 1 300) in
  let sleeper = Domain.spawn (fun () ->
    let sum = work 3 100 in
    Atomic.incr begun;
    ignore (Unix.read sleep (Bytes.create 1) 0 1 : int);
    sum + work 4 100) in
  let sum = work 2 200 in
  while Atomic.get begun < 2 do Domain.cpu_relax () done;
  harm ();
  Atomic.set harmed true;
  let sum = sum + work 2 300 in
  Gc.full_major ();
  ignore (Unix.write_substring wake "x" 0 1 : int);
  Printf.printf "%d %d %d\n%!" sum (Domain.join worker) (Domain.join sleeper)

let cut length () =
  match Eventring.path () with
  | Some path -> Unix.truncate path length
  | None -> ()

(* After the first lap of the ring, in which its pieces are allocated: to allocate one after
   the cut ends the session without a signal. *)
let cut_alone () =
  for i = 1 to 100_000 do Eventring.Counter.sample counter i done;
  cut 0 ();
  ignore (work 1 300 : int)

let mapped_elsewhere how =
  match how with
  | "fault" -> foreign_fault ()
  | "send" -> send_bus ()
  | "cut" -> cut_alone ()
  | how -> invalid_arg how

let () =
  (match List.tl (Array.to_list Sys.argv) with
   | ["cut"; length] -> under (cut (int_of_string length))
   | ["last"] ->
     under ~quietly:true (fun () ->
       Option.iter (fun path ->
         (* 128 rings of domains, and in native code 64 of samples *)
         let samples = if Sys.backend_type = Sys.Native then 64 else 0 in
         Unix.truncate path
           ((Unix.stat path).st_size - (128 - 2 + samples) * 65536 * 8))
         (Eventring.path ()))
   | ["punch"; filler] ->
     let fill = fill filler in
     let path = Eventring.path () in
     under ~quietly:true (fun () ->
       fill ();
       Option.iter (fun path -> punch path (1 lsl 40)) path;
       fill ())
   | ["again"] ->
     under (cut 0);
     Printf.printf "%b\n" (Eventring.active ());
     Unix.mkdir "again" 0o700;
     Eventring.start ~dir:"again" ();
     under ignore;
     Printf.printf "%b\n" (Eventring.active ())
   | ["read"] ->
     let module C = Eventring.Cursor in
     let over = Atomic.make false in
     let reader = Domain.spawn (fun () ->
       match C.create C.Self with
       | exception Sys_error _ -> ()
       | cursor ->
         let callbacks = C.callbacks ~counter:(fun _ -> ()) () in
         while not (Atomic.get over) do
           match C.poll ~max:1000 cursor callbacks with
           | _ -> ()
           | exception Failure _ -> ()
         done;
         C.close cursor) in
     under (cut 0);
     under ignore;
     Atomic.set over true;
     Domain.join reader
   | ["cursors"; count] ->
     let module C = Eventring.Cursor in
     let file = "snapshot" in
     ignore (work 1 100 : int);
     Eventring.snapshot file;
     let cursors = List.init (int_of_string count) (fun _ -> C.create (File file)) in
     Unix.truncate file 0;
     let none = C.callbacks () in
     let poll c =
       match C.poll c none with
       | _ -> ()
       | exception Failure _ -> () in
     List.iter poll cursors;
     List.iter C.close cursors;
     Printf.printf "%d cursors\n" (List.length cursors)
   | ["stopped"] ->
     under ignore;
     let path = Eventring.path () in
     Eventring.stop ();
     Option.iter (fun path -> Unix.truncate path 0) path;
     under ignore
   | ["fiber"] ->
     (* The fiber's own code is the first to read the control word: there is no
        call between. Fibers below it have stacks next to its own. *)
     let path = Option.value ~default:"" (Eventring.path ()) in
     let rec nested n =
       let f () =
         if n > 0 then nested (n - 1)
         else begin
           cut_at_once path;
           Eventring.Counter.sample counter 1;
           7
         end in
       1 + Effect.Deep.match_with f ()
             { retc = Fun.id; exnc = raise; effc = fun _ -> None } in
     Printf.printf "%d\n%!" (nested 20);
     under ignore
   | ["fork"] ->
     ignore (work 1 500 : int);
     cut 0 ();
     ignore (work 1 500 : int);
     let file = Eventring.path () in
     Printf.printf "%b\n%!" (file = None);
     Unix.fork () |> (function
       | 0 -> ()
       | child ->
         match Unix.waitpid [] child with
         | _, WEXITED 0 -> print_endline "child ended well"
         | _ -> print_endline "child did not end well");
     Printf.printf "%d\n%!" (work 5 1000);
     if Unix.getppid () = int_of_string (Sys.getenv "FIRST") then exit 3
     else exit 0
   | ["snapshot"] ->
     under (cut 0);
     (match Eventring.snapshot "snapshot" with
      | () -> print_endline "a snapshot of nothing"
      | exception Sys_error _ -> print_endline "no snapshot");
     Eventring.resume ();
     Eventring.set_categories [Eventring.Gc];
     Eventring.pause ();
     Eventring.resume ();
     Eventring.set_domain_name "name";
     ignore (Eventring.Counter.register "another" : Eventring.Counter.t);
     Printf.printf "%b %d\n" (Eventring.active ()) (work 6 1000)
   | [moment; handler; how] ->
     (match moment with
      | "early" -> handle handler; Eventring.start ()
      | _ -> Eventring.start (); handle handler);
     mapped_elsewhere how;
     Printf.printf "handled %d\n%!" (handled ())
   | _ -> invalid_arg "arguments");
  exit 3
