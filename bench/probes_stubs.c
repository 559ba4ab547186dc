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

/* Probes of the real runtime, inside an OCaml program: the macros that the
   garbage collector uses, in loops that measure.ml times; and reading with
   the C library. */

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

#define PER_RUN 4096              /* operations in a run, as in measure.ml */

/* Eight operations a turn, so that the loop itself does not count. */
#define EIGHT(x) x x x x x x x x

static uint64_t sink;

static void bare_gettime(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(sink += eventring_clock_ns(CLOCK_MONOTONIC);) }
}

static void begin_end(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(CAML_EV_BEGIN(EV_MAJOR_SWEEP); CAML_EV_END(EV_MAJOR_SWEEP);) }
}

static void counter(void)
{
  for (int i = 0; i < PER_RUN / 8; i++)
    { EIGHT(CAML_EV_COUNTER(EV_C_REQUEST_MAJOR_ALLOC_SHR, i);) }
}

value bench_run(value which)
{
  static void (*const what[])(void) = { bare_gettime, begin_end, counter };
  what[Int_val(which)]();
  return Val_unit;
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
  bench_run(which);
  ok = ok && fseek(f, at, SEEK_SET) == 0 && fread(&after, 8, 1, f) == 1;
  if (f != NULL) fclose(f);
  free(path);
  if (!ok) caml_failwith("cannot read the ring file");
  return caml_copy_double(8.0 * (after - before) / PER_RUN);
}

/* Fills the ring. */
value bench_fill(value unit)
{
  for (int i = 0; i < 20; i++) { begin_end(); counter(); }
  return Val_unit;
}

/* Reads all there is, batch by batch, of one ring or merged: nanoseconds an
   event. */
value bench_read(value merged)
{
  enum { BATCH = 256 };
  static struct eventring_event events[BATCH];
  char *path = caml_eventring_path();
  struct eventring_cursor *c;
  int64_t n, count = 0;
  int err = path == NULL ? -1 : eventring_open(path, NULL, &c);
  free(path);
  if (err < 0) caml_failwith("cannot open the ring file");
  int64_t start = eventring_clock_ns(CLOCK_MONOTONIC);
  while ((n = Bool_val(merged) ? eventring_read(c, events, BATCH)
                               : eventring_read_ring(c, 0, events, BATCH))
         > 0) {
    sink += events[n - 1].ns;
    count += n;
  }
  int64_t end = eventring_clock_ns(CLOCK_MONOTONIC);
  eventring_close(c);
  return caml_copy_double((double) (end - start) / count);
}
