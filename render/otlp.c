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

/* See otlp.h. */

#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "otlp.h"
#include "target.h"
#include "text.h"

/* Field numbers, by message. */
enum { REQUEST_RESOURCE_METRICS = 1 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPE_METRICS = 2 };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_SCOPE = 1, SCOPE_METRICS = 2 };
enum { SCOPE_NAME = 1, SCOPE_VERSION = 2 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2 };
enum { VALUE_STRING = 1, VALUE_INT = 3 };
enum {
  METRIC_FIELD_NAME = 1, METRIC_FIELD_DESCRIPTION = 2, METRIC_FIELD_UNIT = 3,
  METRIC_FIELD_GAUGE = 5, METRIC_FIELD_SUM = 7, METRIC_FIELD_HISTOGRAM = 9
};
enum { DATA_POINTS = 1, DATA_TEMPORALITY = 2, DATA_IS_MONOTONIC = 3 };
enum { CUMULATIVE = 2 };
enum {
  POINT_START = 2, POINT_TIME = 3, POINT_DOUBLE = 4, POINT_INT = 6,
  POINT_ATTRIBUTES = 7
};
enum {
  DURATIONS_START = 2, DURATIONS_TIME = 3, DURATIONS_COUNT = 4,
  DURATIONS_SUM = 5, DURATIONS_BUCKETS = 6, DURATIONS_BOUNDS = 7,
  DURATIONS_ATTRIBUTES = 9
};

/* Attributes */

/* Adds the KeyValue ([key], [value]) as field [field] of [m], and empties
   [value]. */
static void add_attribute(struct message *m, uint32_t field, const char *key,
                          struct message *value)
{
  struct message pair = { NULL, NULL, NULL };
  add_text(&pair, KEY_VALUE_KEY, key);
  add_message(&pair, KEY_VALUE_VALUE, value);
  add_message(m, field, &pair);
  free_message(&pair);
  free_message(value);
}

void otlp_add_text(struct message *m, uint32_t field, const char *key,
                   const char *text, size_t length)
{
  struct message value = { NULL, NULL, NULL };
  char *copy = allocate(3 * length + 1, 1);
  add_bytes(&value, VALUE_STRING, copy, copy_as_utf8(copy, text, length));
  free(copy);
  add_attribute(m, field, key, &value);
}

void otlp_add_integer(struct message *m, uint32_t field, const char *key,
                      int64_t n)
{
  struct message value = { NULL, NULL, NULL };
  add_number(&value, VALUE_INT, (uint64_t) n);
  add_attribute(m, field, key, &value);
}

/* Adds a text to the attributes of a resource, unless it is empty. */
static void add_fact(struct message *resource, const char *key,
                     const char *text)
{
  if (text[0] != '\0')
    otlp_add_text(resource, RESOURCE_ATTRIBUTES, key, text, strlen(text));
}

/* Adds the facts about the process of [info] to the attributes of a resource. */
static void add_process_facts(struct message *resource,
                              const struct eventring_info *info)
{
  const char *slash = strrchr(info->program, '/');
  const char *name = slash == NULL ? info->program : slash + 1;
  /* The name of a service that is not known, as the standard has it. */
  add_fact(resource, "service.name",
           name[0] != '\0' ? name : "unknown_service");
  otlp_add_integer(resource, RESOURCE_ATTRIBUTES, "process.pid", info->pid);
  add_fact(resource, "process.executable.name", name);
  add_fact(resource, "process.executable.path", info->program);
  add_fact(resource, "process.command", info->argv0);
  add_fact(resource, "process.runtime.name", "ocaml");
  add_fact(resource, "process.runtime.version", info->runtime);
}

void otlp_add_resource(struct message *m, const struct eventring_info *info)
{
  struct message resource = { NULL, NULL, NULL };
  add_process_facts(&resource, info);
  add_message(m, RESOURCE_RESOURCE, &resource);
  free_message(&resource);
}


