// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, a file of stock OCaml is read wrongly where no program of
   OCaml 5.3 shows it: files of other versions, large and fast ones, damaged and
   hostile ones; or recordings of them differ. */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "ring_test.h"
#include "eventring_stock_events.h"

/* The layout, written a second time: the reader's own copy is under test. */
enum { VERSION, RINGS, RING_HEADER_SIZE, RING_SIZE, RING_WORDS, RING_HEADERS,
       DATA, NAMES, HEADER_WORDS };
enum { HEAD = 0, TAIL = 1 };

struct stock_file {
  char dir[128], path[192];
  uint64_t *map;
  size_t size;
  uint64_t rings, words;
};

static void stock_create(struct stock_file *f, long pid, uint64_t rings,
                         uint64_t words, int names)
{
  uint64_t *h;
  int fd;
  memset(f, 0, sizeof *f);
  strcpy(f->dir, "/tmp/stock.XXXXXX");
  assert_non_null(mkdtemp(f->dir));
  snprintf(f->path, sizeof f->path, "%s/%ld.events", f->dir, pid);
  f->rings = rings;
  f->words = words;
  f->size = 64 + rings * (80 + words * 8) + (1 << 20);
  fd = open(f->path, O_RDWR | O_CREAT | O_EXCL, 0600);
  assert_true(fd >= 0 && ftruncate(fd, (off_t) f->size) == 0);
  f->map = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert_true(f->map != MAP_FAILED);
  close(fd);
  h = f->map;
  h[VERSION] = 1;
  h[RINGS] = rings;
  h[RING_HEADER_SIZE] = 80;
  h[RING_SIZE] = words * 8;
  h[RING_WORDS] = words;
  h[RING_HEADERS] = 64;
  h[DATA] = 64 + rings * 80;
  h[NAMES] = names ? h[DATA] + rings * words * 8 : 0;
}

static void stock_destroy(struct stock_file *f)
{
  munmap(f->map, f->size);
  unlink(f->path);
  rmdir(f->dir);
}

static uint64_t *ring_at(struct stock_file *f, uint64_t ring)
{
  return f->map + (64 + ring * 80) / 8;
}

static uint64_t *data_at(struct stock_file *f, uint64_t ring)
{
  return f->map + (64 + f->rings * 80) / 8 + ring * f->words;
}

static char *name_at(struct stock_file *f, uint64_t id)
{
  return (char *) (data_at(f, f->rings)) + id * 128;
}

enum { LIFECYCLE = 1, BEGIN, END, COUNTER, ALLOC };
enum { USER = 16, UNIT = USER, INT, SPAN_BEGIN, SPAN_END, CUSTOM };

/* Writes an event as stock OCaml does. */
static void stock_write(struct stock_file *f, uint64_t ring, uint64_t time,
                        uint64_t type, uint64_t id, const uint64_t *payload,
                        uint64_t count)
{
  uint64_t *h = ring_at(f, ring), *data = data_at(f, ring);
  uint64_t mask = f->words - 1, length = count + 2;
  uint64_t head = h[HEAD], tail = h[TAIL];
  uint64_t to_end = f->words - (tail & mask);
  uint64_t padding = to_end < length ? to_end : 0;
  while (tail + length + padding - head >= f->words) {
    head += data[head & mask] >> 54;
    __atomic_store_n(&h[HEAD], head, __ATOMIC_RELEASE);
  }
  __atomic_thread_fence(__ATOMIC_RELEASE);
  if (padding > 0) {
    data[tail & mask] = padding << 54;
    tail += padding;
    __atomic_store_n(&h[TAIL], tail, __ATOMIC_RELEASE);
  }
  data[tail & mask] = length << 54 | (uint64_t) (type >= USER) << 53
    | (type & 15) << 49 | id << 36;
  data[(tail & mask) + 1] = time;
  if (count > 0) memcpy(&data[(tail & mask) + 2], payload, count * 8);
  __atomic_store_n(&h[TAIL], tail + length, __ATOMIC_RELEASE);
}

static void stock_count(struct stock_file *f, uint64_t ring, uint64_t time,
                        uint64_t id, uint64_t value)
{
  stock_write(f, ring, time, COUNTER, id, &value, 1);
}

