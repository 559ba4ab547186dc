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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "between_text.h"
#include "download.h"
#include "event_json.h"
#include "filter.h"
#include "filter_words.h"
#include "memory.h"
#include "reading.h"
#include "json.h"
#include "live_sites.h"
#include "lock_waits.h"
#include "profile.h"
#include "profile_pprof.h"
#include "slow_requests.h"
#include "spans.h"
#include "symbols.h"
#include "target.h"
#include "timeline.h"
#include "window_text.h"
#include "windows.h"

/* A recording is read from this long before the window until this long behind
   it.  A timeline has longer spans from the view, as far as it has read. */
#define MARGIN_NS LONG_SPAN_NS
#define SLACK_NS (SECOND_NS / 10)

/* The time of the data that a view has, and its long spans in a window. */
struct extent {
  const struct query *query;
  int64_t first_ns, now_ns;
  struct long_span *spans;
  size_t span_count;
  struct begin { uint32_t domain; int64_t ns; } *begins;  /* of a recording, after
                                                             events of its domain */
  size_t begin_count;
};

/* A window of the events of a view, and the reading of it. */
struct window {
  struct view *view;
  const struct query *query;
  int64_t from_ns, to_ns;         /* CLOCK_MONOTONIC */
  int64_t started_ns;
  int64_t margin_ns;              /* read before and behind */
  bool from_start;                /* all events before the window are read */
  struct eventring_cursor *cursor;
  void (*event)(struct window *w, const struct eventring_event *event);
  void (*idle)(struct window *w);
  int64_t last_ns;                /* of the events that were read */
  bool enough;                    /* the work wants no more */
  void *state;                    /* of the work */
  unsigned status;                /* of a refusal, with [why]; 0: none */
  char why[512];
  json_t *result;
  char *text;                     /* instead of [result] */
  struct download *download;      /* for a profile of pprof */
  int sink_error;                 /* an errno: the file could not be written; or 0 */
  struct extent extent;           /* for a timeline and live sites */
  struct condition request;       /* for a profile of one */
};

static bool is_in_window(const struct window *w,
                         const struct eventring_event *event)
{
  return event->ns >= w->from_ns && event->ns < w->to_ns;
}

static void take_event(void *state, const struct eventring_event *event)
{
  struct window *w = state;
  if (event->ns > w->last_ns) w->last_ns = event->ns;
  if (!w->enough) w->event(w, event);
}

/* Ends the reading behind the window and its margin: events of different
   domains may be a little out of order. */
static bool pass(void *state, bool idle)
{
  struct window *w = state;
  if (idle && w->idle != NULL) w->idle(w);
  return !w->enough
         && time_since(w->last_ns, w->to_ns) < w->margin_ns + SLACK_NS;
}

/* Opens the file of [w] and computes the times of the window.  Returns false,
   with the reason in [w], when it cannot be opened. */
static bool open_window(struct window *w)
{
  w->cursor = view_open(w->view, false, w->why, sizeof w->why);
  if (w->cursor == NULL) {
    w->status = 503;
    return false;
  }
  struct eventring_info info = target_info(w->cursor);
  w->started_ns = info.started_ns;
  w->from_ns = time_after(info.started_ns, w->query->from_ns);
  w->to_ns = time_after(info.started_ns, w->query->to_ns);
  if (info.format == EVENTRING_FORMAT_RECORDING && w->query->from_ns > 0
      && !w->from_start)
    eventring_seek(w->cursor, time_after(w->from_ns, -w->margin_ns));
  return true;
}

/* Closes the file of [w].  If it was cut shorter, that is the answer. */
static void close_window(struct window *w)
{
  if (view_close(w->view, w->cursor)) return;
  w->status = 503;
  snprintf(w->why, sizeof w->why, VIEW_CUT);
}

/* Damage is in the object of the process: the view has read the file, too. */
static void take_problem(void *state, const struct source *source, bool failed,
                         const char *what)
{
  (void) source;
  struct window *w = state;
  if (!failed) return;
  w->status = 500;
  snprintf(w->why, sizeof w->why, "%s", what);
}

