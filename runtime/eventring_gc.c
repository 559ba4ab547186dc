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

/* Causes of collections, and requesters of stop-the-world sections.

   A collection begins far from its request: the request sets a flag of its
   domain, which is met at the next poll, perhaps by another domain's
   collection.  So a request leaves its cause in the domain's struct
   caml_eventring_asked:

       request --> [minor], [slice]
                       | caml_poll_gc_work
                       v
                   [emptying]           the slice itself
                       | stop
                       v
                   struct stop: requester, reason, cause
                       |
                       v
       end of the minor collection, of the cycle, of the compaction ...
       in every domain that was stopped

   Collections that the program calls for by a function of module Gc, and the
   end of a domain, go the same way without a request: their cause is on the
   stack [called].

   All collections of several domains, and every minor collection, run in a
   stop-the-world section.  One is under way at a time, between the moment in
   which its leader is chosen and the one in which its last domain leaves, so
   there is one struct stop.  The leader fills it before it interrupts the
   other domains, which read it afterwards: the interrupt orders these. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "caml/domain.h"
#include "caml/eventring_clock.h"
#include "caml/misc.h"
#include "caml/runtime_events.h"
#include "caml/startup_aux.h"

static struct caml_eventring_asked asked_first;
struct caml_eventring_asked *caml_eventring_asked = &asked_first;

CAML_EVENTRING_COLD
void caml_eventring_init_asked(void)
{
  if (caml_eventring_asked != &asked_first) return;
  /* Memory that is not touched takes none. */
  void *all = mmap(NULL, EVENTRING_DOMAINS * sizeof(asked_first),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) caml_fatal_error("out of memory");
  caml_eventring_asked = all;
  *Caml_eventring_asked = asked_first;
}

void caml_eventring_request_slices(enum caml_eventring_cause cause)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  caml_eventring_request_slice(cause);
  if (a->slices_of_all == 0) a->slices_of_all = cause;
}

CAML_EVENTRING_COLD
void caml_eventring_gc_call_begin(enum caml_eventring_cause cause)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  /* Gc.stat calls the code of Gc.full_major. */
  if ((a->called & 0xFF) == EV_CAUSE_GC_STAT) cause = EV_CAUSE_GC_STAT;
  a->called = a->called << 8 | cause;
}

CAML_EVENTRING_COLD
void caml_eventring_gc_call_end(void)
{
  Caml_eventring_asked->called >>= 8;
}

/* Pauses */

CAML_EVENTRING_COLD
void caml_eventring_pause_begin(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (a->pause_depth++ > 0) return;
  a->paused_since = Caml_eventring_on(EVENTRING_GC) && !caml_bt_is_self()
    ? eventring_clock_ns(CLOCK_MONOTONIC) : 0;
}

CAML_EVENTRING_COLD
void caml_eventring_pause_end(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (--a->pause_depth > 0 || a->paused_since == 0
      || !Caml_eventring_on(EVENTRING_GC)) return;
  uint64_t ns =
    (uint64_t) (eventring_clock_ns(CLOCK_MONOTONIC) - a->paused_since);
  caml_eventring_add_total(EVENTRING_TOTAL_PAUSES, 1);
  caml_eventring_add_total(EVENTRING_TOTAL_PAUSED, ns);
  caml_eventring_add_total(EVENTRING_TOTAL_LONGEST, ns);
}

/* Records that the domain with the requests [a] takes part in the present
   stop-the-world section. */
static void enter_stop(struct caml_eventring_asked *a)
{
  a->in_stop = 1;
  caml_eventring_pause_begin();
}

/* Stops */

/* Largest number of arrivals of domains that are recorded for one
   stop-the-world section; further arrivals are left out. */
#define MAX_ARRIVALS 120
#define STOP_FIELDS (4 + 3 * MAX_ARRIVALS)
_Static_assert(STOP_FIELDS <= EVENTRING_MAX_PACKED, "a stop is one event");

