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

/* See fleet_folders.h. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "explain.h"
#include "fleet_folders.h"
#include "memory.h"
#include "target.h"

#define NAMED "fleet-"
#define HIDDEN "." NAMED
#define MANIFEST "manifest.json"
#define TRIES 1000

/* A hidden folder that is older than this is of a server that has ended. */
#define LEFT_NS (INT64_C(3600) * 1000000000)

bool make_fleet_folder(const char *store, char path[PATH_MAX], char *why,
                       size_t size)
{
  snprintf(path, PATH_MAX, "%s/" HIDDEN "XXXXXX", store);
  return mkdtemp(path) != NULL
         || explain(why, size, "cannot make a folder in %s: %s", store,
                    strerror(errno));
}

void remove_fleet_folder(const char *path)
{
  DIR *folder = opendir(path);
  const struct dirent *file;
  while (folder != NULL && (file = readdir(folder)) != NULL)
    if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
      unlinkat(dirfd(folder), file->d_name, 0);
  if (folder != NULL) closedir(folder);
  rmdir(path);
}

/* Gives the folder [path] a name with the present time.  Returns false with
   errno. */
static bool give_name(const char *store, char path[PATH_MAX])
{
  char date[32], named[PATH_MAX];
  time_t now = time(NULL);
  struct tm tm;
  gmtime_r(&now, &tm);
  strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &tm);
  for (int i = 1; i <= TRIES; i++) {
    char number[16] = "";
    if (i > 1) snprintf(number, sizeof number, "-%03d", i);
    snprintf(named, sizeof named, "%s/" NAMED "%s%s", store, date,
             number);
    if (renameat2(AT_FDCWD, path, AT_FDCWD, named, RENAME_NOREPLACE) == 0) {
      memcpy(path, named, PATH_MAX);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

/* Limits */

/* A folder of a rule, or one that a server has left. */
struct folder {
  char path[PATH_MAX];
  int64_t bytes, changed_ns;
};

struct folders {
  struct folder *list;
  size_t count, room;
};

/* Returns whether the manifest in the folder [path] is of [rule]. */
static bool is_of_rule(const char *path, const char *rule)
{
  char manifest[PATH_MAX];
  if (snprintf(manifest, sizeof manifest, "%s/" MANIFEST, path)
      >= (int) sizeof manifest)
    return false;
  json_t *json = json_load_file(manifest, 0, NULL);
  const char *text = json_string_value(json_object_get(json, "rule"));
  bool same = text != NULL && strcmp(text, rule) == 0;
  json_decref(json);
  return same;
}

/* Sets the bytes and the time of the folder [f]. */
static void measure(struct folder *f)
{
  DIR *folder = opendir(f->path);
  const struct dirent *file;
  struct stat st;
  while (folder != NULL && (file = readdir(folder)) != NULL)
    if (fstatat(dirfd(folder), file->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISREG(st.st_mode))
      f->bytes += st.st_size;
  if (folder == NULL) return;
  if (fstat(dirfd(folder), &st) == 0)
    f->changed_ns = st.st_mtim.tv_sec * INT64_C(1000000000)
                    + st.st_mtim.tv_nsec;
  closedir(folder);
}

/* Compares two folders for qsort: the newest first, by their names. */
static int newest_first(const void *left, const void *right)
{
  const struct folder *a = left, *b = right;
  return strcmp(b->path, a->path);
}

/* Returns the folders in [store] of [rule], the newest first.  Removes hidden
   folders of servers that have ended. */
static struct folders folders_of(const char *store, const char *rule)
{
  struct folders found = { .list = NULL };
  DIR *folder = opendir(store);
  const struct dirent *file;
  while (folder != NULL && (file = readdir(folder)) != NULL) {
    struct folder f = { .bytes = 0 };
    const bool hidden = strncmp(file->d_name, HIDDEN, strlen(HIDDEN)) == 0;
    if ((!hidden && strncmp(file->d_name, NAMED, strlen(NAMED)) != 0)
        || snprintf(f.path, sizeof f.path, "%s/%s", store, file->d_name)
           >= (int) sizeof f.path)
      continue;
    measure(&f);
    if (hidden && realtime_ns() - f.changed_ns > LEFT_NS)
      remove_fleet_folder(f.path);
    if (hidden || !is_of_rule(f.path, rule)) continue;
    found.list = with_room(found.list, found.count, &found.room,
                           sizeof *found.list);
    found.list[found.count++] = f;
  }
  if (folder != NULL) closedir(folder);
  if (found.count > 0)
    qsort(found.list, found.count, sizeof *found.list, newest_first);
  return found;
}

void limit_fleet_folders(const char *store, const char *rule,
                         const struct store_limits *limits)
{
  struct folders found = folders_of(store, rule);
  int64_t bytes = 0;
  for (size_t i = 0; i < found.count; i++) {
    const struct folder *f = &found.list[i];
    bytes += f->bytes;
    if ((int64_t) i >= limits->files || (i > 0 && bytes > limits->bytes)
        || realtime_ns() - f->changed_ns > limits->age_ns)
      remove_fleet_folder(f->path);
  }
  free(found.list);
}

bool keep_fleet_folder(const char *store, char path[PATH_MAX],
                       const json_t *manifest, const char *rule,
                       const struct store_limits *limits, char *why,
                       size_t size)
{
  char file[PATH_MAX];
  errno = ENAMETOOLONG;
  if (snprintf(file, sizeof file, "%s/" MANIFEST, path) >= (int) sizeof file
      || json_dump_file(manifest, file, JSON_INDENT(2)) < 0
      || !give_name(store, path)) {
    explain(why, size, "cannot write %s: %s", path, strerror(errno));
    remove_fleet_folder(path);
    return false;
  }
  limit_fleet_folders(store, rule, limits);
  return true;
}
