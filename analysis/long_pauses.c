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

/* The longest pauses that ended from [from_ns] to [to_ns]. */
struct places {
  int64_t from_ns, to_ns;
  struct kept kept[LONG_PAUSES];
  uint64_t shortest_ns;           /* no pause of at most this duration has a place */
};

/* The recent time has parts with places of their own: a pause that is short beside
   those of the minute may be the longest of the last ten seconds. */
#define PARTS 6
#define MOST_KEPT ((1 + PARTS + 1) * LONG_PAUSES)

struct long_pauses {
  struct summary *summary;
  struct eventring_cursor *cursor;
  struct places all;
  int64_t part_ns;                /* 0: there are no parts */
  struct places parts[PARTS + 1];
};

static uint64_t length_of(const struct kept *k)
{
  return (uint64_t) k->end_ns - (uint64_t) k->from_ns;
}

/* Returns the place of [p] in which to keep a pause of [ns] nanoseconds: a free one, else
   the place of the shortest pause kept, to be overwritten.  Returns NULL when no pause
   kept is shorter than [ns].  Nearly all pauses are too short: one look at all places
   tells it for the next ones, too. */
static struct kept *place_for(struct places *p, uint64_t ns)
{
  if (ns <= p->shortest_ns) return NULL;
  struct kept *shortest = p->kept;
  for (struct kept *k = p->kept; k < p->kept + LONG_PAUSES; k++) {
    if (k->end_ns == 0) return k;
    if (length_of(k) < length_of(shortest)) shortest = k;
  }
  if (ns > length_of(shortest)) return shortest;
  p->shortest_ns = length_of(shortest);
  return NULL;
}

/* Returns the pause in [list] that is the same as [pause], or NULL: at the same time, and
   of the same domain or for the same request. */
static struct kept *same_pause(struct kept *list, int count, const struct kept *pause)
{
  for (struct kept *k = list; k < list + count; k++)
    if (k->end_ns != 0 && k->from_ns < pause->end_ns && pause->from_ns < k->end_ns
        && (k->domain == pause->domain
            || (k->requested_by != UINT64_MAX
                && k->requested_by == pause->requested_by))) return k;
  return NULL;
}

/* Makes one pause, of [domains] domains, of [to] and [from], which has the times, the
   name and the cause of the longer one. */
static void unite(struct kept *to, const struct kept *from, uint32_t domains)
{
  if (length_of(from) > length_of(to)) *to = *from;
  to->domains = domains;
}

static uint32_t most(uint32_t a, uint32_t b)
{
  return a > b ? a : b;
}

/* Keeps [pause] in [p], if it is one of the longest.  [counts]: it has only one of the
   domains that took part. */
static void keep(struct places *p, const struct kept *pause, bool counts)
{
  if (pause->end_ns < p->from_ns || pause->end_ns > p->to_ns) return;
  struct kept *place = place_for(p, length_of(pause));
  if (place == NULL) return;
  struct kept *same = same_pause(p->kept, LONG_PAUSES, pause);
  if (same == NULL) *place = *pause;
  else unite(same, pause, counts ? same->domains + 1 : most(same->domains, pause->domains));
}

/* Returns the places of the part in which [ns] is, which may have been those of an earlier
   part.  Returns NULL if they are those of a later part. */
