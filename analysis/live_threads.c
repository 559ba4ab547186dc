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
#include <string.h>
#include "event_roles.h"
#include "live_threads.h"
#include "memory.h"
#include "recent_times.h"
#include "target.h"

enum { GC, WAIT, PARTS };

/* The time that a thread spent in a slot. */
struct slot { uint64_t number, ns[PARTS]; };

struct thread {
  uint32_t thread, domain, ring;
  int32_t thread_id;
  bool backup, ended;
  uint16_t wait;                  /* id of the event; 0: none */
  int64_t wait_ns;
  int64_t first_ns, last_ns;
  struct slot slots[LIVE_THREAD_SLOTS];
  struct recent_times collected;
};

struct live_threads {
  struct eventring_cursor *cursor;
  struct event_roles *roles;
  struct thread list[LIVE_THREADS];
  uint32_t count;
  uint32_t rings;
  uint32_t *last;                 /* by ring: index of the thread of its last
                                     event */
};

struct live_threads *new_live_threads(struct eventring_cursor *cursor)
{
  struct live_threads *t = allocate(1, sizeof *t);
  t->cursor = cursor;
  t->roles = new_event_roles(cursor);
  t->rings = target_info(cursor).rings;
  t->last = allocate(t->rings, sizeof *t->last);
  return t;
}

void free_live_threads(struct live_threads *threads)
{
  free(threads->last);
  free(threads->roles);
  free(threads);
}

/* Events */

/* Returns the place for a new thread. */
static struct thread *new_place(struct live_threads *t)
{
  if (t->count < LIVE_THREADS) return &t->list[t->count++];
  struct thread *oldest = t->list;
  for (struct thread *p = t->list; p < t->list + t->count; p++)
    if (p->ended != oldest->ended ? p->ended : p->last_ns < oldest->last_ns)
      oldest = p;
  return oldest;
}

static bool is_of(const struct thread *p, uint32_t domain, uint32_t thread)
{
  return p->thread == thread && p->domain == domain;
}

static const struct thread *find_thread(const struct live_threads *t,
                                        uint32_t domain, uint32_t thread)
{
  const struct thread *end = t->list + t->count;
  for (const struct thread *p = t->list; p < end; p++)
    if (is_of(p, domain, thread)) return p;
  return NULL;
}

/* Returns the thread of [event], which is a new one if the system has given the
   id of an ended thread again. */
static struct thread *thread_of(struct live_threads *t,
                                const struct eventring_event *event)
{
  struct thread *p = &t->list[t->last[event->ring]];
  if (!is_of(p, event->domain, event->thread)) {
    p = (struct thread *) find_thread(t, event->domain, event->thread);
    if (p == NULL) p = new_place(t);
    t->last[event->ring] = (uint32_t) (p - t->list);
  }
  if (!is_of(p, event->domain, event->thread) || p->ended || p->first_ns == 0)
    *p = (struct thread) { .thread = event->thread, .domain = event->domain,
                           .first_ns = event->ns };
  return p;
}

void live_thread_event(struct live_threads *t,
                       const struct eventring_event *event, bool backup)
{
  if (event->thread == 0 || event->ring >= t->rings) return;
  struct thread *p = thread_of(t, event);
  p->last_ns = event->ns;
  p->ring = event->ring;
  p->thread_id = event->thread_id;
  p->backup = backup;
  p->ended = role_of(t->roles, event->id) == ROLE_THREAD_ENDS;
}

/* Adds the time from [from] to [to] to part [part] of the slots of [p] that it
   covers and that are kept. */
static void add_time(struct thread *p, int part, int64_t from, int64_t to)
{
  uint64_t last = slot_number(to), first = slot_number(from);
  if (last >= LIVE_THREAD_SLOTS && first < last - LIVE_THREAD_SLOTS + 1)
    first = last - LIVE_THREAD_SLOTS + 1;
  for (uint64_t n = first; n <= last; n++) {
    struct slot *slot = &p->slots[n % LIVE_THREAD_SLOTS];
    int64_t begin = (int64_t) n * SLOT_NS;
    if (slot->number > n) continue;
    if (slot->number < n) *slot = (struct slot) { .number = n };
    slot->ns[part] += overlap(from, to, begin, begin + SLOT_NS);
  }
}

static void add_collector(void *state, int64_t from, int64_t to)
{
  add_time(state, GC, from, to);
}

/* Collections are inside of stops, which are known at their ends. */
static void add_collected(struct thread *p, int64_t from, int64_t to)
{
  add_recent_time(&p->collected, from, to, add_collector, p);
}

/* Returns the thread that wrote [event], the last event of its ring, or NULL
   when that thread is not known. */
static struct thread *last_thread(struct live_threads *t,
                                  const struct eventring_event *event)
{
  if (event->ring >= t->rings) return NULL;
  struct thread *p = &t->list[t->last[event->ring]];
  return is_of(p, event->domain, event->thread) ? p : NULL;
}

