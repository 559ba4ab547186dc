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

/* An event as a JSON object; doc/JSON.md has the schema. */

#ifndef RENDER_EVENT_JSON_H
#define RENDER_EVENT_JSON_H

#include <jansson.h>
#include "eventring_reader.h"

/* Returns a new JSON object that describes [event], which the caller frees with
   json_decref.  [started_ns] is the time when tracing started, from which "ns"
   counts; [took_ns] is the duration of the span or complete event that ends
   with [event], or -1.  A report of lost events gets no id and name, but the
   number of events. */
json_t *event_json(struct eventring_cursor *cursor, int64_t started_ns,
                   const struct eventring_event *event, int64_t took_ns);

/* Adds to [units], a JSON object, the units of the fields of [event] by their names, as
   the member with the number of the event's id; does nothing if it has this member, or
   if [event] has no fields. */
void add_event_units(json_t *units, struct eventring_cursor *cursor,
                     const struct eventring_event *event);

#endif /* RENDER_EVENT_JSON_H */
