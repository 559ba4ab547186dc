// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, the charts of eventring serve show rates and durations that
   the program did not have, waits at times at which nobody waited, zeros for
   times that are not known, or shares of a domain's time that exceed it. */

#include <unistd.h>

#include "ring_test.h"
#include "history.h"

#define MS UINT64_C(1000000)
#define MAIN 1000                 /* the thread of ring 0 */
#define MINOR 12
#define SLICE 13
#define TERMINATE 519
#define STOP 641
#define HEAP 642
#define THREAD_RUN 649
#define BLOCKING_SECTION 652
#define MUTEX_WAIT 653
#define WORK EVENTRING_FIRST_USER_ID
#define TWIN (WORK + 1)
#define ORDER (WORK + 2)
#define EDGE (WORK + 3)
#define FIRST_OF_MANY (WORK + 4)

static void make_ring(struct ring_file *f)
{
  ring_create(f, &(struct ring_options) { .log_words = 14, .rings = 2,
                                          .pid = MAIN });
  f->header->started.monotonic_ns = 0;
  f->header->started.ticks = 0;
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, EVENTRING_GC_BIT, "", "gc");
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, EVENTRING_USER_BIT, "", "user");
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, EVENTRING_WAIT_BIT, "", "wait");
  ring_schema(f, MINOR, EVENTRING_SPAN, 0, EVENTRING_GC_BIT, "", "minor");
  ring_schema(f, SLICE, EVENTRING_SPAN, 0, EVENTRING_GC_BIT, "", "major_slice");
  ring_schema(f, TERMINATE, EVENTRING_INSTANT, 0, EVENTRING_GC_BIT, "",
              "domain_terminate");
  ring_schema(f, THREAD_RUN, EVENTRING_INSTANT, EVENTRING_INT,
              EVENTRING_WAIT_BIT, "", "thread_run");
  ring_schema(f, STOP, EVENTRING_COMPLETE, EVENTRING_PACKED, EVENTRING_GC_BIT,
              "", "stop_the_world");
  ring_field(f, STOP, 0, "ticks", 0, "duration");
  ring_field(f, STOP, 1, "domain", 1, "domain");
  ring_field(f, STOP, 2, "ticks", 1, "arrived_after");
  ring_field(f, STOP, 3, "ticks", 1, "left_before");
  ring_schema(f, HEAP, EVENTRING_INSTANT, EVENTRING_PACKED, EVENTRING_GC_BIT,
              "", "heap");
  ring_field(f, HEAP, 0, "words", 0, "pools");
  ring_field(f, HEAP, 1, "words", 0, "live");
  ring_field(f, HEAP, 2, "words", 0, "large");
  ring_schema(f, BLOCKING_SECTION, EVENTRING_COMPLETE, EVENTRING_INT,
              EVENTRING_WAIT_BIT, "", "blocking_section");
  ring_schema(f, MUTEX_WAIT, EVENTRING_COMPLETE, EVENTRING_INT,
              EVENTRING_WAIT_BIT, "", "mutex_wait");
  ring_schema(f, WORK, EVENTRING_SPAN, 0, EVENTRING_USER_BIT, "", "work");
  ring_schema(f, TWIN, EVENTRING_SPAN, 0, EVENTRING_USER_BIT, "", "work");
  ring_schema(f, ORDER, EVENTRING_REQUEST, EVENTRING_INT, EVENTRING_USER_BIT,
              "", "order");
  ring_schema(f, EDGE, EVENTRING_INSTANT, 0, EVENTRING_USER_BIT, "", "edge");
}

/* All of these take times in ms. */

static void edge(struct ring_file *f, uint32_t ring, uint64_t at)
{
  ring_write(f, ring, at * MS, EVENTRING_FORM_INSTANT, EDGE, NULL, 0);
}

static void span(struct ring_file *f, uint32_t id, uint64_t from, uint64_t to)
{
  ring_write(f, 0, from * MS, EVENTRING_FORM_BEGIN, id, NULL, 0);
  ring_write(f, 0, to * MS, EVENTRING_FORM_END, id, NULL, 0);
}

static void wait(struct ring_file *f, uint32_t ring, uint64_t from, uint64_t to)
{
  uint64_t ns = (to - from) * MS;
  ring_write(f, ring, to * MS, EVENTRING_FORM_INSTANT, MUTEX_WAIT, &ns, 1);
}

