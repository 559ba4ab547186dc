(* One event of each kind, then c_reader.c looks at them. *)

open Runtime_events

external start : unit -> unit = "test_c_start"
external refused : unit -> unit = "test_c_refused"
external read : unit -> unit = "test_c_reader"

type User.tag += Test
let text = Type.register
    ~encode:(fun b s -> Bytes.blit_string s 0 b 0 (String.length s);
              String.length s)
    ~decode:(fun b n -> Bytes.sub_string b 0 n)

let () =
  start ();
  User.write (User.register "a unit" Test Type.unit) ();
  let span = User.register "a span" Test Type.span in
  User.write span Begin;
  Gc.minor ();
  User.write span End;
  User.write (User.register "a text" Test text) "hello";
  let int = User.register "an int" Test Type.int in
  for i = 1 to 10 do User.write int i done;
  let all = Eventring.categories () in
  Eventring.set_categories [Gc; User];
  refused ();
  Eventring.set_categories all;
  read ()
