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

/* A view has a cursor, which the thread of the sampler and a guard read, live
   statistics, and a history.  A thread that wants numbers takes the lock of the
   view; a read holds the lock for one slice of its budget at most.

   Bounds of the memory of a view: history 19 MB after a day (12840 rows of 208
   bytes, and 8 to 16 for each domain and name, up to 1500); live statistics up
   to 4 MB for spans of the program (1024 names) and 3 MB for 65536 long spans,
   and a summary: 60 KB a domain up to 1024 domains, 10 KB for each of 4096 ids
   with durations, 1 MB of tables; 5 MB for open requests and 140 KB for the log of
   slow ones, if the program has requests.  A process with 8 domains and a hundred names
   has some 5 MB without its history.  The rings are mapped, not copied.

   A file that is cut while it is read (analysis/cut_files.h) ends its view. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "event_reader.h"
#include "locks.h"
#include "memory.h"
#include "metrics_text.h"
#include "request_log.h"
#include "target.h"
#include "view.h"

struct view {
  pthread_mutex_t lock;           /* of all from [data] to [finished] */
  atomic_uint holders;
  char *path;
  int fd;                         /* of the file, to open it once more */
  off_t size;                     /* of the file, at first */
  uint32_t process;
  uint32_t format;                /* EVENTRING_FORMAT_... */
  int64_t opened_ns;              /* on the clock of the process */
  struct view_data data;
  void (*take)(void *state, const struct view_data *data,
               const struct eventring_event *event);
  void *taker;                    /* its state */
  int64_t looked_ns;              /* at the state, last */
  bool finished;
  atomic_bool cut;
};

/* The slowest requests of each second are kept for so many seconds. */
#define REQUEST_LOG_S 60

/* Opening and closing */

static struct eventring_cursor *open_path(const char *path, uint32_t process,
                                          bool control, char *why,
                                          size_t why_size)
{
  struct eventring_options options = {
    .size = sizeof options, .control = control, .from_now = control, .changes = 1,
    .process = process, .message = why, .message_size = why_size
  };
  struct eventring_cursor *cursor = NULL;
  why[0] = '\0';
  int error = eventring_open(path, &options, &cursor);
  if (error < 0 && why[0] == '\0')
    snprintf(why, why_size, "%s: %s", path, eventring_strerror(error));
  return cursor;
}

/* Opens the file of [view], and fills its data. */
static void open_data(struct view *view, char *why, size_t why_size)
{
  struct view_data *d = &view->data;
  d->cursor = open_path(view->path, view->process, false, why, why_size);
  if (d->cursor == NULL) return;
  d->live = new_live_stats(d->cursor);
  d->request_log = new_request_log(summary_numbers(live_summary(d->live))->requests,
                                   REQUEST_LOG_S);
  d->history = new_history(d->cursor, d->live);
  d->info = target_info(d->cursor);
  d->state = eventring_state(d->cursor);
  d->reading = true;
  d->now_ns = d->info.started_ns;
  view->format = d->info.format;
  view->opened_ns = present_ns(&d->info);
}

static void close_data(struct view_data *d)
{
  json_decref(d->findings);
  json_decref(d->diagnosis);
  if (d->cursor == NULL) return;
  free_metrics(d->metrics);
  free_history(d->history);
  free_request_log(d->request_log);
  free_live_stats(d->live);
  eventring_close(d->cursor);
}

struct view *new_view(uint64_t id, int32_t pid, const char *path,
                      uint32_t process, char *why, size_t why_size)
{
  struct view *view = allocate(1, sizeof *view);
  view->data.cpu_ns = -1;
  view->data.processors = -1;
  pthread_mutex_init(&view->lock, NULL);
  view->holders = 1;
  view->process = process;
  view->path = allocate(strlen(path) + 1, 1);
  strcpy(view->path, path);
  view->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat st;
  view->size = fstat(view->fd, &st) == 0 ? st.st_size : 0;
  view->data.id = id;
  open_data(view, why, why_size);
  if (view->data.cursor == NULL) {
    drop_view(view);
    return NULL;
  }
  view->data.pid = pid != 0 ? pid : view->data.info.pid;
  return view;
}

