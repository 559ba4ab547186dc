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

/* The messages of agents that come to a hub by NATS JetStream.

   A hub takes the messages of its nodes by a consumer of its own, gives them to
   the functions that answer requests by HTTPS, and publishes the answers.  A
   message without the seal of its node is refused before anything of it is
   read. */

#ifndef FLEET_NATS_HUB_H
#define FLEET_NATS_HUB_H

#include "hub_answers.h"
#include "nats_place.h"

struct nats_hub;

/* Begins to take messages for [hub] from the servers at [place], both of which
   must stay valid.  Connects again whenever that is needed.  Returns NULL, with
   the reason in [why]. */
struct nats_hub *start_nats_hub(struct hub *hub, const struct nats_place *place,
                                char *why, size_t size);

/* Ends that; NULL is allowed. */
void stop_nats_hub(struct nats_hub *n);

#endif /* FLEET_NATS_HUB_H */
