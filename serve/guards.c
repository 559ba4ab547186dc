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

/* A guard holds the events of the last seconds of its process in memory, as
   `eventring record --trigger` does, and the view of the process shows it each event
   when it reads them.  The guard has the view read each time that it has copied: the
   sampler alone would be too late for a burst, and has no view that was closed.  When
   an event fires a rule, the guard releases the events to a hidden file in the store,
   goes on for the time after, and gives the file its name.  One file is written at a
   time: rules that fire meanwhile are in it.

   A guard ends when its process does or the rules change; the manager then
   begins another one, with the present contents of the rings.  One that failed stays
   for RETRY_NS, so that there is no other one at once. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "actions.h"
#include "guards.h"
#include "live_stats.h"
#include "locks.h"
#include "manifest.h"
#include "memory.h"
#include "record_loop.h"
#include "registry.h"
#include "rules.h"
#include "saved.h"
#include "target.h"
#include "trigger.h"

/* The most memory for the events that a guard holds; a program that is busier
   has less time before the event. */
#define HOLD_BYTES (64 << 20)

/* The least time before now that is held, since 0 means no holding. */
#define LEAST_HOLD_NS (SECOND_NS / 100)

/* The clocks of two cursors of a file differ by less than this. */
#define CLOCKS_NS 1000

#define MANAGER_NS (SECOND_NS / 4)
#define RETRY_NS (10 * SECOND_NS)
#define AGES_NS (60 * SECOND_NS)

struct guard {
  struct view *view;
  const struct settings *settings;
  pthread_t thread;
  atomic_bool stop, done;
  atomic_bool watches;            /* from now on events fire rules */
  uint64_t version;               /* of the rules */
  struct rule rules[RULES];
  int rule_count;
  int64_t began_ns;

  /* Of the thread that reads the view: the rule that an event has fired, until its
     file is written, and before that the event. */
  const struct rule *_Atomic fired;
  struct fired_event event;

  /* Of the thread of the guard. */
  struct eventring_info info;
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder;
  struct record_loop loop;
  bool over;                      /* no event fires any more */
  int64_t before_ns;
  const struct rule *firing;      /* a file is open; NULL: all is held back */
  struct fired_event firing_event;
  int64_t until_ns;
  bool has_file;                  /* a file waits to be kept */
  atomic_bool failed;
  int64_t retry_ns;               /* it failed: when another one may begin */
  char temporary[PATH_MAX], next[PATH_MAX];
  char why[512];
};

/* The thread of a guard */

static int64_t longest_before(const struct guard *g)
{
  int64_t longest = LEAST_HOLD_NS;
  for (int i = 0; i < g->rule_count; i++)
    if (g->rules[i].before_ns > longest) longest = g->rules[i].before_ns;
  return longest;
}

/* Takes an event of the view. */
static void watch_event(void *state, const struct view_data *data,
                        const struct eventring_event *event)
{
  struct guard *g = state;
  if (g->fired != NULL || event->ns < g->began_ns) return;
  const struct summary_numbers *n = summary_numbers(live_summary(data->live));
  const struct happening happening =
    happening_of(data->cursor, n->spans, n->requests, event);
  const struct rule *rule =
    fired_rule(g->rules, g->rule_count, &happening, view_id(g->view));
  if (rule == NULL) return;
  g->event = (struct fired_event) {
    .ns = time_since(event->ns, data->info.started_ns), .took_ns = happening.took_ns,
    .domain = event->domain, .thread = event->thread };
  snprintf(g->event.name, sizeof g->event.name, "%s", happening.name);
  g->fired = rule;
}

/* Opens the file of the process once more, to copy it, and listens to the view.
   Returns false, with the reason in the guard, when that fails. */
static bool open_guard(struct guard *g)
{
  g->before_ns = longest_before(g);
  struct eventring_record_options options = {
    .size = sizeof options, .hold_ns = g->before_ns + NOTICED_NS,
    .message = g->why, .message_size = sizeof g->why, .hold_bytes = HOLD_BYTES
  };
  g->cursor = view_open(g->view, false, g->why, sizeof g->why);
  if (g->cursor == NULL) return false;
  g->info = target_info(g->cursor);
  temporary_in_store(g->settings->store, g->temporary);
  g->began_ns = monotonic_ns();
  if (eventring_record(g->temporary, g->cursor, &options, &g->recorder) < 0)
    return false;
  begin_record_loop(&g->loop, g->recorder, g->cursor);
  view_listen(g->view, watch_event, g);
  return true;
}

static void close_guard(struct guard *g)
{
  view_listen(g->view, NULL, NULL);
  eventring_record_close(g->recorder);
  view_close(g->view, g->cursor);
}

/* Begins to write the file for [rule].  Returns whether that succeeded; the
   reason is in the guard if not. */
static bool fire(struct guard *g, const struct rule *rule)
{
  g->firing = rule;
  g->firing_event = g->event;
  /* Later than the last copy, which may lack the event: so there is another one. */
  g->until_ns = monotonic_ns() + rule->after_ns;
  if (!make_store(g->settings->store, g->why, sizeof g->why)) return false;
  if (eventring_record_release(g->recorder) < 0) return false;
  char *manifest = new_saved_manifest(g->cursor, rule->text, &g->firing_event);
  int error = eventring_record_note(g->recorder, manifest);
  free(manifest);
  return error == 0;
}

