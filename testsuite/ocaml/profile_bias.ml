(* Programs whose parts take the same processor time, and that run for short
   times: a profile must not prefer a part.  At the end prints the processor time
   of each part, in ns.

   profile_bias bursts SECONDS      four parts of 1 ms, then a random pause
   profile_bias threads SECONDS MS  a part of MS in the main thread, and one in a
                                    new thread *)

external work : int -> int -> unit = "bias_work"
external total : int -> int = "bias_total"

let ms = 1_000_000
let argument i = int_of_string Sys.argv.(i)
let until = Unix.gettimeofday () +. float (argument 2)
let forever f = while Unix.gettimeofday () < until do f () done

let () =
  begin match Sys.argv.(1) with
  | "bursts" ->
    forever (fun () ->
      for part = 0 to 3 do work part ms done;
      Unix.sleepf (Random.float 0.012))
  | "threads" ->
    let ns = argument 3 * ms in
    forever (fun () ->
      work 0 ns;
      Thread.join (Thread.create (work 1) ns))
  | _ -> exit 2
  end;
  List.iteri (fun i name -> if total i > 0 then Printf.printf "%s %d\n" name (total i))
    ["part_a"; "part_b"; "part_c"; "part_d"]
