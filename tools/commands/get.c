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

/* eventring get: single figures of a process, by name.

   All figures are one JSON object: the object of `stat --json`, with four more
   members.  The name of a figure is the way to it in the object. */

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "counters.h"
#include "follow.h"
#include "hub_target.h"
#include "json.h"
#include "manifest.h"
#include "memory.h"
#include "options.h"
#include "parse.h"
#include "points.h"
#include "remote_control.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring get [OPTION...] [PID|FILE [NAME...]]\n"
"Prints figures of a process: those called NAME, or all with their names.  The\n"
"program does nothing for it, but for points: the rings have the figures.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_HUB, OPTION_JSON, OPTION_WAIT, OPTION_HELP, OPTION_END
};

static const char notes[] =
"A name is the way to a figure in the object of `stat --json`; elements of an\n"
"array are found by their name or id.  In addition:\n"
"  counters.NAME  last value of a counter, of the program or the runtime\n"
"  manifest...    facts about the recording or the process\n"
"  schema.NAME... kind, category, unit of the events NAME; only when asked for\n"
"  points.NAME    value of a function of the program (Eventring.Point), which it\n"
"                 evaluates at its next safe point; only when asked for\n"
"* and ? in a name match any characters.  For one name without them, prints the\n"
"value only; otherwise the name, a tab and the value.\n"
"  eventring get 1234 total.gc_share\n"
"  eventring get 1234 'total.pauses.*' counters.queue\n"
"Exit code 1: there is no figure of such a name, or a point has failed.\n";

/* The figures that are computed from events. */
struct collected {
  struct summary *summary;
  struct counters *counters;
  struct points *points;
};

static void take_event(void *state, const struct eventring_event *event)
{
  struct collected *collected = state;
  summary_event(collected->summary, event);
  counters_event(collected->counters, event);
  points_event(collected->points, event);
}

static bool pass(void *state, bool idle)
{
  if (idle) summary_idle(((struct collected *) state)->summary);
  return true;
}

/* Returns a new JSON object with the descriptions of all events. */
static json_t *schema(struct eventring_cursor *cursor)
{
  static const char *const kinds[] = {
    [EVENTRING_KIND_SPAN] = "span", [EVENTRING_KIND_COUNTER] = "counter",
    [EVENTRING_KIND_INSTANT] = "instant", [EVENTRING_KIND_FLOW] = "flow",
    [EVENTRING_KIND_COMPLETE] = "complete",
    [EVENTRING_KIND_REQUEST] = "request"
  };
  json_t *object = json_object();
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const struct eventring_description *d = eventring_describe(cursor, id);
    if (d == NULL) continue;
    const char *kind =
      d->kind < sizeof kinds / sizeof *kinds ? kinds[d->kind] : NULL;
    const char *category = eventring_category(cursor, d->category);
    json_add_named(object, d->name,
                   json_pack("{s:s*, s:o, s:o}", "kind", kind, "category",
                        category == NULL ? json_null() : json_text(category),
                        "unit", d->unit[0] == '\0' ? json_null()
                                                   : json_text(d->unit)));
  }
  return object;
}

/* Returns the manifest in the recording of [cursor], or a new one. */
static json_t *manifest(struct eventring_cursor *cursor)
{
  const char *note = eventring_note(cursor);
  json_t *object = note == NULL ? NULL : json_loads(note, 0, NULL);
  if (object != NULL) return object;
  char *text = new_manifest(cursor, NULL);
  object = json_loads(text, 0, NULL);
  free(text);
  return object;
}

/* The figures that are asked for. */
struct wish {
  char *const *names;             /* up to NULL; an empty array: all figures
                                     but the schema and the points */
  bool *found;                    /* for each name */
  json_t *failures;               /* of points, by name */
  bool failed;                    /* a point that is asked for */
  json_t *result;                 /* figures by name, for --json; or NULL */
};

/* Returns whether [name] is a name or a pattern of points, which are asked for
   by such names only. */
static bool is_of_points(const char *name)
{
  return strncmp(name, "points", 6) == 0;
}

