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
   1), as a source of words.  doc/STOCK.md describes the translation.

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

   An event of theirs is smaller with us, and a reader takes away the words that
   it has read, so a buffer of a fixed size a ring is enough: a ring without
   room in its buffer waits.  The horizon stays at or before the latest event
   translated of such a ring.

   When head has overtaken us, only the number of lost words is known.  An event
   has at least two: this makes the bound that our blocks' counts of events
   begin with.

   The file is not trusted: lengths are checked against the copied words, ids
   against tables.  Words that no writer writes are damage: the rest of that
   ring, up to its tail at that time, is not read. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caml/eventring_clock.h"
#include "caml/eventring_format.h"
#include "eventring_reader.h"
#include "eventring_source.h"
#include "eventring_stock.h"
#include "eventring_stock_events.h"

/* Our translation */

/* Words of ours kept for a ring, at most. */
#define BUFFER_WORDS (64 * (uint64_t) BLOCK_WORDS)

/* Where our positions begin: a block's count of events is never over its
   position. */
#define FIRST_POSITION ((uint64_t) 1 << 60)
#define MAX_POSITION ((uint64_t) 1 << 59)

/* How often a copy is tried again after a writer that overtakes it. */
#define MAX_OVERTAKEN 16

/* Time that a writer is given between reading the clock and publishing.  Its
   stores have been seen 330 ns late, where the reader holds their lines. */
#define GRACE_NS 1000

/* Payload words of one event of ours. */
#define MAX_PAYLOAD (BLOCK_WORDS - EVENTRING_BLOCK_HEADER_WORDS - 2)

/* Copying */

