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

     struct long_pauses *p = new_long_pauses(s, from_ns, to_ns, 0);
     for each event: summary_event(s, event);
     summary_tally(s, NULL, summary_until(s));    (pauses are complete then)
     int count = list_long_pauses(p, from_ns, to_ns, list); */

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
  uint32_t domains;               /* how many; without a list of the stop, domains
                                     with equal ids modulo 64 count as one */
  uint64_t requested_by;          /* the domain that asked for it; UINT64_MAX:
                                     the file does not say */
  uint64_t arrived_last;          /* the domain that arrived last at the stop;
                                     UINT64_MAX: it was no stop of several, or the
                                     file does not say */
  char name[PAUSE_NAME];          /* of the event */
  char cause[PAUSE_NAME];         /* "" when the file does not say */
};

struct long_pauses;

/* Returns an empty list of the pauses that end from [from_ns] to [to_ns], on
   CLOCK_MONOTONIC; [s] gives it all pauses that are complete later, cut off at the ends
   of its window.  It keeps the LONG_PAUSES longest of all and of each second, from one
   whole second of CLOCK_MONOTONIC to the next, of the last [seconds].  Never returns NULL
   (see memory.h).  The caller frees the list before [s]. */
struct long_pauses *new_long_pauses(struct summary *s, int64_t from_ns, int64_t to_ns,
                                    uint32_t seconds);
void free_long_pauses(struct long_pauses *p);

/* Adds the longest pauses of [from], another reading of the same file, which may have
   read events that are overwritten now; cut off at the begin of [p]. */
void add_long_pauses(struct long_pauses *p, const struct long_pauses *from);

/* Fills [list] with the longest pauses that ended from [from_ns] to [to_ns], the latest
   first, as far as they are kept.  Returns the number of elements filled. */
int list_long_pauses(const struct long_pauses *p, int64_t from_ns, int64_t to_ns,
                     struct long_pause list[LONG_PAUSES]);

#endif /* ANALYSIS_LONG_PAUSES_H */
