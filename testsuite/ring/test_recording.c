// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c testsuite/ring/recorder_memory.c
/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* A recording holds the events that a cursor reads when it polls the rings as
   often as the recorder. */

#define _GNU_SOURCE

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ring_test.h"
#include "eventring_chunks.h"
#include "recorder_memory.h"

#define INPUT(...) \
  (struct eventring_merge_input) { \
    .size = sizeof(struct eventring_merge_input), __VA_ARGS__ }

#define MAX 400000

/* Under a sanitizer, which makes them take ten times as long, tests try fewer
   sizes and places. */
#define COARSE SANITIZED

/* An event with the first and last word of its payload. */
struct kept {
  struct eventring_event e;
  uint64_t first, last;
};

struct log {
  struct kept *events;
  size_t count, room;
  uint64_t lost;
  int damaged;
};

static void keep(struct log *log, struct eventring_cursor *c)
{
  struct eventring_event ev[61];
  int n;
  while ((n = eventring_read(c, ev, 61)) != 0) {
    if (n == EVENTRING_E_DAMAGED) {
      log->damaged++;
      continue;
    }
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
      struct kept *k;
      if (log->count == log->room) {
        assert_true(log->room < MAX);
        log->room = log->room == 0 ? 1000 : 4 * log->room;
        log->events = realloc(log->events, log->room * sizeof *log->events);
        assert_non_null(log->events);
      }
      k = &log->events[log->count++];
      *k = (struct kept) { .e = ev[i] };
      if (ev[i].words > 0) {
        k->first = ev[i].payload[0];
        k->last = ev[i].payload[ev[i].words - 1];
      }
      if (ev[i].form == EVENTRING_EV_LOST) log->lost += ev[i].payload[0];
      k->e.payload = NULL;
    }
  }
}

static struct eventring_cursor *open_file(const char *path, uint32_t process)
{
  struct eventring_cursor *c;
  char why[512];
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why,
                                 .process = process };
  if (eventring_open(path, &o, &c) < 0) fail_msg("%s", why);
  return c;
}

static uint64_t counted(struct eventring_cursor *c, int lost)
{
  struct eventring_info info = { .size = sizeof info };
  eventring_get_info(c, &info);
  return lost ? info.recorded_lost : info.recorded_events;
}

/* Appends the events of a recording, which must agree with its end chunk. */
static void keep_file(struct log *log, const char *path)
{
  struct eventring_cursor *c = open_file(path, 0);
  size_t before = log->count;
  uint64_t lost_before = log->lost, losses = 0, read = 0, lost = 0;
  struct eventring_info info = { .size = sizeof info };
  keep(log, c);
  assert_int_equal(log->damaged, 0);
  eventring_get_info(c, &info);
  assert_int_equal(info.damaged_at, 0);
  for (size_t i = before; i < log->count; i++)
    losses += log->events[i].e.form == EVENTRING_EV_LOST;
  for (uint32_t i = 0; i < info.rings; i++) {
    read += eventring_events_read(c, i);
    lost += eventring_events_lost(c, i);
  }
  assert_int_equal(read, log->count - before - losses);
  assert_int_equal(lost, log->lost - lost_before);
  assert_int_equal(counted(c, 0), log->count - before - losses);
  assert_int_equal(counted(c, 1), log->lost - lost_before);
  eventring_close(c);
}

static void same(const struct log *a, const struct log *b)
{
  for (size_t i = 0; i < a->count && i < b->count; i++)
    if (memcmp(&a->events[i], &b->events[i], sizeof a->events[i]) != 0) {
      const struct kept *k = &a->events[i], *l = &b->events[i];
      fail_msg("event %zu: ring %u ticks %llu ns %lld form %u id %u words %u "
               "domain %u first %llu is not ring %u ticks %llu ns %lld form %u "
               "id %u words %u domain %u first %llu", i,
               k->e.ring, (long long) k->e.ticks, (long long) k->e.ns,
               k->e.form, k->e.id, k->e.words, k->e.domain,
               (long long) k->first,
               l->e.ring, (long long) l->e.ticks, (long long) l->e.ns,
               l->e.form, l->e.id, l->e.words, l->e.domain,
               (long long) l->first);
    }
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->lost, b->lost);
}

static void forget(struct log *log)
{
  free(log->events);
  *log = (struct log) { 0 };
}

/* A process of several rings that is watched by a cursor and a recorder. */
struct scene {
  struct ring_file f;
  uint64_t seed, ticks, index[8];
  struct eventring_cursor *plain, *recorded;
  struct eventring_recorder *r;
  char path[3][256];
  char why[512];
};

/* Writes events of all sizes.  No two have the same time, since events of two
   rings at the same time have no order. */
static void write_some(struct scene *s, uint32_t count)
{
  uint64_t payload[200];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t ring = (uint32_t) (ring_random(&s->seed) % s->f.header->rings);
    uint32_t words = 1 + (uint32_t) (ring_random(&s->seed) % 6);
    if (ring_random(&s->seed) % 64 == 0)
      words = 1 + (uint32_t) (ring_random(&s->seed) % 200);
    if (ring_random(&s->seed) % 300 == 0)
      ring_domain(&s->f, ring, (uint32_t) (ring_random(&s->seed) % 1000), 7);
    for (uint32_t k = 0; k < words; k++) payload[k] = s->index[ring];
    s->index[ring]++;
    s->ticks += 1 + ring_random(&s->seed) % 3;
    ring_write(&s->f, ring, s->ticks, EVENTRING_FORM_INSTANT, 700, payload,
               words);
  }
}

static void step(struct scene *s)
{
  int64_t n = eventring_record_step(s->r);
  if (n < 0) fail_msg("%s", s->why);
}

static void record_held(struct scene *s, int64_t hold_ns, uint64_t hold_bytes)
{
  struct eventring_record_options o = {
    .size = sizeof o, .hold_ns = hold_ns, .message = s->why,
    .message_size = sizeof s->why, .hold_bytes = hold_bytes };
  s->recorded = ring_open(&s->f);
  if (eventring_record(s->path[0], s->recorded, &o, &s->r) < 0)
    fail_msg("%s", s->why);
}

static void record(struct scene *s, int64_t hold_ns)
{
  record_held(s, hold_ns, 0);
}

static uint64_t now(void)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t) at.tv_sec * 1000000000 + (uint64_t) at.tv_nsec;
}

static void set_up(struct scene *s, uint32_t rings, uint32_t log_words,
                   uint64_t seed, int live)
{
  memset(s, 0, sizeof *s);
  s->seed = seed;
  ring_create(&s->f, &(struct ring_options) {
                .rings = rings, .log_words = log_words,
                .state = live ? EVENTRING_RUNNING : EVENTRING_ENDED });
  ring_schema(&s->f, 700, EVENTRING_INSTANT, EVENTRING_INTS, 1, "", "some");
  /* Long enough ago that no event is in the future. */
  s->ticks = now() - 1000000000;
  for (int i = 0; i < 3; i++)
    snprintf(s->path[i], sizeof s->path[i], "%s/%d.evr", s->f.dir, i);
}

static void tear_down(struct scene *s)
{
  if (s->plain != NULL) eventring_close(s->plain);
  eventring_close(s->recorded);
  for (int i = 0; i < 3; i++) unlink(s->path[i]);
  ring_destroy(&s->f);
}

static void close_recorder(struct scene *s)
{
  if (eventring_record_close(s->r) < 0) fail_msg("%s", s->why);
  s->r = NULL;
}

/* Removes the events that a ring lost before the cursor was opened: a cursor
   counts them, a recording cannot know them. */
