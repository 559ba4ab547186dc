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


/* Seeds for the fuzz targets: small files, of real ones.

     seeds ring FILE OUT        a ring file; the parts around its rings are cut
                                down to the entries that their events need
     seeds stock FILE OUT       a .events file, with the rings that were used
                                and without most of the names at its end
     seeds recording FILE OUT   a recording of one of these
     seeds plain FILE OUT       a recording, as fuzz_plain has them: its chunks
                                not compressed */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "caml/eventring_format.h"
#include "eventring_reader.h"
#include "eventring_recording.h"

#define RINGS 2                   /* kept, at most */
#define VALUES 4                  /* kept of the names of a unit's values */
#define NAMES 32                  /* kept of a stock file's */

static char *in;
static size_t in_size;
static FILE *out;

static _Noreturn void die(const char *what)
{
  fprintf(stderr, "seeds: %s\n", what);
  exit(1);
}

static void load(const char *path)
{
  FILE *f = fopen(path, "rb");
  if (f == NULL) die(path);
  fseek(f, 0, SEEK_END);
  in_size = (size_t) ftell(f);
  rewind(f);
  in = calloc(in_size + 8, 1);
  if (in == NULL || fread(in, 1, in_size, f) != in_size) die(path);
  fclose(f);
}

static void put(const void *bytes, size_t size)
{
  if (fwrite(bytes, 1, size, out) != size) die("cannot write");
}

/* Ring files */

static const struct eventring_slot *slot(const struct eventring_header *h,
                                         uint32_t ring)
{
  return (const void *) (in + h->directory_offset
                         + (size_t) ring * h->slot_size);
}

/* Copies the newest words of a ring to their places in a ring of [words]
   words. */
static void cut_ring(const struct eventring_header *h, uint32_t ring,
                     uint64_t *to, uint64_t words)
{
  const uint64_t *from = (const void *) (in + h->rings_offset
                                         + ring * h->ring_words * 8);
  const struct eventring_slot *s = slot(h, ring);
  uint64_t p = s->reserve > words ? s->reserve - words : 0;
  for (; p < s->tail; p++)
    to[p & (words - 1)] = from[p & (h->ring_words - 1)];
}

static int is_needed(const struct eventring_schema_entry *e,
                     const uint8_t *used)
{
  switch (e->kind) {
  case EVENTRING_CATEGORY: case EVENTRING_LABEL: return 1;
  case EVENTRING_VALUE: return e->place < VALUES;
  default: return used[e->id];
  }
}

static void cut_ring_file(void)
{
  const struct eventring_header *old = (const void *) in;
  struct eventring_header h = *old;
  struct eventring_schema_entry *schema =
    calloc(old->schema_count + 1, sizeof *schema);
  uint64_t words = 2 * (uint64_t) h.block_words;
  uint64_t *rings = calloc(RINGS * words, 8);
  struct eventring_slot slots[RINGS];
  static uint8_t used[1 << EVENTRING_ID_BITS];

  if (schema == NULL || rings == NULL) die("no memory");
  h.rings = h.schema_count = 0;
  for (uint32_t i = 0; i < old->rings && h.rings < RINGS; i++)
    if (slot(old, i)->tail > 0) {
      cut_ring(old, i, rings + h.rings * words, words);
      slots[h.rings++] = *slot(old, i);
    }
  /* And ids of any other words that look like an event. */
  for (uint64_t i = 0; i < h.rings * words; i++)
    used[EVENTRING_WORD_ID(rings[i])] = 1;
  for (uint32_t i = 0; i < old->schema_count; i++) {
    const struct eventring_schema_entry *e = (const void *)
      (in + old->schema_offset + (size_t) i * old->schema_entry_size);
    if (is_needed(e, used)) schema[h.schema_count++] = *e;
  }
  h.header_size = sizeof h;
  h.schema_offset = sizeof h;
  h.schema_entry_size = sizeof *schema;
  h.schema_capacity = h.schema_count + 1;
  h.directory_offset =
    h.schema_offset + (uint64_t) h.schema_capacity * sizeof *schema;
  h.slot_size = offsetof(struct eventring_slot, total);
  h.rings_offset = h.directory_offset + (uint64_t) h.rings * h.slot_size;
  h.ring_words = words;
  h.file_size = h.rings_offset + h.rings * words * 8;
  put(&h, sizeof h);
  put(schema, h.schema_capacity * sizeof *schema);
  for (uint32_t i = 0; i < h.rings; i++) put(&slots[i], h.slot_size);
  put(rings, h.rings * words * 8);
  free(schema);
  free(rings);
}

