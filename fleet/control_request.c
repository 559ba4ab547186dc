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

/* See control_request.h. */

#include <string.h>
#include "control_request.h"
#include "explain.h"
#include "stream_name.h"

/* The time to wait for points, in milliseconds, without "wait_ms". */
#define USUAL_WAIT_MS 2000

static const struct {
  const char *name;
  bool takes_arguments;
} commands[] = {
  { "categories", false }, { "disable", true }, { "enable", true },
  { "get", true }, { "pause", false }, { "resume", false }
};

bool is_process_name(const char *process)
{
  return is_stream_name(process);
}

/* Copies the text member [name] of [object]; returns false when it is missing or
   too long. */
static bool copy_text(const json_t *object, const char *name, char *text,
                      size_t size)
{
  const char *value = json_string_value(json_object_get(object, name));
  if (value == NULL || strlen(value) >= size) return false;
  strcpy(text, value);
  return true;
}

/* Returns whether [text] has no control characters and is not too long. */
static bool is_plain(const char *text)
{
  if (*text == '\0' || strlen(text) > CONTROL_TEXT) return false;
  for (; *text != '\0'; text++)
    if ((unsigned char) *text < ' ' || *text == 127) return false;
  return true;
}

/* Takes the command and its arguments. */
static bool parse_command(const json_t *object, struct control_request *r,
                          char *why, size_t size)
{
  const char *name = json_string_value(json_object_get(object, "command"));
  const json_t *list = json_object_get(object, "arguments");
  const size_t count = json_array_size(list);
  bool takes_arguments = false;
  for (size_t i = 0; name != NULL && i < sizeof commands / sizeof *commands; i++)
    if (strcmp(name, commands[i].name) == 0) {
      r->command = commands[i].name;
      takes_arguments = commands[i].takes_arguments;
    }
  if (r->command == NULL)
    return explain(why, size, "command: expected categories, disable, enable, "
                   "get, pause or resume");
  if (takes_arguments != (count > 0) || count > CONTROL_ARGUMENTS)
    return explain(why, size, "arguments: expected %s",
                   takes_arguments ? "1 to 32 texts" : "none");
  for (size_t i = 0; i < count; i++) {
    r->arguments[i] = json_string_value(json_array_get(list, i));
    if (r->arguments[i] == NULL || !is_plain(r->arguments[i]))
      return explain(why, size, "arguments: expected texts of 1 to %d bytes "
                     "without control characters", CONTROL_TEXT);
    /* Other figures are in the recordings. */
    if (strcmp(r->command, "get") == 0
        && strncmp(r->arguments[i], "points", strlen("points")) != 0)
      return explain(why, size, "arguments: expected names of points");
  }
  return true;
}

/* Sets *number to the member [name], 0 without one.  Returns false when
   it is not a number up to [most]. */
static bool parse_count(const json_t *object, const char *name, int64_t most,
                        int64_t *number)
{
  const json_t *value = json_object_get(object, name);
  *number = json_integer_value(value);
  return (value == NULL || json_is_integer(value))
         && *number >= 0 && *number <= most;
}

bool parse_control_request(const json_t *object, struct control_request *r,
                           char *why, size_t size)
{
  *r = (struct control_request) { .command = NULL };
  if (!copy_text(object, "node", r->node, sizeof r->node)
      || !is_node_name(r->node))
    return explain(why, size, "node: expected the name of a node");
  if (!copy_text(object, "process", r->process, sizeof r->process)
      || !is_process_name(r->process))
    return explain(why, size, "process: expected a pid or the name of a stream");
  if (!parse_command(object, r, why, size)) return false;
  if (!parse_count(object, "rate", CONTROL_RATE, &r->rate))
    return explain(why, size, "rate: expected a number up to %d", CONTROL_RATE);
  if (!parse_count(object, "wait_ms", CONTROL_WAIT_MS, &r->wait_ms))
    return explain(why, size, "wait_ms: expected a number up to %d",
                   CONTROL_WAIT_MS);
  if (json_object_get(object, "wait_ms") == NULL) r->wait_ms = USUAL_WAIT_MS;
  r->json = json_is_true(json_object_get(object, "json"));
  r->quiet = json_is_true(json_object_get(object, "quiet"));
  r->names = json_is_true(json_object_get(object, "names"));
  return true;
}

json_t *json_of_control_request(const struct control_request *r)
{
  json_t *list = json_array();
  for (size_t i = 0; list != NULL && r->arguments[i] != NULL; i++)
    if (json_array_append_new(list, json_string(r->arguments[i])) < 0) {
      json_decref(list);
      list = NULL;
    }
  return list == NULL ? NULL
         : json_pack("{s:s, s:s, s:s, s:o, s:b, s:b, s:b, s:I, s:I}", "node",
                     r->node, "process", r->process, "command", r->command,
                     "arguments", list, "json", r->json, "quiet", r->quiet,
                     "names", r->names, "rate", (json_int_t) r->rate,
                     "wait_ms", (json_int_t) r->wait_ms);
}
