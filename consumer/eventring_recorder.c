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

/* The recorder: copies the words of all rings to a file.

   It goes in rounds.  A round reads the clock, the horizon, and then copies the
   words that the rings have got since the round before, block by block.  The
   copied words are kept in a buffer for each ring until they are enough for a
   segment, or until a second has passed:

       ring 0   [block][block][blo
       ring 1   [bl                    --- zstd --> a chunk of the file
       ring 7   [block][b

   A reader of the recording takes a segment at a time and returns its events
   up to the horizon of the segment's last round, in order.  Events after the
   horizon may be in the segment already, so the next one begins, for each
   ring, with the block that the horizon falls into: that block is in both,
   which also makes every segment readable by itself.

   Numbers of events, for each ring, say which events a file has: a file that
   goes on where another ended has the events from the first one after the
   horizon of that file on, in any block.

   Where the writer overtakes the recorder, words are missing.  Positions in the
   recording go on as if none were; the header of the next block says how many
   events are missing. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "caml/eventring_clock.h"
#include "caml/eventring_format.h"
#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_source.h"
#include "eventring_words.h"

/* A segment is written when it has so many words, or is so old. */
#define SEGMENT_WORDS ((uint64_t) 1 << 17)
#define SEGMENT_NS 1000000000

/* Copying is much faster than compressing.  So rings are looked at while a
   segment is compressed as well, and their new words wait in memory, up to so
   many; further words wait in the rings. */
#define WAITING_WORDS ((uint64_t) 1 << 22)

/* Copied of a ring at once, before it is the turn of the others. */
#define TURN_WORDS ((uint64_t) 1 << 16)

/* How often a round runs after the writer of a ring. */
#define MAX_OVERTAKEN 16

/* As fast as the words come. */
#define DEFAULT_LEVEL 1

/* How far a ring has come. */
struct mark {
  uint64_t index;               /* events of the ring before; RECORDING_ANY: not
                                   known, since none was seen */
  uint64_t events, lost;        /* copied and missed since the recorder began */
};

struct copied {                 /* of a ring */
  uint64_t *words;
  uint64_t capacity;
  uint64_t count;               /* words there are */
  uint64_t sent;                /* of them, in a segment before */
  uint64_t first;               /* position in the recording of words[0], the
                                   beginning of a block */
  uint64_t position;            /* in the ring, where to go on */
  uint64_t events;              /* copied, without the events of the last
                                   block */
  uint64_t lost;
  struct mark begin;            /* of the file */
  struct mark horizon, end;     /* of the last segment: at its horizon, and with
                                   all of its words */
  int held_back;                /* there is more in the ring */
  int late;                     /* the last segment has events of it that are
                                   of after its horizon */
};

/* A segment that is held, and how far the rings had come with it. */
struct packet {
  struct packet *next;
  struct chunk chunk;
  char *stored;
  struct mark marks[];
};

struct eventring_recorder {
  struct eventring_cursor *cursor;
  struct eventring_source *source;
  struct eventring_record_options options;
  char *path;
  struct chunk_writer file;
  int failed;                   /* the error that ended it, or 0 */
  int ended;
  struct eventring_record_totals done; /* in files before the present one */

  struct copied *rings;
  uint64_t words;               /* copied and in no segment yet */
  uint64_t copied;              /* since it began */
  int64_t since_ns;             /* when the last segment was written */
  uint64_t horizon;
  int64_t horizon_ns;
  uint32_t schema_count;        /* entries in the present file */

  int hold;
  struct packet *held, **held_end;
  uint64_t held_bytes;          /* compressed */

  char *note;
  char *raw;                    /* of the chunk being made */
  size_t raw_capacity;
};

static int64_t now_ns(void)
{
  return eventring_clock_ns(CLOCK_MONOTONIC);
}

/* The file */

/* Stops the recorder: makes the error code [error] its failure, in place of any
   earlier one, and writes a message that begins with [what], such as "cannot
   write", and has the path and the reason.  errno must still be that of the
   failure, unless [error] is EVENTRING_E_MEMORY.  Returns [error]. */
