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

/* Each tier has the amounts of the summary at the begin of its present row; the
   row is the difference to the amounts at its end.  So rows of 10 s have
   percentiles of their own, not percentiles of percentiles. */

#include <stdlib.h>
#include <string.h>
#include "history.h"
#include "memory.h"
#include "summary.h"
#include "target.h"

const int64_t history_step_ns[HISTORY_TIERS] = {
  [HISTORY_100MS] = SECOND_NS / 10, [HISTORY_1S] = SECOND_NS,
  [HISTORY_10S] = 10 * SECOND_NS
};

static const size_t rows_kept[HISTORY_TIERS] = {
  [HISTORY_100MS] = HISTORY_ROWS_100MS, [HISTORY_1S] = HISTORY_ROWS_1S,
  [HISTORY_10S] = HISTORY_ROWS_10S
};

/* A gap in the times of a file that is longer than so many rows gets no
   rows. */
#define LONGEST_GAP 6000

struct domain_amounts { uint32_t id; uint64_t watched, running, collecting; };

/* The amounts at the begin of a row. */
struct amounts {
  struct summary_tally tally;
  struct summary_time time;
  struct histogram pauses;
  uint64_t lost;
  uint32_t domain_count;
  struct domain_amounts domains[HISTORY_DOMAINS];
};

struct tier {
  int64_t end_ns;                 /* of the present row */
  struct amounts before;
  struct history_row *rows;       /* a ring of [room] rows */
  size_t room;
  uint64_t count;
};

struct counter { uint16_t id; int64_t value; bool known; const char *name; };

struct history {
  struct eventring_cursor *cursor;
  struct live_stats *live;
  int64_t started_ns;
  bool any;                       /* the first row has begun */
  uint64_t resident_bytes;
  struct amounts *now;            /* room for the amounts at the end of a row */
  struct tier tiers[HISTORY_TIERS];
  uint32_t counter_count;
  struct counter counters[HISTORY_COUNTERS];
  uint8_t is_counter[UINT16_MAX + 1];   /* 0: not looked up; 1: no counter of
                                           the program, or no room; else 2 and
                                           its number */
};

/* Amounts */

static void take_domains(struct summary *s, int64_t ns, struct amounts *now)
{
  now->domain_count = 0;
  for (uint32_t i = 0; i < s->domain_count; i++) {
    if (s->domains[i]->ended || now->domain_count == HISTORY_DOMAINS) continue;
    struct summary_time t = summary_time(s, s->domains[i], ns);
    now->domains[now->domain_count++] = (struct domain_amounts) {
      s->domains[i]->id, t.watched_ns, t.running_ns, t.collecting_ns
    };
  }
}

static void take_amounts(struct history *h, int64_t ns, struct amounts *now)
{
  struct summary *s = live_summary(h->live);
  now->tally = summary_tally(s, NULL, ns);
  now->time = summary_time(s, NULL, ns);
  take_domains(s, ns, now);
  now->pauses = s->pauses[PAUSE_ANY];
  now->lost = lost_events(h->cursor);
}

/* Returns the increase from [before] to [now]; 0 when it would be negative,
   since the summary was begun anew or an open span was judged otherwise. */
static uint64_t more(uint64_t now, uint64_t before)
{
  return now > before ? now - before : 0;
}

static uint16_t share(uint64_t part, uint64_t all)
{
  if (all == 0) return SHARE_UNKNOWN;
  if (part >= all) return SHARE_ALL;
  return (uint16_t) ((double) part / (double) all * SHARE_ALL + 0.5);
}

/* Rows */

static void fill_domains(const struct amounts *before,
                         const struct amounts *now, struct history_row *row)
{
  for (uint32_t i = 0; i < now->domain_count; i++) {
    const struct domain_amounts *d = &now->domains[i];
    struct domain_amounts was = { .id = d->id };
    for (uint32_t k = 0; k < before->domain_count; k++)
      if (before->domains[k].id == d->id) was = before->domains[k];
    uint64_t watched = more(d->watched, was.watched);
    row->domains[row->domain_count++] = (struct history_domain) {
      d->id, share(more(d->running, was.running), watched),
      share(more(d->collecting, was.collecting), watched)
    };
  }
}

/* Sets the percentiles of [row] from the difference of two histograms, which is
   left in [now]. */
static void fill_pauses(const struct histogram *before, struct histogram *now,
                        struct history_row *row)
{
  struct histogram left = *now;
  if (now->count < before->count) return;
  left.count -= before->count;
  left.total -= before->total;
  uint32_t last = 0;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS && left.count > 0; i++) {
    left.buckets[i] -= before->buckets[i];
    if (left.buckets[i] > 0) last = i;
  }
  if (left.count == 0) return;
  /* The maximum of these pauses is exact if it is the greatest of all. */
  uint64_t end = histogram_low(last + 1);
  if (left.max >= end) left.max = histogram_middle(last);
  row->pauses = left.count;
  row->p50_ns = histogram_quantile(&left, 0.5);
  row->p99_ns = histogram_quantile(&left, 0.99);
  row->max_ns = left.max;
}

static void fill_counters(const struct history *h, struct history_row *row)
{
  for (uint32_t i = 0; i < h->counter_count; i++) {
    if (!h->counters[i].known) continue;
    row->counters_known |= UINT32_C(1) << i;
    row->counters[i] = h->counters[i].value;
  }
}

