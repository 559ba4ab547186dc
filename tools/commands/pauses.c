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

/* eventring pauses: how long each domain collected and stood still, and why:
   that part of the summary as a table. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "common.h"
#include "follow.h"
#include "summary_text.h"
#include "text.h"

static const char help[] =
"Usage: eventring pauses [OPTION...] PID|FILE\n"
"Prints a table of the garbage collector's pauses in each domain.  A running\n"
"process is followed until it ends or Ctrl-C, then the table is printed.\n"
"\n"
"  -d, --dir=DIR      with a PID: the directory of the ring file\n"
"  -n, --now          print what the rings hold now, do not follow\n"
"  -i, --interval=S   print the table so far every S seconds as well\n"
"  -h, --help         this text\n"
"\n"
"Columns, separated by two spaces or more:\n"
"  domain    unique id of the domain; its name is at the end of the line\n"
"  pause     minor        minor collections\n"
"            major slice  slices of major collection\n"
"            stopped      stop-the-world sections, from when the domain had\n"
"                         stopped; minor collections are among them\n"
"  count     how many ended, and began, while they were watched\n"
"  median, p99   half, and 99 of 100, were no longer than this (to 1 %)\n"
"  max, total    the longest one, and all together (exact)\n"
"Then what caused them, and how often; a minor collection or a stop counts\n"
"there once, however many domains it held up.\n";

struct pauses {
  struct summary *summary;
  int64_t interval_ns, next_table_ns;     /* 0: no tables in between */
};

/* The table */

static void print_row(const char *domain, enum pause pause,
                      const struct histogram *h)
{
  char median[QUANTITY_SIZE], p99[QUANTITY_SIZE], max[QUANTITY_SIZE],
    total[QUANTITY_SIZE];
  printf("%-6s  %-11s  ", domain, pause_names[pause]);
  if (h->count == 0)
    printf("%9d  %8s  %8s  %8s  %8s", 0, "-", "-", "-", "-");
  else
    printf("%9" PRIu64 "  %8s  %8s  %8s  %8s", h->count,
           format_duration(median, histogram_quantile(h, 0.5)),
           format_duration(p99, histogram_quantile(h, 0.99)),
           format_duration(max, h->max), format_duration(total, h->total));
}

static void print_domain(struct summary *s, const struct summary_domain *domain)
{
  char id[16] = "others";
  if (domain != s->others) snprintf(id, sizeof id, "%" PRIu32, domain->id);
  for (enum pause pause = 0; pause < PAUSE_ANY; pause++) {
    print_row(id, pause, &domain->pauses[pause]);
    print_domain_name(s, domain);
    putchar('\n');
  }
}

static void print_table(struct summary *s)
{
  print_process(s);
  printf("%-6s  %-11s  %9s  %8s  %8s  %8s  %8s\n", "domain", "pause", "count",
         "median", "p99", "max", "total");
  for (uint32_t i = 0; i < s->domain_count; i++)
    print_domain(s, s->domains[i]);
  if (s->others != NULL) print_domain(s, s->others);
  print_causes(s, CAUSED_STOPPED);
  print_lost(s);
}

static bool pass(void *state, bool idle)
{
  struct pauses *p = state;
  if (idle) summary_idle(p->summary);
  if (p->interval_ns != 0 && monotonic_ns() >= p->next_table_ns) {
    print_table(p->summary);
    putchar('\n');
    fflush(stdout);
    p->next_table_ns = monotonic_ns() + p->interval_ns;
  }
  return output_works();
}

static void count_event(void *state, const struct eventring_event *event)
{
  struct pauses *p = state;
  summary_event(p->summary, event);
}

/* The command */

static int64_t parse_interval(const char *text)
{
  char *end;
  double seconds = strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds >= 0.01 && seconds <= 1e6))
    usage_error(&pauses_command,
                "pauses: %s is not an interval: from 0.01 to 1000000 seconds",
                text);
  return (int64_t) (seconds * 1e9);
}

static enum status run(int argc, char **argv)
{
  static const struct option options[] = {
    OPTION_HELP,
    { "dir", required_argument, NULL, 'd' },
    { "now", no_argument, NULL, 'n' },
    { "interval", required_argument, NULL, 'i' },
    { NULL, 0, NULL, 0 }
  };
  const char *dir = NULL;
  bool follow = true;
  int64_t interval_ns = 0;
  int option;
  while ((option = getopt_long(argc, argv, OPTION_SHORT "d:ni:", options,
                               NULL)) != -1)
    switch (option) {
    case 'd': dir = optarg; break;
    case 'n': follow = false; break;
    case 'i': interval_ns = parse_interval(optarg); break;
    default: other_option(&pauses_command, option, argv);
    }
  if (!follow && interval_ns != 0)
    usage_error(&pauses_command, "pauses: --now and --interval exclude each "
                "other");

  struct eventring_cursor *cursor =
    open_target(&pauses_command, argc, argv, dir, false);
  struct pauses p = { .summary = new_summary(cursor),
                      .interval_ns = interval_ns,
                      .next_table_ns = monotonic_ns() + interval_ns };
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .changes = true, .state = &p, .event = count_event,
    .pass = pass
  });
  print_table(p.summary);
  status = finish_output(status);
  free_summary(p.summary);
  eventring_close(cursor);
  return status;
}

const struct command pauses_command = {
  .name = "pauses",
  .summary = "table of the garbage collector's pauses in each domain",
  .help = help, .run = run
};
