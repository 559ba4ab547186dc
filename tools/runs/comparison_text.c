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

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "runs/batch.h"
#include "runs/comparison_text.h"

bool is_difference(const struct comparison_row *row)
{
  return row->verdict.kind == VERDICT_LESS || row->verdict.kind == VERDICT_MORE;
}

bool is_shown(const struct comparison_row *row)
{
  return is_main_figure(row->name) || is_difference(row);
}

bool has_interval(const struct comparison_row *row)
{
  return row->interval.low > 0 && isfinite(row->interval.high);
}

const char *verdict_name(const struct comparison_row *row)
{
  bool is_speed = row->direction == METRIC_LESS_IS_BETTER
                  && strcmp(row->unit, "ns") == 0;
  switch (row->verdict.kind) {
  case VERDICT_LESS: return is_speed ? "faster" : "less";
  case VERDICT_MORE: return is_speed ? "slower" : "more";
  case VERDICT_SAME: return "same";
  case VERDICT_UNKNOWN: break;
  }
  return "unknown";
}

const char *verdict_text(char text[VERDICT_SIZE],
                         const struct comparison_row *row)
{
  const struct verdict *v = &row->verdict;
  if (is_difference(row))
    snprintf(text, VERDICT_SIZE, "%s", verdict_name(row));
  else if (v->kind == VERDICT_SAME && v->bound > 0)
    snprintf(text, VERDICT_SIZE, "no difference larger than %.2g%%",
             100 * v->bound);
  else if (v->kind == VERDICT_SAME)
    snprintf(text, VERDICT_SIZE, "no difference");
  else if (v->runs > BATCH_RUNS)
    snprintf(text, VERDICT_SIZE, "cannot say (varies too much)");
  else if (v->runs > 0)
    snprintf(text, VERDICT_SIZE, "cannot say (run %zu more)", v->runs);
  else
    snprintf(text, VERDICT_SIZE, "cannot say");
  return text;
}

const char *share_text(char text[QUANTITY_SIZE], double share)
{
  double percent = 100 * share;
  if (!isfinite(percent)) return NULL;
  snprintf(text, QUANTITY_SIZE, percent < 99.5 ? "%.2g%%" : "%.0f%%", percent);
  return text;
}

/* Returns the greater standard deviation of the variances [a] and [b] relative
   to the medians of the row. */
static double relative_deviation(const struct comparison_row *row, double a,
                                 double b)
{
  double of_a = row->interval.median_a > 0
                ? sqrt(a) / row->interval.median_a : (double) NAN;
  double of_b = row->interval.median_b > 0
                ? sqrt(b) / row->interval.median_b : (double) NAN;
  return fmax(of_a, of_b);
}

double deviation_between(const struct comparison_row *row)
{
  return relative_deviation(row, row->variance_a.between,
                            row->variance_b.between);
}

double deviation_within(const struct comparison_row *row)
{
  return relative_deviation(row, row->variance_a.within,
                            row->variance_b.within);
}
