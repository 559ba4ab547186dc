// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, a file that is not a sound ring file is taken for one: the
   reader may then look outside it, or leave a user without a reason. */

#include <fcntl.h>
#include <sys/stat.h>

#include "ring_test.h"

static struct ring_file file;
static struct eventring_header good;

static int set_up(void **state)
{
  (void) state;
  ring_create(&file, &(struct ring_options) { .rings = 3 });
  ring_schema(&file, 1, EVENTRING_SPAN, 0, 0, "", "minor");
  for (uint64_t i = 0; i < 500; i++)
    ring_count(&file, (uint32_t) i % 3, i, 256, i);
  good = *file.header;
  return 0;
}

static int tear_down(void **state)
{
  (void) state;
  ring_destroy(&file);
  return 0;
}

static void good_is_accepted(void)
{
  struct eventring_cursor *c;
  struct eventring_event ev[500];
  *file.header = good;
  c = ring_open(&file);
  assert_int_equal(ring_read_all(c, ev, 500, NULL), 500);
  eventring_close(c);
}

/* Tries impossible values of one field. */
#define REFUSES(field, error, ...)                                       \
  do {                                                                   \
    const uint64_t values[] = { __VA_ARGS__ };                           \
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {        \
      *file.header = good;                                               \
      file.header->field = (__typeof__(file.header->field)) values[i];   \
      ring_refused(file.path, error);                                    \
    }                                                                    \
    *file.header = good;                                                 \
  } while (0)

#define HUGE UINT64_MAX, UINT64_MAX - 7, (uint64_t) INT64_MAX + 1, \
             (uint64_t) 1 << 40

static void impossible_fields(void **state)
{
  const int bad = EVENTRING_E_HEADER;
  (void) state;
  good_is_accepted();
  REFUSES(magic[0], EVENTRING_E_NOT_A_RING, 0, 'o', 255);
  REFUSES(magic[15], EVENTRING_E_NOT_A_RING, 0, ' ', 255);
  REFUSES(version_major, EVENTRING_E_VERSION, 0, 2, 256, 65535);
  REFUSES(header_size, bad, 0, 1, 512, UINT32_MAX, EVENTRING_PAGE + 8);
  REFUSES(file_size, bad, 0, 1, 4096, good.file_size - 1, good.file_size - 8);
  REFUSES(file_size, EVENTRING_E_TRUNCATED, good.file_size + 1, HUGE);
  REFUSES(schema_offset, bad, 0, 8, 256, good.schema_offset + 1,
          good.schema_offset + 4, good.directory_offset, good.file_size, HUGE);
  REFUSES(schema_entry_size, bad, 0, 1, 8, 152, 161, 164, 1 << 15, UINT32_MAX);
  REFUSES(schema_capacity, bad, 0, 1 << 12, 1 << 17, UINT32_MAX,
          UINT32_MAX / 160);
  REFUSES(schema_count, bad, good.schema_capacity + 1, UINT32_MAX);
  REFUSES(directory_offset, bad, 0, 4096, good.directory_offset + 1,
          good.rings_offset, good.file_size, HUGE);
  REFUSES(slot_size, bad, 0, 8, 15, 129, 65536, 1 << 30, UINT32_MAX);
  REFUSES(rings, bad, 0, 4, 4096, 4097, 1u << 31, UINT32_MAX);
  REFUSES(rings_offset, bad, 0, 4096, good.directory_offset,
          good.rings_offset + 8, good.rings_offset + 1, good.file_size, HUGE);
  REFUSES(ring_words, bad, 0, 1, 2, 256, 511, 513, 768, 1024, 1 << 30,
          (uint64_t) 1 << 31, (uint64_t) 1 << 61, (uint64_t) 1 << 63, HUGE);
  REFUSES(block_words, bad, 0, 1, 4, 255, 257, 300, 384, 512, 1024,
          UINT32_MAX);
  REFUSES(clock, bad, 0, 4, UINT32_MAX);
  REFUSES(state, bad, 0, 4, UINT32_MAX);
  REFUSES(pid, bad, 0, UINT32_MAX, 1u << 31);
  good_is_accepted();
}

/* Every 4-byte word of the header, every value from a set of likely
   troublemakers: refused or read, but in bounds and to the end.  Under a
   sanitizer, which takes most of its time to open files, every third value. */
