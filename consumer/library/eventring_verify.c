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

/* Checks that a file is as its writer wrote it, byte by byte.

   A recording is read twice: chunk by chunk, to check each against its sums and
   against the index; then by the reader, to count events.  The words of both
   formats are blocks, and each block is checked against its header, the rules
   for events, and the block before it. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_source.h"
#include "eventring_words.h"

/* The last block of a ring, from which the next one goes on. */
struct last_block {
  uint64_t ticks, events;       /* of its header, and events up to its end */
  int known;
};

struct verifier {
  void (*found)(void *state, uint64_t offset, const char *what);
  void *state;
  struct eventring_cursor *cursor;
  const struct eventring_header *header;
  struct last_block *rings;
};

/* Reports a fault at [offset] of the file by calling v->found with the
   formatted line, cut to 255 bytes. */
__attribute__((format(printf, 3, 4)))
static void find(struct verifier *v, uint64_t offset, const char *format, ...)
{
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  v->found(v->state, offset, what);
}

/* Blocks */

/* Checks the first [count] words of a block, at [words], against the rules for
   blocks and the block before it, and reports faults.  The block is at
   [position] of ring [ring] and at [offset] in the file.  [step] is the
   distance in the file, in bytes, from one word to the next; 0 when the words
   are compressed, so that all faults are reported at [offset].  Stops at the
   first word that is no event.  Keeps a block with a possible header as the
   last block of the ring. */
static void verify_block(struct verifier *v, uint32_t ring, uint64_t position,
                         const uint64_t *words, uint32_t count,
                         uint64_t offset, uint32_t step)
{
  struct last_block *last = &v->rings[ring];
  uint64_t ticks = words[EVENTRING_BLOCK_TICKS], events = 0;
  uint32_t i = EVENTRING_BLOCK_HEADER_WORDS;

  if (count <= EVENTRING_BLOCK_HEADER_WORDS) {
    find(v, offset, "ring %u: a block without an event", ring);
    return;
  }
  if (words[EVENTRING_BLOCK_EVENTS] > position) {
    find(v, offset, "ring %u: a block that says %llu events came before it, in "
         "%llu words", ring, (unsigned long long) words[EVENTRING_BLOCK_EVENTS],
         (unsigned long long) position);
    return;
  }
  if (last->known && words[EVENTRING_BLOCK_EVENTS] < last->events)
    find(v, offset, "ring %u: a block that says %llu events came before it, "
         "and there were %llu", ring,
         (unsigned long long) words[EVENTRING_BLOCK_EVENTS],
         (unsigned long long) last->events);
  if (last->known && ticks < last->ticks)
    find(v, offset, "ring %u: a block that is earlier than the one before it",
         ring);
  while (i < count && words[i] != 0) {
    uint64_t at = offset + (uint64_t) i * step;
    uint32_t payload, length;
    if (EVENTRING_WORD_ID(words[i]) == 0) {
      find(v, at, "ring %u: word %u of a block is no event", ring, i);
      break;
    }
    if (!eventring_find_payload(words, i, count, &payload, &length)) {
      find(v, at, "ring %u: an event of %u words that does not end in its "
           "block", ring, length);
      break;
    }
    i = payload + length;
    events++;
  }
  *last = (struct last_block) { ticks,
                                words[EVENTRING_BLOCK_EVENTS] + events, 1 };
}

/* The schema */

/* Checks [count] entries of the schema, each of [entry_size] bytes, at
   [entries], and reports faults.  The first is at [offset] of the file, the
   next [step] bytes behind; [step] is 0 for compressed entries.  Checks nothing
   when there is no memory. */
