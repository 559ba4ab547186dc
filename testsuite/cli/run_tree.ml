(* A program for run_tree.t: a tree of processes.  Each process of which the
   collections count prints its pid and the number of its minor collections, as
   the runtime counts them. *)

let minors () = (Gc.quick_stat ()).minor_collections

(* Ends without the collections of at_exit. *)
let collect n =
  let before = minors () in
  for _ = 1 to n do Gc.minor () done;
  Printf.printf "%d %d\n%!" (Unix.getpid ()) (minors () - before);
  Unix._exit 0

let wait_for child = ignore (Unix.waitpid [] child)

let fork work =
  match Unix.fork () with
  | 0 -> work ()
  | child -> child

let self = Sys.executable_name

let rec act = function
  | [] -> ()
  (* A server that forks its workers. *)
  | "workers" :: counts ->
    List.map (fun n -> fork (fun () -> collect (int_of_string n))) counts
    |> List.iter wait_for
  | "collect" :: n :: _ -> collect (int_of_string n)
  | "exit" :: code :: _ -> exit (int_of_string code)
  (* Children that end at once: one without an event of its own. *)
  | "brief" :: n :: rest ->
    for _ = 1 to int_of_string n do
      wait_for (fork (fun () -> Unix._exit 0))
    done;
    act rest
  (* Another program, in a child that was forked, and by posix_spawn. *)
  | "exec" :: n :: rest ->
    wait_for (fork (fun () -> Unix.execv self [| self; "collect"; n |]));
    act rest
  | "spawn" :: n :: rest ->
    wait_for (Unix.create_process self [| self; "collect"; n |] Unix.stdin
                Unix.stdout Unix.stderr);
    act rest
  (* A grandchild, of a child that ends before it. *)
  | "orphan" :: n :: rest ->
    let r, w = Unix.pipe () in
    wait_for (fork (fun () ->
        ignore (fork (fun () -> collect (int_of_string n)));
        Unix._exit 0));
    Unix.close w;
    ignore (Unix.read r (Bytes.create 1) 0 1);
    act rest
  (* A process whose parent has ended, and which starts another program then. *)
  | "daemon" :: n :: rest ->
    let reaped, reap = Unix.pipe () and ended, keep = Unix.pipe () in
    wait_for (fork (fun () ->
        ignore (fork (fun () ->
            Unix.close reap;
            ignore (Unix.read reaped (Bytes.create 1) 0 1);
            wait_for (Unix.create_process self [| self; "collect"; n |]
                        Unix.stdin Unix.stdout Unix.stderr);
            Unix._exit 0));
        Unix._exit 0));
    Unix.close reap;
    Unix.close keep;
    ignore (Unix.read ended (Bytes.create 1) 0 1);
    act rest
  (* Children that wait for a signal; the parent ends when they have. *)
  | "signalled" :: n :: _ ->
    Sys.set_signal Sys.sigint Sys.Signal_default;
    let r, w = Unix.pipe () in
    let children = List.init (int_of_string n) (fun _ ->
        let child = fork (fun () ->
            ignore (Unix.write_substring w "r" 0 1);
            while true do Unix.sleep 60 done) in
        ignore (Unix.read r (Bytes.create 1) 0 1);
        child) in
    Sys.set_signal Sys.sigint (Sys.Signal_handle ignore);
    print_endline "ready";
    List.iter (fun child ->
        let rec wait () =
          try wait_for child with Unix.Unix_error (EINTR, _, _) -> wait () in
        wait ()) children;
    exit 3
  (* A child that goes on. *)
  | "leave" :: n :: rest ->
    let r, w = Unix.pipe () in
    let child = fork (fun () ->
        Unix.close r;
        for _ = 1 to int_of_string n do Gc.minor () done;
        Unix.close w;
        while true do Unix.sleep 60 done) in
    Unix.close w;
    ignore (Unix.read r (Bytes.create 1) 0 1);
    Printf.printf "%d\n%!" child;
    act rest
  | word :: _ -> failwith word

let () = act (List.tl (Array.to_list Sys.argv))
