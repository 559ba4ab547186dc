(* Actions of one domain while another one is delayed in the middle of a start,
   a stop, a first event, a fork or a spawn.

   windows restart    a domain writes its first event; meanwhile the session
                      ends and another one starts, to which it writes 500 events
   windows starts     a domain registers names, sets names and writes all the
                      time; meanwhile sessions start and end; then 500 events
   windows spawn      domains are spawned and write 100 events each while the
                      session ends and starts; then 5 more write 100
   windows register   a C thread registers names while the process forks; the
                      child registers names and finds all of them
   windows forks      a session starts and ends twice, while a signal handler may
                      fork; then the process forks, and its child writes 500
                      events *)

external register_in_thread : int -> unit = "test_register_in_thread"
external register_names : int -> int = "test_register_names"
external fork_on_alarm : unit -> unit = "test_fork_on_alarm"
external forks : unit -> int = "test_forks"
external fork : unit -> int = "test_fork"
external wait : int -> int = "test_wait"

let mark = Eventring.Mark.register "first"
let burst = Eventring.Counter.register "burst"
let write n = for i = 1 to n do Eventring.Counter.sample burst i done

let restart () =
  (* The mark is the first event of all. *)
  let categories = [Eventring.User] in
  Eventring.start ~categories ();
  let begun = Atomic.make false and go = Atomic.make false in
  let d = Domain.spawn (fun () ->
    Atomic.set begun true;
    Eventring.Mark.emit mark;
    while not (Atomic.get go) do Domain.cpu_relax () done;
    write 500) in
  while not (Atomic.get begun) do Domain.cpu_relax () done;
  Unix.sleepf 0.1;
  Eventring.stop ();
  Eventring.start ~categories ();
  Atomic.set go true;
  Domain.join d

let starts () =
  let stop = Atomic.make false in
  let d = Domain.spawn (fun () ->
    let i = ref 0 in
    while not (Atomic.get stop) do
      incr i;
      if !i mod 64 = 0 then begin
        ignore (Eventring.Mark.register
          (Printf.sprintf "mark %d" (!i / 64 mod 1000)) : Eventring.Mark.t);
        Eventring.set_thread_name (Printf.sprintf "thread %d" (!i mod 100))
      end;
      Eventring.Mark.emit mark;
      if !i mod 1024 = 0 then Domain.cpu_relax ()
    done;
    write 500) in
  for _ = 1 to 3 do
    Eventring.start ();
    Unix.sleepf 0.02;
    Eventring.stop ()
  done;
  Eventring.start ();
  Atomic.set stop true;
  Domain.join d

let spawn () =
  Eventring.start ();
  for _ = 1 to 5 do
    let d = Domain.spawn (fun () -> Eventring.Mark.emit mark) in
    Eventring.stop ();
    Eventring.start ();
    Domain.join d
  done;
  List.init 5 (fun _ -> Domain.spawn (fun () -> write 100))
  |> List.iter Domain.join

let register () =
  register_in_thread 40;
  Unix.sleepf 0.1;
  match fork () with
  | 0 -> exit (register_names 100)
  | pid -> exit (wait pid)

let forks () =
  fork_on_alarm ();
  for _ = 1 to 2 do
    Eventring.start ();
    Eventring.stop ()
  done;
  Eventring.start ();
  match Unix.fork () with
  | 0 -> write 500
  | pid -> Printf.printf "child %d, in handlers %d\n" (wait pid) (forks ())

let () =
  match Sys.argv.(1) with
  | "restart" -> restart ()
  | "starts" -> starts ()
  | "spawn" -> spawn ()
  | "register" -> register ()
  | "forks" -> forks ()
  | _ -> exit 2
