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

/* A request is known by its number.  Its begin, its end and the events that say
   which thread works on it (request_run) are in the rings of any domains.

   Numbers count up, so the open requests are in a table with a place for each
   of the latest numbers: a request that never ends loses its place to a much
   later one.

   A worker is a thread with a current request.  Runs of workers begin and end
   with request_run, and end with the end of the request.  While the file tells
   no running threads (category thread), all events of a block are of the thread
   that began it, so a run ends all others of its ring.

   After a gap (events were lost, recording was paused) no current request is
   known, and the runs of requests that were open in the gap are incomplete.  A
   report of lost events has the time of the first event behind them, and comes
   after requests that ended in the gap.  So the latest requests are pending,
   and are counted when they are pushed out by later ones, or asked for. */

#include <stdlib.h>
#include <string.h>
#include "event_roles.h"
#include "memory.h"
#include "recent_times.h"
#include "requests.h"
#include "target.h"

/* The number of requests that are open at a time: a power of 2. */
#define PLACES OPEN_REQUESTS

#define WORKERS 1024

/* The number of kinds of requests that are counted. */
#define KINDS 1024

#define PENDING 1024

/* The waits of a request; see struct ended_request. */
struct waits { struct request_wait list[REQUEST_WAITS], lock; uint64_t other_ns; };

struct open {
  uint64_t number;                /* 0: none */
  int64_t begin_ns;
  int64_t idle_since;             /* while [workers] is 0 */
  uint64_t running_ns, waiting_ns, collector_ns;
  struct waits *waits;            /* NULL: none yet */
  uint64_t gaps, losses;          /* that there had been at the begin */
  uint32_t workers;
  uint16_t id;
};

struct worker {
  uint32_t thread, ring, domain;
  uint64_t number;                /* of its request; 0: none */
  int64_t since;
  bool counted;                   /* among the [workers] of the request: its
                                     begin was known */
  struct recent_times collected;
};

/* The last event of a ring: its time, INT64_MIN: there is none yet, and thread. */
struct last { int64_t ns; uint32_t thread; };

struct requests {
  struct event_roles *roles;
  bool threads_known;
  uint64_t gaps, losses;          /* a loss is a gap, too */
  int64_t from_ns;                /* of request_window */
  uint32_t rings;
  struct last *last;              /* event, by ring */
  struct open *places;            /* NULL: there were no requests yet */
  struct worker workers[WORKERS];
  uint32_t worker_count;
  uint32_t found[256];            /* by the end of the thread: its index */
  struct ended_request pending[PENDING];
  uint64_t ended, counted;        /* requests; those in between are pending */
  struct request_kind *kinds[UINT16_MAX + 1];
  uint32_t kind_count;
  void (*run_ended)(void *state, const struct ended_run *run);
  void *state;
  void (*request_ended)(void *state, const struct ended_request *request);
  void (*doubted)(void *state, int64_t since_ns);
  void *watcher;
};

struct requests *new_requests(struct eventring_cursor *cursor)
{
  struct requests *r = allocate(1, sizeof *r);
  r->roles = new_event_roles(cursor);
  r->rings = target_info(cursor).rings;
  r->from_ns = INT64_MIN;
  r->last = allocate(r->rings, sizeof *r->last);
  for (uint32_t i = 0; i < r->rings; i++) r->last[i].ns = INT64_MIN;
  return r;
}

void free_requests(struct requests *r)
{
  for (uint32_t id = 0; id <= UINT16_MAX; id++) free(r->kinds[id]);
  for (uint32_t i = 0; r->places != NULL && i < PLACES; i++) free(r->places[i].waits);
  free(r->places);
  free(r->last);
  free(r->roles);
  free(r);
}

void request_window(struct requests *r, int64_t from_ns)
{
  r->from_ns = from_ns;
}

void watch_runs(struct requests *r,
                void (*ended)(void *state, const struct ended_run *run),
                void *state)
{
  r->run_ended = ended;
  r->state = state;
}

void watch_requests(struct requests *r,
                    void (*ended)(void *state, const struct ended_request *request),
                    void (*doubted)(void *state, int64_t since_ns), void *state)
{
  r->request_ended = ended;
  r->doubted = doubted;
  r->watcher = state;
}