void live_thread_collected(struct live_threads *t,
                           const struct eventring_event *event,
                           int64_t since_ns)
{
  struct thread *p = last_thread(t, event);
  if (p != NULL) add_collected(p, since_ns, event->ns);
}

void live_thread_waited(struct live_threads *t,
                        const struct eventring_event *event, int64_t since_ns)
{
  struct thread *p = last_thread(t, event);
  if (p == NULL) return;
  add_time(p, WAIT, since_ns, event->ns);
  p->wait = event->id;
  p->wait_ns = time_since(event->ns, since_ns);
}

/* Returns the domain with the id [id] of [s], or NULL. */
static const struct summary_domain *domain_of(const struct summary *s,
                                              uint32_t id)
{
  const struct summary_numbers *n = summary_numbers(s);
  for (uint32_t i = 0; i < n->domain_count; i++)
    if (domain_numbers(n->domains[i])->id == id) return n->domains[i];
  return NULL;
}

void live_threads_stopped(struct live_threads *t, const struct summary *summary,
                          const struct eventring_event *event)
{
  struct stopped_domain last;
  const uint32_t count = stopped_domains(t->roles, event, &last);
  for (uint32_t i = 0; i < count; i++) {
    const struct stopped_domain in = stopped_domain(t->roles, event, i);
    const struct stopped_time time = stopped_time(event, &last, &in);
    const struct summary_domain *of = domain_of(summary, in.id);
    if (of == NULL) continue;
    const struct domain_numbers *d = domain_numbers(of);
    /* The backup thread takes part for a domain that waits. */
    if (d->on_backup || d->backup_ns >= time.from_ns) continue;
    struct thread *p = (struct thread *) find_thread(t, in.id, d->running_thread);
    if (p != NULL) add_collected(p, time.from_ns, time.to_ns);
  }
}

/* Results */

bool is_backup_thread(const struct live_threads *t, uint32_t domain,
                      uint32_t thread)
{
  const struct thread *p = find_thread(t, domain, thread);
  return p != NULL && p->backup;
}

static void copy_name(char to[LIVE_THREAD_NAME], const char *name)
{
  size_t length = name == NULL ? 0 : strnlen(name, LIVE_THREAD_NAME - 1);
  if (length > 0) memcpy(to, name, length);
  to[length] = '\0';
}

/* Copies the name of the event with the id [id] to [to], if it is of the
   program or not, as [user] says; returns whether it is. */
static bool name_span(const struct live_threads *t, uint16_t id, bool user,
                      char to[LIVE_THREAD_NAME])
{
  const struct event_class class = class_of(t->roles, id);
  if (!class.known || (class.area == AREA_USER) != user) return false;
  copy_name(to, eventring_describe(t->cursor, id)->name);
  return true;
}

/* Copies the name of the innermost open span of thread [p], of the program or
   of the runtime, to [to]. */
static void innermost(const struct live_threads *t, const struct thread *p,
                      const struct spans *spans, bool user,
                      char to[LIVE_THREAD_NAME])
{
  const struct eventring_event *open = innermost_span(spans, p->ring);
  for (; open != NULL; open = next_outer_span(spans, open))
    if (is_of(p, open->domain, open->thread)
        && name_span(t, open->id, user, to)) return;
}

/* Returns the part of the stretch [s] that thread [p] spent in part [part], and
   of the time from [open_ns] on, which is not in the slots yet. */
static double share(const struct thread *p, int part, struct stretch s,
                    int64_t open_ns)
{
  uint64_t ns = overlap(open_ns, INT64_MAX, stretch_begin(s), s.end_ns);
  for (uint64_t n = s.first; n <= s.last; n++)
    if (p->slots[n % LIVE_THREAD_SLOTS].number == n)
      ns += p->slots[n % LIVE_THREAD_SLOTS].ns[part];
  double all = (double) ns / length_of(s, p->first_ns);
  return all < 1 ? all : 1;
}

/* Whether the process runs and /proc has its threads, or runs where /proc has not. */
enum phase { RUNS, ELSEWHERE, OVER };

static enum phase phase_of(const struct live_threads *t)
{
  return eventring_state(t->cursor) != EVENTRING_STATE_RUNNING ? OVER
         : target_info(t->cursor).pid_is_elsewhere ? ELSEWHERE : RUNS;
}

/* Returns the state of thread [p], which has not ended, of domain [d], a letter of
   /proc; 0 when it is not known.  When the process is over, it is the state at its
   end: a thread without the domain lock waited, if the file tells of threads, and one
   with the lock slept if summary_look had found it asleep since its last event; so
   does one that was killed and has not ended yet, which else runs. */
