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

/* Operations of C code: the runtime's probes as used by the garbage collector,
   the events of C stubs, which stock OCaml does not have, and reading from C.
   Compiled with our toolchain and with a stock one, where the same macros
   are calls of caml_ev_begin and so on. */

#define CAML_INTERNALS
#include <stdlib.h>
#include <caml/alloc.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/runtime_events.h>
#include <caml/runtime_events_consumer.h>
#ifdef CAML_EVENTRING_H
#include <caml/eventring_reader.h>
#endif
#include "measure.h"

static volatile uint64_t sink;

/* OP(name, title, number of events written, code).  The first three are no
   probes: the base of comparison for single operations, and the clocks.  The
   code sees [i], which changes. */

#define OPS \
  OP(nothing, "nothing", 0, ) \
  OP(hardware, "hardware counter", 1, sink = eventring_hardware_ticks();) \
  OP(gettime, "clock_gettime", 1, sink = eventring_clock_ns(CLOCK_MONOTONIC);) \
  OP(begin, "begin", 1, CAML_EV_BEGIN(EV_MAJOR_SWEEP);) \
  OP(end, "end", 1, CAML_EV_END(EV_MAJOR_SWEEP);) \
  OP(begin_end, "begin+end", 2, \
     CAML_EV_BEGIN(EV_MAJOR_SWEEP); CAML_EV_END(EV_MAJOR_SWEEP);) \
  OP(counter, "counter", 1, \
     CAML_EV_COUNTER(EV_C_FORCE_MINOR_MEMPROF, i);) \
  OP(minor_end, "minor: end", 1, CAML_EV_END(EV_MINOR);) \
  OP(minor, "minor: begin, 2 counters, end", MINOR_EVENTS, \
     CAML_EV_BEGIN(EV_MINOR); CAML_EV_COUNTER(EV_C_MINOR_PROMOTED, i); \
     CAML_EV_COUNTER(EV_C_MINOR_ALLOCATED, 262144 * 8); \
     CAML_EV_END(EV_MINOR);) \
  OP(heap, "heap: 6 counters", HEAP_EVENTS, \
     CAML_EV_COUNTER(EV_C_MAJOR_HEAP_POOL_WORDS, 1000000 + i); \
     CAML_EV_COUNTER(EV_C_MAJOR_HEAP_POOL_LIVE_WORDS, 700000 + i); \
     CAML_EV_COUNTER(EV_C_MAJOR_HEAP_LARGE_WORDS, 200000 + i); \
     CAML_EV_COUNTER(EV_C_MAJOR_HEAP_POOL_FRAG_WORDS, 30000); \
     CAML_EV_COUNTER(EV_C_MAJOR_HEAP_POOL_LIVE_BLOCKS, 90000); \
     CAML_EV_COUNTER(EV_C_MAJOR_HEAP_LARGE_BLOCKS, 100);) \
  OWN_OPS

#ifdef CAML_EVENTRING_H
static int span, samples;

/* Counters that belong together are one event, or come with an end. */
#define MINOR_EVENTS 2
#define HEAP_EVENTS 1
#define OWN_OPS \
  OP(record, "record of 2 integers", 1, \
     Caml_eventring_resized(EV_MINOR_HEAP_SIZE, EVENTRING_GC, 32768, \
                            262144 + i);) \
  OP(user_span, "user span", 2, \
     caml_eventring_span_start(span); caml_eventring_span_finish(span);) \
  OP(user_counter, "user counter", 1, \
     caml_eventring_counter_sample(samples, i);)
#else
#define MINOR_EVENTS 4
#define HEAP_EVENTS 6
#define OWN_OPS
#endif

/* Eight a turn, so that the loop itself does not count. */
#define EIGHT(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ \
                   __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__

#define OP(name, what, events, ...) \
  static void name##_loop(long n) \
  { \
    for (long i = 0; i < n / 8; i++) { EIGHT(__VA_ARGS__) } \
  } \
  static int64_t name##_once(long i) \
  { \
    int64_t start = fenced_ticks(); \
    __VA_ARGS__ \
    return fenced_ticks() - start; \
  }
