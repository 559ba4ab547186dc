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

/* A distribution of durations in constant memory: 64 buckets of equal width
   for each power of two, so that a percentile is right to 1 %. */

#ifndef ANALYSIS_HISTOGRAM_H
#define ANALYSIS_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 6
#define HISTOGRAM_SUB (1 << HISTOGRAM_SUB_BITS)
/* Buckets reach up to 2^42 ns, 73 minutes; longer durations fall into the last
   one.  The maximum and the total are exact all the same. */
#define HISTOGRAM_TOP_BIT 42
#define HISTOGRAM_BUCKETS \
  ((HISTOGRAM_TOP_BIT - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

struct histogram {
  uint64_t count;
  uint64_t total;
  uint64_t max;
  uint32_t buckets[HISTOGRAM_BUCKETS];
};

/* Adds the duration [ns], in nanoseconds, to the histogram.  A struct of zeros
   is an empty histogram. */
void histogram_add(struct histogram *h, uint64_t ns);

/* Adds all durations of [other] to [h]. */
void histogram_merge(struct histogram *h, const struct histogram *other);

/* Returns the duration that the share [q] (0 to 1) of all durations in [h] do
   not exceed, such as the median for 0.5.  The result is in nanoseconds, right
   to 1 % if it is below 2^42 ns, and never more than the maximum, which is the
   result for 1; 0 when [h] is empty. */
uint64_t histogram_quantile(const struct histogram *h, double q);

/* Returns the standard deviation of the durations in [h] from their mean, by the
   middles of the buckets; 0 for less than two durations. */
double histogram_deviation(const struct histogram *h);

/* Returns how many durations in [h] are at most [ns], right to the bucket in
   which [ns] falls. */
uint64_t histogram_at_most(const struct histogram *h, uint64_t ns);

/* Return the smallest duration that falls into bucket [bucket], and the
   duration in the middle of the bucket, in nanoseconds.  [bucket] must be less
   than HISTOGRAM_BUCKETS; for histogram_low it may be HISTOGRAM_BUCKETS, the
   end of the last bucket. */
uint64_t histogram_low(uint32_t bucket);
uint64_t histogram_middle(uint32_t bucket);

#endif /* ANALYSIS_HISTOGRAM_H */
