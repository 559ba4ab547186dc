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


/* The slowest requests of a window, and its waits for locks. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "json.h"
#include "live_stats.h"
#include "lock_waits.h"
#include "memory.h"
#include "request_log.h"
#include "slow_requests.h"
#include "target.h"
#include "windows.h"
#include "windows_internal.h"

/* Requests */

static void requests_event(struct window *w, const struct eventring_event *event)
{
  slow_requests_event(w->state, event);
}

/* Returns the waits of a request as an array. */
static json_t *json_request_waits(const struct window *w, const struct ended_request *r)
{
  json_t *waits = json_array();
  for (uint32_t i = 0; i < REQUEST_WAITS && r->waits[i].count > 0; i++) {
    const struct eventring_description *d =
      eventring_describe(w->cursor, r->waits[i].id);
    json_array_append_new(waits, json_pack(
      "{s:o, s:I, s:I}", "name", json_text(d != NULL ? d->name : "?"),
      "count", (json_int_t) r->waits[i].count,
      "total_ns", (json_int_t) r->waits[i].ns));
  }
  if (r->domain_lock.count > 0)
    json_array_append_new(waits, json_pack(
      "{s:s, s:I, s:I}", "name", "domain_lock", "count",
      (json_int_t) r->domain_lock.count, "total_ns", (json_int_t) r->domain_lock.ns));
  if (r->other_waits_ns > 0)
    json_array_append_new(waits, json_pack("{s:n, s:n, s:I}", "name", "count", "total_ns",
                                           (json_int_t) r->other_waits_ns));
  return waits;
}

static json_t *json_request(const struct window *w, const struct ended_request *r,
                            bool overwritten)
{
  const struct eventring_description *d = eventring_describe(w->cursor, r->id);
  json_t *json = json_pack(
    "{s:I, s:o, s:b, s:I, s:I, s:I}", "number", (json_int_t) r->number,
    "name", json_text(d != NULL ? d->name : "?"), "overwritten", overwritten,
    "from", (json_int_t) time_since(r->begin_ns, w->started_ns),
    "to", (json_int_t) time_since(r->end_ns, w->started_ns),
    "duration_ns", (json_int_t) time_since(r->end_ns, r->begin_ns));
  json_object_set_new(json, "running_ns", r->runs_known
    ? json_integer((json_int_t) r->running_ns) : json_null());
  json_object_set_new(json, "waiting_ns", r->runs_known
    ? json_integer((json_int_t) r->waiting_ns) : json_null());
  json_object_set_new(json, "collector_ns", r->runs_known
    ? json_integer((json_int_t) r->collector_ns) : json_null());
  json_object_set_new(json, "waits", r->runs_known ? json_request_waits(w, r)
                                                   : json_null());
  return json;
}

static json_t *json_request_kinds(const struct window *w, struct slow_requests *s)
{
  json_t *kinds = json_array();
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct histogram *h = slow_requests_durations(s, (uint16_t) id);
    if (h == NULL) continue;
    const struct eventring_description *d =
      eventring_describe(w->cursor, (uint16_t) id);
    json_t *kind = json_durations(h);
    json_object_set_new(kind, "name", json_text(d != NULL ? d->name : "?"));
    json_object_set_new(kind, "buckets", json_buckets(h));
    json_array_append_new(kinds, kind);
  }
  return kinds;
}

static json_t *json_runs(const struct window *w, const struct slow_requests *s)
{
  size_t count;
  const struct ended_run *run = slow_requests_runs(s, &count);
  json_t *runs = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(runs, json_pack(
      "{s:I, s:I, s:I, s:I}", "domain", (json_int_t) run[i].domain,
      "thread", (json_int_t) run[i].thread,
      "from", (json_int_t) time_since(run[i].begin_ns, w->started_ns),
      "to", (json_int_t) time_since(run[i].end_ns, w->started_ns)));
  return runs;
}

/* Requests that the server has seen, and those that are open, as the window [w] looks back
   on them. */
struct seen_requests {
  const struct window *w;
  int64_t to_ns;
  struct ended_request *list;
  size_t count;
  struct open_request *open;
  size_t open_count;
};

/* The function of view_look that takes the requests of the log: a ring may have
   overwritten their events. */
static void look_at_log(struct view_data *d, void *state)
{
  struct seen_requests *seen = state;
  const struct window *w = seen->w;
  seen->list = list_request_log(d->request_log, w->from_ns, seen->to_ns, &seen->count);
  seen->open_count = list_open_requests(
    summary_numbers(live_summary(d->live))->requests, d->now_ns, w->query->number,
    seen->open, w->query->limit);
}

/* Returns what the server has seen of the requests of the window, up to its last event.
   The caller frees both lists. */
static struct seen_requests see_requests(const struct window *w)
{
  const bool whole = w->last_ns == INT64_MIN || w->last_ns >= w->to_ns;
  struct seen_requests seen = {
    .w = w, .to_ns = whole ? w->to_ns : time_after(w->last_ns, 1),
    .open = allocate(w->query->limit, sizeof *seen.open)
  };
  view_look(w->view, look_at_log, &seen);
  return seen;
}

