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

/* A stream has the events of the rings.  Events that a receiver lacks, because
   the sink left out chunks, are counted exactly. */

#define _GNU_SOURCE

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring_test.h"
#include "eventring_chunks.h"

#define RINGS 4

/* Fewer under a sanitizer, which makes each take ten times as long. */
#define SEEDS (SANITIZED ? 10 : 40)

/* The bytes that a receiver gets. */
struct received {
  char *bytes;
  size_t size;
  uint64_t *seed;
  unsigned drop;                /* every so many chunks of events; 0: none */
  unsigned left_out;
  uint64_t window;              /* of the recorder */
  bool away;                    /* it is not connected */
  int fd;                       /* of a connection, see deliver */
  size_t sent;
};

static int receive(void *state, int kind, const void *bytes, size_t size)
{
  struct received *r = state;
  if (kind == EVENTRING_CHUNK_EVENTS && r->drop != 0
      && ring_random(r->seed) % r->drop != 0) {
    r->left_out++;
    return 0;
  }
  /* With chunks left out, the index is of no use. */
  if (kind == EVENTRING_CHUNK_INDEX && r->drop != 0) return 0;
  r->bytes = realloc(r->bytes, r->size + size);
  assert_non_null(r->bytes);
  memcpy(r->bytes + r->size, bytes, size);
  r->size += size;
  return 0;
}

/* The sink of the recorder: [state] gets nothing while it is away. */
static int receive_if_there(void *state, int kind, const void *bytes, size_t size)
{
  struct received *r = state;
  return r->away ? 0 : receive(state, kind, bytes, size);
}

struct scene {
  struct ring_file f;
  uint64_t seed, ticks;
  uint64_t written[RINGS];
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder;
  char why[512];
};

static void write_some(struct scene *s, int count)
{
  for (int i = 0; i < count; i++) {
    uint32_t ring = (uint32_t) (ring_random(&s->seed) % RINGS);
    uint64_t payload[40];
    uint32_t words = 1 + (uint32_t) (ring_random(&s->seed) % 40);
    for (uint32_t k = 0; k < words; k++) payload[k] = s->written[ring];
    s->written[ring]++;
    s->ticks += 1 + ring_random(&s->seed) % 3;
    ring_write(&s->f, ring, s->ticks, EVENTRING_FORM_INSTANT, 700, payload,
               words);
  }
}

static void set_up(struct scene *s, uint64_t seed, struct received *to)
{
  struct timespec now;
  struct eventring_record_options o = {
    .size = sizeof o, .flush_ns = 1, .write = receive_if_there, .state = to,
    .message_size = sizeof s->why };
  memset(s, 0, sizeof *s);
  o.message = s->why;
  o.window_bytes = to->window;
  s->seed = seed;
  to->seed = &s->seed;
  ring_create(&s->f, &(struct ring_options) {
                .rings = RINGS, .log_words = 13, .state = EVENTRING_RUNNING });
  ring_schema(&s->f, 700, EVENTRING_INSTANT, EVENTRING_INTS, 1, "", "some");
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

static void end(struct scene *s)
{
  s->f.header->state = EVENTRING_ENDED;
  if (eventring_record_close(s->recorder) < 0) fail_msg("%s", s->why);
  eventring_close(s->cursor);
  ring_destroy(&s->f);
}

static struct eventring_cursor *open_stream(int fd)
{
  struct eventring_cursor *c;
  char why[512];
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why };
  if (eventring_open_stream(fd, "a stream", &o, &c) < 0) fail_msg("%s", why);
  return c;
}

/* Returns a file with the bytes, at its beginning. */
static int file_of(const struct received *r)
{
  int fd = memfd_create("stream", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, r->bytes, r->size), r->size);
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  return fd;
}

/* Reads some events of [c], which must be the events of the rings from number
   [next] on, without a gap but for lost events, which are added to *lost.
   Returns how many there were. */
static int read_some(struct eventring_cursor *c, uint64_t next[RINGS],
                     uint64_t *lost)
{
  struct eventring_event events[97];
  int n = eventring_read(c, events, 97);
  if (n < 0) fail_msg("%s", eventring_strerror(n));
  for (int i = 0; i < n; i++) {
    const struct eventring_event *e = &events[i];
    if (e->form == EVENTRING_EV_LOST) {
      next[e->ring] += e->payload[0];
      *lost += e->payload[0];
      continue;
    }
    assert_int_equal(e->payload[0], next[e->ring]);
    assert_int_equal(e->payload[e->words - 1], next[e->ring]);
    next[e->ring]++;
  }
  return n;
}

