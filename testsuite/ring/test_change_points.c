// BUILD: -Ianalysis libanalysis.a
/* If this breaks, eventring timeline names the wrong commit, takes a spike, a
   drift or another machine for a change, or passes over one.  How often it is
   wrong on real runs: testsuite/statistics/calibrate_changes.c. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "change_points.h"
#include "statistics.h"

#define MOST 200

struct made {
  struct series_point points[MOST];
  double values[MOST][3];
  size_t count;
};

/* Makes [count] points of three runs around 1, with a normal noise of 1 % that
   has the share [common] in common with the noise of the point before. */
static void make(struct made *m, size_t count, double common, uint64_t seed)
{
  struct generator g = { seed };
  double noise = 0;
  m->count = count;
  for (size_t i = 0; i < count; i++) {
    double fresh = -6;
    for (int k = 0; k < 12; k++) fresh += (double) (generate(&g) >> 11) * 0x1p-53;
    noise = common * noise + sqrt(1 - common * common) * fresh;
    for (int r = 0; r < 3; r++) m->values[i][r] = exp(0.01 * noise);
    m->points[i] = (struct series_point) { m->values[i], 3, (int64_t) i, 1 };
  }
}

static void scale(struct made *m, size_t from, size_t to, double factor)
{
  for (size_t i = from; i < to; i++)
    for (int r = 0; r < 3; r++) m->values[i][r] *= factor;
}

static struct change_points *changes_of(const struct made *m)
{
  return find_change_points(m->points, m->count, 1);
}

static void no_changes(const struct made *m)
{
  struct change_points *found = changes_of(m);
  if (found->count > 0) fail_msg("a change at %zu", found->list[0].index);
  free_change_points(found);
}

static void a_step_has_its_place_and_size(void **state)
{
  struct made m;
  (void) state;
  make(&m, 100, 0, 5);
  scale(&m, 60, 100, 1.05);
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 1);
  const struct change_point *c = &found->list[0];
  assert_int_equal(c->index, 60);
  assert_true(c->low <= 60 && c->high >= 60 && c->high - c->low <= 2);
  assert_int_equal(c->before, c->low - 1);
  assert_true(fabs(c->step - 0.05) < 0.01);
  assert_true(c->confidence > 0.99);
  free_change_points(found);
}

static void both_ends_of_a_time_at_another_level_are_found(void **state)
{
  struct made m;
  (void) state;
  make(&m, 150, 0, 6);
  scale(&m, 50, 90, 0.95);
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 2);
  assert_in_range(found->list[0].index, 49, 51);
  assert_in_range(found->list[1].index, 89, 91);
  assert_true(found->list[0].step < -0.03 && found->list[1].step > 0.03);
  free_change_points(found);
}

static void a_step_is_found_after_five_points(void **state)
{
  struct made m;
  (void) state;
  make(&m, 65, 0, 7);
  scale(&m, 60, 65, 1.05);
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 1);
  assert_in_range(found->list[0].index, 59, 61);
  free_change_points(found);
}

static void a_step_after_a_few_points_must_be_clearer(void **state)
{
  struct made m;
  (void) state;
  for (size_t at = 4; at < 10; at++) {
    make(&m, 25, 0, at);
    scale(&m, at, 25, 1.02);
    no_changes(&m);
    scale(&m, at, 25, 1.08);
    struct change_points *found = changes_of(&m);
    assert_int_equal(found->count, 1);
    assert_int_equal(found->list[0].index, at);
    free_change_points(found);
  }
  make(&m, 25, 0, 4);
  scale(&m, 3, 25, 2);
  no_changes(&m);
}

static void spikes_are_outliers_and_no_changes(void **state)
{
  struct made m;
  (void) state;
  make(&m, 100, 0, 8);
  scale(&m, 20, 21, 1.5);
  scale(&m, 50, 52, 0.8);               /* two in a row */
  scale(&m, 99, 100, 2);                /* the last one */
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 0);
  for (size_t i = 0; i < 100; i++)
    assert_int_equal(found->outliers[i],
                     i == 20 || i == 50 || i == 51 || i == 99);
  free_change_points(found);
}

static void one_slow_run_of_a_point_changes_nothing(void **state)
{
  struct made m;
  (void) state;
  make(&m, 100, 0, 9);
  for (size_t i = 50; i < 100; i++) m.values[i][i % 3] *= 3;
  no_changes(&m);
}

static void a_drift_is_no_change(void **state)
{
  struct made m;
  (void) state;
  make(&m, 120, 0, 10);
  for (size_t i = 0; i < 120; i++) scale(&m, i, i + 1, exp(0.0005 * (double) i));
  no_changes(&m);
  /* A step on top of it is one. */
  scale(&m, 70, 120, 1.06);
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 1);
  assert_in_range(found->list[0].index, 69, 71);
  free_change_points(found);
}

static void what_returns_soon_is_no_change(void **state)
{
  struct made m;
  (void) state;
  make(&m, 100, 0, 11);
  scale(&m, 40, 46, 1.05);
  no_changes(&m);
}

