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

/* A profile: samples of the processor time of threads, selected and added up.

   Samples are kept until the end, since only the end of a span or a request
   tells how long it took.  A stack is kept once, as a path in a tree of
   addresses. */

#ifndef ANALYSIS_PROFILE_H
#define ANALYSIS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include "filter.h"
#include "symbols.h"

/* The words of the payload of a sample, as doc/FORMAT.md has them.  From
   SAMPLE_FIRST_FRAME on are addresses, the innermost first: of an instruction,
   and then the return addresses. */
enum {
  SAMPLE_CPU_TIME, SAMPLE_STACK, SAMPLE_REQUEST, SAMPLE_FIRST_FRAME
};

/* Returns whether [event], which [cursor] has returned, is a sample.  [*id] is
   -1 at first, and becomes the id of samples with the first of them. */
bool is_sample(struct eventring_cursor *cursor, int *id,
               const struct eventring_event *event);

/* Returns whether the stack of the sample [event], which [cursor] has returned,
   is whole. */
bool sample_is_whole(struct eventring_cursor *cursor,
                     const struct eventring_event *event);

/* The name of the function above a stack that is not whole. */
#define SAMPLE_TRUNCATED "[truncated]"

/* A condition that a sample must fulfil. */
enum condition_kind {
  DURING,                       /* in a span of the name, on its thread */
  OUTSIDE,                      /* in no such span */
  IN_REQUEST                    /* on a request of the name */
};
struct condition {
  enum condition_kind kind;
  const char *name;             /* of events; or, but for requests, of a
                                   category */
  int64_t slower_ns;            /* spans or requests that took longer count;
                                   -1: all */
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

/* Takes the next event of the cursor.  The caller passes every event. */
void profile_event(struct profile *profile,
                   const struct eventring_event *event);

/* Selects the samples and finds their functions with [symbols], which must stay
   valid.  To be called once, after the last event. */
void profile_finish(struct profile *profile, struct symbols *symbols);

/* Sums of the selected samples. */
struct profile_sums {
  uint64_t samples, cpu_ns;
  uint64_t incomplete;          /* samples without a whole stack */
  uint64_t all_samples;         /* before the selection */
  uint64_t impossible;          /* samples left out, since the sum of the times
                                   would be more than INT64_MAX ns */
  int64_t first_ns, last_ns;    /* CLOCK_MONOTONIC; 0: there is no sample */
};
struct profile_sums profile_sums(const struct profile *profile);

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
  uint64_t self_ns;             /* processor time in its own code */
  uint64_t total_ns;            /* and in the functions that it
                                   called */
};

/* Returns the entries of the selected samples, the largest self time first, and
   sets *count to their number.  The caller frees the array. */
struct profile_entry *profile_table(const struct profile *profile,
                                    enum profile_by by, size_t *count);

/* A function in a tree of calls; the root has all.  Nodes are in an array, and
   links are indexes in it; 0, the root, is none. */
struct profile_node {
  const char *function;
  uint64_t self_ns, total_ns;
  uint32_t parent, first, next; /* children: the largest total time first */
};

/* Returns the tree of calls of the selected samples, and sets *count to the
   number of its nodes, at least 1.  If [inverted] is true, the children of the
   root are the functions with a self time, and children are callers.  The
   caller frees the array. */
struct profile_node *profile_tree(const struct profile *profile, bool inverted,
                                  uint32_t *count);

/* Samples with equal stacks and labels. */
struct profile_stack {
  const struct frame *const *frames;  /* innermost first */
  const uint64_t *addresses;    /* of the frames; an inlined function has the
                                   address of its caller; 0: none */
  uint32_t depth;
  uint64_t samples, cpu_ns;
  uint32_t domain;              /* UINT32_MAX: none */
  uint32_t thread;
  uint64_t request;             /* 0: none */
  const char *span;             /* the innermost user span; NULL: none */
};

/* Calls [take] with [state] for the selected samples, by stack. */
void profile_stacks(const struct profile *profile,
                    void (*take)(void *state,
                                 const struct profile_stack *stack),
                    void *state);

/* Returns the name of request [number], or NULL when its begin is not known. */
const char *profile_request(const struct profile *profile, uint64_t number);

#endif /* ANALYSIS_PROFILE_H */