/* Reads all events of [c], which must be the events of the rings from number
   [from] on, without a gap but for lost events; closes the cursor.  Returns how
   many are lost. */
static uint64_t read_all(struct scene *s, struct eventring_cursor *c,
                         const uint64_t from[RINGS])
{
  struct eventring_info info = { .size = sizeof info };
  uint64_t next[RINGS], lost = 0;
  memcpy(next, from, sizeof next);
  for (;;) {
    int n = read_some(c, next, &lost);
    if (n == 0 && eventring_state(c) != EVENTRING_STATE_RUNNING) break;
    if (n == 0) poll(NULL, 0, 1);
  }
  for (int i = 0; i < RINGS; i++) assert_int_equal(next[i], s->written[i]);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_ENDED);
  eventring_get_info(c, &info);
  assert_int_equal(info.damaged_at, 0);
  assert_int_equal(info.format, EVENTRING_FORMAT_STREAM);
  eventring_close(c);
  return lost;
}

static const uint64_t zeros[RINGS] = { 0 };

static void a_stream_has_all_events(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct received all = { 0 };
    struct scene s;
    int fd;
    set_up(&s, seed, &all);
    for (int i = 0; i < 50; i++) {
      write_some(&s, (int) (ring_random(&s.seed) % 200));
      step(&s);
    }
    end(&s);
    fd = file_of(&all);
    assert_int_equal(read_all(&s, open_stream(fd), zeros), 0);
    close(fd);
    free(all.bytes);
  }
}

static void left_out_chunks_are_counted_exactly(void **state)
{
  unsigned left_out = 0;
  uint64_t lost = 0;
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct received some = { .drop = 2 + (unsigned) (seed % 5) };
    struct scene s;
    int fd;
    set_up(&s, seed, &some);
    for (int i = 0; i < 50; i++) {
      write_some(&s, (int) (ring_random(&s.seed) % 200));
      step(&s);
    }
    end(&s);
    fd = file_of(&some);
    lost += read_all(&s, open_stream(fd), zeros);
    left_out += some.left_out;
    close(fd);
    free(some.bytes);
  }
  assert_true(left_out > 100);
  assert_true(lost > 1000);
}

static void a_late_receiver_has_the_events_after_it(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct received first = { 0 }, late = { .drop = seed % 2 == 0 ? 0 : 3 };
    uint64_t from[RINGS], lost;
    struct scene s;
    size_t joined;
    int fd;
    set_up(&s, seed, &first);
    late.seed = &s.seed;
    for (int i = 0; i < (int) (seed % 7); i++) {
      write_some(&s, (int) (ring_random(&s.seed) % 200));
      step(&s);
    }
    assert_int_equal(eventring_record_join(s.recorder, receive, &late), 0);
    memcpy(from, s.written, sizeof from);
    joined = first.size;
    for (int i = 0; i < 20; i++) {
      write_some(&s, (int) (ring_random(&s.seed) % 200));
      /* The late one gets the chunks from now on, as the first one does. */
      step(&s);
    }
    end(&s);
    late.drop = 0;
    receive(&late, EVENTRING_CHUNK_STATE, first.bytes + joined,
            first.size - joined);
    fd = file_of(&late);
    lost = read_all(&s, open_stream(fd), from);
    assert_int_equal(lost, 0);
    close(fd);
    fd = file_of(&first);
    assert_int_equal(read_all(&s, open_stream(fd), zeros), 0);
    close(fd);
    free(first.bytes);
    free(late.bytes);
  }
}

