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

/* What needs no more than the fields of a summary: functions that set them, and
   amounts that follow from them. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "summary_internal.h"
#include "target.h"

const struct summary_numbers *summary_numbers(const struct summary *s)
{
  return &s->shown;
}

const struct domain_numbers *domain_numbers(const struct summary_domain *d)
{
  return &d->shown;
}

struct event_class summary_class(struct summary *s, uint16_t id)
{
  return class_of(s->shown.roles, id);
}

void summary_window(struct summary *s, int64_t from_ns, int64_t to_ns)
{
  s->shown.from_ns = from_ns;
  s->shown.to_ns = to_ns;
  request_window(s->shown.requests, from_ns);
}

void summary_listen(struct summary *s, struct summary_listener listener)
{
  s->listeners.times = listener;
}

void summary_listen_pauses(struct summary *s, summary_take_pause *take, void *state)
{
  s->listeners.pause = take;
  s->listeners.pause_state = state;
}

void summary_idle(struct summary *s)
{
  if (target_info(s->shown.cursor).active == 0) summary_stop(s);
}

void summary_new_interval(struct summary *s)
{
  memset(s->shown.recent, 0, sizeof s->shown.recent);
}

const char *const summary_pause_name[PAUSES] = {
  [PAUSE_MINOR] = "minor", [PAUSE_SLICE] = "major_slice",
  [PAUSE_STOPPED] = "stopped", [PAUSE_ANY] = "any",
  [PAUSE_WAITING] = "while_waiting"
};

const char *const summary_caused_name[CAUSED] = {
  [CAUSED_MINOR] = "minor", [CAUSED_SLICE] = "major_slice",
  [CAUSED_STOPPED] = "stopped", [CAUSED_CYCLE] = "major_cycle",
  [CAUSED_COMPACTION] = "compaction"
};

const char *summary_cause_name(struct summary *s, const char *unit,
                               uint64_t value, char number[24])
{
  const char *name = eventring_value(s->shown.cursor, unit, value);
  if (name != NULL) return name;
  if (value >= SUMMARY_CAUSES - 1) return "others";
  snprintf(number, 24, "#%" PRIu64, value);
  return number;
}

bool summary_has_collections(struct summary *s, int64_t until_ns)
{
  struct summary_tally t = summary_tally(s, NULL, until_ns);
  return t.gc_ns > 0 || t.idle_gc_ns > 0 || t.minor_collections > 0
      || t.major_slices > 0 || t.major_cycles > 0 || t.compactions > 0
      || t.explicit_calls > 0;
}

double gc_share(const struct summary_tally *tally)
{
  if (tally->watched_ns == 0) return 0;
  double share = (double) tally->gc_ns / (double) tally->watched_ns;
  return share > 1 ? 1 : share;
}

uint64_t active_ns(const struct summary_time *time)
{
  return time->running_ns + time->collecting_ns;
}

double active_gc_share(const struct summary_time *time)
{
  uint64_t active = active_ns(time);
  return active == 0 ? 0 : (double) time->collecting_ns / (double) active;
}

struct summary_tally tally_difference(const struct summary_tally *later,
                                      const struct summary_tally *earlier)
{
  struct summary_tally t = *later;
  uint64_t *left = (uint64_t *) &t, *less = (uint64_t *) earlier;
  for (size_t i = 0; i < SUMMARY_AMOUNTS; i++)
    left[i] = left[i] > less[i] ? left[i] - less[i] : 0;
  return t;
}

struct summary_tally tally_of_totals(const struct eventring_totals *totals)
{
  return (struct summary_tally) {
    .minor_collections = totals->minor_collections,
    .major_slices = totals->major_slices,
    .major_cycles = totals->major_cycles,
    .compactions = totals->compactions,
    .explicit_calls = totals->explicit_calls,
    .allocated_words = totals->allocated_words,
    .promoted_words = totals->promoted_words,
    .direct_words = totals->direct_words
  };
}

uint32_t summary_living_domains(const struct summary *s)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->shown.ring_count; i++)
    count += s->rings[i].domain != NULL && !s->rings[i].domain->shown.ended;
  return count;
}

bool summary_begin_is_lost(const struct summary *s,
                           const struct summary_domain *d)
{
  if (d->shown.start_seen || d->shown.watched_from <= s->shown.from_ns)
    return false;
  /* A recording has the events of its ring from some number on. */
  return d->shown.lost_first
         || eventring_events_end(s->shown.cursor, d->shown.ring)
            > eventring_events_read(s->shown.cursor, d->shown.ring)
              + eventring_events_lost(s->shown.cursor, d->shown.ring);
}

struct summary_heap summary_heap(const struct summary *s)
{
  struct summary_heap all = { 0 };
  for (uint32_t i = 0; i < s->shown.domain_count; i++) {
    const struct summary_domain *d = s->shown.domains[i];
    if (d->shown.ended || !d->shown.heap.known) continue;
    all.known = true;
    all.pool_words += d->shown.heap.pool_words;
    all.pool_live_words += d->shown.heap.pool_live_words;
    all.pool_free_words += d->shown.heap.pool_free_words;
    all.fragmented_words += d->shown.heap.fragmented_words;
    all.large_words += d->shown.heap.large_words;
    all.custom_words += d->shown.heap.custom_words;
  }
  return all;
}

struct summary_domain *domain_of_ring(const struct summary *s, uint32_t ring)
{
  return s->rings[ring].domain;
}

void summary_reset_maxima(struct summary *s)
{
  for (uint32_t i = 0; i < s->shown.domain_count; i++)
    s->shown.domains[i]->shown.pauses[PAUSE_ANY].max = 0;
}

uint64_t summary_promoted_words(const struct summary *s)
{
  uint64_t words = 0;
  for (uint32_t i = 0; i < s->shown.domain_count; i++)
    words += s->shown.domains[i]->tally.promoted_words;
  return words;
}

uint64_t summary_last_pause(const struct summary_domain *d)
{
  if (d->pending == 0) return 0;
  const struct summary_interval *last = pending_interval(d, d->pending - 1);
  return last->idle ? 0 : (uint64_t) (last->to - last->from);
}

bool summary_tells_waits(struct summary *s)
{
  if (s->tells_waits) return true;
  if (target_info(s->shown.cursor).format == EVENTRING_FORMAT_STOCK) return false;
  return event_is_recorded(s->shown.roles,
                           eventring_find(s->shown.cursor, "blocking_section"));
}
