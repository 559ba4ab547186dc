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

/* A process of a hub for eventring top: its recording, again and again. */

#ifndef TOOLS_TOP_HUB_H
#define TOOLS_TOP_HUB_H

#include "common.h"

struct top_hub;

/* Returns whether the command line names a hub, and the process [operand] of it or,
   with NULL, any. */
bool is_top_hub(const struct command *command, const char *operand);

/* Returns the process [operand] of the hub, NODE/PID or NODE/STREAM; with NULL, the
   only one that runs.  If there is none, ends the program with a message.  The
   caller frees it with free_top_hub. */
struct top_hub *new_top_hub(const struct command *command,
                            const char *operand);
void free_top_hub(struct top_hub *hub);

/* Gets the last minute of the recording of the process if it has grown, at most
   every two seconds, and less often if that takes long.  Returns a cursor, which
   the caller closes with close_hub_recording; or NULL, with the reason in [why],
   which is "" when nothing failed.  Waits for the hub. */
struct eventring_cursor *next_of_hub(struct top_hub *hub, char *why,
                                     size_t size);

#endif /* TOOLS_TOP_HUB_H */