static void bytes_may_arrive_one_by_one(void **state)
{
  struct received all = { 0 };
  struct scene s;
  int ends[2];
  pid_t sender;
  (void) state;
  set_up(&s, 5, &all);
  for (int i = 0; i < 5; i++) {
    write_some(&s, 20);
    step(&s);
  }
  end(&s);
  assert_int_equal(pipe(ends), 0);
  sender = fork();
  assert_true(sender >= 0);
  if (sender == 0) {
    for (size_t i = 0; i < all.size; i++)
      if (write(ends[1], all.bytes + i, 1) != 1) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  assert_int_equal(read_all(&s, open_stream(ends[0]), zeros), 0);
  close(ends[0]);
  waitpid(sender, NULL, 0);
  free(all.bytes);
}

/* Every cut and every changed byte ends in order: with a message, with damage
   that is known, or, where it does not matter, with all events. */
static void damaged_streams_end(void **state)
{
  struct received all = { 0 };
  struct scene s;
  (void) state;
  set_up(&s, 9, &all);
  for (int i = 0; i < 4; i++) {
    write_some(&s, 30);
    step(&s);
  }
  end(&s);
  for (size_t at = 0; at < all.size; at += SANITIZED ? 31 : 7) {
    for (int cut = 0; cut <= 1; cut++) {
      struct received damaged = all;
      struct eventring_event events[64];
      struct eventring_cursor *c;
      char why[512] = "";
      struct eventring_options o = { .size = sizeof o, .message = why,
                                     .message_size = sizeof why };
      int fd, n;
      damaged.bytes = malloc(all.size);
      memcpy(damaged.bytes, all.bytes, all.size);
      if (cut) damaged.size = at;
      else damaged.bytes[at] ^= 0x10;
      fd = file_of(&damaged);
      if (eventring_open_stream(fd, "it", &o, &c) < 0) {
        assert_true(why[0] != '\0');
      } else {
        for (int tries = 0; tries < 1000; tries++) {
          n = eventring_read(c, events, 64);
          if (n == 0 && eventring_state(c) != EVENTRING_STATE_RUNNING) break;
        }
        assert_true(eventring_state(c) != EVENTRING_STATE_RUNNING);
        eventring_close(c);
      }
      close(fd);
      free(damaged.bytes);
    }
  }
  free(all.bytes);
}

/* A NOTE chunk of zeros, small on the way, cannot make the receiver take much
   memory: it is damage. */
static void a_large_note_is_refused(void **state)
{
  const size_t size = (size_t) 64 << 20;
  struct received all = { 0 };
  struct eventring_event events[64];
  struct eventring_info info = { .size = sizeof info };
  struct eventring_cursor *c;
  struct scene s;
  char *text = malloc(size);
  size_t before;
  int fd;
  (void) state;
  memset(text, 'a', size - 1);
  text[size - 1] = '\0';
  set_up(&s, 4, &all);
  write_some(&s, 20);
  step(&s);
  before = all.size;
  assert_int_equal(eventring_record_note(s.recorder, text), 0);
  end(&s);
  fd = file_of(&all);
  c = open_stream(fd);
  for (int i = 0; i < 100; i++)
    if (eventring_read(c, events, 64) == 0
        && eventring_state(c) != EVENTRING_STATE_RUNNING)
      break;
  eventring_get_info(c, &info);
  assert_int_equal(info.damaged_at, before);
  eventring_close(c);
  close(fd);
  free(text);
  free(all.bytes);
}

/* A sender of endless chunks without events, and of endless bytes after the
   index, cannot keep one call busy for ever: SIGALRM would end the test. */
static void endless_senders_end_no_call(void **state)
{
  (void) state;
  for (int after_index = 0; after_index <= 1; after_index++) {
    struct received all = { 0 };
    struct eventring_event events[64];
    struct eventring_cursor *c;
    struct scene s;
    size_t before, note;
    char *repeated;
    int ends[2];
    pid_t sender;
    set_up(&s, 3, &all);
    before = all.size;
    assert_int_equal(eventring_record_note(s.recorder, "a note"), 0);
    note = all.size - before;
    repeated = malloc(note);
    memcpy(repeated, all.bytes + before, note);
    write_some(&s, 20);
    step(&s);
    if (after_index) end(&s);
    assert_int_equal(pipe(ends), 0);
    sender = fork();
    assert_true(sender >= 0);
    if (sender == 0) {
      close(ends[0]);
      if (write(ends[1], all.bytes, all.size) < 0) _exit(1);
      while (write(ends[1], repeated, note) > 0) { /* for ever */ }
      _exit(0);
    }
    close(ends[1]);
    alarm(60);
    c = open_stream(ends[0]);
    for (int i = 0; i < 20; i++)
      assert_true(eventring_read(c, events, 64) >= 0);
    alarm(0);
    eventring_close(c);
    close(ends[0]);
    waitpid(sender, NULL, 0);
    if (!after_index) end(&s);
    free(repeated);
    free(all.bytes);
  }
}

/* Connections that break */

/* Returns the receiver's end of a new connection, of which [link] gets the other
   end, with nothing to be sent. */
static int connect_anew(struct received *link)
{
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  link->size = link->sent = 0;
  link->away = true;
  link->fd = ends[0];
  return ends[1];
}

/* Lets [link], which is away and has sent the [size] bytes at [place], join. */
static void rejoin(struct scene *s, struct received *link, const char *place,
                   size_t size)
{
  assert_int_equal(eventring_record_rejoin(s->recorder, place, size, receive,
                                           link), 0);
  link->away = false;
}

/* Sends the bytes of [link] up to number [end], while [c] reads them. */
static void deliver(struct received *link, size_t end,
                    struct eventring_cursor *c, uint64_t next[RINGS],
                    uint64_t *lost)
{
  while (link->sent < end) {
    ssize_t n = send(link->fd, link->bytes + link->sent, end - link->sent,
                     MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) link->sent += (size_t) n;
    else if (c != NULL) read_some(c, next, lost);
  }
}

/* Breaks the connection in the middle of the bytes that wait, and makes another
   one, while which events are written.  With [alter], another byte of the place
   arrives than was sent. */
static void break_and_resume(struct scene *s, struct received *link,
                             struct eventring_cursor *c, uint64_t next[RINGS],
                             uint64_t *lost, bool alter)
{
  char place[512];
  ssize_t size;
  int fd;
  deliver(link, link->sent + ring_random(&s->seed)
                             % (link->size - link->sent + 1), c, next, lost);
  assert_int_equal(eventring_is_broken(c), 0);
  assert_int_equal(eventring_resume_stream(c, link->fd), EVENTRING_E_ARGUMENT);
  close(link->fd);
  while (!eventring_is_broken(c)) read_some(c, next, lost);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  fd = connect_anew(link);
  assert_int_equal(eventring_resume_stream(c, fd), 0);
  close(fd);
  write_some(s, (int) (ring_random(&s->seed) % 100));
  step(s);
  size = recv(link->fd, place, sizeof place, MSG_DONTWAIT);
  assert_true(size > 24);
  for (size_t have = 0; have < (size_t) size; have++)
    assert_int_equal(eventring_place_size(place, have), have < 24 ? 0 : size);
  if (alter) place[(size_t) size - 1] ^= 1;
  rejoin(s, link, place, (size_t) size);
}

/* Returns how many events are lost by a receiver with connections that break,
   at a recorder with a window of [window] bytes. */
static uint64_t lost_by_breaks(uint64_t seed, uint64_t window, bool alter)
{
  struct received link = { .window = window };
  uint64_t next[RINGS], lost = 0;
  struct eventring_cursor *c;
  char why[512] = "";
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why, .place = 1,
                                 .resume = 1 };
  struct scene s;
  int fd;
  set_up(&s, seed, &link);
  for (int i = 0; i < (int) (seed % 5); i++) {
    write_some(&s, (int) (ring_random(&s.seed) % 200));
    step(&s);
  }
  fd = connect_anew(&link);
  rejoin(&s, &link, NULL, 0);
  memcpy(next, s.written, sizeof next);
  write_some(&s, 10);
  step(&s);
  deliver(&link, link.size, NULL, next, &lost);
  if (eventring_open_stream(fd, "a stream", &o, &c) < 0) fail_msg("%s", why);
  close(fd);
  for (int i = 0; i < 40; i++) {
    write_some(&s, (int) (ring_random(&s.seed) % 200));
    step(&s);
    if (ring_random(&s.seed) % 4 == 0)
      break_and_resume(&s, &link, c, next, &lost, alter);
    else if (ring_random(&s.seed) % 2 == 0)
      deliver(&link, link.size, c, next, &lost);
  }
  end(&s);
  deliver(&link, link.size, c, next, &lost);
  close(link.fd);
  lost += read_all(&s, c, next);
  free(link.bytes);
  return lost;
}