static struct {
  uint8_t reason, cause;
  int recorded;                 /* the times below are taken */
  int32_t requester;            /* unique id of the domain */
  uint64_t requested;           /* ticks */
  _Atomic uint32_t arrivals;
  struct { int32_t domain; uint64_t ticks, left; } arrived[MAX_ARRIVALS];
} stop;

/* Returns the cause, an enum caml_eventring_cause, of the stop-the-world
   section that the domain with the requests [a] begins for the reason
   a->reason; 0 when none was recorded. */
static uint8_t cause_of_stop(struct caml_eventring_asked *a)
{
  uint8_t called = a->called & 0xFF;
  switch ((enum caml_eventring_stop) a->reason) {
  case EV_STOP_MINOR:
    return a->emptying != 0 ? a->emptying : called;
  case EV_STOP_RESERVATION:
    return called != 0 ? called : EV_CAUSE_MINOR_HEAP_SIZE;
  case EV_STOP_FINISH:
    return called;
  case EV_STOP_MAJOR_CYCLE:
    return EV_CAUSE_CYCLE_DONE;
  case EV_STOP_PHASE:
    return EV_CAUSE_PHASE_DONE;
  case EV_STOP_SLICE:
    return a->slices_of_all;
  case EV_STOP_FRAMETABLES:
    return EV_CAUSE_CODE_LOADED;
  case EV_STOP_SESSION:
    return EV_CAUSE_RING_SIZE;
  case EV_STOP_UNKNOWN:
    break;
  }
  return EV_CAUSE_UNKNOWN;
}

CAML_EVENTRING_COLD
void caml_eventring_stop_requested(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  stop.reason = a->reason;
  stop.cause = cause_of_stop(a);
  stop.requester = Caml_state->unique_id;
  if (a->reason == EV_STOP_SLICE) a->slices_of_all = 0;
  if (a->reason != EV_STOP_SLICE) enter_stop(a);
  a->reason = EV_STOP_UNKNOWN;
  atomic_store_explicit(&stop.arrivals, 0, memory_order_relaxed);
  stop.recorded = Caml_eventring_on(EVENTRING_SYNC);
  if (stop.recorded) stop.requested = caml_eventring_ticks();
}

CAML_EVENTRING_COLD
void caml_eventring_stop_arrived(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  if (!a->in_stop) enter_stop(a);
  if (!stop.recorded) return;
  uint32_t i =
    atomic_fetch_add_explicit(&stop.arrivals, 1, memory_order_relaxed);
  a->in_stop = 2 + i;
  if (i < MAX_ARRIVALS) {
    stop.arrived[i].domain = Caml_state->unique_id;
    stop.arrived[i].ticks = caml_eventring_ticks();
  }
}

/* Returns [to] - [from], or 0 if [to] is smaller: time does not go back, but
   the counters of two processors may differ by a few ticks. */
static uint64_t ticks_between(uint64_t from, uint64_t to)
{
  return to > from ? to - from : 0;
}

CAML_EVENTRING_COLD
void caml_eventring_stop_left(void)
{
  struct caml_eventring_asked *a = Caml_eventring_asked;
  /* For a slice in all domains, nobody stops. */
  if (a->in_stop == 0) return;
  if (a->in_stop >= 2 && a->in_stop - 2 < MAX_ARRIVALS)
    stop.arrived[a->in_stop - 2].left = caml_eventring_ticks();
  a->in_stop = 0;
  caml_eventring_pause_end();
}

CAML_EVENTRING_COLD
void caml_eventring_stop_end(void)
{
  uint64_t field[STOP_FIELDS];
  uint32_t n = 4;
  if (!stop.recorded || !Caml_eventring_on(EVENTRING_SYNC)) return;
  uint64_t now = caml_eventring_ticks();
  uint64_t last = 0;
  /* All were counted before they went on. */
  uint32_t arrivals =
    atomic_load_explicit(&stop.arrivals, memory_order_relaxed);
  if (arrivals > MAX_ARRIVALS) arrivals = MAX_ARRIVALS;
  for (uint32_t i = 0; i < arrivals; i++) {
    uint64_t after = ticks_between(stop.requested, stop.arrived[i].ticks);
    field[n++] = stop.arrived[i].domain;
    field[n++] = after;
    field[n++] = ticks_between(stop.arrived[i].left, now);
    if (after > last) last = after;
  }
  if (arrivals == 0 && stop.reason != EV_STOP_SLICE) {
    /* Alone: there is no barrier to arrive at. */
    field[n++] = stop.requester;
    field[n++] = 0;
    field[n++] = 0;
  }
  /* For a slice, domains are told and not stopped. */
  field[0] = stop.reason == EV_STOP_SLICE
    ? 0 : ticks_between(stop.requested + last, now);
  field[1] = stop.requester;
  field[2] = stop.reason;
  field[3] = stop.cause;
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_STOP), field, n);
}