static void verify_schema(struct verifier *v, const char *entries,
                          uint64_t entry_size, uint32_t count, uint64_t offset,
                          uint64_t step)
{
  uint8_t *seen = calloc((size_t) 1 << EVENTRING_ID_BITS, 1);
  for (uint32_t i = 0; i < count && seen != NULL; i++) {
    struct eventring_schema_entry e;
    uint64_t at = offset + i * step;
    int is_event;
    memcpy(&e, entries + i * entry_size, sizeof e);
    is_event = (e.kind >= EVENTRING_SPAN && e.kind <= EVENTRING_INSTANT)
               || e.kind == EVENTRING_FLOW || e.kind == EVENTRING_COMPLETE
               || e.kind == EVENTRING_REQUEST;
    if (memchr(e.name, 0, sizeof e.name) == NULL
        || memchr(e.unit, 0, sizeof e.unit) == NULL)
      find(v, at, "entry %u of the schema: a name that does not end", i);
    if (is_event && (e.id == 0 || e.category >= 32))
      find(v, at, "entry %u of the schema: id %u in category %u cannot be", i,
           e.id, e.category);
    if (is_event && seen[e.id]++)
      find(v, at, "entry %u of the schema: id %u for the second time", i, e.id);
  }
  free(seen);
}

/* Ring files */

/* Checks all blocks of ring [ring] of a ring file, copying each to [block],
   which has room for a block.  Leaves out blocks that the process overwrites
   meanwhile. */
static void verify_ring(struct verifier *v, uint32_t ring, uint64_t *block)
{
  const struct eventring_header *h = v->header;
  const struct eventring_source *s = eventring_cursor_source(v->cursor);
  uint64_t slot_at = h->directory_offset + (uint64_t) ring * h->slot_size;
  const struct eventring_slot *slot =
    (const void *) (s->directory + (uint64_t) ring * h->slot_size);
  uint64_t position = 0;
  int words;
  for (;;) {
    uint64_t place = position & (h->ring_words - 1), was = position;
    words = eventring_copy_block(v->cursor, ring, &position, block);
    if (words < 0)
      find(v, slot_at, "ring %u: tail %llu and reserve %llu contradict each "
           "other", ring, (unsigned long long) slot->tail,
           (unsigned long long) slot->reserve);
    if (words <= 0) return;
    if (position != was) continue;
    /* Words that a running process has added meanwhile are not looked at. */
    verify_block(v, ring, was, block, (uint32_t) words,
                 h->rings_offset + (ring * h->ring_words + place) * 8, 8);
    position += h->block_words;
  }
}

static int verify_ring_file(struct verifier *v)
{
  const struct eventring_source *s = eventring_cursor_source(v->cursor);
  uint32_t count =
    __atomic_load_n(&s->header->schema_count, __ATOMIC_ACQUIRE);
  uint64_t *block = malloc(v->header->block_words * 8);
  if (block == NULL) return EVENTRING_E_MEMORY;
  if (count > v->header->schema_capacity)
    find(v, offsetof(struct eventring_header, schema_count),
         "the schema has %u entries, in room for %u", count,
         v->header->schema_capacity);
  else
    verify_schema(v, s->schema, v->header->schema_entry_size, count,
                  v->header->schema_offset, v->header->schema_entry_size);
  for (uint32_t i = 0; i < v->header->rings; i++) verify_ring(v, i, block);
  free(block);
  return 0;
}

/* Recordings */

static const char *kind_name(uint32_t kind)
{
  static const char *const names[] =
    { "?", "PROCESS", "SCHEMA", "SEGMENT", "NOTE", "END", "INDEX",
      "NODE", "CLOCK", "OPEN" };
  return names[kind <= CHUNK_OPEN ? kind : 0];
}

/* Checks the runs of a segment, [size] bytes at [p] after decompressing, and
   their blocks.  The segment is of the process that the cursor reads; its chunk
   is at [offset] of the file. */
static void verify_segment(struct verifier *v, const char *p, size_t size,
                           uint64_t offset)
{
  const uint32_t block_words = v->header->block_words;
  const uint64_t *words;
  struct run run;
  int more;
  while ((more = eventring_next_run(&p, &size, v->header, &run, &words)) > 0) {
    /* The block that the segment before ended with comes once more. */
    v->rings[run.ring].known = 0;
    for (uint32_t i = 0; i < run.words; i += block_words)
      verify_block(v, run.ring, run.position + i, words + i,
                   run.words - i < block_words ? run.words - i : block_words,
                   offset, 0);
  }
  if (more < 0)
    find(v, offset, "%s", size < sizeof run
         ? "a segment that does not end with a run" : "an impossible run");
}

