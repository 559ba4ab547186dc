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
#define CAML_INTERNALS
#define _GNU_SOURCE

/* Tombstones: the counts of a ring file that its process has removed.

   A reader that was not there before the file was removed cannot know how many
   events were in it.  With OCAML_EVENTRING_TOMBSTONES=DIR, the process leaves
   the number of events of each ring in DIR, with the header of the file, which
   names the process.  It cannot know whether somebody has read the rings, so it
   leaves a tombstone in any case; a reader that has counted its events removes
   it.

   The numbers are of the writers, and not of the file.  At the end of the
   program, other domains may write events that are not counted any more. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring.h"
#include "eventring_internal.h"

/* Tombstones in one directory; a process that finds so many leaves none. */
#define MAX_TOMBSTONES 4096

/* Returns 1 if [name] ends as the name of a tombstone does, else 0. */
static int is_tombstone(const char *name)
{
  const size_t suffix = sizeof(EVENTRING_TOMBSTONE_SUFFIX) - 1;
  size_t length = strlen(name);
  return length > suffix
    && strcmp(name + length - suffix, EVENTRING_TOMBSTONE_SUFFIX) == 0;
}

/* Returns the number of tombstones in directory [dir], or -1 with errno. */
COLD
static int count_tombstones(const char *dir)
{
  DIR *entries = opendir(dir);
  int n = 0;
  if (entries == NULL) return -1;
  for (struct dirent *d; (d = readdir(entries)) != NULL; )
    n += is_tombstone(d->d_name);
  closedir(entries);
  return n;
}

/* Fills in the header of the tombstone of a ring file with the header
   [file]. */
COLD
static void bury_header(struct eventring_header *h,
                        const struct eventring_header *file,
                        enum eventring_state state,
                        const struct eventring_instant *ended)
{
  *h = *file;
  memcpy(h->magic, EVENTRING_TOMBSTONE_MAGIC, EVENTRING_MAGIC_SIZE);
  h->control = 0;
  h->state = state;
  h->ended = *ended;
  h->schema_offset = h->directory_offset = sizeof(*h);
  h->schema_capacity = h->schema_count = 0;
  h->slot_size = sizeof(struct eventring_grave);
  h->rings_offset = h->file_size =
    sizeof(*h) + h->rings * sizeof(struct eventring_grave);
}

/* Writes the tombstone of [session] with the header [h] to [fd].  Returns 0 or
   an errno. */
COLD
static int write_graves(int fd, const struct caml_ring_session *session,
                        const struct eventring_header *h)
{
  uint64_t offset = h->directory_offset;
  int err = caml_ring_write_all(fd, h, sizeof(*h), 0);
  for (uint32_t i = 0; i < h->rings && err == 0; ) {
    struct eventring_grave grave[32];
    uint32_t n = 0;
    for (; n < 32 && i < h->rings; n++, i++) {
      struct writer *w = &caml_ring_writers[i];
      int used = w->session == session->number;
      /* Other domains may go on writing. */
      grave[n].tail = used ? __atomic_load_n(&w->pos, __ATOMIC_RELAXED) : 0;
      grave[n].reserve = used ? __atomic_load_n(&w->end, __ATOMIC_RELAXED) : 0;
      grave[n].events = used ? __atomic_load_n(&w->events, __ATOMIC_RELAXED)
                             : 0;
    }
    err = caml_ring_write_all(fd, grave, n * sizeof(*grave), offset);
    offset += n * sizeof(*grave);
  }
  return err;
}

/* Writes the tombstone at [path], by way of the file [part], which gets that
   name when it is complete.  Returns 0 or an errno. */
COLD
static int write_tombstone(const char *path, const char *part,
                           const struct caml_ring_session *session,
                           const struct eventring_header *h)
{
  int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                S_IRUSR | S_IWUSR);
  if (fd < 0) return errno;
  int err = write_graves(fd, session, h);
  if (close(fd) != 0 && err == 0) err = errno;
  if (err == 0 && rename(part, path) != 0) err = errno;
  if (err != 0) unlink(part);
  return err;
}

COLD
void caml_ring_leave_tombstone(const struct caml_ring_session *session,
                               enum eventring_state state,
                               const struct eventring_instant *ended)
{
  const char *dir = caml_ring_config.tombstones;
  struct eventring_header h;
  char path[PATH_MAX], part[PATH_MAX + 8];
  sigset_t before;
  if (dir == NULL || caml_ring_writers == NULL) return;
  int n = count_tombstones(dir), err = errno;
  if (n >= MAX_TOMBSTONES) {
    caml_eventring_complain("%s has %d tombstones already; this process leaves"
                            " none", dir, n);
    return;
  }
  bury_header(&h, &session->header, state, ended);
  snprintf(path, sizeof(path), "%s/%lu-%llx-%llu" EVENTRING_TOMBSTONE_SUFFIX,
           dir, (unsigned long) h.pid, (unsigned long long) h.pid_namespace,
           (unsigned long long) h.started.realtime_ns);
  snprintf(part, sizeof(part), "%s.part", path);
  caml_eventring_hold_signals(&before);
  if (n >= 0) err = write_tombstone(path, part, session, &h);
  caml_eventring_release_signals(&before);
  if (err != 0)
    caml_eventring_complain("cannot write the tombstone %s: %s", path,
                            strerror(err));
}
