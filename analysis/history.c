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

   The times of domains are not differences, since a time is known at its end:
   a thread ran until a wait that ends a minute later.  The summary gives each
   time when it is known, and it is added to all rows that it covers.  To these,
   a reader of a row adds the times that are open so far:

       row       |         |         |         |         |
       thread A  held     wait       held...               open: runs still
       thread B  |held   wait                             (known at its end)

   So a row changes when a wait ends, and becomes exact.

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

/* The amounts at the begin of a row. */
struct amounts {
  struct summary_tally tally;
  struct histogram pauses;
  uint64_t lost;
};

/* Times of a domain in a row.  A row of 10 s has fewer than 2^32 units.
   Moments are rounded to units, not times, so that many short times add up. */
#define UNIT_NS 4
struct domain_times { uint32_t id, units[SUMMARY_PARTS]; };

/* A time that summary_open_times gave. */
struct open_time {
  uint32_t id;
  enum summary_part part;
  int64_t from, to;
};

/* A row, and what a reader needs to set its shares. */
struct row {
  struct history_row shown;
  bool tells_user, tells_waits;
  bool partial;                   /* a ring has no events of its time */
  uint64_t version;               /* of the times, of which its shares are */
  uint64_t rest[SUMMARY_PARTS];   /* units of the domains without columns */
};

/* Columns: of each kind of names, and of domains. */
enum { DOMAIN_COLUMNS = HISTORY_KINDS, COLUMN_KINDS };
static const size_t cell_size[COLUMN_KINDS] = {
  [HISTORY_COUNTER] = sizeof(int64_t),
  [HISTORY_SPAN] = sizeof(struct history_ended),
  [HISTORY_REQUEST] = sizeof(struct history_ended),
  [HISTORY_WAIT] = sizeof(uint64_t),
  [DOMAIN_COLUMNS] = sizeof(struct domain_times)
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
  struct row *rows;
  char *columns[COLUMN_KINDS][MOST_COLUMNS];    /* NULL: no row has a value */
};

struct history {
  struct eventring_cursor *cursor;
  struct live_stats *live;
  int64_t started_ns;
  bool any;                       /* the first row has begun */
  uint64_t resident_bytes;
  int64_t known_ns;               /* all events up to here were passed */
  uint32_t rings;                 /* of domains */
  int64_t *ring_ns;               /* by ring, its last event; 0: none */
  struct amounts *now;            /* room for the amounts at the end of a row */
  uint64_t version;               /* of the times: increases when one of any
                                     row may have changed */
  uint64_t open_version;          /* [open] has the open times of this one */
  struct open_time *open;
  size_t open_count, open_room;
  const struct row *shown;        /* [domains] are of this row, in its
                                     version; NULL: none */
  struct history_domain domains[HISTORY_DOMAINS];
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
    (struct row) { .shown.ns = end_ns - history_step_ns[tier] };
  for (int kind = 0; kind < COLUMN_KINDS; kind++)
    for (uint32_t i = 0; i < MOST_COLUMNS; i++)
      if (t->columns[kind][i] != NULL)
        memset(cell(t, kind, i, t->count), 0, cell_size[kind]);
}

/* Amounts */

static void take_amounts(struct history *h, int64_t ns, struct amounts *now)
{
  struct summary *s = live_summary(h->live);
  now->tally = summary_tally(s, NULL, ns);
  now->pauses = summary_numbers(s)->pauses[PAUSE_ANY];
  now->lost = lost_events(h->cursor);
}

/* Returns the increase from [before] to [now]; 0 when it would be negative,
   since the summary was begun anew. */
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

/* Times of domains */

/* Returns the units that the time from [from] to [to] and the row of [step]
   nanoseconds that begins at [begin] have in common. */
static uint32_t units_in(int64_t begin, int64_t step, int64_t from, int64_t to)
{
  if (from < begin) from = begin;
  if (to > begin + step) to = begin + step;
  return from < to ? (uint32_t) (to / UNIT_NS - from / UNIT_NS) : 0;
}

/* Returns the column of domain [id] in row [number], which is new if necessary;
   HISTORY_DOMAINS when all columns of the row have other domains. */
