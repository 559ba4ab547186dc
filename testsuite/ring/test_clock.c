// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, times and durations are wrong, the order of a running
   process's events is disturbed between two reads, or a file with impossible
   clocks crashes the reader. */

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "caml/eventring_clock.h"
#include "ring_test.h"

static int64_t stopped_ns;      /* CLOCK_MONOTONIC, stopped; 0: it goes on */

/* In the place of libc's, for libeventring too. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
  if (clock != CLOCK_MONOTONIC || stopped_ns == 0)
    return (int) syscall(SYS_clock_gettime, clock, t);
  t->tv_sec = stopped_ns / 1000000000;
  t->tv_nsec = stopped_ns % 1000000000;
  return 0;
}

static int64_t now_ns(void) { return eventring_clock_ns(CLOCK_MONOTONIC); }

/* The start of the trace is now. */
static void start_now(struct ring_file *f)
{
  struct eventring_instant now = eventring_now(EVENTRING_HARDWARE_CLOCK);
  f->header->started.ticks = now.ticks;
  f->header->started.monotonic_ns = now.monotonic_ns;
}

/* Ticks of 0.4 ns from an instant on, as on another machine. */
static void foreign(struct ring_file *f, uint32_t state)
{
  ring_create(f, &(struct ring_options) {
                .clock = EVENTRING_CLOCK_TSC, .other_boot = 1,
                .state = state, .log_words = 13 });
  f->header->started.ticks = 1000000;
  f->header->started.monotonic_ns = 7000000000;
  f->ns_per_tick = 0.4;
}

static void check_foreign(struct ring_file *f, int64_t tolerance)
{
  struct eventring_cursor *c = ring_open(f);
  struct eventring_event ev[100];
  int n;
  while ((n = eventring_read(c, ev, 100)) > 0)
    for (int i = 0; i < n; i++) {
      int64_t ns = 7000000000 + (int64_t) ((ev[i].ticks - 1000000) * 2 / 5);
      assert_true(llabs(ev[i].ns - ns) <= tolerance);
    }
  assert_int_equal(n, 0);
  eventring_close(c);
}

static void ended_on_another_machine(void **state)
{
  struct ring_file f;
  (void) state;
  foreign(&f, EVENTRING_ENDED);
  f.header->ended.ticks = 1000000 + 2500000000000;
  f.header->ended.monotonic_ns = 7000000000 + 1000000000000;
  for (uint64_t i = 0; i < 2500; i++)
    ring_count(&f, 0, 1000000 + i * 1000000000, 256, i);
  check_foreign(&f, 2);
  ring_destroy(&f);
}

static void killed_on_another_machine(void **state)
{
  struct ring_file f;
  (void) state;
  foreign(&f, EVENTRING_RUNNING);
  for (uint64_t i = 0; i < 2500; i++)
    ring_count(&f, 0, 1000000 + i * 1000000, 256, i);
  check_foreign(&f, 2);
  ring_destroy(&f);
}

/* The machine sleeps for 10 s three times: ticks count on, and CLOCK_MONOTONIC
   stops.  [step]: ticks from one event to the next. */
static void asleep(uint64_t step, uint32_t state)
{
  const uint64_t each = 1700, sleep = 25000000000;
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[100];
  int64_t real[4 * 1700], last = 0, wrong;
  uint64_t ticks = 1000000, i = 0;
  int n, late = 0;
  foreign(&f, state);
  for (int part = 0; part < 4; part++, ticks += sleep) {
    if (part > 0) f.header->started.ticks += sleep;
    for (uint64_t j = 0; j < each; j++, i++, ticks += step) {
      real[i] = 7000000000 + (int64_t) ((double) i * (double) step * 0.4);
      ring_count(&f, 0, ticks, 256, i);
    }
  }
  f.header->started.ticks = 1000000;
  f.header->ended.ticks = ticks - sleep;
  f.header->ended.monotonic_ns = real[i - 1];
  c = ring_open(&f);
  while ((n = eventring_read(c, ev, 100)) > 0)
    for (int k = 0; k < n; k++) {
      if (ev[k].form == EVENTRING_EV_LOST) continue;
      assert_true(ev[k].ns >= last);
      last = ev[k].ns;
      /* The time of a sleep within a block is unknown. */
      wrong = llabs(ev[k].ns - real[ev[k].payload[0]]);
      assert_true(wrong <= 254 * (int64_t) step * 2 / 5);
      if (wrong > 2000) late++;
    }
  assert_int_equal(n, 0);
  print_message("# %d of %d events at a wrong time\n", late, 4 * 1700);
  assert_true(late < 3 * 254);
  eventring_close(c);
  ring_destroy(&f);
}

