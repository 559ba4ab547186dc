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
#include "eventring_cursor.h"
#include "eventring_recorder.h"

/* A segment is written when it has so many words, or is so old, unless the
   options say otherwise. */
#define SEGMENT_WORDS ((uint64_t) 1 << 17)
#define SEGMENT_NS 1000000000

/* Between two samples of the clocks, and how many of which the best is taken. */
#define CLOCK_NS INT64_C(10000000000)
#define CLOCK_TRIES 3

/* As fast as the words come. */
#define DEFAULT_LEVEL 1

static int64_t now_ns(void)
{
  return eventring_clock_ns(CLOCK_MONOTONIC);
}

/* The file */

int eventring_give_up(struct eventring_recorder *r, int error, const char *what)
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
   message; errno must still be that of the write.  The recorder then stops; but
   when a cursor reads the copied events, it goes on without its file.  Returns
   [error] when the recorder stops, else 0. */
static int cannot_write(struct eventring_recorder *r, int error)
{
  if (error >= 0) return 0;
  eventring_give_up(r, error, "cannot write");
  if (r->events == NULL || error == EVENTRING_E_MEMORY) return r->failed;
  r->broken = r->failed;
  r->failed = 0;
  return 0;
}

/* Returns the error that stopped the recorder or ended its file, or 0. */
static int error_of(const struct eventring_recorder *r)
{
  return r->failed < 0 ? r->failed : r->broken;
}

/* Returns a buffer of at least [size] bytes for the content of a chunk.  The
   buffer belongs to the recorder and is valid until the next call, which may
   not keep its content.  Returns NULL when there is no memory; the recorder has
   then failed. */
static char *make_room(struct eventring_recorder *r, size_t size)
{
  if (size > r->raw_used) r->raw_used = size;
  if (size > r->raw_capacity) {
    size_t capacity = size + size / 4;
    free(r->raw);
    r->raw = malloc(capacity);
    r->raw_capacity = r->raw == NULL ? 0 : capacity;
    if (r->raw == NULL)
      eventring_give_up(r, EVENTRING_E_MEMORY, "cannot write");
  }
  return r->raw;
}

/* Writes [c] with the [size] bytes at [bytes] to the file, unless the file could
   not be written before.  Returns 0 or the error that stopped the recorder. */
static int append_chunk(struct eventring_recorder *r, struct chunk c,
                        const void *bytes, size_t size)
{
  return r->broken < 0 ? 0
         : cannot_write(r, eventring_write_chunk(&r->file, c, bytes, size));
}

