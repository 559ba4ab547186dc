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

/* Writes a ring file with samples, for the tests of eventring profile, from
   lines of text on standard input:

     make_profile FILE <LINES

     mapping START LENGTH OFFSET BUILD-ID PATH    hexadecimal, without 0x
     event ID KIND CATEGORY NAME                  of the program or the runtime
     at NS THREAD DOMAIN                          of the events that follow
     name TEXT                                    of that thread from then on
     sample CPU-NS STACK REQUEST ADDRESS...       innermost first, hexadecimal
     alloc WORDS STACK REQUEST BLOCK SIZE SOURCE ALLOCATION ADDRESS...
     live WORDS STACK REQUEST BLOCK SIZE SOURCE ALLOCATION AGE-NS ADDRESS...
     wait NS STACK REQUEST WAIT DURATION-NS ADDRESS...
     io DURATION-NS STACK REQUEST OPERATION BYTES ERROR DESCRIPTOR KIND
        ADDRESS...
     promoted BLOCK...
     freed BLOCK...
     start PERIOD BLOCK
     used ALL-NS BLOCKED NO-RING NO-ROOM BETWEEN ENDED NOT-FOUND
     lost COUNT                                   samples
     overwritten RING                             all of its events so far
     control MASK                                 of the categories recorded
     heap POOLS LIVE LARGE FRAGMENTED BLOCKS BLOCKS FREE CUSTOM
     memory MAPPED RESIDENT
     minor PROMOTED ALLOCATED                     a collection, in words
     begin ID [NUMBER]
     end ID [NUMBER]
     pid PID
     alive PID BOOT-ID                            the process runs
     program TEXT
     bytecode 1                                   no rings of samples

   Times are ns since tracing started.  Events of domain 0 are in ring 0, of
   other domains in ring 1, samples in ring 2; every event has a block of its
   own, since the header of the block has the thread. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "caml/eventring_format.h"

#define RINGS 3
#define SAMPLES 2                 /* the ring that has them */
#define RING_WORDS (1 << 19)
#define BLOCK_WORDS 256
#define SCHEMA 4096
#define START 5000000000

enum {
#define PHASE(id, number, category, name, doc) id = number,
#define LIFECYCLE(id, number, category, name, doc) id = number,
#define RECORD(id, number, category, payload, unit, name, doc) id = number,
#define COMPLETE(id, number, category, name, doc) id = number,
#include "caml/eventring_events.tbl"
};
enum {
#define CATEGORY(id, bit, name, by_default, doc) BIT_##id = bit,
#include "caml/eventring_events.tbl"
};

/* The events of the runtime that are in the file. */
static int is_made(int id)
{
  return id == EV_CPU_SAMPLE || (id >= EV_ALLOC_SAMPLE && id <= EV_CPU_USED)
         || id == EV_HEAP || id == EV_PROCESS_MEMORY;
}

static struct {
  union { struct eventring_header h; char page[EVENTRING_PAGE]; } first;
  struct eventring_schema_entry schema[SCHEMA];
  struct eventring_slot slots[RINGS];
  uint64_t rings[RINGS][RING_WORDS];
} file;

static uint64_t events[RINGS], at_ns;
static int overwrites;            /* events may take the place of others */
static uint32_t thread = 4242, domain, mappings;

static struct eventring_schema_entry *entry(int id, int kind, int payload,
                                            const char *unit, const char *name)
{
  struct eventring_schema_entry *e =
    &file.schema[file.first.h.schema_count++];
  e->id = (uint16_t) id;
  e->kind = (uint8_t) kind;
  e->payload = (uint8_t) payload;
  snprintf(e->unit, sizeof e->unit, "%s", unit);
  snprintf(e->name, sizeof e->name, "%.127s", name);
  return e;
}

static void field(int id, uint32_t place, const char *unit, int repeats,
                  const char *name)
{
  if (!is_made(id)) return;
  struct eventring_schema_entry *e =
    entry(id, EVENTRING_FIELD, 0, unit, name);
  e->place = place;
  e->detail = (uint64_t) repeats;
}

static void record(int id, int kind, int category, const char *name)
{
  if (is_made(id))
    entry(id, kind, EVENTRING_PACKED, "", name)->category = (uint32_t) category;
}

