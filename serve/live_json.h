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

/* The numbers of a view as JSON; doc/HTTP.md describes it. */

#ifndef SERVE_LIVE_JSON_H
#define SERVE_LIVE_JSON_H

#include <jansson.h>
#include "history.h"
#include "view.h"

/* The most rows of 100 ms that are sent at once. */
#define TICKS_AT_ONCE 20

/* Returns the id of a process as a JSON string. */
json_t *json_id(uint64_t id);

/* Returns a new JSON object of all processes.  The caller frees the results of
   all functions here with json_decref. */
json_t *json_processes(void);

/* Returns the [count] pauses at [list] as a JSON array, with times since [started_ns]. */
json_t *json_long_pauses(const struct long_pause *list, int count, int64_t started_ns);

/* Returns the longest pauses of [v] that ended at [from_ns] or later as a JSON array, while
   the caller looks at the view. */
json_t *json_live_pauses(const struct view_data *v, int64_t from_ns);

/* Returns the details of [view] as a new JSON object; NULL when its file was
   cut. */
json_t *json_detail(struct view *view);

/* Returns the history of [view] as a text of JSON in one line, which the caller
   frees; NULL when its file was cut. */
char *history_text(struct view *view, enum history_tier tier);

/* Returns a new JSON array of the histograms of pauses of [view], as `eventring
   latency --json` prints them. */
json_t *json_distributions(struct view *view);

/* Returns a new JSON array of the rows of 100 ms of [view] that have ended
   since the last call. */
json_t *json_ticks(struct view *view);

/* Leaves the rows that have ended so far out of the next result of
   json_ticks. */
void skip_ticks(struct view *view);

/* Returns the text of [json] in one line, and frees [json].  The caller frees
   the text. */
char *json_line(json_t *json);

#endif /* SERVE_LIVE_JSON_H */
