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

/* Which begin belongs to an end. */

#ifndef ANALYSIS_SPANS_H
#define ANALYSIS_SPANS_H

#include <stdbool.h>
#include "eventring_reader.h"

/* The spans of one process that are open. */
struct spans;

/* Creates a table of the open spans of the process that [cursor] reads; no span
   is open yet.  Never returns NULL (see memory.h).  The caller frees the table
   with free_spans; the cursor must stay open while the table is used. */
struct spans *new_spans(struct eventring_cursor *cursor);
void free_spans(struct spans *spans);

/* Makes [given_up] be called, with [state], for each open span without an end
   that can be found any more: at a gap (lost events, a pause of the recording,
   a change of its categories, another domain in the ring), when too many spans
   are open, and in forget_spans.  Replaces an earlier function; NULL for none.
   Inner spans come before outer ones.  The span is still in the table, which
   the function must not change.  The payload of the event [begin] is not
   valid. */
void watch_given_up(struct spans *spans,
                    void (*given_up)(void *state,
                                     const struct eventring_event *begin),
                    void *state);

/* Removes all open spans from the table, and calls the function given to
   watch_given_up for each.  For use when recording was paused. */
void forget_spans(struct spans *spans);

/* Removes all open spans of ring [ring], as forget_spans does. */
void forget_ring_spans(struct spans *spans, uint32_t ring);

/* Returns the begin of the span that [event] ends, or NULL when no such begin
   is known.  [event] must be the event that the caller passes next to
   span_ended; the begin is valid until that call.  The payload of the begin is
   not valid. */
const struct eventring_event *begin_of(const struct spans *spans,
                                       const struct eventring_event *event);

/* Updates the table of open spans with [event].  The caller passes every event,
   in order, reports of lost events and EVENTRING_EV_CONTROL_CHANGED among them.
   Returns true when [event] ends an activity with a duration, which is a span
   with a known begin or the activity of a complete event; *since is then the
   time at which the activity began, in nanoseconds.  Returns false otherwise,
   also for a span that would end before its begin; *since may then be changed.
   A flow is no span. */
bool span_ended(struct spans *spans, const struct eventring_event *event,
                int64_t *since);

/* Return the begin of a span that is open in ring [ring]: the outermost span,
   the innermost span, and the next span inwards or outwards of the open span
   with the begin [begin], which one of these functions has returned.  Return
   NULL when there is no further span.  Payloads are not valid.  A begin is
   valid until the next call of span_ended, forget_span or forget_spans. */
const struct eventring_event *outermost_span(const struct spans *spans,
                                             uint32_t ring);
const struct eventring_event *innermost_span(const struct spans *spans,
                                             uint32_t ring);
const struct eventring_event *next_inner_span(
  const struct spans *spans, const struct eventring_event *begin);
const struct eventring_event *next_outer_span(
  const struct spans *spans, const struct eventring_event *begin);

/* Returns the number of the open span with the begin [begin].  Spans of all
   rings together are numbered from 1 in the order of their begins. */
uint64_t span_number(const struct eventring_event *begin);

/* Returns whether a span with the event id [id] is open in ring [ring], in any
   thread. */
bool is_open(const struct spans *spans, uint32_t ring, uint16_t id);

/* Returns whether a span of the collector, or of a stop for it, is open in ring
   [ring]. */
bool in_collecting_span(const struct spans *spans, uint32_t ring);

/* Removes the open spans with the id and the ring of [begin] that began before
   [ns], without a call of the function given to watch_given_up.  For use when
   [begin] is the begin of a collection, which is never in so long a one of its
   kind: those have ended while their category was not recorded. */
void forget_alike(struct spans *spans, const struct eventring_event *begin,
                  int64_t ns);

/* Removes the open span with the begin [begin], which is in the table, without
   a call of the function given to watch_given_up; [begin] is not valid
   afterwards.  For use when the caller knows that the end of the span was not
   recorded. */
void forget_span(struct spans *spans, const struct eventring_event *begin);

/* Returns the number of open spans in ring [ring]. */
uint32_t span_depth(const struct spans *spans, uint32_t ring);

#endif /* ANALYSIS_SPANS_H */
