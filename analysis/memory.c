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

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "memory.h"

void (*out_of_memory)(void) = abort;

/* Returns [memory], the result of an allocation of [count] elements of [size]
   bytes.  When the allocation failed, calls out_of_memory and does not return;
   a NULL for 0 bytes is no failure. */
static void *checked(void *memory, size_t count, size_t size)
{
  if (memory == NULL && count != 0 && size != 0) {
    out_of_memory();
    abort();
  }
  return memory;
}

void *allocate(size_t count, size_t size)
{
  return checked(calloc(count, size), count, size);
}

char *copy_of(const char *text)
{
  return checked(strdup(text), 1, 1);
}

void *reallocate(void *memory, size_t count, size_t size)
{
  return checked(reallocarray(memory, count, size), count, size);
}

void *with_room(void *list, size_t count, size_t *room, size_t size)
{
  if (count < *room) return list;
  *room = *room == 0 ? 64 : 2 * *room;
  return reallocate(list, *room, size);
}
