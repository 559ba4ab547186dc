(* Uses the libraries of a stock OCaml: Unix, threads, domains, user events, a
   cursor; says "works" and "refused" when they do.

     drop_in             all of it
     drop_in read PID    only opens a cursor on PID in the current directory *)

open Runtime_events

type User.tag += Test
let answer = User.register "answer" Test Type.int
let span = User.register "span" Test Type.span
let text = Type.register
    ~encode:(fun b s -> Bytes.blit_string s 0 b 0 (String.length s);
              String.length s)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)
let greeting = User.register "greeting" Test text

let refused target =
  match create_cursor target with
  | exception (Failure _ | Out_of_memory) -> print_endline "refused"
  | cursor ->
    let n = read_poll cursor (Callbacks.create ()) None in
    Printf.printf "a cursor that read %d events\n" n

let all () =
  (match Unix.fork () with
   | 0 -> Gc.minor (); exit 0
   | pid -> assert (Unix.waitpid [] pid = (pid, Unix.WEXITED 0)));
  Domain.join (Domain.spawn (fun () -> for _ = 1 to 5 do Gc.minor () done));
  let sum = Atomic.make 0 in
  List.init 4 (fun i -> Thread.create (fun () ->
      Thread.yield (); ignore (Atomic.fetch_and_add sum i)) ())
  |> List.iter Thread.join;
  let read, write = Unix.pipe () in
  assert (Unix.write_substring write "abc" 0 3 = 3);
  let buffer = Bytes.create 3 in
  assert (Unix.read read buffer 0 3 = 3);
  User.write span Begin;
  User.write answer 42;
  User.write greeting "hello";
  Gc.full_major ();
  User.write span End;
  if Atomic.get sum = 6 && Bytes.to_string buffer = "abc" then
    print_endline "works";
  refused None;
  pause ();
  resume ()

let () =
  match Sys.argv with
  | [| _; "read"; pid |] -> refused (Some (".", int_of_string pid))
  | _ -> all ()