/* Returns the nanoseconds between two times; 0 when [to] is before [from], as
   times of two rings may be. */
static uint64_t between(int64_t from, int64_t to)
{
  return to > from ? (uint64_t) to - (uint64_t) from : 0;
}

/* Kinds */

/* Returns the distributions for the id [id], new ones if necessary; NULL when
   there are too many. */
static struct request_kind *kind_of(struct requests *r, uint16_t id)
{
  if (r->kinds[id] == NULL && r->kind_count < KINDS) {
    r->kinds[id] = allocate(1, sizeof **r->kinds);
    r->kind_count++;
  }
  return r->kinds[id];
}

/* Forgets the open requests of [kind] that began before the last loss. */
static void forget_lost(const struct requests *r, struct request_kind *kind)
{
  if (kind->losses != r->losses) kind->open = 0;
  kind->losses = r->losses;
}

static void count(struct requests *r, const struct ended_request *request)
{
  struct request_kind *kind = kind_of(r, request->id);
  if (kind == NULL) return;
  histogram_add(&kind->total, between(request->begin_ns, request->end_ns));
  if (!request->runs_known) return;
  histogram_add(&kind->running, request->running_ns);
  histogram_add(&kind->waiting, request->waiting_ns);
}

static void count_first_pending(struct requests *r)
{
  count(r, &r->pending[r->counted++ % PENDING]);
}

static void make_pending(struct requests *r,
                         const struct ended_request *request)
{
  if (r->ended - r->counted == PENDING) count_first_pending(r);
  r->pending[r->ended++ % PENDING] = *request;
}

const struct request_kind *request_kind(struct requests *r, uint16_t id)
{
  while (r->counted < r->ended) count_first_pending(r);
  struct request_kind *kind = r->kinds[id];
  if (kind == NULL) return NULL;
  forget_lost(r, kind);
  return kind->total.count > 0 || kind->open > 0 ? kind : NULL;
}

/* Marks the runs of the requests that ended after [since] as not known.  When
   that is all of them, since a ring has lost its first events, no distribution
   of runs is valid. */
static void doubt(struct requests *r, int64_t since)
{
  if (r->doubted != NULL) r->doubted(r->watcher, since);
  for (uint64_t i = r->counted; i < r->ended; i++)
    if (r->pending[i % PENDING].end_ns > since)
      r->pending[i % PENDING].runs_known = false;
  for (uint32_t id = 0; since == INT64_MIN && r->counted > 0
                        && id <= UINT16_MAX; id++) {
    if (r->kinds[id] == NULL) continue;
    memset(&r->kinds[id]->running, 0, sizeof r->kinds[id]->running);
    memset(&r->kinds[id]->waiting, 0, sizeof r->kinds[id]->waiting);
  }
}

/* Open requests */

static struct open *find(const struct requests *r, uint64_t number)
{
  if (r->places == NULL || number == 0) return NULL;
  struct open *o = &r->places[number % PLACES];
  return o->number == number ? o : NULL;
}

/* Adds [by] to the open requests of the kind of [o], if it began behind the last
   loss. */
static void change_open(struct requests *r, const struct open *o, int by)
{
  struct request_kind *kind = kind_of(r, o->id);
  if (kind == NULL || o->losses != r->losses) return;
  forget_lost(r, kind);
  kind->open += (uint64_t) by;
}

static void begin_request(struct requests *r,
                          const struct eventring_event *event)
{
  uint64_t number = event->payload[0];
  if (number == 0) return;
  if (r->places == NULL) r->places = allocate(PLACES, sizeof *r->places);
  struct open *o = &r->places[number % PLACES];
  if (o->number != 0) change_open(r, o, -1);
  free(o->waits);
  *o = (struct open) { .number = number, .id = event->id, .gaps = r->gaps,
                       .losses = r->losses, .begin_ns = event->ns,
                       .idle_since = event->ns };
  change_open(r, o, 1);
}

/* Runs */

static void add_worker(struct open *o, int64_t ns)
{
  if (o->workers++ == 0) o->waiting_ns += between(o->idle_since, ns);
}

