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


/* Pairs of events as text and as JSON. */

#ifndef RENDER_BETWEEN_TEXT_H
#define RENDER_BETWEEN_TEXT_H

#include <jansson.h>
#include "between.h"

/* Prints how many events [r], the result for the events of [cursor], has, and
   its longest pairs, on standard output. */
void print_between(struct eventring_cursor *cursor,
                   const struct between_result *r);

/* Returns a new JSON object with all of [r] except its durations; doc/JSON.md
   describes it.  Times count from the start of tracing. */
json_t *json_between(struct eventring_cursor *cursor,
                     const struct between_result *r);

#endif /* RENDER_BETWEEN_TEXT_H */