/* Has the view read, all when all is copied, and begins a file when an event has fired
   a rule.  Returns false, with the reason in the guard, when the file cannot be
   written. */
static bool watch(struct guard *g)
{
  enum view_news news;
  do
    news = view_read(g->view, VIEW_SLICE_NS);
  while (news == VIEW_MORE && g->loop.complete);
  if (news == VIEW_FAILED) {
    snprintf(g->why, sizeof g->why, "its events cannot be read");
    return false;
  }
  const struct rule *rule = g->fired;
  return rule == NULL || g->firing != NULL || fire(g, rule);
}

/* Returns whether the guard is to end: its process has ended, the server ends, or no
   rule is for the process any more. */
static bool is_ending(const struct guard *g)
{
  return g->loop.complete || g->stop || rules_version() != g->version;
}

/* Returns whether the present file is complete: its time is over, or it has
   nearly as many bytes as all files of the rule may have. */
static bool is_complete(const struct guard *g)
{
  struct eventring_record_totals totals = { .size = sizeof totals };
  const int64_t most = g->firing->limits.bytes;
  eventring_record_totals(g->recorder, &totals);
  return g->loop.now_ns >= g->until_ns || g->loop.complete || g->stop
         || (int64_t) totals.bytes >= most - most / 8;
}

/* Ends the present file, which then waits to be kept. */
static bool end_file(struct guard *g)
{
  temporary_in_store(g->settings->store, g->next);
  int error = g->loop.complete || g->stop
              ? eventring_record_end(g->recorder)
              : eventring_record_next(g->recorder, g->next);
  g->over = g->loop.complete || g->stop;
  g->has_file = error == 0;
  g->fired = NULL;
  return g->has_file;
}

/* Copies and watches until a file waits to be kept or the guard ends.  Returns
   false when it failed, with the reason in the guard. */
static bool guard_process(struct guard *g)
{
  while (record_new(&g->loop) == 0 && watch(g)) {
    if (g->firing != NULL && is_complete(g)) return end_file(g);
    if (g->firing == NULL && is_ending(g)) {
      view_listen(g->view, NULL, NULL);
      /* Else an event has fired a rule just now. */
      g->over = g->fired == NULL;
      if (g->over) return true;
    } else {
      record_sleep(&g->loop);
    }
  }
  return false;
}

static void run_guard(struct guard *g)
{
  if (g->recorder == NULL && !open_guard(g)) {
    g->failed = true;
    return;
  }
  g->watches = true;
  g->failed = !guard_process(g);
  if (view_is_cut(g->view) || target_is_cut(g->cursor))
    snprintf(g->why, sizeof g->why, VIEW_CUT);
  if (g->failed && g->why[0] == '\0')
    snprintf(g->why, sizeof g->why, "cannot record");
}

/* Keeps the file of the firing in the store, without the events before the time
   that its rule wants, and writes its path to [path].  Returns false, with the
   reason in the guard. */
static bool keep_file(struct guard *g, char path[PATH_MAX])
{
  const struct rule *rule = g->firing;
  char shorter[PATH_MAX];
  const char *file = g->temporary;
  temporary_in_store(g->settings->store, shorter);
  if (rule->before_ns < g->before_ns) {
    const int64_t from_ns =
      time_after(time_after(g->info.started_ns, g->firing_event.ns),
                 -rule->before_ns - CLOCKS_NS);
    int error = cut_recording(g->temporary, shorter, from_ns, INT64_MAX, g->why,
                              sizeof g->why);
    if (error < 0) {
      unlink(shorter);
      return false;
    }
    file = shorter;
  }
  bool kept = keep_in_store(g->settings->store, file, &g->info, rule->text,
                            &rule->limits, path, g->why, sizeof g->why);
  unlink(shorter);
  return kept;
}

/* Ends a firing: keeps its file, if it has one, and reports. */
static void end_firing(struct guard *g)
{
  char path[PATH_MAX] = "", action[SAVED_RULE + 32];
  bool saved = g->has_file && keep_file(g, path);
  snprintf(action, sizeof action, "save by rule %s", g->firing->text);
  add_action("rule", view_id(g->view), action, saved ? path : g->why);
  rule_has_fired(g->firing, view_id(g->view), g->info.pid,
                 json_fired_event(&g->firing_event), saved, saved ? path : g->why);
  unlink(g->temporary);
  if (g->has_file) memcpy(g->temporary, g->next, sizeof g->temporary);
  g->firing = NULL;
  g->has_file = false;
  g->why[0] = '\0';
}

static void *guard_thread(void *state)
{
  struct guard *g = state;
  do {
    run_guard(g);
    if (g->firing != NULL) end_firing(g);
    else if (g->failed) add_action("rule", view_id(g->view), "watch", g->why);
  } while (!g->failed && !g->over);
  close_guard(g);
  unlink(g->temporary);
  g->retry_ns = time_after(monotonic_ns(), RETRY_NS);
  g->done = true;
  return NULL;
}

