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

/* See fleet_guard.h.

   A round, each second, asks the hub for the list of processes.  Of each process
   with new bytes, the parts that have changed since the round before are got, and
   their events after the last event of the round before are looked at.  So a
   span counts only if it begins in a part that has changed in the last seconds.

   When a rule fires, the time of the event is translated to the clock of each
   other node, by the differences of the clocks that the agents have reported, and
   the time around it is cut out of the recordings: longer by the bounds of these
   differences. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "actions.h"
#include "event_reader.h"
#include "explain.h"
#include "fleet_folders.h"
#include "fleet_guard.h"
#include "hub_client.h"
#include "hub_streams.h"
#include "json.h"
#include "live_stats.h"
#include "memory.h"
#include "rules.h"
#include "saved.h"
#include "target.h"

#define ROUND_NS SECOND_NS
/* A round gets parts that have changed so long before the round before. */
#define OVERLAP_NS (10 * SECOND_NS)
/* The events of a moment are at the hub so long after it. */
#define ARRIVAL_NS SECOND_NS

/* A process of the hub. */
struct watched {
  char *node, *stream;
  int64_t parts, bytes;           /* when it was read last */
  int64_t seen_ns;                /* the time of its last event that was looked
                                     at, by its own clock */
  bool listed;
  bool is_new;                    /* since the first round: all of its events
                                     count */
};

struct guarding {
  const struct settings *settings;
  struct watched *list;
  size_t count, room;
  int64_t before_ns;              /* the hub's time of the round before, 0 in the
                                     first one; */
  int64_t now_ns;                 /* and at the begin of this one */
  uint64_t version;               /* of the rules then */
};

/* An event that has fired a rule. */
struct fired {
  const struct rule *rule;
  const struct hub_stream *stream;
  char event[128];
  int64_t ns, took_ns;            /* by the clock of the process; of the span */
};

static atomic_bool stopping;
static atomic_int watched_count;
static pthread_t thread;
static const struct settings *started;

/* Sleeps for [ns], or until the thread shall stop. */
static void sleep_for(int64_t ns)
{
  for (; ns > 0 && !stopping; ns -= SECOND_NS / 20)
    nanosleep(&(struct timespec) { .tv_nsec = SECOND_NS / 20 }, NULL);
}

/* Recordings */

/* Gets the parts of [stream] that have changed since [since_ns] by the clock of the
   hub, and writes the path of their recording to [path].  Returns its descriptor;
   -1 with the reason. */
static int get_since(const struct hub_url *hub, const struct hub_stream *stream,
                     int64_t since_ns, char path[32], char *why, size_t size)
{
  char address[256];
  unsigned long left_out;
  snprintf(address, sizeof address, "/fleet/recordings/%s/%s?since=%lld",
           stream->node, stream->stream, (long long) since_ns);
  int fd = get_file_from_hub(hub, address, &left_out, why, size);
  snprintf(path, 32, "/proc/self/fd/%d", fd);
  return fd;
}

/* Watching */

static struct watched *find_watched(struct guarding *g,
                                    const struct hub_stream *stream)
{
  for (size_t i = 0; i < g->count; i++)
    if (strcmp(g->list[i].stream, stream->stream) == 0
        && strcmp(g->list[i].node, stream->node) == 0)
      return &g->list[i];
  g->list = with_room(g->list, g->count, &g->room, sizeof *g->list);
  struct watched *w = &g->list[g->count++];
  *w = (struct watched) { .node = strdup(stream->node),
                          .stream = strdup(stream->stream),
                          .seen_ns = INT64_MIN, .is_new = g->before_ns != 0 };
  if (w->node == NULL || w->stream == NULL) out_of_memory();
  return w;
}

/* Forgets the processes that the hub does not list any more. */
static void forget_unlisted(struct guarding *g)
{
  size_t left = 0;
  for (size_t i = 0; i < g->count; i++) {
    struct watched *w = &g->list[i];
    if (w->listed) {
      g->list[left++] = *w;
      continue;
    }
    free(w->node);
    free(w->stream);
  }
  g->count = left;
}

