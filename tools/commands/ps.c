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

/* eventring ps: the traced processes, and the files that others left.

   Three passes: every process is opened and all that its rings hold is read,
   from which it is known which domains live, and how many events there were;
   after a moment, the events are counted once more; then the lines are printed,
   in columns as wide as they must be.  One file is open at a time.  A file that
   is cut, or that never ends, costs its own line only. */

#define _GNU_SOURCE               /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "category.h"
#include "columns.h"
#include "common.h"
#include "event_reader.h"
#include "follow.h"
#include "hub_list.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "processes.h"
#include "text.h"

static const char usage[] =
"Usage: eventring ps [OPTION...]\n"
"Lists the traced processes, and the files that ended or killed processes left\n"
"in the current directory; with --hub, the processes of all nodes of a hub.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_HUB, OPTION_JSON, OPTION_NO_RATE, OPTION_PIDS,
  OPTION_PRUNE, OPTION_YES, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Columns, separated by two spaces or more; - means unknown:\n"
"  pid         7@NS: 7 in another pid namespace, NS, not visible in ours\n"
"  user        owner of the file\n"
"  state       recording, paused, ended, killed, replaced (by exec), unreadable\n"
"  age         time since tracing started\n"
"  domains     living domains, according to the rings\n"
"  ring        size of the ring of each domain\n"
"  events/s    events of all domains per second\n"
"  runtime     eventring, or stock and the version as far as it is known\n"
"  program     path of the program\n"
"  categories or file: categories; the file of a process that is gone; an error\n";

#define RATE_NS (200 * 1000 * 1000)

struct row {
  const struct eventring_process *process;
  char why[512];                  /* it cannot be read; "": it can */
  struct eventring_info info;
  const char *state;
  bool runs;
  bool left;                      /* the file of a process that is gone */
  char *categories;
  json_t *json;                   /* NULL: nobody asks for it */
  int64_t since;
  uint64_t events;                /* up to then */
  uint32_t domains;
  double rate;                    /* -1: not known */
  bool removed;
};

struct options {
  const char *dir;
  bool json, rate, pids, prune, yes;
};

/* What is asked of a process */

/* The domain that wrote the last event of a ring. */
struct writer {
  uint32_t domain;                /* UINT32_MAX: nobody has */
  bool lives;
};

/* Updates the last writer of a ring after [event] of the ring: the domain of
   the event writes to the ring.  If the event is the end of the domain, which
   has the event id [terminate], no domain does any more. */
static void note_writer(struct writer *writer,
                        const struct eventring_event *event, int terminate)
{
  bool ends = event->id == terminate && event->form == EVENTRING_EV_INSTANT;
  if (ends || event->domain != writer->domain) writer->lives = !ends;
  writer->domain = event->domain;
}

/* How long to read the events of one process: a process may write faster than
   it is read. */
#define PATIENCE_NS 1000000000

/* Reads the events of [cursor], for PATIENCE_NS at most, and returns the number of
   those after [after] and until [until], which is the time of the call.  Damaged
   blocks are skipped.  Lost events count too, unless the file gives only an upper
   bound of their number.  [writers] is NULL, or an array with an element for each
   ring, which note_writer updates with every event. */
static uint64_t count_events(struct eventring_cursor *cursor, int64_t after,
                             int64_t until, struct writer *writers)
{
  struct event_reader reader;
  const struct eventring_event *event;
  struct eventring_info info = target_info(cursor);
  int terminate = eventring_find(cursor, "domain_terminate");
  uint64_t events = 0;
  bool past = false;
  read_new_events(&reader, cursor, monotonic_ns() + PATIENCE_NS);
  while ((event = next_event(&reader)) != NULL) {
    if (writers != NULL && event->ring < info.rings)
      note_writer(&writers[event->ring], event, terminate);
    past |= event->ns > until;
    events += event->ns > after && event->ns <= until
              && event->form != EVENTRING_EV_LOST;
    if (batch_is_over(&reader) && past) break;
  }
  return events + (info.lost_is_bound ? 0 : lost_events(cursor));
}

