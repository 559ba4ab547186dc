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

/* The role of an event in the summary depends on its name: see event_roles.h.

   Open spans belong to a ring, which has one writer and one domain at a time,
   and are kept by spans.c; counts belong to a domain, by its unique id, since
   rings are reused.

   Time in the collector.  Everything that keeps a domain's OCaml code from
   running is an interval that becomes known at its end: spans of the domain
   itself, and stops, which one domain tells of for all.  See
   summary_intervals.c. */

#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "memory.h"
#include "summary_internal.h"
#include "target.h"

const char *const summary_cause_unit[CAUSED] = {
  [CAUSED_MINOR] = "cause", [CAUSED_SLICE] = "cause",
  [CAUSED_STOPPED] = "reason", [CAUSED_CYCLE] = "cause",
  [CAUSED_COMPACTION] = "cause"
};

/* Returns [n], a number of words or bytes that a file gives, or, if the number
   is larger, one that no machine has: sums of it over all domains, in bytes, are
   below 2^63. */
static uint64_t plausible(uint64_t n)
{
  const uint64_t most = UINT64_C(1) << 48;
  return n < most ? n : most;
}

/* Domains */

/* Returns new memory for the domain with the id [id], which is not watched yet
   and not among the domains of [s]. */
static struct summary_domain *new_domain(const struct summary *s, uint32_t id)
{
  struct summary_domain *d = allocate(1, sizeof *d);
  d->shown.id = id;
  d->listeners = &s->listeners;
  d->watched_since = d->shown.watched_from = INT64_MAX;
  d->closed_to = d->shown.backup_ns = d->gone_ns = INT64_MIN;
  return d;
}

static void free_domain(struct summary_domain *d)
{
  if (d != NULL) free(d->intervals);
  free(d);
}

/* Returns the number of domains whose ids are not greater than [id]. */
static uint32_t place_after(const struct summary *s, uint32_t id)
{
  uint32_t i = s->shown.domain_count;
  while (i > 0 && s->shown.domains[i - 1]->shown.id > id) i--;
  return i;
}

static bool has_ring(const struct summary *s, const struct summary_domain *d)
{
  for (uint32_t i = 0; i < s->shown.ring_count; i++)
    if (s->rings[i].domain == d) return true;
  return false;
}

/* Returns whether domain [d] may be forgotten: it has ended before the window of
   [s], has nothing in it, and no ring is its own any more. */
static bool is_past(const struct summary *s, const struct summary_domain *d)
{
  return d->shown.ended && d->tally.events == 0 && d->tally.watched_ns == 0
         && !has_ring(s, d);
}

/* Time in the collector */

/* Returns the begin of the outermost open span of the collector of domain [d],
   or INT64_MAX when no such span is open. */
static int64_t open_since(struct summary *s, const struct summary_domain *d)
{
  const struct eventring_event *begin =
    outermost_span(s->shown.spans, d->shown.ring);
  for (; begin != NULL; begin = next_inner_span(s->shown.spans, begin))
    if (begin->domain == d->shown.id
        && in_collector(role_of(s->shown.roles, begin->id)))
      return begin->ns;
  return INT64_MAX;
}

/* Returns the time before which a pending interval that awaits a stop no longer
   does: all time if nothing more is read, or if stops are not recorded.  They were
   if they are not recorded now, but one, or the first event, was read less than a
   second before. */
static int64_t stops_awaited_from(const struct summary *s, int64_t until_ns)
{
  const int64_t told_ns = s->last_stop_ns > s->shown.first_ns ? s->last_stop_ns
                                                        : s->shown.first_ns;
  if (s->all_read || s->shown.to_ns != INT64_MAX
      || (!event_is_recorded(s->shown.roles, s->stop_id)
          && time_since(until_ns, told_ns) > STOP_TOLD_WITHIN_NS))
    return INT64_MAX;
  return until_ns > INT64_MIN + STOP_TOLD_WITHIN_NS
    ? until_ns - STOP_TOLD_WITHIN_NS : INT64_MIN;
}

/* Closes the pending intervals of domain [d] that no later interval can touch:
   those before the outermost open span of the collector, up to the first that
   awaits a stop at [until_ns]. */
static void close_intervals(struct summary *s, struct summary_domain *d,
                            int64_t until_ns)
{
  if (d->pending == 0) return;
  const int64_t open = open_since(s, d);
  const int64_t awaited_from = stops_awaited_from(s, until_ns);
  while (d->pending > 0) {
    const struct summary_interval *first = pending_interval(d, 0);
    if (first->to > open
        || (first->awaits_stop && first->to > awaited_from)) break;
    close_first(s, d);
  }
}

static void close_all(struct summary *s, struct summary_domain *d)
{
  while (d->pending > 0) close_first(s, d);
}

/* At most SUMMARY_DOMAINS domains */

/* Removes domain number [i], which no ring has. */
static void remove_domain(struct summary *s, uint32_t i)
{
  struct summary_domain *d = s->shown.domains[i],
    **found = &s->found[d->shown.id % 256];
  if (*found == d) *found = NULL;
  memmove(&s->shown.domains[i], &s->shown.domains[i + 1],
          (--s->shown.domain_count - i) * sizeof *s->shown.domains);
  s->pending -= d->pending;
  free_domain(d);
}

/* Forgets a domain of which nothing is in the window of [s].  Returns whether
   there was one; never when the summary has no window. */