int64_t eventring_stock_copy(struct stock *s, uint32_t ring, uint64_t *position,
                         uint64_t *lost, uint64_t *tail)
{
  const struct ring_header *h = ring_header(s, ring);
  const uint64_t *data = (const uint64_t *)
    (s->source.map + s->layout.data + ring * s->layout.ring_size);
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

int64_t eventring_stock_length(const struct stock *s, uint64_t position,
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

/* Adds a schema entry for the events with our id [id], unless there is one,
   with the first characters of [unit] and [name] that fit. */
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

/* Sets by_id[0], by_id[1] and so on to the events of [table] that have the
   [count] ids [ids]; if that is NULL, to the [count] events of [table].  Leaves
   the other elements as they are. */
static void number(const struct stock_event *by_id[256],
                   const struct stock_event *table, const uint16_t *ids,
                   size_t count)
{
  for (size_t i = 0; i < count; i++)
    by_id[i] = ids != NULL ? &table[ids[i] - table[0].id] : &table[i];
}

void eventring_stock_schema(struct stock *s, int minor)
{
#define CATEGORY(id, bit, name, by_default, doc) \
  add_entry(s, (struct eventring_schema_entry) { \
              .kind = EVENTRING_CATEGORY, .category = bit }, "", name);
#include "caml/eventring_events.tbl"
  if (minor > STOCK_BEFORE_5_3) {
    number(s->phases, stock_phases, NULL, COUNT(stock_phases));
    number(s->counters, stock_counters, NULL, COUNT(stock_counters));
  } else {
    number(s->phases, stock_phases, stock_phases_before_5_3,
           COUNT(stock_phases_before_5_3));
    number(s->counters, stock_counters, stock_counters_before_5_3,
           COUNT(stock_counters_before_5_3));
  }
  for (uint32_t i = 0; i < COUNT(stock_phases); i++)
    describe(s, stock_phases[i].id, EVENTRING_SPAN,
             EVENTRING_NO_PAYLOAD, stock_phases[i].category, "",
             stock_phases[i].name);
  for (uint32_t i = 0; i < COUNT(stock_counters); i++)
    describe(s, stock_counters[i].id, EVENTRING_COUNTER, EVENTRING_INT,
             stock_counters[i].category, stock_counters[i].unit,
             stock_counters[i].name);
  for (uint32_t i = 0; i < COUNT(stock_lifecycles); i++)
    describe(s, stock_lifecycles[i].id, EVENTRING_INSTANT, EVENTRING_INT,
             stock_lifecycles[i].category, "",
             stock_lifecycles[i].name);
  describe(s, EVENTRING_FIRST_RECORD, EVENTRING_INSTANT, EVENTRING_INTS,
           EVENTRING_ALLOC_BIT, "blocks", "alloc_sizes");
}

/* Returns our id of the runtime's event that has the number [id] in the file.
   Numbers that [by_id] knows give the id of their row in the table of these
   events, of [count] rows; [first] is the id of its first row.  Other numbers
   give an id behind the table, below [limit], which is described in the schema
   by a name made of the text [what] and the number.  Returns 0, for no event,
   when the number is too large. */
static uint32_t runtime_id(struct stock *s, uint32_t id, uint32_t first,
                           uint32_t limit,
                           const struct stock_event *const *by_id,
                           size_t count, uint8_t kind, const char *what)
{
  char name[EVENTRING_NAME_SIZE];
  uint32_t ours;
  if (id >= 256) return 0;
  if (by_id[id] != NULL) return by_id[id]->id;
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
  if (s->layout.names != 0 && at <= s->source.map_size - NAME_SIZE)
    memcpy(name, s->source.map + at, NAME_SIZE - 1);
  if (name[0] == 0) snprintf(name, sizeof name, "user_event_%u", id);
  describe(s, ours, kind, payload, EVENTRING_USER_BIT, "", name);
  return ours;
}

/* Translating */

/* Appends an event with our id [id], the time [ticks] and a payload of [length]
   words to the translated words of ring [ring], in a new block if necessary.  A
   new block also counts the events lost before it, one for two lost words.
   Returns the place of the payload, which the caller fills.  The caller has
   checked that the buffer has room. */
static uint64_t *emit(struct stock *s, uint32_t ring, uint64_t ticks,
                      uint32_t id, uint32_t form, uint32_t length)
{
  struct stock_ring *r = &s->rings[ring];
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

/* Translates an event of [length] words, with a value of a type that the
   program has registered, and appends it to the words of ring [ring].  Its
   payload is the bytes of the value, then padding of at least a byte, the last
   of which says how many bytes of padding are before it.  Returns 1, or 0 when
   the payload is impossible or too long for a block. */
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

/* Translates the event of [length] words at [event] and appends the result to
   the words of ring [ring].  Returns 1, also for an event that is not
   translated, or 0 when no writer wrote the event.  The buffer must have room
   for two blocks.  Notes the end of tracing in s->stopping and s->stopped. */
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
                    s->phases, COUNT(stock_phases), EVENTRING_SPAN, "phase");
    if (id != 0)
      emit(s, ring, event[1], id,
           TYPE(event[0]) == RUNTIME_BEGIN ? EVENTRING_FORM_BEGIN
                                           : EVENTRING_FORM_END, 0);
    return 1;
  case RUNTIME_COUNTER:
    if (length < 3) return 0;
    id = runtime_id(s, id, EVENTRING_FIRST_COUNTER, EVENTRING_FIRST_LIFECYCLE,
                    s->counters, COUNT(stock_counters), EVENTRING_COUNTER,
                    "counter");
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

/* Drops the words of ring [ring] that the reader has taken from its buffer, by
   whole blocks, once the buffer is half full. */
static void drop_taken(struct stock *s, uint32_t ring)
{
  struct stock_ring *r = &s->rings[ring];
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

static int has_room(const struct stock_ring *r)
{
  return BUFFER_WORDS - r->count >= 2 * BLOCK_WORDS;
}

/* The result of a round for a ring. */
enum { DONE, BEHIND, BROKEN, RESTARTED };

/* Translates the new events of ring [ring] until its buffer is full.  Returns
   DONE when all are translated; BEHIND when some are left, or there is no
   memory for the buffer; BROKEN when the ring has words that no writer writes,
   which are skipped and counted as lost, or a damaged header, which is returned
   once and later gives DONE; RESTARTED when its tail has gone back, since
   another program writes the file. */
static int translate_ring(struct stock *s, uint32_t ring)
{
  struct stock_ring *r = &s->rings[ring];
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
    n = eventring_stock_copy(s, ring, &r->position, &lost, &tail);
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
      int64_t length = eventring_stock_length(s, r->position, i, (uint64_t) n,
                                              tail);
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

/* Makes the translated words of ring [ring] visible to the reader.  Returns 1
   when some of them are new, else 0. */
static int publish(struct stock *s, uint32_t ring)
{
  const struct stock_ring *r = &s->rings[ring];
  struct eventring_slot *slot = &s->slots[ring];
  uint64_t tail = s->words[ring].first + r->count;
  if (r->words == NULL || r->count == 0 || tail == slot->tail) return 0;
  slot->tail = tail;
  slot->reserve = (tail + BLOCK_WORDS - 1) / BLOCK_WORDS * BLOCK_WORDS;
  return 1;
}

/* Reads CLOCK_MONOTONIC, then waits GRACE_NS, in which writers that have read
   the clock before publish their events.  Returns the time that was read before
   the wait.  Called before any ring is read. */
static uint64_t clock_now(void)
{
  int64_t now = eventring_clock_ns(CLOCK_MONOTONIC);
  while (eventring_clock_ns(CLOCK_MONOTONIC) - now < GRACE_NS)
    ;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return (uint64_t) now;
}

void eventring_stock_end(struct stock *s, uint32_t state, uint64_t ticks)
{
  const struct eventring_instant *started = &s->header.started;
  s->header.ended = (struct eventring_instant) {
    ticks, (int64_t) ticks,
    eventring_shifted(started->realtime_ns, (int64_t) started->ticks,
                      (int64_t) ticks) };
  s->header.state = state;
}

int eventring_stock_advance(struct eventring_source *source)
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
      eventring_stock_end(s, EVENTRING_REPLACED, s->rings[i].newest);
      break;
    default:
      break;
    }
    more |= publish(s, i);
  }
  source->horizon = horizon;
  if (s->stopping && !more && !source->behind
      && s->header.state == EVENTRING_RUNNING)
    eventring_stock_end(s, EVENTRING_ENDED, s->stopped);
  return broken ? EVENTRING_E_DAMAGED : more;
}
