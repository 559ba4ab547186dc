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

/* The quantile 0.975 of the normal distribution. */
#define Z_95 1.959964

/* A value of which the rank is looked for.  [rank2] is twice the rank, which is
   an integer even for the mean rank of equal values. */
struct ranked {
  double value;
  size_t rank2;
  bool counts;              /* in the sum of ranks: of B, or a positive one */
  size_t node;
};

static int compare_ranked(const void *x, const void *y)
{
  double a = ((const struct ranked *) x)->value;
  double b = ((const struct ranked *) y)->value;
  return (a > b) - (a < b);
}

/* Sorts [list] and sets the ranks. */
static void rank_all(struct ranked *list, size_t count)
{
  if (count > 1) qsort(list, count, sizeof *list, compare_ranked);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && list[end].value == list[i].value; end++);
    for (size_t j = i; j < end; j++) list[j].rank2 = i + end + 1;
  }
}

static size_t sum_of_counting(const struct ranked *list, size_t count)
{
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) if (list[i].counts) sum += list[i].rank2;
  return sum;
}

/* Returns the share of [ways], of the sums 0 to [most], that lies at least
   as far from [mean] as [sum]. */
static double tails(const double *ways, size_t most, size_t sum, double mean)
{
  double off = fabs((double) sum - mean), share = 0, all = 0;
  for (size_t s = 0; s <= most; s++) {
    all += ways[s];
    if (fabs((double) s - mean) >= off - 1e-9) share += ways[s];
  }
  return fmin(share / all, 1);
}

/* Returns the p value of a [sum] of doubled ranks with that mean and
   variance. */
static double normal_p(size_t sum, double mean, double variance)
{
  /* Half a rank, for continuity. */
  double off = fabs((double) sum - mean) - 1;
  if (variance <= 0) return 1;
  return off <= 0 ? 1 : normal_tails(off / sqrt(variance));
}

/* Returns the number of ways in which some of the ranks have the sum s, for each
   s up to [most].  The caller frees the result. */
static double *ways_to_sign(const struct ranked *list, size_t count, size_t most)
{
  double *ways = allocate(most + 1, sizeof *ways);
  ways[0] = 1;
  for (size_t i = 0; i < count; i++)
    for (size_t s = most; s >= list[i].rank2; s--)
      ways[s] += ways[s - list[i].rank2];
  return ways;
}

static double signed_rank(struct ranked *list, size_t count)
{
  rank_all(list, count);
  size_t sum = sum_of_counting(list, count), most = count * (count + 1);
  double mean = (double) most / 2, variance = 0;
  if (count == 0) return 1;
  if (count > RANK_TEST_EXACT) {
    for (size_t i = 0; i < count; i++)
      variance += (double) list[i].rank2 * (double) list[i].rank2 / 4;
    return normal_p(sum, mean, variance);
  }
  double *ways = ways_to_sign(list, count, most);
  double p = tails(ways, most, sum, mean);
  free(ways);
  return p;
}

static double paired_test(const struct sides *sides)
{
  struct ranked *list = allocate(sides->a_count, sizeof *list);
  size_t count = 0;
  bool positive = true;
  for (size_t i = 0; i < sides->a_count; i++)
    positive &= sides->a[i] > 0 && sides->b[i] > 0;
  for (size_t i = 0; i < sides->a_count; i++) {
    double off = positive ? log(sides->b[i] / sides->a[i])
                          : sides->b[i] - sides->a[i];
    if (off != 0)
      list[count++] = (struct ranked) { fabs(off), 0, off > 0, 0 };
  }
  double p = signed_rank(list, count);
  free(list);
  return p;
}

/* Returns the length of the part at the begin of [list] that is of one node. */
static size_t node_length(const struct ranked *list, size_t count)
{
  size_t length = 0;
  while (length < count && list[length].node == list[0].node) length++;
  return length;
}

/* The number of values of a node, and of B's values among them. */
struct node_counts { size_t all, b; double mean; };

/* Returns the counts of the [all] values of one node at [list], and the mean of
   their doubled ranks. */
static struct node_counts node_counts(const struct ranked *list, size_t all)
{
  struct node_counts n = { .all = all };
  size_t sum = 0;
  for (size_t i = 0; i < all; i++) {
    n.b += list[i].counts;
    sum += list[i].rank2;
  }
  n.mean = (double) sum / (double) all;
  return n;
}

/* Adds the [all] ranks of a node at [list] to the choices.  [ways] has the number of
   ways for each sum below [width]; the sum of all ranks so far is [reached]. */
static void choose_in_node(const struct ranked *list, size_t all, double *ways,
                           size_t width, size_t reached)
{
  size_t b = node_counts(list, all).b;
  /* Row k is for k of the ranks seen so far. */
  double *rows = allocate((b + 1) * width, sizeof *rows);
  memcpy(rows, ways, width * sizeof *rows);
  for (size_t i = 0; i < all; i++) {
    reached += list[i].rank2;
    for (size_t k = i + 1 < b ? i + 1 : b; k > 0; k--) {
      double *to = rows + k * width, *from = to - width;
      for (size_t s = list[i].rank2; s <= reached; s++)
        to[s] += from[s - list[i].rank2];
    }
  }
  memcpy(ways, rows + b * width, width * sizeof *rows);
  free(rows);
}

/* Returns the number of ways in which as many of the ranks of each node as are of B have
   the sum s, for each s up to all * (all + 1).  The nodes follow each other.  The
   caller frees the result. */