static void make_schema(void)
{
  static const char *const stacks[] = {
#define STACK(id, name, doc) name,
#include "caml/eventring_events.tbl"
  };
#define CATEGORY(id, bit, name, by_default, doc) \
  entry(0, EVENTRING_CATEGORY, 0, "", name)->category = bit;
#include "caml/eventring_events.tbl"
#define RECORD(id, number, in, payload, unit, name, doc) \
  record(id, EVENTRING_INSTANT, BIT_##in, name);
#define COMPLETE(id, number, in, name, doc) \
  record(id, EVENTRING_COMPLETE, BIT_##in, name);
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) \
  field(event, place, unit, repeats, name);
#include "caml/eventring_events.tbl"
#define VALUE(unit, id, number, name, doc) \
  entry(0, EVENTRING_VALUE, 0, unit, name)->place = number;
#include "caml/eventring_events.tbl"
  for (uint32_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
    entry(0, EVENTRING_VALUE, 0, "stack", stacks[i])->place = i;
}

static void emit(int ring, int form, int id, const uint64_t *words,
                 uint32_t count)
{
  struct eventring_slot *slot = &file.slots[ring];
  uint64_t *to = &file.rings[ring][slot->tail % RING_WORDS];
  if (count + 6 > BLOCK_WORDS || (slot->tail + BLOCK_WORDS > RING_WORDS && !overwrites)) {
    fputs("make_profile: too much\n", stderr);
    exit(2);
  }
  to[0] = to[1] = START + at_ns;
  to[2] = events[ring]++;
  to[3] = domain | (uint64_t) thread << 32;
  to += 4;
  if (count < EVENTRING_LENGTH_LONG) {
    *to++ = EVENTRING_WORD(id, form, count);
  } else {
    *to++ = EVENTRING_WORD(id, form, EVENTRING_LENGTH_LONG);
    *to++ = count;
  }
  memcpy(to, words, count * sizeof *words);
  /* The next event begins a block. */
  slot->reserve = slot->tail + BLOCK_WORDS;
  slot->tail = slot->reserve;
}

static uint32_t pack(uint8_t *bytes, uint32_t length, uint64_t n)
{
  for (; n >= 0x80; n >>= 7) bytes[length++] = (uint8_t) (n | 0x80);
  bytes[length++] = (uint8_t) n;
  return length;
}

/* Writes the event [id] to [ring]: [count] numbers from [text], or all if it is
   negative, and addresses. */
static void packed(int ring, int form, int id, int count, char *text)
{
  uint64_t words[BLOCK_WORDS] = { 0 };
  uint8_t *bytes = (uint8_t *) words;
  uint64_t before = 0;
  uint32_t length = 0;
  for (char *end; count != 0 && length < sizeof words - 20; count--) {
    uint64_t n = strtoull(text, &end, 10);
    if (end == text && count < 0) break;
    length = pack(bytes, length, n);
    text = end;
  }
  for (char *end; length < sizeof words - 20; text = end) {
    uint64_t address = strtoull(text, &end, 16), d = address - before;
    if (end == text) break;
    length = pack(bytes, length, d >> 63 ? ~(2 * d) : 2 * d);
    before = address;
  }
  while (length % 8 != 0) bytes[length++] = 0x80;
  emit(ring, form, id, words, length / 8);
}

/* The lines with packed events. */
static const struct { const char *word; int id, count; } records[] = {
  { "alloc ", EV_ALLOC_SAMPLE, 7 }, { "live ", EV_LIVE_SAMPLE, 8 },
  { "wait ", EV_WAIT_SAMPLE, 5 }, { "io ", EV_IO, 8 },
  { "promoted ", EV_BLOCKS_PROMOTED, -1 }, { "freed ", EV_BLOCKS_FREED, -1 },
  { "start ", EV_ALLOC_START, -1 }, { "used ", EV_CPU_USED, -1 },
  { "heap ", EV_HEAP, -1 },
  { "memory ", EV_PROCESS_MEMORY, -1 }
};

/* Writes a minor collection that begins and ends at the same time. */
static void minor(char *text)
{
  static int known;
  const uint64_t none = 0;
  if (!known) {
    entry(EV_MINOR, EVENTRING_SPAN, EVENTRING_PACKED, "", "minor");
    entry(EV_MINOR, EVENTRING_FIELD, 0, "words", "promoted");
    entry(EV_MINOR, EVENTRING_FIELD, 0, "words", "allocated")->place = 1;
    known = 1;
  }
  emit(domain == 0 ? 0 : 1, EVENTRING_FORM_BEGIN, EV_MINOR, &none, 0);
  packed(domain == 0 ? 0 : 1, EVENTRING_FORM_END, EV_MINOR, -1, text);
}

/* Writes the event of [line], if it is one of these lines. */
static int take_record(char *line)
{
  for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
    size_t length = strlen(records[i].word);
    if (strncmp(line, records[i].word, length) != 0) continue;
    packed(domain == 0 ? 0 : 1, EVENTRING_FORM_INSTANT, records[i].id,
           records[i].count, line + length);
    return 1;
  }
  return 0;
}

static void mapping(const char *text)
{
  char name[128], build_id[100], path[4096];
  uint64_t start, size, offset;
  if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %99s %4095s", &start,
             &size, &offset, build_id, path) != 5)
    exit(2);
  for (size_t from = 0; from < strlen(path); from += 127) {
    struct eventring_schema_entry *e =
      entry(0, EVENTRING_MAPPING_PATH, 0, "", path + from);
    e->place = mappings;
    e->detail = from;
  }
  snprintf(name, sizeof name, "%" PRIx64 " %" PRIx64 " %s", size, offset,
           build_id);
  struct eventring_schema_entry *e = entry(0, EVENTRING_MAPPING, 0, "", name);
  e->place = mappings++;
  e->detail = start;
}