static int write_chunk(struct eventring_recorder *r, uint32_t kind,
                       const void *bytes, size_t size)
{
  return append_chunk(r, (struct chunk) { .kind = kind }, bytes, size);
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
  if (h.header_size >= EVENTRING_HEADER_1_6)
    h.flushes = __atomic_load_n(&now->flushes, __ATOMIC_RELAXED);
  if (h.header_size >= EVENTRING_HEADER_1_7)
    h.alloc_period = __atomic_load_n(&now->alloc_period, __ATOMIC_RELAXED);
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
  if (count > r->schema_limit) count = r->schema_limit;
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

static int write_node(struct eventring_recorder *r)
{
  return r->node == NULL ? 0
         : write_chunk(r, CHUNK_NODE, r->node, strlen(r->node));
}

/* Returns a sample of the clocks: of some, the one with the least bound, which is
   half of the time that it took.  All is 0 when the present time on the clock of
   the process is not known: after another boot, and perhaps in another time
   namespace. */
static struct recording_clock sample_clocks(struct eventring_recorder *r)
{
  struct recording_clock best = { .bound_ns = 0 };
  if (r->cursor->boot == BOOT_OTHER) return best;
  for (int i = 0; i < CLOCK_TRIES; i++) {
    const int64_t before = eventring_cursor_now(r->cursor);
    const int64_t realtime = eventring_clock_ns(CLOCK_REALTIME);
    const int64_t after = eventring_cursor_now(r->cursor);
    const uint64_t bound = (uint64_t) (after - before) / 2 + 1;
    if (before == 0 || after < before) break;
    if (best.bound_ns == 0 || bound < best.bound_ns)
      best = (struct recording_clock) { before + (after - before) / 2, realtime,
                                        bound };
  }
  return best;
}

/* Writes a sample of the clocks, if they are known. */
static int write_clock(struct eventring_recorder *r)
{
  const struct recording_clock sample = sample_clocks(r);
  r->clock_ns = now_ns();
  return sample.bound_ns == 0 ? 0
         : write_chunk(r, CHUNK_CLOCK, &sample, sizeof sample);
}

/* Writes the spans that are open at the last horizon, if there are any. */
static int write_open(struct eventring_recorder *r)
{
  const uint32_t count = eventring_list_open(r);
  const size_t size = count * sizeof(struct eventring_open_span);
  char *to;
  if (count == 0) return 0;
  to = make_room(r, size);
  if (to == NULL) return r->failed;
  eventring_copy_open(r, (struct eventring_open_span *) to, count);
  return write_chunk(r, CHUNK_OPEN, to, size);
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
  if (err < 0) return eventring_give_up(r, err, "cannot create");
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
  return write_schema(r) < 0 || write_note(r) < 0 || write_node(r) < 0
         ? r->failed : write_clock(r);
}

/* Rounds */

/* Copies the new words of all rings; called by eventring_compress while it
   compresses a segment.  [state] is the recorder, which keeps the error of a
   failure in r->failed; after a failure, does nothing. */
static void copy_meanwhile(void *state)
{
  struct eventring_recorder *r = state;
  if (r->failed == 0) eventring_copy_rings(r);
}

/* Compresses the segment in r->raw, of [size] bytes, with the header [chunk],
   and adds the segment to the list r->held.  Returns the segment; NULL when
   there is no memory, which has stopped the recorder. */
static struct packet *keep_segment(struct eventring_recorder *r,
                                   struct chunk chunk, size_t size)
{
  const uint32_t rings = r->source->checked.rings;
  struct packet *p = malloc(sizeof *p + rings * sizeof p->marks[0]);
  int err = p == NULL ? EVENTRING_E_MEMORY
            : eventring_compress(&r->file, &chunk, r->raw, size, &p->stored);
  if (err < 0) {
    free(p);
    cannot_write(r, err);
    return NULL;
  }
  p->next = NULL;
  p->chunk = chunk;
  for (uint32_t i = 0; i < rings; i++)
    p->marks[i] = r->rings[i].horizon;
  *r->held_end = p;
  r->held_end = &p->next;
  r->held_bytes += chunk.stored;
  return p;
}

/* Frees the first segment of r->held. */
static void drop_held(struct eventring_recorder *r)
{
  struct packet *old = r->held;
  r->held = old->next;
  if (r->held == NULL) r->held_end = &r->held;
  r->held_bytes -= old->chunk.stored;
  free(old->stored);
  free(old);
}

/* Keeps the segment in r->raw, like keep_segment, until
   eventring_record_release.  Frees the kept segments that are more than
   options.hold_ns older than this one, or that exceed options.hold_bytes; the
   recording will begin after them.  Returns 0 or the error that stopped the
   recorder. */
static int hold_segment(struct eventring_recorder *r, struct chunk chunk,
                        size_t size)
{
  struct packet *p = keep_segment(r, chunk, size);
  if (p == NULL) return r->failed;
  while (r->held != p
         && (r->held->chunk.last_ns < chunk.last_ns - r->options.hold_ns
             || (r->options.hold_bytes > 0
                 && r->held_bytes > r->options.hold_bytes))) {
    for (uint32_t i = 0; i < r->source->checked.rings; i++)
      r->rings[i].begin = r->held->marks[i];
    r->from_ns = r->held->chunk.last_ns;
    drop_held(r);
  }
  return 0;
}

/* Writes the segment in r->raw, and keeps it in the window, of which the oldest
   segments beyond options.window_bytes are freed.  Returns 0 or the error that
   stopped the recorder. */
static int write_and_keep(struct eventring_recorder *r, struct chunk chunk,
                          size_t size)
{
  struct packet *p = keep_segment(r, chunk, size);
  if (p == NULL) return r->failed;
  while (r->held != p && r->held_bytes > r->options.window_bytes) {
    for (uint32_t i = 0; i < r->source->checked.rings; i++)
      r->rings[i].window = r->held->marks[i];
    drop_held(r);
  }
  return cannot_write(r, eventring_append(&r->file, p->chunk, p->stored));
}

/* Makes the times of [segment] no earlier than [ns]: its blocks may begin with events
   of the time before, which are not in its file. */
static void begin_after(struct chunk *segment, int64_t ns)
{
  if (segment->first_ns < ns) segment->first_ns = ns;
  if (segment->last_ns < ns) segment->last_ns = ns;
}

/* Leaves out of the recording of a process that runs the copied events that are more
   than options.hold_ns older than the horizon: a quiet ring may have some of minutes
   ago. */
static void begin_held(struct eventring_recorder *r)
{
  r->from_ns = r->horizon_ns - r->options.hold_ns;
  const uint64_t ticks = eventring_ticks_of(r->cursor, r->from_ns);
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    struct copied *c = &r->rings[i];
    if (c->count == 0) continue;
    const struct mark m = eventring_mark_of(r, c, ticks);
    /* The cursor may have read further. */
    if (c->begin.index == RECORDING_ANY || m.index > c->begin.index) c->begin = m;
  }
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

  eventring_give_back(r);
  if (!r->hold && write_schema(r) < 0) return r->failed;
  if (!r->hold && now_ns() - r->clock_ns >= CLOCK_NS && write_clock(r) < 0)
    return r->failed;
  if (r->hold && r->from_ns == 0 && r->horizon != 0 && r->horizon != UINT64_MAX)
    begin_held(r);
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
    if (r->open != NULL) eventring_follow_open(r, i, r->horizon);
    c->horizon = eventring_mark_of(r, c, r->horizon);
    c->end = eventring_mark_of(r, c, UINT64_MAX);
    if (c->count <= c->sent && !c->late) continue;
    memcpy(to, &run, sizeof run);
    memcpy(to + sizeof run, c->words, (size_t) c->count * 8);
    to += sizeof run + (size_t) c->count * 8;
    ns = (int64_t) c->words[EVENTRING_BLOCK_NS];
    if (ns < chunk.first_ns) chunk.first_ns = ns;
    /* Nobody's clock says when it ended. */
    ns = (int64_t) c->words[eventring_last_block(r, c->count)
                            + EVENTRING_BLOCK_NS];
    if (ns > last_ns) last_ns = ns;

    c->late = c->end.index != c->horizon.index;
    keep = eventring_horizon_block(r, c, r->horizon);
    memmove(c->words, c->words + keep, (size_t) (c->count - keep) * 8);
    c->first += keep;
    c->count -= keep;
    c->sent = c->count;
  }
  r->words = 0;
  if (r->horizon == UINT64_MAX) chunk.last_ns = last_ns;
  begin_after(&chunk, r->from_ns);
  if (r->events != NULL && eventring_keep_events(r, size, chunk.horizon) < 0)
    return eventring_give_up(r, EVENTRING_E_MEMORY, "cannot record");
  if (r->hold) return hold_segment(r, chunk, size);
  if (r->options.window_bytes > 0) return write_and_keep(r, chunk, size);
  return append_chunk(r, chunk, r->raw, size);
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
    more = eventring_copy_rings(r);
  while (more > 0 && r->words < WAITING_WORDS);
  if (more < 0) return r->failed;
  if (eventring_cut_at(r->source) != 0)
    return r->failed = fail(&(struct eventring_options) {
                              .message = r->options.message,
                              .message_size = r->options.message_size },
                            EVENTRING_E_TRUNCATED,
                            "%s: cut shorter while it was read",
                            eventring_path(r->cursor));
  if (r->source->behind) more = 1;
  /* A ring with more words is complete only before its last copied block, so
     the horizon is before that; but the horizon never goes back. */
  for (uint32_t i = 0; i < h->rings; i++) {
    const struct copied *c = &r->rings[i];
    const uint64_t *last = c->words + eventring_last_block(r, c->count);
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

/* Returns 1 if the program has asked for a flush since the last call, else
   0. */
static int is_flush_asked(struct eventring_recorder *r)
{
  const struct eventring_header *h = r->source->header;
  if (r->source->checked.header_size < EVENTRING_HEADER_1_6) return 0;
  /* Acquire: the events before the flush must be seen after it. */
  uint64_t flushes = __atomic_load_n(&h->flushes, __ATOMIC_ACQUIRE);
  int asked = flushes != r->flushes;
  r->flushes = flushes;
  return asked;
}

/* Returns how many words the rings in use can hold.  Where they are translated, which
   are in use is not known yet, and each event may have got a block of its own. */
static uint64_t most_words(const struct eventring_recorder *r)
{
  const struct eventring_header *h = &r->source->checked;
  uint64_t in_use = 0;
  if (r->source->advance != NULL)
    return h->rings * h->ring_words * (h->block_words / 2);
  for (uint32_t i = 0; i < h->rings; i++)
    in_use += eventring_tail(r->cursor, i) > 0;
  return in_use * h->ring_words;
}

/* Copies the new words of all rings, in rounds, and writes a segment when
   enough words were copied, when the last segment is a second old, when a ring
   has more words, when the program has asked for a flush, or when [all] is 1.
   Returns when no ring has more words, or, since a writer may never rest, when as
   many words were copied as the rings in use hold; unless [all] is 1, also after a
   segment that a cursor is to read.  Before the cursor shows that segment, only
   copies.  The result is the number of words copied by this call, the error that
   stopped the recorder, once the error that ended its file, or EVENTRING_E_ARGUMENT
   after eventring_record_end. */
static int64_t step(struct eventring_recorder *r, int all)
{
  const struct eventring_header *h = &r->source->checked;
  const uint64_t copied = r->copied;
  uint64_t enough;
  int more;
  if (r->failed < 0) return r->failed;
  if (r->ended) return EVENTRING_E_ARGUMENT;
  r->stepped = 1;
  enough = most_words(r);
  /* Before the words are copied: all events from before a flush are. */
  r->flush_wanted |= is_flush_asked(r);
  if (!all && eventring_has_unread(r))
    return eventring_copy_rings(r) < 0 ? r->failed
           : (int64_t) (r->copied - copied);
  do {
    int late = 0;
    more = round_of_rings(r);
    if (more < 0) return r->failed;
    for (uint32_t i = 0; i < h->rings; i++) late |= r->rings[i].late;
    if (r->words >= SEGMENT_WORDS || more || all || r->flush_wanted
        || now_ns() - r->since_ns >= r->options.flush_ns) {
      r->since_ns = now_ns();
      if ((r->words > 0 || (all && late)) && write_segment(r) < 0)
        return r->failed;
      if (!more) r->flush_wanted = 0;
    }
  } while (more && r->copied - copied < enough
           && (all || !eventring_has_unread(r)));
  if (r->broken < 0 && !r->broken_told) {
    r->broken_told = 1;
    return r->broken;
  }
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
  if (r->options.flush_ns == 0) r->options.flush_ns = SEGMENT_NS;
  r->schema_limit = UINT32_MAX;
  r->file.fd = -1;
  r->file.sink = o.write;
  r->file.sink_state = o.state;
  r->cursor = cursor;
  r->source = eventring_cursor_source(cursor);
  r->hold = r->options.hold_ns > 0;
  r->held_end = &r->held;
  r->since_ns = now_ns();
  r->path = strdup(path);
  r->rings = calloc(r->source->checked.rings, sizeof *r->rings);
  r->file.zstd = ZSTD_createCCtx();
  if (o.write != NULL) r->open = eventring_new_open(r);
  r->file.meanwhile = copy_meanwhile;
  r->file.state = r;
  if (r->path == NULL || r->rings == NULL || r->file.zstd == NULL
      || (o.write != NULL && r->open == NULL)) {
    err = EVENTRING_E_MEMORY;
    goto err_out;
  }
  if ((r->options.write != NULL && r->hold)
      || (r->options.write == NULL && r->options.window_bytes > 0)) {
    err = EVENTRING_E_ARGUMENT;
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
    if (o.from_start && r->rings[i].begin.index == RECORDING_ANY)
      r->rings[i].begin.index = 0;
    r->rings[i].first = RECORDING_POSITION;
    r->rings[i].horizon = r->rings[i].end = r->rings[i].window =
      r->rings[i].begin;
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
  for (; r->held != NULL; drop_held(r)) {
    begin_after(&r->held->chunk, r->from_ns);
    if (r->failed == 0)
      cannot_write(r, eventring_append(&r->file, r->held->chunk,
                                       r->held->stored));
  }
  return r->failed;
}

/* Replaces the text *kept of [r] by a copy of [text], and writes it by [write] if
   a file is open. */
static int replace_text(struct eventring_recorder *r, char **kept,
                        const char *text,
                        int (*write)(struct eventring_recorder *))
{
  char *copy = strdup(text);
  if (copy == NULL) return EVENTRING_E_MEMORY;
  free(*kept);
  *kept = copy;
  if (r->failed < 0) return r->failed;
  return !r->file.open ? 0 : write(r);
}

int eventring_record_note(struct eventring_recorder *r, const char *text)
{
  return r == NULL || text == NULL ? EVENTRING_E_ARGUMENT
         : replace_text(r, &r->note, text, write_note);
}

int eventring_record_node(struct eventring_recorder *r, const char *text)
{
  return r == NULL || text == NULL ? EVENTRING_E_ARGUMENT
         : replace_text(r, &r->node, text, write_node);
}

int eventring_record_totals(struct eventring_recorder *r,
                            struct eventring_record_totals *totals)
{
  struct eventring_record_totals mine = { .size = sizeof mine };
  if (r == NULL || totals == NULL || totals->size < sizeof totals->size)
    return EVENTRING_E_ARGUMENT;
  mine = r->done;
  if (r->file.open) {
    mine.bytes = r->file.offset;
    mine.all_bytes += r->file.offset;
    mine.files++;
  }
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    const struct copied *c = &r->rings[i];
    struct mark m = r->ended ? c->begin : eventring_mark_of(r, c, UINT64_MAX);
    mine.events += m.events - c->begin.events;
    mine.lost += m.lost - c->begin.lost;
    /* Damaged blocks may have fewer events than they say. */
    if (m.index != RECORDING_ANY && m.index > m.events + m.lost)
      mine.before += m.index - m.events - m.lost;
  }
  eventring_give_struct(&mine, sizeof mine, totals);
  return 0;
}

/* Writes a segment that the sink may not leave out, with the last block of each
   ring: a receiver that lacks the segments before finds in the headers of these
   blocks how many events it lacks.  Returns 0 or the error that stopped the
   recorder. */
static int write_last_blocks(struct eventring_recorder *r)
{
  int err;
  for (uint32_t i = 0; i < r->source->checked.rings; i++)
    r->rings[i].late = r->rings[i].count > 0;
  r->file.keep = 1;
  err = write_segment(r);
  r->file.keep = 0;
  return err;
}

/* Writes the remaining words, the schema entries left, the END chunk and the
   index, and closes the file; adds its numbers to r->done.  With [continued] 1
   another file follows, which gets the events after the last horizon: c->begin
   of each ring becomes the place where it begins.  Returns 0 or the error that
   stopped the recorder or ended the file; the file may then still be open. */
static int end_file(struct eventring_recorder *r, int continued)
{
  struct process_end end = { .continued = (uint32_t) continued };

  step(r, 1);
  if (r->failed < 0 || write_schema(r) < 0) return r->failed;
  if (r->file.sink != NULL && write_last_blocks(r) < 0) return r->failed;
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
  if (write_clock(r) < 0
      || write_chunk(r, CHUNK_END, &end, sizeof end) < 0) return r->failed;
  if (r->broken == 0) cannot_write(r, eventring_end_chunks(&r->file));
  if (error_of(r) < 0) return error_of(r);
  r->done.files++;
  r->done.all_bytes += r->file.offset;
  r->done.events += end.events;
  r->done.lost += end.lost;
  return 0;
}

/* Places */

int64_t eventring_place_size(const void *bytes, size_t size)
{
  struct recording_place place;
  const size_t magic = sizeof place.magic;
  const size_t least = offsetof(struct recording_place, rings)
                       + sizeof place.rings;
  if (bytes == NULL
      || memcmp(bytes, RECORDING_PLACE_MAGIC, size < magic ? size : magic) != 0)
    return EVENTRING_E_ARGUMENT;
  if (size < least) return 0;
  memcpy(&place, bytes, least);
  return place.rings <= EVENTRING_MAX_RINGS
         && place.size == sizeof place + place.rings * sizeof(uint64_t)
         ? (int64_t) place.size : EVENTRING_E_ARGUMENT;
}

/* Returns the numbers of the place in the [size] bytes at [bytes], one for each
   ring, if the place is of the process and session of [r]; else NULL.  The
   numbers are not aligned. */
static const char *numbers_of(struct eventring_recorder *r, const void *bytes,
                              size_t size)
{
  const struct eventring_header now = header_now(r), *h = &now;
  struct recording_place p;
  const char *numbers;
  if (size < sizeof p || eventring_place_size(bytes, size) != (int64_t) size)
    return NULL;
  numbers = (const char *) bytes + sizeof p;
  memcpy(&p, bytes, sizeof p);
  return p.sum == recording_sum(&p, offsetof(struct recording_place, sum))
         && p.content == recording_sum(numbers, size - sizeof p)
         && p.rings == h->rings && p.pid == (uint32_t) h->pid
         && p.start_time == h->start_time
         && p.pid_namespace == h->pid_namespace
         && memcmp(&p.started, &h->started, sizeof p.started) == 0
         && memcmp(p.boot_id, h->boot_id, sizeof p.boot_id) == 0
         ? numbers : NULL;
}

/* Returns 1 when a receiver with the numbers at [numbers] has all events of the
   [marks] of all rings up to their horizon, else 0. */
static int has_all(const struct eventring_recorder *r, const char *numbers,
                   const struct mark *marks)
{
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    uint64_t number;
    memcpy(&number, numbers + i * sizeof number, sizeof number);
    if (marks[i].index != RECORDING_ANY && marks[i].index > number) return 0;
  }
  return 1;
}

