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

/* eventring list: the saved recordings; batches and their runs. */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "columns.h"
#include "common.h"
#include "json.h"
#include "options.h"
#include "runs/listing.h"
#include "store.h"
#include "store_json.h"
#include "text.h"

static const char usage[] =
"Usage: eventring list [OPTION...] [BATCH]\n"
"Lists the recordings that eventring serve saved, the latest first; or the runs\n"
"of BATCH, its folder or its name.\n";

static const enum option_id option_ids[] = {
  OPTION_STORE, OPTION_BATCHES, OPTION_JSON, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Columns, separated by two spaces or more; - means unknown:\n"
"  name        the file in the folder --store, $EVENTRING_STORE or\n"
"              ~/.local/share/eventring\n"
"  program     path of the program\n"
"  pid         id that the process had\n"
"  saved       when, in local time\n"
"  duration    time that the recording covers\n"
"  events      number of events\n"
"  lost        events that were overwritten before they could be recorded\n"
"  size        size of the file\n"
"  why         saved by hand, the rule that saved it, or why the file cannot be\n"
"              read\n"
"The other commands read a recording by its path.\n";

/* All recordings of a store. */
struct list {
  const char *store;
  struct stored *stored;
  size_t count, room;
};

static void add_stored(void *state, const char *name, const struct stat *st)
{
  struct list *list = state;
  list->stored = with_room(list->stored, list->count, &list->room,
                           sizeof *list->stored);
  read_stored(list->store, name, st, &list->stored[list->count++]);
}

static int latest_first(const void *a, const void *b)
{
  const struct stored *x = a, *y = b;
  if (x->saved.at_ns != y->saved.at_ns)
    return x->saved.at_ns > y->saved.at_ns ? -1 : 1;
  return strcmp(x->name, y->name);
}

enum column {
  NAME, PROGRAM, PID, SAVED, DURATION, EVENTS, LOST, SIZE, WHY, COLUMNS
};

static void set_saved(struct columns *table, int64_t unix_ns)
{
  time_t seconds = (time_t) (unix_ns / 1000000000);
  struct tm tm;
  char text[64];
  if (localtime_r(&seconds, &tm) != NULL
      && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm) > 0)
    set_column(table, SAVED, "%s", text);
}

static void set_why(struct columns *table, const struct stored *stored)
{
  if (stored->why[0] != '\0')
    set_column(table, WHY, "%s", stored->why);
  else if (stored->saved.by == SAVED_BY_HAND)
    set_column(table, WHY, "by hand");
  else if (stored->saved.by == SAVED_BY_RULE)
    set_column(table, WHY, "rule %s", stored->saved.rule);
}

static void add_recording(struct columns *table, const struct stored *stored)
{
  const struct eventring_info *info = &stored->info;
  char text[QUANTITY_SIZE];
  add_line(table);
  set_column(table, NAME, "%s", stored->name);
  set_saved(table, stored->saved.at_ns);
  set_column(table, SIZE, "%s",
             format_bytes(text, (uint64_t) stored->bytes));
  set_why(table, stored);
  if (stored->why[0] != '\0') return;
  int64_t duration_ns = stored_duration_ns(stored);
  if (info->program[0] != '\0')
    set_column(table, PROGRAM, "%s", info->program);
  set_column(table, PID, "%" PRId32, info->pid);
  if (duration_ns >= 0)
    set_column(table, DURATION, "%s",
               format_duration(text, (uint64_t) duration_ns));
  if (info->recorded_events != UINT64_MAX)
    set_column(table, EVENTS, "%" PRIu64, info->recorded_events);
  if (info->recorded_lost != UINT64_MAX)
    set_column(table, LOST, "%" PRIu64, info->recorded_lost);
}

static void print_list(const struct list *list)
{
  static const char *const titles[COLUMNS] = {
    "name", "program", "pid", "saved", "duration", "events", "lost", "size",
    "why"
  };
  if (list->count == 0) return;
  struct columns *table = new_columns(titles, COLUMNS);
  for (size_t i = 0; i < list->count; i++)
    add_recording(table, &list->stored[i]);
  print_lines(table);
}

static void print_list_json(const struct list *list)
{
  json_t *array = json_array();
  for (size_t i = 0; i < list->count; i++)
    json_array_append_new(array, json_stored(list->store, &list->stored[i]));
  print_json(json_pack("{s:i, s:o, s:o}", "version", JSON_VERSION,
                       "store", json_text(list->store), "saved", array),
             false);
}

/* Returns whether the folder [store] can be read or does not exist, and prints a
   message if not. */
static bool store_is_readable(const char *store)
{
  DIR *folder = opendir(store);
  if (folder != NULL) closedir(folder);
  if (folder != NULL || errno == ENOENT) return true;
  complain("cannot open %s: %s", store, strerror(errno));
  return false;
}

static enum status run(int argc, char **argv)
{
  char *store = NULL;
  struct list list = { .store = NULL };
  bool json = false, batches = false;
  int option;
  while ((option = next_option(&list_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_STORE: list.store = optarg; break;
    case OPTION_BATCHES: batches = true; break;
    case OPTION_JSON: json = true; break;
    }
  if (optind + 1 < argc || (batches && optind < argc))
    usage_error(&list_command, "list: unexpected argument '%s'",
                argv[argc - 1]);
  if (list.store == NULL) list.store = store = default_store();
  if (optind < argc) {
    enum status status = list_runs(list.store, argv[optind], json);
    free(store);
    return status;
  }
  if (list.store == NULL)
    usage_error(&list_command, "list: missing folder (--store FOLDER): neither "
                "EVENTRING_STORE nor HOME is set");
  if (!store_is_readable(list.store)) return STATUS_CANNOT_READ;
  if (batches) {
    enum status status = list_batches(list.store, json);
    free(store);
    return status;
  }
  visit_store(list.store, add_stored, &list);
  if (list.count > 1)
    qsort(list.stored, list.count, sizeof *list.stored, latest_first);
  if (json)
    print_list_json(&list);
  else
    print_list(&list);
  free(list.stored);
  free(store);
  return finish_output(STATUS_OK);
}

const struct command list_command = {
  .name = "list", .summary = "list the saved recordings", .usage = usage,
  .options = option_ids, .notes = notes, .run = run
};