/* Looks at the events of [cursor] after w->seen_ns.  Sets fired->rule to the rule
   that the first of them fires that fires one. */
static void look_at_events(struct watched *w, struct eventring_cursor *cursor,
                           struct rule *rules, int count,
                           struct fired *fired)
{
  struct event_reader reader;
  const struct eventring_event *event;
  struct trigger_watch *watch = new_trigger_watch(cursor);
  const int64_t seen_ns = w->seen_ns;
  read_new_events(&reader, cursor, INT64_MAX);
  while (!stopping && (event = next_event(&reader)) != NULL) {
    struct happening h = trigger_look(watch, event);
    if (event->ns > w->seen_ns) w->seen_ns = event->ns;
    if (event->ns <= seen_ns || fired->rule != NULL) continue;
    /* One folder has all processes: a rule fires for all of them together. */
    fired->rule = fired_rule(rules, count, &h, 0);
    if (fired->rule == NULL) continue;
    snprintf(fired->event, sizeof fired->event, "%s", h.name);
    fired->ns = event->ns;
    fired->took_ns = h.took_ns;
  }
  free_trigger_watch(watch);
}

/* Reads the new events of [stream].  Events before the first round fire no
   rule. */
static void read_stream_of(struct guarding *g, struct watched *w,
                           const struct hub_stream *stream,
                           struct rule *rules, int count,
                           struct fired *fired)
{
  const struct eventring_options options = { .size = sizeof options };
  struct eventring_cursor *cursor;
  char path[32], why[512];
  const bool unread = w->seen_ns == INT64_MIN;
  const int64_t since_ns =
    unread && w->is_new ? 0
    : (g->before_ns != 0 ? g->before_ns : g->now_ns) - OVERLAP_NS;
  if (unread && !w->is_new) count = 0;
  int fd = get_since(g->settings->hub, stream, since_ns, path, why, sizeof why);
  if (fd < 0) return;
  if (eventring_open(path, &options, &cursor) == 0) {
    look_at_events(w, cursor, rules, count, fired);
    eventring_close(cursor);
    w->parts = stream->parts;
    w->bytes = stream->bytes;
  }
  close(fd);
}

/* Saving */

/* The clock of a node: the hub's CLOCK_MONOTONIC less its own. */
struct node_clock { bool known; int64_t offset_ns, bound_ns; };

static struct node_clock clock_of(const json_t *nodes, const char *node)
{
  const json_t *list = json_object_get(nodes, "nodes");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *one = json_array_get(list, i);
    const char *name = json_string_value(json_object_get(one, "node"));
    const json_t *clock = json_object_get(one, "clock"),
      *offset = json_object_get(clock, "offset_ns"),
      *bound = json_object_get(clock, "bound_ns");
    if (name != NULL && strcmp(name, node) == 0 && json_is_integer(offset)
        && json_is_integer(bound))
      return (struct node_clock) { true, json_integer_value(offset),
                                   json_integer_value(bound) };
  }
  return (struct node_clock) { .known = false };
}

/* The window of a process around the event that has fired. */
struct around { bool known; int64_t from_ns, to_ns, bound_ns; };

static struct around around_event(const struct fired *fired,
                                  const json_t *nodes, const char *node)
{
  const struct node_clock here = clock_of(nodes, fired->stream->node),
    there = clock_of(nodes, node);
  const bool same = strcmp(node, fired->stream->node) == 0;
  struct around around = { .known = same || (here.known && there.known) };
  int64_t ns = fired->ns;
  if (!same && around.known) {
    ns = time_after(ns, time_since(here.offset_ns, there.offset_ns));
    around.bound_ns = time_after(here.bound_ns, there.bound_ns);
  }
  around.from_ns = time_after(time_after(ns, -fired->rule->before_ns),
                              -around.bound_ns);
  /* The end is left out, and the event is not. */
  around.to_ns = time_after(time_after(time_after(ns, fired->rule->after_ns),
                                       around.bound_ns), 1);
  return around;
}

/* A folder of recordings that is being made. */
struct saving {
  const struct hub_url *hub;
  const struct fired *fired;
  const json_t *nodes;
  int64_t since_ns;               /* parts that have changed since then, by the
                                     clock of the hub */
  int64_t bytes;
  char path[PATH_MAX];
  json_t *recordings, *failed;
};

