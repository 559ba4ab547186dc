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

/* Writing ring files for the tests of the reader, from the format header
   alone: nothing here is shared with the runtime's producer, so the two are
   two readings of the same format.

   A file is made in a folder of its own under TMPDIR and mapped.  Writing
   follows the protocol of the format, so a reader may run at the same time. */

#ifndef RING_FILE_H
#define RING_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "caml/eventring_format.h"
#include "eventring_reader.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* The file to make; a field of 0 takes the value in brackets. */
struct ring_options {
  uint32_t rings;               /* [1] */
  uint32_t log_words;           /* [9, the smallest] */
  uint32_t clock;               /* [EVENTRING_CLOCK_MONOTONIC] */
  uint32_t state;               /* [EVENTRING_ENDED] */
  uint32_t pid;                 /* [ours] */
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

void ring_create(struct ring_file *f, const struct ring_options *options);
void ring_destroy(struct ring_file *f);

/* Appends an event to a ring. */
void ring_write(struct ring_file *f, uint32_t ring, uint64_t ticks,
                uint32_t form, uint32_t id, const uint64_t *payload,
                uint32_t words);

/* Appends an event with one payload word. */
void ring_count(struct ring_file *f, uint32_t ring, uint64_t ticks,
                uint32_t id, uint64_t value);

/* Words that [count] integers take at most when they are packed. */
#define RING_PACKED_WORDS(count) ((count) * 10 / 8 + 1)

/* Packs integers into words; returns how many. */
uint32_t ring_pack(uint64_t *words, const uint64_t *integers, uint32_t count);

/* Appends an event with [count] integers, packed. */
void ring_packed(struct ring_file *f, uint32_t ring, uint64_t ticks,
                 uint32_t form, uint32_t id, const uint64_t *integers,
                 uint32_t count);

/* Makes the ring's next event belong to [domain], in a block of its own. */
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

/* [thread] 0: of the domain; [thread_id] -1: not of the threads library. */
void ring_label(struct ring_file *f, uint32_t domain, uint32_t thread,
                int32_t thread_id, const char *name);

/* The words of a ring, and its slot, for tests that do damage. */
uint64_t *ring_words(struct ring_file *f, uint32_t ring);
struct eventring_slot *ring_slot(struct ring_file *f, uint32_t ring);

/* Opens the file; fails the test if it cannot be opened. */
struct eventring_cursor *ring_open(struct ring_file *f);
struct eventring_cursor *ring_open_from_now(struct ring_file *f);

/* Opens [path], which must be refused with [error] and a message of one line
   that names the file. */
void ring_refused(const char *path, int error);

/* Reads to the end, keeping the first [max] events and dropping the rest;
   payload pointers are void.  Returns how many there were.  *damaged, if not
   NULL, counts damaged blocks; if NULL there must be none. */
size_t ring_read_all(struct eventring_cursor *c, struct eventring_event *to,
                     size_t max, int *damaged);

/* Pseudo-random, the same in every run. */
uint64_t ring_random(uint64_t *seed);

#endif /* RING_FILE_H */
