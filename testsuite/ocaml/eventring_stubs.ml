(* Events of C stubs, with caml/eventring.h. *)

open Eventring
open Check

external span : string -> int = "stub_span"
external counter : string -> string -> int = "stub_counter"
external start_span : int -> unit = "stub_start" [@@noalloc]
external finish_span : int -> unit = "stub_finish" [@@noalloc]
external sample : int -> int -> unit = "stub_sample" [@@noalloc]
external sample_extremes : int -> unit = "stub_sample_extremes" [@@noalloc]
external mark : string -> int = "stub_mark"
external message : string -> int = "stub_message"
external flow : string -> int = "stub_flow"
external custom : string -> int = "stub_custom"
external emit_mark : int -> unit = "stub_emit_mark" [@@noalloc]
external emit_message : int -> string -> unit = "stub_emit_message" [@@noalloc]
external emit_flow : int -> int -> unit = "stub_emit_flow" [@@noalloc]
external emit_custom : int -> string -> unit = "stub_emit_custom" [@@noalloc]
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
  let here = mark "here" and note = message "note" and request = flow "request"
  and pair = custom "pair" in
  Recorded.are "a mark, a message, a flow and a custom event"
    (by (fun () -> emit_mark here; emit_message note "hello";
          emit_message note ""; emit_flow request (-7);
          emit_custom pair "a\000b"))
    ["instant here"; "instant note \"hello\""; "instant note \"\"";
     "start request -7"; "step request -7"; "finish request -7";
     "instant pair \"a\\000b\""];
  Recorded.are "which are those of OCaml code too"
    (by (fun () ->
         Mark.emit (Mark.register "here");
         Message.emit (Message.register "note") "hello";
         Flow.start (Flow.register "request") 1;
         let encode bytes s =
           Bytes.blit_string s 0 bytes 0 (String.length s); String.length s in
         let decode bytes length = Bytes.sub_string bytes 0 length in
         Custom.emit (Custom.register "pair" ~encode ~decode) "x"))
    ["instant here"; "instant note \"hello\""; "start request 1";
     "instant pair \"x\""];
  let longest = String.make 1024 'x' in
  Recorded.are "a long message is cut, a long custom event is not written"
    (by (fun () -> emit_message note (longest ^ "y");
          emit_custom pair (longest ^ "y"); emit_custom pair longest))
    [Printf.sprintf "instant note %S" longest;
     Printf.sprintf "instant pair %S" longest];
  ok "a message is no mark" (message "here" = -3 && mark "note" = -3);
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
         start_span e; finish_span e; sample e 1; emit_mark e;
         emit_message e "x"; emit_flow e 1; emit_custom e "x")
       [0; -1; -2; -3; -4]))
    [];
  Recorded.are "while paused: nothing"
    (by (fun () -> pause (); start_span compress; sample size 1;
          emit_message note "x"; emit_custom pair "x"; resume ()))
    [];
  (* 64 bits are written; OCaml's integers have 63. *)
  sample_extremes size;
  let n = ref 0 in
  for _ = 1 to 32_768 do
    if counter (string_of_int !n) "" = -1 then () else incr n
  done;
  ok "too many names" (counter "one more" "" = -1 && span "one more" = -1);
  print_endline "done"
