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

/* libeventring: the reader of ring files.

   The writer of a ring knows nothing of its readers and overwrites the oldest
   block when it needs room.  So a reader never looks at an event in the
   mapped file: it copies the rest of one block to memory of its own, asks
   whether the writer has meanwhile come round to that block, and decodes the
   copy if not.

        mapped file                     cursor, private memory
     +-----+-----+-----+-----+   fetch    +-----------------+   decode
     |     |block|     |     |  ------->  | copy of a block |  -------> events
     +-----+-----+-----+-----+            +-----------------+
              ^ position                      ^ next    ^ end

   Positions count the words of a ring since it began and never wrap.
   [fetch] copies from [position] to the tail of the ring or to the end of the
   block, whichever is first.  It is called only when everything of the copy
   before has been returned, and never for a ring of which the present call
   has returned an event: the payloads of events point into the copy.  A
   packed payload is unpacked as its event is decoded, to a place of its own
   beside the copy, which lasts as long.

   A block is overwritten as a whole, in the sense that [reserve] moves by
   whole blocks and before the first word of the block changes: a copy of one
   block is either all good or to be dropped.  The header of every block says
   how many events the ring had before it, so the number of events lost is the
   difference to the number that this reader expected, whatever the reason.

   The reading of all rings in order of time goes in passes.  A pass begins by
   reading the clock: the horizon.  Tails are loaded after that, so every
   event with a time up to the horizon is visible to this pass, whichever ring
   it is in; events behind the horizon wait for the next pass.  Rings with
   something to return stand in a heap by the time of their next event.  A
   ring that has nothing new costs one load a pass.

   All of this works on a source, see eventring_source.h: the mapped file of a
   ring, or what another format makes look like one.

   The file is not trusted.  The header is copied and checked at open, and the
   checked copy is what is used; a place in a ring is a position modulo the
   ring's size; a length is held against the end of the copy.  A slot whose
   words contradict each other has nothing to read, a block that no writer
   writes is left at once: each call ends after a bounded number of steps.
   One thing is beyond a reader of mapped memory: who cuts the file shorter
   while it is open stops the reader with SIGBUS.  Asking for the size before
   each copy would only make that rarer, and the signal is the program's, not
   ours: the command catches it (tools/truncated.c), and in a program of
   Eventring's OCaml the runtime mends it. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "caml/eventring_clock.h"
#include "caml/eventring_format.h"
/* Beside this file in libeventring, among the runtime's headers in OCaml. */
#if __has_include("eventring_reader.h")
#include "eventring_reader.h"
#include "eventring_source.h"
#else
#include "caml/eventring_reader.h"
#include "caml/eventring_source.h"
/* OCaml programs read ring files only. */
const struct eventring_format *const eventring_formats[] = { NULL };
#endif

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* What a reader of version 1.0 needs of the header. */
#define HEADER_SIZE \
  (offsetof(struct eventring_header, ended) + sizeof(struct eventring_instant))

/* From which size on it has [argv0]. */
#define ARGV0_SIZE (offsetof(struct eventring_header, argv0) \
                    + sizeof(((struct eventring_header *) 0)->argv0))

/* From which size on it has [marks]. */
#define MARKS_SIZE (offsetof(struct eventring_header, marks) \
                    + sizeof(((struct eventring_header *) 0)->marks))

/* From which size on it has [pid_namespace]. */
#define PID_NAMESPACE_SIZE \
  (offsetof(struct eventring_header, pid_namespace) + sizeof(uint64_t))

/* From which size on it has [time_namespace]. */
#define TIME_NAMESPACE_SIZE \
  (offsetof(struct eventring_header, time_namespace) + sizeof(uint64_t))

/* Bounds of what is believed of a file. */
#define MAX_POSITION ((uint64_t)1 << 62)
#define MAX_SCHEMA_CAPACITY ((uint32_t)1 << 17)
#define MAX_IDS ((uint32_t)1 << EVENTRING_ID_BITS)
#define MAX_CATEGORIES 32
#define MAX_FIELDS 64           /* of an event */
#define MAX_UNITS 16            /* that have names of values */
#define MAX_VALUES 256          /* of such a unit */
#define MIN_NS_PER_TICK (1.0 / 1024)
#define MAX_NS_PER_TICK 65536.0

/* A block header that is so far from the line through two instants tells that
   one of the clocks stood still between these, as when the machine slept.  It
   is more than a thread waits for the processor between reading the two. */
#define STOOD_STILL_NS 50000000
#define SLOPES 63               /* that the rate is taken from then, at most */

/* Integers that a word of a packed payload holds at most. */
#define UNPACKED 8

/* How often [fetch] runs after a writer that overtakes it, in one call. */
#define MAX_OVERTAKEN 16

/* Time that a writer is given between reading the clock and publishing. */
#define GRACE_NS 300

struct pair {
  uint64_t ticks;
  int64_t ns;
};

/* A ring, as far as this cursor has come in it. */
struct ring {
  uint64_t *copy;               /* block_words words */
  uint64_t *unpacked;           /* UNPACKED words for each of the copy */
  uint32_t next, end;           /* what of the copy is not returned yet */
  uint32_t domain, thread;      /* from the header of the block in the copy; */
  int32_t thread_id;            /* the thread then from its "thread_run" */
  uint64_t ticks;               /* its base... */
  int64_t ns;                   /* ...and what that is in nanoseconds */
  double ns_per_tick;           /* fixed for a block: times stay in order */
  int64_t latest_ns;            /* no event of the block was after this */
  uint64_t block;               /* position of the block in the copy */
  uint64_t position;            /* where to copy from next */
  uint64_t index;               /* events of the ring before copy[next] */
  uint64_t returned;            /* and before the one after the last returned */
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

/* A ring in the heap.  [ticks] is the time of its next event, or not after it
   when the ring must be fetched to know. */
struct waiting {
  uint64_t ticks;
  uint32_t ring;
};

/* What [decode] does with the events of an id; 0 for most. */
enum {
  PACKED = 1,                   /* unpacks them */
  THREAD_RUN = 2                /* and takes the thread that runs from them */
};

/* The fields of the events of an id.  Places are below MAX_FIELDS. */
struct layout {
  uint64_t ticks;               /* bit mask of the places that hold ticks */
  uint32_t first;               /* 1 + index in fields[]; 0: none */
  uint8_t places;               /* 1 + the highest place */
  uint8_t repeats;              /* 1 + the place from which they repeat; 0: they
                                   do not */
};

struct field {
  struct eventring_field is;
  uint32_t place;
  uint32_t next;                /* of the same event, as [first] */
};

/* The values of the fields of a unit; "" has no name. */
struct unit {
  char unit[EVENTRING_UNIT_SIZE];
  char names[MAX_VALUES][EVENTRING_NAME_SIZE];
};

/* The newest label of a thread, or of a domain.  A label of the file is in two
   of these: one for its thread_id, and one for ANY_THREAD_ID.  A lookup
   takes the same time however many labels there are: there is one of these for
   each key, in a hash table that the author of a file cannot fill unevenly. */
struct label {
  uint32_t domain;
  uint32_t thread;              /* OS id, 0: the domain itself */
  uint64_t thread_id;           /* 1 + the id, 0: the label has none */
  uint16_t name;                /* 1 + index in names[] */
  uint16_t next;                /* 1 + index of one in the same list; 0: none */
};

#define ANY_THREAD_ID UINT64_MAX
#define LABEL_LISTS_BITS 12

struct labels {
  char names[EVENTRING_MAX_LABELS][EVENTRING_NAME_SIZE];
  struct label of[2 * EVENTRING_MAX_LABELS];
  uint16_t lists[1 << LABEL_LISTS_BITS]; /* 1 + index in of[]; 0: none */
};

enum boot { BOOT_SAME, BOOT_OTHER, BOOT_UNKNOWN };

struct eventring_cursor {
  /* Where the words come from.  Nothing of it is used that is not checked. */
  struct eventring_source *source;
  const struct eventring_header *shared; /* that of the source */
  struct eventring_header *writable; /* a mapping of its own, or NULL */

  /* The header as it was checked. */
  struct eventring_header header;
  int pid;                      /* as this process calls it, or */
  int elsewhere;                /* 1: as another pid namespace does */
  struct stat file;             /* of the file that was opened */
  enum boot boot;
  char *path;

  /* The clock: ns = origin.ns + (ticks - origin.ticks) * ns_per_tick */
  struct pair origin;
  double ns_per_tick;
  uint64_t baseline;            /* ticks that ns_per_tick was measured over */
  int piecewise;                /* 1: the line is one of several, see draw_piece */
  int rate_is_new;              /* 1: not held against the blocks yet */
  int own_clock;                /* ticks are of a clock that we can read */
  int other_time;               /* the process is of another time namespace: our
                                   CLOCK_MONOTONIC is not its own */
  int gone;                     /* the process is known to have ended */

  /* The rings, and the pass over them. */
  struct ring *rings;
  uint64_t *copies, *unpacked;
  struct waiting *heap;
  uint32_t waiting;             /* in the heap */
  uint64_t horizon;
  uint64_t batch;               /* counts the calls that read */
  uint64_t last_ticks;          /* of the last event of the merged order */
  int64_t last_ns;

  /* Changes from outside that were not returned yet, the next one last. */
  int wants_changes;
  uint64_t marks_seen;
  uint64_t marks[EVENTRING_MARKS]; /* as they were taken last */
  uint64_t changes[EVENTRING_MARKS];
  uint32_t changes_left;

