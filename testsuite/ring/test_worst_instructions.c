// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
// Only in make check-long: it measures the cost, with cachegrind.
/* If this breaks, the work of a subcommand grows faster than the file: a small
   recording, which may become 256 times its size, keeps it busy for long.
   Counts instructions under cachegrind, for a file and for one of four times its
   events. */

#include <fcntl.h>
#include <sys/wait.h>
#include "ring_test.h"

enum { THREAD_RUN = 640, USER = 1024, TIMES = 4 };

/* Four times the events may take so many times the instructions. */
#define LIMIT 5.5

/* Runs valgrind with these arguments and its messages in file [log].  Returns
   the status of waitpid. */
static int run_valgrind(char **argv, const char *log)
{
  int status, null = open("/dev/null", O_WRONLY);
  int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = fork();
  if (pid == 0) {
    if (null < 0 || out < 0 || dup2(null, 1) < 0 || dup2(out, 2) < 0) _exit(99);
    execvp("valgrind", argv);
    _exit(99);
  }
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  close(null);
  close(out);
  return status;
}

/* Returns the instructions of `eventring WORDS FILE`. */
static double instructions(const char *words, struct ring_file *file)
{
  const char *bin = getenv("EVENTRING_BIN");
  char copy[128], log[256], line[256], *argv[16] = {
    "valgrind", "--tool=cachegrind", "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
    (char *) (bin != NULL ? bin : "_build/bin/eventring") };
  char *rest;
  int count = 5;
  double collected = 0;
  FILE *said;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL;
       word = strtok_r(NULL, " ", &rest))
    argv[count++] = word;
  argv[count] = file->path;
  snprintf(log, sizeof log, "%s/log", file->dir);
  assert_int_equal(run_valgrind(argv, log), 0);
  said = fopen(log, "r");
  assert_non_null(said);
  while (fgets(line, sizeof line, said) != NULL) {
    const char *at = strstr(line, " refs:");
    for (; at != NULL && *at != '\0'; at++)       /* 1,234,567 */
      if (*at >= '0' && *at <= '9') collected = 10 * collected + (*at - '0');
  }
  fclose(said);
  unlink(log);
  assert_true(collected > 0);
  return collected;
}

/* Fails when a command's instructions grow faster than the number of events,
   which [make] writes in proportion to [n]. */
static void is_linear(void (*make)(struct ring_file *f, uint32_t n), uint32_t n,
                      const char *const *commands)
{
  int steep = 0;
  if (run_valgrind((char *[]) { "valgrind", "--version", NULL }, "/dev/null"))
    skip();
  for (; *commands != NULL; commands++) {
    struct ring_file small, large;
    double ratio;
    make(&small, n);
    make(&large, TIMES * n);
    ratio = instructions(*commands, &large)
            / instructions(*commands, &small);
    print_message("# eventring %s: %.2f\n", *commands, ratio);
    steep += ratio > LIMIT;
    ring_destroy(&small);
    ring_destroy(&large);
  }
  assert_int_equal(steep, 0);
}

static void events(struct ring_file *f, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    ring_write(f, 0, 1000 + i, EVENTRING_FORM_INSTANT, USER, NULL, 0);
}

/* Adds labels that a hash of domain + thread modulo a power of 2 puts into one
   list. */
static void make_labels(struct ring_file *f, uint32_t n)
{
  ring_create(f, &(struct ring_options) { .log_words = 14,
                                          .schema_capacity = n });
  for (uint32_t i = 0; i < n / 2; i++) {
    ring_label(f, 7, 99 + 1024 * i, -1, "L thread");
    ring_label(f, 7 + 1024 * i, 0, -1, "L domain");
  }
  ring_domain(f, 0, 7, 99);
  events(f, 4 * n);
}

static void labels_of_many_threads(void **state)
{
  static const char *const commands[] = {
    "events", "events --count --thread=L*", NULL };
  (void) state;
  is_linear(make_labels, 512, commands);
}

/* Threads that had one OS id, one after the other. */
static void make_threads(struct ring_file *f, uint32_t n)
{
  ring_create(f, &(struct ring_options) { .log_words = 14,
                                          .schema_capacity = n + 1 });
  for (uint32_t i = 0; i < n; i++)
    ring_label(f, 7, 99, (int32_t) (10 + i), "L thread");
  ring_schema(f, THREAD_RUN, EVENTRING_INSTANT, EVENTRING_PACKED, 0, "",
              "thread_run");
  ring_domain(f, 0, 7, 99);
  for (uint32_t i = 0; i < 4 * n; i++) {
    if (i % 100 == 0)
      ring_packed(f, 0, 1000 + i, EVENTRING_FORM_INSTANT, THREAD_RUN,
                  (uint64_t[]) { 10, 99 }, 2);
    ring_write(f, 0, 1000 + i, EVENTRING_FORM_INSTANT, USER, NULL, 0);
  }
}

static void labels_of_one_thread(void **state)
{
  static const char *const commands[] = { "events", NULL };
  (void) state;
  is_linear(make_threads, 512, commands);
}

/* [n] spans that end in the order in which they began. */
static void make_crossing(struct ring_file *f, uint32_t n)
{
  uint64_t t = 1000;
  ring_create(f, &(struct ring_options) { .log_words = 15,
                                          .schema_capacity = n + 1 });
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, 4, "", "user");
  for (uint32_t i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "span %u", i);
    ring_schema(f, USER + i, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", name);
  }
  for (int form = EVENTRING_FORM_BEGIN; form <= EVENTRING_FORM_END; form++)
    for (uint32_t i = 0; i < n; i++)
      ring_write(f, 0, t++, (uint32_t) form, USER + i, NULL, 0);
}

static void crossing_spans_in_a_trace(void **state)
{
  static const char *const commands[] = {
    "trace --format=chrome -o -", "trace --format=perfetto -o -", NULL };
  (void) state;
  is_linear(make_crossing, 128, commands);
}

static void crossing_spans(void **state)
{
  static const char *const commands[] = {
    "events --longer-than=1h", "latency", "stat", "check", "metrics", "diagnose",
    "profile", NULL };
  (void) state;
  is_linear(make_crossing, 1500, commands);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(labels_of_many_threads),
    cmocka_unit_test(labels_of_one_thread),
    cmocka_unit_test(crossing_spans_in_a_trace),
    cmocka_unit_test(crossing_spans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
