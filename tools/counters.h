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

/* The last values of counters, of the program and of the runtime. */

#ifndef TOOLS_COUNTERS_H
#define TOOLS_COUNTERS_H

#include <jansson.h>
#include <stdbool.h>
#include "eventring_reader.h"

struct counters;

/* Returns a new struct counters without values, which the caller frees with
   free_counters.  Ends the program with a message when there is no memory, as
   json_counters does. */
struct counters *new_counters(void);
void free_counters(struct counters *counters);

/* Keeps the value of [event], if it is one of a counter. */
void counters_event(struct counters *counters,
                    const struct eventring_event *event);

/* Returns a new JSON object with the last value of each counter, by its name in
   the file of [cursor], from which the events are.  With [of_program], leaves
   out counters of other categories than user. */
json_t *json_counters(const struct counters *counters,
                      struct eventring_cursor *cursor, bool of_program);

#endif /* TOOLS_COUNTERS_H */
