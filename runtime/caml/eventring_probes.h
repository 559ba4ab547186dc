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

/* Functions called by probes to report the cause of a collection, the domain
   that requested a stop, the thread that runs and the reason of a wait.  The
   probes that OCaml's runtime has already call some of them, through the macros
   of caml/runtime_events.h; the semantic patches in upstream/ put the other
   calls into its files.  Include
   caml/runtime_events.h, which includes this.

   runtime/eventring_gc.c and runtime/eventring_wait.c tell how the functions
   work.  Call each function with the domain lock held unless its comment says
   otherwise.  None of the functions allocates, raises or runs OCaml code. */

#ifndef CAML_EVENTRING_PROBES_H
#define CAML_EVENTRING_PROBES_H

#ifdef CAML_INTERNALS

#include "eventring.h"
#include "eventring_versions.h"
#include "domain_state.h"
#include "version.h"

#pragma GCC visibility push(hidden)

/* Records where machine code is and, when the category EVENTRING_PROFILE is
   recorded, looks for threads of the process that have no timer for samples, and
   gives them one: at most ten times a second.  Called often, when this category
   is recorded, and before each stack of another event, with the domain lock
   held. */
void caml_eventring_sample_threads(void);

/* Causes: eventring_gc.c */

/* The state of a domain: the causes of its pending requests, its pause, and its
   counts.  There is one struct for each slot, and only the domain of the slot writes
   to it; caml_eventring_domain_start (eventring_wait.c) clears it for the next
   domain.  Causes that a counter
   reports are written only while events are recorded, so that the counter's
   probe touches no memory otherwise.  All other fields are written whether
   tracing is on or not, so that no stale cause is left when tracing is switched
   on.  A cause of 0: none. */
#define EVENTRING_NESTED_SLICES 32 /* deeper ones have no cause */
struct caml_eventring_asked {
  _Alignas(64)
  uint64_t called;              /* causes of the collections under way that the
                                   program called for: a stack, a byte each */
  uint32_t slices_under_way;    /* major slices that have begun and not ended:
                                   while a slice waits for other domains, the
                                   domain begins more */
  uint8_t slice_cause[EVENTRING_NESTED_SLICES]; /* of each, outermost first */
  uint8_t minor;                /* cause of the request for a minor
                                   collection */
  uint8_t slice;                /* cause of the request for a major slice */
  uint8_t slices_of_all;        /* cause of the request for a major slice in
                                   each domain */
  uint8_t called_slice;         /* cause of the next slice, if the slice does
                                   not follow from a request */
  uint8_t finishing;            /* cause of all slices while a major cycle is
                                   finished in a stop-the-world section */
  uint8_t emptying;             /* cause of the minor collection that this
                                   domain tries to begin */
  uint8_t reason;               /* of the stop-the-world section that this
                                   domain tries to begin */
  uint32_t in_stop;             /* 0: this domain is in no stop-the-world section;
                                   1: it leads one; 2 + the number of its
                                   arrival there */
  uint32_t pause_depth;         /* pauses under way in each other */
  int64_t paused_since;         /* CLOCK_MONOTONIC; 0: the pause does not
                                   count */
  uint64_t direct_words;        /* that this domain had allocated directly in
                                   the major heap by the last event with them,
                                   or the last slice that was not recorded */
  uintnat minor_words;          /* that this domain had allocated in its minor
                                   heap when the session began */
  uint64_t group[9];            /* values of grouped counters, until the event
                                   that has them as fields is written */
};
extern struct caml_eventring_asked *caml_eventring_asked;

#define Caml_eventring_asked (&caml_eventring_asked[Caml_state->id])

/* Allocates a struct caml_eventring_asked for each domain that there can be,
   and copies the struct of the main domain, which exists before.  No effect
   after the first call.  A fatal error when there is no memory.  Called at the
   start of the runtime, with a single domain running. */
void caml_eventring_init_asked(void);

/* Records [cause] as the cause of a request for a minor collection of this
   domain.  No effect while an earlier request, which has its own cause, is
   pending. */
Caml_inline void caml_eventring_request_minor(enum caml_eventring_cause cause)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (a->minor == 0) a->minor = cause;
}

/* Records [cause] as the cause of a request for a major slice of this domain.
   No effect while an earlier request is pending. */
Caml_inline void caml_eventring_request_slice(enum caml_eventring_cause cause)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (a->slice == 0) a->slice = cause;
}

