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

#include <string.h>
#include "summary_total.h"
#include "target.h"

/* Adds each amount of [t] to the same amount of [sum]. */
static void add_tally(struct summary_tally *sum, const struct summary_tally *t)
{
  uint64_t sums[SUMMARY_AMOUNTS], amounts[SUMMARY_AMOUNTS];
  memcpy(sums, sum, sizeof sums);
  memcpy(amounts, t, sizeof amounts);
  for (size_t i = 0; i < SUMMARY_AMOUNTS; i++) sums[i] += amounts[i];
  memcpy(sum, sums, sizeof sums);
}

void add_to_total(struct summary_total *total, struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  const int64_t until_ns = summary_until(s);
  const struct summary_tally tally = summary_tally(s, NULL, until_ns);
  const struct summary_time time = summary_time(s, NULL, until_ns);
  total->time.known = time.known && (total->processes == 0
                                     || total->time.known);
  total->tells_major = summary_tells_major(s) && (total->processes == 0
                                                  || total->tells_major);
  total->processes++;
  total->lost += lost_events(n->cursor);
  if (target_info(n->cursor).lost_is_bound) total->lost_is_bound = true;
  add_tally(&total->tally, &tally);
  total->time.watched_ns += time.watched_ns;
  total->time.running_ns += time.running_ns;
  total->time.collecting_ns += time.collecting_ns;
  total->time.waiting_ns += time.waiting_ns;
  for (int pause = 0; pause < PAUSES; pause++)
    histogram_merge(&total->pauses[pause], &n->pauses[pause]);
  histogram_merge(&total->arrivals, &n->arrivals);
}
