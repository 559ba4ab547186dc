// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the comparison of two runs has wrong numbers: rates of a run
   that was watched longer, a span of one run taken for another's, or zeros for
   numbers that are not known. */

#include <math.h>
#include "ring_test.h"
#include "differences.h"

#define S 1000000000
#define WORK EVENTRING_FIRST_USER_ID
#define OTHER (EVENTRING_FIRST_USER_ID + 1)
#define USER_BIT 4

/* A run: a file with [count] spans of [ns] in each of [seconds] seconds, called
   [name]. */
struct made {
  struct ring_file file;
  struct eventring_cursor *cursor;
  struct summary *summary;
};

static void write_spans(struct ring_file *f, uint32_t id, int seconds,
                        int count, uint64_t ns)
{
  for (int second = 0; second < seconds; second++)
    for (int i = 0; i < count; i++) {
      uint64_t at = (uint64_t) second * S + (uint64_t) (i + 1) * (S / 20);
      ring_write(f, 0, at, EVENTRING_FORM_BEGIN, id, NULL, 0);
      ring_write(f, 0, at + ns, EVENTRING_FORM_END, id, NULL, 0);
    }
}

static void make(struct made *m, uint32_t id, const char *name, int seconds,
                 int count, uint64_t ns)
{
  struct eventring_event events[64];
  int n;
  ring_create(&m->file, &(struct ring_options) { .log_words = 12 });
  ring_schema(&m->file, id, EVENTRING_SPAN, 0, USER_BIT, "", name);
  /* The time watched: from 0 to [seconds]. */
  ring_schema(&m->file, OTHER + 1, EVENTRING_INSTANT, 0, USER_BIT, "", "edge");
  ring_write(&m->file, 0, 1, EVENTRING_FORM_INSTANT, OTHER + 1, NULL, 0);
  write_spans(&m->file, id, seconds, count, ns);
  ring_write(&m->file, 0, (uint64_t) seconds * S + 1, EVENTRING_FORM_INSTANT,
             OTHER + 1, NULL, 0);
  m->cursor = ring_open(&m->file);
  m->summary = new_summary(m->cursor);
  while ((n = eventring_read(m->cursor, events, 64)) > 0)
    for (int i = 0; i < n; i++) summary_event(m->summary, &events[i]);
}

static void destroy(struct made *m)
{
  free_summary(m->summary);
  eventring_close(m->cursor);
  ring_destroy(&m->file);
}

static struct differences *compare(struct made *a, struct made *b)
{
  return new_differences(a->summary, summary_until(a->summary),
                         b->summary, summary_until(b->summary));
}

static const struct difference *row(const struct differences *d,
                                    enum difference_group group,
                                    const char *name, const char *measure)
{
  const struct difference *found = NULL;
  for (size_t i = 0; i < d->count; i++)
    if (d->rows[i].group == group && strcmp(d->rows[i].name, name) == 0
        && strcmp(d->rows[i].measure, measure) == 0) {
      assert_null(found);
      found = &d->rows[i];
    }
  assert_non_null(found);
  return found;
}

static void near(double found, double wanted)
{
  if (!(fabs(found - wanted) <= 0.01 * wanted))
    fail_msg("%g, not %g", found, wanted);
}

static void rates_do_not_depend_on_the_length_of_a_run(void **state)
{
  struct made a, b;
  (void) state;
  make(&a, WORK, "work", 1, 10, 1000000);
  make(&b, WORK, "work", 4, 10, 2000000);
  struct differences *d = compare(&a, &b);
  const struct difference *r = row(d, DIFFERENCE_SPANS, "work", "rate");
  assert_int_equal(r->unit, DIFFERENCE_PER_S);
  near(r->a, 10);
  near(r->b, 10);
  r = row(d, DIFFERENCE_SPANS, "work", "mean");
  assert_int_equal(r->unit, DIFFERENCE_NS);
  near(r->a, 1000000);
  near(r->b, 2000000);
  r = row(d, DIFFERENCE_SPANS, "work", "p99");
  near(r->a, 1000000);
  near(r->b, 2000000);
  free_differences(d);
  destroy(&a);
  destroy(&b);
}

static void spans_are_matched_by_name_not_by_id(void **state)
{
  struct made a, b;
  (void) state;
  make(&a, WORK, "work", 1, 5, 1000000);
  make(&b, OTHER, "work", 1, 15, 1000000);
  struct differences *d = compare(&a, &b);
  near(row(d, DIFFERENCE_SPANS, "work", "rate")->a, 5);
  near(row(d, DIFFERENCE_SPANS, "work", "rate")->b, 15);
  free_differences(d);
  destroy(&a);
  destroy(&b);
}

static void numbers_of_one_run_only_are_not_known_in_the_other(void **state)
{
  struct made a, b;
  (void) state;
  make(&a, WORK, "work", 1, 5, 1000000);
  make(&b, WORK, "rest", 1, 5, 1000000);
  struct differences *d = compare(&a, &b);
  assert_true(row(d, DIFFERENCE_SPANS, "work", "rate")->b == 0);
  assert_true(isnan(row(d, DIFFERENCE_SPANS, "work", "mean")->b));
  assert_true(isnan(row(d, DIFFERENCE_SPANS, "rest", "p99")->a));
  assert_true(isnan(row(d, DIFFERENCE_TOTAL, "major heap", "size")->a));
  assert_true(isnan(row(d, DIFFERENCE_PAUSES, "minor", "p50")->a));
  assert_true(isnan(row(d, DIFFERENCE_TOTAL, "promoted of allocated",
                        "share")->a));
  free_differences(d);
  destroy(&a);
  destroy(&b);
}

static void a_run_without_events_has_no_rates(void **state)
{
  struct made a, b;
  (void) state;
  make(&a, WORK, "work", 1, 5, 1000000);
  memset(&b, 0, sizeof b);
  ring_create(&b.file, &(struct ring_options) { .log_words = 12 });
  b.cursor = ring_open(&b.file);
  b.summary = new_summary(b.cursor);
  struct differences *d = compare(&a, &b);
  assert_true(isnan(row(d, DIFFERENCE_SPANS, "work", "rate")->b));
  assert_true(isnan(row(d, DIFFERENCE_TOTAL, "collector", "share")->b));
  near(row(d, DIFFERENCE_SPANS, "work", "rate")->a, 5);
  free_differences(d);
  destroy(&a);
  destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rates_do_not_depend_on_the_length_of_a_run),
    cmocka_unit_test(spans_are_matched_by_name_not_by_id),
    cmocka_unit_test(numbers_of_one_run_only_are_not_known_in_the_other),
    cmocka_unit_test(a_run_without_events_has_no_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
