// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
// Needs the machine alone: it measures processor time.
// Only in make check-long: its limits are of processor time.
/* If this breaks, a file of a megabyte can keep a reader busy for longer than
   LIMIT: these are the worst files that we could think of.  Only the time of
   the processor counts, and the shortest of three times, so that other programs
   do not disturb. */

#include <time.h>
#include "recording_file.h"

#define LABELS EVENTRING_MAX_LABELS

/* In seconds; as in test_worst_command.c. */
#define LIMIT 3.0

static volatile uint64_t touched;

static void touch(const char *text)
{
  if (text != NULL) touched += (unsigned char) text[0];
}

/* Makes the calls that the command makes to print an event. */
static void ask_about(struct eventring_cursor *c,
                      const struct eventring_event *e)
{
  const struct eventring_description *d = eventring_describe(c, e->id);
  if (d != NULL) touch(d->name);
  touch(eventring_domain_name(c, e->domain));
  touch(eventring_thread_name(c, e->domain, e->thread, e->thread_id));
  touch(eventring_domain_name_at(c, e->domain, e->ticks));
  touch(eventring_thread_name_at(c, e->domain, e->thread, e->thread_id,
                                 e->ticks));
  for (uint32_t i = 0; i < e->words; i++) {
    const struct eventring_field *f = eventring_field(c, e->id, i);
    if (f == NULL) continue;
    touch(f->name);
    touch(eventring_value(c, f->unit, e->payload[i]));
  }
}

/* Reads a file and returns the number of events.  Sets [seconds] to the
   processor time.  [ask]: as for read_file. */
static uint64_t read_once(const char *path, int ask, double *seconds)
{
  struct eventring_event ev[512];
  struct eventring_cursor *c;
  clock_t began = clock();
  uint64_t events = 0;
  int n;
  assert_int_equal(eventring_open(path, NULL, &c), 0);
  while ((n = eventring_read(c, ev, 512)) != 0) {
    for (int i = 0; i < n && ask; i++) ask_about(c, &ev[i]);
    if (n > 0) events += (uint64_t) n;
  }
  eventring_close(c);
  *seconds = (double) (clock() - began) / CLOCKS_PER_SEC;
  return events;
}

/* Reads a file in time and returns the number of events.  [ask]: also make the
   calls that print an event; 0 for a recording with a hundred times the events
   that any other file of its size can have. */
static uint64_t read_file(const char *path, int ask)
{
  int tries = 3;
  uint64_t events;
  double seconds;
  do events = read_once(path, ask, &seconds);
  while (seconds >= LIMIT && --tries > 0);
  print_message("# %.3f s for %llu events\n", seconds,
                (unsigned long long) events);
  assert_true(seconds < LIMIT);
  return events;
}

static uint64_t read_in_time(const char *path)
{
  return read_file(path, 1);
}

/* As many events as are in the ring, of as few words as can be. */
static void fill(struct ring_file *f, uint32_t ring)
{
  for (uint64_t i = 0; i < f->header->ring_words; i++)
    ring_write(f, ring, 1000 + i, EVENTRING_FORM_INSTANT, 1, NULL, 0);
}

/* Labels in lists that are long: a search passes many other labels. */
static void labels_of_one_list(void **state)
{
  struct ring_file f;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 15,
                                           .schema_capacity = LABELS });
  for (uint32_t i = 0; i < LABELS / 2; i++) {
    ring_label(&f, 7, 99 + 1024 * i, -1, "a thread");
    ring_label(&f, 7 + 1024 * i, 0, -1, "a domain");
  }
  assert_true(f.size <= MEGABYTE);
  ring_domain(&f, 0, 7, 99);
  fill(&f, 0);
  assert_true(read_in_time(f.path) > 30000);
  ring_destroy(&f);
}

/* One thread after the other with one OS id. */
static void labels_of_one_thread(void **state)
{
  struct ring_file f;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 15,
                                           .schema_capacity = LABELS });
  for (int32_t i = 0; i < LABELS - 1; i++)
    ring_label(&f, 7, 99, 10 + i, "a thread");
  ring_schema(&f, 640, EVENTRING_INSTANT, EVENTRING_PACKED, 0, "",
              "thread_run");
  ring_domain(&f, 0, 7, 99);
  for (uint64_t i = 0; i < f.header->ring_words; i++) {
    if (i % 100 == 0)
      ring_packed(&f, 0, 1000 + i, EVENTRING_FORM_INSTANT, 640,
                  (uint64_t[]) { 10, 99 }, 2);
    ring_write(&f, 0, 1000 + i, EVENTRING_FORM_INSTANT, 1, NULL, 0);
  }
  read_in_time(f.path);
  ring_destroy(&f);
}

/* Events with the most fields, each with its own name. */
static void events_with_many_fields(void **state)
{
  uint64_t integers[400];
  struct ring_file f;
  (void) state;
  for (int i = 0; i < 400; i++) integers[i] = (uint64_t) i % 128;
  ring_create(&f, &(struct ring_options) { .log_words = 16,
                                           .schema_capacity = 66 });
  ring_schema(&f, 700, EVENTRING_INSTANT, EVENTRING_PACKED, 0, "", "much");
  for (uint32_t i = 64; i > 0; i--)
    ring_field(&f, 700, i - 1, i == 64 ? "cause" : "ns", i == 1, "a field");
  ring_value(&f, "cause", 5, "a cause");
  assert_true(f.size <= MEGABYTE);
  for (uint64_t i = 0; i < 1200; i++)
    ring_packed(&f, 0, 1000 + i, EVENTRING_FORM_INSTANT, 700, integers, 400);
  read_in_time(f.path);
  ring_destroy(&f);
}