/* Returns the cause to record for a request made by a function that any C code
   may call: EV_CAUSE_C_CALL while events are recorded, else EV_CAUSE_UNKNOWN.
   While events are recorded, callers in the runtime that have another cause
   record that cause first; otherwise they record none, and the cause of the
   request cannot be known. */
Caml_inline enum caml_eventring_cause caml_eventring_c_call(void)
{
  return caml_eventring_active() != 0 ? EV_CAUSE_C_CALL : EV_CAUSE_UNKNOWN;
}

/* Records [cause] as the cause of a request for a major slice in each domain,
   this one included, unless an earlier request is pending.  The request is
   pending until this domain's attempt to interrupt all domains succeeds; until
   then, each poll of this domain does a slice.  Not inlined, so that allocation
   in the major heap, which may call this function, saves no registers for the
   call. */
void caml_eventring_request_slices(enum caml_eventring_cause cause)
  __attribute__((cold));

/* Records that the collections of this domain up to the matching
   [caml_eventring_gc_call_end] have the cause [cause]: a call of a function of
   module Gc, or the end of a domain.  Calls may be nested; within
   EV_CAUSE_GC_STAT that cause remains. */
void caml_eventring_gc_call_begin(enum caml_eventring_cause cause);
void caml_eventring_gc_call_end(void);

/* Records that caml_poll_gc_work begins to run the minor collection that was
   requested, which then has the cause of the request; with [requested] 0, that
   no minor collection was requested.  While the poll tries to stop the other
   domains, another domain may stop this one, and this domain may poll within
   the poll.  If the inner poll has a request, its collection meets the outer
   request as well; if not, [emptying] must stay. */
Caml_inline void caml_eventring_empty_minor_begin(int requested)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (requested) a->emptying = a->minor;
  a->minor = 0;
}

/* Records that caml_poll_gc_work has run the minor collection that was
   requested. */
Caml_inline void caml_eventring_empty_minor_end(void)
{
  Caml_eventring_asked->emptying = 0;
}

/* Removes the causes of requests for major slices that were met already.
   Called in caml_poll_gc_work with its flags: [here] is 1 while a slice of this
   domain is requested, [of_all] while a slice of each domain is requested. */
Caml_inline void caml_eventring_slices_due(int here, int of_all)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (!of_all) a->slices_of_all = 0;
  if (!of_all && !here) a->slice = 0;
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_threads();
}

/* Excludes the words that this domain has allocated directly in the major heap so
   far from later events. */
Caml_inline void caml_eventring_skip_direct_words(void)
{
  Caml_eventring_asked->direct_words =
    Caml_state->stat_major_words + Caml_state->allocated_words
    - Caml_state->stat_promoted_words;
}

/* Excludes the words that each domain has allocated so far from the events of the
   session that is about to begin.  Stops no domain: another domain does it at its
   next safe point, before it takes part in a collection.  Called while no session
   runs, with the domain lock held; may take part in a stop-the-world section. */
void caml_eventring_skip_words(void);

/* Writes the event EV_ALLOCATED_AT_END, if its category is recorded.  Called at the
   end of tracing or of this domain. */
void caml_eventring_allocated_at_end(void);

/* Records that a major slice of this domain begins, and which of the causes
   recorded before is its cause.  [caml_eventring_slice_end] records that the
   slice has ended. */
Caml_inline void caml_eventring_slice_begin(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (!Caml_eventring_on(EVENTRING_GC)) caml_eventring_skip_direct_words();
  uint8_t cause = a->finishing;
  if (cause == 0) {
    cause = a->called_slice;
    a->called_slice = 0;
  }
  if (cause == 0) {
    cause = a->slice;
    a->slice = 0;
  }
  if (cause == 0) cause = a->slices_of_all;
  uint32_t i = a->slices_under_way++;
  if (i < EVENTRING_NESTED_SLICES) a->slice_cause[i] = cause;
}

Caml_inline void caml_eventring_slice_end(void)
{
  Caml_eventring_asked->slices_under_way--;
}

/* The categories for which the end of a minor collection has work to do: new
   threads are looked for, or a line says that allocation is not sampled. */
#if OCAML_VERSION >= 50300
#define EVENTRING_AT_MINOR EVENTRING_PROFILE
#else
#define EVENTRING_AT_MINOR (EVENTRING_PROFILE | EVENTRING_PROFILE_ALLOC)
#endif

/* Makes the limit of the minor heap of [domain] known to processes that attach to
   this one: eventring_attach.c. */
void caml_eventring_note_limit(caml_domain_state *domain);

