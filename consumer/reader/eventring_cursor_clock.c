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

/* The clock of a cursor: ticks to nanoseconds.

   The header of a ring file and the header of each block hold the two clocks
   at one instant.  A line through two such instants converts ticks to
   CLOCK_MONOTONIC; the further apart they are, the better.  Where the clock is
   one of this machine, the second instant is now.

   A machine that sleeps stops one of the clocks.  Then one line does not
   fit, and the header of a block is far off the line: each block from there on
   gets a line through its own header. */

#include <stdlib.h>

#include "caml/eventring_clock.h"
#include "eventring_cursor.h"

#define MIN_NS_PER_TICK (1.0 / 1024)
#define MAX_NS_PER_TICK 65536.0

/* A block header this far from the line through two instants shows that one of
   the clocks stopped between them, as when the machine slept.  The distance is
   longer than a thread waits for the processor between reading the two
   clocks. */
#define STOOD_STILL_NS 50000000
#define SLOPES 63               /* that the rate is taken from then, at most */
/* Returns the present ticks of the clock of kind [clock], or 0 when this
   machine does not have this clock.  Loads and stores of the program before the
   call stay before the reading of the clock, later ones after it: the horizon
   of a pass requires that tails are loaded after the clock was read. */
uint64_t eventring_read_clock(uint32_t clock)
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

/* Replaces the line of the clock by the line through the instants [a] and [b],
   if these are further apart than the two instants of the present line and
   their rate is possible for a clock, from 1/1024 to 65536 ns per tick; sets
   rate_is_new to 1.  Otherwise changes nothing. */
static void fit_clock(struct eventring_cursor *c, struct pair a, struct pair b)
{
  double rate;
  if (a.ticks == 0 || b.ticks <= a.ticks || b.ns <= a.ns) return;
  if (b.ticks - a.ticks <= c->clock.baseline) return;
  /* Unsigned, since a hostile pair may be further apart than INT64_MAX. */
  rate = (double) ((uint64_t) b.ns - (uint64_t) a.ns)
         / (double) (b.ticks - a.ticks);
  if (!(rate >= MIN_NS_PER_TICK && rate <= MAX_NS_PER_TICK)) return;
  c->clock.origin = a;
  c->clock.ns_per_tick = rate;
  c->clock.baseline = b.ticks - a.ticks;
  c->clock.rate_is_new = 1;
}

static struct pair pair_of_block(const struct eventring_cursor *c,
                                 uint32_t ring, uint64_t position)
{
  const uint64_t *block = words_at(c, ring, position);
  return (struct pair) {
    __atomic_load_n(&block[EVENTRING_BLOCK_TICKS], __ATOMIC_RELAXED),
    (int64_t) __atomic_load_n(&block[EVENTRING_BLOCK_NS], __ATOMIC_RELAXED) };
}

/* Returns 1 when the header of the block at [position] of ring [ring] has been
   written and the source has its words, else 0. */
static int has_header(const struct eventring_cursor *c, uint32_t ring,
                      uint64_t position)
{
  uint64_t tail = load_tail(c, ring);
  return position >= c->source->rings[ring].first && tail <= MAX_POSITION
         && tail > position + EVENTRING_BLOCK_NS;
}

/* Measures from the start of tracing to the present instant if both clocks can
   be read here; else to the end of the process; else to the youngest block that
   any ring has, which is all that a killed process of another boot leaves. */
void eventring_calibrate(struct eventring_cursor *c)
{
  struct pair started = { c->header.started.ticks,
                          c->header.started.monotonic_ns };
  struct pair oldest = { 0, 0 };

  if (c->header.clock == EVENTRING_CLOCK_MONOTONIC) return;
  if (c->own_clock && !c->other_time)
    fit_clock(c, started, own_pair(c->header.clock));
  if (c->clock.baseline != 0 && !c->other_time) return;
  /* Acquire: the state must be seen before the instant that it covers. */
  if (__atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE)
      != EVENTRING_RUNNING || !c->source->live) {
    const struct eventring_instant *ended = &c->shared->ended;
    fit_clock(c, started, (struct pair) {
           __atomic_load_n(&ended->ticks, __ATOMIC_RELAXED),
           __atomic_load_n(&ended->monotonic_ns, __ATOMIC_RELAXED) });
  }
  if (c->clock.baseline != 0) return;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < c->header.rings; i++) {
      uint64_t tail = load_tail(c, i);
      struct pair p;
      if (tail == 0 || !has_header(c, i, block_of(c, tail - 1))) continue;
      p = pair_of_block(c, i, block_of(c, tail - 1));
      if (oldest.ticks == 0 || (p.ticks != 0 && p.ticks < oldest.ticks))
        oldest = p;
      fit_clock(c, pass == 0 ? started : oldest, p);
    }
    if (c->clock.baseline != 0) return;
  }
  /* Nothing to measure with.  Keep the order, at least. */
  c->clock.origin = started.ticks != 0 ? started : oldest;
}

