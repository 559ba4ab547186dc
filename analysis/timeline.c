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

/* A span is added when it ends.  A span of at least a pixel is kept as it is;
   of shorter ones, each lane has for each kind and depth the time covered in
   one column of pixels, which becomes one merged span when another column
   begins.  A lane that has too many spans nevertheless, of several kinds and
   depths, goes on with columns that are twice as wide. */

#include <stdlib.h>
#include <string.h>
#include "domain_locks.h"
#include "event_field.h"
#include "event_roles.h"
#include "memory.h"
#include "requests.h"
#include "spans.h"
#include "target.h"
#include "timeline.h"

/* Spans kept of a lane, for each pixel of the width and in addition. */
#define SPANS_A_PIXEL 4
#define SPANS_MORE 64
#define COLUMNS (TIMELINE_KINDS * TIMELINE_DEPTHS)
_Static_assert(SPANS_MORE >= COLUMNS, "the last columns of a lane have room");

/* The number of causes with names that are remembered. */
#define CAUSES 64

/* Events that are written at a pause still come this long after it. */
#define LAST_EVENTS_NS (INT64_C(5) * 1000000)

/* The open spans around a span, and the known spans before it, that are looked
   at for its depth. */
#define OUTER_SPANS 64
#define KNOWN_SPANS 1024

struct column { int64_t number; uint32_t count; uint64_t covered_ns; };

struct lane {
  struct timeline_lane shown;
  int64_t last_ns;                /* of its events that end spans; 0: none */
  struct timeline_span *spans;
  size_t room;
  int64_t column_ns;              /* the width of a column: at least a pixel */
  struct column columns[TIMELINE_KINDS][TIMELINE_DEPTHS];
};

enum { CAUSE, REASON, CAUSE_UNITS };
static const char *const cause_units[CAUSE_UNITS] = { "cause", "reason" };

struct ring {
  bool any;                       /* it had an event but reports of losses */
  int64_t first_ns, last_ns;
  struct lane *lane;
  size_t overwritten;             /* 1 + the gap of timeline_overwritten */
};

struct timeline {
  struct eventring_cursor *cursor;
  struct spans *spans;
  struct requests *requests;
  int64_t from_ns, to_ns, pixel_ns;
  size_t most_spans;              /* of a lane, before the last columns */
  const struct long_span *known;
  size_t known_count;
  uint32_t rings;
  struct ring *ring;
  struct lane *lanes[TIMELINE_LANES];
  size_t lane_count;
  struct lane *stops[TIMELINE_LANES];     /* of domains */
  size_t stops_count;
  struct timeline_gap *gaps;
  size_t gap_count, gap_room;
  struct timeline_arrow *arrows;
  size_t arrow_count, arrow_room;
  bool changed;                   /* categories were, at... */
  int64_t changed_ns;
  bool resumed;                   /* that was the end of a pause */
  int64_t last_ns;                /* of all events; 0 before the first */
  struct event_roles *roles;
  struct domain_locks *locks;
  char **names;
  size_t name_count, name_room;
  int32_t name_of[UINT16_MAX + 1];        /* 1 + the name; 0: not looked up */
  int32_t open_wait;              /* the same */
  int32_t cause_name[CAUSE_UNITS][CAUSES];
};

/* Names */

static int32_t add_name(struct timeline *t, const char *name)
{
  if (t->name_count >= TIMELINE_NAMES) return -1;
  t->names = with_room(t->names, t->name_count, &t->name_room,
                       sizeof *t->names);
  char *copy = allocate(strlen(name) + 1, 1);
  strcpy(copy, name);
  t->names[t->name_count] = copy;
  return (int32_t) t->name_count++;
}

static int32_t event_name(struct timeline *t, uint16_t id)
{
  if (t->name_of[id] != 0) return t->name_of[id] - 1;
  const struct eventring_description *d = eventring_describe(t->cursor, id);
  if (d == NULL) return -1;
  int32_t name = add_name(t, d->name);
  t->name_of[id] = name + 1;
  return name;
}

