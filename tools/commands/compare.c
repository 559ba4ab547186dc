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

/* eventring compare: the runs of batches, figure by figure, with intervals and
   verdicts, and the differences of their manifests.

   runs/groups.h reads the runs, run_comparison.h compares. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "columns.h"
#include "common.h"
#include "hub_groups.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "run_comparison.h"
#include "runs/comparison_html.h"
#include "runs/comparison_text.h"
#include "runs/values.h"
#include "store.h"
#include "text.h"

static const char usage[] =
"Usage: eventring compare [OPTION...] BATCH|BATCH:LABEL|RUN.json...\n"
"       eventring compare [OPTION...] --hub=URL NODE/PID|NODE/...\n"
"Compares the commands of batches, single runs, or processes of a hub, with the\n"
"first of them, and says which figures differ, by how much, and how the runs\n"
"were made otherwise.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL_FIGURES, OPTION_OTHER_MACHINES, OPTION_STORE, OPTION_JSON,
  OPTION_HTML, OPTION_FORCE, OPTION_HUB, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Columns: base and this are medians, ratio is this / base, 95 % its interval;\n"
"smallest is the smallest change that so many runs show in 80 % of cases;\n"
"between and within are the standard deviations between and inside runs.\n"
"Other figures than the main ones are listed only if they differ.\n";

/* The command line. */
struct arguments {
  const char *store, *html;
  bool json, all, other_machines, force;
};

/* Differences below this share need not be told apart. */
#define MARGIN 0.01

/* Text */

enum column {
  FIGURE, BASE, THIS, RATIO, INTERVAL, SMALLEST, BETWEEN, WITHIN, VERDICT,
  COLUMNS
};

static void set_share(struct columns *table, int column, double share)
{
  char text[QUANTITY_SIZE];
  if (share_text(text, share) != NULL) set_column(table, column, "%s", text);
}

static void add_row(struct columns *table, const struct comparison_row *row)
{
  const struct ratio_interval *r = &row->interval;
  char text[VERDICT_SIZE];
  add_line(table);
  set_column(table, FIGURE, "%s", row->name);
  set_column(table, BASE, "%s", format_figure(text, row->unit, r->median_a));
  set_column(table, THIS, "%s", format_figure(text, row->unit, r->median_b));
  if (!isnan(r->ratio)) set_column(table, RATIO, "%.3f", r->ratio);
  if (has_interval(row))
    set_column(table, INTERVAL, "%.3f-%.3f", r->low, r->high);
  set_share(table, SMALLEST, row->smallest_change);
  set_share(table, BETWEEN, deviation_between(row));
  set_share(table, WITHIN, deviation_within(row));
  set_column(table, VERDICT, "%s", verdict_text(text, row));
}

static void print_figures(const struct comparison_output *out, size_t group)
{
  static const char *const titles[COLUMNS] = {
    "figure", "base", "this", "ratio", "95 %", "smallest", "between", "within",
    "verdict"
  };
  struct columns *table = new_columns(titles, COLUMNS);
  for (size_t i = 0; i < out->comparison->count; i++) {
    const struct comparison_row *row = &out->comparison->rows[i];
    if (row->batch == group && (out->all || is_shown(row))) add_row(table, row);
  }
  print_lines(table);
}

static void set_values(struct columns *table, int column, const json_t *values)
{
  char text[FACT_SIZE];
  if (json_array_size(values) > 0)
    set_column(table, column, "%s", format_fact(text, sizeof text, values));
}

/* Returns the facts that differ between the base and group number [group]. */
static json_t *differences_of(const struct comparison_output *out, size_t group)
{
  const struct run_group *list = out->groups->list;
  json_t *base = facts_for(&list[0], &list[group]),
    *other = facts_for(&list[group], &list[0]);
  json_t *array = fact_differences(base, other);
  json_decref(base);
  json_decref(other);
  return array;
}

static void print_differences(const struct comparison_output *out, size_t group)
{
  static const char *const titles[] = { "manifest", "base", "this" };
  json_t *array = differences_of(out, group);
  if (json_array_size(array) > 0) {
    struct columns *table = new_columns(titles, 3);
    for (size_t i = 0; i < json_array_size(array); i++) {
      const json_t *each = json_array_get(array, i);
      add_line(table);
      set_column(table, 0, "%s",
                 json_string_value(json_object_get(each, "fact")));
      set_values(table, 1, json_object_get(each, "base"));
      set_values(table, 2, json_object_get(each, "values"));
    }
    putchar('\n');
    print_lines(table);
  }
  json_decref(array);
}

static void print_name(const char *prefix, const struct run_group *group)
{
  fputs(prefix, stdout);
  print_text(stdout, group->name, strlen(group->name), TEXT_LINE);
  const size_t nodes = json_object_size(group->nodes);
  if (group->recorded)
    printf(" (%zu process%s)", group->count, group->count == 1 ? "" : "es");
  else
    printf(" (%zu run%s", group->count, group->count == 1 ? "" : "s");
  if (nodes > 0) printf(" on %zu node%s", nodes, nodes == 1 ? "" : "s");
  if (!group->recorded) putchar(')');
}

