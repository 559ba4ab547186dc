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
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sessions.h"
#include "text.h"

struct sessions {
  char *path;
  struct stat file;               /* of the present session */
  int64_t started_ns;
  int pidfd;                      /* -1: the process is not known */
};

/* Returns a pidfd of the process of [cursor], or -1 when the process does not
   run or is in another pid namespace.  A pidfd names one process for ever.  The
   pid may have passed to another process before the pidfd is opened, so the
   state is read afterwards. */
static int open_process(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  if (info.pid_is_elsewhere) return -1;
  int fd = pidfd_open((pid_t) info.pid, 0);
  if (fd >= 0 && eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    close(fd);
    return -1;
  }
  return fd;
}

struct sessions *new_sessions(struct eventring_cursor *cursor)
{
  struct sessions *s = allocate(1, sizeof *s);
  const char *path = eventring_path(cursor);
  s->path = allocate(strlen(path) + 1, 1);
  strcpy(s->path, path);
  s->started_ns = target_info(cursor).started_ns;
  s->pidfd = stat(path, &s->file) == 0 ? open_process(cursor) : -1;
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

/* Returns whether the path names another file than that of the present session,
   and sets *file to its status.  The cursor has the file of the present session
   mapped, so no other file gets the same inode. */
static bool stat_next(const struct sessions *s, struct stat *file)
{
  return stat(s->path, file) == 0
         && (file->st_dev != s->file.st_dev || file->st_ino != s->file.st_ino);
}

bool has_next_session(const struct sessions *s)
{
  struct stat file;
  return stat_next(s, &file);
}

struct eventring_cursor *open_next_session(struct sessions *s)
{
  struct eventring_cursor *cursor;
  struct stat file;
  if (!stat_next(s, &file) || eventring_open(s->path, NULL, &cursor) < 0)
    return NULL;
  s->file = file;
  int64_t started_ns = target_info(cursor).started_ns;
  if (started_ns == s->started_ns) {
    eventring_close(cursor);
    return NULL;
  }
  s->started_ns = started_ns;
  return cursor;
}

void note_stop(struct eventring_cursor *cursor, int64_t ns,
               const char *consequence)
{
  struct eventring_info info = target_info(cursor);
  char time[QUANTITY_SIZE];
  note("process %" PRIu32 " stopped its tracing %s after it had started it; %s",
       info.pid, format_duration(time, (uint64_t) (ns - info.started_ns)),
       consequence);
}