static uint64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

/* No process has this number. */
#define NOBODY 0x7FFFFFF0

static struct eventring_cursor *open_path(const char *path, int from_now)
{
  struct eventring_cursor *c;
  char why[512];
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why,
                                 .from_now = from_now };
  if (eventring_open(path, &o, &c) != 0) fail_msg("%s", why);
  return c;
}

static struct eventring_info info_of(struct eventring_cursor *c)
{
  struct eventring_info info = { .size = sizeof info };
  assert_int_equal(eventring_get_info(c, &info), 0);
  return info;
}

static const char *name_of(struct eventring_cursor *c,
                           const struct eventring_event *e)
{
  const struct eventring_description *d = eventring_describe(c, e->id);
  return d == NULL ? "" : d->name;
}

static uint64_t lost_in(struct eventring_cursor *c)
{
  uint64_t lost = 0;
  for (uint32_t i = 0; i < info_of(c).rings; i++)
    lost += eventring_events_lost(c, i);
  return lost;
}

/* A minor collection, as versions with that number for it write it. */
static void minor(struct stock_file *f, uint64_t time, uint64_t id)
{
  stock_write(f, 0, time, BEGIN, id, NULL, 0);
  stock_count(f, 0, time + 1, 4, 100);
  stock_count(f, 0, time + 2, 5, 1000);
  stock_write(f, 0, time + 3, END, id, NULL, 0);
}

static void event_numbers_of_other_versions(void **state)
{
  static const struct {
    int names; uint64_t minor; const char *of_9, *of_43, *runtime;
  } cases[] = {
    { 0, 10, "major_mark", "compaction_release", "5.0" },
    { 1, 10, "major_mark", "compaction_release", "5.1 or 5.2" },
    { 1, 11, "major_memprof_roots", "domain_resize_heap_reservation",
      "5.3 or later" },
    /* No number tells: the newest version, but for a file of 5.0. */
    { 0, 0, "major_mark", "compaction_release", "5.0" },
    { 1, 0, "major_memprof_roots", "domain_resize_heap_reservation",
      "5.1 or later" },
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct stock_file f;
    struct eventring_cursor *c;
    struct eventring_event ev[8];
    size_t n;
    stock_create(&f, NOBODY, 2, 1024, cases[i].names);
    stock_write(&f, 0, 1, BEGIN, 9, NULL, 0);
    stock_write(&f, 0, 2, BEGIN, 43, NULL, 0);
    if (cases[i].minor != 0) minor(&f, 1000, cases[i].minor);
    c = open_path(f.path, 0);
    n = ring_read_all(c, ev, 8, NULL);
    assert_string_equal(name_of(c, &ev[0]), cases[i].of_9);
    assert_string_equal(name_of(c, &ev[1]), cases[i].of_43);
    assert_int_equal(n, cases[i].minor != 0 ? 6 : 2);
    if (n == 6) {
      assert_string_equal(name_of(c, &ev[2]), "minor");
      assert_string_equal(name_of(c, &ev[3]), "minor_promoted");
      assert_string_equal(name_of(c, &ev[4]), "minor_allocated");
      assert_string_equal(name_of(c, &ev[5]), "minor");
    }
    assert_string_equal(info_of(c).runtime, cases[i].runtime);
    eventring_close(c);
    stock_destroy(&f);
  }
}

/* The numbers of both enumerations, by places known from OCaml's sources.  The
   order of the table is held to its release by testsuite/build/events.t. */
