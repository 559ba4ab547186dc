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
/* The functions and data that the files of the recorder (eventring_*.c) share
   with each other.  The rest of the runtime uses caml/eventring.h.

     eventring_writer.c       from a probe to the ring: the hot path
     eventring_schema.c       the names in the file
     eventring_session.c      start and end
     eventring_handover.c     rings of another size while the program runs
     eventring_tombstone.c    the counts of a ring file that was removed
     eventring_attach.c       start and end, for another process
     eventring_fork.c         a forked child leaves its parent's session
     eventring_environment.c  OCAML_EVENTRING_... and OCAMLRUNPARAM
     eventring_identity.c     the process and its clock
     eventring_file.c         how the file gets its name
     eventring_fault.c        faults in the file, messages
     eventring_profile.c      samples of processor time: timers, the handler;
     eventring_thinning.h     which ticks become samples
     eventring_perf.c         signals by perf_event_open
     eventring_alarm.c        signals by the time of day
     eventring_unwind.c       the stack of an interrupted thread, or of OCaml code
     eventring_alloc.c        samples of allocation, and the life of their blocks
     eventring_mappings.c     where machine code is
     eventring_wait.c         domains, threads, waits and their samples
     eventring_io.c           input and output

   and, linked only into programs that call their functions,

     eventring_user.c         events of the program, interface for C stubs
     eventring_points.c       data points of the program
     eventring_control.c      stop, pause, resume, categories
     eventring_restart.c      after a fork, or an exec that failed
     eventring_snapshot.c     a copy of the rings
     eventring_compat.c       Runtime_events, as libraries know it
     eventring_ml.c           primitives of module Eventring

   eventring_gc.c uses caml/eventring.h alone. */

#ifndef CAML_EVENTRING_INTERNAL_H
#define CAML_EVENTRING_INTERNAL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "caml/config.h"
#include "caml/eventring.h"
#include "caml/eventring_versions.h"
#include "eventring_thinning.h"

#pragma GCC visibility push(hidden)

#define COLD CAML_EVENTRING_COLD

#define HEADER (&caml_eventring_page.header)

/* Writers: eventring_writer.c.  Each has cache lines of its own: domains write
   them all the time. */

struct writer {
  _Alignas(128)
  uint64_t *ring;               /* first word of the ring */
  uint64_t mask;                /* words of the ring - 1 */
  uint64_t pos;                 /* words written since the ring began */
  uint64_t end;                 /* where the current block ends */
  uint64_t base;                /* ticks of the current block */
  uint64_t events;              /* events written since the ring began */
  struct eventring_slot *slot;  /* where [pos] is published */
  int32_t domain;               /* the domain of the block, or NOBODY */
  uint32_t thread;              /* OS id of the thread that events are of */
  /* The second line, which few events need. */
  uint64_t allocated;           /* words of the ring that have pages */
  uint32_t session;             /* the session that the ring belongs to */
  uint32_t kept;                /* the ring outlives the rest of its mapping */
};

_Static_assert(offsetof(struct writer, allocated) == 64,
               "events need one line of a writer");

#define NOBODY (-1)             /* no domain has this unique id */

/* The array of writers: one for each slot, and a last one, which only holds the
   mark.  A child that was made by _Fork or clone has zeros in place of its
   parent's writers: a writer of zeros has no room, so that the child calls
   [enter_block] for its first event. */
extern struct writer *caml_ring_writers;

/* The clock and the block size of the session.  They do not change while a
   writer of the session exists. */
extern uint32_t caml_ring_clock;
extern uint32_t caml_ring_block_words;

/* Returns the address of the mark: the [session] of the last writer.  The mark
   is 1, and 0 in a child whose writers were wiped and that has not noticed yet.
   The writers must be allocated. */
uint32_t *caml_ring_process_mark(void);

/* Allocates [caml_ring_writers], unless they are allocated already, as zeros
   with the mark 1.  Returns 1, or 0 when there is no memory.  Called before the
   program's threads exist, so that all threads see the address. */
int caml_ring_allocate_writers(void);

