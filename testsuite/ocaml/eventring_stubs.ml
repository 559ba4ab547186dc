(* Events of C stubs, with caml/eventring.h. *)

open Eventring
open Check

external span : string -> int = "stub_span"
external counter : string -> string -> int = "stub_counter"
external start_span : int -> unit = "stub_start" [@@noalloc]
external finish_span : int -> unit = "stub_finish" [@@noalloc]
external sample : int -> int -> unit = "stub_sample" [@@noalloc]
external sample_extremes : int -> unit = "stub_sample_extremes" [@@noalloc]
external no_names : unit -> bool = "stub_no_names"
external in_thread : string -> int = "stub_in_thread"

let () =
  let compress = span "compress" and size = counter "size" "bytes" in
  ok "registered before the start" (compress > 0 && size > 0);
  start_span compress; finish_span compress; sample size 1;
  start ();
  let cursor = Cursor.create Self in
  let by = Recorded.by cursor in
  Recorded.are "a span and a counter"
    (by (fun () -> start_span compress; sample size (-3);
          finish_span compress))
    ["begin compress"; "counter size -3 bytes"; "end compress"];
  Recorded.are "the same events as OCaml code registers"
    (by (fun () ->
         Span.run (Span.register "compress") (fun () ->
             Counter.sample (Counter.register ~unit:"bytes" "size") 4)))
    ["begin compress"; "counter size 4 bytes"; "end compress"];
  let id = ref 0 in
  start_span (span "compress");
  ignore (Cursor.poll cursor (Cursor.callbacks
      ~span_start:(fun c -> if Cursor.name c = "compress" then
          id := Cursor.id c) ()));
  ok "registered again, the same number" (span "compress" = compress);
  ok "which is its id" (!id = compress);
  ok "another type is refused"
    (span "size" = -3 && counter "compress" "" = -3
     && counter "size" "words" = -3);
  raises "by OCaml code too" invalid (fun () -> Mark.register "compress");
  ok "bad names are refused"
    (span "" = -4 && span (String.make 128 'n') = -4 && counter "" "" = -4
     && counter "unit" (String.make 16 'u') = -4 && no_names ());
  ok "the longest are not"
    (span (String.make 127 'n') > 0 && counter "unit" (String.make 15 'u') > 0);
  ok "no unit" (counter "no unit" "" > 0);
  ok "registered by a thread that OCaml does not know"
    (in_thread "in a thread" = span "in a thread");
  Recorded.are "errors for events: nothing is written"
    (by (fun () -> List.iter (fun e ->
         start_span e; finish_span e; sample e 1) [0; -1; -2; -3; -4]))
    [];
  Recorded.are "while paused: nothing"
    (by (fun () -> pause (); start_span compress; sample size 1; resume ()))
    [];
  (* 64 bits are written; OCaml's integers have 63. *)
  sample_extremes size;
  let n = ref 0 in
  for _ = 1 to 32_768 do
    if counter (string_of_int !n) "" = -1 then () else incr n
  done;
  ok "too many names" (counter "one more" "" = -1 && span "one more" = -1);
  print_endline "done"
