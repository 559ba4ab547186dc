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

struct metrics {
  struct summary *summary;
  const char *output;             /* NULL: standard output */
  bool force;                     /* replaces a file with that name */
  bool follow;
  bool failed;                    /* the file could not be written */
  int64_t interval_ns;
  int64_t next_ns;                /* when to write next */
};

static void print(FILE *out, void *summary)
{
  print_metrics(out, summary);
}

/* Writes the metrics so far; the first time, only over a file that the user
   said may be replaced. */
static void write_metrics(struct metrics *m)
{
  if (m->output == NULL) print_metrics(stdout, m->summary);
  else if (!write_printed(m->output, m->force, print, m->summary))
    m->failed = true;
  m->force = true;
}

static void take_event(void *state, const struct eventring_event *event)
{
  summary_event(((struct metrics *) state)->summary, event);
}

static bool pass(void *state, bool idle)
{
  struct metrics *m = state;
  if (idle) summary_idle(m->summary);
  int64_t now = monotonic_ns();
  if (m->follow && idle && now >= m->next_ns) {
    write_metrics(m);
    m->next_ns = now + m->interval_ns;
  }
  return !m->failed;
}

static enum status run(int argc, char **argv)
{
  struct metrics m = { .interval_ns = DEFAULT_NS };
  const char *dir = NULL;
  int option;
  while ((option = next_option(&metrics_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: m.follow = true; break;
    case OPTION_FORCE: m.force = true; break;
    case OPTION_INTERVAL:
      if (!parse_duration(optarg, &m.interval_ns)
          || m.interval_ns < SHORTEST_NS || m.interval_ns > LONGEST_NS)
        usage_error(&metrics_command, "metrics: %s is not an interval: from "
                    "100ms to 1h, in seconds or with a unit", optarg);
      m.follow = true;
      break;
    case OPTION_OUTPUT: m.output = optarg; break;
    }
  if (m.follow && m.output == NULL)
    usage_error(&metrics_command, "metrics: where to?  --follow needs -o FILE, "
                "which is written again and again");

  struct eventring_cursor *cursor =
    open_target(&metrics_command, argc, argv, dir, false);
  /* Better said now than after the first interval. */
  if (m.output != NULL
      && (refuse_input(m.output) || refuse_existing(m.output, m.force))) {
    eventring_close(cursor);
    return STATUS_CANNOT_WRITE;
  }
  m.summary = new_summary(cursor);
  enum status status = read_events(cursor, &(struct reading) {
    .follow = m.follow, .changes = true, .state = &m, .event = take_event,
    .pass = pass
  });
  if (!m.failed) write_metrics(&m);
  if (m.failed) status = STATUS_CANNOT_WRITE;
  status = finish_output(status);
  free_summary(m.summary);
  eventring_close(cursor);
  return status;
}

const struct command metrics_command = {
  .name = "metrics",
  .summary = "print the totals for Prometheus",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
