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

/* Writes small ring files whose every byte is known, for the tests of the
   command:  make_ring KIND FILE [NAME=VALUE...]

     plain     two rings with every form of event; the process ended
     fields    payloads with named fields, names of domains and threads
     right     all that check accepts
     wrong     all that it does not
     overtaken a ring that went round, and spans whose begin is lost
     killed    spans that are open, of a process that was killed
     pauses    pauses of known lengths
     summary   all that the summary adds up, in known amounts
     stock     the same, as much as stock OCaml records, with its names
     idle      no collections, and one wait
     lost      a ring that went round, of a process that was killed
     crossing  spans and waits that are not inside of each other, threads, a
               domain that begins after another one
     hostile   names and texts that try to command the terminal
     elsewhere plain, on another machine, 3 s later
     damaged   plain, with a block that no writer writes
     version   plain, of another major version

   The clock is CLOCK_MONOTONIC of a machine start that never was, so that
   times are printed as they are written here.

   NAME=VALUE changes the header: pid, namespace, start_time, started (in s of
   the wall clock), program; boot=ID; state=1 while it runs.  hold=1: the file
   stays mapped for writing, as by its process, until this program is killed. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "caml/eventring_format.h"

#define RINGS 3
#define RING_WORDS 1024
#define BLOCK_WORDS 256
#define SCHEMA 256
#define PID 4242424               /* over the largest pid of Linux */
#define START 5000000000          /* ns, when tracing started */

static struct {
  union { struct eventring_header h; char page[EVENTRING_PAGE]; } first;
  struct eventring_schema_entry schema[SCHEMA];
  struct eventring_slot slots[RINGS];
  uint64_t rings[RINGS][RING_WORDS];
} file;

static struct ring { uint64_t events, base; uint32_t domain; } rings[RINGS];

/* The schema */

static struct eventring_schema_entry *entry(int id, int kind, int payload,
                                            const char *unit,
                                            const char *name)
{
  struct eventring_schema_entry *e =
    &file.schema[file.first.h.schema_count++];
  e->id = (uint16_t) id;
  e->kind = (uint8_t) kind;
  e->payload = (uint8_t) payload;
  snprintf(e->unit, sizeof e->unit, "%s", unit);
  snprintf(e->name, sizeof e->name, "%s", name);
  return e;
}

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
#include "caml/eventring_events.tbl"
};
enum { TEXT = EVENTRING_FIRST_USER_ID, NUMBERS, SPAN, OTHER_SPAN, QUEUE };

static void add_field(int event, uint32_t place, const char *unit,
                      uint64_t repeats, const char *name)
{
  struct eventring_schema_entry *e =
    entry(event, EVENTRING_FIELD, 0, unit, name);
  e->place = place;
  e->detail = repeats;
  for (e = file.schema; e->id != event; e++) ;
  e->payload = EVENTRING_PACKED;
}

static void add_value(const char *unit, uint32_t value, const char *name)
{
  entry(0, EVENTRING_VALUE, 0, unit, name)->place = value;
}

/* [os_thread] 0: a domain.  [thread] is 0, or 1 + an id of the threads
   library. */
static void label(uint32_t domain, uint32_t os_thread, uint64_t thread,
                  const char *name)
{
  struct eventring_schema_entry *e = entry(0, EVENTRING_LABEL, 0, "", name);
  e->place = domain;
  e->detail = os_thread | thread << 32;
}

static void user_event(int id, int kind, int payload, const char *unit,
                       const char *name)
{
  entry(id, kind, payload, unit, name)->category = EVENTRING_USER_BIT;
}

