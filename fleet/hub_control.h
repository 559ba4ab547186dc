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

/* Requests for control at a hub: they wait until the agent of their node fetches
   them, and their senders wait until it has answered.

   A request is given to an agent at most once.  It is dropped when no agent has
   fetched it in time, and its answer when the sender has stopped waiting.  All
   functions are for any thread. */

#ifndef FLEET_HUB_CONTROL_H
#define FLEET_HUB_CONTROL_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "hub_keys.h"

/* The most requests that wait at a time, of all nodes and of one. */
#define HUB_ASKED 64
#define HUB_ASKED_OF_NODE 8

/* How long a request waits for an agent, how long its sender then waits for the
   answer, and how long an agent waits for a request. */
#define HUB_FETCH_NS INT64_C(10000000000)
#define HUB_ANSWER_NS INT64_C(15000000000)
#define HUB_IDLE_NS INT64_C(20000000000)

/* A node without a report for so long is away. */
#define HUB_AWAY_NS INT64_C(10000000000)

struct hub_asked;
struct hub_taker;
struct hub_reported;

struct hub_control {
  pthread_mutex_t lock;           /* of all below */
  pthread_cond_t changed;
  int64_t fetch_ns, answer_ns, idle_ns;
  bool ended;
  unsigned count;                 /* of [asked], and of other requests */
  struct hub_asked *asked;
  struct hub_taker *takers;       /* agents that wait */
  struct hub_reported *reported;
};

void open_hub_control(struct hub_control *c);

/* Ends all waits, present and later ones. */
void end_hub_control(struct hub_control *c);
void close_hub_control(struct hub_control *c);

/* The last report of a node about control. */
enum hub_permission {
  HUB_AWAY,                       /* no report lately */
  HUB_CLOSED,                     /* the agent does not allow control */
  HUB_OPEN,                       /* it allows control, and fetches requests */
  HUB_OPEN_NATS                   /* it allows control, and takes them by NATS */
};

/* Notes that the agent of [node] has reported [permission]. */
void note_permission(struct hub_control *c, const char *node,
                     enum hub_permission permission);
enum hub_permission permission_of(struct hub_control *c, const char *node);

enum ask_result {
  ASK_ANSWERED,
  ASK_FULL,                       /* too many requests wait */
  ASK_NOT_FETCHED,                /* the agent has not fetched it */
  ASK_NOT_ANSWERED                /* the agent has fetched it, no more is known */
};

/* Gives [request] to the agent of [node], and sets *answer to its answer, which
   the caller frees. */
enum ask_result ask_node(struct hub_control *c, const char *node,
                         const json_t *request, json_t **answer);

/* Counts one more request to [node], which must stay valid, that goes another way,
   until it has ended.  Returns NULL when too many wait, or without memory. */
struct hub_asked *begin_other_request(struct hub_control *c, const char *node);
void end_other_request(struct hub_control *c, struct hub_asked *asked);

/* Returns whether all waits are to end. */
bool hub_control_ended(struct hub_control *c);

/* Waits for a request to [node], and returns a copy with its id, which the caller
   frees; NULL when there was none in time, or another agent of the node has
   begun to wait. */
json_t *next_request(struct hub_control *c, const char *node);

/* Gives [answer] to the sender of the request [id] to [node], if it still waits;
   takes over the reference to [answer]. */
void give_answer(struct hub_control *c, const char *node, const char *id,
                 json_t *answer);

#endif /* FLEET_HUB_CONTROL_H */