static void event(const char *text)
{
  int id, kind, category, at;
  if (sscanf(text, "%d %d %d %n", &id, &kind, &category, &at) != 3) exit(2);
  entry(id, kind, kind == EVENTRING_REQUEST ? EVENTRING_INT
                                            : EVENTRING_NO_PAYLOAD, "",
        text + at)->category = (uint32_t) category;
}

static void name_thread(const char *name)
{
  struct eventring_schema_entry *e = entry(0, EVENTRING_LABEL, 0, "", name);
  e->place = domain;
  e->detail = thread;
  e->since = START + at_ns;
}

static void begin_or_end(int form, const char *text)
{
  uint64_t number;
  int id, words = sscanf(text, "%d %" SCNu64, &id, &number) - 1;
  emit(domain == 0 ? 0 : 1, form, id, &number, (uint32_t) words);
}

/* Overwrites all events of ring [ring] with events that no profile counts. */
static void overwrite(uint32_t ring)
{
  const uint64_t none = 0;
  if (ring >= RINGS) exit(2);
  overwrites = 1;
  for (int i = 0; i < 1 + RING_WORDS / BLOCK_WORDS; i++)
    emit((int) ring, EVENTRING_FORM_INSTANT, EV_BLOCKS_PROMOTED, &none, 0);
}

static void take(char *line)
{
#define IS(word) (strncmp(line, word " ", sizeof word) == 0)
#define REST(word) (line + sizeof word)
  if (IS("mapping")) mapping(REST("mapping"));
  else if (IS("event")) event(REST("event"));
  else if (IS("sample")) 
    packed(SAMPLES, EVENTRING_FORM_INSTANT, EV_CPU_SAMPLE, 3, REST("sample"));
  else if (IS("minor")) minor(REST("minor"));
  else if (IS("name")) name_thread(REST("name"));
  else if (IS("begin")) begin_or_end(EVENTRING_FORM_BEGIN, REST("begin"));
  else if (IS("program"))
    snprintf(file.first.h.program, sizeof file.first.h.program, "%s",
             REST("program"));
  else if (IS("alive")) {
    struct eventring_header *h = &file.first.h;
    h->state = EVENTRING_RUNNING;
    if (sscanf(REST("alive"), "%" SCNu32 " %39s", &h->pid, h->boot_id) != 2)
      exit(2);
  }
  else if (IS("lost")) events[SAMPLES] += strtoull(REST("lost"), NULL, 10);
  else if (IS("control"))
    file.first.h.control = strtoul(REST("control"), NULL, 0);
  else if (IS("overwritten"))
    overwrite((uint32_t) strtoul(REST("overwritten"), NULL, 10));
  else if (IS("bytecode")) file.first.h.sample_rings_from = 0;
  else if (IS("pid"))
    file.first.h.pid = (uint32_t) strtoul(REST("pid"), NULL, 10);
  else if (IS("end")) begin_or_end(EVENTRING_FORM_END, REST("end"));
  else if (!take_record(line)
           && (!IS("at")
               || sscanf(REST("at"), "%" SCNu64 " %" SCNu32 " %" SCNu32, &at_ns,
                         &thread, &domain) != 3)) {
    fprintf(stderr, "make_profile: %s\n", line);
    exit(2);
  }
}

/* The words of a ring after the last one written are a hole in the file. */
static int write_file(const char *path, size_t before_rings)
{
  FILE *out = fopen(path, "wb");
  if (out == NULL || fwrite(&file, before_rings, 1, out) != 1) return 0;
  for (int i = 0; i < RINGS; i++) {
    uint64_t used = file.slots[i].tail < RING_WORDS ? file.slots[i].tail : RING_WORDS;
    if (fseek(out, (long) (before_rings + i * sizeof file.rings[i]), SEEK_SET) != 0
        || fwrite(file.rings[i], sizeof(uint64_t), used, out) != used)
      return 0;
  }
  return fflush(out) == 0 && ftruncate(fileno(out), sizeof file) == 0
         && fclose(out) == 0;
}

int main(int argc, char **argv)
{
  static char line[65536];
  struct eventring_header *h = &file.first.h;
  size_t before_rings = sizeof file - sizeof file.rings;
  if (argc != 2) return 2;
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
    .pid = 4242424,
    .boot_id = "00000000-0000-0000-0000-000000000000",
    .program = "/usr/bin/program",
    .runtime = "5.3.0+eventring",
    .started = { START, START, 1000000000 },
    .control = EVENTRING_DEFAULT_CATEGORIES,
    .state = EVENTRING_ENDED,
    .ended = { START + 200000000000, START + 200000000000, 201000000000 },
    .sample_rings_from = SAMPLES,
    .sample_period = 10000000
  };
  memcpy(h->magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  make_schema();
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\0') take(line);
  }
  if (!write_file(argv[1], before_rings)) {
    perror(argv[1]);
    return 3;
  }
  return 0;
}
