// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis -Iserve -Irender -Isources serve/view.c sources/unnamed_file.c serve/window_text.c libanalysis.a -ljansson
/* If this breaks, a timeline of more events than are read ends in emptiness
   instead of the shares of the history, or shows them at other times. */

#include <jansson.h>
#include "cut_files.h"
#include "json.h"
#include "profile_types.h"
#include "ring_test.h"
#include "view.h"
#include "window_text.h"

#define MS INT64_C(1000000)
#define MINOR 12

/* The test has no metrics, no flame graph, and names without bytes that need
   care. */
void free_metrics(struct metrics *metrics)
{
  assert_null(metrics);
}
const struct profile_type_words profile_type_words[PROFILE_TYPES];
const char *const frame_kind_names[FRAME_KINDS];
enum profile_type profile_type(const struct profile *p)
{
  (void) p;
  fail_msg("no profile");
  return 0;
}
struct profile_sums profile_sums(const struct profile *p)
{
  (void) p;
  fail_msg("no profile");
  return (struct profile_sums) { 0 };
}
double weight_error(const struct profile_value *value)
{
  return value->variance;
}

struct profile_node *profile_tree(const struct profile *p, bool inverted,
                                  uint32_t *count)
{
  (void) p, (void) inverted, (void) count;
  fail_msg("no profile");
  return NULL;
}
struct profile_request *profile_requests(const struct profile *p, size_t *count)
{
  (void) p, (void) count;
  fail_msg("no profile");
  return NULL;
}
const char *profile_request(const struct profile *p, uint64_t number)
{
  (void) p, (void) number;
  fail_msg("no profile");
  return NULL;
}
json_t *json_text(const char *text)
{
  return json_string(text);
}

static void minor(struct ring_file *f, uint32_t ring, int64_t from, int64_t to)
{
  ring_write(f, ring, (uint64_t) (from * MS), EVENTRING_FORM_BEGIN, MINOR, NULL,
             0);
  ring_write(f, ring, (uint64_t) (to * MS), EVENTRING_FORM_END, MINOR, NULL, 0);
}

static struct view *view_of(struct ring_file *f)
{
  char why[512];
  survive_cut_files();                /* cmocka has set a handler of its own */
  struct view *view = new_view(1, 0, f->path, 0, why, sizeof why);
  if (view == NULL) fail_msg("%s", why);
  while (view_read(view, 1000 * MS) == VIEW_MORE) {}
  return view;
}

/* Checks that [lane] is of domain [id], and that its spans are merged ones of the
   collector with the [shares] of the [count] rows of 100 ms from [from] on. */
static void has_shares(const json_t *lane, json_int_t id, int64_t from,
                       const double *shares, size_t count)
{
  const json_t *spans = json_object_get(lane, "spans");
  assert_int_equal(json_integer_value(json_object_get(lane, "domain")), id);
  assert_true(json_is_null(json_object_get(lane, "thread")));
  assert_int_equal(json_array_size(spans), count);
  for (size_t i = 0; i < count; i++) {
    const json_t *span = json_array_get(spans, i);
    const int64_t begin = from + (int64_t) i * 100 * MS;
    assert_int_equal(json_integer_value(json_array_get(span, 0)), begin);
    assert_int_equal(json_integer_value(json_array_get(span, 1)),
                     begin + 100 * MS);
    assert_true(json_is_null(json_array_get(span, 2)));
    assert_float_equal(json_number_value(json_array_get(span, 5)), shares[i],
                       1e-4);
  }
}