  /* The schema. */
  struct eventring_description *schema;
  uint32_t schema_seen;         /* entries of the file that have been copied */
  uint32_t schema_size;         /* of them, events: what schema[] holds */
  uint32_t *by_id;              /* 1 + index in schema[]; 0: none */
  uint8_t *special;             /* by id, what decode does with it */
  struct layout *layouts;       /* by id */
  struct field *fields;
  uint32_t fields_size;
  struct unit *units;           /* MAX_UNITS */
  uint32_t units_size;
  struct labels *labels;
  uint32_t labels_size, label_names_size;
  uint64_t seed;                /* odd, of the hash of [labels] */
  char categories[MAX_CATEGORIES][EVENTRING_NAME_SIZE];
};

const char *eventring_reader_version(void)
{
  return EVENTRING_READER_VERSION;
}

const char *eventring_strerror(int error)
{
  switch (error) {
  case EVENTRING_OK: return "no error";
  case EVENTRING_E_NOT_FOUND: return "no such file or process";
  case EVENTRING_E_PERMISSION: return "permission denied";
  case EVENTRING_E_SYSTEM: return "the system refused";
  case EVENTRING_E_NOT_A_RING: return "not a ring file";
  case EVENTRING_E_VERSION: return "a ring file of another major version";
  case EVENTRING_E_HEADER: return "impossible header of a ring file";
  case EVENTRING_E_TRUNCATED: return "truncated ring file";
  case EVENTRING_E_MEMORY: return "out of memory";
  case EVENTRING_E_DAMAGED: return "damaged block";
  case EVENTRING_E_ARGUMENT: return "invalid argument";
  default: return "unknown error";
  }
}

/* Writes the one line of [options->message] and returns [error].  Names of
   files may hold anything: what would break the line is replaced. */
int fail(const struct eventring_options *options, int error,
         const char *format, ...)
{
  if (options->message != NULL && options->message_size > 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(options->message, options->message_size, format, args);
    va_end(args);
    for (char *p = options->message; *p != 0; p++)
      if ((unsigned char) *p < ' ' || *p == 127) *p = '?';
  }
  return error;
}

/* Options grow at their end.  Fields that the caller does not know are 0;
   fields that we do not know must be. */
int eventring_take_options(struct eventring_options *mine,
                           const struct eventring_options *given)
{
  memset(mine, 0, sizeof *mine);
  if (given == NULL) return 0;
  if (given->size < sizeof given->size) return EVENTRING_E_ARGUMENT;
  memcpy(mine, given, given->size < sizeof *mine ? given->size : sizeof *mine);
  if (mine->message != NULL && mine->message_size > 0) mine->message[0] = 0;
  for (size_t i = sizeof *mine; i < given->size; i++)
    if (((const char *) given)[i] != 0)
      return fail(mine, EVENTRING_E_ARGUMENT,
                  "options of %zu bytes set something that this library, "
                  "which knows %zu, does not have: use a newer libeventring",
                  given->size, sizeof *mine);
  return 0;
}

/* Clocks */

/* The clock of kind [clock] now, if this machine has it, else 0.  Nothing
   that the program does before is seen to happen after, nor the reverse: the
   horizon of a pass rests on the loads of tails staying behind it. */
static uint64_t clock_ticks(uint32_t clock)
{
  uint64_t ticks;
  if (clock != EVENTRING_CLOCK_MONOTONIC && clock != EVENTRING_HARDWARE_CLOCK)
    return 0;
#if defined(__x86_64__)
  __asm__ volatile ("lfence" ::: "memory");
  ticks = eventring_ticks(clock);
  __asm__ volatile ("lfence" ::: "memory");
#elif defined(__aarch64__)
  __asm__ volatile ("isb" ::: "memory");
  ticks = eventring_ticks(clock);
  __asm__ volatile ("isb" ::: "memory");
#else
  ticks = eventring_ticks(clock);
#endif
  return ticks;
}

static struct pair own_pair(uint32_t clock)
{
  struct eventring_instant now = eventring_now(clock);
  return (struct pair) { now.ticks, now.monotonic_ns };
}

/* Draws the line through two instants, if they can be of a clock and it
   rests on more than the line that is there. */
static void draw(struct eventring_cursor *c, struct pair a, struct pair b)
{
  double rate;
  if (a.ticks == 0 || b.ticks <= a.ticks || b.ns <= a.ns) return;
  if (b.ticks - a.ticks <= c->baseline) return;
  /* Unsigned, since a hostile pair may be further apart than INT64_MAX. */
  rate = (double) ((uint64_t) b.ns - (uint64_t) a.ns)
         / (double) (b.ticks - a.ticks);
  if (!(rate >= MIN_NS_PER_TICK && rate <= MAX_NS_PER_TICK)) return;
  c->origin = a;
  c->ns_per_tick = rate;
  c->baseline = b.ticks - a.ticks;
  c->rate_is_new = 1;
}

static const struct eventring_slot *slot_of(const struct eventring_cursor *c,
                                            uint32_t ring)
{
  return (const struct eventring_slot *)
    (c->source->directory + (uint64_t) ring * c->header.slot_size);
}

static const uint64_t *words_at(const struct eventring_cursor *c,
                                uint32_t ring, uint64_t position)
{
  const struct eventring_words *w = &c->source->rings[ring];
  return w->words + ((position - w->first) & w->mask);
}

static uint64_t block_of(const struct eventring_cursor *c, uint64_t position)
{
  return position & ~((uint64_t) c->header.block_words - 1);
}

static uint64_t load_tail(const struct eventring_cursor *c, uint32_t ring)
{
  /* Acquire, paired with the writer's release after each event: the tail must
     be seen before any word below it. */
  return __atomic_load_n(&slot_of(c, ring)->tail, __ATOMIC_ACQUIRE);
}

static struct pair pair_of_block(const struct eventring_cursor *c,
                                 uint32_t ring, uint64_t position)
{
  const uint64_t *block = words_at(c, ring, position);
  return (struct pair) {
    __atomic_load_n(&block[EVENTRING_BLOCK_TICKS], __ATOMIC_RELAXED),
    (int64_t) __atomic_load_n(&block[EVENTRING_BLOCK_NS], __ATOMIC_RELAXED) };
}

/* Returns 1 if the header of the block at [position] has been written and is
   visible in the source. */
static int has_header(const struct eventring_cursor *c, uint32_t ring,
                      uint64_t position)
{
  uint64_t tail = load_tail(c, ring);
  return position >= c->source->rings[ring].first && tail <= MAX_POSITION
         && tail > position + EVENTRING_BLOCK_NS;
}

/* Measures the clock: from the start of tracing to now if we can read both
   clocks; else to the end of the process; else to the youngest block that any
   ring has, which is all that a killed process of another boot leaves. */
static void calibrate(struct eventring_cursor *c)
{
  struct pair started = { c->header.started.ticks,
                          c->header.started.monotonic_ns };
  struct pair oldest = { 0, 0 };

  if (c->header.clock == EVENTRING_CLOCK_MONOTONIC) return;
  if (c->own_clock && !c->other_time)
    draw(c, started, own_pair(c->header.clock));
  if (c->baseline != 0 && !c->other_time) return;
  /* Acquire: the state must be seen before the instant that it covers. */
  if (__atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE)
      != EVENTRING_RUNNING || !c->source->live) {
    const struct eventring_instant *ended = &c->shared->ended;
    draw(c, started, (struct pair) {
           __atomic_load_n(&ended->ticks, __ATOMIC_RELAXED),
           __atomic_load_n(&ended->monotonic_ns, __ATOMIC_RELAXED) });
  }
  if (c->baseline != 0) return;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < c->header.rings; i++) {
      uint64_t tail = load_tail(c, i);
      struct pair p;
      if (tail == 0 || !has_header(c, i, block_of(c, tail - 1))) continue;
      p = pair_of_block(c, i, block_of(c, tail - 1));
      if (oldest.ticks == 0 || (p.ticks != 0 && p.ticks < oldest.ticks))
        oldest = p;
      draw(c, pass == 0 ? started : oldest, p);
    }
    if (c->baseline != 0) return;
  }
  /* Nothing to measure with.  Keep the order, at least. */
  c->origin = started.ticks != 0 ? started : oldest;
}

