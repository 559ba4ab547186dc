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

/* eventring pauses: how long each domain collected and stood still, and why.

   Three distributions a domain: minor collections and major slices, which are
   spans, and the time stopped, which one event tells of all domains.  What is
   open at the moment belongs to a ring, which has one writer and one domain at
   a time; what is counted belongs to a domain, by its unique id, since rings
   are reused. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "follow.h"
#include "histogram.h"
#include "line.h"
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

/* What is measured. */
enum kind { MINOR, MAJOR_SLICE, STOPPED, KINDS };

static const struct {
  const char *name;
  const char *event;
  const char *cause;              /* the field that says why */
} kinds[KINDS] = {
  [MINOR] = { "minor", "minor", "cause" },
  [MAJOR_SLICE] = { "major slice", "major_slice", "cause" },
  [STOPPED] = { "stopped", "stop_the_world", "reason" }
};

struct domain {
  uint32_t id;
  struct histogram kinds[KINDS];
};

struct ring {
  struct domain *domain;          /* the one that writes to it now, or NULL */
  struct { bool open; int64_t since; } spans[KINDS];
};

/* Causes by their values, of which there are fewer; more than that fall
   together. */
#define CAUSES 64

/* Programs may start domains without end, so only so many get a row of their
   own; the others share one. */
#define DOMAINS_APART 1024

struct pauses {
  struct eventring_cursor *cursor;
  int ids[KINDS];                 /* -1: the file does not know it */
  int pause_id, resume_id;
  struct ring *rings;
  uint32_t ring_count;
  struct domain *apart[DOMAINS_APART];
  uint32_t apart_count;
  struct domain *others;
  uint64_t causes[KINDS][CAUSES];
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
  memset(ring->spans, 0, sizeof ring->spans);
}

/* After tracing was paused, an end may belong to another begin. */
static void forget_all_open(struct pauses *p)
{
  for (uint32_t i = 0; i < p->ring_count; i++) forget_open(&p->rings[i]);
}

/* Events */

static bool is_field(struct pauses *p, const struct eventring_event *event,
                     uint32_t word, const char *name)
{
  const struct eventring_field *field = field_of(p->cursor, event, word);
  return field != NULL && strcmp(field->name, name) == 0;
}

/* The first field called [name], or [otherwise]. */
static uint64_t field_called(struct pauses *p,
                             const struct eventring_event *event,
                             const char *name, uint64_t otherwise)
{
  for (uint32_t i = 0; i < event->words; i++)
    if (is_field(p, event, i, name)) return event->payload[i];
  return otherwise;
}

static void count_cause(struct pauses *p, enum kind kind,
                        const struct eventring_event *event)
{
  uint64_t cause = field_called(p, event, kinds[kind].cause, UINT64_MAX);
  if (cause == UINT64_MAX) return;
  p->causes[kind][cause < CAUSES ? cause : CAUSES - 1]++;
}

static void span_ends(struct pauses *p, struct ring *ring, enum kind kind,
                      const struct eventring_event *event)
{
  if (!ring->spans[kind].open) return;    /* its begin was not recorded */
  ring->spans[kind].open = false;
  if (event->ns >= ring->spans[kind].since)
    histogram_add(&ring->domain->kinds[kind], (uint64_t) event->ns
                  - (uint64_t) ring->spans[kind].since);
  /* All domains take part in a minor collection: it is told of by the one
     that asked for it. */
  if (field_called(p, event, "requested_by", event->domain) == event->domain)
    count_cause(p, kind, event);
}

/* Each domain that was stopped stands there with how long after the request it
   arrived.  The duration counts from when the last one had arrived.  A request
   that no domain has to wait for has none of them. */
