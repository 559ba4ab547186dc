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

static const struct headline collector = { "collector_time", "minor_heap_full", "" },
  slices = { "collector_time", "half_minor_heap", "" };

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

static void a_second_cause_is_named_when_it_is_close(void **state)
{
  (void) state;
  static const struct span close[] = {
    { MINOR, 100, MINOR_HEAP_FULL }, { SLICE, 85, HALF_MINOR_HEAP }, { 0 }
  }, apart[] = {
    { MINOR, 100, MINOR_HEAP_FULL }, { SLICE, 75, HALF_MINOR_HEAP }, { 0 }
  }, far[] = {
    { MINOR, 100, MINOR_HEAP_FULL }, { SLICE, 60, HALF_MINOR_HEAP }, { 0 }
  };
  static const struct headline both = {
    "collector_time", "minor_heap_full", "half_minor_heap"
  }, turned = { "collector_time", "half_minor_heap", "minor_heap_full" };
  assert_string_equal(diagnose(close, 500, NULL).second_cause, "half_minor_heap");
  assert_string_equal(diagnose(apart, 500, NULL).second_cause, "");
  assert_string_equal(diagnose(apart, 500, &both).second_cause, "half_minor_heap");
  assert_string_equal(diagnose(far, 500, &both).second_cause, "");
  assert_string_equal(diagnose(close, 500, &turned).cause, "half_minor_heap");
  assert_string_equal(diagnose(close, 500, &turned).second_cause, "minor_heap_full");
}

/* Writes 2000 minor collections of 10 us, one each [apart_ms], to a ring of 2^[log_words]
   words.  Returns the level of its diagnosis, and the time that it covers in *watched_ms. */
static enum level level_of(uint32_t log_words, uint64_t apart_ms, uint64_t *watched_ms)
{
  struct ring_file f;
  struct eventring_event event;
  ring_create(&f, &(struct ring_options) { .rings = 1, .log_words = log_words });
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_GC_BIT, "", "gc");
  ring_schema(&f, MINOR, EVENTRING_SPAN, 0, EVENTRING_GC_BIT, "", "minor");
  for (uint64_t i = 1; i <= 2000; i++) {
    ring_write(&f, 0, i * apart_ms * MS, EVENTRING_FORM_BEGIN, MINOR, NULL, 0);
    ring_write(&f, 0, i * apart_ms * MS + MS / 100, EVENTRING_FORM_END, MINOR, NULL, 0);
  }
  struct eventring_cursor *cursor = ring_open(&f);
  struct symbols *symbols = new_symbols(cursor, NULL, NULL);
  struct diagnosis *d = new_diagnosis(cursor, 0);
  while (eventring_read(cursor, &event, 1) > 0) diagnosis_event(d, &event);
  diagnosis_finish(d, symbols, NULL);
  const enum level level = diagnosis_level(d);
  *watched_ms = diagnosis_watched_ns(d) / MS;
  free_diagnosis(d);
  free_symbols(symbols);
  eventring_close(cursor);
  ring_destroy(&f);
  return level;
}

static void the_last_moment_of_a_ring_is_not_called_good(void **state)
{
  uint64_t ms;
  (void) state;
  assert_int_equal(level_of(16, 1, &ms), LEVEL_GOOD);
  assert_in_range(ms, 1990, 2010);
  assert_int_equal(level_of(9, 1, &ms), LEVEL_UNKNOWN);
  assert_in_range(ms, 100, 999);
  assert_int_equal(level_of(9, 50, &ms), LEVEL_GOOD);
  assert_in_range(ms, 1000, 99999);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_last_finding_stays_first_until_another_exceeds_it),
    cmocka_unit_test(a_finding_that_is_over_is_not_first),
    cmocka_unit_test(the_last_cause_stays_until_another_exceeds_it),
    cmocka_unit_test(a_second_cause_is_named_when_it_is_close),
    cmocka_unit_test(the_last_moment_of_a_ring_is_not_called_good)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
