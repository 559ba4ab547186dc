// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the server forgets slow requests whose events are overwritten, or keeps
   fast ones in their place. */

#include <stdlib.h>
#include "request_log.h"
#include "ring_test.h"

#define ORDER 700
#define REQUESTS 1000
#define US UINT64_C(1000)
#define APART_US 20000            /* from begin to begin; longer than any request */
#define IN_A_SECOND 50
#define LONGEST_US 17989          /* a prime number */

/* The requests of a log. */
struct visited {
  const uint64_t *us;
  bool has[REQUESTS];
};

/* Writes REQUESTS requests, numbered from 1, with the durations [us] in microseconds. */
static void make_ring(struct ring_file *f, const uint64_t us[REQUESTS])
{
  ring_create(f, &(struct ring_options) { .log_words = 14 });
  f->header->started.monotonic_ns = 0;
  f->header->started.ticks = 0;
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, EVENTRING_USER_BIT, "", "user");
  ring_schema(f, ORDER, EVENTRING_REQUEST, EVENTRING_INT, EVENTRING_USER_BIT, "", "order");
  for (uint64_t i = 0; i < REQUESTS; i++) {
    const uint64_t begin = (1 + i) * APART_US * US, number = i + 1;
    ring_write(f, 0, begin, EVENTRING_FORM_BEGIN, ORDER, &number, 1);
    ring_write(f, 0, begin + us[i] * US, EVENTRING_FORM_END, ORDER, &number, 1);
  }
}

static void visit(void *state, const struct ended_request *r)
{
  struct visited *v = state;
  assert_in_range(r->number, 1, REQUESTS);
  assert_int_equal(r->end_ns - r->begin_ns, v->us[r->number - 1] * US);
  v->has[r->number - 1] = true;
}

/* Returns how many of the requests [first] to [last] are slower than request [i]. */
static int slower(const uint64_t us[REQUESTS], int i, int first, int last)
{
  int count = 0;
  for (int k = first < 0 ? 0 : first; k <= last && k < REQUESTS; k++)
    count += us[k] > us[i];
  return count;
}

/* Returns whether a log of the last [seconds] has request [i], which ends in second
   (i + 1) / IN_A_SECOND. */
static bool is_kept(const uint64_t us[REQUESTS], int i, int seconds)
{
  const int second = (i + 1) / IN_A_SECOND, first = second * IN_A_SECOND - 1;
  if (slower(us, i, 0, REQUESTS - 1) < LOGGED_REQUESTS) return true;
  return seconds > 0 && second >= REQUESTS / IN_A_SECOND - seconds
         && slower(us, i, first, first + IN_A_SECOND - 1) < LOGGED_REQUESTS;
}

/* Checks the log of [seconds] of requests with the durations [us], all different, and
   what it has of a window. */
static void check_log(const uint64_t us[REQUESTS], int seconds)
{
  struct ring_file f;
  struct eventring_event event;
  make_ring(&f, us);
  struct eventring_cursor *cursor = ring_open(&f);
  struct summary *s = new_summary(cursor);
  struct request_log *l = new_request_log(s, (uint32_t) seconds);
  while (eventring_read(cursor, &event, 1) > 0) summary_event(s, &event);
  struct visited all = { .us = us }, window = { .us = us };
  visit_request_log(l, INT64_MIN, INT64_MAX, visit, &all);
  const int64_t from = (int64_t) (901 * APART_US * US),
    to = (int64_t) ((960 * APART_US + us[959]) * US);
  visit_request_log(l, from, to, visit, &window);
  for (int i = 0; i < REQUESTS; i++) {
    assert_int_equal(all.has[i], is_kept(us, i, seconds));
    /* The end of the window is not in it. */
    assert_int_equal(window.has[i], all.has[i] && i >= 900 && i < 959);
  }
  free_request_log(l);
  free_summary(s);
  eventring_close(cursor);
  ring_destroy(&f);
}

static void the_slowest_of_all_and_of_each_second_are_kept(void **state)
{
  uint64_t us[REQUESTS];
  (void) state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    for (uint64_t i = 0; i < REQUESTS; i++) us[i] = 1 + i * seed * 1103 % LONGEST_US;
    check_log(us, 0);
    check_log(us, 3);
    check_log(us, 60);
  }
}

static void fast_ones_after_slow_ones_are_the_recent_ones(void **state)
{
  uint64_t us[REQUESTS];
  (void) state;
  for (uint64_t i = 0; i < REQUESTS; i++) us[i] = i < 20 ? LONGEST_US - i : 1 + i;
  check_log(us, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_slowest_of_all_and_of_each_second_are_kept),
    cmocka_unit_test(fast_ones_after_slow_ones_are_the_recent_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