static void numbers_of_both_enumerations(void **state)
{
  (void) state;
  assert_string_equal(stock_phases[9].name, "major_memprof_roots");
  assert_string_equal(stock_phases[47].name, "compaction_release");
  assert_string_equal(stock_phases[48].name, "empty_minor");
  assert_int_equal(sizeof stock_phases / sizeof stock_phases[0], 50);
  assert_int_equal(sizeof stock_phases_before_5_3 / sizeof(uint16_t), 44);
  assert_int_equal(stock_phases_before_5_3[9], 11);  /* major_mark */
  assert_int_equal(stock_phases_before_5_3[43], 48); /* compaction_release */
  assert_string_equal(stock_counters[17].name, "major_heap_words");
  assert_int_equal(stock_counters[17].category, EVENTRING_GC_DETAIL_BIT);
  assert_int_equal(stock_counters[4].category, EVENTRING_GC_BIT);
  assert_string_equal(stock_counters[26].name, "minor_allocated_words");
  assert_int_equal(sizeof stock_counters / sizeof stock_counters[0], 28);
  assert_int_equal(sizeof stock_counters_before_5_3 / sizeof(uint16_t), 17);
  for (uint32_t i = 0; i < 50; i++)
    assert_int_equal(stock_phases[i].id, EVENTRING_FIRST_PHASE + i);
  for (uint32_t i = 0; i < 28; i++)
    assert_int_equal(stock_counters[i].id, EVENTRING_FIRST_COUNTER + i);
}

static void events_of_other_versions(void **state)
{
  struct stock_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[16];
  uint64_t sizes[20];
  (void) state;
  for (uint64_t i = 0; i < 20; i++) sizes[i] = i * i;
  stock_create(&f, NOBODY, 1, 1024, 1);
  minor(&f, 10, 11);
  stock_write(&f, 0, 20, BEGIN, 49, NULL, 0);
  stock_write(&f, 0, 21, END, 70, NULL, 0);
  stock_count(&f, 0, 22, 90, 5);
  stock_write(&f, 0, 23, ALLOC, 0, sizes, 20);
  /* Unknown numbers and types of events are left out. */
  stock_write(&f, 0, 24, BEGIN, 8000, NULL, 0);
  stock_write(&f, 0, 24, LIFECYCLE, 8000, NULL, 0);
  stock_write(&f, 0, 25, 6, 3, NULL, 0);
  stock_write(&f, 0, 26, USER + 9, 3, NULL, 0);
  stock_write(&f, 0, 27, LIFECYCLE, 1, NULL, 0);
  c = open_path(f.path, 0);
  assert_int_equal(ring_read_all(c, ev, 16, NULL), 9);
  assert_string_equal(name_of(c, &ev[4]), "minor_ephe_clean");
  assert_string_equal(name_of(c, &ev[5]), "phase_70");
  assert_string_equal(name_of(c, &ev[6]), "counter_90");
  assert_string_equal(name_of(c, &ev[7]), "alloc_sizes");
  assert_int_equal(ev[7].words, 20);
  assert_int_equal(ev[7].form, EVENTRING_EV_INSTANT);
  assert_string_equal(name_of(c, &ev[8]), "ring_stop");
  assert_int_equal(eventring_state(c), EVENTRING_STATE_ENDED);
  eventring_close(c);
  stock_destroy(&f);
}

static void values_of_user_types(void **state)
{
  struct stock_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[4];
  unsigned char bytes[1024];
  (void) state;
  for (size_t length = 0; length < 1016; length += length < 40 ? 1 : 97) {
    uint64_t words = (length + 8) / 8;
    const char *got;
    size_t n;
    stock_create(&f, NOBODY, 1, 1024, 1);
    memcpy(name_at(&f, 8191), "custom", 6);
    memset(name_at(&f, 7), 'n', 128);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char) i;
    bytes[words * 8 - 1] = (unsigned char) (words * 8 - 1 - length);
    stock_write(&f, 0, 10, CUSTOM, 8191, (void *) bytes, words);
    stock_write(&f, 0, 11, UNIT, 7, NULL, 0);
    stock_write(&f, 0, 12, UNIT, 8, NULL, 0);
    c = open_path(f.path, 0);
    assert_int_equal(eventring_read(c, ev, 4), 3);
    assert_string_equal(name_of(c, &ev[0]), "custom");
    got = eventring_event_bytes(&ev[0], &n);
    assert_non_null(got);
    assert_int_equal(n, length);
    for (size_t i = 0; i < n; i++)
      assert_int_equal((unsigned char) got[i], i & 255);
    assert_int_equal(strlen(name_of(c, &ev[1])), 127);
    assert_string_equal(name_of(c, &ev[2]), "user_event_8");
    eventring_close(c);
    stock_destroy(&f);
  }
}

