// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, packed payloads are misread: wrong numbers, numbers under the
   name of another field, durations in the wrong unit. */

#include "ring_test.h"

#define ID 641

static void packed_event(struct ring_file *f, const char *name)
{
  ring_schema(f, ID, EVENTRING_INSTANT, EVENTRING_PACKED, 0, "", name);
}

static void expect(const struct eventring_event *e, const uint64_t *integers,
                   uint32_t count)
{
  assert_int_equal(e->words, count);
  for (uint32_t i = 0; i < count; i++)
    assert_int_equal(e->payload[i], integers[i]);
}

static void read_one(struct eventring_cursor *c, const uint64_t *integers,
                     uint32_t count)
{
  struct eventring_event ev[1];
  assert_int_equal(eventring_read(c, ev, 1), 1);
  expect(ev, integers, count);
}

/* Integers of every number of bits, at every place in a word. */
static void every_size_of_integer(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c = NULL;
  struct eventring_event ev[1];
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 16 });
  packed_event(&f, "packed");
  for (int round = 0; round < 2; round++) {
    if (round == 1) c = ring_open(&f);
    for (uint64_t bits = 0; bits <= 64; bits++)
      for (uint32_t shift = 0; shift < 9; shift++) {
        uint64_t integers[12] = { 0 };
        integers[shift] = bits == 0 ? 0 : (uint64_t) 1 << (bits - 1);
        integers[shift + 1] = integers[shift] - 1;
        integers[shift + 2] = 77;
        if (round == 0) {
          ring_packed(&f, 0, 100, EVENTRING_FORM_INSTANT, ID, integers,
                      shift + 3);
        } else {
          read_one(c, integers, shift + 3);
        }
      }
  }
  assert_int_equal(eventring_read(c, ev, 1), 0);
  eventring_close(c);
  ring_destroy(&f);
}

/* All numbers of a batch hold until the next read, in any order of reading the
   rings. */
static void integers_last_until_the_next_read(void **state)
{
  static struct eventring_event ev[4096];
  struct ring_file f;
  struct eventring_cursor *c;
  uint64_t seed = 3, integers[3][4096][8], counts[3][4096], next[3] = { 0 };
  uint64_t total = 0, last = 0;
  int n;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 3, .log_words = 15 });
  packed_event(&f, "packed");
  for (uint64_t i = 0; i < 4096; i++) {
    uint32_t ring = (uint32_t) (ring_random(&seed) % 3);
    uint64_t at = next[ring]++;
    counts[ring][at] = ring_random(&seed) % 9;
    for (uint64_t k = 0; k < counts[ring][at]; k++)
      integers[ring][at][k] = ring_random(&seed) >> ring_random(&seed) % 64;
    ring_packed(&f, ring, i, EVENTRING_FORM_END, ID, integers[ring][at],
                (uint32_t) counts[ring][at]);
  }
  memset(next, 0, sizeof next);
  c = ring_open(&f);
  while ((n = eventring_read(c, ev, 4096)) > 0)
    for (int i = 0; i < n; i++, total++) {
      uint32_t ring = ev[i].ring;
      uint64_t at = next[ring]++;
      assert_true(ev[i].ticks >= last);
      last = ev[i].ticks;
      expect(&ev[i], integers[ring][at], (uint32_t) counts[ring][at]);
    }
  assert_int_equal(total, 4096);
  eventring_close(c);
  ring_destroy(&f);
}

/* The most integers that an event can have, in the last words of a block. */
static void most_integers_that_fit(void **state)
{
  static uint64_t words[EVENTRING_MAX_PAYLOAD_WORDS];
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[2];
  (void) state;
  ring_create(&f, NULL);
  packed_event(&f, "packed");
  memset(words, 0x7F, sizeof words);
  ring_write(&f, 0, 1, EVENTRING_FORM_INSTANT, ID, words,
             EVENTRING_MAX_PAYLOAD_WORDS);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 2), 1);
  assert_int_equal(ev[0].words, EVENTRING_MAX_PAYLOAD_WORDS * 8);
  for (uint32_t i = 0; i < ev[0].words; i++)
    assert_int_equal(ev[0].payload[i], 0x7F);
  eventring_close(c);
  ring_destroy(&f);
}

