(* Domains with names, which do spans of the program, collect garbage, and wait
   for each other, for so many seconds or until a file exists; then, if told to,
   another program.

     spans SECONDS|FILE [PROGRAM ARGUMENT...] *)

open Eventring

let request = Span.register "request"
let parse = Span.register "parse\027[31m"
let lock = Mutex.create ()

let began = Unix.gettimeofday ()
let goes_on =
  match float_of_string_opt Sys.argv.(1) with
  | Some seconds -> fun () -> Unix.gettimeofday () -. began < seconds
  | None -> fun () -> not (Sys.file_exists Sys.argv.(1))

let collect kept =
  for i = 0 to 500 do
    kept.(i mod 1000) <- List.init 20 (fun k -> k + i)
  done

let work name () =
  set_domain_name name;
  let kept = Array.make 1000 [] in
  while goes_on () do
    Span.run request (fun () ->
      Span.run parse (fun () -> collect kept);
      Mutex.protect lock (fun () -> Unix.sleepf 0.004))
  done

let () =
  let others =
    List.map (fun name -> Domain.spawn (work name)) [ "worker"; "other" ] in
  while goes_on () do
    Gc.full_major ();
    Unix.sleepf 0.1
  done;
  List.iter Domain.join others;
  let program = Array.sub Sys.argv 2 (Array.length Sys.argv - 2) in
  if program <> [||] then Unix.execv program.(0) program
