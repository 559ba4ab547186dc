(* A program for run.t: carries out its arguments, in order. *)

let collect n = for _ = 1 to n do Gc.minor () done

let mark = Eventring.Mark.register "mark"

let rec act = function
  | [] -> ()
  | "minor" :: n :: rest -> collect (int_of_string n); act rest
  | "domain" :: n :: rest ->
    Domain.join (Domain.spawn (fun () -> collect (int_of_string n))); act rest
  | "domains" :: n :: marks :: rest ->
    List.init (int_of_string n) (fun _ ->
        Domain.spawn (fun () ->
            for _ = 1 to int_of_string marks do Eventring.Mark.emit mark done))
    |> List.iter Domain.join;
    act rest
  | "stop" :: rest -> Unix.kill (Unix.getppid ()) Sys.sigstop; act rest
  | "continue" :: rest -> Unix.kill (Unix.getppid ()) Sys.sigcont; act rest
  | "print" :: text :: rest -> print_endline text; act rest
  | "exec" :: program -> Unix.execvp (List.hd program) (Array.of_list program)
  | "untrace" :: rest -> Eventring.stop (); act rest
  | "trace" :: rest -> Eventring.start (); act rest
  | "until" :: file :: rest ->
    while not (Sys.file_exists file) do Unix.sleepf 0.01 done;
    act rest
  | "sleep" :: seconds :: rest -> Unix.sleepf (float_of_string seconds); act rest
  | "kill" :: _ -> Unix.kill (Unix.getpid ()) Sys.sigterm
  | "raise" :: _ -> failwith "raised"
  | "fork" :: n :: rest ->
    (match Unix.fork () with
     | 0 -> collect (int_of_string n); exit 0
     | child -> ignore (Unix.waitpid [] child));
    act rest
  | "catch" :: _ ->
    (* Waits for a signal; the exit code tells which one. *)
    List.iter (fun (signal, code) ->
        Sys.set_signal signal (Sys.Signal_handle (fun _ -> exit code)))
      [Sys.sigterm, 15; Sys.sigint, 2; Sys.sighup, 1];
    print_endline "ready";
    while true do Unix.sleep 1 done
  | "exit" :: code :: _ -> exit (int_of_string code)
  | word :: _ -> failwith word

let () = act (List.tl (Array.to_list Sys.argv))
