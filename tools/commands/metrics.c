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

/* eventring metrics: the totals of a process for Prometheus and OpenTelemetry. */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "common.h"
#include "follow.h"
#include "hub_metrics.h"
#include "hub_otlp.h"
#include "hub_target.h"
#include "metrics_text.h"
#include "options.h"
#include "otlp.h"
#include "otlp_send.h"
#include "output_file.h"
#include "parse.h"
#include "targets.h"

static const char usage[] =
"Usage: eventring metrics [OPTION...] [PID|FILE|NODE/...]\n"
"Prints the totals of a process in the text format of Prometheus, or of\n"
"OpenTelemetry.  For a running process, takes the events in its rings now.\n"
"With --hub alone, the totals of all processes and agents; NODE/: of a node.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_FOLLOW, OPTION_INTERVAL, OPTION_FORMAT, OPTION_OTLP,
  OPTION_OUTPUT, OPTION_FORCE, OPTION_HUB, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Collections, words and pauses count from the start of tracing, all else from\n"
"the first event read; of wrapped rings read once, it is left out.  To have it,\n"
"write a file again and again, for the textfile collector of node exporter:\n"
"  eventring metrics -f -o /var/lib/prometheus/node-exporter/serve.prom PID\n"
"Formats: prometheus; otlp, an ExportMetricsServiceRequest, for a POST to\n"
"/v1/metrics of a collector of OpenTelemetry.\n";

#define DEFAULT_NS (INT64_C(10) * 1000000000)
#define SHORTEST_NS (INT64_C(100) * 1000000)
#define LONGEST_NS (INT64_C(3600) * 1000000000)

/* A page of metrics that is written once or again and again. */
struct page {
  struct summary *summary;
  struct metrics *metrics;
  struct metric_pages *pages;     /* of a hub, in place of both; or NULL */
  const char *output;             /* NULL: standard output */
  bool otlp;                      /* not the text format */
  const char *url;                /* of a collector that gets it; or NULL */
  bool force;                     /* replaces a file with that name */
  bool follow;
  bool failed;                    /* the file could not be written */
  bool unsent;                    /* the collector did not accept the last page */
  int64_t interval_ns;
  int64_t next_ns;                /* when to write next */
};

static void print(FILE *out, void *state)
{
  const struct page *p = state;
  struct message request = { NULL, NULL, NULL };
  if (p->pages != NULL) {
    print_metric_pages(out, p->pages);
    return;
  }
  if (!p->otlp) {
    print_metrics(out, p->metrics);
    return;
  }
  otlp_add_metrics(&request, p->metrics, p->summary, NULL);
  fwrite(request.bytes, 1, message_size(&request), out);
  free_message(&request);
}

/* Sends the metrics so far to the collector.  Counters are totals, so that a
   request that fails while a process is followed costs nothing but time. */
static void send_page(struct page *p)
{
  struct message request = { NULL, NULL, NULL };
  char why[512];
  otlp_add_metrics(&request, p->metrics, p->summary, NULL);
  p->unsent = !send_otlp(p->url, "/v1/metrics", &request, why, sizeof why);
  if (p->unsent) complain("%s", why);
  free_message(&request);
}

/* Writes the metrics so far; the first time, only over a file that the user
   said may be replaced. */
static void write_page(struct page *p)
{
  if (p->url != NULL) send_page(p);
  else if (p->output == NULL) print(stdout, p);
  else if (!write_printed(p->output, p->force, print, p))
    p->failed = true;
  p->force = true;
}

static void take_event(void *state, const struct eventring_event *event)
{
  summary_event(((struct page *) state)->summary, event);
}

static bool pass(void *state, bool idle)
{
  struct page *p = state;
  if (idle) summary_idle(p->summary);
  int64_t now = monotonic_ns();
  if (p->follow && idle && now >= p->next_ns) {
    write_page(p);
    p->next_ns = now + p->interval_ns;
  }
  return !p->failed;
}

/* Leaves out numbers that may be less in a later call, since this one has read the
   rings of a running process once; says so if events are missing. */
static void leave_out_parts(struct page *p)
{
  struct eventring_cursor *cursor = summary_numbers(p->summary)->cursor;
  struct eventring_totals totals = { .size = sizeof totals };
  const struct eventring_info info = target_info(cursor);
  const uint64_t lost = lost_events(cursor);
  const bool complete = lost == 0 && info.traced_since_ns >= info.started_ns;
  const bool known =
    eventring_get_totals(cursor, EVENTRING_ALL_RINGS, &totals) == 0;
  if (known) metrics_of_one_reading(p->metrics, complete);
  if (complete) return;
  complain("%s: %s; follow the process with -f and -o, or ask eventring serve for "
           "them",
           lost > 0 ? "events were overwritten"
           : "events of before the rings got their size are missing",
           known ? "causes, histograms and times of domains are left out"
                 : "counters may be smaller the next time");
}

static void parse_interval(struct page *p, const char *text)
{
  if (!parse_duration(text, &p->interval_ns) || p->interval_ns < SHORTEST_NS
      || p->interval_ns > LONGEST_NS)
    usage_error(&metrics_command, "metrics: %s is not an interval: from 100ms "
                "to 1h, in seconds or with a unit", text);
  p->follow = true;
}

/* Returns true, with a message, when the output cannot be written; better said
   now than after the first interval.  A FIFO without a reader would stop the
   reading of events. */
