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

/* Where the NATS servers of an agent or a hub are. */

#ifndef FLEET_NATS_PLACE_H
#define FLEET_NATS_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* As the user gives it. */
struct nats_place {
  const char *urls;               /* nats://HOST:PORT or tls://HOST:PORT,
                                     separated by commas; NULL: no NATS */
  const char *ca;                 /* a file with certificates; NULL: the
                                     system's */
};

/* Checks the addresses; to be called before libcurl is used, which may start
   OpenSSL.  Returns false, with the reason: without TLS, only a server of this
   machine is taken. */
bool check_nats_place(const struct nats_place *place, char *why, size_t size);

#endif /* FLEET_NATS_PLACE_H */
