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

/* Writes small ring files with known contents, for the tests of the command:
   make_ring KIND FILE [NAME=VALUE...]

     plain     two rings with every form of event; the process ended
     fields    payloads with named fields, names of domains and threads
     right     spans that begin and end in every way that check accepts
     wrong     mistakes of every kind that check reports
     changed   spans with a begin or an end in a pause made by a consumer
     overtaken a ring that was overwritten, and ends of spans without begins
     killed    open spans of a killed process
     pauses    pauses of known lengths
     summary   known amounts of everything that stat adds up
     stock     the events of summary that stock OCaml records, with its names
     idle      no collections, and one wait
     lost      a ring that was overwritten, of a killed process
     crossing  spans and waits that overlap without nesting, threads, a domain
               that takes the ring of another one
     requests  requests in several rings, of known times
     gap       requests of which a ring has lost runs
     hostile   names and texts with control characters
     long      the longest events: a text that is not UTF-8, and 14 with packed
               integers in fields of one name
     elsewhere plain, on another machine, 3 s later
     damaged   plain, with a block that no writer writes
     version   plain, of another major version
     script    the events on standard input, until the last of which the process
               ran; a line each:

                 RING[/THREAD] NS begin|end|instant|counter NAME [NUMBER...]
                 RING[/THREAD] NS thread_name|domain_name [TEXT]
                 RING 0 totals NUMBER...
                 RING NS state NUMBER

               For NUMBER, a value of the format by its name, such as
               minor_heap_full.  After domain_start the ring belongs to the domain
               in its first field.  Totals are of the ring, in the order of
               FORMAT.md; a file without such a line is of format 1.8, without
               totals.  A state is the one of the header, and NS the time when the
               session ended.
     overwritten  script, with rings of 8192 words that may be overwritten
     roomy     script, with rings for 1000 domains one after the other
     growing   overwritten, of a process that runs, as the lines arrive; times
               are since the start that the header says

   The clock is CLOCK_MONOTONIC of a boot that never happened, so that times are
   printed as they are written here.

   NAME=VALUE changes the header: pid, namespace, start_time, started (in s of
   the wall clock), monotonic (ns, when tracing started by that clock),
   traced_since (by that clock, of the first session), session, program;
   boot=ID; state=1 while the process runs; threshold; samples, the first ring of
   samples; minor, the minor version of the format.  hold=1: the file stays mapped
   for writing, as by its process, until this program is killed. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../ring/ring_file.h"

#define RINGS 3
#define PID 4242424               /* over the largest pid of Linux */

static struct ring_file file;
static uint64_t start = 5000000000;     /* ns, when tracing started */

/* The schema */

enum {
#define PHASE(id, number, category, name, doc) id = number,
#define COUNTER(id, number, category, unit, name, doc) id = number,
#define LIFECYCLE(id, number, category, name, doc) id = number,
#define RECORD(id, number, category, payload, unit, name, doc) id = number,
#define COMPLETE(id, number, category, name, doc) id = number,
#include "caml/eventring_events.tbl"
};
enum {
#define CATEGORY(id, bit, name, by_default, doc) BIT_##id = bit,
#include "caml/eventring_events.tbl"
};
enum {
#define CAUSE(id, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum {
#define STOP(id, name, doc) id,
#define STACK(id, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum {
  TEXT = EVENTRING_FIRST_USER_ID, NUMBERS, SPAN, OTHER_SPAN, QUEUE, ORDER
};

/* Adds a field, and changes the event's payload to packed integers. */
static void add_field(uint32_t event, uint32_t place, const char *unit,
                      int repeats, const char *name)
{
  struct eventring_schema_entry *e = ring_schema_entry(&file, 0);
  while (e->id != event) e++;
  e->payload = EVENTRING_PACKED;
  ring_field(&file, event, place, unit, repeats, name);
}

static void user_event(uint32_t id, uint32_t kind, uint32_t payload,
                       const char *unit, const char *name)
{
  ring_schema(&file, id, kind, payload, EVENTRING_USER_BIT, unit, name);
}

