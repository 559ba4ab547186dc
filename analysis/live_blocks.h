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

/* The sampled blocks of a process, and how long each was alive.

   Events come in the order of their times.  A block is alive from its sample to
   the event that it is freed, and is followed up to the start of another
   sampling, which gives up all blocks with lower numbers.  The event that a block
   is freed is in the ring of the domain that has the block: the ring of its latest
   sample, or, when this domain has ended, any other ring.  If a ring has lost
   events since then, the block is followed up to the end of its domain only. */

#ifndef ANALYSIS_LIVE_BLOCKS_H
#define ANALYSIS_LIVE_BLOCKS_H

#include <stdint.h>
#include "eventring_reader.h"

struct live_blocks;

/* Creates an empty set of blocks of the process that [cursor] reads.  Never
   returns NULL.  The caller frees the set with free_live_blocks. */
struct live_blocks *new_live_blocks(struct eventring_cursor *cursor);
void free_live_blocks(struct live_blocks *blocks);

/* Takes the event of a sample of block [number], which is alive since [born_ns],
   and returns the index of the block, from 0 on.  Returns UINT32_MAX when the
   block is known already, or is not followed: [number] is 0 or lower than the
   number of a sampling that has begun. */
uint32_t block_sampled(struct live_blocks *blocks,
                       const struct eventring_event *event, uint64_t number,
                       int64_t born_ns);

/* Takes an event that is no sample: the end of a domain, or a loss.  The caller
   passes every event. */
void blocks_event(struct live_blocks *blocks,
                  const struct eventring_event *event);

/* Ends the life of block [number] at [ns], if the block is known. */
void block_freed(struct live_blocks *blocks, uint64_t number, int64_t ns);

/* Gives up all blocks with numbers lower than [number] at [ns]. */
void sampling_began(struct live_blocks *blocks, uint64_t number, int64_t ns);

/* Returns the time of the latest loss of events, INT64_MIN when there was
   none. */
int64_t blocks_lost(const struct live_blocks *blocks);

/* Returns when the block with index [index] was allocated. */
int64_t block_born(const struct live_blocks *blocks, uint32_t index);

/* Returns when the block with index [index] was freed or given up; INT64_MAX:
   not yet. */
int64_t block_died(const struct live_blocks *blocks, uint32_t index);

#endif /* ANALYSIS_LIVE_BLOCKS_H */
