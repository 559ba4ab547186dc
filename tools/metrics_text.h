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


/* The totals of a process in the text format of Prometheus, version 0.0.4. */

#ifndef TOOLS_METRICS_TEXT_H
#define TOOLS_METRICS_TEXT_H

#include <stdio.h>
#include "summary.h"

struct metrics;

/* Creates the metrics of [summary], which must stay valid.  Never returns NULL.
   The caller frees them with free_metrics. */
struct metrics *new_metrics(struct summary *summary);
void free_metrics(struct metrics *m);

/* Prints all of the summary to [out] as metrics: counters of the events since
   the summary was created, gauges of the present state.  A counter never
   becomes smaller from one call to the next.  The number of series is bounded:
   METRICS_NAMES spans, waits and requests, the most frequent of the first call
   first, have a series of their own, all others share the name "(other)". */
void print_metrics(FILE *out, struct metrics *m);

#define METRICS_NAMES 100

#endif /* TOOLS_METRICS_TEXT_H */