/* Checks the spans of an OPEN chunk, [size] bytes at [p], at [offset] of the
   file. */
static void verify_open(struct verifier *v, const char *p, size_t size,
                        uint64_t offset)
{
  struct eventring_open_span span;
  if (size % sizeof span != 0)
    find(v, offset, "a list of open spans that ends within a span");
  for (; size >= sizeof span; p += sizeof span, size -= sizeof span) {
    memcpy(&span, p, sizeof span);
    if (span.ring >= EVENTRING_MAX_RINGS || EVENTRING_WORD_ID(span.word) == 0
        || EVENTRING_WORD_FORM(span.word) != EVENTRING_FORM_BEGIN
        || EVENTRING_WORD_LENGTH(span.word) > 1) {
      find(v, offset, "an open span that no recorder writes");
      return;
    }
  }
}

/* Checks that the content of chunk [e] is as its sum says, and checks the
   entries of a SCHEMA chunk and the spans of an OPEN chunk. */
static void verify_content(struct verifier *v, struct chunk_reader *r,
                           const struct index_entry *e)
{
  const size_t entry = sizeof(struct eventring_schema_entry);
  if (eventring_read_chunk(r, e) < 0)
    find(v, e->offset, "the bytes of a chunk (%s) are not those that were "
         "written", kind_name(e->chunk.kind));
  else if (e->chunk.kind == CHUNK_SCHEMA)
    verify_schema(v, r->raw, entry, (uint32_t) (e->chunk.raw / entry),
                  e->offset, 0);
  else if (e->chunk.kind == CHUNK_OPEN)
    verify_open(v, r->raw, (size_t) e->chunk.raw, e->offset);
}

/* Checks the chunks one after the other, in the order of the file, compares
   each with its entry in the index, and checks the bytes after the index.
   Stops where neither the file nor the index has a next chunk. */
static void verify_chunks(struct verifier *v, struct chunk_reader *r)
{
  uint64_t offset = sizeof(struct recording_start);
  struct index_entry e;
  size_t i = 0;
  for (;;) {
    e.offset = offset;
    if (!eventring_read_at(r, offset, &e.chunk, sizeof e.chunk)) {
      find(v, offset, "the recording ends here, without its index: it was cut, "
           "or its recorder was killed");
      return;
    }
    if (!eventring_possible_chunk(r, offset, &e.chunk)) {
      find(v, offset, r->size - offset < sizeof e.chunk + e.chunk.stored
                      ? "the recording is cut, or damaged, here"
                      : "no chunk begins here");
      if (i >= r->count || !r->indexed) return;
      /* The index knows it. */
      e = r->chunks[i];
    } else if (r->indexed && e.chunk.kind != CHUNK_INDEX
               && (i >= r->count || r->chunks[i].offset != offset
                   || memcmp(&r->chunks[i].chunk, &e.chunk, sizeof e.chunk)
                      != 0)) {
      find(v, offset, "a chunk (%s) that the index does not know",
           kind_name(e.chunk.kind));
    }
    verify_content(v, r, &e);
    offset = e.offset + sizeof e.chunk + e.chunk.stored;
    if (e.chunk.kind == CHUNK_INDEX) break;
    i++;
  }
  if (!r->indexed)
    find(v, offset, "the end of the file, which is to tell where the index is, "
         "does not");
  if (r->indexed && i != r->count)
    find(v, e.offset, "an index of %zu chunks, and there are %zu", r->count, i);
  if (r->size - offset != sizeof(struct recording_trailer))
    find(v, offset, "%llu bytes after the index, and it should be %zu",
         (unsigned long long) (r->size - offset),
         sizeof(struct recording_trailer));
}

/* Reads all events of process [process] by the cursor, which must be at its
   beginning, and reports a fault when their number differs from the number in
   the recording, or when words cannot be read. */
