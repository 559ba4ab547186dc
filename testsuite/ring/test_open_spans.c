// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
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

/* A receiver that joins a stream gets the begins of the spans that are open then,
   and no others. */

#define _GNU_SOURCE

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ring_test.h"
#include "eventring_chunks.h"

#define RINGS 3
#define SPANS 40                  /* the most that are open at a time */

enum { REQUEST = 1024, STEP, WORK, PAUSE, RUN, MINOR };

/* A span that is open, as the test knows it. */
struct span {
  uint32_t id, thread;
  uint64_t ticks, payload;
};

struct model {
  struct span open[SPANS];
  int count;
};

struct bytes {
  char *bytes;
  size_t size;
};

struct scene {
  struct ring_file f;
  uint64_t seed, ticks;
  struct model rings[RINGS];
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder;
  struct bytes first, late;
  char why[512];
};

static int receive(void *state, int kind, const void *bytes, size_t size)
{
  struct bytes *to = state;
  (void) kind;
  to->bytes = realloc(to->bytes, to->size + size);
  assert_non_null(to->bytes);
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
  return 0;
}

static void set_up(struct scene *s, uint64_t seed)
{
  struct timespec now;
  struct eventring_record_options o = {
    .size = sizeof o, .flush_ns = 1, .write = receive, .state = &s->first,
    .message = s->why, .message_size = sizeof s->why };
  memset(s, 0, sizeof *s);
  s->seed = seed;
  ring_create(&s->f, &(struct ring_options) {
                .rings = RINGS, .log_words = 13, .state = EVENTRING_RUNNING });
  ring_schema(&s->f, 0, EVENTRING_CATEGORY, 0, 0, "", "gc");
  ring_schema(&s->f, 0, EVENTRING_CATEGORY, 0, 1, "", "user");
  ring_schema(&s->f, MINOR, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 0, "",
              "minor");
  ring_schema(&s->f, REQUEST, EVENTRING_SPAN, EVENTRING_INT, 1, "", "request");
  ring_schema(&s->f, STEP, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 1, "", "step");
  ring_schema(&s->f, WORK, EVENTRING_FLOW, EVENTRING_INT, 1, "", "work");
  ring_schema(&s->f, PAUSE, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, 1, "",
              "ring_pause");
  ring_schema(&s->f, RUN, EVENTRING_INSTANT, EVENTRING_PACKED, 1, "",
              "thread_run");
  clock_gettime(CLOCK_MONOTONIC, &now);
  s->ticks = (uint64_t) now.tv_sec * 1000000000 - 1000000000;
  s->cursor = ring_open(&s->f);
  if (eventring_record("a sink", s->cursor, &o, &s->recorder) < 0)
    fail_msg("%s", s->why);
}

static void step(struct scene *s)
{
  if (eventring_record_step(s->recorder) < 0) fail_msg("%s", s->why);
}

static void join(struct scene *s)
{
  assert_int_equal(eventring_record_join(s->recorder, receive, &s->late), 0);
  s->first.size = 0;
}

/* Ends the stream: the late receiver has the chunks since it has joined. */
static void end(struct scene *s)
{
  s->f.header->state = EVENTRING_ENDED;
  if (eventring_record_close(s->recorder) < 0) fail_msg("%s", s->why);
  receive(&s->late, 0, s->first.bytes, s->first.size);
  eventring_close(s->cursor);
  ring_destroy(&s->f);
}

static void free_bytes(struct scene *s)
{
  free(s->first.bytes);
  free(s->late.bytes);
}

static void begin_span(struct scene *s, uint32_t ring, uint32_t id)
{
  struct model *m = &s->rings[ring];
  uint64_t payload = ring_random(&s->seed);
  s->ticks += 1 + ring_random(&s->seed) % 1000;
  ring_write(&s->f, ring, s->ticks, EVENTRING_FORM_BEGIN, id, &payload,
             id == REQUEST);
  m->open[m->count++] = (struct span) {
    id, s->f.writers[ring].thread, s->ticks, id == REQUEST ? payload : 0 };
}

