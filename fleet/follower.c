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

/* See follower.h. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "explain.h"
#include "follower.h"
#include "memory.h"
#include "record_loop.h"
#include "search.h"
#include "stream_facts.h"
#include "target.h"
#include "tombstones.h"

/* How long a new file may be no ring file yet, while its process makes it. */
#define GROWING_NS INT64_C(1000000000)

/* The time between two looks whether an idle process lives and its part is full. */
#define LOOK_IDLE_NS (5 * RECORD_LOOK_NS)

/* How long to wait after the spool could not be written. */
#define RETRY_NS INT64_C(1000000000)

/* The longest sleep, of all processes, and of one that has been idle. */
#define SLEEP_NS INT64_C(2000000)
#define IDLE_NS (5 * SLEEP_NS)
#define IDLE_ROUNDS 100

#define BUCKETS 1024

enum stage {
  NEW,                            /* not a ring file yet */
  LIVE,                           /* being recorded */
  DONE                            /* not to be opened again */
};

struct followed {
  struct followed *next;          /* in its bucket */
  enum stage stage;
  dev_t device;
  ino_t inode;
  struct statx_timestamp born;    /* 0 when the system does not know it */
  char *path;
  int32_t pid;                    /* 0: only the file was seen */
  int64_t since_ns;

  /* When LIVE */
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder; /* NULL: cannot be written now */
  struct spool_stream *stream;    /* also when DONE; or NULL */
  char name[STREAM_NAME_SIZE];    /* of the stream */
  char why[512];
  struct record_loop loop;
  int64_t due_ns, part_ns;
  uint64_t part_first;            /* bytes before the first event of the part */
  uint64_t part_bytes;
  uint64_t events;                /* that its recorder has copied... */
  uint64_t earlier;               /* ...in parts before the present one */
  uint64_t written;               /* events of the process */
  uint64_t lost, before;          /* of its recorder */
  uint64_t seen;                  /* written up to the recorder before, of this
                                     agent; 0: none */
  unsigned idle;                  /* rounds without words */
};

struct follower {
  struct follower_options options;
  struct search *search;
  struct tombstones *tombstones;
  int64_t searched_ns;            /* when a search of the whole machine had
                                     ended of which not all is held; 0: never */
  int64_t held_ns;                /* when all of such a search was held last */
  struct followed *buckets[BUCKETS];
  unsigned bucket;                /* to be tidied next */
  struct followed **live, **fresh; /* those LIVE and those NEW */
  size_t live_count, live_room, fresh_count, fresh_room;
  int64_t wrote_ns;               /* when a failed write was last told */
  int64_t due_ns;
  struct follower_totals done;    /* of sessions that have ended */
};

struct follower *begin_following(const struct follower_options *options,
                                 char *why, size_t size)
{
  struct follower *f = allocate(1, sizeof *f);
  f->options = *options;
  f->search = begin_search(options->dir, options->empty, why, size);
  if (f->search == NULL) {
    free(f);
    return NULL;
  }
  f->tombstones = begin_tombstones(f->search, options->spool, options->age_ns,
                           options->say);
  return f;
}

/* Lists */

static void add_to(struct followed ***list, size_t *count, size_t *room,
                   struct followed *e)
{
  *list = with_room(*list, *count, room, sizeof **list);
  (*list)[(*count)++] = e;
}

static void take_from(struct followed **list, size_t *count,
                      const struct followed *e)
{
  for (size_t i = 0; i < *count; i++)
    if (list[i] == e) {
      list[i] = list[--*count];
      return;
    }
}

/* Adds the numbers of the recorder, which has ended, to the totals: events that
   the recorder before had copied, too, once, and those between both as lost. */
static void sum_up(struct follower *f, struct followed *e)
{
  uint64_t twice = e->seen > e->before ? e->seen - e->before : 0;
  if (e->events == 0 && e->lost == 0) return;
  f->done.events += e->events > twice ? e->events - twice : 0;
  f->done.lost += e->lost;
  if (e->seen > 0 && e->before > e->seen) f->done.lost += e->before - e->seen;
  e->seen = e->written;
  e->events = e->lost = 0;
}

