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

/* eventring latency: prints distributions of the durations of pauses, spans,
   requests and waits, or of the time between two events.  Distributions of the
   summary are taken, and added where a name has several ids. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "all_processes.h"
#include "between_text.h"
#include "filter_options.h"
#include "hgrm.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "output_file.h"
#include "summary_text.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring latency [OPTION...] [PID|FILE]...\n"
"Prints percentiles, right to 1 %, and histograms of the pauses of the garbage\n"
"collector, of spans, requests and waits, or of the time between two events.\n"
"For a running process, takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_FOLLOW, OPTION_SPAN, OPTION_BETWEEN, OPTION_AND,
  OPTION_SCOPE, OPTION_HGRM, OPTION_FORCE, OPTION_HUB, OPTION_JSON, OPTION_HELP,
  OPTION_END
};

static const char notes[] =
"Pauses, without --span and --between:\n"
"  any            all; pauses that overlap or touch are one\n"
"  stopped        stop-the-world sections, from the stop of the domain on\n"
"  while waiting  collections by the backup thread while the domain waited: no\n"
"                 pauses, in no other row\n"
"FILTER has words: a name, domain=, thread=, categories=, form=, > TIME.\n";

struct distribution {
  const char *name;
  struct histogram h;
  struct histogram running, waiting;      /* of requests */
};

/* The command line. */
struct latency {
  const char *dir, *hgrm_path;
  bool follow, json, hgrm, force, several;
  const char **spans;             /* of --span */
  size_t span_count;
  char *words[2];                 /* of --between and --and, or NULL */
  struct filter *filters[2];      /* the same */
  const char *scope_name;
  enum between_scope scope;
  struct distribution *total;     /* of all processes */
  uint64_t lost;
  bool lost_is_bound;
};

/* A process, and the pairs of --between. */
struct timed_process {
  const struct latency *command;
  struct summary *s;
  struct filter *filters[2];
  struct between *between;        /* NULL: not asked for */
  struct distribution *all;
  size_t count;
};

/* Text */

#define BAR_WIDTH 40

/* The number of rows of the chart: the upper limit of each row is twice the
   limit of the row before. */
#define ROWS (HISTOGRAM_TOP_BIT + 1)

/* Returns the row of the chart for the bucket [bucket] of a histogram: row n
   has the durations from 2^n to 2^(n + 1) nanoseconds, row 0 also 0. */
static uint32_t row_of(uint32_t bucket)
{
  uint64_t low = histogram_low(bucket);
  return low < 2 ? 0 : 63 - (uint32_t) __builtin_clzll(low);
}

/* Prints the chart of [h], which must not be empty: a bar for each row from the
   first to the last that has durations.  The longest has BAR_WIDTH
   characters. */
static void print_bars(const struct histogram *h)
{
  uint64_t rows[ROWS] = { 0 }, most = 0;
  uint32_t first = ROWS, last = 0;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    if (h->buckets[i] == 0) continue;
    last = row_of(i);
    if (first == ROWS) first = last;
    rows[last] += h->buckets[i];
    if (rows[last] > most) most = rows[last];
  }
  for (uint32_t row = first; row <= last; row++) {
    char from[QUANTITY_SIZE], to[QUANTITY_SIZE];
    int width = (int) ((double) rows[row] * BAR_WIDTH / (double) most + 0.5);
    if (width == 0 && rows[row] > 0) width = 1;
    printf("%8s to %7s  %8" PRIu64 "%s%.*s\n",
           format_duration(from, row == 0 ? 0 : UINT64_C(1) << row),
           format_duration(to, UINT64_C(2) << row), rows[row],
           width > 0 ? "  " : "", width,
           "########################################");
  }
}

/* Prints the [count] distributions in [all] as text: a table, then a chart for
   each.  [named] is the title of distributions that the user asked for, of which
   empty ones have rows too; NULL for pauses. */
static void print_distributions(const char *named,
                                const struct distribution *all, size_t count)
{
  bool any = named != NULL;
  for (size_t i = 0; i < count; i++) any = any || all[i].h.count > 0;
  if (any)
    print_durations_head(named != NULL ? named : "pause");
  else
    puts("no pauses");
  for (size_t i = 0; i < count; i++)
    if (named != NULL || all[i].h.count > 0) {
      print_durations(all[i].name, &all[i].h);
      print_runs(&all[i].running, &all[i].waiting);
    }
  for (size_t i = 0; i < count; i++) {
    if (all[i].h.count == 0) continue;
    putchar('\n');
    print_text(stdout, all[i].name, strlen(all[i].name), TEXT_COLUMN);
    puts(":");
    print_bars(&all[i].h);
  }
}

