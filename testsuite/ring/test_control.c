// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, pausing or resuming from outside records the wrong
   categories, or a reader that only wanted to read can switch tracing off. */

#include <pthread.h>
#include <sys/mman.h>

#include "caml/eventring_clock.h"
#include "ring_test.h"

static struct eventring_cursor *open_control(struct ring_file *f)
{
  struct eventring_cursor *c;
  struct eventring_options o = { .size = sizeof o, .control = 1 };
  assert_int_equal(eventring_open(f->path, &o, &c), 0);
  return c;
}

static void check(struct eventring_cursor *c, struct ring_file *f,
                  uint32_t active, uint32_t resume)
{
  struct eventring_info info = { .size = sizeof info };
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(info.active, active);
  assert_int_equal(info.resume, resume);
  assert_int_equal(f->header->control, active | (uint64_t) resume << 32);
}

static void pause_and_resume(void **state)
{
  const uint32_t all = EVENTRING_DEFAULT_CATEGORIES;
  struct ring_file f;
  struct eventring_cursor *c, *other;
  struct eventring_event ev[2];
  (void) state;
  ring_create(&f, NULL);
  c = open_control(&f);
  other = open_control(&f);
  check(c, &f, all, all);
  assert_int_equal(eventring_resume(c), 0);
  check(c, &f, all, all);
  assert_int_equal(eventring_pause(c), 0);
  check(c, &f, 0, all);
  assert_int_equal(eventring_pause(other), 0);
  check(other, &f, 0, all);
  assert_int_equal(eventring_resume(other), 0);
  check(c, &f, all, all);
  assert_int_equal(eventring_set_categories(c, 5), 0);
  check(c, &f, 5, 5);
  eventring_pause(c);
  check(c, &f, 0, 5);
  assert_int_equal(eventring_set_categories(c, 9), 0);
  check(c, &f, 0, 9);
  eventring_resume(c);
  check(c, &f, 9, 9);
  assert_int_equal(eventring_set_categories(c, 0), EVENTRING_E_ARGUMENT);
  check(c, &f, 9, 9);
  /* A cursor with control reads like any other. */
  ring_count(&f, 0, 1, 256, 1);
  assert_int_equal(eventring_read(c, ev, 2), 1);
  eventring_close(other);
  eventring_close(c);
  ring_destroy(&f);
}

static uint64_t threshold(struct eventring_cursor *c)
{
  struct eventring_info info = { .size = sizeof info };
  assert_int_equal(eventring_get_info(c, &info), 0);
  return info.threshold_ns;
}

static void threshold_is_set(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c, *reader;
  (void) state;
  ring_create(&f, NULL);
  f.header->threshold = 1000;
  c = open_control(&f);
  reader = ring_open(&f);
  assert_int_equal(threshold(c), 1000);
  assert_int_equal(eventring_set_threshold(c, 5000), 0);
  assert_int_equal(f.header->threshold, 5000);
  assert_int_equal(threshold(reader), 5000);
  /* 0 means that the file has no threshold, so 1 is stored. */
  assert_int_equal(eventring_set_threshold(c, 0), 0);
  assert_int_equal(f.header->threshold, 1);
  assert_int_equal(eventring_set_threshold(reader, 7), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_set_threshold(NULL, 7), EVENTRING_E_ARGUMENT);
  assert_int_equal(f.header->threshold, 1);
  eventring_close(reader);
  eventring_close(c);
  ring_destroy(&f);
}

