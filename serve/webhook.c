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

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "actions.h"
#include "hub_client.h"
#include "json.h"
#include "late_curl.h"
#include "locks.h"
#include "webhook.h"

#define WAITING 64
#define WAITING_FOR_ONE 8         /* address, so that one does not keep out others */
#define SECONDS 10L

struct message {
  char url[WEBHOOK_URL], action[256];
  char *body;
  uint64_t process;
  uint32_t rule;
  void (*told)(uint32_t rule, const char *result);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct message waiting[WAITING] GUARDED_BY(lock);
static unsigned count GUARDED_BY(lock);
static bool runs GUARDED_BY(lock);
static pthread_t thread GUARDED_BY(lock);
static atomic_bool stopping;

bool is_webhook_url(const char *url)
{
  if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) return false;
  for (; *url != '\0'; url++)
    if ((unsigned char) *url <= ' ' || *url == 0x7F) return false;
  return true;
}

void start_webhooks(void)
{
  curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* The answer is not needed. */
static size_t ignore(char *bytes, size_t one, size_t number, void *state)
{
  (void) bytes;
  (void) state;
  return one * number;
}

/* Sends [m], and writes the result to [result]. */
static void send_message(const struct message *m, char *result, size_t size)
{
  long status = 0;
  CURL *c = curl_easy_init();
  struct curl_slist *headers =
    curl_slist_append(NULL, "Content-Type: application/json");
  CURLcode code = c == NULL || headers == NULL ? CURLE_OUT_OF_MEMORY : CURLE_OK;
  if (code == CURLE_OK) {
    curl_easy_setopt(c, CURLOPT_URL, m->url);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, SECONDS);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, m->body);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, ignore);
    end_when_stopped(c, &stopping);
    code = curl_easy_perform(c);
  }
  if (code == CURLE_OK) curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  curl_slist_free_all(headers);
  curl_easy_cleanup(c);
  if (code != CURLE_OK) snprintf(result, size, "%s", curl_easy_strerror(code));
  else if (status / 100 != 2) snprintf(result, size, "it answers with status %ld", status);
  else snprintf(result, size, "ok");
}

static void *send_all(void *state)
{
  (void) state;
  for (;;) {
    char result[256];
    pthread_mutex_lock(&lock);
    while (count == 0 && !stopping) pthread_cond_wait(&changed, &lock);
    if (stopping) {
      pthread_mutex_unlock(&lock);
      return NULL;
    }
    const struct message m = waiting[0];
    memmove(&waiting[0], &waiting[1], --count * sizeof waiting[0]);
    pthread_mutex_unlock(&lock);
    send_message(&m, result, sizeof result);
    add_action("rule", m.process, m.action, result);
    m.told(m.rule, result);
    free(m.body);
  }
}

/* Returns how many messages wait for [url]. */
REQUIRES(lock)
static unsigned waiting_for(const char *url)
{
  unsigned found = 0;
  for (unsigned i = 0; i < count; i++) found += strcmp(waiting[i].url, url) == 0;
  return found;
}

void send_webhook(const char *url, json_t *body, const char *action, uint64_t process,
                  uint32_t rule, void (*told)(uint32_t rule, const char *result))
{
  const char *why = NULL;
  pthread_mutex_lock(&lock);
  if (!runs) runs = pthread_create(&thread, NULL, send_all, NULL) == 0;
  if (!runs) why = "cannot start a thread";
  else if (count == WAITING || waiting_for(url) == WAITING_FOR_ONE)
    why = "too many wait";
  else {
    struct message *m = &waiting[count++];
    snprintf(m->url, sizeof m->url, "%s", url);
    snprintf(m->action, sizeof m->action, "%s", action);
    m->body = dump_json(body, JSON_COMPACT);
    m->process = process;
    m->rule = rule;
    m->told = told;
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&lock);
  if (why != NULL) {
    add_action("rule", process, action, why);
    told(rule, why);
  }
  json_decref(body);
}

void stop_webhooks(void)
{
  pthread_mutex_lock(&lock);
  const bool ran = runs;
  const pthread_t of = thread;
  stopping = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  if (ran) pthread_join(of, NULL);
  pthread_mutex_lock(&lock);
  while (count > 0) free(waiting[--count].body);
  pthread_mutex_unlock(&lock);
}
