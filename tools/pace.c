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

#include "pace.h"

/* The shortest sleep is what the system's timers can do.  A domain needs two
   milliseconds at least to fill a ring of the default size, unless it does
   nothing else. */
#define SHORTEST_NS (50 * 1000)
#define LONGEST_NS (2 * 1000 * 1000)

struct pace new_pace(uint64_t ring_words)
{
  return (struct pace) { .ring_words = ring_words, .sleep_ns = SHORTEST_NS };
}

long next_sleep(struct pace *pace, uint64_t words)
{
  if (words > pace->ring_words / 10)
    pace->sleep_ns /= 2;
  else if (words < pace->ring_words / 40)
    pace->sleep_ns += pace->sleep_ns / 2;
  if (pace->sleep_ns < SHORTEST_NS) pace->sleep_ns = SHORTEST_NS;
  if (pace->sleep_ns > LONGEST_NS) pace->sleep_ns = LONGEST_NS;
  return pace->sleep_ns;
}
