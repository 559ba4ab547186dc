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

/* For process_vm_readv */
#define _GNU_SOURCE
#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "debug_file.h"
#include "memory.h"
#include "target.h"
#include "thread_stacks.h"

/* How long threads are waited for that do not stop, as one in the system's kernel that
   waits for a disk; and after what time no further frames are looked for. */
#define STOP_NS INT64_C(1000000000)
#define FRAMES_NS INT64_C(2000000000)

/* The same for a thread that could not be interrupted before. */
#define BLOCKED_NS INT64_C(20000000)

/* The most frames of all threads, but for the first ones of each; and the most files whose
   tables are opened. */
#define MOST_FRAMES 500000
#define FIRST_FRAMES 50
#define MOST_FILES 400

/* The time between two looks at threads that are to stop. */
#define LOOK_NS 50000

enum progress { IS_TO_STOP, STOPPED, ENDED };

/* A thread that is stopped, or is to be. */
struct stopped {
  pid_t thread;
  enum progress progress;
  char state;                     /* before that, as in /proc/PID/stat */
  bool by_signal;                 /* a signal had stopped it already */
};

struct taking {
  pid_t pid;
  pid_t living;                   /* a thread that is stopped; the main thread may have
                                     ended, and its folder in /proc has no memory then */
  int64_t begin_ns;
  uint32_t most;
  char *why;
  size_t why_size;
  struct stopped *threads;
  size_t count, room;
  struct thread_stacks *stacks;
  size_t frame_room;              /* of the stack that is noted */
  uint32_t frames;                /* of all stacks */
};

/* Reads the file [name] of the thread into [text].  Returns whether it was read. */
static bool read_file_of(const struct taking *t, pid_t thread, const char *name, char *text,
                         size_t size)
{
  char path[96];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int) t->pid, (int) thread, name);
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  const size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  text[length] = '\0';
  return length > 0;
}

/* Stopping */

static bool is_known(const struct taking *t, pid_t thread)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->threads[i].thread == thread) return true;
  return false;
}

/* Returns the state of the thread, as R in /proc/PID/stat; 0 when it is gone. */
static char state_of(const struct taking *t, pid_t thread)
{
  char text[4096];
  if (!read_file_of(t, thread, "stat", text, sizeof text)) return 0;
  const char *end = strrchr(text, ')');
  return end != NULL && end[1] == ' ' ? end[2] : 0;
}

static bool is_dead(char state) { return state == 0 || state == 'Z' || state == 'X'; }

/* Sets the progress of a thread that is to stop. */
static void look_at(struct stopped *s)
{
  int status;
  const pid_t got = waitpid(s->thread, &status, __WALL | WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return;
  if (got != s->thread || !WIFSTOPPED(status)) {
    s->progress = ENDED;
  } else if (status >> 16 == PTRACE_EVENT_STOP) {
    s->progress = STOPPED;
    s->by_signal = WSTOPSIG(status) != SIGTRAP;
  } else {
    /* It gets a signal, which would be lost if we were killed now; then it stops. */
    ptrace(PTRACE_CONT, s->thread, NULL, (void *) (intptr_t) WSTOPSIG(status));
    ptrace(PTRACE_INTERRUPT, s->thread, NULL, NULL);
  }
}

/* Waits until the threads from number [first] on are stopped or have ended, or their time
   is over.  The main thread may not end before the others. */
static void wait_for_stops(struct taking *t, size_t first)
{
  const struct timespec pause = { .tv_nsec = LOOK_NS };
  for (;;) {
    bool all = true;
    const int64_t passed_ns = monotonic_ns() - t->begin_ns;
    for (size_t i = first; i < t->count; i++) {
      struct stopped *s = &t->threads[i];
      if (s->progress == IS_TO_STOP) look_at(s);
      if (s->progress == IS_TO_STOP
          && passed_ns < (s->state == 'D' ? BLOCKED_NS : STOP_NS)) all = false;
    }
    if (all) return;
    nanosleep(&pause, NULL);
  }
}

/* Stops the threads of the process that are not known yet.  Returns their number; -1 with
   errno when the system does not allow it, as it does not for threads that end. */
static int stop_new_threads(struct taking *t)
{
  char path[64];
  int found = 0, error = 0;
  snprintf(path, sizeof path, "/proc/%d/task", (int) t->pid);
  DIR *dir = opendir(path);
  if (dir == NULL) return errno == ENOENT ? 0 : -1;
  const size_t before = t->count;
  for (struct dirent *entry; found >= 0 && (entry = readdir(dir)) != NULL;) {
    const pid_t thread = atoi(entry->d_name);
    if (thread <= 0 || is_known(t, thread)) continue;
    const char state = state_of(t, thread);
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
      error = errno;
      if (error != ESRCH && !is_dead(state_of(t, thread))) found = -1;
      continue;
    }
    ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
    t->threads = with_room(t->threads, t->count, &t->room, sizeof *t->threads);
    t->threads[t->count++] = (struct stopped) { .thread = thread, .state = state };
    found++;
  }
  closedir(dir);
  wait_for_stops(t, before);
  errno = error;
  return found;
}

