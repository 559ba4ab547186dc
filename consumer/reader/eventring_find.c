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

/* Finding the ring file of a process, and the processes that have one.

   A process that is traced has its ring file mapped, and /proc/PID/maps names
   it.  Of one that may not be looked into, or is gone, there is only the file
   itself, <pid> and a suffix, in a directory that must be guessed.  The number
   in the name is the process's own: in a container another one than ours.  So
   two processes may have one number, and one directory has both files, as
   12.eventring and 12.1.eventring; each says in which pid namespace its number
   is one. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include "caml/eventring_format.h"
#include "eventring_proc.h"
#include "eventring_reader.h"
#include "eventring_source.h"

/* Names of files: <number><suffix> or <number>.<n><suffix>. */

#define NUMBERS (EVENTRING_MAX_NUMBER + 1)

static const char *const suffixes[] = { EVENTRING_SUFFIX,
                                        EVENTRING_STOCK_SUFFIX };
#define NAMES ((int) (sizeof suffixes / sizeof *suffixes) * NUMBERS)

/* Writes to [path], of [size] bytes, the [i]th path that the ring file of a
   process may have in directory [dir]; [i] is from 0 to NAMES - 1, [number] the
   pid in the name.  Returns the length of the path, which is cut when this is
   not below [size], as by snprintf. */
static int write_name(char *path, size_t size, const char *dir, long number,
                      int i)
{
  const char *end = suffixes[i / NUMBERS];
  return i % NUMBERS == 0
    ? snprintf(path, size, "%s/%ld%s", dir, number, end)
    : snprintf(path, size, "%s/%ld.%d%s", dir, number, i % NUMBERS, end);
}

/* Returns 1 when [name] is the name of a ring file, as written by write_name,
   and sets *number to the pid in the name and *format by the suffix; else 0,
   and both may have been set all the same. */
static int parse_name(const char *name, long *number, uint8_t *format)
{
  char *behind;
  if (name[0] < '1' || name[0] > '9') return 0;
  errno = 0;
  *number = strtol(name, &behind, 10);
  if (errno != 0 || *number > INT_MAX) return 0;
  if (behind[0] == '.' && behind[1] >= '1' && behind[1] <= '9'
      && strtol(behind + 1, &behind, 10) > EVENTRING_MAX_NUMBER)
    return 0;
  *format = strcmp(behind, EVENTRING_SUFFIX) == 0 ? EVENTRING_FORMAT_RING
                                                  : EVENTRING_FORMAT_STOCK;
  return *format == EVENTRING_FORMAT_RING
    || strcmp(behind, EVENTRING_STOCK_SUFFIX) == 0;
}

/* Returns 1 when process [pid] is in another mount namespace, as in a
   container, so that its paths are not valid here; else 0, also when its
   namespace may not be read. */
static int is_elsewhere(int pid)
{
  char proc[64], ours[64], its[64];
  ssize_t a, b;
  snprintf(proc, sizeof proc, "/proc/%d/ns/mnt",
           eventring_thread_with_memory(pid));
  a = readlink("/proc/self/ns/mnt", ours, sizeof ours);
  b = readlink(proc, its, sizeof its);
  return a > 0 && b > 0 && (a != b || memcmp(ours, its, (size_t) a) != 0);
}

/* Converts [its], a path of process [pid], to a path that this process can
   open, [path] of [size] bytes: by way of /proc, when [its] is relative to the
   working directory of the process, or the process is in another mount
   namespace.  Returns 1, or 0 when that path is too long; it is then cut. */
static int make_ours(int pid, const char *its, char *path, size_t size)
{
  if (its[0] != '/')
    return (size_t) snprintf(path, size, "/proc/%d/cwd/%s",
                             eventring_thread_with_memory(pid), its) < size;
  if (is_elsewhere(pid))
    return (size_t) snprintf(path, size, "/proc/%d/root%s",
                             eventring_thread_with_memory(pid), its) < size;
  return (size_t) snprintf(path, size, "%s", its) < size;
}

enum { MAPPED_UNKNOWN = -1, MAPPED_NONE = 0, MAPPED = 1 };

/* Finds the ring file that process [pid] has mapped for writing and that is
   named after it (a reader has files of other processes mapped, for reading).
   If there is one, sets *format by its suffix, and [path], of [size] bytes, to
   a path that this process can open; else their content is undefined.  Returns
   MAPPED, MAPPED_NONE when there is no such file, or MAPPED_UNKNOWN when the
   mappings of the process cannot be read. */
