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

/* eventring categories: which events a process records, and could record. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "common.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "processes.h"
#include "remote_control.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring categories [OPTION...] [PID|FILE]\n"
"       eventring categories --all [OPTION...]\n"
"Lists the categories of events of a process or file: name, on or off, and\n"
"contents.  On means that the process records the category, will record it when\n"
"resumed, or recorded it last before it ended.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_HUB, OPTION_JSON, OPTION_NAMES, OPTION_HELP,
  OPTION_END
};

static const char notes[] =
"eventring enable and eventring disable switch categories on and off.\n";

/* Characters of the column of names, of which profile_alloc is the longest. */
#define NAME_WIDTH 13

enum form { TABLE, NAMES, JSON };

static void list_names(struct eventring_cursor *cursor)
{
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name == NULL) continue;
    print_text(stdout, name, strlen(name), TEXT_COLUMN);
    putchar('\n');
  }
}

static void list_table(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  uint32_t on = recorded_categories(cursor);
  printf("%" PRId32 " ", info.pid);
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(": %s\n", recording_state(cursor));
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name == NULL) continue;
    fputs("  ", stdout);
    int width = print_text(stdout, name, strlen(name), TEXT_COLUMN);
    const char *doc = eventring_category_meaning(name);
    printf("%*s  %-3s%s%s\n", width < NAME_WIDTH ? NAME_WIDTH - width : 0, "",
           on >> bit & 1 ? "on" : "off", doc == NULL ? "" : "  ",
           doc == NULL ? "" : doc);
  }
}

/* Returns a new JSON object: the object of json_control with all categories of
   the file. */
static json_t *list_json(struct eventring_cursor *cursor)
{
  json_t *process = json_control(cursor);
  json_object_set_new(process, "known_categories", json_categories(cursor));
  return process;
}

/* The output of the command. */
struct output {
  enum form form;
  json_t *processes;              /* for the form JSON */
};

static enum status print_list(void *state, struct eventring_cursor *cursor)
{
  const struct output *output = state;
  switch (output->form) {
  case TABLE: list_table(cursor); break;
  case NAMES: list_names(cursor); break;
  case JSON:
    json_array_append_new(output->processes, list_json(cursor));
    break;
  }
  return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool all = false;
  struct output output = { .form = TABLE };
  struct control_request remote = { .command = NULL };
  int option;
  while ((option = next_option(&categories_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: all = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_HUB: use_hub(&categories_command, optarg); break;
    case OPTION_JSON: output.form = JSON; break;
    case OPTION_NAMES: output.form = NAMES; break;
    }
  if (all && optind < argc)
    usage_error(&categories_command,
                "categories: unexpected argument '%s' after --all", argv[optind]);

  if (all && has_hub_option())
    usage_error(&categories_command,
                "categories: --all is for processes of this machine");
  if (!all && is_remote(&categories_command, argv[optind], dir, &remote)) {
    if (optind + 1 < argc)
      usage_error(&categories_command,
                  "categories: unexpected argument '%s': takes one process",
                  argv[optind + 1]);
    remote.json = output.form == JSON;
    remote.names = output.form == NAMES;
    return control_remote(&categories_command, &remote, 0, NULL);
  }
  if (output.form == JSON) output.processes = json_array();
  enum status status = STATUS_OK;
  size_t running;
  if (all) {
    status = visit_running(dir, false, print_list, &output, &running);
  } else {
    struct eventring_cursor *cursor =
      open_target(&categories_command, argc, argv, dir, false);
    print_list(&output, cursor);
    eventring_close(cursor);
  }
  if (output.form == JSON)
    print_json(json_pack("{s:o}", "processes", output.processes), false);
  return finish_output(status);
}

const struct command categories_command = {
  .name = "categories", .summary = "list the categories, on or off",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