/* Returns the title of the distributions; NULL for pauses. */
static const char *title(const struct latency *l)
{
  return l->words[0] != NULL ? "time" : l->span_count > 0 ? "span" : NULL;
}

/* JSON */

/* Returns a new JSON array of the [count] distributions in [all]. */
static json_t *json_distributions(const struct distribution *all, size_t count)
{
  json_t *distributions = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *d = json_object();
    json_object_set_new(d, "name", json_text(all[i].name));
    json_object_update_new(d, json_durations(&all[i].h));
    json_object_set_new(d, "buckets", json_buckets(&all[i].h));
    if (all[i].running.count > 0) {
      json_object_set_new(d, "running", json_durations(&all[i].running));
      json_object_set_new(d, "waiting", json_durations(&all[i].waiting));
    }
    json_array_append_new(distributions, d);
  }
  return distributions;
}

/* Returns a new JSON object that describes the process [p]. */
static json_t *json_timed_process(const struct timed_process *p)
{
  struct summary *s = p->s;
  const struct summary_numbers *n = summary_numbers(s);
  json_t *object = json_object();
  json_object_set_new(object, "version", json_integer(JSON_VERSION));
  json_object_set_new(object, "process", json_process(n->cursor));
  json_object_set_new(object, "first_ns", json_integer(n->first_ns));
  json_object_set_new(object, "last_ns", json_integer(n->last_ns));
  json_object_set_new(object, "lost_events",
                      json_integer((json_int_t) lost_events(n->cursor)));
  json_object_set_new(object, "distributions",
                      json_distributions(p->all, p->count));
  if (p->between != NULL)
    json_object_set_new(object, "between",
                        json_between(n->cursor, between_result(p->between)));
  return object;
}

/* The command */

/* Adds the durations of all ids of spans and waits called [to->name] to
   [to->h]. */
static void add_named(struct summary *s, struct distribution *to)
{
  const struct summary_numbers *n = summary_numbers(s);
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct request_kind *kind = request_kind(n->requests, (uint16_t) id);
    const struct eventring_description *d =
      n->timings[id] != NULL || kind != NULL ? eventring_describe(n->cursor, id)
                                             : NULL;
    if (d == NULL || strcmp(d->name, to->name) != 0) continue;
    if (n->timings[id] != NULL) histogram_merge(&to->h, n->timings[id]);
    if (kind == NULL) continue;
    histogram_merge(&to->h, &kind->total);
    histogram_merge(&to->running, &kind->running);
    histogram_merge(&to->waiting, &kind->waiting);
  }
}

/* Sets the PAUSES elements of [all] to the kinds of pauses and their
   durations. */
static void add_pauses(struct summary *s, struct distribution *all)
{
  static const enum pause order[PAUSES] = {
    PAUSE_ANY, PAUSE_MINOR, PAUSE_SLICE, PAUSE_STOPPED, PAUSE_WAITING
  };
  summary_tally(s, NULL, summary_until(s));
  for (int i = 0; i < PAUSES; i++) {
    all[i].name = pause_names[order[i]];
    all[i].h = summary_numbers(s)->pauses[order[i]];
  }
}

static void print_durations_hgrm(FILE *out, void *h)
{
  print_hgrm(out, h);
}

/* Writes [h] in the format of HdrHistogram to the file at [path], or to
   standard output if [path] is NULL.  Returns STATUS_OK; STATUS_CANNOT_WRITE,
   with a message, when the file cannot be written, is an input, or exists while
   [force] is false.  Failures of standard output are left to finish_output. */
static enum status write_hgrm(const char *path, bool force,
                              struct histogram *h)
{
  if (path == NULL) {
    print_hgrm(stdout, h);
    return STATUS_OK;
  }
  return write_printed(path, force, print_durations_hgrm, h)
         ? STATUS_OK : STATUS_CANNOT_WRITE;
}

