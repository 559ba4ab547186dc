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

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "json.h"
#include "runs/batch.h"
#include "runs/functions.h"
#include "runs/groups.h"
#include "runs/run_file.h"

/* Operands */

/* Sets [resolved] to [path] without links, or to [path] itself. */
static void resolve(char resolved[PATH_MAX], const char *path)
{
  if (realpath(path, resolved) == NULL)
    snprintf(resolved, PATH_MAX, "%s", path);
}

/* Adds the group [name] of the command [command], or of the single run
   [number], in [folder].  Takes [name].  Returns false, with a message, when
   [groups] has the group already. */
static bool add_group(struct run_groups *groups, char *name, const char *folder,
                      json_int_t command, uint32_t number)
{
  struct run_group group = { .name = name, .command = command,
                             .number = number, .facts = json_object(),
                             .nodes = json_object() };
  if (name == NULL) out_of_memory();
  if (groups->node_numbers == NULL) groups->node_numbers = json_object();
  group.node_numbers = groups->node_numbers;
  resolve(group.folder, folder);
  for (size_t i = 0; i < groups->count; i++) {
    const struct run_group *other = &groups->list[i];
    if (strcmp(other->folder, group.folder) != 0 || other->command != command
        || other->number != number)
      continue;
    complain("%s is given twice", name);
    json_decref(group.facts);
    json_decref(group.nodes);
    free(name);
    return false;
  }
  groups->list = with_room(groups->list, groups->count, &groups->room,
                           sizeof *groups->list);
  groups->list[groups->count++] = group;
  return true;
}

static const char *label_of(const json_t *batch, size_t command)
{
  const char *label = json_string_value(json_object_get(
    json_array_get(json_object_get(batch, "commands"), command), "label"));
  return label != NULL ? label : "?";
}

/* Adds a group for each command of [batch], in [folder]. */
static bool add_commands(struct run_groups *groups, const char *operand,
                         const char *folder, const json_t *batch)
{
  size_t commands = json_array_size(json_object_get(batch, "commands"));
  for (size_t i = 0; i < commands; i++) {
    char *name;
    if (asprintf(&name, "%s:%s", operand, label_of(batch, i)) < 0)
      out_of_memory();
    if (!add_group(groups, name, folder, (json_int_t) i + 1, 0)) return false;
  }
  return true;
}

/* Adds the group of the command [label] of [batch], in [folder]. */
static bool add_label(struct run_groups *groups, const char *operand,
                      const char *label, const char *folder,
                      const json_t *batch)
{
  size_t commands = json_array_size(json_object_get(batch, "commands"));
  for (size_t i = 0; i < commands; i++)
    if (strcmp(label_of(batch, i), label) == 0)
      return add_group(groups, strdup(operand), folder, (json_int_t) i + 1, 0);
  complain("batch %s has no command labelled '%s'; its first one is "
           "'%s'", folder, label, label_of(batch, 0));
  return false;
}

/* Adds the group of the single run at [path]. */
static bool add_run(struct run_groups *groups, const char *path)
{
  char folder[PATH_MAX], why[512];
  const char *slash = strrchr(path, '/');
  json_t *run = read_run_head(path, why, sizeof why);
  if (run == NULL) {
    complain("%s", why);
    return false;
  }
  snprintf(folder, sizeof folder, "%.*s",
           slash != NULL ? (int) (slash - path + 1) : 1,
           slash != NULL ? path : ".");
  json_int_t command = json_integer_value(json_object_get(run, "command"));
  json_decref(run);
  return add_group(groups, strdup(path), folder, command,
                   run_number(slash != NULL ? slash + 1 : path));
}

/* Adds the group of [operand] if it is BATCH:LABEL, and sets *added.  Returns
   whether a part of it before a colon is a batch. */