static int give_up(struct eventring_recorder *r, int error, const char *what)
{
  int reason = errno;
  r->failed = fail(&(struct eventring_options) {
                     .message = r->options.message,
                     .message_size = r->options.message_size },
                   error, "%s %s: %s", what, r->path,
                   error == EVENTRING_E_MEMORY ? "out of memory"
                   : strerror(reason));
  return r->failed;
}

/* If [error], the result of a function of eventring_chunks.h, is negative,
   makes it the recorder's failure, in place of any earlier one, and writes its
   message; errno must still be that of the write.  The recorder then stops.
   Returns [error], or 0 when it is not negative. */
static int cannot_write(struct eventring_recorder *r, int error)
{
  return error < 0 ? give_up(r, error, "cannot write") : 0;
}

/* Returns a buffer of at least [size] bytes for the content of a chunk.  The
   buffer belongs to the recorder and is valid until the next call, which may
   not keep its content.  Returns NULL when there is no memory; the recorder has
   then failed. */
static char *make_room(struct eventring_recorder *r, size_t size)
{
  if (size > r->raw_capacity) {
    size_t capacity = size + size / 4;
    free(r->raw);
    r->raw = malloc(capacity);
    r->raw_capacity = r->raw == NULL ? 0 : capacity;
    if (r->raw == NULL) give_up(r, EVENTRING_E_MEMORY, "cannot write");
  }
  return r->raw;
}

static int write_chunk(struct eventring_recorder *r, uint32_t kind,
                       const void *bytes, size_t size)
{
  return cannot_write(r, eventring_write_chunk(
                           &r->file, (struct chunk) { .kind = kind }, bytes,
                           size));
}

/* Returns a copy of the checked header of the ring file, with the control word,
   threshold, marks and state that the ring file has at present, and, when
   tracing has ended, the time of its end.  Fields that the header does not
   have, being of an older format, are 0; so is schema_count. */
static struct eventring_header header_now(struct eventring_recorder *r)
{
  struct eventring_header h = r->source->checked;
  const struct eventring_header *now = r->source->header;
  h.control = __atomic_load_n(&now->control, __ATOMIC_RELAXED);
  h.threshold = __atomic_load_n(&now->threshold, __ATOMIC_RELAXED);
  /* Acquire: the times of the marks must be seen after their number. */
  h.marks_made = __atomic_load_n(&now->marks_made, __ATOMIC_ACQUIRE);
  for (int i = 0; i < EVENTRING_MARKS; i++)
    h.marks[i] = __atomic_load_n(&now->marks[i], __ATOMIC_RELAXED);
  h.state = __atomic_load_n(&now->state, __ATOMIC_ACQUIRE);
  if (h.state != EVENTRING_RUNNING) {
    h.ended.ticks = __atomic_load_n(&now->ended.ticks, __ATOMIC_RELAXED);
    h.ended.monotonic_ns =
      __atomic_load_n(&now->ended.monotonic_ns, __ATOMIC_RELAXED);
    h.ended.realtime_ns =
      __atomic_load_n(&now->ended.realtime_ns, __ATOMIC_RELAXED);
  }
  if (h.header_size >= EVENTRING_HEADER_1_5) {
    h.sample_period = __atomic_load_n(&now->sample_period, __ATOMIC_RELAXED);
    h.samples_dropped =
      __atomic_load_n(&now->samples_dropped, __ATOMIC_RELAXED);
  }
  h.schema_count = 0;
  /* Of an older format there is something else. */
  if (h.header_size < sizeof h)
    memset((char *) &h + h.header_size, 0, sizeof h - h.header_size);
  return h;
}

/* Writes a SCHEMA chunk with the schema entries that the program has added
   since the last SCHEMA chunk of the present file, and counts them in
   r->schema_count; writes nothing when there are none.  Returns 0 or the error
   that stopped the recorder. */
