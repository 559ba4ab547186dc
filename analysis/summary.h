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

/* Totals of the events of a process, so far: collections, pauses, words, waits,
   in all and by domain.  `stat`, `latency`, `run` and `top` print them.

     struct summary *s = new_summary(cursor);
     for each event: summary_event(s, event);
     whenever it was read empty: summary_idle(s);
     struct summary_tally t = summary_tally(s, NULL, until_ns);

   The structs are for reading only.  Numbers that a file does not have (causes
   in stock OCaml, say) stay 0. */

#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include "event_roles.h"
#include "eventring_reader.h"
#include "histogram.h"
#include "requests.h"
#include "spans.h"

/* Reasons for which the OCaml code of a domain does not run.  Events report the
   first three, which overlap: a minor collection is a stop too.  A call of a
   function of module Gc is none: finalisers and other threads may run in it. */
enum pause {
  PAUSE_MINOR,                    /* minor collections */
  PAUSE_SLICE,                    /* slices of major collection */
  PAUSE_STOPPED,                  /* stop-the-world sections, from when this
                                     domain had stopped */
  PAUSE_ANY,                      /* all of these; pauses that overlap or touch
                                     are one */
  PAUSE_WAITING,                  /* no pause: collections by the backup thread
                                     while the domain waited, which are in none
                                     of the other kinds */
  PAUSES
};

/* Activities with causes: the names of the causes are eventring_value's of unit
   [summary_cause_unit]. */
enum caused {
  CAUSED_MINOR = PAUSE_MINOR, CAUSED_SLICE = PAUSE_SLICE,
  CAUSED_STOPPED = PAUSE_STOPPED,
  CAUSED_CYCLE, CAUSED_COMPACTION, CAUSED
};
extern const char *const summary_cause_unit[CAUSED];

/* The names of pauses and of activities in data for other programs. */
extern const char *const summary_pause_name[PAUSES];
extern const char *const summary_caused_name[CAUSED];

/* The number of values of causes that are counted separately, more than there
   are causes.  A larger value is counted as the last one. */
#define SUMMARY_CAUSES 64

/* Amounts: the amounts of a later time less the amounts of an earlier time are
   the amounts in between. */
struct summary_tally {
  uint64_t events;
  uint64_t minor_collections;     /* in all: once, though all domains took */
  uint64_t major_cycles;          /* part in it */
  uint64_t compactions;
  uint64_t major_slices;
  uint64_t explicit_calls;        /* of Gc.major and the like */
  uint64_t allocated_words;       /* in minor heaps */
  uint64_t promoted_words;
  uint64_t direct_words;          /* allocated in the major heap, not promoted;
                                     0 if it is not known: see
                                     summary_tells_major */
  uint64_t watched_ns;            /* from the first event of a domain to its end
                                     or [until_ns], less time lost or paused; in
                                     all: of all domains added */
  uint64_t gc_ns;                 /* of that, in the collector or stopped for
                                     it; nothing counts twice */
  uint64_t idle_gc_ns;            /* collections that the backup thread took
                                     part in while the domain waited anyway;
                                     not in gc_ns */
  uint64_t wait_ns;               /* of threads that waited, added */
};
/* The number of fields of a tally, which are all uint64_t. */
#define SUMMARY_AMOUNTS (sizeof(struct summary_tally) / sizeof(uint64_t))

/* The heap of a domain at the end of its last major cycle. */
struct summary_heap {
  bool known;
  uint64_t pool_words, pool_live_words, pool_free_words, fragmented_words,
    large_words, custom_words;
};

/* The cause of an activity of the collector, as the event of the activity gives it. */
struct summary_cause {
  uint64_t ns;                    /* duration of the activity */
  uint64_t cause;                 /* a value of unit "cause"; UINT64_MAX: not known */
  uint64_t requested_by;          /* a domain; UINT64_MAX: not known */
};

/* A stop-the-world section. */
struct summary_stop {
  uint64_t ns;                    /* that the domain stood still; 0: there was none */
  uint32_t domains;               /* the number of domains listed */
  uint64_t requested_by;          /* a domain; UINT64_MAX: not known */
  uint64_t reason;                /* a value of unit "reason"; UINT64_MAX: not known */
  uint64_t arrived_last;          /* the domain that did; UINT64_MAX: there was only one */
  bool late;                      /* the others waited for it for longer than the stop
                                     lasted then */
  bool stayed;                    /* for more than half of [ns] another domain had gone
                                     on already */
};

