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
   yet, in the same domain and the same thread.  In another thread, if the
   thread has none and the span is the program's, or the events do not tell the
   threads (FORMAT.md, section 5: only while "thread_run" is recorded).

   A ring has one domain at a time, so the open spans of a domain are a stack,
   one a ring.  Spans of several threads are mixed on it; an end takes out its
   begin from any place.  After a gap (events were lost, recording was paused,
   the ring has passed to another domain) nothing is known to be open.

   The begin of an end is found in a hash table, in the same time however many
   spans are open: one by id, and one by id and thread.  The tables have the
   latest open span of each key, which links to the earlier ones. */

#include <stdlib.h>
#include "event_roles.h"
#include "eventring_hash.h"
#include "memory.h"
#include "spans.h"
#include "target.h"

/* The capacity of the stack of a ring, at first and at most, as powers of 2.
   When more spans are open, all spans of the ring are given up. */
#define DEPTH_FIRST_BITS 6
#define DEPTH_MOST_BITS 14

enum { BY_ID, BY_THREAD, TABLES };

/* Links are 1 + an index in [open]; 0: none. */
struct span {
  struct eventring_event begin;   /* first: the caller has a pointer to it */
  uint64_t number;
  uint32_t outer, inner;
  struct { uint32_t older, newer; } in[TABLES];   /* with the same key */
};

struct stack {
  uint32_t domain;
  uint32_t depth, room;           /* the tables have twice as many places */
  uint32_t used, unused;          /* of [open]; [unused]: a list by [outer] */
  uint32_t outermost, innermost;
  struct span *open;
  struct hash_table tables[TABLES];
};

struct spans {
  struct event_roles *roles;
  uint32_t rings;
  uint64_t begun;
  struct stack *stacks;
  void (*given_up)(void *state, const struct eventring_event *begin);
  void *state;
};

struct spans *new_spans(struct eventring_cursor *cursor)
{
  struct spans *s = allocate(1, sizeof *s);
  s->roles = new_event_roles(cursor);
  s->rings = target_info(cursor).rings;
  s->stacks = allocate(s->rings, sizeof *s->stacks);
  return s;
}

