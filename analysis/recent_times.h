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

/* The latest times that something took, of which some are in others, such as collections
   and stops: so that none counts twice. */

#ifndef ANALYSIS_RECENT_TIMES_H
#define ANALYSIS_RECENT_TIMES_H

#include <stdint.h>

#define RECENT_TIMES 16

/* Zeros: there are none. */
struct recent_times {
  struct { int64_t from_ns, to_ns; } list[RECENT_TIMES];
  uint32_t count;                 /* of all; the last ones are in the list */
};

typedef void take_time(void *state, int64_t from_ns, int64_t to_ns);

/* Calls [take], with [state], for each part of the time from [from_ns] to [to_ns] that is
   in none of the recent times. */
void outside_recent_times(const struct recent_times *times, int64_t from_ns,
                          int64_t to_ns, take_time *take, void *state);

/* Does the same, and adds the time, which is then the latest. */
void add_recent_time(struct recent_times *times, int64_t from_ns, int64_t to_ns,
                     take_time *take, void *state);

#endif /* ANALYSIS_RECENT_TIMES_H */
