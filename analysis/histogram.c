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
#include "histogram.h"

/* Returns the bucket of the duration [ns].  Values below HISTOGRAM_SUB have a
   bucket each.  Above, a value with [top] as its highest bit falls into the
   octave top - HISTOGRAM_SUB_BITS + 1, and the HISTOGRAM_SUB_BITS bits that
   follow the highest choose the bucket in the octave. */
static uint32_t bucket_of(uint64_t ns)
{
  if (ns < HISTOGRAM_SUB) return (uint32_t) ns;
  if (ns >> HISTOGRAM_TOP_BIT != 0) return HISTOGRAM_BUCKETS - 1;
  uint32_t top = 63 - (uint32_t) __builtin_clzll(ns);
  uint32_t shift = top - HISTOGRAM_SUB_BITS;
  return (shift + 1) * HISTOGRAM_SUB
         + (uint32_t) (ns >> shift & (HISTOGRAM_SUB - 1));
}

uint64_t histogram_low(uint32_t bucket)
{
  if (bucket < HISTOGRAM_SUB) return bucket;
  uint32_t shift = bucket / HISTOGRAM_SUB - 1;
  return (uint64_t) (HISTOGRAM_SUB + bucket % HISTOGRAM_SUB) << shift;
}

uint64_t histogram_middle(uint32_t bucket)
{
  uint64_t low = histogram_low(bucket);
  return low + (histogram_low(bucket + 1) - low) / 2;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
  h->count++;
  h->total += ns;
  if (ns > h->max) h->max = ns;
  h->buckets[bucket_of(ns)]++;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
  h->count += other->count;
  h->total += other->total;
  if (other->max > h->max) h->max = other->max;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
    h->buckets[i] += other->buckets[i];
}

uint64_t histogram_quantile(const struct histogram *h, double q)
{
  if (h->count == 0) return 0;
  /* The rank of the one looked for, from 1. */
  double exact = q * (double) h->count;
  uint64_t rank = (uint64_t) exact;
  if ((double) rank < exact || rank == 0) rank++;

  uint64_t seen = 0;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    seen += h->buckets[i];
    if (seen >= rank) {
      uint64_t middle = histogram_middle(i);
      /* The largest one is known exactly. */
      return seen == h->count && rank == h->count ? h->max
           : middle < h->max ? middle : h->max;
    }
  }
  return h->max;
}

double histogram_deviation(const struct histogram *h)
{
  if (h->count < 2) return 0;
  double mean = (double) h->total / (double) h->count, squares = 0;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    uint64_t middle = histogram_middle(i);
    /* A duration that is longer than all buckets is taken as the longest. */
    double ns = (double) (i == HISTOGRAM_BUCKETS - 1 || middle > h->max
                          ? h->max : middle);
    squares += (double) h->buckets[i] * (ns - mean) * (ns - mean);
  }
  return sqrt(squares / (double) (h->count - 1));
}

uint64_t histogram_at_most(const struct histogram *h, uint64_t ns)
{
  uint64_t count = 0;
  for (uint32_t i = 0; i <= bucket_of(ns); i++) count += h->buckets[i];
  return count;
}
