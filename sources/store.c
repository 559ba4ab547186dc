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

#define _GNU_SOURCE               /* strdup, st_mtim */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "memory.h"
#include "store.h"
#include "store_note.h"
#include "target.h"

/* Names that are tried for one recording. */
#define TRIES 100

/* Hidden files of a program that is gone are removed when they are so old: the
   program may be one of another pid namespace, and be about to name the file.
   The second is for systems that cannot tell whether it has the file open. */
#define LEFT_SECONDS 60
#define UNCERTAIN_SECONDS 3600

#define HIDDEN ".saving-"

static void say(char *why, size_t why_size, const char *what, const char *path)
{
  snprintf(why, why_size, "cannot %s %.400s: %s", what, path, strerror(errno));
}

/* The folder */

char *default_store(void)
{
  const char *store = getenv("EVENTRING_STORE");
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  char path[PATH_MAX];
  if (store != NULL && store[0] != '\0')
    snprintf(path, sizeof path, "%s", store);
  else if (data != NULL && data[0] == '/')
    snprintf(path, sizeof path, "%s/eventring", data);
  else if (home != NULL && home[0] == '/')
    snprintf(path, sizeof path, "%s/.local/share/eventring", home);
  else
    return NULL;
  return strdup(path);
}

/* Creates the folder [path], and those above it, for this user only. */
static bool make_folder(const char *path)
{
  char part[PATH_MAX];
  struct stat st;
  if (stat(path, &st) == 0) {
    errno = ENOTDIR;
    return S_ISDIR(st.st_mode);
  }
  snprintf(part, sizeof part, "%s", path);
  for (char *p = part + 1; *p != '\0'; p++) {
    if (*p != '/') continue;
    *p = '\0';
    if (mkdir(part, 0700) < 0 && errno != EEXIST && stat(part, &st) < 0)
      return false;
    *p = '/';
  }
  return mkdir(part, 0700) == 0 || errno == EEXIST;
}

/* Returns how old the file of [fd], open for reading, must be before it counts
   as left; INT_MAX if a program has it open for writing. */
static int seconds_to_keep(int fd)
{
  /* The system grants this lease only if no program has.  An open of the file
     meanwhile sends a signal: one that is ignored by default. */
  if (fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return LEFT_SECONDS;
  }
  return errno == EAGAIN ? INT_MAX : UNCERTAIN_SECONDS;
}

/* Removes the hidden file [name] of [folder] if its program is gone: if no
   process has the number of it, or if [own_too] is true, this process has. */
static void remove_left(DIR *folder, const char *name, bool own_too)
{
  struct stat st;
  long pid = strtol(name + sizeof HIDDEN - 1, NULL, 10);
  if (pid <= 0 || pid > INT_MAX) return;
  if (pid == getpid() ? !own_too
                      : kill((pid_t) pid, 0) == 0 || errno != ESRCH)
    return;
  int fd = openat(dirfd(folder), name,
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
      && time(NULL) - st.st_mtime > seconds_to_keep(fd))
    unlinkat(dirfd(folder), name, 0);
  close(fd);
}

/* Removes hidden files in the folder [store] with remove_left.  Returns false,
   with errno, when the folder cannot be read. */
static bool remove_all_left(const char *store, bool own_too)
{
  DIR *folder = opendir(store);
  const struct dirent *file;
  if (folder == NULL) return false;
  while ((file = readdir(folder)) != NULL)
    if (strncmp(file->d_name, HIDDEN, sizeof HIDDEN - 1) == 0)
      remove_left(folder, file->d_name, own_too);
  closedir(folder);
  return true;
}

bool make_store(const char *store, char *why, size_t why_size)
{
  if (!make_folder(store)) {
    say(why, why_size, "create", store);
    return false;
  }
  if (remove_all_left(store, false)) return true;
  say(why, why_size, "open", store);
  return false;
}

void clean_store(const char *store)
{
  remove_all_left(store, true);
}

static bool is_recording(const char *name)
{
  size_t length = strlen(name);
  return name[0] != '.' && length > 4
         && strcmp(name + length - 4, ".evr") == 0;
}

