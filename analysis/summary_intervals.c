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

/* Time of a domain in the collector, and pauses.

   Intervals in the collector overlap.  Those that touch are one interval, which
   is a pause of kind PAUSE_ANY or, if the domain waited anyway, PAUSE_WAITING.
   A stop for which the backup thread of a waiting domain wrote no event looks
   like a pause until the wait is known, at its end.

   Intervals that ended before an interval may be in it, so the latest intervals
   of a domain are pending, disjoint and in order, and a new one swallows those
   that it touches.  Collections are parts of a stop, which one domain tells when
   all have gone on: a collection awaits its stop, also after the end of its
   domain, until a later stop of the domain is told.  So does a slice when there
   are other domains: a stop may have begun in it, or the domain has left one.  An
   interval in which the domain waited and one in which it ran stay apart: one ends
   where the other begins. */

#include <string.h>
#include "memory.h"
#include "summary_internal.h"

void add_pause(struct summary *s, struct summary_domain *d, enum pause pause,
               uint64_t ns)
{
  histogram_add(&d->shown.pauses[pause], ns);
  histogram_add(&s->shown.pauses[pause], ns);
  histogram_add(&s->shown.recent[pause], ns);
}

void give_time(const struct summary_domain *d, enum summary_part part,
               int64_t from, int64_t to, bool back)
{
  const struct summary_listener *l = &d->listeners->times;
  if (l->take != NULL && from < to)
    l->take(l->state, d->shown.id, part, from, to, back);
}

/* Gives a pause of domain [d] to the listener of its summary. */
static void give_pause(const struct summary_domain *d, int64_t from, int64_t to,
                       const struct summary_reason *reason)
{
  const struct summary_listeners *l = d->listeners;
  if (l->pause != NULL) l->pause(l->pause_state, d->shown.id, from, to, reason);
}

void close_first(struct summary *s, struct summary_domain *d)
{
  const struct summary_interval first = *pending_interval(d, 0);
  uint64_t ns = (uint64_t) first.to - (uint64_t) first.from;
  *(first.idle ? &d->tally.idle_gc_ns : &d->tally.gc_ns) += ns;
  if (!first.idle) {
    d->closed[d->closed_count++ % SUMMARY_CLOSED] =
      (struct summary_closed) { first.from, first.to };
    give_time(d, PART_COLLECTING, first.from, first.to, false);
    give_pause(d, first.from, first.to, &first.reason);
  }
  add_pause(s, d, first.idle ? PAUSE_WAITING : PAUSE_ANY, ns);
  if (!first.idle && ns > s->shown.longest.ns) {
    s->shown.longest = (struct summary_longest) {
      .ns = ns, .end_ns = first.to, .domain = d->shown.id, .reason = first.reason
    };
  }
  d->closed_to = first.to;
  d->first_pending = --d->pending > 0 ? d->first_pending + 1 : 0;
  s->pending--;
}

/* Makes room for one more pending interval of domain [d] behind the others. */
static void make_room(struct summary_domain *d)
{
  if (d->first_pending + d->pending < d->interval_room) return;
  if (d->first_pending <= d->interval_room / 2) {
    d->interval_room = d->interval_room == 0 ? SUMMARY_PENDING
                                             : 2 * d->interval_room;
    d->intervals = reallocate(d->intervals, d->interval_room,
                              sizeof *d->intervals);
  }
  memmove(d->intervals, pending_interval(d, 0),
          d->pending * sizeof *d->intervals);
  d->first_pending = 0;
}

/* Returns whether the earliest pending interval of domain [d] is to be closed,
   after one that ended at [to]: enough are pending, and no stop can touch it any
   more. */
static bool is_enough(const struct summary *s, const struct summary_domain *d,
                      int64_t to)
{
  const struct summary_interval *first = pending_interval(d, 0);
  return d->pending > SUMMARY_PENDING
         && (!first->awaits_stop || to - first->to > STOP_TOLD_WITHIN_NS
             || s->pending > SUMMARY_MOST_PENDING);
}

