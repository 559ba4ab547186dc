// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, events have another time of day than the clock of the system
   had, after that clock was set or the system has slept. */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eventring_chunks.h"
#include "ring_test.h"
#include "wall_clock.h"

#define SECOND INT64_C(1000000000)
#define STARTED (5 * SECOND)
#define DAY (1795678800 * SECOND)       /* when tracing started */

/* A ring file, and a recording of it with samples of the clocks. */
struct scene {
  struct ring_file f;
  char path[2][256];
  struct eventring_cursor *c;
};

static void set_up(struct scene *s)
{
  struct eventring_cursor *c;
  struct eventring_recorder *r;
  memset(s, 0, sizeof *s);
  ring_create(&s->f, &(struct ring_options) { .other_boot = 1 });
  s->f.header->started =
    (struct eventring_instant) { STARTED, STARTED, DAY };
  ring_count(&s->f, 0, STARTED + SECOND, 512, 1);
  for (int i = 0; i < 2; i++)
    snprintf(s->path[i], sizeof s->path[i], "%s/%d.evr", s->f.dir, i);
  c = ring_open(&s->f);
  assert_int_equal(eventring_record(s->path[0], c, NULL, &r), 0);
  assert_int_equal(eventring_record_close(r), 0);
  eventring_close(c);
}

/* Opens a copy of the recording that has the [count] samples [samples] before its
   events, and no others. */
static void open_with(struct scene *s, const struct recording_clock *samples,
                      size_t count)
{
  struct eventring_options o = { .size = sizeof o };
  struct chunk_writer w = { .fd = -1, .zstd = ZSTD_createCCtx() };
  struct chunk_reader r;
  struct stat st;
  int fd = open(s->path[0], O_RDONLY);
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(eventring_list_chunks(&r, fd, (uint64_t) st.st_size, &o,
                                         s->path[0]), 0);
  assert_int_equal(eventring_begin_chunks(&w, s->path[1], 0, NULL, 0), 0);
  for (size_t i = 0; i < r.count; i++) {
    const struct chunk *c = &r.chunks[i].chunk;
    /* The clock of another boot cannot be read. */
    assert_true(c->kind != CHUNK_CLOCK);
    if (c->kind == CHUNK_SEGMENT)
      assert_int_equal(eventring_write_chunk(
                         &w, (struct chunk) { .kind = CHUNK_CLOCK }, samples,
                         count * sizeof *samples), 0);
    assert_int_equal(eventring_read_chunk(&r, &r.chunks[i]), 0);
    assert_int_equal(eventring_write_chunk(&w, *c, r.raw, c->raw), 0);
  }
  assert_int_equal(eventring_end_chunks(&w), 0);
  eventring_drop_chunks(&w);
  eventring_close_chunks(&r);
  assert_int_equal(eventring_open(s->path[1], NULL, &s->c), 0);
}

static void tear_down(struct scene *s)
{
  eventring_close(s->c);
  for (int i = 0; i < 2; i++) unlink(s->path[i]);
  ring_destroy(&s->f);
}

/* Returns a sample [s] seconds after the start, when the clock of the system was
   [ahead_ns] ahead of its offset at the start. */
static struct recording_clock sample(int64_t s, int64_t ahead_ns)
{
  return (struct recording_clock) {
    .monotonic_ns = STARTED + s * SECOND,
    .realtime_ns = DAY + s * SECOND + ahead_ns, .bound_ns = 100 };
}

static void same_both_ways(const struct wall_clock *clock, int64_t ns,
                           int64_t wall_ns)
{
  assert_int_equal(wall_time(clock, ns), wall_ns);
  assert_int_equal(event_time(clock, wall_ns), ns);
}

static void the_clock_is_not_set(void **state)
{
  const struct recording_clock samples[] = {
    sample(10, 3000), sample(20, -900000), sample(30, 900000) };
  struct wall_clock clock;
  struct scene s;
  (void) state;
  set_up(&s);
  open_with(&s, samples, 3);
  assert_true(read_wall_clock(s.c, &clock));
  same_both_ways(&clock, STARTED, DAY);
  same_both_ways(&clock, STARTED - 3 * SECOND, DAY - 3 * SECOND);
  same_both_ways(&clock, STARTED + 25 * SECOND, DAY + 25 * SECOND);
  same_both_ways(&clock, STARTED + 1000 * SECOND + 1, DAY + 1000 * SECOND + 1);
  tear_down(&s);
}

/* Forward by 100 s, as while the system sleeps, and then back by 50 s. */
static void the_clock_is_set(void **state)
{
  const struct recording_clock samples[] = {
    sample(10, 0), sample(20, 100 * SECOND), sample(30, 100 * SECOND + 5000),
    sample(40, 50 * SECOND) };
  struct wall_clock clock;
  struct scene s;
  (void) state;
  set_up(&s);
  open_with(&s, samples, 4);
  assert_true(read_wall_clock(s.c, &clock));
  same_both_ways(&clock, STARTED + 20 * SECOND - 1, DAY + 20 * SECOND - 1);
  same_both_ways(&clock, STARTED + 20 * SECOND, DAY + 120 * SECOND);
  /* There was no such time of day. */
  assert_int_equal(event_time(&clock, DAY + 60 * SECOND), STARTED + 20 * SECOND);
  same_both_ways(&clock, STARTED + 40 * SECOND - 1, DAY + 140 * SECOND - 1);
  /* This one was there twice. */
  assert_int_equal(wall_time(&clock, STARTED + 85 * SECOND),
                   DAY + 135 * SECOND);
  assert_int_equal(event_time(&clock, DAY + 135 * SECOND), STARTED + 35 * SECOND);
  same_both_ways(&clock, STARTED + 100 * SECOND, DAY + 150 * SECOND);
  tear_down(&s);
}

/* Samples that no recorder makes. */
static void hostile_samples(void **state)
{
  struct recording_clock samples[200];
  struct wall_clock clock;
  struct scene s;
  (void) state;
  for (int i = 0; i < 200; i++) {
    samples[i].monotonic_ns = i % 3 == 0 ? INT64_MIN : i % 3 == 1 ? INT64_MAX : i;
    samples[i].realtime_ns = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    samples[i].bound_ns = 1;
  }
  set_up(&s);
  open_with(&s, samples, 200);
  assert_true(read_wall_clock(s.c, &clock));
  for (int i = 0; i < 3; i++) {
    const int64_t ns = i == 0 ? INT64_MIN : i == 1 ? 0 : INT64_MAX;
    wall_time(&clock, ns);
    event_time(&clock, ns);
  }
  tear_down(&s);
}

static void the_time_of_day_is_not_known(void **state)
{
  struct wall_clock clock;
  struct scene s;
  (void) state;
  set_up(&s);
  s.f.header->started.realtime_ns = 0;
  s.c = ring_open(&s.f);
  assert_false(read_wall_clock(s.c, &clock));
  tear_down(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_clock_is_not_set),
    cmocka_unit_test(the_clock_is_set),
    cmocka_unit_test(hostile_samples),
    cmocka_unit_test(the_time_of_day_is_not_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
