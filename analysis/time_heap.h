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

/* A heap of numbered things by the times of their next events, for merging
   several sequences of events into the order of time. */

#ifndef ANALYSIS_TIME_HEAP_H
#define ANALYSIS_TIME_HEAP_H

#include <stdint.h>

struct timed {
  int64_t ns;
  int which;
};

struct time_heap {
  struct timed *list;             /* the earliest first */
  int count;
};

/* Returns an empty heap with room for [most] elements.  The caller frees its
   list. */
struct time_heap new_time_heap(int most);

/* Adds [timed] to [heap], which must have room.  Of elements with the same
   time, the lower number comes first. */
void time_heap_push(struct time_heap *heap, struct timed timed);

/* Removes the earliest element of [heap], which must not be empty, and returns
   it. */
struct timed time_heap_pop(struct time_heap *heap);

#endif /* ANALYSIS_TIME_HEAP_H */
