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

/* The ratio of two programs, B / A, with an interval of 95 %, and the
   conclusions from it.

   The unit is the run.  With rounds, each round has a ratio; the estimate is the
   median of the geometric means of all two rounds (Hodges and Lehmann, 1963),
   and the interval has the ratios that the signed-rank test does not refute at
   5 %.  Without rounds, it is the median of the ratios of each run of B to each
   of A, and the test of Mann and Whitney.  So the interval agrees with the p
   value of rank_test; its 95 % are exact for any distribution; no random numbers
   are needed.

   Intervals by bootstrap, which draws runs with replacement, were measured first,
   on 1,000 batches of real runs for each of 12 figures.  For the ratio of medians
   of continuous figures, the percentile interval that draws rounds contains the
   true ratio in 93 to 95 % of batches of 5 to 6 rounds and in 97 to 98.5 % of 15
   to 40; BCa (Efron, 1987) in 87 to 90 % of 5 and 90.5 to 92.5 % of 8 to 10; the
   percentile interval that does not know rounds in 97 to 99.5 %.  For the
   estimate above, both bootstraps cover in 87 % of 6 rounds, 93 % of 10 and
   94.5 % of 40.  The interval of the ratio of medians is 1.2 to 1.6 times as wide
   as this one, so it needs up to twice as many runs.
   testsuite/statistics/calibrate.c measures the coverage of this one. */

#ifndef ANALYSIS_RATIO_INTERVAL_H
#define ANALYSIS_RATIO_INTERVAL_H

#include "statistics.h"

/* [ratio] is the estimate of B / A, which may differ a little from the ratio of
   the medians of both sides.  [low] and [high] are the ends of the interval, from
   0 to INFINITY when there are too few runs: less than 6 rounds, or without
   rounds such as 3 and 4 runs.  With several nodes, the estimate is the median of the
   ratios of runs of the same node, and rank_test_cut_on_nodes gives the interval. */
struct ratio_interval {
  double median_a, median_b;
  double ratio, low, high;
};

/* Returns the interval for [sides].  The ratio is NAN, and the interval from 0
   to INFINITY, when a side has no values or a value is not above 0. */
struct ratio_interval ratio_interval(const struct sides *sides);

/* Returns the smallest change, as a share such as 0.01, that a batch with this
   interval would show in 80 % of cases; INFINITY when there are too few runs. */
double smallest_change(const struct ratio_interval *interval);

/* Returns the number of runs for each side, in addition to the [runs] there are,
   with which the interval should reach no farther than the share [precision]
   from the ratio.  The width is taken to fall with the root of the number of
   runs; when the interval is infinite, the result is the number of runs for a
   finite one. */
size_t runs_needed(const struct ratio_interval *interval, size_t runs,
                   double precision);

enum verdict_kind {
  VERDICT_LESS,             /* B takes less than A */
  VERDICT_MORE,             /* B takes more than A */
  VERDICT_SAME,             /* no difference larger than [bound] */
  VERDICT_UNKNOWN           /* cannot say: run [runs] more of each */
};

struct verdict {
  enum verdict_kind kind;
  double bound;             /* of VERDICT_SAME, a share such as 0.01 */
  size_t runs;              /* of VERDICT_UNKNOWN */
};

/* Returns the verdict on [runs] runs of each side: a difference when
   [adjusted_p], of adjust_p_values, is at most 0.05 and 1 is outside the
   interval; otherwise no difference when the whole interval is within the share
   [margin] of 1. */
struct verdict ratio_verdict(const struct ratio_interval *interval,
                             double adjusted_p, size_t runs, double margin);

#endif /* ANALYSIS_RATIO_INTERVAL_H */
