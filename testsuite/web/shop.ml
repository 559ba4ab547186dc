(* A shop for the tests of the page: requests in a pool of domains, with spans,
   a counter, names that would be markup, a contended mutex and garbage.

     shop SECONDS DOMAINS *)

open Eventring

let seconds = float_of_string Sys.argv.(1)
let domains = int_of_string Sys.argv.(2)

let checkout = Request.register "checkout"
let parse = Span.register "parse"
let render = Span.register "<script>alert(1)</script>"
let red = Span.register "\027[31mred\027[0m"
let wrong = Span.register "bad \xff\xfe bytes"
let stock = Counter.register "<img src=x onerror=alert(2)>"
let lock = Mutex.create ()

let began = Unix.gettimeofday ()
let goes_on () = Unix.gettimeofday () -. began < seconds

let garbage n = List.length (List.init n (fun i -> [ i; i + 1 ]))

let serve kept i =
  let id = Request.start checkout in
  Request.run_with id (fun () ->
    Span.run parse (fun () -> ignore (garbage 6000));
    Span.run render (fun () ->
      Span.run red (fun () -> ignore (garbage 12000));
      kept.(i mod 500) <- List.init 40 string_of_int);
    Span.run wrong (fun () ->
      Mutex.protect lock (fun () -> Unix.sleepf 0.0005)));
  Request.finish checkout id;
  Counter.sample stock (i mod 100)

let work name () =
  set_domain_name name;
  let kept = Array.make 500 [] in
  let i = ref 0 in
  while goes_on () do
    serve kept !i;
    incr i;
    Unix.sleepf 0.004
  done

let () =
  let others = List.init (domains - 1) (fun i ->
    Domain.spawn (work (Printf.sprintf "worker %d" i))) in
  work "front" ();
  List.iter Domain.join others