/* Returns the time after which events count for the rate of [row].  If the file
   gives the exact number of lost events, events before [since] are counted too,
   and subtracted later; otherwise they are skipped. */
static int64_t counted_from(const struct row *row)
{
  return row->info.lost_is_bound ? row->since : INT64_MIN;
}

/* Reads the events of the running process of [row] and sets its [since],
   [events] and [domains]; leaves them 0 when there is no memory. */
static void look_at_running(struct row *row, struct eventring_cursor *cursor)
{
  struct writer *writers = calloc(row->info.rings, sizeof *writers);
  if (writers == NULL) return;
  for (uint32_t i = 0; i < row->info.rings; i++)
    writers[i].domain = UINT32_MAX;
  row->since = present_ns(&row->info);
  row->events = count_events(cursor, counted_from(row), row->since, writers);
  for (uint32_t i = 0; i < row->info.rings; i++)
    row->domains += writers[i].lives;
  free(writers);
}

static char *category_list(struct eventring_cursor *cursor);

static bool runs(struct eventring_cursor *cursor)
{
  return eventring_state(cursor) == EVENTRING_STATE_RUNNING;
}

/* Returns whether the file of [cursor] belongs to a process that does not run,
   so that nobody will write to the file again.  Returns false for
   recordings. */
static bool is_left(struct eventring_cursor *cursor)
{
  return !runs(cursor)
      && target_info(cursor).format != EVENTRING_FORMAT_RECORDING;
}

/* Marks [row] as a file that cannot be read if the ring file of [cursor] was cut
   shorter. */
static void note_cut(struct row *row, struct eventring_cursor *cursor)
{
  if (!target_is_cut(cursor)) return;
  row->runs = row->left = false;
  snprintf(row->why, sizeof row->why, "%.400s: was cut shorter while it was "
           "read", row->process->path);
}

/* Fills [row], of which only [process] is set, with the facts of its file;
   [rate] is not known yet.  If the file cannot be read, [why] says so. */
static void look_at(struct row *row, const struct options *options)
{
  row->rate = -1;
  struct eventring_cursor *cursor =
    open_process(row->process, (struct eventring_options) { 0 }, row->why,
                 sizeof row->why);
  if (cursor == NULL) return;
  row->info = target_info(cursor);
  row->state = recording_state(cursor);
  row->runs = runs(cursor);
  row->left = is_left(cursor);
  if (row->runs && !options->prune) look_at_running(row, cursor);
  row->categories = category_list(cursor);
  if (options->json) row->json = json_control(cursor);
  note_cut(row, cursor);
  eventring_close(cursor);
}

/* Counts the events of the running process of [row] once more and sets [rate],
   which stays -1 when the file cannot be opened or is of another session. */
static void measure_rate(struct row *row)
{
  char why[sizeof row->why];
  struct eventring_cursor *cursor =
    open_process(row->process, (struct eventring_options) { 0 }, why,
                 sizeof why);
  if (cursor == NULL) return;
  const int64_t now = present_ns(&row->info);
  /* It may be another process meanwhile. */
  if (target_info(cursor).started_ns == row->info.started_ns) {
    uint64_t events = count_events(cursor, counted_from(row), now, NULL);
    uint64_t more = events > row->events ? events - row->events : 0;
    row->rate = (double) more * 1e9 / (double) (now - row->since);
  }
  note_cut(row, cursor);
  eventring_close(cursor);
}

/* Sets the rates of the running processes among [rows], after a sleep of
   RATE_NS if there are any. */
static void measure_rates(struct row *rows, size_t count)
{
  bool any = false;
  for (size_t i = 0; i < count; i++) any = any || rows[i].runs;
  if (!any) return;
  nanosleep(&(struct timespec) { .tv_nsec = RATE_NS }, NULL);
  for (size_t i = 0; i < count; i++)
    if (rows[i].runs) measure_rate(&rows[i]);
}