static uint32_t column_of(struct tier *t, uint64_t number, uint32_t id)
{
  struct history_row *row = &t->rows[number % t->room].shown;
  for (uint32_t i = 0; i < row->domain_count; i++)
    if (((struct domain_times *) cell(t, DOMAIN_COLUMNS, i, number))->id == id)
      return i;
  if (row->domain_count == HISTORY_DOMAINS) return HISTORY_DOMAINS;
  *(struct domain_times *) cell(t, DOMAIN_COLUMNS, row->domain_count, number) =
    (struct domain_times) { .id = id };
  return row->domain_count++;
}

/* Adds [units] of a part to the times of domain [id] in row [number], or takes
   them [back]. */
static void add_units(struct tier *t, uint64_t number, uint32_t id,
                      enum summary_part part, uint32_t units, bool back)
{
  const uint32_t column = column_of(t, number, id);
  if (column == HISTORY_DOMAINS) {
    uint64_t *rest = &t->rows[number % t->room].rest[part];
    *rest = !back ? *rest + units : more(*rest, units);
    return;
  }
  struct domain_times *times = cell(t, DOMAIN_COLUMNS, column, number);
  uint32_t *sum = &times->units[part];
  if (back) *sum = *sum > units ? *sum - units : 0;
  else *sum = *sum < UINT32_MAX - units ? *sum + units : UINT32_MAX;
}

/* Notes that the times of rows and the open times may have changed. */
static void times_changed(struct history *h)
{
  h->version++;
}

/* The function of a listener of the summary: adds a time to the present row of
   each tier and to the earlier rows that it covers. */
static void take_time(void *state, uint32_t id, enum summary_part part,
                      int64_t from, int64_t to, bool back)
{
  struct history *h = state;
  times_changed(h);
  for (enum history_tier tier = 0; h->any && tier < HISTORY_TIERS; tier++) {
    const int64_t step = history_step_ns[tier];
    struct tier *t = &h->tiers[tier];
    const uint64_t first = history_first(h, tier);
    for (uint64_t at = t->count; at + 1 > first; at--) {
      const int64_t begin = t->rows[at % t->room].shown.ns;
      if (begin + step <= from) break;
      const uint32_t units = units_in(begin, step, from, to);
      if (units > 0) add_units(t, at, id, part, units, back);
    }
  }
}

/* The function of a listener for open times: keeps them. */
static void take_open_time(void *state, uint32_t id, enum summary_part part,
                           int64_t from, int64_t to, bool back)
{
  struct history *h = state;
  (void) back;
  h->open = with_room(h->open, h->open_count, &h->open_room, sizeof *h->open);
  h->open[h->open_count++] = (struct open_time) { id, part, from, to };
}

/* Sets the shares of a time watched, which are 1 together with the share that
   was waited. */
static void set_shares(const uint64_t units[SUMMARY_PARTS], bool tells_waits,
                       uint16_t *running, uint16_t *collecting)
{
  const uint64_t watched = units[PART_WATCHED];
  *collecting = share(units[PART_COLLECTING], watched);
  *running = *collecting;
  if (watched == 0) return;
  const uint16_t held = tells_waits ? share(units[PART_HELD], watched)
                                    : SHARE_ALL;
  *running = held > *collecting ? (uint16_t) (held - *collecting) : 0;
}

/* Adds the shares of a domain to the sum [all]: the time watched, and of that
   the time held and the time in the collector, which is part of it. */
static void add_to_all(uint64_t all[SUMMARY_PARTS],
                       const uint64_t units[SUMMARY_PARTS])
{
  const uint64_t watched = units[PART_WATCHED];
  uint64_t held = units[PART_HELD], collecting = units[PART_COLLECTING];
  if (collecting > watched) collecting = watched;
  if (held < collecting) held = collecting;
  if (held > watched) held = watched;
  all[PART_WATCHED] += watched;
  all[PART_HELD] += held;
  all[PART_COLLECTING] += collecting;
}

/* The times in a row, the open ones too, by column; and those of the rest. */
struct row_times {
  uint64_t units[HISTORY_DOMAINS][SUMMARY_PARTS];
  uint64_t rest[SUMMARY_PARTS];
};

