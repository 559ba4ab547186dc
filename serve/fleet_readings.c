/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* See fleet_readings.h.

   The figures of a process need all of its recording, which the hub has to merge
   and to send.  So they are kept with the size that the recording had, and a call
   of hold_readings reads few of the recordings that have grown since: the ones that
   were read the longest time ago. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "explain.h"
#include "fleet_comparison.h"
#include "fleet_readings.h"
#include "hub_metrics.h"
#include "locks.h"
#include "memory.h"
#include "target.h"

#define SECOND INT64_C(1000000000)

/* A round of reading begins so long after the last one began, and begins no
   recording after so long and so many bytes. */
#define ROUND_EVERY_NS (10 * SECOND)
#define ROUND_NS (2 * SECOND)
#define ROUND_BYTES (INT64_C(64) << 20)

/* A process that has ended is shown for so long after its last data. */
#define SHOWN_NS (300 * SECOND)

/* A hub that did not answer is asked again after so long: a scrape that waits for
   it would cost the metrics of the processes of this machine, too. */
#define AGAIN_NS (30 * SECOND)

/* The most processes. */
#define MOST 1000

struct kept {
  char *node, *stream;
  int64_t parts, bytes;           /* of the recording when it was read */
  int64_t read_ns;                /* when; 0: never */
  char *text;                     /* its metrics, or NULL */
  struct metrics *metrics;
  struct process_figures *figures; /* or NULL, as [facts] */
  json_t *facts;
  bool shown;                     /* at this scrape */
};

/* A process of this scrape. */
struct shown {
  const struct hub_stream *stream;
  struct kept *kept;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by the lock. */
static struct kept *list[MOST] GUARDED_BY(lock);
static size_t count GUARDED_BY(lock);
/* When the last round began; 0: never. */
static int64_t round_ns GUARDED_BY(lock);
/* When the hub did not answer; 0: it did. */
static int64_t failed_ns GUARDED_BY(lock);
static char failure[512] GUARDED_BY(lock);        /* then the reason */

static void free_kept(struct kept *k)
{
  if (k->metrics != NULL) free_metrics(k->metrics);
  free(k->node);
  free(k->stream);
  free(k->text);
  free(k->figures);
  json_decref(k->facts);
  free(k);
}

/* Forgets the processes that are not shown any more. */
REQUIRES(lock)
static void forget(void)
{
  size_t left = 0;
  for (size_t i = 0; i < count; i++)
    if (list[i]->shown) list[left++] = list[i];
    else free_kept(list[i]);
  count = left;
}

REQUIRES(lock)
static struct kept *find(const struct hub_stream *stream)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i]->stream, stream->stream) == 0
        && strcmp(list[i]->node, stream->node) == 0)
      return list[i];
  return NULL;
}

static bool is_shown(const struct hub_stream *stream, int64_t now)
{
  return stream->bytes > 0 && (strcmp(stream->state, "running") == 0
                               || now - stream->last_data_ns < SHOWN_NS);
}

/* Compares two elements for qsort: newest data first. */
static int by_data(const void *left, const void *right)
{
  const struct shown *a = left, *b = right;
  return (a->stream->last_data_ns < b->stream->last_data_ns)
         - (a->stream->last_data_ns > b->stream->last_data_ns);
}

/* Compares two elements for qsort: read the longest time ago first. */
static int by_reading(const void *left, const void *right)
{
  const struct shown *a = left, *b = right;
  if (a->kept->read_ns != b->kept->read_ns)
    return a->kept->read_ns < b->kept->read_ns ? -1 : 1;
  return (a->stream->bytes > b->stream->bytes)
         - (a->stream->bytes < b->stream->bytes);
}

/* Sets [shown] to the streams that are shown, and returns their number. */
static size_t choose(const struct hub_streams *streams, struct shown *shown)
{
  const int64_t now =
    json_integer_value(json_object_get(streams->answer, "realtime_ns"));
  size_t chosen = 0;
  for (size_t i = 0; i < streams->count; i++)
    if (is_shown(&streams->list[i], now))
      shown[chosen++].stream = &streams->list[i];
  if (chosen > 0) qsort(shown, chosen, sizeof *shown, by_data);
  return chosen < MOST ? chosen : MOST;
}