static int smaller_first(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* The median of the rates from one block to the next, of the youngest blocks of
   each ring: the machine sleeps in few of them.  0: there are none. */
static double median_rate(const struct eventring_cursor *c)
{
  const uint64_t words = c->header.block_words;
  double slopes[SLOPES];
  size_t n = 0;
  for (uint32_t i = 0; i < c->header.rings; i++) {
    uint64_t tail = load_tail(c, i), at = block_of(c, tail);
    if (tail > MAX_POSITION) continue;
    for (int back = 0; back < 8 && n < SLOPES && at >= words
                       && has_header(c, i, at - words); back++, at -= words) {
      struct pair a = pair_of_block(c, i, at - words), b;
      if (!has_header(c, i, at)) continue;
      b = pair_of_block(c, i, at);
      if (b.ticks > a.ticks && b.ns > a.ns)
        slopes[n++] = (double) ((uint64_t) b.ns - (uint64_t) a.ns)
                      / (double) (b.ticks - a.ticks);
    }
  }
  if (n == 0) return 0;
  qsort(slopes, n, sizeof *slopes, smaller_first);
  return slopes[n / 2];
}

/* Whether two rates differ by more than two blocks measure them wrong. */
static int rates_differ(double a, double b)
{
  return a > 1.02 * b || b > 1.02 * a;
}

/* The line may go through two instants between which a clock stood still: then
   its rate is not the one from block to block. */
static void check_rate(struct eventring_cursor *c)
{
  double rate = median_rate(c);
  c->rate_is_new = 0;
  if (rate < MIN_NS_PER_TICK || rate > MAX_NS_PER_TICK
      || !rates_differ(rate, c->ns_per_tick)
      || (double) c->baseline * rate < STOOD_STILL_NS)
    return;
  c->ns_per_tick = rate;
  c->piecewise = 1;
}

/* Replaces the line by one through the header of [block], which the present
   line misses by far.  Events are read in the order of time, so each line is
   used for the events from its block to the block of the next line. */
static void draw_piece(struct eventring_cursor *c, struct pair block)
{
  double rate = ((double) block.ns - (double) c->origin.ns)
                / (double) (block.ticks - c->origin.ticks);
  if (c->piecewise && block.ticks > c->origin.ticks
      && !rates_differ(rate, c->ns_per_tick))
    c->ns_per_tick = rate;
  c->origin = block;
  c->piecewise = 1;
}

static int is_far(int64_t a, int64_t b)
{
  return (uint64_t) a - (uint64_t) b + STOOD_STILL_NS
         > 2 * (uint64_t) STOOD_STILL_NS;
}

static int64_t to_ns(const struct eventring_cursor *c, uint64_t ticks)
{
  double ns;
  if (c->header.clock == EVENTRING_CLOCK_MONOTONIC) return (int64_t) ticks;
  ns = (double) (int64_t) (ticks - c->origin.ticks) * c->ns_per_tick;
  if (!(ns > -9.2e18 && ns < 9.2e18)) return 0;
  return (int64_t) ((uint64_t) c->origin.ns + (uint64_t) (int64_t) ns);
}

uint64_t eventring_ticks_of(const struct eventring_cursor *c, int64_t ns)
{
  double ticks;
  if (c->header.clock == EVENTRING_CLOCK_MONOTONIC)
    return ns < 0 ? 0 : (uint64_t) ns;
  ticks = ((double) ns - (double) c->origin.ns) / c->ns_per_tick
          + (double) c->origin.ticks;
  return ticks < 0 ? 0 : ticks < 1.8e19 ? (uint64_t) ticks : UINT64_MAX;
}

/* The schema */

static void add_event(struct eventring_cursor *c,
                      const struct eventring_schema_entry *e)
{
  struct eventring_description *d = &c->schema[c->schema_size];
  if (e->id == 0 || c->by_id[e->id] != 0) return;
  d->id = e->id;
  d->kind = e->kind;
  d->payload = e->payload;
  d->category = e->category;
  memcpy(d->unit, e->unit, sizeof d->unit);
  memcpy(d->name, e->name, sizeof d->name);
  c->by_id[e->id] = ++c->schema_size;
  if (e->payload == EVENTRING_PACKED) {
    c->special[e->id] = PACKED;
    /* The program may have an event of this name too. */
    if (e->id < EVENTRING_FIRST_USER_ID && strcmp(e->name, "thread_run") == 0)
      c->special[e->id] |= THREAD_RUN;
  }
}

/* The field of [layout] at [place]: 1 + its index, or 0. */
static uint32_t find_field(const struct eventring_cursor *c,
                           const struct layout *layout, uint32_t place)
{
  uint32_t i = layout->first;
  while (i != 0 && c->fields[i - 1].place != place) i = c->fields[i - 1].next;
  return i;
}

static void add_field(struct eventring_cursor *c,
                      const struct eventring_schema_entry *e)
{
  struct layout *layout = &c->layouts[e->id];
  struct field *f = &c->fields[c->fields_size];
  if (e->place >= MAX_FIELDS || find_field(c, layout, e->place) != 0) return;
  memcpy(f->is.name, e->name, sizeof f->is.name);
  if (strcmp(e->unit, EVENTRING_UNIT_TICKS) == 0) {
    layout->ticks |= (uint64_t) 1 << e->place;
    strcpy(f->is.unit, "ns");
  } else {
    memcpy(f->is.unit, e->unit, sizeof f->is.unit);
  }
  f->place = e->place;
  f->next = layout->first;
  layout->first = ++c->fields_size;
  if (e->place >= layout->places) layout->places = (uint8_t) (e->place + 1);
  if ((e->detail & 1) != 0
      && (layout->repeats == 0 || e->place + 1 < layout->repeats))
    layout->repeats = (uint8_t) (e->place + 1);
}

static struct unit *find_unit(struct eventring_cursor *c, const char *unit)
{
  for (uint32_t i = 0; i < c->units_size; i++)
    if (strcmp(c->units[i].unit, unit) == 0) return &c->units[i];
  return NULL;
}

static void add_value(struct eventring_cursor *c,
                      const struct eventring_schema_entry *e)
{
  struct unit *u = find_unit(c, e->unit);
  if (e->place >= MAX_VALUES) return;
  if (u == NULL) {
    if (c->units_size == MAX_UNITS) return;
    u = &c->units[c->units_size++];
    memcpy(u->unit, e->unit, sizeof u->unit);
  }
  if (u->names[e->place][0] == 0)
    memcpy(u->names[e->place], e->name, sizeof e->name);
}

/* The place of the number of a label in its list. */
static uint16_t *label_at(struct eventring_cursor *c, uint32_t domain,
                          uint32_t thread, uint64_t thread_id)
{
  uint64_t hash = ((domain * c->seed + thread) * c->seed + thread_id) * c->seed;
  uint16_t *at = &c->labels->lists[hash >> (64 - LABEL_LISTS_BITS)];
  for (; *at != 0; at = &c->labels->of[*at - 1].next) {
    const struct label *l = &c->labels->of[*at - 1];
    if (l->domain == domain && l->thread == thread && l->thread_id == thread_id)
      break;
  }
  return at;
}

static void set_label(struct eventring_cursor *c, uint32_t domain,
                      uint32_t thread, uint64_t thread_id, uint32_t name)
{
  uint16_t *at = label_at(c, domain, thread, thread_id);
  if (*at == 0) {
    c->labels->of[c->labels_size] = (struct label) { .domain = domain,
      .thread = thread, .thread_id = thread_id };
    *at = (uint16_t) ++c->labels_size;
  }
  c->labels->of[*at - 1].name = (uint16_t) name;
}

static void add_label(struct eventring_cursor *c,
                      const struct eventring_schema_entry *e)
{
  uint32_t thread = (uint32_t) e->detail, name = c->label_names_size;
  if (name == EVENTRING_MAX_LABELS || (thread == 0 && e->detail != 0)) return;
  memcpy(c->labels->names[name], e->name, sizeof e->name);
  c->label_names_size = ++name;
  set_label(c, e->place, thread, e->detail >> 32, name);
  set_label(c, e->place, thread, ANY_THREAD_ID, name);
}

/* Takes in the entries that the program has added since the last time. */
static void read_schema(struct eventring_cursor *c)
{
  /* Acquire, paired with the release with which the program publishes an
     entry: the count must be seen before the entries that it covers. */
  uint32_t count = __atomic_load_n(&c->shared->schema_count, __ATOMIC_ACQUIRE);
  if (count > c->header.schema_capacity) count = c->header.schema_capacity;
  for (; UNLIKELY(c->schema_seen < count); c->schema_seen++) {
    struct eventring_schema_entry e;
    memcpy(&e, c->source->schema
               + (uint64_t) c->schema_seen * c->header.schema_entry_size,
           sizeof e);
    e.name[sizeof e.name - 1] = 0;
    e.unit[sizeof e.unit - 1] = 0;
    switch (e.kind) {
    case EVENTRING_SPAN: case EVENTRING_COUNTER: case EVENTRING_INSTANT:
    case EVENTRING_FLOW: case EVENTRING_COMPLETE:
      add_event(c, &e);
      break;
    case EVENTRING_CATEGORY:
      if (e.category < MAX_CATEGORIES && c->categories[e.category][0] == 0)
        memcpy(c->categories[e.category], e.name, sizeof e.name);
      break;
    case EVENTRING_FIELD: add_field(c, &e); break;
    case EVENTRING_VALUE: add_value(c, &e); break;
    case EVENTRING_LABEL: add_label(c, &e); break;
    default: break;             /* of a newer minor version */
    }
  }
}

/* Reading one ring */

static int drained(const struct ring *r)
{
  return r->next == r->end && !r->lost_pending;
}

static void leave_block(const struct eventring_cursor *c, struct ring *r)
{
  r->next = r->end;
  r->position = r->block + c->header.block_words;
}

/* The payload of the event at [next]: where it begins in the copy, and how
   many words.  Returns 0 when it does not end within [end]. */
static inline int find_payload(const uint64_t *copy, uint32_t next,
                               uint32_t end, uint32_t *payload,
                               uint32_t *words)
{
  *words = EVENTRING_WORD_LENGTH(copy[next]);
  *payload = next + 1;
  if (UNLIKELY(*words == EVENTRING_LENGTH_LONG)) {
    *words = *payload < end ? (uint32_t) copy[*payload] : UINT32_MAX;
    ++*payload;
  }
  return !UNLIKELY(*payload > end || *words > end - *payload);
}

/* Leaves the block if what comes next in it is not an event.  After this the
   ring is drained, or what is next is an event. */
static void settle(const struct eventring_cursor *c, struct ring *r)
{
  uint32_t payload, words;
  if (r->next == r->end) return;
  if (EVENTRING_WORD_ID(r->copy[r->next]) == 0) {
    if (r->copy[r->next] != 0) r->damaged = 1;
    leave_block(c, r);
  } else if (!find_payload(r->copy, r->next, r->end, &payload, &words)) {
    r->damaged = 1;
    leave_block(c, r);
  }
}

/* Takes up a block whose header has just been copied.  Returns 0 when the
   header cannot be a writer's. */
static int begin_block(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];
  uint64_t events = r->copy[EVENTRING_BLOCK_EVENTS];
  uint64_t first = r->anew && events < r->skip ? r->skip : events;
  uint64_t who = r->copy[EVENTRING_BLOCK_WHO];
  uint64_t ticks = r->copy[EVENTRING_BLOCK_TICKS];
  uint64_t behind = r->block + c->header.block_words;
  int64_t ns;

  /* Every event is a word at least. */
  if (events > r->block) return 0;
  if (r->index_known && first > r->index) {
    r->lost_word = first - r->index;
    r->lost_pending = 1;
  } else if (r->index_known && first < r->index && !r->anew) {
    /* A block before has told more events than there were. */
    r->damaged = 1;
  }
  r->index = events;
  r->index_known = 1;
  r->anew = 0;
  r->domain = (uint32_t) who;
  r->thread = (uint32_t) (who >> 32);
  r->thread_id = -1;

  /* Measuring over twice the time halves the error. */
  if (c->own_clock && c->baseline != 0 && !c->piecewise
      && ticks - c->origin.ticks > 2 * c->baseline)
    calibrate(c);
  if (c->rate_is_new) check_rate(c);
  ns = to_ns(c, ticks);
  if (c->header.clock != EVENTRING_CLOCK_MONOTONIC && c->baseline != 0
      && is_far(ns, (int64_t) r->copy[EVENTRING_BLOCK_NS])) {
    ns = (int64_t) r->copy[EVENTRING_BLOCK_NS];
    draw_piece(c, (struct pair) { ticks, ns });
  }
  /* The line may have moved since the last block.  (Ticks that run backwards
     are of a damaged block: nothing is bent after it.) */
  if (ticks >= r->last_ticks && ns < r->last_ns && r->read > 0) ns = r->last_ns;
  r->ticks = ticks;
  r->ns = ns;
  r->ns_per_tick = c->ns_per_tick;
  r->latest_ns = INT64_MAX;
  if (c->piecewise && has_header(c, ring, behind)) {
    struct pair next = pair_of_block(c, ring, behind);
    if (next.ns >= ns && is_far(to_ns(c, next.ticks), next.ns))
      r->latest_ns = next.ns;
  }
  return 1;
}

