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

#include <stdlib.h>
#include "domain_locks.h"
#include "event_roles.h"
#include "lock_waits.h"
#include "memory.h"
#include "pair_map.h"
#include "spans.h"

const char *const lock_kind_name[LOCK_KINDS] = {
  [LOCK_MUTEX] = "mutex", [LOCK_CONDITION] = "condition", [LOCK_DOMAIN] = "domain lock"
};

struct lock_waits {
  struct event_roles *roles;
  struct spans *spans;
  struct domain_locks *domain_locks;
  int64_t from_ns, to_ns;
  struct pair_map numbers;        /* of kind and lock */
  struct lock_wait *list;
  size_t room;
  uint64_t left_out;              /* waits */
};

struct lock_waits *new_lock_waits(struct eventring_cursor *cursor, int64_t from_ns,
                                  int64_t to_ns)
{
  struct lock_waits *l = allocate(1, sizeof *l);
  l->roles = new_event_roles(cursor);
  l->spans = new_spans(cursor);
  l->domain_locks = new_domain_locks(cursor);
  l->from_ns = from_ns;
  l->to_ns = to_ns;
  l->numbers = new_pair_map();
  return l;
}

void free_lock_waits(struct lock_waits *l)
{
  free_pair_map(&l->numbers);
  free_spans(l->spans);
  free(l->domain_locks);
  free(l->roles);
  free(l->list);
  free(l);
}

/* Adds a wait of [ns] to the part [what] of the [*count] parts at [parts]; further
   parts than LOCK_PARTS are left out. */
static void add_part(struct lock_part *parts, uint32_t *count, uint32_t what, uint64_t ns)
{
  uint32_t i = 0;
  while (i < *count && parts[i].what != what) i++;
  if (i == LOCK_PARTS) return;
  if (i == *count) parts[(*count)++] = (struct lock_part) { .what = what };
  parts[i].waits++;
  parts[i].total_ns += ns;
}

/* Returns the id of the innermost span of the program that the thread of [event] is in;
   -1: none. */
static int innermost_user_span(struct lock_waits *l, const struct eventring_event *event)
{
  const struct eventring_event *begin = innermost_span(l->spans, event->ring);
  while (begin != NULL && (begin->thread != event->thread
                           || class_of(l->roles, begin->id).area != AREA_USER))
    begin = next_outer_span(l->spans, begin);
  return begin == NULL ? -1 : begin->id;
}

/* Adds the time [ns] for a lock, of the wait that [event] tells of, which began at
   [begin_ns]; [holder] 0: not known. */
static void add(struct lock_waits *l, const struct eventring_event *event,
                int64_t begin_ns, enum lock_kind kind, uint64_t lock, uint64_t ns,
                uint32_t holder)
{
  bool added;
  if (ns == 0) return;
  if (l->numbers.count == LOCK_WAITS
      && find_pair(&l->numbers, kind, lock) == UINT32_MAX) {
    l->left_out++;
    return;
  }
  const uint32_t at = number_of_pair(&l->numbers, kind, lock, &added);
  if (added) {
    l->list = with_room(l->list, at, &l->room, sizeof *l->list);
    l->list[at] = (struct lock_wait) { .kind = kind, .lock = lock };
  }
  struct lock_wait *w = &l->list[at];
  const int span = innermost_user_span(l, event);
  w->waits++;
  w->total_ns += ns;
  if (ns > w->longest_ns) {
    w->longest_ns = ns;
    w->longest_begin_ns = begin_ns;
    w->longest_end_ns = event->ns;
    w->longest_domain = event->domain;
    w->longest_thread = event->thread;
  }
  if (holder != 0) add_part(w->holders, &w->holder_count, holder, ns);
  if (span >= 0) add_part(w->spans, &w->span_count, (uint32_t) span, ns);
}

static void take_wait(struct lock_waits *l, const struct eventring_event *event,
                      enum event_role role, uint64_t ns)
{
  const int64_t begin_ns = (int64_t) ((uint64_t) event->ns - ns);
  uint64_t lock_ns =
    role == ROLE_YIELD ? ns : field_of(l->roles, role, event, F_FOR_DOMAIN_LOCK, 0);
  if (lock_ns > ns) lock_ns = ns;
  if (role == ROLE_MUTEX_WAIT)
    add(l, event, begin_ns, LOCK_MUTEX, field_of(l->roles, role, event, F_MUTEX, 0),
        ns - lock_ns, (uint32_t) field_of(l->roles, role, event, F_HOLDER, 0));
  else if (role == ROLE_CONDITION_WAIT)
    add(l, event, begin_ns, LOCK_CONDITION,
        field_of(l->roles, role, event, F_CONDITION, 0), ns - lock_ns, 0);
  add(l, event, begin_ns, LOCK_DOMAIN, event->domain, lock_ns,
      domain_lock_holder(l->domain_locks, event, (int64_t) lock_ns));
}

void lock_waits_event(struct lock_waits *l, const struct eventring_event *event)
{
  int64_t since;
  const enum event_role role = event->form == EVENTRING_EV_CONTROL_CHANGED
                               ? ROLE_OTHER : role_of(l->roles, event->id);
  if (event->form != EVENTRING_EV_CONTROL_CHANGED && event->form != EVENTRING_EV_LOST)
    domain_locks_event(l->domain_locks, event, role);
  if (is_wait_role(role) && event->form == EVENTRING_EV_INSTANT && event->words > 0
      && event->ns >= l->from_ns && event->ns < l->to_ns)
    take_wait(l, event, role, event->payload[0]);
  span_ended(l->spans, event, &since);
}

uint64_t lock_waits_left_out(const struct lock_waits *l)
{
  return l->left_out;
}

static int compare_parts(const void *a, const void *b)
{
  const struct lock_part *x = a, *y = b;
  return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns;
}

static int compare(const void *a, const void *b)
{
  const struct lock_wait *x = a, *y = b;
  return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns;
}

const struct lock_wait *lock_waits_list(struct lock_waits *l, uint32_t *count)
{
  *count = l->numbers.count;
  if (*count == 0) return NULL;
  for (uint32_t i = 0; i < *count; i++) {
    struct lock_wait *w = &l->list[i];
    qsort(w->holders, w->holder_count, sizeof *w->holders, compare_parts);
    qsort(w->spans, w->span_count, sizeof *w->spans, compare_parts);
  }
  qsort(l->list, *count, sizeof *l->list, compare);
  return l->list;
}
