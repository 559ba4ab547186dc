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
#include "change_points.h"
#include "memory.h"
#include "rank_test.h"

/* A value that differs from those before and those after by so many times the
   noise is an outlier. */
#define OUTLIER 4

/* The limits of the three judges: the difference of means and the step next to a
   straight line, both in standard errors, and the p value of the rank test.
   testsuite/statistics/calibrate_changes.c measures how often they err. */
#define LEAST_MEANS 5.5
#define LEAST_BESIDE_LINE 5.2
#define MOST_RANK_P 0.01

/* The lags for which neighbours are taken to have something in common. */
#define LAGS 5

/* The most permutations: p values as small as 0.0001 survive a correction for
   hundreds of figures.  So many results as extreme as the real one end the test
   sooner (Besag and Clifford, 1991). */
#define PERMUTATIONS 9999
#define ENOUGH_EXTREME 20

/* The points of one machine, without outliers.  [where] has their indices in the
   whole series, [ends] the changes found, by index in here, between 0 and
   [count], which are the first and the last. */
struct series {
  double *y;
  size_t *where;
  size_t count;
  size_t *ends;
  size_t end_count;
  double white;               /* the variance of one value */
  double noise;               /* the variance of a mean times its number of
                                 values: more than [white] when neighbours have
                                 something in common */
};

static double sum_of(const double *y, size_t from, size_t to)
{
  double sum = 0;
  for (size_t i = from; i < to; i++) sum += y[i];
  return sum;
}

/* Returns the standard deviation of independent normal values for which the third
   quartile of the distances of neighbours is the same as in [y]; when it is 0,
   the mean distance is taken. */
static double neighbour_noise(const double *y, size_t count)
{
  if (count < 2) return 0;
  double *off = allocate(count - 1, sizeof *off);
  for (size_t i = 0; i + 1 < count; i++) off[i] = fabs(y[i + 1] - y[i]);
  sort_values(off, count - 1);
  double noise = quantile_of_sorted(off, count - 1, 0.75) / 1.1503 / sqrt(2);
  if (noise == 0)
    noise = sum_of(off, 0, count - 1) / (double) (count - 1) * sqrt(M_PI) / 2;
  free(off);
  return noise;
}

/* Returns how far [value] is above the median of [count] values, or with [sign]
   -1, below; INFINITY without values. */
static double distance(double value, const double *y, size_t count, double sign)
{
  return count == 0 ? INFINITY : sign * (value - median_of(y, count));
}

/* Returns whether y[i] is far from the medians of the three values before and
   the three after, on the same side of both. */
static bool is_outlier(const double *y, size_t count, size_t i, double noise)
{
  size_t first = i < 3 ? 0 : i - 3;
  size_t end = i + 4 > count ? count : i + 4;
  double above = fmin(distance(y[i], y + first, i - first, 1),
                      distance(y[i], y + i + 1, end - i - 1, 1));
  double below = fmin(distance(y[i], y + first, i - first, -1),
                      distance(y[i], y + i + 1, end - i - 1, -1));
  return fmax(above, below) > OUTLIER * noise;
}

/* Returns the split of y[from..to) with the largest difference of means, in
   units of the standard error for independent values with variance 1; *size is
   that difference.  The sides have at least [before] and [after] values. */
static size_t best_split(const double *y, size_t from, size_t to, size_t before,
                         size_t after, double *size)
{
  double all = sum_of(y, from, to), left = sum_of(y, from, from + before - 1);
  double n = (double) (to - from);
  size_t best = from + before;
  *size = -1;
  for (size_t i = from + before; i + after <= to; i++) {
    left += y[i - 1];
    double l = (double) (i - from), r = n - l;
    double here = fabs(left / l - (all - left) / r) * sqrt(l * r / n);
    if (here > *size) {
      *size = here;
      best = i;
    }
  }
  return best;
}

/* Fills [rest] with the values less the level of their segment and less the slope
   that all segments have in common. */
static void take_levels_away(const struct series *s, double *rest)
{
  double slope = 0, times = 0;
  for (size_t e = 0; e + 1 < s->end_count; e++) {
    size_t from = s->ends[e], to = s->ends[e + 1];
    double mean = sum_of(s->y, from, to) / (double) (to - from);
    double middle = (double) (from + to - 1) / 2;
    for (size_t i = from; i < to; i++) {
      rest[i] = s->y[i] - mean;
      slope += rest[i] * ((double) i - middle);
      times += ((double) i - middle) * ((double) i - middle);
    }
  }
  slope /= times;
  for (size_t e = 0; e + 1 < s->end_count; e++) {
    double middle = (double) (s->ends[e] + s->ends[e + 1] - 1) / 2;
    for (size_t i = s->ends[e]; i < s->ends[e + 1]; i++)
      rest[i] -= slope * ((double) i - middle);
  }
}

