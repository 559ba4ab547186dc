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

/* The threads of a process and what they did in the last second, for a live
   view.  Names are as the file has them: they may hold any bytes. */

#ifndef ANALYSIS_LIVE_THREADS_H
#define ANALYSIS_LIVE_THREADS_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "long_spans.h"
#include "slots.h"
#include "summary.h"

/* The most threads that are kept: of more, those that have ended and then those
   with the oldest events are forgotten. */
#define LIVE_THREADS 256

#define LIVE_THREAD_NAME 128      /* bytes */

/* A second and the slot that has not ended. */
#define LIVE_THREAD_SLOTS 5

struct live_threads;

/* Creates an empty list of the threads of the process that [cursor] reads.
   Never returns NULL (see memory.h).  The caller frees it with
   free_live_threads; the cursor must stay open meanwhile. */
struct live_threads *new_live_threads(struct eventring_cursor *cursor);
void free_live_threads(struct live_threads *threads);

/* Adds [event] to the list.  [backup]: the thread that wrote it is the backup
   thread of its domain, which takes part in collections while the domain
   waits. */
void live_thread_event(struct live_threads *threads,
                       const struct eventring_event *event, bool backup);

/* Count the time from [since_ns] to [event], the last one given, as time that
   its thread spent in the collector or waiting. */
void live_thread_collected(struct live_threads *threads,
                           const struct eventring_event *event,
                           int64_t since_ns);
void live_thread_waited(struct live_threads *threads,
                        const struct eventring_event *event, int64_t since_ns);

/* Counts the stop-the-world section that [event] reports as time that the threads that ran
   in its domains spent in the collector; collections in it do not count twice.  [summary]
   has the event. */
void live_threads_stopped(struct live_threads *threads, const struct summary *summary,
                          const struct eventring_event *event);

struct live_thread {
  uint32_t thread;                /* the system's id */
  int32_t thread_id;              /* as in an event */
  uint32_t domain;
  bool backup;
  bool ended;                     /* it or its domain */
  char state;                     /* as of eventring_thread_state; 'S' if it is known to
                                     have slept when the process ended */
  char name[LIVE_THREAD_NAME];    /* or that of its domain; "" for none */
  /* The innermost open span of the runtime, and of the program; the event of
     its last wait, and how long that took. */
  char runtime_span[LIVE_THREAD_NAME], user_span[LIVE_THREAD_NAME];
  char wait[LIVE_THREAD_NAME];
  int64_t wait_ns;
  int64_t waits_since_ns;         /* as far as is known; INT64_MAX: it does not wait, or is
                                     a backup thread; of a process that has ended: at its
                                     end */
  double gc_share, wait_share;    /* of [shares_of]; a thread that sleeps has
                                     waited since its last event */
  int64_t first_ns, last_ns;      /* of its events */
};

/* Fills [list] with at most [max] threads, by their domains and their first
   events, and with the shares of the stretch [shares_of], of at most
   LIVE_THREAD_SLOTS of the latest slots.  Returns the number of elements filled.
   [summary] has the same events. */
int list_live_threads(const struct live_threads *threads,
                      const struct summary *summary, struct stretch shares_of,
                      struct live_thread *list, int max);

/* Fills [list] with the waits that go on, or went on when the process ended (see
   is_open_wait): of the threads that sleep now, as /proc says, or slept when the
   process ended, each from when it last ran as far as is known.  Returns their
   number. */
size_t list_open_waits(const struct live_threads *threads,
                       const struct summary *summary,
                       struct long_span list[LIVE_THREADS]);

/* Returns whether the thread with the system's id [thread] is the backup thread
   of [domain]. */
bool is_backup_thread(const struct live_threads *threads, uint32_t domain,
                      uint32_t thread);

#endif /* ANALYSIS_LIVE_THREADS_H */