/* Ends the latest open span with the id [id]. */
static void end_span(struct scene *s, uint32_t ring, uint32_t id)
{
  struct model *m = &s->rings[ring];
  int i = m->count - 1;
  ring_write(&s->f, ring, ++s->ticks, EVENTRING_FORM_END, id, NULL, 0);
  while (i >= 0 && m->open[i].id != id) i--;
  if (i < 0) return;
  m->count--;
  memmove(&m->open[i], &m->open[i + 1],
          (size_t) (m->count - i) * sizeof m->open[0]);
}

static void flow(struct scene *s, uint32_t ring)
{
  uint64_t number = ring_random(&s->seed);
  ring_write(&s->f, ring, ++s->ticks, EVENTRING_FORM_BEGIN, WORK, &number, 1);
}

static void write_some(struct scene *s, int count)
{
  for (int i = 0; i < count; i++) {
    const uint32_t ring = (uint32_t) (ring_random(&s->seed) % RINGS);
    const uint32_t id = ring_random(&s->seed) % 2 == 0 ? REQUEST : STEP;
    switch (ring_random(&s->seed) % 8) {
    case 0: flow(s, ring); break;
    case 1: case 2: case 3: case 4:
      if (s->rings[ring].count < SPANS) begin_span(s, ring, id);
      break;
    default: end_span(s, ring, id);
    }
  }
}

/* Returns a cursor on a stream of the bytes. */
static struct eventring_cursor *open_stream(const struct bytes *b, int wants)
{
  char why[512];
  struct eventring_options o = { .size = sizeof o, .open_spans = wants,
                                 .message = why, .message_size = sizeof why };
  struct eventring_cursor *c;
  int fd = memfd_create("stream", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, b->bytes, b->size), b->size);
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  if (eventring_open_stream(fd, "a stream", &o, &c) < 0) fail_msg("%s", why);
  close(fd);
  return c;
}

/* What a receiver has read. */
struct seen {
  struct model rings[RINGS];
  uint64_t spans, events, lost;
};

/* Reads all events of [c], and closes it. */
static void read_all(struct seen *seen, struct eventring_cursor *c)
{
  struct eventring_event events[7];
  uint64_t ticks = 0;
  int n;
  memset(seen, 0, sizeof *seen);
  while ((n = eventring_read(c, events, 7)) > 0)
    for (int i = 0; i < n; i++) {
      const struct eventring_event *e = &events[i];
      struct model *m = &seen->rings[e->ring];
      assert_true(e->ticks >= ticks);
      ticks = e->ticks;
      if (e->form != EVENTRING_EV_OPEN) {
        if (e->form == EVENTRING_EV_LOST) seen->lost += e->payload[0];
        else seen->events++;
        continue;
      }
      assert_int_equal(seen->events, 0);
      assert_int_equal(e->words, e->id == REQUEST);
      assert_int_equal(e->ns, e->ticks);
      seen->spans++;
      m->open[m->count++] = (struct span) {
        e->id, e->thread, e->ticks, e->words > 0 ? e->payload[0] : 0 };
    }
  if (n < 0) fail_msg("%s", eventring_strerror(n));
  for (uint32_t i = 0; i < RINGS; i++) {
    uint64_t read = eventring_events_read(c, i);
    assert_true(read <= seen->events);
  }
  eventring_close(c);
}

/* Checks that the receiver has got exactly the spans of [rings]. */
static void assert_open(const struct seen *seen, const struct model *rings)
{
  for (int r = 0; r < RINGS; r++) {
    assert_int_equal(seen->rings[r].count, rings[r].count);
    for (int i = 0; i < rings[r].count; i++)
      assert_memory_equal(&seen->rings[r].open[i], &rings[r].open[i],
                          sizeof(struct span));
  }
}

static void a_late_receiver_gets_the_spans_that_are_open(void **state)
{
  uint64_t spans = 0;
  (void) state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct model rings[RINGS];
    struct seen seen;
    struct scene s;
    set_up(&s, seed);
    for (int i = 0; i < (int) (seed % 9); i++) {
      write_some(&s, (int) (ring_random(&s.seed) % 300));
      step(&s);
    }
    write_some(&s, (int) (seed % 5));
    join(&s);
    memcpy(rings, s.rings, sizeof rings);
    write_some(&s, 100);
    end(&s);
    read_all(&seen, open_stream(&s.late, 1));
    assert_open(&seen, rings);
    assert_int_equal(seen.lost, 0);
    spans += seen.spans;
    free_bytes(&s);
  }
  assert_true(spans > 1000);
}

