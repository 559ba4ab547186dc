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

/* The layout of a recording, in one place; doc/RECORDING.md says the same in
   prose.  eventring_recorder.c and eventring_merge.c write it,
   eventring_recording.c reads it.

     +--------------------------------------+
     | struct recording_start               |
     +--------------------------------------+
     | chunk: PROCESS                       |  an interval begins: one process
     | chunk: SCHEMA                        |
     | chunk: SEGMENT                       |  words of the rings
     | chunk: SCHEMA, SEGMENT, SEGMENT ...  |
     | chunk: NOTE                          |
     | chunk: END                           |
     +--------------------------------------+
     | more intervals                       |
     +--------------------------------------+
     | chunk: INDEX                         |
     | struct recording_trailer             |
     +--------------------------------------+

   A chunk is a struct chunk and then [stored] bytes, a zstd frame of [raw]
   bytes.  A process has one interval, or several that were joined, one after
   the other.  Numbers are in the byte order of the machine that wrote
   the file. */

#ifndef EVENTRING_RECORDING_H
#define EVENTRING_RECORDING_H

#include <stdint.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "caml/eventring_format.h"

#define RECORDING_MAGIC "Eventring record"
#define RECORDING_VERSION_MAJOR 2
#define RECORDING_VERSION_MINOR 2

struct recording_start {
  char magic[16];
  uint16_t version_major, version_minor;
  uint32_t chunk_size;          /* of struct chunk */
  uint64_t sum;                 /* recording_sum of the fields before */
};

/* The header of the ring file has its size in the format of the ring file that
   this version is of; a longer one is another version of the recording. */
_Static_assert(sizeof(struct eventring_header) == 1280,
               "RECORDING_VERSION_MAJOR and doc/RECORDING.md");

enum chunk_kind {
  CHUNK_PROCESS = 1,            /* struct eventring_header; for each ring, a
                                   uint64_t, see RECORDING_ANY */
  CHUNK_SCHEMA = 2,             /* struct eventring_schema_entry, each */
  CHUNK_SEGMENT = 3,            /* struct run and its words, each */
  CHUNK_NOTE = 4,               /* text */
  CHUNK_END = 5,                /* struct process_end */
  CHUNK_INDEX = 6,              /* struct index_entry, one a chunk but this */
  CHUNK_NODE = 7,               /* text; from version 2.1 on */
  CHUNK_CLOCK = 8,              /* struct recording_clock, each; likewise */
  CHUNK_OPEN = 9                /* struct eventring_open_span, each; from version
                                   2.2 on */
};

struct chunk {
  uint32_t kind;
  uint32_t process;             /* from 0 */
  uint64_t stored;              /* bytes after this, compressed */
  uint64_t raw;                 /* bytes that they become */
  /* Of a segment, else 0: */
  uint64_t horizon;             /* ticks: all events up to then are in it and
                                   those before it */
  int64_t first_ns, last_ns;    /* CLOCK_MONOTONIC of its oldest block, and of
                                   the horizon; not before the file begins */
  uint64_t shift;               /* added to the positions of its runs;
                                   the same for all chunks of an interval */
  uint64_t content;             /* recording_sum of the stored bytes */
  uint64_t sum;                 /* recording_sum of the fields before */
};

/* A PROCESS has a number for each ring: how many events the ring had that do
   not belong to the interval, since an interval before has them.
   RECORDING_ANY: all events in the interval belong to it, and the number of
   events that the ring lost before them is not known. */
#define RECORDING_ANY UINT64_MAX

/* A run of words of one ring, from the beginning of a block on.  Positions
   count the words of the ring in this recording, from RECORDING_POSITION on:
   where the recorder was overtaken they go on without a gap, since the
   headers of blocks tell how many events are missing. */
struct run {
  uint32_t ring;
  uint32_t words;
  uint64_t position;
};

#define RECORDING_POSITION ((uint64_t) 1 << 40)

/* Each interval that is joined to a process has its positions moved by this. */
#define RECORDING_SHIFT ((uint64_t) 1 << 50)
#define RECORDING_MAX_JOINED 1024

struct process_end {
  uint32_t state;               /* as of eventring_state, 5: it ran on */
  uint32_t continued;           /* 1: events after the last horizon are in
                                   another file */
  uint64_t events, lost;        /* RECORDING_ANY: not counted */
  int64_t from_ns, to_ns;       /* events from and before; 0, 0: all */
  struct eventring_header header; /* as it was then; [ended]: when that was */
};

/* One instant by two clocks: CLOCK_MONOTONIC of the process, and CLOCK_REALTIME
   with an error of at most [bound_ns]. */
struct recording_clock {
  int64_t monotonic_ns, realtime_ns;
  uint64_t bound_ns;
};

struct index_entry {
  uint64_t offset;
  struct chunk chunk;
};

#define RECORDING_TRAILER_MAGIC "Eventring index\n"

struct recording_trailer {
  uint64_t index;               /* offset of the chunk */
  uint64_t sum;                 /* recording_sum of [index] */
  char magic[16];
};

/* Sent by a receiver of a stream, once, as soon as it has connected: which
   process it has and, after the struct, a uint64_t for each ring, the number of
   the last event that it has.  [rings] is 0 when it has nothing. */
#define RECORDING_PLACE_MAGIC "Eventring place\n"

struct recording_place {
  char magic[16];
  uint32_t size;                /* of the struct and the numbers */
  uint32_t rings;
  char boot_id[40];
  uint64_t pid_namespace;
  uint64_t start_time;
  struct eventring_instant started; /* of the session */
  uint32_t pid;
  uint32_t reserved;
  uint64_t content;             /* recording_sum of the numbers */
  uint64_t sum;                 /* recording_sum of the fields before */
};

_Static_assert(sizeof(struct recording_place) == 128,
               "no padding, and doc/RECORDING.md");

/* The most spans of an OPEN chunk: the oldest ones. */
#define RECORDING_MAX_OPEN 65536

/* Upper limits of numbers in a file: larger ones are not believed. */
#define RECORDING_MAX_RAW ((uint64_t) 256 << 20)
#define RECORDING_MAX_PROCESSES 1024

/* Bytes that all chunks together become, at most, in a file of [size] bytes:
   far more than events can be compressed.  So reading the file ends in time,
   though zstd makes megabytes of some bytes. */
#define RECORDING_MAX_ALL_RAW(size) (((uint64_t) 16 << 20) + (size) * 256)

/* Returns the checksum of [length] bytes in a recording: XXH64 with a seed of
   0.  Its code is compiled into the library, which needs no libxxhash.so. */
static inline uint64_t recording_sum(const void *bytes, uint64_t length)
{
  return XXH64(bytes, (size_t) length, 0);
}

#endif /* EVENTRING_RECORDING_H */
