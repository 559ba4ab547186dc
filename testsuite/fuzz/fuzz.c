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


/* Code shared by the fuzz targets: a file in memory, a reader that asks for
   everything and believes nothing, a mutator for files of words.

   The promises for every file, hostile ones included: each call stays within
   the file (the sanitizers see to that) and ends (the calls are counted);
   results of a call are in the bounds that the header of the library tells;
   counts add up; the merged reading returns the events that the reading ring by
   ring returns, and in order as long as the rings are in order themselves. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "eventring_reader.h"
#include "caml/eventring_format.h"
#include "fuzz.h"

/* Number of events asked for at once: not a divisor of anything. */
#define BATCH 37

/* Calls that return open spans, of which a recording has 65536 at most. */
#define OPEN_CALLS (65536 / BATCH + 1)

/* Number of fields asked for of an event: more than an event can have. */
#define FIELDS 70

/* A file for which the reader would want more is not interesting, only slow
   under a sanitizer; testsuite/ring/test_worst.c has such files. */
#define MAX_RINGS 64

void fuzz_failed(const char *file, int line, const char *condition)
{
  dprintf(2, "%s:%d: not so: %s\n", file, line, condition);
  abort();
}

/* Opening allocates memory by the megabyte, and touches little of it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "quarantine_size_mb=8:malloc_context_size=8:"
    "clear_shadow_mmap_threshold=33554432:allocator_may_return_null=1";
}

const char *fuzz_file(int which, const void *data, size_t size, size_t zeros)
{
  static char paths[2][32];
  static int files[2];
  int fd = files[which];
  if (fd == 0) {
    fd = files[which] = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(paths[which], sizeof paths[which], "/proc/self/fd/%d", fd);
  }
  CHECK(fd > 0 && ftruncate(fd, (off_t) size) == 0
        && pwrite(fd, data, size, 0) == (ssize_t) size
        && ftruncate(fd, (off_t) (size + zeros)) == 0);
  return paths[which];
}

uint64_t fuzz_hash(const void *data, size_t size)
{
  const uint8_t *p = data;
  uint64_t hash = 0;
  for (size_t i = 0; i < size; i++) hash = (hash + p[i]) * 0x9E3779B97F4A7C15u;
  return hash >> 32;
}

/* Touching: a sanitizer sees each access. */

static volatile uint64_t touched;

static void touch_text(const char *text)
{
  if (text != NULL) touched += strlen(text);
}

static void touch_bytes(const void *bytes, size_t length)
{
  const unsigned char *p = bytes;
  uint64_t sum = 0;
  for (size_t i = 0; i < length; i++) sum += p[i];
  touched += sum;
}

/* Reading */

enum how { MERGED, RING_BY_RING, FROM_NOW };

/* The events of one ring that were seen. */
struct seen {
  uint64_t events, lost;
  uint64_t digest;
  uint64_t ticks;               /* of the last event */
};

struct reader {
  struct eventring_cursor *cursor;
  struct eventring_info info;
  enum how how;
  uint64_t bound, steps;        /* calls that are allowed, and were made */
  struct seen *rings;
  uint64_t damaged;
  uint64_t ticks;               /* of the last event of any ring */
  int in_order;                 /* each ring, so far */
  int exact;                    /* nothing is being waited for */
};

static uint64_t mix(uint64_t digest, uint64_t value)
{
  digest = (digest ^ value) * 0x9E3779B97F4A7C15u;
  return digest ^ digest >> 29;
}

static void ask_about(struct reader *r, const struct eventring_event *e)
{
  struct eventring_cursor *c = r->cursor;
  const struct eventring_description *d = eventring_describe(c, e->id);
  const char *bytes;
  size_t length;

  if (d != NULL) {
    CHECK(d->id == e->id && d->id != 0);
    touch_text(d->name);
    touch_text(d->unit);
    touch_text(eventring_category(c, d->category));
  }
  bytes = eventring_event_bytes(e, &length);
  if (bytes != NULL) {
    CHECK(length <= (uint64_t) e->words * 8);
    touch_bytes(bytes, length);
  }
  for (uint32_t word = 0; word < e->words && word < FIELDS; word++) {
    const struct eventring_field *f = eventring_field(c, e->id, word);
    if (f == NULL) continue;
    touch_text(f->name);
    touch_text(f->unit);
    touch_text(eventring_value(c, f->unit, e->payload[word]));
  }
  touch_text(eventring_domain_name(c, e->domain));
  touch_text(eventring_thread_name(c, e->domain, e->thread, e->thread_id));
  touch_text(eventring_domain_name_at(c, e->domain, e->ticks));
  touch_text(eventring_thread_name_at(c, e->domain, e->thread, e->thread_id,
                                      e->ticks));
}

