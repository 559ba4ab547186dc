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

#include <math.h>
#include <stdlib.h>
#include "json.h"
#include "runs/causes.h"
#include "runs/series_json.h"
#include "runs/values.h"

/* Returns [text] as a new JSON string, or null for NULL. */
static json_t *text_or_null(const char *text)
{
  return text != NULL ? json_text(text) : json_null();
}

static json_t *json_version(const struct version *v)
{
  return json_pack("{s:o, s:o, s:o, s:I, s:o, s:I}", "name", json_text(v->name),
                   "commit", text_or_null(v->commit),
                   "subject", text_or_null(v->subject),
                   "position", (json_int_t) v->position,
                   "started", text_or_null(v->started),
                   "runs", (json_int_t) v->runs);
}

static json_t *json_change(const struct figure_change *c)
{
  const struct change_point *p = &c->point;
  json_t *object = json_pack(
    "{s:I, s:I, s:I, s:I, s:o}", "index", (json_int_t) p->index,
    "low", (json_int_t) p->low, "high", (json_int_t) p->high,
    "before", (json_int_t) p->before, "step", json_known(p->step));
  json_t *rest = json_pack(
    "{s:o, s:o, s:o, s:o, s:o, s:b}",
    "median_before", json_known(c->median_before),
    "median_after", json_known(c->median_after),
    "confidence", json_known(p->confidence), "p", json_known(c->p),
    "adjusted_p", json_known(c->adjusted_p), "listed", c->listed);
  json_object_update(object, rest);
  json_decref(rest);
  return object;
}

static json_t *json_figure(const struct series *s,
                           const struct figure_series *f)
{
  json_t *medians = json_array(), *outliers = json_array(),
    *changes = json_array();
  for (size_t i = 0; i < s->count; i++) {
    json_array_append_new(medians, json_known(f->medians[i]));
    if (f->outliers[i])
      json_array_append_new(outliers, json_integer((json_int_t) i));
  }
  for (size_t i = 0; i < f->change_count; i++)
    json_array_append_new(changes, json_change(&f->changes[i]));
  return json_pack("{s:o, s:b, s:s, s:s, s:o, s:o, s:o}",
                   "name", json_text(f->name), "main", is_main_figure(f->name),
                   "unit", f->unit,
                   "better", f->direction == METRIC_NEUTRAL ? "neutral"
                                                            : "less",
                   "medians", medians, "outliers", outliers,
                   "changes", changes);
}

static json_t *json_commits(const struct causes *causes)
{
  json_t *array = json_array();
  for (size_t i = 0; i < causes->commit_count; i++) {
    const struct cause_commit *c = &causes->commits[i];
    json_array_append_new(array, json_pack(
      "{s:o, s:o, s:b, s:b}", "commit", json_text(c->hash),
      "subject", json_text(c->subject), "measured", c->measured,
      "likely", c->likely));
  }
  return array;
}

static json_t *json_functions(const struct causes *causes)
{
  json_t *array = json_array();
  for (size_t i = 0; i < causes->function_count; i++) {
    const struct cause_function *f = &causes->functions[i];
    json_array_append_new(array, json_pack(
      "{s:o, s:f, s:f, s:f}", "name", json_text(f->name),
      "before", f->before, "after", f->after, "adjusted_p", f->adjusted_p));
  }
  return array;
}

static json_t *json_next(const struct series *s, const struct shift *shift)
{
  const struct ordered_commit *commits[NEXT_COMMITS];
  size_t count = next_commits(s, shift, commits);
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    char *folder = NULL, *command = next_command(s, commits[i], &folder);
    json_array_append_new(array, json_pack(
      "{s:o, s:o, s:o, s:o}", "commit", json_text(commits[i]->hash),
      "subject", json_text(commits[i]->subject),
      "directory", text_or_null(folder), "command", text_or_null(command)));
    free(folder);
    free(command);
  }
  return array;
}

static json_t *json_shift(const struct series *s, const struct shift *shift)
{
  struct causes causes = find_causes(s, shift);
  json_t *figures = json_array();
  for (size_t i = 0; i < shift->count; i++)
    json_array_append_new(figures, json_text(
      s->figures[shift->members[i].figure].name));
  json_t *object = json_pack(
    "{s:I, s:I, s:I, s:I, s:o, s:o, s:O, s:o, s:o}",
    "index", (json_int_t) shift->index, "low", (json_int_t) shift->low,
    "high", (json_int_t) shift->high, "before", (json_int_t) shift->before,
    "figures", figures, "commits", json_commits(&causes),
    "manifest", causes.manifest, "functions", json_functions(&causes),
    "next", json_next(s, shift));
  free_causes(&causes);
  return object;
}

static json_t *json_one_series(const struct series *s)
{
  json_t *versions = json_array(), *figures = json_array(),
    *shifts = json_array();
  for (size_t i = 0; i < s->count; i++)
    json_array_append_new(versions, json_version(&s->versions[i]));
  for (size_t f = 0; f < s->figure_count; f++)
    if (s->figures[f].searched)
      json_array_append_new(figures, json_figure(s, &s->figures[f]));
  for (size_t i = 0; i < s->shift_count; i++)
    json_array_append_new(shifts, json_shift(s, &s->shifts[i]));
  return json_pack(
    "{s:o, s:o, s:o, s:s, s:I, s:I, s:b, s:o, s:o, s:o}",
    "name", json_text(s->name), "machine", json_text(s->machine),
    "processor", text_or_null(s->processor),
    "order", s->by_commits ? "commits" : "time", "runs", (json_int_t) s->runs,
    "failed", (json_int_t) s->failed, "enough", s->count >= SERIES_LEAST,
    "versions", versions, "figures", figures, "changes", shifts);
}

json_t *json_series(const struct timeline_result *result)
{
  json_t *series = json_array();
  for (size_t i = 0; i < result->count; i++)
    json_array_append_new(series, json_one_series(&result->list[i]));
  return json_pack("{s:i, s:I, s:I, s:I, s:o, s:O}", "version", JSON_VERSION,
                   "tests", (json_int_t) result->searched,
                   "uncertain", (json_int_t) result->uncertain,
                   "small", (json_int_t) result->small, "series", series,
                   "warnings", result->warnings);
}
