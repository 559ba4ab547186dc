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

/* The list has room for twice as many as are asked for: when it is full, the slower half
   stays. */

#include <stdlib.h>
#include "event_roles.h"
#include "memory.h"
#include "slow_requests.h"
#include "spans.h"

struct slow_requests {
  struct requests *requests;
  struct spans *spans;
  struct event_roles *roles;
  int64_t from_ns, to_ns;
  uint64_t number;
  uint32_t most, count;
  struct slow_request *list;      /* [count], less than 2 * [most] but for a time */
  struct histogram *durations[UINT16_MAX + 1];
  struct ended_run *runs;
  size_t run_count, run_room;
};

static void take_run(void *state, const struct ended_run *run)
{
  struct slow_requests *s = state;
  if (run->number != s->number || s->number == 0
      || s->run_count == SLOW_REQUEST_RUNS) return;
  s->runs = with_room(s->runs, s->run_count, &s->run_room, sizeof *s->runs);
  s->runs[s->run_count++] = *run;
}

/* The function of watch_requests. */
static void doubt(void *state, int64_t since_ns)
{
  struct slow_requests *s = state;
  for (uint32_t i = 0; i < s->count; i++)
    if (s->list[i].ended.end_ns > since_ns) s->list[i].ended.runs_known = false;
}

struct slow_requests *new_slow_requests(struct eventring_cursor *cursor,
                                        int64_t from_ns, int64_t to_ns,
                                        uint32_t most, uint64_t number)
{
  struct slow_requests *s = allocate(1, sizeof *s);
  s->requests = new_requests(cursor);
  s->spans = new_spans(cursor);
  s->roles = new_event_roles(cursor);
  watch_runs(s->requests, take_run, s);
  watch_requests(s->requests, NULL, doubt, s);
  s->from_ns = from_ns;
  s->to_ns = to_ns;
  s->most = most;
  s->number = number;
  s->list = allocate(2 * (size_t) most, sizeof *s->list);
  return s;
}

void free_slow_requests(struct slow_requests *s)
{
  for (uint32_t id = 0; id <= UINT16_MAX; id++) free(s->durations[id]);
  free(s->list);
  free(s->runs);
  free_requests(s->requests);
  free_spans(s->spans);
  free(s->roles);
  free(s);
}

static uint64_t duration(const struct slow_request *r)
{
  return (uint64_t) (r->ended.end_ns - r->ended.begin_ns);
}

/* The slower of two comes first, of equal ones the earlier. */
static int compare(const void *a, const void *b)
{
  const struct slow_request *x = a, *y = b;
  if (duration(x) != duration(y)) return duration(x) > duration(y) ? -1 : 1;
  const uint64_t m = x->ended.number, n = y->ended.number;
  return m < n ? -1 : m > n;
}

/* Sorts the list, and keeps the slowest. */
static void cut(struct slow_requests *s)
{
  qsort(s->list, s->count, sizeof *s->list, compare);
  if (s->count > s->most) s->count = s->most;
}

static void append(struct slow_requests *s, const struct ended_request *request,
                   bool overwritten)
{
  if (s->count == 2 * s->most) cut(s);
  s->list[s->count++] = (struct slow_request) { *request, overwritten };
}

/* A collection that began so long before another one of its kind has no end. */
#define FORGOTTEN_NS INT64_C(10000000000)

/* Takes what [event] tells of collections. */
static void take_collection(struct slow_requests *s, const struct eventring_event *event)
{
  const struct event_class class = class_of(s->roles, event->id);
  int64_t since_ns;
  if (event->form == EVENTRING_EV_BEGIN && is_collector_span(class))
    forget_alike(s->spans, event, event->ns - FORGOTTEN_NS);
  if (span_ended(s->spans, event, &since_ns) && is_collecting(class)
      && !in_collecting_span(s->spans, event->ring))
    request_collected(s->requests, event, since_ns);
}

void slow_requests_event(struct slow_requests *s, const struct eventring_event *event)
{
  take_collection(s, event);
  struct ended_request request;
  if (!request_ended(s->requests, event, &request) || event->ns < s->from_ns
      || event->ns >= s->to_ns || (s->number != 0 && request.number != s->number))
    return;
  if (s->durations[request.id] == NULL)
    s->durations[request.id] = allocate(1, sizeof **s->durations);
  histogram_add(s->durations[request.id], (uint64_t) (request.end_ns - request.begin_ns));
  append(s, &request, false);
}

void slow_requests_end(struct slow_requests *s, int64_t ns)
{
  end_runs(s->requests, ns);
}

void slow_requests_add(struct slow_requests *s, const struct ended_request *request)
{
  if (s->number != 0 && request->number != s->number) return;
  uint32_t i = 0;
  while (i < s->count && (s->list[i].ended.number != request->number
                          || s->list[i].ended.id != request->id)) i++;
  if (i == s->count) append(s, request, true);
  else if (!s->list[i].ended.runs_known && request->runs_known)
    s->list[i] = (struct slow_request) { *request, true };
}

const struct slow_request *slow_requests_list(struct slow_requests *s, uint32_t *count)
{
  cut(s);
  *count = s->count;
  return s->list;
}

const struct histogram *slow_requests_durations(const struct slow_requests *s,
                                                uint16_t id)
{
  return s->durations[id];
}

const struct ended_run *slow_requests_runs(const struct slow_requests *s, size_t *count)
{
  *count = s->run_count;
  return s->runs;
}
