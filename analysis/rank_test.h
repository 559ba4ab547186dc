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

/* Rank tests of whether program B takes as much as program A.  Ranks do not
   depend on the distribution of the values, and one slow run counts as one slow
   run, however slow. */

#ifndef ANALYSIS_RANK_TEST_H
#define ANALYSIS_RANK_TEST_H

#include "statistics.h"

/* Returns the two-sided p value of [sides]: with rounds, Wilcoxon's signed-rank
   test of the logarithms of B / A, or of the differences B - A if not all values
   are above 0; without, the test of Mann and Whitney, for which values of several nodes
   have ranks within their node, and the sums of all nodes are added.  Equal values share
   their mean rank; rounds of equal values are left out.

   The p value is exact, also with equal values, for at most RANK_TEST_EXACT
   rounds, or runs in all; above, it comes from the normal distribution, corrected
   for equal values and for continuity.  Returns NAN when a side has no values, 1
   when all values are equal. */
double rank_test(const struct sides *sides);

#define RANK_TEST_EXACT 60

/* Returns how many of the sorted comparisons of B with A are cut off at each end
   to leave the interval of 95 %: the test finds a
   difference at 5 % when the rank sum is that extreme.  With rounds, the
   comparisons are the a * (a + 1) / 2 means of two rounds, the same one twice
   included; without, the a * b pairs of runs.  Returns 0 for too few runs. */
size_t rank_test_cut(size_t a_count, size_t b_count, bool rounds);

/* Returns the same, without rounds, for values of several nodes: the comparisons are
   the pairs of runs of one node, and the test adds up the statistics of Mann and
   Whitney of all nodes. */
size_t rank_test_cut_on_nodes(const size_t *a_counts, const size_t *b_counts,
                              size_t nodes);

/* Returns the two-sided p value of the test of Mann and Whitney, for values that
   are correlated in time: from a normal distribution with [inflation] times the
   variance of independent values. */
double rank_test_correlated(const struct sides *sides, double inflation);

#endif /* ANALYSIS_RANK_TEST_H */
