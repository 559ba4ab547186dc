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

/* The longest pauses for the collector, with their causes: of kind PAUSE_ANY in a
   summary.  Pauses of several domains that belong together are one.

     struct long_pauses *p = new_long_pauses(s, from_ns, to_ns, kept_ns);
     for each event: summary_event(s, event);
     summary_tally(s, NULL, summary_until(s));    (pauses are complete then)
     int count = list_long_pauses(p, INT64_MIN, list); */

#ifndef ANALYSIS_LONG_PAUSES_H
#define ANALYSIS_LONG_PAUSES_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "summary.h"

#define LONG_PAUSES 16
#define PAUSE_NAME 128            /* bytes of a name */

struct long_pause {
  int64_t end_ns;
  uint64_t ns;
  uint32_t domain;                /* of the longest, where several domains
                                     took part */
  uint32_t domains;
  uint64_t requested_by;          /* the domain that asked for it; UINT64_MAX:
                                     the file does not say */
  char name[PAUSE_NAME];          /* of the event */
  char cause[PAUSE_NAME];         /* "" when the file does not say */
};

struct long_pauses;

/* Returns an empty list of the pauses that end from [from_ns] to [to_ns], on
   CLOCK_MONOTONIC; [s] gives it all pauses that are complete later, cut off at the ends
   of its window.  A pause that ended more than [kept_ns] before another one gives its
   place up.  Never returns NULL (see memory.h).  The caller frees the list before [s]. */
struct long_pauses *new_long_pauses(struct summary *s, int64_t from_ns, int64_t to_ns,
                                    int64_t kept_ns);
void free_long_pauses(struct long_pauses *p);

/* Fills [list] with the longest pauses that ended at [from_ns] or later, the latest
   first.  Returns the number of elements filled. */
int list_long_pauses(const struct long_pauses *p, int64_t from_ns,
                     struct long_pause list[LONG_PAUSES]);

#endif /* ANALYSIS_LONG_PAUSES_H */
