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

/* One recording of the parts of a stream; see hub_nodes.h.

   The parts come from the network: a part that no recorder writes is left out.

   While the stream is locked, its parts only get second names, as links in a
   folder STORE/hub/merge-N.  They are read and merged there without the lock:
   an agent goes on sending meanwhile, and a part that is removed keeps its
   bytes until the recording is made.  A part may grow; its complete chunks are
   taken. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "eventring_reader.h"
#include "hub_nodes.h"
#include "locks.h"

/* The most intervals of a process that a recording can have. */
#define PARTS_MAX 1024

/* How many readers may wait while others have their recordings made. */
#define WAITING_MAX 60

#define PATH_SIZE (sizeof ((struct hub_store *) NULL)->path + 64)

/* The parts that are joined. */
struct joining {
  struct eventring_merge_input inputs[PARTS_MAX];
  int count;
  unsigned left_out;
  struct eventring_info first;
};

/* Sets *info to the facts of the recording at [path].  Returns whether it is a
   recording of one process. */
static bool read_facts(const char *path, struct eventring_info *info)
{
  struct eventring_cursor *cursor;
  if (eventring_open(path, NULL, &cursor) < 0) return false;
  *info = (struct eventring_info) { .size = sizeof *info };
  bool good = eventring_get_info(cursor, info) == 0
              && info->format == EVENTRING_FORMAT_RECORDING
              && info->processes == 1;
  eventring_close(cursor);
  return good;
}

static bool same_process(const struct eventring_info *a,
                         const struct eventring_info *b)
{
  return a->pid == b->pid && a->started_ns == b->started_ns
    && a->started_realtime_ns == b->started_realtime_ns;
}

/* Adds the part at [path], unless it cannot be read or is of another process
   than the first. */
static void add_part(struct joining *j, const char *path)
{
  struct eventring_info info;
  char *copy = NULL;
  if (!read_facts(path, &info)
      || (j->count > 0 && !same_process(&info, &j->first))
      || (copy = strdup(path)) == NULL) {
    j->left_out++;
    return;
  }
  if (j->count == 0) j->first = info;
  j->inputs[j->count] = (struct eventring_merge_input) {
    .size = sizeof j->inputs[0], .path = copy, .join = j->count > 0 };
  j->count++;
}

/* Merges the [count] parts from [first] on to a new file at [path].  Returns 0
   or an errno value: EBADMSG when a part is damaged. */
static int merge_some(const struct joining *j, int first, int count,
                      const char *path)
{
  struct eventring_record_options options = { .size = sizeof options };
  errno = 0;
  int error = eventring_recording_merge(path, j->inputs + first, count,
                                        &options);
  int reason = errno;
  if (error == 0) return 0;
  unlink(path);
  if (error == EVENTRING_E_MEMORY) return ENOMEM;
  return error == EVENTRING_E_SYSTEM && reason != 0 ? reason : EBADMSG;
}

/* Leaves out the parts that are damaged. */
static void leave_out_damaged(struct joining *j, const char *path)
{
  int kept = 0;
  for (int i = 0; i < j->count; i++) {
    const int join = j->inputs[i].join;
    j->inputs[i].join = 0;
    bool damaged = merge_some(j, i, 1, path) == EBADMSG;
    unlink(path);
    j->inputs[i].join = join;
    if (damaged) {
      free((char *) j->inputs[i].path);
      j->left_out++;
      continue;
    }
    j->inputs[kept] = j->inputs[i];
    j->inputs[kept].join = kept > 0;
    kept++;
  }
  j->count = kept;
}

/* Merges the parts to a new file at [path], and opens it without its name.
   Returns 0 or an errno value. */
static int merge(struct joining *j, const char *path, int *fd)
{
  int error = merge_some(j, 0, j->count, path);
  if (error == EBADMSG) {
    leave_out_damaged(j, path);
    error = j->count > 0 ? merge_some(j, 0, j->count, path) : ENOENT;
  }
  if (error != 0) return error;
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  error = errno;
  unlink(path);
  return *fd >= 0 ? 0 : error;
}

/* The folder in which a recording is made: merge-N in the folder hub. */
struct workshop {
  char path[PATH_SIZE];
  const char *name;               /* the end of the path */
  int fd;                         /* -1: it could not be made */
};

/* Makes the folder.  Returns 0 or an errno value; the caller calls
   close_workshop in any case. */
