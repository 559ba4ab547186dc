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

/* See fleet_comparison.h.

   A manifest comes from the network, through a hub: it is only compared and
   shown, and a fact may have any type and text. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fleet_comparison.h"
#include "json.h"
#include "memory.h"
#include "outliers.h"
#include "facts.h"
#include "target.h"

/* Manifests that are longer are not read. */
#define LONGEST_NOTE (256 << 10)

/* The fact that tells versions of a program apart. */
#define BUILD "build_id"

/* Facts */

json_t *new_process_facts(struct eventring_cursor *cursor)
{
  /* Facts of one run, and the name of the machine. */
  static const char *const left_out[] = {
    "pid", "parent_pid", "started", "recorded", "saved", "trigger",
    "eventring"
  };
  const char *note = eventring_note(cursor);
  json_t *manifest = note != NULL && strnlen(note, LONGEST_NOTE) < LONGEST_NOTE
                     ? json_loads(note, 0, NULL) : NULL;
  json_t *facts = json_object();
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    json_object_del(manifest, left_out[i]);
  json_object_del(json_object_get(manifest, "machine"), "host");
  if (json_is_object(manifest)) add_manifest(facts, manifest);
  else json_object_set_new(facts, "runtime", json_pack(
         "[o]", json_text(target_info(cursor).runtime)));
  json_decref(manifest);
  return facts;
}

/* Returns the only value of the fact [name] if it is a text, else "". */
static const char *fact_text(const json_t *facts, const char *name)
{
  const json_t *values = json_object_get(facts, name);
  const char *text = json_string_value(json_array_get(values, 0));
  return text != NULL ? text : "";
}

/* Groups */

/* The processes of a program on a node, or of a version, added up. */
struct group {
  const char *node, *program;
  struct process_figures *figures;
  json_t *facts;
  json_t *nodes;                  /* of a version: the keys are their names */
  size_t processes;
  bool differs;                   /* in the figure that is looked at */
};

static void add_to_group(struct group *g, const struct fleet_process *p)
{
  if (g->figures == NULL)
    *g = (struct group) {
      .node = p->node, .program = p->program,
      .figures = allocate(1, sizeof *g->figures),
      .facts = json_object(), .nodes = json_object()
    };
  add_process_figures(g->figures, p->figures);
  merge_facts(g->facts, p->facts);
  json_object_set_new(g->nodes, p->node, json_true());
  g->processes++;
}

static void free_groups(struct group *groups, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    free(groups[i].figures);
    json_decref(groups[i].facts);
    json_decref(groups[i].nodes);
  }
  free(groups);
}

/* Returns the processes of [list], which is sorted, added up: those that
   [compare] finds equal are one group.  Sets *groups_count. */
static struct group *make_groups(const struct fleet_process *list, size_t count,
                                 int (*compare)(const void *, const void *),
                                 size_t *groups_count)
{
  struct group *groups = allocate(count, sizeof *groups);
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && compare(&list[i - 1], &list[i]) != 0) n++;
    add_to_group(&groups[n], &list[i]);
  }
  *groups_count = count > 0 ? n + 1 : 0;
  return groups;
}

/* Compare processes for qsort. */
static int by_node(const void *left, const void *right)
{
  const struct fleet_process *a = left, *b = right;
  int order = strcmp(a->program, b->program);
  return order != 0 ? order : strcmp(a->node, b->node);
}

static int by_version(const void *left, const void *right)
{
  const struct fleet_process *a = left, *b = right;
  int order = strcmp(a->program, b->program);
  if (order == 0)
    order = strcmp(fact_text(a->facts, BUILD), fact_text(b->facts, BUILD));
  return order != 0 ? order : strcmp(fact_text(a->facts, "runtime"),
                                     fact_text(b->facts, "runtime"));
}

/* JSON */

static json_t *json_number(double value)
{
  return isnan(value) ? json_null() : json_real(value);
}

static json_t *json_figures(const struct process_figures *f)
{
  json_t *object = json_object();
  for (enum figure i = 0; i < FIGURES; i++)
    json_object_set_new(object, figure_names[i],
                        json_number(process_figure(f, i)));
  return object;
}

/* Outliers */

static bool contains(const json_t *array, const json_t *value)
{
  for (size_t i = 0; i < json_array_size(array); i++)
    if (json_equal(json_array_get(array, i), value)) return true;
  return false;
}

/* Adds the values of the fact [name] of [g] to [others].  Returns false when [g]
   has one of [values]. */
