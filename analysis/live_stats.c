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

/* The statistics of the last seconds.

   Amounts are summary.c's.  Time is cut into slots, and the amounts of the
   summary at the end of each slot of the last half minute are kept, for each
   domain and for all: the amounts in between are the difference.  Spans of the
   program are kept as series: a span is spread over the slots that it covers
   when it ends; a span that is still open is added when the live statistics are
   asked.  Slots have numbers, so that old ones need no clearing: they are
   overwritten, or found to be of another time.

   Rings have one domain at a time, and the data of a domain is dropped when its
   ring passes to another one, so memory does not grow with the number of
   domains. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event_field.h"
#include "live_stats.h"
#include "live_threads.h"
#include "long_spans.h"
#include "memory.h"
#include "slots.h"
#include "summary.h"
#include "target.h"

#define SLOTS 128
#define SPANS_APART 1024          /* names; later ones are left out */
#define PAUSE_SECONDS (LIVE_WINDOW_NS / SECOND_NS + 1)

/* The amounts of a summary at the end of each slot. */
struct amounts {
  struct { uint64_t number; struct summary_tally tally; } slots[SLOTS];
};

/* The time and the number of spans of the program with one id, in a slot. */
struct slot {
  uint64_t number;                /* which one since time 0 */
  uint64_t ns;                    /* time covered */
  uint64_t count, total;          /* ended in it, and how long they took */
};
struct series { struct slot slots[SLOTS]; };

/* The pauses that ended in one second. */
struct pause_second { uint64_t number; struct histogram pauses; };

struct domain {
  struct summary_domain *summary;
  int64_t first_ns, last_ns;
  struct amounts amounts;
  uint64_t last_pause;
  uint16_t last_wait;             /* id of the event */
  uint32_t threads[8];
  uint32_t next_thread;
};

struct user_span { uint16_t id; uint64_t max; struct series series; };

struct live_stats {
  struct eventring_cursor *cursor;
  struct summary *summary;
  uint32_t ring_count;
  uint32_t sample_rings_from;   /* 0: there are none */
  struct domain **domains;        /* by ring; NULL before the first event */
  struct amounts amounts;         /* of all */
  uint64_t slot;                  /* the one that has not ended */
  struct user_span *user_spans[SPANS_APART];
  uint32_t user_span_count;
  struct user_span *user_span_of[UINT16_MAX + 1];
  struct pause_second pause_seconds[PAUSE_SECONDS];
  struct long_pauses *long_pauses;
  struct live_threads *threads;
  struct long_spans long_spans;
  uint64_t max_pause;
  int64_t first_ns, last_ns;
  int64_t until_ns;               /* to which the statistics are advanced */
  bool finished;                  /* and end there: see live_finish */
};

/* Copies [name], cut to LIVE_NAME - 1 bytes, to [to]; the empty string if
   [name] is NULL. */
static void copy_name(char to[LIVE_NAME], const char *name)
{
  size_t length = name == NULL ? 0 : strnlen(name, LIVE_NAME - 1);
  if (length > 0) memcpy(to, name, length);
  to[length] = '\0';
}

/* Copies the name of the event with the id [id] to [to]; the empty string when
   the id has no description. */
static void name_event(const struct live_stats *live, char to[LIVE_NAME],
                       uint32_t id)
{
  const struct eventring_description *d = eventring_describe(live->cursor, id);
  copy_name(to, d == NULL ? NULL : d->name);
}

/* Returns [count] in [ns] nanoseconds as a rate per second. */
static double a_second(uint64_t count, double ns)
{
  return (double) count * SECOND_NS / ns;
}

/* Amounts */

/* Stores [tally] as the amounts at the end of slot [number], in place of the
   amounts of an earlier slot. */
static void keep(struct amounts *amounts, uint64_t number,
                 struct summary_tally tally)
{
  amounts->slots[number % SLOTS].number = number;
  amounts->slots[number % SLOTS].tally = tally;
}

/* Returns the amounts at the end of slot [number]: those kept for this slot or,
   when nothing was kept for it, for the last slot before.  Returns amounts of 0
   when nothing was kept for the last SLOTS slots. */
