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

/* The reader: copies blocks, decodes events, merges rings in order of time.

   The writer of a ring knows nothing of its readers and overwrites the oldest
   block when it needs room.  So a reader never looks at an event in the
   mapped file: it copies the rest of one block to memory of its own, asks
   whether the writer has meanwhile come round to that block, and decodes the
   copy if not.

        mapped file                     cursor, private memory
     +-----+-----+-----+-----+   fetch    +-----------------+   decode
     |     |block|     |     |  ------->  | copy of a block |  -------> events
     +-----+-----+-----+-----+            +-----------------+
              ^ position                      ^ next    ^ end

   Positions count the words of a ring since it began and never wrap.  [fetch]
   copies from [position] to the tail of the ring, at most to the end of the
   block.  It is called only when every event of the last copy has been
   returned, and never for a ring of which the present call has returned an
   event: the payloads of events point into the copy.  A packed payload is
   unpacked as its event is decoded, to memory of its own, which is valid as
   long as the copy.

   A block is overwritten as a whole, in the sense that [reserve] moves by whole
   blocks and before the first word of the block changes: a copy of one block is
   either all good or to be dropped.  The header of every block says how many
   events the ring had before it, so the number of events lost is the difference
   to the number that this reader expected, for any reason.

   The reading of all rings in order of time goes in passes.  A pass begins by
   reading the clock: the horizon.  Tails are loaded after that, so every event
   of any ring with a time up to the horizon is visible to this pass; events
   behind the horizon wait for the next pass.  Rings with something to return
   are in a heap, ordered by the time of their next event.  A ring that has
   nothing new costs one load a pass.

   All of this works on a source, see eventring_source.h: the mapped file of a
   ring, or memory with the same layout, made from another format.

   The file is not trusted.  Sizes are read from the checked copy of its header;
   a place in a ring is a position modulo the ring's size; a length is compared
   with the end of the copy.  A slot with contradictory words has nothing to
   read, and a block that no writer writes is left at once: each call ends after
   a bounded number of steps.  One failure is beyond a reader of mapped memory:
   when another process cuts the file shorter while it is open, the reader gets
   a SIGBUS.  To ask for the size before each copy would only make that rarer,
   and signals belong to the program: the command catches this one
   (tools/sigbus.c), and in a program of Eventring's OCaml the runtime does
   (eventring_hooks.h). */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "eventring_cursor.h"
#include "eventring_words.h"

/* How often [fetch] runs after a writer that overtakes it, in one call. */
#define MAX_OVERTAKEN 16

/* Time that a writer is given between reading the clock and publishing.  Its
   stores have been seen 330 ns late, where the reader holds their lines. */
#define GRACE_NS 1000

/* Forms go from the file to the user as they are. */
_Static_assert(EVENTRING_MAX_EVENT_WORDS
               == UNPACKED * EVENTRING_MAX_BLOCK_WORDS,
               "a block of one packed payload");
_Static_assert(EVENTRING_EV_BEGIN == (int) EVENTRING_FORM_BEGIN
               && EVENTRING_EV_END == (int) EVENTRING_FORM_END
               && EVENTRING_EV_COUNTER == (int) EVENTRING_FORM_COUNTER
               && EVENTRING_EV_INSTANT == (int) EVENTRING_FORM_INSTANT
               && EVENTRING_EV_LOST > (int) EVENTRING_FORM_INSTANT,
               "forms of eventring_reader.h and eventring_format.h");

/* Reading one ring */

/* Returns 1 when all events and losses of the last copy of ring [r] were
   returned. */
static int drained(const struct ring *r)
{
  return r->next == r->end && !r->lost_pending;
}

/* Drops the rest of the copied block of ring [r] and moves [position] to the
   next block. */
static void leave_block(const struct eventring_cursor *c, struct ring *r)
{
  r->next = r->end;
  r->position = r->block + c->header.block_words;
}

/* Checks that an event begins at copy[next] of ring [r].  If not, drops the
   rest of the copied block and moves [position] to the next block; sets
   [damaged] unless the words there are padding.  Afterwards the copy is empty
   (next == end) or an event is next. */
static void settle(const struct eventring_cursor *c, struct ring *r)
{
  uint32_t payload, words;
  if (r->next == r->end) return;
  if (EVENTRING_WORD_ID(r->copy[r->next]) == 0) {
    if (r->copy[r->next] != 0) r->damaged = 1;
    leave_block(c, r);
  } else if (!eventring_find_payload(r->copy, r->next, r->end, &payload,
                                     &words)) {
    r->damaged = 1;
    leave_block(c, r);
  }
}

