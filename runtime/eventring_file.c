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

/* The name of the ring file, and the files that have that name already.

   The file of process 12 is 12.eventring.  A file of that name may exist, and
   its owner decides about it:

       this process             an earlier session of ours, or the program that
                                this one has replaced by exec: its file goes
       another process, alive   the pid is of another pid namespace: the file
                                stays, and ours becomes 12.1.eventring
       a process that is gone   a crash file: the file stays, as long as it is
                                among the newest
       unknown                  the owner may be alive: as if it were

   A pid alone names no process.  Process 12 of our namespace is us, so a file
   with our pid and namespace is of an owner that is gone.  The owner in another
   namespace cannot be looked up, but the kernel grants no read lease on a file
   that a process has open or mapped for writing, in any namespace or
   container. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring.h"
#include "caml/eventring_lease.h"

/* Crash files that are kept for a pid, with the one that this process may
   become. */
#define MAX_CRASH_FILES 3

enum owner {
  NO_FILE,
  OBSOLETE,                     /* of this process, or empty */
  ALIVE, GONE, NOT_OURS
};

/* A file that has one of the names. */
struct candidate {
  enum owner owner;
  dev_t dev;
  ino_t ino;
  struct eventring_instant started; /* zeros if the file is empty */
  uint32_t state;
};

/* Returns 1 if the headers [a] and [b] have the same pid, the same known pid
   namespace and the same boot of the system; else 0. */
static int same_pid(const struct eventring_header *a,
                    const struct eventring_header *b)
{
  return a->pid == b->pid && a->pid_namespace != 0
    && a->pid_namespace == b->pid_namespace
    && memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id)) == 0;
}

/* Fills in [*c] for the file that [fd] has open for reading: its owner, and
   unless that is NOT_OURS or NO_FILE, its device, inode, start time and state.
   [mine] is the header of this process's new ring file.  The owner is NOT_OURS
   unless the file is a regular file of this user, has one name, and is empty or
   begins with the magic number of a ring file.  The owner is NO_FILE if the
   file was removed after it was opened. */
static void examine_open(int fd, const struct eventring_header *mine,
                         struct candidate *c)
{
  struct eventring_header h;
  struct stat st;
  c->owner = NOT_OURS;
  memset(&h, 0, sizeof(h));
  if (fstat(fd, &st) != 0) return;
  if (st.st_nlink == 0) {
    /* Its owner has removed it since it was opened. */
    c->owner = NO_FILE;
    return;
  }
  if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1)
    return;
  ssize_t n = pread(fd, &h, sizeof(h), 0);
  if (n < 0 || (n > 0 && (n < EVENTRING_MAGIC_SIZE
                          || memcmp(h.magic, EVENTRING_MAGIC,
                                    EVENTRING_MAGIC_SIZE) != 0))) return;
  c->dev = st.st_dev;
  c->ino = st.st_ino;
  c->started = h.started;
  c->state = h.state;
  if (same_pid(&h, mine))
    c->owner = h.start_time == mine->start_time ? OBSOLETE : GONE;
  else if (!eventring_nobody_writes(fd))
    c->owner = ALIVE;
  else
    /* Empty: its owner was killed before it wrote the header. */
    c->owner = n == 0 ? OBSOLETE : GONE;
}

/* Opens the file at [path] for reading, but follows no symbolic link and does
   not wait for a FIFO.  Returns the descriptor, or -1 with the error in
   errno. */
static int open_candidate(const char *path)
{
  return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* Fills in [*c] as [examine_open] does, for the file at [path].  The owner is
   NO_FILE if there is none, NOT_OURS if the file cannot be opened. */
static void examine(const char *path, const struct eventring_header *mine,
                    struct candidate *c)
{
  int fd = open_candidate(path);
  if (fd < 0) {
    c->owner = errno == ENOENT ? NO_FILE : NOT_OURS;
    return;
  }
  examine_open(fd, mine, c);
  close(fd);
}

/* Stores the state EVENTRING_REPLACED in the header of the ring file at [path],
   if that is still the file [c] and its state is EVENTRING_RUNNING.  So readers
   that have the file open learn why there are no more events.  Ignores
   errors. */
static void tell_readers(const char *path, const struct candidate *c)
{
  uint32_t state = EVENTRING_REPLACED;
  struct stat st;
  if (c->state != EVENTRING_RUNNING) return;
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  if (fstat(fd, &st) == 0 && st.st_dev == c->dev && st.st_ino == c->ino
      && pwrite(fd, &state, sizeof(state),
                offsetof(struct eventring_header, state)) < 0) { }
  close(fd);
}

/* Removes the file at [path] if it is still the file [c] with the same owner,
   after telling readers that have it open (tell_readers).  [mine] is the header
   of this process's new ring file.  Returns 1 if this process has removed the
   file, else 0.

   Another process may remove the file as well, and then give its name, and the
   number of its inode, to a new file.  So the file is examined again while it
   is open, which keeps its inode, and locked: only the holder of the lock
   removes the file. */
static int remove_candidate(const char *path,
                            const struct eventring_header *mine,
                            const struct candidate *c)
{
  struct candidate now;
  struct stat st;
  int removed = 0;
  int fd = open_candidate(path);
  if (fd < 0) return 0;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    examine_open(fd, mine, &now);
    if (now.owner == c->owner && now.dev == c->dev && now.ino == c->ino
        && memcmp(&now.started, &c->started,
                  sizeof(now.started)) == 0
        && lstat(path, &st) == 0 && st.st_dev == c->dev
        && st.st_ino == c->ino) {
      tell_readers(path, &now);
      removed = unlink(path) == 0;
    }
  }
  close(fd);
  return removed;
}

