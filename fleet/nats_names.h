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

/* The names of a hub and its nodes at a NATS server, and the secrets by which
   they know each other there.

     eventring.HUB.parts.NODE.STREAM   bytes of the parts of a stream
     eventring.HUB.reports.NODE        the reports of a node
     eventring.HUB.answers.NODE.done   the answers of the hub to the node
     eventring.HUB.answers.NODE.N      acknowledgments of the NATS server
     EVENTRING_HUB                     the stream of JetStream

   HUB is the beginning of the fingerprint of the hub.  NODE is the name of the
   node with = instead of each dot.

   The hub has one secret.  With it and the key of its agent, it derives for each
   node a password, which the NATS server knows, too, and a seal key, which only
   the hub and the agent know.  Each message has a seal, so that a server can
   neither change nor invent one. */

#ifndef FLEET_NATS_NAMES_H
#define FLEET_NATS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include "hub_keys.h"

/* Characters, with the 0. */
#define NATS_HUB_SIZE 17
#define NATS_SUBJECT_SIZE 288
#define NATS_SECRET_SIZE 65
#define NATS_SEAL_SIZE 65
#define NATS_ID_SIZE 384
#define NATS_USER_SIZE 96

/* The headers of messages. */
#define NATS_ID_HEADER "Eventring-Id"
#define NATS_SEAL_HEADER "Eventring-Seal"
#define NATS_STATUS_HEADER "Eventring-Status"
/* The status of the answer to a message that is not new (nats_fresh.h). */
#define NATS_STATUS_OLD 412
/* The header by which JetStream knows copies. */
#define NATS_COPY_HEADER "Nats-Msg-Id"

/* The name of the consumer of a hub. */
#define NATS_CONSUMER "hub"

/* Sets [hub] to the short name of the hub with this fingerprint. */
void name_nats_hub(const char *fingerprint, char hub[NATS_HUB_SIZE]);

/* Sets [subject] to eventring.HUB.KIND.NODE, with .REST if that is not NULL. */
void name_nats_subject(const char *hub, const char *kind, const char *node,
                       const char *rest, char subject[NATS_SUBJECT_SIZE]);

/* Sets [node] to the name of the node in a subject eventring.HUB.KIND.NODE...
   Returns false for another subject. */
bool parse_nats_node(const char *subject, char node[NODE_SIZE]);

/* Sets [stream] to the name of the stream of JetStream of [hub]. */
void name_nats_stream(const char *hub, char stream[NATS_USER_SIZE]);

/* Sets [user] to the name of the user [node] of [hub]; NULL: the hub itself. */
void name_nats_user(const char *hub, const char *node,
                    char user[NATS_USER_SIZE]);

struct nats_credentials {
  char password[NATS_SECRET_SIZE];
  char key[NATS_SECRET_SIZE];     /* of seals; "" of a hub */
};

/* Derives the credentials of [node], whose agent has the key [fingerprint], from
   the secret of its hub. */
void derive_nats_node(const char *secret, const char *node,
                      const char *fingerprint, struct nats_credentials *c);

/* Derives the password of the hub itself. */
void derive_nats_hub(const char *secret, struct nats_credentials *c);

/* Sets [seal] to the seal of a message: of a request, with the status 0, or of an
   answer.  [id] names what is sent. */
void seal_nats_message(const char *key, long status, const char *id,
                       const void *body, size_t length,
                       char seal[NATS_SEAL_SIZE]);

#endif /* FLEET_NATS_NAMES_H */
