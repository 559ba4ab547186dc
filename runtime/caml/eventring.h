/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* The flight recorder, for C code in an OCaml program.  The first part is for
   C stubs; the second, behind CAML_INTERNALS, is the runtime's own: the probe
   and the functions behind it.  runtime/eventring_writer.c tells how it works,
   and runtime/eventring_internal.h describes each file. */

#ifndef CAML_EVENTRING_H
#define CAML_EVENTRING_H

#include <stddef.h>
#include <stdint.h>
#include "misc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Events of C stubs.  An event is registered once, under a name that shows in
   every reader; it is the same event as one that OCaml code registers under
   this name with the same type.

     static int span;
     if (span == 0) span = caml_eventring_register_span("compress");
     caml_eventring_span_start(span);
     ...
     caml_eventring_span_finish(span);

   The OCaml module Eventring has the same kinds of events, and describes
   them. */

/* Errors of the functions that register an event. */
enum {
  EVENTRING_TOO_MANY = -1,      /* 32768 events are registered */
  EVENTRING_NO_MEMORY = -2,
  EVENTRING_OTHER_TYPE = -3,    /* the name has another type */
  EVENTRING_BAD_NAME = -4       /* name: 1 to 127 bytes; unit: to 15 bytes */
};

/* Register an event called [name], a span, a counter and so on.  [unit] is the
   unit of the counter's values, for readers to show; NULL or "" if there is
   none.  Return the number of the event, over 0, to give to the functions below
   that write events; or one of the errors above.  An event that has this name
   and type already keeps its number.  Any thread may call these functions, with
   or without the domain lock, before or after tracing starts. */
CAMLextern int caml_eventring_register_span(const char *name);
CAMLextern int caml_eventring_register_counter(const char *name,
                                               const char *unit);
CAMLextern int caml_eventring_register_mark(const char *name);
CAMLextern int caml_eventring_register_message(const char *name);
CAMLextern int caml_eventring_register_flow(const char *name);
CAMLextern int caml_eventring_register_request(const char *name);
CAMLextern int caml_eventring_register_custom(const char *name);

/* Write an event to the ring of the current domain: the start and the finish of
   a span, a value of a counter, a mark.  [event] is the result of the
   registration of an event of the kind that the function is named after; when
   it is an error, the functions do nothing, as when user events are not being
   recorded.  Call with the domain lock held: not between
   caml_enter_blocking_section and caml_leave_blocking_section, nor in a thread
   that is not registered with OCaml.  These functions do not allocate, raise,
   or run OCaml code. */
CAMLextern void caml_eventring_span_start(int event);
CAMLextern void caml_eventring_span_finish(int event);
CAMLextern void caml_eventring_counter_sample(int event, int64_t value);
CAMLextern void caml_eventring_mark_emit(int event);
/* Writes the message [text], which ends in a NUL.  Only the first
   EVENTRING_MAX_CONTENT bytes are written.  Otherwise as above. */
CAMLextern void caml_eventring_message_emit(int event, const char *text);
/* Write the start, a step and the end of a flow.  Events with the same [event]
   and [id] belong to the same flow.  Otherwise as above. */
CAMLextern void caml_eventring_flow_start(int event, int64_t id);
CAMLextern void caml_eventring_flow_step(int event, int64_t id);
CAMLextern void caml_eventring_flow_finish(int event, int64_t id);

/* Requests: work that begins and ends in any thread, and is done in runs, by
   one thread after the other or several at a time.  Readers show its total
   time, the time in which threads worked on it, and the time in which it
   waited.  Each thread has one current request, or none.

     uint64_t request = caml_eventring_request_start(event);
     caml_eventring_request_resume(request);
     ...                                     this thread works on it
     caml_eventring_request_suspend();
     ...                                     it waits; another thread resumes it
     caml_eventring_request_finish(event, request);

   Starts a request of the kind [event], and returns its number, which no other
   request of this process has.  Returns 0 when user events are not being
   recorded; the functions below accept 0 and then do nothing.  The request is
   not the current one of a thread before it is resumed.  Otherwise as
   caml_eventring_span_start. */
CAMLextern uint64_t caml_eventring_request_start(int event);
/* Makes request [number] the current request of the calling thread, in place of
   another one; 0: the thread has none.  Writes an event if that is a change and
   user events are recorded.  While they are not, sets the request all the same.
   A child that this process forks has no current request. */