/* Sets the fields of ring [ring] for a new block (count of events, domain,
   thread, times) from the block header that was just copied; lets a loss be
   returned when events are missing before the block, and sets [damaged] when
   the header counts fewer events than were before it.  Returns 1; or 0, with
   the fields unchanged, when no writer can have written the header. */
static int begin_block(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];
  uint64_t events = r->copy[EVENTRING_BLOCK_EVENTS];
  uint64_t first = r->anew && events < r->skip ? r->skip : events;
  /* Losses among the events that were returned before were, too. */
  uint64_t had = r->index > r->had ? r->index : r->had;
  uint64_t who = r->copy[EVENTRING_BLOCK_WHO];

  /* Every event is a word at least, and in the rings themselves every block has
     one: but where a file was cut, there are zeros. */
  if (events > r->block
      || (events == 0 && r->block > 0 && c->source->advance == NULL))
    return 0;
  if (r->index_known && first > had) {
    r->lost_word = first - had;
    r->lost_pending = 1;
  } else if (r->index_known && first < r->index && !r->anew) {
    /* A block before has told more events than there were. */
    r->damaged = 1;
  }
  r->index = events;
  r->index_known = 1;
  r->anew = 0;
  r->domain = (uint32_t) who;
  r->thread = (uint32_t) (who >> 32);
  r->thread_id = -1;

  eventring_fit_block(c, ring);
  return 1;
}

static void copy_words(uint64_t *to, const uint64_t *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

int eventring_copy_block(struct eventring_cursor *c, uint32_t ring,
                         uint64_t *position, uint64_t *to)
{
  const struct eventring_slot *slot = slot_of(c, ring);
  const uint64_t lap = c->source->lap;
  const uint64_t block_words = c->header.block_words;
  uint64_t block = block_of(c, *position), first = *position - block;
  uint64_t tail = load_tail(c, ring), oldest = c->source->rings[ring].first;
  uint64_t end, reserve;

  if (tail <= *position) return 0;
  end = tail - block < block_words ? tail - block : block_words;
  if (block >= oldest)
    copy_words(to + first, words_at(c, ring, block + first), end - first);
  /* Acquire, paired with the release fence that the writer has between
     [reserve] and the words of a new block: if any of the words copied is of
     a later lap, the [reserve] that covers it must be seen after it. */
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  /* Acquire, paired with the release of [reserve]: a reader that goes on at its
     oldest block must see the tail in there, or would take the slot for
     damaged. */
  reserve = __atomic_load_n(&slot->reserve, __ATOMIC_ACQUIRE);

  /* A tail is never seen without the [reserve] above it. */
  if (UNLIKELY(reserve < tail || reserve > MAX_POSITION
               || reserve % block_words != 0))
    return EVENTRING_E_DAMAGED;
  if (reserve > lap && oldest < reserve - lap) oldest = reserve - lap;
  if (block < oldest) *position = oldest;
  return (int) (end - first);
}

/* Copies the words of ring [ring] from [position] to the end of the block
   there, or to the end of the ring's words.  The ring must be drained: no event
   of the last copy is left to be returned.  Afterwards the ring has an event, a
   loss or damage to return, or is still drained because the ring has no new
   words, its writer has overtaken the copy MAX_OVERTAKEN times, or its slot is
   damaged and this was returned already.  Also reads new entries of the
   schema. */
static void fetch(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];

  for (int tries = 0; tries < MAX_OVERTAKEN; tries++) {
    uint64_t position = r->position;
    uint32_t first = (uint32_t) (position - block_of(c, position));
    int words = eventring_copy_block(c, ring, &position, r->copy);

    if (words <= 0) {
      /* With 0, [reserve], seen before, was over a lap ahead of this tail. */
      if ((words < 0 || tries > 0) && !r->slot_damaged)
        r->damaged = r->slot_damaged = 1;
      return;
    }
    r->slot_damaged = 0;
    if (position != r->position) {
      /* Overtaken.  The oldest whole block says how many events are gone. */
      r->position = position;
      continue;
    }
    /* The entries of the events just copied were published before them. */
    eventring_read_schema(c);

    r->block = position - first;
    r->position = position + (uint32_t) words;
    r->end = first + (uint32_t) words;
    r->next = first;
    if (first == 0) {
      /* No writer publishes a block without an event. */
      if (r->end <= EVENTRING_BLOCK_HEADER_WORDS || !begin_block(c, ring)) {
        r->damaged = 1;
        leave_block(c, r);
        return;
      }
      r->next = EVENTRING_BLOCK_HEADER_WORDS;
      settle(c, r);
      if (r->next == r->end) r->damaged = 1;
      return;
    }
    settle(c, r);
    if (r->next < r->end || r->damaged) return;
    /* Padding: there is a next block. */
  }
}

