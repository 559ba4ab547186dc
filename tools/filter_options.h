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

/* Adds [option] of [command], as returned by next_option, with its [value] to
   the filter.  Does nothing for an option that is not about a filter.  If the
   value is not understood, prints a message and ends the program with
   STATUS_USAGE.  [value] must stay valid as long as the filter. */
void filter_option(const struct command *command, struct filter *filter,
                   int option, const char *value);

/* Calls filter_begin.  If the file lacks a category of the filter, prints a
   message and ends the program with STATUS_USAGE. */
void begin_filter(struct filter *filter, struct eventring_cursor *cursor);

#endif /* TOOLS_FILTER_OPTIONS_H */
