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

#include "recent_times.h"

/* Leaves out the times before number [i] of the list. */
static void outside(const struct recent_times *times, uint32_t i, int64_t from_ns,
                    int64_t to_ns, take_time *take, void *state)
{
  for (; i < RECENT_TIMES; i++) {
    const int64_t from = times->list[i].from_ns, to = times->list[i].to_ns;
    if (to <= from_ns || from >= to_ns) continue;
    if (from > from_ns) outside(times, i + 1, from_ns, from, take, state);
    if (to < to_ns) outside(times, i + 1, to, to_ns, take, state);
    return;
  }
  take(state, from_ns, to_ns);
}

void outside_recent_times(const struct recent_times *times, int64_t from_ns,
                          int64_t to_ns, take_time *take, void *state)
{
  if (from_ns < to_ns) outside(times, 0, from_ns, to_ns, take, state);
}

void add_recent_time(struct recent_times *times, int64_t from_ns, int64_t to_ns,
                     take_time *take, void *state)
{
  if (from_ns >= to_ns) return;
  outside(times, 0, from_ns, to_ns, take, state);
  const uint32_t i = times->count++ % RECENT_TIMES;
  times->list[i].from_ns = from_ns;
  times->list[i].to_ns = to_ns;
}
