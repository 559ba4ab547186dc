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

/* The format: a line for each step of the percentile, with five steps on each
   half of the rest of the way to 100, so that the steps become finer; several
   lines may have the same value.  Then three lines that sum up. */

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include "hgrm.h"

#define NS_A_MS 1e6
#define STEPS_A_HALF 5

/* Returns the percentile of the line after the line for percentile [level]. */
static double next_level(double level)
{
  double halves = level < 100 ? floor(log2(100 / (100 - level))) : 0;
  return level + 100 / (STEPS_A_HALF * exp2(halves + 1));
}

/* Prints the line for percentile [level]: [count] durations are at most [value]
   nanoseconds. */
static void print_level(FILE *out, uint64_t value, double level,
                        uint64_t count)
{
  fprintf(out, "%12.6f %14.12f %10" PRIu64, (double) value / NS_A_MS,
          level / 100, count);
  if (level < 100) fprintf(out, " %14.2f", 1 / (1 - level / 100));
  putc('\n', out);
}

/* Returns the standard deviation of the durations in [h], which must not be
   empty, in nanoseconds, from the middles of the buckets and their mean
   [mean]. */
static double deviation(const struct histogram *h, double mean)
{
  double sum = 0;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    double off = (double) histogram_middle(i) - mean;
    sum += off * off * h->buckets[i];
  }
  return sqrt(sum / (double) h->count);
}

void print_hgrm(FILE *out, const struct histogram *h)
{
  double level = 0, mean = 0, off = 0;
  uint64_t seen = 0;
  fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
          "1/(1-Percentile)");
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    if (h->buckets[i] == 0) continue;
    seen += h->buckets[i];
    double reached = 100 * (double) seen / (double) h->count;
    uint64_t value = histogram_low(i + 1) - 1;
    if (value > h->max) value = h->max;
    /* The last bucket has one line, and the line of percentile 100. */
    for (bool last = false; !last && level <= reached && level < 100;
         level = next_level(level)) {
      print_level(out, value, level, seen);
      last = seen == h->count;
    }
  }
  if (h->count > 0) {
    print_level(out, h->max, 100, h->count);
    mean = (double) h->total / (double) h->count;
    off = deviation(h, mean);
  }
  fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n",
          mean / NS_A_MS, off / NS_A_MS);
  fprintf(out, "#[Max     = %12.6f, Total count    = %12" PRIu64 "]\n",
          (double) h->max / NS_A_MS, h->count);
  fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n",
          HISTOGRAM_TOP_BIT - HISTOGRAM_SUB_BITS, 2 * HISTOGRAM_SUB);
}
