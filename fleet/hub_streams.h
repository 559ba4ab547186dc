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

/* The list of the streams of a hub. */

#ifndef FLEET_HUB_STREAMS_H
#define FLEET_HUB_STREAMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "hub_url.h"

/* A stream as the hub lists it; see doc/FLEET.md.  Texts belong to the list. */
struct hub_stream {
  const char *node, *stream;
  const char *state, *program;    /* "" when not known */
  int64_t pid;                    /* this and the numbers below: -1 when not
                                     known */
  int64_t events, lost, parts_dropped; /* as the agent reported */
  int64_t parts, bytes;           /* at the hub */
  int64_t last_data_ns;           /* since 1970 */
};

struct hub_streams {
  json_t *answer;
  struct hub_stream *list;        /* by node, pid and stream */
  size_t count;
};

/* Returns whether [node] is a name, and among the [count] names in [nodes], each
   with a slash at its end, or [count] is 0. */
bool is_wanted_node(const char *node, char *const *nodes, size_t count);

/* Gets the answer of the hub with its nodes, which the caller frees.  Returns
   NULL, with the reason, also when the hub does not know one of the [count] nodes
   in [nodes], each with a slash at its end. */
json_t *get_hub_nodes(const struct hub_url *url, char *const *nodes,
                      size_t count, char *why, size_t size);

/* Gets the streams of the hub, but only of the [count] nodes in [nodes], if
   [count] is not 0, each with a slash at its end.  The caller frees the list.
   Returns false with the reason. */
bool get_hub_streams(const struct hub_url *url, char *const *nodes,
                     size_t count, struct hub_streams *streams, char *why,
                     size_t size);
void free_hub_streams(struct hub_streams *streams);

#endif /* FLEET_HUB_STREAMS_H */