/* Times so far apart that each event needs a block of ours: a ring has more
   blocks than the reader translates at once. */
static void times_far_apart(void **state)
{
  const uint64_t far = (uint64_t) 1 << 41, rounds = 3000;
  struct stock_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[100];
  uint64_t seen[3] = { 0, 0, 0 }, last = 0;
  int n;
  (void) state;
  stock_create(&f, NOBODY, 3, 65536, 1);
  for (uint64_t i = 0; i < rounds; i++) {
    stock_count(&f, 0, i * far, 5, i);
    for (uint64_t j = 0; j < 6; j++)
      stock_count(&f, 2, i * far + j, 5, i * 6 + j);
    if (i % 100 == 0) stock_count(&f, 1, i * far + 3, 5, i / 100);
  }
  c = open_path(f.path, 0);
  while ((n = eventring_read(c, ev, 100)) > 0)
    for (int i = 0; i < n; i++) {
      assert_true(ev[i].ticks >= last);
      last = ev[i].ticks;
      assert_int_equal(ev[i].payload[0], seen[ev[i].ring]);
      seen[ev[i].ring]++;
    }
  assert_int_equal(n, 0);
  assert_int_equal(seen[0], rounds);
  assert_int_equal(seen[1], rounds / 100);
  assert_int_equal(seen[2], 6 * rounds);
  assert_int_equal(lost_in(c), 0);
  eventring_close(c);
  stock_destroy(&f);
}

static void times_step_back(void **state)
{
  static const uint64_t times[] = { 1000, 2000, 1500, 900, 950, 5000, 10 };
  struct stock_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[8];
  (void) state;
  stock_create(&f, NOBODY, 1, 1024, 1);
  for (uint64_t i = 0; i < 7; i++) stock_count(&f, 0, times[i], 5, i);
  c = open_path(f.path, 0);
  assert_int_equal(ring_read_all(c, ev, 8, NULL), 7);
  for (uint64_t i = 0; i < 7; i++) {
    assert_int_equal(ev[i].ticks, times[i]);
    assert_int_equal(ev[i].id, EVENTRING_FIRST_COUNTER + 5);
  }
  eventring_close(c);
  stock_destroy(&f);
}

/* Starts a process that waits for a byte in pipe *go, then writes [count]
   events to one ring and a third as many to another. */
static pid_t start_writer(struct stock_file *f, uint64_t count, int *go)
{
  int pipes[2];
  pid_t child;
  assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
  child = fork();
  if (child == 0) {
    char byte;
    if (read(pipes[0], &byte, 1) != 1) _exit(1);
    for (uint64_t i = 0; i < count; i++) {
      stock_count(f, 0, now_ns(), 5, i);
      if (i % 3 == 0) stock_count(f, 1, now_ns(), 5, i / 3);
      if (i % 256 == 0) sched_yield();
    }
    stock_write(f, 0, now_ns(), LIFECYCLE, 1, NULL, 0);
    _exit(0);
  }
  close(pipes[0]);
  *go = pipes[1];
  return child;
}

static void renamed_to(struct stock_file *f, pid_t pid)
{
  char path[sizeof f->path];
  snprintf(path, sizeof path, "%s/%d.events", f->dir, (int) pid);
  assert_int_equal(rename(f->path, path), 0);
  strcpy(f->path, path);
}

/* While a process writes as fast as it can: every event once, in order, or
   counted as lost. */
