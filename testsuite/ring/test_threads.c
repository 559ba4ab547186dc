// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, events are shown under the wrong thread, or threads and
   domains under the wrong name. */

#include "ring_test.h"

#define RUN 648

static struct eventring_event events[4096];

static void runs(struct ring_file *f, uint64_t ticks, uint64_t thread_id,
                 uint64_t thread)
{
  ring_packed(f, 0, ticks, EVENTRING_FORM_INSTANT, RUN,
              (uint64_t[]) { thread_id, thread }, 2);
}

static void thread_run_entry(struct ring_file *f)
{
  ring_schema(f, RUN, EVENTRING_INSTANT, EVENTRING_PACKED, 8, "",
              "thread_run");
}

static void is_of(const struct eventring_event *e, uint32_t thread,
                  int32_t thread_id)
{
  assert_int_equal(e->thread, thread);
  assert_int_equal(e->thread_id, thread_id);
}

static void events_have_the_running_thread(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 2, .log_words = 12 });
  thread_run_entry(&f);
  ring_domain(&f, 0, 0, 500);
  ring_count(&f, 0, 10, 256, 0);
  runs(&f, 11, 1, 501);
  ring_count(&f, 0, 12, 256, 0);
  ring_count(&f, 0, 13, 256, 0);
  ring_count(&f, 1, 13, 256, 0);
  runs(&f, 14, 0, 500);
  ring_count(&f, 0, 15, 256, 0);
  runs(&f, 16, INT32_MAX, 502);
  runs(&f, 17, (uint64_t) INT32_MAX + 1, UINT32_MAX);
  runs(&f, 18, UINT64_MAX, 503);
  ring_domain(&f, 0, 7, 600);
  ring_count(&f, 0, 20, 256, 0);
  for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
    size_t n = 0;
    c = ring_open(&f);
    if (one_by_one) while (eventring_read(c, &events[n], 1) == 1) n++;
    else n = ring_read_all(c, events, 4096, NULL);
    assert_int_equal(n, 11);
    is_of(&events[0], 500, -1);
    is_of(&events[1], 501, 1);
    is_of(&events[2], 501, 1);
    is_of(&events[3], 501, 1);
    is_of(&events[4], 1001, -1);
    is_of(&events[5], 500, 0);
    is_of(&events[6], 500, 0);
    is_of(&events[7], 502, INT32_MAX);
    is_of(&events[8], UINT32_MAX, -1);
    is_of(&events[9], 503, -1);
    is_of(&events[10], 600, -1);
    eventring_close(c);
  }
  ring_destroy(&f);
}

/* A reader that is always up to date goes on in the middle of a block. */
static void thread_of_new_events(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  uint64_t last_block = UINT64_MAX;
  uint32_t thread = 0;
  int32_t thread_id = 0;
  (void) state;
  ring_create(&f, NULL);
  thread_run_entry(&f);
  c = ring_open(&f);
  for (uint32_t i = 0; i < 2000; i++) {
    if (i % 10 == 3) {
      thread_id = (int32_t) i;
      thread = 9000 + i;
      runs(&f, i, i, thread);
    } else {
      ring_count(&f, 0, i, 256, 0);
    }
    if (f.writers[0].block_end != last_block && i % 10 != 3) {
      thread = 1000;
      thread_id = -1;
    }
    last_block = f.writers[0].block_end;
    assert_int_equal(eventring_read(c, events, 9), 1);
    is_of(&events[0], thread, thread_id);
    assert_int_equal(eventring_read(c, events, 9), 0);
  }
  eventring_close(c);
  ring_destroy(&f);
}

/* Lost events may have had another thread: the block behind a loss begins
   anew.  A loss has the thread of the block that reports it. */
static void thread_after_a_loss(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  size_t n;
  (void) state;
  ring_create(&f, NULL);
  thread_run_entry(&f);
  runs(&f, 0, 5, 505);
  c = ring_open(&f);
  assert_int_equal(eventring_read(c, events, 9), 1);
  is_of(&events[0], 505, 5);
  for (uint32_t i = 1; i < 2000; i++) ring_count(&f, 0, i, 256, 0);
  n = ring_read_all(c, events, 4096, NULL);
  assert_int_equal(events[0].form, EVENTRING_EV_LOST);
  for (size_t i = 0; i < n; i++) is_of(&events[i], 1000, -1);
  eventring_close(c);
  ring_destroy(&f);
}