/* Domain 1 reports that both domains were stopped, and that domain 0 went on
   [before] the end. */
static void stop_left_early(struct ring_file *f, uint64_t from, uint64_t to,
                            uint64_t before)
{
  ring_packed(f, 1, to * MS, EVENTRING_FORM_INSTANT, STOP,
              (uint64_t[]) { (to - from) * MS, 0, 0, before * MS, 1, 0, 0 }, 7);
}

static void stop(struct ring_file *f, uint64_t from, uint64_t to)
{
  stop_left_early(f, from, to, 0);
}

struct made {
  struct eventring_cursor *cursor;
  struct live_stats *live;
  struct history *history;
};

static struct made begin_reading(struct ring_file *f)
{
  struct made m = { .cursor = ring_open(f) };
  m.live = new_live_stats(m.cursor);
  m.history = new_history(m.cursor, m.live);
  return m;
}

static void read_more(struct made *m)
{
  struct eventring_event events[64];
  int n;
  while ((n = eventring_read(m->cursor, events, 64)) > 0)
    for (int i = 0; i < n; i++) {
      history_event(m->history, &events[i]);
      live_event(m->live, &events[i]);
    }
}

static struct made read_ring(struct ring_file *f)
{
  struct made m = begin_reading(f);
  read_more(&m);
  return m;
}

static void destroy_readers(struct made *m)
{
  free_history(m->history);
  free_live_stats(m->live);
  eventring_close(m->cursor);
}

static void destroy(struct made *m, struct ring_file *f)
{
  destroy_readers(m);
  ring_destroy(f);
}

static const struct history_row *row(struct made *m, enum history_tier tier,
                                     uint64_t number)
{
  assert_true(number < history_count(m->history, tier));
  const struct history_row *r = history_row(m->history, tier, number);
  assert_int_equal(r->ns, (int64_t) number * history_step_ns[tier]);
  return r;
}

static uint16_t running(struct made *m, enum history_tier tier, uint64_t number)
{
  return history_domain(m->history, tier, number, 0).running;
}

static void has_ended(struct made *m, enum history_tier tier, uint64_t number,
                      enum history_kind kind, uint64_t count, uint64_t ms)
{
  struct history_ended ended = history_ended(m->history, tier, number, kind, 0);
  assert_int_equal(ended.count, count);
  assert_int_equal(ended.ns, ms * MS);
}

static void spans_and_requests_are_in_the_row_of_their_end(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  uint64_t number = 7;
  ring_write(&f, 0, MS, EVENTRING_FORM_BEGIN, ORDER, &number, 1);
  span(&f, WORK, 10, 30);
  span(&f, TWIN, 40, 45);         /* another id, the same name */
  span(&f, WORK, 90, 110);
  edge(&f, 0, 1001);
  edge(&f, 1, 2);
  ring_write(&f, 1, 150 * MS, EVENTRING_FORM_END, ORDER, &number, 1);
  struct made m = read_ring(&f);
  assert_string_equal(history_name(m.history, HISTORY_SPAN, 0), "work");
  assert_null(history_name(m.history, HISTORY_SPAN, 1));
  assert_string_equal(history_name(m.history, HISTORY_REQUEST, 0), "order");
  for (uint64_t i = 0; i < 3; i++)
    assert_true(row(&m, HISTORY_100MS, i)->user_known);
  has_ended(&m, HISTORY_100MS, 0, HISTORY_SPAN, 2, 25);
  has_ended(&m, HISTORY_100MS, 0, HISTORY_REQUEST, 0, 0);
  has_ended(&m, HISTORY_100MS, 1, HISTORY_SPAN, 1, 20);
  has_ended(&m, HISTORY_100MS, 1, HISTORY_REQUEST, 1, 149);
  has_ended(&m, HISTORY_100MS, 2, HISTORY_SPAN, 0, 0);
  has_ended(&m, HISTORY_1S, 0, HISTORY_SPAN, 3, 45);
  has_ended(&m, HISTORY_1S, 0, HISTORY_REQUEST, 1, 149);
  destroy(&m, &f);
}