/* Joins in the middle of a span that began before the ring was overwritten many
   times. */
static void the_begin_may_be_gone_from_the_ring(void **state)
{
  struct seen seen;
  struct scene s;
  uint64_t began;
  (void) state;
  set_up(&s, 1);
  begin_span(&s, 1, REQUEST);
  began = s.ticks;
  for (int i = 0; i < 100; i++) {
    for (int k = 0; k < 500; k++) {
      begin_span(&s, 1, STEP);
      end_span(&s, 1, STEP);
    }
    step(&s);
  }
  join(&s);
  end_span(&s, 1, REQUEST);
  end(&s);
  read_all(&seen, open_stream(&s.late, 1));
  assert_int_equal(seen.spans, 1);
  assert_int_equal(seen.rings[1].open[0].ticks, began);
  assert_int_equal(seen.events, 1);
  read_all(&seen, open_stream(&s.late, 0));
  assert_int_equal(seen.spans, 0);
  assert_int_equal(seen.events, 1);
  free_bytes(&s);
}

/* Writes that thread [thread] runs in the ring from now on. */
static void run(struct scene *s, uint32_t ring, uint32_t thread)
{
  const uint64_t integers[] = { 7, thread };
  ring_packed(&s->f, ring, ++s->ticks, EVENTRING_FORM_INSTANT, RUN, integers,
              2);
  s->f.writers[ring].thread = thread;
}

static void an_end_takes_the_begin_of_its_thread(void **state)
{
  struct seen seen;
  struct scene s;
  (void) state;
  set_up(&s, 1);
  run(&s, 0, 300);
  begin_span(&s, 0, STEP);
  run(&s, 0, 70000);
  begin_span(&s, 0, STEP);
  begin_span(&s, 0, REQUEST);
  run(&s, 0, 300);
  end_span(&s, 0, STEP);
  join(&s);
  end(&s);
  read_all(&seen, open_stream(&s.late, 1));
  assert_int_equal(seen.spans, 2);
  assert_int_equal(seen.rings[0].open[0].id, STEP);
  assert_int_equal(seen.rings[0].open[0].thread, 70000);
  assert_int_equal(seen.rings[0].open[1].id, REQUEST);
  free_bytes(&s);
}

static void only_a_span_of_the_program_ends_in_another_thread(void **state)
{
  struct seen seen;
  struct scene s;
  (void) state;
  set_up(&s, 1);
  run(&s, 0, 300);
  begin_span(&s, 0, MINOR);
  begin_span(&s, 0, STEP);
  run(&s, 0, 70000);
  end_span(&s, 0, MINOR);
  end_span(&s, 0, STEP);
  join(&s);
  end(&s);
  read_all(&seen, open_stream(&s.late, 1));
  assert_int_equal(seen.spans, 1);
  assert_int_equal(seen.rings[0].open[0].id, MINOR);
  assert_int_equal(seen.rings[0].open[0].thread, 300);
  free_bytes(&s);
}

/* Threads are known only where the program says which one runs. */
static void a_span_ends_in_another_thread_where_threads_are_unknown(void **state)
{
  struct seen seen;
  struct scene s;
  (void) state;
  set_up(&s, 1);
  ring_domain(&s.f, 0, s.f.writers[0].domain, 300);
  begin_span(&s, 0, MINOR);
  ring_domain(&s.f, 0, s.f.writers[0].domain, 70000);
  end_span(&s, 0, MINOR);
  begin_span(&s, 0, STEP);
  join(&s);
  end(&s);
  read_all(&seen, open_stream(&s.late, 1));
  assert_int_equal(seen.spans, 1);
  assert_int_equal(seen.rings[0].open[0].id, STEP);
  free_bytes(&s);
}

/* A gap, another domain, a pause and a change of the categories: spans from before
   may have ended without an event. */
