// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
// Needs the machine alone: it measures processor time.
// Only in make check-long: its limits are of processor time.
/* If this breaks, a file of a megabyte can keep a subcommand busy for longer
   than LIMIT.  As in test_worst.c, the processor's time counts, and the shortest
   of three times. */

#define _GNU_SOURCE
#include <ftw.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "recording_file.h"

/* In seconds: some times what the slowest takes, and a small part of what work
   that grows with the square takes. */
#define LIMIT 6.0

/* The most memory of a command, in KiB; events --all reads 1024 processes of a
   file at a time. */
#define MEMORY_LIMIT (512 * 1024)

static char dir[] = "/tmp/worst.XXXXXX";
static char path[64], made[64];

/* FILE is replaced by the file to be read, OUT by the file made of it. */
static const char *const commands[][8] = {
  { "check", "FILE" }, { "check", "--json", "FILE" },
  { "events", "--count", "FILE" }, { "events", "--raw", "FILE" },
  { "events", "FILE" }, { "events", "--json", "FILE" },
  { "events", "--longer-than=1ms", "FILE" },
  { "stat", "FILE" }, { "stat", "--json", "FILE" },
  { "latency", "FILE" }, { "metrics", "FILE" }, { "diagnose", "FILE" },
  { "profile", "FILE" },
  { "events", "--all", "--count", "FILE" }, { "events", "--all", "FILE" },
  { "events", "--all", "--json", "FILE" },
  { "stat", "--all", "FILE" }, { "stat", "--all", "--json", "FILE" },
  { "latency", "--all", "FILE" }, { "diagnose", "--all", "FILE" },
  { "trace", "--format=chrome", "--force", "-o", "OUT", "FILE" },
  { "trace", "--format=perfetto", "--force", "-o", "OUT", "FILE" },
  { "trace", "--format=ctf", "--force", "-o", "OUT/ctf", "FILE" },
  { "dump", "--force", "-o", "OUT", "FILE" },
  { "cat", "--force", "-o", "OUT", "FILE" },
  { "merge", "--force", "-o", "OUT", "FILE" },
  { "cut", "--from=0", "--to=1", "--force", "-o", "OUT", "FILE" }
};

static void execute(const char *const *command)
{
  const char *bin = getenv("EVENTRING_BIN"), *argv[9] = { "eventring" };
  int null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 7 && command[i] != NULL; i++)
    argv[i + 1] = strcmp(command[i], "FILE") == 0 ? path
                  : strncmp(command[i], "OUT", 3) == 0 ? made : command[i];
  setrlimit(RLIMIT_CPU, &(struct rlimit) { 20, 20 });
  if (null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) _exit(99);
  execv(bin != NULL ? bin : "_build/bin/eventring", (char **) argv);
  _exit(99);
}

static double seconds(struct timeval t)
{
  return (double) t.tv_sec + (double) t.tv_usec / 1e6;
}

/* Runs a subcommand.  Sets [code] to its exit code, 99 when a signal ended it,
   and [memory] to the most memory that it had, in KiB.  Returns the seconds of
   processor time that it used. */
static double seconds_of(const char *const *command, int *code, long *memory)
{
  struct rusage used;
  int status;
  pid_t pid = fork();
  if (pid == 0) execute(command);
  assert_true(pid > 0);
  assert_int_equal(wait4(pid, &status, 0, &used), pid);
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : 99;
  *memory = used.ru_maxrss;
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/* Runs every subcommand: each must end in time, with an exit code of eventring,
   and within the memory. */
static void commands_in_time(void)
{
  double worst = 0;
  long most = 0;
  int late = 0;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    int code, tries = 3;
    long memory;
    double took;
    do took = seconds_of(commands[i], &code, &memory);
    while (took >= LIMIT && --tries > 0);
    if (took > worst) worst = took;
    if (memory > most) most = memory;
    if (took < LIMIT && code <= 4 && memory < MEMORY_LIMIT) continue;
    print_error("%s %s: %.3f s, %ld KiB, exit code %d\n", commands[i][0],
                commands[i][1], took, memory, code);
    late++;
  }
  print_message("# %.3f s at most, %ld KiB at most\n", worst, most);
  unlink(path);
  assert_int_equal(late, 0);
}

/* Runs every subcommand on ring file [f], and removes it. */
static void ring_in_time(struct ring_file *f)
{
  assert_true(f->size <= MEGABYTE + 65536);
  snprintf(path, sizeof path, "%s/a", dir);
  unlink(path);
  assert_int_equal(link(f->path, path), 0);
  commands_in_time();
  ring_destroy(f);
}

/* Recordings */

