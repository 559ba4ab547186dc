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

/* Recordings, as a source of words; see eventring_recording.h for the file.

   At open the list of chunks is taken from the index or, when the recorder
   did not come to write one, made by going from chunk to chunk up to where
   the file was cut.  The whole schema is read then.  Each [advance] reads
   one segment, whose runs are the words of the rings; a ring without a run has
   nothing new.

   The file is not trusted.  It is read, not mapped; sizes are held against the
   file and against bounds before anything is allocated; a segment whose
   checksum is wrong is damage, and the next one is read. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "eventring_reader.h"
#include "eventring_recording.h"
#include "eventring_source.h"

struct recording {
  struct eventring_source source;
  int fd;
  uint64_t size;                /* of the file */
  struct eventring_header header;
  struct eventring_slot *slots;
  char *schema;
  size_t schema_size;           /* bytes */
  char *note;

  struct index_entry *chunks;   /* of the file, then: segments of our part */
  size_t count, capacity;
  size_t next;                  /* segment */
  int continued;                /* what is after its horizon is not wanted */

  ZSTD_DCtx *zstd;
  char *stored, *raw;
  size_t stored_capacity, raw_capacity;
};

/* Reading the file */

static int read_at(const struct recording *r, uint64_t offset, void *to,
                   uint64_t length)
{
  char *p = to;
  if (offset > r->size || length > r->size - offset) return 0;
  while (length > 0) {
    ssize_t n = pread(r->fd, p, (size_t) length, (off_t) offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    p += n;
    offset += (uint64_t) n;
    length -= (uint64_t) n;
  }
  return 1;
}

static int possible(const struct recording *r, uint64_t offset,
                    const struct chunk *c)
{
  return c->kind >= CHUNK_PROCESS && c->kind <= CHUNK_INDEX
    && c->part < RECORDING_MAX_PARTS && c->raw >= sizeof *c
    && c->raw <= RECORDING_MAX_RAW
    && offset <= r->size && r->size - offset >= sizeof *c
    && c->stored <= r->size - offset - sizeof *c;
}

static int reserve(char **buffer, size_t *capacity, size_t size)
{
  if (size <= *capacity) return 1;
  free(*buffer);
  *buffer = malloc(size);
  *capacity = *buffer == NULL ? 0 : size;
  return *buffer != NULL;
}

/* Reads a chunk.  Returns its bytes, [raw - sizeof(struct chunk)] of them, or
   NULL when they are damaged; *error is what to return then. */
static const char *read_chunk(struct recording *r, uint64_t offset,
                              const struct chunk *c, int *error)
{
  struct chunk plain = *c;
  size_t n;
  *error = EVENTRING_E_MEMORY;
  if (!reserve(&r->stored, &r->stored_capacity, (size_t) c->stored)
      || !reserve(&r->raw, &r->raw_capacity, (size_t) c->raw))
    return NULL;
  *error = EVENTRING_E_DAMAGED;
  if (!read_at(r, offset + sizeof *c, r->stored, c->stored)) return NULL;
  n = ZSTD_decompressDCtx(r->zstd, r->raw, (size_t) c->raw, r->stored,
                          (size_t) c->stored);
  if (ZSTD_isError(n) || n != c->raw) return NULL;
  plain.stored = 0;
  /* What pieces of recordings are put together changes these. */
  plain.part = ((struct chunk *) r->raw)->part;
  plain.shift = ((struct chunk *) r->raw)->shift;
  if (plain.kind == CHUNK_PROCESS)
    plain.horizon = ((struct chunk *) r->raw)->horizon;
  if (memcmp(&plain, r->raw, sizeof plain) != 0) return NULL;
  return r->raw + sizeof plain;
}

/* The list of chunks */

static int add_chunk(struct recording *r, uint64_t offset,
                     const struct chunk *c)
{
  if (r->count == r->capacity) {
    size_t capacity = 2 * r->capacity + 256;
    void *more = realloc(r->chunks, capacity * sizeof *r->chunks);
    if (more == NULL) return 0;
    r->chunks = more;
    r->capacity = capacity;
  }
  r->chunks[r->count++] = (struct index_entry) { offset, *c };
  return 1;
}

/* Takes the list from the index.  Returns 0 when there is none to rely on. */
static int take_index(struct recording *r)
{
  struct recording_trailer trailer;
  struct chunk c;
  const char *entries;
  int error;
  if (r->size < sizeof trailer
      || !read_at(r, r->size - sizeof trailer, &trailer, sizeof trailer)
      || memcmp(trailer.magic, RECORDING_TRAILER_MAGIC, sizeof trailer.magic)
         != 0
      || !read_at(r, trailer.index, &c, sizeof c)
      || c.kind != CHUNK_INDEX || !possible(r, trailer.index, &c))
    return 0;
  entries = read_chunk(r, trailer.index, &c, &error);
  if (entries == NULL) return 0;
  for (size_t i = 0; i < (c.raw - sizeof c) / sizeof(struct index_entry); i++) {
    struct index_entry e;
    memcpy(&e, entries + i * sizeof e, sizeof e);
    if (!possible(r, e.offset, &e.chunk) || !add_chunk(r, e.offset, &e.chunk)) {
      r->count = 0;
      return 0;
    }
  }
  return 1;
}

/* Makes the list by going through the file. */
static int walk(struct recording *r)
{
  uint64_t offset = sizeof(struct recording_start);
  struct chunk c;
  while (read_at(r, offset, &c, sizeof c)) {
    if (!possible(r, offset, &c)) break;
    if (c.kind == CHUNK_INDEX) return 1;
    if (!add_chunk(r, offset, &c)) return 0;
    offset += sizeof c + c.stored;
  }
  r->source.damaged_at = offset;
  return 1;
}

/* The parts of the file and, of part [part], everything but the segments */

static int take_schema(struct recording *r, const char *entries, size_t size)
{
  char *more = realloc(r->schema, r->schema_size + size + 1);
  if (more == NULL) return 0;
  memcpy(more + r->schema_size, entries, size);
  r->schema = more;
  r->schema_size += size;
  return 1;
}

static int take_part(struct recording *r, uint32_t part)
{
  size_t segments = 0;
  int ended = 0, error = 0, begun = 0;
  uint64_t shift = 0;
  r->source.state = EVENTRING_STATE_UNKNOWN;
  for (size_t i = 0; i < r->count; i++) {
    const struct index_entry e = r->chunks[i];
    const char *bytes = NULL;
    size_t size = (size_t) e.chunk.raw - sizeof e.chunk;
    if (e.chunk.part >= r->source.parts) r->source.parts = e.chunk.part + 1;
    if (e.chunk.part != part) continue;
    if (e.chunk.kind == CHUNK_SEGMENT) {
      r->chunks[segments++] = e;
      continue;
    }
    bytes = read_chunk(r, e.offset, &e.chunk, &error);
    if (bytes == NULL) {
      if (error == EVENTRING_E_MEMORY) return error;
      if (r->source.damaged_at == 0) r->source.damaged_at = e.offset;
      continue;
    }
    switch (e.chunk.kind) {
    case CHUNK_PROCESS:
      if (size < sizeof r->header) return EVENTRING_E_DAMAGED;
      if (begun && e.chunk.shift == shift) return EVENTRING_E_DAMAGED;
      memcpy(&r->header, bytes, sizeof r->header);
      if (!begun) r->source.after = e.chunk.horizon;
      /* A piece that was joined tells the whole schema again. */
      r->schema_size = 0;
      begun = 1;
      shift = e.chunk.shift;
      ended = 0;
      break;
    case CHUNK_SCHEMA:
      if (!take_schema(r, bytes, size
                       - size % sizeof(struct eventring_schema_entry)))
        return EVENTRING_E_MEMORY;
      break;
    case CHUNK_NOTE:
      free(r->note);
      r->note = strndup(bytes, size);
      if (r->note == NULL) return EVENTRING_E_MEMORY;
      break;
    case CHUNK_END: {
      struct part_end end;
      if (size < sizeof end) return EVENTRING_E_DAMAGED;
      memcpy(&end, bytes, sizeof end);
      r->header = end.header;
      r->source.state = end.state >= EVENTRING_STATE_RUNNING
                        && end.state <= EVENTRING_STATE_UNKNOWN
                        ? (int) end.state : EVENTRING_STATE_UNKNOWN;
      r->source.from_ns = end.from_ns;
      r->source.to_ns = end.to_ns;
      r->continued = end.continued != 0;
      ended = 1;
      break;
    }
    default:
      break;
    }
  }
  r->count = segments;
  if (!begun) return EVENTRING_E_DAMAGED;
  if (segments > 0) {
    const struct chunk *first = &r->chunks[0].chunk;
    const struct chunk *last = &r->chunks[segments - 1].chunk;
    r->source.first_ns = first->first_ns;
    r->source.last_ns = last->last_ns;
    /* The recorder was killed: its last horizon is an instant too. */
    if (!ended && last->horizon != UINT64_MAX)
      r->header.ended = (struct eventring_instant) {
        last->horizon, last->last_ns,
        r->header.started.realtime_ns
          + (last->last_ns - r->header.started.monotonic_ns) };
  }
  return 0;
}

/* Segments */

/* Makes the runs of a segment the words of the rings. */
static int take_segment(struct recording *r, const char *p, size_t size,
                        uint64_t shift)
{
  const uint32_t rings = r->header.rings;
  const uint64_t block_words = r->header.block_words;
  struct run run;

  for (uint32_t i = 0; i < rings; i++)
    r->source.rings[i].first = r->slots[i].tail;
  for (; size >= sizeof run; size -= sizeof run + (size_t) run.words * 8,
                             p += sizeof run + (size_t) run.words * 8) {
    struct eventring_words *w;
    uint64_t position;
    memcpy(&run, p, sizeof run);
    if (run.ring >= rings || run.words > (size - sizeof run) / 8
        || run.position % block_words != 0
        || run.position >= RECORDING_SHIFT)
      return EVENTRING_E_DAMAGED;
    position = run.position + shift;
    w = &r->source.rings[run.ring];
    w->words = (const uint64_t *) (p + sizeof run);
    w->first = position;
    r->slots[run.ring].tail = position + run.words;
    r->slots[run.ring].reserve =
      (position + run.words + block_words - 1) / block_words * block_words;
  }
  return size == 0 ? 0 : EVENTRING_E_DAMAGED;
}

static int advance(struct eventring_source *source)
{
  struct recording *r = (struct recording *) source;
  const struct index_entry *e = &r->chunks[r->next];
  const char *bytes;
  int error;

  if (r->next == r->count) {
    if (!r->continued) source->horizon = UINT64_MAX;
    return 0;
  }
  r->next++;
  bytes = read_chunk(r, e->offset, &e->chunk, &error);
  if (bytes == NULL) return error;
  error = take_segment(r, bytes, (size_t) e->chunk.raw - sizeof e->chunk,
                       e->chunk.shift);
  if (error < 0) return error;
  source->horizon = e->chunk.horizon;
  return 1;
}

static int seek(struct eventring_source *source, int64_t ns)
{
  struct recording *r = (struct recording *) source;
  size_t low = 0, high = r->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (r->chunks[middle].chunk.last_ns < ns) low = middle + 1;
    else high = middle;
  }
  r->next = low < r->count || r->count == 0 ? low : r->count - 1;
  source->horizon = 0;
  for (uint32_t i = 0; i < r->header.rings; i++) {
    r->slots[i].tail = r->slots[i].reserve = 0;
    source->rings[i].first = 0;
  }
  return 0;
}

