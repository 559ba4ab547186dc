// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
// Needs the machine alone: its threads must run at the same time.
/* If this breaks, a reader can return words of two laps as one event, or miss
   or invent a loss, while the writer runs at full rate.  The ring has the
   smallest size, so that the readers are overtaken all the time; every
   word of every payload depends on the event and on its place. */

#include <pthread.h>
#include <time.h>

#include "ring_test.h"

#define SECONDS 2
#define RINGS 2

static struct ring_file file;
static int done;
static uint64_t written[RINGS];

static uint64_t word_of(uint64_t event, uint32_t place)
{
  uint64_t seed = event * 64 + place;
  return place == 0 ? event : ring_random(&seed);
}

static uint32_t words_of(uint64_t event)
{
  uint64_t seed = event;
  uint64_t r = ring_random(&seed);
  return 1 + (uint32_t) (r % 64 == 0 ? 30 + r / 64 % 90 : r % 6);
}

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void *write_rings(void *unused)
{
  double end = seconds() + SECONDS;
  uint64_t payload[128];
  (void) unused;
  while (seconds() < end) {
    for (int i = 0; i < 200; i++)
      for (uint32_t ring = 0; ring < RINGS; ring++) {
        uint64_t event = written[ring]++;
        uint32_t words = words_of(event);
        for (uint32_t k = 0; k < words; k++) payload[k] = word_of(event, k);
        ring_write(&file, ring, event, EVENTRING_FORM_INSTANT,
                   1 + (uint32_t) (event % 65535), payload, words);
      }
    /* Now and then let the readers catch up. */
    if (written[0] % 64000 == 0) usleep(200);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return NULL;
}

struct reader {
  int merged, from_now;
  uint64_t next[RINGS];         /* UINT64_MAX: take it from the first event */
  uint64_t events, losses, wrong;
  struct eventring_cursor *cursor;
  pthread_t thread;
};

static void check(struct reader *r, const struct eventring_event *e)
{
  if (e->form == EVENTRING_EV_LOST) {
    r->losses++;
    if (r->next[e->ring] != UINT64_MAX) r->next[e->ring] += e->payload[0];
    return;
  }
  if (r->next[e->ring] == UINT64_MAX) r->next[e->ring] = e->payload[0];
  r->events++;
  if (e->payload[0] != r->next[e->ring] || e->ticks != r->next[e->ring]
      || e->id != 1 + e->payload[0] % 65535
      || e->words != words_of(e->payload[0]))
    r->wrong++;
  else
    for (uint32_t k = 0; k < e->words; k++)
      if (e->payload[k] != word_of(e->payload[0], k)) r->wrong++;
  r->next[e->ring]++;
}

static void *read_rings(void *data)
{
  struct reader *r = data;
  struct eventring_event ev[300];
  int last = 0;
  for (;;) {
    /* Once more after the writer's end. */
    int got = 0, ending = __atomic_load_n(&done, __ATOMIC_ACQUIRE);
    for (uint32_t ring = 0; ring < RINGS; ring++) {
      int n = r->merged ? eventring_read(r->cursor, ev, 300)
                        : eventring_read_ring(r->cursor, ring, ev, 300);
      if (n < 0) r->wrong++;
      for (int i = 0; i < n; i++) check(r, &ev[i]);
      got |= n;
    }
    if (ending && last && got == 0) return NULL;
    last = ending;
  }
}

static void no_torn_events(void **state)
{
  struct reader readers[] = {
    { .merged = 1 }, { .merged = 0 }, { .merged = 1, .from_now = 1 } };
  size_t count = sizeof readers / sizeof *readers;
  pthread_t writer;
  (void) state;
  ring_create(&file, &(struct ring_options) { .rings = RINGS });
  pthread_create(&writer, NULL, write_rings, NULL);
  for (size_t i = 0; i < count; i++) {
    if (readers[i].from_now) usleep(100000);
    readers[i].cursor = readers[i].from_now ? ring_open_from_now(&file)
                                            : ring_open(&file);
    for (uint32_t ring = 0; ring < RINGS; ring++)
      readers[i].next[ring] = readers[i].from_now ? UINT64_MAX : 0;
    pthread_create(&readers[i].thread, NULL, read_rings, &readers[i]);
  }
  pthread_join(writer, NULL);
  for (size_t i = 0; i < count; i++) {
    struct reader *r = &readers[i];
    pthread_join(r->thread, NULL);
    print_message("reader %zu: %llu events, %llu losses, %llu wrong\n", i,
                  (unsigned long long) r->events,
                  (unsigned long long) r->losses,
                  (unsigned long long) r->wrong);
    assert_int_equal(r->wrong, 0);
    assert_true(r->events > 0);
    for (uint32_t ring = 0; ring < RINGS; ring++) {
      uint64_t known = eventring_events_read(r->cursor, ring)
                       + eventring_events_lost(r->cursor, ring);
      assert_int_equal(r->next[ring], written[ring]);
      if (r->from_now) assert_true(known < written[ring]);
      else assert_int_equal(known, written[ring]);
    }
    eventring_close(r->cursor);
  }
  ring_destroy(&file);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(no_torn_events) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
