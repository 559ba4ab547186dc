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

/* eventring run: starts a program with tracing on, follows it, and prints a
   summary of its runtime's work at its end.

   The program is our child.  Its ring file is in a folder made for it, so that
   nothing is left behind, unless --dir names one.  While it runs, one
   loop looks at its rings, with two cursors where a recording is made as well:

       waitpid -- not yet --> recorder, summary --> sleep --+
          ^                                                 |
          +-------------------------------------------------+

   The rings are read once more after the program has ended: its file stays
   until then.  Signals that others send to us go to the program, signals of the
   terminal reach it anyway, and its end becomes ours.  SIGTSTP stops both. */

#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common.h"
#include "export/trace.h"
#include "follow.h"
#include "json.h"
#include "manifest.h"
#include "numbered.h"
#include "options.h"
#include "poll_interval.h"
#include "sessions.h"
#include "summary_text.h"

static const char usage[] =
"Usage: eventring run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
"Runs PROGRAM with tracing on from its first instruction, and prints a summary\n"
"of what its runtime did on standard error when it ends.  A signal that ends\n"
"PROGRAM ends eventring too.\n";

static const enum option_id option_ids[] = {
  OPTION_OUTPUT, OPTION_TRACE, OPTION_SUMMARY, OPTION_JSON, OPTION_FORCE,
  OPTION_CATEGORIES, OPTION_RING, OPTION_DIR, OPTION_QUIET, OPTION_HELP,
  OPTION_END
};

static const char notes[] =
"OUT gets all events.  --dir keeps the ring file, which is removed otherwise.\n"
"LIST is as for OCAML_EVENTRING_CATEGORIES.  Children of PROGRAM are traced too,\n"
"but only PROGRAM is followed.  After exec, and when PROGRAM starts its tracing\n"
"again, the recording goes on in OUT.2 or, for out.evr, in out.2.evr, and the\n"
"summary describes the last of them.\n"
"The exit status is PROGRAM's, or 2: usage; 4: an output exists, or the writing\n"
"failed and PROGRAM ended with 0; 126: cannot run PROGRAM; 127: no such PROGRAM.\n"
"Example: eventring run -o slow.evr -- ./server --port 8080\n";

#define BATCH 1024

struct run {
  const char *output, *trace, *summary_path;
  const char *categories, *dir;
  long ring;                      /* 0: as the environment says */
  bool force, json, quiet;

  char *folder;                   /* of the ring file */
  bool own_folder;
  char *own_recordings;           /* the folder of recordings that are made only
                                     for the trace, or NULL */
  char **program;
  pid_t pid;
  int64_t started_ns;             /* CLOCK_MONOTONIC before it was */
  int pidfd;
  int exit_status;                /* of waitpid */

  uint32_t programs;              /* that it has been, with ring files, and
                                     sessions of these */
  uint32_t restarts;              /* of tracing, by one program */
  struct eventring_cursor *cursor;    /* of its present one; NULL: none yet */
  struct summary *summary;
  struct sessions *sessions;
  struct eventring_cursor *recorded;  /* the recorder's, or NULL */
  struct eventring_recorder *recorder;
  char why[512];
  enum status status;
};

static _Noreturn void no_memory(void)
{
  complain("not enough memory");
  exit(STATUS_CANNOT_READ);
}

/* The folder of the ring file */

/* Creates a folder in the folder [parent], which only its owner may use, and
   returns its path, which the caller frees.  On failure, prints a message that
   has [purpose] and ends the program with STATUS_CANNOT_WRITE. */
static char *new_folder(const char *parent, const char *purpose)
{
  char *path;
  if (asprintf(&path, "%s/eventring-XXXXXX", parent) < 0) no_memory();
  if (mkdtemp(path) != NULL) return path;
  complain("cannot make a folder for %s, %s: %s", purpose, path,
           strerror(errno));
  exit(STATUS_CANNOT_WRITE);
}

/* Sets [run->folder] to the folder for the ring files: that of --dir, or a new
   one in TMPDIR.  On failure, prints a message and ends the program with
   STATUS_CANNOT_WRITE. */