/* Lets the threads go on.  One that does not stop is let go by the system when the caller
   ends. */
static void let_go_on(const struct taking *t)
{
  for (size_t i = 0; i < t->count; i++)
    if (t->threads[i].progress == STOPPED)
      ptrace(PTRACE_DETACH, t->threads[i].thread, NULL, NULL);
}

/* Threads that are being created may begin while others are stopped. */
#define STOP_ROUNDS 16

/* Returns the number behind [name] in the status of the process; -1: not known. */
static long number_in_status(const struct taking *t, const char *name)
{
  char text[4096];
  const char *at = read_file_of(t, t->pid, "status", text, sizeof text)
                   ? strstr(text, name) : NULL;
  return at != NULL ? strtol(at + strlen(name), NULL, 10) : -1;
}

/* Writes that the system does not allow to stop the process, and why. */
static void refuse(struct taking *t, int error)
{
  const long tracer = number_in_status(t, "\nTracerPid:");
  if (tracer > 0)
    snprintf(t->why, t->why_size, "process %d: cannot be stopped: process %ld debugs it, or "
             "prints its stacks", (int) t->pid, tracer);
  else
    snprintf(t->why, t->why_size, "process %d: cannot be stopped: %s%s", (int) t->pid,
             strerror(error), error != EPERM ? ""
             : ": it needs the same user, or root, and 0 in "
               "/proc/sys/kernel/yama/ptrace_scope");
}

/* Stops all threads.  Returns whether some are stopped; otherwise writes a message. */
static bool stop_all(struct taking *t)
{
  const long leader = number_in_status(t, "\nTgid:");
  if (leader > 0 && leader != t->pid) {
    snprintf(t->why, t->why_size, "%d is a thread of process %ld", (int) t->pid, leader);
    return false;
  }
  int found = 1;
  for (int i = 0; i < STOP_ROUNDS && found > 0; i++) found = stop_new_threads(t);
  const int error = errno;
  if (found < 0) {
    refuse(t, error);
    return false;
  }
  for (size_t i = 0; i < t->count && t->living == 0; i++)
    if (t->threads[i].progress == STOPPED) t->living = t->threads[i].thread;
  if (t->living != 0) return true;
  snprintf(t->why, t->why_size, "process %d: no such process", (int) t->pid);
  return false;
}

/* The call of a thread.  All is read while the process is stopped, since it may close a
   descriptor, or end, right after. */

/* Returns the id of the thread in the pid namespace of the process. */
static uint32_t own_id_of(const struct taking *t, pid_t thread)
{
  char text[4096];
  const char *ids = read_file_of(t, thread, "status", text, sizeof text)
                    ? strstr(text, "\nNSpid:") : NULL;
  uint32_t id = (uint32_t) thread;
  if (ids == NULL) return id;
  int length;
  for (ids += sizeof "\nNSpid:" - 1; sscanf(ids, "%*[ \t]%" SCNu32 "%n", &id, &length) == 1;
       ids += length);
  return id;
}