static void stop_ends(struct pauses *p, const struct eventring_event *event)
{
  uint64_t last = 0;
  for (uint32_t i = 0; i < event->words; i++)
    if (is_field(p, event, i, "arrived_after") && event->payload[i] > last)
      last = event->payload[i];

  struct domain *domain = NULL;
  for (uint32_t i = 0; i < event->words; i++)
    if (is_field(p, event, i, "domain"))
      domain = domain_of(p, (uint32_t) event->payload[i]);
    else if (domain != NULL && is_field(p, event, i, "arrived_after"))
      histogram_add(&domain->kinds[STOPPED],
                    last - event->payload[i] + event->payload[0]);
  if (domain != NULL) count_cause(p, STOPPED, event);
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

  if (ring->domain == NULL || ring->domain->id != event->domain) {
    ring->domain = domain_of(p, event->domain);
    forget_open(ring);
  }
  if (event->form == EVENTRING_EV_INSTANT) {
    if (event->id == p->pause_id || event->id == p->resume_id)
      forget_all_open(p);
    else if (event->id == p->ids[STOPPED])
      stop_ends(p, event);
    return;
  }
  for (enum kind kind = 0; kind < STOPPED; kind++) {
    if (event->id != p->ids[kind]) continue;
    if (event->form == EVENTRING_EV_BEGIN) {
      ring->spans[kind].open = true;
      ring->spans[kind].since = event->ns;
    } else if (event->form == EVENTRING_EV_END)
      span_ends(p, ring, kind, event);
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

static void print_row(const char *domain, enum kind kind,
                      const struct histogram *h)
{
  char median[QUANTITY_SIZE], p99[QUANTITY_SIZE], max[QUANTITY_SIZE],
    total[QUANTITY_SIZE];
  printf("%-6s  %-11s  ", domain, kinds[kind].name);
  if (h->count == 0)
    printf("%9d  %8s  %8s  %8s  %8s", 0, "-", "-", "-", "-");
  else
    printf("%9" PRIu64 "  %8s  %8s  %8s  %8s", h->count,
           format_duration(median, histogram_quantile(h, 0.5)),
           format_duration(p99, histogram_quantile(h, 0.99)),
           format_duration(max, h->max), format_duration(total, h->total));
}

static void print_domain(struct pauses *p, const struct domain *domain)
{
  char id[16] = "others";
  const char *name = NULL;
  if (domain != p->others) {
    snprintf(id, sizeof id, "%" PRIu32, domain->id);
    name = eventring_domain_name(p->cursor, domain->id);
  }
  for (enum kind kind = 0; kind < KINDS; kind++) {
    print_row(id, kind, &domain->kinds[kind]);
    if (name != NULL) {
      fputs("  \"", stdout);
      print_text(stdout, name, strlen(name), TEXT_QUOTED);
      putchar('"');
    }
    putchar('\n');
  }
}

/* The causes of a kind, the most frequent first; of two alike, the first. */
static void print_causes(struct pauses *p, enum kind kind)
{
  uint64_t left[CAUSES];
  memcpy(left, p->causes[kind], sizeof left);
  for (uint32_t printed = 0; ; printed++) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < CAUSES; i++)
      if (left[i] > left[most]) most = i;
    if (left[most] == 0) {
      if (printed > 0) putchar('\n');
      return;
    }
    if (printed == 0)
      printf("%-11s  ", kinds[kind].name);
    else
      fputs(", ", stdout);
    const char *name = eventring_value(p->cursor, kinds[kind].cause, most);
    if (name != NULL)
      print_text(stdout, name, strlen(name), TEXT_COLUMN);
    else if (most < CAUSES - 1)
      printf("#%" PRIu32, most);
    else
      fputs("others", stdout);
    printf(" %" PRIu64, left[most]);
    left[most] = 0;
  }
}

static bool any_causes(const struct pauses *p)
{
  for (uint32_t kind = 0; kind < KINDS; kind++)
    for (uint32_t i = 0; i < CAUSES; i++)
      if (p->causes[kind][i] > 0) return true;
  return false;
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
  for (uint32_t i = 0; i < p->apart_count; i++)
    print_domain(p, p->apart[i]);
  if (p->others != NULL) print_domain(p, p->others);
  if (any_causes(p)) puts("pause        causes");
  for (enum kind kind = 0; kind < KINDS; kind++) print_causes(p, kind);

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
  for (enum kind kind = 0; kind < KINDS; kind++)
    p->ids[kind] = eventring_find(cursor, kinds[kind].event);
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
