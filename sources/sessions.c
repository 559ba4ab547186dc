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

#define _GNU_SOURCE
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "memory.h"
#include "sessions.h"
#include "target.h"
#include "text.h"

/* The shortest time between two searches for the ring file of the process, each
   of which reads its mappings. */
#define SEARCH_NS (20 * INT64_C(1000000))

struct sessions {
  char *path;                     /* of the present session */
  struct stat file;
  int64_t started_ns;
  uint64_t missed, told;          /* sessions; of these, the user knows */
  int32_t pid;
  int pidfd;                      /* -1: the process is not known */
  bool elsewhere;                 /* it is in another pid namespace */
  int64_t searched_ns;
  void (*say)(const char *text);
};

/* Gives the note to s->say. */
__attribute__((format(printf, 2, 3)))
static void note(const struct sessions *s, const char *format, ...)
{
  char text[512];
  va_list arguments;
  if (s->say == NULL) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  s->say(text);
}

/* Returns whether [cursor] reads a ring file that its process, which has ended the
   session, has removed or replaced since it was opened: the process may run. */
static bool has_just_ended(struct eventring_cursor *cursor)
{
  struct eventring_cursor *present;
  if (target_info(cursor).format != EVENTRING_FORMAT_RING
      || eventring_state(cursor) != EVENTRING_STATE_ENDED)
    return false;
  if (eventring_open(eventring_path(cursor), NULL, &present) < 0) return true;
  const bool same =
    target_info(present).started_ns == target_info(cursor).started_ns;
  eventring_close(present);
  return !same;
}

/* Returns a pidfd of the process of [cursor], or -1 when the process does not
   run or is in another pid namespace, or has ended the session before the file was
   opened.  A pidfd names one process for ever.  The pid may have passed to another
   process before the pidfd is opened, so the state, and the start of the process
   if the state does not tell, are read afterwards. */
static int open_process(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  if (info.pid_is_elsewhere) return -1;
  int fd = pidfd_open((pid_t) info.pid, 0);
  if (fd >= 0 && eventring_state(cursor) != EVENTRING_STATE_RUNNING
      && (!has_just_ended(cursor)
          || (info.same_boot && began_after(info.pid, info.started_ns)))) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Makes the session that [cursor] reads the present one.  Returns whether its
   file exists. */
static bool set_present(struct sessions *s, struct eventring_cursor *cursor)
{
  const char *path = eventring_path(cursor);
  free(s->path);
  s->path = allocate(strlen(path) + 1, 1);
  strcpy(s->path, path);
  s->started_ns = target_info(cursor).started_ns;
  return stat(path, &s->file) == 0;
}

struct sessions *new_sessions(struct eventring_cursor *cursor,
                              void (*say)(const char *text))
{
  struct sessions *s = allocate(1, sizeof *s);
  s->say = say;
  s->pid = target_info(cursor).pid;
  s->elsewhere = target_info(cursor).pid_is_elsewhere;
  s->pidfd = set_present(s, cursor) || has_just_ended(cursor)
             ? open_process(cursor) : -1;
  return s;
}

void free_sessions(struct sessions *s)
{
  if (s == NULL) return;
  if (s->pidfd >= 0) close(s->pidfd);
  free(s->path);
  free(s);
}

bool process_runs(const struct sessions *s, int ms)
{
  struct pollfd poll_end = { .fd = s->pidfd, .events = POLLIN };
  return s->pidfd >= 0 && poll(&poll_end, 1, ms) <= 0;
}

/* Returns whether [path] names another file than that of the present session, and sets
   *file to its status.  The cursor has the file of the present session mapped, so no other
   file gets the same inode. */
static bool is_other_file(const struct sessions *s, const char *path, struct stat *file)
{
  return stat(path, file) == 0
         && (file->st_dev != s->file.st_dev || file->st_ino != s->file.st_ino);
}

bool has_next_session(const struct sessions *s)
{
  struct stat file;
  return is_other_file(s, s->path, &file);
}

/* Opens the file that has taken the place of the file of the present session.
   Returns NULL when there is none. */
static struct eventring_cursor *open_at_path(
  struct sessions *s, const struct eventring_options *options)
{
  struct eventring_cursor *cursor;
  struct stat file;
  if (!is_other_file(s, s->path, &file) || eventring_open(s->path, options, &cursor) < 0)
    return NULL;
  s->file = file;
  if (target_info(cursor).started_ns != s->started_ns) return cursor;
  eventring_close(cursor);
  return NULL;
}

/* Opens the ring file of the process if it is of a later session than the
   present one; it may be in another directory than the file of the present
   session or have another suffix.  Returns NULL when there is no such file, or
   the process does not run, or the last search was less than SEARCH_NS ago. */
static struct eventring_cursor *open_of_process(
  struct sessions *s, const struct eventring_options *options)
{
  struct eventring_cursor *cursor;
  struct stat file;
  int64_t now = monotonic_ns();
  if (now - s->searched_ns < SEARCH_NS || !process_runs(s, 0)) return NULL;
  s->searched_ns = now;
  if (eventring_open_pid(s->pid, NULL, options, &cursor) < 0) return NULL;
  /* The process runs, so the pid has not passed to another one meanwhile; and the file is
     not from an earlier session.  The start in a stock file that was opened before its
     first event was a guess, so that the times of the same file may differ. */
  if (process_runs(s, 0) && is_other_file(s, eventring_path(cursor), &file)
      && target_info(cursor).started_ns > s->started_ns)
    return cursor;
  eventring_close(cursor);
  return NULL;
}

struct eventring_cursor *open_next_session(
  struct sessions *s, const struct eventring_options *options)
{
  struct eventring_cursor *cursor = open_at_path(s, options);
  if (cursor == NULL) cursor = open_of_process(s, options);
  if (cursor != NULL) set_present(s, cursor);
  return cursor;
}

void note_stop(const struct sessions *s, int64_t ns, const char *consequence)
{
  char time[QUANTITY_SIZE];
  note(s, "process %" PRIi32 " stopped its tracing %s after it had started it; %s",
       s->pid, format_duration(time, (uint64_t) (ns - s->started_ns)),
       consequence);
}

void note_last(const struct sessions *s)
{
  if (s->elsewhere)
    note(s, "process %" PRIi32 " has ended, or has stopped its tracing: it is in "
         "another pid namespace, where that is not known; no more is read", s->pid);
}

void note_other_program(const struct sessions *s)
{
  note(s, "process %" PRIi32 " runs another program, which is not followed", s->pid);
}

void add_missed(struct sessions *s, uint64_t missed)
{
  s->missed += missed;
  if (s->told == 0) note_missed(s);
}

void note_missed(struct sessions *s)
{
  if (s->missed == s->told) return;
  s->told = s->missed;
  note(s, "process %" PRIi32 " had at least %" PRIu64 " session%s of tracing too short "
       "to be read: %s events are missing", s->pid, s->missed,
       s->missed == 1 ? "" : "s", s->missed == 1 ? "its" : "their");
}
