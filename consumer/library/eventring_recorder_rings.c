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

/* The words of the rings that a recorder has copied, and the numbers of events
   in them. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "eventring_recorder.h"
#include "eventring_words.h"

/* Copied of a ring at once, before it is the turn of the others. */
#define TURN_WORDS ((uint64_t) 1 << 16)

/* Buffers are judged by what so many segments have used. */
#define JUDGED_SEGMENTS 4

/* Bytes of a buffer for chunks that are too few to be given back. */
#define SMALL_BUFFER ((size_t) 1 << 16)

/* How often a round runs after the writer of a ring. */
#define MAX_OVERTAKEN 16

uint64_t eventring_last_block(const struct eventring_recorder *r,
                              uint64_t count)
{
  const uint64_t block_words = r->source->checked.block_words;
  return count == 0 ? 0 : (count - 1) / block_words * block_words;
}

/* Returns the number of events in one block of the copied words of ring [c], up
   to time [horizon] in ticks.  The block begins at c->words[block]; only words
   before c->words[end] count.  Like the reader, the function leaves a damaged
   block at the damage. */
static uint64_t count_events(const struct eventring_recorder *r,
                             const struct copied *c, uint64_t block,
                             uint64_t end, uint64_t horizon)
{
  const uint64_t *words = c->words + block;
  const uint32_t block_words = r->source->checked.block_words;
  uint32_t size = end - block < block_words ? (uint32_t) (end - block)
                                            : block_words;
  uint32_t i = EVENTRING_BLOCK_HEADER_WORDS;
  uint64_t events = 0;
  while (i < size && EVENTRING_WORD_ID(words[i]) != 0
         && words[EVENTRING_BLOCK_TICKS] + EVENTRING_WORD_TICKS(words[i])
            <= horizon) {
    uint32_t payload, count;
    if (!eventring_find_payload(words, i, size, &payload, &count)) break;
    i = payload + count;
    events++;
  }
  return events;
}

/* Returns the number of events that the ring had before position c->words[end],
   which must be a block boundary of the copied words; 0 when [end] is 0. */
static uint64_t events_before(const struct eventring_recorder *r,
                              const struct copied *c, uint64_t end)
{
  uint64_t block = eventring_last_block(r, end);
  return end == 0 ? 0 : c->words[block + EVENTRING_BLOCK_EVENTS]
                        + count_events(r, c, block, end, UINT64_MAX);
}

/* Returns the number of events that the recorder could not copy between the
   block that begins at c->words[block] and the block before it.  For block 0
   these are the events between the beginning of the file, c->begin, and the
   block; 0 when c->begin has no known number of events, or when c->words no
   longer has the first block of the recording. */
static uint64_t gap_before(const struct eventring_recorder *r,
                           const struct copied *c, uint64_t block)
{
  uint64_t before = events_before(r, c, block);
  uint64_t index = c->words[block + EVENTRING_BLOCK_EVENTS];
  /* The first block of all: events before the recorder are not missing. */
  if (block == 0) before = c->first > RECORDING_POSITION ? RECORDING_ANY
                           : c->begin.index;
  return index > before ? index - before : 0;
}

/* Updates c->events and c->lost when a block begins at c->words[at]: adds the
   events of the block before it, and the events missing between the two blocks.
   At the first block, subtracts its events before c->begin, which are not to be
   recorded. */
static void count_block(const struct eventring_recorder *r, struct copied *c,
                        uint64_t at)
{
  uint64_t index = c->words[at + EVENTRING_BLOCK_EVENTS];
  c->lost += gap_before(r, c, at);
  if (at > 0)
    c->events +=
      count_events(r, c, eventring_last_block(r, at), at, UINT64_MAX);
  else if (c->begin.index != RECORDING_ANY && index < c->begin.index)
    /* The block begins with some that are not to be recorded. */
    c->events -= c->begin.index - index;
}

struct mark eventring_mark_of(const struct eventring_recorder *r,
                           const struct copied *c, uint64_t horizon)
{
  struct mark m = c->begin;
  uint64_t block;
  if (c->count == 0) return m;
  block = eventring_last_block(r, c->count);
  m.events = c->events;
  m.lost = c->lost;
  while (block > 0 && c->words[block + EVENTRING_BLOCK_TICKS] > horizon) {
    m.lost -= gap_before(r, c, block);
    block -= r->source->checked.block_words;
    m.events -= count_events(r, c, block, c->count, UINT64_MAX);
  }
  if (c->words[block + EVENTRING_BLOCK_TICKS] > horizon) {
    m.lost -= gap_before(r, c, block);
    /* Its events are none of the ring's so far. */
    if (c->first == RECORDING_POSITION) return m.index = c->begin.index, m;
    m.index = c->words[block + EVENTRING_BLOCK_EVENTS];
    return m;
  }
  m.index = count_events(r, c, block, c->count, horizon);
  m.events += m.index;
  m.index += c->words[block + EVENTRING_BLOCK_EVENTS];
  return m;
}