static struct history_row row_of(struct history *h, enum history_tier tier,
                                 const struct amounts *before,
                                 struct amounts *now)
{
  const int64_t step = history_step_ns[tier];
  struct history_row row = { .ns = h->tiers[tier].end_ns - step };
  struct summary *s = live_summary(h->live);
  struct summary_tally t = tally_difference(&now->tally, &before->tally);
  uint64_t watched = more(now->time.watched_ns, before->time.watched_ns);
  struct summary_heap heap = summary_heap(s);
  double seconds = (double) step / (double) SECOND_NS;
  row.known = watched > 0;
  row.running = share(more(now->time.running_ns, before->time.running_ns),
                      watched);
  row.collecting = share(more(now->time.collecting_ns,
                              before->time.collecting_ns), watched);
  row.waiting = !now->time.known ? SHARE_UNKNOWN
    : share(more(now->time.waiting_ns, before->time.waiting_ns), watched);
  row.alloc_bytes_per_s = 8 * (double) t.allocated_words / seconds;
  row.promoted_bytes_per_s = 8 * (double) t.promoted_words / seconds;
  row.heap_bytes = heap.known ? 8 * (heap.pool_words + heap.large_words) : 0;
  row.resident_bytes = h->resident_bytes > 0 ? h->resident_bytes
                                             : s->resident_bytes;
  row.events = t.events;
  row.lost = more(now->lost, before->lost);
  fill_domains(before, now, &row);
  fill_pauses(&before->pauses, &now->pauses, &row);
  fill_counters(h, &row);
  return row;
}

/* Makes room for another row, up to the number of rows that are kept. */
static void grow(struct tier *t, enum history_tier tier)
{
  if (t->count < t->room || t->room == rows_kept[tier]) return;
  size_t room = t->room == 0 ? 64 : 2 * t->room;
  if (room > rows_kept[tier]) room = rows_kept[tier];
  t->rows = reallocate(t->rows, room, sizeof *t->rows);
  t->room = room;
}

static void end_row(struct history *h, enum history_tier tier)
{
  struct tier *t = &h->tiers[tier];
  take_amounts(h, t->end_ns, h->now);
  struct history_row row = row_of(h, tier, &t->before, h->now);
  grow(t, tier);
  t->rows[t->count++ % t->room] = row;
  t->before = *h->now;
  t->end_ns += history_step_ns[tier];
}

/* Times of a file that nobody has recorded may be anything: sums and
   differences of times up to 73 years do not overflow. */
#define LATEST_NS (INT64_C(1) << 61)

static bool is_possible(int64_t ns)
{
  return ns > 0 && ns < LATEST_NS;
}

/* Returns the end of the row of [step] nanoseconds that contains [ns]. */
static int64_t row_end(const struct history *h, int64_t ns, int64_t step)
{
  int64_t since = ns - h->started_ns;
  if (since < 0) since = 0;
  return h->started_ns + (since / step + 1) * step;
}

void history_until(struct history *h, int64_t ns)
{
  if (!h->any || !is_possible(ns)) return;
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    const int64_t step = history_step_ns[tier];
    struct tier *t = &h->tiers[tier];
    if ((ns - t->end_ns) / step > LONGEST_GAP) {
      end_row(h, tier);
      t->end_ns = row_end(h, ns, step);
    }
    while (t->end_ns <= ns) end_row(h, tier);
  }
}

/* Counters */

/* Returns the number of the counter of the program with the id [id], plus 2; 1
   when events with this id are none, or there is no room. */
static uint8_t look_up(struct history *h, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(h->cursor, id);
  if (d == NULL) return 0;
  const char *category = eventring_category(h->cursor, d->category);
  if (d->kind != EVENTRING_KIND_COUNTER || category == NULL
      || strcmp(category, "user") != 0
      || h->counter_count == HISTORY_COUNTERS)
    return 1;
  h->counters[h->counter_count] = (struct counter) { .id = id,
                                                     .name = d->name };
  return (uint8_t) (2 + h->counter_count++);
}

static void take_counter(struct history *h, const struct eventring_event *event)
{
  if (h->is_counter[event->id] == 0)
    h->is_counter[event->id] = look_up(h, event->id);
  if (h->is_counter[event->id] < 2 || event->words == 0) return;
  struct counter *c = &h->counters[h->is_counter[event->id] - 2];
  c->value = (int64_t) event->payload[0];
  c->known = true;
}

const char *history_counter(const struct history *h, uint32_t counter,
                            int64_t *value)
{
  if (counter >= h->counter_count) return NULL;
  *value = h->counters[counter].value;
  return h->counters[counter].name;
}

/* The history */

struct history *new_history(struct eventring_cursor *cursor,
                            struct live_stats *live)
{
  struct history *h = allocate(1, sizeof *h);
  h->cursor = cursor;
  h->live = live;
  h->started_ns = target_info(cursor).started_ns;
  if (!is_possible(h->started_ns)) h->started_ns = 0;
  h->now = allocate(1, sizeof *h->now);
  return h;
}

void free_history(struct history *h)
{
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++)
    free(h->tiers[tier].rows);
  free(h->now);
  free(h);
}

void history_event(struct history *h, const struct eventring_event *event)
{
  if (!h->any && is_possible(event->ns)) {
    h->any = true;
    for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++)
      h->tiers[tier].end_ns = row_end(h, event->ns, history_step_ns[tier]);
  }
  if (event->ns >= h->tiers[HISTORY_100MS].end_ns) history_until(h, event->ns);
  if (event->form == EVENTRING_EV_COUNTER) take_counter(h, event);
}

void history_resident(struct history *h, uint64_t bytes)
{
  h->resident_bytes = bytes;
}

uint64_t history_count(const struct history *h, enum history_tier tier)
{
  return h->tiers[tier].count;
}

uint64_t history_first(const struct history *h, enum history_tier tier)
{
  const struct tier *t = &h->tiers[tier];
  return t->count > t->room ? t->count - t->room : 0;
}

const struct history_row *history_row(const struct history *h,
                                      enum history_tier tier, uint64_t number)
{
  const struct tier *t = &h->tiers[tier];
  return &t->rows[number % t->room];
}