static void sample_period_is_set(void **state)
{
  struct eventring_info info = { .size = sizeof info };
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 3,
                                           .state = EVENTRING_RUNNING });
  f.header->sample_period = 4000000;
  f.header->samples_dropped = 12;
  f.header->sample_rings_from = 2;
  c = open_control(&f);
  assert_int_equal(eventring_set_sample_period(c, 10000000), 0);
  assert_int_equal(f.header->sample_period, 10000000);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(info.sample_period_ns, 10000000);
  assert_int_equal(info.samples_dropped, 12);
  assert_int_equal(info.sample_rings_from, 2);
  assert_int_equal(eventring_set_sample_period(c, 0), 0);
  assert_int_equal(f.header->sample_period, 1);
  assert_int_equal(eventring_set_sample_period(NULL, 7), EVENTRING_E_ARGUMENT);
  eventring_close(c);
  c = ring_open(&f);
  assert_int_equal(eventring_set_sample_period(c, 7), EVENTRING_E_ARGUMENT);
  eventring_close(c);
  /* An older writer does not read it. */
  f.header->version_minor = 4;
  c = open_control(&f);
  assert_int_equal(eventring_set_sample_period(c, 7), EVENTRING_E_VERSION);
  assert_int_equal(f.header->sample_period, 1);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(info.sample_period_ns, 0);
  assert_int_equal(info.sample_rings_from, 0);
  eventring_close(c);
  ring_destroy(&f);
}

/* An older writer does not read the threshold. */
static void older_writer_has_no_threshold(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  f.header->version_minor = 3;
  ring_count(&f, 0, 1, 256, 1);
  c = open_control(&f);
  assert_int_equal(threshold(c), 0);
  assert_int_equal(eventring_set_threshold(c, 5000), EVENTRING_E_VERSION);
  assert_int_equal(f.header->threshold, 0);
  /* Reading and control work as in a new file. */
  assert_int_equal(eventring_read(c, &(struct eventring_event) { 0 }, 1), 1);
  assert_int_equal(eventring_pause(c), 0);
  eventring_close(c);
  ring_destroy(&f);
}