/* Enlarges c->words, if necessary, so that at least one more block fits after
   the block that the last copied word is in.  Returns 0 or the error that
   stopped the recorder. */
static int grow(struct eventring_recorder *r, struct copied *c)
{
  uint64_t capacity = c->capacity * 2 + 4 * r->source->checked.block_words;
  uint64_t *more;
  if (c->count + 2 * r->source->checked.block_words <= c->capacity) return 0;
  more = realloc(c->words, capacity * sizeof *more);
  if (more == NULL)
    return eventring_give_up(r, EVENTRING_E_MEMORY, "cannot record");
  c->words = more;
  c->capacity = capacity;
  return 0;
}

/* Appends the new words of ring [i] to the copied words, as many as one turn
   allows: TURN_WORDS of this ring, and WAITING_WORDS of all rings.  Where the
   writer has overwritten words, ends the copied block with zeros and goes on at
   the oldest block; stops for this turn when that happens MAX_OVERTAKEN times,
   or when the ring's slot is damaged.  Updates the counts of words, events and
   lost events.  Sets held_back of the ring to 1 when the ring has more words,
   else to 0.  Returns 0 or the error that stopped the recorder. */
static int copy_ring(struct eventring_recorder *r, uint32_t i)
{
  struct copied *c = &r->rings[i];
  const uint64_t block_words = r->source->checked.block_words;
  const uint64_t enough = c->count + TURN_WORDS;

  c->held_back = 0;
  for (int overtaken = 0; overtaken < MAX_OVERTAKEN;) {
    uint64_t position = c->position, in_block = position % block_words;
    uint64_t at = c->count;
    uint64_t *block;
    int words;

    if (c->count >= enough || r->words >= WAITING_WORDS) {
      c->held_back = eventring_tail(r->cursor, i) > c->position;
      return 0;
    }
    if (grow(r, c) < 0) return r->failed;
    /* In step: a block of the ring is a block of ours. */
    block = c->words + (c->count - in_block);
    words = eventring_copy_block(r->cursor, i, &position, block);
    /* A damaged slot has no words; others may. */
    if (words <= 0) return 0;
    if (position != c->position) {
      /* Overtaken.  The words copied so far end the block. */
      if (in_block != 0) {
        memset(block + in_block, 0, (block_words - in_block) * 8);
        c->count += block_words - in_block;
        r->words += block_words - in_block;
      }
      c->position = position;
      overtaken++;
      continue;
    }
    c->count += (uint64_t) words;
    c->position += (uint64_t) words;
    r->words += (uint64_t) words;
    r->copied += (uint64_t) words;
    if (in_block == 0) {
      if (words <= EVENTRING_BLOCK_HEADER_WORDS) {
        /* No writer does that.  Readers of the file shall see the damage. */
        uint64_t rest = block_words - (uint64_t) words;
        memset(block + words, 0, rest * 8);
        c->count += rest;
        c->position += rest;
      }
      count_block(r, c, at);
    }
  }
  return 0;
}

uint64_t eventring_horizon_block(const struct eventring_recorder *r,
                              const struct copied *c, uint64_t horizon)
{
  const uint64_t block_words = r->source->checked.block_words;
  uint64_t at = eventring_last_block(r, c->count);
  while (at > 0 && c->words[at + EVENTRING_BLOCK_TICKS] > horizon)
    at -= block_words;
  return at;
}

int eventring_copy_rings(struct eventring_recorder *r)
{
  int more = 0;
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    if (copy_ring(r, i) < 0) return r->failed;
    more |= r->rings[i].held_back;
  }
  return more;
}

void eventring_give_back(struct eventring_recorder *r)
{
  const uint32_t rings = r->source->checked.rings;
  for (uint32_t i = 0; i < rings; i++)
    if (r->rings[i].count > r->rings[i].used)
      r->rings[i].used = r->rings[i].count;
  if (++r->segments < JUDGED_SEGMENTS) return;
  r->segments = 0;
  for (uint32_t i = 0; i < rings; i++) {
    struct copied *c = &r->rings[i];
    const uint64_t room = 2 * c->used + 4 * r->source->checked.block_words;
    uint64_t *less = NULL;
    if (c->capacity > 2 * room) less = realloc(c->words, room * sizeof *less);
    if (less != NULL) {
      c->words = less;
      c->capacity = room;
    }
    c->used = 0;
  }
  if (r->raw_capacity > 4 * r->raw_used + SMALL_BUFFER) {
    free(r->raw);
    r->raw = NULL;
    r->raw_capacity = 0;
  }
  r->raw_used = 0;
}
