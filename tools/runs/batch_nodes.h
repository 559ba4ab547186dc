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

/* A batch on nodes: each makes its part, as batch_part.h describes, at the same time as
   the others.  The runs come back over the standard output of the command that the
   backend runs. */

#ifndef TOOLS_RUNS_BATCH_NODES_H
#define TOOLS_RUNS_BATCH_NODES_H

#include <jansson.h>
#include <stdbool.h>
#include "command.h"

/* Returns the member `nodes` of batch.json for the nodes of [names], with a seed
   for each, which [seed] and its name give. */
json_t *new_nodes(const json_t *names, uint64_t seed);

/* Returns whether the members of [batch] about nodes are as they should be, if it
   has any. */
bool are_nodes(const json_t *batch);

/* A batch that is made on nodes.  The functions get [state]. */
struct batch_on_nodes {
  const char *folder;
  json_t *batch;
  bool shows_output;
  void *state;
  bool (*save)(const void *state);           /* writes batch.json */
  void (*kept)(void *state, json_t *run);    /* the member `run` of a new run */
  void (*before_message)(const void *state);
};

/* Makes the runs of all nodes that are missing.  A node that fails does not end the
   others.  Returns the worst status of a node, with messages on failures; after
   stop_executions ends the nodes. */
enum status make_on_nodes(const struct batch_on_nodes *batch);

#endif /* TOOLS_RUNS_BATCH_NODES_H */
