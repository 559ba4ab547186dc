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

/* Registration returns the event's number, over 0, or one of these. From any
   thread, with or without the domain lock, before or after tracing starts. */
enum {
  EVENTRING_TOO_MANY = -1,      /* 32768 events are registered */
  EVENTRING_NO_MEMORY = -2,
  EVENTRING_OTHER_TYPE = -3,    /* the name has another type */
  EVENTRING_BAD_NAME = -4       /* name: 1 to 127 bytes; unit: to 15 bytes */
};
CAMLextern int caml_eventring_register_span(const char *name);
CAMLextern int caml_eventring_register_counter(const char *name,
                                               const char *unit);
CAMLextern int caml_eventring_register_mark(const char *name);
CAMLextern int caml_eventring_register_message(const char *name);
CAMLextern int caml_eventring_register_flow(const char *name);
CAMLextern int caml_eventring_register_custom(const char *name);

/* Write events.  Call with the domain lock held: not between
   caml_enter_blocking_section and caml_leave_blocking_section, nor in a thread
   that OCaml does not know.  Do not allocate, raise, or run OCaml code.  Do
   nothing when user events are not being recorded, or when [event] is an error
   of registration.  [event] is of the kind that the function is named after. */
CAMLextern void caml_eventring_span_start(int event);
CAMLextern void caml_eventring_span_finish(int event);
CAMLextern void caml_eventring_counter_sample(int event, int64_t value);
CAMLextern void caml_eventring_mark_emit(int event);
/* Writes [text], which ends in a NUL; cut after EVENTRING_MAX_CONTENT bytes. */
CAMLextern void caml_eventring_message_emit(int event, const char *text);
/* Write the start, the steps and the end of one flow, tied together by [id]. */
CAMLextern void caml_eventring_flow_start(int event, int64_t id);
CAMLextern void caml_eventring_flow_step(int event, int64_t id);
CAMLextern void caml_eventring_flow_finish(int event, int64_t id);
/* Writes [length] bytes of any content.  Does nothing when they are more than
   EVENTRING_MAX_CONTENT: half of them would not be understood. */
CAMLextern void caml_eventring_custom_emit(int event, const void *bytes,
                                           size_t length);

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

/* Causes of collections, and purposes of stop-the-world sections. */
enum caml_eventring_cause {
#define CAUSE(id, name, doc) id,
#include "eventring_events.tbl"
};
enum caml_eventring_stop {
#define STOP(id, name, doc) id,
#include "eventring_events.tbl"
};

/* The control page.  While tracing runs, the first page of the ring file is
   mapped here, so that [control] has a fixed address and is shared with the
   processes that open the file; otherwise it is zeros.  Only [control] and
   [threshold] are ever read back from it.  Hidden: a probe in
   position-independent code needs no look-up of the address. */
union caml_eventring_page {
  struct eventring_header header;
  char page[EVENTRING_PAGE];
};
extern union caml_eventring_page caml_eventring_page;

/* Returns the categories that are being recorded; 0 when not started or
   paused. */
Caml_inline uint32_t caml_eventring_active(void)
{
  return (uint32_t) __atomic_load_n(&caml_eventring_page.header.control,
                                    __ATOMIC_RELAXED);
}

/* The test in front of every probe: one load, one test, one branch. */
#define Caml_eventring_on(mask) \
  (__builtin_expect((caml_eventring_active() & (mask)) != 0, 0))

/* Write an event to the ring of the current domain.  [word] is an event word
   without its time.  Call with the domain lock held; the category has been
   tested.  No allocation, no OCaml callback, no lock but in a domain's first
   event.  The ring may be unavailable (disk full): the event is dropped.
   Exported: OCaml code that is loaded at run time calls these two. */
#pragma GCC visibility pop
void caml_eventring_emit(uint64_t word);
void caml_eventring_emit_int(uint64_t word, uint64_t payload);
#pragma GCC visibility push(hidden)

/* Writes an event with [words] payload words, at most
   EVENTRING_MAX_PAYLOAD_WORDS; the length in [word] is 0 and filled in here. */
void caml_eventring_emit_words(uint64_t word, const uint64_t *payload,
                               uint32_t words);

/* Writes an event with [length] bytes of any content, at most
   EVENTRING_MAX_BYTES. */