static void print_comparison(const struct comparison_output *out)
{
  for (size_t i = 1; i < out->groups->count; i++) {
    print_name(i > 1 ? "\n" : "", &out->groups->list[i]);
    print_name(" against ", &out->groups->list[0]);
    puts("\n");
    print_figures(out, i);
    print_differences(out, i);
  }
  for (size_t i = 0; i < json_array_size(out->warnings); i++) {
    const char *text = json_string_value(json_array_get(out->warnings, i));
    fputs(i == 0 ? "\nwarning: " : "warning: ", stdout);
    print_text(stdout, text, strlen(text), TEXT_LINE);
    putchar('\n');
  }
}

/* JSON */

static json_t *json_side(double median, size_t runs,
                         const struct variance_parts *variance)
{
  return json_pack("{s:I, s:o, s:o, s:o}", "runs", (json_int_t) runs,
                   "median", json_known(median),
                   "variance_between", json_known(variance->between),
                   "variance_within", json_known(variance->within));
}

static json_t *json_row(const struct comparison_row *row)
{
  const struct ratio_interval *r = &row->interval;
  bool unknown = row->verdict.kind == VERDICT_UNKNOWN;
  json_t *object = json_pack(
    "{s:o, s:b, s:s, s:s, s:o, s:o}", "name", json_text(row->name),
    "main", is_main_figure(row->name), "unit", row->unit, "better",
    row->direction == METRIC_NEUTRAL ? "neutral" : "less",
    "base", json_side(r->median_a, row->a_runs, &row->variance_a),
    "this", json_side(r->median_b, row->b_runs, &row->variance_b));
  json_t *rest = json_pack(
    "{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}",
    "ratio", json_known(r->ratio),
    "low", json_known(r->low > 0 ? r->low : (double) NAN),
    "high", json_known(r->high),
    "smallest_change", json_known(row->smallest_change),
    "p", json_known(row->p), "adjusted_p", json_known(row->adjusted_p),
    "verdict", verdict_name(row),
    "bound", row->verdict.kind == VERDICT_SAME ? json_real(row->verdict.bound)
                                               : json_null(),
    "more_runs", unknown && row->verdict.runs > 0
                 ? json_integer((json_int_t) row->verdict.runs) : json_null());
  json_object_update(object, rest);
  json_decref(rest);
  return object;
}

static json_t *json_group(const struct run_group *g)
{
  json_t *nodes = json_array(), *facts;
  const char *node;
  json_object_foreach(g->nodes, node, facts) {
    json_array_append_new(nodes, json_text(node));
  }
  return json_pack(
    "{s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "name", json_text(g->name),
    "nodes", nodes,
    "path", json_text(g->folder), "runs", (json_int_t) g->count,
    "failed", (json_int_t) g->failed.runs,
    "changed", (json_int_t) g->changed.runs,
    "untraced", (json_int_t) g->untraced, "lossy", (json_int_t) g->lossy,
    "lost_events", (json_int_t) g->lost_events);
}

static json_t *json_comparison(const struct comparison_output *out)
{
  json_t *groups = json_array(), *comparisons = json_array();
  for (size_t i = 0; i < out->groups->count; i++) {
    const struct run_group *group = &out->groups->list[i];
    json_array_append_new(groups, json_group(group));
    if (i == 0) continue;
    json_t *figures = json_array();
    for (size_t k = 0; k < out->comparison->count; k++)
      if (out->comparison->rows[k].batch == i)
        json_array_append_new(figures, json_row(&out->comparison->rows[k]));
    json_array_append_new(comparisons, json_pack(
      "{s:o, s:o, s:o, s:o}", "base", json_text(out->groups->list[0].name),
      "this", json_text(group->name), "figures", figures, "manifest",
      differences_of(out, i)));
  }
  return json_pack("{s:i, s:b, s:o, s:o, s:O}", "version", JSON_VERSION,
                   "rounds", out->rounds, "groups", groups,
                   "comparisons", comparisons, "warnings", out->warnings);
}

/* The command */

/* Returns whether all runs with the facts [a] and [b] are of one machine. */
static bool is_same_machine(const json_t *a, const json_t *b)
{
  const json_t *keys = json_object_get(b, "machine.key");
  return json_array_size(keys) == 1
         && json_equal(keys, json_object_get(a, "machine.key"));
}

/* Returns whether [group] ran on the machine of [first] or, on nodes, whether both
   share a node, and the same name was the same machine.  Prints a message if not. */
static bool ran_on_same(const struct run_group *first,
                        const struct run_group *group)
{
  const bool on_nodes = json_object_size(first->nodes) > 0
                        || json_object_size(group->nodes) > 0;
  const char *node;
  json_t *facts;
  if (on_nodes && !share_nodes(first, group)) {
    complain("compare: %s and %s ran on no common node; --other-machines compares "
             "them", group->name, first->name);
    return false;
  }
  json_object_foreach(group->nodes, node, facts) {
    const json_t *of_first = json_object_get(first->nodes, node);
    if (of_first == NULL || is_same_machine(of_first, facts)) continue;
    complain("compare: node %s was not one machine for all runs of %s and %s; "
             "--other-machines compares them", node, first->name, group->name);
    return false;
  }
  if (on_nodes || is_same_machine(first->facts, group->facts)) return true;
  if (group == first)
    complain("compare: %s has runs of several machines; --other-machines "
             "compares them", group->name);
  else
    complain("compare: %s ran on another machine than %s; --other-machines "
             "compares them", group->name, first->name);
  return false;
}

