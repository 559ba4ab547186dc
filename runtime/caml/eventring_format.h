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

/* The layout of a ring file, in one place.

   The producer (runtime/eventring_*.c) writes this layout, the reader
   (consumer/reader/eventring_reader.c) reads it; nothing else in the project
   knows an offset or a bit.  doc/FORMAT.md says the same in prose, complete
   enough to write a reader from it.  This header needs no OCaml header.

     +--------------------------------------------------+ 0
     | control and identity: struct eventring_header    |
     +--------------------------------------------------+ schema_offset
     | schema: one struct eventring_schema_entry a name |
     +--------------------------------------------------+ directory_offset
     | directory: one struct eventring_slot a ring      |
     +--------------------------------------------------+ rings_offset
     | ring 0 | ring 1 | ...  ring_words words each     |
     +--------------------------------------------------+ file_size

   All numbers are in the byte order of the machine that wrote the file. */

#ifndef CAML_EVENTRING_FORMAT_H
#define CAML_EVENTRING_FORMAT_H

#include <stdint.h>

/* The first 16 bytes.  The second half, read as the number of domains that a
   stock Runtime_events file has at this place, is far over any limit: a stock
   consumer refuses the file when it opens it. */
#define EVENTRING_MAGIC "OCaml Eventring\n"
#define EVENTRING_MAGIC_SIZE 16

/* A reader refuses another major version; a newer minor version only adds
   fields where this one has zeros, and records it may skip. */
#define EVENTRING_VERSION_MAJOR 1
#define EVENTRING_VERSION_MINOR 10

/* The file is named <pid>EVENTRING_SUFFIX, or <pid>EVENTRING_STOCK_SUFFIX when
   tracing was started in the way of stock OCaml's Runtime_events.  A number
   between 1 and EVENTRING_MAX_NUMBER follows the pid, as in 12.1.eventring,
   when a file with the names before it is kept: of a process with the same pid
   in another pid namespace, or of an earlier one. */
#define EVENTRING_SUFFIX ".eventring"
#define EVENTRING_STOCK_SUFFIX ".events"
#define EVENTRING_MAX_NUMBER 15

/* The control section is one page of the largest page size that the
   architecture can be configured for, since it is mapped over a static page
   of the runtime. */
#if defined(__aarch64__) || defined(__powerpc64__)
#define EVENTRING_PAGE 65536
#else
#define EVENTRING_PAGE 4096
#endif

/* Geometry.  A ring is a power of two of words, at least two blocks. */
#define EVENTRING_MIN_LOG_WORDS 9     /* 512 words */
#define EVENTRING_MAX_LOG_WORDS 30    /* 8 GiB */
#define EVENTRING_DEFAULT_LOG_WORDS 16
#define EVENTRING_MIN_BLOCK_WORDS 256
#define EVENTRING_MAX_BLOCK_WORDS 512 /* 4 KiB */
#define EVENTRING_MAX_RINGS 4096

/* Returns the number of words in each block of a ring of [ring_words] words: an
   eighth of the ring, at least EVENTRING_MIN_BLOCK_WORDS and at most
   EVENTRING_MAX_BLOCK_WORDS. */
static inline uint32_t eventring_block_words(uint64_t ring_words)
{
  uint64_t b = ring_words / 8;
  return b < EVENTRING_MIN_BLOCK_WORDS ? EVENTRING_MIN_BLOCK_WORDS
       : b > EVENTRING_MAX_BLOCK_WORDS ? EVENTRING_MAX_BLOCK_WORDS
       : (uint32_t) b;
}

/* Clocks that may count ticks. */
enum eventring_clock {
  EVENTRING_CLOCK_MONOTONIC = 1,      /* CLOCK_MONOTONIC nanoseconds */
  EVENTRING_CLOCK_TSC = 2,            /* x86-64 rdtsc, invariant */
  EVENTRING_CLOCK_CNTVCT = 3          /* arm64 cntvct_el0 */
};

