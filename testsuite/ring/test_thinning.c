/* If this breaks, the shares of a profile depend on when threads run, or its
   samples represent more or less processor time than there was. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "eventring_thinning.h"

#define MS UINT64_C(1000000)

static const struct { uint64_t tick, period; } rates[] = {
  { 4 * MS, 10 * MS }, { 1 * MS, 10 * MS }, { 4 * MS, 4 * MS },
  { 4 * MS, 1 * MS }, { 10 * MS, 50000 }, { 3333250, 7 * MS }, { 1, 1000 * MS }
};
#define RATES (sizeof rates / sizeof *rates)

/* Samples represent the time that was taken, but for a period at each end. */
static void no_time_is_lost(void **state)
{
  (void) state;
  for (size_t i = 0; i < RATES; i++) {
    struct caml_ring_thinning t = { .random = i };
    const uint64_t tick = rates[i].tick, period = rates[i].period;
    uint64_t taken = 0, sampled = 0;
    for (int n = 0; n < 10000; n++) {
      taken += tick;
      sampled += caml_ring_thin(&t, tick, period);
      assert_true(sampled % period == 0);
      assert_true(sampled <= taken + period && taken <= sampled + period);
    }
  }
}

/* Each tick of a thread, the first one too, stands on average for its own time:
   in 40,000 threads, but for 4 standard deviations. */
static void each_tick_has_the_same_chance(void **state)
{
  enum { TICKS = 12, THREADS = 40000 };
  uint64_t sampled[TICKS] = { 0 };
  (void) state;
  for (uint64_t thread = 0; thread < THREADS; thread++) {
    struct caml_ring_thinning t = { .random = thread << 32 };
    for (int n = 0; n < TICKS; n++)
      sampled[n] += caml_ring_thin(&t, 4 * MS, 10 * MS);
  }
  for (int n = 0; n < TICKS; n++)
    assert_in_range(sampled[n], THREADS * 4 * MS * 975 / 1000,
                    THREADS * 4 * MS * 1025 / 1000);
}

/* So no pattern of the program is preferred, such as the first of every five
   ticks. */
static void no_pattern_is_preferred(void **state)
{
  enum { TICKS = 840000, MOST = 8 };
  (void) state;
  for (int pattern = 2; pattern <= MOST; pattern++) {
    struct caml_ring_thinning t = { .random = 1 };
    uint64_t sampled[MOST] = { 0 };
    for (int n = 0; n < TICKS; n++)
      sampled[n % pattern] += caml_ring_thin(&t, 4 * MS, 10 * MS);
    for (int k = 0; k < pattern; k++)
      assert_in_range(sampled[k], TICKS / pattern * 4 * MS * 98 / 100,
                      TICKS / pattern * 4 * MS * 102 / 100);
  }
}

/* A thread that has blocked the signal for a day gets one answer, at once. */
static void much_time_at_once(void **state)
{
  const uint64_t day = 86400 * 1000 * MS, period = 50000;
  struct caml_ring_thinning t = { .random = 1 };
  (void) state;
  caml_ring_thin(&t, 4 * MS, period);
  const uint64_t sampled = caml_ring_thin(&t, day, period);
  assert_in_range(sampled, day - period, day + period);
  assert_in_range(caml_ring_thin(&t, 4 * MS, period), 4 * MS - period,
                  4 * MS + period);
}

/* No time is lost when the period changes at each tick: the samples add up, but
   for 4 standard deviations.  A shorter period begins at once. */
static void the_period_changes(void **state)
{
  const uint64_t hour = 3600 * 1000 * MS;
  struct caml_ring_thinning t = { .random = 1 };
  uint64_t sampled = 0;
  (void) state;
  for (int n = 0; n < 10000; n++)
    sampled += caml_ring_thin(&t, 4 * MS, (n & 1 ? 10 : 20) * MS);
  assert_in_range(sampled, 38900 * MS, 41100 * MS);
  assert_int_equal(caml_ring_thin(&t, 4 * MS, hour), 0);
  sampled = 0;
  for (int n = 0; n < 10; n++) sampled += caml_ring_thin(&t, 4 * MS, 10 * MS);
  assert_in_range(sampled, 30 * MS, 50 * MS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_time_is_lost),
    cmocka_unit_test(each_tick_has_the_same_chance),
    cmocka_unit_test(no_pattern_is_preferred),
    cmocka_unit_test(much_time_at_once), cmocka_unit_test(the_period_changes)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
