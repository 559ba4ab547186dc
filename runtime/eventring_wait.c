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

#define CAML_INTERNALS

/* Domains, threads, and their waits.

   Waiting is one event, written when it is over and only if it took longer
   than the threshold: it cannot flood a ring, and a thread that does not wait
   writes nothing.  All waiting that releases the domain lock goes through
   caml_enter_blocking_section and caml_leave_blocking_section:

       since                   returned               now
         |  the system call,     |  for the domain      |
         |  the other's mutex    |  lock                |
         +-----------------------+----------------------+
         |<-------------------- duration -------------->|
                                 |<- for_domain_lock -->|

   The thread that enters is the one that leaves, so [waiting] is a variable of
   the thread; other threads of its domain write to the ring meanwhile. The
   caller may have set a reason, with [caml_eventring_set_wait_reason].  If
   a signal handler that runs before the wait waits, too, the lock of the first wait is
   not known any more.

   Samples of waits are for adding up, so they count every wait, however short:

       waits of a thread    --  -   ---   -- -  --------------------  --
       samples                        ^               ^
                               a random part     the sample     the rest, when
                               of the period       period       the thread ends

   Each wait is added to a sum of the thread; when the sum reaches the sample
   period at the end of a wait, the wait has a sample with the sum and its stack.  A
   thread may also use processor time in a wait, where the signal handler of
   eventring_profile.c takes samples of it: the handler counts their time, which
   is subtracted.  So the samples of a thread, of both kinds, add up to the time
   in which it computed or waited. */

#include <pthread.h>
#include <string.h>

#include "caml/domain.h"
#include "caml/eventring_clock.h"
#include "caml/misc.h"
#include "caml/mlvalues.h"
#include "caml/runtime_events.h"
#include "eventring_internal.h"

static CAMLthread_local struct {
  uint64_t since;               /* ticks; 0: not recorded */
  int record;                   /* the event of the blocking section */
  int next;                     /* 1 + the event of the next one; 0: no reason
                                   was set */
  uint64_t lock;                /* the address of the mutex or condition of the last
                                   such reason... */
  uint32_t holder;              /* ...and the system's id of the thread that held the
                                   mutex; 0: not known */
} waiting;

/* Samples of waits */

/* The waits of the calling thread since its last sample. */
static CAMLthread_local struct {
  uint32_t session;             /* of the sum; 0: it begins anew */
  uint64_t ticks;               /* the sum, with the time of [wait_cpu] */
  uint64_t enough;              /* ticks: when to see if there is a sample */
  int64_t wanted;               /* ns: the sum of which there is a sample */
  uint64_t period;              /* ns: that [wanted] is made from */
} waits;

/* Begins the sum of waits anew.  Its first sample is due after a random part of a
   period, so that threads that begin together are not sampled together. */
CAML_EVENTRING_COLD
static void restart_waits(void)
{
  uint64_t chance = ((uint64_t) caml_ring_os_thread_id() << 32
                     ^ (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC))
                    * UINT64_C(0x9E3779B97F4A7C15);
  waits.period = caml_ring_sample_period();
  waits.session = caml_ring_session.number;
  waits.ticks = waits.enough = 0;
  waits.wanted = (int64_t) (1 + (chance >> 20) % waits.period);
  atomic_store_explicit(&caml_ring_self.wait_cpu, 0, memory_order_relaxed);
}

/* Returns the length of a tick in ns, measured since the session began; 0 when
   that was too recently to tell. */
static double tick_length(void)
{
  const struct eventring_instant *start = &caml_ring_session.header.started;
  if (caml_ring_clock == EVENTRING_CLOCK_MONOTONIC) return 1;
  struct eventring_instant now = eventring_now(caml_ring_clock);
  int64_t passed = now.monotonic_ns - start->monotonic_ns;
  if (passed < 20000) return 0;
  return (double) passed / (double) (now.ticks - start->ticks);
}

/* Returns the sum of waits in ns, without the processor time of samples; a tick
   takes [length] ns.  Negative when there were more samples than waits so far:
   the time of a sample in a wait also has a part before the wait. */
