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
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common.h"
#include "numbered.h"
#include "poll_interval.h"
#include "traced.h"

/* Options */

/* Returns whether [list], the value of --categories, can leave a category to
   record: it names a category after the last -all, or removes categories from
   the default. */
static bool leaves_a_category(const char *list)
{
  bool leaves = *list == '-';
  while (*list != '\0') {
    size_t length = strcspn(list, ",");
    if (length == 4 && memcmp(list, "-all", 4) == 0) leaves = false;
    else if (length > 0 && *list != '-') leaves = true;
    list += length + (list[length] == ',');
  }
  return leaves;
}

void set_traced_categories(struct traced *traced,
                           const struct command *command, const char *list)
{
  if (!leaves_a_category(list))
    usage_error(command, "%s: --categories '%s' leaves no category to record",
                command->name, list);
  traced->categories = list;
}

void set_traced_ring(struct traced *traced, const struct command *command,
                     const char *number)
{
  char *end;
  traced->ring = strtol(number, &end, 10);
  if (*end != 0 || traced->ring < 9 || traced->ring > 30)
    usage_error(command, "%s: --ring %s is not a number from 9 to 30",
                command->name, number);
}

/* The folder of the ring file */

char *new_folder(const char *parent, const char *purpose)
{
  char *path;
  if (asprintf(&path, "%s/eventring-XXXXXX", parent) < 0) out_of_memory();
  if (mkdtemp(path) != NULL) return path;
  complain("cannot make a folder for %s, %s: %s", purpose, path,
           strerror(errno));
  exit(STATUS_CANNOT_WRITE);
}

/* Returns the state of the session of the ring file at [path], or a negative
   error if the file cannot be opened. */
static int state_of(const char *path)
{
  struct eventring_cursor *cursor;
  int state = eventring_open(path, NULL, &cursor);
  if (state < 0) return state;
  state = eventring_state(cursor);
  eventring_close(cursor);
  return state;
}

