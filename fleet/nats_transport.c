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

/* See nats_transport.h.

   The callbacks of libnats run in threads of its own: they take the lock, note
   the end of a message, and wake the shipper. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "explain.h"
#include "locks.h"
#include "memory.h"
#include "nats_link.h"
#include "nats_names.h"
#include "nats_transport.h"
#include "target.h"

#define MS INT64_C(1000000)

/* With its headers, a message has less than 512 KiB. */
#define PIECE ((size_t) 480 << 10)
/* With the longest names, a report has less than that, too. */
#define REPORTED_STREAMS 200

/* A message is published again after the first time without an answer, then
   after twice as long each time, and given up at the end. */
#define AGAIN_NS (1000 * MS)
#define GIVE_UP_NS (20000 * MS)
/* A message that the hub calls old is published again at once, the first time. */
#define RENEW_NS (100 * MS)

/* How long the threads of libnats may take to end. */
#define CLOSE_MS 5000

struct parcel {
  bool sent;                      /* it has not ended */
  bool ended;                     /* [reply] has its end, which nobody took */
  bool report;
  bool renew, renewed;            /* the hub has called the message old: it gets
                                     a new id, and has got one */
  char what[NATS_ID_SIZE - 128];  /* the id without run, hub and time */
  char id[NATS_ID_SIZE];
  char subject[NATS_SUBJECT_SIZE];
  const char *body;
  size_t length;
  unsigned tries;
  int64_t again_ns, wait_ns, give_up_ns;
  struct hub_reply reply;
};

struct nats_transport {
  struct transport seam;
  const struct membership *membership;
  const struct nats_place *place;
  struct nats_credentials credentials;
  char hub[NATS_HUB_SIZE];
  char run[HUB_TOKEN_SIZE];       /* random: no answer to another agent counts */
  uint64_t reports, copies;       /* number them, and all that is published */
  natsSubscription *answers;
  pthread_mutex_t lock;           /* of all below */
  pthread_cond_t changed;
  bool woken;
  natsConnection *connection;     /* NULL: none; the shipper alone changes it */
  char hub_run[HUB_TOKEN_SIZE];   /* by the last answer; "": there was none */
  int64_t hub_ahead_ns;           /* the hub's clock then, less ours */
  int64_t last_ns;                /* the time in the id of the last message */
  struct parcel parcels[TRANSPORT_SLOTS];
};

static struct nats_transport *of(struct transport *t)
{
  return (struct nats_transport *) t;
}

/* The ends of messages, with the lock held */

static void wake_locked(struct nats_transport *n)
{
  n->woken = true;
  pthread_cond_signal(&n->changed);
}

static void end(struct nats_transport *n, struct parcel *p)
{
  p->sent = false;
  p->ended = true;
  p->reply.slot = (unsigned) (p - n->parcels);
  wake_locked(n);
}

/* Ends a message without an answer.  The hub may have it all the same. */
static void give_up(struct nats_transport *n, struct parcel *p,
                    const char *why)
{
  if (!p->sent) return;
  p->reply = (struct hub_reply) { .may_have = p->tries > 0 };
  explain(p->reply.why, sizeof p->reply.why, "%s", why);
  end(n, p);
}

static void give_up_all(struct nats_transport *n, const char *why)
{
  for (unsigned i = 0; i < TRANSPORT_SLOTS; i++)
    give_up(n, &n->parcels[i], why);
}

/* Messages of the server and the hub */

static const char *header(natsMsg *msg, const char *name)
{
  const char *value;
  return natsMsgHeader_Get(msg, name, &value) == NATS_OK ? value : "";
}

/* Keeps the run and the time of the hub in an answer.  The hub's clock is later
   than that by now, so no message seems to come from the future. */
static void take_hub_time(struct nats_transport *n, const json_t *json)
{
  const char *run = json_string_value(json_object_get(json, "hub_run"));
  const json_int_t ns = json_integer_value(json_object_get(json, "hub_ns"));
  if (run == NULL || strlen(run) >= sizeof n->hub_run || ns <= 0
      || ns > INT64_MAX / 2)
    return;
  if (strcmp(run, n->hub_run) != 0) n->last_ns = 0;
  memcpy(n->hub_run, run, strlen(run) + 1);
  n->hub_ahead_ns = ns - monotonic_ns();
}