static int64_t waited_ns(double length)
{
  return (int64_t) ((double) waits.ticks * length)
    - (int64_t) atomic_load_explicit(&caml_ring_self.wait_cpu,
                                     memory_order_relaxed);
}

_Static_assert(EV_THREAD_YIELD - EV_BLOCKING_SECTION
               == EV_WAIT_YIELD - EV_WAIT_BLOCKING
               && EV_LOCK_WAIT - EV_BLOCKING_SECTION
                  == EV_WAIT_LOCK - EV_WAIT_BLOCKING,
               "the kinds of waits have the order of their events");

/* Writes a sample, if the sum is enough for one, at the end of the wait [record]
   that took [took] ticks.  Else finds out when to look again. */
CAML_EVENTRING_COLD
static void consider_sample(int record, uint64_t took)
{
  double length = tick_length();
  if (length == 0) return;
  uint64_t period = caml_ring_sample_period();
  if (waits.period != period) {
    waits.wanted = (int64_t) period;
    waits.period = period;
  }
  int64_t waited = waited_ns(length);
  if (waited >= waits.wanted) {
    uint64_t field[] = { (uint64_t) waited, 0, 0,
                         (uint64_t) (record - EV_BLOCKING_SECTION), took };
    caml_eventring_emit_stack(EV_WAIT_SAMPLE, field, 5);
    waits.ticks = 0;
    atomic_store_explicit(&caml_ring_self.wait_cpu, 0, memory_order_relaxed);
    waits.wanted = (int64_t) period;
    waited = 0;
  }
  waits.enough = waits.ticks
    + (uint64_t) ((double) (waits.wanted - waited) / length);
}

/* Records that a wait begins and that its time is sampled. */
static void begin_sampled_wait(void)
{
  if (waits.session != caml_ring_session.number) restart_waits();
  atomic_store_explicit(&caml_ring_self.in_wait, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
}

/* Adds the wait [record], which began at [since] and has ended at [now], to the
   sum, and writes a sample if there is one. */
static void end_sampled_wait(int record, uint64_t since, uint64_t now)
{
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&caml_ring_self.in_wait, 0, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  if (!Caml_eventring_on(EVENTRING_PROFILE_WAIT)) {
    waits.session = 0;
    return;
  }
  if (waits.session != caml_ring_session.number) {
    /* Of this session there is only the last part of the wait. */
    restart_waits();
    since = caml_ring_session.header.started.ticks;
  }
  uint64_t took = now - since;
  waits.ticks += took;
  if (waits.ticks >= waits.enough || waits.period != caml_ring_sample_period())
    consider_sample(record, took);
}

/* Returns 1 if the thread is in a wait and its time is sampled. */
Caml_inline int is_sampled(void)
{
  return atomic_load_explicit(&caml_ring_self.in_wait, memory_order_relaxed)
    != 0;
}

CAML_EVENTRING_COLD
void caml_eventring_end_waits(void)
{
  double length;
  if (!Caml_eventring_on(EVENTRING_PROFILE_WAIT) || waits.ticks == 0
      || waits.session != caml_ring_session.number
      || (length = tick_length()) == 0) return;
  int64_t waited = waited_ns(length);
  waits.session = 0;
  if (waited <= 0) return;
  uint64_t field[] = { (uint64_t) waited, EV_STACK_COMPLETE,
                       caml_ring_self.request, EV_WAIT_BLOCKING, 0 };
  caml_eventring_thread_switch(0);
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_WAIT_SAMPLE), field, 5);
}

/* Waits */

CAMLexport void caml_eventring_set_wait_reason(int record)
{
  if (Caml_eventring_on(EVENTRING_WAIT | EVENTRING_PROFILE_WAIT)
      && waiting.next == 0)
    waiting.next = 1 + record;
}

CAML_EVENTRING_COLD
void caml_eventring_wait_for_mutex(const void *mutex)
{
  waiting.lock = (uintptr_t) mutex;
#ifdef __GLIBC__
  /* Debuggers read it, too (glibc, nptl/nptl_db). */
  waiting.holder = (uint32_t) __atomic_load_n(
    &((const pthread_mutex_t *) mutex)->__data.__owner, __ATOMIC_RELAXED);
#endif
  caml_eventring_set_wait_reason(EV_MUTEX_WAIT);
}

