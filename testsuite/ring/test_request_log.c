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

/* Writes REQUESTS requests, numbered from 1, with the durations [us] in microseconds. */
static void make_ring(struct ring_file *f, const uint64_t us[REQUESTS])
{
  ring_create(f, &(struct ring_options) { .log_words = 14, .rings = 2 });
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

/* Sets [has] of the requests that [l] has from [from_ns] to before [to_ns], and checks
   them. */
static void list(const struct request_log *l, int64_t from_ns, int64_t to_ns,
                 const uint64_t us[REQUESTS], bool has[REQUESTS])
{
  size_t count;
  struct ended_request *all = list_request_log(l, from_ns, to_ns, &count);
  for (size_t i = 0; i < count; i++) {
    assert_in_range(all[i].number, 1, REQUESTS);
    assert_int_equal(all[i].end_ns - all[i].begin_ns, us[all[i].number - 1] * US);
    has[all[i].number - 1] = true;
  }
  free(all);
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
  struct ended_request ended;
  bool all[REQUESTS] = { false }, window[REQUESTS] = { false };
  make_ring(&f, us);
  struct eventring_cursor *cursor = ring_open(&f);
  struct requests *r = new_requests(cursor);
  struct request_log *l = new_request_log(r, (uint32_t) seconds);
  while (eventring_read(cursor, &event, 1) > 0) request_ended(r, &event, &ended);
  list(l, INT64_MIN, INT64_MAX, us, all);
  const int64_t from = (int64_t) (901 * APART_US * US),
    to = (int64_t) ((960 * APART_US + us[959]) * US);
  list(l, from, to, us, window);
  for (int i = 0; i < REQUESTS; i++) {
    assert_int_equal(all[i], is_kept(us, i, seconds));
    /* The end of the window is not in it. */
    assert_int_equal(window[i], all[i] && i >= 900 && i < 959);
  }
  free_request_log(l);
  free_requests(r);
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

/* Gives [r] an event of ring [ring] at [ns]. */
static void give(struct requests *r, uint32_t ring, int64_t ns, int form, uint16_t id,
                 uint64_t number)
{
  struct ended_request ended;
  request_ended(r, &(struct eventring_event) {
    .form = (uint8_t) form, .ring = ring, .ns = ns, .id = id,
    .words = form == EVENTRING_EV_LOST ? 0 : 1, .payload = &number, .thread = 1 + ring
  }, &ended);
}

/* The loss of a ring is known at its next event, when requests of later times have ended
   in another ring. */
static void a_loss_that_is_known_later_counts(void **state)
{
  uint64_t us[REQUESTS] = { 0 };
  struct ring_file f;
  size_t count;
  (void) state;
  make_ring(&f, us);
  struct eventring_cursor *cursor = ring_open(&f);
  struct requests *r = new_requests(cursor);
  struct request_log *l = new_request_log(r, 60);
  const int64_t s = 1000000000;
  give(r, 1, 10 * s, EVENTRING_EV_BEGIN, ORDER, 1);
  give(r, 0, 10 * s, EVENTRING_EV_BEGIN, ORDER, 2);
  give(r, 1, 11 * s, EVENTRING_EV_END, ORDER, 1);
  give(r, 0, 15 * s, EVENTRING_EV_END, ORDER, 2);
  struct ended_request *list = list_request_log(l, 0, INT64_MAX, &count);
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++) assert_true(list[i].runs_known);
  free(list);
  give(r, 1, 20 * s, EVENTRING_EV_LOST, 0, 0);
  list = list_request_log(l, 0, INT64_MAX, &count);
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(list[i].runs_known, list[i].number == 1);
  free(list);
  free_request_log(l);
  free_requests(r);
  eventring_close(cursor);
  ring_destroy(&f);
}

/* An event of an earlier second, or with a time far ahead, as a damaged file may have. */
static void times_that_go_back_keep_no_places(void **state)
{
  uint64_t us[REQUESTS] = { 0 };
  struct ring_file f;
  size_t count;
  (void) state;
  make_ring(&f, us);
  struct eventring_cursor *cursor = ring_open(&f);
  struct requests *r = new_requests(cursor);
  struct request_log *l = new_request_log(r, 1);
  const int64_t s = 1000000000, ahead = 1000000 * s;
  uint64_t number = 1;
  /* The list of all is full of longer ones. */
  for (; number <= LOGGED_REQUESTS; number++) {
    give(r, 0, s, EVENTRING_EV_BEGIN, ORDER, number);
    give(r, 0, 3 * s, EVENTRING_EV_END, ORDER, number);
  }
  const int64_t ends[] = { 9 * s, 7 * s, ahead, 11 * s };
  for (size_t i = 0; i < 4; i++, number++) {
    give(r, 0, ends[i] - 10, EVENTRING_EV_BEGIN, ORDER, number);
    give(r, 0, ends[i], EVENTRING_EV_END, ORDER, number);
  }
  struct ended_request *list = list_request_log(l, 4 * s, INT64_MAX, &count);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < count; i++)
    assert_true(list[i].end_ns == ahead || list[i].end_ns == 11 * s);
  free(list);
  free_request_log(l);
  free_requests(r);
  eventring_close(cursor);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_slowest_of_all_and_of_each_second_are_kept),
    cmocka_unit_test(fast_ones_after_slow_ones_are_the_recent_ones),
    cmocka_unit_test(a_loss_that_is_known_later_counts),
    cmocka_unit_test(times_that_go_back_keep_no_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