/* A number that does not end is dropped; a number that ends late loses its
   bits over 64. */
static void unterminated_integers(void **state)
{
  static uint64_t words[EVENTRING_MAX_PAYLOAD_WORDS];
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 12 });
  packed_event(&f, "packed");
  words[0] = 0x8080808080800501u;
  ring_write(&f, 0, 1, EVENTRING_FORM_INSTANT, ID, words, 1);
  memset(words, 0x80, sizeof words);
  ring_write(&f, 0, 2, EVENTRING_FORM_INSTANT, ID, words, 1);
  memset(words, 0xFF, sizeof words);
  ring_write(&f, 0, 3, EVENTRING_FORM_INSTANT, ID, words,
             EVENTRING_MAX_PAYLOAD_WORDS);
  words[EVENTRING_MAX_PAYLOAD_WORDS - 1] = 0x2A7FFFFFFFFFFFFFu;
  ring_write(&f, 0, 4, EVENTRING_FORM_INSTANT, ID, words,
             EVENTRING_MAX_PAYLOAD_WORDS);
  /* Ten bytes, of which the last has only one bit to give. */
  words[0] = 0x8080808080808081u;
  words[1] = 0x8080808080807E80u;
  ring_write(&f, 0, 5, EVENTRING_FORM_INSTANT, ID, words, 2);
  words[1] = 0x8080808080807F80u;
  ring_write(&f, 0, 6, EVENTRING_FORM_INSTANT, ID, words, 2);
  c = ring_open(&f);
  read_one(c, (uint64_t[]) { 1, 5 }, 2);
  read_one(c, NULL, 0);
  read_one(c, NULL, 0);
  read_one(c, (uint64_t[]) { UINT64_MAX, 0x2A }, 2);
  read_one(c, (uint64_t[]) { 1 }, 1);
  read_one(c, (uint64_t[]) { 1 | (uint64_t) 1 << 63 }, 1);
  eventring_close(c);
  ring_destroy(&f);
}

/* Payloads that are not packed, and payloads of events without an entry, are
   returned unchanged; the begin of a span has nothing to unpack. */
static void only_packed_payloads_are_unpacked(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  const uint64_t word = 0x8080808080800501u;
  (void) state;
  ring_create(&f, NULL);
  ring_schema(&f, 1, EVENTRING_SPAN, EVENTRING_PACKED, 0, "", "span");
  ring_schema(&f, 2, EVENTRING_INSTANT, EVENTRING_INTS, 0, "", "ints");
  ring_field(&f, 2, 0, "ticks", 0, "no");
  ring_field(&f, 3, 0, "ticks", 0, "no");
  ring_write(&f, 0, 1, EVENTRING_FORM_BEGIN, 1, NULL, 0);
  ring_write(&f, 0, 2, EVENTRING_FORM_END, 1, &word, 1);
  ring_write(&f, 0, 3, EVENTRING_FORM_INSTANT, 2, &word, 1);
  ring_write(&f, 0, 4, EVENTRING_FORM_INSTANT, 3, &word, 1);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 8), 4);
  expect(&ev[0], NULL, 0);
  expect(&ev[1], (uint64_t[]) { 1, 5 }, 2);
  expect(&ev[2], &word, 1);
  expect(&ev[3], &word, 1);
  assert_null(eventring_field(c, 2, 0));
  assert_null(eventring_field(c, 3, 0));
  eventring_close(c);
  ring_destroy(&f);
}

/* The entry of an event is in the file before the event: the reader must not
   return an event before it has read the entry. */
static void registered_while_open(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  uint64_t integers[] = { 5, 300, 1 };
  (void) state;
  ring_create(&f, NULL);
  c = ring_open(&f);
  ring_count(&f, 0, 1, 256, 9);
  assert_int_equal(eventring_read(c, ev, 8), 1);
  ring_schema(&f, 2000, EVENTRING_COMPLETE, EVENTRING_PACKED, 4, "", "late");
  ring_field(&f, 2000, 0, "ticks", 0, "duration");
  ring_packed(&f, 0, 2, EVENTRING_FORM_INSTANT, 2000, integers, 3);
  assert_int_equal(eventring_read(c, ev, 8), 1);
  expect(&ev[0], integers, 3);
  assert_int_equal(eventring_describe(c, 2000)->kind, EVENTRING_KIND_COMPLETE);
  assert_int_equal(eventring_describe(c, 2000)->payload,
                   EVENTRING_PAYLOAD_PACKED);
  assert_string_equal(eventring_field(c, 2000, 0)->unit, "ns");
  eventring_close(c);
  ring_destroy(&f);
}