static void make_folder(struct run *run)
{
  const char *tmp = getenv("TMPDIR");
  if (run->dir != NULL) {
    run->folder = realpath(run->dir, NULL);
    if (run->folder == NULL) {
      complain("--dir %s: %s", run->dir, strerror(errno));
      exit(STATUS_CANNOT_WRITE);
    }
    return;
  }
  if (tmp == NULL || *tmp != '/') tmp = "/tmp";
  run->folder = new_folder(tmp, "the ring file");
  run->own_folder = true;
}

/* Sets [run->output] to a file in a new folder: a trace is made of recordings.
   In the folder of --dir, another user could foresee the name of a file and put
   a link there. */
static void record_for_trace(struct run *run)
{
  char *output;
  run->own_recordings = new_folder(run->folder, "the recording");
  if (asprintf(&output, "%s/out.evr", run->own_recordings) < 0) no_memory();
  run->output = output;
}

/* Removes the folders that were made for this run, which must be empty, when
   the program has not been started. */
static void remove_empty_folders(const struct run *run)
{
  if (run->own_recordings != NULL) rmdir(run->own_recordings);
  if (run->own_folder) rmdir(run->folder);
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

/* Removes the folder with the ring files in it: the file of the program, and
   the files of other processes that the program has started and that have
   ended.  Files of processes that still run are kept, and the folder with them.
   Returns the number of other processes that have ended, and adds the number of
   processes that still run to *running.  Returns 0 when the folder cannot be
   opened. */
static unsigned remove_folder(struct run *run, unsigned *running)
{
  unsigned others = 0;
  char ours[32], path[PATH_MAX];
  DIR *d = opendir(run->folder);
  struct dirent *entry;
  if (d == NULL) return 0;
  snprintf(ours, sizeof ours, "%ld.", (long) run->pid);
  while ((entry = readdir(d)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    if (strncmp(entry->d_name, ours, strlen(ours)) != 0) {
      snprintf(path, sizeof path, "%s/%s", run->folder, entry->d_name);
      if (is_in_use(path)) {
        ++*running;
        continue;
      }
      others++;
    }
    unlinkat(dirfd(d), entry->d_name, 0);
  }
  closedir(d);
  rmdir(run->folder);
  return others;
}

/* The program */

/* Sets the environment variable [name]; ends the program, which is the child,
   when there is no memory. */
static void set(const char *name, const char *value)
{
  if (setenv(name, value, 1) < 0) no_memory();
}

/* Sets the environment variables that make the program trace, and the
   equivalent variables for programs of stock OCaml 5; adds the size of the ring
   to OCAMLRUNPARAM.  Called in the child. */
static void set_environment(const struct run *run)
{
  set("OCAML_EVENTRING_START", "1");
  set("OCAML_EVENTRING_PREFIX", run->folder);
  set("OCAML_EVENTRING_KEEP", "1");
  set("OCAML_RUNTIME_EVENTS_START", "1");
  set("OCAML_RUNTIME_EVENTS_DIR", run->folder);
  set("OCAML_RUNTIME_EVENTS_PRESERVE", "1");
  if (run->categories != NULL)
    set("OCAML_EVENTRING_CATEGORIES", run->categories);
  if (run->ring > 0) {
    const char *old = getenv("OCAMLRUNPARAM");
    char *new;
    if (asprintf(&new, "%s%se=%ld", old == NULL ? "" : old,
                 old == NULL || *old == 0 ? "" : ",", run->ring) < 0)
      no_memory();
    set("OCAMLRUNPARAM", new);
    free(new);
  }
}

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGALRM, SIGCONT };
#define FORWARDED (sizeof forwarded / sizeof *forwarded)
static struct sigaction inherited[FORWARDED];

/* Restores the dispositions that the forwarded signals had when eventring was
   started.  Called in a child. */
static void restore_forwarded(void)
{
  for (size_t i = 0; i < FORWARDED; i++)
    sigaction(forwarded[i], &inherited[i], NULL);
}

static volatile sig_atomic_t child;
static const char *volatile own_ring, *volatile own_folder;

/* Returns whether the process [child] has ended, and does not take its exit
   status; true also when there is no such child.  Handlers of signals may call
   it. */
static bool child_has_ended(void)
{
  siginfo_t info = { .si_pid = 0 };
  return waitid(P_PID, (id_t) child, &info, WEXITED | WNOHANG | WNOWAIT) != 0
         || info.si_pid != 0;
}

/* The handler of the signals in [forwarded], which others send to eventring:
   sends the signal to the program, unless the terminal sent it, since the
   program has it then.  After the end of the program the signal (except
   SIGCONT, which does nothing then) removes our ring file and folder and ends
   eventring, which may be waiting for the reader of a FIFO.  Keeps errno. */
static void forward(int number, siginfo_t *info, void *context)
{
  int error = errno;
  (void) context;
  if (child > 0 && child_has_ended()) {
    if (number == SIGCONT) {
      errno = error;
      return;
    }
    if (own_ring != NULL) unlink(own_ring);
    if (own_folder != NULL) rmdir(own_folder);
    signal(number, SIG_DFL);
    raise(number);
  } else if (info->si_code <= 0 && child > 0) {
    kill((pid_t) child, number);
  }
  errno = error;
}

/* The handler of SIGTSTP: suspends the program and then eventring, as a shell
   suspends a job.  A SIGTSTP of the terminal has reached the program already.
   Both continue with SIGCONT, which is passed on like the other signals; the
   handler then returns.  Keeps errno. */
static void stop(int number, siginfo_t *info, void *context)
{
  int error = errno;
  struct sigaction handler;
  sigset_t only;
  (void) context;
  if (info->si_code <= 0 && child > 0 && !child_has_ended())
    kill((pid_t) child, number);
  sigaction(number, &(struct sigaction) { .sa_handler = SIG_DFL }, &handler);
  raise(number);
  sigemptyset(&only);
  sigaddset(&only, number);
  /* Here it stops. */
  sigprocmask(SIG_UNBLOCK, &only, NULL);
  sigprocmask(SIG_BLOCK, &only, NULL);
  sigaction(number, &handler, NULL);
  errno = error;
}

/* Installs [stop], which suspends the program along with eventring, as the
   handler of SIGTSTP, unless eventring was started with the signal ignored. */
static void catch_stop(void)
{
  struct sigaction action = { .sa_sigaction = stop,
                              .sa_flags = SA_SIGINFO | SA_RESTART };
  struct sigaction before;
  sigfillset(&action.sa_mask);
  sigaction(SIGTSTP, NULL, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGTSTP, &action, NULL);
}

/* Installs the handlers of signals and starts the program as a child, with
   tracing on and with the dispositions of signals that eventring was started
   with.  Sets [pid], [started_ns] and [pidfd] of the run.  If the program
   cannot be run, prints a message, removes the folder and ends eventring with
   127 when there is no such program, 126 for another reason, STATUS_CANNOT_READ
   when no process can be started. */
static void start_program(struct run *run)
{
  struct sigaction action = { .sa_sigaction = forward,
                              .sa_flags = SA_SIGINFO | SA_RESTART };
  struct sigaction child_before;
  int failed[2];
  int error;

  if (pipe2(failed, O_CLOEXEC) < 0) {
    complain("cannot make a pipe: %s", strerror(errno));
    remove_empty_folders(run);
    exit(STATUS_CANNOT_READ);
  }
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < FORWARDED; i++)
    sigaction(forwarded[i], &action, &inherited[i]);
  /* While it is ignored, nobody learns the exit status of a child. */
  sigaction(SIGCHLD, &(struct sigaction) { .sa_handler = SIG_DFL },
            &child_before);
  fflush(NULL);
  run->started_ns = monotonic_ns();
  child = run->pid = fork();
  if (run->pid == 0) {
    restore_forwarded();
    sigaction(SIGCHLD, &child_before, NULL);
    restore_write_signals();
    set_environment(run);
    execvp(run->program[0], run->program);
    error = errno;
    if (write(failed[1], &error, sizeof error) < 0) _exit(126);
    _exit(error == ENOENT ? 127 : 126);
  }
  catch_stop();
  close(failed[1]);
  if (run->pid < 0) {
    complain("cannot start a process: %s", strerror(errno));
    remove_empty_folders(run);
    exit(STATUS_CANNOT_READ);
  }
  if (read(failed[0], &error, sizeof error) == sizeof error) {
    complain("cannot run %s: %s", run->program[0], strerror(error));
    waitpid(run->pid, NULL, 0);
    remove_empty_folders(run);
    exit(error == ENOENT ? 127 : 126);
  }
  close(failed[0]);
  run->pidfd = pidfd_open(run->pid, 0);
  if (run->own_folder) {
    char *ring;
    if (asprintf(&ring, "%s/%ld.eventring", run->folder, (long) run->pid) < 0)
      no_memory();
    own_ring = ring;
    own_folder = run->folder;
  }
}

