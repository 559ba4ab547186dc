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

/* eventring timeline: the versions of programs in their order, the changes of
   their figures, and what may have caused them.

   runs/groups.h reads the runs, runs/series.h orders the versions and looks for
   changes, runs/causes.h looks for causes. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "columns.h"
#include "common.h"
#include "json.h"
#include "options.h"
#include "output_file.h"
#include "runs/causes.h"
#include "runs/groups.h"
#include "runs/series.h"
#include "runs/series_html.h"
#include "runs/series_json.h"
#include "runs/values.h"
#include "store.h"
#include "text.h"

static const char usage[] =
"Usage: eventring timeline [OPTION...] BATCH|BATCH:LABEL|RUN.json...\n"
"Puts the versions of programs in the order of their commits, or of their times,\n"
"and says which figures changed, where, and what may be the cause.\n";

static const enum option_id option_ids[] = {
  OPTION_FIGURE, OPTION_HTML, OPTION_FORCE, OPTION_STORE, OPTION_JSON,
  OPTION_HELP, OPTION_END
};

static const char notes[] =
"Programs with other arguments, and other machines, are other series.  first\n"
"after is the first version with the change; with two versions, it is one from\n"
"the first to the second, with a probability of 95 %.\n";

/* The most commits and outliers that are listed in a line. */
#define MOST_COMMITS 10
#define MOST_OUTLIERS 8

/* Prints [text], a text of a file, in a line. */
static void put(const char *text)
{
  print_text(stdout, text, strlen(text), TEXT_LINE);
}

/* Prints the name of [version], with its subject if that is known. */
static void put_version(const struct version *version)
{
  put(version->name);
  if (version->subject == NULL) return;
  fputs(" '", stdout);
  put(version->subject);
  putchar('\'');
}

/* Returns the step of [change] in percent, with a sign, in [text]. */
static const char *format_step(char text[32], const struct figure_change *change)
{
  double percent = 100 * change->point.step;
  snprintf(text, 32, fabs(percent) < 9.95 ? "%+.2g %%" : "%+.0f %%", percent);
  return text;
}

static void print_changes(const struct series *s, const struct shift *shift)
{
  static const char *const titles[] = {
    "figure", "step", "before", "after", "first after", "confidence", "outliers"
  };
  struct columns *table = new_columns(titles, 7);
  for (size_t i = 0; i < shift->count; i++) {
    const struct figure_series *f = &s->figures[shift->members[i].figure];
    const struct figure_change *c = &f->changes[shift->members[i].change];
    char text[FIGURE_SIZE], step[32];
    size_t outliers = 0;
    for (size_t k = 0; k < s->count; k++) outliers += f->outliers[k];
    add_line(table);
    set_column(table, 0, "%s", f->name);
    set_column(table, 1, "%s", format_step(step, c));
    set_column(table, 2, "%s", format_figure(text, f->unit, c->median_before));
    set_column(table, 3, "%s", format_figure(text, f->unit, c->median_after));
    if (c->point.low == c->point.high)
      set_column(table, 4, "%s", s->versions[c->point.index].name);
    else
      set_column(table, 4, "%s to %s", s->versions[c->point.low].name,
                 s->versions[c->point.high].name);
    set_column(table, 5, "%.2f %%", 100 * c->point.confidence);
    if (outliers > 0) set_column(table, 6, "%zu", outliers);
  }
  print_lines(table);
}

static void print_commits(const struct causes *causes)
{
  size_t shown = 0, others = 0;
  for (size_t i = 0; i < causes->commit_count; i++) {
    const struct cause_commit *c = &causes->commits[i];
    if (!c->likely || shown == MOST_COMMITS) {
      others++;
      continue;
    }
    printf("candidate: commit %.12s '", c->hash);
    put(c->subject);
    printf("'%s\n", c->measured ? "" : ", not measured");
    shown++;
  }
  if (others > 0)
    printf("%s%zu other commit%s\n", "also possible: ", others,
           others == 1 ? "" : "s");
}