static char state_of(const struct live_threads *t, const struct thread *p,
                     const struct summary *s, const struct summary_domain *d,
                     enum phase phase)
{
  const char now = phase == RUNS ? eventring_thread_state(t->cursor, p->thread) : 0;
  const char otherwise = now == 'X' ? 'R' : 0;
  if (phase == RUNS && now != 'X') return now;
  if (phase == ELSEWHERE || d == NULL) return otherwise;
  const struct domain_numbers *mine = domain_numbers(d);
  const bool known = mine->running_thread != 0 || mine->on_backup;
  const bool slept = mine->running_thread == p->thread ? mine->sleeps
                     : phase == OVER && known && summary_numbers(s)->tells_threads;
  return slept ? 'S' : otherwise;
}

/* Returns whether thread [p] of domain [d] sleeps, or did when the process ended, and
   not in the collector.  The backup thread waits for work, which is no wait. */
static bool waits_now(const struct live_threads *t, const struct thread *p,
                      const struct summary *s, const struct summary_domain *d,
                      enum phase phase)
{
  char span[LIVE_THREAD_NAME] = "";
  if (d == NULL || domain_numbers(d)->ended || p->ended || p->backup) return false;
  const char state = state_of(t, p, s, d, phase);
  if (state == 0 || state == 'R') return false;
  innermost(t, p, summary_numbers(s)->spans, false, span);
  return span[0] == '\0';
}

/* Returns since when thread [p] of domain [d] sleeps, as far as is known. */
static int64_t asleep_since(const struct thread *p, const struct summary_domain *d)
{
  if (d == NULL) return p->last_ns;
  const struct domain_numbers *mine = domain_numbers(d);
  return mine->running_thread == p->thread && mine->seen_ns > p->last_ns
         ? mine->seen_ns : p->last_ns;
}

size_t list_open_waits(const struct live_threads *t,
                       const struct summary *summary,
                       struct long_span list[LIVE_THREADS])
{
  size_t count = 0;
  const enum phase phase = phase_of(t);
  for (const struct thread *p = t->list; p < t->list + t->count; p++) {
    const struct summary_domain *d = domain_of(summary, p->domain);
    if (!waits_now(t, p, summary, d, phase)) continue;
    list[count++] = (struct long_span) {
      .from_ns = asleep_since(p, d), .to_ns = INT64_MAX, .ring = p->ring, .domain = p->domain,
      .thread = p->thread, .thread_id = p->thread_id, .complete = true
    };
  }
  return count;
}

/* Fills *out with thread [p].  While the process runs, a thread that the system does
   not have has ended, even without an event. */
static void fill(const struct live_threads *t, const struct thread *p,
                 const struct summary *summary, struct stretch shares_of,
                 enum phase phase, struct live_thread *out)
{
  const struct summary_numbers *n = summary_numbers(summary);
  const struct summary_domain *d = domain_of(summary, p->domain);
  *out = (struct live_thread) {
    .thread = p->thread, .thread_id = p->thread_id, .domain = p->domain,
    .backup = p->backup, .wait_ns = p->wait_ns,
    .ended = p->ended || (d != NULL && domain_numbers(d)->ended),
    .first_ns = p->first_ns, .last_ns = p->last_ns
  };
  if (!out->ended && (phase == RUNS || !p->backup)) {
    out->state = state_of(t, p, summary, d, phase);
    out->ended = phase == RUNS && out->state == 0;
  }
  const char *name = eventring_thread_name(t->cursor, p->domain, p->thread,
                                           p->thread_id);
  if (name == NULL && !p->backup)
    name = eventring_domain_name(t->cursor, p->domain);
  copy_name(out->name, name);
  if (p->wait != 0) {
    const struct eventring_description *wait = eventring_describe(t->cursor,
                                                                  p->wait);
    copy_name(out->wait, wait == NULL ? NULL : wait->name);
  }
  if (!out->ended) {
    innermost(t, p, n->spans, false, out->runtime_span);
    innermost(t, p, n->spans, true, out->user_span);
  }
  const bool sleeps = out->state != 0 && out->state != 'R'
                      && out->runtime_span[0] == '\0';
  out->gc_share = share(p, GC, shares_of, INT64_MAX);
  out->wait_share = share(p, WAIT, shares_of,
                          sleeps ? p->last_ns : INT64_MAX);
  out->waits_since_ns = sleeps && !p->backup ? asleep_since(p, d) : INT64_MAX;
}

static int by_domain(const void *a, const void *b)
{
  const struct live_thread *x = a, *y = b;
  if (x->domain != y->domain) return x->domain < y->domain ? -1 : 1;
  return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

int list_live_threads(const struct live_threads *t,
                      const struct summary *summary, struct stretch shares_of,
                      struct live_thread *list, int max)
{
  int count = 0;
  const enum phase phase = phase_of(t);
  for (uint32_t i = 0; i < t->count && count < max; i++)
    fill(t, &t->list[i], summary, shares_of, phase, &list[count++]);
  qsort(list, (size_t) count, sizeof *list, by_domain);
  return count;
}