static void time_that_is_not_read_has_shares_of_the_history(void **state)
{
  struct ring_file f;
  char why[512];
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 14, .rings = 2 });
  f.header->started.monotonic_ns = 0;
  f.header->started.ticks = 0;
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_GC_BIT, "", "gc");
  ring_schema(&f, MINOR, EVENTRING_SPAN, 0, EVENTRING_GC_BIT, "", "minor");
  for (int64_t at = 0; at < 1000; at += 100) minor(&f, 0, at + 10, at + 50);
  minor(&f, 1, 1, 2);
  minor(&f, 1, 650, 720);
  minor(&f, 1, 990, 995);
  struct view *view = view_of(&f);
  struct eventring_cursor *cursor = view_open(view, false, why, sizeof why);
  assert_non_null(cursor);
  struct timeline *timeline = new_timeline(cursor, 100 * MS, 900 * MS, 100);
  timeline_finish(timeline, INT64_MAX);
  struct timeline_text text = {
    .cursor = cursor, .view = view, .started_ns = 0, .from_ns = 100 * MS,
    .to_ns = 900 * MS, .until_ns = 600 * MS
  };
  char *printed = print_timeline(timeline, &text);
  json_t *json = json_loads(printed, 0, NULL);
  assert_non_null(json);
  assert_true(json_is_false(json_object_get(json, "complete")));
  assert_int_equal(json_integer_value(json_object_get(json, "until_ns")),
                   600 * MS);
  const json_t *lanes = json_object_get(json, "lanes");
  assert_int_equal(json_array_size(lanes), 2);
  has_shares(json_array_get(lanes, 0), 0, 600 * MS,
             (const double[]) { 0.4, 0.4, 0.4 }, 3);
  has_shares(json_array_get(lanes, 1), 1, 600 * MS,
             (const double[]) { 0.5, 0.2, 0 }, 3);
  json_decref(json);
  free(printed);

  /* All of the window was read. */
  text.until_ns = text.to_ns;
  printed = print_timeline(timeline, &text);
  json = json_loads(printed, 0, NULL);
  assert_true(json_is_true(json_object_get(json, "complete")));
  assert_int_equal(json_array_size(json_object_get(json, "lanes")), 0);
  json_decref(json);
  free(printed);
  free_timeline(timeline);
  eventring_close(cursor);
  drop_view(view);
  ring_destroy(&f);
}

/* Domains of which the history is printed at most, and those of each row here. */
#define LANES 128
#define OF_ROW 20
#define ROWS 7

static void domains_with_the_most_rows_are_shown(void **state)
{
  struct ring_file f;
  char why[512];
  const json_int_t always = 1000;
  int rows_of_it = 0;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 14,
                                           .rings = OF_ROW + 1 });
  f.header->started.monotonic_ns = 0;
  f.header->started.ticks = 0;
  ring_schema(&f, 0, EVENTRING_CATEGORY, 0, EVENTRING_GC_BIT, "", "gc");
  ring_schema(&f, MINOR, EVENTRING_SPAN, 0, EVENTRING_GC_BIT, "", "minor");
  ring_domain(&f, OF_ROW, (uint32_t) always, 1);
  for (int64_t row = 0; row < ROWS; row++)
    for (uint32_t ring = 0; ring <= OF_ROW; ring++) {
      if (ring < OF_ROW)
        ring_domain(&f, ring, (uint32_t) row * OF_ROW + ring, 2);
      minor(&f, ring, row * 100 + 10, row * 100 + 50);
    }
  struct view *view = view_of(&f);
  struct eventring_cursor *cursor = view_open(view, false, why, sizeof why);
  assert_non_null(cursor);
  struct timeline *timeline = new_timeline(cursor, 0, ROWS * 100 * MS, 100);
  timeline_finish(timeline, INT64_MAX);
  char *printed = print_timeline(timeline, &(struct timeline_text) {
    .cursor = cursor, .view = view, .to_ns = ROWS * 100 * MS });
  json_t *json = json_loads(printed, 0, NULL);
  assert_non_null(json);
  const json_t *lanes = json_object_get(json, "lanes");
  assert_int_equal(json_array_size(lanes), LANES);
  for (size_t i = 0; i < LANES; i++) {
    const json_t *lane = json_array_get(lanes, i);
    if (json_integer_value(json_object_get(lane, "domain")) == always)
      rows_of_it = (int) json_array_size(json_object_get(lane, "spans"));
  }
  assert_int_equal(rows_of_it, ROWS);
  assert_int_equal(json_integer_value(json_object_get(json,
                                                      "domains_left_out")),
                   ROWS * OF_ROW + 1 - LANES);
  json_decref(json);
  free(printed);
  free_timeline(timeline);
  eventring_close(cursor);
  drop_view(view);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(time_that_is_not_read_has_shares_of_the_history),
    cmocka_unit_test(domains_with_the_most_rows_are_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
