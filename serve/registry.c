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

/* Every second the scan makes a list of candidates: a file, which process of
   it, and the pid.  An entry is found again by the file's device and inode, so
   that a program that was executed, or the next session of a process, is
   another entry; its id also has the time when tracing started.  A view keeps
   its file open, so that the inode cannot pass to another file. */

#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "address.h"
#include "locks.h"
#include "memory.h"
#include "operand.h"
#include "parse.h"
#include "registry.h"
#include "stream.h"
#include "target.h"

/* Ended processes are shown for so long, if the command line does not name
   them. */
#define ENDED_NS (600 * SECOND_NS)

/* The identity of a candidate. */
struct key {
  dev_t device;
  ino_t inode;                    /* 0: the file cannot be looked at */
  uint32_t process;               /* of a recording */
  int32_t pid;
};

struct entry {
  struct registry_entry shown;
  char *path;
  struct key key;
  uint64_t seen;                  /* number of the scan that found it last */
  int64_t gone_ns;                /* since when it is not found; 0: it is */
  int64_t used_ns;                /* when a client asked for it last */
};

/* An operand of the command line. */
enum operand_kind { OPERAND_PID, OPERAND_DIR, OPERAND_FILE };
struct operand {
  enum operand_kind kind;
  int32_t pid;
  char *path;
  uint32_t process, processes;    /* the first of a file, and how many */
  struct eventring_search *search; /* of a pid or a folder */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct operand *operands;
static int operand_count;
static struct eventring_search *all_processes;    /* without operands */
/* Files that clients have opened; guarded by the lock. */
static struct shown { char *path; uint32_t processes; int64_t used_ns; }
  shown_files[REGISTRY_SHOWN] GUARDED_BY(lock);
/* The lock guards the entries; only the scan adds and removes them. */
static struct entry **entries GUARDED_BY(lock);
static size_t entry_count GUARDED_BY(lock), entry_room GUARDED_BY(lock);
static int view_count GUARDED_BY(lock);
static bool closed_any GUARDED_BY(lock);  /* views, since the last scan */
static uint64_t scans GUARDED_BY(lock);

/* Entries; the caller holds the lock. */

/* Returns a hash of the identity of [key] and the start of tracing. */
static uint64_t id_of(const struct key *key, int64_t started_ns)
{
  const uint64_t words[] = { key->device, key->inode, key->process,
                             (uint64_t) key->pid, (uint64_t) started_ns };
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int byte = 0; byte < 8; byte++)
      hash = (hash ^ (words[i] >> 8 * byte & 255)) * UINT64_C(1099511628211);
  return hash;
}

static bool same_key(const struct key *a, const struct key *b)
{
  return a->device == b->device && a->inode == b->inode
         && a->process == b->process && a->pid == b->pid;
}

REQUIRES(lock)
static void close_entry_view(struct entry *e)
{
  if (e->shown.view == NULL) return;
  closed_any = true;
  drop_view(e->shown.view);
  e->shown.view = NULL;
  view_count--;
}

/* Opens the view of [e], if there is room for one.  Sets its error if not. */
REQUIRES(lock)
static void open_entry_view(struct entry *e)
{
  struct registry_entry *shown = &e->shown;
  if (view_count >= REGISTRY_VIEWS) {
    snprintf(shown->error, sizeof shown->error,
             "not opened: %d processes are shown already", REGISTRY_VIEWS);
    return;
  }
  shown->view = new_view(shown->id, shown->pid, e->path, e->key.process,
                         shown->error, sizeof shown->error);
  if (shown->view == NULL) return;
  view_count++;
  shown->error[0] = '\0';
}

REQUIRES(lock)
static struct entry *find_entry(const struct key *key)
{
  for (size_t i = 0; i < entry_count; i++)
    if (same_key(&entries[i]->key, key)) return entries[i];
  return NULL;
}

REQUIRES(lock)
static void add_entry(const struct key *key, int32_t pid, const char *path)
{
  struct entry *e = find_entry(key);
  if (e == NULL) {
    if (entry_count >= REGISTRY_ENTRIES) return;
    e = allocate(1, sizeof *e);
    e->key = *key;
    e->shown.pid = pid;
    e->path = allocate(strlen(path) + 1, 1);
    strcpy(e->path, path);
    e->shown.id = id_of(key, start_of_tracing(path, key->process));
    entries = with_room(entries, entry_count, &entry_room, sizeof *entries);
    entries[entry_count++] = e;
  }
  e->seen = scans;
  e->gone_ns = 0;
  if (e->shown.view == NULL) open_entry_view(e);
}