static void make_schema(void)
{
#define CATEGORY(id, bit, name, by_default, doc) \
  entry(0, EVENTRING_CATEGORY, 0, "", name)->category = bit;
#include "caml/eventring_events.tbl"
#define PHASE(id, number, in, name, doc) \
  entry(id, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", name)->category = \
    BIT_##in;
#include "caml/eventring_events.tbl"
#define COUNTER(id, number, in, unit, name, doc) \
  entry(id, EVENTRING_COUNTER, EVENTRING_INT, unit, name)->category = \
    BIT_##in;
#include "caml/eventring_events.tbl"
#define LIFECYCLE(id, number, in, name, doc) \
  entry(id, EVENTRING_INSTANT, EVENTRING_INT, "", name)->category = \
    BIT_##in;
#include "caml/eventring_events.tbl"
#define RECORD(id, number, in, payload, unit, name, doc) \
  entry(id, EVENTRING_INSTANT, EVENTRING_##payload, unit, name)->category = \
    BIT_##in;
#define COMPLETE(id, number, in, name, doc) \
  entry(id, EVENTRING_COMPLETE, EVENTRING_PACKED, "", name)->category = \
    BIT_##in;
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) \
  add_field(event, place, unit, repeats, name);
#include "caml/eventring_events.tbl"
#define CAUSE(id, name, doc) add_value("cause", id, name);
#define STOP(id, name, doc) add_value("reason", id, name);
#include "caml/eventring_events.tbl"
  user_event(TEXT, EVENTRING_INSTANT, EVENTRING_BYTES, "", "request text");
  user_event(NUMBERS, EVENTRING_INSTANT, EVENTRING_INTS, "blocks", "sizes");
  user_event(SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", "my.span");
  user_event(OTHER_SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", "other");
  user_event(QUEUE, EVENTRING_COUNTER, EVENTRING_INT, "words", "queue");
}

/* Events */

static void put(int ring, uint64_t word)
{
  struct eventring_slot *slot = &file.slots[ring];
  file.rings[ring][slot->tail++ % RING_WORDS] = word;
}

static void begin_block(int ring, uint64_t ns)
{
  struct eventring_slot *slot = &file.slots[ring];
  while (slot->tail % BLOCK_WORDS != 0) put(ring, 0);
  slot->reserve = slot->tail + BLOCK_WORDS;
  put(ring, ns);
  put(ring, ns);
  put(ring, rings[ring].events);
  put(ring, rings[ring].domain | (uint64_t) (PID + ring) << 32);
  rings[ring].base = ns;
}

static void emit(int ring, uint64_t at, int form, int id, uint32_t words,
                 const uint64_t *payload)
{
  struct eventring_slot *slot = &file.slots[ring];
  uint64_t ns = START + at;
  if (slot->tail % BLOCK_WORDS + words + 1 > BLOCK_WORDS
      || slot->tail % BLOCK_WORDS == 0)
    begin_block(ring, ns);
  put(ring, EVENTRING_WORD(id, form, words)
            | (ns - rings[ring].base) << EVENTRING_TICKS_SHIFT);
  for (uint32_t i = 0; i < words; i++) put(ring, payload[i]);
  rings[ring].events++;
}

/* Integers up to UINT64_MAX, which ends them. */
#define END UINT64_MAX
static void packed(int ring, uint64_t at, int form, int id,
                   const uint64_t *integers)
{
  uint8_t bytes[32 * 8] = { 0 };
  uint64_t words[32];
  uint32_t length = 0;
  for (; *integers != END; integers++) {
    uint64_t n = *integers;
    for (; n >= 0x80; n >>= 7) bytes[length++] = (uint8_t) (n | 0x80);
    bytes[length++] = (uint8_t) n;
  }
  while (length % 8 != 0) bytes[length++] = 0x80;
  memcpy(words, bytes, length);
  emit(ring, at, form, id, length / 8, words);
}
#define PACKED(ring, at, form, id, ...) \
  packed(ring, at, EVENTRING_FORM_##form, id, \
         (uint64_t[]) { __VA_ARGS__, END })

static void begin(int ring, uint64_t at, int id)
{
  emit(ring, at, EVENTRING_FORM_BEGIN, id, 0, NULL);
}

static void end(int ring, uint64_t at, int id)
{
  emit(ring, at, EVENTRING_FORM_END, id, 0, NULL);
}

static void instant(int ring, uint64_t at, int id)
{
  emit(ring, at, EVENTRING_FORM_INSTANT, id, 0, NULL);
}

static void span(int ring, uint64_t from, uint64_t to, int id)
{
  begin(ring, from, id);
  end(ring, to, id);
}

static void value(int ring, uint64_t at, int form, int id, int64_t v)
{
  emit(ring, at, form, id, 1, (uint64_t[]) { (uint64_t) v });
}

static void text(int ring, uint64_t at, int id, const char *s)
{
  uint64_t words[32] = { strlen(s) };
  memcpy(words + 1, s, strlen(s));
  emit(ring, at, EVENTRING_FORM_INSTANT, id,
       1 + (uint32_t) (strlen(s) + 7) / 8, words);
}

/* Contents */

static void plain(void)
{
  value(0, 0, EVENTRING_FORM_INSTANT, EV_RING_START, PID);
  begin(0, 1000, EV_MINOR);
  value(1, 1500, EVENTRING_FORM_INSTANT, EV_DOMAIN_SPAWN, PID);
  value(0, 2000, EVENTRING_FORM_COUNTER, EV_C_REQUEST_MAJOR_ALLOC_SHR, 1);
  end(0, 3000, EV_MINOR);
  value(1, 4000, EVENTRING_FORM_COUNTER, QUEUE, -17);
  text(1, 1000000000, TEXT, "caf\303\251 \"au lait\"");
  emit(1, 1000000001, EVENTRING_FORM_INSTANT, NUMBERS, 3,
       (uint64_t[]) { 1, (uint64_t) -2, UINT64_C(1) << 62 });
  span(0, 2500000000, 2500000700, SPAN);
  emit(1, 3000000000, EVENTRING_FORM_INSTANT, 60000, 2,
       (uint64_t[]) { 0xAB, 0xCD });
  value(0, 12345678901, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

static void fields(void)
{
  label(0, 0, 0, "main");
  label(1, 0, 0, "worker \"one\"");
  label(1, PID + 1, 0, "pool");
  label(1, 77, 1 + 3, "writer");
  label(0, 0, 0, "boss");                               /* the newest holds */
  PACKED(0, 0, INSTANT, EV_DOMAIN_START, 0, 0, 0);
  PACKED(1, 1000, INSTANT, EV_DOMAIN_START, 1, 0, 1);
  begin(0, 2000, EV_MINOR);
  PACKED(0, 3000, END, EV_MINOR, 4096, 262144, EV_CAUSE_MINOR_HEAP_FULL, 1);
  PACKED(2, 4000, INSTANT, EV_DOMAIN_START, 2, 1, 2);
  PACKED(1, 500000, INSTANT, EV_STOP, 310000, 0, EV_STOP_MINOR,
         EV_CAUSE_GC_MINOR, 0, 200, 1, 11000);
  PACKED(1, 600000, INSTANT, EV_THREAD_RUN, 3, 77);
  PACKED(1, 700000, INSTANT, EV_MUTEX_WAIT, 12, 0);
  span(1, 700001, 700002, SPAN);
  PACKED(1, 800000, INSTANT, EV_THREAD_RUN, 4, 78);
  PACKED(0, 900000, INSTANT, EV_PROCESS_MEMORY, 1000, 12897484);
  PACKED(0, 900001, INSTANT, EV_MINOR_HEAP_SIZE, 262144, 524288);
  /* A cause of the future, and fields of the future. */
  begin(0, 900002, EV_MAJOR_SLICE);
  PACKED(0, 900003, END, EV_MAJOR_SLICE, 60, 5, 6);
}

/* Everything that `check` has to accept. */
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
         EV_CAUSE_GC_MINOR, 0, 0);
  begin(0, 1009, EV_MAJOR);
  begin(0, 1009, EV_MAJOR_SLICE);
  span(0, 1009, 1009, EV_MAJOR);
  end(0, 1009, EV_MAJOR_SLICE);
  end(0, 1009, EV_MAJOR);
  /* It took a little longer than the clock says since the start. */
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
  value(1, 2310, EVENTRING_FORM_INSTANT, EV_DOMAIN_SPAWN, PID);
  end(1, 2320, SPAN);
  /* A pause: ends and begins are missing. */
  begin(1, 3000, EV_MINOR);
  begin(0, 3000, EV_MINOR);
  begin(0, 3001, SPAN);
  value(0, 3002, EVENTRING_FORM_INSTANT, EV_RING_PAUSE, 0);
  begin(1, 3003, EV_MINOR_CLEAR);
  value(0, 3004, EVENTRING_FORM_INSTANT, EV_RING_RESUME, 0);
  end(1, 3005, EV_MINOR);
  end(1, 3006, EV_STW_HANDLER);
  end(0, 3007, OTHER_SPAN);
  end(0, 3008, OTHER_SPAN);
  span(0, 3009, 3010, EV_MINOR);
  instant(1, 4000, EV_DOMAIN_TERMINATE);
  /* Another domain in this ring, and one that still collects when the program
     exits inside of spans. */
  rings[1].domain = 5;
  begin_block(1, START + 5000);
  end(1, 5001, EV_MINOR);
  begin(1, 5002, EV_MINOR);
  begin(0, 6000, EV_EXPLICIT_GC_COMPACT);
  begin(0, 6001, SPAN);
  value(0, 6002, EVENTRING_FORM_INSTANT, EV_PROCESS_EXIT, 0);
  value(0, 6003, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

static void wrong(void)
{
  /* No begin: once is the start, twice is not. */
  end(0, 1000, EV_MINOR);
  end(0, 1001, EV_MINOR);
  end(0, 1002, SPAN);
  end(0, 1003, SPAN);
  /* No begin in a domain of which nothing is missing. */
  value(1, 2000, EVENTRING_FORM_INSTANT, EV_DOMAIN_SPAWN, PID);
  end(1, 2001, EV_MINOR);
  end(1, 2002, SPAN);
  /* No end: inside of another span. */
  begin(0, 3000, EV_STW_LEADER);
  begin(0, 3001, EV_MINOR);
  end(0, 3002, EV_STW_LEADER);
  /* No end: ended in the order of the begins. */
  begin(0, 3010, EV_MINOR);
  begin(0, 3011, EV_MINOR_CLEAR);
  end(0, 3012, EV_MINOR);
  end(0, 3013, EV_MINOR_CLEAR);
  /* Time goes back. */
  instant(1, 4000, EV_RING_START);
  instant(1, 3999, EV_RING_START);
  /* Durations. */
  PACKED(0, 5000, INSTANT, EV_MUTEX_WAIT, 7000, 0);
  PACKED(0, 5001, INSTANT, EV_MUTEX_WAIT, UINT64_MAX - 1, 0);
  PACKED(0, 5002, INSTANT, EV_MUTEX_WAIT, 5002, 0);
  /* Causes, but not a field of another unit. */
  begin(0, 6000, EV_MINOR);
  PACKED(0, 6001, END, EV_MINOR, 0, 0, EV_CAUSE_UNKNOWN, 0);
  PACKED(0, 6002, INSTANT, EV_STOP, 0, 0, EV_STOP_UNKNOWN,
         EV_CAUSE_UNKNOWN, 0, 0);
  /* A domain ends inside of spans. */
  begin(1, 7000, EV_EXPLICIT_GC_MAJOR);
  begin(1, 7001, EV_MINOR);
  begin(1, 7002, OTHER_SPAN);
  value(1, 7003, EVENTRING_FORM_INSTANT, EV_DOMAIN_TERMINATE, PID);
  /* So does a thread. */
  PACKED(0, 7100, INSTANT, EV_THREAD_RUN, 1, PID + 10);
  begin(0, 7101, OTHER_SPAN);
  PACKED(0, 7102, INSTANT, EV_THREAD_END, 1);
  /* The program does not exit inside of a collection. */
  begin(0, 8000, EV_EXPLICIT_GC_MAJOR);
  begin(0, 8001, EV_MINOR);
  value(0, 8002, EVENTRING_FORM_INSTANT, EV_PROCESS_EXIT, 0);
  value(0, 8003, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

/* 100 minor collections of 1, 2, ... 100 us for three causes; domain 7 takes
   part in all but ten of them; and a slice of 2.5 ms in domain 0; in the same
   ring as domain 7, after it, domain 9; events that cannot be a pause must not
   count. */
static void pauses(void)
{
  label(7, 0, 0, "worker");
  uint64_t t = 1000;
  end(0, t, EV_MINOR);    /* no begin */
  for (uint64_t i = 1; i <= 100; i++) {
    uint64_t took = i * 1000, asked_by = i % 25 == 0 ? 7 : 0;
    int cause = i % 10 == 0 ? EV_CAUSE_GC_MINOR
              : i == 1 ? EV_CAUSE_GC_SET : EV_CAUSE_MINOR_HEAP_FULL;
    begin(0, t, EV_MINOR);
    PACKED(0, t + took, END, EV_MINOR, 10, 20, cause, asked_by);
    if (i <= 10)
      PACKED(0, t + took, INSTANT, EV_STOP, took, asked_by, EV_STOP_MINOR,
             cause, 0, 0);
    else
      PACKED(0, t + took, INSTANT, EV_STOP, took - 500, asked_by,
             EV_STOP_MINOR, cause, 0, 0, 7, 500);
    t += 1000000;
  }
  begin(0, t, EV_MAJOR_SLICE);
  PACKED(0, t + 2500000, END, EV_MAJOR_SLICE, EV_CAUSE_HALF_MINOR_HEAP);
  /* Nobody is stopped, and waiting is no pause of the collector. */
  PACKED(0, t + 2600000, INSTANT, EV_STOP, 0, 0, EV_STOP_SLICE,
         EV_CAUSE_GLOBAL_SLICE);
  PACKED(0, t + 2700000, INSTANT, EV_MUTEX_WAIT, 1000, 0);
  begin(0, t + 3000000, EV_MAJOR_SLICE);

  rings[1].domain = 7;
  begin(1, 40000, EV_MINOR);
  begin(1, 50000, EV_MINOR);
  PACKED(1, 51000, END, EV_MINOR, 10, 20, EV_CAUSE_GC_MINOR, 7);
  begin(1, 60000, EV_MINOR);
  rings[1].domain = 9;
  begin_block(1, START + 70000);
  end(1, 71000, EV_MINOR);
  /* A cause of the future. */
  begin(1, 80000, EV_MINOR);
  PACKED(1, 80123, END, EV_MINOR, 10, 20, 1000, 9);

  rings[2].domain = 3;
  begin(2, 100, EV_MINOR);
  value(2, 200, EVENTRING_FORM_INSTANT, EV_RING_PAUSE, 0);
  value(2, 300, EVENTRING_FORM_INSTANT, EV_RING_RESUME, 0);
  end(2, 400, EV_MINOR);
}

/* In ms: 20 of domain 0, less a pause of 2; 13 of domain 1, less the same.
   A call of Gc that takes 1 ms holds a minor collection, for which domain 0
   was stopped for 200 us and domain 1 for 150 us, a compaction and the end of
   a cycle.  Then a slice of 200 us with another in it, waits of 300 and 500
   us, and a minor collection of which the backup thread does domain 1's part
   while it joins; 210 us each. */
#define MS 1000000
#define BACKUP 999
#define NO_THREAD 0xFFFFFFFF

static void summary_minor(uint64_t from, uint64_t to_0, uint64_t to_1,
                          int cause)
{
  begin(0, from, EV_MINOR);
  begin(1, from, EV_MINOR);
  PACKED(1, to_1, END, EV_MINOR, 50, 500, cause, 0);
  PACKED(0, to_0, END, EV_MINOR, 100, 1000, cause, 0);
}

static void summary(void)
{
  label(1, 0, 0, "worker");
  value(0, 0, EVENTRING_FORM_INSTANT, EV_RING_START, PID);
  PACKED(1, 1 * MS, INSTANT, EV_DOMAIN_START, 1, 0, 1);

  begin(0, 2000000, EV_EXPLICIT_GC_COMPACT);
  summary_minor(2100000, 2200000, 2150000, EV_CAUSE_GC_COMPACT);
  PACKED(0, 2250000, INSTANT, EV_STOP, 150000, 0, EV_STOP_MINOR,
         EV_CAUSE_GC_COMPACT, 0, 10000, 1, 60000);
  for (int ring = 0; ring < 2; ring++) {
    begin(ring, 2300000, EV_COMPACT);
    PACKED(ring, 2350000, END, EV_COMPACT, EV_CAUSE_GC_COMPACT, 0);
    begin(ring, 2500000, EV_MAJOR_GC_CYCLE_DOMAINS);
    PACKED(ring, 2580000, END, EV_MAJOR_GC_CYCLE_DOMAINS,
           EV_CAUSE_GC_COMPACT, 0);
  }
  end(0, 3000000, EV_EXPLICIT_GC_COMPACT);

  begin(1, 4000000, EV_MAJOR_SLICE);
  begin(1, 4050000, EV_MAJOR_SLICE);
  PACKED(1, 4100000, END, EV_MAJOR_SLICE, EV_CAUSE_OTHER_DOMAIN);
  PACKED(1, 4200000, END, EV_MAJOR_SLICE, EV_CAUSE_HALF_MINOR_HEAP);

  PACKED(0, 5000000, INSTANT, EV_MUTEX_WAIT, 300000, 0);
  PACKED(0, 6000000, INSTANT, EV_CONDITION_WAIT, 500000, 0);

  PACKED(1, 7000000, INSTANT, EV_THREAD_RUN, NO_THREAD, BACKUP);
  summary_minor(7100000, 7250000, 7300000, EV_CAUSE_MINOR_HEAP_FULL);
  PACKED(1, 7305000, INSTANT, EV_THREAD_RUN, NO_THREAD, PID + 1);
  PACKED(1, 7306000, INSTANT, EV_DOMAIN_JOIN, 700000, 0);
  PACKED(0, 7310000, INSTANT, EV_STOP, 210000, 0, EV_STOP_MINOR,
         EV_CAUSE_MINOR_HEAP_FULL, 0, 0, 1, 0);

  PACKED(0, 8 * MS, INSTANT, EV_HEAP, 40960, 20000, 1000, 300, 10, 1, 20660,
         7, 10, 0);
  PACKED(1, 8 * MS, INSTANT, EV_HEAP, 4096, 2000, 0, 96, 10, 0, 2000, 0, 1,
         0);
  PACKED(0, 8 * MS, INSTANT, EV_PROCESS_MEMORY, 1048576, 524288);
  PACKED(1, 8 * MS, INSTANT, EV_MINOR_HEAP_SIZE, 262144, 524288);
  span(0, 9000000, 9500000, SPAN);
  span(0, 9600000, 9700000, SPAN);
  span(1, 9000000, 9200000, OTHER_SPAN);
  value(0, 10 * MS, EVENTRING_FORM_INSTANT, EV_RING_PAUSE, 0);
  value(0, 12 * MS, EVENTRING_FORM_INSTANT, EV_RING_RESUME, 0);
  value(1, 14 * MS, EVENTRING_FORM_INSTANT, EV_DOMAIN_TERMINATE, PID);
  value(0, 20 * MS, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

/* Stock OCaml gives no causes, stops are spans, and amounts are counters, some
   in bytes. */
enum { C_PROMOTED = 300, C_ALLOCATED, C_POOLS, C_POOLS_LIVE, C_LARGE,
       C_FRAGMENTED };

static void stock_minor(int ring, uint64_t from)
{
  begin(ring, from, ring == 0 ? EV_STW_LEADER : EV_STW_HANDLER);
  begin(ring, from + 10000, EV_MINOR);
  value(ring, from + 50000, EVENTRING_FORM_COUNTER, C_PROMOTED, 800);
  value(ring, from + 50001, EVENTRING_FORM_COUNTER, C_ALLOCATED, 16000);
  end(ring, from + 90000, EV_MINOR);
  end(ring, from + 100000, ring == 0 ? EV_STW_LEADER : EV_STW_HANDLER);
}

static void stock(void)
{
  for (uint32_t i = 0; i < file.first.h.schema_count; i++) {
    struct eventring_schema_entry *e = &file.schema[i];
    if (e->kind == EVENTRING_FIELD) e->id = 0;
    if (e->id == EV_STOP || e->id >= EVENTRING_FIRST_USER_ID)
      snprintf(e->name, sizeof e->name, "?");
  }
  entry(C_PROMOTED, EVENTRING_COUNTER, EVENTRING_INT, "bytes",
        "minor_promoted");
  entry(C_ALLOCATED, EVENTRING_COUNTER, EVENTRING_INT, "bytes",
        "minor_allocated");
  entry(C_POOLS, EVENTRING_COUNTER, EVENTRING_INT, "words",
        "major_heap_pool_words");
  entry(C_POOLS_LIVE, EVENTRING_COUNTER, EVENTRING_INT, "words",
        "major_heap_pool_live_words");
  entry(C_LARGE, EVENTRING_COUNTER, EVENTRING_INT, "words",
        "major_heap_large_words");
  entry(C_FRAGMENTED, EVENTRING_COUNTER, EVENTRING_INT, "words",
        "major_heap_pool_frag_words");

  value(0, 0, EVENTRING_FORM_INSTANT, EV_RING_START, PID);
  value(1, 0, EVENTRING_FORM_INSTANT, EV_DOMAIN_SPAWN, PID);
  for (int ring = 0; ring < 2; ring++) {
    stock_minor(ring, 1 * MS);
    stock_minor(ring, 2 * MS);
    span(ring, 3 * MS, 3 * MS + 50000, EV_MAJOR_GC_CYCLE_DOMAINS);
    span(ring, 4 * MS, 4 * MS + 60000, EV_MAJOR_SLICE);
    value(ring, 5 * MS, EVENTRING_FORM_COUNTER, C_POOLS, 4096);
    value(ring, 5 * MS, EVENTRING_FORM_COUNTER, C_POOLS_LIVE, 2048);
    value(ring, 5 * MS, EVENTRING_FORM_COUNTER, C_LARGE, 1024);
    value(ring, 5 * MS, EVENTRING_FORM_COUNTER, C_FRAGMENTED, 64);
  }
  span(0, 6 * MS, 7 * MS, EV_EXPLICIT_GC_FULL_MAJOR);
  value(0, 10 * MS, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

static void lost(void)
{
  for (uint64_t i = 0; i < 1000; i++)
    value(0, i * 1000, EVENTRING_FORM_COUNTER, QUEUE, (int64_t) i);
}

static void overtaken(void)
{
  begin(0, 0, EV_EXPLICIT_GC_MAJOR);
  begin(0, 1, SPAN);
  begin(0, 2, SPAN);
  for (uint64_t i = 10; i < 1000; i++)
    value(0, i, EVENTRING_FORM_COUNTER, QUEUE, (int64_t) i);
  end(0, 1000, EV_EXPLICIT_GC_MAJOR);
  end(0, 1001, SPAN);
  end(0, 1002, SPAN);
}

/* The collector does nothing, and the domain waits for a quarter of the
   time. */
static void idle(void)
{
  value(0, 0, EVENTRING_FORM_INSTANT, EV_RING_START, PID);
  PACKED(0, 7 * MS, INSTANT, EV_BLOCKING_SECTION, 5 * MS, 0);
  value(0, 20 * MS, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

static void killed(void)
{
  begin(0, 0, EV_MINOR);
  begin(0, 1, SPAN);
}

static void crossing(void)
{
  label(0, 0, 0, "main");
  /* A span ends around another one, which goes on. */
  PACKED(0, 0, INSTANT, EV_THREAD_RUN, 1, PID + 10);
  begin(0, 1000, SPAN);
  begin(0, 1100, OTHER_SPAN);
  begin(0, 1200, EV_MINOR);
  PACKED(0, 1300, END, EV_MINOR, 1, 2, EV_CAUSE_GC_MAJOR, 0);
  end(0, 1400, SPAN);
  end(0, 1500, OTHER_SPAN);
  /* Waits that seem to begin before the span around them, and inside of the
     one before them. */
  begin(0, 2000, SPAN);
  PACKED(0, 2500, INSTANT, EV_MUTEX_WAIT, 501, 0);
  end(0, 2600, SPAN);
  PACKED(0, 2800, INSTANT, EV_MUTEX_WAIT, 201, 0);
  PACKED(0, 2900, INSTANT, EV_STOP, 600, 0, EV_STOP_MINOR, EV_CAUSE_GC_MINOR,
         0, 200, 1, 11000, 2, 1, 3, 1, 4, 1, 5, 1);
  /* Begun by one thread and ended by another one, with another span in between;
     and an end without a begin. */
  begin(0, 3000, SPAN);
  PACKED(0, 3100, INSTANT, EV_THREAD_RUN, 2, PID + 11);
  begin(0, 3200, OTHER_SPAN);
  end(0, 3300, SPAN);
  end(0, 3400, SPAN);
  end(0, 3500, OTHER_SPAN);
  /* Not ended when another domain takes the ring. */
  rings[1].domain = 7;
  begin(1, 4000, EV_MINOR);
  begin(1, 4100, SPAN);
  value(1, 4200, EVENTRING_FORM_COUNTER, QUEUE, 3);
  value(1, 4300, EVENTRING_FORM_COUNTER, EV_C_REQUEST_MAJOR_ALLOC_SHR, 4);
  rings[1].domain = 8;
  begin_block(1, START + 5000);
  end(1, 5001, EV_MINOR);
  begin(1, 5002, OTHER_SPAN);
}

static void hostile(void)
{
  entry(2000, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "",
        "\033[2J\033]0;title\007clear");
  entry(2001, EVENTRING_INSTANT, EVENTRING_INT, "\r\n", "two\nlines\ttab");
  entry(2002, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "",
        "\302\233C1 \342\200\256turned\342\200\254 \300\257overlong \377");
  entry(2003, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "",
        " \316\273\317\214\316\263\316\277\317\202  \360\237\220\253\\x1b ");
  span(0, 1, 2, 2000);
  value(0, 3, EVENTRING_FORM_INSTANT, 2001, 5);
  span(0, 4, 5, 2002);
  span(0, 6, 7, 2003);
  text(0, 8, TEXT, "\033[31mred\b\b \"\\  end\n");
  text(0, 9, TEXT, "\377\001");
}

/* Keeps the file mapped until somebody ends this program. */
static int hold(const char *path)
{
  int fd = open(path, O_RDWR);
  void *map = mmap(NULL, sizeof file, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   0);
  close(fd);
  if (map == MAP_FAILED) return 3;
  puts("mapped");
  fflush(stdout);
  for (;;) pause();
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
  else if (IS("started")) h->started.realtime_ns = (int64_t) number * 1000000000;
  else if (IS("program")) snprintf(h->program, sizeof h->program, "%s", value);
  else if (IS("boot")) snprintf(h->boot_id, sizeof h->boot_id, "%s", value);
  else if (IS("control")) h->control = number;
  else if (IS("state")) h->state = (uint32_t) number;
  else if (IS("hold")) *holds = (int) number;
  else return 0;
  return 1;
}

int main(int argc, char **argv)
{
  int holds = 0;
  if (argc < 3) return 2;
  struct eventring_header *h = &file.first.h;
  size_t before_rings = sizeof file - sizeof file.rings;
  *h = (struct eventring_header) {
    .version_major = EVENTRING_VERSION_MAJOR,
    .version_minor = EVENTRING_VERSION_MINOR,
    .header_size = sizeof *h,
    .file_size = sizeof file,
    .schema_offset = EVENTRING_PAGE,
    .schema_entry_size = sizeof file.schema[0],
    .schema_capacity = SCHEMA,
    .directory_offset = EVENTRING_PAGE + sizeof file.schema,
    .slot_size = sizeof file.slots[0],
    .rings = RINGS,
    .rings_offset = before_rings,
    .ring_words = RING_WORDS,
    .block_words = BLOCK_WORDS,
    .clock = EVENTRING_CLOCK_MONOTONIC,
    .pid = PID,
    .boot_id = "00000000-0000-0000-0000-000000000000",
    .program = "/usr/bin/program",
    .runtime = "5.3.0+eventring",
    .started = { START, START, 1000000000 },
    .control = EVENTRING_DEFAULT_CATEGORIES,
    .state = EVENTRING_ENDED,
    .ended = { START + 20000000000, START + 20000000000, 21000000000 }
  };
  memcpy(h->magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  for (int i = 0; i < RINGS; i++) rings[i].domain = (uint32_t) i;
  make_schema();

  const char *kind = argv[1];
  if (strcmp(kind, "fields") == 0) fields();
  else if (strcmp(kind, "right") == 0) right();
  else if (strcmp(kind, "wrong") == 0) wrong();
  else if (strcmp(kind, "pauses") == 0) pauses();
  else if (strcmp(kind, "summary") == 0) summary();
  else if (strcmp(kind, "stock") == 0) stock();
  else if (strcmp(kind, "crossing") == 0) crossing();
  else if (strcmp(kind, "idle") == 0) idle();
  else if (strcmp(kind, "overtaken") == 0) overtaken();
  else if (strcmp(kind, "killed") == 0) {
    h->state = EVENTRING_RUNNING;
    killed();
  } else if (strcmp(kind, "lost") == 0) {
    h->state = EVENTRING_RUNNING;
    lost();
  } else if (strcmp(kind, "hostile") == 0) hostile();
  else plain();
  if (strcmp(kind, "damaged") == 0)
    file.rings[1][EVENTRING_BLOCK_EVENTS] = 1000000;
  if (strcmp(kind, "version") == 0) h->version_major++;
  if (strcmp(kind, "elsewhere") == 0) h->started.realtime_ns += 3000000000;

  for (int i = 3; i < argc; i++)
    if (!change(h, argv[i], &holds)) return 2;

  FILE *out = fopen(argv[2], "wb");
  if (out == NULL || fwrite(&file, sizeof file, 1, out) != 1
      || fclose(out) != 0) {
    perror(argv[2]);
    return 3;
  }
  return holds ? hold(argv[2]) : 0;
}