void visit_store(const char *store,
                 void (*visit)(void *state, const char *name,
                               const struct stat *st), void *state)
{
  DIR *folder = opendir(store);
  const struct dirent *file;
  struct stat st;
  if (folder == NULL) return;
  while ((file = readdir(folder)) != NULL)
    if (is_recording(file->d_name)
        && fstatat(dirfd(folder), file->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISREG(st.st_mode))
      visit(state, file->d_name, &st);
  closedir(folder);
}

/* A recording */

void read_stored(const char *store, const char *name, const struct stat *st,
                 struct stored *stored)
{
  char path[PATH_MAX];
  const int64_t at_ns =
    st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
  *stored = (struct stored) { .bytes = st->st_size, .saved.at_ns = at_ns };
  snprintf(path, sizeof path, "%s/%s", store, name);
  snprintf(stored->name, sizeof stored->name, "%s", name);
  struct eventring_options options = {
    .size = sizeof options, .message = stored->why,
    .message_size = sizeof stored->why
  };
  struct eventring_cursor *cursor = NULL;
  int error = eventring_open(path, &options, &cursor);
  if (error < 0) {
    if (stored->why[0] == '\0')
      snprintf(stored->why, sizeof stored->why, "%s",
               eventring_strerror(error));
    return;
  }
  stored->info = target_info(cursor);
  stored->saved = manifest_saved(eventring_note(cursor));
  if (stored->saved.at_ns == 0) stored->saved.at_ns = at_ns;
  eventring_close(cursor);
}

void temporary_in_store(const char *store, char path[PATH_MAX])
{
  static atomic_uint count;
  /* An earlier program of the same number may have left files. */
  do
    snprintf(path, PATH_MAX, "%s/" HIDDEN "%d-%u.evr", store, (int) getpid(),
             count++);
  while (access(path, F_OK) == 0);
}

/* Limits */

/* A recording, as the limits see it. */
struct kept {
  char name[NAME_MAX + 1];
  int64_t bytes;
  struct manifest_saved saved;
  bool future;                    /* saved before the clock was set back */
};

/* All recordings of a store, the oldest first. */
struct contents {
  const char *store;
  int64_t now_ns;
  struct kept *list;
  size_t count, room;
  int64_t bytes;
};

static void add_kept(void *state, const char *name, const struct stat *st)
{
  struct contents *c = state;
  struct stored stored;
  read_stored(c->store, name, st, &stored);
  c->list = with_room(c->list, c->count, &c->room, sizeof *c->list);
  struct kept *kept = &c->list[c->count++];
  memcpy(kept->name, stored.name, sizeof kept->name);
  kept->bytes = stored.bytes;
  kept->saved = stored.saved;
  kept->future = stored.saved.at_ns > c->now_ns;
  c->bytes += stored.bytes;
}

static int by_age(const void *a, const void *b)
{
  const struct kept *x = a, *y = b;
  if (x->future != y->future) return x->future ? -1 : 1;
  return x->saved.at_ns < y->saved.at_ns ? -1
         : x->saved.at_ns > y->saved.at_ns;
}

static struct contents read_contents(const char *store)
{
  struct contents c = { .store = store, .now_ns = realtime_ns() };
  visit_store(store, add_kept, &c);
  if (c.count > 1) qsort(c.list, c.count, sizeof *c.list, by_age);
  return c;
}

/* Returns whether [kept] was saved by [rule], or by any rule if that is
   NULL. */
static bool is_of_rule(const struct kept *kept, const char *rule)
{
  return kept->saved.by == SAVED_BY_RULE
         && (rule == NULL || strcmp(kept->saved.rule, rule) == 0);
}

/* Sums of the recordings of [rule], or of any rule, and the oldest of them. */
struct sums { size_t files, oldest; int64_t bytes; };

static struct sums sums_of(const struct contents *c, const char *rule)
{
  struct sums sums = { .oldest = c->count };
  for (size_t i = 0; i < c->count; i++) {
    if (!is_of_rule(&c->list[i], rule)) continue;
    if (sums.files++ == 0) sums.oldest = i;
    sums.bytes += c->list[i].bytes;
  }
  return sums;
}

/* Removes recording [i] from the store and from the list.  Returns false when
   the file cannot be removed. */
static bool remove_kept(struct contents *c, size_t i)
{
  char path[PATH_MAX];
  if (c->list == NULL) return false;
  snprintf(path, sizeof path, "%s/%s", c->store, c->list[i].name);
  if (unlink(path) < 0 && errno != ENOENT) return false;
  remove_store_note(AT_FDCWD, path);
  c->bytes -= c->list[i].bytes;
  memmove(&c->list[i], &c->list[i + 1], (--c->count - i) * sizeof *c->list);
  return true;
}

/* Returns the first recording of [rule] that was saved before [oldest_ns], or
   the number of recordings. */
static size_t find_expired(const struct contents *c, const char *rule,
                           int64_t oldest_ns)
{
  size_t i = 0;
  while (i < c->count && !(is_of_rule(&c->list[i], rule)
                           && c->list[i].saved.at_ns < oldest_ns))
    i++;
  return i;
}

/* Removes recordings of [rule] until [files] more of [bytes] bytes keep
   [limits].  Returns how many were removed. */
static uint32_t apply_limits(struct contents *c, const char *rule,
                             const struct store_limits *limits, size_t files,
                             int64_t bytes)
{
  const int64_t oldest_ns = limits->age_ns > 0 ? c->now_ns - limits->age_ns
                                               : INT64_MIN;
  for (uint32_t removed = 0; ; removed++) {
    struct sums sums = sums_of(c, rule);
    bool over = (limits->files > 0
                 && (int64_t) (sums.files + files) > limits->files)
                || (limits->bytes > 0 && sums.bytes + bytes > limits->bytes);
    size_t i = over ? sums.oldest : find_expired(c, rule, oldest_ns);
    if (i == c->count || !remove_kept(c, i)) return removed;
  }
}

static bool is_full(const struct contents *c, size_t removable,
                    int64_t removable_bytes, int64_t bytes)
{
  return c->count - removable >= STORE_FILES
         || c->bytes - removable_bytes + bytes > STORE_BYTES;
}

static void say_full(const struct contents *c, char *why, size_t why_size)
{
  snprintf(why, why_size,
           "the store is full: %.400s has %zu recordings, %" PRId64 " MiB",
           c->store, c->count, c->bytes >> 20);
}

/* Makes room for a recording of [bytes] bytes saved by [rule], or by hand.
   Returns false, with the reason in [why], when the store is full. */
static bool make_room(struct contents *c, const char *rule, int64_t bytes,
                      const struct store_limits *limits, char *why,
                      size_t why_size)
{
  if (rule != NULL && limits->bytes > 0 && bytes > limits->bytes) {
    snprintf(why, why_size, "the recording has %" PRId64 " bytes, more than "
             "the limit of the rule, %" PRId64, bytes, limits->bytes);
    return false;
  }
  if (rule != NULL) apply_limits(c, rule, limits, 1, bytes);
  struct sums any = sums_of(c, NULL);
  bool has_room = !is_full(c, any.files, any.bytes, bytes);
  while (has_room && is_full(c, 0, 0, bytes)) {
    struct sums same = rule != NULL ? sums_of(c, rule) : any;
    any = sums_of(c, NULL);
    has_room = any.files > 0
               && remove_kept(c, same.files > 0 ? same.oldest : any.oldest);
  }
  if (!has_room) say_full(c, why, why_size);
  return has_room;
}

/* Takes the lock of the store, which a program that ends gives back.  Returns
   -1 when there is no lock.  Waits for 5 seconds at most: other users can lock
   a folder that they can read. */
static int lock_store(const char *store)
{
  const struct timespec shortly = { .tv_nsec = 10000000 };
  int fd = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int turn = 0; fd >= 0 && turn < 500 && flock(fd, LOCK_EX | LOCK_NB) < 0;
       turn++)
    nanosleep(&shortly, NULL);
  return fd;
}

