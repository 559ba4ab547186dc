(**************************************************************************)
(*                                                                        *)
(*                               Eventring                                *)
(*                                                                        *)
(*   Copyright 2026 the Eventring authors                                 *)
(*                                                                        *)
(*   This file is distributed under the terms of the GNU Lesser General   *)
(*   Public License version 2.1, with the special exception on linking    *)
(*   described in the file LICENSE.                                       *)
(*                                                                        *)
(**************************************************************************)

(* The primitives are in runtime/eventring_ml.c; the layout of event words in
   runtime/caml/eventring_format.h. *)

(* Control *)

type category =
  | Gc
  | Gc_detail
  | Domain
  | Sync
  | User
  | Alloc
  | Sync_detail
  | Wait
  | Thread
  | Runtime
  | Profile
  | Points
  | Profile_alloc
  | Profile_wait
  | Io

(* Bit numbers are the same as in the table of events. *)
let bit = function
  | Gc -> 1
  | Gc_detail -> 2
  | Domain -> 4
  | Sync -> 8
  | User -> 16
  | Alloc -> 32
  | Sync_detail -> 64
  | Wait -> 128
  | Thread -> 256
  | Runtime -> 512
  | Profile -> 1024
  | Points -> 2048
  | Profile_alloc -> 4096
  | Profile_wait -> 8192
  | Io -> 16384

let all_categories =
  [Gc; Gc_detail; Domain; Sync; User; Alloc; Sync_detail; Wait; Thread;
   Runtime; Profile; Points; Profile_alloc; Profile_wait; Io]

let rec mask_of = function
  | [] -> 0
  | c :: rest -> bit c lor mask_of rest

let rec of_mask mask = function
  | [] -> []
  | c :: rest ->
      if mask land bit c <> 0 then c :: of_mask mask rest
      else of_mask mask rest

external start_recording : string option -> int -> int -> unit
  = "caml_ml_eventring_start"
external stop : unit -> unit = "caml_ml_eventring_stop"
external flush : unit -> unit = "caml_ml_eventring_flush" [@@noalloc]
external pause : unit -> unit = "caml_ml_eventring_pause"
external resume : unit -> unit = "caml_ml_eventring_resume"
external path : unit -> string option = "caml_ml_runtime_events_path"
external current_mask : unit -> int = "caml_ml_eventring_mask" [@@noalloc]
external set_mask : int -> unit = "caml_ml_eventring_set_mask" [@@noalloc]
external threshold : unit -> int = "caml_ml_eventring_threshold" [@@noalloc]
external store_threshold : int -> unit = "caml_ml_eventring_set_threshold"
  [@@noalloc]
external sample_period : unit -> int = "caml_ml_eventring_sample_period"
  [@@noalloc]
external set_sample_period : int -> unit
  = "caml_ml_eventring_set_sample_period" [@@noalloc]
external alloc_period : unit -> int = "caml_ml_eventring_alloc_period"
  [@@noalloc]
external set_alloc_period : int -> unit = "caml_ml_eventring_set_alloc_period"
  [@@noalloc]
external snapshot : string -> unit = "caml_ml_eventring_snapshot"

external set_domain_name : string -> unit
  = "caml_ml_eventring_set_domain_name"
external set_thread_name : string -> unit
  = "caml_ml_eventring_set_thread_name"

let nonempty where categories =
  if categories = [] then
    invalid_arg ("Eventring." ^ where ^ ": no category; see pause")
  else mask_of categories

