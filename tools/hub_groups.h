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

/* Recordings of a hub for eventring compare: each process is a run. */

#ifndef TOOLS_HUB_GROUPS_H
#define TOOLS_HUB_GROUPS_H

#include "common.h"
#include "runs/groups.h"

/* Returns whether [operand] names a process or a node of a hub: with --hub, or with
   EVENTRING_HUB when it may be no batch. */
bool is_hub_group(const struct command *command, const char *operand);

/* Adds the group that [operand] names: NODE/PID or NODE/STREAM, one process; NODE/,
   all processes of a node; and reads their recordings.  Returns false, with a
   message, when a group is given twice or the hub does not have it. */
bool add_hub_group(const struct command *command, struct run_groups *groups,
                   const char *operand);

#endif /* TOOLS_HUB_GROUPS_H */
