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

   runtime/eventring_gc.c and runtime/eventring_wait.c tell how it works.
   Call all of it with the domain lock held, where not said otherwise.  None of
   it allocates, raises or runs OCaml code. */

#ifndef CAML_EVENTRING_PROBES_H
#define CAML_EVENTRING_PROBES_H

#ifdef CAML_INTERNALS

#include "eventring.h"
#include "domain_state.h"

#pragma GCC visibility push(hidden)

/* Causes: eventring_gc.c */

/* Pending requests of a domain.  One struct a slot, written by its domain
   only.  A counter that reports a cause writes while events are
   recorded, so that it touches no more memory than other probes otherwise; the
   rest is written whether tracing is on or not, so that nothing stale is left
   when tracing is switched on. */
struct caml_eventring_asked {
  _Alignas(64)
  uint64_t called;              /* collections that the program called for and
                                   that are under way: a stack of causes, a
                                   byte each */
  uint64_t under_way;           /* major slices under way, likewise */
  uint8_t minor;                /* a minor collection was requested: why */
  uint8_t slice;                /* a major slice was requested: why */
  uint8_t slices_of_all;        /* one in each domain was requested: why */
  uint8_t called_slice;         /* of the slice that begins now, when that is
                                   not the one requested */
  uint8_t finishing;            /* of the major cycle that is being finished
                                   in a stop: all its slices have it */
  uint8_t emptying;             /* of the minor collection that is tried */
  uint8_t reason;               /* of the stop that is tried */
  uint64_t group[9];            /* fields of an event that comes field by
                                   field */
};
extern struct caml_eventring_asked *caml_eventring_asked;

#define Caml_eventring_asked (&caml_eventring_asked[Caml_state->id])

/* Allocates one for each domain that there can be.  Called at the start of
   the runtime, with a single domain running; the main domain has one before. */
void caml_eventring_init_asked(void);

/* Record the cause of a request for a minor collection or a major slice.  The
   first cause holds until the request is met. */
Caml_inline void caml_eventring_request_minor(enum caml_eventring_cause cause)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (a->minor == 0) a->minor = cause;
}

Caml_inline void caml_eventring_request_slice(enum caml_eventring_cause cause)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (a->slice == 0) a->slice = cause;
}

/* Returns the cause of a request by a function that any code may call.  Code of
   the runtime that has another cause has said so before, but only while events
   are recorded. */
Caml_inline enum caml_eventring_cause caml_eventring_c_call(void)
{
  return caml_eventring_active() != 0 ? EV_CAUSE_C_CALL : EV_CAUSE_UNKNOWN;
}

/* Records the cause of a request for slices in all domains.  The request stays
   until the attempt to interrupt them succeeds, and each poll of this domain
   until then does a slice.  Not inlined, so that allocation in the major heap,
   which may call it, saves no registers for it. */
void caml_eventring_request_slices(enum caml_eventring_cause cause)
  __attribute__((cold));

/* Enclose collections that the program calls for, by a function of module Gc or
   because a domain ends. */
void caml_eventring_gc_call_begin(enum caml_eventring_cause cause);
void caml_eventring_gc_call_end(void);

/* Called in caml_poll_gc_work, before and after it meets a request for a minor
   collection, if it has one.  While it tries to stop the other domains, they
   may stop it, and it may poll within this poll: if that poll has a request of
   its own to meet, ours is met as well, and otherwise [emptying] must stay. */
Caml_inline void caml_eventring_empty_minor_begin(int requested)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (requested) a->emptying = a->minor;
  a->minor = 0;
}

Caml_inline void caml_eventring_empty_minor_end(void)
{
  Caml_eventring_asked->emptying = 0;
}

/* Tells in caml_poll_gc_work whether a major slice is due now, here or in all
   domains.  Forgets requests that were met already. */
Caml_inline void caml_eventring_slices_due(int here, int of_all)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (!of_all) a->slices_of_all = 0;
  if (!of_all && !here) a->slice = 0;
}

/* Enclose a major slice. */
Caml_inline void caml_eventring_slice_begin(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
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
  a->under_way = a->under_way << 8 | cause;
}

Caml_inline void caml_eventring_slice_end(void)
{
  Caml_eventring_asked->under_way >>= 8;
}

/* Stops */

/* Sets the reason of the next attempt to stop all domains.  Returns 0, so that
   the call can precede the attempt in an expression. */
Caml_inline int caml_eventring_set_stop_reason(enum caml_eventring_stop reason)
{
  Caml_eventring_asked->reason = reason;
  return 0;
}

