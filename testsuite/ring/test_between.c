// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the time between two events is measured between the wrong
   events or across a gap, or its memory grows with the number of events. */

#include <string.h>
#include "between.h"
#include "ring_test.h"

#define ASK 1024
#define ANSWER 1025
#define JOB 1026
#define WAIT 1027

static void make_ring(struct ring_file *f, uint32_t log_words)
{
  ring_create(f, &(struct ring_options) { .log_words = log_words,
                                          .rings = 2 });
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, 4, "", "user");
  ring_schema(f, ASK, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, 4, "", "ask");
  ring_schema(f, ANSWER, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, 4, "",
              "answer");
  ring_schema(f, JOB, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", "job");
  ring_schema(f, WAIT, EVENTRING_COMPLETE, EVENTRING_INT, 4, "ns", "wait");
}

static void write_instant(struct ring_file *f, uint32_t ring, uint64_t ns,
                          uint32_t id)
{
  ring_write(f, ring, ns, EVENTRING_FORM_INSTANT, id, NULL, 0);
}

/* The work with one file. */
struct run {
  struct eventring_cursor *cursor;
  struct filter *first, *then;
  char words[2][64];
  struct between *between;
};

static struct filter *make_filter(struct run *r, int which, const char *words)
{
  char why[128];
  struct filter *filter = new_filter();
  strcpy(r->words[which], words);
  assert_true(between_filter(filter, r->words[which], why, sizeof why));
  assert_true(filter_begin(filter, r->cursor, why, sizeof why));
  return filter;
}

/* Returns the result for the events of [f]; those before [from] are outside of
   the window. */
static const struct between_result *pair(struct run *r, struct ring_file *f,
                                         const char *first, const char *then,
                                         enum between_scope scope, int64_t from)
{
  struct eventring_event ev[256];
  int n;
  r->cursor = ring_open(f);
  r->first = make_filter(r, 0, first);
  r->then = make_filter(r, 1, then);
  r->between = new_between(r->cursor, r->first, r->then, scope);
  while ((n = eventring_read(r->cursor, ev, 256)) > 0)
    for (int i = 0; i < n; i++)
      between_event(r->between, &ev[i], ev[i].ns >= from);
  return between_result(r->between);
}

static void end(struct run *r)
{
  free_between(r->between);
  free_filter(r->first);
  free_filter(r->then);
  eventring_close(r->cursor);
}

static void assert_counts(const struct between_result *r, uint64_t pairs,
                          uint64_t replaced, uint64_t cut, uint64_t open)
{
  assert_int_equal(r->durations.count, pairs);
  assert_int_equal(r->replaced, replaced);
  assert_int_equal(r->cut, cut);
  assert_int_equal(r->open, open);
}

static void the_latest_first_is_paired_with_the_next_then(void **state)
{
  struct ring_file f;
  struct run run;
  (void) state;
  make_ring(&f, 10);
  write_instant(&f, 0, 50, ANSWER);             /* without a FIRST */
  write_instant(&f, 0, 100, ASK);               /* replaced */
  write_instant(&f, 0, 200, ASK);
  write_instant(&f, 0, 230, ANSWER);
  write_instant(&f, 0, 290, ANSWER);            /* a second THEN */
  write_instant(&f, 0, 300, ASK);
  write_instant(&f, 0, 350, ANSWER);
  write_instant(&f, 0, 400, ASK);               /* open */
  const struct between_result *r = pair(&run, &f, "ask", "answer",
                                        BETWEEN_THREAD, 0);
  assert_int_equal(r->first, 4);
  assert_int_equal(r->then, 4);
  assert_counts(r, 2, 1, 0, 1);
  assert_int_equal(r->durations.total, 80);
  assert_int_equal(r->durations.max, 50);
  assert_int_equal(histogram_quantile(&r->durations, 0.5), 30);
  assert_int_equal(r->longest_count, 2);
  assert_int_equal(r->longest[0].first.ns, 300);
  assert_int_equal(r->longest[0].then.ns, 350);
  assert_int_equal(r->longest[0].then.id, ANSWER);
  assert_int_equal(r->longest[0].then.thread, 1000);
  assert_int_equal(r->longest[1].first.ns, 200);
  assert_int_equal(r->point_ns, 0);
  assert_int_equal(r->point_count, 2);
  assert_int_equal(r->points[0].ns, 230);
  assert_int_equal(r->points[0].max, 30);
  end(&run);
  /* In a window from 250 on there is one pair. */
  assert_counts(pair(&run, &f, "ask", "answer", BETWEEN_THREAD, 250),
                1, 0, 0, 1);
  end(&run);
  /* Equal filters: the time from one to the next. */
  r = pair(&run, &f, "ask", "ask", BETWEEN_THREAD, 0);
  assert_counts(r, 3, 0, 0, 1);
  assert_int_equal(r->durations.total, 300);
  end(&run);
  ring_destroy(&f);
}