/* Returns the unique id of the domain that owns the current block of [w];
   NOBODY if no domain does.  A relaxed atomic: another domain may disown the
   writer while its domain is running. */
Caml_inline int32_t owner(struct writer *w)
{
  return __atomic_load_n(&w->domain, __ATOMIC_RELAXED);
}

/* Takes the current block of [w] from its domain, which then enters a new block
   before its next event.  A relaxed atomic, as in [owner]. */
Caml_inline void disown(struct writer *w)
{
  __atomic_store_n(&w->domain, NOBODY, __ATOMIC_RELAXED);
}

#define OS_NAME_SIZE 16         /* of a thread, in Linux */

/* The calling thread. */
struct caml_ring_thread {
  uint32_t os_id;               /* 0: not asked for yet */
  uint32_t id;                  /* in the threads library, plus 1; or 0 */
  uint64_t threshold_ns;        /* that [threshold_ticks] were made from; 0:
                                   not made yet */
  uint64_t threshold_ticks;
  uint64_t request;             /* the request on which it works; 0: none */
  struct sampler *sampler;      /* of its last signal, in eventring_profile.c */
  struct caml_ring_alarm *alarm; /* that it may have; NULL: none */
  int admits_samples;           /* a backup thread lets their signal through */
  _Atomic uint32_t in_wait;     /* a wait that is sampled is under way */
  _Atomic uint64_t wait_cpu;    /* ns of processor time of samples in such waits
                                   since the last sample of waits; added to in
                                   the signal handler, while [in_wait] is 1 */
  char os_name[OS_NAME_SIZE];   /* the last one seen; "": not asked for yet */
};
extern CAMLthread_local struct caml_ring_thread caml_ring_self;

/* Returns the OS id of the calling thread; on systems other than Linux, the
   process id.  Asks the system once in each thread, and again after a fork. */
uint32_t caml_ring_os_thread_id(void);

/* The session, from a start to the stop, or to the fork in a child:
   eventring_session.c */

/* A ring file in memory.  Under [caml_ring_session_lock]. */
struct mapping {
  char *base;
  uint64_t size;                /* bytes */
  int users;                    /* the session, and snapshots of it */
};

/* Written under [caml_ring_session_lock].  A domain reads it under the lock,
   before its first event. */
struct caml_ring_session {
  uint32_t number;              /* 0: never started */
  int started;
  int restart;                  /* in a forked child: the parent was traced */
  uint64_t restart_control;
  struct mapping *mapping;      /* of the file; NULL: none */
  char *map;                    /* where [mapping] begins; NULL: none */
  int released;                 /* only parts of it are left, see
                                   [caml_eventring_release_memory] */
  struct eventring_header header; /* our copy of the one in the file */
  char *path;                   /* absolute */
  const char *suffix;           /* of the file's name, static */
  dev_t dev;                    /* of the file at [path] */
  ino_t ino;
  uint64_t schema_allocated;    /* bytes of the schema section */
  char os_name[OS_NAME_SIZE];   /* of the thread that started it */
  atomic_int short_of_room;     /* a ring could not be allocated; said once */
};
extern struct caml_ring_session caml_ring_session;
extern pthread_mutex_t caml_ring_session_lock;

/* For a lock that is taken by before_fork: a thread that has it already gets EDEADLK,
   where the system has such a lock. */
#if defined(PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP)
#define LOCK_OF_FORKS PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#elif defined(PTHREAD_ERRORCHECK_MUTEX_INITIALIZER)
#define LOCK_OF_FORKS PTHREAD_ERRORCHECK_MUTEX_INITIALIZER
#else
#define LOCK_OF_FORKS PTHREAD_MUTEX_INITIALIZER
#endif

/* Returns the smallest multiple of EVENTRING_PAGE that is at least [n]. */
Caml_inline uint64_t round_up_to_page(uint64_t n)
{
  return (n + EVENTRING_PAGE - 1) / EVENTRING_PAGE * EVENTRING_PAGE;
}