static void read_window(struct window *w)
{
  read_cursor(w->cursor, &(struct reading) {
    .changes = true, .state = w, .event = take_event, .pass = pass,
    .problem = take_problem
  });
}

/* Statistics */

static void stat_event(struct window *w, const struct eventring_event *event)
{
  summary_event(w->state, event);
}

/* The function of view_look that tells the summary [state] of a window of the
   waits that end behind the window or go on. */
static void add_waits(struct view_data *d, void *state)
{
  struct summary *s = state;
  const struct summary_numbers *n = summary_numbers(s);
  struct long_span *list;
  const size_t count = live_long_spans(d->live, n->from_ns, n->to_ns, &list);
  for (size_t i = 0; i < count; i++) {
    const struct long_span *k = &list[i];
    if (k->complete && k->to_ns >= n->to_ns
        && (is_open_wait(k) || summary_is_wait(s, k->id))
        && !live_is_backup(d->live, k->domain, k->thread))
      summary_waited(s, k->domain, k->thread, k->from_ns, k->to_ns);
  }
  free(list);
}

int64_t finish_window(struct view *view, struct summary *s, int64_t last_ns)
{
  const struct summary_numbers *n = summary_numbers(s);
  int64_t until_ns = summary_until(s);
  if (until_ns < last_ns) until_ns = last_ns;
  if (until_ns > n->to_ns) until_ns = n->to_ns;
  if (n->from_ns != INT64_MIN) view_look(view, add_waits, s);
  return until_ns;
}

static void stat_idle(struct window *w)
{
  summary_idle(w->state);
}

/* The function of view_look that takes the statistics of all events that were
   read since the file was opened, of which a ring may have overwritten most:
   *[state] becomes their object.  Leaves it if the events that were there at the
   opening are still being read. */
static void look_at_all(struct view_data *d, void *state)
{
  if (!d->reading) *(json_t **) state = json_summary(live_summary(d->live));
}

static void stat_window(void *state)
{
  struct window *w = state;
  if (!open_window(w)) return;
  struct summary *s = new_summary(w->cursor);
  if (w->query->from_ns > 0 || w->query->to_ns < INT64_MAX)
    summary_window(s, w->from_ns, w->to_ns);
  w->state = s;
  w->event = stat_event;
  if (w->query->to_ns == INT64_MAX) w->idle = stat_idle;
  read_window(w);
  w->result = json_summary_until(s, finish_window(w->view, s, w->last_ns));
  free_summary(s);
  close_window(w);
}

/* Events */

struct events {
  struct filter *filter;
  struct spans *spans;
  uint32_t rings;                 /* 0: the file is a recording */
  bool *begun;                    /* by ring: an event of it was read */
  json_t *list;
  bool more;
};

/* Returns whether [event] says that a ring has overwritten the events before the
   oldest one that it has now, which the server may have read. */
static bool is_overwritten(struct events *e,
                           const struct eventring_event *event)
{
  if (event->ring >= e->rings) return false;
  const bool first = !e->begun[event->ring];
  e->begun[event->ring] = true;
  return first && event->form == EVENTRING_EV_LOST;
}

static void events_event(struct window *w, const struct eventring_event *event)
{
  struct events *e = w->state;
  int64_t since;
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) {
    span_ended(e->spans, event, &since);
    return;
  }
  const bool overwritten = is_overwritten(e, event);
  int64_t took_ns = span_ended(e->spans, event, &since)
                    ? time_since(event->ns, since) : -1;
  if (!is_in_window(w, event) || !filter_wants(e->filter, event, took_ns))
    return;
  if (json_array_size(e->list) == w->query->limit) {
    e->more = w->enough = true;
    return;
  }
  json_t *json = event_json(w->cursor, w->started_ns, event, took_ns);
  if (overwritten) json_object_set_new(json, "overwritten", json_true());
  json_array_append_new(e->list, json);
}

