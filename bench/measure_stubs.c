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

/* C functions for measure.ml: clocks, filling the caches with other data, and
   the ring.  Compiled with our toolchain and with a stock one, which has no
   caml/eventring.h; only our caml/runtime_events.h includes that. */

#define CAML_INTERNALS
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <caml/fail.h>
#include <caml/mlvalues.h>
#include <caml/memory.h>
#include <caml/runtime_events.h>
#include "measure.h"

value bench_now(value unit)
{
  return Val_long(eventring_clock_ns(CLOCK_MONOTONIC));
}

value bench_ticks(value unit)
{
  return Val_long(fenced_ticks());
}

/* Fills the caches of this core, and the addresses of pages that it remembers,
   with other data.  Caches shared by cores may be too large to fill. */
value bench_evict(value unit)
{
  enum { LINE = 64 };
  static volatile char *buffer;
  static size_t size;
  if (buffer == NULL) {
    long second_level = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    second_level = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    size = 8 * (second_level > 0 ? second_level : 2 << 20);
    buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) abort();
#ifdef MADV_NOHUGEPAGE
    madvise((void *) buffer, size, MADV_NOHUGEPAGE);
#endif
  }
  for (size_t i = 0; i < size; i += LINE) buffer[i]++;
  /* Data does not push code out of the first level; code does. */
  __asm__ volatile (".rept 262144\n\tnop\n\t.endr");
  return Val_unit;
}

/* Words written to the ring of the first domain so far, and its size in
   bytes, from the file. */

#ifdef CAML_EVENTRING_H
typedef struct eventring_header header;
#define TAIL(h) ((h).directory_offset + offsetof(struct eventring_slot, tail))
#define RING_BYTES(h) ((h).ring_words * sizeof(uint64_t))
#else
typedef struct runtime_events_metadata_header header;
#define TAIL(h) ((h).headers_offset \
                 + offsetof(struct runtime_events_buffer_header, ring_tail))
#define RING_BYTES(h) ((h).ring_size_bytes)
#endif

static header read_ring(uint64_t *tail)
{
  header h;
  char *path = caml_runtime_events_current_location();
  int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  int ok = fd >= 0 && pread(fd, &h, sizeof(h), 0) == sizeof(h)
    && pread(fd, tail, sizeof(*tail), TAIL(h)) == sizeof(*tail);
  if (fd >= 0) close(fd);
  caml_stat_free(path);
  if (!ok) caml_failwith("cannot read the ring file");
  return h;
}

value bench_written(value unit)
{
  uint64_t tail;
  if (caml_runtime_events_are_active()) read_ring(&tail); else tail = 0;
  return Val_long(tail);
}

value bench_ring_bytes(value unit)
{
  uint64_t tail;
  return Val_long(RING_BYTES(read_ring(&tail)));
}

/* Starts anew, with an unwritten ring. */
value bench_fresh_ring(value unit)
{
  caml_runtime_events_destroy();
  caml_runtime_events_start();
  return Val_unit;
}