static const struct summary_tally *at_end(const struct amounts *amounts,
                                          uint64_t number)
{
  static const struct summary_tally nothing;
  for (uint64_t i = 0; i < SLOTS && i <= number; i++) {
    uint64_t n = number - i;
    if (n != 0 && amounts->slots[n % SLOTS].number == n)
      return &amounts->slots[n % SLOTS].tally;
  }
  return &nothing;
}

/* Returns the stretch of [span_ns] nanoseconds before [now].  At the end of
   finished statistics, the last slot up to the end is added. */
static struct stretch stretch_at(const struct live_stats *live, int64_t now,
                                 int64_t span_ns)
{
  struct stretch s = stretch_before(now, span_ns);
  if (live->finished && now == live->until_ns) {
    s.last = slot_number(now);
    s.end_ns = now;
  }
  return s;
}

/* Returns the amounts of the stretch [s]. */
static struct summary_tally amount_in(const struct amounts *amounts,
                                      struct stretch s)
{
  return tally_difference(at_end(amounts, s.last),
                          at_end(amounts, s.first > 0 ? s.first - 1 : 0));
}

/* Adds the pauses of kind PAUSE_ANY in the summary's [recent], those recorded
   since the last call, to the histogram of the second that contains [ns],
   updates the longest pause, and clears [recent]. */
static void keep_pauses(struct live_stats *live, int64_t ns)
{
  const struct histogram *recent =
    &summary_numbers(live->summary)->recent[PAUSE_ANY];
  uint64_t number = slot_number(ns) / (SECOND_NS / SLOT_NS);
  struct pause_second *second = &live->pause_seconds[number % PAUSE_SECONDS];
  if (second->number != number) {
    memset(second, 0, sizeof *second);
    second->number = number;
  }
  histogram_merge(&second->pauses, recent);
  if (recent->max > live->max_pause) live->max_pause = recent->max;
  summary_new_interval(live->summary);
}

/* Sets [d->last_pause] to the duration of the latest pending interval of [d] in
   the collector.  Leaves it unchanged when no interval is pending, or when the
   domain waited anyway. */
static void keep_last_pause(struct domain *d)
{
  const uint64_t ns = summary_last_pause(d->summary);
  if (ns > 0) d->last_pause = ns;
}

/* Stores the amounts of each domain and of all together at the time [end], the
   end of slot [number] or of the statistics in this slot, the last pause of each
   domain, and the pauses of the slot. */
static void end_slot(struct live_stats *live, uint64_t number, int64_t end)
{
  for (uint32_t i = 0; i < live->ring_count; i++) {
    struct domain *d = live->domains[i];
    if (d == NULL) continue;
    keep_last_pause(d);
    keep(&d->amounts, number, summary_tally(live->summary, d->summary, end));
  }
  keep(&live->amounts, number, summary_tally(live->summary, NULL, end));
  keep_pauses(live, (int64_t) number * SLOT_NS);
}

void live_until(struct live_stats *live, int64_t ns)
{
  uint64_t slot = slot_number(ns);
  if (ns > live->until_ns) {
    live->until_ns = ns;
    live->finished = false;
  }
  if (live->slot + SLOTS < slot) live->slot = slot - SLOTS;
  for (; live->slot < slot; live->slot++)
    end_slot(live, live->slot, (int64_t) (live->slot + 1) * SLOT_NS);
}

int64_t live_finish(struct live_stats *live)
{
  live->finished = true;
  summary_until(live->summary);
  end_slot(live, slot_number(live->until_ns), live->until_ns);
  return live->until_ns;
}

int64_t live_present(struct live_stats *live)
{
  if (eventring_state(live->cursor) != EVENTRING_STATE_RUNNING
      || !target_info(live->cursor).same_boot)
    return live_finish(live);
  const int64_t now = monotonic_ns();
  live_until(live, now);
  return now;
}

/* Classes of events */

static bool is_wait(struct event_class class)
{
  return class.area == AREA_WAIT && class.kind == EVENTRING_KIND_COMPLETE;
}

static bool is_user_span(struct event_class class)
{
  return class.area == AREA_USER && class.kind == EVENTRING_KIND_SPAN;
}

/* Spans of the program */

/* Returns the slot of [series] with the number [number], cleared if its place
   had an older slot.  Returns NULL when the place has a later slot. */
