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
   time. */

#ifndef ANALYSIS_FILTER_H
#define ANALYSIS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include "eventring_reader.h"

struct filter;

/* The properties of events. */
enum filter_by {
  FILTER_CATEGORY, FILTER_DOMAIN, FILTER_FROM, FILTER_LONGER_THAN,
  FILTER_NAME, FILTER_THREAD, FILTER_TO
};

/* Returns a filter that lets all events pass; never NULL. */
struct filter *new_filter(void);
void free_filter(struct filter *filter);

/* Restricts the filter to events that have [value]; of several values of one
   property, any will do.  A name may be a pattern of the shell, a time is such
   as "10ms".  Returns false, with a message in [why], when the value is not
   understood.  [value] must live as long as the filter. */
bool filter_add(struct filter *filter, enum filter_by by, const char *value,
                char *why, size_t why_size);

/* Returns whether durations are asked for: then [filter_wants] needs them. */
bool filter_needs_durations(const struct filter *filter);

/* Call it before reading from [cursor]; it goes to --from when the file can be
   searched.  Returns false, with a message in [why], when the file has no such
   category. */
bool filter_begin(struct filter *filter, struct eventring_cursor *cursor,
                  char *why, size_t why_size);

/* Returns whether [event] is wanted; with it something of [took_ns] has ended,
   or -1.  Losses are events of their domain and thread without a name. */
bool filter_wants(struct filter *filter, const struct eventring_event *event,
                  int64_t took_ns);

/* Returns whether all is read that --to allows; [idle] when no more events have
   come for now. */
bool filter_is_past(const struct filter *filter, bool idle);

#endif /* ANALYSIS_FILTER_H */
