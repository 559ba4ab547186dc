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

/* The slowest requests of a running process: of all, and of each of the last seconds,
   since a ring may soon have overwritten their events.

     struct request_log *l = new_request_log(requests, seconds);
     for each event: request_ended(requests, event, &request);
     list_request_log(l, from_ns, to_ns, &count); */

#ifndef ANALYSIS_REQUEST_LOG_H
#define ANALYSIS_REQUEST_LOG_H

#include "requests.h"

#define LOGGED_REQUESTS 16        /* of all, and of each second */

struct request_log;

/* Returns an empty log of the requests whose ends [requests] reads later.  It keeps the
   LOGGED_REQUESTS slowest of all and of each second, from one whole second of
   CLOCK_MONOTONIC to the next, of the last [seconds].  Never returns NULL (see memory.h).
   The caller frees the log before [requests]. */
struct request_log *new_request_log(struct requests *requests, uint32_t seconds);
void free_request_log(struct request_log *l);

/* Returns the requests in the log that ended from [from_ns] to before [to_ns], in no
   order, some of them twice, and sets *count to their number.  The caller frees the
   array. */
struct ended_request *list_request_log(const struct request_log *l, int64_t from_ns,
                                       int64_t to_ns, size_t *count);

#endif /* ANALYSIS_REQUEST_LOG_H */