static int write_schema(struct eventring_recorder *r)
{
  const struct eventring_header *h = &r->source->checked;
  /* Acquire: the count must be seen before the entries that it covers. */
  uint32_t count =
    __atomic_load_n(&r->source->header->schema_count, __ATOMIC_ACQUIRE);
  uint32_t first = r->schema_count;
  struct eventring_schema_entry *to;
  if (count > h->schema_capacity) count = h->schema_capacity;
  if (count <= first) return 0;
  to = (void *) make_room(r, (count - first) * sizeof *to);
  if (to == NULL) return r->failed;
  for (uint32_t i = first; i < count; i++)
    memcpy(&to[i - first],
           r->source->schema + (uint64_t) i * h->schema_entry_size, sizeof *to);
  r->schema_count = count;
  return write_chunk(r, CHUNK_SCHEMA, to, (count - first) * sizeof *to);
}

static int write_note(struct eventring_recorder *r)
{
  return r->note == NULL ? 0
         : write_chunk(r, CHUNK_NOTE, r->note, strlen(r->note));
}

/* Creates the present file at r->path and writes its PROCESS, SCHEMA and NOTE
   chunks.  Fails, with a message, when the path is of the ring file itself, or
   of an existing file and options.replace is 0.  Returns 0 or the error that
   stopped the recorder. */
static int begin_file(struct eventring_recorder *r)
{
  struct eventring_header h = header_now(r);
  char *to;
  int err = eventring_begin_chunks(&r->file, r->path, r->options.replace,
                                   eventring_cursor_file(r->cursor), 1);
  if (err == EVENTRING_E_ARGUMENT)
    return r->failed = eventring_output_is_read(
      &(struct eventring_options) { .message = r->options.message,
                                    .message_size = r->options.message_size },
      r->path);
  if (err < 0) return give_up(r, err, "cannot create");
  to = make_room(r, sizeof h + h.rings * sizeof(uint64_t));
  if (to == NULL) return r->failed;
  memcpy(to, &h, sizeof h);
  for (uint32_t i = 0; i < h.rings; i++)
    memcpy(to + sizeof h + i * sizeof(uint64_t), &r->rings[i].begin.index,
           sizeof(uint64_t));
  if (write_chunk(r, CHUNK_PROCESS, to,
                  sizeof h + h.rings * sizeof(uint64_t)) < 0)
    return r->failed;
  r->schema_count = 0;
  return write_schema(r) < 0 ? r->failed : write_note(r);
}

/* Rounds */

/* Returns the index of the first word of the block that the last of [count]
   copied words is in; 0 when [count] is 0. */
static uint64_t last_block(const struct eventring_recorder *r, uint64_t count)
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
  uint64_t block = last_block(r, end);
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
    c->events += count_events(r, c, last_block(r, at), at, UINT64_MAX);
  else if (c->begin.index != RECORDING_ANY && index < c->begin.index)
    /* The block begins with some that are not to be recorded. */
    c->events -= c->begin.index - index;
}

/* Returns the number of events that ring [c] had up to time [horizon] in ticks,
   and the numbers of events copied and missed until then since the recorder
   began, as the copied words show.  Returns c->begin when no words were
   copied. */
static struct mark mark_of(const struct eventring_recorder *r,
                           const struct copied *c, uint64_t horizon)
{
  struct mark m = c->begin;
  uint64_t block;
  if (c->count == 0) return m;
  block = last_block(r, c->count);
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
  if (more == NULL) return give_up(r, EVENTRING_E_MEMORY, "cannot record");
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

/* Returns the index in c->words of the block that time [horizon] (ticks) falls
   into: the last block that begins at or before that time, or 0 when none
   does. */
static uint64_t horizon_block(const struct eventring_recorder *r,
                              const struct copied *c, uint64_t horizon)
{
  const uint64_t block_words = r->source->checked.block_words;
  uint64_t at = last_block(r, c->count);
  while (at > 0 && c->words[at + EVENTRING_BLOCK_TICKS] > horizon)
    at -= block_words;
  return at;
}

/* Copies the new words of all rings, one turn each.  Returns 1 when a ring has
   more words, 0 when none has, or the error that stopped the recorder. */
static int copy_rings(struct eventring_recorder *r)
{
  int more = 0;
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    if (copy_ring(r, i) < 0) return r->failed;
    more |= r->rings[i].held_back;
  }
  return more;
}