static void put_small_segment(struct recording *r, uint32_t process,
                              uint64_t shift, uint32_t ring, uint64_t n)
{
  struct { struct run run; uint64_t words[8]; } s = {
    .run = { .ring = ring, .words = 8, .position = RECORDING_POSITION
                                                   + n * 512 },
    .words = { 1000, 1000, 1000, 4 * n,
               EVENTRING_WORD(1, EVENTRING_FORM_INSTANT, 0),
               EVENTRING_WORD(2, EVENTRING_FORM_INSTANT, 0),
               EVENTRING_WORD(3, EVENTRING_FORM_BEGIN, 0),
               EVENTRING_WORD(4, EVENTRING_FORM_INSTANT, 0) }
  };
  s.words[EVENTRING_BLOCK_TICKS] = s.words[EVENTRING_BLOCK_NS] = 1000 + n;
  s.words[EVENTRING_BLOCK_EVENTS] = 4 * n;
  s.words[EVENTRING_BLOCK_WHO] = 7;
  put_chunk(r, (struct chunk) { .kind = CHUNK_SEGMENT, .process = process,
                                .shift = shift, .horizon = UINT64_MAX },
            &s, sizeof s);
}

static int has_room(const struct recording *r, size_t bytes)
{
  return (size_t) ftell(r->file) + bytes < MEGABYTE;
}

static void finish(struct recording *r, int indexed)
{
  if (indexed) end_recording(r, r->chunks, r->count);
  else fclose(r->file);
  free(r->chunks);
}

static void many_processes(int indexed)
{
  struct recording r;
  begin_file(&r, path);
  for (uint32_t process = 0; process < 1024; process++)
    put_process(&r, process, 0, 128);
  for (uint64_t n = 0; has_room(&r, indexed ? 400000 : 500); n++)
    put_small_segment(&r, (uint32_t) n % 1024, 0, 0, n / 1024);
  print_message("# %zu chunks\n", r.count);
  finish(&r, indexed);
  commands_in_time();
}

static void many_processes_with_index(void **state)
{
  (void) state;
  many_processes(1);
}

static void many_processes_without_index(void **state)
{
  (void) state;
  many_processes(0);
}

static void many_intervals(void **state)
{
  struct recording r;
  (void) state;
  begin_file(&r, path);
  for (uint64_t interval = 0; interval < 1024; interval++) {
    put_process(&r, 0, interval * RECORDING_SHIFT, 4096);
    for (int i = 0; i < 4; i++)
      put_small_segment(&r, 0, interval * RECORDING_SHIFT, (uint32_t) interval,
                        i);
  }
  finish(&r, 1);
  commands_in_time();
}

static void many_rings(void **state)
{
  struct recording r;
  (void) state;
  begin_file(&r, path);
  put_process(&r, 0, 0, 4096);
  for (uint64_t n = 0; has_room(&r, 400000); n++)
    put_small_segment(&r, 0, 0, (uint32_t) n % 4096, n / 4096);
  print_message("# %zu chunks\n", r.count);
  finish(&r, 1);
  commands_in_time();
}

/* Ring files */

enum { PAUSE = 640, TERMINATE, THREAD_EXIT, STOP, USER = 1024 };

/* Makes a ring file with the names of [spans] spans of the program. */
static void user_spans(struct ring_file *f, uint32_t spans)
{
  ring_create(f, &(struct ring_options) { .log_words = 17,
                                          .schema_capacity = 300 });
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, 1, "", "domain");
  ring_schema(f, 0, EVENTRING_CATEGORY, 0, 4, "", "user");
  ring_schema(f, PAUSE, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, 1, "",
              "ring_pause");
  ring_schema(f, TERMINATE, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, 1, "",
              "domain_terminate");
  ring_schema(f, THREAD_EXIT, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, 1, "",
              "thread_exit");
  for (uint32_t i = 0; i < spans; i++) {
    char name[16];
    snprintf(name, sizeof name, "span %u", i);
    ring_schema(f, USER + i, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 4, "", name);
  }
}

/* A span of the program, and a pause, after which its state is unknown. */
static void many_pauses(void **state)
{
  struct ring_file f;
  (void) state;
  user_spans(&f, 1);
  for (uint64_t i = 0; i < f.header->ring_words - 8192; i++)
    ring_write(&f, 0, 1000 + i, i % 2 ? EVENTRING_FORM_INSTANT
                                      : EVENTRING_FORM_BEGIN,
               i % 2 ? PAUSE : USER, NULL, 0);
  ring_in_time(&f);
}

/* [count] spans that stay open, 200 a domain. */
static void open_spans(struct ring_file *f, uint32_t count, uint64_t *t)
{
  for (uint32_t i = 0; i < count; i++) {
    if (i % 200 == 0) ring_domain(f, 0, 7 + i / 200, 99 + i / 200);
    ring_write(f, 0, (*t)++, EVENTRING_FORM_BEGIN, USER + i % 200, NULL, 0);
  }
}

