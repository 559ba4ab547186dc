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

/* Answers about a window of time, for which the file is read anew. */

#ifndef SERVE_WINDOWS_H
#define SERVE_WINDOWS_H

#include "answer.h"
#include "query.h"
#include "settings.h"
#include "summary.h"
#include "view.h"

/* Return the answers to GET of a process in the window of the query. */
struct answer answer_stat(const struct asked *asked);
struct answer answer_timeline(const struct asked *asked);
struct answer answer_events(const struct asked *asked);
struct answer answer_between(const struct asked *asked);
struct answer answer_locks(const struct asked *asked);
struct answer answer_requests(const struct asked *asked);
struct answer answer_flame(const struct asked *asked);
struct answer answer_pprof(const struct asked *asked);
struct answer answer_live_sites(const struct asked *asked);

/* Ends the reading of [s], the summary of a window of [view] or of all of it,
   of which the last event read was at [last_ns].  Returns the time until which
   its numbers are valid.  Takes waits that end behind a window, or go on, from
   [view]. */
int64_t finish_window(struct view *view, struct summary *s, int64_t last_ns);

/* Returns the totals of the processes that run here and of the processes of the hub,
   if there is one, in the text format of Prometheus. */
struct answer answer_metrics(const struct asked *asked);

#endif /* SERVE_WINDOWS_H */