/* Puts the path of the ring file in directory [dir] into [path], which has
   [size] bytes: the pid of [mine], [number] unless it is 0, and [suffix].  Cuts
   a path that is too long. */
static void name_file(char *path, size_t size, const char *dir,
                      const struct eventring_header *mine, const char *suffix,
                      int number)
{
  char numbered[16] = "";
  if (number > 0) snprintf(numbered, sizeof(numbered), ".%d", number);
  snprintf(path, size, "%s/%lu%s%s", strcmp(dir, "/") == 0 ? "" : dir,
           (unsigned long) mine->pid, numbered, suffix);
}

/* Creates the file [path] with mode 0600, if there is nothing of this name, not
   even a symbolic link, and opens it.  Returns the descriptor, or -1 with the
   error in errno. */
static int create(const char *path)
{
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
              S_IRUSR | S_IWUSR);
}

__attribute__((cold))
int caml_eventring_create_next(const char *former, char *path, size_t size,
                               const char **why)
{
  snprintf(path, size, "%s.next", former);
  /* Of an earlier attempt, during which the process was killed. */
  unlink(path);
  int fd = create(path);
  if (fd < 0) *why = strerror(errno);
  return fd;
}

#define NAMES (EVENTRING_MAX_NUMBER + 1)

__attribute__((cold))
int caml_eventring_create_file(const char *dir,
                               const struct eventring_header *mine,
                               const char *suffix, char *path, size_t size,
                               const char **why)
{
  struct candidate c[NAMES];
  int fd, crash_files = 0, first_free = -1;

  name_file(path, size, dir, mine, suffix, 0);
  fd = create(path);
  if (fd >= 0 || errno != EEXIST) {
    *why = strerror(errno);
    return fd;
  }

  for (int i = 0; i < NAMES; i++) {
    name_file(path, size, dir, mine, suffix, i);
    examine(path, mine, &c[i]);
    if (c[i].owner == OBSOLETE && remove_candidate(path, mine, &c[i]))
      c[i].owner = NO_FILE;
    if (c[i].owner == NOT_OURS && i == 0) {
      *why = "something that is not a ring file of this user is there;"
             " remove it, or set OCAML_EVENTRING_PREFIX to another directory";
      return -1;
    }
    if (c[i].owner == GONE) crash_files++;
    if (c[i].owner == NO_FILE && first_free < 0) first_free = i;
  }

  for (; crash_files > MAX_CRASH_FILES - 1; crash_files--) {
    int oldest = 0;
    for (int i = 1; i < NAMES; i++)
      if (c[i].owner == GONE
          && (c[oldest].owner != GONE
              || c[i].started.realtime_ns
                 < c[oldest].started.realtime_ns))
        oldest = i;
    name_file(path, size, dir, mine, suffix, oldest);
    c[oldest].owner = remove_candidate(path, mine, &c[oldest]) ? NO_FILE : NOT_OURS;
    if (c[oldest].owner == NO_FILE && (first_free < 0 || oldest < first_free))
      first_free = oldest;
  }

  fd = -1;
  *why = "files of other processes have all the names for this process id;"
         " remove those that are not needed, or set OCAML_EVENTRING_PREFIX to"
         " another directory";
  for (int i = first_free; i >= 0 && i < NAMES && fd < 0; i++) {
    name_file(path, size, dir, mine, suffix, i);
    if (c[i].owner == NO_FILE) fd = create(path);
  }
  if (fd >= 0 && c[0].owner == ALIVE)
    caml_eventring_complain("%s/%lu%s belongs to another process with this"
                            " process id; the ring file is %s", dir,
                            (unsigned long) mine->pid, suffix, path);
  return fd;
}