/* Adds the open times of [h] in row [number] to [times], and the domains that
   have only open times to the columns of the row. */
static void add_open(struct history *h, enum history_tier tier, uint64_t number,
                     struct row_times *times)
{
  struct tier *t = &h->tiers[tier];
  const struct history_row *row = &t->rows[number % t->room].shown;
  uint32_t column = HISTORY_DOMAINS;
  const struct open_time *last = NULL;    /* that is in the row */
  for (size_t i = 0; i < h->open_count; i++) {
    const struct open_time *o = &h->open[i];
    const int64_t to = o->to < h->known_ns ? o->to : h->known_ns;
    const uint32_t units = units_in(row->ns, history_step_ns[tier], o->from,
                                    to);
    if (units == 0) continue;
    /* The times of a domain follow each other. */
    if (last == NULL || last->id != o->id)
      column = column_of(t, number, o->id);
    last = o;
    if (column < HISTORY_DOMAINS) times->units[column][o->part] += units;
    else times->rest[o->part] += units;
  }
}

/* Sets the shares of row [number] and of its domains, which are those of
   [h->domains] then. */
static void show_row(struct history *h, enum history_tier tier, uint64_t number)
{
  struct tier *t = &h->tiers[tier];
  struct row *row = &t->rows[number % t->room];
  if (h->open_version != h->version) {
    h->open_count = 0;
    summary_open_times(live_summary(h->live), (struct summary_listener) {
      take_open_time, h
    });
    h->open_version = h->version;
  }
  struct row_times times = { 0 };
  uint64_t all[SUMMARY_PARTS] = { 0 };
  add_open(h, tier, number, &times);
  for (uint32_t i = 0; i < row->shown.domain_count; i++) {
    const struct domain_times *d = cell(t, DOMAIN_COLUMNS, i, number);
    for (int part = 0; part < SUMMARY_PARTS; part++)
      times.units[i][part] += d->units[part];
    h->domains[i].id = d->id;
    set_shares(times.units[i], row->tells_waits, &h->domains[i].running,
               &h->domains[i].collecting);
    add_to_all(all, times.units[i]);
  }
  for (int part = 0; part < SUMMARY_PARTS; part++)
    times.rest[part] += row->rest[part];
  add_to_all(all, times.rest);
  struct history_row *shown = &row->shown;
  shown->watched_ns = UNIT_NS * all[PART_WATCHED];
  const bool watched = all[PART_WATCHED] > 0;
  shown->known = watched && !row->partial;
  shown->user_known = shown->known && row->tells_user;
  shown->waits_known = watched && row->tells_waits;
  set_shares(all, row->tells_waits, &shown->running, &shown->collecting);
  shown->waiting = !shown->waits_known ? SHARE_UNKNOWN
    : (uint16_t) (SHARE_ALL - shown->running - shown->collecting);
  row->version = h->version;
  h->shown = row;
}

/* Rows */

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
  struct row *whole = &t->rows[t->count % t->room];
  struct history_row *row = &whole->shown;
  struct summary *s = live_summary(h->live);
  struct summary_tally d = tally_difference(&now->tally, &before->tally);
  double seconds = (double) history_step_ns[tier] / (double) SECOND_NS;
  whole->tells_user = tells_user(h, tier);
  whole->tells_waits = summary_tells_waits(s);
  row->alloc_bytes_per_s = 8 * (double) all_allocated_words(&d) / seconds;
  row->promoted_bytes_per_s = 8 * (double) d.promoted_words / seconds;
  row->heap = summary_heap(s);
  row->heap_bytes = row->heap.known
    ? 8 * (row->heap.pool_words + row->heap.large_words) : 0;
  row->resident_bytes = h->resident_bytes > 0 ? h->resident_bytes
                                              : summary_numbers(s)->resident_bytes;
  row->events = d.events;
  row->lost = more(now->lost, before->lost);
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

