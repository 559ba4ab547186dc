(* Ends in several ways after a known number of events of its own:

     tombstone MARKS HOW *)

let mark = Eventring.Mark.register "mark"
let marks n = for _ = 1 to n do Eventring.Mark.emit mark done

let () =
  let n = int_of_string Sys.argv.(1) in
  marks n;
  match Sys.argv.(2) with
  | "end" -> ()
  | "domain" -> Domain.join (Domain.spawn (fun () -> marks (2 * n)))
  | "fork" ->
      (match Unix.fork () with
       | 0 -> marks 3
       | child -> ignore (Unix.waitpid [] child))
  | "exec" ->
      Unix.execv Sys.executable_name
        [| Sys.executable_name; string_of_int (n + 1); "end" |]
  | "sessions" ->
      Eventring.stop ();
      Eventring.start ~categories:[ User ] ();
      marks (n + 1);
      Eventring.start ~ring_words:2048 ();
      marks (n + 2)
  | "chdir" -> Sys.chdir "/"
  | "kill" -> Unix.kill (Unix.getpid ()) Sys.sigkill
  | _ -> exit 2
