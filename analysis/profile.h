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

/* A profile: samples of the processor time of threads, of allocated memory, or
   of another type, selected and added up.

   Samples are kept until the end, since only the end of a span or a request
   tells how long it took.  A stack is kept once, as a path in a tree of
   addresses. */

#ifndef ANALYSIS_PROFILE_H
#define ANALYSIS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include "filter.h"
#include "samples.h"
#include "symbols.h"

/* The subject of a profile, and the weight of its samples. */
enum profile_type {
  PROFILE_CPU,                  /* ns of processor time */
  PROFILE_ALLOC,                /* bytes that were allocated */
  PROFILE_LIVE,                 /* bytes that are alive at one time */
  PROFILE_WALL,                 /* ns of processor time, and in waits */
  PROFILE_WAIT,                 /* ns in waits */
  PROFILE_IO,                   /* ns in operations on descriptors */
  PROFILE_TYPES
};

/* Sums of samples. */
struct profile_value {
  uint64_t weight;
  uint64_t extra;               /* ALLOC, LIVE: the number of blocks, estimated;
                                   IO: the bytes that were moved; else 0 */
  uint64_t samples;             /* IO: the operations */
  double variance;              /* of the weight, by the chance of sampling, in
                                   the square of its unit; 0: nothing was left
                                   to chance, or there is no sample.  Not in
                                   struct profile_stack */
};

/* Adds [more] to *sum. */
static inline void add_value(struct profile_value *sum,
                             struct profile_value more)
{
  sum->weight += more.weight;
  sum->extra += more.extra;
  sum->samples += more.samples;
  sum->variance += more.variance;
}

/* Returns the standard error of the weight of [value], in its unit, by the chance of
   sampling only.  0 when there are no samples, or nothing was left to chance. */
double weight_error(const struct profile_value *value);

/* Returns the standard error of the share that [value] has of the weight of [all], by
   the chance of sampling only: from 0 to 1.  0 when the error is not known, since
   [value] has none or all of the samples, or nothing was left to chance. */
double share_error(const struct profile_value *value,
                   const struct profile_value *all);

/* The name of the function above a stack that is not whole. */
#define SAMPLE_TRUNCATED "[truncated]"

/* In a profile of PROFILE_WALL, the stack of a wait ends in a function of FRAME_WAIT
   with the name of the event of the wait, such as "[mutex_wait]": the own weight of
   all other functions is processor time.  PROFILE_WAIT has no such functions: there
   the own weight of a function is the time in the waits that it began. */

/* A condition that a sample must fulfil. */
enum condition_kind {
  DURING,                       /* in a span of the name, on its thread */
  OUTSIDE,                      /* in no such span */
  IN_REQUEST,                   /* on a request of the name */
  IN_THE_REQUEST                /* on the request with this number */
};
struct condition {
  enum condition_kind kind;
  const char *name;             /* of events; or, but for requests, of a
                                   category */
  int64_t slower_ns;            /* spans or requests that took longer count;
                                   -1: all */
  uint64_t number;              /* of IN_THE_REQUEST, which has no name */
};

struct profile;

/* Creates an empty profile of the process that [cursor] reads, of the samples
   that pass [filter] and all [count] conditions.  All of them must stay valid
   as long as the profile.  Never returns NULL.  The caller frees the profile
   with free_profile. */
struct profile *new_profile(struct eventring_cursor *cursor,
                            struct filter *filter,
                            const struct condition *conditions, size_t count);
void free_profile(struct profile *profile);

/* Makes the profile one of [type]; it is of PROFILE_CPU at first.  To be called
   before the first event or profile_add. */
void profile_set_type(struct profile *profile, enum profile_type type);
enum profile_type profile_type(const struct profile *profile);

/* Sets the time at which blocks count as alive, for PROFILE_LIVE: [since_start]
   ns since tracing started, by default the time of the last event.  To be
   called before the first event. */
void profile_set_time(struct profile *profile, int64_t since_start);