CAMLextern void caml_eventring_request_resume(uint64_t number);
/* Ends the run of the current request: the thread has none from here on. */
CAMLextern void caml_eventring_request_suspend(void);
/* Returns the number of the current request of the calling thread; 0: it has
   none.  Needs no domain lock. */
CAMLextern uint64_t caml_eventring_request_current(void);
/* Ends request [number], which was started with the same [event].  If it is the
   current request of the calling thread, the thread has none from here on.
   A thread other than the one that started the request may call it. */
CAMLextern void caml_eventring_request_finish(int event, uint64_t number);

/* Writes a custom event with the [length] bytes at [bytes], of any content.
   Writes nothing when [length] is over EVENTRING_MAX_CONTENT: a decoder would
   not understand the first part of the content.  Otherwise as above. */
CAMLextern void caml_eventring_custom_emit(int event, const void *bytes,
                                           size_t length);

/* Asks the programs that record this process to write the events that they have
   copied, and returns at once.  No effect when the process is not being traced.
   Call with the domain lock held. */
CAMLextern void caml_eventring_flush(void);

/* Bytes of a message or a custom event, at most. */
#define EVENTRING_MAX_CONTENT 1024

#ifdef __cplusplus
}
#endif

#ifdef CAML_INTERNALS

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include "eventring_format.h"
#include "mlvalues.h"

/* Hidden: other shared objects do not use these functions, and every program
   would carry their names. */
#pragma GCC visibility push(hidden)

/* For functions that run rarely: compiled for size, since every program carries
   them. */
#define CAML_EVENTRING_COLD __attribute__((cold))

/* Events of our own, numbered from EVENTRING_FIRST_RECORD. */
enum caml_eventring_record {
#define RECORD(id, number, category, payload, unit, name, doc) \
  id = number - EVENTRING_FIRST_RECORD,
#define COMPLETE(id, number, category, name, doc) \
  id = number - EVENTRING_FIRST_RECORD,
#include "eventring_events.tbl"
};

/* Causes of collections, reasons for stop-the-world sections, and what the stack
   of a sample has. */
enum caml_eventring_cause {
#define CAUSE(id, name, doc) id,
#include "eventring_events.tbl"
};
enum caml_eventring_stop {
#define STOP(id, name, doc) id,
#include "eventring_events.tbl"
};
enum caml_eventring_stack {
#define STACK(id, name, doc) id,
#include "eventring_events.tbl"
};
/* Values of the fields of samples and of input and output. */
enum caml_eventring_value {
#define VALUE(unit, id, number, name, doc) id = number,
#include "eventring_events.tbl"
};

/* The control page.  While tracing runs, the first page of the ring file is
   mapped here, so that [control] has a fixed address and is shared with the
   processes that open the file; otherwise it is zeros.  Only [control],
   [threshold] and [sample_period] are ever read back from it.  Hidden: a probe in
   position-independent code needs no look-up of the address. */
union caml_eventring_page {
  struct eventring_header header;
  char page[EVENTRING_PAGE];
};
extern union caml_eventring_page caml_eventring_page;

/* Returns the mask of the categories that are being recorded: the low half of
   the control word.  0 when tracing has not started or is paused. */
Caml_inline uint32_t caml_eventring_active(void)
{
  return (uint32_t) __atomic_load_n(&caml_eventring_page.header.control,
                                    __ATOMIC_RELAXED);
}

/* True if a category of [mask] is being recorded.  The test in front of every
   probe: one load, one test, one branch. */
#define Caml_eventring_on(mask) \
  (__builtin_expect((caml_eventring_active() & (mask)) != 0, 0))

/* Write an event without payload, or with the payload word [payload], to the
   ring of the current domain.  [word] is an event word without its time, see
   eventring_format.h.  Call with the domain lock held, after the test of the
   event's category.  The functions do not allocate, do not run OCaml code, and
   take a lock for a domain's first event only.  They drop the event when the
   domain has no ring (disk full). */
void caml_eventring_emit(uint64_t word);
void caml_eventring_emit_int(uint64_t word, uint64_t payload);

/* Writes an event with the [words] payload words at [payload], at most
   EVENTRING_MAX_PAYLOAD_WORDS.  The caller leaves the length in [word] 0; this
   function fills in the length.  Otherwise as caml_eventring_emit. */
void caml_eventring_emit_words(uint64_t word, const uint64_t *payload,
                               uint32_t words);

/* Writes an event with the [length] bytes at [bytes], of any content, at most
   EVENTRING_MAX_BYTES.  Otherwise as caml_eventring_emit_words. */
