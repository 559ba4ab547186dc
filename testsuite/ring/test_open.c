// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, opening something odd hangs or leaks, an error has no
   reason that a user understands, or a reader allocates while it reads. */

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "ring_test.h"

/* Counts the allocations of the reader.  Sanitizers have their own malloc. */
#if defined(__GLIBC__) && !SANITIZED
#define COUNTS_MALLOC 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
static unsigned long allocations;
void *malloc(size_t size) { allocations++; return __libc_malloc(size); }
void *calloc(size_t n, size_t size)
{
  allocations++;
  return __libc_calloc(n, size);
}
void *realloc(void *old, size_t size)
{
  allocations++;
  return __libc_realloc(old, size);
}
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

/* eventring_cursor.h has a macro [fail], as cmocka has. */
void *eventring_new_array(size_t count, size_t size);
void eventring_free_array(void *array, size_t count, size_t size);

static void margins_of_arrays(void **state)
{
  static const size_t sizes[] = { 1, 24, 4096 };
  (void) state;
  for (size_t i = 0; i < 3; i++) {
    size_t bytes = 1001 * sizes[i];
    char *array = eventring_new_array(1001, sizes[i]);
    assert_non_null(array);
    assert_null(__asan_region_is_poisoned(array, bytes));
    for (size_t outside = 1; outside <= 2048; outside *= 2) {
      assert_true(__asan_address_is_poisoned(array - outside));
      assert_true(__asan_address_is_poisoned(array + bytes - 1 + outside));
    }
    eventring_free_array(array, 1001, sizes[i]);
  }
}
#endif

static int count_entries(const char *dir)
{
  DIR *d = opendir(dir);
  int n = 0;
  assert_non_null(d);
  while (readdir(d) != NULL) n++;
  closedir(d);
  return n;
}

static int count_lines(const char *path)
{
  FILE *f = fopen(path, "r");
  int c, n = 0;
  assert_non_null(f);
  while ((c = getc(f)) != EOF) n += c == '\n';
  fclose(f);
  return n;
}

static void odd_files(void **state)
{
  struct ring_file f;
  char path[256], other[256];
  int fd;
  (void) state;
  ring_create(&f, NULL);

  snprintf(path, sizeof path, "%s/nothing", f.dir);
  ring_refused(path, EVENTRING_E_NOT_FOUND);
  snprintf(path, sizeof path, "%s/nothing", f.path);
  ring_refused(path, EVENTRING_E_NOT_FOUND);
  ring_refused(f.dir, EVENTRING_E_NOT_A_RING);
  ring_refused("/dev/null", EVENTRING_E_NOT_A_RING);
  ring_refused("/proc/self/status", EVENTRING_E_NOT_A_RING);

  snprintf(path, sizeof path, "%s/fifo", f.dir);
  assert_int_equal(mkfifo(path, 0600), 0);
  ring_refused(path, EVENTRING_E_NOT_A_RING);
  unlink(path);

  snprintf(path, sizeof path, "%s/loop", f.dir);
  snprintf(other, sizeof other, "%s/pool", f.dir);
  assert_int_equal(symlink(path, other), 0);
  assert_int_equal(symlink(other, path), 0);
  ring_refused(path, EVENTRING_E_SYSTEM);
  unlink(other);
  ring_refused(path, EVENTRING_E_NOT_FOUND);
  unlink(path);

  snprintf(path, sizeof path, "%s/empty", f.dir);
  fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  close(fd);
  ring_refused(path, EVENTRING_E_NOT_A_RING);
  unlink(path);
  ring_destroy(&f);
}

/* A newline in a name does not make two lines of the message. */
static void odd_names(void **state)
{
  struct eventring_cursor *c;
  char why[512] = "", *line;
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why };
  (void) state;
  assert_int_equal(eventring_open("/no\nsuch\033[1m", &o, &c),
                   EVENTRING_E_NOT_FOUND);
  for (line = why; *line != 0; line++) assert_true(*line >= ' ');
  assert_int_equal(eventring_open("", &o, &c), EVENTRING_E_NOT_FOUND);
  assert_int_equal(eventring_open(NULL, &o, &c), EVENTRING_E_ARGUMENT);
  assert_true(strlen(why) > 0);
  assert_int_equal(eventring_open("x", &o, NULL), EVENTRING_E_ARGUMENT);
  /* A message is cut to its room. */
  memset(why, 'z', sizeof why);
  o.message_size = 10;
  eventring_open("/no/such/file", &o, &c);
  assert_int_equal(strlen(why), 9);
  assert_int_equal(why[10], 'z');
  o.message_size = 0;
  eventring_open("/no/such/file", &o, &c);
}