/* Words allocated in minor heaps */

/* Returns the words that this domain has allocated in its minor heap so far.  Call
   when the domain's young_ptr is stored, as Gc.minor_words. */
CAML_EVENTRING_COLD
static uintnat minor_words(void)
{
  return Caml_state->stat_minor_words
    + (uintnat) (Caml_state->young_end - Caml_state->young_ptr);
}

/* Returns how many of the last [words] words that this domain has allocated in its
   minor heap were allocated since the session began. */
CAML_EVENTRING_COLD
static uint64_t words_in_session(uint64_t words)
{
  const uintnat all = minor_words() - Caml_eventring_asked->minor_words;
  return words < all ? words : all;
}

/* Excludes the words that [domain], the calling one, has allocated so far from
   later events.  Called by the runtime in each domain. */
CAML_EVENTRING_COLD
static void skip_words(caml_domain_state *domain, void *data, int domains,
                       caml_domain_state **all)
{
  (void) domain;
  (void) data;
  (void) domains;
  (void) all;
  /* At its begin, a program has only words that Gc counts, too. */
  if (minor_words() == 0) return;
  Caml_eventring_asked->minor_words = minor_words();
  caml_eventring_skip_direct_words();
}

CAML_EVENTRING_COLD
void caml_eventring_skip_words(void)
{
  /* No domain waits for another one here, but no collection of all domains
     begins before each has done it.  Another domain may be about to stop all. */
  while (caml_eventring_set_stop_reason(EV_STOP_SESSION),
         !caml_try_run_on_all_domains_with_spin_work(0, &skip_words, NULL, NULL,
                                                     NULL, NULL)) { }
}

/* Ends of spans */

#define END_OF(phase) \
  EVENTRING_WORD(EVENTRING_FIRST_PHASE + (phase), EVENTRING_FORM_END, 0)

/* Returns 1 if this domain has requested the present stop-the-world section, else
   0. */
static int is_requester(void)
{
  return stop.requester == Caml_state->unique_id;
}

CAML_EVENTRING_COLD
void caml_eventring_end_minor(void)
{
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_threads();
#if OCAML_VERSION < 50300
  caml_eventring_set_alloc_trigger(Caml_state);
#endif
  if (!Caml_eventring_on(EVENTRING_GC)) return;
  struct caml_eventring_asked *a = Caml_eventring_asked;
  /* The probes give bytes. */
  uint64_t field[] = { a->group[0] / sizeof(value),
                       words_in_session(a->group[1] / sizeof(value)),
                       stop.cause, stop.requester };
  caml_eventring_emit_packed(END_OF(EV_MINOR), field, 4);
  caml_eventring_add_total(EVENTRING_TOTAL_PROMOTED, field[0]);
  caml_eventring_add_total(EVENTRING_TOTAL_ALLOCATED, field[1]);
  caml_eventring_add_total(EVENTRING_TOTAL_MINOR, 1);
  if (is_requester()) caml_eventring_add_total(EVENTRING_TOTAL_MINOR_LED, 1);
}

CAML_EVENTRING_COLD
void caml_eventring_end_call(ev_runtime_phase phase)
{
  caml_eventring_emit(END_OF(phase));
  caml_eventring_add_total(EVENTRING_TOTAL_CALLS, 1);
}