static void take_event(void *state, const struct eventring_event *event)
{
  struct timed_process *p = state;
  summary_event(p->s, event);
  if (p->between != NULL && event->form != EVENTRING_EV_OPEN)
    between_event(p->between, event, true);
}

static void quiet(void *state)
{
  const struct timed_process *p = state;
  summary_idle(p->s);
}

/* Makes the filters of --between and --and, which processes get copies of.  Ends
   the program with a message when they are wrong. */
static void make_filters(struct latency *l)
{
  char why[MESSAGE_SIZE];
  for (int i = 0; i < 2; i++) {
    l->filters[i] = new_filter();
    if (!between_filter(l->filters[i], l->words[i], why, sizeof why))
      usage_error(&latency_command, "latency: %s", why);
  }
}

/* Checks the options around --between.  Ends the program with a message when
   they are wrong. */
static void check_between(struct latency *l)
{
  l->scope = BETWEEN_THREAD;
  if ((l->words[0] == NULL) != (l->words[1] == NULL))
    usage_error(&latency_command, "latency: --between and --and need each "
                "other");
  if (l->scope_name != NULL && l->words[0] == NULL)
    usage_error(&latency_command, "latency: --scope needs --between");
  if (l->span_count > 0 && l->words[0] != NULL)
    usage_error(&latency_command, "latency: --span and --between exclude each "
                "other");
  if (l->scope_name != NULL
      && !between_scope(l->scope_name, strlen(l->scope_name), &l->scope))
    usage_error(&latency_command, "latency: unknown scope '%s' (scopes: "
                "thread, domain, process)", l->scope_name);
  if (l->words[0] != NULL) make_filters(l);
}

/* Reads the command line into [l], which has room for a span for each
   argument. */