static void a_broken_connection_goes_on_where_it_stopped(void **state)
{
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++)
    assert_int_equal(lost_by_breaks(seed, (uint64_t) 64 << 20, false), 0);
}

static void events_beyond_the_window_are_counted_exactly(void **state)
{
  uint64_t small = 0, none = 0, altered = 0;
  (void) state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    small += lost_by_breaks(seed, 1000, false);
    none += lost_by_breaks(seed, 0, false);
    altered += lost_by_breaks(seed, (uint64_t) 64 << 20, true);
  }
  assert_true(small > 1000);
  assert_true(none > small);
  assert_true(altered > 1000);
}

static void another_process_is_no_continuation(void **state)
{
  struct received one = { 0 }, other = { 0 };
  struct eventring_info info = { .size = sizeof info };
  uint64_t next[RINGS] = { 0 }, lost = 0;
  struct eventring_options o = { .size = sizeof o, .resume = 1 };
  struct eventring_cursor *c;
  struct scene s, t;
  int fd, damaged = 0;
  (void) state;
  set_up(&s, 1, &one);
  write_some(&s, 100);
  step(&s);
  set_up(&t, 2, &other);
  t.f.header->pid = s.f.header->pid;
  write_some(&t, 100);
  step(&t);
  fd = connect_anew(&one);
  rejoin(&s, &one, NULL, 0);
  memcpy(next, s.written, sizeof next);
  write_some(&s, 100);
  step(&s);
  deliver(&one, one.size, NULL, next, &lost);
  assert_int_equal(eventring_open_stream(fd, "a stream", &o, &c), 0);
  close(fd);
  close(one.fd);
  while (!eventring_is_broken(c)) read_some(c, next, &lost);
  end(&s);
  fd = connect_anew(&other);
  assert_int_equal(eventring_resume_stream(c, fd), 0);
  close(fd);
  rejoin(&t, &other, NULL, 0);
  write_some(&t, 100);
  end(&t);
  deliver(&other, other.size, NULL, next, &lost);
  close(other.fd);
  while (eventring_state(c) == EVENTRING_STATE_RUNNING) {
    struct eventring_event event;
    damaged += eventring_read(c, &event, 1) == EVENTRING_E_DAMAGED;
  }
  assert_int_equal(damaged, 1);
  eventring_get_info(c, &info);
  assert_true(info.damaged_at > 0);
  eventring_close(c);
  free(one.bytes);
  free(other.bytes);
}