/* Returns whether the figure [name] is wished. */
static bool is_wished(const struct wish *wish, const char *name)
{
  bool wished = wish->names[0] == NULL && strncmp(name, "schema.", 7) != 0
    && !is_of_points(name);
  for (size_t i = 0; wish->names[i] != NULL; i++)
    if (strcmp(wish->names[i], name) == 0
        || fnmatch(wish->names[i], name, 0) == 0)
      wished = wish->found[i] = true;
  return wished;
}

/* Prints a message if the figure [name] is a point that has failed. */
static void report_failure(struct wish *wish, const char *name)
{
  const char *why = is_of_points(name) && strlen(name) > 7
    ? json_string_value(json_object_get(wish->failures, name + 7)) : NULL;
  if (why == NULL) return;
  complain("%s has failed: %s", name, why);
  wish->failed = true;
}

/* Prints the figure [name], or adds it to the result for --json. */
static void give(struct wish *wish, const char *name, json_t *value)
{
  report_failure(wish, name);
  if (wish->result != NULL) {
    json_object_set(wish->result, name, value);
    return;
  }
  bool alone = wish->names[0] != NULL && wish->names[1] == NULL
    && strcmp(wish->names[0], name) == 0;
  if (!alone) {
    print_text(stdout, name, strlen(name), TEXT_COLUMN);
    putchar('\t');
  }
  if (json_is_string(value)) {
    print_text(stdout, json_string_value(value), json_string_length(value),
               TEXT_LINE);
  } else {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    if (text == NULL) out_of_memory();
    fputs(text, stdout);
    free(text);
  }
  putchar('\n');
}

static void visit(struct wish *wish, const char *name, json_t *value);

/* Visits the figures in [value], which is called [key] in the object or array
   [name]. */
static void visit_member(struct wish *wish, const char *name, const char *key,
                         json_t *value)
{
  size_t size = strlen(name) + strlen(key) + 2;
  char *path = allocate(size, 1);
  snprintf(path, size, "%s%s%s", name, *name == '\0' ? "" : ".", key);
  visit(wish, path, value);
  free(path);
}

/* Visits the elements of [array].  Each is called by its member "name" or "id",
   or else by its number. */
static void visit_array(struct wish *wish, const char *name, json_t *array)
{
  size_t i;
  json_t *element;
  json_array_foreach(array, i, element) {
    char number[24];
    const json_t *id = json_object_get(element, "id");
    const char *key = json_string_value(json_object_get(element, "name"));
    snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
             json_is_integer(id) ? json_integer_value(id) : (json_int_t) i);
    visit_member(wish, name, key == NULL || json_is_integer(id) ? number : key,
                 element);
  }
}

/* Visits the figures in [value], called [name]. */
static void visit(struct wish *wish, const char *name, json_t *value)
{
  const char *key;
  json_t *member;
  if (json_is_object(value)) {
    json_object_foreach(value, key, member) {
      visit_member(wish, name, key, member);
    }
  } else if (json_is_array(value)) visit_array(wish, name, value);
  else if (is_wished(wish, name)) give(wish, name, value);
}

/* Prints a message for each name without a figure.  Returns STATUS_FINDING if
   there is one, else STATUS_OK. */
static enum status report_missing(const struct wish *wish, const char *target)
{
  enum status status = STATUS_OK;
  for (size_t i = 0; wish->names[i] != NULL; i++)
    if (!wish->found[i]) {
      complain("%s has no figure %s; `eventring get %s` lists all", target,
               wish->names[i], target);
      status = STATUS_FINDING;
    }
  return status;
}

/* Returns whether [wish] has names of points. */
static bool wishes_points(const struct wish *wish)
{
  for (size_t i = 0; wish->names[i] != NULL; i++)
    if (is_of_points(wish->names[i])) return true;
  return false;
}

/* Evaluates the points of the process, if it runs and [wish] has names of
   points.  Returns a status, with a message on failure. */