static bool forget_past(struct summary *s)
{
  if (s->shown.from_ns == INT64_MIN) return false;
  uint32_t i = 0;
  while (i < s->shown.domain_count && !is_past(s, s->shown.domains[i])) i++;
  if (i == s->shown.domain_count) return false;
  remove_domain(s, i);
  return true;
}

static void add_tally(struct summary_tally *to, struct summary_tally t)
{
  uint64_t *sum = (uint64_t *) to, *amount = (uint64_t *) &t;
  for (size_t i = 0; i < SUMMARY_AMOUNTS; i++) sum[i] += amount[i];
}

static struct summary_domain *others(struct summary *s)
{
  if (s->shown.others == NULL) s->shown.others = new_domain(s, UINT32_MAX);
  return s->shown.others;
}

/* Adds the first domain to end, among the domains without a ring, to [others].
   Returns whether there was one. */
static bool join_others(struct summary *s)
{
  uint32_t first = UINT32_MAX;
  for (uint32_t i = 0; i < s->shown.domain_count; i++)
    if (s->shown.domains[i]->shown.ended && !has_ring(s, s->shown.domains[i])
        && (first == UINT32_MAX
            || s->shown.domains[i]->last_to < s->shown.domains[first]->last_to))
      first = i;
  if (first == UINT32_MAX) return false;
  struct summary_domain *d = s->shown.domains[first], *o = others(s);
  close_all(s, d);
  add_tally(&o->tally, d->tally);
  o->busy_ns += d->busy_ns;
  for (enum pause pause = 0; pause < PAUSES; pause++)
    histogram_merge(&o->shown.pauses[pause], &d->shown.pauses[pause]);
  histogram_merge(&o->shown.arrivals, &d->shown.arrivals);
  remove_domain(s, first);
  return true;
}

/* Returns the domain with the id [id], a new one if necessary, and keeps the
   domains sorted by id.  When there are SUMMARY_DOMAINS domains, a new one takes
   the place of one that no ring has: pointers to others stay valid.  If there is
   none, returns [others], whose id is UINT32_MAX. */
static struct summary_domain *domain_of(struct summary *s, uint32_t id)
{
  struct summary_domain **found = &s->found[id % 256];
  if (*found != NULL && (*found)->shown.id == id && *found != s->shown.others)
    return *found;
  uint32_t i = place_after(s, id);
  if (i > 0 && s->shown.domains[i - 1]->shown.id == id)
    return *found = s->shown.domains[i - 1];
  if (s->shown.domain_count == SUMMARY_DOMAINS) {
    if (!forget_past(s) && !join_others(s)) return others(s);
    i = place_after(s, id);
  }
  memmove(&s->shown.domains[i + 1], &s->shown.domains[i],
          (s->shown.domain_count++ - i) * sizeof *s->shown.domains);
  return *found = s->shown.domains[i] = new_domain(s, id);
}

/* Time watched: from the first event of the domain on, as long as the ring
   tells all. */

/* Begins to count the time of domain [d] at [ns].  Does nothing if the time is
   counted already, the domain has ended, or it is [others]. */
static void begin_watching(struct summary *s, struct summary_domain *d,
                           int64_t ns)
{
  if (d == s->shown.others || d->shown.ended || d->watched_since != INT64_MAX
      || ns >= s->shown.to_ns)
    return;
  close_all(s, d);
  d->watched_since = ns > s->shown.from_ns ? ns : s->shown.from_ns;
  if (d->shown.watched_from == INT64_MAX) d->shown.watched_from = d->watched_since;
  d->no_thread_yet = true;
}

/* Returns the time up to which the thread [t] of domain [d] is known to have
   held the domain lock.  If the thread wrote the last event of the domain, it
   still runs: [ns], or when it was last seen to run if it sleeps.  Else the
   time of the last event of the thread. */
static int64_t held_until(const struct summary_domain *d,
                          const struct summary_thread *t, int64_t ns)
{
  if (t->id != d->shown.running_thread) return t->last_ns;
  return d->shown.sleeps && d->shown.seen_ns < ns ? d->shown.seen_ns : ns;
}

/* Adds the time from [from] to [to], if [from] is earlier, to the time in which
   threads of domain [d] held the domain lock. */
static void add_busy(const struct summary *s, struct summary_domain *d,
                     int64_t from, int64_t to)
{
  if (from < s->shown.from_ns) from = s->shown.from_ns;
  if (to > s->shown.to_ns) to = s->shown.to_ns;
  if (from < to) d->busy_ns += (uint64_t) to - (uint64_t) from;
  give_time(d, PART_HELD, from, to, false);
}

/* Counts the time in which the thread [t] held the domain lock, up to [ns] if
   it still runs, and removes the thread; the last thread of [d] moves to its
   place. */
static void forget_thread(const struct summary *s, struct summary_domain *d,
                          struct summary_thread *t, int64_t ns)
{
  add_busy(s, d, t->since, held_until(d, t, ns));
  if (t->last_ns > d->gone_ns) d->gone_ns = t->last_ns;
  *t = d->threads[--d->shown.thread_count];
}

/* Calls forget_thread for all threads of domain [d]; no thread of it is known
   to run afterwards. */
