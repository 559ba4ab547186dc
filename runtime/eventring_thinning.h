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
   moments of several periods represents all of them.  The moments are chosen in
   advance, so a timer can pass over the ticks between them.

   While only ticks in the kernel are wanted, because events have the time in user
   mode, this does not do: the clocks of a thread tell how many ticks hit it in the
   kernel, but not which.  So a signal at the tick that has a moment chosen reads
   the clocks, and one at the next tick reads them again:

       moment                x                          x
       tick        |    |    |    |    |    |    |    |    |    |
                   user      ker. user           user user ker.
       sample                                              *

   A tick in the kernel that is found so is a sample of all ticks in the kernel
   since the last such sample.  That prefers no tick, since these moments have no
   memory: whether a tick has one does not depend on how long ago the last was.

   The signals of an event take time in the kernel, too: 2 % of a thread that is
   sampled 1000 times a second.  If a tick has hit that, its time is not of the place
   that was interrupted, which may be in step with the ticks, but of all hits: it is
   shared among those that follow. */

#ifndef CAML_EVENTRING_THINNING_H
#define CAML_EVENTRING_THINNING_H

#include <stdint.h>

/* Of one thread; all zeros, but for [random], before caml_ring_next_moment. */
struct caml_ring_thinning {
  uint64_t random;              /* any number, another for each thread */
  uint64_t period;              /* ns */
  uint64_t chosen;              /* ns from now to the next moment chosen... */
  uint64_t end;                 /* ...and to the end of its period */
  uint64_t look;                /* ns from now to the next tick at which the clocks
                                   are read, for ticks in the kernel */
  int64_t kernel;               /* ns of ticks in the kernel since the last sample */
  int take;                     /* the next tick is a sample if in the kernel */
  uint64_t shared;              /* ns of the hits that follow */
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

/* Makes samples represent [period] ns from now on.  Returns the ns from now to the
   next moment chosen: the first tick that ends after it is a sample. */
static inline uint64_t caml_ring_next_moment(struct caml_ring_thinning *t,
                                             uint64_t period)
{
  if (t->period == 0) {
    t->end = period;
    t->chosen = caml_ring_random_below(&t->random, period);
  } else if (t->period != period) {
    /* The same part of a period is over. */
    t->end = caml_ring_scale(t->end, period, t->period);
    t->chosen = caml_ring_scale(t->chosen, period, t->period);
  }
  t->period = period;
  return t->chosen;
}

/* Takes the next [ns] of time, one tick or several.  Returns the ns that their
   sample represents, a multiple of the period; 0: they are no sample. */
static inline uint64_t caml_ring_thin(struct caml_ring_thinning *t, uint64_t ns)
{
  uint64_t sampled = 0;
  if (ns > t->end) {
    /* Whole periods, with a moment each. */
    sampled = (ns - t->end) / t->period * t->period;
    ns -= sampled;
  }
  while (t->chosen < ns) {
    sampled += t->period;
    t->chosen = t->end + caml_ring_random_below(&t->random, t->period);
    t->end += t->period;
  }
  t->chosen -= ns;
  t->end -= ns;
  return sampled;
}

/* Returns a random time without memory, of [mean] ns on average. */
static inline uint64_t caml_ring_random_gap(uint64_t *state, uint64_t mean)
{
  const uint64_t step = mean / 64;
  uint64_t ns = caml_ring_random_below(state, step);
  while (caml_ring_random_below(state, 64) != 0) ns += step;
  return ns;
}

/* Returns the ns from now to the end of the next tick for caml_ring_thin_kernel. */
static inline uint64_t caml_ring_next_look(const struct caml_ring_thinning *t)
{
  return t->take ? 0 : t->look;
}

/* Takes the next [ns] of ticks, of which [kernel] are in the kernel.  Returns the ns
   that a sample at the last of them represents; 0: it is no sample.  Ticks are
   looked at each [mean] ns, on average. */
static inline uint64_t caml_ring_thin_kernel(struct caml_ring_thinning *t,
                                             uint64_t ns, int64_t kernel,
                                             uint64_t mean)
{
  uint64_t sampled = 0;
  if (ns == 0) return 0;
  t->kernel += kernel;
  if (t->take && kernel > 0 && t->kernel > 0) {
    sampled = (uint64_t) t->kernel;
    t->kernel = 0;
  }
  t->take = t->look < ns;
  if (t->take) t->look = caml_ring_random_gap(&t->random, mean);
  else t->look -= ns;
  return sampled;
}

/* Returns the ns that a hit of an event with this [period] represents. */
static inline uint64_t caml_ring_take_share(struct caml_ring_thinning *t,
                                            uint64_t period)
{
  uint64_t share = period / 16;
  if (share > t->shared) share = t->shared;
  t->shared -= share;
  return period + share;
}

#endif /* CAML_EVENTRING_THINNING_H */
