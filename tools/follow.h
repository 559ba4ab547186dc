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
  bool open_spans;                /* and EVENTRING_EV_OPEN */
  void *state;                    /* given to the functions below; [event]
                                     gets the source's [state] when there
                                     are several */
  void (*event)(void *state, const struct eventring_event *event);
  /* NULL, or called after each batch, [idle] when it was empty; false stops the
     reading. */
  bool (*pass)(void *state, bool idle);
  /* NULL, or called with the source's state each time a read of the source
     returned no events. */
  void (*quiet)(void *state);
  /* NULL, or called with the source's state in place of printing a message that
     begins with the name of the file: [what] is damaged in it, or, if [failed], why
     it cannot be read on. */
  void (*problem)(void *state, bool failed, const char *what);
};

/* Writes to [text] that a file is cut or damaged from byte [cut] on, if that is not
   0, and how many damaged [blocks] were left out, if any.  Returns whether there is
   damage. */
bool describe_damage(uint64_t cut, uint64_t blocks, char *text, size_t size);

/* Reads events from [cursor] and passes them to the functions of [reading].
   Without [follow], reads until the cursor has no more events, and leaves out
   events of a running process that are younger than the call, so that a fast
   writer cannot keep the call busy for ever.  With [follow], reads all sessions
   until the process ends or SIGINT or SIGTERM arrives, for which it calls
   catch_interrupts; prints notes that it follows, if standard error is a
   terminal, that a process which stopped its tracing still runs, and that events
   between two sessions are missing.  The cursor goes on with each session: see
   eventring_go_on.  Stops in both cases when [pass] returns false.  Leaves out
   damaged blocks.  Returns STATUS_OK; STATUS_CANNOT_READ, with a message or after
   [problem], when the file is damaged or cannot be read. */
enum status read_events(struct eventring_cursor *cursor,
                        const struct reading *reading);

/* One of several processes that are read together. */
struct source {
  struct eventring_cursor *cursor;
  uint32_t process;               /* its number in its file, from 0 */
  void *state;                    /* given to [event] of the reading */
  int64_t shift_ns;               /* added to the times of its events, so that
                                     the times of all are of one clock */
  const char *name;               /* for messages; NULL: the path of its file */
  bool same_file;                 /* as the source before, which reports damage
                                     of the file */
};

/* Reads events from [count] sources as read_events does, merged by time, each
   with its [shift_ns] added.  While processes are followed, an event waits until
   all published events before it have been read of each process: a writer that is
   interrupted between reading the clock and publishing may be late.  The functions [event]
   and [quiet] get the state of the source, and [pass] the state of the
   reading.  A source that cannot be read does not end the reading of the
   others. */
enum status read_sources(const struct source *sources, int count,
                         const struct reading *reading);

/* catch_interrupts makes SIGINT and SIGTERM end later calls of read_events and
   read_sources in order, and makes interrupted_by return the signal that
   arrived last; a second signal of the same kind kills the program.
   interrupted_by returns 0 before any signal. */
void catch_interrupts(void);
int interrupted_by(void);

#endif /* TOOLS_FOLLOW_H */
