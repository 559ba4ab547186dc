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


/* A stop lists its domains, each with the time after the request at which it
   arrived.  The others wait for the last one from the arrival of the one before
   on; the domain that requested the stop arrives when it has woken the others,
   and is never late.  For a domain that waits, its backup thread takes part;
   the summary knows the last event of that thread.

   A point of the heap is the sum over the domains after the last of them has
   reported for the cycle: later reports for the same cycle replace the sum. */

#include <stdlib.h>
#include <string.h>
#include "measures.h"
#include "memory.h"
#include "target.h"

/* The struct measures that callers see, and members for this file only. */
struct inner {
  struct measures shown;
  double late_ns;
  bool *ring_seen;
  bool any;
};

static struct inner *inner(struct measures *m)
{
  return (struct inner *) m;
}

/* Returns the reason of the stop that [event] reports, by its name; "" when it
   has none. */
static const char *reason_of(struct measures *m,
                             const struct eventring_event *event)
{
  const struct summary_numbers *n = summary_numbers(m->summary);
  const uint64_t reason =
    field_of(n->roles, ROLE_STOP, event, F_REASON, UINT64_MAX);
  const char *name = eventring_value(n->cursor, "reason", reason);
  return name != NULL ? name : "";
}

/* Stops */

static struct late_domain *late_domain(struct measures *m, uint32_t id)
{
  for (uint32_t i = 0; i < m->late_count; i++)
    if (m->late[i].id == id) return &m->late[i];
  if (m->late_count == LATE_DOMAINS) return NULL;
  struct late_domain *d = &m->late[m->late_count++];
  d->id = id;
  return d;
}

static const struct summary_domain *domain_with(struct summary *s, uint32_t id)
{
  const struct summary_numbers *n = summary_numbers(s);
  for (uint32_t i = 0; i < n->domain_count; i++)
    if (domain_numbers(n->domains[i])->id == id) return n->domains[i];
  return NULL;
}

/* The number of open spans among which user_span searches at each stop. */
#define SPANS_SEARCHED 64

/* Returns the name of the innermost span of the program that is open in [d], or
   NULL when the SPANS_SEARCHED innermost spans of its ring have none. */
static const char *user_span(struct summary *s, const struct summary_domain *d)
{
  const struct summary_numbers *n = summary_numbers(s);
  const struct domain_numbers *mine = domain_numbers(d);
  const struct eventring_event *begin = innermost_span(n->spans, mine->ring);
  for (int i = 0; begin != NULL && i < SPANS_SEARCHED;
       i++, begin = next_outer_span(n->spans, begin))
    if (begin->domain == mine->id && summary_is_user(s, begin->id))
      return eventring_describe(n->cursor, begin->id)->name;
  return NULL;
}

/* Adds an arrival of domain [d], which did not wait, [ns] after the one before,
   for which [others] domains waited that would have run otherwise. */
static void add_late(struct measures *m, const struct summary_domain *d,
                     uint64_t ns, uint32_t others)
{
  struct late_domain *late = late_domain(m, domain_numbers(d)->id);
  if (late == NULL) return;
  late->stops++;
  late->waited_ns += ns * others;
  if (ns > late->max_ns) late->max_ns = ns;
  /* The majority, by votes with the weight [ns]. */
  const char *span = user_span(m->summary, d);
  bool same = span == late->span
              || (span != NULL && late->span != NULL
                  && strcmp(span, late->span) == 0);
  if (same)
    late->span_ns += ns;
  else if (late->span_ns >= ns)
    late->span_ns -= ns;
  else {
    late->span = span;
    late->span_ns = ns - late->span_ns;
  }
}

/* Adds a stop for which [delay_ns] passed until all had stopped, and in which
   [idle] of [count] domains took part though they waited. */
static void add_idle(struct measures *m, uint64_t delay_ns, uint32_t idle,
                     uint32_t count)
{
  uint64_t ns = (uint64_t) ((double) delay_ns * idle / (count - 1));
  m->idle.stops++;
  m->idle.domains += idle;
  m->idle.delay_ns += ns;
  if (ns > m->idle.max_ns) m->idle.max_ns = ns;
}

/* Returns whether domain [d] waited at a stop that was requested at [request_ns]. */
static bool waits(const struct summary_domain *d, int64_t request_ns)
{
  return domain_numbers(d)->on_backup || domain_numbers(d)->backup_ns >= request_ns;
}

/* Looks at the arrivals at the stop that [event] reports.  In a stop for a
   slice, no domain waits for another. */
