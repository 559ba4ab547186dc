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

/* See hub_metrics.h. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "event_reader.h"
#include "explain.h"
#include "hub_client.h"
#include "hub_metrics.h"
#include "memory.h"
#include "metrics_text.h"
#include "otlp.h"
#include "target.h"

/* Reading */

/* Gives all events of the recording of [cursor] to [summary].  Returns 0 or an
   error of eventring_read; 1 when *stop has become true. */
static int read_summary(struct eventring_cursor *cursor,
                        struct summary *summary, atomic_bool *stop)
{
  struct event_reader reader;
  const struct eventring_event *event;
  bool stopped = false;
  read_new_events(&reader, cursor, INT64_MAX);
  while (!stopped && (event = next_event(&reader)) != NULL) {
    summary_event(summary, event);
    stopped = batch_is_over(&reader) && stop != NULL && atomic_load(stop);
  }
  summary_idle(summary);
  return stopped ? 1 : reader.error;
}

char *summary_metrics(struct summary *summary, struct metrics **metrics)
{
  struct metrics *once = NULL, **m = metrics != NULL ? metrics : &once;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) out_of_memory();
  if (*m == NULL) *m = new_metrics(summary);
  else renew_metrics(*m, summary);
  print_metrics(out, *m);
  fclose(out);
  if (once != NULL) free_metrics(once);
  return text;
}

bool read_hub_summary(const struct hub_url *url,
                      const struct hub_stream *stream, atomic_bool *stop,
                      void (*take)(void *state, struct summary *summary),
                      void *state, char *why, size_t size)
{
  struct eventring_options options = {
    .size = sizeof options, .changes = 1, .message = why,
    .message_size = size };
  struct eventring_cursor *cursor;
  char path[256];
  unsigned long left_out = 0;
  snprintf(path, sizeof path, "/fleet/recordings/%s/%s", stream->node,
           stream->stream);
  int fd = get_file_from_hub_until(url, path, &left_out, stop, why, size);
  int error = -1;
  if (fd < 0) return false;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (eventring_open(path, &options, &cursor) == 0) {
    struct summary *summary = new_summary(cursor);
    error = read_summary(cursor, summary, stop);
    if (error == 0) take(state, summary);
    else if (error > 0) explain(why, size, "stopped");
    else explain(why, size, "%s", eventring_strerror(error));
    free_summary(summary);
    eventring_close(cursor);
  }
  close(fd);
  return error == 0;
}

/* A reading for its metrics. */
struct metrics_reading { struct metrics **metrics; char *text; };

static void take_metrics(void *state, struct summary *summary)
{
  struct metrics_reading *r = state;
  r->text = summary_metrics(summary, r->metrics);
}

char *read_hub_metrics(const struct hub_url *url,
                       const struct hub_stream *stream,
                       struct metrics **metrics, char *why, size_t size)
{
  struct metrics_reading r = { metrics, NULL };
  read_hub_summary(url, stream, NULL, take_metrics, &r, why, size);
  return r.text;
}

/* Reports */

/* The metrics of a process or an agent, of one series each. */
struct reported {
  struct metric_number list[HUB_NUMBERS];
  size_t count;
};

/* Adds a metric, unless [value] is negative: it is not known. */
static void add_number_of(struct reported *r, const char *name,
                          enum metric_kind kind, enum metric_unit unit,
                          const char *help, int64_t value)
{
  if (value >= 0)
    r->list[r->count++] = (struct metric_number) {
      { name, help, kind, unit }, (uint64_t) value };
}

/* Prints the metrics on [out]. */
static void print_reported(FILE *out, const struct reported *r)
{
  for (size_t i = 0; i < r->count; i++) {
    const struct metric *m = &r->list[i].metric;
    const uint64_t value = m->unit == METRIC_UNIX_NS
                           ? r->list[i].value / 1000000000 : r->list[i].value;
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", m->name,
            m->help, m->name, m->kind == METRIC_COUNTER ? "counter" : "gauge",
            m->name, value);
  }
}

static struct reported report_of_stream(const struct hub_stream *s)
{
  struct reported r = { .count = 0 };
  add_number_of(&r, "eventring_running", METRIC_GAUGE, METRIC_COUNT,
                "1 while the process runs and is traced.",
                strcmp(s->state, "running") == 0);
  add_number_of(&r, "eventring_agent_events_total", METRIC_COUNTER,
                METRIC_COUNT, "Events that the agent has recorded.", s->events);
  add_number_of(&r, "eventring_agent_lost_events_total", METRIC_COUNTER,
                METRIC_COUNT,
                "Events that are not at the hub: overwritten, or dropped.",
                s->lost);
  add_number_of(&r, "eventring_agent_process_dropped_parts_total",
                METRIC_COUNTER, METRIC_COUNT,
                "Parts of the process that the agent has dropped.",
                s->parts_dropped);
  return r;
}

/* Adds the metrics that were printed on [out], which writes to [text]; frees
   both. */
static void add_printed(struct metric_pages *pages, FILE *out, char **text,
                        const char *labels)
{
  fclose(out);
  add_metric_page(pages, *text, labels, NULL);
  free(*text);
}