/* Sets the noise: from the rest after the levels are taken away, the variance
   with the covariances of neighbours (Newey and West, 1987).  Each level and the
   slope explain one value. */
static void measure_noise(struct series *s)
{
  double *rest = allocate(s->count, sizeof *rest);
  double covariance[LAGS + 1] = { 0 };
  take_levels_away(s, rest);
  for (size_t lag = 0; lag <= LAGS && lag < s->count; lag++)
    for (size_t i = lag; i < s->count; i++)
      covariance[lag] += rest[i] * rest[i - lag];
  free(rest);

  double free_values = (double) (s->count - s->end_count);
  double sum = covariance[0];
  for (size_t lag = 1; lag <= LAGS; lag++)
    sum += 2 * (1 - (double) lag / (LAGS + 1)) * covariance[lag];
  s->white = fmax(covariance[0] / free_values, 1e-18);
  s->noise = fmax(sum / free_values, s->white);
}

/* Returns the step at [at] of y[from..to) in standard errors, when a straight
   line through all values may explain a part of it: the regression on the step
   after the line was taken out of both. */
static double beside_line(const struct series *s, size_t from, size_t at,
                          size_t to)
{
  double n = (double) (to - from), times = 0, steps = 0, values = 0;
  for (size_t i = from; i < to; i++) {
    times += (double) (i - from) / n;
    steps += (double) (i >= at) / n;
    values += s->y[i] / n;
  }
  double tt = 0, ts = 0, ss = 0, ty = 0, sy = 0;
  for (size_t i = from; i < to; i++) {
    double t = (double) (i - from) - times, step = (i >= at) - steps;
    double y = s->y[i] - values;
    tt += t * t;
    ts += t * step;
    ss += step * step;
    ty += t * y;
    sy += step * y;
  }
  double left = ss - ts * ts / tt;
  return fabs(sy - ts * ty / tt) / sqrt(left * s->noise);
}

/* Returns how convincing the change number [e] is: the lowest mark that a judge
   gives, which is the number measured divided by the limit; 1 convinces. */
static double judge(const struct series *s, size_t e)
{
  size_t from = s->ends[e - 1], at = s->ends[e], to = s->ends[e + 1];
  double l = (double) (at - from), r = (double) (to - at);
  double means = fabs(sum_of(s->y, from, at) / l - sum_of(s->y, at, to) / r)
                 / sqrt(s->noise * (1 / l + 1 / r));
  struct sides sides = { .a = s->y + from, .b = s->y + at,
                         .a_count = at - from, .b_count = to - at };
  double p = rank_test_correlated(&sides, s->noise / s->white);
  double verdict = fmin(means / LEAST_MEANS,
                        beside_line(s, from, at, to) / LEAST_BESIDE_LINE);
  if (at - from < CHANGE_STAYS) verdict /= CHANGE_SOONER;
  return p <= MOST_RANK_P ? verdict : fmin(verdict, 0.5);
}

static void remove_end(struct series *s, size_t e)
{
  memmove(s->ends + e, s->ends + e + 1,
          (s->end_count - e - 1) * sizeof *s->ends);
  s->end_count--;
}

static void add_end(struct series *s, size_t at)
{
  size_t e = 0;
  while (s->ends[e] < at) e++;
  memmove(s->ends + e + 1, s->ends + e, (s->end_count - e) * sizeof *s->ends);
  s->ends[e] = at;
  s->end_count++;
}

/* Returns how many values there must be before the end [end]. */
static size_t least_before(const struct series *s, size_t end)
{
  return end == s->count ? CHANGE_LEAST : CHANGE_STAYS;
}

/* Returns how many values there must be after the end [end]. */
static size_t least_after(size_t end)
{
  return end == 0 ? CHANGE_LEAST : CHANGE_STAYS;
}

/* Returns whether there are enough values between [at] and each end. */
static bool has_room(const struct series *s, size_t at)
{
  for (size_t e = 0; e < s->end_count; e++)
    if (at < s->ends[e] ? at + least_before(s, s->ends[e]) > s->ends[e]
                        : at < s->ends[e] + least_after(s->ends[e]))
      return false;
  return true;
}

/* A place for a change, and its difference of means as best_split has it. */
struct proposal {
  double size;
  size_t at;
};