/* The longest event in an interval in the collector, which gives the cause of
   the interval. */
struct summary_reason {
  uint16_t id;                    /* of the event */
  struct summary_cause own;       /* of the event */
  struct summary_cause told;      /* of the longest collection in the interval with a
                                     known cause; [ns] 0: none */
  bool stop;                      /* the event is a stop */
  struct summary_stop longest_stop;       /* in the interval */
};

/* The longest pause of kind PAUSE_ANY. */
struct summary_longest {
  uint64_t ns;                    /* 0: there was no pause */
  int64_t end_ns;
  uint32_t domain;
  struct summary_reason reason;
};

/* Receives a pause of kind PAUSE_ANY of domain [id], from [from] to [to].  Without a
   reason: the pause that ended at [to] ended at [from], since the domain waited from
   then on. */
typedef void summary_take_pause(void *state, uint32_t id, int64_t from, int64_t to,
                                const struct summary_reason *reason);

/* How a domain spent its time: the three parts add up to [watched_ns]. */
struct summary_time {
  bool known;                     /* waiting is; if not, it is in running */
  uint64_t watched_ns, running_ns, collecting_ns, waiting_ns;
};

/* Times of a domain, of which some are known late: a wait at its end. */
enum summary_part {
  PART_WATCHED,
  PART_HELD,                      /* a thread held the domain lock, or was
                                     stopped while it did; several threads
                                     may have, before a short wait */
  PART_COLLECTING,                /* in the collector, or stopped for it */
  SUMMARY_PARTS
};

/* Receives a time of domain [id], from [from] to [to].  [back]: the time was
   given before, and is taken back now. */
typedef void summary_take_time(void *state, uint32_t id, enum summary_part part,
                               int64_t from, int64_t to, bool back);
struct summary_listener { summary_take_time *take; void *state; };


/* The numbers of a domain. */
struct domain_numbers {
  uint32_t id;
  uint32_t ring;                  /* that it writes to */
  bool ended;
  int64_t watched_from;           /* the begin of the time watched; INT64_MAX:
                                     never watched */
  bool start_seen;                /* the event of its start was read */
  bool lost_first;                /* events were lost before [watched_from] */
  struct histogram pauses[PAUSES];
  struct histogram arrivals;      /* at stops, after the request */
  struct summary_heap heap;
  uint64_t minor_heap_words;      /* 0: not known, since it never changed */
  bool on_backup;                 /* the backup thread runs */
  int64_t backup_ns;              /* of its last event */
  uint32_t thread_count;          /* that are known */
  uint32_t running_thread;        /* the id of the thread that wrote the last
                                     event; 0: the domain waits */
  int64_t seen_ns;                /* when the running thread ran: at its last
                                     event, or found later by summary_look */
  bool sleeps;                    /* as summary_look found the running thread */
};

struct summary_domain;

/* The number of domains that are counted separately, since a program may start
   any number of domains.  The first ones to end are added to [others] when there are
   more, and so are events, but not times, of domains for which there is no place:
   more live at once. */
#define SUMMARY_DOMAINS 1024

/* The number of ids of spans and waits that have a distribution of
   durations. */
#define SUMMARY_TIMINGS 4096


/* The numbers of a summary. */
struct summary_numbers {
  struct eventring_cursor *cursor;
  struct spans *spans;            /* those open now, see spans.h */
  struct requests *requests;      /* see requests.h */
  struct event_roles *roles;      /* see event_roles.h */
  uint64_t events;
  int64_t first_ns, last_ns;      /* of events that count; 0: there are none */
  struct summary_domain *domains[SUMMARY_DOMAINS];  /* by their ids */
  uint32_t domain_count;
  struct summary_domain *others;  /* or NULL */
  struct histogram pauses[PAUSES];        /* of all domains */
  struct histogram recent[PAUSES];        /* the same since
                                             summary_new_interval */
  struct histogram arrivals;
  uint64_t causes[CAUSED][SUMMARY_CAUSES];
  uint64_t cause_ns[CAUSED][SUMMARY_CAUSES];      /* in the domain that asked,
                                                     or the stop of all */
  uint64_t cause_max_ns[CAUSED][SUMMARY_CAUSES];
  uint64_t asked_ns[SUMMARY_CAUSES];  /* outermost spans of the collector, by
                                         cause, in the domain that asked */
  uint64_t collector_ns[SUMMARY_CAUSES];  /* the same, in all domains that did not
                                             wait */
  struct summary_longest longest;
  uint32_t ring_count;
  bool tells_threads;             /* an event said which thread runs */
  uint64_t mapped_bytes, resident_bytes;  /* last known; 0: not known */
  int64_t from_ns, to_ns;         /* of summary_window */
  uint32_t collectives[CAUSED];   /* of all domains together */