static void a_wait_is_in_all_rows_that_it_covers(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  wait(&f, 0, 180, 330);
  edge(&f, 0, 1001);
  edge(&f, 1, 310);               /* ends rows in which ring 0 waits */
  wait(&f, 1, 310, 320);
  struct made m = read_ring(&f);
  const uint64_t wanted[] = { 0, 20, 100, 40, 0 };
  for (uint64_t i = 0; i < 5; i++) {
    assert_true(row(&m, HISTORY_100MS, i)->waits_known);
    assert_int_equal(history_waits_ns(m.history, HISTORY_100MS, i, 0),
                     wanted[i] * MS);
  }
  /* Domain 1 runs; in the last row, all of the wait is known. */
  assert_int_equal(running(&m, HISTORY_100MS, 2), 0);
  assert_int_equal(running(&m, HISTORY_100MS, 1), 8000);
  assert_int_equal(running(&m, HISTORY_100MS, 3), 7000);
  assert_int_equal(row(&m, HISTORY_100MS, 1)->running, 8000);
  assert_int_equal(running(&m, HISTORY_1S, 0), 8498);
  assert_string_equal(history_name(m.history, HISTORY_WAIT, 0), "mutex_wait");
  assert_int_equal(row(&m, HISTORY_100MS, 0)->names[HISTORY_WAIT], 0);
  assert_int_equal(row(&m, HISTORY_100MS, 1)->names[HISTORY_WAIT], 1);
  assert_int_equal(history_waits_ns(m.history, HISTORY_1S, 0, 0), 160 * MS);
  destroy(&m, &f);
}

static void the_heap_is_known_from_its_first_report(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  ring_packed(&f, 0, 150 * MS, EVENTRING_FORM_INSTANT, HEAP,
              (uint64_t[]) { 1000, 600, 50 }, 3);
  edge(&f, 0, 201);
  struct made m = read_ring(&f);
  assert_false(row(&m, HISTORY_100MS, 0)->heap.known);
  const struct history_row *r = row(&m, HISTORY_100MS, 1);
  assert_true(r->heap.known);
  assert_int_equal(r->heap.pool_words, 1000);
  assert_int_equal(r->heap.pool_live_words, 600);
  assert_int_equal(r->heap.large_words, 50);
  assert_int_equal(r->heap_bytes, 8 * 1050);
  destroy(&m, &f);
}

static void names_are_bounded(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  for (uint32_t i = 0; i < HISTORY_NAMES + 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "span %u", i);
    ring_schema(&f, FIRST_OF_MANY + i, EVENTRING_SPAN, 0, EVENTRING_USER_BIT,
                "", name);
    span(&f, FIRST_OF_MANY + i, 1 + i, 2 + i);
  }
  edge(&f, 0, 101);
  struct made m = read_ring(&f);
  const struct history_row *r = row(&m, HISTORY_100MS, 0);
  assert_int_equal(r->names[HISTORY_SPAN], HISTORY_NAMES);
  for (uint32_t i = 0; i < HISTORY_NAMES; i++)
    assert_int_equal(
      history_ended(m.history, HISTORY_100MS, 0, HISTORY_SPAN, i).ns, MS);
  assert_null(history_name(m.history, HISTORY_SPAN, HISTORY_NAMES));
  destroy(&m, &f);
}

static void rows_are_kept_for_their_time(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  for (uint64_t i = 0; i < 4 * HISTORY_ROWS_100MS; i += 2) {
    span(&f, WORK, i * 100 + 10, i * 100 + 20);
    wait(&f, 0, i * 100 + 30, i * 100 + 40);
  }
  edge(&f, 0, 4 * HISTORY_ROWS_100MS * 100 + 1);
  struct made m = read_ring(&f);
  const uint64_t first = history_first(m.history, HISTORY_100MS);
  assert_int_equal(history_count(m.history, HISTORY_100MS),
                   4 * HISTORY_ROWS_100MS);
  assert_int_equal(first, 3 * HISTORY_ROWS_100MS);
  for (uint64_t i = first; i < 4 * HISTORY_ROWS_100MS; i++) {
    row(&m, HISTORY_100MS, i);
    has_ended(&m, HISTORY_100MS, i, HISTORY_SPAN, i % 2 == 0, i % 2 ? 0 : 10);
    assert_int_equal(history_waits_ns(m.history, HISTORY_100MS, i, 0),
                     i % 2 ? 0 : 10 * MS);
  }
  assert_int_equal(history_first(m.history, HISTORY_1S), 0);
  has_ended(&m, HISTORY_1S, 0, HISTORY_SPAN, 5, 50);
  destroy(&m, &f);
}

