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

/* See eventring_chunks.h.

   The list of chunks is taken from the index.  When the recorder wrote no
   index, the list is made by going from chunk to chunk up to the place where
   the file was cut.  Every struct chunk carries its own sum and the sum of the
   bytes after it, so that damage is found before anything is decompressed. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_source.h"

/* Reading */

int eventring_read_at(const struct chunk_reader *r, uint64_t offset, void *to,
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

int eventring_possible_chunk(const struct chunk_reader *r, uint64_t offset,
                             const struct chunk *c)
{
  return c->sum == recording_sum(c, offsetof(struct chunk, sum))
    && c->kind >= CHUNK_PROCESS
    && c->process < RECORDING_MAX_PROCESSES && c->raw <= RECORDING_MAX_RAW
    && c->shift % RECORDING_SHIFT == 0
    && c->shift / RECORDING_SHIFT < RECORDING_MAX_JOINED
    && offset <= r->size && r->size - offset >= sizeof *c
    && c->stored <= r->size - offset - sizeof *c;
}

int eventring_read_stored(struct chunk_reader *r, const struct index_entry *e)
{
  const struct chunk *c = &e->chunk;
  if (!eventring_reserve(&r->stored, &r->stored_capacity, (size_t) c->stored))
    return EVENTRING_E_MEMORY;
  return eventring_read_at(r, e->offset + sizeof *c, r->stored, c->stored)
         && recording_sum(r->stored, c->stored) == c->content
         ? 0 : EVENTRING_E_DAMAGED;
}

int eventring_read_chunk(struct chunk_reader *r, const struct index_entry *e)
{
  size_t n;
  int err = eventring_read_stored(r, e);
  if (err < 0) return err;
  if (!eventring_reserve(&r->raw, &r->raw_capacity, (size_t) e->chunk.raw))
    return EVENTRING_E_MEMORY;
  n = ZSTD_decompressDCtx(r->zstd, r->raw, (size_t) e->chunk.raw, r->stored,
                          (size_t) e->chunk.stored);
  return ZSTD_isError(n) || n != e->chunk.raw ? EVENTRING_E_DAMAGED : 0;
}

int eventring_next_run(const char **p, size_t *size,
                       const struct eventring_header *h, struct run *run,
                       const uint64_t **words)
{
  size_t bytes;
  if (*size == 0) return 0;
  if (*size < sizeof *run) return EVENTRING_E_DAMAGED;
  memcpy(run, *p, sizeof *run);
  bytes = (size_t) run->words * 8;
  if (run->ring >= h->rings || run->words == 0
      || bytes > *size - sizeof *run || run->position % h->block_words != 0
      || run->position >= RECORDING_SHIFT)
    return EVENTRING_E_DAMAGED;
  *words = (const uint64_t *) (*p + sizeof *run);
  *p += sizeof *run + bytes;
  *size -= sizeof *run + bytes;
  return 1;
}

/* Appends an entry for chunk [c] at [offset] to an index of *count entries,
   which is enlarged when its *capacity is used up.  Returns 0 or
   EVENTRING_E_MEMORY. */
static int add_chunk(struct index_entry **chunks, size_t *count,
                     size_t *capacity, uint64_t offset, const struct chunk *c)
{
  if (*count == *capacity) {
    size_t more = 2 * *capacity + 64;
    void *bigger = realloc(*chunks, more * sizeof **chunks);
    if (bigger == NULL) return EVENTRING_E_MEMORY;
    *chunks = bigger;
    *capacity = more;
  }
  (*chunks)[(*count)++] = (struct index_entry) { offset, *c };
  return 0;
}

/* Appends chunk [c] at [offset] of the file to the list of chunks, and takes
   its raw bytes from r->raw_left.  Returns 0, EVENTRING_E_MEMORY, or
   EVENTRING_E_DAMAGED when the chunk begins before the end of the last chunk of
   the list, or when the chunks of the list would become more bytes than a file
   of this size may hold. */
static int list_chunk(struct chunk_reader *r, uint64_t offset,
                      const struct chunk *c)
{
  if (c->raw > r->raw_left) return EVENTRING_E_DAMAGED;
  if (r->count > 0) {
    const struct index_entry *last = &r->chunks[r->count - 1];
    if (offset < last->offset + sizeof last->chunk + last->chunk.stored)
      return EVENTRING_E_DAMAGED;
  }
  r->raw_left -= c->raw;
  return add_chunk(&r->chunks, &r->count, &r->capacity, offset, c);
}

/* Reads the list of chunks from the file's index, and sets r->indexed to 1.
   When the file has no reliable index, leaves the list empty and r->indexed 0.
   Overwrites the buffers of the last chunk read.  Returns 0 in both cases, or
   EVENTRING_E_MEMORY. */
static int take_index(struct chunk_reader *r)
{
  struct recording_trailer trailer;
  struct index_entry at;
  int err;
  if (r->size < sizeof trailer
      || !eventring_read_at(r, r->size - sizeof trailer, &trailer,
                            sizeof trailer)
      || memcmp(trailer.magic, RECORDING_TRAILER_MAGIC, sizeof trailer.magic)
         != 0
      || trailer.sum != recording_sum(&trailer.index, sizeof trailer.index)
      || !eventring_read_at(r, trailer.index, &at.chunk, sizeof at.chunk)
      || at.chunk.kind != CHUNK_INDEX
      || at.chunk.raw > RECORDING_MAX_ALL_RAW(r->size)
      || !eventring_possible_chunk(r, trailer.index, &at.chunk))
    return 0;
  at.offset = trailer.index;
  r->raw_left = RECORDING_MAX_ALL_RAW(r->size);
  err = eventring_read_chunk(r, &at);
  if (err < 0) return err == EVENTRING_E_MEMORY ? err : 0;
  err = 0;
  for (size_t i = 0; i < at.chunk.raw / sizeof(struct index_entry) && err == 0;
       i++) {
    struct index_entry e;
    memcpy(&e, r->raw + i * sizeof e, sizeof e);
    err = eventring_possible_chunk(r, e.offset, &e.chunk)
          ? list_chunk(r, e.offset, &e.chunk) : EVENTRING_E_DAMAGED;
  }
  if (err == EVENTRING_E_MEMORY) return err;
  r->indexed = err == 0;
  if (!r->indexed) r->count = 0;
  return 0;
}

/* Makes the list of chunks, which must be empty, by reading the header of chunk
   after chunk from the start of the file, up to the first impossible chunk or
   the index.  Sets r->damaged_at to the offset of that place.  Returns 0 or
   EVENTRING_E_MEMORY. */
static int walk(struct chunk_reader *r)
{
  uint64_t offset = sizeof(struct recording_start);
  struct chunk c;
  r->raw_left = RECORDING_MAX_ALL_RAW(r->size);
  while (eventring_read_at(r, offset, &c, sizeof c)
         && eventring_possible_chunk(r, offset, &c)) {
    int err;
    /* All chunks are listed, but the file ends in the index or the trailer. */
    if (c.kind == CHUNK_INDEX) break;
    err = list_chunk(r, offset, &c);
    if (err == EVENTRING_E_MEMORY) return err;
    if (err < 0) break;
    offset += sizeof c + c.stored;
  }
  r->damaged_at = offset;
  return 0;
}

int eventring_check_start(const struct recording_start *start,
                          const struct eventring_options *o, const char *path)
{
  if (memcmp(start->magic, RECORDING_MAGIC, sizeof start->magic) != 0)
    return fail(o, EVENTRING_E_NOT_A_RING, "%s: not a recording", path);
  if (start->version_major == RECORDING_VERSION_MAJOR << 8)
    return fail(o, EVENTRING_E_VERSION,
                "%s: made by a machine of the other byte order; read it on one "
                "like that", path);
  if (start->version_major != RECORDING_VERSION_MAJOR)
    return fail(o, EVENTRING_E_VERSION,
                "%s: a recording of version %u.%u, and this reader knows %u.x; "
                "use the libeventring that made it",
                path, start->version_major, start->version_minor,
                RECORDING_VERSION_MAJOR);
  if (start->sum
      != recording_sum(start, offsetof(struct recording_start, sum))
      || start->chunk_size != sizeof(struct chunk))
    return fail(o, EVENTRING_E_HEADER, "%s: its first bytes are damaged", path);
  return 0;
}

int eventring_list_chunks(struct chunk_reader *r, int fd, uint64_t size,
                          const struct eventring_options *o, const char *path)
{
  struct recording_start start;
  int err;
  memset(r, 0, sizeof *r);
  r->fd = fd;
  r->size = size;
  if (!eventring_read_at(r, 0, &start, sizeof start))
    return fail(o, EVENTRING_E_TRUNCATED, "%s: truncated: %llu bytes", path,
                (unsigned long long) size);
  err = eventring_check_start(&start, o, path);
  if (err < 0) return err;
  r->zstd = ZSTD_createDCtx();
  r->users = malloc(sizeof *r->users);
  if (r->users != NULL) *r->users = 1;
  err = r->zstd == NULL || r->users == NULL ? EVENTRING_E_MEMORY
                                            : take_index(r);
  if (err == 0 && !r->indexed) err = walk(r);
  return err < 0 ? fail(o, err, "%s: no memory to read it", path) : 0;
}

int eventring_share_chunks(struct chunk_reader *r, int fd,
                           const struct chunk_reader *other,
                           const struct eventring_options *o, const char *path)
{
  *r = *other;
  r->fd = fd;
  __atomic_add_fetch(r->users, 1, __ATOMIC_RELAXED);
  r->stored = r->raw = NULL;
  r->stored_capacity = r->raw_capacity = 0;
  r->zstd = ZSTD_createDCtx();
  return r->zstd == NULL
         ? fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path) : 0;
}