static void without_first_losses(struct log *log)
{
  uint8_t seen[8] = { 0 };
  size_t n = 0;
  for (size_t i = 0; i < log->count; i++) {
    struct kept *k = &log->events[i];
    if (!seen[k->e.ring] && k->e.form == EVENTRING_EV_LOST)
      log->lost -= k->first;
    else
      log->events[n++] = *k;
    seen[k->e.ring] = 1;
  }
  log->count = n;
}

static void ignore_finding(void *state, uint64_t offset, const char *what)
{
  (void) state;
  (void) offset;
  (void) what;
}

static void recording_has_the_events_of_a_cursor(void **state)
{
  (void) state;
  for (uint32_t log_words = 9; log_words <= 15; log_words += COARSE ? 6 : 2)
    for (uint32_t rings = 1; rings <= 8; rings *= COARSE ? 8 : 2)
      for (int live = 0; live <= 1; live++)
        for (uint32_t old = 0; old <= 4000; old += 2000) {
          struct scene s;
          struct log read = { 0 }, recorded = { 0 };
          set_up(&s, rings, log_words, log_words + rings + old, live);
          write_some(&s, old);
          s.plain = ring_open(&s.f);
          record(&s, 0);
          for (int i = 0; i < 20; i++) {
            step(&s);
            keep(&read, s.plain);
            write_some(&s, (uint32_t) (ring_random(&s.seed) % 2000));
          }
          /* Nothing of the last round is missing. */
          close_recorder(&s);
          keep(&read, s.plain);
          keep_file(&recorded, s.path[0]);
          if (old > 0) without_first_losses(&read);
          same(&recorded, &read);
          forget(&read);
          forget(&recorded);
          tear_down(&s);
        }
}

/* A late recorder misses the events that a late cursor misses. */
static void overwritten_events_are_counted(void **state)
{
  struct scene s;
  struct log read = { 0 }, recorded = { 0 };
  (void) state;
  set_up(&s, 3, 9, 5, 1);
  s.plain = ring_open(&s.f);
  record(&s, 0);
  for (int i = 0; i < 60; i++) {
    write_some(&s, 20 + (uint32_t) (ring_random(&s.seed) % 3000));
    step(&s);
    keep(&read, s.plain);
  }
  close_recorder(&s);
  keep(&read, s.plain);
  assert_true(read.lost > 0);
  keep_file(&recorded, s.path[0]);
  same(&recorded, &read);
  forget(&read);
  forget(&recorded);
  tear_down(&s);
}

/* Begins a recording from the start of tracing, and returns a cursor on the events
   that the recorder copies. */
static struct eventring_cursor *record_from_start(struct scene *s)
{
  struct eventring_record_options o = {
    .size = sizeof o, .message = s->why, .message_size = sizeof s->why,
    .from_start = 1 };
  struct eventring_cursor *c;
  s->recorded = ring_open(&s->f);
  if (eventring_record(s->path[0], s->recorded, &o, &s->r) < 0)
    fail_msg("%s", s->why);
  assert_int_equal(eventring_record_events(s->r, &c), 0);
  return c;
}

/* The recording and the cursor of its recorder count the events that were
   overwritten before the first step, as a cursor on the rings does. */
static void a_cursor_of_a_recorder_has_the_events_of_the_file(void **state)
{
  (void) state;
  for (uint32_t log_words = 9; log_words <= 15; log_words += COARSE ? 6 : 2)
    for (uint32_t rings = 1; rings <= 8; rings *= COARSE ? 8 : 2)
      for (int live = 0; live <= 1; live++)
        for (uint32_t old = 0; old <= 8000; old += 4000) {
          struct scene s;
          struct log read = { 0 }, copied = { 0 }, recorded = { 0 };
          struct eventring_cursor *c;
          set_up(&s, rings, log_words, log_words + rings + old, live);
          write_some(&s, old);
          s.plain = ring_open(&s.f);
          c = record_from_start(&s);
          for (int i = 0; i < 20; i++) {
            step(&s);
            keep(&read, s.plain);
            /* A reader may be slower than the recorder. */
            if (i % 3 > 0) keep(&copied, c);
            write_some(&s, (uint32_t) (ring_random(&s.seed) % 2000));
          }
          assert_int_equal(eventring_record_end(s.r), 0);
          keep(&read, s.plain);
          keep(&copied, c);
          keep_file(&recorded, s.path[0]);
          assert_true(old < 8000 || log_words > 9 || read.lost > 0);
          same(&copied, &recorded);
          same(&copied, &read);
          eventring_close(c);
          close_recorder(&s);
          forget(&read);
          forget(&copied);
          forget(&recorded);
          tear_down(&s);
        }
}

/* The file cannot grow any more; the cursor loses nothing by that. */
static void a_cursor_of_a_recorder_outlives_the_file(void **state)
{
  struct scene s;
  struct log read = { 0 }, copied = { 0 };
  struct eventring_cursor *c;
  struct rlimit before;
  (void) state;
  set_up(&s, 2, 20, 3, 1);
  s.plain = ring_open(&s.f);
  c = record_from_start(&s);
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit) { 10000, before.rlim_max });
  for (int i = 0; i < 100; i++) {
    write_some(&s, 2000);
    if (eventring_record_step(s.r) < 0) break;
    keep(&copied, c);
    keep(&read, s.plain);
    assert_true(i < 99);
  }
  assert_non_null(strstr(s.why, "cannot write"));
  for (int i = 0; i < 5; i++) {
    write_some(&s, 2000);
    assert_true(eventring_record_step(s.r) >= 0);
    keep(&copied, c);
    keep(&read, s.plain);
  }
  assert_true(eventring_record_end(s.r) < 0);
  setrlimit(RLIMIT_FSIZE, &before);
  keep(&copied, c);
  keep(&read, s.plain);
  assert_int_equal(read.lost, 0);
  same(&copied, &read);
  eventring_close(c);
  assert_true(eventring_record_close(s.r) < 0);
  c = open_file(s.path[0], 0);
  assert_true(counted(c, 0) == UINT64_MAX);
  eventring_close(c);
  forget(&read);
  forget(&copied);
  tear_down(&s);
}

/* The cursor belongs to a recorder from the start, to a file, before it has
   copied anything. */
static void a_cursor_of_another_recorder_is_refused(void **state)
{
  struct scene s;
  struct eventring_cursor *c;
  (void) state;
  set_up(&s, 2, 12, 3, 1);
  record(&s, 0);
  assert_int_equal(eventring_record_events(s.r, &c), EVENTRING_E_ARGUMENT);
  assert_null(c);
  assert_int_equal(eventring_record_events(NULL, &c), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_record_events(s.r, NULL), EVENTRING_E_ARGUMENT);
  close_recorder(&s);
  eventring_close(s.recorded);
  unlink(s.path[0]);
  c = record_from_start(&s);
  eventring_close(c);
  write_some(&s, 10);
  step(&s);
  assert_int_equal(eventring_record_events(s.r, &c), EVENTRING_E_ARGUMENT);
  close_recorder(&s);
  tear_down(&s);
}

/* More than the recorder takes at once, and more in one ring than in the
   other: words of a ring that wait for the other ring are not forgotten. */
static void many_events(int first, int live)
{
  struct scene s;
  struct log read = { 0 }, recorded = { 0 };
  uint64_t payload[62] = { 0 };
  set_up(&s, 2, 23, 8, live);
  for (int i = 0; i < 195000; i++) {
    uint32_t ring = (i % 3 != 0) ^ first;
    payload[0] = payload[61] = (uint64_t) i;
    ring_write(&s.f, ring, s.ticks++, EVENTRING_FORM_INSTANT, 700, payload,
               62);
  }
  s.plain = ring_open(&s.f);
  record(&s, 0);
  keep(&read, s.plain);
  if (first) step(&s);
  close_recorder(&s);
  keep_file(&recorded, s.path[0]);
  assert_int_equal(recorded.count, 195000);
  same(&recorded, &read);
  forget(&read);
  forget(&recorded);
  tear_down(&s);
}

