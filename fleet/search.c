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

/* See search.h. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include "locks.h"
#include "memory.h"
#include "search.h"
#include "target.h"

/* The time between the ends of two searches; longer when a search takes more
   than a tenth of it. */
#define BETWEEN_NS (250 * INT64_C(1000000))

/* Folders that are watched; in others, only searches find files. */
#define MOST_FOLDERS 4096

/* A folder that has ring files. */
struct folder {
  int watch;                      /* the number of its watch; -1: it has none */
  char *path;
};

/* Paths, the caller of which frees each and the list. */
struct paths {
  char **list;
  size_t count, room;
};

struct search {
  pthread_t thread;
  pthread_mutex_t mutex;          /* of all below but [dir] and [empty] */
  const char *dir, *empty;
  int wake, inotify;              /* descriptors; [inotify] may be -1 */
  bool ending;
  struct eventring_process *found;
  size_t count, room;
  int64_t began_ns;               /* of the last whole search; 0: none */
  struct folder *folders;
  size_t folder_count, folder_room;
  struct paths tombstones;            /* tombstones to be given out */
  struct paths seen;              /* tombstones of the last search, sorted; for
                                     the thread alone */
};

static void add_path(struct paths *paths, char *path)
{
  paths->list = with_room(paths->list, paths->count, &paths->room,
                          sizeof *paths->list);
  paths->list[paths->count++] = path;
}

static void free_paths(struct paths *paths)
{
  for (size_t i = 0; i < paths->count; i++) free(paths->list[i]);
  free(paths->list);
  *paths = (struct paths) { NULL, 0, 0 };
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

static bool has_suffix(const char *name, const char *suffix)
{
  const char *dot = strrchr(name, '.');
  return dot != NULL && strcmp(dot, suffix) == 0;
}

/* Returns whether the file at [path] is directly in [dir]. */
static bool is_in(const char *path, const char *dir)
{
  char folder[sizeof ((struct eventring_process *) 0)->path];
  struct stat its, ours;
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash == NULL) return false;
  slash[slash == folder ? 1 : 0] = '\0';
  return stat(folder, &its) == 0 && stat(dir, &ours) == 0
         && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/* Adds a process to those that were found. */
static void add_found(struct search *s, const struct eventring_process *p)
{
  pthread_mutex_lock(&s->mutex);
  s->found = with_room(s->found, s->count, &s->room, sizeof *s->found);
  s->found[s->count++] = *p;
  pthread_mutex_unlock(&s->mutex);
}

/* Tombstones */

/* Adds the paths of the tombstones in the folder. */
static void list_tombstones(struct paths *paths, const char *folder)
{
  DIR *d = opendir(folder);
  struct dirent *entry;
  char *path;
  while (d != NULL && (entry = readdir(d)) != NULL) {
    if (!has_suffix(entry->d_name, ".tombstone")) continue;
    if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) out_of_memory();
    add_path(paths, path);
  }
  if (d != NULL) closedir(d);
}

/* Gives out the tombstones that the last search has not found. */
static void search_tombstones(struct search *s)
{
  struct paths folders = { NULL, 0, 0 }, now = { NULL, 0, 0 };
  pthread_mutex_lock(&s->mutex);
  for (size_t i = 0; i < s->folder_count; i++)
    add_path(&folders, copy_of(s->folders[i].path));
  pthread_mutex_unlock(&s->mutex);
  for (size_t i = 0; i < folders.count; i++)
    list_tombstones(&now, folders.list[i]);
  free_paths(&folders);
  if (now.count > 0) qsort(now.list, now.count, sizeof *now.list, by_name);
  pthread_mutex_lock(&s->mutex);
  for (size_t i = 0; i < now.count; i++)
    if (s->seen.count == 0
        || bsearch(&now.list[i], s->seen.list, s->seen.count,
                   sizeof *now.list, by_name) == NULL)
      add_path(&s->tombstones, copy_of(now.list[i]));
  pthread_mutex_unlock(&s->mutex);
  free_paths(&s->seen);
  s->seen = now;
}