/* Converts a duration in ticks to nanoseconds, at the clock rate of the block
   in the copy of ring [r].  Returns at most INT64_MAX; exact to the 53 bits of
   a double, unless a tick is 1 ns. */
static uint64_t duration_ns(const struct ring *r, uint64_t ticks)
{
  /* Beyond 2^53 a double has not all of the digits. */
  double ns = (double) ticks * r->ns_per_tick;
  if (ns >= 9.2e18) return INT64_MAX;
  return r->ns_per_tick == 1 ? ticks : (uint64_t) ns;
}

/* Replaces the addresses among the [n] integers at [to], each of which is the
   difference to the integer before it of the same field, by the addresses. */
static void add_differences(const struct layout *layout, uint64_t *to,
                            uint32_t n)
{
  uint64_t before[MAX_FIELDS] = { 0 };
  for (uint32_t i = 0, place = 0; i < n && place < layout->places; i++) {
    if ((layout->addresses >> place & 1) != 0)
      to[i] = before[place] += to[i] >> 1 ^ -(to[i] & 1);
    if (++place == layout->places && layout->repeats != 0)
      place = layout->repeats - 1u;
  }
}

/* Unpacks the payload of an event with id [id], the [words] words from
   copy[payload] on.  Writes the integers to r->unpacked[UNPACKED * payload] and
   following, durations in nanoseconds, addresses as such, and returns the
   number of integers.  Drops the bits of an integer beyond 64, and an integer
   that does not end. */
static uint32_t unpack(const struct eventring_cursor *c, struct ring *r,
                       uint32_t id, uint32_t payload, uint32_t words)
{
  const struct layout *layout = &c->schema.layouts[id];
  uint64_t *to = r->unpacked + (size_t) UNPACKED * payload;
  uint64_t number = 0;
  uint32_t n = 0, shift = 0;

  for (uint32_t i = 0; i < words; i++) {
    uint64_t word = r->copy[payload + i];
    for (int byte = 0; byte < 8; byte++, word >>= 8) {
      if (shift < 64) number |= (word & 0x7F) << shift;
      shift += 7;
      if ((word & 0x80) == 0) {
        to[n++] = number;
        number = 0;
        shift = 0;
      }
    }
  }
  if (layout->ticks != 0)
    for (uint32_t i = 0, place = 0; i < n && place < layout->places; i++) {
      if ((layout->ticks >> place & 1) != 0) to[i] = duration_ns(r, to[i]);
      if (++place == layout->places && layout->repeats != 0)
        place = layout->repeats - 1u;
    }
  if (layout->addresses != 0) add_differences(layout, to, n);
  return n;
}

/* Unpacks the payload of event [e], the words from copy[payload] on, and lets
   e->payload point to the integers.  An event "thread_run" also sets the thread
   of [e] and of the events after it in the block.  Called for the ids that have
   a value in [special]. */
__attribute__((noinline))
static void decode_special(const struct eventring_cursor *c, struct ring *r,
                           struct eventring_event *e, uint32_t payload)
{
  e->words = unpack(c, r, e->id, payload, e->words);
  e->payload = r->unpacked + (size_t) UNPACKED * payload;
  if ((c->schema.special[e->id] & THREAD_RUN) != 0 && e->words >= 2) {
    e->thread_id = r->thread_id =
      e->payload[0] > INT32_MAX ? -1 : (int32_t) e->payload[0];
    e->thread = r->thread = (uint32_t) e->payload[1];
  }
}

/* Decodes events of ring [ring] from the copy into [events], at most [max],
   which is not 0, and none with a time after [limit] in ticks.  A pending loss
   is the first of them.  Returns the number of events, which is 0 when all are
   after [limit] or the ring is drained.  Adds the events to the counts of the
   ring, and sets [damaged] when the word after them is neither an event nor
   padding. */