static void set_stage(struct follower *f, struct followed *e, enum stage stage)
{
  if (e->stage == NEW) take_from(f->fresh, &f->fresh_count, e);
  if (e->stage == LIVE) {
    take_from(f->live, &f->live_count, e);
    f->done.sessions++;
    sum_up(f, e);
  }
  e->stage = stage;
  if (stage == NEW) add_to(&f->fresh, &f->fresh_count, &f->fresh_room, e);
  if (stage == LIVE) add_to(&f->live, &f->live_count, &f->live_room, e);
}

static struct followed **bucket_of(struct follower *f, dev_t device,
                                   ino_t inode)
{
  return &f->buckets[(inode ^ device) % BUCKETS];
}

static struct followed *find_file(struct follower *f, const struct stat *st)
{
  struct followed *e = *bucket_of(f, st->st_dev, st->st_ino);
  while (e != NULL && (e->device != st->st_dev || e->inode != st->st_ino))
    e = e->next;
  return e;
}

static void free_followed(struct follower *f, struct followed *e)
{
  if (e->stage == NEW) take_from(f->fresh, &f->fresh_count, e);
  if (e->stream != NULL) release_stream(f->options.spool, e->stream);
  eventring_close(e->cursor);
  free(e->path);
  free(e);
}

/* Returns whether the file is still at its path.  The path of a process in
   another mount namespace ends with the process, though the file may stay. */
static bool is_there(const struct followed *e)
{
  struct stat st;
  return stat(e->path, &st) == 0 && st.st_dev == e->device
         && st.st_ino == e->inode;
}

/* Forgets the files of one bucket that are not at their path any more. */
static void tidy(struct follower *f)
{
  struct followed **at = &f->buckets[f->bucket++ % BUCKETS], *e;
  while ((e = *at) != NULL) {
    if (e->stage != LIVE && !is_there(e)) {
      *at = e->next;
      free_followed(f, e);
    } else {
      at = &e->next;
    }
  }
}

/* Recording */

/* Tells that the spool cannot be written, at most once in a minute, and lets
   the recorder wait. */
static void wait_for_disk(struct follower *f, struct followed *e,
                          const char *why)
{
  int64_t now = monotonic_ns();
  e->recorder = NULL;
  e->due_ns = now + RETRY_NS;
  if (f->wrote_ns != 0 && now - f->wrote_ns < 60 * INT64_C(1000000000)) return;
  f->wrote_ns = now;
  say_line(f->options.say, "cannot record process %" PRId32 ", and tries again: "
           "%s", e->pid, why);
}

/* Takes the numbers of the recorder. */
static void take_totals(struct followed *e)
{
  struct eventring_record_totals t = { .size = sizeof t };
  eventring_record_totals(e->recorder, &t);
  e->part_bytes = t.bytes;
  e->events = t.events;
  e->lost = t.lost;
  e->before = t.before;
  e->written = t.before + t.events + t.lost;
}

/* Tells the spool the size of the present part and its events. */
static void part_grew(struct follower *f, struct followed *e)
{
  part_has(f->options.spool, e->stream, e->part_bytes, e->events - e->earlier);
}

/* Tells the spool the size of the present part and the numbers of events. */
static void tell_spool(struct follower *f, struct followed *e,
                       const char *state)
{
  uint64_t before = e->part_bytes;
  take_totals(e);
  part_grew(f, e);
  if (e->part_bytes != before) f->options.grown(f->options.state);
  set_stream(f->options.spool, e->stream, state, e->written);
}

/* Sets the numbers for the part that has just begun. */
static void part_began(struct follower *f, struct followed *e)
{
  begin_part(f->options.spool, e->stream);
  take_totals(e);
  part_grew(f, e);
  e->part_first = e->part_bytes;
  e->part_ns = monotonic_ns();
}

/* Begins a recorder for the file, in the next part of its stream.  When the
   part cannot be written, the recorder is begun later. */