/* The manager */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct guard *guards[GUARDS];      /* the lock: of changes */
static int not_watched;
static atomic_bool stopping;
static pthread_t manager;
static const struct settings *settings;

/* Facts about the process of a view. */
struct candidate { bool runs; char program[256]; };

static void look_at(struct view_data *data, void *state)
{
  struct candidate *c = state;
  c->runs = data->state == EVENTRING_STATE_RUNNING && data->info.same_boot
            && data->info.format != EVENTRING_FORMAT_RECORDING;
  snprintf(c->program, sizeof c->program, "%s", data->info.program);
}

static bool is_guarded(const struct view *view)
{
  for (int i = 0; i < GUARDS; i++)
    if (guards[i] != NULL && view_id(guards[i]->view) == view_id(view))
      return true;
  return false;
}

/* Begins to guard [view] with the [count] rules.  Returns false when there are
   too many guards. */
static bool start_guard(struct view *view, const struct rule *rules, int count,
                        uint64_t version)
{
  int place = 0;
  while (place < GUARDS && guards[place] != NULL) place++;
  if (place == GUARDS) return false;
  struct guard *g = allocate(1, sizeof *g);
  g->view = hold_view(view);
  g->settings = settings;
  g->version = version;
  memcpy(g->rules, rules, (size_t) count * sizeof *rules);
  g->rule_count = count;
  if (pthread_create(&g->thread, NULL, guard_thread, g) != 0) {
    drop_view(g->view);
    free(g);
    return false;
  }
  pthread_mutex_lock(&lock);
  guards[place] = g;
  pthread_mutex_unlock(&lock);
  return true;
}

/* Returns whether [g] has ended, and another one may begin in its place. */
static bool is_finished(const struct guard *g)
{
  return g->done && (!g->failed || g->version != rules_version()
                     || monotonic_ns() >= g->retry_ns);
}

/* Frees the guards that are finished or, if [all] is true, ends all of them. */
static void reap_guards(bool all)
{
  for (int i = 0; i < GUARDS; i++)
    if (all && guards[i] != NULL) guards[i]->stop = true;
  for (int i = 0; i < GUARDS; i++) {
    struct guard *g = guards[i];
    if (g == NULL || !(all || is_finished(g))) continue;
    pthread_join(g->thread, NULL);
    pthread_mutex_lock(&lock);
    guards[i] = NULL;
    pthread_mutex_unlock(&lock);
    drop_view(g->view);
    free(g);
  }
}

/* Guards the processes that rules are for. */
static void guard_views(void)
{
  struct view *views[REGISTRY_VIEWS];
  int count = all_views(views), without = 0;
  for (int i = 0; i < count; i++) {
    struct rule rules[RULES];
    struct candidate c = { .runs = false };
    const uint64_t version = rules_version();
    if (view_look(views[i], look_at, &c) && c.runs && !is_guarded(views[i])) {
      int for_it = rules_for(c.program, false, rules);
      if (for_it > 0) without += !start_guard(views[i], rules, for_it, version);
    }
    drop_view(views[i]);
  }
  pthread_mutex_lock(&lock);
  not_watched = without;
  pthread_mutex_unlock(&lock);
}

/* Removes recordings that are older than their rules want. */
static void remove_old(void)
{
  struct rule rules[RULES];
  int count = rules_for(NULL, false, rules);
  for (int i = 0; i < count; i++)
    limit_store(settings->store, rules[i].text, &rules[i].limits);
}

static void *manage(void *state)
{
  int64_t ages_ns = 0;
  (void) state;
  while (!stopping) {
    const int64_t now = monotonic_ns();
    reap_guards(false);
    if (rules_for(NULL, false, (struct rule[RULES]) { { 0 } }) > 0)
      guard_views();
    if (now - ages_ns >= AGES_NS) {
      ages_ns = now;
      remove_old();
    }
    nanosleep(&(struct timespec) { .tv_nsec = MANAGER_NS }, NULL);
  }
  reap_guards(true);
  return NULL;
}

void start_guards(const struct settings *with)
{
  settings = with;
  if (with->store != NULL && !with->read_only
      && pthread_create(&manager, NULL, manage, NULL) != 0)
    out_of_memory();
}

void stop_guards(void)
{
  stopping = true;
  if (settings->store != NULL && !settings->read_only)
    pthread_join(manager, NULL);
}

void set_watched(json_t *rules)
{
  int watched = 0, failed = 0;
  const uint64_t version = rules_version();
  pthread_mutex_lock(&lock);
  for (int i = 0; i < GUARDS; i++) {
    const struct guard *g = guards[i];
    if (g == NULL || g->version != version) continue;
    watched += g->watches && !g->failed;
    failed += g->failed;
  }
  json_object_set_new(rules, "watched", json_integer(watched));
  json_object_set_new(rules, "not_watched", json_integer(not_watched + failed));
  pthread_mutex_unlock(&lock);
}
