// BUILD: -Ianalysis analysis/event_reader.c
/* If this breaks, a process that writes damage to its ring file as fast as it is
   read keeps a server, top or record busy for ever. */

#include "event_reader.h"
#include "ring_test.h"

/* A cursor that never ends: one batch in [batch_every] has three events, the others
   are damaged blocks; and a clock that each call sets forward. */
static int calls, batch_every;
static int64_t now;

int eventring_read(struct eventring_cursor *cursor, struct eventring_event *events,
                   int max)
{
  (void) cursor;
  assert_true(max >= 3);
  if (++calls % batch_every != 0) return EVENTRING_E_DAMAGED;
  for (int i = 0; i < 3; i++) events[i] = (struct eventring_event) { .ns = calls };
  return 3;
}

int64_t monotonic_ns(void)
{
  return now++;
}

/* Returns the number of events that are read until the clock is at [until_ns]. */
static int read_until(struct event_reader *reader, int64_t until_ns, int every)
{
  int events = 0;
  calls = 0;
  batch_every = every;
  now = 0;
  read_new_events(reader, NULL, until_ns);
  while (next_event(reader) != NULL) events++;
  assert_true(reader->out_of_time);
  assert_false(all_are_read(reader));
  return events;
}

static void endless_damage_ends_with_the_time(void **state)
{
  struct event_reader reader;
  (void) state;
  assert_int_equal(read_until(&reader, 100, 1 << 30), 0);
  assert_int_equal(reader.damaged, calls);
  assert_true(calls > 90 && calls <= 101);
}

static void endless_events_end_with_the_time(void **state)
{
  struct event_reader reader;
  (void) state;
  assert_int_equal(read_until(&reader, 100, 1), 3 * calls);
  assert_true(calls > 90 && calls <= 101);
  assert_int_equal(reader.damaged, 0);
}

/* Else a reader with little time would never come forward. */
static void a_batch_is_read_when_the_time_is_over(void **state)
{
  struct event_reader reader;
  (void) state;
  assert_int_equal(read_until(&reader, -1, 1), 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(endless_damage_ends_with_the_time),
    cmocka_unit_test(endless_events_end_with_the_time),
    cmocka_unit_test(a_batch_is_read_when_the_time_is_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
