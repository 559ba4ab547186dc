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

/* How a process changed over time, in bounded memory: rows of 100 ms, 1 s and
   10 s, of the last minute, hour and day, of about 400 bytes each.

     struct history *h = new_history(cursor, live);
     for each event: history_event(h, event); live_event(live, event);
     when all events up to [now] were read: history_until(h, now);

   Rows begin at multiples of their length since tracing started. */

#ifndef ANALYSIS_HISTORY_H
#define ANALYSIS_HISTORY_H

#include <stdbool.h>
#include "eventring_reader.h"
#include "live_stats.h"

enum history_tier { HISTORY_100MS, HISTORY_1S, HISTORY_10S, HISTORY_TIERS };
extern const int64_t history_step_ns[HISTORY_TIERS];

/* The number of rows that are kept, by tier. */
#define HISTORY_ROWS_100MS 600
#define HISTORY_ROWS_1S 3600
#define HISTORY_ROWS_10S 8640

/* The number of domains that have columns of their own, and of names of each
   kind. */
#define HISTORY_DOMAINS 32
#define HISTORY_NAMES 16

/* Kinds of events that have columns by name: of each kind, the first
   HISTORY_NAMES names.  All but waits are events of the program. */
enum history_kind {
  HISTORY_COUNTER, HISTORY_SPAN, HISTORY_REQUEST, HISTORY_WAIT, HISTORY_KINDS
};

/* The share of a row's time; SHARE_UNKNOWN, or from 0 to SHARE_ALL. */
#define SHARE_ALL 10000
#define SHARE_UNKNOWN UINT16_MAX

struct history_domain { uint32_t id; uint16_t running, collecting; };

/* The spans or requests of one name that ended in a row, and their durations
   added. */
struct history_ended { uint64_t count, ns; };

struct history_row {
  int64_t ns;                     /* of its begin, CLOCK_MONOTONIC */
  uint64_t watched_ns;            /* of all domains, added */
  double alloc_bytes_per_s, promoted_bytes_per_s;
  uint64_t heap_bytes, resident_bytes;    /* at its end; 0: not known */
  uint64_t pauses;                /* that were known to have ended in it */
  uint64_t p50_ns, p99_ns, max_ns;        /* of them, right to 1 %; 0: none */
  uint64_t events, lost;
  struct summary_heap heap;       /* at its end */
  uint32_t domain_count;          /* of domains with columns */
  uint32_t counters_known;        /* a bit for each */
  uint16_t running, collecting, waiting;  /* shares of the time of all domains;
                                             [waiting] may be unknown */
  bool known;                     /* events were recorded, and no ring lacks
                                     them: if not, rates and pauses are not
                                     known */
  bool user_known, waits_known;   /* the same of events of the program and of
                                     waits */
  bool cut;                       /* the last one of what has ended, which has only a
                                     part of its time: rates are too low */
  uint8_t names[HISTORY_KINDS];   /* the number of names known at its end */
};

struct history;

/* Creates the empty history of the process that [cursor] reads and [live] adds
   up; both must stay as long as the history.  Never returns NULL (see
   memory.h).  The caller frees it with free_history. */
struct history *new_history(struct eventring_cursor *cursor,
                            struct live_stats *live);
void free_history(struct history *h);

/* Takes [event], before live_event does. */
void history_event(struct history *h, const struct eventring_event *event);

/* Ends the rows up to [ns], the present time, before which the caller has
   passed all events; does nothing before the first event.  Looks in /proc which
   threads of a running process sleep. */
void history_until(struct history *h, int64_t ns);

/* Ends the rows of 100 ms up to the row of the last event.  [for_good]: the process or
   the file has ended, and that row is cut.  Else more may follow, of a process on another
   machine. */
void history_finish(struct history *h, bool for_good);

/* Sets the resident memory of the process for the rows that end from now on. */
void history_resident(struct history *h, uint64_t bytes);

/* Returns the number of rows of [tier] that were ended so far; rows from
   history_first on are kept. */
uint64_t history_count(const struct history *h, enum history_tier tier);
uint64_t history_first(const struct history *h, enum history_tier tier);

/* Returns the same as history_count, without a row at the end that is cut, unless the
   history has no more than two. */
uint64_t history_whole(const struct history *h, enum history_tier tier);

/* Returns the begin of row [number] of [tier], CLOCK_MONOTONIC: the member [ns]
   of history_row, but the shares of the row need not be computed. */
int64_t history_row_ns(const struct history *h, enum history_tier tier,
                       uint64_t number);

/* Returns row [number] of [tier], from history_first to history_count less 1.
   Valid until the next call of history_event or history_until.  The shares of
   its time change when a later event tells of it, such as the end of a wait. */
const struct history_row *history_row(struct history *h, enum history_tier tier,
                                      uint64_t number);

/* Returns domain [which] of a row, less than its domain_count. */
struct history_domain history_domain(struct history *h, enum history_tier tier,
                                     uint64_t number, uint32_t which);

/* A domain in a row. */
struct history_share { uint64_t number; struct history_domain domain; };

/* Returns all domains of the rows from [from] to before [to], by id, those of a
   domain by row, and their number in *[count].  The shares of each row are
   computed once, unlike by history_domain for one domain after the other.  The
   caller frees the result, which may be NULL when there are none. */
struct history_share *history_shares(struct history *h, enum history_tier tier,
                                     uint64_t from, uint64_t to,
                                     size_t *count);

/* The rows of a domain: [count] elements of a list from index [at] on. */
struct history_rows { size_t at, count; };

/* Returns the rows of each domain in the [count] elements of [list], a result of
   history_shares, and the number of domains in *domains.  Of more than [most]
   domains, the [most] with the most rows come first, in the order of [list].  The
   caller frees the result. */
struct history_rows *history_rows(const struct history_share *list, size_t count,
                                  size_t most, size_t *domains);

/* Return values of a row for name [which] of a kind, less than its names[kind]:
   the last value of a counter; the spans or requests; and the time in the row
   that threads waited, added.  A wait is known when it ends, and then changes
   rows that have ended before. */
int64_t history_last(const struct history *h, enum history_tier tier,
                     uint64_t number, uint32_t which);
struct history_ended history_ended(const struct history *h,
                                   enum history_tier tier, uint64_t number,
                                   enum history_kind kind, uint32_t which);
uint64_t history_waits_ns(const struct history *h, enum history_tier tier,
                          uint64_t number, uint32_t which);

/* Returns name [number] of [kind]; NULL when there are not so many.  Valid
   until free_history. */
const char *history_name(const struct history *h, enum history_kind kind,
                         uint32_t number);

/* Returns the last value of counter [number], which has a name. */
int64_t history_counter(const struct history *h, uint32_t number);

#endif /* ANALYSIS_HISTORY_H */
