// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the verdict of serve names another finding or another cause each
   time when two are nearly equal, or one that is long past. */

#include <string.h>
#include "diagnosis.h"
#include "ring_test.h"

#define MINOR 12
#define SLICE 13
#define MS UINT64_C(1000000)

/* Values of cause. */
enum { MINOR_HEAP_FULL, HALF_MINOR_HEAP };

struct span {
  uint32_t id;
  uint64_t ms, cause;
};

/* Writes the spans [spans], up to one of 0 ms, one after the other from 1 ms on; the
   last event is at [end_ms]. */
static void make_ring(struct ring_file *f, const struct span *spans, uint64_t end_ms)
{
  uint64_t at = 1;
  ring_create(f, &(struct ring_options) { .rings = 1 });
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, EVENTRING_GC_BIT, "", "gc");
  ring_schema(f, MINOR, EVENTRING_SPAN, EVENTRING_PACKED, EVENTRING_GC_BIT, "", "minor");
  ring_schema(f, SLICE, EVENTRING_SPAN, EVENTRING_PACKED, EVENTRING_GC_BIT, "",
              "major_slice");
  ring_field(f, MINOR, 0, "cause", 0, "cause");
  ring_field(f, SLICE, 0, "cause", 0, "cause");
  ring_value(f, "cause", MINOR_HEAP_FULL, "minor_heap_full");
  ring_value(f, "cause", HALF_MINOR_HEAP, "half_minor_heap");
  for (const struct span *s = spans; s->ms > 0; s++) {
    ring_write(f, 0, at * MS, EVENTRING_FORM_BEGIN, s->id, NULL, 0);
    at += s->ms;
    ring_packed(f, 0, at * MS, EVENTRING_FORM_END, s->id, &s->cause, 1);
  }
  ring_write(f, 0, end_ms * MS, EVENTRING_FORM_BEGIN, MINOR, NULL, 0);
}

/* Returns the headline of a diagnosis after one with the headline [last]. */
static struct headline diagnose(const struct span *spans, uint64_t end_ms,
                                const struct headline *last)
{
  struct ring_file f;
  struct eventring_event event;
  make_ring(&f, spans, end_ms);
  struct eventring_cursor *cursor = ring_open(&f);
  struct symbols *symbols = new_symbols(cursor, NULL, NULL);
  struct diagnosis *d = new_diagnosis(cursor, 0);
  while (eventring_read(cursor, &event, 1) > 0) diagnosis_event(d, &event);
  diagnosis_finish(d, symbols, last);
  const struct headline headline = diagnosis_headline(d);
  free_diagnosis(d);
  free_symbols(symbols);
  eventring_close(cursor);
  ring_destroy(&f);
  return headline;
}

static const struct headline collector = { "collector_time", "minor_heap_full" },
  slices = { "collector_time", "half_minor_heap" };

static void the_last_finding_stays_first_until_another_exceeds_it(void **state)
{
  (void) state;
  /* A stop of 300 ms has the weight 0.3; the collector its share, which falls. */
  static const struct span spans[] = { { MINOR, 300, MINOR_HEAP_FULL }, { 0 } };
  assert_string_equal(diagnose(spans, 1100, NULL).rule, "long_stop");
  assert_string_equal(diagnose(spans, 1100, &collector).rule, "collector_time");
  assert_string_equal(diagnose(spans, 1400, &collector).rule, "long_stop");
}

static void a_finding_that_is_over_is_not_first(void **state)
{
  (void) state;
  static const struct span spans[] = { { MINOR, 150, MINOR_HEAP_FULL }, { 0 } };
  assert_string_equal(diagnose(spans, 2000, &collector).rule, "long_stop");
}

static void the_last_cause_stays_until_another_exceeds_it(void **state)
{
  (void) state;
  static const struct span close[] = {
    { MINOR, 90, MINOR_HEAP_FULL }, { MINOR, 90, MINOR_HEAP_FULL },
    { SLICE, 80, HALF_MINOR_HEAP }, { SLICE, 80, HALF_MINOR_HEAP }, { 0 }
  }, apart[] = {
    { MINOR, 90, MINOR_HEAP_FULL }, { MINOR, 90, MINOR_HEAP_FULL },
    { SLICE, 80, HALF_MINOR_HEAP }, { SLICE, 60, HALF_MINOR_HEAP }, { 0 }
  };
  assert_string_equal(diagnose(close, 1000, NULL).cause, "minor_heap_full");
  assert_string_equal(diagnose(close, 1000, &slices).cause, "half_minor_heap");
  assert_string_equal(diagnose(apart, 1000, &slices).cause, "minor_heap_full");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_finding_stays_first_until_another_exceeds_it),
    cmocka_unit_test(a_finding_that_is_over_is_not_first),
    cmocka_unit_test(the_last_cause_stays_until_another_exceeds_it)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
