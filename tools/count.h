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

/* How many events there are of each name. */

#ifndef TOOLS_COUNT_H
#define TOOLS_COUNT_H

#include "common.h"

struct counts;

/* Ends the program when there is no memory. */
struct counts *new_counts(struct eventring_cursor *cursor);
void free_counts(struct counts *counts);

void count_event(struct counts *counts, const struct eventring_event *event);

/* Prints a line for each name, the most frequent first, then one with the
   total; or a JSON object. */
void print_counts(struct counts *counts, bool json);

#endif /* TOOLS_COUNT_H */