#define EVENTRING_MAX_BYTES (8 * (EVENTRING_MAX_PAYLOAD_WORDS - 1))
void caml_eventring_emit_bytes(uint64_t word, const void *bytes,
                               size_t length);

/* Writes an event with packed integers, as few bytes each as it takes; at most
   EVENTRING_MAX_PACKED of them. */
#define EVENTRING_MAX_PACKED 256
void caml_eventring_emit_packed(uint64_t word, const uint64_t *field,
                                uint32_t fields);

/* Writes an event with two integers, at the time [now].  The caller has read
   [now] from caml_eventring_ticks under the domain lock. */
void caml_eventring_emit_pair(uint64_t word, uint64_t now, uint64_t first,
                              uint64_t second);

/* The word of a record. */
#define EVENTRING_RECORD(record) \
  EVENTRING_WORD(EVENTRING_FIRST_RECORD + (record), EVENTRING_FORM_INSTANT, 0)

/* Return the time on the clock of the events, and the shortest wait that is
   recorded, in its ticks.  Any thread. */
uint64_t caml_eventring_ticks(void);
uint64_t caml_eventring_threshold_ticks(void);

/* The first sets the id of the calling thread in the threads library; -1: none.
   The second makes the calling thread the thread of this domain's events from
   [now] on, a time of caml_eventring_ticks, or 0: the time of the call.  It
   records the switch unless the thread was the same already. */
void caml_eventring_set_thread(intnat id);
void caml_eventring_thread_switch(uint64_t now);

/* Name the calling domain or thread, with 1 to 127 bytes, kept and recorded
   whether tracing has started or not.  Return 0 without room for another
   name. */
int caml_eventring_set_domain_name(const char *name);
int caml_eventring_set_thread_name(const char *name);

/* Reads the environment and starts tracing if it says so.  Called once a
   start of the runtime, with a single domain running. */
void caml_eventring_init(void);

/* Starts tracing with the categories of [mask], paused or not, with the ring
   file in directory [dir] (NULL: as the environment says).  The file's name
   ends in [suffix], EVENTRING_SUFFIX or EVENTRING_STOCK_SUFFIX, a static
   string.  Returns 1 when it runs or ran already.  On failure returns 0, with
   the failed attempt and the reason in [why]; everything is as it was before.
   Any domain may call it, with the domain lock held.  No other domain is
   stopped, unless a ring file that was lost is still mapped. */
int caml_eventring_start(const char *dir, const char *suffix, uint32_t mask,
                         int paused, char *why, size_t size);

/* Ends tracing in order: marks the file as ended, and removes it unless it is
   to be kept.  [caml_eventring_end] is for the end of the process or of its
   OCaml: the file stays mapped, and other domains may go on meanwhile.
   [caml_eventring_stop] also unmaps the file, and stops all domains once for
   that.  Call it with the domain lock held. */
void caml_eventring_stop(void);
#pragma GCC visibility pop
CAMLextern void caml_eventring_end(void);

/* Prepare for an attempt to execute another program in this process, and undo
   that after it failed.  [name] is the file, or with [search] a name to search
   for in PATH.  If the file can be executed, the first function ends tracing;
   the second starts tracing again.  Both leave errno unchanged. */
CAMLextern void caml_eventring_exec_begin(const char *name, int search);
CAMLextern void caml_eventring_exec_failed(void);
#pragma GCC visibility push(hidden)

/* Called when the program gets no memory.  If its address space is limited,
   ends tracing, and unmaps all of the rings that no other domain may be
   writing to.  Returns 1 when this gave memory back: try again.  Any thread.
   Exported: the threads library calls it. */
#pragma GCC visibility pop
CAMLextern int caml_eventring_release_memory(void);
#pragma GCC visibility push(hidden)

/* The value of an allocation, tried once more when it failed and tracing could
   give memory back: of one that returns a pointer or NULL, and of one that
   returns 0 or an error. */
#define Caml_eventring_allocated(call) \
  ((call) ?: caml_eventring_release_memory() ? (call) : NULL)
#define Caml_eventring_created(call) \
  ((call) == 0 ? 0 : (caml_eventring_release_memory(), (call)))

/* Stores 1 at [flag] as soon as tracing has started once; one flag a
   program. */
void caml_eventring_set_started_flag(unsigned char *flag);

/* Returns whether tracing was started, and neither stopped nor lost since. */
int caml_eventring_started(void);

