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

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "children.h"
#include "common.h"
#include "poll_interval.h"
#include "sessions.h"

/* How long processes that outlive the program are waited for. */
#define GRACE_NS (200L * 1000 * 1000)

/* The time between two searches of a folder that cannot be watched, and the
   longest between two attempts to open a file that is no ring file yet. */
#define SEARCH_NS (10L * 1000 * 1000)

/* How long a file may be no ring file yet. */
#define UNFINISHED_NS (1000L * 1000 * 1000)

/* The time between two looks at an idle child: for each child, so that many take
   a part of a processor only, and at most.  A child that begins to write in
   between must not fill its rings. */
#define IDLE_NS (40L * 1000)
#define LONGEST_IDLE_NS (20L * 1000 * 1000)

/* The time between two looks whether an idle child has ended. */
#define END_NS (30L * 1000 * 1000)

/* A ring file that has appeared. */
struct child {
  char *path;
  int64_t found_ns, before_ns, due_ns;  /* when it was found, was read, and is
                                           to be read */
  int64_t state_ns;               /* when its state was looked at; 0: look at
                                     once */
  int error;                      /* why it could not be opened yet */
  struct followed rings;          /* no cursor: it could not be opened yet */
  struct sessions *sessions;
};

/* A file that a search has found, which it need not find again. */
struct found {
  char *name;
  struct stat file;
};

struct children {
  const char *folder;
  bool own;
  int64_t started_ns;             /* no session of the tree is older */
  int inotify;                    /* -1: the folder is searched */
  bool search;                    /* the folder must be searched */
  bool ending;                    /* files that are not open by now stay unread */
  int64_t searched_ns;
  struct found *found;
  size_t found_count, found_room, found_next;
  bool counted;                   /* each file that appeared was seen */
  size_t appeared;                /* ring files of the tree, of the program too,
                                     but for the next ones */
  size_t unopened;                /* ring files that the system does not open */
  bool lacked;                    /* see struct missed */
  size_t unsure;                  /* processes that had ended when their files were
                                     opened, which may be foreign */
  bool shared;                    /* others write to the folder meanwhile */
  char why[512];                  /* the last message of eventring_open, and */
  char why_unopened[512];         /* that for the last of these files */
  struct child **list;            /* those that are not read to their end */
  size_t count, room;
  struct child *only;             /* the first that was read to its end, until
                                     there is another line */
  struct parts parts;
  struct tree_summary tree;
  enum status *status;
};

struct children *new_children(const char *folder, bool own, const char *output,
                              bool force, bool json, enum status *status)
{
  struct children *c = allocate(1, sizeof *c);
  c->folder = folder;
  c->own = own;
  c->started_ns = monotonic_ns();
  c->status = status;
  c->tree.json = json;
  begin_parts(&c->parts, output, force, status);
  c->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (c->inotify >= 0
      && inotify_add_watch(c->inotify, folder, IN_CREATE | IN_MOVED_TO) < 0) {
    close(c->inotify);
    c->inotify = -1;
  }
  c->counted = c->inotify >= 0;
  return c;
}

int children_descriptor(const struct children *c)
{
  return c->inotify;
}

struct parts *children_parts(struct children *c)
{
  return &c->parts;
}

struct tree_summary *children_tree(struct children *c)
{
  return &c->tree;
}

struct summary *only_child(struct children *c)
{
  return c->only != NULL && c->tree.count == 1 ? c->only->rings.summary : NULL;
}

struct missed missed_files(const struct children *c)
{
  return (struct missed) {
    .gone = c->counted && c->appeared > c->tree.count
            ? c->appeared - c->tree.count : 0,
    .unopened = c->unopened, .lacked = c->lacked, .why = c->why_unopened,
    .unsure = c->shared ? c->unsure : 0 };
}

/* Finding */

/* Returns whether [name] is the name of a ring file: digits, perhaps a dot and a
   number, and the suffix. */
static bool is_ring_name(const char *name)
{
  size_t digits = strspn(name, "0123456789");
  const char *suffix = name + digits;
  if (suffix[0] == '.' && strspn(suffix + 1, "0123456789") > 0)
    suffix += 1 + strspn(suffix + 1, "0123456789");
  return digits > 0 && (strcmp(suffix, ".eventring") == 0
                        || strcmp(suffix, ".events") == 0);
}

/* Adds the file [name] of the folder to the list, if it is the name of a ring
   file, and not of the program. */
