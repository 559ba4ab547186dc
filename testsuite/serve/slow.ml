(* Carries out the commands on standard input, a line each, and answers each with
   a line:
     minor WORDS   a minor collection that promotes a list of WORDS / 3 elements
     span MS, request MS   one that takes so long
     work MS       short spans until then
     flood         more events than a ring holds
     many N        2000 N events, a few at a time
     fence         an event called fence
     quit *)

let step = Eventring.Span.register "step"
let job = Eventring.Request.register "job"
let tick = Eventring.Mark.register "tick"
let fence = Eventring.Mark.register "fence"
let kept = ref []

let sleep ms = Unix.sleepf (float_of_string ms /. 1000.)

let work ms =
  let until = Unix.gettimeofday () +. float_of_string ms /. 1000. in
  while Unix.gettimeofday () < until do
    Eventring.Span.run step (fun () -> Unix.sleepf 0.001);
    kept := List.init 1000 Fun.id
  done

let minor words =
  kept := List.init (int_of_string words / 3) Fun.id;
  Gc.minor ()

let carry_out order =
  match String.split_on_char ' ' order with
  | [ "minor"; words ] -> minor words
  | [ "span"; ms ] -> Eventring.Span.run step (fun () -> sleep ms)
  | [ "request"; ms ] ->
    let id = Eventring.Request.start job in
    sleep ms;
    Eventring.Request.finish job id
  | [ "work"; ms ] -> work ms
  | [ "flood" ] -> for _ = 1 to 3_000_000 do Eventring.Mark.emit tick done
  | [ "many"; n ] ->
    for _ = 1 to int_of_string n do
      for _ = 1 to 2000 do Eventring.Mark.emit tick done;
      Unix.sleepf 0.001
    done
  | [ "fence" ] -> Eventring.Mark.emit fence
  | _ -> exit 0

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 8_000_000 };
  while true do
    carry_out (input_line stdin);
    print_endline "done"
  done
