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

#define _GNU_SOURCE               /* st_mtim */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "actions.h"
#include "event_reader.h"
#include "json.h"
#include "kept.h"
#include "live_json.h"
#include "locks.h"
#include "manifest.h"
#include "memory.h"
#include "registry.h"
#include "ring_snapshot.h"
#include "saved.h"
#include "store.h"
#include "store_json.h"
#include "target.h"

/* The longest time that a client can save. */
#define MAX_SECONDS (24 * 3600)

/* Saving */

struct saving {
  struct view *view;
  const char *store;
  int64_t seconds;                /* the last ones; 0: see [from_ns] */
  int64_t from_ns, to_ns;         /* since tracing started; to_ns 0: all */
  struct eventring_info info;
  int64_t cut_ns;                 /* CLOCK_MONOTONIC: the begin of what is kept */
  int64_t complete_ns;            /* from then on no ring has lost events */
  char temporary[2][PATH_MAX];
  char path[PATH_MAX];
  char why[512];
  bool saved;
};

/* Writes all that is in the rings to the first temporary file. */
static int dump(struct saving *s, struct eventring_cursor *cursor)
{
  struct eventring_record_options options = {
    .size = sizeof options, .message = s->why, .message_size = sizeof s->why
  };
  char *manifest = new_saved_manifest(cursor, NULL, NULL);
  const int error = record_rings(cursor, s->temporary[0], manifest, &options, NULL);
  free(manifest);
  return error;
}

int cut_recording(const char *from, const char *to, int64_t from_ns,
                  int64_t to_ns, char *why, size_t why_size)
{
  const struct eventring_merge_input input = {
    .size = sizeof input, .path = from, .from_ns = from_ns, .to_ns = to_ns
  };
  struct eventring_record_options options = {
    .size = sizeof options, .message = why, .message_size = why_size
  };
  return eventring_recording_merge(to, &input, 1, &options);
}

/* Returns the time of the last event of the recording at [path]. */
static int64_t last_event_ns(const char *path)
{
  struct eventring_cursor *cursor;
  struct event_reader reader;
  const struct eventring_event *event;
  int64_t last_ns = INT64_MIN;
  if (eventring_open(path, NULL, &cursor) < 0) return INT64_MAX;
  read_new_events(&reader, cursor, INT64_MAX);
  while ((event = next_event(&reader)) != NULL)
    if (event->ns > last_ns) last_ns = event->ns;
  eventring_close(cursor);
  return last_ns;
}

bool has_events(const char *path)
{
  struct eventring_cursor *cursor;
  struct event_reader reader;
  if (eventring_open(path, NULL, &cursor) < 0) return true;
  read_new_events(&reader, cursor, INT64_MAX);
  const bool any = next_event(&reader) != NULL;
  eventring_close(cursor);
  return any;
}

/* Writes the last seconds before [end_ns] of the first temporary file to the
   second. */
static int cut_last(struct saving *s, int64_t end_ns)
{
  s->cut_ns = time_after(end_ns, -s->seconds * SECOND_NS);
  return cut_recording(s->temporary[0], s->temporary[1], s->cut_ns, INT64_MAX, s->why,
                       sizeof s->why);
}

/* Writes the range of time of the first temporary file to the second.  A range
   without events is an error. */
static int cut_range(struct saving *s)
{
  s->cut_ns = time_after(s->info.started_ns, s->from_ns);
  const int error =
    cut_recording(s->temporary[0], s->temporary[1], s->cut_ns,
                  time_after(s->info.started_ns, s->to_ns), s->why, sizeof s->why);
  if (error < 0 || has_events(s->temporary[1])) return error;
  snprintf(s->why, sizeof s->why, "the rings have no events of this time");
  return EVENTRING_E_ARGUMENT;
}