static void copy_words(uint64_t *to, const uint64_t *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

int eventring_copy_block(struct eventring_cursor *c, uint32_t ring,
                         uint64_t *position, uint64_t *to)
{
  const struct eventring_slot *slot = slot_of(c, ring);
  const uint64_t lap = c->source->lap;
  const uint64_t block_words = c->header.block_words;
  uint64_t block = block_of(c, *position), first = *position - block;
  uint64_t tail = load_tail(c, ring), oldest = c->source->rings[ring].first;
  uint64_t end, reserve;

  if (tail <= *position) return 0;
  end = tail - block < block_words ? tail - block : block_words;
  if (block >= oldest)
    copy_words(to + first, words_at(c, ring, block + first), end - first);
  /* Acquire, paired with the release fence that the writer has between
     [reserve] and the words of a new block: if any of the words copied is of
     a later lap, the [reserve] that covers it must be seen after it. */
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  /* Acquire, paired with the release of [reserve]: who goes on at its oldest
     block must see the tail in there, or would take the slot for damaged. */
  reserve = __atomic_load_n(&slot->reserve, __ATOMIC_ACQUIRE);

  /* A tail is never seen without the [reserve] above it. */
  if (UNLIKELY(reserve < tail || reserve > MAX_POSITION
               || reserve % block_words != 0))
    return EVENTRING_E_DAMAGED;
  if (reserve > lap && oldest < reserve - lap) oldest = reserve - lap;
  if (block < oldest) *position = oldest;
  return (int) (end - first);
}

/* Copies what the ring has from [position] to the end of that block.
   Afterwards the ring has something to return (an event, a loss, or damage)
   or, for now, there is nothing.  The ring must be drained. */
static void fetch(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];

  for (int tries = 0; tries < MAX_OVERTAKEN; tries++) {
    uint64_t position = r->position;
    uint32_t first = (uint32_t) (position - block_of(c, position));
    int words = eventring_copy_block(c, ring, &position, r->copy);

    if (words <= 0) {
      /* With 0, [reserve], seen before, was over a lap ahead of this tail. */
      if ((words < 0 || tries > 0) && !r->slot_damaged)
        r->damaged = r->slot_damaged = 1;
      return;
    }
    r->slot_damaged = 0;
    if (position != r->position) {
      /* Overtaken.  The oldest whole block says how many events are gone. */
      r->position = position;
      continue;
    }
    /* The entries of the events just copied were published before them. */
    read_schema(c);

    r->block = position - first;
    r->position = position + (uint32_t) words;
    r->end = first + (uint32_t) words;
    r->next = first;
    if (first == 0) {
      /* No writer publishes a block without an event. */
      if (r->end <= EVENTRING_BLOCK_HEADER_WORDS || !begin_block(c, ring)) {
        r->damaged = 1;
        leave_block(c, r);
        return;
      }
      r->next = EVENTRING_BLOCK_HEADER_WORDS;
      settle(c, r);
      if (r->next == r->end) r->damaged = 1;
      return;
    }
    settle(c, r);
    if (r->next < r->end || r->damaged) return;
    /* Padding: there is a next block. */
  }
}

/* A duration in nanoseconds, in the measure of the block. */
static uint64_t duration_ns(const struct ring *r, uint64_t ticks)
{
  /* Beyond 2^53 a double has not all of the digits. */
  double ns = (double) ticks * r->ns_per_tick;
  if (ns >= 9.2e18) return INT64_MAX;
  return r->ns_per_tick == 1 ? ticks : (uint64_t) ns;
}

/* Unpacks the [words] words at [payload] of the copy, for an event of [id].
   Returns how many integers there are; they begin at unpacked[UNPACKED *
   payload].  What a number has beyond 64 bits is dropped, and so is one that
   does not end. */
static uint32_t unpack(const struct eventring_cursor *c, struct ring *r,
                       uint32_t id, uint32_t payload, uint32_t words)
{
  const struct layout *layout = &c->layouts[id];
  uint64_t *to = r->unpacked + (size_t) UNPACKED * payload;
  uint64_t number = 0;
  uint32_t n = 0, shift = 0;

  for (uint32_t i = 0; i < words; i++) {
    uint64_t word = r->copy[payload + i];
    for (int byte = 0; byte < 8; byte++, word >>= 8) {
      if (shift < 64) number |= (word & 0x7F) << shift;
      shift += 7;
      if ((word & 0x80) == 0) {
        to[n++] = number;
        number = 0;
        shift = 0;
      }
    }
  }
  if (layout->ticks != 0)
    for (uint32_t i = 0, place = 0; i < n && place < layout->places; i++) {
      if ((layout->ticks >> place & 1) != 0) to[i] = duration_ns(r, to[i]);
      if (++place == layout->places && layout->repeats != 0)
        place = layout->repeats - 1u;
    }
  return n;
}

/* Does with an event what [special] says of its id.  Its payload is still that
   of the copy, at [payload]. */
__attribute__((noinline))
static void decode_special(const struct eventring_cursor *c, struct ring *r,
                           struct eventring_event *e, uint32_t payload)
{
  e->words = unpack(c, r, e->id, payload, e->words);
  e->payload = r->unpacked + (size_t) UNPACKED * payload;
  if ((c->special[e->id] & THREAD_RUN) != 0 && e->words >= 2) {
    e->thread_id = r->thread_id =
      e->payload[0] > INT32_MAX ? -1 : (int32_t) e->payload[0];
    e->thread = r->thread = (uint32_t) e->payload[1];
  }
}

/* Returns events of the copy up to time [limit]. */
static int decode(struct eventring_cursor *c, uint32_t ring,
                  struct eventring_event *events, int max, uint64_t limit)
{
  struct ring *r = &c->rings[ring];
  const uint64_t *copy = r->copy;
  const uint64_t base = r->ticks;
  const int64_t base_ns = r->ns;
  const double ns_per_tick = r->ns_per_tick;
  const uint8_t *special = c->special;
  const uint32_t domain = r->domain, end = r->end;
  uint32_t next = r->next;
  struct eventring_event *e = events, *full = events + max, *first;

  if (UNLIKELY(r->lost_pending)) {
    if (base > limit) return 0;
    *e++ = (struct eventring_event) {
      .ns = base_ns, .ticks = base, .payload = &r->lost_word, .words = 1,
      .ring = ring, .domain = domain, .thread = r->thread, .thread_id = -1,
      .form = EVENTRING_EV_LOST };
    r->lost += r->lost_word;
    r->lost_pending = 0;
    r->batch = c->batch;
  }
  first = e;
  while (e < full && next < end) {
    uint64_t word = copy[next];
    uint64_t delta = EVENTRING_WORD_TICKS(word);
    uint32_t id = EVENTRING_WORD_ID(word);
    uint32_t words, payload;

    if (base + delta > limit) break;
    if (UNLIKELY(id == 0)) break;
    if (!find_payload(copy, next, end, &payload, &words)) break;
    *e++ = (struct eventring_event) {
      .ns = (int64_t) ((uint64_t) base_ns
                       + (uint64_t) (int64_t) ((double) (int64_t) delta
                                               * ns_per_tick)),
      .ticks = base + delta, .payload = copy + payload, .words = words,
      .ring = ring, .domain = domain, .thread = r->thread,
      .id = (uint16_t) id, .form = (uint8_t) EVENTRING_WORD_FORM(word),
      .thread_id = r->thread_id };
    next = payload + words;
    if (words > 0 && special[id] != 0) decode_special(c, r, &e[-1], payload);
  }
  r->next = next;
  if (UNLIKELY(r->latest_ns != INT64_MAX))
    for (struct eventring_event *late = first; late < e; late++)
      if (late->ns > r->latest_ns) late->ns = r->latest_ns;
  if (e > first) {
    r->index += (uint64_t) (e - first);
    r->read += (uint64_t) (e - first);
    r->batch = c->batch;
    r->last_ticks = e[-1].ticks;
    r->last_ns = e[-1].ns;
  }
  settle(c, r);
  return (int) (e - events);
}

/* Asks the source for more.  Returns 1 when there was, 0 or an error. */
static int advance(struct eventring_cursor *c)
{
  if (c->source->advance == NULL) return 0;
  for (uint32_t i = 0; i < c->header.rings; i++)
    c->source->rings[i].needed = c->rings[i].position;
  return c->source->advance(c->source);
}

int eventring_read_ring(struct eventring_cursor *c, uint32_t ring,
                        struct eventring_event *events, int max)
{
  struct ring *r;
  if (c == NULL || events == NULL || max < 0 || ring >= c->header.rings)
    return EVENTRING_E_ARGUMENT;
  if (max == 0) return 0;
  if (!c->source->live) return EVENTRING_E_ARGUMENT;
  r = &c->rings[ring];
  c->batch++;
  if (drained(r) && !r->damaged) {
    if (load_tail(c, ring) <= r->position) {
      int more = advance(c);
      if (more < 0) return more;
    }
    fetch(c, ring);
  }
  if (r->damaged) {
    r->damaged = 0;
    return EVENTRING_E_DAMAGED;
  }
  return decode(c, ring, events, max, UINT64_MAX);
}

/* Reading all rings in order of time */

static int before(struct waiting a, struct waiting b)
{
  return a.ticks < b.ticks || (a.ticks == b.ticks && a.ring < b.ring);
}

