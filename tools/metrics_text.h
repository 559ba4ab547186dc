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

/* Prints all of [s] to [out] as metrics: counters of what was seen since [s]
   was created, gauges of the present state.  The number of series is bounded
   whatever the process does: spans, waits and requests beyond the
   METRICS_NAMES most frequent share the name "(other)". */
void print_metrics(FILE *out, struct summary *s);

#define METRICS_NAMES 100

#endif /* TOOLS_METRICS_TEXT_H */
