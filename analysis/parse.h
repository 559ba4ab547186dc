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

/* Numbers with units, as users write them. */

#ifndef ANALYSIS_PARSE_H
#define ANALYSIS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a duration such as "10ms", "1.5s", "250us", "100ns", "2m" or "1h" into
   *ns, rounded to nanoseconds.  The case of the unit does not matter; a number
   without a unit is in seconds.  Returns true on success; false, with *ns
   unchanged, when [text] is no duration, negative, or 9e18 ns or more. */
bool parse_duration(const char *text, int64_t *ns);

/* Parses a size such as "100M", "64KiB", "1.5GB" or "4096" into *bytes, rounded
   down.  Units are powers of 1024, and their case does not matter; a number
   without a unit is in bytes.  Returns true on success; false, with *bytes
   unchanged, when [text] is no size, negative, or 9e18 bytes or more. */
bool parse_size(const char *text, uint64_t *bytes);

#endif /* ANALYSIS_PARSE_H */
