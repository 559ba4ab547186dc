// BUILD: -Ianalysis libanalysis.a
/* If this breaks, the monitor accuses the wrong node of a fleet, or none.  The
   expected medians and distances are calculated by hand. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "outliers.h"
#include "summary_internal.h"
#include "process_figures.h"
#include "statistics.h"

/* process_figures.c is linked without the summary. */
struct summary_tally summary_tally(struct summary *s, struct summary_domain *d,
                                   int64_t until_ns)
{
  (void) s;
  (void) d;
  (void) until_ns;
  return (struct summary_tally) { .gc_ns = 25, .watched_ns = 100,
                                  .allocated_words = 1000 };
}

const struct summary_numbers *summary_numbers(const struct summary *s)
{
  return &s->shown;
}

int64_t summary_until(struct summary *s)
{
  return summary_numbers(s)->last_ns;
}

/* Returns which of [values] differ, as bits; the last bit is for all from the
   32nd value on. */
static unsigned which(const double *values, size_t count)
{
  struct outlier_scale scale;
  unsigned found = 0;
  if (!measure_outliers(values, count, &scale)) return ~0u;
  for (size_t i = 0; i < count; i++)
    found |= (unsigned) is_outlier(&scale, values[i]) << (i < 31 ? i : 31);
  return found;
}
#define WHICH(...) \
  which((const double[]) { __VA_ARGS__ }, \
        sizeof (double[]) { __VA_ARGS__ } / sizeof(double))

static void the_scale_is_median_and_mad(void **state)
{
  struct outlier_scale scale;
  (void) state;
  assert_true(measure_outliers((double[]) { 100, 2, 12, 7, 3 }, 5, &scale));
  assert_true(scale.median == 7);
  assert_true(scale.spread == 5);
}

static void a_value_far_from_the_others_differs(void **state)
{
  (void) state;
  assert_int_equal(WHICH(10, 11, 12, 13, 100), 1 << 4);
  assert_int_equal(WHICH(100, 1, 105, 95, 110), 1 << 1);
  assert_int_equal(WHICH(10, 500, 11, 12, 400, 9, 10), 1 << 1 | 1 << 4);
  assert_int_equal(WHICH(1, 2, 3, 4, 5, 6, 7), 0);
}

static void equal_values_and_small_differences_do_not_differ(void **state)
{
  (void) state;
  assert_int_equal(WHICH(5, 5, 5, 5), 0);
  assert_int_equal(WHICH(0, 0, 0), 0);
  assert_int_equal(WHICH(100, 100, 151), 0);
  assert_int_equal(WHICH(100, 100, 153), 1 << 2);
  assert_int_equal(WHICH(0, 0, 0, 0.001), 1 << 3);
}

static void three_values_are_needed(void **state)
{
  (void) state;
  assert_int_equal(WHICH(1, 100), ~0u);
  assert_int_equal(WHICH(1, NAN, 100), ~0u);
  assert_int_equal(WHICH(1, NAN, 100, 1), 1 << 2);
}

/* Returns the share of groups of [count] nodes with a normal distribution of
   [deviation] around 1 in which at least one value differs. */
static double false_alarms(size_t count, double deviation)
{
  struct generator g = { 19 };
  double values[64];
  int alarms = 0;
  for (int round = 0; round < 20000; round++) {
    for (size_t i = 0; i < count; i++) {
      /* The sum of twelve uniform numbers is nearly normal. */
      double sum = -6;
      for (int k = 0; k < 12; k++) sum += (double) (generate(&g) >> 11) / 0x1p53;
      values[i] = 1 + deviation * sum;
    }
    alarms += which(values, count) != 0;
  }
  return alarms / 20000.0;
}

static void false_alarms_are_as_rare_as_documented(void **state)
{
  static const struct { size_t count; double deviation, most; } cases[] = {
    { 3, 0.1, 0.01 }, { 10, 0.1, 0.01 }, { 64, 0.1, 0.01 },
    { 3, 0.3, 0.30 }, { 10, 0.3, 0.15 }, { 64, 0.3, 0.15 }
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double share = false_alarms(cases[i].count, cases[i].deviation);
    print_message("# %zu nodes, deviation %.1f: %.4f\n", cases[i].count,
                  cases[i].deviation, share);
    assert_true(share <= cases[i].most);
  }
}

static void figures_of_processes_add_up(void **state)
{
  static struct summary s =
    { .shown = { .first_ns = 1000, .last_ns = 1000001000 } };
  static struct process_figures sum;
  (void) state;
  for (enum figure i = 0; i < FIGURES; i++)
    assert_true(isnan(process_figure(&sum, i)));
  for (int i = 0; i < 200; i++) histogram_add(&s.shown.pauses[PAUSE_ANY], 500);
  struct process_figures *one = new_process_figures(&s);
  one->events = 90;
  one->lost = 10;
  add_process_figures(&sum, one);
  one->pauses.max = 700;
  add_process_figures(&sum, one);
  free(one);
  assert_true(process_figure(&sum, FIGURE_LONGEST) == 700);
  assert_true(fabs(process_figure(&sum, FIGURE_P99) - 500) <= 5);
  assert_true(process_figure(&sum, FIGURE_COLLECTING) == 0.25);
  assert_true(process_figure(&sum, FIGURE_ALLOCATION) == 8000);
  assert_true(process_figure(&sum, FIGURE_LOST) == 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_scale_is_median_and_mad),
    cmocka_unit_test(a_value_far_from_the_others_differs),
    cmocka_unit_test(equal_values_and_small_differences_do_not_differ),
    cmocka_unit_test(three_values_are_needed),
    cmocka_unit_test(false_alarms_are_as_rare_as_documented),
    cmocka_unit_test(figures_of_processes_add_up)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
