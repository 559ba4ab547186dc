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

/* The socket on which the server listens. */

#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

/* A listening socket. */
struct listener {
  int fd;
  char host[64];                  /* as in a URL; "" for a Unix socket */
  unsigned port;
  bool local;                     /* only this machine can connect */
  char *path;                     /* of a Unix socket, or NULL */
};

/* Listens on [address], ADDRESS:PORT or unix:PATH: an IPv4 address, an IPv6
   address in brackets, or localhost; port 0 is a free one.  Returns false, with
   the reason in [why], when that fails.  [tls]: connections are encrypted, so other
   addresses than those of this machine are allowed. */
bool open_listener(const char *address, bool tls, struct listener *listener,
                   char *why, size_t why_size);

/* Removes the Unix socket of [listener].  Its descriptor stays open. */
void remove_listener(struct listener *listener);

#endif /* SERVE_LISTEN_H */
