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

/* See hub_list.h. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "columns.h"
#include "hub_list.h"
#include "hub_target.h"
#include "json.h"
#include "memory.h"
#include "text.h"

enum column { NODE, PID, STATE, PROGRAM, EVENTS, LOST, AGE, STREAM, COLUMNS };

static void set_text(struct columns *table, int column, const json_t *process,
                     const char *name)
{
  const char *text = json_string_value(json_object_get(process, name));
  if (text != NULL) set_column(table, column, "%s", text);
}

static void set_number(struct columns *table, int column,
                       const json_t *process, const char *name)
{
  const json_t *number = json_object_get(process, name);
  if (json_is_integer(number))
    set_column(table, column, "%" JSON_INTEGER_FORMAT,
               json_integer_value(number));
}

static void add_process(struct columns *table, const json_t *process,
                        json_int_t now)
{
  const json_t *last = json_object_get(process, "last_data_realtime_ns");
  char age[QUANTITY_SIZE];
  add_line(table);
  set_text(table, NODE, process, "node");
  set_number(table, PID, process, "pid");
  set_text(table, STATE, process, "state");
  set_text(table, PROGRAM, process, "program");
  set_number(table, EVENTS, process, "events");
  set_number(table, LOST, process, "lost");
  if (json_is_integer(last))
    set_column(table, AGE, "%s",
               format_elapsed(age, now - json_integer_value(last)));
  set_text(table, STREAM, process, "stream");
}

/* Returns the text member [name] of [process]; "" when there is none. */
static const char *text_of(const json_t *process, const char *name)
{
  const char *text = json_string_value(json_object_get(process, name));
  return text != NULL ? text : "";
}

/* Compares two processes for qsort: by node, pid and stream. */
static int in_order(const void *left, const void *right)
{
  const json_t *a = *(json_t *const *) left, *b = *(json_t *const *) right;
  json_int_t x = json_integer_value(json_object_get(a, "pid"));
  json_int_t y = json_integer_value(json_object_get(b, "pid"));
  int order = strcmp(text_of(a, "node"), text_of(b, "node"));
  if (order == 0) order = (x > y) - (x < y);
  return order != 0 ? order : strcmp(text_of(a, "stream"),
                                     text_of(b, "stream"));
}

static void print_table(const json_t *processes, json_int_t now)
{
  static const char *const titles[COLUMNS] = {
    "node", "pid", "state", "program", "events", "lost", "last data", "stream"
  };
  const size_t count = json_array_size(processes);
  json_t **sorted = allocate(count, sizeof(json_t *));
  struct columns *table = new_columns(titles, COLUMNS);
  for (size_t i = 0; i < count; i++) sorted[i] = json_array_get(processes, i);
  if (count > 0) qsort(sorted, count, sizeof(json_t *), in_order);
  for (size_t i = 0; i < count; i++) add_process(table, sorted[i], now);
  print_lines(table);
  free(sorted);
}

void list_hub(const struct hub_url *url, bool json)
{
  json_t *answer = hub_processes(url);
  const json_t *processes = json_object_get(answer, "processes");
  const json_int_t now =
    json_integer_value(json_object_get(answer, "realtime_ns"));
  if (json) {
    print_json(answer, false);
    return;
  }
  if (json_array_size(processes) > 0) print_table(processes, now);
  json_decref(answer);
}
