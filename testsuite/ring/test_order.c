// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, events of different domains come out in the wrong order, or
   some come twice or never. */

#include "ring_test.h"

/* [per_ring] events in each of [rings] rings, with times that interleave at
   random and often coincide; value = running number in the ring. */
static void fill(struct ring_file *f, uint32_t rings, uint32_t per_ring,
                 uint64_t *seed)
{
  for (uint32_t r = 0; r < rings; r++) {
    uint64_t ticks = 1000 + ring_random(seed) % 50;
    for (uint32_t i = 0; i < per_ring; i++) {
      ring_count(f, r, ticks, 256 + r, i);
      ticks += ring_random(seed) % 4 * (ring_random(seed) % 64);
    }
  }
}

static void check_merge(uint32_t rings, uint32_t per_ring, int batch)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event *ev = calloc((size_t) batch, sizeof *ev);
  uint64_t *next = calloc(rings, sizeof *next);
  uint64_t seed = rings * 1000 + per_ring, last = 0;
  size_t total = 0;
  uint32_t last_ring = 0;
  int n;

  ring_create(&f, &(struct ring_options) { .rings = rings, .log_words = 14 });
  fill(&f, rings, per_ring, &seed);
  c = ring_open(&f);
  while ((n = eventring_read(c, ev, batch)) > 0) {
    assert_true(n <= batch);
    for (int i = 0; i < n; i++) {
      assert_int_equal(ev[i].form, EVENTRING_EV_COUNTER);
      assert_int_equal(ev[i].id, 256 + ev[i].ring);
      assert_int_equal(ev[i].domain, ev[i].ring);
      assert_int_equal(ev[i].thread, 1000 + ev[i].ring);
      assert_int_equal(ev[i].words, 1);
      assert_int_equal(ev[i].payload[0], next[ev[i].ring]++);
      assert_true(ev[i].ticks >= last);
      /* Equal times: the lower ring first. */
      assert_true(ev[i].ticks > last || ev[i].ring >= last_ring);
      assert_int_equal(ev[i].ns, ev[i].ticks);
      last = ev[i].ticks;
      last_ring = ev[i].ring;
    }
    total += (size_t) n;
  }
  assert_int_equal(n, 0);
  assert_int_equal(total, (size_t) rings * per_ring);
  for (uint32_t r = 0; r < rings; r++) {
    assert_int_equal(eventring_events_read(c, r), per_ring);
    assert_int_equal(eventring_events_lost(c, r), 0);
  }
  eventring_close(c);
  ring_destroy(&f);
  free(next);
  free(ev);
}

static void merge_of_many_shapes(void **state)
{
  (void) state;
  for (uint32_t rings = 1; rings <= 9; rings++)
    for (uint32_t per_ring = 1; per_ring < 5000; per_ring = per_ring * 3 + 1)
      check_merge(rings, per_ring, 64);
  check_merge(3, 1000, 1);
  check_merge(3, 1000, 7);
  check_merge(5, 4000, 10000);
  check_merge(128, 300, 512);
}

static void idle_rings_between(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[16];
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 128 });
  ring_count(&f, 100, 20, 300, 1);
  ring_count(&f, 7, 10, 300, 0);
  ring_count(&f, 127, 30, 300, 2);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 16), 3);
  for (uint64_t i = 0; i < 3; i++)
    assert_int_equal(ev[i].payload[0], i);
  assert_int_equal(eventring_read(c, ev, 16), 0);
  ring_count(&f, 50, 40, 300, 3);
  assert_int_equal(eventring_read(c, ev, 16), 1);
  assert_int_equal(ev[0].ring, 50);
  assert_int_equal(eventring_read(c, ev, 16), 0);
  eventring_close(c);
  ring_destroy(&f);
}

static void one_ring_alone(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[100];
  uint64_t next = 0;
  int n;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 2, .log_words = 12 });
  for (uint64_t i = 0; i < 1500; i++) {
    ring_count(&f, 0, i, 300, i);
    ring_count(&f, 1, i, 300, i + 10000);
  }
  c = ring_open(&f);
  while ((n = eventring_read_ring(c, 1, ev, 100)) > 0)
    for (int i = 0; i < n; i++)
      assert_int_equal(ev[i].payload[0], 10000 + next++);
  assert_int_equal(n, 0);
  assert_int_equal(next, 1500);
  assert_int_equal(eventring_events_read(c, 0), 0);
  assert_int_equal(eventring_events_read(c, 1), 1500);
  eventring_close(c);
  ring_destroy(&f);
}

/* All payloads of a batch hold until the next call, over however many rings
   and blocks the batch goes. */
static void payloads_last_for_a_batch(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  static struct eventring_event ev[4000];
  uint64_t next = 0;
  int n;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 4, .log_words = 12 });
  for (uint64_t i = 0; i < 6000; i++)
    ring_count(&f, (uint32_t) (i * i) % 4, i, 300, i);
  c = ring_open(&f);
  while ((n = eventring_read(c, ev, 4000)) > 0)
    for (int i = 0; i < n; i++)
      if (ev[i].form == EVENTRING_EV_COUNTER)
        assert_int_equal(ev[i].payload[0], ev[i].ticks), next++;
  assert_true(next > 1000);
  eventring_close(c);
  ring_destroy(&f);
}

static void bad_arguments(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[4];
  (void) state;
  ring_create(&f, NULL);
  ring_count(&f, 0, 1, 300, 1);
  c = ring_open(&f);
  assert_int_equal(eventring_read(NULL, ev, 4), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_read(c, NULL, 4), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_read(c, ev, -1), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_read(c, ev, 0), 0);
  assert_int_equal(eventring_read_ring(c, 1, ev, 4), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_read_ring(c, 0, ev, 0), 0);
  assert_int_equal(eventring_events_read(c, 99), 0);
  assert_int_equal(eventring_events_lost(NULL, 0), 0);
  assert_int_equal(eventring_read(c, ev, 4), 1);
  eventring_close(c);
  eventring_close(NULL);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(merge_of_many_shapes),
    cmocka_unit_test(idle_rings_between),
    cmocka_unit_test(one_ring_alone),
    cmocka_unit_test(payloads_last_for_a_batch),
    cmocka_unit_test(bad_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
