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
  int64_t from_ns, end_ns;        /* equal: the place is free */
  uint32_t domain;                /* of the longest... */
  uint64_t domains;               /* ...of these: the bit of each, modulo 64 */
  uint32_t listed;                /* how many domains the stop lists; 0: no stop */
  uint16_t id;
  uint64_t requested_by, reason, cause, arrived_last;  /* UINT64_MAX: none, or the file
                                                          does not say */
  bool late;                      /* the domain that arrived last was */
  bool stayed;                    /* [domain] went on long after another one, and not
                                     since it collected */
};

/* The longest pauses that ended from [from_ns] to [to_ns]. */
struct longest {
  int64_t from_ns, to_ns;
  struct kept kept[LONG_PAUSES];
  uint64_t shortest_ns;           /* no pause of at most this duration has a place */
};

/* The longest pauses of each second are kept, too: the longest pause of a second may be
   short for a minute. */
#define SECOND INT64_C(1000000000)

struct long_pauses {
  struct summary *summary;
  struct eventring_cursor *cursor;
  struct longest all;
  uint32_t count;
  struct longest *seconds;        /* [count], by the second modulo [count] */
};

static uint64_t length_of(const struct kept *k)
{
  return (uint64_t) k->end_ns - (uint64_t) k->from_ns;
}

/* Returns the place of [l] in which to keep a pause of [ns] nanoseconds: a free one, else
   the place of the shortest pause kept, to be overwritten.  Returns NULL when no pause
   kept is shorter than [ns].  Nearly all pauses are too short: one look at all places
   tells it for the next ones, too. */
static struct kept *place_for(struct longest *l, uint64_t ns)
{
  if (ns <= l->shortest_ns) return NULL;
  struct kept *shortest = l->kept;
  for (struct kept *k = l->kept; k < l->kept + LONG_PAUSES; k++) {
    if (length_of(k) == 0) return k;
    if (length_of(k) < length_of(shortest)) shortest = k;
  }
  if (ns > length_of(shortest)) return shortest;
  l->shortest_ns = length_of(shortest);
  return NULL;
}

/* Returns the pause in [list] that is the same as [pause], or NULL: at the same time, and
   of the same domain or for the same request. */
static struct kept *same_pause(struct kept *list, int count, const struct kept *pause)
{
  for (struct kept *k = list; k < list + count; k++)
    if (length_of(k) > 0 && k->from_ns < pause->end_ns && pause->from_ns < k->end_ns
        && (k->domain == pause->domain
            || (k->requested_by != UINT64_MAX
                && k->requested_by == pause->requested_by))) return k;
  return NULL;
}

/* Makes one pause of [to] and [from], which has the domains of both, and the times, the
   name and the cause of the longer one. */
static void unite(struct kept *to, const struct kept *from)
{
  const uint64_t domains = to->domains | from->domains;
  const uint32_t listed = to->listed > from->listed ? to->listed : from->listed;
  if (length_of(from) > length_of(to)) *to = *from;
  to->domains = domains;
  to->listed = listed;
}

/* Keeps [pause] in [l], if it is one of the longest. */
static void keep(struct longest *l, const struct kept *pause)
{
  if (pause->end_ns < l->from_ns || pause->end_ns > l->to_ns) return;
  struct kept *place = place_for(l, length_of(pause));
  if (place == NULL) return;
  struct kept *same = same_pause(l->kept, LONG_PAUSES, pause);
  if (same != NULL) unite(same, pause);
  else *place = *pause;
}

/* Returns the longest pauses of the second of [ns], in the place of an earlier second.
   Returns NULL if they are not kept: [ns] is older. */
static struct longest *second_of(struct long_pauses *l, int64_t ns)
{
  if (l->count == 0 || ns < 0) return NULL;
  const int64_t begin = ns - ns % SECOND;
  struct longest *s = &l->seconds[ns / SECOND % l->count];
  if (s->from_ns > begin && s->from_ns - begin <= 2 * l->count * SECOND) return NULL;
  /* A damaged file may have a time far ahead. */
  if (s->from_ns != begin)
    *s = (struct longest) { .from_ns = begin,
                            .to_ns = time_after(begin, SECOND - 1) };
  return s;
}

/* Adds [text], if it is not NULL, to the list in [to]. */
static void add_cause(char to[PAUSE_NAME], const char *text)
{
  const size_t length = strlen(to);
  if (text != NULL)
    snprintf(to + length, PAUSE_NAME - length, "%s%s", length > 0 ? ", " : "", text);
}

/* Writes why the pause [k] was, to [to]: of a stop its reason, its cause, the domain for
   which it waited long, and the one that went on late. */
static void name_cause(const struct long_pauses *l, const struct kept *k,
                       char to[PAUSE_NAME])
{
  char domain[64];
  to[0] = '\0';
  add_cause(to, eventring_value(l->cursor, "reason", k->reason));
  add_cause(to, eventring_value(l->cursor, "cause", k->cause));
  if (k->late) {
    snprintf(domain, sizeof domain, "waited for domain %" PRIu64, k->arrived_last);
    add_cause(to, domain);
  }
  if (k->stayed) {
    snprintf(domain, sizeof domain, "domain %" PRIu32 " went on late", k->domain);
    add_cause(to, domain);
  }
}

/* Cuts the pause of domain [domain] that ended at [to] off at [from]. */
static void cut_pause(struct longest *l, uint32_t domain, int64_t from, int64_t to)
{
  for (struct kept *k = l->kept; k < l->kept + LONG_PAUSES; k++)
    if (length_of(k) > 0 && k->domain == domain && k->end_ns == to)
      k->end_ns = from > k->from_ns ? from : k->from_ns;
  l->shortest_ns = 0;
}