/* A cursor that reads from now on has seen the block so far. */
static void thread_of_a_cursor_from_now(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  thread_run_entry(&f);
  ring_count(&f, 0, 1, 256, 0);
  runs(&f, 2, 5, 505);
  c = ring_open_from_now(&f);
  ring_count(&f, 0, 3, 256, 0);
  assert_int_equal(eventring_read(c, events, 9), 1);
  is_of(&events[0], 505, 5);
  eventring_close(c);
  ring_destroy(&f);
}

/* Records without a thread, and a program's own event of the same name. */
static void thread_run_of_a_program(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_schema(&f, RUN + 1, EVENTRING_INSTANT, EVENTRING_INTS, 8, "",
              "thread_run");
  thread_run_entry(&f);
  ring_schema(&f, 1024, EVENTRING_INSTANT, EVENTRING_PACKED, 4, "",
              "thread_run");
  runs(&f, 1, 5, 505);
  ring_packed(&f, 0, 2, EVENTRING_FORM_INSTANT, 1024, (uint64_t[]) { 6, 6 },
              2);
  ring_write(&f, 0, 3, EVENTRING_FORM_INSTANT, RUN + 1, (uint64_t[]) { 6, 6 },
             2);
  ring_packed(&f, 0, 4, EVENTRING_FORM_INSTANT, RUN, (uint64_t[]) { 6 }, 1);
  ring_write(&f, 0, 5, EVENTRING_FORM_INSTANT, RUN, NULL, 0);
  c = ring_open(&f);
  assert_int_equal(ring_read_all(c, events, 4096, NULL), 5);
  for (int i = 0; i < 5; i++) is_of(&events[i], 505, 5);
  eventring_close(c);
  ring_destroy(&f);
}

static void is_called(const char *got, const char *name)
{
  if (name == NULL) {
    assert_null(got);
  } else {
    assert_non_null(got);
    assert_string_equal(got, name);
  }
}

static void domains_have_names(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_label(&f, 0, 0, -1, "main");
  ring_label(&f, 3, 500, -1, "a thread of 3");
  c = ring_open(&f);
  is_called(eventring_domain_name(c, 0), "main");
  is_called(eventring_domain_name(c, 3), NULL);
  is_called(eventring_domain_name(c, UINT32_MAX), NULL);
  is_called(eventring_domain_name(NULL, 0), NULL);
  is_called(eventring_thread_name(c, 0, 0, -1), NULL);
  ring_label(&f, UINT32_MAX, 0, -1, "last");
  ring_label(&f, 0, 0, -1, "newer");
  is_called(eventring_domain_name(c, UINT32_MAX), "last");
  is_called(eventring_domain_name(c, 0), "newer");
  ring_label(&f, 0, 0, -1, "");
  is_called(eventring_domain_name(c, 0), NULL);
  eventring_close(c);
  ring_destroy(&f);
}

static void threads_have_names(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_label(&f, 1, 500, -1, "worker");
  ring_label(&f, 1, 501, 7, "seventh");
  ring_label(&f, 2, 500, 0, "first of 2");
  c = ring_open(&f);
  is_called(eventring_thread_name(c, 1, 500, -1), "worker");
  is_called(eventring_thread_name(c, 1, 500, 3), "worker");
  is_called(eventring_thread_name(c, 1, 501, 7), "seventh");
  is_called(eventring_thread_name(c, 1, 501, -1), "seventh");
  is_called(eventring_thread_name(c, 1, 501, 6), NULL);
  is_called(eventring_thread_name(c, 1, 502, 7), NULL);
  is_called(eventring_thread_name(c, 2, 500, 0), "first of 2");
  is_called(eventring_thread_name(c, 2, 501, 7), NULL);
  is_called(eventring_thread_name(c, 1, 501, INT32_MAX), NULL);
  is_called(eventring_thread_name(c, 1, 501, INT32_MIN), "seventh");
  is_called(eventring_thread_name(NULL, 1, 501, 7), NULL);
  /* The system has given 501 to another thread. */
  ring_label(&f, 1, 501, 8, "eighth");
  is_called(eventring_thread_name(c, 1, 501, 7), "seventh");
  is_called(eventring_thread_name(c, 1, 501, 8), "eighth");
  is_called(eventring_thread_name(c, 1, 501, -1), "eighth");
  ring_label(&f, 1, 501, -1, "any");
  is_called(eventring_thread_name(c, 1, 501, 7), "any");
  ring_label(&f, 1, 501, 7, "");
  is_called(eventring_thread_name(c, 1, 501, 7), NULL);
  is_called(eventring_thread_name(c, 1, 501, 8), "any");
  eventring_close(c);
  ring_destroy(&f);
}