static bool try_label(struct run_groups *groups, const char *store,
                      const char *operand, bool *added)
{
  for (const char *colon = strchr(operand, ':'); colon != NULL;
       colon = strchr(colon + 1, ':')) {
    char name[PATH_MAX], folder[PATH_MAX], why[512];
    snprintf(name, sizeof name, "%.*s", (int) (colon - operand), operand);
    batch_folder(folder, store, name);
    json_t *batch = read_batch(folder, why, sizeof why);
    if (batch == NULL) continue;
    *added = add_label(groups, operand, colon + 1, folder, batch);
    json_decref(batch);
    return true;
  }
  return false;
}

bool add_groups(struct run_groups *groups, const char *store,
                const char *operand)
{
  char folder[PATH_MAX], why[512];
  const char *slash = strrchr(operand, '/');
  bool added = false;
  if (run_number(slash != NULL ? slash + 1 : operand) > 0)
    return add_run(groups, operand);
  batch_folder(folder, store, operand);
  json_t *batch = read_batch(folder, why, sizeof why);
  if (batch != NULL) {
    added = add_commands(groups, operand, folder, batch);
    json_decref(batch);
  } else if (!try_label(groups, store, operand, &added))
    complain("%s", why);
  return added;
}

struct run_group *add_recorded_group(struct run_groups *groups,
                                     const char *name)
{
  if (!add_group(groups, strdup(name), name, 0, 0)) return NULL;
  struct run_group *group = &groups->list[groups->count - 1];
  group->recorded = true;
  return group;
}

/* Reading */

static void note_flaw(struct flaw *flaw, uint32_t number, const char *what)
{
  if (flaw->runs++ > 0) return;
  snprintf(flaw->example, sizeof flaw->example, "run %" PRIu32 ": %.400s",
           number, what);
}

/* A run that check_run verifies, for the group it belongs to. */
struct checked { struct run_group *group; uint32_t number; bool noted; };

static void note_change(void *state, const char *what)
{
  struct checked *checked = state;
  if (!checked->noted)
    note_flaw(&checked->group->changed, checked->number, what);
  checked->noted = true;
}

/* Notes when a run of [group] began: the earliest time counts. */
static void note_start(struct run_group *group, const json_t *process)
{
  const char *text = json_string_value(json_object_get(process, "started"));
  if (text == NULL || strlen(text) >= sizeof group->started) return;
  if (group->started[0] == '\0' || strcmp(text, group->started) < 0)
    snprintf(group->started, sizeof group->started, "%s", text);
}

/* Notes the events that [run] lost, or that it wrote none. */
static void note_recordings(struct run_group *group, const json_t *run)
{
  const json_t *recordings = json_object_get(json_object_get(run, "manifest"),
                                             "recordings");
  uint64_t lost = 0;
  for (size_t i = 0; i < json_array_size(recordings); i++) {
    json_int_t events = json_integer_value(
      json_object_get(json_array_get(recordings, i), "lost_events"));
    if (events > 0) lost += (uint64_t) events;
  }
  group->lossy += lost > 0;
  group->lost_events += lost;
  group->untraced += json_array_size(recordings) == 0;
}

/* Returns the number of the node [name]; 0 for NULL. */
static size_t node_number(const struct run_group *group, const char *name)
{
  if (name == NULL) return 0;
  if (json_object_get(group->node_numbers, name) == NULL)
    json_object_set_new(group->node_numbers, name, json_integer(
      (json_int_t) json_object_size(group->node_numbers) + 1));
  return (size_t) json_integer_value(json_object_get(group->node_numbers, name));
}

/* Adds the facts of [manifest], of a run on the node [name], if that is not NULL. */
static void add_node_facts(struct run_group *group, const char *name,
                           json_t *manifest)
{
  if (name == NULL) return;
  if (json_object_get(group->nodes, name) == NULL)
    json_object_set_new(group->nodes, name, json_object());
  add_manifest(json_object_get(group->nodes, name), manifest);
}

/* Adds a run with the figures [figures], of the round [round] of its batch, on the
   node with the number [node]. */