REQUIRES(lock)
static void remove_entry(size_t i)
{
  close_entry_view(entries[i]);
  free(entries[i]->path);
  free(entries[i]);
  memmove(&entries[i], &entries[i + 1],
          (--entry_count - i) * sizeof *entries);
}

/* Candidates */

static void add_candidate(const char *path, uint32_t process, int32_t pid)
{
  struct key key = { .process = process, .pid = pid };
  struct stat st;
  if (stat(path, &st) == 0) {
    key.device = st.st_dev;
    key.inode = st.st_ino;
  }
  pthread_mutex_lock(&lock);
  add_entry(&key, pid, path);
  pthread_mutex_unlock(&lock);
}

/* Returns whether the file at [path] is directly in the folder [dir]. */
static bool is_in(const char *path, const char *dir)
{
  char parent[PATH_MAX];
  struct stat a, b;
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return false;
  snprintf(parent, sizeof parent, "%.*s/", (int) (slash - path), path);
  return stat(parent, &a) == 0 && stat(dir, &b) == 0 && a.st_dev == b.st_dev
         && a.st_ino == b.st_ino;
}

static bool has_suffix(const char *name, const char *suffix)
{
  size_t length = strlen(name), end = strlen(suffix);
  return length > end && strcmp(name + length - end, suffix) == 0;
}

/* Adds the processes of a file, from number [first] on. */
static void scan_file(const char *path, uint32_t first, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) add_candidate(path, first + i, 0);
}

/* Adds the ring files and the recordings (*.evr) that are in [dir]. */
static void scan_folder(struct eventring_search *search, const char *dir)
{
  const struct eventring_process *list;
  int count = eventring_search_processes(search, 0, dir, &list);
  for (int i = 0; i < count; i++)
    if (is_in(list[i].path, dir))
      add_candidate(list[i].path, 0, list[i].pid);
  DIR *folder = opendir(dir);
  const struct dirent *file;
  while (folder != NULL && (file = readdir(folder)) != NULL) {
    char path[PATH_MAX];
    if (!has_suffix(file->d_name, ".evr")) continue;
    snprintf(path, sizeof path, "%s/%s", dir, file->d_name);
    add_candidate(path, 0, 0);
  }
  if (folder != NULL) closedir(folder);
}

/* Adds the processes that run: all of them, or process [pid]. */
static void scan_processes(struct eventring_search *search, int32_t pid)
{
  const struct eventring_process *list;
  int count = eventring_search_processes(search, pid, NULL, &list);
  for (int i = 0; i < count; i++)
    if (list[i].alive && (pid == 0 || !list[i].elsewhere))
      add_candidate(list[i].path, 0, list[i].pid);
}

static void scan_operand(const struct operand *o)
{
  switch (o->kind) {
  case OPERAND_PID: scan_processes(o->search, o->pid); break;
  case OPERAND_DIR: scan_folder(o->search, o->path); break;
  case OPERAND_FILE: scan_file(o->path, o->process, o->processes); break;
  }
}

/* Removes entries that this scan has not found: at once if nothing is known of
   them, else after ENDED_NS or when more than REGISTRY_ENDED have ended. */
REQUIRES(lock)
static void forget_gone(int64_t now)
{
  size_t ended = 0, oldest;
  for (size_t i = entry_count; i-- > 0; ) {
    struct entry *e = entries[i];
    if (e->seen == scans) continue;
    if (e->gone_ns == 0) e->gone_ns = now;
    if (e->shown.view == NULL || now - e->gone_ns > ENDED_NS)
      remove_entry(i);
    else
      ended++;
  }
  for (; ended > REGISTRY_ENDED; ended--) {
    oldest = entry_count;
    for (size_t i = 0; i < entry_count; i++)
      if (entries[i]->gone_ns != 0
          && (oldest == entry_count
              || entries[i]->gone_ns < entries[oldest]->gone_ns))
        oldest = i;
    remove_entry(oldest);
  }
}

static int by_pid(const void *a, const void *b)
{
  const struct entry *x = *(struct entry *const *) a,
    *y = *(struct entry *const *) b;
  if (x->shown.pid != y->shown.pid)
    return x->shown.pid < y->shown.pid ? -1 : 1;
  return strcmp(x->path, y->path);
}

/* Files that clients open */

uint64_t id_of_file(const struct stat *st, uint32_t process, int64_t started_ns)
{
  const struct key key = { .device = st->st_dev, .inode = st->st_ino,
                           .process = process };
  return id_of(&key, started_ns);
}

/* Returns when a client last asked for a process of the file at [path], or has
   a stream of one.  The caller holds the lock. */
