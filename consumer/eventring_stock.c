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

/* The .events files of stock OCaml 5.0 to 5.4 (Runtime_events, layout version
   1), as a source of words.  doc/STOCK.md says what becomes of what.

     header: 8 words                       of this file, a private copy
     ring headers: head, tail, padding     one a ring
     rings: ring_words words each
     names of the program's events: 128 bytes each; not in 5.0

   A ring of theirs is a sequence of events from head to tail, two positions
   that count words and never wrap.  An event is a header (length, program's or
   runtime's, type, id), a time in ns, and its payload; none straddles the end
   of the ring.  Before the writer overwrites events it moves head behind them.

   Each [advance] translates what is new in all rings to blocks of our own, in
   memory:

       their ring --- copy ---> s->copy --- translate ---> r->words
            head > position?  lost

   An event of theirs is smaller with us, and a reader takes away what it has
   read, so a buffer of a fixed size a ring is enough: a ring for which there
   is no room now waits.  The horizon stays at or before what such a ring has
   told.

   When head has overtaken us, all that is known is how many words are gone.
   An event has two at least: that makes the bound that our blocks' counts of
   events begin with.

   The file is not trusted: lengths are held against what was copied, ids
   against tables.  What no writer writes ends the reading of that ring up to
   where its tail is then, and is damage. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring_clock.h"
#include "caml/eventring_format.h"
#include "eventring_reader.h"
#include "eventring_source.h"
#include "eventring_stock.h"
#include "eventring_stock_events.h"

/* The file */

#define LAYOUT_VERSION 1
#define NAME_SIZE 128

struct stock_header {
  uint64_t version;
  uint64_t rings;
  uint64_t ring_header_size;    /* bytes */
  uint64_t ring_size;           /* bytes */
  uint64_t ring_words;
  uint64_t ring_headers;        /* offset */
  uint64_t data;                /* offset */
  uint64_t names;               /* offset; 0 in OCaml 5.0 */
};

struct ring_header {
  uint64_t head, tail;          /* atomic */
};

enum { RUNTIME_INTERNAL, RUNTIME_LIFECYCLE, RUNTIME_BEGIN, RUNTIME_END,
       RUNTIME_COUNTER, RUNTIME_ALLOC };
enum { USER_UNIT, USER_INT, USER_BEGIN, USER_END, USER_CUSTOM };

#define LENGTH(word) ((uint32_t) ((word) >> 54))
#define IS_USER(word) (((word) >> 53 & 1) != 0)
#define TYPE(word) ((uint32_t) ((word) >> 49 & 15))
#define ID(word) ((uint32_t) ((word) >> 36 & 0x1FFF))
#define MAX_LENGTH 1023
#define MAX_USER_EVENTS 8192

/* What we make of it */

#define BLOCK_WORDS EVENTRING_MAX_BLOCK_WORDS

/* Words of ours kept for a ring, at most. */
#define BUFFER_WORDS (64 * (uint64_t) BLOCK_WORDS)

/* Words of theirs copied at a time. */
#define COPY_WORDS 8192

/* Where our positions begin: a block's count of events is never over its
   position. */
#define FIRST_POSITION ((uint64_t) 1 << 60)
#define MAX_POSITION ((uint64_t) 1 << 59)

/* How often a copy is tried again after a writer that overtakes it. */
#define MAX_OVERTAKEN 16

/* Time that a writer is given between reading the clock and publishing. */
#define GRACE_NS 300

/* Payload words of one event of ours. */
#define MAX_PAYLOAD (BLOCK_WORDS - EVENTRING_BLOCK_HEADER_WORDS - 2)

/* Schema entries: each id once, and the categories. */
#define MAX_SCHEMA (EVENTRING_FIRST_USER_ID + MAX_USER_EVENTS + 32)

struct ring {
  uint64_t position;            /* in theirs */
  uint64_t lost;                /* words, not yet told */
  uint64_t *words;              /* BUFFER_WORDS; NULL until there is one */
  uint64_t count;               /* of them, used */
  uint64_t events;              /* translated, and those lost before */
  uint64_t base;                /* of the block being filled */
  uint64_t newest;              /* time translated */
  uint8_t fresh;                /* the next event begins a block */
  uint8_t damaged;              /* its header is, and that has been told */
};

struct stock {
  struct eventring_source source;
  const char *map;
  size_t size;
  struct stock_header layout;   /* as it was checked */
  struct eventring_header header;
  struct eventring_slot *slots;
  struct eventring_words *words;
  struct eventring_schema_entry *schema;
  struct ring *rings;
  int from_now;
  int alive;                    /* when it was opened */
  int stopping;                 /* "ring_stop" was seen, at: */
  uint64_t stopped;
  const struct stock_event *phases[256], *counters[256]; /* by their id */
  uint8_t described[EVENTRING_FIRST_USER_ID + MAX_USER_EVENTS];
  uint64_t copy[COPY_WORDS];
};