/* Sleeps for [ns] nanoseconds, less than a second, or until the program ends or
   a signal arrives, and returns whether the program has ended.  The program
   stays a zombie until its exit status is read, so that no other process takes
   its pid. */
static bool ended_within(struct run *run, long ns)
{
  struct timespec time = { .tv_nsec = ns };
  if (run->pidfd >= 0) {
    struct pollfd poll = { .fd = run->pidfd, .events = POLLIN };
    return ppoll(&poll, 1, &time, NULL) > 0;
  }
  nanosleep(&time, NULL);
  return child_has_ended();
}

/* Ends eventring with the exit code of the program, or with the signal that
   ended it, but without a core file.  A failure of eventring itself,
   [run->status], gives the exit code only if the program ended with 0. */
static _Noreturn void end_like(const struct run *run)
{
  if (WIFSIGNALED(run->exit_status)) {
    /* One core file, if any, is enough. */
    setrlimit(RLIMIT_CORE, &(struct rlimit) { 0, 0 });
    signal(WTERMSIG(run->exit_status), SIG_DFL);
    raise(WTERMSIG(run->exit_status));
    exit(128 + WTERMSIG(run->exit_status));
  }
  int code = WEXITSTATUS(run->exit_status);
  exit(code != 0 ? code : (int) run->status);
}