static void many_events_in_one_step(void **state)
{
  (void) state;
  many_events(1, 1);
  if (COARSE) return;
  many_events(1, 0);
  many_events(0, 1);
  many_events(0, 0);
}

/* A writer that is as fast as the recorder. */
struct busy { struct scene *s; int rounds; };

/* Writes more than the recorder takes at once. */
static void write_much(struct scene *s)
{
  const uint64_t payload[62] = { 0 };
  for (int i = 0; i < 72000; i++)
    ring_write(&s->f, 0, s->ticks++, EVENTRING_FORM_INSTANT, 700, payload, 62);
}

/* A sink, before each chunk of which the program has written as much again. */
static int write_again(void *state, int kind, const void *bytes, size_t size)
{
  struct busy *b = state;
  (void) bytes;
  (void) size;
  if (kind != EVENTRING_CHUNK_EVENTS) return 0;
  if (b->rounds++ < 8) write_much(b->s);
  return 0;
}

/* A step ends after what one ring holds, however many rings the file has room for. */
static void a_writer_that_never_rests_is_left_alone(void **state)
{
  struct scene s;
  struct busy busy = { &s, 0 };
  struct eventring_record_options o = {
    .size = sizeof o, .flush_ns = 1, .write = write_again, .state = &busy };
  (void) state;
  set_up(&s, 4, 23, 8, 1);
  s.recorded = ring_open(&s.f);
  assert_int_equal(eventring_record("a sink", s.recorded, &o, &s.r), 0);
  write_much(&s);
  step(&s);
  assert_in_range(busy.rounds, 1, 3);
  close_recorder(&s);
  tear_down(&s);
}

/* A recorder that had much to copy at once does not keep the memory. */
static void memory_of_a_burst_is_given_back(void **state)
{
  (void) state;
  struct scene s;
  struct log read = { 0 }, recorded = { 0 };
  struct eventring_record_options o = { .size = sizeof o, .flush_ns = 1 };
  uint64_t payload[62] = { 0 };
  set_up(&s, 2, 20, 8, 1);
  s.plain = ring_open(&s.f);
  s.recorded = ring_open(&s.f);
  assert_int_equal(eventring_record(s.path[0], s.recorded, &o, &s.r), 0);
  for (int burst = 0; burst < 2; burst++) {
    for (int i = 0; i < 12000; i++)
      ring_write(&s.f, 0, s.ticks++, EVENTRING_FORM_INSTANT, 700, payload, 62);
    keep(&read, s.plain);
    step(&s);
    assert_true(recorder_memory(s.r) >= 12000 * sizeof payload);
    for (int i = 0; i < 9; i++) {
      write_some(&s, 100);
      step(&s);
    }
    assert_true(recorder_memory(s.r) < 500000);
  }
  keep(&read, s.plain);
  close_recorder(&s);
  keep_file(&recorded, s.path[0]);
  same(&recorded, &read);
  forget(&read);
  forget(&recorded);
  tear_down(&s);
}

/* Events that the cursor read before are not recorded. */
static void recording_begins_at_the_cursor(void **state)
{
  (void) state;
  for (uint32_t old = 0; old < 3000; old = old * 2 + 17)
    for (int from_now = 0; from_now <= 1; from_now++) {
      struct scene s;
      struct log read = { 0 }, recorded = { 0 };
      set_up(&s, 3, 12, old, 1);
      write_some(&s, old);
      s.plain = ring_open(&s.f);
      s.recorded = from_now ? ring_open_from_now(&s.f) : ring_open(&s.f);
      keep(&read, s.plain);
      if (!from_now) keep(&recorded, s.recorded);
      forget(&read);
      forget(&recorded);
      assert_int_equal(eventring_record(s.path[0], s.recorded, NULL, &s.r), 0);
      write_some(&s, 500);
      close_recorder(&s);
      keep(&read, s.plain);
      keep_file(&recorded, s.path[0]);
      same(&recorded, &read);
      assert_true(read.count >= 500);
      forget(&read);
      forget(&recorded);
      tear_down(&s);
    }
}

/* Several files, one after the other: every event is in one of them; joined,
   they equal one file of the whole time. */
static void no_event_falls_between_two_files(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    struct scene s;
    struct log read = { 0 }, recorded = { 0 }, joined = { 0 };
    struct eventring_merge_input inputs[3];
    char path[300];
    set_up(&s, 5, seed <= 6 ? 15 : 9 + (uint32_t) seed % 4, seed, 1);
    s.plain = ring_open(&s.f);
    record(&s, 0);
    for (int file = 0; file < 3; file++) {
      for (int i = 0; i < 7; i++) {
        write_some(&s, (uint32_t) (ring_random(&s.seed) % 700));
        /* One that is in the future: after the horizon, for a while. */
        if (i == 6) {
          s.ticks = now() + 100000000;
          write_some(&s, 20);
        }
        if (i % 3 != 0) step(&s);
        if (i % 3 != 0) keep(&read, s.plain);
      }
      if (file < 2
          && eventring_record_next(s.r, s.path[file + 1]) < 0)
        fail_msg("%s", s.why);
      keep(&read, s.plain);
    }
    s.f.header->state = EVENTRING_ENDED;
    close_recorder(&s);
    keep(&read, s.plain);
    for (int i = 0; i < 3; i++) keep_file(&recorded, s.path[i]);
    if (seed <= 6) assert_int_equal(read.lost, 0);
    /* With losses, they are not the same: a cursor is behind a recorder, which
       copies events of the future too. */
    if (seed <= 6) same(&recorded, &read);

    for (int i = 0; i < 3; i++)
      inputs[i] = INPUT(.path = s.path[i], .join = i > 0);
    snprintf(path, sizeof path, "%s/joined.evr", s.f.dir);
    assert_int_equal(eventring_recording_merge(path, inputs, 3, NULL), 0);
    keep_file(&joined, path);
    same(&joined, &recorded);
    unlink(path);
    forget(&read);
    forget(&recorded);
    forget(&joined);
    tear_down(&s);
  }
}

/* A recording that ends while the process goes on has blocks after its last
   horizon; a writer that is faster than the recorder makes many. */
static void events_after_the_last_horizon_are_read(void **state)
{
  struct scene s;
  struct log recorded = { 0 };
  uint64_t written = 0;
  (void) state;
  set_up(&s, 3, 15, 3, 1);
  record(&s, 0);
  write_some(&s, 500);
  step(&s);
  s.ticks = now() + 800000000;
  write_some(&s, 3000);
  close_recorder(&s);
  keep_file(&recorded, s.path[0]);
  for (int i = 0; i < 3; i++) written += s.index[i];
  assert_int_equal(recorded.damaged, 0);
  assert_int_equal(recorded.count, written);
  forget(&recorded);
  tear_down(&s);
}

/* Reads a recording to its end, and returns the number of changes of the mask
   of categories by other programs.  Sets *threshold_ns to the threshold at the
   end. */
static int changes(const char *path, uint64_t *threshold_ns)
{
  struct eventring_cursor *c;
  struct eventring_event ev[61];
  struct eventring_options o = { .size = sizeof o, .changes = 1 };
  struct eventring_info info = { .size = sizeof info };
  int n, count = 0;
  assert_int_equal(eventring_open(path, &o, &c), 0);
  while ((n = eventring_read(c, ev, 61)) > 0)
    for (int i = 0; i < n; i++)
      count += ev[i].form == EVENTRING_EV_CONTROL_CHANGED;
  assert_int_equal(n, 0);
  eventring_get_info(c, &info);
  *threshold_ns = info.threshold_ns;
  eventring_close(c);
  return count;
}

/* Words of the header that other programs change are recorded as they are at
   the end of each file. */
