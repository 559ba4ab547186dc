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

   The program is our child, started and followed by traced.h, with the processes
   that it starts (children.h).  Their ring files are in a folder made for them,
   so that nothing is left behind, unless --dir names one.  Signals that others
   send to us go to the program, signals of the terminal reach it anyway, and its
   end becomes ours.  SIGTSTP stops both. */

#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "children.h"
#include "common.h"
#include "export/trace_formats.h"
#include "json.h"
#include "numbered.h"
#include "options.h"
#include "summary_text.h"
#include "traced.h"
#include "unnamed_file.h"

static const char usage[] =
"Usage: eventring run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
"Runs PROGRAM with tracing on from its first instruction, and prints a summary\n"
"of what its runtime did on standard error when it ends: with a line for each\n"
"process, if PROGRAM starts further ones.  A signal that ends PROGRAM ends\n"
"eventring too.\n";

static const enum option_id option_ids[] = {
  OPTION_OUTPUT, OPTION_TRACE, OPTION_SUMMARY, OPTION_JSON, OPTION_FORCE,
  OPTION_CATEGORIES, OPTION_RING, OPTION_DIR, OPTION_QUIET, OPTION_HELP,
  OPTION_END
};

static const char notes[] =
"OUT gets all events, of all processes.  --dir keeps the ring files, which are\n"
"removed otherwise.  LIST is as for OCAML_EVENTRING_CATEGORIES.  A program that\n"
"a process executes, or that starts its tracing again, is a process of its own\n"
"in OUT.  Processes that go on after the end of PROGRAM are read up to then.\n"
"The exit status is PROGRAM's; or 2: usage, 4: an output exists, 126 or 127: it\n"
"cannot run.  If it ends with 0, 3: no events were read, 4: OUT not written.\n"
"Example: eventring run -o slow.evr -- ./server --port 8080\n";

struct run {
  const char *trace, *summary_path, *dir;
  bool json, quiet;
  char *own_recordings;           /* the folder of recordings that are made only
                                     for the trace, or NULL */
  char **program;
  struct traced traced;
};

/* The folder of the ring file */

/* Sets the folder for the ring files: the value of --dir, or a new folder.  On failure,
   prints a message and ends the program with STATUS_CANNOT_WRITE. */
static void make_folder(struct run *run)
{
  struct traced *t = &run->traced;
  t->own_folder = run->dir == NULL;
  t->folder = t->own_folder ? new_folder(temporary_folder(), "the ring file")
                            : realpath(run->dir, NULL);
  if (t->folder != NULL) return;
  complain("--dir %s: %s", run->dir, strerror(errno));
  exit(STATUS_CANNOT_WRITE);
}

/* Sets the output to a file in a new folder: a trace is made of recordings.  In
   the folder of --dir, another user could foresee the name of a file and put
   a link there. */
static void record_for_trace(struct run *run)
{
  char *output;
  run->own_recordings = new_folder(run->traced.folder, "the recording");
  if (asprintf(&output, "%s/out.evr", run->own_recordings) < 0) out_of_memory();
  run->traced.output = output;
}

/* Begins to watch for the children of the program, which is started next. */
static void watch_children(struct run *run)
{
  struct traced *t = &run->traced;
  t->children = new_children(t->folder, t->own_folder, t->output, t->force,
                             run->json, &t->status);
}

/* Removes the folders that were made for this run, which must be empty, when
   the program has not been started. */
static void remove_empty_folders(const struct run *run)
{
  if (run->own_recordings != NULL) rmdir(run->own_recordings);
  if (run->traced.own_folder) rmdir(run->traced.folder);
}

/* The program */

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGALRM, SIGCONT };
#define FORWARDED (sizeof forwarded / sizeof *forwarded)
static struct sigaction inherited[FORWARDED], child_before;

/* Restores the dispositions that the forwarded signals had when eventring was
   started. */
static void restore_forwarded(void)
{
  for (size_t i = 0; i < FORWARDED; i++)
    sigaction(forwarded[i], &inherited[i], NULL);
}

static volatile sig_atomic_t child;
/* What eventring does. */
enum phase {
  MAY_WAIT,                       /* reads the rings, and may wait for the reader
                                     of a FIFO */
  READING,                        /* reads the rings, which waits for nobody */
  WRITING                         /* writes its results in processes of its own */
};
static volatile sig_atomic_t phase;
/* The last signal that was passed on to the program, and one that is to end
   eventring when it has cleaned up; 0: none. */