static int mapped_path(int pid, char *path, size_t size, uint8_t *format)
{
  struct records s;
  char *line;
  long own = 0, number;
  int found = MAPPED_NONE;
  if (!eventring_open_proc(&s, eventring_thread_with_memory(pid), "maps", '\n'))
    return MAPPED_UNKNOWN;
  while (found == MAPPED_NONE && (line = eventring_next_record(&s)) != NULL) {
    char *file = strchr(line, '/'), *access = strchr(line, ' ');
    if (file == NULL || access == NULL || access[2] != 'w'
        || !parse_name(strrchr(file, '/') + 1, &number, format))
      continue;
    if (own == 0) own = eventring_own_pid(pid);
    if (number == own && make_ours(pid, file, path, size)) found = MAPPED;
  }
  close(s.fd);
  return found;
}

static int same_file(const struct stat *st, const char *path)
{
  struct stat other;
  return stat(path, &other) == 0 && other.st_dev == st->st_dev
    && other.st_ino == st->st_ino;
}

/* Looks in the mappings of the process for the device and inode of [file],
   which stay the same when the file is renamed.  Some file systems show other
   numbers in /proc than stat does; so, failing that, finds the ring file that
   the process has mapped under its own number (mapped_path), and compares the
   numbers that stat returns for that file with [file]. */
int eventring_is_mapped(int pid, const struct stat *file)
{
  struct records s;
  char path[PATH_MAX], *line;
  uint8_t format;
  int found;
  if (!eventring_open_proc(&s, eventring_thread_with_memory(pid), "maps", '\n'))
    return MAPPED_UNKNOWN;
  found = MAPPED_NONE;
  while (found == MAPPED_NONE && (line = eventring_next_record(&s)) != NULL) {
    unsigned int high, low;
    unsigned long long inode;
    char write;
    if (sscanf(line, "%*s %*c%c%*s %*s %x:%x %llu", &write, &high, &low,
               &inode) == 4
        && write == 'w' && inode == file->st_ino && high == major(file->st_dev)
        && low == minor(file->st_dev))
      found = MAPPED;
  }
  close(s.fd);
  if (found == MAPPED_NONE
      && mapped_path(pid, path, sizeof path, &format) == MAPPED)
    found = same_file(file, path);
  return found;
}

/* Reads the environment variable [variable], with which process [pid] was
   started, as a path that this process can open, to [path] of [size] bytes.
   Returns 1, or 0 when the variable is not set, is empty, cannot be read, or
   gives a path that is too long. */
static int environment_path(int pid, const char *variable, char *path,
                            size_t size)
{
  struct records s;
  char *entry;
  size_t length = strlen(variable);
  int found = 0;
  if (!eventring_open_proc(&s, eventring_thread_with_memory(pid), "environ", 0))
    return 0;
  while (!found && (entry = eventring_next_record(&s)) != NULL)
    if (strncmp(entry, variable, length) == 0 && entry[length] == '='
        && entry[length + 1] != 0)
      found = make_ours(pid, entry + length + 1, path, size);
  close(s.fd);
  return found;
}

/* Opening */

/* Returns 0 when the process of the file [info] is known to be in another pid
   namespace than [namespace], else 1.  Namespace 0 is an unknown namespace, for
   either of the two. */
static int is_of(const struct eventring_info *info, uint64_t namespace)
{
  return info->pid_namespace == 0 || namespace == 0
         || info->pid_namespace == namespace;
}

/* Returns 1 when the file at [path] is of a process [pid] that is known to be in
   another pid namespace than [namespace], else 0. */
static int is_foreign(const char *path, int pid, uint64_t namespace)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_info info = { .size = sizeof info };
  struct eventring_cursor *c;
  if (eventring_open_path(path, pid, &o, &c) < 0) return 0;
  eventring_get_info(c, &info);
  eventring_close(c);
  return !is_of(&info, namespace);
}

/* Writes the message that explains why no ring file of process [pid] was found,
   in directory [dir] if not NULL.  [namespace] is its pid namespace, or 0.
   Returns EVENTRING_E_PERMISSION when [dir] is NULL and the process belongs to
   another user than the caller, who is not root, or when the system does not let
   the caller read its mappings; else EVENTRING_E_NOT_FOUND. */
