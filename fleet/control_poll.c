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

/* See control_poll.h. */

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "background.h"
#include "control_poll.h"
#include "explain.h"
#include "hub_client.h"
#include "memory.h"
#include "reply.h"
#include "target.h"

#define MS INT64_C(1000000)

/* Longer than the hub lets an agent wait. */
#define REQUEST_SECONDS 40L

/* The waits after a failure, and after an answer without a request that came
   sooner than a hub gives one: another agent has the same key. */
#define SHORTEST_MS 100
#define LONGEST_MS 5000
#define SOON_NS (1000 * MS)

/* The status of an answer to a request that is not valid: the exit code of a
   command with wrong arguments. */
#define NOT_VALID 2

struct control_poll {
  const struct membership *membership;
  const struct control_hands *hands;
  pthread_t thread;
  CURLM *multi;
  atomic_bool ending;
  bool told;                      /* that the hub refuses */
  struct reply reply;
};

json_t *carry_out_request(const struct control_hands *hands, const char *node,
                          const json_t *request)
{
  struct control_request r;
  char why[256], errors[320];
  json_t *answer = NULL;
  if (!parse_control_request(request, &r, why, sizeof why)) {
    explain(errors, sizeof errors, "eventring: %s\n", why);
    answer = json_pack("{s:i, s:s, s:s}", "status", NOT_VALID, "output", "",
                       "errors", errors);
  } else if (strcmp(r.node, node) != 0) {
    answer = json_pack("{s:i, s:s, s:s}", "status", NOT_VALID, "output", "",
                       "errors", "eventring: the request is for another node\n");
  } else {
    answer = hands->carry_out(hands->state, &r);
  }
  if (answer == NULL) out_of_memory();
  return answer;
}

/* Sets the options of the request with the body [text]. */
static struct curl_slist *set_request(struct control_poll *p, CURL *curl,
                                      const char *text)
{
  struct curl_slist *headers =
    curl_slist_append(NULL, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Expect:");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, text);
  curl_easy_setopt(curl, CURLOPT_SSLKEY, p->membership->key_path);
  curl_easy_setopt(curl, CURLOPT_SSLCERT, p->membership->certificate_path);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, REQUEST_SECONDS);
  receive_reply(curl, &p->reply);
  return headers;
}

/* Waits until the request has ended, or the agent ends, and returns its code. */
static CURLcode await_end(struct control_poll *p)
{
  int running = 1, left;
  while (!p->ending && curl_multi_perform(p->multi, &running) == CURLM_OK
         && running > 0)
    curl_multi_poll(p->multi, NULL, 0, 1000, NULL);
  const CURLMsg *message = curl_multi_info_read(p->multi, &left);
  return message != NULL ? message->data.result : CURLE_ABORTED_BY_CALLBACK;
}

/* Sends [body], and returns the answer of the hub, which the caller frees; NULL
   with the reason, and *status 0 when there was no answer. */
static json_t *exchange(struct control_poll *p, const json_t *body,
                        long *status, char *why, size_t size)
{
  CURL *curl = hub_request(&p->membership->hub, "/fleet/requests");
  char *text = json_dumps(body, JSON_COMPACT);
  if (curl == NULL || text == NULL) out_of_memory();
  struct curl_slist *headers = set_request(p, curl, text);
  curl_multi_add_handle(p->multi, curl);
  const CURLcode code = await_end(p);
  json_t *json = take_reply(curl, code, &p->reply, 200, status, why,
                            size);
  curl_multi_remove_handle(p->multi, curl);
  curl_easy_cleanup(curl);
  curl_slist_free_all(headers);
  free(text);
  return json;
}

/* Waits [ms] milliseconds, or until the agent ends. */
static void pause_for(struct control_poll *p, int ms)
{
  if (!p->ending) curl_multi_poll(p->multi, NULL, 0, ms, NULL);
}

/* Says once that the hub refuses to give requests.  A hub that is away is the
   subject of the shipper. */
static void tell(struct control_poll *p, long status, const char *why)
{
  if (!p->told && status != 0)
    say_line(p->hands->say, "the hub gives no requests for control: %s", why);
  p->told = p->told || status != 0;
}

/* Carries out the request in [reply], if it has one, and returns the body of the
   next request to the hub, which the caller frees. */
static json_t *answer_reply(struct control_poll *p, const json_t *reply)
{
  const json_t *request = json_object_get(reply, "request");
  json_t *body = json_object();
  if (body == NULL) out_of_memory();
  if (request == NULL) return body;
  json_t *answer =
    carry_out_request(p->hands, p->membership->node, request);
  json_object_set(answer, "id", json_object_get(request, "id"));
  json_object_set_new(body, "answer", answer);
  return body;
}

static void *poll_hub(void *state)
{
  struct control_poll *p = state;
  json_t *body = json_object();
  int wait_ms = SHORTEST_MS;
  while (!p->ending) {
    char why[512];
    long status;
    const int64_t began_ns = monotonic_ns();
    json_t *reply = exchange(p, body, &status, why, sizeof why);
    json_decref(body);
    body = answer_reply(p, reply);
    const bool soon = json_object_size(reply) == 0
                      && monotonic_ns() - began_ns < SOON_NS;
    if (reply == NULL) tell(p, status, why);
    else p->told = false;
    if (reply != NULL && !soon) wait_ms = SHORTEST_MS;
    if (reply == NULL || soon) {
      pause_for(p, wait_ms);
      wait_ms = 2 * wait_ms < LONGEST_MS ? 2 * wait_ms : LONGEST_MS;
    }
    json_decref(reply);
  }
  json_decref(body);
  return NULL;
}

struct control_poll *begin_control_poll(const struct membership *m,
                                        const struct control_hands *hands,
                                        char *why, size_t size)
{
  struct control_poll *p = allocate(1, sizeof *p);
  p->membership = m;
  p->hands = hands;
  p->multi = curl_multi_init();
  if (p->multi == NULL) out_of_memory();
  if (begin_thread(&p->thread, poll_hub, p, "take requests", why, size))
    return p;
  curl_multi_cleanup(p->multi);
  free(p);
  return NULL;
}

void end_control_poll(struct control_poll *p)
{
  if (p == NULL) return;
  p->ending = true;
  curl_multi_wakeup(p->multi);
  pthread_join(p->thread, NULL);
  curl_multi_cleanup(p->multi);
  free(p);
}
