(* Programs that begin and end in all ways.  Each prints the lines that it
   prints untraced.

     storm domains N    N domains in turn, two at a time; an event each
     storm load FILE    three domains at work until FILE exists
     storm switch N     starts and stops the recorder N times under load
     storm fork HOW     fork, and then HOW *)

external posix_spawn : string -> int = "test_posix_spawn"

let domain_event = Eventring.Counter.register "domain"
let collect n = for _ = 1 to n do
    ignore (Sys.opaque_identity (List.init 20 Fun.id)); Gc.minor () done

let domains n =
  let sum = ref 0 in
  for i = 1 to n / 2 do
    let one k = Domain.spawn (fun () ->
      Eventring.Counter.sample domain_event k;
      ignore (Sys.opaque_identity (List.init 100 Fun.id));
      k) in
    let a = one (2 * i - 1) in
    let b = one (2 * i) in
    sum := !sum + Domain.join a + Domain.join b
  done;
  Printf.printf "%d\n" !sum

let load file =
  let work () =
    let n = ref 0 in
    while not (Sys.file_exists file) do
      incr n;
      Eventring.Counter.sample domain_event !n;
      collect 10
    done in
  let others = List.init 2 (fun _ -> Domain.spawn work) in
  work ();
  List.iter Domain.join others;
  Eventring.Counter.sample domain_event (-1);
  print_endline "loaded"

let switch n =
  let over = Atomic.make false in
  let work () =
    while not (Atomic.get over) do
      Eventring.Counter.sample domain_event 1;
      collect 1
    done in
  let others = List.init 2 (fun _ -> Domain.spawn work) in
  for i = 1 to n do
    Eventring.start ();
    if i mod 3 = 0 then Eventring.pause ();
    if i mod 5 = 0 then Eventring.set_categories [Eventring.Gc];
    if i mod 6 = 0 then Eventring.resume ();
    Eventring.stop ()
  done;
  Atomic.set over true;
  List.iter Domain.join others;
  print_endline "switched"

let wait child =
  match Unix.waitpid [] child with
  | _, WEXITED n -> Printf.printf "child %d\n%!" n
  | _ -> print_endline "child harmed"

let child f =
  flush stdout;
  match Unix.fork () with
  | 0 -> f (); exit 4
  | pid -> wait pid

let fork how =
  collect 5;
  (match how with
   | "once" -> child (fun () -> collect 5)
   | "twice" -> child (fun () -> child (fun () -> collect 5))
   | "exec" ->
     child (fun () ->
       Unix.execv Sys.executable_name [| "storm"; "domains"; "2" |])
   | "domains" -> child (fun () -> domains 6)
   | "spawn" -> Printf.printf "%d\n%!" (posix_spawn Sys.executable_name)
   | "process" ->
     wait (Unix.create_process Sys.executable_name
             [| "storm"; "domains"; "2" |] Unix.stdin Unix.stdout
             Unix.stderr)
   | "daemon" ->
     (* The daemon tells that it is done by closing its end of the pipe. *)
     let over, running = Unix.pipe ~cloexec:true () in
     child (fun () ->
       Unix.close over;
       ignore (Unix.setsid () : int);
       if Unix.fork () > 0 then Unix._exit 4;
       Unix.chdir "/";
       List.iter Unix.close [Unix.stdin; Unix.stdout; Unix.stderr];
       collect 20;
       ignore (Unix.umask 0 : int);
       collect 20;
       Unix.close running;
       Unix._exit 0);
     Unix.close running;
     ignore (Unix.read over (Bytes.create 1) 0 1 : int);
     print_endline "daemon gone"
   | "at_exit" ->
     at_exit (fun () -> Eventring.Counter.sample domain_event 100;
                        print_endline "last");
     at_exit (fun () -> Domain.join (Domain.spawn (fun () ->
       Eventring.Counter.sample domain_event 200));
       print_endline "first")
   | "exit" ->
     ignore (Domain.spawn (fun () -> collect 3; exit 3) : unit Domain.t);
     while true do collect 1 done
   | "storm" ->
     for _ = 1 to 40 do child (fun () -> collect 1) done
   | how -> invalid_arg how);
  collect 5

let () =
  (match Sys.argv.(1), Sys.argv.(2) with
   | "domains", n -> domains (int_of_string n)
   | "load", file -> load file
   | "switch", n -> switch (int_of_string n)
   | "fork", how -> fork how
   | what, _ -> invalid_arg what);
  exit 3