static void print_manifest(const struct causes *causes)
{
  for (size_t i = 0; i < json_array_size(causes->manifest); i++) {
    const json_t *each = json_array_get(causes->manifest, i);
    const json_t *base = json_object_get(each, "base"),
      *values = json_object_get(each, "values");
    char line[FACT_SIZE];
    fputs("candidate: ", stdout);
    put(json_string_value(json_object_get(each, "fact")));
    fputs(" from ", stdout);
    put(json_array_size(base) > 0 ? format_fact(line, sizeof line, base) : "nothing");
    fputs(" to ", stdout);
    put(json_array_size(values) > 0 ? format_fact(line, sizeof line, values) : "nothing");
    putchar('\n');
  }
}

static void print_functions(const struct causes *causes)
{
  for (size_t i = 0; i < causes->function_count; i++) {
    const struct cause_function *f = &causes->functions[i];
    char before[QUANTITY_SIZE], after[QUANTITY_SIZE];
    fputs("function: ", stdout);
    put(f->name);
    printf(" from %s to %s of the processor time\n",
           format_share(before, f->before), format_share(after, f->after));
  }
}

static void print_next(const struct series *s, const struct shift *shift)
{
  const struct ordered_commit *commits[NEXT_COMMITS];
  size_t count = next_commits(s, shift, commits);
  for (size_t i = 0; i < count; i++) {
    char *folder = NULL, *command = next_command(s, commits[i], &folder);
    printf("run next: %.12s '", commits[i]->hash);
    put(commits[i]->subject);
    fputs("'\n", stdout);
    if (command != NULL) {
      fputs("  in ", stdout);
      put(folder);
      fputs(": ", stdout);
      put(command);
      putchar('\n');
    }
    free(folder);
    free(command);
  }
}

static void print_shift(const struct series *s, const struct shift *shift)
{
  struct causes causes = find_causes(s, shift);
  fputs("\nchange at ", stdout);
  put_version(&s->versions[shift->index]);
  if (shift->low != shift->high) {
    fputs(", from ", stdout);
    put(s->versions[shift->low].name);
    fputs(" to ", stdout);
    put(s->versions[shift->high].name);
  }
  putchar('\n');
  print_changes(s, shift);
  print_commits(&causes);
  print_manifest(&causes);
  print_functions(&causes);
  print_next(s, shift);
  free_causes(&causes);
}

/* Prints the outliers of the figure [f] in one line, after an empty line with
   [apart].  Returns whether there are any. */
static bool print_outliers(const struct series *s,
                           const struct figure_series *f, bool apart)
{
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (!f->outliers[i]) continue;
    if (count == 0 && apart) putchar('\n');
    fputs(count == 0 ? "outliers: " : count < MOST_OUTLIERS ? ", " : "",
          stdout);
    if (count == 0) {
      put(f->name);
      fputs(" at ", stdout);
    }
    if (count++ < MOST_OUTLIERS) put(s->versions[i].name);
  }
  if (count > MOST_OUTLIERS) printf(" and %zu more", count - MOST_OUTLIERS);
  if (count > 0) putchar('\n');
  return count > 0;
}

static void print_series(const struct series *s, bool all)
{
  size_t searched = 0;
  put(s->name);
  printf(": %zu version%s by %s, %zu run%s", s->count,
         s->count == 1 ? "" : "s", s->by_commits ? "commit" : "time", s->runs,
         s->runs == 1 ? "" : "s");
  if (s->machine[0] != '\0') {
    fputs(", machine ", stdout);
    put(s->machine);
  }
  putchar('\n');
  for (size_t f = 0; f < s->figure_count; f++)
    searched += s->figures[f].searched;
  if (s->count < SERIES_LEAST)
    printf("too few versions: changes can be found with %d or more\n",
           SERIES_LEAST);
  else if (s->shift_count == 0)
    printf("no change in %zu figure%s\n", searched, searched == 1 ? "" : "s");
  for (size_t i = 0; i < s->shift_count; i++) print_shift(s, &s->shifts[i]);
  bool apart = s->shift_count > 0;
  for (size_t f = 0; f < s->figure_count; f++)
    if (s->figures[f].searched && (all || is_main_figure(s->figures[f].name))
        && print_outliers(s, &s->figures[f], apart))
      apart = false;
}

