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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event_field.h"
#include "long_pauses.h"
#include "memory.h"
#include "target.h"

/* Why a collection ran. */
struct reason {
  int64_t from_ns;
  uint64_t ns;                    /* 0: none is known */
  uint64_t cause, requested_by;   /* UINT64_MAX: the file does not say */
};

/* A pause that is kept. */
struct kept {
  int64_t from_ns, end_ns;        /* end_ns 0: the place is free */
  uint32_t domain, domains;
  uint16_t id;
  uint64_t requested_by;          /* UINT64_MAX: the file does not say */
  char cause[PAUSE_NAME];
};

struct long_pauses {
  struct eventring_cursor *cursor;
  int64_t from_ns, to_ns, kept_ns;
  struct kept kept[LONG_PAUSES];
  /* Up to [full_until], no pause of at most [shortest_ns] has a place: the times of
     events do not go back, and a place gets a longer pause until then. */
  uint64_t shortest_ns;
  int64_t full_until;
  uint32_t rings;
  struct reason inner[];          /* by ring: of the longest collection that ended inside
                                     of an open one and has a cause */
};

struct long_pauses *new_long_pauses(struct eventring_cursor *cursor, int64_t from_ns,
                                    int64_t to_ns, int64_t kept_ns)
{
  const uint32_t rings = target_info(cursor).rings;
  struct long_pauses *l = allocate(1, sizeof *l + rings * sizeof *l->inner);
  l->cursor = cursor;
  l->from_ns = from_ns;
  l->to_ns = to_ns;
  l->kept_ns = kept_ns;
  l->full_until = INT64_MIN;
  l->rings = rings;
  return l;
}

void free_long_pauses(struct long_pauses *l)
{
  free(l);
}

/* Returns the value of the first field of [event] that is called [name], or
   UINT64_MAX when the payload has no such field. */
static uint64_t field_called(const struct long_pauses *l,
                             const struct eventring_event *event,
                             const char *name)
{
  for (uint32_t i = 0; i < event->words; i++) {
    const struct eventring_field *field = event_field(l->cursor, event, i);
    if (field != NULL && strcmp(field->name, name) == 0)
      return event->payload[i];
  }
  return UINT64_MAX;
}

/* Returns the place in which to keep a pause of [ns] nanoseconds: a place that
   is free or has a pause that ended more than kept_ns before [now], else
   the place of the shortest pause kept, to be overwritten.  Returns NULL when
   no pause kept is shorter than [ns], or [now] is not looked at.  Nearly all pauses
   are too short: one look at all places tells it for the next ones, too. */
static struct kept *place_for(struct long_pauses *l, uint64_t ns, int64_t now)
{
  if (now < l->from_ns || now >= l->to_ns) return NULL;
  if (ns <= l->shortest_ns && now <= l->full_until) return NULL;
  struct kept *shortest = NULL;
  uint64_t least = UINT64_MAX;
  int64_t first_end = INT64_MAX;
  for (struct kept *p = l->kept; p < l->kept + LONG_PAUSES; p++) {
    if (p->end_ns == 0 || p->end_ns < time_after(now, -l->kept_ns)) return p;
    const uint64_t length = (uint64_t) (p->end_ns - p->from_ns);
    if (length < least) {
      least = length;
      shortest = p;
    }
    if (p->end_ns < first_end) first_end = p->end_ns;
  }
  if (ns > least) return shortest;
  l->shortest_ns = least;
  l->full_until = time_after(first_end, l->kept_ns);
  return NULL;
}

/* Returns the pause kept to which [event] belongs, or NULL.  [event] ends a
   collection that began at [since] and was requested by domain [requested_by];
   the result is NULL if this is UINT64_MAX, not known.  Collections of several
   domains with the same id, for one request and at the same time, are one
   pause. */
static struct kept *same_pause(struct long_pauses *l, const struct eventring_event *event,
                               int64_t since, uint64_t requested_by)
{
  if (requested_by == UINT64_MAX) return NULL;
  struct kept *end = l->kept + LONG_PAUSES;
  for (struct kept *p = l->kept; p < end; p++)
    if (p->id == event->id && p->requested_by == requested_by
        && p->from_ns < event->ns && since < p->end_ns) return p;
  return NULL;
}

/* Returns why the collection ran that ended with [event] and began at [since]. */
static struct reason reason_of(const struct long_pauses *l,
                               const struct eventring_event *event, int64_t since)
{
  return (struct reason) {
    .from_ns = since, .ns = (uint64_t) event->ns - (uint64_t) since,
    .cause = field_called(l, event, "cause"),
    .requested_by = field_called(l, event, "requested_by")
  };
}

/* Notes why the collection ran that ended with [event], inside of another that is
   open, and began at [since]: the outer one may not say. */
static void note_inner(struct long_pauses *l, const struct eventring_event *event,
                       int64_t since)
{
  struct reason *inner = &l->inner[event->ring];
  if (event->ns - since <= (int64_t) inner->ns) return;
  const struct reason reason = reason_of(l, event, since);
  if (reason.cause != UINT64_MAX) *inner = reason;
}

/* Adds the collection that ended with [event] and began at [since] to the long
   pauses, unless it is too short for place_for.  One without a cause has that of the
   longest collection inside of it.  If it belongs to a pause kept, adds its domain to
   this pause, which takes the times and the domain of the longer of both; else
   overwrites the place found. */
