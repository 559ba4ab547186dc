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

/* A run is made in a hidden folder of the batch, and gets its names when all of
   it is on the disk: first the recordings, then the JSON file, which decides.
   A process of its own, the worker, makes the run.  The system counts the
   memory of the process that forks for the new program, until it executes: the
   worker forks while it is small, and its memory for events does not stay for
   the next run. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common.h"
#include "counters.h"
#include "follow.h"
#include "json.h"
#include "manifest.h"
#include "numbered.h"
#include "runs/batch.h"
#include "runs/execute.h"
#include "machine.h"
#include "runs/run_file.h"
#include "runs/sources.h"
#include "traced.h"

/* Stopping */

/* The worker, and in the worker the program. */
static volatile sig_atomic_t worker, child, stopped;

/* The action of SIGTSTP before the worker, which ignores it: Ctrl-Z stops the
   batch, but does not get into the wall time of a run. */
static struct sigaction terminal_stop;

static void ignore_terminal_stop(void)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN };
  sigaction(SIGTSTP, &ignore, &terminal_stop);
}

/* Returns whether process [pid] is a child with an exit status that nobody has
   taken: its number is no other process's. */
static bool is_ours(pid_t pid)
{
  siginfo_t info;
  return pid > 0 && waitid(P_PID, (id_t) pid, &info,
                           WEXITED | WNOHANG | WNOWAIT) == 0;
}

void stop_executions(void)
{
  stopped = 1;
  if (is_ours((pid_t) worker)) kill((pid_t) worker, SIGTERM);
  if (!is_ours((pid_t) child)) return;
  /* Its group is made by itself, perhaps not yet. */
  kill(-(pid_t) child, SIGKILL);
  kill((pid_t) child, SIGKILL);
}

bool executions_stopped(void)
{
  return stopped != 0;
}

/* The program */

struct preparation {
  const char *directory;
  json_t *variables;              /* of the command; may be NULL */
  int output;                     /* a descriptor; -1: the same as ours */
  bool in_worker;                 /* the parent is the worker */
  pid_t parent;
};

static void set_variables(json_t *variables)
{
  const char *name;
  json_t *value;
  json_object_foreach(variables, name, value)
    if (json_is_string(value)) setenv(name, json_string_value(value), 1);
}

/* Prepares the child: a group of its own, no input, its variables and folder.  It dies with
   this program, so that a batch that goes on after SIGKILL does not measure
   while it runs. */
static void prepare(void *state)
{
  static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
  const struct preparation *p = state;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != p->parent) _exit(126);
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    signal(caught[i], SIG_DFL);
  if (p->in_worker) sigaction(SIGTSTP, &terminal_stop, NULL);
  restore_write_signals();
  set_variables(p->variables);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0
      || (p->output >= 0 && (dup2(p->output, STDOUT_FILENO) < 0
                             || dup2(p->output, STDERR_FILENO) < 0))
      || chdir(p->directory) < 0)
    _exit(126);
}

/* Returns whether the working directory of [command] is there, and prints a
   message if not. */
static bool has_directory(const json_t *command)
{
  const char *path = json_string_value(json_object_get(command, "directory"));
  if (path != NULL && access(path, X_OK) == 0) return true;
  complain("cannot enter %s: %s", path != NULL ? path : "a working directory",
           path != NULL ? strerror(errno) : "it is not in the plan");
  return false;
}

/* Returns the arguments of [command] as a vector for execvp, which the caller
   frees; the strings belong to [command]. */
static char **argument_vector(const json_t *command)
{
  const json_t *list = json_object_get(command, "argv");
  size_t count = json_array_size(list);
  char **argv = allocate(count + 1, sizeof *argv);
  for (size_t i = 0; i < count; i++)
    argv[i] = (char *) json_string_value(json_array_get(list, i));
  argv[count] = NULL;
  return argv;
}

/* Runs [command] to its end.  Returns false, with a message, when it cannot be
   started. */
