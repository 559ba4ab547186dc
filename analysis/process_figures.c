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

/* See process_figures.h. */

#include <math.h>
#include "memory.h"
#include "process_figures.h"

const char *const figure_names[FIGURES] = {
  [FIGURE_LONGEST] = "longest_pause_ns", [FIGURE_P99] = "p99_pause_ns",
  [FIGURE_COLLECTING] = "collecting",
  [FIGURE_ALLOCATION] = "alloc_bytes_per_s", [FIGURE_LOST] = "lost"
};

struct process_figures *new_process_figures(struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  struct process_figures *f = allocate(1, sizeof *f);
  const struct summary_tally tally = summary_tally(s, NULL, summary_until(s));
  f->pauses = n->pauses[PAUSE_ANY];
  f->time_ns = n->last_ns > n->first_ns
               ? (uint64_t) n->last_ns - (uint64_t) n->first_ns : 0;
  f->watched_ns = tally.watched_ns;
  f->gc_ns = tally.gc_ns;
  f->allocated_bytes = 8 * all_allocated_words(&tally);
  return f;
}

void add_process_figures(struct process_figures *f,
                         const struct process_figures *other)
{
  histogram_merge(&f->pauses, &other->pauses);
  f->time_ns += other->time_ns;
  f->watched_ns += other->watched_ns;
  f->gc_ns += other->gc_ns;
  f->allocated_bytes += other->allocated_bytes;
  f->events += other->events;
  f->lost += other->lost;
}

/* Returns [n] / [of]; NAN when [of] is 0. */
static double share_of(double n, double of)
{
  return of > 0 ? n / of : NAN;
}

double process_figure(const struct process_figures *f, enum figure figure)
{
  switch (figure) {
  case FIGURE_LONGEST: return f->pauses.count > 0 ? (double) f->pauses.max : NAN;
  case FIGURE_P99:
    return f->pauses.count > 0 ? (double) histogram_quantile(&f->pauses, 0.99)
                               : NAN;
  case FIGURE_COLLECTING:
    return share_of((double) f->gc_ns, (double) f->watched_ns);
  case FIGURE_ALLOCATION:
    return share_of((double) f->allocated_bytes, (double) f->time_ns / 1e9);
  default:
    return share_of((double) f->lost, (double) f->events + (double) f->lost);
  }
}
