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
   percentiles of their own, not percentiles of percentiles.

   Spans, requests and waits by name are added to the present row of each tier
   when they end.  A wait may have begun many rows before; its time is added to
   each of these rows.

   The values of a domain or a name are in a column of their own, which is made
   when the first row has one: a program with few domains and names needs few
   bytes a row.  Rows and columns have their full size from the beginning; the
   system gives memory to a page of them when it is first written. */

#include <stdlib.h>
#include <string.h>
#include "category.h"
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

struct domain_amounts { uint32_t id; struct summary_time time; };

/* The amounts at the begin of a row. */
struct amounts {
  struct summary_tally tally;
  struct summary_time time;
  struct histogram pauses;
  uint64_t lost;
  uint32_t domain_count;
  struct domain_amounts domains[HISTORY_DOMAINS];
};

/* Columns: of each kind of names, and of domains. */
enum { DOMAIN_COLUMNS = HISTORY_KINDS, COLUMN_KINDS };
static const size_t cell_size[COLUMN_KINDS] = {
  [HISTORY_COUNTER] = sizeof(int64_t),
  [HISTORY_SPAN] = sizeof(struct history_ended),
  [HISTORY_REQUEST] = sizeof(struct history_ended),
  [HISTORY_WAIT] = sizeof(uint64_t),
  [DOMAIN_COLUMNS] = sizeof(struct history_domain)
};
#define MOST_COLUMNS \
  (HISTORY_DOMAINS > HISTORY_NAMES ? HISTORY_DOMAINS : HISTORY_NAMES)

struct tier {
  int64_t end_ns;                 /* of the present row */
  struct amounts before;
  size_t room;                    /* rows in the rings: those kept, and the
                                     present one */
  uint64_t count;                 /* number of the present row, which has only
                                     its begin, spans, requests and waits */
  struct history_row *rows;
  char *columns[COLUMN_KINDS][MOST_COLUMNS];    /* NULL: no row has a value */
};

struct history {
  struct eventring_cursor *cursor;
  struct live_stats *live;
  int64_t started_ns;
  bool any;                       /* the first row has begun */
  uint64_t resident_bytes;
  struct amounts *now;            /* room for the amounts at the end of a row */
  struct tier tiers[HISTORY_TIERS];
  uint8_t name_count[HISTORY_KINDS];
  const char *names[HISTORY_KINDS][HISTORY_NAMES];
  struct { int64_t value; bool known; } counters[HISTORY_NAMES];
  uint8_t columns[UINT16_MAX + 1];      /* by id of events: FIRST_COLUMN, its
                                           kind times HISTORY_NAMES and the
                                           number of its name, added; or: */
};
enum { NOT_LOOKED_UP, NO_COLUMN, FIRST_COLUMN };

/* Cells */

/* Returns the value of row [number] in column [which] of [kind].  Adds the
   column if necessary. */
static void *cell(struct tier *t, int kind, uint32_t which, uint64_t number)
{
  char **column = &t->columns[kind][which];
  if (*column == NULL) *column = allocate(t->room, cell_size[kind]);
  return *column + number % t->room * cell_size[kind];
}

/* The same for a reader; NULL when there is no such column. */
static const void *look_at(const struct history *h, enum history_tier tier,
                           int kind, uint32_t which, uint64_t number)
{
  const struct tier *t = &h->tiers[tier];
  const char *column = t->columns[kind][which];
  return column == NULL ? NULL
                        : column + number % t->room * cell_size[kind];
}

/* Begins the row of [tier] that ends at [end_ns]. */
static void begin_row(struct history *h, enum history_tier tier, int64_t end_ns)
{
  struct tier *t = &h->tiers[tier];
  t->end_ns = end_ns;
  t->rows[t->count % t->room] =
    (struct history_row) { .ns = end_ns - history_step_ns[tier] };
  for (int kind = 0; kind < COLUMN_KINDS; kind++)
    for (uint32_t i = 0; i < MOST_COLUMNS; i++)
      if (t->columns[kind][i] != NULL)
        memset(cell(t, kind, i, t->count), 0, cell_size[kind]);
}

