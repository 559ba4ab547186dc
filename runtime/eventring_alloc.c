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

#define CAML_INTERNALS

/* The allocation profiler: samples of allocated words, and the life of their
   blocks.

   Each allocated word is sampled with the probability 1 / period.  So the number
   of words from one sample to the next has a geometric distribution, which is
   drawn once for each sample:

     minor heap   The limit at which OCaml code calls the runtime is moved up to
                  the next sampled word, the trigger, as Gc.Memprof does with a
                  trigger of its own.  Words that are not sampled cost nothing.
     C code       The words of each block are subtracted from a counter.

   A domain keeps the blocks with samples in a table.  After each minor collection
   and each major cycle the domain looks which of them were promoted or have
   died, and writes that to its ring.  Nothing here is a root: a table keeps no
   block alive.  When a domain ends, the next domain that collects takes its
   blocks over.

   Gc.Memprof works the same way, and the functions below are called where its
   functions are, or later, where those come too early when there are other
   domains (doc/upstream/memprof-domains.md).  It is not used, so that its one
   profile is left to the program.

   A table is used by its domain only, with the domain lock held. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/frame_descriptors.h"
#include "caml/memory.h"
#include "caml/memprof.h"
#include "caml/runtime_events.h"
#include "caml/shared_heap.h"
#include "caml/startup_aux.h"
#include "eventring_internal.h"

#ifdef EVENTRING_ALLOC_SAMPLES

/* Blocks that a domain follows, at most: further samples are written without a
   number. */
#define MOST_BLOCKS (1 << 16)

/* Samples of a block of C code that are drawn one by one: each word of a block
   of gigabytes would take seconds. */
#define MOST_DRAWN 10000

/* A block with samples. */
struct tracked {
  value block;                  /* 0: dead, to be removed */
  uint64_t field[7];            /* of its sample, up to the frames */
  uint64_t allocated;           /* ticks */
  uint64_t written;             /* position in the ring after the latest sample */
  uint32_t session;             /* of that position; 0: not in this ring */
  uint32_t frames;
  uint64_t *frame;              /* as in the sample; NULL if there are none */
};

/* The places of the fields. */
enum { ALLOCATED, STACK, REQUEST, BLOCK, SIZE, SOURCE, ALLOCATION, FIELDS };

struct caml_eventring_sampler {
  value *trigger;               /* sampled words of the minor heap are below */
  int on;
  uint32_t session;             /* to which EV_ALLOC_START was written */
  uint32_t generation;
  uint64_t first_block;         /* of the generation */
  uint64_t period;
  uint64_t trigger_period;      /* with which the trigger was drawn */
  double factor;                /* 1 / log (1 - 1 / period) */
  uint64_t random;
  uint64_t until;               /* words of C code before the next sample */
  struct tracked *table;
  size_t count, room;
  size_t young;                 /* entries from here on may be in the minor
                                   heap */
  size_t again;                 /* the entry to look at for the next
                                   EV_LIVE_SAMPLE */
} __attribute__((aligned(64)));

/* One for each slot of a domain; NULL while nothing was ever sampled. */
static _Atomic(struct caml_eventring_sampler *) samplers;

/* Blocks of domains that have ended, for any domain.  Written under
   [caml_ring_session_lock]. */
static struct orphans {
  struct orphans *next;
  struct tracked *table;
  size_t count;
} *_Atomic orphans;

/* A generation begins when the first domain begins to sample, and ends when a
   domain finds that the category is off.  Written under
   [caml_ring_session_lock]. */
static _Atomic uint32_t generation;     /* odd: sampling */
static uint64_t first_block;            /* of the generation */

static _Atomic uint64_t next_block = 1;

/* Returns the sampler of the domain [state]; NULL if there is none. */
Caml_inline struct caml_eventring_sampler *
sampler_of(const caml_domain_state *state)
{
  struct caml_eventring_sampler *all =
    atomic_load_explicit(&samplers, memory_order_acquire);
  return all == NULL ? NULL : &all[state->id];
}