static void close_recording(struct eventring_source *source)
{
  struct recording *r = (struct recording *) source;
  if (r->fd >= 0) close(r->fd);
  ZSTD_freeDCtx(r->zstd);
  free(source->rings);
  free(r->slots);
  free(r->schema);
  free(r->note);
  free(r->chunks);
  free(r->stored);
  free(r->raw);
  free(r);
}

/* Opening */

static int is_recording(const void *bytes, size_t length)
{
  return length >= sizeof(struct recording_start)
    && memcmp(bytes, RECORDING_MAGIC, 16) == 0;
}

static int check_version(const struct recording *r,
                         const struct eventring_options *o, const char *path)
{
  struct recording_start start;
  if (!read_at(r, 0, &start, sizeof start))
    return fail(o, EVENTRING_E_TRUNCATED, "%s: truncated: %llu bytes", path,
                (unsigned long long) r->size);
  if (start.version_major == RECORDING_VERSION_MAJOR << 8)
    return fail(o, EVENTRING_E_VERSION,
                "%s: made by a machine of the other byte order; read it on one "
                "like that", path);
  if (start.version_major != RECORDING_VERSION_MAJOR
      || start.chunk_size != sizeof(struct chunk))
    return fail(o, EVENTRING_E_VERSION,
                "%s: a recording of version %u.%u, and this reader knows %u.x",
                path, start.version_major, start.version_minor,
                RECORDING_VERSION_MAJOR);
  return 0;
}