static void changes_from_outside_are_recorded(void **state)
{
  struct scene s;
  struct eventring_merge_input inputs[2];
  uint64_t threshold;
  char path[300];
  (void) state;
  set_up(&s, 2, 10, 1, 1);
  s.f.header->threshold = 1000;
  record(&s, 0);
  for (int file = 0; file < 2; file++) {
    struct eventring_header *h = s.f.header;
    write_some(&s, 10);
    h->threshold += 1000;
    h->marks[h->marks_made++] = s.ticks;
    write_some(&s, 10);
    if (file == 0 && eventring_record_next(s.r, s.path[1]) < 0)
      fail_msg("%s", s.why);
  }
  s.f.header->state = EVENTRING_ENDED;
  close_recorder(&s);
  assert_int_equal(changes(s.path[0], &threshold), 1);
  assert_int_equal(threshold, 2000);
  assert_int_equal(changes(s.path[1], &threshold), 2);
  assert_int_equal(threshold, 3000);

  for (int i = 0; i < 2; i++)
    inputs[i] = INPUT(.path = s.path[i], .join = i > 0);
  snprintf(path, sizeof path, "%s/joined.evr", s.f.dir);
  assert_int_equal(eventring_recording_merge(path, inputs, 2, NULL), 0);
  assert_int_equal(changes(path, &threshold), 2);
  assert_int_equal(threshold, 3000);
  unlink(path);
  tear_down(&s);
}

/* Reads all events and changes of the mask of categories, and compares their order
   with their ticks: an event each 10 ticks from [begin] on, and a change 5 ticks
   after each seventh. */
static void assert_in_order(const char *path, uint64_t begin)
{
  struct eventring_cursor *c;
  struct eventring_event ev[61];
  struct eventring_options o = { .size = sizeof o, .changes = 1 };
  uint64_t events = 0, changed = 0;
  int n;
  assert_int_equal(eventring_open(path, &o, &c), 0);
  while ((n = eventring_read(c, ev, 61)) > 0)
    for (int i = 0; i < n; i++)
      if (ev[i].form == EVENTRING_EV_CONTROL_CHANGED) {
        assert_int_equal(ev[i].ticks, begin + 70 * changed++ + 5);
        assert_int_equal(events, 7 * (changed - 1) + 1);
      } else {
        assert_int_equal(ev[i].ticks, begin + 10 * events++);
      }
  assert_int_equal(n, 0);
  assert_int_equal(events, 40);
  assert_int_equal(changed, 6);
  eventring_close(c);
}

/* Each half of a recording that is cut knows the changes of both. */
static void changes_of_joined_halves_are_at_their_times(void **state)
{
  struct scene s;
  struct log all = { 0 };
  char path[300];
  (void) state;
  set_up(&s, 2, 10, 1, 1);
  record(&s, 0);
  const uint64_t begin = s.ticks;
  for (uint64_t i = 0; i < 40; i++) {
    struct eventring_header *h = s.f.header;
    ring_write(&s.f, i % 2, begin + 10 * i, EVENTRING_FORM_INSTANT, 700, &i, 1);
    if (i % 7 == 0) h->marks[h->marks_made++] = begin + 10 * i + 5;
    if (i % 16 == 0) step(&s);
  }
  s.f.header->state = EVENTRING_ENDED;
  close_recorder(&s);
  keep_file(&all, s.path[0]);
  assert_in_order(s.path[0], begin);
  snprintf(path, sizeof path, "%s/joined.evr", s.f.dir);
  for (size_t i = 0; i < all.count; i++) {
    const int64_t at = all.events[i].e.ns;
    struct eventring_merge_input inputs[2];
    for (int k = 0; k < 2; k++) {
      inputs[k] = INPUT(.path = s.path[0], .from_ns = k ? at : INT64_MIN,
                        .to_ns = k ? INT64_MAX : at);
      assert_int_equal(eventring_recording_merge(s.path[1 + k], &inputs[k], 1,
                                                 NULL), 0);
      inputs[k] = INPUT(.path = s.path[1 + k], .join = k);
    }
    assert_int_equal(eventring_recording_merge(path, inputs, 2, NULL), 0);
    assert_in_order(path, begin);
    unlink(s.path[1]);
    unlink(s.path[2]);
    unlink(path);
  }
  forget(&all);
  tear_down(&s);
}

/* Two recordings of the same time, joined, have every event once. */
static void overlapping_recordings_have_events_once(void **state)
{
  struct scene s;
  struct log read = { 0 }, joined = { 0 };
  struct eventring_merge_input inputs[2];
  (void) state;
  set_up(&s, 4, 14, 77, 1);
  s.plain = ring_open(&s.f);
  for (int file = 0; file < 2; file++) {
    write_some(&s, 3000);
    record(&s, 0);
    write_some(&s, 500);
    close_recorder(&s);
    eventring_close(s.recorded);
    keep(&read, s.plain);
    if (file == 0) assert_int_equal(rename(s.path[0], s.path[1]), 0);
  }
  s.recorded = NULL;
  inputs[0] = INPUT(.path = s.path[1]);
  inputs[1] = INPUT(.path = s.path[0], .join = 1);
  assert_int_equal(eventring_recording_merge(s.path[2], inputs, 2, NULL), 0);
  s.recorded = open_file(s.path[2], 0);
  keep(&joined, s.recorded);
  assert_true(counted(s.recorded, 0) == UINT64_MAX);
  assert_int_equal(read.count, 7000);
  same(&joined, &read);
  forget(&read);
  forget(&joined);
  tear_down(&s);
}

/* What the second of two joined recordings has lost is not lost if the first one
   has it. */
static void losses_that_another_recording_has_are_none(void **state)
{
  struct scene s;
  struct log read = { 0 }, joined = { 0 };
  struct eventring_merge_input inputs[2];
  struct eventring_recorder *slow;
  (void) state;
  set_up(&s, 2, 11, 79, 1);
  s.plain = ring_open(&s.f);
  record(&s, 0);
  struct eventring_cursor *watched = ring_open(&s.f);
  struct eventring_record_options o = { .size = sizeof o };
  assert_int_equal(eventring_record(s.path[1], watched, &o, &slow), 0);
  for (int i = 0; i < 44; i++) {
    write_some(&s, 100);
    keep(&read, s.plain);
    if (i < 40) step(&s);
    if (i % 10 == 0 || i > 40) assert_true(eventring_record_step(slow) >= 0);
    if (i == 40) close_recorder(&s);
  }
  assert_int_equal(eventring_record_close(slow), 0);
  eventring_close(watched);
  assert_int_equal(read.lost, 0);
  watched = open_file(s.path[1], 0);
  assert_true(counted(watched, 1) > 1000);
  eventring_close(watched);
  inputs[0] = INPUT(.path = s.path[0]);
  inputs[1] = INPUT(.path = s.path[1], .join = 1);
  assert_int_equal(eventring_recording_merge(s.path[2], inputs, 2, NULL), 0);
  watched = open_file(s.path[2], 0);
  keep(&joined, watched);
  eventring_close(watched);
  same(&joined, &read);
  forget(&read);
  forget(&joined);
  tear_down(&s);
}

/* Cut in two at any time, with the numbers of events of both, and put together
   again. */
