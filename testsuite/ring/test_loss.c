// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, a reader that was overtaken reports a wrong number of lost
   events, or resumes at a wrong place. */

#include "ring_test.h"

/* The numbers that a reader learned about one ring. */
struct told {
  uint64_t read, lost;          /* sums over the events returned */
  uint64_t next;                /* value expected next */
};

/* Reads to the end; every event carries its own index as value, so a loss of
   n must be followed by a value n further. */
static void follow(struct eventring_cursor *c, struct told *t)
{
  struct eventring_event ev[37];
  int n;
  while ((n = eventring_read(c, ev, 37)) > 0)
    for (int i = 0; i < n; i++)
      if (ev[i].form == EVENTRING_EV_LOST) {
        assert_int_equal(ev[i].words, 1);
        assert_int_equal(ev[i].id, 0);
        assert_true(ev[i].payload[0] > 0);
        t->lost += ev[i].payload[0];
        t->next += ev[i].payload[0];
      } else {
        assert_int_equal(ev[i].payload[0], t->next);
        t->next++;
        t->read++;
      }
  assert_int_equal(n, 0);
  assert_int_equal(eventring_events_read(c, 0), t->read);
  assert_int_equal(eventring_events_lost(c, 0), t->lost);
}

/* One event of index [i], of a size that varies. */
static void write_one(struct ring_file *f, uint64_t i, uint64_t *seed)
{
  uint64_t payload[250];
  uint32_t words = 1 + (uint32_t) (ring_random(seed) % 8);
  if (ring_random(seed) % 50 == 0)
    words = 1 + (uint32_t) (ring_random(seed) % 250);
  for (uint32_t k = 0; k < words; k++) payload[k] = i;
  ring_write(f, 0, 100 + i, EVENTRING_FORM_INSTANT, 700, payload, words);
}

static void written_is_read_plus_lost(void **state)
{
  uint64_t seed = 1;
  (void) state;
  for (uint32_t log_words = 9; log_words <= 13; log_words++)
    for (uint64_t count = 1; count < 20000; count += 1 + count / 3) {
      struct ring_file f;
      struct told t = { 0, 0, 0 };
      struct eventring_cursor *c;
      ring_create(&f, &(struct ring_options) { .log_words = log_words });
      for (uint64_t i = 0; i < count; i++) write_one(&f, i, &seed);
      c = ring_open(&f);
      follow(c, &t);
      assert_int_equal(t.read + t.lost, count);
      assert_true(t.read > 0);
      eventring_close(c);
      ring_destroy(&f);
    }
}

/* The ring holds four blocks of 126 counters, the last one partly written; all
   of them are read. */
static void only_overwritten_events_are_lost(void **state)
{
  (void) state;
  for (uint64_t count = 1; count < 3000; count += count < 700 ? 1 : 61) {
    struct ring_file f;
    struct told t = { 0, 0, 0 };
    struct eventring_cursor *c;
    uint64_t blocks = (count + 125) / 126;
    uint64_t there = blocks <= 4 ? count : count - (blocks - 4) * 126;
    ring_create(&f, &(struct ring_options) { .log_words = 10 });
    for (uint64_t i = 0; i < count; i++) ring_count(&f, 0, i, 300, i);
    c = ring_open(&f);
    follow(c, &t);
    assert_int_equal(t.read, there);
    assert_int_equal(t.lost, count - there);
    eventring_close(c);
    ring_destroy(&f);
  }
}

static void two_cursors_at_their_own_pace(void **state)
{
  struct ring_file f;
  struct told fast = { 0, 0, 0 }, slow = { 0, 0, 0 };
  struct eventring_cursor *a, *b;
  uint64_t seed = 2, count = 0;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 11 });
  a = ring_open(&f);
  b = ring_open(&f);
  for (int round = 0; round < 3000; round++) {
    uint64_t burst = ring_random(&seed) % 60;
    for (uint64_t i = 0; i < burst; i++) write_one(&f, count++, &seed);
    follow(a, &fast);
    if (ring_random(&seed) % 40 == 0) follow(b, &slow);
  }
  follow(b, &slow);
  assert_int_equal(fast.read + fast.lost, count);
  assert_int_equal(fast.lost, 0);
  assert_int_equal(slow.read + slow.lost, count);
  assert_true(slow.lost > 0 && slow.read > 0);
  eventring_close(a);
  eventring_close(b);
  ring_destroy(&f);
}

static void losses_of_a_cursor_from_now(void **state)
{
  uint64_t seed = 3;
  (void) state;
  for (uint64_t old = 0; old < 2000; old += 1 + old / 5)
    for (uint64_t more = 0; more < 2000; more = more * 3 + 1) {
      struct ring_file f;
      struct told t = { 0, 0, old };
      struct eventring_cursor *c;
      ring_create(&f, &(struct ring_options) { .log_words = 10 });
      for (uint64_t i = 0; i < old; i++) write_one(&f, i, &seed);
      c = ring_open_from_now(&f);
      assert_int_equal(eventring_events_lost(c, 0), 0);
      assert_int_equal(eventring_events_read(c, 0), 0);
      for (uint64_t i = 0; i < more; i++) write_one(&f, old + i, &seed);
      follow(c, &t);
      assert_int_equal(t.read + t.lost, more);
      eventring_close(c);
      ring_destroy(&f);
    }
}

static void losses_are_merged_in_order(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 2 });
  ring_count(&f, 1, 500, 300, 0);
  ring_count(&f, 1, 5000, 300, 1);
  for (uint64_t i = 0; i < 1000; i++) ring_count(&f, 0, 1000 + i, 300, i);
  c = ring_open(&f);
  assert_true(eventring_read(c, ev, 8) >= 3);
  assert_int_equal(ev[0].ring, 1);
  assert_int_equal(ev[1].ring, 0);
  assert_int_equal(ev[1].form, EVENTRING_EV_LOST);
  assert_int_equal(ev[2].form, EVENTRING_EV_COUNTER);
  assert_int_equal(ev[2].payload[0], ev[1].payload[0]);
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(written_is_read_plus_lost),
    cmocka_unit_test(only_overwritten_events_are_lost),
    cmocka_unit_test(two_cursors_at_their_own_pace),
    cmocka_unit_test(losses_of_a_cursor_from_now),
    cmocka_unit_test(losses_are_merged_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
