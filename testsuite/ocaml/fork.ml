(* Forks, as its argument says, and prints the process ids: parent, child.

     child        both go on and write events; the child begins one more domain
                  of its own
     exit         the child ends at once
     exec         the child is replaced by the program given next, which ends
                  with exit code 3
     grandchild   the child forks again; three ids
     system       a shell by Sys.command, no OCaml in it
     raw          fork(2) by C, and the child is C as well
     storm N      N children one after the other, each writing events *)

external raw_fork : unit -> int = "test_raw_fork"

let collect () = for _ = 1 to 3 do Gc.minor () done

type Runtime_events.User.tag += Whose
let whose =
  Runtime_events.User.register "whose" Whose Runtime_events.Type.int
let write () = Runtime_events.User.write whose (Unix.getpid ())

let ids = ref [ Unix.getpid () ]
let print () =
  print_endline
    (String.concat " " (List.rev_map string_of_int !ids))

let wait ?(code = 0) pid =
  ids := pid :: !ids;
  match Unix.waitpid [] pid with
  | _, Unix.WEXITED c when c = code -> ()
  | _ -> failwith "the child failed"

let fork child =
  match Unix.fork () with
  | 0 -> child (); exit 0
  | pid -> pid

let () =
  collect ();
  write ();
  match Sys.argv.(1) with
  | "child" ->
    let pid = fork (fun () ->
        for _ = 1 to 100 do write (); collect () done;
        Domain.join (Domain.spawn (fun () -> collect (); write ()))) in
    for _ = 1 to 100 do write (); collect () done;
    wait pid;
    print ()
  | "exit" -> wait (fork ignore); print ()
  | "exec" ->
    let program = Sys.argv.(2) in
    wait ~code:3 (fork (fun () ->
        write ();
        Unix.execv program (Array.sub Sys.argv 2 (Array.length Sys.argv - 2))));
    print ()
  | "grandchild" ->
    wait (fork (fun () ->
        collect (); write ();
        let pid = fork (fun () -> collect (); write ()) in
        ignore (Unix.waitpid [] pid)));
    print ()
  | "system" ->
    assert (Sys.command "exit 7" = 7);
    collect ();
    print ()
  | "raw" ->
    wait (raw_fork ());
    collect ();
    write ();
    print ()
  | "leaves" ->
    (* Children that end by _exit, by exec, and by _exit after an exec that
       failed; then an exec that fails in this process, and one that does not. *)
    let children n child = for _ = 1 to n do wait (fork child) done in
    children 10 (fun () -> write (); Unix._exit 0);
    children 10 (fun () -> write (); Unix.execv "/bin/true" [| "true" |]);
    children 10 (fun () -> write (); Unix.execvp "true" [| "true" |]);
    children 10 (fun () ->
      write ();
      try Unix.execv "/nowhere" [| "nowhere" |]
      with Unix.Unix_error _ -> write (); Unix._exit 0);
    write ();
    (try Unix.execvp "/nowhere" [| "nowhere" |]
     with Unix.Unix_error (ENOENT, "execvp", _) -> ());
    let oc = open_out_gen [Open_creat; Open_wronly] 0o755 "not_a_program" in
    output_string oc "\127ELF";
    close_out oc;
    (try Unix.execve "./not_a_program" [| "x" |] (Unix.environment ())
     with Unix.Unix_error (ENOEXEC, "execve", _) -> ());
    Unix.unlink "not_a_program";
    write ();
    print ();
    if Array.length Sys.argv > 2 then
      Unix.execve "/bin/echo" [| "echo"; "executed" |] (Unix.environment ())
  | "storm" ->
    for _ = 1 to int_of_string Sys.argv.(2) do
      wait (fork (fun () -> write (); collect ()))
    done;
    collect ();
    print ()
  | how -> invalid_arg how
