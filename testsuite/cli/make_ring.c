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
   command:  make_ring KIND FILE

     plain     two rings with every form of event; the process ended
     pauses    pauses of known lengths
     lost      a ring that went round, of a process that was killed
     hostile   names and texts that try to command the terminal
     damaged   plain, with a block that no writer writes
     version   plain, of another major version

   The clock is CLOCK_MONOTONIC of a machine start that never was, so that
   times are printed as they are written here. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { BEFORE_PHASES = EVENTRING_FIRST_PHASE - 1,
#define PHASE(id, category, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum { BEFORE_COUNTERS = EVENTRING_FIRST_COUNTER - 1,
#define COUNTER(id, category, unit, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum { BEFORE_LIFECYCLE = EVENTRING_FIRST_LIFECYCLE - 1,
#define LIFECYCLE(id, category, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum { TEXT = EVENTRING_FIRST_USER_ID, NUMBERS, SPAN };

static void make_schema(void)
{
#define CATEGORY(id, bit, name, by_default, doc) \
  entry(0, EVENTRING_CATEGORY, 0, "", name)->category = bit;
#include "caml/eventring_events.tbl"
#define PHASE(id, category, name, doc) \
  entry(id, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", name);
#include "caml/eventring_events.tbl"
#define COUNTER(id, category, unit, name, doc) \
  entry(id, EVENTRING_COUNTER, EVENTRING_INT, unit, name);
#include "caml/eventring_events.tbl"
#define LIFECYCLE(id, category, name, doc) \
  entry(id, EVENTRING_INSTANT, EVENTRING_INT, "", name);
#include "caml/eventring_events.tbl"
  entry(TEXT, EVENTRING_INSTANT, EVENTRING_BYTES, "", "request text");
  entry(NUMBERS, EVENTRING_INSTANT, EVENTRING_INTS, "blocks", "sizes");
  entry(SPAN, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, "", "my.span");
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

static void span(int ring, uint64_t from, uint64_t to, int id)
{
  emit(ring, from, EVENTRING_FORM_BEGIN, id, 0, NULL);
  emit(ring, to, EVENTRING_FORM_END, id, 0, NULL);
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
  emit(0, 1000, EVENTRING_FORM_BEGIN, EV_MINOR, 0, NULL);
  value(1, 1500, EVENTRING_FORM_INSTANT, EV_DOMAIN_SPAWN, PID);
  value(0, 2000, EVENTRING_FORM_COUNTER, EV_C_MINOR_PROMOTED, 4096);
  emit(0, 3000, EVENTRING_FORM_END, EV_MINOR, 0, NULL);
  value(1, 4000, EVENTRING_FORM_COUNTER, EV_C_MAJOR_SLICE_BUDGET, -17);
  text(1, 1000000000, TEXT, "caf\303\251 \"au lait\"");
  emit(1, 1000000001, EVENTRING_FORM_INSTANT, NUMBERS, 3,
       (uint64_t[]) { 1, (uint64_t) -2, UINT64_C(1) << 62 });
  span(0, 2500000000, 2500000700, SPAN);
  emit(1, 3000000000, EVENTRING_FORM_INSTANT, 60000, 2,
       (uint64_t[]) { 0xAB, 0xCD });
  value(0, 12345678901, EVENTRING_FORM_INSTANT, EV_RING_STOP, 0);
}

/* 200 minor collections of 1, 2, ... 200 us and a slice of 2.5 ms in domain 0;
   in domain 7 and, in the same ring after it, domain 9, sections of the three
   kinds; what cannot be a pause must not count. */
static void pauses(void)
{
  uint64_t t = 1000;
  emit(0, t, EVENTRING_FORM_END, EV_MINOR, 0, NULL);    /* no begin */
  for (uint64_t i = 1; i <= 200; i++) {
    emit(0, t, EVENTRING_FORM_BEGIN, EV_STW_LEADER, 0, NULL);
    span(0, t + 100, t + 100 + i * 1000, EV_MINOR);
    emit(0, t + 200 + i * 1000, EVENTRING_FORM_END, EV_STW_LEADER, 0, NULL);
    t += 1000000;
  }
  span(0, t, t + 2500000, EV_MAJOR_SLICE);
  emit(0, t + 3000000, EVENTRING_FORM_BEGIN, EV_MAJOR_SLICE, 0, NULL);

  rings[1].domain = 7;
  span(1, 5000, 6000, EV_STW_API_BARRIER);
  span(1, 6000, 9000, EV_STW_HANDLER);
  emit(1, 20000, EVENTRING_FORM_BEGIN, EV_STW_HANDLER, 0, NULL);
  span(1, 21000, 22000, EV_STW_API_BARRIER);            /* held: no pause */
  emit(1, 30000, EVENTRING_FORM_END, EV_STW_HANDLER, 0, NULL);
  emit(1, 40000, EVENTRING_FORM_BEGIN, EV_MINOR, 0, NULL);
  emit(1, 50000, EVENTRING_FORM_BEGIN, EV_MINOR, 0, NULL);
  emit(1, 51000, EVENTRING_FORM_END, EV_MINOR, 0, NULL);
  emit(1, 60000, EVENTRING_FORM_BEGIN, EV_MINOR, 0, NULL);
  rings[1].domain = 9;
  begin_block(1, START + 70000);
  emit(1, 71000, EVENTRING_FORM_END, EV_MINOR, 0, NULL);
  span(1, 80000, 80123, EV_MINOR);

  rings[2].domain = 3;
  emit(2, 100, EVENTRING_FORM_BEGIN, EV_MINOR, 0, NULL);
  value(2, 200, EVENTRING_FORM_INSTANT, EV_RING_PAUSE, 0);
  value(2, 300, EVENTRING_FORM_INSTANT, EV_RING_RESUME, 0);
  emit(2, 400, EVENTRING_FORM_END, EV_MINOR, 0, NULL);
}

static void lost(void)
{
  for (uint64_t i = 0; i < 1000; i++)
    value(0, i * 1000, EVENTRING_FORM_COUNTER, EV_C_MINOR_PROMOTED,
          (int64_t) i);
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
}

int main(int argc, char **argv)
{
  if (argc != 3) return 2;
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
  if (strcmp(kind, "pauses") == 0) pauses();
  else if (strcmp(kind, "lost") == 0) {
    h->state = EVENTRING_RUNNING;
    lost();
  } else if (strcmp(kind, "hostile") == 0) hostile();
  else plain();
  if (strcmp(kind, "damaged") == 0)
    file.rings[1][EVENTRING_BLOCK_EVENTS] = 1000000;
  if (strcmp(kind, "version") == 0) h->version_major++;

  FILE *out = fopen(argv[2], "wb");
  if (out == NULL || fwrite(&file, sizeof file, 1, out) != 1
      || fclose(out) != 0) {
    perror(argv[2]);
    return 3;
  }
  return 0;
}