static void add_figures(struct run_group *group, struct run_figures figures,
                        json_int_t round, size_t node)
{
  if (group->count == group->room) {
    size_t room = group->room;
    group->figures = with_room(group->figures, group->count, &room,
                               sizeof *group->figures);
    group->metrics = with_room(group->metrics, group->count, &group->room,
                               sizeof *group->metrics);
  }
  group->figures[group->count] = figures;
  group->metrics[group->count].node = node;
  group->metrics[group->count++].round = round;
}

void add_recorded(struct run_group *group, struct run_figures figures)
{
  add_figures(group, figures, 0, 0);
}

void add_unreadable(struct run_group *group, const char *why)
{
  if (group->unreadable.runs++ > 0) return;
  snprintf(group->unreadable.example, sizeof group->unreadable.example,
           "%.400s", why);
}

static void take_run(struct run_group *group, uint32_t number, json_t *run)
{
  char path[PATH_MAX + 32], why[512];
  const json_t *process = json_object_get(run, "run");
  const char *node = json_string_value(json_object_get(process, "node"));
  run_path(path, group->folder, number, "json");
  check_run(path, note_change, &(struct checked) { group, number, false }, why,
            sizeof why);
  add_manifest(group->facts, json_object_get(run, "manifest"));
  if (json_is_true(json_object_get(process, "failed"))) {
    const json_t *code = json_object_get(process, "exit_code");
    snprintf(why, sizeof why, json_is_integer(code) ? "exit code %d"
             : "ended by signal %d", (int) json_integer_value(
               json_is_integer(code) ? code
               : json_object_get(process, "signal")));
    note_flaw(&group->failed, number, why);
    return;
  }
  add_node_facts(group, node, json_object_get(run, "manifest"));
  note_start(group, process);
  note_recordings(group, run);
  struct run_figures figures = run_figures(run);
  add_functions(&figures, group->folder,
                json_object_get(json_object_get(run, "manifest"),
                                "recordings"));
  add_figures(group, figures,
              json_integer_value(json_object_get(process, "round")),
              node_number(group, node));
}

/* Returns whether [group] may have the run [number] in [folder]. */
static bool may_have(const struct run_group *group, const char *folder,
                     uint32_t number)
{
  return strcmp(group->folder, folder) == 0
         && (group->number == 0 || group->number == number);
}

/* Reads the run [number] in the folder of the first of [count] groups. */
static void read_number(struct run_group *groups, size_t count, uint32_t number)
{
  const char *folder = groups[0].folder;
  char path[PATH_MAX + 32], why[512];
  run_path(path, folder, number, "json");
  json_t *run = read_run(path, why, sizeof why);
  if (run == NULL) {
    note_flaw(&groups[0].unreadable, number, why);
    return;
  }
  json_int_t command = json_integer_value(
    json_object_get(json_object_get(run, "run"), "command"));
  for (size_t k = 0; k < count; k++)
    if (may_have(&groups[k], folder, number) && groups[k].command == command)
      take_run(&groups[k], number, run);
  json_decref(run);
}

/* Reads the runs in the folder of the first of [count] groups, for all groups
   with this folder. */
static void read_folder(struct run_group *groups, size_t count)
{
  size_t runs;
  uint32_t *numbers = run_numbers(groups[0].folder, &runs);
  for (size_t i = 0; i < runs; i++) {
    bool wanted = false;
    for (size_t k = 0; k < count; k++)
      wanted |= may_have(&groups[k], groups[0].folder, numbers[i]);
    if (wanted) read_number(groups, count, numbers[i]);
  }
  free(numbers);
}

/* Gives each run the figures of all groups that are not 0 in all runs. */
static void set_metrics(struct run_groups *groups)
{
  size_t count = 0, made = 0;
  for (size_t i = 0; i < groups->count; i++) count += groups->list[i].count;
  struct run_figures *all = allocate(count + 1, sizeof *all);
  for (size_t i = 0; i < groups->count; i++)
    for (size_t k = 0; k < groups->list[i].count; k++)
      all[made++] = groups->list[i].figures[k];
  complete_functions(all, count);
  remove_zeros(all, count);
  made = 0;
  for (size_t i = 0; i < groups->count; i++) {
    struct run_group *group = &groups->list[i];
    for (size_t k = 0; k < group->count; k++) {
      group->figures[k] = all[made++];
      group->metrics[k].metrics = group->figures[k].list;
      group->metrics[k].count = group->figures[k].count;
    }
  }
  free(all);
}