static void print_result(const struct timeline_result *result, bool all)
{
  for (size_t i = 0; i < result->count; i++) {
    if (i > 0) putchar('\n');
    print_series(&result->list[i], all);
  }
  if (result->uncertain > 0 || result->small > 0)
    printf("\nnot listed: %zu change%s too uncertain for %zu figures, %zu "
           "smaller than %g %%\n", result->uncertain,
           result->uncertain == 1 ? "" : "s", result->searched, result->small,
           100 * SMALLEST_STEP);
  for (size_t i = 0; i < json_array_size(result->warnings); i++) {
    fputs(i == 0 ? "\nwarning: " : "warning: ", stdout);
    put(json_string_value(json_array_get(result->warnings, i)));
    putchar('\n');
  }
}

/* Returns STATUS_FINDING, with a message, when no run has a figure that matches
   one of [patterns], up to NULL. */
static enum status check_patterns(const struct timeline_result *result,
                                  const char *const *patterns)
{
  for (size_t i = 0; patterns[i] != NULL; i++)
    if (!has_matching_figure(result, patterns[i])) {
      complain("timeline: no run has a figure %s", patterns[i]);
      return STATUS_FINDING;
    }
  return STATUS_OK;
}

static void print_page(FILE *out, void *result)
{
  print_series_html(out, result);
}

/* Prints the series of [groups], or writes them to the page [html]. */
static enum status show(const struct run_groups *groups,
                        const char *const *patterns, const char *html,
                        bool force, bool json)
{
  struct timeline_result *result = make_series(groups, patterns);
  enum status status = STATUS_OK;
  if (result->count == 0) {
    const json_t *warning = json_array_get(result->warnings, 0);
    complain("timeline: no run can be compared: %s", warning != NULL
             ? json_string_value(warning) : "all failed or cannot be read");
    status = STATUS_CANNOT_READ;
  }
  if (status == STATUS_OK) status = check_patterns(result, patterns);
  if (status == STATUS_OK && html != NULL
      && !write_printed(html, force, print_page, result))
    status = STATUS_CANNOT_WRITE;
  if (status == STATUS_OK && json) print_json(json_series(result), false);
  else if (status == STATUS_OK && html == NULL)
    print_result(result, patterns[0] != NULL);
  free_series(result);
  return finish_output(status);
}

static enum status run(int argc, char **argv)
{
  struct run_groups groups = { .list = NULL };
  const char *store = NULL, *html = NULL;
  const char **patterns = allocate((size_t) argc + 1, sizeof *patterns);
  size_t pattern_count = 0;
  bool json = false, force = false, good = true;
  int option;
  while ((option = next_option(&timeline_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_FIGURE: patterns[pattern_count++] = optarg; break;
    case OPTION_HTML: html = optarg; break;
    case OPTION_FORCE: force = true; break;
    case OPTION_STORE: store = optarg; break;
    case OPTION_JSON: json = true; break;
    }
  if (optind == argc) usage_error(&timeline_command, "timeline: missing batch");
  if (json && html != NULL && strcmp(html, "-") == 0)
    usage_error(&timeline_command, "timeline: --json and --html=- both write to "
                "standard output");
  char *own = store == NULL ? default_store() : NULL;
  for (int i = optind; i < argc && good; i++)
    good = add_groups(&groups, store != NULL ? store : own, argv[i]);
  free(own);
  enum status status = STATUS_CANNOT_READ;
  if (good) {
    read_groups(&groups);
    status = show(&groups, patterns, html, force, json);
  }
  free_groups(&groups);
  free(patterns);
  return status;
}

const struct command timeline_command = {
  .name = "timeline", .summary = "find changes in series of versions",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
