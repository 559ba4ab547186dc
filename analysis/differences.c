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

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "differences.h"
#include "memory.h"

#define WORD 8
#define RUNS 2

/* One of both runs. */
struct run {
  struct summary *summary;
  struct summary_tally tally;
  struct summary_heap heap;
  double seconds;                 /* watched; 0: no rate is known */
};

/* Rows */

static void add(struct differences *d, enum difference_group group,
                const char *name, const char *measure,
                enum difference_unit unit, const double values[RUNS])
{
  d->rows = with_room(d->rows, d->count, &d->room, sizeof *d->rows);
  struct difference *row = &d->rows[d->count++];
  *row = (struct difference) { .group = group, .measure = measure,
                               .unit = unit, .a = values[0], .b = values[1] };
  snprintf(row->name, sizeof row->name, "%s", name);
}

static double per_second(const struct run *run, double amount)
{
  return run->seconds > 0 ? amount / run->seconds : NAN;
}

static void add_rate(struct differences *d, enum difference_group group,
                     const char *name, const struct run runs[RUNS],
                     uint64_t a, uint64_t b)
{
  add(d, group, name, "rate", DIFFERENCE_PER_S,
      (double[RUNS]) { per_second(&runs[0], (double) a),
                       per_second(&runs[1], (double) b) });
}

static void add_word_rate(struct differences *d, const char *name,
                          const struct run runs[RUNS], uint64_t a, uint64_t b)
{
  add(d, DIFFERENCE_TOTAL, name, "rate", DIFFERENCE_BYTES_PER_S,
      (double[RUNS]) { per_second(&runs[0], WORD * (double) a),
                       per_second(&runs[1], WORD * (double) b) });
}

/* Durations */

static double mean_of(const struct histogram *h)
{
  return h == NULL || h->count == 0 ? NAN
         : (double) h->total / (double) h->count;
}

static double quantile_of(const struct histogram *h, double q)
{
  return h == NULL || h->count == 0 ? NAN : (double) histogram_quantile(h, q);
}

static double max_of(const struct histogram *h)
{
  return h == NULL || h->count == 0 ? NAN : (double) h->max;
}

static uint64_t count_of(const struct histogram *h)
{
  return h == NULL ? 0 : h->count;
}

static double total_of(const struct histogram *h)
{
  return h == NULL ? 0 : (double) h->total;
}

/* Adds the rows of the durations [a] and [b], which may be NULL. */
static void add_durations(struct differences *d, enum difference_group group,
                          const char *name, const struct run runs[RUNS],
                          const struct histogram *a, const struct histogram *b)
{
  static const struct { const char *measure; double q; } quantiles[] = {
    { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 }
  };
  const size_t first = group == DIFFERENCE_PAUSES ? 0 : 2,
    behind = group == DIFFERENCE_PAUSES ? 4 : 3;
  add_rate(d, group, name, runs, count_of(a), count_of(b));
  add(d, group, name, "mean", DIFFERENCE_NS,
      (double[RUNS]) { mean_of(a), mean_of(b) });
  for (size_t i = first; i < behind; i++)
    add(d, group, name, quantiles[i].measure, DIFFERENCE_NS,
        (double[RUNS]) { quantile_of(a, quantiles[i].q),
                         quantile_of(b, quantiles[i].q) });
  if (group == DIFFERENCE_PAUSES)
    add(d, group, name, "max", DIFFERENCE_NS,
        (double[RUNS]) { max_of(a), max_of(b) });
}

/* Totals */

static double share_of(const struct run *run, uint64_t ns)
{
  return run->tally.watched_ns > 0
         ? (double) ns / (double) run->tally.watched_ns : NAN;
}

static double heap_of(const struct run *run, uint64_t words)
{
  return run->heap.known ? WORD * (double) words : NAN;
}

static double memory_of(uint64_t bytes)
{
  return bytes > 0 ? (double) bytes : NAN;
}

static void add_bytes(struct differences *d, const char *name, double a,
                      double b)
{
  add(d, DIFFERENCE_TOTAL, name, "size", DIFFERENCE_BYTES,
      (double[RUNS]) { a, b });
}