static void take_event(struct reader *r, const struct eventring_event *e)
{
  const int payload_is_fixed = r->info.clock == EVENTRING_CLOCK_MONOTONIC;
  struct seen *ring;

  CHECK(e->form <= EVENTRING_EV_OPEN && e->reserved == 0);
  if (e->form == EVENTRING_EV_CONTROL_CHANGED) {
    CHECK(e->id == 0 && e->words == 0);
    return;
  }
  CHECK(e->ring < r->info.rings);
  if (e->form == EVENTRING_EV_OPEN) {
    CHECK(e->id != 0 && e->words <= 1);
    ask_about(r, e);
    return;
  }
  CHECK(e->words <= (uint64_t) r->info.block_words * 8);
  ring = &r->rings[e->ring];
  if (e->ticks < ring->ticks) r->in_order = 0;
  if (r->info.format == EVENTRING_FORMAT_RING && r->how == MERGED
      && r->in_order)
    CHECK(e->ticks >= r->ticks);
  ring->ticks = r->ticks = e->ticks;
  if (e->form == EVENTRING_EV_LOST) {
    CHECK(e->id == 0 && e->words == 1);
    ring->lost += e->payload[0];
  } else {
    CHECK(e->id != 0);
    ring->events++;
  }
  ring->digest = mix(ring->digest, e->ticks);
  ring->digest = mix(ring->digest, e->id | (uint64_t) e->form << 16
                                   | (uint64_t) e->words << 32);
  ring->digest = mix(ring->digest, e->domain | (uint64_t) e->thread << 32);
  for (uint32_t i = 0; i < e->words; i++)
    if (payload_is_fixed)
      ring->digest = mix(ring->digest, e->payload[i]);
    else
      touched += e->payload[i];
  ask_about(r, e);
}

/* Reads until there is no more. */
static void read_on(struct reader *r, uint32_t ring)
{
  struct eventring_event events[BATCH];
  int n;
  do {
    n = r->how == RING_BY_RING
      ? eventring_read_ring(r->cursor, ring, events, BATCH)
      : eventring_read(r->cursor, events, BATCH);
    CHECK(n <= BATCH);
    CHECK(n >= 0 || n == EVENTRING_E_DAMAGED || n == EVENTRING_E_MEMORY
          || n == EVENTRING_E_ARGUMENT);
    CHECK(++r->steps <= r->bound);
    if (n == EVENTRING_E_DAMAGED) r->damaged++;
    for (int i = 0; i < n; i++) take_event(r, &events[i]);
  } while (n > 0 || n == EVENTRING_E_DAMAGED);
  if (n == EVENTRING_E_ARGUMENT)
    CHECK(r->how == RING_BY_RING
          && r->info.format == EVENTRING_FORMAT_RECORDING);
}

static void read_all(struct reader *r)
{
  if (r->how == RING_BY_RING)
    for (uint32_t i = 0; i < r->info.rings; i++) read_on(r, i);
  else
    read_on(r, 0);
}

static void ask_for_mappings(struct eventring_cursor *c)
{
  const struct eventring_mapping *m;
  uint32_t i = 0;
  for (; (m = eventring_mapping(c, i)) != NULL; i++) {
    CHECK(m->length > 0 && m->start + m->length > m->start);
    CHECK(m->path[0] != '\0' && strlen(m->path) < 4096);
    CHECK(m->build_id_size <= sizeof m->build_id);
    touch_bytes(m->build_id, m->build_id_size);
  }
  CHECK(i <= EVENTRING_MAX_MAPPINGS && eventring_mapping(c, i + 1) == NULL);
}

static void ask_for_info(struct reader *r)
{
  struct eventring_info *info = &r->info;
  int state = eventring_state(r->cursor);
  CHECK(state >= EVENTRING_STATE_RUNNING && state <= EVENTRING_STATE_UNKNOWN);
  r->exact = state != EVENTRING_STATE_RUNNING;
  info->size = sizeof *info;
  CHECK(eventring_get_info(r->cursor, info) == 0);
  CHECK(info->rings >= 1 && info->rings <= EVENTRING_MAX_RINGS);
  CHECK(info->block_words >= 1 && info->processes >= 1);
  CHECK(memchr(info->program, 0, sizeof info->program) != NULL);
  CHECK(memchr(info->runtime, 0, sizeof info->runtime) != NULL);
  CHECK(memchr(info->argv0, 0, sizeof info->argv0) != NULL);
  CHECK(info->sample_rings_from < info->rings);
  touch_text(eventring_note(r->cursor));
  ask_for_mappings(r->cursor);
  for (uint32_t bit = 0; bit < 40; bit++)
    touch_text(eventring_category(r->cursor, bit));
  for (uint32_t id = 0; id < 70000; id += 1 + id / 4) {
    const struct eventring_description *d = eventring_describe(r->cursor, id);
    if (d != NULL) CHECK(eventring_find(r->cursor, d->name) > 0);
  }
}

