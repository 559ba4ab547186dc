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

/* eventring metrics: the totals of a process for Prometheus. */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "common.h"
#include "follow.h"
#include "metrics_text.h"
#include "options.h"
#include "parse.h"
#include "sink.h"
#include "targets.h"

static const char usage[] =
"Usage: eventring metrics [OPTION...] [PID|FILE]\n"
"Prints the totals of a process in the text format of Prometheus.  For a running\n"
"process, takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_FOLLOW, OPTION_INTERVAL, OPTION_OUTPUT, OPTION_FORCE,
  OPTION_HELP, OPTION_END
};

static const char notes[] =
"Counters count from the first event that was read.  To let them grow, follow\n"
"the process and write a file again and again, every 10 s or --interval, for\n"
"the textfile collector of Prometheus' node exporter:\n"
"  eventring metrics -f -o /var/lib/prometheus/node-exporter/serve.prom PID\n";

#define DEFAULT_NS (INT64_C(10) * 1000000000)
#define SHORTEST_NS (INT64_C(100) * 1000000)
#define LONGEST_NS (INT64_C(3600) * 1000000000)

/* A page of metrics that is written once or again and again. */
struct page {
  struct summary *summary;
  struct metrics *metrics;
  const char *output;             /* NULL: standard output */
  bool force;                     /* replaces a file with that name */
  bool follow;
  bool failed;                    /* the file could not be written */
  int64_t interval_ns;
  int64_t next_ns;                /* when to write next */
};

static void print(FILE *out, void *metrics)
{
  print_metrics(out, metrics);
}

/* Writes the metrics so far; the first time, only over a file that the user
   said may be replaced. */
static void write_page(struct page *p)
{
  if (p->output == NULL) print_metrics(stdout, p->metrics);
  else if (!write_printed(p->output, p->force, print, p->metrics))
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
    case OPTION_INTERVAL: parse_interval(&p, optarg); break;
    case OPTION_OUTPUT:
      p.output = strcmp(optarg, "-") == 0 ? NULL : optarg;
      break;
    }
  if (p.follow && p.output == NULL)
    usage_error(&metrics_command, "metrics: where to?  --follow needs -o FILE, "
                "which is written again and again");

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
  if (!p.failed) write_page(&p);
  if (p.failed) status = STATUS_CANNOT_WRITE;
  status = finish_output(status);
  free_metrics(p.metrics);
  free_summary(p.summary);
  eventring_close(cursor);
  return status;
}

const struct command metrics_command = {
  .name = "metrics",
  .summary = "print the totals for Prometheus",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