int64_t start_of_tracing(const char *path, uint32_t process)
{
  char why[256];
  struct eventring_cursor *cursor = open_path(path, process, false, why,
                                              sizeof why);
  if (cursor == NULL) return 0;
  const int64_t started_ns = target_info(cursor).started_ns;
  eventring_close(cursor);
  return started_ns;
}

struct view *hold_view(struct view *view)
{
  atomic_fetch_add(&view->holders, 1);
  return view;
}

void drop_view(struct view *view)
{
  if (view == NULL || atomic_fetch_sub(&view->holders, 1) != 1) return;
  close_data(&view->data);
  if (view->fd >= 0) close(view->fd);
  pthread_mutex_destroy(&view->lock);
  free(view->path);
  free(view);
}

uint64_t view_id(const struct view *view)
{
  return view->data.id;
}

const char *view_path(const struct view *view)
{
  return view->path;
}

bool view_is_cut(const struct view *view)
{
  return view->cut;
}

bool view_is_finished(struct view *view)
{
  pthread_mutex_lock(&view->lock);
  bool finished = view->finished;
  pthread_mutex_unlock(&view->lock);
  return finished;
}

/* Reading */

/* Takes notice once a second of the state of the process. */
static void look_again(struct view *view, int64_t now)
{
  struct view_data *d = &view->data;
  const int64_t before_ns = d->cpu_ns, passed_ns = now - view->looked_ns;
  if (passed_ns < SECOND_NS) return;
  view->looked_ns = now;
  d->state = eventring_state(d->cursor);
  d->cpu_ns = d->state == EVENTRING_STATE_RUNNING ? process_cpu_ns(d->cursor) : -1;
  d->processors = before_ns < 0 || d->cpu_ns < before_ns ? -1
    : (double) (d->cpu_ns - before_ns) / (double) passed_ns;
  d->info = target_info(d->cursor);
  d->resident_bytes = d->state == EVENTRING_STATE_RUNNING
                      && !d->info.pid_is_elsewhere
                      ? process_resident_bytes(d->pid) : 0;
  history_resident(d->history, d->resident_bytes);
}

/* Advances the numbers to the time up to which there are no more events: the
   time before the last read for a process that runs, else the last event. */
static void all_read(struct view *view, int64_t now)
{
  struct view_data *d = &view->data;
  live_idle(d->live);
  if (d->state == EVENTRING_STATE_RUNNING && d->info.same_boot) {
    d->now_ns = now;
    live_until(d->live, now);
    history_until(d->history, now);
  } else {
    const int64_t end = live_finish(d->live);
    d->now_ns = end > 0 ? end : d->now_ns;
    if (!view->finished)
      history_finish(d->history, d->state != EVENTRING_STATE_RUNNING);
    d->info = target_info(d->cursor);     /* a damaged end is known now */
    view->finished = d->state != EVENTRING_STATE_RUNNING;
  }
  d->reading = false;
}

/* Returns whether [loss] is none of ours: a ring had overwritten its oldest events
   before the opening. */
static bool was_before(const struct view *view, const struct eventring_event *loss)
{
  return view->format != EVENTRING_FORMAT_RECORDING && loss->ns < view->opened_ns;
}

/* The words that an event takes in a ring, without its payload, about. */
#define HEAD_WORDS 2

/* Marks the view as cut. */
static void give_up(struct view *view)
{
  view->cut = true;
  view->finished = true;
  view->data.reading = false;
}

