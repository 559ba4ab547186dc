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

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "compare.h"
#include "differences.h"
#include "reading.h"
#include "json.h"
#include "live_json.h"
#include "saved.h"
#include "target.h"
#include "windows.h"

/* The rings of domains whose begins are looked at. */
#define MOST_RINGS 1024

/* The most times that a window is read, until all of its rings have its
   begin. */
#define MOST_READS 4

/* One of the two: a window of a view.  A ring that is written fast has events of
   a short time only, so both sides begin where all their rings have events. */
struct side {
  struct view *view;
  int64_t wanted_from_ns, wanted_to_ns;   /* since tracing started */
  int64_t from_ns, to_ns;                 /* CLOCK_MONOTONIC */
  int64_t last_ns;                /* of the events that were read */
  uint32_t rings;                 /* of domains, MOST_RINGS at most */
  bool begun[MOST_RINGS];         /* by ring: an event of it was read */
  int64_t whole_ns;               /* from here on, no ring was overwritten */
  struct eventring_cursor *cursor;
  struct summary *summary;
  int64_t until_ns;
  json_t *json;
  bool failed;                    /* for this reason: */
  char why[512];
};

/* Notes the begin of a ring, at its first event. */
static void note_begin(struct side *s, const struct eventring_event *event)
{
  if (event->ring >= s->rings || s->begun[event->ring]) return;
  s->begun[event->ring] = true;
  if (event->form == EVENTRING_EV_LOST && event->ns > s->whole_ns)
    s->whole_ns = event->ns;
}

static void take_event(void *state, const struct eventring_event *event)
{
  struct side *s = state;
  if (event->form != EVENTRING_EV_CONTROL_CHANGED) note_begin(s, event);
  if (event->ns > s->last_ns) s->last_ns = event->ns;
  summary_event(s->summary, event);
}

/* Damage is in the objects of the processes: their views have read the files, too. */
static void take_problem(void *state, const struct source *source, bool failed,
                         const char *what)
{
  (void) source;
  struct side *s = state;
  if (!failed) return;
  s->failed = true;
  snprintf(s->why, sizeof s->why, "%s", what);
}

/* Ends the reading behind the window: events of different domains may be a
   little out of order. */
static bool pass(void *state, bool idle)
{
  struct side *s = state;
  if (idle && s->to_ns == INT64_MAX) summary_idle(s->summary);
  return time_since(s->last_ns, s->to_ns) < SECOND_NS;
}

static json_t *time_or_null(bool known, int64_t ns, int64_t started_ns)
{
  return known ? json_integer(time_since(ns, started_ns)) : json_null();
}

static json_t *side_json(struct side *s)
{
  const struct summary_numbers *n = summary_numbers(s->summary);
  json_t *json = json_process(s->cursor);
  const int64_t started_ns = target_info(s->cursor).started_ns;
  const bool any = n->events > 0;
  /* The file may end before the window begins. */
  const bool known = any || s->until_ns > s->from_ns;
  const int64_t from_ns = any ? n->first_ns : s->from_ns;
  json_object_set_new(json, "id", json_id(view_id(s->view)));
  json_object_set_new(json, "from_ns", time_or_null(known, from_ns,
                                                    started_ns));
  json_object_set_new(json, "to_ns", time_or_null(known, s->until_ns,
                                                  started_ns));
  json_object_set_new(json, "lost_events",
                      json_integer((json_int_t) lost_events(s->cursor)));
  return json;
}

static void close_side(struct side *s)
{
  if (s->summary != NULL) free_summary(s->summary);
  view_close(s->view, s->cursor);
  s->summary = NULL;
  s->cursor = NULL;
}

/* Reads the window of [s], without the time before [from_ns].  Returns false,
   with the reason in [s], when the file cannot be read. */
