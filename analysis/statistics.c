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
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "statistics.h"

uint64_t generate(struct generator *generator)
{
  uint64_t z = generator->state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

/* The product is biased by less than 2^-32, too little for any test to see. */
size_t generate_below(struct generator *generator, size_t limit)
{
  return (size_t) ((generate(generator) >> 32) * limit >> 32);
}

static int compare_values(const void *x, const void *y)
{
  double a = *(const double *) x, b = *(const double *) y;
  return (a > b) - (a < b);
}

void sort_values(double *values, size_t count)
{
  if (count > 1) qsort(values, count, sizeof *values, compare_values);
}

double quantile_of_sorted(const double *sorted, size_t count, double q)
{
  if (count == 0) return NAN;
  double place = q * (double) (count - 1);
  size_t below = (size_t) place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below]
         + (place - (double) below) * (sorted[below + 1] - sorted[below]);
}

double median_of(const double *values, size_t count)
{
  if (count == 0) return NAN;
  double *sorted = allocate(count, sizeof *sorted);
  memcpy(sorted, values, count * sizeof *sorted);
  sort_values(sorted, count);
  double median = quantile_of_sorted(sorted, count, 0.5);
  free(sorted);
  return median;
}

double normal_tails(double z)
{
  return erfc(fabs(z) / sqrt(2));
}

static double mean_of(const struct run_values *run)
{
  double sum = 0;
  for (size_t i = 0; i < run->count; i++) sum += run->values[i];
  return sum / (double) run->count;
}

/* The mean square within runs estimates [within]; the mean square between runs
   estimates [within] + size * [between], where size is the number of values of
   a run, or with unequal runs the number for which that equation holds. */
struct variance_parts variance_parts(const struct run_values *runs,
                                     size_t count)
{
  double total = 0, values = 0, squares = 0, inside = 0, outside = 0;
  size_t filled = 0;
  for (size_t i = 0; i < count; i++) {
    if (runs[i].count == 0) continue;
    double n = (double) runs[i].count, mean = mean_of(&runs[i]);
    filled++;
    values += n;
    squares += n * n;
    total += n * mean;
    for (size_t j = 0; j < runs[i].count; j++)
      inside += (runs[i].values[j] - mean) * (runs[i].values[j] - mean);
  }
  double mean = total / values;
  for (size_t i = 0; i < count; i++)
    if (runs[i].count > 0) {
      double off = mean_of(&runs[i]) - mean;
      outside += (double) runs[i].count * off * off;
    }

  struct variance_parts parts = { NAN, NAN };
  if (values > (double) filled) parts.within = inside / (values - (double) filled);
  if (filled > 1) {
    double size = (values - squares / values) / (double) (filled - 1);
    double within = isnan(parts.within) ? 0 : parts.within;
    parts.between = (outside / (double) (filled - 1) - within) / size;
    if (parts.between < 0) parts.between = 0;
  }
  return parts;
}

/* The number of values below the median is binomial.  The interval from the
   value of rank r to the one of rank count + 1 - r misses the median with the
   probability 2 P(fewer than r). */
double median_precision(double *values, size_t count)
{
  sort_values(values, count);
  if (count < 6) return INFINITY;
  double term = count <= 1000 ? ldexp(1, -(int) count) : 0, sum = term;
  size_t rank = 0;                /* from 1 */
  if (count <= 1000)
    while (sum <= 0.025 && rank < count / 2) {
      rank++;
      term *= (double) (count - rank + 1) / (double) rank;
      sum += term;
    }
  else                            /* the normal distribution is close enough,
                                     and [term] is 0 */
    rank = (size_t) ((double) count / 2 - 0.98 * sqrt((double) count));
  if (rank == 0) return INFINITY;
  double median = quantile_of_sorted(values, count, 0.5);
  return median > 0 ? (values[count - rank] - values[rank - 1]) / 2 / median
                    : INFINITY;
}

void adjust_p_values(double *p, size_t count)
{
  double *sorted = allocate(count, sizeof *sorted);
  size_t tests = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(p[i])) sorted[tests++] = p[i];
  sort_values(sorted, tests);

  /* The adjusted value of the k-th smallest is the least p * tests / rank of it
     and all above it. */
  double *adjusted = allocate(tests, sizeof *adjusted);
  double least = 1;
  for (size_t k = tests; k > 0; k--) {
    double here = sorted[k - 1] * (double) tests / (double) k;
    if (here < least) least = here;
    adjusted[k - 1] = least;
  }
  for (size_t i = 0; i < count; i++)
    if (!isnan(p[i])) {
      const double *found = bsearch(&p[i], sorted, tests, sizeof *sorted,
                                    compare_values);
      p[i] = adjusted[found - sorted];
    }
  free(adjusted);
  free(sorted);
}

struct sides sides_by_node(const struct sides *sides)
{
  struct sides result = *sides;
  if (result.nodes > 0) return result;
  result.nodes = 1;
  result.a_counts = &sides->a_count;
  result.b_counts = &sides->b_count;
  return result;
}
