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

#include "poll_interval.h"

/* The shortest sleep is the limit of the system's timers.  A domain needs two
   milliseconds at least to fill a ring of the default size, unless it does
   nothing else. */
#define SHORTEST_NS 50000
#define LONGEST_NS 2000000

long poll_interval_ns(uint64_t ring_words, uint64_t words, int64_t passed)
{
  double ns = words == 0 ? LONGEST_NS
    : (double) ring_words / 4 * (double) passed / (double) words;
  return ns < SHORTEST_NS ? SHORTEST_NS
       : ns > LONGEST_NS ? LONGEST_NS : (long) ns;
}