void eventring_close_chunks(struct chunk_reader *r)
{
  if (r->fd >= 0) close(r->fd);
  ZSTD_freeDCtx(r->zstd);
  if (r->users == NULL
      || __atomic_sub_fetch(r->users, 1, __ATOMIC_ACQ_REL) == 0) {
    free(r->users);
    free(r->chunks);
  }
  free(r->stored);
  free(r->raw);
}

/* Writing */

/* Bytes that are compressed at once. */
#define SLICE ((size_t) 64 << 10)

/* Writes [length] bytes at the end of the file, without moving w->offset.
   Returns 0, or EVENTRING_E_SYSTEM with errno after cutting the file to
   w->offset, the end of its last whole chunk. */
static int write_all(struct chunk_writer *w, const void *bytes, size_t length)
{
  const char *p = bytes;
  while (length > 0) {
    ssize_t n = write(w->fd, p, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int reason = errno;
      /* Readers find the end of the last whole chunk anyway. */
      if (ftruncate(w->fd, (off_t) w->offset) < 0) { /* then so be it */ }
      errno = reason;
      return EVENTRING_E_SYSTEM;
    }
    p += n;
    length -= (size_t) n;
  }
  return 0;
}

/* Opens the file at [path] for writing as w->fd, and empties a regular file
   when it is known to be none of the [count] files [inputs].  With [replace] 0
   the file must not exist.  Sets w->created to whether this call has created
   the file; a file created behind a symbolic link does not count.  Returns 0,
   EVENTRING_E_SYSTEM with errno, or EVENTRING_E_ARGUMENT when the file is one
   of the inputs; after an error w->fd is -1 or open. */
