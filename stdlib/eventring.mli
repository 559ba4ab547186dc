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

(** The flight recorder of the runtime.

    The runtime writes its activity (minor collections, major slices,
    stop-the-world sections, ...) to a ring in memory, one for each domain, in
    a file that any process may read while the program runs and after it
    ended or crashed. This module switches the recorder on and off, adds events
    of the program to the rings, and reads rings.

    {[
      let request = Eventring.Span.register "request"
      let queue = Eventring.Counter.register ~unit:"jobs" "queue"

      let serve job =
        Eventring.Span.run request (fun () ->
          Eventring.Counter.sample queue (Queue.length jobs);
          answer job)
    ]}

    All of it costs next to nothing while the program is not being traced:
    writing an event is then a test of one word in memory, without a call and
    without an allocation. Traced, an event takes some 10 ns, most of which is
    reading the clock.

    Every function may be called from every domain and thread. Times are
    nanoseconds of the system's monotonic clock. *)

(** {1:control Control} *)

(** Events are selected for recording by category. *)
type category =
  | Gc  (** Collections as a whole, with their causes and results. *)
  | Gc_detail  (** The steps inside a collection, and its pacing. *)
  | Domain  (** Life of domains, of the process, of the recorder. *)
  | Sync  (** Stop-the-world sections, one event each. *)
  | User  (** Events of the program, written by this module. *)
  | Alloc  (** Allocation sizes (instrumented runtime only). *)
  | Sync_detail
      (** The steps of a stop-the-world section, domain by domain, and
          interrupts. *)
  | Wait
      (** Waiting that took longer than [OCAML_EVENTRING_THRESHOLD]: for
          mutexes, conditions, other domains, system calls, ... *)
  | Thread
      (** Threads of the threads library: creation, end, which one runs. *)
  | Runtime  (** Signals, finalisers, code loaded, stacks. *)
  | Profile
      (** Samples of the processor time of threads, each with its stack. *)
  | Points
      (** Switching it on evaluates the points of module {!Point} once, and
          switches it off again. *)
  | Profile_alloc
      (** Samples of allocated words, each with its stack, and what becomes of
          their blocks. *)
  | Profile_wait
      (** Samples of the time in which threads wait, each with its stack. *)
  | Io
      (** Input and output of channels and of the Unix library, each with its
          stack. *)

val start :
  ?dir:string -> ?categories:category list -> ?ring_words:int -> unit -> unit
(** [start ()] starts tracing, if the process is not being traced already: then
    it has no effect. The ring file [<pid>.eventring] is made in directory
    [dir]; by default in the one that [OCAML_EVENTRING_PREFIX] names, or else
    in the current one. [categories] is all but [Gc_detail], [Sync_detail],
    [Alloc], [Points], [Io] and the profiles by default. A number follows the pid, as in
    [<pid>.1.eventring], where another process has a file of that name. No other
    domain is stopped.

    [ring_words] is the size of the ring of each domain, in words of 8 bytes,
    from 512 to 2{^30}; the next power of two is taken. Without it, the size is
    the same as in the last session, at first the one in [OCAMLRUNPARAM] ([e=16]
    for 2{^16} words). It holds for later sessions too, and for processes that
    this one forks. When tracing has started already with rings of another size,
    they are replaced: all domains are stopped, the session ends, and its file is
    replaced (even if [OCAML_EVENTRING_KEEP] is set) by the file of a new session
    with the same categories, in the same place. Every event is in one of the two
    files, and readers that follow the process go on with the new one; they cannot
    read a session that is replaced within a few milliseconds, and say so.
    [eventring resize] does this from outside.

    @raise Sys_error with the reason when tracing cannot start: the directory
    is missing or not writable, the disk is full, ... When rings of another size
    cannot be had, tracing goes on with the old ones.
    @raise Invalid_argument if [categories] is empty or no ring has
    [ring_words] words. *)

val stop : unit -> unit
(** Ends tracing. The ring file is removed, unless [OCAML_EVENTRING_KEEP] says
    to keep it; [OCAML_EVENTRING_TOMBSTONES] names a directory in which the
    number of its events is left. All domains are stopped once, as by a minor
    collection. The runtime ends tracing when the program exits, without stopping
    them. *)

val flush : unit -> unit
(** Asks the programs that record this process, such as [eventring record], to
    write the events up to now at once, and not at the end of their flush
    interval. Does not wait for them. No effect when not being traced. *)

val pause : unit -> unit
(** Pauses tracing: all domains stop writing at their next event. No effect
    when not being traced or paused already. *)

val resume : unit -> unit
(** Undoes {!pause}, by this program or from outside, of the same categories. *)

val active : unit -> bool
(** Tracing has been started and is not paused: a category is recorded. *)

val path : unit -> string option
(** The ring file of this process, as an absolute path; [None] when it is not
    being traced. *)

val categories : unit -> category list
(** The categories being recorded, or, while paused, to be recorded after
    {!resume}; the empty list when not being traced, and only then. Somebody
    else may have set bits of the ring file's masks that are no category: they
    do not count, and where no other bit is set, {!resume} records the default
    categories. *)

val set_categories : category list -> unit
(** Sets them; effective at every domain's next event. No effect when not
    being traced.

    @raise Invalid_argument if the list is empty: see {!pause}. *)

val threshold : unit -> int
(** The shortest wait that is recorded, in nanoseconds. *)

val set_threshold : int -> unit
(** Sets it; effective at the next wait that ends. It holds for this process
    and the processes that it forks from then on. No effect when not being
    traced.

    @raise Invalid_argument if the number is negative. *)

(** {1:profile Profiles} *)

(** Samples of the processor time of all threads of the process, also of those
    that C code created, each with its stack. [eventring profile] adds them up,
    by function, by line, inside the spans or requests that were slow... *)
module Profile : sig
  val start : ?rate:int -> unit -> unit
  (** Adds the category [Profile] to those that are recorded; starts tracing,
      as {!Eventring.start} does, if the process is not being traced. [rate] is
      the number of samples for each second of processor time of a thread, from
      1 to 20,000; without it the rate stays as it was, at first 100. Bytecode
      is not sampled: a line on standard error says so.

      @raise Invalid_argument if [rate] is not from 1 to 20,000.
      @raise Sys_error if tracing cannot start. *)

  val stop : unit -> unit
  (** Removes the category [Profile] from those that are recorded; pauses tracing
      if there is no other. *)

  val rate : unit -> int
  (** Samples for each second of processor time of a thread. The system looks at
      its timers at its ticks only, 250 times a second on most: with a higher
      rate, a sample stands for more processor time. *)

  val set_rate : int -> unit
  (** Sets the rate, also while samples are taken, by this process or another.

      @raise Invalid_argument if it is not from 1 to 20,000. *)

  val start_alloc : ?rate:float -> unit -> unit
  (** Adds the category [Profile_alloc] to those that are recorded; starts
      tracing, as {!Eventring.start} does, if the process is not being traced.
      [rate] is the probability with which an allocated word is sampled, from
      1e-12 to 1; without it the rate stays as it was, at first 1e-5.
      {!Gc.Memprof} may be used at the same time. Samples are taken in native code
      of OCaml 5.3 and later only; otherwise a line on standard error says so.

      @raise Invalid_argument if [rate] is not from 1e-12 to 1.
      @raise Sys_error if tracing cannot start. *)

  val stop_alloc : unit -> unit
  (** Removes the category [Profile_alloc] from those that are recorded; pauses
      tracing if there is no other. The blocks that were sampled are no longer
      followed. *)

  val alloc_rate : unit -> float
  (** The probability with which an allocated word is sampled. *)

  val set_alloc_rate : float -> unit
  (** Sets the rate, also while samples are taken, by this process or another.

      @raise Invalid_argument if it is not from 1e-12 to 1. *)
end

(** {1:names Names}

    Readers show domains and threads by number. A program can give them names
    that tell their purpose: ["acceptor"], ["worker 3"]. A name holds for all
    events of its domain or thread that are still in the rings, earlier ones
    too; the one given last is the one that is shown.

    Names may be given before tracing starts; they are kept, and written when
    it does. A name is 1 to 127 bytes, UTF-8 by convention. A ring file has room
    for 4096 namings, each change of a name being one; later namings are
    ignored. An event has the names of its time; events before the first name
    have that one. Giving a name takes a lock for a moment, and is no event: it
    goes unseen in {!Cursor.poll}. *)

val set_domain_name : string -> unit
(** Names the domain that calls.

    @raise Invalid_argument if the name is empty, longer than 127 bytes, or has
    a NUL byte. *)

val set_thread_name : string -> unit
(** Names the thread that calls: one of the threads library, or, in a domain
    that runs no other, the domain's own.

    @raise Invalid_argument as above. *)

(** {1:user Events of the program}

    An event is registered once, under a name; typically by a definition at
    the top of a module. Registering the same name with the same type again
    gives the same event. Names are 1 to 127 bytes, UTF-8 by convention;
    units up to 15 bytes. Up to 32,768 names can be registered. Before tracing
    starts, while it is paused, or without the category [User], events are
    registered all the same and writing them does nothing.

    All [register] functions
    @raise Invalid_argument if a name or unit is too long, empty (a name) or
    has a NUL byte; if the name is registered with another type, a counter's
    unit being part of its type; or if there are too many names. *)

(** Spans of time: something begins and ends. Spans of one domain nest. *)
module Span : sig
  type t

  val register : string -> t

  val start : t -> unit
  (** The span begins now, in this domain. *)

  val start_with : t -> int -> unit
  (** The same with an integer that goes with it: a request id, a size. *)

  val finish : t -> unit
  (** The span that began last under this name in this thread, or, in a program
      without threads, in this domain, ends now. *)

  val run : t -> (unit -> 'a) -> 'a
  (** [run span f] is [f ()] within a span, which ends also when [f] raises. *)

  val run_with : t -> int -> (unit -> 'a) -> 'a
  (** [run_with span n f] is {!run} with an integer. *)
end

(** Values that are sampled now and then. *)
module Counter : sig
  type t

  val register : ?unit:string -> string -> t
  (** [unit] is for display: ["bytes"], ["jobs"]. *)

  val sample : t -> int -> unit
  (** The value is this now. All 63 bits are kept. *)
end

(** Instants. *)
module Mark : sig
  type t

  val register : string -> t

  val emit : t -> unit
  (** This happens now. *)
end

(** Instants with a text. *)
module Message : sig
  type t

  val register : string -> t

  val emit : t -> string -> unit
  (** Writes the text, cut to its first {!max_length} bytes. *)

  val max_length : int
  (** 1024 *)
end

(** Flows from domain to domain: a request through a pipeline, a task from the
    queue to a worker. An id that the program chooses ties the start, the steps
    and the end of a flow together, in any domain that writes them. *)
module Flow : sig
  type t

  val register : string -> t

  val start : t -> int -> unit
  (** The flow with this id begins here. *)

  val step : t -> int -> unit
  (** It passes here. *)

  val finish : t -> int -> unit
  (** It ends here. *)
end

(** Requests: work that begins in one thread and may go on and end in others, in
    runs, between which it waits. Readers show the total time of each request,
    the time in which threads worked on it (running), and the rest (waiting).

    Each thread has one current request, or {!none}. A thread of the threads
    library keeps its own when another thread gets the domain. Nothing else
    changes the current request by itself: a scheduler of fibers or callbacks
    calls {!suspend} when it puts one aside, and {!resume} before it goes on
    with it, in any thread or domain.

    {[
      let query = Eventring.Request.register "query"

      let serve connection =
        let id = Eventring.Request.start query in
        Pool.submit (fun () ->
          Eventring.Request.run_with id (fun () -> answer connection);
          Eventring.Request.finish query id)
    ]}

    Runs of several threads of one domain can be told apart only if the category
    [Thread] is recorded as well. *)
module Request : sig
  type t
  (** A kind of requests. *)

  type id = private int
  (** A request: its number, from 1 on, which no other request of this process
      has, or {!none}. Logs may show the number: readers do. *)

  val none : id
  (** No request: 0. *)

  val register : string -> t

  val start : t -> id
  (** A request of this kind begins now. It is not the current one of a thread
      yet: it waits. Returns {!none} while user events are not recorded; then
      the functions below do nothing with it. *)

  val resume : id -> unit
  (** From now on this thread works on the request, and not on another one;
      with {!none}, on no request. No event is written when nothing changes.

      Two threads may work on one request at a time: its running time is the
      sum of both. *)

  val suspend : id -> unit
  (** From now on this thread does not work on the request, and has no current
      request. Has no effect if the request is not its current one. *)

  val current : unit -> id
  (** The current request of this thread. A call of a short C function, also
      while user events are not recorded. *)

  val run_with : id -> (unit -> 'a) -> 'a
  (** [run_with id f] is [f ()] with the request as the current one, and then
      puts back the one before, also when [f] raises. [f] must return in the
      thread that began it: a fiber that may move to another thread needs
      {!resume} and {!suspend}. *)

  val finish : t -> id -> unit
  (** The request ends now. Any thread may say so, with the kind that it was
      started with. If it is the current one of this thread, the thread has none
      from now on. *)
end

(** Instants with a value in a representation of the program's own. *)
module Custom : sig
  type 'a t

  val register :
    string -> encode:(bytes -> 'a -> int) -> decode:(bytes -> int -> 'a) ->
    'a t
  (** [encode buffer x] writes [x] to [buffer], which has {!max_length} bytes,
      and returns how many bytes it wrote. [decode buffer length] is the
      reverse. A program that registers a name again gets events with the
      functions it gave then. *)

  val emit : 'a t -> 'a -> unit
  (** Encodes and writes the value; allocates the buffer.

      @raise Invalid_argument if [encode] returns a length that is not within
      its buffer; nothing is written then. Exceptions of [encode] are passed
      on. *)

  val decode : 'a t -> string -> 'a
  (** The value of an event, from {!Cursor.text}. *)

  val max_length : int
  (** 1024 *)
end

(** Data points: values that the program computes when somebody asks for them.

    {[
      let () =
        Eventring.Point.register "cache.entries" (fun () ->
          Int (Hashtbl.length cache))
    ]}

    [eventring get PID points.cache.entries] prints the value, and
    [eventring get PID 'points.*'] the values of all points. Every process that may
    write to the ring file can ask, by switching the category [Points] on. All
    points are evaluated then, in the order of their names, once for each time
    that the category is switched on; nothing is evaluated otherwise, and no
    other code of the program is slower for it. A program that records no other
    category is paused after the evaluation.

    The functions run in the first domain, and the thread, that is at a point
    where signal handlers may run and notices the request: when its minor heap
    is full, after a blocking section, and in a program that does neither, when
    the runtime interrupts it for another reason. Other domains go on. A program
    that waits in a system call evaluates its points after the call has
    returned.

    As a signal handler, such a function interrupts the program anywhere: it
    should only read, and not wait for a lock. An exception that it raises does
    not reach the program, but is written in place of the value; so is one of a
    signal handler that runs during the function. While points are evaluated, no
    thread begins to evaluate them again. *)
module Point : sig
  type value =
    | Int of int
    | Float of float
    | Text of string  (** cut to its first 1019 bytes *)

  val register : string -> (unit -> value) -> unit
  (** [register name f] makes [f] the function of the point [name], in place of
      an earlier one, before or after tracing starts. Up to 1024 points can be
      registered at a time.

      @raise Invalid_argument as the [register] functions above, or if there are
      too many points. *)

  val unregister : string -> unit
  (** Removes the point, if there is one of this name. An evaluation that has
      begun may still call its function. *)
end

(** {1:reading Reading} *)

(** Reading the rings of a process: this one, another one, or one that has
    ended and left its file. *)
module Cursor : sig
  type t
  (** A place in each ring of one file. A cursor is used by one domain at a
      time. *)

  (** The process or file to read. *)
  type source =
    | Self  (** this process *)
    | Process of { pid : int; dir : string option }
        (** The process [pid], with its file in [dir], or, with [None], where
            the process has it open. *)
    | File of string  (** a ring file or a snapshot *)

  val create : ?from_now:bool -> source -> t
  (** A cursor that will see the events from the oldest that is still there on
      or, if [from_now], those written after this call.

      @raise Sys_error with the reason when there is no such file or process,
      or it cannot be opened, or is not a ring file of a version that this
      program can read. *)

  type callbacks

  val callbacks :
    ?span_start:(t -> unit) -> ?span_finish:(t -> unit) ->
    ?counter:(t -> unit) -> ?instant:(t -> unit) -> ?complete:(t -> unit) ->
    ?flow_start:(t -> unit) -> ?flow_step:(t -> unit) ->
    ?flow_finish:(t -> unit) -> ?request_start:(t -> unit) ->
    ?request_finish:(t -> unit) -> ?lost:(t -> unit) -> unit -> callbacks
  (** Functions to call for an event of each form; by default, none. A callback
      gets the cursor, and asks it about the event with the functions below.
      [complete] is called for an event that tells of something from beginning
      to end, such as a wait or a stop-the-world section: {!time} is its end,
      {!value} how long it took, in nanoseconds. The start, the steps and the
      end of a {!Flow} have callbacks of their own, and so have the start and
      the finish of a {!Request}; the runs of requests are instants named
      ["request_run"], with the {!value} that is the number of the request: the
      thread works on this request from then on, with 0 on none. [lost] is
      called where the reader has been overtaken. *)

  val poll : ?max:int -> t -> callbacks -> int
  (** Calls the callbacks for the events that the cursor has not passed yet, at
      most [max] of them, of all rings in the order of their times. Returns
      how many events were passed, losses not counted: 0 if there is nothing
      new. Where the process runs on, events written a millisecond or more
      after the call may be left for the next one.

      A callback may raise: the exception is passed on, and the next poll
      goes on behind the event. It may {!close} the cursor, which ends the
      poll. No event causes an allocation here.

      @raise Invalid_argument if the cursor is closed, or being polled: by
      another domain, or by the caller of this very callback.
      @raise Failure if a part of the file is damaged. The next poll goes on
      behind it. *)

  val close : t -> unit
  (** Releases the file. Closing twice is fine. *)

  (** {2 The event of a callback}

      These tell of the event for which a callback has been called, and are
      meaningless outside of it. *)

  val time : t -> int
  (** When. *)

  val domain : t -> int
  (** Which domain: its unique id, as [(Domain.self () :> int)]. *)

  val domain_name : t -> string
  (** The name of that domain at that time, see {!set_domain_name}; [""] if it
      had none. Allocates. *)

  val thread : t -> int
  (** The system's id of the thread that wrote the event. *)

  val thread_id : t -> int
  (** The id of that thread in the threads library, as [Thread.id]; [-1] if it
      is not one of its threads. *)

  val thread_name : t -> string
  (** The name of that thread at that time, see {!set_thread_name}; [""] if it
      had none. Allocates. *)

  val ring : t -> int
  (** Which ring, from 0. Domains that follow each other may share one. *)

  val id : t -> int
  (** Number of the event's name in this file. *)

  val name : t -> string
  (** Its name; [""] for a loss. Allocates only when an id comes first. *)

  val unit : t -> string
  (** The unit of a counter, or [""]. *)

  val value : t -> int
  (** The integer of a counter, of a span with an integer, the id of a flow
      or a request, the nanoseconds of a complete event, the number of events
      lost; 0 for an event that carries nothing, the length in bytes for one
      that carries a text, the first integer of one that carries several. *)

  val words : t -> int
  (** How many integers the event carries. An end of a span may carry some
      that its start does not. *)

  val argument : t -> int -> int
  (** [argument c n] is the [n]th of them, from 0.
      @raise Invalid_argument if there are not so many. *)

  (** An integer of an event, with its name. *)
  type field = {
    name : string;  (** ["promoted"], ["cause"], ... *)
    unit : string;
        (** ["ns"], ["words"], ["bytes"], ...; ["domain"]: a unique id of a
            domain, ["thread"]: an id of the threads library, ["os_thread"]:
            one of the system; [""] *)
    value : int;
    meaning : string;
        (** The name of the value where values of this unit have names, such
            as ["minor_heap_full"] of a ["cause"]; else [""]. *)
  }

  val fields : t -> field list
  (** The integers of the event with their names, in the order of {!argument};
      the empty list if they have none. The events of the runtime that have
      fields are in [doc/EVENTS.md]. Several fields of one event have the same
      name where it tells of several domains. Allocates. *)

  val field : t -> string -> field
  (** The first field of this name. Allocates.
      @raise Not_found if the event has none of this name. *)

  val text : t -> string
  (** The text of a message or a custom event.
      @raise Invalid_argument if the event carries no text. *)

  (** {2 The process} *)

  (** State of the process that is read. *)
  type state =
    | Running
    | Ended  (** in order *)
    | Replaced  (** by another program ([exec]) *)
    | Killed  (** or crashed *)

  val state : t -> state
  (** @raise Invalid_argument if the cursor is closed. *)
end

(** {1:snapshots Snapshots} *)

val snapshot : string -> unit
(** [snapshot file] writes the rings of this process as they are now to
    [file], which every reader of ring files reads: for when something odd
    just happened. The file is complete when it appears under its name, and
    replaces a regular file or a symbolic link of that name. Other threads and
    domains go on meanwhile.

    @raise Sys_error with the reason, if the process is not being traced, [file]
    is something else, such as a device, or cannot be written; it is left as it was. *)

type slow = {
  name : string;  (** of the span, complete event or kind of requests *)
  domain : int;  (** of its end *)
  start : int;  (** when it began *)
  duration : int;  (** in nanoseconds *)
  request : Request.id;  (** its number; {!Request.none} for a span *)
}

(** A watch for slow spans and requests. *)
module Watch : sig
  type t

  val poll : t -> unit
  (** Looks at the events recorded since the last time, and calls the watch's
      function for each span and request that took too long. Exceptions of the
      function are passed on. At a damaged part of the ring file, the spans and
      requests that are open are forgotten, and the next poll goes on behind it.
      Of more than 65536 open requests, the older ones may be forgotten.

      A watch follows its process: it goes on when tracing was stopped and
      started again, though a session that begins and ends between two polls is
      not seen, and in a forked child it watches the child.

      Does nothing when the watch has been stopped, or is being polled: in
      another domain or thread, or by the function that calls this one. *)

  val stop : t -> unit
  (** Ends the watch. *)
end

val on_slow : (string * int) list -> (slow -> unit) -> Watch.t
(** [on_slow ["minor", 10_000_000; "request", 500_000_000] f] watches this
    process for minor collections over 10 ms and spans [request] over
    500 ms, by the names of the program's spans and kinds of {!Request}s and of
    the runtime's own spans and complete events. A request takes from its start
    to its finish, also when several threads work on it.
    [f] is called in {!Watch.poll}, for which the program finds the place and
    time: after each request, in a loop of a domain or thread of its own, ...
    [f] may call {!snapshot}, which writes the samples of {!Profile} too:
    [eventring profile FILE --request get --slower 500ms] then shows where the
    time of the slow requests [get] went.

    @raise Sys_error if the process is not being traced. *)