#define EVENTRING_MAX_BYTES (8 * (EVENTRING_MAX_PAYLOAD_WORDS - 1))
void caml_eventring_emit_bytes(uint64_t word, const void *bytes,
                               size_t length);

/* Writes an event with the [fields] integers at [field], at most
   EVENTRING_MAX_PACKED, each packed into as few bytes as its value needs.  The
   last fields are cut when the payload is longer than a block can hold.
   Otherwise as caml_eventring_emit_words. */
#define EVENTRING_MAX_PACKED 364
void caml_eventring_emit_packed(uint64_t word, const uint64_t *field,
                                uint32_t fields);

/* Writes the event [record], an enum caml_eventring_record, with the [fields]
   integers at [field], of which number 1 and 2 are set here to the fields stack
   and request, and with the frames of OCaml code of the calling thread, the
   innermost first.  [fields] is from 3 to 16.  In bytecode there are no frames.
   Otherwise as caml_eventring_emit_words. */
void caml_eventring_emit_stack(int record, const uint64_t *field,
                               uint32_t fields);

/* Adds [n] to a total of the ring of the calling domain.  For
   EVENTRING_TOTAL_LONGEST, makes it [n] if that is more.  No effect before the
   first event of the domain in the present ring file.  Call as
   caml_eventring_emit. */
void caml_eventring_add_total(enum eventring_total total, uint64_t n);

/* Writes an event as [caml_eventring_emit_stack] does, at the time [now], as
   caml_eventring_emit_pair. */
void caml_eventring_emit_stack_at(int record, uint64_t now,
                                  const uint64_t *field, uint32_t fields);

/* Writes an event as [caml_eventring_emit_packed] does, at the time [now], as
   caml_eventring_emit_pair. */
void caml_eventring_emit_packed_at(uint64_t word, uint64_t now,
                                   const uint64_t *field, uint32_t fields);

/* Writes an event with the packed integers [first] and [second], at the time
   [now], which the caller has read from caml_eventring_ticks under the domain
   lock; a time before the current block counts as the block's beginning.
   Otherwise as caml_eventring_emit_words. */
void caml_eventring_emit_pair(uint64_t word, uint64_t now, uint64_t first,
                              uint64_t second);

/* The event word of [record], an enum caml_eventring_record, without its time
   and length. */
#define EVENTRING_RECORD(record) \
  EVENTRING_WORD(EVENTRING_FIRST_RECORD + (record), EVENTRING_FORM_INSTANT, 0)

/* Returns the present time, in ticks of the clock that times the events.  Any
   thread may call it. */
uint64_t caml_eventring_ticks(void);

/* Tells the handler of samples the present table of frame descriptors: the
   array [descriptors] of [mask] + 1 entries, which is never freed.  Called when
   the table is complete. */
void caml_eventring_publish_frames(void *descriptors, int mask);

/* Returns the size of the signal stack of a thread, in bytes. */
size_t caml_eventring_signal_stack_size(void);

/* Returns the duration of the shortest wait that is recorded, in ticks of the
   clock that times the events.  Any thread may call it. */
uint64_t caml_eventring_threshold_ticks(void);

/* Records that the calling thread has the id [id] in the threads library; -1:
   it has none.  Call with the domain lock held.  The domain's next thread
   switch is written even if the thread runs already. */
void caml_eventring_set_thread(intnat id);

/* Writes the event that from the time [now] on the calling thread runs this
   domain and its events belong to this thread.  Writes nothing if the last
   events already belonged to this thread, or the domain has no block yet: each
   block names its thread.  [now] is a time of caml_eventring_ticks, or 0 for
   the time of the call.  Call with the domain lock held, after the test of the
   category EVENTRING_THREAD, or before another event that must be of this
   thread. */
void caml_eventring_thread_switch(uint64_t now);

/* Set the name of the calling domain or thread, of 1 to 127 bytes.  The name is
   kept for all later sessions, and recorded at once if tracing has started.
   Return 1, or 0 when there is no room for another name.  Call with the domain
   lock held. */
int caml_eventring_set_domain_name(const char *name);
int caml_eventring_set_thread_name(const char *name);

/* Reads the settings of the recorder from the environment, and starts tracing
   if the environment asks for it.  Prints a message for a value that is not
   understood, which is ignored, and when tracing cannot start.  Called once at
   each start of the runtime, with a single domain running. */
void caml_eventring_init(void);