/* Allocates disk space for the [length] bytes at [offset] of the session's ring
   file, so that a full disk is an error here and not a SIGBUS at the first
   write.  Returns 0 or an errno, ENOSPC when there is no room.  The file must
   be mapped. */
int caml_ring_allocate(uint64_t offset, uint64_t length);

/* Writes [size] bytes from [data] at [offset] of the file that [fd] has open.
   Returns 0 when all bytes are written, else an errno. */
int caml_ring_write_all(int fd, const void *data, size_t size, uint64_t offset);

/* Ends one use of [mapping].  When no other use is left, unmaps the file and
   frees [mapping].  Call with [caml_ring_session_lock] held. */
void caml_ring_release_mapping(struct mapping *mapping);

/* Returns the mask of the categories in the control word [control]: the
   categories that are being recorded, or while tracing is paused, those to be
   recorded on resume.  Returns the default categories if [control] has none.
   Leaves out bits that are no category, which another process may have set. */
Caml_inline uint32_t categories_of(uint64_t control)
{
  uint32_t mask = (uint32_t) control & EVENTRING_ALL_CATEGORIES;
  if (mask == 0) mask = control >> 32 & EVENTRING_ALL_CATEGORIES;
  return mask != 0 ? mask : EVENTRING_DEFAULT_CATEGORIES;
}

/* Creates the ring file in directory [in] (NULL: the current directory), maps
   the file, and starts a session with [control] as its control word.  With
   [former], the running session, the file takes the place of the file of that
   session instead, and [in] has no effect.  Returns 1, or 0 on failure, with a
   message in [why], which has [why_size] bytes; then the new file is removed and
   unmapped.  [caml_ring_session] must have no [map] and no [path] of its own.
   Call with the session's lock held and SIGPIPE and SIGXFSZ held back. */
int caml_ring_start_session(const char *in,
                            const struct caml_ring_session *former,
                            uint64_t control, char *why, size_t why_size);

/* Writes the first events of a session.  Call with the domain lock held, and not
   [caml_ring_session_lock]. */
void caml_ring_announce(void);

/* Handover: eventring_handover.c */

/* Replaces the running session by one with rings of 2^[log_words] words, at a
   stop of all domains: every event is in the file of one of the two.  Has no
   effect when no session runs or its rings have this size.  Returns 1, or 0 on
   failure, with a message in [why], which has [size] bytes; then the session
   goes on.  Call with the domain lock held, and not [caml_ring_session_lock]. */
int caml_ring_resize(unsigned log_words, char *why, size_t size);

/* Carries out the request of another process for rings of another size, which
   is in the control word; prints a message if that fails.  Call as
   [caml_ring_resize]. */
void caml_ring_attend_request(void);

/* Tombstones: eventring_tombstone.c */

/* Writes the tombstone of [session], which has ended with [state] at the time
   [ended], before a writer begins another session, if the settings ask
   for tombstones; prints a message on failure.  Call with
   [caml_ring_session_lock] held. */
void caml_ring_leave_tombstone(const struct caml_ring_session *session,
                               enum eventring_state state,
                               const struct eventring_instant *ended);

/* Copies the threshold and the period of samples from the control page, where
   another process may have changed them, to [caml_ring_config], for later
   sessions.  Call with
   [caml_ring_session_lock] held. */
void caml_ring_keep_settings(void);

/* Writes the event EV_RING_STOP, ends tracing, stores [state] in the header of
   the ring file, and removes the file unless the settings keep it.  The file
   stays mapped.  No effect when tracing has not started.  Call with the domain
   lock held, and not [caml_ring_session_lock]. */
void caml_ring_end_as(enum eventring_state state);

/* Unmaps the ring file of a session that has ended or was lost, after it has
   stopped all domains once.  No effect when no such file is mapped.  Call with
   the domain lock held, and not [caml_ring_session_lock]. */
void caml_ring_unmap_session(void);

/* Unmaps the directory and the rings that [caml_eventring_release_memory] left
   mapped, and frees the session's struct mapping; the caller sets [mapping] and
   [map] to NULL.  Call with [caml_ring_session_lock] held, or in a forked
   child. */