static void save(struct saving *s)
{
  struct eventring_cursor *cursor = view_open(s->view, false, s->why,
                                              sizeof s->why);
  if (cursor == NULL) return;
  s->info = target_info(cursor);
  if (s->info.format == EVENTRING_FORMAT_RECORDING) {
    snprintf(s->why, sizeof s->why, "it is a recording already");
    view_close(s->view, cursor);
    return;
  }
  bool runs = eventring_state(cursor) == EVENTRING_STATE_RUNNING
              && s->info.same_boot;
  const int64_t now_ns = monotonic_ns();
  int error = dump(s, cursor);
  if (!view_close(s->view, cursor)) {
    snprintf(s->why, sizeof s->why, VIEW_CUT);
    return;
  }
  s->complete_ns = complete_from(s->view, &s->info);
  if (error == 0 && s->seconds > 0)
    error = cut_last(s, runs ? now_ns : last_event_ns(s->temporary[0]));
  else if (error == 0 && s->to_ns > 0)
    error = cut_range(s);
  else if (error == 0 && rename(s->temporary[0], s->temporary[1]) < 0)
    error = EVENTRING_E_SYSTEM;
  if (error < 0 && s->why[0] == '\0')
    snprintf(s->why, sizeof s->why, "%s", eventring_strerror(error));
  s->saved = error == 0;
}

/* Saves into the store, unless it is full. */
static void save_in_store(struct saving *s)
{
  if (!make_store(s->store, s->why, sizeof s->why)
      || room_in_store(s->store, s->why, sizeof s->why) == 0)
    return;
  for (int i = 0; i < 2; i++) temporary_in_store(s->store, s->temporary[i]);
  save(s);
  if (s->saved)
    s->saved = keep_in_store(s->store, s->temporary[1], &s->info, NULL, NULL,
                             s->path, s->why, sizeof s->why);
  for (int i = 0; i < 2; i++) unlink(s->temporary[i]);
}

/* Sets the range of [s] from the members of [body].  Returns false when they name no
   range. */
static bool take_range(struct saving *s, const json_t *body)
{
  const json_t *from = json_object_get(body, "from_ns"),
    *to = json_object_get(body, "to_ns");
  if (from == NULL && to == NULL) return true;
  s->from_ns = json_is_integer(from) ? json_integer_value(from) : -1;
  s->to_ns = json_is_integer(to) ? json_integer_value(to) : -1;
  return s->from_ns >= 0 && s->from_ns < s->to_ns && s->seconds == 0;
}

/* Writes the action of [s], for the list of actions, to [text]. */
static void name_saving(const struct saving *s, char text[64])
{
  if (s->seconds > 0) snprintf(text, 64, "save %" PRId64 " s", s->seconds);
  else if (s->to_ns > 0)
    snprintf(text, 64, "save from %.3f s to %.3f s", (double) s->from_ns / SECOND_NS,
             (double) s->to_ns / SECOND_NS);
  else snprintf(text, 64, "save all");
}

struct answer save_view(const struct asked *asked)
{
  const json_t *seconds = json_object_get(asked->body, "seconds");
  struct saving s = { .view = asked->view, .store = asked->settings->store,
                      .seconds = json_is_integer(seconds)
                                 ? json_integer_value(seconds) : 0,
                      .cut_ns = INT64_MAX };
  char action[64];
  if (seconds != NULL && (s.seconds < 1 || s.seconds > MAX_SECONDS))
    return refusal(400, "seconds: an integer from 1 to %d", MAX_SECONDS);
  if (!take_range(&s, asked->body))
    return refusal(400, "from_ns and to_ns: two integers from 0 on, the first one"
                        " less, without seconds");
  if (s.store == NULL)
    return refusal(409, "there is no store: set EVENTRING_STORE");
  save_in_store(&s);
  name_saving(&s, action);
  add_action(asked->origin, view_id(asked->view), action, s.saved ? s.path : s.why);
  if (!s.saved) return refusal(409, "%s", s.why);
  return (struct answer) {
    .status = 200, .json = json_pack(
      "{s:o, s:o}", "file", json_text(s.path), "complete_from_ns",
      s.complete_ns > s.cut_ns
        ? json_integer(time_since(s.complete_ns, s.info.started_ns)) : json_null())
  };
}

