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

/* The comparison of batches of runs, metric by metric: medians, the ratio with
   its interval, p values corrected for the number of metrics, and verdicts. */

#ifndef ANALYSIS_RUN_COMPARISON_H
#define ANALYSIS_RUN_COMPARISON_H

#include "ratio_interval.h"

enum metric_direction { METRIC_LESS_IS_BETTER, METRIC_MORE_IS_BETTER,
                        METRIC_NEUTRAL };

/* A figure of a run, such as the time it took.  When [value] is the mean of
   values inside the run, such as durations of requests, [samples] is their
   number and [variance] their variance; otherwise [samples] is 0. */
struct metric {
  const char *name, *unit;
  enum metric_direction direction;
  double value;                     /* NAN when it is not known */
  size_t samples;
  double variance;
};

/* A run: the metrics of runs may differ, and be in any order.  [round] is the
   number of the round of the batch in which it ran, [node] the number of the node, 0
   for none. */
struct run_metrics {
  const struct metric *metrics;
  size_t count;
  int64_t round;
  size_t node;
};

/* A batch, or the runs of one program in a batch. */
struct run_batch {
  const struct run_metrics *runs;
  size_t count;
};

/* A metric of batch number [batch] (B) compared with batch 0 (A).  [a_runs] and
   [b_runs] are the runs compared, which have the metric, and with [rounds] those
   whose partner of the same round has it too.  [variance_a] and [variance_b] are
   the variances between runs, of the same node, and within.  A verdict
   VERDICT_UNKNOWN without a ratio has 0 more runs: their number cannot be said. */
struct comparison_row {
  const char *name, *unit;
  enum metric_direction direction;
  size_t batch;
  size_t a_runs, b_runs;
  struct ratio_interval interval;
  double smallest_change;
  double p, adjusted_p;
  struct verdict verdict;
  struct variance_parts variance_a, variance_b;
};

struct run_comparison {
  struct comparison_row *rows;      /* by batch, then as the metrics first occur */
  size_t count;
};

/* Compares each of the batches 1 to [count] - 1 with batch 0.  [rounds]: the
   batches were interleaved in random order; runs with the same round are pairs.
   A round is made on one node.  Without rounds, runs are compared within the nodes
   that both batches have; if they share none, as if all were of one node.
   [margin]: differences below this share, such as 0.01, need not be told apart.
   All p values are corrected together.  Metrics that only one of two batches has
   get no row.  The rows point to the names and units of the runs.  The caller
   frees the result with free_run_comparison. */
struct run_comparison *compare_batches(const struct run_batch *batches,
                                       size_t count, bool rounds,
                                       double margin);
void free_run_comparison(struct run_comparison *comparison);

#endif /* ANALYSIS_RUN_COMPARISON_H */