static int explain(int pid, const char *dir, uint64_t namespace,
                   const struct eventring_options *o)
{
  char proc[64], name[64] = "", its[128], ours[128], path[PATH_MAX];
  struct records s;
  struct stat st;
  char *line;
  snprintf(path, sizeof path, "%s/%d%s", dir == NULL ? "." : dir, pid,
           EVENTRING_SUFFIX);
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode)
      && is_foreign(path, pid, namespace))
    return fail(o, EVENTRING_E_NOT_FOUND,
                "%s is of a process %d in another pid namespace; give the "
                "path of the file", path, pid);
  if (kill(pid, 0) < 0 && errno == ESRCH)
    return fail(o, EVENTRING_E_NOT_FOUND,
                "process %d does not exist, and has left no ring file %d%s or "
                "%d.events in %s", pid, pid, EVENTRING_SUFFIX, pid,
                dir == NULL ? "the current directory" : dir);
  if (eventring_open_proc(&s, pid, "comm", '\n')) {
    if ((line = eventring_next_record(&s)) != NULL)
      snprintf(name, sizeof name, " (%.40s)", line);
    close(s.fd);
  }
  snprintf(proc, sizeof proc, "/proc/%d", pid);
  if (dir == NULL && geteuid() != 0 && stat(proc, &st) == 0
      && st.st_uid != geteuid())
    return fail(o, EVENTRING_E_PERMISSION,
                "process %d%s belongs to %s, and you are %s: run this as that "
                "user or as root, or give the path of its ring file", pid,
                name, eventring_user(st.st_uid, its, sizeof its),
                eventring_user(geteuid(), ours, sizeof ours));
  /* Root without CAP_SYS_PTRACE, as in many containers, may not look into a
     process that has changed its user. */
  snprintf(proc, sizeof proc, "/proc/%d/maps", pid);
  int fd = open(proc, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && (errno == EACCES || errno == EPERM))
    return fail(o, EVENTRING_E_PERMISSION,
                "cannot read %s: %s; so it is not known whether process %d%s "
                "is traced: run this with the capability CAP_SYS_PTRACE, or "
                "give the path of its ring file", proc, strerror(errno), pid,
                name);
  if (fd >= 0) close(fd);
  if (dir != NULL)
    return fail(o, EVENTRING_E_NOT_FOUND,
                "there is no %s/%d%s: process %d%s is not traced, or into "
                "another directory; start it with OCAML_EVENTRING_START=1 and "
                "OCAML_EVENTRING_PREFIX=%s", dir, pid, EVENTRING_SUFFIX, pid,
                name, dir);
  return fail(o, EVENTRING_E_NOT_FOUND,
              "process %d%s is not traced: start it with "
              "OCAML_EVENTRING_START=1, or if its OCaml is the stock one with "
              "OCAML_RUNTIME_EVENTS_START=1", pid, name);
}

/* Opens a ring file named after [number] in directory [dir], of a process in
   pid namespace [namespace]: the file of a living process, else the file of the
   process that was started last.  A namespace that is not known, of the file or
   as [namespace] 0, fits any.  [pid] is the caller's number of the process.
   *result must be NULL; stays NULL when there is an error.  Returns 0 and sets
   *result to the cursor, with an empty message; EVENTRING_E_NOT_FOUND when
   there is no such file, the error of a file that cannot be opened, or
   EVENTRING_E_ARGUMENT when [dir] is too long. */
static int open_in(const char *dir, long number, int pid, uint64_t namespace,
                   const struct eventring_options *o,
                   struct eventring_cursor **result)
{
  char path[PATH_MAX];
  struct eventring_cursor *c;
  int64_t newest = INT64_MIN;
  int error = EVENTRING_E_NOT_FOUND;
  for (int i = 0; i < NAMES; i++) {
    struct eventring_info info = { .size = sizeof info };
    int err;
    if (write_name(path, sizeof path, dir, number, i) >= (int) sizeof path)
      return fail(o, EVENTRING_E_ARGUMENT,
                  "the directory's name is longer than %d bytes", PATH_MAX);
    if (access(path, F_OK) < 0 && errno == ENOENT) continue;
    err = eventring_open_path(path, pid, o, &c);
    if (err < 0) {
      if (err != EVENTRING_E_NOT_FOUND) error = err;
      continue;
    }
    eventring_get_info(c, &info);
    if (is_of(&info, namespace)) {
      int alive = eventring_state(c) == EVENTRING_STATE_RUNNING;
      if (*result == NULL || alive || info.started_realtime_ns > newest) {
        struct eventring_cursor *other = *result;
        *result = c;
        c = other;
        newest = alive ? INT64_MAX : info.started_realtime_ns;
      }
    }
    eventring_close(c);
  }
  if (*result == NULL) return error;
  if (o->message != NULL && o->message_size > 0) o->message[0] = 0;
  return 0;
}

