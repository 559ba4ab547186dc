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

   It goes in rounds.  A round reads the clock, the horizon, and then copies
   whatever the rings have got since the round before, block by block.  What
   was copied is kept in a buffer for each ring until it is enough for a
   segment, or until a second has passed:

       ring 0   [block][block][blo
       ring 1   [bl                    --- zstd --> a chunk of the file
       ring 7   [block][b

   A reader of the recording takes a segment at a time and returns its events
   up to the horizon of the segment's last round, in order.  Events after the
   horizon may be in the segment already, so the next one begins, for each
   ring, with the block that the horizon falls into: that block is in both,
   which also makes every segment readable by itself.

   Where the writer overtakes the recorder, words are missing.  Positions in
   the recording go on as if they were not; the header of the next block says
   how many events are. */

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
#include "eventring_reader.h"
#include "eventring_recording.h"
#include "eventring_source.h"

/* A segment is written when it has so many words, or is so old. */
#define SEGMENT_WORDS ((uint64_t) 1 << 17)
#define SEGMENT_NS 1000000000

/* A ring's share of a segment, at most: what it has beyond waits for the next
   round. */
#define SHARE_WORDS ((uint64_t) 1 << 16)

/* As fast as the words come. */
#define DEFAULT_LEVEL 1

struct copied {                 /* of a ring */
  uint64_t *words;
  uint64_t capacity;
  uint64_t count;               /* words there are */
  uint64_t sent;                /* of them, in a segment before */
  uint64_t first;               /* position in the recording of words[0], the
                                   beginning of a block */
  uint64_t position;            /* in the ring, where to go on */
  uint64_t events;              /* copied, without those of the last block */
  uint64_t lost;
  uint64_t events_before, lost_before; /* of these, in files before this one */
  int begun;                    /* there has been a block */
  int held_back;                /* it had more than its share */
  int late;                     /* words of the last segment may be of after
                                   its horizon */
};

/* A chunk, compressed. */
struct packet {
  struct packet *next;
  struct chunk chunk;
  char bytes[];
};

struct eventring_recorder {
  struct eventring_cursor *cursor;
  struct eventring_source *source;
  struct eventring_record_options options;
  char *path;
  int fd;
  int failed;                   /* the error that ended it, or 0 */
  uint64_t rounds;

  struct copied *rings;
  uint64_t words;               /* copied and in no segment yet */
  int64_t since_ns;             /* when the last segment was written */
  uint64_t horizon;
  int64_t horizon_ns;
  uint64_t after;               /* events up to then are of the file before */
  uint32_t schema_count;        /* entries in the present file */

  int hold;
  struct packet *held, **held_end;

  uint64_t offset;              /* of the end of the file */
  struct index_entry *index;
  size_t index_count, index_capacity;
  char *note;

  ZSTD_CCtx *zstd;
  char *raw;                    /* of the chunk being made */
  size_t raw_capacity;
};

static int64_t now_ns(void)
{
  return eventring_clock_ns(CLOCK_MONOTONIC);
}

/* The file */

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

static int write_all(struct eventring_recorder *r, const void *bytes,
                     size_t length)
{
  const char *p = bytes;
  while (length > 0) {
    ssize_t n = write(r->fd, p, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      give_up(r, EVENTRING_E_SYSTEM, "cannot write");
      /* Readers find the end of the last whole chunk anyway. */
      if (ftruncate(r->fd, (off_t) r->offset) < 0) { /* then so be it */ }
      return r->failed;
    }
    p += n;
    length -= (size_t) n;
  }
  return 0;
}

static int write_packet(struct eventring_recorder *r, const struct chunk *chunk,
                        const char *bytes)
{
  if (r->index_count == r->index_capacity) {
    size_t capacity = r->index_capacity * 2 + 64;
    void *more = realloc(r->index, capacity * sizeof *r->index);
    if (more == NULL) return give_up(r, EVENTRING_E_MEMORY, "cannot write");
    r->index = more;
    r->index_capacity = capacity;
  }
  if (write_all(r, chunk, sizeof *chunk) < 0
      || write_all(r, bytes, (size_t) chunk->stored) < 0)
    return r->failed;
  if (chunk->kind != CHUNK_INDEX)
    r->index[r->index_count++] = (struct index_entry) { r->offset, *chunk };
  r->offset += sizeof *chunk + chunk->stored;
  return 0;
}

/* Chunks */

/* Room for a chunk's [size] bytes after the struct chunk; NULL: no memory. */
static char *begin_chunk(struct eventring_recorder *r, size_t size)
{
  if (sizeof(struct chunk) + size > r->raw_capacity) {
    size_t capacity = sizeof(struct chunk) + size + size / 4;
    free(r->raw);
    r->raw_capacity = 0;
    r->raw = malloc(capacity);
    if (r->raw == NULL) {
      give_up(r, EVENTRING_E_MEMORY, "cannot write");
      return NULL;
    }
    r->raw_capacity = capacity;
  }
  return r->raw + sizeof(struct chunk);
}

/* Compresses what was put there, and writes it or holds it. */
static int end_chunk(struct eventring_recorder *r, struct chunk chunk,
                     size_t size)
{
  size_t bound = ZSTD_compressBound(sizeof chunk + size), stored;
  struct packet *p = malloc(sizeof *p + bound);
  int err;
  if (p == NULL) return give_up(r, EVENTRING_E_MEMORY, "cannot write");
  chunk.raw = sizeof chunk + size;
  memcpy(r->raw, &chunk, sizeof chunk);
  stored = ZSTD_compress2(r->zstd, p->bytes, bound, r->raw, chunk.raw);
  if (ZSTD_isError(stored)) {
    free(p);
    return give_up(r, EVENTRING_E_MEMORY, "cannot compress");
  }
  chunk.stored = stored;
  if (r->hold && chunk.kind == CHUNK_SEGMENT) {
    struct packet *small = realloc(p, sizeof *p + stored);
    if (small != NULL) p = small;
    p->next = NULL;
    p->chunk = chunk;
    *r->held_end = p;
    r->held_end = &p->next;
    while (r->held->chunk.last_ns < chunk.last_ns - r->options.hold_ns) {
      p = r->held;
      r->held = p->next;
      free(p);
    }
    return 0;
  }
  err = write_packet(r, &chunk, p->bytes);
  free(p);
  return err;
}

static int write_chunk(struct eventring_recorder *r, uint32_t kind,
                       const void *bytes, size_t size)
{
  char *to = begin_chunk(r, size);
  if (to == NULL) return r->failed;
  memcpy(to, bytes, size);
  return end_chunk(r, (struct chunk) { .kind = kind }, size);
}

/* The header as it is now. */
static struct eventring_header header_now(struct eventring_recorder *r)
{
  struct eventring_header h = r->source->checked;
  const struct eventring_header *now = r->source->header;
  h.control = __atomic_load_n(&now->control, __ATOMIC_RELAXED);
  h.state = __atomic_load_n(&now->state, __ATOMIC_ACQUIRE);
  if (h.state != EVENTRING_RUNNING) {
    h.ended.ticks = __atomic_load_n(&now->ended.ticks, __ATOMIC_RELAXED);
    h.ended.monotonic_ns =
      __atomic_load_n(&now->ended.monotonic_ns, __ATOMIC_RELAXED);
    h.ended.realtime_ns =
      __atomic_load_n(&now->ended.realtime_ns, __ATOMIC_RELAXED);
  }
  h.schema_count = 0;
  return h;
}

/* Writes the entries of the schema that the file does not have. */
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
  to = (void *) begin_chunk(r, (count - first) * sizeof *to);
  if (to == NULL) return r->failed;
  for (uint32_t i = first; i < count; i++)
    memcpy(&to[i - first],
           r->source->schema + (uint64_t) i * h->schema_entry_size, sizeof *to);
  r->schema_count = count;
  return end_chunk(r, (struct chunk) { .kind = CHUNK_SCHEMA },
                   (count - first) * sizeof *to);
}

static int begin_file(struct eventring_recorder *r)
{
  struct recording_start start = { .version_major = RECORDING_VERSION_MAJOR,
                                   .version_minor = RECORDING_VERSION_MINOR,
                                   .chunk_size = sizeof(struct chunk) };
  struct eventring_header h = header_now(r);
  char *to;
  memcpy(start.magic, RECORDING_MAGIC, sizeof start.magic);
  r->fd = open(r->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY
                        | (r->options.replace ? O_TRUNC : O_EXCL), 0600);
  if (r->fd < 0) return give_up(r, EVENTRING_E_SYSTEM, "cannot make");
  r->offset = 0;
  r->index_count = 0;
  r->schema_count = 0;
  if (write_all(r, &start, sizeof start) < 0) return r->failed;
  r->offset = sizeof start;
  to = begin_chunk(r, sizeof h);
  if (to == NULL) return r->failed;
  memcpy(to, &h, sizeof h);
  if (end_chunk(r, (struct chunk) { .kind = CHUNK_PROCESS, .horizon = r->after },
                sizeof h) < 0)
    return r->failed;
  return write_schema(r);
}

/* Rounds */

/* How many events with a time after [ticks] the blocks hold that begin with
   word [from] of what was copied of a ring, up to word [end]. */
static uint64_t count_events(const struct eventring_recorder *r,
                             const struct copied *c, uint64_t from,
                             uint64_t end, uint64_t ticks)
{
  const uint64_t block_words = r->source->checked.block_words;
  uint64_t events = 0;
  for (uint64_t block = from; block < end; block += block_words) {
    uint64_t base = c->words[block + EVENTRING_BLOCK_TICKS];
    uint64_t i = block + EVENTRING_BLOCK_HEADER_WORDS;
    while (i < end && i < block + block_words && c->words[i] != 0) {
      uint64_t length = EVENTRING_WORD_LENGTH(c->words[i]);
      if (ticks == 0 || base + EVENTRING_WORD_TICKS(c->words[i]) > ticks)
        events++;
      if (length == EVENTRING_LENGTH_LONG)
        length = i + 1 < end ? 1 + (uint64_t) (uint32_t) c->words[i + 1] : 0;
      i += 1 + length;
    }
  }
  return events;
}

static uint64_t last_block(const struct eventring_recorder *r, uint64_t count)
{
  const uint64_t block_words = r->source->checked.block_words;
  return count == 0 ? 0 : (count - 1) / block_words * block_words;
}

/* All events that were copied of a ring. */
static uint64_t events_copied(const struct eventring_recorder *r,
                              const struct copied *c)
{
  return c->events + count_events(r, c, last_block(r, c->count), c->count, 0);
}

/* Takes note of a block that begins at word [at] of what was copied. */
static void count_block(const struct eventring_recorder *r, struct copied *c,
                        uint64_t at)
{
  uint64_t index = c->words[at + EVENTRING_BLOCK_EVENTS];
  if (c->begun) {
    /* The events that the ring had after those of the block before. */
    uint64_t block = last_block(r, at);
    uint64_t last = count_events(r, c, block, at, 0);
    uint64_t before = c->words[block + EVENTRING_BLOCK_EVENTS] + last;
    c->events += last;
    if (index > before) c->lost += index - before;
  } else if (r->rounds > 1) {
    c->lost += index;
  }
  c->begun = 1;
}

/* Makes room for a block more. */
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

/* Copies what is new in ring [i], up to its share. */
static int copy_ring(struct eventring_recorder *r, uint32_t i)
{
  struct copied *c = &r->rings[i];
  const uint64_t block_words = r->source->checked.block_words;

  c->held_back = 0;
  for (;;) {
    uint64_t position = c->position, in_block = position % block_words;
    uint64_t at = c->count;
    uint64_t *block;
    int words;

    if (c->count - c->sent >= SHARE_WORDS) {
      c->held_back = 1;
      return 0;
    }
    if (grow(r, c) < 0) return r->failed;
    /* In step: a block of the ring is a block of ours. */
    block = c->words + (c->count - in_block);
    words = eventring_copy_block(r->cursor, i, &position, block);
    /* A damaged slot has no words; others may. */
    if (words <= 0) return 0;
    if (position != c->position) {
      /* Overtaken.  What we have of the block ends it. */
      if (in_block != 0) {
        memset(block + in_block, 0, (block_words - in_block) * 8);
        c->count += block_words - in_block;
        r->words += block_words - in_block;
      }
      c->position = position;
      continue;
    }
    c->count += (uint64_t) words;
    c->position += (uint64_t) words;
    r->words += (uint64_t) words;
    if (in_block == 0) {
      if (words < EVENTRING_BLOCK_HEADER_WORDS) {
        /* No writer does that.  Whoever reads it shall see the damage. */
        uint64_t rest = block_words - (uint64_t) words;
        memset(block + words, 0, rest * 8);
        c->count += rest;
        c->position += rest;
      }
      count_block(r, c, at);
    }
  }
}

/* The block of what was copied of a ring that time [horizon] falls into: the
   last one that begins at or before it. */
static uint64_t horizon_block(const struct eventring_recorder *r,
                              const struct copied *c, uint64_t horizon)
{
  const uint64_t block_words = r->source->checked.block_words;
  uint64_t at = last_block(r, c->count);
  while (at > 0 && c->words[at + EVENTRING_BLOCK_TICKS] > horizon)
    at -= block_words;
  return at;
}

/* Writes what was copied, and keeps the blocks that later words, or events
   after the horizon, belong to. */
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
  to = begin_chunk(r, size);
  if (to == NULL) return r->failed;
  for (uint32_t i = 0; i < rings; i++) {
    struct copied *c = &r->rings[i];
    struct run run = { i, (uint32_t) c->count, c->first };
    uint64_t keep;
    int64_t ns;
    if (c->count <= c->sent && !c->late) continue;
    memcpy(to, &run, sizeof run);
    memcpy(to + sizeof run, c->words, (size_t) c->count * 8);
    to += sizeof run + (size_t) c->count * 8;
    ns = (int64_t) c->words[EVENTRING_BLOCK_NS];
    if (ns < chunk.first_ns) chunk.first_ns = ns;
    /* Nobody's clock says when it ended. */
    ns = (int64_t) c->words[last_block(r, c->count) + EVENTRING_BLOCK_NS];
    if (r->horizon == UINT64_MAX && ns > last_ns) last_ns = ns;

    c->late = c->count > c->sent;
    keep = horizon_block(r, c, r->horizon);
    memmove(c->words, c->words + keep, (size_t) (c->count - keep) * 8);
    c->first += keep;
    c->count -= keep;
    c->sent = c->count;
  }
  r->words = 0;
  if (r->horizon == UINT64_MAX) chunk.last_ns = last_ns;
  return end_chunk(r, chunk, size);
}

/* One round.  Returns 1 when there is more to copy. */
static int round_of_rings(struct eventring_recorder *r)
{
  const struct eventring_header *h = &r->source->checked;
  int more = 0;

  r->rounds++;
  if (r->source->advance != NULL) {
    int err;
    for (uint32_t i = 0; i < h->rings; i++)
      r->source->rings[i].needed = r->rings[i].position;
    err = r->source->advance(r->source);
    /* What is damaged is not there to be copied. */
    if (err < 0 && err != EVENTRING_E_DAMAGED) return r->failed = err;
    more = r->source->behind;
  }
  r->horizon = eventring_horizon(r->cursor);
  r->horizon_ns = now_ns();
  for (uint32_t i = 0; i < h->rings; i++)
    if (copy_ring(r, i) < 0) return r->failed;
  /* Of a ring with more, only what its last block begins after is sure. */
  for (uint32_t i = 0; i < h->rings; i++) {
    struct copied *c = &r->rings[i];
    if (c->held_back) {
      const uint64_t *last =
        c->words + last_block(r, c->count);
      more = 1;
      if (last[EVENTRING_BLOCK_TICKS] < r->horizon) {
        r->horizon = last[EVENTRING_BLOCK_TICKS];
        r->horizon_ns = (int64_t) last[EVENTRING_BLOCK_NS];
      }
    }
  }
  return more;
}

/* Copies what is new; writes a segment when it is time, or when asked to. */
static int64_t step(struct eventring_recorder *r, int all)
{
  const struct eventring_header *h = &r->source->checked;
  /* A writer that never rests is left alone after all that rings can hold. */
  uint64_t copied = 0, enough = all ? h->rings * h->ring_words
                                    : 16 * SEGMENT_WORDS;
  int more;
  if (r->failed < 0) return r->failed;
  /* An event that was translated may have got a block of its own. */
  if (r->source->advance != NULL) enough *= h->block_words / 2;
  do {
    uint64_t before = r->words;
    more = round_of_rings(r);
    if (more < 0) return r->failed;
    copied += r->words - before;
    if (r->words >= SEGMENT_WORDS || more
        || now_ns() - r->since_ns >= SEGMENT_NS || all) {
      int late = 0;
      for (uint32_t i = 0; i < h->rings; i++) late |= r->rings[i].late;
      r->since_ns = now_ns();
      if ((r->words > 0 || (all && late)) && write_segment(r) < 0)
        return r->failed;
    }
    /* What is new by then is for the next step. */
  } while (more && copied < enough);
  return (int64_t) copied;
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
  struct eventring_recorder *r;
  int err;

  if (path == NULL || cursor == NULL || result == NULL
      || (options != NULL && options->size < sizeof options->size))
    return EVENTRING_E_ARGUMENT;
  *result = NULL;
  r = calloc(1, sizeof *r);
  if (r == NULL) return EVENTRING_E_MEMORY;
  if (options != NULL)
    memcpy(&r->options, options, options->size < sizeof r->options
                                 ? options->size : sizeof r->options);
  r->fd = -1;
  r->cursor = cursor;
  r->source = eventring_cursor_source(cursor);
  r->hold = r->options.hold_ns > 0;
  r->held_end = &r->held;
  r->since_ns = now_ns();
  r->path = strdup(path);
  r->rings = calloc(r->source->checked.rings, sizeof *r->rings);
  r->zstd = ZSTD_createCCtx();
  if (r->path == NULL || r->rings == NULL || r->zstd == NULL) {
    err = EVENTRING_E_MEMORY;
    goto err_out;
  }
  if (!r->source->live) {
    err = EVENTRING_E_ARGUMENT;
    goto err_out;
  }
  ZSTD_CCtx_setParameter(r->zstd, ZSTD_c_compressionLevel,
                         r->options.level == 0 ? DEFAULT_LEVEL
                                               : r->options.level);
  ZSTD_CCtx_setParameter(r->zstd, ZSTD_c_checksumFlag, 1);
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    uint64_t position = eventring_position(cursor, i);
    r->rings[i].position = position - position % r->source->checked.block_words;
    r->rings[i].first = RECORDING_POSITION;
  }
  err = r->hold ? 0 : begin_file(r);
  if (err < 0) goto err_out;
  *result = r;
  return 0;

err_out:
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
    if (r->failed == 0) write_packet(r, &p->chunk, p->bytes);
    r->held = p->next;
    free(p);
  }
  r->held_end = &r->held;
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
  return 0;
}

