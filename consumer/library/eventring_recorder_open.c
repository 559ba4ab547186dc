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

/* The spans of a recording that are open, for receivers that join a stream.

   A stream goes on for longer than the rings, so the begin of a span may be gone
   from both when a receiver joins.  The recorder therefore follows the begins and
   ends of spans in the words of each segment, up to the horizon: a receiver that
   joins there gets the begins that have no end, and then the later events.

       segments   [ begin a  begin b ][ end b ... ][ ... horizon | later events ]
       open                                         a              for a receiver

   An end belongs to the latest begin of its id and thread in its ring, else of its
   id unless the span is the runtime's and the threads are known, as for readers
   (doc/FORMAT.md, section 4).  After a gap in a ring nothing is
   known to be open there; after a pause, or another change of the categories,
   nothing in any ring. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "eventring_recorder.h"
#include "eventring_recording.h"
#include "eventring_words.h"

_Static_assert(sizeof(struct eventring_open_span) == 48,
               "no padding, and doc/RECORDING.md");

/* The spans that may be open in a ring.  When there are more, none is known. */
#define RING_SPANS 1024

/* Of a ring. */
struct open_ring {
  struct eventring_open_span *list; /* outer spans before inner ones */
  uint32_t count, room;
  uint32_t domain;
  uint64_t position;            /* in the recording, of the next event */
  uint64_t events;              /* of the ring before that */
  struct eventring_open_span block; /* the fields that its events have from the
                                       header of its block */
};

enum kind { NOT_LOOKED_UP, NO_SPAN, RUNTIME_SPAN, PROGRAM_SPAN };

struct open_spans {
  uint8_t kinds[(size_t) 1 << EVENTRING_ID_BITS]; /* by id of events */
  int run_id, pause_id, resume_id; /* events; -1: not in the schema */
  uint64_t changed;             /* ticks of the last pause or resumption */
  uint32_t rings;               /* those with samples have no spans */
  struct eventring_open_span **sorted; /* see eventring_list_open */
  struct open_ring of[];
};

struct open_spans *eventring_new_open(const struct eventring_recorder *r)
{
  const struct eventring_header *h = &r->source->checked;
  struct open_spans *o = calloc(1, sizeof *o + h->rings * sizeof o->of[0]);
  if (o == NULL) return NULL;
  o->run_id = eventring_find(r->cursor, "thread_run");
  o->pause_id = eventring_find(r->cursor, "ring_pause");
  o->resume_id = eventring_find(r->cursor, "ring_resume");
  o->rings = h->rings;
  if (h->header_size >= EVENTRING_HEADER_1_5 && h->sample_rings_from > 0
      && h->sample_rings_from < h->rings)
    o->rings = h->sample_rings_from;
  for (uint32_t i = 0; i < o->rings; i++) {
    o->of[i].position = RECORDING_POSITION;
    o->of[i].block.ring = i;
  }
  return o;
}

void eventring_free_open(struct open_spans *o)
{
  if (o == NULL) return;
  for (uint32_t i = 0; i < o->rings; i++) free(o->of[i].list);
  free(o->sorted);
  free(o);
}

/* Events */

/* Takes the header of a block, at [words].  Forgets the spans of the ring when
   events are missing before the block, or the ring has passed to another
   domain. */
static void take_header(struct open_ring *ring, const uint64_t *words)
{
  const uint64_t who = words[EVENTRING_BLOCK_WHO];
  if (words[EVENTRING_BLOCK_EVENTS] != ring->events
      || (uint32_t) who != ring->domain)
    ring->count = 0;
  ring->events = words[EVENTRING_BLOCK_EVENTS];
  ring->domain = (uint32_t) who;
  ring->block.base = words[EVENTRING_BLOCK_TICKS];
  ring->block.ns = (int64_t) words[EVENTRING_BLOCK_NS];
  ring->block.who = who;
  ring->block.thread_id = -1;
}

/* Returns the kind of the events with the id [id].  An id without a description may
   be of a span, of the program or not. */
static enum kind kind_of(const struct eventring_recorder *r, uint32_t id)
{
  const struct eventring_description *d;
  const char *category;
  enum kind kind = NO_SPAN;
  if (r->open->kinds[id] != NOT_LOOKED_UP) return r->open->kinds[id];
  d = eventring_describe(r->cursor, id);
  if (d == NULL) return PROGRAM_SPAN;
  if (d->kind == EVENTRING_KIND_SPAN) {
    category = eventring_category(r->cursor, d->category);
    kind = category != NULL && strcmp(category, "user") == 0 ? PROGRAM_SPAN
                                                             : RUNTIME_SPAN;
  }
  r->open->kinds[id] = kind;
  return kind;
}