static void is_field(struct eventring_cursor *c, uint32_t word,
                     const char *unit, const char *name)
{
  const struct eventring_field *field = eventring_field(c, ID, word);
  if (name == NULL) {
    assert_null(field);
  } else {
    assert_non_null(field);
    assert_string_equal(field->unit, unit);
    assert_string_equal(field->name, name);
    assert_ptr_equal(eventring_field(c, ID, word), field);
  }
}

static void fields_have_names(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  packed_event(&f, "plain");
  ring_field(&f, ID, 0, "words", 0, "promoted");
  ring_field(&f, ID + 1, 0, "bytes", 0, "another's");
  ring_field(&f, ID, 2, "cause", 0, "cause");
  ring_field(&f, ID, 2, "cause", 0, "again");
  c = ring_open(&f);
  is_field(c, 0, "words", "promoted");
  is_field(c, 1, NULL, NULL);
  is_field(c, 2, "cause", "cause");
  is_field(c, 3, NULL, NULL);
  is_field(c, UINT32_MAX, NULL, NULL);
  assert_null(eventring_field(c, ID + 1, 0));
  assert_null(eventring_field(c, 65536, 0));
  assert_null(eventring_field(c, UINT32_MAX, 0));
  assert_null(eventring_field(NULL, ID, 0));
  eventring_close(c);
  ring_destroy(&f);
}

static void fields_that_repeat(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  packed_event(&f, "stop");
  /* Not in the order of their places. */
  ring_field(&f, ID, 4, "ns", 0, "c");
  ring_field(&f, ID, 2, "domain", 1, "a");
  ring_field(&f, ID, 3, "words", 1, "b");
  ring_field(&f, ID, 0, "cause", 0, "first");
  c = ring_open(&f);
  is_field(c, 0, "cause", "first");
  is_field(c, 1, NULL, NULL);
  for (uint32_t word = 2; word < 2000; word += 3) {
    is_field(c, word, "domain", "a");
    is_field(c, word + 1, "words", "b");
    is_field(c, word + 2, "ns", "c");
  }
  is_field(c, UINT32_MAX, "words", "b");
  eventring_close(c);
  ring_destroy(&f);
}

/* A clock of 4 ticks a nanosecond: only fields in ticks, by the file's entries,
   are converted, in each round of a group. */
static void ticks_become_nanoseconds(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  uint64_t integers[9];
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .clock = EVENTRING_CLOCK_TSC, .other_boot = 1 });
  f.header->started.ticks = 4000;
  f.header->ended.ticks = 4000 + 4000000;
  f.header->ended.monotonic_ns = f.header->started.monotonic_ns + 1000000;
  f.ns_per_tick = 0.25;
  ring_schema(&f, ID, EVENTRING_COMPLETE, EVENTRING_PACKED, 0, "", "stop");
  ring_field(&f, ID, 0, "ticks", 0, "duration");
  ring_field(&f, ID, 1, "domain", 1, "domain");
  ring_field(&f, ID, 2, "ticks", 0, "after");
  for (uint64_t i = 0; i < 9; i++) integers[i] = 400 + 40 * i;
  ring_packed(&f, 0, 10000, EVENTRING_FORM_INSTANT, ID, integers, 9);
  integers[0] = UINT64_MAX;
  ring_packed(&f, 0, 10001, EVENTRING_FORM_INSTANT, ID, integers, 1);
  integers[0] = 7;
  ring_packed(&f, 0, 10002, EVENTRING_FORM_INSTANT, ID, integers, 1);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 8), 3);
  expect(&ev[0], (uint64_t[]) { 100, 440, 120, 520, 140, 600, 160, 680, 180 },
         9);
  expect(&ev[1], (uint64_t[]) { (uint64_t) 1 << 62 }, 1);
  expect(&ev[2], (uint64_t[]) { 1 }, 1);
  assert_string_equal(eventring_field(c, ID, 0)->unit, "ns");
  assert_string_equal(eventring_field(c, ID, 1)->unit, "domain");
  assert_string_equal(eventring_field(c, ID, 8)->unit, "ns");
  eventring_close(c);
  ring_destroy(&f);
}