static void keep_if_long(struct long_pauses *l, const struct eventring_event *event,
                         int64_t since)
{
  const uint64_t ns = (uint64_t) event->ns - (uint64_t) since;
  struct kept *place = place_for(l, ns, event->ns);
  if (place == NULL) return;
  struct reason reason = reason_of(l, event, since);
  const struct reason *inner = &l->inner[event->ring];
  if (reason.cause == UINT64_MAX && inner->ns > 0 && inner->from_ns >= since) {
    reason.cause = inner->cause;
    reason.requested_by = inner->requested_by;
  }
  struct kept *same = same_pause(l, event, since, reason.requested_by);
  if (same != NULL) {
    same->domains++;
    if (ns > (uint64_t) (same->end_ns - same->from_ns)) {
      same->from_ns = since;
      same->end_ns = event->ns;
      same->domain = event->domain;
    }
    return;
  }
  *place = (struct kept) {
    .from_ns = since, .end_ns = event->ns, .domain = event->domain,
    .domains = 1, .id = event->id, .requested_by = reason.requested_by
  };
  const char *cause = eventring_value(l->cursor, "cause", reason.cause);
  snprintf(place->cause, sizeof place->cause, "%s", cause == NULL ? "" : cause);
}

/* Adds the stop-the-world section that [event] reports to the long pauses, from
   the request to its end, when the last of the other domains to arrive took
   longer for that than the section lasted from then on.  The cause of the pause
   names the reason of the section and the domain that arrived last; its domain
   is the one that asked for it or, if the file does not say, wrote [event].  Does
   nothing when the pause is too short for place_for. */
static void keep_if_late(struct long_pauses *l, const struct event_roles *roles,
                         const struct eventring_event *event)
{
  const struct arrival last = last_arrival(roles, event);
  const uint64_t took = event->words > 0 ? event->payload[0] : 0;
  const uint64_t ns = took + last.after_ns;
  if (last.after_ns <= took || ns > (uint64_t) event->ns) return;
  struct kept *place = place_for(l, ns, event->ns);
  if (place == NULL) return;
  const uint64_t requested_by =
    field_of(roles, ROLE_STOP, event, F_REQUESTED_BY, UINT64_MAX);
  *place = (struct kept) {
    .from_ns = event->ns - (int64_t) ns, .end_ns = event->ns,
    .domain = requested_by != UINT64_MAX ? (uint32_t) requested_by : event->domain,
    .domains = last.domains, .id = event->id, .requested_by = requested_by
  };
  const char *reason = eventring_value(
    l->cursor, "reason", field_of(roles, ROLE_STOP, event, F_REASON, UINT64_MAX));
  snprintf(place->cause, sizeof place->cause, "%s, waited for domain %"
           PRIu64, reason == NULL ? "" : reason, last.domain);
}

/* Takes the collection that ended with [event] and began at [since]; it is a pause unless
   another is open around it or the backup thread ran it. */
static void collection_ended(struct long_pauses *l, struct summary *s,
                             const struct eventring_event *event, int64_t since)
{
  if (in_span_of(s, event->ring, is_collector_span)) {
    note_inner(l, event, since);
    return;
  }
  if (!domain_numbers(domain_of_ring(s, event->ring))->on_backup)
    keep_if_long(l, event, since);
  l->inner[event->ring] = (struct reason) { .ns = 0 };
}

void long_pauses_event(struct long_pauses *l, struct summary *s,
                       const struct eventring_event *event, int64_t since_ns)
{
  if (event->form == EVENTRING_EV_CONTROL_CHANGED || event->ring >= l->rings) return;
  switch (event->form) {
  case EVENTRING_EV_LOST:
    l->inner[event->ring] = (struct reason) { .ns = 0 };
    break;
  case EVENTRING_EV_END:
    if (since_ns >= 0 && since_ns <= event->ns
        && is_collector_span(summary_class(s, event->id)))
      collection_ended(l, s, event, since_ns);
    break;
  case EVENTRING_EV_INSTANT:
    if (summary_class(s, event->id).role == ROLE_STOP)
      keep_if_late(l, summary_numbers(s)->roles, event);
    break;
  default: break;
  }
}

static int by_end(const void *a, const void *b)
{
  const struct long_pause *x = a, *y = b;
  return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

int list_long_pauses(const struct long_pauses *l, int64_t from_ns,
                     struct long_pause list[LONG_PAUSES])
{
  int count = 0;
  for (const struct kept *k = l->kept; k < l->kept + LONG_PAUSES; k++) {
    if (k->end_ns == 0 || k->end_ns < from_ns) continue;
    struct long_pause *out = &list[count++];
    *out = (struct long_pause) {
      .end_ns = k->end_ns, .ns = (uint64_t) (k->end_ns - k->from_ns),
      .domain = k->domain, .domains = k->domains, .requested_by = k->requested_by
    };
    const struct eventring_description *d = eventring_describe(l->cursor, k->id);
    snprintf(out->name, sizeof out->name, "%s", d == NULL ? "" : d->name);
    memcpy(out->cause, k->cause, sizeof out->cause);
  }
  qsort(list, (size_t) count, sizeof *list, by_end);
  return count;
}