/* Returns 0 when the file was refused with a proper message. */
static int open_file(struct reader *r, const char *path, uint32_t process)
{
  char why[256] = "?";
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why, .process = process,
                                 .changes = 1, .open_spans = 1,
                                 .from_now = r->how == FROM_NOW };
  int err = eventring_open(path, &o, &r->cursor);
  if (err == 0) {
    ask_for_info(r);
    if (r->info.rings <= MAX_RINGS) {
      r->rings = calloc(r->info.rings, sizeof *r->rings);
      CHECK(r->rings != NULL);
      r->in_order = 1;
      r->bound += 16 * (uint64_t) r->info.rings;
      return 1;
    }
    eventring_close(r->cursor);
    return 0;
  }
  CHECK(err < 0 && err >= EVENTRING_E_ARGUMENT && r->cursor == NULL);
  CHECK(memchr(why, 0, sizeof why) != NULL && strlen(why) > strlen(path));
  for (const char *p = why; *p != 0; p++) CHECK((unsigned char) *p >= ' ');
  return 0;
}

static void close_file(struct reader *r)
{
  eventring_close(r->cursor);
  free(r->rings);
}

static void check_counts(struct reader *r)
{
  for (uint32_t i = 0; i < r->info.rings; i++) {
    CHECK(r->rings[i].events == eventring_events_read(r->cursor, i));
    if (r->exact && r->how != FROM_NOW
        && r->info.format == EVENTRING_FORMAT_RING)
      CHECK(r->rings[i].lost == eventring_events_lost(r->cursor, i));
  }
}

/* Reads a recording again from some place; all of it, from the first. */
static void read_from(struct reader *r, int64_t ns, int all)
{
  uint64_t events = 0, again = 0;
  for (uint32_t i = 0; i < r->info.rings; i++) events += r->rings[i].events;
  if (eventring_seek(r->cursor, ns) < 0) return;
  memset(r->rings, 0, r->info.rings * sizeof *r->rings);
  r->steps = 0;
  read_all(r);
  for (uint32_t i = 0; i < r->info.rings; i++) again += r->rings[i].events;
  CHECK(again <= events || r->damaged > 0);
  if (all && r->damaged == 0) CHECK(again == events);
}

static void control(const char *path)
{
  struct eventring_options o = { .size = sizeof o, .control = 1 };
  struct eventring_cursor *c;
  if (eventring_open(path, &o, &c) < 0) return;
  CHECK(eventring_pause(c) == 0);
  CHECK(eventring_resume(c) == 0);
  CHECK(eventring_set_categories(c, 5) == 0);
  eventring_close(c);
}

void fuzz_read(const char *path, uint64_t words, uint64_t hash)
{
  /* Every event is a word at least; a block adds its damage and the loss
     before it; every call but the last returns one of these. */
  const uint64_t bound = 3 * words + 64 + OPEN_CALLS;
  struct reader merged = { .how = MERGED, .bound = bound };
  struct reader apart = { .how = RING_BY_RING, .bound = bound };
  struct reader now = { .how = FROM_NOW, .bound = bound };
  uint32_t processes;

  if (!open_file(&merged, path, 0)) return;
  read_all(&merged);
  check_counts(&merged);
  processes = merged.info.processes;
  if (merged.info.format == EVENTRING_FORMAT_RECORDING) {
    uint64_t length = (uint64_t) merged.info.last_ns
                      - (uint64_t) merged.info.first_ns;
    read_from(&merged, INT64_MIN, 1);
    read_from(&merged, (int64_t) ((uint64_t) merged.info.first_ns
                                  + length / 2), 0);
    close_file(&merged);
    for (uint32_t process = 1; process < processes && process < 4; process++) {
      struct reader other = { .how = MERGED, .bound = bound };
      if (!open_file(&other, path, process)) continue;
      read_all(&other);
      check_counts(&other);
      close_file(&other);
    }
    return;
  }
  if (hash % 2 == 0 && open_file(&apart, path, 0)) {
    read_all(&apart);
    check_counts(&apart);
    if (merged.exact && apart.exact
        && merged.info.format == EVENTRING_FORMAT_RING) {
      CHECK(merged.damaged == apart.damaged);
      for (uint32_t i = 0; i < merged.info.rings; i++)
        CHECK(merged.rings[i].digest == apart.rings[i].digest);
    }
    close_file(&apart);
  }
  close_file(&merged);
  if (hash % 8 > 1) return;
  if (open_file(&now, path, 0)) {
    read_all(&now);
    for (uint32_t i = 0; i < now.info.rings; i++)
      CHECK(now.rings[i].events == 0);
    close_file(&now);
  }
  control(path);
}