static void take_options(struct latency *l, int argc, char **argv)
{
  int option;
  while ((option = next_option(&latency_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: l->several = true; break;
    case OPTION_AND: l->words[1] = optarg; break;
    case OPTION_BETWEEN: l->words[0] = optarg; break;
    case OPTION_DIR: l->dir = optarg; break;
    case OPTION_FOLLOW: l->follow = true; break;
    case OPTION_FORCE: l->force = true; break;
    case OPTION_HUB: use_hub(&latency_command, optarg); break;
    case OPTION_HGRM: l->hgrm = true; l->hgrm_path = optarg; break;
    case OPTION_JSON: l->json = true; break;
    case OPTION_SCOPE: l->scope_name = optarg; break;
    case OPTION_SPAN: l->spans[l->span_count++] = optarg; break;
    }
  if (l->hgrm && l->json)
    usage_error(&latency_command, "latency: --hgrm and --json exclude each "
                "other");
  if (l->hgrm && l->span_count > 1)
    usage_error(&latency_command, "latency: --hgrm takes one --span");
  check_between(l);
}

/* Returns the number of distributions of each process. */
static size_t distribution_count(const struct latency *l)
{
  return l->words[0] != NULL ? 1 : l->span_count > 0 ? l->span_count : PAUSES;
}

/* Fills the distributions of [p]. */
static void fill_distributions(struct timed_process *p)
{
  const struct latency *l = p->command;
  if (p->between != NULL) {
    p->all[0].name = "first to second";
    p->all[0].h = between_result(p->between)->durations;
    return;
  }
  for (size_t i = 0; i < l->span_count; i++) {
    p->all[i].name = l->spans[i];
    add_named(p->s, &p->all[i]);
  }
  if (l->span_count == 0) add_pauses(p->s, p->all);
}

/* Prints a note for each --span that is empty among the distributions [all] of
   [name], a path or all processes. */
static void note_missing(const struct latency *l, const char *name,
                         const struct distribution *all)
{
  for (size_t i = 0; i < l->span_count; i++)
    if (all[i].h.count == 0)
      note("%s: no span or wait called %s has ended here", name, l->spans[i]);
}

static void print_timed_process(const struct timed_process *p)
{
  print_process(p->s);
  print_distributions(title(p->command), p->all, p->count);
  if (p->between != NULL)
    print_between(summary_numbers(p->s)->cursor, between_result(p->between));
  print_lost(p->s);
}

/* Adds the distributions of [p] to the total. */
static void add_total(struct latency *l, const struct timed_process *p)
{
  const struct summary_numbers *n = summary_numbers(p->s);
  for (size_t i = 0; i < p->count; i++) {
    l->total[i].name = p->all[i].name;
    histogram_merge(&l->total[i].h, &p->all[i].h);
    histogram_merge(&l->total[i].running, &p->all[i].running);
    histogram_merge(&l->total[i].waiting, &p->all[i].waiting);
  }
  l->lost += lost_events(n->cursor);
  if (target_info(n->cursor).lost_is_bound) l->lost_is_bound = true;
}

static void *begin(void *command, const struct all_processes *all, int which)
{
  const struct latency *l = command;
  struct timed_process *p = allocate(1, sizeof *p);
  struct eventring_cursor *cursor = all->sources[which].cursor;
  p->command = l;
  p->count = distribution_count(l);
  p->all = allocate(p->count, sizeof *p->all);
  p->s = new_summary(cursor);
  if (l->words[0] == NULL) return p;
  for (int i = 0; i < 2; i++) {
    p->filters[i] = copy_filter(l->filters[i]);
    begin_filter(p->filters[i], cursor);
  }
  p->between = new_between(cursor, p->filters[0], p->filters[1], l->scope);
  return p;
}

/* Frees the filters [filters], if there are any. */
static void free_filters(struct filter *filters[2])
{
  for (int i = 0; i < 2; i++)
    if (filters[i] != NULL) free_filter(filters[i]);
}

static void free_timed_process(struct timed_process *p)
{
  if (p->between != NULL) free_between(p->between);
  free_filters(p->filters);
  free(p->all);
  free_summary(p->s);
  free(p);
}

/* Prints the process of [state], adds it to the total, and frees it. */
static enum status end(void *command, const struct all_processes *all,
                       int which, void *state)
{
  struct latency *l = command;
  struct timed_process *p = state;
  const bool alone = all->labels == NULL;
  fill_distributions(p);
  if (alone) note_missing(l, shown_path(summary_numbers(p->s)->cursor), p->all);
  add_total(l, p);
  if (l->json) {
    json_t *object = json_timed_process(p);
    if (!alone) json_label(object, &all->labels[which]);
    print_json(object, !alone);
  } else if (!l->hgrm) {
    print_section(all, which, which == 0);
    print_timed_process(p);
  }
  free_timed_process(p);
  return STATUS_OK;
}

static void print_total_json(const struct latency *l, size_t count, int number)
{
  json_t *object = json_object();
  json_object_set_new(object, "version", json_integer(JSON_VERSION));
  json_object_set_new(object, "processes", json_integer(number));
  json_object_set_new(object, "lost_events",
                      json_integer((json_int_t) l->lost));
  json_object_set_new(object, "distributions",
                      json_distributions(l->total, count));
  print_json(object, true);
}

/* Prints the sum over all [number] processes. */
static void print_all(const struct latency *l, int number)
{
  const size_t count = distribution_count(l);
  note_missing(l, "all processes", l->total);
  if (l->json)
    print_total_json(l, count, number);
  else if (!l->hgrm) {
    printf("\nall %d processes: %s%" PRIu64 " events lost\n", number,
           l->lost_is_bound && l->lost > 0 ? "at most " : "", l->lost);
    print_distributions(title(l), l->total, count);
  }
}

static enum status run(int argc, char **argv)
{
  struct latency l = {
    .spans = allocate((size_t) argc, sizeof *l.spans)
  };
  take_options(&l, argc, argv);
  l.total = allocate(distribution_count(&l), sizeof *l.total);
  struct all_processes all = open_processes(&latency_command, argc, argv, l.dir,
                                            l.several);
  enum status status = read_each(&all, &(struct each) {
    .command = &l, .open_spans = true, .begin = begin, .event = take_event,
    .quiet = quiet, .end = end
  }, l.follow);
  if (l.several) print_all(&l, all.count);
  if (l.hgrm
      && write_hgrm(l.hgrm_path, l.force, &l.total[0].h) != STATUS_OK)
    status = STATUS_CANNOT_WRITE;
  status = finish_output(status);
  close_processes(&all);
  free_filters(l.filters);
  free(l.total);
  free(l.spans);
  return status;
}

const struct command latency_command = {
  .name = "latency",
  .summary = "print distributions of pauses, spans and waits",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
