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

/* A transport by NATS JetStream.

   JetStream carries messages and keeps none for us: a message ends with the
   answer of the hub, which has the seal of the hub, and never with the
   acknowledgment of the server.  A message without an answer is published again,
   and given up after a time. */

#ifndef FLEET_NATS_TRANSPORT_H
#define FLEET_NATS_TRANSPORT_H

#include "nats_place.h"
#include "transport.h"

/* Returns a transport by the servers at [place] to the hub of [m], both of which
   must stay valid.  Connects later.  Returns NULL, with the reason in [why]: an
   address that is not valid, or the state of [m] has no credentials. */
struct transport *open_nats_transport(const struct membership *m,
                                      const struct nats_place *place, char *why,
                                      size_t size);

#endif /* FLEET_NATS_TRANSPORT_H */