  /* How long spans and waits took, by id; NULL for none. */
  struct histogram *timings[UINT16_MAX + 1];
  uint64_t counts[UINT16_MAX + 1];        /* events, by id */
};

struct summary;

/* Creates an empty summary of the events that [cursor] reads.  Never returns
   NULL (see memory.h).  The caller frees the summary with free_summary; the
   cursor must stay open while the summary is used. */
struct summary *new_summary(struct eventring_cursor *cursor);
void free_summary(struct summary *s);

/* Returns the numbers of [s], which change with the calls below, and are freed with
   [s]. */
const struct summary_numbers *summary_numbers(const struct summary *s);

/* The same of a domain. */
const struct domain_numbers *domain_numbers(const struct summary_domain *d);

/* Limits the summary to the window from [from_ns] to before [to_ns]: events in
   the window count, and of times the part in the window.  The caller passes
   earlier and later events too, if it can: those tell which domains and spans
   there were, and these which threads waited when the window ended.  To be
   called before the first event. */
void summary_window(struct summary *s, int64_t from_ns, int64_t to_ns);

/* Tells of a wait of thread [thread] of domain [domain], from [from] to [to],
   of which the caller may not have passed the event, since the event is far
   behind the window, or since the wait goes on: [to] is then INT64_MAX, and
   nothing is done if the thread wrote an event after [from].  To be called
   after the last event. */
void summary_waited(struct summary *s, uint32_t domain, uint32_t thread,
                    int64_t from, int64_t to);

/* Adds [event] to the summary.  The caller passes every event of the cursor, in
   order, reports of lost events and EVENTRING_EV_CONTROL_CHANGED among them.
   Leaves out events of rings that the file did not have at new_summary. */
void summary_event(struct summary *s, const struct eventring_event *event);

/* If recording is paused, ends the time watched of each domain at its last
   event, and forgets all open spans and runs of requests.  The caller calls
   this function each time a read of the cursor returns no events. */
void summary_idle(struct summary *s);

/* Ends the time watched of each domain at its last event, and forgets all open
   spans and runs of requests: later events are not known to be complete. */
void summary_stop(struct summary *s);

/* Has the times of all domains given to [listener], when they are known, from
   now on.  [others] has none. */
void summary_listen(struct summary *s, struct summary_listener listener);

/* Has the pauses of all domains given to [take] with [state] from now on, when they
   are complete; see summary_tally.  NULL: to none. */
void summary_listen_pauses(struct summary *s, summary_take_pause *take, void *state);

/* Gives the times of all domains that are not complete yet, or that may still
   change, to [listener]; these may be given again.  What goes on has the end
   INT64_MAX.  A running thread of which summary_look has found that it sleeps
   held the lock until it was last seen to run. */
void summary_open_times(struct summary *s, struct summary_listener listener);

/* Looks in /proc whether the running thread of each domain sleeps now, at
   [ns]: it waits, but writes the event of the wait only at its end.  Does
   nothing if the process has ended or is in another pid namespace. */
void summary_look(struct summary *s, int64_t ns);

/* Returns whether the recording includes waits: a wait was seen, or the
   category of waits is recorded. */
bool summary_tells_waits(struct summary *s);

/* Returns whether the number of words allocated directly in the major heap, not
   promoted, is known: by slices of category gc, or in files of an earlier runtime
   by events of category gc_detail. */
bool summary_tells_major(struct summary *s);

/* Returns the number of words allocated in minor heaps and, if it is known,
   directly in the major heap. */
static inline uint64_t all_allocated_words(const struct summary_tally *tally)
{
  return tally->allocated_words + tally->direct_words;
}