static bool read_from(struct side *s, int64_t from_ns)
{
  s->cursor = view_open(s->view, false, s->why, sizeof s->why);
  s->failed = s->cursor == NULL;
  if (s->failed) return false;
  struct eventring_info info = target_info(s->cursor);
  s->from_ns = time_after(info.started_ns, s->wanted_from_ns);
  s->to_ns = time_after(info.started_ns, s->wanted_to_ns);
  if (s->wanted_to_ns == INT64_MAX) s->to_ns = INT64_MAX;
  if (s->from_ns < from_ns) s->from_ns = from_ns;
  const bool all = s->wanted_from_ns == 0 && from_ns == INT64_MIN;
  if (info.format == EVENTRING_FORMAT_RECORDING && !all)
    eventring_seek(s->cursor, time_after(s->from_ns, -SECOND_NS));
  s->summary = new_summary(s->cursor);
  if (!all || s->wanted_to_ns < INT64_MAX)
    summary_window(s->summary, s->from_ns, s->to_ns);
  s->rings = info.sample_rings_from > 0 ? info.sample_rings_from : info.rings;
  if (s->rings > MOST_RINGS) s->rings = MOST_RINGS;
  memset(s->begun, 0, sizeof s->begun);
  s->last_ns = s->whole_ns = INT64_MIN;
  read_cursor(s->cursor, &(struct reading) {
    .changes = true, .state = s, .event = take_event, .pass = pass,
    .problem = take_problem
  });
  s->until_ns = finish_window(s->view, s->summary, s->last_ns);
  return !s->failed;
}

static void read_side(void *state)
{
  struct side *s = state;
  int64_t from_ns = INT64_MIN;
  for (int i = 0; i < MOST_READS; i++) {
    const int64_t began = monotonic_ns();
    close_side(s);
    if (!read_from(s, from_ns)) return;
    if (s->whole_ns <= s->from_ns || s->whole_ns >= s->until_ns) break;
    /* More is overwritten while it is read again. */
    from_ns = s->whole_ns;
    if (eventring_state(s->cursor) == EVENTRING_STATE_RUNNING)
      from_ns = time_after(from_ns, 2 * (monotonic_ns() - began));
  }
  s->json = side_json(s);
}

/* Both sides, and their differences. */
struct comparison { struct side sides[2]; struct differences *result; };

static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_differences(const struct differences *d)
{
  static const char *const groups[DIFFERENCE_GROUPS] = {
    "total", "pauses", "causes", "spans", "requests", "waits"
  };
  static const char *const units[] = {
    [DIFFERENCE_NS] = "ns", [DIFFERENCE_SHARE] = "share",
    [DIFFERENCE_PER_S] = "per_s", [DIFFERENCE_BYTES] = "bytes",
    [DIFFERENCE_BYTES_PER_S] = "bytes_per_s"
  };
  json_t *list = json_array();
  for (size_t i = 0; i < d->count; i++) {
    const struct difference *row = &d->rows[i];
    json_array_append_new(list, json_pack(
      "{s:s, s:o, s:s, s:s, s:o, s:o}", "group", groups[row->group],
      "name", json_text(row->name), "measure", row->measure,
      "unit", units[row->unit], "a", number(row->a), "b", number(row->b)));
  }
  return list;
}

/* Returns the answer of a comparison whose views are open. */
static struct answer compare_sides(struct comparison *c)
{
  for (int i = 0; i < 2; i++) {
    struct side *s = &c->sides[i];
    work_in_turn(read_side, s);
    if (s->cursor != NULL && target_is_cut(s->cursor))
      return refusal(503, VIEW_CUT);
    if (s->failed)
      return refusal(s->cursor == NULL ? 503 : 500, "%s", s->why);
  }
  const struct side *a = &c->sides[0], *b = &c->sides[1];
  c->result = new_differences(a->summary, a->until_ns, b->summary,
                              b->until_ns);
  struct answer answer = {
    .status = 200, .json = json_pack(
      "{s:i, s:O, s:O, s:o}", "version", JSON_VERSION, "a", c->sides[0].json,
      "b", c->sides[1].json, "differences", json_differences(c->result))
  };
  free_differences(c->result);
  return answer;
}

struct answer compare_views(const struct asked *asked)
{
  const struct query *query = asked->query;
  struct comparison c = { .sides = {
    { .wanted_from_ns = query->from_ns, .wanted_to_ns = query->to_ns },
    { .wanted_from_ns = query->other_from_ns,
      .wanted_to_ns = query->other_to_ns }
  } };
  if (!query->has_process || !query->has_other)
    return refusal(400, "a and b, the ids of two processes, are needed");
  const uint64_t ids[] = { query->process, query->other };
  struct answer answer = { .status = 0 };
  for (int i = 0; i < 2 && answer.status == 0; i++) {
    char why[512];
    c.sides[i].view = find_any_view(asked->settings, ids[i], why, sizeof why);
    if (c.sides[i].view == NULL) answer = refusal(404, "%s", why);
  }
  if (answer.status == 0) answer = compare_sides(&c);
  for (int i = 0; i < 2; i++) {
    close_side(&c.sides[i]);
    json_decref(c.sides[i].json);
    drop_view(c.sides[i].view);
  }
  return answer;
}
