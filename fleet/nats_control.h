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

/* An agent that allows control and sends by NATS: a thread takes the requests of the
   hub on the subject of the node, and answers them.  nats_ask.h describes the
   messages. */

#ifndef FLEET_NATS_CONTROL_H
#define FLEET_NATS_CONTROL_H

#include "control_poll.h"
#include "nats_place.h"

struct nats_control;

/* Begins to take requests for the node of [m] from the servers at [place].  All
   arguments stay valid until the end.  Returns NULL with the reason. */
struct nats_control *begin_nats_control(const struct membership *m,
                                        const struct nats_place *place,
                                        const struct control_hands *hands,
                                        char *why, size_t size);

/* Ends that; NULL is allowed.  A request that is being carried out is waited
   for. */
void end_nats_control(struct nats_control *n);

#endif /* FLEET_NATS_CONTROL_H */