static void make_schema(void)
{
#define CATEGORY(id, bit, name, by_default, doc) \
  ring_schema(&file, 0, EVENTRING_CATEGORY, 0, bit, "", name);
#include "caml/eventring_events.tbl"
#define PHASE(id, number, in, name, doc) \
  ring_schema(&file, id, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, BIT_##in, "", \
              name);
#include "caml/eventring_events.tbl"
#define COUNTER(id, number, in, unit, name, doc) \
  ring_schema(&file, id, EVENTRING_COUNTER, EVENTRING_INT, BIT_##in, unit, \
              name);
#include "caml/eventring_events.tbl"
#define LIFECYCLE(id, number, in, name, doc) \
  ring_schema(&file, id, EVENTRING_INSTANT, EVENTRING_INT, BIT_##in, "", name);
#include "caml/eventring_events.tbl"
#define RECORD(id, number, in, payload, unit, name, doc) \
  ring_schema(&file, id, EVENTRING_INSTANT, EVENTRING_##payload, BIT_##in, \
              unit, name);
#define COMPLETE(id, number, in, name, doc) \
  ring_schema(&file, id, EVENTRING_COMPLETE, EVENTRING_PACKED, BIT_##in, "", \
              name);
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) \
  add_field(event, place, unit, repeats, name);
#include "caml/eventring_events.tbl"
#define CAUSE(id, name, doc) ring_value(&file, "cause", id, name);
#define STOP(id, name, doc) ring_value(&file, "reason", id, name);
#define STACK(id, name, doc) ring_value(&file, "stack", id, name);
#define VALUE(unit, id, number, name, doc) \
  ring_value(&file, unit, number, name);
#include "caml/eventring_events.tbl"
  user_event(TEXT, EVENTRING_INSTANT, EVENTRING_BYTES, "", "request text");
  user_event(NUMBERS, EVENTRING_INSTANT, EVENTRING_INTS, "blocks", "sizes");
  user_event(SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", "my.span");
  user_event(OTHER_SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", "other");
  user_event(QUEUE, EVENTRING_COUNTER, EVENTRING_INT, "words", "queue");
  user_event(ORDER, EVENTRING_REQUEST, EVENTRING_INT, "", "order");
}

/* Events */

static void emit(uint32_t ring, uint64_t at, uint32_t form, uint32_t id,
                 uint32_t words, const uint64_t *payload)
{
  ring_write(&file, ring, start + at, form, id, payload, words);
}

#define PACKED(ring, at, form, id, ...) \
  ring_packed(&file, ring, start + (at), EVENTRING_FORM_##form, id, \
              (uint64_t[]) { __VA_ARGS__ }, \
              sizeof (uint64_t[]) { __VA_ARGS__ } / sizeof(uint64_t))

static void begin(uint32_t ring, uint64_t at, uint32_t id)
{
  emit(ring, at, EVENTRING_FORM_BEGIN, id, 0, NULL);
}

static void end(uint32_t ring, uint64_t at, uint32_t id)
{
  emit(ring, at, EVENTRING_FORM_END, id, 0, NULL);
}

static void span(uint32_t ring, uint64_t from, uint64_t to, uint32_t id)
{
  begin(ring, from, id);
  end(ring, to, id);
}

/* Names a domain. */
static void name_domain(uint32_t domain, const char *name)
{
  ring_label(&file, domain, 0, -1, name);
}

/* Makes ring [ring] belong to [domain] from its next event on. */
static void change_domain(uint32_t ring, uint32_t domain)
{
  ring_domain(&file, ring, domain, PID + ring);
}

static void instant(uint32_t ring, uint64_t at, uint32_t id, uint64_t value)
{
  emit(ring, at, EVENTRING_FORM_INSTANT, id, 1, &value);
}

static void count(uint32_t ring, uint64_t at, uint32_t id, int64_t value)
{
  ring_count(&file, ring, start + at, id, (uint64_t) value);
}

static void text(uint32_t ring, uint64_t at, uint32_t id, const char *s)
{
  uint64_t words[32] = { strlen(s) };
  memcpy(words + 1, s, strlen(s));
  emit(ring, at, EVENTRING_FORM_INSTANT, id,
       1 + (uint32_t) (strlen(s) + 7) / 8, words);
}

/* Contents */

static void plain(void)
{
  instant(0, 0, EV_RING_START, PID);
  begin(0, 1000, EV_MINOR);
  instant(1, 1500, EV_DOMAIN_SPAWN, PID);
  count(0, 2000, EV_C_REQUEST_MAJOR_ALLOC_SHR, 1);
  end(0, 3000, EV_MINOR);
  count(1, 4000, QUEUE, -17);
  text(1, 1000000000, TEXT, "caf\303\251 \"au lait\"");
  emit(1, 1000000001, EVENTRING_FORM_INSTANT, NUMBERS, 3,
       (uint64_t[]) { 1, (uint64_t) -2, UINT64_C(1) << 62 });
  span(0, 2500000000, 2500000700, SPAN);
  emit(1, 3000000000, EVENTRING_FORM_INSTANT, 60000, 2,
       (uint64_t[]) { 0xAB, 0xCD });
  instant(0, 12345678901, EV_RING_STOP, 0);
}

static void fields(void)
{
  name_domain(0, "main");
  name_domain(1, "worker \"one\"");
  ring_label(&file, 1, PID + 1, -1, "pool");
  ring_label(&file, 1, 77, 3, "writer");
  name_domain(0, "boss");                               /* the newest holds */
  PACKED(0, 0, INSTANT, EV_DOMAIN_START, 0, 0, 0);
  PACKED(1, 1000, INSTANT, EV_DOMAIN_START, 1, 0, 1);
  begin(0, 2000, EV_MINOR);
  PACKED(0, 3000, END, EV_MINOR, 4096, 262144, EV_CAUSE_MINOR_HEAP_FULL, 1);
  PACKED(2, 4000, INSTANT, EV_DOMAIN_START, 2, 1, 2);
  PACKED(1, 500000, INSTANT, EV_STOP, 310000, 0, EV_STOP_MINOR,
         EV_CAUSE_GC_MINOR, 0, 200, 0, 1, 11000, 0);
  PACKED(1, 600000, INSTANT, EV_THREAD_RUN, 3, 77);
  PACKED(1, 700000, INSTANT, EV_MUTEX_WAIT, 12, 0);
  span(1, 700001, 700002, SPAN);
  PACKED(1, 800000, INSTANT, EV_THREAD_RUN, 4, 78);
  PACKED(0, 900000, INSTANT, EV_PROCESS_MEMORY, 1000, 12897484);
  PACKED(0, 900001, INSTANT, EV_MINOR_HEAP_SIZE, 262144, 524288);
  /* A cause and fields of a newer version. */
  begin(0, 900002, EV_MAJOR_SLICE);
  PACKED(0, 900003, END, EV_MAJOR_SLICE, 60, 5, 6);
}

static void right(void)
{
  /* Tracing started inside of three spans. */
  end(0, 1, EV_MINOR);
  end(0, 2, EV_EXPLICIT_GC_MINOR);
  end(0, 3, SPAN);
  /* Proper nesting, and spans inside of themselves. */
  begin(0, 1000, EV_EXPLICIT_GC_MAJOR);
  begin(0, 1001, EV_STW_LEADER);
  begin(0, 1002, EV_MINOR);
  PACKED(0, 1003, END, EV_MINOR, 1, 2, EV_CAUSE_GC_MAJOR, 0);
  end(0, 1004, EV_STW_LEADER);
  begin(0, 1005, EV_EXPLICIT_GC_MAJOR);
  end(0, 1006, EV_EXPLICIT_GC_MAJOR);
  end(0, 1007, EV_EXPLICIT_GC_MAJOR);
  PACKED(0, 1008, INSTANT, EV_STOP, 1000, 0, EV_STOP_MINOR,
         EV_CAUSE_GC_MINOR, 0, 0, 0);
  begin(0, 1009, EV_MAJOR);
  begin(0, 1009, EV_MAJOR_SLICE);
  span(0, 1009, 1009, EV_MAJOR);
  end(0, 1009, EV_MAJOR_SLICE);
  end(0, 1009, EV_MAJOR);
  /* A wait 1 ns longer than the time since the start. */
  PACKED(0, 1009, INSTANT, EV_MUTEX_WAIT, 1010, 0);
  /* Threads: 1 begins, 2 begins, 1 ends; a span begun by one and ended by the
     other, one that goes to another domain, and one inside of itself. */
  PACKED(0, 2000, INSTANT, EV_THREAD_RUN, 1, PID + 10);
  begin(0, 2001, EV_EXPLICIT_GC_MAJOR);
  begin(0, 2002, EV_DOMAIN_CONDITION_WAIT);
  begin(0, 2003, SPAN);
  begin(0, 2004, SPAN);
  begin(0, 2005, OTHER_SPAN);
  PACKED(0, 2100, INSTANT, EV_THREAD_RUN, 2, PID + 11);
  begin(0, 2101, EV_EXPLICIT_GC_MAJOR);
  begin(0, 2102, EV_DOMAIN_CONDITION_WAIT);
  end(0, 2103, OTHER_SPAN);
  PACKED(0, 2200, INSTANT, EV_THREAD_RUN, 1, PID + 10);
  end(0, 2201, EV_DOMAIN_CONDITION_WAIT);
  end(0, 2202, EV_EXPLICIT_GC_MAJOR);
  end(0, 2203, SPAN);
  PACKED(0, 2300, INSTANT, EV_THREAD_RUN, 2, PID + 11);
  end(0, 2301, EV_DOMAIN_CONDITION_WAIT);
  end(0, 2302, EV_EXPLICIT_GC_MAJOR);
  instant(1, 2310, EV_DOMAIN_SPAWN, PID);
  end(1, 2320, SPAN);
  /* During a pause of tracing, ends and begins are missing. */
  begin(1, 3000, EV_MINOR);
  begin(0, 3000, EV_MINOR);
  begin(0, 3001, SPAN);
  instant(0, 3002, EV_RING_PAUSE, 0);
  begin(1, 3003, EV_MINOR_CLEAR);
  instant(0, 3004, EV_RING_RESUME, 0);
  end(1, 3005, EV_MINOR);
  end(1, 3006, EV_STW_HANDLER);
  end(0, 3007, OTHER_SPAN);
  end(0, 3008, OTHER_SPAN);
  span(0, 3009, 3010, EV_MINOR);
  emit(1, 4000, EVENTRING_FORM_INSTANT, EV_DOMAIN_TERMINATE, 0, NULL);
  /* Another domain in this ring, which still collects when the program exits
     inside of spans. */
  change_domain(1, 5);
  end(1, 5001, EV_MINOR);
  begin(1, 5002, EV_MINOR);
  begin(0, 6000, EV_EXPLICIT_GC_COMPACT);
  begin(0, 6001, SPAN);
  instant(0, 6002, EV_PROCESS_EXIT, 0);
  instant(0, 6003, EV_RING_STOP, 0);
}

static void wrong(void)
{
  /* Ends without begin: the first of each may belong to a span that began
     before tracing, the second may not. */
  end(0, 1000, EV_MINOR);
  end(0, 1001, EV_MINOR);
  end(0, 1002, SPAN);
  end(0, 1003, SPAN);
  /* Ends without begin in a domain that started during tracing. */
  instant(1, 2000, EV_DOMAIN_SPAWN, PID);
  end(1, 2001, EV_MINOR);
  end(1, 2002, SPAN);
  /* No end of a span inside of another span. */
  begin(0, 3000, EV_STW_LEADER);
  begin(0, 3001, EV_MINOR);
  end(0, 3002, EV_STW_LEADER);
  /* Spans that end in the order of their begins. */
  begin(0, 3010, EV_MINOR);
  begin(0, 3011, EV_MINOR_CLEAR);
  end(0, 3012, EV_MINOR);
  end(0, 3013, EV_MINOR_CLEAR);
  /* Time goes back. */
  emit(1, 4000, EVENTRING_FORM_INSTANT, EV_RING_START, 0, NULL);
  emit(1, 3999, EVENTRING_FORM_INSTANT, EV_RING_START, 0, NULL);
  /* Waits that are longer than the trace, and one that is not. */
  PACKED(0, 5000, INSTANT, EV_MUTEX_WAIT, 7000, 0);
  PACKED(0, 5001, INSTANT, EV_MUTEX_WAIT, UINT64_MAX - 1, 0);
  PACKED(0, 5002, INSTANT, EV_MUTEX_WAIT, 5002, 0);
  /* Unknown causes, and an unknown reason of a stop. */
  begin(0, 6000, EV_MINOR);
  PACKED(0, 6001, END, EV_MINOR, 0, 0, EV_CAUSE_UNKNOWN, 0);
  PACKED(0, 6002, INSTANT, EV_STOP, 0, 0, EV_STOP_UNKNOWN,
         EV_CAUSE_UNKNOWN, 0, 0, 0);
  /* A domain ends inside of spans. */
  begin(1, 7000, EV_EXPLICIT_GC_MAJOR);
  begin(1, 7001, EV_MINOR);
  begin(1, 7002, OTHER_SPAN);
  instant(1, 7003, EV_DOMAIN_TERMINATE, PID);
  /* A thread ends inside of a span. */
  PACKED(0, 7100, INSTANT, EV_THREAD_RUN, 1, PID + 10);
  begin(0, 7101, OTHER_SPAN);
  PACKED(0, 7102, INSTANT, EV_THREAD_END, 1);
  /* The program exits inside of a collection. */
  begin(0, 8000, EV_EXPLICIT_GC_MAJOR);
  begin(0, 8001, EV_MINOR);
  instant(0, 8002, EV_PROCESS_EXIT, 0);
  instant(0, 8003, EV_RING_STOP, 0);
}

/* A consumer has paused the recording and resumed it: marks in the header. */
static void changed(void)
{
  span(0, 1000, 2000, SPAN);
  begin(0, 3000, EV_MINOR);
  file.header->marks[0] = start + 4000;
  file.header->marks[1] = start + 4001;
  file.header->marks[2] = start + 5000;
  file.header->marks[3] = start + 5001;
  file.header->marks_made = 4;
  end(0, 6000, SPAN);
  end(0, 7000, EV_MINOR);
  span(0, 8000, 9000, EV_MINOR);
  instant(0, 10000, EV_RING_STOP, 0);
}

/* 100 minor collections of 1, 2, ... 100 us for three causes, all but ten of
   them with domain 7; a slice of 2.5 ms in domain 0; domain 9, which takes the
   ring of domain 7; and events that are no pauses and must not count. */
static void pauses(void)
{
  name_domain(7, "worker");
  uint64_t t = 1000;
  end(0, t, EV_MINOR);    /* no begin */
  for (uint64_t i = 1; i <= 100; i++) {
    uint64_t took = i * 1000, asked_by = i % 25 == 0 ? 7 : 0;
    uint32_t cause = i % 10 == 0 ? EV_CAUSE_GC_MINOR
              : i == 1 ? EV_CAUSE_GC_SET : EV_CAUSE_MINOR_HEAP_FULL;
    begin(0, t, EV_MINOR);
    PACKED(0, t + took, END, EV_MINOR, 10, 20, cause, asked_by);
    if (i <= 10)
      PACKED(0, t + took, INSTANT, EV_STOP, took, asked_by, EV_STOP_MINOR,
             cause, 0, 0, 0);
    else
      PACKED(0, t + took, INSTANT, EV_STOP, took - 500, asked_by,
             EV_STOP_MINOR, cause, 0, 0, 0, 7, 500, 0);
    t += 1000000;
  }
  begin(0, t, EV_MAJOR_SLICE);
  PACKED(0, t + 2500000, END, EV_MAJOR_SLICE, EV_CAUSE_HALF_MINOR_HEAP);
  /* A stop without stopped domains, and a wait, which is no pause. */
  PACKED(0, t + 2600000, INSTANT, EV_STOP, 0, 0, EV_STOP_SLICE,
         EV_CAUSE_GLOBAL_SLICE);
  PACKED(0, t + 2700000, INSTANT, EV_MUTEX_WAIT, 1000, 0);
  begin(0, t + 3000000, EV_MAJOR_SLICE);

  change_domain(1, 7);
  begin(1, 40000, EV_MINOR);
  begin(1, 50000, EV_MINOR);
  PACKED(1, 51000, END, EV_MINOR, 10, 20, EV_CAUSE_GC_MINOR, 7);
  begin(1, 60000, EV_MINOR);
  change_domain(1, 9);
  end(1, 71000, EV_MINOR);
  /* A cause of a newer version. */
  begin(1, 80000, EV_MINOR);
  PACKED(1, 80123, END, EV_MINOR, 10, 20, 1000, 9);

  change_domain(2, 3);
  begin(2, 100, EV_MINOR);
  instant(2, 200, EV_RING_PAUSE, 0);
  instant(2, 300, EV_RING_RESUME, 0);
  end(2, 400, EV_MINOR);
}

/* Domain 0 runs for 20 ms and domain 1 for 13 ms; tracing is paused for 2 ms of
   both.  A call of Gc takes 1 ms: a minor collection, which stops domain 0 for
   200 us and domain 1 for 150 us, a compaction and the end of a cycle.  Then a
   slice of 200 us with another slice in it, waits of 300 and 500 us, and a
   minor collection of 210 us, which the backup thread does for domain 1 while
   domain 1 waits to join. */
#define MS 1000000
#define BACKUP 999
#define NO_THREAD 0xFFFFFFFF

static void summary_minor(uint64_t from, uint64_t to_0, uint64_t to_1,
                          uint32_t cause)
{
  begin(0, from, EV_MINOR);
  begin(1, from, EV_MINOR);
  PACKED(1, to_1, END, EV_MINOR, 50, 500, cause, 0);
  PACKED(0, to_0, END, EV_MINOR, 100, 1000, cause, 0);
}

static void summary(void)
{
  name_domain(1, "worker");
  instant(0, 0, EV_RING_START, PID);
  PACKED(1, 1 * MS, INSTANT, EV_DOMAIN_START, 1, 0, 1);

  begin(0, 2000000, EV_EXPLICIT_GC_COMPACT);
  summary_minor(2100000, 2200000, 2150000, EV_CAUSE_GC_COMPACT);
  PACKED(0, 2250000, INSTANT, EV_STOP, 150000, 0, EV_STOP_MINOR,
         EV_CAUSE_GC_COMPACT, 0, 10000, 0, 1, 60000, 0);
  for (uint32_t ring = 0; ring < 2; ring++) {
    begin(ring, 2300000, EV_COMPACT);
    PACKED(ring, 2350000, END, EV_COMPACT, EV_CAUSE_GC_COMPACT, 0);
    begin(ring, 2500000, EV_MAJOR_GC_CYCLE_DOMAINS);
    PACKED(ring, 2580000, END, EV_MAJOR_GC_CYCLE_DOMAINS,
           EV_CAUSE_GC_COMPACT, 0);
  }
  end(0, 3000000, EV_EXPLICIT_GC_COMPACT);

  begin(1, 4000000, EV_MAJOR_SLICE);
  begin(1, 4050000, EV_MAJOR_SLICE);
  PACKED(1, 4100000, END, EV_MAJOR_SLICE, EV_CAUSE_OTHER_DOMAIN, 300);
  PACKED(1, 4200000, END, EV_MAJOR_SLICE, EV_CAUSE_HALF_MINOR_HEAP, 700);

  PACKED(0, 5000000, INSTANT, EV_MUTEX_WAIT, 300000, 0);
  PACKED(0, 6000000, INSTANT, EV_CONDITION_WAIT, 500000, 0);

  PACKED(1, 7000000, INSTANT, EV_THREAD_RUN, NO_THREAD, BACKUP);
  summary_minor(7100000, 7250000, 7300000, EV_CAUSE_MINOR_HEAP_FULL);
  PACKED(1, 7305000, INSTANT, EV_THREAD_RUN, NO_THREAD, PID + 1);
  PACKED(1, 7306000, INSTANT, EV_DOMAIN_JOIN, 700000, 0);
  PACKED(0, 7310000, INSTANT, EV_STOP, 210000, 0, EV_STOP_MINOR,
         EV_CAUSE_MINOR_HEAP_FULL, 0, 0, 0, 1, 0, 0);

  PACKED(0, 8 * MS, INSTANT, EV_HEAP, 40960, 20000, 1000, 300, 10, 1, 20660,
         7, 10, 0);
  PACKED(1, 8 * MS, INSTANT, EV_HEAP, 4096, 2000, 0, 96, 10, 0, 2000, 0, 1,
         0);
  PACKED(0, 8 * MS, INSTANT, EV_PROCESS_MEMORY, 1048576, 524288);
  PACKED(1, 8 * MS, INSTANT, EV_MINOR_HEAP_SIZE, 262144, 524288);
  span(0, 9000000, 9500000, SPAN);
  span(0, 9600000, 9700000, SPAN);
  span(1, 9000000, 9200000, OTHER_SPAN);
  instant(0, 10 * MS, EV_RING_PAUSE, 0);
  instant(0, 12 * MS, EV_RING_RESUME, 0);
  PACKED(1, 14 * MS, INSTANT, EV_ALLOCATED_AT_END, 40, 5);
  instant(1, 14 * MS, EV_DOMAIN_TERMINATE, PID);
  PACKED(0, 20 * MS - 1, INSTANT, EV_ALLOCATED_AT_END, 60, 0);
  instant(0, 20 * MS, EV_RING_STOP, 0);
}

/* Stock OCaml records no causes; stops are spans, and amounts are counters,
   some of them in bytes. */
enum { C_PROMOTED = 300, C_ALLOCATED, C_POOLS, C_POOLS_LIVE, C_LARGE,
       C_FRAGMENTED, C_MAJOR };

static void stock_counter(uint32_t id, const char *unit, const char *name)
{
  ring_schema(&file, id, EVENTRING_COUNTER, EVENTRING_INT, 0, unit, name);
}

static void stock_minor(uint32_t ring, uint64_t from)
{
  begin(ring, from, ring == 0 ? EV_STW_LEADER : EV_STW_HANDLER);
  begin(ring, from + 10000, EV_MINOR);
  count(ring, from + 50000, C_PROMOTED, 800);
  count(ring, from + 50001, C_ALLOCATED, 16000);
  end(ring, from + 90000, EV_MINOR);
  end(ring, from + 100000, ring == 0 ? EV_STW_LEADER : EV_STW_HANDLER);
}

static void stock(void)
{
  for (uint32_t i = 0; i < file.header->schema_count; i++) {
    struct eventring_schema_entry *e = ring_schema_entry(&file, i);
    if (e->kind == EVENTRING_FIELD) e->id = 0;
    if (e->id == EV_STOP || e->id >= EVENTRING_FIRST_USER_ID)
      snprintf(e->name, sizeof e->name, "?");
  }
  stock_counter(C_PROMOTED, "bytes", "minor_promoted");
  stock_counter(C_ALLOCATED, "bytes", "minor_allocated");
  stock_counter(C_POOLS, "words", "major_heap_pool_words");
  stock_counter(C_POOLS_LIVE, "words", "major_heap_pool_live_words");
  stock_counter(C_LARGE, "words", "major_heap_large_words");
  stock_counter(C_FRAGMENTED, "words", "major_heap_pool_frag_words");
  stock_counter(C_MAJOR, "words", "major_allocated_words");

  instant(0, 0, EV_RING_START, PID);
  instant(1, 0, EV_DOMAIN_SPAWN, PID);
  for (uint32_t ring = 0; ring < 2; ring++) {
    stock_minor(ring, 1 * MS);
    stock_minor(ring, 2 * MS);
    span(ring, 3 * MS, 3 * MS + 50000, EV_MAJOR_GC_CYCLE_DOMAINS);
    span(ring, 4 * MS, 4 * MS + 60000, EV_MAJOR_SLICE);
    /* The promoted words, 200, and 500. */
    count(ring, 4 * MS + 70000, C_MAJOR, 700);
    count(ring, 5 * MS, C_POOLS, 4096);
    count(ring, 5 * MS, C_POOLS_LIVE, 2048);
    count(ring, 5 * MS, C_LARGE, 1024);
    count(ring, 5 * MS, C_FRAGMENTED, 64);
  }
  span(0, 6 * MS, 7 * MS, EV_EXPLICIT_GC_FULL_MAJOR);
  instant(0, 10 * MS, EV_RING_STOP, 0);
}

static void lost(void)
{
  file.header->state = EVENTRING_RUNNING;
  for (uint64_t i = 0; i < 1000; i++)
    count(0, i * 1000, QUEUE, (int64_t) i);
}

static void overtaken(void)
{
  begin(0, 0, EV_EXPLICIT_GC_MAJOR);
  begin(0, 1, SPAN);
  begin(0, 2, SPAN);
  for (uint64_t i = 10; i < 1000; i++)
    count(0, i, QUEUE, (int64_t) i);
  end(0, 1000, EV_EXPLICIT_GC_MAJOR);
  end(0, 1001, SPAN);
  end(0, 1002, SPAN);
}

/* The collector does nothing, and the domain waits for a quarter of the
   time. */
static void idle(void)
{
  instant(0, 0, EV_RING_START, PID);
  PACKED(0, 7 * MS, INSTANT, EV_BLOCKING_SECTION, 5 * MS, 0);
  instant(0, 20 * MS, EV_RING_STOP, 0);
}

/* The end of a domain is lost: another domain has its ring. */
static void passed_on(void)
{
  instant(0, 0, EV_RING_START, PID);
  count(1, 1000, QUEUE, 1);
  ring_domain(&file, 1, 12, PID + 1);
  count(1, 2000, QUEUE, 1);
}

static void killed(void)
{
  file.header->state = EVENTRING_RUNNING;
  begin(0, 0, EV_MINOR);
  begin(0, 1, SPAN);
}

static void crossing(void)
{
  name_domain(0, "main");
  /* A span ends around another one, which goes on. */
  PACKED(0, 0, INSTANT, EV_THREAD_RUN, 1, PID + 10);
  begin(0, 1000, SPAN);
  begin(0, 1100, OTHER_SPAN);
  begin(0, 1200, EV_MINOR);
  PACKED(0, 1300, END, EV_MINOR, 1, 2, EV_CAUSE_GC_MAJOR, 0);
  end(0, 1400, SPAN);
  end(0, 1500, OTHER_SPAN);
  /* A wait that begins before the span around it, and a wait that begins inside
     of the span before it. */
  begin(0, 2000, SPAN);
  PACKED(0, 2500, INSTANT, EV_MUTEX_WAIT, 501, 0);
  end(0, 2600, SPAN);
  PACKED(0, 2800, INSTANT, EV_MUTEX_WAIT, 201, 0);
  PACKED(0, 2900, INSTANT, EV_STOP, 600, 0, EV_STOP_MINOR, EV_CAUSE_GC_MINOR,
         0, 200, 0, 1, 11000, 0, 2, 1, 0, 3, 1, 0, 4, 1, 0, 5, 1, 0);
  /* A span that one thread begins and another one ends, with another span in
     between; and an end without a begin. */
  begin(0, 3000, SPAN);
  PACKED(0, 3100, INSTANT, EV_THREAD_RUN, 2, PID + 11);
  begin(0, 3200, OTHER_SPAN);
  end(0, 3300, SPAN);
  end(0, 3400, SPAN);
  end(0, 3500, OTHER_SPAN);
  /* Spans that are open when another domain takes the ring. */
  change_domain(1, 7);
  begin(1, 4000, EV_MINOR);
  begin(1, 4100, SPAN);
  count(1, 4200, QUEUE, 3);
  count(1, 4300, EV_C_REQUEST_MAJOR_ALLOC_SHR, 4);
  change_domain(1, 8);
  end(1, 5001, EV_MINOR);
  begin(1, 5002, OTHER_SPAN);
}

static void begin_request(uint32_t ring, uint64_t at, uint64_t number)
{
  emit(ring, at, EVENTRING_FORM_BEGIN, ORDER, 1, &number);
}

static void end_request(uint32_t ring, uint64_t at, uint64_t number)
{
  emit(ring, at, EVENTRING_FORM_END, ORDER, 1, &number);
}

/* Says that the thread of ring [ring] works on the request [number]. */
static void run(uint32_t ring, uint64_t at, uint64_t number)
{
  PACKED(ring, at, INSTANT, EV_REQUEST_RUN, number);
}

/* Request 1 is done by two threads in turn: total 9000, running 5000, waiting
   4000.  Request 2 is done by two at a time, one of which turns to it from
   request 1: 5900, 5000, 1900.  Request 3 does not end.  Request 4 began before
   tracing.  Request 5 is run before its begin, by a clock that is a little
   ahead: 400, 400, 0. */
static void requests(void)
{
  begin_request(0, 1000, 1);
  begin_request(0, 1100, 2);
  begin_request(0, 1200, 3);
  run(0, 3000, 2);
  end_request(0, 7000, 2);
  begin_request(0, 9100, 5);
  end_request(0, 9500, 5);
  end_request(0, 10000, 1);
  run(1, 2000, 1);
  run(1, 5000, 2);
  run(1, 6000, 0);
  run(1, 7000, 4);
  end_request(1, 8000, 4);
  run(1, 9000, 5);
  run(2, 1300, 3);
  run(2, 6000, 1);
  run(2, 8000, 0);
}

/* Ring 1 has lost all runs of request 1, some of request 2, and maybe the end of
   request 4.  Request 3 comes after the gap: 1000, 800, 200. */
static void gap(void)
{
  begin_request(0, 1000, 1);
  end_request(0, 3000, 1);
  begin_request(0, 3500, 4);
  begin_request(0, 4000, 2);
  end_request(0, 6000, 2);
  begin_request(0, 7000, 3);
  end_request(0, 8000, 3);
  for (uint64_t i = 0; i < 700; i++)
    count(1, 4001 + i, QUEUE, 0);
  run(1, 5000, 2);
  run(1, 7100, 3);
  run(1, 7900, 0);
}

static void hostile(void)
{
  ring_schema(&file, 2000, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 0, "",
              "\033[2J\033]0;title\007clear");
  ring_schema(&file, 2001, EVENTRING_INSTANT, EVENTRING_INT, 0, "\r\n",
              "two\nlines\ttab");
  ring_schema(&file, 2002, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 0, "",
              "\302\233C1 \342\200\256turned\342\200\254 "
              "\300\257overlong \377");
  ring_schema(&file, 2003, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 0, "",
              " \316\273\317\214\316\263\316\277\317\202  "
              "\360\237\220\253\\x1b ");
  span(0, 1, 2, 2000);
  instant(0, 3, 2001, 5);
  span(0, 4, 5, 2002);
  span(0, 6, 7, 2003);
  text(0, 8, TEXT, "\033[31mred\b\b \"\\  end\n");
  text(0, 9, TEXT, "\377\001");
}

/* The largest number of payload words in a block, with a count word. */
#define LONGEST (EVENTRING_MAX_BLOCK_WORDS - EVENTRING_BLOCK_HEADER_WORDS - 2)

static void long_events(void)
{
  uint64_t words[LONGEST], integers[LONGEST * 8];
  ring_schema(&file, 2000, EVENTRING_INSTANT, EVENTRING_PACKED, 0, "", "many");
  ring_field(&file, 2000, 0, "", 1, "n");
  memset(words, 0xFF, sizeof words);
  words[0] = sizeof words - sizeof *words;
  emit(0, 1, EVENTRING_FORM_INSTANT, TEXT, LONGEST, words);
  for (uint32_t i = 0; i < LONGEST * 8; i++) integers[i] = i % 128;
  ring_pack(words, integers, LONGEST * 8);
  for (uint64_t at = 2; at <= 15; at++)
    emit(0, at, EVENTRING_FORM_INSTANT, 2000, LONGEST, words);
}

/* A block that no writer writes. */
static void damaged(void)
{
  plain();
  ring_words(&file, 1)[EVENTRING_BLOCK_EVENTS] = 1000000;
}

static void version(void)
{
  plain();
  file.header->version_major++;
}

static void elsewhere(void)
{
  plain();
  file.header->started.realtime_ns += 3000000000;
  strcpy(file.header->boot_id, "11111111-1111-1111-1111-111111111111");
}

static int overwrites;            /* a script may be longer than the rings */

static _Noreturn void refuse(const char *what, const char *word)
{
  fprintf(stderr, "make_ring: %s %s\n", what, word);
  exit(2);
}

/* Returns the schema entry with this name, of a value or of an event. */
static struct eventring_schema_entry *named(const char *name, int is_value)
{
  for (uint32_t i = 0; i < file.header->schema_count; i++) {
    struct eventring_schema_entry *e = ring_schema_entry(&file, i);
    if (strncmp(e->name, name, sizeof e->name) == 0
        && (e->kind == EVENTRING_VALUE) == is_value
        && (is_value || e->id != 0) && e->kind != EVENTRING_FIELD)
      return e;
  }
  refuse("no event or value", name);
}

static uint64_t number_of(const char *word)
{
  char *end;
  uint64_t number = strtoull(word, &end, 10);
  return end != word && *end == '\0' ? number : named(word, 1)->place;
}

static const char *next_word(char **words)
{
  const char *word = strtok_r(NULL, " ", words);
  if (word == NULL) refuse("a line is too short", "");
  return word;
}

/* Names the domain of ring [ring], or its thread, from [at] on, if [word] says
   so.  Returns whether it does. */
static int write_name(uint32_t ring, uint64_t at, const char *word,
                      const char *name)
{
  const struct ring_writer *w = &file.writers[ring];
  const int is_thread = strcmp(word, "thread_name") == 0;
  if (!is_thread && strcmp(word, "domain_name") != 0) return 0;
  ring_label_since(&file, w->domain, is_thread ? w->thread : 0, -1, start + at,
                   name);
  return 1;
}

/* Sets the totals of ring [ring] if [word] says so.  Returns whether it does. */
static int write_totals(uint32_t ring, const char *word, char **words)
{
  if (strcmp(word, "totals") != 0) return 0;
  file.header->version_minor = 9;
  for (int i = 0; (word = strtok_r(NULL, " ", words)) != NULL; i++) {
    if (i == EVENTRING_TOTALS) refuse("too many totals:", word);
    ring_slot(&file, ring)->total[i] = number_of(word);
  }
  return 1;
}

/* Sets the state of the session at [at] if [word] says so.  Returns whether it
   does. */
static int write_state(uint64_t at, const char *word, char **words)
{
  if (strcmp(word, "state") != 0) return 0;
  file.header->ended =
    (struct eventring_instant) { start + at, start + at, 1000000000 + at };
  __atomic_store_n(&file.header->state,
                   (uint32_t) number_of(next_word(words)), __ATOMIC_RELEASE);
  return 1;
}

/* Writes the event of a line, of which the words after the ring are left. */
static void write_line(uint32_t ring, char **words)
{
  static const char *const forms[] = {
    [EVENTRING_FORM_BEGIN] = "begin", [EVENTRING_FORM_END] = "end",
    [EVENTRING_FORM_INSTANT] = "instant", [EVENTRING_FORM_COUNTER] = "counter"
  };
  uint64_t numbers[64], at = number_of(next_word(words));
  uint32_t count = 0, form = 0;
  const char *word = next_word(words);
  if (write_name(ring, at, word, *words) || write_totals(ring, word, words)
      || write_state(at, word, words))
    return;
  while (form < sizeof forms / sizeof *forms
         && (forms[form] == NULL || strcmp(forms[form], word) != 0)) form++;
  if (form == sizeof forms / sizeof *forms) refuse("no form", word);
  struct eventring_schema_entry *e = named(next_word(words), 0);
  while ((word = strtok_r(NULL, " ", words)) != NULL && count < 64)
    numbers[count++] = number_of(word);
  if (e->id == EV_DOMAIN_START) change_domain(ring, (uint32_t) numbers[0]);
  if (e->payload == EVENTRING_PACKED && count > 0)
    ring_packed(&file, ring, start + at, form, e->id, numbers, count);
  else
    emit(ring, at, form, e->id, count, numbers);
  if (file.writers[ring].position > file.header->ring_words && !overwrites)
    refuse("more events than fit into the ring:", e->name);
  file.header->ended =
    (struct eventring_instant) { start + at, start + at, 1000000000 + at };
}

static void script(void)
{
  char line[512];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *words;
    const char *word = strtok_r(line, " ", &words);
    if (word == NULL) continue;
    uint32_t ring, thread;
    int read = sscanf(word, "%" SCNu32 "/%" SCNu32, &ring, &thread);
    if (read < 1 || ring >= RINGS) refuse("no ring", word);
    struct ring_writer *w = &file.writers[ring];
    if (read == 2 && thread != w->thread)
      ring_domain(&file, ring, w->domain, thread);
    write_line(ring, &words);
  }
}

static void overwritten(void)
{
  overwrites = 1;
  script();
}

static void roomy(void)
{
  script();
}

static void growing(void)
{
  start = (uint64_t) file.header->started.monotonic_ns;
  overwritten();
}

static const struct { const char *name; void (*write)(void); } kinds[] = {
  { "plain", plain }, { "fields", fields }, { "right", right },
  { "wrong", wrong }, { "overtaken", overtaken }, { "killed", killed },
  { "changed", changed }, { "pauses", pauses }, { "summary", summary },
  { "stock", stock }, { "idle", idle }, { "lost", lost },
  { "passed_on", passed_on },
  { "crossing", crossing }, { "requests", requests }, { "gap", gap },
  { "hostile", hostile }, { "elsewhere", elsewhere }, { "damaged", damaged },
  { "version", version }, { "long", long_events }, { "script", script },
  { "overwritten", overwritten }, { "roomy", roomy }, { "growing", growing }
};

static void make_file(const char *path, uint32_t log_words)
{
  ring_create(&file, &(struct ring_options) {
                .path = path, .rings = RINGS,
                .log_words = log_words, .pid = PID,
                .other_boot = 1, .schema_capacity = 512 });
  struct eventring_header *h = file.header;
  h->version_minor = 8;
  strcpy(h->program, "/usr/bin/program");
  strcpy(h->runtime, "5.3.0+eventring");
  h->started = (struct eventring_instant) { start, start, 1000000000 };
  h->ended = (struct eventring_instant) { start + 20000000000,
                                          start + 20000000000, 21000000000 };
  for (uint32_t i = 0; i < RINGS; i++) file.writers[i].thread = PID + i;
  make_schema();
}

/* Changes the header.  Returns 0 when [option] is no known NAME=VALUE. */
static int change(struct eventring_header *h, const char *option, int *holds)
{
  const char *value = strchr(option, '=');
  if (value == NULL) return 0;
  size_t length = (size_t) (++value - option);
  unsigned long long number = strtoull(value, NULL, 10);
#define IS(name) (strncmp(option, name "=", length) == 0)
  if (IS("pid")) h->pid = (uint32_t) number;
  else if (IS("namespace")) h->pid_namespace = number;
  else if (IS("time_namespace")) h->time_namespace = number;
  else if (IS("start_time")) h->start_time = number;
  else if (IS("started"))
    h->started.realtime_ns = (int64_t) number * 1000000000;
  else if (IS("monotonic"))
    h->started.monotonic_ns = (int64_t) (h->started.ticks = number);
  else if (IS("session")) h->session = number;
  else if (IS("traced_since")) h->traced_since_ns = (int64_t) number;
  else if (IS("program")) snprintf(h->program, sizeof h->program, "%s", value);
  else if (IS("boot")) snprintf(h->boot_id, sizeof h->boot_id, "%s", value);
  else if (IS("control")) h->control = number;
  else if (IS("state")) h->state = (uint32_t) number;
  else if (IS("threshold")) h->threshold = number;
  else if (IS("minor")) h->version_minor = (uint16_t) number;
  else if (IS("samples")) h->sample_rings_from = (uint32_t) number;
  else if (IS("hold")) *holds = (int) number;
  else return 0;
  return 1;
}

int main(int argc, char **argv)
{
  const size_t all = sizeof kinds / sizeof *kinds;
  size_t kind = 0;
  int holds = 0;
  if (argc < 3) return 2;
  while (kind < all && strcmp(argv[1], kinds[kind].name) != 0) kind++;
  if (kind == all) return 2;
  make_file(argv[2], kinds[kind].write == long_events
                     || kinds[kind].write == overwritten
                     || kinds[kind].write == growing ? 13
                     : kinds[kind].write == script ? 17
                     : kinds[kind].write == roomy ? 19 : 10);
  /* A reader may look at a file that grows from its first event on. */
  const int grows = kinds[kind].write == growing;
  if (!grows) kinds[kind].write();
  for (int i = 3; i < argc; i++)
    if (!change(file.header, argv[i], &holds)) return 2;
  if (grows) kinds[kind].write();
  if (!holds) return 0;
  puts("mapped");
  fflush(stdout);
  for (;;) pause();
}