static void sleep_of_another_machine(void **state)
{
  (void) state;
  asleep(1000000, EVENTRING_ENDED);
  asleep(1000000, EVENTRING_RUNNING);
  asleep(100000, EVENTRING_ENDED);
}

static void monotonic_ticks_are_nanoseconds(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[1];
  uint64_t big = ((uint64_t) 1 << 61) + 12345;
  (void) state;
  ring_create(&f, NULL);
  ring_count(&f, 0, big, 256, 0);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 1), 1);
  assert_true(ev[0].ns == (int64_t) big);
  eventring_close(c);
  ring_destroy(&f);
}

/* A running process on this machine: times are times of our own clock, from
   the first microseconds of a trace on, and never run backwards while the
   reader learns the rate better and better. */
static void running_on_this_machine(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  struct eventring_event ev[8];
  struct eventring_instant now;
  int64_t last = 0, end;
  uint64_t checked = 0;
  (void) state;
  if (EVENTRING_HARDWARE_CLOCK == 0) skip();
  ring_create(&f, &(struct ring_options) {
                .clock = EVENTRING_HARDWARE_CLOCK, .state = EVENTRING_RUNNING,
                .log_words = 10 });
  start_now(&f);
  usleep(20000);
  now = eventring_now(EVENTRING_HARDWARE_CLOCK);
  f.ns_per_tick =
    (double) (now.monotonic_ns - f.header->started.monotonic_ns)
    / (double) (now.ticks - f.header->started.ticks);
  c = ring_open(&f);
  end = now_ns() + 300000000;
  while (now_ns() < end || checked <= 100) {
    int64_t before = now_ns(), after;
    uint64_t ticks = eventring_hardware_ticks();
    int n;
    after = now_ns();
    ring_count(&f, 0, ticks, 256, 0);
    n = eventring_read(c, ev, 8);
    assert_int_equal(n, 1);
    assert_true(ev[0].ns >= last);
    last = ev[0].ns;
    /* A wrong rate would be off by far more than 20 us after 300 ms. */
    assert_true(ev[0].ns > before - 20000 && ev[0].ns < after + 20000);
    checked++;
  }
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_true(info.ticks_per_ns > 0.005 && info.ticks_per_ns < 10);
  eventring_close(c);
  ring_destroy(&f);
}

/* The CLOCK_MONOTONIC of a process in another time namespace is not ours: the
   file alone gives the rate of its ticks. */
static void other_time_namespace(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  struct eventring_event ev;
  const uint64_t began = eventring_hardware_ticks() - 1000000000;
  uint64_t checked = 0;
  (void) state;
  if (EVENTRING_HARDWARE_CLOCK == 0) skip();
  ring_create(&f, &(struct ring_options) {
                .clock = EVENTRING_HARDWARE_CLOCK, .state = EVENTRING_RUNNING,
                .log_words = 13 });
  f.header->time_namespace = 77;
  f.header->started.monotonic_ns = 7000000000;
  f.header->started.ticks = began;
  f.ns_per_tick = 0.4;
  for (uint64_t i = 0; i < 900; i++)
    ring_count(&f, 0, began + i * 1000000, 256, i);
  c = ring_open(&f);
  while (eventring_read(c, &ev, 1) == 1) {
    int64_t ns = 7000000000 + (int64_t) ((ev.ticks - began) * 2 / 5);
    assert_true(llabs(ev.ns - ns) <= 2);
    checked++;
  }
  assert_int_equal(checked, 900);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_false(info.same_boot);
  eventring_close(c);
  ring_destroy(&f);
}