char **take_found_tombstones(struct search *s, size_t *count)
{
  pthread_mutex_lock(&s->mutex);
  char **list = s->tombstones.list;
  *count = s->tombstones.count;
  s->tombstones = (struct paths) { NULL, 0, 0 };
  pthread_mutex_unlock(&s->mutex);
  return list;
}

/* Processes */

/* Searches once.  When the folder cannot be read, nothing is found. */
static void search_all(struct search *s)
{
  const int64_t began_ns = monotonic_ns();
  struct eventring_process *list = NULL;
  int room = 0, found;
  while ((found = eventring_processes(s->dir != NULL ? s->dir : s->empty, list,
                                      room)) > room) {
    room = found + 16;
    list = reallocate(list, (size_t) room, sizeof *list);
  }
  for (int i = 0; i < found; i++)
    if (list[i].format == EVENTRING_FORMAT_RING
        && (s->dir == NULL || is_in(list[i].path, s->dir)))
      add_found(s, &list[i]);
  free(list);
  search_tombstones(s);
  pthread_mutex_lock(&s->mutex);
  if (found >= 0) s->began_ns = began_ns;
  pthread_mutex_unlock(&s->mutex);
}

/* Adds the file [name] in the folder of watch [number] to those that were
   found, if it may be a ring file. */
static void see_file(struct search *s, int number, const char *name)
{
  struct eventring_process p = { .alive = 1,
                                 .format = EVENTRING_FORMAT_RING };
  bool fits = false;
  if (!has_suffix(name, ".eventring")) return;
  pthread_mutex_lock(&s->mutex);
  for (size_t i = 0; i < s->folder_count; i++)
    if (s->folders[i].watch == number)
      fits = (size_t) snprintf(p.path, sizeof p.path, "%s/%s",
                               s->folders[i].path, name) < sizeof p.path;
  pthread_mutex_unlock(&s->mutex);
  if (fits) add_found(s, &p);
}

/* Forgets the folder of watch [number], which does not exist any more. */
static void forget_folder(struct search *s, int number)
{
  pthread_mutex_lock(&s->mutex);
  for (size_t i = s->folder_count; i-- > 0;)
    if (s->folders[i].watch == number) {
      free(s->folders[i].path);
      s->folders[i] = s->folders[--s->folder_count];
    }
  pthread_mutex_unlock(&s->mutex);
}

static void see_files(struct search *s)
{
  _Alignas(struct inotify_event) char bytes[8192];
  ssize_t n;
  while ((n = read(s->inotify, bytes, sizeof bytes)) > 0)
    for (char *p = bytes; p < bytes + n;) {
      const struct inotify_event *event = (void *) p;
      if ((event->mask & IN_IGNORED) != 0) forget_folder(s, event->wd);
      else if (event->len > 0) see_file(s, event->wd, event->name);
      p += sizeof *event + event->len;
    }
}

/* Waits for the time of the next search, and takes new files meanwhile.
   Returns false when the search is to end. */
static bool wait_for_next(struct search *s, int64_t until_ns)
{
  bool woken = false, ending;
  int64_t left;
  while (!woken && (left = until_ns - monotonic_ns()) > 0) {
    uint64_t times;
    struct pollfd fds[] = { { .fd = s->wake, .events = POLLIN },
                            { .fd = s->inotify, .events = POLLIN } };
    if (poll(fds, 2, (int) (left / 1000000) + 1) <= 0) continue;
    woken = fds[0].revents != 0
            && read(s->wake, &times, sizeof times) == sizeof times;
    if (fds[1].revents != 0) see_files(s);
  }
  pthread_mutex_lock(&s->mutex);
  ending = s->ending;
  pthread_mutex_unlock(&s->mutex);
  return !ending;
}

