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

/* See nats_hub.h.

   A session is a connection with its stream, its consumer, and workers that take
   messages.  It ends with the connection, or when the stream or the consumer are
   gone, and a new one begins.  The answer to a message is published before the
   message is acknowledged, and after the bytes are durable. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "explain.h"
#include "locks.h"
#include "nats_fresh.h"
#include "nats_hub.h"
#include "nats_link.h"
#include "nats_names.h"
#include "nats_version.h"

#define MS INT64_C(1000000)

/* Messages that are taken at a time: each waits for the disk. */
#define WORKERS 4
#define BATCH 4
#define FETCH_MS 500
#define CHECK_MS 1000
#define SHORTEST_MS 100
#define LONGEST_MS 2000
/* How long the threads of libnats may take to end. */
#define CLOSE_MS 5000

/* What the server keeps until the hub has taken it: the newest message of each
   subject.  Agents publish again when one is gone. */
#define STREAM_BYTES ((int64_t) 256 << 20)
#define STREAM_NS FRESH_PART_NS
#define MESSAGE_BYTES (512 << 10)
#define TAKE_AGAIN_NS (10000 * MS)
/* Replicas of the stream in a cluster.  After so many attempts, one is enough:
   the cluster is smaller, or servers are away. */
#define REPLICAS 3
#define ATTEMPTS 10
/* Checks in a row that find the consumer ahead of the stream. */
#define AHEAD_CHECKS 2

struct worker {
  struct nats_hub *hub;
  pthread_t thread;
  natsSubscription *messages;
};

struct nats_hub {
  struct hub *hub;
  const struct nats_place *place;
  char name[NATS_HUB_SIZE], stream[NATS_USER_SIZE];
  struct nats_credentials credentials;
  struct fresh fresh;
  pthread_t thread;
  pthread_mutex_t lock;           /* of [changed] */
  pthread_cond_t changed;         /* ending or broken */
  atomic_bool ending, broken;
  _Atomic(natsConnection *) connection;
  jsCtx *js;
  struct worker workers[WORKERS];
  unsigned attempts;              /* to begin a session, in a row */
  unsigned ahead;                 /* checks in a row that found the consumer
                                     ahead of the stream */
  bool told;                      /* that the server cannot be used */
  char warned[NATS_VERSION_SIZE]; /* a version of a server, with a known fault */
};

/* Messages */

/* Copies the value of the parameter [name] of [id] to [value]; "" when it is
   missing or too long. */
static void parameter(const char *id, const char *name, char *value,
                      size_t size)
{
  const size_t length = strlen(name);
  value[0] = '\0';
  for (const char *at = strchr(id, '?'); at != NULL; at = strchr(at, '&')) {
    at++;
    if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
    const size_t count = strcspn(at + length + 1, "&");
    if (count >= size) return;
    memcpy(value, at + length + 1, count);
    value[count] = '\0';
    return;
  }
}

/* Sets [request] to the request of the agent of request->node that [id] names.
   Returns false with the reason. */
static bool parse_id(const char *id, struct hub_request *request,
                     const char **why)
{
  char path[NATS_ID_SIZE], offset[32], last[4];
  struct hub_request parsed;
  snprintf(path, sizeof path, "%.*s", (int) strcspn(id, "?"), id);
  parameter(id, "offset", offset, sizeof offset);
  parameter(id, "last", last, sizeof last);
  const bool report = strcmp(path, "/fleet/report") == 0;
  if (parse_hub_request(report ? "POST" : "PUT", path, offset, last, &parsed,
                        why) != 0)
    return false;
  *why = "another resource";
  if (parsed.route != HUB_REPORT && parsed.route != HUB_PART) return false;
  memcpy(parsed.node, request->node, sizeof parsed.node);
  memcpy(parsed.fingerprint, request->fingerprint, sizeof parsed.fingerprint);
  *request = parsed;
  return true;
}

static const char *header(natsMsg *msg, const char *name)
{
  const char *value;
  return natsMsgHeader_Get(msg, name, &value) == NATS_OK ? value : "";
}

/* Checks the sender of a message.  Sets [request] and *key, the seal key of the
   node.  Returns false with the reason. */