/* Thread 2 takes the domain lock, and gives it back, without a wait that was
   long enough to be recorded: the time of the first thread is known late. */
static void shares_of_a_row_add_up(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  wait(&f, 0, 2, 500);
  ring_domain(&f, 0, 0, 2);
  wait(&f, 0, 400, 510);
  edge(&f, 0, 690);
  ring_domain(&f, 0, 0, MAIN);
  span(&f, MINOR, 710, 750);
  edge(&f, 0, 801);
  struct made m = read_ring(&f);
  for (uint64_t i = 0; i < 8; i++) {
    const struct history_row *r = row(&m, HISTORY_100MS, i);
    assert_int_equal(r->running + r->collecting + r->waiting, SHARE_ALL);
    const struct history_domain d = history_domain(m.history, HISTORY_100MS, i,
                                                   0);
    assert_true(d.running + d.collecting <= SHARE_ALL);
  }
  assert_int_equal(row(&m, HISTORY_100MS, 7)->collecting, 4000);
  assert_int_equal(row(&m, HISTORY_100MS, 7)->running, 6000);
  destroy(&m, &f);
}

/* The backup thread of domain 0 takes part in stops, without an event.  The
   first one ends in the wait, the last one is known after it.  The begin of
   domain 1 is lost, but only its own thread writes events of the program. */
static void stops_of_a_domain_that_waits_are_no_time_in_the_collector(
  void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 1, 1);
  stop(&f, 100, 300);
  stop(&f, 400, 700);
  wait(&f, 0, 200, 800);
  stop(&f, 750, 850);
  edge(&f, 0, 1001);
  struct made m = read_ring(&f);
  struct summary *s = live_summary(m.live);
  struct summary_time t =
    summary_time(s, summary_numbers(s)->domains[0], 1001 * MS);
  assert_int_equal(t.watched_ns, 1000 * MS);
  assert_int_equal(t.waiting_ns, 600 * MS);
  assert_int_equal(t.collecting_ns, 100 * MS);
  assert_int_equal(t.running_ns, 300 * MS);
  t = summary_time(s, summary_numbers(s)->domains[1], 1001 * MS);
  assert_int_equal(t.collecting_ns, 600 * MS);
  assert_int_equal(t.running_ns, 400 * MS);
  destroy(&m, &f);
}

/* The same numbers two ways: rows of the history, and the statistics of the
   window of each row. */

static void are_equal(uint16_t share, uint64_t ns, uint64_t of_ns)
{
  const int wanted = (int) (ns * SHARE_ALL / of_ns);
  assert_in_range(share, wanted > 0 ? wanted - 1 : 0, wanted + 1);
}

/* Checks domain [d] of a row, and adds its shares to [sum]. */
static void is_domain_of_row(struct made *m, enum history_tier tier,
                             uint64_t number, struct summary *s,
                             struct summary_domain *d, int64_t until,
                             double *sum)
{
  const struct summary_time time = summary_time(s, d, until);
  const struct history_row *r = history_row(m->history, tier, number);
  if (time.watched_ns == 0) return;
  uint32_t i = 0;
  while (i < r->domain_count
         && history_domain(m->history, tier, number, i).id != domain_numbers(d)->id)
    i++;
  assert_true(i < r->domain_count);
  const struct history_domain h = history_domain(m->history, tier, number, i);
  are_equal(h.running, time.running_ns, time.watched_ns);
  are_equal(h.collecting, time.collecting_ns, time.watched_ns);
  *sum += (double) h.running * (double) time.watched_ns;
}

