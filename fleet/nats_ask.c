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

/* See nats_ask.h.  A request has a connection of its own: requests are rare. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nats_ask.h"
#include "nats_link.h"
#include "target.h"

/* How often to look whether the hub ends. */
#define LOOK_MS 100

/* Publishes [body] to the agent, sealed, with the id [id] and answers to
   [inbox]. */
static bool publish(const struct nats_asking *a, natsConnection *connection,
                    const char *inbox, const char *id, const char *body)
{
  char subject[NATS_SUBJECT_SIZE], seal[NATS_SEAL_SIZE];
  natsMsg *msg = NULL;
  name_nats_subject(a->hub, "control", a->node, NULL, subject);
  seal_nats_message(a->key, NATS_TO_AGENT, id, body, strlen(body), seal);
  const bool published =
    seal[0] != '\0'
    && natsMsg_Create(&msg, subject, inbox, body, (int) strlen(body)) == NATS_OK
    && natsMsgHeader_Set(msg, NATS_ID_HEADER, id) == NATS_OK
    && natsMsgHeader_Set(msg, NATS_SEAL_HEADER, seal) == NATS_OK
    && natsConnection_PublishMsg(connection, msg) == NATS_OK;
  natsMsg_Destroy(msg);
  return published;
}

/* Returns the object in the answer [msg] of the agent to [id], which the caller
   frees; NULL when it is no such answer. */
static json_t *open_answer(const struct nats_asking *a, natsMsg *msg,
                           const char *id)
{
  char seal[NATS_SEAL_SIZE];
  const char *body = natsMsg_GetData(msg);
  const size_t length = (size_t) natsMsg_GetDataLength(msg);
  seal_nats_message(a->key, NATS_OF_AGENT, id, body, length, seal);
  if (seal[0] == '\0' || strcmp(nats_header(msg, NATS_ID_HEADER), id) != 0
      || !same_secret(seal, nats_header(msg, NATS_SEAL_HEADER)))
    return NULL;
  json_t *object = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
  if (json_is_object(object)) return object;
  json_decref(object);
  return NULL;
}

/* Sends [body] with the id [id], and returns the agent's answer, which the caller
   frees; NULL when there was none within [ns] nanoseconds. */
static json_t *exchange(const struct nats_asking *a, struct hub_control *control,
                        natsConnection *connection, const char *id,
                        const char *body, int64_t ns)
{
  natsInbox *inbox = NULL;
  natsSubscription *answers = NULL;
  json_t *answer = NULL;
  const int64_t until_ns = monotonic_ns() + ns;
  bool waits =
    natsInbox_Create(&inbox) == NATS_OK
    && natsConnection_SubscribeSync(&answers, connection, inbox) == NATS_OK
    && publish(a, connection, inbox, id, body);
  while (waits && answer == NULL && monotonic_ns() < until_ns
         && !hub_control_ended(control)) {
    natsMsg *msg = NULL;
    const natsStatus status = natsSubscription_NextMsg(&msg, answers, LOOK_MS);
    if (status == NATS_OK && natsMsg_IsNoResponders(msg)) waits = false;
    else if (status == NATS_OK) answer = open_answer(a, msg, id);
    else if (status != NATS_TIMEOUT) waits = false;
    natsMsg_Destroy(msg);
  }
  natsSubscription_Destroy(answers);
  natsInbox_Destroy(inbox);
  return answer;
}

/* Gets a nonce, and sends the request with it. */
static enum ask_result ask(const struct nats_asking *a,
                           struct hub_control *control,
                           natsConnection *connection, const char *request,
                           json_t **answer)
{
  char id[NATS_ID_SIZE], random[HUB_TOKEN_SIZE];
  if (!make_hub_token(random)) return ASK_FULL;
  snprintf(id, sizeof id, NATS_HELLO_ID "%s", random);
  json_t *hello = exchange(a, control, connection, id, "{}", control->fetch_ns);
  const char *nonce = json_string_value(json_object_get(hello, "nonce"));
  const bool has_nonce = nonce != NULL && strlen(nonce) < HUB_TOKEN_SIZE;
  if (has_nonce) snprintf(id, sizeof id, NATS_REQUEST_ID "%s", nonce);
  json_decref(hello);
  if (!has_nonce) return ASK_NOT_FETCHED;
  *answer = exchange(a, control, connection, id, request, control->answer_ns);
  return *answer != NULL ? ASK_ANSWERED : ASK_NOT_ANSWERED;
}

enum ask_result ask_by_nats(const struct nats_asking *a,
                            struct hub_control *control, const json_t *request,
                            json_t **answer)
{
  char user[NATS_USER_SIZE], why[256];
  enum ask_result result = ASK_NOT_FETCHED;
  *answer = NULL;
  char *text = json_dumps(request, JSON_COMPACT);
  name_nats_user(a->hub, NULL, user);
  natsConnection *connection = text == NULL ? NULL
    : connect_nats(a->place, user, a->password, NULL, why, sizeof why);
  if (connection != NULL) result = ask(a, control, connection, text, answer);
  natsConnection_Destroy(connection);
  free(text);
  return result;
}