/* Moves the top of the heap to its place. */
static void sift_down(struct eventring_cursor *c)
{
  struct waiting *heap = c->heap;
  struct waiting moving = heap[0];
  uint32_t i = 0, child;
  while ((child = 2 * i + 1) < c->waiting) {
    if (child + 1 < c->waiting && before(heap[child + 1], heap[child]))
      child++;
    if (!before(heap[child], moving)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moving;
}

static void pop(struct eventring_cursor *c)
{
  c->waiting--;
  if (c->waiting > 0) {
    c->heap[0] = c->heap[c->waiting];
    sift_down(c);
  }
}

static void push(struct eventring_cursor *c, struct waiting w)
{
  struct waiting *heap = c->heap;
  uint32_t i = c->waiting++;
  while (i > 0 && before(w, heap[(i - 1) / 2])) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = w;
}

/* The time of what a ring returns next; 0, the front of the heap, for
   damage. */
static uint64_t next_ticks(const struct ring *r)
{
  if (UNLIKELY(r->damaged)) return 0;
  if (UNLIKELY(r->lost_pending)) return r->ticks;
  return r->ticks + EVENTRING_WORD_TICKS(r->copy[r->next]);
}

/* The time up to which the events of all rings can be seen. */
uint64_t eventring_horizon(struct eventring_cursor *c)
{
  uint64_t now, grace = (uint64_t) (GRACE_NS / c->ns_per_tick);
  if (c->source->advance != NULL) return c->source->horizon;
  if (!c->own_clock || c->gone
      || __atomic_load_n(&c->shared->state, __ATOMIC_RELAXED)
         != EVENTRING_RUNNING)
    return UINT64_MAX;
  now = clock_ticks(c->header.clock);
  /* A writer reads the clock some nanoseconds before it publishes. */
  for (int i = 0; i < 1000; i++)
    if (clock_ticks(c->header.clock) - now >= grace) break;
  return now;
}

static int later_first(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x < y) - (x > y);
}

/* Takes in the mark that was made as the [number]th.  Who made it may not have
   stored its time yet: then it was a moment ago. */
static void take_mark(struct eventring_cursor *c, uint64_t number)
{
  uint64_t place = number % EVENTRING_MARKS;
  uint64_t ticks = __atomic_load_n(&c->shared->marks[place], __ATOMIC_RELAXED);
  if (ticks <= c->marks[place]) {
    if (!c->own_clock) return;
    ticks = clock_ticks(c->header.clock);
  }
  c->marks[place] = c->changes[c->changes_left++] = ticks;
}

/* Takes in the changes from outside that are new. */
static void take_changes(struct eventring_cursor *c)
{
  uint64_t made = __atomic_load_n(&c->shared->marks_made, __ATOMIC_ACQUIRE);
  uint64_t first = c->marks_seen;
  if (made <= first) return;
  if (made - first > EVENTRING_MARKS - c->changes_left)
    first = made - (EVENTRING_MARKS - c->changes_left);
  for (; first < made; first++) take_mark(c, first);
  qsort(c->changes, c->changes_left, sizeof c->changes[0], later_first);
  c->marks_seen = made;
}

/* When the next one was; UINT64_MAX: there is none. */
static uint64_t next_change(const struct eventring_cursor *c)
{
  return c->changes_left == 0 ? UINT64_MAX : c->changes[c->changes_left - 1];
}

/* The source begins anew.  What was returned of a ring is known by the number
   of its events, and is not returned again. */
static void begin_anew(struct eventring_cursor *c)
{
  for (uint32_t i = 0; i < c->header.rings; i++) {
    const struct eventring_words *w = &c->source->rings[i];
    struct ring *r = &c->rings[i];
    r->next = r->end = 0;
    r->lost_pending = r->damaged = r->slot_damaged = 0;
    r->position = w->first;
    r->skip = r->index = r->returned;
    /* What lies between two cuts is not lost. */
    if (r->cut) r->index_known = 0;
    r->cut = 0;
    if (w->from != UINT64_MAX && w->from >= r->skip) {
      if (!r->index_known) r->index = w->from;
      r->index_known = 1;
      r->skip = w->from;
    }
    r->anew = 1;
  }
  c->baseline = 0;
  c->piecewise = 0;
  calibrate(c);
}

static int begin_pass(struct eventring_cursor *c)
{
  int more = advance(c);
  if (more < 0) return more;
  if (more == EVENTRING_ANEW) begin_anew(c);
  if (c->wants_changes) take_changes(c);
  c->horizon = eventring_horizon(c);
  c->waiting = 0;
  for (uint32_t i = 0; i < c->header.rings; i++) {
    struct ring *r = &c->rings[i];
    if (drained(r) && !r->damaged) {
      if (load_tail(c, i) <= r->position) continue;
      fetch(c, i);
      if (drained(r) && !r->damaged) continue;
    }
    push(c, (struct waiting) { next_ticks(r), i });
  }
  return more;
}

/* Nanoseconds are rounded, and measured anew, for each block: of two rings
   they may step back where ticks do not.  Keeps the [count] events of one ring
   that follow in the merged order in step with those before. */
static int in_step(struct eventring_cursor *c, struct eventring_event *events,
                   int count)
{
  for (int i = 0; i < count && events[i].ticks >= c->last_ticks
                  && events[i].ns < c->last_ns; i++)
    events[i].ns = c->last_ns;
  if (count > 0) {
    c->last_ticks = events[count - 1].ticks;
    c->last_ns = events[count - 1].ns;
  }
  return count;
}

/* Takes out what is not of the file, of the [count] events of ring [r] that
   were decoded last.  Returns how many are left. */
static int of_file(const struct eventring_cursor *c, struct ring *r,
                   struct eventring_event *events, int count)
{
  const struct eventring_source *s = c->source;
  const int all = s->from_ns == s->to_ns;
  uint64_t index = r->index - (uint64_t) count;
  int n = 0;
  if (all && index >= r->skip) {
    r->returned = r->index;
    return count;
  }
  if (count > 0 && events[0].form == EVENTRING_EV_LOST) index++;
  for (int i = 0; i < count; i++) {
    struct eventring_event *e = &events[i];
    int lost = e->form == EVENTRING_EV_LOST;
    int in_time = all || (e->ns >= s->from_ns && e->ns < s->to_ns);
    if (!lost) index++;
    if (in_time && (lost || index > r->skip)) {
      r->returned = index;
      events[n++] = *e;
    } else if (lost) {
      r->lost -= e->payload[0];
    } else {
      r->read--;
      if (!in_time) r->cut = 1;
    }
  }
  return n;
}

int eventring_read(struct eventring_cursor *c, struct eventring_event *events,
                   int max)
{
  int n = 0, more = 1;

  if (c == NULL || events == NULL || max < 0) return EVENTRING_E_ARGUMENT;
  c->batch++;
  while (n < max) {
    struct waiting *top = &c->heap[0];
    struct ring *r;
    uint64_t limit = c->horizon;
    uint64_t change = next_change(c);

    if (UNLIKELY(change != UINT64_MAX) && change <= c->horizon) {
      if (c->waiting == 0 || change <= top->ticks) {
        events[n++] = (struct eventring_event) {
          .ns = to_ns(c, change), .ticks = change, .thread_id = -1,
          .form = EVENTRING_EV_CHANGED };
        c->changes_left--;
        continue;
      }
      limit = change - 1;
    }
    if (c->waiting == 0 || top->ticks > c->horizon) {
      if (n > 0) break;
      if (more) {
        more = begin_pass(c);
        if (more < 0) return more;
        continue;
      }
      /* An event of more than a second from now is damaged, or our clock is
         not the writer's: waiting for it would be waiting for ever. */
      if (c->waiting == 0
          || top->ticks - c->horizon < (uint64_t) (1e9 / c->ns_per_tick))
        break;
      limit = top->ticks;
    }
    r = &c->rings[top->ring];
    if (UNLIKELY(r->damaged)) {
      if (n > 0) break;
      r->damaged = 0;
      if (!drained(r)) {
        top->ticks = next_ticks(r);
        sift_down(c);
      }
      return EVENTRING_E_DAMAGED;
    }
    if (drained(r)) {
      if (load_tail(c, top->ring) <= r->position) {
        pop(c);
        continue;
      }
      if (r->batch == c->batch && n > 0) break;
      fetch(c, top->ring);
      if (drained(r) && !r->damaged) {
        pop(c);
      } else {
        top->ticks = next_ticks(r);
        sift_down(c);
      }
      continue;
    }
    /* As far as this ring is the first. */
    for (uint32_t i = 1; i <= 2 && i < c->waiting; i++) {
      const struct waiting *w = &c->heap[i];
      uint64_t last = w->ticks - (w->ring < top->ring && w->ticks > 0);
      if (last < limit) limit = last;
    }
    n += of_file(c, r, events + n,
                 in_step(c, events + n,
                         decode(c, top->ring, events + n, max - n, limit)));
    if (!drained(r) || r->damaged) {
      top->ticks = next_ticks(r);
      sift_down(c);
    }
  }
  return n;
}

uint64_t eventring_events_read(const struct eventring_cursor *c, uint32_t ring)
{
  return c == NULL || ring >= c->header.rings ? 0 : c->rings[ring].read;
}

uint64_t eventring_events_lost(const struct eventring_cursor *c, uint32_t ring)
{
  return c == NULL || ring >= c->header.rings ? 0 : c->rings[ring].lost;
}

const char *eventring_event_bytes(const struct eventring_event *event,
                                  size_t *length)
{
  uint64_t bytes;
  if (event == NULL || event->words == 0 || event->form != EVENTRING_EV_INSTANT)
    return NULL;
  bytes = event->payload[0];
  if (bytes > (uint64_t) (event->words - 1) * 8
      || (bytes + 7) / 8 != event->words - 1)
    return NULL;
  if (length != NULL) *length = (size_t) bytes;
  return (const char *) (event->payload + 1);
}

/* The position of a cursor that wants nothing of before now: behind the last
   event, having read the block of that event for its index and its domain. */
static void skip_to_now(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];
  struct eventring_event skipped[32];

  for (int tries = 0; tries < MAX_OVERTAKEN; tries++) {
    uint64_t tail = load_tail(c, ring);
    if (tail == 0) return;
    r->position = block_of(c, tail - 1);
    r->index_known = 0;
    fetch(c, ring);
    if (r->position >= tail || r->damaged) break;
  }
  while (!drained(r) && !r->damaged)
    decode(c, ring, skipped, 32, UINT64_MAX);
  r->read = 0;
  r->batch = 0;
}

int eventring_seek(struct eventring_cursor *c, int64_t ns)
{
  int err;
  if (c == NULL || c->source->seek == NULL) return EVENTRING_E_ARGUMENT;
  /* A millisecond is more than any clock is measured wrong. */
  if (ns >= INT64_MIN + 1000000) ns -= 1000000;
  err = c->source->seek(c->source, eventring_ticks_of(c, ns));
  if (err < 0) return err;
  for (uint32_t i = 0; i < c->header.rings; i++) {
    struct ring *r = &c->rings[i];
    r->next = r->end = 0;
    r->position = c->source->rings[i].first;
    r->index_known = r->lost_pending = r->damaged = r->slot_damaged = 0;
    r->read = r->lost = r->index = r->returned = r->skip = 0;
    r->cut = 0;
    r->last_ticks = 0;
  }
  c->waiting = 0;
  c->horizon = 0;
  c->last_ticks = 0;
  c->last_ns = INT64_MIN;
  return 0;
}

/* The schema, as it is asked for */

const struct eventring_description *eventring_describe(
  struct eventring_cursor *c, uint32_t id)
{
  if (c == NULL || id >= MAX_IDS) return NULL;
  if (c->by_id[id] == 0) read_schema(c);
  return c->by_id[id] == 0 ? NULL : &c->schema[c->by_id[id] - 1];
}