/* Random numbers */

/* Returns a random number over 0, to 1. */
static double uniform(struct caml_eventring_sampler *s)
{
  /* splitmix64 */
  uint64_t x = s->random += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
  x ^= x >> 31;
  return (double) ((x >> 11) + 1) * 0x1p-53;
}

/* Returns the number of words up to and including the next sampled one, from 1
   on. */
static uint64_t draw(struct caml_eventring_sampler *s)
{
  double words = 1 + log(uniform(s)) * s->factor;
  return words < 1e18 ? (uint64_t) words : UINT64_C(1000000000000000000);
}

/* Sets the trigger of [s] for the next word that is sampled below [from] in the
   minor heap of [state]. */
static void set_trigger(struct caml_eventring_sampler *s,
                        const caml_domain_state *state, value *from)
{
  uint64_t words = draw(s);
  s->trigger_period = s->period;
  s->trigger = (uint64_t) (from - state->young_start) >= words
    ? from - (words - 1) : state->young_start;
}

/* Tables */

/* Removes all entries of [s], without an event. */
COLD
static void forget_all(struct caml_eventring_sampler *s)
{
  for (size_t i = 0; i < s->count; i++) free(s->table[i].frame);
  free(s->table);
  s->table = NULL;
  s->count = s->room = s->young = s->again = 0;
}

/* Makes room for [more] entries in the table of [s].  Returns 1, or 0 when there
   is no memory. */
static int reserve(struct caml_eventring_sampler *s, size_t more)
{
  if (s->room - s->count >= more) return 1;
  if (s->count + more > MOST_BLOCKS) return 0;
  size_t room = 2 * s->room > s->count + more ? 2 * s->room
                                              : s->count + more + 64;
  struct tracked *table = realloc(s->table, room * sizeof(*table));
  if (table == NULL) return 0;
  s->table = table;
  s->room = room;
  return 1;
}

/* Removes the dead entries of [s]. */
static void remove_dead(struct caml_eventring_sampler *s)
{
  size_t kept = 0, young = 0;
  for (size_t i = 0; i < s->count; i++) {
    struct tracked *t = &s->table[i];
    if (t->block == 0) {
      free(t->frame);
      continue;
    }
    young += i < s->young;
    s->table[kept++] = *t;
  }
  s->count = kept;
  s->young = young;
}

/* Begins another generation: all domains begin anew, and no block of before is
   followed any longer. */