static bool run_command_of(const struct executor *x, const json_t *command,
                           struct traced *t)
{
  if (!has_directory(command)) return false;
  char **argv = argument_vector(command);
  struct preparation p = {
    .directory = json_string_value(json_object_get(command, "directory")),
    .variables = json_object_get(command, "variables"),
    .output = x->shows_output ? -1
              : open("/dev/null", O_WRONLY | O_CLOEXEC),
    .in_worker = true, .parent = getpid()
  };
  int error = argv[0] == NULL ? EINVAL
              : fork_traced(t, argv, prepare, &p);
  if (error == 0) {
    setpgid(t->pid, t->pid);
    child = t->pid;
    /* It may have been stopped before there was a child. */
    if (stopped) stop_executions();
    error = exec_traced(t);
  }
  if (error != 0)
    complain("cannot run %s: %s", argv[0] != NULL ? argv[0] : "a program",
             strerror(error));
  else
    follow_traced(t, true);
  child = 0;
  if (p.output >= 0) close(p.output);
  free(argv);
  return error == 0;
}

int execute_build(char **argv, const char *directory, const char *log)
{
  struct preparation p = {
    .directory = directory, .parent = getpid(),
    .output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
  };
  int status = 126 << 8;          /* as if it exited with 126 */
  if (p.output < 0) return status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    prepare(&p);
    execvp(argv[0], argv);
    _exit(127);
  }
  child = pid;
  if (stopped) stop_executions();
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) ;
  child = 0;
  close(p.output);
  return status;
}

/* The run */

static int64_t microseconds_ns(struct timeval time)
{
  return (time.tv_sec * INT64_C(1000000) + time.tv_usec) * 1000;
}

/* Returns the member `run` of the run [number] as a new JSON object: the
   figures of the process. */
static json_t *run_facts(const struct executor *x, uint32_t command,
                         uint32_t number, const struct traced *t,
                         int64_t started_unix_ns, unsigned others)
{
  const json_t *label = json_object_get(json_array_get(x->commands, command),
                                        "label");
  const struct rusage *u = &t->usage;
  bool exited = WIFEXITED(t->exit_status);
  int64_t wall_ns = t->ended_ns - t->started_ns;
  json_int_t commands = (json_int_t) json_array_size(x->commands);
  json_t *run = json_pack(
    "{s:i, s:I, s:I, s:i, s:O, s:b, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I,"
    " s:I, s:I, s:I, s:I, s:b, s:I}",
    "version", RUN_VERSION, "number", (json_int_t) number,
    "round", (json_int_t) (number - 1) / commands + 1,
    "command", (int) command + 1, "label", label,
    "failed", t->exit_status != 0,
    "exit_code", exited ? json_integer(WEXITSTATUS(t->exit_status))
                        : json_null(),
    "signal", exited ? json_null() : json_integer(WTERMSIG(t->exit_status)),
    "started", json_date(started_unix_ns),
    "ended", json_date(started_unix_ns + wall_ns),
    "wall_ns", (json_int_t) wall_ns,
    "user_ns", (json_int_t) microseconds_ns(u->ru_utime),
    "system_ns", (json_int_t) microseconds_ns(u->ru_stime),
    "max_rss_bytes", (json_int_t) u->ru_maxrss * 1024,
    "minor_faults", (json_int_t) u->ru_minflt,
    "major_faults", (json_int_t) u->ru_majflt,
    "voluntary_switches", (json_int_t) u->ru_nvcsw,
    "involuntary_switches", (json_int_t) u->ru_nivcsw,
    "traced", t->rings.cursor != NULL, "other_processes", (json_int_t) others);
  if (x->node != NULL) json_object_set_new(run, "node", json_string(x->node));
  return run;
}

/* Returns the manifest of a run of [command] with these [recordings], as a new
   JSON object: the facts of batch.json and the present conditions. */
static json_t *run_manifest(const struct executor *x, const json_t *command,
                            json_t *conditions, json_t *recordings)
{
  static const char *const members[] = {
    "argv", "directory", "program", "compiler", "git", "packages", "unknown"
  };
  json_t *manifest = json_object();
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    json_object_set(manifest, members[i], json_object_get(command, members[i]));
  json_t *environment = environment_facts();
  json_object_update(environment, json_object_get(command, "variables"));
  json_object_set_new(manifest, "environment", environment);
  json_object_set_new(manifest, "environment_bytes",
                      json_integer((json_int_t) environment_bytes()));
  json_object_set(manifest, "machine", (json_t *) x->machine);
  if (x->node != NULL)
    json_object_set_new(manifest, "node", json_string(x->node));
  json_object_set_new(manifest, "conditions", conditions);
  json_object_set_new(manifest, "recordings", recordings);
  return manifest;
}

