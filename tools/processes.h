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

/* The processes that are traced, found by libeventring, as the commands want
   them. */

#ifndef TOOLS_PROCESSES_H
#define TOOLS_PROCESSES_H

#include <jansson.h>
#include "common.h"

/* Returns the processes that have their file in [dir]; if that is NULL, all
   processes that can be found, and files that others left in the working
   directory.  Sets *count; the list is the caller's to free.  Ends the program
   with a message when that fails. */
struct eventring_process *find_processes(const char *dir, size_t *count);

/* Opens its file; NULL when that fails, with the reason in [why]. */
struct eventring_cursor *open_process(const struct eventring_process *process,
                                      struct eventring_options options,
                                      char *why, size_t why_size);

/* Opens the traced process, if there is only one; with [dir], among the
   processes that have their file there.  Otherwise lists them on standard
   error, and ends the program with STATUS_USAGE. */
struct eventring_cursor *open_only_process(const struct command *command,
                                           const char *dir);

/* Returns "recording", "paused", "ended", "replaced", "killed" or "unknown". */
const char *recording_state(struct eventring_cursor *cursor);

/* Returns json_process with the settings that the control commands change. */
json_t *json_control(struct eventring_cursor *cursor);

#endif /* TOOLS_PROCESSES_H */