/* State of the writer. */
enum eventring_state {
  EVENTRING_RUNNING = 1,              /* or killed: see pid and start time */
  EVENTRING_ENDED = 2,                /* ended in order */
  EVENTRING_REPLACED = 3              /* the process executes another program,
                                         which may start a file of its own */
};

/* Categories: bit numbers in the masks.  The names are in the table of
   categories of eventring_events.tbl. */
enum eventring_categories {
#define CATEGORY(id, number, name, by_default, doc) \
  EVENTRING_##id##_BIT = number, EVENTRING_##id = 1 << number,
#include "eventring_events.tbl"
  EVENTRING_ALL_CATEGORIES = 0
#define CATEGORY(id, number, name, by_default, doc) | (1 << number)
#include "eventring_events.tbl"
  ,
  /* All but the categories that are recorded only when they are named: samples,
     input and output, since their events have stacks, and points, since they run
     code of the program. */
  EVENTRING_EVENT_CATEGORIES =
    EVENTRING_ALL_CATEGORIES
    & ~(EVENTRING_PROFILE | EVENTRING_PROFILE_ALLOC | EVENTRING_PROFILE_WAIT
        | EVENTRING_IO | EVENTRING_POINTS),
  EVENTRING_DEFAULT_CATEGORIES = 0
#define CATEGORY(id, number, name, by_default, doc) | (by_default << number)
#include "eventring_events.tbl"
};

/* One instant, read on every clock. */
struct eventring_instant {
  uint64_t ticks;                     /* 0: not taken */
  int64_t monotonic_ns;               /* CLOCK_MONOTONIC */
  int64_t realtime_ns;                /* CLOCK_REALTIME */
};

#define EVENTRING_MARKS 32

/* Section 0.  A consumer may write four words to any effect: [threshold],
   [sample_period] and [alloc_period], and [control], with compare-and-swap: the mask of categories
   that are being recorded in the low 32 bits, and in the high 32 the mask to put
   back on resume.  Paused is a low half of 0. */
struct eventring_header {
  char magic[EVENTRING_MAGIC_SIZE];
  uint16_t version_major;
  uint16_t version_minor;
  uint32_t header_size;               /* bytes of this struct in use */
  uint64_t file_size;                 /* bytes, all sections */
  uint64_t schema_offset;             /* from the start of the file */
  uint32_t schema_entry_size;         /* bytes */
  uint32_t schema_capacity;           /* entries */
  uint64_t directory_offset;
  uint32_t slot_size;                 /* bytes */
  uint32_t rings;                     /* slots in the directory */
  uint64_t rings_offset;
  uint64_t ring_words;                /* 8-byte words a ring */
  uint32_t block_words;               /* 8-byte words a block */
  uint32_t clock;                     /* enum eventring_clock */
  uint32_t pid;
  uint32_t parent_pid;                /* of the traced parent after a fork,
                                         0 when not forked */
  uint64_t start_time;                /* field 22 of /proc/PID/stat; 0: unknown */
  uint64_t start_stack;               /* field 28 of /proc/PID/stat: another
                                         value after exec; 0: unknown */
  char boot_id[40];                   /* /proc/sys/kernel/random/boot_id */
  char program[256];                  /* path of the executable, cut */
  char runtime[32];                   /* OCaml version of the runtime */
  struct eventring_instant started;   /* when tracing started */

  /* From here on, words that change while the program runs.  They have cache
     lines of their own. */
  _Alignas(128) uint64_t control;     /* atomic */
  _Alignas(128) uint32_t state;       /* atomic, enum eventring_state */
  uint32_t schema_count;              /* atomic, published with release */
  struct eventring_instant ended;     /* valid once state is not running */

  /* Since 1.1 */
  char argv0[256];                    /* how the program was called, cut */

  /* Since 1.2.  A process that changes [control] from outside records the time
     in ticks: just before and just after.  Mark i is
     marks[i % EVENTRING_MARKS]. */
  uint64_t marks_made;                /* atomic */
  uint64_t marks[EVENTRING_MARKS];    /* atomic */

