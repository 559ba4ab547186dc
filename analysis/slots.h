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

/* Time cut into slots, in which the live statistics count. */

#ifndef ANALYSIS_SLOTS_H
#define ANALYSIS_SLOTS_H

#include <stdint.h>

#define SLOT_NS (INT64_C(1000000000) / 4)

/* Returns the number of the slot that contains the time [ns]; 0 for a negative
   time. */
static inline uint64_t slot_number(int64_t ns)
{
  return ns < 0 ? 0 : (uint64_t) (ns / SLOT_NS);
}

/* Returns the length in nanoseconds of the time that [from, to) and [low, high)
   have in common; 0 when they do not overlap. */
static inline uint64_t overlap(int64_t from, int64_t to, int64_t low,
                               int64_t high)
{
  if (from < low) from = low;
  if (to > high) to = high;
  return from < to ? (uint64_t) to - (uint64_t) from : 0;
}

/* The shortest time over which a rate is computed, in nanoseconds. */
#define RATE_LEAST_NS INT64_C(1000000)

/* A stretch of time: the slots from [first] to [last], the latter only up to the
   time [end_ns]. */
struct stretch { uint64_t first, last; int64_t end_ns; };

/* Returns the stretch of [span_ns] nanoseconds, rounded down to whole slots,
   that ends with the last slot before the slot of [now].  The stretch begins
   with slot 0 at the earliest. */
static inline struct stretch stretch_before(int64_t now, int64_t span_ns)
{
  uint64_t end = slot_number(now), slots = (uint64_t) (span_ns / SLOT_NS);
  uint64_t last = end > 0 ? end - 1 : 0;
  return (struct stretch) { end > slots ? end - slots : 0, last,
                            (int64_t) (last + 1) * SLOT_NS };
}

static inline int64_t stretch_begin(struct stretch s)
{
  return (int64_t) s.first * SLOT_NS;
}

/* Returns the length of the stretch [s] in nanoseconds, without the time before
   [first_ns], but at least RATE_LEAST_NS. */
static inline double length_of(struct stretch s, int64_t first_ns)
{
  uint64_t ns = overlap(stretch_begin(s), s.end_ns, first_ns, INT64_MAX);
  return (double) (ns < RATE_LEAST_NS ? RATE_LEAST_NS : ns);
}

#endif /* ANALYSIS_SLOTS_H */
