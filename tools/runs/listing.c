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
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "columns.h"
#include "common.h"
#include "json.h"
#include "runs/batch.h"
#include "runs/listing.h"
#include "store.h"
#include "text.h"

/* Batches */

/* A batch in the list; [batch] is NULL if it cannot be read. */
struct listed {
  char *name, *path;
  json_t *batch;
  char why[512];
  uint64_t runs, failed, damaged;
  bool is_running;                /* a program makes it */
};

struct list { struct listed *list; size_t count, room; };

static void count_run(void *state, uint32_t number, json_t *run,
                      const char *why)
{
  struct listed *listed = state;
  (void) number, (void) why;
  listed->runs++;
  listed->damaged += run == NULL;
  listed->failed += json_is_true(json_object_get(run, "failed"));
}

/* Returns whether a program holds the lock of the batch in [path]. */
static bool is_locked(const char *path)
{
  char lock[PATH_MAX];
  snprintf(lock, sizeof lock, "%s/.lock", path);
  int fd = open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0;
  if (fd >= 0) close(fd);
  return locked;
}

static void add_batch(struct list *list, const char *folder, const char *name)
{
  list->list = with_room(list->list, list->count, &list->room,
                         sizeof *list->list);
  struct listed *listed = &list->list[list->count++];
  *listed = (struct listed) { .name = strdup(name) };
  if (listed->name == NULL
      || asprintf(&listed->path, "%s/%s", folder, name) < 0)
    out_of_memory();
  listed->batch = read_batch(listed->path, listed->why, sizeof listed->why);
  if (listed->batch == NULL) return;
  visit_runs(listed->path, count_run, listed);
  listed->is_running = is_locked(listed->path);
}

static const char *created(const struct listed *listed)
{
  const char *date = json_string_value(json_object_get(listed->batch,
                                                       "created"));
  return date != NULL ? date : "";
}

static int latest_first(const void *a, const void *b)
{
  const struct listed *x = a, *y = b;
  int order = strcmp(created(y), created(x));
  return order != 0 ? order : strcmp(x->name, y->name);
}

static struct list read_list(const char *store)
{
  struct list list = { .list = NULL };
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s/" BATCHES_FOLDER, store);
  DIR *d = opendir(folder);
  const struct dirent *entry;
  while (d != NULL && (entry = readdir(d)) != NULL)
    if (entry->d_name[0] != '.') add_batch(&list, folder, entry->d_name);
  if (d != NULL) closedir(d);
  if (list.count > 1)
    qsort(list.list, list.count, sizeof *list.list, latest_first);
  return list;
}

/* Returns a new JSON array of the labels of the commands of [batch]. */
static json_t *labels(const json_t *batch)
{
  const json_t *commands = json_object_get(batch, "commands");
  json_t *array = json_array();
  for (size_t i = 0; i < json_array_size(commands); i++)
    json_array_append(array, json_object_get(json_array_get(commands, i),
                                             "label"));
  return array;
}

static json_t *json_listed(const struct listed *listed)
{
  json_t *object = json_pack("{s:o, s:o}", "name", json_text(listed->name),
                             "path", json_text(listed->path));
  if (listed->batch == NULL) {
    json_object_set_new(object, "error", json_text(listed->why));
    return object;
  }
  json_object_set(object, "created", json_object_get(listed->batch, "created"));
  json_object_set(object, "limits", json_object_get(listed->batch, "limits"));
  json_object_set_new(object, "labels", labels(listed->batch));
  json_t *counts = json_pack(
    "{s:I, s:I, s:I, s:b}", "runs", (json_int_t) listed->runs,
    "failed", (json_int_t) listed->failed,
    "damaged", (json_int_t) listed->damaged, "running", listed->is_running);
  json_object_update(object, counts);
  json_decref(counts);
  return object;
}

enum batch_column {
  B_NAME, B_CREATED, B_RUNS, B_FAILED, B_STATE, B_LABELS, B_COLUMNS
};

static const char *label_of(const json_t *labels, size_t index)
{
  const char *label = json_string_value(json_array_get(labels, index));
  return label != NULL ? label : "?";
}

/* Sets the column with the labels of [batch], separated by commas. */
static void set_labels(struct columns *table, const json_t *batch)
{
  json_t *array = labels(batch);
  char text[512] = "";
  for (size_t i = 0, used = 0; i < json_array_size(array) && used < 400; i++)
    used += (size_t) snprintf(text + used, sizeof text - used, "%s%.100s",
                              i > 0 ? ", " : "", label_of(array, i));
  set_column(table, B_LABELS, "%s", text);
  json_decref(array);
}

static void add_batch_line(struct columns *table, const struct listed *listed)
{
  add_line(table);
  set_column(table, B_NAME, "%s", listed->name);
  if (listed->batch == NULL) {
    set_column(table, B_LABELS, "%s", listed->why);
    return;
  }
  set_column(table, B_CREATED, "%.19s", created(listed));
  set_column(table, B_RUNS, "%" PRIu64, listed->runs);
  set_column(table, B_FAILED, "%" PRIu64, listed->failed);
  set_column(table, B_STATE, "%s", listed->is_running ? "running"
             : listed->damaged > 0 ? "damaged" : "ended");
  set_labels(table, listed->batch);
}

