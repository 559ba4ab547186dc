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

/* The filter of events as options of a subcommand. */

#ifndef TOOLS_FILTER_OPTIONS_H
#define TOOLS_FILTER_OPTIONS_H

#include "common.h"
#include "filter.h"

/* Adds an option of [command], as next_option returned it, to the filter.  Ends
   the program when the value is not understood.  [value] must live as long as
   the filter. */
void filter_option(const struct command *command, struct filter *filter,
                   int option, const char *value);

/* Calls filter_begin; ends the program when the file has no such category. */
void begin_filter(struct filter *filter, struct eventring_cursor *cursor);

#endif /* TOOLS_FILTER_OPTIONS_H */