int eventring_find(struct eventring_cursor *c, const char *name)
{
  if (c == NULL || name == NULL) return -1;
  read_schema(c);
  for (uint32_t i = 0; i < c->schema_size; i++)
    if (strcmp(c->schema[i].name, name) == 0) return c->schema[i].id;
  return -1;
}

const struct eventring_field *eventring_field(struct eventring_cursor *c,
                                              uint32_t id, uint32_t word)
{
  const struct layout *layout;
  uint32_t i;
  if (c == NULL || id >= MAX_IDS) return NULL;
  read_schema(c);
  if ((c->special[id] & PACKED) == 0) return NULL;
  layout = &c->layouts[id];
  if (word >= layout->places && layout->repeats != 0) {
    uint32_t first = layout->repeats - 1u;
    word = first + (word - first) % (layout->places - first);
  }
  i = find_field(c, layout, word);
  return i == 0 ? NULL : &c->fields[i - 1].is;
}

const char *eventring_value(struct eventring_cursor *c, const char *unit,
                            uint64_t value)
{
  const struct unit *u;
  if (c == NULL || unit == NULL || value >= MAX_VALUES) return NULL;
  read_schema(c);
  u = find_unit(c, unit);
  return u == NULL || u->names[value][0] == 0 ? NULL : u->names[value];
}

static uint16_t label_name(struct eventring_cursor *c, uint32_t domain,
                           uint32_t thread, uint64_t thread_id)
{
  uint16_t l = *label_at(c, domain, thread, thread_id);
  return l == 0 ? 0 : c->labels->of[l - 1].name;
}

/* The newest label of a thread, or of a domain with a thread of 0.  Of two
   threads with one OS id, one after the other, [thread_id] tells them apart
   where it is known: it is 1 + the id, or ANY_THREAD_ID. */
static const char *find_label(struct eventring_cursor *c, uint32_t domain,
                              uint32_t thread, uint64_t thread_id)
{
  uint16_t name, other;
  read_schema(c);
  name = label_name(c, domain, thread, thread_id);
  if (thread_id != ANY_THREAD_ID) {
    other = label_name(c, domain, thread, 0);
    if (other > name) name = other;
  }
  return name == 0 || c->labels->names[name - 1][0] == 0
         ? NULL : c->labels->names[name - 1];
}

const char *eventring_domain_name(struct eventring_cursor *c, uint32_t domain)
{
  return c == NULL ? NULL : find_label(c, domain, 0, ANY_THREAD_ID);
}

const char *eventring_thread_name(struct eventring_cursor *c, uint32_t domain,
                                  uint32_t thread, int32_t thread_id)
{
  if (c == NULL || thread == 0) return NULL;
  return find_label(c, domain, thread,
                    thread_id < 0 ? ANY_THREAD_ID : (uint64_t) thread_id + 1);
}

const char *eventring_category(struct eventring_cursor *c, uint32_t bit)
{
  if (c == NULL || bit >= MAX_CATEGORIES) return NULL;
  read_schema(c);
  return c->categories[bit][0] == 0 ? NULL : c->categories[bit];
}

/* The process, as /proc tells it.  Where there is no /proc, less is known. */

/* Reads a small file of /proc.  Returns its length, 0 when there is none. */
static size_t read_small(const char *path, char *buffer, size_t size)
{
  size_t have = 0;
  ssize_t n = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return 0;
  while (have < size - 1
         && ((n = read(fd, buffer + have, size - 1 - have)) > 0
             || (n < 0 && errno == EINTR)))
    if (n > 0) have += (size_t) n;
  close(fd);
  buffer[have] = 0;
  return have;
}

static enum boot compare_boot(const struct eventring_header *h)
{
  char ours[sizeof h->boot_id];
  if (read_small("/proc/sys/kernel/random/boot_id", ours, sizeof ours) == 0
      || h->boot_id[0] == 0)
    return BOOT_UNKNOWN;
  ours[strcspn(ours, "\n")] = 0;
  return strcmp(ours, h->boot_id) == 0 ? BOOT_SAME : BOOT_OTHER;
}

int eventring_process_fields(int pid, uint64_t *start_time,
                             uint64_t *start_stack)
{
  char path[64], stat[2048], *field;

  *start_time = *start_stack = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  /* Field 2, the name, may hold blanks and parentheses. */
  if (read_small(path, stat, sizeof stat) == 0
      || (field = strrchr(stat, ')')) == NULL || field[1] == 0)
    return !(kill(pid, 0) < 0 && errno == ESRCH);
  field += 2;
  if (*field == 'Z' || *field == 'X' || *field == 'x') return 0;
  for (int number = 3; number <= 28; number++) {
    if (number == 22) *start_time = strtoull(field, NULL, 10);
    if (number == 28) *start_stack = strtoull(field, NULL, 10);
    field += strcspn(field, " ");
    if (*field == ' ') field++;
  }
  return 1;
}

/* What is left of the process that wrote the file. */
static int process_state(const struct eventring_cursor *c)
{
  uint64_t start_time, start_stack;

  if (c->boot == BOOT_OTHER) return EVENTRING_STATE_KILLED;
  /* The process has the file mapped for writing while it lives. */
  if (c->elsewhere)
    return eventring_has_writer(c->path, &c->file) ? EVENTRING_STATE_RUNNING
                                                   : EVENTRING_STATE_KILLED;
  if (!eventring_process_fields(c->pid, &start_time, &start_stack))
    return EVENTRING_STATE_KILLED;
  /* Times of the two namespaces have nothing to do with each other. */
  if (c->other_time) {
    if (!eventring_has_writer(c->path, &c->file)) return EVENTRING_STATE_KILLED;
  } else if (c->header.start_time != 0 && start_time != 0
             && start_time != c->header.start_time) {
    return EVENTRING_STATE_KILLED;
  }
  /* Read as 0 by those who may not know it. */
  if (c->header.start_stack != 0 && start_stack > 1
      && start_stack != c->header.start_stack)
    return EVENTRING_STATE_REPLACED;
  return EVENTRING_STATE_RUNNING;
}

int eventring_state(struct eventring_cursor *c)
{
  int state;
  if (c == NULL) return EVENTRING_E_ARGUMENT;
  if (!c->source->live) return c->source->state;
  switch (__atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE)) {
  case EVENTRING_ENDED: return EVENTRING_STATE_ENDED;
  case EVENTRING_REPLACED: return EVENTRING_STATE_REPLACED;
  default:
    state = process_state(c);
    if (state == EVENTRING_STATE_RUNNING) return state;
    c->gone = 1;
    /* It may have ended in order while we asked. */
    switch (__atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE)) {
    case EVENTRING_ENDED: return EVENTRING_STATE_ENDED;
    case EVENTRING_REPLACED: return EVENTRING_STATE_REPLACED;
    default: return state;
    }
  }
}

int eventring_get_info(struct eventring_cursor *c, struct eventring_info *info)
{
  struct eventring_info mine;
  uint64_t control;

  if (c == NULL || info == NULL || info->size < sizeof info->size)
    return EVENTRING_E_ARGUMENT;
  control = __atomic_load_n(&c->shared->control, __ATOMIC_RELAXED);
  memset(&mine, 0, sizeof mine);
  mine.size = info->size;
  mine.pid = (uint32_t) c->pid;
  mine.parent_pid = c->header.parent_pid;
  mine.rings = c->header.rings;
  mine.block_words = c->header.block_words;
  mine.ring_words = c->header.ring_words;
  mine.active = (uint32_t) control;
  mine.resume = (uint32_t) (control >> 32);
  mine.started_ns = c->header.started.monotonic_ns;
  mine.started_realtime_ns = c->header.started.realtime_ns;
  mine.version_major = c->header.version_major;
  mine.version_minor = c->header.version_minor;
  mine.same_boot = c->boot != BOOT_OTHER && !c->other_time;
  mine.clock = (uint8_t) c->header.clock;
  mine.ticks_per_ns = 1 / c->ns_per_tick;
  memcpy(mine.program, c->header.program, sizeof mine.program);
  memcpy(mine.runtime, c->header.runtime, sizeof mine.runtime);
  memcpy(mine.argv0, c->header.argv0, sizeof mine.argv0);
  mine.format = (uint8_t) c->source->format;
  mine.lost_is_bound = (uint8_t) c->source->lost_is_bound;
  mine.parts = c->source->parts;
  mine.first_ns = c->source->first_ns;
  mine.last_ns = c->source->last_ns;
  mine.damaged_at = c->source->damaged_at;
  mine.recorded_events = c->source->events;
  mine.recorded_lost = c->source->lost;
  mine.pid_namespace = c->header.pid_namespace;
  mine.pid_is_elsewhere = (uint8_t) c->elsewhere;
  if (info->size > sizeof mine)
    memset((char *) info + sizeof mine, 0, info->size - sizeof mine);
  memcpy(info, &mine, info->size < sizeof mine ? info->size : sizeof mine);
  return 0;
}

const char *eventring_note(struct eventring_cursor *c)
{
  return c == NULL ? NULL : c->source->note;
}

const char *eventring_path(const struct eventring_cursor *c)
{
  return c == NULL ? NULL : c->path;
}

/* Control.  One word holds both masks, so that whoever changes it, the
   program included, changes them together. */

static uint64_t masks(uint32_t resume, uint32_t active)
{
  return (uint64_t) resume << 32 | active;
}

static uint64_t paused(uint64_t control)
{
  return (uint32_t) control == 0 ? control : masks((uint32_t) control, 0);
}

static uint64_t resumed(uint64_t control)
{
  uint32_t resume = (uint32_t) (control >> 32);
  return (uint32_t) control != 0 ? control : masks(resume, resume);
}

/* Says that [control] is changed now. */
static void mark_change(struct eventring_cursor *c)
{
  struct eventring_header *h = c->writable;
  uint64_t mark;
  if (c->header.header_size < MARKS_SIZE || !c->own_clock) return;
  mark = __atomic_fetch_add(&h->marks_made, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&h->marks[mark % EVENTRING_MARKS],
                   clock_ticks(c->header.clock), __ATOMIC_RELEASE);
}

/* What a change makes of the word [old]. */
typedef uint64_t change(uint64_t old, uint32_t mask);

static uint64_t to_paused(uint64_t old, uint32_t mask)
{
  (void) mask;
  return paused(old);
}

static uint64_t to_resumed(uint64_t old, uint32_t mask)
{
  (void) mask;
  return resumed(old);
}

static uint64_t to_categories(uint64_t old, uint32_t mask)
{
  return masks(mask, (uint32_t) old ? mask : 0);
}