static void a_cut_loses_nothing(void **state)
{
  struct scene s;
  struct log all = { 0 };
  (void) state;
  set_up(&s, 4, 13, 78, 1);
  record(&s, 0);
  for (int i = 0; i < 40; i++) {
    write_some(&s, 500);
    step(&s);
  }
  close_recorder(&s);
  keep_file(&all, s.path[0]);
  assert_int_equal(all.count, 20000);
  for (size_t i = 0; i < all.count; i += 1 + i / (COARSE ? 1 : 3)) {
    int64_t at = all.events[i].e.ns;
    struct eventring_merge_input p[2] = {
      INPUT(.path = s.path[0], .from_ns = INT64_MIN, .to_ns = at),
      INPUT(.path = s.path[0], .from_ns = at, .to_ns = INT64_MAX) };
    struct log halves = { 0 }, both = { 0 };
    for (int k = 0; k < 2; k++) {
      struct eventring_cursor *c;
      size_t before = halves.count;
      assert_int_equal(eventring_recording_merge(s.path[1 + k], &p[k], 1, NULL),
                       0);
      c = open_file(s.path[1 + k], 0);
      keep(&halves, c);
      assert_int_equal(counted(c, 0), halves.count - before);
      assert_int_equal(counted(c, 1), 0);
      eventring_close(c);
    }
    same(&halves, &all);
    p[0] = INPUT(.path = s.path[1]);
    p[1] = INPUT(.path = s.path[2], .join = 1);
    {
      char path[300];
      struct eventring_cursor *c;
      snprintf(path, sizeof path, "%s/both.evr", s.f.dir);
      assert_int_equal(eventring_recording_merge(path, p, 2, NULL), 0);
      c = open_file(path, 0);
      keep(&both, c);
      eventring_close(c);
      unlink(path);
    }
    same(&both, &all);
    forget(&halves);
    forget(&both);
    unlink(s.path[1]);
    unlink(s.path[2]);
  }
  forget(&all);
  tear_down(&s);
}

/* Two processes in one file. */
static void merged_processes_stay_separate(void **state)
{
  struct scene s[2];
  struct log one[2] = { { 0 } }, other = { 0 };
  struct eventring_merge_input p[2];
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  char why[256] = "";
  struct eventring_options o = { .size = sizeof o, .process = 2, .message = why,
                                 .message_size = sizeof why };
  (void) state;
  for (int i = 0; i < 2; i++) {
    set_up(&s[i], 2, 12, (uint64_t) i, 0);
    s[i].f.header->pid = 4000 + (uint32_t) i;
    record(&s[i], 0);
    write_some(&s[i], 300);
    close_recorder(&s[i]);
    keep_file(&one[i], s[i].path[0]);
    p[i] = INPUT(.path = s[i].path[0]);
  }
  assert_int_equal(eventring_recording_merge(s[0].path[1], p, 2, NULL), 0);
  for (uint32_t i = 0; i < 2; i++) {
    c = open_file(s[0].path[1], i);
    eventring_get_info(c, &info);
    assert_int_equal(info.processes, 2);
    assert_int_equal(info.pid, 4000 + i);
    keep(&other, c);
    same(&other, &one[i]);
    eventring_close(c);
    forget(&other);
  }
  assert_int_equal(eventring_open(s[0].path[1], &o, &c), EVENTRING_E_ARGUMENT);
  assert_non_null(strstr(why, "has 2 processes"));
  /* Other processes are not joined. */
  p[1].join = 1;
  assert_true(eventring_recording_merge(s[0].path[2], p, 2, NULL) < 0);
  assert_int_equal(access(s[0].path[2], F_OK), -1);
  for (int i = 0; i < 2; i++) {
    forget(&one[i]);
    tear_down(&s[i]);
  }
}

/* Held segments are not written.  On release all are written but those that are
   too old. */
static void held_segments_are_written_on_release(void **state)
{
  (void) state;
  for (int old = 0; old <= 1; old++) {
    struct scene s;
    struct log read = { 0 }, recorded = { 0 };
    struct eventring_record_totals t = { .size = sizeof t };
    set_up(&s, 3, 14, 9, 1);
    s.plain = ring_open(&s.f);
    /* 1 ns: all but the last segment. */
    record(&s, old ? 1 : 60000000000);
    for (int i = 0; i < 3; i++) {
      write_some(&s, 40000 / 3);
      for (int k = 0; k < 30; k++) {
        step(&s);
        keep(&read, s.plain);
        write_some(&s, 900);
      }
      step(&s);
      keep(&read, s.plain);
      assert_int_equal(access(s.path[i > 0], F_OK), -1);
      if (i == 0) {
        if (eventring_record_release(s.r) < 0) fail_msg("%s", s.why);
        keep(&read, s.plain);
        eventring_record_totals(s.r, &t);
        assert_int_equal(eventring_record_next(s.r, s.path[1]), 0);
        assert_int_equal(access(s.path[0], F_OK), 0);
      }
    }
    assert_int_equal(eventring_record_release(s.r), 0);
    s.f.header->state = EVENTRING_ENDED;
    close_recorder(&s);
    keep(&read, s.plain);
    keep_file(&recorded, s.path[0]);
    for (size_t i = 0; i < recorded.count; i++)
      t.events += recorded.events[i].e.form == EVENTRING_EV_LOST;
    assert_int_equal(recorded.count, t.events);
    keep_file(&recorded, s.path[1]);
    if (old) {
      assert_true(recorded.count < read.count);
      /* The last ones. */
      memmove(read.events, read.events + (read.count - 1),
              sizeof *read.events);
      memmove(recorded.events, recorded.events + (recorded.count - 1),
              sizeof *recorded.events);
      read.count = recorded.count = 1;
      read.lost = recorded.lost = 0;
    }
    same(&recorded, &read);
    forget(&read);
    forget(&recorded);
    tear_down(&s);
  }
}

/* Also when the block in which the held time begins has events that the cursor has
   read. */
static void a_held_recording_begins_where_its_cursor_is(void **state)
{
  (void) state;
  for (int old = 0; old <= 1; old++) {
    struct scene s;
    struct log read = { 0 }, recorded = { 0 };
    struct eventring_record_options o = { .size = sizeof o, .message = s.why,
      .message_size = sizeof s.why, .hold_ns = old ? 1 : 60000000000 };
    set_up(&s, 1, 14, 9, 1);
    write_some(&s, 3);
    s.recorded = ring_open(&s.f);
    keep(&read, s.recorded);
    assert_int_equal(read.count, 3);
    write_some(&s, 4);
    if (eventring_record(s.path[0], s.recorded, &o, &s.r) < 0) fail_msg("%s", s.why);
    assert_int_equal(eventring_record_release(s.r), 0);
    s.f.header->state = EVENTRING_ENDED;
    close_recorder(&s);
    keep_file(&recorded, s.path[0]);            /* agrees with the counts at its end */
    assert_int_equal(recorded.count, old ? 0 : 4);
    forget(&read);
    forget(&recorded);
    tear_down(&s);
  }
}

static void times_of(const char *path, int64_t *first_ns, int64_t *last_ns)
{
  struct eventring_cursor *c = open_file(path, 0);
  struct eventring_info info = { .size = sizeof info };
  eventring_get_info(c, &info);
  *first_ns = info.first_ns;
  *last_ns = info.last_ns;
  eventring_close(c);
}

/* A block may begin long before the first event of it that is in the file: in a quiet
   ring, in which one block has the events of two files.  The events are of a second
   ago, and the horizons of now. */
static void a_recording_does_not_begin_before_its_events(void **state)
{
  (void) state;
  for (int held = 0; held <= 1; held++) {
    struct scene s;
    int64_t from[2], to[2], dropped = 0;
    set_up(&s, 1, 19, 9, 1);
    record(&s, held);                   /* 1 ns: all but the last segment are dropped */
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 2; k++) {
        if (i == 0 && k == 0) dropped = (int64_t) now();
        write_some(&s, 30000);          /* a segment */
        step(&s);
      }
      if (held) assert_int_equal(eventring_record_release(s.r), 0);
      if (i == 0) assert_int_equal(eventring_record_next(s.r, s.path[1]), 0);
    }
    s.f.header->state = EVENTRING_ENDED;
    close_recorder(&s);
    for (int i = 0; i < 2; i++) {
      times_of(s.path[i], &from[i], &to[i]);
      assert_true(from[i] <= to[i]);
    }
    assert_true(from[1] >= to[0]);
    if (held) assert_true(from[0] >= dropped);
    tear_down(&s);
  }
}

