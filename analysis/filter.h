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
  FILTER_CATEGORY, FILTER_DOMAIN, FILTER_FORM, FILTER_FROM,
  FILTER_LONGER_THAN, FILTER_NAME, FILTER_THREAD, FILTER_TO
};

/* Creates a filter that lets all events pass.  Never returns NULL.  The caller
   frees the filter with free_filter. */
struct filter *new_filter(void);
void free_filter(struct filter *filter);

/* Returns a copy of [filter] before filter_begin, for another cursor. */
struct filter *copy_filter(const struct filter *filter);

/* Returns whether the filter is restricted to some domains or threads. */
bool filter_has_threads(const struct filter *filter);

/* Restricts the filter to events whose property [by] has [value].  If a
   property was added several times, an event passes when it has any of the
   values; for the times and durations, the last value counts.  Names of events,
   domains and threads may be patterns of the shell, but digits are the id of a
   domain or thread, and # and digits the id of a thread in the threads library;
   times and durations are written as in "10ms", times since tracing started; a
   time may also be of day, as parse_time_point takes it;
   categories are separated by commas; a form is begin, end, counter, instant
   or complete.  Returns true on success; false, with a
   message in [why], a buffer of [why_size] bytes, when [value] is not
   understood; the filter must then only be freed.  Categories are not looked up
   before filter_begin.  The filter keeps the pointer [value], which must stay
   valid as long as the filter. */
bool filter_add(struct filter *filter, enum filter_by by, const char *value,
                char *why, size_t why_size);

/* Returns whether the filter has a minimum duration, so that the caller must
   pass durations to filter_wants. */
bool filter_needs_durations(const struct filter *filter);

/* Returns whether the filter was restricted to some forms of events. */
bool filter_has_forms(const struct filter *filter);

/* Makes the filter leave the cursor where it is in filter_begin, for a caller
   that needs the events before the time of --from too. */
void filter_keep_earlier(struct filter *filter);

/* Prepares the filter for the events of [cursor].  To be called before the
   first read of the cursor.  Moves the cursor to the time of --from, unless the
   filter needs durations, filter_keep_earlier was called, or the file cannot be
   searched.  Returns true on
   success; false, with a message in [why], a buffer of [why_size] bytes, when
   the file lacks a category of the filter, or the filter has times of day and
   the file has none. */
bool filter_begin(struct filter *filter, struct eventring_cursor *cursor,
                  char *why, size_t why_size);

/* Prepares the filter as filter_begin does, for events to the times of which
   the caller has added [shift_ns].  --from and --to count from [started_ns], a
   shifted time. */
bool filter_begin_at(struct filter *filter, struct eventring_cursor *cursor,
                     int64_t started_ns, int64_t shift_ns, char *why,
                     size_t why_size);

/* Returns whether [event] passes the filter.  [took_ns] is the duration of the
   span or activity that ends with [event], or -1 when nothing does; it must
   exceed a minimum duration, not equal it.  A report of lost events has a
   domain and a thread, but no name and no category, so it does not pass a
   filter by these.  [event] must not be EVENTRING_EV_CONTROL_CHANGED.  Records
   for filter_is_past that an event is more than a second later than the time of
   --to. */
bool filter_wants(struct filter *filter, const struct eventring_event *event,
                  int64_t took_ns);

/* Returns whether no further event can pass the filter, because the time of
   --to is over by more than a second: events of different domains may be a
   little out of order.  [idle]: the cursor has no events at present, so that
   the clock decides; if false, the events passed to filter_wants decide. */
bool filter_is_past(const struct filter *filter, bool idle);

#endif /* ANALYSIS_FILTER_H */