static void take_file(struct children *c, const char *name, pid_t program)
{
  char ours[32];
  if (!is_ring_name(name)) return;
  c->appeared++;
  snprintf(ours, sizeof ours, "%ld.", (long) program);
  if (strncmp(name, ours, strlen(ours)) == 0) return;
  struct child *child = allocate(1, sizeof *child);
  if (asprintf(&child->path, "%s/%s", c->folder, name) < 0) out_of_memory();
  child->found_ns = child->before_ns = child->due_ns = monotonic_ns();
  child->rings.status = c->status;
  c->list = with_room(c->list, c->count, &c->room, sizeof *c->list);
  c->list[c->count++] = child;
}

/* Takes the files that inotify reports. */
static void take_reported(struct children *c, pid_t program)
{
  _Alignas(struct inotify_event) char bytes[8192];
  ssize_t n;
  while (c->inotify >= 0 && (n = read(c->inotify, bytes, sizeof bytes)) > 0)
    for (char *p = bytes; p < bytes + n;) {
      const struct inotify_event *event = (void *) p;
      if ((event->mask & IN_Q_OVERFLOW) != 0) c->search = true;
      else if (event->len > 0) take_file(c, event->name, program);
      p += sizeof *event + event->len;
    }
}

/* Returns whether the file [name] with the status [file] was found before, and
   notes it if not.  A file that has been written to since is found again: its
   inode may be that of another one which was removed. */
static bool was_found(struct children *c, const char *name,
                      const struct stat *file)
{
  for (size_t i = 0; i < c->found_count; i++) {
    /* A search mostly finds them in the same order. */
    const size_t k = (c->found_next + i) % c->found_count;
    struct found *f = &c->found[k];
    if (strcmp(f->name, name) != 0) continue;
    c->found_next = k + 1;
    const bool same = f->file.st_dev == file->st_dev
                      && f->file.st_ino == file->st_ino
                      && f->file.st_mtim.tv_sec == file->st_mtim.tv_sec
                      && f->file.st_mtim.tv_nsec == file->st_mtim.tv_nsec;
    f->file = *file;
    return same;
  }
  c->found = with_room(c->found, c->found_count, &c->found_room,
                       sizeof *c->found);
  char *copy = strdup(name);
  if (copy == NULL) out_of_memory();
  c->found[c->found_count++] = (struct found) { .name = copy, .file = *file };
  return false;
}

/* Returns whether the file [name] is in the list and waits to be opened. */
static bool is_pending(const struct children *c, const char *name)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i]->rings.cursor == NULL
        && strcmp(strrchr(c->list[i]->path, '/') + 1, name) == 0)
      return true;
  return false;
}

/* Takes the new files of the folder, if it cannot be watched, or files have been
   missed.  Those that were reported are recognised when they are opened. */
static void search_folder(struct children *c, pid_t program)
{
  const int64_t now = monotonic_ns();
  if (!c->search && (c->inotify >= 0 || now - c->searched_ns < SEARCH_NS))
    return;
  c->search = c->counted = false;
  c->searched_ns = now;
  DIR *d = opendir(c->folder);
  const struct dirent *entry;
  struct stat file;
  if (d == NULL) {
    /* For lack of descriptors, perhaps. */
    c->search = true;
    return;
  }
  while ((entry = readdir(d)) != NULL)
    if (is_ring_name(entry->d_name)
        && fstatat(dirfd(d), entry->d_name, &file, 0) == 0
        && !was_found(c, entry->d_name, &file)
        && !is_pending(c, entry->d_name))
      take_file(c, entry->d_name, program);
  closedir(d);
}

/* Opening */

/* Returns the parent of process [pid]; 0 when it has none, -1 when there is no
   such process. */
static pid_t parent_of(pid_t pid)
{
  char text[STAT_SIZE];
  long parent = 0;
  const char *fields = process_stat((long) pid, text);
  return fields == NULL || sscanf(fields, "%*c %ld", &parent) != 1
         ? -1 : (pid_t) parent;
}

/* Returns whether a session with these facts is one of ours: read now or read to
   its end. */
static bool is_known(const struct children *c, const struct eventring_info *info)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i]->rings.cursor != NULL) {
      struct eventring_info other = target_info(c->list[i]->rings.cursor);
      if (other.pid == info->pid && other.started_ns == info->started_ns)
        return true;
    }
  return is_in_tree(&c->tree, info->pid, info->started_ns);
}

/* Returns whether process [pid] is the program, or one that was read. */
static bool is_ours(const struct children *c, pid_t program, pid_t pid)
{
  if (pid == program) return true;
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i]->rings.cursor != NULL
        && target_info(c->list[i]->rings.cursor).pid == pid)
      return true;
  return pid_in_tree(&c->tree, pid);
}

/* Returns whether the list has a file of process [pid], other than that of
   [child], that is not open yet. */
