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

/* Alarms: signals by the time of day, for samples of threads that work in step with
   the ticks of the system, where perf_event_open is not allowed.

   Such a signal interrupts a system call that sleeps.  So the alarm of a thread runs
   only while the thread has the domain lock: it is stopped before each blocking
   section and each yield.  The time outside is left to ticks:

       thread    |== OCaml ==|-- blocking section --|==== OCaml ====|--
       alarm     |------>    stop                   |----> *
       ticks          .    .    .    *    .    .    .    .    .    .
                              only those here are samples

   System calls that C code makes with the domain lock are interrupted when they sleep,
   at most twice each, so alarms must be asked for.

   An alarm is set for the processor time that is left up to the next sample.  It
   comes too early when the thread did not have the processor all the time, and is set
   again for the rest; or by the next tick of the thread, if the thread sleeps. */

#define CAML_INTERNALS
#define _GNU_SOURCE

#include "eventring_internal.h"

#ifdef EVENTRING_SAMPLES

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "caml/eventring_clock.h"

COLD
int caml_ring_open_alarm(struct caml_ring_alarm *a, int tid, int signal)
{
  struct sigevent event = { .sigev_signo = signal };
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_value.sival_ptr = a;
  event._sigev_un._tid = tid;
  if (timer_create(CLOCK_MONOTONIC, &event, &a->timer) != 0) return 0;
  a->passed = 0;
  a->thinning = (struct caml_ring_thinning) {
    .random = (uint64_t) tid << 32 ^ eventring_clock_ns(CLOCK_MONOTONIC)
  };
  a->tid = tid;
  return 1;
}

COLD
void caml_ring_close_alarm(struct caml_ring_alarm *a)
{
  if (a->tid == 0) return;
  a->wanted = a->runs = a->tid = 0;
  timer_delete(a->timer);
}

/* Sets the alarm [a] of the calling thread to [ns] from now; 0 stops it.  Should the
   program take the signal, another one follows after a second. */
static void set(struct caml_ring_alarm *a, int64_t ns)
{
  const struct itimerspec spec = {
    { ns != 0, 0 }, { ns / 1000000000, ns % 1000000000 }
  };
  timer_settime(a->timer, 0, &spec, NULL);
}

static int64_t processor_time(void)
{
  return eventring_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the ns of processor time up to the next sample, at least 1. */
static int64_t time_left(struct caml_ring_alarm *a)
{
  const int64_t left = (int64_t) caml_ring_next_moment(&a->thinning,
                                                       caml_ring_sample_period())
                       + 1 - a->passed;
  return left < 1 ? 1 : left;
}

void caml_ring_stop_alarm(void)
{
  struct caml_ring_alarm *a = caml_ring_self.alarm;
  const int error = errno;
  if (a->tid != (int) caml_ring_os_thread_id()) return;
  a->sections++;
  if (a->runs) {
    /* From here on the handler leaves it alone. */
    a->runs = 0;
    a->passed += processor_time() - a->seen;
    set(a, 0);
  }
  errno = error;
}

void caml_ring_run_alarm(void)
{
  struct caml_ring_alarm *a = caml_ring_self.alarm;
  const int error = errno;
  if (!a->wanted || a->runs || a->tid != (int) caml_ring_os_thread_id()) return;
  const int64_t left = time_left(a);
  a->seen = processor_time();
  a->early = a->asleep = 0;
  a->runs = 1;
  set(a, left);
  /* The handler may have ended it between these two. */
  if (!a->runs) set(a, 0);
  errno = error;
}

uint64_t caml_ring_take_alarm(struct caml_ring_alarm *a)
{
  if (!a->runs) return 0;
  const int64_t now = processor_time(), used = now - a->seen;
  const uint64_t ns = caml_ring_thin(&a->thinning, (uint64_t) (a->passed + used));
  a->passed = 0;
  a->seen = now;
  const int64_t left = time_left(a);
  if (ns == 0 && used < left / 8) {
    /* It did not run: it waits for the processor, or has slept since the alarm
       before, which came too early too. */
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    a->asleep = a->early && usage.ru_nvcsw != a->sleeps;
    a->sleeps = usage.ru_nvcsw;
    a->early = 1;
  } else {
    a->early = a->asleep = 0;
  }
  a->runs = a->wanted;
  set(a, a->runs && !a->asleep ? left : 0);
  return ns;
}

void caml_ring_wake_alarm(struct caml_ring_alarm *a)
{
  if (!a->asleep) return;
  a->early = a->asleep = 0;
  const int64_t now = processor_time();
  a->passed += now - a->seen;
  a->seen = now;
  set(a, time_left(a));
}

#endif