void caml_ring_unmap_kept(void);

/* Attaching: eventring_attach.c */

/* If another process has asked for tracing to start or to end, has the runtime
   call [caml_eventring_attend] soon.  Called by the slow path of probes, with
   the domain lock held. */
void caml_ring_notice_request(void);

/* Returns the control word [control] without the category EVENTRING_POINTS. */
Caml_inline uint64_t without_points(uint64_t control)
{
  return control & ~((uint64_t) EVENTRING_POINTS << 32 | EVENTRING_POINTS);
}

/* Returns the control word [control] without a request for rings of another
   size, in both halves. */
Caml_inline uint64_t without_ring_request(uint64_t control)
{
  return control & ~((uint64_t) EVENTRING_RING_REQUEST << 32
                     | EVENTRING_RING_REQUEST);
}

/* Evaluates the data points of the program and writes their events, and after
   them the event EV_POINTS.  Runs OCaml code; raises nothing.  Set when the
   program is linked with eventring_points.c, before its threads exist; else
   NULL. */
extern void (*caml_ring_evaluate_points)(void);

/* 1 while a thread evaluates the points, else 0.  Atomic. */
extern uint8_t caml_ring_evaluating;

/* Writes the event EV_POINTS: [points] points were evaluated since the time
   [since] of caml_eventring_ticks.  Call with the domain lock held, while or
   after the category EVENTRING_POINTS was recorded. */
void caml_ring_end_points(uint64_t since, uint64_t points);

/* Fork: eventring_fork.c */

/* Installs the fork handlers on the first call; later calls do nothing, unless
   that one failed.  Returns 0 or an errno. */
int caml_ring_watch_forks(void);

/* Takes [caml_ring_session_lock]; the caller unlocks it.  Before that, installs
   the fork handlers, so that from the first call on a fork happens with the
   lock held, and leaves the parent's session as [caml_ring_left_behind]
   does. */
void caml_ring_lock_session(void);

/* Leaves the session of the parent process if the calling process is a child
   for which no fork handler ran: made by _Fork or clone, with one thread.  Then
   unmaps the parent's rings and returns 1; the child is not traced.  Returns 0
   in all other processes, and in such a child after the first call. */
int caml_ring_left_behind(void);

/* The schema: eventring_schema.c */

/* Entries of the runtime's part: the events of this release of OCaml. */
#define EVENTRING_OCAML EVENTRING_THIS_OCAML
enum {
  EVENTRING_RUNTIME_SCHEMA = 0
#define CATEGORY(id, bit, name, by_default, doc) + 1
#define PHASE(id, number, category, name, doc) + 1
#define COUNTER(id, number, category, unit, name, doc) + 1
#define LIFECYCLE(id, number, category, name, doc) + 1
#define RECORD(id, number, category, payload, unit, name, doc) + 1
#define COMPLETE(id, number, category, name, doc) + 1
#define FIELD(part, event, place, unit, repeats, name) + 1
#define CAUSE(id, name, doc) + 1
#define STOP(id, name, doc) + 1
#define STACK(id, name, doc) + 1
#define VALUE(unit, id, number, name, doc) + 1
#include "caml/eventring_events.tbl"
};
#undef EVENTRING_OCAML

/* Fills the array [entry] with the EVENTRING_RUNTIME_SCHEMA entries for the
   runtime's names, which are the first of the schema. */
void caml_ring_runtime_schema(struct eventring_schema_entry *entry);

/* Appends a copy of [entry] to the schema in the session's ring file.  Returns
   0, ENOSPC when the schema is full, or another errno.  Call with
   [caml_ring_session_lock] held. */
int caml_ring_append_to_schema(const struct eventring_schema_entry *entry);

/* Appends the events that the program has registered, and then the names of
   domains and threads, to the schema of a new ring file.  Returns 0, or an
   errno when an event could not be appended; names of domains and threads that
   find no room are left out.  Call with [caml_ring_session_lock] held. */
int caml_ring_append_names(void);

