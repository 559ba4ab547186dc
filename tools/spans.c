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

/* In one ring.  When there are more, all are given up. */
#define DEPTH_FIRST 64
#define DEPTH_MOST 16384

struct stack {
  uint32_t domain;
  uint32_t depth, room;
  struct eventring_event *open;
};

struct spans {
  struct eventring_cursor *cursor;
  int pause_id, resume_id;
  uint32_t rings;
  struct stack *stacks;
  void (*given_up)(void *state, const struct eventring_event *begin);
  void *state;
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
  for (uint32_t i = 0; i < s->rings; i++) free(s->stacks[i].open);
  free(s->stacks);
  free(s);
}

void watch_given_up(struct spans *s,
                    void (*given_up)(void *state,
                                     const struct eventring_event *begin),
                    void *state)
{
  s->given_up = given_up;
  s->state = state;
}

static void give_up(struct spans *s, struct stack *stack)
{
  for (; stack->depth > 0; stack->depth--)
    if (s->given_up != NULL)
      s->given_up(s->state, &stack->open[stack->depth - 1]);
}

void forget_spans(struct spans *s)
{
  for (uint32_t i = 0; i < s->rings; i++) give_up(s, &s->stacks[i]);
}

static void grow(struct stack *stack)
{
  stack->room = stack->room == 0 ? DEPTH_FIRST : stack->room * 2;
  struct eventring_event *open = allocate(stack->room, sizeof *open);
  if (stack->depth > 0)
    memcpy(open, stack->open, stack->depth * sizeof *open);
  free(stack->open);
  stack->open = open;
}

static void push(struct spans *s, struct stack *stack,
                 const struct eventring_event *event)
{
  if (stack->depth == DEPTH_MOST) give_up(s, stack);
  if (stack->depth == stack->room) grow(stack);
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

const struct eventring_event *begin_of(const struct spans *s,
                                       const struct eventring_event *event)
{
  if (event->ring >= s->rings) return NULL;
  const struct stack *stack = &s->stacks[event->ring];
  int at = stack->domain == event->domain ? find_begin(stack, event) : -1;
  return at < 0 ? NULL : &stack->open[at];
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

static bool is_kind(struct spans *s, uint16_t id, uint8_t kind)
{
  const struct eventring_description *d = eventring_describe(s->cursor, id);
  return d != NULL && d->kind == kind;
}

bool span_ended(struct spans *s, const struct eventring_event *event,
                int64_t *since)
{
  if (event->form == EVENTRING_EV_CHANGED) {
    forget_spans(s);
    return false;
  }
  if (event->ring >= s->rings) return false;
  struct stack *stack = &s->stacks[event->ring];
  if (event->form == EVENTRING_EV_LOST || stack->domain != event->domain)
    give_up(s, stack);
  stack->domain = event->domain;

  switch (event->form) {
  case EVENTRING_EV_BEGIN:
    if (!is_kind(s, event->id, EVENTRING_KIND_FLOW))
      push(s, stack, event);
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
  return ring < s->rings ? s->stacks[ring].depth : 0;
}

const struct eventring_event *open_span(const struct spans *s, uint32_t ring,
                                        uint32_t depth)
{
  return &s->stacks[ring].open[depth];
}

void forget_span(struct spans *s, uint32_t ring, uint32_t depth)
{
  take_out(&s->stacks[ring], depth);
}