static void options_may_grow(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  char why[512] = "before";
  struct { struct eventring_options o; uint64_t more; } newer;
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why };
  struct { size_t size; int from_now; } older = { sizeof older, 0 };
  (void) state;
  ring_create(&f, NULL);
  ring_count(&f, 0, 1, 256, 1);
  assert_int_equal(eventring_open(f.path, &o, &c), 0);
  assert_string_equal(why, "");
  assert_string_equal(eventring_path(c), f.path);
  eventring_close(c);
  memset(&newer, 0, sizeof newer);
  newer.o = o;
  newer.o.size = sizeof newer;
  assert_int_equal(eventring_open(f.path, &newer.o, &c), 0);
  eventring_close(c);
  newer.more = 1;
  assert_int_equal(eventring_open(f.path, &newer.o, &c),
                   EVENTRING_E_ARGUMENT);
  assert_true(strlen(why) > 0);
  assert_int_equal(eventring_open(f.path, (struct eventring_options *) &older,
                                  &c), 0);
  eventring_close(c);
  o.size = 0;
  assert_int_equal(eventring_open(f.path, &o, &c), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_open(f.path, NULL, &c), 0);
  eventring_close(c);
  ring_destroy(&f);
}

static void info_may_grow(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  struct { struct eventring_info i; char more[16]; } newer;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 7, .log_words = 12 });
  f.header->parent_pid = 77;
  c = ring_open(&f);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(info.pid, getpid());
  assert_int_equal(info.parent_pid, 77);
  assert_int_equal(info.rings, 7);
  assert_int_equal(info.ring_words, 4096);
  assert_int_equal(info.block_words, 512);
  assert_int_equal(info.version_major, EVENTRING_VERSION_MAJOR);
  assert_int_equal(info.same_boot, 1);
  assert_string_equal(info.program, "/bin/synthetic");
  assert_string_equal(info.runtime, "5.3.0+test");
  assert_int_equal(info.started_realtime_ns, f.header->started.realtime_ns);
  assert_true(info.ticks_per_ns == 1.0);
  memset(&newer, 1, sizeof newer);
  newer.i.size = sizeof newer;
  assert_int_equal(eventring_get_info(c, &newer.i), 0);
  assert_int_equal(newer.more[0], 0);
  assert_int_equal(newer.i.size, sizeof newer);
  memset(&info, 1, sizeof info);
  info.size = offsetof(struct eventring_info, rings);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(info.parent_pid, 77);
  assert_int_equal(info.rings, 0x01010101);
  info.size = 1;
  assert_int_equal(eventring_get_info(c, &info), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_get_info(c, NULL), EVENTRING_E_ARGUMENT);
  eventring_close(c);
  ring_destroy(&f);
}

static void nothing_leaks(void **state)
{
  struct ring_file f;
  struct eventring_header good;
  int fds, maps = 0;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 128 });
  good = *f.header;
  fds = count_entries("/proc/self/fd");
  for (int i = 0; i < 300; i++) {
    struct eventring_cursor *c;
    struct eventring_options o = { .size = sizeof o, .control = i & 1 };
    if (i == 10) maps = count_lines("/proc/self/maps");
    *f.header = good;
    if (i % 3 == 1) f.header->file_size = 0;
    if (i % 3 == 2) f.header->block_words = 1;
    if (eventring_open(f.path, &o, &c) == 0) {
      assert_int_equal(i % 3, 0);
      /* The file is mapped; a cursor that may control keeps a descriptor. */
      assert_int_equal(count_entries("/proc/self/fd"), fds + o.control);
      eventring_state(c);
      eventring_close(c);
    }
    eventring_open(f.dir, &o, &c);
    eventring_open_pid(getpid(), f.dir, &o, &c);
    eventring_close(c);
    eventring_open_pid(0x7FFFFFF0, NULL, &o, &c);
  }
  assert_int_equal(count_entries("/proc/self/fd"), fds);
  /* A sanitizer maps memory for itself, and more and more of it. */
  assert_true(count_lines("/proc/self/maps") <= maps + 2 || SANITIZED);
  ring_destroy(&f);
}