int eventring_record_totals(struct eventring_recorder *r,
                            struct eventring_record_totals *totals)
{
  struct eventring_record_totals mine = { .size = sizeof mine };
  if (r == NULL || totals == NULL || totals->size < sizeof totals->size)
    return EVENTRING_E_ARGUMENT;
  mine.bytes = r->offset;
  for (uint32_t i = 0; i < r->source->checked.rings; i++) {
    const struct copied *c = &r->rings[i];
    mine.events += events_copied(r, c) - c->events_before;
    mine.lost += c->lost - c->lost_before;
  }
  mine.size = totals->size;
  memcpy(totals, &mine,
         totals->size < sizeof mine ? totals->size : sizeof mine);
  return 0;
}

/* Writes the index and the trailer. */
static int write_index(struct eventring_recorder *r)
{
  struct recording_trailer trailer = { .index = r->offset };
  memcpy(trailer.magic, RECORDING_TRAILER_MAGIC, sizeof trailer.magic);
  if (write_chunk(r, CHUNK_INDEX, r->index,
                  r->index_count * sizeof *r->index) < 0)
    return r->failed;
  return write_all(r, &trailer, sizeof trailer);
}

/* Ends the file.  When it is [continued], what comes after the last horizon is
   left to the next. */
static int end_file(struct eventring_recorder *r, int continued)
{
  struct eventring_record_totals totals = { .size = sizeof totals };
  struct part_end end = { .continued = (uint32_t) continued };
  int err;

  if (step(r, 1) < 0) return r->failed;
  eventring_record_totals(r, &totals);
  for (uint32_t i = 0; i < r->source->checked.rings && continued; i++) {
    struct copied *c = &r->rings[i];
    uint64_t after = count_events(r, c, 0, c->count, r->horizon);
    totals.events -= after;
    c->events_before = events_copied(r, c) - after;
    c->lost_before = c->lost;
    c->late = c->count > 0;
  }
  end.state = (uint32_t) eventring_state(r->cursor);
  if (end.state == EVENTRING_STATE_RUNNING)
    end.state = EVENTRING_STATE_UNKNOWN;
  end.events = totals.events;
  end.lost = totals.lost;
  end.header = header_now(r);
  if (end.header.state == EVENTRING_RUNNING)
    end.header.ended = eventring_cursor_instant(r->cursor);
  if (r->note != NULL
      && write_chunk(r, CHUNK_NOTE, r->note, strlen(r->note)) < 0)
    return r->failed;
  if (write_chunk(r, CHUNK_END, &end, sizeof end) < 0
      || write_index(r) < 0)
    return r->failed;
  err = close(r->fd);
  r->fd = -1;
  return err < 0 ? give_up(r, EVENTRING_E_SYSTEM, "cannot write") : 0;
}

