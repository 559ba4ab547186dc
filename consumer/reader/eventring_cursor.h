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

/* An open cursor, for the four files that implement it.  Not for users.

     eventring_cursor.c          opening, closing, information, control
     eventring_reader.c          copying blocks, decoding, merging rings
     eventring_cursor_schema.c   events, fields, values and labels by id;
                                 mappings
     eventring_cursor_clock.c    ticks to nanoseconds

   The first uses the other three; the reader uses schema and clock. */

#ifndef EVENTRING_CURSOR_H
#define EVENTRING_CURSOR_H

#include <stdint.h>
#include <sys/stat.h>
#include "eventring_proc.h"
#include "eventring_reader.h"
#include "eventring_source.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Positions above this are not believed. */
#define MAX_POSITION ((uint64_t)1 << 62)

/* Integers that a word of a packed payload holds at most. */
#define UNPACKED 8

/* From which size on a header has a field. */
#define HEADER_HAS(field) \
  (offsetof(struct eventring_header, field) \
   + sizeof(((struct eventring_header *) 0)->field))

/* The clock: ns = origin.ns + (ticks - origin.ticks) * ns_per_tick */

struct pair {
  uint64_t ticks;
  int64_t ns;
};

struct clock_fit {
  struct pair origin;
  double ns_per_tick;
  uint64_t baseline;            /* ticks that ns_per_tick was measured over */
  int piecewise;                /* 1: the line is one of several, see
                                   fit_piece */
  int rate_is_new;              /* 1: not held against the blocks yet */
};

/* The schema */

#define MAX_FIELDS 64           /* of an event; entries beyond are left out */
#define MAX_IDS ((uint32_t)1 << EVENTRING_ID_BITS)
#define MAX_CATEGORIES 32

/* Steps that [decode] takes for the events of some ids. */
enum {
  PACKED = 1,                   /* unpack the payload */
  THREAD_RUN = 2                /* take the running thread from the payload */
};

/* The fields of the events of an id.  Places are below 64. */
struct layout {
  uint64_t ticks;               /* bit mask of the places that hold ticks */
  uint64_t addresses;           /* bit mask of the places that hold addresses */
  uint32_t first;               /* 1 + index in fields[]; 0: none */
  uint8_t places;               /* 1 + the highest place */
  uint8_t repeats;              /* 1 + the place from which they repeat; 0: they
                                   do not */
};

struct field;
struct unit;
struct labels;
struct mappings;

struct schema {
  uint32_t seen;                /* entries of the file that have been copied */
  uint32_t count;               /* elements of events[] */
  struct eventring_description *events;
  uint32_t *by_id;              /* 1 + index in events[]; 0: none */
  uint8_t *special;             /* by id: PACKED, THREAD_RUN */
  struct layout *layouts;       /* by id */
  struct field *fields;
  uint32_t fields_size;
  struct unit *units;           /* MAX_UNITS */
  uint32_t units_size;
  struct labels *labels;
  struct mappings *mappings;
  char categories[MAX_CATEGORIES][EVENTRING_NAME_SIZE];
};

/* The place of this cursor in a ring. */
struct ring {
  uint64_t *copy;               /* block_words words */
  uint64_t *unpacked;           /* UNPACKED words for each of the copy */
  uint32_t next, end;           /* words of the copy still to be returned */
  uint32_t domain, thread;      /* from the header of the block in the copy; */
  int32_t thread_id;            /* the thread then from its "thread_run" */
  uint64_t ticks;               /* its base... */
  int64_t ns;                   /* ...and the same in nanoseconds */
  double ns_per_tick;           /* fixed for a block: times stay in order */
  int64_t latest_ns;            /* no event of the block was after this */
  uint64_t block;               /* position of the block in the copy */
  uint64_t position;            /* where to copy from next */
  uint64_t index;               /* events of the ring before copy[next] */
  uint64_t returned;            /* and before the one after the last returned */
  uint64_t since;               /* events of the ring before the first interval
                                   of the source; 0: not known */
  uint64_t had;                 /* and before the source began anew */
  uint64_t skip;                /* events of the ring that are not returned */
  uint64_t batch;               /* last call that returned an event of it */
  uint64_t last_ticks;          /* of the last event returned */
  int64_t last_ns;
  uint64_t lost_word;           /* payload of the last EVENTRING_EV_LOST */
  uint64_t read, lost;
  uint8_t index_known;          /* 0: take it from the next block header */
  uint8_t anew;                 /* which may be of before [index] */
  uint8_t cut;                  /* events were not returned for their times */
  uint8_t lost_pending;         /* lost_word is to be returned */
  uint8_t damaged;              /* EVENTRING_E_DAMAGED is to be returned */
  uint8_t slot_damaged;         /* and has been, for the slot as it is */
};