static void reading_while_it_is_written(void **state)
{
  const uint64_t count = 300000, total = count + (count + 2) / 3;
  struct stock_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[200];
  uint64_t next[2] = { 0, 0 }, last = 0, read = 0;
  int n, status, go, more = 1;
  pid_t writer;
  (void) state;
  stock_create(&f, NOBODY, 2, 512, 1);
  writer = start_writer(&f, count, &go);
  renamed_to(&f, writer);
  c = open_path(f.path, 0);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  assert_int_equal(write(go, "", 1), 1);
  while (more) {
    more = eventring_state(c) == EVENTRING_STATE_RUNNING;
    while ((n = eventring_read(c, ev, 200)) > 0)
      for (int i = 0; i < n; i++) {
        uint64_t *expected = &next[ev[i].ring];
        assert_true(ev[i].ticks >= last);
        last = ev[i].ticks;
        if (ev[i].form != EVENTRING_EV_COUNTER) continue;
        assert_true(ev[i].payload[0] >= *expected);
        *expected = ev[i].payload[0] + 1;
        read++;
      }
    assert_int_equal(n, 0);
    waitpid(writer, &status, WNOHANG);
  }
  close(go);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_ENDED);
  assert_int_equal(next[0], count);
  assert_int_equal(next[1], (count + 2) / 3);
  /* A counter is three words, and two count as an event; and there is
     padding. */
  assert_true(read + lost_in(c) >= total);
  assert_true(lost_in(c) / 3 * 2 <= total - read + total / 100);
  assert_true(info_of(c).lost_is_bound);
  eventring_close(c);
  stock_destroy(&f);
}

static size_t read_into(const char *path, uint64_t (*to)[3], size_t max)
{
  struct eventring_cursor *c = open_path(path, 0);
  struct eventring_event ev[100];
  size_t count = 0;
  int n;
  while ((n = eventring_read(c, ev, 100)) > 0)
    for (int i = 0; i < n && count < max; i++, count++) {
      to[count][0] = ev[i].ticks;
      to[count][1] = (uint64_t) ev[i].ring << 32 | ev[i].id;
      to[count][2] = ev[i].words > 0 ? ev[i].payload[0] : 0;
    }
  assert_true(info_of(c).lost_is_bound);
  eventring_close(c);
  return count;
}

static void recording_of_a_stock_file(void **state)
{
  static uint64_t direct[200000][3], again[200000][3];
  const uint64_t count = 20000;
  struct stock_file f;
  struct eventring_recorder *r;
  char recording[256];
  size_t n;
  int go, status;
  pid_t writer;
  (void) state;
  stock_create(&f, NOBODY, 2, 1 << 17, 1);
  writer = start_writer(&f, count, &go);
  renamed_to(&f, writer);
  snprintf(recording, sizeof recording, "%s/recording", f.dir);
  struct eventring_cursor *c = open_path(f.path, 0);
  assert_int_equal(eventring_record(recording, c, NULL, &r), 0);
  assert_int_equal(write(go, "", 1), 1);
  while (waitpid(writer, &status, WNOHANG) == 0)
    assert_true(eventring_record_step(r) >= 0);
  assert_int_equal(eventring_record_close(r), 0);
  eventring_close(c);
  close(go);
  n = read_into(f.path, direct, 200000);
  assert_int_equal(n, count + (count + 2) / 3 + 1);
  assert_int_equal(read_into(recording, again, 200000), n);
  assert_memory_equal(direct, again, n * sizeof direct[0]);
  unlink(recording);

  /* Events from before the recorder starts, more than it translates at once. */
  for (uint64_t i = 0; i < 3000; i++)
    stock_count(&f, 1, now_ns() + (i << 41), 5, i);
  n = read_into(f.path, direct, 200000);
  c = open_path(f.path, 0);
  assert_int_equal(eventring_record(recording, c, NULL, &r), 0);
  assert_int_equal(eventring_record_close(r), 0);
  eventring_close(c);
  assert_int_equal(read_into(recording, again, 200000), n);
  assert_memory_equal(direct, again, n * sizeof direct[0]);
  unlink(recording);
  stock_destroy(&f);
}

static void cursor_from_now(void **state)
{
  struct stock_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[4];
  (void) state;
  stock_create(&f, getpid(), 2, 1024, 1);
  for (uint64_t i = 0; i < 2000; i++) stock_count(&f, 0, 10 + i, 5, i);
  c = open_path(f.path, 1);
  assert_int_equal(eventring_read(c, ev, 4), 0);
  stock_count(&f, 0, now_ns(), 5, 77);
  assert_int_equal(eventring_read(c, ev, 4), 1);
  assert_int_equal(ev[0].payload[0], 77);
  assert_int_equal(lost_in(c), 0);
  eventring_close(c);
  stock_destroy(&f);
}

