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

/* Which events are wanted: by domain, thread, category, name, duration and
   time, as options of the command line say. */

#ifndef ANALYSIS_FILTER_H
#define ANALYSIS_FILTER_H

#include "common.h"

struct filter;

/* The options, for the table of a subcommand. */
enum {
  FILTER_CATEGORY = 256, FILTER_DOMAIN, FILTER_FROM, FILTER_LONGER_THAN,
  FILTER_NAME, FILTER_THREAD, FILTER_TO
};
#define FILTER_OPTIONS \
  { "category", required_argument, NULL, FILTER_CATEGORY }, \
  { "domain", required_argument, NULL, FILTER_DOMAIN }, \
  { "from", required_argument, NULL, FILTER_FROM }, \
  { "longer-than", required_argument, NULL, FILTER_LONGER_THAN }, \
  { "name", required_argument, NULL, FILTER_NAME }, \
  { "thread", required_argument, NULL, FILTER_THREAD }, \
  { "to", required_argument, NULL, FILTER_TO }

/* A filter of [command] that lets all pass. */
struct filter *new_filter(const struct command *command);
void free_filter(struct filter *filter);

/* Takes an option; false when it is none of those above.  Ends the program
   when the value is not understood.  [value] must live as long as the
   filter. */
bool filter_option(struct filter *filter, int option, const char *value);

/* Whether there was one. */
bool filter_is_set(const struct filter *filter);

/* Whether durations are asked for: then [filter_wants] needs them. */
bool filter_needs_durations(const struct filter *filter);

/* Before reading from [cursor]: ends the program when it has no such category,
   and goes to --from when the file can be searched. */
void filter_begin(struct filter *filter, struct eventring_cursor *cursor);

/* Whether [event] is wanted; with it something of [took_ns] has ended, or -1.
   Losses are events of their domain and thread without a name. */
bool filter_wants(struct filter *filter, const struct eventring_event *event,
                  int64_t took_ns);

/* Whether all is read that --to allows; [idle] when no more events have come
   for now. */
bool filter_is_past(const struct filter *filter, bool idle);

#endif /* ANALYSIS_FILTER_H */
