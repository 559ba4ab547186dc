// BUILD: -Ianalysis libanalysis.a
/* If this breaks, eventring compare compares a metric with another one, a run
   with a run of another round, or judges many metrics as if each were alone. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "run_comparison.h"

#define RUNS 20
#define METRICS 30

struct made {
  struct run_metrics runs[RUNS];
  struct metric metrics[RUNS][METRICS];
};

/* Makes [runs] rounds with the metric "time", of [level] and a spread of 2 %,
   after a trend that doubles it. */
static struct run_batch make(struct made *m, size_t runs, double level,
                             uint64_t seed)
{
  struct generator g = { seed };
  for (size_t i = 0; i < runs; i++) {
    double noise = 1 + 0.0002 * (double) generate_below(&g, 100);
    double trend = 1 + (double) i / (double) runs;
    m->metrics[i][0] = (struct metric) { "time", "s", METRIC_LESS_IS_BETTER,
                                         level * noise * trend, 0, 0 };
    m->runs[i] = (struct run_metrics) { m->metrics[i], 1, (int64_t) i, 0 };
  }
  return (struct run_batch) { m->runs, runs };
}

static void add(struct made *m, size_t run, const char *name, double value)
{
  m->metrics[run][m->runs[run].count++] =
    (struct metric) { name, "", METRIC_NEUTRAL, value, 0, 0 };
}

static const struct comparison_row *row_of(const struct run_comparison *c,
                                           size_t batch, const char *name)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->rows[i].batch == batch && strcmp(c->rows[i].name, name) == 0)
      return &c->rows[i];
  fail_msg("no row for %s", name);
  return NULL;
}

static void a_slower_program_is_slower(void **state)
{
  static struct made a, b, c;
  (void) state;
  struct run_batch batches[] = { make(&a, 16, 1, 1), make(&b, 16, 1.05, 2),
                                 make(&c, 16, 0.9, 3) };
  struct run_comparison *found = compare_batches(batches, 3, true, 0.01);
  assert_int_equal(found->count, 2);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_int_equal(row->verdict.kind, VERDICT_MORE);
  assert_true(row->interval.low > 1.03 && row->interval.high < 1.07);
  assert_true(row->smallest_change < 0.02);
  assert_int_equal(row->a_runs, 16);
  assert_string_equal(row->unit, "s");
  assert_int_equal(row->direction, METRIC_LESS_IS_BETTER);
  assert_int_equal(row_of(found, 2, "time")->verdict.kind, VERDICT_LESS);
  free_run_comparison(found);
  /* Without rounds, the trend is noise. */
  found = compare_batches(batches, 2, false, 0.01);
  assert_int_equal(row_of(found, 1, "time")->verdict.kind, VERDICT_UNKNOWN);
  assert_true(row_of(found, 1, "time")->verdict.runs > 100);
  free_run_comparison(found);
}

static void equal_programs_have_no_difference(void **state)
{
  static struct made a, b;
  (void) state;
  struct run_batch batches[] = { make(&a, 16, 1, 4), make(&b, 16, 1, 5) };
  struct run_comparison *found = compare_batches(batches, 2, true, 0.02);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_int_equal(row->verdict.kind, VERDICT_SAME);
  assert_true(row->verdict.bound > 0 && row->verdict.bound < 0.02);
  free_run_comparison(found);
}

static void runs_are_matched_by_round_and_metrics_by_name(void **state)
{
  static struct made a, b;
  (void) state;
  struct run_batch batches[] = { make(&a, 16, 1, 6), make(&b, 16, 1.05, 7) };
  for (size_t i = 0; i < 16; i++) {
    add(&a, i, "other", 5);
    add(&b, i, "other", 5);
  }
  /* B's runs in another order, one in the other order of metrics, one without
     the time, and a round that A does not have. */
  struct run_metrics last = b.runs[15];
  b.runs[15] = b.runs[2];
  b.runs[2] = last;
  struct metric first = b.metrics[7][0];
  b.metrics[7][0] = b.metrics[7][1];
  b.metrics[7][1] = first;
  b.metrics[4][0].value = NAN;
  b.runs[9].round = 100;
  add(&a, 3, "only A", 1);
  add(&b, 3, "only B", 1);
  struct run_comparison *found = compare_batches(batches, 2, true, 0.01);
  assert_int_equal(found->count, 2);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_int_equal(row->a_runs, 14);
  assert_int_equal(row->b_runs, 14);
  assert_true(row->interval.low > 1.03 && row->interval.high < 1.07);
  assert_int_equal(row_of(found, 1, "other")->a_runs, 15);
  free_run_comparison(found);
}

