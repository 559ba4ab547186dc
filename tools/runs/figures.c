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
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "memory.h"
#include "runs/figures.h"

/* Room for the name of a figure; longer ones are cut. */
#define NAME_SIZE 256

bool is_main_figure(const char *name)
{
  static const char *const names[] = {
    "wall_ns", "cpu_ns", "max_rss_bytes", "total.gc_ns",
    "total.pauses.any.p99_ns", "total.allocated_words",
    "total.gc_ns/s", "total.allocated_words/s"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* Returns whether the figure [name] only repeats another one, or describes the
   recording and not the program. */
static bool is_left_out(const char *name)
{
  return strcmp(name, "total.events") == 0
         || strcmp(name, "total.watched_ns") == 0
         || strcmp(name, "total.active_gc_share") == 0
         || fnmatch("total.*.count", name, 0) == 0;
}

/* Returns the direction of the figure [name]: neutral for amounts of work, and
   for times in which the program did its own work or waited. */
static enum metric_direction direction_of(const char *name)
{
  static const char *const neutral[] = {
    "*.count", "total.running_ns", "total.idle_gc_ns", "total.explicit_calls",
    "total.wait*", "total.pauses.while_waiting.*", "requests.*.waiting.*",
    "total.heap.*", "*_switches", "functions.*", "counters.*"
  };
  for (size_t i = 0; i < sizeof neutral / sizeof *neutral; i++)
    if (fnmatch(neutral[i], name, 0) == 0) return METRIC_NEUTRAL;
  return METRIC_LESS_IS_BETTER;
}

/* Returns the unit at the end of [name], "" for a number. */
static const char *unit_of(const char *name)
{
  static const char *const units[] = { "ns", "bytes", "words", "share" };
  const char *end = strrchr(name, '_');
  for (size_t i = 0; end != NULL && i < sizeof units / sizeof *units; i++)
    if (strcmp(end + 1, units[i]) == 0) return units[i];
  return "";
}

/* Adds the figure [name]: the mean of [samples] values inside of the run with the
   standard deviation [deviation], or a value of its own for 0 samples. */
static void add_mean(struct run_figures *f, const char *name, double value,
                     double samples, double deviation)
{
  if (is_left_out(name)) return;
  json_t *text = json_text(name);  /* a name that was cut may be no UTF-8 */
  char *copy = strdup(json_string_value(text));
  if (copy == NULL) out_of_memory();
  json_decref(text);
  f->list = with_room(f->list, f->count, &f->room, sizeof *f->list);
  f->list[f->count++] = (struct metric) {
    .name = copy, .unit = unit_of(name), .direction = direction_of(name),
    .value = value, .samples = (size_t) samples,
    .variance = deviation * deviation
  };
}

void add_figure(struct run_figures *f, const char *name, double value)
{
  add_mean(f, name, value, 0, 0);
}

/* Returns the number [member] of [object], or NAN when it is none that a run
   has: files may hold anything. */
static double number(const json_t *object, const char *member)
{
  const json_t *value = json_object_get(object, member);
  double n = json_number_value(value);
  return json_is_number(value) && n >= 0 && n < 0x1p63 ? n : (double) NAN;
}

/* Adds the mean of [durations], an object of doc/JSON.md, called [name]. */
static void add_mean_duration(struct run_figures *f, const char *name,
                              const json_t *durations)
{
  char path[NAME_SIZE];
  double count = number(durations, "count");
  double deviation = number(durations, "deviation_ns");
  if (!(count >= 1)) return;
  snprintf(path, sizeof path, "%s.mean_ns", name);
  add_mean(f, path, number(durations, "total_ns") / count,
           isnan(deviation) ? 0 : count, deviation);
}

/* Adds figures of [durations], an object of doc/JSON.md, called [name]. */
static void add_durations(struct run_figures *f, const char *name,
                          const json_t *durations)
{
  static const char *const members[] = { "p50_ns", "p99_ns", "max_ns" };
  char path[NAME_SIZE];
  double count = number(durations, "count");
  snprintf(path, sizeof path, "%s.count", name);
  add_figure(f, path, count);
  if (!(count >= 1)) return;
  add_mean_duration(f, name, durations);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    snprintf(path, sizeof path, "%s.%s", name, members[i]);
    add_figure(f, path, number(durations, members[i]));
  }
}

static bool is_durations(const json_t *value)
{
  return json_object_get(value, "p50_ns") != NULL;
}

/* Adds the numbers and durations in [object], called [name]. */
static void add_members(struct run_figures *f, const char *name, json_t *object)
{
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    char path[NAME_SIZE];
    snprintf(path, sizeof path, "%s.%s", name, key);
    if (is_durations(value)) add_durations(f, path, value);
    else if (json_is_number(value))
      add_figure(f, path, number(object, key));
    else if (json_is_object(value) && strchr(name, '.') == NULL)
      add_members(f, path, value);
  }
}

