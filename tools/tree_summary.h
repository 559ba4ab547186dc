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

/* The summary of a tree of processes: a line for each program that a process was,
   and their total.  A process that executes another program, or stops its
   tracing and starts it again, has several. */

#ifndef TOOLS_TREE_SUMMARY_H
#define TOOLS_TREE_SUMMARY_H

#include "summary_total.h"

struct tree_line;

/* The caller sets [json] and leaves the other members 0. */
struct tree_summary {
  bool json;                      /* it will be printed as JSON */
  struct tree_line *lines;
  size_t count, room;
  struct summary_total total;
};

/* Adds a line for the process of [s], of which the summary is complete.  The
   caller may free [s] then. */
void add_to_tree(struct tree_summary *tree, struct summary *s);

/* Returns whether the tree has a line for a session of process [pid]. */
bool pid_in_tree(const struct tree_summary *tree, int32_t pid);

/* Returns whether the tree has a line for the session of process [pid] that began
   at [started_ns]. */
bool is_in_tree(const struct tree_summary *tree, int32_t pid,
                int64_t started_ns);

/* Prints, on standard output, the processes in the order of their starts and the
   total: a table, or the JSON of `stat --all --json`. */
void print_tree(struct tree_summary *tree);

void free_tree(struct tree_summary *tree);

#endif /* TOOLS_TREE_SUMMARY_H */