static void many_metrics_are_corrected_together(void **state)
{
  static struct made a, b;
  char names[METRICS][8];
  (void) state;
  /* One of 30 metrics differs, in each of 8 rounds. */
  struct run_batch batches[] = { make(&a, 8, 1, 8), make(&b, 8, 1.1, 9) };
  for (size_t k = 1; k < METRICS; k++) {
    snprintf(names[k], sizeof names[k], "m%zu", k);
    for (size_t i = 0; i < 8; i++) {
      add(&a, i, names[k], 100);
      add(&b, i, names[k], i & 1 ? 101 : 99);
    }
  }
  struct run_comparison *found = compare_batches(batches, 2, true, 0.01);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_true(fabs(row->p - 1. / 128) < 1e-9);
  assert_true(fabs(row->adjusted_p - 30. / 128) < 1e-9);
  assert_int_equal(row->verdict.kind, VERDICT_UNKNOWN);
  /* 2^(1 - 11) * 30 < 0.05 */
  assert_true(row->verdict.runs >= 3);
  free_run_comparison(found);
}

static void counts_without_variance_are_told_apart(void **state)
{
  static struct made a, b;
  (void) state;
  struct run_batch batches[] = { make(&a, 10, 1, 10), make(&b, 10, 1, 11) };
  for (size_t i = 0; i < 10; i++) {
    add(&a, i, "collections", 100);
    add(&b, i, "collections", 101);
    add(&a, i, "none", 0);
    add(&b, i, "none", 0);
    add(&a, i, "few", i == 0);
    add(&b, i, "few", i == 1);
    add(&a, i, "new", 0);
    add(&b, i, "new", 3);
  }
  struct run_comparison *found = compare_batches(batches, 2, true, 0.001);
  const struct comparison_row *row = row_of(found, 1, "collections");
  assert_int_equal(row->verdict.kind, VERDICT_MORE);
  assert_true(fabs(row->interval.low - 1.01) < 1e-9);
  assert_true(fabs(row->interval.high - 1.01) < 1e-9);
  assert_int_equal(row_of(found, 1, "none")->verdict.kind, VERDICT_SAME);
  assert_true(isnan(row_of(found, 1, "few")->interval.ratio));
  assert_int_equal(row_of(found, 1, "few")->verdict.kind, VERDICT_UNKNOWN);
  assert_int_equal(row_of(found, 1, "new")->verdict.kind, VERDICT_MORE);
  free_run_comparison(found);
}

static void variance_within_runs_is_taken_from_that_of_their_means(void **state)
{
  static struct made a, b;
  (void) state;
  struct run_batch batches[] = { make(&a, 10, 1, 12), make(&b, 10, 1, 13) };
  for (size_t i = 0; i < 10; i++) {
    /* The means have the variance 10 / 9; that of 50 samples explains 1. */
    struct metric m = { "pause", "ns", METRIC_LESS_IS_BETTER,
                        i & 1 ? 11 : 9, 50, 50 };
    a.metrics[i][a.runs[i].count++] = m;
    m.variance = 500;
    b.metrics[i][b.runs[i].count++] = m;
  }
  struct run_comparison *found = compare_batches(batches, 2, true, 0.01);
  const struct comparison_row *row = row_of(found, 1, "pause");
  assert_true(fabs(row->variance_a.within - 50) < 1e-9);
  assert_true(fabs(row->variance_a.between - 1. / 9) < 1e-9);
  assert_true(row->variance_b.between == 0);
  assert_true(isnan(row_of(found, 1, "time")->variance_a.within));
  assert_true(row_of(found, 1, "time")->variance_a.between > 0);
  free_run_comparison(found);
}

/* Makes RUNS runs of [level] with a spread of 2 %, the first [on_first] of them on a
   node, and the others on one that is 30 % slower. */
static struct run_batch make_on_nodes(struct made *m, size_t on_first, double level,
                                      uint64_t seed)
{
  struct generator g = { seed };
  for (size_t i = 0; i < RUNS; i++) {
    double noise = 1 + 0.0002 * (double) generate_below(&g, 100);
    double node = i < on_first ? 1 : 1.3;
    m->metrics[i][0] = (struct metric) { "time", "s", METRIC_LESS_IS_BETTER,
                                         level * noise * node, 0, 0 };
    m->runs[i] = (struct run_metrics) { m->metrics[i], 1, (int64_t) i + 1,
                                        i < on_first ? 1 : 2 };
  }
  return (struct run_batch) { m->runs, RUNS };
}

