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

/* The actions that clients have asked for, with time and origin. */

#ifndef SERVE_ACTIONS_H
#define SERVE_ACTIONS_H

#include <jansson.h>
#include <stdint.h>

/* The number of actions that are kept: the last ones. */
#define ACTIONS 1000

/* Adds the action [action] of the client at [origin] on the process [process],
   0 for none, and its [result], "ok" or the reason of a failure.  The texts are
   cut to 255 bytes.  May be called by any thread, as the other function. */
void add_action(const char *origin, uint64_t process, const char *action,
                const char *result);

/* Returns a new JSON object of all actions kept, the latest first. */
json_t *json_actions(void);

#endif /* SERVE_ACTIONS_H */
