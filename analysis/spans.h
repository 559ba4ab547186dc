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

/* Never returns NULL, see memory.h. */
struct spans *new_spans(struct eventring_cursor *cursor);
void free_spans(struct spans *spans);

/* Calls [given_up] with each begin that will get no end any more, inner spans
   before outer ones, when they are given up: at a gap, or by forget_spans.  The
   payload of the begin is void. */
void watch_given_up(struct spans *spans,
                    void (*given_up)(void *state,
                                     const struct eventring_event *begin),
                    void *state);

/* Forgets all open spans: recording was paused. */
void forget_spans(struct spans *spans);

/* Returns the begin of the span that [event] ends, or NULL.  [event] is the
   next event for span_ended; the begin is valid until then.  Its payload is
   void. */
const struct eventring_event *begin_of(const struct spans *spans,
                                       const struct eventring_event *event);

/* Takes note of every event in turn.  Returns true when something with a
   duration has ended with it: a span with a begin that was seen, or the
   activity that a complete event reports.  Then *since is the time of its
   begin, in the events' nanoseconds. */
bool span_ended(struct spans *spans, const struct eventring_event *event,
                int64_t *since);

/* Return the begins of the spans open now in ring [ring], from the outermost to
   the innermost and back; NULL at the end.  Payloads are void.  A begin is
   valid until the next event or forget_span. */
const struct eventring_event *outermost_span(const struct spans *spans,
                                             uint32_t ring);
const struct eventring_event *innermost_span(const struct spans *spans,
                                             uint32_t ring);
const struct eventring_event *next_inner_span(
  const struct spans *spans, const struct eventring_event *begin);
const struct eventring_event *next_outer_span(
  const struct spans *spans, const struct eventring_event *begin);

/* Returns the number of an open span.  Spans of all rings are numbered in the
   order of their begins. */
uint64_t span_number(const struct eventring_event *begin);

/* Returns whether a span of [id] is open in ring [ring]. */
bool is_open(const struct spans *spans, uint32_t ring, uint16_t id);

/* Closes an open span.  The caller knows that its end was not recorded. */
void forget_span(struct spans *spans, const struct eventring_event *begin);

#endif /* ANALYSIS_SPANS_H */
