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

/* Events that are samples, and events of the life of sampled blocks.

     struct samples *s = new_samples(cursor);
     switch (sample_kind(s, event)) { ... }

   An event is of a kind when it has the name and enough fields. */

#ifndef ANALYSIS_SAMPLES_H
#define ANALYSIS_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

enum sample_kind {
  NO_SAMPLE, CPU_SAMPLE, ALLOC_SAMPLE, LIVE_SAMPLE, WAIT_SAMPLE, IO_SAMPLE,
  BLOCKS_FREED, ALLOC_START, CPU_USED, SAMPLE_KINDS
};

/* The words of the payloads, as doc/FORMAT.md has them.  All samples have the
   first three; the first is the weight.  The frames follow, the innermost
   first: in a CPU_SAMPLE the address of an instruction and then return
   addresses, in the others return addresses. */
enum { SAMPLE_WEIGHT, SAMPLE_STACK, SAMPLE_REQUEST, SAMPLE_FIRST_FRAME };
enum {                          /* ALLOC_SAMPLE and LIVE_SAMPLE */
  ALLOC_BLOCK = 3, ALLOC_SIZE, ALLOC_SOURCE, ALLOC_ALLOCATION,
  ALLOC_FIRST_FRAME, LIVE_AGE = ALLOC_FIRST_FRAME, LIVE_FIRST_FRAME
};
enum { WAIT_WAIT = 3, WAIT_DURATION, WAIT_FIRST_FRAME };
enum {
  IO_OPERATION = 3, IO_BYTES, IO_ERROR, IO_DESCRIPTOR, IO_FILE_KIND,
  IO_FIRST_FRAME
};
enum { START_PERIOD, START_BLOCK };
/* In CPU_USED: all processor time, and then the time without samples, by its cause.
   Older files do not have the time of samples at ticks of the system. */
enum {
  USED_TIME, USED_SIGNALS_BLOCKED, USED_NO_RING, USED_NO_ROOM,
  USED_BETWEEN_SAMPLES, USED_ENDED, USED_NOT_FOUND, USED_FIELDS,
  USED_BY_TICKS = USED_FIELDS
};

struct samples;

/* Creates the kinds of the events of [cursor], which must stay open.  Never
   returns NULL.  The caller frees them with free_samples. */
struct samples *new_samples(struct eventring_cursor *cursor);
void free_samples(struct samples *samples);

/* Returns the kind of [event], which the cursor has returned. */
enum sample_kind sample_kind(struct samples *samples,
                             const struct eventring_event *event);

/* Returns the number of the word with the first frame of samples of [kind]; 0
   when events of this kind have no frames. */
uint32_t first_frame(enum sample_kind kind);

/* Returns whether the stack of the sample [event] of [kind], which [cursor] has
   returned, is whole: complete, with a frame. */
bool sample_is_whole(struct eventring_cursor *cursor, enum sample_kind kind,
                     const struct eventring_event *event);

#endif /* ANALYSIS_SAMPLES_H */