/* Opens the ring file of process [pid], in directory [dir] if not NULL.
   [namespace] is its pid namespace, or 0.  *result must be NULL; stays NULL when
   there is an error.  Returns 0 and sets *result to the cursor;
   EVENTRING_E_NOT_FOUND when there is no file, or another error. */
static int search(int pid, const char *dir, uint64_t namespace,
                  const struct eventring_options *o,
                  struct eventring_cursor **result)
{
  static const char *const variables[] =
    { "OCAML_EVENTRING_PREFIX", "OCAML_RUNTIME_EVENTS_DIR" };
  const long own = eventring_own_pid(pid);
  char path[PATH_MAX];
  uint8_t format;
  int err;

  if (dir != NULL) return open_in(dir, own, pid, namespace, o, result);
  if (mapped_path(pid, path, sizeof path, &format) == MAPPED) {
    err = eventring_open_path(path, pid, o, result);
    if (err != EVENTRING_E_NOT_FOUND) return err;
  }
  for (int i = 0; i < 2; i++)
    if (environment_path(pid, variables[i], path, sizeof path)) {
      err = open_in(path, own, pid, namespace, o, result);
      if (err != EVENTRING_E_NOT_FOUND) return err;
    }
  snprintf(path, sizeof path, "/proc/%d/cwd", eventring_thread_with_memory(pid));
  err = open_in(path, own, pid, namespace, o, result);
  if (err != EVENTRING_E_NOT_FOUND && err != EVENTRING_E_PERMISSION)
    return err;
  /* The file of a process that is gone, or that may not be looked into. */
  return open_in(".", own, pid, namespace, o, result);
}

int eventring_open_pid(int32_t pid, const char *dir,
                       const struct eventring_options *options,
                       struct eventring_cursor **result)
{
  struct eventring_options o;
  uint64_t namespace;
  int err;

  if (result == NULL) return EVENTRING_E_ARGUMENT;
  *result = NULL;
  err = eventring_take_options(&o, options);
  if (err < 0) return err;
  if (pid <= 0)
    return fail(&o, EVENTRING_E_ARGUMENT, "%d is not the number of a process",
                pid);
  namespace = eventring_pid_namespace(pid);
  /* A process that is gone, or may not be looked into, is meant by the number
     that it has for us. */
  if (namespace == 0) namespace = eventring_pid_namespace(0);
  err = search(pid, dir, namespace, &o, result);
  /* The process may have started its tracing meanwhile. */
  if (err == EVENTRING_E_NOT_FOUND)
    err = search(pid, dir, namespace, &o, result);
  return err == EVENTRING_E_NOT_FOUND ? explain(pid, dir, namespace, &o) : err;
}

/* All processes */

struct found {
  struct eventring_process *list;
  size_t count, capacity;
};

/* Returns a pointer to a free element behind the last element of [f], which is
   enlarged if necessary; NULL when there is no memory.  The caller sets all
   fields, and increments f->count when it keeps the element. */
static struct eventring_process *add(struct found *f)
{
  if (f->count == f->capacity) {
    size_t capacity = 2 * f->capacity + 16;
    void *more = realloc(f->list, capacity * sizeof *f->list);
    if (more == NULL) return NULL;
    f->list = more;
    f->capacity = capacity;
  }
  return &f->list[f->count];
}

/* A process, as a search has found it. */
struct looked {
  int32_t pid;
  uint64_t start_time;          /* 0: not known */
  uint64_t size;                /* of its address space, in bytes */
  struct eventring_process *own; /* its ring file, or NULL */
  struct stat file;             /* of that ring file */
};

