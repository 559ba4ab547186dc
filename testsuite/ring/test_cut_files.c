// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis libanalysis.a
/* If this breaks, a file that is cut while it is read ends the command or the
   server by a signal, or is taken for a whole file. */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "cut_files.h"
#include "ring_test.h"
#include "target.h"

#define CUT_BYTES 8192

static void create(struct ring_file *f)
{
  survive_cut_files();            /* cmocka has set a handler of its own */
  ring_create(f, &(struct ring_options) { .log_words = 14,
                                          .state = EVENTRING_RUNNING });
  for (uint64_t ticks = 1000; ticks < 1010; ticks++)
    ring_count(f, 0, ticks, 256, 1);
}

static void a_cursor_says_that_its_file_was_cut(void **state)
{
  struct ring_file f;
  struct eventring_event events[16];
  (void) state;
  create(&f);
  struct eventring_cursor *c = ring_open(&f), *other = ring_open(&f);
  assert_int_equal(eventring_read(c, events, 16), 10);
  assert_false(target_is_cut(c));
  assert_int_equal(target_info(c).damaged_at, 0);
  assert_int_equal(truncate(f.path, CUT_BYTES), 0);
  assert_int_equal(eventring_read(c, events, 16), EVENTRING_E_TRUNCATED);
  assert_int_equal(eventring_read(c, events, 16), EVENTRING_E_TRUNCATED);
  assert_true(target_is_cut(c));
  assert_true(target_info(c).damaged_at >= CUT_BYTES);
  /* Only reading shows it. */
  assert_false(target_is_cut(other));
  assert_int_equal(eventring_read(other, events, 16), EVENTRING_E_TRUNCATED);
  eventring_close(c);
  eventring_close(other);
  ring_destroy(&f);
}

/* A mapping that takes the place of one that was cut is not taken for it. */
static void the_next_file_is_whole(void **state)
{
  struct ring_file f;
  struct eventring_event events[16];
  (void) state;
  for (int i = 0; i < 100; i++) {
    create(&f);
    struct eventring_cursor *c = ring_open(&f);
    assert_int_equal(eventring_read(c, events, 16), 10);
    assert_false(target_is_cut(c));
    assert_int_equal(truncate(f.path, 0), 0);
    assert_int_equal(eventring_read(c, events, 16), EVENTRING_E_TRUNCATED);
    eventring_close(c);
    ring_destroy(&f);
  }
}

static void a_recorder_says_that_the_file_was_cut(void **state)
{
  struct ring_file f;
  char path[64], why[256] = "";
  struct eventring_recorder *r;
  struct eventring_record_options options = {
    .size = sizeof options, .replace = 1, .message = why,
    .message_size = sizeof why };
  (void) state;
  create(&f);
  snprintf(path, sizeof path, "/tmp/cut.%d.evr", (int) getpid());
  struct eventring_cursor *c = ring_open(&f);
  assert_int_equal(eventring_record(path, c, &options, &r), 0);
  assert_true(eventring_record_step(r) >= 0);
  assert_int_equal(truncate(f.path, CUT_BYTES), 0);
  assert_int_equal(eventring_record_step(r), EVENTRING_E_TRUNCATED);
  assert_non_null(strstr(why, f.path));
  assert_non_null(strstr(why, "cut shorter"));
  assert_int_equal(eventring_record_end(r), EVENTRING_E_TRUNCATED);
  eventring_record_close(r);
  eventring_close(c);
  unlink(path);
  ring_destroy(&f);
}

/* Such as an executable with symbols. */
static void another_file_reads_as_zeros(void **state)
{
  char path[] = "/tmp/cut.XXXXXX";
  const int fd = mkstemp(path);
  (void) state;
  survive_cut_files();
  assert_true(fd >= 0);
  assert_int_equal(pwrite(fd, "a", 1, 0), 1);
  assert_int_equal(pwrite(fd, "b", 1, 100000), 1);
  const volatile char *map = mmap(NULL, 100001, PROT_READ, MAP_PRIVATE, fd, 0);
  assert_true(map != MAP_FAILED);
  assert_int_equal(map[100000], 'b');
  assert_int_equal(ftruncate(fd, 1), 0);
  assert_int_equal(map[100000], 0);
  assert_int_equal(map[50000], 0);
  assert_int_equal(map[0], 'a');
  munmap((void *) map, 100001);
  close(fd);
  unlink(path);
}

static void another_sigbus_ends_the_program(void **state)
{
  int status = 0;
  (void) state;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    survive_cut_files();
    kill(getpid(), SIGBUS);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cursor_says_that_its_file_was_cut),
    cmocka_unit_test(the_next_file_is_whole),
    cmocka_unit_test(a_recorder_says_that_the_file_was_cut),
    cmocka_unit_test(another_file_reads_as_zeros),
    cmocka_unit_test(another_sigbus_ends_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