static void the_scope_separates_threads_and_domains(void **state)
{
  struct ring_file f;
  struct run run;
  (void) state;
  make_ring(&f, 10);
  write_instant(&f, 0, 100, ASK);
  write_instant(&f, 1, 110, ASK);
  write_instant(&f, 1, 150, ANSWER);
  ring_domain(&f, 0, 0, 1007);
  write_instant(&f, 0, 170, ANSWER);            /* another thread of domain 0 */
  assert_counts(pair(&run, &f, "ask", "answer", BETWEEN_THREAD, 0),
                1, 0, 0, 1);
  end(&run);
  const struct between_result *r = pair(&run, &f, "ask", "answer",
                                        BETWEEN_DOMAIN, 0);
  assert_counts(r, 2, 0, 0, 0);
  assert_int_equal(r->durations.total, 40 + 70);
  end(&run);
  r = pair(&run, &f, "ask domain=0", "answer domain=1", BETWEEN_PROCESS, 0);
  assert_counts(r, 1, 0, 0, 0);
  assert_int_equal(r->durations.total, 50);
  end(&run);
  ring_destroy(&f);
}

static void spans_count_at_the_moment_that_the_filter_names(void **state)
{
  struct ring_file f;
  struct run run;
  const uint64_t took = 7;
  (void) state;
  make_ring(&f, 10);
  for (uint64_t t = 1000; t < 3000; t += 1000) {
    ring_write(&f, 0, t, EVENTRING_FORM_BEGIN, JOB, NULL, 0);
    ring_write(&f, 0, t + 100, EVENTRING_FORM_END, JOB, NULL, 0);
  }
  ring_write(&f, 0, 3000, EVENTRING_FORM_INSTANT, WAIT, &took, 1);
  static const struct {
    const char *first, *then;
    uint64_t total;
  } cases[] = {
    { "job", "job", 1000 },
    { "job", "job form=end", 200 },
    { "job form=end", "job", 900 },
    { "job longer-than=50ns", "job", 900 },
    { "job > 50ns", "job", 900 }, { "job\t>\n50ns", "job", 900 },
    { " > 50ns  name=\"job\">50ns", "job", 900 },
    { "job", "wait", 1000 },
    { "job", "form=complete", 1000 },
    { "job", "form=instant", 0 },
    { "job", "job longer-than=100ns", 0 },
    { "job", "job >100ns", 0 }, { "job", "job > 100ns > 50ns", 0 },
    { "job", "\"job>5\"", 0 }, { "job", "job->b", 0 }, { "job", "<fun>", 0 }
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct between_result *r = pair(&run, &f, cases[i].first,
                                          cases[i].then, BETWEEN_THREAD, 0);
    assert_int_equal(r->durations.total, cases[i].total);
    end(&run);
  }
  ring_destroy(&f);
}

/* Passes an event of form [form] in ring [ring]. */
static void gap(struct run *r, uint8_t form, uint32_t ring)
{
  between_event(r->between, &(struct eventring_event) {
    .form = form, .ring = ring, .domain = ring }, true);
}

static void give(struct run *r, uint16_t id, uint32_t ring, int64_t ns)
{
  between_event(r->between, &(struct eventring_event) {
    .form = EVENTRING_EV_INSTANT, .ring = ring, .domain = ring, .id = id,
    .ns = ns }, true);
}

static void no_pair_spans_a_gap_of_its_scope(void **state)
{
  struct ring_file f;
  struct run run;
  (void) state;
  make_ring(&f, 10);
  for (int process = 0; process < 2; process++) {
    pair(&run, &f, "ask", "answer",
         process ? BETWEEN_PROCESS : BETWEEN_THREAD, 0);
    give(&run, ASK, 0, 10);
    gap(&run, EVENTRING_EV_LOST, 1);            /* of the other ring */
    give(&run, ANSWER, 0, 20);
    give(&run, ASK, 0, 30);
    gap(&run, EVENTRING_EV_LOST, 0);
    give(&run, ANSWER, 0, 40);
    give(&run, ASK, 1, 50);
    gap(&run, EVENTRING_EV_CONTROL_CHANGED, 0);
    assert_counts(between_result(run.between), process ? 0 : 1, 0,
                  process ? 3 : 2, 0);
    end(&run);
  }
  ring_destroy(&f);
}

