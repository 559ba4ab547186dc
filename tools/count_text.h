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

/* The table of `eventring events --count`. */

#ifndef TOOLS_COUNT_TEXT_H
#define TOOLS_COUNT_TEXT_H

#include <jansson.h>
#include "counts.h"

/* Prints the counts in [all], of [count] processes added up, on standard output,
   sorted as counts_by_name does.  If [labels] is NULL, prints text: a line for
   each name of events, with its count before it, and a line with the total.
   Else adds the counts to the JSON object [labels], prints it and frees it: on
   one line if it had members, else indented. */
void print_counts(const struct counts *const *all, size_t count,
                  json_t *labels);

#endif /* TOOLS_COUNT_TEXT_H */