/* The events that the program has registered, whether or not tracing has
   started.  Under [caml_ring_session_lock].  [bucket] finds an entry by its
   name: open addressing, at most half full; 1 + index, or 0. */
struct caml_ring_names {
  struct eventring_schema_entry *entry;
  uint32_t *bucket;             /* twice [capacity] */
  uint32_t count, capacity;
};
extern struct caml_ring_names caml_ring_names;

/* Fills [*e] with a schema entry for [name] in the category of user events,
   without an id.  [kind] is an enum eventring_kind, [payload] an enum
   eventring_payload.  Cuts [name] and [unit] when they are too long for their
   fields. */
void caml_ring_describe(struct eventring_schema_entry *e, const char *name,
                        int kind, int payload, const char *unit);

/* Sets the name of a thread, or with [thread] 0 the name of a domain, in place
   of an earlier name; keeps the name for later sessions, and appends it to the
   schema if tracing has started.  [domain] is a unique id, [thread] a result of
   [caml_ring_this_thread].  Returns 1, or 0 when there is no room for another
   name.  Call without [caml_ring_session_lock]. */
int caml_ring_set_label(uint32_t domain, uint64_t thread, const char *name);

/* Returns the number of the calling thread that a label has in [detail]: the OS
   thread id, and in the high half 1 + the id in the threads library, or 0. */
uint64_t caml_ring_this_thread(void);

/* Asks the system for the name of the calling thread, which C code may change,
   and sets it as the thread's name in the schema if it is new.  The name that
   the thread which started the session had, in general the program's, is not
   new.  No effect on systems other than Linux.  Call with the domain lock held,
   and not [caml_ring_session_lock]. */
void caml_ring_note_os_name(void);

/* Updates the names of threads in a forked child: the names of [old_thread],
   the OS id that the forking thread had in the parent (0: unknown), become
   names of the calling thread; the names of all other threads are dropped,
   those of domains kept. */
void caml_ring_fork_labels(uint32_t old_thread);

/* The process: eventring_identity.c */

/* Fills in the fields of [*h] that identify the calling process: its pid and
   start, boot, namespaces, executable, first argument (in bytecode, the program
   that ocamlrun runs) and OCaml version.  [*h] must be zeros; a field that the
   system does not tell stays so. */
void caml_ring_identify(struct eventring_header *h);

/* Returns the clock for the events of a session, an enum eventring_clock:
   the hardware counter where it is reliable, else CLOCK_MONOTONIC. */
uint32_t caml_ring_choose_clock(void);

/* Samples: eventring_profile.c */

#if defined(NATIVE_CODE) && defined(__linux__) && defined(__GLIBC__) \
  && (defined(__x86_64__) || defined(__aarch64__))
#if __GLIBC_PREREQ(2, 35)
#define EVENTRING_SAMPLES 1
#endif
#endif

/* Rings of samples in a ring file, at most. */
#define EVENTRING_SAMPLE_RINGS 64

/* Processor time between two samples of a thread, in ns. */
#define EVENTRING_MIN_SAMPLE_PERIOD 50000
#define EVENTRING_MAX_SAMPLE_PERIOD INT64_C(10000000000)
#define EVENTRING_DEFAULT_SAMPLE_PERIOD 10000000

/* Returns the number of rings of samples that a ring file has.  They come after
   the rings of domains. */
uint32_t caml_ring_sample_rings(void);

/* Returns the processor time between two samples of a thread, in ns: that in
   the control page, where another process may have written any number, within
   the limits above. */
uint64_t caml_ring_sample_period(void);

#define EVENTRING_DEFAULT_ALLOC_PERIOD 100000
#define EVENTRING_MAX_ALLOC_PERIOD INT64_C(1000000000000)

/* Returns the mean number of allocated words between two samples: that in the
   control page, where another process may have written any number, from 1 to
   EVENTRING_MAX_ALLOC_PERIOD. */
uint64_t caml_ring_alloc_period(void);

/* Ends the sampling of the present session: when the function returns, no
   thread is writing a sample, and none will.  The control word is 0 before. */
void caml_ring_stop_samples(void);

