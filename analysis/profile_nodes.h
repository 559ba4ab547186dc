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

/* The contents of a profile, for profile_samples.c, profile_merge.c and
   profile_tables.c. */

#ifndef ANALYSIS_PROFILE_NODES_H
#define ANALYSIS_PROFILE_NODES_H

#include "live_blocks.h"
#include "pair_map.h"
#include "profile.h"
#include "spans.h"

/* The weight of all samples together, which fits in the numbers of every
   output. No other sum is larger. */
#define MOST_WEIGHT ((uint64_t) INT64_MAX)

/* Returns [a] + [b], or MOST_WEIGHT if that is more. */
static inline uint64_t limited_sum(uint64_t a, uint64_t b)
{
  return b > MOST_WEIGHT - a ? MOST_WEIGHT : a + b;
}

/* The stacks as a tree: each node is an address below its callers.  Node 0 is
   the root, above the outermost function. */
struct node {
  uint32_t parent;
  bool leaf;                    /* the address is not a return address */
  bool cut;                     /* a stack that is not whole begins here */
  uint8_t allocation;           /* see struct code_address */
  uint8_t unsampled;            /* time without samples: the cause, a field of
                                   CPU_USED; else 0 */
  uint8_t wait;                 /* no code, but a wait: its kind, as wait_number
                                   returns it; else 0 */
  uint64_t address;
  bool used;                    /* in the stack of a selected sample */
  struct profile_value value;   /* of the selected samples with this stack */
  double blocks;                /* ALLOC, LIVE: value.extra before rounding */
  uint32_t frames_count;
  const struct frame *frames;   /* innermost first */
};

/* The place of a sample that is of no block. */
#define NO_BLOCK UINT32_MAX

struct sample {
  int64_t ns;                   /* LIVE: when the block was allocated */
  uint64_t weight, request;
  uint64_t extra;               /* ALLOC, LIVE: the size of the block in words,
                                   and after the selection the number of
                                   blocks; IO: bytes */
  uint32_t node, thread, domain;
  uint32_t block;               /* LIVE: index in [blocks]; else NO_BLOCK */
  double variance;              /* of the weight; see struct profile_value */
  uint16_t span;                /* id of the events; 0: none */
  uint8_t kind;                 /* enum sample_kind */
  uint8_t labels[PROFILE_LABELS]; /* values of the fields; MOST_LABEL and more:
                                   not known */
};
#define MOST_LABEL 255

/* A field of a sample that becomes a label. */
struct label_field {
  uint32_t word;                /* of the payload; 0: there is no label */
  const char *name, *unit;      /* of the label, and of its values */
};
extern const struct label_field label_fields[SAMPLE_KINDS][PROFILE_LABELS];


struct interval { uint32_t thread; int64_t from, to; };

/* The intervals of a condition: the spans of each thread, or the requests,
   whose number is the [thread]. */
struct matches {
  uint8_t *wants;               /* by id of events: 1 yes, 2 no, 0 not known */
  struct interval *list;
  size_t count, room;
  uint64_t found;
};

/* Processor time of the process, [from] the event before [to] this one; of a part of
   that time only, or with samples that are lost, it is not [known]. */
struct cpu_used {
  int64_t from, to;
  uint64_t ns, tick_ns;
  uint64_t without;             /* of [ns], without samples and without a cause */
  uint64_t told;                /* time between samples, perhaps of before [from] */
  bool selected, known;
};

/* Between these times, samples of a ring are lost. */
struct loss { int64_t from, to; };

struct request {
  uint64_t number;
  int64_t from, to;             /* to: INT64_MAX while it is open */
  uint16_t id;
};

struct profile {
  struct eventring_cursor *cursor;
  struct filter *filter;
  const struct condition *conditions;
  struct matches *matches;
  size_t conditions_count;
  struct spans *spans;
  struct samples *kinds;
  enum profile_type type;
  struct live_blocks *blocks;   /* of PROFILE_LIVE */
  int64_t since_start;          /* see profile_set_time; -1: the end */
  int64_t *cycles;              /* PROFILE_LIVE: the ends of major cycles */
  size_t cycles_count, cycles_room;
  int cycle_id;                 /* of their spans; negative: not known */
  bool in_cycle;                /* a span has begun since the latest of them */
  int64_t born_by, alive_until; /* by profile_compare, if sums.survivors */
  uint32_t rings, first_samples; /* the rings from this index on have samples */

  struct pair_map tree;
  struct node *nodes;
  uint32_t nodes_count, nodes_room;
  struct sample *samples;
  size_t samples_count, samples_room;
  struct pair_map request_numbers;
  struct request *requests;
  size_t requests_room;
  int64_t first_ns, last_ns;    /* of all events */

  struct cpu_used *used;        /* in the order of reading, then of time */
  size_t used_count, used_room;
  uint64_t sampled_ns;          /* of all samples of processor time since the last */
  bool used_is_selected;        /* of some */
  bool used_is_cut;             /* a part of the time of the first selected one is not in
                                   the data or not selected */
  int64_t begins_ns[2];         /* from here on no ring of events, with the waits,
                                   and no ring of samples lacks its begin */
  int64_t common_ns;            /* the later one of those that count, at the end */
  struct loss *losses;
  size_t losses_count, losses_room;
  int64_t *ring_ns;             /* the time of the last event of each ring */

  struct profile_sums sums;
  struct frame truncated;       /* above a stack that is cut */
  struct frame unsampled[USED_FIELDS]; /* of time without samples */
  struct wait_kind {
    char *name;                 /* of the function, with brackets */
    struct frame frame;
  } *waits;                     /* WALL: the kinds of waits that occur */
  size_t waits_count, waits_room;

  bool merged;                  /* of many processes: [cursor] is NULL */
  struct eventring_mapping **files;
  size_t files_count, files_room;
  bool period_known;            /* sums.period_words is that of a start */
  uint64_t present_period;      /* words, of the samples from here on; 0: not
                                   known */
  uint32_t others_node;         /* 0: there is none */
  struct frame others;
};

/* Returns the number under which a node like [node] below [parent] is in the
   tree, with its address. */
static inline uint64_t node_key(uint32_t parent, const struct node *node)
{
  return (uint64_t) parent << 24 | (uint64_t) node->wait << 16
         | (uint64_t) node->unsampled << 10
         | (uint64_t) node->allocation << 2
         | (uint64_t) node->leaf << 1 | node->cut;
}

/* Returns the number, from 1 on, of the kind of waits with the function [name],
   which is copied; 0 when there are too many kinds. */
uint8_t wait_number(struct profile *p, const char *name);

/* Returns the number of the node like [node] below [parent], a new one if
   necessary. */
uint32_t add_node(struct profile *p, uint32_t parent, struct node node);

/* Returns the file with the code of node [at] of a merged profile, or NULL. */
const struct eventring_mapping *file_of_node(const struct profile *p,
                                             uint32_t at);

/* Returns whether a table has samples with [value]. */
static inline bool has_value(const struct profile_value *value)
{
  return value->weight > 0 || value->extra > 0;
}

#endif /* ANALYSIS_PROFILE_NODES_H */
