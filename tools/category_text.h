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

/* Calls parse_categories, and prints its message on standard error. */
bool find_categories(struct eventring_cursor *cursor, const char *list,
                     uint32_t *mask);

/* Prints the names of those in [mask], separated by a comma and a space. */
void print_categories(struct eventring_cursor *cursor, uint32_t mask);

#endif /* TOOLS_CATEGORY_TEXT_H */
