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
  t->next.header->session = t->first.header->session + 1;
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

/* Names are in memory once, as long as the sessions have the same. */
static void names_stay(void **state)
{
  struct two t;
  (void) state;
  for (int other = 0; other < 2; other++) {
    begin(&t);
    ring_schema(&t.next, 257, EVENTRING_COUNTER, EVENTRING_INT, 0, "", "two");
    if (other)
      ring_schema(&t.first, 258, EVENTRING_COUNTER, EVENTRING_INT, 0, "", "three");
    open_both(&t);
    const char *one = eventring_describe(t.c, 256)->name;
    assert_int_equal(eventring_go_on(t.c, t.other), 0);
    assert_string_equal(one, "one");
    assert_true((eventring_describe(t.c, 256)->name == one) == !other);
    assert_string_equal(eventring_describe(t.c, 256)->name, "one");
    assert_string_equal(eventring_describe(t.c, 257)->name, "two");
    assert_null(eventring_describe(t.c, 258));
    assert_int_equal(eventring_find(t.c, "two"), 257);
    end(&t);
  }
}

/* Before format 1.10, sessions have no numbers. */
static void a_gap_is_told(void **state)
{
  struct two t;
  (void) state;
  begin(&t);
  t.first.header->version_minor = t.next.header->version_minor = 9;
  t.next.header->started.monotonic_ns += 2;
  open_both(&t);
  assert_int_equal(eventring_go_on(t.c, t.other), 1);
  end(&t);
  begin(&t);
  t.first.header->version_minor = t.next.header->version_minor = 9;
  t.next.header->started.monotonic_ns += 2;
  t.next.header->traced_since_ns = t.next.header->started.monotonic_ns;
  open_both(&t);
  assert_int_equal(eventring_go_on(t.c, t.other), 0);
  end(&t);
}

/* Sets the totals of ring 0, of [domains] domains with the last [last]: collections
   [n], the longest pause [n]. */
static void set_totals(struct ring_file *f, uint64_t n, uint64_t domains,
                       uint64_t last)
{
  uint64_t *total = ring_slot(f, 0)->total;
  total[EVENTRING_TOTAL_MINOR] = total[EVENTRING_TOTAL_MINOR_LED] = n;
  total[EVENTRING_TOTAL_LONGEST] = n;
  total[EVENTRING_TOTAL_DOMAINS] = domains;
  total[EVENTRING_TOTAL_LAST] = last;
}

static void check_totals(struct eventring_cursor *c, uint64_t collections,
                         uint64_t longest, uint32_t domains, uint32_t last)
{
  struct eventring_totals t = { .size = sizeof t };
  assert_int_equal(eventring_get_totals(c, EVENTRING_ALL_RINGS, &t), 0);
  assert_int_equal(t.minor_collections, collections);
  assert_int_equal(t.longest_pause_ns, longest);
  assert_int_equal(t.domains, domains);
  assert_int_equal(eventring_get_totals(c, 0, &t), 0);
  assert_int_equal(t.last_domain, last);
}

static void totals_go_on(void **state)
{
  struct two t;
  struct eventring_info info = { .size = sizeof info };
  (void) state;
  for (int fresh = 0; fresh < 2; fresh++) {
    int64_t started;
    begin(&t);
    started = t.first.header->started.monotonic_ns;
    if (fresh)
      t.next.header->traced_since_ns = t.next.header->started.monotonic_ns;
    set_totals(&t.first, 5, 1, 7);
    set_totals(&t.next, 3, 1, 7);
    open_both(&t);
    assert_int_equal(eventring_go_on(t.c, t.other), 0);
    /* A session that takes over has all of them. */
    check_totals(t.c, fresh ? 8 : 3, fresh ? 5 : 3, 1, 7);
    set_totals(&t.next, 9, 0, 0);
    check_totals(t.c, fresh ? 14 : 9, 9, fresh ? 1 : 0, fresh ? 7 : 0);
    set_totals(&t.next, UINT64_MAX, 2, 8);
    check_totals(t.c, INT64_MAX / 8, INT64_MAX / 8, fresh ? 3 : 2, 8);
    assert_int_equal(eventring_get_info(t.c, &info), 0);
    assert_int_equal(info.traced_since_ns, started);
    end(&t);
  }
}

static void missing_sessions_are_counted(void **state)
{
  /* The number of the next session, its format, and how many are missing */
  static const struct { uint64_t session; uint16_t minor; int missing; } cases[] =
    { { 8, 10, 0 }, { 12, 10, 4 }, { 12, 9, 0 }, { UINT64_MAX, 10, 0 } };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct two t;
    struct eventring_info info = { .size = sizeof info };
    begin(&t);
    t.first.header->session = 7;
    t.next.header->session = cases[i].session;
    t.next.header->version_minor = cases[i].minor;
    open_both(&t);
    assert_int_equal(eventring_go_on(t.c, t.other), cases[i].missing);
    assert_int_equal(eventring_get_info(t.c, &info), 0);
    assert_int_equal(info.session,
                     cases[i].minor < 10 ? 0 : cases[i].session);
    end(&t);
  }
}

static void others_are_refused(void **state)
{
  struct two t;
  (void) state;
  for (int fault = 0; fault < 7; fault++) {
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
    case 6: h->session = t.first.header->session = 7; break;
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
    cmocka_unit_test(names_stay),
    cmocka_unit_test(a_gap_is_told),
    cmocka_unit_test(totals_go_on),
    cmocka_unit_test(missing_sessions_are_counted),
    cmocka_unit_test(others_are_refused)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
