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

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "address.h"
#include "all_processes.h"
#include "hub_target.h"
#include "json.h"
#include "processes.h"
#include "targets.h"
#include "text.h"

/* Opening */

/* Opens each running process that find_processes finds in [dir] as a source.
   Ends the program with a message when there is none that can be opened. */
static void open_running(struct all_processes *all, const char *dir)
{
  size_t found;
  struct eventring_process *list = find_processes(dir, &found);
  for (size_t i = 0; i < found; i++) {
    char why[512];
    if (!list[i].alive) continue;
    struct eventring_cursor *cursor =
      open_process(&list[i], (struct eventring_options) { .changes = 1 }, why,
                   sizeof why);
    if (cursor == NULL) {
      complain("%s", why);
      all->status = STATUS_CANNOT_READ;
    } else
      all->sources = add_source(all->sources, all->count++, cursor);
  }
  free(list);
  if (all->count == 0)
    exit(all->status != STATUS_OK ? all->status : no_process_to("show", dir));
}

/* Opens the operands of the command line, and without operands all running
   processes. */
static void open_sources(struct all_processes *all,
                         const struct command *command, int argc, char **argv,
                         const char *dir)
{
  for (int i = optind; i < argc; i++)
    if (is_stream(argv[i])) {
      complain("%s: a stream has one process; --all takes files and process ids",
               argv[i]);
      exit(STATUS_CANNOT_READ);
    }
  if (optind >= argc && has_hub_option())
    usage_error(command, "%s: missing processes (eventring ps --hub lists them)",
                command->name);
  if (optind < argc)
    all->count = open_targets(command, argc, argv, dir, &all->sources);
  else
    open_running(all, dir);
}

/* Returns a new text: [text] escaped for a column. */
static char *column_text(const char *text)
{
  char *escaped = escape_text(text, TEXT_COLUMN);
  if (escaped == NULL) {
    complain("not enough memory");
    exit(STATUS_CANNOT_READ);
  }
  return escaped;
}

/* Returns a new text "PID PROGRAM", escaped for a column. */
static char *process_text(const struct process_label *label)
{
  char text[sizeof label->program + 16];
  snprintf(text, sizeof text, "%" PRId32 "%s%s", label->pid,
           label->program[0] != '\0' ? " " : "", label->program);
  return column_text(text);
}

void describe_process(struct process_label *label,
                      struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  const char *slash = strrchr(info.program, '/');
  *label = (struct process_label) { .pid = info.pid };
  snprintf(label->program, sizeof label->program, "%s",
           slash != NULL ? slash + 1 : info.program);
  /* A hub has its own names of the machines. */
  const char *target = shown_path(cursor);
  if (target != eventring_path(cursor))
    snprintf(label->node, sizeof label->node, "%.*s",
             (int) strcspn(target, "/"), target);
  else
    manifest_host(cursor, label->node);
}

/* Sets the name of [label], which describes the process of [cursor]. */
static void set_name(struct process_label *label,
                     struct eventring_cursor *cursor)
{
  const char *path = shown_path(cursor);
  char *process = process_text(label);
  const size_t size = strlen(path) + strlen(process) + 16;
  label->name = allocate(size, 1);
  snprintf(label->name, size, "%s: process %s", path, process);
  free(process);
}

/* Sets the columns of all labels.  [nodes] and [processes] have their texts,
   and are freed. */
static void align_columns(struct all_processes *all, char **nodes,
                          char **processes)
{
  int widest = 0, widest_node = 0;
  for (int i = 0; i < all->count; i++) {
    const int width = (int) strlen(processes[i]), node = (int) strlen(nodes[i]);
    if (width > widest) widest = width;
    if (node > widest_node) widest_node = node;
  }
  for (int i = 0; i < all->count; i++) {
    const size_t size = (size_t) widest + (size_t) widest_node + 3;
    char *columns = allocate(size, 1);
    if (all->several_nodes)
      snprintf(columns, size, "%-*s  %-*s", widest_node, nodes[i], widest,
               processes[i]);
    else
      snprintf(columns, size, "%-*s", widest, processes[i]);
    all->labels[i].columns = columns;
    free(nodes[i]);
    free(processes[i]);
  }
}

