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


#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "between_text.h"
#include "event_json.h"
#include "filter.h"
#include "filter_words.h"
#include "json.h"
#include "live_json.h"
#include "long_pauses.h"
#include "memory.h"
#include "reading.h"
#include "spans.h"
#include "target.h"
#include "windows.h"
#include "windows_internal.h"

/* A recording is read from this long before the window until this long behind
   it.  A timeline has longer spans from the view, as far as it has read. */
#define MARGIN_NS LONG_SPAN_NS
#define SLACK_NS (SECOND_NS / 10)

struct answer make_answer(struct window *w, void (*work)(void *state))
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

struct window new_window(const struct asked *asked)
{
  return (struct window) {
    .view = asked->view, .query = asked->query, .margin_ns = MARGIN_NS,
    .last_ns = INT64_MIN, .extent.query = asked->query
  };
}

bool is_in_window(const struct window *w,
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

bool open_window(struct window *w)
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

void close_window(struct window *w)
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

void read_window(struct window *w)
{
  read_cursor(w->cursor, &(struct reading) {
    .changes = true, .state = w, .event = take_event, .pass = pass,
    .problem = take_problem
  });
}

void refuse_window(struct window *w, unsigned status, const char *why)
{
  w->status = status;
  snprintf(w->why, sizeof w->why, "%s", why);
}

/* The time of the data */

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

bool find_extent(struct window *w)
{
  return view_look(w->view, look_extent, &w->extent);
}

void clip_window(struct window *w)
{
  w->from_ns = clipped(w->from_ns, w->extent.first_ns, w->extent.now_ns - 1);
  w->to_ns = clipped(w->to_ns, w->from_ns + 1, w->extent.now_ns);
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
  if (d->reading) return;
  *(json_t **) state = json_summary(live_summary(d->live));
  json_object_set_new(*(json_t **) state, "long_pauses", json_live_pauses(d, INT64_MIN));
}

/* The function of view_look that adds to [state], the pauses of a window, those that the
   server has seen: a ring may have overwritten their events. */
static void add_seen_pauses(struct view_data *d, void *state)
{
  add_long_pauses(state, live_long_pauses(d->live));
}

static void stat_window(void *state)
{
  struct window *w = state;
  struct long_pause list[LONG_PAUSES];
  if (!open_window(w)) return;
  struct summary *s = new_summary(w->cursor);
  struct long_pauses *pauses = new_long_pauses(s, w->from_ns, w->to_ns, 0);
  if (w->query->from_ns > 0 || w->query->to_ns < INT64_MAX)
    summary_window(s, w->from_ns, w->to_ns);
  w->state = s;
  w->event = stat_event;
  if (w->query->to_ns == INT64_MAX) w->idle = stat_idle;
  read_window(w);
  w->result = json_summary_until(s, finish_window(w->view, s, w->last_ns));
  view_look(w->view, add_seen_pauses, pauses);
  const int count = list_long_pauses(pauses, w->from_ns, w->to_ns, list);
  json_object_set_new(w->result, "long_pauses",
                      json_long_pauses(list, count, w->started_ns));
  free_long_pauses(pauses);
  free_summary(s);
  close_window(w);
}

/* Events */

struct events {
  struct filter *filter;
  struct spans *spans;
  uint32_t rings;                 /* 0: the file is a recording */
  bool *begun;                    /* by ring: an event of it was read */
  json_t *list, *units;
  bool more;
  /* Of the latest events: those that pass are counted first, with the times of the last
     ones; then the events from [from_ns] on are taken, and the first of [list] gives its
     place up. */
  int64_t *times, from_ns;
  uint64_t found;
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
  if (e->times != NULL) {
    e->times[e->found++ % w->query->limit] = event->ns;
    return;
  }
  if (event->ns < e->from_ns || json_array_size(e->list) == w->query->limit) {
    e->more = true;
    w->enough = !w->query->latest;
    if (w->enough || event->ns < e->from_ns) return;
    json_array_remove(e->list, 0);
  }
  json_t *json = event_json(w->cursor, w->started_ns, event, took_ns);
  if (overwritten) json_object_set_new(json, "overwritten", json_true());
  json_array_append_new(e->list, json);
  add_event_units(e->units, w->cursor, event);
}

/* Reads the events of [w] into [e].  Returns false, with the reason in [w], when they
   cannot be read. */
static bool read_events(struct window *w, struct events *e)
{
  char words[QUERY_FILTER];
  memcpy(words, w->query->filter, sizeof words);
  e->filter = new_filter();
  filter_keep_earlier(e->filter);
  if (!filter_words(e->filter, words, w->why, sizeof w->why)) {
    w->status = 400;
  } else if (open_window(w)) {
    if (!filter_begin(e->filter, w->cursor, w->why, sizeof w->why))
      w->status = 400;
    else {
      const struct eventring_info info = target_info(w->cursor);
      e->rings = info.format == EVENTRING_FORMAT_RECORDING ? 0 : info.rings;
      e->begun = allocate(info.rings, sizeof *e->begun);
      e->spans = new_spans(w->cursor);
      w->last_ns = INT64_MIN;
      w->state = e;
      w->event = events_event;
      read_window(w);
      free_spans(e->spans);
      free(e->begun);
    }
    close_window(w);
  }
  free_filter(e->filter);
  return w->status == 0;
}

static void events_window(void *state)
{
  struct window *w = state;
  const uint32_t limit = w->query->limit;
  struct events e = { .from_ns = INT64_MIN };
  if (w->query->latest) {
    int64_t *times = e.times = allocate(limit, sizeof *e.times);
    const bool good = read_events(w, &e);
    e.times = NULL;
    /* The times of two cursors on a ring differ a little. */
    if (e.found > limit) e.from_ns = times[e.found % limit] - CLOCKS_APART_NS;
    free(times);
    if (!good) return;
  }
  e.list = json_array();
  e.units = json_object();
  if (read_events(w, &e))
    w->result = json_pack("{s:O, s:O, s:b}", "events", e.list, "units", e.units,
                          "more", e.more);
  json_decref(e.list);
  json_decref(e.units);
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

/* Answers */

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