/* Takes the text of an answer with its status, as take_reply does for HTTPS. */
static void take_answer(struct nats_transport *n, struct parcel *p, long status,
                        const char *text, size_t length)
{
  json_t *json = json_loadb(text, length, 0, NULL);
  take_hub_time(n, json);
  if (status == NATS_STATUS_OLD) {
    json_decref(json);
    /* Clocks that went apart may have made the time one of the future. */
    n->last_ns = 0;
    p->again_ns = p->renew || p->renewed ? monotonic_ns() + RENEW_NS : 0;
    p->renew = true;
    wake_locked(n);
    return;
  }
  p->reply = (struct hub_reply) { .status = status, .may_have = status < 400 };
  if (json_is_object(json)
      && (status == 200 || (status == 409 && !p->report))) {
    p->reply.json = json;
  } else {
    const char *error = json_string_value(json_object_get(json, "error"));
    explain(p->reply.why, sizeof p->reply.why, "%s",
            error != NULL ? error : "an answer that is not of a hub");
    json_decref(json);
  }
  end(n, p);
}

/* Takes an answer of the hub; an answer without its seal is not one. */
static void take_sealed(struct nats_transport *n, natsMsg *msg)
{
  char seal[NATS_SEAL_SIZE];
  const char *id = header(msg, NATS_ID_HEADER), *text = natsMsg_GetData(msg);
  const long status = strtol(header(msg, NATS_STATUS_HEADER), NULL, 10);
  const size_t length = (size_t) natsMsg_GetDataLength(msg);
  seal_nats_message(n->credentials.key, status, id, text, length, seal);
  if (status == 0 || seal[0] == '\0'
      || !same_secret(seal, header(msg, NATS_SEAL_HEADER)))
    return;
  for (unsigned i = 0; i < TRANSPORT_SLOTS; i++)
    if (n->parcels[i].sent && strcmp(n->parcels[i].id, id) == 0)
      take_answer(n, &n->parcels[i], status, text, length);
}

/* Takes the word of the server that no stream takes the message in a slot. */
static void take_refusal(struct nats_transport *n, natsMsg *msg, unsigned slot)
{
  if (slot < TRANSPORT_SLOTS && natsMsg_IsNoResponders(msg))
    give_up(n, &n->parcels[slot], "no stream of JetStream takes the events: "
            "does 'eventring hub --nats' run?");
}

static void take_message(natsConnection *connection, natsSubscription *s,
                         natsMsg *msg, void *state)
{
  struct nats_transport *n = state;
  const char *last = strrchr(natsMsg_GetSubject(msg), '.');
  (void) connection;
  (void) s;
  pthread_mutex_lock(&n->lock);
  if (last != NULL && strcmp(last, ".done") == 0) take_sealed(n, msg);
  else if (last != NULL)
    take_refusal(n, msg, (unsigned) strtoul(last + 1, NULL, 10));
  pthread_mutex_unlock(&n->lock);
  natsMsg_Destroy(msg);
}

static void notice_closed(natsConnection *connection, void *state)
{
  struct nats_transport *n = state;
  pthread_mutex_lock(&n->lock);
  /* The end of an earlier connection may be told late. */
  if (connection == n->connection)
    give_up_all(n, "the connection to NATS is lost");
  pthread_mutex_unlock(&n->lock);
}

static void notice_failure(natsConnection *connection, natsSubscription *s,
                           natsStatus status, void *state)
{
  struct nats_transport *n = state;
  char why[400];
  const char *text = NULL;
  (void) s;
  natsConnection_GetLastError(connection, &text);
  explain(why, sizeof why, "NATS: %s%s%.300s", natsStatus_GetText(status),
          text != NULL ? ": " : "", text != NULL ? text : "");
  pthread_mutex_lock(&n->lock);
  give_up_all(n, why);
  pthread_mutex_unlock(&n->lock);
}

/* The connection */

static void disconnect(struct nats_transport *n)
{
  natsConnection *connection = n->connection;
  pthread_mutex_lock(&n->lock);
  give_up_all(n, "the connection to NATS is lost");
  n->connection = NULL;
  pthread_mutex_unlock(&n->lock);
  natsSubscription_Destroy(n->answers);
  natsConnection_Destroy(connection);
  n->answers = NULL;
}