static struct slot *slot_at(struct series *series, uint64_t number)
{
  struct slot *slot = &series->slots[number % SLOTS];
  if (slot->number > number) return NULL;
  if (slot->number < number) *slot = (struct slot) { .number = number };
  return slot;
}

/* Adds the time from [from] to [to] to the slots of [series] that the span
   covers, each its part.  Adds the span to the count, and its whole duration to
   the total, of the slot in which it ends.  Slots that the series no longer has
   are left out. */
static void add_span(struct series *series, int64_t from, int64_t to)
{
  uint64_t last = slot_number(to), first = slot_number(from);
  if (last >= SLOTS && first < last - SLOTS + 1) first = last - SLOTS + 1;
  for (uint64_t n = first; n <= last; n++) {
    struct slot *slot = slot_at(series, n);
    int64_t begin = (int64_t) n * SLOT_NS;
    if (slot != NULL) slot->ns += overlap(from, to, begin, begin + SLOT_NS);
  }
  struct slot *slot = slot_at(series, last);
  if (slot == NULL) return;
  slot->count++;
  slot->total += (uint64_t) (to - from);
}

/* Returns the sum of the slots of [series] in the stretch [s]; its [number] is
   0.  Slots that the series no longer has are left out. */
static struct slot sum(const struct series *series, struct stretch s)
{
  struct slot all = { 0 };
  for (uint64_t n = s.first; n <= s.last; n++) {
    const struct slot *slot = &series->slots[n % SLOTS];
    if (slot->number != n) continue;
    all.ns += slot->ns;
    all.count += slot->count;
    all.total += slot->total;
  }
  return all;
}

/* Returns the statistics of the spans of the program with the id [id], new ones
   if necessary.  Returns NULL when SPANS_APART other ids have them all. */
static struct user_span *user_span_of(struct live_stats *live, uint16_t id)
{
  struct user_span **place = &live->user_span_of[id];
  if (*place == NULL && live->user_span_count < SPANS_APART) {
    *place = allocate(1, sizeof **place);
    (*place)->id = id;
    live->user_spans[live->user_span_count++] = *place;
  }
  return *place;
}

/* Adds a span of the program from [from] to [to] to the statistics of its id
   [id] and updates their maximum; does nothing when there is no room for a new
   id. */
static void user_span_ended(struct live_stats *live, uint16_t id, int64_t from,
                            int64_t to)
{
  struct user_span *span = user_span_of(live, id);
  if (span == NULL) return;
  add_span(&span->series, from, to);
  if ((uint64_t) (to - from) > span->max) span->max = (uint64_t) (to - from);
}

/* Events */

/* Adds [thread] to the threads of [d], unless it is one of them.  When there is
   no room, it replaces the thread that was added first. */
static void note_thread(struct domain *d, uint32_t thread)
{
  uint32_t places = sizeof d->threads / sizeof *d->threads;
  for (uint32_t i = 0; i < places; i++)
    if (d->threads[i] == thread) return;
  d->threads[d->next_thread++ % places] = thread;
}

/* Updates the domain in the ring of [event], a new one if the ring has passed
   to another domain: the time of its last event, its threads and its last wait.
   To be called after summary_event for [event]. */
static void note_domain(struct live_stats *live,
                        const struct eventring_event *event)
{
  struct domain *d = live->domains[event->ring];
  struct summary_domain *of = domain_of_ring(live->summary, event->ring);
  if (d == NULL || d->summary != of) {
    free(d);
    d = live->domains[event->ring] = allocate(1, sizeof *d);
    d->summary = of;
    d->first_ns = event->ns;
  }
  d->last_ns = event->ns;
  note_thread(d, event->thread);
  if (event->form == EVENTRING_EV_INSTANT
      && is_wait(summary_class(live->summary, event->id)))
    d->last_wait = event->id;
}

/* Returns whether the backup thread runs for the domain in ring [ring], which waits. */
static bool is_on_backup(const struct live_stats *live, uint32_t ring)
{
  return domain_numbers(live->domains[ring]->summary)->on_backup;
}

/* Adds [event] of [class], which ends a span if [since_ns] is not negative, to the
   threads and to the long spans. */
