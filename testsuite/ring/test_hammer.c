// BUILD: runtime/eventring.c runtime/eventring_fault.c -I_build/ocaml/runtime -iquote _build/ocaml/runtime/caml
/* If this breaks, a reader returns an event that the runtime's producer never
   wrote, or loses or invents one, while writers run at full rate in the
   smallest rings.  The producer is runtime/eventring.c itself; the domains
   that it asks for are threads of ours.  Every event tells its number, and its
   size and every word of it follow from that. */

#define CAML_INTERNALS
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "caml/eventring.h"
#include "caml/domain_state.h"
#include "caml/runtime_events.h"
#include "caml/startup_aux.h"
#include "eventring_reader.h"

#define WRITERS 2
#define READERS 3
#define ID 1024

/* What the producer wants of the runtime */
CAMLthread_local caml_domain_state *caml_state;
static struct caml_params params;
const struct caml_params *const caml_params = &params;
char *caml_secure_getenv(const char *name) { (void) name; return NULL; }
void caml_ev_lifecycle(ev_lifecycle event, int64_t data)
{
  (void) event;
  (void) data;
}
void caml_eventring_text(int record, uint32_t category, const char *text)
{
  (void) record;
  (void) category;
  (void) text;
}

static double seconds = 1;
static int done, ready;
static uint64_t written[WRITERS];

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

static uint32_t words_of(uint64_t number)
{
  uint64_t r = mix(number + 1);
  return 1 + (uint32_t) (r % 8 == 0 ? r / 8 % EVENTRING_MAX_PAYLOAD_WORDS
                                    : r / 8 % 6);
}

static uint64_t word_of(uint32_t ring, uint64_t number, uint32_t place)
{
  return place == 0 ? number : mix(number * 256 + place + ring);
}

static void *write_ring(void *data)
{
  uint32_t ring = (uint32_t) (uintptr_t) data;
  uint64_t payload[EVENTRING_MAX_PAYLOAD_WORDS];
  caml_domain_state state;
  double end = now() + seconds;
  memset(&state, 0, sizeof state);
  state.id = state.unique_id = (int) ring;
  caml_state = &state;
  while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < READERS) usleep(100);
  while (now() < end)
    for (int i = 0; i < 300; i++) {
      uint64_t number = written[ring]++;
      uint32_t words = words_of(number);
      for (uint32_t k = 0; k < words; k++)
        payload[k] = word_of(ring, number, k);
      if (words == 1)
        caml_eventring_emit_int(
          EVENTRING_WORD(ID, EVENTRING_FORM_INSTANT, 1), payload[0]);
      else
        caml_eventring_emit_words(
          EVENTRING_WORD(ID, EVENTRING_FORM_INSTANT, 0), payload, words);
    }
  return NULL;
}

struct reader {
  struct eventring_cursor *cursor;
  uint64_t seed, next[WRITERS], read, lost, wrong;
};

static void check(struct reader *r, const struct eventring_event *e)
{
  uint64_t number = r->next[e->ring];
  if (e->form == EVENTRING_EV_LOST) {
    r->next[e->ring] += e->payload[0];
    r->lost += e->payload[0];
    return;
  }
  r->read++;
  r->next[e->ring]++;
  if (e->id != ID || e->words != words_of(number)) {
    r->wrong++;
    return;
  }
  for (uint32_t k = 0; k < e->words; k++)
    if (e->payload[k] != word_of(e->ring, number, k)) {
      r->wrong++;
      return;
    }
}

static void *read_rings(void *data)
{
  struct reader *r = data;
  struct eventring_event events[64];
  __atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE);
  for (;;) {
    int last = __atomic_load_n(&done, __ATOMIC_ACQUIRE), got = 0;
    for (uint32_t ring = 0; ring < WRITERS; ring++) {
      int n = eventring_read_ring(r->cursor, ring, events, 64);
      if (n < 0) r->wrong++;
      for (int i = 0; i < n; i++) check(r, &events[i]);
      got |= n;
    }
    if (last && got == 0) return NULL;
    r->seed = mix(r->seed + 1);
    if (!last && r->seed % 64 == 0) usleep(r->seed / 64 % 300);
  }
}

int main(int argc, char **argv)
{
  char dir[] = "/tmp/hammer.XXXXXX", why[1024];
  pthread_t writer[WRITERS], reading[READERS];
  struct reader readers[READERS];
  int failed = 0, test = 0;
  if (argc > 1) seconds = atof(argv[1]);
  params.runtime_events_log_wsize = EVENTRING_MIN_LOG_WORDS;
  params.max_domains = WRITERS;
  if (mkdtemp(dir) == NULL
      || !caml_eventring_start(dir, EVENTRING_ALL_CATEGORIES, 0, why,
                               sizeof why)) {
    printf("Bail out! %s\n", why);
    return 1;
  }
  memset(readers, 0, sizeof readers);
  for (uintptr_t i = 0; i < READERS; i++) {
    readers[i].seed = i;
    if (eventring_open(caml_eventring_path(), NULL, &readers[i].cursor) < 0)
      return 1;
    pthread_create(&reading[i], NULL, read_rings, &readers[i]);
  }
  for (uintptr_t i = 0; i < WRITERS; i++)
    pthread_create(&writer[i], NULL, write_ring, (void *) i);
  for (int i = 0; i < WRITERS; i++) pthread_join(writer[i], NULL);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < READERS; i++) {
    struct reader *r = &readers[i];
    int ok;
    pthread_join(reading[i], NULL);
    ok = r->wrong == 0 && r->read > 0;
    for (uint32_t ring = 0; ring < WRITERS; ring++)
      ok &= r->next[ring] == written[ring]
            && eventring_events_read(r->cursor, ring)
               + eventring_events_lost(r->cursor, ring) == written[ring];
    printf("%sok %d - %llu read, %llu lost, %llu wrong\n", ok ? "" : "not ",
           ++test, (unsigned long long) r->read, (unsigned long long) r->lost,
           (unsigned long long) r->wrong);
    failed |= !ok;
    eventring_close(r->cursor);
  }
  printf("1..%d\n", test);
  caml_eventring_stop();
  rmdir(dir);
  return failed;
}