/* Returns the amounts of [domain], or of all domains together if it is NULL, up
   to the time [until_ns], which is the result of summary_until or another time
   that is not before the last event.  Time in the collector includes a span of
   the collector that is still open.  Also updates the histograms of kinds
   PAUSE_ANY and PAUSE_WAITING and [longest], which are incomplete before the
   call.  They leave out a collection whose stop-the-world section is not told
   yet and, when there are other domains, slices since the last stop: for a second
   at most; see summary_until. */
struct summary_tally summary_tally(struct summary *s,
                                   struct summary_domain *domain,
                                   int64_t until_ns);

/* Returns how [domain] spent its time up to [until_ns]: running, collecting,
   waiting.  If [domain] is NULL, returns the sum over all domains.
   Looks in /proc whether the running thread of a domain sleeps at present.
   Updates the histograms as summary_tally does. */
struct summary_time summary_time(struct summary *s,
                                 struct summary_domain *domain,
                                 int64_t until_ns);

/* Returns whether the collector did anything up to [until_ns]: a collection, a
   slice, a cycle, a compaction or an explicit call.  Updates the histograms as
   summary_tally does. */
bool summary_has_collections(struct summary *s, int64_t until_ns);

/* Returns the time up to which the numbers of [s] are valid, in nanoseconds:
   the present time if the process runs, else the time of the last event, 0 when
   there are no events.  Never earlier than the last event.  The caller has read
   all events of a process that does not run: no collection awaits its stop from
   then on. */
int64_t summary_until(struct summary *s);

/* Returns the amounts of [later] minus the amounts of [earlier], field by
   field; 0 for a field that would be negative. */
struct summary_tally tally_difference(const struct summary_tally *later,
                                      const struct summary_tally *earlier);

/* Returns the amounts that [totals] has; 0 for those that only events tell. */
struct summary_tally tally_of_totals(const struct eventring_totals *totals);

/* Returns the domain that writes to [ring], one of [ring_count], or NULL. */
struct summary_domain *domain_of_ring(const struct summary *s, uint32_t ring);

/* Sets the longest pauses of all domains to 0. */
void summary_reset_maxima(struct summary *s);

/* Returns the words that all domains have promoted, in the collections that have
   ended. */
uint64_t summary_promoted_words(const struct summary *s);

/* Returns the ns of the latest interval of [d] in the collector that may still
   change; 0 when there is none, or the domain waited anyway. */
uint64_t summary_last_pause(const struct summary_domain *d);

/* Returns the number of domains that have a ring and have not ended, as far as
   events tell.  A domain of which all events were lost does not count: other
   domains may have named it after its end. */
uint32_t summary_living_domains(const struct summary *s);

/* Returns whether the begin of domain [d] is missing: the domain had events before
   [watched_from] that were lost or are not in the file.  False if
   [watched_from] is the begin of the window of [s]. */
bool summary_begin_is_lost(const struct summary *s,
                           const struct summary_domain *d);

/* Returns the sum of the heaps of all domains that have not ended and have a
   known heap, each as it was reported last.  Its [known] is false when no heap
   is known.  [others] is left out. */
struct summary_heap summary_heap(const struct summary *s);

/* Returns the share of the time watched that was spent in the collector, from 0
   to 1; 0 when no time was watched. */
double gc_share(const struct summary_tally *tally);

/* Returns the active time in [time], in which domains ran or were in the
   collector, in nanoseconds.  When waiting is not known, all time is active. */
uint64_t active_ns(const struct summary_time *time);

/* Returns the share of the active time that was spent in the collector, from 0
   to 1; 0 when there was none. */
double active_gc_share(const struct summary_time *time);

/* Returns the name of the cause with number [value] and the unit [unit]:
   "others" for the last number, "#" and the number for a cause without a name.
   The result may be in [number], and is valid as long as that is. */
const char *summary_cause_name(struct summary *s, const char *unit,
                               uint64_t value, char number[24]);

/* Clears [s->recent]: pauses recorded after this call are the recent ones. */
void summary_new_interval(struct summary *s);

/* Returns the class of the events with the id [id]. */
struct event_class summary_class(struct summary *s, uint16_t id);

/* Return whether events with the id [id] belong to the program, and whether they
   report a wait.  Both return false for an id that has no description yet. */
static inline bool summary_is_user(struct summary *s, uint16_t id)
{
  return summary_class(s, id).area == AREA_USER;
}
static inline bool summary_is_wait(struct summary *s, uint16_t id)
{
  return summary_class(s, id).area == AREA_WAIT;
}

#endif /* ANALYSIS_SUMMARY_H */