/* The process of a file: by its name, else by "ring_start", else none. */
static void process_of_a_file(void **state)
{
  struct stock_file f;
  struct eventring_cursor *c;
  uint64_t pid = NOBODY - 1;
  char path[sizeof f.path];
  (void) state;
  stock_create(&f, NOBODY, 1, 1024, 1);
  c = open_path(f.path, 0);
  assert_int_equal(info_of(c).pid, NOBODY);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_KILLED);
  assert_string_equal(info_of(c).program, "");
  eventring_close(c);
  snprintf(path, sizeof path, "%s/copy", f.dir);
  assert_int_equal(rename(f.path, path), 0);
  strcpy(f.path, path);
  c = open_path(f.path, 0);
  assert_int_equal(info_of(c).pid, 0);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_KILLED);
  eventring_close(c);
  stock_write(&f, 0, 5000, LIFECYCLE, 0, &pid, 1);
  c = open_path(f.path, 0);
  assert_int_equal(info_of(c).pid, pid);
  assert_int_equal(info_of(c).started_ns, 5000);
  eventring_close(c);
  /* This process has the file mapped. */
  pid = (uint64_t) getpid();
  stock_write(&f, 0, 6000, LIFECYCLE, 0, &pid, 1);
  c = open_path(f.path, 0);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  assert_true(strlen(info_of(c).program) > 0);
  /* Another program of the process makes the file anew. */
  struct eventring_event ev[8];
  assert_int_equal(eventring_read(c, ev, 8), 2);
  ring_at(&f, 0)[TAIL] = 0;
  assert_int_equal(eventring_read(c, ev, 8), 0);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_REPLACED);
  eventring_close(c);
  stock_destroy(&f);
}

static void control_is_refused(void **state)
{
  struct stock_file f;
  struct eventring_cursor *c;
  char why[512] = "";
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why, .control = 1 };
  (void) state;
  stock_create(&f, getpid(), 2, 1024, 1);
  assert_int_equal(eventring_open(f.path, &o, &c), EVENTRING_E_ARGUMENT);
  assert_non_null(strstr(why, "stock OCaml cannot be paused"));
  assert_int_equal(eventring_open_pid(getpid(), NULL, &o, &c),
                   EVENTRING_E_ARGUMENT);
  c = open_path(f.path, 0);
  assert_int_equal(eventring_pause(c), EVENTRING_E_ARGUMENT);
  eventring_close(c);
  stock_destroy(&f);
}

static void list_of_processes(void **state)
{
  static struct eventring_process list[200];
  struct stock_file f, left;
  struct ring_file ours;
  char path[256];
  int n, seen = 0;
  (void) state;
  stock_create(&f, getpid(), 1, 1024, 1);
  stock_create(&left, NOBODY, 1, 1024, 1);
  snprintf(path, sizeof path, "%s/12x.events", left.dir);
  assert_int_equal(symlink("/dev/null", path), 0);
  n = eventring_processes(left.dir, list, 200);
  assert_true(n >= 2 && n <= 200);
  for (int i = 0; i < n; i++)
    if (strcmp(list[i].path, f.path) == 0) {
      seen++;
      assert_int_equal(list[i].pid, getpid());
      assert_int_equal(list[i].alive, 1);
      assert_int_equal(list[i].format, EVENTRING_FORMAT_STOCK);
    } else if (strncmp(list[i].path, left.dir, strlen(left.dir)) == 0) {
      seen++;
      assert_string_equal(list[i].path, left.path);
      assert_int_equal(list[i].pid, NOBODY);
      assert_int_equal(list[i].alive, 0);
    }
  for (int i = 0; i < n && seen != 2; i++)
    print_message("%ld %d %d %s\n", (long) list[i].pid, list[i].alive,
                  list[i].format, list[i].path);
  assert_int_equal(seen, 2);
  for (int i = 1; i < n; i++) assert_true(list[i - 1].pid <= list[i].pid);
  /* Other processes of the machine come and go. */
  assert_true(eventring_processes(left.dir, NULL, 0) >= 2);
  /* In its own directory the process is listed once. */
  n = eventring_processes(f.dir, list, 200);
  for (int i = seen = 0; i < n; i++) seen += list[i].pid == getpid();
  assert_int_equal(seen, 1);
  assert_int_equal(eventring_processes("/no/such", list, 200),
                   EVENTRING_E_NOT_FOUND);
  assert_int_equal(eventring_processes(NULL, NULL, 1), EVENTRING_E_ARGUMENT);
  unlink(path);
  stock_destroy(&left);
  stock_destroy(&f);

  ring_create(&ours, NULL);
  n = eventring_processes(ours.dir, list, 200);
  for (int i = seen = 0; i < n; i++)
    if (list[i].pid == getpid()) {
      seen++;
      assert_string_equal(list[i].path, ours.path);
      assert_int_equal(list[i].format, EVENTRING_FORMAT_RING);
    }
  assert_int_equal(seen, 1);
  ring_destroy(&ours);
}

