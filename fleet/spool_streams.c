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


/* See spool.h.  The list of streams and their parts is in memory; the folder is
   only read when the spool is opened. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eventring_reader.h"
#include "explain.h"
#include "memory.h"
#include "spool_internal.h"
#include "target.h"

#define PART_BYTES ((uint64_t) 4 << 20)
#define SMALLEST_PART ((uint64_t) 64 << 10)

/* Searches after the end of a stream, or after the start of the agent, until the
   tombstone and the file of the stream must have been seen: the first search may
   have begun before the end, or lose a file because its process ends. */
#define SEARCHES 2

/* The mutex */

void lock_spool(struct spool *s)
{
  pthread_mutex_lock(&s->mutex);
}

void unlock_spool(struct spool *s)
{
  struct message *list = s->messages, *next;
  s->messages = NULL;
  s->messages_end = &s->messages;
  pthread_mutex_unlock(&s->mutex);
  for (; list != NULL; list = next) {
    next = list->next;
    s->say(list->text);
    free(list->text);
    free(list);
  }
}

void tell_later(struct spool *s, const char *format, ...)
{
  struct message *m = allocate(1, sizeof *m);
  va_list args;
  va_start(args, format);
  if (vasprintf(&m->text, format, args) < 0) out_of_memory();
  va_end(args);
  *s->messages_end = m;
  s->messages_end = &m->next;
}

/* Parts */

struct part *add_part(struct spool_stream *t, uint32_t number)
{
  t->parts = with_room(t->parts, t->count, &t->room, sizeof *t->parts);
  t->parts[t->count] = (struct part) { .number = number };
  return &t->parts[t->count++];
}

void remove_part(struct spool *s, struct spool_stream *t, size_t i)
{
  char *path = part_path(s, t, t->parts[i].number);
  unlink(path);
  free(path);
  s->bytes -= t->parts[i].size;
  t->count--;
  memmove(&t->parts[i], &t->parts[i + 1], (t->count - i) * sizeof *t->parts);
}

/* Returns the part that is being written, or NULL. */
static struct part *present_part(const struct spool_stream *t)
{
  return t->count > 0 && !t->parts[t->count - 1].ended
         ? &t->parts[t->count - 1] : NULL;
}

void set_part_size(struct spool *s, struct part *p, uint64_t size)
{
  s->bytes += size - p->size;
  p->size = size;
}

static void end_present(struct spool *s, struct spool_stream *t)
{
  struct part *p = present_part(t);
  int64_t changed, size;
  if (p == NULL) return;
  size = file_size(s, t, p->number, &changed);
  p->ended = true;
  p->ended_ns = realtime_ns();
  make_ready(s, t);
  if (size >= 0) set_part_size(s, p, (uint64_t) size);
  else if (!p->busy && errno == ENOENT) remove_part(s, t, t->count - 1);
}

/* Opening */

static int by_number(const void *a, const void *b)
{
  const struct part *p = a, *q = b;
  return (p->number > q->number) - (p->number < q->number);
}

/* Removes the last part of the stream if its agent was killed before it had
   written the beginning, without which the part has no events. */
static void remove_unbegun(struct spool *s, struct spool_stream *t)
{
  struct eventring_cursor *cursor;
  if (t->count == 0) return;
  char *path = part_path(s, t, t->parts[t->count - 1].number);
  int error = eventring_open(path, NULL, &cursor);
  free(path);
  if (error == 0) eventring_close(cursor);
  if (error == EVENTRING_E_NOT_A_RING || error == EVENTRING_E_TRUNCATED
      || error == EVENTRING_E_HEADER || error == EVENTRING_E_DAMAGED)
    remove_part(s, t, t->count - 1);
}

/* Adds a stream with this name to the spool, with the parts and the state that
   its folder has. */
