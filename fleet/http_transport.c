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

/* See transport.h.  libcurl keeps the connections. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hub_answers.h"
#include "hub_client.h"
#include "memory.h"
#include "reply.h"
#include "transport.h"

#define REQUEST_SECONDS 60L
/* With the longest names, a report has less than the 1 MiB that a hub takes. */
#define REPORTED_STREAMS 500

_Static_assert(SPOOL_PIECE - 1 < HUB_BODY_MAX,
               "a hub takes what an agent sends at once");

struct request {
  CURL *curl;                     /* NULL: not under way */
  struct curl_slist *headers;
  bool report;
  bool connected;                 /* to the hub, at least once */
  struct reply reply;
};

struct http_transport {
  struct transport seam;
  const struct membership *membership;
  CURLM *multi;
  struct request requests[TRANSPORT_SLOTS];
};

static struct http_transport *of(struct transport *t)
{
  return (struct http_transport *) t;
}

/* Called by libcurl before it sends the request, again when it repeats a request
   whose connection has broken. */
static int note_connection(void *state, char *to, char *from, int to_port,
                           int from_port)
{
  struct request *r = state;
  (void) to, (void) from, (void) to_port, (void) from_port;
  r->connected = true;
  return CURL_PREREQFUNC_OK;
}

/* Writes the address of the request for [job] to [path]. */
static void set_path(const struct spool_job *job, char *path, size_t size)
{
  snprintf(path, size, "/fleet/parts/%s/%" PRIu32 "?offset=%" PRIu64 "%s",
           job->name, job->part, job->offset, job->last ? "&last=1" : "");
}

static void begin(struct transport *t, unsigned slot,
                  const struct spool_job *job, const char *body, size_t length)
{
  struct http_transport *h = of(t);
  struct request *r = &h->requests[slot];
  char path[STREAM_NAME_SIZE + 128] = "/fleet/report";
  if (job != NULL) set_path(job, path, sizeof path);
  r->report = job == NULL;
  r->connected = false;
  r->curl = hub_request(&h->membership->hub, path);
  if (r->curl == NULL) out_of_memory();
  r->headers = curl_slist_append(NULL, r->report
                                 ? "Content-Type: application/json"
                                 : "Content-Type: application/octet-stream");
  r->headers = curl_slist_append(r->headers, "Expect:");
  curl_easy_setopt(r->curl, CURLOPT_HTTPHEADER, r->headers);
  curl_easy_setopt(r->curl, CURLOPT_CUSTOMREQUEST, r->report ? "POST" : "PUT");
  curl_easy_setopt(r->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) length);
  curl_easy_setopt(r->curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(r->curl, CURLOPT_SSLKEY, h->membership->key_path);
  curl_easy_setopt(r->curl, CURLOPT_SSLCERT, h->membership->certificate_path);
  curl_easy_setopt(r->curl, CURLOPT_TIMEOUT, REQUEST_SECONDS);
  curl_easy_setopt(r->curl, CURLOPT_PRIVATE, (char *) r);
  curl_easy_setopt(r->curl, CURLOPT_PREREQFUNCTION, note_connection);
  curl_easy_setopt(r->curl, CURLOPT_PREREQDATA, r);
  receive_reply(r->curl, &r->reply);
  curl_multi_add_handle(h->multi, r->curl);
}

static void finish(struct http_transport *h, struct request *r)
{
  curl_multi_remove_handle(h->multi, r->curl);
  curl_easy_cleanup(r->curl);
  curl_slist_free_all(r->headers);
  r->curl = NULL;
}

static bool next(struct transport *t, struct hub_reply *reply)
{
  struct http_transport *h = of(t);
  CURLMsg *message;
  int left, running;
  curl_multi_perform(h->multi, &running);
  while ((message = curl_multi_info_read(h->multi, &left)) != NULL) {
    struct request *r;
    CURLcode code = message->data.result;
    if (message->msg != CURLMSG_DONE) continue;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **) &r);
    *reply = (struct hub_reply) { .slot = (unsigned) (r - h->requests) };
    reply->json = take_reply(r->curl, code, &r->reply, r->report ? 200 : 409,
                             &reply->status, reply->why, sizeof reply->why);
    reply->may_have = r->connected && reply->status < 400;
    finish(h, r);
    return true;
  }
  return false;
}

static void wait_for(struct transport *t, int ms)
{
  curl_multi_poll(of(t)->multi, NULL, 0, ms, NULL);
}

static void wake(struct transport *t)
{
  curl_multi_wakeup(of(t)->multi);
}

static void close_transport(struct transport *t)
{
  struct http_transport *h = of(t);
  for (unsigned i = 0; i < TRANSPORT_SLOTS; i++)
    if (h->requests[i].curl != NULL) finish(h, &h->requests[i]);
  curl_multi_cleanup(h->multi);
  free(h);
}

struct transport *open_http_transport(const struct membership *m)
{
  struct http_transport *h = allocate(1, sizeof *h);
  h->seam = (struct transport) {
    .piece = SPOOL_PIECE, .streams = REPORTED_STREAMS, .begin = begin,
    .next = next, .wait = wait_for, .wake = wake, .close = close_transport
  };
  h->membership = m;
  h->multi = curl_multi_init();
  if (h->multi == NULL) out_of_memory();
  return &h->seam;
}