REQUIRES(lock)
static int64_t file_used_ns(const char *path, int64_t now)
{
  int64_t used_ns = 0;
  for (size_t i = 0; i < entry_count; i++) {
    if (strcmp(entries[i]->path, path) != 0) continue;
    if (is_streamed(&entries[i]->shown.id)) return now;
    if (entries[i]->used_ns > used_ns) used_ns = entries[i]->used_ns;
  }
  return used_ns;
}

/* Returns the place of the file at [path] among those that clients have opened
   or, if it has none, a free place or the place of the file used the longest
   time ago.  The caller holds the lock. */
REQUIRES(lock)
static struct shown *place_of_file(const char *path)
{
  struct shown *place = &shown_files[0];
  for (size_t i = 0; i < REGISTRY_SHOWN; i++) {
    struct shown *s = &shown_files[i];
    if (s->path != NULL && strcmp(s->path, path) == 0) return s;
    if (place->path != NULL
        && (s->path == NULL || s->used_ns < place->used_ns))
      place = s;
  }
  free(place->path);
  place->path = allocate(strlen(path) + 1, 1);
  strcpy(place->path, path);
  return place;
}

void show_file(const char *path, uint32_t processes)
{
  pthread_mutex_lock(&lock);
  struct shown *place = place_of_file(path);
  place->processes = processes;
  place->used_ns = monotonic_ns();
  pthread_mutex_unlock(&lock);
  scan_file(path, 0, processes);
}

uint64_t show_recording(const char *path, char *why, size_t why_size)
{
  const struct eventring_options options = {
    .size = sizeof options, .message = why, .message_size = why_size
  };
  struct eventring_cursor *cursor;
  struct stat st;
  snprintf(why, why_size, "it is gone");
  if (stat(path, &st) < 0 || eventring_open(path, &options, &cursor) < 0) return 0;
  const struct eventring_info info = target_info(cursor);
  eventring_close(cursor);
  show_file(path, info.processes);
  return id_of_file(&st, 0, info.started_ns);
}

/* Writes the path of file [s] that a client has opened to [path], and returns
   the number of its processes; returns 0, and forgets the file, when it is gone
   or nobody has asked for it lately. */
static uint32_t look_at_shown(struct shown *s, int64_t now, char path[PATH_MAX])
{
  uint32_t processes = 0;
  struct stat st;
  pthread_mutex_lock(&lock);
  if (s->path != NULL) {
    int64_t used_ns = file_used_ns(s->path, now);
    if (used_ns > s->used_ns) s->used_ns = used_ns;
    snprintf(path, PATH_MAX, "%s", s->path);
    processes = s->processes;
    if (now - s->used_ns > ENDED_NS || stat(path, &st) < 0) {
      free(s->path);
      s->path = NULL;
      processes = 0;
    }
  }
  pthread_mutex_unlock(&lock);
  return processes;
}

/* Adds the processes of the files that clients have opened. */
static void scan_shown(int64_t now)
{
  char path[PATH_MAX];
  for (size_t i = 0; i < REGISTRY_SHOWN; i++) {
    uint32_t processes = look_at_shown(&shown_files[i], now, path);
    scan_file(path, 0, processes);
  }
}

void scan_registry(void)
{
  pthread_mutex_lock(&lock);
  scans++;
  pthread_mutex_unlock(&lock);
  if (operand_count == 0) scan_processes(all_processes, 0);
  for (int i = 0; i < operand_count; i++) scan_operand(&operands[i]);
  scan_shown(monotonic_ns());
  pthread_mutex_lock(&lock);
  forget_gone(monotonic_ns());
  if (entry_count > 1) qsort(entries, entry_count, sizeof *entries, by_pid);
  bool trim = closed_any;
  closed_any = false;
  pthread_mutex_unlock(&lock);
  /* Gives free memory between used blocks back to the system. */
  if (trim) malloc_trim(0);
}

/* Operands */

static struct eventring_search *new_search(void)
{
  struct eventring_search *search = eventring_search_begin();
  if (search == NULL) out_of_memory();
  return search;
}

/* Opens [path] to see whether it can be shown.  Returns the number of its
   processes, 1 if it cannot be read but exists; 0, with the reason in [why], when it
   does not exist. */
static uint32_t count_processes(const char *path, char *why, size_t why_size)
{
  struct eventring_options options = {
    .size = sizeof options, .message = why, .message_size = why_size
  };
  struct eventring_cursor *cursor;
  int error;
  if (is_stream(path)) {
    snprintf(why, why_size, "%s: a stream; this command reads files: save it to a "
             "file first", path);
    return 0;
  }
  error = eventring_open(path, &options, &cursor);
  if (error == EVENTRING_E_NOT_FOUND || error == EVENTRING_E_NOT_A_RING) return 0;
  if (error < 0) return 1;
  uint32_t processes = target_info(cursor).processes;
  eventring_close(cursor);
  return processes;
}