/* Evaluates the data points of the program, starts or ends tracing, or gives it
   rings of another size, if another process has asked for it, see
   runtime/eventring_attach.c.  Called
   among the pending actions of a domain, where OCaml code may run. */
void caml_eventring_attend(void);

/* Forgets what caml_eventring_note_limit has noted, before OCaml frees its
   memory. */
void caml_eventring_forget_limits(void);

/* Has the runtime call [caml_eventring_attend] in this domain soon: where OCaml
   code next looks for pending actions.  Call with the domain lock held. */
void caml_eventring_act_soon(void);

/* Starts tracing with the categories of [mask], paused or not, with the ring
   file in directory [dir] (NULL: as the environment says).  The file's name
   ends in [suffix], EVENTRING_SUFFIX or EVENTRING_STOCK_SUFFIX, a static
   string.  Returns 1 when tracing has started, or had started before; then the
   arguments have no effect.  Returns 0 on failure, puts a message with the
   failed operation and the reason into [why], which has [size] bytes, and
   leaves tracing off.  Any domain may call this function, with the domain lock
   held.  Stops no other domain, unless the ring file of an earlier session is
   still mapped, which is unmapped first. */
int caml_eventring_start(const char *dir, const char *suffix, uint32_t mask,
                         int paused, char *why, size_t size);

/* Ends tracing: marks the ring file as ended, removes it unless the settings
   keep it, stops all domains once, and unmaps the file.  When tracing has not
   started, only unmaps the file of an earlier session, if it is still mapped.
   Call with the domain lock held. */
void caml_eventring_stop(void);

/* Ends tracing as caml_eventring_end does, but leaves the ring file where it is,
   under any settings.  Called before a program exits because of an
   uncaught exception. */
void caml_eventring_end_by_exception(void);

/* Ends tracing when the process or its OCaml runtime ends: marks the ring file
   as ended, and removes it unless the settings keep it.  The file stays mapped,
   and other domains may go on running.  No effect when tracing has not started.
   Call with the domain lock held. */
#pragma GCC visibility pop
CAMLextern void caml_eventring_end(void);

/* Ends tracing, and marks the ring file as replaced, before the calling thread
   tries to execute another program in this process.  [name] is the file of that
   program, or with [search] a name to search for in PATH.  No effect when the
   file cannot be executed.  Leaves errno unchanged.  Call with the domain lock
   held. */
CAMLextern void caml_eventring_exec_begin(const char *name, int search);

/* Starts tracing again, with the same categories, after the attempt to execute
   a program failed, if [caml_eventring_exec_begin] ended tracing in this
   thread.  Leaves errno unchanged.  Call with the domain lock held. */
CAMLextern void caml_eventring_exec_failed(void);
#pragma GCC visibility push(hidden)

/* Gives the memory of the rings to the program after an allocation failed.  If
   the address space of the process is limited, ends tracing and unmaps the
   rings, except rings to which another domain may be writing.  Prints a message
   when this has ended tracing.  Returns 1 when memory was unmapped, so that the
   caller tries the allocation again; else 0.  Any thread may call it.
   Exported: the threads library calls it. */
#pragma GCC visibility pop
CAMLextern int caml_eventring_release_memory(void);
#pragma GCC visibility push(hidden)

/* The value of the expression [call], a pointer to allocated memory or NULL.
   After NULL, calls [caml_eventring_release_memory], and if that has unmapped
   memory, evaluates [call] once more. */
#define Caml_eventring_allocated(call) \
  ((call) ?: caml_eventring_release_memory() ? (call) : NULL)

/* The value of the expression [call], 0 or an error.  After an error, calls
   [caml_eventring_release_memory] and evaluates [call] once more. */
#define Caml_eventring_created(call) \
  ((call) == 0 ? 0 : (caml_eventring_release_memory(), (call)))

/* Stores the distance in bytes from [place] to the control word at [place] when
   tracing starts for the first time, or in this call if tracing has started
   before.  A program has one such place: a later call replaces it. */
void caml_eventring_connect(uint64_t *place);

/* Returns 1 if tracing was started and since then neither ended nor lost its
   ring file; else 0.  Also 1 while tracing is paused. */
int caml_eventring_started(void);

/* Starts tracing as [caml_eventring_start] does, with rings of 2^[log_words]
   words; 0: as later sessions have them.  The number is within the limits of
   eventring_format.h, and holds for later sessions too.  When tracing has
   started before with rings of another size, replaces the session by one with
   rings of this size: see runtime/eventring_handover.c.  Returns 1, or 0 on
   failure, with a message in [why], which has [size] bytes, and nothing
   changed.  Call with the domain lock held. */