/* Reads new events while the caller holds the lock. */
static enum view_news read_slice(struct view *view, int64_t budget_ns)
{
  struct view_data *d = &view->data;
  struct event_reader reader;
  const struct eventring_event *event;
  const int64_t began = monotonic_ns();
  enum view_news news = VIEW_FEW;
  uint64_t words = 0;             /* in the rings, about */
  look_again(view, began);
  read_new_events(&reader, d->cursor, time_after(began, budget_ns));
  while ((event = next_event(&reader)) != NULL) {
    words += HEAD_WORDS + event->words;
    if (event->form == EVENTRING_EV_LOST) {
      news = VIEW_MANY;
      if (was_before(view, event)) d->lost_before += event->payload[0];
    }
    if (view->take != NULL) view->take(view->taker, d, event);
    if (event->form != EVENTRING_EV_CONTROL_CHANGED)
      history_event(d->history, event);
    live_event(d->live, event);
    if (batch_is_over(&reader) && d->reading) d->now_ns = live_last_ns(d->live);
  }
  d->damaged += reader.damaged;
  if (words > d->info.ring_words / 32) news = VIEW_MANY;
  if (reader.out_of_time) return VIEW_MORE;
  if (target_is_cut(d->cursor)) {
    give_up(view);
    return VIEW_FAILED;
  }
  if (reader.error < 0) d->failure = reader.error;
  /* One that was killed since the last look did nothing until [began].  What it wrote
     before its end is read first. */
  if (d->state == EVENTRING_STATE_RUNNING && d->failure == 0) {
    d->state = eventring_state(d->cursor);
    if (d->state != EVENTRING_STATE_RUNNING) return VIEW_MORE;
  }
  all_read(view, began);
  return d->failure < 0 ? VIEW_FAILED : news;
}

/* Marks the view as cut, for a caller without the lock. */
static void give_up_alone(struct view *view)
{
  pthread_mutex_lock(&view->lock);
  give_up(view);
  pthread_mutex_unlock(&view->lock);
}

enum view_news view_read(struct view *view, int64_t budget_ns)
{
  enum view_news news = VIEW_FEW;
  pthread_mutex_lock(&view->lock);
  if (!view->finished) news = read_slice(view, budget_ns);
  pthread_mutex_unlock(&view->lock);
  return news;
}

void view_listen(struct view *view,
                 void (*take)(void *state, const struct view_data *data,
                              const struct eventring_event *event), void *state)
{
  pthread_mutex_lock(&view->lock);
  view->take = take;
  view->taker = state;
  pthread_mutex_unlock(&view->lock);
}

bool view_look(struct view *view,
               void (*look)(struct view_data *data, void *state), void *state)
{
  pthread_mutex_lock(&view->lock);
  if (!view->cut) {
    look(&view->data, state);
    if (target_is_cut(view->data.cursor)) give_up(view);
  }
  const bool good = !view->cut;
  pthread_mutex_unlock(&view->lock);
  return good;
}

struct eventring_cursor *view_open(struct view *view, bool control, char *why,
                                   size_t why_size)
{
  char path[DESCRIPTOR_PATH];
  /* A file of stock OCaml has the pid of its process only in its name. */
  bool by_name = view->fd < 0 || view->format == EVENTRING_FORMAT_STOCK;
  descriptor_path(view->fd, path);
  if (view->cut) {
    snprintf(why, why_size, VIEW_CUT);
    return NULL;
  }
  struct eventring_cursor *cursor = open_path(by_name ? view->path : path,
                                              view->process, control, why,
                                              why_size);
  struct stat st;
  /* Its header is not whole any more, or has a larger size. */
  if (cursor == NULL && view->format == EVENTRING_FORMAT_RING
      && fstat(view->fd, &st) == 0 && st.st_size < view->size) {
    give_up_alone(view);
    snprintf(why, why_size, VIEW_CUT);
  }
  return cursor;
}

bool view_close(struct view *view, struct eventring_cursor *cursor)
{
  const bool cut = cursor != NULL && target_is_cut(cursor);
  if (cut) give_up_alone(view);
  eventring_close(cursor);
  return !cut;
}

struct eventring_merge_input view_input(const struct view *view,
                                        char path[DESCRIPTOR_PATH])
{
  descriptor_path(view->fd, path);
  return (struct eventring_merge_input) {
    .size = sizeof(struct eventring_merge_input), .path = path,
    .process = view->process
  };
}

static pthread_mutex_t readers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reader_is_done = PTHREAD_COND_INITIALIZER;
static int readers GUARDED_BY(readers_lock);

void work_in_turn(void (*work)(void *state), void *state)
{
  pthread_mutex_lock(&readers_lock);
  while (readers == READERS)
    pthread_cond_wait(&reader_is_done, &readers_lock);
  readers++;
  pthread_mutex_unlock(&readers_lock);
  work(state);
  pthread_mutex_lock(&readers_lock);
  readers--;
  pthread_cond_signal(&reader_is_done);
  pthread_mutex_unlock(&readers_lock);
}