/* Copies the new words of all rings; called by eventring_compress while it
   compresses a segment.  [state] is the recorder, which keeps the error of a
   failure in r->failed; after a failure, does nothing. */
static void copy_meanwhile(void *state)
{
  struct eventring_recorder *r = state;
  if (r->failed == 0) copy_rings(r);
}

/* Compresses the segment in r->raw, of [size] bytes, with the header [chunk],
   and keeps the segment in memory, last in the list r->held, until
   eventring_record_release.  Frees the kept segments that are more than
   options.hold_ns older than this one, or that exceed options.hold_bytes; the
   recording will begin after them.  Returns 0 or the error that stopped the
   recorder. */
static int hold_segment(struct eventring_recorder *r, struct chunk chunk,
                        size_t size)
{
  const uint32_t rings = r->source->checked.rings;
  struct packet *p = malloc(sizeof *p + rings * sizeof p->marks[0]);
  int err;
  if (p == NULL) return cannot_write(r, EVENTRING_E_MEMORY);
  err = eventring_compress(&r->file, &chunk, r->raw, size, &p->stored);
  if (err < 0) {
    free(p);
    return cannot_write(r, err);
  }
  p->next = NULL;
  p->chunk = chunk;
  for (uint32_t i = 0; i < rings; i++)
    p->marks[i] = r->rings[i].horizon;
  *r->held_end = p;
  r->held_end = &p->next;
  r->held_bytes += chunk.stored;
  while (r->held != p
         && (r->held->chunk.last_ns < chunk.last_ns - r->options.hold_ns
             || (r->options.hold_bytes > 0
                 && r->held_bytes > r->options.hold_bytes))) {
    struct packet *old = r->held;
    for (uint32_t i = 0; i < rings; i++) r->rings[i].begin = old->marks[i];
    r->held = old->next;
    r->held_bytes -= old->chunk.stored;
    free(old->stored);
    free(old);
  }
  return 0;
}

/* Writes new schema entries and a segment with all copied words, or only keeps
   the segment in memory before eventring_record_release.  Then drops the copied
   words of each ring up to the block that the horizon falls into: later words,
   and events after the horizon, belong to the blocks from there on.  Sets the
   marks [horizon] and [end] of each ring, and r->words to 0.  Fails with a
   message, EVENTRING_E_DAMAGED, when the segment would exceed RECORDING_MAX_RAW
   bytes.  Returns 0 or the error that stopped the recorder. */
static int write_segment(struct eventring_recorder *r)
{
  const uint32_t rings = r->source->checked.rings;
  struct chunk chunk = { .kind = CHUNK_SEGMENT, .horizon = r->horizon,
                         .first_ns = INT64_MAX, .last_ns = r->horizon_ns };
  int64_t last_ns = INT64_MIN;
  size_t size = 0;
  char *to;

  if (!r->hold && write_schema(r) < 0) return r->failed;
  for (uint32_t i = 0; i < rings; i++)
    if (r->rings[i].count > r->rings[i].sent || r->rings[i].late)
      size += sizeof(struct run) + (size_t) r->rings[i].count * 8;
  if (size > RECORDING_MAX_RAW)
    return r->failed = fail(&(struct eventring_options) {
                              .message = r->options.message,
                              .message_size = r->options.message_size },
                            EVENTRING_E_DAMAGED, "%s: its events are of the "
                            "future", eventring_path(r->cursor));
  to = make_room(r, size);
  if (to == NULL) return r->failed;
  for (uint32_t i = 0; i < rings; i++) {
    struct copied *c = &r->rings[i];
    struct run run = { i, (uint32_t) c->count, c->first };
    uint64_t keep;
    int64_t ns;
    c->horizon = mark_of(r, c, r->horizon);
    c->end = mark_of(r, c, UINT64_MAX);
    if (c->count <= c->sent && !c->late) continue;
    memcpy(to, &run, sizeof run);
    memcpy(to + sizeof run, c->words, (size_t) c->count * 8);
    to += sizeof run + (size_t) c->count * 8;
    ns = (int64_t) c->words[EVENTRING_BLOCK_NS];
    if (ns < chunk.first_ns) chunk.first_ns = ns;
    /* Nobody's clock says when it ended. */
    ns = (int64_t) c->words[last_block(r, c->count) + EVENTRING_BLOCK_NS];
    if (ns > last_ns) last_ns = ns;

    c->late = c->end.index != c->horizon.index;
    keep = horizon_block(r, c, r->horizon);
    memmove(c->words, c->words + keep, (size_t) (c->count - keep) * 8);
    c->first += keep;
    c->count -= keep;
    c->sent = c->count;
  }
  r->words = 0;
  if (r->horizon == UINT64_MAX) chunk.last_ns = last_ns;
  if (r->hold) return hold_segment(r, chunk, size);
  return cannot_write(r, eventring_write_chunk(&r->file, chunk, r->raw, size));
}

