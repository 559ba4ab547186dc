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

#include <stdbool.h>
#include "counts.h"

/* Prints [counts] on standard output, sorted as counts_by_name does.  As text,
   prints a line for each name of events, with its count before it, and a line
   with the total; if [json] is true, prints an indented JSON object instead. */
void print_counts(const struct counts *counts, bool json);

#endif /* TOOLS_COUNT_TEXT_H */
