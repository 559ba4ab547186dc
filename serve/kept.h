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

/* How far back the rings or the recording of a view reach. */

#ifndef SERVE_KEPT_H
#define SERVE_KEPT_H

#include "answer.h"
#include "view.h"

/* Calls [begins] with [state] for each ring of the process of [view] that has events and
   has lost earlier ones: [ns] is the time of the first event that it has.  Does nothing
   for a recording, and when the file cannot be read. */
void visit_lost_begins(struct view *view,
                       void (*begins)(void *state, uint32_t ring, int64_t ns),
                       void *state);

/* Returns the time, CLOCK_MONOTONIC, from which on the rings of [view], as of [info],
   have all events, apart from rings of samples; INT64_MIN if they have lost none, and for
   a recording. */
int64_t complete_from(struct view *view, const struct eventring_info *info);

/* Returns the answer to GET kept: of each ring, the time of the
   earliest event that it has now; of a recording, of each domain. */
struct answer answer_kept(const struct asked *asked);

#endif /* SERVE_KEPT_H */