static bool is_unopened(const struct children *c, const struct child *child,
                        pid_t pid)
{
  for (size_t i = 0; i < c->count; i++) {
    const struct child *other = c->list[i];
    if (other != child && other->rings.cursor == NULL
        && strtol(strrchr(other->path, '/') + 1, NULL, 10) == pid)
      return true;
  }
  return false;
}

enum kinship { OURS, PERHAPS_OURS, FOREIGN, NOT_KNOWN_YET };

/* Returns whether the session of [child] with these facts is of the tree.  In a
   folder that others use too, a session is foreign that is older than the
   program, or whose process and all its ancestors run if neither eventring nor a
   process of the tree is among them.  A process that a traced process has forked
   may have lost its parent.  Perhaps ours if the process, or an ancestor, has
   ended.  Not known until the files of its ancestors are open. */
static enum kinship kinship(const struct children *c, const struct child *child,
                            pid_t program, const struct eventring_info *info)
{
  if (c->own) return OURS;
  if (!info->same_boot || info->started_ns < c->started_ns) return FOREIGN;
  if (info->pid_is_elsewhere
      || (info->parent_pid != 0 && is_ours(c, program, info->parent_pid)))
    return OURS;
  bool waits = info->parent_pid != 0 && is_unopened(c, child, info->parent_pid);
  pid_t pid = info->pid;
  while (pid > 1 && pid != getpid() && !is_ours(c, program, pid)) {
    pid = parent_of(pid);
    waits |= is_unopened(c, child, pid);
  }
  if (pid < 0) return PERHAPS_OURS;
  if (pid != 0 && (pid != 1 || getpid() == 1)) return OURS;
  return waits && !c->ending ? NOT_KNOWN_YET : FOREIGN;
}

static void free_child(struct child *child)
{
  close_followed(&child->rings);
  free_sessions(child->sessions);
  free(child->path);
  free(child);
}

/* Counts the file of a child as one that the system does not open.  A file of
   another user in a folder that others use too is not of the tree. */
static void count_unopened(struct children *c, const struct child *child)
{
  struct stat file;
  c->appeared--;
  if (!c->own && child->error == EVENTRING_E_PERMISSION
      && (stat(child->path, &file) < 0 || file.st_uid != geteuid()))
    return;
  c->unopened++;
  if (child->error != EVENTRING_E_PERMISSION) c->lacked = true;
  memcpy(c->why_unopened, c->why, sizeof c->why);
}

/* Sets when to try again to open the file of a child. */
static void try_later(struct child *child)
{
  const int64_t now = monotonic_ns(), age_ns = now - child->found_ns;
  child->due_ns = now + (age_ns < SEARCH_NS ? age_ns / 8 + 20000 : SEARCH_NS);
}

/* Notes why the file of a child cannot be opened, and sets when to try again.
   Returns whether to do so: a file that is no ring file may become one, and the
   system may have memory or descriptors later. */
static bool is_worth_waiting(struct children *c, struct child *child, int error)
{
  child->error = error;
  try_later(child);
  switch (error) {
  case EVENTRING_E_NOT_FOUND: return false;
  case EVENTRING_E_PERMISSION: count_unopened(c, child); return false;
  case EVENTRING_E_SYSTEM: case EVENTRING_E_MEMORY: return true;
  default: return monotonic_ns() - child->found_ns < UNFINISHED_NS;
  }
}

/* Opens the file of a child, and begins its summary and its recording.  Returns
   whether the child stays in the list: false when the file is gone, is known, is
   not of the tree, or cannot be read. */
static bool open_child(struct children *c, struct child *child, pid_t program)
{
  struct eventring_cursor *cursor;
  const struct eventring_options options = {
    .size = sizeof options, .message = c->why, .message_size = sizeof c->why };
  int error = eventring_open(child->path, &options, &cursor);
  if (error < 0) return is_worth_waiting(c, child, error);
  const struct eventring_info info = target_info(cursor);
  /* A recording may have the name of a ring file. */
  const enum kinship kin = info.format == EVENTRING_FORMAT_RECORDING
    ? FOREIGN : kinship(c, child, program, &info);
  if (kin == FOREIGN) {
    c->appeared--;
    c->shared |= info.same_boot && info.started_ns >= c->started_ns
                 && info.format != EVENTRING_FORMAT_RECORDING;
  }
  if (kin == FOREIGN || kin == NOT_KNOWN_YET || is_known(c, &info)) {
    eventring_close(cursor);
    child->error = 0;
    try_later(child);
    return kin == NOT_KNOWN_YET;
  }
  c->unsure += kin == PERHAPS_OURS;
  char *part = new_part(&c->parts);
  child->sessions = new_sessions(cursor, NULL);
  begin_followed(&child->rings, cursor, part, false, true);
  free(part);
  return true;
}

/* Reading */