static bool has_request(const struct slow_request *list, uint32_t count, uint64_t number)
{
  for (uint32_t i = 0; i < count; i++)
    if (list[i].ended.number == number) return true;
  return false;
}

/* Returns the open requests of [seen] but for the [count] in [ended], whose ends the server
   has not read elsewhere, and that begin behind the window, as an array. */
static json_t *json_open_requests(const struct seen_requests *seen,
                                  const struct slow_request *ended, uint32_t count)
{
  json_t *list = json_array();
  for (size_t i = 0; i < seen->open_count; i++) {
    const struct open_request *open = &seen->open[i];
    if (open->so_far.begin_ns >= seen->w->to_ns
        || has_request(ended, count, open->so_far.number)) continue;
    json_t *json = json_request(seen->w, &open->so_far, false);
    json_object_set_new(json, "thread", open->thread != 0 ? json_integer(open->thread)
                                                          : json_null());
    json_array_append_new(list, json);
  }
  return list;
}

static void requests_window(void *state)
{
  struct window *w = state;
  uint32_t count;
  if (!open_window(w)) return;
  struct slow_requests *s = new_slow_requests(w->cursor, w->from_ns, w->to_ns,
                                              w->query->limit, w->query->number);
  w->state = s;
  w->event = requests_event;
  read_window(w);
  struct seen_requests seen = see_requests(w);
  for (size_t i = 0; i < seen.count; i++) slow_requests_add(s, &seen.list[i]);
  if (seen.open_count > 0) slow_requests_end(s, seen.open[0].so_far.end_ns);
  const struct slow_request *r = slow_requests_list(s, &count);
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(list, json_request(w, &r[i].ended, r[i].overwritten));
  w->result = json_pack("{s:o, s:o, s:o, s:o}", "requests", list,
                        "open", json_open_requests(&seen, r, count),
                        "kinds", json_request_kinds(w, s), "runs", json_runs(w, s));
  free(seen.list);
  free(seen.open);
  free_slow_requests(s);
  close_window(w);
}

/* Locks */

static void locks_event(struct window *w, const struct eventring_event *event)
{
  lock_waits_event(w->state, event);
}

/* Returns the [count] parts at [parts] as an array; [spans]: they are spans. */
static json_t *json_lock_parts(const struct window *w, const struct lock_part *parts,
                               uint32_t count, bool spans)
{
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) {
    json_t *part = json_pack("{s:I, s:I}", "waits", (json_int_t) parts[i].waits,
                             "total_ns", (json_int_t) parts[i].total_ns);
    const struct eventring_description *d =
      spans ? eventring_describe(w->cursor, (uint16_t) parts[i].what) : NULL;
    if (spans) json_object_set_new(part, "span", json_text(d != NULL ? d->name : "?"));
    else json_object_set_new(part, "thread", json_integer(parts[i].what));
    json_array_append_new(list, part);
  }
  return list;
}

static json_t *json_lock(const struct window *w, const struct lock_wait *l)
{
  char lock[32];
  snprintf(lock, sizeof lock, l->kind == LOCK_DOMAIN ? "%" PRIu64 : "0x%" PRIx64,
           l->lock);
  json_t *json = json_pack(
    "{s:s, s:s?, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I}}", "kind", lock_kind_name[l->kind],
    "lock", l->kind != LOCK_DOMAIN && l->lock == 0 ? NULL : lock,
    "waits", (json_int_t) l->waits, "total_ns", (json_int_t) l->total_ns,
    "longest_ns", (json_int_t) l->longest_ns, "longest",
    "from", (json_int_t) time_since(l->longest_begin_ns, w->started_ns),
    "to", (json_int_t) time_since(l->longest_end_ns, w->started_ns),
    "domain", (json_int_t) l->longest_domain, "thread", (json_int_t) l->longest_thread);
  json_object_set_new(json, "holders",
                      json_lock_parts(w, l->holders, l->holder_count, false));
  json_object_set_new(json, "spans", json_lock_parts(w, l->spans, l->span_count, true));
  return json;
}

static void locks_window(void *state)
{
  struct window *w = state;
  uint32_t count;
  if (!open_window(w)) return;
  struct lock_waits *l = new_lock_waits(w->cursor, w->from_ns, w->to_ns);
  w->state = l;
  w->event = locks_event;
  read_window(w);
  const struct lock_wait *lock = lock_waits_list(l, &count);
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(list, json_lock(w, &lock[i]));
  w->result = json_pack("{s:o, s:I}", "locks", list, "left_out",
                        (json_int_t) lock_waits_left_out(l));
  free_lock_waits(l);
  close_window(w);
}

/* Answers */

struct answer answer_locks(const struct asked *asked)
{
  struct window w = new_window(asked);
  return make_answer(&w, locks_window);
}

struct answer answer_requests(const struct asked *asked)
{
  struct window w = new_window(asked);
  /* A request may have begun long before the window. */
  w.from_start = true;
  return make_answer(&w, requests_window);
}
