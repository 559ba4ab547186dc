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

/* The sampler reads the rings of all views 10 to 40 times a second, and sends the
   rows of history that have ended since to the streams.  No client, and no
   other process, can keep it waiting: a slice of reading has a budget, and
   sending is an append to a queue.  The scanner looks for processes, once a
   second, since /proc takes its time; it also asks diagnose. */

#define _GNU_SOURCE               /* pthread_cond_clockwait */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "control.h"
#include "findings.h"
#include "http.h"
#include "live_json.h"
#include "locks.h"
#include "memory.h"
#include "registry.h"
#include "sampler.h"
#include "stream.h"
#include "target.h"

/* The time between two reads of all views: it doubles, up to the longest, while
   no read has much.  A burst that fills a ring within that time loses events. */
#define PERIOD_NS (SECOND_NS / 40)
#define LONGEST_NS (SECOND_NS / 10)
/* Between two slices, so that a client gets the lock. */
#define BREATH_NS (SECOND_NS / 5000)

static atomic_bool stopping;
static pthread_t threads[3];
/* Guards changes of [stopping]; [stop] tells of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop = PTHREAD_COND_INITIALIZER;

static void sleep_ns(int64_t ns)
{
  if (ns <= 0) return;
  struct timespec time = { ns / SECOND_NS, ns % SECOND_NS };
  nanosleep(&time, NULL);
}

/* Sends the new rows of [view] to its streams. */
static void send_news(struct view *view, bool each_second)
{
  const uint64_t id = view_id(view);
  if (!is_streamed(&id)) {
    skip_ticks(view);
    return;
  }
  json_t *rows = json_ticks(view);
  for (size_t i = 0; i < json_array_size(rows); i++) {
    char *text = json_line(json_incref(json_array_get(rows, i)));
    send_event(&id, "tick", text, true);
    free(text);
  }
  json_decref(rows);
  json_t *detail = each_second ? json_detail(view) : NULL;
  if (detail == NULL) return;
  char *text = json_line(detail);
  send_event(&id, "detail", text, false);
  free(text);
}

static void send_processes(void)
{
  if (!is_streamed(NULL)) return;
  char *text = json_line(json_processes());
  send_event(NULL, "processes", text, false);
  free(text);
}

static void *sample(void *state)
{
  struct view *views[REGISTRY_VIEWS];
  int64_t next = monotonic_ns(), next_second = next, period_ns = PERIOD_NS;
  (void) state;
  while (!stopping) {
    enum view_news most = VIEW_FEW;
    bool each_second = monotonic_ns() >= next_second;
    int count = all_views(views);
    for (int i = 0; i < count; i++) {
      const enum view_news news = view_read(views[i], VIEW_SLICE_NS);
      if (news > most) most = news;
      send_news(views[i], each_second);
      drop_view(views[i]);
    }
    if (each_second) {
      send_processes();
      next_second += SECOND_NS;
      if (next_second < monotonic_ns()) next_second = monotonic_ns();
    }
    period_ns = most != VIEW_FEW ? PERIOD_NS
                : 2 * period_ns < LONGEST_NS ? 2 * period_ns : LONGEST_NS;
    next += period_ns;
    if (next < monotonic_ns()) next = monotonic_ns();
    sleep_ns(most == VIEW_MORE ? BREATH_NS : next - monotonic_ns());
  }
  return NULL;
}

/* Sleeps for a second, or until the threads shall stop. */
static void sleep_a_second(void)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec++;
  pthread_mutex_lock(&lock);
  while (!stopping
         && pthread_cond_clockwait(&stop, &lock, CLOCK_MONOTONIC, &until) == 0)
    ;
  pthread_mutex_unlock(&lock);
}

static void *scan(void *state)
{
  (void) state;
  while (!stopping) {
    sleep_a_second();
    if (stopping) break;
    scan_registry();
    reap_connections();
  }
  return NULL;
}

static void end_all_added(void)
{
  struct view *views[REGISTRY_VIEWS];
  int count = all_views(views);
  for (int i = 0; i < count; i++) {
    end_added_categories(views[i], true);
    drop_view(views[i]);
  }
}

static void *diagnose(void *state)
{
  (void) state;
  while (!stopping) {
    struct view *views[REGISTRY_VIEWS];
    int count = all_views(views);
    for (int i = 0; i < count; i++) {
      if (!stopping) update_findings(views[i]);
      end_added_categories(views[i], false);
      drop_view(views[i]);
    }
    sleep_a_second();
  }
  end_all_added();
  return NULL;
}

void start_sampler(void)
{
  void *(*const work[])(void *) = { sample, scan, diagnose };
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], NULL, work[i], NULL) != 0)
      out_of_memory();
}

void stop_sampler(void)
{
  pthread_mutex_lock(&lock);
  stopping = true;
  pthread_cond_broadcast(&stop);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
