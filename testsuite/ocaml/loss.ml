(* A reader that is slower than the writer: lost events are counted, the others
   are whole and in order.

     loss own         in one process, which records all, with one domain that
                      writes and one that reads now and then
     loss write N     prints its id, then writes 1..N when it is told to; it
                      records its own events only
     loss read DIR PID N   reads them; expects to lose most *)

open Runtime_events
open Check

type User.tag += Test
let number = User.register "number" Test Type.int

type reading = {
  cursor : cursor;
  mutable read : int; mutable lost : int; mutable last : int;
  mutable wrong : int;
}

let reading target =
  let r = { cursor = create_cursor target;
            read = 0; lost = 0; last = 0; wrong = 0 } in
  let callbacks =
    Callbacks.create ~lost_events:(fun _ n ->
        if n <= 0 then r.wrong <- r.wrong + 1;
        r.lost <- r.lost + n) ()
    |> Callbacks.add_user_event Type.int (fun _ _ _ n ->
        (* every missing event has been reported as lost, exactly *)
        if n <> r.read + r.lost + 1 || n <= r.last then r.wrong <- r.wrong + 1;
        r.last <- n;
        r.read <- r.read + 1) in
  r, callbacks

let poll (r, callbacks) = ignore (read_poll r.cursor callbacks None)

let report (r, _) total =
  Printf.printf "# read %d, lost %d, wrong %d\n" r.read r.lost r.wrong;
  ok "nothing that is read is wrong or out of order" (r.wrong = 0);
  ok "read and lost make all that was written" (r.read + r.lost = total);
  ok "something was read" (r.read > 0)

let own () =
  let total = 2_000_000 in
  let r, _ as reader = reading None in
  (* From here on, nothing but numbers. *)
  Eventring.set_categories [User];
  poll reader;
  r.read <- 0;
  r.lost <- 0;
  let r = reader in
  let finished = Atomic.make false in
  (* This domain's ring holds no numbers: the counts above are of one ring. *)
  let writer = Domain.spawn (fun () ->
      for i = 1 to total do User.write number i done;
      Atomic.set finished true) in
  while not (Atomic.get finished) do poll r; Unix.sleepf 0.001 done;
  Domain.join writer;
  poll r; Unix.sleepf 0.01; poll r;
  report r total

let () =
  match Array.to_list Sys.argv |> List.tl with
  | [ "own" ] -> own (); print_endline "done"
  | [ "write"; n ] ->
    Printf.printf "%d\n%!" (Unix.getpid ());
    ignore (In_channel.input_char stdin);
    for i = 1 to int_of_string n do User.write number i done;
    (* A cursor wants all of these to be recorded. *)
    Eventring.set_categories [Gc; Gc_detail; Domain; User; Alloc; Sync_detail];
    print_endline "written";
    ignore (In_channel.input_line stdin)
  | [ "read"; dir; pid; n ] ->
    let r = reading (Some (dir, int_of_string pid)) in
    (* From the oldest event that the ring still has: the loss is first. *)
    poll r;
    report r (int_of_string n);
    ok "most of it was lost" (let r = fst r in r.lost > r.read);
    print_endline "done"
  | _ -> exit 2
