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

/* The thread that watches the processes of the hub for the rules of all nodes, and
   saves the last seconds of all of them when one fires. */

#ifndef SERVE_FLEET_GUARD_H
#define SERVE_FLEET_GUARD_H

#include <jansson.h>
#include "settings.h"

/* Starts the thread, if there is a hub and rules can be added; [settings] must stay
   valid. */
void start_fleet_guard(const struct settings *settings);

/* Ends the thread; a folder that is not complete is removed. */
void stop_fleet_guard(void);

/* Sets the member "nodes_watched" of [rules]: the number of processes of the hub
   that were watched in the last round. */
void set_nodes_watched(json_t *rules);

#endif /* SERVE_FLEET_GUARD_H */