static int control(struct eventring_cursor *c, change *change, uint32_t mask)
{
  uint64_t old;
  if (c == NULL || c->writable == NULL) return EVENTRING_E_ARGUMENT;
  /* No order: the mask says nothing of any other memory. */
  old = __atomic_load_n(&c->writable->control, __ATOMIC_RELAXED);
  if (change(old, mask) == old) return 0;
  mark_change(c);
  while (!__atomic_compare_exchange_n(&c->writable->control, &old,
                                      change(old, mask), 1,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  mark_change(c);
  return 0;
}

int eventring_pause(struct eventring_cursor *c)
{
  return control(c, to_paused, 0);
}

int eventring_resume(struct eventring_cursor *c)
{
  return control(c, to_resumed, 0);
}

int eventring_set_categories(struct eventring_cursor *c, uint32_t mask)
{
  /* No category at all is eventring_pause, which can be taken back. */
  return mask == 0 ? EVENTRING_E_ARGUMENT : control(c, to_categories, mask);
}

/* Opening */

/* Reads the start of the file into [h].  Reading, not mapping: a file that is
   shorter than it should be must not be a SIGBUS.  Returns the bytes read. */
static ssize_t read_header(int fd, struct eventring_header *h)
{
  size_t have = 0;
  ssize_t n;
  memset(h, 0, sizeof *h);
  while (have < sizeof *h) {
    n = pread(fd, (char *) h + have, sizeof *h - have, (off_t) have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += (size_t) n;
  }
  return (ssize_t) have;
}

/* What can be told from the first bytes: that this is a ring file, and one of
   a version that we can read. */
static int check_magic(const struct eventring_header *h, size_t have,
                       const struct eventring_options *o, const char *path)
{
  size_t magic = have < EVENTRING_MAGIC_SIZE ? have : EVENTRING_MAGIC_SIZE;
  if (have == 0 || h->magic[0] == 0)
    return fail(o, EVENTRING_E_NOT_A_RING,
                "%s: not a ring file: %s; if the program is just starting, "
                "try again", path,
                have == 0 ? "it is empty" : "it begins with zeros");
  if (memcmp(h->magic, EVENTRING_MAGIC, magic) != 0)
    return fail(o, EVENTRING_E_NOT_A_RING,
                "%s: not a ring file: it does not begin with \"OCaml "
                "Eventring\"; ring files are named <pid>%s", path,
                EVENTRING_SUFFIX);
  if (have < offsetof(struct eventring_header, header_size))
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %zu bytes, and the header alone has %zu; copy "
                "the file again", path, have, HEADER_SIZE);
  if (h->version_major == (EVENTRING_VERSION_MAJOR << 8))
    return fail(o, EVENTRING_E_VERSION,
                "%s: written by a machine of the other byte order; read it "
                "on one like that", path);
  if (h->version_major != EVENTRING_VERSION_MAJOR)
    return fail(o, EVENTRING_E_VERSION,
                "%s: format version %u.%u, and this reader knows %u.x; use "
                "the one that belongs to the program's compiler", path,
                h->version_major, h->version_minor, EVENTRING_VERSION_MAJOR);
  if (have < HEADER_SIZE)
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %zu bytes, and the header alone has %zu; copy "
                "the file again", path, have, HEADER_SIZE);
  return 0;
}

/* A section begins on a word, not before [*end], and ends in the file.  Moves
   *end to its end. */
static int check_section(const char *name, uint64_t offset, uint64_t size,
                         uint64_t *end, uint64_t file_size,
                         const struct eventring_options *o, const char *path)
{
  if (offset % 8 != 0)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: the %s at offset %llu is not aligned to 8 "
                "bytes", path, name, (unsigned long long) offset);
  if (offset < *end)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: the %s at offset %llu, before the end of "
                "what precedes it at %llu", path, name,
                (unsigned long long) offset, (unsigned long long) *end);
  if (offset > file_size || size > file_size - offset)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: the %s at offset %llu with %llu bytes, in "
                "a file of %llu", path, name, (unsigned long long) offset,
                (unsigned long long) size, (unsigned long long) file_size);
  *end = offset + size;
  return 0;
}

/* A number of the header is in a range. */
static int check_range(const char *name, uint64_t value, uint64_t low,
                       uint64_t high, const struct eventring_options *o,
                       const char *path)
{
  if (value >= low && value <= high) return 0;
  return fail(o, EVENTRING_E_HEADER,
              "%s: damaged header: %s is %llu, and must be from %llu to %llu",
              path, name, (unsigned long long) value, (unsigned long long) low,
              (unsigned long long) high);
}

/* Of those the number of the process is not always known. */
static int is_of_stock(const struct eventring_header *h)
{
  return memcmp(h->magic, STOCK_MAGIC, sizeof h->magic) == 0;
}

/* Everything that the rest of this file takes for granted.  Products of a
   count and a size cannot overflow: both are limited first. */
int eventring_check_header(const struct eventring_header *h,
                           uint64_t actual_size,
                           const struct eventring_options *o, const char *path)
{
  uint64_t end = h->header_size;
  int err;

  if ((err = check_range("header size", h->header_size, HEADER_SIZE,
                         h->file_size, o, path)) < 0
      || (err = check_range("schema entry size", h->schema_entry_size,
                            sizeof(struct eventring_schema_entry), 65536, o,
                            path)) < 0
      || (err = check_range("schema capacity", h->schema_capacity, 1,
                            MAX_SCHEMA_CAPACITY, o, path)) < 0
      || (err = check_range("schema count", h->schema_count, 0,
                            h->schema_capacity, o, path)) < 0
      || (err = check_range("slot size", h->slot_size,
                            offsetof(struct eventring_slot, reserved), 65536,
                            o, path)) < 0
      || (err = check_range("number of rings", h->rings, 1,
                            EVENTRING_MAX_RINGS, o, path)) < 0
      || (err = check_range("words in a ring", h->ring_words,
                            (uint64_t) 1 << EVENTRING_MIN_LOG_WORDS,
                            (uint64_t) 1 << EVENTRING_MAX_LOG_WORDS, o,
                            path)) < 0
      || (err = check_range("words in a block", h->block_words,
                            EVENTRING_MIN_BLOCK_WORDS,
                            EVENTRING_MAX_BLOCK_WORDS, o, path)) < 0
      || (err = check_range("clock", h->clock, EVENTRING_CLOCK_MONOTONIC,
                            EVENTRING_CLOCK_CNTVCT, o, path)) < 0
      || (err = check_range("state", h->state, EVENTRING_RUNNING,
                            EVENTRING_REPLACED, o, path)) < 0
      || (err = check_range("pid", h->pid, !is_of_stock(h), INT_MAX, o,
                            path)) < 0)
    return err;
  if (h->schema_entry_size % 8 != 0 || h->slot_size % 8 != 0)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: schema entries of %u bytes and slots of "
                "%u, which must be multiples of 8", path, h->schema_entry_size,
                h->slot_size);
  if ((h->ring_words & (h->ring_words - 1)) != 0
      || (h->block_words & (h->block_words - 1)) != 0)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: %llu words in a ring and %u in a block, "
                "which must be powers of two", path,
                (unsigned long long) h->ring_words, h->block_words);
  if (h->ring_words < 2 * (uint64_t) h->block_words)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: %llu words in a ring are not two blocks "
                "of %u", path, (unsigned long long) h->ring_words,
                h->block_words);
  if ((err = check_section("schema", h->schema_offset,
                           (uint64_t) h->schema_entry_size
                           * h->schema_capacity,
                           &end, h->file_size, o, path)) < 0
      || (err = check_section("directory", h->directory_offset,
                              (uint64_t) h->slot_size * h->rings,
                              &end, h->file_size, o, path)) < 0
      || (err = check_section("rings", h->rings_offset,
                              h->ring_words * 8 * h->rings,
                              &end, h->file_size, o, path)) < 0)
    return err;
  if (h->file_size > actual_size)
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %llu bytes, and the header says %llu; copy the "
                "file again", path, (unsigned long long) actual_size,
                (unsigned long long) h->file_size);
  if (h->file_size > SIZE_MAX)
    return fail(o, EVENTRING_E_SYSTEM,
                "%s: %llu bytes are more than this machine can map", path,
                (unsigned long long) h->file_size);
  return 0;
}

static int system_error(int error)
{
  switch (error) {
  case ENOENT: case ENOTDIR: return EVENTRING_E_NOT_FOUND;
  case EACCES: case EPERM: case EROFS: return EVENTRING_E_PERMISSION;
  case EISDIR: return EVENTRING_E_NOT_A_RING;
  case ENOMEM: return EVENTRING_E_MEMORY;
  default: return EVENTRING_E_SYSTEM;
  }
}

/* Allocates all that the cursor will ever need.  The largest arrays have no
   pages until they are used. */
static int allocate(struct eventring_cursor *c)
{
  const struct eventring_header *h = &c->header;
  c->rings = calloc(h->rings, sizeof *c->rings);
  c->heap = calloc(h->rings, sizeof *c->heap);
  /* Not calloc, which clears memory that was used before: that would be most
     of the work for a recording of many processes with many rings. */
  c->copies = reallocarray(NULL, h->rings, (size_t) h->block_words * 8);
  c->unpacked = reallocarray(NULL, h->rings,
                             (size_t) h->block_words * UNPACKED * 8);
  c->schema = calloc(h->schema_capacity, sizeof *c->schema);
  c->by_id = calloc(MAX_IDS, sizeof *c->by_id);
  c->special = calloc(MAX_IDS, sizeof *c->special);
  c->layouts = calloc(MAX_IDS, sizeof *c->layouts);
  c->fields = calloc(h->schema_capacity, sizeof *c->fields);
  c->units = calloc(MAX_UNITS, sizeof *c->units);
  c->labels = calloc(1, sizeof *c->labels);
  if (c->rings == NULL || c->heap == NULL || c->copies == NULL
      || c->unpacked == NULL || c->schema == NULL || c->by_id == NULL
      || c->special == NULL || c->layouts == NULL || c->fields == NULL
      || c->units == NULL || c->labels == NULL)
    return EVENTRING_E_MEMORY;
  for (uint32_t i = 0; i < h->rings; i++) {
    c->rings[i].copy = c->copies + (size_t) i * h->block_words;
    c->rings[i].unpacked =
      c->unpacked + (size_t) i * h->block_words * UNPACKED;
    /* What was before a recording is not lost by reading it. */
    c->rings[i].index_known = (uint8_t) c->source->live;
  }
  return 0;
}

