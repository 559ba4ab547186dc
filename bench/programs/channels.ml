(* Channels between domains: one sends lists of numbers, the other sums them and
   answers; both channels hold a few messages and then block. *)

type 'a channel = {
  lock : Mutex.t;
  not_empty : Condition.t;
  not_full : Condition.t;
  messages : 'a Queue.t;
  room : int;
}

let channel room =
  { lock = Mutex.create (); not_empty = Condition.create ();
    not_full = Condition.create (); messages = Queue.create (); room }

let send c message =
  Mutex.protect c.lock (fun () ->
    while Queue.length c.messages = c.room do
      Condition.wait c.not_full c.lock
    done;
    Queue.push message c.messages;
    Condition.signal c.not_empty)

let receive c =
  Mutex.protect c.lock (fun () ->
    while Queue.is_empty c.messages do Condition.wait c.not_empty c.lock done;
    let message = Queue.pop c.messages in
    Condition.signal c.not_full;
    message)

let () =
  let size = int_of_string Sys.argv.(1) in
  let questions = channel 16 and answers = channel 16 in
  let rec answer () =
    match receive questions with
    | [] -> ()
    | numbers ->
        send answers (List.fold_left (+) 0 (List.map (fun x -> x * x) numbers));
        answer ()
  in
  let answering = Domain.spawn answer in
  let sum = ref 0 in
  let take () = sum := (!sum * 31 + receive answers) land 0xFFFFFFFFFF in
  (* Some answers are always under way. *)
  let ahead = 8 in
  for i = 1 to size do
    send questions (List.init 50 (fun j -> i + j));
    if i > ahead then take ()
  done;
  for _ = 1 to min ahead size do take () done;
  send questions [];
  Domain.join answering;
  Printf.printf "%d\n" !sum
