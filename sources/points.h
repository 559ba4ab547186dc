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

/* Data points of the program: asking for them, and their values. */

#ifndef SOURCES_POINTS_H
#define SOURCES_POINTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "eventring_reader.h"

/* The values of points: their last events. */
struct points;

/* Returns a new struct points without values, for the events of [cursor], or of
   another cursor on its file; the caller frees it with free_points.  Ends the
   program with a message when there is no memory, as json_points does. */
struct points *new_points(struct eventring_cursor *cursor);
void free_points(struct points *points);

/* Asks the process of [cursor] to evaluate its points once, and waits until it has
   done so, at most [wait_ns] nanoseconds.  [cursor] may control the process, reads from
   the present on, and is on the file of [points].  Asks again if events were
   overwritten that may be the answer.  Keeps values of this evaluation only
   from then on.  Withdraws the request if the process has not begun by then.
   Returns true; false, with the reason in [why], a buffer of [why_size] bytes, when the
   process cannot be asked, which its user and root may do, or has not done it in
   time. */
bool ask_points(struct points *points, struct eventring_cursor *cursor, int64_t wait_ns,
                char *why, size_t why_size);

/* Keeps the value of [event], if it is one of a point. */
void points_event(struct points *points, const struct eventring_event *event);

/* Returns a new JSON object with the values of the points by name, null for a
   point that has failed; adds the texts of these failures to the JSON
   object [failures], by name. */
json_t *json_points(const struct points *points, json_t *failures);

/* Returns a new JSON array of the points: name, type (int, float, text or failed) and
   value, which is the reason of a failure. */
json_t *json_point_list(const struct points *points);

#endif /* SOURCES_POINTS_H */
