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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "memory.h"
#include "runs/batch.h"
#include "runs/run_file.h"
#include "statistics.h"
#include "store.h"

void making_path(char path[PATH_MAX], const char *folder)
{
  snprintf(path, PATH_MAX, "%s/.making", folder);
}

/* batch.json */

json_t *read_batch(const char *folder, char *why, size_t why_size)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/" BATCH_FILE, folder);
  if (access(path, R_OK) < 0 && errno == ENOTDIR) {
    snprintf(why, why_size, "%.400s is neither a batch, which is a folder, nor a "
             "run, NNNNNN.json in it", folder);
    return NULL;
  }
  if (access(path, R_OK) < 0) {
    snprintf(why, why_size, "%.400s is no batch: cannot read %s: %s", folder,
             BATCH_FILE, strerror(errno));
    return NULL;
  }
  json_t *batch = read_json_file(path, why, why_size);
  if (batch == NULL) return NULL;
  json_int_t version = json_integer_value(json_object_get(batch, "version"));
  size_t commands = json_array_size(json_object_get(batch, "commands"));
  if (version == RUN_VERSION && commands > 0 && commands <= BATCH_COMMANDS)
    return batch;
  explain_refusal(path, "batch", version, why, why_size);
  json_decref(batch);
  return NULL;
}

static bool is_text_list(const json_t *list)
{
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!json_is_string(json_array_get(list, i))) return false;
  return json_array_size(list) > 0;
}

static bool is_commit(const char *text)
{
  size_t digits = text != NULL ? strspn(text, "0123456789abcdef") : 0;
  return digits >= 40 && digits <= 64 && text[digits] == '\0';
}

/* Returns whether [path] leads to a place inside of the folder from which it
   begins. */
static bool is_inside(const char *path)
{
  if (path == NULL || *path == '/') return false;
  while (*path != '\0') {
    size_t length = strcspn(path, "/");
    if (length == 2 && strncmp(path, "..", 2) == 0) return false;
    path += length + (path[length] == '/');
  }
  return true;
}

static bool has_text(const json_t *object, const char *member)
{
  return json_is_string(json_object_get(object, member));
}

bool is_plan(const json_t *batch)
{
  const json_t *commits = json_object_get(batch, "commits"),
    *commands = json_object_get(batch, "commands");
  if (commits != NULL
      && (!has_text(commits, "build") || !has_text(commits, "repository")
          || !is_inside(json_string_value(json_object_get(commits, "prefix")))
          || !json_is_array(json_object_get(commits, "failed"))))
    return false;
  for (size_t i = 0; i < json_array_size(commands); i++) {
    const json_t *command = json_array_get(commands, i);
    bool is_built = commits == NULL || json_object_get(command, "program");
    if (!has_text(command, "label")
        || !is_text_list(json_object_get(command, "argv"))
        || (is_built && !has_text(command, "directory"))
        || (commits != NULL && !is_commit(json_string_value(
              json_object_get(command, "commit")))))
      return false;
  }
  return true;
}

void batch_folder(char folder[PATH_MAX], const char *store, const char *name)
{
  char path[PATH_MAX + 16];
  snprintf(folder, PATH_MAX, "%s", name);
  snprintf(path, sizeof path, "%s/" BATCH_FILE, folder);
  if (store == NULL || strchr(name, '/') != NULL || access(path, F_OK) == 0)
    return;
  /* A folder here that is no batch is meant if there is none in the store. */
  snprintf(folder, PATH_MAX, "%s/" BATCHES_FOLDER "/%s", store, name);
  if (access(folder, F_OK) < 0 && access(name, F_OK) == 0)
    snprintf(folder, PATH_MAX, "%s", name);
}

bool write_batch(const char *folder, const json_t *batch, char *why,
                 size_t why_size)
{
  char making[PATH_MAX], temporary[PATH_MAX + 32], path[PATH_MAX];
  making_path(making, folder);
  snprintf(temporary, sizeof temporary, "%s/" BATCH_FILE, making);
  snprintf(path, sizeof path, "%s/" BATCH_FILE, folder);
  unlink(temporary);
  if (!write_json_file(temporary, batch, why, why_size)) return false;
  if (rename(temporary, path) == 0 && sync_path(folder)) return true;
  snprintf(why, why_size, "cannot write %.400s: %s", path, strerror(errno));
  unlink(temporary);
  return false;
}

struct batch_limits batch_limits(const json_t *batch)
{
  const json_t *limits = json_object_get(batch, "limits");
  json_int_t runs = json_integer_value(json_object_get(limits, "runs"));
  return (struct batch_limits) {
    .runs = runs > 0 && runs <= BATCH_RUNS ? (uint32_t) runs : 0,
    .time_ns = json_integer_value(json_object_get(limits, "time_ns")),
    .precision = json_number_value(json_object_get(limits, "precision"))
  };
}

void set_batch_limits(json_t *batch, const struct batch_limits *limits)
{
  json_object_set_new(batch, "limits", json_pack(
    "{s:o, s:o, s:o}",
    "runs", limits->runs > 0 ? json_integer(limits->runs) : json_null(),
    "time_ns", limits->time_ns > 0 ? json_integer(limits->time_ns)
                                   : json_null(),
    "precision", limits->precision > 0 ? json_real(limits->precision)
                                       : json_null()));
}

/* The plan */

uint32_t planned_command(uint64_t seed, uint32_t commands, uint32_t number)
{
  uint32_t order[BATCH_COMMANDS] = { 0 };
  uint32_t round = (number - 1) / commands, place = (number - 1) % commands;
  struct generator g = { seed };
  g.state = generate(&g) + round;
  for (uint32_t i = 0; i < commands; i++) order[i] = i;
  for (uint32_t i = commands - 1; i > 0; i--) {
    /* The remainder of 2^64 is far too small to matter. */
    uint32_t k = (uint32_t) (generate(&g) % (i + 1)), other = order[i];
    order[i] = order[k];
    order[k] = other;
  }
  return order[place];
}

/* Runs */

static int by_number(const void *a, const void *b)
{
  const uint32_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

uint32_t *run_numbers(const char *folder, size_t *count)
{
  DIR *d = opendir(folder);
  const struct dirent *entry;
  uint32_t *numbers = NULL;
  size_t room = 0;
  *count = 0;
  while (d != NULL && (entry = readdir(d)) != NULL) {
    uint32_t number = run_number(entry->d_name);
    if (number == 0) continue;
    numbers = with_room(numbers, *count, &room, sizeof *numbers);
    numbers[(*count)++] = number;
  }
  if (d != NULL) closedir(d);
  if (*count > 1) qsort(numbers, *count, sizeof *numbers, by_number);
  return numbers;
}

void visit_runs(const char *folder,
                void (*visit)(void *state, uint32_t number, json_t *run,
                              const char *why), void *state)
{
  size_t count;
  uint32_t *numbers = run_numbers(folder, &count);
  for (size_t i = 0; i < count; i++) {
    char path[PATH_MAX], why[512] = "";
    run_path(path, folder, numbers[i], "json");
    json_t *run = read_run_head(path, why, sizeof why);
    visit(state, numbers[i], run, why);
    json_decref(run);
  }
  free(numbers);
}