CAML_EVENTRING_COLD
void caml_eventring_end_in_stop(ev_runtime_phase phase)
{
  uint64_t field[] = { stop.cause, stop.requester };
  caml_eventring_emit_packed(END_OF(phase), field, 2);
  if (!is_requester()) return;
  if (phase == EV_MAJOR_GC_CYCLE_DOMAINS)
    caml_eventring_add_total(EVENTRING_TOTAL_CYCLES, 1);
  else if (phase == EV_COMPACT)
    caml_eventring_add_total(EVENTRING_TOTAL_COMPACTIONS, 1);
}

void caml_eventring_finish_cycle_begin(void)
{
  Caml_eventring_asked->finishing = stop.cause;
}

/* Returns the words that this domain has allocated directly in the major heap since
   the last call. */
static uint64_t take_direct_words(void)
{
  const uint64_t before = Caml_eventring_asked->direct_words;
  caml_eventring_skip_direct_words();
  return ticks_between(before, Caml_eventring_asked->direct_words);
}

CAML_EVENTRING_COLD
void caml_eventring_allocated_at_end(void)
{
  if (!Caml_eventring_on(EVENTRING_GC)) return;
  uint64_t field[] = {
    words_in_session(Caml_state->young_end - Caml_state->young_ptr),
    take_direct_words()
  };
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_ALLOCATED_AT_END), field, 2);
  caml_eventring_add_total(EVENTRING_TOTAL_ALLOCATED, field[0]);
  caml_eventring_add_total(EVENTRING_TOTAL_DIRECT, field[1]);
}

CAML_EVENTRING_COLD
void caml_eventring_end_slice(void)
{
  const struct caml_eventring_asked *a = Caml_eventring_asked;
  uint32_t i = a->slices_under_way - 1;
  uint64_t field[] = {
    i < EVENTRING_NESTED_SLICES ? a->slice_cause[i] : EV_CAUSE_UNKNOWN,
    take_direct_words()
  };
  caml_eventring_emit_packed(END_OF(EV_MAJOR_SLICE), field, 2);
  caml_eventring_add_total(EVENTRING_TOTAL_SLICES, 1);
  caml_eventring_add_total(EVENTRING_TOTAL_DIRECT, field[1]);
}

/* Memory */

uint64_t caml_eventring_pools_mapped, caml_eventring_pools_unmapped;

enum { POOLS, LIVE, LARGE, FRAGMENTED, LIVE_BLOCKS, LARGE_BLOCKS };

CAML_EVENTRING_COLD
void caml_eventring_heap(void)
{
  const uint64_t *g = Caml_eventring_asked->group;
  uint64_t field[] = {
    g[POOLS], g[LIVE], g[LARGE], g[FRAGMENTED], g[LIVE_BLOCKS],
    g[LARGE_BLOCKS],
    ticks_between(g[LIVE] + g[FRAGMENTED], g[POOLS]),
    Caml_state->dependent_size,
    __atomic_load_n(&caml_eventring_pools_mapped, __ATOMIC_RELAXED),
    __atomic_load_n(&caml_eventring_pools_unmapped, __ATOMIC_RELAXED)
  };
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_HEAP), field,
                             sizeof(field) / sizeof(field[0]));
}

void caml_eventring_pacing(void)
{
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_PACING),
                             Caml_eventring_asked->group, 9);
}

CAML_EVENTRING_COLD
void caml_eventring_process_memory(void)
{
#ifdef __linux__
  static _Atomic int64_t next;          /* CLOCK_MONOTONIC_COARSE ns */
  char text[128];
  unsigned long mapped, resident;
  int64_t now = eventring_clock_ns(CLOCK_MONOTONIC_COARSE);
  int64_t due = atomic_load_explicit(&next, memory_order_relaxed);
  /* One domain a second; reading takes some microseconds. */
  if (now < due
      || !atomic_compare_exchange_strong(&next, &due, now + 1000000000))
    return;
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (n <= 0) return;
  text[n] = '\0';
  if (sscanf(text, "%lu %lu", &mapped, &resident) != 2) return;
  uint64_t page = sysconf(_SC_PAGESIZE);
  uint64_t field[] = { mapped * page, resident * page };
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_PROCESS_MEMORY), field, 2);
#endif
}