static struct spool_stream *take_stream(struct spool *s, const char *name)
{
  struct spool_stream *t = allocate(1, sizeof *t);
  char *path = text_of("%s/%s", s->dir, name);
  DIR *d = opendir(path);
  struct dirent *entry;
  free(path);
  snprintf(t->facts.name, sizeof t->facts.name, "%s", name);
  strcpy(t->state, "unknown");
  t->next_part = 1;
  read_state(s, t);
  while (d != NULL && (entry = readdir(d)) != NULL) {
    uint32_t number = part_number(entry->d_name);
    int64_t changed, size;
    if (number == 0) continue;
    size = file_size(s, t, number, &changed);
    if (size < 0) continue;
    struct part *p = add_part(t, number);
    p->ended = p->left = true;
    p->ended_ns = changed;
    set_part_size(s, p, (uint64_t) size);
    if (number >= t->next_part) t->next_part = number + 1;
  }
  if (d != NULL) closedir(d);
  if (t->count > 0) qsort(t->parts, t->count, sizeof *t->parts, by_number);
  /* Their agent was killed before it had removed them. */
  while (t->count > 0 && t->parts[0].number <= t->counted) remove_part(s, t, 0);
  remove_unbegun(s, t);
  /* The earlier agent may have sent the first one without an answer. */
  if (t->count > 0) t->parts[0].tried = t->parts[0].size;
  make_ready(s, t);
  t->next = s->streams;
  s->streams = t;
  s->stream_count++;
  return t;
}

static bool take_streams(struct spool *s, char *why, size_t size)
{
  DIR *d = opendir(s->dir);
  struct dirent *entry;
  if (d == NULL)
    return explain(why, size, "cannot read %s: %s", s->dir, strerror(errno));
  while ((entry = readdir(d)) != NULL) {
    struct stat st;
    if (is_stream_name(entry->d_name)
        && fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(st.st_mode))
      take_stream(s, entry->d_name);
  }
  closedir(d);
  return true;
}

/* Takes the lock of the spool.  Returns false, with the reason, when an agent
   has it. */
static bool take_lock(struct spool *s, char *why, size_t size)
{
  char *path = text_of("%s/lock", s->dir);
  s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool taken = s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0;
  if (!taken)
    explain(why, size, errno == EWOULDBLOCK
            ? "another agent uses %s; give each its own --state%s"
            : "cannot lock %s: %s", s->dir,
            errno == EWOULDBLOCK ? "" : strerror(errno));
  free(path);
  return taken;
}

struct spool *open_spool(const char *dir, const struct spool_limits *limits,
                         void (*say)(const char *line), char *why, size_t size)
{
  struct spool *s = allocate(1, sizeof *s);
  pthread_mutex_init(&s->mutex, NULL);
  s->dir = text_of("%s", dir);
  s->lock = -1;
  s->limits = *limits;
  s->say = say;
  s->messages_end = &s->messages;
  s->ready_end = &s->ready;
  if (mkdir(dir, 0700) < 0 && errno != EEXIST)
    explain(why, size, "cannot make %s: %s", dir, strerror(errno));
  else if (take_lock(s, why, size) && take_streams(s, why, size))
    return s;
  close_spool(s);
  return NULL;
}

static void free_stream(struct spool_stream *t)
{
  free(t->parts);
  free(t->stored.ends);
  free(t->tombstone);
  free(t);
}

void close_spool(struct spool *s)
{
  if (s == NULL) return;
  for (struct spool_stream *t = s->streams, *next; t != NULL; t = next) {
    next = t->next;
    free_stream(t);
  }
  if (s->lock >= 0) close(s->lock);
  pthread_mutex_destroy(&s->mutex);
  free(s->dir);
  free(s);
}

/* Streams */

/* Returns the stream with the name in [facts], which is added if there is none;
   NULL, with the reason, when its folder cannot be made. */
static struct spool_stream *stream_of(struct spool *s,
                                      const struct spool_facts *facts,
                                      char *why, size_t size)
{
  struct spool_stream *t;
  for (t = s->streams; t != NULL; t = t->next)
    if (strcmp(t->facts.name, facts->name) == 0) return t;
  char *path = text_of("%s/%s", s->dir, facts->name);
  if (mkdir(path, 0700) == 0 || errno == EEXIST) {
    t = take_stream(s, facts->name);
    t->facts = *facts;
  } else {
    explain(why, size, "cannot make %s: %s", path, strerror(errno));
  }
  free(path);
  return t;
}

