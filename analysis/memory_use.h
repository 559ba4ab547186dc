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

/* The memory of a process: its heap and its growth, and the code that allocates
   and keeps blocks, from samples.

     struct memory_use *m = new_memory_use(cursor);
     for each event: memory_use_event(m, event);
     whenever the cursor was read empty: memory_use_idle(m);
     memory_use_finish(m, symbols); */

#ifndef ANALYSIS_MEMORY_USE_H
#define ANALYSIS_MEMORY_USE_H

#include <stdbool.h>
#include "profile.h"
#include "summary.h"

/* The live blocks in the heaps of all domains, large ones too, at the end of a
   major cycle. */
struct live_heap { int64_t ns; uint64_t bytes; };

struct memory_use {
  struct summary *summary;
  struct profile *allocated, *alive;    /* PROFILE_ALLOC and PROFILE_LIVE */

  /* After memory_use_finish: */
  struct summary_heap heap;     /* of all domains, at the end of their last
                                   major cycles */
  uint64_t cycles;              /* that ended, with a report of the heap */
  struct live_heap first, last; /* of them, when there are any */
  uint64_t arrived_bytes;       /* came to the major heap since the last one:
                                   promoted or, if gc_detail was recorded,
                                   allocated there too.  A full collection would
                                   free as much, if as much stays alive as
                                   then */
};

/* Creates the empty memory use of the process that [cursor] reads.  Never
   returns NULL (see memory.h).  The caller frees it with free_memory_use; the
   cursor must stay open while it is used. */
struct memory_use *new_memory_use(struct eventring_cursor *cursor);
void free_memory_use(struct memory_use *m);

/* Takes the next event of the cursor.  The caller passes every event. */
void memory_use_event(struct memory_use *m,
                      const struct eventring_event *event);

/* See summary_idle. */
void memory_use_idle(struct memory_use *m);

/* Sets the results, and finds the functions of the profiles with [symbols],
   which must stay valid.  To be called once, after the last event. */
void memory_use_finish(struct memory_use *m, struct symbols *symbols);

#endif /* ANALYSIS_MEMORY_USE_H */