/* Its rings */

/* Opens the ring file of the program and returns its cursor, which the caller
   closes.  Returns NULL when there is no such file yet or it cannot be opened.
   In a folder that is not ours, a file of the same name that an earlier process
   has left is not opened. */
static struct eventring_cursor *open_ring_file(struct run *run)
{
  struct eventring_cursor *cursor = NULL;
  struct eventring_info info;
  eventring_open_pid(run->pid, run->folder, NULL, &cursor);
  if (cursor == NULL) return NULL;
  info = target_info(cursor);
  if (!run->own_folder && info.format == EVENTRING_FORMAT_RING
      && (!info.same_boot || info.started_ns < run->started_ns)) {
    eventring_close(cursor);
    return NULL;
  }
  return cursor;
}

/* Prints the message for [error], which is in [run->why] if that is not empty,
   closes the recording, and sets the status of the run to STATUS_CANNOT_WRITE,
   after which no recording is begun. */
static void cannot_record(struct run *run, int error)
{
  complain("%s", run->why[0] != 0 ? run->why : eventring_strerror(error));
  run->status = STATUS_CANNOT_WRITE;
  eventring_record_close(run->recorder);
  run->recorder = NULL;
}

static uint64_t look(struct run *run);

/* Opens the ring file of the program if it exists, and begins a summary, the
   watch for sessions and, if one was asked for and none has failed, a recording
   with the next number.  If the file does not exist yet, [run->cursor] stays
   NULL. */