void free_spans(struct spans *s)
{
  for (uint32_t i = 0; i < s->rings; i++) {
    free(s->stacks[i].open);
    for (int t = 0; t < TABLES; t++) free(s->stacks[i].tables[t].places);
  }
  free(s->stacks);
  free(s->roles);
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

/* The tables */

/* Returns the key, in the table [table], of spans with the id of [event] and,
   in the table BY_THREAD, its thread. */
static uint64_t key_of(int table, const struct eventring_event *event)
{
  return (uint64_t) event->id << 32 | (table == BY_THREAD ? event->thread : 0);
}

/* Returns the latest open span with the id of [event] and, in the table
   BY_THREAD, also the thread of [event].  Returns NULL when there is none. */
static struct span *find(const struct stack *stack, int table,
                         const struct eventring_event *event)
{
  if (stack->depth == 0) return NULL;
  uint32_t at = hash_get(&stack->tables[table], key_of(table, event), 0);
  return at == 0 ? NULL : &stack->open[at - 1];
}

static void add_to_table(struct stack *stack, int table, uint32_t at)
{
  struct span *span = &stack->open[at - 1];
  uint64_t key = key_of(table, &span->begin);
  uint32_t older = hash_get(&stack->tables[table], key, 0);
  span->in[table].older = older;
  span->in[table].newer = 0;
  if (older != 0) stack->open[older - 1].in[table].newer = at;
  hash_set(&stack->tables[table], key, 0, at);
}

static void take_from_table(struct stack *stack, int table,
                            const struct span *span)
{
  uint32_t older = span->in[table].older, newer = span->in[table].newer;
  if (newer != 0) stack->open[newer - 1].in[table].older = older;
  else hash_set(&stack->tables[table], key_of(table, &span->begin), 0, older);
  if (older != 0) stack->open[older - 1].in[table].newer = newer;
}

/* The stack */

/* Adds an open span with the begin [begin] and the number [number] to [stack],
   as the innermost one.  The stack must have room. */
static void put_on(struct stack *stack, const struct eventring_event *begin,
                   uint64_t number)
{
  uint32_t at = stack->unused;
  if (at != 0) stack->unused = stack->open[at - 1].outer;
  else at = ++stack->used;
  struct span *span = &stack->open[at - 1];
  *span = (struct span) { .begin = *begin, .number = number,
                          .outer = stack->innermost };
  if (stack->innermost != 0) stack->open[stack->innermost - 1].inner = at;
  else stack->outermost = at;
  stack->innermost = at;
  stack->depth++;
  for (int t = 0; t < TABLES; t++) add_to_table(stack, t, at);
}

/* Removes the open span [span] from [stack]. */
static void take_out(struct stack *stack, struct span *span)
{
  for (int t = 0; t < TABLES; t++) take_from_table(stack, t, span);
  if (span->inner != 0) stack->open[span->inner - 1].outer = span->outer;
  else stack->innermost = span->outer;
  if (span->outer != 0) stack->open[span->outer - 1].inner = span->inner;
  else stack->outermost = span->inner;
  span->outer = stack->unused;
  stack->unused = (uint32_t) (span - stack->open) + 1;
  stack->depth--;
}

/* Removes all open spans from [stack], and calls the function given to
   watch_given_up for each. */
static void give_up(struct spans *s, struct stack *stack)
{
  while (stack->innermost != 0) {
    struct span *span = &stack->open[stack->innermost - 1];
    if (s->given_up != NULL) s->given_up(s->state, &span->begin);
    take_out(stack, span);
  }
}

void forget_spans(struct spans *s)
{
  for (uint32_t i = 0; i < s->rings; i++) give_up(s, &s->stacks[i]);
}

void forget_ring_spans(struct spans *s, uint32_t ring)
{
  if (ring < s->rings) give_up(s, &s->stacks[ring]);
}

/* Doubles the capacity of [stack], from 0 to 1 << DEPTH_FIRST_BITS at first. */
static void grow(struct stack *stack)
{
  int bits = stack->room == 0 ? DEPTH_FIRST_BITS
                              : __builtin_ctz(stack->room) + 1;
  stack->room = UINT32_C(1) << bits;
  stack->open = reallocate(stack->open, stack->room, sizeof *stack->open);
  for (int t = 0; t < TABLES; t++) {
    struct hash_table old = stack->tables[t];
    hash_init(&stack->tables[t], bits + 1,
              allocate((size_t) 2 << bits, sizeof *old.places));
    hash_copy(&stack->tables[t], &old);
    free(old.places);
  }
}

static void push(struct spans *s, struct stack *stack,
                 const struct eventring_event *event)
{
  if (stack->depth == 1 << DEPTH_MOST_BITS) give_up(s, stack);
  if (stack->depth == stack->room) grow(stack);
  put_on(stack, event, ++s->begun);
}

/* Returns the open span that [event] ends, or NULL when there is none.  A span of
   the runtime ends in its thread: where both threads are known and differ, the
   begin of [event] is lost, and the span is another one. */
static struct span *find_begin(const struct spans *s, const struct stack *stack,
                               const struct eventring_event *event)
{
  struct span *span = find(stack, BY_THREAD, event);
  if (span != NULL) return span;
  span = find(stack, BY_ID, event);
  if (span == NULL || class_of(s->roles, event->id).area == AREA_USER
      || event->thread_id < 0 || span->begin.thread_id < 0)
    return span;
  return NULL;
}

const struct eventring_event *begin_of(const struct spans *s,
                                       const struct eventring_event *event)
{
  if (event->ring >= s->rings) return NULL;
  const struct stack *stack = &s->stacks[event->ring];
  if (stack->domain != event->domain) return NULL;
  struct span *span = find_begin(s, stack, event);
  return span == NULL ? NULL : &span->begin;
}

/* Removes the open span that [event] ends and sets *since to the time of its
   begin.  Returns false when there is no such span or it would end before its
   begin. */
static bool pop(const struct spans *s, struct stack *stack,
                const struct eventring_event *event, int64_t *since)
{
  struct span *span = find_begin(s, stack, event);
  if (span == NULL) return false;
  *since = span->begin.ns;
  take_out(stack, span);
  return event->ns >= *since;
}

bool span_ended(struct spans *s, const struct eventring_event *event,
                int64_t *since)
{
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) {
    forget_spans(s);
    return false;
  }
  if (event->ring >= s->rings) return false;
  struct stack *stack = &s->stacks[event->ring];
  if (event->form == EVENTRING_EV_LOST || stack->domain != event->domain)
    give_up(s, stack);
  stack->domain = event->domain;

  const struct event_class class = class_of(s->roles, event->id);
  switch (event->form) {
  case EVENTRING_EV_OPEN:
  case EVENTRING_EV_BEGIN:
    if (class.kind != EVENTRING_KIND_FLOW
        && class.kind != EVENTRING_KIND_REQUEST)
      push(s, stack, event);
    return false;
  case EVENTRING_EV_END:
    return pop(s, stack, event, since);
  case EVENTRING_EV_INSTANT:
    if (is_pause(class)) forget_spans(s);
    if (event->words == 0 || class.kind != EVENTRING_KIND_COMPLETE)
      return false;
    *since = (int64_t) ((uint64_t) event->ns - event->payload[0]);
    return true;
  default:
    return false;
  }
}