static int open_workshop(struct hub_store *store, struct workshop *w)
{
  snprintf(w->path, sizeof w->path, "%s/hub/" MERGE_PREFIX "%u", store->path,
           store->merged++);
  w->name = strrchr(w->path, '/') + 1;
  if (mkdirat(store->hub, w->name, 0700) < 0) return errno;
  w->fd = openat(store->hub, w->name,
                 O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  return w->fd < 0 ? errno : 0;
}

static void close_workshop(struct hub_store *store, const struct workshop *w)
{
  if (w->fd >= 0) close(w->fd);
  remove_merge_folder(store, w->name);
}

/* Removes the parts that have not changed since [since_ns] from [parts], but not
   the last one, and returns how many are left. */
static size_t keep_recent(struct part_file *parts, size_t count,
                          int64_t since_ns)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (parts[i].changed_ns >= since_ns || i + 1 == count) parts[kept++] = parts[i];
  return kept;
}

/* Links the parts of [folder] that have changed since [since_ns] into the workshop:
   the newest, if there are too many.  Sets *parts to these, which the caller frees, *count to their number,
   and *left_out.  The caller has locked the stream.  Returns 0 or an errno
   value. */
static int link_parts(const struct workshop *w, int folder, int64_t since_ns,
                      struct part_file **parts, size_t *count,
                      unsigned *left_out)
{
  struct statvfs disk;
  uint64_t bytes = 0;
  char name[PART_NAME_SIZE];
  if (!list_parts(folder, parts, count)) return ENOMEM;
  *count = keep_recent(*parts, *count, since_ns);
  const size_t first = *count > PARTS_MAX ? *count - PARTS_MAX : 0;
  *left_out = (unsigned) first;
  *count -= first;
  if (first > 0)
    memmove(*parts, *parts + first, *count * sizeof **parts);
  for (size_t i = 0; i < *count; i++) {
    name_part_file(name, (*parts)[i].number, ".evr");
    bytes += (*parts)[i].bytes;
    if (linkat(folder, name, w->fd, name, 0) < 0) return errno;
  }
  /* The recording must not take the room that agents need now. */
  if (fstatvfs(w->fd, &disk) == 0
      && (uint64_t) disk.f_bavail * disk.f_frsize < bytes)
    return ENOSPC;
  return 0;
}

/* Makes the recording of [stream] in the workshop, and opens it.  Returns 0 or
   an errno value. */
static int make_recording(struct hub_store *store, const char *node,
                          const char *stream, int64_t since_ns,
                          const struct workshop *w, struct joining *j, int *fd)
{
  char path[PATH_SIZE + PART_NAME_SIZE], name[PART_NAME_SIZE];
  struct part_file *parts = NULL;
  size_t count = 0;
  pthread_mutex_t *lock = lock_of_stream(store, node, stream);
  pthread_mutex_lock(lock);
  int folder = open_hub_folder(store, node, stream);
  int error = folder < 0 ? ENOENT
              : link_parts(w, folder, since_ns, &parts, &count, &j->left_out);
  if (folder >= 0) close(folder);
  pthread_mutex_unlock(lock);
  for (size_t i = 0; i < count && error == 0; i++) {
    name_part_file(name, parts[i].number, ".evr");
    snprintf(path, sizeof path, "%s/%s", w->path, name);
    add_part(j, path);
  }
  free(parts);
  snprintf(path, sizeof path, "%s/recording", w->path);
  if (error == 0) error = j->count > 0 ? merge(j, path, fd) : ENOENT;
  for (int i = 0; i < j->count; i++) free((char *) j->inputs[i].path);
  return error;
}

int open_stream_recording(struct hub_store *store, const char *node,
                          const char *stream, int64_t since_ns,
                          unsigned *left_out, int *fd)
{
  struct workshop w = { .fd = -1 };
  *left_out = 0;
  *fd = -1;
  if (!take_turn(&store->merges, 1, WAITING_MAX)) return EBUSY;
  struct joining *j = calloc(1, sizeof *j);
  int error = j != NULL ? open_workshop(store, &w) : ENOMEM;
  if (error == 0)
    error = make_recording(store, node, stream, since_ns, &w, j, fd);
  if (j != NULL) {
    close_workshop(store, &w);
    *left_out = j->left_out;
  }
  end_turn(&store->merges, 1);
  free(j);
  return error;
}
