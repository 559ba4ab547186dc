// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Irender -Isources -Ianalysis sources/sessions.c render/text.c libanalysis.a
/* If this breaks, commands that follow a process end at once when its session ends
   while they open the file, or wait for a process that has ended its tracing long
   ago. */

#include <stdlib.h>
#include <unistd.h>

#include "ring_test.h"
#include "sessions.h"

/* Instead of the one in common.c. */
void note(const char *format, ...) { (void) format; }

static void make_ring(struct ring_file *f)
{
  ring_create(f, &(struct ring_options) { .state = EVENTRING_RUNNING });
}

/* Returns a cursor on a session of this process that ends before the process is
   looked for. */
static struct eventring_cursor *open_ending(struct ring_file *f)
{
  make_ring(f);
  struct eventring_cursor *c = ring_open(f);
  f->header->state = EVENTRING_ENDED;
  return c;
}

/* Returns whether the process of [c] is known to run. */
static bool runs(struct eventring_cursor *c)
{
  struct sessions *s = new_sessions(c, NULL);
  const bool known = process_runs(s, 0);
  free_sessions(s);
  return known;
}

static void a_process_runs(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  struct eventring_cursor *c = ring_open(&f);
  assert_true(runs(c));
  eventring_close(c);
  ring_destroy(&f);
}

static void a_session_that_ended_before_is_the_last(void **state)
{
  struct ring_file f;
  (void) state;
  struct eventring_cursor *c = open_ending(&f);
  assert_false(runs(c));
  eventring_close(c);
  ring_destroy(&f);
}

static void a_session_that_ends_meanwhile_may_have_a_next_one(void **state)
{
  struct ring_file f;
  (void) state;
  struct eventring_cursor *c = open_ending(&f);
  assert_int_equal(unlink(f.path), 0);
  assert_true(runs(c));
  eventring_close(c);
  ring_destroy(&f);
}

static void a_session_that_is_replaced_meanwhile_has_a_next_one(void **state)
{
  struct ring_file f, next;
  (void) state;
  struct eventring_cursor *c = open_ending(&f);
  make_ring(&next);
  next.header->started.monotonic_ns += 1000000;
  assert_int_equal(rename(next.path, f.path), 0);
  assert_true(runs(c));
  eventring_close(c);
  ring_destroy(&next);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_process_runs),
    cmocka_unit_test(a_session_that_ended_before_is_the_last),
    cmocka_unit_test(a_session_that_ends_meanwhile_may_have_a_next_one),
    cmocka_unit_test(a_session_that_is_replaced_meanwhile_has_a_next_one)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