/* Adds figures of the spans of the program. */
static void add_spans(struct run_figures *f, const json_t *spans)
{
  size_t i;
  json_t *span;
  json_array_foreach(spans, i, span) {
    char path[NAME_SIZE];
    const char *name = json_string_value(json_object_get(span, "name"));
    if (name == NULL || !json_is_true(json_object_get(span, "user"))) continue;
    snprintf(path, sizeof path, "spans.%.200s", name);
    add_durations(f, path, span);
  }
}

static void add_requests(struct run_figures *f, const json_t *requests)
{
  static const char *const parts[] = { "running", "waiting" };
  size_t i;
  json_t *request;
  json_array_foreach(requests, i, request) {
    char path[NAME_SIZE];
    const char *name = json_string_value(json_object_get(request, "name"));
    if (name == NULL) continue;
    snprintf(path, sizeof path, "requests.%.200s", name);
    add_durations(f, path, request);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      snprintf(path, sizeof path, "requests.%.200s.%s", name, parts[k]);
      add_mean_duration(f, path, json_object_get(request, parts[k]));
    }
  }
}

struct run_figures run_figures(const json_t *run)
{
  static const char *const of_process[] = {
    "user_ns", "system_ns", "max_rss_bytes", "minor_faults", "major_faults",
    "voluntary_switches", "involuntary_switches"
  };
  struct run_figures f = { .list = NULL };
  const json_t *process = json_object_get(run, "run"),
    *summary = json_object_get(run, "summary");
  add_figure(&f, "wall_ns", number(process, "wall_ns"));
  add_figure(&f, "cpu_ns",
             number(process, "user_ns") + number(process, "system_ns"));
  for (size_t i = 0; i < sizeof of_process / sizeof *of_process; i++)
    add_figure(&f, of_process[i], number(process, of_process[i]));
  add_members(&f, "total", json_object_get(summary, "total"));
  add_spans(&f, json_object_get(summary, "spans"));
  add_requests(&f, json_object_get(summary, "requests"));
  add_members(&f, "counters", json_object_get(summary, "counters"));
  return f;
}

static void free_name(const struct metric *m)
{
  free((char *) (uintptr_t) m->name);
}

/* Returns whether the figure [name] grows with the time that a process runs. */
static bool is_amount(const char *name)
{
  static const char *const others[] = {
    "*.p50_ns", "*.p99_ns", "*.max_ns", "*.mean_ns", "*_share", "*.heap.*",
    "counters.*"
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (fnmatch(others[i], name, 0) == 0) return false;
  return true;
}

struct run_figures recorded_figures(const json_t *summary)
{
  json_t *run = json_pack("{s:{}, s:O}", "run", "summary", summary);
  struct run_figures f = run_figures(run);
  const double seconds = (number(summary, "last_ns")
                          - number(summary, "first_ns")) / 1e9;
  json_decref(run);
  for (size_t i = 0; i < f.count; i++) {
    struct metric *m = &f.list[i];
    char *name;
    if (!is_amount(m->name)) continue;
    if (asprintf(&name, "%s/s", m->name) < 0) out_of_memory();
    free_name(m);
    m->name = name;
    m->value = seconds > 0 ? m->value / seconds : (double) NAN;
  }
  return f;
}

void remove_figure(struct run_figures *f, size_t index)
{
  free_name(&f->list[index]);
  f->count--;
  memmove(&f->list[index], &f->list[index + 1],
          (f->count - index) * sizeof *f->list);
}

void free_run_figures(struct run_figures *figures)
{
  for (size_t i = 0; i < figures->count; i++) free_name(&figures->list[i]);
  free(figures->list);
}

void remove_zeros(struct run_figures *runs, size_t count)
{
  json_t *names = json_object();
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < runs[i].count; k++)
      if (runs[i].list[k].value > 0)
        json_object_set_new(names, runs[i].list[k].name, json_true());
  for (size_t i = 0; i < count; i++) {
    size_t kept = 0;
    for (size_t k = 0; k < runs[i].count; k++) {
      struct metric m = runs[i].list[k];
      if (json_object_get(names, m.name) != NULL) runs[i].list[kept++] = m;
      else free_name(&m);
    }
    runs[i].count = kept;
  }
  json_decref(names);
}