/* Finds the kept metrics of the [chosen] streams, and forgets others. */
REQUIRES(lock)
static void find_kept(struct shown *shown, size_t chosen)
{
  for (size_t i = 0; i < count; i++) list[i]->shown = false;
  for (size_t i = 0; i < chosen; i++) {
    shown[i].kept = find(shown[i].stream);
    if (shown[i].kept != NULL) shown[i].kept->shown = true;
  }
  forget();
  for (size_t i = 0; i < chosen; i++) {
    if (shown[i].kept != NULL) continue;
    struct kept *k = allocate(1, sizeof *k);
    k->node = copy_of(shown[i].stream->node);
    k->stream = copy_of(shown[i].stream->stream);
    shown[i].kept = list[count++] = k;
  }
}

/* Takes a new reading of the recording of the process [state]. */
static void take_reading(void *state, struct summary *summary)
{
  struct kept *k = state;
  free(k->text);
  free(k->figures);
  json_decref(k->facts);
  k->text = summary_metrics(summary, &k->metrics);
  k->figures = new_process_figures(summary);
  k->facts = new_process_facts(summary_numbers(summary)->cursor);
}

/* Reads the recording of [shown].  When it cannot be read, the last reading
   stays. */
static void read_one(const struct hub_url *hub, const struct shown *shown)
{
  struct kept *k = shown->kept;
  char why[512];
  /* The hub has removed old parts: the totals begin anew. */
  if (shown->stream->bytes < k->bytes && k->metrics != NULL) {
    free_metrics(k->metrics);
    k->metrics = NULL;
  }
  const bool read = read_hub_summary(hub, shown->stream, NULL, take_reading, k,
                                     why, sizeof why);
  k->read_ns = monotonic_ns();
  if (!read) return;
  k->parts = shown->stream->parts;
  k->bytes = shown->stream->bytes;
}

/* Reads recordings that have changed, unless a round began a short time ago. */
REQUIRES(lock)
static void read_round(const struct hub_url *hub, struct shown *shown,
                       size_t chosen)
{
  const int64_t began = monotonic_ns();
  int64_t bytes = 0;
  if (round_ns != 0 && began - round_ns < ROUND_EVERY_NS) return;
  round_ns = began;
  if (chosen > 0) qsort(shown, chosen, sizeof *shown, by_reading);
  for (size_t i = 0; i < chosen && monotonic_ns() - began < ROUND_NS; i++) {
    const struct hub_stream *stream = shown[i].stream;
    const struct kept *k = shown[i].kept;
    if ((k->bytes == stream->bytes && k->parts == stream->parts)
        || stream->bytes > ROUND_BYTES - bytes)
      continue;
    bytes += stream->bytes;
    read_one(hub, &shown[i]);
  }
}

/* Fills [readings] from the streams that are shown, after a round of reading. */
REQUIRES(lock)
static void fill(struct fleet_readings *readings, const struct hub_url *hub)
{
  const struct hub_streams *streams = &readings->streams;
  struct shown *shown = allocate(streams->count, sizeof *shown);
  const size_t chosen = choose(streams, shown);
  find_kept(shown, chosen);
  read_round(hub, shown, chosen);
  readings->list = allocate(chosen, sizeof *readings->list);
  readings->count = chosen;
  for (size_t i = 0; i < chosen; i++) {
    const struct kept *k = shown[i].kept;
    readings->list[i] = (struct fleet_reading) {
      .stream = shown[i].stream, .text = k->text, .figures = k->figures,
      .facts = k->facts };
    readings->unread += k->text == NULL;
    readings->old += k->text != NULL
                     && (k->bytes != shown[i].stream->bytes
                         || k->parts != shown[i].stream->parts);
  }
  free(shown);
}

TRY_ACQUIRE(true, lock)
bool hold_readings(const struct hub_url *hub, struct fleet_readings *readings,
                   char *why, size_t size)
{
  *readings = (struct fleet_readings) { .list = NULL };
  pthread_mutex_lock(&lock);
  if (failed_ns == 0 || monotonic_ns() - failed_ns >= AGAIN_NS) {
    failed_ns = 0;
    if (get_hub_streams(hub, NULL, 0, &readings->streams, failure,
                        sizeof failure)) {
      fill(readings, hub);
      return true;
    }
    failed_ns = monotonic_ns();
  }
  explain(why, size, "%s", failure);
  pthread_mutex_unlock(&lock);
  return false;
}

RELEASE(lock)
void release_readings(struct fleet_readings *readings)
{
  free(readings->list);
  free_hub_streams(&readings->streams);
  pthread_mutex_unlock(&lock);
}