  /* Since 1.3.  [pid] is a number of this namespace: the inode of
     /proc/self/ns/pid; 0: unknown. */
  uint64_t pid_namespace;

  /* Since 1.3.  The inode of /proc/self/ns/time: the clocks and [start_time] are
     of this namespace; 0: unknown. */
  uint64_t time_namespace;

  /* Since 1.4.  The shortest wait that is recorded, in ns.  The second word that
     a consumer may write to any effect, by a store.  0, as before 1.4: that
     with which tracing started. */
  uint64_t threshold;                 /* atomic */

  /* Since 1.5.  The rings from this index on are of threads and have samples of
     their processor time; 0: there are none. */
  uint32_t sample_rings_from;
  uint32_t reserved_1;

  /* Since 1.5.  The processor time between two samples of a thread, in ns.  The
     third word that a consumer may write to any effect, by a store.  0: that
     with which tracing started. */
  uint64_t sample_period;             /* atomic */

  /* Since 1.5.  Samples that were not written, of threads that have no ring. */
  uint64_t samples_dropped;           /* atomic */

  /* Since 1.6.  How many times the program has asked its readers for a flush
     (Eventring.flush).  The process never reads it back. */
  uint64_t flushes;                   /* atomic */

  /* Since 1.6.  CLOCK_MONOTONIC from which on the process is traced without a
     gap: when the first of the sessions began of which each took over from the
     one before, for rings of another size; else the time in [started]. */
  int64_t traced_since_ns;

  /* Since 1.7.  The mean number of allocated words from one sample of them to
     the next.  The fourth word that a consumer may write to any effect, by a
     store.  0: that with which tracing started. */
  uint64_t alloc_period;              /* atomic */

  /* Since 1.10.  How many sessions the process has begun with this one, those of
     its parents before a fork included. */
  uint64_t session;
};

/* Since 1.6.  A request in the low half of [control], in bits that are no
   category: the process starts a new session, with rings of 2^n words.  n is in
   these bits; 0: no request.  The process clears the bits. */
#define EVENTRING_REQUEST_SHIFT 27
/* The largest ring that another process may ask for, 32 MiB: the process
   allocates the rings of samples whole. */
#define EVENTRING_MAX_REQUEST_LOG_WORDS 22
#define EVENTRING_RING_REQUEST (UINT32_C(31) << EVENTRING_REQUEST_SHIFT)

/* A tombstone is the rest of a ring file that its process has removed: a
   header with this magic, and a struct eventring_grave for each ring in place of
   the directory.  It has no schema and no rings. */
#define EVENTRING_TOMBSTONE_MAGIC "OCaml Tombstone\n"
#define EVENTRING_TOMBSTONE_SUFFIX ".tombstone"

struct eventring_grave {
  uint64_t tail;                      /* as in struct eventring_slot */
  uint64_t reserve;
  uint64_t events;                    /* written to the ring */
};

/* Kinds of names in the schema. */
enum eventring_kind {
  EVENTRING_SPAN = 1,                 /* begin and end words */
  EVENTRING_COUNTER = 2,              /* sampled value */
  EVENTRING_INSTANT = 3,              /* happened once, with its payload */
  EVENTRING_CATEGORY = 4,             /* names a category; id is 0 */
  EVENTRING_FLOW = 5,                 /* start, steps and end (begin, instant
                                         and end words) of a flow from domain
                                         to domain, tied by an INT */
  /* Since 1.1.  The first three describe, the last is an event. */
  EVENTRING_FIELD = 6,                /* a field of the PACKED payload of event
                                         [id]: [place] counts from 0; [detail]
                                         is 1 when this field and those after
                                         it repeat to the end */
  EVENTRING_VALUE = 7,                /* names value [place] of the fields with
                                         unit [unit]; id is 0 */
  EVENTRING_LABEL = 8,                /* the name of a domain or a thread, the
                                         newest holds; id is 0, [place] is the
                                         domain's unique id, [detail] is 0 or
                                         the OS thread id, plus in its high half
                                         0 or 1 + the id in the threads
                                         library */
  EVENTRING_COMPLETE = 9,             /* an instant at the end of something; the
                                         first field is how long it took */
  /* Since 1.5 */
  EVENTRING_REQUEST = 10,             /* begin and end words with an INT, the
                                         number of the request, in any domain */
  EVENTRING_MAPPING = 11,             /* machine code in memory: number [place],
                                         from the address [detail]; [name] is
                                         "SIZE OFFSET BUILD-ID", all in
                                         hexadecimal digits; id is 0 */
  EVENTRING_MAPPING_PATH = 12         /* bytes of the path of the file of mapping
                                         [place], from byte [detail] on; they
                                         come before the mapping; id is 0 */
};