static void print_batches(const struct list *list)
{
  static const char *const titles[B_COLUMNS] = {
    "name", "created", "runs", "failed", "state", "labels"
  };
  if (list->count == 0) return;
  struct columns *table = new_columns(titles, B_COLUMNS);
  for (size_t i = 0; i < list->count; i++)
    add_batch_line(table, &list->list[i]);
  print_lines(table);
}

enum status list_batches(const char *store, bool json)
{
  struct list list = read_list(store);
  json_t *array = json_array();
  for (size_t i = 0; i < list.count && json; i++)
    json_array_append_new(array, json_listed(&list.list[i]));
  if (json)
    print_json(json_pack("{s:i, s:o, s:O}", "version", JSON_VERSION,
                         "store", json_text(store), "batches", array), false);
  else
    print_batches(&list);
  json_decref(array);
  for (size_t i = 0; i < list.count; i++) {
    json_decref(list.list[i].batch);
    free(list.list[i].name);
    free(list.list[i].path);
  }
  free(list.list);
  return finish_output(STATUS_OK);
}

/* Runs */

enum run_column {
  R_RUN, R_LABEL, R_STARTED, R_WALL, R_CPU, R_MEMORY, R_END,
  R_NODE,                         /* of batches with nodes */
  R_COLUMNS
};

static void set_end(struct columns *table, json_t *run)
{
  const json_t *code = json_object_get(run, "exit_code"),
    *number = json_object_get(run, "signal");
  if (json_is_integer(number))
    set_column(table, R_END, "signal %" JSON_INTEGER_FORMAT,
               json_integer_value(number));
  else
    set_column(table, R_END, "exit code %" JSON_INTEGER_FORMAT,
               json_integer_value(code));
}

static uint64_t member(json_t *run, const char *name)
{
  json_int_t value = json_integer_value(json_object_get(run, name));
  return value > 0 ? (uint64_t) value : 0;
}

struct run_table { struct columns *lines; bool has_nodes; };

/* The function of visit_runs that adds a line to the run_table [state]. */
static void add_run_line(void *state, uint32_t number, json_t *run,
                         const char *why)
{
  const struct run_table *runs = state;
  struct columns *table = runs->lines;
  char text[QUANTITY_SIZE];
  add_line(table);
  set_column(table, R_RUN, "%06" PRIu32, number);
  if (run == NULL) {
    set_column(table, R_END, "%s", why);
    return;
  }
  const char *label = json_string_value(json_object_get(run, "label")),
    *started = json_string_value(json_object_get(run, "started")),
    *node = json_string_value(json_object_get(run, "node"));
  set_column(table, R_LABEL, "%s", label != NULL ? label : "?");
  set_column(table, R_STARTED, "%.19s", started != NULL ? started : "?");
  set_column(table, R_WALL, "%s",
             format_duration(text, member(run, "wall_ns")));
  set_column(table, R_CPU, "%s",
             format_duration(text, member(run, "user_ns")
                                   + member(run, "system_ns")));
  set_column(table, R_MEMORY, "%s",
             format_bytes(text, member(run, "max_rss_bytes")));
  set_end(table, run);
  if (runs->has_nodes && node != NULL) set_column(table, R_NODE, "%s", node);
}

/* The function of visit_runs that appends the run to the array [state]. */
static void append_run(void *state, uint32_t number, json_t *run,
                       const char *why)
{
  json_array_append_new(state, run != NULL ? json_incref(run)
    : json_pack("{s:I, s:o}", "number", (json_int_t) number, "error",
                json_text(why)));
}

static void print_runs(const char *folder, const json_t *batch)
{
  static const char *const titles[R_COLUMNS] = {
    "run", "label", "started", "wall", "cpu", "memory", "end", "node"
  };
  struct run_table runs = { .has_nodes = json_object_get(batch, "nodes") != NULL };
  runs.lines = new_columns(titles, runs.has_nodes ? R_COLUMNS : R_NODE);
  visit_runs(folder, add_run_line, &runs);
  print_lines(runs.lines);
}

enum status list_runs(const char *store, const char *name, bool json)
{
  char folder[PATH_MAX], why[512];
  batch_folder(folder, store, name);
  json_t *batch = read_batch(folder, why, sizeof why);
  if (batch == NULL) {
    complain("%s", why);
    return STATUS_CANNOT_READ;
  }
  if (json) {
    json_t *array = json_array();
    visit_runs(folder, append_run, array);
    print_json(json_pack("{s:i, s:o, s:o, s:o}", "version", JSON_VERSION,
                         "path", json_text(folder), "batch", batch,
                         "runs", array), false);
  } else {
    print_runs(folder, batch);
    json_decref(batch);
  }
  return finish_output(STATUS_OK);
}