/* Fields are told apart at every place, and integers behind the last field
   belong to none. */
static void ticks_in_some_of_many_fields(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  uint64_t integers[150], converted[150];
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .clock = EVENTRING_CLOCK_TSC, .other_boot = 1,
                .schema_capacity = 65 });
  f.header->started.ticks = 4000;
  f.header->ended.ticks = 4000 + 4000000;
  f.header->ended.monotonic_ns = f.header->started.monotonic_ns + 1000000;
  packed_event(&f, "long");
  for (uint32_t i = 0; i < 64; i++)
    ring_field(&f, ID, i, i % 3 == 0 ? "ticks" : "words", 0, "field");
  for (uint64_t i = 0; i < 150; i++) {
    integers[i] = 400 + 40 * i;
    converted[i] = i < 64 && i % 3 == 0 ? 100 + 10 * i : integers[i];
  }
  ring_packed(&f, 0, 10000, EVENTRING_FORM_INSTANT, ID, integers, 150);
  c = ring_open(&f);
  read_one(c, converted, 150);
  eventring_close(c);
  ring_destroy(&f);
}

/* With the monotonic clock a tick is a nanosecond, to the last digit; more
   than a signed number holds becomes the largest. */
static void ticks_of_the_monotonic_clock(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  uint64_t integers[] = { ((uint64_t) 1 << 60) + 1, UINT64_MAX };
  (void) state;
  ring_create(&f, NULL);
  packed_event(&f, "wait");
  ring_field(&f, ID, 0, "ticks", 1, "duration");
  ring_packed(&f, 0, 1, EVENTRING_FORM_INSTANT, ID, integers, 2);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 8), 1);
  expect(&ev[0], (uint64_t[]) { ((uint64_t) 1 << 60) + 1, INT64_MAX }, 2);
  eventring_close(c);
  ring_destroy(&f);
}

static void values_have_names(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_value(&f, "cause", 0, "unknown");
  ring_value(&f, "reason", 1, "major");
  ring_value(&f, "cause", 1, "minor_heap_full");
  ring_value(&f, "cause", 1, "again");
  ring_value(&f, "cause", 255, "last");
  c = ring_open(&f);
  assert_string_equal(eventring_value(c, "cause", 0), "unknown");
  assert_string_equal(eventring_value(c, "cause", 1), "minor_heap_full");
  assert_string_equal(eventring_value(c, "cause", 255), "last");
  assert_string_equal(eventring_value(c, "reason", 1), "major");
  assert_null(eventring_value(c, "reason", 0));
  assert_null(eventring_value(c, "words", 0));
  assert_null(eventring_value(c, "cause", 256));
  assert_null(eventring_value(c, "cause", (uint64_t) 1 << 32));
  assert_null(eventring_value(c, "cause", UINT64_MAX));
  assert_null(eventring_value(c, NULL, 0));
  assert_null(eventring_value(NULL, "cause", 0));
  ring_value(&f, "late", 3, "added");
  assert_string_equal(eventring_value(c, "late", 3), "added");
  eventring_close(c);
  ring_destroy(&f);
}

