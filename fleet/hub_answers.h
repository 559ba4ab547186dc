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

/* The requests of agents and readers to a hub, and its answers.  doc/FLEET.md
   describes them. */

#ifndef FLEET_HUB_ANSWERS_H
#define FLEET_HUB_ANSWERS_H

#include <jansson.h>
#include <stdatomic.h>
#include "hub_control.h"
#include "hub_keys.h"
#include "hub_nodes.h"
#include "hub_store.h"
#include "late_gnutls.h"
#include "nats_place.h"

/* The most bytes of the body of a request, of a join, of a request for control,
   and of the answer to one. */
#define HUB_BODY_MAX ((size_t) 1 << 20)
#define HUB_JOIN_MAX ((size_t) 8192)
#define HUB_CONTROL_MAX ((size_t) 16384)
#define HUB_ANSWER_MAX ((size_t) 512 << 10)

/* The bytes that all parsed bodies take at a time, unless it is only one. */
#define HUB_PARSED ((uint64_t) 64 << 20)

struct hub {
  struct hub_store store;
  struct turns parsed;            /* the bytes of parsed bodies */
  struct hub_keys keys;
  char read_token[HUB_TOKEN_SIZE];
  char nats_secret[HUB_TOKEN_SIZE];
  struct hub_control control;
  const struct nats_place *nats;  /* where agents are asked, too; or NULL */
  /* Takes a line for the user, from any thread. */
  void (*say)(void *state, const char *line);
  void *say_state;
  _Atomic int64_t said_since_ns;  /* limits the lines of each minute */
  _Atomic unsigned said;
  _Atomic uint64_t joined, parts, bytes, refused;
};

enum hub_route {
  HUB_JOIN, HUB_REPORT, HUB_PART, HUB_NODES, HUB_PROCESSES, HUB_RECORDING,
  HUB_CONTROL, HUB_REQUESTS
};

struct hub_request {
  enum hub_route route;
  char node[NODE_SIZE];           /* of the agent, or that is asked for */
  char fingerprint[FINGERPRINT_SIZE]; /* of the key of the agent */
  char stream[STREAM_NAME_SIZE];
  uint32_t number;                /* of a part */
  uint64_t offset;
  bool last;
  int64_t since_ns;               /* of a recording: the parts that have changed
                                     since then, CLOCK_REALTIME */
};

/* [json] is NULL for the contents of the file [fd]. */
struct hub_answer {
  unsigned status;
  json_t *json;
  int fd;
  unsigned left_out;              /* parts that are not in the file */
};

/* Returns an answer with an error. */
__attribute__((format(printf, 2, 3)))
struct hub_answer hub_refusal(unsigned status, const char *format, ...);

/* Sets [request] from the head of a request; [number], offset of a part or since of
   a recording, and [last] are parameters of its address or NULL.  Returns 0, or the status of a refusal with the reason
   in *why. */
unsigned parse_hub_request(const char *method, const char *path,
                           const char *number, const char *last,
                           struct hub_request *request, const char **why);

/* Checks that the client of [session] may make the request: an agent by its
   certificate, which sets the node and the fingerprint of [request]; a reader
   or an operator by [authorization], which may be NULL.  Returns 0, or the
   status of a refusal with the reason in [text]. */
unsigned authorize_hub_request(struct hub *hub, gnutls_session_t session,
                               const char *authorization,
                               struct hub_request *request, char *text,
                               size_t size);

/* Returns the most bytes of the body of a request. */
size_t hub_body_max(enum hub_route route);

/* Returns whether a request may wait, for other requests or for an agent. */
bool hub_request_waits(enum hub_route route);

/* Answers a request that is allowed, with its whole body. */
struct hub_answer answer_hub_request(struct hub *hub,
                                     const struct hub_request *request,
                                     const char *body, size_t length);

/* Returns the answer to a report: the clocks of the hub. */
struct hub_answer hub_clocks(void);

/* Gives the user a line, unless too many came before it in this minute. */
__attribute__((format(printf, 2, 3)))
void hub_say(struct hub *hub, const char *format, ...);

#endif /* FLEET_HUB_ANSWERS_H */
