// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, events are shown under wrong names or units, or events that
   a program registers while it is watched stay without a name. */

#include "ring_test.h"

static void names_by_id_and_back(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  const struct eventring_description *d;
  (void) state;
  ring_create(&f, NULL);
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, 0, "", "gc");
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, 31, "", "last");
  ring_schema(&f, 12, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 0, "", "minor");
  ring_schema(&f, 260, EVENTRING_COUNTER, EVENTRING_INT, 0, "bytes",
              "minor_promoted");
  ring_schema(&f, 65535, EVENTRING_INSTANT, EVENTRING_BYTES, 4, "", "mine");
  c = ring_open(&f);
  d = eventring_describe(c, 260);
  assert_non_null(d);
  assert_int_equal(d->id, 260);
  assert_int_equal(d->kind, EVENTRING_KIND_COUNTER);
  assert_int_equal(d->payload, EVENTRING_PAYLOAD_INT);
  assert_int_equal(d->category, 0);
  assert_string_equal(d->unit, "bytes");
  assert_string_equal(d->name, "minor_promoted");
  assert_string_equal(eventring_describe(c, 65535)->name, "mine");
  assert_int_equal(eventring_find(c, "minor"), 12);
  assert_int_equal(eventring_find(c, "mine"), 65535);
  assert_int_equal(eventring_find(c, "gc"), -1);
  assert_int_equal(eventring_find(c, ""), -1);
  assert_int_equal(eventring_find(c, NULL), -1);
  assert_null(eventring_describe(c, 0));
  assert_null(eventring_describe(c, 13));
  assert_null(eventring_describe(c, 65536));
  assert_null(eventring_describe(c, UINT32_MAX));
  assert_string_equal(eventring_category(c, 0), "gc");
  assert_string_equal(eventring_category(c, 31), "last");
  assert_null(eventring_category(c, 1));
  assert_null(eventring_category(c, 32));
  eventring_close(c);
  ring_destroy(&f);
}

static void registered_while_open(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  const struct eventring_description *first;
  char name[32];
  (void) state;
  ring_create(&f, &(struct ring_options) { .schema_capacity = 5000 });
  ring_schema(&f, 1024, EVENTRING_INSTANT, 0, 4, "", "user 0");
  c = ring_open(&f);
  first = eventring_describe(c, 1024);
  assert_non_null(first);
  for (uint32_t i = 1; i < 5000; i++) {
    snprintf(name, sizeof name, "user %u", i);
    assert_null(eventring_describe(c, 1024 + i));
    ring_schema(&f, 1024 + i, EVENTRING_INSTANT, 0, 4, "", name);
    assert_non_null(eventring_describe(c, 1024 + i));
    assert_string_equal(eventring_describe(c, 1024 + i)->name, name);
  }
  assert_int_equal(eventring_find(c, "user 4999"), 1024 + 4999);
  assert_ptr_equal(eventring_describe(c, 1024), first);
  assert_string_equal(first->name, "user 0");
  eventring_close(c);
  ring_destroy(&f);
}

static void first_entry_of_a_name_or_id_counts(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_schema(&f, 1030, EVENTRING_INSTANT, 0, 4, "", "twice");
  ring_schema(&f, 1024, EVENTRING_INSTANT, 0, 4, "", "twice");
  ring_schema(&f, 1024, EVENTRING_SPAN, 0, 4, "", "again");
  c = ring_open(&f);
  assert_int_equal(eventring_find(c, "twice"), 1030);
  assert_string_equal(eventring_describe(c, 1024)->name, "twice");
  eventring_close(c);
  ring_destroy(&f);
}

static void hostile_entries(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  char name[200], unit[40];
  (void) state;
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  memset(unit, 'u', sizeof unit);
  unit[sizeof unit - 1] = 0;
  ring_create(&f, NULL);
  ring_schema(&f, 1, EVENTRING_SPAN, 255, UINT32_MAX, unit, name);
  ring_schema(&f, 0, EVENTRING_SPAN, 0, 0, "", "no id");
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, UINT32_MAX, "", "far");
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, 3, "", name);
  ring_schema(&f, 5, 0, 0, 0, "", "no kind");
  c = ring_open(&f);
  assert_int_equal(strlen(eventring_describe(c, 1)->name),
                   EVENTRING_NAME_SIZE - 1);
  assert_int_equal(strlen(eventring_describe(c, 1)->unit),
                   EVENTRING_UNIT_SIZE - 1);
  assert_int_equal(strlen(eventring_category(c, 3)), EVENTRING_NAME_SIZE - 1);
  assert_null(eventring_describe(c, 5));
  /* More entries than fit are not looked for. */
  f.header->schema_count = UINT32_MAX;
  assert_null(eventring_describe(c, 6));
  assert_int_equal(eventring_find(c, "nothing"), -1);
  eventring_close(c);
  ring_destroy(&f);
}

static void add_mapping(struct ring_file *f, uint32_t place, uint64_t start,
                        const char *text)
{
  ring_entry(f, (struct eventring_schema_entry) {
               .kind = EVENTRING_MAPPING, .place = place, .detail = start },
             "", text);
}

static void add_path(struct ring_file *f, uint32_t place, uint64_t from,
                     const char *text)
{
  ring_entry(f, (struct eventring_schema_entry) {
               .kind = EVENTRING_MAPPING_PATH, .place = place,
               .detail = from },
             "", text);
}