static void forget_threads(const struct summary *s, struct summary_domain *d,
                           int64_t ns)
{
  while (d->shown.thread_count > 0) forget_thread(s, d, &d->threads[0], ns);
  d->shown.running_thread = 0;
}

/* Returns the thread [id] of domain [d].  Adds it if necessary, as a thread
   that holds the domain lock from [ns] on, or from the time since which the
   domain is watched if no other thread was seen since then.  When there are
   SUMMARY_THREADS threads, first forgets the thread with the oldest last event.
   The result is valid until a thread is forgotten. */
static struct summary_thread *thread_of(const struct summary *s,
                                        struct summary_domain *d, uint32_t id,
                                        int64_t ns)
{
  struct summary_thread *oldest = &d->threads[0];
  for (struct summary_thread *t = d->threads;
       t < d->threads + d->shown.thread_count; t++) {
    if (t->id == id) return t;
    if (t->last_ns < oldest->last_ns) oldest = t;
  }
  if (d->shown.thread_count == SUMMARY_THREADS) forget_thread(s, d, oldest, ns);
  struct summary_thread *t = &d->threads[d->shown.thread_count++];
  /* The first one has run since the domain is watched, unless it says that it
     waited. */
  *t = (struct summary_thread) { id, d->no_thread_yet ? d->watched_since : ns,
                                 ns };
  return t;
}

/* Returns whether no thread of domain [d] except [id] wrote an event after
   [ns]. */
static bool ran_alone(const struct summary_domain *d, uint32_t id, int64_t ns)
{
  for (uint32_t i = 0; i < d->shown.thread_count; i++)
    if (d->threads[i].id != id && d->threads[i].last_ns > ns) return false;
  return d->gone_ns <= ns;
}

/* Records that the thread [id] of domain [d], which is not its backup thread,
   wrote an event at [ns] and so held the domain lock.  If the event ends a
   wait, [wait_since] is the begin of the wait: counts the time from when the
   thread got the lock up to then.  Otherwise [wait_since] is INT64_MAX. */
static void thread_ran(const struct summary *s, struct summary_domain *d,
                       uint32_t id, int64_t ns, int64_t wait_since)
{
  struct summary_thread *t = thread_of(s, d, id, ns);
  if (wait_since != INT64_MAX) {
    add_busy(s, d, t->since, wait_since);
    t->since = ns;
    if (ran_alone(d, id, wait_since)) domain_waited(d, wait_since, ns);
  }
  t->last_ns = ns;
  d->shown.running_thread = id;
  d->shown.sleeps = false;
  d->shown.seen_ns = ns;
  d->no_thread_yet = false;
}

/* Ends the time counted of domain [d] at [ns], adds it to [watched_ns], and
   forgets the threads of the domain.  Its pending intervals stay up to there: the
   last stop of a domain is told after its end.  Does nothing if the time is not
   counted, or counts to the end of the window of [s]. */
static void end_watching(struct summary *s, struct summary_domain *d,
                         int64_t ns)
{
  if (d->watched_since == INT64_MAX || ns >= s->shown.to_ns) return;
  cut_intervals(s, d, ns);
  forget_threads(s, d, ns);
  if (ns > d->watched_since)
    d->tally.watched_ns += (uint64_t) ns - (uint64_t) d->watched_since;
  give_time(d, PART_WATCHED, d->watched_since, ns, false);
  d->last_from = d->watched_since;
  d->last_to = ns;
  d->watched_since = INT64_MAX;
}

void summary_stop(struct summary *s)
{
  forget_spans(s->shown.spans);
  forget_runs(s->shown.requests);
  for (uint32_t i = 0; i < s->shown.domain_count; i++)
    end_watching(s, s->shown.domains[i], s->shown.domains[i]->last_ns);
}

/* Events */

/* Returns whether [event] is in the window of [s], which is all time unless
   summary_window was called. */
static bool counts(const struct summary *s, const struct eventring_event *event)
{
  return event->ns >= s->shown.from_ns && event->ns < s->shown.to_ns;
}

/* Adds 1 to the activities of kind [caused] with the cause [cause], and their
   duration [ns] to the total and the maximum of the cause.  Causes from
   SUMMARY_CAUSES - 1 on are one.  Does nothing if [cause] is UINT64_MAX: not
   known. */
static void count_cause(struct summary *s, enum caused caused, uint64_t cause,
                        uint64_t ns)
{
  if (cause == UINT64_MAX) return;
  if (cause >= SUMMARY_CAUSES) cause = SUMMARY_CAUSES - 1;
  s->shown.causes[caused][cause]++;
  s->shown.cause_ns[caused][cause] += ns;
  if (ns > s->shown.cause_max_ns[caused][cause])
    s->shown.cause_max_ns[caused][cause] = ns;
}

/* Adds the duration [ns] of an outermost span of the collector to the time of
   [cause] in [times].  Does nothing if [cause] is UINT64_MAX. */
static void add_to_cause(uint64_t times[SUMMARY_CAUSES], uint64_t cause, uint64_t ns)
{
  if (cause == UINT64_MAX) return;
  times[cause < SUMMARY_CAUSES ? cause : SUMMARY_CAUSES - 1] += ns;
}

/* Adds the duration [ns] to the distribution of the id [id].  Does nothing for
   a further id when SUMMARY_TIMINGS ids have one. */