/* Returns the facts of the recordings of the run as a new JSON array; NULL with
   a message when one cannot be read. */
static json_t *recordings_facts(const char *making, const struct traced *t)
{
  json_t *list = json_array();
  for (uint32_t i = 1; i <= t->programs; i++) {
    char why[512] = "", *path = numbered_path(t->output, i);
    json_t *facts = recording_facts(making, strrchr(path, '/') + 1, why,
                                    sizeof why);
    free(path);
    if (facts == NULL) {
      complain("%s", why);
      json_decref(list);
      return NULL;
    }
    json_array_append_new(list, facts);
  }
  return list;
}

/* Moves the file [name] from the folder [making] to [folder], after its bytes
   are on the disk.  Returns false, with a message, when that fails. */
static bool move_file(const char *making, const char *folder, const char *name)
{
  char from[PATH_MAX + NAME_MAX], to[PATH_MAX + NAME_MAX];
  snprintf(from, sizeof from, "%s/%s", making, name);
  snprintf(to, sizeof to, "%s/%s", folder, name);
  if (sync_path(from) && rename(from, to) == 0) return true;
  complain("cannot write %s: %s", to, strerror(errno));
  return false;
}

bool publish_run(const char *folder, uint32_t number, const json_t *recordings)
{
  char making[PATH_MAX], path[PATH_MAX];
  making_path(making, folder);
  for (size_t i = 0; i < json_array_size(recordings); i++)
    if (!move_file(making, folder,
                   json_string_value(json_object_get(
                     json_array_get(recordings, i), "file"))))
      return false;
  run_path(path, making, number, "json");
  if (!move_file(making, folder, strrchr(path, '/') + 1)) return false;
  if (sync_path(folder)) return true;
  complain("cannot write %s: %s", folder, strerror(errno));
  return false;
}

/* The [state] of the struct reading: the figures of a run. */
struct collected {
  struct summary *summary;
  struct counters *counters;
};

static void take_event(void *state, const struct eventring_event *event)
{
  const struct collected *collected = state;
  summary_event(collected->summary, event);
  counters_event(collected->counters, event);
}

static bool pass(void *state, bool idle)
{
  const struct collected *collected = state;
  if (idle) summary_idle(collected->summary);
  return true;
}

/* Returns the summary of the last recording of [t] as a new JSON object, as
   eventring stat prints it, and the last values of the program's counters; JSON null without a
   recording. */
static json_t *summary_of(const struct traced *t)
{
  struct eventring_cursor *cursor = NULL;
  if (t->programs == 0) return json_null();
  char *path = numbered_path(t->output, t->programs);
  eventring_open(path, NULL, &cursor);
  free(path);
  if (cursor == NULL) return json_null();
  struct collected collected = { new_summary(cursor), new_counters() };
  read_events(cursor, &(struct reading) {
    .changes = true, .state = &collected, .event = take_event, .pass = pass
  });
  json_t *result = json_summary(collected.summary);
  json_object_set_new(result, "counters",
                      json_counters(collected.counters, cursor, true));
  free_summary(collected.summary);
  free_counters(collected.counters);
  eventring_close(cursor);
  return result;
}

/* Writes the run [number] to the folder [making].  Returns false, with a
   message, when that fails. */
static bool write_made(const char *making, uint32_t number, const json_t *run,
                       const json_t *manifest, const struct traced *t)
{
  char path[PATH_MAX], why[512] = "";
  json_t *summary = summary_of(t);
  run_path(path, making, number, "json");
  bool good = write_run(path, run, manifest, summary, why, sizeof why);
  json_decref(summary);
  if (!good) complain("%s", why);
  return good;
}

/* Keeps the execution [t] as the run [number].  Takes [run] and [conditions].
   Returns false, with a message, when that fails. */
