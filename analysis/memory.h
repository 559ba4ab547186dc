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

/* Memory for statistics.

   The functions that take an event return nothing, so they cannot report that
   there is no memory.  The program decides how it ends then.  The memory is freed
   with free, of <stdlib.h>. */

#ifndef ANALYSIS_MEMORY_H
#define ANALYSIS_MEMORY_H

#include <stddef.h>

/* A function that the program may replace, called when there is no memory, by
   allocate and reallocate and by others.  The function must not return.  The default is
   abort. */
extern void (*out_of_memory)(void);

/* Allocates zeroed memory for [count] elements of [size] bytes and returns it.
   The caller frees the memory.  Returns NULL only for 0 bytes; calls
   out_of_memory when there is no memory. */
void *allocate(size_t count, size_t size);

/* Returns a copy of [text], which the caller frees.  Calls out_of_memory when there is no
   memory. */
char *copy_of(const char *text);

/* Changes the size of [memory], or allocates memory when it is NULL, to [count]
   elements of [size] bytes, and returns the memory, which may have moved.  New
   bytes are not cleared.  The caller frees the memory.  Returns NULL only for 0
   bytes; calls out_of_memory when there is no memory. */
void *reallocate(void *memory, size_t count, size_t size);

/* Returns [list] with room for more than [count] elements of [size] bytes.
   *room is the number of elements for which the list has room, 0 for NULL;
   [count] is at most *room.  If they are equal, the list grows: it may move,
   and *room changes.  The caller frees the list. */
void *with_room(void *list, size_t count, size_t *room, size_t size);

#endif /* ANALYSIS_MEMORY_H */
