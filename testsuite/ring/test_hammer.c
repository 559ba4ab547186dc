// BUILD: @testsuite/ring/producer.files -I_build/ocaml/runtime -iquote _build/ocaml/runtime/caml
// Needs the machine alone: its threads must run at the same time.
/* If this breaks, a reader returns an event that the runtime's producer never
   wrote, or loses or invents one, while writers run at full rate in the
   smallest rings.  The producer is the runtime's own; the domains
   that it asks for are threads of ours.

   An event's id, its size, from no payload to the longest, and every word of it
   follow from its ring and its number there; a reader knows the number by
   counting, the reported losses included.  So each event that was written
   is either read right or counted as lost, exactly, in each ring.

   Readers read few events at a time and sleep now and then, so that their
   position is overtaken between two blocks and in the midst of one.  A signal
   makes a thread, reader or writer, sleep at any point: while it copies a
   block, or between the stores of an event.  One more thread takes snapshots,
   which must fulfil the same conditions up to where each ends. */

#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "producer.h"
#include "eventring_reader.h"

#define WRITERS 2
#define READERS 3
#define THREADS (WRITERS + READERS + 1)
#define SIZES (EVENTRING_MAX_PAYLOAD_WORDS + 1)

static double seconds = 1;
static int done, ready, writing = WRITERS;
static uint64_t written[WRITERS];
static uint64_t sizes_read[SIZES]; /* by any reader */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 31) * 0x9E3779B97F4A7C15u;
  return x ^ x >> 29;
}

static uint64_t random_of(uint64_t *seed)
{
  *seed = mix(*seed + 0x9E3779B97F4A7C15u);
  return *seed;
}

static uint32_t words_of(uint64_t number)
{
  uint64_t r = mix(number + 1);
  return (uint32_t) (r % 8 == 0 ? r / 8 % SIZES : r / 8 % 7);
}

static uint32_t id_of(uint32_t ring, uint64_t number)
{
  return EVENTRING_FIRST_USER_ID
         + (uint32_t) (mix(number * WRITERS + ring)
                       % EVENTRING_MAX_USER_EVENTS);
}

static uint64_t word_of(uint32_t ring, uint64_t number, uint32_t place)
{
  return mix(number * 256 + place + ring);
}

static int every_size_was_read(void)
{
  for (uint32_t size = 0; size < SIZES; size++)
    if (__atomic_load_n(&sizes_read[size], __ATOMIC_RELAXED) == 0) return 0;
  return 1;
}

static void *write_ring(void *data)
{
  uint32_t ring = (uint32_t) (uintptr_t) data;
  uint64_t payload[EVENTRING_MAX_PAYLOAD_WORDS];
  caml_domain_state state;
  uint64_t seed = ring;
  double end;
  memset(&state, 0, sizeof state);
  state.id = state.unique_id = (int) ring;
  caml_state = &state;
  while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < READERS) usleep(100);
  end = now() + seconds;
  while (now() < end || (!every_size_was_read() && now() < end + 30)) {
    uint64_t x = random_of(&seed);
    for (int i = 0; i < 300; i++) {
      uint64_t number = written[ring]++;
      uint32_t words = words_of(number), id = id_of(ring, number);
      for (uint32_t k = 0; k < words; k++)
        payload[k] = word_of(ring, number, k);
      if (words == 0)
        caml_eventring_emit(EVENTRING_WORD(id, EVENTRING_FORM_INSTANT, 0));
      else if (words == 1)
        caml_eventring_emit_int(EVENTRING_WORD(id, EVENTRING_FORM_INSTANT, 1),
                                payload[0]);
      else
        caml_eventring_emit_words(
          EVENTRING_WORD(id, EVENTRING_FORM_INSTANT, 0), payload, words);
    }
    /* Readers get to the end and read each event once it is written. */
    if (x % 8 == 0) usleep(x / 8 % 300);
  }
  __atomic_sub_fetch(&writing, 1, __ATOMIC_RELEASE);
  return NULL;
}

struct reader {
  struct eventring_cursor *cursor;
  uint64_t seed;
  uint64_t read[WRITERS], lost[WRITERS], wrong[WRITERS];
};

static int is_right(const struct eventring_event *e, uint64_t number)
{
  if (e->form != EVENTRING_EV_INSTANT || e->id != id_of(e->ring, number)
      || e->words != words_of(number))
    return 0;
  for (uint32_t k = 0; k < e->words; k++)
    if (e->payload[k] != word_of(e->ring, number, k)) return 0;
  return 1;
}

static void check(struct reader *r, const struct eventring_event *e)
{
  uint64_t number = r->read[e->ring] + r->lost[e->ring];
  if (e->form == EVENTRING_EV_LOST) {
    r->lost[e->ring] += e->payload[0];
    return;
  }
  r->read[e->ring]++;
  if (!is_right(e, number)) r->wrong[e->ring]++;
  else __atomic_add_fetch(&sizes_read[e->words], 1, __ATOMIC_RELAXED);
}

static void *read_rings(void *data)
{
  struct reader *r = data;
  struct eventring_event events[64];
  double give_up = now() + seconds + 60;        /* of a broken reader */
  __atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE);
  for (;;) {
    int last = __atomic_load_n(&done, __ATOMIC_ACQUIRE), got = 0;
    for (uint32_t ring = 0; ring < WRITERS; ring++) {
      uint64_t x = random_of(&r->seed);
      int n = eventring_read_ring(r->cursor, ring, events, 1 + x % 64);
      if (n < 0) r->wrong[ring]++;
      for (int i = 0; i < n; i++) check(r, &events[i]);
      got |= n;
      if (!last && x / 64 % 64 == 0) usleep(x / 4096 % 300);
    }
    if (last && (got == 0 || now() > give_up)) return NULL;
  }
}