static void hostile_entries(void **state)
{
  static const uint32_t places[] = {
    64, 65, 127, 128, 255, 256, 1u << 16, 1u << 31, UINT32_MAX };
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[2];
  char name[200], unit[40];
  uint64_t integers[100];
  (void) state;
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  memset(unit, 'u', sizeof unit);
  unit[sizeof unit - 1] = 0;
  ring_create(&f, &(struct ring_options) { .schema_capacity = 20000 });
  packed_event(&f, "packed");
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    ring_field(&f, ID, places[i], "ticks", 1, "far");
    ring_value(&f, "far", places[i] + 200, "far");
  }
  ring_field(&f, 0, 0, "ticks", 1, "no id");
  ring_field(&f, 65535, 63, "ticks", 1, "no event");
  ring_field(&f, ID, 63, unit, -1, name);
  ring_value(&f, unit, 2, name);
  for (uint64_t i = 0; i < 100; i++) integers[i] = i;
  ring_packed(&f, 0, 1, EVENTRING_FORM_INSTANT, ID, integers, 100);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, ev, 2), 1);
  expect(&ev[0], integers, 100);
  for (uint32_t word = 0; word < 63; word++)
    assert_null(eventring_field(c, ID, word));
  /* It alone repeats. */
  assert_int_equal(strlen(eventring_field(c, ID, 63)->name),
                   EVENTRING_NAME_SIZE - 1);
  assert_int_equal(strlen(eventring_field(c, ID, 63)->unit),
                   EVENTRING_UNIT_SIZE - 1);
  assert_ptr_equal(eventring_field(c, ID, 99), eventring_field(c, ID, 63));
  unit[EVENTRING_UNIT_SIZE - 1] = 0;
  assert_int_equal(strlen(eventring_value(c, unit, 2)),
                   EVENTRING_NAME_SIZE - 1);
  /* Far more units and fields than the reader accepts. */
  for (uint32_t i = 0; i < 9000; i++) {
    snprintf(unit, sizeof unit, "u%u", i);
    ring_value(&f, unit, i % 300, "value");
    ring_field(&f, ID, i % 64, "words", 1, "field");
  }
  assert_string_equal(eventring_field(c, ID, 0)->name, "field");
  assert_string_equal(eventring_field(c, ID, 128)->name, "field");
  assert_null(eventring_value(c, "u8999", 299));
  f.header->schema_count = UINT32_MAX;
  assert_null(eventring_value(c, "u8999", 299));
  eventring_close(c);
  ring_destroy(&f);
}

/* Each address is the difference to the one before it of its field. */
static void addresses_are_added_up(void **state)
{
  static const uint64_t packed[] = {
    7, 2 * 0x400000, 2 * 5 - 1, 2 * 0x10, 2 * 0x3ffffb - 1, UINT64_MAX
  };
  static const uint64_t pairs[] = { 2 * 100, 2 * 9, 2 * 5, 2 * 4 - 1, 2 * 1 };
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  packed_event(&f, "sample");
  ring_field(&f, ID, 0, "ns", 0, "cpu_time");
  ring_field(&f, ID, 1, "address", 1, "frame");
  ring_schema(&f, ID + 1, EVENTRING_INSTANT, EVENTRING_PACKED, 0, "", "pairs");
  ring_field(&f, ID + 1, 0, "address", 1, "from");
  ring_field(&f, ID + 1, 1, "address", 0, "to");
  ring_packed(&f, 0, 1, EVENTRING_FORM_INSTANT, ID, packed, 6);
  ring_packed(&f, 0, 2, EVENTRING_FORM_INSTANT, ID, packed, 2);
  ring_packed(&f, 0, 3, EVENTRING_FORM_INSTANT, ID + 1, pairs, 5);
  c = ring_open(&f);
  read_one(c, (uint64_t[]) { 7, 0x400000, 0x3ffffb, 0x40000b, 0x10,
                             UINT64_MAX / 2 + 1 + 0x10 }, 6);
  read_one(c, (uint64_t[]) { 7, 0x400000 }, 2);
  read_one(c, (uint64_t[]) { 100, 9, 105, 5, 106 }, 5);
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_size_of_integer),
    cmocka_unit_test(integers_last_until_the_next_read),
    cmocka_unit_test(most_integers_that_fit),
    cmocka_unit_test(unterminated_integers),
    cmocka_unit_test(only_packed_payloads_are_unpacked),
    cmocka_unit_test(registered_while_open),
    cmocka_unit_test(fields_have_names),
    cmocka_unit_test(fields_that_repeat),
    cmocka_unit_test(addresses_are_added_up),
    cmocka_unit_test(ticks_become_nanoseconds),
    cmocka_unit_test(ticks_in_some_of_many_fields),
    cmocka_unit_test(ticks_of_the_monotonic_clock),
    cmocka_unit_test(values_have_names),
    cmocka_unit_test(hostile_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
