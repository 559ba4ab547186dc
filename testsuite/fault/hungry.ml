(* hungry HOW MEGABYTES: takes so much memory in this way and prints a sum.
   Which way: large blocks, small blocks, bigarrays, marshalled values, stacks,
   domains, threads. *)

let megabytes = int_of_string Sys.argv.(2)
let keep : Obj.t list ref = ref []
let hold x = keep := Obj.repr x :: !keep

let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

let () =
  (* Another domain, with a ring of its own, in the middle of something. *)
  let stop = Atomic.make false in
  let other = Domain.spawn (fun () ->
    let span = Eventring.Span.register "other" in
    while not (Atomic.get stop) do
      Eventring.Span.run span ignore;
      Domain.cpu_relax ()
    done) in
  let sum = ref 0 in
  for i = 1 to megabytes do
    sum := !sum + i;
    match Sys.argv.(1) with
    | "large" -> hold (Bytes.create 1_000_000)
    | "small" -> hold (List.init 40_000 Fun.id)
    | "bigarray" ->
      hold Bigarray.(Array1.create char c_layout 1_000_000)
    | "marshal" -> hold (Marshal.to_string (Bytes.create 1_000_000) [])
    | "stack" -> if i mod 100 = 0 then sum := !sum + deep (i * 20_000)
    | "domains" ->
      if i mod 10 = 0 then
        hold (Domain.join (Domain.spawn (fun () -> Bytes.create 10_000_000)))
    | "threads" ->
      (* A stack of 8 MB each *)
      if i mod 8 = 0 then
        hold (Thread.create (fun () ->
          while not (Atomic.get stop) do Thread.delay 0.01 done) ())
    | _ -> exit 2
  done;
  Atomic.set stop true;
  Domain.join other;
  Printf.printf "%d of %d\n" !sum (List.length !keep)
