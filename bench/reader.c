// BUILD: testsuite/ring/ring_file.c
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

/* What reading costs: nanoseconds an event, of one ring in batches and of
   several rings merged by time, from files that fit in the cache.  Prints
   name, median and minimum of the runs, tab-separated. */

#include <time.h>

#include "ring_file.h"

#define RUNS 21
#define BATCH 1024

static double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* A span and a counter by turns, as the runtime writes; or, as it does when a
   collection ends, a span with four packed integers at its end.  The rings take
   turns of [run] events. */
static void fill(struct ring_file *f, uint32_t rings, uint32_t events,
                 uint32_t run, int packed)
{
  const uint64_t integers[] = { 21000, 262144, 1, 0 };
  uint64_t ticks = 1000;
  ring_schema(f, 12, EVENTRING_SPAN, EVENTRING_PACKED, 0, "", "minor");
  ring_field(f, 12, 0, "words", 0, "promoted");
  for (uint32_t i = 0; i < events; i++) {
    uint32_t r = i / run % rings;
    ticks += 40;
    if (packed && i % 2 == 1)
      ring_packed(f, r, ticks, EVENTRING_FORM_END, 12, integers, 4);
    else if (packed) ring_write(f, r, ticks, EVENTRING_FORM_BEGIN, 12, NULL, 0);
    else if (i % 4 == 3) ring_count(f, r, ticks, 256, i);
    else ring_write(f, r, ticks, i & 1, 1, NULL, 0);
  }
}

static void measure(const char *name, uint32_t slots, uint32_t rings,
                    uint32_t run, int merged, int packed)
{
  static struct eventring_event ev[BATCH];
  double cost[RUNS];
  uint64_t sum = 0;
  struct ring_file f;

  ring_create(&f, &(struct ring_options) {
                .rings = slots, .log_words = 16,
                .clock = EVENTRING_CLOCK_TSC, .other_boot = 1 });
  fill(&f, rings, (packed ? 32000 : 48000) * rings, run, packed);
  for (int i = 0; i < RUNS; i++) {
    struct eventring_cursor *c = ring_open(&f);
    uint64_t events = 0;
    double start;
    int n;
    /* The first touch of the mapping is the kernel's work, not ours. */
    for (uint32_t r = 0; r < rings; r++)
      for (uint64_t w = 0; w < f.header->ring_words; w++)
        sum += ring_words(&f, r)[w];
    start = now_ns();
    if (merged)
      while ((n = eventring_read(c, ev, BATCH)) > 0) events += (uint64_t) n;
    else
      while ((n = eventring_read_ring(c, 0, ev, BATCH)) > 0)
        events += (uint64_t) n;
    cost[i] = (now_ns() - start) / (double) events;
    eventring_close(c);
  }
  qsort(cost, RUNS, sizeof *cost, ascending);
  printf("%s\t%.2f\t%.2f\n", name, cost[RUNS / 2], cost[0]);
  if (sum == 0) printf("empty\n");
  ring_destroy(&f);
}

int main(void)
{
  printf("name\tmedian_ns\tmin_ns\n");
  measure("read_ring", 1, 1, 1, 0, 0);
  measure("read_ring_packed", 1, 1, 1, 0, 1);
  measure("merged_1_of_128", 128, 1, 1, 1, 0);
  measure("merged_4_of_128", 128, 4, 10, 1, 0);
  measure("merged_4_alternating", 128, 4, 1, 1, 0);
  measure("merged_32_of_128", 128, 32, 10, 1, 0);
  return 0;
}