/* Samples of allocation: eventring_alloc.c.  The semantic patches of memprof.c,
   minor_gc.c and domain.c call these functions. */

/* Draws the next sampled word of the minor heap of [state], the calling domain.
   The caller then calls caml_reset_young_limit. */
void caml_eventring_set_alloc_trigger(caml_domain_state *state);

#if OCAML_VERSION >= 50300

/* Begins to sample the calling domain, which has just been created, if its
   allocation is to be sampled. */
void caml_eventring_alloc_domain_start(void);

/* Returns the higher one of [other] and the limit of [state] at which the next
   sampled word of its minor heap is. */
value *caml_eventring_young_trigger(const caml_domain_state *state,
                                    value *other);

/* Samples the block or blocks of [wosize] words in all that are about to be
   allocated at the young_ptr of [state], with the other arguments of
   caml_alloc_small_dispatch.  Returns at once if no word of them is sampled. */
void caml_eventring_sample_young(caml_domain_state *state, uintnat wosize,
                                 int flags, int allocs,
                                 const unsigned char *lengths);

/* Samples [block], which C code has allocated, with the arguments of
   caml_memprof_sample_block.  Call after the test of the category. */
void caml_eventring_sample_block(value block, uintnat words, int source);

/* Record which of the sampled blocks of the domain [state] were promoted or have
   died: called after a minor collection, when all domains have left its barrier
   and the minor heap still has the headers, and after the marking of a major
   cycle. */
void caml_eventring_blocks_after_minor(caml_domain_state *state);
void caml_eventring_blocks_after_major(caml_domain_state *state);

/* Calls [action] for the address of each sampled block of [state], which a
   compaction may have moved. */
void caml_eventring_scan_blocks(void (*action)(void *, value, volatile value *),
                                void *data, caml_domain_state *state);

/* Leaves the sampled blocks of the ending domain [state] to other domains.
   Called while no stop-the-world section can begin. */
void caml_eventring_blocks_domain_end(caml_domain_state *state);

#endif

/* Stops */

/* Sets the reason of this domain's next attempt to begin a stop-the-world
   section.  Returns 0, so that the call can precede the attempt in an
   expression. */
Caml_inline int caml_eventring_set_stop_reason(enum caml_eventring_stop reason)
{
  Caml_eventring_asked->reason = reason;
  return 0;
}

/* Records the requester, reason, cause and time of a stop-the-world section.
   Called in the domain that leads the section, when its attempt to begin it has
   succeeded, before it interrupts the other domains. */
void caml_eventring_stop_requested(void);

/* Records that this domain leaves the present stop-the-world section: its OCaml
   code may run again.  Called before any domain can begin another section. */
void caml_eventring_stop_left(void);

/* Record that a time begins, or ends, in which the OCaml code of this domain does
   not run because of the collector: a slice of major collection, or a
   stop-the-world section, from the request in the domain that requests it, and
   else from when the domain stopped.  Those within each other are one pause.  A
   call of a function of module Gc is none: it also runs finalisers, and other
   threads.  Its end is added to the totals of the ring, if the
   category EVENTRING_GC was recorded at its begin and is at its end, unless
   the backup thread has taken part in a collection while the domain waited. */
void caml_eventring_pause_begin(void);
void caml_eventring_pause_end(void);

/* Records that this domain has stopped for the present stop-the-world section,
   and when.  Leaves out further domains when a section has over 120. */
void caml_eventring_stop_arrived(void);

/* Writes the event of the stop-the-world section that ends, if its category is
   recorded, and was when the section began.  Called in the last domain that
   leaves the section; no other section can begin before this function
   returns. */
void caml_eventring_stop_end(void);

/* Records that the slices of this domain finish a major cycle from now on, for
   the cause of the present stop-the-world section.  Called in a section with
   the reason EV_STOP_FINISH. */
void caml_eventring_finish_cycle_begin(void);

/* Writes the end of the span EV_MINOR with its fields, words promoted and
   allocated, cause and requester, if the category EVENTRING_GC is recorded.  If
   EVENTRING_PROFILE is, calls [caml_eventring_sample_threads]. */
void caml_eventring_end_minor(void);

/* Writes the end of the span EV_MAJOR_SLICE with its cause.  The caller has
   tested the category. */
void caml_eventring_end_slice(void);

/* Writes the end of the span [phase], a call of a function of module Gc.  The
   caller has tested the category. */
void caml_eventring_end_call(ev_runtime_phase phase);