/* Takes the best split of the interval if it is better than [best].  Of an
   interval with a change inside, only the longer side is looked at. */
static void propose_in(const struct series *s, size_t begin, size_t end,
                       struct proposal *best)
{
  for (size_t e = 0; e < s->end_count; e++)
    if (s->ends[e] > begin && s->ends[e] < end) {
      if (s->ends[e] - begin > end - s->ends[e]) end = s->ends[e];
      else begin = s->ends[e];
    }
  if (end < begin + 2 * CHANGE_LEAST) return;
  double size;
  size_t at = best_split(s->y, begin, end, CHANGE_LEAST, CHANGE_LEAST, &size);
  if (size > best->size && has_room(s, at))
    *best = (struct proposal) { size, at };
}

/* Adds the likeliest changes, more than will stay.  They are looked for in many
   intervals, of lengths that fall by a third and that overlap by two thirds
   (seeded binary segmentation, Kovács and others, 2023), so that a change does
   not hide another one. */
static void propose(struct series *s)
{
  double noise = neighbour_noise(s->y, s->count);
  size_t most = s->count / 20 + 1;
  while (s->end_count - 2 < most) {
    struct proposal best = { 3.5 * noise, 0 };
    for (size_t length = s->count; length >= CHANGE_STAYS + CHANGE_LEAST;
         length = length * 2 / 3) {
      for (size_t begin = 0; begin + length < s->count; begin += length / 3)
        propose_in(s, begin, begin + length, &best);
      propose_in(s, s->count - length, s->count, &best);
    }
    if (best.at == 0) return;
    add_end(s, best.at);
  }
}

/* Moves each change to the best place between its neighbours. */
static void settle(struct series *s)
{
  for (size_t e = 1; e + 1 < s->end_count; e++) {
    double size;
    size_t to = s->ends[e + 1];
    s->ends[e] = best_split(s->y, s->ends[e - 1], to,
                            least_after(s->ends[e - 1]), least_before(s, to), &size);
  }
}

/* Takes back the changes that do not convince, the worst one first: the noise
   grows with each. */
static void prune(struct series *s)
{
  while (s->end_count > 2) {
    settle(s);
    measure_noise(s);
    double least = INFINITY;
    size_t worst = 0;
    for (size_t e = 1; e + 1 < s->end_count; e++) {
      double here = judge(s, e);
      if (here < least) {
        least = here;
        worst = e;
      }
    }
    if (least >= 1) return;
    remove_end(s, worst);
  }
  measure_noise(s);
}

/* Returns the p value of the difference of means at [at] of y[from..to): blocks
   of values are permuted, as long as neighbours have something in common, and
   the best split of each permutation is compared. */
static double permutation_p(const struct series *s, size_t from, size_t at,
                            size_t to, struct generator *generator)
{
  size_t count = to - from, block = (size_t) (s->noise / s->white + 0.5);
  if (block > count / 10) block = count / 10;
  if (block < 1) block = 1;
  size_t blocks = (count + block - 1) / block, extreme = 0, tried = 0;
  double size, l = (double) (at - from), r = (double) (to - at);
  double real = fabs(sum_of(s->y, from, at) / l - sum_of(s->y, at, to) / r)
                * sqrt(l * r / (l + r));
  double *y = allocate(count, sizeof *y);
  size_t *order = allocate(blocks, sizeof *order);
  for (size_t i = 0; i < blocks; i++) order[i] = i;
  while (tried < PERMUTATIONS && extreme < ENOUGH_EXTREME) {
    size_t made = 0;
    for (size_t j = blocks; j > 0; j--) {
      size_t k = generate_below(generator, j), chosen = order[k];
      order[k] = order[j - 1];
      order[j - 1] = chosen;
      for (size_t v = chosen * block; v < (chosen + 1) * block && v < count; v++)
        y[made++] = s->y[from + v];
    }
    best_split(y, 0, count, least_after(from), least_before(s, to), &size);
    extreme += size >= real * (1 - 1e-9);
    tried++;
  }
  free(order);
  free(y);
  return extreme == ENOUGH_EXTREME ? (double) extreme / (double) tried
                                   : (double) (extreme + 1) / (PERMUTATIONS + 1);
}

/* Returns by how much more the squares of y[from..to) sum up when the change is
   at [at]: less a constant. */
static double misfit(const struct series *s, size_t from, size_t at, size_t to)
{
  double a = sum_of(s->y, from, at), b = sum_of(s->y, at, to);
  return -a * a / (double) (at - from) - b * b / (double) (to - at);
}