static void note_times(struct live_stats *live,
                       const struct eventring_event *event,
                       struct event_class class, int64_t since_ns)
{
  const struct summary_numbers *numbers = summary_numbers(live->summary);
  live_thread_event(live->threads, event, is_on_backup(live, event->ring));
  if (class.role == ROLE_STOP && event->form == EVENTRING_EV_INSTANT && event->words > 0)
    live_threads_stopped(live->threads, live->summary, event);
  if (event->form == EVENTRING_EV_INSTANT && event->words > 0
      && (is_wait(class) || class.role == ROLE_STOP))
    since_ns = (int64_t) ((uint64_t) event->ns - event->payload[0]);
  if (since_ns < 0 || since_ns > event->ns) return;
  add_long_span(&live->long_spans, event, since_ns);
  if (is_wait(class))
    live_thread_waited(live->threads, event, since_ns);
  else if (is_collecting(class)
           && !in_collecting_span(numbers->spans, event->ring)) {
    live_thread_collected(live->threads, event, since_ns);
    request_collected(numbers->requests, event, since_ns);
  }
}

void live_event(struct live_stats *live, const struct eventring_event *event)
{
  if (event->ring >= live->ring_count) return;
  if (event->form == EVENTRING_EV_OPEN
      || event->form == EVENTRING_EV_CONTROL_CHANGED) {
    summary_event(live->summary, event);
    return;
  }
  if (event->ns > live->last_ns) {
    if (live->last_ns == 0) live->first_ns = event->ns;
    live->last_ns = event->ns;
    live_until(live, event->ns);
  }

  const struct event_class class = summary_class(live->summary, event->id);
  const struct eventring_event *begin = event->form == EVENTRING_EV_END
    ? begin_of(summary_numbers(live->summary)->spans, event) : NULL;
  int64_t since = begin != NULL ? begin->ns : -1;
  bool ends = since >= 0 && since <= event->ns;
  if (event->form == EVENTRING_EV_BEGIN && is_collector_span(class))
    forget_alike(summary_numbers(live->summary)->spans, event,
                 event->ns - LIVE_WINDOW_NS);
  summary_event(live->summary, event);
  if (event->form == EVENTRING_EV_LOST) return;
  /* A ring of samples belongs to a thread; its domain has another ring. */
  if (live->sample_rings_from > 0 && event->ring >= live->sample_rings_from)
    return;
  note_domain(live, event);
  note_times(live, event, class, since);
  if (event->form == EVENTRING_EV_BEGIN && is_user_span(class))
    user_span_of(live, event->id);
  else if (ends && is_user_span(class))
    user_span_ended(live, event->id, since, event->ns);
}

void live_idle(struct live_stats *live)
{
  summary_idle(live->summary);
}

void live_reset_maxima(struct live_stats *live)
{
  keep_pauses(live, live->last_ns);
  live->max_pause = 0;
  summary_reset_maxima(live->summary);
  for (uint32_t i = 0; i < live->user_span_count; i++)
    live->user_spans[i]->max = 0;
}

int64_t live_last_ns(const struct live_stats *live)
{
  return live->last_ns;
}

/* Making and ending it */

struct live_stats *new_live_stats(struct eventring_cursor *cursor)
{
  struct live_stats *live = allocate(1, sizeof *live);
  live->cursor = cursor;
  live->summary = new_summary(cursor);
  live->ring_count = target_info(cursor).rings;
  live->sample_rings_from = target_info(cursor).sample_rings_from;
  live->domains = allocate(live->ring_count, sizeof *live->domains);
  live->threads = new_live_threads(cursor);
  live->long_pauses = new_long_pauses(live->summary, INT64_MIN, INT64_MAX,
                                      LONG_PAUSES_S);
  return live;
}

void free_live_stats(struct live_stats *live)
{
  for (uint32_t i = 0; i < live->ring_count; i++) free(live->domains[i]);
  for (uint32_t i = 0; i < live->user_span_count; i++)
    free(live->user_spans[i]);
  free(live->domains);
  free(live->long_spans.list);
  free_long_pauses(live->long_pauses);
  free_live_threads(live->threads);
  free_summary(live->summary);
  free(live);
}

/* Domains */

/* Returns whether the domain [d] is shown at time [now]: a domain that has
   ended is shown for LIVE_WINDOW_NS after its last event.  [d] may be NULL. */