static void mappings_in_order_with_whole_paths(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  const struct eventring_mapping *m, *first;
  char piece[128], path[300];
  (void) state;
  memset(piece, 'p', 127);
  piece[127] = 0;
  snprintf(path, sizeof path, "%s%s/end", piece, piece);
  ring_create(&f, NULL);
  c = ring_open(&f);
  assert_null(eventring_mapping(c, 0));
  add_path(&f, 5, 0, piece);
  add_path(&f, 5, 127, piece);
  assert_null(eventring_mapping(c, 0));
  add_path(&f, 5, 254, "/end");
  add_mapping(&f, 5, 0x400000, "1f000 2000 00aBfF");
  first = eventring_mapping(c, 0);
  assert_non_null(first);
  assert_int_equal(first->start, 0x400000);
  assert_int_equal(first->length, 0x1f000);
  assert_int_equal(first->offset, 0x2000);
  assert_string_equal(first->path, path);
  assert_int_equal(first->build_id_size, 3);
  assert_memory_equal(first->build_id, "\x00\xab\xff", 3);
  add_path(&f, 0, 0, "/lib");
  add_mapping(&f, 0, UINT64_MAX - 16, "10 ffffffffffffffff -");
  m = eventring_mapping(c, 1);
  assert_non_null(m);
  assert_int_equal(m->offset, UINT64_MAX);
  assert_int_equal(m->build_id_size, 0);
  assert_string_equal(m->path, "/lib");
  assert_null(eventring_mapping(c, 2));
  assert_null(eventring_mapping(NULL, 0));
  assert_ptr_equal(eventring_mapping(c, 0), first);
  eventring_close(c);
  ring_destroy(&f);
}

/* Each of these is left out, and the mapping behind them is read. */
static void hostile_mappings(void **state)
{
  char long_build_id[128] = "10 0 ";
  const char *const texts[] = {
    "", "-", "10", "10 0", "10 0 ", " 10 0 -", "10  0 -", "0 0 -", "g 0 -",
    "10 0 a", "10 0 ag", "10 0 --", "10 0 - ", "10 0 aa bb", "-1 0 -",
    "11111111111111111 0 -", "10 11111111111111111 -",
    long_build_id
  };
  const uint32_t count = sizeof texts / sizeof *texts;
  struct ring_file f;
  struct eventring_cursor *c;
  char piece[128];
  (void) state;
  memset(piece, 'p', 127);
  piece[127] = 0;
  memset(long_build_id + 5, 'a', 100);
  ring_create(&f, &(struct ring_options) { .schema_capacity = 5000 });
  c = ring_open(&f);
  for (uint32_t i = 0; i < count; i++) {
    add_path(&f, i, 0, "/bin/x");
    add_mapping(&f, i, 0x1000, texts[i]);
    /* A number is taken once, even if its mapping is impossible. */
    add_mapping(&f, i, 0x1000, "10 0 -");
  }
  /* The end of the address space is passed. */
  add_path(&f, 100, 0, "/bin/x");
  add_mapping(&f, 100, UINT64_MAX - 15, "10 0 -");
  /* There is no path, a part is missing, comes twice or is empty. */
  add_mapping(&f, 101, 0x1000, "10 0 -");
  add_path(&f, 102, 3, "/bin/x");
  add_mapping(&f, 102, 0x1000, "10 0 -");
  add_path(&f, 103, 0, "/bin/x");
  add_path(&f, 103, 0, "/bin/x");
  add_mapping(&f, 103, 0x1000, "10 0 -");
  add_path(&f, 104, 0, "");
  add_mapping(&f, 104, 0x1000, "10 0 -");
  /* The path or the number is too large. */
  for (uint64_t at = 0; at < 5000; at += 127) add_path(&f, 105, at, piece);
  add_mapping(&f, 105, 0x1000, "10 0 -");
  add_path(&f, EVENTRING_MAX_MAPPINGS, 0, "/bin/x");
  add_mapping(&f, EVENTRING_MAX_MAPPINGS, 0x1000, "10 0 -");
  add_path(&f, UINT32_MAX, 0, "/bin/x");
  add_mapping(&f, UINT32_MAX, 0x1000, "10 0 -");
  assert_null(eventring_mapping(c, 0));
  for (uint32_t i = 200; i < EVENTRING_MAX_MAPPINGS; i++) {
    add_path(&f, i, 0, "/bin/x");
    add_mapping(&f, i, i, "10 0 -");
  }
  assert_int_equal(eventring_mapping(c, 0)->start, 200);
  assert_non_null(eventring_mapping(c, EVENTRING_MAX_MAPPINGS - 201));
  assert_null(eventring_mapping(c, EVENTRING_MAX_MAPPINGS - 200));
  assert_null(eventring_mapping(c, UINT32_MAX));
  /* A piece that comes late changes nothing. */
  add_path(&f, 200, 6, "late");
  assert_string_equal(eventring_mapping(c, 0)->path, "/bin/x");
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_by_id_and_back),
    cmocka_unit_test(registered_while_open),
    cmocka_unit_test(first_entry_of_a_name_or_id_counts),
    cmocka_unit_test(hostile_entries),
    cmocka_unit_test(mappings_in_order_with_whole_paths),
    cmocka_unit_test(hostile_mappings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