static void add_timing(struct summary *s, uint16_t id, uint64_t ns)
{
  struct histogram **timing = &s->shown.timings[id];
  if (*timing == NULL) {
    if (s->timing_count == SUMMARY_TIMINGS) return;
    s->timing_count++;
    *timing = allocate(1, sizeof **timing);
  }
  histogram_add(*timing, ns);
}

/* Counts a minor collection, the end of a major cycle or a compaction (given by
   [kind]) in which all domains take part, once for all domains.  [d] has
   reported the activity.  If [asked_known] is true, the activity counts when
   [asked] is: [d] requested it.  If no event says which domain requested it, an
   activity in which [d] has taken part is over when [d] reports the next
   one. */
static void takes_part(struct summary *s, struct summary_domain *d,
                       enum caused kind, bool asked_known, bool asked)
{
  if (asked_known ? asked : d->collective[kind] == s->shown.collectives[kind])
    s->shown.collectives[kind]++;
  d->collective[kind] = s->shown.collectives[kind];
}

/* Adds [words] that a minor collection of domain [d] promoted. */
static void promoted(struct summary_domain *d, uint64_t words)
{
  d->tally.promoted_words += words;
  d->promoted_since += words;
}

/* Returns whether major slices have the number of words allocated directly in the
   major heap.  Otherwise only events of category gc_detail may have it. */
static bool tells_direct(const struct summary *s)
{
  return s->shown.roles->place[ROLE_SLICE][F_DIRECT] != 0
         && (s->collects || records_category(s->shown.cursor, "gc"));
}

/* Adds [words] allocated in the major heap by domain [d] since the last such event;
   promoted words are among them. */
static void allocated_in_major(struct summary *s, struct summary_domain *d,
                               uint64_t words)
{
  s->tells_major = true;
  if (words > d->promoted_since)
    d->tally.direct_words += words - d->promoted_since;
  d->promoted_since = 0;
}

/* Adds the span of the collector with the role [role] that ended with [event]
   after [ns] nanoseconds to the amounts and the pauses of domain [d], and to
   its cause if [d] requested it.  Spans in which the backup thread wrote the
   end, and slices inside of a slice, are no pauses.  Spans of role ROLE_IN_STOP
   count only if the file has no events of stop-the-world sections. */
static void collected(struct summary *s, struct summary_domain *d,
                      enum event_role role, const struct eventring_event *event,
                      uint64_t ns)
{
  bool asked_known = s->shown.roles->place[role][F_REQUESTED_BY] != 0;
  bool asked = field_of(s->shown.roles, role, event, F_REQUESTED_BY, event->domain)
               == event->domain;
  const uint64_t told = field_of(s->shown.roles, role, event, F_CAUSE, UINT64_MAX),
    cause = asked ? told : UINT64_MAX;
  if (open_since(s, d) == INT64_MAX) {
    add_to_cause(s->shown.asked_ns, cause, ns);
    if (!d->shown.on_backup) add_to_cause(s->shown.collector_ns, told, ns);
  }
  switch (role) {
  case ROLE_MINOR:
    d->tally.minor_collections++;
    s->collects = true;
    promoted(d, field_of(s->shown.roles, role, event, F_PROMOTED, 0));
    d->tally.allocated_words += field_of(s->shown.roles, role, event, F_ALLOCATED,
                                         0);
    if (!d->shown.on_backup) add_pause(s, d, PAUSE_MINOR, ns);
    takes_part(s, d, CAUSED_MINOR, asked_known, asked);
    count_cause(s, CAUSED_MINOR, cause, ns);
    break;
  case ROLE_SLICE:
    d->tally.major_slices++;
    d->tally.direct_words += field_of(s->shown.roles, role, event, F_DIRECT, 0);
    if (!d->shown.on_backup && !is_open(s->shown.spans, event->ring, event->id))
      add_pause(s, d, PAUSE_SLICE, ns);
    count_cause(s, CAUSED_SLICE, cause, ns);
    break;
  case ROLE_CYCLE:
    d->tally.major_cycles++;
    takes_part(s, d, CAUSED_CYCLE, asked_known, asked);
    count_cause(s, CAUSED_CYCLE, cause, ns);
    break;
  case ROLE_COMPACTION:
    d->tally.compactions++;
    takes_part(s, d, CAUSED_COMPACTION, asked_known, asked);
    count_cause(s, CAUSED_COMPACTION, cause, ns);
    break;
  case ROLE_IN_STOP:
    if (s->stop_id < 0 && !d->shown.on_backup)
      add_pause(s, d, PAUSE_STOPPED, ns);
    break;
  default:
    break;
  }
}

/* Returns the cause that [event] with the role [role] gives, without the duration. */
static struct summary_cause cause_of(const struct summary *s, enum event_role role,
                                     const struct eventring_event *event)
{
  const struct event_roles *roles = s->shown.roles;
  return (struct summary_cause) {
    .cause = field_of(roles, role, event, F_CAUSE, UINT64_MAX),
    .requested_by = field_of(roles, role, event, F_REQUESTED_BY, UINT64_MAX)
  };
}

/* Counts the stop-the-world section that [event] reports.  Adds to each domain that it
   lists its arrival, an interval in the collector from its arrival to when it went on,
   and, unless it waited, a pause of kind PAUSE_STOPPED; adds the duration in the event,
   which counts from the arrival of the last domain, to the cause.  Does nothing if no
   domain is listed. */