/* Writes the end of the span [phase], which is within a stop-the-world section,
   with the section's cause and requester.  The caller has tested the
   category. */
void caml_eventring_end_in_stop(ev_runtime_phase phase);

/* Writes the event EV_HEAP from the counters of the heap collected in [group].
   The caller has tested the category. */
void caml_eventring_heap(void);

/* Writes the event EV_PACING from the counters of the major slice collected in
   [group].  The caller has tested the category. */
void caml_eventring_pacing(void);

/* Writes the event EV_PROCESS_MEMORY with the mapped and the resident memory of
   the process, in bytes, at most once a second in all domains together.  The
   caller has tested the category. */
void caml_eventring_process_memory(void);

/* Pools of the major heap taken from the system and given back, by all
   domains since the program began.  Relaxed atomics. */
extern uint64_t caml_eventring_pools_mapped, caml_eventring_pools_unmapped;

/* Counts a pool that was taken from the system; NULL is not counted.  Needs no
   lock. */
Caml_inline void caml_eventring_pool_mapped(const void *pool)
{
  if (pool != NULL)
    __atomic_fetch_add(&caml_eventring_pools_mapped, 1, __ATOMIC_RELAXED);
}

/* Counts a pool that was given back to the system.  Needs no lock. */
Caml_inline void caml_eventring_pool_unmapped(void)
{
  __atomic_fetch_add(&caml_eventring_pools_unmapped, 1, __ATOMIC_RELAXED);
}

/* Writes the event [record], with the sizes [from] before and [to] after a
   change of size, if [category] is recorded. */
#define Caml_eventring_resized(record, category, from, to) \
  do { \
    if (Caml_eventring_on(category)) { \
      uint64_t sizes[] = { (from), (to) }; \
      caml_eventring_emit_packed(EVENTRING_RECORD(record), sizes, 2); \
    } \
  } while (0)

/* Samples of processor time: eventring_profile.c */

/* Gives the calling thread a timer for samples.  Called as above, when the
   thread begins. */
void caml_eventring_sample_self(void);

/* Domains, threads and waiting: eventring_wait.c */

/* Drops the causes that the domain before in this domain's slot has left,
   except the cause of a request for slices in all domains that is pending, and
   writes the event EV_DOMAIN_START if its category is recorded.  [parent] is
   the domain that created this one.  Called in a new domain, before it writes
   any other event. */
void caml_eventring_domain_start(caml_domain_state *parent);

/* Writes the event EV_PROCESS_EXIT, if its category is recorded: the program is
   about to exit with the exit code [code].  Before that, writes the last sample
   of the calling thread's waits. */
void caml_eventring_process_exit(int code);

/* Writes a sample with the rest of the calling thread's waits, which is less than
   a sample period, if waits are sampled and there is a rest.  The sample has no
   frames.  Called when the thread or its domain ends. */
void caml_eventring_end_waits(void);

#pragma GCC visibility pop

/* The functions that follow are called by the threads library too, which
   does not see the control page. */

/* Records that the calling thread starts to run OCaml code with the descriptor
   [descr], a Thread.t, or Val_unit while the thread has no Thread.t. */
CAMLextern void caml_eventring_thread_start(value descr);

/* Writes the event that the thread with the descriptor [descr] was created, if
   its category is recorded. */
CAMLextern void caml_eventring_thread_created(value descr);

/* Records that the calling thread was created and starts, as the two functions
   above do: C code has registered the thread. */
CAMLextern void caml_eventring_thread_registered(value descr);

/* Writes the event that the thread with the descriptor [descr] ends, if its
   category is recorded, and before that the last sample of its waits. */
CAMLextern void caml_eventring_thread_end(value descr);

/* Writes the event that the calling thread runs this domain from now on, if its
   category is recorded and the last events belonged to another thread. */
CAMLextern void caml_eventring_thread_resume(void);

/* Returns the present time, to give to [caml_eventring_wait_end] after the
   wait that begins; 0 when waits are neither recorded nor sampled.  Waits do not
   contain each other.  Needs no lock. */
CAMLextern uint64_t caml_eventring_wait_begin(void);

/* Writes the event [record] for the wait of this thread that began at [since],
   a result of [caml_eventring_wait_begin].  Writes no such event if [since] is
   0, if waits are no longer recorded, or if the wait was shorter than the
   threshold.  Adds the wait, however short, to the waits of this thread of which
   there are samples, and writes a sample when the sum has reached the sample
   period. */
CAMLextern void caml_eventring_wait_end(int record, uint64_t since);