static int open_output(struct chunk_writer *w, const char *path, int replace,
                       const struct stat *inputs, int count)
{
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
  struct stat st;
  w->fd = open(path, flags | O_EXCL, 0600);
  w->created = w->fd >= 0;
  if (!w->created && errno == EEXIST && replace)
    w->fd = open(path, flags, 0600);
  if (w->fd < 0 || fstat(w->fd, &st) < 0) return EVENTRING_E_SYSTEM;
  for (int i = 0; i < count; i++)
    if (inputs[i].st_dev == st.st_dev && inputs[i].st_ino == st.st_ino)
      return EVENTRING_E_ARGUMENT;
  return S_ISREG(st.st_mode) && ftruncate(w->fd, 0) < 0 ? EVENTRING_E_SYSTEM
                                                        : 0;
}

/* Gives [length] bytes at [bytes], whole chunks of the kind [kind], to the sink.
   Returns 0, or EVENTRING_E_SYSTEM with errno. */
static int to_sink(const struct chunk_writer *w, int kind, const void *bytes,
                   size_t length)
{
  return w->sink(w->sink_state, kind, bytes, length) < 0 ? EVENTRING_E_SYSTEM
                                                         : 0;
}

int eventring_begin_chunks(struct chunk_writer *w, const char *path,
                           int replace, const struct stat *inputs, int count)
{
  int err;
  struct recording_start start = { .version_major = RECORDING_VERSION_MAJOR,
                                   .version_minor = RECORDING_VERSION_MINOR,
                                   .chunk_size = sizeof(struct chunk) };
  memcpy(start.magic, RECORDING_MAGIC, sizeof start.magic);
  start.sum = recording_sum(&start, offsetof(struct recording_start, sum));
  w->offset = 0;
  w->count = 0;
  if (w->sink != NULL) {
    err = to_sink(w, EVENTRING_CHUNK_STATE, &start, sizeof start);
  } else {
    err = open_output(w, path, replace, inputs, count);
    if (err == EVENTRING_E_ARGUMENT) {
      close(w->fd);
      w->fd = -1;
    }
    if (err == 0) err = write_all(w, &start, sizeof start);
  }
  if (err < 0) return err;
  w->offset = sizeof start;
  w->open = 1;
  return 0;
}