let start ?dir ?categories ?ring_words () =
  start_recording dir
    (match categories with
     | None -> 0        (* the runtime's own default *)
     | Some categories -> nonempty "start" categories)
    (match ring_words with
     | None -> 0
     | Some 0 -> -1     (* refused as any other size that no ring has *)
     | Some words -> words)

let categories () = of_mask (current_mask ()) all_categories

let set_categories categories =
  set_mask (nonempty "set_categories" categories)

let set_threshold ns =
  if ns < 0 then invalid_arg "Eventring.set_threshold: a negative duration"
  else store_threshold ns

module Profile = struct
  let rate () = (999_999_999 + sample_period ()) / sample_period ()

  let set_rate hz =
    if hz < 1 || hz > 20_000 then
      invalid_arg "Eventring.Profile: a rate that is not from 1 to 20000"
    else set_sample_period (1_000_000_000 / hz)

  let alloc_rate () = 1. /. float_of_int (alloc_period ())

  let set_alloc_rate rate =
    if rate >= 1e-12 && rate <= 1. then
      set_alloc_period (int_of_float (1. /. rate +. 0.5))
    else
      invalid_arg "Eventring.Profile: a rate that is not from 1e-12 to 1"

  let record category =
    match current_mask () with
    | 0 ->
        start_recording None 0 0;
        set_mask (current_mask () lor bit category)
    | mask -> set_mask (mask lor bit category)

  let record_no_more category =
    match current_mask () land lnot (bit category) with
    | 0 -> pause ()
    | mask -> set_mask mask

  let start ?rate () =
    (match rate with None -> () | Some hz -> set_rate hz);
    record Profile

  let stop () = record_no_more Profile

  let start_alloc ?rate () =
    (match rate with None -> () | Some rate -> set_alloc_rate rate);
    record Profile_alloc

  let stop_alloc () = record_no_more Profile_alloc
end

(* User events.  An event's value is its event word without the time: the id,
   and above it the form and the number of payload words.

   The first word of [control] is the distance in bytes from [control] to the word
   whose bits are the categories that are recorded: at first zero, so that this
   word itself says that there are none; from the first start of tracing on, the
   distance to the control word of the runtime.  Code that is compiled to native
   code knows the address of a literal.  So an event that is not recorded costs
   two loads, one test and one branch, and in a program that was never traced
   both loads are of one word. *)
let control =
  "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000"
external connect : string -> unit = "caml_ml_eventring_connect"
let () = connect control

external opaque : 'a -> 'a = "%opaque"   (* the compiler must not know it *)
external word_at : string -> int -> int64 = "%caml_string_get64u"
external distance_of_int64 : int64 -> int = "%int64_to_int"

(* Returns true if user events are recorded; in bytecode, always. *)
let[@inline] recorded () =
  let control = opaque control in
  Int64.logand (word_at control (distance_of_int64 (word_at control 0))) 16L
  <> 0L

external active : unit -> bool = "caml_ml_runtime_events_are_active"
  [@@noalloc]

(* The first two are called when [recorded ()] was true; their result means
   nothing: they have none, in C.  In bytecode they, and the last two always, do
   nothing while user events are not recorded. *)
external emit : int -> (int [@untagged])
  = "caml_ml_eventring_emit" "caml_ml_eventring_emit_native" [@@noalloc]
external emit_int : int -> int -> (int [@untagged])
  = "caml_ml_eventring_emit_int" "caml_ml_eventring_emit_int_native"
  [@@noalloc]
external emit_bytes : int -> bytes -> int -> unit
  = "caml_ml_eventring_emit_bytes" [@@noalloc]
external user_on : unit -> bool = "caml_ml_eventring_user_on" [@@noalloc]

let[@inline] recording () = recorded () && user_on ()

let form_end = 1 lsl 16
let form_counter = 2 lsl 16
let form_instant = 3 lsl 16
let one_word = 1 lsl 18

(* Kinds and payloads as in the schema. *)
external register_event : string -> int -> int -> string -> int
  = "caml_ml_eventring_register"

let kind_span = 1
let kind_counter = 2
let kind_instant = 3
let kind_flow = 5
let kind_complete = 9
let kind_request = 10

let payload_none = 0
let payload_int = 1
let payload_bytes = 2
let payload_text = 4

external reraise : exn -> 'a = "%reraise"

module Span = struct
  type t = int

  let register name = register_event name kind_span payload_int ""

  let[@inline] start span = if recorded () then ignore (emit span)

  let[@inline] start_with span n =
    if recorded () then ignore (emit_int (span lor one_word) n)

  let[@inline] finish span =
    if recorded () then ignore (emit (span lor form_end))

  let around span f =
    match f () with
    | result -> finish span; result
    | exception e -> finish span; reraise e

  let run span f = start span; around span f
  let run_with span n f = start_with span n; around span f
end

module Counter = struct
  type t = int

  let register ?(unit = "") name =
    register_event name kind_counter payload_int unit
    lor form_counter lor one_word

  let[@inline] sample counter n =
    if recorded () then ignore (emit_int counter n)
end

module Mark = struct
  type t = int

  let register name =
    register_event name kind_instant payload_none "" lor form_instant

  let[@inline] emit mark = if recorded () then ignore (emit mark)
end

module Message = struct
  type t = int

  let max_length = 1024

  let register name =
    register_event name kind_instant payload_text "" lor form_instant

  let emit message text =
    if recorded () then
      let length = String.length text in
      emit_bytes message (Bytes.unsafe_of_string text)
        (if length > max_length then max_length else length)
end

module Flow = struct
  type t = int

  let register name =
    register_event name kind_flow payload_int "" lor one_word

  let[@inline] start flow id = if recorded () then ignore (emit_int flow id)

  let[@inline] step flow id =
    if recorded () then ignore (emit_int (flow lor form_instant) id)

  let[@inline] finish flow id =
    if recorded () then ignore (emit_int (flow lor form_end) id)
end

module Request = struct
  type t = int
  type id = int

  let none = 0

  let register name = register_event name kind_request payload_int ""

  external begin_ : t -> id = "caml_ml_eventring_request_start" [@@noalloc]
  external set : id -> unit = "caml_ml_eventring_request_resume" [@@noalloc]
  external current : unit -> id = "caml_ml_eventring_request_current"
    [@@noalloc]
  external end_ : t -> id -> unit = "caml_ml_eventring_request_finish"
    [@@noalloc]

  let[@inline] start request = if recorded () then begin_ request else none

  (* A request that was started while user events were recorded is also set
     while they are not: no thread may go on with it after a pause. *)
  let[@inline] resume id = if id <> none || recorded () then set id
  let[@inline] suspend id = if id <> none && current () = id then set none
  let[@inline] finish request id = if id <> none then end_ request id

  let run_with id f =
    if id = none && not (recorded ()) then f ()
    else begin
      let before = current () in
      set id;
      match f () with
      | result -> set before; result
      | exception e -> set before; reraise e
    end
end

module Custom = struct
  type 'a t = {
    event : int;
    encode : bytes -> 'a -> int;
    decode : bytes -> int -> 'a;
  }

  let max_length = 1024

  let register name ~encode ~decode =
    let event =
      register_event name kind_instant payload_bytes "" lor form_instant in
    { event; encode; decode }

  let emit custom x =
    if recording () then begin
      let buffer = Bytes.create max_length in
      let length = custom.encode buffer x in
      if length < 0 || length > max_length then
        invalid_arg "Eventring.Custom.emit: the encoder returned a length \
                     that is not within its buffer";
      (* The encoder may have run for long: still wanted? *)
      if recording () then emit_bytes custom.event buffer length
    end

  let decode custom text =
    custom.decode (Bytes.unsafe_of_string text) (String.length text)