/* Cursors that ask for changes learn between which events each change was. */
static void control_changes_are_reported(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c, *told, *untold;
  struct eventring_options o = { .size = sizeof o, .changes = 1 };
  struct eventring_event ev[8];
  uint64_t before, after;
  (void) state;
  ring_create(&f, NULL);
  c = open_control(&f);
  before = (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
  ring_count(&f, 0, before, 256, 1);
  assert_int_equal(eventring_resume(c), 0);       /* changes nothing */
  assert_int_equal(f.header->marks_made, 0);
  assert_int_equal(eventring_pause(c), 0);
  assert_int_equal(f.header->marks_made, 2);
  after = (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
  ring_count(&f, 0, after, 256, 2);
  assert_int_equal(eventring_open(f.path, &o, &told), 0);
  assert_int_equal(ring_read_all(told, ev, 8, NULL), 4);
  assert_int_equal(ev[0].form, EVENTRING_EV_COUNTER);
  for (int i = 1; i <= 2; i++) {
    assert_int_equal(ev[i].form, EVENTRING_EV_CONTROL_CHANGED);
    assert_in_range(ev[i].ticks, before, after);
  }
  assert_int_equal(ev[3].form, EVENTRING_EV_COUNTER);
  /* More changes than there is room for. */
  for (int i = 0; i < EVENTRING_MARKS; i++) {
    eventring_pause(c);
    eventring_resume(c);
  }
  untold = ring_open(&f);
  assert_int_equal(ring_read_all(untold, ev, 8, NULL), 2);
  assert_int_equal(ring_read_all(told, ev, 8, NULL), EVENTRING_MARKS);
  eventring_close(untold);
  eventring_close(told);
  eventring_close(c);
  ring_destroy(&f);
}

#if defined(__x86_64__)
#define FOREIGN_CLOCK EVENTRING_CLOCK_CNTVCT
#else
#define FOREIGN_CLOCK EVENTRING_CLOCK_TSC
#endif

/* As with a program for another processor, under qemu: the marks have ticks of its
   clock, which are on both sides of the change. */
static void control_changes_of_a_foreign_clock_are_marked(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  uint64_t before, after;
  (void) state;
  ring_create(&f, &(struct ring_options) { .clock = FOREIGN_CLOCK,
                                           .state = EVENTRING_RUNNING });
  before = (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
  /* From its block, the rate is known: a tick is a nanosecond. */
  f.header->started.ticks = before - 1000000000;
  f.header->started.monotonic_ns = (int64_t) f.header->started.ticks;
  ring_count(&f, 0, before, 256, 1);
  c = open_control(&f);
  before = (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
  assert_int_equal(eventring_pause(c), 0);
  after = (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
  assert_int_equal(f.header->marks_made, 2);
  /* Each is 1 ms from the time when it was made, give or take 1 ms. */
  assert_in_range(f.header->marks[0], before - 2000000, after);
  assert_in_range(f.header->marks[1], before, after + 2000000);
  assert_true(f.header->marks[1] - f.header->marks[0] >= 1999000);
  eventring_close(c);
  ring_destroy(&f);
}

/* A change whose time is not stored yet, since a writer counts a mark before it
   stores its time, gets a time between the reads. */
static void control_change_without_its_time(void **state)
{
  struct ring_file f;
  struct eventring_cursor *told;
  struct eventring_options o = { .size = sizeof o, .changes = 1 };
  struct eventring_event ev[8];
  uint64_t before;
  (void) state;
  ring_create(&f, NULL);
  before = (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC);
  ring_count(&f, 0, before, 256, 1);
  assert_int_equal(eventring_open(f.path, &o, &told), 0);
  for (int lap = 0; lap < 2; lap++) {
    f.header->marks_made += EVENTRING_MARKS;
    assert_int_equal(ring_read_all(told, ev, 8, NULL),
                     EVENTRING_MARKS + (lap == 0));
    assert_true(ev[7].form == EVENTRING_EV_CONTROL_CHANGED);
    assert_in_range(ev[7].ticks, before,
                    (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC));
    before = ev[7].ticks;
  }
  eventring_close(told);
  ring_destroy(&f);
}

static void control_needs_its_option(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  uint64_t before;
  (void) state;
  ring_create(&f, NULL);
  before = f.header->control;
  c = ring_open(&f);
  assert_int_equal(eventring_pause(c), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_resume(c), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_set_categories(c, 1), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_pause(NULL), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_resume(NULL), EVENTRING_E_ARGUMENT);
  assert_int_equal(f.header->control, before);
  eventring_close(c);
  ring_destroy(&f);
}

enum { FLIPS = SANITIZED ? 2000 : 20000 };

static void *flip(void *cursor)
{
  for (int i = 0; i < FLIPS; i++) {
    eventring_pause(cursor);
    eventring_resume(cursor);
  }
  return NULL;
}

static void both_masks_change_together(void **state)
{
  struct ring_file f;
  struct eventring_cursor *a, *b, *c;
  pthread_t first, second;
  (void) state;
  ring_create(&f, NULL);
  a = open_control(&f);
  b = open_control(&f);
  c = open_control(&f);
  pthread_create(&first, NULL, flip, a);
  pthread_create(&second, NULL, flip, b);
  for (uint32_t i = 0; i < FLIPS; i++) {
    uint64_t now;
    eventring_set_categories(c, 1 + i % 7);
    now = __atomic_load_n(&f.header->control, __ATOMIC_RELAXED);
    assert_int_equal(now >> 32, 1 + i % 7);
    assert_true((uint32_t) now == 0 || (uint32_t) now == now >> 32);
  }
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  eventring_resume(c);
  check(c, &f, 1 + (FLIPS - 1) % 7, 1 + (FLIPS - 1) % 7);
  eventring_close(a);
  eventring_close(b);
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(threshold_is_set),
    cmocka_unit_test(sample_period_is_set),
    cmocka_unit_test(older_writer_has_no_threshold),
    cmocka_unit_test(pause_and_resume),
    cmocka_unit_test(control_changes_are_reported),
    cmocka_unit_test(control_changes_of_a_foreign_clock_are_marked),
    cmocka_unit_test(control_change_without_its_time),
    cmocka_unit_test(control_needs_its_option),
    cmocka_unit_test(both_masks_change_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