static void fill_labels(struct all_processes *all)
{
  all->labels = allocate((size_t) all->count, sizeof *all->labels);
  char **nodes = allocate((size_t) all->count, sizeof *nodes),
    **processes = allocate((size_t) all->count, sizeof *processes);
  for (int i = 0; i < all->count; i++) {
    struct process_label *label = &all->labels[i];
    struct source *source = &all->sources[i];
    describe_process(label, source->cursor);
    set_name(label, source->cursor);
    label->process = all->sources[i].process;
    source->name = label->name;
    source->same_file = i > 0
      && strcmp(eventring_path(source->cursor),
                eventring_path(all->sources[i - 1].cursor)) == 0;
    if (strcmp(label->node, all->labels[0].node) != 0)
      all->several_nodes = true;
    processes[i] = process_text(label);
    nodes[i] = column_text(label->node[0] != '\0' ? label->node : "-");
  }
  align_columns(all, nodes, processes);
  free(nodes);
  free(processes);
}

struct all_processes open_processes(const struct command *command, int argc,
                                    char **argv, const char *dir, bool wanted)
{
  struct all_processes all = { .status = STATUS_OK };
  if (wanted) {
    open_sources(&all, command, argc, argv, dir);
    fill_labels(&all);
  } else
    all.sources = add_source(NULL, all.count++,
                             open_target(command, argc, argv, dir, false));
  all.started_ns = INT64_MAX;
  for (int i = 0; i < all.count; i++) {
    const struct source *source = &all.sources[i];
    int64_t ns = time_after(target_info(source->cursor).started_ns,
                            source->shift_ns);
    if (ns < all.started_ns) all.started_ns = ns;
  }
  return all;
}

void close_processes(struct all_processes *all)
{
  for (int i = 0; i < all->count && all->labels != NULL; i++) {
    free(all->labels[i].columns);
    free(all->labels[i].name);
  }
  free(all->labels);
  close_targets(all->sources, all->count);
}

/* Output */

static json_t *text_or_null(const char *text)
{
  return text[0] != '\0' ? json_text(text) : json_null();
}

void json_label(json_t *object, const struct process_label *label)
{
  if (label == NULL) return;
  json_object_set_new(object, "pid", json_integer(label->pid));
  json_object_set_new(object, "program", text_or_null(label->program));
  json_object_set_new(object, "node", text_or_null(label->node));
}

void print_section(const struct all_processes *all, int which, bool first)
{
  if (all->labels == NULL) return;
  if (!first) putchar('\n');
  if (!all->several_nodes) return;
  const char *node = all->labels[which].node;
  if (node[0] == '\0') node = "-";
  fputs("node ", stdout);
  print_text(stdout, node, strlen(node), TEXT_LINE);
  putchar('\n');
}

void note_lost(const struct all_processes *all)
{
  for (int i = 0; i < all->count; i++) {
    struct eventring_cursor *cursor = all->sources[i].cursor;
    uint64_t lost = lost_events(cursor);
    if (lost > 0)
      note("%s: %s%" PRIu64 " %s overwritten before they could be read",
           all->labels != NULL ? all->labels[i].name : shown_path(cursor),
           at_most(cursor), lost, lost == 1 ? "event was" : "events were");
  }
}

/* Reading */

static bool pass(void *state, bool idle)
{
  (void) state;
  (void) idle;
  return output_works();
}

/* Reads [count] sources from number [from] on, and shows their processes. */
static enum status read_some(const struct all_processes *all, int from,
                             int count, const struct each *each, bool follow)
{
  enum status failed = STATUS_OK;
  struct source *sources = all->sources + from;
  for (int i = 0; i < count; i++)
    sources[i].state = each->begin(each->command, all, from + i);
  enum status status = read_sources(sources, count, &(struct reading) {
    .follow = follow, .changes = true, .open_spans = each->open_spans,
    .event = each->event,
    .quiet = each->quiet, .pass = pass
  });
  for (int i = 0; i < count; i++) {
    enum status ended = each->end(each->command, all, from + i,
                                  sources[i].state);
    if (ended != STATUS_OK) failed = ended;
  }
  return failed != STATUS_OK ? failed : status;
}

enum status read_each(struct all_processes *all, const struct each *each,
                      bool follow)
{
  if (follow) {
    enum status status = read_some(all, 0, all->count, each, true);
    return status != STATUS_OK ? status : all->status;
  }
  enum status status = all->status;
  for (int i = 0; i < all->count && output_works(); i++) {
    enum status read = read_some(all, i, 1, each, false);
    if (status == STATUS_OK || read == STATUS_CANNOT_WRITE) status = read;
    eventring_close(all->sources[i].cursor);
    all->sources[i].cursor = NULL;
  }
  return status;
}
