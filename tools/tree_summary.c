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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "all_processes.h"
#include "columns.h"
#include "json.h"
#include "summary_text.h"
#include "text.h"
#include "tree_summary.h"

struct tree_line {
  int32_t pid;
  int64_t started_ns;
  char program[256];
  int state;
  struct summary_tally tally;
  uint64_t pauses, longest_ns;
  uint64_t lost;
  const char *at_most;            /* the same for all cursors of a kind */
  char *json;                     /* the summary, one line; NULL: not wanted */
};

void add_to_tree(struct tree_summary *tree, struct summary *s)
{
  const struct summary_numbers *n = summary_numbers(s);
  const struct eventring_info info = target_info(n->cursor);
  struct process_label label;
  struct tree_line line = {
    .pid = info.pid, .started_ns = info.started_ns,
    .state = eventring_state(n->cursor),
    .tally = summary_tally(s, NULL, summary_until(s)),
    .pauses = n->pauses[PAUSE_ANY].count,
    .longest_ns = n->pauses[PAUSE_ANY].max,
    .lost = lost_events(n->cursor), .at_most = at_most(n->cursor)
  };
  describe_process(&label, n->cursor);
  snprintf(line.program, sizeof line.program, "%s", label.program);
  if (tree->json) {
    json_t *object = json_summary(s);
    json_label(object, &label);
    line.json = dump_json(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(object);
  }
  add_to_total(&tree->total, s);
  tree->lines = with_room(tree->lines, tree->count, &tree->room,
                          sizeof *tree->lines);
  tree->lines[tree->count++] = line;
}

bool pid_in_tree(const struct tree_summary *tree, int32_t pid)
{
  for (size_t i = 0; i < tree->count; i++)
    if (tree->lines[i].pid == pid) return true;
  return false;
}

bool is_in_tree(const struct tree_summary *tree, int32_t pid,
                int64_t started_ns)
{
  for (size_t i = tree->count; i-- > 0;)
    if (tree->lines[i].pid == pid && tree->lines[i].started_ns == started_ns)
      return true;
  return false;
}

/* Compares two lines for qsort, for an order by start, then by pid. */
static int by_start(const void *left, const void *right)
{
  const struct tree_line *a = left, *b = right;
  int order = (a->started_ns > b->started_ns) - (a->started_ns < b->started_ns);
  return order != 0 ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

enum { PID, PROGRAM, STATE, MINOR, MAJOR, ALLOCATED, PROMOTED, PAUSES_OF, LONGEST,
       EVENTS, LOST, COLUMNS };
static const char *const titles[COLUMNS] = {
  "pid", "program", "state", "minor", "major", "allocated", "promoted",
  "pauses", "longest", "events", "lost" };

static void print_table(const struct tree_summary *tree)
{
  struct columns *table = new_columns(titles, COLUMNS);
  char text[QUANTITY_SIZE];
  for (size_t i = 0; i < tree->count; i++) {
    const struct tree_line *line = &tree->lines[i];
    const struct summary_tally *t = &line->tally;
    add_line(table);
    set_column(table, PID, "%" PRId32, line->pid);
    if (line->program[0] != '\0')
      set_column(table, PROGRAM, "%s", line->program);
    set_column(table, STATE, "%s", state_name(line->state));
    set_column(table, MINOR, "%" PRIu64, t->minor_collections);
    set_column(table, MAJOR, "%" PRIu64, t->major_cycles);
    set_column(table, ALLOCATED, "%s",
               format_bytes(text, 8 * all_allocated_words(t)));
    set_column(table, PROMOTED, "%s",
               format_bytes(text, 8 * t->promoted_words));
    set_column(table, PAUSES_OF, "%" PRIu64, line->pauses);
    if (line->pauses > 0)
      set_column(table, LONGEST, "%s", format_duration(text, line->longest_ns));
    set_column(table, EVENTS, "%" PRIu64, t->events);
    set_column(table, LOST, "%s%" PRIu64, line->lost > 0 ? line->at_most : "",
               line->lost);
  }
  print_lines(table);
}

void print_tree(struct tree_summary *tree)
{
  qsort(tree->lines, tree->count, sizeof *tree->lines, by_start);
  if (tree->json) {
    for (size_t i = 0; i < tree->count; i++) puts(tree->lines[i].json);
    print_json(json_total(&tree->total), true);
  } else {
    print_table(tree);
    putchar('\n');
    print_total(&tree->total);
  }
}

void free_tree(struct tree_summary *tree)
{
  for (size_t i = 0; i < tree->count; i++) free(tree->lines[i].json);
  free(tree->lines);
}