static volatile sig_atomic_t passed_on, ending;
static const char *volatile own_folder;

/* Removes the files in [folder] and the folder itself.  Handlers of signals may
   call it. */
static void remove_folder(const char *folder)
{
  _Alignas(struct dirent64) char bytes[4096];
  ssize_t n;
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  while ((n = getdents64(fd, bytes, sizeof bytes)) > 0)
    for (char *p = bytes; p < bytes + n;) {
      const struct dirent64 *entry = (void *) p;
      unlinkat(fd, entry->d_name, 0);
      p += entry->d_reclen;
    }
  close(fd);
  rmdir(folder);
}

/* Returns whether the process [child] has ended, and does not take its exit
   status; true also when there is no such child.  Sets *killed_by to the signal
   that ended it, 0 if none did.  Handlers of signals may call it. */
static bool child_has_ended(int *killed_by)
{
  siginfo_t info = { .si_pid = 0 };
  const bool gone = waitid(P_PID, (id_t) child, &info,
                           WEXITED | WNOHANG | WNOWAIT) != 0;
  *killed_by = gone || info.si_pid == 0 || info.si_code == CLD_EXITED
               ? 0 : info.si_status;
  return gone || info.si_pid != 0;
}

/* The handler of the signals in [forwarded], which others send to eventring:
   sends the signal to the program, or the process that writes a result, unless
   the terminal sent it, since that has it then.  After the end of the program a
   signal, except SIGCONT, ends eventring:
   - at once, after the ring files and their folder are removed, while it may wait
     for the reader of a FIFO;
   - when it has cleaned up, if it is writing;
   - the same while the rings are read, but then only a SIGTERM that was not sent
     to the program too, since such a signal has probably ended the program.
   Keeps errno. */
static void forward(int number, siginfo_t *info, void *context)
{
  int error = errno, killed_by;
  (void) context;
  if (child > 0 && !child_has_ended(&killed_by)) {
    if (info->si_code <= 0) {
      kill((pid_t) child, number);
      passed_on = number;
    }
  } else if (child > 0 && number != SIGCONT) {
    if (phase == MAY_WAIT) {
      if (own_folder != NULL) remove_folder(own_folder);
      signal(number, SIG_DFL);
      raise(number);
    } else if (phase == WRITING
               || (number == SIGTERM && passed_on != number
                   && killed_by != number))
      ending = number;
  }
  errno = error;
}

/* The handler of SIGTSTP: suspends the program and then eventring, as a shell
   suspends a job.  A SIGTSTP of the terminal has reached the program already.
   Both continue with SIGCONT, which is passed on like the other signals; the
   handler then returns.  Keeps errno. */
