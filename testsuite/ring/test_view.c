// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis -Iserve -Irender -Isources serve/view.c sources/unnamed_file.c libanalysis.a -ljansson
/* If this breaks, a file that is cut ends eventring serve, or its numbers are taken
   for those of a whole file. */

#include "cut_files.h"
#include "ring_test.h"
#include "target.h"
#include "view.h"

#define CUT_BYTES 8192

/* The test has no metrics. */
void free_metrics(struct metrics *metrics)
{
  assert_null(metrics);
}

static void make(struct ring_file *f)
{
  survive_cut_files();                /* cmocka has set a handler of its own */
  ring_create(f, &(struct ring_options) { .log_words = 14,
                                          .state = EVENTRING_RUNNING });
}

static struct view *view_of(const struct ring_file *f)
{
  char why[512];
  struct view *view = new_view(1, 0, f->path, 0, why, sizeof why);
  if (view == NULL) fail_msg("%s", why);
  return view;
}

static struct view *show(struct ring_file *f)
{
  make(f);
  return view_of(f);
}

/* The function of view_look that counts its calls. */
static void count_call(struct view_data *data, void *state)
{
  (void) data;
  ++*(int *) state;
}

static void a_view_of_a_file_that_is_cut_ends(void **state)
{
  struct ring_file f;
  int calls = 0;
  (void) state;
  struct view *view = show(&f);
  ring_count(&f, 0, 1000, 256, 1);
  assert_int_equal(view_read(view, INT64_MAX), VIEW_FEW);
  assert_true(view_look(view, count_call, &calls));
  assert_int_equal(truncate(f.path, CUT_BYTES), 0);
  assert_int_equal(view_read(view, INT64_MAX), VIEW_FAILED);
  assert_true(view_is_cut(view) && view_is_finished(view));
  assert_false(view_look(view, count_call, &calls));
  assert_int_equal(calls, 1);
  drop_view(view);
  ring_destroy(&f);
}

/* A function of view_look that reads the end of the mapped file. */
static void read_the_end(struct view_data *data, void *state)
{
  struct eventring_event event;
  (void) state;
  (void) eventring_read_ring(data->cursor, 0, &event, 1);
}

static void who_looks_learns_that_the_file_was_cut(void **state)
{
  struct ring_file f;
  (void) state;
  struct view *view = show(&f);
  ring_count(&f, 0, 1000, 256, 1);
  assert_int_equal(truncate(f.path, CUT_BYTES), 0);
  assert_false(view_look(view, read_the_end, NULL));
  assert_true(view_is_cut(view));
  drop_view(view);
  ring_destroy(&f);
}

/* A window of the file: its cursor is another one. */
static void a_window_of_a_file_that_was_cut_is_none(void **state)
{
  struct ring_file f;
  struct eventring_event event;
  char why[512];
  int calls = 0;
  (void) state;
  struct view *view = show(&f);
  ring_count(&f, 0, 1000, 256, 1);
  struct eventring_cursor *c = view_open(view, false, why, sizeof why);
  assert_int_equal(eventring_read(c, &event, 1), 1);
  assert_true(view_close(view, c));
  c = view_open(view, false, why, sizeof why);
  assert_int_equal(truncate(f.path, CUT_BYTES), 0);
  assert_int_equal(eventring_read(c, &event, 1), EVENTRING_E_TRUNCATED);
  assert_false(view_close(view, c));
  assert_true(view_is_cut(view));
  assert_false(view_look(view, count_call, &calls));
  assert_null(view_open(view, false, why, sizeof why));
  assert_string_equal(why, VIEW_CUT);
  drop_view(view);
  ring_destroy(&f);
}

static void a_file_that_was_cut_is_not_opened(void **state)
{
  struct ring_file f;
  char why[512];
  (void) state;
  struct view *view = show(&f);
  assert_int_equal(truncate(f.path, CUT_BYTES), 0);
  assert_null(view_open(view, false, why, sizeof why));
  assert_string_equal(why, VIEW_CUT);
  assert_true(view_is_cut(view));
  drop_view(view);
  ring_destroy(&f);
}