static void stopped(struct measures *m, const struct eventring_event *event)
{
  const struct event_roles *roles = summary_numbers(m->summary)->roles;
  const uint64_t by =
    field_of(roles, ROLE_STOP, event, F_REQUESTED_BY, UINT64_MAX);
  struct stopped_domain last;
  const uint32_t count = stopped_domains(roles, event, &last);
  if (count < 2 || by == UINT64_MAX
      || strcmp(reason_of(m, event), "major_slice") == 0)
    return;
  const uint64_t ago = event->payload[0] + last.arrived_after;
  const int64_t request =
    time_after(event->ns, -(int64_t) (ago < INT64_MAX ? ago : INT64_MAX));
  const struct summary_domain *late = NULL;
  uint64_t before = 0;
  uint32_t idle = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct stopped_domain in = stopped_domain(roles, event, i);
    const struct summary_domain *d = domain_with(m->summary, in.id);
    const bool idles = in.id != by && d != NULL && waits(d, request);
    idle += idles;
    if (!idles) m->arrival_ns += last.arrived_after - in.arrived_after;
    if (in.id != last.id) {
      if (in.arrived_after > before) before = in.arrived_after;
    } else if (in.id != by && !idles)
      late = d;
  }
  const uint64_t ns = last.arrived_after - before;
  if (idle > 0) add_idle(m, last.arrived_after, idle, count);
  if (late != NULL && (double) ns >= inner(m)->late_ns)
    add_late(m, late, ns, count - 1 - idle);
}

/* The heap */

static void drop_every_second(struct measures *m)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->heap_count; i += 2) m->heap[kept++] = m->heap[i];
  m->heap_count = kept;
  m->heap_step *= 2;
}

static void heap_told(struct measures *m, const struct eventring_event *event)
{
  struct summary *s = m->summary;
  uint32_t cycle = summary_numbers(s)->collectives[CAUSED_CYCLE];
  struct heap_point *p =
    m->heap_count > 0 ? &m->heap[m->heap_count - 1] : NULL;
  if (p == NULL || cycle >= p->cycle + m->heap_step) {
    if (m->heap_count == HEAP_POINTS) drop_every_second(m);
    p = &m->heap[m->heap_count++];
    p->cycle = cycle;
  } else if (cycle != p->cycle)
    return;
  struct summary_heap h = summary_heap(s);
  p->ns = event->ns;
  p->live_bytes = 8 * (h.pool_live_words + h.large_words);
  p->pool_bytes = 8 * h.pool_words;
  p->free_bytes = 8 * h.pool_free_words;
  p->rounding_bytes = 8 * h.fragmented_words;
  p->promoted_bytes = 8 * summary_promoted_words(s);
}

/* Waits */

static void add_wait(struct wait_sum *sum, uint64_t ns)
{
  sum->count++;
  sum->ns += ns;
  if (ns > sum->max_ns) sum->max_ns = ns;
}

/* Returns whether the domain of [event] has two threads or more.  A thread alone
   waits for the domain lock while the backup thread takes part in a stop, or
   until the system runs it. */
static bool has_threads(const struct measures *m,
                        const struct eventring_event *event)
{
  const struct summary_domain *d = domain_of_ring(m->summary, event->ring);
  return d != NULL && domain_numbers(d)->thread_count > 1;
}

static void waited(struct measures *m, const struct eventring_event *event,
                   enum event_role role)
{
  if (event->words == 0) return;
  uint64_t ns = event->payload[0];
  uint64_t lock_ns = field_of(summary_numbers(m->summary)->roles, role, event,
                              F_FOR_DOMAIN_LOCK, 0);
  if (lock_ns > ns) lock_ns = ns;
  if (role == ROLE_YIELD)
    add_wait(&m->yield, ns);
  else if (lock_ns > 0 && has_threads(m, event))
    add_wait(&m->lock, lock_ns);
  if (role == ROLE_MUTEX_WAIT && ns > lock_ns)
    add_wait(&m->mutex, ns - lock_ns);
}

/* Events */

void measures_event(struct measures *m, const struct eventring_event *event)
{
  const struct summary_numbers *n = summary_numbers(m->summary);
  if (event->form == EVENTRING_EV_CONTROL_CHANGED
      || event->ring >= n->ring_count)
    return;
  bool lost = event->form == EVENTRING_EV_LOST;
  if (lost && inner(m)->ring_seen[event->ring] && event->words > 0
      && !m->catching_up)
    m->lost_inside += event->payload[0];
  inner(m)->ring_seen[event->ring] = true;
  if (lost) {
    inner(m)->any = true;
    return;
  }
  struct event_roles *roles = n->roles;
  const enum event_role role = role_of(roles, event->id);
  if (!inner(m)->any) m->from_start = role == ROLE_RING_START;
  inner(m)->any = true;
  if (role == ROLE_STOP)
    stopped(m, event);
  else if (role == ROLE_HEAP)
    heap_told(m, event);
  else if (role == ROLE_MINOR && event->form == EVENTRING_EV_END) {
    const uint64_t words = field_of(roles, role, event, F_ALLOCATED, 0);
    if (words > m->largest_minor_words) m->largest_minor_words = words;
  } else if (is_wait_role(role))
    waited(m, event, role);
}

struct measures *new_measures(struct summary *summary, double late_ns)
{
  const struct summary_numbers *n = summary_numbers(summary);
  struct measures *m = allocate(1, sizeof(struct inner));
  m->summary = summary;
  inner(m)->late_ns = late_ns;
  m->heap_step = 1;
  m->catching_up =
    target_info(n->cursor).format != EVENTRING_FORMAT_RECORDING;
  inner(m)->ring_seen = allocate(n->ring_count + 1, sizeof *inner(m)->ring_seen);
  return m;
}

void free_measures(struct measures *m)
{
  free(inner(m)->ring_seen);
  free(m);
}