static void unlock_store(int fd)
{
  if (fd >= 0) close(fd);
}

uint32_t limit_store(const char *store, const char *rule,
                     const struct store_limits *limits)
{
  int fd = lock_store(store);
  struct contents c = read_contents(store);
  uint32_t removed = apply_limits(&c, rule, limits, 0, 0);
  free(c.list);
  unlock_store(fd);
  return removed;
}

int64_t room_in_store(const char *store, char *why, size_t why_size)
{
  struct contents c = read_contents(store);
  struct sums any = sums_of(&c, NULL);
  int64_t room = is_full(&c, any.files, any.bytes, 1) ? 0
                 : STORE_BYTES - (c.bytes - any.bytes);
  if (room == 0) say_full(&c, why, why_size);
  free(c.list);
  return room;
}

/* Names */

void safe_name(char *to, size_t size, const char *program)
{
  const char *base = strrchr(program, '/');
  size_t used = 0;
  base = base != NULL ? base + 1 : program;
  for (; *base != '\0' && used + 1 < size; base++)
    if ((*base >= 'a' && *base <= 'z') || (*base >= 'A' && *base <= 'Z')
        || (*base >= '0' && *base <= '9') || *base == '_'
        || (used > 0 && (*base == '-' || *base == '.')))
      to[used++] = *base;
  to[used] = '\0';
}

/* Gives the file [temporary] a name that no file has, and writes it to [path].
   Returns false with errno. */
static bool give_name(const char *store, const char *temporary,
                      const struct eventring_info *info, char path[PATH_MAX])
{
  char program[65], date[32];
  time_t now = time(NULL);
  struct tm tm;
  safe_name(program, sizeof program, info->program);
  gmtime_r(&now, &tm);
  strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &tm);
  for (int i = 1; i <= TRIES; i++) {
    char number[16] = "";
    if (i > 1) snprintf(number, sizeof number, "-%d", i);
    snprintf(path, PATH_MAX, "%s/%s%s%" PRId32 "-%s%s.evr", store, program,
             program[0] != '\0' ? "-" : "", info->pid, date, number);
    /* A link does not replace a file. */
    if (link(temporary, path) == 0) return unlink(temporary) == 0;
    if (errno != EEXIST) return false;
  }
  return false;
}

bool keep_in_store(const char *store, const char *temporary,
                   const struct eventring_info *info, const char *rule,
                   const struct store_limits *limits, char path[PATH_MAX],
                   char *why, size_t why_size)
{
  struct stat st;
  if (stat(temporary, &st) < 0) {
    say(why, why_size, "find", temporary);
    return false;
  }
  int fd = lock_store(store);
  struct contents c = read_contents(store);
  bool good = make_room(&c, rule, st.st_size, limits, why, why_size);
  if (good && !give_name(store, temporary, info, path)) {
    say(why, why_size, "create", path);
    good = false;
  }
  free(c.list);
  unlock_store(fd);
  return good;
}
