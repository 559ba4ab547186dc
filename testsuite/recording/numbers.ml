(* Carries out commands from standard input, a line each, and answers "done":

   count N      two domains sample the counter "number" with 1 to N each
   slow         a span "job" of 30 ms, then quick ones
   mark         the mark "now"
   spawn N      N domains, one after the other, which sample "number" once
   fork         a child that samples "number" once and ends
   exec         becomes sleep(1)
   stop         stops tracing
   start        starts it again
   start-in DIR starts it again, with the ring file in DIR
   quit *)

let number = Eventring.Counter.register "number"
let job = Eventring.Span.register "job"
let now = Eventring.Mark.register "now"

let count n () =
  for i = 1 to n do Eventring.Counter.sample number i done

let rec last_argument = function
  | [] -> 0
  | [word] -> int_of_string word
  | _ :: rest -> last_argument rest

let obey line =
  let words = String.split_on_char ' ' line in
  match List.hd words with
  | "count" ->
      let n = last_argument words in
      let other = Domain.spawn (count n) in
      count n ();
      Domain.join other
  | "slow" ->
      Eventring.Span.run job (fun () -> Unix.sleepf 0.03);
      for _ = 1 to 10 do Eventring.Span.run job ignore done
  | "mark" -> Eventring.Mark.emit now
  | "spawn" ->
      for i = 1 to last_argument words do
        Domain.join (Domain.spawn (fun () -> Eventring.Counter.sample number i))
      done
  | "fork" ->
      (match Unix.fork () with
       | 0 -> Eventring.Counter.sample number 1; exit 0
       | child -> ignore (Unix.waitpid [] child))
  | "exec" -> Unix.execv "/bin/sleep" [| "sleep"; "60" |]
  | "stop" -> Eventring.stop ()
  | "start" -> Eventring.start ()
  | "start-in" -> Eventring.start ~dir:(List.nth words 1) ()
  | "quit" -> exit 0
  | _ -> failwith line

let () =
  while true do
    obey (read_line ());
    print_endline "done"
  done