static int decode(struct eventring_cursor *c, uint32_t ring,
                  struct eventring_event *events, int max, uint64_t limit)
{
  struct ring *r = &c->rings[ring];
  const uint64_t *copy = r->copy;
  const uint64_t base = r->ticks;
  const int64_t base_ns = r->ns;
  const double ns_per_tick = r->ns_per_tick;
  const uint8_t *special = c->schema.special;
  const uint32_t domain = r->domain, end = r->end;
  uint32_t next = r->next;
  struct eventring_event *e = events, *full = events + max, *first;

  if (UNLIKELY(r->lost_pending)) {
    if (base > limit) return 0;
    *e++ = (struct eventring_event) {
      .ns = base_ns, .ticks = base, .payload = &r->lost_word, .words = 1,
      .ring = ring, .domain = domain, .thread = r->thread, .thread_id = -1,
      .form = EVENTRING_EV_LOST };
    r->lost += r->lost_word;
    r->lost_pending = 0;
    r->batch = c->batch;
  }
  first = e;
  while (e < full && next < end) {
    uint64_t word = copy[next];
    uint64_t delta = EVENTRING_WORD_TICKS(word);
    uint32_t id = EVENTRING_WORD_ID(word);
    uint32_t words, payload;

    if (base + delta > limit) break;
    if (UNLIKELY(id == 0)) break;
    if (!eventring_find_payload(copy, next, end, &payload, &words)) break;
    *e++ = (struct eventring_event) {
      .ns = (int64_t) ((uint64_t) base_ns
                       + (uint64_t) (int64_t) ((double) (int64_t) delta
                                               * ns_per_tick)),
      .ticks = base + delta, .payload = copy + payload, .words = words,
      .ring = ring, .domain = domain, .thread = r->thread,
      .id = (uint16_t) id, .form = (uint8_t) EVENTRING_WORD_FORM(word),
      .thread_id = r->thread_id };
    next = payload + words;
    if (words > 0 && special[id] != 0) decode_special(c, r, &e[-1], payload);
  }
  r->next = next;
  if (UNLIKELY(r->latest_ns != INT64_MAX))
    for (struct eventring_event *late = first; late < e; late++)
      if (late->ns > r->latest_ns) late->ns = r->latest_ns;
  if (e > first) {
    r->index += (uint64_t) (e - first);
    r->read += (uint64_t) (e - first);
    r->batch = c->batch;
    r->last_ticks = e[-1].ticks;
    r->last_ns = e[-1].ns;
  }
  settle(c, r);
  return (int) (e - events);
}

/* Makes the source show more words, after telling it the position that each
   ring still needs.  Returns EVENTRING_MORE, EVENTRING_ANEW, 0 when there are
   no more words (always for a ring file, where words appear by themselves), or
   a negative error. */
static int advance(struct eventring_cursor *c)
{
  if (c->source->advance == NULL) return 0;
  for (uint32_t i = 0; i < c->header.rings; i++)
    c->source->rings[i].needed = c->rings[i].position;
  return c->source->advance(c->source);
}

int eventring_read_ring(struct eventring_cursor *c, uint32_t ring,
                        struct eventring_event *events, int max)
{
  struct ring *r;
  if (c == NULL || events == NULL || max < 0 || ring >= c->header.rings)
    return EVENTRING_E_ARGUMENT;
  if (max == 0) return 0;
  if (!c->source->live) return EVENTRING_E_ARGUMENT;
  r = &c->rings[ring];
  c->batch++;
  if (drained(r) && !r->damaged) {
    if (load_tail(c, ring) <= r->position) {
      int more = advance(c);
      if (more < 0) return more;
    }
    fetch(c, ring);
  }
  if (r->damaged) {
    r->damaged = 0;
    return EVENTRING_E_DAMAGED;
  }
  return decode(c, ring, events, max, UINT64_MAX);
}

/* Reading all rings in order of time */

static int before(struct waiting a, struct waiting b)
{
  return a.ticks < b.ticks || (a.ticks == b.ticks && a.ring < b.ring);
}

/* Restores the order of the heap, which must not be empty, after the [ticks] of
   the top element has grown, by moving this element down. */
