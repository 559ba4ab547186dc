(* Pause and resume through Runtime_events.

     switch        its own tests
     switch resume resumes, collects and writes a user event
     switch wait   prints its process id, then for each line of standard input
                   runs a minor collection, writes a user event and prints
                   whether tracing was active *)

open Runtime_events
open Check

type User.tag += Test
let number = User.register "number" Test Type.int

external active : unit -> bool = "caml_ml_runtime_events_are_active"

let wait () =
  Printf.printf "%d\n%!" (Unix.getpid ());
  let n = ref 0 in
  try
    while true do
      ignore (input_line stdin);
      incr n;
      Gc.minor ();
      User.write number !n;
      Printf.printf "%b\n%!" (active ())
    done
  with End_of_file -> ()

let own () =
  let traced = active () in
  ok "active from the start, as the environment says"
    (traced = (Sys.getenv_opt "OCAML_EVENTRING_START" = Some "1"));
  if not traced then begin
    pause (); resume ();
    ok "pausing and resuming what has not started starts nothing"
      (not (active ()) && Eventring.path () = None);
    start ()
  end;
  ok "active after the start" (active ());
  let cursor = create_cursor None in
  let numbers = ref [] and minors = ref 0 and life = ref [] in
  let callbacks =
    Callbacks.create
      ~runtime_begin:(fun _ _ p -> if p = EV_MINOR then incr minors)
      ~lifecycle:(fun _ _ l _ -> life := l :: !life) ()
    |> Callbacks.add_user_event Type.int (fun _ _ _ n ->
        numbers := n :: !numbers) in
  let during f =
    ignore (read_poll cursor callbacks None);
    numbers := []; minors := 0; life := [];
    f ();
    ignore (read_poll cursor callbacks None) in
  during (fun () -> User.write number 1; Gc.minor ());
  ok "active: events come" (!numbers = [ 1 ] && !minors >= 1);
  during pause;
  ok "the pause is the last event" (!life = [ EV_RING_PAUSE ]);
  ok "paused: not active" (not (active ()));
  during (fun () -> User.write number 2; Gc.minor (); pause (); start ();
           Domain.join (Domain.spawn (fun () -> User.write number 3)));
  ok "paused: nothing comes, whatever one does"
    (!numbers = [] && !minors = 0 && !life = []);
  ok "starting what is paused does not resume it" (not (active ()));
  ok "paused: the file is still there" (Sys.file_exists (Option.get (Eventring.path ())));
  during (fun () -> resume (); resume (); User.write number 4);
  ok "resumed: events come again" (!numbers = [ 4 ]);
  ok "resumed: once" (!life = [ EV_RING_RESUME ]);
  during (fun () -> Domain.join (Domain.spawn (fun () ->
      pause (); User.write number 5; resume (); User.write number 6)));
  ok "paused and resumed by another domain" (!numbers = [ 6 ])

let () =
  match Sys.argv with
  | [| _; "wait" |] -> wait ()
  | [| _; "resume" |] -> resume (); Gc.full_major (); User.write number 1
  | _ -> own (); print_endline "done"