void fuzz_record(const char *path, uint64_t words)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_record_options ro = { .size = sizeof ro, .replace = 1,
                                         .level = -5 };
  const char *to = fuzz_file(1, "", 0, 0);
  struct eventring_cursor *c;
  struct eventring_recorder *r;
  uint64_t steps = 0;

  if (eventring_open(path, &o, &c) < 0) return;
  if (eventring_record(to, c, &ro, &r) == 0) {
    while (eventring_record_step(r) > 0) CHECK(++steps <= words + 64);
    CHECK(eventring_record_note(r, "{}") == 0);
    CHECK(eventring_record_close(r) == 0);
    fuzz_read(to, words + 64 * EVENTRING_MAX_BLOCK_WORDS, 0);
  }
  eventring_close(c);
}

/* Mutating */

static uint64_t next_random(uint64_t *seed)
{
  uint64_t z = *seed += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

/* Returns a number at the edge of a condition that readers check. */
static uint64_t edge(uint64_t *seed, size_t size)
{
  static const uint64_t edges[] = {
    0, 1, 2, 3, 4, 5, 8, 16, 63, 64, 128, 255, 256, 257, 511, 512, 513, 1023,
    1024, 4095, 4096, 8192, 65535, 65536, UINT32_MAX, UINT64_C(1) << 32,
    UINT64_C(1) << 40, UINT64_C(1) << 50, UINT64_C(1) << 59,
    UINT64_C(1) << 60, UINT64_C(1) << 62, INT64_MAX, UINT64_C(1) << 63,
    UINT64_MAX - 511, UINT64_MAX
  };
  const uint64_t count = sizeof edges / sizeof edges[0];
  uint64_t choice = next_random(seed) % (count + 2);
  if (choice == count) return next_random(seed) % (size + 1);
  if (choice == count + 1) return next_random(seed);
  return edges[choice];
}

/* Returns another event: id, form and number of words of a possible event. */
static uint64_t event_word(uint64_t *seed, uint64_t old)
{
  uint64_t length = next_random(seed) % 8 == 0 ? next_random(seed) % 64
                                               : next_random(seed) % 4;
  uint64_t id = next_random(seed) % 2 == 0 ? EVENTRING_WORD_ID(old)
                                           : next_random(seed) % 1100;
  return EVENTRING_WORD(id, next_random(seed) % 4, length)
    | (EVENTRING_WORD_TICKS(old) + next_random(seed) % 100)
      << EVENTRING_TICKS_SHIFT;
}

static uint64_t other_word(uint64_t *seed, uint64_t old, size_t size)
{
  uint64_t number = next_random(seed);
  switch (next_random(seed) % 7) {
  case 0: return edge(seed, size);
  case 1: return old ^ (uint64_t) 1 << number % 64;
  case 2: return old + number % 33 - 16;
  case 3: return (old & ~(uint64_t) UINT32_MAX) | (uint32_t) edge(seed, size);
  case 4: return (uint32_t) old | edge(seed, size) << 32;
  case 5: return old + (number % 2 ? 256 : (uint64_t) -256);
  default: return event_word(seed, old);
  }
}

size_t fuzz_mutate_words(uint8_t *data, size_t size, size_t max_size,
                         unsigned int random)
{
  uint64_t seed = random, words = size / 8;
  uint64_t times = 1 + next_random(&seed) % 4;
  if (words < 16 || next_random(&seed) % 4 == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  for (; times > 0; times--) {
    /* Headers are at the front, and few words. */
    uint64_t among = next_random(&seed) % 4 == 0 && words > 160 ? 160 : words;
    uint64_t at = next_random(&seed) % among * 8, from, count, word;
    memcpy(&word, data + at, 8);
    if (next_random(&seed) % 8 != 0) {
      word = other_word(&seed, word, size);
      memcpy(data + at, &word, 8);
      continue;
    }
    from = next_random(&seed) % words;
    count = 1 + next_random(&seed) % 32;
    if (count > words - from) count = words - from;
    if (count > words - at / 8) count = words - at / 8;
    memmove(data + at, data + from * 8, count * 8);
  }
  return size;
}