static struct {
  char path[PATH_MAX];
  uint64_t taken, read, wrong;
} snapshots;

static void take_snapshot(void)
{
  struct reader r = { .cursor = NULL };
  struct eventring_event events[64];
  char why[1024];
  int n;
  if (!caml_eventring_snapshot(snapshots.path, why, sizeof why)
      || eventring_open(snapshots.path, NULL, &r.cursor) < 0) {
    snapshots.wrong++;
    return;
  }
  while ((n = eventring_read(r.cursor, events, 64)) > 0)
    for (int i = 0; i < n; i++) check(&r, &events[i]);
  snapshots.wrong += n < 0;
  snapshots.taken++;
  for (int ring = 0; ring < WRITERS; ring++) {
    snapshots.read += r.read[ring];
    snapshots.wrong += r.wrong[ring];
  }
  eventring_close(r.cursor);
  unlink(snapshots.path);
}

static void *take_snapshots(void *unused)
{
  (void) unused;
  while (__atomic_load_n(&writing, __ATOMIC_ACQUIRE) > 0) take_snapshot();
  return NULL;
}

static void stall(int signal)
{
  (void) signal;
  select(0, NULL, NULL, NULL, &(struct timeval) { .tv_usec = 20 });
}

int main(int argc, char **argv)
{
  char dir[PATH_MAX], why[1024] = "no folder";
  const char *temporary = getenv("TMPDIR");
  pthread_t thread[THREADS];
  struct reader readers[READERS];
  uint64_t seed = 1;
  char *path;
  int failed = 0, test = 0;
  if (argc > 1) seconds = atof(argv[1]);
  params.runtime_events_log_wsize = EVENTRING_MIN_LOG_WORDS;
  params.max_domains = WRITERS;
  snprintf(dir, sizeof dir, "%s/hammer.XXXXXX",
           temporary != NULL ? temporary : "/tmp");
  if (mkdtemp(dir) == NULL
      || !caml_eventring_start(dir, EVENTRING_SUFFIX, EVENTRING_ALL_CATEGORIES,
                               0, why, sizeof why)) {
    printf("Bail out! %s\n", why);
    return 1;
  }
  path = caml_eventring_path();
  /* A domain may be in a pause before its first event. */
  static caml_domain_state main_domain;
  caml_state = &main_domain;
  caml_eventring_add_total(EVENTRING_TOTAL_PAUSES, 1);
  signal(SIGUSR1, stall);
  memset(readers, 0, sizeof readers);
  for (int i = 0; i < READERS; i++) {
    readers[i].seed = (uint64_t) i;
    if (eventring_open(path, NULL, &readers[i].cursor) < 0)
      return 1;
    pthread_create(&thread[WRITERS + i], NULL, read_rings, &readers[i]);
  }
  for (uintptr_t i = 0; i < WRITERS; i++)
    pthread_create(&thread[i], NULL, write_ring, (void *) i);
  snprintf(snapshots.path, sizeof snapshots.path, "%.3000s/snapshot", dir);
  pthread_create(&thread[THREADS - 1], NULL, take_snapshots, NULL);
  while (__atomic_load_n(&writing, __ATOMIC_ACQUIRE) > 0) {
    uint64_t x = random_of(&seed);
    pthread_kill(thread[x % THREADS], SIGUSR1);
    usleep(x / 64 % 200);
  }
  for (int i = 0; i < WRITERS; i++) pthread_join(thread[i], NULL);
  pthread_join(thread[THREADS - 1], NULL);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < READERS; i++) pthread_join(thread[WRITERS + i], NULL);

  for (int i = 0; i < READERS; i++) {
    struct reader *r = &readers[i];
    for (uint32_t ring = 0; ring < WRITERS; ring++) {
      int ok = r->wrong[ring] == 0 && r->read[ring] > 0
               && r->read[ring] + r->lost[ring] == written[ring]
               && eventring_events_read(r->cursor, ring) == r->read[ring]
               && eventring_events_lost(r->cursor, ring) == r->lost[ring];
      printf("%sok %d - reader %d, ring %u: %llu written = %llu read + %llu"
             " lost, %llu wrong\n", ok ? "" : "not ", ++test, i, ring,
             (unsigned long long) written[ring],
             (unsigned long long) r->read[ring],
             (unsigned long long) r->lost[ring],
             (unsigned long long) r->wrong[ring]);
      failed |= !ok;
    }
    eventring_close(r->cursor);
  }
  int right = snapshots.wrong == 0 && snapshots.read > 0;
  printf("%sok %d - %llu snapshots: %llu read, %llu wrong\n",
         right ? "" : "not ", ++test, (unsigned long long) snapshots.taken,
         (unsigned long long) snapshots.read,
         (unsigned long long) snapshots.wrong);
  failed |= !right || !every_size_was_read();
  printf("%sok %d - events of every size, 0 to %d words, were read\n",
         every_size_was_read() ? "" : "not ", ++test, SIZES - 1);
  printf("1..%d\n", test);
  free(path);
  caml_eventring_stop();
  rmdir(dir);
  return failed;
}