static void any_value_in_any_field(void **state)
{
  static const uint32_t values[] = {
    0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 511, 512, 4095, 4096, 65536,
    0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF };
  struct eventring_event ev[8];
  (void) state;
  for (size_t at = 16; at < sizeof good; at += 4)
    for (size_t i = SANITIZED ? at / 4 % 3 : 0;
         i < sizeof values / sizeof *values; i += SANITIZED ? 3 : 1) {
      struct eventring_cursor *c;
      int damaged = 0;
      *file.header = good;
      memcpy(file.map + at, &values[i], 4);
      if (eventring_open(file.path, NULL, &c) < 0) {
        assert_null(c);
        continue;
      }
      assert_true(ring_read_all(c, ev, 8, &damaged) <= 1000);
      eventring_state(c);
      eventring_close(c);
    }
  good_is_accepted();
}

static void newer_minor_version(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[500];
  const struct eventring_description *d;
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .rings = 3, .extra_entry_bytes = 64, .extra_slot_bytes = 128 });
  f.header->version_minor = 7;
  f.header->header_size += 256;
  ring_schema(&f, 1, EVENTRING_SPAN, 0, 0, "", "minor");
  ring_schema(&f, 9, 77, 0, 0, "", "of a kind to come");
  ring_schema(&f, 2, EVENTRING_COUNTER, 1, 0, "bytes", "second");
  for (uint64_t i = 0; i < 300; i++)
    ring_count(&f, (uint32_t) i % 3, i, 256, i);
  c = ring_open(&f);
  assert_int_equal(ring_read_all(c, ev, 500, NULL), 300);
  d = eventring_describe(c, 2);
  assert_non_null(d);
  assert_string_equal(d->name, "second");
  assert_null(eventring_describe(c, 9));
  eventring_close(c);
  ring_destroy(&f);
}

/* A file of 1.0 has other data where a later header goes on. */
static void older_minor_version(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[500];
  struct eventring_info info = { .size = sizeof info };
  (void) state;
  ring_create(&f, &(struct ring_options) { .version_1_0 = 1 });
  memset(f.header->argv0, 'x', sizeof f.header->argv0);
  ring_schema(&f, 1, EVENTRING_SPAN, 0, 0, "", "minor");
  ring_schema(&f, 1024, EVENTRING_INSTANT, EVENTRING_INTS, 4, "", "thread_run");
  for (uint64_t i = 0; i < 100; i++)
    ring_write(&f, 0, i, EVENTRING_FORM_INSTANT, 1024,
               (uint64_t[]) { 0x0102, i }, 2);
  c = ring_open(&f);
  assert_int_equal(ring_read_all(c, ev, 500, NULL), 100);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(ev[i].words, 2);
    assert_int_equal(ev[i].thread, 1000);
    assert_int_equal(ev[i].thread_id, -1);
  }
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_string_equal(info.argv0, "");
  assert_int_equal(info.version_minor, 0);
  assert_null(eventring_field(c, 1024, 0));
  assert_null(eventring_value(c, "cause", 0));
  assert_null(eventring_domain_name(c, 0));
  eventring_close(c);
  ring_destroy(&f);
}

/* Totals of a ring and of the process; a file before 1.9 has none, whatever its
   slots hold. */
static void totals_of_rings(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_totals t = { .size = sizeof t };
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = 3 });
  for (uint32_t ring = 0; ring < 2; ring++)
    for (uint64_t i = 0; i < EVENTRING_TOTALS; i++)
      ring_slot(&f, ring)->total[i] = (ring + 1) * 100 + i;
  c = ring_open(&f);
  assert_int_equal(eventring_get_totals(c, 1, &t), 0);
  assert_int_equal(t.minor_collections, 200);
  assert_int_equal(t.major_slices, 202);
  assert_int_equal(t.longest_pause_ns, 211);
  assert_int_equal(t.domains, 212);
  assert_int_equal(t.last_domain, 213);
  assert_int_equal(eventring_get_totals(c, EVENTRING_ALL_RINGS, &t), 0);
  assert_int_equal(t.minor_collections, 101 + 201);
  assert_int_equal(t.major_cycles, 103 + 203);
  assert_int_equal(t.compactions, 104 + 204);
  assert_int_equal(t.explicit_calls, 105 + 205);
  assert_int_equal(t.allocated_words, 106 + 206);
  assert_int_equal(t.promoted_words, 107 + 207);
  assert_int_equal(t.direct_words, 108 + 208);
  assert_int_equal(t.pauses, 109 + 209);
  assert_int_equal(t.paused_ns, 110 + 210);
  assert_int_equal(t.longest_pause_ns, 211);
  assert_int_equal(t.domains, 112 + 212);
  assert_int_equal(t.last_domain, 0);
  assert_int_equal(eventring_get_totals(c, 3, &t), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_get_totals(c, 0, NULL), EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_get_totals(NULL, 0, &t), EVENTRING_E_ARGUMENT);
  eventring_close(c);
  /* Any number in a slot is one that can be shown. */
  memset(ring_slot(&f, 0)->total, 0xFF, sizeof ring_slot(&f, 0)->total);
  c = ring_open(&f);
  assert_int_equal(eventring_get_totals(c, EVENTRING_ALL_RINGS, &t), 0);
  assert_true(t.paused_ns == INT64_MAX / 8 && t.promoted_words == INT64_MAX / 8);
  eventring_close(c);
  f.header->version_minor = 8;
  c = ring_open(&f);
  assert_int_equal(eventring_get_totals(c, 0, &t), EVENTRING_E_VERSION);
  eventring_close(c);
  ring_destroy(&f);
}