/* Returns whether futex waits with this command, see futex(2). */
static bool futex_waits(uint64_t command)
{
  enum { WAIT = 0, LOCK_PI = 6, WAIT_BITSET = 9, WAIT_REQUEUE_PI = 11, LOCK_PI2 = 13,
         COMMAND = 127 };
  command &= COMMAND;
  return command == WAIT || command == LOCK_PI || command == WAIT_BITSET
         || command == WAIT_REQUEUE_PI || command == LOCK_PI2;
}

/* Returns the file that the process has as descriptor [fd]; the caller frees it.  NULL:
   none. */
static char *file_of(const struct taking *t, uint64_t fd)
{
  char path[64], target[PATH_MAX];
  snprintf(path, sizeof path, "/proc/%d/fd/%" PRIu64, (int) t->living, fd);
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) return NULL;
  target[length] = '\0';
  return copy_of(target);
}

static void note_call(const struct taking *t, struct thread_stack *s)
{
  char text[256];
  s->call = -2;
  if (!read_file_of(t, (pid_t) s->thread, "syscall", text, sizeof text)) return;
  if (sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
             &s->call, &s->arguments[0], &s->arguments[1], &s->arguments[2],
             &s->arguments[3], &s->arguments[4], &s->arguments[5]) < 1) s->call = -1;
  s->waits_in_futex = s->call == SYS_futex && futex_waits(s->arguments[1]);
  if (s->call >= 0 && s->arguments[0] <= INT_MAX) s->file = file_of(t, s->arguments[0]);
}

/* Of a pthread_mutex_t of glibc, the first members. */
struct mutex_memory { int32_t lock; uint32_t count; int32_t owner; };

/* A thread that waits in futex for a mutex: the kernel knows the address of the mutex, and
   glibc notes the thread that has it, in [holder] by the id that the process knows. */
static void note_mutex(const struct taking *t, struct thread_stack *s)
{
  struct mutex_memory memory;
  if (!s->waits_in_futex) return;
  const struct iovec own = { &memory, sizeof memory },
    other = { (void *) (uintptr_t) s->arguments[0], sizeof memory };
  if (process_vm_readv(t->living, &own, 1, &other, 1, 0) != sizeof memory
      || memory.lock == 0 || memory.owner <= 0) return;
  s->mutex = s->arguments[0];
  s->holder = (uint32_t) memory.owner;
}

/* Sets [holder] of each stack to our id of the thread; forgets a mutex of another one, which
   is none then. */
static void find_holders(struct thread_stacks *stacks)
{
  for (uint32_t i = 0; i < stacks->count; i++) {
    struct thread_stack *s = &stacks->list[i];
    uint32_t k = 0;
    if (s->mutex == 0) continue;
    while (k < stacks->count && stacks->list[k].own_id != s->holder) k++;
    if (k == stacks->count) s->mutex = 0;
    s->holder = k == stacks->count ? 0 : stacks->list[k].thread;
  }
}

/* Frames */

static int add_frame(Dwfl_Frame *frame, void *state)
{
  struct taking *t = ((void **) state)[0];
  struct thread_stack *s = ((void **) state)[1];
  Dwarf_Addr pc;
  bool activation;
  if (!dwfl_frame_pc(frame, &pc, &activation)) return DWARF_CB_ABORT;
  s->cut = s->count == t->most || (t->frames >= MOST_FRAMES && s->count >= FIRST_FRAMES)
           ? "further functions are left out"
           : monotonic_ns() - t->begin_ns >= FRAMES_NS
           ? "the process was not to be stopped for longer" : NULL;
  if (s->cut != NULL) return DWARF_CB_ABORT;
  t->frames++;
  s->frames = with_room(s->frames, s->count, &t->frame_room, sizeof *s->frames);
  s->frames[s->count++] = (struct code_address) { .address = pc, .returns = !activation };
  return DWARF_CB_OK;
}