/* Damage */

static void impossible_headers(void **state)
{
  static const struct { int word; uint64_t value; int error; } cases[] = {
    { VERSION, 2, EVENTRING_E_VERSION },
    { VERSION, 0, EVENTRING_E_NOT_A_RING },
    { VERSION, UINT64_MAX, EVENTRING_E_NOT_A_RING },
    { RINGS, 0, EVENTRING_E_NOT_A_RING },
    { RINGS, 5000, EVENTRING_E_HEADER },
    { RINGS, 64, EVENTRING_E_HEADER },
    { RING_HEADER_SIZE, 0, EVENTRING_E_NOT_A_RING },
    { RING_HEADER_SIZE, 81, EVENTRING_E_HEADER },
    { RING_SIZE, 8, EVENTRING_E_HEADER },
    { RING_WORDS, 0, EVENTRING_E_HEADER },
    { RING_WORDS, 1000, EVENTRING_E_HEADER },
    { RING_WORDS, (uint64_t) 1 << 61, EVENTRING_E_HEADER },
    { RING_HEADERS, 0, EVENTRING_E_HEADER },
    { RING_HEADERS, 65, EVENTRING_E_HEADER },
    { DATA, 0, EVENTRING_E_HEADER },
    { DATA, UINT64_MAX - 7, EVENTRING_E_HEADER },
    { DATA, (uint64_t) 1 << 31, EVENTRING_E_HEADER },
    { NAMES, 8, EVENTRING_E_HEADER },
    { NAMES, UINT64_MAX, EVENTRING_E_HEADER },
    { NAMES, (uint64_t) 1 << 40, EVENTRING_E_TRUNCATED },
  };
  struct stock_file f;
  (void) state;
  stock_create(&f, NOBODY, 4, 1024, 1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint64_t good = f.map[cases[i].word];
    f.map[cases[i].word] = cases[i].value;
    ring_refused(f.path, cases[i].error);
    f.map[cases[i].word] = good;
  }
  for (size_t size = f.size - 1; size > 100; size /= 2) {
    assert_int_equal(truncate(f.path, (off_t) size), 0);
    ring_refused(f.path, EVENTRING_E_TRUNCATED);
  }
  assert_int_equal(truncate(f.path, (off_t) f.size), 0);
  stock_destroy(&f);
}

/* A damaged ring is left out from the damage on, and the damage is reported;
   other rings are read. */
