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

/* The reading loop: all events that are there, or all until the process ends
   or the user interrupts; of one process, or of several in the order of
   time. */

#ifndef TOOLS_FOLLOW_H
#define TOOLS_FOLLOW_H

#include "common.h"

struct reading {
  bool follow;                    /* go on until the end or Ctrl-C */
  bool changes;                   /* [event] gets EVENTRING_EV_CONTROL_CHANGED,
                                     too */
  void *state;                    /* given to the functions below; [event]
                                     gets the source's [state] when there
                                     are several */
  void (*event)(void *state, const struct eventring_event *event);
  /* After each batch, [idle] when it was empty; false stops the reading. */
  bool (*pass)(void *state, bool idle);
};

/* Reads from [cursor] as [reading] says.  Without [follow], events of a
   running process that are younger than the call are left out, so that a fast
   writer cannot keep it busy for ever.  SIGINT and SIGTERM end a [follow] in
   order; a second one kills.  The value is STATUS_OK, or STATUS_CANNOT_READ,
   with a message, when the file is damaged. */
enum status read_events(struct eventring_cursor *cursor,
                        const struct reading *reading);

/* One of several processes that are read together. */
struct source {
  struct eventring_cursor *cursor;
  void *state;                    /* given to [event] of the reading */
  int64_t shift_ns;               /* added to the times of its events, so that
                                     the times of all are of one clock */
};

/* Reads [count] sources likewise, with their events merged by time. */
enum status read_sources(const struct source *sources, int count,
                         const struct reading *reading);

/* catch_interrupts makes SIGINT and SIGTERM end later reading in order, as in a
   [follow]; interrupted_by returns the signal that arrived, or 0. */
void catch_interrupts(void);
int interrupted_by(void);

#endif /* TOOLS_FOLLOW_H */
