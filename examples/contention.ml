(* Two domains with two threads each, and one mutex that all want: a program to
   read in the output of "eventring events", where every domain and thread has
   its name, and each wait says how long it took.  Link with unix and threads. *)

let counter = ref 0
let mutex = Mutex.create ()
let update = Eventring.Span.register "update"

(* Holds the mutex for a while: whoever comes meanwhile waits. *)
let worker name =
  Eventring.set_thread_name name;
  for _ = 1 to 5 do
    Eventring.Span.run update (fun () ->
      Mutex.protect mutex (fun () ->
        incr counter;
        Unix.sleepf 0.002));
    ignore (Sys.opaque_identity (List.init 50_000 string_of_int))
  done

let pair domain =
  Eventring.set_domain_name domain;
  let other = Thread.create worker (domain ^ " 2") in
  worker (domain ^ " 1");
  Thread.join other

let () =
  let back = Domain.spawn (fun () -> pair "back") in
  pair "front";
  Domain.join back;
  Printf.printf "%d updates\n" !counter
