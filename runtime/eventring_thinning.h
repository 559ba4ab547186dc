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

/* Which ticks of the system become samples.

   Time is cut into periods.  In each period one moment is chosen at random, and
   the tick that has this moment becomes a sample, which represents a period:

       period      |     x        |  x           |         x    |
       tick        |    |    |    |    |    |    |    |    |    |
       sample            *         *                       *

   So a tick stands on average for its own time, whatever the thread did before,
   and samples are spread evenly (stratified sampling).  A tick that has the
   moments of several periods represents all of them. */

#ifndef CAML_EVENTRING_THINNING_H
#define CAML_EVENTRING_THINNING_H

#include <stdint.h>

/* Of one thread; all zeros, but for [random], before its first tick. */
struct caml_ring_thinning {
  uint64_t random;              /* any number, another for each thread */
  uint64_t period;              /* ns; 0: no tick yet */
  uint64_t chosen;              /* ns from now to the next moment chosen... */
  uint64_t end;                 /* ...and to the end of its period */
};

/* Returns a random number below [n] (Steele, Lea, Flood: SplitMix, 2014). */
static inline uint64_t caml_ring_random_below(uint64_t *state, uint64_t n)
{
  uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  x ^= x >> 31;
  return (uint64_t) ((unsigned __int128) x * n >> 64);
}

/* Returns x * to / from; not by integers of 128 bits, whose division is a
   kilobyte of code. */
static inline uint64_t caml_ring_scale(uint64_t x, uint64_t to, uint64_t from)
{
  return (uint64_t) ((double) x * (double) to / (double) from);
}

/* Takes the next [ns] of time, one tick or several.  Returns the ns that their
   sample represents, a multiple of [period]; 0: they are no sample. */
static inline uint64_t caml_ring_thin(struct caml_ring_thinning *t, uint64_t ns,
                                      uint64_t period)
{
  uint64_t sampled = 0;
  if (t->period == 0) {
    t->end = period;
    t->chosen = caml_ring_random_below(&t->random, period);
  } else if (t->period != period) {
    /* The same part of a period is over. */
    t->end = caml_ring_scale(t->end, period, t->period);
    t->chosen = caml_ring_scale(t->chosen, period, t->period);
  }
  t->period = period;
  if (ns > t->end) {
    /* Whole periods, with a moment each. */
    sampled = (ns - t->end) / period * period;
    ns -= sampled;
  }
  while (t->chosen < ns) {
    sampled += period;
    t->chosen = t->end + caml_ring_random_below(&t->random, period);
    t->end += period;
  }
  t->chosen -= ns;
  t->end -= ns;
  return sampled;
}

#endif /* CAML_EVENTRING_THINNING_H */
