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
   prose.  eventring_recorder.c writes it, eventring_recording.c reads it.

     +--------------------------------------+
     | struct recording_start               |
     +--------------------------------------+
     | chunk: PROCESS                       |  a part begins: one process
     | chunk: SCHEMA                        |
     | chunk: SEGMENT                       |  words of the rings
     | chunk: SCHEMA, SEGMENT, SEGMENT ...  |
     | chunk: NOTE                          |
     | chunk: END                           |
     +--------------------------------------+
     | more parts                           |
     +--------------------------------------+
     | chunk: INDEX                         |
     | struct recording_trailer             |
     +--------------------------------------+

   A chunk is a struct chunk and then [stored] bytes, a zstd frame with a
   checksum.  What it holds, [raw] bytes, begins with the struct chunk once
   more (with [stored] 0), so that the checksum covers that too.  Numbers are
   in the byte order of the machine that wrote the file. */

#ifndef EVENTRING_RECORDING_H
#define EVENTRING_RECORDING_H

#include <stdint.h>
#include "caml/eventring_format.h"

#define RECORDING_MAGIC "Eventring record"
#define RECORDING_VERSION_MAJOR 1
#define RECORDING_VERSION_MINOR 0

struct recording_start {
  char magic[16];
  uint16_t version_major, version_minor;
  uint32_t chunk_size;          /* of struct chunk */
  uint64_t reserved;
};

enum chunk_kind {
  CHUNK_PROCESS = 1,            /* struct eventring_header */
  CHUNK_SCHEMA = 2,             /* struct eventring_schema_entry, each */
  CHUNK_SEGMENT = 3,            /* struct run and its words, each */
  CHUNK_NOTE = 4,               /* text */
  CHUNK_END = 5,                /* struct part_end */
  CHUNK_INDEX = 6               /* struct index_entry, one a chunk but this */
};

struct chunk {
  uint32_t kind;
  uint32_t part;                /* from 0 */
  uint64_t stored;              /* bytes after this, compressed */
  uint64_t raw;                 /* bytes that they become */
  uint64_t horizon;             /* ticks.  Of a segment: all events up to then
                                   are in it and those before it.  Of a
                                   process: events up to then do not belong to
                                   the part, 0: all do */
  /* Of a segment, else 0: */
  int64_t first_ns, last_ns;    /* CLOCK_MONOTONIC of its oldest block, and of
                                   the horizon */
  uint64_t shift;               /* what to add to the positions of its runs */
  uint64_t reserved;
};

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

/* Each piece that is joined to a part has its positions moved by this. */
#define RECORDING_SHIFT ((uint64_t) 1 << 50)
#define RECORDING_MAX_JOINED 2048

struct part_end {
  uint32_t state;               /* as of eventring_state, 5: it ran on */
  uint32_t continued;           /* 1: events after the last horizon are in
                                   another file */
  uint64_t events, lost;
  int64_t from_ns, to_ns;       /* events outside do not count; 0, 0: all do */
  struct eventring_header header; /* as it was then; [ended]: when that was */
};

struct index_entry {
  uint64_t offset;
  struct chunk chunk;
};

#define RECORDING_TRAILER_MAGIC "Eventring index\n"

struct recording_trailer {
  uint64_t index;               /* offset of the chunk */
  uint64_t reserved;
  char magic[16];
};

/* Bounds of what is believed of a file. */
#define RECORDING_MAX_RAW ((uint64_t) 256 << 20)
#define RECORDING_MAX_PARTS 4096

#endif /* EVENTRING_RECORDING_H */