/* Held segments that exceed the limit of memory are dropped, the oldest
   first. */
static void held_segments_have_a_limit_of_bytes(void **state)
{
  struct eventring_record_totals t = { .size = sizeof t };
  uint64_t bytes[2];
  (void) state;
  for (int limited = 0; limited <= 1; limited++) {
    struct scene s;
    struct log recorded = { 0 };
    set_up(&s, 1, 18, 9, 1);
    record_held(&s, 60000000000, limited ? 100000 : 0);
    for (int i = 0; i < 20; i++) {
      write_some(&s, 40000);
      step(&s);
    }
    assert_int_equal(eventring_record_release(s.r), 0);
    eventring_record_totals(s.r, &t);
    bytes[limited] = t.bytes;
    s.f.header->state = EVENTRING_ENDED;
    close_recorder(&s);
    if (limited) {
      keep_file(&recorded, s.path[0]);
      assert_true(recorded.count > 0);
      /* The payload of each event is its number. */
      assert_int_equal(recorded.events[recorded.count - 1].first,
                       s.index[0] - 1);
      forget(&recorded);
    }
    tear_down(&s);
  }
  print_message("# %lu and %lu bytes\n", (unsigned long) bytes[0],
                (unsigned long) bytes[1]);
  assert_true(bytes[1] < bytes[0] / 2);
}

static void seek_to_a_time(void **state)
{
  struct scene s;
  struct log all = { 0 };
  struct eventring_cursor *c;
  (void) state;
  set_up(&s, 3, 14, 21, 1);
  record(&s, 0);
  for (int i = 0; i < 200; i++) {
    write_some(&s, 1000);
    step(&s);
    usleep(2000);
    s.ticks = now();
  }
  s.f.header->state = EVENTRING_ENDED;
  close_recorder(&s);
  keep_file(&all, s.path[0]);
  c = open_file(s.path[0], 0);
  for (size_t i = 0; i < all.count; i += 1 + all.count / (COARSE ? 7 : 23)) {
    struct log rest = { 0 };
    size_t more;
    assert_int_equal(eventring_seek(c, all.events[i].e.ns), 0);
    keep(&rest, c);
    assert_int_equal(rest.lost, 0);
    assert_true(rest.count >= all.count - i);
    more = rest.count - (all.count - i);
    /* The rest is not the whole file again. */
    if (i > all.count / 2) assert_true(rest.count < all.count);
    for (size_t k = 0; k < all.count - i; k++)
      assert_memory_equal(&rest.events[more + k], &all.events[i + k],
                          sizeof all.events[0]);
    forget(&rest);
  }
  eventring_close(c);
  forget(&all);
  tear_down(&s);
}

static void names_registered_while_recording(void **state)
{
  struct scene s;
  struct eventring_cursor *c;
  struct log log = { 0 };
  (void) state;
  set_up(&s, 2, 12, 3, 1);
  record(&s, 0);
  assert_int_equal(eventring_record_note(s.r, "first"), 0);
  write_some(&s, 10);
  step(&s);
  ring_schema(&s.f, 1030, EVENTRING_SPAN, EVENTRING_PACKED, 3, "", "mine");
  ring_field(&s.f, 1030, 0, "words", 0, "how many");
  ring_label(&s.f, 1, 0, -1, "worker");
  write_some(&s, 10);
  ring_packed(&s.f, 1, s.ticks, EVENTRING_FORM_END, 1030,
              (uint64_t[]) { 123456 }, 1);
  assert_int_equal(eventring_record_note(s.r, "{\"second\": 2}"), 0);
  assert_int_equal(eventring_record_next(s.r, s.path[1]), 0);
  write_some(&s, 10);
  close_recorder(&s);
  for (int i = 0; i < 2; i++) {
    c = open_file(s.path[i], 0);
    assert_string_equal(eventring_note(c), "{\"second\": 2}");
    assert_int_equal(eventring_find(c, "mine"), 1030);
    assert_string_equal(eventring_field(c, 1030, 0)->name, "how many");
    assert_string_equal(eventring_domain_name(c, 1), "worker");
    keep(&log, c);
    if (i == 0) assert_int_equal(log.events[log.count - 1].first, 123456);
    eventring_close(c);
  }
  forget(&log);
  tear_down(&s);
}

static void a_file_is_not_overwritten(void **state)
{
  struct scene s;
  struct eventring_recorder *r;
  char why[512] = "";
  struct eventring_record_options o = { .size = sizeof o, .message = why,
                                        .message_size = sizeof why };
  (void) state;
  set_up(&s, 1, 9, 1, 0);
  record(&s, 0);
  close_recorder(&s);
  assert_true(eventring_record(s.path[0], s.recorded, &o, &r) < 0);
  assert_non_null(strstr(why, s.path[0]));
  assert_null(r);
  o.replace = 1;
  assert_int_equal(eventring_record(s.path[0], s.recorded, &o, &r), 0);
  assert_int_equal(eventring_record_close(r), 0);
  tear_down(&s);
}

/* Damage */

static char *load(const char *path, size_t *size)
{
  struct stat st;
  char *bytes;
  int fd = open(path, O_RDONLY);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  *size = (size_t) st.st_size;
  bytes = malloc(*size + 1);
  assert_int_equal(read(fd, bytes, *size), st.st_size);
  close(fd);
  return bytes;
}

static void store(const char *path, const char *bytes, size_t size)
{
  int fd;
  /* Some file systems flush a file that is overwritten. */
  unlink(path);
  fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, size), (ssize_t) size);
  close(fd);
}

/* Reads the file, which may be damaged; returns the number of events, or -1
   when it was not opened. */
static long read_any(const char *path, struct log *log)
{
  struct eventring_cursor *c;
  long n;
  forget(log);
  if (eventring_open(path, NULL, &c) < 0) {
    assert_null(c);
    return -1;
  }
  keep(log, c);
  eventring_note(c);
  eventring_find(c, "some");
  n = (long) log->count;
  eventring_close(c);
  return n;
}

static void count_finding(void *state, uint64_t offset, const char *what)
{
  (void) offset;
  assert_true(strlen(what) > 5);
  ++*(int *) state;
}

static int findings(const char *path)
{
  int n = 0;
  char why[256];
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why };
  if (eventring_verify(path, &o, count_finding, &n) < 0) return -1;
  return n;
}

static void make_small(struct scene *s)
{
  set_up(s, 2, 9, 31, 1);
  record(s, 0);
  for (int i = 0; i < 3; i++) {
    write_some(s, 60);
    /* A note, so that a segment is written each time. */
    eventring_record_note(s->r, "a note");
    assert_int_equal(eventring_record_next(s->r, s->path[1 + i % 2]), 0);
    if (i < 2) unlink(s->path[1 + (i + 1) % 2]);
  }
  close_recorder(s);
  unlink(s->path[2]);
}

static void every_damaged_byte_is_found(void **state)
{
  struct scene s;
  struct log log = { 0 };
  size_t size;
  char *bytes;
  (void) state;
  make_small(&s);
  bytes = load(s.path[0], &size);
  assert_int_equal(findings(s.path[0]), 0);
  for (size_t i = 0; i < size; i += COARSE ? 97 : 1)
    for (int bit = (int) (i % 3); bit < 8; bit += 3) {
      bytes[i] = (char) (bytes[i] ^ 1 << bit);
      store(s.path[2], bytes, size);
      read_any(s.path[2], &log);
      if (findings(s.path[2]) == 0)
        fail_msg("bit %d of byte %zu of %zu", bit, i, size);
      bytes[i] = (char) (bytes[i] ^ 1 << bit);
    }
  free(bytes);
  forget(&log);
  tear_down(&s);
}