static bool is_shown(const struct domain *d, int64_t now)
{
  return d != NULL
    && (!domain_numbers(d->summary)->ended || d->last_ns > now - LIVE_WINDOW_NS);
}

/* Copies the name of the innermost open span in ring [ring] to [name]: of the
   spans of the program if [user] is true, else of those of the runtime.  The
   name is empty when no such span is open. */
static void innermost(const struct live_stats *live, uint32_t ring, bool user,
                      char name[LIVE_NAME])
{
  const struct spans *spans = summary_numbers(live->summary)->spans;
  name[0] = '\0';
  const struct eventring_event *open = innermost_span(spans, ring);
  for (; open != NULL; open = next_outer_span(spans, open))
    if (is_user_span(summary_class(live->summary, open->id)) == user) {
      name_event(live, name, open->id);
      return;
    }
}

/* Fills *out with the numbers of the domain in ring [ring], which must have
   one. */
static void fill_domain(const struct live_stats *live, uint32_t ring,
                        int64_t now, int64_t span_ns, struct live_domain *out)
{
  const struct domain *d = live->domains[ring];
  const struct domain_numbers *mine = domain_numbers(d->summary);
  struct stretch stretch = stretch_at(live, now, span_ns);
  double length = length_of(stretch, d->first_ns);
  struct summary_tally amount = amount_in(&d->amounts, stretch);
  *out = (struct live_domain) {
    .id = mine->id, .ended = mine->ended,
    .last_event_ns = d->last_ns,
    .wait_share = (double) amount.wait_ns / length,
    .gc_share = gc_share(&amount),
    .words_rate = a_second(all_allocated_words(&amount), length),
    .minor_rate = a_second(amount.minor_collections, length),
    .slice_rate = a_second(amount.major_slices, length),
    .last_pause = d->last_pause, .max_pause = mine->pauses[PAUSE_ANY].max
  };
  memcpy(out->threads, d->threads, sizeof out->threads);
  copy_name(out->name, eventring_domain_name(live->cursor, mine->id));
  innermost(live, ring, false, out->runtime_span);
  innermost(live, ring, true, out->user_span);
  if (d->last_wait != 0) name_event(live, out->wait, d->last_wait);

  for (int i = 0; i < HISTORY; i++) {
    amount = amount_in(&d->amounts,
                       stretch_at(live, time_after(now, -i * SECOND_NS),
                                  SECOND_NS));
    out->gc_history[i] = (float) gc_share(&amount);
  }
}

