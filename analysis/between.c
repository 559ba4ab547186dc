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


#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "between.h"
#include "event_roles.h"
#include "filter_words.h"
#include "memory.h"
#include "pair_map.h"
#include "spans.h"
#include "target.h"

/* Buckets of the series when it begins to have buckets, at most. */
#define FIRST_BUCKETS (BETWEEN_POINTS / 4)

/* The FIRST of a scope that waits for its THEN.  A gap is noticed by its stamp:
   see stamp_of. */
struct waiting {
  struct between_event first;
  uint64_t stamp;
  uint32_t ring;
  bool waits;
};

struct between {
  struct eventring_cursor *cursor;
  struct filter *first, *then;
  enum between_scope scope;
  struct event_roles *roles;
  struct spans *spans;            /* NULL: no filter needs durations */
  struct pair_map scopes;         /* to places in [waiting] */
  struct waiting *waiting;
  size_t room;
  uint32_t rings;
  uint64_t gaps, *ring_gaps;      /* of all rings, and of each */
  struct between_result result;
};

const char *const between_scope_names[BETWEEN_SCOPE_COUNT] = {
  "thread", "domain", "process"
};

bool between_filter(struct filter *filter, char *words, char *why,
                    size_t why_size)
{
  if (words[strspn(words, " ")] != '\0')
    return filter_words(filter, words, why, why_size);
  snprintf(why, why_size, "missing events: a filter is empty");
  return false;
}

bool between_scope(const char *name, size_t length, enum between_scope *scope)
{
  for (int i = 0; i < BETWEEN_SCOPE_COUNT; i++) {
    if (strlen(between_scope_names[i]) != length
        || memcmp(between_scope_names[i], name, length) != 0)
      continue;
    *scope = (enum between_scope) i;
    return true;
  }
  return false;
}

struct between *new_between(struct eventring_cursor *cursor,
                            struct filter *first, struct filter *then,
                            enum between_scope scope)
{
  struct between *b = allocate(1, sizeof *b);
  b->cursor = cursor;
  b->first = first;
  b->then = then;
  b->scope = scope;
  b->roles = new_event_roles(cursor);
  if (filter_needs_durations(first) || filter_needs_durations(then))
    b->spans = new_spans(cursor);
  b->scopes = new_pair_map();
  b->rings = target_info(cursor).rings;
  b->ring_gaps = allocate(b->rings, sizeof *b->ring_gaps);
  return b;
}

void free_between(struct between *b)
{
  if (b->spans != NULL) free_spans(b->spans);
  free_pair_map(&b->scopes);
  free(b->waiting);
  free(b->ring_gaps);
  free(b->roles);
  free(b);
}

/* Gaps */

/* Returns a number that changes with each gap in which the THEN of a FIRST in
   ring [ring] may be. */
static uint64_t stamp_of(const struct between *b, uint32_t ring)
{
  return b->gaps + (ring < b->rings ? b->ring_gaps[ring] : 0);
}

static void note_gap(struct between *b, const struct eventring_event *event)
{
  bool lost = event->form == EVENTRING_EV_LOST;
  if (lost && b->scope != BETWEEN_PROCESS && event->ring < b->rings)
    b->ring_gaps[event->ring]++;
  else if (lost || event->form == EVENTRING_EV_CONTROL_CHANGED
           || (event->form == EVENTRING_EV_INSTANT
               && is_pause(class_of(b->roles, event->id))))
    b->gaps++;
}

/* The list of the longest pairs */

static uint64_t duration(const struct between_pair *pair)
{
  return (uint64_t) pair->then.ns - (uint64_t) pair->first.ns;
}

static void add_to_longest(struct between_result *r,
                           const struct between_pair *pair)
{
  uint32_t at = r->longest_count;
  if (at < BETWEEN_LONGEST) r->longest_count++;
  else if (duration(&r->longest[--at]) >= duration(pair)) return;
  for (; at > 0 && duration(&r->longest[at - 1]) < duration(pair); at--)
    r->longest[at] = r->longest[at - 1];
  r->longest[at] = *pair;
}

/* The series */

/* Returns the begin of the bucket of the time [ns]. */
static int64_t bucket_of(const struct between_result *r, int64_t ns)
{
  if (r->point_ns == 0) return ns;
  int64_t behind = ns % r->point_ns;
  return time_after(ns, -(behind < 0 ? behind + r->point_ns : behind));
}

static void merge_point(struct between_point *to,
                        const struct between_point *from)
{
  to->count += from->count;
  if (from->min < to->min) to->min = from->min;
  if (from->max > to->max) to->max = from->max;
}