static bool open_message(const struct nats_hub *n, natsMsg *msg,
                         struct hub_request *request,
                         struct nats_credentials *c, const char **why)
{
  char seal[NATS_SEAL_SIZE];
  const char *id = header(msg, NATS_ID_HEADER);
  *request = (struct hub_request) { .node = "" };
  *why = "the subject names no node that has joined";
  if (!parse_nats_node(natsMsg_GetSubject(msg), request->node)
      || !registered_key(&n->hub->store, request->node, request->fingerprint))
    return false;
  derive_nats_node(n->hub->nats_secret, request->node, request->fingerprint, c);
  seal_nats_message(c->key, 0, id, natsMsg_GetData(msg),
                    (size_t) natsMsg_GetDataLength(msg), seal);
  *why = "it has not the seal of the node";
  if (seal[0] == '\0' || !same_secret(seal, header(msg, NATS_SEAL_HEADER)))
    return false;
  *why = "it is too long";
  if (strlen(id) >= NATS_ID_SIZE
      || (size_t) natsMsg_GetDataLength(msg) > HUB_BODY_MAX)
    return false;
  return parse_id(id, request, why);
}

/* Sets the headers of the answer [msg] to the message [id]. */
static natsStatus set_headers(natsMsg *msg, const char *id, long status,
                              const char *key)
{
  char text[16], seal[NATS_SEAL_SIZE];
  snprintf(text, sizeof text, "%ld", status);
  seal_nats_message(key, status, id, natsMsg_GetData(msg),
                    (size_t) natsMsg_GetDataLength(msg), seal);
  natsStatus result = natsMsgHeader_Set(msg, NATS_ID_HEADER, id);
  if (result == NATS_OK)
    result = natsMsgHeader_Set(msg, NATS_STATUS_HEADER, text);
  if (result == NATS_OK)
    result = natsMsgHeader_Set(msg, NATS_SEAL_HEADER, seal);
  return result;
}

/* Publishes [answer] for the agent of [node], with the run and the time of the
   hub, and frees its JSON. */
static void publish_answer(const struct nats_hub *n, const char *node,
                           const char *id, const struct hub_answer *answer,
                           const char *key)
{
  char subject[NATS_SUBJECT_SIZE];
  natsMsg *msg = NULL;
  json_object_set_new(answer->json, "hub_run", json_string(n->fresh.run));
  json_object_set_new(answer->json, "hub_ns",
                      json_integer((json_int_t) hub_monotonic_ns()));
  char *text = json_dumps(answer->json, JSON_COMPACT);
  json_decref(answer->json);
  if (text == NULL) return;
  name_nats_subject(n->name, "answers", node, "done", subject);
  if (natsMsg_Create(&msg, subject, NULL, text, (int) strlen(text)) == NATS_OK
      && set_headers(msg, id, (long) answer->status, key) == NATS_OK)
    natsConnection_PublishMsg(n->connection, msg);
  natsMsg_Destroy(msg);
  free(text);
}

/* Returns the answer to an old message: the agent makes a new one with the time
   in this answer. */
static struct hub_answer answer_to_old(void)
{
  return hub_refusal(NATS_STATUS_OLD, "the message is old, or was made for "
                     "another run of the hub");
}

/* Stores the report in [msg] if it is newer than all before. */
static struct hub_answer answer_report(struct nats_hub *n,
                                       const struct hub_request *request,
                                       natsMsg *msg, const char *run,
                                       const char *time)
{
  struct reported_node *reported;
  struct hub_answer answer;
  int64_t time_ns;
  switch (begin_report(&n->fresh, request->node, run, time, hub_monotonic_ns(),
                       &reported, &time_ns)) {
  case FRESH_OLD: return answer_to_old();
  case FRESH_REPEATED: answer = hub_clocks(); break;
  default:
    answer = answer_hub_request(n->hub, request, natsMsg_GetData(msg),
                                (size_t) natsMsg_GetDataLength(msg));
  }
  end_report(reported, answer.status < 400, time_ns);
  return answer;
}