static void spans_from_before_a_gap_are_left_out(void **state)
{
  enum { OVERTAKEN, DOMAIN, PAUSED, CHANGED, CASES };
  (void) state;
  for (int what = 0; what < CASES; what++) {
    struct seen seen;
    struct scene s;
    set_up(&s, 1);
    begin_span(&s, 0, STEP);
    begin_span(&s, 1, STEP);
    step(&s);
    s.ticks++;
    switch (what) {
    case OVERTAKEN:
      for (int i = 0; i < 20000; i++) flow(&s, 0);
      break;
    case DOMAIN: ring_domain(&s.f, 0, 9, 1000); break;
    case PAUSED:
      ring_write(&s.f, 2, s.ticks, EVENTRING_FORM_INSTANT, PAUSE, NULL, 0);
      break;
    case CHANGED:
      s.f.header->marks[0] = s.ticks;
      s.f.header->marks_made = 1;
      break;
    }
    begin_span(&s, 0, REQUEST);
    begin_span(&s, 1, REQUEST);
    join(&s);
    end(&s);
    read_all(&seen, open_stream(&s.late, 1));
    assert_int_equal(seen.rings[0].open[seen.rings[0].count - 1].id, REQUEST);
    assert_int_equal(seen.rings[0].count, 1);
    assert_int_equal(seen.rings[1].count,
                     what == OVERTAKEN || what == DOMAIN ? 2 : 1);
    free_bytes(&s);
  }
}

/* Writes the bytes to a file at [path]. */
static void save(const struct bytes *b, const char *path)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(b->bytes, 1, b->size, f), b->size);
  assert_int_equal(fclose(f), 0);
}

static struct eventring_cursor *open_file(const char *path)
{
  char why[512];
  struct eventring_options o = { .size = sizeof o, .open_spans = 1,
                                 .message = why, .message_size = sizeof why };
  struct eventring_cursor *c;
  if (eventring_open(path, &o, &c) < 0) fail_msg("%s", why);
  return c;
}

static void merge(const char *to, const struct eventring_merge_input *inputs,
                  int count)
{
  char why[512];
  struct eventring_record_options o = { .size = sizeof o, .message = why,
                                       .message_size = sizeof why };
  if (eventring_recording_merge(to, inputs, count, &o) < 0) fail_msg("%s", why);
}

/* A stream that was saved is a recording with the open spans, whole or cut; of two
   that were joined, the first one's are shown. */
static void a_saved_stream_keeps_them(void **state)
{
  char folder[] = "/tmp/open.XXXXXX", saved[64], other[64];
  struct seen seen;
  struct scene s;
  (void) state;
  assert_non_null(mkdtemp(folder));
  snprintf(saved, sizeof saved, "%s/saved.evr", folder);
  snprintf(other, sizeof other, "%s/other.evr", folder);
  set_up(&s, 1);
  begin_span(&s, 2, STEP);
  step(&s);
  join(&s);
  end_span(&s, 2, STEP);
  begin_span(&s, 2, REQUEST);
  end(&s);
  save(&s.late, saved);
  read_all(&seen, open_file(saved));
  assert_int_equal(seen.spans, 1);
  assert_int_equal(seen.events, 2);

  struct eventring_merge_input input = { .size = sizeof input, .path = saved };
  merge(other, &input, 1);
  read_all(&seen, open_file(other));
  assert_int_equal(seen.spans, 1);
  unlink(other);
  input.from_ns = (int64_t) s.ticks - 1;
  input.to_ns = INT64_MAX;
  merge(other, &input, 1);
  read_all(&seen, open_file(other));
  assert_int_equal(seen.spans, 0);
  unlink(other);
  unlink(saved);
  rmdir(folder);
  free_bytes(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_late_receiver_gets_the_spans_that_are_open),
    cmocka_unit_test(the_begin_may_be_gone_from_the_ring),
    cmocka_unit_test(an_end_takes_the_begin_of_its_thread),
    cmocka_unit_test(only_a_span_of_the_program_ends_in_another_thread),
    cmocka_unit_test(a_span_ends_in_another_thread_where_threads_are_unknown),
    cmocka_unit_test(spans_from_before_a_gap_are_left_out),
    cmocka_unit_test(a_saved_stream_keeps_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