static void add_memory(struct differences *d, const struct run runs[RUNS])
{
  const struct summary_heap *a = &runs[0].heap, *b = &runs[1].heap;
  add_bytes(d, "major heap",
            heap_of(&runs[0], a->pool_words + a->large_words),
            heap_of(&runs[1], b->pool_words + b->large_words));
  add_bytes(d, "live in the major heap",
            heap_of(&runs[0], a->pool_live_words + a->large_words),
            heap_of(&runs[1], b->pool_live_words + b->large_words));
  add_bytes(d, "resident memory",
            memory_of(summary_numbers(runs[0].summary)->resident_bytes),
            memory_of(summary_numbers(runs[1].summary)->resident_bytes));
}

static void add_totals(struct differences *d, const struct run runs[RUNS])
{
  const struct summary_tally *a = &runs[0].tally, *b = &runs[1].tally;
  add(d, DIFFERENCE_TOTAL, "collector", "share", DIFFERENCE_SHARE,
      (double[RUNS]) { share_of(&runs[0], a->gc_ns),
                       share_of(&runs[1], b->gc_ns) });
  add_word_rate(d, "allocated", runs, all_allocated_words(a),
                all_allocated_words(b));
  add_word_rate(d, "promoted", runs, a->promoted_words, b->promoted_words);
  add(d, DIFFERENCE_TOTAL, "promoted of allocated", "share", DIFFERENCE_SHARE,
      (double[RUNS]) {
        a->allocated_words > 0 ? (double) a->promoted_words
                                 / (double) a->allocated_words : NAN,
        b->allocated_words > 0 ? (double) b->promoted_words
                                 / (double) b->allocated_words : NAN });
  add_rate(d, DIFFERENCE_TOTAL, "minor collections", runs,
           a->minor_collections, b->minor_collections);
  add_rate(d, DIFFERENCE_TOTAL, "major slices", runs, a->major_slices,
           b->major_slices);
  add_rate(d, DIFFERENCE_TOTAL, "major cycles", runs, a->major_cycles,
           b->major_cycles);
  add_rate(d, DIFFERENCE_TOTAL, "compactions", runs, a->compactions,
           b->compactions);
  add_rate(d, DIFFERENCE_TOTAL, "explicit calls", runs, a->explicit_calls,
           b->explicit_calls);
  add_rate(d, DIFFERENCE_TOTAL, "events", runs, a->events, b->events);
  add_memory(d, runs);
}

/* Names */

/* A name, with its durations in both runs; [h] may be NULL.  A cause has only a
   count. */
struct named {
  char name[DIFFERENCE_NAME];
  const struct histogram *h[RUNS];
  uint64_t counts[RUNS];
  double weight;
};

/* All names of a group. */
struct names {
  struct named *list;
  size_t count, room;
};

/* Returns the entry of [name], which is new if the name was not there. */
static struct named *entry_of(struct names *names, const char *name)
{
  for (size_t i = 0; i < names->count; i++)
    if (strncmp(names->list[i].name, name, DIFFERENCE_NAME - 1) == 0)
      return &names->list[i];
  names->list = with_room(names->list, names->count, &names->room,
                          sizeof *names->list);
  struct named *named = &names->list[names->count++];
  *named = (struct named) { .weight = 0 };
  snprintf(named->name, sizeof named->name, "%s", name);
  return named;
}