void read_groups(struct run_groups *groups)
{
  for (size_t i = 0; i < groups->count; i++) {
    size_t k = 0;
    while (strcmp(groups->list[k].folder, groups->list[i].folder) != 0) k++;
    if (k == i && !groups->list[i].recorded)
      read_folder(&groups->list[i], groups->count - i);
  }
  set_metrics(groups);
}

bool have_rounds(const struct run_groups *groups)
{
  for (size_t i = 0; i < groups->count; i++)
    if (groups->list[i].number > 0
        || strcmp(groups->list[i].folder, groups->list[0].folder) != 0)
      return false;
  return true;
}

bool share_nodes(const struct run_group *a, const struct run_group *b)
{
  const char *name;
  json_t *facts;
  json_object_foreach(a->nodes, name, facts) {
    if (json_object_get(b->nodes, name) != NULL) return true;
  }
  return false;
}

json_t *facts_for(const struct run_group *a, const struct run_group *b)
{
  const char *name;
  json_t *of_node;
  if (!share_nodes(a, b)) return json_incref(a->facts);
  json_t *facts = json_object();
  json_object_foreach(a->nodes, name, of_node) {
    if (json_object_get(b->nodes, name) != NULL) merge_facts(facts, of_node);
  }
  return facts;
}

/* Warnings */

void add_warning(json_t *array, const char *format, ...)
{
  char *text;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0) out_of_memory();
  va_end(arguments);
  json_array_append_new(array, json_text(text));
  free(text);
}

/* Returns "1 run" or such as "3 runs" in [text]. */
static const char *runs_text(char text[32], size_t runs)
{
  snprintf(text, 32, "%zu run%s", runs, runs == 1 ? "" : "s");
  return text;
}

static void warn_of_group(json_t *array, const struct run_group *g)
{
  char text[32];
  if (g->unreadable.runs > 0)
    add_warning(array, "%s: %s cannot be read, and left out: %s", g->folder,
                runs_text(text, g->unreadable.runs), g->unreadable.example);
  if (g->failed.runs > 0)
    add_warning(array, "%s: %s failed, and left out: %s", g->name,
                runs_text(text, g->failed.runs), g->failed.example);
  if (g->changed.runs > 0)
    add_warning(array, "%s: %s changed afterwards: %s", g->name,
                runs_text(text, g->changed.runs), g->changed.example);
  if (g->lossy > 0)
    add_warning(array, "%s: %s lost %" PRIu64 " events, so figures of events "
                "are too low", g->name, runs_text(text, g->lossy),
                g->lost_events);
  if (g->untraced > 0 && g->untraced < g->count)
    add_warning(array, "%s: %s of %zu without a recording", g->name,
                runs_text(text, g->untraced), g->count);
}

/* Warns of [facts] of [group] that vary, [where] being "" or a node. */
static void warn_of_varying(json_t *array, const struct run_group *group,
                            json_t *facts, const char *where)
{
  const char *name;
  json_t *values;
  json_object_foreach(facts, name, values) {
    if (json_array_size(values) > 1)
      add_warning(array, "%s: %s is not the same for all runs%s%s", group->name,
                  name, *where != '\0' ? " on node " : "", where);
  }
}

/* Warns of facts that vary within [group].  Nodes differ, but not in the program. */
static void warn_of_variation(json_t *array, const struct run_group *group)
{
  const char *node;
  json_t *facts;
  if (json_object_size(group->nodes) == 0)
    warn_of_varying(array, group, group->facts, "");
  json_object_foreach(group->nodes, node, facts) {
    warn_of_varying(array, group, facts, node);
  }
  if (json_object_size(group->nodes) > 1 && json_array_size(json_object_get(
        group->facts, "program.executable.xxh64")) > 1)
    add_warning(array, "%s: the program is not the same on all nodes", group->name);
}