/* Runs one round: makes the source show more words, reads the clock for the
   horizon, then copies the new words of all rings, until WAITING_WORDS wait.
   Sets r->horizon and r->horizon_ns to the time up to which all events of all
   rings are copied; they never go back.  Returns 1 when there are more words to
   copy, 0 when there are none, or the error that stopped the recorder. */
static int round_of_rings(struct eventring_recorder *r)
{
  const struct eventring_header *h = &r->source->checked;
  const uint64_t before = r->horizon;
  const int64_t before_ns = r->horizon_ns;
  int more;

  if (r->source->advance != NULL) {
    int err;
    for (uint32_t i = 0; i < h->rings; i++)
      r->source->rings[i].needed = r->rings[i].position;
    err = r->source->advance(r->source);
    /* Damaged words are not there to be copied. */
    if (err < 0 && err != EVENTRING_E_DAMAGED) return r->failed = err;
  }
  r->horizon = eventring_horizon(r->cursor);
  /* On the clock of the process, which may be of another time namespace. */
  r->horizon_ns = eventring_cursor_now(r->cursor);
  do
    more = copy_rings(r);
  while (more > 0 && r->words < WAITING_WORDS);
  if (more < 0) return r->failed;
  if (r->source->behind) more = 1;
  /* A ring with more words is complete only before its last copied block, so
     the horizon is before that; but the horizon never goes back. */
  for (uint32_t i = 0; i < h->rings; i++) {
    const struct copied *c = &r->rings[i];
    const uint64_t *last = c->words + last_block(r, c->count);
    if (!c->held_back) continue;
    if (c->count == 0) {
      r->horizon = 0;
    } else if (last[EVENTRING_BLOCK_TICKS] <= r->horizon) {
      r->horizon = last[EVENTRING_BLOCK_TICKS] - 1;
      r->horizon_ns = (int64_t) last[EVENTRING_BLOCK_NS];
    }
  }
  if (r->horizon <= before) {
    r->horizon = before;
    r->horizon_ns = before_ns;
  }
  return more;
}

/* Copies the new words of all rings, in rounds, and writes a segment when
   enough words were copied, when the last segment is a second old, when a ring
   has more words, or when [all] is 1.  Returns when no ring has more words, or
   when as many words were copied as the rings hold.  The result is the number
   of words copied by this call, the error that stopped the recorder, or
   EVENTRING_E_ARGUMENT after eventring_record_end. */
