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

/* Commands that control a process of a node by way of a hub: the agent of the
   node runs the command there, if it allows that. */

#ifndef TOOLS_REMOTE_CONTROL_H
#define TOOLS_REMOTE_CONTROL_H

#include "command.h"
#include "control_request.h"

/* Returns whether [operand], which may be NULL, is a process at a hub, and sets
   the names in *request then.  [dir] is the value of --dir or NULL.  Ends the
   program with STATUS_USAGE when --hub was given and [operand] names no process
   of a node. */
bool is_remote(const struct command *command, const char *operand,
               const char *dir, struct control_request *request);

/* Has [request] carried out, with the [count] [arguments], prints the output and
   the errors, and returns the exit code of the command on the node;
   STATUS_CANNOT_READ, with a message, when the hub or the agent refuses. */
enum status control_remote(const struct command *command,
                           struct control_request *request, int count,
                           char *const arguments[]);

#endif /* TOOLS_REMOTE_CONTROL_H */
