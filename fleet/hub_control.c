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

/* See hub_control.h. */

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "hub_control.h"
#include "locks.h"
#include "target.h"

#define SECOND_NS INT64_C(1000000000)

/* In the frame of ask_node, or of begin_other_request. */
struct hub_asked {
  struct hub_asked *next;
  char id[HUB_TOKEN_SIZE];
  const char *node;
  const json_t *request;
  bool fetched;
  int64_t until_ns;
  json_t *answer;                 /* NULL: none yet */
};

/* In the frame of next_request. */
struct hub_taker {
  struct hub_taker *next;
  const char *node;
  bool replaced;                  /* by another one for the same node */
};

struct hub_reported {
  struct hub_reported *next;
  char node[NODE_SIZE];
  enum hub_permission permission;
  int64_t at_ns;
};

void open_hub_control(struct hub_control *c)
{
  pthread_condattr_t attributes;
  *c = (struct hub_control) { .fetch_ns = HUB_FETCH_NS,
                              .answer_ns = HUB_ANSWER_NS,
                              .idle_ns = HUB_IDLE_NS };
  pthread_mutex_init(&c->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&c->changed, &attributes);
  pthread_condattr_destroy(&attributes);
}

void end_hub_control(struct hub_control *c)
{
  pthread_mutex_lock(&c->lock);
  c->ended = true;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->lock);
}

void close_hub_control(struct hub_control *c)
{
  while (c->reported != NULL) {
    struct hub_reported *r = c->reported;
    c->reported = r->next;
    free(r);
  }
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->lock);
}