/* A receiver that gives up ends as a cut stream does. */
static void a_broken_stream_may_be_given_up(void **state)
{
  struct received link = { 0 };
  struct eventring_info info = { .size = sizeof info };
  uint64_t next[RINGS] = { 0 }, lost = 0;
  struct eventring_options o = { .size = sizeof o, .resume = 1 };
  struct eventring_cursor *c;
  struct scene s;
  int fd;
  (void) state;
  set_up(&s, 1, &link);
  fd = connect_anew(&link);
  rejoin(&s, &link, NULL, 0);
  write_some(&s, 100);
  step(&s);
  deliver(&link, link.size, NULL, next, &lost);
  assert_int_equal(eventring_open_stream(fd, "a stream", &o, &c), 0);
  close(fd);
  close(link.fd);
  while (!eventring_is_broken(c)) read_some(c, next, &lost);
  assert_int_equal(eventring_resume_stream(c, -1), 0);
  assert_int_equal(eventring_is_broken(c), 0);
  while (eventring_state(c) == EVENTRING_STATE_RUNNING)
    read_some(c, next, &lost);
  while (read_some(c, next, &lost) > 0) { /* the last ones */ }
  for (int i = 0; i < RINGS; i++) assert_int_equal(next[i], s.written[i]);
  eventring_get_info(c, &info);
  assert_true(info.damaged_at > 0);
  eventring_close(c);
  end(&s);
  free(link.bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stream_has_all_events),
    cmocka_unit_test(left_out_chunks_are_counted_exactly),
    cmocka_unit_test(a_late_receiver_has_the_events_after_it),
    cmocka_unit_test(bytes_may_arrive_one_by_one),
    cmocka_unit_test(damaged_streams_end),
    cmocka_unit_test(a_large_note_is_refused),
    cmocka_unit_test(endless_senders_end_no_call),
    cmocka_unit_test(a_broken_connection_goes_on_where_it_stopped),
    cmocka_unit_test(events_beyond_the_window_are_counted_exactly),
    cmocka_unit_test(another_process_is_no_continuation),
    cmocka_unit_test(a_broken_stream_may_be_given_up)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
