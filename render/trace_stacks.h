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

/* The stacks of the samples of a trace, for formats that write a stack once and
   refer to it by a number. */

#ifndef RENDER_TRACE_STACKS_H
#define RENDER_TRACE_STACKS_H

#include <stddef.h>
#include "pair_map.h"
#include "profile.h"

/* A function at a line. */
struct trace_place {
  struct frame frame;
  uint64_t address;               /* of the first call there; 0: none */
  bool written;                   /* for the use of the format */
};

/* A call: a function at a line, called by the functions of [parent]. */
struct trace_stack {
  uint32_t parent;                /* 0: none called it */
  uint32_t place;                 /* from 1 */
  bool written;                   /* for the use of the format */
};

/* The stacks of one trace; no two processes share stacks or places. */
struct trace_stacks {
  struct pair_map functions, lines, calls;
  struct trace_place *places;     /* by number, from 1 */
  uint32_t places_count;
  size_t places_room;
  struct trace_stack *stacks;     /* by number, from 1; a parent has a smaller
                                     one */
  uint32_t stacks_count;
  size_t stacks_room;
};

/* Creates an empty table, which the caller frees with free_trace_stacks; that takes
   NULL, too. */
struct trace_stacks *new_trace_stacks(void);
void free_trace_stacks(struct trace_stacks *stacks);

/* Returns the number of the stack of [event], a sample that [cursor] has
   returned, and adds it to [stacks] if it is new; 0 for a sample without
   frames.  [symbols], of the process of [cursor], must stay valid while
   [stacks] is used. */
uint32_t trace_stack_of(struct trace_stacks *stacks,
                        struct eventring_cursor *cursor,
                        struct symbols *symbols,
                        const struct eventring_event *event);

#endif /* RENDER_TRACE_STACKS_H */