/* Returns whether all groups have runs, of one machine or, with
   [other_machines], of any, and prints a message if not. */
static bool can_compare(const struct run_groups *groups, bool other_machines)
{
  const struct run_group *first = &groups->list[0];
  for (size_t i = 0; i < groups->count; i++) {
    const struct run_group *group = &groups->list[i];
    if (group->count == 0) {
      complain("compare: %s has no %s that can be compared%s%s", group->name,
               group->recorded ? "recording" : "run",
               group->failed.runs > 0 ? ": " : group->unreadable.runs > 0
               ? ": cannot read " : "", group->failed.runs > 0
               ? "all have failed" : group->unreadable.example);
      return false;
    }
    if (group->recorded != first->recorded) {
      complain("compare: %s is recorded at a hub, and %s is not",
               group->recorded ? group->name : first->name,
               group->recorded ? first->name : group->name);
      return false;
    }
    /* Nodes of a hub are machines. */
    if (!other_machines && !group->recorded && !ran_on_same(first, group))
      return false;
  }
  return true;
}

/* Adds a warning when a group has too few runs for an interval of the wall time
   or, of recorded processes, of the time in the collector. */
static void warn_of_few_runs(struct comparison_output *out)
{
  for (size_t i = 0; i < out->comparison->count; i++) {
    const struct comparison_row *row = &out->comparison->rows[i];
    const struct run_group *group = &out->groups->list[row->batch];
    const char *name = group->recorded ? "total.gc_ns/s" : "wall_ns";
    if (strcmp(row->name, name) != 0 || isfinite(row->interval.high)) continue;
    char text[512];
    snprintf(text, sizeof text, "%.300s: too few %s: %zu and %zu can be "
             "compared; %s %zu more", group->name,
             group->recorded ? "processes" : "runs", row->a_runs, row->b_runs,
             group->recorded ? "it takes" : "run", row->verdict.runs);
    json_array_append_new(out->warnings, json_text(text));
  }
}

static enum status compare(const struct run_groups *groups,
                           const struct arguments *a)
{
  struct run_batch *batches = allocate(groups->count, sizeof *batches);
  for (size_t i = 0; i < groups->count; i++)
    batches[i] = (struct run_batch) { groups->list[i].metrics,
                                      groups->list[i].count };
  bool rounds = have_rounds(groups);
  struct run_comparison *comparison =
    compare_batches(batches, groups->count, rounds, MARGIN);
  struct comparison_output out = {
    .groups = groups, .comparison = comparison,
    .warnings = group_warnings(groups), .rounds = rounds, .all = a->all };
  enum status status = STATUS_OK;
  warn_of_few_runs(&out);
  if (a->html != NULL) status = write_comparison_html(a->html, a->force, &out);
  else if (a->json) print_json(json_comparison(&out), false);
  else print_comparison(&out);
  json_decref(out.warnings);
  free_run_comparison(comparison);
  free(batches);
  return status == STATUS_OK ? finish_output(STATUS_OK) : status;
}

static void read_options(struct arguments *a, int argc, char **argv)
{
  int option;
  while ((option = next_option(&compare_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL_FIGURES: a->all = true; break;
    case OPTION_FORCE: a->force = true; break;
    case OPTION_HTML: a->html = optarg; break;
    case OPTION_HUB: use_hub(&compare_command, optarg); break;
    case OPTION_JSON: a->json = true; break;
    case OPTION_OTHER_MACHINES: a->other_machines = true; break;
    case OPTION_STORE: a->store = optarg; break;
    }
  if (a->json && a->html != NULL)
    usage_error(&compare_command, "compare: only one of --json and --html");
  if (optind == argc) usage_error(&compare_command, "compare: missing batch");
}

static enum status run(int argc, char **argv)
{
  struct run_groups groups = { .list = NULL };
  struct arguments a = { .store = NULL };
  bool good = true;
  read_options(&a, argc, argv);
  char *own = a.store == NULL ? default_store() : NULL;
  for (int i = optind; i < argc && good; i++)
    good = is_hub_group(&compare_command, argv[i])
           ? add_hub_group(&compare_command, &groups, argv[i])
           : add_groups(&groups, a.store != NULL ? a.store : own, argv[i]);
  free(own);
  if (good && groups.count < 2) {
    complain("compare: %s is one command; give another one to compare with",
             argv[optind]);
    good = false;
  }
  enum status status = STATUS_CANNOT_READ;
  if (good) {
    read_groups(&groups);
    if (can_compare(&groups, a.other_machines)) status = compare(&groups, &a);
  }
  free_groups(&groups);
  return status;
}

const struct command compare_command = {
  .name = "compare", .summary = "compare runs and batches",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
