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

/* The processes of a hub, for a server that was started with --hub. */

#ifndef SERVE_FLEET_H
#define SERVE_FLEET_H

#include <jansson.h>
#include "answer.h"
#include "settings.h"

/* Returns the nodes and the processes of the hub, as it lists them. */
struct answer answer_fleet(const struct asked *asked);

/* Returns the nodes of each program with the figures that differ, and the versions
   of the programs. */
struct answer compare_fleet(const struct asked *asked);

/* Gets the recording of the body's {"node", "stream"} from the hub, and shows it
   like a file; answers with its id.  The REGISTRY_SHOWN recordings that were asked for
   last are kept, in files without a name. */
struct answer open_from_fleet(const struct asked *asked);

#endif /* SERVE_FLEET_H */
