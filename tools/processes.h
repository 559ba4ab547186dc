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

#include "common.h"

/* Returns an array of the processes that have their ring file directly in
   [dir].  If [dir] is NULL, returns all processes that can be found, and the
   files that other programs left in the working directory.  Processes that are
   gone are among them: see [alive].  Sets *count to the number of elements.
   The caller frees the array.  If the search fails, prints a message and ends
   the program with STATUS_CANNOT_READ. */
struct eventring_process *find_processes(const char *dir, size_t *count);

/* Opens the ring file of [process] with [options], in which the size and the
   message are set here, and returns its cursor, which the caller closes.
   Returns NULL when the file cannot be opened, with the reason in [why], a
   buffer of [why_size] bytes. */
struct eventring_cursor *open_process(const struct eventring_process *process,
                                      struct eventring_options options,
                                      char *why, size_t why_size);

/* Opens each running process that find_processes finds in [dir], calls [visit]
   with [state] and the cursor, and closes it.  [control]: the cursors may
   control the processes.  Continues after a process that cannot be opened, with
   a message.  Sets *count to the number of running processes.  Returns
   STATUS_OK if all calls of [visit] did, else STATUS_CANNOT_READ. */
enum status visit_running(const char *dir, bool control,
                          enum status (*visit)(void *state,
                                               struct eventring_cursor *cursor),
                          void *state, size_t *count);

/* Prints the message that there is no traced process, in [dir] if that is not
   NULL, to [action], and returns STATUS_CANNOT_READ. */
enum status no_process_to(const char *action, const char *dir);

/* Opens the only traced process, or the only one with its ring file in [dir] if
   that is not NULL, and returns its cursor.  If there are several, lists them
   on standard error; if there are several or none, ends the program with
   STATUS_USAGE.  If the process cannot be opened, prints a message and ends the
   program with STATUS_CANNOT_READ. */
struct eventring_cursor *open_only_process(const struct command *command,
                                           const char *dir);

/* Returns the state of the process of [cursor], as a word: "recording",
   "paused", "ended", "replaced", "killed" or "unknown". */
const char *recording_state(struct eventring_cursor *cursor);

#endif /* TOOLS_PROCESSES_H */
