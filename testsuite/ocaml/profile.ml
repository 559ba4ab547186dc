(* Programs to be sampled.  The first argument names one; most print what they
   know of themselves: "NAME TID NS" for a thread and its processor time. *)

external tid : unit -> int = "test_tid"
external cpu_ns : unit -> int = "test_cpu_ns"
external burn_unlocked : int -> unit = "test_burn_unlocked"
external burn_c_thread : int -> unit = "test_burn_c_thread"
external waits : int -> int = "test_waits"

let lock = Mutex.create ()

let tell name =
  Mutex.protect lock (fun () ->
      Printf.printf "%s %d %d\n%!" name (tid ()) (cpu_ns ()))

let[@inline never] arithmetic n =
  let s = ref 0 in
  for i = 1 to n do s := !s + (i * i) mod 7 done;
  !s

(* Neither allocates nor blocks, for [ms] of processor time. *)
let[@inline never] busy ms =
  let until = cpu_ns () + ms * 1_000_000 in
  while cpu_ns () < until do
    ignore (Sys.opaque_identity (arithmetic 10_000))
  done

(* Known shares: each line does its work for a known time. *)
let shares ms =
  let b = Bytes.create 100_000 and spent = Array.make 3 0 in
  let timed i f =
    let from = cpu_ns () in
    f ();
    spent.(i) <- spent.(i) + cpu_ns () - from in
  let[@inline never] blit () = Bytes.blit b 0 b 50_000 50_000 in
  let[@inline never] alloc () =
    for _ = 1 to 100 do ignore (Sys.opaque_identity (List.init 50 Fun.id)) done
  in
  let until = cpu_ns () + ms * 1_000_000 in
  while cpu_ns () < until do
    timed 0 (fun () -> for _ = 1 to 100 do blit () done);
    timed 1 (fun () -> ignore (Sys.opaque_identity (arithmetic 200_000)));
    timed 2 (fun () -> alloc ())
  done;
  Array.iteri
    (fun i ns -> Printf.printf "%s %d\n" [|"blit"; "arithmetic"; "alloc"|].(i)
        ns)
    spent

(* The same, with a sampler that stops at OCaml's poll points, as signal handlers
   of OCaml do; prints how often each function was on the stack, and how often it
   looked. *)
let polled ms =
  let seen = Array.make 3 0 and looks = ref 0 in
  let on_stack name text =
    let n = String.length name in
    let rec from i =
      i + n <= String.length text
      && (String.sub text i n = name || from (i + 1)) in
    from 0 in
  Sys.set_signal Sys.sigprof (Sys.Signal_handle (fun _ ->
      incr looks;
      let text =
        Printexc.(raw_backtrace_to_string (get_callstack 50)) in
      List.iteri
        (fun i name -> if on_stack name text then seen.(i) <- seen.(i) + 1)
        ["Bytes.blit"; "Profile.arithmetic"; "List.init"]));
  let every = { Unix.it_interval = 0.004; it_value = 0.004 } in
  ignore (Unix.setitimer Unix.ITIMER_PROF every);
  shares ms;
  ignore (Unix.setitimer Unix.ITIMER_PROF
            { Unix.it_interval = 0.; it_value = 0. });
  Printf.printf "polled all %d\n" !looks;
  Array.iteri
    (fun i n -> Printf.printf "polled %s %d\n"
        [|"blit"; "arithmetic"; "alloc"|].(i) n)
    seen

let threads ms =
  let other = Domain.spawn (fun () -> busy ms; tell "domain") in
  let unlocked =
    Thread.create (fun () -> burn_unlocked ms; tell "unlocked") () in
  let c = Thread.create (fun () -> burn_c_thread ms) () in
  busy ms;
  tell "main";
  Thread.join unlocked;
  Thread.join c;
  Domain.join other

(* The deep recursion has more frames than a sample. *)
let rec deep n = if n = 0 then (busy 200; 0) else 1 + deep (n - 1)

let forks n =
  for i = 1 to n do
    busy 1;
    match Unix.fork () with
    | 0 ->
        if i mod 2 = 0 then Unix._exit 0
        else Unix.execv "/bin/true" [|"true"|]
    | pid ->
        match Unix.waitpid [] pid with
        | _, Unix.WEXITED 0 -> ()
        | _ -> Printf.printf "child %d did not end in order\n%!" i
  done

(* A profiler of the program's own, by ITIMER_PROF; prints how often it was
   called. *)
let itimer ms =
  let ticks = ref 0 and every = { Unix.it_interval = 0.01; it_value = 0.01 } in
  Sys.set_signal Sys.sigprof (Sys.Signal_handle (fun _ -> incr ticks));
  ignore (Unix.setitimer Unix.ITIMER_PROF every);
  busy ms;
  ignore (Unix.setitimer Unix.ITIMER_PROF
            { Unix.it_interval = 0.; it_value = 0. });
  Printf.printf "ticks %d\n" !ticks;
  tell "main"

let () =
  let n = int_of_string Sys.argv.(2) in
  (match Sys.argv.(1) with
   | "busy" -> busy n
   | "shares" -> shares n
   | "polled" -> polled n
   | "threads" -> threads n
   | "deep" -> ignore (deep n)
   | "forks" -> forks n
   | "itimer" -> itimer n
   | "waits" -> Printf.printf "interrupted %d\n" (waits n)
   | _ -> exit 2);
  print_endline "end"
