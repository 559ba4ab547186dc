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

/* Which begin belongs to an end: the latest one of its name that has no end
   yet, in the same domain, and in the same thread where there is one.

   A ring has one domain at a time, so the open spans of a domain are a stack,
   one a ring.  Spans of several threads lie on it mixed; an end takes out its
   begin, wherever that lies.  After a gap (events were lost, recording was
   paused, the ring has passed to another domain) nothing is known to be
   open. */

#include <stdlib.h>
#include <string.h>
#include "spans.h"

#define DEPTH 256                 /* an older one is forgotten */

struct stack {
  uint32_t domain;
  uint32_t depth;
  struct eventring_event open[DEPTH];
};

struct spans {
  struct eventring_cursor *cursor;
  int pause_id, resume_id;
  uint32_t rings;
  struct stack **stacks;          /* NULL before a ring's first event */
};

struct spans *new_spans(struct eventring_cursor *cursor)
{
  struct spans *s = allocate(1, sizeof *s);
  s->cursor = cursor;
  s->pause_id = eventring_find(cursor, "ring_pause");
  s->resume_id = eventring_find(cursor, "ring_resume");
  s->rings = target_info(cursor).rings;
  s->stacks = allocate(s->rings, sizeof *s->stacks);
  return s;
}

void free_spans(struct spans *s)
{
  for (uint32_t i = 0; i < s->rings; i++) free(s->stacks[i]);
  free(s->stacks);
  free(s);
}

static void push(struct stack *stack, const struct eventring_event *event)
{
  if (stack->depth == DEPTH) {
    memmove(stack->open, stack->open + 1, (DEPTH - 1) * sizeof *stack->open);
    stack->depth--;
  }
  stack->open[stack->depth++] = *event;
}

/* The place of the begin of what [event] ends, or -1. */
static int find_begin(const struct stack *stack,
                      const struct eventring_event *event)
{
  int other = -1;
  for (int i = (int) stack->depth - 1; i >= 0; i--)
    if (stack->open[i].id == event->id) {
      if (stack->open[i].thread == event->thread) return i;
      if (other < 0) other = i;
    }
  return other;
}

static void take_out(struct stack *stack, uint32_t at)
{
  stack->depth--;
  memmove(stack->open + at, stack->open + at + 1,
          (stack->depth - at) * sizeof *stack->open);
}

static bool pop(struct stack *stack, const struct eventring_event *event,
                int64_t *since)
{
  int at = find_begin(stack, event);
  if (at < 0) return false;
  *since = stack->open[at].ns;
  take_out(stack, (uint32_t) at);
  return event->ns >= *since;
}

bool span_to_end(const struct spans *s, const struct eventring_event *event,
                 int64_t *since)
{
  const struct stack *stack = event->ring < s->rings ? s->stacks[event->ring]
                                                     : NULL;
  if (stack == NULL || stack->domain != event->domain) return false;
  int at = find_begin(stack, event);
  if (at >= 0) *since = stack->open[at].ns;
  return at >= 0;
}

static bool is_kind(struct spans *s, uint16_t id, uint8_t kind)
{
  const struct eventring_description *d = eventring_describe(s->cursor, id);
  return d != NULL && d->kind == kind;
}

void forget_spans(struct spans *s)
{
  for (uint32_t i = 0; i < s->rings; i++)
    if (s->stacks[i] != NULL) s->stacks[i]->depth = 0;
}

bool span_ended(struct spans *s, const struct eventring_event *event,
                int64_t *since)
{
  if (event->form == EVENTRING_EV_CHANGED) {
    forget_spans(s);
    return false;
  }
  if (event->ring >= s->rings) return false;
  struct stack *stack = s->stacks[event->ring];
  if (stack == NULL)
    stack = s->stacks[event->ring] = allocate(1, sizeof *stack);
  if (event->form == EVENTRING_EV_LOST || stack->domain != event->domain)
    stack->depth = 0;
  stack->domain = event->domain;

  switch (event->form) {
  case EVENTRING_EV_BEGIN:
    if (!is_kind(s, event->id, EVENTRING_KIND_FLOW)) push(stack, event);
    return false;
  case EVENTRING_EV_END:
    return pop(stack, event, since);
  case EVENTRING_EV_INSTANT:
    if (event->id == s->pause_id || event->id == s->resume_id)
      forget_spans(s);
    if (event->words == 0
        || !is_kind(s, event->id, EVENTRING_KIND_COMPLETE)) return false;
    *since = (int64_t) ((uint64_t) event->ns - event->payload[0]);
    return true;
  default:
    return false;
  }
}

uint32_t open_spans(const struct spans *s, uint32_t ring)
{
  return ring < s->rings && s->stacks[ring] != NULL ? s->stacks[ring]->depth
                                                    : 0;
}

const struct eventring_event *open_span(const struct spans *s, uint32_t ring,
                                        uint32_t depth)
{
  return &s->stacks[ring]->open[depth];
}

void forget_span(struct spans *s, uint32_t ring, uint32_t depth)
{
  take_out(s->stacks[ring], depth);
}