static void stopped(struct summary *s, const struct eventring_event *event)
{
  const struct event_roles *roles = s->shown.roles;
  struct stopped_domain last;
  const uint32_t count = stopped_domains(roles, event, &last);
  if (count == 0) return;
  const uint64_t stop_ns = event->payload[0];
  struct summary_reason why = {
    .id = event->id, .stop = true, .own = cause_of(s, ROLE_STOP, event),
    .longest_stop = {
      .domains = count,
      .requested_by = field_of(roles, ROLE_STOP, event, F_REQUESTED_BY, UINT64_MAX),
      .reason = field_of(roles, ROLE_STOP, event, F_REASON, UINT64_MAX),
      .arrived_last = count > 1 ? last.id : UINT64_MAX,
      .late = count > 1 && last.arrived_after > stop_ns
    }
  };
  uint64_t first_left_before = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t left_before = stopped_domain(roles, event, i).left_before;
    if (left_before > first_left_before) first_left_before = left_before;
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct stopped_domain in = stopped_domain(roles, event, i);
    struct summary_domain *d = domain_of(s, in.id);
    const struct stopped_time time = stopped_time(event, &last, &in);
    const int64_t from = time.from_ns, to = time.to_ns;
    why.longest_stop.stayed =
      first_left_before - in.left_before > ((uint64_t) to - (uint64_t) from) / 2;
    bool idle = d->shown.on_backup || d->shown.backup_ns >= from
      || in_wait(d, from);
    if (counts(s, event)) {
      histogram_add(&d->shown.arrivals, in.arrived_after);
      histogram_add(&s->shown.arrivals, in.arrived_after);
      if (!idle) add_pause(s, d, PAUSE_STOPPED, (uint64_t) to - (uint64_t) from);
    }
    /* A domain may go on, and wait, before the stop ends. */
    bool waits = !idle && from < d->wait_from && d->wait_from < to;
    add_interval(s, d, from, waits ? d->wait_from : to, idle, why);
  }
  if (counts(s, event)) count_cause(s, CAUSED_STOPPED, why.longest_stop.reason, stop_ns);
}

/* Adds the activity that ended with [event] and began at [since], such as a
   span, to the durations of its id; for domain [d], adds a wait to the time
   waited, and a span of the collector to the collections and the intervals in
   the collector.  [since] must not be later than the event. */
static void ended(struct summary *s, struct summary_domain *d,
                  enum event_role role, const struct eventring_event *event,
                  int64_t since)
{
  uint64_t ns = (uint64_t) event->ns - (uint64_t) since;
  if (counts(s, event)) {
    add_timing(s, event->id, ns);
    if (is_wait_role(role)) d->tally.wait_ns += ns;
    if (role == ROLE_CALL) d->tally.explicit_calls++;
    if (in_collector(role)) collected(s, d, role, event, ns);
  }
  if (!in_collector(role)) return;
  add_interval(s, d, since, event->ns, d->shown.on_backup, (struct summary_reason) {
    .id = event->id, .own = cause_of(s, role, event)
  });
}

/* Updates the summary with the numbers that [event], a counter or an instant
   with the role [role], reports for domain [d]. */
static void take_numbers(struct summary *s, struct summary_domain *d,
                 enum event_role role, const struct eventring_event *event)
{
  struct summary_heap *heap = &d->shown.heap;
  uint64_t value = event->words > 0 ? plausible(event->payload[0]) : 0;
  switch (role) {
  case ROLE_HEAP:
    *heap = (struct summary_heap) {
      .known = true,
      .pool_words = plausible(field_of(s->shown.roles, role, event, F_POOLS, 0)),
      .pool_live_words =
        plausible(field_of(s->shown.roles, role, event, F_LIVE, 0)),
      .pool_free_words =
        plausible(field_of(s->shown.roles, role, event, F_FREE, 0)),
      .fragmented_words =
        plausible(field_of(s->shown.roles, role, event, F_FRAGMENTED, 0)),
      .large_words = plausible(field_of(s->shown.roles, role, event, F_LARGE, 0)),
      .custom_words = plausible(field_of(s->shown.roles, role, event, F_CUSTOM, 0))
    };
    break;
  case ROLE_POOLS:
    heap->known = true;
    heap->pool_words = value;
    break;
  case ROLE_POOLS_LIVE:
    heap->known = true;
    heap->pool_live_words = value;
    break;
  case ROLE_LARGE:
    heap->known = true;
    heap->large_words = value;
    break;
  case ROLE_FRAGMENTED:
    heap->fragmented_words = value;
    break;
  case ROLE_MEMORY:
    s->shown.mapped_bytes =
      plausible(field_of(s->shown.roles, role, event, F_MAPPED, 0));
    s->shown.resident_bytes =
      plausible(field_of(s->shown.roles, role, event, F_RESIDENT, 0));
    break;
  case ROLE_MINOR_HEAP_SIZE:
    d->shown.minor_heap_words = field_of(s->shown.roles, role, event, F_TO, 0);
    break;
  case ROLE_PACING:
    if (tells_direct(s)) break;
    allocated_in_major(s, d, field_of(s->shown.roles, role, event, F_ALLOCATED, 0));
    break;
  case ROLE_AT_END:
    s->collects = true;
    d->tally.allocated_words += field_of(s->shown.roles, role, event, F_MINOR, 0);
    d->tally.direct_words += field_of(s->shown.roles, role, event, F_DIRECT, 0);
    break;
  case ROLE_PROMOTED:
    promoted(d, value / s->shown.roles->scale[role]);
    break;
  case ROLE_ALLOCATED:
    d->tally.allocated_words += value / s->shown.roles->scale[role];
    break;
  case ROLE_MAJOR_ALLOCATED:
    allocated_in_major(s, d, value / s->shown.roles->scale[role]);
    break;
  default:
    break;
  }
}

