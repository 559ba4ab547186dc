// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ifleet -Ianalysis fleet/spool_streams.c fleet/spool_files.c fleet/spool_jobs.c fleet/small_file.c fleet/stored.c fleet/stream_name.c fleet/explain.c libanalysis.a
/* If this breaks, an agent that follows thousands of processes forgets some of
   their parts, or a part that the hub may have is counted as lost. */

#define _GNU_SOURCE
#include "ring_test.h"
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "spool.h"

#define MANY 5000

static char folder[64], bytes[SPOOL_PIECE];

static void no_line(const char *line)
{
  (void) line;
}

static struct spool *new_spool(uint64_t limit)
{
  char why[256] = "";
  struct spool_limits limits = { .bytes = limit, .age_ns = INT64_MAX / 2 };
  strcpy(folder, "/tmp/spool-XXXXXX");
  assert_non_null(mkdtemp(folder));
  struct spool *s = open_spool(folder, &limits, no_line, why, sizeof why);
  if (s == NULL) fail_msg("%s", why);
  return s;
}

static struct spool_stream *hold(struct spool *s, int number)
{
  char why[256];
  struct spool_facts facts = { .pid = number };
  snprintf(facts.name, sizeof facts.name, "a-%d", number);
  struct spool_stream *t = hold_stream(s, &facts, why, sizeof why);
  assert_non_null(t);
  return t;
}

/* Writes a part of the stream that has ended. */
static void write_part(struct spool *s, struct spool_stream *t, size_t size)
{
  char why[256], *path = reserve_part(s, t, why, sizeof why);
  assert_non_null(path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (size_t i = 0; i < size; i++) putc('x', file);
  fclose(file);
  free(path);
  begin_part(s, t);
  part_has(s, t, size, 1);
  end_part(s, t);
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *place)
{
  (void) status, (void) kind, (void) place;
  return remove(path);
}

static void remove_spool(struct spool *s)
{
  close_spool(s);
  assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Each job of one stream is found among many streams without any. */
static void idle_streams(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 30);
  struct spool_job job;
  hold(s, 0);
  /* Names are compared when a stream is held; these are added by their
     folders. */
  close_spool(s);
  for (int i = 1; i < MANY; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/a-%d", folder, i);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  struct spool_limits limits = { .bytes = 1 << 30, .age_ns = INT64_MAX / 2 };
  char why[256];
  s = open_spool(folder, &limits, no_line, why, sizeof why);
  assert_non_null(s);
  struct spool_stream *first = hold(s, 0);
  assert_false(next_job(s, &job, bytes));
  for (int i = 0; i < 20; i++) {
    write_part(s, first, 10);
    assert_true(next_job(s, &job, bytes));
    end_job(s, &job, JOB_CONFIRMED, 10, "");
    assert_false(next_job(s, &job, bytes));
  }
  release_stream(s, first);
  remove_spool(s);
}

/* All streams with bytes have their turn. */
static void turns(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 30);
  struct spool_stream *streams[3];
  struct spool_job job;
  int seen[3] = { 0 };
  for (int i = 0; i < 3; i++) {
    streams[i] = hold(s, i);
    write_part(s, streams[i], 10);
  }
  for (int i = 0; i < 9; i++) {
    assert_true(next_job(s, &job, bytes));
    for (int k = 0; k < 3; k++) seen[k] += streams[k] == job.stream;
    end_job(s, &job, JOB_FAILED, 0, "");
  }
  for (int k = 0; k < 3; k++) assert_int_equal(seen[k], 3);
  remove_spool(s);
}

/* A part of which the hub may have bytes is dropped but for these. */
static void unanswered(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 20);
  struct spool_stream *t = hold(s, 1);
  struct spool_job job;
  write_part(s, t, 3 << 20);
  assert_true(next_job(s, &job, bytes));
  assert_int_equal(job.length, SPOOL_PIECE);
  end_job(s, &job, JOB_UNANSWERED, 0, "");
  settle_parts(s);
  keep_limits(s);
  assert_int_equal(spool_totals(s).dropped_parts, 1);
  assert_int_equal(spool_totals(s).dropped_bytes, 2 << 20);
  assert_true(next_job(s, &job, bytes));
  assert_int_equal(job.offset, 0);
  assert_int_equal(job.length, SPOOL_PIECE);
  assert_true(job.last);
  end_job(s, &job, JOB_CONFIRMED, SPOOL_PIECE, "");
  settle_parts(s);
  keep_limits(s);
  assert_int_equal(spool_totals(s).parts, 0);
  remove_spool(s);
}

#define HOUR_NS (INT64_C(3600) * 1000000000)

static int make_old(const char *path, const struct stat *status, int kind,
                    struct FTW *place)
{
  const struct timespec times[2] = { { .tv_sec = time(NULL) - 5400 },
                                     { .tv_sec = time(NULL) - 5400 } };
  (void) status, (void) kind, (void) place;
  return utimensat(AT_FDCWD, path, times, 0);
}

/* Opens the spool once more, with an age of [age_ns] for its parts, which are one
   and a half hours old. */
static struct spool *open_old(struct spool *s, int64_t age_ns)
{
  const struct spool_limits limits = { .bytes = 1 << 30, .age_ns = age_ns };
  char why[256] = "";
  close_spool(s);
  assert_int_equal(nftw(folder, make_old, 8, FTW_PHYS), 0);
  s = open_spool(folder, &limits, no_line, why, sizeof why);
  if (s == NULL) fail_msg("%s", why);
  return s;
}