OPS
#undef OP

static const struct {
  const char *what;
  int events;
  void (*loop)(long);
  int64_t (*once)(long);
} ops[] = {
#define OP(name, what, events, ...) { what, events, name##_loop, name##_once },
OPS
#undef OP
};

value bench_ops(value unit)
{
#ifdef CAML_EVENTRING_H
  span = caml_eventring_register_span("c span");
  samples = caml_eventring_register_counter("c counter", "");
#endif
  return Val_int(sizeof(ops) / sizeof(ops[0]));
}

value bench_what(value op)
{
  return caml_copy_string(ops[Int_val(op)].what);
}

value bench_events(value op)
{
  return Val_int(ops[Int_val(op)].events);
}

value bench_loop(value op, value n)
{
  ops[Int_val(op)].loop(Long_val(n));
  return Val_unit;
}

value bench_once(value op)
{
  return Val_long(ops[Int_val(op)].once(0));
}

/* Reads with a callback for each event, as the library Runtime_events does. */

static int saw(int ring, void *data, uint64_t time, ev_runtime_phase phase)
{
  sink = time;
  return 1;
}

static int saw_counter(int ring, void *data, uint64_t time,
                       ev_runtime_counter counter, uint64_t v)
{
  sink = time + v;
  return 1;
}

static int saw_span(int ring, void *data, int64_t time, uintnat event,
                    char *name, ev_user_span span)
{
  sink = time + span;
  return 1;
}

static int saw_int(int ring, void *data, int64_t time, uintnat event,
                   char *name, uint64_t v)
{
  sink = time + v;
  return 1;
}

#ifndef CAML_EVENTRING_H
/* Declares functions that the library has and its header lacks. */
void caml_runtime_events_set_user_span(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int ring, void *data, int64_t time, uintnat event, char *name,
           ev_user_span span));
void caml_runtime_events_set_user_int(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int ring, void *data, int64_t time, uintnat event, char *name,
           uint64_t v));
#endif

static struct caml_runtime_events_cursor *cursor;

value bench_open(value unit)
{
  if (caml_runtime_events_create_cursor(NULL, -1, &cursor) != E_SUCCESS)
    caml_failwith("cannot open the ring file");
  caml_runtime_events_set_runtime_begin(cursor, saw);
  caml_runtime_events_set_runtime_end(cursor, saw);
  caml_runtime_events_set_runtime_counter(cursor, saw_counter);
  caml_runtime_events_set_user_span(cursor, saw_span);
  caml_runtime_events_set_user_int(cursor, saw_int);
  return Val_unit;
}

value bench_poll(value unit)
{
  uintnat count = 0;
  if (caml_runtime_events_read_poll(cursor, NULL, 0, &count) != E_SUCCESS)
    caml_failwith("cannot read the ring file");
  return Val_long(count);
}

value bench_close(value unit)
{
  caml_runtime_events_free_cursor(cursor);
  return Val_unit;
}

#ifdef CAML_EVENTRING_H

/* Reads in batches, as libeventring does: all rings merged by time, or one. */

static struct eventring_cursor *own;

value bench_own_open(value unit)
{
  char *path = caml_eventring_path();
  int err = path == NULL ? EVENTRING_E_NOT_FOUND
                         : eventring_open(path, NULL, &own);
  free(path);
  if (err < 0) caml_failwith(eventring_strerror(err));
  return Val_unit;
}

value bench_own_read(value merged)
{
  enum { BATCH = 256 };
  static struct eventring_event events[BATCH];
  int64_t n, count = 0;
  while ((n = Bool_val(merged) ? eventring_read(own, events, BATCH)
                               : eventring_read_ring(own, 0, events, BATCH))
         > 0) {
    for (int64_t i = 0; i < n; i++) sink = events[i].ns;
    count += n;
  }
  return Val_long(count);
}

value bench_own_close(value unit)
{
  eventring_close(own);
  return Val_unit;
}

#endif