static void events_window(void *state)
{
  struct window *w = state;
  char words[QUERY_FILTER];
  struct events e = { .filter = new_filter() };
  memcpy(words, w->query->filter, sizeof words);
  filter_keep_earlier(e.filter);
  if (!filter_words(e.filter, words, w->why, sizeof w->why)) {
    w->status = 400;
  } else if (open_window(w)) {
    if (!filter_begin(e.filter, w->cursor, w->why, sizeof w->why))
      w->status = 400;
    else {
      const struct eventring_info info = target_info(w->cursor);
      e.rings = info.format == EVENTRING_FORMAT_RECORDING ? 0 : info.rings;
      e.begun = allocate(info.rings, sizeof *e.begun);
      e.spans = new_spans(w->cursor);
      e.list = json_array();
      w->state = &e;
      w->event = events_event;
      read_window(w);
      free_spans(e.spans);
      free(e.begun);
      w->result = json_pack("{s:o, s:b}", "events", e.list, "more", e.more);
    }
    close_window(w);
  }
  free_filter(e.filter);
}

/* Pairs of events */

static void between_window_event(struct window *w,
                                 const struct eventring_event *event)
{
  between_event(w->state, event, is_in_window(w, event));
}

/* Makes a filter for pairs of [words], which must stay valid as long as the
   filter.  Puts the reason of a refusal into [w]. */
static struct filter *pair_filter(struct window *w, char *words)
{
  struct filter *filter = new_filter();
  filter_keep_earlier(filter);
  if (w->status == 0 && !between_filter(filter, words, w->why, sizeof w->why))
    w->status = 400;
  return filter;
}

/* Reads the pairs of [w] into its result.  The file of [w] must be open. */
static void read_pairs(struct window *w, struct filter *first,
                       struct filter *then)
{
  if (!filter_begin(first, w->cursor, w->why, sizeof w->why)
      || !filter_begin(then, w->cursor, w->why, sizeof w->why)) {
    w->status = 400;
    return;
  }
  struct between *between = new_between(w->cursor, first, then,
                                        w->query->scope);
  w->state = between;
  w->event = between_window_event;
  read_window(w);
  const struct between_result *r = between_result(between);
  w->result = json_between(w->cursor, r);
  json_object_update_new(w->result, json_durations(&r->durations));
  json_object_set_new(w->result, "buckets", json_buckets(&r->durations));
  free_between(between);
}

static void between_window(void *state)
{
  struct window *w = state;
  char first_words[QUERY_FILTER], then_words[QUERY_FILTER];
  memcpy(first_words, w->query->filter, sizeof first_words);
  memcpy(then_words, w->query->then, sizeof then_words);
  struct filter *first = pair_filter(w, first_words);
  struct filter *then = pair_filter(w, then_words);
  if (w->status == 0 && open_window(w)) {
    read_pairs(w, first, then);
    close_window(w);
  }
  free_filter(first);
  free_filter(then);
}

/* Requests */

static void requests_event(struct window *w, const struct eventring_event *event)
{
  slow_requests_event(w->state, event);
}

static json_t *json_request(const struct window *w, const struct ended_request *r)
{
  const struct eventring_description *d = eventring_describe(w->cursor, r->id);
  json_t *json = json_pack(
    "{s:I, s:o, s:I, s:I, s:I}", "number", (json_int_t) r->number,
    "name", json_text(d != NULL ? d->name : "?"),
    "from", (json_int_t) time_since(r->begin_ns, w->started_ns),
    "to", (json_int_t) time_since(r->end_ns, w->started_ns),
    "duration_ns", (json_int_t) time_since(r->end_ns, r->begin_ns));
  json_object_set_new(json, "running_ns", r->runs_known
    ? json_integer((json_int_t) r->running_ns) : json_null());
  json_object_set_new(json, "waiting_ns", r->runs_known
    ? json_integer((json_int_t) r->waiting_ns) : json_null());
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
  const struct ended_request *r = slow_requests_list(s, &count);
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(list, json_request(w, &r[i]));
  w->result = json_pack("{s:o, s:o, s:o}", "requests", list,
                        "kinds", json_request_kinds(w, s), "runs", json_runs(w, s));
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
    "{s:s, s:s?, s:I, s:I, s:I}", "kind", lock_kind_name[l->kind],
    "lock", l->kind != LOCK_DOMAIN && l->lock == 0 ? NULL : lock,
    "waits", (json_int_t) l->waits, "total_ns", (json_int_t) l->total_ns,
    "longest_ns", (json_int_t) l->longest_ns);
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