/* Returns the number of runs of [a] on nodes that [b] does not have. */
static size_t runs_elsewhere(const struct run_group *a, const struct run_group *b)
{
  size_t count = 0;
  for (size_t i = 0; i < a->count; i++) {
    bool found = false;
    for (size_t k = 0; k < b->count && !found; k++)
      found = a->metrics[i].node == b->metrics[k].node;
    count += !found;
  }
  return count;
}

/* Warns of the runs of [a] that are not compared because [b] has none on their
   nodes. */
static void warn_of_runs_elsewhere(json_t *array, const struct run_group *a,
                                   const struct run_group *b)
{
  char text[32];
  const size_t count = runs_elsewhere(a, b);
  if (count > 0)
    add_warning(array, "%s: %s on nodes that %s does not have, and left out",
                a->name, runs_text(text, count), b->name);
}

static bool same_values(const json_t *a, const json_t *b, const char *fact)
{
  const json_t *x = json_object_get(a, fact), *y = json_object_get(b, fact);
  return x == NULL || y == NULL || json_equal(x, y);
}

/* Returns whether [a] and [b] have the same values of [fact], on each node that both
   have. */
static bool same_fact(const struct run_group *a, const struct run_group *b,
                      const char *fact)
{
  const char *node;
  json_t *facts;
  if (!share_nodes(a, b)) return same_values(a->facts, b->facts, fact);
  json_object_foreach(a->nodes, node, facts) {
    const json_t *others = json_object_get(b->nodes, node);
    if (others != NULL && !same_values(facts, others, fact)) return false;
  }
  return true;
}

/* The first facts of warn_of_pair, which differ between nodes. */
#define NODE_FACTS 2

static void warn_of_pair(json_t *array, const struct run_group *a,
                         const struct run_group *b)
{
  static const struct { const char *fact, *text; } facts[] = {
    { "machine.key", "ran on another machine than" },
    { "node", "ran on another node than" },
    { "recordings.categories", "recorded other categories of events than" },
    { "conditions.governor", "ran with another governor of the processor than" }
  };
  const bool nodes = share_nodes(a, b);
  if (nodes) {
    warn_of_runs_elsewhere(array, a, b);
    warn_of_runs_elsewhere(array, b, a);
  }
  for (size_t i = nodes ? NODE_FACTS : 0; i < sizeof facts / sizeof *facts; i++)
    if (!same_fact(a, b, facts[i].fact))
      add_warning(array, "%s %s %s", b->name, facts[i].text, a->name);
  if ((a->untraced == a->count) != (b->untraced == b->count)) {
    const bool first = a->untraced == a->count;
    add_warning(array, "%s has no recordings: figures of events are not "
                "compared, and times of %s include those of its recording",
                first ? a->name : b->name, first ? b->name : a->name);
  }
  if (strcmp(a->folder, b->folder) != 0)
    add_warning(array, "%s and %s were not run in turn: a drift of the "
                "machine looks like a difference", a->name, b->name);
}

json_t *group_warnings(const struct run_groups *groups)
{
  json_t *array = json_array();
  for (size_t i = 0; i < groups->count; i++) {
    warn_of_group(array, &groups->list[i]);
    warn_of_variation(array, &groups->list[i]);
  }
  for (size_t i = 1; i < groups->count; i++)
    warn_of_pair(array, &groups->list[0], &groups->list[i]);
  return array;
}

void free_groups(struct run_groups *groups)
{
  for (size_t i = 0; i < groups->count; i++) {
    struct run_group *group = &groups->list[i];
    for (size_t k = 0; k < group->count; k++)
      free_run_figures(&group->figures[k]);
    free(group->figures);
    free(group->metrics);
    json_decref(group->facts);
    json_decref(group->nodes);
    free(group->name);
  }
  json_decref(groups->node_numbers);
  free(groups->list);
}
