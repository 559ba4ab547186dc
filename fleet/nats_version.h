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

/* The version of a NATS server, and the faults of versions that lose data.
   doc/FLEET.md has the same table. */

#ifndef FLEET_NATS_VERSION_H
#define FLEET_NATS_VERSION_H

#include <stdbool.h>

#define NATS_VERSION_SIZE 32

struct nats_server {
  char version[NATS_VERSION_SIZE];
  bool clustered;
};

/* Asks the server at [url], nats://HOST:PORT or tls://HOST:PORT, for its version,
   within two seconds.  The answer comes before TLS begins, so nobody vouches for
   it.  Returns false when there is none. */
bool ask_nats_server(const char *url, struct nats_server *server);

/* Returns the fault by which a server of this version loses messages that it has
   acknowledged; NULL when none is known. */
const char *nats_server_fault(const struct nats_server *server);

#endif /* FLEET_NATS_VERSION_H */