/* Rings that contradict themselves: tails without end, and each block damaged
   in another way. */
static void damaged_rings(void **state)
{
  const uint32_t rings = 200;
  struct ring_file f;
  uint64_t seed = 5;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = rings });
  assert_true(f.size <= MEGABYTE);
  for (uint32_t i = 0; i < rings; i++) {
    struct eventring_slot *s = ring_slot(&f, i);
    for (uint64_t w = 0; w < f.header->ring_words; w++)
      ring_words(&f, i)[w] = w % 256 < 4 ? 0 : ring_random(&seed);
    s->tail = ((uint64_t) 1 << (i % 63)) - i % 3;
    s->reserve = i % 2 == 0 ? (s->tail + 255) / 256 * 256
                            : (uint64_t) 1 << 62;
  }
  read_in_time(f.path);
  ring_destroy(&f);
}

/* Rings that take turns at each event. */
static void rings_that_alternate(void **state)
{
  const uint32_t rings = 240;
  struct ring_file f;
  (void) state;
  ring_create(&f, &(struct ring_options) { .rings = rings });
  assert_true(f.size <= MEGABYTE + 65536);
  for (uint64_t i = 0; i < 500; i++)
    for (uint32_t ring = 0; ring < rings; ring++)
      ring_write(&f, ring, i * rings + ring, EVENTRING_FORM_INSTANT, 1, NULL,
                 0);
  assert_true(read_in_time(f.path) > 100000);
  ring_destroy(&f);
}

/* Stock OCaml's files: header of 8 words; of each ring head and tail; words. */

enum { STOCK_RING_HEADER = 16 };

static void stock_file(const char *path, uint64_t rings, uint64_t words,
                       uint64_t (*word)(uint64_t place))
{
  uint64_t data = 64 + rings * STOCK_RING_HEADER;
  uint64_t header[] = { 1, rings, STOCK_RING_HEADER, words * 8, words, 64, data,
                        0 };
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fwrite(header, 8, 8, f);
  for (uint64_t i = 0; i < rings; i++)
    fwrite((uint64_t[]) { 0, words }, 8, 2, f);
  for (uint64_t i = 0; i < rings * words; i++)
    fwrite((uint64_t[]) { word(i % words) }, 8, 1, f);
  assert_true(ftell(f) <= (long) MEGABYTE + 64);
  fclose(f);
}

/* Two words an event; another id of the program's each, and times that run
   backwards. */
static uint64_t small_event(uint64_t place)
{
  return place % 2 == 0 ? (uint64_t) 2 << 54 | (uint64_t) 1 << 53
                          | (place / 2 % 8192) << 36
                        : 1000000 - place;
}

/* 1023 words an event, of a type of the program's own; all of it bytes. */
static uint64_t large_event(uint64_t place)
{
  uint64_t left = 65536 - place / 1023 * 1023;
  uint64_t length = left < 1023 ? left : 1023;
  return place % 1023 == 0 ? length << 54 | (uint64_t) 1 << 53
                             | (uint64_t) 4 << 49 | (uint64_t) 3 << 36
                           : place % 1023 == 1 ? place : 0;
}

static void stock_files(void **state)
{
  char dir[] = "/tmp/worst.XXXXXX", path[64];
  (void) state;
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/a", dir);
  stock_file(path, 1, 65536, small_event);
  read_in_time(path);
  stock_file(path, 7, 16384, small_event);
  read_in_time(path);
  stock_file(path, 4096, 16, small_event);
  read_in_time(path);
  stock_file(path, 1, 65536, large_event);
  read_in_time(path);
  unlink(path);
  rmdir(dir);
}

/* Recordings */

/* A recording that expands to the largest size allowed, and one that would
   expand to a thousand times as much. */
static void small_recordings_that_expand(void **state)
{
  char dir[] = "/tmp/worst.XXXXXX", path[64];
  struct recording r;
  (void) state;
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/a", dir);
  begin_recording(&r, path);
  for (uint64_t i = 0; i < 16; i++) put_segment(&r, i, 16 << 20);
  fill_up(&r);
  fclose(r.file);
  assert_true(read_file(path, 0) > 10000000);
  begin_recording(&r, path);
  for (uint64_t i = 0; i < 16; i++) put_segment(&r, i, 16 << 20);
  fclose(r.file);
  assert_true(read_file(path, 0) < 20000000);
  unlink(path);
  rmdir(dir);
}

/* An index that names one segment again and again. */
static void index_that_repeats_one_segment(void **state)
{
  const size_t count = 200000;
  char dir[] = "/tmp/worst.XXXXXX", path[64];
  struct index_entry *index = malloc(count * sizeof *index);
  struct recording r;
  (void) state;
  assert_non_null(index);
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/a", dir);
  begin_recording(&r, path);
  put_segment(&r, 0, 1 << 20);
  index[0] = r.chunks[0];
  for (size_t i = 1; i < count; i++) index[i] = r.chunks[1];
  end_recording(&r, index, count);
  assert_true(read_file(path, 0) < 200000);
  free(index);
  unlink(path);
  rmdir(dir);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(labels_of_one_list),
    cmocka_unit_test(labels_of_one_thread),
    cmocka_unit_test(events_with_many_fields),
    cmocka_unit_test(damaged_rings),
    cmocka_unit_test(rings_that_alternate),
    cmocka_unit_test(stock_files),
    cmocka_unit_test(small_recordings_that_expand),
    cmocka_unit_test(index_that_repeats_one_segment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
