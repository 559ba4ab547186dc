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

/* The requests that ended in a window: the slowest ones, the distribution of each
   kind, and the runs of a single one.

     struct slow_requests *s = new_slow_requests(cursor, from_ns, to_ns, most, 0);
     for each event: slow_requests_event(s, event);
     const struct ended_request *r = slow_requests_list(s, &count); */

#ifndef ANALYSIS_SLOW_REQUESTS_H
#define ANALYSIS_SLOW_REQUESTS_H

#include "requests.h"

/* The most runs of a request. */
#define SLOW_REQUEST_RUNS 10000

struct slow_requests;

struct slow_request {
  struct ended_request ended;
  bool overwritten;               /* of slow_requests_add */
};

/* Creates an empty list of the [most] (1 or more) slowest requests that end from [from_ns] to
   before [to_ns], on CLOCK_MONOTONIC, of the process that [cursor] reads; if [number]
   is not 0, only of the request with that number.  Never returns NULL.  The caller
   frees the list; the cursor must stay open. */
struct slow_requests *new_slow_requests(struct eventring_cursor *cursor,
                                        int64_t from_ns, int64_t to_ns,
                                        uint32_t most, uint64_t number);
void free_slow_requests(struct slow_requests *s);

/* Takes an event.  The caller passes every event, in order. */
void slow_requests_event(struct slow_requests *s,
                         const struct eventring_event *event);

/* Ends the runs of open requests at [ns], the time up to which events were read. */
void slow_requests_end(struct slow_requests *s, int64_t ns);

/* Adds [request], which ended in the window, from an earlier reading of the same file, to
   the list, or puts it in the place of the same one, if only the earlier reading knows
   its runs: events of it are overwritten.  The caller has passed all events. */
void slow_requests_add(struct slow_requests *s, const struct ended_request *request);

/* Returns the requests, the slowest first, and sets *count to their number.  Valid
   until the next event, as the results below. */
const struct slow_request *slow_requests_list(struct slow_requests *s, uint32_t *count);

/* Returns the durations of the requests that ended in the window with id [id]; NULL:
   none did. */
const struct histogram *slow_requests_durations(const struct slow_requests *s,
                                                uint16_t id);

/* Returns the runs of the request [number], as they ended, and sets *count to their
   number, SLOW_REQUEST_RUNS at most.  [number] 0: there are none. */
const struct ended_run *slow_requests_runs(const struct slow_requests *s,
                                           size_t *count);

#endif /* ANALYSIS_SLOW_REQUESTS_H */