/* Timelines */

/* The most events that are read for a timeline, of the window and behind it;
   after those of the window the history tells how much each domain
   collected. */
#define TIMELINE_EVENTS (3 * 1000 * 1000)
#define TIMELINE_BEHIND (500 * 1000)

/* Takes notice of the domains whose events a recording has from some time on. */
static void look_begins(struct view_data *d, struct extent *extent)
{
  const struct summary *s = live_summary(d->live);
  const struct summary_numbers *n = summary_numbers(s);
  if (d->info.format != EVENTRING_FORMAT_RECORDING) return;
  extent->begins = allocate(n->domain_count + 1, sizeof *extent->begins);
  for (uint32_t i = 0; i < n->domain_count; i++) {
    const struct domain_numbers *domain = domain_numbers(n->domains[i]);
    if (summary_begin_is_lost(s, n->domains[i]))
      extent->begins[extent->begin_count++] =
        (struct begin) { domain->id, domain->watched_from };
  }
}

static void look_extent(struct view_data *d, void *state)
{
  struct extent *extent = state;
  const struct query *q = extent->query;
  const int64_t started_ns = d->info.started_ns;
  const bool whole = q->from_ns == 0 && q->to_ns == INT64_MAX;
  extent->first_ns = summary_numbers(live_summary(d->live))->first_ns;
  /* A window that the client chose shows overwritten events as a gap. */
  const bool begins_late = d->info.format == EVENTRING_FORMAT_RECORDING
                           || lost_events(d->cursor) > 0;
  if (extent->first_ns < started_ns || (!whole && begins_late))
    extent->first_ns = started_ns;
  extent->now_ns = time_after(d->now_ns, 1);
  extent->span_count =
    live_long_spans(d->live, time_after(started_ns, q->from_ns),
                    time_after(started_ns, q->to_ns), &extent->spans);
  look_begins(d, extent);
}

static int64_t clipped(int64_t ns, int64_t low, int64_t high)
{
  return ns < low ? low : ns > high ? high : ns;
}

struct reading_timeline {
  struct timeline *timeline;
  uint64_t events, behind;
};

static void timeline_window_event(struct window *w,
                                  const struct eventring_event *event)
{
  struct reading_timeline *r = w->state;
  timeline_event(r->timeline, event);
  if (event->ns >= w->to_ns) w->enough = ++r->behind >= TIMELINE_BEHIND;
  else if (event->ns >= w->from_ns)
    w->enough = ++r->events >= TIMELINE_EVENTS;
}

/* Adds the gaps before the oldest events that the rings of a process still
   hold. */
static void find_overwritten(struct window *w, struct timeline *timeline)
{
  char why[512];
  struct eventring_event event;
  if (target_info(w->cursor).format == EVENTRING_FORMAT_RECORDING) return;
  struct eventring_cursor *cursor = view_open(w->view, false, why, sizeof why);
  if (cursor == NULL) return;
  const uint32_t rings = target_info(cursor).rings;
  for (uint32_t ring = 0; ring < rings; ring++)
    if (eventring_read_ring(cursor, ring, &event, 1) == 1
        && event.form == EVENTRING_EV_LOST)
      timeline_overwritten(timeline, &event);
  view_close(w->view, cursor);
}

/* Cuts the window to the time of the data. */
static void clip_window(struct window *w)
{
  w->from_ns = clipped(w->from_ns, w->extent.first_ns, w->extent.now_ns - 1);
  w->to_ns = clipped(w->to_ns, w->from_ns + 1, w->extent.now_ns);
}

