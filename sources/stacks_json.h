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

/* The stacks of all threads of a process as they are now, the waits of these threads, and
   their spans and requests from the rings. */

#ifndef SOURCES_STACKS_JSON_H
#define SOURCES_STACKS_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include "eventring_reader.h"

/* Stops process [pid] for a moment, and returns a new JSON object with the stacks of its
   threads, at most [most] frames each, as doc/JSON.md describes it.  [cursor] reads the rings
   of the process, from their first event on, or is NULL: then spans, requests and domains are
   null.  [say], unless NULL, is called with [state] as new_symbols says.  Returns NULL, with
   a message in [why], when take_thread_stacks does. */
json_t *json_stacks(pid_t pid, struct eventring_cursor *cursor, uint32_t most,
                    void (*say)(void *state, const char *message), void *state, char *why,
                    size_t why_size);

#endif /* SOURCES_STACKS_JSON_H */
