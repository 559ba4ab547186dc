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

/* Waits for locks in a window: for each mutex and condition, and for the domain lock of
   each domain, how often and how long threads waited, who held it, and in which spans of
   the program.

     struct lock_waits *l = new_lock_waits(cursor, from_ns, to_ns);
     for each event: lock_waits_event(l, event);
     const struct lock_wait *w = lock_waits_list(l, &count); */

#ifndef ANALYSIS_LOCK_WAITS_H
#define ANALYSIS_LOCK_WAITS_H

#include <stdbool.h>
#include "eventring_reader.h"

/* The locks that are told apart. */
#define LOCK_WAITS 4096

/* The holders and spans of a lock that are told apart. */
#define LOCK_PARTS 8

enum lock_kind { LOCK_MUTEX, LOCK_CONDITION, LOCK_DOMAIN, LOCK_KINDS };
extern const char *const lock_kind_name[LOCK_KINDS];

/* A part of the waits. */
struct lock_part {
  uint32_t what;                  /* the system's id of the thread that held it: a mutex
                                     at the begin of the wait, the lock of a domain at
                                     its end; or the id of the event of the innermost
                                     span of the program */
  uint64_t waits, total_ns;
};

struct lock_wait {
  enum lock_kind kind;
  uint64_t lock;                  /* of mutexes and conditions a number, 0: of all of
                                     which it is not known; of LOCK_DOMAIN the domain */
  /* The time for the lock itself: after a mutex or a condition, a thread may wait for
     the lock of its domain, too, which is part of the same wait. */
  uint64_t waits, total_ns, longest_ns;
  /* Of the longest wait, all of it: its begin and end, and the domain and thread that
     waited. */
  int64_t longest_begin_ns, longest_end_ns;
  uint32_t longest_domain, longest_thread;
  /* The parts, those with the longest waits first; waits without a known holder or a
     span are in none. */
  uint32_t holder_count, span_count;
  struct lock_part holders[LOCK_PARTS], spans[LOCK_PARTS];
};

struct lock_waits;

/* Creates an empty table of the waits that end from [from_ns] to before [to_ns], on
   CLOCK_MONOTONIC, of the process that [cursor] reads.  Never returns NULL.  The caller
   frees it; the cursor must stay open. */
struct lock_waits *new_lock_waits(struct eventring_cursor *cursor, int64_t from_ns,
                                  int64_t to_ns);
void free_lock_waits(struct lock_waits *l);

/* Takes an event.  The caller passes every event, in order. */
void lock_waits_event(struct lock_waits *l, const struct eventring_event *event);

/* Returns the number of waits for further locks than LOCK_WAITS, which are in none. */
uint64_t lock_waits_left_out(const struct lock_waits *l);

/* Returns the locks, that with the longest waits in all first, and sets *count to
   their number.  To be called once, after the last event. */
const struct lock_wait *lock_waits_list(struct lock_waits *l, uint32_t *count);

#endif /* ANALYSIS_LOCK_WAITS_H */
