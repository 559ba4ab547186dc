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


/* The time between two events that the user chose by filters.

   Events are paired as by the kernel's histogram triggers and by bpftrace
   scripts that keep the time of a start by thread: an event THEN is paired with
   the latest event FIRST before it in the same scope, and uses it up.  So:

   - of several FIRST without a THEN in between, the last one counts, and the
     earlier ones are counted as replaced;
   - of several THEN behind a FIRST, the first one counts;
   - an event that passes both filters is a THEN and then a FIRST, so that equal
     filters give the time from one event to the next one.

   Each event counts at the time that `eventring events` shows.  A span has two
   events and counts at its begin, unless its filter names forms or a duration:
   form=end and longer-than= choose the end.  A complete event, such as a wait,
   counts when it ends.

   A gap in the scope (events were lost, recording was paused, the categories
   changed) ends the waiting for a THEN, which may have been in the gap.

   Memory is bounded: by BETWEEN_SCOPES, BETWEEN_POINTS and BETWEEN_LONGEST. */

#ifndef ANALYSIS_BETWEEN_H
#define ANALYSIS_BETWEEN_H

#include <stdbool.h>
#include <stddef.h>
#include "eventring_reader.h"
#include "filter.h"
#include "histogram.h"

/* Where FIRST and THEN must be: in one thread, in one domain, or anywhere. */
enum between_scope {
  BETWEEN_THREAD, BETWEEN_DOMAIN, BETWEEN_PROCESS, BETWEEN_SCOPE_COUNT
};
extern const char *const between_scope_names[BETWEEN_SCOPE_COUNT];

/* The most threads or domains in which events are paired; FIRST of further ones
   are counted as cut. */
#define BETWEEN_SCOPES 65536

/* Points of the series, and pairs in the list of the longest. */
#define BETWEEN_POINTS 4096
#define BETWEEN_LONGEST 20

/* An event of a pair. */
struct between_event {
  int64_t ns;
  uint64_t ticks;
  uint32_t domain, thread;
  int32_t thread_id;
  uint16_t id;
};

struct between_pair { struct between_event first, then; };

/* Pairs of about the same time. */
struct between_point {
  int64_t ns;                     /* of THEN, or the begin of a bucket */
  uint64_t count, min, max;       /* pairs, and their durations */
};

struct between_result {
  uint64_t first, then;           /* events that passed the filters */
  /* FIRST without a pair: another FIRST came before a THEN; the events behind
     it were lost or not recorded; no THEN came. */
  uint64_t replaced, cut, open;
  struct histogram durations;
  uint32_t longest_count;
  struct between_pair longest[BETWEEN_LONGEST];   /* the longest one first */
  /* In the order of time.  [point_ns] is the width of their buckets; 0: each
     point is one pair. */
  uint32_t point_count;
  int64_t point_ns;
  struct between_point points[BETWEEN_POINTS];
};

struct between;

/* Restricts [filter] by [words], as filter_words does, for new_between.
   Returns false, with a message in [why], when the words are wrong or there are
   none. */
bool between_filter(struct filter *filter, char *words, char *why,
                    size_t why_size);

/* Sets *scope to the scope with the name [name] of [length] bytes.  Returns
   false when no scope has this name. */
bool between_scope(const char *name, size_t length, enum between_scope *scope);

/* Creates pairs of the events of [cursor], none so far.  filter_begin was
   called for both filters, which must stay valid, as the cursor must.  Never
   returns NULL.  The caller frees the result with free_between. */
struct between *new_between(struct eventring_cursor *cursor,
                            struct filter *first, struct filter *then,
                            enum between_scope scope);
void free_between(struct between *between);

/* Adds [event].  The caller passes every event in order, reports of lost events
   and EVENTRING_EV_CONTROL_CHANGED among them.  [counts]: the event is in the
   window of time; events outside only tell durations and gaps. */
void between_event(struct between *between,
                   const struct eventring_event *event, bool counts);

/* Returns the result for the events so far.  Valid until the next call for
   [between]. */
const struct between_result *between_result(struct between *between);

#endif /* ANALYSIS_BETWEEN_H */