static int64_t step(struct eventring_recorder *r, int all)
{
  const struct eventring_header *h = &r->source->checked;
  const uint64_t copied = r->copied;
  /* A writer that never rests is left alone after all that rings hold; where
     they are translated, each event may have got a block of its own. */
  const uint64_t enough = h->rings * h->ring_words
    * (r->source->advance != NULL ? h->block_words / 2 : 1);
  int more;
  if (r->failed < 0) return r->failed;
  if (r->ended) return EVENTRING_E_ARGUMENT;
  do {
    int late = 0;
    more = round_of_rings(r);
    if (more < 0) return r->failed;
    for (uint32_t i = 0; i < h->rings; i++) late |= r->rings[i].late;
    if (r->words >= SEGMENT_WORDS || more || all
        || now_ns() - r->since_ns >= SEGMENT_NS) {
      r->since_ns = now_ns();
      if ((r->words > 0 || (all && late)) && write_segment(r) < 0)
        return r->failed;
    }
  } while (more && r->copied - copied < enough);
  return (int64_t) (r->copied - copied);
}

int64_t eventring_record_step(struct eventring_recorder *r)
{
  return r == NULL ? EVENTRING_E_ARGUMENT : step(r, 0);
}

/* Beginning and ending */

int eventring_record(const char *path, struct eventring_cursor *cursor,
                     const struct eventring_record_options *options,
                     struct eventring_recorder **result)
{
  struct eventring_record_options o;
  struct eventring_recorder *r;
  int err;

  if (path == NULL || cursor == NULL || result == NULL)
    return EVENTRING_E_ARGUMENT;
  *result = NULL;
  err = eventring_take_record_options(&o, options);
  if (err < 0) return err;
  r = calloc(1, sizeof *r);
  if (r == NULL) return EVENTRING_E_MEMORY;
  r->options = o;
  r->file.fd = -1;
  r->cursor = cursor;
  r->source = eventring_cursor_source(cursor);
  r->hold = r->options.hold_ns > 0;
  r->held_end = &r->held;
  r->since_ns = now_ns();
  r->path = strdup(path);
  r->rings = calloc(r->source->checked.rings, sizeof *r->rings);
  r->file.zstd = ZSTD_createCCtx();
  r->file.meanwhile = copy_meanwhile;
  r->file.state = r;
  if (r->path == NULL || r->rings == NULL || r->file.zstd == NULL) {
    err = EVENTRING_E_MEMORY;
    goto err_out;
  }
  if (!r->source->live) {
    err = fail(&(struct eventring_options) {
                 .message = r->options.message,
                 .message_size = r->options.message_size },
               EVENTRING_E_ARGUMENT, "%s is a recording already",
               eventring_path(cursor));
    goto err_out;
  }
  ZSTD_CCtx_setParameter(r->file.zstd, ZSTD_c_compressionLevel,
                         r->options.level == 0 ? DEFAULT_LEVEL
                                               : r->options.level);
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    r->rings[i].position =
      eventring_position(cursor, i, &r->rings[i].begin.index);
    r->rings[i].first = RECORDING_POSITION;
    r->rings[i].horizon = r->rings[i].end = r->rings[i].begin;
  }
  err = r->hold ? 0 : begin_file(r);
  if (err < 0) goto err_out;
  *result = r;
  return 0;

err_out:
  r->failed = err;
  eventring_record_close(r);
  return err;
}

int eventring_record_release(struct eventring_recorder *r)
{
  if (r == NULL) return EVENTRING_E_ARGUMENT;
  if (!r->hold || step(r, 1) < 0) return r->failed;
  r->hold = 0;
  if (begin_file(r) < 0) return r->failed;
  while (r->held != NULL) {
    struct packet *p = r->held;
    if (r->failed == 0)
      cannot_write(r, eventring_append(&r->file, p->chunk, p->stored));
    r->held = p->next;
    free(p->stored);
    free(p);
  }
  r->held_end = &r->held;
  r->held_bytes = 0;
  return r->failed;
}

int eventring_record_note(struct eventring_recorder *r, const char *text)
{
  char *copy;
  if (r == NULL || text == NULL) return EVENTRING_E_ARGUMENT;
  copy = strdup(text);
  if (copy == NULL) return EVENTRING_E_MEMORY;
  free(r->note);
  r->note = copy;
  if (r->failed < 0) return r->failed;
  return r->file.fd < 0 ? 0 : write_note(r);
}