static void timeline_window(void *state)
{
  struct window *w = state;
  if (!open_window(w)) return;
  clip_window(w);
  struct reading_timeline r = {
    .timeline = new_timeline(w->cursor, w->from_ns, w->to_ns,
                             w->query->width)
  };
  w->state = &r;
  w->event = timeline_window_event;
  timeline_know(r.timeline, w->extent.spans, w->extent.span_count);
  find_overwritten(w, r.timeline);
  for (size_t i = 0; i < w->extent.begin_count; i++)
    timeline_not_recorded(r.timeline, w->extent.begins[i].domain,
                          w->extent.begins[i].ns);
  read_window(w);
  int64_t until_ns = w->enough && w->last_ns < w->to_ns ? w->last_ns
                                                        : w->to_ns;
  timeline_finish(r.timeline);
  struct timeline_text text = {
    .cursor = w->cursor, .view = w->view, .started_ns = w->started_ns,
    .from_ns = w->from_ns, .to_ns = w->to_ns, .until_ns = until_ns
  };
  w->text = print_timeline(r.timeline, &text);
  free_timeline(r.timeline);
  close_window(w);
}

/* Flame graphs */

static void flame_event(struct window *w, const struct eventring_event *event)
{
  if (is_in_window(w, event)) profile_event(w->state, event);
}

/* A profile of a window, which end_profile frees. */
struct window_profile {
  struct filter *filter;
  struct symbols *symbols;
  struct profile *profile;
};

/* Reads the profile of the window [w], of which the file must be open. */
static struct window_profile read_profile(struct window *w)
{
  struct window_profile p = { .filter = new_filter() };
  char from[32];
  /* A sample of a block that is alive may be in the window, and the allocation
     of the block before the window. */
  snprintf(from, sizeof from, "%" PRId64 "ns", w->query->from_ns);
  if (w->query->from_ns > 0)
    filter_add(p.filter, FILTER_FROM, from, w->why, sizeof w->why);
  filter_keep_earlier(p.filter);
  filter_begin(p.filter, w->cursor, w->why, sizeof w->why);
  p.symbols = new_symbols(w->cursor, NULL, NULL);
  w->request = (struct condition) { .kind = IN_THE_REQUEST, .slower_ns = -1,
                                    .number = w->query->number };
  p.profile = new_profile(w->cursor, p.filter, &w->request, w->query->number != 0);
  profile_set_type(p.profile, w->query->type);
  w->state = p.profile;
  w->event = flame_event;
  read_window(w);
  profile_finish(p.profile, p.symbols);
  return p;
}

static void end_profile(struct window_profile *p)
{
  free_profile(p->profile);
  free_symbols(p->symbols);
  free_filter(p->filter);
}

static void flame_window(void *state)
{
  struct window *w = state;
  if (!open_window(w)) return;
  struct window_profile p = read_profile(w);
  w->text = print_flame(p.profile);
  end_profile(&p);
  close_window(w);
}

/* Profiles for pprof */

/* Puts the reason of a refusal into [w]. */
static void refuse_window(struct window *w, unsigned status, const char *why)
{
  w->status = status;
  snprintf(w->why, sizeof w->why, "%s", why);
}

/* Writes [profile] to the file of the download. */
static void save_profile(struct window *w, const struct profile *profile)
{
  const struct eventring_info info = target_info(w->cursor);
  const struct profile_origin origin = origin_of_process(w->cursor);
  struct sink *sink = allocate(1, sizeof *sink);
  begin_sink(sink, download_fd(w->download), DOWNLOAD_BYTES);
  const bool made = write_pprof(sink, &origin, profile);
  sink_flush(sink);
  if (!made) refuse_window(w, 409, "not enough memory");
  w->sink_error = sink->error;
  free(sink);
  name_download(w->download, "application/gzip", &info, w->query, ".pb.gz");
}

