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

/* The server of a hub: HTTP over TLS by libmicrohttpd, with a thread for each
   connection.

   A request is judged by its head before a byte of its body is taken: its
   address, then the certificate or the token of the client, then the length.
   Connections are limited in number, bodies in their size and in the memory of
   all of them, requests in time. */

#ifndef FLEET_HUB_SERVER_H
#define FLEET_HUB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hub_keys.h"
#include "hub_url.h"
#include "nats_place.h"

/* Limits: connections at a time, seconds that a request or its answer may take,
   and the bytes of all bodies that are in memory. */
#define HUB_CONNECTIONS 600
#define HUB_SECONDS 60
#define HUB_BODIES ((uint64_t) 64 << 20)

struct hub_options {
  const char *listen;             /* ADDRESS:PORT; port 0 is a free one */
  const char *store;              /* a folder */
  int64_t max_age_ns;             /* INT64_MAX: any */
  uint64_t max_bytes;             /* UINT64_MAX: any */
  struct nats_place nats;         /* where messages of agents come from, too */
  /* Takes a line for the user, from any thread. */
  void (*say)(void *state, const char *line);
  void *state;
};

/* Sets the host and the port of [at] from [text], ADDRESS:PORT.  Returns false
   when it has another form. */
bool parse_hub_listen(const char *text, struct hub_url *at);

struct hub_server;

/* Starts a hub.  Sets *server to it, which the caller gives to stop_hub.  Returns
   false with the reason. */
bool start_hub(const struct hub_options *options, struct hub_server **server,
               char *why, size_t size);

/* Sets [url] to the address for readers, and, with a new token, for an agent.
   new_agent_url returns false with the reason. */
void reader_url(const struct hub_server *server, struct hub_url *url);
bool new_agent_url(struct hub_server *server, struct hub_url *url, char *why,
                   size_t size);

/* Sets [url] to the address for a reader in this process, with which the name of
   the machine is not needed. */
void own_reader_url(const struct hub_server *server, struct hub_url *url);

/* Do the same for the hub that uses, or used, the store in the folder [path]: set
   [url] to its address with a new token for an agent; free the name of a node,
   whose agent is then refused.  Return false with the reason. */
bool new_token_of_store(const char *path, struct hub_url *url, char *why,
                        size_t size);
bool forget_node_of_store(const char *path, const char *node, char *why,
                          size_t size);

/* Sets [url] to the address of that hub with the token for control, which is made
   the first time.  Returns false with the reason. */
bool control_url_of_store(const char *path, struct hub_url *url, char *why,
                          size_t size);

/* Calls [user] with [state] for each user that a NATS server needs for the hub
   with the store in the folder [path]: first for the hub itself, with the node
   NULL, then for each node that has joined.  [hub] is the name of the hub there.
   Returns false with the reason. */
bool visit_nats_users(const char *path,
                      void (*user)(void *state, const char *hub,
                                   const char *node, const char *password),
                      void *state, char *why, size_t size);

/* Removes old parts and tokens, and closes slow connections; to be
   called each second. */
void tend_hub(struct hub_server *server);

/* Numbers since the start. */
struct hub_totals {
  uint64_t joined, parts, bytes, refused, removed_parts, removed_bytes;
};

/* Ends the hub, and sets [totals]. */
void stop_hub(struct hub_server *server, struct hub_totals *totals);

#endif /* FLEET_HUB_SERVER_H */