/* Where the runtime is there, see runtime/eventring_fault.c. */
extern int caml_eventring_guard_reading(char *base, size_t size)
  __attribute__((weak));
extern void caml_eventring_unguard_reading(char *base) __attribute__((weak));

/* A mapped ring file. */
struct ring_file {
  struct eventring_source source;
  void *map;
  size_t size;
  struct eventring_words rings[];
};

static void close_ring_file(struct eventring_source *source)
{
  struct ring_file *f = (struct ring_file *) source;
  if (f->map != MAP_FAILED) {
    if (caml_eventring_unguard_reading) caml_eventring_unguard_reading(f->map);
    munmap(f->map, f->size);
  }
  free(f);
}

/* Makes a source of the open ring file [fd] of [size] bytes. */
static int open_ring_file(int fd, uint64_t size, const char *path,
                          const struct eventring_options *o,
                          struct eventring_source **result)
{
  struct eventring_header h;
  struct ring_file *f;
  const char *bytes;
  void *map;
  const uint64_t *words;
  ssize_t have = read_header(fd, &h);
  int err;

  if (have < 0)
    return fail(o, EVENTRING_E_SYSTEM, "cannot read %s: %s", path,
                strerror(errno));
  err = check_magic(&h, (size_t) have, o, path);
  if (err < 0) return err;
  err = eventring_check_header(&h, size, o, path);
  if (err < 0) return err;
  f = malloc(sizeof *f + h.rings * sizeof f->rings[0]);
  if (f == NULL)
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  f->size = (size_t) h.file_size;
  map = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) {
    err = fail(o, system_error(errno), "cannot map the %llu bytes of %s: %s",
               (unsigned long long) h.file_size, path, strerror(errno));
    free(f);
    return err;
  }
  f->map = map;
  bytes = map;
  f->source = (struct eventring_source) {
    .checked = h, .header = f->map, .lap = h.ring_words,
    .schema = bytes + h.schema_offset,
    .directory = bytes + h.directory_offset,
    .rings = f->rings, .live = 1, .parts = 1, .close = close_ring_file };
  if (caml_eventring_guard_reading) {
    err = caml_eventring_guard_reading(f->map, f->size);
    if (err != 0) {
      err = fail(o, system_error(err), "cannot guard the mapping of %s: %s",
                 path, strerror(err));
      close_ring_file(&f->source);
      return err;
    }
  }
  words = (const uint64_t *) (bytes + h.rings_offset);
  for (uint32_t i = 0; i < h.rings; i++)
    f->rings[i] = (struct eventring_words) {
      .words = words + i * h.ring_words, .mask = h.ring_words - 1 };
  *result = &f->source;
  return 0;
}

/* Finds our number for the process that wrote the file. */
static void find_process(struct eventring_cursor *c, int pid)
{
  uint64_t namespace = c->header.pid_namespace;
  c->pid = pid != 0 ? pid : (int) c->header.pid;
  if (pid != 0 || namespace == 0 || !c->source->live
      || namespace == eventring_pid_namespace(0))
    return;
  pid = eventring_pid_of(namespace, c->header.pid);
  if (pid > 0) c->pid = pid;
  else c->elsewhere = 1;
}

int eventring_open_path(const char *path, int pid,
                        const struct eventring_options *o,
                        struct eventring_cursor **result)
{
  const struct eventring_format *const *format = eventring_formats;
  struct eventring_cursor *c = NULL;
  char start[64];
  struct stat st;
  ssize_t have;
  void *map;
  int err, fd;

  /* Never waiting for the other side of a FIFO, never becoming the owner of a
     terminal. */
  fd = open(path, (o->control ? O_RDWR : O_RDONLY)
                  | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    const char *control = o->control ? " for control" : "", *why;
    char owner[128];
    err = system_error(errno);
    why = strerror(errno);
    if (err == EVENTRING_E_PERMISSION && geteuid() != 0
        && stat(path, &st) == 0 && st.st_uid != geteuid())
      fail(o, err, "cannot open %s%s: %s; it belongs to %s: run this as that "
           "user or as root", path, control, why,
           eventring_user(st.st_uid, owner, sizeof owner));
    else
      fail(o, err, "cannot open %s%s: %s", path, control, why);
    goto err_out;
  }
  if (fstat(fd, &st) < 0) {
    err = fail(o, EVENTRING_E_SYSTEM, "cannot look at %s: %s", path,
               strerror(errno));
    goto err_out;
  }
  if (!S_ISREG(st.st_mode)) {
    err = fail(o, EVENTRING_E_NOT_A_RING, "%s: %s, not a ring file", path,
               S_ISDIR(st.st_mode) ? "a directory" : "a special file");
    goto err_out;
  }
  c = calloc(1, sizeof *c);
  if (c != NULL) c->path = strdup(path);
  if (c == NULL || c->path == NULL) {
    err = fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
    goto err_out;
  }
  have = pread(fd, start, sizeof start, 0);
  while (*format != NULL && (have < 0 || !(*format)->is(start, (size_t) have)))
    format++;
  if (*format == NULL) {
    err = open_ring_file(fd, (uint64_t) st.st_size, path, o, &c->source);
  } else if (o->control) {
    err = fail(o, EVENTRING_E_ARGUMENT, "%s: %s", path, (*format)->no_control);
  } else {
    err = (*format)->open(fd, (uint64_t) st.st_size, path, pid, o, &c->source);
  }
  /* There is a source exactly when there was no error. */
  if (c->source == NULL) goto err_out;
  c->shared = c->source->header;
  c->header = c->source->checked;
  c->header.boot_id[sizeof c->header.boot_id - 1] = 0;
  c->header.program[sizeof c->header.program - 1] = 0;
  c->header.runtime[sizeof c->header.runtime - 1] = 0;
  c->header.argv0[sizeof c->header.argv0 - 1] = 0;
  if (c->header.header_size < ARGV0_SIZE) c->header.argv0[0] = 0;
  if (c->header.header_size < PID_NAMESPACE_SIZE) c->header.pid_namespace = 0;
  if (c->header.header_size < TIME_NAMESPACE_SIZE) c->header.time_namespace = 0;
  c->wants_changes = o->changes && c->header.header_size >= MARKS_SIZE;
  if (o->control) {
    map = mmap(NULL, sizeof(struct eventring_header), PROT_READ | PROT_WRITE,
               MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
      err = fail(o, system_error(errno), "cannot map %s for control: %s", path,
                 strerror(errno));
      goto err_out;
    }
    c->writable = map;
  }
  if (allocate(c) < 0) {
    err = fail(o, EVENTRING_E_MEMORY,
               "%s: no memory to read %u rings of it", path, c->header.rings);
    goto err_out;
  }

  c->file = st;
  find_process(c, pid);
  c->boot = compare_boot(&c->header);
  c->last_ns = INT64_MIN;
  memcpy(&c->seed, (const void *) getauxval(AT_RANDOM), sizeof c->seed);
  c->seed |= 1;
  c->other_time = c->header.time_namespace != 0
                  && eventring_time_namespace() != 0
                  && eventring_time_namespace() != c->header.time_namespace;
  c->own_clock = c->source->live && c->boot != BOOT_OTHER
                 && !(c->other_time
                      && c->header.clock == EVENTRING_CLOCK_MONOTONIC)
                 && clock_ticks(c->header.clock) != 0;
  c->ns_per_tick = 1;
  calibrate(c);
  eventring_state(c);
  if (o->from_now) {
    /* Damage is of before now, and skipped as all that. */
    err = advance(c);
    if (err < 0 && err != EVENTRING_E_DAMAGED) {
      fail(o, err, "cannot read %s: %s", path, eventring_strerror(err));
      goto err_out;
    }
    for (uint32_t i = 0; i < c->header.rings; i++) skip_to_now(c, i);
  }
  close(fd);
  *result = c;
  return 0;

err_out:
  if (fd >= 0) close(fd);
  eventring_close(c);
  return err;
}

struct eventring_source *eventring_cursor_source(struct eventring_cursor *c)
{
  return c->source;
}

uint64_t eventring_position(const struct eventring_cursor *c, uint32_t ring,
                            uint64_t *index)
{
  const struct ring *r = &c->rings[ring];
  *index = r->position > 0 && r->index_known ? r->index
           : load_tail(c, ring) == 0 ? 0 : UINT64_MAX;
  return drained(r) ? block_of(c, r->position) : r->block;
}

uint64_t eventring_tail(const struct eventring_cursor *c, uint32_t ring)
{
  return load_tail(c, ring);
}

struct eventring_instant eventring_cursor_instant(
  const struct eventring_cursor *c)
{
  struct eventring_instant at = { 0, 0, 0 };
  if (c->own_clock && !c->other_time) return eventring_now(c->header.clock);
  if (c->baseline == 0) return at;
  at.ticks = c->own_clock ? clock_ticks(c->header.clock)
                          : c->origin.ticks + c->baseline;
  at.monotonic_ns = to_ns(c, at.ticks);
  at.realtime_ns = eventring_shifted(c->header.started.realtime_ns,
                                     c->header.started.monotonic_ns,
                                     at.monotonic_ns);
  return at;
}

int64_t eventring_cursor_now(const struct eventring_cursor *c)
{
  return c->other_time ? eventring_cursor_instant(c).monotonic_ns
                       : eventring_clock_ns(CLOCK_MONOTONIC);
}

void eventring_close(struct eventring_cursor *c)
{
  if (c == NULL) return;
  if (c->writable != NULL) munmap(c->writable, sizeof *c->writable);
  if (c->source != NULL) c->source->close(c->source);
  free(c->labels);
  free(c->units);
  free(c->fields);
  free(c->layouts);
  free(c->special);
  free(c->by_id);
  free(c->schema);
  free(c->unpacked);
  free(c->copies);
  free(c->heap);
  free(c->rings);
  free(c->path);
  free(c);
}

int eventring_open(const char *path, const struct eventring_options *options,
                   struct eventring_cursor **result)
{
  struct eventring_options o;
  int err;
  if (result == NULL) return EVENTRING_E_ARGUMENT;
  *result = NULL;
  err = eventring_take_options(&o, options);
  if (err < 0) return err;
  if (path == NULL)
    return fail(&o, EVENTRING_E_ARGUMENT, "no path of a ring file was given");
  return eventring_open_path(path, 0, &o, result);
}
