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

/* Never returns NULL, see memory.h. */
struct counts *new_counts(struct eventring_cursor *cursor);
void free_counts(struct counts *counts);

/* Counts an event.  A loss is none. */
void count_event(struct counts *counts, const struct eventring_event *event);

/* Returns how many events were counted. */
uint64_t total_count(const struct counts *counts);

struct named_count {
  char name[128];                 /* "#" and the id for an event without */
  uint64_t count;
};

/* Returns an array of *names elements, the most frequent name first, to be
   freed. */
struct named_count *counts_by_name(const struct counts *counts, size_t *names);

#endif /* ANALYSIS_COUNTS_H */