COLD
static void give_up(void)
{
  pthread_mutex_lock(&caml_ring_session_lock);
  if (generation % 2 == 1) {
    first_block = next_block;
    generation += 2;
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
}

/* The numbers of blocks for an event, EV_BLOCKS_PROMOTED or EV_BLOCKS_FREED. */
struct numbers {
  int record;
  uint32_t count;
  uint64_t number[128];
};

static void write_numbers(struct numbers *n)
{
  if (n->count == 0) return;
  if (Caml_eventring_on(EVENTRING_PROFILE_ALLOC))
    caml_eventring_emit_packed(EVENTRING_RECORD(n->record), n->number,
                               n->count);
  else
    give_up();
  n->count = 0;
}

static void add_number(struct numbers *n, const struct tracked *t)
{
  if (n->count == sizeof(n->number) / sizeof(n->number[0])) write_numbers(n);
  n->number[n->count++] = t->field[BLOCK];
}

/* Beginning and end */

/* Allocates the samplers, unless they are allocated.  Returns 1, or 0 when there
   is no memory. */
COLD
static int allocate_samplers(void)
{
  if (samplers != NULL) return 1;
  size_t size = EVENTRING_DOMAINS * sizeof(struct caml_eventring_sampler);
  struct caml_eventring_sampler *all = aligned_alloc(64, size), *none = NULL;
  if (all == NULL) return 0;
  memset(all, 0, size);
  if (!atomic_compare_exchange_strong(&samplers, &none, all)) free(all);
  return 1;
}

/* Begins to sample the domain [state], or goes on in another session. */
COLD
static void begin(struct caml_eventring_sampler *s, caml_domain_state *state)
{
  pthread_mutex_lock(&caml_ring_session_lock);
  if (generation % 2 == 0) {
    first_block = next_block;
    generation++;
  }
  uint32_t now = generation;
  s->first_block = first_block;
  pthread_mutex_unlock(&caml_ring_session_lock);
  if (!s->on || s->generation != now) {
    forget_all(s);
    s->generation = now;
    s->random ^= caml_eventring_ticks() ^ (uint64_t) state->unique_id << 48;
  }
  s->on = 1;
  s->session = caml_ring_session.number;
  s->period = 0;
}

/* Ends the samples of a domain, since the category is not recorded. */
COLD
static void end(struct caml_eventring_sampler *s)
{
  pthread_mutex_lock(&caml_ring_session_lock);
  if (generation == s->generation && generation % 2 == 1) generation++;
  pthread_mutex_unlock(&caml_ring_session_lock);
  s->on = 0;
  s->trigger = NULL;
  forget_all(s);
}

/* Brings the sampler of [state] up to date with the settings.  Returns it if the
   domain is to be sampled, else NULL. */
static struct caml_eventring_sampler *ready(caml_domain_state *state)
{
  struct caml_eventring_sampler *s = sampler_of(state);
  if (!Caml_eventring_on(EVENTRING_PROFILE_ALLOC)) {
    if (s != NULL && s->on && !caml_ring_left_behind()) end(s);
    return NULL;
  }
  if (s == NULL) {
    if (!allocate_samplers()) return NULL;
    s = sampler_of(state);
  }
  if (!s->on || s->session != caml_ring_session.number
      || s->generation != generation) {
    if (caml_ring_left_behind()) return NULL;
    begin(s, state);
  }
  uint64_t period = caml_ring_alloc_period();
  if (s->period != period) {
    uint64_t field[] = { period, s->first_block };
    caml_eventring_emit_packed(EVENTRING_RECORD(EV_ALLOC_START), field, 2);
    s->period = period;
    s->factor = 1 / log1p(-1 / (double) period);
    s->until = draw(s);
  }
  return s;
}

/* Domains that end */

/* Adds the blocks of [o] to the table of [s].  Returns 1, or 0 when there is no
   memory. */
COLD
static int take_over(struct caml_eventring_sampler *s, const struct orphans *o)
{
  if (!reserve(s, o->count)) return 0;
  /* Entries in the minor heap stay the last ones. */
  struct tracked *to = s->table + s->young;
  memmove(to + o->count, to, (s->count - s->young) * sizeof(*to));
  memcpy(to, o->table, o->count * sizeof(*to));
  for (size_t i = 0; i < o->count; i++) to[i].session = 0;
  s->count += o->count;
  s->young += o->count;
  return 1;
}

/* Takes over the blocks of domains that have ended, or frees them if the domain
   [state] is not sampled. */
COLD
static void adopt(caml_domain_state *state)
{
  struct caml_eventring_sampler *s = ready(state);
  pthread_mutex_lock(&caml_ring_session_lock);
  struct orphans *o = orphans;
  orphans = NULL;
  pthread_mutex_unlock(&caml_ring_session_lock);
  struct numbers lost = { .record = EV_BLOCKS_FREED };
  while (o != NULL) {
    struct orphans *next = o->next;
    if (s == NULL || !take_over(s, o))
      for (size_t i = 0; i < o->count; i++) {
        if (s != NULL) add_number(&lost, &o->table[i]);
        free(o->table[i].frame);
      }
    free(o->table);
    free(o);
    o = next;
  }
  write_numbers(&lost);
}

/* Leaves the entries of [s] to the other domains, when the domain ends. */
COLD
static void leave_orphans(struct caml_eventring_sampler *s)
{
  struct orphans *o = s->count > 0 ? malloc(sizeof(*o)) : NULL;
  if (o == NULL) {
    if (s->count > 0) give_up();
    forget_all(s);
    return;
  }
  *o = (struct orphans) { NULL, s->table, s->count };
  pthread_mutex_lock(&caml_ring_session_lock);
  o->next = orphans;
  orphans = o;
  pthread_mutex_unlock(&caml_ring_session_lock);
  s->table = NULL;
  s->count = s->room = s->young = s->again = 0;
}

/* Samples */

/* Writes the latest sample of [t] as the event [record], and remembers where. */
static void write_sample(struct tracked *t, int record)
{
  enum { MOST = FIELDS + 1 + CAML_RING_MOST_FRAMES };
  uint64_t number[MOST];
  uint32_t fields = FIELDS;
  const struct writer *w = &caml_ring_writers[Caml_state->id];
  memcpy(number, t->field, sizeof(t->field));
  if (record == EV_LIVE_SAMPLE)
    number[fields++] = caml_eventring_ticks() - t->allocated;
  if (t->frames > 0)
    memcpy(number + fields, t->frame, t->frames * sizeof(*t->frame));
  caml_eventring_emit_packed(EVENTRING_RECORD(record), number,
                             fields + t->frames);
  t->written = w->pos;
  t->session = w->session;
}

/* Records that words of [block], of [words] words, were sampled, which stand for
   [weight] allocated words. */
static void sample(struct caml_eventring_sampler *s, value block,
                   uint64_t words, uint64_t weight, int source,
                   unsigned allocation)
{
  uint64_t frame[CAML_RING_MOST_FRAMES];
  enum caml_eventring_stack state;
  struct tracked t = { .block = block, .frame = frame,
                       .allocated = caml_eventring_ticks() };
  t.frames = caml_ring_ocaml_stack(frame, CAML_RING_MOST_FRAMES, &state);
  t.field[ALLOCATED] = weight;
  t.field[STACK] = state;
  t.field[REQUEST] = caml_ring_self.request;
  t.field[SIZE] = words;
  t.field[SOURCE] = (uint64_t) source;
  t.field[ALLOCATION] = allocation;
  size_t size = t.frames * sizeof(*frame);
  uint64_t *kept = reserve(s, 1) ? malloc(size > 0 ? size : 1) : NULL;
  if (kept != NULL) t.field[BLOCK] = next_block++;
  if (generation != s->generation) {
    /* Another generation has begun meanwhile, perhaps with a lower number. */
    t.field[BLOCK] = 0;
    free(kept);
    kept = NULL;
  }
  write_sample(&t, EV_ALLOC_SAMPLE);
  if (kept == NULL) return;
  memcpy(kept, frame, size);
  t.frame = kept;
  s->table[s->count++] = t;
  /* [young] is right in order of allocation only. */
  if (!Is_young(block)) {
    struct tracked *first = &s->table[s->young], *last = &s->table[s->count - 1];
    t = *first;
    *first = *last;
    *last = t;
    s->young++;
  }
}

void caml_eventring_sample_young(caml_domain_state *state, uintnat wosize,
                                 int flags, int allocs,
                                 const unsigned char *lengths)
{
  struct caml_eventring_sampler *s = sampler_of(state);
  if (s == NULL || state->young_ptr >= s->trigger) return;
  value *low = state->young_ptr;
  int tracked = flags & CAML_DO_TRACK && ready(state) != NULL;
  if (tracked) {
    /* The words below [next] are not decided yet; the word there is sampled. */
    int64_t next = s->trigger - low - 1;
    int single = lengths == NULL || !(flags & CAML_FROM_CAML);
    int64_t offset = (int64_t) Whsize_wosize(wosize);
    uint64_t period = s->trigger_period;
    for (int i = single ? 0 : allocs - 1; i >= 0 && next >= 0; i--) {
      uintnat words = single ? Whsize_wosize(wosize)
        : Whsize_wosize(Wosize_encoded_alloc_len(lengths[i]));
      uint64_t weight = 0;
      offset -= (int64_t) words;
      while (next >= offset) {
        weight += period;
        next -= (int64_t) draw(s);
        period = s->period;
      }
      if (weight > 0)
        sample(s, Val_hp(low + offset), words, weight, EV_SOURCE_MINOR,
               (unsigned) i);
    }
  }
  if (s->on) set_trigger(s, state, low);
  else s->trigger = NULL;
  caml_reset_young_limit(state);
}

void caml_eventring_sample_block(value block, uintnat words, int source)
{
  struct caml_eventring_sampler *s = sampler_of(Caml_state);
  if (s != NULL && s->on && s->until > words) {
    /* Settings that have changed count from the next sample or collection on:
       Marshal calls for each block. */
    s->until -= words;
    return;
  }
  s = ready(Caml_state);
  if (s == NULL) return;
  if (s->until > words) {
    s->until -= words;
    return;
  }
  uint64_t samples = 0, left = words;
  if (words / s->period > MOST_DRAWN) {
    /* The expected number, rounded up or down by chance. */
    const double rest = (double) (words % s->period) / (double) s->period;
    samples = words / s->period + (uniform(s) <= rest);
    left = 0;
    s->until = draw(s);
  }
  while (s->until <= left) {
    left -= s->until;
    samples++;
    s->until = draw(s);
  }
  s->until -= left;
  sample(s, block, words, samples * s->period,
         source == CAML_MEMPROF_SRC_MARSHAL ? EV_SOURCE_MARSHAL
         : source == CAML_MEMPROF_SRC_CUSTOM ? EV_SOURCE_CUSTOM
         : Is_young(block) ? EV_SOURCE_MINOR : EV_SOURCE_MAJOR, 0);
}

void caml_eventring_set_alloc_trigger(caml_domain_state *state)
{
  /* A domain that is being created has neither a stack nor its number. */
  if (state->current_stack == NULL) return;
  struct caml_eventring_sampler *s = ready(state);
  /* Gc.Memprof draws anew in the middle of the heap, also below a block that
     has our next word. */
  if (s != NULL && (state->young_ptr == state->young_end || s->trigger == NULL))
    set_trigger(s, state, state->young_ptr);
}

void caml_eventring_alloc_domain_start(void)
{
  if (!Caml_eventring_on(EVENTRING_PROFILE_ALLOC)) return;
  caml_eventring_set_alloc_trigger(Caml_state);
  caml_reset_young_limit(Caml_state);
}

value *caml_eventring_young_trigger(const caml_domain_state *state,
                                    value *other)
{
  const struct caml_eventring_sampler *s = sampler_of(state);
  return s != NULL && s->trigger > other ? s->trigger : other;
}

/* Collections */

#ifdef DEBUG
/* Checks that each block of [s] is one of the heap, of the size that it had. */
static void check_blocks(const struct caml_eventring_sampler *s)
{
  for (size_t i = 0; i < s->count; i++) {
    const struct tracked *t = &s->table[i];
    CAMLassert(Is_block(t->block) && Hd_val(t->block) != 0);
    CAMLassert(t->field[SOURCE] == EV_SOURCE_CUSTOM
               ? Tag_val(t->block) == Custom_tag
               : Whsize_val(t->block) == t->field[SIZE]);
    CAMLassert(!Is_young(t->block) || i >= s->young);
  }
}
#else
#define check_blocks(s) ((void) (s))
#endif

void caml_eventring_blocks_after_minor(caml_domain_state *state)
{
  struct caml_eventring_sampler *s = sampler_of(state);
  if (s == NULL) return;
  if (orphans != NULL) adopt(state);
  if (s->young == s->count) return;
  struct numbers promoted = { .record = EV_BLOCKS_PROMOTED };
  struct numbers freed = { .record = EV_BLOCKS_FREED };
  int dead = 0;
  for (size_t i = s->young; i < s->count; i++) {
    struct tracked *t = &s->table[i];
    if (!Is_young(t->block)) continue;
    if (Hd_val(t->block) == 0) {
      t->block = Field(t->block, 0);
      add_number(&promoted, t);
    } else {
      t->block = 0;
      add_number(&freed, t);
      dead = 1;
    }
  }
  write_numbers(&promoted);
  write_numbers(&freed);
  s->young = s->count;
  if (dead) remove_dead(s);
  check_blocks(s);
}

/* Writes samples again that may be overwritten soon, and at most a quarter of a
   ring of them: the others come after the next cycles. */
static void write_live_samples(struct caml_eventring_sampler *s)
{
  const struct writer *w = &caml_ring_writers[Caml_state->id];
  if (!Caml_eventring_on(EVENTRING_PROFILE_ALLOC)) return;
  uint64_t ring = w->mask + 1, begun = w->pos;
  for (size_t n = s->count; n > 0; n--) {
    if (s->again >= s->count) s->again = 0;
    struct tracked *t = &s->table[s->again];
    if (t->session != w->session || w->pos - t->written > ring / 2)
      write_sample(t, EV_LIVE_SAMPLE);
    s->again++;
    if (w->pos - begun > ring / 4) return;
  }
}

void caml_eventring_blocks_after_major(caml_domain_state *state)
{
  struct caml_eventring_sampler *s = sampler_of(state);
  if (s == NULL) return;
  if (orphans != NULL) adopt(state);
  if (s->count == 0) return;
  struct numbers freed = { .record = EV_BLOCKS_FREED };
  int dead = 0;
  for (size_t i = 0; i < s->count; i++) {
    struct tracked *t = &s->table[i];
    if (Is_young(t->block) || !is_unmarked(t->block)) continue;
    t->block = 0;
    add_number(&freed, t);
    dead = 1;
  }
  write_numbers(&freed);
  if (dead) remove_dead(s);
  check_blocks(s);
  write_live_samples(s);
}

void caml_eventring_scan_blocks(void (*action)(void *, value, volatile value *),
                                void *data, caml_domain_state *state)
{
  struct caml_eventring_sampler *s = sampler_of(state);
  if (s == NULL) return;
  if (orphans != NULL) adopt(state);
  for (size_t i = 0; i < s->count; i++)
    action(data, s->table[i].block, &s->table[i].block);
}

void caml_eventring_blocks_domain_end(caml_domain_state *state)
{
  struct caml_eventring_sampler *s = sampler_of(state);
  if (s == NULL) return;
  s->trigger = NULL;
  if (s->on) leave_orphans(s);
  s->on = 0;
}

#else /* !EVENTRING_ALLOC_SAMPLES */

/* Says once that allocation is not sampled, if that is asked for. */
COLD
static void complain(void)
{
  static _Atomic int said;
  if (Caml_eventring_on(EVENTRING_PROFILE_ALLOC) && !atomic_exchange(&said, 1))
    caml_eventring_complain("samples of allocation are supported in native code"
                            " of OCaml 5.3 and later, on Linux, x86-64 and"
                            " arm64, only");
}

void caml_eventring_set_alloc_trigger(caml_domain_state *state)
{
  (void) state;
  complain();
}

#if OCAML_VERSION >= 50300
value *caml_eventring_young_trigger(const caml_domain_state *state,
                                    value *other)
{
  (void) state;
  return other;
}

void caml_eventring_alloc_domain_start(void)
{
}

void caml_eventring_sample_young(caml_domain_state *state, uintnat wosize,
                                 int flags, int allocs,
                                 const unsigned char *lengths)
{
  (void) state;
  (void) wosize;
  (void) flags;
  (void) allocs;
  (void) lengths;
}

void caml_eventring_sample_block(value block, uintnat words, int source)
{
  (void) block;
  (void) words;
  (void) source;
}

void caml_eventring_blocks_after_minor(caml_domain_state *state)
{
  (void) state;
}

void caml_eventring_blocks_after_major(caml_domain_state *state)
{
  (void) state;
}

void caml_eventring_scan_blocks(void (*action)(void *, value, volatile value *),
                                void *data, caml_domain_state *state)
{
  (void) action;
  (void) data;
  (void) state;
}

void caml_eventring_blocks_domain_end(caml_domain_state *state)
{
  (void) state;
}
#endif

#endif