/* Writes the recording of [stream] to [file] in the folder.  Returns false with the
   reason. */
static bool save_stream(struct saving *s, const struct hub_stream *stream,
                        const char *file, const struct around *around,
                        char *why, size_t size)
{
  char from[32], to[PATH_MAX];
  struct stat st;
  if (s->bytes >= s->fired->rule->limits.bytes)
    return explain(why, size, "the rule may have no more bytes");
  if (snprintf(to, sizeof to, "%s/%s", s->path, file) >= (int) sizeof to)
    return explain(why, size, "the path is too long");
  int fd = get_since(s->hub, stream, s->since_ns, from, why, size);
  if (fd < 0) return false;
  why[0] = '\0';
  int error = cut_recording(from, to, around->known ? around->from_ns : 0,
                            around->known ? around->to_ns : 0, why, size);
  close(fd);
  if (error == 0 && stat(to, &st) == 0) {
    s->bytes += st.st_size;
    return true;
  }
  unlink(to);
  return why[0] != '\0' ? false
         : explain(why, size, "%s", eventring_strerror(error));
}

/* Adds the recording of [stream] to the folder, and to the manifest. */
static void add_stream(struct saving *s, const struct hub_stream *stream)
{
  const struct around around = around_event(s->fired, s->nodes, stream->node);
  char file[256], why[512];
  snprintf(file, sizeof file, "%s.%s.evr", stream->node, stream->stream);
  if (!save_stream(s, stream, file, &around, why, sizeof why)) {
    json_array_append_new(s->failed, json_pack(
      "{s:s, s:s, s:o}", "node", stream->node, "stream", stream->stream,
      "error", json_text(why)));
    return;
  }
  json_t *recording = json_pack(
    "{s:s, s:s, s:s, s:I, s:o}", "file", file, "node", stream->node, "stream",
    stream->stream, "pid", (json_int_t) stream->pid, "program",
    json_text(stream->program));
  if (around.known)
    json_object_update_new(recording, json_pack(
      "{s:I, s:I, s:I}", "from_ns", (json_int_t) around.from_ns, "to_ns",
      (json_int_t) around.to_ns, "bound_ns", (json_int_t) around.bound_ns));
  json_array_append_new(s->recordings, recording);
}

static json_t *json_fired(const struct fired *f)
{
  return json_pack(
    "{s:s, s:s, s:I, s:o, s:o, s:I, s:o}", "node", f->stream->node,
    "stream", f->stream->stream, "pid", (json_int_t) f->stream->pid,
    "program", json_text(f->stream->program), "event", json_text(f->event),
    "ns", (json_int_t) f->ns,
    "took_ns", f->took_ns >= 0 ? json_integer(f->took_ns) : json_null());
}

static json_t *manifest_of(const struct saving *s)
{
  const struct fired *f = s->fired;
  return json_pack(
    "{s:s, s:f, s:f, s:I, s:o, s:O, s:O}",
    "rule", f->rule->text, "before_s", (double) f->rule->before_ns / SECOND_NS,
    "after_s", (double) f->rule->after_ns / SECOND_NS, "saved_unix_ns",
    (json_int_t) realtime_ns(), "fired", json_fired(f),
    "recordings", s->recordings, "failed", s->failed);
}