void otlp_add_scope(struct message *m)
{
  struct message scope = { NULL, NULL, NULL };
  add_text(&scope, SCOPE_NAME, "eventring");
  add_text(&scope, SCOPE_VERSION, EVENTRING_READER_VERSION);
  add_message(m, SCOPE_SCOPE, &scope);
  free_message(&scope);
}

uint64_t otlp_time(const struct eventring_info *info, int64_t ns)
{
  return (uint64_t) info->started_realtime_ns
         + ((uint64_t) ns - (uint64_t) info->started_ns);
}

/* Metrics */

struct otlp_metrics {
  struct message scope;           /* ScopeMetrics */
  struct message metric, data, point, packed;     /* being made */
  enum metric_kind kind;          /* of [metric] */
  enum metric_unit unit;
  bool left_out;                  /* [metric] is among the numbers of origin */
  uint64_t start, time;           /* of all points, since the epoch; start 0: not
                                     known */
  const struct otlp_origin *origin; /* or NULL */
};

/* Returns whether the agent has reported the metric [name]. */
static bool is_reported(const struct otlp_origin *origin, const char *name)
{
  for (size_t i = 0; origin != NULL && i < origin->count; i++)
    if (strcmp(origin->numbers[i].metric.name, name) == 0) return true;
  return false;
}

/* Adds the present metric, if there is one with points, to the scope. */
static void end_metric(struct otlp_metrics *o)
{
  static const uint8_t fields[] = {
    [METRIC_COUNTER] = METRIC_FIELD_SUM, [METRIC_GAUGE] = METRIC_FIELD_GAUGE,
    [METRIC_HISTOGRAM] = METRIC_FIELD_HISTOGRAM
  };
  if (message_size(&o->data) > 0) {
    if (o->kind != METRIC_GAUGE)
      add_number(&o->data, DATA_TEMPORALITY, CUMULATIVE);
    if (o->kind == METRIC_COUNTER) add_number(&o->data, DATA_IS_MONOTONIC, 1);
    move_message(&o->metric, fields[o->kind], &o->data);
    add_message(&o->scope, SCOPE_METRICS, &o->metric);
  }
  clear_message(&o->metric);
}

static void begin(void *state, const struct metric *metric)
{
  static const char *const units[] = {
    [METRIC_COUNT] = "", [METRIC_BYTES] = "By", [METRIC_NS] = "s",
    [METRIC_UNIX_NS] = "s"
  };
  struct otlp_metrics *o = state;
  end_metric(o);
  o->left_out = is_reported(o->origin, metric->name);
  o->kind = metric->kind;
  o->unit = metric->unit;
  add_text(&o->metric, METRIC_FIELD_NAME, metric->name);
  add_text(&o->metric, METRIC_FIELD_DESCRIPTION, metric->help);
  add_text(&o->metric, METRIC_FIELD_UNIT, units[metric->unit]);
}

/* Adds the labels to the point as its attributes, and the point to the data. */
static void end_point(struct otlp_metrics *o, uint32_t field,
                      const struct metric_label *labels, int count)
{
  for (int i = 0; i < count; i++)
    otlp_add_text(&o->point, field, labels[i].name, labels[i].value,
                  strlen(labels[i].value));
  move_message(&o->data, DATA_POINTS, &o->point);
}

static void value(void *state, const struct metric_label *labels, int count,
                  uint64_t n)
{
  struct otlp_metrics *o = state;
  if (o->left_out) return;
  if (o->kind != METRIC_GAUGE && o->start != 0)
    add_fixed(&o->point, POINT_START, o->start);
  add_fixed(&o->point, POINT_TIME, o->time);
  if (o->unit == METRIC_NS || o->unit == METRIC_UNIX_NS)
    add_double(&o->point, POINT_DOUBLE, (double) n / 1e9);
  else
    add_fixed(&o->point, POINT_INT, n);
  end_point(o, POINT_ATTRIBUTES, labels, count);
}