static bool refuse_output(const struct page *p)
{
  struct stat there;
  if (p->output == NULL) return false;
  if (refuse_input(p->output) || refuse_existing(p->output, p->force))
    return true;
  if (!p->follow || stat(p->output, &there) < 0 || S_ISREG(there.st_mode))
    return false;
  complain("cannot replace %s: it is not a regular file", p->output);
  return true;
}

static void parse_format(struct page *p, const char *name)
{
  p->otlp = strcmp(name, "otlp") == 0;
  if (!p->otlp && strcmp(name, "prometheus") != 0)
    usage_error(&metrics_command, "metrics: no format %s: prometheus or otlp",
                name);
}

#define OTLP_WITHOUT_FILE "metrics: --otlp sends the totals, and writes no file: " \
                          "it goes without -o and --format"

/* Returns whether the command line names a hub or nodes of it, and no
   process. */
static bool wants_hub(const struct page *p, const char *dir, int argc,
                      char **argv)
{
  int nodes = 0;
  for (int i = optind; i < argc; i++)
    nodes += is_hub_node(&metrics_command, argv[i]);
  if (nodes > 0 && nodes < argc - optind)
    usage_error(&metrics_command, "metrics: takes nodes, NODE/, or one process");
  if (nodes == 0 && (optind < argc || !has_hub_option())) return false;
  if (dir != NULL)
    usage_error(&metrics_command, "metrics: --hub excludes --dir");
  if (p->otlp || (p->follow && p->url == NULL))
    usage_error(&metrics_command, "metrics: all processes of a hub are printed "
                "once, for Prometheus: without -f, -i and --format; or sent with "
                "--otlp");
  if (p->url != NULL && p->output != NULL)
    usage_error(&metrics_command, OTLP_WITHOUT_FILE);
  return true;
}

/* Writes the metrics of all processes of the hub, or of the [count] nodes in
   [nodes]. */
static enum status write_hub(struct page *p, char *const *nodes, size_t count)
{
  const struct hub_url *url = chosen_hub(&metrics_command);
  struct hub_streams streams;
  enum status status = STATUS_OK;
  char why[512];
  if (p->url != NULL)
    return send_hub_metrics(&(struct hub_sending) {
      .hub = url, .nodes = nodes, .count = count, .url = p->url,
      .interval_ns = p->follow ? p->interval_ns : 0 });
  if (refuse_output(p)) return STATUS_CANNOT_WRITE;
  p->pages = new_metric_pages();
  if (!add_agent_metrics(p->pages, url, nodes, count, why, sizeof why)
      || !get_hub_streams(url, nodes, count, &streams, why, sizeof why)) {
    complain("%s", why);
    free_metric_pages(p->pages);
    return STATUS_CANNOT_READ;
  }
  for (size_t i = 0; i < streams.count; i++) {
    const struct hub_stream *s = &streams.list[i];
    char *text = s->bytes <= 0 ? NULL
                 : read_hub_metrics(url, s, NULL, why, sizeof why);
    if (text == NULL && s->bytes > 0) {
      complain("%s/%s: %s", s->node, s->stream, why);
      status = STATUS_CANNOT_READ;
    }
    add_stream_metrics(p->pages, s, text);
    free(text);
  }
  write_page(p);
  free_hub_streams(&streams);
  free_metric_pages(p->pages);
  return finish_output(p->failed ? STATUS_CANNOT_WRITE : status);
}

static enum status run(int argc, char **argv)
{
  struct page p = { .interval_ns = DEFAULT_NS };
  const char *dir = NULL;
  int option;
  while ((option = next_option(&metrics_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: p.follow = true; break;
    case OPTION_FORCE: p.force = true; break;
    case OPTION_HUB: use_hub(&metrics_command, optarg); break;
    case OPTION_INTERVAL: parse_interval(&p, optarg); break;
    case OPTION_FORMAT: parse_format(&p, optarg); break;
    case OPTION_OTLP: p.url = optarg; break;
    case OPTION_OUTPUT:
      p.output = strcmp(optarg, "-") == 0 ? NULL : optarg;
      break;
    }
  if (wants_hub(&p, dir, argc, argv))
    return write_hub(&p, argv + optind, (size_t) (argc - optind));
  if (p.url != NULL && (p.output != NULL || p.otlp))
    usage_error(&metrics_command, OTLP_WITHOUT_FILE);
  if (p.follow && p.output == NULL && p.url == NULL)
    usage_error(&metrics_command, "metrics: missing output file (-o FILE), which "
                "--follow writes again and again");

  struct eventring_cursor *cursor =
    open_target(&metrics_command, argc, argv, dir, false);
  if (refuse_output(&p)) {
    eventring_close(cursor);
    return STATUS_CANNOT_WRITE;
  }
  p.summary = new_summary(cursor);
  p.metrics = new_metrics(p.summary);
  enum status status = read_events(cursor, &(struct reading) {
    .follow = p.follow, .changes = true, .state = &p, .event = take_event,
    .pass = pass
  });
  if (!p.follow && eventring_state(cursor) == EVENTRING_STATE_RUNNING)
    leave_out_parts(&p);
  if (!p.failed) write_page(&p);
  if (p.failed || p.unsent) status = STATUS_CANNOT_WRITE;
  status = finish_output(status);
  free_metrics(p.metrics);
  free_summary(p.summary);
  eventring_close(cursor);
  return status;
}

const struct command metrics_command = {
  .name = "metrics",
  .summary = "print the totals for Prometheus or OpenTelemetry",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