/* Amounts */

static void take_domains(struct summary *s, int64_t ns, struct amounts *now)
{
  now->domain_count = 0;
  for (uint32_t i = 0; i < s->domain_count; i++) {
    if (s->domains[i]->ended || now->domain_count == HISTORY_DOMAINS) continue;
    now->domains[now->domain_count++] = (struct domain_amounts) {
      s->domains[i]->id, summary_time(s, s->domains[i], ns)
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

/* Sets the shares of the time watched from [before] to [now], which are 1
   together with the share that a domain waited.  An amount may have grown by
   more than the time watched, when it was corrected: whether a thread ran, or
   only slept in a way that is not recorded, is known at its next event. */
static void set_shares(const struct summary_time *before,
                       const struct summary_time *now, uint16_t *running,
                       uint16_t *collecting)
{
  const uint64_t watched = more(now->watched_ns, before->watched_ns);
  *running = share(more(now->running_ns, before->running_ns), watched);
  *collecting = share(more(now->collecting_ns, before->collecting_ns),
                      watched);
  if (watched > 0 && *running > SHARE_ALL - *collecting)
    *running = (uint16_t) (SHARE_ALL - *collecting);
}

/* Rows */

static void fill_domains(struct tier *t, const struct amounts *now,
                         struct history_row *row)
{
  const struct amounts *before = &t->before;
  for (uint32_t i = 0; i < now->domain_count; i++) {
    const struct domain_amounts *d = &now->domains[i];
    struct domain_amounts was = { .id = d->id };
    for (uint32_t k = 0; k < before->domain_count; k++)
      if (before->domains[k].id == d->id) was = before->domains[k];
    struct history_domain *filled = cell(t, DOMAIN_COLUMNS,
                                         row->domain_count++, t->count);
    filled->id = d->id;
    set_shares(&was.time, &d->time, &filled->running, &filled->collecting);
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

static void fill_counters(struct history *h, struct tier *t,
                          struct history_row *row)
{
  for (uint32_t i = 0; i < h->name_count[HISTORY_COUNTER]; i++) {
    if (!h->counters[i].known) continue;
    row->counters_known |= UINT32_C(1) << i;
    *(int64_t *) cell(t, HISTORY_COUNTER, i, t->count) = h->counters[i].value;
  }
}

/* Returns whether events of the program were recorded in the present row of
   [tier]: there are some, or their category is recorded now. */
static bool tells_user(const struct history *h, enum history_tier tier)
{
  const uint64_t present = h->tiers[tier].count;
  for (uint32_t i = 0; i < HISTORY_NAMES; i++)
    if (history_ended(h, tier, present, HISTORY_SPAN, i).count > 0
        || history_ended(h, tier, present, HISTORY_REQUEST, i).count > 0)
      return true;
  return records_category(h->cursor, "user");
}

/* Sets the present row of [tier], at whose end the amounts are [now]. */
static void fill_row(struct history *h, enum history_tier tier,
                     struct amounts *now)
{
  struct tier *t = &h->tiers[tier];
  const struct amounts *before = &t->before;
  struct history_row *row = &t->rows[t->count % t->room];
  struct summary *s = live_summary(h->live);
  struct summary_tally d = tally_difference(&now->tally, &before->tally);
  double seconds = (double) history_step_ns[tier] / (double) SECOND_NS;
  row->watched_ns = more(now->time.watched_ns, before->time.watched_ns);
  row->known = row->watched_ns > 0;
  row->user_known = row->known && tells_user(h, tier);
  row->waits_known = row->known && now->time.known;
  set_shares(&before->time, &now->time, &row->running, &row->collecting);
  row->waiting = !row->waits_known ? SHARE_UNKNOWN
    : (uint16_t) (SHARE_ALL - row->running - row->collecting);
  row->alloc_bytes_per_s = 8 * (double) d.allocated_words / seconds;
  row->promoted_bytes_per_s = 8 * (double) d.promoted_words / seconds;
  row->heap = summary_heap(s);
  row->heap_bytes = row->heap.known
    ? 8 * (row->heap.pool_words + row->heap.large_words) : 0;
  row->resident_bytes = h->resident_bytes > 0 ? h->resident_bytes
                                              : s->resident_bytes;
  row->events = d.events;
  row->lost = more(now->lost, before->lost);
  fill_domains(t, now, row);
  fill_pauses(&before->pauses, &now->pauses, row);
  fill_counters(h, t, row);
  memcpy(row->names, h->name_count, sizeof row->names);
}

/* Ends the present row of [tier], and begins the next one. */
static void end_row(struct history *h, enum history_tier tier)
{
  struct tier *t = &h->tiers[tier];
  take_amounts(h, t->end_ns, h->now);
  fill_row(h, tier, h->now);
  t->before = *h->now;
  t->count++;
  begin_row(h, tier, t->end_ns + history_step_ns[tier]);
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
      begin_row(h, tier, row_end(h, ns, step));
    }
    while (t->end_ns <= ns) end_row(h, tier);
  }
}

/* Names */

/* Returns the kind of events that [d] describes; HISTORY_KINDS for none. */
static enum history_kind kind_of(const struct history *h,
                                 const struct eventring_description *d)
{
  const char *category = eventring_category(h->cursor, d->category);
  if (category == NULL) return HISTORY_KINDS;
  if (strcmp(category, "wait") == 0)
    return d->kind == EVENTRING_KIND_COMPLETE ? HISTORY_WAIT : HISTORY_KINDS;
  if (strcmp(category, "user") != 0) return HISTORY_KINDS;
  switch (d->kind) {
  case EVENTRING_KIND_COUNTER: return HISTORY_COUNTER;
  case EVENTRING_KIND_SPAN: return HISTORY_SPAN;
  case EVENTRING_KIND_REQUEST: return HISTORY_REQUEST;
  default: return HISTORY_KINDS;
  }
}

/* Returns the column of events with the id [id].  Ids with the same name share
   one. */
static uint8_t look_up(struct history *h, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(h->cursor, id);
  if (d == NULL) return NOT_LOOKED_UP;
  enum history_kind kind = kind_of(h, d);
  if (kind == HISTORY_KINDS) return NO_COLUMN;
  uint8_t i = 0;
  while (i < h->name_count[kind] && strcmp(h->names[kind][i], d->name) != 0)
    i++;
  if (i == HISTORY_NAMES) return NO_COLUMN;
  if (i == h->name_count[kind]) {
    h->names[kind][i] = d->name;
    h->name_count[kind]++;
  }
  return (uint8_t) (FIRST_COLUMN + kind * HISTORY_NAMES + i);
}

const char *history_name(const struct history *h, enum history_kind kind,
                         uint32_t number)
{
  return number < h->name_count[kind] ? h->names[kind][number] : NULL;
}

int64_t history_counter(const struct history *h, uint32_t number)
{
  return h->counters[number].value;
}

/* Events with names */

static void take_counter(struct history *h, const struct eventring_event *event,
                         uint32_t number)
{
  if (event->form != EVENTRING_EV_COUNTER || event->words == 0) return;
  h->counters[number].value = (int64_t) event->payload[0];
  h->counters[number].known = true;
}

/* Adds what took [from] to [to] to column [number] of [kind] in the present
   rows. */
static void add_ended(struct history *h, enum history_kind kind,
                      uint32_t number, int64_t from, int64_t to)
{
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    struct tier *t = &h->tiers[tier];
    struct history_ended *ended = cell(t, kind, number, t->count);
    ended->count++;
    ended->ns += (uint64_t) to - (uint64_t) from;
  }
}

static void take_span(struct history *h, const struct eventring_event *event,
                      uint32_t number)
{
  if (event->form != EVENTRING_EV_END) return;
  const struct eventring_event *begin =
    begin_of(live_summary(h->live)->spans, event);
  if (begin == NULL || begin->ns > event->ns) return;
  add_ended(h, HISTORY_SPAN, number, begin->ns, event->ns);
}

static void take_request(struct history *h, const struct eventring_event *event,
                         uint32_t number)
{
  int64_t begin;
  if (event->form != EVENTRING_EV_END
      || !request_begin(live_summary(h->live)->requests, event, &begin)
      || begin > event->ns) return;
  add_ended(h, HISTORY_REQUEST, number, begin, event->ns);
}

/* Adds to column [number] of waits in row [at] of [t], which has [step]
   nanoseconds, the time that the row has in common with [from] to [to]. */
static void add_wait(struct tier *t, uint64_t at, int64_t step, uint32_t number,
                     int64_t from, int64_t to)
{
  struct history_row *row = &t->rows[at % t->room];
  if (from < row->ns) from = row->ns;
  if (to > row->ns + step) to = row->ns + step;
  if (from >= to) return;
  *(uint64_t *) cell(t, HISTORY_WAIT, number, at) += (uint64_t) (to - from);
  if (row->names[HISTORY_WAIT] <= number)
    row->names[HISTORY_WAIT] = (uint8_t) (number + 1);
}

/* Counts the time from [from] to [to] in row [at] of [t], which has [step]
   nanoseconds, as time that domain [id] waited, if it counted as running.  Returns the
   nanoseconds that changed. */
static uint64_t correct_row(struct tier *t, uint64_t at, int64_t step,
                            uint32_t id, int64_t from, int64_t to)
{
  struct history_row *row = &t->rows[at % t->room];
  struct history_domain *d = NULL;
  for (uint32_t i = 0; i < row->domain_count && d == NULL; i++) {
    d = cell(t, DOMAIN_COLUMNS, i, at);
    if (d->id != id) d = NULL;
  }
  if (from < row->ns) from = row->ns;
  if (to > row->ns + step) to = row->ns + step;
  if (d == NULL || from >= to || !row->waits_known
      || d->running == SHARE_UNKNOWN) return 0;
  const int waits = share((uint64_t) (to - from), (uint64_t) step),
    known = SHARE_ALL - d->running - d->collecting;
  int moved = waits > known ? waits - known : 0;
  if (moved > d->running) moved = d->running;
  d->running = (uint16_t) (d->running - moved);
  const uint64_t ns = (uint64_t) (moved * (step / SHARE_ALL));
  uint16_t of_all = share(ns, row->watched_ns);
  if (of_all > row->running) of_all = row->running;
  row->running = (uint16_t) (row->running - of_all);
  row->waiting = (uint16_t) (row->waiting + of_all);
  return ns;
}

/* Takes [ns] from the running time of domain [id], and of all, in [amounts]. */
static void correct_amounts(struct amounts *amounts, uint32_t id, uint64_t ns)
{
  amounts->time.running_ns = more(amounts->time.running_ns, ns);
  for (uint32_t i = 0; i < amounts->domain_count; i++)
    if (amounts->domains[i].id == id)
      amounts->domains[i].time.running_ns =
        more(amounts->domains[i].time.running_ns, ns);
}

/* Returns whether [event] ends a wait of the thread of its domain that seemed
   to run, since it wrote the last event. */
static bool seemed_to_run(const struct history *h,
                          const struct eventring_event *event)
{
  const struct summary *s = live_summary(h->live);
  if (event->ring >= s->ring_count) return false;
  const struct summary_domain *d = s->rings[event->ring].domain;
  return d != NULL && d->id == event->domain
         && d->running_thread == event->thread;
}

/* Adds a wait to the present row of each tier and to all earlier rows that it
   covers.  A thread that waits seems to run in them, unless /proc says
   otherwise: in a file that was written before it is read, it cannot. */
static void take_wait(struct history *h, const struct eventring_event *event,
                      uint32_t number)
{
  if (event->form != EVENTRING_EV_INSTANT || event->words == 0) return;
  int64_t from = (int64_t) ((uint64_t) event->ns - event->payload[0]);
  const bool ran = seemed_to_run(h, event);
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    const int64_t step = history_step_ns[tier];
    struct tier *t = &h->tiers[tier];
    const uint64_t first = history_first(h, tier);
    for (uint64_t at = t->count; at + 1 > first; at--) {
      if (t->rows[at % t->room].ns + step <= from) break;
      add_wait(t, at, step, number, from, event->ns);
      uint64_t ns = !ran ? 0 : correct_row(t, at, step, event->domain, from,
                                           event->ns);
      correct_amounts(&t->before, event->domain, ns);
    }
  }
}

/* Adds [event] to the column of its name, if there is one. */
static void take_named(struct history *h, const struct eventring_event *event)
{
  if (h->columns[event->id] == NOT_LOOKED_UP)
    h->columns[event->id] = look_up(h, event->id);
  if (h->columns[event->id] < FIRST_COLUMN) return;
  const uint32_t column = h->columns[event->id] - FIRST_COLUMN,
    number = column % HISTORY_NAMES;
  switch ((enum history_kind) (column / HISTORY_NAMES)) {
  case HISTORY_COUNTER: take_counter(h, event, number); break;
  case HISTORY_SPAN: take_span(h, event, number); break;
  case HISTORY_REQUEST: take_request(h, event, number); break;
  default: take_wait(h, event, number); break;
  }
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
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    h->tiers[tier].room = rows_kept[tier] + 1;
    h->tiers[tier].rows = allocate(h->tiers[tier].room,
                                   sizeof *h->tiers[tier].rows);
  }
  return h;
}