/* Returns how many events of ring [r] were returned, are lost, or were before the
   source: the number of the last of them. */
static inline uint64_t eventring_ring_place(const struct ring *r)
{
  return r->returned > r->since ? r->returned : r->since;
}

/* A ring in the heap.  [ticks] is the time of its next event, or not after it
   when the ring must be fetched to know. */
struct waiting {
  uint64_t ticks;
  uint32_t ring;
};

struct eventring_cursor {
  /* The source of words.  Nothing in it is used without a check. */
  struct eventring_source *source;
  const struct eventring_header *shared; /* source->header */
  int fd;                       /* of the file, for reading; -1: no control */

  /* The header as it was checked. */
  struct eventring_header header;
  char *path;
  struct eventring_instant started;     /* of the first session that it read, */
  int64_t traced_since_ns;              /* and since when that is traced */
  uint64_t (*before)[EVENTRING_TOTALS]; /* by ring, of all sessions from which this
                                           one did not take over; NULL: none */
  struct eventring_cursor *former;      /* has names of a session before that [c]
                                           has not, and nothing else; or NULL */

  /* The process. */
  int pid;                      /* as this process calls it, or */
  int elsewhere;                /* 1: as another pid namespace does */
  uint64_t start_time, start_stack; /* as eventring_process_fields returns them;
                                   each 0: not known */
  struct stat file;             /* of the file that was opened */
  enum boot boot;
  int gone;                     /* the process is known to have ended */

  struct clock_fit clock;
  int own_clock;                /* ticks are of a clock that we can read */
  int other_time;               /* the process is of another time namespace: our
                                   CLOCK_MONOTONIC is not its own */

  struct schema schema;

  /* The rings, and the pass over them. */
  struct ring *rings;
  uint64_t *copies, *unpacked;
  struct waiting *heap;
  uint32_t waiting;             /* in the heap */
  uint64_t horizon;
  uint64_t batch;               /* counts the calls that read */
  uint64_t last_ticks;          /* of the last event of the merged order */
  int64_t last_ns;

  /* Changes of the mask of categories, made by cursors opened for control, that
     were not returned yet; the next one last. */
  int wants_changes;
  uint64_t marks_seen;
  uint64_t marks[EVENTRING_MARKS]; /* as they were taken last */
  uint64_t changes[EVENTRING_MARKS];
  uint32_t changes_left;

  /* The spans that were open where the source began: those from open_next on
     were not returned yet. */
  int wants_open;
  uint32_t open_next, open_count;
};

/* Words of the source */

static inline const struct eventring_slot *slot_of(
  const struct eventring_cursor *c, uint32_t ring)
{
  return (const struct eventring_slot *)
    (c->source->directory + (uint64_t) ring * c->header.slot_size);
}

static inline const uint64_t *words_at(const struct eventring_cursor *c,
                                       uint32_t ring, uint64_t position)
{
  const struct eventring_words *w = &c->source->rings[ring];
  return w->words + ((position - w->first) & w->mask);
}

static inline uint64_t block_of(const struct eventring_cursor *c,
                                uint64_t position)
{
  return position & ~((uint64_t) c->header.block_words - 1);
}

