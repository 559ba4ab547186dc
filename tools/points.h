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

#ifndef TOOLS_POINTS_H
#define TOOLS_POINTS_H

#include <jansson.h>
#include "command.h"
#include "eventring_reader.h"

/* The values of points: their last events. */
struct points;

/* Returns a new struct points without values, for the events of [cursor], or of
   another cursor on its file; the caller frees it with free_points.  Ends the
   program with a message when there is no memory, as json_points does. */
struct points *new_points(struct eventring_cursor *cursor);
void free_points(struct points *points);

/* Asks the process of the cursor to evaluate its points once, and waits until
   it has done so, at most [wait_ns] nanoseconds.  Asks again if events were
   overwritten that may be the answer.  Keeps values of this evaluation only
   from then on.  Withdraws the request if the process has not begun by then.
   Returns STATUS_OK; STATUS_CANNOT_READ, with a message, when the process cannot
   be asked, which its user and root may do, or has not done it in time. */
enum status ask_points(struct points *points, int64_t wait_ns);

/* Keeps the value of [event], if it is one of a point. */
void points_event(struct points *points, const struct eventring_event *event);

/* Returns a new JSON object with the values of the points by name, null for a
   point that has failed; adds the texts of these failures to the JSON
   object [failures], by name. */
json_t *json_points(const struct points *points, json_t *failures);

#endif /* TOOLS_POINTS_H */
