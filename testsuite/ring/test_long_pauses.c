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
#define APART_US 20000            /* from begin to begin; longer than any pause */
#define IN_A_SECOND 50
#define LONGEST_US 17989          /* a prime number */

/* Writes PAUSES minor collections, with the durations [us] in microseconds. */
static void make_ring(struct ring_file *f, uint32_t log_words, const uint64_t us[PAUSES])
{
  ring_create(f, &(struct ring_options) { .log_words = log_words });
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

/* A reading of a ring. */
struct reading {
  struct eventring_cursor *cursor;
  struct summary *summary;
  struct long_pauses *pauses;
};

/* Reads all events of [f], for the list of its longest pauses. */
static struct reading read_pauses(struct ring_file *f, int64_t from_ns, uint32_t seconds)
{
  struct reading r = { .cursor = ring_open(f) };
  r.summary = new_summary(r.cursor);
  r.pauses = new_long_pauses(r.summary, from_ns, INT64_MAX, seconds);
  struct eventring_event event;
  while (eventring_read(r.cursor, &event, 1) > 0) summary_event(r.summary, &event);
  summary_tally(r.summary, NULL, summary_until(r.summary));
  return r;
}

static void close_reading(struct reading *r)
{
  free_long_pauses(r->pauses);
  free_summary(r->summary);
  eventring_close(r->cursor);
}

/* Returns how many of the pauses [first] to [last] are longer than the pause [i]. */
static int longer(const uint64_t us[PAUSES], int i, int first, int last)
{
  int count = 0;
  for (int k = first; k <= last; k++) count += us[k] > us[i];
  return count;
}

/* Returns whether a list that keeps the pauses of each of the last [seconds] has the
   pause [i], which ends in second (i + 1) / IN_A_SECOND. */
static bool is_kept(const uint64_t us[PAUSES], int i, int seconds)
{
  const int second = (i + 1) / IN_A_SECOND, first = second * IN_A_SECOND - 1;
  if (longer(us, i, 0, PAUSES - 1) < LONG_PAUSES) return true;
  return second >= PAUSES / IN_A_SECOND - seconds
         && longer(us, i, first < 0 ? 0 : first,
                   first + IN_A_SECOND - 1 < PAUSES ? first + IN_A_SECOND - 1
                                                    : PAUSES - 1) < LONG_PAUSES;
}

/* Checks that the list of [pauses] has the longest that are kept of the pauses [first] to
   [last] of [us], which are all different. */
static void check_list(const struct long_pauses *pauses, int seconds,
                       const uint64_t us[PAUSES], int first, int last)
{
  struct long_pause list[LONG_PAUSES];
  bool expected[PAUSES] = { false };
  uint64_t kept[PAUSES] = { 0 };
  int wanted = 0;
  for (int i = first; i <= last; i++)
    if (is_kept(us, i, seconds)) kept[i] = us[i];
  for (int i = first; i <= last; i++)
    if (kept[i] > 0 && longer(kept, i, first, last) < LONG_PAUSES) {
      expected[i] = true;
      wanted++;
    }
  const int count = list_long_pauses(
    pauses, (int64_t) (((uint64_t) first + 1) * APART_US * US),
    (int64_t) (((uint64_t) last + 2) * APART_US * US) - 1, list);
  assert_int_equal(count, wanted);
  for (int i = 0; i < count; i++) {
    const int pause = (int) ((uint64_t) list[i].end_ns / US / APART_US) - 1;
    assert_true(expected[pause]);
    assert_int_equal(list[i].ns, us[pause] * US);
    assert_string_equal(list[i].name, "minor");
    if (i > 0) assert_true(list[i].end_ns < list[i - 1].end_ns);
  }
}

/* Checks the lists of all pauses, and of windows on and off the limits of seconds. */
static void check_pauses(const uint64_t us[PAUSES], int seconds)
{
  struct ring_file f;
  make_ring(&f, 14, us);
  struct reading r = read_pauses(&f, INT64_MIN, (uint32_t) seconds);
  check_list(r.pauses, seconds, us, 0, PAUSES - 1);
  for (int first = 0; first < PAUSES; first += 127)
    for (int last = first; last < PAUSES; last += 83)
      check_list(r.pauses, seconds, us, first, last);
  check_list(r.pauses, seconds, us, 17 * IN_A_SECOND - 1, 18 * IN_A_SECOND - 2);
  close_reading(&r);
  ring_destroy(&f);
}

static void the_longest_pauses_are_kept(void **state)
{
  uint64_t us[PAUSES];
  (void) state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    for (uint64_t i = 0; i < PAUSES; i++) us[i] = 1 + i * seed * 1103 % LONGEST_US;
    check_pauses(us, 0);
    check_pauses(us, 3);
    check_pauses(us, 60);
  }
}

static void short_pauses_after_long_ones_are_the_recent_ones(void **state)
{
  uint64_t us[PAUSES];
  (void) state;
  for (uint64_t i = 0; i < PAUSES; i++) us[i] = i < 20 ? LONGEST_US - i : 1 + i;
  check_pauses(us, 3);
}

/* Of two rings with the same events, the second has overwritten most of them. */
static void pauses_of_an_earlier_reading_are_added(void **state)
{
  uint64_t us[PAUSES];
  struct long_pause list[LONG_PAUSES];
  struct ring_file long_ring, short_ring;
  (void) state;
  for (uint64_t i = 0; i < PAUSES; i++) us[i] = 1 + i * 1103 % LONGEST_US;
  make_ring(&long_ring, 14, us);
  make_ring(&short_ring, 9, us);
  struct reading before = read_pauses(&long_ring, INT64_MIN, 0);
  struct reading after = read_pauses(&short_ring, INT64_MIN, 0);
  const int left = list_long_pauses(after.pauses, INT64_MIN, INT64_MAX, list);
  assert_true((uint64_t) list[left - 1].end_ns > PAUSES / 2 * APART_US * US);
  add_long_pauses(after.pauses, before.pauses);
  check_list(after.pauses, 0, us, 0, PAUSES - 1);
  close_reading(&after);
  /* A window that begins in the longest of the first ones has the rest of it. */
  int longest = 0;
  for (int i = 1; i < PAUSES / 2; i++)
    if (us[i] > us[longest]) longest = i;
  const int64_t begin = (int64_t) (((uint64_t) longest + 1) * APART_US * US);
  after = read_pauses(&short_ring, begin + 5000, 0);
  add_long_pauses(after.pauses, before.pauses);
  list_long_pauses(after.pauses, begin, begin + APART_US * (int64_t) US - 1, list);
  assert_int_equal(list[0].ns, us[longest] * US - 5000);
  close_reading(&after);
  close_reading(&before);
  ring_destroy(&long_ring);
  ring_destroy(&short_ring);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_longest_pauses_are_kept),
    cmocka_unit_test(short_pauses_after_long_ones_are_the_recent_ones),
    cmocka_unit_test(pauses_of_an_earlier_reading_are_added),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
