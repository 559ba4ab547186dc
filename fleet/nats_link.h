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

/* The connection of an agent or a hub to a NATS server. */

#ifndef FLEET_NATS_LINK_H
#define FLEET_NATS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include "late_nats.h"
#include "nats_place.h"

/* What a connection tells its owner, from threads of libnats.  The connection is
   not made again by itself. */
struct nats_events {
  natsConnectionHandler closed;
  natsErrHandler failed;          /* such as a subject that is not permitted */
  void *state;
};

/* Connects to one of the servers as [user], within seconds.  [events] may be NULL.
   Returns NULL, with the reason; the caller destroys the connection. */
natsConnection *connect_nats(const struct nats_place *place, const char *user,
                             const char *password,
                             const struct nats_events *events, char *why,
                             size_t size);

/* Returns the value of the header [name] of [msg], or "". */
const char *nats_header(natsMsg *msg, const char *name);

#endif /* FLEET_NATS_LINK_H */