struct spool_stream *hold_stream(struct spool *s,
                                 const struct spool_facts *facts, char *why,
                                 size_t size)
{
  lock_spool(s);
  struct spool_stream *t = stream_of(s, facts, why, size);
  if (t != NULL) {
    t->facts = *facts;
    t->held++;
    s->held_count++;
  }
  unlock_spool(s);
  return t;
}

void release_stream(struct spool *s, struct spool_stream *t)
{
  lock_spool(s);
  end_present(s, t);
  t->held--;
  s->held_count--;
  t->searches = s->searches;
  unlock_spool(s);
}

bool bury_stream(struct spool *s, const struct spool_facts *facts,
                 const struct tombstone *tombstone, char *why, size_t size)
{
  bool buried = true;
  lock_spool(s);
  struct spool_stream *t = stream_of(s, facts, why, size);
  if (t != NULL && (!t->buried || tombstone->events > t->written)) {
    t->buried = true;
    t->reported = t->reporting = false;
    t->searches = s->searches;
    if (tombstone->events > t->written) t->written = tombstone->events;
    if (!t->ended) snprintf(t->state, sizeof t->state, "%s", tombstone->state);
    buried = write_state(s, t)
             || explain(why, size, "cannot write to %s/%s: %s", s->dir,
                        t->facts.name, strerror(errno));
  }
  if (t != NULL && t->tombstone == NULL) {
    t->tombstone = text_of("%s", tombstone->path);
    t->tombstone_ns = tombstone->changed_ns;
  }
  unlock_spool(s);
  return t != NULL && buried;
}

bool stream_has_ended(struct spool *s, struct spool_stream *t)
{
  lock_spool(s);
  bool ended = t->ended;
  unlock_spool(s);
  return ended;
}

char *reserve_part(struct spool *s, struct spool_stream *t, char *why,
                   size_t size)
{
  char *path = NULL;
  lock_spool(s);
  t->reserved = t->next_part++;
  if (write_state(s, t)) {
    path = part_path(s, t, t->reserved);
  } else {
    t->next_part--;
    explain(why, size, "cannot write to %s/%s: %s", s->dir, t->facts.name,
            strerror(errno));
  }
  unlock_spool(s);
  return path;
}

void begin_part(struct spool *s, struct spool_stream *t)
{
  lock_spool(s);
  end_present(s, t);
  add_part(t, t->reserved);
  unlock_spool(s);
}

void part_has(struct spool *s, struct spool_stream *t, uint64_t bytes,
              uint64_t events)
{
  lock_spool(s);
  struct part *p = present_part(t);
  if (p != NULL) {
    set_part_size(s, p, bytes);
    p->events = events;
    make_ready(s, t);
  }
  unlock_spool(s);
}

void end_part(struct spool *s, struct spool_stream *t)
{
  lock_spool(s);
  end_present(s, t);
  unlock_spool(s);
}

uint64_t part_confirmed(struct spool *s, struct spool_stream *t)
{
  lock_spool(s);
  const struct part *p = present_part(t);
  uint64_t confirmed = p == NULL ? 0 : p->confirmed;
  unlock_spool(s);
  return confirmed;
}

void set_stream(struct spool *s, struct spool_stream *t, const char *state,
                uint64_t written)
{
  lock_spool(s);
  bool ended = strcmp(state, "running") != 0;
  if (written > t->written) t->written = written;
  if (ended || !t->buried) snprintf(t->state, sizeof t->state, "%s", state);
  if (ended && !t->ended) {
    end_present(s, t);
    t->ended = true;
    t->reported = t->reporting = false;
    t->searches = s->searches;
    if (!write_state(s, t))
      tell_later(s, "cannot write to %s/%s: %s", s->dir, t->facts.name,
                 strerror(errno));
  }
  unlock_spool(s);
}

void set_all_held(struct spool *s, bool all)
{
  lock_spool(s);
  s->all_held = all;
  s->searches += all;
  unlock_spool(s);
}