static int heaviest_first(const void *a, const void *b)
{
  const struct named *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* Takes the durations [h] of events with the id [id] of run [run]. */
static void take_durations(struct names *names, const struct run *runs,
                           int run, uint16_t id, const struct histogram *h)
{
  const struct eventring_description *d =
    eventring_describe(summary_numbers(runs[run].summary)->cursor, id);
  if (d == NULL || h == NULL || h->count == 0) return;
  struct named *named = entry_of(names, d->name);
  named->h[run] = h;
  double weight = per_second(&runs[run], total_of(h));
  if (weight > named->weight) named->weight = weight;
}

static void take_names(struct names *names, const struct run *runs, int run,
                       enum difference_group group)
{
  struct summary *s = runs[run].summary;
  const struct summary_numbers *n = summary_numbers(s);
  for (uint32_t i = 0; i <= UINT16_MAX; i++) {
    uint16_t id = (uint16_t) i;
    if (group == DIFFERENCE_REQUESTS) {
      const struct request_kind *kind = request_kind(n->requests, id);
      if (kind != NULL) take_durations(names, runs, run, id, &kind->total);
    } else if (n->timings[id] != NULL
               && summary_is_wait(s, id) == (group == DIFFERENCE_WAITS))
      take_durations(names, runs, run, id, n->timings[id]);
  }
}

static void add_names(struct differences *d, const struct run runs[RUNS],
                      enum difference_group group)
{
  struct names names = { .count = 0 };
  for (int run = 0; run < RUNS; run++) take_names(&names, runs, run, group);
  if (names.count > 1)
    qsort(names.list, names.count, sizeof *names.list, heaviest_first);
  for (size_t i = 0; i < names.count && i < DIFFERENCE_NAMES; i++)
    add_durations(d, group, names.list[i].name, runs, names.list[i].h[0],
                  names.list[i].h[1]);
  free(names.list);
}

static void take_causes(struct names *names, const struct run *runs, int run,
                        enum caused caused)
{
  struct summary *s = runs[run].summary;
  const struct summary_numbers *n = summary_numbers(s);
  for (uint32_t i = 0; i < SUMMARY_CAUSES; i++) {
    char number[24];
    if (n->causes[caused][i] == 0) continue;
    struct named *named = entry_of(names, summary_cause_name(
      s, summary_cause_unit[caused], i, number));
    named->counts[run] = n->causes[caused][i];
    double weight = per_second(&runs[run], (double) named->counts[run]);
    if (weight > named->weight) named->weight = weight;
  }
}

/* Adds the causes of each activity, named "ACTIVITY: CAUSE". */
static void add_causes(struct differences *d, const struct run runs[RUNS])
{
  for (enum caused caused = 0; caused < CAUSED; caused++) {
    struct names names = { .count = 0 };
    for (int run = 0; run < RUNS; run++)
      take_causes(&names, runs, run, caused);
    if (names.count > 1)
      qsort(names.list, names.count, sizeof *names.list, heaviest_first);
    for (size_t i = 0; i < names.count; i++) {
      const struct named *n = &names.list[i];
      char name[DIFFERENCE_NAME];
      snprintf(name, sizeof name, "%s: %.120s", summary_caused_name[caused],
               n->name);
      add_rate(d, DIFFERENCE_CAUSES, name, runs, n->counts[0], n->counts[1]);
    }
    free(names.list);
  }
}

/* Returns the time in which the domain that was watched longest was watched, in
   seconds. */
static double longest_watched(struct summary *s, int64_t until_ns)
{
  const struct summary_numbers *n = summary_numbers(s);
  uint64_t longest = 0;
  for (uint32_t i = 0; i < n->domain_count; i++) {
    uint64_t ns = summary_tally(s, n->domains[i], until_ns).watched_ns;
    if (ns > longest) longest = ns;
  }
  return (double) longest / 1e9;
}

static struct run run_of(struct summary *s, int64_t until_ns)
{
  struct summary_tally tally = summary_tally(s, NULL, until_ns);
  return (struct run) { .summary = s, .tally = tally, .heap = summary_heap(s),
                        .seconds = longest_watched(s, until_ns) };
}

struct differences *new_differences(struct summary *a, int64_t a_until_ns,
                                    struct summary *b, int64_t b_until_ns)
{
  struct differences *d = allocate(1, sizeof *d);
  const struct run runs[RUNS] = { run_of(a, a_until_ns),
                                  run_of(b, b_until_ns) };
  add_totals(d, runs);
  for (enum pause pause = 0; pause < PAUSES; pause++)
    add_durations(d, DIFFERENCE_PAUSES, summary_pause_name[pause], runs,
                  &summary_numbers(a)->pauses[pause],
                  &summary_numbers(b)->pauses[pause]);
  add_causes(d, runs);
  add_names(d, runs, DIFFERENCE_SPANS);
  add_names(d, runs, DIFFERENCE_REQUESTS);
  add_names(d, runs, DIFFERENCE_WAITS);
  return d;
}

void free_differences(struct differences *d)
{
  free(d->rows);
  free(d);
}
