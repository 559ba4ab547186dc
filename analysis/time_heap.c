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

#include <stdbool.h>
#include "memory.h"
#include "time_heap.h"

struct time_heap new_time_heap(int most)
{
  return (struct time_heap) {
    .list = allocate((size_t) most, sizeof (struct timed))
  };
}

static bool is_before(struct timed a, struct timed b)
{
  return a.ns < b.ns || (a.ns == b.ns && a.which < b.which);
}

void time_heap_push(struct time_heap *heap, struct timed timed)
{
  int i = heap->count++;
  for (; i > 0 && is_before(timed, heap->list[(i - 1) / 2]); i = (i - 1) / 2)
    heap->list[i] = heap->list[(i - 1) / 2];
  heap->list[i] = timed;
}

struct timed time_heap_pop(struct time_heap *heap)
{
  struct timed *list = heap->list, first = list[0], last = list[--heap->count];
  int i = 0, child;
  while ((child = 2 * i + 1) < heap->count) {
    if (child + 1 < heap->count && is_before(list[child + 1], list[child]))
      child++;
    if (!is_before(list[child], last)) break;
    list[i] = list[child];
    i = child;
  }
  list[i] = last;
  return first;
}
