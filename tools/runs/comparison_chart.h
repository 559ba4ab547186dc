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

/* The drawing of one figure of a comparison: the runs of both sides, their
   medians and the interval of the ratio on one axis. */

#ifndef TOOLS_RUNS_COMPARISON_CHART_H
#define TOOLS_RUNS_COMPARISON_CHART_H

#include <stdio.h>
#include "run_comparison.h"
#include "runs/groups.h"

/* Prints an element svg of HTML for [row]: the values of the figure in the runs
   of [base] and of [group], divided by the median of the base.  Prints nothing
   when the row has no ratio. */
void print_chart(FILE *out, const struct comparison_row *row,
                 const struct run_group *base, const struct run_group *group);

#endif /* TOOLS_RUNS_COMPARISON_CHART_H */