/* Contents of the payload words. */
enum eventring_payload {
  EVENTRING_NO_PAYLOAD = 0,
  EVENTRING_INT = 1,                  /* one word, signed */
  EVENTRING_BYTES = 2,                /* a word: length in bytes; the bytes,
                                         zero-padded to a word */
  EVENTRING_INTS = 3,                 /* several words, each a signed integer */
  EVENTRING_TEXT = 4,                 /* as EVENTRING_BYTES; meant to be read */
  EVENTRING_PACKED = 5                /* since 1.1: integers, see below, with
                                         the entries of kind EVENTRING_FIELD;
                                         with a span, of its end event */
};

/* One name.  The categories come first, then the runtime's events, then the
   program's as they are registered.  An entry never changes once
   [schema_count] covers it. */
#define EVENTRING_NAME_SIZE 128       /* with the final NUL */
#define EVENTRING_UNIT_SIZE 16        /* with the final NUL */

struct eventring_schema_entry {
  uint16_t id;
  uint8_t kind;                       /* enum eventring_kind */
  uint8_t payload;                    /* enum eventring_payload */
  union {
    uint32_t category;                /* bit number */
    uint32_t place;                   /* of a field, a value, a label */
  };
  uint64_t detail;                    /* of a field or a label, else 0 */
  union {
    char unit[EVENTRING_UNIT_SIZE];
    uint64_t since;                   /* of a label, since 1.8: the time from
                                         which it holds, in ticks; 0: not known
                                         or before tracing */
  };
  char name[EVENTRING_NAME_SIZE];
};

/* Ids.  The ids of the runtime's events are in eventring_events.tbl. */
#define EVENTRING_FIRST_USER_ID 1024
#define EVENTRING_MAX_USER_EVENTS 32768
#define EVENTRING_MAX_LABELS 4096
#define EVENTRING_MAX_MAPPINGS 1024

/* Since 1.9.  Sums over all that the domains of a ring have recorded in the
   category gc since tracing started, whether the ring still has the events or
   not.  Rings of samples have zeros. */
enum eventring_total {
  EVENTRING_TOTAL_MINOR,              /* minor collections */
  EVENTRING_TOTAL_MINOR_LED,          /* of these, requested by the domain */
  EVENTRING_TOTAL_SLICES,             /* slices of major collection */
  EVENTRING_TOTAL_CYCLES,             /* major cycles that the domain ended */
  EVENTRING_TOTAL_COMPACTIONS,        /* that the domain requested */
  EVENTRING_TOTAL_CALLS,              /* of functions of module Gc */
  EVENTRING_TOTAL_ALLOCATED,          /* words in the minor heap */
  EVENTRING_TOTAL_PROMOTED,           /* of these, to the major heap */
  EVENTRING_TOTAL_DIRECT,             /* words allocated in the major heap */
  EVENTRING_TOTAL_PAUSES,             /* slices and stops without OCaml code */
  EVENTRING_TOTAL_PAUSED,             /* ns of all of them */
  EVENTRING_TOTAL_LONGEST,            /* ns of the longest */
  EVENTRING_TOTAL_DOMAINS,            /* how many domains have had the ring */
  EVENTRING_TOTAL_LAST,               /* the unique id of the last of them */
  EVENTRING_TOTALS
};