/* An event has the name of its time; before the first name it has that one. */
static void names_have_times(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_label_since(&f, 1, 0, -1, 100, "idle");
  ring_label_since(&f, 1, 0, -1, 200, "export");
  ring_label_since(&f, 1, 0, -1, 300, "");
  ring_label(&f, 2, 0, -1, "before tracing");
  ring_label_since(&f, 2, 0, -1, 100, "later");
  c = ring_open(&f);
  is_called(eventring_domain_name_at(c, 1, 0), "idle");
  is_called(eventring_domain_name_at(c, 1, 199), "idle");
  is_called(eventring_domain_name_at(c, 1, 200), "export");
  is_called(eventring_domain_name_at(c, 1, 299), "export");
  is_called(eventring_domain_name_at(c, 1, 300), NULL);
  is_called(eventring_domain_name(c, 1), NULL);
  is_called(eventring_domain_name_at(c, 2, 99), "before tracing");
  is_called(eventring_domain_name_at(c, 2, 100), "later");
  is_called(eventring_domain_name_at(c, 3, 100), NULL);
  is_called(eventring_domain_name_at(NULL, 1, 100), NULL);
  ring_label_since(&f, 1, 0, -1, 400, "again");
  is_called(eventring_domain_name_at(c, 1, 399), NULL);
  is_called(eventring_domain_name_at(c, 1, 400), "again");
  eventring_close(c);
  ring_destroy(&f);
}

/* Of the labels with the id of a thread and without any, the later one of the
   time counts. */
static void names_of_threads_have_times(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_label_since(&f, 1, 500, 7, 100, "seventh");
  ring_label_since(&f, 1, 500, -1, 200, "any");
  ring_label_since(&f, 1, 500, 8, 300, "eighth");
  ring_label_since(&f, 1, 500, 7, 400, "last");
  c = ring_open(&f);
  is_called(eventring_thread_name_at(c, 1, 500, 7, 50), "seventh");
  is_called(eventring_thread_name_at(c, 1, 500, 7, 199), "seventh");
  is_called(eventring_thread_name_at(c, 1, 500, 7, 200), "any");
  is_called(eventring_thread_name_at(c, 1, 500, 7, 399), "any");
  is_called(eventring_thread_name_at(c, 1, 500, 7, 400), "last");
  is_called(eventring_thread_name_at(c, 1, 500, 8, 50), "any");
  is_called(eventring_thread_name_at(c, 1, 500, 8, 299), "any");
  is_called(eventring_thread_name_at(c, 1, 500, 8, 300), "eighth");
  is_called(eventring_thread_name_at(c, 1, 500, 9, 300), "any");
  is_called(eventring_thread_name_at(c, 1, 500, -1, 150), "seventh");
  is_called(eventring_thread_name_at(c, 1, 500, -1, 350), "eighth");
  is_called(eventring_thread_name_at(c, 1, 500, -1, 450), "last");
  is_called(eventring_thread_name_at(c, 1, 0, -1, 450), NULL);
  eventring_close(c);
  ring_destroy(&f);
}

