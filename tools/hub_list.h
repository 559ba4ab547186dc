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

/* The list of eventring ps --hub. */

#ifndef TOOLS_HUB_LIST_H
#define TOOLS_HUB_LIST_H

#include <stdbool.h>
#include "hub_url.h"

/* Prints the processes of all nodes of the hub, as a table or as JSON.  Ends the
   program with a message when the hub does not answer. */
void list_hub(const struct hub_url *url, bool json);

#endif /* TOOLS_HUB_LIST_H */
