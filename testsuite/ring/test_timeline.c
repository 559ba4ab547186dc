// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the timeline of eventring serve loses time of short spans
   when it merges them, draws spans in wrong places, or grows with the number of
   events. */

#include "ring_test.h"
#include "timeline.h"

#define SPAN 1024
#define INNER 1025
#define PAUSE 1026                /* a complete event */
#define RUN 649                   /* events of the runtime */
#define YIELD 659
#define BLOCKING 652
#define WIDTH 100
#define PIXEL 1001                /* ns, of a window of 100,000 ns */
#define WINDOW 100000

static void make_ring(struct ring_file *f)
{
  ring_create(f, &(struct ring_options) { .rings = 2, .log_words = 18 });
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, 4, "", "user");
  ring_schema(f, SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", "outer");
  ring_schema(f, INNER, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", "inner");
  ring_schema(f, PAUSE, EVENTRING_COMPLETE, EVENTRING_INT, 4, "ns", "pause");
}

static void write_span(struct ring_file *f, uint32_t id, uint64_t from,
                       uint64_t to)
{
  ring_write(f, 0, from, EVENTRING_FORM_BEGIN, id, NULL, 0);
  ring_write(f, 0, to, EVENTRING_FORM_END, id, NULL, 0);
}

/* Draws the events of [c] that are left. */
static struct timeline *finish(struct eventring_cursor *c, struct timeline *t)
{
  struct eventring_event ev[256];
  int n;
  while ((n = eventring_read(c, ev, 256)) > 0)
    for (int i = 0; i < n; i++) timeline_event(t, &ev[i]);
  timeline_finish(t, INT64_MAX);
  return t;
}

/* Returns the timeline of the window from [from], of WINDOW ns. */
static struct timeline *draw(struct eventring_cursor *c, int64_t from)
{
  return finish(c, new_timeline(c, from, from + WINDOW, WIDTH));
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

/* At each pixel a span of a third of it at each of eight depths: eight merged
   spans a pixel. */
static void a_lane_of_many_depths_is_merged_more_and_keeps_its_end(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  for (uint64_t pixel = 0; pixel < WIDTH; pixel++) {
    const uint64_t from = 1000 + pixel * PIXEL;
    for (uint64_t depth = 0; depth < TIMELINE_DEPTHS; depth++)
      ring_write(&f, 0, from + depth, EVENTRING_FORM_BEGIN, SPAN, NULL, 0);
    for (uint64_t depth = 0; depth < TIMELINE_DEPTHS; depth++)
      ring_write(&f, 0, from + PIXEL / 3 + depth, EVENTRING_FORM_END, SPAN,
                 NULL, 0);
  }
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = draw(c, 1000);
  const struct timeline_lane *lane = timeline_lane(t, 0);
  uint64_t merged[TIMELINE_DEPTHS] = { 0 };
  double drawn[TIMELINE_DEPTHS] = { 0 };
  int64_t last[TIMELINE_DEPTHS] = { 0 };
  assert_true(lane->count > 2 * WIDTH);
  assert_true(lane->count <= 4 * WIDTH + 64);
  for (size_t i = 0; i < lane->count; i++) {
    const struct timeline_span *s = &lane->spans[i];
    merged[s->depth] += s->merged;
    drawn[s->depth] += (double) s->share * (double) (s->to_ns - s->from_ns);
    if (s->to_ns > last[s->depth]) last[s->depth] = s->to_ns;
  }
  for (uint64_t depth = 0; depth < TIMELINE_DEPTHS; depth++) {
    /* The outermost ends last. */
    const uint64_t length = PIXEL / 3 + TIMELINE_DEPTHS - 1 - 2 * depth;
    const double all = (double) (WIDTH * length);
    assert_int_equal(merged[depth], WIDTH);
    assert_float_equal(drawn[depth], all, 0.01 * all);
    assert_int_equal(last[depth], 1000 + WINDOW);
  }
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

/* A damaged file may have any times: each of these events lasted longer than a half of
   all times that there are. */
static void events_as_long_as_time_itself_are_merged(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  for (uint64_t i = 0; i < 300; i++)
    ring_write(&f, 0, (uint64_t) INT64_MAX - 1000 + i, EVENTRING_FORM_INSTANT, PAUSE,
               (uint64_t[]) { (uint64_t) INT64_MAX - 2000 }, 1);
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = finish(c, new_timeline(c, 0, INT64_MAX, 1));
  const struct timeline_lane *lane = timeline_lane(t, 0);
  assert_non_null(lane);
  assert_true(lane->count <= 4 * 1 + 64);
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

static void is_span(const struct timeline_span *s, int64_t from, int64_t to,
                    uint8_t depth)
{
  assert_int_equal(s->from_ns, from);
  assert_int_equal(s->to_ns, to);
  assert_int_equal(s->depth, depth);
}

/* Ring 0 has the end of one of two spans that began before, ring 1 nothing of
   two others. */
static void spans_that_began_before_the_events_are_drawn(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  write_span(&f, INNER, 20000, 30000);
  ring_write(&f, 0, 50000, EVENTRING_FORM_END, SPAN, NULL, 0);
  const struct long_span known[] = {
    { .from_ns = -9000, .to_ns = INT64_MAX, .ring = 1, .domain = 1,
      .thread = 1001, .thread_id = -1, .id = SPAN },
    { .from_ns = -8000, .to_ns = 60000, .ring = 1, .domain = 1, .thread = 1001,
      .thread_id = -1, .id = INNER },
    { .from_ns = -5000, .to_ns = 50000, .thread = 1000, .thread_id = -1,
      .id = SPAN },
    { .from_ns = -4000, .to_ns = 15000, .thread = 1000, .thread_id = -1,
      .id = SPAN },
    { .from_ns = 70000, .to_ns = 900000, .thread = 1000, .thread_id = -1,
      .id = PAUSE, .complete = true }
  };
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = new_timeline(c, 1000, 1000 + WINDOW, WIDTH);
  timeline_know(t, known, sizeof known / sizeof *known);
  finish(c, t);
  const struct timeline_lane *lane = timeline_lane(t, 0);
  assert_int_equal(lane->count, 4);
  is_span(&lane->spans[0], 20000, 30000, 1);
  is_span(&lane->spans[1], 1000, 50000, 0);
  is_span(&lane->spans[2], 1000, 15000, 1);
  is_span(&lane->spans[3], 70000, 1000 + WINDOW, 0);
  lane = timeline_lane(t, 1);
  assert_int_equal(lane->count, 2);
  is_span(&lane->spans[0], 1000, 1000 + WINDOW, 0);
  is_span(&lane->spans[1], 1000, 60000, 1);
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

/* The ring is written over more than once. */
static void overwritten_events_are_a_gap(void **state)
{
  struct ring_file f;
  struct eventring_event first;
  uint64_t at = 1000;
  (void) state;
  make_ring(&f);
  while (at < 10 * WINDOW) {
    write_span(&f, SPAN, at, at + 1);
    at += 2;
  }
  for (int part = 0; part < 2; part++) {
    struct eventring_cursor *probe = ring_open(&f), *c = ring_open(&f);
    assert_int_equal(eventring_read_ring(probe, 0, &first, 1), 1);
    assert_int_equal(first.form, EVENTRING_EV_LOST);
    /* All of the window, or the first half of it. */
    int64_t from = part ? first.ns - WINDOW / 2 : 1000;
    struct timeline *t = new_timeline(c, from, from + WINDOW, WIDTH);
    timeline_overwritten(t, &first);
    finish(c, t);
    const struct timeline_gap *gap = timeline_gap(t, 0);
    assert_non_null(gap);
    assert_null(timeline_gap(t, 1));
    assert_int_equal(gap->from_ns, from);
    assert_int_equal(gap->to_ns, part ? first.ns : from + WINDOW);
    assert_int_equal(gap->lost, first.payload[0]);
    assert_non_null(timeline_lane(t, 0));
    assert_true((timeline_lane(t, 0)->count > 0) == part);
    free_timeline(t);
    eventring_close(c);
    eventring_close(probe);
  }
  ring_destroy(&f);
}

/* One span too many: the spans of 1 s are removed, the span of 2 s stays. */
static void the_longest_spans_are_kept(void **state)
{
  struct ring_file f;
  struct long_spans kept = { 0 };
  struct long_span *found;
  struct eventring_event end = { .id = SPAN, .form = EVENTRING_EV_END };
  (void) state;
  make_ring(&f);
  struct eventring_cursor *c = ring_open(&f);
  struct spans *open = new_spans(c);
  end.ns = LONG_SPAN_NS;
  add_long_span(&kept, &end, 1);
  assert_int_equal(kept.count, 0);
  end.ns = 2 * LONG_SPAN_NS;
  add_long_span(&kept, &end, 0);
  for (int i = 0; i < LONG_SPANS; i++)
    add_long_span(&kept, &end, LONG_SPAN_NS);
  assert_int_equal(find_long_spans(&kept, open, 1, 5, 6, &found), 1);
  assert_int_equal(found->from_ns, 0);
  free(found);
  assert_int_equal(find_long_spans(&kept, open, 1, 2 * LONG_SPAN_NS + 1,
                                   INT64_MAX, &found), 0);
  free(found);
  /* Of a file that nobody has recorded. */
  end.ns = INT64_MAX;
  for (int i = 0; i <= LONG_SPANS; i++) add_long_span(&kept, &end, 0);
  assert_true(kept.count > 0 && kept.count <= LONG_SPANS);
  free(kept.list);
  free_spans(open);
  eventring_close(c);
  ring_destroy(&f);
}

/* The thread of ring 0 has slept since its last event, the one of ring 1 was
   said to sleep, but has written the end of its wait since. */
static void a_wait_that_goes_on_is_drawn(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  uint64_t ns = 10000;
  ring_write(&f, 0, 20000, EVENTRING_FORM_INSTANT, PAUSE, &ns, 1);
  ring_write(&f, 1, 40000, EVENTRING_FORM_INSTANT, PAUSE, &ns, 1);
  struct eventring_cursor *c = ring_open(&f);
  const struct long_span known[] = {
    { .from_ns = 25000, .to_ns = INT64_MAX, .ring = 0, .domain = 0,
      .thread = 1000, .complete = true },
    { .from_ns = 30000, .to_ns = INT64_MAX, .ring = 1, .domain = 1,
      .thread = 1001, .complete = true },
    { .from_ns = 2 * WINDOW, .to_ns = INT64_MAX, .ring = 1, .domain = 1,
      .thread = 77, .complete = true }
  };
  struct timeline *t = new_timeline(c, 1000, 1000 + WINDOW, WIDTH);
  timeline_know(t, known, 3);
  finish(c, t);
  const struct timeline_lane *lane = timeline_lane(t, 0);
  assert_int_equal(lane->count, 2);
  assert_int_equal(lane->spans[1].from_ns, 25000);
  assert_int_equal(lane->spans[1].to_ns, 1000 + WINDOW);
  assert_int_equal(lane->spans[1].kind, TIMELINE_WAIT);
  assert_string_equal(timeline_name(t, (size_t) lane->spans[1].name),
                      TIMELINE_OPEN_WAIT);
  assert_int_equal(timeline_lane(t, 1)->count, 1);
  assert_null(timeline_lane(t, 2));
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

static void runs(struct ring_file *f, uint64_t at, uint64_t thread)
{
  ring_packed(f, 0, at, EVENTRING_FORM_INSTANT, RUN,
              (uint64_t[]) { UINT32_MAX, thread }, 2);
}

static void waited(struct ring_file *f, uint32_t id, uint64_t end, uint64_t ns,
                   uint64_t lock_ns)
{
  ring_packed(f, 0, end, EVENTRING_FORM_INSTANT, id,
              (uint64_t[]) { ns, lock_ns }, id == YIELD ? 1 : 2);
}

static void is_arrow(const struct timeline_arrow *a, int64_t ns, int64_t since,
                     uint32_t from, uint32_t to)
{
  assert_non_null(a);
  assert_int_equal(a->ns, ns);
  assert_int_equal(a->since_ns, since);
  assert_int_equal(a->domain, 0);
  assert_int_equal(a->from, from);
  assert_int_equal(a->to, to);
}

/* Of a wait of thread 1000 for a mutex, the event has the thread that held it. */
static void the_holder_of_a_mutex_is_known(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_WAIT_BIT, "", "wait");
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_THREAD_BIT, "", "thread");
  ring_schema(&f, RUN, EVENTRING_INSTANT, EVENTRING_PACKED,
              EVENTRING_THREAD_BIT, "", "thread_run");
  ring_schema(&f, BLOCKING, EVENTRING_COMPLETE, EVENTRING_PACKED,
              EVENTRING_WAIT_BIT, "", "mutex_wait");
  ring_field(&f, BLOCKING, 0, "ticks", 0, "duration");
  ring_field(&f, BLOCKING, 1, "ticks", 0, "for_domain_lock");
  ring_field(&f, BLOCKING, 2, "lock", 0, "mutex");
  ring_field(&f, BLOCKING, 3, "os_thread", 0, "holder");
  runs(&f, 10000, 1000);
  ring_packed(&f, 0, 20000, EVENTRING_FORM_INSTANT, BLOCKING,
              (uint64_t[]) { 6000, 0, 4096, 77 }, 4);
  ring_packed(&f, 0, 30000, EVENTRING_FORM_INSTANT, BLOCKING,
              (uint64_t[]) { 6000, 0, 4096, 0 }, 4);
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = draw(c, 1000);
  is_arrow(timeline_arrow(t, 0), 20000, 14000, 77, 1000);
  assert_true(timeline_arrow(t, 0)->mutex);
  assert_null(timeline_arrow(t, 1));
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

/* Threads 1000 and 501 share a domain. */
static void the_thread_that_had_the_domain_lock_is_known(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_WAIT_BIT, "", "wait");
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_THREAD_BIT, "", "thread");
  ring_schema(&f, RUN, EVENTRING_INSTANT, EVENTRING_PACKED,
              EVENTRING_THREAD_BIT, "", "thread_run");
  ring_schema(&f, YIELD, EVENTRING_COMPLETE, EVENTRING_PACKED,
              EVENTRING_WAIT_BIT, "", "thread_yield");
  ring_field(&f, YIELD, 0, "ticks", 0, "duration");
  ring_schema(&f, BLOCKING, EVENTRING_COMPLETE, EVENTRING_PACKED,
              EVENTRING_WAIT_BIT, "", "blocking_section");
  ring_field(&f, BLOCKING, 0, "ticks", 0, "duration");
  ring_field(&f, BLOCKING, 1, "ticks", 0, "for_domain_lock");
  runs(&f, 10000, 1000);
  runs(&f, 12000, 501);
  runs(&f, 21000, 1000);
  waited(&f, YIELD, 21000, 9000, 0);
  write_span(&f, SPAN, 22000, 29000);
  runs(&f, 30000, 501);
  waited(&f, BLOCKING, 30000, 5000, 2000);
  /* The other thread has no event in the time for the lock. */
  runs(&f, 40000, 1000);
  waited(&f, BLOCKING, 40000, 10000, 100);
  /* No other thread ran. */
  waited(&f, BLOCKING, 50000, 5000, 4000);
  /* Less than a pixel. */
  runs(&f, 50200, 501);
  waited(&f, YIELD, 50200, 500, 0);
  struct eventring_cursor *c = ring_open(&f);
  struct timeline *t = draw(c, 1000);
  is_arrow(timeline_arrow(t, 0), 21000, 12000, 501, 1000);
  assert_false(timeline_arrow(t, 0)->mutex);
  is_arrow(timeline_arrow(t, 1), 30000, 25000, 1000, 501);
  assert_null(timeline_arrow(t, 2));
  free_timeline(t);
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_wait_that_goes_on_is_drawn),
    cmocka_unit_test(the_thread_that_had_the_domain_lock_is_known),
    cmocka_unit_test(the_holder_of_a_mutex_is_known),
    cmocka_unit_test(long_spans_are_kept_with_their_depth),
    cmocka_unit_test(short_spans_are_merged_without_loss_of_time),
    cmocka_unit_test(a_lane_of_many_depths_is_merged_more_and_keeps_its_end),
    cmocka_unit_test(events_as_long_as_time_itself_are_merged),
    cmocka_unit_test(a_lane_is_bounded_for_any_spans),
    cmocka_unit_test(spans_that_began_before_the_events_are_drawn),
    cmocka_unit_test(overwritten_events_are_a_gap),
    cmocka_unit_test(the_longest_spans_are_kept)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
