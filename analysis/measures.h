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


/* Numbers for the rules of diagnosis.h in addition to a summary: late arrivals
   at stops, waits for the domain lock, the live heap over time.

     struct measures *m = new_measures(summary);
     for each event: summary_event(summary, event); measures_event(m, event); */

#ifndef ANALYSIS_MEASURES_H
#define ANALYSIS_MEASURES_H

#include <stdbool.h>
#include "summary.h"

/* Late arrivals of a domain at stops that another one requested, while it did
   not wait: it was the last one, by more than [late_ns]. */
struct late_domain {
  uint32_t id;
  uint64_t stops;
  uint64_t waited_ns;             /* by the other domains that did not wait
                                     anyway, added */
  uint64_t max_ns;                /* after the domain before it */
  const char *span;               /* of the program, open in the domain during
                                     most of [waited_ns], if one span was; NULL:
                                     none */
  uint64_t span_ns;               /* inner affair */
};

/* Stops in which domains took part that waited otherwise. */
struct idle_stops {
  uint64_t stops, domains;        /* domains: idle ones, added */
  uint64_t delay_ns, max_ns;      /* from the request until all had stopped,
                                     times the share of idle domains among those
                                     that did not request it */
};

/* The number of domains with arrivals that are kept. */
#define LATE_DOMAINS 256

/* The heap of all domains at the end of a major cycle. */
struct heap_point {
  int64_t ns;
  uint32_t cycle;
  uint64_t live_bytes;            /* in pools and in large blocks */
  uint64_t free_bytes, rounding_bytes, pool_bytes;
  uint64_t promoted_bytes;        /* up to now */
};

/* The most points that are kept: when there are more, every second one is
   dropped. */
#define HEAP_POINTS 512

/* Waits of one kind, without the time for the domain lock. */
struct wait_sum { uint64_t count, ns, max_ns; };

struct measures {
  struct summary *summary;
  struct late_domain late[LATE_DOMAINS];
  uint32_t late_count;
  struct idle_stops idle;
  uint64_t arrival_ns;            /* that domains, but idle ones, waited at stops until
                                     the last one arrived, added */
  struct heap_point heap[HEAP_POINTS];
  uint32_t heap_count;
  uint32_t heap_step;             /* cycles from one point to the next */
  struct wait_sum mutex, lock, yield;   /* lock: in domains with two threads
                                           or more */
  uint64_t largest_minor_words;   /* allocated before one minor collection */
  uint64_t lost_inside;           /* events, after others of their ring */
  bool from_start;                /* the first event is the start of tracing */
  bool catching_up;               /* with the writers of rings: losses meanwhile
                                     are of the oldest events, as in any full
                                     ring */
};

/* Creates the measures of the events that [summary] adds up.  Arrivals at stops
   are late when they are more than [late_ns] nanoseconds after the others.
   Never returns NULL.  The caller frees them with free_measures, before the
   summary. */
struct measures *new_measures(struct summary *summary, double late_ns);
void free_measures(struct measures *m);

/* Takes [event], which the caller has passed to summary_event just before. */
void measures_event(struct measures *m, const struct eventring_event *event);

#endif /* ANALYSIS_MEASURES_H */