static void stop(int number, siginfo_t *info, void *context)
{
  int error = errno, killed_by;
  struct sigaction handler;
  sigset_t only;
  (void) context;
  if (info->si_code <= 0 && child > 0 && !child_has_ended(&killed_by))
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

/* Restores the dispositions of signals with which eventring was started, and then
   its signal mask, [state].  Called in the child that becomes the program. */
static void restore_signals(void *state)
{
  restore_forwarded();
  sigaction(SIGCHLD, &child_before, NULL);
  restore_write_signals();
  sigprocmask(SIG_SETMASK, state, NULL);
}

/* Installs the handlers of signals and starts the program as a child, with
   tracing on and with the dispositions of signals that eventring was started
   with.  If the program cannot be run, prints a message, removes the folder and ends eventring with
   127 when there is no such program, 126 for another reason, STATUS_CANNOT_READ
   when no process can be started. */
static void start_program(struct run *run)
{
  struct sigaction action = { .sa_sigaction = forward,
                              .sa_flags = SA_SIGINFO | SA_RESTART };
  struct traced *t = &run->traced;
  sigset_t all, before;
  sigfillset(&all);
  action.sa_mask = all;
  /* A signal finds the child, with its dispositions. */
  sigprocmask(SIG_SETMASK, &all, &before);
  for (size_t i = 0; i < FORWARDED; i++)
    sigaction(forwarded[i], &action, &inherited[i]);
  /* While it is ignored, nobody learns the exit status of a child. */
  sigaction(SIGCHLD, &(struct sigaction) { .sa_handler = SIG_DFL },
            &child_before);
  int error = fork_traced(t, run->program, restore_signals, &before);
  if (error != 0) {
    complain("cannot start a process: %s", strerror(error));
    remove_empty_folders(run);
    exit(STATUS_CANNOT_READ);
  }
  child = t->pid;
  catch_stop();
  sigprocmask(SIG_SETMASK, &before, NULL);
  error = exec_traced(t);
  if (error != 0) {
    complain("cannot run %s: %s", run->program[0], strerror(error));
    remove_empty_folders(run);
    exit(error == ENOENT ? 127 : 126);
  }
  if (t->own_folder) own_folder = t->folder;
  /* The program has its own. */
  raise_descriptor_limit();
}

/* Ends eventring with the signal that is to end it, or the exit code of the
   program, or the signal that ended the program, but without a core file.  A
   failure of eventring itself, [run->traced.status], gives the exit code only if
   the program ended with 0. */
static _Noreturn void end_like(const struct run *run)
{
  /* From here on, no handler sets [ending]. */
  restore_forwarded();
  if (ending != 0) {
    signal(ending, SIG_DFL);
    raise(ending);
  }
  if (WIFSIGNALED(run->traced.exit_status)) {
    /* One core file, if any, is enough. */
    setrlimit(RLIMIT_CORE, &(struct rlimit) { 0, 0 });
    signal(WTERMSIG(run->traced.exit_status), SIG_DFL);
    raise(WTERMSIG(run->traced.exit_status));
    exit(128 + WTERMSIG(run->traced.exit_status));
  }
  int code = WEXITSTATUS(run->traced.exit_status);
  exit(code != 0 ? code : (int) run->traced.status);
}

/* The command line */

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
    if (copies[i] == NULL) out_of_memory();
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
    { "output", run->traced.output }, { "trace", run->trace },
    { "summary", run->summary_path }
  };
  if (run->trace != NULL && trace_format_of_file(run->trace) == NULL)
    usage_error(&run_command, "run: unknown format of %s: --trace FILE ends "
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
  const bool force = run->traced.force;
  if ((run->traced.output != NULL && refuse_existing(run->traced.output, force))
      || (trace && refuse_existing(run->trace, force))
      || (run->summary_path != NULL
          && refuse_existing(run->summary_path, force)))
    exit(STATUS_CANNOT_WRITE);
}

/* Sets the options and the program of the run from the command line.  Ends
   eventring with STATUS_USAGE for a wrong option or without a program, and with
   STATUS_CANNOT_WRITE when an output exists and must not be overwritten. */