/* Makes [later] and [earlier] fit to be compared, two profiles of PROFILE_LIVE
   with the same events: blocks that are dead and not yet found so, by a major
   cycle, would seem to have grown.  A block then counts in [earlier] when a whole
   cycle after its time has kept the block, and in [later] when a whole cycle
   before its time has.  Has no effect with less than one whole cycle between the
   two times, or without events of cycles.  To be called after the last event,
   before profile_finish of either. */
void profile_compare(struct profile *later, struct profile *earlier);

/* Tells a profile of PROFILE_WALL that the events of ring [ring] before [ns] are lost.
   Of the events that are passed, the profile finds it by itself. */
void profile_ring_begins(struct profile *profile, uint32_t ring, int64_t ns);

/* Takes the next event of the cursor, which is outside of the time of the profile.  It may
   tell of time between samples that is in it, which the runtime tells late.  The caller
   passes such events in order with the others, for some time before and behind. */
void profile_outside(struct profile *profile, const struct eventring_event *event);

/* Takes the next event of the cursor.  The caller passes every event. */
void profile_event(struct profile *profile,
                   const struct eventring_event *event);

/* Selects the samples and finds their functions with [symbols], which must stay
   valid; NULL: finds none, for a profile that is only given to profile_add.  To
   be called once, after the last event. */
void profile_finish(struct profile *profile, struct symbols *symbols);

/* Creates an empty profile of many processes, which may be of several machines.
   Never returns NULL.  The caller adds profiles with profile_add, calls
   profile_finish with the symbols of new_profile_symbols, and frees the profile
   with free_profile. */
struct profile *new_merged_profile(void);

/* Adds the selected samples of [from], of one process, to the merged profile
   [profile].  Code is the same when the build id of its file and its place in
   the file are; of a file without a build id, the path counts.  The samples
   lose their thread, domain, span and request. */
void profile_add(struct profile *profile, const struct profile *from);

/* Creates the symbols of the merged profile [profile]; see new_symbols for
   [say] and [state].  The profile must stay valid. */
struct symbols *new_profile_symbols(struct profile *profile,
                                    void (*say)(void *state,
                                                const char *message),
                                    void *state);

/* Returns mapping number [index] of the code, from 0 on; NULL when there are
   not so many.  The mappings of a merged profile are its files, at addresses
   that no process has. */
const struct eventring_mapping *profile_mapping(const struct profile *profile,
                                                uint32_t index);

/* Sums of the selected samples. */
struct profile_sums {
  uint64_t samples, weight, extra; /* see struct profile_value; the weight has
                                      time without samples, too */
  double variance;
  uint64_t unsampled;           /* CPU, WALL: of that, ns without samples */
  uint64_t cpu_ns;              /* processor time of the processes, of the time
                                   of which it is known: see doc/JSON.md; 0: not
                                   known, or some threads, spans or requests were
                                   selected */
  uint64_t covered_ns;          /* weight of the samples of that time... */
  uint64_t tick_ns;             /* ...and of them, of those that were taken at
                                   ticks of the system, which misjudge work in
                                   step with the ticks */
  bool tick_ns_unknown;         /* the file does not have it */
  uint64_t incomplete;          /* samples without a whole stack */
  uint64_t all_samples;         /* before the selection; LIVE: all blocks that
                                   were followed */
  uint64_t all_waits;           /* of them, samples of waits */
  uint64_t impossible;          /* samples left out, since a sum would be more
                                   than INT64_MAX */
  uint64_t others;              /* samples with the stack PROFILE_OTHERS */
  uint64_t not_followed;        /* LIVE: samples left out: their blocks were not
                                   followed */
  uint64_t unknown_requests;    /* samples left out: requests were selected, and
                                   the events of theirs are lost */
  int64_t common_ns;            /* WALL: the time from which on no ring with samples
                                   lacks its begin, since tracing started;
                                   INT64_MIN: none does, or many processes */
  uint64_t earlier;             /* WALL: samples left out: they are earlier than
                                   that, where others are lost */
  uint64_t unknown_threads;     /* LIVE: blocks left out, since they were
                                   allocated before the first event, and threads
                                   were selected */
  uint64_t period_words;        /* ALLOC, LIVE: between two samples; 0: not
                                   known, or it changed */
  bool survivors;               /* LIVE: only blocks that a whole major cycle has
                                   kept; see profile_compare */
  int64_t first_ns, last_ns;    /* CLOCK_MONOTONIC, of a merged profile since
                                   1970; 0: there is no sample.  LIVE: both are
                                   the time at which blocks are alive */
  int64_t data_ns;              /* the time of the first event; LIVE: up to it
                                   events of a ring may be lost */
  int64_t data_end_ns;          /* the time of the last event */
};
struct profile_sums profile_sums(const struct profile *profile);

