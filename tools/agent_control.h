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

/* Requests for control at an agent.

   A request is carried out by the command of its name, in a process of its own:
   a ring file that is cut, or a point that takes long, costs that process only.
   The command gets the ring file as a descriptor, of a process that the agent
   records.

     thread of the hub's requests --name--> main thread, which has the follower
                                  <--ring file--
                                  --> process of the command --> answer */

#ifndef TOOLS_AGENT_CONTROL_H
#define TOOLS_AGENT_CONTROL_H

#include "control_poll.h"
#include "follower.h"

struct control_desk;

/* Returns a new desk, which gives its lines to [say]. */
struct control_desk *open_control_desk(void (*say)(const char *line));

/* Returns the functions that carry out requests; valid as long as the desk. */
const struct control_hands *hands_of_desk(struct control_desk *desk);

/* Looks up the process that a request is waiting for, if there is such a request;
   to be called between calls of follow_once. */
void serve_control_desk(struct control_desk *desk,
                        const struct follower *follower);

/* Ends the command that runs, and refuses other requests from then on. */
void end_control_desk(struct control_desk *desk);
void close_control_desk(struct control_desk *desk);

#endif /* TOOLS_AGENT_CONTROL_H */
