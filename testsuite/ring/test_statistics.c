// BUILD: -Ianalysis libanalysis.a
/* If this breaks, a comparison of runs has wrong figures.  The numbers expected
   are those of SciPy (mannwhitneyu, wilcoxon, f_oneway, quantile), or of a
   program that goes through all ways to share out the runs. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "memory.h"
#include "rank_test.h"
#include "ratio_interval.h"

#define LENGTH(array) (sizeof (array) / sizeof *(array))

static void near(double found, double wanted, double share)
{
  if (!(fabs(found - wanted) <= share * fabs(wanted)))
    fail_msg("%.12g, not %.12g", found, wanted);
}

static double rank_p(const double *a, size_t a_count, const double *b,
                     size_t b_count, bool rounds)
{
  return rank_test(&(struct sides) {
    .a = a, .b = b, .a_count = a_count, .b_count = b_count, .rounds = rounds });
}

static void the_generator_follows_its_definition(void **state)
{
  /* The first numbers of SplitMix64 for the seed 1234567, as published. */
  struct generator g = { 1234567 };
  (void) state;
  assert_true(generate(&g) == 6457827717110365317u);
  assert_true(generate(&g) == 3203168211198807973u);
  size_t seen[7] = { 0 };
  for (int i = 0; i < 7000; i++) seen[generate_below(&g, 7)]++;
  for (int i = 0; i < 7; i++) assert_in_range(seen[i], 880, 1120);
}