unsigned remove_ring_files(const char *folder, pid_t pid, unsigned *running)
{
  unsigned others = 0;
  char ours[32], path[PATH_MAX];
  DIR *d = opendir(folder);
  struct dirent *entry;
  if (d == NULL) return 0;
  snprintf(ours, sizeof ours, "%ld.", (long) pid);
  while ((entry = readdir(d)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    if (strncmp(entry->d_name, ours, strlen(ours)) != 0) {
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      const int state = state_of(path);
      if (state == EVENTRING_STATE_RUNNING) ++*running;
      /* It may be in use. */
      if (state == EVENTRING_STATE_RUNNING || state == EVENTRING_E_SYSTEM
          || state == EVENTRING_E_MEMORY)
        continue;
      others++;
    }
    unlinkat(dirfd(d), entry->d_name, 0);
  }
  closedir(d);
  return others;
}

/* The program */

/* Sets the environment variable [name]; ends the program when there is no
   memory. */
static void set(const char *name, const char *value)
{
  if (setenv(name, value, 1) < 0) out_of_memory();
}

void set_trace_options(const struct traced *traced)
{
  if (traced->categories != NULL)
    set("OCAML_EVENTRING_CATEGORIES", traced->categories);
  if (traced->ring > 0) {
    const char *old = getenv("OCAMLRUNPARAM");
    char *new;
    if (asprintf(&new, "%s%se=%ld", old == NULL ? "" : old,
                 old == NULL || *old == 0 ? "" : ",", traced->ring) < 0)
      out_of_memory();
    set("OCAMLRUNPARAM", new);
    free(new);
  }
}

/* Sets the environment variables that make the program trace, and the
   equivalent variables for programs of stock OCaml 5.  Called in the child. */
static void set_environment(const struct traced *traced)
{
  if (traced->of == TRACE_NONE) {
    unsetenv("OCAML_EVENTRING_START");
    unsetenv("OCAML_RUNTIME_EVENTS_START");
    return;
  }
  set("OCAML_EVENTRING_START", "1");
  set("OCAML_EVENTRING_PREFIX", traced->folder);
  set("OCAML_EVENTRING_KEEP", "1");
  if (traced->of != TRACE_OURS) {
    set("OCAML_RUNTIME_EVENTS_START", "1");
    set("OCAML_RUNTIME_EVENTS_DIR", traced->folder);
    set("OCAML_RUNTIME_EVENTS_PRESERVE", "1");
  }
  set_trace_options(traced);
}

int fork_traced(struct traced *traced, char **program,
                void (*prepare)(void *state), void *state)
{
  int failed[2];
  if (pipe2(failed, O_CLOEXEC) < 0) return errno;
  fflush(NULL);
  traced->started_ns = monotonic_ns();
  traced->pid = fork();
  int error = errno;
  if (traced->pid == 0) {
    set_environment(traced);
    prepare(state);
    execvp(program[0], program);
    error = errno;
    if (write(failed[1], &error, sizeof error) < 0) _exit(126);
    _exit(error == ENOENT ? 127 : 126);
  }
  close(failed[1]);
  traced->exec_fd = failed[0];
  if (traced->pid > 0) return 0;
  close(failed[0]);
  return error;
}

int exec_traced(struct traced *traced)
{
  int error;
  ssize_t n;
  while ((n = read(traced->exec_fd, &error, sizeof error)) < 0
         && errno == EINTR) ;
  close(traced->exec_fd);
  if (n == sizeof error) {
    waitpid(traced->pid, NULL, 0);
    return error;
  }
  traced->pidfd = pidfd_open(traced->pid, 0);
  return 0;
}

/* Returns whether the program has ended, and does not take its exit status. */
static bool has_ended(const struct traced *traced)
{
  siginfo_t info = { .si_pid = 0 };
  return waitid(P_PID, (id_t) traced->pid, &info, WEXITED | WNOHANG | WNOWAIT)
         != 0 || info.si_pid != 0;
}

/* Sleeps for [ns] nanoseconds, less than a second, or until the program ends, a
   ring file of a child appears or a signal arrives, and returns whether the
   program has ended.  The program stays a zombie until its exit status is read,
   so that no other process takes its pid. */
static bool ended_within(struct traced *traced, long ns)
{
  struct timespec time = { .tv_nsec = ns };
  if (traced->pidfd >= 0) {
    struct pollfd fds[] = {
      { .fd = traced->pidfd, .events = POLLIN },
      { .fd = traced->children == NULL ? -1
              : children_descriptor(traced->children), .events = POLLIN } };
    return ppoll(fds, 2, &time, NULL) > 0 && fds[0].revents != 0;
  }
  nanosleep(&time, NULL);
  return has_ended(traced);
}

/* Its rings */

/* Opens the ring file of the program and returns its cursor, which the caller
   closes.  Returns NULL when there is no such file yet or it cannot be opened, and
   sets [why] in the latter case.  In a folder that is not ours, a file of the same
   name that an earlier process has left is not opened. */
static struct eventring_cursor *open_ring_file(struct traced *traced)
{
  struct eventring_cursor *cursor = NULL;
  struct eventring_info info;
  char why[sizeof traced->why] = "";
  const struct eventring_options options = { .size = sizeof options, .message = why,
                                             .message_size = sizeof why };
  const int error = eventring_open_pid(traced->pid, traced->folder, &options,
                                       &cursor);
  if (error < 0 && error != EVENTRING_E_NOT_FOUND)
    memcpy(traced->why, why, sizeof why);
  if (cursor == NULL) return NULL;
  traced->why[0] = '\0';
  info = target_info(cursor);
  if (!traced->own_folder && info.format == EVENTRING_FORMAT_RING
      && (!info.same_boot || info.started_ns < traced->started_ns)) {
    eventring_close(cursor);
    return NULL;
  }
  return cursor;
}

static uint64_t look(struct traced *traced);

/* Begins with the ring file of [cursor], which is closed later: a summary, the
   watch for sessions and, if one was asked for and none has failed, a recording
   with the next number or, when children are followed, the next part. */
static void attach(struct traced *traced, struct eventring_cursor *cursor)
{
  char *output = NULL;
  traced->programs++;
  traced->sessions = new_sessions(cursor, NULL);
  if (traced->output != NULL && traced->status == STATUS_OK)
    output = traced->children != NULL && traced->programs > 1
             ? new_part(children_parts(traced->children))
             : numbered_path(traced->output, traced->programs);
  traced->rings.status = &traced->status;
  begin_followed(&traced->rings, cursor, output, traced->force,
                 !traced->only_record);
  if (traced->children != NULL && traced->programs == 1)
    children_parts(traced->children)->first = traced->rings.recorder != NULL;
  free(output);
}

/* Closes the present ring file and forgets its session. */
static void close_rings(struct traced *traced)
{
  close_followed(&traced->rings);
  if (traced->sessions != NULL) free_sessions(traced->sessions);
  traced->sessions = NULL;
}

void end_traced_recording(struct traced *traced)
{
  end_followed(&traced->rings);
}

/* Ends the reading of the present ring file and attaches to the next one, if
   the program has executed another program that has a ring file too, or has
   stopped its tracing and started it again.  The summary of the present file is
   freed, after it was added to the tree's summary, if children are followed.
   Returns whether there was a next file; if not, nothing has changed. */
static bool attach_next(struct traced *traced)
{
  if (traced->rings.cursor == NULL) return false;
  const int state = eventring_state(traced->rings.cursor);
  if (state != EVENTRING_STATE_REPLACED && state != EVENTRING_STATE_ENDED)
    return false;
  /* A program of stock OCaml starts its tracing once.  If its file was opened before its
     first event, the start was a guess, and another one now. */
  const struct eventring_info info = target_info(traced->rings.cursor);
  if (state == EVENTRING_STATE_ENDED && info.format == EVENTRING_FORMAT_STOCK)
    return false;
  int64_t started = info.started_ns;
  struct eventring_cursor *next = open_ring_file(traced);
  if (next == NULL || target_info(next).started_ns == started) {
    eventring_close(next);
    return false;
  }
  const int missed = eventring_sessions_between(traced->rings.cursor, next);
  if (missed >= 0) {
    traced->restarts += 1 + (uint32_t) missed;
    traced->too_short += (uint32_t) missed;
  }
  while (look(traced) > 0) ;
  end_traced_recording(traced);
  if (traced->children != NULL)
    add_to_tree(children_tree(traced->children), traced->rings.summary);
  close_rings(traced);
  attach(traced, next);
  return true;
}

/* Copies the events that the rings hold at present to the recording and the
   summary, as read_followed does; attaches to the ring file first if
   necessary and there is one. */
static uint64_t look(struct traced *traced)
{
  if (traced->rings.cursor == NULL) {
    struct eventring_cursor *cursor = open_ring_file(traced);
    if (cursor != NULL) attach(traced, cursor);
  }
  return traced->rings.cursor == NULL ? 0 : read_followed(&traced->rings);
}

/* The longest sleep while the program has no ring file, and while it is not
   traced. */
#define NO_RING_NS (20L * 1000 * 1000)
#define UNTRACED_NS (900L * 1000 * 1000)

/* Returns how long to sleep while the program has no ring file at [now]: short
   at first, since most programs that are traced have a file from the start. */
static long no_ring_sleep_ns(const struct traced *traced, int64_t now)
{
  int64_t sleep_ns = (now - traced->started_ns) / 64;
  return traced->of == TRACE_NONE ? UNTRACED_NS
         : sleep_ns < 1000 * 1000 ? 1000 * 1000
         : sleep_ns < NO_RING_NS ? (long) sleep_ns : NO_RING_NS;
}

/* Reads the rings of the program, and returns how long to wait until they are
   to be read again.  [passed_ns]: the time since the read before; *looks counts
   the reads of an idle program. */
static long read_program(struct traced *traced, int64_t passed_ns,
                         uint64_t *looks)
{
  uint64_t words = look(traced);
  if (traced->rings.cursor == NULL)
    return no_ring_sleep_ns(traced, monotonic_ns());
  const uint64_t ring_words = target_info(traced->rings.cursor).ring_words;
  /* Now and then, while it is idle. */
  if (words == 0
      && ((*looks)++ % 16 == 0 || has_next_session(traced->sessions)))
    attach_next(traced);
  return poll_interval_ns(ring_words, words, passed_ns);
}

/* Reads the rings of the program and of its children until the program has
   ended. */
static void read_rings(struct traced *traced)
{
  int64_t now = monotonic_ns(), before = now, due = now, children_due = INT64_MAX;
  uint64_t looks = 0;
  due += no_ring_sleep_ns(traced, now);
  for (;;) {
    const int64_t next = due < children_due ? due : children_due;
    if (ended_within(traced, next > now ? (long) (next - now) : 0)) return;
    if (traced->children != NULL)
      children_due = read_children(traced->children, traced->pid);
    now = monotonic_ns();
    if (now < due) continue;
    if (traced->of == TRACE_NONE)
      due = now + UNTRACED_NS;
    else
      due = now + read_program(traced, now - before, &looks);
    before = now;
    now = monotonic_ns();
  }
}

/* The thread that waits for the end of the program [state], a struct traced.
   Notes the time. */
static void *wait_for_end(void *state)
{
  struct traced *traced = state;
  siginfo_t info;
  while (waitid(P_PID, (id_t) traced->pid, &info, WEXITED | WNOWAIT) < 0
         && errno == EINTR) ;
  traced->ended_ns = monotonic_ns();
  return NULL;
}

void follow_traced(struct traced *traced, bool exact)
{
  sigset_t all, before;
  pthread_t waiter;
  /* Handlers of signals run in this thread. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  exact = exact && pthread_create(&waiter, NULL, wait_for_end, traced) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  read_rings(traced);
  if (exact) pthread_join(waiter, NULL);
  else traced->ended_ns = monotonic_ns();
  /* Read the last events.  The program may have ended before our first look. */
  if (traced->of != TRACE_NONE)
    do while (look(traced) > 0) ;
    while (attach_next(traced));
  if (traced->children != NULL) end_children(traced->children, traced->pid);
  while (wait4(traced->pid, &traced->exit_status, 0, &traced->usage) < 0
         && errno == EINTR) ;
  if (traced->pidfd >= 0) close(traced->pidfd);
  traced->pidfd = -1;
}

void free_traced(struct traced *traced)
{
  end_traced_recording(traced);
  close_rings(traced);
}
