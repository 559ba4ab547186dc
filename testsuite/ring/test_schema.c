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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_by_id_and_back),
    cmocka_unit_test(registered_while_open),
    cmocka_unit_test(first_entry_of_a_name_or_id_counts),
    cmocka_unit_test(hostile_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