static double *ways_to_choose(const struct ranked *list, size_t all)
{
  size_t width = all * (all + 1) + 1, reached = 0;
  double *ways = allocate(width, sizeof *ways);
  ways[0] = 1;
  for (size_t i = 0, length; i < all; i += length) {
    length = node_length(list + i, all - i);
    choose_in_node(list + i, length, ways, width, reached);
    for (size_t k = i; k < i + length; k++) reached += list[k].rank2;
  }
  return ways;
}

/* Sets *mean and *variance of the sum of the doubled ranks of B.  Equal values make the
   variance smaller. */
static void moments_of_sum(const struct ranked *list, size_t all, double *mean,
                           double *variance)
{
  *mean = *variance = 0;
  for (size_t i = 0, length; i < all; i += length) {
    length = node_length(list + i, all - i);
    struct node_counts n = node_counts(list + i, length);
    double squares = 0;
    for (size_t k = i; k < i + length; k++)
      squares += ((double) list[k].rank2 - n.mean)
                 * ((double) list[k].rank2 - n.mean);
    *mean += (double) n.b * n.mean;
    if (n.all > 1)
      *variance += (double) n.b * (double) (n.all - n.b) * squares
                   / ((double) n.all * (double) (n.all - 1));
  }
}

/* Appends [count] values of [node] to the list that ends at *end. */
static void append_values(struct ranked **end, const double *values, size_t count,
                          bool counts, size_t node)
{
  for (size_t i = 0; i < count; i++)
    *(*end)++ = (struct ranked) { values[i], 0, counts, node };
}

static double unpaired_test(const struct sides *given, double inflation)
{
  const struct sides sides = sides_by_node(given);
  size_t all = sides.a_count + sides.b_count;
  struct ranked *list = allocate(all, sizeof *list), *end = list;
  const double *a = sides.a, *b = sides.b;
  double mean, variance, p;
  for (size_t node = 0; node < sides.nodes; node++) {
    append_values(&end, a, sides.a_counts[node], false, node);
    append_values(&end, b, sides.b_counts[node], true, node);
    a += sides.a_counts[node];
    b += sides.b_counts[node];
  }
  for (size_t i = 0, length; i < all; i += length) {
    length = node_length(list + i, all - i);
    rank_all(list + i, length);
  }
  moments_of_sum(list, all, &mean, &variance);
  if (inflation == 1 && all <= RANK_TEST_EXACT) {
    double *ways = ways_to_choose(list, all);
    p = tails(ways, all * (all + 1), sum_of_counting(list, all), mean);
    free(ways);
  } else
    p = normal_p(sum_of_counting(list, all), mean, inflation * variance);
  free(list);
  return p;
}

double rank_test(const struct sides *sides)
{
  if (sides->a_count == 0 || sides->b_count == 0) return NAN;
  return sides->rounds ? paired_test(sides) : unpaired_test(sides, 1);
}

double rank_test_correlated(const struct sides *sides, double inflation)
{
  if (sides->a_count == 0 || sides->b_count == 0) return NAN;
  return unpaired_test(sides, inflation);
}

/* Returns how many of the sums of doubled ranks, from [least] on, are at most
   2.5 % of all ways: a sum a rank higher is one comparison more. */
static size_t count_extreme(const double *ways, size_t least, size_t most)
{
  double all = 0, below = 0;
  size_t cut = 0;
  for (size_t s = 0; s <= most; s++) all += ways[s];
  for (size_t s = least; s <= most; s += 2, cut++) {
    below += ways[s];
    if (below > 0.025 * all) break;
  }
  return cut;
}

/* Returns how many comparisons a normal distribution with this mean and variance
   cuts off. */
static size_t normal_cut(double mean, double variance)
{
  double below = mean - 0.5 - Z_95 * sqrt(variance);
  return below >= 0 ? (size_t) below + 1 : 0;
}

size_t rank_test_cut_on_nodes(const size_t *a_counts, const size_t *b_counts,
                              size_t nodes)
{
  size_t all = 0, least = 0;
  double mean = 0, variance = 0;
  for (size_t node = 0; node < nodes; node++) {
    double n = (double) a_counts[node], m = (double) b_counts[node];
    all += a_counts[node] + b_counts[node];
    least += b_counts[node] * (b_counts[node] + 1);
    mean += n * m / 2;
    variance += n * m * (n + m + 1) / 12;
  }
  if (all > RANK_TEST_EXACT || all == 0) return normal_cut(mean, variance);
  struct ranked *list = allocate(all, sizeof *list), *end = list;
  for (size_t node = 0; node < nodes; node++)
    for (size_t i = 0; i < a_counts[node] + b_counts[node]; i++)
      *end++ = (struct ranked) { 0, 2 * (i + 1), i < b_counts[node], node };
  double *ways = ways_to_choose(list, all);
  size_t cut = count_extreme(ways, least, all * (all + 1));
  free(ways);
  free(list);
  return cut;
}

size_t rank_test_cut(size_t a_count, size_t b_count, bool rounds)
{
  if (a_count == 0 || b_count == 0) return 0;
  if (!rounds) return rank_test_cut_on_nodes(&a_count, &b_count, 1);
  double n = (double) a_count;
  if (a_count > RANK_TEST_EXACT)
    return normal_cut(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24);
  struct ranked *list = allocate(a_count, sizeof *list);
  for (size_t i = 0; i < a_count; i++) list[i].rank2 = 2 * (i + 1);
  size_t most = a_count * (a_count + 1);
  double *ways = ways_to_sign(list, a_count, most);
  size_t cut = count_extreme(ways, 0, most);
  free(ways);
  free(list);
  return cut;
}