/* Connects if there is no connection.  Returns false with the reason. */
static bool connected(struct nats_transport *n, char *why, size_t size)
{
  char user[NATS_USER_SIZE], subject[NATS_SUBJECT_SIZE];
  const struct nats_events events = {
    .closed = notice_closed, .failed = notice_failure, .state = n };
  if (n->connection != NULL && !natsConnection_IsClosed(n->connection))
    return true;
  disconnect(n);
  name_nats_user(n->hub, n->membership->node, user);
  natsConnection *connection = connect_nats(
    n->place, user, n->credentials.password, &events, why, size);
  if (connection == NULL) return false;
  pthread_mutex_lock(&n->lock);
  n->connection = connection;
  pthread_mutex_unlock(&n->lock);
  name_nats_subject(n->hub, "answers", n->membership->node, "*", subject);
  natsStatus status = natsConnection_Subscribe(&n->answers, n->connection,
                                               subject, take_message, n);
  if (status == NATS_OK) return true;
  disconnect(n);
  return explain(why, size, "NATS: %s", natsStatus_GetText(status));
}

/* Publishing */

/* Makes the message of [p] for its next try. */
static natsStatus new_message(struct nats_transport *n, const struct parcel *p,
                              natsMsg **msg)
{
  char reply[NATS_SUBJECT_SIZE], slot[8], copy[NATS_ID_SIZE + 32];
  char seal[NATS_SEAL_SIZE];
  snprintf(slot, sizeof slot, "%u", (unsigned) (p - n->parcels));
  name_nats_subject(n->hub, "answers", n->membership->node, slot, reply);
  /* No two are the same: JetStream would drop what the hub has refused, and
     what is needed again. */
  snprintf(copy, sizeof copy, "%s&try=%" PRIu64, p->id, ++n->copies);
  seal_nats_message(n->credentials.key, 0, p->id, p->body, p->length, seal);
  natsStatus status = natsMsg_Create(msg, p->subject, reply, p->body,
                                     (int) p->length);
  if (status == NATS_OK) status = natsMsgHeader_Set(*msg, NATS_COPY_HEADER, copy);
  if (status == NATS_OK) status = natsMsgHeader_Set(*msg, NATS_ID_HEADER, p->id);
  if (status == NATS_OK)
    status = natsMsgHeader_Set(*msg, NATS_SEAL_HEADER, seal);
  return status;
}

/* Publishes the message of a slot, once more. */
static void publish(struct nats_transport *n, struct parcel *p)
{
  natsMsg *msg = NULL;
  natsStatus status = n->connection != NULL ? new_message(n, p, &msg)
                                            : NATS_CONNECTION_CLOSED;
  pthread_mutex_lock(&n->lock);
  p->tries++;                     /* the connection may end at once */
  pthread_mutex_unlock(&n->lock);
  if (status == NATS_OK) status = natsConnection_PublishMsg(n->connection, msg);
  natsMsg_Destroy(msg);
  if (status == NATS_OK) return;
  pthread_mutex_lock(&n->lock);
  p->tries--;
  give_up(n, p, natsStatus_GetText(status));
  pthread_mutex_unlock(&n->lock);
}

/* Describes the message in a slot.  Messages with the same description have the
   same bytes. */
static void describe(struct nats_transport *n, struct parcel *p,
                     const struct spool_job *job)
{
  if (job == NULL)
    snprintf(p->what, sizeof p->what, "/fleet/report?count=%" PRIu64,
             ++n->reports);
  else
    snprintf(p->what, sizeof p->what, "/fleet/parts/%s/%" PRIu32 "?offset=%"
             PRIu64 "&length=%zu&last=%d", job->name, job->part, job->offset,
             job->length, job->last);
}

/* Sets the id of a message for the runs of the agent and the hub, with the time
   of the hub, which grows from message to message. */
static void set_id(struct nats_transport *n, struct parcel *p)
{
  char id[NATS_ID_SIZE];
  const int64_t now_ns = monotonic_ns() + n->hub_ahead_ns;
  n->last_ns = now_ns > n->last_ns ? now_ns : n->last_ns + 1;
  snprintf(id, sizeof id, "%s&run=%s&hub=%s&time=%" PRId64, p->what, n->run,
           n->hub_run, n->last_ns);
  memcpy(p->id, id, sizeof id);
}