static void *run_search(void *state)
{
  struct search *s = state;
  int64_t next;
  do {
    int64_t began = monotonic_ns(), ended;
    search_all(s);
    ended = monotonic_ns();
    next = 10 * (ended - began) > BETWEEN_NS ? 10 * (ended - began)
                                             : BETWEEN_NS;
    next += ended;
  } while (wait_for_next(s, next));
  return NULL;
}

/* Watches the folder, unless it is watched already.  Where the system has no
   more watches, searches find its files. */
static void add_folder(struct search *s, const char *path)
{
  bool known = false;
  pthread_mutex_lock(&s->mutex);
  for (size_t i = 0; i < s->folder_count && !known; i++)
    known = strcmp(s->folders[i].path, path) == 0;
  if (!known && s->folder_count < MOST_FOLDERS) {
    s->folders = with_room(s->folders, s->folder_count, &s->folder_room,
                           sizeof *s->folders);
    s->folders[s->folder_count++] = (struct folder) {
      .path = copy_of(path),
      .watch = s->inotify < 0 ? -1
               : inotify_add_watch(s->inotify, path,
                                   IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) };
  }
  pthread_mutex_unlock(&s->mutex);
}

static void free_folders(struct search *s)
{
  for (size_t i = 0; i < s->folder_count; i++) free(s->folders[i].path);
  free(s->folders);
}

struct search *begin_search(const char *dir, const char *empty, char *why,
                            size_t size)
{
  struct search *s = allocate(1, sizeof *s);
  sigset_t all, before;
  int error;
  pthread_mutex_init(&s->mutex, NULL);
  s->dir = dir;
  s->empty = empty;
  s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  s->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (dir != NULL) add_folder(s, dir);
  const char *tombstones = getenv("OCAML_EVENTRING_TOMBSTONES");
  if (tombstones != NULL && tombstones[0] != '\0') add_folder(s, tombstones);
  /* Signals are for the thread that began. */
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGSEGV);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  error = s->wake < 0 ? errno : pthread_create(&s->thread, NULL, run_search, s);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) return s;
  snprintf(why, size, "cannot look for processes: %s", strerror(error));
  if (s->wake >= 0) close(s->wake);
  if (s->inotify >= 0) close(s->inotify);
  free_folders(s);
  free(s);
  return NULL;
}

void search_now(struct search *s)
{
  uint64_t once = 1;
  if (write(s->wake, &once, sizeof once) < 0) { /* it is awake already */ }
}

void end_search(struct search *s)
{
  if (s == NULL) return;
  pthread_mutex_lock(&s->mutex);
  s->ending = true;
  pthread_mutex_unlock(&s->mutex);
  search_now(s);
  pthread_join(s->thread, NULL);
  close(s->wake);
  if (s->inotify >= 0) close(s->inotify);
  free_folders(s);
  free_paths(&s->tombstones);
  free_paths(&s->seen);
  free(s->found);
  pthread_mutex_destroy(&s->mutex);
  free(s);
}

void search_folder_of(struct search *s, const char *path)
{
  const char *slash = strrchr(path, '/');
  /* The folder of a process in a container is below /proc, until the process
     ends. */
  if (slash == NULL || strncmp(path, "/proc/", 6) == 0) return;
  const size_t length = slash == path ? 1 : (size_t) (slash - path);
  char *folder = allocate(length + 1, 1);
  memcpy(folder, path, length);
  add_folder(s, folder);
  free(folder);
}

struct eventring_process *take_found(struct search *s, size_t *count,
                                     int64_t *began_ns)
{
  pthread_mutex_lock(&s->mutex);
  struct eventring_process *found = s->count > 0 ? s->found : NULL;
  *count = s->count;
  *began_ns = s->began_ns;
  if (found != NULL) {
    s->found = NULL;
    s->room = 0;
  }
  s->count = 0;
  s->began_ns = 0;
  pthread_mutex_unlock(&s->mutex);
  return found;
}