void caml_eventring_stop_requested(void);   /* the attempt succeeds */
void caml_eventring_stop_arrived(void);     /* this domain has stopped */
void caml_eventring_stop_end(void);         /* the last domain goes on; no
                                               other stop can begin before
                                               this returns */

void caml_eventring_finish_cycle_begin(void);  /* in a stop of this reason */

/* Write the ends of spans with their fields, and the events that accompany
   spans; the caller has tested the category. */
void caml_eventring_end_minor(void);
void caml_eventring_end_slice(void);
void caml_eventring_end_in_stop(ev_runtime_phase phase);
void caml_eventring_heap(void);
void caml_eventring_pacing(void);
void caml_eventring_process_memory(void);

/* Pools of the major heap taken from the system and given back, by all
   domains since the program began.  Relaxed atomics. */
extern uint64_t caml_eventring_pools_mapped, caml_eventring_pools_unmapped;

Caml_inline void caml_eventring_pool_mapped(const void *pool)
{
  if (pool != NULL)
    __atomic_fetch_add(&caml_eventring_pools_mapped, 1, __ATOMIC_RELAXED);
}

Caml_inline void caml_eventring_pool_unmapped(void)
{
  __atomic_fetch_add(&caml_eventring_pools_unmapped, 1, __ATOMIC_RELAXED);
}

/* A record of two integers, if its category is recorded: sizes before and
   after. */
#define Caml_eventring_resized(record, category, from, to) \
  do { \
    if (Caml_eventring_on(category)) { \
      uint64_t sizes[] = { (from), (to) }; \
      caml_eventring_emit_packed(EVENTRING_RECORD(record), sizes, 2); \
    } \
  } while (0)

/* Domains, threads and waiting: eventring_wait.c */

/* Called in a fresh domain, before anything else is written there. */
void caml_eventring_domain_start(caml_domain_state *parent);

/* Tells that the program is about to exit with this code. */
void caml_eventring_process_exit(int code);

#pragma GCC visibility pop

/* The functions that follow are called by the threads library too, which
   does not see the control page. */

/* Tells that the calling thread has this descriptor, from its start on.
   [descr] is a Thread.t, or Val_unit while the thread has no Thread.t. */
CAMLextern void caml_eventring_thread_start(value descr);
CAMLextern void caml_eventring_thread_created(value descr);
CAMLextern void caml_eventring_thread_registered(value descr); /* both */
CAMLextern void caml_eventring_thread_end(value descr);

/* Makes the calling thread the thread of this domain's events from here on. */
CAMLextern void caml_eventring_thread_resume(void);

/* Returns a time to give to [caml_eventring_wait_end]; 0 when waiting is not
   recorded.  Needs no lock. */
CAMLextern uint64_t caml_eventring_wait_begin(void);

/* Writes the event [record] for the wait of this thread since [since]. */
CAMLextern void caml_eventring_wait_end(int record, uint64_t since);

/* Sets the event of the blocking section that this thread enters next, unless
   an event is set already. */
CAMLextern void caml_eventring_set_wait_reason(int record);

#pragma GCC visibility push(hidden)

/* Called in caml_enter_blocking_section.  The first, at its beginning, returns
   the event that was set, and forgets it.  The second, after signal handlers,
   returns [result], and ends the span of a wait that will not happen if
   [result] is an exception.  The third, just before the domain lock is
   released, begins the wait. */
int caml_eventring_take_wait_reason(void);
caml_result caml_eventring_check_signals(int record, caml_result result);
void caml_eventring_enter_blocking(int record);

/* Called in caml_leave_blocking_section.  The first, before the domain lock is
   taken, returns the time for the second, which is called with the lock. */
uint64_t caml_eventring_blocking_returned(void);
void caml_eventring_leave_blocking(uint64_t returned);

/* Measure work between two points, for a complete event without a threshold.
   The first returns the time of the beginning, or 0; the second writes the
   event with one more field. */
Caml_inline uint64_t caml_eventring_work_begin(uint32_t category)
{
  return Caml_eventring_on(category) ? caml_eventring_ticks() : 0;
}
void caml_eventring_work_end(int record, uint64_t since, uint64_t field);

/* Writes a text, if its category is recorded; cut where it is too long. */
void caml_eventring_text(int record, uint32_t category, const char *text);

#pragma GCC visibility pop

#endif /* CAML_INTERNALS */

#endif /* CAML_EVENTRING_PROBES_H */
