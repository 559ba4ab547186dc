(* bare_fork HOW: a child that C makes without fork handlers, by _Fork or by the
   system call clone, and that goes on as an OCaml program: it writes its
   process id, collects, registers and names something, and ends by HOW: exit,
   _exit, kill, or stop (Eventring.stop, then a session of its own). *)

external bare_fork : bool -> int = "test_bare_fork"
let whose = Eventring.Counter.register "whose"

let work () =
  for _ = 1 to 100 do
    Eventring.Counter.sample whose (Unix.getpid ());
    ignore (Sys.opaque_identity (List.init 1000 string_of_int));
    Gc.minor ()
  done

let () =
  work ();
  match bare_fork (Sys.argv.(2) = "clone") with
  | 0 ->
    ignore (Eventring.Mark.register "of the child" : Eventring.Mark.t);
    Eventring.set_domain_name "child";
    work ();
    (match Sys.argv.(1) with
     | "exit" -> exit 0
     | "_exit" -> Unix._exit 0
     | "stop" ->
       Eventring.stop ();
       assert (not (Eventring.active ()));
       Eventring.start ();
       work ();
       exit 0
     | _ -> Unix.kill (Unix.getpid ()) Sys.sigkill)
  | pid ->
    (match Unix.waitpid [] pid with
     | _, (WEXITED 0 | WSIGNALED _) -> ()
     | _ -> exit 1);
    work ();
    Printf.printf "%d %d\n%!" (Unix.getpid ()) pid
