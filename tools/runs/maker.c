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
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "columns.h"
#include "common.h"
#include "json.h"
#include "runs/batch_nodes.h"
#include "runs/commands.h"
#include "runs/commits.h"
#include "machine.h"
#include "runs/maker.h"
#include "runs/run_file.h"
#include "runs/sources.h"
#include "statistics.h"
#include "store.h"
#include "text.h"
#include "traced.h"
#include "unnamed_file.h"

/* The folder */

/* Creates the folder of a new batch in the store, named after the label
   of the first command and the date.  Returns false with a message. */
static bool create_in_store(struct maker *m, const json_t *commands)
{
  char why[512], name[48], date[32], *store = default_store();
  time_t now = time(NULL);
  struct tm tm;
  if (store == NULL) {
    complain("missing folder (-o FOLDER): neither EVENTRING_STORE nor HOME is set");
    return false;
  }
  int n = snprintf(m->folder, sizeof m->folder, "%s/" BATCHES_FOLDER, store);
  free(store);
  if (n >= (int) sizeof m->folder - 128) {
    complain("the path of the store is too long");
    return false;
  }
  if (!make_store(m->folder, why, sizeof why)) {
    complain("%s", why);
    return false;
  }
  safe_name(name, sizeof name, json_string_value(json_array_get(
              json_object_get(json_array_get(commands, 0), "argv"), 0)));
  gmtime_r(&now, &tm);
  strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &tm);
  size_t length = strlen(m->folder);
  for (int i = 1; i <= 1000; i++) {
    char number[16] = "";
    if (i > 1) snprintf(number, sizeof number, "-%d", i);
    snprintf(m->folder + length, sizeof m->folder - length, "/%s%s%s%s", name,
             name[0] != '\0' ? "-" : "", date, number);
    if (mkdir(m->folder, 0700) == 0) return true;
    if (errno != EEXIST) break;
  }
  complain("cannot create %s: %s", m->folder, strerror(errno));
  return false;
}

/* Creates the folder [wanted] for a new batch; an empty one may be there.
   Returns false with a message. */
static bool create_wanted(struct maker *m, const char *wanted)
{
  char batch[PATH_MAX];
  snprintf(batch, sizeof batch, "%s/" BATCH_FILE, wanted);
  if (access(batch, F_OK) == 0) {
    complain("%s is a batch already: --continue=%s goes on with it", wanted,
             wanted);
    return false;
  }
  if ((rmdir(wanted) < 0 && errno != ENOENT) || mkdir(wanted, 0700) < 0
      || realpath(wanted, m->folder) == NULL) {
    complain("cannot create %s: %s", wanted, strerror(errno));
    return false;
  }
  return true;
}

/* How often something is tried that a process of a killed batch may hinder
   until its end, and the time between. */
#define TRIES 200
static const struct timespec shortly = { .tv_nsec = 10000000 };

/* Writes the beginning of the names of ring folders of the batch with this
   lock, which has the inode of the lock: a copy of a batch that is being made
   has the path of the ring folder in its lock, but does not own the folder. */
static void ring_folder_prefix(char prefix[32], int lock)
{
  struct stat st = { .st_ino = 0 };
  fstat(lock, &st);
  snprintf(prefix, 32, "/eventring-%jx-", (uintmax_t) st.st_ino);
}

/* Removes the ring files of an interrupted batch in the folder that its lock
   names, and the folder, if it is one that make_ring_folder made. */
static void remove_old_rings(int lock)
{
  char path[PATH_MAX], prefix[32];
  struct stat st;
  ssize_t n = pread(lock, path, sizeof path - 1, 0);
  if (n <= 0) return;
  path[n] = '\0';
  const char *name = strrchr(path, '/');
  ring_folder_prefix(prefix, lock);
  if (name == NULL || strncmp(name, prefix, strlen(prefix)) != 0
      || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode)
      || st.st_uid != geteuid())
    return;
  /* The file of a program is kept until its end. */
  for (int i = 0; i < TRIES; i++) {
    unsigned running = 0;
    remove_ring_files(path, 0, &running);
    if (rmdir(path) == 0 || running == 0) return;
    nanosleep(&shortly, NULL);
  }
}

