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
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "rank_test.h"
#include "runs/causes.h"

#define FUNCTIONS "functions."

/* Differences of shares below one point in a hundred are not listed. */
#define SMALLEST_SHARE 0.01

/* Commits */

static bool is_measured(const struct series *s, int64_t position)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->versions[i].position == position) return true;
  return false;
}

static void find_commits(struct causes *causes, const struct series *s,
                         const struct shift *shift)
{
  if (!s->by_commits) return;
  int64_t from = s->versions[shift->before].position;
  int64_t to = s->versions[shift->high].position;
  int64_t likely = s->versions[shift->index - 1].position;
  causes->commits = allocate((size_t) (to - from), sizeof *causes->commits);
  for (int64_t at = from + 1; at <= to; at++)
    causes->commits[causes->commit_count++] = (struct cause_commit) {
      s->order->list[at].hash, s->order->list[at].subject, is_measured(s, at),
      at > likely && at <= s->versions[shift->index].position
    };
}

/* Manifests */

/* Returns whether the fact [name] differs for each version, or only repeats that
   the commit is another one. */
static bool says_nothing(const char *name, bool other_commit)
{
  static const char *const patterns[] = {
    "directory", "argv", "git.*", "*.path", "environment_bytes",
    "environment.PATH"
  };
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (fnmatch(patterns[i], name, 0) == 0)
      return other_commit || strcmp(name, "git.changes_xxh64") != 0;
  return other_commit && strcmp(name, "program.executable.xxh64") == 0;
}

static bool same_commit(const struct version *a, const struct version *b)
{
  return (a->commit == NULL && b->commit == NULL)
         || (a->commit != NULL && b->commit != NULL
             && strcmp(a->commit, b->commit) == 0);
}

/* Commits are listed apart when their order is known. */
static bool is_candidate(const char *name, const struct series *s, bool other)
{
  if (strcmp(name, "git.commit") == 0) return other && !s->by_commits;
  return !says_nothing(name, other);
}

static void find_manifest(struct causes *causes, const struct series *s,
                          const struct shift *shift)
{
  const struct version *a = &s->versions[shift->before],
    *b = &s->versions[shift->high];
  json_t *all = fact_differences(a->facts, b->facts);
  bool other = !same_commit(a, b);
  causes->manifest = json_array();
  for (size_t i = 0; i < json_array_size(all); i++) {
    json_t *each = json_array_get(all, i);
    const char *name = json_string_value(json_object_get(each, "fact"));
    if (is_candidate(name, s, other))
      json_array_append(causes->manifest, each);
  }
  json_decref(all);
}

/* Functions */

/* Copies the medians of [f] in the versions from [from] up to [to] to [values];
   returns their number. */
static size_t copy_medians(double *values, const struct figure_series *f,
                           size_t from, size_t to)
{
  size_t count = 0;
  for (size_t i = from; i < to; i++)
    if (isfinite(f->medians[i])) values[count++] = f->medians[i];
  return count;
}

/* Compares the shares of the function of [f] before and after [shift]. */
static struct cause_function compare_function(const struct figure_series *f,
                                              const struct shift *shift,
                                              double *room)
{
  struct sides sides = { .a = room };
  sides.a_count = copy_medians(room, f, shift->from, shift->low);
  sides.b = room + sides.a_count;
  sides.b_count = copy_medians(room + sides.a_count, f, shift->high, shift->to);
  return (struct cause_function) {
    f->name, median_of(sides.a, sides.a_count),
    median_of(sides.b, sides.b_count), rank_test(&sides), NAN
  };
}

static double difference(const struct cause_function *f)
{
  return fabs(f->after - f->before);
}

static int by_difference(const void *x, const void *y)
{
  const struct cause_function *a = x, *b = y;
  double by = difference(b) - difference(a);
  return by > 0 ? 1 : by < 0 ? -1 : strcmp(a->name, b->name);
}

/* The p values are corrected for the number of functions. */
static void find_functions(struct causes *causes, const struct series *s,
                           const struct shift *shift)
{
  struct cause_function *list = allocate(s->figure_count + 1, sizeof *list);
  double *room = allocate(s->count + 1, sizeof *room);
  double *p = allocate(s->figure_count + 1, sizeof *p);
  size_t count = 0, kept = 0;
  for (size_t f = 0; f < s->figure_count; f++)
    if (strncmp(s->figures[f].name, FUNCTIONS, strlen(FUNCTIONS)) == 0) {
      list[count] = compare_function(&s->figures[f], shift, room);
      p[count] = list[count].p;
      count++;
    }
  adjust_p_values(p, count);
  for (size_t i = 0; i < count; i++) {
    list[i].adjusted_p = p[i];
    if (p[i] <= 0.05 && difference(&list[i]) >= SMALLEST_SHARE)
      list[kept++] = list[i];
  }
  if (kept > 1) qsort(list, kept, sizeof *list, by_difference);
  free(p);
  free(room);
  causes->functions = list;
  causes->function_count = kept;
}

struct causes find_causes(const struct series *s, const struct shift *shift)
{
  struct causes causes = { .commits = NULL };
  find_commits(&causes, s, shift);
  find_manifest(&causes, s, shift);
  find_functions(&causes, s, shift);
  return causes;
}

void free_causes(struct causes *causes)
{
  free(causes->commits);
  free(causes->functions);
  json_decref(causes->manifest);
}