/* Returns the name of waits that go on: what a thread waits for is known at the
   end. */
static int32_t open_wait_name(struct timeline *t)
{
  if (t->open_wait == 0) t->open_wait = 1 + add_name(t, TIMELINE_OPEN_WAIT);
  return t->open_wait - 1;
}

/* Returns the name of the cause or reason in the payload of [event], or -1. */
static int32_t cause_of(struct timeline *t, const struct eventring_event *event)
{
  for (uint32_t i = 0; i < event->words && i < 8; i++) {
    const struct eventring_field *f = event_field(t->cursor, event, i);
    for (int unit = 0; f != NULL && unit < CAUSE_UNITS; unit++) {
      uint64_t value = event->payload[i];
      if (strcmp(f->unit, cause_units[unit]) != 0 || value >= CAUSES) continue;
      int32_t *known = &t->cause_name[unit][value];
      if (*known == 0) {
        const char *name = eventring_value(t->cursor, cause_units[unit], value);
        *known = name == NULL ? -1 : add_name(t, name) + 1;
      }
      return *known > 0 ? *known - 1 : -1;
    }
  }
  return -1;
}

/* Kinds */

static enum timeline_kind kind_of(struct timeline *t, uint16_t id)
{
  static const enum timeline_kind kinds[] = {
    [AREA_OTHER] = TIMELINE_OTHER, [AREA_USER] = TIMELINE_USER,
    [AREA_WAIT] = TIMELINE_WAIT, [AREA_COLLECTOR] = TIMELINE_COLLECTOR,
    [AREA_STOP] = TIMELINE_STOP
  };
  return kinds[class_of(t->roles, id).area];
}

/* Lanes */

static struct lane *new_lane(const struct timeline *t, uint32_t domain, uint32_t thread,
                             int32_t thread_id)
{
  struct lane *lane = allocate(1, sizeof *lane);
  lane->shown = (struct timeline_lane) { .domain = domain, .thread = thread,
                                         .thread_id = thread_id };
  lane->column_ns = t->pixel_ns;
  return lane;
}

/* Returns the lane of a thread of a domain, a new one if necessary; NULL when
   there are too many. */
static struct lane *lane_of(struct timeline *t, uint32_t domain,
                            uint32_t thread, int32_t thread_id)
{
  for (size_t i = 0; i < t->lane_count; i++)
    if (t->lanes[i]->shown.thread == thread
        && t->lanes[i]->shown.domain == domain)
      return t->lanes[i];
  return t->lane_count == TIMELINE_LANES ? NULL
         : (t->lanes[t->lane_count++] = new_lane(t, domain, thread, thread_id));
}

/* Returns the lane of [event]; most events are in the lane of the event before
   in their ring. */
static struct lane *event_lane(struct timeline *t,
                               const struct eventring_event *event)
{
  struct lane *lane = t->ring[event->ring].lane;
  if (lane == NULL || lane->shown.thread != event->thread
      || lane->shown.domain != event->domain)
    lane = t->ring[event->ring].lane =
      lane_of(t, event->domain, event->thread, event->thread_id);
  return lane;
}

static void keep(struct lane *lane, struct timeline_span span)
{
  lane->spans = with_room(lane->spans, lane->shown.count, &lane->room,
                          sizeof *lane->spans);
  lane->spans[lane->shown.count++] = span;
}

/* Keeps the merged span of the column of [kind] and [depth], and empties the
   column. */