static void cut_at_any_length(void **state)
{
  struct scene s;
  struct log log = { 0 };
  size_t size;
  char *bytes;
  long best = -1;
  (void) state;
  make_small(&s);
  bytes = load(s.path[0], &size);
  for (size_t i = 0; i < size; i += COARSE ? 5 : 1) {
    long n;
    store(s.path[2], bytes, i);
    n = read_any(s.path[2], &log);
    /* A longer part of the file never has fewer events. */
    assert_true(n >= best);
    best = n;
    assert_int_equal(log.damaged, 0);
    assert_true(findings(s.path[2]) != 0);
  }
  assert_int_equal(best, 60);
  free(bytes);
  forget(&log);
  tear_down(&s);
}

/* The end of a file is lost, and the next file begins in the first block of the
   ring: it has the lost events, but leaves them out. */
static void a_gap_in_the_first_block_is_lost(void **state)
{
  struct scene s;
  size_t size;
  (void) state;
  set_up(&s, 1, 14, 5, 1);
  s.recorded = ring_open(&s.f);
  struct eventring_record_options o = {
    .size = sizeof o, .flush_ns = 1, .message = s.why,
    .message_size = sizeof s.why };
  assert_int_equal(eventring_record(s.path[0], s.recorded, &o, &s.r), 0);
  for (uint64_t i = 0; i < 30; i++) {
    ring_write(&s.f, 0, s.ticks + i, EVENTRING_FORM_INSTANT, 700, &i, 1);
    if (i % 5 == 4) step(&s);
    if (i == 19 && eventring_record_next(s.r, s.path[1]) < 0)
      fail_msg("%s", s.why);
  }
  close_recorder(&s);
  char *bytes = load(s.path[0], &size);
  uint64_t seen = 0;
  for (size_t i = 0; i < size; i += 64) {
    struct log part = { 0 }, joined = { 0 };
    char path[300];
    store(s.path[2], bytes, i);
    if (read_any(s.path[2], &part) < 1) {
      forget(&part);
      continue;
    }
    seen |= UINT64_C(1) << part.count;
    snprintf(path, sizeof path, "%s/joined.evr", s.f.dir);
    struct eventring_merge_input inputs[] = {
      INPUT(.path = s.path[2]), INPUT(.path = s.path[1], .join = 1) };
    assert_int_equal(eventring_recording_merge(path, inputs, 2, NULL), 0);
    read_any(path, &joined);
    const int losses = joined.lost > 0;
    assert_int_equal(joined.lost, 20 - part.count);
    assert_int_equal(joined.count, part.count + (size_t) losses + 10);
    assert_int_equal(joined.events[joined.count - 10].first, 20);
    unlink(path);
    forget(&part);
    forget(&joined);
  }
  /* A file may end after each segment. */
  assert_int_equal(seen, 1 << 5 | 1 << 10 | 1 << 15 | 1 << 20);
  free(bytes);
  tear_down(&s);
}

/* Content that no recorder writes, with sums that are right: the reader must
   stay within it. */
static void hostile_content(void **state)
{
  struct scene s;
  struct log log = { 0 };
  struct chunk_reader r;
  struct stat st;
  uint64_t seed = 4;
  static const struct eventring_options quiet = { .size = sizeof quiet };
  (void) state;
  make_small(&s);
  assert_int_equal(stat(s.path[0], &st), 0);
  assert_int_equal(eventring_list_chunks(&r, open(s.path[0], O_RDONLY),
                                         (uint64_t) st.st_size, &quiet, ""), 0);
  for (int round = 0; round < (COARSE ? 100 : 400); round++) {
    struct chunk_writer w = { .zstd = ZSTD_createCCtx() };
    size_t victim = ring_random(&seed) % r.count;
    unlink(s.path[2]);
    assert_int_equal(eventring_begin_chunks(&w, s.path[2], 0, NULL, 0), 0);
    for (size_t i = 0; i < r.count; i++) {
      struct chunk c = r.chunks[i].chunk;
      assert_int_equal(eventring_read_chunk(&r, &r.chunks[i]), 0);
      if (i == victim && c.raw > 0) {
        size_t at = ring_random(&seed) % (c.raw < 256 || round % 2 ? c.raw
                                                                   : 256);
        uint64_t value = ring_random(&seed) % 3 == 0 ? 0 : ring_random(&seed);
        size_t n = 1 + ring_random(&seed) % 8;
        if (n > c.raw - at) n = c.raw - at;
        memcpy(r.raw + at, &value, n);
        if (round % 7 == 0) c.raw = ring_random(&seed) % c.raw;
        if (round % 11 == 0) c.shift = RECORDING_SHIFT * (seed % 3);
        if (round % 13 == 0) c.horizon = ring_random(&seed);
        if (round % 17 == 0) c.kind = 1 + (uint32_t) (seed % 6);
      }
      assert_int_equal(eventring_write_chunk(&w, c, r.raw, c.raw), 0);
    }
    assert_int_equal(eventring_end_chunks(&w), 0);
    eventring_drop_chunks(&w);
    read_any(s.path[2], &log);
    findings(s.path[2]);
    {
      struct eventring_merge_input p[2] = {
        INPUT(.path = s.path[2]),
        INPUT(.path = s.path[0], .join = 1, .from_ns = 1, .to_ns = INT64_MAX)
      };
      eventring_recording_merge(s.path[1], p, 2, NULL);
      if (access(s.path[1], F_OK) == 0) read_any(s.path[1], &log);
      unlink(s.path[1]);
    }
  }
  eventring_close_chunks(&r);
  forget(&log);
  tear_down(&s);
}

/* Merges a copy of the [size] bytes at [bytes], with one bit changed in the stored
   bytes of chunk [e].  Returns the result, and the number of damaged blocks in
   *left_out. */
static int merge_damaged(const struct scene *s, char *bytes, size_t size,
                         const struct index_entry *e, uint64_t *left_out)
{
  struct eventring_merge_input input = INPUT(.path = s->path[1],
                                             .left_out = left_out);
  char *byte = bytes + e->offset + sizeof e->chunk + e->chunk.stored / 2;
  *byte = (char) (*byte ^ 4);
  store(s->path[1], bytes, size);
  *byte = (char) (*byte ^ 4);
  unlink(s->path[2]);
  return eventring_recording_merge(s->path[2], &input, 1, NULL);
}

static void damaged_chunks_are_left_out(void **state)
{
  struct scene s;
  struct chunk_reader r;
  struct eventring_options o = { .size = sizeof o };
  size_t size;
  int segments = 0, others = 0;
  (void) state;
  set_up(&s, 1, 14, 5, 1);
  s.recorded = ring_open(&s.f);
  struct eventring_record_options flush = { .size = sizeof flush,
                                            .flush_ns = 1 };
  assert_int_equal(eventring_record(s.path[0], s.recorded, &flush, &s.r), 0);
  for (uint64_t i = 0; i < 1200; i++) {
    ring_write(&s.f, 0, s.ticks + i, EVENTRING_FORM_INSTANT, 700, &i, 1);
    if (i % 300 == 299) step(&s);
  }
  close_recorder(&s);
  char *bytes = load(s.path[0], &size);
  assert_int_equal(eventring_list_chunks(&r, open(s.path[0], O_RDONLY), size, &o,
                                         s.path[0]), 0);
  for (size_t i = 0; i < r.count; i++) {
    const struct index_entry *e = &r.chunks[i];
    const int segment = e->chunk.kind == CHUNK_SEGMENT;
    struct log log = { 0 };
    uint64_t left_out = 7;
    if (e->chunk.kind == CHUNK_PROCESS) {
      assert_true(merge_damaged(&s, bytes, size, e, &left_out) < 0);
      assert_int_equal(access(s.path[2], F_OK), -1);
      continue;
    }
    assert_int_equal(merge_damaged(&s, bytes, size, e, &left_out), 0);
    assert_int_equal(left_out, 7 + segment);
    assert_int_equal(findings(s.path[2]), 0);
    read_any(s.path[2], &log);
    assert_int_equal(log.damaged, 0);
    /* A loss is seen when events follow.  The next segment has the last block of
       this one again. */
    const int last = segment && segments == 3, middle = segment && !last;
    const size_t events = log.count - (size_t) middle;
    assert_true((log.lost > 0) == middle);
    if (last) assert_true(events >= 900 && events < 1200);
    else assert_int_equal(events + log.lost, 1200);
    segments += segment;
    others += !segment;
    forget(&log);
    if (!segment) continue;
    /* Without a number to add to, damage is an error. */
    assert_int_equal(merge_damaged(&s, bytes, size, e, NULL),
                     EVENTRING_E_DAMAGED);
    assert_int_equal(access(s.path[2], F_OK), -1);
  }
  assert_int_equal(segments, 4);
  assert_true(others > 1);
  eventring_close_chunks(&r);
  free(bytes);
  tear_down(&s);
}