static void sift_down(struct eventring_cursor *c)
{
  struct waiting *heap = c->heap;
  struct waiting moving = heap[0];
  uint32_t i = 0, child;
  while ((child = 2 * i + 1) < c->waiting) {
    if (child + 1 < c->waiting && before(heap[child + 1], heap[child]))
      child++;
    if (!before(heap[child], moving)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moving;
}

static void pop(struct eventring_cursor *c)
{
  c->waiting--;
  if (c->waiting > 0) {
    c->heap[0] = c->heap[c->waiting];
    sift_down(c);
  }
}

static void push(struct eventring_cursor *c, struct waiting w)
{
  struct waiting *heap = c->heap;
  uint32_t i = c->waiting++;
  while (i > 0 && before(w, heap[(i - 1) / 2])) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = w;
}

/* Returns the ticks of the next event or loss of ring [r], or 0, which puts the
   ring first in the heap, when damage is to be returned.  The ring must not be
   drained unless it is damaged. */
static uint64_t next_ticks(const struct ring *r)
{
  if (UNLIKELY(r->damaged)) return 0;
  if (UNLIKELY(r->lost_pending)) return r->ticks;
  return r->ticks + EVENTRING_WORD_TICKS(r->copy[r->next]);
}

/* Returns the ticks up to which all events of all rings are visible after the
   call: the horizon of a source with [advance]; UINT64_MAX when the process has
   ended or its clock cannot be read here; else the time at the beginning of the
   call, after which the function waits GRACE_NS, in which writers that read the
   clock before publish their events. */
uint64_t eventring_horizon(struct eventring_cursor *c)
{
  uint64_t now, grace = (uint64_t) (GRACE_NS / c->clock.ns_per_tick);
  if (c->source->advance != NULL) return c->source->horizon;
  if (!c->own_clock || c->gone
      || __atomic_load_n(&c->shared->state, __ATOMIC_RELAXED)
         != EVENTRING_RUNNING)
    return UINT64_MAX;
  now = eventring_read_clock(c->header.clock);
  /* A writer reads the clock some nanoseconds before it publishes. */
  for (int i = 0; i < 1000; i++)
    if (eventring_read_clock(c->header.clock) - now >= grace) break;
  return now;
}

static int later_first(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x < y) - (x > y);
}

/* Reads the ticks of mark [number] in the header, which tells of a change of
   the mask of categories, and adds them to c->changes.  When the program that
   made the mark has not stored the ticks yet, adds the present ticks, or
   nothing if the clock cannot be read here.  c->changes must have room. */
static void take_mark(struct eventring_cursor *c, uint64_t number)
{
  uint64_t place = number % EVENTRING_MARKS;
  uint64_t ticks = __atomic_load_n(&c->shared->marks[place], __ATOMIC_RELAXED);
  if (ticks <= c->marks[place]) {
    if (!c->own_clock) return;
    ticks = eventring_read_clock(c->header.clock);
  }
  c->marks[place] = c->changes[c->changes_left++] = ticks;
}

/* Adds to c->changes the ticks of the changes of the mask of categories that
   were marked in the header since the last call.  The elements are sorted, the
   earliest last.  When there are more marks than c->changes can hold, the
   newest are added; the others are dropped. */
static void take_changes(struct eventring_cursor *c)
{
  uint64_t made = __atomic_load_n(&c->shared->marks_made, __ATOMIC_ACQUIRE);
  uint64_t first = c->marks_seen;
  if (made <= first) return;
  if (made - first > EVENTRING_MARKS - c->changes_left)
    first = made - (EVENTRING_MARKS - c->changes_left);
  for (; first < made; first++) take_mark(c, first);
  qsort(c->changes, c->changes_left, sizeof c->changes[0], later_first);
  c->marks_seen = made;
}

/* Returns the ticks of the next change of the mask of categories to be
   returned, or UINT64_MAX when there is none. */
static uint64_t next_change(const struct eventring_cursor *c)
{
  return c->changes_left == 0 ? UINT64_MAX : c->changes[c->changes_left - 1];
}

/* Returns 1 when the change at [change] ticks, which is up to the horizon, must
   wait for events before it.  Unless the source has no [more] words now, the next
   ones may have such events: an interval of a recording knows all changes until
   it was recorded, also those after its last event or after the end of a cut. */
static int change_waits(const struct eventring_cursor *c, uint64_t change,
                        int more)
{
  const struct eventring_source *s = c->source;
  if (c->waiting > 0 && change > c->heap[0].ticks) return 1;
  return more && (c->waiting == 0
                  || (s->from_ns != s->to_ns
                      && eventring_to_ns(c, change) >= s->to_ns));
}

/* Resets the rings of the cursor, and measures its clock again, when the source
   has returned EVENTRING_ANEW: all rings begin anew with other words.  Since
   the number of events returned of each ring is known, these events are not
   returned again. */
static void begin_anew(struct eventring_cursor *c)
{
  for (uint32_t i = 0; i < c->header.rings; i++) {
    const struct eventring_words *w = &c->source->rings[i];
    struct ring *r = &c->rings[i];
    r->next = r->end = 0;
    r->lost_pending = r->damaged = r->slot_damaged = 0;
    r->position = w->first;
    /* Events between two cuts are not lost, and may come later. */
    if (r->cut) r->index_known = 0;
    if (r->cut || w->from < r->since) r->since = 0;
    r->cut = 0;
    r->had = r->skip = r->index = eventring_ring_place(r);
    if (w->from != UINT64_MAX && w->from >= r->skip) {
      if (!r->index_known) r->index = r->since = w->from;
      r->index_known = 1;
      r->skip = w->from;
    }
    r->anew = 1;
  }
  c->clock.baseline = 0;
  c->clock.piecewise = 0;
  eventring_calibrate(c);
}

/* Lets the spans that were open where the source begins be returned before all
   events, when the source begins anew.  Later such spans are left out: they began
   before events that were returned already. */
static void begin_open(struct eventring_cursor *c)
{
  c->open_next = 0;
  c->open_count = c->wants_open && c->last_ns == INT64_MIN
                  ? c->source->open_count : 0;
}

/* Returns the ticks of the begin of the next open span, or UINT64_MAX when there is
   none. */
static uint64_t next_open(const struct eventring_cursor *c)
{
  const struct eventring_open_span *o =
    &c->source->open_spans[c->open_next];
  return c->open_next >= c->open_count ? UINT64_MAX
         : o->base + EVENTRING_WORD_TICKS(o->word);
}

/* Writes the next open span to *event.  Returns 1, or 0 when no recorder writes
   such a span. */
static int take_open(struct eventring_cursor *c, struct eventring_event *event)
{
  const struct eventring_open_span *o =
    &c->source->open_spans[c->open_next++];
  const uint64_t delta = EVENTRING_WORD_TICKS(o->word);
  const uint32_t words = EVENTRING_WORD_LENGTH(o->word);
  if (o->ring >= c->header.rings || EVENTRING_WORD_ID(o->word) == 0
      || words > 1) return 0;
  *event = (struct eventring_event) {
    .ns = (int64_t) ((uint64_t) eventring_block_to_ns(c, o->base, o->ns)
                     + (uint64_t) (int64_t) ((double) (int64_t) delta
                                             * c->clock.ns_per_tick)),
    .ticks = o->base + delta, .payload = &o->payload, .words = words,
    .ring = o->ring, .domain = (uint32_t) o->who,
    .thread = (uint32_t) (o->who >> 32),
    .id = (uint16_t) EVENTRING_WORD_ID(o->word), .form = EVENTRING_EV_OPEN,
    .thread_id = o->thread_id };
  return 1;
}

/* Begins a pass over the rings: makes the source show more words, sets the
   horizon, copies words of each drained ring that has new ones, and puts the
   rings with something to return into the heap.  Returns 0 when the source had
   no more words, a positive number when it had, or a negative error: of the source,
   after which the heap is as it was, or EVENTRING_E_TRUNCATED. */
static int begin_pass(struct eventring_cursor *c)
{
  int more = advance(c);
  if (more < 0) return more;
  if (more == EVENTRING_ANEW) {
    begin_anew(c);
    begin_open(c);
  }
  if (c->wants_changes) take_changes(c);
  c->horizon = eventring_horizon(c);
  c->waiting = 0;
  for (uint32_t i = 0; i < c->header.rings; i++) {
    struct ring *r = &c->rings[i];
    if (drained(r) && !r->damaged) {
      if (load_tail(c, i) <= r->position) continue;
      fetch(c, i);
      if (drained(r) && !r->damaged) continue;
    }
    push(c, (struct waiting) { next_ticks(r), i });
  }
  if (UNLIKELY(eventring_cut_at(c->source) != 0)) {
    c->waiting = 0;
    return EVENTRING_E_TRUNCATED;
  }
  return more;
}

/* Raises the times of those events in [events], the next [count] of the merged
   order and all of one ring, that are before the time of the last event
   returned though their ticks are not.  Such steps back occur between two rings
   because nanoseconds are rounded and measured for each block.  Keeps the ticks
   and the time of the last event for the next call.  Returns [count]. */
static int in_step(struct eventring_cursor *c, struct eventring_event *events,
                   int count)
{
  for (int i = 0; i < count && events[i].ticks >= c->last_ticks
                  && events[i].ns < c->last_ns; i++)
    events[i].ns = c->last_ns;
  if (count > 0) {
    c->last_ticks = events[count - 1].ticks;
    c->last_ns = events[count - 1].ns;
  }
  return count;
}

/* Removes the events that must not be returned from the [count] events in
   [events], the last ones decoded of ring [r]: events outside the times
   [from_ns] to [to_ns] of the source, and events that were returned before.
   Takes them out of the ring's counts, too, and sets [cut] for events outside
   the times.  Returns the number of events left. */
static int of_file(const struct eventring_cursor *c, struct ring *r,
                   struct eventring_event *events, int count)
{
  const struct eventring_source *s = c->source;
  const int all = s->from_ns == s->to_ns;
  /* A loss is no event. */
  const int losses = count > 0 && events[0].form == EVENTRING_EV_LOST;
  uint64_t index = r->index - (uint64_t) (count - losses);
  int n = 0;
  if (all && index >= r->skip) {
    r->returned = r->index;
    return count;
  }
  for (int i = 0; i < count; i++) {
    struct eventring_event *e = &events[i];
    int lost = e->form == EVENTRING_EV_LOST;
    int in_time = all || (e->ns >= s->from_ns && e->ns < s->to_ns);
    if (!lost) index++;
    if (in_time && (lost || index > r->skip)) {
      /* A loss reaches up to the events to skip, at least. */
      r->returned = index > r->skip ? index : r->skip;
      events[n++] = *e;
    } else if (lost) {
      r->lost -= e->payload[0];
    } else {
      r->read--;
      if (!in_time) r->cut = 1;
    }
  }
  return n;
}

int eventring_read(struct eventring_cursor *c, struct eventring_event *events,
                   int max)
{
  int n = 0, more = 1;

  if (c == NULL || events == NULL || max < 0) return EVENTRING_E_ARGUMENT;
  c->batch++;
  while (n < max) {
    struct waiting *top = &c->heap[0];
    struct ring *r;
    uint64_t limit = c->horizon;
    uint64_t change = next_change(c);

    /* Where the categories have changed, earlier spans may have ended. */
    if (UNLIKELY(c->open_next < c->open_count) && next_open(c) < change) {
      n += in_step(c, events + n, take_open(c, events + n));
      continue;
    }
    if (UNLIKELY(change != UINT64_MAX) && change <= c->horizon) {
      if (!change_waits(c, change, more)) {
        events[n++] = (struct eventring_event) {
          .ns = eventring_to_ns(c, change), .ticks = change, .thread_id = -1,
          .form = EVENTRING_EV_CONTROL_CHANGED };
        c->changes_left--;
        continue;
      }
      if (c->waiting > 0 && change > top->ticks) limit = change - 1;
    }
    if (c->waiting == 0 || top->ticks > c->horizon) {
      if (n > 0) break;
      if (more) {
        more = begin_pass(c);
        if (more < 0) return more;
        continue;
      }
      /* An event of more than a second from now is damaged, or our clock is
         not the writer's: waiting for it would be waiting for ever. */
      if (c->waiting == 0
          || top->ticks - c->horizon < (uint64_t) (1e9 / c->clock.ns_per_tick))
        break;
      limit = top->ticks;
    }
    r = &c->rings[top->ring];
    if (UNLIKELY(r->damaged)) {
      if (n > 0) break;
      r->damaged = 0;
      if (!drained(r)) {
        top->ticks = next_ticks(r);
        sift_down(c);
      }
      return EVENTRING_E_DAMAGED;
    }
    if (drained(r)) {
      if (load_tail(c, top->ring) <= r->position) {
        pop(c);
        continue;
      }
      if (r->batch == c->batch && n > 0) break;
      fetch(c, top->ring);
      if (drained(r) && !r->damaged) {
        pop(c);
      } else {
        top->ticks = next_ticks(r);
        sift_down(c);
      }
      continue;
    }
    /* Up to the time from which another ring is first. */
    for (uint32_t i = 1; i <= 2 && i < c->waiting; i++) {
      const struct waiting *w = &c->heap[i];
      uint64_t last = w->ticks - (w->ring < top->ring && w->ticks > 0);
      if (last < limit) limit = last;
    }
    n += of_file(c, r, events + n,
                 in_step(c, events + n,
                         decode(c, top->ring, events + n, max - n, limit)));
    if (!drained(r) || r->damaged) {
      top->ticks = next_ticks(r);
      sift_down(c);
    }
  }
  return n;
}

uint64_t eventring_events_read(const struct eventring_cursor *c, uint32_t ring)
{
  return c == NULL || ring >= c->header.rings ? 0 : c->rings[ring].read;
}

uint64_t eventring_events_lost(const struct eventring_cursor *c, uint32_t ring)
{
  return c == NULL || ring >= c->header.rings ? 0 : c->rings[ring].lost;
}

uint64_t eventring_events_end(const struct eventring_cursor *c, uint32_t ring)
{
  return c == NULL || ring >= c->header.rings ? 0 : c->rings[ring].returned;
}

int eventring_skip_events(struct eventring_cursor *c, uint32_t ring,
                          uint64_t count)
{
  if (c == NULL || ring >= c->header.rings || c->source->live
      || c->batch > 0) return EVENTRING_E_ARGUMENT;
  /* The source begins anew with the first read, see begin_anew. */
  c->rings[ring].returned = count;
  return 0;
}

const char *eventring_event_bytes(const struct eventring_event *event,
                                  size_t *length)
{
  uint64_t bytes;
  if (event == NULL || event->words == 0 || event->form != EVENTRING_EV_INSTANT)
    return NULL;
  bytes = event->payload[0];
  if (bytes > (uint64_t) (event->words - 1) * 8
      || (bytes + 7) / 8 != event->words - 1)
    return NULL;
  if (length != NULL) *length = (size_t) bytes;
  return (const char *) (event->payload + 1);
}

/* Moves the cursor behind the last event that ring [ring] has now, without
   returning events.  Reads the block of that event for the count of events, the
   domain and the thread; damage found in the block is returned by the next
   read.  The events do not count as read or lost. */
static void skip_to_now(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];
  struct eventring_event skipped[32];

  for (int tries = 0; tries < MAX_OVERTAKEN; tries++) {
    uint64_t tail = load_tail(c, ring);
    if (tail == 0) return;
    r->position = block_of(c, tail - 1);
    r->index_known = 0;
    fetch(c, ring);
    if (r->position >= tail || r->damaged) break;
  }
  while (!drained(r) && !r->damaged)
    decode(c, ring, skipped, 32, UINT64_MAX);
  r->read = 0;
  r->batch = 0;
}