static bool add_others(json_t *others, const struct group *g, const char *name,
                       const json_t *values)
{
  const json_t *its = json_object_get(g->facts, name);
  for (size_t i = 0; i < json_array_size(its); i++) {
    json_t *value = json_array_get(its, i);
    if (contains(values, value)) return false;
    if (!contains(others, value)) json_array_append(others, value);
  }
  return true;
}

/* Returns the facts of node [g] that none of the nodes has whose figure does not
   differ. */
static json_t *own_facts(const struct group *g, const struct group *nodes,
                         size_t count)
{
  json_t *list = json_array(), *values;
  const char *name;
  json_object_foreach(g->facts, name, values) {
    json_t *others = json_array();
    bool own = true;
    for (size_t i = 0; i < count && own; i++)
      if (!nodes[i].differs && json_object_size(nodes[i].facts) > 0)
        own = add_others(others, &nodes[i], name, values);
    if (own)
      json_array_append_new(list, json_pack(
        "{s:s, s:O, s:O}", "fact", name, "values", values, "others", others));
    json_decref(others);
  }
  return list;
}

/* Adds the nodes of which the figure differs from the figures of the others to
   [outliers]. */
static void find_outliers(json_t *outliers, struct group *nodes, size_t count,
                          enum figure figure)
{
  struct outlier_scale scale;
  double *values = allocate(count, sizeof *values);
  for (size_t i = 0; i < count; i++)
    values[i] = process_figure(nodes[i].figures, figure);
  if (measure_outliers(values, count, &scale)) {
    for (size_t i = 0; i < count; i++)
      nodes[i].differs = !isnan(values[i]) && is_outlier(&scale, values[i]);
    for (size_t i = 0; i < count; i++)
      if (nodes[i].differs)
        json_array_append_new(outliers, json_pack(
          "{s:s, s:s, s:f, s:f, s:f, s:o}", "figure", figure_names[figure],
          "node", nodes[i].node, "value", values[i], "median", scale.median,
          "spread", scale.spread, "differs", own_facts(&nodes[i], nodes, count)));
  }
  free(values);
}

/* Returns the object of a program with the [count] [nodes]. */
static json_t *json_program(struct group *nodes, size_t count)
{
  json_t *list = json_array(), *outliers = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack(
      "{s:s, s:I, s:o}", "node", nodes[i].node, "processes",
      (json_int_t) nodes[i].processes, "figures",
      json_figures(nodes[i].figures)));
  for (enum figure i = 0; i < FIGURES; i++)
    find_outliers(outliers, nodes, count, i);
  return json_pack("{s:o, s:o, s:o}", "program", json_text(nodes[0].program),
                   "nodes", list, "outliers", outliers);
}

json_t *compare_nodes(struct fleet_process *list, size_t count)
{
  json_t *programs = json_array();
  size_t groups_count, n;
  if (count > 0) qsort(list, count, sizeof *list, by_node);
  struct group *groups = make_groups(list, count, by_node, &groups_count);
  for (size_t i = 0; i < groups_count; i += n) {
    for (n = 1; i + n < groups_count; n++)
      if (strcmp(groups[i + n].program, groups[i].program) != 0) break;
    json_array_append_new(programs, json_program(&groups[i], n));
  }
  free_groups(groups, groups_count);
  return programs;
}

/* Returns the names of the nodes of a version. */
static json_t *node_names(json_t *nodes)
{
  json_t *names = json_array(), *value;
  const char *name;
  json_object_foreach(nodes, name, value) {
    json_array_append_new(names, json_string(name));
  }
  return names;
}

json_t *compare_versions(struct fleet_process *list, size_t count)
{
  json_t *versions = json_array();
  size_t n;
  if (count > 0) qsort(list, count, sizeof *list, by_version);
  struct group *groups = make_groups(list, count, by_version, &n);
  for (size_t i = 0; i < n; i++) {
    const char *build = fact_text(groups[i].facts, BUILD);
    json_array_append_new(versions, json_pack(
      "{s:o, s:o, s:s, s:o, s:I, s:o}", "program", json_text(groups[i].program),
      "build_id", build[0] != '\0' ? json_string(build) : json_null(),
      "runtime", fact_text(groups[i].facts, "runtime"), "nodes",
      node_names(groups[i].nodes), "processes",
      (json_int_t) groups[i].processes, "figures",
      json_figures(groups[i].figures)));
  }
  free_groups(groups, n);
  return versions;
}