/* The function of summary_listen_pauses.  Pauses that are the same have the times, the
   name and the cause of the longest. */
static void take_pause(void *state, uint32_t domain, int64_t from, int64_t to,
                       const struct summary_reason *reason)
{
  struct long_pauses *l = state;
  struct longest *second = second_of(l, to);
  if (reason == NULL) {
    cut_pause(&l->all, domain, from, to);
    if (second != NULL) cut_pause(second, domain, from, to);
    return;
  }
  const uint64_t ns = (uint64_t) to - (uint64_t) from;
  if (ns <= l->all.shortest_ns && (second == NULL || ns <= second->shortest_ns)) return;
  /* A pause that is mostly a stop says what it waited for, also if a longer slice is its
     reason. */
  const struct summary_stop *stop =
    reason->stop || 2 * reason->longest_stop.ns >= ns ? &reason->longest_stop : NULL;
  /* A domain that collects for longer than the others has not gone on late. */
  const uint64_t collected_ns = reason->stop ? reason->told.ns : reason->own.ns;
  const uint64_t told_by = reason->own.requested_by != UINT64_MAX
    ? reason->own.requested_by : reason->told.requested_by;
  const struct kept pause = {
    .from_ns = from, .end_ns = to, .domain = domain,
    .domains = UINT64_C(1) << domain % 64, .listed = reason->stop ? stop->domains : 0,
    .id = reason->id,
    .requested_by = told_by == UINT64_MAX && stop != NULL ? stop->requested_by : told_by,
    .reason = reason->stop ? stop->reason : UINT64_MAX,
    .cause = reason->stop ? reason->own.cause : reason->told.cause,
    .arrived_last = stop != NULL ? stop->arrived_last : UINT64_MAX,
    .late = stop != NULL && stop->late,
    .stayed = stop != NULL && stop->stayed && collected_ns < ns / 2
  };
  keep(&l->all, &pause);
  if (second != NULL) keep(second, &pause);
}

struct long_pauses *new_long_pauses(struct summary *s, int64_t from_ns, int64_t to_ns,
                                    uint32_t seconds)
{
  struct long_pauses *l = allocate(1, sizeof *l);
  l->summary = s;
  l->cursor = summary_numbers(s)->cursor;
  l->all.from_ns = from_ns;
  l->all.to_ns = to_ns;
  l->count = seconds > 0 ? seconds + 1 : 0;
  l->seconds = allocate(l->count + 1, sizeof *l->seconds);
  for (uint32_t i = 0; i < l->count; i++) l->seconds[i].from_ns = -1;
  summary_listen_pauses(s, take_pause, l);
  return l;
}

void free_long_pauses(struct long_pauses *l)
{
  summary_listen_pauses(l->summary, NULL, NULL);
  free(l->seconds);
  free(l);
}

/* Adds the pauses of [from] that ended from [from_ns] to [to_ns] to the [count] ones of
   [list].  Returns their number then. */
static int collect(const struct longest *from, int64_t from_ns, int64_t to_ns,
                   struct kept *list, int count)
{
  if (from->to_ns < from_ns || from->from_ns > to_ns) return count;
  for (const struct kept *k = from->kept; k < from->kept + LONG_PAUSES; k++) {
    if (length_of(k) == 0 || k->end_ns < from_ns || k->end_ns > to_ns) continue;
    struct kept *same = same_pause(list, count, k);
    if (same != NULL) unite(same, k);
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
  const struct kept *x = a, *y = b;
  return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

/* Fills [list] with the longest pauses that ended from [from_ns] to [to_ns], the latest
   first.  Returns their number. */
static int find_longest(const struct long_pauses *l, int64_t from_ns, int64_t to_ns,
                        struct kept list[LONG_PAUSES])
{
  struct kept *all = allocate((l->count + 1) * LONG_PAUSES, sizeof *all);
  int count = collect(&l->all, from_ns, to_ns, all, 0);
  for (uint32_t i = 0; i < l->count; i++)
    count = collect(&l->seconds[i], from_ns, to_ns, all, count);
  qsort(all, (size_t) count, sizeof *all, by_length);
  if (count > LONG_PAUSES) count = LONG_PAUSES;
  qsort(all, (size_t) count, sizeof *all, by_end);
  memcpy(list, all, (size_t) count * sizeof *all);
  free(all);
  return count;
}

void add_long_pauses(struct long_pauses *l, const struct long_pauses *from)
{
  struct kept list[LONG_PAUSES];
  const int count = find_longest(from, l->all.from_ns, l->all.to_ns, list);
  for (int i = 0; i < count; i++) {
    if (list[i].from_ns < l->all.from_ns) list[i].from_ns = l->all.from_ns;
    keep(&l->all, &list[i]);
  }
}

int list_long_pauses(const struct long_pauses *l, int64_t from_ns, int64_t to_ns,
                     struct long_pause list[LONG_PAUSES])
{
  struct kept longest[LONG_PAUSES];
  const int count = find_longest(l, from_ns, to_ns, longest);
  for (int i = 0; i < count; i++) {
    const struct kept *k = &longest[i];
    const struct eventring_description *d = eventring_describe(l->cursor, k->id);
    const uint32_t domains = (uint32_t) __builtin_popcountll(k->domains);
    list[i] = (struct long_pause) {
      .end_ns = k->end_ns, .ns = length_of(k), .domain = k->domain,
      .domains = k->listed > domains ? k->listed : domains,
      .requested_by = k->requested_by, .arrived_last = k->arrived_last
    };
    snprintf(list[i].name, sizeof list[i].name, "%s", d == NULL ? "" : d->name);
    name_cause(l, k, list[i].cause);
  }
  return count;
}