static int by_id(const void *a, const void *b)
{
  const struct live_domain *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

int live_domains(const struct live_stats *live, int64_t now, int64_t span_ns,
                   struct live_domain *list, int max)
{
  int count = 0;
  for (uint32_t i = 0; i < live->ring_count && count < max; i++)
    if (is_shown(live->domains[i], now))
      fill_domain(live, i, now, span_ns, &list[count++]);
  qsort(list, (size_t) count, sizeof *list, by_id);
  return count;
}

/* The process */

/* Sets the fields of *out on pauses: the number, rate, quantiles and maximum of
   the last PAUSE_SECONDS seconds, the second of [now] included, and the maximum
   ever. */
static void fill_pauses(const struct live_stats *live, int64_t now,
                        struct live_process *out)
{
  struct histogram all = { 0 };
  uint64_t second = slot_number(now) / (SECOND_NS / SLOT_NS);
  for (size_t i = 0; i < PAUSE_SECONDS; i++) {
    const struct pause_second *s = &live->pause_seconds[i];
    if (s->number <= second && s->number + PAUSE_SECONDS > second)
      histogram_merge(&all, &s->pauses);
  }
  struct stretch stretch = stretch_at(live, now, 0);
  stretch.first = second < PAUSE_SECONDS
    ? 0 : (second + 1 - PAUSE_SECONDS) * (SECOND_NS / SLOT_NS);
  out->pauses = all.count;
  out->pause_rate = a_second(all.count, length_of(stretch, live->first_ns));
  out->p50 = histogram_quantile(&all, 0.5);
  out->p99 = histogram_quantile(&all, 0.99);
  out->max = all.max;
  out->max_ever = live->max_pause;
}

struct live_process live_process(const struct live_stats *live, int64_t now,
                                     int64_t span_ns)
{
  struct stretch stretch = stretch_at(live, now, span_ns);
  double length = length_of(stretch, live->first_ns);
  struct summary_tally amount = amount_in(&live->amounts, stretch);
  struct summary_heap heap = summary_heap(live->summary);
  struct live_process out = {
    .gc_share = gc_share(&amount),
    .event_rate = a_second(amount.events, length),
    .words_rate = a_second(all_allocated_words(&amount), length),
    .promoted_rate = a_second(amount.promoted_words, length),
    .minor_rate = a_second(amount.minor_collections, length),
    .slice_rate = a_second(amount.major_slices, length),
    .cycles = amount_in(&live->amounts,
                        stretch_at(live, now, LIVE_WINDOW_NS)).major_cycles,
    .heap_known = heap.known,
    .heap_words = heap.pool_words + heap.large_words,
    .live_words = heap.pool_live_words + heap.large_words,
    .resident = summary_numbers(live->summary)->resident_bytes
  };
  fill_pauses(live, now, &out);
  return out;
}

/* Spans of the program: results */

/* Returns the nanoseconds of [stretch] that are covered by the spans with the
   id [id] that are open at time [now], added up over all rings. */
static uint64_t open_time(const struct live_stats *live, uint16_t id,
                          int64_t now, struct stretch stretch)
{
  const struct spans *spans = summary_numbers(live->summary)->spans;
  uint64_t ns = 0;
  for (uint32_t ring = 0; ring < live->ring_count; ring++)
    for (const struct eventring_event *begin = outermost_span(spans, ring);
         begin != NULL; begin = next_inner_span(spans, begin))
      if (begin->id == id)
        ns += overlap(begin->ns, now, stretch_begin(stretch), stretch.end_ns);
  return ns;
}

static int by_share(const void *a, const void *b)
{
  const struct live_span *x = a, *y = b;
  return (x->share < y->share) - (x->share > y->share);
}

int live_spans(const struct live_stats *live, int64_t now,
                 struct live_span *list, int max)
{
  struct stretch stretch = stretch_at(live, now, LIVE_WINDOW_NS);
  double length = length_of(stretch, live->first_ns);
  struct live_span *all = allocate(live->user_span_count + 1, sizeof *all);
  int count = 0;
  for (uint32_t i = 0; i < live->user_span_count; i++) {
    const struct user_span *span = live->user_spans[i];
    struct slot s = sum(&span->series, stretch);
    uint64_t ns = s.ns + open_time(live, span->id, now, stretch);
    if (ns == 0 && s.count == 0) continue;
    struct live_span *out = &all[count++];
    name_event(live, out->name, span->id);
    out->rate = a_second(s.count, length);
    out->share = (double) ns / length;
    out->mean = s.count == 0 ? 0 : s.total / s.count;
    out->max = span->max;
  }
  qsort(all, (size_t) count, sizeof *all, by_share);
  if (count > max) count = max;
  memcpy(list, all, (size_t) count * sizeof *all);
  free(all);
  return count;
}

const struct long_pauses *live_long_pauses(const struct live_stats *live)
{
  return live->long_pauses;
}

int live_threads(const struct live_stats *live, int64_t now,
                 struct live_thread *list, int max)
{
  return list_live_threads(live->threads, live->summary,
                           stretch_at(live, now, SECOND_NS), list, max);
}

bool live_is_backup(const struct live_stats *live, uint32_t domain,
                    uint32_t thread)
{
  return is_backup_thread(live->threads, domain, thread);
}

size_t live_open_waits(const struct live_stats *live,
                       struct long_span list[LIVE_THREADS])
{
  return list_open_waits(live->threads, live->summary, list);
}

size_t live_long_spans(const struct live_stats *live, int64_t from_ns,
                       int64_t to_ns, struct long_span **list)
{
  const size_t count =
    find_long_spans(&live->long_spans, summary_numbers(live->summary)->spans,
                    live->ring_count, from_ns, to_ns, list);
  *list = reallocate(*list, count + LIVE_THREADS, sizeof **list);
  return count + live_open_waits(live, *list + count);
}

struct summary *live_summary(struct live_stats *live)
{
  return live->summary;
}
