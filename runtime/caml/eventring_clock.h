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

/* The clocks that count ticks, for the writer and for readers that take a pair
   of their own.  Needs no OCaml header. */

#ifndef CAML_EVENTRING_CLOCK_H
#define CAML_EVENTRING_CLOCK_H

#include <stdint.h>
#include <time.h>
#include "eventring_format.h"

/* The counter that this architecture can read from user code, 0 if none. */
#if defined(__x86_64__)
#define EVENTRING_HARDWARE_CLOCK EVENTRING_CLOCK_TSC
#elif defined(__aarch64__)
#define EVENTRING_HARDWARE_CLOCK EVENTRING_CLOCK_CNTVCT
#else
#define EVENTRING_HARDWARE_CLOCK 0
#endif

/* Returns the present time of the system's clock [clock], in ns; 0 if there is
   no such clock. */
static inline int64_t eventring_clock_ns(clockid_t clock)
{
  struct timespec t = { 0, 0 };
  clock_gettime(clock, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns the present value of the processor's counter, in ticks; 0 on an
   architecture without EVENTRING_HARDWARE_CLOCK.  The processor may reorder the
   read with the instructions around it: a few ns of uncertainty are cheaper
   than a fence. */
static inline uint64_t eventring_hardware_ticks(void)
{
#if defined(__x86_64__)
  uint32_t lo, hi;
  __asm__ volatile ("rdtsc" : "=a" (lo), "=d" (hi));
  return (uint64_t) hi << 32 | lo;
#elif defined(__aarch64__)
  uint64_t t;
  __asm__ volatile ("mrs %0, cntvct_el0" : "=r" (t));
  return t;
#else
  return 0;
#endif
}

/* Returns the present time in ticks of [clock], an enum eventring_clock: the
   processor's counter, or ns of CLOCK_MONOTONIC.  Cheap: the processor predicts
   the test, which has the same result each time. */
static inline uint64_t eventring_ticks(uint32_t clock)
{
  if (__builtin_expect(clock != EVENTRING_CLOCK_MONOTONIC, 1))
    return eventring_hardware_ticks();
  return (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
}

/* Returns the present time on all clocks: in ticks of [clock], an enum
   eventring_clock, and in ns of CLOCK_MONOTONIC and CLOCK_REALTIME.  Reads the
   first two clocks 8 times and takes the fastest reading, since an interrupt
   may occur between the two. */
static inline struct eventring_instant eventring_now(uint32_t clock)
{
  struct eventring_instant best = { 0, 0, 0 };
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 8; i++) {
    uint64_t before = eventring_ticks(clock);
    int64_t ns = eventring_clock_ns(CLOCK_MONOTONIC);
    uint64_t after = eventring_ticks(clock);
    if (after - before < width) {
      width = after - before;
      best.ticks = before + width / 2;
      best.monotonic_ns = ns;
    }
  }
  /* Read last and carried back, so that the pair above stays tight. */
  int64_t mono = eventring_clock_ns(CLOCK_MONOTONIC);
  best.realtime_ns =
    eventring_clock_ns(CLOCK_REALTIME) - (mono - best.monotonic_ns);
  return best;
}

#endif /* CAML_EVENTRING_CLOCK_H */
