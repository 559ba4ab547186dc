// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis -Iserve -Itools tools/sigbus.c serve/view.c libanalysis.a -ljansson
/* If this breaks, a client of eventring serve gets an error for a file that was
   copied over while it was read, or a hostile file makes the server lose memory
   again and again. */

#include <sys/mman.h>
#include "ring_test.h"
#include "sigbus.h"
#include "view.h"

#define CUT_BYTES 8192

/* The test has no metrics. */
void free_metrics(struct metrics *metrics)
{
  assert_null(metrics);
}

struct work { const char *path; size_t size; int *calls; int cuts, began; };

/* Cuts the file in its first calls while it reads it. */
static void read_file(void *state)
{
  struct work *w = state;
  w->began++;
  if (++*w->calls > w->cuts) return;
  FILE *file = fopen(w->path, "r");
  assert_non_null(file);
  const volatile char *map = mmap(NULL, w->size, PROT_READ, MAP_SHARED,
                                  fileno(file), 0);
  assert_true(map != MAP_FAILED);
  fclose(file);
  assert_int_equal(truncate(w->path, CUT_BYTES), 0);
  (void) map[w->size - 1];
  fail_msg("a file that is cut can be read");
}

static struct view *show(struct ring_file *f)
{
  char why[512];
  catch_sigbus();                 /* cmocka has set a handler of its own */
  ring_create(f, &(struct ring_options) { .log_words = 14,
                                          .state = EVENTRING_RUNNING });
  struct view *view = new_view(1, 0, f->path, 0, why, sizeof why);
  if (view == NULL) fail_msg("%s", why);
  return view;
}

static void work_is_done_again_once_after_a_cut(void **state)
{
  struct ring_file f;
  int calls = 0;
  (void) state;
  struct view *view = show(&f);
  struct work w = { f.path, f.size, &calls, 1, 0 };
  assert_true(view_work(view, read_file, &w, sizeof w));
  assert_int_equal(calls, 2);
  assert_int_equal(w.began, 1);   /* the first call left nothing */
  assert_false(view_is_cut(view));
  calls = 0;
  assert_int_equal(truncate(f.path, (off_t) f.size), 0);
  assert_false(view_work(view, read_file, &w, sizeof w));
  assert_int_equal(calls, 1);
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

static void work_with_effects_is_not_done_again(void **state)
{
  struct ring_file f;
  int calls = 0;
  (void) state;
  struct view *view = show(&f);
  struct work w = { f.path, f.size, &calls, 1, 0 };
  assert_false(view_work(view, read_file, &w, 0));
  assert_int_equal(calls, 1);
  assert_true(view_is_cut(view));
  assert_false(view_work(view, read_file, &w, sizeof w));
  assert_int_equal(calls, 1);
  drop_view(view);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(work_is_done_again_once_after_a_cut),
    cmocka_unit_test(news_are_few_or_many),
    cmocka_unit_test(work_with_effects_is_not_done_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