/* A chunk of an unknown kind in front of each other chunk changes nothing. */
static void chunks_of_a_newer_version_are_skipped(void **state)
{
  struct scene s;
  struct log before = { 0 }, after = { 0 };
  struct chunk_reader r;
  struct chunk_writer w = { .fd = -1, .zstd = ZSTD_createCCtx() };
  struct eventring_options o = { .size = sizeof o };
  struct eventring_info info = { .size = sizeof info };
  struct eventring_cursor *c;
  struct stat st;
  int fd;
  (void) state;
  set_up(&s, 2, 12, 3, 0);
  record(&s, 0);
  write_some(&s, 2000);
  close_recorder(&s);
  fd = open(s.path[0], O_RDONLY);
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(eventring_list_chunks(&r, fd, (uint64_t) st.st_size, &o,
                                         s.path[0]), 0);
  assert_int_equal(eventring_begin_chunks(&w, s.path[1], 0, NULL, 0), 0);
  for (size_t i = 0; i < r.count; i++) {
    struct chunk unknown = { .kind = CHUNK_OPEN + 1 + (uint32_t) i * 1000 };
    assert_int_equal(eventring_write_chunk(&w, unknown, "new", 3), 0);
    assert_int_equal(eventring_read_chunk(&r, &r.chunks[i]), 0);
    assert_int_equal(eventring_write_chunk(&w, r.chunks[i].chunk, r.raw,
                                           r.chunks[i].chunk.raw), 0);
  }
  assert_int_equal(eventring_end_chunks(&w), 0);
  eventring_drop_chunks(&w);
  eventring_close_chunks(&r);
  keep_file(&before, s.path[0]);
  keep_file(&after, s.path[1]);
  assert_true(before.count > 0);
  same(&after, &before);
  assert_int_equal(findings(s.path[1]), 0);
  c = open_file(s.path[1], 0);
  eventring_get_info(c, &info);
  assert_int_equal(info.damaged_at, 0);
  eventring_close(c);
  forget(&before);
  forget(&after);
  tear_down(&s);
}

/* Options that a newer header may add behind the options of today. */
static void options_of_a_newer_library_are_refused(void **state)
{
  struct scene s;
  char why[256] = "";
  struct {
    struct eventring_options o;
    uint64_t unknown;
  } newer = { .o = { .size = sizeof newer, .message = why,
                     .message_size = sizeof why } };
  struct {
    struct eventring_record_options o;
    uint64_t unknown;
  } record = { .o = { .size = sizeof record, .replace = 1, .message = why,
                      .message_size = sizeof why } };
  struct {
    struct eventring_merge_input p;
    uint64_t unknown;
  } inputs[2] = { { .p = { .size = sizeof *inputs } },
                  { .p = { .size = sizeof *inputs, .join = 1 } } };
  struct eventring_recorder *r;
  struct eventring_cursor *c;
  (void) state;
  set_up(&s, 2, 12, 1, 0);
  inputs[0].p.path = inputs[1].p.path = s.path[0];
  c = ring_open(&s.f);
  for (int unknown = 1; unknown >= 0; unknown--) {
    int expected = unknown ? EVENTRING_E_ARGUMENT : 0;
    newer.unknown = record.unknown = inputs[1].unknown = (uint64_t) unknown;
    assert_int_equal(eventring_record(s.path[0], c, &record.o, &r), expected);
    if (unknown) assert_non_null(strstr(why, "use a newer libeventring"));
    else assert_int_equal(eventring_record_close(r), 0);
  }
  eventring_close(c);
  for (int unknown = 1; unknown >= 0; unknown--) {
    int expected = unknown ? EVENTRING_E_ARGUMENT : 0;
    why[0] = 0;
    newer.unknown = (uint64_t) unknown;
    assert_int_equal(eventring_verify(s.path[0], &newer.o, ignore_finding,
                                      NULL), expected);
    if (unknown) assert_non_null(strstr(why, "use a newer libeventring"));
    /* The second of an array of larger inputs. */
    inputs[1].unknown = (uint64_t) unknown;
    assert_int_equal(eventring_recording_merge(s.path[1], &inputs[0].p, 2,
                                               NULL), expected);
  }
  record.unknown = 1;
  assert_int_equal(eventring_recording_merge(s.path[2], &inputs[0].p, 1,
                                             &record.o), EVENTRING_E_ARGUMENT);
  assert_int_equal(access(s.path[2], F_OK), -1);
  inputs[1].p.size--;
  assert_int_equal(eventring_recording_merge(s.path[2], &inputs[0].p, 2, NULL),
                   EVENTRING_E_ARGUMENT);
  tear_down(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(recording_has_the_events_of_a_cursor),
    cmocka_unit_test(overwritten_events_are_counted),
    cmocka_unit_test(a_cursor_of_a_recorder_has_the_events_of_the_file),
    cmocka_unit_test(a_cursor_of_a_recorder_outlives_the_file),
    cmocka_unit_test(a_cursor_of_another_recorder_is_refused),
    cmocka_unit_test(many_events_in_one_step),
    cmocka_unit_test(a_writer_that_never_rests_is_left_alone),
    cmocka_unit_test(memory_of_a_burst_is_given_back),
    cmocka_unit_test(recording_begins_at_the_cursor),
    cmocka_unit_test(no_event_falls_between_two_files),
    cmocka_unit_test(events_after_the_last_horizon_are_read),
    cmocka_unit_test(changes_from_outside_are_recorded),
    cmocka_unit_test(changes_of_joined_halves_are_at_their_times),
    cmocka_unit_test(overlapping_recordings_have_events_once),
    cmocka_unit_test(losses_that_another_recording_has_are_none),
    cmocka_unit_test(a_cut_loses_nothing),
    cmocka_unit_test(merged_processes_stay_separate),
    cmocka_unit_test(options_of_a_newer_library_are_refused),
    cmocka_unit_test(chunks_of_a_newer_version_are_skipped),
    cmocka_unit_test(held_segments_are_written_on_release),
    cmocka_unit_test(a_held_recording_begins_where_its_cursor_is),
    cmocka_unit_test(a_recording_does_not_begin_before_its_events),
    cmocka_unit_test(held_segments_have_a_limit_of_bytes),
    cmocka_unit_test(seek_to_a_time),
    cmocka_unit_test(names_registered_while_recording),
    cmocka_unit_test(a_file_is_not_overwritten),
    cmocka_unit_test(every_damaged_byte_is_found),
    cmocka_unit_test(damaged_chunks_are_left_out),
    cmocka_unit_test(cut_at_any_length),
    cmocka_unit_test(a_gap_in_the_first_block_is_lost),
    cmocka_unit_test(hostile_content),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