static void is_window_of_row(struct ring_file *f, struct made *m,
                             enum history_tier tier, uint64_t number)
{
  struct eventring_cursor *cursor = ring_open(f);
  struct summary *s = new_summary(cursor);
  struct eventring_event event;
  const struct history_row *r = row(m, tier, number);
  const int64_t until = r->ns + history_step_ns[tier];
  double sum = 0;
  summary_window(s, r->ns, until);
  while (eventring_read(cursor, &event, 1) == 1) summary_event(s, &event);
  const struct summary_time all = summary_time(s, NULL, until);
  assert_true(all.watched_ns > 0);
  assert_in_range(r->watched_ns, all.watched_ns - 8, all.watched_ns + 8);
  are_equal(r->running, all.running_ns, all.watched_ns);
  are_equal(r->collecting, all.collecting_ns, all.watched_ns);
  are_equal(r->waiting, all.waiting_ns, all.watched_ns);
  for (uint32_t i = 0; i < summary_numbers(s)->domain_count; i++)
    is_domain_of_row(m, tier, number, s, summary_numbers(s)->domains[i], until,
                     &sum);
  are_equal(r->running, (uint64_t) sum, all.watched_ns * SHARE_ALL);
  assert_int_equal(r->events, summary_tally(s, NULL, until).events);
  free_summary(s);
  eventring_close(cursor);
}

static void rows_are_their_windows(struct ring_file *f, struct made *m)
{
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++)
    for (uint64_t i = history_first(m->history, tier);
         i < history_count(m->history, tier); i++)
      is_window_of_row(f, m, tier, i);
}

/* Thread 2 of domain 0 wakes from [from] at [to], and says first that it
   runs. */
static void wake_other(struct ring_file *f, uint64_t from, uint64_t to)
{
  uint64_t number = 2;
  ring_domain(f, 0, 0, 2);
  ring_write(f, 0, to * MS, EVENTRING_FORM_INSTANT, THREAD_RUN, &number, 1);
  wait(f, 0, from, to);
}

/* The main thread of domain 0 runs for 10 ms of each 100 ms, domain 1 for
   nothing.  Thread 2 of domain 0 wakes from two waits. */
static void a_thread_that_wakes_leaves_the_time_of_others(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  for (uint32_t ring = 0; ring < 2; ring++)
    ring_write(&f, ring, 1, EVENTRING_FORM_INSTANT, EDGE, NULL, 0);
  struct made m = begin_reading(&f);
  for (uint64_t ms = 0; ms < 21000; ms += 100) {
    if (ms == 6900) wake_other(&f, 1, 6950);
    if (ms == 18900) wake_other(&f, 6950, 18950);
    if (ms == 6900 || ms == 18900) ring_domain(&f, 0, 0, MAIN);
    wait(&f, 0, ms + 10, ms + 100);
    read_more(&m);
  }
  wait(&f, 1, 0, 21000);
  edge(&f, 0, 21001);
  read_more(&m);
  assert_int_equal(history_count(m.history, HISTORY_10S), 2);
  for (enum history_tier tier = 0; tier < HISTORY_TIERS; tier++)
    for (uint64_t i = 0; i < history_count(m.history, tier); i++) {
      row(&m, tier, i);
      assert_in_range(running(&m, tier, i), 999, 1000);
      assert_int_equal(history_domain(m.history, tier, i, 1).running, 0);
      assert_int_equal(history_row(m.history, tier, i)->running,
                       running(&m, tier, i) / 2);
    }
  rows_are_their_windows(&f, &m);
  destroy(&m, &f);
}

/* Waits, collections and stops begin and end anywhere, one domain ends, and
   begins again. */
static void rows_agree_with_the_statistics_of_their_windows(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 3);
  edge(&f, 1, 3);
  for (uint64_t ms = 20; ms < 11000; ms += 370) {
    wait(&f, 0, ms, ms + 210);
    span(&f, MINOR, ms + 215, ms + 337);
    stop(&f, ms + 340, ms + 350);
    wake_other(&f, ms, ms + 355);
    ring_domain(&f, 0, 0, MAIN);
    if (ms == 20 + 9 * 370) {
      ring_write(&f, 1, (ms + 350) * MS, EVENTRING_FORM_INSTANT, TERMINATE,
                 NULL, 0);
      ring_domain(&f, 1, 2, 77);
    }
    wait(&f, 1, ms + 353, ms + 365);
  }
  wait(&f, 1, 11200, 12950);
  edge(&f, 0, 13001);
  struct made m = read_ring(&f);
  rows_are_their_windows(&f, &m);
  destroy(&m, &f);
}