static void attach(struct run *run)
{
  struct eventring_record_options options = {
    .size = sizeof options, .replace = run->force, .message = run->why,
    .message_size = sizeof run->why };
  int error;
  run->cursor = open_ring_file(run);
  if (run->cursor == NULL) return;
  run->summary = new_summary(run->cursor);
  run->sessions = new_sessions(run->cursor);
  run->programs++;
  if (run->output == NULL || run->status != STATUS_OK) return;
  run->recorded = open_ring_file(run);
  if (run->recorded == NULL) return;
  char *output = numbered_path(run->output, run->programs);
  error = eventring_record(output, run->recorded, &options, &run->recorder);
  free(output);
  if (error < 0) {
    cannot_record(run, error);
    return;
  }
  char *manifest = new_manifest(run->recorded, NULL);
  eventring_record_note(run->recorder, manifest);
  free(manifest);
}

/* Closes the recording of the present ring file, if there is one; a failure is
   handled by cannot_record. */
static void end_recording(struct run *run)
{
  int error;
  if (run->recorder == NULL) return;
  error = eventring_record_close(run->recorder);
  run->recorder = NULL;
  if (error < 0) cannot_record(run, error);
}

/* Ends the reading of the present ring file and attaches to the next one, if
   the program has executed another program that has a ring file too, or has
   stopped its tracing and started it again.  The summary of the present file is
   freed.  Returns whether there was a next file; if not, nothing has
   changed. */
static bool attach_next(struct run *run)
{
  if (run->cursor == NULL) return false;
  const int state = eventring_state(run->cursor);
  if (state != EVENTRING_STATE_REPLACED && state != EVENTRING_STATE_ENDED)
    return false;
  int64_t started = target_info(run->cursor).started_ns;
  struct eventring_cursor *next = open_ring_file(run);
  bool another = next != NULL && target_info(next).started_ns != started;
  eventring_close(next);
  if (!another) return false;
  if (state == EVENTRING_STATE_ENDED) run->restarts++;
  while (look(run) > 0) ;
  end_recording(run);
  eventring_close(run->recorded);
  free_summary(run->summary);
  free_sessions(run->sessions);
  eventring_close(run->cursor);
  run->recorded = run->cursor = NULL;
  attach(run);
  return true;
}

/* Copies the events that the rings hold at present to the recording and the
   summary; attaches to the ring file first if necessary.  Events that are
   written during the call may be left to the next call.  Returns about the
   number of words read, 0 when neither the recording nor the summary had
   anything left to read. */
static uint64_t look(struct run *run)
{
  struct eventring_event batch[BATCH];
  const int64_t began = monotonic_ns();
  uint64_t words = 0, events = 0;
  int n;
  if (run->cursor == NULL) attach(run);
  if (run->cursor == NULL) return 0;
  if (run->recorder != NULL) {
    int64_t copied = eventring_record_step(run->recorder);
    if (copied < 0) cannot_record(run, (int) copied);
    else words = (uint64_t) copied;
  }
  /* A short batch does not mean that there are no more. */
  do {
    n = eventring_read(run->cursor, batch, BATCH);
    for (int i = 0; i < n; i++) summary_event(run->summary, &batch[i]);
    if (n > 0) events += (uint64_t) n;
  } while (n == EVENTRING_E_DAMAGED
           || (n > 0 && batch[n - 1].ns < began));
  return words > events ? words : events;
}

/* Reads the events of the program until it ends, and then its last events and
   its exit status, which ends the zombie.  The last cursor, summary and
   recording stay open. */
static void follow(struct run *run)
{
  long sleep_ns = 1000 * 1000;
  int64_t before = monotonic_ns();
  uint64_t looks = 0;
  while (!ended_within(run, sleep_ns)) {
    uint64_t words = look(run);
    int64_t now = monotonic_ns();
    if (run->cursor == NULL) continue;
    sleep_ns = poll_interval_ns(target_info(run->cursor).ring_words, words,
                          now - before);
    before = now;
    /* Now and then, while it is idle. */
    if (words == 0 && (looks++ % 16 == 0 || has_next_session(run->sessions)))
      attach_next(run);
  }
  /* Read the last events.  The program may have ended before our first look. */
  do while (look(run) > 0) ;
  while (attach_next(run));
  waitpid(run->pid, &run->exit_status, 0);
}

/* The command line */

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

/* Returns whether the two paths name the same regular file, or would do so once
   the files are created. */