/* Stock OCaml's, see consumer/library/eventring_stock.c */

enum { VERSION, RINGS_COUNT, RING_HEADER_SIZE, RING_SIZE, RING_SIZE_WORDS,
       RING_HEADERS, DATA, NAMES_AT, STOCK_HEADER };

static void cut_stock_file(void)
{
  uint64_t h[STOCK_HEADER], old[STOCK_HEADER];
  uint32_t kept[RINGS], count = 0;
  memcpy(old, in, sizeof old);
  memcpy(h, in, sizeof h);
  for (uint32_t i = 0; i < old[RINGS_COUNT] && count < RINGS; i++) {
    const uint64_t *ring = (const void *)
      (in + old[RING_HEADERS] + i * old[RING_HEADER_SIZE]);
    if (ring[1] > 0) kept[count++] = i;
  }
  h[RINGS_COUNT] = count;
  h[DATA] = h[RING_HEADERS] + count * h[RING_HEADER_SIZE];
  if (h[NAMES_AT] != 0) h[NAMES_AT] = h[DATA] + count * h[RING_SIZE];
  put(h, sizeof h);
  for (uint32_t i = 0; i < count; i++)
    put(in + old[RING_HEADERS] + kept[i] * old[RING_HEADER_SIZE],
        old[RING_HEADER_SIZE]);
  for (uint32_t i = 0; i < count; i++)
    put(in + old[DATA] + kept[i] * old[RING_SIZE], old[RING_SIZE]);
  if (h[NAMES_AT] != 0) put(in + old[NAMES_AT], NAMES * EVENTRING_NAME_SIZE);
}

/* Recordings */

static void record(const char *from, const char *to)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_record_options ro = { .size = sizeof ro, .replace = 1 };
  struct eventring_cursor *c;
  struct eventring_recorder *r;
  if (eventring_open(from, &o, &c) < 0
      || eventring_record(to, c, &ro, &r) < 0)
    die("cannot record");
  while (eventring_record_step(r) > 0) ;
  eventring_record_note(r, "{ \"of\": \"a seed\" }");
  if (eventring_record_close(r) < 0) die("cannot record");
  eventring_close(c);
}

/* The entries of an index are numbered there. */
static void unpack(void)
{
  struct chunk c;
  size_t at = sizeof(struct recording_start), stored;
  put(in, at);
  for (; at + sizeof c <= in_size; at += sizeof c + stored) {
    char *raw;
    memcpy(&c, in + at, sizeof c);
    stored = c.stored;
    c.stored = 0;
    raw = malloc(c.raw + 1);
    if (raw == NULL || ZSTD_isError(
          ZSTD_decompress(raw, c.raw, in + at + sizeof c, stored)))
      die("not a recording");
    for (uint64_t i = 0; c.kind == CHUNK_INDEX
                         && i < c.raw / sizeof(struct index_entry); i++)
      ((struct index_entry *) raw)[i].offset = i;
    put(&c, sizeof c);
    put(raw, c.raw);
    free(raw);
    if (c.kind == CHUNK_INDEX) return;
  }
}

int main(int argc, char **argv)
{
  if (argc != 4) die("which?");
  if (strcmp(argv[1], "recording") == 0) {
    record(argv[2], argv[3]);
    return 0;
  }
  load(argv[2]);
  out = fopen(argv[3], "wb");
  if (out == NULL) die(argv[3]);
  if (strcmp(argv[1], "ring") == 0) cut_ring_file();
  else if (strcmp(argv[1], "stock") == 0) cut_stock_file();
  else if (strcmp(argv[1], "plain") == 0) unpack();
  else die("what?");
  if (fclose(out) != 0) die("cannot write");
  return 0;
}
