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

/* Connections of streams by TLS 1.2 or 1.3, with GnuTLS: tls:HOST:PORT.

   The sender has a key of the user, in the state folder `stream`, and a
   certificate that the key has signed.  A receiver knows the sender by the
   fingerprint of the key in the address, and by nothing else. */

#ifndef FLEET_TLS_H
#define FLEET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "hub_url.h"
#include "late_gnutls.h"

/* The sender */

struct tls_server;

/* Returns the key of the user, which is made if there is none, and sets
   [fingerprint]; the caller gives it to close_tls_server.  Returns NULL with the
   reason. */
struct tls_server *open_tls_server(char fingerprint[FINGERPRINT_SIZE], char *why,
                                   size_t size);
void close_tls_server(struct tls_server *server);

/* Returns a session with the client of the socket [fd], which does not block;
   the caller frees the session with gnutls_deinit.  NULL when there is no
   memory. */
gnutls_session_t accept_tls(const struct tls_server *server, int fd);

/* Goes on with the handshake.  Returns 1 when it is over, 0 when it waits for the
   client, -1 when it has failed. */
int shake_hands(gnutls_session_t session);

/* Receive or send bytes, like recv and send on a socket that does not block:
   return the number of bytes; 0 at the end; or -1 with errno, EAGAIN when the
   call would wait.  After EAGAIN the same bytes are to be sent again. */
ssize_t receive_tls(gnutls_session_t session, void *to, size_t size);
ssize_t send_tls(gnutls_session_t session, const void *bytes, size_t size);

/* The receiver */

/* Connects to the host and the port of [url], by the time [until] of
   CLOCK_MONOTONIC.  Returns a socket that does not block, which the caller closes;
   -1 with the reason. */
int connect_to_host(const struct hub_url *url, int64_t until, char *why,
                    size_t size);

/* Connects to the sender at [url], which must have the key with the fingerprint,
   and sends the token.  Returns a Unix socket that a thread connects to the
   session, which the caller closes; or -1 with the reason. */
int connect_tls(const struct hub_url *url, char *why, size_t size);

#endif /* FLEET_TLS_H */
