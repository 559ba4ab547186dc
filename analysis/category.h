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

#include "common.h"

/* The mask of the categories in [list], names separated by commas; "all" is
   all.  False, with a message, when the file has none of that name. */
bool find_categories(struct eventring_cursor *cursor, const char *list,
                     uint32_t *mask);

/* The mask of all that the file has. */
uint32_t all_categories(struct eventring_cursor *cursor);

/* Those that the process records or, when it is paused, resuming restores. */
uint32_t recorded_categories(struct eventring_cursor *cursor);

/* Prints the names of those in [mask], separated by a comma and a space. */
void print_categories(struct eventring_cursor *cursor, uint32_t mask);

#endif /* ANALYSIS_CATEGORY_H */
