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

/* See eventring_proc.h. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring_lease.h"
#include "eventring_proc.h"

/* Files */

size_t eventring_read_small(const char *path, char *buffer, size_t size)
{
  size_t have = 0;
  ssize_t n = 0;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return 0;
  while (have < size - 1
         && ((n = read(fd, buffer + have, size - 1 - have)) > 0
             || (n < 0 && errno == EINTR)))
    if (n > 0) have += (size_t) n;
  close(fd);
  buffer[have] = 0;
  return have;
}

static int open_records(struct records *s, const char *path, char delimiter)
{
  s->cut = 0;
  s->delimiter = delimiter;
  s->begin = s->end = 0;
  s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  return s->fd >= 0;
}

int eventring_open_proc(struct records *s, int pid, const char *file,
                        char delimiter)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  return open_records(s, path, delimiter);
}

char *eventring_next_record(struct records *s)
{
  for (;;) {
    char *begin = s->buffer + s->begin;
    char *end = memchr(begin, s->delimiter, s->end - s->begin);
    int skip = s->cut;
    ssize_t n;
    if (end != NULL) {
      *end = 0;
      s->begin = (size_t) (end + 1 - s->buffer);
      s->cut = 0;
      if (skip) continue;
      return begin;
    }
    memmove(s->buffer, begin, s->end - s->begin);
    s->end -= s->begin;
    s->begin = 0;
    if (s->end == sizeof s->buffer - 1) {
      s->buffer[s->end] = 0;
      s->end = 0;
      s->cut = 1;
      if (skip) continue;
      return s->buffer;
    }
    do
      n = read(s->fd, s->buffer + s->end, sizeof s->buffer - 1 - s->end);
    while (n < 0 && errno == EINTR);
    if (n <= 0) {
      if (s->end == 0 || skip) return NULL;
      s->buffer[s->end] = 0;
      s->end = 0;
      return s->buffer;
    }
    s->end += (size_t) n;
  }
}

/* Processes */

enum boot eventring_compare_boot(const char *boot_id)
{
  char ours[64];
  if (eventring_read_small("/proc/sys/kernel/random/boot_id", ours,
                           sizeof ours) == 0
      || boot_id[0] == 0)
    return BOOT_UNKNOWN;
  ours[strcspn(ours, "\n")] = 0;
  return strcmp(ours, boot_id) == 0 ? BOOT_SAME : BOOT_OTHER;
}

#define STAT_SIZE 2048

/* Reads the file stat of a process or a thread, at [path], into [text].
   Returns the text from field 3 on, the state, or NULL when the file cannot be
   read. */
static const char *read_stat(const char *path, char text[STAT_SIZE])
{
  const char *name_end;
  /* Field 2, the name, may hold blanks and parentheses. */
  if (eventring_read_small(path, text, STAT_SIZE) == 0
      || (name_end = strrchr(text, ')')) == NULL || name_end[1] == 0)
    return NULL;
  return name_end + 2;
}

/* Returns field [number] of a stat file, of which [fields] is the text from field 3
   on. */
static uint64_t field_of(const char *fields, int number)
{
  for (int at = 3; at < number; at++) {
    fields += strcspn(fields, " ");
    if (*fields == ' ') fields++;
  }
  return strtoull(fields, NULL, 10);
}

/* Reads field 22 of /proc/PID/stat to *start_time and field [number], a later
   one, to *value; each is 0 when it is not known.  Returns as
   eventring_process_fields does. */
static int read_fields(int pid, uint64_t *start_time, int number,
                       uint64_t *value)
{
  char path[64], text[STAT_SIZE];
  const char *field;

  *start_time = *value = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  field = read_stat(path, text);
  if (field == NULL) return !(kill(pid, 0) < 0 && errno == ESRCH);
  if (*field == 'X' || *field == 'x') return 0;
  /* The main thread may have ended before others. */
  if (*field == 'Z' && field_of(field, 20) < 2) return 0;
  *start_time = field_of(field, 22);
  *value = field_of(field, number);
  return 1;
}

int eventring_process_fields(int pid, uint64_t *start_time,
                             uint64_t *start_stack)
{
  return read_fields(pid, start_time, 28, start_stack);
}

int eventring_process_size(int pid, uint64_t *start_time, uint64_t *size)
{
  return read_fields(pid, start_time, 23, size);
}

/* Flags in field 9 of a stat file: PF_EXITING and PF_SIGNALED of the kernel.  A thread
   that a signal kills has the second, also while it writes a core dump. */
