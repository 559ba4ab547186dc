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

/* The processor's counter, for single operations: instructions before a reading
   have finished when the counter is read, and later ones have not begun.  A
   clock where the processor has no such counter. */

#ifndef MEASURE_H
#define MEASURE_H

#include <caml/eventring_clock.h>

#if defined(__x86_64__)
#define FENCE "lfence"
#elif defined(__aarch64__)
#define FENCE "isb"
#else
#define FENCE ""
#endif

static inline int64_t fenced_ticks(void)
{
  __asm__ volatile (FENCE ::: "memory");
  uint64_t t = eventring_ticks(EVENTRING_HARDWARE_CLOCK != 0
                               ? EVENTRING_HARDWARE_CLOCK
                               : EVENTRING_CLOCK_MONOTONIC);
  __asm__ volatile (FENCE ::: "memory");
  return (int64_t) t;
}

#endif /* MEASURE_H */
