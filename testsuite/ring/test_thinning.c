/* If this breaks, the shares of a profile depend on when threads run, or its
   samples represent more or less processor time than there was. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "eventring_thinning.h"

#define MS UINT64_C(1000000)

static const struct { uint64_t tick, period; } rates[] = {
  { 4 * MS, 10 * MS }, { 1 * MS, 10 * MS }, { 4 * MS, 4 * MS },
  { 4 * MS, 1 * MS }, { 10 * MS, 50000 }, { 3333250, 7 * MS }, { 1, 1000 * MS }
};
#define RATES (sizeof rates / sizeof *rates)

static struct caml_ring_thinning begun(uint64_t random, uint64_t period)
{
  struct caml_ring_thinning t = { .random = random };
  caml_ring_next_moment(&t, period);
  return t;
}

/* Samples represent the time that was taken, but for a period at each end. */
static void no_time_is_lost(void **state)
{
  (void) state;
  for (size_t i = 0; i < RATES; i++) {
    struct caml_ring_thinning t = begun(i, rates[i].period);
    const uint64_t tick = rates[i].tick, period = rates[i].period;
    uint64_t taken = 0, sampled = 0;
    for (int n = 0; n < 10000; n++) {
      taken += tick;
      sampled += caml_ring_thin(&t, tick);
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
    struct caml_ring_thinning t = begun(thread << 32, 10 * MS);
    for (int n = 0; n < TICKS; n++)
      sampled[n] += caml_ring_thin(&t, 4 * MS);
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
    struct caml_ring_thinning t = begun(1, 10 * MS);
    uint64_t sampled[MOST] = { 0 };
    for (int n = 0; n < TICKS; n++)
      sampled[n % pattern] += caml_ring_thin(&t, 4 * MS);
    for (int k = 0; k < pattern; k++)
      assert_in_range(sampled[k], TICKS / pattern * 4 * MS * 98 / 100,
                      TICKS / pattern * 4 * MS * 102 / 100);
  }
}

/* A thread that has blocked the signal for a day gets one answer, at once. */
static void much_time_at_once(void **state)
{
  const uint64_t day = 86400 * 1000 * MS, period = 50000;
  struct caml_ring_thinning t = begun(1, period);
  (void) state;
  caml_ring_thin(&t, 4 * MS);
  const uint64_t sampled = caml_ring_thin(&t, day);
  assert_in_range(sampled, day - period, day + period);
  assert_in_range(caml_ring_thin(&t, 4 * MS), 4 * MS - period, 4 * MS + period);
}

/* No time is lost when the period changes at each tick: the samples add up, but
   for 4 standard deviations.  A shorter period begins at once. */
static void the_period_changes(void **state)
{
  const uint64_t hour = 3600 * 1000 * MS;
  struct caml_ring_thinning t = begun(1, 20 * MS);
  uint64_t sampled = 0;
  (void) state;
  for (int n = 0; n < 10000; n++) {
    sampled += caml_ring_thin(&t, 4 * MS);
    caml_ring_next_moment(&t, (n & 1 ? 20 : 10) * MS);
  }
  assert_in_range(sampled, 38900 * MS, 41100 * MS);
  caml_ring_next_moment(&t, hour);
  assert_int_equal(caml_ring_thin(&t, 4 * MS), 0);
  caml_ring_next_moment(&t, 10 * MS);
  sampled = 0;
  for (int n = 0; n < 10; n++) sampled += caml_ring_thin(&t, 4 * MS);
  assert_in_range(sampled, 30 * MS, 50 * MS);
}

/* A timer that passes over ticks until the next moment finds the same samples as
   one that fires at each tick, and it fires for nothing else. */
static void a_timer_finds_the_same_samples(void **state)
{
  (void) state;
  for (size_t i = 0; i < RATES; i++) {
    const uint64_t tick = rates[i].tick, period = rates[i].period;
    struct caml_ring_thinning each = begun(i, period), set = begun(i, period);
    uint64_t passed = 0;
    for (int n = 0; n < 10000; n++) {
      const uint64_t sampled = caml_ring_thin(&each, tick);
      passed += tick;
      if (passed <= caml_ring_next_moment(&set, period)) {
        assert_int_equal(sampled, 0);
      } else {
        assert_int_not_equal(sampled, 0);
        assert_int_equal(caml_ring_thin(&set, passed), sampled);
        passed = 0;
      }
    }
  }
}

/* Ticks in the kernel, which the clocks tell only together with those in user mode
   since they were last read.  No tick is preferred, be it alone, the first of a row
   or the last: but for 4 standard deviations.  No tick in user mode is a sample, and
   all but the last few ticks in the kernel are represented. */
static void ticks_in_the_kernel(void **state)
{
  static const char *const patterns[] = {
    "k", "ku", "kuuuuuuuuuuuuuuuuuuu", "kkkkkkkkkkkkuuuuuuuuuuuu",
    "kkkkkkkkkkkkkkkkkkkkkkkkkkuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuukkuu"
  };
  enum { ROUNDS = 40000, MOST = 128, LOOK = 40 };
  (void) state;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    const char *pattern = patterns[i];
    const int length = (int) strlen(pattern);
    struct caml_ring_thinning t = { .random = i };
    uint64_t sampled[MOST] = { 0 }, all = 0, in_kernel = 0, passed = 0, signals = 0;
    int64_t kernel = 0;
    for (int n = 0; n < ROUNDS * length; n++) {
      const int in = pattern[n % length] == 'k';
      passed += 4 * MS;
      kernel += in ? (int64_t) (4 * MS) : 0;
      in_kernel += in ? 4 * MS : 0;
      if (passed <= caml_ring_next_look(&t)) continue;
      signals++;
      const uint64_t ns = caml_ring_thin_kernel(&t, passed, kernel, LOOK * MS);
      passed = 0;
      kernel = 0;
      all += ns;
      sampled[n % length] += ns;
      assert_true(in || ns == 0);
    }
    assert_in_range(all, in_kernel - 50 * LOOK * MS, in_kernel);
    for (int k = 0; k < length; k++)
      if (pattern[k] == 'k')
        assert_in_range(sampled[k], ROUNDS * 4 * MS * 91 / 100,
                        ROUNDS * 4 * MS * 109 / 100);
    /* Two for each look, at most. */
    assert_true(signals < (uint64_t) ROUNDS * (uint64_t) length * 21 / 100);
  }
}

/* The time of ticks that hit the signals of hits is shared among the hits that
   follow, evenly and to the last. */
static void hits_share_the_time_of_their_signals(void **state)
{
  struct caml_ring_thinning t = { .shared = 12 * MS };
  uint64_t all = 0;
  (void) state;
  for (int n = 0; n < 192; n++) {
    const uint64_t ns = caml_ring_take_share(&t, MS);
    assert_in_range(ns, MS, MS + MS / 16);
    all += ns;
  }
  assert_int_equal(all, (192 + 12) * MS);
  assert_int_equal(caml_ring_take_share(&t, MS), MS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_time_is_lost),
    cmocka_unit_test(each_tick_has_the_same_chance),
    cmocka_unit_test(no_pattern_is_preferred),
    cmocka_unit_test(much_time_at_once), cmocka_unit_test(the_period_changes),
    cmocka_unit_test(a_timer_finds_the_same_samples),
    cmocka_unit_test(ticks_in_the_kernel),
    cmocka_unit_test(hits_share_the_time_of_their_signals)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