static bool are_one_file(const char *one, const char *other)
{
  struct stat a, b;
  if (stat(one, &a) == 0 && stat(other, &b) == 0)
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  /* basename and dirname change their argument. */
  char *copies[] = { strdup(one), strdup(other), strdup(one), strdup(other) };
  for (int i = 0; i < 4; i++)
    if (copies[i] == NULL) no_memory();
  bool same = strcmp(basename(copies[0]), basename(copies[1])) == 0
              && stat(dirname(copies[2]), &a) == 0
              && stat(dirname(copies[3]), &b) == 0
              && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  for (int i = 0; i < 4; i++) free(copies[i]);
  return same;
}

/* Ends the program with a message and STATUS_USAGE if --trace has no known
   extension or two outputs are the same file, which would fail only after the
   program has ended. */
static void check_outputs(const struct run *run)
{
  const struct { const char *option, *path; } outputs[] = {
    { "output", run->output }, { "trace", run->trace },
    { "summary", run->summary_path }
  };
  if (run->trace != NULL && trace_format_of_file(run->trace) == NULL)
    usage_error(&run_command, "run: which format has %s? --trace FILE ends "
                "with .json, .pftrace or .ctf", run->trace);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < i; k++)
      if (outputs[i].path != NULL && outputs[k].path != NULL
          && are_one_file(outputs[i].path, outputs[k].path))
        usage_error(&run_command, "run: --%s and --%s are one file, %s",
                    outputs[k].option, outputs[i].option, outputs[i].path);
}

/* Ends the program with a message and STATUS_CANNOT_WRITE if an output exists
   and --force is not given.  A trace may be written to a device or a FIFO that
   exists. */
static void refuse_outputs(const struct run *run)
{
  struct stat there;
  bool trace = run->trace != NULL
               && (stat(run->trace, &there) < 0 || S_ISREG(there.st_mode)
                   || S_ISDIR(there.st_mode));
  if ((run->output != NULL && refuse_existing(run->output, run->force))
      || (trace && refuse_existing(run->trace, run->force))
      || (run->summary_path != NULL
          && refuse_existing(run->summary_path, run->force)))
    exit(STATUS_CANNOT_WRITE);
}

/* Sets the options and the program of the run from the command line.  Ends
   eventring with STATUS_USAGE for a wrong option or without a program, and with
   STATUS_CANNOT_WRITE when an output exists and must not be overwritten. */
