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

/* The loop that records the events of a process while the process runs:

     struct record_loop loop;
     begin_record_loop(&loop, recorder, cursor);
     while ((error = record_new(&loop)) == 0 && !loop.complete) {
       ...
       record_sleep(&loop);
     }

   A caller that records several processes in turn asks record_sleep_ns instead. */

#ifndef ANALYSIS_RECORD_LOOP_H
#define ANALYSIS_RECORD_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

/* The usual time between two looks whether the session has ended. */
#define RECORD_LOOK_NS INT64_C(20000000)

struct record_loop {
  struct eventring_recorder *recorder;
  struct eventring_cursor *cursor;
  uint64_t ring_words;
  uint64_t words;                 /* copied by the last call of record_new... */
  int64_t now_ns;                 /* ...at this time */
  int64_t passed_ns;              /* since the call before */
  int64_t look_ns, looked_ns;
  bool ended;                     /* the session is seen to have ended */
  bool complete;                  /* and all events from before were copied */
  bool behind;                    /* there are more events; set by a caller, too,
                                     that reads them */
};

/* Begins to record with [recorder], whose cursor is [cursor]. */
void begin_record_loop(struct record_loop *loop,
                       struct eventring_recorder *recorder,
                       struct eventring_cursor *cursor);

/* Copies the new events, and looks whether the session has ended if the last look
   is [look_ns] ago.  Returns 0 or the error of eventring_record_step. */
int record_new(struct record_loop *loop);

/* Looks whether the session has ended. */
void look_for_end(struct record_loop *loop);

/* Returns how long the events can wait for the next call of record_new, in ns:
   not at all when the session has ended or the loop is [behind], else as
   poll_interval_ns says. */
long record_sleep_ns(const struct record_loop *loop);

/* Returns the time until which events may be read between two calls of record_new:
   10 ms from now, so that copying continues if a writer never rests; INT64_MAX when
   the last events are there. */
int64_t record_turn_ns(const struct record_loop *loop);

/* Sleeps for the time of record_sleep_ns, or until a signal arrives. */
void record_sleep(const struct record_loop *loop);

#endif /* ANALYSIS_RECORD_LOOP_H */
