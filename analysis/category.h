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

/* Categories of events, which a file has by name. */

#ifndef ANALYSIS_CATEGORY_H
#define ANALYSIS_CATEGORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "eventring_reader.h"

/* Sets *mask to the categories in [list], names separated by commas; "all" is
   all.  Returns false, with a message in [why], when the file has none of that
   name. */
bool parse_categories(struct eventring_cursor *cursor, const char *list,
                      uint32_t *mask, char *why, size_t why_size);

/* Returns the mask of all categories that the file has. */
uint32_t all_categories(struct eventring_cursor *cursor);

/* Returns the categories that the process records or, when it is paused, the
   ones that resuming restores. */
uint32_t recorded_categories(struct eventring_cursor *cursor);

#endif /* ANALYSIS_CATEGORY_H */