static void end_column(struct timeline *t, struct lane *lane, uint8_t kind,
                       uint8_t depth)
{
  struct column *c = &lane->columns[kind][depth];
  if (c->count == 0) return;
  int64_t from = time_after(t->from_ns, c->number * lane->column_ns);
  int64_t to = time_since(t->to_ns, from) > lane->column_ns
               ? from + lane->column_ns : t->to_ns;
  float share = (float) c->covered_ns / (float) time_since(to, from);
  keep(lane, (struct timeline_span) {
    .from_ns = from, .to_ns = to, .name = -1, .cause = -1, .merged = c->count,
    .share = share < 1 ? share : 1, .depth = depth, .kind = kind
  });
  *c = (struct column) { 0 };
}

/* Adds [more], of spans that began in one column, to the column. */
static void merge(struct timeline *t, struct lane *lane, uint8_t kind,
                  uint8_t depth, struct column more)
{
  struct column *c = &lane->columns[kind][depth];
  if (c->count > 0 && c->number != more.number)
    end_column(t, lane, kind, depth);
  c->number = more.number;
  c->count += more.count;
  c->covered_ns += more.covered_ns;
}

/* Keeps [span], which is in the window, or merges it. */
static void keep_or_merge(struct timeline *t, struct lane *lane,
                          const struct timeline_span *span)
{
  const int64_t ns = time_since(span->to_ns, span->from_ns);
  if (ns >= lane->column_ns && lane->column_ns < INT64_MAX)
    keep(lane, *span);
  else
    merge(t, lane, span->kind, span->depth, (struct column) {
      .number = time_since(span->from_ns, t->from_ns) / lane->column_ns,
      .count = span->merged > 0 ? span->merged : 1,
      .covered_ns = span->merged == 0 ? (uint64_t) ns
                    : (uint64_t) ((double) span->share * (double) ns)
    });
}

/* Makes the columns of [lane] twice as wide, up to all times that there are, and merges
   again. */
static void widen_columns(struct timeline *t, struct lane *lane)
{
  struct column last[TIMELINE_KINDS][TIMELINE_DEPTHS];
  memcpy(last, lane->columns, sizeof last);
  memset(lane->columns, 0, sizeof lane->columns);
  lane->column_ns = time_after(lane->column_ns, lane->column_ns);
  /* In its place: a column is kept after at least one span of it was taken. */
  const size_t count = lane->shown.count;
  lane->shown.count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct timeline_span span = lane->spans[i];
    keep_or_merge(t, lane, &span);
  }
  for (int kind = 0; kind < TIMELINE_KINDS; kind++)
    for (int depth = 0; depth < TIMELINE_DEPTHS; depth++) {
      struct column c = last[kind][depth];
      c.number /= 2;
      if (c.count > 0) merge(t, lane, (uint8_t) kind, (uint8_t) depth, c);
    }
}

/* Adds [span] to [lane], which may be NULL, if it is in the window. */
static void add_span(struct timeline *t, struct lane *lane,
                     struct timeline_span span)
{
  if (lane == NULL || span.depth >= TIMELINE_DEPTHS || span.to_ns < t->from_ns
      || span.from_ns >= t->to_ns)
    return;
  if (span.from_ns < t->from_ns) span.from_ns = t->from_ns;
  if (span.to_ns > t->to_ns) span.to_ns = t->to_ns;
  keep_or_merge(t, lane, &span);
  while (lane->shown.count > t->most_spans) widen_columns(t, lane);
}

/* Spans */

/* Returns how many spans of its thread and kind are open around the span that
   begins with [begin]. */
static uint8_t depth_of(struct timeline *t, const struct eventring_event *begin)
{
  uint8_t depth = 0;
  const enum timeline_kind kind = kind_of(t, begin->id);
  const struct eventring_event *outer = next_outer_span(t->spans, begin);
  for (int i = 0; outer != NULL && i < OUTER_SPANS; i++) {
    if (outer->thread == begin->thread && kind_of(t, outer->id) == kind)
      depth++;
    outer = next_outer_span(t->spans, outer);
  }
  return depth;
}