/* One ring of the directory.  Positions count words since the ring began and
   never wrap; a word's place in the ring is its position modulo ring_words.
   The writer stores [reserve] before it touches the block that ends there,
   and [tail] after each event. */
struct eventring_slot {
  uint64_t tail;                      /* atomic: words published */
  uint64_t reserve;                   /* atomic: words reserved */
  uint64_t total[EVENTRING_TOTALS];   /* atomic, each by itself */
};

/* A block begins with a header of four words. */
#define EVENTRING_BLOCK_HEADER_WORDS 4
enum eventring_block_header {
  EVENTRING_BLOCK_TICKS,              /* base of the events' times */
  EVENTRING_BLOCK_NS,                 /* CLOCK_MONOTONIC at the same instant */
  EVENTRING_BLOCK_EVENTS,             /* events in this ring before the block */
  EVENTRING_BLOCK_WHO                 /* domain id | OS thread id << 32 */
};

/* An event word:

       63            24 23    18 17 16 15     0
      +----------------+--------+-----+--------+
      | ticks since    | payload|form |  event |
      | the block base | words  |     |   id   |
      +----------------+--------+-----+--------+

   then the payload words.  A whole word of 0 is padding to the end of the
   block; no event has id 0.  63 payload words means that the true number is
   in the low 32 bits of the next word, which is not counted in it. */
enum eventring_form {
  EVENTRING_FORM_BEGIN = 0,
  EVENTRING_FORM_END = 1,
  EVENTRING_FORM_COUNTER = 2,
  EVENTRING_FORM_INSTANT = 3
};

#define EVENTRING_ID_BITS 16
#define EVENTRING_FORM_SHIFT 16
#define EVENTRING_LENGTH_SHIFT 18
#define EVENTRING_LENGTH_LONG 63
#define EVENTRING_TICKS_SHIFT 24
#define EVENTRING_TICKS_BITS 40

#define EVENTRING_WORD(id, form, length) \
  ((uint64_t)(id) | (uint64_t)(form) << EVENTRING_FORM_SHIFT \
   | (uint64_t)(length) << EVENTRING_LENGTH_SHIFT)
#define EVENTRING_WORD_ID(w) ((uint32_t)((w) & 0xFFFF))
#define EVENTRING_WORD_FORM(w) \
  ((enum eventring_form)((w) >> EVENTRING_FORM_SHIFT & 3))
#define EVENTRING_WORD_LENGTH(w) \
  ((uint32_t)((w) >> EVENTRING_LENGTH_SHIFT & 63))
#define EVENTRING_WORD_TICKS(w) ((w) >> EVENTRING_TICKS_SHIFT)

/* A packed payload is a sequence of unsigned integers, each in LEB128: seven
   bits a byte, the lowest first, the eighth bit set in all but the last byte.
   Byte i is bits 8 (i mod 8) and up of word i / 8.  The last word is filled
   with bytes 0x80: a number that does not end is no number.  A field with unit
   EVENTRING_UNIT_TICKS is a duration in ticks of the file's clock. */
#define EVENTRING_UNIT_TICKS "ticks"

/* Payload words, at most, of each of the two events that a block may begin
   with: which thread runs (two packed integers of 32 bits), and on which
   request (one of 64 bits). */
#define EVENTRING_FIRST_WORDS 2

/* Payload words of the largest event, without the count word: the smallest
   block less its other words. */
#define EVENTRING_MAX_PAYLOAD_WORDS \
  (EVENTRING_MIN_BLOCK_WORDS - EVENTRING_BLOCK_HEADER_WORDS - 2 \
   - 2 * (1 + EVENTRING_FIRST_WORDS))

#endif /* CAML_EVENTRING_FORMAT_H */
