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

/* Categories on the command line and on standard output. */

#ifndef TOOLS_CATEGORY_TEXT_H
#define TOOLS_CATEGORY_TEXT_H

#include "category.h"

/* Parses [list] with parse_categories and sets *mask.  Returns true on success;
   prints a message and returns false when the file has no category of one of
   the names; *mask then has the categories before that name. */
bool find_categories(struct eventring_cursor *cursor, const char *list,
                     uint32_t *mask);

/* Prints the names of the categories in [mask] on standard output, separated by
   a comma and a space, without an end of line; "category" and the number for a
   category that the file does not have. */
void print_categories(struct eventring_cursor *cursor, uint32_t mask);

#endif /* TOOLS_CATEGORY_TEXT_H */
