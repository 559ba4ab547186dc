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

/* To give up blocks would take a step for each of them, at each start of a
   sampling.  So only the starts are kept, with rising numbers, and a block is
   compared with the first start that has a higher number. */

#include <stdlib.h>
#include "live_blocks.h"
#include "memory.h"
#include "pair_map.h"
#include "target.h"

struct block {
  uint64_t number;
  int64_t born_ns, freed_ns;    /* freed_ns: INT64_MAX while it is alive */
  int64_t sampled_ns;           /* the latest sample, in [ring] */
  uint32_t ring;
};


struct start { uint64_t number; int64_t ns; };

struct live_blocks {
  struct pair_map numbers;      /* (number of a block, 0): its index */
  struct block *blocks;
  size_t room;
  struct start *starts;         /* by number */
  size_t starts_count, starts_room;
  int64_t *ended_ns;            /* by ring: the end of the latest domain that
                                   has ended; INT64_MIN: none */
  uint32_t rings_count;
  int end_id;                   /* of the end of a domain; negative: not known */
  /* The latest loss, and the latest one of another ring */
  int64_t lost_ns, other_lost_ns;
  uint32_t lost_ring;
};

struct live_blocks *new_live_blocks(struct eventring_cursor *cursor)
{
  struct live_blocks *b = allocate(1, sizeof *b);
  b->numbers = new_pair_map();
  b->rings_count = target_info(cursor).rings;
  b->ended_ns = allocate(b->rings_count, sizeof *b->ended_ns);
  for (uint32_t i = 0; i < b->rings_count; i++) b->ended_ns[i] = INT64_MIN;
  b->end_id = eventring_find(cursor, "domain_terminate");
  b->lost_ns = b->other_lost_ns = INT64_MIN;
  b->lost_ring = UINT32_MAX;
  return b;
}

void free_live_blocks(struct live_blocks *b)
{
  if (b == NULL) return;
  free_pair_map(&b->numbers);
  free(b->blocks);
  free(b->starts);
  free(b->ended_ns);
  free(b);
}

/* Returns the number of the latest start, 0 when there was none. */
static uint64_t last_start(const struct live_blocks *b)
{
  return b->starts_count == 0 ? 0 : b->starts[b->starts_count - 1].number;
}

uint32_t block_sampled(struct live_blocks *b,
                       const struct eventring_event *event, uint64_t number,
                       int64_t born_ns)
{
  bool added;
  if (number == 0 || number < last_start(b)) return UINT32_MAX;
  uint32_t at = number_of_pair(&b->numbers, number, 0, &added);
  if (!added) {
    b->blocks[at].sampled_ns = event->ns;
    b->blocks[at].ring = event->ring;
    return UINT32_MAX;
  }
  b->blocks = with_room(b->blocks, at, &b->room, sizeof *b->blocks);
  b->blocks[at] = (struct block) {
    .number = number, .born_ns = born_ns, .freed_ns = INT64_MAX,
    .sampled_ns = event->ns, .ring = event->ring
  };
  return at;
}

void blocks_event(struct live_blocks *b, const struct eventring_event *event)
{
  if (event->ring >= b->rings_count) return;
  if (event->form == EVENTRING_EV_LOST) {
    if (event->ring != b->lost_ring) b->other_lost_ns = b->lost_ns;
    b->lost_ring = event->ring;
    b->lost_ns = event->ns;
  } else if (event->id == b->end_id && event->form == EVENTRING_EV_INSTANT) {
    b->ended_ns[event->ring] = event->ns;
  }
}

void block_freed(struct live_blocks *b, uint64_t number, int64_t ns)
{
  uint32_t at = find_pair(&b->numbers, number, 0);
  if (at != UINT32_MAX && b->blocks[at].freed_ns == INT64_MAX)
    b->blocks[at].freed_ns = ns;
}

void sampling_began(struct live_blocks *b, uint64_t number, int64_t ns)
{
  if (number <= last_start(b)) return;
  b->starts = with_room(b->starts, b->starts_count, &b->starts_room,
                        sizeof *b->starts);
  b->starts[b->starts_count++] = (struct start) { number, ns };
}

int64_t blocks_lost(const struct live_blocks *b)
{
  return b->lost_ns;
}

int64_t block_born(const struct live_blocks *b, uint32_t index)
{
  return b->blocks[index].born_ns;
}

/* Returns when block [number] was given up; INT64_MAX: never. */
static int64_t given_up(const struct live_blocks *b, uint64_t number)
{
  size_t low = 0, high = b->starts_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (b->starts[middle].number <= number) low = middle + 1;
    else high = middle;
  }
  return low == b->starts_count ? INT64_MAX : b->starts[low].ns;
}

/* Returns the time up to which [block] is followed, by its latest sample. */
static int64_t known_until(const struct live_blocks *b,
                           const struct block *block)
{
  if (block->ring >= b->rings_count) return INT64_MAX;
  const int64_t ended_ns = b->ended_ns[block->ring];
  const int64_t lost_ns = b->lost_ring == block->ring ? b->other_lost_ns
                                                      : b->lost_ns;
  return block->sampled_ns <= ended_ns && ended_ns < lost_ns ? ended_ns
                                                             : INT64_MAX;
}

int64_t block_died(const struct live_blocks *b, uint32_t index)
{
  const struct block *block = &b->blocks[index];
  const int64_t given_up_ns = given_up(b, block->number);
  if (block->freed_ns != INT64_MAX || given_up_ns != INT64_MAX)
    return block->freed_ns < given_up_ns ? block->freed_ns : given_up_ns;
  return known_until(b, block);
}
