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

/* The reading loop: all events that are there, or all until the process ends; of one
   process, or of several in the order of time. */

#ifndef SOURCES_READING_H
#define SOURCES_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "eventring_reader.h"

struct source;

struct reading {
  bool follow;                    /* go on until the process ends */
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
  /* Not NULL.  Called with the source's state: [what] is damaged in it, or, if
     [failed], why it cannot be read on.  Damage of the whole file is told of a source
     without a name.  [source] is valid during the call. */
  void (*problem)(void *state, const struct source *source, bool failed,
                  const char *what);
  /* NULL, or called with a note for the user: a process that stopped its tracing
     runs on, events between two sessions are missing, a connection broke. */
  void (*note)(const char *text);
  /* NULL, or called when [cursor] goes on with the file of another session. */
  void (*go_on)(struct eventring_cursor *cursor);
  /* NULL, or returns whether to stop at once; a signal ends the sleep between two
     reads. */
  bool (*stop)(void);
};

/* Room for any text of describe_damage. */
#define DAMAGE_TEXT 256

/* Writes to [text] that a file is cut or damaged from byte [cut] on, if that is not
   0, and how many damaged [blocks] were left out, if any.  Returns whether there is
   damage. */
bool describe_damage(uint64_t cut, uint64_t blocks, char *text, size_t size);

/* Reads events from [cursor] and passes them to the functions of [reading].
   Without [follow], reads until the cursor has no more events, and leaves out
   events of a running process that are younger than the call, so that a fast
   writer cannot keep the call busy for ever; a later call may lack some of them.  With
   [follow], reads all sessions until the process ends.  The cursor goes on with each session: see
   eventring_go_on.  Stops in both cases when [pass] returns false.  Leaves out
   damaged blocks.  Returns false, after [problem], when the file is damaged or
   cannot be read. */
bool read_cursor(struct eventring_cursor *cursor, const struct reading *reading);

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

/* Reads events from [count] sources as read_cursor does, merged by time, each
   with its [shift_ns] added.  While processes are followed, an event waits until
   all published events before it have been read of each process: a writer that is
   interrupted between reading the clock and publishing may be late.  The functions
   [event] and [quiet] get the state of the source, and [pass] the state of the
   reading.  A source that cannot be read does not end the reading of the
   others. */
bool read_merged(const struct source *sources, int count,
                 const struct reading *reading);

#endif /* SOURCES_READING_H */
