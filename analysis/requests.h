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

/* How long requests took: from begin to end, how much of that threads worked on
   them (running), and how much no thread did (waiting); and for what threads waited,
   and how long they were in the collector, while they worked on them.

     struct requests *r = new_requests(cursor);
     for each event: request_ended(r, event, &request);
     const struct request_kind *kind = request_kind(r, id); */

#ifndef ANALYSIS_REQUESTS_H
#define ANALYSIS_REQUESTS_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "histogram.h"

struct requests;

/* The kinds of waits of a request that are told apart. */
#define REQUEST_WAITS 4

/* The waits of a kind, of the threads that worked on a request. */
struct request_wait {
  uint16_t id;                    /* of their events */
  uint32_t count;                 /* 0: there are no more kinds */
  uint64_t ns;                    /* without the time for the lock of the domain */
};

/* A request that has ended. */
struct ended_request {
  uint64_t number;
  uint16_t id;                    /* of its begin and end: its kind */
  int64_t begin_ns, end_ns;
  uint64_t running_ns;            /* of all threads, added */
  uint64_t waiting_ns;            /* no thread worked on it */
  struct request_wait waits[REQUEST_WAITS];       /* that ended before it, by their
                                     first ends */
  uint64_t other_waits_ns;        /* of further kinds */
  struct request_wait domain_lock;        /* of these waits, after what they are for; [id]
                                     is not set */
  uint64_t collector_ns;          /* in the collector, or stopped for it */
  bool runs_known;                /* false: events were lost, so that these are
                                     less than they were, or more */
};

/* The requests of a kind. */
struct request_kind {
  struct histogram total;         /* requests that ended, from begin to end */
  struct histogram running, waiting;      /* of those with [runs_known] */
  uint64_t open;                  /* requests that have not ended, of those
                                     behind the last loss of events, which may
                                     have been the ends of the others */
  uint64_t losses;                /* that [open] is behind */
};

/* A run that has ended: a thread worked on a request. */
struct ended_run {
  uint64_t number;                /* of the request */
  uint16_t id;                    /* of its begin; 0: the begin is not known */
  uint32_t domain, thread;
  int64_t begin_ns, end_ns;
};

/* Creates a table of the requests of the process that [cursor] reads.  Never
   returns NULL (see memory.h).  The caller frees the table with free_requests;
   the cursor must stay open while the table is used. */
struct requests *new_requests(struct eventring_cursor *cursor);
void free_requests(struct requests *requests);

/* Makes [ended] be called, with [state], for each run when its end is known.
   Runs that a gap cuts are left out. */
void watch_runs(struct requests *requests,
                void (*ended)(void *state, const struct ended_run *run),
                void *state);

/* Makes [ended] be called, with [state], for each request whose end is read; and
   [doubted] when events are found to be lost: the runs of the requests that ended later
   than [since_ns] are not known.  Only one caller at a time; NULL: none. */
void watch_requests(struct requests *requests,
                    void (*ended)(void *state, const struct ended_request *request),
                    void (*doubted)(void *state, int64_t since_ns), void *state);

/* Returns true when [event] ends a request with a known begin, and sets
   *begin_ns to its time; else returns false.  [event] must be the event that
   the caller passes next to request_ended. */
bool request_begin(struct requests *requests,
                   const struct eventring_event *event, int64_t *begin_ns);

/* Updates the table with [event].  The caller passes every event, in order.
   Returns true when [event] ends a request with a known begin, and then
   describes the request in [*ended]; else returns false. */
bool request_ended(struct requests *requests,
                   const struct eventring_event *event,
                   struct ended_request *ended);

/* Counts the time from [since_ns] to [event], which the table has, as time that the thread
   of [event] spent in the collector, from the begin of its run on.  Without calls, only
   stops count. */
void request_collected(struct requests *requests, const struct eventring_event *event,
                       int64_t since_ns);

/* Counts only requests that end at [from_ns] or later.  For use before the first event. */
void request_window(struct requests *requests, int64_t from_ns);

/* Removes all knowledge of which thread works on which request.  For use when
   recording was paused. */
void forget_runs(struct requests *requests);

/* Returns whether the thread with the system's id [thread] works on a request; then sets
   *number to it and *id to the event of its begin, 0 if that is not known. */
bool request_of_thread(struct requests *requests, uint32_t thread, uint64_t *number,
                       uint16_t *id);

/* The most open requests that are known: a number takes the place of the one that is
   less by this. */
#define OPEN_REQUESTS 65536

/* A request that has not ended. */
struct open_request {
  struct ended_request so_far;    /* as if it had ended at the time that is asked for */
  uint32_t thread;                /* one that works on it; 0: none does */
};

/* Fills [list] with at most [most] open requests, of those behind the last loss of events
   (see struct request_kind), as they are at [ns], which is not before the last event: the
   longest first, or only the one with the number [number], if that is not 0.  Returns their
   number. */
size_t list_open_requests(const struct requests *requests, int64_t ns, uint64_t number,
                          struct open_request *list, size_t most);

/* Ends what threads do for requests at [ns], the end of what is looked at. */
void end_runs(struct requests *requests, int64_t ns);

/* Returns the distributions for the requests that begin with the id [id], up to
   the last event; NULL when there is no such request.  Valid until the next
   call of a function of this header. */
const struct request_kind *request_kind(struct requests *requests, uint16_t id);

#endif /* ANALYSIS_REQUESTS_H */