/* Returns the answer to a message with the right seal. */
static struct hub_answer answer_message(struct nats_hub *n,
                                        const struct hub_request *request,
                                        natsMsg *msg)
{
  char run[HUB_TOKEN_SIZE], time[32];
  int64_t time_ns;
  const char *id = header(msg, NATS_ID_HEADER);
  parameter(id, "hub", run, sizeof run);
  parameter(id, "time", time, sizeof time);
  if (request->route == HUB_REPORT)
    return answer_report(n, request, msg, run, time);
  if (!is_fresh_message(&n->fresh, run, time, FRESH_PART_NS, hub_monotonic_ns(),
                        &time_ns))
    return answer_to_old();
  return answer_hub_request(n->hub, request, natsMsg_GetData(msg),
                            (size_t) natsMsg_GetDataLength(msg));
}

/* Takes a message: answers it, or refuses it. */
static void take_message(struct nats_hub *n, natsMsg *msg)
{
  struct hub_request request;
  struct nats_credentials credentials;
  const char *why;
  if (open_message(n, msg, &request, &credentials, &why)) {
    struct hub_answer answer = answer_message(n, &request, msg);
    /* A server may repeat messages, so old ones are no fault of an agent. */
    if (answer.status >= 400 && answer.status != NATS_STATUS_OLD)
      n->hub->refused++;
    publish_answer(n, request.node, header(msg, NATS_ID_HEADER), &answer,
                   credentials.key);
  } else {
    n->hub->refused++;
    hub_say(n->hub, "a message by NATS to %.200s is refused: %s",
            natsMsg_GetSubject(msg), why);
  }
  explicit_bzero(&credentials, sizeof credentials);
  natsMsg_Ack(msg, NULL);
}

/* Workers */

static void break_session(struct nats_hub *n)
{
  pthread_mutex_lock(&n->lock);
  n->broken = true;
  pthread_cond_signal(&n->changed);
  pthread_mutex_unlock(&n->lock);
}

static void *work(void *state)
{
  const struct worker *w = state;
  struct nats_hub *n = w->hub;
  while (!n->broken && !n->ending) {
    natsMsgList list = { .Msgs = NULL };
    jsErrCode error;
    natsStatus status = natsSubscription_Fetch(&list, w->messages, BATCH,
                                               FETCH_MS, &error);
    for (int i = 0; status == NATS_OK && i < list.Count; i++)
      take_message(n, list.Msgs[i]);
    natsMsgList_Destroy(&list);
    if (status != NATS_OK && status != NATS_TIMEOUT) break_session(n);
  }
  return NULL;
}

/* Starts the workers; those that cannot start do without. */
static bool start_workers(struct nats_hub *n)
{
  jsSubOptions options;
  jsErrCode error;
  bool started = false;
  jsSubOptions_Init(&options);
  options.Stream = n->stream;
  options.Consumer = NATS_CONSUMER;
  for (int i = 0; i < WORKERS; i++) {
    struct worker *w = &n->workers[i];
    *w = (struct worker) { .hub = n };
    if (js_PullSubscribe(&w->messages, n->js, NULL, NATS_CONSUMER, NULL,
                         &options, &error) != NATS_OK)
      continue;
    if (pthread_create(&w->thread, NULL, work, w) == 0) {
      started = true;
    } else {
      natsSubscription_Destroy(w->messages);
      w->messages = NULL;
    }
  }
  return started;
}

static void end_workers(struct nats_hub *n)
{
  for (int i = 0; i < WORKERS; i++) {
    struct worker *w = &n->workers[i];
    if (w->messages == NULL) continue;
    pthread_join(w->thread, NULL);
    natsSubscription_Destroy(w->messages);
    w->messages = NULL;
  }
}

/* Sessions */

static void notice_closed(natsConnection *connection, void *state)
{
  struct nats_hub *n = state;
  if (connection == n->connection) break_session(n);
}

static void notice_failure(natsConnection *connection, natsSubscription *s,
                           natsStatus status, void *state)
{
  struct nats_hub *n = state;
  const char *text = NULL;
  (void) s;
  natsConnection_GetLastError(connection, &text);
  hub_say(n->hub, "NATS: %s: %.300s", natsStatus_GetText(status),
          text != NULL ? text : "");
}