/* Saves all processes of the hub around the event. */
static void save_all(const struct guarding *g, const struct fired *fired)
{
  const struct rule *rule = fired->rule;
  const char *store = g->settings->store;
  struct saving s = {
    .hub = g->settings->hub, .fired = fired, .recordings = json_array(),
    .failed = json_array(),
    .since_ns = g->now_ns - rule->before_ns - OVERLAP_NS };
  struct hub_streams streams = { .answer = NULL };
  char why[512] = "the server ends", action[SAVED_RULE + 32];
  bool saved = false;
  sleep_for(rule->after_ns + ARRIVAL_NS);
  json_t *nodes = stopping ? NULL : get_from_hub(s.hub, "/fleet/nodes", why,
                                                 sizeof why);
  s.nodes = nodes;
  if (nodes != NULL
      && get_hub_streams(s.hub, NULL, 0, &streams, why, sizeof why)
      && make_store(store, why, sizeof why)
      && make_fleet_folder(store, s.path, why, sizeof why)) {
    for (size_t i = 0; i < streams.count && !stopping; i++)
      if (streams.list[i].last_data_ns >= s.since_ns)
        add_stream(&s, &streams.list[i]);
    json_t *manifest = manifest_of(&s);
    if (stopping) remove_fleet_folder(s.path);
    else saved = keep_fleet_folder(store, s.path, manifest, rule->text,
                                   &rule->limits, why, sizeof why);
    json_decref(manifest);
  }
  free_hub_streams(&streams);
  json_decref(nodes);
  json_decref(s.recordings);
  json_decref(s.failed);
  snprintf(action, sizeof action, "save by rule %s", rule->text);
  add_action("rule", 0, action, saved ? s.path : why);
  rule_has_fired(rule, 0, 0, json_fired(fired), saved, saved ? s.path : why);
}

/* Rounds */

/* Reads the processes with new bytes, and saves when one of them fires a rule. */
static void watch_streams(struct guarding *g, const struct hub_streams *streams)
{
  int watched = 0;
  for (size_t i = 0; i < g->count; i++) g->list[i].listed = false;
  for (size_t i = 0; i < streams->count && !stopping; i++) {
    const struct hub_stream *stream = &streams->list[i];
    struct rule rules[RULES];
    struct fired fired = { .stream = stream };
    int count = rules_for(stream->program, true, rules);
    if (count == 0 || stream->bytes <= 0) continue;
    struct watched *w = find_watched(g, stream);
    w->listed = true;
    watched++;
    if (w->bytes == stream->bytes && w->parts == stream->parts) continue;
    read_stream_of(g, w, stream, rules, count, &fired);
    if (fired.rule != NULL) save_all(g, &fired);
  }
  forget_unlisted(g);
  watched_count = watched;
}

static void guard_round(struct guarding *g)
{
  struct hub_streams streams;
  char why[512];
  if (rules_version() != g->version) {
    g->version = rules_version();
    g->before_ns = 0;
    for (size_t i = 0; i < g->count; i++) g->list[i].listed = false;
    forget_unlisted(g);
  }
  if (!get_hub_streams(g->settings->hub, NULL, 0, &streams, why, sizeof why))
    return;
  g->now_ns =
    json_integer_value(json_object_get(streams.answer, "realtime_ns"));
  watch_streams(g, &streams);
  free_hub_streams(&streams);
  g->before_ns = g->now_ns;
}

/* Removes folders that are older than their rules want. */
static void remove_old(const struct settings *settings)
{
  struct rule rules[RULES];
  int count = rules_for(NULL, true, rules);
  for (int i = 0; i < count; i++)
    limit_fleet_folders(settings->store, rules[i].text, &rules[i].limits);
}

static void *guard_fleet(void *state)
{
  struct guarding g = { .settings = state };
  struct rule rules[RULES];
  unsigned round = 0;
  while (!stopping) {
    const int64_t began_ns = monotonic_ns();
    if (rules_for(NULL, true, rules) > 0) guard_round(&g);
    else watched_count = 0;
    if (++round % 60 == 0) remove_old(g.settings);
    sleep_for(ROUND_NS - (monotonic_ns() - began_ns));
  }
  for (size_t i = 0; i < g.count; i++) g.list[i].listed = false;
  forget_unlisted(&g);
  free(g.list);
  return NULL;
}

void start_fleet_guard(const struct settings *settings)
{
  if (settings->hub == NULL || settings->store == NULL || settings->read_only)
    return;
  started = settings;
  if (pthread_create(&thread, NULL, guard_fleet, (void *) settings) != 0)
    out_of_memory();
}

void stop_fleet_guard(void)
{
  stopping = true;
  if (started != NULL) pthread_join(thread, NULL);
}

void set_nodes_watched(json_t *rules)
{
  json_object_set_new(rules, "nodes_watched", json_integer(watched_count));
}
