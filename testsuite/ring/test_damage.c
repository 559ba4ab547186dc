// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, a damaged ring can crash the reader, keep it busy for ever,
   or hide the sound blocks behind the damaged one. */

#include "ring_test.h"

/* A call returns at least one event or leaves at least one block, so this
   many calls are enough for any ring of the tests. */
#define ENOUGH 200000

static void exhaust(struct eventring_cursor *c, int merged, uint32_t rings)
{
  struct eventring_event ev[50];
  uint64_t sum = 0;
  for (uint32_t ring = 0; ring < (merged ? 1 : rings); ring++) {
    int calls = 0, n;
    do {
      n = merged ? eventring_read(c, ev, 50)
                 : eventring_read_ring(c, ring, ev, 50);
      assert_true(n >= 0 || n == EVENTRING_E_DAMAGED);
      assert_true(n <= 50);
      assert_true(++calls < ENOUGH);
      for (int i = 0; i < n; i++) {
        assert_true(ev[i].ring < rings);
        assert_true(ev[i].words <= EVENTRING_MAX_BLOCK_WORDS);
        for (uint32_t k = 0; k < ev[i].words; k++) sum += ev[i].payload[k];
      }
    } while (n != 0);
  }
  if (sum == 42) printf("sum\n");
}

static void fill(struct ring_file *f, uint32_t rings, uint64_t *seed)
{
  uint64_t payload[200] = { 0 };
  uint64_t count = 100 + ring_random(seed) % 2000;
  for (uint64_t i = 0; i < count; i++)
    ring_write(f, (uint32_t) (ring_random(seed) % rings), i,
               (uint32_t) (ring_random(seed) & 3), 1 + (uint32_t) i % 1000,
               payload, (uint32_t) (ring_random(seed) % 20 == 0
                                    ? ring_random(seed) % 200
                                    : ring_random(seed) % 4));
}

static void open_and_exhaust(struct ring_file *f, uint32_t rings)
{
  for (int from_now = 0; from_now <= 1; from_now++)
    for (int merged = 0; merged <= 1; merged++) {
      struct eventring_cursor *c =
        from_now ? ring_open_from_now(f) : ring_open(f);
      exhaust(c, merged, rings);
      eventring_close(c);
    }
}

static void noise_in_the_rings(void **state)
{
  uint64_t seed = 11;
  (void) state;
  for (int round = 0; round < 300; round++) {
    struct ring_file f;
    uint64_t words;
    int hits = 1 << ring_random(&seed) % 9;
    ring_create(&f, &(struct ring_options) {
                  .rings = 3, .log_words = 9 + (uint32_t) round % 4,
                  .clock = 1 + (uint32_t) round % 2,
                  .state = 1 + (uint32_t) round / 2 % 2 });
    fill(&f, 3, &seed);
    words = 3 * f.header->ring_words;
    for (int i = 0; i < hits; i++) {
      uint64_t *word = ring_words(&f, 0) + ring_random(&seed) % words;
      switch (ring_random(&seed) % 4) {
      case 0: *word = ring_random(&seed); break;
      case 1: *word ^= (uint64_t) 1 << ring_random(&seed) % 64; break;
      case 2: *word = 0; break;
      default: *word = UINT64_MAX;
      }
    }
    open_and_exhaust(&f, 3);
    ring_destroy(&f);
  }
}

/* Else all events since the ring began are lost once more. */
static void zeros_are_no_block(void **state)
{
  struct ring_file f;
  int damaged = 0;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 14 });
  for (uint64_t i = 1; i <= 3000; i++) ring_count(&f, 0, i, 1, i);
  const uint64_t block = f.header->block_words;
  memset(ring_words(&f, 0) + 4 * block, 0, 3 * block * sizeof (uint64_t));
  struct eventring_cursor *c = ring_open(&f);
  uint64_t events = 0, lost = 0;
  struct eventring_event event;
  int n;
  while ((n = eventring_read(c, &event, 1)) != 0) {
    damaged += n == EVENTRING_E_DAMAGED;
    if (n != 1) continue;
    if (event.form == EVENTRING_EV_LOST) lost += event.payload[0];
    else events++;
  }
  assert_int_equal(damaged, 3);
  assert_int_equal(events + lost, 3000);
  eventring_close(c);
  ring_destroy(&f);
}

static void only_noise(void **state)
{
  uint64_t seed = 12;
  (void) state;
  for (int round = 0; round < 100; round++) {
    struct ring_file f;
    ring_create(&f, &(struct ring_options) {
                  .rings = 2, .log_words = 11,
                  .clock = 1 + (uint32_t) round % 2,
                  .other_boot = round % 3 == 0,
                  .state = 1 + (uint32_t) round / 2 % 2 });
    fill(&f, 2, &seed);
    for (uint64_t i = 0; i < 2 * f.header->ring_words; i++)
      ring_words(&f, 0)[i] = ring_random(&seed) >> ring_random(&seed) % 64;
    open_and_exhaust(&f, 2);
    ring_destroy(&f);
  }
}

static void hostile_slots(void **state)
{
  static const uint64_t values[] = {
    0, 1, 4, 5, 255, 256, 257, 511, 512, 513, 768, 1024, 1025, 1 << 20,
    (uint64_t) 1 << 40, ((uint64_t) 1 << 62) - 256, (uint64_t) 1 << 62,
    ((uint64_t) 1 << 62) + 256, (uint64_t) 1 << 63, UINT64_MAX - 255,
    UINT64_MAX };
  size_t count = sizeof values / sizeof *values;
  uint64_t seed = 13;
  (void) state;
  for (size_t t = 0; t < count; t++)
    for (size_t r = 0; r < count; r++) {
      struct ring_file f;
      ring_create(&f, &(struct ring_options) { .rings = 2 });
      fill(&f, 2, &seed);
      ring_slot(&f, 0)->tail = values[t];
      ring_slot(&f, 0)->reserve = values[r];
      open_and_exhaust(&f, 2);
      ring_destroy(&f);
    }
}