void free_history(struct history *h)
{
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    struct tier *t = &h->tiers[tier];
    free(t->rows);
    for (int kind = 0; kind < COLUMN_KINDS; kind++)
      for (uint32_t i = 0; i < MOST_COLUMNS; i++) free(t->columns[kind][i]);
  }
  free(h->now);
  free(h);
}

void history_event(struct history *h, const struct eventring_event *event)
{
  if (!h->any && is_possible(event->ns)) {
    h->any = true;
    for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++)
      begin_row(h, tier, row_end(h, event->ns, history_step_ns[tier]));
  }
  if (event->ns >= h->tiers[HISTORY_100MS].end_ns) history_until(h, event->ns);
  if (event->form != EVENTRING_EV_LOST) take_named(h, event);
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
  return t->count >= t->room ? t->count - t->room + 1 : 0;
}

const struct history_row *history_row(const struct history *h,
                                      enum history_tier tier, uint64_t number)
{
  const struct tier *t = &h->tiers[tier];
  return &t->rows[number % t->room];
}

const struct history_domain *history_domain(const struct history *h,
                                            enum history_tier tier,
                                            uint64_t number, uint32_t which)
{
  return look_at(h, tier, DOMAIN_COLUMNS, which, number);
}

int64_t history_last(const struct history *h, enum history_tier tier,
                     uint64_t number, uint32_t which)
{
  const int64_t *value = look_at(h, tier, HISTORY_COUNTER, which, number);
  return value != NULL ? *value : 0;
}

struct history_ended history_ended(const struct history *h,
                                   enum history_tier tier, uint64_t number,
                                   enum history_kind kind, uint32_t which)
{
  const struct history_ended *ended = look_at(h, tier, kind, which, number);
  return ended != NULL ? *ended : (struct history_ended) { 0 };
}

uint64_t history_waits_ns(const struct history *h, enum history_tier tier,
                          uint64_t number, uint32_t which)
{
  const uint64_t *ns = look_at(h, tier, HISTORY_WAIT, which, number);
  return ns != NULL ? *ns : 0;
}