static struct change_point describe(const struct series *s, size_t e,
                                    struct generator *generator)
{
  size_t from = s->ends[e - 1], at = s->ends[e], to = s->ends[e + 1];
  size_t low = at, high = at;
  /* Of a normal distribution: twice the logarithm of the ratio of likelihoods,
     below its quantile 0.95. */
  double most = misfit(s, from, at, to) + 3.84 * s->noise;
  while (low > from + 1 && misfit(s, from, low - 1, to) < most) low--;
  while (high + 1 < to && misfit(s, from, high + 1, to) < most) high++;
  return (struct change_point) {
    .index = s->where[at], .low = s->where[low], .high = s->where[high],
    .before = s->where[low - 1],
    .step = expm1(median_of(s->y + at, to - at)
                  - median_of(s->y + from, at - from)),
    .confidence = 1 - permutation_p(s, from, at, to, generator)
  };
}

/* Fills [s], which has room for [count] points, with the points of [machine]. */
static void take_machine(struct series *s, const struct series_point *points,
                         const double *medians, size_t count, uint32_t machine,
                         bool *outliers)
{
  s->count = 0;
  for (size_t i = 0; i < count; i++)
    if (points[i].machine == machine && medians[i] > 0) {
      s->where[s->count] = i;
      s->y[s->count++] = log(medians[i]);
    }
  double noise = neighbour_noise(s->y, s->count);
  for (size_t i = 0; i < s->count; i++)
    outliers[s->where[i]] = is_outlier(s->y, s->count, i, noise);
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++)
    if (!outliers[s->where[i]]) {
      s->where[kept] = s->where[i];
      s->y[kept++] = s->y[i];
    }
  s->count = kept;
  s->ends[0] = 0;
  s->ends[1] = kept;
  s->end_count = 2;
}

static int compare_changes(const void *x, const void *y)
{
  size_t a = ((const struct change_point *) x)->index;
  size_t b = ((const struct change_point *) y)->index;
  return (a > b) - (a < b);
}

static bool seen_before(const struct series_point *points, size_t i)
{
  for (size_t j = 0; j < i; j++)
    if (points[j].machine == points[i].machine) return true;
  return false;
}

struct change_points *find_change_points(const struct series_point *points,
                                         size_t count, uint64_t seed)
{
  struct change_points *changes = allocate(1, sizeof *changes);
  struct generator generator = { seed };
  double *medians = allocate(count, sizeof *medians);
  struct series s = { .y = allocate(count, sizeof *s.y),
                      .where = allocate(count, sizeof *s.where),
                      .ends = allocate(count + 2, sizeof *s.ends) };
  changes->outliers = allocate(count, sizeof *changes->outliers);
  changes->list = allocate(count, sizeof *changes->list);
  for (size_t i = 0; i < count; i++) {
    medians[i] = median_of(points[i].values, points[i].count);
    changes->outliers[i] = !(medians[i] > 0);
  }
  for (size_t i = 0; i < count; i++) {
    if (seen_before(points, i)) continue;
    take_machine(&s, points, medians, count, points[i].machine,
                 changes->outliers);
    if (s.count < CHANGE_STAYS + CHANGE_LEAST) continue;
    propose(&s);
    prune(&s);
    for (size_t e = 1; e + 1 < s.end_count; e++)
      changes->list[changes->count++] = describe(&s, e, &generator);
  }
  if (changes->count > 1)
    qsort(changes->list, changes->count, sizeof *changes->list, compare_changes);
  free(s.ends);
  free(s.where);
  free(s.y);
  free(medians);
  return changes;
}

void free_change_points(struct change_points *changes)
{
  if (changes == NULL) return;
  free(changes->list);
  free(changes->outliers);
  free(changes);
}

size_t next_positions(const struct change_point *change,
                      const struct series_point *points, int64_t *positions,
                      size_t room)
{
  uint32_t machine = points[change->index].machine;
  size_t made = 0;
  /* The middle of each gap, the one before [index] first. */
  for (int pass = 0; pass < 2; pass++) {
    size_t left = change->before;
    for (size_t i = left + 1; i <= change->high; i++) {
      if (points[i].machine != machine) continue;
      int64_t gap = points[i].position - points[left].position;
      if ((i == change->index) == (pass == 0) && gap > 1 && made < room)
        positions[made++] = points[left].position + gap / 2;
      left = i;
    }
  }
  if (made > 0 || change->low == change->high) return made;
  for (size_t i = change->low; i <= change->high && made < room; i++)
    if (points[i].machine == machine) positions[made++] = points[i].position;
  return made;
}