/* Copying */

static const struct ring_header *ring_header(const struct stock *s,
                                             uint32_t ring)
{
  return (const struct ring_header *)
    (s->map + s->layout.ring_headers + ring * s->layout.ring_header_size);
}

/* Copies what there is of a ring from *position on, as much as s->copy holds.
   Moves *position to the oldest event that is there, adding to *lost what is
   gone.  Returns how many words there are, 0 for none now, or -1 when the
   ring's header is impossible; *tail is then where the ring ends. */
static int64_t copy_ring(struct stock *s, uint32_t ring, uint64_t *position,
                         uint64_t *lost, uint64_t *tail)
{
  const struct ring_header *h = ring_header(s, ring);
  const uint64_t *data = (const uint64_t *)
    (s->map + s->layout.data + ring * s->layout.ring_size);
  const uint64_t mask = s->layout.ring_words - 1;

  for (int tries = 0; tries < MAX_OVERTAKEN; tries++) {
    /* Acquire, paired with the writer's release of each.  The two are of one
       moment if the head is the same before and after. */
    uint64_t head = __atomic_load_n(&h->head, __ATOMIC_ACQUIRE), n;
    *tail = __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&h->head, __ATOMIC_RELAXED) != head) continue;
    if (*tail < head || *tail - head > s->layout.ring_words
        || *tail > MAX_POSITION)
      return -1;
    if (*position < head) {
      *lost += head - *position;
      *position = head;
    }
    if (*tail < *position) return -1;
    n = *tail - *position;
    if (n > COPY_WORDS) n = COPY_WORDS;
    for (uint64_t i = 0; i < n; i++)
      s->copy[i] =
        __atomic_load_n(&data[(*position + i) & mask], __ATOMIC_RELAXED);
    /* Acquire: if any of the words is of a later lap, the head that was moved
       before it was written must be seen now. */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&h->head, __ATOMIC_RELAXED) <= *position)
      return (int64_t) n;
  }
  /* It was there each time that we looked; the next time will do. */
  return 0;
}

/* The length of the event at copy[i] of [n], of which the first is at
   [position]; 0 when the copy ends before it does; -1 when no writer wrote
   that. */
static int64_t event_length(const struct stock *s, uint64_t position,
                            uint64_t i, uint64_t n, uint64_t tail)
{
  uint64_t word = s->copy[i], length = LENGTH(word);
  uint64_t place = (position + i) & (s->layout.ring_words - 1);
  if (length == 0 || length > s->layout.ring_words - place) return -1;
  if (length < 2 && (IS_USER(word) || TYPE(word) != RUNTIME_INTERNAL))
    return -1;
  if (length <= n - i) return (int64_t) length;
  return position + n < tail && i > 0 ? 0 : -1;
}

/* The schema */

static void add_entry(struct stock *s, struct eventring_schema_entry entry,
                      const char *unit, const char *name)
{
  struct eventring_schema_entry *e = &s->schema[s->header.schema_count];
  *e = entry;
  snprintf(e->unit, sizeof e->unit, "%s", unit);
  snprintf(e->name, sizeof e->name, "%s", name);
  s->header.schema_count++;
}