/* Makes the stream, if there is none yet, with replicas in a cluster. */
static natsStatus make_stream(struct nats_hub *n, jsErrCode *error)
{
  char parts[NATS_SUBJECT_SIZE], reports[NATS_SUBJECT_SIZE];
  const char *subjects[] = { parts, reports };
  jsStreamConfig config;
  jsStreamInfo *info = NULL;
  natsStatus status = js_GetStreamInfo(&info, n->js, n->stream, NULL, error);
  jsStreamInfo_Destroy(info);
  if (status != NATS_NOT_FOUND) return status;
  name_nats_subject(n->name, "parts", "*", "*", parts);
  name_nats_subject(n->name, "reports", "*", NULL, reports);
  jsStreamConfig_Init(&config);
  config.Name = n->stream;
  config.Subjects = subjects;
  config.SubjectsLen = 2;
  config.Retention = js_WorkQueuePolicy;
  config.MaxBytes = STREAM_BYTES;
  config.MaxAge = STREAM_NS;
  config.MaxMsgsPerSubject = 1;
  config.MaxMsgSize = MESSAGE_BYTES;
  config.Discard = js_DiscardOld;
  config.Duplicates = 2 * 60000 * MS;
  /* An acknowledgment would go to any subject that a sender names, with the
     rights of the server. */
  config.NoAck = true;
  config.Replicas = REPLICAS;
  status = js_AddStream(NULL, n->js, &config, NULL, error);
  if (status == NATS_OK
      || (*error != JSStreamReplicasNotSupportedErr && n->attempts < ATTEMPTS))
    return status;
  config.Replicas = 1;
  return js_AddStream(NULL, n->js, &config, NULL, error);
}

static natsStatus make_consumer(struct nats_hub *n, jsErrCode *error)
{
  jsConsumerConfig config;
  jsConsumerConfig_Init(&config);
  config.Durable = NATS_CONSUMER;
  config.AckPolicy = js_AckExplicit;
  config.AckWait = TAKE_AGAIN_NS;
  return js_AddConsumer(NULL, n->js, n->stream, &config, NULL, error);
}

/* Says once that the server cannot be used. */
static void tell(struct nats_hub *n, const char *why)
{
  if (!n->told)
    hub_say(n->hub, "NATS cannot be used, and agents wait: %s", why);
  n->told = true;
}

/* Warns once of a server that is known to lose messages. */
static void warn_of_server(struct nats_hub *n)
{
  char url[512];
  struct nats_server server;
  if (natsConnection_GetConnectedUrl(n->connection, url, sizeof url) != NATS_OK
      || !ask_nats_server(url, &server)
      || strcmp(server.version, n->warned) == 0)
    return;
  const char *fault = nats_server_fault(&server);
  if (fault == NULL) return;
  memcpy(n->warned, server.version, sizeof n->warned);
  hub_say(n->hub, "nats-server %s %s; the agents send again what is lost",
          server.version, fault);
}

/* Begins a session.  Returns false after a message. */
static bool begin_session(struct nats_hub *n)
{
  char user[NATS_USER_SIZE], why[512];
  jsErrCode error = 0;
  const struct nats_events events = {
    .closed = notice_closed, .failed = notice_failure, .state = n };
  n->broken = false;
  n->attempts++;
  name_nats_user(n->name, NULL, user);
  n->connection = connect_nats(n->place, user, n->credentials.password, &events,
                               why, sizeof why);
  if (n->connection == NULL) {
    tell(n, why);
    return false;
  }
  natsStatus status = natsConnection_JetStream(&n->js, n->connection, NULL);
  if (status == NATS_OK) status = make_stream(n, &error);
  if (status == NATS_OK) status = make_consumer(n, &error);
  if (status == NATS_OK && start_workers(n)) {
    if (n->told) hub_say(n->hub, "NATS can be used again");
    n->told = false;
    n->attempts = 0;
    warn_of_server(n);
    return true;
  }
  const char *last = nats_GetLastError(NULL);
  explain(why, sizeof why, "JetStream: %s (%d)%s%.300s",
          natsStatus_GetText(status), (int) error, last != NULL ? ": " : "",
          last != NULL ? last : "");
  tell(n, why);
  return false;
}

static void end_session(struct nats_hub *n)
{
  n->broken = true;
  end_workers(n);
  jsCtx_Destroy(n->js);
  natsConnection_Destroy(n->connection);
  n->js = NULL;
  n->connection = NULL;
}