/* Ring 0 was overwritten: it begins later than ring 1. */
static void a_time_of_which_a_ring_has_no_events_is_not_known(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  for (uint64_t ms = 1; ms <= 30001; ms++) {
    edge(&f, 0, ms);
    if (ms % 100 == 1) edge(&f, 1, ms);
  }
  struct made m = read_ring(&f);
  uint64_t known = 0;
  while (!history_row(m.history, HISTORY_100MS, known)->known) known++;
  assert_in_range(known, 10, 290);
  for (uint64_t i = 0; i < 300; i++) {
    const struct history_row *r = row(&m, HISTORY_100MS, i);
    assert_int_equal(r->known, i >= known);
    assert_int_equal(r->user_known, i >= known);
    assert_true(r->watched_ns > 0);
    assert_in_range(r->events, 1, i < known ? 100 : 101);
    assert_true(i < known || r->events >= 100);
  }
  destroy(&m, &f);
}

/* The statistics end an interval in the collector that was open when the row
   was looked at. */
static void a_time_that_becomes_known_counts_once(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  span(&f, MINOR, 110, 205);
  struct made m = read_ring(&f);
  assert_int_equal(row(&m, HISTORY_100MS, 1)->collecting, 9000);
  summary_tally(live_summary(m.live), NULL, 205 * MS);
  assert_int_equal(row(&m, HISTORY_100MS, 0)->collecting, 0);
  assert_int_equal(row(&m, HISTORY_100MS, 1)->collecting, 9000);
  assert_int_equal(
    history_domain(m.history, HISTORY_100MS, 1, 0).collecting, 9000);
  destroy(&m, &f);
}

/* A row ends between a collection and the event that tells its stop. */
static void a_stop_that_is_told_late_is_no_further_pause(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 1, 1);
  span(&f, MINOR, 90, 99);
  edge(&f, 0, 101);
  struct made m = read_ring(&f);
  assert_int_equal(row(&m, HISTORY_100MS, 0)->collecting, 455);
  stop(&f, 88, 102);
  edge(&f, 0, 210);
  read_more(&m);
  assert_int_equal(row(&m, HISTORY_100MS, 0)->pauses, 0);
  assert_int_equal(row(&m, HISTORY_100MS, 1)->pauses, 2);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].max,
                   14 * MS);
  assert_int_equal(row(&m, HISTORY_100MS, 0)->collecting, 1212);
  destroy(&m, &f);
}

/* A row ends between two collections of a stop and the event that tells it. */
static void collections_of_a_stop_are_one_pause(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 1, 1);
  span(&f, MINOR, 90, 92);
  span(&f, MINOR, 95, 99);
  edge(&f, 0, 101);
  struct made m = read_ring(&f);
  stop(&f, 88, 102);
  edge(&f, 0, 210);
  read_more(&m);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].count,
                   2);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].total,
                   28 * MS);
  destroy(&m, &f);
}

/* A row ends between a slice in which a stop began, or which came after the
   domain had left a stop, and the event that tells the stop. */
static void a_stop_that_is_told_after_a_slice_is_not_lost(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 1, 1);
  span(&f, SLICE, 90, 99);
  edge(&f, 0, 101);
  struct made m = read_ring(&f);
  stop(&f, 97, 102);
  span(&f, SLICE, 193, 199);
  edge(&f, 0, 201);
  read_more(&m);
  stop_left_early(&f, 180, 202, 10);
  edge(&f, 0, 1310);
  read_more(&m);
  const struct summary *s = live_summary(m.live);
  struct summary_domain *const *domains = summary_numbers(s)->domains;
  assert_int_equal(domain_numbers(domains[0])->pauses[PAUSE_ANY].count, 3);
  assert_int_equal(domain_numbers(domains[0])->pauses[PAUSE_ANY].total,
                   (12 + 12 + 6) * MS);
  assert_int_equal(domain_numbers(domains[1])->pauses[PAUSE_ANY].count, 2);
  destroy(&m, &f);
}

static int send_chunk(void *state, int kind, const void *bytes, size_t size)
{
  (void) kind;
  return write(*(int *) state, bytes, size) == (ssize_t) size ? 0 : -1;
}

/* A recording that begins when the process has run for some time: it has the events of
   domain 0 from 150 ms on, and those of domain 1 from 350 ms on. */
