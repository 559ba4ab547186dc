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

/* Callbacks in C of Runtime_events' consumer library, for consumer.ml, with our
   toolchain and a stock one. */

#define CAML_INTERNALS
#include <stdint.h>
#include <caml/fail.h>
#include <caml/mlvalues.h>
#include <caml/runtime_events.h>
#include <caml/runtime_events_consumer.h>

/* The stock library has these; its header does not. */
extern void caml_runtime_events_set_user_span(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, uintnat event_id,
           char *name, ev_user_span span));
extern void caml_runtime_events_set_user_int(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, uintnat event_id,
           char *name, uint64_t value));

static struct caml_runtime_events_cursor *cursor;
static volatile uint64_t last;  /* callbacks look at the time of an event */
enum { USER, RUNTIME, LOST, COUNTS };
static long count[COUNTS];

static int see(int what, uint64_t time)
{
  last = time;
  count[what]++;
  return 1;
}

static int phase(int domain, void *data, uint64_t time, ev_runtime_phase p)
{
  return see(RUNTIME, time);
}

static int counter(int domain, void *data, uint64_t time,
                   ev_runtime_counter c, uint64_t x)
{
  return see(RUNTIME, time);
}

static int span(int domain, void *data, int64_t time, uintnat id, char *name,
                ev_user_span s)
{
  return see(USER, (uint64_t) time);
}

static int integer(int domain, void *data, int64_t time, uintnat id,
                   char *name, uint64_t x)
{
  return see(USER, (uint64_t) time);
}

static int lost(int domain, void *data, int n)
{
  count[LOST] += n;
  return 1;
}

value bench_consumer_open(value folder, value pid)
{
  if (caml_runtime_events_create_cursor(String_val(folder), Int_val(pid),
                                        &cursor) != E_SUCCESS)
    caml_failwith("no cursor");
  caml_runtime_events_set_runtime_begin(cursor, phase);
  caml_runtime_events_set_runtime_end(cursor, phase);
  caml_runtime_events_set_runtime_counter(cursor, counter);
  caml_runtime_events_set_user_span(cursor, span);
  caml_runtime_events_set_user_int(cursor, integer);
  caml_runtime_events_set_lost_events(cursor, lost);
  return Val_unit;
}

value bench_consumer_poll(value unit)
{
  for (int i = 0; i < COUNTS; i++) count[i] = 0;
  if (caml_runtime_events_read_poll(cursor, NULL, 0, NULL) != E_SUCCESS)
    caml_failwith("poll failed");
  return Val_unit;
}

value bench_consumer_count(value what)
{
  return Val_long(count[Int_val(what)]);
}