static void take_span(struct timeline *t, const struct eventring_event *event)
{
  const struct eventring_event *begin =
    event->form == EVENTRING_EV_END ? begin_of(t->spans, event) : NULL;
  uint8_t depth = begin != NULL ? depth_of(t, begin) : 0;
  int64_t since;
  if (!span_ended(t->spans, event, &since)) return;
  struct lane *lane = event_lane(t, event);
  if (lane != NULL) lane->last_ns = event->ns;
  add_span(t, lane, (struct timeline_span) {
    .from_ns = since, .to_ns = event->ns, .name = event_name(t, event->id),
    .cause = cause_of(t, event), .depth = depth,
    .kind = (uint8_t) kind_of(t, event->id)
  });
}

/* Returns the lane of the stops of [domain], a new one if necessary; NULL when there are
   too many. */
static struct lane *lane_of_stops(struct timeline *t, uint32_t domain)
{
  for (size_t i = 0; i < t->stops_count; i++)
    if (t->stops[i]->shown.domain == domain) return t->stops[i];
  return t->stops_count == TIMELINE_LANES ? NULL
         : (t->stops[t->stops_count++] = new_lane(t, domain, 0, -1));
}

/* Adds the stop that [event] reports, if it is one, to the stops of each domain that it
   lists. */
static void take_stop(struct timeline *t, const struct eventring_event *event)
{
  struct stopped_domain last;
  if (class_of(t->roles, event->id).role != ROLE_STOP || event->words == 0) return;
  const uint32_t count = stopped_domains(t->roles, event, &last);
  for (uint32_t i = 0; i < count; i++) {
    const struct stopped_domain in = stopped_domain(t->roles, event, i);
    const struct stopped_time time = stopped_time(event, &last, &in);
    if (time.from_ns < time.to_ns)
      add_span(t, lane_of_stops(t, in.id), (struct timeline_span) {
        .from_ns = time.from_ns, .to_ns = time.to_ns,
        .name = event_name(t, event->id), .cause = cause_of(t, event),
        .kind = TIMELINE_STOP
      });
  }
}

/* Adds the spans of ring [ring] that are open, up to the end of the window. */
static void take_open(struct timeline *t, uint32_t ring, int64_t until_ns)
{
  const struct eventring_event *begin = outermost_span(t->spans, ring);
  for (; begin != NULL; begin = next_inner_span(t->spans, begin))
    add_span(t, lane_of(t, begin->domain, begin->thread, begin->thread_id),
             (struct timeline_span) {
      .from_ns = begin->ns, .to_ns = until_ns,
      .name = event_name(t, begin->id), .cause = -1,
      .depth = depth_of(t, begin), .kind = (uint8_t) kind_of(t, begin->id)
    });
}

static void take_run(void *state, const struct ended_run *run)
{
  struct timeline *t = state;
  add_span(t, lane_of(t, run->domain, run->thread, -1),
           (struct timeline_span) {
    .from_ns = run->begin_ns, .to_ns = run->end_ns,
    .name = run->id != 0 ? event_name(t, run->id) : -1, .cause = -1,
    .kind = TIMELINE_REQUEST
  });
}

/* Known spans */

void timeline_know(struct timeline *t, const struct long_span *list,
                   size_t count)
{
  t->known = list;
  t->known_count = count;
}

/* Opens the known spans that were open at [event], the first one of its
   ring. */
static void open_known(struct timeline *t, const struct eventring_event *event)
{
  int64_t since;
  for (size_t i = 0; i < t->known_count; i++) {
    const struct long_span *k = &t->known[i];
    if (!k->complete && k->ring == event->ring && k->domain == event->domain
        && time_since(event->ns, k->from_ns) > CLOCKS_APART_NS
        && k->to_ns >= event->ns)
      span_ended(t->spans, &(struct eventring_event) {
        .ns = k->from_ns, .ring = k->ring, .domain = k->domain,
        .thread = k->thread, .thread_id = k->thread_id, .id = k->id,
        .form = EVENTRING_EV_BEGIN
      }, &since);
  }
}