/* Makes buckets of the points, each as wide as two before. */
static void widen(struct between_result *r)
{
  uint64_t length = (uint64_t) r->points[r->point_count - 1].ns
                    - (uint64_t) r->points[0].ns;
  r->point_ns = r->point_ns == 0 ? (int64_t) (length / FIRST_BUCKETS) + 1
                                 : time_after(r->point_ns, r->point_ns);
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->point_count; i++) {
    struct between_point point = r->points[i];
    point.ns = bucket_of(r, point.ns);
    if (count > 0 && r->points[count - 1].ns == point.ns)
      merge_point(&r->points[count - 1], &point);
    else
      r->points[count++] = point;
  }
  r->point_count = count;
}

/* Adds a pair to the series.  THEN of different domains may be a little out of
   order. */
static void add_to_series(struct between_result *r,
                          const struct between_pair *pair)
{
  while (r->point_count == BETWEEN_POINTS) widen(r);
  struct between_point point = { .ns = bucket_of(r, pair->then.ns), .count = 1,
                                 .min = duration(pair),
                                 .max = duration(pair) };
  uint32_t at = r->point_count;
  while (at > 0 && r->points[at - 1].ns > point.ns) at--;
  if (r->point_ns > 0 && at > 0 && r->points[at - 1].ns == point.ns) {
    merge_point(&r->points[at - 1], &point);
    return;
  }
  memmove(&r->points[at + 1], &r->points[at],
          (r->point_count - at) * sizeof point);
  r->points[at] = point;
  r->point_count++;
}

/* Pairs */

static struct between_event taken(const struct eventring_event *event)
{
  return (struct between_event) {
    .ns = event->ns, .ticks = event->ticks, .domain = event->domain,
    .thread = event->thread, .thread_id = event->thread_id, .id = event->id
  };
}

/* Returns the FIRST of the scope of [event], which may not wait; NULL when the
   scope is not known, and [add] is false or there are too many scopes. */
static struct waiting *waiting_in(struct between *b,
                                  const struct eventring_event *event, bool add)
{
  uint64_t domain = b->scope == BETWEEN_PROCESS ? 0 : event->domain;
  uint64_t thread = b->scope == BETWEEN_THREAD ? event->thread : 0;
  uint32_t at = find_pair(&b->scopes, domain, thread);
  if (at != UINT32_MAX) return &b->waiting[at];
  if (!add || b->scopes.count == BETWEEN_SCOPES) return NULL;
  b->waiting = with_room(b->waiting, b->scopes.count, &b->room,
                         sizeof *b->waiting);
  at = number_of_pair(&b->scopes, domain, thread, &add);
  b->waiting[at].waits = false;
  return &b->waiting[at];
}

static void take_first(struct between *b, const struct eventring_event *event)
{
  struct waiting *w = waiting_in(b, event, true);
  b->result.first++;
  if (w == NULL) {
    b->result.cut++;
    return;
  }
  if (w->waits && w->stamp == stamp_of(b, w->ring)) b->result.replaced++;
  else if (w->waits) b->result.cut++;
  *w = (struct waiting) { .first = taken(event), .ring = event->ring,
                          .stamp = stamp_of(b, event->ring), .waits = true };
}

static void take_then(struct between *b, const struct eventring_event *event)
{
  struct waiting *w = waiting_in(b, event, false);
  b->result.then++;
  if (w == NULL || !w->waits || event->ns < w->first.ns) return;
  w->waits = false;
  if (w->stamp != stamp_of(b, w->ring)) {
    b->result.cut++;
    return;
  }
  struct between_pair pair = { w->first, taken(event) };
  histogram_add(&b->result.durations, duration(&pair));
  add_to_longest(&b->result, &pair);
  add_to_series(&b->result, &pair);
}

/* Returns whether [event] is one of [filter]: see the comment about spans in
   between.h. */
static bool passes(struct filter *filter, const struct eventring_event *event,
                   int64_t took_ns)
{
  return (event->form != EVENTRING_EV_END || filter_has_forms(filter)
          || filter_needs_durations(filter))
         && filter_wants(filter, event, took_ns);
}

void between_event(struct between *b, const struct eventring_event *event,
                   bool counts)
{
  int64_t since, took_ns = -1;
  if (b->spans != NULL && span_ended(b->spans, event, &since))
    took_ns = time_since(event->ns, since);
  note_gap(b, event);
  if (!counts || event->form == EVENTRING_EV_LOST
      || event->form == EVENTRING_EV_CONTROL_CHANGED)
    return;
  if (passes(b->then, event, took_ns)) take_then(b, event);
  if (passes(b->first, event, took_ns)) take_first(b, event);
}

const struct between_result *between_result(struct between *b)
{
  struct between_result *r = &b->result;
  for (uint32_t i = 0; i < b->scopes.count; i++) {
    struct waiting *w = &b->waiting[i];
    if (!w->waits || w->stamp == stamp_of(b, w->ring)) continue;
    w->waits = false;
    r->cut++;
  }
  r->open = r->first - r->durations.count - r->replaced - r->cut;
  return r;
}