/* Independent noise of this size and length would be a change. */
static void noise_that_neighbours_have_in_common_is_no_change(void **state)
{
  struct made m;
  size_t alarms = 0;
  (void) state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    make(&m, 100, 0.7, 1000 + seed);
    struct change_points *found = changes_of(&m);
    alarms += found->count > 0;
    free_change_points(found);
  }
  assert_in_range(alarms, 0, 4);
}

static void machines_are_series_of_their_own(void **state)
{
  struct made m;
  (void) state;
  make(&m, 120, 0, 12);
  /* Every third point, and a stretch, is of a machine that is faster. */
  for (size_t i = 0; i < 120; i++)
    if (i % 3 == 0 || (i > 40 && i < 60)) {
      m.points[i].machine = 2;
      scale(&m, i, i + 1, 0.6);
    }
  no_changes(&m);
  for (size_t i = 80; i < 120; i++)
    if (m.points[i].machine == 1) scale(&m, i, i + 1, 1.05);
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 1);
  assert_int_equal(found->list[0].index, 80);
  assert_int_equal(m.points[found->list[0].before].machine, 1);
  free_change_points(found);
}

static void equal_values_have_no_noise(void **state)
{
  struct made m;
  (void) state;
  make(&m, 60, 0, 13);
  for (size_t i = 0; i < 60; i++)
    for (int r = 0; r < 3; r++) m.values[i][r] = 1000;
  no_changes(&m);
  scale(&m, 30, 60, 1.001);
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 1);
  assert_int_equal(found->list[0].index, 30);
  assert_true(fabs(found->list[0].step - 0.001) < 1e-9);
  free_change_points(found);
}

static void points_without_a_value_are_left_out(void **state)
{
  struct made m;
  (void) state;
  make(&m, 100, 0, 14);
  scale(&m, 60, 100, 1.05);
  m.points[10].count = 0;
  m.values[61][0] = m.values[61][1] = m.values[61][2] = 0;
  struct change_points *found = changes_of(&m);
  assert_int_equal(found->count, 1);
  assert_int_equal(found->list[0].index, 60);
  assert_true(found->outliers[10] && found->outliers[61]);
  free_change_points(found);
  found = find_change_points(NULL, 0, 1);
  assert_int_equal(found->count, 0);
  free_change_points(found);
  make(&m, 12, 0, 15);
  scale(&m, 6, 12, 2);
  no_changes(&m);
}

static void a_seed_gives_the_same_result_again(void **state)
{
  struct made m;
  (void) state;
  make(&m, 100, 0.3, 16);
  scale(&m, 45, 100, 1.035);
  struct change_points *one = find_change_points(m.points, m.count, 7);
  struct change_points *two = find_change_points(m.points, m.count, 7);
  assert_int_equal(one->count, 1);
  assert_int_equal(two->count, 1);
  assert_memory_equal(one->list, two->list, sizeof *one->list);
  free_change_points(one);
  free_change_points(two);
}

static void the_next_runs_are_in_the_gaps_around_the_change(void **state)
{
  struct series_point p[6];
  int64_t next[8];
  (void) state;
  for (int i = 0; i < 6; i++)
    p[i] = (struct series_point) { NULL, 0, 10 * i, 1 };
  p[2].machine = 2;
  /* The first point after the change is 3 or 4; the one before is 1. */
  const struct change_point c = { .index = 4, .low = 3, .high = 4, .before = 1 };
  assert_int_equal(next_positions(&c, p, next, 8), 2);
  assert_int_equal(next[0], 35);
  assert_int_equal(next[1], 20);
  assert_int_equal(next_positions(&c, p, next, 1), 1);
  /* No version is left between them: run them again. */
  for (int i = 0; i < 6; i++) p[i].position = i < 3 ? i - 1 : i - 2;
  p[1].position = 0;
  assert_int_equal(next_positions(&c, p, next, 8), 2);
  assert_int_equal(next[0], p[3].position);
  assert_int_equal(next[1], p[4].position);
  const struct change_point sure = { .index = 4, .low = 4, .high = 4,
                                     .before = 3 };
  assert_int_equal(next_positions(&sure, p, next, 8), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_step_has_its_place_and_size),
    cmocka_unit_test(both_ends_of_a_time_at_another_level_are_found),
    cmocka_unit_test(a_step_is_found_after_five_points),
    cmocka_unit_test(a_step_after_a_few_points_must_be_clearer),
    cmocka_unit_test(spikes_are_outliers_and_no_changes),
    cmocka_unit_test(one_slow_run_of_a_point_changes_nothing),
    cmocka_unit_test(a_drift_is_no_change),
    cmocka_unit_test(what_returns_soon_is_no_change),
    cmocka_unit_test(noise_that_neighbours_have_in_common_is_no_change),
    cmocka_unit_test(machines_are_series_of_their_own),
    cmocka_unit_test(equal_values_have_no_noise),
    cmocka_unit_test(points_without_a_value_are_left_out),
    cmocka_unit_test(a_seed_gives_the_same_result_again),
    cmocka_unit_test(the_next_runs_are_in_the_gaps_around_the_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
