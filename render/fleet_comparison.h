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

/* The processes of a fleet compared: the nodes that run a program, with the
   figures in which a node differs from the others and the facts that only this
   node has; and the versions of a program side by side.  doc/HTTP.md describes
   the JSON. */

#ifndef RENDER_FLEET_COMPARISON_H
#define RENDER_FLEET_COMPARISON_H

#include <jansson.h>
#include "process_figures.h"

/* A process; the members belong to the caller. */
struct fleet_process {
  const char *node;
  const char *program;            /* its name without folders */
  const struct process_figures *figures;
  json_t *facts;                  /* of new_process_facts */
};

/* Returns a new JSON object with the facts in the manifest and the header of the
   recording of [cursor] that are the same for all runs of a program on a
   machine: for each fact an array with its value. */
json_t *new_process_facts(struct eventring_cursor *cursor);

/* Return a new JSON array of the programs, each with its nodes and outliers, or of
   the versions of all programs.  Sort [list]. */
json_t *compare_nodes(struct fleet_process *list, size_t count);
json_t *compare_versions(struct fleet_process *list, size_t count);

#endif /* RENDER_FLEET_COMPARISON_H */
