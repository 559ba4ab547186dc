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

/* How many events there are of each name. */

#ifndef ANALYSIS_COUNTS_H
#define ANALYSIS_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include "eventring_reader.h"

struct counts;

/* Creates counts of the events that [cursor] reads, all 0.  Never returns NULL
   (see memory.h).  The caller frees the counts with free_counts. */
struct counts *new_counts(struct eventring_cursor *cursor);
void free_counts(struct counts *counts);

/* Adds 1 to the count of events with the id of [event] and to the total.
   Reports of lost events are not counted.  [event] must not be
   EVENTRING_EV_CONTROL_CHANGED, since no event has its id. */
void count_event(struct counts *counts, const struct eventring_event *event);

/* Returns the total number of events counted. */
uint64_t total_count(const struct counts *counts);

struct named_count {
  char name[128];                 /* "#" and the id for an event without */
  uint64_t count;
};

/* Returns an array of the names of events and their counts in [all], counts of
   [count] processes, the most frequent name first, equal counts by name, and
   sets *names to the number of its elements.  Events that were not seen are left
   out; ids with the same name are added up.  Names are cut to 127 bytes.  Never
   returns NULL (see memory.h).  The caller frees the array. */
struct named_count *counts_by_name(const struct counts *const *all,
                                   size_t count, size_t *names);

#endif /* ANALYSIS_COUNTS_H */