/* Waits for a change until [until_ns], with the lock held. */
NO_THREAD_SAFETY_ANALYSIS
static void wait_until(struct hub_control *c, int64_t until_ns)
{
  const struct timespec until = { .tv_sec = until_ns / SECOND_NS,
                                  .tv_nsec = until_ns % SECOND_NS };
  pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

/* Reports */

static struct hub_reported *find_reported(const struct hub_control *c,
                                          const char *node)
{
  struct hub_reported *r = c->reported;
  while (r != NULL && strcmp(r->node, node) != 0) r = r->next;
  return r;
}

void note_permission(struct hub_control *c, const char *node,
                     enum hub_permission permission)
{
  pthread_mutex_lock(&c->lock);
  struct hub_reported *r = find_reported(c, node);
  if (r == NULL && strlen(node) < sizeof r->node
      && (r = calloc(1, sizeof *r)) != NULL) {
    strcpy(r->node, node);
    r->next = c->reported;
    c->reported = r;
  }
  if (r != NULL) {
    r->permission = permission;
    r->at_ns = monotonic_ns();
  }
  pthread_mutex_unlock(&c->lock);
}

enum hub_permission permission_of(struct hub_control *c, const char *node)
{
  pthread_mutex_lock(&c->lock);
  const struct hub_reported *r = find_reported(c, node);
  const enum hub_permission permission =
    r == NULL || monotonic_ns() - r->at_ns > HUB_AWAY_NS ? HUB_AWAY
                                                         : r->permission;
  pthread_mutex_unlock(&c->lock);
  return permission;
}

/* Senders */

/* Returns whether one more request to [node] may wait. */
static bool has_room(const struct hub_control *c, const char *node)
{
  unsigned of_node = 0;
  for (const struct hub_asked *a = c->asked; a != NULL; a = a->next)
    of_node += strcmp(a->node, node) == 0;
  return c->count < HUB_ASKED && of_node < HUB_ASKED_OF_NODE;
}

static void add(struct hub_control *c, struct hub_asked *a)
{
  struct hub_asked **at = &c->asked;
  while (*at != NULL) at = &(*at)->next;
  *at = a;
  c->count++;
}

static void take_out(struct hub_control *c, const struct hub_asked *a)
{
  struct hub_asked **at = &c->asked;
  while (*at != a) at = &(*at)->next;
  *at = a->next;
  c->count--;
}

enum ask_result ask_node(struct hub_control *c, const char *node,
                         const json_t *request, json_t **answer)
{
  struct hub_asked a = { .node = node, .request = request,
                         .until_ns = monotonic_ns() + c->fetch_ns };
  *answer = NULL;
  if (!make_hub_token(a.id)) return ASK_FULL;
  pthread_mutex_lock(&c->lock);
  if (!has_room(c, node)) {
    pthread_mutex_unlock(&c->lock);
    return ASK_FULL;
  }
  add(c, &a);
  pthread_cond_broadcast(&c->changed);
  while (a.answer == NULL && !c->ended && monotonic_ns() < a.until_ns)
    wait_until(c, a.until_ns);
  take_out(c, &a);
  pthread_mutex_unlock(&c->lock);
  *answer = a.answer;
  return a.answer != NULL ? ASK_ANSWERED
         : a.fetched ? ASK_NOT_ANSWERED : ASK_NOT_FETCHED;
}

struct hub_asked *begin_other_request(struct hub_control *c, const char *node)
{
  struct hub_asked *a = calloc(1, sizeof *a);
  if (a == NULL || !make_hub_token(a->id)) {
    free(a);
    return NULL;
  }
  a->node = node;
  a->fetched = true;
  pthread_mutex_lock(&c->lock);
  const bool room = has_room(c, node);
  if (room) add(c, a);
  pthread_mutex_unlock(&c->lock);
  if (room) return a;
  free(a);
  return NULL;
}

void end_other_request(struct hub_control *c, struct hub_asked *a)
{
  pthread_mutex_lock(&c->lock);
  take_out(c, a);
  pthread_mutex_unlock(&c->lock);
  free(a);
}

bool hub_control_ended(struct hub_control *c)
{
  pthread_mutex_lock(&c->lock);
  const bool ended = c->ended;
  pthread_mutex_unlock(&c->lock);
  return ended;
}

/* Agents */

/* Makes the agents that wait for requests to [node] stop that: they are gone, or
   the hub would give requests to a connection that is. */
static void replace_takers(struct hub_control *c, const char *node)
{
  for (struct hub_taker *t = c->takers; t != NULL; t = t->next)
    if (strcmp(t->node, node) == 0) t->replaced = true;
  pthread_cond_broadcast(&c->changed);
}

static void add_taker(struct hub_control *c, struct hub_taker *t)
{
  t->next = c->takers;
  c->takers = t;
}

static void remove_taker(struct hub_control *c, const struct hub_taker *t)
{
  struct hub_taker **at = &c->takers;
  while (*at != t) at = &(*at)->next;
  *at = t->next;
}

/* Returns a copy of the oldest request to [node] that was not fetched, which now
   is; NULL when none waits. */
static json_t *fetch(struct hub_control *c, const char *node)
{
  for (struct hub_asked *a = c->asked; a != NULL; a = a->next) {
    if (a->fetched || strcmp(a->node, node) != 0) continue;
    json_t *copy = json_deep_copy(a->request);
    if (copy == NULL
        || json_object_set_new(copy, "id", json_string(a->id)) < 0) {
      json_decref(copy);
      return NULL;
    }
    a->fetched = true;
    a->until_ns = monotonic_ns() + c->answer_ns;
    pthread_cond_broadcast(&c->changed);
    return copy;
  }
  return NULL;
}

json_t *next_request(struct hub_control *c, const char *node)
{
  struct hub_taker t = { .node = node };
  const int64_t until_ns = monotonic_ns() + c->idle_ns;
  json_t *request;
  pthread_mutex_lock(&c->lock);
  replace_takers(c, node);
  add_taker(c, &t);
  while ((request = fetch(c, node)) == NULL && !t.replaced && !c->ended
         && monotonic_ns() < until_ns)
    wait_until(c, until_ns);
  remove_taker(c, &t);
  pthread_mutex_unlock(&c->lock);
  return request;
}

void give_answer(struct hub_control *c, const char *node, const char *id,
                 json_t *answer)
{
  pthread_mutex_lock(&c->lock);
  struct hub_asked *a = c->asked;
  while (a != NULL && (strcmp(a->id, id) != 0 || strcmp(a->node, node) != 0))
    a = a->next;
  if (a != NULL && a->fetched && a->answer == NULL) {
    a->answer = answer;
    answer = NULL;
    pthread_cond_broadcast(&c->changed);
  }
  pthread_mutex_unlock(&c->lock);
  json_decref(answer);
}