/* Notes the stop-the-world section that [event] with the role [role] reports,
   or the begin or end of domain [d] or of a pause of the recording, which
   begins or ends the time counted. */
static void changed(struct summary *s, struct summary_domain *d,
                    enum event_role role, const struct eventring_event *event)
{
  switch (role) {
  case ROLE_STOP:
    s->last_stop_ns = event->ns;
    if (event->words > 0) stopped(s, event);
    break;
  case ROLE_DOMAIN_STARTS:
    d->shown.start_seen = true;
    d->own_thread = event->thread;
    d->shown.ended = false;
    break;
  case ROLE_DOMAIN_ENDS:
    if (event->ns < s->shown.to_ns) d->shown.ended = true;
    end_watching(s, d, event->ns);
    break;
  case ROLE_RING_PAUSE:
    for (uint32_t i = 0; i < s->shown.domain_count; i++)
      end_watching(s, s->shown.domains[i], event->ns);
    break;
  case ROLE_RING_RESUME:
    for (uint32_t i = 0; i < s->shown.domain_count; i++)
      begin_watching(s, s->shown.domains[i], event->ns);
    break;
  default:
    break;
  }
}

/* Records which thread of domain [d] wrote [event]: the backup thread, which
   serves the domain while it waits, or a thread that holds the domain lock.
   The backup thread has no id in the threads library.  The only thread of a
   domain without the library has none either, but is known by its start or by
   events that only programs write.  [since] is the begin of the activity that
   ends with [event], or INT64_MAX. */
static void note_thread(struct summary *s, struct summary_domain *d,
                        enum event_role role,
                        const struct eventring_event *event, int64_t since)
{
  if (d->own_thread == 0) {
    if (event->domain == 0)
      d->own_thread = target_info(s->shown.cursor).pid;
    else if (is_wait_role(role) || role == ROLE_CALL
             || role == ROLE_DOMAIN_STARTS || summary_is_user(s, event->id))
      d->own_thread = event->thread;
  }
  if (role == ROLE_THREAD_RUN) s->shown.tells_threads = true;
  bool other = event->thread_id < 0 && event->thread != d->own_thread;
  d->shown.on_backup = s->shown.tells_threads && d->own_thread != 0 && other;
  if (d->shown.on_backup) d->shown.backup_ns = event->ns;
  if (d->shown.on_backup) {
    d->shown.running_thread = 0;
    d->no_thread_yet = false;
  } else if (!other || is_wait_role(role))
    thread_ran(s, d, event->thread, event->ns,
               is_wait_role(role) ? since : INT64_MAX);
  if (role == ROLE_THREAD_ENDS)
    forget_thread(s, d, thread_of(s, d, event->thread, event->ns), event->ns);
}

static void count_event(struct summary *s, const struct eventring_event *event)
{
  if (!counts(s, event)) return;
  if (s->shown.events++ == 0) s->shown.first_ns = event->ns;
  if (event->ns > s->shown.last_ns) s->shown.last_ns = event->ns;
  s->shown.counts[event->id]++;
}

void summary_event(struct summary *s, const struct eventring_event *event)
{
  struct ended_request request;
  int64_t since;
  /* A begin from before the events. */
  if (event->form == EVENTRING_EV_OPEN) {
    span_ended(s->shown.spans, event, &since);
    return;
  }
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) summary_stop(s);
  if (event->ns < s->shown.to_ns) request_ended(s->shown.requests, event, &request);
  if (event->ring >= s->shown.ring_count
      || event->form == EVENTRING_EV_CONTROL_CHANGED)
    return;
  struct summary_ring *ring = &s->rings[event->ring];
  struct summary_domain *d = ring->domain;
  bool lost = event->form == EVENTRING_EV_LOST;
  /* The first event that is read for a window may be the end of a wait that
     began before: the domain was there. */
  const bool first = d == NULL && s->shown.from_ns > INT64_MIN;
  /* A ring of samples belongs to a thread; its domain has another ring. */
  if (s->sample_rings_from > 0 && event->ring >= s->sample_rings_from) {
    if (!lost) count_event(s, event);
    s->samples += !lost && counts(s, event);
    return;
  }

  if (d == NULL || d->shown.id != event->domain || lost) {
    if (d != NULL) end_watching(s, d, d->last_ns);
    /* A ring passes on when its domain has ended; its end may be lost. */
    if (d != NULL && d != s->shown.others && d->shown.id != event->domain
        && d->last_ns < s->shown.to_ns)
      d->shown.ended = true;
    d = ring->domain = domain_of(s, event->domain);
    d->shown.ring = event->ring;
    d->shown.lost_first |= lost && d->shown.watched_from == INT64_MAX;
  }
  bool has_ended = span_ended(s->shown.spans, event, &since);
  begin_watching(s, d, first && has_ended && since < event->ns ? since
                                                              : event->ns);
  d->last_ns = event->ns;
  if (lost) return;

  enum event_role role = role_of(s->shown.roles, event->id);
  count_event(s, event);
  d->tally.events += counts(s, event);
  if (is_wait_role(role)) s->tells_waits = true;
  note_thread(s, d, role, event, has_ended ? since : INT64_MAX);
  if (has_ended && since <= event->ns) ended(s, d, role, event, since);
  if (role > ROLE_YIELD && event->form >= EVENTRING_EV_COUNTER) {
    if (counts(s, event)) take_numbers(s, d, role, event);
    changed(s, d, role, event);
  }
}

