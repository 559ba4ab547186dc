// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* Faults that these tests would show: a cursor that goes on with another session
   loses its counts, goes on with another process, or takes away a name that it has
   returned. */

#include "ring_test.h"

/* A session before and one after it. */
struct two { struct ring_file first, next; struct eventring_cursor *c, *other; };

static void begin(struct two *t)
{
  memset(t, 0, sizeof *t);
  ring_create(&t->first, &(struct ring_options) { .rings = 2 });
  ring_create(&t->next, &(struct ring_options) { .rings = 2 });
  ring_schema(&t->first, 256, EVENTRING_COUNTER, EVENTRING_INT, 0, "", "one");
  ring_schema(&t->next, 256, EVENTRING_COUNTER, EVENTRING_INT, 0, "", "one");
  t->first.header->ended.monotonic_ns = t->first.header->started.monotonic_ns + 9;
  t->next.header->started.monotonic_ns = t->first.header->started.monotonic_ns + 8;
  t->next.header->traced_since_ns = t->first.header->started.monotonic_ns;
}

static void open_both(struct two *t)
{
  t->c = ring_open(&t->first);
  t->other = ring_open(&t->next);
}

static void end(struct two *t)
{
  eventring_close(t->c);
  ring_destroy(&t->first);
  ring_destroy(&t->next);
}

static void counts_go_on(void **state)
{
  struct two t;
  struct eventring_event ev[8];
  struct eventring_info info = { .size = sizeof info };
  const char *name;
  int64_t started;
  (void) state;
  begin(&t);
  started = t.first.header->started.monotonic_ns;
  ring_count(&t.first, 0, 1, 256, 1);
  ring_count(&t.first, 1, 2, 256, 2);
  ring_count(&t.next, 1, 9, 256, 3);
  open_both(&t);
  assert_int_equal(eventring_read(t.c, ev, 8), 2);
  name = eventring_describe(t.c, 256)->name;
  assert_int_equal(eventring_go_on(t.c, t.other), 0);
  assert_int_equal(eventring_read(t.c, ev, 8), 1);
  assert_int_equal(*ev[0].payload, 3);
  assert_int_equal(eventring_events_read(t.c, 0), 1);
  assert_int_equal(eventring_events_read(t.c, 1), 2);
  assert_string_equal(name, "one");
  assert_int_equal(eventring_get_info(t.c, &info), 0);
  assert_int_equal(info.started_ns, started);
  assert_int_equal(info.traced_since_ns, started);
  assert_string_equal(eventring_path(t.c), t.next.path);
  end(&t);
}

static void a_gap_is_told(void **state)
{
  struct two t;
  (void) state;
  begin(&t);
  t.next.header->started.monotonic_ns += 2;
  open_both(&t);
  assert_int_equal(eventring_go_on(t.c, t.other), 1);
  end(&t);
  begin(&t);
  t.next.header->started.monotonic_ns += 2;
  t.next.header->traced_since_ns = t.next.header->started.monotonic_ns;
  open_both(&t);
  assert_int_equal(eventring_go_on(t.c, t.other), 0);
  end(&t);
}

static void others_are_refused(void **state)
{
  struct two t;
  (void) state;
  for (int fault = 0; fault < 6; fault++) {
    struct eventring_header *h;
    begin(&t);
    h = t.next.header;
    switch (fault) {
    case 0: h->pid++; break;
    case 1: h->start_time = 7; break;
    case 2: h->start_stack = 4096; break;
    case 3: h->rings = 1; break;
    case 4: memset(h->boot_id, 'x', 8); break;
    case 5: h->started = t.first.header->started; break;
    }
    open_both(&t);
    assert_int_equal(eventring_go_on(t.c, t.other), EVENTRING_E_ARGUMENT);
    eventring_close(t.other);
    assert_string_equal(eventring_path(t.c), t.first.path);
    end(&t);
  }
  assert_int_equal(eventring_go_on(NULL, NULL), EVENTRING_E_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts_go_on),
    cmocka_unit_test(a_gap_is_told),
    cmocka_unit_test(others_are_refused)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