#define ENDS (0x4 | 0x400)

char eventring_task_state(int pid, uint32_t thread, int *ends)
{
  const uint64_t killed = UINT64_C(1) << (SIGKILL - 1);
  char path[64], text[STAT_SIZE];
  const char *state;
  snprintf(path, sizeof path, "/proc/%d/task/%lu/stat", pid,
           (unsigned long) thread);
  state = read_stat(path, text);
  /* Field 31: the pending signals. */
  if (ends != NULL)
    *ends = state != NULL
            && ((field_of(state, 9) & ENDS) != 0 || (field_of(state, 31) & killed) != 0);
  return state == NULL ? 0 : *state;
}

int eventring_thread_with_memory(int pid)
{
  char path[64];
  DIR *tasks;
  const struct dirent *task;
  int found = pid;
  if (eventring_task_state(pid, (uint32_t) pid, NULL) != 'Z') return pid;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  tasks = opendir(path);
  if (tasks == NULL) return pid;
  while (found == pid && (task = readdir(tasks)) != NULL) {
    const long thread = strtol(task->d_name, NULL, 10);
    const char state = thread <= 0 || thread == pid
                       ? 0 : eventring_task_state(pid, (uint32_t) thread, NULL);
    if (state != 0 && state != 'Z' && state != 'X') found = (int) thread;
  }
  closedir(tasks);
  return found;
}

long eventring_own_pid(int pid)
{
  struct records s;
  char *line;
  long own = pid;
  if (!eventring_open_proc(&s, pid, "status", '\n')) return pid;
  while ((line = eventring_next_record(&s)) != NULL)
    if (strncmp(line, "NSpid:", 6) == 0) {
      char *last = strrchr(line, '\t');
      if (last != NULL) own = strtol(last, NULL, 10);
      break;
    }
  close(s.fd);
  return own > 0 ? own : pid;
}

uint64_t eventring_pid_namespace(int pid)
{
  char path[64];
  struct stat st;
  if (pid == 0) snprintf(path, sizeof path, "/proc/self/ns/pid");
  else snprintf(path, sizeof path, "/proc/%d/ns/pid", pid);
  return stat(path, &st) < 0 ? 0 : st.st_ino;
}

int eventring_find_process(int (*is_it)(int pid, void *state), void *state)
{
  DIR *proc = opendir("/proc");
  struct dirent *entry;
  int found = 0;
  if (proc == NULL) return 0;
  while (found == 0 && (entry = readdir(proc)) != NULL) {
    char *end;
    long pid = strtol(entry->d_name, &end, 10);
    int is;
    if (pid <= 0 || pid > INT_MAX || *end != 0) continue;
    is = is_it((int) pid, state);
    if (is != 0) found = is < 0 ? is : (int) pid;
  }
  closedir(proc);
  return found;
}

uint64_t eventring_time_namespace(void)
{
  struct stat st;
  return stat("/proc/self/ns/time", &st) < 0 ? 0 : st.st_ino;
}

struct number { uint64_t namespace; uint32_t pid; };

static int has_number(int pid, void *state)
{
  const struct number *n = state;
  return eventring_own_pid(pid) == n->pid
         && eventring_pid_namespace(pid) == n->namespace;
}

int eventring_pid_of(uint64_t namespace, uint32_t pid)
{
  struct number n = { namespace, pid };
  return eventring_find_process(has_number, &n);
}

int eventring_has_writer(const char *path, const struct stat *file)
{
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  struct stat st;
  int may = 1;
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == file->st_dev
      && st.st_ino == file->st_ino)
    may = !eventring_nobody_writes(fd);
  if (fd >= 0) close(fd);
  return may;
}

const char *eventring_user(unsigned long uid, char *to, size_t size)
{
  struct records s;
  char *line;
  snprintf(to, size, "user %lu", uid);
  if (!open_records(&s, "/etc/passwd", '\n')) return to;
  while ((line = eventring_next_record(&s)) != NULL) {
    size_t name = strcspn(line, ":");
    char *field = strchr(line + name + (line[name] != 0), ':');
    char *end;
    if (field != NULL && strtoul(field + 1, &end, 10) == uid
        && end > field + 1 && *end == ':') {
      snprintf(to, size, "user %lu (%.*s)", uid, (int) name, line);
      break;
    }
  }
  close(s.fd);
  return to;
}