/* Domains and threads that end again and again, while many spans are open. */
static void many_ends_of_domains_and_threads(void **state)
{
  struct ring_file f;
  uint64_t t = 1000;
  (void) state;
  user_spans(&f, 200);
  open_spans(&f, 8000, &t);
  ring_domain(&f, 0, 4242, 4242);
  for (; t < 1000 + 100000; t++)
    ring_write(&f, 0, t, EVENTRING_FORM_INSTANT,
               t % 2 ? TERMINATE : THREAD_EXIT, NULL, 0);
  ring_in_time(&f);
}

/* The most open spans that the command keeps, and spans that begin and end. */
static void spans_beside_open_ones(void **state)
{
  struct ring_file f;
  uint64_t t = 1000;
  (void) state;
  user_spans(&f, 200);
  open_spans(&f, 8190, &t);
  for (uint32_t d = 0; d < 150; d++) {
    ring_domain(&f, 0, 9000 + d, 9000 + d);
    for (uint32_t i = 0; i < 200; i++) {
      ring_write(&f, 0, t++, EVENTRING_FORM_BEGIN, USER + i, NULL, 0);
      ring_write(&f, 0, t++, EVENTRING_FORM_END, USER + i, NULL, 0);
    }
  }
  ring_in_time(&f);
}

/* More spans open in one thread than there are names for. */
static void deeply_nested_spans(void **state)
{
  struct ring_file f;
  uint64_t t = 1000;
  (void) state;
  user_spans(&f, 200);
  while (t < 1000 + 120000) {
    ring_write(&f, 0, t, EVENTRING_FORM_BEGIN, USER + t % 200, NULL, 0);
    t++;
  }
  ring_in_time(&f);
}

/* Stops to which a domain comes late in as many spans of the runtime as the
   command keeps. */
static void late_stops(void **state)
{
  static const char *const fields[] = { "duration", "requested_by", "reason",
                                        "cause", "domain", "arrived_after" };
  const uint64_t stop[] = { 1, 7, 1, 1, 7, 10, 0, 2000000 };
  struct ring_file f;
  uint64_t t = 1000;
  (void) state;
  user_spans(&f, 0);
  ring_schema(&f, USER, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, 1, "", "step");
  ring_schema(&f, STOP, EVENTRING_COMPLETE, EVENTRING_PACKED, 1, "",
              "stop_the_world");
  for (uint32_t i = 0; i < sizeof fields / sizeof *fields; i++)
    ring_field(&f, STOP, i, i == 0 || i == 5 ? "ticks" : "domain", i == 4,
               fields[i]);
  while (t < 1000 + 16384)
    ring_write(&f, 0, t++, EVENTRING_FORM_BEGIN, USER, NULL, 0);
  while (t < 1000 + 16384 + 20000)
    ring_packed(&f, 0, t++, EVENTRING_FORM_INSTANT, STOP, stop, 8);
  ring_in_time(&f);
}

/* Spans that end in the order in which they began. */
static void crossing_spans(void **state)
{
  struct ring_file f;
  uint64_t t = 1000;
  (void) state;
  user_spans(&f, 200);
  while (t < 1000 + 100000) {
    for (uint32_t i = 0; i < 200; i++)
      ring_write(&f, 0, t++, EVENTRING_FORM_BEGIN, USER + i, NULL, 0);
    for (uint32_t i = 0; i < 200; i++)
      ring_write(&f, 0, t++, EVENTRING_FORM_END, USER + i, NULL, 0);
  }
  ring_in_time(&f);
}

static int make_dir(void **state)
{
  (void) state;
  if (mkdtemp(dir) == NULL) return -1;
  snprintf(path, sizeof path, "%s/a", dir);
  snprintf(made, sizeof made, "%s/made", dir);
  return 0;
}

static int remove_one(const char *name, const struct stat *st, int kind,
                      struct FTW *where)
{
  (void) st;
  (void) kind;
  (void) where;
  return remove(name);
}

static int remove_dir(void **state)
{
  (void) state;
  return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_processes_with_index),
    cmocka_unit_test(many_processes_without_index),
    cmocka_unit_test(many_intervals),
    cmocka_unit_test(many_rings),
    cmocka_unit_test(many_pauses),
    cmocka_unit_test(many_ends_of_domains_and_threads),
    cmocka_unit_test(spans_beside_open_ones),
    cmocka_unit_test(deeply_nested_spans),
    cmocka_unit_test(late_stops),
    cmocka_unit_test(crossing_spans),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
