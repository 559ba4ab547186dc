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

/* The options, for the table of a subcommand. */
#define FILTER_OPTIONS \
  { "category", required_argument, NULL, FILTER_CATEGORY }, \
  { "domain", required_argument, NULL, FILTER_DOMAIN }, \
  { "from", required_argument, NULL, FILTER_FROM }, \
  { "longer-than", required_argument, NULL, FILTER_LONGER_THAN }, \
  { "name", required_argument, NULL, FILTER_NAME }, \
  { "thread", required_argument, NULL, FILTER_THREAD }, \
  { "to", required_argument, NULL, FILTER_TO }

/* Adds an option of [command] to the filter; returns false when the option is
   none of those above.  Ends the program when the value is not understood.
   [value] must live as long as the filter. */
bool filter_option(const struct command *command, struct filter *filter,
                   int option, const char *value);

/* filter_begin, which ends the program when the file has no such category. */
void begin_filter(struct filter *filter, struct eventring_cursor *cursor);

#endif /* TOOLS_FILTER_OPTIONS_H */