static void the_time_before_the_rings_of_a_recording_is_not_known(void **state)
{
  struct ring_file f;
  struct eventring_recorder *recorder;
  char path[256];
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 1, 1);
  struct made m = read_ring(&f);
  snprintf(path, sizeof path, "%s/late.evr", f.dir);
  assert_int_equal(eventring_record(path, m.cursor, NULL, &recorder), 0);
  edge(&f, 0, 150);
  for (uint64_t at = 350; at <= 650; at += 100) {
    edge(&f, 0, at);
    edge(&f, 1, at + 1);
  }
  assert_int_equal(eventring_record_close(recorder), 0);
  destroy_readers(&m);
  assert_int_equal(eventring_open(path, NULL, &m.cursor), 0);
  m.live = new_live_stats(m.cursor);
  m.history = new_history(m.cursor, m.live);
  read_more(&m);
  live_finish(m.live);
  history_finish(m.history, true);
  for (uint64_t i = 0; i < history_count(m.history, HISTORY_100MS); i++) {
    const struct history_row *r = history_row(m.history, HISTORY_100MS, i);
    assert_int_equal(r->known, r->ns >= (int64_t) (400 * MS));
  }
  unlink(path);
  destroy(&m, &f);
}

/* Expects [rows] rows of a process with events up to [last] ms, [whole] of which are shown,
   and whether the last one is cut. */
static void expect_rows(uint64_t last, bool for_good, uint64_t rows, uint64_t whole,
                        bool cut)
{
  struct ring_file f;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 0, last);
  struct made m = read_ring(&f);
  history_finish(m.history, for_good);
  assert_int_equal(history_count(m.history, HISTORY_100MS), rows);
  assert_int_equal(history_whole(m.history, HISTORY_100MS), whole);
  assert_int_equal(history_row(m.history, HISTORY_100MS, rows - 1)->cut, cut);
  destroy(&m, &f);
}

static void a_last_row_that_is_not_whole_is_left_out(void **state)
{
  (void) state;
  expect_rows(230, true, 3, 2, true);
  expect_rows(230, false, 3, 3, false);
  expect_rows(130, true, 2, 2, true);
  expect_rows(30, true, 1, 1, true);
}

/* The process of a stream from another machine runs, though its times are not of
   our clock: its statistics are advanced to the last event at each look. */
static void a_stream_of_another_machine_has_more_to_tell(void **state)
{
  struct ring_file f;
  int ends[2];
  struct eventring_recorder *recorder;
  (void) state;
  make_ring(&f);
  strcpy(f.header->boot_id, "00000000-0000-0000-0000-000000000000");
  edge(&f, 0, 1);
  edge(&f, 1, 1);
  span(&f, MINOR, 90, 99);
  struct eventring_cursor *source = ring_open(&f);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(eventring_record("a pipe", source,
    &(struct eventring_record_options) {
      .size = sizeof (struct eventring_record_options), .flush_ns = 1,
      .write = send_chunk, .state = &ends[1] }, &recorder), 0);
  assert_true(eventring_record_step(recorder) >= 0);
  struct made m = { 0 };
  assert_int_equal(eventring_open_stream(ends[0], "a stream", NULL, &m.cursor),
                   0);
  m.live = new_live_stats(m.cursor);
  m.history = new_history(m.cursor, m.live);
  read_more(&m);
  assert_int_equal(live_last_ns(m.live), 99 * MS);
  assert_int_equal(eventring_state(m.cursor), EVENTRING_STATE_RUNNING);
  live_present(m.live);
  stop(&f, 88, 102);
  assert_true(eventring_record_step(recorder) >= 0);
  read_more(&m);
  live_present(m.live);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].count,
                   2);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].total,
                   28 * MS);
  assert_int_equal(eventring_record_close(recorder), 0);
  eventring_close(source);
  close(ends[1]);
  destroy(&m, &f);
}

static void a_stop_that_is_not_told_is_awaited_a_second(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  span(&f, MINOR, 90, 99);
  edge(&f, 0, 1050);
  struct made m = read_ring(&f);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].count,
                   0);
  edge(&f, 0, 1150);
  read_more(&m);
  assert_int_equal(summary_numbers(live_summary(m.live))->pauses[PAUSE_ANY].count,
                   1);
  destroy(&m, &f);
}

/* Returns the events per second at the end of the statistics. */
static double rate_at_end(struct made *m)
{
  return live_process(m->live, live_finish(m->live), SECOND_NS).event_rate;
}

