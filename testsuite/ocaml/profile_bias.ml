(* Programs whose parts take the same processor time, and that run for short
   times: a profile must not prefer a part.  At the end prints the processor time
   of each part, in ns, and of the process.

   profile_bias periodic SECONDS    four parts of 1 ms, each 20 ms
   profile_bias bursts SECONDS      the same, then a random pause
   profile_bias threads SECONDS MS  a part of MS in the main thread, and one in a
                                    new thread
   profile_bias masked SECONDS      parts of 1 ms in the main thread, and half as
                                    much at the same time in a thread of C that
                                    blocks all signals *)

external work : int -> int -> unit = "bias_work"
external masked : int -> unit = "bias_masked"
external join : unit -> unit = "bias_join"
external total : int -> int = "bias_total"

let ms = 1_000_000
let argument i = int_of_string Sys.argv.(i)
let until = Unix.gettimeofday () +. float (argument 2)
let four_parts () = for part = 0 to 3 do work part ms done
let forever f = while Unix.gettimeofday () < until do f () done

let () =
  begin match Sys.argv.(1) with
  | "periodic" ->
    let next = ref (Unix.gettimeofday ()) in
    forever (fun () ->
      four_parts ();
      next := !next +. 0.02;
      Unix.sleepf (Float.max 0. (!next -. Unix.gettimeofday ())))
  | "bursts" ->
    forever (fun () ->
      four_parts ();
      Unix.sleepf (Random.float 0.012))
  | "threads" ->
    let ns = argument 3 * ms in
    forever (fun () ->
      work 0 ns;
      Thread.join (Thread.create (work 1) ns))
  | "masked" ->
    masked (argument 2 * 500 * ms);
    forever (fun () -> work 0 ms; Gc.minor ());
    join ()
  | _ -> exit 2
  end;
  Printf.printf "process %.0f\n" (1e9 *. Sys.time ());
  List.iteri (fun i name -> if total i > 0 then Printf.printf "%s %d\n" name (total i))
    ["part_a"; "part_b"; "part_c"; "part_d"]
