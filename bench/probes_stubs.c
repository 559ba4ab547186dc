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

/* What a probe costs, on the real runtime: the macros that the garbage
   collector uses, in loops, inside an OCaml program.

   Each figure is the median over many short runs; a run is short enough that
   most are not interrupted.  The bare clock is measured in the same way,
   between the others, and is the floor of whatever reads it. */

#define CAML_INTERNALS
#include <stdio.h>
#include <stdlib.h>
#include <caml/alloc.h>
#include <caml/eventring.h>
#include <caml/eventring_clock.h>
#include <caml/eventring_reader.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/runtime_events.h>

#define RUNS 401
#define PER_RUN 4096              /* operations in a run */

/* Eight operations a turn, so that the loop itself does not count. */
#define EIGHT(x) x x x x x x x x

static uint64_t sink;

static void bare_rdtsc(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(sink += eventring_hardware_ticks();) }
}

static void bare_gettime(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(sink += eventring_clock_ns(CLOCK_MONOTONIC);) }
}

static void begin_end(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(CAML_EV_BEGIN(EV_MINOR); CAML_EV_END(EV_MINOR);) }
}

static void counter(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(CAML_EV_COUNTER(EV_C_MINOR_PROMOTED, i);) }
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Median and least of [RUNS] runs of [f], in ns an operation. */
static void measure(void (*f)(void), double *median, double *least)
{
  double ns[RUNS];
  f();
  for (int i = 0; i < RUNS; i++) {
    int64_t start = eventring_clock_ns(CLOCK_MONOTONIC);
    f();
    ns[i] = (double) (eventring_clock_ns(CLOCK_MONOTONIC) - start) / PER_RUN;
  }
  qsort(ns, RUNS, sizeof(ns[0]), ascending);
  *median = ns[RUNS / 2];
  *least = ns[0];
}

static value pair(double median, double least)
{
  value v = caml_alloc_float_array(2);
  Store_double_flat_field(v, 0, median);
  Store_double_flat_field(v, 1, least);
  return v;
}

value bench_measure(value which)
{
  static void (*const what[])(void) =
    { bare_rdtsc, bare_gettime, begin_end, counter };
  double median, least;
  measure(what[Int_val(which)], &median, &least);
  return pair(median, least);
}

/* Bytes of ring an operation, from the number of words that the domain has
   published; block headers are spread over the events of a block. */
value bench_bytes(value which)
{
  const struct eventring_header *h = &caml_eventring_page.header;
  char *path = caml_eventring_path();
  uint64_t before, after, at = h->directory_offset;
  FILE *f = path == NULL ? NULL : fopen(path, "rb");
  int ok = f != NULL;
  setvbuf(f, NULL, _IONBF, 0);
  ok = ok && fseek(f, at, SEEK_SET) == 0 && fread(&before, 8, 1, f) == 1;
  if (Int_val(which) == 2) begin_end(); else counter();
  ok = ok && fseek(f, at, SEEK_SET) == 0 && fread(&after, 8, 1, f) == 1;
  if (f != NULL) fclose(f);
  free(path);
  if (!ok) caml_failwith("cannot read the ring file");
  return caml_copy_double(8.0 * (after - before) / PER_RUN);
}

/* Reading a full ring of events, batch by batch: of one ring, or merged. */
value bench_read(value merged)
{
  enum { TURNS = 41, BATCH = 256 };
  static struct eventring_event events[BATCH];
  double ns[TURNS];
  char *path = caml_eventring_path();
  for (int i = 0; i < 20; i++) { begin_end(); counter(); }
  for (int turn = 0; turn < TURNS; turn++) {
    struct eventring_cursor *c;
    int64_t n, count = 0;
    if (path == NULL || eventring_open(path, NULL, &c) < 0) {
      free(path);
      caml_failwith("cannot open the ring file");
    }
    int64_t start = eventring_clock_ns(CLOCK_MONOTONIC);
    while ((n = Bool_val(merged) ? eventring_read(c, events, BATCH)
                                 : eventring_read_ring(c, 0, events, BATCH))
           > 0) {
      sink += events[n - 1].ns;
      count += n;
    }
    ns[turn] =
      (double) (eventring_clock_ns(CLOCK_MONOTONIC) - start) / count;
    eventring_close(c);
  }
  free(path);
  qsort(ns, TURNS, sizeof(ns[0]), ascending);
  return pair(ns[TURNS / 2], ns[0]);
}