static void begin_recorder(struct follower *f, struct followed *e)
{
  struct eventring_record_options options = {
    .size = sizeof options, .flush_ns = f->options.flush_ns,
    .replace = 1, .message = e->why, .message_size = sizeof e->why
  };
  e->why[0] = '\0';
  e->recorder = NULL;
  char *path = reserve_part(f->options.spool, e->stream, e->why,
                            sizeof e->why);
  int error = path == NULL ? EVENTRING_E_SYSTEM
              : eventring_record(path, e->cursor, &options, &e->recorder);
  if (error < 0 && path != NULL) unlink(path);
  free(path);
  if (error < 0) {
    wait_for_disk(f, e, e->why[0] != '\0' ? e->why : eventring_strerror(error));
    return;
  }
  char *manifest = f->options.manifest(e->cursor);
  eventring_record_note(e->recorder, manifest);
  free(manifest);
  eventring_record_node(e->recorder, f->options.node);
  e->earlier = 0;
  part_began(f, e);
  e->idle = 0;
  begin_record_loop(&e->loop, e->recorder, e->cursor);
  e->due_ns = e->loop.now_ns;
}

/* Ends the recorder after [error]: of the disk, which is tried again, or of the
   file, which is done. */
static void failed(struct follower *f, struct followed *e, int error)
{
  char why[sizeof e->why];
  snprintf(why, sizeof why, "%s", e->why[0] != '\0' ? e->why
                                  : eventring_strerror(error));
  eventring_record_close(e->recorder);
  end_part(f->options.spool, e->stream);
  sum_up(f, e);
  if (error == EVENTRING_E_SYSTEM || error == EVENTRING_E_MEMORY) {
    wait_for_disk(f, e, why);
    return;
  }
  e->recorder = NULL;
  say_line(f->options.say, "process %" PRId32 " is not followed any more: %s",
           e->pid, why);
  set_stream(f->options.spool, e->stream, "unknown", e->written);
  eventring_close(e->cursor);
  e->cursor = NULL;
  set_stage(f, e, DONE);
}

static const char *state_word(int state)
{
  return state == EVENTRING_STATE_ENDED ? "ended"
         : state == EVENTRING_STATE_REPLACED ? "replaced"
         : state == EVENTRING_STATE_KILLED ? "killed" : "unknown";
}

/* Ends the recording of a session that has ended. */
static void end_session(struct follower *f, struct followed *e)
{
  const char *state = state_word(eventring_state(e->cursor));
  int error = eventring_record_end(e->recorder);
  if (error < 0) {
    failed(f, e, error);
    return;
  }
  tell_spool(f, e, state);
  eventring_record_close(e->recorder);
  e->recorder = NULL;
  eventring_close(e->cursor);
  e->cursor = NULL;
  set_stage(f, e, DONE);
  f->options.grown(f->options.state);
  /* The next session of the process, if it has one, is there at once. */
  search_now(f->search);
}

/* Begins another part if the present one is large enough, or waits for the hub
   for so long that it should be possible to drop it alone. */
static void rotate(struct follower *f, struct followed *e, int64_t now)
{
  bool large = e->part_bytes >= part_limit(f->options.spool),
    waits = now - e->part_ns >= f->options.part_ns
            && e->part_bytes > e->part_first
            && part_confirmed(f->options.spool, e->stream) < e->part_bytes / 2;
  if (!large && !waits) return;
  char *path = reserve_part(f->options.spool, e->stream, e->why,
                            sizeof e->why);
  /* The recorder copies events while it begins a file. */
  e->earlier = e->events;
  int error = path == NULL ? EVENTRING_E_SYSTEM
                           : eventring_record_next(e->recorder, path);
  if (error < 0 && path != NULL) unlink(path);
  free(path);
  if (error < 0) {
    failed(f, e, error);
    return;
  }
  part_began(f, e);
  f->options.grown(f->options.state);
}

/* Copies the new events of one process. */
static void step(struct follower *f, struct followed *e)
{
  if (e->recorder == NULL) {
    begin_recorder(f, e);
    if (e->recorder == NULL) return;
  }
  struct record_loop *loop = &e->loop;
  int error = record_new(loop);
  if (error < 0) {
    failed(f, e, error);
    return;
  }
  e->idle = loop->words == 0 ? e->idle + 1 : 0;
  const bool is_idle = e->idle > IDLE_ROUNDS;
  e->due_ns = loop->now_ns + (is_idle ? IDLE_NS : record_sleep_ns(loop));
  loop->look_ns = is_idle ? LOOK_IDLE_NS : RECORD_LOOK_NS;
  if (loop->looked_ns != loop->now_ns) return;
  if (loop->ended) {
    end_session(f, e);
    return;
  }
  tell_spool(f, e, "running");
  rotate(f, e, loop->now_ns);
}