static int add_thread(Dwfl_Thread *thread, void *state)
{
  struct taking *t = state;
  const pid_t id = dwfl_thread_tid(thread);
  size_t i = 0;
  while (i < t->count && t->threads[i].thread != id) i++;
  if (i == t->count || t->threads[i].progress == ENDED || t->stacks->count == t->count)
    return DWARF_CB_OK;
  struct thread_stack *s = &t->stacks->list[t->stacks->count++];
  *s = (struct thread_stack) {
    .thread = (uint32_t) id, .own_id = own_id_of(t, id), .state = t->threads[i].state,
    .by_signal = t->threads[i].by_signal
  };
  t->frame_room = 0;
  if (read_file_of(t, id, "comm", s->name, sizeof s->name))
    s->name[strcspn(s->name, "\n")] = '\0';
  note_call(t, s);
  if (t->threads[i].progress != STOPPED) {
    s->cut = "it does not stop, since it waits in the system's kernel";
    return DWARF_CB_OK;
  }
  note_mutex(t, s);
  void *both[] = { t, s };
  if (dwfl_thread_getframes(thread, add_frame, both) < 0)
    s->cut = "its caller is not known";
  return DWARF_CB_OK;
}

/* For find_code, which libdwfl calls without them. */
static pid_t process;
static int files;

/* Returns the file [name], of the mappings of the process, as the process sees it; of one
   that is deleted, libdwfl reads the memory. */
static int find_code(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                     char **file, Elf **elf)
{
  static const char deleted[] = " (deleted)";
  char path[PATH_MAX + 32];
  const size_t length = strlen(name), end = sizeof deleted - 1;
  if (files++ >= MOST_FILES) return -1;
  if (name[0] != '/' || (length > end && strcmp(name + length - end, deleted) == 0))
    return dwfl_linux_proc_find_elf(module, data, name, base, file, elf);
  snprintf(path, sizeof path, "/proc/%d/root%s", (int) process, name);
  return open_elf_file(path);
}

static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                         const char *file, const char *link, GElf_Word crc, char **found)
{
  (void) module, (void) data, (void) name, (void) base, (void) file, (void) link, (void) crc,
    (void) found;
  return -1;
}

static const Dwfl_Callbacks callbacks = {
  .find_elf = find_code, .find_debuginfo = no_debug_file
};

/* Reports to [dwfl] the files of the process.  libdwfl takes files that are one after the
   other in memory and have the same inode for an error, though they may be links with several
   names: each file gets a number of its own then.  Returns whether that was possible. */
static bool report_code(const struct taking *t, Dwfl *dwfl)
{
  if (dwfl_linux_proc_report(dwfl, t->living) == 0) return true;
  char path[64], *line = NULL, *text = NULL;
  char *last = copy_of("");
  size_t size = 0, length = 0;
  uint32_t number = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", (int) t->living);
  FILE *maps = fopen(path, "re"), *out = open_memstream(&text, &length);
  while (maps != NULL && out != NULL && getline(&line, &size, maps) > 0) {
    int begin = 0, name = 0;
    if (sscanf(line, "%*s %*s %*s %*s %n%*s %n", &begin, &name) < 0 || name == 0) continue;
    if (strcmp(line + name, last) != 0) {
      free(last);
      last = copy_of(line + name);
      number++;
    }
    fprintf(out, "%.*s%" PRIu32 " %s", begin, line, number, line + name);
  }
  if (maps != NULL) fclose(maps);
  if (out != NULL) fclose(out);
  FILE *in = length > 0 ? fmemopen(text, length, "r") : NULL;
  const bool done = in != NULL && dwfl_linux_proc_maps_report(dwfl, in) == 0;
  if (in != NULL) fclose(in);
  free(line);
  free(last);
  free(text);
  return done;
}

/* Notes the stacks of the threads, which are stopped.  Returns whether that was possible;
   otherwise writes a message. */
static bool note_stacks(struct taking *t)
{
  process = t->living;
  files = 0;
  Dwfl *dwfl = dwfl_begin(&callbacks);
  t->stacks->list = allocate(t->count, sizeof *t->stacks->list);
  const bool done = dwfl != NULL && report_code(t, dwfl)
                    && dwfl_report_end(dwfl, NULL, NULL) == 0
                    && dwfl_linux_proc_attach(dwfl, t->living, true) == 0
                    && (dwfl_getthreads(dwfl, add_thread, t) == 0 || t->stacks->count > 0);
  const int error = dwfl_errno();
  if (!done)
    snprintf(t->why, t->why_size, "process %d: cannot read its stacks: %s", (int) t->pid,
             error != 0 ? dwfl_errmsg(error) : "its mappings cannot be read");
  dwfl_end(dwfl);
  return done;
}