int eventring_skip_to_now(struct eventring_cursor *c)
{
  /* Damage is of before now, and skipped as all that. */
  int err = advance(c);
  if (err < 0 && err != EVENTRING_E_DAMAGED) return err;
  for (uint32_t i = 0; i < c->header.rings; i++) skip_to_now(c, i);
  return err;
}

int eventring_seek(struct eventring_cursor *c, int64_t ns)
{
  int err;
  if (c == NULL || c->source->seek == NULL) return EVENTRING_E_ARGUMENT;
  /* A millisecond is more than any clock is measured wrong. */
  if (ns >= INT64_MIN + 1000000) ns -= 1000000;
  err = c->source->seek(c->source, eventring_ticks_of(c, ns));
  if (err < 0) return err;
  for (uint32_t i = 0; i < c->header.rings; i++) {
    struct ring *r = &c->rings[i];
    r->next = r->end = 0;
    r->position = c->source->rings[i].first;
    r->index_known = r->lost_pending = r->damaged = r->slot_damaged = 0;
    r->read = r->lost = r->index = r->returned = r->skip = r->had = r->since = 0;
    r->cut = 0;
    r->last_ticks = 0;
  }
  c->waiting = 0;
  c->horizon = 0;
  c->open_next = c->open_count = 0;
  c->last_ticks = 0;
  c->last_ns = INT64_MIN;
  return 0;
}

uint64_t eventring_position(const struct eventring_cursor *c, uint32_t ring,
                            uint64_t *index)
{
  const struct ring *r = &c->rings[ring];
  *index = r->position > 0 && r->index_known ? r->index
           : load_tail(c, ring) == 0 ? 0 : UINT64_MAX;
  return drained(r) ? block_of(c, r->position) : r->block;
}

uint64_t eventring_tail(const struct eventring_cursor *c, uint32_t ring)
{
  return load_tail(c, ring);
}