static void no_allocation_after_open(void **state)
{
#ifndef COUNTS_MALLOC
  (void) state;
  skip();
#else
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  struct eventring_event ev[100];
  unsigned long before = allocations;
  int n;
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .rings = 128, .log_words = 12, .schema_capacity = 2000,
                .state = EVENTRING_RUNNING });
  c = ring_open(&f);
  assert_true(allocations > before);
  before = allocations;
  for (uint64_t i = 0; i < 20000; i++) {
    ring_count(&f, (uint32_t) (i * i % 128), i, 256, i);
    if (i % 11 == 0)
      ring_schema(&f, 1024 + (uint32_t) i, EVENTRING_INSTANT, 0, 0, "", "x");
    if (i % 100 == 0) assert_true(eventring_read(c, ev, 100) >= 0);
    if (i % 1000 == 0) {
      eventring_state(c);
      eventring_describe(c, (uint32_t) i);
      eventring_find(c, "none");
      eventring_category(c, 3);
      eventring_get_info(c, &info);
      eventring_events_lost(c, 3);
    }
  }
  while ((n = eventring_read(c, ev, 100)) > 0)
    ;
  assert_int_equal(n, 0);
  assert_int_equal(allocations, before);
  eventring_close(c);
  ring_destroy(&f);
#endif
}

/* A cursor has tables for all events that there may be, most of which are never
   used.  Memory that a C library clears is used, and is kept when it is freed. */
static void memory_of_malloc(void **state)
{
#ifndef COUNTS_MALLOC
  (void) state;
  skip();
#else
  struct ring_file f;
  struct eventring_cursor *c;
  struct mallinfo2 before, after;
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .rings = 256, .log_words = 12, .schema_capacity = 40000 });
  eventring_close(ring_open(&f));
  before = mallinfo2();
  c = ring_open(&f);
  after = mallinfo2();
  assert_in_range(after.uordblks + after.hblkhd, 0,
                  before.uordblks + before.hblkhd + 128 * 1024);
  eventring_close(c);
  ring_destroy(&f);
#endif
}

/* In a process that is not root. */
static void files_without_permission(void **state)
{
  struct ring_file f;
  int status;
  pid_t child;
  (void) state;
  ring_create(&f, NULL);
  assert_int_equal(chmod(f.dir, 0755), 0);
  assert_int_equal(chmod(f.path, 0), 0);
  child = fork();
  if (child == 0) {
    struct eventring_cursor *c;
    char why[512] = "";
    struct eventring_options o = { .size = sizeof o, .message = why,
                                   .message_size = sizeof why };
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      _exit(9);
    if (eventring_open(f.path, &o, &c) != EVENTRING_E_PERMISSION
        || strstr(why, f.path) == NULL || strchr(why, '\n') != NULL)
      _exit(1);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  /* Readable, but not to be controlled. */
  assert_int_equal(chmod(f.path, 0444), 0);
  child = fork();
  if (child == 0) {
    struct eventring_cursor *c;
    struct eventring_options o = { .size = sizeof o };
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      _exit(9);
    if (eventring_open(f.path, &o, &c) != 0) _exit(1);
    eventring_close(c);
    o.control = 1;
    _exit(eventring_open(f.path, &o, &c) != EVENTRING_E_PERMISSION);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  ring_destroy(&f);
}

static void every_error_has_words(void **state)
{
  (void) state;
  for (int i = -20; i < 20; i++) {
    assert_non_null(eventring_strerror(i));
    assert_true(strlen(eventring_strerror(i)) > 0);
  }
  for (int i = EVENTRING_E_ARGUMENT; i < 0; i++)
    assert_string_not_equal(eventring_strerror(i), eventring_strerror(-99));
  assert_string_equal(eventring_reader_version(), EVENTRING_READER_VERSION);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(odd_files),
    cmocka_unit_test(odd_names),
    cmocka_unit_test(options_may_grow),
    cmocka_unit_test(info_may_grow),
    cmocka_unit_test(nothing_leaks),
    cmocka_unit_test(no_allocation_after_open),
    cmocka_unit_test(memory_of_malloc),
#ifdef __SANITIZE_ADDRESS__
    cmocka_unit_test(margins_of_arrays),
#endif
    cmocka_unit_test(files_without_permission),
    cmocka_unit_test(every_error_has_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