uint64_t part_limit(struct spool *s)
{
  lock_spool(s);
  uint64_t limit = s->limits.bytes / (4 * (s->held_count + 1));
  unlock_spool(s);
  return limit > PART_BYTES ? PART_BYTES
         : limit < SMALLEST_PART ? SMALLEST_PART : limit;
}

/* Limits */

/* Finds the part of any stream that has ended first, is not being sent, and
   does not leave; unless [whole] is true, one with bytes that are not at the
   hub.  Returns false when there is none. */
static bool oldest_part(const struct spool *s, bool whole,
                        struct spool_stream **stream, size_t *index)
{
  int64_t oldest = INT64_MAX;
  for (struct spool_stream *t = s->streams; t != NULL; t = t->next)
    for (size_t i = 0; i < t->count && t->parts[i].ended; i++) {
      const struct part *p = &t->parts[i];
      if (p->busy || p->leaving || p->ended_ns >= oldest
          || (!whole && (p->confirmed >= p->size || p->tried >= p->size)))
        continue;
      oldest = p->ended_ns;
      *stream = t;
      *index = i;
      break;
    }
  return oldest != INT64_MAX;
}

/* Tells, once, which limit makes the spool drop parts. */
static void tell_limit(struct spool *s, const char *limit)
{
  if (!s->told)
    tell_later(s, "the spool %s has reached its limit of %s: the oldest events "
               "that no hub has confirmed are dropped", s->dir, limit);
  s->told = true;
}

/* Drops part [i], which has ended and does not leave, if it is too old, but for the
   bytes that the hub may have, which have as much time once more. */
static void drop_for_age(struct spool *s, struct spool_stream *t, size_t i)
{
  struct part *p = &t->parts[i];
  const int64_t late_ns = realtime_ns() - p->ended_ns - s->limits.age_ns;
  if (late_ns <= 0) return;
  const bool spare = p->tried > p->confirmed && late_ns <= s->limits.age_ns;
  if (spare && p->tried >= p->size) return;
  tell_limit(s, "age (--spool-age)");
  if (spare) cut_part(s, t, i);
  else drop_part(s, t, i);
}

static void drop_old(struct spool *s)
{
  struct spool_stream *t;
  size_t i;
  for (t = s->streams; t != NULL; t = t->next)
    for (i = t->count; i-- > 0;)
      if (t->parts[i].refused && t->parts[i].ended) drop_part(s, t, i);
  for (t = s->streams; t != NULL; t = t->next)
    for (i = t->count; i-- > 0;)
      if (t->parts[i].ended && !t->parts[i].busy && !t->parts[i].leaving)
        drop_for_age(s, t, i);
  while (s->bytes > s->limits.bytes) {
    const bool cut = oldest_part(s, false, &t, &i);
    if (!cut && !oldest_part(s, true, &t, &i)) break;
    tell_limit(s, "bytes (--spool-size)");
    if (cut) cut_part(s, t, i);
    else drop_part(s, t, i);
  }
}

/* Returns whether the stream gets no more parts, and all of its parts have
   left.  The searches since its end have seen its tombstone, if it has one. */
static bool is_done(const struct spool *s, const struct spool_stream *t)
{
  return (t->ended || t->held == 0) && t->count == 0 && s->all_held
         && s->searches >= t->searches + SEARCHES;
}

/* Returns whether the hub has no part of the stream, which is done, and would
   forget the report of its losses. */
static bool is_unknown(const struct spool_stream *t)
{
  return t->counted == 0 && t->written > 0;
}

/* Adds an empty part to the stream.  Does nothing when that fails. */
static void add_empty_part(struct spool *s, struct spool_stream *t)
{
  const uint32_t number = t->next_part++;
  char *path = part_path(s, t, number);
  if (write_state(s, t) && make_part_file(path)) {
    struct part *p = add_part(t, number);
    p->ended = true;
    p->ended_ns = realtime_ns();
    make_ready(s, t);
  }
  free(path);
}

/* Removes the tombstone of the stream when the hub knows its counts or it is
   old.  Returns whether no agent will read it again. */