/* Returns how many known spans of the same thread and kind, before number
   [index], are around that span. */
static uint8_t known_depth(struct timeline *t, size_t index)
{
  const struct long_span *k = &t->known[index];
  const enum timeline_kind kind = kind_of(t, k->id);
  uint8_t depth = 0;
  size_t i = index > KNOWN_SPANS ? index - KNOWN_SPANS : 0;
  for (; i < index && depth < TIMELINE_DEPTHS; i++)
    depth += !t->known[i].complete && t->known[i].to_ns >= k->to_ns
             && t->known[i].thread == k->thread
             && t->known[i].domain == k->domain
             && kind_of(t, t->known[i].id) == kind;
  return depth;
}

/* Returns whether no event of the known span [k] of [lane] was read: its ring
   had none, or it ended before the first one, or it is a wait that ended behind
   the last one, or a wait that still goes on. */
static bool is_not_read(const struct timeline *t, const struct lane *lane,
                        const struct long_span *k)
{
  const struct ring *r = &t->ring[k->ring];
  if (is_open_wait(k))
    return time_since(lane->last_ns, k->from_ns) <= CLOCKS_APART_NS;
  return !r->any || time_since(r->first_ns, k->to_ns) > CLOCKS_APART_NS
         || (k->complete
             && time_since(k->to_ns, r->last_ns) > CLOCKS_APART_NS);
}

/* Returns the lane of the known span [k], a new one if necessary; NULL when
   there are too many, or when the window does not have the span. */
static struct lane *known_lane(struct timeline *t, const struct long_span *k)
{
  return k->ring < t->rings && k->from_ns < t->to_ns && k->to_ns >= t->from_ns
         ? lane_of(t, k->domain, k->thread, k->thread_id) : NULL;
}

/* Adds the known spans of which no event was read. */
static void take_known(struct timeline *t)
{
  for (size_t i = 0; i < t->known_count; i++) {
    const struct long_span *k = &t->known[i];
    struct lane *lane = known_lane(t, k);
    if (lane == NULL || !is_not_read(t, lane, k)) continue;
    const bool open = is_open_wait(k);
    add_span(t, lane, (struct timeline_span) {
      .from_ns = k->from_ns, .to_ns = k->to_ns,
      .name = open ? open_wait_name(t) : event_name(t, k->id),
      .cause = -1, .depth = k->complete ? 0 : known_depth(t, i),
      .kind = open ? TIMELINE_WAIT : (uint8_t) kind_of(t, k->id)
    });
  }
}

/* Gaps */

static void add_gap(struct timeline *t, struct timeline_gap gap)
{
  if (gap.to_ns <= t->from_ns || gap.from_ns >= t->to_ns
      || t->gap_count >= TIMELINE_GAPS)
    return;
  if (gap.from_ns < t->from_ns) gap.from_ns = t->from_ns;
  if (gap.to_ns > t->to_ns) gap.to_ns = t->to_ns;
  t->gaps = with_room(t->gaps, t->gap_count, &t->gap_room, sizeof *t->gaps);
  t->gaps[t->gap_count++] = gap;
}

/* Adds a gap for a pause that ends at [ns] and returns true, if there was one:
   the file has the times of changes of the categories, but not the categories,
   so that a change is taken for a pause if almost no event followed it. */
static bool end_pause(struct timeline *t, int64_t ns)
{
  int64_t from = t->last_ns > t->changed_ns ? t->last_ns : t->changed_ns;
  bool paused = t->changed && time_since(from, t->changed_ns) < LAST_EVENTS_NS
                && time_since(ns, from) > LAST_EVENTS_NS;
  if (paused)
    add_gap(t, (struct timeline_gap) { .from_ns = from, .to_ns = ns,
                                       .kind = GAP_PAUSED });
  t->changed = false;
  return paused;
}

/* Notes a change of the categories, which may be the begin of a pause, unless
   it is the end of one.  A change of both masks of the file is two changes, one
   shortly after the other. */
