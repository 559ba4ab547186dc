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
#include "json.h"
#include "memory.h"
#include "runs/batch.h"
#include "runs/series.h"

/* Facts that make another version, besides the commit. */
static const char *const version_facts[] = {
  "packages.*", "compiler.*", "environment.*", "program.libraries.*.xxh64"
};

#define DIGITS 12                 /* of a commit in names */

/* A group with runs, and where it belongs to. */
struct member {
  const struct run_group *group;
  char *series, *version;         /* keys */
  char *name;
  const char *commit, *machine;
  const json_t *plan;
};

/* Groups */

/* Returns the only value of [fact] in [group], or NULL. */
static const json_t *only_value(const struct run_group *group, const char *fact)
{
  const json_t *values = json_object_get(group->facts, fact);
  return json_array_size(values) == 1 ? json_array_get(values, 0) : NULL;
}

static const char *only_text(const struct run_group *group, const char *fact)
{
  return json_string_value(only_value(group, fact));
}

/* Returns the command of [group] in the batch [plan], or NULL. */
static const json_t *command_of(const struct run_group *group,
                                const json_t *plan)
{
  return group->command < 1 ? NULL
         : json_array_get(json_object_get(plan, "commands"),
                          (size_t) group->command - 1);
}

/* Returns the name of the program of [group]: the label of its command without
   the commit, or the name of its file. */
static const char *label_of(const struct run_group *group, const json_t *plan)
{
  const json_t *command = command_of(group, plan);
  const char *label = json_string_value(json_object_get(command, "label"));
  const char *commit = json_string_value(json_object_get(command, "commit"));
  size_t cut = commit == NULL ? 0 : strnlen(commit, DIGITS);
  if (label != NULL && commit != NULL && strncmp(label, commit, cut) == 0) {
    label += cut;
    label += *label == ' ';
  }
  if (label != NULL && *label != '\0') return label;
  label = json_string_value(json_array_get(only_value(group, "argv"), 0));
  if (label == NULL) return "?";
  const char *slash = strrchr(label, '/');
  return slash != NULL ? slash + 1 : label;
}

/* Returns whether [text] ends with [end]. */
static bool ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Returns the name of the program with its arguments, which the caller frees.
   Labels that tell commands apart may have the arguments already. */
static char *name_of(const struct run_group *group, const json_t *plan)
{
  const json_t *argv = only_value(group, "argv");
  const char *label = label_of(group, plan);
  char *name = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&name, &size);
  if (out == NULL) out_of_memory();
  for (size_t i = 1; i < json_array_size(argv); i++) {
    const char *argument = json_string_value(json_array_get(argv, i));
    fprintf(out, " %s", argument != NULL ? argument : "?");
  }
  fclose(out);
  char *both;
  if (asprintf(&both, "%s%s", label,
               name == NULL || ends_with(label, name) ? "" : name) < 0)
    out_of_memory();
  free(name);
  return both;
}

static bool is_version_fact(const char *name, bool built)
{
  for (size_t i = 0; i < sizeof version_facts / sizeof *version_facts; i++)
    if (fnmatch(version_facts[i], name, 0) == 0) return true;
  /* The programs of two worktrees of one commit may differ by their folders. */
  return !built && (strcmp(name, "git.changes_xxh64") == 0
                    || strcmp(name, "program.executable.xxh64") == 0);
}

/* Returns the key of the version of [group], which the caller frees: groups of
   one commit are one version unless something else changed; without a commit,
   runs of one command of a batch. */