void add_stream_metrics(struct metric_pages *pages,
                        const struct hub_stream *s, const char *text)
{
  char labels[256], *reported = NULL;
  size_t size;
  snprintf(labels, sizeof labels, "node=\"%s\",process=\"%" PRId64
           "\",stream=\"%s\"", s->node, s->pid, s->stream);
  /* A recording does not know that its process still runs. */
  if (text != NULL) add_metric_page(pages, text, labels, "eventring_running");
  FILE *out = open_memstream(&reported, &size);
  if (out == NULL) out_of_memory();
  const struct reported r = report_of_stream(s);
  print_reported(out, &r);
  add_printed(pages, out, &reported, labels);
}

static int64_t number_of(const json_t *object, const char *name)
{
  const json_t *number = json_object_get(object, name);
  return json_is_integer(number) ? json_integer_value(number) : -1;
}

/* Returns the metrics of one agent, as the hub lists it. */
static struct reported report_of_agent(const json_t *node)
{
  const json_t *dropped = json_object_get(node, "dropped");
  const json_t *spool = json_object_get(node, "spool");
  struct reported r = { .count = 0 };
  add_number_of(&r, "eventring_agent_silent", METRIC_GAUGE, METRIC_COUNT,
                "1 when the agent has not reported for 10 seconds.",
                json_is_true(json_object_get(node, "silent")));
  add_number_of(&r, "eventring_agent_last_report_time_seconds", METRIC_GAUGE,
                METRIC_UNIX_NS,
                "When the last report came, since the Unix epoch.",
                number_of(node, "received_realtime_ns"));
  add_number_of(&r, "eventring_agent_spool_bytes", METRIC_GAUGE, METRIC_BYTES,
                "Bytes in the spool of the agent.", number_of(spool, "bytes"));
  add_number_of(&r, "eventring_agent_spool_waiting_bytes", METRIC_GAUGE,
                METRIC_BYTES,
                "Bytes in the spool that the hub has not confirmed.",
                number_of(spool, "waiting"));
  add_number_of(&r, "eventring_agent_dropped_parts_total", METRIC_COUNTER,
                METRIC_COUNT,
                "Parts that the agent has dropped: no room, too old, or "
                "refused.", number_of(dropped, "parts"));
  add_number_of(&r, "eventring_agent_dropped_bytes_total", METRIC_COUNTER,
                METRIC_BYTES, "Bytes of the parts that the agent has dropped.",
                number_of(dropped, "bytes"));
  add_number_of(&r, "eventring_hub_streams", METRIC_GAUGE, METRIC_COUNT,
                "Streams of the node that the hub knows.",
                number_of(node, "streams"));
  add_number_of(&r, "eventring_hub_bytes", METRIC_GAUGE, METRIC_BYTES,
                "Bytes of the recordings of the node at the hub.",
                number_of(node, "bytes"));
  return r;
}

/* Calls [visit] with [state] for each node of the hub that is wanted.  Returns
   false with the reason. */
static bool visit_nodes(const struct hub_url *url, char *const *nodes,
                        size_t count,
                        void (*visit)(void *state, const char *name,
                                      const struct reported *r),
                        void *state, char *why, size_t size)
{
  json_t *answer = get_hub_nodes(url, nodes, count, why, size), *node;
  size_t i;
  if (answer == NULL) return false;
  json_array_foreach(json_object_get(answer, "nodes"), i, node) {
    const char *name = json_string_value(json_object_get(node, "node"));
    const struct reported r = report_of_agent(node);
    if (name != NULL && is_wanted_node(name, nodes, count))
      visit(state, name, &r);
  }
  json_decref(answer);
  return true;
}

static void add_agent(void *pages, const char *name, const struct reported *r)
{
  char labels[96], *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) out_of_memory();
  snprintf(labels, sizeof labels, "node=\"%s\"", name);
  print_reported(out, r);
  add_printed(pages, out, &text, labels);
}

bool add_agent_metrics(struct metric_pages *pages, const struct hub_url *url,
                       char *const *nodes, size_t count, char *why,
                       size_t size)
{
  return visit_nodes(url, nodes, count, add_agent, pages, why, size);
}

/* OpenTelemetry */

static void add_otlp_agent(void *request, const char *name,
                           const struct reported *r)
{
  otlp_add_numbers(request, "eventring-agent", name, r->list, r->count,
                   realtime_ns());
}

bool add_otlp_agents(struct message *request, const struct hub_url *url,
                     char *const *nodes, size_t count, char *why, size_t size)
{
  return visit_nodes(url, nodes, count, add_otlp_agent, request, why, size);
}

void add_otlp_stream(struct message *request, const struct hub_stream *stream,
                     struct metrics *metrics, struct summary *summary)
{
  const struct reported r = report_of_stream(stream);
  otlp_add_metrics(request, metrics, summary, &(struct otlp_origin) {
    .node = stream->node, .stream = stream->stream, .numbers = r.list,
    .count = r.count });
}