/* Next */

/* Returns whether the last batch of [s] could not build [commit]. */
static bool cannot_be_built(const struct series *s, const char *commit)
{
  const json_t *failed = json_object_get(json_object_get(s->plan, "commits"),
                                         "failed");
  for (size_t i = 0; i < json_array_size(failed); i++) {
    const char *hash = json_string_value(json_array_get(failed, i));
    if (hash != NULL && strcmp(hash, commit) == 0) return true;
  }
  return false;
}

/* Returns the commit at [position] or, when that could not be built, the nearest
   other one between two measured versions; NULL when there is none. */
static const struct ordered_commit *buildable(const struct series *s,
                                              int64_t position)
{
  int64_t count = (int64_t) s->order->count;
  bool measured = is_measured(s, position), open[2] = { true, true };
  for (int64_t off = 0; open[0] || open[1]; off++)
    for (int side = 0; side < 2; side++) {
      int64_t at = side == 0 ? position - off : position + off;
      open[side] = open[side] && at >= 0 && at < count
                   && (measured ? off == 0 : !is_measured(s, at));
      if (open[side] && !cannot_be_built(s, s->order->list[at].hash))
        return &s->order->list[at];
    }
  return NULL;
}

size_t next_commits(const struct series *s, const struct shift *shift,
                    const struct ordered_commit *commits[NEXT_COMMITS])
{
  int64_t positions[NEXT_COMMITS];
  size_t made = 0;
  if (!s->by_commits) return 0;
  struct series_point *points = allocate(s->count, sizeof *points);
  for (size_t i = 0; i < s->count; i++)
    points[i] = (struct series_point) { .position = s->versions[i].position };
  struct change_point change = { .index = shift->index, .low = shift->low,
                                 .high = shift->high, .before = shift->before };
  size_t count = next_positions(&change, points, positions, NEXT_COMMITS);
  free(points);
  for (size_t i = 0; i < count; i++) {
    const struct ordered_commit *c = buildable(s, positions[i]);
    if (c != NULL) commits[made++] = c;
  }
  return made;
}

/* Prints [text] as one word of a shell. */
static void print_word(FILE *out, const char *text)
{
  static const char plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (*text != '\0' && text[strspn(text, plain)] == '\0') {
    fputs(text, out);
    return;
  }
  putc('\'', out);
  for (; *text != '\0'; text++)
    if (*text == '\'') fputs("'\\''", out);
    else putc(*text, out);
  putc('\'', out);
}

/* Prints the variables with names that begin with [prefix] as assignments of a
   shell, each with a space after it. */
static void print_variables(FILE *out, const json_t *variables,
                            const char *prefix)
{
  const char *name;
  json_t *value;
  json_object_foreach((json_t *) variables, name, value)
    if (strncmp(name, prefix, strlen(prefix)) == 0
        && json_string_value(value) != NULL) {
      fprintf(out, "%s=", name);
      print_word(out, json_string_value(value));
      putc(' ', out);
    }
}

/* Returns the variables of the plan's first command with these arguments. */
static const json_t *variables_of(const json_t *plan, const json_t *argv)
{
  size_t i;
  json_t *command;
  json_array_foreach(json_object_get(plan, "commands"), i, command)
    if (json_equal(json_object_get(command, "argv"), argv))
      return json_object_get(command, "variables");
  return NULL;
}

/* Returns a space and batch's option for the events to record, or "". */
static const char *trace_option(const json_t *plan)
{
  const char *trace = json_string_value(json_object_get(plan, "trace"));
  return trace == NULL ? ""
         : strcmp(trace, "none") == 0 ? " --no-trace"
         : strcmp(trace, "all") == 0 ? " --stock-events" : "";
}

char *next_command(const struct series *s, const struct ordered_commit *commit,
                   char **folder)
{
  const json_t *plan = json_object_get(s->plan, "commits"),
    *facts = s->versions[s->count - 1].facts,
    *argv = json_array_get(json_object_get(facts, "argv"), 0),
    *runs = json_object_get(json_object_get(s->plan, "limits"), "runs");
  const char *build = json_string_value(json_object_get(plan, "build")),
    *repository = json_string_value(json_object_get(plan, "repository")),
    *prefix = json_string_value(json_object_get(plan, "prefix"));
  if (build == NULL || repository == NULL || argv == NULL) return NULL;
  if (prefix == NULL) prefix = "";
  if (asprintf(folder, "%s%s%s", repository, *prefix != '\0' ? "/" : "",
               prefix) < 0)
    out_of_memory();
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) out_of_memory();
  print_variables(out, json_object_get(s->plan, "environment"), "OCAML");
  fprintf(out, "eventring batch --commits='%.12s^!' --build=", commit->hash);
  print_word(out, build);
  fputs(trace_option(s->plan), out);
  if (json_is_integer(runs))
    fprintf(out, " --runs=%" JSON_INTEGER_FORMAT, json_integer_value(runs));
  fputs(" -- ", out);
  print_variables(out, variables_of(s->plan, argv), "");
  for (size_t i = 0; i < json_array_size(argv); i++) {
    const char *word = json_string_value(json_array_get(argv, i));
    if (i > 0) putc(' ', out);
    print_word(out, word != NULL ? word : "?");
  }
  fclose(out);
  return text;
}
