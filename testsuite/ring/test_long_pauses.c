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
#define APART_NS INT64_C(1000000)
#define PARTS 6                   /* of the recent time */

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
static struct reading read_pauses(struct ring_file *f, int64_t from_ns, int64_t recent_ns)
{
  struct reading r = { .cursor = ring_open(f) };
  r.summary = new_summary(r.cursor);
  r.pauses = new_long_pauses(r.summary, from_ns, INT64_MAX, recent_ns);
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

static int by_length(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return (x < y) - (x > y);
}

/* Checks that [list] has the longest of the pauses [first] to [last] of [us]. */
static void check_list(const struct long_pause list[LONG_PAUSES], int count,
                       const uint64_t us[PAUSES], int first, int last)
{
  const int all = last - first + 1;
  uint64_t expected[PAUSES], found[LONG_PAUSES] = { 0 };
  memcpy(expected, us + first, (size_t) all * sizeof *us);
  qsort(expected, (size_t) all, sizeof *expected, by_length);
  assert_int_equal(count, all < LONG_PAUSES ? all : LONG_PAUSES);
  for (int i = 0; i < count; i++) {
    const uint64_t end_us = (uint64_t) list[i].end_ns / US;
    const int pause = (int) (end_us / APART_US) - 1;
    assert_in_range(pause, first, last);
    assert_int_equal(list[i].ns, us[pause] * US);
    assert_string_equal(list[i].name, "minor");
    if (i > 0) assert_true(list[i].end_ns < list[i - 1].end_ns);
    found[i] = us[pause];
  }
  qsort(found, (size_t) count, sizeof *found, by_length);
  assert_memory_equal(found, expected, (size_t) count * sizeof *found);
}

/* Checks the lists of all pauses, and of the last sixth to six sixths of [recent]
   milliseconds; the last pause is alone in another sixth. */
static void check_pauses(const uint64_t us[PAUSES], int recent)
{
  struct long_pause list[LONG_PAUSES];
  struct ring_file f;
  make_ring(&f, 14, us);
  struct reading r = read_pauses(&f, INT64_MIN, recent * APART_NS);
  check_list(list, list_long_pauses(r.pauses, INT64_MIN, INT64_MAX, list), us, 0, PAUSES - 1);
  for (int last = recent / PARTS; last <= recent; last += recent / PARTS)
    check_list(list, list_long_pauses(r.pauses, (PAUSES - last) * APART_NS, INT64_MAX,
                                      list), us, PAUSES - 1 - last, PAUSES - 1);
  close_reading(&r);
  ring_destroy(&f);
}

static void the_longest_pauses_are_kept(void **state)
{
  uint64_t us[PAUSES];
  (void) state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t random = seed;
    for (int i = 0; i < PAUSES; i++) us[i] = 1 + ring_random(&random) % 900;
    check_pauses(us, 150);
    check_pauses(us, 600);
  }
}

static void short_pauses_after_long_ones_are_the_recent_ones(void **state)
{
  uint64_t us[PAUSES];
  (void) state;
  for (uint64_t i = 0; i < PAUSES; i++) us[i] = i < 20 ? 900 - i : 1 + i % 7;
  check_pauses(us, 150);
}

/* Of two rings with the same events, the second has overwritten most of them. */
static void pauses_of_an_earlier_reading_are_added(void **state)
{
  uint64_t us[PAUSES];
  struct long_pause list[LONG_PAUSES];
  struct ring_file long_ring, short_ring;
  (void) state;
  for (uint64_t i = 0; i < PAUSES; i++) us[i] = 1 + i * 77 % 901;
  make_ring(&long_ring, 14, us);
  make_ring(&short_ring, 9, us);
  struct reading before = read_pauses(&long_ring, INT64_MIN, 0);
  struct reading after = read_pauses(&short_ring, INT64_MIN, 0);
  const int left = list_long_pauses(after.pauses, INT64_MIN, INT64_MAX, list);
  assert_true(list[left - 1].end_ns > PAUSES / 2 * APART_NS);
  const int count = list_long_pauses(before.pauses, INT64_MIN, INT64_MAX, list);
  add_long_pauses(after.pauses, list, count);
  check_list(list, list_long_pauses(after.pauses, INT64_MIN, INT64_MAX, list), us, 0,
             PAUSES - 1);
  close_reading(&before);
  close_reading(&after);
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