/* A header as of a ring file that has the geometry of the recording: so it is
   held to the same bounds. */
static int check_recorded(struct recording *r,
                          const struct eventring_options *o, const char *path)
{
  struct eventring_header *h = &r->header;
  uint64_t entries = r->schema_size / sizeof(struct eventring_schema_entry);
  h->header_size = sizeof *h;
  h->schema_offset = EVENTRING_PAGE;
  h->schema_entry_size = sizeof(struct eventring_schema_entry);
  h->schema_count = (uint32_t) entries;
  h->schema_capacity = (uint32_t) entries + 1;
  h->slot_size = sizeof(struct eventring_slot);
  h->directory_offset = h->schema_offset
    + (uint64_t) h->schema_capacity * h->schema_entry_size;
  h->rings_offset = h->directory_offset + (uint64_t) h->rings * h->slot_size;
  h->file_size = UINT64_MAX;
  return eventring_check_header(h, UINT64_MAX, o, path);
}

static int open_recording(int fd, uint64_t size, const char *path, int pid,
                          const struct eventring_options *o,
                          struct eventring_source **result)
{
  struct recording *r = calloc(1, sizeof *r);
  int err = EVENTRING_E_MEMORY;
  (void) pid;
  if (r == NULL) goto err_out;
  r->size = size;
  r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  r->zstd = ZSTD_createDCtx();
  r->source.parts = 1;
  if (r->fd < 0 || r->zstd == NULL) goto err_out;
  err = check_version(r, o, path);
  if (err < 0) goto err_said;
  if (!take_index(r) && !walk(r)) {
    err = EVENTRING_E_MEMORY;
    goto err_out;
  }
  err = take_part(r, o->part);
  if (err == EVENTRING_E_DAMAGED)
    err = o->part >= r->source.parts
      ? fail(o, EVENTRING_E_ARGUMENT, "%s: has %u parts, and part %u was asked "
             "for; they count from 0", path, r->source.parts, o->part)
      : fail(o, EVENTRING_E_TRUNCATED, "%s: a recording cut or damaged before "
             "its first event, at byte %llu", path,
             (unsigned long long) r->source.damaged_at);
  if (err == EVENTRING_E_MEMORY) goto err_out;
  if (err < 0) goto err_said;
  err = check_recorded(r, o, path);
  if (err < 0) goto err_said;

  err = EVENTRING_E_MEMORY;
  r->slots = calloc(r->header.rings, sizeof *r->slots);
  r->source.rings = calloc(r->header.rings, sizeof *r->source.rings);
  if (r->slots == NULL || r->source.rings == NULL) goto err_out;
  for (uint32_t i = 0; i < r->header.rings; i++)
    r->source.rings[i].mask = UINT64_MAX;
  r->source.checked = r->header;
  r->source.header = &r->header;
  r->source.schema = r->schema;
  r->source.directory = (const char *) r->slots;
  r->source.lap = UINT64_MAX;
  r->source.format = EVENTRING_FORMAT_RECORDING;
  r->source.lost_is_bound =
    memcmp(r->header.magic, STOCK_MAGIC, sizeof r->header.magic) == 0;
  r->source.note = r->note;
  r->source.advance = advance;
  r->source.seek = seek;
  r->source.close = close_recording;
  *result = &r->source;
  return 0;

err_out:
  err = fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
err_said:
  if (r != NULL) close_recording(&r->source);
  return err;
}

const struct eventring_format eventring_recording_format = {
  .no_control = "a recording; only a process can be controlled, by its number "
    "or its ring file",
  .is = is_recording, .open = open_recording
};
