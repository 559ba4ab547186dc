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

/* The spans of a window of time, as a drawing of [width] pixels needs them: a
   lane for each thread of a domain; spans that are shorter than a pixel are
   merged, and in a lane of many kinds and depths those that are shorter than
   some pixels, so that the number of spans of a lane is bounded by the width,
   not by the number of events.

   struct timeline *t = new_timeline(cursor, from_ns, to_ns, width);
     for each event from before the window to behind it:
       timeline_event(t, event);
     timeline_finish(t, until_ns); */

#ifndef ANALYSIS_TIMELINE_H
#define ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "long_spans.h"

enum timeline_kind {
  TIMELINE_COLLECTOR,
  TIMELINE_USER,                  /* spans of the program */
  TIMELINE_WAIT,
  TIMELINE_STOP,                  /* stop-the-world sections, in the thread that
                                     requested them */
  TIMELINE_REQUEST,               /* the thread worked on a request */
  TIMELINE_OTHER,                 /* other spans of the runtime */
  TIMELINE_KINDS
};

/* Spans inside one another of one kind have depths from 0; deeper ones than the
   last are left out. */
#define TIMELINE_DEPTHS 8

/* The name of waits that go on. */
#define TIMELINE_OPEN_WAIT "unfinished wait"

/* The most lanes, gaps, arrows and names. */
#define TIMELINE_LANES 1024
#define TIMELINE_ARROWS 4096
#define TIMELINE_GAPS 4096
#define TIMELINE_NAMES 65536

struct timeline_span {
  int64_t from_ns, to_ns;         /* CLOCK_MONOTONIC, within the window */
  int32_t name, cause;            /* see timeline_name; -1: none, as for
                                     merged spans */
  uint32_t merged;                /* the number of spans; 0: a single one */
  float share;                    /* of this time that merged spans cover */
  uint8_t depth, kind;
};

struct timeline_lane {
  uint32_t domain, thread;        /* ids, the second one of the system */
  int32_t thread_id;              /* as in an event */
  size_t count;
  const struct timeline_span *spans;
};

/* Why there are no events: all rings paused; those of a domain were lost, overwritten
   before the oldest one, or not copied to the recording, which began later. */
enum timeline_gap_kind { GAP_PAUSED, GAP_LOST, GAP_OVERWRITTEN, GAP_NOT_RECORDED };

struct timeline_gap {
  int64_t from_ns, to_ns;
  enum timeline_gap_kind kind;
  uint64_t lost;                  /* of GAP_LOST and GAP_OVERWRITTEN */
  uint32_t domain;                /* but of GAP_PAUSED */
};

/* The end of a wait, of at least a pixel, for the domain lock: thread [from] of the
   domain had the lock, and has an event in the time in which [to] waited for it. */
struct timeline_arrow {
  int64_t ns, since_ns;           /* end and begin of the wait */
  uint32_t domain;
  uint32_t from, to;              /* the system's ids of the threads */
  bool mutex;                     /* [from] held the mutex at the begin of the wait, and
                                     not the domain lock at its end */
};

struct timeline;

/* Creates an empty timeline of the events of [cursor] from [from_ns] to before
   [to_ns], which is later, [width] pixels wide, at least 1.  Never returns NULL
   (see memory.h).  The caller frees it with free_timeline; the cursor must stay
   open. */
struct timeline *new_timeline(struct eventring_cursor *cursor, int64_t from_ns,
                              int64_t to_ns, uint32_t width);
void free_timeline(struct timeline *t);

/* Adds [count] spans that are known from elsewhere, in the order of their
   begins, so that spans with a begin before the first event of their ring, and
   waits that end behind the last one or go on, are not left out.  To be called
   before the first event; [list] must stay valid until timeline_finish. */
void timeline_know(struct timeline *t, const struct long_span *list,
                   size_t count);

/* Adds a gap for the time before the oldest event of a ring.  [lost] is the
   first event of the ring, EVENTRING_EV_LOST: earlier events were overwritten.
   To be called before the first event of the timeline. */
void timeline_overwritten(struct timeline *t,
                          const struct eventring_event *lost);

/* Adds a gap for the time before [until_ns], when the recording of domain [domain]
   begins. */
void timeline_not_recorded(struct timeline *t, uint32_t domain, int64_t until_ns);

/* Takes the next event of the cursor.  Other spans that began before the first
   event are left out. */
void timeline_event(struct timeline *t, const struct eventring_event *event);

/* Ends the spans that are still open at the end of the window.  To be called
   once, after the last event. */
void timeline_finish(struct timeline *t, int64_t until_ns);

/* Returns the stops of a domain, which lists of stops tell, as a lane without a thread;
   [index] is from 0.  NULL when there are not so many domains. */
const struct timeline_lane *timeline_stops(const struct timeline *t, size_t index);

/* Return lane, gap or arrow number [index], from 0; NULL when there are not so
   many. */
const struct timeline_lane *timeline_lane(const struct timeline *t,
                                          size_t index);
const struct timeline_gap *timeline_gap(const struct timeline *t,
                                        size_t index);
const struct timeline_arrow *timeline_arrow(const struct timeline *t,
                                            size_t index);

/* Returns name number [index], from 0, of spans and causes; NULL when there are
   not so many.  A name may have any bytes. */
const char *timeline_name(const struct timeline *t, size_t index);

#endif /* ANALYSIS_TIMELINE_H */