int caml_eventring_start_rings(const char *dir, uint32_t mask,
                               unsigned log_words, char *why, size_t size);

/* Writes the event EV_RING_PAUSE and pauses tracing: no category is recorded
   until tracing is resumed.  Returns 1, or 0 when tracing has not started or
   was paused already.  Call with the domain lock held. */
int caml_eventring_pause(void);

/* Resumes tracing with the categories that were recorded before the pause or
   have been set since, and writes the event EV_RING_RESUME.  Returns 1, or 0
   when tracing has not started or was not paused.  Call with the domain lock
   held. */
int caml_eventring_resume(void);

/* Returns the number of the present session, which differs from the numbers of
   earlier sessions of this process; 0 when tracing has not started. */
uint32_t caml_eventring_session(void);

/* Returns the mask of the categories that are being recorded, or while tracing
   is paused, those to be recorded on resume; 0 when tracing has not started. */
uint32_t caml_eventring_categories(void);

/* Sets the categories to record, from now on or while tracing is paused, from
   the resume on.  [mask] has at least one category.  No effect when tracing has
   not started.  Call with the domain lock held. */
void caml_eventring_set_categories(uint32_t mask);

/* Returns the duration of the shortest wait that is recorded, in ns; when
   tracing has not started, the duration for the next session. */
uint64_t caml_eventring_threshold(void);

/* Sets the duration of the shortest wait that is recorded to [ns], of which 0
   counts as 1, for this session, later sessions, and children that this process
   forks.  No effect when tracing has not started. */
void caml_eventring_set_threshold(uint64_t ns);

/* Returns the processor time between two samples of a thread, in ns; when
   tracing has not started, the time for the next session. */
uint64_t caml_eventring_sample_period(void);

/* Sets the processor time between two samples of a thread to [ns], at least 1,
   for this session, later sessions, and children that this process forks. */
void caml_eventring_set_sample_period(uint64_t ns);

/* Returns the mean number of allocated words between two samples of them; when
   tracing has not started, that of the next session. */
uint64_t caml_eventring_alloc_period(void);

/* Sets the mean number of allocated words between two samples of them to
   [words], at least 1, for this session, later sessions, and children that this
   process forks. */
void caml_eventring_set_alloc_period(uint64_t words);

/* Writes a copy of the present content of the rings to a file at [path].
   Replaces a regular file or a symbolic link that exists at [path] when the
   copy is complete; the new file has mode 0600.  Returns 1, or 0 on failure,
   with a message in [why], which has [size] bytes, and [path] as it was.  Needs
   no domain lock; returns after the file is written. */
int caml_eventring_snapshot(const char *path, char *why, size_t size);

/* Starts tracing in a forked child, with a ring file of its own and the
   categories of the parent, if the parent was traced when it forked; else no
   effect.  When that fails, prints a message on standard error. */
void caml_eventring_restart_in_child(void);

/* Bytes that the collector counts for a cursor of OCaml code, which takes about
   80 KiB, and then the pages of the rings that it reads.  For a block with more
   than 70000 bytes outside of the heap (custom_minor_max_size),
   caml_alloc_custom_mem would begin a collection, whose events would be the
   first that the cursor sees. */
#define EVENTRING_CURSOR_MEMORY 65536

/* Returns the absolute path of the ring file, in memory from malloc that the
   caller frees; NULL when not started or out of memory. */
char *caml_eventring_path(void);

/* Registers an event of the program called [name], and adds it to the schema of
   the ring file if tracing has started.  [name] and [unit] are NUL-terminated;
   [name] has at most EVENTRING_NAME_SIZE - 1 bytes, [unit] at most
   EVENTRING_UNIT_SIZE - 1.  Returns the id of the event, EVENTRING_TOO_MANY or
   EVENTRING_NO_MEMORY.  Any thread may call it. */
int caml_eventring_register(const char *name, enum eventring_kind kind,
                            enum eventring_payload payload, const char *unit);

/* Registers an event as [caml_eventring_register] does, unless an event called
   [name] is registered already.  Then returns the id of that event, or
   EVENTRING_OTHER_TYPE if its kind, payload or unit differs. */
int caml_eventring_register_once(const char *name, enum eventring_kind kind,
                                 enum eventring_payload payload,
                                 const char *unit);