static struct places *part_of(struct long_pauses *l, int64_t ns)
{
  const int64_t begin = ns - ns % l->part_ns;
  struct places *p = &l->parts[ns / l->part_ns % (PARTS + 1)];
  if (p->from_ns > begin) return NULL;
  if (p->from_ns < begin)
    *p = (struct places) { .from_ns = begin, .to_ns = begin + l->part_ns - 1 };
  return p;
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
static void cut_pause(struct places *p, uint32_t domain, int64_t from, int64_t to)
{
  for (struct kept *k = p->kept; k < p->kept + LONG_PAUSES; k++)
    if (k->domain == domain && k->end_ns == to)
      k->end_ns = from > k->from_ns ? from : 0;
  p->shortest_ns = 0;
}

/* The function of summary_listen_pauses.  Pauses that are the same have the times, the
   name and the cause of the longest. */
static void take_pause(void *state, uint32_t domain, int64_t from, int64_t to,
                       const struct summary_reason *reason)
{
  struct long_pauses *l = state;
  struct places *part = l->part_ns > 0 && to >= 0 ? part_of(l, to) : NULL;
  if (reason == NULL) {
    cut_pause(&l->all, domain, from, to);
    if (part != NULL) cut_pause(part, domain, from, to);
    return;
  }
  const uint64_t ns = (uint64_t) to - (uint64_t) from;
  if (ns <= l->all.shortest_ns && (part == NULL || ns <= part->shortest_ns)) return;
  struct kept pause = {
    .from_ns = from, .end_ns = to, .domain = domain,
    .domains = reason->stop ? reason->domains : 1, .id = reason->id,
    .requested_by = reason->own.requested_by != UINT64_MAX
      ? reason->own.requested_by : reason->told.requested_by
  };
  name_cause(l, reason, pause.cause);
  keep(&l->all, &pause, !reason->stop);
  if (part != NULL) keep(part, &pause, !reason->stop);
}

struct long_pauses *new_long_pauses(struct summary *s, int64_t from_ns, int64_t to_ns,
                                    int64_t recent_ns)
{
  struct long_pauses *l = allocate(1, sizeof *l);
  l->summary = s;
  l->cursor = summary_numbers(s)->cursor;
  l->all.from_ns = from_ns;
  l->all.to_ns = to_ns;
  l->part_ns = recent_ns / PARTS;
  for (int i = 0; i <= PARTS; i++) l->parts[i].from_ns = -1;
  summary_listen_pauses(s, take_pause, l);
  return l;
}

void free_long_pauses(struct long_pauses *l)
{
  summary_listen_pauses(l->summary, NULL, NULL);
  free(l);
}

void add_long_pauses(struct long_pauses *l, const struct long_pause *list, int count)
{
  for (int i = 0; i < count; i++) {
    const struct long_pause *p = &list[i];
    struct kept pause = {
      .from_ns = p->end_ns - (int64_t) p->ns, .end_ns = p->end_ns, .domain = p->domain,
      .domains = p->domains, .id = p->id, .requested_by = p->requested_by
    };
    memcpy(pause.cause, p->cause, sizeof pause.cause);
    if (pause.from_ns < l->all.from_ns) pause.from_ns = l->all.from_ns;
    keep(&l->all, &pause, false);
  }
}

/* Adds the pauses of [p] that ended from [from_ns] to [to_ns] to the [count] ones of
   [list].  Returns their number then. */
static int collect(const struct places *p, int64_t from_ns, int64_t to_ns,
                   struct kept list[MOST_KEPT], int count)
{
  for (const struct kept *k = p->kept; k < p->kept + LONG_PAUSES; k++) {
    if (k->end_ns == 0 || k->end_ns < from_ns || k->end_ns > to_ns) continue;
    struct kept *same = same_pause(list, count, k);
    if (same != NULL) unite(same, k, most(same->domains, k->domains));
    else list[count++] = *k;
  }
  return count;
}

static int by_length(const void *a, const void *b)
{
  const uint64_t x = length_of(a), y = length_of(b);
  return (x < y) - (x > y);
}

static int by_end(const void *a, const void *b)
{
  const struct long_pause *x = a, *y = b;
  return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

int list_long_pauses(const struct long_pauses *l, int64_t from_ns, int64_t to_ns,
                     struct long_pause list[LONG_PAUSES])
{
  struct kept *all = allocate(MOST_KEPT, sizeof *all);
  int count = collect(&l->all, from_ns, to_ns, all, 0);
  for (int i = 0; i <= PARTS; i++)
    count = collect(&l->parts[i], from_ns, to_ns, all, count);
  qsort(all, (size_t) count, sizeof *all, by_length);
  if (count > LONG_PAUSES) count = LONG_PAUSES;
  for (int i = 0; i < count; i++) {
    const struct kept *k = &all[i];
    const struct eventring_description *d = eventring_describe(l->cursor, k->id);
    list[i] = (struct long_pause) {
      .end_ns = k->end_ns, .ns = length_of(k), .id = k->id,
      .domain = k->domain, .domains = k->domains, .requested_by = k->requested_by
    };
    snprintf(list[i].name, sizeof list[i].name, "%s", d == NULL ? "" : d->name);
    memcpy(list[i].cause, k->cause, sizeof list[i].cause);
  }
  free(all);
  qsort(list, (size_t) count, sizeof *list, by_end);
  return count;
}