static bool keep(const struct executor *x, uint32_t command, uint32_t number,
                 struct traced *t, json_t *run, json_t *conditions)
{
  char making[PATH_MAX];
  making_path(making, x->folder);
  json_t *recordings = recordings_facts(making, t);
  bool good = recordings != NULL;
  if (good) {
    json_t *manifest = run_manifest(x, json_array_get(x->commands, command),
                                    conditions, recordings);
    good = write_made(making, number, run, manifest, t)
           && publish_run(x->folder, number, recordings);
    json_decref(manifest);
  } else
    json_decref(conditions);
  json_decref(run);
  return good;
}

void remove_files(const char *folder)
{
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
  const struct dirent *entry;
  if (d == NULL) {
    if (fd >= 0) close(fd);
    return;
  }
  while ((entry = readdir(d)) != NULL)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(d), entry->d_name, 0);
  closedir(d);
}

void discard_making(const char *folder)
{
  char making[PATH_MAX];
  making_path(making, folder);
  remove_files(making);
}

/* Does the work of [execute], in the worker. */
static enum status make_run(const struct executor *x, uint32_t command,
                            uint32_t number, struct execution *result)
{
  char making[PATH_MAX], output[PATH_MAX];
  struct traced t = { .of = x->of, .folder = x->ring_folder,
                      .own_folder = true, .output = output,
                      .only_record = true, .pidfd = -1 };
  unsigned running = 0;
  making_path(making, x->folder);
  run_path(output, making, number, "evr");
  /* In the worker too, so that the size of the environment is right. */
  set_variables(json_object_get(json_array_get(x->commands, command),
                                "variables"));
  json_t *conditions = machine_conditions();
  int64_t started_unix_ns = realtime_ns();
  if (!run_command_of(x, json_array_get(x->commands, command), &t)) {
    json_decref(conditions);
    return STATUS_CANNOT_READ;
  }
  end_traced_recording(&t);
  unsigned others = remove_ring_files(x->ring_folder, t.pid, &running);
  *result = (struct execution) {
    .stopped = stopped, .failed = t.exit_status != 0,
    .exit_status = t.exit_status,
    .wall_ns = (double) (t.ended_ns - t.started_ns)
  };
  enum status status = t.status;
  if (number != 0 && !stopped && status == STATUS_OK) {
    json_t *run = run_facts(x, command, number, &t, started_unix_ns, others);
    if (!keep(x, command, number, &t, run, conditions))
      status = STATUS_CANNOT_WRITE;
  } else
    json_decref(conditions);
  free_traced(&t);
  return status;
}

/* The answer of the worker. */
struct answer { enum status status; struct execution result; };

/* Makes a run and sends the answer to [answers].  Called in the worker. */
static _Noreturn void work(const struct executor *x, uint32_t command,
                           uint32_t number, int answers, pid_t parent)
{
  struct answer answer = { .result = { .stopped = true } };
  worker = 0;
  ignore_terminal_stop();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent && !stopped)
    answer.status = make_run(x, command, number, &answer.result);
  fflush(NULL);
  if (write(answers, &answer, sizeof answer) != (ssize_t) sizeof answer)
    _exit(1);
  _exit(0);
}

enum status execute(const struct executor *x, uint32_t command,
                    uint32_t number, struct execution *result)
{
  struct answer answer = { .result = { .stopped = true } };
  int ends[2], how;
  ssize_t n;
  *result = answer.result;
  if (stopped) return STATUS_OK;
  if (pipe2(ends, O_CLOEXEC) < 0) {
    complain("cannot make a pipe: %s", strerror(errno));
    return STATUS_CANNOT_READ;
  }
  fflush(NULL);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) work(x, command, number, ends[1], parent);
  close(ends[1]);
  worker = pid;
  /* It may have been stopped before there was a worker. */
  if (stopped) stop_executions();
  while ((n = read(ends[0], &answer, sizeof answer)) < 0 && errno == EINTR) ;
  close(ends[0]);
  while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR) ;
  worker = 0;
  discard_making(x->folder);
  if (n != (ssize_t) sizeof answer && !stopped) {
    complain("cannot make a run: the process for it %s",
             pid < 0 ? "cannot be started" : "was killed");
    return STATUS_CANNOT_READ;
  }
  *result = answer.result;
  return answer.status;
}