static void argv0_is_cut(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  (void) state;
  ring_create(&f, NULL);
  strcpy(f.header->argv0, "./my program");
  c = ring_open(&f);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_string_equal(info.argv0, "./my program");
  eventring_close(c);
  memset(f.header->argv0, 'x', sizeof f.header->argv0);
  c = ring_open(&f);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(strlen(info.argv0), sizeof f.header->argv0 - 1);
  eventring_close(c);
  ring_destroy(&f);
}

static void truncated_files(void **state)
{
  char path[256];
  size_t step = 1;
  (void) state;
  *file.header = good;
  snprintf(path, sizeof path, "%s/cut%s", file.dir, EVENTRING_SUFFIX);
  for (size_t length = 0; length < file.size; length += step) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file.map, length), length);
    close(fd);
    ring_refused(path, length == 0 ? EVENTRING_E_NOT_A_RING
                                   : EVENTRING_E_TRUNCATED);
    step = length < 2 * sizeof good ? 1
           : file.size - length < 100 ? 1
           : file.size - length < 611 ? file.size - length - 99 : 509;
  }
  unlink(path);
}

static void write_and_refuse(const char *bytes, size_t size, int error)
{
  char path[256];
  int fd;
  snprintf(path, sizeof path, "%s/other", file.dir);
  fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, size), size);
  close(fd);
  ring_refused(path, error);
  unlink(path);
}

static void zeros_and_noise(void **state)
{
  static char bytes[100000];
  uint64_t seed = 7;
  (void) state;
  write_and_refuse(bytes, sizeof bytes, EVENTRING_E_NOT_A_RING);
  for (int round = 0; round < 50; round++) {
    for (size_t i = 0; i < sizeof bytes; i += 8) {
      uint64_t r = ring_random(&seed);
      memcpy(bytes + i, &r, 8);
    }
    write_and_refuse(bytes, (size_t) (ring_random(&seed) % sizeof bytes) + 1,
                     EVENTRING_E_NOT_A_RING);
  }
  /* The right magic, and noise behind it. */
  memcpy(bytes, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  write_and_refuse(bytes, sizeof bytes, EVENTRING_E_VERSION);
  bytes[16] = 1; bytes[17] = 0;
  write_and_refuse(bytes, sizeof bytes, EVENTRING_E_HEADER);
}

static void other_byte_order(void **state)
{
  (void) state;
  *file.header = good;
  file.header->version_major = 0x100;
  ring_refused(file.path, EVENTRING_E_VERSION);
  *file.header = good;
}

/* Text of the file is cut, never overrun; a pid from the file is never taken
   for a group of processes. */
static void unterminated_text(void **state)
{
  struct eventring_cursor *c;
  struct eventring_info info = { .size = sizeof info };
  (void) state;
  *file.header = good;
  memset(file.header->program, 'x', sizeof good.program);
  memset(file.header->runtime, 'y', sizeof good.runtime);
  memset(file.header->boot_id, 'z', sizeof good.boot_id);
  c = ring_open(&file);
  assert_int_equal(eventring_get_info(c, &info), 0);
  assert_int_equal(strlen(info.program), sizeof good.program - 1);
  assert_int_equal(strlen(info.runtime), sizeof good.runtime - 1);
  eventring_close(c);
  *file.header = good;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impossible_fields),
    cmocka_unit_test(any_value_in_any_field),
    cmocka_unit_test(newer_minor_version),
    cmocka_unit_test(older_minor_version),
    cmocka_unit_test(totals_of_rings),
    cmocka_unit_test(argv0_is_cut),
    cmocka_unit_test(truncated_files),
    cmocka_unit_test(zeros_and_noise),
    cmocka_unit_test(other_byte_order),
    cmocka_unit_test(unterminated_text),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
