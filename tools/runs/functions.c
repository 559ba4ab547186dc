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

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "follow.h"
#include "profile.h"
#include "runs/functions.h"

#define PREFIX "functions."
#define LEAST_SHARE 0.01

static bool records_samples(const json_t *recording)
{
  const json_t *categories = json_object_get(recording, "categories");
  for (size_t i = 0; i < json_array_size(categories); i++) {
    const char *name = json_string_value(json_array_get(categories, i));
    if (name != NULL && strcmp(name, "profile") == 0) return true;
  }
  return false;
}

static void take_event(void *state, const struct eventring_event *event)
{
  profile_event(state, event);
}

/* Returns the figure [name] of [run], or NULL. */
static struct metric *find_figure(const struct run_figures *run,
                                  const char *name)
{
  for (size_t i = 0; i < run->count; i++)
    if (strcmp(run->list[i].name, name) == 0) return &run->list[i];
  return NULL;
}

/* Adds the shares of the functions in [profile].  Functions of the same name
   count as one. */
static void add_shares(struct run_figures *figures,
                       const struct profile *profile)
{
  size_t count;
  struct profile_entry *table = profile_table(profile, BY_FUNCTION, &count);
  double all = (double) profile_sums(profile).weight;
  for (size_t i = 0; i < count && all > 0; i++) {
    char name[256];
    snprintf(name, sizeof name, PREFIX "%.200s.self_share",
             table[i].frame.function);
    double share = (double) table[i].self.weight / all;
    struct metric *same = find_figure(figures, name);
    if (same != NULL) same->value += share;
    else if (share > 0) add_figure(figures, name, share);
  }
  free(table);
}

/* Adds the functions of the recording at [path]. */
static void add_recording(struct run_figures *figures, const char *path)
{
  struct eventring_cursor *cursor = NULL;
  char why[512];
  eventring_open(path, NULL, &cursor);
  if (cursor == NULL) return;
  struct filter *filter = new_filter();
  filter_begin(filter, cursor, why, sizeof why);
  struct symbols *symbols = new_symbols(cursor, NULL, NULL);
  struct profile *profile = new_profile(cursor, filter, NULL, 0);
  read_events(cursor, &(struct reading) {
    .changes = true, .state = profile, .event = take_event
  });
  profile_finish(profile, symbols);
  add_shares(figures, profile);
  free_profile(profile);
  free_symbols(symbols);
  free_filter(filter);
  eventring_close(cursor);
}

void add_functions(struct run_figures *figures, const char *folder,
                   const json_t *recordings)
{
  /* The summary describes the last recording, too. */
  size_t count = json_array_size(recordings);
  const json_t *last = count > 0 ? json_array_get(recordings, count - 1) : NULL;
  const char *file = json_string_value(json_object_get(last, "file"));
  char path[PATH_MAX];
  if (file == NULL || strchr(file, '/') != NULL || !records_samples(last))
    return;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  add_recording(figures, path);
}

bool is_function_figure(const char *name)
{
  return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

static bool has_functions(const struct run_figures *run)
{
  for (size_t i = 0; i < run->count; i++)
    if (is_function_figure(run->list[i].name)) return true;
  return false;
}

/* Returns a new JSON object with the sums of the shares of each function in all
   runs, and sets *sampled to the number of runs with samples. */
static json_t *sum_shares(const struct run_figures *runs, size_t count,
                          size_t *sampled)
{
  json_t *sums = json_object();
  *sampled = 0;
  for (size_t i = 0; i < count; i++) {
    *sampled += has_functions(&runs[i]);
    for (size_t k = 0; k < runs[i].count; k++) {
      const struct metric *m = &runs[i].list[k];
      if (is_function_figure(m->name))
        json_object_set_new(sums, m->name, json_real(
          json_number_value(json_object_get(sums, m->name)) + m->value));
    }
  }
  return sums;
}

void complete_functions(struct run_figures *runs, size_t count)
{
  size_t sampled;
  json_t *sums = sum_shares(runs, count, &sampled), *sum;
  const char *name;
  for (size_t i = 0; i < count; i++) {
    if (!has_functions(&runs[i])) continue;
    for (size_t k = runs[i].count; k-- > 0;) {
      const struct metric *m = &runs[i].list[k];
      if (is_function_figure(m->name)
          && json_number_value(json_object_get(sums, m->name))
             < LEAST_SHARE * (double) sampled)
        remove_figure(&runs[i], k);
    }
    json_object_foreach(sums, name, sum) {
      if (json_number_value(sum) >= LEAST_SHARE * (double) sampled
          && find_figure(&runs[i], name) == NULL)
        add_figure(&runs[i], name, 0);
    }
  }
  json_decref(sums);
}