static void take_change(struct timeline *t, int64_t ns)
{
  bool again = time_since(ns, t->changed_ns) < LAST_EVENTS_NS;
  t->resumed = end_pause(t, ns) || (again && t->resumed);
  t->changed = !t->resumed;
  t->changed_ns = ns;
}

void timeline_overwritten(struct timeline *t,
                          const struct eventring_event *lost)
{
  size_t gaps = t->gap_count;
  if (lost->ring >= t->rings || lost->ns <= t->from_ns) return;
  add_gap(t, (struct timeline_gap) {
    .from_ns = t->from_ns, .to_ns = lost->ns, .kind = GAP_OVERWRITTEN,
    .lost = lost->words > 0 ? lost->payload[0] : 0, .domain = lost->domain
  });
  /* A gap is shown in lanes. */
  lane_of(t, lost->domain, lost->thread, lost->thread_id);
  if (t->gap_count > gaps) t->ring[lost->ring].overwritten = t->gap_count;
}

void timeline_not_recorded(struct timeline *t, uint32_t domain, int64_t until_ns)
{
  add_gap(t, (struct timeline_gap) {
    .from_ns = t->from_ns, .to_ns = until_ns, .kind = GAP_NOT_RECORDED,
    .domain = domain
  });
}

static void take_lost(struct timeline *t, const struct eventring_event *event)
{
  const struct ring *r = &t->ring[event->ring];
  if (!r->any && r->overwritten != 0) {
    /* More of them than there were at timeline_overwritten. */
    struct timeline_gap *gap = &t->gaps[r->overwritten - 1];
    gap->to_ns = event->ns < t->to_ns ? event->ns : t->to_ns;
    gap->lost = event->words > 0 ? event->payload[0] : 0;
    return;
  }
  add_gap(t, (struct timeline_gap) {
    .from_ns = r->any ? r->last_ns : t->from_ns, .to_ns = event->ns,
    .kind = GAP_LOST, .lost = event->words > 0 ? event->payload[0] : 0,
    .domain = event->domain
  });
}

/* Arrows */

/* Adds an arrow if [event] is a wait, and the thread that held what it waited for is
   known. */
static void take_wait(struct timeline *t, const struct eventring_event *event)
{
  const enum event_role role = class_of(t->roles, event->id).role;
  if (!is_wait_role(role) || event->words == 0 || t->arrow_count == TIMELINE_ARROWS)
    return;
  const int64_t ns = (int64_t) event->payload[0];
  if (ns < t->pixel_ns || event->ns < t->from_ns || event->ns >= t->to_ns) return;
  const uint32_t holder = role != ROLE_MUTEX_WAIT ? 0
    : (uint32_t) field_of(t->roles, role, event, F_HOLDER, 0);
  const int64_t lock_ns = role == ROLE_YIELD ? ns
    : (int64_t) field_of(t->roles, role, event, F_FOR_DOMAIN_LOCK, 0);
  const uint32_t from = holder != 0 ? holder : lock_ns <= 0 || lock_ns > ns ? 0
    : domain_lock_holder(t->locks, event, lock_ns);
  if (from == 0) return;
  t->arrows = with_room(t->arrows, t->arrow_count, &t->arrow_room,
                        sizeof *t->arrows);
  t->arrows[t->arrow_count++] = (struct timeline_arrow) {
    .ns = event->ns, .since_ns = time_since(event->ns, ns),
    .domain = event->domain, .from = from, .to = event->thread, .mutex = holder != 0
  };
}

/* The timeline */

