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

/* The loop that reads the events of a cursor that are new:

     struct event_reader reader;
     const struct eventring_event *event;
     read_new_events(&reader, cursor, until_ns);
     while ((event = next_event(&reader)) != NULL) {
       ...
       if (batch_is_over(&reader) && enough) break;
     }

   sources/reading.h goes on from there: it waits for more, and merges several
   cursors. */

#ifndef ANALYSIS_EVENT_READER_H
#define ANALYSIS_EVENT_READER_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

#define EVENT_BATCH 512

struct event_reader {
  struct eventring_cursor *cursor;
  struct eventring_event batch[EVENT_BATCH];
  int64_t until_ns;
  int next, count;
  bool begun;
  bool out_of_time;               /* there may be more events */
  int error;                      /* of eventring_read, that ended the reading; else
                                     0 */
  uint64_t damaged;               /* blocks that were left out */
};

/* Begins to read the new events of [cursor], a batch at least, up to the time
   [until_ns] of CLOCK_MONOTONIC: a process may write events, or damage, faster than
   it is read.  INT64_MAX: all that are there. */
void read_new_events(struct event_reader *reader, struct eventring_cursor *cursor,
                     int64_t until_ns);

/* Returns the next event, valid until the next call; NULL when there are no more at
   present, when the time is over, and after an error.  Leaves out damaged
   blocks. */
const struct eventring_event *next_event(struct event_reader *reader);

/* Returns whether the last event that next_event has returned was the last of its
   batch: only then does a reader that ends lose no event. */
static inline bool batch_is_over(const struct event_reader *reader)
{
  return reader->next == reader->count;
}

/* Returns whether [reader], of which next_event has returned NULL, has returned all
   events that were there. */
static inline bool all_are_read(const struct event_reader *reader)
{
  return !reader->out_of_time && reader->error == 0;
}

#endif /* ANALYSIS_EVENT_READER_H */