static char *version_key(const struct run_group *group, const json_t *plan,
                         const char *commit)
{
  const char *name;
  json_t *values;
  if (commit == NULL) {
    char *key;
    if (asprintf(&key, "%s/%" JSON_INTEGER_FORMAT, group->folder,
                 group->command) < 0)
      out_of_memory();
    return key;
  }
  bool built = json_object_get(command_of(group, plan), "commit") != NULL;
  json_t *facts = json_object();
  json_object_set_new(facts, "", json_string(commit));
  json_object_foreach(group->facts, name, values) {
    if (is_version_fact(name, built)) json_object_set(facts, name, values);
  }
  char *key = dump_json(facts, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(facts);
  return key;
}

/* Returns batch.json of the folder of [group], or JSON null. */
static const json_t *plan_of(json_t *plans, const struct run_group *group)
{
  char why[512];
  json_t *plan = json_object_get(plans, group->folder);
  if (plan != NULL) return plan;
  plan = read_batch(group->folder, why, sizeof why);
  if (plan == NULL) plan = json_null();
  json_object_set_new(plans, group->folder, plan);
  return plan;
}

/* Adds a warning of the flaws of one kind of all groups: their number, [text],
   and an example. */
static void warn_of_flaws(json_t *warnings, const struct run_groups *groups,
                          size_t offset, const char *text)
{
  const struct run_group *first = NULL;
  const struct flaw *example = NULL;
  size_t runs = 0;
  for (size_t i = 0; i < groups->count; i++) {
    const struct run_group *group = &groups->list[i];
    const struct flaw *flaw =
      (const struct flaw *) (const void *) ((const char *) group + offset);
    runs += flaw->runs;
    if (first != NULL || flaw->runs == 0) continue;
    first = group;
    example = flaw;
  }
  if (first != NULL)
    add_warning(warnings, "%zu run%s %s: %s: %s", runs, runs == 1 ? "" : "s",
                text, first->name, example->example);
}

static void warn_of_runs(json_t *warnings, const struct run_groups *groups)
{
  size_t lossy = 0;
  warn_of_flaws(warnings, groups, offsetof(struct run_group, unreadable),
                "cannot be read, and left out");
  warn_of_flaws(warnings, groups, offsetof(struct run_group, failed),
                "failed, and left out");
  warn_of_flaws(warnings, groups, offsetof(struct run_group, changed),
                "changed afterwards");
  for (size_t i = 0; i < groups->count; i++) lossy += groups->list[i].lossy;
  if (lossy > 0)
    add_warning(warnings, "%zu run%s lost events, so figures of events are "
                "too low", lossy, lossy == 1 ? "" : "s");
}

/* Describes the group [group] in *member.  Returns false, perhaps with a warning,
   when it has no runs of one machine. */
static bool describe_group(struct timeline_result *result,
                           const struct run_group *group,
                           struct member *member)
{
  if (group->count == 0) return false;
  if (json_array_size(json_object_get(group->facts, "machine.key")) > 1) {
    add_warning(result->warnings, "%s has runs of several machines, and is "
                "left out", group->name);
    return false;
  }
  const char *machine = only_text(group, "machine.key");
  const json_t *plan = plan_of(result->plans, group);
  *member = (struct member) {
    .group = group, .plan = plan, .name = name_of(group, plan),
    .machine = machine != NULL ? machine : "",
    .commit = only_text(group, "git.commit")
  };
  member->version = version_key(group, plan, member->commit);
  json_t *key = json_pack("[s, o]", label_of(group, plan),
                          json_array());
  const json_t *argv = only_value(group, "argv");
  for (size_t i = 1; i < json_array_size(argv); i++)
    json_array_append(json_array_get(key, 1), json_array_get(argv, i));
  json_array_append_new(key, json_string(member->machine));
  member->series = dump_json(key, JSON_COMPACT);
  json_decref(key);
  return true;
}

/* Order */

static int by_series(const void *x, const void *y)
{
  const struct member *a = x, *b = y;
  int order = strcmp(a->series, b->series);
  if (order == 0) order = strcmp(a->group->started, b->group->started);
  if (order == 0) order = strcmp(a->group->folder, b->group->folder);
  if (order == 0) order = a->group->command < b->group->command ? -1
                          : a->group->command > b->group->command;
  if (order == 0) order = a->group->number < b->group->number ? -1
                          : a->group->number > b->group->number;
  return order;
}

static int by_position(const void *x, const void *y)
{
  const struct version *a = x, *b = y;
  if (a->position != b->position) return a->position < b->position ? -1 : 1;
  return strcmp(a->started, b->started);
}

/* Returns the order of the commits of the versions of [s]: of the repository of
   the batch, of the folder in which the first group ran, or of the present
   directory; NULL if none of them has all commits. */
static struct commit_order *find_order(const struct series *s,
                                       const struct member *first)
{
  const char *const folders[] = {
    json_string_value(json_object_get(json_object_get(first->plan, "commits"),
                                      "repository")),
    only_text(first->group, "directory"), "."
  };
  json_t *commits = json_object();
  bool known = true;
  struct commit_order *order = NULL;
  for (size_t i = 0; i < s->count; i++)
    if (s->versions[i].commit == NULL) known = false;
    else json_object_set_new(commits, s->versions[i].commit, json_true());
  for (size_t k = 0; known && order == NULL
                     && k < sizeof folders / sizeof *folders; k++) {
    if (folders[k] == NULL) continue;
    order = order_commits(folders[k], commits);
    for (size_t i = 0; order != NULL && i < s->count; i++)
      if (place_of_commit(order, s->versions[i].commit) < 0) {
        free_commit_order(order);
        order = NULL;
      }
  }
  json_decref(commits);
  return order;
}

/* Puts the versions of [s] in their order. */
static void sort_versions(struct series *s)
{
  s->by_commits = s->order != NULL;
  for (size_t i = 0; i < s->count; i++) {
    struct version *v = &s->versions[i];
    v->position = s->by_commits ? place_of_commit(s->order, v->commit)
                                : (int64_t) i;
    if (!s->by_commits) continue;
    v->subject = s->order->list[v->position].subject;
    snprintf(v->short_commit, sizeof v->short_commit, "%.*s", DIGITS,
             v->commit);
    v->name = v->short_commit;
  }
  if (s->by_commits && s->count > 1)
    qsort(s->versions, s->count, sizeof *s->versions, by_position);
  /* The array does not move any more. */
  for (size_t i = 0; s->by_commits && i < s->count; i++)
    s->versions[i].name = s->versions[i].short_commit;
}

/* Values */

/* Adds the values of the runs of [group] to the version with the place [place]
   before sorting; [names] has the places of figures. */
static void add_values(struct series *s, json_t *names, size_t versions,
                       size_t place, const struct run_group *group)
{
  for (size_t r = 0; r < group->count; r++)
    for (size_t k = 0; k < group->figures[r].count; k++) {
      const struct metric *m = &group->figures[r].list[k];
      const json_t *at = json_object_get(names, m->name);
      if (!isfinite(m->value)) continue;
      size_t f = at != NULL ? (size_t) json_integer_value(at)
                            : s->figure_count;
      if (at == NULL) {
        json_object_set_new(names, m->name, json_integer((json_int_t) f));
        s->figures = reallocate(s->figures, f + 1, sizeof *s->figures);
        s->figures[f] = (struct figure_series) {
          .name = m->name, .unit = m->unit, .direction = m->direction,
          .values = allocate(versions, sizeof *s->figures[f].values)
        };
        s->figure_count++;
      }
      struct version_values *values = &s->figures[f].values[place];
      values->list = with_room(values->list, values->count, &values->room,
                               sizeof *values->list);
      values->list[values->count++] = m->value;
    }
}

/* Brings the values of all figures, which are in the order of [versions], to the
   order of the versions of [s], and computes the medians. */
static void sort_values_of(struct series *s, const struct version *versions)
{
  for (size_t f = 0; f < s->figure_count; f++) {
    struct figure_series *figure = &s->figures[f];
    struct version_values *sorted = allocate(s->count, sizeof *sorted);
    figure->medians = allocate(s->count, sizeof *figure->medians);
    figure->outliers = allocate(s->count, sizeof *figure->outliers);
    for (size_t i = 0; i < s->count; i++) {
      size_t k = 0;
      while (versions[k].facts != s->versions[i].facts) k++;
      sorted[i] = figure->values[k];
      figure->medians[i] = median_of(sorted[i].list, sorted[i].count);
      figure->points += sorted[i].count > 0;
    }
    free(figure->values);
    figure->values = sorted;
  }
}

/* Makes the series of [count] members with the same key, sorted by time. */
static struct series one_series(const struct member *members, size_t count)
{
  struct series s = {
    .name = strdup(members[0].name), .machine = members[0].machine,
    .processor = only_text(members[0].group, "machine.processor.model"),
    .plan = members[count - 1].plan,
    .versions = allocate(count, sizeof *s.versions)
  };
  if (s.name == NULL) out_of_memory();
  json_t *places = json_object(), *names = json_object();
  for (size_t i = 0; i < count; i++) {
    const struct run_group *group = members[i].group;
    const json_t *at = json_object_get(places, members[i].version);
    size_t place = at != NULL ? (size_t) json_integer_value(at) : s.count;
    if (at == NULL) {
      json_object_set_new(places, members[i].version,
                          json_integer((json_int_t) place));
      s.versions[s.count++] = (struct version) {
        .commit = members[i].commit, .started = group->started,
        .name = group->name, .facts = json_object()
      };
    }
    merge_facts(s.versions[place].facts, group->facts);
    s.versions[place].runs += group->count;
    s.runs += group->count;
    s.failed += group->failed.runs;
    add_values(&s, names, count, place, group);
  }
  json_decref(places);
  json_decref(names);
  s.order = find_order(&s, &members[0]);
  struct version *by_time = allocate(s.count, sizeof *by_time);
  memcpy(by_time, s.versions, s.count * sizeof *by_time);
  sort_versions(&s);
  sort_values_of(&s, by_time);
  free(by_time);
  return s;
}

/* Changes */

static bool is_searched(const struct figure_series *f,
                        const char *const *patterns)
{
  if (f->points < SERIES_LEAST) return false;
  if (patterns[0] == NULL) return strncmp(f->name, "functions.", 10) != 0;
  for (size_t i = 0; patterns[i] != NULL; i++)
    if (strcmp(patterns[i], f->name) == 0
        || fnmatch(patterns[i], f->name, 0) == 0)
      return true;
  return false;
}

/* Returns the median of the medians of the versions from [from] up to [to] that
   are no outliers. */
static double level(const struct figure_series *f, size_t from, size_t to)
{
  double *values = allocate(to - from + 1, sizeof *values);
  size_t count = 0;
  for (size_t i = from; i < to; i++)
    if (isfinite(f->medians[i]) && !f->outliers[i])
      values[count++] = f->medians[i];
  double median = median_of(values, count);
  free(values);
  return median;
}

/* Looks for changes of [f] in the versions of [s]. */
static void search_figure(const struct series *s, struct figure_series *f)
{
  struct series_point *points = allocate(s->count, sizeof *points);
  size_t *where = allocate(s->count, sizeof *where), count = 0;
  for (size_t i = 0; i < s->count; i++) {
    if (f->values[i].count == 0) continue;
    where[count] = i;
    points[count++] = (struct series_point) {
      f->values[i].list, f->values[i].count, s->versions[i].position, 0
    };
  }
  struct change_points *found = find_change_points(points, count, 1);
  for (size_t i = 0; i < count; i++) f->outliers[where[i]] = found->outliers[i];
  f->changes = allocate(found->count, sizeof *f->changes);
  f->change_count = found->count;
  for (size_t i = 0; i < found->count; i++) {
    struct change_point p = found->list[i];
    f->changes[i] = (struct figure_change) {
      .point = { where[p.index], where[p.low], where[p.high], where[p.before],
                 p.step, p.confidence },
      .p = 1 - p.confidence
    };
  }
  for (size_t i = 0; i < f->change_count; i++) {
    struct figure_change *c = &f->changes[i];
    c->median_before = level(f, i > 0 ? f->changes[i - 1].point.index : 0,
                             c->point.index);
    c->median_after = level(f, c->point.index, i + 1 < f->change_count
                            ? f->changes[i + 1].point.index : s->count);
  }
  free_change_points(found);
  free(where);
  free(points);
}

/* Corrects the p values of all changes of all series together.  A figure without
   a change counts as a test with the p value 1. */
static void correct(struct timeline_result *result)
{
  double *p = NULL;
  size_t count = 0, room = 0;
  for (int pass = 0; pass < 2; pass++) {
    size_t at = 0;
    for (size_t i = 0; i < result->count; i++)
      for (size_t f = 0; f < result->list[i].figure_count; f++) {
        struct figure_series *figure = &result->list[i].figures[f];
        size_t tests = !figure->searched ? 0 : figure->change_count == 0 ? 1
                       : figure->change_count;
        for (size_t k = 0; k < tests; k++) {
          struct figure_change *c = figure->change_count > 0
                                    ? &figure->changes[k] : NULL;
          if (pass == 0) {
            p = with_room(p, count, &room, sizeof *p);
            p[count++] = c != NULL ? c->p : 1;
          } else if (c != NULL) c->adjusted_p = p[at];
          at++;
        }
      }
    if (pass == 0) adjust_p_values(p, count);
  }
  result->searched = count;
  free(p);
}

static void choose_listed(struct timeline_result *result)
{
  for (size_t i = 0; i < result->count; i++)
    for (size_t f = 0; f < result->list[i].figure_count; f++)
      for (size_t k = 0; k < result->list[i].figures[f].change_count; k++) {
        struct figure_change *c = &result->list[i].figures[f].changes[k];
        bool certain = c->adjusted_p <= 0.05;
        c->listed = certain && fabs(c->point.step) >= SMALLEST_STEP;
        result->uncertain += !certain;
        result->small += certain && !c->listed;
      }
}

/* Shifts */

/* Returns whether [a] says better than [b] where the shift is. */
static bool is_sharper(const struct change_point *a,
                       const struct change_point *b)
{
  size_t x = a->high - a->low, y = b->high - b->low;
  return x != y ? x < y : fabs(a->step) > fabs(b->step);
}

/* Adds the change number [k] of the figure [f] to the shift that it overlaps, or
   to a new one. */
static void add_to_shift(struct series *s, size_t f, size_t k)
{
  const struct change_point *p = &s->figures[f].changes[k].point;
  struct shift *shift = NULL;
  for (size_t i = 0; i < s->shift_count && shift == NULL; i++)
    if (p->low <= s->shifts[i].high && p->high >= s->shifts[i].low)
      shift = &s->shifts[i];
  if (shift == NULL) {
    s->shifts = reallocate(s->shifts, s->shift_count + 1, sizeof *s->shifts);
    shift = &s->shifts[s->shift_count++];
    *shift = (struct shift) { .before = p->before, .low = p->low,
                              .index = p->index, .high = p->high };
  }
  if (p->low > shift->low) {
    shift->low = p->low;
    shift->before = p->before;
  }
  if (p->high < shift->high) shift->high = p->high;
  if (shift->index < shift->low) shift->index = shift->low;
  if (shift->index > shift->high) shift->index = shift->high;
  shift->members = with_room(shift->members, shift->count, &shift->room,
                             sizeof *shift->members);
  shift->members[shift->count++] = (struct shift_member) { f, k };
}

struct place { size_t figure, change; const struct change_point *point; };

static int by_sharpness(const void *x, const void *y)
{
  const struct place *a = x, *b = y;
  if (is_sharper(a->point, b->point)) return -1;
  if (is_sharper(b->point, a->point)) return 1;
  return a->figure < b->figure ? -1 : a->figure > b->figure;
}

static int by_index(const void *x, const void *y)
{
  const struct shift *a = x, *b = y;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* Brings the main figures of [shift] to the front. */
static void put_main_first(const struct series *s, struct shift *shift)
{
  struct shift_member *sorted = allocate(shift->count, sizeof *sorted);
  size_t made = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < shift->count; i++)
      if (is_main_figure(s->figures[shift->members[i].figure].name)
          == (pass == 0))
        sorted[made++] = shift->members[i];
  free(shift->members);
  shift->members = sorted;
}

/* Makes shifts of the listed changes; those with the smallest ranges decide where
   they are. */
static void make_shifts(struct series *s)
{
  struct place *places = NULL;
  size_t count = 0, room = 0;
  for (size_t f = 0; f < s->figure_count; f++)
    for (size_t k = 0; k < s->figures[f].change_count; k++) {
      if (!s->figures[f].changes[k].listed) continue;
      places = with_room(places, count, &room, sizeof *places);
      places[count++] = (struct place) { f, k, &s->figures[f].changes[k].point };
    }
  if (count > 1) qsort(places, count, sizeof *places, by_sharpness);
  for (size_t i = 0; i < count; i++)
    add_to_shift(s, places[i].figure, places[i].change);
  free(places);
  if (s->shift_count > 1)
    qsort(s->shifts, s->shift_count, sizeof *s->shifts, by_index);
  for (size_t i = 0; i < s->shift_count; i++) {
    put_main_first(s, &s->shifts[i]);
    s->shifts[i].from = i > 0 ? s->shifts[i - 1].index : 0;
    s->shifts[i].to = i + 1 < s->shift_count ? s->shifts[i + 1].index
                                             : s->count;
  }
}

/* All */

static void add_series(struct timeline_result *result,
                       const struct member *members, size_t count,
                       const char *const *patterns)
{
  result->list = reallocate(result->list, result->count + 1,
                            sizeof *result->list);
  result->orders = reallocate(result->orders, result->count + 1,
                              sizeof *result->orders);
  struct series *s = &result->list[result->count];
  *s = one_series(members, count);
  result->orders[result->count++] =
    (struct commit_order *) (uintptr_t) s->order;
  for (size_t f = 0; f < s->figure_count; f++) {
    s->figures[f].searched = is_searched(&s->figures[f], patterns);
    if (s->figures[f].searched) search_figure(s, &s->figures[f]);
  }
}

struct timeline_result *make_series(const struct run_groups *groups,
                                    const char *const *patterns)
{
  struct timeline_result *result = allocate(1, sizeof *result);
  struct member *members = allocate(groups->count + 1, sizeof *members);
  size_t count = 0;
  result->warnings = json_array();
  result->plans = json_object();
  warn_of_runs(result->warnings, groups);
  for (size_t i = 0; i < groups->count; i++)
    count += describe_group(result, &groups->list[i], &members[count]);
  if (count > 1) qsort(members, count, sizeof *members, by_series);
  for (size_t i = 0, next; i < count; i = next) {
    next = i + 1;
    while (next < count && strcmp(members[i].series, members[next].series) == 0)
      next++;
    add_series(result, members + i, next - i, patterns);
  }
  correct(result);
  choose_listed(result);
  for (size_t i = 0; i < result->count; i++) make_shifts(&result->list[i]);
  for (size_t i = 0; i < count; i++) {
    free(members[i].series);
    free(members[i].version);
    free(members[i].name);
  }
  free(members);
  return result;
}

bool has_matching_figure(const struct timeline_result *result,
                         const char *pattern)
{
  for (size_t i = 0; i < result->count; i++)
    for (size_t f = 0; f < result->list[i].figure_count; f++)
      if (strcmp(pattern, result->list[i].figures[f].name) == 0
          || fnmatch(pattern, result->list[i].figures[f].name, 0) == 0)
        return true;
  return false;
}

static void free_one(struct series *s)
{
  for (size_t f = 0; f < s->figure_count; f++) {
    for (size_t i = 0; i < s->count; i++) free(s->figures[f].values[i].list);
    free(s->figures[f].values);
    free(s->figures[f].medians);
    free(s->figures[f].outliers);
    free(s->figures[f].changes);
  }
  for (size_t i = 0; i < s->count; i++) json_decref(s->versions[i].facts);
  for (size_t i = 0; i < s->shift_count; i++) free(s->shifts[i].members);
  free(s->figures);
  free(s->versions);
  free(s->shifts);
  free(s->name);
}

void free_series(struct timeline_result *result)
{
  for (size_t i = 0; i < result->count; i++) {
    free_one(&result->list[i]);
    free_commit_order(result->orders[i]);
  }
  free(result->list);
  free(result->orders);
  json_decref(result->warnings);
  json_decref(result->plans);
  free(result);
}
