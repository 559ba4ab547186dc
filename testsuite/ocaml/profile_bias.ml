(* Programs whose parts take the same processor time, and that run for short
   times: a profile must not prefer a part.  At the end prints the processor time
   of each part, in ns, and of the process.

   profile_bias periodic SECONDS    four parts of 1 ms, each 20 ms
   profile_bias bursts SECONDS      the same, then a random pause
   profile_bias threads SECONDS MS  a part of MS in the main thread, and one in a
                                    new thread
   profile_bias domains SECONDS     parts of 1 ms by turns in two domains, which
                                    wait for each other; a third one waits
   profile_bias calls SECONDS       parts of 5 and 20 ms, and after them system
                                    calls for 1 and 14 ms
   profile_bias yields SECONDS      two parts of 5 ms in the main thread, and 30 ms by
                                    turns in three other threads
   profile_bias sleeps SECONDS      two parts of 5 ms, then a sleep of C code with the
                                    domain lock
   profile_bias masked SECONDS      parts of 1 ms in the main thread, and at the same
                                    time in a thread of C that blocks all signals *)

external work : int -> int -> unit = "bias_work"
external sleep : unit -> unit = "bias_sleep"
external masked : unit -> unit = "bias_masked"
external join : unit -> unit = "bias_join"
external total : int -> int = "bias_total"

let ms = 1_000_000
let argument i = int_of_string Sys.argv.(i)
let until = Unix.gettimeofday () +. float (argument 2)
let four_parts () = for part = 0 to 3 do work part ms done
let forever f = while Unix.gettimeofday () < until do f () done

let () =
  begin match Sys.argv.(1) with
  | "periodic" ->
    let next = ref (Unix.gettimeofday ()) in
    forever (fun () ->
      four_parts ();
      next := !next +. 0.02;
      Unix.sleepf (Float.max 0. (!next -. Unix.gettimeofday ())))
  | "bursts" ->
    forever (fun () ->
      four_parts ();
      Unix.sleepf (Random.float 0.012))
  | "threads" ->
    let ns = argument 3 * ms in
    forever (fun () ->
      work 0 ns;
      Thread.join (Thread.create (work 1) ns))
  | "domains" ->
    let mutex = Mutex.create () and changed = Condition.create () in
    let turn = ref 0 and last = ref false in
    let wait_for wanted =
      Mutex.lock mutex;
      while not (wanted ()) do Condition.wait changed mutex done;
      Mutex.unlock mutex
    and change variable x =
      Mutex.lock mutex;
      variable := x;
      Condition.broadcast changed;
      Mutex.unlock mutex
    in
    let by_turns me =
      forever (fun () ->
        wait_for (fun () -> !turn = me);
        work me ms;
        Gc.minor ();
        change turn (1 - me))
    in
    let waits = Domain.spawn (fun () -> wait_for (fun () -> !last)) in
    let other = Domain.spawn (fun () -> by_turns 1) in
    by_turns 0;
    Domain.join other;
    change last true;
    Domain.join waits
  | "calls" ->
    forever (fun () ->
      work 0 (5 * ms);
      work 4 ms;
      work 1 (20 * ms);
      work 5 (14 * ms))
  | "yields" ->
    let by_turns parts () = forever (fun () -> parts (); Thread.yield ()) in
    let others =
      List.init 3 (Thread.create (fun _ -> by_turns (fun () -> work 2 (30 * ms)) ())) in
    by_turns (fun () -> work 0 (5 * ms); work 1 (5 * ms)) ();
    List.iter Thread.join others
  | "sleeps" ->
    forever (fun () -> work 0 (5 * ms); work 1 (5 * ms); sleep ())
  | "masked" ->
    masked ();
    forever (fun () -> work 0 ms; Gc.minor ());
    join ()
  | _ -> exit 2
  end;
  Printf.printf "process %.0f\n" (1e9 *. Sys.time ());
  List.iteri (fun i name -> if total i > 0 then Printf.printf "%s %d\n" name (total i))
    ["part_a"; "part_b"; "part_c"; "part_d"; "part_call"; "part_calls"]
