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

/* Parses "10ms", "1.5s", "250us", "100ns", "2m", "1h"; without a unit, seconds.
   Returns false when [text] is none of these, negative or too large. */
bool parse_duration(const char *text, int64_t *ns);

/* Parses "100M", "64KiB", "1.5GB", "4096": bytes, the units being powers of
   1024. */
bool parse_size(const char *text, uint64_t *bytes);

#endif /* ANALYSIS_PARSE_H */
