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
#include "long_spans.h"
#include "memory.h"
#include "target.h"

static bool is_long(const struct long_spans *spans, int64_t from_ns,
                    int64_t to_ns)
{
  return time_since(to_ns, from_ns)
         >= (spans->least_ns > 0 ? spans->least_ns : LONG_SPAN_NS);
}

/* Doubles the least length of [spans], and removes shorter ones; removes all
   when the length cannot be doubled, which no span of a process reaches. */
static void remove_shorter(struct long_spans *spans)
{
  size_t kept = 0;
  if (spans->least_ns > INT64_MAX / 2) {
    spans->count = 0;
    return;
  }
  spans->least_ns = 2 * (spans->least_ns > 0 ? spans->least_ns : LONG_SPAN_NS);
  for (size_t i = 0; i < spans->count; i++)
    if (is_long(spans, spans->list[i].from_ns, spans->list[i].to_ns))
      spans->list[kept++] = spans->list[i];
  spans->count = kept;
}

static struct long_span span_of(const struct eventring_event *event,
                                int64_t from_ns, int64_t to_ns)
{
  return (struct long_span) {
    .from_ns = from_ns, .to_ns = to_ns, .ring = event->ring,
    .domain = event->domain, .thread = event->thread,
    .thread_id = event->thread_id, .id = event->id,
    .complete = event->form == EVENTRING_EV_INSTANT
  };
}

void add_long_span(struct long_spans *spans, const struct eventring_event *end,
                   int64_t since_ns)
{
  if (!is_long(spans, since_ns, end->ns)) return;
  while (spans->count >= LONG_SPANS) remove_shorter(spans);
  if (!is_long(spans, since_ns, end->ns)) return;
  spans->list = with_room(spans->list, spans->count, &spans->room,
                          sizeof *spans->list);
  spans->list[spans->count++] = span_of(end, since_ns, end->ns);
}

static int by_begin(const void *a, const void *b)
{
  const struct long_span *x = a, *y = b;
  if (x->from_ns != y->from_ns) return x->from_ns < y->from_ns ? -1 : 1;
  return (x->to_ns < y->to_ns) - (x->to_ns > y->to_ns);
}

size_t find_long_spans(const struct long_spans *spans, const struct spans *open,
                       uint32_t rings, int64_t from_ns, int64_t to_ns,
                       struct long_span **result)
{
  struct long_span *list = NULL;
  size_t count = 0, room = 0;
  for (size_t i = 0; i < spans->count; i++) {
    const struct long_span *s = &spans->list[i];
    if (s->from_ns >= to_ns || s->to_ns < from_ns) continue;
    list = with_room(list, count, &room, sizeof *list);
    list[count++] = *s;
  }
  for (uint32_t ring = 0; ring < rings; ring++)
    for (const struct eventring_event *begin = outermost_span(open, ring);
         begin != NULL && begin->ns < to_ns;
         begin = next_inner_span(open, begin)) {
      list = with_room(list, count, &room, sizeof *list);
      list[count++] = span_of(begin, begin->ns, INT64_MAX);
    }
  if (count > 1) qsort(list, count, sizeof *list, by_begin);
  *result = list;
  return count;
}