/* The start of the trace is dated 5 ms too early, so that the first rate is
   far too high and each measurement draws the line lower than the last. */
static void times_never_run_backwards(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  int64_t last = 0, end;
  (void) state;
  if (EVENTRING_HARDWARE_CLOCK == 0) skip();
  ring_create(&f, &(struct ring_options) {
                .clock = EVENTRING_HARDWARE_CLOCK, .state = EVENTRING_RUNNING,
                .log_words = 10 });
  start_now(&f);
  f.header->started.monotonic_ns -= 5000000;
  c = ring_open(&f);
  end = now_ns() + 100000000;
  while (now_ns() < end) {
    ring_count(&f, 0, eventring_hardware_ticks(), 256, 0);
    assert_int_equal(eventring_read(c, ev, 8), 1);
    assert_true(ev[0].ns >= last);
    last = ev[0].ns;
  }
  eventring_close(c);
  ring_destroy(&f);
}

/* An event that is written later but happened earlier is returned first: a
   later event waits until the reader's own clock has passed it. */
static void order_between_reads(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[4];
  uint64_t now;
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .rings = 2, .state = EVENTRING_RUNNING });
  c = ring_open(&f);
  now = (uint64_t) (stopped_ns = now_ns());
  ring_count(&f, 0, now + 200, 256, 1);
  assert_int_equal(eventring_read(c, ev, 4), 0);
  ring_count(&f, 1, now + 100, 256, 0);
  assert_int_equal(eventring_read(c, ev, 4), 0);
  for (uint64_t i = 0; i < 2; i++) {
    stopped_ns += 99;
    assert_int_equal(eventring_read(c, ev, 4), 0);
    stopped_ns += 1;
    assert_int_equal(eventring_read(c, ev, 4), 1);
    assert_int_equal(ev[0].payload[0], i);
  }
  /* A process that has ended writes nothing more: the event need not wait. */
  ring_count(&f, 0, now + 500, 256, 2);
  assert_int_equal(eventring_read(c, ev, 4), 0);
  f.header->state = EVENTRING_ENDED;
  assert_int_equal(eventring_read(c, ev, 4), 1);
  stopped_ns = 0;
  eventring_close(c);
  ring_destroy(&f);
}

static void impossible_clocks(void **state)
{
  static const uint64_t values[] = {
    0, 1, 1000, (uint64_t) 1 << 40, (uint64_t) INT64_MAX,
    (uint64_t) INT64_MAX + 1, UINT64_MAX };
  size_t count = sizeof values / sizeof *values;
  struct ring_file f;
  struct eventring_event ev[200];
  char first;
  (void) state;
  ring_create(&f, &(struct ring_options) { .clock = EVENTRING_CLOCK_TSC });
  for (uint64_t i = 0; i < 100; i++)
    ring_count(&f, 0, (i << 57) + (i & 3), 256, i);
  first = f.header->boot_id[0];
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++)
      for (size_t d = 0; d < count; d++)
        for (size_t e = 0; e < count; e++) {
          struct eventring_cursor *c;
          int damaged = 0;
          f.header->state = 1 + (uint32_t) ((a + e) & 1);
          f.header->boot_id[0] = (b & 1) != 0 ? 'x' : first;
          f.header->started.ticks = values[a];
          f.header->started.monotonic_ns = (int64_t) values[b];
          f.header->ended.ticks = values[d];
          f.header->ended.monotonic_ns = (int64_t) values[e];
          c = ring_open(&f);
          ring_read_all(c, ev, 200, &damaged);
          eventring_close(c);
        }
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ended_on_another_machine),
    cmocka_unit_test(killed_on_another_machine),
    cmocka_unit_test(sleep_of_another_machine),
    cmocka_unit_test(monotonic_ticks_are_nanoseconds),
    cmocka_unit_test(running_on_this_machine),
    cmocka_unit_test(other_time_namespace),
    cmocka_unit_test(times_never_run_backwards),
    cmocka_unit_test(order_between_reads),
    cmocka_unit_test(impossible_clocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
