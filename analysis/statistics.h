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

/* Statistics of values measured in several runs of a program: quantiles, the
   variance within and between runs, the correction of many p values; and random
   numbers that a seed determines, so that a result can be had again.

   The tests that compare two programs are in rank_test.h, the interval of the
   ratio of two programs in ratio_interval.h. */

#ifndef ANALYSIS_STATISTICS_H
#define ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generator of random numbers: SplitMix64 (Steele, Lea and Flood, 2014).  The
   seed is the state; any number is a good one. */
struct generator {
  uint64_t state;
};

/* Returns the next 64 random bits. */
uint64_t generate(struct generator *generator);

/* Returns a random number below [limit], which must be from 1 to 2^32. */
size_t generate_below(struct generator *generator, size_t limit);

/* Sorts [values] in ascending order. */
void sort_values(double *values, size_t count);

/* Returns the quantile [q] (0 to 1) of [sorted], values in ascending order,
   interpolated between two of them; NAN when [count] is 0. */
double quantile_of_sorted(const double *sorted, size_t count, double q);

/* Returns the median of [values], in any order; NAN when [count] is 0. */
double median_of(const double *values, size_t count);

/* Sorts [values] and returns half the width of an interval that contains the
   median of their distribution with a probability of 95 %, relative to their
   median; INFINITY for fewer than 6. */
double median_precision(double *values, size_t count);

/* Returns the probability that a normal variable is farther than [z] standard
   deviations from its mean, on either side. */
double normal_tails(double z);

/* Measurements of two programs, A and B, one value a run.  [rounds]: the runs
   were interleaved in random order, and a[i] and b[i] are of round i; then both
   counts must be equal.  Runs of one round had the same conditions, so that
   only their differences count; without rounds, slow changes of the machine
   count as variance.

   Without rounds, the values of both may be of several nodes, machines that differ:
   then [nodes] is their number, and [a] and [b] have a_counts[0] and b_counts[0]
   values of the first node, then those of the next one.  Values are compared within
   nodes only. */
struct sides {
  const double *a, *b;
  size_t a_count, b_count;
  bool rounds;
  const size_t *a_counts, *b_counts;
  size_t nodes;                   /* 0: one, without counts */
};

/* Returns [sides], which must stay valid, with the counts of its nodes. */
struct sides sides_by_node(const struct sides *sides);

/* Values measured within one run, such as the durations of its requests. */
struct run_values {
  const double *values;
  size_t count;
};

/* The variance of values within one run, and of the means of runs around their
   common mean, less the part that the variance within runs explains. */
struct variance_parts {
  double within, between;
};

/* Returns both variances of [runs], by the analysis of variance with random
   effects.  [within] is NAN when no run has two values, [between] when there
   are not two runs with values. */
struct variance_parts variance_parts(const struct run_values *runs,
                                     size_t count);

/* Replaces [count] p values by adjusted ones (Benjamini and Hochberg, 1995):
   of the tests with an adjusted value of at most 0.05, at most 5 % are expected
   to be false alarms.  Values that are NAN stay, and do not count as tests. */
void adjust_p_values(double *p, size_t count);

#endif /* ANALYSIS_STATISTICS_H */
