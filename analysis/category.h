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

/* Parses [list], names of categories separated by commas, and sets *mask to the
   mask of these categories.  The name "all" means all but the
   categories that are only recorded by name: samples, "io" and "points".
   Upper and lower case differ.  Returns true on success; false, with a message
   in [why], a buffer of [why_size] bytes, when the file has no category of one
   of the names, the empty name included.  *mask then has the categories before
   this name. */
bool parse_categories(struct eventring_cursor *cursor, const char *list,
                      uint32_t *mask, char *why, size_t why_size);

/* Returns the mask of all categories that the file of [cursor] has. */
uint32_t all_categories(struct eventring_cursor *cursor);

/* Returns the mask of the categories that the process of [cursor] records at
   present.  If recording is paused, returns the mask that will be recorded when
   recording is resumed. */
uint32_t recorded_categories(struct eventring_cursor *cursor);

/* Returns whether the category called [name] is among recorded_categories. */
bool records_category(struct eventring_cursor *cursor, const char *name);

#endif /* ANALYSIS_CATEGORY_H */