/* Reads the last events of a child whose session has ended, or which is not to be
   read any more, and adds its line.  Removes its file from a folder of ours if no
   process can write to it. */
static void finish_child(struct children *c, struct child *child)
{
  /* One that runs might write faster than it is read. */
  while (read_followed(&child->rings) > 0
         && eventring_state(child->rings.cursor) != EVENTRING_STATE_RUNNING) ;
  end_followed(&child->rings);
  add_to_tree(&c->tree, child->rings.summary);
  const int state = eventring_state(child->rings.cursor);
  if (c->own && !process_runs(child->sessions, 0)
      && state != EVENTRING_STATE_RUNNING && state != EVENTRING_STATE_REPLACED
      && !has_next_session(child->sessions))
    unlink(child->path);
  if (c->only != NULL) free_child(c->only);
  c->only = NULL;
  if (c->tree.count == 1) c->only = child;
  else free_child(child);
}

/* Reads the rings of a child, and sets when to read them again.  Returns whether
   it stays in the list. */
static bool read_child(struct children *c, struct child *child, pid_t program)
{
  if (child->rings.cursor == NULL && !open_child(c, child, program)) {
    free_child(child);
    return false;
  }
  if (child->rings.cursor == NULL) return true;
  const int64_t began = monotonic_ns();
  const uint64_t words = read_followed(&child->rings);
  if (words == 0 && began - child->state_ns >= END_NS) {
    if (eventring_state(child->rings.cursor) != EVENTRING_STATE_RUNNING) {
      finish_child(c, child);
      return false;
    }
    child->state_ns = began;
  }
  const int64_t now = monotonic_ns();
  int64_t wait_ns = poll_interval_ns(
    target_info(child->rings.cursor).ring_words, words,
    began - child->before_ns);
  int64_t idle_ns = IDLE_NS * (int64_t) c->count;
  if (idle_ns > LONGEST_IDLE_NS) idle_ns = LONGEST_IDLE_NS;
  if (words == 0 && wait_ns < idle_ns) wait_ns = idle_ns;
  child->before_ns = began;
  child->due_ns = now + wait_ns;
  return true;
}

/* Takes the child at [place] from the list.  Parents stay before children. */
static void remove_child(struct children *c, size_t place)
{
  memmove(&c->list[place], &c->list[place + 1],
          (--c->count - place) * sizeof *c->list);
}

int64_t read_children(struct children *c, pid_t program)
{
  take_reported(c, program);
  search_folder(c, program);
  const int64_t now = monotonic_ns();
  int64_t next = c->inotify < 0 ? now + SEARCH_NS : INT64_MAX;
  for (size_t i = 0; i < c->count;) {
    struct child *child = c->list[i];
    if (child->due_ns <= now && !read_child(c, child, program)) {
      remove_child(c, i);
      continue;
    }
    if (child->due_ns < next) next = child->due_ns;
    i++;
  }
  return next;
}

void end_children(struct children *c, pid_t program)
{
  const int64_t until = monotonic_ns() + GRACE_NS;
  /* A file that appeared last may be of the last process. */
  c->search = c->inotify < 0;
  int64_t next = read_children(c, program), now = monotonic_ns();
  for (; c->count > 0 && now < until; now = monotonic_ns()) {
    for (size_t i = 0; i < c->count; i++) c->list[i]->state_ns = 0;
    if (next > now)
      nanosleep(&(struct timespec) {
        .tv_nsec = (long) ((next < until ? next : until) - now) }, NULL);
    next = read_children(c, program);
  }
  /* Open children have descriptors, which the others may lack. */
  size_t closed = 0;
  for (size_t i = 0; i < c->count; i++) {
    struct child *child = c->list[i];
    if (child->rings.cursor != NULL) finish_child(c, child);
    else c->list[closed++] = child;
  }
  c->count = closed;
  c->ending = true;
  while (c->count > 0) {
    struct child *child = c->list[0];
    remove_child(c, 0);
    const bool stays = open_child(c, child, program);
    if (stays && child->rings.cursor != NULL) {
      finish_child(c, child);
      continue;
    }
    if (stays && (child->error == EVENTRING_E_SYSTEM
                  || child->error == EVENTRING_E_MEMORY))
      count_unopened(c, child);
    free_child(child);
  }
}

void free_children(struct children *c)
{
  if (c->only != NULL) free_child(c->only);
  if (c->inotify >= 0) close(c->inotify);
  free(c->list);
  for (size_t i = 0; i < c->found_count; i++) free(c->found[i].name);
  free(c->found);
  free_tree(&c->tree);
  for (size_t i = 0; i < c->parts.count; i++) free(c->parts.paths[i]);
  free(c->parts.paths);
  free(c->parts.folder);
  free(c);
}