/* Results */

int64_t summary_until(struct summary *s)
{
  if (eventring_state(s->shown.cursor) != EVENTRING_STATE_RUNNING)
    s->all_read = true;
  else if (target_info(s->shown.cursor).same_boot) {
    int64_t now = monotonic_ns();
    if (now > s->shown.last_ns) return now;
  }
  return s->shown.last_ns;
}

/* Returns the begin of the time that an open span of the collector adds to the
   closed intervals of domain [d], INT64_MAX when no span is open or the domain is
   not watched. */
static int64_t open_from(struct summary *s, const struct summary_domain *d)
{
  if (d->watched_since == INT64_MAX) return INT64_MAX;
  int64_t open = open_since(s, d);
  if (open < d->closed_to) open = d->closed_to;
  if (open < d->watched_since) open = d->watched_since;
  return open;
}

/* Returns the amounts of domain [d] up to [until_ns], its pending intervals and
   the open spans of the collector included.  Closes pending intervals. */
static struct summary_tally domain_tally(struct summary *s,
                                         struct summary_domain *d,
                                         int64_t until_ns)
{
  close_intervals(s, d, until_ns);
  struct summary_tally t = d->tally;
  const int64_t open = open_from(s, d);
  for (uint32_t i = 0; i < d->pending; i++) {
    const struct summary_interval *p = pending_interval(d, i);
    const int64_t to = p->to < open ? p->to : open;
    if (p->from < to)
      *(p->idle ? &t.idle_gc_ns : &t.gc_ns) +=
        (uint64_t) to - (uint64_t) p->from;
  }
  if (d->watched_since >= until_ns) return t;
  t.watched_ns += (uint64_t) until_ns - (uint64_t) d->watched_since;
  if (open < until_ns)
    *(d->shown.on_backup ? &t.idle_gc_ns : &t.gc_ns) +=
      (uint64_t) until_ns - (uint64_t) open;
  return t;
}

/* Returns whether /proc tells which threads sleep at present: not if the process
   has ended, or for a window that ends, of which summary_waited tells. */
static bool is_present(struct summary *s)
{
  return s->shown.to_ns == INT64_MAX
         && eventring_state(s->shown.cursor) == EVENTRING_STATE_RUNNING;
}

/* Returns whether the thread that wrote the last event of domain [d] of a
   process that runs sleeps at present, as /proc says; false if it is in another
   pid namespace.  Such a thread waits, but writes the event of the wait only at
   its end.  One that was killed, which writes none, sleeps if summary_look saw it last
   asleep. */
static bool sleeps_now(struct summary *s, const struct summary_domain *d)
{
  char state = eventring_thread_state(s->shown.cursor, d->shown.running_thread);
  return state == 'X' ? d->shown.sleeps : state != 0 && state != 'R';
}

/* Returns the time in which threads of domain [d] are known to have held the
   domain lock, in nanoseconds: the finished times, and for each thread the time
   still open, up to [until_ns] for the thread that runs, else up to the last
   event of the thread.  If the running thread sleeps at present (see
   sleeps_now), it counts up to when it was last seen to run. */
static uint64_t busy_ns(struct summary *s, const struct summary_domain *d,
                        int64_t until_ns)
{
  uint64_t ns = d->busy_ns;
  bool sleeps = d->shown.thread_count > 0 && is_present(s) && sleeps_now(s, d);
  for (uint32_t i = 0; i < d->shown.thread_count; i++) {
    const struct summary_thread *t = &d->threads[i];
    int64_t to = held_until(d, t, sleeps ? d->shown.seen_ns : until_ns);
    if (to > until_ns) to = until_ns;
    const int64_t since = t->since > s->shown.from_ns ? t->since : s->shown.from_ns;
    if (to > since) ns += (uint64_t) to - (uint64_t) since;
  }
  return ns;
}

bool summary_tells_major(struct summary *s)
{
  return tells_direct(s) || s->tells_major;
}

/* Returns how domain [d] spent its time up to [until_ns].  The parts are cut so
   that they add up to the time watched. */
static struct summary_time domain_time(struct summary *s,
                                       struct summary_domain *d,
                                       int64_t until_ns)
{
  struct summary_tally tally = domain_tally(s, d, until_ns);
  struct summary_time t = { .watched_ns = tally.watched_ns,
                            .collecting_ns = tally.gc_ns };
  if (t.collecting_ns > t.watched_ns) t.collecting_ns = t.watched_ns;
  t.known = summary_tells_waits(s);
  uint64_t busy = t.known ? busy_ns(s, d, until_ns) : t.watched_ns;
  if (busy > t.watched_ns) busy = t.watched_ns;
  if (busy < t.collecting_ns) busy = t.collecting_ns;
  t.running_ns = busy - t.collecting_ns;
  t.waiting_ns = t.watched_ns - busy;
  return t;
}