static void finished_statistics_have_the_time_to_their_end(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  for (uint64_t i = 1; i <= 10; i++) edge(&f, 0, 1000 + i * 10);
  struct made m = read_ring(&f);
  const double life = 0.09;
  assert_float_equal(rate_at_end(&m), 10 / life, 0.01);
  assert_float_equal(rate_at_end(&m), 10 / life, 0.01);
  /* Later events, of the same slot and of others */
  for (uint64_t i = 11; i <= 20; i++) edge(&f, 0, 1000 + i * 10);
  read_more(&m);
  assert_float_equal(rate_at_end(&m), 20 / (life + 0.1), 0.01);
  for (uint64_t i = 21; i <= 41; i++) edge(&f, 0, 1000 + i * 10);
  read_more(&m);
  assert_float_equal(rate_at_end(&m), 41 / 0.4, 0.01);
  /* It was seen to live on without events. */
  live_until(m.live, 1820 * MS);
  assert_float_equal(rate_at_end(&m), 41 / 0.81, 0.01);
  live_until(m.live, 100000 * MS);
  assert_float_equal(rate_at_end(&m), 0, 0);
  destroy(&m, &f);
}

static void is_share(const struct history_share *share, uint32_t id,
                     uint64_t number, uint16_t collecting)
{
  assert_int_equal(share->domain.id, id);
  assert_int_equal(share->number, number);
  assert_int_equal(share->domain.collecting, collecting);
}

static void shares_are_listed_by_domain_and_row(void **state)
{
  struct ring_file f;
  (void) state;
  make_ring(&f);
  edge(&f, 0, 1);
  edge(&f, 1, 150);
  span(&f, MINOR, 160, 205);
  edge(&f, 0, 301);
  struct made m = read_ring(&f);
  size_t count;
  struct history_share *list = history_shares(m.history, HISTORY_100MS, 0, 3,
                                              &count);
  assert_int_equal(count, 5);
  is_share(&list[0], 0, 0, 0);
  is_share(&list[1], 0, 1, 4000);
  is_share(&list[2], 0, 2, 500);
  is_share(&list[3], 1, 1, 0);
  is_share(&list[4], 1, 2, 0);
  free(list);
  /* Each row keeps its own shares. */
  for (uint64_t i = 0; i < 3; i++)
    assert_int_equal(history_row_ns(m.history, HISTORY_100MS, i),
                     row(&m, HISTORY_100MS, i)->ns);
  assert_int_equal(row(&m, HISTORY_100MS, 1)->collecting, 2667);
  assert_int_equal(
    history_domain(m.history, HISTORY_100MS, 2, 0).collecting, 500);
  assert_int_equal(
    history_domain(m.history, HISTORY_100MS, 1, 0).collecting, 4000);
  free(history_shares(m.history, HISTORY_100MS, 1, 1, &count));
  assert_int_equal(count, 0);
  destroy(&m, &f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(spans_and_requests_are_in_the_row_of_their_end),
    cmocka_unit_test(a_wait_is_in_all_rows_that_it_covers),
    cmocka_unit_test(the_heap_is_known_from_its_first_report),
    cmocka_unit_test(names_are_bounded),
    cmocka_unit_test(rows_are_kept_for_their_time),
    cmocka_unit_test(shares_of_a_row_add_up),
    cmocka_unit_test(a_thread_that_wakes_leaves_the_time_of_others),
    cmocka_unit_test(rows_agree_with_the_statistics_of_their_windows),
    cmocka_unit_test(a_time_of_which_a_ring_has_no_events_is_not_known),
    cmocka_unit_test(a_time_that_becomes_known_counts_once),
    cmocka_unit_test(a_stop_that_is_told_late_is_no_further_pause),
    cmocka_unit_test(collections_of_a_stop_are_one_pause),
    cmocka_unit_test(a_stop_that_is_told_after_a_slice_is_not_lost),
    cmocka_unit_test(the_time_before_the_rings_of_a_recording_is_not_known),
    cmocka_unit_test(a_last_row_that_is_not_whole_is_left_out),
    cmocka_unit_test(a_stream_of_another_machine_has_more_to_tell),
    cmocka_unit_test(a_stop_that_is_not_told_is_awaited_a_second),
    cmocka_unit_test(finished_statistics_have_the_time_to_their_end),
    cmocka_unit_test(shares_are_listed_by_domain_and_row),
    cmocka_unit_test(
      stops_of_a_domain_that_waits_are_no_time_in_the_collector),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
