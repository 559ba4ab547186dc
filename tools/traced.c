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


/* The summary takes its events from the recorder where a recording is made as
   well, so that both have the same events. */

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
#include "follow.h"
#include "manifest.h"
#include "numbered.h"
#include "poll_interval.h"
#include "traced.h"

#define BATCH 1024

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

const char *temporary_folder(void)
{
  const char *tmp = getenv("TMPDIR");
  return tmp != NULL && *tmp == '/' ? tmp : "/tmp";
}

/* Returns whether a process is still tracing to the ring file at [path].
   Returns false if the file cannot be opened. */
static bool is_in_use(const char *path)
{
  struct eventring_cursor *cursor;
  if (eventring_open(path, NULL, &cursor) < 0) return false;
  bool in_use = eventring_state(cursor) == EVENTRING_STATE_RUNNING;
  eventring_close(cursor);
  return in_use;
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
      if (is_in_use(path)) {
        ++*running;
        continue;
      }
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

/* Sleeps for [ns] nanoseconds, less than a second, or until the program ends or
   a signal arrives, and returns whether the program has ended.  The program
   stays a zombie until its exit status is read, so that no other process takes
   its pid. */
static bool ended_within(struct traced *traced, long ns)
{
  struct timespec time = { .tv_nsec = ns };
  if (traced->pidfd >= 0) {
    struct pollfd poll = { .fd = traced->pidfd, .events = POLLIN };
    return ppoll(&poll, 1, &time, NULL) > 0;
  }
  nanosleep(&time, NULL);
  return has_ended(traced);
}

/* Its rings */

/* Opens the ring file of the program and returns its cursor, which the caller
   closes.  Returns NULL when there is no such file yet or it cannot be opened.
   In a folder that is not ours, a file of the same name that an earlier process
   has left is not opened. */
static struct eventring_cursor *open_ring_file(struct traced *traced)
{
  struct eventring_cursor *cursor = NULL;
  struct eventring_info info;
  eventring_open_pid(traced->pid, traced->folder, NULL, &cursor);
  if (cursor == NULL) return NULL;
  info = target_info(cursor);
  if (!traced->own_folder && info.format == EVENTRING_FORMAT_RING
      && (!info.same_boot || info.started_ns < traced->started_ns)) {
    eventring_close(cursor);
    return NULL;
  }
  return cursor;
}

/* Prints the message for [error], which is in [traced->why] if that is not
   empty, and sets the status of the run to STATUS_CANNOT_WRITE, after which no
   recording is begun and no further message is printed. */
static void cannot_record(struct traced *traced, int error)
{
  if (traced->status == STATUS_CANNOT_WRITE) return;
  complain("%s", traced->why[0] != 0 ? traced->why : eventring_strerror(error));
  traced->status = STATUS_CANNOT_WRITE;
}

/* Lets the recorder, if there is one, copy new words, and returns their number.
   On failure prints a message. */
static uint64_t step_recording(struct traced *traced)
{
  if (traced->recorder == NULL) return 0;
  int64_t words = eventring_record_step(traced->recorder);
  if (words < 0) cannot_record(traced, (int) words);
  return words < 0 ? 0 : (uint64_t) words;
}

/* Closes the recorder, the cursors, the summary and the sessions. */
static void close_rings(struct traced *traced)
{
  if (traced->summary != NULL) free_summary(traced->summary);
  if (traced->sessions != NULL) free_sessions(traced->sessions);
  if (traced->events != traced->cursor) eventring_close(traced->events);
  eventring_record_close(traced->recorder);
  eventring_close(traced->cursor);
  traced->events = traced->cursor = NULL;
  traced->recorder = NULL;
  traced->summary = NULL;
  traced->sessions = NULL;
}

static uint64_t look(struct traced *traced);

/* Begins a recording with the next number, and sets [traced->events] to a cursor
   on its events unless they are only to be recorded.  On failure prints a
   message. */
static void begin_recording(struct traced *traced)
{
  struct eventring_record_options options = {
    .size = sizeof options, .replace = traced->force, .message = traced->why,
    .message_size = sizeof traced->why, .from_start = 1 };
  char *output = numbered_path(traced->output, traced->programs);
  int error = eventring_record(output, traced->cursor, &options,
                               &traced->recorder);
  free(output);
  if (error == 0 && !traced->only_record)
    error = eventring_record_events(traced->recorder, &traced->events);
  if (error < 0) {
    cannot_record(traced, error);
    eventring_record_close(traced->recorder);
    traced->recorder = NULL;
    return;
  }
  char *manifest = new_manifest(traced->cursor, NULL);
  eventring_record_note(traced->recorder, manifest);
  free(manifest);
  record_node(traced->recorder);
}

/* Opens the ring file of the program if it exists, and begins a summary, the
   watch for sessions and, if one was asked for and none has failed, a recording
   with the next number.  If the file does not exist yet, [traced->cursor] stays
   NULL. */
static void attach(struct traced *traced)
{
  traced->cursor = open_ring_file(traced);
  if (traced->cursor == NULL) return;
  traced->programs++;
  traced->sessions = new_sessions(traced->cursor);
  if (traced->output != NULL && traced->status == STATUS_OK)
    begin_recording(traced);
  if (traced->events == NULL) traced->events = traced->cursor;
  if (!traced->only_record) traced->summary = new_summary(traced->events);
}

/* Passes the events that can be read to the summary, until there are none, or
   one from [until_ns] or later.  Between the batches, the recorder copies what
   the rings have got, and the number of words is added to *words, unless this is
   NULL: the recorder has ended.  Returns the number of events. */
static uint64_t summarize(struct traced *traced, int64_t until_ns,
                          uint64_t *words)
{
  struct eventring_event batch[BATCH];
  uint64_t events = 0;
  int n;
  /* A short batch does not mean that there are no more. */
  do {
    n = eventring_read(traced->events, batch, BATCH);
    for (int i = 0; i < n; i++) summary_event(traced->summary, &batch[i]);
    if (n > 0) events += (uint64_t) n;
    if (n > 0 && words != NULL) *words += step_recording(traced);
  } while (n == EVENTRING_E_DAMAGED
           || (n > 0 && batch[n - 1].ns < until_ns));
  return events;
}

void end_traced_recording(struct traced *traced)
{
  if (traced->recorder == NULL) return;
  int error = eventring_record_end(traced->recorder);
  if (error < 0) cannot_record(traced, error);
  if (traced->summary != NULL) summarize(traced, INT64_MAX, NULL);
}

/* Ends the reading of the present ring file and attaches to the next one, if
   the program has executed another program that has a ring file too, or has
   stopped its tracing and started it again.  The summary of the present file is
   freed.  Returns whether there was a next file; if not, nothing has
   changed. */
static bool attach_next(struct traced *traced)
{
  if (traced->cursor == NULL) return false;
  const int state = eventring_state(traced->cursor);
  if (state != EVENTRING_STATE_REPLACED && state != EVENTRING_STATE_ENDED)
    return false;
  int64_t started = target_info(traced->cursor).started_ns;
  struct eventring_cursor *next = open_ring_file(traced);
  bool another = next != NULL && target_info(next).started_ns != started;
  eventring_close(next);
  if (!another) return false;
  if (state == EVENTRING_STATE_ENDED) traced->restarts++;
  while (look(traced) > 0) ;
  end_traced_recording(traced);
  close_rings(traced);
  attach(traced);
  return true;
}

/* Copies the events that the rings hold at present to the recording and the
   summary; attaches to the ring file first if necessary.  Events that are
   written during the call may be left to the next call.  Returns about the
   number of words read, 0 when neither the recording nor the summary had
   anything left to read. */
static uint64_t look(struct traced *traced)
{
  const int64_t began = monotonic_ns();
  if (traced->cursor == NULL) attach(traced);
  if (traced->cursor == NULL) return 0;
  uint64_t words = step_recording(traced);
  uint64_t events = traced->summary == NULL ? 0
                    : summarize(traced, began, &words);
  return words > events ? words : events;
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

/* Reads the rings until the program has ended. */
static void read_rings(struct traced *traced)
{
  int64_t before = monotonic_ns();
  long sleep_ns = no_ring_sleep_ns(traced, before);
  uint64_t looks = 0;
  while (!ended_within(traced, sleep_ns)) {
    if (traced->of == TRACE_NONE) continue;
    uint64_t words = look(traced);
    int64_t now = monotonic_ns();
    if (traced->cursor == NULL) {
      sleep_ns = no_ring_sleep_ns(traced, now);
      continue;
    }
    sleep_ns = poll_interval_ns(target_info(traced->cursor).ring_words, words,
                                now - before);
    before = now;
    /* Now and then, while it is idle. */
    if (words == 0
        && (looks++ % 16 == 0 || has_next_session(traced->sessions)))
      attach_next(traced);
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