static const struct eventring_event *begin_at(const struct spans *s,
                                              uint32_t ring, uint32_t at)
{
  return at == 0 ? NULL : &s->stacks[ring].open[at - 1].begin;
}

const struct eventring_event *outermost_span(const struct spans *s,
                                             uint32_t ring)
{
  return ring >= s->rings ? NULL
                          : begin_at(s, ring, s->stacks[ring].outermost);
}

const struct eventring_event *innermost_span(const struct spans *s,
                                             uint32_t ring)
{
  return ring >= s->rings ? NULL
                          : begin_at(s, ring, s->stacks[ring].innermost);
}

/* Returns the span with the begin [begin], which is the first field of its
   struct span. */
static const struct span *span_of(const struct eventring_event *begin)
{
  return (const struct span *) begin;
}

const struct eventring_event *next_inner_span(
  const struct spans *s, const struct eventring_event *begin)
{
  return begin_at(s, begin->ring, span_of(begin)->inner);
}

const struct eventring_event *next_outer_span(
  const struct spans *s, const struct eventring_event *begin)
{
  return begin_at(s, begin->ring, span_of(begin)->outer);
}

uint64_t span_number(const struct eventring_event *begin)
{
  return span_of(begin)->number;
}

bool is_open(const struct spans *s, uint32_t ring, uint16_t id)
{
  return ring < s->rings
         && find(&s->stacks[ring], BY_ID,
                 &(struct eventring_event) { .id = id }) != NULL;
}

bool in_collecting_span(const struct spans *s, uint32_t ring)
{
  const struct eventring_event *open = innermost_span(s, ring);
  while (open != NULL && !is_collecting(class_of(s->roles, open->id)))
    open = next_outer_span(s, open);
  return open != NULL;
}

void forget_alike(struct spans *s, const struct eventring_event *begin, int64_t ns)
{
  const struct eventring_event *open = innermost_span(s, begin->ring);
  while (open != NULL) {
    const struct eventring_event *outer = next_outer_span(s, open);
    if (open->id == begin->id && open->ns < ns) forget_span(s, open);
    open = outer;
  }
}

void forget_span(struct spans *s, const struct eventring_event *begin)
{
  struct stack *stack = &s->stacks[begin->ring];
  take_out(stack, stack->open + (span_of(begin) - stack->open));
}

uint32_t span_depth(const struct spans *s, uint32_t ring)
{
  return ring < s->rings ? s->stacks[ring].depth : 0;
}