struct summary_time summary_time(struct summary *s,
                                 struct summary_domain *domain,
                                 int64_t until_ns)
{
  if (domain != NULL) return domain_time(s, domain, until_ns);
  struct summary_time all = { .known = summary_tells_waits(s) };
  if (s->shown.others != NULL) all = domain_time(s, s->shown.others, until_ns);
  for (uint32_t i = 0; i < s->shown.domain_count; i++) {
    struct summary_time t = domain_time(s, s->shown.domains[i], until_ns);
    all.watched_ns += t.watched_ns;
    all.running_ns += t.running_ns;
    all.collecting_ns += t.collecting_ns;
    all.waiting_ns += t.waiting_ns;
  }
  return all;
}

void summary_waited(struct summary *s, uint32_t domain, uint32_t thread,
                    int64_t from, int64_t to)
{
  struct summary_domain *d = domain_of(s, domain);
  if (d == s->shown.others || d->shown.ended || from >= s->shown.to_ns) return;
  begin_watching(s, d, from);
  struct summary_thread *t = thread_of(s, d, thread, from);
  if (to == INT64_MAX && t->last_ns > from) return;
  add_busy(s, d, t->since, from);
  t->since = to;
  d->no_thread_yet = false;
  if (ran_alone(d, thread, from)) domain_waited(d, from, to);
}

/* Gives the pending time of domain [d] in the collector to [l]: intervals, and
   then an open span, unless the backup thread is in it. */
static void give_pending(struct summary *s, const struct summary_domain *d,
                         struct summary_listener l)
{
  const int64_t open = open_from(s, d);
  for (uint32_t i = 0; i < d->pending; i++) {
    const struct summary_interval *p = pending_interval(d, i);
    const int64_t to = p->to < open ? p->to : open;
    if (!p->idle && p->from < to)
      l.take(l.state, d->shown.id, PART_COLLECTING, p->from, to, false);
  }
  if (open != INT64_MAX && !d->shown.on_backup)
    l.take(l.state, d->shown.id, PART_COLLECTING, open, INT64_MAX, false);
}

void summary_open_times(struct summary *s, struct summary_listener l)
{
  for (uint32_t i = 0; i < s->shown.domain_count; i++) {
    const struct summary_domain *d = s->shown.domains[i];
    give_pending(s, d, l);
    if (d->watched_since == INT64_MAX) continue;
    l.take(l.state, d->shown.id, PART_WATCHED, d->watched_since, INT64_MAX, false);
    for (uint32_t k = 0; k < d->shown.thread_count; k++) {
      const struct summary_thread *t = &d->threads[k];
      const int64_t to = held_until(d, t, INT64_MAX);
      if (t->since < to)
        l.take(l.state, d->shown.id, PART_HELD, t->since, to, false);
    }
  }
}

void summary_look(struct summary *s, int64_t ns)
{
  if (!is_present(s)) return;
  for (uint32_t i = 0; i < s->shown.domain_count; i++) {
    struct summary_domain *d = s->shown.domains[i];
    if (d->watched_since == INT64_MAX || d->shown.running_thread == 0) continue;
    d->shown.sleeps = sleeps_now(s, d);
    if (!d->shown.sleeps && d->shown.seen_ns < ns) d->shown.seen_ns = ns;
  }
}

struct summary_tally summary_tally(struct summary *s,
                                   struct summary_domain *domain,
                                   int64_t until_ns)
{
  if (domain != NULL) return domain_tally(s, domain, until_ns);
  struct summary_tally all = { 0 };
  for (uint32_t i = 0; i < s->shown.domain_count; i++)
    add_tally(&all, domain_tally(s, s->shown.domains[i], until_ns));
  if (s->shown.others != NULL) add_tally(&all, s->shown.others->tally);
  all.events += s->samples;
  all.minor_collections = s->shown.collectives[CAUSED_MINOR];
  all.major_cycles = s->shown.collectives[CAUSED_CYCLE];
  all.compactions = s->shown.collectives[CAUSED_COMPACTION];
  return all;
}

/* Making and ending it */

struct summary *new_summary(struct eventring_cursor *cursor)
{
  struct summary *s = allocate(1, sizeof *s);
  s->shown.cursor = cursor;
  s->shown.from_ns = INT64_MIN;
  s->shown.to_ns = INT64_MAX;
  s->shown.spans = new_spans(cursor);
  s->shown.requests = new_requests(cursor);
  s->shown.roles = new_event_roles(cursor);
  s->stop_id = eventring_find(cursor, "stop_the_world");
  s->last_stop_ns = INT64_MIN;
  s->shown.ring_count = target_info(cursor).rings;
  s->sample_rings_from = target_info(cursor).sample_rings_from;
  s->rings = allocate(s->shown.ring_count, sizeof *s->rings);
  return s;
}

void free_summary(struct summary *s)
{
  for (uint32_t i = 0; i < s->shown.domain_count; i++)
    free_domain(s->shown.domains[i]);
  for (uint32_t id = 0; id <= UINT16_MAX; id++) free(s->shown.timings[id]);
  free_domain(s->shown.others);
  free(s->rings);
  free(s->shown.roles);
  free_requests(s->shown.requests);
  free_spans(s->shown.spans);
  free(s);
}