static void damaged_rings(void **state)
{
  const uint64_t type = (uint64_t) COUNTER << 49;
  const struct { uint64_t head, tail, word; uint64_t left; } cases[] = {
    { 9, 6, 0, 0 },                             /* head behind tail */
    { 0, 5000, 0, 0 },                          /* more than a ring has */
    { 0, UINT64_MAX, 0, 0 },
    { UINT64_MAX - 3, UINT64_MAX, 0, 0 },
    { 0, 300, 0, 0 },                           /* an event of no words */
    { 0, 300, (uint64_t) 1 << 54 | type, 0 },   /* and of one */
    { 0, 300, (uint64_t) 2 << 54 | type, 0 },   /* a counter without value */
    { 0, 300, (uint64_t) 301 << 54 | type, 0 }, /* behind the tail */
    { 0, 300, (uint64_t) 1023 << 54 | type, 0 },
    { 0, 1024, (uint64_t) 1023 << 54 | (uint64_t) 1 << 53
              | (uint64_t) 4 << 49, 0 },        /* too long a value */
    { 1020, 1030, (uint64_t) 6 << 54 | type, 0 }, /* over the ring's end */
  };
  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct stock_file f;
    struct eventring_cursor *c;
    struct eventring_event ev[8];
    int damaged = 0;
    size_t n;
    stock_create(&f, NOBODY, 3, 1024, 1);
    stock_count(&f, 0, 100, 5, 1);
    stock_count(&f, 2, 101, 5, 2);
    ring_at(&f, 1)[HEAD] = cases[i].head;
    ring_at(&f, 1)[TAIL] = cases[i].tail;
    data_at(&f, 1)[cases[i].head & 1023] = cases[i].word;
    data_at(&f, 1)[(cases[i].head + 1) & 1023] = 99;
    c = open_path(f.path, 0);
    n = ring_read_all(c, ev, 8, &damaged);
    if (damaged != 1 || n != 2) fail_msg("case %zu: %d, %zu", i, damaged, n);
    eventring_close(c);
    stock_destroy(&f);
  }
}

static void random_damage(void **state)
{
  uint64_t seed = 4711;
  (void) state;
  for (int round = 0; round < 300; round++) {
    struct stock_file f;
    struct eventring_cursor *c;
    struct eventring_event ev[64];
    struct eventring_options o = { .size = sizeof o };
    uint64_t words[130];
    long steps = 0;
    stock_create(&f, NOBODY, 2, 1024, 1);
    for (uint64_t i = 0; i < 600; i++) {
      stock_count(&f, i & 1, 1000 * i, i % 40, i);
      for (size_t j = 0; j < 130; j++) words[j] = ring_random(&seed);
      if (i % 9 == 0)
        stock_write(&f, i & 1, 1000 * i, CUSTOM, i, words, i % 130);
    }
    for (int i = 0; i < 1 << round % 8; i++) {
      uint64_t at = round % 3 == 0
        ? ring_random(&seed) % (64 + 160)
        : 64 + 160 + ring_random(&seed) % (2 * 1024 * 8);
      ((char *) f.map)[at] = (char) ring_random(&seed);
    }
    if (eventring_open(f.path, &o, &c) == 0) {
      int n;
      while ((n = eventring_read(c, ev, 64)) != 0) {
        for (int i = 0; i < n; i++) {
          name_of(c, &ev[i]);
          eventring_event_bytes(&ev[i], NULL);
        }
        assert_true(steps++ < 100000);
      }
      eventring_close(c);
    }
    stock_destroy(&f);
  }
}

static void found(void *state, uint64_t offset, const char *what)
{
  (void) offset;
  print_message("# %s\n", what);
  ++*(int *) state;
}

/* eventring_verify finds nothing in a healthy file, which has no count of
   recorded events. */
static void sound_file_has_no_findings(void **state)
{
  struct stock_file f;
  int findings = 0;
  (void) state;
  stock_create(&f, NOBODY, 2, 256, 1);
  for (uint64_t i = 0; i < 20; i++) minor(&f, 1000 + 10 * i, 3);
  assert_int_equal(eventring_verify(f.path, NULL, found, &findings), 0);
  assert_int_equal(findings, 0);
  stock_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(event_numbers_of_other_versions),
    cmocka_unit_test(numbers_of_both_enumerations),
    cmocka_unit_test(events_of_other_versions),
    cmocka_unit_test(values_of_user_types),
    cmocka_unit_test(times_far_apart),
    cmocka_unit_test(times_step_back),
    cmocka_unit_test(reading_while_it_is_written),
    cmocka_unit_test(recording_of_a_stock_file),
    cmocka_unit_test(cursor_from_now),
    cmocka_unit_test(process_of_a_file),
    cmocka_unit_test(control_is_refused),
    cmocka_unit_test(list_of_processes),
    cmocka_unit_test(impossible_headers),
    cmocka_unit_test(damaged_rings),
    cmocka_unit_test(random_damage),
    cmocka_unit_test(sound_file_has_no_findings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