/* Creates the folder of the ring files, after the lock has its path: a batch
   that goes on finds the folder however this one ended.  Returns false, with a
   message, when that fails. */
static bool make_ring_folder(struct maker *m)
{
  char prefix[32];
  ring_folder_prefix(prefix, m->lock);
  for (int i = 0; i < TRIES; i++) {
    uint32_t number = (uint32_t) monotonic_ns();
    char *path = NULL;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0) errno = 0;
    int length = asprintf(&path, "%s%s%08" PRIx32, temporary_folder(), prefix,
                          number);
    if (length < 0) out_of_memory();
    m->executor.ring_folder = path;
    if (ftruncate(m->lock, 0) < 0
        || pwrite(m->lock, path, (size_t) length, 0) != length) {
      complain("cannot write the lock of %s: %s", m->folder, strerror(errno));
      return false;
    }
    if (mkdir(path, 0700) == 0) return true;
    int error = errno;
    m->executor.ring_folder = NULL;
    free(path);
    errno = error;
    if (errno != EEXIST) break;
  }
  complain("cannot make a folder for ring files in %s: %s",
           temporary_folder(), strerror(errno));
  return false;
}

/* Takes the lock, which a killed batch gives back when its last process is
   gone.  Returns false when another batch has it. */
static bool take_lock(int lock)
{
  for (int i = 0; i < TRIES; i++) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
    nanosleep(&shortly, NULL);
  }
  return false;
}