static bool open_pid(const char *text, struct operand *o, char *why,
                     size_t why_size)
{
  struct eventring_options options = {
    .size = sizeof options, .message = why, .message_size = why_size
  };
  struct eventring_cursor *cursor;
  long pid = strtol(text, NULL, 10);
  *o = (struct operand) { .kind = OPERAND_PID, .pid = (int32_t) pid,
                          .search = new_search() };
  int error = pid > 0 && pid <= INT32_MAX
    ? eventring_open_pid((int32_t) pid, NULL, &options, &cursor)
    : EVENTRING_E_NOT_FOUND;
  if (error == 0) eventring_close(cursor);
  else if (why[0] == '\0') snprintf(why, why_size, "%s", eventring_strerror(error));
  return error == 0;
}

static bool open_operand(char *text, struct operand *o, char *why,
                         size_t why_size)
{
  struct stat st;
  why[0] = '\0';
  if (is_number(text)) return open_pid(text, o, why, why_size);
  *o = (struct operand) { .kind = OPERAND_DIR, .path = text };
  if (stat(text, &st) == 0 && S_ISDIR(st.st_mode)) {
    o->search = new_search();
    return true;
  }
  uint32_t number = take_process(text);
  o->kind = OPERAND_FILE;
  o->process = number > 0 ? number - 1 : 0;
  o->processes = count_processes(text, why, why_size);
  if (number > 0 && o->processes > 0) o->processes = 1;
  return o->processes > 0;
}

bool open_registry(char **texts, int count, char *why, size_t why_size)
{
  operands = allocate((size_t) count + 1, sizeof *operands);
  for (int i = 0; i < count; i++)
    if (!open_operand(texts[i], &operands[i], why, why_size)) return false;
  operand_count = count;
  if (count == 0) all_processes = new_search();
  return true;
}

void close_registry(void)
{
  pthread_mutex_lock(&lock);
  while (entry_count > 0) remove_entry(entry_count - 1);
  free(entries);
  entries = NULL;
  entry_room = 0;
  for (size_t i = 0; i < REGISTRY_SHOWN; i++) free(shown_files[i].path);
  for (int i = 0; i < operand_count; i++)
    eventring_search_end(operands[i].search);
  free(operands);
  operands = NULL;
  operand_count = 0;
  eventring_search_end(all_processes);
  all_processes = NULL;
  pthread_mutex_unlock(&lock);
}

/* Clients */

/* Closes the view that was used the longest time ago and that no stream is of,
   to make room for another one.  The caller holds the lock. */
REQUIRES(lock)
static void make_room(void)
{
  struct entry *oldest = NULL;
  for (size_t i = 0; i < entry_count; i++) {
    struct entry *e = entries[i];
    if (e->shown.view != NULL && !is_streamed(&e->shown.id)
        && (oldest == NULL || e->used_ns < oldest->used_ns))
      oldest = e;
  }
  if (oldest != NULL) close_entry_view(oldest);
}

struct view *find_view(uint64_t id, char *why, size_t why_size)
{
  struct view *view = NULL;
  snprintf(why, why_size, "there is no such process");
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < entry_count; i++) {
    struct entry *e = entries[i];
    if (e->shown.id != id) continue;
    e->used_ns = monotonic_ns();
    if (e->shown.view == NULL) {
      if (view_count >= REGISTRY_VIEWS) make_room();
      open_entry_view(e);
    }
    snprintf(why, why_size, "%s", e->shown.error);
    if (e->shown.view != NULL) view = hold_view(e->shown.view);
    break;
  }
  pthread_mutex_unlock(&lock);
  return view;
}

int all_views(struct view *views[REGISTRY_VIEWS])
{
  int count = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < entry_count && count < REGISTRY_VIEWS; i++)
    if (entries[i]->shown.view != NULL)
      views[count++] = hold_view(entries[i]->shown.view);
  pthread_mutex_unlock(&lock);
  return count;
}

void visit_registry(void (*visit)(void *state,
                                  const struct registry_entry *entry),
                    void *state)
{
  pthread_mutex_lock(&lock);
  size_t count = entry_count;
  struct registry_entry *copy = allocate(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    copy[i] = entries[i]->shown;
    if (copy[i].view != NULL) hold_view(copy[i].view);
  }
  pthread_mutex_unlock(&lock);
  for (size_t i = 0; i < count; i++) {
    visit(state, &copy[i]);
    drop_view(copy[i].view);
  }
  free(copy);
}