/* The server sleeps for longer while a program writes little. */
static void news_are_few_or_many(void **state)
{
  struct ring_file f;
  (void) state;
  struct view *view = show(&f);
  uint64_t ticks = 1000;
  while (ticks < 1010) ring_count(&f, 0, ticks++, 256, 1);
  assert_int_equal(view_read(view, INT64_MAX), VIEW_FEW);
  while (ticks < 1310) ring_count(&f, 0, ticks++, 256, 1);
  assert_int_equal(view_read(view, INT64_MAX), VIEW_MANY);
  assert_int_equal(view_read(view, INT64_MAX), VIEW_FEW);
  while (ticks < 1610) ring_count(&f, 0, ticks++, 256, 1);
  assert_int_equal(view_read(view, -1), VIEW_MORE);
  drop_view(view);
  ring_destroy(&f);
}

/* Takes the losses of [data]: all, and those from before the opening. */
struct losses { uint64_t all, before; };

static void take_losses(struct view_data *data, void *state)
{
  *(struct losses *) state =
    (struct losses) { lost_events(data->cursor), data->lost_before };
}

static void fill_ring(struct ring_file *f)
{
  const uint64_t ticks = (uint64_t) monotonic_ns();
  for (int i = 0; i < 20000; i++) ring_count(f, 0, ticks, 256, 1);
}

/* The program overwrites events while those from before the opening are read. */
static void a_loss_after_the_opening_is_one(void **state)
{
  struct ring_file f;
  struct losses first, last;
  (void) state;
  make(&f);
  fill_ring(&f);
  struct view *view = view_of(&f);
  assert_int_equal(view_read(view, -1), VIEW_MORE);
  assert_true(view_look(view, take_losses, &first));
  fill_ring(&f);
  while (view_read(view, -1) == VIEW_MORE) ;
  assert_true(view_look(view, take_losses, &last));
  assert_int_not_equal(first.all, 0);
  assert_int_equal(first.before, first.all);
  assert_true(last.all > first.all);
  assert_int_equal(last.before, first.all);
  drop_view(view);
  ring_destroy(&f);
}

#define SPAN 700
#define CATEGORIES 6

/* What the view knows of the categories, and whether a span is open. */
struct seen { uint32_t active; bool open; };

static void see(struct view_data *data, void *state)
{
  const struct spans *spans = summary_numbers(live_summary(data->live))->spans;
  *(struct seen *) state =
    (struct seen) { data->info.active, innermost_span(spans, 0) != NULL };
}

/* The view looks at the categories once a second, and the span has begun before it
   does. */
static void a_span_after_a_change_of_categories_is_open(void **state)
{
  struct ring_file f;
  struct seen seen;
  (void) state;
  make(&f);
  ring_schema(&f, SPAN, EVENTRING_SPAN, EVENTRING_INTS, 1, "", "span");
  struct view *view = view_of(&f);
  assert_int_equal(view_read(view, INT64_MAX), VIEW_FEW);
  f.header->marks[0] = (uint64_t) monotonic_ns();
  f.header->control = CATEGORIES;
  f.header->marks[1] = (uint64_t) monotonic_ns();
  f.header->marks_made = 2;
  ring_write(&f, 0, (uint64_t) monotonic_ns(), EVENTRING_FORM_BEGIN, SPAN, NULL, 0);
  do {
    assert_int_equal(view_read(view, INT64_MAX), VIEW_FEW);
    assert_true(view_look(view, see, &seen));
  } while (seen.active != CATEGORIES);
  assert_true(seen.open);
  drop_view(view);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_view_of_a_file_that_is_cut_ends),
    cmocka_unit_test(who_looks_learns_that_the_file_was_cut),
    cmocka_unit_test(a_window_of_a_file_that_was_cut_is_none),
    cmocka_unit_test(a_file_that_was_cut_is_not_opened),
    cmocka_unit_test(news_are_few_or_many),
    cmocka_unit_test(a_loss_after_the_opening_is_one),
    cmocka_unit_test(a_span_after_a_change_of_categories_is_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
