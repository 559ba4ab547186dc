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

/* Requests for control that go from a hub to an agent by NATS, as a request and a
   reply.

   The hub first asks the agent for a nonce, and then sends the request with it.  An
   agent takes each nonce once, within seconds: a server cannot have a request
   carried out twice, or later. */

#ifndef FLEET_NATS_ASK_H
#define FLEET_NATS_ASK_H

#include "hub_control.h"
#include "nats_names.h"
#include "nats_place.h"

/* The ids of messages: of the question for a nonce, before a random number, and of
   a request, before the nonce. */
#define NATS_HELLO_ID "/fleet/control/hello?id="
#define NATS_REQUEST_ID "/fleet/control/request?nonce="

/* The status in the seals of messages to an agent, and of its answers.  No other
   message has them. */
#define NATS_TO_AGENT 1L
#define NATS_OF_AGENT 2L

struct nats_asking {
  const struct nats_place *place;
  const char *hub, *password;     /* the name of the hub, and its password */
  const char *node, *key;         /* the node, and its seal key */
};

/* Gives [request] to the agent of the node, and sets *answer to its answer, which
   the caller frees.  The times are those of [control], whose end ends the
   waiting. */
enum ask_result ask_by_nats(const struct nats_asking *asking,
                            struct hub_control *control, const json_t *request,
                            json_t **answer);

#endif /* FLEET_NATS_ASK_H */
