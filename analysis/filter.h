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

/* Creates a filter that lets all events pass.  Never returns NULL.  The caller
   frees the filter with free_filter. */
struct filter *new_filter(void);
void free_filter(struct filter *filter);

/* Restricts the filter to events whose property [by] has [value].  If a
   property was added several times, an event passes when it has any of the
   values; for the times and durations, the last value counts.  Names may be
   patterns of the shell; times and durations are written as in "10ms".  Returns
   true on success; false, with a message in [why], a buffer of [why_size]
   bytes, when [value] is not understood.  The filter keeps the pointer [value],
   which must stay valid as long as the filter. */
bool filter_add(struct filter *filter, enum filter_by by, const char *value,
                char *why, size_t why_size);

/* Returns whether the filter has a minimum duration, so that the caller must
   pass durations to filter_wants. */
bool filter_needs_durations(const struct filter *filter);

/* Prepares the filter for the events of [cursor].  To be called before the
   first read of the cursor.  Moves the cursor to the time of --from, unless the
   filter needs durations or the file cannot be searched.  Returns true on
   success; false, with a message in [why], a buffer of [why_size] bytes, when
   the file lacks a category of the filter. */
bool filter_begin(struct filter *filter, struct eventring_cursor *cursor,
                  char *why, size_t why_size);

/* Returns whether [event] passes the filter.  [took_ns] is the duration of the
   span or activity that ends with [event], or -1 when nothing does.  A report
   of lost events has a domain and a thread, but no name and no category. */
bool filter_wants(struct filter *filter, const struct eventring_event *event,
                  int64_t took_ns);

/* Returns whether no further event can pass the filter, because the time of
   --to is over.  [idle]: the cursor has no events at present, so that the clock
   decides. */
bool filter_is_past(const struct filter *filter, bool idle);

#endif /* ANALYSIS_FILTER_H */
