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

/* The state that an agent keeps between its runs, and joining a hub.

     STATE/hub              the address of the hub, without a token, and the
                            name of this node at the hub: a line each
     STATE/key.pem          the private key of the agent
     STATE/certificate.pem  the certificate that the hub has signed
     STATE/nats             the password and the seal key of this node for NATS: a
                            line each
     STATE/spool/           see spool.h

   All files have mode 0600.  The agent makes its key, sends the public key with
   the token of the address, once, and gets the certificate.  The file `hub` is
   written last: an agent that has it has joined. */

#ifndef FLEET_JOINING_H
#define FLEET_JOINING_H

#include <stdbool.h>
#include <stddef.h>
#include "hub_keys.h"
#include "hub_url.h"
#include "nats_names.h"

struct membership {
  const char *state;              /* the folder, of the caller */
  int folder;                     /* the same, open; or -1 */
  char *key_path, *certificate_path, *spool_path;
  struct hub_url hub;             /* without a token */
  char node[NODE_SIZE];
  bool joined;                    /* the state has all of that */
};

/* Reads the files of the folder [state].  [make]: makes the folder, with its
   parents, if necessary; without [make], a folder that does not exist has not
   joined.  Returns false, with the reason in [why].  The caller keeps [state]
   until close_membership, which it calls in any case. */
bool open_membership(const char *state, bool make, struct membership *m,
                     char *why, size_t size);
void close_membership(struct membership *m);

/* Joins the hub at [address], as [node]; NULL means the name in the state, or
   the name of this machine.  When the state has joined this hub already, only
   notes a new host and port.  Returns false, with the reason in [why]: the hub
   refuses, or the state has joined another hub or has another name. */
bool join_hub(struct membership *m, const char *address, const char *node,
              char *why, size_t size);

/* Reads the credentials for NATS.  Returns false, with the reason in [why]: the
   hub gave none when this state joined. */
bool read_nats_credentials(const struct membership *m,
                           struct nats_credentials *c, char *why, size_t size);

#endif /* FLEET_JOINING_H */
