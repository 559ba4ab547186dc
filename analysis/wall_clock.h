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

/* The times of day of events.  Their own clock does not count while the system
   sleeps, and nobody sets it; the clock of the system may be set while a process
   runs:

     of the events  -----------+-----------------+---------->
     of the system  = offset 0 |   = offset 1    | = offset 2

   The offset at the start of tracing is in every file; a recording has others,
   from samples of the clocks every ten seconds. */

#ifndef ANALYSIS_WALL_CLOCK_H
#define ANALYSIS_WALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

#define WALL_PIECES 64            /* later changes are left out */

struct wall_piece {
  int64_t from_ns;                /* on the clock of the events */
  int64_t offset_ns;              /* what the clock of the system is ahead */
};

struct wall_clock {
  uint32_t count;
  struct wall_piece pieces[WALL_PIECES];
};

/* Sets *clock from the file that [cursor] reads.  Returns false, with *clock
   unchanged, when the file does not have the time of day. */
bool read_wall_clock(struct eventring_cursor *cursor, struct wall_clock *clock);

/* Returns the time of day, in nanoseconds since 1970, at the time [ns] of an
   event. */
int64_t wall_time(const struct wall_clock *clock, int64_t ns);

/* Returns the time on the clock of the events at the time of day [wall_ns]: the
   first one when the clock was set back, and the time of the change when the
   clock was set forward over [wall_ns]. */
int64_t event_time(const struct wall_clock *clock, int64_t wall_ns);

#endif /* ANALYSIS_WALL_CLOCK_H */