CAML_EVENTRING_COLD
void caml_eventring_wait_for_condition(const void *condition)
{
  waiting.lock = (uintptr_t) condition;
  caml_eventring_set_wait_reason(EV_CONDITION_WAIT);
}

int caml_eventring_take_wait_reason(void)
{
  if (waiting.next == 0) return EV_BLOCKING_SECTION;
  int record = waiting.next - 1;
  waiting.next = 0;
  return record;
}

CAML_EVENTRING_COLD
caml_result caml_eventring_check_signals(int record, caml_result result)
{
  /* The blocking section will not be entered, and the span that
     caml_ml_condition_wait has begun has its end here. */
  if (caml_result_is_exception(result)
      && (record == EV_CONDITION_WAIT || record == EV_DOMAIN_JOIN
          || record == EV_SEMAPHORE_WAIT))
    CAML_EV_END(EV_DOMAIN_CONDITION_WAIT);
  return result;
}

static void stop_alarm(void)
{
#ifdef EVENTRING_SAMPLES
  if (caml_ring_self.alarm != NULL) caml_ring_stop_alarm();
#endif
}

static void run_alarm(void)
{
#ifdef EVENTRING_SAMPLES
  if (caml_ring_self.alarm != NULL) caml_ring_run_alarm();
#endif
}

void caml_eventring_enter_blocking(int record)
{
  waiting.since = caml_eventring_wait_begin();
  waiting.record = record;
}

CAML_EVENTRING_COLD
void caml_eventring_retry_blocking(void)
{
  if (waiting.since != 0 && is_sampled())
    end_sampled_wait(waiting.record, waiting.since, caml_eventring_ticks());
  waiting.since = 0;
  run_alarm();
}

uint64_t caml_eventring_blocking_returned(void)
{
  return waiting.since != 0 ? caml_eventring_ticks() : 0;
}

/* Writes the wait for [waiting.lock] that ends at [now], after [took] ticks, of which
   [for_lock] for the domain lock. */
CAML_EVENTRING_COLD
static void write_lock_wait(uint64_t now, uint64_t took, uint64_t for_lock)
{
  const uint64_t field[] = { took, for_lock, waiting.lock, waiting.holder };
  caml_eventring_emit_packed_at(EVENTRING_RECORD(waiting.record), now, field,
                                waiting.record == EV_MUTEX_WAIT ? 4 : 3);
}

void caml_eventring_leave_blocking(uint64_t returned)
{
  /* The time is read once for both events. */
  uint64_t now = returned != 0 ? caml_eventring_ticks() : 0;
  uint32_t active = caml_eventring_active();
  if (active & (EVENTRING_THREAD | EVENTRING_PROFILE | EVENTRING_POINTS
                | EVENTRING_RING_REQUEST)) {
    if (active & EVENTRING_THREAD) caml_eventring_thread_switch(now);
    if (active & EVENTRING_PROFILE) caml_eventring_sample_threads();
    /* An idle program evaluates its points here: [caml_eventring_attend]. */
    if (active & (EVENTRING_POINTS | EVENTRING_RING_REQUEST))
      caml_eventring_act_soon();
  }
  if (returned != 0) {
    uint64_t took = now - waiting.since;
    if (active & EVENTRING_WAIT && took >= caml_eventring_threshold_ticks()) {
      if (waiting.lock != 0 && (waiting.record == EV_MUTEX_WAIT
                                || waiting.record == EV_CONDITION_WAIT))
        write_lock_wait(now, took, now - returned);
      else
        caml_eventring_emit_pair(EVENTRING_RECORD(waiting.record), now, took,
                                 now - returned);
    }
    if (is_sampled()) end_sampled_wait(waiting.record, waiting.since, now);
  }
  waiting.since = 0;
  waiting.lock = 0;
  run_alarm();
}

CAMLexport uint64_t caml_eventring_wait_begin(void)
{
  uint32_t active = caml_eventring_active();
  stop_alarm();
  if (__builtin_expect((active & (EVENTRING_WAIT | EVENTRING_PROFILE_WAIT)) == 0,
                       1))
    return 0;
  if (active & EVENTRING_PROFILE_WAIT) begin_sampled_wait();
  else waits.session = 0;
  return caml_eventring_ticks();
}