/* The lines */

enum column {
  PID, USER, STATE, AGE, DOMAINS, RING, RATE, RUNTIME, PROGRAM, REST, COLUMNS
};

/* Returns the name of the user that owns the file of [row], the user's id if it
   has no name, "-" when the file is gone.  The result may be in [number], and
   is valid until the next call. */
static const char *user_name(const struct row *row, char number[16])
{
  struct stat st;
  if (stat(row->process->path, &st) < 0) return "-";
  struct passwd *user = getpwuid(st.st_uid);
  if (user != NULL) return user->pw_name;
  snprintf(number, 16, "%lu", (unsigned long) st.st_uid);
  return number;
}

/* Returns the names of the categories that the process of [cursor] records,
   separated by commas, which the caller frees; NULL when there is no memory. */
static char *category_list(struct eventring_cursor *cursor)
{
  char *list = NULL;
  size_t size;
  uint32_t recorded = recorded_categories(cursor);
  FILE *out = open_memstream(&list, &size);
  if (out == NULL) return NULL;
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name != NULL && (recorded >> bit & 1) != 0)
      fprintf(out, "%s%s", ftell(out) == 0 ? "" : ",", name);
  }
  fclose(out);
  return list;
}

/* Adds a line for [row] to [table]; columns that are not known stay "-". */
static void add_row(struct columns *table, const struct row *row)
{
  const struct eventring_info *info = &row->info;
  char number[16], size[QUANTITY_SIZE];
  add_line(table);
  set_column(table, PID, "%" PRId32, row->process->pid);
  set_column(table, USER, "%s", user_name(row, number));
  set_column(table, RUNTIME, "%s",
             row->process->format == EVENTRING_FORMAT_STOCK ? "stock"
                                                            : "eventring");
  if (row->why[0] != '\0') {
    set_column(table, STATE, "unreadable");
    set_column(table, REST, "%s", row->why);
    return;
  }
  if (info->pid_is_elsewhere)
    set_column(table, PID, "%" PRId32 "@%" PRIu64, info->pid,
               info->pid_namespace);
  if (info->format == EVENTRING_FORMAT_RING)
    set_column(table, RUNTIME, "eventring");
  else if (info->format == EVENTRING_FORMAT_STOCK && info->runtime[0] != '\0')
    set_column(table, RUNTIME, "stock %s", info->runtime);
  set_column(table, STATE, "%s", row->state);
  set_column(table, RING, "%s", format_bytes(size, info->ring_words * 8));
  if (info->program[0] != '\0')
    set_column(table, PROGRAM, "%s", info->program);
  if (!row->runs) {
    set_column(table, REST, "%s", row->process->path);
    return;
  }
  set_column(table, AGE, "%s", format_elapsed(size, age_ns(info)));
  set_column(table, DOMAINS, "%" PRIu32, row->domains);
  if (row->rate >= 0) set_column(table, RATE, "%.0f", row->rate);
  if (row->categories != NULL && row->categories[0] != '\0')
    set_column(table, REST, "%s", row->categories);
}

static void print_table(const struct row *rows, size_t count)
{
  static const char *const titles[COLUMNS] = {
    "pid", "user", "state", "age", "domains", "ring", "events/s", "runtime",
    "program", "categories or file"
  };
  struct columns *table = new_columns(titles, COLUMNS);
  for (size_t i = 0; i < count; i++) add_row(table, &rows[i]);
  print_lines(table);
}

/* Returns the JSON object of [row], with the members for `ps`.  The object is
   [row->json] if the file could be read, else a new one; the row's reference to
   it passes to the caller.  [pruned]: the object also tells whether the file
   was removed. */
