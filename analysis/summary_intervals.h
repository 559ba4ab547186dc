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

/* Time of a domain in the collector, and pauses.  For summary.c only.

   Intervals in the collector overlap.  Those that touch are one interval, which
   is a pause of kind PAUSE_ANY or, if the domain waited anyway, PAUSE_WAITING.
   A stop for which the backup thread of a waiting domain wrote no event looks
   like a pause until the wait is known, at its end. */

#ifndef ANALYSIS_SUMMARY_INTERVALS_H
#define ANALYSIS_SUMMARY_INTERVALS_H

#include "summary.h"

/* Adds a pause of [ns] nanoseconds to the histograms of kind [pause]: of domain
   [d], of all domains, and of the recent pauses. */
void add_pause(struct summary *s, struct summary_domain *d, enum pause pause,
               uint64_t ns);

/* Adds the interval from [from] to [to], in which the domain [d] was in the
   collector, to its pending intervals, and merges it with those that it
   touches.  Leaves out the time before the domain was watched and before the
   last closed interval; does nothing if the domain is not watched.  Closes the
   earliest interval when SUMMARY_PENDING are pending.  The caller adds
   intervals in the order of [to].  [idle]: the domain waited anyway, so the
   interval is no pause.  [reason] describes the event that reported all of the
   interval; its [ns] and [domain] are set here. */
void add_interval(struct summary *s, struct summary_domain *d, int64_t from,
                  int64_t to, bool idle, struct summary_reason reason);

/* Closes the earliest pending interval of domain [d], which must have one: adds
   it to the time in the collector and to the pauses of kind PAUSE_ANY or, if
   the domain waited, PAUSE_WAITING, and updates the longest pause.  No later
   interval can begin before its end. */
void close_first(struct summary *s, struct summary_domain *d);

/* Records that no thread of domain [d] ran from [from] to [to], so that
   intervals that begin in this time are no pauses.  An interval that is closed
   stays a pause, but its time is taken from the time in the collector. */
void domain_waited(struct summary_domain *d, int64_t from, int64_t to);

/* Returns whether [ns] is in the last time of domain_waited. */
bool in_wait(const struct summary_domain *d, int64_t ns);

#endif /* ANALYSIS_SUMMARY_INTERVALS_H */