/* Returns whether [path] is a folder, not a link to one. */
static bool is_folder(const char *path)
{
  struct stat st;
  return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Takes the lock of the batch, and creates the folders that a batch has while
   it is made.  Returns a status, with a message on failure. */
static enum status lock_batch(struct maker *m)
{
  char path[PATH_MAX + 16], making[PATH_MAX];
  snprintf(path, sizeof path, "%s/.lock", m->folder);
  making_path(making, m->folder);
  m->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (m->lock < 0) {
    complain("cannot write %s: %s", path, strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  if (!take_lock(m->lock)) {
    complain("%s: another eventring batch makes this batch", m->folder);
    return STATUS_CANNOT_WRITE;
  }
  if (mkdir(making, 0700) < 0 && !(errno == EEXIST && is_folder(making))) {
    complain("cannot create %s: %s", making, strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  discard_making(m->folder);
  remove_old_rings(m->lock);
  return make_ring_folder(m) ? STATUS_OK : STATUS_CANNOT_WRITE;
}

void close_maker(struct maker *m)
{
  unsigned running = 0;
  char making[PATH_MAX];
  making_path(making, m->folder);
  if (m->executor.ring_folder != NULL) {
    remove_ring_files(m->executor.ring_folder, 0, &running);
    if (rmdir(m->executor.ring_folder) == 0 && ftruncate(m->lock, 0) < 0)
      complain("cannot write the lock of %s: %s", m->folder, strerror(errno));
    rmdir(making);
  }
  free(m->executor.ring_folder);
  json_decref(m->batch);
  free_file_states(&m->files);
  if (m->lock >= 0) close(m->lock);
}

/* batch.json */

static const char *const trace_names[] = {
  [TRACE_ALL] = "all", [TRACE_OURS] = "eventring", [TRACE_NONE] = "none"
};

static enum trace_of trace_of_name(const char *name)
{
  enum trace_of of = TRACE_ALL;
  while (of < TRACE_NONE
         && (name == NULL || strcmp(name, trace_names[of]) != 0))
    of++;
  return of;
}

/* Writes batch.json.  Returns a status, with a message on failure. */
static enum status save_batch(const struct maker *m)
{
  char why[512];
  if (write_batch(m->folder, m->batch, why, sizeof why)) return STATUS_OK;
  complain("%s", why);
  return STATUS_CANNOT_WRITE;
}

/* The function [save] of build_commits; [state] is a struct maker. */
static bool save_built(const void *state)
{
  return save_batch(state) == STATUS_OK;
}

/* Sets the executor of [m] from its batch, after the commits are built, and
   notes the states of the files of its programs.  Returns a status, with a
   message on failure. */
static enum status prepare_executor(struct maker *m)
{
  const char *changed;
  if (json_object_get(m->batch, "commits") != NULL
      && !build_commits(m->folder, m->batch,
                        json_is_true(json_object_get(m->batch, "keep_going")),
                        save_built, m))
    return executions_stopped() ? STATUS_OK : STATUS_CANNOT_READ;
  const json_t *commands = json_object_get(m->batch, "commands");
  if (json_object_get(m->batch, "nodes") != NULL) return STATUS_OK;
  m->executor.folder = m->folder;
  m->executor.node = json_string_value(json_object_get(m->batch, "node"));
  m->executor.commands = commands;
  m->executor.machine = json_object_get(m->batch, "machine");
  m->executor.shows_output = m->shows_output;
  m->executor.of = trace_of_name(
    json_string_value(json_object_get(m->batch, "trace")));
  for (size_t i = 0; i < json_array_size(commands); i++)
    if (!note_files(&m->files, json_object_get(json_array_get(commands, i),
                                               "program"), &changed)) {
      complain("%s is not the file with which the batch began; begin a new "
               "batch", changed);
      return STATUS_CANNOT_READ;
    }
  return STATUS_OK;
}

/* Removes the folder of a batch that could not begin: there is no batch.json. */
static void remove_folder(const char *folder)
{
  char path[PATH_MAX + 16];
  making_path(path, folder);
  rmdir(path);
  snprintf(path, sizeof path, "%s/.lock", folder);
  unlink(path);
  rmdir(folder);
}

enum status create_batch(struct maker *m, const char *wanted,
                         const struct batch_settings *settings,
                         json_t *commands, json_t *commits)
{
  m->batch = json_pack(
    "{s:i, s:o, s:I, s:I, s:b, s:s, s:o, s:o, s:o}",
    "version", RUN_VERSION, "created", json_date(realtime_ns()),
    "seed", (json_int_t) settings->seed,
    "warm_up", (json_int_t) settings->warm_up,
    "keep_going", settings->keep_going, "trace", trace_names[settings->of],
    "environment", environment_facts(), "machine", machine_facts(),
    "commands", commands);
  if (commits != NULL) json_object_set_new(m->batch, "commits", commits);
  if (settings->on != NULL) {
    json_object_set_new(m->batch, "on", json_string(settings->on));
    json_object_set_new(m->batch, "nodes",
                        new_nodes(settings->nodes, settings->seed));
  }
  set_batch_limits(m->batch, &settings->limits);
  if (!(wanted != NULL ? create_wanted(m, wanted)
                       : create_in_store(m, commands)))
    return STATUS_CANNOT_WRITE;
  enum status status = lock_batch(m);
  if (status == STATUS_OK) status = save_batch(m);
  if (status == STATUS_OK) return prepare_executor(m);
  remove_folder(m->folder);
  return status;
}

/* Replaces the limits of the batch by the [given] limits.  Returns whether any
   was. */
static bool replace_limits(struct maker *m, const struct batch_limits *given)
{
  if (given->runs == 0 && given->time_ns == 0 && given->precision <= 0)
    return false;
  set_batch_limits(m->batch, given);
  return true;
}

/* Returns why the batch of [m] cannot go on here, or NULL.  It would execute the
   commands in its plan, so the plan must be of this user. */
static const char *hindrance_of(const struct maker *m)
{
  struct stat st;
  if (stat(m->folder, &st) < 0 || st.st_uid != geteuid())
    return "belongs to another user";
  if (!is_plan(m->batch) || !are_nodes(m->batch))
    return "has a damaged " BATCH_FILE;
  /* Each node compares its own machine. */
  if (json_object_get(m->batch, "nodes") != NULL) return NULL;
  json_t *machine = machine_facts();
  bool same = json_equal(
    json_object_get(machine, "key"),
    json_object_get(json_object_get(m->batch, "machine"), "key"));
  json_decref(machine);
  return same ? NULL : "was begun on a machine with another processor, kernel "
                       "or memory";
}

/* Reads the plan of the batch of [m], which the user calls [folder].  Returns a
   status, with a message on failure. */
static enum status read_plan(struct maker *m, const char *folder)
{
  char why[512];
  json_decref(m->batch);
  m->batch = read_batch(m->folder, why, sizeof why);
  const char *hindrance = m->batch != NULL ? hindrance_of(m) : NULL;
  if (m->batch == NULL)
    complain("%s", why);
  else if (hindrance != NULL)
    complain("%s %s; begin a new batch", folder, hindrance);
  return m->batch != NULL && hindrance == NULL ? STATUS_OK : STATUS_CANNOT_READ;
}

enum status open_batch(struct maker *m, const char *folder,
                       const struct batch_limits *limits, bool keep_going)
{
  if (realpath(folder, m->folder) == NULL) {
    complain("cannot open %s: %s", folder, strerror(errno));
    return STATUS_CANNOT_READ;
  }
  enum status status = read_plan(m, folder);
  if (status != STATUS_OK) return status;
  restore_environment(json_object_get(m->batch, "environment"));
  status = lock_batch(m);
  /* Another program may have changed it while it had the lock. */
  if (status == STATUS_OK) status = read_plan(m, folder);
  if (status != STATUS_OK) return status;
  bool changed = replace_limits(m, limits);
  if (keep_going) json_object_set_new(m->batch, "keep_going", json_true());
  if (changed || keep_going) status = save_batch(m);
  return status != STATUS_OK ? status : prepare_executor(m);
}

/* Adds the facts about this machine and its programs to the plan of a part, unless it
   has them.  Returns false, with a message, when there is no such program. */
static bool complete_plan(const struct maker *m)
{
  if (json_object_get(m->batch, "machine") != NULL) return true;
  json_object_set_new(m->batch, "machine", machine_facts());
  return add_facts(json_object_get(m->batch, "commands"));
}

enum status open_part(struct maker *m)
{
  const char *hindrance;
  m->quiet = true;
  m->batch = enter_part(&m->part);
  if (m->batch == NULL) return STATUS_CANNOT_READ;
  m->shows_output = json_is_true(json_object_get(m->batch, "shows_output"));
  snprintf(m->folder, sizeof m->folder, "%s/eventring-part-XXXXXX",
           temporary_folder());
  if (mkdtemp(m->folder) == NULL) {
    complain("cannot create %s: %s", m->folder, strerror(errno));
    return STATUS_CANNOT_WRITE;
  }
  restore_environment(json_object_get(m->batch, "environment"));
  hindrance = is_plan(m->batch) ? NULL : "has a damaged " BATCH_FILE;
  if (hindrance == NULL && !complete_plan(m)) return STATUS_CANNOT_READ;
  if (hindrance == NULL) hindrance = hindrance_of(m);
  if (hindrance != NULL) {
    complain("the batch %s; begin a new batch", hindrance);
    return STATUS_CANNOT_READ;
  }
  enum status status = lock_batch(m);
  if (status == STATUS_OK) status = prepare_executor(m);
  if (status == STATUS_OK && !send_plan(&m->part, m->batch))
    status = STATUS_CANNOT_WRITE;
  return status;
}

/* The runs so far */

struct sample {
  const char *label;
  double *walls;                  /* of the runs that did not fail */
  size_t count, room, failed;
};

struct progress {
  struct sample *samples;         /* of each command */
  uint32_t commands;
  uint32_t made;                  /* runs, in all */
  uint32_t made_before;           /* when this program began */
  double wall_before_ns;          /* of those runs */
  int64_t began_ns;
  struct batch_limits limits;
};

static void add_sample(struct sample *sample, double wall_ns, bool failed)
{
  if (failed) {
    sample->failed++;
    return;
  }
  sample->walls = with_room(sample->walls, sample->count, &sample->room,
                            sizeof *sample->walls);
  sample->walls[sample->count++] = wall_ns;
}

/* The function of visit_runs: adds a run to the progress [state]. */
static void add_made(void *state, uint32_t number, json_t *run, const char *why)
{
  struct progress *p = state;
  json_int_t command = json_integer_value(json_object_get(run, "command"));
  double wall_ns = json_number_value(json_object_get(run, "wall_ns"));
  p->made++;
  p->wall_before_ns += wall_ns;
  if (run == NULL)
    complain("run %" PRIu32 " cannot be read, and does not count: %s", number,
             why);
  else if (command > 0 && command <= p->commands)
    add_sample(&p->samples[command - 1], wall_ns,
               json_is_true(json_object_get(run, "failed")));
}

static struct progress new_progress(const struct maker *m)
{
  const json_t *commands = json_object_get(m->batch, "commands");
  const char *number;
  json_t *run;
  struct progress p = {
    .commands = (uint32_t) json_array_size(commands),
    .limits = batch_limits(m->batch)
  };
  p.samples = allocate(p.commands, sizeof *p.samples);
  for (uint32_t i = 0; i < p.commands; i++)
    p.samples[i] = (struct sample) { .label = json_string_value(
      json_object_get(json_array_get(commands, i), "label")) };
  visit_runs(m->folder, add_made, &p);
  json_object_foreach(m->part.made, number, run) {
    add_made(&p, (uint32_t) strtoul(number, NULL, 10), run, NULL);
  }
  p.made_before = p.made;
  p.began_ns = monotonic_ns();
  return p;
}

static void free_progress(struct progress *p)
{
  for (uint32_t i = 0; i < p->commands; i++) free(p->samples[i].walls);
  free(p->samples);
}

/* Returns the precision of the command that is known worst. */
static double worst_precision(struct progress *p)
{
  double worst = 0;
  for (uint32_t i = 0; i < p->commands; i++) {
    double precision = median_precision(p->samples[i].walls,
                                        p->samples[i].count);
    if (precision > worst) worst = precision;
  }
  return worst;
}

static double elapsed_ns(const struct progress *p)
{
  return p->wall_before_ns + (double) (monotonic_ns() - p->began_ns);
}

/* Returns whether the batch is complete before the round [round], from 0. */
static bool is_complete(struct progress *p, uint32_t round)
{
  const struct batch_limits *l = &p->limits;
  return (l->runs > 0 && round >= l->runs)
         || (l->time_ns > 0 && elapsed_ns(p) >= (double) l->time_ns)
         || (l->precision > 0 && worst_precision(p) <= l->precision)
         || (uint64_t) (round + 1) * p->commands > BATCH_RUNS;
}

/* Progress */

/* Returns about how many nanoseconds the batch will take from now on; INFINITY
   when that is not known. */
static double estimate_ns(struct progress *p)
{
  const struct batch_limits *l = &p->limits;
  double least = INFINITY, runs = p->made - p->made_before;
  double each_ns = runs > 0 ? (elapsed_ns(p) - p->wall_before_ns) / runs
                            : INFINITY;
  if (l->runs > 0)
    least = fmin(least, ((double) l->runs * p->commands - p->made) * each_ns);
  if (l->time_ns > 0)
    least = fmin(least, (double) l->time_ns - elapsed_ns(p));
  double precision = l->precision > 0 ? worst_precision(p) : INFINITY;
  if (isfinite(precision)) {
    double ratio = precision / l->precision;
    least = fmin(least, p->made * (ratio * ratio - 1) * each_ns);
  }
  return fmax(least, 0);
}

/* Prints the progress over the present line of the terminal. */
static void print_progress(const struct maker *m, struct progress *p)
{
  char text[QUANTITY_SIZE];
  if (m->quiet || !isatty(STDERR_FILENO)) return;
  double left_ns = estimate_ns(p), precision = worst_precision(p);
  fprintf(stderr, "\r\033[K%" PRIu32, p->made);
  if (p->limits.runs > 0)
    fprintf(stderr, " of %" PRIu64, (uint64_t) p->limits.runs * p->commands);
  fputs(" runs", stderr);
  if (isfinite(precision))
    fprintf(stderr, ", medians within %.1f %%", 100 * precision);
  if (isfinite(left_ns))
    fprintf(stderr, ", about %s left", format_duration(text,
                                                       (uint64_t) left_ns));
  fflush(stderr);
}

static void end_progress(const struct maker *m)
{
  if (!m->quiet && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

enum column { LABEL, RUNS, FAILED, MEDIAN, WITHIN, SHORTEST, LONGEST, COLUMNS };

static void print_sample(struct columns *table, struct sample *sample)
{
  char text[QUANTITY_SIZE];
  double precision = median_precision(sample->walls, sample->count);
  add_line(table);
  set_column(table, LABEL, "%s", sample->label != NULL ? sample->label : "?");
  set_column(table, RUNS, "%zu", sample->count + sample->failed);
  set_column(table, FAILED, "%zu", sample->failed);
  if (sample->count == 0) return;
  /* median_precision has sorted them. */
  set_column(table, SHORTEST, "%s",
             format_duration(text, (uint64_t) sample->walls[0]));
  set_column(table, LONGEST, "%s",
             format_duration(text,
                             (uint64_t) sample->walls[sample->count - 1]));
  set_column(table, MEDIAN, "%s", format_duration(
    text, (uint64_t) median_of(sample->walls, sample->count)));
  if (isfinite(precision))
    set_column(table, WITHIN, "%.1f%%", 100 * precision);
}

static void print_samples(struct progress *p)
{
  static const char *const titles[COLUMNS] = {
    "label", "runs", "failed", "median", "within", "shortest", "longest"
  };
  struct columns *table = new_columns(titles, COLUMNS);
  for (uint32_t i = 0; i < p->commands; i++)
    print_sample(table, &p->samples[i]);
  print_lines(table);
}

/* The loop */

/* Executes a command as the run [number] or, if that is 0, to warm up.  Returns
   the status of the batch; STATUS_FINDING, with a message, when the program
   failed and the batch ends for that. */
static enum status make_run(struct maker *m, struct progress *p,
                            uint32_t command, uint32_t number)
{
  struct execution result;
  const char *changed;
  if (!files_unchanged(&m->files, &changed)) {
    end_progress(m);
    complain("%s was changed while the batch ran; begin a new batch", changed);
    return STATUS_CANNOT_READ;
  }
  enum status status = execute(&m->executor, command, number, &result);
  if (status != STATUS_OK || executions_stopped()) return status;
  if (result.stopped) {
    end_progress(m);
    complain("run %" PRIu32 " was interrupted by a signal to its process",
             number);
    return STATUS_CANNOT_READ;
  }
  if (number != 0) {
    add_sample(&p->samples[command], result.wall_ns, result.failed);
    p->made++;
  }
  if (!result.failed || json_is_true(json_object_get(m->batch, "keep_going")))
    return STATUS_OK;
  char run[32] = "warm-up";
  if (number != 0) snprintf(run, sizeof run, "run %" PRIu32, number);
  end_progress(m);
  complain("%s of %s failed: %s %d; --keep-going goes on, --program-output "
           "shows its messages", run, p->samples[command].label,
           WIFEXITED(result.exit_status) ? "exit code" : "signal",
           WIFEXITED(result.exit_status) ? WEXITSTATUS(result.exit_status)
                                         : WTERMSIG(result.exit_status));
  return STATUS_FINDING;
}

/* Runs each command as often as the batch says, before its runs count. */
static enum status warm_up(struct maker *m, struct progress *p)
{
  json_int_t rounds = json_integer_value(json_object_get(m->batch, "warm_up"));
  enum status status = STATUS_OK;
  for (json_int_t i = 0; i < rounds; i++)
    for (uint32_t k = 0;
         k < p->commands && status == STATUS_OK && !executions_stopped(); k++)
      status = make_run(m, p, k, 0);
  return status;
}

/* Returns whether the batch of [m] has the run [number]. */
static bool is_made(const struct maker *m, uint32_t number)
{
  char path[PATH_MAX];
  run_path(path, m->folder, number, "json");
  return has_made(&m->part, number) || access(path, F_OK) == 0;
}

/* Makes the runs that are not there, in the order of their numbers. */
static enum status make_missing(struct maker *m, struct progress *p)
{
  uint64_t seed = (uint64_t) json_integer_value(
    json_object_get(m->batch, "seed"));
  enum status status = STATUS_OK;
  bool is_warm = false;
  for (uint32_t number = 1; status == STATUS_OK && !executions_stopped();
       number++) {
    const uint32_t round = (number - 1) / p->commands;
    if ((number - 1) % p->commands == 0 && is_complete(p, round)) break;
    if (!is_own_round(&m->part, round) || is_made(m, number)) continue;
    if (!is_warm) status = warm_up(m, p);
    is_warm = true;
    if (status != STATUS_OK || executions_stopped()) break;
    print_progress(m, p);
    status = make_run(m, p, planned_command(seed, p->commands, number), number);
    if (m->part.out != NULL && !executions_stopped() && is_made(m, number)
        && !send_run(&m->part, m->folder, number))
      status = STATUS_CANNOT_WRITE;
  }
  end_progress(m);
  return status;
}

/* A batch on nodes: the state of its functions. */
struct maker_on_nodes { struct maker *m; struct progress *p; };

static bool save_nodes(const void *state)
{
  const struct maker_on_nodes *of = state;
  return save_batch(of->m) == STATUS_OK;
}

static void end_nodes_progress(const void *state)
{
  const struct maker_on_nodes *of = state;
  end_progress(of->m);
}

/* Adds the [run] of a node to the progress. */
static void take_run(void *state, json_t *run)
{
  const struct maker_on_nodes *of = state;
  const double wall_before_ns = of->p->wall_before_ns;
  add_made(of->p, 0, run, NULL);
  of->p->wall_before_ns = wall_before_ns;
  print_progress(of->m, of->p);
}

/* Makes the runs that are not there on the nodes of the batch. */
static enum status make_missing_on_nodes(struct maker *m, struct progress *p)
{
  enum status status = make_on_nodes(&(struct batch_on_nodes) {
    .folder = m->folder, .batch = m->batch, .shows_output = m->shows_output,
    .state = &(struct maker_on_nodes) { m, p }, .save = save_nodes,
    .kept = take_run, .before_message = end_nodes_progress
  });
  end_progress(m);
  return status;
}

enum status make_runs(struct maker *m)
{
  struct progress p = new_progress(m);
  enum status status = json_object_get(m->batch, "nodes") != NULL
    ? make_missing_on_nodes(m, &p) : make_missing(m, &p);
  if (!m->quiet) print_samples(&p);
  for (uint32_t i = 0; i < p.commands && status == STATUS_OK; i++)
    if (p.samples[i].failed > 0) status = STATUS_FINDING;
  free_progress(&p);
  return finish_output(status);
}
