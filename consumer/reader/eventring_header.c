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

/* Checks of a header, for all sources.  The reader relies on the sizes, counts
   and offsets of a header that passed them. */

#include <limits.h>
#include <string.h>

#include "eventring_reader.h"
#include "eventring_source.h"

#define MAX_SCHEMA_CAPACITY ((uint32_t)1 << 17)

/* Checks that a section of [size] bytes at [offset] begins on a word, not
   before *end, the end of the section before it, and ends within the file.  If
   so, sets *end to its end.  [name] is for the message.  [file_size] is the
   size that the header gives.  Returns 0, or EVENTRING_E_HEADER with a
   message. */
static int check_section(const char *name, uint64_t offset, uint64_t size,
                         uint64_t *end, uint64_t file_size,
                         const struct eventring_options *o, const char *path)
{
  if (offset % 8 != 0)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: the %s at offset %llu is not aligned to 8 "
                "bytes", path, name, (unsigned long long) offset);
  if (offset < *end)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: the %s at offset %llu, before the end of "
                "what precedes it at %llu", path, name,
                (unsigned long long) offset, (unsigned long long) *end);
  if (offset > file_size || size > file_size - offset)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: the %s at offset %llu with %llu bytes, in "
                "a file of %llu", path, name, (unsigned long long) offset,
                (unsigned long long) size, (unsigned long long) file_size);
  *end = offset + size;
  return 0;
}

/* Checks that [value], the number [name] of the header, is from [low] to
   [high].  Returns 0, or EVENTRING_E_HEADER with a message. */
static int check_range(const char *name, uint64_t value, uint64_t low,
                       uint64_t high, const struct eventring_options *o,
                       const char *path)
{
  if (value >= low && value <= high) return 0;
  return fail(o, EVENTRING_E_HEADER,
              "%s: damaged header: %s is %llu, and must be from %llu to %llu",
              path, name, (unsigned long long) value, (unsigned long long) low,
              (unsigned long long) high);
}

/* Returns 1 when the header was made of a file of stock OCaml, in which the
   number of the process is not always known; else 0. */
static int is_of_stock(const struct eventring_header *h)
{
  return memcmp(h->magic, STOCK_MAGIC, sizeof h->magic) == 0;
}

/* See eventring_source.h; the callers check magic and version.  Limits counts
   and sizes first, so that their products cannot overflow; only then checks
   that the sections fit into the file. */
int eventring_check_header(const struct eventring_header *h,
                           uint64_t actual_size,
                           const struct eventring_options *o, const char *path)
{
  uint64_t end = h->header_size;
  int err;

  if ((err = check_range("header size", h->header_size, EVENTRING_HEADER_1_0,
                         h->file_size, o, path)) < 0
      || (err = check_range("schema entry size", h->schema_entry_size,
                            sizeof(struct eventring_schema_entry), 65536, o,
                            path)) < 0
      || (err = check_range("schema capacity", h->schema_capacity, 1,
                            MAX_SCHEMA_CAPACITY, o, path)) < 0
      || (err = check_range("schema count", h->schema_count, 0,
                            h->schema_capacity, o, path)) < 0
      || (err = check_range("slot size", h->slot_size,
                            offsetof(struct eventring_slot, total), 65536,
                            o, path)) < 0
      || (err = check_range("number of rings", h->rings, 1,
                            EVENTRING_MAX_RINGS, o, path)) < 0
      || (err = check_range("words in a ring", h->ring_words,
                            (uint64_t) 1 << EVENTRING_MIN_LOG_WORDS,
                            (uint64_t) 1 << EVENTRING_MAX_LOG_WORDS, o,
                            path)) < 0
      || (err = check_range("words in a block", h->block_words,
                            EVENTRING_MIN_BLOCK_WORDS,
                            EVENTRING_MAX_BLOCK_WORDS, o, path)) < 0
      || (err = check_range("clock", h->clock, EVENTRING_CLOCK_MONOTONIC,
                            EVENTRING_CLOCK_CNTVCT, o, path)) < 0
      || (err = check_range("state", h->state, EVENTRING_RUNNING,
                            EVENTRING_REPLACED, o, path)) < 0
      || (err = check_range("pid", h->pid, !is_of_stock(h), INT_MAX, o,
                            path)) < 0)
    return err;
  if (h->schema_entry_size % 8 != 0 || h->slot_size % 8 != 0)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: schema entries of %u bytes and slots of "
                "%u, which must be multiples of 8", path, h->schema_entry_size,
                h->slot_size);
  if ((h->ring_words & (h->ring_words - 1)) != 0
      || (h->block_words & (h->block_words - 1)) != 0)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: %llu words in a ring and %u in a block, "
                "which must be powers of two", path,
                (unsigned long long) h->ring_words, h->block_words);
  if (h->ring_words < 2 * (uint64_t) h->block_words)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: %llu words in a ring are not two blocks "
                "of %u", path, (unsigned long long) h->ring_words,
                h->block_words);
  if ((err = check_section("schema", h->schema_offset,
                           (uint64_t) h->schema_entry_size
                           * h->schema_capacity,
                           &end, h->file_size, o, path)) < 0
      || (err = check_section("directory", h->directory_offset,
                              (uint64_t) h->slot_size * h->rings,
                              &end, h->file_size, o, path)) < 0
      || (err = check_section("rings", h->rings_offset,
                              h->ring_words * 8 * h->rings,
                              &end, h->file_size, o, path)) < 0)
    return err;
  if (h->file_size > actual_size)
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %llu bytes, and the header says %llu; copy the "
                "file again", path, (unsigned long long) actual_size,
                (unsigned long long) h->file_size);
  if (h->file_size > SIZE_MAX)
    return fail(o, EVENTRING_E_SYSTEM,
                "%s: %llu bytes are more than this machine can map", path,
                (unsigned long long) h->file_size);
  return 0;
}