end

module Point = struct
  type value =
    | Int of int
    | Float of float
    | Text of string

  type point = { event : int; f : unit -> value }

  module Points = Map.Make (String)

  let max_points = 1024
  let max_length = 1024

  (* The points by name. *)
  let points = Atomic.make Points.empty

  external register_point : string -> int = "caml_ml_eventring_register_point"
  external set_evaluator : (unit -> int) -> unit
    = "caml_ml_eventring_set_evaluator"
  external write : int -> string -> int -> unit
    = "caml_ml_eventring_write_point" [@@noalloc]
  external exception_text : exn -> string
    = "caml_ml_eventring_exception_text"
  external format_float : string -> float -> string = "caml_format_float"

  let rec register name f =
    let old = Atomic.get points in
    if not (Points.mem name old) && Points.cardinal old >= max_points then
      invalid_arg "Eventring.Point: 1024 points are registered already";
    let event = register_point name lor form_instant in
    if not (Atomic.compare_and_set points old (Points.add name { event; f } old))
    then register name f

  let rec unregister name =
    let old = Atomic.get points in
    if not (Atomic.compare_and_set points old (Points.remove name old))
    then unregister name

  (* The type of the value, and the value: doc/FORMAT.md *)
  let text_of = function
    | Int n -> "int " ^ string_of_int n
    | Float x -> "float " ^ format_float "%.17g" x
    | Text text -> "text " ^ text

  let evaluate_one _ point count =
    let text =
      match text_of (point.f ()) with
      | text -> text
      | exception e -> "failed " ^ exception_text e in
    let length = String.length text in
    write point.event text (if length > max_length then max_length else length);
    count + 1

  let evaluate () = Points.fold evaluate_one (Atomic.get points) 0

  let () = set_evaluator evaluate
end

(* Cursors.  C code reads events in batches into an array of its own, struct
   eventring_event of consumer/reader/eventring_reader.h, which is seen from here as
   a Bigarray; nothing is allocated for an event. *)