/* Returns the sums as one value. */
struct profile_value profile_total(const struct profile *profile);

/* The only function of the stacks that a merged profile has no room for. */
#define PROFILE_OTHERS "[other]"

/* Returns how many spans or requests fulfil condition [condition]. */
uint64_t profile_matches(const struct profile *profile, size_t condition);

/* The subject of an entry of a table. */
enum profile_by {
  BY_FUNCTION,
  BY_LINE,                      /* of a function */
  BY_FILE_LINE                  /* of a file: of all functions there */
};

struct profile_entry {
  struct frame frame;           /* BY_FUNCTION: [line] is 0; BY_FILE_LINE:
                                   [function] is one of those there */
  const struct eventring_mapping *code; /* the file with the code, in a merged
                                   profile and not BY_FILE_LINE; else NULL */
  struct profile_value self;    /* in its own code */
  struct profile_value total;   /* and in the functions that it
                                   called */
};

/* Returns the entries of the selected samples, the largest own weight first,
   and sets *count to their number.  The caller frees the array. */
struct profile_entry *profile_table(const struct profile *profile,
                                    enum profile_by by, size_t *count);

/* A function in a tree of calls; the root has all.  Nodes are in an array, and
   links are indexes in it; 0, the root, is none. */
struct profile_node {
  const char *function;
  enum frame_kind kind;         /* of the first frame with the name; the root is
                                   FRAME_UNKNOWN */
  struct profile_value self, total;
  uint32_t parent, first, next; /* children: the largest total first */
};

/* Returns the tree of calls of the selected samples, and sets *count to the
   number of its nodes, at least 1.  If [inverted] is true, the children of the
   root are the functions with an own weight, and children are callers.  The
   caller frees the array. */
struct profile_node *profile_tree(const struct profile *profile, bool inverted,
                                  uint32_t *count);

/* A field of a sample that has one of several values, such as the kind of a
   wait. */
struct profile_label { const char *name, *value; };
#define PROFILE_LABELS 2

/* Samples with equal stacks and labels. */
struct profile_stack {
  const struct frame *const *frames;  /* innermost first */
  const uint64_t *addresses;    /* of the frames; an inlined function has the
                                   address of its caller; 0: none */
  uint32_t depth;
  struct profile_value value;
  uint32_t domain;              /* UINT32_MAX: none */
  uint32_t thread;              /* UINT32_MAX: not known, as in a merged
                                   profile */
  uint64_t request;             /* 0: none */
  const char *span;             /* the innermost user span; NULL: none */
  struct profile_label labels[PROFILE_LABELS]; /* the first [labels_count]:
                                   source of ALLOC and LIVE, wait of WALL and
                                   WAIT, operation and kind of IO */
  uint32_t labels_count;
};

/* Calls [take] with [state] for the selected samples, by stack. */
void profile_stacks(const struct profile *profile,
                    void (*take)(void *state,
                                 const struct profile_stack *stack),
                    void *state);

/* The samples that were taken while threads worked on a request. */
struct profile_request {
  uint64_t number;
  struct profile_value value;   /* without variance */
};

/* Returns the requests of the selected samples, the most samples first, and sets *count to
   their number; none of a merged profile.  The caller frees the array. */
struct profile_request *profile_requests(const struct profile *profile, size_t *count);

/* Returns the name of request [number], or NULL when its begin is not known. */
const char *profile_request(const struct profile *profile, uint64_t number);

#endif /* ANALYSIS_PROFILE_H */