/* A part that is too old, and that the hub may have, is sent once more.  The last
   part is no recording and does not count. */
static void unanswered_and_old(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 30);
  struct spool_stream *t = hold(s, 1);
  struct spool_job job;
  for (size_t size = 10; size <= 30; size += 10) write_part(s, t, size);
  s = open_old(s, HOUR_NS);
  keep_limits(s);
  assert_int_equal(spool_totals(s).dropped_parts, 1);
  assert_int_equal(spool_totals(s).dropped_bytes, 20);
  assert_true(next_job(s, &job, bytes));
  assert_int_equal(job.part, 1);
  assert_int_equal(job.length, 10);
  end_job(s, &job, JOB_CONFIRMED, 10, "");
  settle_parts(s);
  assert_int_equal(spool_totals(s).parts, 0);
  assert_int_equal(spool_totals(s).dropped_parts, 1);
  remove_spool(s);
}

/* When it is so old once more, it is dropped. */
static void never_answered(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 30);
  struct spool_stream *t = hold(s, 1);
  for (size_t size = 10; size <= 20; size += 10) write_part(s, t, size);
  s = open_old(s, HOUR_NS / 2);
  keep_limits(s);
  assert_int_equal(spool_totals(s).parts, 0);
  assert_int_equal(spool_totals(s).dropped_parts, 1);
  remove_spool(s);
}

/* Also after its agent was killed: of the parts left, the first one.  The last is
   no recording and does not count. */
static void unanswered_before(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 30);
  struct spool_stream *t = hold(s, 1);
  struct spool_job job;
  char why[256];
  for (int i = 0; i < 4; i++) write_part(s, t, 1 << 20);
  assert_true(next_job(s, &job, bytes));
  assert_int_equal(job.part, 1);
  close_spool(s);
  const struct spool_limits limits = { .bytes = 2 << 20,
                                       .age_ns = INT64_MAX / 2 };
  s = open_spool(folder, &limits, no_line, why, sizeof why);
  assert_non_null(s);
  keep_limits(s);
  assert_int_equal(spool_totals(s).dropped_parts, 1);
  assert_true(next_job(s, &job, bytes));
  assert_int_equal(job.part, 1);
  end_job(s, &job, JOB_CONFIRMED, 1 << 20, "");
  settle_parts(s);
  assert_true(next_job(s, &job, bytes));
  assert_int_equal(job.part, 3);
  end_job(s, &job, JOB_FAILED, 0, "");
  remove_spool(s);
}

/* A part of which no byte was sent is dropped whole. */
static void unsent(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 20);
  struct spool_stream *t = hold(s, 1);
  struct spool_job job;
  write_part(s, t, 3 << 20);
  assert_true(next_job(s, &job, bytes));
  end_job(s, &job, JOB_FAILED, 0, "");
  settle_parts(s);
  keep_limits(s);
  assert_int_equal(spool_totals(s).parts, 0);
  assert_int_equal(spool_totals(s).bytes, 0);
  assert_int_equal(spool_totals(s).dropped_bytes, 3 << 20);
  remove_spool(s);
}

/* A hub that claims more bytes than the part has gets no more of them. */
static void too_much(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 20);
  struct spool_stream *t = hold(s, 1);
  struct spool_job job;
  write_part(s, t, 10);
  assert_true(next_job(s, &job, bytes));
  end_job(s, &job, JOB_CONFIRMED, UINT64_MAX, "");
  settle_parts(s);
  keep_limits(s);
  assert_int_equal(spool_totals(s).sent, 10);
  assert_int_equal(spool_totals(s).parts, 0);
  remove_spool(s);
}

static int visited;

static void visit(void *state, const struct stream_report *report)
{
  (void) report;
  ++*(int *) state;
}

/* All streams have their turn in reports, and a report that did not arrive is
   made again. */
static void reports(void **state)
{
  (void) state;
  struct spool *s = new_spool(1 << 20);
  for (int i = 0; i < 3; i++) release_stream(s, hold(s, i));
  for (int i = 0; i < 3; i++) set_all_held(s, true);
  visited = 0;
  assert_int_equal(visit_streams(s, 2, visit, &visited), 3);
  assert_int_equal(visited, 2);
  /* That report is lost; this one has the third stream and one of the others. */
  assert_int_equal(visit_streams(s, 2, visit, &visited), 3);
  reports_arrived(s);
  assert_int_equal(visit_streams(s, 2, visit, &visited), 1);
  assert_int_equal(visited, 5);
  reports_arrived(s);
  assert_int_equal(visit_streams(s, 2, visit, &visited), 0);
  /* Nothing is left to send. */
  struct spool_job job;
  assert_false(next_job(s, &job, bytes));
  settle_parts(s);
  keep_limits(s);
  assert_int_equal(spool_totals(s).streams, 0);
  remove_spool(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(idle_streams), cmocka_unit_test(turns),
    cmocka_unit_test(unanswered), cmocka_unit_test(unanswered_before),
    cmocka_unit_test(unanswered_and_old), cmocka_unit_test(never_answered),
    cmocka_unit_test(unsent), cmocka_unit_test(too_much), cmocka_unit_test(reports)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
