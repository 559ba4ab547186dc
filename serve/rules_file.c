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


/* The server that has the rules holds a lock of the file.  It replaces the file by one
   that it has locked before, so the lock is always one of the file with the name. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "rules_file.h"
#include "store.h"

#define NAME "rules.json"
#define VERSION 1

static int held = -1;             /* the file, locked; -1: it is not ours */

static void set_path(char path[PATH_MAX], const char *store)
{
  snprintf(path, PATH_MAX, "%s/" NAME, store);
}

/* Returns whether [fd] is the file at [path]. */
static bool is_at(int fd, const char *path)
{
  struct stat ours, there;
  return fstat(fd, &ours) == 0 && lstat(path, &there) == 0
         && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* Returns the rules in the file at [path], which is open as [fd]; NULL, with the reason in
   [why], when it has none. */
static json_t *read_rules(int fd, const char *path, char *why, size_t why_size)
{
  json_error_t error;
  json_t *file = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
  if (file == NULL) {
    snprintf(why, why_size, "%s: line %d: %s", path, error.line, error.text);
    return NULL;
  }
  json_t *rules = json_object_get(file, "rules");
  const json_t *version = json_object_get(file, "version");
  if (!json_is_integer(version) || json_integer_value(version) != VERSION) {
    snprintf(why, why_size, "%s: \"version\" must be %d", path, VERSION);
    rules = NULL;
  } else if (!json_is_array(rules)) {
    snprintf(why, why_size, "%s: \"rules\" must be an array", path);
    rules = NULL;
  }
  json_incref(rules);
  json_decref(file);
  return rules;
}

bool take_rules_file(const char *store, json_t **rules, char *why, size_t why_size)
{
  char path[PATH_MAX];
  *rules = NULL;
  set_path(path, store);
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return true;
  if (fd < 0)
    snprintf(why, why_size, "%s: %s", path, strerror(errno));
  else if (flock(fd, LOCK_EX | LOCK_NB) < 0 || !is_at(fd, path))
    snprintf(why, why_size, "another server has the rules of the store %s", store);
  else
    *rules = read_rules(fd, path, why, why_size);
  if (*rules != NULL) held = fd;
  else if (fd >= 0) close(fd);
  return *rules != NULL;
}

void give_rules_file_back(void)
{
  if (held >= 0) close(held);
  held = -1;
}

/* Returns whether this server may replace the file at [path], or make it. */
static bool is_ours(const char *path)
{
  struct stat st;
  return (held >= 0 && is_at(held, path)) || (lstat(path, &st) < 0 && errno == ENOENT);
}

bool write_rules_file(const char *store, const json_t *rules, char *why, size_t why_size)
{
  char path[PATH_MAX], temporary[PATH_MAX];
  if (!make_store(store, why, why_size)) return false;
  set_path(path, store);
  if (!is_ours(path)) {
    snprintf(why, why_size, "%s was written by somebody else", path);
    return false;
  }
  temporary_in_store(store, temporary);
  json_t *file = json_pack("{s:i, s:O}", "version", VERSION, "rules", rules);
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && json_dumpfd(file, fd, JSON_INDENT(2)) == 0
    && write(fd, "\n", 1) == 1 && fsync(fd) == 0
    && flock(fd, LOCK_EX | LOCK_NB) == 0 && rename(temporary, path) == 0;
  json_decref(file);
  if (written) {
    give_rules_file_back();
    held = fd;
    return true;
  }
  snprintf(why, why_size, "%s: %s", path, strerror(errno));
  if (fd >= 0) {
    close(fd);
    unlink(temporary);
  }
  return false;
}