/* The list */

/* A recording in the store, with the state of its file, so that the file is
   read once. */
struct known {
  struct stat st;
  struct stored stored;
  uint64_t id;
  bool seen;                      /* by the last look into the store */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known GUARDED_BY(lock);
static size_t known_count GUARDED_BY(lock), known_room GUARDED_BY(lock);

static bool is_same_file(const struct known *k, const char *name,
                         const struct stat *st)
{
  return k->st.st_dev == st->st_dev && k->st.st_ino == st->st_ino
         && k->st.st_size == st->st_size
         && k->st.st_mtim.tv_sec == st->st_mtim.tv_sec
         && k->st.st_mtim.tv_nsec == st->st_mtim.tv_nsec
         && strcmp(k->stored.name, name) == 0;
}

REQUIRES(lock)
static void notice(void *state, const char *name, const struct stat *st)
{
  const struct settings *settings = state;
  for (size_t i = 0; i < known_count; i++)
    if (is_same_file(&known[i], name, st)) {
      known[i].seen = true;
      return;
    }
  known = with_room(known, known_count, &known_room, sizeof *known);
  struct known *k = &known[known_count++];
  k->st = *st;
  k->seen = true;
  read_stored(settings->store, name, st, &k->stored);
  k->id = id_of_file(st, 0, k->stored.info.started_ns);
}

static int latest_first(const void *a, const void *b)
{
  const struct known *x = a, *y = b;
  if (x->stored.saved.at_ns != y->stored.saved.at_ns)
    return x->stored.saved.at_ns > y->stored.saved.at_ns ? -1 : 1;
  return strcmp(x->stored.name, y->stored.name);
}

/* Brings [known] up to date; the caller holds the lock. */
REQUIRES(lock)
static void look_into_store(const struct settings *settings)
{
  size_t kept = 0;
  for (size_t i = 0; i < known_count; i++) known[i].seen = false;
  if (settings->store != NULL)
    visit_store(settings->store, notice, (void *) settings);
  for (size_t i = 0; i < known_count; i++)
    if (known[i].seen) known[kept++] = known[i];
  known_count = kept;
  if (kept > 1) qsort(known, kept, sizeof *known, latest_first);
}

json_t *json_saved(const struct settings *settings)
{
  json_t *list = json_array();
  pthread_mutex_lock(&lock);
  look_into_store(settings);
  for (size_t i = 0; i < known_count; i++) {
    json_t *object = json_stored(settings->store, &known[i].stored);
    json_object_set_new(object, "id", json_id(known[i].id));
    json_array_append_new(list, object);
  }
  pthread_mutex_unlock(&lock);
  return json_pack("{s:o}", "saved", list);
}

/* Writes the path of the saved recording with the id [id] to [path].  Returns
   the number of its processes, 0 when there is no such recording. */
static uint32_t find_saved(const struct settings *settings, uint64_t id,
                           char path[PATH_MAX])
{
  uint32_t processes = 0;
  pthread_mutex_lock(&lock);
  look_into_store(settings);
  for (size_t i = 0; i < known_count && processes == 0; i++)
    if (known[i].id == id && known[i].stored.why[0] == '\0') {
      snprintf(path, PATH_MAX, "%s/%s", settings->store, known[i].stored.name);
      processes = known[i].stored.info.processes;
    }
  pthread_mutex_unlock(&lock);
  return processes;
}

struct view *find_any_view(const struct settings *settings, uint64_t id,
                           char *why, size_t why_size)
{
  char path[PATH_MAX];
  struct view *view = find_view(id, why, why_size);
  if (view != NULL) return view;
  uint32_t processes = find_saved(settings, id, path);
  if (processes == 0) return NULL;
  show_file(path, processes);
  return find_view(id, why, why_size);
}