/* Starts samples of all threads at once, if EVENTRING_PROFILE is recorded and the
   calling thread has none.  The probes that search for threads may be far away: a
   program may compute without an allocation or a system call from here on.  Call
   with the domain lock held, without the session's lock. */
void caml_ring_begin_samples(void);

/* Writes the last event EV_CPU_USED of the session.  Call in a domain, without the
   session's lock. */
void caml_ring_end_cpu_used(void);

/* Frees the timers and events of all threads, so that no more signals are sent.
   Call after [caml_ring_stop_samples], with [caml_ring_session_lock] held. */
void caml_ring_release_samplers(void);

/* Returns the number to [base] in a line of /proc/PID/status of a thread of this
   process, or UINT64_MAX if it cannot be found out.  [name]: that of the line,
   after a newline.  Not for signal handlers. */
uint64_t caml_ring_thread_status(int tid, const char *name, int base);

/* Has [signal] sent to the thread [tid] of this process, with si_code POLL_IN,
   each time it has used the processor for [period] ns, from 10,000 on, and is in
   user mode at that moment.  Stores the event in [*event], which was NULL.
   Returns 1, also if there is no event because the thread has ended or files
   have run out; 0 when the system does not allow it.  Call with
   [caml_ring_session_lock] held, since a child would inherit a file. */
int caml_ring_open_perf(int tid, int signal, uint64_t period, void **event);

/* Ends an event; NULL: none.  A signal may be under way.  May be called in a
   signal handler. */
void caml_ring_close_perf(void *event);

#ifdef EVENTRING_SAMPLES

/* The alarm of a thread.  While [tid] is the thread's, only it and its handler use the
   other members, but for [wanted]. */
struct caml_ring_alarm {
  _Atomic int tid;              /* of the thread; 0: it has none */
  _Atomic int wanted;           /* it shall run when the thread has the domain lock */
  timer_t timer;
  _Atomic uint32_t sections;    /* times that the thread has left the domain lock */
  _Atomic int runs;
  int asleep;                   /* it runs, but is not set: the thread sleeps */
  int early;                    /* the last signal came too early... */
  long sleeps;                  /* ...and the thread had slept so often */
  int64_t seen;                 /* ns of processor time of the thread when it was
                                   set... */
  int64_t passed;               /* ...and with the domain lock before, since the last
                                   signal */
  struct caml_ring_thinning thinning;
};

/* Gives the thread [tid] the alarm [a], which is all zeros or closed, and is not wanted
   yet.  Its signal [signal] has the value [a].  Returns 1, or 0 on failure. */
int caml_ring_open_alarm(struct caml_ring_alarm *a, int tid, int signal);

/* Ends the alarm [a], if there is one.  Its thread may use it meanwhile: the system
   knows that the timer is gone. */
void caml_ring_close_alarm(struct caml_ring_alarm *a);

/* Stop the alarm [caml_ring_self.alarm] of the calling thread, which is about to leave
   the domain lock; and run it, if it is wanted.  The thread has the domain lock.  errno
   is unchanged. */
void caml_ring_stop_alarm(void);
void caml_ring_run_alarm(void);

/* Takes the signal of alarm [a] of the calling thread, in its handler, and sets it to
   the next one, if it is wanted.  Returns the ns of processor time that a sample now
   represents; 0: it is no sample. */
uint64_t caml_ring_take_alarm(struct caml_ring_alarm *a);

/* Sets the alarm [a] of the calling thread, which runs, if it is not set because the
   thread was asleep.  Called in the handler, for a tick. */
void caml_ring_wake_alarm(struct caml_ring_alarm *a);

#endif

/* Gives writer [slot], of a ring of samples, its ring in the present session,
   with all of its memory.  The writer has no ring if that fails.  Call with
   [caml_ring_session_lock] held. */
void caml_ring_prepare_ring(int slot);

/* Writes the event [record], such as EV_CPU_SAMPLE, to the ring of samples of [w]:
   the [words] words of payload at [payload], of the OS thread [thread] and the
   domain with the unique id [domain], or NOBODY.  Called in the handler of
   [thread], or while it cannot run. */
