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


/* The timeline of a window. */

#include "target.h"
#include "timeline.h"
#include "window_text.h"
#include "windows.h"
#include "windows_internal.h"

/* The most events that are read for a timeline, of the window and behind it;
   after those of the window the history tells how much each domain
   collected. */
#define TIMELINE_EVENTS (3 * 1000 * 1000)
#define TIMELINE_BEHIND (500 * 1000)

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
  timeline_finish(r.timeline, until_ns);
  struct timeline_text text = {
    .cursor = w->cursor, .view = w->view, .started_ns = w->started_ns,
    .from_ns = w->from_ns, .to_ns = w->to_ns, .until_ns = until_ns
  };
  w->text = print_timeline(r.timeline, &text);
  free_timeline(r.timeline);
  close_window(w);
}

struct answer answer_timeline(const struct asked *asked)
{
  struct window w = new_window(asked);
  if (!find_extent(&w))
    return refusal(503, VIEW_CUT);
  return make_answer(&w, timeline_window);
}