static bool remove_tombstone(struct spool *s, struct spool_stream *t)
{
  if (t->tombstone == NULL) return true;
  bool old = realtime_ns() - t->tombstone_ns > s->limits.age_ns;
  if (!t->reported && !old) return false;
  if (unlink(t->tombstone) < 0 && errno != ENOENT && !old) return false;
  free(t->tombstone);
  t->tombstone = NULL;
  return true;
}

/* Returns whether nothing of the stream is left to write, send or report. */
static bool is_over(struct spool *s, struct spool_stream *t)
{
  return remove_tombstone(s, t) && t->reported && t->held == 0 && !t->busy
         && !t->ready && is_done(s, t);
}

void keep_limits(struct spool *s)
{
  struct spool_stream **at, *t;
  lock_spool(s);
  drop_old(s);
  for (at = &s->streams; (t = *at) != NULL;)
    if (is_over(s, t)) {
      *at = t->next;
      remove_folder(s, t);
      free_stream(t);
      s->stream_count--;
    } else {
      if (is_unknown(t) && is_done(s, t)) add_empty_part(s, t);
      at = &t->next;
    }
  unlock_spool(s);
}

/* Totals and reports */

struct spool_totals spool_totals(struct spool *s)
{
  lock_spool(s);
  struct spool_totals totals = s->totals;
  totals.streams = s->stream_count;
  totals.bytes = s->bytes;
  for (const struct spool_stream *t = s->streams; t != NULL; t = t->next) {
    totals.parts += t->count;
    for (size_t i = 0; i < t->count; i++)
      if (t->parts[i].size > t->parts[i].confirmed)
        totals.waiting += t->parts[i].size - t->parts[i].confirmed;
  }
  unlock_spool(s);
  return totals;
}

/* Sets *events to the number of events that the hub has or gets, and *lost to the
   number of all others that were written.  Both are exact when all parts have
   left.  Before that, parts may have the same events, and the parts of an earlier
   agent are not counted yet: *lost is then the number before. */
static void numbers_of(struct spool_stream *t, uint64_t *events, uint64_t *lost)
{
  uint64_t waiting = 0;
  bool known = true;
  for (size_t i = 0; i < t->count; i++) {
    const struct part *p = &t->parts[i];
    if (p->refused) continue;
    waiting += p->events;
    known &= !p->left && !p->cut;
  }
  if (t->count > 0 && known && t->stored.events + waiting > t->written)
    waiting = t->written > t->stored.events ? t->written - t->stored.events : 0;
  *events = t->stored.events + waiting;
  if (known) t->lost = t->written > *events ? t->written - *events : 0;
  *lost = t->lost;
}

/* Moves the streams before [first] to the end of the list: other streams are
   reported next. */
static void move_to_end(struct spool *s, struct spool_stream *first)
{
  struct spool_stream *before = s->streams, *last = first;
  if (first == NULL || first == before) return;
  while (last->next != NULL) last = last->next;
  last->next = before;
  while (before->next != first) before = before->next;
  before->next = NULL;
  s->streams = first;
}

size_t visit_streams(struct spool *s, size_t most,
                     void (*visit)(void *state, const struct stream_report *r),
                     void *state)
{
  struct spool_stream *t, *next = NULL;
  size_t count = 0;
  lock_spool(s);
  for (t = s->streams; t != NULL; t = t->next) {
    struct stream_report report = { .facts = t->facts, .state = t->state,
                                    .dropped_parts = t->dropped };
    if (t->reported) continue;
    t->reporting = false;
    if (++count > most) {
      if (next == NULL) next = t;
      continue;
    }
    numbers_of(t, &report.events, &report.lost);
    visit(state, &report);
    /* The last report is made when all parts have arrived. */
    t->reporting = is_done(s, t) && !is_unknown(t);
  }
  move_to_end(s, next);
  unlock_spool(s);
  return count;
}

void reports_arrived(struct spool *s)
{
  lock_spool(s);
  for (struct spool_stream *t = s->streams; t != NULL; t = t->next) {
    if (t->reporting) t->reported = true;
    t->reporting = false;
  }
  unlock_spool(s);
}