int eventring_output_is_read(const struct eventring_options *options,
                             const char *path)
{
  return fail(options, EVENTRING_E_SYSTEM, "%s is read: write to another file",
              path);
}

int eventring_compress(struct chunk_writer *w, struct chunk *c,
                       const void *bytes, size_t size, char **stored)
{
  size_t bound = ZSTD_compressBound(size), slice, left;
  ZSTD_inBuffer in = { bytes, 0, 0 };
  ZSTD_outBuffer out = { malloc(bound), bound, 0 };
  char *small;
  if (out.dst == NULL) return EVENTRING_E_MEMORY;
  ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
  ZSTD_CCtx_setPledgedSrcSize(w->zstd, size);
  do {
    slice = size - in.size < SLICE ? size - in.size : SLICE;
    in.size += slice;
    left = ZSTD_compressStream2(w->zstd, &out, &in, in.size < size
                                ? ZSTD_e_continue : ZSTD_e_end);
    if (ZSTD_isError(left) || (in.size == size && left > 0)) {
      free(out.dst);
      return EVENTRING_E_MEMORY;
    }
    if (w->meanwhile != NULL) w->meanwhile(w->state);
  } while (in.size < size);
  small = realloc(out.dst, out.pos);
  *stored = small == NULL ? out.dst : small;
  c->raw = size;
  c->stored = out.pos;
  c->content = recording_sum(*stored, out.pos);
  return 0;
}

/* Gives chunk [c], with its [stored] bytes, to the sink.  Returns 0,
   EVENTRING_E_MEMORY, or EVENTRING_E_SYSTEM with errno. */
static int chunk_to_sink(const struct chunk_writer *w, const struct chunk *c,
                         const char *stored)
{
  int kind = c->kind == CHUNK_SEGMENT && !w->keep ? EVENTRING_CHUNK_EVENTS
             : c->kind == CHUNK_END ? EVENTRING_CHUNK_END
             : c->kind == CHUNK_INDEX ? EVENTRING_CHUNK_INDEX
                                      : EVENTRING_CHUNK_STATE;
  char *whole = malloc(sizeof *c + (size_t) c->stored);
  int err;
  if (whole == NULL) return EVENTRING_E_MEMORY;
  memcpy(whole, c, sizeof *c);
  memcpy(whole + sizeof *c, stored, (size_t) c->stored);
  err = to_sink(w, kind, whole, sizeof *c + (size_t) c->stored);
  free(whole);
  return err;
}

int eventring_append(struct chunk_writer *w, struct chunk c,
                     const char *stored)
{
  int err;
  c.sum = recording_sum(&c, offsetof(struct chunk, sum));
  if (w->sink != NULL) {
    err = chunk_to_sink(w, &c, stored);
    if (err < 0) return err;
  } else if (write_all(w, &c, sizeof c) < 0
             || write_all(w, stored, (size_t) c.stored) < 0) {
    return EVENTRING_E_SYSTEM;
  }
  if (add_chunk(&w->index, &w->count, &w->capacity, w->offset, &c) < 0)
    return EVENTRING_E_MEMORY;
  w->offset += sizeof c + c.stored;
  return 0;
}

int eventring_write_chunk(struct chunk_writer *w, struct chunk c,
                          const void *bytes, size_t size)
{
  char *stored;
  int err = eventring_compress(w, &c, bytes, size, &stored);
  if (err < 0) return err;
  err = eventring_append(w, c, stored);
  free(stored);
  return err;
}

int eventring_end_chunks(struct chunk_writer *w)
{
  struct recording_trailer trailer = { .index = w->offset };
  int err;
  memcpy(trailer.magic, RECORDING_TRAILER_MAGIC, sizeof trailer.magic);
  trailer.sum = recording_sum(&trailer.index, sizeof trailer.index);
  err = eventring_write_chunk(w, (struct chunk) { .kind = CHUNK_INDEX },
                              w->index, w->count * sizeof *w->index);
  w->open = 0;
  if (w->sink != NULL)
    return err < 0 ? err : to_sink(w, EVENTRING_CHUNK_INDEX, &trailer,
                                   sizeof trailer);
  if (err == 0) err = write_all(w, &trailer, sizeof trailer);
  if (close(w->fd) < 0 && err == 0) err = EVENTRING_E_SYSTEM;
  w->fd = -1;
  return err;
}

void eventring_drop_chunks(struct chunk_writer *w)
{
  if (w->fd >= 0) close(w->fd);
  w->fd = -1;
  ZSTD_freeCCtx(w->zstd);
  free(w->index);
}
