// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, the words at the edge of a block are misread: padding,
   long payloads, a time far from the one before, a new domain in the ring. */

#include "ring_test.h"

#define MAX_EVENTS 4000

static struct eventring_event events[MAX_EVENTS];

static void every_payload_length(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[16];
  uint64_t payload[EVENTRING_MAX_PAYLOAD_WORDS];
  uint32_t next = 0;
  int n;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 16 });
  for (uint32_t words = 0; words <= EVENTRING_MAX_PAYLOAD_WORDS; words++) {
    for (uint32_t i = 0; i < words; i++) payload[i] = words * 1000 + i;
    ring_write(&f, 0, 50 + words, EVENTRING_FORM_INSTANT, 2000, payload,
               words);
  }
  c = ring_open(&f);
  while ((n = eventring_read(c, ev, 16)) > 0)
    for (int i = 0; i < n; i++, next++) {
      assert_int_equal(ev[i].form, EVENTRING_EV_INSTANT);
      assert_int_equal(ev[i].words, next);
      assert_int_equal(ev[i].ticks, 50 + next);
      for (uint32_t k = 0; k < next; k++)
        assert_int_equal(ev[i].payload[k], next * 1000 + k);
    }
  assert_int_equal(next, EVENTRING_MAX_PAYLOAD_WORDS + 1);
  eventring_close(c);
  ring_destroy(&f);
}

/* Blocks left with every number of words unused at their end. */
static void every_padding(void **state)
{
  static const uint64_t payload[EVENTRING_MAX_PAYLOAD_WORDS];
  (void) state;
  for (uint32_t gap = 0; gap < 200; gap++) {
    struct ring_file f;
    struct eventring_cursor *c;
    ring_create(&f, &(struct ring_options) { .log_words = 11 });
    /* 252 words are free in a block of 256; singles fill up to the gap. */
    for (uint32_t i = 0; i < 252 - gap; i++)
      ring_write(&f, 0, i, EVENTRING_FORM_BEGIN, 1, NULL, 0);
    ring_write(&f, 0, 300, EVENTRING_FORM_INSTANT, 700, payload, 240);
    ring_count(&f, 0, 301, 256, gap);
    c = ring_open(&f);
    assert_int_equal(ring_read_all(c, events, MAX_EVENTS, NULL), 254 - gap);
    assert_int_equal(events[253 - gap].ticks, 301);
    assert_int_equal(eventring_events_lost(c, 0), 0);
    eventring_close(c);
    ring_destroy(&f);
  }
}

/* A reader that has read every event finds the padding alone in a later copy of
   the block. */
static void padding_after_all_was_read(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c, *one;
  struct eventring_event ev[4];
  uint64_t payload[100] = { 0 };
  (void) state;
  ring_create(&f, NULL);
  c = ring_open(&f);
  one = ring_open(&f);
  for (uint64_t i = 0; i < 2000; i++) {
    payload[0] = i;
    ring_write(&f, 0, i, EVENTRING_FORM_INSTANT, 700, payload,
               1 + (uint32_t) (i * 37 % 100));
    assert_int_equal(eventring_read(c, ev, 4), 1);
    assert_int_equal(ev[0].payload[0], i);
    assert_int_equal(eventring_read(c, ev, 4), 0);
    assert_int_equal(eventring_read_ring(one, 0, ev, 4), 1);
    assert_int_equal(ev[0].payload[0], i);
    assert_int_equal(eventring_read_ring(one, 0, ev, 4), 0);
  }
  assert_int_equal(eventring_events_lost(c, 0), 0);
  eventring_close(one);
  eventring_close(c);
  ring_destroy(&f);
}

static void times_far_apart(void **state)
{
  static const uint64_t times[] = {
    5, 5, ((uint64_t) 1 << 40) + 4, ((uint64_t) 1 << 40) + 5,
    ((uint64_t) 1 << 41) + 5, (uint64_t) 1 << 50, (uint64_t) 1 << 62 };
  size_t count = sizeof times / sizeof *times;
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 12 });
  for (size_t i = 0; i < count; i++) ring_count(&f, 0, times[i], 256, i);
  c = ring_open(&f);
  assert_int_equal(ring_read_all(c, events, MAX_EVENTS, NULL), count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(events[i].ticks, times[i]);
    assert_int_equal(events[i].ns, times[i]);
  }
  eventring_close(c);
  ring_destroy(&f);
}

static void a_new_domain_in_the_ring(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 14 });
  for (uint32_t i = 0; i < 60; i++) {
    if (i % 3 == 0) ring_domain(&f, 0, i / 3, 0x80000000u + i / 3);
    ring_count(&f, 0, i, 256, i);
  }
  c = ring_open(&f);
  assert_int_equal(ring_read_all(c, events, MAX_EVENTS, NULL), 60);
  for (uint32_t i = 0; i < 60; i++) {
    assert_int_equal(events[i].domain, i / 3);
    assert_int_equal(events[i].thread, 0x80000000u + i / 3);
    assert_int_equal(events[i].ticks, i);
  }
  eventring_close(c);
  ring_destroy(&f);
}

/* Any bytes are accepted as text, with a length that fits the payload. */
static void any_bytes_are_text(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  uint64_t payload[4];
  size_t length = 99;
  const char *text;
  (void) state;
  ring_create(&f, NULL);
  memset(payload, 0, sizeof payload);
  payload[0] = 11;
  memcpy(&payload[1], "hello\0world", 11);
  ring_write(&f, 0, 1, EVENTRING_FORM_INSTANT, 1024, payload, 3);
  payload[0] = 0;
  ring_write(&f, 0, 2, EVENTRING_FORM_INSTANT, 1024, payload, 1);
  payload[0] = 17;
  ring_write(&f, 0, 3, EVENTRING_FORM_INSTANT, 1024, payload, 3);
  payload[0] = UINT64_MAX;
  ring_write(&f, 0, 4, EVENTRING_FORM_INSTANT, 1024, payload, 3);
  ring_write(&f, 0, 5, EVENTRING_FORM_INSTANT, 1024, NULL, 0);
  payload[0] = 8;
  ring_write(&f, 0, 6, EVENTRING_FORM_COUNTER, 1024, payload, 2);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 8), 6);
  text = eventring_event_bytes(&ev[0], &length);
  assert_non_null(text);
  assert_int_equal(length, 11);
  assert_memory_equal(text, "hello\0world", 11);
  assert_non_null(eventring_event_bytes(&ev[1], &length));
  assert_int_equal(length, 0);
  for (int i = 2; i < 6; i++)
    assert_null(eventring_event_bytes(&ev[i], &length));
  assert_null(eventring_event_bytes(NULL, &length));
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_payload_length),
    cmocka_unit_test(every_padding),
    cmocka_unit_test(padding_after_all_was_read),
    cmocka_unit_test(times_far_apart),
    cmocka_unit_test(a_new_domain_in_the_ring),
    cmocka_unit_test(any_bytes_are_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
