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

/* Each recording has a thread, which copies to a hidden file in the store and
   gives it its name last. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "actions.h"
#include "json.h"
#include "live_json.h"
#include "locks.h"
#include "manifest.h"
#include "memory.h"
#include "record_loop.h"
#include "recordings.h"
#include "store.h"
#include "target.h"

/* Bytes of a recording if the client does not say, and the fewest. */
#define USUAL_BYTES (INT64_C(1) << 30)
#define FEWEST_BYTES (1 << 20)

/* The room in the store that a recording needs to begin. */
#define ROOM_BYTES (16 << 20)

/* The longest duration of a recording that a client may ask for. */
#define MOST_SECONDS 86400

struct recording {
  struct view *view;
  const char *store;
  pthread_t thread;
  atomic_bool stop, done;
  int64_t max_bytes, started_unix_ns;
  int64_t until_ns;               /* CLOCK_MONOTONIC; INT64_MAX: until it is stopped */
  char origin[64];
  /* The amounts so far, for other threads. */
  _Atomic int64_t bytes, events, lost;

  /* Of the thread, and of others when it is done. */
  struct eventring_info info;
  bool saved;
  const char *end;                /* the reason of the end */
  char temporary[PATH_MAX], path[PATH_MAX];
  char why[512];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct recording *recordings[RECORDINGS] GUARDED_BY(lock);

/* The thread */

/* Publishes the totals of [recorder], and returns the bytes. */
static int64_t publish(struct recording *r, struct eventring_recorder *recorder)
{
  struct eventring_record_totals t = { .size = sizeof t };
  eventring_record_totals(recorder, &t);
  r->bytes = (int64_t) t.all_bytes;
  r->events = (int64_t) t.events;
  r->lost = (int64_t) t.lost;
  return (int64_t) t.all_bytes;
}

/* Copies until the recording ends.  Returns 0 or the error of libeventring. */
static int copy(struct recording *r, struct eventring_cursor *cursor,
                struct eventring_recorder *recorder)
{
  struct record_loop loop;
  /* The last segment, up to the contents of the rings, comes on top. */
  const int64_t most = r->max_bytes - r->max_bytes / 16;
  int error;
  begin_record_loop(&loop, recorder, cursor);
  while ((error = record_new(&loop)) == 0) {
    r->end = publish(r, recorder) >= most ? "the limit of bytes was reached"
             : r->stop ? "stopped"
             : monotonic_ns() >= r->until_ns ? "its time is over"
             : loop.complete ? "the process ended" : NULL;
    if (r->end != NULL) break;
    record_sleep(&loop);
  }
  return error;
}

static void record(struct recording *r)
{
  struct eventring_record_options options = {
    .size = sizeof options, .message = r->why, .message_size = sizeof r->why
  };
  struct eventring_recorder *recorder = NULL;
  struct eventring_cursor *cursor = view_open(r->view, false, r->why,
                                              sizeof r->why);
  if (cursor == NULL) return;
  r->info = target_info(cursor);
  char *manifest = new_saved_manifest(cursor, NULL, NULL);
  int error = eventring_record(r->temporary, cursor, &options, &recorder);
  if (error == 0) error = eventring_record_note(recorder, manifest);
  if (error == 0) error = copy(r, cursor, recorder);
  if (error == 0) error = eventring_record_end(recorder);
  if (error == 0) publish(r, recorder);
  eventring_record_close(recorder);
  if (!view_close(r->view, cursor)) snprintf(r->why, sizeof r->why, VIEW_CUT);
  free(manifest);
  if (error < 0 && r->why[0] == '\0')
    snprintf(r->why, sizeof r->why, "%s", eventring_strerror(error));
  r->saved = error == 0;
}

static void *recording_thread(void *state)
{
  struct recording *r = state;
  char action[128];
  record(r);
  if (r->saved)
    r->saved = keep_in_store(r->store, r->temporary, &r->info, NULL, NULL,
                             r->path, r->why, sizeof r->why);
  unlink(r->temporary);
  snprintf(action, sizeof action, "record: %s",
           r->end != NULL ? r->end : "failed");
  add_action(r->origin, view_id(r->view), action,
             r->saved ? r->path : r->why);
  r->done = true;
  return NULL;
}

/* The list */

static void free_recording(struct recording *r)
{
  pthread_join(r->thread, NULL);
  drop_view(r->view);
  free(r);
}

/* Frees the recordings that have ended.  The caller holds the lock. */
REQUIRES(lock)
static void reap_recordings(void)
{
  for (int i = 0; i < RECORDINGS; i++)
    if (recordings[i] != NULL && recordings[i]->done) {
      free_recording(recordings[i]);
      recordings[i] = NULL;
    }
}

/* Returns the place of the recording of process [id], or of none if [id] is 0;
   NULL for no such place.  The caller holds the lock. */
REQUIRES(lock)
static struct recording **find_place(uint64_t id)
{
  for (int i = 0; i < RECORDINGS; i++)
    if (id == 0 ? recordings[i] == NULL
                : recordings[i] != NULL && view_id(recordings[i]->view) == id)
      return &recordings[i];
  return NULL;
}

/* Requests */

static void is_recording(struct view_data *data, void *state)
{
  *(bool *) state = data->info.format == EVENTRING_FORMAT_RECORDING;
}

/* Puts [r] into the list and starts its thread.  Returns NULL, or the reason
   why that is not possible. */
static const char *begin(struct recording *r)
{
  const char *why = NULL;
  pthread_mutex_lock(&lock);
  reap_recordings();
  struct recording **place = find_place(0);
  if (find_place(view_id(r->view)) != NULL)
    why = "it is being recorded already";
  else if (place == NULL)
    why = "too many recordings";
  else if (pthread_create(&r->thread, NULL, recording_thread, r) != 0)
    why = "there is no thread for it";
  else
    *place = r;
  pthread_mutex_unlock(&lock);
  return why;
}

/* Returns a recording of the process that is [asked] for, of at most [max_bytes] and, if it is not 0,
   [seconds], which has no thread yet. */
static struct recording *new_recording(const struct asked *asked, int64_t max_bytes,
                                       int64_t seconds)
{
  struct recording *r = allocate(1, sizeof *r);
  r->view = hold_view(asked->view);
  r->store = asked->settings->store;
  r->max_bytes = max_bytes;
  r->started_unix_ns = realtime_ns();
  r->until_ns = seconds == 0 ? INT64_MAX
                             : time_after(monotonic_ns(), seconds * SECOND_NS);
  snprintf(r->origin, sizeof r->origin, "%s", asked->origin);
  temporary_in_store(r->store, r->temporary);
  return r;
}

/* Returns the positive integer [name] of [body]; [missing] if there is none, -1 if it is
   another value. */
static int64_t positive(const json_t *body, const char *name, int64_t missing)
{
  const json_t *member = json_object_get(body, name);
  if (member == NULL) return missing;
  const json_int_t value = json_integer_value(member);
  return value > 0 ? value : -1;
}

static struct answer start(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  struct view *view = asked->view;
  int64_t max_bytes = positive(asked->body, "max_bytes", USUAL_BYTES);
  const int64_t seconds = positive(asked->body, "seconds", 0);
  bool recorded = false;
  char why[512];
  if (max_bytes < FEWEST_BYTES || max_bytes > STORE_BYTES)
    return refusal(400, "max_bytes: an integer from %d to %lld", FEWEST_BYTES,
                   (long long) STORE_BYTES);
  if (seconds < 0 || seconds > MOST_SECONDS)
    return refusal(400, "seconds: an integer from 1 to %d", MOST_SECONDS);
  if (settings->store == NULL)
    return refusal(409, "there is no store: set EVENTRING_STORE");
  if (!view_look(view, is_recording, &recorded)) return refusal(409, VIEW_CUT);
  if (recorded) return refusal(409, "it is a recording already");
  if (!make_store(settings->store, why, sizeof why))
    return refusal(409, "%s", why);
  const int64_t room = room_in_store(settings->store, why, sizeof why);
  if (room > 0 && room < ROOM_BYTES)
    snprintf(why, sizeof why, "the store is full: it has room for %lld bytes",
             (long long) room);
  if (room < ROOM_BYTES) return refusal(409, "%s", why);
  if (max_bytes > room) max_bytes = room;
  struct recording *r = new_recording(asked, max_bytes, seconds);
  const char *reason = begin(r);
  if (reason != NULL) {
    drop_view(r->view);
    free(r);
    return refusal(409, "%s", reason);
  }
  add_action(asked->origin, view_id(view), "record: start", "ok");
  return (struct answer) {
    .status = 200, .json = json_pack("{s:I}", "max_bytes",
                                     (json_int_t) max_bytes)
  };
}

static struct answer stop(struct view *view)
{
  pthread_mutex_lock(&lock);
  struct recording **place = find_place(view_id(view));
  struct recording *r = place != NULL ? *place : NULL;
  if (r != NULL) {
    *place = NULL;
    r->stop = true;
  }
  pthread_mutex_unlock(&lock);
  if (r == NULL) return refusal(409, "it is not being recorded");
  pthread_join(r->thread, NULL);
  struct answer answer = !r->saved ? refusal(409, "%s", r->why)
    : (struct answer) {
        .status = 200, .json = json_pack(
          "{s:o, s:s, s:I, s:I, s:I}", "file", json_text(r->path),
          "end", r->end, "bytes", (json_int_t) r->bytes, "events",
          (json_int_t) r->events, "lost_events", (json_int_t) r->lost)
      };
  drop_view(r->view);
  free(r);
  return answer;
}

struct answer record_view(const struct asked *asked)
{
  const char *action =
    json_string_value(json_object_get(asked->body, "action"));
  if (action != NULL && strcmp(action, "start") == 0)
    return start(asked);
  if (action != NULL && strcmp(action, "stop") == 0) return stop(asked->view);
  return refusal(400, "action: start or stop");
}

json_t *json_recordings(void)
{
  json_t *list = json_array();
  pthread_mutex_lock(&lock);
  for (int i = 0; i < RECORDINGS; i++) {
    const struct recording *r = recordings[i];
    if (r == NULL || r->done) continue;
    json_array_append_new(list, json_pack(
      "{s:o, s:I, s:I, s:I, s:I, s:I}", "process", json_id(view_id(r->view)),
      "started_unix_ns", (json_int_t) r->started_unix_ns,
      "bytes", (json_int_t) r->bytes, "max_bytes", (json_int_t) r->max_bytes,
      "events", (json_int_t) r->events, "lost_events", (json_int_t) r->lost));
  }
  pthread_mutex_unlock(&lock);
  return json_pack("{s:o}", "recordings", list);
}

void stop_recordings(void)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < RECORDINGS; i++)
    if (recordings[i] != NULL) recordings[i]->stop = true;
  for (int i = 0; i < RECORDINGS; i++) {
    if (recordings[i] != NULL) free_recording(recordings[i]);
    recordings[i] = NULL;
  }
  pthread_mutex_unlock(&lock);
}