void caml_ring_write_sample(struct writer *w, int record, int32_t domain,
                            uint32_t thread, const uint64_t *payload,
                            uint32_t words);

/* What the walks of one thread remember of its code; zeros at first. */
#define EVENTRING_UNWIND_ROWS 64
struct caml_ring_rows {
#ifdef __aarch64__
  uint64_t words[EVENTRING_UNWIND_ROWS * 24];
#else
  uint64_t words[EVENTRING_UNWIND_ROWS * 16];
#endif
} __attribute__((aligned(64)));

/* Finds the stack of the calling thread, which was interrupted by a signal with
   the ucontext_t [context]: stores at most [max] addresses, at least 1, at
   [frame], the innermost first, and in [*state] whether they are all.  [low] and
   [high] are the limits of the thread's C stack, 0 if they are not known; [rows] are the thread's.
   Returns the number of addresses.  Called in a signal handler. */
uint32_t caml_ring_unwind(const void *context, uintptr_t low, uintptr_t high,
                          struct caml_ring_rows *rows, uint64_t *frame,
                          uint32_t max,
                          enum caml_eventring_stack *state);

/* Returns an address in the C stack of the calling thread, which was interrupted
   by a signal with the ucontext_t [context]. */
uintptr_t caml_ring_c_stack(const void *context);

/* Frames of a stack of OCaml code, at most: with 16 fields before them, they fit
   in an event. */
#define CAML_RING_MOST_FRAMES 180
_Static_assert(10 * (CAML_RING_MOST_FRAMES + 13)
               <= 8 * EVENTRING_MAX_PAYLOAD_WORDS, "frames are cut");

/* Finds the frames of OCaml code of the calling thread, which OCaml code has
   called with caml_c_call or caml_call_gc: stores the field of each in an event,
   the innermost first, at [frame], at most [max], and in [*state] whether they
   are all.  Returns their number; 0 in bytecode.  Call with the domain lock
   held. */
uint32_t caml_ring_ocaml_stack(uint64_t *frame, uint32_t max,
                               enum caml_eventring_stack *state);

/* Samples of allocation: eventring_alloc.c */

/* The places that call the sampler exist since OCaml 5.3 has Gc.Memprof again. */
#if defined(EVENTRING_SAMPLES) && OCAML_VERSION >= 50300
#define EVENTRING_ALLOC_SAMPLES 1
#endif

/* Appends the places of machine code that are not in the schema yet.  Call
   without [caml_ring_session_lock], and with signals blocked. */
void caml_ring_note_mappings(void);

/* How many modules were unloaded when the mappings were noted last, or the end
   of this number. */
extern _Atomic uint16_t caml_ring_unloads;

/* Keep caml_ring_note_mappings out of a fork: call before it, and after it in
   the parent and in the child. */
void caml_ring_mappings_before_fork(void);
void caml_ring_mappings_after_fork(int child);

/* The settings: of the environment (eventring_environment.c), and then of the
   sessions since. */

struct caml_ring_config {
  char *dir;                    /* NULL: the current directory */
  int keep;
  int monotonic;                /* do not use the hardware counter */
  uint64_t threshold;           /* ns, of sessions to come; at least 1 */
  uint64_t sample_period;       /* ns, of sessions to come; at least 1 */
  int perf;                     /* samples may use perf_event_open... */
  int alarms;                   /* ...or else alarms */
  uint64_t alloc_period;        /* words, of sessions to come; at least 1 */
  unsigned log_words;           /* of rings of sessions to come; 0: as
                                   OCAMLRUNPARAM says */
  char *tombstones;             /* directory; NULL: leave none */
};
extern struct caml_ring_config caml_ring_config;

/* Returns the binary logarithm of the words of a ring of the next session: as
   the settings say, or else from OCAMLRUNPARAM=e=N, or the default, with a
   message, when that is not understood. */
unsigned caml_ring_log_words(void);

#pragma GCC visibility pop

#endif /* CAML_EVENTRING_INTERNAL_H */
