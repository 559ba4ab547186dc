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
   there is no memory.  The program decides how it ends then. */

#ifndef ANALYSIS_MEMORY_H
#define ANALYSIS_MEMORY_H

#include <stddef.h>

/* Called when there is no memory; must not return.  The default is abort. */
extern void (*out_of_memory)(void);

/* Returns zeroed memory for [count] elements of [size] bytes, to be freed;
   never NULL. */
void *allocate(size_t count, size_t size);

/* Changes the size of [memory] to [count] elements of [size] bytes; returns
   the memory, which may have moved; never NULL. */
void *reallocate(void *memory, size_t count, size_t size);

#endif /* ANALYSIS_MEMORY_H */