static void begin(struct transport *t, unsigned slot,
                  const struct spool_job *job, const char *body, size_t length)
{
  struct nats_transport *n = of(t);
  struct parcel *p = &n->parcels[slot];
  const int64_t now = monotonic_ns();
  char why[400];
  const bool can_send = connected(n, why, sizeof why);
  pthread_mutex_lock(&n->lock);
  *p = (struct parcel) {
    .sent = true, .report = job == NULL, .body = body, .length = length,
    .again_ns = now + AGAIN_NS, .wait_ns = AGAIN_NS,
    .give_up_ns = now + GIVE_UP_NS };
  describe(n, p, job);
  set_id(n, p);
  name_nats_subject(n->hub, p->report ? "reports" : "parts",
                    n->membership->node, p->report ? NULL : job->name,
                    p->subject);
  if (!can_send) give_up(n, p, why);
  pthread_mutex_unlock(&n->lock);
  if (can_send) publish(n, p);
}

/* Publishes the message of a slot again, or gives it up, when it is time. */
static void tend(struct nats_transport *n, struct parcel *p)
{
  const int64_t now = monotonic_ns();
  pthread_mutex_lock(&n->lock);
  if (p->sent && now >= p->give_up_ns)
    give_up(n, p, "no hub has confirmed the events that NATS took");
  const bool again = p->sent && now >= p->again_ns;
  if (again) {
    p->wait_ns = p->renew ? AGAIN_NS : 2 * p->wait_ns;
    p->again_ns = now + p->wait_ns;
    if (p->renew) set_id(n, p);
    p->renewed |= p->renew;
    p->renew = false;
  }
  pthread_mutex_unlock(&n->lock);
  if (again) publish(n, p);
}

static bool next(struct transport *t, struct hub_reply *reply)
{
  struct nats_transport *n = of(t);
  bool found = false;
  for (unsigned i = 0; i < TRANSPORT_SLOTS; i++) tend(n, &n->parcels[i]);
  pthread_mutex_lock(&n->lock);
  for (unsigned i = 0; i < TRANSPORT_SLOTS && !found; i++) {
    struct parcel *p = &n->parcels[i];
    found = p->ended;
    if (!found) continue;
    *reply = p->reply;
    p->ended = false;
  }
  pthread_mutex_unlock(&n->lock);
  return found;
}

static void wait_for(struct transport *t, int ms)
{
  struct nats_transport *n = of(t);
  const int64_t until = monotonic_ns() + ms * MS;
  const struct timespec time = { .tv_sec = until / (1000 * MS),
                                 .tv_nsec = until % (1000 * MS) };
  pthread_mutex_lock(&n->lock);
  while (!n->woken
         && pthread_cond_timedwait(&n->changed, &n->lock, &time) == 0)
    ;
  n->woken = false;
  pthread_mutex_unlock(&n->lock);
}

static void wake(struct transport *t)
{
  struct nats_transport *n = of(t);
  pthread_mutex_lock(&n->lock);
  wake_locked(n);
  pthread_mutex_unlock(&n->lock);
}

/* Opening and closing */

static void free_transport(struct nats_transport *n)
{
  for (unsigned i = 0; i < TRANSPORT_SLOTS; i++)
    if (n->parcels[i].ended) json_decref(n->parcels[i].reply.json);
  pthread_cond_destroy(&n->changed);
  pthread_mutex_destroy(&n->lock);
  explicit_bzero(&n->credentials, sizeof n->credentials);
  free(n);
}

static void close_transport(struct transport *t)
{
  struct nats_transport *n = of(t);
  disconnect(n);
  /* A thread of libnats may use the transport until then. */
  if (nats_CloseAndWait(CLOSE_MS) != NATS_TIMEOUT) free_transport(n);
}

static struct nats_transport *new_transport(const struct membership *m,
                                            const struct nats_place *place)
{
  pthread_condattr_t attributes;
  struct nats_transport *n = allocate(1, sizeof *n);
  n->seam = (struct transport) {
    .piece = PIECE, .streams = REPORTED_STREAMS, .begin = begin, .next = next,
    .wait = wait_for, .wake = wake, .close = close_transport
  };
  n->membership = m;
  n->place = place;
  name_nats_hub(m->hub.fingerprint, n->hub);
  pthread_mutex_init(&n->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&n->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  return n;
}

struct transport *open_nats_transport(const struct membership *m,
                                      const struct nats_place *place, char *why,
                                      size_t size)
{
  struct nats_transport *n = new_transport(m, place);
  bool opened = check_nats_place(place, why, size)
                && read_nats_credentials(m, &n->credentials, why, size);
  if (opened && !make_hub_token(n->run))
    opened = explain(why, size, "the system has no random numbers");
  if (opened) return &n->seam;
  free_transport(n);
  return NULL;
}