/* Registers the event of a data point called [name], as
   [caml_eventring_register_once] does, with the category EVENTRING_POINTS. */
int caml_eventring_register_point(const char *name);

/* Creates the ring file of this process, which [mine] describes, in directory
   [dir], with mode 0600 and a name that ends in [suffix], and puts its path
   into [path], which has [size] bytes.  Follows no symbolic link, and removes
   no file of a process that may be alive, but files of earlier sessions and
   crash files beyond a few; prints a message when another process has the usual
   name; see runtime/eventring_file.c.  Returns the file descriptor, which the
   caller closes, or -1 with the reason in [*why], a string that the caller does
   not free. */
int caml_eventring_create_file(const char *dir,
                               const struct eventring_header *mine,
                               const char *suffix, char *path, size_t size,
                               const char **why);

/* Creates the file that is going to take the place of the ring file at [former],
   with mode 0600, and puts its path into [path], which has [size] bytes: the
   path [former] and ".next".  Returns the file descriptor, which the caller
   closes, or -1 with the reason in [*why], as above. */
int caml_eventring_create_next(const char *former, char *path, size_t size,
                               const char **why);

/* Writes one line to standard error: "eventring: " and the message that
   [format] and the arguments after it make, as in printf.  Cuts a line that is
   too long. */
void caml_eventring_complain(const char *format, ...)
  __attribute__((format(printf, 1, 2)));

/* Faults, see runtime/eventring_fault.c. */

/* Protects this process against a SIGBUS in the session's ring file at [path],
   of which [size] bytes are mapped at [base].  From this call on, the SIGBUS
   handler maps private memory in place of a page that faults, and marks the
   session as lost.  One file is protected at a time.  Returns 0 or an errno.
   Call with the session's lock held. */
int caml_eventring_guard(char *base, size_t size, const char *path);

/* Ends the protection by [caml_eventring_guard].  Call when the ring file is
   unmapped. */
void caml_eventring_unguard(void);

/* Protects this process against a SIGBUS in a ring file that it reads, of which
   [size] bytes are mapped at [base]; any number of files.  Returns 0 or an
   errno.  A hook of the reader, see eventring_hooks.h. */
int caml_eventring_guard_reading(char *base, size_t size);

/* Ends the protection of the file mapped at [base], by
   [caml_eventring_guard_reading].  A hook of the reader. */
void caml_eventring_unguard_reading(char *base);

/* Returns 1 after the session's ring file was lost or the session was closed,
   until the protection of the file ends; else 0. */
int caml_eventring_is_lost(void);

/* Marks the session's ring file as lost, replaces the control page by private
   zeros, which ends recording, and prints a message on standard error.  No
   effect when the file is lost already.  The SIGBUS handler calls it. */
void caml_eventring_session_lost(void);

/* Prepares the fault handler for the end of the session: replaces the control
   page by private zeros, independent of the ring file.  A writer that still
   holds the old mapping may fault; the handler then maps private memory and
   reports nothing. */
void caml_eventring_session_closed(void);

/* Replaces the mapping of [size] bytes at [at], the beginning of a page, by
   private memory of zeros.  Returns 1, or 0 on failure.  The SIGBUS handler
   calls it. */
int caml_eventring_replace(char *at, size_t size);

/* Replaces the control page by private memory of zeros, which switches all
   probes off.  Returns 1, or 0 on failure.  The SIGBUS handler calls it. */
int caml_eventring_replace_page(void);

/* Blocks SIGPIPE and SIGXFSZ in the calling thread, before system calls that
   may send these signals when they fail.  Stores the thread's signal mask in
   [*before], for [caml_eventring_release_signals]. */
void caml_eventring_hold_signals(sigset_t *before);

/* Discards a SIGPIPE and a SIGXFSZ that are pending, unless [*before] blocks
   the signal, and sets the calling thread's signal mask to [*before]. */
void caml_eventring_release_signals(const sigset_t *before);

/* Records which file standard error is, or that it is closed, for later calls
   of [caml_eventring_say].  Called when the program starts. */
void caml_eventring_note_stderr(void);

/* Writes the [length] bytes at [line], a line, to standard error.  Writes
   nothing if descriptor 2 is another file than when the program started, or was
   closed then.  Ignores errors, and sends no SIGPIPE or SIGXFSZ.
   Async-signal-safe. */
void caml_eventring_say(const char *line, size_t length);

#pragma GCC visibility pop

#endif /* CAML_INTERNALS */

#endif /* CAML_EVENTRING_H */