void add_interval(struct summary *s, struct summary_domain *d, int64_t from,
                  int64_t to, bool idle, struct summary_reason reason)
{
  reason.own.ns = (uint64_t) to - (uint64_t) from;
  if (reason.stop) reason.longest_stop.ns = reason.own.ns;
  reason.told = !reason.stop && reason.own.cause != UINT64_MAX ? reason.own
    : (struct summary_cause) { .cause = UINT64_MAX, .requested_by = UINT64_MAX };
  if (d == s->shown.others) return;
  int64_t earliest = d->watched_since, latest = s->shown.to_ns;
  if (earliest == INT64_MAX) {
    if (!d->shown.ended || d->shown.watched_from == INT64_MAX) return;
    earliest = d->last_from;
    latest = d->last_to;
  }
  if (from < earliest) from = earliest;
  if (from < d->closed_to) from = d->closed_to;
  if (to > latest) to = latest;
  bool awaits_stop = !reason.stop && s->stop_id >= 0
                     && (role_of(s->shown.roles, reason.id) != ROLE_SLICE
                         || summary_living_domains(s) > 1);
  make_room(d);
  /* The intervals from [place] on come after this one: a domain goes on before
     the end of a stop is told.  Those from [first] on are in it. */
  uint32_t place = d->pending;
  while (place > 0 && pending_interval(d, place - 1)->from > to) place--;
  uint32_t first = place;
  struct summary_reason longest = reason;
  struct summary_cause told = reason.told;
  struct summary_stop stop = reason.longest_stop;
  while (first > 0) {
    const struct summary_interval *last = pending_interval(d, first - 1);
    if (last->to < from) break;
    /* A span, unlike a stop, tells which thread was in the collector. */
    if (last->idle != idle
        && (last->from < from || (idle && !last->reason.stop))) {
      from = last->to;
      break;
    }
    if (last->from < from) from = last->from;
    if (last->to > to) to = last->to;
    awaits_stop |= last->awaits_stop && !reason.stop;
    if (last->reason.own.ns > longest.own.ns) longest = last->reason;
    if (last->reason.told.ns > told.ns) told = last->reason.told;
    if (last->reason.longest_stop.ns > stop.ns) stop = last->reason.longest_stop;
    first--;
  }
  /* Also when nothing is left of this one, none has been swallowed. */
  if (from >= to) return;
  if (reason.stop)
    for (uint32_t i = 0; i < first; i++)
      pending_interval(d, i)->awaits_stop = false;
  longest.told = told;
  longest.longest_stop = stop;
  memmove(pending_interval(d, first + 1), pending_interval(d, place),
          (d->pending - place) * sizeof *d->intervals);
  d->pending += first + 1 - place;
  s->pending += first + 1 - place;
  *pending_interval(d, first) = (struct summary_interval) {
    .from = from, .to = to, .idle = idle, .awaits_stop = awaits_stop,
    .reason = longest
  };
  while (is_enough(s, d, to)) close_first(s, d);
}

void cut_intervals(struct summary *s, struct summary_domain *d, int64_t to)
{
  while (d->pending > 0 && pending_interval(d, d->pending - 1)->from >= to) {
    d->pending--;
    s->pending--;
  }
  if (d->pending > 0 && pending_interval(d, d->pending - 1)->to > to)
    pending_interval(d, d->pending - 1)->to = to;
}

/* Moves the time from [from] to [to] in the collector to the time in which the
   domain [d] waited anyway. */
static void correct(struct summary_domain *d, int64_t from, int64_t to)
{
  d->tally.gc_ns -= (uint64_t) (to - from);
  d->tally.idle_gc_ns += (uint64_t) (to - from);
  give_time(d, PART_COLLECTING, from, to, true);
}

/* Corrects the closed intervals of [d] that end in its last wait. */
static void correct_closed(struct summary_domain *d)
{
  for (uint32_t i = d->closed_count; i > 0; i--) {
    if (d->closed_count - i == SUMMARY_CLOSED) break;
    struct summary_closed *c = &d->closed[(i - 1) % SUMMARY_CLOSED];
    if (c->to <= d->wait_from) break;
    int64_t from = c->from > d->wait_from ? c->from : d->wait_from;
    correct(d, from, c->to);
    give_pause(d, from, c->to, NULL);
    c->to = from;
  }
}

/* Corrects the pending intervals of [d] that end in its last wait. */
static void correct_pending(struct summary_domain *d)
{
  for (uint32_t i = d->pending; i > 0; i--) {
    struct summary_interval *last = pending_interval(d, i - 1);
    if (last->to <= d->wait_from) break;
    if (last->from >= d->wait_from) {
      last->idle = true;
    } else if (!last->idle) {
      d->tally.idle_gc_ns += (uint64_t) (last->to - d->wait_from);
      last->to = d->wait_from;
    }
  }
}

void domain_waited(struct summary_domain *d, int64_t from, int64_t to)
{
  if (from >= to) return;
  d->wait_from = from;
  d->wait_to = to;
  correct_pending(d);
  correct_closed(d);
}

bool in_wait(const struct summary_domain *d, int64_t ns)
{
  return d->wait_from <= ns && ns < d->wait_to;
}
