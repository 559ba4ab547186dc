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

/* Groups of runs to be compared: the runs of one command of a batch, or a single
   run. */

#ifndef TOOLS_RUNS_GROUPS_H
#define TOOLS_RUNS_GROUPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "facts.h"
#include "runs/figures.h"

/* Runs with a flaw: how many, and an example of it. */
struct flaw { size_t runs; char example[512]; };

/* [figures] and [metrics] are arrays of [count] runs that can be compared; failed
   ones and unreadable files are left out. */
struct run_group {
  char *name;
  char folder[PATH_MAX];          /* with the files of the runs */
  json_int_t command;             /* from 1 */
  uint32_t number;                /* of a single run; 0: all of the command */
  bool recorded;                  /* the runs are recordings of processes, and
                                     amounts of work are by second */
  struct run_figures *figures;
  struct run_metrics *metrics;
  size_t count, room;
  char started[40];               /* of the first run in [figures], UTC, as in its
                                     file; "" if it is not known */
  json_t *facts;
  json_t *nodes;                  /* the facts of each node with a run in [figures], by
                                     its name; no member: not on nodes */
  json_t *node_numbers;           /* of all groups: the number of each node, from 1,
                                     by its name */
  struct flaw failed, unreadable, changed;
  size_t lossy, untraced;         /* runs that lost events, that wrote none */
  uint64_t lost_events;
};

struct run_groups {
  struct run_group *list;
  size_t count, room;
  json_t *node_numbers;
};

/* Adds the groups that [operand] names: a batch, by its folder or its name in
   the store [store]; BATCH:LABEL; or the file of a run.  Returns false, with a
   message, when there is no such thing, or a group is given twice. */
bool add_groups(struct run_groups *groups, const char *store,
                const char *operand);

/* Adds a group of recorded processes called [name], whose runs the caller adds with
   add_recorded.  Returns the group, which is valid until the next group is added;
   NULL, with a message, when the group is given twice. */
struct run_group *add_recorded_group(struct run_groups *groups,
                                     const char *name);

/* Adds a process with the figures [figures], which then belong to the group. */
void add_recorded(struct run_group *group, struct run_figures figures);

/* Adds a recording that cannot be read, for the reason [why]. */
void add_unreadable(struct run_group *group, const char *why);

/* Reads and verifies the runs of all groups that are no recordings. */
void read_groups(struct run_groups *groups);

/* Returns whether all groups are commands of one batch, so that runs of the same
   round are pairs. */
bool have_rounds(const struct run_groups *groups);

/* Returns whether [a] and [b] have runs on the same node. */
bool share_nodes(const struct run_group *a, const struct run_group *b);

/* Returns the facts of the runs of [a] that are compared with [b]: of the nodes that both
   have, or of all runs if there are none.  The caller calls json_decref. */
json_t *facts_for(const struct run_group *a, const struct run_group *b);

/* Returns a new JSON array of warnings, texts of one line: reasons to doubt
   single groups, and the comparison of each group with the first. */
json_t *group_warnings(const struct run_groups *groups);

/* Adds a warning, a text of one line, to [array]. */
__attribute__((format(printf, 2, 3)))
void add_warning(json_t *array, const char *format, ...);

void free_groups(struct run_groups *groups);

#endif /* TOOLS_RUNS_GROUPS_H */