/* A process that maps a ring file has a larger address space than before: only
   then are its mappings read again.  Should it have unmapped as much meanwhile,
   this search in so many, a different one for each process, reads them too. */
#define LOOK_EVERY 16

struct eventring_search {
  struct found found;
  struct looked *known, *now;   /* sorted by pid; by the last search, and by the
                                   present one */
  size_t known_count, now_count, now_capacity;
  uint32_t searches;
};

static int by_number(const void *a, const void *b)
{
  const struct looked *p = a, *q = b;
  return (p->pid > q->pid) - (p->pid < q->pid);
}

/* Returns 1 when the mappings of process [l] need not be read, since they are as
   in [before]; else 0. */
static int is_known(const struct eventring_search *s, const struct looked *l,
                    const struct looked *before)
{
  return before != NULL && l->start_time != 0
    && l->start_time == before->start_time && l->size == before->size
    && ((uint32_t) l->pid + s->searches) % LOOK_EVERY != 0
    && (before->own == NULL || same_file(&before->file, before->own->path));
}

/* Reads the mappings of process [l].  Returns 0 or EVENTRING_E_MEMORY. */
static int read_mappings(struct looked *l)
{
  struct eventring_process p = { .pid = l->pid, .alive = 1 };
  if (mapped_path(l->pid, p.path, sizeof p.path, &p.format) != MAPPED) return 0;
  if (stat(p.path, &l->file) < 0) l->file.st_ino = 0;
  l->own = malloc(sizeof *l->own);
  if (l->own == NULL) return EVENTRING_E_MEMORY;
  *l->own = p;
  return 0;
}

/* Looks at process [pid] for the search [state], and adds it to the list when
   it has its own ring file mapped.  Called by eventring_find_process for each
   process.  Returns 0, to go on, or EVENTRING_E_MEMORY. */
static int look_at_process(int pid, void *state)
{
  struct eventring_search *s = state;
  struct looked l = { .pid = pid }, *before = NULL;
  int err = 0;
  if (s->now_count == s->now_capacity) {
    size_t capacity = 2 * s->now_capacity + 64;
    void *more = realloc(s->now, capacity * sizeof *s->now);
    if (more == NULL) return EVENTRING_E_MEMORY;
    s->now = more;
    s->now_capacity = capacity;
  }
  if (s->known_count > 0)
    before = bsearch(&l, s->known, s->known_count, sizeof l, by_number);
  if (!eventring_process_size(pid, &l.start_time, &l.size)) return 0;
  if (is_known(s, &l, before)) {
    l.own = before->own;
    l.file = before->file;
    before->own = NULL;
    before->start_time = 0;     /* /proc may list a process twice */
  } else {
    err = read_mappings(&l);
  }
  s->now[s->now_count++] = l;
  if (err == 0 && l.own != NULL) {
    struct eventring_process *p = add(&s->found);
    if (p == NULL) return EVENTRING_E_MEMORY;
    *p = *l.own;
    s->found.count++;
  }
  return err;
}

static void forget(struct looked *list, size_t count)
{
  for (size_t i = 0; i < count; i++) free(list[i].own);
  free(list);
}

/* Makes the processes of the present search the known ones. */
static void remember(struct eventring_search *s)
{
  forget(s->known, s->known_count);
  if (s->now_count > 1)
    qsort(s->now, s->now_count, sizeof *s->now, by_number);
  s->known = s->now;
  s->known_count = s->now_count;
  s->now = NULL;
  s->now_count = s->now_capacity = 0;
}

/* Returns 1 when the process that records into the ring file at [path] has its
   number in another pid namespace than ours; else 0, also when the namespace is
   not known, the process has ended, or the machine has restarted since. */
static int is_of_another(const char *path)
{
  struct eventring_header h;
  char bytes[sizeof h + 1];
  size_t length = eventring_read_small(path, bytes, sizeof bytes);
  uint64_t ours = eventring_pid_namespace(0);
  if (length < offsetof(struct eventring_header, time_namespace)
      || memcmp(bytes, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE) != 0) return 0;
  memcpy(&h, bytes, length);
  h.boot_id[sizeof h.boot_id - 1] = 0;
  return h.version_major == EVENTRING_VERSION_MAJOR
    && h.header_size >= offsetof(struct eventring_header, time_namespace)
    && h.state == EVENTRING_RUNNING && h.pid_namespace != 0 && ours != 0
    && h.pid_namespace != ours
    && eventring_compare_boot(h.boot_id) != BOOT_OTHER;
}

