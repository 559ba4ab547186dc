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

/* Which messages of agents are new.

   The seal of a message does not say when it was made: a NATS server may repeat a
   message or hold it back.  So a message names the run of the hub, a random
   number, and the time of the hub when it was made, in nanoseconds of
   CLOCK_MONOTONIC.  Each answer tells both to the agent, which then counts on by
   its own clock.  A message for another run of the hub is old, and so is a
   message with a time that is too long ago.  The times of the reports of a node grow.

   Functions may be called from several threads. */

#ifndef FLEET_NATS_FRESH_H
#define FLEET_NATS_FRESH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "hub_keys.h"

/* How long a report and a part may be under way: after the first of these times
   a node is silent, and JetStream keeps messages for the second one. */
#define FRESH_REPORT_NS INT64_C(10000000000)
#define FRESH_PART_NS INT64_C(600000000000)
/* How far the clock of an agent may be ahead of the clock of the hub, by their
   rates. */
#define FRESH_AHEAD_NS INT64_C(1000000000)

struct reported_node {
  char node[NODE_SIZE];
  pthread_mutex_t lock;           /* held while a report is judged and kept */
  int64_t last_ns;                /* the time of the last report that was kept */
  struct reported_node *next;
};

struct fresh {
  char run[HUB_TOKEN_SIZE];
  pthread_mutex_t lock;           /* of [nodes] */
  struct reported_node *nodes;
};

enum freshness { FRESH_NEW, FRESH_REPEATED, FRESH_OLD };

/* Begins a run of a hub.  Returns false when the system has no random numbers.
   The caller calls close_fresh after true. */
bool open_fresh(struct fresh *f);
void close_fresh(struct fresh *f);

/* Returns whether a message with the run [run] and the time [time], texts, is at
   most [age_ns] old at the time [now_ns].  Sets *time_ns. */
bool is_fresh_message(const struct fresh *f, const char *run, const char *time,
                      int64_t age_ns, int64_t now_ns, int64_t *time_ns);

/* Judges a report of [node] with this run and time.  FRESH_REPEATED: it is the
   last report that was kept.  Sets *reported and locks it for the caller, until
   end_report; sets it to NULL after FRESH_OLD. */
enum freshness begin_report(struct fresh *f, const char *node, const char *run,
                            const char *time, int64_t now_ns,
                            struct reported_node **reported, int64_t *time_ns);

/* Ends that.  [kept]: the report with the time [time_ns] is now the last one. */
void end_report(struct reported_node *reported, bool kept, int64_t time_ns);

#endif /* FLEET_NATS_FRESH_H */