/* Ends the rows up to [ns]. */
static void end_rows(struct history *h, int64_t ns)
{
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

void history_until(struct history *h, int64_t ns)
{
  if (!h->any || !is_possible(ns) || ns < h->tiers[HISTORY_100MS].end_ns)
    return;
  summary_look(live_summary(h->live), ns);
  if (h->known_ns < ns) h->known_ns = ns;
  end_rows(h, ns);
  times_changed(h);
}

/* Names */

/* Returns the kind of events of [class]; HISTORY_KINDS for none. */
static enum history_kind kind_of(struct event_class class)
{
  if (class.area == AREA_WAIT)
    return class.kind == EVENTRING_KIND_COMPLETE ? HISTORY_WAIT : HISTORY_KINDS;
  if (class.area != AREA_USER) return HISTORY_KINDS;
  switch (class.kind) {
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
  enum history_kind kind = kind_of(summary_class(live_summary(h->live), id));
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
    begin_of(summary_numbers(live_summary(h->live))->spans, event);
  if (begin == NULL || begin->ns > event->ns) return;
  add_ended(h, HISTORY_SPAN, number, begin->ns, event->ns);
}

static void take_request(struct history *h, const struct eventring_event *event,
                         uint32_t number)
{
  int64_t begin;
  if (event->form != EVENTRING_EV_END
      || !request_begin(summary_numbers(live_summary(h->live))->requests, event,
                        &begin)
      || begin > event->ns) return;
  add_ended(h, HISTORY_REQUEST, number, begin, event->ns);
}

/* Adds to column [number] of waits in row [at] of [t], which has [step]
   nanoseconds, the time that the row has in common with [from] to [to]. */
static void add_wait(struct tier *t, uint64_t at, int64_t step, uint32_t number,
                     int64_t from, int64_t to)
{
  struct history_row *row = &t->rows[at % t->room].shown;
  if (from < row->ns) from = row->ns;
  if (to > row->ns + step) to = row->ns + step;
  if (from >= to) return;
  *(uint64_t *) cell(t, HISTORY_WAIT, number, at) += (uint64_t) (to - from);
  if (row->names[HISTORY_WAIT] <= number)
    row->names[HISTORY_WAIT] = (uint8_t) (number + 1);
}

/* Adds a wait to the present row of each tier and to all earlier rows that it
   covers. */
static void take_wait(struct history *h, const struct eventring_event *event,
                      uint32_t number)
{
  if (event->form != EVENTRING_EV_INSTANT || event->words == 0) return;
  int64_t from = (int64_t) ((uint64_t) event->ns - event->payload[0]);
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    const int64_t step = history_step_ns[tier];
    struct tier *t = &h->tiers[tier];
    const uint64_t first = history_first(h, tier);
    for (uint64_t at = t->count; at + 1 > first; at--) {
      if (t->rows[at % t->room].shown.ns + step <= from) break;
      add_wait(t, at, step, number, from, event->ns);
    }
  }
}

/* Notes that a ring has lost the events from [since], 0 if it has none before, to
   [until].  The sums of a row that is in the lost time lack the domain of the ring.
   At the begin of a ring, this is also true of the row in which the lost time ends. */
static void take_lost(struct history *h, int64_t since, int64_t until)
{
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    const int64_t step = history_step_ns[tier];
    struct tier *t = &h->tiers[tier];
    const uint64_t first = history_first(h, tier);
    for (uint64_t at = t->count; at + 1 > first; at--) {
      struct row *row = &t->rows[at % t->room];
      const int64_t begin = row->shown.ns;
      if (since != 0 && begin < since) break;
      if (since == 0 ? begin < until : begin + step <= until)
        row->partial = true;
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
  h->version = 1;
  h->started_ns = target_info(cursor).started_ns;
  if (!is_possible(h->started_ns)) h->started_ns = 0;
  h->now = allocate(1, sizeof *h->now);
  const struct eventring_info info = target_info(cursor);
  h->rings = info.sample_rings_from > 0 ? info.sample_rings_from : info.rings;
  h->ring_ns = allocate(h->rings, sizeof *h->ring_ns);
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++) {
    h->tiers[tier].room = rows_kept[tier] + 1;
    h->tiers[tier].rows = allocate(h->tiers[tier].room,
                                   sizeof *h->tiers[tier].rows);
  }
  summary_listen(live_summary(live), (struct summary_listener) {
    take_time, h
  });
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
  summary_listen(live_summary(h->live), (struct summary_listener) {
    NULL, NULL
  });
  free(h->open);
  free(h->ring_ns);
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
  times_changed(h);
  if (is_possible(event->ns) && event->ns > h->known_ns) {
    h->known_ns = event->ns;
    if (event->ns >= h->tiers[HISTORY_100MS].end_ns) end_rows(h, event->ns);
  }
  if (event->form != EVENTRING_EV_LOST) take_named(h, event);
  if (!h->any || event->ring >= h->rings) return;
  if (event->form == EVENTRING_EV_LOST)
    take_lost(h, h->ring_ns[event->ring], event->ns);
  h->ring_ns[event->ring] = event->ns;
}

void history_finish(struct history *h, bool for_good)
{
  const int64_t step = history_step_ns[HISTORY_100MS];
  const struct summary *s = live_summary(h->live);
  const struct summary_numbers *n = summary_numbers(s);
  if (h->any) {
    const struct tier *t = &h->tiers[HISTORY_100MS];
    end_rows(h, time_after(h->known_ns, step));
    t->rows[(t->count - 1) % t->room].shown.cut = for_good;
  }
  /* A recording has no event that tells it. */
  for (uint32_t i = 0; i < n->domain_count; i++)
    if (summary_begin_is_lost(s, n->domains[i]))
      take_lost(h, 0, domain_numbers(n->domains[i])->watched_from);
  times_changed(h);
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

/* A shorter history has nothing else to show. */
#define LEAST_ROWS 2

uint64_t history_whole(const struct history *h, enum history_tier tier)
{
  const struct tier *t = &h->tiers[tier];
  const bool is_cut = t->count > LEAST_ROWS
    && t->rows[(t->count - 1) % t->room].shown.cut;
  return is_cut ? t->count - 1 : t->count;
}

int64_t history_row_ns(const struct history *h, enum history_tier tier,
                       uint64_t number)
{
  return h->tiers[tier].rows[number % h->tiers[tier].room].shown.ns;
}

const struct history_row *history_row(struct history *h, enum history_tier tier,
                                      uint64_t number)
{
  const struct row *row = &h->tiers[tier].rows[number % h->tiers[tier].room];
  if (row->version != h->version) show_row(h, tier, number);
  return &row->shown;
}

struct history_domain history_domain(struct history *h, enum history_tier tier,
                                     uint64_t number, uint32_t which)
{
  const struct row *row = &h->tiers[tier].rows[number % h->tiers[tier].room];
  if (h->shown != row || row->version != h->version) show_row(h, tier, number);
  return h->domains[which];
}

/* For qsort: by domain and row. */
static int compare_shares(const void *a, const void *b)
{
  const struct history_share *x = a, *y = b;
  if (x->domain.id != y->domain.id)
    return x->domain.id < y->domain.id ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

struct history_share *history_shares(struct history *h, enum history_tier tier,
                                     uint64_t from, uint64_t to, size_t *count)
{
  struct history_share *list = NULL;
  size_t room = 0;
  *count = 0;
  for (uint64_t number = from; number < to; number++) {
    show_row(h, tier, number);
    for (uint32_t i = 0; i < h->shown->shown.domain_count; i++) {
      list = with_room(list, *count, &room, sizeof *list);
      list[(*count)++] = (struct history_share) { number, h->domains[i] };
    }
  }
  if (*count > 0) qsort(list, *count, sizeof *list, compare_shares);
  return list;
}

static int by_rows(const void *a, const void *b)
{
  const struct history_rows *x = a, *y = b;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
  const struct history_rows *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

struct history_rows *history_rows(const struct history_share *list, size_t count,
                                  size_t most, size_t *domains)
{
  struct history_rows *found = allocate(count + 1, sizeof *found);
  *domains = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || list[i].domain.id != list[i - 1].domain.id)
      found[(*domains)++].at = i;
    found[*domains - 1].count++;
  }
  if (*domains <= most) return found;
  qsort(found, *domains, sizeof *found, by_rows);
  qsort(found, most, sizeof *found, by_place);
  return found;
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