/* Some threads that are renamed all the time, in turn. */
static void many_names_have_times(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  uint64_t seed = 4;
  char name[32];
  (void) state;
  ring_create(&f, &(struct ring_options) { .schema_capacity = 10000 });
  for (uint64_t i = 0; i < EVENTRING_MAX_LABELS; i++) {
    const uint32_t thread = (uint32_t) (i < 3 ? i : ring_random(&seed) % 3);
    snprintf(name, sizeof name, "%u at %u", thread, (unsigned) i);
    ring_label_since(&f, 1, 500 + thread, 3, 1000 + 10 * i, name);
  }
  c = ring_open(&f);
  for (uint32_t thread = 0; thread < 3; thread++) {
    const char *right = NULL;
    for (uint64_t i = 0; i < EVENTRING_MAX_LABELS; i++) {
      struct eventring_schema_entry *e =
        ring_schema_entry(&f, f.header->schema_count
                              - EVENTRING_MAX_LABELS + (uint32_t) i);
      if ((uint32_t) e->detail == 500 + thread) right = e->name;
      if (right == NULL) continue;
      is_called(eventring_thread_name_at(c, 1, 500 + thread, 3, 1000 + 10 * i),
                right);
      is_called(eventring_thread_name_at(c, 1, 500 + thread, -1,
                                         1009 + 10 * i), right);
    }
  }
  eventring_close(c);
  ring_destroy(&f);
}

/* No name is returned for another domain or thread, near or far. */
static void names_belong_to_one_domain_or_thread(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, NULL);
  ring_label(&f, 40, 5000, -1, "thread");
  ring_label(&f, 40, 0, -1, "domain");
  c = ring_open(&f);
  for (uint32_t domain = 0; domain < 3000; domain++) {
    is_called(eventring_domain_name(c, domain), domain == 40 ? "domain" : NULL);
    is_called(eventring_thread_name(c, domain, 5000, -1),
              domain == 40 ? "thread" : NULL);
  }
  for (uint32_t thread = 1; thread < 10000; thread++) {
    is_called(eventring_thread_name(c, 40, thread, -1),
              thread == 5000 ? "thread" : NULL);
    assert_null(eventring_thread_name(c, 39, thread, -1));
  }
  eventring_close(c);
  ring_destroy(&f);
}

static void hostile_labels(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  char name[200];
  const char *got;
  (void) state;
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  ring_create(&f, &(struct ring_options) { .schema_capacity = 10000 });
  /* Labels that belong neither to a domain nor to a thread. */
  ring_label(&f, 5, 0, 7, "neither");
  ring_entry(&f, (struct eventring_schema_entry) {
               .id = 9, .kind = EVENTRING_LABEL, .payload = 5,
               .place = UINT32_MAX, .detail = UINT64_MAX }, "", name);
  ring_label(&f, 5, 1, -1, "first");
  /* As many labels as a list has room for, and more. */
  for (uint32_t i = 2; i < EVENTRING_MAX_LABELS - 1; i++)
    ring_label(&f, 5, 1, (int32_t) i, "many");
  for (uint32_t i = 0; i < 100; i++)
    ring_label(&f, 6, i, -1, "too many");
  c = ring_open(&f);
  is_called(eventring_domain_name(c, 5), NULL);
  got = eventring_thread_name(c, UINT32_MAX, UINT32_MAX, -1);
  assert_non_null(got);
  assert_int_equal(strlen(got), EVENTRING_NAME_SIZE - 1);
  is_called(eventring_thread_name(c, 5, 1, 1), "first");
  is_called(eventring_thread_name(c, 5, 1, 2), "many");
  is_called(eventring_domain_name(c, 6), "too many");
  is_called(eventring_thread_name(c, 6, 99, -1), NULL);
  assert_null(eventring_describe(c, 9));
  eventring_close(c);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(events_have_the_running_thread),
    cmocka_unit_test(thread_of_new_events),
    cmocka_unit_test(thread_after_a_loss),
    cmocka_unit_test(thread_of_a_cursor_from_now),
    cmocka_unit_test(thread_run_of_a_program),
    cmocka_unit_test(domains_have_names),
    cmocka_unit_test(threads_have_names),
    cmocka_unit_test(names_have_times),
    cmocka_unit_test(names_of_threads_have_times),
    cmocka_unit_test(many_names_have_times),
    cmocka_unit_test(names_belong_to_one_domain_or_thread),
    cmocka_unit_test(hostile_labels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
