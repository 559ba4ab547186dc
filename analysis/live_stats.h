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

/* What happened in the last seconds: the numbers of a live view.

   The window takes every event in turn, and is asked from time to time what
   the last seconds were like; what they add up to is a summary's (summary.h).
    Names come as the file has them: they may hold
   any bytes. */

#ifndef ANALYSIS_LIVE_STATS_H
#define ANALYSIS_LIVE_STATS_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "summary.h"

#define SECOND_NS INT64_C(1000000000)

/* Pauses and spans of the program are those of this time. */
#define WINDOW_NS (10 * SECOND_NS)
/* Long pauses, of this one. */
#define LONG_PAUSES_NS (60 * SECOND_NS)

#define HISTORY 30                /* seconds */
#define WINDOW_NAME 128           /* bytes of a name */
#define LONG_PAUSES 16

struct window;

/* Never returns NULL, see memory.h. */
struct window *new_window(struct eventring_cursor *cursor);
void free_window(struct window *window);

void window_event(struct window *window, const struct eventring_event *event);

/* To be called when there are no events for now. */
void window_idle(struct window *window);

/* To be called at [ns], when all events of before were given, so that what is
   asked afterwards takes note of the time that has passed. */
void window_until(struct window *window, int64_t ns);

/* Events are missing from here on or were until here, and no event says so:
   categories were changed from outside. */
void window_gap(struct window *window);

void window_reset_maxima(struct window *window);

/* The time of the latest event, or 0. */
int64_t window_last_ns(const struct window *window);

/* In the functions below, [now] is the time up to which events were given, and
   rates are of the [span_ns] before it, or of what there is of it. */

struct window_domain {
  uint32_t id;
  bool ended;
  char name[WINDOW_NAME];         /* "" for none */
  /* Where it is: the innermost span of the runtime that is open, and of the
     program; what it waited for last, and for how much of the time. */
  char runtime_span[WINDOW_NAME], user_span[WINDOW_NAME], wait[WINDOW_NAME];
  double wait_share;
  int64_t last_event_ns;
  uint32_t threads[8];            /* the system's ids; 0 for none */
  double gc_share;                /* of the time */
  float gc_history[HISTORY];      /* the same in each second, the last one
                                     first */
  double words_rate;              /* allocated in the minor heap, a second */
  double minor_rate, slice_rate;  /* collections and slices a second */
  uint64_t last_pause, max_pause; /* ns; time in the collector at one go */
};

/* Fills [list] with up to [max] domains, in the order of their ids; returns
   how many there are. */
int window_domains(const struct window *window, int64_t now, int64_t span_ns,
                   struct window_domain *list, int max);

struct window_process {
  double gc_share;                /* of the time of all domains */
  double event_rate, words_rate, promoted_rate, minor_rate, slice_rate;
  uint64_t cycles;                /* of major collection, in WINDOW_NS */
  bool heap_known;                /* a major cycle has ended */
  uint64_t heap_words, live_words;
  uint64_t resident;              /* bytes; 0 for not known */
  uint64_t pauses, p50, p99, max; /* in WINDOW_NS */
  uint64_t max_ever;              /* since the beginning or the last reset */
};

struct window_process window_process(const struct window *window, int64_t now,
                                     int64_t span_ns);

struct window_span {
  char name[WINDOW_NAME];
  double rate, share;             /* ends a second; 1 is all of a domain's
                                     time */
  uint64_t mean, max;             /* ns; in WINDOW_NS, and ever or since the
                                     last reset */
};

/* The spans of the program on which most time was spent in WINDOW_NS, the one
   with the most first.  Returns how many were put into [list]. */
int window_spans(const struct window *window, int64_t now,
                 struct window_span *list, int max);

struct window_pause {
  int64_t end_ns;
  uint64_t ns;
  uint32_t domain;                /* of the longest, where several domains
                                     took part */
  uint32_t domains;
  char name[WINDOW_NAME];
  char cause[WINDOW_NAME];        /* "" when the file does not say */
};

/* The longest pauses of LONG_PAUSES_NS, the latest first.  Returns how many
   there are in [list]. */
int window_long_pauses(const struct window *window, int64_t now,
                       struct window_pause list[LONG_PAUSES]);

/* All since the beginning, or since the domains were too many to be kept. */
struct summary *window_summary(struct window *window);

#endif /* ANALYSIS_LIVE_STATS_H */