/* Returns the last segment of the window that a receiver with the numbers at
   [numbers] has as a whole, with all before it; NULL when it has none. */
static const struct packet *last_had(const struct eventring_recorder *r,
                                     const char *numbers)
{
  const struct packet *last = NULL;
  for (const struct packet *p = r->held; p != NULL; p = p->next) {
    if (!has_all(r, numbers, p->marks)) break;
    last = p;
  }
  return last;
}

/* Writes the segments of the window behind [last], or all when [last] is NULL, to
   the sink of r->file.  Returns 0 or an error. */
static int write_window(struct eventring_recorder *r, const struct packet *last)
{
  int err = 0;
  for (const struct packet *p = last == NULL ? r->held : last->next;
       p != NULL && err == 0; p = p->next)
    err = cannot_write(r, eventring_append(&r->file, p->chunk, p->stored));
  return err;
}

/* Writes the chunks that a late receiver needs before the segments from now on,
   to the sink of r->file.  Such a receiver gets the block in which each horizon is,
   and the events in it from the horizon on; with [numbers], the segments of the
   window that it lacks.  Returns 0 or an error. */
static int write_join(struct eventring_recorder *r, const char *numbers)
{
  const struct packet *last = numbers == NULL ? NULL : last_had(r, numbers);
  const uint32_t rings = r->source->checked.rings;
  struct mark *begin = malloc(rings * sizeof *begin);
  int err;
  if (begin == NULL) return EVENTRING_E_MEMORY;
  for (uint32_t i = 0; i < rings; i++) {
    struct copied *c = &r->rings[i];
    begin[i] = c->begin;
    c->begin = numbers == NULL ? c->horizon
               : last == NULL ? c->window : last->marks[i];
    c->late = c->count > 0;
  }
  /* All receivers get later entries with the next segment. */
  r->schema_limit = r->schema_count;
  err = begin_file(r);
  if (err == 0) err = numbers == NULL ? write_open(r) : write_window(r, last);
  r->schema_count = r->schema_limit;
  r->schema_limit = UINT32_MAX;
  for (uint32_t i = 0; i < rings; i++) r->rings[i].begin = begin[i];
  free(begin);
  return err;
}