static void an_effect_is_found_on_nodes_that_differ_more(void **state)
{
  static struct made a, b;
  (void) state;
  /* More of the slow runs are of B. */
  struct run_batch batches[] = { make_on_nodes(&a, 13, 1, 14),
                                 make_on_nodes(&b, 7, 1.03, 15) };
  struct run_comparison *found = compare_batches(batches, 2, false, 0.01);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_int_equal(row->verdict.kind, VERDICT_MORE);
  assert_true(row->interval.low < 1.03 && row->interval.high > 1.03);
  assert_true(row->interval.low > 1.02 && row->interval.high < 1.04);
  assert_true(row->variance_a.between < 0.0001);
  free_run_comparison(found);
  /* Without the factor, the nodes make the ratio. */
  for (size_t i = 0; i < RUNS; i++) a.runs[i].node = b.runs[i].node = 0;
  found = compare_batches(batches, 2, false, 0.01);
  assert_false(row_of(found, 1, "time")->interval.low > 1.02
               && row_of(found, 1, "time")->interval.high < 1.04);
  free_run_comparison(found);
}

static void nodes_that_differ_are_no_difference(void **state)
{
  static struct made a, b;
  size_t false_alarms = 0, missed = 0, alarms_without_nodes = 0;
  (void) state;
  for (uint64_t seed = 0; seed < 400; seed++) {
    struct run_batch batches[] = { make_on_nodes(&a, 15, 1, 1000 + seed),
                                   make_on_nodes(&b, 5, 1, 2000 + seed) };
    struct run_comparison *found = compare_batches(batches, 2, false, 0.01);
    const struct comparison_row *row = row_of(found, 1, "time");
    false_alarms += row->p <= 0.05;
    missed += row->interval.low > 1 || row->interval.high < 1;
    free_run_comparison(found);
    for (size_t i = 0; i < RUNS; i++) a.runs[i].node = b.runs[i].node = 0;
    found = compare_batches(batches, 2, false, 0.01);
    alarms_without_nodes += row_of(found, 1, "time")->p <= 0.05;
    free_run_comparison(found);
  }
  /* 5 % are expected at most, and 8 % are three standard deviations more. */
  assert_true(false_alarms <= 32);
  assert_true(missed <= 32);
  assert_true(alarms_without_nodes > 300);
}

static void runs_are_compared_on_the_nodes_that_both_have(void **state)
{
  static struct made a, b;
  (void) state;
  struct run_batch batches[] = { make_on_nodes(&a, 10, 1, 16),
                                 make_on_nodes(&b, 10, 1.05, 17) };
  for (size_t i = 10; i < RUNS; i++) b.runs[i].node = 3;
  struct run_comparison *found = compare_batches(batches, 2, false, 0.01);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_int_equal(row->a_runs, 10);
  assert_int_equal(row->b_runs, 10);
  assert_true(row->interval.low > 1.03 && row->interval.high < 1.07);
  free_run_comparison(found);
  /* With no node in common, all are compared. */
  for (size_t i = 0; i < 10; i++) b.runs[i].node = 4;
  found = compare_batches(batches, 2, false, 0.01);
  assert_int_equal(row_of(found, 1, "time")->a_runs, RUNS);
  assert_int_equal(row_of(found, 1, "time")->b_runs, RUNS);
  free_run_comparison(found);
}

static void rounds_on_nodes_are_pairs(void **state)
{
  static struct made a, b;
  (void) state;
  struct run_batch batches[] = { make_on_nodes(&a, 10, 1, 18),
                                 make_on_nodes(&b, 10, 1.03, 19) };
  struct run_comparison *found = compare_batches(batches, 2, true, 0.01);
  const struct comparison_row *row = row_of(found, 1, "time");
  assert_int_equal(row->a_runs, RUNS);
  assert_int_equal(row->verdict.kind, VERDICT_MORE);
  assert_true(row->interval.low > 1.02 && row->interval.high < 1.04);
  free_run_comparison(found);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_slower_program_is_slower),
    cmocka_unit_test(equal_programs_have_no_difference),
    cmocka_unit_test(runs_are_matched_by_round_and_metrics_by_name),
    cmocka_unit_test(many_metrics_are_corrected_together),
    cmocka_unit_test(counts_without_variance_are_told_apart),
    cmocka_unit_test(variance_within_runs_is_taken_from_that_of_their_means),
    cmocka_unit_test(an_effect_is_found_on_nodes_that_differ_more),
    cmocka_unit_test(nodes_that_differ_are_no_difference),
    cmocka_unit_test(runs_are_compared_on_the_nodes_that_both_have),
    cmocka_unit_test(rounds_on_nodes_are_pairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
