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

/* The longest spans and waits of a process, for timelines of windows that have
   neither their begin nor their end. */

#ifndef ANALYSIS_LONG_SPANS_H
#define ANALYSIS_LONG_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include "eventring_reader.h"
#include "spans.h"

/* Spans of this length or longer are kept, of more than LONG_SPANS spans those
   that take twice as long, and so on. */
#define LONG_SPAN_NS INT64_C(1000000000)
#define LONG_SPANS 65536

struct long_span {
  int64_t from_ns, to_ns;         /* [to_ns] INT64_MAX: it is open; if it is
                                     [complete], too, a thread sleeps: it waits,
                                     and [id] is not known */
  uint32_t ring, domain, thread;
  int32_t thread_id;              /* as in an event */
  uint16_t id;                    /* of the event */
  bool complete;                  /* of a complete event, which has no begin */
};

static inline bool is_open_wait(const struct long_span *span)
{
  return span->complete && span->to_ns == INT64_MAX;
}

/* A list of long spans, all 0 at first.  The owner frees [list]. */
struct long_spans {
  struct long_span *list;
  size_t count, room;
  int64_t least_ns;               /* of the spans kept; 0: LONG_SPAN_NS */
};

/* Adds the span that [end] ends and that began at [since_ns], if it is long
   enough. */
void add_long_span(struct long_spans *spans, const struct eventring_event *end,
                   int64_t since_ns);

/* Sets *result to a new list of the spans kept and of the open spans of [open]
   that overlap the time from [from_ns] to before [to_ns], in the order of their
   begins.  Returns their number.  The caller frees the list. */
size_t find_long_spans(const struct long_spans *spans, const struct spans *open,
                       uint32_t rings, int64_t from_ns, int64_t to_ns,
                       struct long_span **result);

#endif /* ANALYSIS_LONG_SPANS_H */
