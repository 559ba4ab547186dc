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
#include "between_text.h"
#include "common.h"
#include "filter_options.h"
#include "follow.h"
#include "hgrm.h"
#include "json.h"
#include "options.h"
#include "sink.h"
#include "summary_text.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring latency [OPTION...] [PID|FILE]\n"
"Prints percentiles, right to 1 %, and histograms of the pauses of the garbage\n"
"collector, of spans, requests and waits, or of the time between two events.\n"
"For a running process, takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_FOLLOW, OPTION_SPAN, OPTION_BETWEEN, OPTION_AND,
  OPTION_SCOPE, OPTION_HGRM, OPTION_FORCE, OPTION_JSON, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Pauses, without --span and --between:\n"
"  any            all; pauses that overlap or touch are one\n"
"  stopped        stop-the-world sections, from the stop of the domain on\n"
"  while waiting  collections by the backup thread while the domain waited: no\n"
"                 pauses, in no other row\n"
"FILTER has words: a name, domain=, thread=, categories=, form=, longer-than=.\n";

struct distribution {
  const char *name;
  struct histogram h;
  struct histogram running, waiting;      /* of requests */
};

/* The command line, and the pairs of --between. */
struct latency {
  const char *dir, *hgrm_path;
  bool follow, json, hgrm, force;
  size_t names;                   /* of --span, in [all] */
  char *words[2];                 /* of --between and --and, or NULL */
  const char *scope;
  struct filter *filters[2];
  struct between *between;        /* NULL: not asked for */
  struct summary *s;
  struct distribution *all;
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
static void print_distributions(struct summary *s, const char *named,
                                const struct distribution *all, size_t count)
{
  print_process(s);
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

/* JSON */

static void print_all_json(struct latency *l, size_t count)
{
  struct summary *s = l->s;
  const struct distribution *all = l->all;
  json_t *object = json_object(), *distributions = json_array();
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
  json_object_set_new(object, "version", json_integer(JSON_VERSION));
  json_object_set_new(object, "process", json_process(s->cursor));
  json_object_set_new(object, "first_ns", json_integer(s->first_ns));
  json_object_set_new(object, "last_ns", json_integer(s->last_ns));
  json_object_set_new(object, "lost_events",
                      json_integer((json_int_t) lost_events(s->cursor)));
  json_object_set_new(object, "distributions", distributions);
  if (l->between != NULL)
    json_object_set_new(object, "between",
                        json_between(s->cursor, between_result(l->between)));
  print_json(object, false);
}

/* The command */

/* Adds the durations of all ids of spans and waits called [to->name] to
   [to->h]. */
static void add_named(struct summary *s, struct distribution *to)
{
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct request_kind *kind = request_kind(s->requests, (uint16_t) id);
    const struct eventring_description *d =
      s->timings[id] != NULL || kind != NULL ? eventring_describe(s->cursor, id)
                                             : NULL;
    if (d == NULL || strcmp(d->name, to->name) != 0) continue;
    if (s->timings[id] != NULL) histogram_merge(&to->h, s->timings[id]);
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
    all[i].h = s->pauses[order[i]];
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
  struct latency *l = state;
  summary_event(l->s, event);
  if (l->between != NULL) between_event(l->between, event, true);
}

static bool pass(void *state, bool idle)
{
  struct latency *l = state;
  if (idle) summary_idle(l->s);
  return true;
}

/* Makes the filters of --between and --and and checks the options around them.
   Ends the program with a message when they are wrong. */
static enum between_scope check_between(struct latency *l)
{
  enum between_scope scope = BETWEEN_THREAD;
  char why[MESSAGE_SIZE];
  if ((l->words[0] == NULL) != (l->words[1] == NULL))
    usage_error(&latency_command, "latency: --between and --and need each "
                "other");
  if (l->scope != NULL && l->words[0] == NULL)
    usage_error(&latency_command, "latency: --scope needs --between");
  if (l->names > 0 && l->words[0] != NULL)
    usage_error(&latency_command, "latency: --span and --between exclude each "
                "other");
  if (l->scope != NULL && !between_scope(l->scope, strlen(l->scope), &scope))
    usage_error(&latency_command, "latency: unknown scope '%s' (scopes: "
                "thread, domain, process)", l->scope);
  for (int i = 0; i < 2 && l->words[i] != NULL; i++) {
    l->filters[i] = new_filter();
    if (!between_filter(l->filters[i], l->words[i], why, sizeof why))
      usage_error(&latency_command, "latency: %s", why);
  }
  return scope;
}

/* Reads the command line into [l], which has room for a distribution for each
   argument. */
static enum between_scope take_options(struct latency *l, int argc, char **argv)
{
  int option;
  while ((option = next_option(&latency_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_AND: l->words[1] = optarg; break;
    case OPTION_BETWEEN: l->words[0] = optarg; break;
    case OPTION_DIR: l->dir = optarg; break;
    case OPTION_FOLLOW: l->follow = true; break;
    case OPTION_FORCE: l->force = true; break;
    case OPTION_HGRM: l->hgrm = true; l->hgrm_path = optarg; break;
    case OPTION_JSON: l->json = true; break;
    case OPTION_SCOPE: l->scope = optarg; break;
    case OPTION_SPAN: l->all[l->names++].name = optarg; break;
    }
  if (l->hgrm && l->json)
    usage_error(&latency_command, "latency: --hgrm and --json exclude each "
                "other");
  if (l->hgrm && l->names > 1)
    usage_error(&latency_command, "latency: --hgrm takes one --span");
  return check_between(l);
}

/* Fills the distributions of [l] and returns their number. */
static size_t add_distributions(struct latency *l)
{
  if (l->between != NULL) {
    l->all[0].name = "first to second";
    l->all[0].h = between_result(l->between)->durations;
    return 1;
  }
  for (size_t i = 0; i < l->names; i++) {
    add_named(l->s, &l->all[i]);
    if (l->all[i].h.count == 0)
      note("%s: no span or wait called %s has ended here",
           eventring_path(l->s->cursor), l->all[i].name);
  }
  if (l->names > 0) return l->names;
  add_pauses(l->s, l->all);
  return PAUSES;
}

/* Prints the result as the options say.  Returns STATUS_OK, or
   STATUS_CANNOT_WRITE. */
static enum status print_result(struct latency *l)
{
  const size_t count = add_distributions(l);
  if (l->hgrm) return write_hgrm(l->hgrm_path, l->force, &l->all[0].h);
  if (l->json) {
    print_all_json(l, count);
    return STATUS_OK;
  }
  print_distributions(l->s, l->between != NULL ? "time"
                            : l->names > 0 ? "span" : NULL, l->all, count);
  if (l->between != NULL)
    print_between(l->s->cursor, between_result(l->between));
  print_lost(l->s);
  return STATUS_OK;
}

static void free_latency(struct latency *l)
{
  if (l->between != NULL) free_between(l->between);
  for (int i = 0; i < 2; i++)
    if (l->filters[i] != NULL) free_filter(l->filters[i]);
  free(l->all);
  free_summary(l->s);
}

static enum status run(int argc, char **argv)
{
  struct latency l = {
    .all = allocate((size_t) argc + PAUSES, sizeof *l.all)
  };
  const enum between_scope scope = take_options(&l, argc, argv);
  struct eventring_cursor *cursor =
    open_target(&latency_command, argc, argv, l.dir, false);
  l.s = new_summary(cursor);
  if (l.words[0] != NULL) {
    for (int i = 0; i < 2; i++) begin_filter(l.filters[i], cursor);
    l.between = new_between(cursor, l.filters[0], l.filters[1], scope);
  }
  enum status status = read_events(cursor, &(struct reading) {
    .follow = l.follow, .changes = true, .state = &l, .event = take_event,
    .pass = pass
  });
  enum status printed = print_result(&l);
  status = finish_output(printed != STATUS_OK ? printed : status);
  free_latency(&l);
  eventring_close(cursor);
  return status;
}

const struct command latency_command = {
  .name = "latency",
  .summary = "print distributions of pauses, spans and waits",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