struct timeline *new_timeline(struct eventring_cursor *cursor, int64_t from_ns,
                              int64_t to_ns, uint32_t width)
{
  struct timeline *t = allocate(1, sizeof *t);
  t->cursor = cursor;
  t->spans = new_spans(cursor);
  t->requests = new_requests(cursor);
  watch_runs(t->requests, take_run, t);
  t->from_ns = from_ns;
  t->to_ns = to_ns;
  t->pixel_ns = time_after(time_since(to_ns, from_ns) / width, 1);
  t->most_spans = (size_t) SPANS_A_PIXEL * width + SPANS_MORE - COLUMNS;
  t->rings = target_info(cursor).rings;
  t->ring = allocate(t->rings, sizeof *t->ring);
  t->roles = new_event_roles(cursor);
  t->locks = new_domain_locks(cursor);
  return t;
}

static void free_lane(struct lane *lane)
{
  free(lane->spans);
  free(lane);
}

void free_timeline(struct timeline *t)
{
  for (size_t i = 0; i < t->lane_count; i++) free_lane(t->lanes[i]);
  for (size_t i = 0; i < t->stops_count; i++) free_lane(t->stops[i]);
  for (size_t i = 0; i < t->name_count; i++) free(t->names[i]);
  free(t->names);
  free(t->gaps);
  free(t->arrows);
  free(t->ring);
  free(t->roles);
  free_requests(t->requests);
  free_spans(t->spans);
  free(t->locks);
  free(t);
}

void timeline_event(struct timeline *t, const struct eventring_event *event)
{
  struct ended_request ended;
  if (event->ring >= t->rings) return;
  request_ended(t->requests, event, &ended);
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) {
    take_change(t, event->ns);
  } else if (event->form == EVENTRING_EV_LOST) {
    take_lost(t, event);
  } else {
    if (is_pause(class_of(t->roles, event->id))) take_change(t, event->ns);
    if (!t->ring[event->ring].any) {
      open_known(t, event);
      t->ring[event->ring].first_ns = event->ns;
    }
    domain_locks_event(t->locks, event, role_of(t->roles, event->id));
    take_wait(t, event);
    t->ring[event->ring].any = true;
    t->ring[event->ring].last_ns = event->ns;
    if (event->ns > t->last_ns) t->last_ns = event->ns;
  }
  take_span(t, event);
  take_stop(t, event);
}

/* Adds the last columns to [lane], which is complete then. */
static void end_lane(struct timeline *t, struct lane *lane)
{
  for (int kind = 0; kind < TIMELINE_KINDS; kind++)
    for (int depth = 0; depth < TIMELINE_DEPTHS; depth++)
      end_column(t, lane, (uint8_t) kind, (uint8_t) depth);
  lane->shown.spans = lane->spans;
}

void timeline_finish(struct timeline *t, int64_t until_ns)
{
  if (until_ns > t->to_ns) until_ns = t->to_ns;
  for (uint32_t ring = 0; ring < t->rings; ring++) take_open(t, ring, until_ns);
  take_known(t);
  /* Runs and a pause that go on. */
  end_runs(t->requests, until_ns);
  if (target_info(t->cursor).active == 0) end_pause(t, t->to_ns);
  for (size_t i = 0; i < t->lane_count; i++) end_lane(t, t->lanes[i]);
  for (size_t i = 0; i < t->stops_count; i++) end_lane(t, t->stops[i]);
}

const struct timeline_lane *timeline_lane(const struct timeline *t,
                                          size_t index)
{
  return index < t->lane_count ? &t->lanes[index]->shown : NULL;
}

const struct timeline_lane *timeline_stops(const struct timeline *t, size_t index)
{
  return index < t->stops_count ? &t->stops[index]->shown : NULL;
}

const struct timeline_gap *timeline_gap(const struct timeline *t, size_t index)
{
  return index < t->gap_count ? &t->gaps[index] : NULL;
}

const struct timeline_arrow *timeline_arrow(const struct timeline *t, size_t index)
{
  return index < t->arrow_count ? &t->arrows[index] : NULL;
}

const char *timeline_name(const struct timeline *t, size_t index)
{
  return index < t->name_count ? t->names[index] : NULL;
}
