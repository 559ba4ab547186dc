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

/* eventring pauses: how long each domain collected and stood still.

   Three distributions a domain: minor collections, major slices, and the time
   stopped for a stop-the-world section.  What is open at the moment belongs to
   a ring, which has one writer and one domain at a time; what is counted
   belongs to a domain, by its unique id, since rings are reused. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "follow.h"
#include "histogram.h"
#include "text.h"

static const char help[] =
"Usage: eventring pauses [OPTION...] PID|FILE\n"
"Prints a table of the garbage collector's pauses in each domain.  A running\n"
"process is followed until it ends or Ctrl-C, then the table is printed; for\n"
"the ring file of an ended or killed process it is printed at once.\n"
"\n"
"  -d, --dir=DIR      with a PID: the directory of the ring file\n"
"  -n, --now          print what the rings hold now, do not follow\n"
"  -i, --interval=S   print the table so far every S seconds as well\n"
"  -h, --help         this text\n"
"\n"
"Columns, separated by two spaces or more:\n"
"  domain    unique id of the domain\n"
"  pause     minor        minor collections\n"
"            major slice  slices of major collection\n"
"            stopped      stop-the-world sections: from the request or the\n"
"                         stop until the domain's part of the work is done;\n"
"                         minor collections are among them\n"
"  count     how many began and ended while they were watched\n"
"  median, p99   half, and 99 of 100, were no longer than this (to 1 %)\n"
"  max, total    the longest one, and all together (exact)\n"
"A pause of which the beginning or the end was lost is not counted.\n";

/* What is measured.  A pause of a kind lasts while any of its spans is open;
   the spans of "stopped" follow or hold each other. */
enum kind { MINOR, MAJOR_SLICE, STOPPED, KINDS };

static const char *const kind_names[KINDS] = {
  [MINOR] = "minor", [MAJOR_SLICE] = "major slice", [STOPPED] = "stopped"
};

static const struct {
  const char *name;
  enum kind kind;
} spans[] = {
  { "minor", MINOR },
  { "major_slice", MAJOR_SLICE },
  { "stw_leader", STOPPED },
  { "stw_api_barrier", STOPPED },
  { "stw_handler", STOPPED }
};
#define SPANS (sizeof spans / sizeof *spans)

struct domain {
  uint32_t id;
  struct histogram kinds[KINDS];
};

/* A pause that has begun: which of its spans are open, as a set of indices
   in [spans], and since when. */
struct open_pause {
  uint32_t open;
  int64_t since;
};

struct ring {
  struct domain *domain;          /* the one that writes to it now, or NULL */
  struct open_pause pauses[KINDS];
};

/* Programs may start domains without end, so only so many get a row of their
   own; the others share one. */
#define DOMAINS_APART 1024

struct pauses {
  struct eventring_cursor *cursor;
  int span_ids[SPANS];            /* -1: the file does not know it */
  int pause_id, resume_id;
  struct ring *rings;
  uint32_t ring_count;
  struct domain *apart[DOMAINS_APART];
  uint32_t apart_count;
  struct domain *others;
  uint64_t events;
  int64_t first_ns, last_ns;
  int64_t interval_ns, next_table_ns;     /* 0: no tables in between */
};

static void *allocate(size_t count, size_t size)
{
  void *memory = calloc(count, size);
  if (memory == NULL) {
    complain("not enough memory");
    exit(STATUS_CANNOT_READ);
  }
  return memory;
}

/* Domains and rings */

static struct domain *domain_of(struct pauses *p, uint32_t id)
{
  for (uint32_t i = 0; i < p->apart_count; i++)
    if (p->apart[i]->id == id) return p->apart[i];
  if (p->apart_count == DOMAINS_APART) {
    if (p->others == NULL) p->others = allocate(1, sizeof *p->others);
    return p->others;
  }
  struct domain *domain = allocate(1, sizeof *domain);
  domain->id = id;
  p->apart[p->apart_count++] = domain;
  return domain;
}

static void forget_open(struct ring *ring)
{
  memset(ring->pauses, 0, sizeof ring->pauses);
}

/* After tracing was paused, an end may belong to another begin. */
static void forget_all_open(struct pauses *p)
{
  for (uint32_t i = 0; i < p->ring_count; i++) forget_open(&p->rings[i]);
}

/* Events */

static void span_begins(struct open_pause *pause, uint32_t span, int64_t ns)
{
  uint32_t bit = UINT32_C(1) << span;
  /* No span holds itself: the end of an open one was not recorded. */
  if (pause->open & bit) pause->open = 0;
  if (pause->open == 0) pause->since = ns;
  pause->open |= bit;
}

static void span_ends(struct open_pause *pause, uint32_t span, int64_t ns,
                      struct histogram *histogram)
{
  uint32_t bit = UINT32_C(1) << span;
  if ((pause->open & bit) == 0) return;   /* its begin was not recorded */
  pause->open &= ~bit;
  if (pause->open == 0 && ns >= pause->since)
    histogram_add(histogram, (uint64_t) ns - (uint64_t) pause->since);
}

