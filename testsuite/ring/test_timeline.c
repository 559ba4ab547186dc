// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis analysis/timeline.c analysis/spans.c analysis/requests.c analysis/histogram.c analysis/memory.c analysis/target.c
/* If this breaks, the timeline of eventring serve loses time of short spans
   when it merges them, draws spans in wrong places, or grows with the number of
   events. */

#include "ring_test.h"
#include "timeline.h"

#define SPAN 1024
#define INNER 1025
#define WIDTH 100
#define PIXEL 1001                /* ns, of a window of 100,000 ns */
#define WINDOW 100000

static void make_ring(struct ring_file *f)
{
  ring_create(f, &(struct ring_options) { .log_words = 18 });
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, 4, "", "user");
  ring_schema(f, SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", "outer");
  ring_schema(f, INNER, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", "inner");
}

static void write_span(struct ring_file *f, uint32_t id, uint64_t from,
                       uint64_t to)
{
  ring_write(f, 0, from, EVENTRING_FORM_BEGIN, id, NULL, 0);
  ring_write(f, 0, to, EVENTRING_FORM_END, id, NULL, 0);
}

/* Returns the timeline of the window from [from] of [f], of WINDOW ns. */
static struct timeline *draw(struct eventring_cursor *c, int64_t from)
{
  struct eventring_event ev[256];
  int n;
  struct timeline *t = new_timeline(c, from, from + WINDOW, WIDTH);
  while ((n = eventring_read(c, ev, 256)) > 0)
    for (int i = 0; i < n; i++) timeline_event(t, &ev[i]);
  timeline_finish(t);
  return t;
}

static void long_spans_are_kept_with_their_depth(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  write_span(&f, SPAN, 500, 1500);              /* before the window in part */
  ring_write(&f, 0, 20000, EVENTRING_FORM_BEGIN, SPAN, NULL, 0);
  write_span(&f, INNER, 21000, 23000);
  ring_write(&f, 0, 30000, EVENTRING_FORM_END, SPAN, NULL, 0);
  ring_write(&f, 0, 90000, EVENTRING_FORM_BEGIN, INNER, NULL, 0);
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = draw(c, 1000);
  const struct timeline_lane *lane = timeline_lane(t, 0);
  assert_non_null(lane);
  assert_null(timeline_lane(t, 1));
  assert_null(timeline_gap(t, 0));
  assert_int_equal(lane->count, 4);
  const struct timeline_span *s = lane->spans;
  assert_int_equal(s[0].from_ns, 21000);
  assert_int_equal(s[0].to_ns, 23000);
  assert_int_equal(s[0].depth, 1);
  assert_int_equal(s[0].kind, TIMELINE_USER);
  assert_string_equal(timeline_name(t, (size_t) s[0].name), "inner");
  assert_int_equal(s[1].from_ns, 20000);
  assert_int_equal(s[1].to_ns, 30000);
  assert_int_equal(s[1].depth, 0);
  assert_string_equal(timeline_name(t, (size_t) s[1].name), "outer");
  /* The last one is open: it lasts to the end of the window. */
  assert_int_equal(s[2].from_ns, 90000);
  assert_int_equal(s[2].to_ns, 1000 + WINDOW);
  /* The first one is cut to 500 ns, which is less than a pixel. */
  assert_int_equal(s[3].merged, 1);
  assert_int_equal(s[3].from_ns, 1000);
  assert_float_equal(s[3].share, 500.0 / PIXEL, 0.001);
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

static void short_spans_are_merged_without_loss_of_time(void **state)
{
  struct ring_file f;
  uint64_t seed = 1, at = 1000, covered = 0, count = 0;
  (void) state;
  make_ring(&f);
  while (at < 1000 + WINDOW - 20) {
    uint64_t length = 1 + ring_random(&seed) % 10;
    write_span(&f, SPAN, at, at + length);
    covered += length;
    count++;
    at += length + ring_random(&seed) % 5;
  }
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = draw(c, 1000);
  const struct timeline_lane *lane = timeline_lane(t, 0);
  double drawn = 0;
  uint64_t merged = 0;
  assert_true(count > 5000);
  assert_true(lane->count <= WIDTH);
  assert_false(lane->truncated);
  for (size_t i = 0; i < lane->count; i++) {
    drawn += lane->spans[i].share * PIXEL;
    merged += lane->spans[i].merged;
    assert_true(lane->spans[i].share <= 1);
  }
  assert_int_equal(merged, count);
  assert_float_equal(drawn, (double) covered, 0.01 * (double) covered);
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

/* Spans of several lengths that end out of the order of their begins. */
static void a_lane_is_bounded_for_any_spans(void **state)
{
  struct ring_file f;
  uint64_t seed = 2, at = 1000;
  (void) state;
  make_ring(&f);
  for (int i = 0; i < 20000; i++) {
    at += ring_random(&seed) % 9;
    ring_write(&f, 0, at, ring_random(&seed) % 2 == 0 ? EVENTRING_FORM_BEGIN
                          : EVENTRING_FORM_END,
               ring_random(&seed) % 2 == 0 ? SPAN : INNER, NULL, 0);
  }
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = draw(c, 1000);
  const struct timeline_lane *lane = timeline_lane(t, 0);
  assert_true(lane->count <= 4 * WIDTH + 64);
  for (size_t i = 0; i < lane->count; i++) {
    assert_true(lane->spans[i].from_ns >= 1000);
    assert_true(lane->spans[i].to_ns <= 1000 + WINDOW);
    assert_true(lane->spans[i].from_ns < lane->spans[i].to_ns);
    assert_true(lane->spans[i].depth < TIMELINE_DEPTHS);
  }
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_spans_are_kept_with_their_depth),
    cmocka_unit_test(short_spans_are_merged_without_loss_of_time),
    cmocka_unit_test(a_lane_is_bounded_for_any_spans)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