static int smaller_first(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Returns the median of the rates (ns per tick) from one block to the next, of
   the 8 youngest such pairs of each ring and SLOPES pairs in all, or 0 when no
   two blocks can be compared.  Since the machine sleeps in few of these blocks,
   the median is the rate without sleep. */
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

/* Returns 1 when the rates [a] and [b] differ by more than 2%, the error of
   measuring a rate over two blocks; else 0. */
static int rates_differ(double a, double b)
{
  return a > 1.02 * b || b > 1.02 * a;
}

/* Replaces the rate of the line by the median rate of the blocks if the two
   rates differ and the line is at least 50 ms long: the line then goes through
   two instants between which a clock stopped, and becomes piecewise.  Also sets
   rate_is_new to 0. */
static void check_rate(struct eventring_cursor *c)
{
  double rate = median_rate(c);
  c->clock.rate_is_new = 0;
  if (rate < MIN_NS_PER_TICK || rate > MAX_NS_PER_TICK
      || !rates_differ(rate, c->clock.ns_per_tick)
      || (double) c->clock.baseline * rate < STOOD_STILL_NS)
    return;
  c->clock.ns_per_tick = rate;
  c->clock.piecewise = 1;
}

/* Replaces the line of the clock by a line through the header of [block], its
   ticks and ns, which is far off the present line.  The line keeps its rate, or
   takes the rate since the block of the line before, when the two differ by at
   most 2%.  Events are read in the order of time, so each line is used for the
   events from its block to the block of the next line. */
static void fit_piece(struct eventring_cursor *c, struct pair block)
{
  double rate = ((double) block.ns - (double) c->clock.origin.ns)
                / (double) (block.ticks - c->clock.origin.ticks);
  if (c->clock.piecewise && block.ticks > c->clock.origin.ticks
      && !rates_differ(rate, c->clock.ns_per_tick))
    c->clock.ns_per_tick = rate;
  c->clock.origin = block;
  c->clock.piecewise = 1;
}

/* Returns 1 when the times [a] and [b], in ns, are more than 50 ms apart, so
   that one of the clocks has stopped between them; else 0. */
static int is_far(int64_t a, int64_t b)
{
  return (uint64_t) a - (uint64_t) b + STOOD_STILL_NS
         > 2 * (uint64_t) STOOD_STILL_NS;
}

int64_t eventring_to_ns(const struct eventring_cursor *c, uint64_t ticks)
{
  double ns;
  if (c->header.clock == EVENTRING_CLOCK_MONOTONIC) return (int64_t) ticks;
  ns = (double) (int64_t) (ticks - c->clock.origin.ticks)
       * c->clock.ns_per_tick;
  if (!(ns > -9.2e18 && ns < 9.2e18)) return 0;
  return (int64_t) ((uint64_t) c->clock.origin.ns + (uint64_t) (int64_t) ns);
}

int64_t eventring_block_to_ns(const struct eventring_cursor *c, uint64_t ticks,
                              int64_t ns)
{
  const int64_t by_line = eventring_to_ns(c, ticks);
  return c->header.clock == EVENTRING_CLOCK_MONOTONIC || !is_far(by_line, ns)
         ? by_line : ns;
}

uint64_t eventring_ticks_of(const struct eventring_cursor *c, int64_t ns)
{
  double ticks;
  if (c->header.clock == EVENTRING_CLOCK_MONOTONIC)
    return ns < 0 ? 0 : (uint64_t) ns;
  ticks = ((double) ns - (double) c->clock.origin.ns) / c->clock.ns_per_tick
          + (double) c->clock.origin.ticks;
  return ticks < 0 ? 0 : ticks < 1.8e19 ? (uint64_t) ticks : UINT64_MAX;
}

void eventring_fit_block(struct eventring_cursor *c, uint32_t ring)
{
  struct ring *r = &c->rings[ring];
  struct clock_fit *fit = &c->clock;
  uint64_t ticks = r->copy[EVENTRING_BLOCK_TICKS];
  int64_t block_ns = (int64_t) r->copy[EVENTRING_BLOCK_NS];
  uint64_t behind = r->block + c->header.block_words;
  int64_t ns;

  /* Measuring over twice the time halves the error. */
  if ((c->own_clock || !c->source->live) && fit->baseline != 0
      && !fit->piecewise
      && ticks - fit->origin.ticks > 2 * fit->baseline)
    eventring_calibrate(c);
  if (fit->rate_is_new) check_rate(c);
  ns = eventring_to_ns(c, ticks);
  if (c->header.clock != EVENTRING_CLOCK_MONOTONIC && fit->baseline != 0
      && is_far(ns, block_ns)) {
    ns = block_ns;
    fit_piece(c, (struct pair) { ticks, ns });
  }
  /* The line may have moved since the last block.  (Ticks that run backwards
     are of a damaged block: nothing is bent after it.) */
  if (ticks >= r->last_ticks && ns < r->last_ns && r->read > 0) ns = r->last_ns;
  r->ticks = ticks;
  r->ns = ns;
  r->ns_per_tick = fit->ns_per_tick;
  r->latest_ns = INT64_MAX;
  if (fit->piecewise && has_header(c, ring, behind)) {
    struct pair next = pair_of_block(c, ring, behind);
    if (next.ns >= ns && is_far(eventring_to_ns(c, next.ticks), next.ns))
      r->latest_ns = next.ns;
  }
}
struct eventring_instant eventring_cursor_instant(
  const struct eventring_cursor *c)
{
  struct eventring_instant at = { 0, 0, 0 };
  if (c->own_clock && !c->other_time) return eventring_now(c->header.clock);
  if (c->clock.baseline == 0) return at;
  at.ticks = c->own_clock ? eventring_read_clock(c->header.clock)
                          : c->clock.origin.ticks + c->clock.baseline;
  at.monotonic_ns = eventring_to_ns(c, at.ticks);
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
