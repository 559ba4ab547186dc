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

/* The numbers of the last seconds, for a live view.

   The live statistics take every event in turn, and are asked from time to time
   for the numbers of the last seconds; amounts come from a summary (summary.h).
   Names are as the file has them: they may hold any bytes. */

#ifndef ANALYSIS_LIVE_STATS_H
#define ANALYSIS_LIVE_STATS_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "live_threads.h"
#include "long_pauses.h"
#include "long_spans.h"
#include "summary.h"

#define SECOND_NS INT64_C(1000000000)

/* Pauses and spans of the program are counted over this time. */
#define LIVE_WINDOW_NS (10 * SECOND_NS)
/* The longest pauses of each second are kept for so many seconds. */
#define LONG_PAUSES_S 60

#define HISTORY 30                /* seconds */
#define LIVE_NAME 128           /* bytes of a name */

struct live_stats;

/* Creates empty live statistics of the process that [cursor] reads.  Never
   returns NULL (see memory.h).  The caller frees the statistics with
   free_live_stats; the cursor must stay open while the statistics are used. */
struct live_stats *new_live_stats(struct eventring_cursor *cursor);
void free_live_stats(struct live_stats *live);

/* Adds [event] to the statistics, and advances them to its time.  The caller
   passes every event of the cursor, in the order in which the cursor returns
   them, reports of lost events and EVENTRING_EV_CONTROL_CHANGED among them.  Leaves
   out events of rings that the file did not have at new_live_stats. */
void live_event(struct live_stats *live, const struct eventring_event *event);

/* Forgets all open spans if recording is paused.  The caller calls this
   function each time a read of the cursor returns no events. */
void live_idle(struct live_stats *live);

/* Advances the statistics to the time [ns]; does nothing if they are there
   already.  The caller has passed all events before [ns]; numbers that the
   caller then asks for include the time without events up to [ns]. */
void live_until(struct live_stats *live, int64_t ns);

/* Resets the longest durations ever to 0: [max_ever] of the process,
   [max_pause] of each domain, and [max] of each span of the program.  Also
   resets the maximum of PAUSE_ANY of each domain of live_summary.  The pauses
   and spans of the last seconds are kept. */
void live_reset_maxima(struct live_stats *live);

/* Ends the statistics at the latest event, or at a later time to which
   live_until has advanced them: the process has ended, or nothing is known of it
   after this time.  Returns this time in nanoseconds, 0 before the first event.
   If the caller then passes it as [now] to a function below, rates are over the
   time until then.  The caller may add later events and call live_until. */
int64_t live_finish(struct live_stats *live);

/* Advances the statistics to the present, or calls live_finish if the process
   does not run or its times are of another boot.  Returns the time in
   nanoseconds, for [now] of the functions below.  The caller has passed all
   events that can be read. */
int64_t live_present(struct live_stats *live);

/* Returns the time of the latest event in nanoseconds, 0 before the first
   event. */
int64_t live_last_ns(const struct live_stats *live);

/* In the functions below, [now] is the time up to which events were given, and
   rates are of the [span_ns] before it, or of the part of it since the first
   event.  [now] and [span_ns] are rounded down to whole slots (slots.h); at the
   end of finished statistics, the time up to the end is added. */

struct live_domain {
  uint32_t id;
  bool ended;
  char name[LIVE_NAME];         /* "" for none */
  /* Where it is: the innermost span of the runtime that is open, and of the
     program; the event of its last wait, and the waits of its threads that
     ended, added, as a share of the time. */
  char runtime_span[LIVE_NAME], user_span[LIVE_NAME], wait[LIVE_NAME];
  double wait_share;
  int64_t last_event_ns;
  uint32_t threads[8];            /* the system's ids; 0 for none */
  double gc_share;                /* of the time */
  float gc_history[HISTORY];      /* the same in each second, the last one
                                     first */
  double words_rate;              /* allocated, a second */
  double minor_rate, slice_rate;  /* collections and slices a second */
  uint64_t last_pause, max_pause; /* ns; time in the collector at one go */
};

/* Fills [list] with at most [max] domains, sorted by their ids, and returns the
   number of elements filled.  Domains that have ended are left out
   LIVE_WINDOW_NS after their last event, and of more than [max] domains those
   in the rings with the highest numbers. */
int live_domains(const struct live_stats *live, int64_t now, int64_t span_ns,
                   struct live_domain *list, int max);

struct live_process {
  double gc_share;                /* of the time of all domains */
  double event_rate, words_rate, promoted_rate, minor_rate, slice_rate;
  uint64_t cycles;                /* of major collection, in LIVE_WINDOW_NS */
  bool heap_known;                /* a major cycle has ended */
  uint64_t heap_words, live_words;
  uint64_t resident;              /* bytes; 0 for not known */
  uint64_t pauses, p50, p99, max; /* in LIVE_WINDOW_NS, and up to a second more */
  double pause_rate;
  uint64_t max_ever;              /* since the beginning or the last reset */
};

/* Returns the present numbers of the whole process.  Numbers without events are
   0. */
struct live_process live_process(const struct live_stats *live, int64_t now,
                                     int64_t span_ns);

struct live_span {
  char name[LIVE_NAME];
  double rate, share;             /* ends a second; 1 is all of a domain's
                                     time */
  uint64_t mean, max;             /* ns; in LIVE_WINDOW_NS, and ever or since
                                     the last reset */
};

/* Fills [list] with at most [max] spans of the program, those with the most
   time in LIVE_WINDOW_NS first; spans that were never open in this time are
   left out.  A span that is still open adds to [share], but not to the other
   numbers.  Returns the number of elements filled. */
int live_spans(const struct live_stats *live, int64_t now,
                 struct live_span *list, int max);

/* Returns the longest pauses since the start, and of each of the last LONG_PAUSES_S
   seconds.  Valid as long as [live]. */
const struct long_pauses *live_long_pauses(const struct live_stats *live);

/* Fills [list] with at most [max] threads at the time [now], as
   list_live_threads does. */
int live_threads(const struct live_stats *live, int64_t now,
                 struct live_thread *list, int max);

/* Returns whether the thread with the system's id [thread] is the backup thread
   of [domain]. */
bool live_is_backup(const struct live_stats *live, uint32_t domain,
                    uint32_t thread);

/* Fills [list] with the waits that go on, as list_open_waits does.  Returns their
   number. */
size_t live_open_waits(const struct live_stats *live,
                       struct long_span list[LIVE_THREADS]);

/* Sets *list to the long and the open spans of a time, as find_long_spans does,
   and behind them the waits that go on.  Returns their number. */
size_t live_long_spans(const struct live_stats *live, int64_t from_ns,
                       int64_t to_ns, struct long_span **list);

/* Returns the summary of all events, which [live] owns. */
struct summary *live_summary(struct live_stats *live);

#endif /* ANALYSIS_LIVE_STATS_H */
