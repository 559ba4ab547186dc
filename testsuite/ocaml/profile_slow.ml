(* Fast and slow spans and requests of one name each.  A watch takes a snapshot
   at the slow one of each: span.eventring and request.eventring.  Slow ones do
   x, fast ones y. *)

open Eventring

external cpu_ns : unit -> int = "test_cpu_ns"

let answer = Span.register "answer"
let get = Request.register "get"
let ms = 1_000_000

let[@inline never] compute n =
  let s = ref 0 in
  for i = 1 to n do s := !s + (i * i) mod 7 done;
  !s

let use milliseconds =
  let until = cpu_ns () + milliseconds * ms in
  while cpu_ns () < until do ignore (Sys.opaque_identity (compute 1000)) done

let[@inline never] x () = use 300; Sys.opaque_identity ()
let[@inline never] y () = use 20; Sys.opaque_identity ()

let in_span f = Span.run answer f

let in_request f =
  let id = Request.start get in
  Request.run_with id f;
  Request.finish get id

let save slow =
  let file =
    if slow.request = Request.none then "span.eventring"
    else "request.eventring" in
  snapshot file;
  Printf.printf "%s %s\n%!" file slow.name

let () =
  let watch = on_slow ["answer", 250 * ms; "get", 250 * ms] save in
  List.iter (fun run ->
      for _ = 1 to 20 do run y done;
      run x;
      Watch.poll watch)
    [ in_span; in_request ];
  Watch.stop watch