static void read_options(struct run *run, int argc, char **argv)
{
  int option;
  char *end;
  while ((option = next_option(&run_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_OUTPUT: run->output = optarg; break;
    case OPTION_TRACE: run->trace = optarg; break;
    case OPTION_FORCE: run->force = true; break;
    case OPTION_CATEGORIES:
      if (!leaves_a_category(optarg))
        usage_error(&run_command, "run: --categories '%s' leaves no category "
                    "to record", optarg);
      run->categories = optarg;
      break;
    case OPTION_RING:
      run->ring = strtol(optarg, &end, 10);
      if (*end != 0 || run->ring < 9 || run->ring > 30)
        usage_error(&run_command, "run: --ring %s is not a number from 9 to 30",
                    optarg);
      break;
    case OPTION_DIR: run->dir = optarg; break;
    case OPTION_SUMMARY: run->summary_path = optarg; break;
    case OPTION_JSON: run->json = true; break;
    case OPTION_QUIET: run->quiet = true; break;
    }
  if (optind == argc) usage_error(&run_command, "run: which program?");
  run->program = argv + optind;
  check_outputs(run);
  refuse_outputs(run);
}

/* After the end */

/* Calls [write] in a child and returns its status; STATUS_CANNOT_WRITE when the
   child cannot be started (with a message) or is ended by a signal.  Changes of
   [run] by [write] are lost.  Thus the exit code is that of the program, and
   our files are removed, however the writing ends.  Signals sent to eventring
   while the child runs end the child. */
static enum status write_apart(struct run *run,
                               enum status (*write)(struct run *run))
{
  int how;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    restore_forwarded();
    exit(write(run));
  }
  if (pid < 0) {
    complain("cannot start a process: %s", strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  child = pid;
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) ;
  return WIFEXITED(how) ? (enum status) WEXITSTATUS(how) : STATUS_CANNOT_WRITE;
}

/* Writes the trace file from the recordings, one for each program that the
   process executed and each session, which must be closed.  Returns the status
   of `trace`. */
static enum status make_trace(struct run *run)
{
  char **argv = allocate(run->programs + 6, sizeof *argv);
  int argc = 0;
  argv[argc++] = "trace";
  argv[argc++] = "-o";
  argv[argc++] = (char *) run->trace;
  if (run->force) argv[argc++] = "--force";
  argv[argc++] = "--";
  for (uint32_t i = 1; i <= run->programs; i++)
    argv[argc++] = numbered_path(run->output, i);
  optind = 0;
  enum status status = trace_command.run(argc, argv);
  for (uint32_t i = 0; i < run->programs; i++)
    free(argv[argc - 1 - (int) i]);
  free(argv);
  return status;
}

/* Removes the recordings that were made only for the trace, and their folder.
   Failures are not reported. */
static void remove_recordings(const struct run *run)
{
  if (run->own_recordings == NULL) return;
  for (uint32_t i = 1; i <= run->programs; i++) {
    char *path = numbered_path(run->output, i);
    unlink(path);
    free(path);
  }
  rmdir(run->own_recordings);
}

/* Prints the summary to the file of --summary or, without this option, to
   standard error, since standard output is the program's.  Redirects standard
   output for this.  Returns STATUS_OK; STATUS_CANNOT_WRITE, with a message, on
   failure. */
static enum status print_summary_of(struct run *run)
{
  int fd = STDERR_FILENO;
  if (run->summary_path != NULL)
    fd = open(run->summary_path, O_WRONLY | O_CREAT | O_CLOEXEC
                                 | (run->force ? O_TRUNC : O_EXCL), 0666);
  if (fd < 0) {
    complain("--summary %s: %s", run->summary_path, strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  if (dup2(fd, STDOUT_FILENO) < 0) {
    complain("cannot write the summary: %s", strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  if (run->json) print_json(json_summary(run->summary), false);
  else print_summary(run->summary);
  return finish_output(STATUS_OK);
}

static enum status run_program(int argc, char **argv)
{
  struct run run = { .pidfd = -1 };
  read_options(&run, argc, argv);
  make_folder(&run);
  if (run.trace != NULL && run.output == NULL) record_for_trace(&run);
  start_program(&run);
  follow(&run);
  end_recording(&run);
  enum status traced = STATUS_OK;
  if (run.trace != NULL && run.cursor != NULL && run.status == STATUS_OK)
    traced = write_apart(&run, make_trace);
  remove_recordings(&run);
  if (run.cursor == NULL && !run.quiet)
    note("%s wrote no events: it is not a program of OCaml 5, or said "
         "above why it could not", run.program[0]);
  else if (run.cursor != NULL && !run.quiet && run.status == STATUS_OK)
    run.status = write_apart(&run, print_summary_of);
  if (run.restarts > 0 && !run.quiet)
    note("the program stopped its tracing and started it again, %" PRIu32
         " %s; the summary is of the last session", run.restarts,
         run.restarts == 1 ? "time" : "times");
  if (run.status == STATUS_OK) run.status = traced;
  if (run.own_folder) {
    unsigned running = 0, others = remove_folder(&run, &running);
    if (running > 0 && !run.quiet)
      note("%u traced %s in %s, which stays", running,
           running == 1 ? "process goes on and has its ring file"
                        : "processes go on and have their ring files",
           run.folder);
    if (others > 0 && !run.quiet)
      note("%u other traced %s ran as well; --dir keeps what they wrote",
           others, others == 1 ? "process" : "processes");
  }
  end_like(&run);
}

const struct command run_command = {
  .name = "run", .summary = "run a program with tracing, and summarise it",
  .usage = usage, .options = option_ids, .notes = notes, .runs_program = true,
  .run = run_program
};
