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

#include <stdint.h>
#include <stdlib.h>
#include "memory.h"
#include "trace_stacks.h"

struct trace_stacks *new_trace_stacks(void)
{
  struct trace_stacks *s = allocate(1, sizeof *s);
  s->functions = new_pair_map();
  s->lines = new_pair_map();
  s->calls = new_pair_map();
  return s;
}

void free_trace_stacks(struct trace_stacks *s)
{
  if (s == NULL) return;
  free_pair_map(&s->functions);
  free_pair_map(&s->lines);
  free_pair_map(&s->calls);
  free(s->places);
  free(s->stacks);
  free(s);
}

/* Returns the number of the place of [frame], at [address]. */
static uint32_t place_of(struct trace_stacks *s, const struct frame *frame,
                         uint64_t address)
{
  bool added;
  uint32_t function =
    number_of_pair(&s->functions, (uintptr_t) frame->function,
                   (uintptr_t) frame->file, &added);
  uint32_t at = number_of_pair(&s->lines, function, frame->line, &added) + 1;
  if (added) {
    s->places = with_room(s->places, at, &s->places_room, sizeof *s->places);
    s->places[at] = (struct trace_place) { .frame = *frame,
                                           .address = address };
    s->places_count = at;
  }
  return at;
}

/* Returns the number of the stack of [frame], at [address], called by the
   functions of the stack [parent]. */
static uint32_t call_from(struct trace_stacks *s, uint32_t parent,
                          const struct frame *frame, uint64_t address)
{
  bool added;
  uint32_t place = place_of(s, frame, address);
  uint32_t at = number_of_pair(&s->calls, parent, place, &added) + 1;
  if (added) {
    s->stacks = with_room(s->stacks, at, &s->stacks_room, sizeof *s->stacks);
    s->stacks[at] = (struct trace_stack) { .parent = parent, .place = place };
    s->stacks_count = at;
  }
  return at;
}

uint32_t trace_stack_of(struct trace_stacks *s, struct eventring_cursor *cursor,
                        struct symbols *symbols,
                        const struct eventring_event *event)
{
  uint32_t at = 0;
  if (!sample_is_whole(cursor, CPU_SAMPLE, event)) {
    const struct frame truncated = {
      .function = symbols_text(symbols, SAMPLE_TRUNCATED)
    };
    at = call_from(s, at, &truncated, 0);
  }
  for (uint32_t i = event->words; i-- > SAMPLE_FIRST_FRAME; ) {
    const struct frame *frames;
    uint32_t count = find_frames(symbols, (struct code_address) {
      event->payload[i], i != SAMPLE_FIRST_FRAME, 0 }, &frames);
    while (count-- > 0)
      at = call_from(s, at, &frames[count], event->payload[i]);
  }
  return at;
}