/* Sets the build id of [m] to that of its file, as the process sees it. */
static void note_build_id(const struct taking *t, struct eventring_mapping *m)
{
  unsigned char id[BUILD_ID_SIZE];
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int) t->living,
           m->start, m->start + m->length);
  int fd = open_elf_file(path);
  if (fd < 0) {
    snprintf(path, sizeof path, "/proc/%d/root%s", (int) t->living, m->path);
    fd = open_elf_file(path);
  }
  if (fd < 0) return;
  const size_t size = read_build_id(fd, id);
  close(fd);
  if (size > sizeof m->build_id) return;
  memcpy(m->build_id, id, size);
  m->build_id_size = (uint32_t) size;
}

/* Notes the mappings with code.  Returns whether they can be read; otherwise writes a
   message. */
static bool note_mappings(struct taking *t)
{
  char path[64], *line = NULL;
  size_t size = 0, room = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", (int) t->living);
  FILE *file = fopen(path, "re");
  while (file != NULL && getline(&line, &size, file) > 0) {
    uint64_t start, end, offset;
    char access[5];
    int name = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end,
               access, &offset, &name) < 4
        || access[2] != 'x' || name == 0 || end <= start) continue;
    line[strcspn(line, "\n")] = '\0';
    if (line[name] == '\0') continue;
    struct thread_stacks *s = t->stacks;
    s->mappings = with_room(s->mappings, s->mapping_count, &room, sizeof *s->mappings);
    s->mappings[s->mapping_count++] = (struct eventring_mapping) {
      .start = start, .length = end - start, .offset = offset, .path = copy_of(line + name)
    };
  }
  free(line);
  if (file != NULL) fclose(file);
  if (t->stacks->mapping_count > 0) return true;
  snprintf(t->why, t->why_size, "process %d: cannot read its mappings", (int) t->pid);
  return false;
}

static int by_thread(const void *a, const void *b)
{
  const struct thread_stack *x = a, *y = b;
  return (x->thread > y->thread) - (x->thread < y->thread);
}

struct thread_stacks *take_thread_stacks(pid_t pid, uint32_t most,
                                         void (*meanwhile)(void *state), void *state,
                                         char *why, size_t why_size)
{
  struct taking t = {
    .pid = pid, .most = most, .why = why, .why_size = why_size,
    .begin_ns = monotonic_ns(), .stacks = allocate(1, sizeof *t.stacks)
  };
  sigset_t stops, before;
  /* The process is not to stay stopped with its reader. */
  sigemptyset(&stops);
  sigaddset(&stops, SIGTSTP);
  sigaddset(&stops, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &stops, &before);
  const bool done = stop_all(&t) && note_stacks(&t) && note_mappings(&t);
  if (done && meanwhile != NULL) meanwhile(state);
  let_go_on(&t);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  t.stacks->stopped_ns = monotonic_ns() - t.begin_ns;
  t.stacks->living = t.living;
  if (done) find_holders(t.stacks);
  for (uint32_t i = 0; done && i < t.stacks->mapping_count; i++)
    if (t.stacks->mappings[i].path[0] == '/') note_build_id(&t, &t.stacks->mappings[i]);
  free(t.threads);
  if (!done) {
    free_thread_stacks(t.stacks);
    return NULL;
  }
  qsort(t.stacks->list, t.stacks->count, sizeof *t.stacks->list, by_thread);
  return t.stacks;
}

void free_thread_stacks(struct thread_stacks *s)
{
  if (s == NULL) return;
  for (uint32_t i = 0; i < s->count; i++) {
    free(s->list[i].frames);
    free(s->list[i].file);
  }
  for (uint32_t i = 0; i < s->mapping_count; i++) free((char *) s->mappings[i].path);
  free(s->list);
  free(s->mappings);
  free(s);
}
