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

/* Numbers with units, and times, as users write them. */

#ifndef ANALYSIS_PARSE_H
#define ANALYSIS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a duration such as "10ms", "1.5s", "250us", "100ns", "2m" or "1h" into
   *ns, rounded to nanoseconds.  The case of the unit does not matter; a number
   without a unit is in seconds.  Returns true on success; false, with *ns
   unchanged, when [text] is no duration, negative, or 9e18 ns or more. */
bool parse_duration(const char *text, int64_t *ns);

/* A time that a user gives: since the start of tracing, or of day, since 1970 in
   UTC. */
struct time_point {
  bool wall;
  int64_t ns;
};

/* What parse_time_point takes, for messages. */
#define TIME_EXAMPLES "1.5s or 2026-11-26T07:40:00"

/* Parses a duration, as parse_duration does, or a date and a time of day into
   *time:

     2026-11-26T07:40[:00[.123456789]][Z|+01:00]

   A blank may be in the place of the T; further digits of the fraction are
   ignored; without Z or an offset, the time is of the local time zone (TZ).
   Returns true on success; false, with *time unchanged, when [text] is neither,
   or no day or time that there is, or its year is not from 1970 to 2261. */
bool parse_time_point(const char *text, struct time_point *time);

/* Parses a decimal number such as "3" or "0.5" into *number.  Returns false, with
   *number perhaps changed, when [text] is no such number or is negative. */
bool parse_decimal(const char *text, double *number);

/* Parses a size such as "100M", "64KiB", "1.5GB" or "4096" into *bytes, rounded
   down.  Units are powers of 1024, and their case does not matter; a number
   without a unit is in bytes.  Returns true on success; false, with *bytes
   unchanged, when [text] is no size, negative, or 9e18 bytes or more. */
bool parse_size(const char *text, uint64_t *bytes);

/* Returns whether [text] is a process id, which means digits only and at least
   one, and not a path.  The number may be too large. */
bool is_number(const char *text);

#endif /* ANALYSIS_PARSE_H */