/* Describes an event of ours, once. */
static void describe(struct stock *s, uint32_t id, uint8_t kind,
                     uint8_t payload, uint32_t category, const char *unit,
                     const char *name)
{
  if (s->described[id]) return;
  s->described[id] = 1;
  add_entry(s, (struct eventring_schema_entry) {
              .id = (uint16_t) id, .kind = kind, .payload = payload,
              .category = category }, unit, name);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What version 5.[minor] numbers by 0, 1 and so on. */
static void number(const struct stock_event *by_id[256],
                   const struct stock_event *events, size_t count, int minor)
{
  size_t next = 0;
  for (size_t i = 0; i < count; i++)
    if (events[i].since <= minor) by_id[next++] = &events[i];
}

static void make_schema(struct stock *s, int minor)
{
#define CATEGORY(id, bit, name, by_default, doc) \
  add_entry(s, (struct eventring_schema_entry) { \
              .kind = EVENTRING_CATEGORY, .category = bit }, "", name);
#include "caml/eventring_events.tbl"
  number(s->phases, stock_phases, COUNT(stock_phases), minor);
  number(s->counters, stock_counters, COUNT(stock_counters), minor);
  for (uint32_t i = 0; i < COUNT(stock_phases); i++)
    describe(s, EVENTRING_FIRST_PHASE + i, EVENTRING_SPAN,
             EVENTRING_NO_PAYLOAD, stock_phases[i].category, "",
             stock_phases[i].name);
  for (uint32_t i = 0; i < COUNT(stock_counters); i++)
    describe(s, EVENTRING_FIRST_COUNTER + i, EVENTRING_COUNTER, EVENTRING_INT,
             stock_counters[i].category, stock_counters[i].unit,
             stock_counters[i].name);
  for (uint32_t i = 0; i < COUNT(stock_lifecycles); i++)
    describe(s, EVENTRING_FIRST_LIFECYCLE + i, EVENTRING_INSTANT,
             EVENTRING_INT, stock_lifecycles[i].category, "",
             stock_lifecycles[i].name);
  describe(s, EVENTRING_FIRST_RECORD, EVENTRING_INSTANT, EVENTRING_INTS,
           EVENTRING_ALLOC_BIT, "blocks", "alloc_sizes");
}

/* Our id of the runtime's event with their [id]: one of the table that
   [by_id] points into, or one behind it, which gets a name of its own.
   0 for an id that cannot be. */
static uint32_t runtime_id(struct stock *s, uint32_t id, uint32_t first,
                           uint32_t limit,
                           const struct stock_event *const *by_id,
                           const struct stock_event *table, size_t count,
                           uint8_t kind, const char *what)
{
  char name[EVENTRING_NAME_SIZE];
  uint32_t ours;
  if (id >= 256) return 0;
  if (by_id[id] != NULL) return first + (uint32_t) (by_id[id] - table);
  ours = first + (uint32_t) count + id;
  if (ours >= limit) return 0;
  snprintf(name, sizeof name, "%s_%u", what, id);
  describe(s, ours, kind,
           kind == EVENTRING_SPAN ? EVENTRING_NO_PAYLOAD : EVENTRING_INT,
           EVENTRING_GC_DETAIL_BIT, "", name);
  return ours;
}

static uint32_t user_id(struct stock *s, uint32_t id, uint8_t kind,
                        uint8_t payload)
{
  uint32_t ours = EVENTRING_FIRST_USER_ID + id;
  char name[NAME_SIZE] = "";
  uint64_t at = s->layout.names + (uint64_t) id * NAME_SIZE;
  if (s->described[ours]) return ours;
  if (s->layout.names != 0 && at <= s->size - NAME_SIZE)
    memcpy(name, s->map + at, NAME_SIZE - 1);
  if (name[0] == 0) snprintf(name, sizeof name, "user_event_%u", id);
  describe(s, ours, kind, payload, EVENTRING_USER_BIT, "", name);
  return ours;
}

/* Translating */

/* Appends an event of ours; returns where its payload goes.  There is room. */
static uint64_t *emit(struct stock *s, uint32_t ring, uint64_t ticks,
                      uint32_t id, uint32_t form, uint32_t length)
{
  struct ring *r = &s->rings[ring];
  uint64_t in_block = r->count % BLOCK_WORDS;
  uint32_t more = length >= EVENTRING_LENGTH_LONG;
  uint64_t *to;

  /* A time before the base is far behind it, too. */
  if (r->fresh || in_block == 0
      || ticks - r->base >= (uint64_t) 1 << EVENTRING_TICKS_BITS
      || in_block + 1 + more + length > BLOCK_WORDS) {
    if (in_block != 0) {
      memset(r->words + r->count, 0, (BLOCK_WORDS - in_block) * 8);
      r->count += BLOCK_WORDS - in_block;
    }
    r->events += r->lost / 2;
    if (r->events > FIRST_POSITION) r->events = FIRST_POSITION;
    r->lost = 0;
    r->fresh = 0;
    r->base = ticks;
    to = r->words + r->count;
    to[EVENTRING_BLOCK_TICKS] = ticks;
    to[EVENTRING_BLOCK_NS] = ticks;
    to[EVENTRING_BLOCK_EVENTS] = r->events;
    to[EVENTRING_BLOCK_WHO] = ring;
    r->count += EVENTRING_BLOCK_HEADER_WORDS;
  }
  to = r->words + r->count;
  *to++ = EVENTRING_WORD(id, form, more ? EVENTRING_LENGTH_LONG : length)
    | (ticks - r->base) << EVENTRING_TICKS_SHIFT;
  if (more) *to++ = length;
  r->count += 1 + more + length;
  r->events++;
  if (ticks > r->newest) r->newest = ticks;
  return to;
}

/* Translates a value of a type of the program's own: its bytes, then padding
   of at least a byte, the last of which says how many bytes of padding are
   before it.  Returns 0 when it cannot be. */
static int translate_custom(struct stock *s, uint32_t ring,
                            const uint64_t *event, uint32_t length)
{
  const uint32_t words = length - 2;
  const char *bytes = (const char *) (event + 2);
  uint64_t size, *to;
  uint32_t needed, id;
  if (words == 0) return 0;
  size = (uint64_t) words * 8 - 1;
  if ((uint8_t) bytes[size] > size) return 0;
  size -= (uint8_t) bytes[size];
  needed = (uint32_t) ((size + 7) / 8);
  if (1 + needed > MAX_PAYLOAD) return 0;
  id = user_id(s, ID(event[0]), EVENTRING_INSTANT, EVENTRING_BYTES);
  to = emit(s, ring, event[1], id, EVENTRING_FORM_INSTANT, 1 + needed);
  if (needed > 0) to[needed] = 0;
  to[0] = size;
  memcpy(to + 1, bytes, (size_t) size);
  return 1;
}

static int translate_user(struct stock *s, uint32_t ring,
                          const uint64_t *event, uint32_t length)
{
  const uint32_t id = ID(event[0]);
  switch (TYPE(event[0])) {
  case USER_UNIT:
    emit(s, ring, event[1],
         user_id(s, id, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD),
         EVENTRING_FORM_INSTANT, 0);
    return 1;
  case USER_INT:
    if (length < 3) return 0;
    *emit(s, ring, event[1],
          user_id(s, id, EVENTRING_COUNTER, EVENTRING_INT),
          EVENTRING_FORM_COUNTER, 1) = event[2];
    return 1;
  case USER_BEGIN: case USER_END:
    emit(s, ring, event[1],
         user_id(s, id, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD),
         TYPE(event[0]) == USER_BEGIN ? EVENTRING_FORM_BEGIN
                                      : EVENTRING_FORM_END, 0);
    return 1;
  case USER_CUSTOM:
    return translate_custom(s, ring, event, length);
  default:
    return 1;                   /* of a version to come */
  }
}

/* Translates one event.  Returns 0 when no writer wrote it. */
static int translate(struct stock *s, uint32_t ring, const uint64_t *event,
                     uint32_t length)
{
  uint32_t id = ID(event[0]);
  if (IS_USER(event[0])) return translate_user(s, ring, event, length);
  switch (TYPE(event[0])) {
  case RUNTIME_LIFECYCLE:
    if (id >= COUNT(stock_lifecycles)) return 1;
    if (id == STOCK_RING_STOP) {
      s->stopping = 1;
      s->stopped = event[1];
    }
    *emit(s, ring, event[1], EVENTRING_FIRST_LIFECYCLE + id,
          EVENTRING_FORM_INSTANT, 1) = length > 2 ? event[2] : 0;
    return 1;
  case RUNTIME_BEGIN: case RUNTIME_END:
    id = runtime_id(s, id, EVENTRING_FIRST_PHASE, EVENTRING_FIRST_COUNTER,
                    s->phases, stock_phases, COUNT(stock_phases),
                    EVENTRING_SPAN, "phase");
    if (id != 0)
      emit(s, ring, event[1], id,
           TYPE(event[0]) == RUNTIME_BEGIN ? EVENTRING_FORM_BEGIN
                                           : EVENTRING_FORM_END, 0);
    return 1;
  case RUNTIME_COUNTER:
    if (length < 3) return 0;
    id = runtime_id(s, id, EVENTRING_FIRST_COUNTER, EVENTRING_FIRST_LIFECYCLE,
                    s->counters, stock_counters, COUNT(stock_counters),
                    EVENTRING_COUNTER, "counter");
    if (id != 0)
      *emit(s, ring, event[1], id, EVENTRING_FORM_COUNTER, 1) = event[2];
    return 1;
  case RUNTIME_ALLOC:
    if (length - 2 > MAX_PAYLOAD) return 0;
    memcpy(emit(s, ring, event[1], EVENTRING_FIRST_RECORD,
                EVENTRING_FORM_INSTANT, length - 2),
           event + 2, (length - 2) * sizeof *event);
    return 1;
  default:
    return 1;                   /* padding, or of a version to come */
  }
}

/* Makes room in a ring's buffer by dropping what the reader has taken. */
static void drop_taken(struct stock *s, uint32_t ring)
{
  struct ring *r = &s->rings[ring];
  struct eventring_words *w = &s->words[ring];
  uint64_t taken;
  if (w->needed <= w->first || r->count < BUFFER_WORDS / 2) return;
  taken = w->needed - w->first;
  if (taken > r->count) taken = r->count;
  taken -= taken % BLOCK_WORDS;
  memmove(r->words, r->words + taken, (size_t) (r->count - taken) * 8);
  r->count -= taken;
  w->first += taken;
}

static int has_room(const struct ring *r)
{
  return BUFFER_WORDS - r->count >= 2 * BLOCK_WORDS;
}

/* What became of a ring in this round. */
enum { DONE, BEHIND, BROKEN, RESTARTED };

/* Translates what is new in a ring, as far as there is room. */
static int translate_ring(struct stock *s, uint32_t ring)
{
  struct ring *r = &s->rings[ring];
  const uint64_t enough = r->position + 2 * s->layout.ring_words;
  uint64_t tail, lost = 0;
  int64_t n;

  /* A writer that never rests is left alone some time. */
  while (r->position <= enough) {
    uint64_t i = 0;
    if (r->words != NULL) {
      drop_taken(s, ring);
      if (!has_room(r)) return BEHIND;
    }
    n = copy_ring(s, ring, &r->position, &lost, &tail);
    if (lost > 0) {
      r->lost += lost;
      r->fresh = 1;
      lost = 0;
    }
    if (n < 0) {
      if (tail < r->position && tail <= MAX_POSITION) return RESTARTED;
      n = r->damaged ? DONE : BROKEN;
      r->damaged = 1;
      return (int) n;
    }
    r->damaged = 0;
    if (n == 0) return r->position < tail ? BEHIND : DONE;
    if (r->words == NULL) {
      r->words = malloc(BUFFER_WORDS * sizeof *r->words);
      if (r->words == NULL) return BEHIND;
      s->words[ring].words = r->words;
      s->words[ring].first = FIRST_POSITION;
    }
    while (i < (uint64_t) n && has_room(r)) {
      int64_t length = event_length(s, r->position, i, (uint64_t) n, tail);
      if (length == 0) break;
      if (length < 0 || !translate(s, ring, s->copy + i, (uint32_t) length)) {
        r->lost += tail - r->position - i;
        r->fresh = 1;
        r->position = tail;
        return BROKEN;
      }
      i += (uint64_t) length;
    }
    r->position += i;
    if (r->position == tail) return DONE;
  }
  return BEHIND;
}

/* What the reader sees of a ring; returns whether that is more. */
static int publish(struct stock *s, uint32_t ring)
{
  const struct ring *r = &s->rings[ring];
  struct eventring_slot *slot = &s->slots[ring];
  uint64_t tail = s->words[ring].first + r->count;
  if (r->words == NULL || r->count == 0 || tail == slot->tail) return 0;
  slot->tail = tail;
  slot->reserve = (tail + BLOCK_WORDS - 1) / BLOCK_WORDS * BLOCK_WORDS;
  return 1;
}

/* Our clock, read before any ring is looked at.  A writer reads it some
   nanoseconds before it publishes. */
static uint64_t clock_now(void)
{
  int64_t now = eventring_clock_ns(CLOCK_MONOTONIC);
  while (eventring_clock_ns(CLOCK_MONOTONIC) - now < GRACE_NS)
    ;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return (uint64_t) now;
}

/* [time] plus what is from [from] to [to], which may be anything. */
static int64_t shifted(int64_t time, uint64_t from, uint64_t to)
{
  return (int64_t) ((uint64_t) time + (to - from));
}

static void end_at(struct stock *s, uint32_t state, uint64_t ticks)
{
  const struct eventring_instant *started = &s->header.started;
  s->header.ended = (struct eventring_instant) {
    ticks, (int64_t) ticks,
    shifted(started->realtime_ns, started->ticks, ticks) };
  s->header.state = state;
}

static int advance(struct eventring_source *source)
{
  struct stock *s = (struct stock *) source;
  const uint32_t rings = s->header.rings;
  uint64_t horizon = UINT64_MAX;
  int more = 0, broken = 0;

  if (s->alive) horizon = clock_now();
  source->behind = 0;
  for (uint32_t i = 0; i < rings; i++) {
    /* Another program, of the same number, makes its file in this one. */
    if (s->header.state == EVENTRING_REPLACED) break;
    switch (translate_ring(s, i)) {
    case BEHIND:
      source->behind = 1;
      if (s->rings[i].newest < horizon) horizon = s->rings[i].newest;
      break;
    case BROKEN:
      broken = 1;
      break;
    case RESTARTED:
      if (!s->alive) break;
      end_at(s, EVENTRING_REPLACED, s->rings[i].newest);
      break;
    default:
      break;
    }
    more |= publish(s, i);
  }
  source->horizon = horizon;
  if (s->stopping && !more && !source->behind
      && s->header.state == EVENTRING_RUNNING)
    end_at(s, EVENTRING_ENDED, s->stopped);
  return broken ? EVENTRING_E_DAMAGED : more;
}

/* Opening */

/* What the rings tell when they are gone through once. */
struct survey {
  uint64_t oldest, newest;      /* times; 0: there are no events */
  uint64_t started, pid;        /* of "ring_start"; 0: it is gone */
  int stopped;
  uint64_t before_5_3, since_5_3; /* ends of minor collections so numbered */
};

static void survey_event(struct survey *v, const uint64_t *event,
                         uint32_t length, int after_allocated)
{
  const uint32_t id = ID(event[0]);
  if (v->oldest == 0 || event[1] < v->oldest) v->oldest = event[1];
  if (event[1] > v->newest) v->newest = event[1];
  if (IS_USER(event[0])) return;
  if (TYPE(event[0]) == RUNTIME_LIFECYCLE && id == STOCK_RING_START
      && length > 2) {
    v->started = event[1];
    v->pid = event[2];
  }
  if (TYPE(event[0]) == RUNTIME_LIFECYCLE && id == STOCK_RING_STOP)
    v->stopped = 1;
  if (TYPE(event[0]) == RUNTIME_END && after_allocated) {
    v->before_5_3 += id == STOCK_MINOR_BEFORE_5_3;
    v->since_5_3 += id == STOCK_MINOR_SINCE_5_3;
  }
}

static void survey_ring(struct stock *s, uint32_t ring, struct survey *v)
{
  uint64_t position = 0, lost = 0, tail;
  int after_allocated = 0;
  int64_t n, length = 0;

  while (position <= s->layout.ring_words + lost && length >= 0
         && (n = copy_ring(s, ring, &position, &lost, &tail)) > 0) {
    uint64_t i = 0;
    for (; i < (uint64_t) n; i += (uint64_t) length) {
      const uint64_t *event = s->copy + i;
      length = event_length(s, position, i, (uint64_t) n, tail);
      if (length <= 0) break;
      if (!IS_USER(event[0]) && TYPE(event[0]) == RUNTIME_INTERNAL) continue;
      survey_event(v, event, (uint32_t) length, after_allocated);
      after_allocated = !IS_USER(event[0])
        && TYPE(event[0]) == RUNTIME_COUNTER
        && (ID(event[0]) == STOCK_MINOR_ALLOCATED
            || ID(event[0]) == STOCK_MINOR_ALLOCATED_WORDS);
    }
    position += i;
  }
  if (s->from_now)
    s->rings[ring].position =
      __atomic_load_n(&ring_header(s, ring)->tail, __ATOMIC_ACQUIRE);
}

/* The process: the number that [path] names, or that "ring_start" tells. */
static long named_pid(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *end;
  long pid = strtol(name, &end, 10);
  return end > name && strcmp(end, ".events") == 0 && pid > 0 && pid <= INT_MAX
         ? pid : 0;
}

static int64_t ns_of(struct timespec t)
{
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* When this machine started, since the epoch. */
static int64_t boot_ns(void)
{
  return eventring_clock_ns(CLOCK_REALTIME)
    - eventring_clock_ns(CLOCK_BOOTTIME);
}

/* What process [pid] has to do with the file, as of eventring_state: it writes
   it; or it is another one, and the file's is gone; or it is the same one with
   another program. */
static int writer_state(int pid, const struct stat *st)
{
  const uint64_t second = 1000000000;
  uint64_t start_time, start_stack, tick = second
                                           / (uint64_t) sysconf(_SC_CLK_TCK);
  int mapped;
  if (pid <= 0 || !eventring_process_fields(pid, &start_time, &start_stack))
    return EVENTRING_STATE_KILLED;
  mapped = eventring_is_mapped(pid, st);
  if (mapped == 1) return EVENTRING_STATE_RUNNING;
  /* The file of a process was written after it started.  Neither time is
     exact. */
  if (start_time > INT64_MAX / tick
      || boot_ns() + (int64_t) (start_time * tick)
         > ns_of(st->st_mtim) + (int64_t) second)
    return EVENTRING_STATE_KILLED;
  return mapped == 0 ? EVENTRING_STATE_REPLACED : EVENTRING_STATE_RUNNING;
}

static void read_line(const char *path, char *to, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
  if (fd >= 0) close(fd);
  to[n > 0 ? n : 0] = 0;
  to[strcspn(to, "\n")] = 0;
}

/* What the header says of the process; [pid] is how we call it, or 0. */
static void fill_process(struct stock *s, int pid)
{
  struct eventring_header *h = &s->header;
  char path[64];
  ssize_t n;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  n = readlink(path, h->program, sizeof h->program - 1);
  h->program[n > 0 ? n : 0] = 0;
  snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  read_line(path, h->argv0, sizeof h->argv0);
  eventring_process_fields(pid, &h->start_time, &h->start_stack);
}

/* When it was, by [v] and the times of the file. */
static void fill_times(struct stock *s, const struct stat *st,
                       const struct survey *v)
{
  struct eventring_header *h = &s->header;
  struct eventring_instant now = eventring_now(EVENTRING_CLOCK_MONOTONIC);
  uint64_t started = v->started != 0 ? v->started : v->oldest;
  if (started == 0) started = now.ticks;
  h->started.ticks = started;
  h->started.monotonic_ns = (int64_t) started;
  if (ns_of(st->st_mtim) >= boot_ns() && v->newest <= now.ticks) {
    read_line("/proc/sys/kernel/random/boot_id", h->boot_id,
              sizeof h->boot_id);
    h->started.realtime_ns = shifted(now.realtime_ns, now.ticks, started);
  } else {
    strcpy(h->boot_id, "another");
    h->started.realtime_ns =
      shifted(ns_of(st->st_mtim), v->newest, started);
  }
}

/* Which numbering the file has: by what it holds, else by the executable,
   else the newest. */
static int fill_version(struct stock *s, int pid, const struct survey *v)
{
  char found[sizeof s->header.runtime] = "";
  int of_program = -1, minor = STOCK_NEWEST;
  const char *guess = "5.1 or later";

  if (s->alive) of_program = eventring_stock_version(pid, found, sizeof found);
  if (v->before_5_3 > v->since_5_3
      || (v->since_5_3 == 0
          && (s->layout.names == 0
              || (of_program >= 0 && of_program <= STOCK_BEFORE_5_3)))) {
    minor = STOCK_BEFORE_5_3;
    guess = s->layout.names == 0 ? "5.0" : "5.1 or 5.2";
  } else if (v->since_5_3 > 0) {
    guess = "5.3 or later";
  }
  /* A program may hold any string; the file has the last word. */
  if (of_program >= 0
      && (of_program <= STOCK_BEFORE_5_3) == (minor == STOCK_BEFORE_5_3))
    guess = found;
  snprintf(s->header.runtime, sizeof s->header.runtime, "%s", guess);
  return minor;
}

static void fill_header(struct stock *s, const char *path, int pid,
                        const struct stat *st)
{
  struct eventring_header *h = &s->header;
  struct survey v = { .oldest = 0 };
  uint32_t all = EVENTRING_GC | EVENTRING_GC_DETAIL | EVENTRING_DOMAIN
                 | EVENTRING_SYNC_DETAIL | EVENTRING_USER;
  int state;

  for (uint32_t i = 0; i < s->layout.rings; i++) survey_ring(s, i, &v);
  memcpy(h->magic, STOCK_MAGIC, sizeof h->magic);
  h->version_major = EVENTRING_VERSION_MAJOR;
  h->version_minor = EVENTRING_VERSION_MINOR;
  h->header_size = sizeof *h;
  h->schema_offset = EVENTRING_PAGE;
  h->schema_entry_size = sizeof(struct eventring_schema_entry);
  h->schema_capacity = MAX_SCHEMA;
  h->slot_size = sizeof(struct eventring_slot);
  h->directory_offset = h->schema_offset
    + (uint64_t) h->schema_capacity * h->schema_entry_size;
  h->rings = (uint32_t) s->layout.rings;
  h->rings_offset = h->directory_offset + (uint64_t) h->rings * h->slot_size;
  h->ring_words = s->layout.ring_words > 2 * BLOCK_WORDS
                  ? s->layout.ring_words : 2 * BLOCK_WORDS;
  h->block_words = BLOCK_WORDS;
  h->file_size = h->rings_offset + h->rings * h->ring_words * 8;
  h->clock = EVENTRING_CLOCK_MONOTONIC;
  h->control = (uint64_t) all << 32 | all;
  h->state = EVENTRING_RUNNING;

  h->pid = (uint32_t) named_pid(path);
  if (h->pid == 0 && v.pid <= INT_MAX) h->pid = (uint32_t) v.pid;
  if (pid == 0) pid = (int) h->pid;
  fill_times(s, st, &v);
  state = writer_state(pid, st);
  s->alive = state == EVENTRING_STATE_RUNNING;
  if (s->alive) {
    fill_process(s, pid);
  } else {
    h->start_time = UINT64_MAX; /* of no process */
    if (h->pid == 0) strcpy(h->boot_id, "another");
    if (v.stopped) end_at(s, EVENTRING_ENDED, v.newest);
    else if (state == EVENTRING_STATE_REPLACED)
      end_at(s, EVENTRING_REPLACED, v.newest);
  }
  make_schema(s, fill_version(s, pid, &v));
}

static int is_stock(const void *bytes, size_t length)
{
  struct stock_header h;
  if (length < sizeof h) return 0;
  memcpy(&h, bytes, sizeof h);
  return h.version >= LAYOUT_VERSION && h.version < 16
    && h.rings > 0 && h.rings <= 1 << 16
    && h.ring_header_size >= sizeof(struct ring_header)
    && h.ring_header_size < 1 << 16 && h.ring_headers < 1 << 16;
}

static int check(const struct stock_header *h, uint64_t size,
                 const struct eventring_options *o, const char *path)
{
  uint64_t end;
  if (h->version != LAYOUT_VERSION)
    return fail(o, EVENTRING_E_VERSION,
                "%s: a file of OCaml's Runtime_events with layout version %llu,"
                " and this reader knows %d; use a newer one", path,
                (unsigned long long) h->version, LAYOUT_VERSION);
  if (h->rings > EVENTRING_MAX_RINGS || h->ring_header_size % 8 != 0
      || h->ring_words == 0 || (h->ring_words & (h->ring_words - 1)) != 0
      || h->ring_words > (uint64_t) 1 << EVENTRING_MAX_LOG_WORDS
      || h->ring_size != h->ring_words * 8
      || h->ring_headers < sizeof *h || h->ring_headers % 8 != 0
      || h->data % 8 != 0
      || h->data < h->ring_headers + h->rings * h->ring_header_size
      || h->data > (uint64_t) 1 << 32)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: %llu rings of %llu words (%llu bytes) at "
                "%llu, their headers of %llu bytes at %llu", path,
                (unsigned long long) h->rings,
                (unsigned long long) h->ring_words,
                (unsigned long long) h->ring_size,
                (unsigned long long) h->data,
                (unsigned long long) h->ring_header_size,
                (unsigned long long) h->ring_headers);
  end = h->data + h->rings * h->ring_size;
  if (h->names != 0
      && (h->names < end || h->names > UINT64_MAX / 2))
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: names of events at %llu, before the end "
                "of the rings at %llu", path, (unsigned long long) h->names,
                (unsigned long long) end);
  if (h->names != 0) end = h->names + MAX_USER_EVENTS * NAME_SIZE;
  if (size < end)
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %llu bytes, and its header says %llu; copy the "
                "file again", path, (unsigned long long) size,
                (unsigned long long) end);
  return 0;
}

