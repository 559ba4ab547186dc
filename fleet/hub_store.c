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

/* See hub_store.h.

   A part is confirmed after fsync of its file and, for its first bytes, of the
   folders above it.  When a write fails, the file gets its old length back. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "explain.h"
#include "hub_store.h"
#include "locks.h"
#include "small_file.h"

#define APART_BYTES ((size_t) 4096)

static int64_t clock_ns(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t hub_realtime_ns(void)
{
  return clock_ns(CLOCK_REALTIME);
}

int64_t hub_monotonic_ns(void)
{
  return clock_ns(CLOCK_MONOTONIC);
}

/* Names */

static bool is_part_name(const char *name)
{
  return part_number(name) != 0;
}

void name_part_file(char name[PART_NAME_SIZE], uint32_t number,
                    const char *end)
{
  snprintf(name, PART_NAME_SIZE, "%" PRIu32 "%s", number, end);
}

/* Folders */

/* Opens the folder [name] in [at], and makes it if [make] is true.  Returns -1
   with errno. */
static int open_folder(int at, const char *name, bool make)
{
  if (make && mkdirat(at, name, 0700) < 0 && errno != EEXIST) return -1;
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int open_hub_folder(struct hub_store *store, const char *node,
                    const char *stream)
{
  int folder = open_folder(store->nodes, node, false);
  if (folder < 0 || stream == NULL) return folder;
  int inner = open_folder(folder, stream, false);
  close(folder);
  return inner;
}

bool visit_names(int folder, bool (*wanted)(const char *name),
                 void (*visit)(void *state, const char *name), void *state)
{
  int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  struct dirent *entry;
  if (dir == NULL) {
    if (fd >= 0) close(fd);
    return false;
  }
  while (errno = 0, (entry = readdir(dir)) != NULL)
    if (wanted(entry->d_name)) visit(state, entry->d_name);
  const bool all = errno == 0;
  closedir(dir);
  return all;
}

static void remove_file(void *state, const char *name)
{
  const int *folder = state;
  unlinkat(*folder, name, 0);
}

void remove_names(int folder, bool (*wanted)(const char *name))
{
  visit_names(folder, wanted, remove_file, &folder);
}

/* Adds [text] to the FNV-1a [hash]. */
static uint32_t add_to_hash(uint32_t hash, const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    hash = (hash ^ (unsigned char) *c) * 16777619;
  return hash;
}

pthread_mutex_t *lock_of_stream(struct hub_store *store, const char *node,
                                const char *stream)
{
  const uint32_t hash = add_to_hash(add_to_hash(2166136261, node), stream);
  return &store->locks[hash % HUB_LOCKS];
}

pthread_mutex_t *lock_of_node(struct hub_store *store, const char *node)
{
  return &store->node_locks[add_to_hash(2166136261, node) % HUB_LOCKS];
}

/* Lists of parts */

struct listing {
  int folder;
  struct part_file *parts;
  size_t count, room;
  bool failed;
};

static int64_t time_ns(struct timespec t)
{
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static void add_part(void *state, const char *name)
{
  struct listing *l = state;
  struct stat st;
  if (fstatat(l->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0
      || !S_ISREG(st.st_mode))
    return;
  if (l->count == l->room) {
    const size_t room = l->room > 0 ? 2 * l->room : 16;
    struct part_file *more = realloc(l->parts, room * sizeof *more);
    if (more == NULL) {
      l->failed = true;
      return;
    }
    l->parts = more;
    l->room = room;
  }
  l->parts[l->count++] = (struct part_file) {
    .number = part_number(name), .complete = (st.st_mode & 0200) == 0,
    .bytes = (uint64_t) st.st_size, .changed_ns = time_ns(st.st_mtim) };
}

static int by_number(const void *left, const void *right)
{
  const struct part_file *a = left, *b = right;
  return (a->number > b->number) - (a->number < b->number);
}

bool list_parts(int folder, struct part_file **parts, size_t *count)
{
  struct listing l = { .folder = folder };
  const bool all = visit_names(folder, is_part_name, add_part, &l);
  if (l.count > 0) qsort(l.parts, l.count, sizeof *l.parts, by_number);
  *parts = l.parts;
  *count = l.count;
  return all && !l.failed;
}

/* Opening */

struct visit {
  struct hub_store *store;
  const char *node;
  int folder;                     /* of the node */
  void (*stream)(struct hub_store *store, const char *node, const char *stream,
                 void *state);
  void *state;
};

static void visit_stream(void *state, const char *name)
{
  struct visit *v = state;
  v->stream(v->store, v->node, name, v->state);
}

static void visit_node(void *state, const char *name)
{
  struct visit *v = state;
  v->node = name;
  v->folder = open_folder(v->store->nodes, name, false);
  if (v->folder < 0) return;
  visit_names(v->folder, is_stream_name, visit_stream, v);
  close(v->folder);
}

void visit_hub_streams(struct hub_store *store,
                       void (*stream)(struct hub_store *store, const char *node,
                                      const char *name, void *state),
                       void *state)
{
  struct visit v = { .store = store, .stream = stream, .state = state };
  visit_names(store->nodes, is_node_name, visit_node, &v);
}

/* Adds the size of the parts of a stream to the bytes of the store. */
static void count_stream(struct hub_store *store, const char *node,
                         const char *stream, void *state)
{
  struct part_file *parts = NULL;
  size_t count = 0;
  int folder = open_hub_folder(store, node, stream);
  (void) state;
  if (folder < 0) return;
  list_parts(folder, &parts, &count);
  for (size_t i = 0; i < count; i++)
    store->bytes += parts[i].bytes + PART_COST;
  free(parts);
  close(folder);
}

static bool is_file(const char *name)
{
  return name[0] != '.';
}

void remove_merge_folder(struct hub_store *store, const char *name)
{
  int folder = open_folder(store->hub, name, false);
  if (folder < 0) return;
  remove_names(folder, is_file);
  close(folder);
  unlinkat(store->hub, name, AT_REMOVEDIR);
}

static bool is_leftover(const char *name)
{
  return strncmp(name, MERGE_PREFIX, strlen(MERGE_PREFIX)) == 0;
}

static void remove_leftover(void *state, const char *name)
{
  remove_merge_folder(state, name);
}

/* Takes the lock that a hub holds on its store. */
static bool lock_store(struct hub_store *store, char *why, size_t size)
{
  store->locked = openat(store->hub, "lock",
                         O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (store->locked < 0)
    return explain(why, size, "cannot open %.3900s/hub/lock: %s", store->path,
                   strerror(errno));
  if (flock(store->locked, LOCK_EX | LOCK_NB) < 0)
    return explain(why, size, "another hub uses the store %.3900s",
                   store->path);
  visit_names(store->hub, is_leftover, remove_leftover, store);
  visit_hub_streams(store, count_stream, NULL);
  return true;
}

bool open_hub_store(struct hub_store *store, const char *path, bool serve,
                    char *why, size_t size)
{
  int folder;
  *store = (struct hub_store) { .hub = -1, .tokens = -1, .nodes = -1,
                                .locked = -1, .max_age_ns = INT64_MAX,
                                .max_bytes = UINT64_MAX };
  for (int i = 0; i < HUB_LOCKS; i++) {
    pthread_mutex_init(&store->locks[i], NULL);
    pthread_mutex_init(&store->node_locks[i], NULL);
  }
  open_turns(&store->merges, HUB_MERGES);
  if (strlen(path) >= sizeof store->path)
    return explain(why, size, "cannot open the store: %s",
                   strerror(ENAMETOOLONG));
  strcpy(store->path, path);
  if (serve && !make_folders(path))
    return explain(why, size, "cannot make the folder %.3900s: %s", path,
                   strerror(errno));
  folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    store->hub = open_folder(folder, "hub", serve);
    store->nodes = open_folder(folder, "nodes", serve);
  }
  if (store->hub >= 0) store->tokens = open_folder(store->hub, "tokens", serve);
  if (folder < 0 || store->nodes < 0 || store->tokens < 0) {
    if (!serve && errno == ENOENT)
      explain(why, size, NO_HUB_YET, path);
    else
      explain(why, size, "cannot open the store %.3900s: %s", path,
              strerror(errno));
    if (folder >= 0) close(folder);
    return false;
  }
  close(folder);
  return !serve || lock_store(store, why, size);
}

void close_hub_store(struct hub_store *store)
{
  const int folders[] = { store->hub, store->tokens, store->nodes,
                          store->locked };
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (folders[i] >= 0) close(folders[i]);
  for (int i = 0; i < HUB_LOCKS; i++) {
    pthread_mutex_destroy(&store->locks[i]);
    pthread_mutex_destroy(&store->node_locks[i]);
  }
  close_turns(&store->merges);
}

/* Appending */

/* A part while bytes are added to it. */
struct appending {
  struct hub_store *store;
  const struct hub_part *part;
  uint64_t offset;
  const char *bytes;
  size_t count;
  bool last;
  int node, folder, fd;
  bool made;                      /* the file did not exist */
  uint64_t length;                /* of the file, as it was */
  bool complete;                  /* likewise */
  char *why;
  size_t why_size;
};

static enum append_result fail_with(struct appending *a,
                                    enum append_result result,
                                    const char *text)
{
  explain(a->why, a->why_size, "%s", text);
  return result;
}

/* Returns the result for the failure [error] of a system call. */
static enum append_result fail_with_errno(struct appending *a, int error)
{
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return fail_with(a, full ? PART_FULL : PART_FAILED, strerror(error));
}

#define FLAGS (O_NOFOLLOW | O_NONBLOCK)

/* Opens the file of the part; only an append at 0 makes it and its folder.
   Returns false, with errno, when it does not exist or cannot be opened. */
static bool open_part(struct appending *a)
{
  const bool make = a->offset == 0;
  char name[PART_NAME_SIZE];
  struct stat st;
  name_part_file(name, a->part->number, ".evr");
  a->node = open_folder(a->store->nodes, a->part->node, false);
  if (a->node >= 0) a->folder = open_folder(a->node, a->part->stream, make);
  if (a->folder < 0) return false;
  a->fd = openat(a->folder, name, O_RDWR | O_CLOEXEC | FLAGS);
  /* A complete part is read-only. */
  if (a->fd < 0 && errno == EACCES)
    a->fd = openat(a->folder, name, O_RDONLY | O_CLOEXEC | FLAGS);
  if (a->fd < 0 && errno == ENOENT && make) {
    a->fd = openat(a->folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | FLAGS,
                   0600);
    a->made = a->fd >= 0;
  }
  if (a->fd < 0 || fstat(a->fd, &st) < 0) return false;
  if (!S_ISREG(st.st_mode)) {
    errno = EINVAL;
    return false;
  }
  a->length = (uint64_t) st.st_size;
  a->complete = (st.st_mode & 0200) == 0;
  return true;
}

static void close_part(struct appending *a)
{
  if (a->fd >= 0) close(a->fd);
  if (a->folder >= 0) close(a->folder);
  if (a->node >= 0) close(a->node);
}

/* Returns whether the first [count] bytes equal the bytes of the file at
   [offset]. */
static bool are_there(const struct appending *a, size_t count)
{
  char block[16384];
  for (size_t done = 0; done < count; ) {
    const size_t wanted = count - done < sizeof block ? count - done
                                                      : sizeof block;
    ssize_t n = pread(a->fd, block, wanted, (off_t) (a->offset + done));
    if (n <= 0 || memcmp(block, a->bytes + done, (size_t) n) != 0) return false;
    done += (size_t) n;
  }
  return true;
}

/* Writes [count] [bytes] at [offset] of [fd].  Returns false with errno. */
static bool write_at(int fd, const char *bytes, size_t count, uint64_t offset)
{
  for (size_t done = 0; done < count; ) {
    ssize_t n = pwrite(fd, bytes + done, count - done,
                       (off_t) (offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += (size_t) n;
  }
  return true;
}

/* Keeps the first of the bytes, which differ from the part, in a file
   of their own; the first time only. */
static void keep_apart(const struct appending *a)
{
  char name[PART_NAME_SIZE];
  name_part_file(name, a->part->number, ".differs");
  int fd = openat(a->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
                                   | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  if (!write_at(fd, a->bytes, a->count < APART_BYTES ? a->count : APART_BYTES,
                0))
    unlinkat(a->folder, name, 0);
  close(fd);
}

/* Makes the file durable, and the names of it and of its folders for the first
   bytes.  Returns false with errno. */
static bool sync_part(const struct appending *a)
{
  if (fsync(a->fd) < 0) return false;
  return a->offset > 0
    || (fsync(a->folder) == 0 && fsync(a->node) == 0
        && fsync(a->store->nodes) == 0);
}

/* Removes the file that this request has made: nothing of it is stored, and it
   does not count in the bytes of the store. */
static void remove_made(const struct appending *a)
{
  char name[PART_NAME_SIZE];
  name_part_file(name, a->part->number, ".evr");
  unlinkat(a->folder, name, 0);
}

/* Writes the bytes after the first [there], and makes all durable. */
static enum append_result write_rest(struct appending *a, size_t there,
                                     uint64_t *stored)
{
  const size_t rest = a->count - there;
  const bool closes = a->last && !a->complete;
  if ((rest > 0 && !write_at(a->fd, a->bytes + there, rest, a->length))
      || (closes && fchmod(a->fd, 0400) < 0) || !sync_part(a)) {
    int error = errno;
    if (closes) fchmod(a->fd, 0600);
    /* Bytes that may not be durable must be sent again. */
    if (rest > 0 && ftruncate(a->fd, (off_t) a->length) < 0) error = EIO;
    if (a->made) remove_made(a);
    return fail_with_errno(a, error);
  }
  a->store->bytes += rest + (a->made ? PART_COST : 0);
  *stored = a->length + rest;
  return PART_STORED;
}

/* Refuses the bytes with [result], and sets *stored to the length of the part,
   which is durable then. */
static enum append_result refuse_with_size(struct appending *a,
                                           enum append_result result,
                                           const char *text, uint64_t *stored)
{
  if (fsync(a->fd) < 0) return fail_with_errno(a, errno);
  *stored = a->length;
  return fail_with(a, result, text);
}

static enum append_result append(struct appending *a, uint64_t *stored)
{
  if (!open_part(a)) {
    if (errno != ENOENT) return fail_with_errno(a, errno);
    return fail_with(a, PART_GAP, "the part begins at offset 0");
  }
  if (a->offset > a->length)
    return refuse_with_size(a, PART_GAP, "bytes before the offset are missing",
                            stored);
  const uint64_t after = a->length - a->offset;
  const size_t there = after < a->count ? (size_t) after : a->count;
  *stored = a->offset;
  if (!are_there(a, there)) {
    keep_apart(a);
    return fail_with(a, PART_DIFFERS, "the bytes differ from those stored");
  }
  if (there < a->count && a->complete)
    return refuse_with_size(a, PART_COMPLETE, "the part is complete", stored);
  if (a->length + (a->count - there) > PART_MAX_BYTES)
    return fail_with(a, PART_TOO_LARGE, "the part is too large");
  return write_rest(a, there, stored);
}

enum append_result append_to_part(struct hub_store *store,
                                  const struct hub_part *part, uint64_t offset,
                                  const void *bytes, size_t count, bool last,
                                  uint64_t *stored, char *why, size_t size)
{
  struct appending a = {
    .store = store, .part = part, .offset = offset, .bytes = bytes,
    .count = count, .last = last, .node = -1, .folder = -1, .fd = -1,
    .why = why, .why_size = size
  };
  *stored = 0;
  if (!clean_hub_store(store, count + PART_COST))
    return fail_with(&a, PART_FULL, "the store has reached its limit");
  pthread_mutex_t *lock = lock_of_stream(store, part->node, part->stream);
  pthread_mutex_lock(lock);
  enum append_result result = append(&a, stored);
  pthread_mutex_unlock(lock);
  close_part(&a);
  return result;
}
