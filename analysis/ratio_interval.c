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
#include "rank_test.h"
#include "ratio_interval.h"

/* Quantiles of the normal distribution: 0.975, and 0.8 for the power. */
#define Z_INTERVAL 1.959964
#define Z_POWER 0.841621

/* The number of rounds with which an interval has ends. */
#define LEAST_ROUNDS 6

/* The comparisons of B with A: see rank_test_cut.  There are too many to be
   listed, so the k-th smallest is found by bisection.  With rounds, there is one
   table: [x] has the logarithms of the ratios, and a comparison is the mean of two of
   them.  Without, each node has a table: [x] has A's values and [y] has B's,
   and a comparison is a ratio.  Both are sorted, so that comparisons grow with row and
   column.  No table is empty. */
struct comparisons {
  struct table { double *x, *y; size_t rows, columns; } *tables;
  size_t count;
  bool rounds;
};

/* Adds a table for the values of one node. */
static void add_table(struct comparisons *c, const double *a, size_t a_count,
                      const double *b, size_t b_count)
{
  struct table t = { .rows = a_count, .columns = b_count };
  if (a_count == 0 || b_count == 0) return;
  t.x = allocate(t.rows, sizeof *t.x);
  t.y = allocate(t.columns, sizeof *t.y);
  for (size_t i = 0; i < t.rows; i++)
    t.x[i] = c->rounds ? log(b[i] / a[i]) : a[i];
  for (size_t j = 0; j < t.columns; j++) t.y[j] = b[j];
  sort_values(t.x, t.rows);
  sort_values(t.y, t.columns);
  c->tables[c->count++] = t;
}

static struct comparisons new_comparisons(const struct sides *sides)
{
  struct comparisons c = { .rounds = sides->rounds };
  const double *a = sides->a, *b = sides->b;
  c.tables = allocate(sides->nodes, sizeof *c.tables);
  for (size_t node = 0; node < sides->nodes; node++) {
    add_table(&c, a, sides->a_counts[node], b, sides->b_counts[node]);
    a += sides->a_counts[node];
    b += sides->b_counts[node];
  }
  return c;
}

static void free_comparisons(struct comparisons *c)
{
  for (size_t i = 0; i < c->count; i++) {
    free(c->tables[i].x);
    free(c->tables[i].y);
  }
  free(c->tables);
}

/* Returns the number of comparisons.  A mean of two rounds counts once. */
static size_t comparisons_count(const struct comparisons *c)
{
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) {
    const struct table *t = &c->tables[i];
    count += c->rounds ? t->rows * (t->rows + 1) / 2 : t->rows * t->columns;
  }
  return count;
}

static double comparison(const struct comparisons *c, const struct table *t,
                         size_t row, size_t column)
{
  return c->rounds ? (t->x[row] + t->x[column]) / 2
                   : t->y[column] / t->x[t->rows - 1 - row];
}

/* Returns the number of comparisons that are at most [limit]. */
static size_t count_up_to(const struct comparisons *c, double limit)
{
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) {
    const struct table *t = &c->tables[i];
    size_t width = t->columns;
    for (size_t row = 0; row < t->rows; row++) {
      while (width > 0 && comparison(c, t, row, width - 1) > limit) width--;
      count += c->rounds && width > row + 1 ? row + 1 : width;
    }
  }
  return count;
}

/* Returns the place of [value] in the order of all doubles. */
static uint64_t place_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double double_at(uint64_t place)
{
  uint64_t bits = place >> 63 ? place & ~(UINT64_C(1) << 63) : ~place;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Returns the logarithm of the comparison number [k], from 0, in their order. */
static double logarithm_at(const struct comparisons *c, size_t k)
{
  uint64_t low = UINT64_MAX, high = 0;
  for (size_t i = 0; i < c->count; i++) {
    const struct table *t = &c->tables[i];
    uint64_t first = place_of(comparison(c, t, 0, 0)),
      last = place_of(comparison(c, t, t->rows - 1, t->columns - 1));
    if (first < low) low = first;
    if (last > high) high = last;
  }
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (count_up_to(c, double_at(middle)) > k) high = middle;
    else low = middle + 1;
  }
  return c->rounds ? double_at(low) : log(double_at(low));
}

static bool all_positive(const double *values, size_t count)
{
  for (size_t i = 0; i < count; i++) if (!(values[i] > 0)) return false;
  return count > 0;
}

struct ratio_interval ratio_interval(const struct sides *sides)
{
  const struct sides by_node = sides_by_node(sides);
  struct ratio_interval r = {
    .median_a = median_of(sides->a, sides->a_count),
    .median_b = median_of(sides->b, sides->b_count),
    .ratio = NAN, .low = 0, .high = INFINITY };
  if (!all_positive(sides->a, sides->a_count)
      || !all_positive(sides->b, sides->b_count))
    return r;

  struct comparisons c = new_comparisons(&by_node);
  size_t count = comparisons_count(&c);
  size_t cut = sides->rounds ? rank_test_cut(sides->a_count, sides->b_count, true)
    : rank_test_cut_on_nodes(by_node.a_counts, by_node.b_counts, by_node.nodes);
  if (count > 0)
    r.ratio = exp((logarithm_at(&c, (count - 1) / 2)
                   + logarithm_at(&c, count / 2)) / 2);
  if (cut > 0) {
    /* The ends themselves are inside. */
    r.low = exp(logarithm_at(&c, cut - 1));
    r.high = exp(logarithm_at(&c, count - cut));
  }
  free_comparisons(&c);
  return r;
}

/* Returns half the width of the interval, as a logarithm. */
static double half_width(const struct ratio_interval *interval)
{
  return log(interval->high / interval->low) / 2;
}

static bool is_finite(const struct ratio_interval *interval)
{
  return interval->low > 0 && interval->high < INFINITY;
}

double smallest_change(const struct ratio_interval *interval)
{
  if (!is_finite(interval)) return INFINITY;
  return expm1(half_width(interval) / Z_INTERVAL * (Z_INTERVAL + Z_POWER));
}

size_t runs_needed(const struct ratio_interval *interval, size_t runs,
                   double precision)
{
  if (!is_finite(interval)) return runs < LEAST_ROUNDS ? LEAST_ROUNDS - runs : 1;
  double times = half_width(interval) / log1p(precision);
  double more = ceil((double) runs * (times * times - 1));
  return more <= 0 ? 0 : more < 1e9 ? (size_t) more : 1000000000;
}

struct verdict ratio_verdict(const struct ratio_interval *interval,
                             double adjusted_p, size_t runs, double margin)
{
  if (adjusted_p <= 0.05 && interval->high < 1)
    return (struct verdict) { .kind = VERDICT_LESS };
  if (adjusted_p <= 0.05 && interval->low > 1)
    return (struct verdict) { .kind = VERDICT_MORE };
  double bound = fmax(interval->high, 1 / interval->low) - 1;
  if (bound <= margin)
    return (struct verdict) { .kind = VERDICT_SAME, .bound = bound };
  size_t more = runs_needed(interval, runs, margin);
  return (struct verdict) { .kind = VERDICT_UNKNOWN, .runs = more > 0 ? more : 1 };
}