static json_t *row_json(struct row *row, bool pruned)
{
  char number[16];
  bool readable = row->why[0] == '\0' && row->json != NULL;
  json_t *object = readable ? row->json : json_object();
  if (!readable || !row->info.pid_is_elsewhere)
    json_object_set_new(object, "pid", json_integer(row->process->pid));
  json_object_set_new(object, "user", json_string(user_name(row, number)));
  json_object_set_new(object, "path", json_text(row->process->path));
  if (pruned)
    json_object_set_new(object, "removed", json_boolean(row->removed));
  if (!readable) {
    json_object_set_new(object, "error", json_text(row->why));
  } else if (row->runs) {
    json_object_set_new(object, "age_ns",
                        json_integer(age_ns(&row->info)));
    json_object_set_new(object, "domains", json_integer(row->domains));
    if (row->rate >= 0)
      json_object_set_new(object, "events_per_second",
                          json_integer((json_int_t) row->rate));
  }
  return object;
}

/* Removing */

/* Removes the file [name] of the folder [dir], if it is no link and its process
   is gone.  [path] names the file in messages.  Returns true if the file was
   removed; false, with a message, otherwise.  The file is opened again, so that
   the checks are of this file, and stays open and locked until it is removed: a
   program that starts takes the same lock before it gives the name to a file of
   its own. */
static bool remove_from(int dir, const char *path, const char *name)
{
  char opened[64], why[512];
  struct stat link, file;
  struct eventring_cursor *cursor = NULL;
  bool removed = false;
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
                             | O_NOCTTY);
  if (fd < 0) {
    complain("%s is kept: it is a link, or cannot be opened", path);
    return false;
  }
  snprintf(opened, sizeof opened, "/proc/self/fd/%d", fd);
  eventring_open(opened, &(struct eventring_options) {
                   .size = sizeof(struct eventring_options), .message = why,
                   .message_size = sizeof why }, &cursor);
  if (cursor == NULL)
    complain("%s is kept: it is no ring file any more", path);
  else if (!is_left(cursor))
    complain("%s is kept: its process runs", path);
  else if ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
           || fstat(fd, &file) < 0
           || fstatat(dir, name, &link, AT_SYMLINK_NOFOLLOW) < 0
           || file.st_dev != link.st_dev || file.st_ino != link.st_ino)
    complain("%s is kept: it is another file now", path);
  else if (unlinkat(dir, name, 0) < 0)
    complain("cannot remove %s: %s", path, strerror(errno));
  else
    removed = true;
  eventring_close(cursor);
  close(fd);
  return removed;
}

/* Removes the file at [path] as remove_from does.  Returns false, without a
   message, when its folder cannot be opened. */
static bool remove_opened(const char *path)
{
  char parent[sizeof ((struct eventring_process *) 0)->path];
  snprintf(parent, sizeof parent, "%s", path);
  char *slash = strrchr(parent, '/');
  if (slash == NULL) return false;
  *slash = '\0';
  int dir = open(parent[0] == '\0' ? "/" : parent,
                 O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return false;
  bool removed = remove_from(dir, path, slash + 1);
  close(dir);
  return removed;
}

/* Asks the user on standard error whether [count] files may be removed, and
   returns the answer.  Returns true at once with --yes, or if standard input is
   not a terminal. */
static bool agreed(const struct options *options, size_t count)
{
  if (options->yes || !isatty(STDIN_FILENO)) return true;
  char answer[16] = "";
  fflush(stdout);
  fprintf(stderr, "Remove %s? [y/N] ",
          count == 1 ? "this file" : "these files");
  return fgets(answer, sizeof answer, stdin) != NULL
      && (answer[0] == 'y' || answer[0] == 'Y');
}

/* Removes the files of the [count] rows, which must all be left by their
   processes, sets [removed] of the rows, and prints a line for each, without
   --json.  Asks the user first, if standard input is a terminal and --yes was
   not given.  Returns STATUS_OK if all were removed or the user refused;
   STATUS_CANNOT_WRITE if a file was kept, with a message. */
static enum status prune(struct row *rows, size_t count,
                         const struct options *options)
{
  enum status status = STATUS_OK;
  if (!agreed(options, count)) return STATUS_OK;
  for (size_t i = 0; i < count; i++) {
    const char *path = rows[i].process->path;
    rows[i].removed = remove_opened(path);
    if (!rows[i].removed) {
      status = STATUS_CANNOT_WRITE;
    } else if (!options->json) {
      fputs("removed ", stdout);
      print_text(stdout, path, strlen(path), TEXT_LINE);
      putchar('\n');
    }
  }
  return status;
}

/* The command */

/* Prints the JSON of `ps`.  The rows' references to their JSON pass away. */
static void print_objects(struct row *rows, size_t count, bool pruned)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, row_json(&rows[i], pruned));
  print_json(json_pack("{s:o}", "processes", list), false);
}