/* Waits up to [ms] milliseconds, unless the hub ends or the session is over. */
static void wait_for(struct nats_hub *n, int ms)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t ns = until.tv_nsec + ms * MS;
  until.tv_sec += ns / (1000 * MS);
  until.tv_nsec = ns % (1000 * MS);
  pthread_mutex_lock(&n->lock);
  while (!n->ending && !n->broken
         && pthread_cond_timedwait(&n->changed, &n->lock, &until) == 0)
    ;
  pthread_mutex_unlock(&n->lock);
}

/* Returns the number of the last message that the stream has had; UINT64_MAX when
   the server does not tell. */
static uint64_t last_in_stream(struct nats_hub *n)
{
  jsStreamInfo *info = NULL;
  jsErrCode error;
  natsStatus status = js_GetStreamInfo(&info, n->js, n->stream, NULL, &error);
  const uint64_t last = status == NATS_OK ? info->State.LastSeq : UINT64_MAX;
  jsStreamInfo_Destroy(info);
  return last;
}

/* Returns whether the server still has the consumer, and gives it new messages.  A
   server that was killed, or has had a full disk, may have lost the last messages
   of the stream and not the state of the consumer, which then waits for numbers
   that come much later: that consumer is deleted. */
static bool has_consumer(struct nats_hub *n)
{
  jsConsumerInfo *info = NULL;
  jsErrCode error;
  natsStatus status = js_GetConsumerInfo(&info, n->js, n->stream, NATS_CONSUMER,
                                         NULL, &error);
  const uint64_t delivered = status == NATS_OK ? info->Delivered.Stream : 0;
  jsConsumerInfo_Destroy(info);
  if (status != NATS_OK) return false;
  n->ahead = delivered > last_in_stream(n) ? n->ahead + 1 : 0;
  /* In a cluster, the server that answers may not have all messages yet. */
  if (n->ahead < AHEAD_CHECKS) return true;
  n->ahead = 0;
  js_DeleteConsumer(n->js, n->stream, NATS_CONSUMER, NULL, &error);
  return false;
}

static void *tend(void *state)
{
  struct nats_hub *n = state;
  int wait_ms = SHORTEST_MS;
  while (!n->ending) {
    const bool begun = begin_session(n);
    while (begun && !n->ending && !n->broken) {
      wait_ms = SHORTEST_MS;
      wait_for(n, CHECK_MS);
      if (!n->ending && !n->broken && !has_consumer(n)) break_session(n);
    }
    end_session(n);
    n->broken = false;
    wait_for(n, wait_ms);
    wait_ms = 2 * wait_ms < LONGEST_MS ? 2 * wait_ms : LONGEST_MS;
  }
  return NULL;
}

/* Starting and stopping */

static void free_nats_hub(struct nats_hub *n)
{
  pthread_cond_destroy(&n->changed);
  pthread_mutex_destroy(&n->lock);
  explicit_bzero(&n->credentials, sizeof n->credentials);
  close_fresh(&n->fresh);
  free(n);
}

struct nats_hub *start_nats_hub(struct hub *hub, const struct nats_place *place,
                                char *why, size_t size)
{
  pthread_condattr_t attributes;
  if (!check_nats_place(place, why, size)) return NULL;
  struct nats_hub *n = calloc(1, sizeof *n);
  if (n == NULL) {
    explain(why, size, "not enough memory");
    return NULL;
  }
  if (!open_fresh(&n->fresh)) {
    free(n);
    explain(why, size, "the system has no random numbers");
    return NULL;
  }
  n->hub = hub;
  n->place = place;
  name_nats_hub(hub->keys.fingerprint, n->name);
  name_nats_stream(n->name, n->stream);
  derive_nats_hub(hub->nats_secret, &n->credentials);
  pthread_mutex_init(&n->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&n->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  int error = pthread_create(&n->thread, NULL, tend, n);
  if (error == 0) return n;
  explain(why, size, "cannot begin to take messages: %s", strerror(error));
  free_nats_hub(n);
  return NULL;
}

void stop_nats_hub(struct nats_hub *n)
{
  if (n == NULL) return;
  pthread_mutex_lock(&n->lock);
  n->ending = true;
  pthread_cond_signal(&n->changed);
  pthread_mutex_unlock(&n->lock);
  pthread_join(n->thread, NULL);
  /* A thread of libnats may use it until then. */
  if (nats_CloseAndWait(CLOSE_MS) != NATS_TIMEOUT) free_nats_hub(n);
}