static void read_options(struct run *run, int argc, char **argv)
{
  int option;
  while ((option = next_option(&run_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_OUTPUT: run->traced.output = optarg; break;
    case OPTION_TRACE: run->trace = optarg; break;
    case OPTION_FORCE: run->traced.force = true; break;
    case OPTION_CATEGORIES:
      set_traced_categories(&run->traced, &run_command, optarg);
      break;
    case OPTION_RING: set_traced_ring(&run->traced, &run_command, optarg); break;
    case OPTION_DIR: run->dir = optarg; break;
    case OPTION_SUMMARY: run->summary_path = optarg; break;
    case OPTION_JSON: run->json = true; break;
    case OPTION_QUIET: run->quiet = true; break;
    }
  if (optind == argc) usage_error(&run_command, "run: missing program");
  run->program = argv + optind;
  check_outputs(run);
  refuse_outputs(run);
}

/* After the end */

/* Calls [write] in a child and returns STATUS_OK if that does; else
   STATUS_CANNOT_WRITE, also when the child cannot be started (with a message) or
   is ended by a signal, or eventring is to end.  Changes of [run] by [write]
   are lost.  Thus the exit code is that of the program, and our files are
   removed, however the writing ends.  Signals sent to eventring while the child
   runs end the child. */
static enum status write_apart(struct run *run,
                               enum status (*write)(struct run *run))
{
  int how;
  sigset_t all, before;
  if (ending != 0) return STATUS_CANNOT_WRITE;
  fflush(NULL);
  /* A signal finds the child, with its dispositions, or there is none. */
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t pid = fork();
  if (pid == 0) restore_forwarded();
  if (pid > 0) child = pid;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (pid == 0) exit(ending != 0 ? STATUS_CANNOT_WRITE : write(run));
  if (pid < 0) {
    complain("cannot start a process: %s", strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) ;
  return WIFEXITED(how) && WEXITSTATUS(how) == STATUS_OK ? STATUS_OK
         : STATUS_CANNOT_WRITE;
}

/* Joins the recordings of all programs. */
static enum status join_recordings(struct run *run)
{
  return join_parts(children_parts(run->traced.children));
}

/* Makes one recording of all, if there are several, and removes the others.
   Keeps them, with a message, when that fails. */
static void make_recording(struct run *run)
{
  const struct parts *parts = children_parts(run->traced.children);
  if (parts->count > 0) {
    if (run->traced.status == STATUS_OK)
      run->traced.status = write_apart(run, join_recordings);
    if (run->traced.status == STATUS_OK || run->own_recordings != NULL)
      remove_parts(parts);
    else {
      drop_joined(parts);
      complain("the recording%s of %zu program%s stay%s in %s",
               parts->count == 1 ? "" : "s", parts->count,
               parts->count == 1 ? "" : "s", parts->count == 1 ? "s" : "",
               parts->folder);
    }
  }
  if (parts->left_out > 0 && !run->quiet)
    note("%s is no regular file, and %s", run->traced.output,
         parts->first ? "has only the first program"
                      : "gets nothing: only the first program could write there, "
                        "which wrote no events");
}

/* Returns whether there are recordings: of the program or of another one. */
static bool has_recording(const struct run *run)
{
  const struct parts *parts = children_parts(run->traced.children);
  return parts->first || parts->count > 0;
}

/* Writes the trace file from the recordings, which must be closed.  Returns the
   status of `trace`. */
static enum status make_trace(struct run *run)
{
  const uint32_t files = joined_files(children_parts(run->traced.children));
  char **argv = allocate(files + 6, sizeof *argv);
  int argc = 0;
  argv[argc++] = "trace";
  argv[argc++] = "-o";
  argv[argc++] = (char *) run->trace;
  if (run->traced.force) argv[argc++] = "--force";
  argv[argc++] = "--";
  for (uint32_t i = 1; i <= files; i++)
    argv[argc++] = numbered_path(run->traced.output, i);
  optind = 0;
  enum status status = trace_command.run(argc, argv);
  for (uint32_t i = 0; i < files; i++) free(argv[argc - 1 - (int) i]);
  free(argv);
  return status;
}

/* Removes the recordings that were made only for the trace, and their folder.
   Failures are not reported. */
static void remove_recordings(const struct run *run)
{
  const uint32_t files = joined_files(children_parts(run->traced.children));
  if (run->own_recordings == NULL) return;
  for (uint32_t i = 1; i <= files; i++) {
    char *path = numbered_path(run->traced.output, i);
    unlink(path);
    free(path);
  }
  rmdir(run->own_recordings);
}

/* Prints the summary of the only process, or of the program and of the tree. */
static void print_summaries(const struct run *run)
{
  struct tree_summary *tree = children_tree(run->traced.children);
  struct summary *own = run->traced.rings.summary;
  if (own == NULL) own = only_child(run->traced.children);
  if (own != NULL && tree->count == 1 && run->json) {
    print_json(json_summary(own), false);
    return;
  }
  if (own != NULL && !run->json) print_summary(own);
  if (own != NULL && tree->count == 1) return;
  if (own != NULL && !run->json) putchar('\n');
  print_tree(tree);
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
                                 | (run->traced.force ? O_TRUNC : O_EXCL),
              0666);
  if (fd < 0) {
    complain("--summary %s: %s", run->summary_path, strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  if (dup2(fd, STDOUT_FILENO) < 0) {
    complain("cannot write the summary: %s", strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  print_summaries(run);
  return finish_output(STATUS_OK);
}

/* Removes the ring files of a folder that was made for this run, and the folder.
   Prints a note when files stay: of processes that still run, or all that are
   left if one of them was not read for lack of descriptors or memory. */
static void remove_rings(const struct run *run)
{
  unsigned running = 0;
  if (!missed_files(run->traced.children).lacked)
    remove_ring_files(run->traced.folder, run->traced.pid, &running);
  const bool stays = rmdir(run->traced.folder) < 0;
  if (stays && running == 0 && !run->quiet)
    note("%s stays: %s", run->traced.folder, strerror(errno));
  if (running > 0 && !run->quiet)
    note("%u traced %s in %s, which stays", running,
         running == 1 ? "process goes on and has its ring file"
                      : "processes go on and have their ring files",
         run->traced.folder);
}

/* Prints notes on programs that the summary does not show, or shows as several
   processes. */
static void print_notes(const struct run *run)
{
  const struct traced *t = &run->traced;
  const struct missed missed = missed_files(t->children);
  if (t->restarts > 0)
    note("the program stopped its tracing and started it again, %" PRIu32
         " %s; each session is a process", t->restarts,
         t->restarts == 1 ? "time" : "times");
  if (t->too_short > 0)
    note("at least %" PRIu32 " session%s of tracing %s too short to be read: %s "
         "events are missing", t->too_short, t->too_short == 1 ? "" : "s",
         t->too_short == 1 ? "was" : "were", t->too_short == 1 ? "its" : "their");
  /* The files of the sessions above and of [why] may be among those. */
  const size_t gone = missed.gone > t->too_short ? missed.gone - t->too_short : 0;
  if (gone > 0 && t->why[0] == '\0')
    note("%zu ring %s could not be read: a process that begins was killed, or "
         "executed another program at once", gone, gone == 1 ? "file" : "files");
  if (missed.unopened > 0)
    note("%zu ring %s could not be opened%s: %s", missed.unopened,
         missed.unopened == 1 ? "file" : "files",
         missed.unopened == 1 ? "" : ", the last", missed.why);
  if (missed.unsure > 0)
    note("%zu of the processes had ended when %s found, and may be of another "
         "program, which writes to %s too", missed.unsure,
         missed.unsure == 1 ? "its file was" : "their files were", t->folder);
}

/* Prints why the program itself is not in the summary.  Returns STATUS_CANNOT_READ
   when ring files could not be opened, or no process wrote events: there is no
   summary then, and no recording. */
static enum status report_untraced(const struct run *run)
{
  const struct traced *t = &run->traced;
  const bool none = children_tree(t->children)->count == 0,
    unopened = t->rings.cursor == NULL && t->why[0] != '\0';
  if (unopened)
    complain("%s is not in the summary: %s", run->program[0], t->why);
  else if (t->rings.cursor == NULL && (none || !run->quiet))
    complain("%s wrote no events: it is not a program of OCaml 5, or said "
             "above why it could not%s", run->program[0],
             none ? "; there is no summary" : "");
  return none || unopened || missed_files(t->children).unopened > 0
         ? STATUS_CANNOT_READ : STATUS_OK;
}

static enum status run_program(int argc, char **argv)
{
  struct run run = { .traced.pidfd = -1 };
  struct traced *t = &run.traced;
  read_options(&run, argc, argv);
  if (t->output != NULL) t->output = real_output(t->output);
  make_folder(&run);
  if (run.trace != NULL && t->output == NULL) record_for_trace(&run);
  watch_children(&run);
  /* The output may be a FIFO, which is opened while the rings are read. */
  phase = t->output == NULL || children_parts(t->children)->is_file
          ? READING : MAY_WAIT;
  start_program(&run);
  follow_traced(t, false);
  end_traced_recording(t);
  phase = WRITING;
  struct tree_summary *tree = children_tree(t->children);
  if (t->rings.summary != NULL) add_to_tree(tree, t->rings.summary);
  make_recording(&run);
  enum status traced = STATUS_OK;
  if (run.trace != NULL && has_recording(&run) && t->status == STATUS_OK)
    traced = write_apart(&run, make_trace);
  remove_recordings(&run);
  if (tree->count > 0 && !run.quiet) {
    enum status printed = write_apart(&run, print_summary_of);
    if (t->status == STATUS_OK) t->status = printed;
  }
  const enum status untraced = report_untraced(&run);
  if (!run.quiet) print_notes(&run);
  if (t->status == STATUS_OK) t->status = traced;
  if (t->status == STATUS_OK) t->status = untraced;
  if (t->own_folder) remove_rings(&run);
  free_children(t->children);
  end_like(&run);
}

const struct command run_command = {
  .name = "run", .summary = "run a program with tracing, and summarise it",
  .usage = usage, .options = option_ids, .notes = notes, .runs_program = true,
  .run = run_program
};