/* Adds the span that begins with the event word [word] and the [count] words of
   payload at [payload], of which one is kept. */
static void begin_span(const struct eventring_recorder *r,
                       struct open_ring *ring, uint64_t word,
                       const uint64_t *payload, uint32_t count)
{
  struct eventring_open_span *span;
  if (kind_of(r, EVENTRING_WORD_ID(word)) == NO_SPAN) return;
  if (ring->count == RING_SPANS) ring->count = 0;
  if (ring->count == ring->room) {
    const uint32_t room = ring->room == 0 ? 16 : 2 * ring->room;
    struct eventring_open_span *more = realloc(ring->list, room * sizeof *more);
    /* Without memory a receiver lacks the spans. */
    if (more == NULL) {
      ring->count = 0;
      return;
    }
    ring->list = more;
    ring->room = room;
  }
  span = &ring->list[ring->count++];
  *span = ring->block;
  span->word = EVENTRING_WORD(EVENTRING_WORD_ID(word), EVENTRING_FORM_BEGIN,
                              count > 0)
               | EVENTRING_WORD_TICKS(word) << EVENTRING_TICKS_SHIFT;
  span->payload = count > 0 ? payload[0] : 0;
}

/* Returns whether the span [open] may end in the thread of [block], which is not the
   thread in which it began. */
static int may_end_elsewhere(const struct eventring_recorder *r,
                             const struct eventring_open_span *open,
                             const struct eventring_open_span *block)
{
  return open->thread_id < 0 || block->thread_id < 0
         || kind_of(r, EVENTRING_WORD_ID(open->word)) != RUNTIME_SPAN;
}

/* Removes the span that ends with the id [id] in the present thread of [ring], if
   there is one. */
static void end_span(const struct eventring_recorder *r, struct open_ring *ring,
                     uint32_t id)
{
  uint32_t found = UINT32_MAX, latest = UINT32_MAX;
  for (uint32_t i = ring->count; i-- > 0 && found == UINT32_MAX; ) {
    if (EVENTRING_WORD_ID(ring->list[i].word) != id) continue;
    if (latest == UINT32_MAX) latest = i;
    if (ring->list[i].who == ring->block.who) found = i;
  }
  if (latest == UINT32_MAX) return;
  if (found == UINT32_MAX) {
    if (!may_end_elsewhere(r, &ring->list[latest], &ring->block)) return;
    found = latest;
  }
  ring->count--;
  if (found < ring->count)
    memmove(&ring->list[found], &ring->list[found + 1],
            (ring->count - found) * sizeof ring->list[0]);
}

/* Reads the next integer of a packed payload of [count] words at [words], from
   byte *byte on, and moves *byte behind it.  Returns UINT64_MAX when there is
   none. */
static uint64_t next_integer(const uint64_t *words, uint32_t count,
                             uint32_t *byte)
{
  uint64_t number = 0;
  for (uint32_t shift = 0; *byte < count * 8; shift += 7) {
    const uint64_t bits = words[*byte / 8] >> *byte % 8 * 8;
    ++*byte;
    if (shift < 64) number |= (bits & 0x7F) << shift;
    if ((bits & 0x80) == 0) return number;
  }
  return UINT64_MAX;
}

/* Takes an instant with the id [id] and the [count] words of payload at [payload],
   if it says which thread runs, or that recording was paused or resumed. */
static void take_instant(struct open_spans *o, struct open_ring *ring, int id,
                         uint64_t ticks, const uint64_t *payload,
                         uint32_t count)
{
  if (id == o->run_id) {
    uint32_t byte = 0;
    const uint64_t thread_id = next_integer(payload, count, &byte);
    const uint64_t thread = next_integer(payload, count, &byte);
    if (thread == UINT64_MAX) return;
    ring->block.thread_id = thread_id > INT32_MAX ? -1 : (int32_t) thread_id;
    ring->block.who = (uint32_t) ring->block.who | thread << 32;
  } else if (id == o->pause_id || id == o->resume_id) {
    if (ticks > o->changed) o->changed = ticks;
  }
}

/* Takes the events of a block up to time [horizon] in ticks: those of its [end]
   words at [words] from words[next] on.  Returns the place of the first event that
   was not taken; [block_words] at the end of the block. */