static void quantiles_are_interpolated(void **state)
{
  double v[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
  (void) state;
  near(median_of(v, LENGTH(v)), 3.5, 1e-12);
  near(median_of(v, 3), 3, 1e-12);
  sort_values(v, LENGTH(v));
  near(quantile_of_sorted(v, LENGTH(v), 0.25), 2.25, 1e-12);
  near(quantile_of_sorted(v, LENGTH(v), 0.95), 7.65, 1e-12);
  near(quantile_of_sorted(v, LENGTH(v), 1), 9, 1e-12);
  assert_true(isnan(median_of(v, 0)));
}

static void the_precision_of_a_median_is_its_binomial_interval(void **state)
{
  /* The ranks of tables; 469 of 1001, by the normal distribution, is one less
     than the exact one. */
  static const struct { size_t count, rank; } cases[] = {
    { 6, 1 }, { 10, 2 }, { 20, 6 }, { 100, 40 }, { 1000, 469 }, { 1001, 469 }
  };
  double v[1001];
  (void) state;
  for (size_t i = 0; i < LENGTH(cases); i++) {
    size_t n = cases[i].count;
    for (size_t k = 0; k < n; k++) v[k] = (double) (n - k);
    double width = (double) (n + 1 - 2 * cases[i].rank);
    near(median_precision(v, n), width / 2 / ((double) (n + 1) / 2), 1e-12);
    assert_true(v[0] < v[1]);
  }
  assert_true(isinf(median_precision(v, 5)));
}

static void variance_is_divided_into_within_and_between_runs(void **state)
{
  const double x[] = { 10, 11, 12 }, y[] = { 14, 15, 16, 17 }, z[] = { 9, 10 };
  const struct run_values runs[] = { { x, 3 }, { y, 4 }, { NULL, 0 }, { z, 2 } };
  (void) state;
  struct variance_parts parts = variance_parts(runs, LENGTH(runs));
  near(parts.within, 1.25, 1e-12);
  near(parts.between, 10.038461538461538, 1e-12);
  /* Runs with equal means differ by no more than their values do. */
  const struct run_values same[] = { { x, 3 }, { x, 3 } };
  assert_true(variance_parts(same, 2).between == 0);
  assert_true(isnan(variance_parts(runs, 1).between));
  const struct run_values single[] = { { x, 1 }, { y, 1 } };
  parts = variance_parts(single, 2);
  assert_true(isnan(parts.within));
  near(parts.between, 8, 1e-12);
}

static void p_values_are_adjusted_as_by_benjamini_and_hochberg(void **state)
{
  double p[] = { .205, .008, .039, NAN, .042, .041, .06, .074, .001, .212, .216 };
  const double wanted[] = { .216, .04, .084, NAN, .084, .084, .1,
                            .10571428571428572, .01, .216, .216 };
  (void) state;
  adjust_p_values(p, LENGTH(p));
  for (size_t i = 0; i < LENGTH(p); i++)
    if (isnan(wanted[i])) assert_true(isnan(p[i]));
    else near(p[i], wanted[i], 1e-9);
  adjust_p_values(NULL, 0);
}

static void mann_and_whitney_are_exact_without_equal_values(void **state)
{
  const double a[] = { 12.1, 11.8, 12.5, 13.0, 11.9, 12.2, 12.7 };
  const double b[] = { 12.9, 13.1, 12.6, 13.4, 12.8, 13.3, 12.4, 13.6 };
  (void) state;
  near(rank_p(a, 7, b, 8, false), 0.013986013986013986, 1e-9);
  near(rank_p(b, 8, a, 7, false), 0.013986013986013986, 1e-9);
}

static void mann_and_whitney_are_exact_with_equal_values(void **state)
{
  const double a[] = { 1, 2, 2, 3, 3, 5 }, b[] = { 2, 3, 4, 4, 5, 5, 6 };
  (void) state;
  near(rank_p(a, 6, b, 7, false), 158. / 1716, 1e-9);
  const double same[] = { 4, 4, 4 };
  near(rank_p(same, 3, same, 3, false), 1, 1e-12);
  assert_true(isnan(rank_p(a, 6, b, 0, false)));
}

static void mann_and_whitney_of_many_runs_are_corrected_for_ties(void **state)
{
  double a[40], b[45];
  (void) state;
  /* To even numbers, as in Python; n / 5 is never halfway. */
  for (int i = 0; i < 40; i++)
    a[i] = floor((i * 37 % 101 + 0.25 * (i % 4)) / 5 + 0.5);
  for (int i = 0; i < 45; i++) b[i] = floor((i * 53 % 97 + 9) / 5. + 0.5);
  near(rank_p(a, 40, b, 45, false), 0.5665275159883729, 1e-9);
}

/* Returns the p value of the sum of some of 11 [ranks]: [chosen] has their bits.  It is a
   share of all choices of three of the first six ranks and two of the others: the share
   with sums at least as far from the mean of the sums. */
static double share_of_choices(const double *ranks, unsigned chosen)
{
  double sums[2048], mean = 0;
  size_t count = 0, far = 0;
  double own = 0;
  for (unsigned set = 0; set < 2048; set++) {
    if (__builtin_popcount(set & 63) != 3 || __builtin_popcount(set >> 6) != 2)
      continue;
    sums[count] = 0;
    for (size_t i = 0; i < 11; i++) if (set >> i & 1) sums[count] += ranks[i];
    if (set == chosen) own = sums[count];
    mean += sums[count++];
  }
  mean /= (double) count;
  for (size_t i = 0; i < count; i++)
    far += fabs(sums[i] - mean) >= fabs(own - mean) - 1e-9;
  return (double) far / (double) count;
}

static void ranks_on_nodes_are_those_within_a_node(void **state)
{
  static const double a[] = { 4, 8, 1, 512, 2048, 8192 }, b[] = { 16, 64, 8, 32768, 64 },
    ranks[] = { 2, 3.5, 1, 5, 6, 3.5, 2, 3, 4, 5, 1 };
  static const size_t a_counts[] = { 3, 3 }, b_counts[] = { 3, 2 };
  (void) state;
  /* B has the last three of the first node, and the last two of the second. */
  near(rank_test(&(struct sides) {
         .a = a, .b = b, .a_count = 6, .b_count = 5, .a_counts = a_counts,
         .b_counts = b_counts, .nodes = 2 }),
       share_of_choices(ranks, 0x638), 1e-9);
}

static void signed_ranks_are_exact(void **state)
{
  const double a[] = { 100, 102, 98, 105, 110, 95, 101, 99, 107, 103 };
  const double b[] = { 101, 104, 97.5, 108, 113, 95.8, 103.5, 102, 108.2, 102.6 };
  (void) state;
  near(rank_p(a, 10, b, 10, true), 0.009765625, 1e-9);
  /* Five equal and one round without a difference. */
  const double ten[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10 };
  const double other[] = { 11, 11, 9, 12, 12, 12, 10, 9, 13 };
  near(rank_p(ten, 9, other, 9, true), 0.125, 1e-9);
  near(rank_p(ten, 9, ten, 9, true), 1, 1e-12);
}

static void signed_ranks_of_many_rounds_are_corrected(void **state)
{
  double a[80], b[80];
  (void) state;
  for (int i = 0; i < 80; i++) {
    a[i] = 100 + i * 37 % 50;
    b[i] = 102 + i * 53 % 50;
  }
  near(rank_p(a, 80, b, 80, true), 0.6958648990470075, 1e-9);
}

static const double eight_a[] = { 100, 104.3, 97, 110, 102.1, 99, 108, 101,
                                  105.7, 98.2 };
static const double eight_b[] = { 103, 109, 101, 108, 107, 104.2, 113.5, 106 };

static struct ratio_interval interval_of(const double *a, size_t a_count,
                                         const double *b, size_t b_count,
                                         bool rounds)
{
  return ratio_interval(&(struct sides) {
    .a = a, .b = b, .a_count = a_count, .b_count = b_count, .rounds = rounds });
}

/* The ends are where the p value of SciPy's test of B divided by the ratio
   crosses 0.05. */
static void the_interval_has_the_ratios_that_the_test_does_not_refute(void **s)
{
  double x[70], y[70];
  (void) s;
  struct ratio_interval r = interval_of(eight_a, 8, eight_b, 8, true);
  near(r.median_a, 101.55, 1e-12);
  near(r.median_b, 106.5, 1e-12);
  near(r.ratio, 1.0448357249122633, 1e-9);
  near(r.low, 1.0129467839600528, 1e-9);
  near(r.high, 1.0509259259259252, 1e-9);

  r = interval_of(eight_a, 10, eight_b, 8, false);
  near(r.ratio, 1.0408204935540735, 1e-9);
  near(r.low, 0.990909090909091, 1e-9);
  near(r.high, 1.0808080808080802, 1e-9);

  for (int i = 0; i < 70; i++) {
    x[i] = 100 + i * 37 % 101 * .31 + .001 * i;
    y[i] = 104 + i * 53 % 97 * .29 + .0013 * i;
  }
  r = interval_of(x, 70, y, 70, true);
  near(r.ratio, 1.0171486909842364, 1e-9);
  near(r.low, 0.9961486174152385, 1e-9);
  near(r.high, 1.046498759455236, 1e-9);
  r = interval_of(x, 70, y, 70, false);
  near(r.ratio, 1.0169983772261704, 1e-9);
  near(r.low, 0.9906959357875803, 1e-9);
  near(r.high, 1.0443541525861724, 1e-9);
}

/* Random values with a spread of some percent. */
static void fill(double *values, size_t count, double factor, uint64_t seed)
{
  struct generator g = { seed };
  for (size_t i = 0; i < count; i++)
    values[i] = factor * (1 + 0.001 * (double) generate_below(&g, 60));
}

/* Critical values from tables of both tests, for 5 % on two sides, and 1 more: a
   table has the largest sum that is significant. */
static void intervals_are_cut_where_tables_have_critical_values(void **state)
{
  (void) state;
  /* By a list of all choices. */
  static const size_t a_counts[] = { 4, 4 }, b_counts[] = { 4, 4 },
    a_unequal[] = { 3, 6 }, b_unequal[] = { 5, 2 },
    a_empty[] = { 5, 0 }, b_empty[] = { 5, 3 };
  assert_int_equal(rank_test_cut_on_nodes(a_counts, b_counts, 2), 6);
  assert_int_equal(rank_test_cut_on_nodes(a_unequal, b_unequal, 2), 5);
  assert_int_equal(rank_test_cut_on_nodes(a_empty, b_empty, 2), 3);
  assert_int_equal(rank_test_cut(5, 5, true), 0);
  assert_int_equal(rank_test_cut(6, 6, true), 1);
  assert_int_equal(rank_test_cut(10, 10, true), 9);
  assert_int_equal(rank_test_cut(20, 20, true), 53);
  assert_int_equal(rank_test_cut(3, 3, false), 0);
  assert_int_equal(rank_test_cut(4, 4, false), 1);
  assert_int_equal(rank_test_cut(5, 5, false), 3);
  assert_int_equal(rank_test_cut(10, 10, false), 24);
  /* From the normal distribution, corrected for continuity. */
  assert_int_equal(rank_test_cut(67, 67, true), 825);
  assert_int_equal(rank_test_cut(31, 31, false), 341);
  /* The approximation has no interval for one run against many. */
  assert_int_equal(rank_test_cut(1, 60, false), 0);
  assert_int_equal(rank_test_cut(200, 1, false), 0);
}

static void the_interval_of_the_inverse_ratio_is_the_inverse(void **state)
{
  (void) state;
  struct ratio_interval r = interval_of(eight_a, 8, eight_b, 8, true);
  struct ratio_interval s = interval_of(eight_b, 8, eight_a, 8, true);
  near(s.low, 1 / r.high, 1e-9);
  near(s.high, 1 / r.low, 1e-9);
}

/* Each round is about 3 % slower in B, and a sixth longer than the one before. */
static void rounds_take_slow_changes_out_of_the_comparison(void **state)
{
  double a[12], b[12];
  (void) state;
  fill(a, 12, 1, 8);
  fill(b, 12, 1.03, 9);
  for (int i = 0; i < 12; i++) {
    a[i] *= 1 + i / 6.;
    b[i] *= 1 + i / 6.;
  }
  struct ratio_interval with = interval_of(a, 12, b, 12, true);
  struct ratio_interval without = interval_of(a, 12, b, 12, false);
  assert_true(with.low > 1 && without.low < 1);
  assert_true(rank_p(a, 12, b, 12, true) < 0.001);
  assert_true(rank_p(a, 12, b, 12, false) > 0.05);
}

static void too_few_runs_have_no_interval(void **state)
{
  (void) state;
  struct ratio_interval r = interval_of(eight_a, 3, eight_b, 3, false);
  assert_true(r.low == 0 && isinf(r.high) && isinf(smallest_change(&r)));
  r = interval_of(eight_a, 5, eight_b, 5, true);
  assert_true(r.low == 0 && isinf(r.high));
  near(r.ratio, 1.04, 0.01);
  assert_int_equal(runs_needed(&r, 5, 0.01), 1);
  struct verdict v = ratio_verdict(&r, 0.01, 5, 0.01);
  assert_int_equal(v.kind, VERDICT_UNKNOWN);
  assert_int_equal(v.runs, 1);
  const double zero[] = { 0, 0, 0, 0, 0, 0, 0, 1 };
  r = interval_of(zero, 8, eight_b, 8, true);
  assert_true(isnan(r.ratio) && r.low == 0 && isinf(r.high));
}

static void one_run_against_many_has_no_interval(void **state)
{
  (void) state;
  double one = 2, many[71];
  fill(many, 71, 1, 5);
  struct ratio_interval r = ratio_interval(
    &(struct sides) { .a = many, .b = &one, .a_count = 71, .b_count = 1 });
  assert_true(r.ratio > 0 && r.low == 0 && isinf(r.high));
}

/* The list of all means of two rounds would have 40 GB. */
static void a_hundred_thousand_rounds_are_compared(void **state)
{
  (void) state;
  enum { ROUNDS = 100000 };
  double *a = allocate(ROUNDS, sizeof *a), *b = allocate(ROUNDS, sizeof *b);
  fill(a, ROUNDS, 1, 1);
  for (size_t i = 0; i < ROUNDS; i++) b[i] = a[i] * (1.1 + (double) i * 1e-6);
  struct ratio_interval r = ratio_interval(
    &(struct sides) { .a = a, .b = b, .a_count = ROUNDS, .b_count = ROUNDS,
                      .rounds = true });
  near(r.ratio, 1.15, 0.001);
  assert_true(r.low < r.ratio && r.ratio < r.high && r.high - r.low < 0.001);
  free(a);
  free(b);
}

static void equal_values_have_an_interval_without_width(void **state)
{
  const double a[] = { 7, 7, 7, 7, 7, 7, 7, 7 };
  (void) state;
  struct ratio_interval r = interval_of(a, 8, a, 8, true);
  near(r.low, 1, 1e-6);
  near(r.high, 1, 1e-6);
  assert_int_equal(ratio_verdict(&r, 1, 8, 0.001).kind, VERDICT_SAME);
  const double b[] = { 7.07, 7.07, 7.07, 7.07, 7.07, 7.07, 7.07, 7.07 };
  for (int rounds = 0; rounds < 2; rounds++) {
    r = interval_of(a, 8, b, 8, rounds);
    near(r.low, 1.01, 1e-6);
    near(r.high, 1.01, 1e-6);
  }
}

static void verdicts_need_both_the_test_and_the_interval(void **state)
{
  const struct ratio_interval more = { 1, 1.05, 1.05, 1.03, 1.07 };
  const struct ratio_interval less = { 1, 0.95, 0.95, 0.93, 0.97 };
  const struct ratio_interval both = { 1, 1.01, 1.01, 0.99, 1.03 };
  (void) state;
  assert_int_equal(ratio_verdict(&more, 0.01, 10, 0.01).kind, VERDICT_MORE);
  assert_int_equal(ratio_verdict(&less, 0.01, 10, 0.01).kind, VERDICT_LESS);
  assert_int_equal(ratio_verdict(&more, 0.06, 10, 0.01).kind, VERDICT_UNKNOWN);
  assert_int_equal(ratio_verdict(&more, NAN, 10, 0.01).kind, VERDICT_UNKNOWN);
  assert_int_equal(ratio_verdict(&both, 0.01, 10, 0.01).kind, VERDICT_UNKNOWN);
  struct verdict v = ratio_verdict(&both, 0.5, 10, 0.05);
  assert_int_equal(v.kind, VERDICT_SAME);
  near(v.bound, 0.03, 1e-9);
}

static void the_runs_needed_grow_with_the_square_of_the_precision(void **state)
{
  const struct ratio_interval r = { 1, 1, 1, exp(-0.02), exp(0.02) };
  (void) state;
  assert_int_equal(runs_needed(&r, 10, expm1(0.01)), 30);
  assert_int_equal(runs_needed(&r, 10, expm1(0.005)), 150);
  assert_int_equal(runs_needed(&r, 10, 0.03), 0);
  /* (1.96 + 0.8416) / 1.96 times half the width */
  near(smallest_change(&r), expm1(0.02 * 2.801585 / 1.959964), 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_generator_follows_its_definition),
    cmocka_unit_test(quantiles_are_interpolated),
    cmocka_unit_test(the_precision_of_a_median_is_its_binomial_interval),
    cmocka_unit_test(variance_is_divided_into_within_and_between_runs),
    cmocka_unit_test(p_values_are_adjusted_as_by_benjamini_and_hochberg),
    cmocka_unit_test(mann_and_whitney_are_exact_without_equal_values),
    cmocka_unit_test(mann_and_whitney_are_exact_with_equal_values),
    cmocka_unit_test(mann_and_whitney_of_many_runs_are_corrected_for_ties),
    cmocka_unit_test(ranks_on_nodes_are_those_within_a_node),
    cmocka_unit_test(signed_ranks_are_exact),
    cmocka_unit_test(signed_ranks_of_many_rounds_are_corrected),
    cmocka_unit_test(the_interval_has_the_ratios_that_the_test_does_not_refute),
    cmocka_unit_test(intervals_are_cut_where_tables_have_critical_values),
    cmocka_unit_test(the_interval_of_the_inverse_ratio_is_the_inverse),
    cmocka_unit_test(rounds_take_slow_changes_out_of_the_comparison),
    cmocka_unit_test(too_few_runs_have_no_interval),
    cmocka_unit_test(one_run_against_many_has_no_interval),
    cmocka_unit_test(a_hundred_thousand_rounds_are_compared),
    cmocka_unit_test(equal_values_have_an_interval_without_width),
    cmocka_unit_test(verdicts_need_both_the_test_and_the_interval),
    cmocka_unit_test(the_runs_needed_grow_with_the_square_of_the_precision),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