/* Sets the event to write for the blocking section that this thread enters
   next, [record], an enum caml_eventring_record.  No effect if an event is set
   already or waits are neither recorded nor sampled. */
CAMLextern void caml_eventring_set_wait_reason(int record);

/* Input and output: eventring_io.c */

/* Returns the present time, to give to [Caml_eventring_io_end] after the
   operation that begins; 0 if the category EVENTRING_IO is not recorded.  Needs
   no lock. */
CAMLextern uint64_t caml_eventring_io_begin(void);

/* Writes the event of an operation that began at [since], not 0, a result of
   [caml_eventring_io_begin], if its category is recorded.  [operation] is one of
   EV_OPERATION_..., [descriptor] its descriptor, which may be closed by now,
   and [bytes] how many bytes it moved.  With [failed] 1, errno tells why the
   operation failed.  Leaves errno unchanged. */
CAMLextern void caml_eventring_io_end(uint64_t since,
                                      enum caml_eventring_value operation,
                                      int descriptor, intnat bytes, int failed);

/* Writes the event of an operation as [caml_eventring_io_end] does, if [since]
   is not 0.  [result] is how many bytes it moved, or -1 with the reason in
   errno. */
#define Caml_eventring_io_end(since, operation, descriptor, result) \
  do { \
    if (__builtin_expect((since) != 0, 0)) \
      caml_eventring_io_end(since, operation, descriptor, \
                            (result) == -1 ? 0 : (result), (result) == -1); \
  } while (0)

#pragma GCC visibility push(hidden)

/* Returns the event that [caml_eventring_set_wait_reason] has set for this
   thread, and removes the setting; EV_BLOCKING_SECTION if none is set.  Called
   at the beginning of caml_enter_blocking_section. */
int caml_eventring_take_wait_reason(void);

/* Do as [caml_eventring_set_wait_reason], for a wait for [mutex], a pthread_mutex_t that
   a thread holds, or on [condition], a pthread_cond_t.  The event has its address, and
   the thread that holds the mutex now. */
void caml_eventring_wait_for_mutex(const void *mutex);
void caml_eventring_wait_for_condition(const void *condition);

/* Returns [result], the result of the signal handlers that ran.  If [result] is
   an exception, the wait [record] will not happen: ends its span, if it has
   begun one.  Called in caml_enter_blocking_section. */
caml_result caml_eventring_check_signals(int record, caml_result result);

/* Records that the calling thread begins the wait [record] now.  Called in
   caml_enter_blocking_section, just before the domain lock is released. */
void caml_eventring_enter_blocking(int record);

/* Ends an attempt to begin a wait: a signal came while the domain lock was being
   released, and the thread has taken the lock again.  Writes no event of the
   wait, but samples its time.  Called in
   caml_enter_blocking_section, with the domain lock held. */
void caml_eventring_retry_blocking(void);

/* Returns the present time, at which the calling thread begins to wait for the
   domain lock; 0 if the wait is not recorded.  Called in
   caml_leave_blocking_section, without the domain lock. */
uint64_t caml_eventring_blocking_returned(void);

/* Writes the event that this thread runs now, and the event of the wait that
   has ended, if the wait lasted at least as long as the threshold; each event
   only if its category is recorded.  Adds the wait to those that are sampled, as
   [caml_eventring_wait_end] does.  [returned] is the result of
   [caml_eventring_blocking_returned].  Called in caml_leave_blocking_section,
   with the domain lock held. */
void caml_eventring_leave_blocking(uint64_t returned);

/* Returns the present time, to give to [caml_eventring_work_end] after the work
   that begins; 0 if [category] is not recorded.  Needs no lock. */
Caml_inline uint64_t caml_eventring_work_begin(uint32_t category)
{
  return Caml_eventring_on(category) ? caml_eventring_ticks() : 0;
}

/* Writes the complete event [record] for work that began at [since], a result
   of [caml_eventring_work_begin].  Its fields are the duration, however short,
   and [field].  Writes nothing if [since] is 0 or the category
   EVENTRING_RUNTIME is not recorded. */
void caml_eventring_work_end(int record, uint64_t since, uint64_t field);

/* Writes the event [record] with the text [text], which ends in a NUL, if
   [category] is recorded.  Only the first EVENTRING_MAX_BYTES bytes are
   written. */
void caml_eventring_text(int record, uint32_t category, const char *text);

#pragma GCC visibility pop

#endif /* CAML_INTERNALS */

#endif /* CAML_EVENTRING_PROBES_H */
