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

/* Writing recordings that no recorder would write, from the format header
   alone. */

#ifndef RECORDING_FILE_H
#define RECORDING_FILE_H

#include <zstd.h>
#include "eventring_recording.h"
#include "ring_test.h"

#define MEGABYTE ((size_t) 1 << 20)

struct recording {
  FILE *file;
  struct index_entry *chunks;
  size_t count;
};

static inline void put_chunk(struct recording *r, struct chunk c,
                             const void *raw, size_t size)
{
  size_t bound = ZSTD_compressBound(size);
  char *stored = malloc(bound);
  assert_non_null(stored);
  c.raw = size;
  c.stored = ZSTD_compress(stored, bound, raw, size, 1);
  assert_false(ZSTD_isError(c.stored));
  c.content = recording_sum(stored, c.stored);
  c.sum = recording_sum(&c, offsetof(struct chunk, sum));
  if (r->count % 64 == 0)
    r->chunks = realloc(r->chunks, (r->count + 64) * sizeof *r->chunks);
  assert_non_null(r->chunks);
  r->chunks[r->count++] =
    (struct index_entry) { (uint64_t) ftell(r->file), c };
  fwrite(&c, sizeof c, 1, r->file);
  fwrite(stored, 1, c.stored, r->file);
  free(stored);
}

/* Writes a process with [rings] rings that have no events yet. */
static inline void put_process(struct recording *r, uint32_t process,
                               uint64_t shift, uint32_t rings)
{
  struct { struct eventring_header h; uint64_t rings[EVENTRING_MAX_RINGS]; }
    contents = {
    .h = { .rings = rings, .ring_words = 65536, .block_words = 512,
           .clock = EVENTRING_CLOCK_MONOTONIC, .state = EVENTRING_RUNNING,
           .version_major = EVENTRING_VERSION_MAJOR, .pid = 4242424 }
  };
  memset(contents.rings, 0xFF, sizeof contents.rings);
  memcpy(contents.h.magic, EVENTRING_MAGIC, sizeof contents.h.magic);
  put_chunk(r, (struct chunk) { .kind = CHUNK_PROCESS, .process = process,
                                .shift = shift },
            &contents, sizeof contents.h + rings * sizeof *contents.rings);
}

static inline void begin_file(struct recording *r, const char *path)
{
  struct recording_start start = { .version_major = RECORDING_VERSION_MAJOR,
                                   .chunk_size = sizeof(struct chunk) };
  memset(r, 0, sizeof *r);
  r->file = fopen(path, "wb");
  assert_non_null(r->file);
  memcpy(start.magic, RECORDING_MAGIC, sizeof start.magic);
  start.sum = recording_sum(&start, offsetof(struct recording_start, sum));
  fwrite(&start, sizeof start, 1, r->file);
}

/* Begins a recording of one process with one ring. */
static inline void begin_recording(struct recording *r, const char *path)
{
  begin_file(r, path);
  put_process(r, 0, 0, 1);
}

/* Writes a segment with [bytes] bytes of blocks full of events of one word. */
static inline void put_segment(struct recording *r, uint64_t number,
                               size_t bytes)
{
  uint64_t words = bytes / 8 - 2;
  struct run run = { .position = RECORDING_POSITION };
  uint64_t *segment = malloc(bytes), *block;
  assert_non_null(segment);
  words -= words % 512;
  run.words = (uint32_t) words;
  run.position += number * words;
  memcpy(segment, &run, sizeof run);
  for (uint64_t i = 0; i < words; i++) {
    block = segment + 2 + i / 512 * 512;
    segment[2 + i] = EVENTRING_WORD(1, EVENTRING_FORM_INSTANT, 0);
    if (i % 512 != 511) continue;
    block[EVENTRING_BLOCK_TICKS] = block[EVENTRING_BLOCK_NS] = 1000;
    block[EVENTRING_BLOCK_EVENTS] = (number * words + i) / 512 * 508;
    block[EVENTRING_BLOCK_WHO] = 0;
  }
  put_chunk(r, (struct chunk) { .kind = CHUNK_SEGMENT, .horizon = UINT64_MAX },
            segment, sizeof run + words * 8);
  free(segment);
}

/* Adds noise up to 1 MB, a size that allows the segments before it. */
static inline void fill_up(struct recording *r)
{
  size_t size = MEGABYTE - (size_t) ftell(r->file) - 200;
  char *noise = malloc(size);
  uint64_t seed = 1;
  assert_non_null(noise);
  for (size_t i = 0; i < size; i++) noise[i] = (char) ring_random(&seed);
  put_chunk(r, (struct chunk) { .kind = CHUNK_NOTE }, noise, size);
  free(noise);
}

static inline void end_recording(struct recording *r,
                                 const struct index_entry *index, size_t count)
{
  struct recording_trailer t = { .index = (uint64_t) ftell(r->file) };
  put_chunk(r, (struct chunk) { .kind = CHUNK_INDEX }, index,
            count * sizeof *index);
  memcpy(t.magic, RECORDING_TRAILER_MAGIC, sizeof t.magic);
  t.sum = recording_sum(&t.index, sizeof t.index);
  fwrite(&t, sizeof t, 1, r->file);
  assert_true(ftell(r->file) <= (long) MEGABYTE);
  fclose(r->file);
}

#endif /* RECORDING_FILE_H */
