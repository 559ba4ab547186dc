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

/* The inner affairs of summary.h, for its files: summary.c, summary_intervals.c and
   summary_amounts.c. */

#ifndef ANALYSIS_SUMMARY_INTERNAL_H
#define ANALYSIS_SUMMARY_INTERNAL_H

#include "summary.h"

/* The number of intervals in the collector of a domain that are pending, since their
   ends may still change; and the most of all domains, while stops may still be
   told. */
#define SUMMARY_PENDING 64
#define SUMMARY_MOST_PENDING (1 << 20)

/* A stop that is not told after this time is taken for lost. */
#define STOP_TOLD_WITHIN_NS INT64_C(1000000000)

struct summary_interval {
  int64_t from, to;
  bool idle;
  bool awaits_stop;               /* a stop that is not told yet may touch it, or
                                     may have been before it */
  struct summary_reason reason;
};

/* An interval in the collector that was counted as a pause, and the number of
   them that is kept for each domain: it may turn out that the domain waited. */
struct summary_closed { int64_t from, to; };
#define SUMMARY_CLOSED 64

/* A thread of a domain, to tell when the domain had none that ran. */
struct summary_thread {
  uint32_t id;                    /* of the system */
  int64_t since;                  /* it holds the domain lock, or held it, from
                                     here to the begin of its next wait */
  int64_t last_ns;                /* of its events */
};

/* The number of threads kept for a domain: those that wrote the latest
   events. */
#define SUMMARY_THREADS 64

struct summary_listeners {
  struct summary_listener times;  /* [take] NULL: none */
  summary_take_pause *pause;      /* NULL: none */
  void *pause_state;
};

/* A domain, with its running computations. */
struct summary_domain {
  struct domain_numbers shown;
  struct summary_tally tally;
  uint64_t promoted_since;        /* words, since the last event with words
                                     allocated in the major heap, which include
                                     promoted ones */
  int64_t last_ns;                /* of its events */
  int64_t watched_since;          /* INT64_MAX: not watched now */
  int64_t last_from, last_to;     /* the last time watched that has ended */
  uint32_t own_thread;            /* its OS id; 0: not known */
  uint32_t collective[CAUSED];    /* the last one that it took part in */
  struct summary_thread threads[SUMMARY_THREADS];
  int64_t gone_ns;                /* of the last event of those forgotten */
  bool no_thread_yet;             /* none wrote since the domain is watched */
  uint64_t busy_ns;               /* threads held the domain lock, added */
  const struct summary_listeners *listeners;
  int64_t closed_to;
  struct summary_interval *intervals;     /* see pending_interval */
  uint32_t interval_room, first_pending, pending;
  uint32_t closed_count;          /* of all; the last SUMMARY_CLOSED are kept */
  struct summary_closed closed[SUMMARY_CLOSED];
  int64_t wait_from, wait_to;     /* the last time in which no thread ran */
};

struct summary {
  struct summary_numbers shown;
  struct summary_listeners listeners;
  bool all_read;                  /* summary_until found that the process has
                                     ended */
  int stop_id;                    /* of stop-the-world sections; less than 0: they
                                     have no event */
  int64_t last_stop_ns;           /* of the last one told; INT64_MIN: none */
  uint32_t pending;               /* intervals of all domains */
  bool collects;                  /* there was an event of category gc... */
  bool tells_major;               /* ...one that did; see summary_tells_major */
  bool tells_waits;               /* likewise */
  struct summary_ring { struct summary_domain *domain; } *rings;
  uint32_t sample_rings_from;     /* 0: there are none */
  uint64_t samples;
  struct summary_domain *found[256];      /* by the end of their ids */
  uint32_t timing_count;
};

/* Intervals in the collector (summary_intervals.c) */

/* Adds a pause of [ns] nanoseconds to the histograms of kind [pause]: of domain
   [d], of all domains, and of the recent pauses. */
void add_pause(struct summary *s, struct summary_domain *d, enum pause pause,
               uint64_t ns);

/* Adds the interval from [from] to [to], in which the domain [d] was in the
   collector, to its pending intervals, and merges it with those that it
   touches.  Leaves out the time in which the domain was not watched and before
   the last closed interval; does nothing if the domain is not watched and has
   not ended.  Closes the earliest intervals when SUMMARY_PENDING others are
   pending and they do not await a stop, or SUMMARY_MOST_PENDING.  The caller adds
   intervals in the order of [to].  [idle]: the domain waited anyway, so the
   interval is no pause.  [reason] describes the event that reported all of the
   interval; the duration in it and [told] are set here. */
void add_interval(struct summary *s, struct summary_domain *d, int64_t from,
                  int64_t to, bool idle, struct summary_reason reason);

/* Returns pending interval [i] of domain [d], in the order of time, from 0. */
static inline struct summary_interval *
pending_interval(const struct summary_domain *d, uint32_t i)
{
  return &d->intervals[d->first_pending + i];
}

/* Closes the earliest pending interval of domain [d], which must have one: adds
   it to the time in the collector and to the pauses of kind PAUSE_ANY or, if
   the domain waited, PAUSE_WAITING, and updates the longest pause.  No later
   interval can begin before its end. */
void close_first(struct summary *s, struct summary_domain *d);

/* Cuts off the time of the pending intervals of domain [d] from [to] on. */
void cut_intervals(struct summary *s, struct summary_domain *d, int64_t to);

/* Records that no thread of domain [d] ran from [from] to [to], so that
   intervals that begin in this time are no pauses.  An interval that is closed
   stays a pause, but its time is taken from the time in the collector. */
void domain_waited(struct summary_domain *d, int64_t from, int64_t to);

/* Gives a time of domain [d] to the listener of its summary. */
void give_time(const struct summary_domain *d, enum summary_part part,
               int64_t from, int64_t to, bool back);

/* Returns whether [ns] is in the last time of domain_waited. */
bool in_wait(const struct summary_domain *d, int64_t ns);

#endif /* ANALYSIS_SUMMARY_INTERNAL_H */