module Cursor = struct
  type handle

  (* Memory that OCaml code reads without a call *)
  type batch =
    (char, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

  type source =
    | Self
    | Process of { pid : int; dir : string option }
    | File of string

  type state = Running | Ended | Replaced | Killed

  type t = {
    handle : handle;
    batch : batch;
    busy : bool Atomic.t;
    mutable closed : bool;
    mutable index : int;        (* the event that accessors tell of... *)
    mutable offset : int;       (* ...and where it is in the batch, in bytes *)
    mutable count : int;        (* events in the batch *)
    mutable until : int;        (* events after this wait for the next poll *)
    mutable names : string array;       (* by id, "" if not known yet *)
    mutable kinds : int array;          (* by id, 0 if not known yet *)
  }

  type callbacks = {
    span_start : t -> unit;
    span_finish : t -> unit;
    counter : t -> unit;
    instant : t -> unit;
    complete : t -> unit;
    flow_start : t -> unit;
    flow_step : t -> unit;
    flow_finish : t -> unit;
    request_start : t -> unit;
    request_finish : t -> unit;
    lost : t -> unit;
  }

  type field = {
    name : string;
    unit : string;
    value : int;
    meaning : string;
  }

  external create_handle : source -> bool -> handle
    = "caml_ml_eventring_cursor_create"
  external batch_of : handle -> batch = "caml_ml_eventring_cursor_batch"
  (* -1: a damaged part, behind which the next call goes on. *)
  external read : handle -> int = "caml_ml_eventring_cursor_read"
  external free : handle -> unit = "caml_ml_eventring_cursor_free"
  external describe : handle -> int -> (string * string * int) option
    = "caml_ml_eventring_cursor_describe"
  external handle_state : handle -> int = "caml_ml_eventring_cursor_state"
  external handle_text : handle -> int -> string option
    = "caml_ml_eventring_cursor_text"
  external handle_word : handle -> (int [@untagged]) -> (int [@untagged])
    -> (int [@untagged])
    = "caml_ml_eventring_cursor_word_byte" "caml_ml_eventring_cursor_word"
    [@@noalloc]
  external handle_field : handle -> int -> int -> field option
    = "caml_ml_eventring_cursor_field"
  external handle_domain_name : handle -> int -> string
    = "caml_ml_eventring_cursor_domain_name"
  external handle_thread_name : handle -> int -> string
    = "caml_ml_eventring_cursor_thread_name"

  external now : unit -> int = "caml_ml_eventring_now" [@@noalloc]
  external get_64 : batch -> int -> int64 = "%caml_bigstring_get64u"
  external get_32 : batch -> int -> int32 = "%caml_bigstring_get32u"
  external get_16 : batch -> int -> int = "%caml_bigstring_get16u"
  external int_of_int64 : int64 -> int = "%int64_to_int"
  external int_of_int32 : int32 -> int = "%int32_to_int"

  (* Offsets in struct eventring_event; the C side asserts them. *)
  let event_size = 48
  let at_ns = 0
  let at_words = 24
  let at_ring = 28
  let at_domain = 32
  let at_thread = 36
  let at_id = 40
  let at_form = 42
  let at_thread_id = 44

  let create ?(from_now = false) source =
    let handle = create_handle source from_now in
    { handle; batch = batch_of handle; busy = Atomic.make false;
      closed = false; index = 0; offset = 0; count = 0; until = 0;
      names = [||]; kinds = [||] }

  let ignore_event _ = ()

  let callbacks ?(span_start = ignore_event) ?(span_finish = ignore_event)
      ?(counter = ignore_event) ?(instant = ignore_event)
      ?(complete = ignore_event) ?(flow_start = ignore_event)
      ?(flow_step = ignore_event) ?(flow_finish = ignore_event)
      ?(request_start = ignore_event) ?(request_finish = ignore_event)
      ?(lost = ignore_event) () =
    { span_start; span_finish; counter; instant; complete; flow_start;
      flow_step; flow_finish; request_start; request_finish; lost }

  let[@inline] time c = int_of_int64 (get_64 c.batch (c.offset + at_ns))
  let[@inline] ring c = int_of_int32 (get_32 c.batch (c.offset + at_ring))
  let[@inline] domain c = int_of_int32 (get_32 c.batch (c.offset + at_domain))
  let[@inline] thread c = int_of_int32 (get_32 c.batch (c.offset + at_thread))
  let[@inline] thread_id c =
    int_of_int32 (get_32 c.batch (c.offset + at_thread_id))
  let[@inline] id c = get_16 c.batch (c.offset + at_id)
  let[@inline] words c = int_of_int32 (get_32 c.batch (c.offset + at_words))
  let[@inline] form c = get_16 c.batch (c.offset + at_form) land 255

  let value c = if words c = 0 then 0 else handle_word c.handle c.index 0

  let argument c n =
    if n < 0 || n >= words c then invalid_arg "Eventring.Cursor.argument"
    else handle_word c.handle c.index n

  let text c =
    match handle_text c.handle c.index with
    | Some text -> text
    | None -> invalid_arg "Eventring.Cursor.text: the event carries no text"

  let rec fields_from c n =
    match handle_field c.handle c.index n with
    | None -> []
    | Some field -> field :: fields_from c (n + 1)

  let fields c = fields_from c 0

  let field c name =
    let rec find n =
      match handle_field c.handle c.index n with
      | None -> raise Not_found
      | Some field ->
          if String.equal field.name name then field else find (n + 1) in
    find 0

  let domain_name c = handle_domain_name c.handle c.index
  let thread_name c = handle_thread_name c.handle c.index

  let grow table id nothing =
    let grown = Array.make (id + 256) nothing in
    Array.blit table 0 grown 0 (Array.length table);
    grown

  (* Reads name and kind of an event from the file when its id is first seen.
     Leaves them unknown when the file does not describe the event. *)
  let learn c id =
    if id >= Array.length c.names then begin
      c.names <- grow c.names id "";
      c.kinds <- grow c.kinds id 0
    end;
    match describe c.handle id with
    | Some (name, _, kind) -> c.names.(id) <- name; c.kinds.(id) <- kind
    | None -> ()

  let name c =
    let id = id c in
    if id >= Array.length c.names || c.names.(id) = "" then learn c id;
    c.names.(id)

  let[@inline] kind c =
    let id = id c in
    if id >= Array.length c.kinds || Array.unsafe_get c.kinds id = 0
    then learn c id;
    Array.unsafe_get c.kinds id

  (* Spans, flows and requests share the forms.  An event without an integer is
     a span, which saves most events the look at the table. *)
  let[@inline] linked_kind c = if words c = 1 then kind c else kind_span

  let deliver_start c callbacks =
    let kind = linked_kind c in
    if kind = kind_flow then callbacks.flow_start c
    else if kind = kind_request then callbacks.request_start c
    else callbacks.span_start c

  let deliver_finish c callbacks =
    let kind = linked_kind c in
    if kind = kind_flow then callbacks.flow_finish c
    else if kind = kind_request then callbacks.request_finish c
    else callbacks.span_finish c

  let deliver_instant c callbacks =
    if linked_kind c = kind_flow then callbacks.flow_step c
    else if words c > 0 && kind c = kind_complete then callbacks.complete c
    else callbacks.instant c

  let unit c =
    match describe c.handle (id c) with
    | Some (_, unit, _) -> unit
    | None -> ""

  (* Closing waits for the poll that it is called in. *)
  let release c = free c.handle

  let close c =
    if not c.closed then begin
      c.closed <- true;
      if Atomic.compare_and_set c.busy false true then release c
    end

  let finished c =
    if c.closed then release c else Atomic.set c.busy false

  exception Damaged

  let is_running c =
    handle_state c.handle = 1 || begin c.until <- max_int; false end

  (* The loop over a batch.  The event is passed before its callback runs, so
     that a callback that raises is not called for it again. *)
  let rec deliver c callbacks left done_ =
    if left <= 0 || c.closed then done_
    else if c.index + 1 >= c.count && not (refill c) then done_
    else begin
      let index = c.index + 1 in
      c.index <- index;
      c.offset <- index * event_size;
      let form = form c in
      begin match form with
      | 0 -> deliver_start c callbacks
      | 1 -> deliver_finish c callbacks
      | 2 -> callbacks.counter c
      | 3 -> deliver_instant c callbacks
      | _ -> callbacks.lost c
      end;
      if form <= 3 then deliver c callbacks (left - 1) (done_ + 1)
      else deliver c callbacks left done_
    end

  (* A poll must end even when its callbacks make events.  A file without a
     writer has an end, and its times may be of another machine. *)
  and refill c =
    if c.count > 0 && time c > c.until && is_running c then false
    else begin
      c.count <- 0;
      c.index <- -1;
      c.offset <- 0;
      let n = read c.handle in
      if n < 0 then raise_notrace Damaged;
      c.count <- n;
      n > 0
    end

  let closed = "Eventring.Cursor.poll: the cursor is closed"

  (* Delivers at most [max] events and returns their number.  Raises Damaged for
     a damaged part, Invalid_argument when the cursor is closed or being polled,
     and the exceptions of callbacks. *)
  let poll_raw max c callbacks =
    if not (Atomic.compare_and_set c.busy false true) then
      invalid_arg (if c.closed then closed else
                   "Eventring.Cursor.poll: the cursor is being polled");
    if c.closed then begin
      (* while another domain's poll came to its end *)
      release c;
      invalid_arg closed
    end;
    (* The events of the last poll say nothing about this one's end. *)
    if c.index + 1 >= c.count then c.count <- 0;
    c.until <- now () + 1_000_000;
    match deliver c callbacks max 0 with
    | n -> finished c; n
    | exception e -> finished c; reraise e

  let poll ?(max = max_int) c callbacks =
    try poll_raw max c callbacks with Damaged ->
      failwith "Eventring.Cursor.poll: the ring file is damaged"

  (* The handle of a cursor that is closed during a poll is freed after it. *)
  let state c =
    match if c.closed then 0 else handle_state c.handle with
    | 1 -> Running
    | 2 -> Ended
    | 3 -> Replaced
    | 4 -> Killed
    | _ -> invalid_arg "Eventring.Cursor.state: the cursor is closed"
end

(* Watching for slow spans: a cursor on this process, and for each ring the
   watched spans that are open in it.  An event that is complete in itself needs
   no such memory.

   A session lasts from a start of the recorder to its stop.  The watch
   compares the present session with the one that its cursor reads, and opens a
   new cursor when they differ. *)

type slow = {
  name : string;
  domain : int;
  start : int;
  duration : int;
  request : Request.id;
}

module Watch = struct
  (* [thread] is 0 where events do not tell their thread. *)
  type open_span = { id : int; thread : int; since : int; limit : int }

  (* Bits 32 and up are the process id, the others the number of the session,
     which is 0 while nothing is being traced. *)
  external current_session : unit -> int = "caml_ml_eventring_session"
    [@@noalloc]
  let process session = session lsr 32
  (* No literal of more than 31 bits: programs that the build runs are linked
     for any platform. *)
  let is_traced session = session lsl 31 <> 0

  type t = {
    mutable cursor : Cursor.t option;
    mutable session : int;              (* of the cursor *)
    callbacks : Cursor.callbacks;
    forget : unit -> unit;              (* the open spans *)
    threads_known : bool ref;
    busy : bool Atomic.t;
    stopped : bool Atomic.t;
  }

  let rec open_from_now () =
    let session = current_session () in
    let cursor = Cursor.create ~from_now:true Cursor.Self in
    if current_session () = session then cursor, session
    else begin
      Cursor.close cursor;
      open_from_now ()
    end

  (* The limit of a span that is not watched. *)
  let not_watched = max_int

  (* Open requests, by number: when each began.  Requests that never finish must
     not fill the memory. *)
  module Requests = Map.Make (Int)
  let most_requests = 65536

  let create spans f =
    let limits = ref [||] in            (* by id; -1: not looked up yet *)
    let limit_of c =
      let id = Cursor.id c in
      if id >= Array.length !limits then begin
        let grown = Array.make (id + 256) (-1) in
        Array.blit !limits 0 grown 0 (Array.length !limits);
        limits := grown
      end;
      if !limits.(id) < 0 then begin
        let rec find name = function
          | [] -> not_watched
          | (watched, limit) :: rest ->
              if String.equal watched name then limit else find name rest in
        !limits.(id) <- find (Cursor.name c) spans
      end;
      !limits.(id) in
    let report ?(request = Request.none) c duration =
      f { name = Cursor.name c; domain = Cursor.domain c;
          start = Cursor.time c - duration; duration; request } in
    let requests = ref Requests.empty and requests_count = ref 0 in
    let forget_requests () =
      requests := Requests.empty;
      requests_count := 0 in
    let request_start c =
      if limit_of c <> not_watched then begin
        if !requests_count = most_requests then forget_requests ();
        incr requests_count;
        requests := Requests.add (Cursor.value c) (Cursor.time c) !requests
      end in
    let request_finish c =
      let number = Cursor.value c in
      match Requests.find_opt number !requests with
      | None -> ()
      | Some since ->
          decr requests_count;
          requests := Requests.remove number !requests;
          let duration = Cursor.time c - since in
          if duration > limit_of c then
            report ~request:number c duration in
    let rings = ref [||] in             (* the open spans of each *)
    let opened c =
      let ring = Cursor.ring c in
      if ring >= Array.length !rings then begin
        let grown = Array.make (ring + 16) [] in
        Array.blit !rings 0 grown 0 (Array.length !rings);
        rings := grown
      end;
      !rings.(ring) in
    let threads_known = ref false in
    let thread_of c = if !threads_known then Cursor.thread c else 0 in
    let span_start c =
      let limit = limit_of c in
      if limit <> not_watched then begin
        let others = opened c in
        !rings.(Cursor.ring c) <-
          { id = Cursor.id c; thread = thread_of c; since = Cursor.time c;
            limit } :: others
      end in
    (* The span that [thread] began last, and the others. *)
    let rec take thread = function
      | [] -> None, []
      | span :: rest when span.thread = thread -> Some span, rest
      | span :: rest ->
          let found, rest = take thread rest in
          found, span :: rest in
    let rec without thread = function
      | [] -> []
      | span :: rest when span.thread = thread -> without thread rest
      | span :: rest -> span :: without thread rest in
    let span_finish c =
      if limit_of c <> not_watched then begin
        let thread = thread_of c and spans = opened c in
        match take thread spans with
        | Some { id; since; limit; _ }, rest when id = Cursor.id c ->
            !rings.(Cursor.ring c) <- rest;
            let duration = Cursor.time c - since in
            if duration > limit then report c duration
        | _ ->
            (* Its start was before the watch, or lost. *)
            !rings.(Cursor.ring c) <- without thread spans
      end in
    let complete c =
      if Cursor.value c > limit_of c then report c (Cursor.value c) in
    let lost c = ignore (opened c); !rings.(Cursor.ring c) <- [] in
    let cursor, session = open_from_now () in
    { cursor = Some cursor; session;
      callbacks =
        Cursor.callbacks ~span_start ~span_finish ~complete ~request_start
          ~request_finish ~lost ();
      forget = (fun () -> rings := [||]; forget_requests ()); threads_known;
      busy = Atomic.make false; stopped = Atomic.make false }

  let read w =
    match w.cursor with
    | None -> ()
    | Some cursor ->
        try ignore (Cursor.poll_raw max_int cursor w.callbacks)
        with
        | Cursor.Damaged -> w.forget ()
        | Invalid_argument why when why == Cursor.closed -> ()  (* by [stop] *)

  let close w =
    match w.cursor with
    | None -> ()
    | Some cursor -> Cursor.close cursor

  (* Opens a cursor from the beginning of [w.session], unless that session is
     over or its file cannot be opened: the next poll tries again. *)
  let attach w =
    match Cursor.create Cursor.Self with
    | exception Sys_error _ -> ()
    | cursor ->
        if current_session () = w.session then w.cursor <- Some cursor
        else Cursor.close cursor;
        (* by another domain, which did not see this cursor *)
        if Atomic.get w.stopped then close w

  let poll_session w session =
    let known = List.mem Thread (categories ()) in
    (* The rest of a session that was stopped is as before. *)
    if is_traced session && known <> !(w.threads_known) then begin
      w.forget ();
      w.threads_known := known
    end;
    if w.session <> session then begin
      (* The last events of the session.  In a child they are not read: the
         cursor is on the file of the parent. *)
      if process w.session = process session then read w;
      close w;
      w.cursor <- None;
      w.session <- session;
      w.forget ()
    end;
    if w.cursor == None && is_traced session && not (Atomic.get w.stopped) then
      attach w;
    if not (Atomic.get w.stopped) then read w

  let poll w =
    if not (Atomic.get w.stopped)
       && Atomic.compare_and_set w.busy false true then
      match poll_session w (current_session ()) with
      | () -> Atomic.set w.busy false
      | exception e -> Atomic.set w.busy false; reraise e

  let stop w =
    Atomic.set w.stopped true;
    close w
end

let on_slow = Watch.create
