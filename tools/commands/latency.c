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
   requests and waits.  Distributions of the summary are taken, and added where
   a name has several ids. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
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
"Prints how long the pauses of the garbage collector took, or spans, requests\n"
"and waits: percentiles (right to 1 %), and histograms.  For a running process,\n"
"takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_FOLLOW, OPTION_SPAN, OPTION_HGRM, OPTION_FORCE,
  OPTION_JSON, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Without --span, the pauses are:\n"
"  any            all pauses; pauses that overlap or touch are one\n"
"  minor          minor collections\n"
"  major slice    slices of major collection\n"
"  stopped        stop-the-world sections, from the stop of the domain on\n"
"  while waiting  collections by the backup thread while the domain waited: no\n"
"                 pauses, in no other row\n";

struct distribution {
  const char *name;
  struct histogram h;
  struct histogram running, waiting;      /* of requests */
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
   each.  If [named] is true, these are spans that the user named, and empty
   distributions have rows too. */
static void print_distributions(struct summary *s, bool named,
                                const struct distribution *all, size_t count)
{
  print_process(s);
  bool any = named;
  for (size_t i = 0; i < count; i++) any = any || all[i].h.count > 0;
  if (any)
    print_durations_head(named ? "span" : "pause");
  else
    puts("no pauses");
  for (size_t i = 0; i < count; i++)
    if (named || all[i].h.count > 0) {
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
  print_lost(s);
}

/* JSON */

static void print_all_json(struct summary *s, const struct distribution *all,
                           size_t count)
{
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
  summary_event(state, event);
}

static bool pass(void *state, bool idle)
{
  if (idle) summary_idle(state);
  return true;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL, *hgrm_path = NULL;
  bool follow = false, json = false, hgrm = false, force = false;
  size_t names = 0;
  struct distribution *all = allocate((size_t) argc + PAUSES, sizeof *all);
  int option;
  while ((option = next_option(&latency_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: follow = true; break;
    case OPTION_FORCE: force = true; break;
    case OPTION_HGRM: hgrm = true; hgrm_path = optarg; break;
    case OPTION_JSON: json = true; break;
    case OPTION_SPAN: all[names++].name = optarg; break;
    }
  if (hgrm && json)
    usage_error(&latency_command, "latency: --hgrm and --json exclude each "
                "other");
  if (hgrm && names > 1)
    usage_error(&latency_command, "latency: --hgrm takes one --span");

  struct eventring_cursor *cursor =
    open_target(&latency_command, argc, argv, dir, false);
  struct summary *s = new_summary(cursor);
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .changes = true, .state = s, .event = take_event,
    .pass = pass
  });
  for (size_t i = 0; i < names; i++) {
    add_named(s, &all[i]);
    if (all[i].h.count == 0)
      note("%s: no span or wait called %s has ended here",
           eventring_path(cursor), all[i].name);
  }
  size_t count = names > 0 ? names : PAUSES;
  if (names == 0) add_pauses(s, all);
  if (hgrm) {
    enum status written = write_hgrm(hgrm_path, force, &all[0].h);
    if (written != STATUS_OK) status = written;
  } else if (json)
    print_all_json(s, all, count);
  else
    print_distributions(s, names > 0, all, count);
  status = finish_output(status);
  free(all);
  free_summary(s);
  eventring_close(cursor);
  return status;
}

const struct command latency_command = {
  .name = "latency",
  .summary = "print distributions of pauses, spans and waits",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