/* Adds the ring files in directory [dir], regular files that are named like
   ring files, except files that a process already in the list has mapped.  The
   process of such a file counts as alive only if it exists and its mappings
   cannot be read.  [only] not 0: files with this number only.  Leaves out paths
   that are too long for the list.  Returns 0, or an error when the directory
   cannot be opened or there is no memory. */
static int find_left(struct found *f, const char *dir, int32_t only)
{
  DIR *d = opendir(dir);
  struct dirent *entry;
  size_t running = f->count;
  if (d == NULL)
    return errno == ENOENT || errno == ENOTDIR ? EVENTRING_E_NOT_FOUND
         : errno == EACCES ? EVENTRING_E_PERMISSION : EVENTRING_E_SYSTEM;
  while ((entry = readdir(d)) != NULL) {
    struct eventring_process *p;
    struct stat st;
    long pid;
    size_t i = 0;
    uint8_t format;
    if (!parse_name(entry->d_name, &pid, &format)
        || (only != 0 && pid != only)) continue;
    p = add(f);
    if (p == NULL) {
      closedir(d);
      return EVENTRING_E_MEMORY;
    }
    if ((size_t) snprintf(p->path, sizeof p->path, "%s/%s", dir, entry->d_name)
        >= sizeof p->path || stat(p->path, &st) < 0 || !S_ISREG(st.st_mode))
      continue;
    while (i < running && !same_file(&st, f->list[i].path)) i++;
    if (i < running) continue;
    p->pid = (int32_t) pid;
    p->format = format;
    p->elsewhere = is_of_another(p->path);
    /* A process that may not be looked into may be the one. */
    p->alive = p->elsewhere ? eventring_has_writer(p->path, &st)
      : (kill(p->pid, 0) == 0 || errno == EPERM)
        && eventring_is_mapped(p->pid, &st) == MAPPED_UNKNOWN;
    f->count++;
  }
  closedir(d);
  return 0;
}

static int compare(const void *a, const void *b)
{
  const struct eventring_process *p = a, *q = b;
  return p->pid != q->pid ? (p->pid < q->pid ? -1 : 1)
       : p->alive != q->alive ? q->alive - p->alive
       : strcmp(p->path, q->path);
}

/* Removes elements of the sorted list that are there twice: one of a test's own
   process was seen once, on a busy machine with Linux 6.18. */
static void remove_twins(struct found *f)
{
  size_t kept = 0;
  for (size_t i = 1; i < f->count; i++)
    if (compare(&f->list[kept], &f->list[i]) != 0)
      f->list[++kept] = f->list[i];
  if (f->count > 0) f->count = kept + 1;
}

struct eventring_search *eventring_search_begin(void)
{
  return calloc(1, sizeof(struct eventring_search));
}

int eventring_search_processes(struct eventring_search *s, int32_t pid,
                               const char *dir,
                               const struct eventring_process **list)
{
  int err;
  if (s == NULL || list == NULL || pid < 0) return EVENTRING_E_ARGUMENT;
  s->found.count = 0;
  s->searches++;
  err = pid != 0 ? look_at_process(pid, s)
                 : eventring_find_process(look_at_process, s);
  remember(s);
  if (err == 0) err = find_left(&s->found, dir == NULL ? "." : dir, pid);
  if (err < 0) return err;
  if (s->found.count > 0) {
    qsort(s->found.list, s->found.count, sizeof *s->found.list, compare);
    remove_twins(&s->found);
  }
  *list = s->found.list;
  return (int) s->found.count;
}

void eventring_search_end(struct eventring_search *s)
{
  if (s == NULL) return;
  forget(s->known, s->known_count);
  free(s->found.list);
  free(s);
}

int eventring_processes(const char *dir, struct eventring_process *list,
                        int max)
{
  struct eventring_search s = { .known = NULL };
  const struct eventring_process *all;
  int count;
  if (max < 0 || (list == NULL && max > 0)) return EVENTRING_E_ARGUMENT;
  count = eventring_search_processes(&s, 0, dir, &all);
  for (int i = 0; i < count && i < max; i++) list[i] = all[i];
  forget(s.known, s.known_count);
  free(s.found.list);
  return count;
}