/* Looks at the [found] processes and prints them as [options] say; with
   --prune, only those that left files, and removes these.  Returns STATUS_OK,
   or the status of prune; a process that cannot be read is no failure. */
static enum status list(const struct eventring_process *processes,
                        size_t found, const struct options *options)
{
  enum status status = STATUS_OK;
  struct row *rows = calloc(found, sizeof *rows);
  size_t count = 0;
  if (rows == NULL) {
    complain("not enough memory");
    return STATUS_CANNOT_READ;
  }
  for (size_t i = 0; i < found; i++) {
    struct row *row = &rows[count];
    row->process = &processes[i];
    look_at(row, options);
    if (!options->prune || (!row->process->alive && row->left)) {
      count++;
    } else {
      free(row->categories);
      json_decref(row->json);
      *row = (struct row) { 0 };
    }
  }
  if (options->rate) measure_rates(rows, count);
  if (!options->json && count > 0) print_table(rows, count);
  if (options->prune && count > 0) status = prune(rows, count, options);
  if (options->json) print_objects(rows, count, options->prune);
  for (size_t i = 0; i < count; i++) free(rows[i].categories);
  free(rows);
  return status;
}

static void print_pids(const struct eventring_process *processes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (processes[i].alive && !processes[i].elsewhere)
      printf("%" PRId32 "\n", processes[i].pid);
}

static enum status run(int argc, char **argv)
{
  struct options options = { .rate = true };
  int option;
  while ((option = next_option(&ps_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: options.dir = optarg; break;
    case OPTION_HUB: use_hub(&ps_command, optarg); break;
    case OPTION_JSON: options.json = true; break;
    case OPTION_NO_RATE: options.rate = false; break;
    case OPTION_PIDS: options.pids = true; break;
    case OPTION_PRUNE: options.prune = true; break;
    case OPTION_YES: options.yes = true; break;
    }
  if (optind < argc)
    usage_error(&ps_command, "ps: unexpected argument '%s'",
                argv[optind]);
  if (options.pids && (options.json || options.prune))
    usage_error(&ps_command, "ps: --pids and %s exclude each other",
                options.json ? "--json" : "--prune");
  if (options.yes && !options.prune)
    usage_error(&ps_command, "ps: --yes goes with --prune");
  const bool local = options.dir != NULL || options.pids || options.prune;
  if (local && has_hub_option())
    usage_error(&ps_command, "ps: --hub excludes --dir, --pids and --prune");
  const struct hub_url *hub = local ? NULL : chosen_hub(&ps_command);
  if (hub != NULL) {
    list_hub(hub, options.json);
    return finish_output(STATUS_OK);
  }
  if (options.prune) options.rate = false;

  size_t count;
  struct eventring_process *processes = find_processes(options.dir, &count);
  enum status status = STATUS_OK;
  if (options.pids)
    print_pids(processes, count);
  else
    status = list(processes, count, &options);
  free(processes);
  return finish_output(status);
}

const struct command ps_command = {
  .name = "ps", .summary = "list the traced processes", .usage = usage,
  .options = option_ids, .notes = notes, .run = run
};