/* Ends the run of [w], if it has a request, at [ns].  [ns] is the begin of the
   run if its end is not known. */
static void end_run(struct requests *r, struct worker *w, int64_t ns)
{
  struct open *o = find(r, w->number);
  if (w->number != 0 && ns > w->since && r->run_ended != NULL)
    r->run_ended(r->state, &(struct ended_run) {
      .number = w->number, .id = o != NULL ? o->id : 0, .domain = w->domain,
      .thread = w->thread, .begin_ns = w->since, .end_ns = ns
    });
  w->number = 0;
  if (o == NULL) return;
  int64_t from = w->since;
  if (!w->counted) {
    /* The begin of the request is in another ring, with a later time. */
    if (from < o->begin_ns) from = o->begin_ns;
    add_worker(o, from);
  }
  o->running_ns += between(from, ns);
  /* 0 already: a damaged file begins the same request twice. */
  if (o->workers > 0 && --o->workers == 0) o->idle_since = ns;
}

void forget_runs(struct requests *r)
{
  r->gaps++;
  for (uint32_t i = 0; i < r->worker_count; i++)
    end_run(r, &r->workers[i], r->workers[i].since);
  r->worker_count = 0;
}

void end_runs(struct requests *r, int64_t ns)
{
  for (uint32_t i = 0; i < r->worker_count; i++) end_run(r, &r->workers[i], ns);
  r->worker_count = 0;
}

/* Returns the worker for the thread [thread], or NULL. */
static struct worker *known_worker(struct requests *r, uint32_t thread)
{
  uint32_t *found = &r->found[thread % 256];
  if (*found < r->worker_count && r->workers[*found].thread == thread)
    return &r->workers[*found];
  uint32_t i = 0;
  while (i < r->worker_count && r->workers[i].thread != thread) i++;
  if (i == r->worker_count) return NULL;
  *found = i;
  return &r->workers[i];
}

bool request_of_thread(struct requests *r, uint32_t thread, uint64_t *number, uint16_t *id)
{
  const struct worker *w = known_worker(r, thread);
  if (w == NULL || w->number == 0) return false;
  const struct open *o = find(r, w->number);
  *number = w->number;
  *id = o != NULL ? o->id : 0;
  return true;
}

/* Returns the worker for the thread [thread], a new one if necessary. */
static struct worker *worker_of(struct requests *r, uint32_t thread)
{
  struct worker *known = known_worker(r, thread);
  if (known != NULL) return known;
  if (r->worker_count == WORKERS) forget_runs(r);
  const uint32_t i = r->worker_count++;
  r->workers[i] = (struct worker) { .thread = thread };
  r->found[thread % 256] = i;
  return &r->workers[i];
}

/* Ends all runs of the ring [ring] except the run of [w], which may be NULL. */
static void end_others(struct requests *r, const struct worker *w,
                       uint32_t ring, int64_t ns)
{
  for (uint32_t i = 0; i < r->worker_count; i++)
    if (r->workers[i].ring == ring && &r->workers[i] != w)
      end_run(r, &r->workers[i], ns);
}

static void begin_run(struct requests *r, const struct eventring_event *event,
                      uint64_t number)
{
  struct worker *w = worker_of(r, event->thread);
  w->ring = event->ring;
  w->domain = event->domain;
  if (!r->threads_known) end_others(r, w, event->ring, event->ns);
  if (w->number == number) return;
  end_run(r, w, event->ns);
  w->number = number;
  w->since = event->ns;
  struct open *o = find(r, number);
  w->counted = o != NULL;
  if (o != NULL) add_worker(o, event->ns);
}