int eventring_record_next(struct eventring_recorder *r, const char *path)
{
  char *copy;
  if (r == NULL || path == NULL) return EVENTRING_E_ARGUMENT;
  if (r->failed < 0) return r->failed;
  if (r->fd < 0) return EVENTRING_E_ARGUMENT;
  copy = strdup(path);
  if (copy == NULL) return give_up(r, EVENTRING_E_MEMORY, "cannot make");
  if (end_file(r, 1) < 0) {
    free(copy);
    return r->failed;
  }
  free(r->path);
  r->path = copy;
  r->after = r->horizon;
  r->hold = r->options.hold_ns > 0;
  return r->hold ? 0 : begin_file(r);
}

int eventring_record_close(struct eventring_recorder *r)
{
  int err;
  if (r == NULL) return 0;
  if (r->fd >= 0 && r->failed == 0) end_file(r, 0);
  err = r->failed;
  if (r->fd >= 0) close(r->fd);
  while (r->held != NULL) {
    struct packet *p = r->held;
    r->held = p->next;
    free(p);
  }
  if (r->rings != NULL)
    for (uint32_t i = 0; i < r->source->checked.rings; i++)
      free(r->rings[i].words);
  free(r->rings);
  ZSTD_freeCCtx(r->zstd);
  free(r->raw);
  free(r->note);
  free(r->index);
  free(r->path);
  free(r);
  return err;
}