/* The slot changes during a read as no writer changes it. */
static void slots_that_change_during_a_read(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[50];
  uint64_t seed = 14;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 2 });
  fill(&f, 2, &seed);
  c = ring_open(&f);
  for (int i = 0; i < 100000; i++) {
    uint64_t tail = ring_random(&seed) >> ring_random(&seed) % 64;
    int n;
    ring_slot(&f, i & 1)->tail = tail;
    ring_slot(&f, i & 1)->reserve = (tail | 255) + 1
                                    + (ring_random(&seed) % 50 == 0);
    n = eventring_read(c, ev, 50);
    assert_true(n <= 50 && (n >= 0 || n == EVENTRING_E_DAMAGED));
  }
  eventring_close(c);
  ring_destroy(&f);
}

/* One damaged block is reported once; its events are counted as lost, and all
   other events are returned. */
static void damage_is_contained(void **state)
{
  static struct eventring_event ev[2000];
  (void) state;
  for (uint64_t at = 0; at < 252; at++) {
    struct ring_file f;
    struct eventring_cursor *c;
    int damaged = 0;
    size_t n;
    ring_create(&f, &(struct ring_options) { .log_words = 11 });
    for (uint64_t i = 0; i < 1000; i++) ring_count(&f, 0, i, 256, i);
    /* 126 counters a block; the third of its events words is no event. */
    ring_words(&f, 0)[2 * 256 + 4 + at / 2 * 2] =
      EVENTRING_WORD(0, 2, at % 2) | (uint64_t) 5 << 24;
    c = ring_open(&f);
    n = ring_read_all(c, ev, 2000, &damaged);
    assert_int_equal(damaged, 1);
    assert_int_equal(n, 1000 - 126 + at / 2 + 1);
    assert_int_equal(eventring_events_read(c, 0), n - 1);
    assert_int_equal(eventring_events_lost(c, 0), 126 - at / 2);
    assert_int_equal(ev[2 * 126 + at / 2].form, EVENTRING_EV_LOST);
    assert_int_equal(ev[n - 1].ticks, 999);
    eventring_close(c);
    ring_destroy(&f);
  }
}

/* Impossible block headers: more events than words before the block, or no
   event in a block that is complete.  Only that block is lost. */
static void impossible_block_headers(void **state)
{
  static struct eventring_event ev[2000];
  (void) state;
  for (int kind = 0; kind < 3; kind++) {
    struct ring_file f;
    struct eventring_cursor *c;
    int damaged = 0;
    size_t n;
    ring_create(&f, &(struct ring_options) { .log_words = 11 });
    for (uint64_t i = 0; i < 1000; i++) ring_count(&f, 0, i, 256, i);
    if (kind == 0)
      ring_words(&f, 0)[3 * 256 + EVENTRING_BLOCK_EVENTS] = UINT64_MAX;
    else if (kind == 1)
      ring_words(&f, 0)[3 * 256 + EVENTRING_BLOCK_EVENTS] = 3 * 256 + 1;
    else
      ring_words(&f, 0)[3 * 256 + EVENTRING_BLOCK_HEADER_WORDS] = 0;
    c = ring_open(&f);
    n = ring_read_all(c, ev, 2000, &damaged);
    assert_int_equal(damaged, 1);
    assert_int_equal(n, 1000 - 126 + 1);
    assert_int_equal(ev[3 * 126].form, EVENTRING_EV_LOST);
    assert_int_equal(eventring_events_lost(c, 0), 126);
    assert_int_equal(ev[n - 1].ticks, 999);
    eventring_close(c);
    ring_destroy(&f);
  }
}

static void payload_past_the_tail(void **state)
{
  struct eventring_event ev[10];
  (void) state;
  for (uint64_t length = 2; length < 64; length++) {
    struct ring_file f;
    struct eventring_cursor *c;
    int damaged = 0;
    ring_create(&f, NULL);
    ring_count(&f, 0, 5, 256, 1);
    ring_count(&f, 0, 6, 256, UINT32_MAX);
    ring_words(&f, 0)[6] = EVENTRING_WORD(256, 2, length);
    c = ring_open(&f);
    assert_int_equal(ring_read_all(c, ev, 10, &damaged), 1);
    assert_int_equal(damaged, 1);
    eventring_close(c);
    ring_destroy(&f);
  }
}

/* Times of the future in a damaged block of a running process do not hold the
   reader up for ever. */
static void future_times_do_not_stop_the_reader(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[10];
  uint64_t now;
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .rings = 2, .state = EVENTRING_RUNNING });
  now = f.header->started.ticks;
  ring_count(&f, 0, now + 1, 256, 1);
  ring_count(&f, 1, now + ((uint64_t) 1 << 50), 256, 2);
  c = ring_open(&f);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  assert_int_equal(ring_read_all(c, ev, 10, NULL), 2);
  assert_int_equal(ev[0].ring, 0);
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(noise_in_the_rings),
    cmocka_unit_test(zeros_are_no_block),
    cmocka_unit_test(only_noise),
    cmocka_unit_test(hostile_slots),
    cmocka_unit_test(slots_that_change_during_a_read),
    cmocka_unit_test(damage_is_contained),
    cmocka_unit_test(impossible_block_headers),
    cmocka_unit_test(payload_past_the_tail),
    cmocka_unit_test(future_times_do_not_stop_the_reader),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