static inline uint64_t load_tail(const struct eventring_cursor *c,
                                 uint32_t ring)
{
  /* Acquire, paired with the writer's release after each event: the tail must
     be seen before any word below it. */
  return __atomic_load_n(&slot_of(c, ring)->tail, __ATOMIC_ACQUIRE);
}

/* eventring_cursor.c */

/* Allocates an array of [count] elements of [size] bytes, none of them 0, for
   which eventring_check_header has bounded the product.  All bytes are 0.
   Memory is used by the pages that are touched only, and all of it goes back to
   the system with eventring_free_array: malloc gives and keeps such arrays
   differently when the program has freed a large block before, and calloc then
   clears them.  Returns NULL when there is no memory. */
void *eventring_new_array(size_t count, size_t size);

/* Frees [array], which eventring_new_array has returned for [count] and [size];
   it may be NULL. */
void eventring_free_array(void *array, size_t count, size_t size);

/* Allocates the memory of the rings of the cursor, the sizes of which are in
   c->header.  Returns 0, or -1 when there is no memory.  In both cases the
   caller frees the memory by eventring_free_rings. */
int eventring_allocate_rings(struct eventring_cursor *c);
void eventring_free_rings(struct eventring_cursor *c);

/* eventring_cursor_schema.c */

/* Allocates the tables for the schema of the file; c->header must be set.
   Returns 0, or -1 when there is no memory.  In both cases the caller frees the
   tables by eventring_free_schema. */
int eventring_allocate_schema(struct eventring_cursor *c);
void eventring_free_schema(struct eventring_cursor *c);

/* Gives the tables of [former], the schema of the session before, to [c] instead of
   its own where they have the same entries in the same order, so that names that
   were returned stay valid and are there once. */
void eventring_adopt_names(struct eventring_cursor *c,
                           struct eventring_cursor *former);

/* Frees the tables of the schema, but those with names that were returned.
   Returns whether there are any. */
int eventring_keep_names(struct eventring_cursor *c);

/* Adds the schema entries that the program has written since the last call to
   the tables of the cursor.  Leaves out entries beyond the bounds of the
   tables, a second entry for an event, a field or a value, and kinds that this
   version does not know. */
void eventring_read_schema(struct eventring_cursor *c);

/* eventring_cursor_clock.c */

/* Returns the present ticks of the clock of kind [clock], an
   EVENTRING_CLOCK_..., or 0 when this machine does not have this clock.  Loads
   and stores are not moved across the call. */
uint64_t eventring_read_clock(uint32_t clock);

/* Measures the clock of the file: sets c->clock to the line through the two
   instants furthest apart of which the file or this machine has both clocks.
   Keeps a line that was measured over a longer time.  Leaves c->clock.baseline
   0 when there are no two such instants, and for CLOCK_MONOTONIC, which needs
   no line. */
void eventring_calibrate(struct eventring_cursor *c);

/* Sets [ticks], [ns], [ns_per_tick] and [latest_ns] of ring [ring] from the
   block header that was just copied.  May replace the line of c->clock: by a
   line over a longer time, or by one through the block when the block is far
   off the line. */
void eventring_fit_block(struct eventring_cursor *c, uint32_t ring);

/* Converts [ticks] of the file's clock to nanoseconds of CLOCK_MONOTONIC.
   Returns 0 for ticks that are over 9.2e18 ns from the clock's origin. */
int64_t eventring_to_ns(const struct eventring_cursor *c, uint64_t ticks);

/* Converts the ticks [ticks] in the header of a block to nanoseconds.  Returns
   [ns], the nanoseconds in that header, when the line of the clock is far off. */
int64_t eventring_block_to_ns(const struct eventring_cursor *c, uint64_t ticks,
                              int64_t ns);

/* eventring_reader.c */

/* Moves the cursor behind all events that the rings have at present.  Returns
   0, EVENTRING_E_DAMAGED when the source has skipped damaged words in doing so,
   or another error.  After another error the cursor has not moved. */
int eventring_skip_to_now(struct eventring_cursor *c);

#endif /* EVENTRING_CURSOR_H */