/* A function of recent_times.h: [state] is the sum of the times. */
static void add_ns(void *state, int64_t from, int64_t to)
{
  *(uint64_t *) state += between(from, to);
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* Adds the time from [from] to [to] of [w], in the collector or stopped for it, to its
   request, from the begin of the run on. */
static void add_collected(struct requests *r, struct worker *w, int64_t from, int64_t to)
{
  struct open *o = find(r, w->number);
  if (o == NULL) return;
  add_recent_time(&w->collected, later(from, later(w->since, o->begin_ns)), to, add_ns,
                  &o->collector_ns);
}

void request_collected(struct requests *r, const struct eventring_event *event,
                       int64_t since_ns)
{
  struct worker *w = known_worker(r, event->thread);
  if (w != NULL) add_collected(r, w, since_ns, event->ns);
}

/* Takes the stop-the-world section that [event] reports, which the threads that ran in its
   domains stood still for. */
static void take_stop(struct requests *r, const struct eventring_event *event)
{
  struct stopped_domain last;
  const uint32_t count = stopped_domains(r->roles, event, &last);
  for (uint32_t i = 0; count > 0 && i < r->worker_count; i++) {
    struct worker *w = &r->workers[i];
    if (w->number == 0 || r->last[w->ring].thread != w->thread) continue;
    for (uint32_t k = 0; k < count; k++) {
      const struct stopped_domain in = stopped_domain(r->roles, event, k);
      const struct stopped_time time = stopped_time(event, &last, &in);
      if (in.id == w->domain) add_collected(r, w, time.from_ns, time.to_ns);
    }
  }
}

/* Adds the wait that [event] reports to the request on which its thread works, from the
   begin of the run on.  A stop meanwhile did not hold it up. */
static void take_wait(struct requests *r, enum event_role role,
                      const struct eventring_event *event)
{
  if (r->places == NULL || event->words == 0) return;
  struct worker *w = known_worker(r, event->thread);
  struct open *o = w != NULL ? find(r, w->number) : NULL;
  if (o == NULL) return;
  const uint64_t run_ns = between(later(w->since, o->begin_ns), event->ns),
    ns = event->payload[0] < run_ns ? event->payload[0] : run_ns;
  uint64_t alone_ns = 0;
  outside_recent_times(&w->collected, (int64_t) ((uint64_t) event->ns - ns), event->ns,
                       add_ns, &alone_ns);
  o->collector_ns -= ns - alone_ns < o->collector_ns ? ns - alone_ns : o->collector_ns;
  if (o->waits == NULL) o->waits = allocate(1, sizeof *o->waits);
  const uint64_t told_ns = field_of(r->roles, role, event, F_FOR_DOMAIN_LOCK, 0),
    lock_ns = told_ns < ns ? told_ns : ns;
  o->waits->lock.count += lock_ns > 0;
  o->waits->lock.ns += lock_ns;
  struct request_wait *list = o->waits->list;
  uint32_t i = 0;
  while (i < REQUEST_WAITS && list[i].count > 0 && list[i].id != event->id) i++;
  if (i == REQUEST_WAITS) {
    o->waits->other_ns += ns - lock_ns;
    return;
  }
  list[i].id = event->id;
  list[i].count++;
  list[i].ns += ns - lock_ns;
}

/* Describes [o], without runs that go on, as ended at [ns]. */
static struct ended_request described(const struct requests *r, const struct open *o,
                                      int64_t ns)
{
  struct ended_request ended = {
    .number = o->number, .id = o->id, .begin_ns = o->begin_ns,
    .end_ns = ns > o->begin_ns ? ns : o->begin_ns,
    .running_ns = o->running_ns, .waiting_ns = o->waiting_ns,
    .collector_ns = o->collector_ns,
    .runs_known = o->gaps == r->gaps
  };
  if (o->workers == 0) ended.waiting_ns += between(o->idle_since, ns);
  if (o->waits == NULL) return ended;
  memcpy(ended.waits, o->waits->list, sizeof ended.waits);
  ended.other_waits_ns = o->waits->other_ns;
  ended.domain_lock = o->waits->lock;
  return ended;
}

/* Ends the request with the number in [event].  Returns true if the begin of
   the request is known; then removes the request from the table and describes
   it in [*ended]. */
static bool end_request(struct requests *r, const struct eventring_event *event,
                        struct ended_request *ended)
{
  uint64_t number = event->payload[0];
  for (uint32_t i = 0; i < r->worker_count; i++)
    if (r->workers[i].number == number) end_run(r, &r->workers[i], event->ns);
  struct open *o = find(r, number);
  if (o == NULL || o->id != event->id) return false;
  *ended = described(r, o, event->ns);
  free(o->waits);
  o->waits = NULL;
  o->number = 0;
  change_open(r, o, -1);
  if (ended->end_ns >= r->from_ns) make_pending(r, ended);
  if (r->request_ended != NULL) r->request_ended(r->watcher, ended);
  return true;
}

/* The one that began first comes first. */
static int compare_open(const void *a, const void *b)
{
  const struct open *x = *(const struct open *const *) a,
    *y = *(const struct open *const *) b;
  if (x->begin_ns != y->begin_ns) return x->begin_ns < y->begin_ns ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* Describes [o], with the runs that go on, in [*open]. */
static void describe_open(const struct requests *r, const struct open *o, int64_t ns,
                          struct open_request *open)
{
  struct open until = *o;
  uint32_t thread = 0;
  for (uint32_t i = 0; i < r->worker_count; i++) {
    const struct worker *w = &r->workers[i];
    if (w->number != o->number) continue;
    const int64_t from = later(w->since, o->begin_ns);
    if (!w->counted) add_worker(&until, from);
    until.running_ns += between(from, ns);
    if (thread == 0) thread = w->thread;
  }
  *open = (struct open_request) { described(r, &until, ns), thread };
}

size_t list_open_requests(const struct requests *r, int64_t ns, uint64_t number,
                          struct open_request *list, size_t most)
{
  if (r->places == NULL) return 0;
  const struct open **found = allocate(PLACES, sizeof(struct open *));
  size_t count = 0;
  for (uint32_t i = 0; i < PLACES; i++) {
    const struct open *o = &r->places[i];
    if (o->number != 0 && o->losses == r->losses && (number == 0 || o->number == number))
      found[count++] = o;
  }
  qsort(found, count, sizeof *found, compare_open);
  if (count > most) count = most;
  for (size_t i = 0; i < count; i++) describe_open(r, found[i], ns, &list[i]);
  free(found);
  return count;
}

/* Events */

static bool is_request(struct requests *r, const struct eventring_event *event)
{
  return event->words == 1
         && class_of(r->roles, event->id).kind == EVENTRING_KIND_REQUEST;
}

bool request_begin(struct requests *r, const struct eventring_event *event,
                   int64_t *begin_ns)
{
  if (event->form != EVENTRING_EV_END || !is_request(r, event)) return false;
  const struct open *o = find(r, event->payload[0]);
  if (o == NULL || o->id != event->id) return false;
  *begin_ns = o->begin_ns;
  return true;
}

static void take_instant(struct requests *r,
                         const struct eventring_event *event)
{
  const enum event_role role = role_of(r->roles, event->id);
  struct worker *w;
  if (is_wait_role(role)) take_wait(r, role, event);
  switch (role) {
  case ROLE_REQUEST_RUN:
    if (event->words > 0) begin_run(r, event, event->payload[0]);
    break;
  case ROLE_STOP:
    if (event->words > 0) take_stop(r, event);
    break;
  case ROLE_THREAD_RUN:
    r->threads_known = true;
    break;
  case ROLE_THREAD_ENDS:
    if ((w = known_worker(r, event->thread)) != NULL) end_run(r, w, event->ns);
    break;
  case ROLE_DOMAIN_ENDS:
    end_others(r, NULL, event->ring, event->ns);
    break;
  case ROLE_RING_PAUSE:
  case ROLE_RING_RESUME:
    forget_runs(r);
    break;
  default:
    break;
  }
}

bool request_ended(struct requests *r, const struct eventring_event *event,
                   struct ended_request *ended)
{
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) forget_runs(r);
  if (event->form == EVENTRING_EV_CONTROL_CHANGED || event->ring >= r->rings)
    return false;
  struct last *last = &r->last[event->ring];
  switch (event->form) {
  case EVENTRING_EV_LOST:
    forget_runs(r);
    r->losses++;
    doubt(r, last->ns);
    break;
  case EVENTRING_EV_BEGIN:
    if (is_request(r, event)) begin_request(r, event);
    break;
  case EVENTRING_EV_END:
    *last = (struct last) { event->ns, event->thread };
    return is_request(r, event) && end_request(r, event, ended);
  case EVENTRING_EV_INSTANT:
    take_instant(r, event);
    break;
  default:
    break;
  }
  *last = (struct last) { event->ns, event->thread };
  return false;
}