CAMLexport void caml_eventring_wait_end(int record, uint64_t since)
{
  run_alarm();
  if (since == 0) return;
  uint64_t now = caml_eventring_ticks(), took = now - since;
  if (Caml_eventring_on(EVENTRING_WAIT)
      && took >= caml_eventring_threshold_ticks())
    caml_eventring_emit_packed(EVENTRING_RECORD(record), &took, 1);
  if (is_sampled()) end_sampled_wait(record, since, now);
}

CAML_EVENTRING_COLD
void caml_eventring_work_end(int record, uint64_t since, uint64_t value)
{
  if (since == 0 || !Caml_eventring_on(EVENTRING_RUNTIME)) return;
  uint64_t field[] = { caml_eventring_ticks() - since, value };
  caml_eventring_emit_packed(EVENTRING_RECORD(record), field, 2);
}

CAML_EVENTRING_COLD
void caml_eventring_text(int record, uint32_t category, const char *text)
{
  size_t length = strlen(text);
  if (!Caml_eventring_on(category)) return;
  if (length > EVENTRING_MAX_BYTES) length = EVENTRING_MAX_BYTES;
  caml_eventring_emit_bytes(EVENTRING_RECORD(record), text, length);
}

/* Domains, threads, and the process */

CAML_EVENTRING_COLD
void caml_eventring_process_exit(int code)
{
  caml_eventring_end_waits();
  if (Caml_eventring_on(EVENTRING_DOMAIN))
    caml_eventring_emit_int(EVENTRING_WORD(EVENTRING_FIRST_RECORD
                                           + EV_PROCESS_EXIT,
                                           EVENTRING_FORM_INSTANT, 1),
                            (uint64_t) (int64_t) code);
}

CAML_EVENTRING_COLD
void caml_eventring_domain_start(caml_domain_state *parent)
{
  /* Requests of the domain that had this slot before.  The runtime keeps its
     request for slices in all domains, and so its cause must stay. */
  struct caml_eventring_asked *asked = Caml_eventring_asked;
  uint8_t slices_of_all =
    Caml_state->requested_global_major_slice ? asked->slices_of_all : 0;
  memset(asked, 0, sizeof(*asked));
  asked->slices_of_all = slices_of_all;
  if (Caml_eventring_on(EVENTRING_DOMAIN)) {
    uint64_t field[] = { Caml_state->unique_id, parent->unique_id,
                         Caml_state->id };
    caml_eventring_emit_packed(EVENTRING_RECORD(EV_DOMAIN_START), field, 3);
  }
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_self();
#if OCAML_VERSION >= 50300
  caml_eventring_alloc_domain_start();
#endif
}

/* Returns the id of the thread with the descriptor [descr], a Thread.t; -1 for
   Val_unit, when the thread has no Thread.t.  The id is the first field of the
   block. */
static intnat thread_id(value descr)
{
  return Is_block(descr) ? Long_val(Field(descr, 0)) : -1;
}

/* Writes the event [record] with the id of the thread that has the descriptor
   [descr], if the category EVENTRING_THREAD is recorded. */
CAML_EVENTRING_COLD
static void about_thread(int record, value descr)
{
  uint64_t id = thread_id(descr);
  if (Caml_eventring_on(EVENTRING_THREAD))
    caml_eventring_emit_packed(EVENTRING_RECORD(record), &id, 1);
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_start(value descr)
{
  caml_eventring_set_thread(thread_id(descr));
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_self();
  caml_eventring_thread_resume();
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_created(value descr)
{
  about_thread(EV_THREAD_CREATE, descr);
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_registered(value descr)
{
  caml_eventring_thread_created(descr);
  caml_eventring_thread_start(descr);
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_end(value descr)
{
  caml_eventring_end_waits();
  about_thread(EV_THREAD_END, descr);
  /* A thread of C may live on, without the domain lock. */
  stop_alarm();
  caml_ring_self.alarm = NULL;
}

CAMLexport void caml_eventring_thread_resume(void)
{
  if (Caml_eventring_on(EVENTRING_THREAD)) caml_eventring_thread_switch(0);
}