static void a_then_of_an_earlier_time_is_no_pair(void **state)
{
  struct ring_file f;
  struct run run;
  (void) state;
  make_ring(&f, 10);
  pair(&run, &f, "ask", "answer", BETWEEN_PROCESS, 0);
  give(&run, ASK, 0, 100);
  give(&run, ANSWER, 1, 90);                    /* read late */
  assert_counts(between_result(run.between), 0, 0, 0, 1);
  give(&run, ANSWER, 1, 130);
  assert_counts(between_result(run.between), 1, 0, 0, 0);
  end(&run);
  ring_destroy(&f);
}

static void memory_is_bounded_and_nothing_is_left_out(void **state)
{
  struct ring_file f;
  struct run run;
  const int64_t pairs = 10 * BETWEEN_POINTS;
  uint64_t count = 0, longest = 0;
  (void) state;
  make_ring(&f, 10);
  pair(&run, &f, "ask", "answer", BETWEEN_THREAD, 0);
  for (int64_t i = 0; i < pairs; i++) {
    give(&run, ASK, 0, 1000 * i);
    give(&run, ANSWER, 0, 1000 * i + 1 + (i == 12345 ? 500 : i % 100));
  }
  const struct between_result *r = between_result(run.between);
  assert_counts(r, (uint64_t) pairs, 0, 0, 0);
  assert_true(r->point_ns > 0);
  assert_in_range(r->point_count, BETWEEN_POINTS / 4, BETWEEN_POINTS);
  for (uint32_t i = 0; i < r->point_count; i++) {
    const struct between_point *p = &r->points[i];
    assert_int_equal(p->ns % r->point_ns, 0);
    assert_true(i == 0 || p->ns > r->points[i - 1].ns);
    assert_true(p->min <= p->max);
    count += p->count;
    if (p->max <= longest) continue;
    longest = p->max;
    assert_true(longest < 501 || p->ns == 12345501 / r->point_ns * r->point_ns);
  }
  assert_int_equal(count, pairs);
  assert_int_equal(longest, 501);
  assert_int_equal(r->longest_count, BETWEEN_LONGEST);
  assert_int_equal(r->longest[0].first.ns, 12345000);
  assert_int_equal(r->longest[1].then.ns - r->longest[1].first.ns, 100);
  end(&run);

  /* Times that no process writes, and more threads than are paired. */
  pair(&run, &f, "ask", "answer", BETWEEN_DOMAIN, 0);
  for (uint32_t i = 0; i <= BETWEEN_SCOPES; i++) give(&run, ASK, i, INT64_MIN);
  for (uint32_t i = 0; i < BETWEEN_SCOPES; i++)
    give(&run, ANSWER, i, i % 2 ? INT64_MAX : INT64_MIN);
  assert_counts(between_result(run.between), BETWEEN_SCOPES, 0, 1, 0);
  end(&run);
  ring_destroy(&f);
}

static void wrong_words_are_refused(void **state)
{
  static const char *const wrong[] = { "", "  ", "a=b", "form=x", "form=",
                                       "\"", "longer-than=x", "job > x", "job >5x",
                                       "job < 5ms", "job<5", "job >", "job >= 5ms",
                                       "job>=5ms", "job > .5ms", "job > -1ms",
                                       "job > 1 ms", "job > \"1ms\"", "job>.5ms",
                                       "job>-1ms", "job> .5ms", "job< 5ms", "job>= 5ms",
                                       "job => 1ms", "job >\"\"1ms" };
  (void) state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char words[32], why[128] = "";
    struct filter *filter = new_filter();
    strcpy(words, wrong[i]);
    assert_false(between_filter(filter, words, why, sizeof why));
    assert_true(why[0] != '\0');
    if (strstr(wrong[i], "1 ms") != NULL) assert_string_equal(why, "> 1 ms: write > 1ms");
    free_filter(filter);
  }
  enum between_scope scope;
  assert_true(between_scope("domain ", 6, &scope));
  assert_int_equal(scope, BETWEEN_DOMAIN);
  assert_false(between_scope("domain", 3, &scope));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_latest_first_is_paired_with_the_next_then),
    cmocka_unit_test(the_scope_separates_threads_and_domains),
    cmocka_unit_test(spans_count_at_the_moment_that_the_filter_names),
    cmocka_unit_test(no_pair_spans_a_gap_of_its_scope),
    cmocka_unit_test(a_then_of_an_earlier_time_is_no_pair),
    cmocka_unit_test(memory_is_bounded_and_nothing_is_left_out),
    cmocka_unit_test(wrong_words_are_refused)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