/* New files */

/* Returns [error], the result of opening a file for [e], if this is the file of
   [e]; else closes it and returns an error: another session has taken its
   path, and the search finds that file. */
static int of_file(struct followed *e, int error)
{
  struct stat st;
  if (error < 0 || (stat(eventring_path(e->cursor), &st) == 0
                    && st.st_dev == e->device && st.st_ino == e->inode))
    return error;
  eventring_close(e->cursor);
  e->cursor = NULL;
  return EVENTRING_E_NOT_FOUND;
}

/* Opens the ring file of [e].  Returns 0, or the error with its message in
   [e->why]. */
static int open_file(struct followed *e)
{
  struct eventring_options options = { .size = sizeof options,
                                       .message = e->why,
                                       .message_size = sizeof e->why };
  int error = EVENTRING_E_NOT_FOUND;
  if (e->pid > 0)
    error = of_file(e, eventring_open_pid(e->pid, NULL, &options, &e->cursor));
  if (error < 0)
    error = of_file(e, eventring_open(e->path, &options, &e->cursor));
  return error;
}

/* Forgets the file, so that a search may find it at another path. */
static void forget_file(struct follower *f, struct followed *e)
{
  struct followed **at = bucket_of(f, e->device, e->inode);
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  free_followed(f, e);
}

/* Tells why the file cannot be followed, unless it is not ours to read, is not
   there any more or may be whole in a moment. */
static void cannot_open(struct follower *f, struct followed *e, int error)
{
  if (!is_there(e)) {
    forget_file(f, e);
    return;
  }
  if (error != EVENTRING_E_PERMISSION && error != EVENTRING_E_NOT_FOUND) {
    if (monotonic_ns() - e->since_ns < GROWING_NS) return;
    say_line(f->options.say, "%s is not followed: %s", e->path,
             e->why[0] != '\0' ? e->why : eventring_strerror(error));
  }
  set_stage(f, e, DONE);
}

/* Opens a new file and begins to record it, if its stream has not ended. */
static void take_file(struct follower *f, struct followed *e)
{
  struct spool_facts facts;
  e->why[0] = '\0';
  int error = open_file(e);
  if (error < 0) {
    cannot_open(f, e, error);
    return;
  }
  struct eventring_info info = target_info(e->cursor);
  e->pid = info.pid;
  if (e->stream != NULL) release_stream(f->options.spool, e->stream);
  e->stream = NULL;
  if (info.format == EVENTRING_FORMAT_RING
      && facts_of_cursor(e->cursor, &facts)) {
    e->stream = hold_stream(f->options.spool, &facts, e->why, sizeof e->why);
    if (e->stream == NULL) {
      wait_for_disk(f, e, e->why);
      eventring_close(e->cursor);
      e->cursor = NULL;
      return;
    }
  }
  if (e->stream == NULL || stream_has_ended(f->options.spool, e->stream)) {
    eventring_close(e->cursor);
    e->cursor = NULL;
    set_stage(f, e, DONE);
    return;
  }
  strcpy(e->name, facts.name);
  set_stage(f, e, LIVE);
  e->written = e->seen = e->events = e->lost = 0;
  search_folder_of(f->search, e->path);
  begin_recorder(f, e);
}

/* Returns when the file at [path] was made; 0 when that is not known. */
static struct statx_timestamp birth(const char *path)
{
  struct statx st;
  return statx(AT_FDCWD, path, 0, STATX_BTIME, &st) == 0
         && (st.stx_mask & STATX_BTIME) != 0
         ? st.stx_btime : (struct statx_timestamp) { 0 };
}

/* Takes a file that the search has found. */
static void see(struct follower *f, const struct eventring_process *p)
{
  struct stat st;
  if (stat(p->path, &st) < 0 || !S_ISREG(st.st_mode)) return;
  struct followed *e = find_file(f, &st);
  if (e != NULL && e->stage != DONE) return;
  struct statx_timestamp born = birth(p->path);
  if (e == NULL) {
    struct followed **bucket = bucket_of(f, st.st_dev, st.st_ino);
    e = allocate(1, sizeof *e);
    e->device = st.st_dev;
    e->inode = st.st_ino;
    e->next = *bucket;
    *bucket = e;
  } else if (e->born.tv_sec == born.tv_sec
             && e->born.tv_nsec == born.tv_nsec) {
    return;
  }
  /* A new file, or another one with the number of a file that is gone. */
  free(e->path);
  e->path = allocate(strlen(p->path) + 1, 1);
  strcpy(e->path, p->path);
  e->born = born;
  e->pid = p->alive && !p->elsewhere ? p->pid : 0;
  e->since_ns = monotonic_ns();
  e->stage = NEW;
  add_to(&f->fresh, &f->fresh_count, &f->fresh_room, e);
}

