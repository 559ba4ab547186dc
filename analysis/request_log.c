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
#include "memory.h"
#include "request_log.h"

#define SECOND INT64_C(1000000000)

/* The slowest requests, or those that ended in the second that begins at [from_ns]. */
struct slowest {
  int64_t from_ns;
  uint32_t count;
  uint32_t fastest;               /* of a full list: the one that gives way */
  struct ended_request list[LOGGED_REQUESTS];
};

struct request_log {
  struct requests *requests;
  struct slowest all;
  uint32_t count;
  struct slowest *seconds;        /* [count], by the second modulo [count] */
};

static uint64_t duration(const struct ended_request *r)
{
  return (uint64_t) r->end_ns - (uint64_t) r->begin_ns;
}

static void keep(struct slowest *s, const struct ended_request *r)
{
  if (s->count < LOGGED_REQUESTS) s->list[s->count++] = *r;
  else if (duration(r) > duration(&s->list[s->fastest])) s->list[s->fastest] = *r;
  else return;
  for (uint32_t i = 0; i < s->count; i++)
    if (duration(&s->list[i]) < duration(&s->list[s->fastest])) s->fastest = i;
}

/* The first function of watch_requests.  A request of an older second than those that
   are kept is only in the list of all. */
static void take_request(void *state, const struct ended_request *r)
{
  struct request_log *l = state;
  keep(&l->all, r);
  if (l->count == 0 || r->end_ns < 0) return;
  const int64_t begin = r->end_ns - r->end_ns % SECOND;
  struct slowest *s = &l->seconds[r->end_ns / SECOND % l->count];
  /* A damaged file may have a time far ahead: a much older one replaces it. */
  if (s->from_ns > begin && s->from_ns - begin <= 2 * l->count * SECOND) return;
  if (s->from_ns != begin) *s = (struct slowest) { .from_ns = begin };
  keep(s, r);
}

static void doubt(struct slowest *s, int64_t since_ns)
{
  for (uint32_t i = 0; i < s->count; i++)
    if (s->list[i].end_ns > since_ns) s->list[i].runs_known = false;
}

/* The second function of watch_requests. */
static void doubt_requests(void *state, int64_t since_ns)
{
  struct request_log *l = state;
  doubt(&l->all, since_ns);
  for (uint32_t i = 0; i < l->count; i++) doubt(&l->seconds[i], since_ns);
}

struct request_log *new_request_log(struct requests *requests, uint32_t seconds)
{
  struct request_log *l = allocate(1, sizeof *l);
  l->requests = requests;
  l->count = seconds > 0 ? seconds + 1 : 0;
  l->seconds = allocate(l->count + 1, sizeof *l->seconds);
  for (uint32_t i = 0; i < l->count; i++) l->seconds[i].from_ns = -1;
  watch_requests(requests, take_request, doubt_requests, l);
  return l;
}

void free_request_log(struct request_log *l)
{
  watch_requests(l->requests, NULL, NULL, NULL);
  free(l->seconds);
  free(l);
}

/* Adds the requests of [s] that ended in the window to the [count] ones of [list].
   Returns their number then. */
static size_t collect(const struct slowest *s, int64_t from_ns, int64_t to_ns,
                      struct ended_request *list, size_t count)
{
  for (uint32_t i = 0; i < s->count; i++)
    if (s->list[i].end_ns >= from_ns && s->list[i].end_ns < to_ns)
      list[count++] = s->list[i];
  return count;
}

struct ended_request *list_request_log(const struct request_log *l, int64_t from_ns,
                                       int64_t to_ns, size_t *count)
{
  struct ended_request *list = allocate((l->count + 1) * LOGGED_REQUESTS, sizeof *list);
  *count = collect(&l->all, from_ns, to_ns, list, 0);
  for (uint32_t i = 0; i < l->count; i++)
    *count = collect(&l->seconds[i], from_ns, to_ns, list, *count);
  return list;
}