static enum status evaluate(const struct wish *wish, struct points *points,
                            struct eventring_cursor *cursor, int64_t wait_ns)
{
  char why[MESSAGE_SIZE];
  struct eventring_cursor *control;
  struct eventring_options options = {
    .size = sizeof options, .from_now = 1, .control = 1, .message = why,
    .message_size = sizeof why
  };
  if (!wishes_points(wish) || eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    return STATUS_OK;
  bool asked = eventring_open(eventring_path(cursor), &options, &control) == 0;
  if (asked) {
    asked = ask_points(points, control, wait_ns, why, sizeof why);
    eventring_close(control);
  }
  if (asked) return STATUS_OK;
  complain("%s", why);
  return STATUS_CANNOT_READ;
}

/* Returns all figures as a new JSON object. */
static json_t *all_figures(struct collected *collected,
                           struct eventring_cursor *cursor, json_t *failures)
{
  json_t *figures = json_summary(collected->summary);
  json_object_del(figures, "version");
  json_object_set_new(figures, "counters",
                      json_counters(collected->counters, cursor, false));
  json_object_set_new(figures, "manifest", manifest(cursor));
  json_object_set_new(figures, "schema", schema(cursor));
  json_object_set_new(figures, "points",
                      json_points(collected->points, failures));
  return figures;
}

/* Has the points of a process of a node evaluated, and printed there. */
static enum status get_remote(const struct wish *wish, int64_t wait_ns,
                              struct control_request *request)
{
  int count = 0;
  for (; wish->names[count] != NULL; count++)
    if (!is_of_points(wish->names[count]))
      usage_error(&get_command, "get: %s: at a hub, points and other figures need "
                  "two commands", wish->names[count]);
  request->wait_ms = (wait_ns + 999999) / 1000000;
  if (request->wait_ms > CONTROL_WAIT_MS)
    usage_error(&get_command, "get: --wait: at most %d s at a hub",
                CONTROL_WAIT_MS / 1000);
  return control_remote(&get_command, request, count, wish->names);
}

static enum status run(int argc, char **argv)
{
  struct wish wish = { .failures = json_object() };
  struct control_request remote = { .command = NULL };
  const char *dir = NULL;
  bool json = false;
  int64_t wait_ns = INT64_C(2000000000);
  int option;
  while ((option = next_option(&get_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_HUB: use_hub(&get_command, optarg); break;
    case OPTION_JSON: json = true; break;
    case OPTION_WAIT:
      if (!parse_duration(optarg, &wait_ns))
        usage_error(&get_command, "get: --wait=%s: not a duration (500ms, 10s)",
                    optarg);
      break;
    }
  const char *target = optind < argc ? argv[optind] : "PID";
  wish.names = argv + (optind < argc ? optind + 1 : optind);
  if (wishes_points(&wish) && is_remote(&get_command, target, dir, &remote)) {
    remote.json = json;
    return get_remote(&wish, wait_ns, &remote);
  }
  struct eventring_cursor *cursor =
    open_target(&get_command, optind < argc ? optind + 1 : argc, argv, dir,
                false);
  struct collected collected = { new_summary(cursor), new_counters(),
                                 new_points(cursor) };
  enum status status = evaluate(&wish, collected.points, cursor, wait_ns);
  enum status read = read_events(cursor, &(struct reading) {
    .changes = true, .state = &collected, .event = take_event, .pass = pass
  });
  if (status == STATUS_OK) status = read;
  json_t *figures = all_figures(&collected, cursor, wish.failures);
  wish.found = allocate((size_t) argc + 1, sizeof *wish.found);
  if (json) wish.result = json_pack("{s:i}", "version", JSON_VERSION);
  visit(&wish, "", figures);
  if (json) print_json(wish.result, false);
  if (status == STATUS_OK) status = report_missing(&wish, target);
  if (status == STATUS_OK && wish.failed) status = STATUS_FINDING;
  status = finish_output(status);

  free(wish.found);
  json_decref(figures);
  json_decref(wish.failures);
  free_summary(collected.summary);
  free_counters(collected.counters);
  free_points(collected.points);
  eventring_close(cursor);
  return status;
}

const struct command get_command = {
  .name = "get",
  .summary = "print single figures of a process, by name",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