static void take_search(struct follower *f)
{
  size_t count;
  int64_t began_ns;
  struct eventring_process *found = take_found(f->search, &count, &began_ns);
  for (size_t i = 0; i < count; i++) see(f, &found[i]);
  free(found);
  if (began_ns > f->held_ns && f->searched_ns == 0)
    f->searched_ns = monotonic_ns();
}

/* Tells the spool when all files that a search has found are held, but for files
   that have vanished from their paths.  A search counts only if it began after
   the files of the search before were held.  So no file can vanish from two
   searches that count: its process ran when the second began, and the first had
   held the file. */
static void tell_held(struct follower *f)
{
  bool taken = take_tombstones(f->tombstones);
  if (f->searched_ns == 0 || !taken) return;
  for (size_t i = 0; i < f->fresh_count; i++)
    if (f->fresh[i]->since_ns <= f->searched_ns) return;
  f->searched_ns = 0;
  f->held_ns = monotonic_ns();
  set_all_held(f->options.spool, true);
}

/* A pass over all processes */

/* Takes the new files and steps the processes that are due. */
static void pass(struct follower *f)
{
  int64_t now = monotonic_ns();
  f->due_ns = now + (f->fresh_count > 0 ? SLEEP_NS : IDLE_NS);
  for (size_t i = f->fresh_count; i-- > 0;) {
    struct followed *e = f->fresh[i];
    if (e->due_ns <= now) take_file(f, e);
  }
  for (size_t i = f->live_count; i-- > 0;) {
    struct followed *e = f->live[i];
    if (e->due_ns <= monotonic_ns()) step(f, e);
    if (e->stage == LIVE && e->due_ns < f->due_ns) f->due_ns = e->due_ns;
  }
}

int64_t follow_once(struct follower *f)
{
  take_search(f);
  pass(f);
  tell_held(f);
  tidy(f);
  int64_t left = f->due_ns - monotonic_ns();
  return left < 0 ? 0 : left;
}

size_t find_followed(const struct follower *f, const char *name,
                     struct followed_process *process)
{
  size_t found = 0;
  for (size_t i = 0; i < f->live_count; i++) {
    const struct followed *e = f->live[i];
    char pid[16];
    snprintf(pid, sizeof pid, "%" PRId32, e->pid);
    if (strcmp(name, pid) != 0 && strcmp(name, e->name) != 0) continue;
    found++;
    *process = (struct followed_process) {
      .device = e->device, .inode = e->inode, .pid = e->pid };
    snprintf(process->path, sizeof process->path, "%s",
             eventring_path(e->cursor));
  }
  return found;
}

/* Ends the recordings of all processes. */
static void end_all(struct follower *f)
{
  while (f->live_count > 0) {
    struct followed *e = f->live[f->live_count - 1];
    if (e->recorder != NULL) {
      if (eventring_state(e->cursor) != EVENTRING_STATE_RUNNING) {
        end_session(f, e);
        continue;
      }
      eventring_record_end(e->recorder);
      tell_spool(f, e, "running");
      eventring_record_close(e->recorder);
      end_part(f->options.spool, e->stream);
    }
    eventring_close(e->cursor);
    e->cursor = NULL;
    set_stage(f, e, DONE);
  }
}

void end_following(struct follower *f, struct follower_totals *totals)
{
  set_all_held(f->options.spool, false);
  end_all(f);
  free_tombstones(f->tombstones);
  end_search(f->search);
  for (size_t i = 0; i < BUCKETS; i++)
    for (struct followed *e = f->buckets[i], *next; e != NULL; e = next) {
      next = e->next;
      free_followed(f, e);
    }
  *totals = f->done;
  free(f->live);
  free(f->fresh);
  free(f);
}