static void count_event(void *state, const struct eventring_event *event)
{
  struct pauses *p = state;
  if (event->ring >= p->ring_count) return;
  struct ring *ring = &p->rings[event->ring];

  if (event->form == EVENTRING_EV_LOST) {
    forget_open(ring);
    return;
  }
  if (p->events++ == 0) p->first_ns = event->ns;
  p->last_ns = event->ns;

  struct domain *domain = ring->domain;
  if (domain == NULL || domain->id != event->domain) {
    ring->domain = domain = domain_of(p, event->domain);
    forget_open(ring);
  }
  if (event->form == EVENTRING_EV_INSTANT) {
    if (event->id == p->pause_id || event->id == p->resume_id)
      forget_all_open(p);
    return;
  }
  if (event->form != EVENTRING_EV_BEGIN && event->form != EVENTRING_EV_END)
    return;
  for (uint32_t span = 0; span < SPANS; span++) {
    if (event->id != p->span_ids[span]) continue;
    enum kind kind = spans[span].kind;
    if (event->form == EVENTRING_EV_BEGIN)
      span_begins(&ring->pauses[kind], span, event->ns);
    else
      span_ends(&ring->pauses[kind], span, event->ns, &domain->kinds[kind]);
    return;
  }
}

/* The table */

static const char *state_name(struct eventring_cursor *cursor)
{
  switch (eventring_state(cursor)) {
  case EVENTRING_STATE_RUNNING: return "running";
  case EVENTRING_STATE_ENDED: return "ended";
  case EVENTRING_STATE_REPLACED: return "replaced by another program";
  case EVENTRING_STATE_KILLED: return "killed";
  default: return "in an unknown state";
  }
}

static void print_domain(const char *name, const struct domain *domain)
{
  for (int kind = 0; kind < KINDS; kind++) {
    const struct histogram *h = &domain->kinds[kind];
    char median[QUANTITY_SIZE], p99[QUANTITY_SIZE], max[QUANTITY_SIZE],
      total[QUANTITY_SIZE];
    if (h->count == 0)
      printf("%-6s  %-11s  %9d  %8s  %8s  %8s  %8s\n", name, kind_names[kind],
             0, "-", "-", "-", "-");
    else
      printf("%-6s  %-11s  %9" PRIu64 "  %8s  %8s  %8s  %8s\n", name,
             kind_names[kind], h->count,
             format_duration(median, histogram_quantile(h, 0.5)),
             format_duration(p99, histogram_quantile(h, 0.99)),
             format_duration(max, h->max),
             format_duration(total, h->total));
  }
}

static int by_id(const void *a, const void *b)
{
  const struct domain *const *x = a, *const *y = b;
  return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static void print_table(struct pauses *p)
{
  struct eventring_info info = target_info(p->cursor);
  char span[QUANTITY_SIZE];
  printf("process %" PRIu32 " ", info.pid);
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(" (%s): %" PRIu64 " %s over %s\n", state_name(p->cursor), p->events,
         p->events == 1 ? "event" : "events",
         format_duration(span, p->last_ns > p->first_ns
                               ? (uint64_t) p->last_ns - (uint64_t) p->first_ns
                               : 0));

  printf("%-6s  %-11s  %9s  %8s  %8s  %8s  %8s\n", "domain", "pause", "count",
         "median", "p99", "max", "total");
  qsort(p->apart, p->apart_count, sizeof *p->apart, by_id);
  for (uint32_t i = 0; i < p->apart_count; i++) {
    char name[16];
    snprintf(name, sizeof name, "%" PRIu32, p->apart[i]->id);
    print_domain(name, p->apart[i]);
  }
  if (p->others != NULL) print_domain("others", p->others);

  uint64_t lost = lost_events(p->cursor);
  if (lost > 0)
    printf("%" PRIu64 " %s overwritten before they could be read\n", lost,
           lost == 1 ? "event was" : "events were");
}

static bool pass(void *state, bool idle)
{
  struct pauses *p = state;
  if (idle && target_info(p->cursor).active == 0) forget_all_open(p);
  if (p->interval_ns != 0 && monotonic_ns() >= p->next_table_ns) {
    print_table(p);
    putchar('\n');
    fflush(stdout);
    p->next_table_ns = monotonic_ns() + p->interval_ns;
  }
  return output_works();
}

/* The command */

static struct pauses *new_pauses(struct eventring_cursor *cursor,
                                 int64_t interval_ns)
{
  struct pauses *p = allocate(1, sizeof *p);
  p->cursor = cursor;
  for (uint32_t span = 0; span < SPANS; span++)
    p->span_ids[span] = eventring_find(cursor, spans[span].name);
  p->pause_id = eventring_find(cursor, "ring_pause");
  p->resume_id = eventring_find(cursor, "ring_resume");
  p->ring_count = target_info(cursor).rings;
  p->rings = allocate(p->ring_count, sizeof *p->rings);
  p->interval_ns = interval_ns;
  p->next_table_ns = monotonic_ns() + interval_ns;
  return p;
}

static void free_pauses(struct pauses *p)
{
  for (uint32_t i = 0; i < p->apart_count; i++) free(p->apart[i]);
  free(p->others);
  free(p->rings);
  free(p);
}

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
  struct pauses *p = new_pauses(cursor, interval_ns);
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .state = p, .event = count_event, .pass = pass
  });
  print_table(p);
  status = finish_output(status);
  free_pauses(p);
  eventring_close(cursor);
  return status;
}

const struct command pauses_command = {
  .name = "pauses",
  .summary = "table of the garbage collector's pauses in each domain",
  .help = help, .run = run
};