/* Pause and resume; no effect when not started.  Return 1 if the call changed
   the state. */
int caml_eventring_pause(void);
int caml_eventring_resume(void);

/* Returns the number of the session, another one after each start; 0 when not
   started. */
uint32_t caml_eventring_session(void);

/* Return or set the categories recorded, or to be recorded again on resume,
   never none; 0 when not started.  Setting has no effect when not started. */
uint32_t caml_eventring_categories(void);
void caml_eventring_set_categories(uint32_t mask);

/* Return or set the shortest wait that is recorded, in ns.  Setting holds for
   this process and the children that it forks, and has no effect when not
   started. */
uint64_t caml_eventring_threshold(void);
void caml_eventring_set_threshold(uint64_t ns);

/* Writes the rings as they are now to a file at [path].  A file that exists at
   [path] is replaced when the new one is complete.  Returns 1, or 0 with the
   reason in [why] and [path] as it was.  Needs no domain lock; takes as long as
   writing takes. */
int caml_eventring_snapshot(const char *path, char *why, size_t size);

/* Gives a forked child a ring file of its own if the parent had one. */
void caml_eventring_restart_in_child(void);

/* Returns the absolute path of the ring file, in memory from malloc that the
   caller frees; NULL when not started or out of memory. */
char *caml_eventring_path(void);

/* Adds a name to the schema.  [name] is NUL-terminated and at most
   EVENTRING_NAME_SIZE - 1 bytes, [unit] likewise EVENTRING_UNIT_SIZE - 1.
   Returns the event id, or an error as above.  From any thread.  The second
   returns the id of an event that has the same name and type already, and
   EVENTRING_OTHER_TYPE when only the name is the same. */
int caml_eventring_register(const char *name, enum eventring_kind kind,
                            enum eventring_payload payload, const char *unit);
int caml_eventring_register_once(const char *name, enum eventring_kind kind,
                                 enum eventring_payload payload,
                                 const char *unit);

/* Creates the ring file of the process that [mine] describes in directory
   [dir], with mode 0600, and puts its name into [path].  Follows nothing, and
   removes no file of a process that may be alive; see runtime/eventring_file.c.
   Returns the descriptor, or -1 with the reason in [*why]. */
int caml_eventring_create_file(const char *dir,
                               const struct eventring_header *mine,
                               const char *suffix, char *path, size_t size,
                               const char **why);

/* Writes a line to standard error, "eventring: " and the message. */
void caml_eventring_complain(const char *format, ...)
  __attribute__((format(printf, 1, 2)));

/* Faults, see runtime/eventring_fault.c. */

/* Protects the ring file at [path], mapped at [base]: from now on a SIGBUS in
   it is mended, and the session lost; one file at a time.  Returns 0 or an
   errno.  The second function is called when the mapping is removed. */
int caml_eventring_guard(char *base, size_t size, const char *path);
void caml_eventring_unguard(void);

/* Protect likewise any number of files that this process reads; the hooks of
   the reader, see eventring_hooks.h. */
int caml_eventring_guard_reading(char *base, size_t size);
void caml_eventring_unguard_reading(char *base);

/* Returns whether the protected file has been lost; marks it as lost. */
int caml_eventring_is_lost(void);
void caml_eventring_session_lost(void);

/* Ends the session for the fault handler: the control page becomes private
   zeros, independent of the file.  A writer that still holds the old mapping
   may fault; the handler then maps private memory and reports nothing. */
void caml_eventring_session_closed(void);

/* Replace the mapping of [size] bytes at [at], or the control page, by private
   zeros.  Return 0 on failure. */
int caml_eventring_replace(char *at, size_t size);
int caml_eventring_replace_page(void);

/* Hold back SIGPIPE and SIGXFSZ around system calls that may send them with
   their error. */
void caml_eventring_hold_signals(sigset_t *before);
void caml_eventring_release_signals(const sigset_t *before);

/* Remembers which file standard error is. */
void caml_eventring_note_stderr(void);

/* Writes a line to standard error, unless descriptor 2 is another file than it
   was when the program started, or was closed then.  Async-signal-safe. */
void caml_eventring_say(const char *line, size_t length);

#pragma GCC visibility pop

#endif /* CAML_INTERNALS */

#endif /* CAML_EVENTRING_H */