/* Appends [n] to a packed field of 64-bit numbers. */
static void append_fixed(struct message *m, uint64_t n)
{
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char) (n >> 8 * i);
  append_bytes(m, bytes, sizeof bytes);
}

static void append_double(struct message *m, double n)
{
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  append_fixed(m, bits);
}

static void histogram(void *state, const struct metric_label *labels, int count,
                      const struct histogram *h)
{
  struct otlp_metrics *o = state;
  uint64_t below = 0;
  add_fixed(&o->point, DURATIONS_START, o->start);
  add_fixed(&o->point, DURATIONS_TIME, o->time);
  add_fixed(&o->point, DURATIONS_COUNT, h->count);
  add_double(&o->point, DURATIONS_SUM, (double) h->total / 1e9);
  for (int i = 0; i < METRIC_BOUNDS; i++) {
    uint64_t at_most = histogram_at_most(h, metric_bounds[i]);
    append_fixed(&o->packed, at_most - below);
    below = at_most;
  }
  append_fixed(&o->packed, h->count - below);
  move_message(&o->point, DURATIONS_BUCKETS, &o->packed);
  for (int i = 0; i < METRIC_BOUNDS; i++)
    append_double(&o->packed, (double) metric_bounds[i] / 1e9);
  move_message(&o->point, DURATIONS_BOUNDS, &o->packed);
  end_point(o, DURATIONS_ATTRIBUTES, labels, count);
}

/* Writes the [count] numbers. */
static void write_numbers(struct otlp_metrics *o,
                          const struct metric_number *numbers, size_t count)
{
  const struct otlp_origin *origin = o->origin;
  o->origin = NULL;
  for (size_t i = 0; i < count; i++) {
    begin(o, &numbers[i].metric);
    value(o, NULL, 0, numbers[i].value);
  }
  o->origin = origin;
}

/* Adds the metrics of [o] to [request], with a resource of the attributes
   [facts], which is emptied. */
static void end_request(struct message *request, struct otlp_metrics *o,
                        struct message *facts)
{
  struct message resource = { NULL, NULL, NULL };
  end_metric(o);
  move_message(&resource, RESOURCE_RESOURCE, facts);
  add_message(&resource, RESOURCE_SCOPE_METRICS, &o->scope);
  add_message(request, REQUEST_RESOURCE_METRICS, &resource);
  free_message(&resource);
  free_message(facts);
  free_message(&o->scope);
  free_message(&o->metric);
  free_message(&o->data);
  free_message(&o->point);
  free_message(&o->packed);
}

void otlp_add_metrics(struct message *request, struct metrics *metrics,
                      struct summary *summary,
                      const struct otlp_origin *origin)
{
  static const struct metrics_writer writer = { begin, value, histogram };
  const struct eventring_info info = target_info(summary_numbers(summary)->cursor);
  struct message facts = { NULL, NULL, NULL };
  struct otlp_metrics o = {
    .start = (uint64_t) traced_since_unix_ns(&info), .origin = origin,
    .time = otlp_time(&info, summary_until(summary))
  };
  add_process_facts(&facts, &info);
  otlp_add_scope(&o.scope);
  write_metrics(metrics, &writer, &o);
  if (origin != NULL) {
    add_fact(&facts, "host.name", origin->node);
    add_fact(&facts, "service.instance.id", origin->stream);
    write_numbers(&o, origin->numbers, origin->count);
  }
  end_request(request, &o, &facts);
}

void otlp_add_numbers(struct message *request, const char *service,
                      const char *node, const struct metric_number *numbers,
                      size_t count, int64_t realtime_ns)
{
  struct message facts = { NULL, NULL, NULL };
  struct otlp_metrics o = { .time = (uint64_t) realtime_ns };
  add_fact(&facts, "service.name", service);
  add_fact(&facts, "host.name", node);
  otlp_add_scope(&o.scope);
  write_numbers(&o, numbers, count);
  end_request(request, &o, &facts);
}
