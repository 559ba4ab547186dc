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

/* A process or a recording that the server has opened. */

#ifndef SERVE_VIEW_H
#define SERVE_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"
#include "headline.h"
#include "history.h"
#include "live_stats.h"
#include "unnamed_file.h"

struct view;

/* The data of a view, for a function that view_look calls. */
struct view_data {
  uint64_t id;
  int32_t pid;                    /* as we call it; 0: not known */
  struct eventring_cursor *cursor;
  struct live_stats *live;
  struct request_log *request_log;
  struct history *history;
  struct eventring_info info;
  int state;                      /* EVENTRING_STATE_... */
  bool reading;                   /* events that were there at the opening are
                                     not all read yet */
  int64_t now_ns;                 /* up to which events are read */
  uint64_t lost_before;           /* events that the rings had overwritten at
                                     the opening */
  uint64_t damaged;               /* blocks that were left out */
  int failure;                    /* EVENTRING_E_...: it cannot be read on; or 0 */
  uint64_t resident_bytes;        /* 0: not known */
  int64_t cpu_ns;                 /* processor time used, -1: not known... */
  double processors;              /* ...by so many at a time, of late; < 0: not known */
  uint64_t sent;                  /* rows of 100 ms, to streams */
  json_t *findings, *diagnosis;   /* see findings.h; NULL: not yet */
  struct headline headline;       /* of the last diagnosis */
  int64_t findings_next_ns;       /* when they are due again */
  int64_t findings_made_unix_ns;
  bool findings_are_last;         /* of all events, since no more come */
  int64_t added_until_ns[32];     /* by category: recorded until then, since a client
                                     has added it; 0: it has not */
  struct metrics *metrics;        /* NULL: nobody has asked for them */
};

/* Opens the file at [path], process number [process] of it, as the view with
   the id [id] of the process [pid], which may be 0.  Returns NULL, with the
   reason in [why], a buffer of [why_size] bytes, when that fails.  The caller
   has a hold of it and gives it to drop_view. */
struct view *new_view(uint64_t id, int32_t pid, const char *path,
                      uint32_t process, char *why, size_t why_size);

/* Returns the time when the tracing began that wrote process [process] of the
   file at [path], on CLOCK_MONOTONIC; 0 when the file cannot be read. */
int64_t start_of_tracing(const char *path, uint32_t process);

/* Take and give back a hold of a view, which is closed with the last. */
struct view *hold_view(struct view *view);
void drop_view(struct view *view);

/* Return the id, and the path of the file, of [view]. */
uint64_t view_id(const struct view *view);
const char *view_path(const struct view *view);

/* How many new events a view had. */
enum view_news {
  VIEW_FAILED,                    /* none, and it cannot be read on */
  VIEW_FEW,                       /* they took a thirty-second of a ring at most */
  VIEW_MANY,
  VIEW_MORE                       /* and more are left */
};

/* The usual time that a view is read at one go. */
#define VIEW_SLICE_NS INT64_C(20000000)

/* Reads new events for at most [budget_ns]. */
enum view_news view_read(struct view *view, int64_t budget_ns);

/* Calls [look] with [state] and the data of [view], which only this call uses
   meanwhile.  Returns false when the file was cut shorter; [look] may then have
   read zeros, or not been called. */
bool view_look(struct view *view,
               void (*look)(struct view_data *data, void *state), void *state);

/* Calls [take] with [state], the data of [view] and each event that is read from now
   on, in the thread that reads it, before the statistics of the view have the event:
   their table of spans still has the one that it ends.  Only one function at a time
   takes events; NULL ends that, and it is not called any more when this returns. */
void view_listen(struct view *view,
                 void (*take)(void *state, const struct view_data *data,
                              const struct eventring_event *event), void *state);

/* Returns whether nothing new can come: the process has ended or the file is a
   recording, and all of it was read; or the file was cut. */
bool view_is_finished(struct view *view);

/* Returns whether the file was cut shorter. */
bool view_is_cut(const struct view *view);

/* Opens the file of [view] once more, even if its name is gone, and returns a
   cursor that the caller gives to view_close.  [control]: it may control the
   process, and reads from the present on.  Returns NULL, with the reason in [why], when that fails.
   view_close returns false when the file was cut shorter meanwhile, for the reason
   VIEW_CUT: numbers that were read with [cursor], which may be NULL, may be
   wrong. */
#define VIEW_CUT "the file was cut shorter"
struct eventring_cursor *view_open(struct view *view, bool control, char *why,
                                   size_t why_size);
bool view_close(struct view *view, struct eventring_cursor *cursor);

/* Returns the file and the process of [view], for eventring_recording_merge, and
   writes the path to [path]: the file is found even if its name is gone. */
struct eventring_merge_input view_input(const struct view *view,
                                        char path[DESCRIPTOR_PATH]);

/* Calls [work] with [state] to read much of a file with a cursor of view_open:
   waits until fewer than READERS such calls are going on, since each takes memory
   for the segments of a recording, and a processor. */
#define READERS 2
void work_in_turn(void (*work)(void *state), void *state);

#endif /* SERVE_VIEW_H */
