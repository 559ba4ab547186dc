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

/* See nats_control.h. */

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "background.h"
#include "explain.h"
#include "memory.h"
#include "nats_ask.h"
#include "nats_control.h"
#include "nats_link.h"
#include "target.h"

#define MS INT64_C(1000000)

/* How often to look whether the agent ends; the wait for another connection. */
#define LOOK_MS 100
#define AGAIN_MS 1000

/* Nonces that are valid at a time, and for how long.  A server that repeats
   questions makes the hub's nonces invalid, and nothing else. */
#define NONCES 8
#define NONCE_NS (10000 * MS)

struct nonce {
  char text[HUB_TOKEN_SIZE];      /* "": none */
  int64_t until_ns;
};

struct nats_control {
  const struct membership *membership;
  const struct nats_place *place;
  const struct control_hands *hands;
  struct nats_credentials credentials;
  char hub[NATS_HUB_SIZE];
  pthread_t thread;
  atomic_bool ending;
  natsConnection *connection;
  natsSubscription *requests;
  struct nonce nonces[NONCES];
  unsigned next;                  /* the nonce to replace */
};

/* Nonces */

/* Returns a new nonce; NULL when the system has no random numbers. */
static const char *new_nonce(struct nats_control *n)
{
  struct nonce *nonce = &n->nonces[n->next++ % NONCES];
  nonce->text[0] = '\0';
  if (!make_hub_token(nonce->text)) return NULL;
  nonce->until_ns = monotonic_ns() + NONCE_NS;
  return nonce->text;
}

/* Returns whether [text] is a nonce that is valid, and makes it invalid. */
static bool use_nonce(struct nats_control *n, const char *text)
{
  for (unsigned i = 0; i < NONCES; i++) {
    struct nonce *nonce = &n->nonces[i];
    if (nonce->text[0] == '\0' || strcmp(nonce->text, text) != 0) continue;
    nonce->text[0] = '\0';
    return monotonic_ns() < nonce->until_ns;
  }
  return false;
}

/* Messages */

/* Returns whether the hub has sealed [msg]. */
static bool is_of_hub(const struct nats_control *n, natsMsg *msg)
{
  char seal[NATS_SEAL_SIZE];
  const char *id = nats_header(msg, NATS_ID_HEADER);
  seal_nats_message(n->credentials.key, NATS_TO_AGENT, id, natsMsg_GetData(msg),
                    (size_t) natsMsg_GetDataLength(msg), seal);
  return strlen(id) < NATS_ID_SIZE && seal[0] != '\0'
         && same_secret(seal, nats_header(msg, NATS_SEAL_HEADER));
}

/* Returns the answer to [msg], which the caller frees; NULL when it gets none. */
static json_t *answer_to(struct nats_control *n, natsMsg *msg)
{
  static const char hello[] = NATS_HELLO_ID, asks[] = NATS_REQUEST_ID;
  const char *id = nats_header(msg, NATS_ID_HEADER);
  if (!is_of_hub(n, msg)) return NULL;
  if (strncmp(id, hello, strlen(hello)) == 0)
    return json_pack("{s:s*}", "nonce", new_nonce(n));
  if (strncmp(id, asks, strlen(asks)) != 0) return NULL;
  if (!use_nonce(n, id + strlen(asks))) {
    say_line(n->hands->say, "a request for control came twice or too late by "
             "NATS, and is not carried out again");
    return NULL;
  }
  json_t *request = json_loadb(natsMsg_GetData(msg),
                               (size_t) natsMsg_GetDataLength(msg),
                               JSON_REJECT_DUPLICATES, NULL);
  json_t *answer =
    carry_out_request(n->hands, n->membership->node, request);
  json_decref(request);
  return answer;
}

/* Publishes [answer] to the sender of [msg], and frees it. */
static void publish(const struct nats_control *n, natsMsg *msg, json_t *answer)
{
  char seal[NATS_SEAL_SIZE];
  const char *id = nats_header(msg, NATS_ID_HEADER), *to = natsMsg_GetReply(msg);
  natsMsg *out = NULL;
  char *text = json_dumps(answer, JSON_COMPACT);
  json_decref(answer);
  if (text == NULL) return;
  seal_nats_message(n->credentials.key, NATS_OF_AGENT, id, text, strlen(text),
                    seal);
  if (to != NULL
      && natsMsg_Create(&out, to, NULL, text, (int) strlen(text)) == NATS_OK
      && natsMsgHeader_Set(out, NATS_ID_HEADER, id) == NATS_OK
      && natsMsgHeader_Set(out, NATS_SEAL_HEADER, seal) == NATS_OK)
    natsConnection_PublishMsg(n->connection, out);
  natsMsg_Destroy(out);
  free(text);
}

/* The connection */

static void disconnect(struct nats_control *n)
{
  natsSubscription_Destroy(n->requests);
  natsConnection_Destroy(n->connection);
  n->requests = NULL;
  n->connection = NULL;
}

/* Connects, and subscribes to the subject of the node. */
static bool connect_node(struct nats_control *n)
{
  char user[NATS_USER_SIZE], subject[NATS_SUBJECT_SIZE], why[256];
  name_nats_user(n->hub, n->membership->node, user);
  name_nats_subject(n->hub, "control", n->membership->node, NULL, subject);
  n->connection = connect_nats(n->place, user, n->credentials.password, NULL,
                               why, sizeof why);
  return n->connection != NULL
    && natsConnection_SubscribeSync(&n->requests, n->connection,
                                    subject) == NATS_OK;
}

/* Takes requests until the connection is lost or the agent ends. */
static void take_requests(struct nats_control *n)
{
  natsStatus status = NATS_OK;
  while (!n->ending && (status == NATS_OK || status == NATS_TIMEOUT)) {
    natsMsg *msg = NULL;
    status = natsSubscription_NextMsg(&msg, n->requests, LOOK_MS);
    json_t *answer = status == NATS_OK ? answer_to(n, msg) : NULL;
    if (answer != NULL) publish(n, msg, answer);
    natsMsg_Destroy(msg);
    if (natsConnection_IsClosed(n->connection)) return;
  }
}

static void *serve(void *state)
{
  struct nats_control *n = state;
  const struct timespec look = { .tv_nsec = LOOK_MS * MS };
  while (!n->ending) {
    if (connect_node(n)) take_requests(n);
    disconnect(n);
    for (int ms = 0; ms < AGAIN_MS && !n->ending; ms += LOOK_MS)
      nanosleep(&look, NULL);
  }
  return NULL;
}

/* Beginning and end */

static void free_control(struct nats_control *n)
{
  explicit_bzero(&n->credentials, sizeof n->credentials);
  free(n);
}

struct nats_control *begin_nats_control(const struct membership *m,
                                        const struct nats_place *place,
                                        const struct control_hands *hands,
                                        char *why, size_t size)
{
  struct nats_control *n = allocate(1, sizeof *n);
  n->membership = m;
  n->place = place;
  n->hands = hands;
  name_nats_hub(m->hub.fingerprint, n->hub);
  if (read_nats_credentials(m, &n->credentials, why, size)
      && begin_thread(&n->thread, serve, n, "take requests", why, size))
    return n;
  free_control(n);
  return NULL;
}

void end_nats_control(struct nats_control *n)
{
  if (n == NULL) return;
  n->ending = true;
  pthread_join(n->thread, NULL);
  free_control(n);
}