static uint32_t take_events(const struct eventring_recorder *r,
                            struct open_ring *ring, const uint64_t *words,
                            uint32_t next, uint32_t end, uint64_t horizon)
{
  const uint64_t base = ring->block.base;
  while (next < end) {
    const uint64_t word = words[next];
    const uint32_t id = EVENTRING_WORD_ID(word);
    uint32_t payload, count;
    if (id == 0) return r->source->checked.block_words;
    if (base + EVENTRING_WORD_TICKS(word) > horizon) return next;
    /* Damage: the next header tells that events are missing. */
    if (!eventring_find_payload(words, next, end, &payload, &count))
      return r->source->checked.block_words;
    switch (EVENTRING_WORD_FORM(word)) {
    case EVENTRING_FORM_BEGIN:
      begin_span(r, ring, word, words + payload, count);
      break;
    case EVENTRING_FORM_END:
      if (ring->count > 0) end_span(r, ring, id);
      break;
    case EVENTRING_FORM_INSTANT:
      take_instant(r->open, ring, (int) id, base + EVENTRING_WORD_TICKS(word),
                   words + payload, count);
      break;
    default: break;
    }
    ring->events++;
    next = payload + count;
  }
  return next;
}

void eventring_follow_open(struct eventring_recorder *r, uint32_t number,
                           uint64_t horizon)
{
  const struct copied *c = &r->rings[number];
  const uint64_t block_words = r->source->checked.block_words;
  const uint64_t last = eventring_horizon_block(r, c, horizon);
  struct open_ring *ring = &r->open->of[number];
  uint64_t at;
  if (number >= r->open->rings) return;
  for (at = ring->position - c->first; at < c->count; ) {
    const uint64_t block = at / block_words * block_words;
    const uint64_t left = c->count - block;
    const uint64_t *words = c->words + block;
    uint32_t next = (uint32_t) (at - block);
    if (block > last) break;
    if (next == 0) {
      take_header(ring, words);
      next = EVENTRING_BLOCK_HEADER_WORDS;
    }
    next = take_events(r, ring, words, next,
                       (uint32_t) (left < block_words ? left : block_words),
                       block == last ? horizon : UINT64_MAX);
    at = block + next;
    if (next < block_words) break;
  }
  ring->position = c->first + at;
}

/* Writing */

static uint64_t begin_ticks(const struct eventring_open_span *span)
{
  return span->base + EVENTRING_WORD_TICKS(span->word);
}

/* The spans of a ring are in one array, outer ones first. */
static int older_first(const void *a, const void *b)
{
  const struct eventring_open_span *x =
    *(const struct eventring_open_span *const *) a;
  const struct eventring_open_span *y =
    *(const struct eventring_open_span *const *) b;
  const uint64_t x_ticks = begin_ticks(x), y_ticks = begin_ticks(y);
  if (x_ticks != y_ticks) return x_ticks < y_ticks ? -1 : 1;
  if (x->ring != y->ring) return x->ring < y->ring ? -1 : 1;
  return (x > y) - (x < y);
}

/* Returns the ticks of the last change of the categories: spans from before it may
   have ended without an event. */
static uint64_t last_change(const struct eventring_recorder *r)
{
  const struct eventring_header *now = r->source->header;
  uint64_t last = r->open->changed;
  if (r->source->checked.header_size
      < offsetof(struct eventring_header, marks) + sizeof now->marks)
    return last;
  for (int i = 0; i < EVENTRING_MARKS; i++) {
    const uint64_t ticks = __atomic_load_n(&now->marks[i], __ATOMIC_RELAXED);
    if (ticks > last && ticks <= r->horizon) last = ticks;
  }
  return last;
}

uint32_t eventring_list_open(struct eventring_recorder *r)
{
  struct open_spans *o = r->open;
  const uint64_t since = last_change(r);
  uint32_t count = 0;
  size_t room = 0;
  for (uint32_t i = 0; i < o->rings; i++) room += o->of[i].count;
  free(o->sorted);
  o->sorted = malloc((room + 1) * sizeof *o->sorted);
  if (o->sorted == NULL) return 0;
  for (uint32_t i = 0; i < o->rings; i++)
    for (uint32_t k = 0; k < o->of[i].count; k++)
      if (begin_ticks(&o->of[i].list[k]) > since)
        o->sorted[count++] = &o->of[i].list[k];
  qsort(o->sorted, count, sizeof *o->sorted, older_first);
  return count < RECORDING_MAX_OPEN ? count : RECORDING_MAX_OPEN;
}

void eventring_copy_open(const struct eventring_recorder *r,
                         struct eventring_open_span *to, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) to[i] = *r->open->sorted[i];
}
