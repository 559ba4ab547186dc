// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the list of the longest pauses lacks long ones or has short ones
   in their place, or old pauses keep new ones out. */

#include <stdlib.h>
#include <string.h>
#include "long_pauses.h"
#include "ring_test.h"

#define MINOR 12
#define PAUSES 1000
#define US UINT64_C(1000)
#define APART_US 1000             /* from begin to begin; longer than any pause */

/* Writes PAUSES minor collections, with the durations [us] in microseconds. */
static void make_ring(struct ring_file *f, const uint64_t us[PAUSES])
{
  ring_create(f, &(struct ring_options) { .log_words = 14 });
  f->header->started.monotonic_ns = 0;
  f->header->started.ticks = 0;
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, EVENTRING_GC_BIT, "", "gc");
  ring_schema(f, MINOR, EVENTRING_SPAN, 0, EVENTRING_GC_BIT, "", "minor");
  for (uint64_t i = 0; i < PAUSES; i++) {
    const uint64_t begin = (1 + i) * APART_US * US;
    ring_write(f, 0, begin, EVENTRING_FORM_BEGIN, MINOR, NULL, 0);
    ring_write(f, 0, begin + us[i] * US, EVENTRING_FORM_END, MINOR, NULL, 0);
  }
}

/* Reads all events of [f] and fills [list] with its longest pauses, of which one
   that ended more than [kept_ns] before another one gives its place up.  Returns
   their number. */
static int read_pauses(struct ring_file *f, int64_t kept_ns,
                       struct long_pause list[LONG_PAUSES])
{
  struct eventring_cursor *cursor = ring_open(f);
  struct summary *s = new_summary(cursor);
  struct long_pauses *pauses = new_long_pauses(s, INT64_MIN, INT64_MAX, kept_ns);
  struct eventring_event event;
  while (eventring_read(cursor, &event, 1) > 0) summary_event(s, &event);
  summary_tally(s, NULL, summary_until(s));
  const int count = list_long_pauses(pauses, INT64_MIN, list);
  free_long_pauses(pauses);
  free_summary(s);
  eventring_close(cursor);
  return count;
}

/* Fills [kept] with the ends, in microseconds, of the pauses that a list of
   LONG_PAUSES places has after all durations [us], the latest first: the first
   place that is free or has a pause from more than [kept_us] before, else the
   place of the shortest pause, if this is shorter.  Returns their number. */
static int expected_pauses(const uint64_t us[PAUSES], uint64_t kept_us,
                           uint64_t kept[LONG_PAUSES])
{
  uint64_t length[LONG_PAUSES] = { 0 }, end[LONG_PAUSES] = { 0 };
  int count = 0;
  for (uint64_t i = 0; i < PAUSES; i++) {
    const uint64_t now = (1 + i) * APART_US + us[i];
    int place = -1, shortest = 0;
    for (int k = LONG_PAUSES - 1; k >= 0; k--) {
      if (end[k] == 0 || end[k] + kept_us < now) place = k;
      if (length[k] <= length[shortest]) shortest = k;
    }
    if (place < 0 && length[shortest] < us[i]) place = shortest;
    if (place < 0) continue;
    length[place] = us[i];
    end[place] = now;
  }
  for (int k = 0; k < LONG_PAUSES; k++) {
    int at = count;
    if (end[k] == 0) continue;
    for (; at > 0 && kept[at - 1] < end[k]; at--) kept[at] = kept[at - 1];
    kept[at] = end[k];
    count++;
  }
  return count;
}

static void check_pauses(const uint64_t us[PAUSES], uint64_t kept_us)
{
  struct long_pause list[LONG_PAUSES];
  uint64_t kept[LONG_PAUSES];
  struct ring_file f;
  make_ring(&f, us);
  const int count = read_pauses(&f, (int64_t) (kept_us * US), list);
  assert_int_equal(count, expected_pauses(us, kept_us, kept));
  for (int i = 0; i < count; i++) {
    assert_int_equal(list[i].end_ns, kept[i] * US);
    assert_int_equal(list[i].ns, us[kept[i] / APART_US - 1] * US);
    assert_string_equal(list[i].name, "minor");
  }
  ring_destroy(&f);
}

static void the_longest_pauses_are_kept(void **state)
{
  uint64_t us[PAUSES];
  (void) state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t random = seed;
    for (int i = 0; i < PAUSES; i++) us[i] = 1 + ring_random(&random) % 900;
    check_pauses(us, UINT32_MAX);
    check_pauses(us, seed * 5 * APART_US);
  }
}

/* The list is full of long pauses; short ones come until it has forgotten these. */
static void short_pauses_follow_when_long_ones_are_old(void **state)
{
  uint64_t us[PAUSES];
  (void) state;
  for (uint64_t i = 0; i < PAUSES; i++) us[i] = i < 20 ? 900 - i : 1 + i % 7;
  check_pauses(us, 30 * APART_US);
  check_pauses(us, PAUSES * APART_US);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_longest_pauses_are_kept),
    cmocka_unit_test(short_pauses_follow_when_long_ones_are_old),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