static void close_stock(struct eventring_source *source)
{
  struct stock *s = (struct stock *) source;
  if (s->map != MAP_FAILED) munmap((void *) s->map, s->size);
  if (s->rings != NULL)
    for (uint32_t i = 0; i < s->layout.rings; i++) free(s->rings[i].words);
  free(s->rings);
  free(s->words);
  free(s->slots);
  free(s->schema);
  free(s);
}

static int open_stock(int fd, uint64_t size, const char *path, int pid,
                      const struct eventring_options *o,
                      struct eventring_source **result)
{
  struct stock *s;
  struct stock_header h;
  struct stat st;
  int err;

  if (fstat(fd, &st) < 0 || pread(fd, &h, sizeof h, 0) != sizeof h)
    return fail(o, EVENTRING_E_SYSTEM, "cannot read %s: %s", path,
                strerror(errno));
  err = check(&h, size, o, path);
  if (err < 0) return err;
  s = calloc(1, sizeof *s);
  if (s == NULL)
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  s->layout = h;
  s->from_now = o->from_now;
  s->size = (size_t) size;
  s->map = mmap(NULL, s->size, PROT_READ, MAP_SHARED, fd, 0);
  s->rings = calloc(h.rings, sizeof *s->rings);
  s->words = calloc(h.rings, sizeof *s->words);
  s->slots = calloc(h.rings, sizeof *s->slots);
  s->schema = calloc(MAX_SCHEMA, sizeof *s->schema);
  if (s->map == MAP_FAILED || s->rings == NULL || s->words == NULL
      || s->slots == NULL || s->schema == NULL) {
    err = s->map == MAP_FAILED
      ? fail(o, EVENTRING_E_SYSTEM, "cannot map the %llu bytes of %s: %s",
             (unsigned long long) size, path, strerror(errno))
      : fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
    close_stock(&s->source);
    return err;
  }
  for (uint32_t i = 0; i < h.rings; i++) s->words[i].mask = UINT64_MAX;
  fill_header(s, path, pid, &st);
  s->source.checked = s->header;
  s->source.header = &s->header;
  s->source.schema = (const char *) s->schema;
  s->source.directory = (const char *) s->slots;
  s->source.rings = s->words;
  s->source.lap = UINT64_MAX;
  s->source.live = 1;
  s->source.parts = 1;
  s->source.format = EVENTRING_FORMAT_STOCK;
  s->source.lost_is_bound = 1;
  s->source.advance = advance;
  s->source.close = close_stock;
  err = eventring_check_header(&s->header, s->header.file_size, o, path);
  if (err < 0) {
    close_stock(&s->source);
    return err;
  }
  *result = &s->source;
  return 0;
}

const struct eventring_format eventring_stock_format = {
  .no_control = "stock OCaml cannot be paused or resumed from outside; the "
    "program can do so with Runtime_events.pause and resume",
  .is = is_stock, .open = open_stock
};
