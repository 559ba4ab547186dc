// BUILD: -Ianalysis analysis/record_loop.c analysis/poll_interval.c
/* If this breaks, a recording ends before its last events, or never, or asks for
   the state of its process at each step. */

#include "record_loop.h"
#include "ring_test.h"

/* A process that ends at the time [end_ns], with a clock that each step sets
   forward by 1 ms. */
static int64_t now, end_ns, words;
static int steps, questions;

int64_t eventring_record_step(struct eventring_recorder *recorder)
{
  (void) recorder;
  steps++;
  now += 1000000;
  return words;
}

int eventring_state(struct eventring_cursor *cursor)
{
  (void) cursor;
  questions++;
  return now < end_ns ? EVENTRING_STATE_RUNNING : EVENTRING_STATE_ENDED;
}

struct eventring_info target_info(struct eventring_cursor *cursor)
{
  (void) cursor;
  return (struct eventring_info) { .ring_words = 4000 };
}

int64_t monotonic_ns(void)
{
  return now;
}

static struct record_loop new_loop(int64_t ending_ns, int64_t copied)
{
  struct record_loop loop;
  now = steps = questions = 0;
  end_ns = ending_ns;
  words = copied;
  begin_record_loop(&loop, NULL, NULL);
  return loop;
}

/* Else an event that comes between a step and the end fires no rule. */
static void after_the_end_one_more_step_is_made(void **state)
{
  struct record_loop loop = new_loop(50000000, 0);
  (void) state;
  while (!loop.ended) assert_int_equal(record_new(&loop), 0);
  assert_int_equal(steps, 60);
  assert_int_equal(questions, 3);
  assert_false(loop.complete);
  assert_int_equal(record_sleep_ns(&loop), 0);
  assert_int_equal(record_new(&loop), 0);
  assert_true(loop.complete);
  assert_int_equal(questions, 3);
}

static void an_end_that_is_looked_for_is_seen_at_once(void **state)
{
  struct record_loop loop = new_loop(1000000, 0);
  (void) state;
  assert_int_equal(record_new(&loop), 0);
  assert_false(loop.ended);
  look_for_end(&loop);
  assert_true(loop.ended && !loop.complete);
}

static void looks_can_be_rarer(void **state)
{
  struct record_loop loop = new_loop(INT64_MAX, 0);
  (void) state;
  loop.look_ns = 100000000;
  while (steps < 1000) assert_int_equal(record_new(&loop), 0);
  assert_int_equal(questions, 10);
}

/* A quarter of a ring is 1000 words. */
static void a_busy_process_is_copied_more_often(void **state)
{
  struct record_loop loop = new_loop(INT64_MAX, 4000);
  (void) state;
  assert_int_equal(record_new(&loop), 0);
  assert_int_equal(loop.words, 4000);
  assert_int_equal(loop.passed_ns, 1000000);
  assert_int_equal(record_sleep_ns(&loop), 250000);
  words = 0;
  assert_int_equal(record_new(&loop), 0);
  assert_int_equal(record_sleep_ns(&loop), 2000000);
}

/* Else a trigger misses the last events of a process that was faster than it. */
static void the_last_events_have_all_the_time(void **state)
{
  struct record_loop loop = new_loop(1000000, 0);
  (void) state;
  assert_int_equal(record_new(&loop), 0);
  assert_int_equal(record_turn_ns(&loop), now + 10000000);
  loop.behind = true;
  assert_int_equal(record_sleep_ns(&loop), 0);
  loop.behind = false;
  assert_int_equal(record_sleep_ns(&loop), 2000000);
  look_for_end(&loop);
  assert_int_equal(record_turn_ns(&loop), now + 10000000);
  assert_int_equal(record_new(&loop), 0);
  assert_int_equal(record_turn_ns(&loop), INT64_MAX);
}

static void an_error_ends_the_loop(void **state)
{
  struct record_loop loop = new_loop(INT64_MAX, EVENTRING_E_SYSTEM);
  (void) state;
  assert_int_equal(record_new(&loop), EVENTRING_E_SYSTEM);
  assert_int_equal(questions, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(after_the_end_one_more_step_is_made),
    cmocka_unit_test(an_end_that_is_looked_for_is_seen_at_once),
    cmocka_unit_test(looks_can_be_rarer),
    cmocka_unit_test(a_busy_process_is_copied_more_often),
    cmocka_unit_test(the_last_events_have_all_the_time),
    cmocka_unit_test(an_error_ends_the_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
