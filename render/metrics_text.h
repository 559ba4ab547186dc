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

/* Metrics in the text format of Prometheus, version 0.0.4. */

#ifndef RENDER_METRICS_TEXT_H
#define RENDER_METRICS_TEXT_H

#include <stdio.h>
#include "metrics.h"

/* Prints the metrics to [out], as write_metrics says. */
void print_metrics(FILE *out, struct metrics *m);

#endif /* RENDER_METRICS_TEXT_H */