int eventring_record_rejoin(struct eventring_recorder *r, const void *place,
                            size_t size, eventring_sink *write, void *state)
{
  struct chunk_writer file;
  int err;
  if (r == NULL || write == NULL || r->file.sink == NULL || !r->file.open)
    return EVENTRING_E_ARGUMENT;
  if (r->failed < 0) return r->failed;
  if (step(r, 1) < 0) return r->failed;
  file = r->file;
  /* The index of the others goes on without these chunks. */
  r->file.index = NULL;
  r->file.count = r->file.capacity = 0;
  r->file.sink = write;
  r->file.sink_state = state;
  err = write_join(r, r->options.window_bytes == 0 ? NULL
                      : numbers_of(r, place, size));
  free(r->file.index);
  r->file = file;
  r->failed = 0;
  return err;
}

int eventring_record_join(struct eventring_recorder *r, eventring_sink *write,
                          void *state)
{
  return eventring_record_rejoin(r, NULL, 0, write, state);
}

int eventring_record_next(struct eventring_recorder *r, const char *path)
{
  char *copy;
  if (r == NULL || path == NULL) return EVENTRING_E_ARGUMENT;
  if (error_of(r) < 0) return error_of(r);
  if (!r->file.open) return EVENTRING_E_ARGUMENT;
  copy = strdup(path);
  if (copy == NULL)
    return eventring_give_up(r, EVENTRING_E_MEMORY, "cannot create");
  if (end_file(r, 1) < 0) {
    free(copy);
    return error_of(r);
  }
  free(r->path);
  r->path = copy;
  r->from_ns = r->horizon_ns;
  r->hold = r->options.hold_ns > 0;
  return r->hold ? 0 : begin_file(r);
}

int eventring_record_end(struct eventring_recorder *r)
{
  if (r == NULL) return EVENTRING_E_ARGUMENT;
  if (r->file.open && r->failed == 0) end_file(r, 0);
  r->ended = 1;
  return error_of(r);
}

int eventring_record_close(struct eventring_recorder *r)
{
  int err;
  if (r == NULL) return 0;
  err = eventring_record_end(r);
  while (r->held != NULL) drop_held(r);
  if (r->rings != NULL)
    for (uint32_t i = 0; i < r->source->checked.rings; i++)
      free(r->rings[i].words);
  free(r->rings);
  eventring_drop_chunks(&r->file);
  eventring_free_open(r->open);
  free(r->raw);
  free(r->note);
  free(r->node);
  free(r->path);
  free(r);
  return err;
}