static void pprof_window(void *state)
{
  struct window *w = state;
  if (!open_window(w)) return;
  struct window_profile p = read_profile(w);
  if (profile_sums(p.profile).samples == 0)
    refuse_window(w, 409, "there are no samples of this type in this time");
  if (w->status == 0) save_profile(w, p.profile);
  end_profile(&p);
  close_window(w);
}

/* Live sites */

static void live_sites_window_event(struct window *w,
                                    const struct eventring_event *event)
{
  if (event->ns < w->to_ns) live_sites_event(w->state, event);
}

static void live_sites_window(void *state)
{
  struct window *w = state;
  if (!open_window(w)) return;
  clip_window(w);
  const uint32_t moments = w->query->width < LIVE_SITES_MOMENTS
                           ? w->query->width : LIVE_SITES_MOMENTS;
  struct symbols *symbols = new_symbols(w->cursor, NULL, NULL);
  struct live_sites *sites = new_live_sites(w->cursor, w->from_ns, w->to_ns - 1,
                                            moments);
  w->state = sites;
  w->event = live_sites_window_event;
  read_window(w);
  w->result = json_live_sites(live_sites_result(sites, symbols), w->started_ns);
  free_live_sites(sites);
  free_symbols(symbols);
  close_window(w);
}

/* Answers */

/* Returns the answer that [work] makes of [w]. */
static struct answer make_answer(struct window *w, void (*work)(void *state))
{
  work_in_turn(work, w);
  free(w->extent.spans);
  free(w->extent.begins);
  if (w->status == 0)
    return (struct answer) { .status = 200, .json = w->result, .text = w->text,
                             .type = "application/json" };
  json_decref(w->result);
  free(w->text);
  return refusal(w->status, "%s", w->why);
}

static struct window new_window(const struct asked *asked)
{
  return (struct window) {
    .view = asked->view, .query = asked->query, .margin_ns = MARGIN_NS,
    .last_ns = INT64_MIN, .extent.query = asked->query
  };
}

struct answer answer_stat(const struct asked *asked)
{
  struct window w = new_window(asked);
  if (w.query->from_ns == 0 && w.query->to_ns == INT64_MAX)
    view_look(w.view, look_at_all, &w.result);
  const bool all_read = w.result != NULL;
  struct answer answer = all_read
    ? (struct answer) { .status = 200, .json = w.result }
    : make_answer(&w, stat_window);
  if (answer.status == 200)
    json_object_set_new(answer.json, "all_read", json_boolean(all_read));
  return answer;
}

struct answer answer_events(const struct asked *asked)
{
  struct window w = new_window(asked);
  return make_answer(&w, events_window);
}

struct answer answer_between(const struct asked *asked)
{
  struct window w = new_window(asked);
  return make_answer(&w, between_window);
}

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

struct answer answer_flame(const struct asked *asked)
{
  struct window w = new_window(asked);
  w.margin_ns = 0;
  return make_answer(&w, flame_window);
}

struct answer answer_pprof(const struct asked *asked)
{
  struct window w = new_window(asked);
  w.margin_ns = 0;
  w.download = new_download(asked->settings, w.why, sizeof w.why);
  if (w.download == NULL) return refusal(409, "%s", w.why);
  struct answer answer = make_answer(&w, pprof_window);
  if (answer.status == 200 && w.sink_error != 0)
    answer = refuse_download(w.sink_error);
  if (answer.status == 200) answer.download = w.download;
  else close_download(w.download);
  return answer;
}

struct answer answer_live_sites(const struct asked *asked)
{
  struct window w = new_window(asked);
  w.margin_ns = 0;
  w.from_start = true;
  if (!view_look(w.view, look_extent, &w.extent))
    return refusal(503, VIEW_CUT);
  return make_answer(&w, live_sites_window);
}

struct answer answer_timeline(const struct asked *asked)
{
  struct window w = new_window(asked);
  if (!view_look(w.view, look_extent, &w.extent))
    return refusal(503, VIEW_CUT);
  return make_answer(&w, timeline_window);
}
