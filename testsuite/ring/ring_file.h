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

/* Writes ring files for tests, from the format header alone: no code is shared
   with the runtime's writer, so that the two are independent implementations of
   the format.  The C tests of this folder use the functions, and make_ring of
   testsuite/cli, which the tests of the command call.

   Writing follows the protocol of the format, so a reader may run at the same
   time.  A file that cannot be made ends the program with a message. */

#ifndef RING_FILE_H
#define RING_FILE_H

#include <stddef.h>
#include <stdint.h>
#include "caml/eventring_format.h"

/* The file to make; a field of 0 takes the value in brackets. */
struct ring_options {
  const char *path;             /* [a file in a new folder under TMPDIR] */
  uint32_t rings;               /* [1] */
  uint32_t log_words;           /* [9, the smallest] */
  uint32_t clock;               /* [EVENTRING_CLOCK_MONOTONIC] */
  uint32_t state;               /* [EVENTRING_ENDED] */
  uint32_t pid;                 /* [the pid of this process] */
  int other_boot;               /* as if copied from another machine */
  uint32_t extra_entry_bytes;   /* as a newer minor version may have */
  uint32_t extra_slot_bytes;
  uint32_t schema_capacity;     /* [64] */
  int version_1_0;              /* a header as format 1.0 had it */
};

struct ring_writer {
  uint64_t position;            /* next word */
  uint64_t block_end;           /* 0: no block yet */
  uint64_t base;                /* ticks */
  uint64_t events;              /* written so far */
  uint32_t domain, thread;
  int fresh;                    /* the next event begins a block */
};

struct ring_file {
  char dir[128];
  char path[192];
  char *map;
  size_t size;
  struct eventring_header *header;
  double ns_per_tick;           /* for block headers; [0: ns are ticks] */
  struct ring_writer *writers;
};

/* Makes the file, without events, and maps it.  Ring i belongs to domain i and
   thread 1000 + i. */
void ring_create(struct ring_file *f, const struct ring_options *options);

/* Unmaps the file.  Removes it, and its folder, if the folder is new. */
void ring_destroy(struct ring_file *f);

/* Appends an event to a ring. */
void ring_write(struct ring_file *f, uint32_t ring, uint64_t ticks,
                uint32_t form, uint32_t id, const uint64_t *payload,
                uint32_t words);

/* Appends an event with one payload word. */
void ring_count(struct ring_file *f, uint32_t ring, uint64_t ticks,
                uint32_t id, uint64_t value);

/* The largest number of words that [count] packed integers take. */
#define RING_PACKED_WORDS(count) ((count) * 10 / 8 + 1)

/* Packs integers into words; returns the number of words. */
uint32_t ring_pack(uint64_t *words, const uint64_t *integers, uint32_t count);

/* Appends an event with [count] integers, packed. */
void ring_packed(struct ring_file *f, uint32_t ring, uint64_t ticks,
                 uint32_t form, uint32_t id, const uint64_t *integers,
                 uint32_t count);

/* Makes the next event of the ring begin a block, which belongs to [domain] and
   [thread]. */
void ring_domain(struct ring_file *f, uint32_t ring, uint32_t domain,
                 uint32_t thread);

/* Adds an entry to the schema.  [unit] and [name] are cut where their fields
   end, without a NUL. */
void ring_entry(struct ring_file *f, struct eventring_schema_entry entry,
                const char *unit, const char *name);
void ring_schema(struct ring_file *f, uint32_t id, uint32_t kind,
                 uint32_t payload, uint32_t category, const char *unit,
                 const char *name);
void ring_field(struct ring_file *f, uint32_t id, uint32_t place,
                const char *unit, int repeats, const char *name);
void ring_value(struct ring_file *f, const char *unit, uint32_t value,
                const char *name);

/* Adds the name of a domain ([thread] 0) or of one of its threads, with the id
   that the threads library gave it (-1 if none). */
void ring_label(struct ring_file *f, uint32_t domain, uint32_t thread,
                int32_t thread_id, const char *name);

/* The same, from the time [since] in ticks on. */
void ring_label_since(struct ring_file *f, uint32_t domain, uint32_t thread,
                      int32_t thread_id, uint64_t since, const char *name);

/* Schema entry [n], a ring's words and a ring's slot, for tests that change
   them. */
struct eventring_schema_entry *ring_schema_entry(struct ring_file *f,
                                                 uint32_t n);
uint64_t *ring_words(struct ring_file *f, uint32_t ring);
struct eventring_slot *ring_slot(struct ring_file *f, uint32_t ring);

/* Returns a pseudo-random number and changes the seed; the sequence is the same
   in every run. */
uint64_t ring_random(uint64_t *seed);

#endif /* RING_FILE_H */