static void verify_counts(struct verifier *v, uint32_t process)
{
  struct eventring_info info = { .size = sizeof info };
  struct eventring_event events[256];
  uint64_t read = 0;
  int n, damaged = 0;
  eventring_get_info(v->cursor, &info);
  while ((n = eventring_read(v->cursor, events, 256)) != 0)
    if (n < 0) damaged++;
  for (uint32_t i = 0; i < info.rings; i++)
    read += eventring_events_read(v->cursor, i);
  if (damaged > 0)
    find(v, 0, "process %u: %d segments or blocks cannot be read", process,
         damaged);
  if (info.format == EVENTRING_FORMAT_RECORDING
      && info.recorded_events != UINT64_MAX && info.recorded_events != read)
    find(v, 0, "process %u: %llu events were recorded, and %llu are read",
         process, (unsigned long long) info.recorded_events,
         (unsigned long long) read);
}

static void verify_process(struct verifier *v, struct chunk_reader *r,
                           uint32_t process)
{
  for (size_t i = 0; i < r->count; i++) {
    const struct index_entry *e = &r->chunks[i];
    if (e->chunk.kind == CHUNK_SEGMENT && e->chunk.process == process
        && eventring_read_chunk(r, e) == 0)
      verify_segment(v, r->raw, (size_t) e->chunk.raw, e->offset);
  }
  verify_counts(v, process);
}

/* The file */

static void close_process(struct verifier *v)
{
  free(v->rings);
  eventring_close(v->cursor);
  v->rings = NULL;
  v->cursor = NULL;
}

/* Opens a cursor on process [process] of the file at [path], and closes the
   cursor on the process before.  Sets v->header and v->rings for it.  Returns 0
   or an error, with a message in the buffer of [options] except when there is
   no memory for v->rings. */
static int open_recorded_process(struct verifier *v, const char *path,
                                 const struct eventring_options *options,
                                 uint32_t process)
{
  struct eventring_options o = { .size = sizeof o, .process = process,
                                 .share_with = v->cursor,
                                 .message = options->message,
                                 .message_size = options->message_size };
  struct eventring_cursor *cursor;
  int err;
  err = eventring_open(path, &o, &cursor);
  close_process(v);
  v->cursor = cursor;
  if (err < 0) return err;
  v->header = &eventring_cursor_source(v->cursor)->checked;
  v->rings = calloc(v->header->rings, sizeof *v->rings);
  return v->rings == NULL ? EVENTRING_E_MEMORY : 0;
}

static int verify_recording(struct verifier *v, const char *path,
                            const struct eventring_options *options)
{
  uint32_t processes = eventring_cursor_source(v->cursor)->processes;
  struct chunk_reader r;
  int err = eventring_share_recording(&r, eventring_cursor_source(v->cursor),
                                      options, path);
  if (err == 0) {
    verify_chunks(v, &r);
    for (uint32_t process = 0; process < processes && err == 0; process++) {
      err = open_recorded_process(v, path, options, process);
      if (err == 0) verify_process(v, &r, process);
    }
  }
  eventring_close_chunks(&r);
  return err;
}

int eventring_verify(const char *path, const struct eventring_options *options,
                     void (*found)(void *state, uint64_t offset,
                                   const char *what),
                     void *state)
{
  struct verifier v = { .found = found, .state = state };
  struct eventring_options o;
  int err;
  if (path == NULL || found == NULL) return EVENTRING_E_ARGUMENT;
  err = eventring_take_options(&o, options);
  if (err < 0) return err;
  err = open_recorded_process(&v, path, &o, 0);
  if (err == 0)
    switch (eventring_cursor_source(v.cursor)->format) {
    case EVENTRING_FORMAT_RING: err = verify_ring_file(&v); break;
    case EVENTRING_FORMAT_RECORDING:
      err = verify_recording(&v, path, &o);
      break;
    default: verify_counts(&v, 0); break;
    }
  close_process(&v);
  return err;
}