int eventring_record_totals(struct eventring_recorder *r,
                            struct eventring_record_totals *totals)
{
  struct eventring_record_totals mine = { .size = sizeof mine };
  if (r == NULL || totals == NULL || totals->size < sizeof totals->size)
    return EVENTRING_E_ARGUMENT;
  mine = r->done;
  if (r->file.fd >= 0) {
    mine.bytes = r->file.offset;
    mine.all_bytes += r->file.offset;
    mine.files++;
  }
  for (uint32_t i = 0; i < r->source->checked.rings && !r->ended; i++) {
    const struct copied *c = &r->rings[i];
    struct mark m = mark_of(r, c, UINT64_MAX);
    mine.events += m.events - c->begin.events;
    mine.lost += m.lost - c->begin.lost;
  }
  eventring_give_struct(&mine, sizeof mine, totals);
  return 0;
}

/* Writes the remaining words, the schema entries left, the END chunk and the
   index, and closes the file; adds its numbers to r->done.  With [continued] 1
   another file follows, which gets the events after the last horizon: c->begin
   of each ring becomes the place where it begins.  Returns 0 or the error that
   stopped the recorder; the file may then still be open. */
static int end_file(struct eventring_recorder *r, int continued)
{
  struct process_end end = { .continued = (uint32_t) continued };

  if (step(r, 1) < 0 || write_schema(r) < 0) return r->failed;
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    struct copied *c = &r->rings[i];
    struct mark m = continued ? c->horizon : c->end;
    end.events += m.events - c->begin.events;
    end.lost += m.lost - c->begin.lost;
    c->begin = m;
    /* The next file needs the block that the horizon falls into. */
    c->late = c->count > 0;
  }
  end.state = (uint32_t) eventring_state(r->cursor);
  if (end.state == EVENTRING_STATE_RUNNING)
    end.state = EVENTRING_STATE_UNKNOWN;
  end.header = header_now(r);
  if (end.header.state == EVENTRING_RUNNING)
    end.header.ended = eventring_cursor_instant(r->cursor);
  if (write_chunk(r, CHUNK_END, &end, sizeof end) < 0) return r->failed;
  if (cannot_write(r, eventring_end_chunks(&r->file)) < 0) return r->failed;
  r->done.files++;
  r->done.all_bytes += r->file.offset;
  r->done.events += end.events;
  r->done.lost += end.lost;
  return 0;
}

int eventring_record_next(struct eventring_recorder *r, const char *path)
{
  char *copy;
  if (r == NULL || path == NULL) return EVENTRING_E_ARGUMENT;
  if (r->failed < 0) return r->failed;
  if (r->file.fd < 0) return EVENTRING_E_ARGUMENT;
  copy = strdup(path);
  if (copy == NULL) return give_up(r, EVENTRING_E_MEMORY, "cannot create");
  if (end_file(r, 1) < 0) {
    free(copy);
    return r->failed;
  }
  free(r->path);
  r->path = copy;
  r->hold = r->options.hold_ns > 0;
  return r->hold ? 0 : begin_file(r);
}

int eventring_record_end(struct eventring_recorder *r)
{
  if (r == NULL) return EVENTRING_E_ARGUMENT;
  if (r->file.fd >= 0 && r->failed == 0) end_file(r, 0);
  r->ended = 1;
  return r->failed;
}

int eventring_record_close(struct eventring_recorder *r)
{
  int err;
  if (r == NULL) return 0;
  err = eventring_record_end(r);
  while (r->held != NULL) {
    struct packet *p = r->held;
    r->held = p->next;
    free(p->stored);
    free(p);
  }
  if (r->rings != NULL)
    for (uint32_t i = 0; i < r->source->checked.rings; i++)
      free(r->rings[i].words);
  free(r->rings);
  eventring_drop_chunks(&r->file);
  free(r->raw);
  free(r->note);
  free(r->path);
  free(r);
  return err;
}
