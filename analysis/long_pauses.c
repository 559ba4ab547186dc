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
#include "long_pauses.h"
#include "memory.h"
#include "target.h"

/* A pause that is kept. */
struct kept {
  int64_t from_ns, end_ns;        /* end_ns 0: the place is free */
  uint32_t domain, domains;
  uint16_t id;
  uint64_t requested_by;          /* UINT64_MAX: the file does not say */
  char cause[PAUSE_NAME];
};

struct long_pauses {
  struct summary *summary;
  struct eventring_cursor *cursor;
  int64_t from_ns, to_ns, kept_ns;
  struct kept kept[LONG_PAUSES];
  /* Up to [full_until], no pause of at most [shortest_ns] has a place. */
  uint64_t shortest_ns;
  int64_t full_until;
};

/* Returns the place in which to keep a pause of [ns] nanoseconds: a place that
   is free or has a pause that ended more than kept_ns before [now], else
   the place of the shortest pause kept, to be overwritten.  Returns NULL when
   no pause kept is shorter than [ns], or [now] is not looked at.  Nearly all pauses
   are too short: one look at all places tells it for the next ones, too. */
static struct kept *place_for(struct long_pauses *l, uint64_t ns, int64_t now)
{
  if (now < l->from_ns || now > l->to_ns) return NULL;
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

/* Returns the pause kept that is the same as one from [from] to [to] of another
   domain, or NULL: at the same time, and for one request of domain [requested_by]. */
static struct kept *same_pause(struct long_pauses *l, uint32_t domain, int64_t from,
                               int64_t to, uint64_t requested_by)
{
  if (requested_by == UINT64_MAX) return NULL;
  for (struct kept *p = l->kept; p < l->kept + LONG_PAUSES; p++)
    if (p->end_ns != 0 && p->requested_by == requested_by && p->domain != domain
        && p->from_ns < to && from < p->end_ns) return p;
  return NULL;
}

/* Adds [text], if it is not NULL, to the list in [to]. */
static void add_cause(char to[PAUSE_NAME], const char *text)
{
  const size_t length = strlen(to);
  if (text != NULL)
    snprintf(to + length, PAUSE_NAME - length, "%s%s", length > 0 ? ", " : "", text);
}

/* Writes why a pause for [reason] was, to [to]: of a stop its reason, its cause and,
   if it waited long for a domain, this domain. */
static void name_cause(const struct long_pauses *l, const struct summary_reason *reason,
                       char to[PAUSE_NAME])
{
  char waited[64];
  to[0] = '\0';
  if (!reason->stop) {
    add_cause(to, eventring_value(l->cursor, "cause", reason->told.cause));
    return;
  }
  add_cause(to, eventring_value(l->cursor, "reason", reason->stop_reason));
  add_cause(to, eventring_value(l->cursor, "cause", reason->own.cause));
  if (reason->waited_for == UINT64_MAX) return;
  snprintf(waited, sizeof waited, "waited for domain %" PRIu64, reason->waited_for);
  add_cause(to, waited);
}

/* Cuts the pause of domain [domain] that ended at [to] off at [from]. */
static void cut_pause(struct long_pauses *l, uint32_t domain, int64_t from, int64_t to)
{
  for (struct kept *p = l->kept; p < l->kept + LONG_PAUSES; p++)
    if (p->domain == domain && p->end_ns == to)
      p->end_ns = from > p->from_ns ? from : 0;
  l->full_until = INT64_MIN;
}

/* The function of summary_listen_pauses.  Pauses that are the same have the times, the
   name and the cause of the longest. */
static void take_pause(void *state, uint32_t domain, int64_t from, int64_t to,
                       const struct summary_reason *reason)
{
  struct long_pauses *l = state;
  const uint64_t ns = (uint64_t) to - (uint64_t) from;
  if (reason == NULL) {
    cut_pause(l, domain, from, to);
    return;
  }
  struct kept *place = place_for(l, ns, to);
  if (place == NULL) return;
  const uint64_t requested_by = reason->own.requested_by != UINT64_MAX
    ? reason->own.requested_by : reason->told.requested_by;
  struct kept *same = same_pause(l, domain, from, to, requested_by);
  const uint32_t domains = reason->stop ? reason->domains
                           : same != NULL ? same->domains + 1 : 1;
  if (same != NULL) {
    if (domains > same->domains) same->domains = domains;
    if (ns <= (uint64_t) (same->end_ns - same->from_ns)) return;
    place = same;
  }
  *place = (struct kept) {
    .from_ns = from, .end_ns = to, .domain = domain, .domains = domains,
    .id = reason->id, .requested_by = requested_by
  };
  name_cause(l, reason, place->cause);
}

struct long_pauses *new_long_pauses(struct summary *s, int64_t from_ns, int64_t to_ns,
                                    int64_t kept_ns)
{
  struct long_pauses *l = allocate(1, sizeof *l);
  l->summary = s;
  l->cursor = summary_numbers(s)->cursor;
  l->from_ns = from_ns;
  l->to_ns = to_ns;
  l->kept_ns = kept_ns;
  l->full_until = INT64_MIN;
  summary_listen_pauses(s, take_pause, l);
  return l;
}

void free_long_pauses(struct long_pauses *l)
{
  summary_listen_pauses(l->summary, NULL, NULL);
  free(l);
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
