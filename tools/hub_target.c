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

/* See hub_target.h. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "address.h"
#include "common.h"
#include "hub_client.h"
#include "hub_target.h"
#include "parse.h"
#include "stream_name.h"

static struct hub_url option_url, variable_url;
static bool given;

/* Parses [text], from [origin], into [url]. */
static void parse_url(const struct command *command, const char *origin,
                      const char *text, struct hub_url *url)
{
  char why[512];
  if (!parse_hub_url(text, true, url, why, sizeof why))
    usage_error(command, "%s: %s: %s", command->name, origin, why);
  if (url->token[0] == '\0')
    usage_error(command, "%s: %s: %s: without the token of readers, #TOKEN",
                command->name, origin, text);
}

void use_hub(const struct command *command, const char *url)
{
  parse_url(command, "--hub", url, &option_url);
  given = true;
}

bool has_hub_option(void)
{
  return given;
}

const struct hub_url *chosen_hub(const struct command *command)
{
  const char *text = getenv("EVENTRING_HUB");
  if (given) return &option_url;
  if (text == NULL || text[0] == '\0') return NULL;
  parse_url(command, "EVENTRING_HUB", text, &variable_url);
  return &variable_url;
}

json_t *hub_processes(const struct hub_url *url)
{
  char why[512];
  json_t *json = get_from_hub(url, "/fleet/processes", why, sizeof why);
  if (json != NULL && json_is_array(json_object_get(json, "processes")))
    return json;
  complain("%s", json == NULL ? why : "an answer that is not of a hub");
  exit(STATUS_CANNOT_READ);
}

/* Returns the stream of process [pid] of [node] that got data last, which the
   caller frees.  If there is none, prints a message and ends the program. */
static char *find_stream(const struct hub_url *url, const char *node,
                         const char *pid)
{
  json_t *json = hub_processes(url), *process;
  const char *found = NULL;
  json_int_t last = -1;
  size_t i;
  json_array_foreach(json_object_get(json, "processes"), i, process) {
    const json_t *changed = json_object_get(process, "last_data_realtime_ns");
    const json_t *number = json_object_get(process, "pid");
    const char *its_node = json_string_value(json_object_get(process, "node"));
    const char *name = json_string_value(json_object_get(process, "stream"));
    if (name == NULL || !is_stream_name(name) || !json_is_integer(changed) || json_integer_value(changed) <= last
        || !json_is_integer(number) || its_node == NULL
        || strcmp(its_node, node) != 0
        || json_integer_value(number) != strtoll(pid, NULL, 10))
      continue;
    last = json_integer_value(changed);
    found = name;
  }
  if (found == NULL) {
    complain("the hub has no events of process %s of node %s; eventring ps --hub"
             " lists processes", pid, node);
    exit(STATUS_CANNOT_READ);
  }
  char *stream = strdup(found);
  if (stream == NULL) out_of_memory();
  json_decref(json);
  return stream;
}

/* Fetched recordings: the descriptor and the target of each. */
struct fetched {
  int fd;
  char *target;
};
static struct fetched *fetched;
static const struct hub_url *fetched_from;
static size_t fetched_count, fetched_room;

#define PATH_FORMAT "/proc/self/fd/%d"

const char *shown_path(struct eventring_cursor *cursor)
{
  const char *path = eventring_path(cursor);
  char opened[32];
  for (size_t i = 0; i < fetched_count; i++) {
    snprintf(opened, sizeof opened, PATH_FORMAT, fetched[i].fd);
    if (strcmp(path, opened) == 0) return fetched[i].target;
  }
  return path;
}

/* Closes the file at [path], a descriptor of a fetched recording. */
static void drop_fetched(const char *path)
{
  char opened[32];
  for (size_t i = 0; i < fetched_count; i++) {
    snprintf(opened, sizeof opened, PATH_FORMAT, fetched[i].fd);
    if (strcmp(path, opened) != 0) continue;
    close(fetched[i].fd);
    free(fetched[i].target);
    fetched[i] = fetched[--fetched_count];
    return;
  }
}

/* Gets the recording of [stream] of [node], from [since_ns] on as for
   try_hub_recording, and returns the path of a file descriptor of this process
   that stays open; NULL with the reason. */
static char *fetch(const struct hub_url *url, const char *target,
                   const char *node, const char *stream, int64_t since_ns,
                   char *why, size_t size)
{
  char path[512];
  unsigned long left_out = 0;
  int length = snprintf(path, sizeof path, "/fleet/recordings/%s/%s", node,
                        stream);
  if (since_ns > 0 && length < (int) sizeof path)
    length += snprintf(path + length, sizeof path - (size_t) length,
                       "?since=%" PRId64, since_ns);
  if (length >= (int) sizeof path) {
    snprintf(why, size, "the name of the stream is too long");
    return NULL;
  }
  int fd = get_file_from_hub(url, path, &left_out, why, size);
  if (fd < 0) return NULL;
  if (left_out > 0)
    note("%s: %lu parts cannot be read, and are left out", target, left_out);
  fetched_from = url;
  fetched = with_room(fetched, fetched_count, &fetched_room, sizeof *fetched);
  char *name = strdup(target), *opened = allocate(32, 1);
  if (name == NULL) out_of_memory();
  fetched[fetched_count++] = (struct fetched) { .fd = fd, .target = name };
  snprintf(opened, 32, PATH_FORMAT, fd);
  return opened;
}

struct eventring_cursor *try_hub_recording(const struct hub_url *url,
                                           const char *node,
                                           const char *stream,
                                           int64_t since_ns, char *why,
                                           size_t size)
{
  char target[256];
  struct eventring_options options = {
    .size = sizeof options, .changes = 1, .message = why,
    .message_size = size };
  struct eventring_cursor *cursor = NULL;
  snprintf(target, sizeof target, "%s/%s", node, stream);
  char *path = fetch(url, target, node, stream, since_ns, why, size);
  if (path != NULL && eventring_open(path, &options, &cursor) < 0)
    drop_fetched(path);
  free(path);
  return cursor;
}

struct eventring_cursor *open_hub_recording(const struct hub_url *url,
                                            const char *node,
                                            const char *stream)
{
  char why[512] = "";
  struct eventring_cursor *cursor = try_hub_recording(url, node, stream, 0,
                                                      why, sizeof why);
  if (cursor == NULL) complain("%s/%s: %s", node, stream, why);
  return cursor;
}

void close_hub_recording(struct eventring_cursor *cursor)
{
  char path[32];
  snprintf(path, sizeof path, "%s", eventring_path(cursor));
  eventring_close(cursor);
  drop_fetched(path);
}

/* Returns the node [name] with [length] bytes, as the hub lists it; NULL when it
   does not.  The hub is asked once. */
static const json_t *find_node(const char *name, size_t length)
{
  static json_t *nodes;
  char why[512];
  const json_t *node;
  size_t i;
  if (nodes == NULL)
    nodes = get_from_hub(fetched_from, "/fleet/nodes", why, sizeof why);
  json_array_foreach(json_object_get(nodes, "nodes"), i, node) {
    const char *its = json_string_value(json_object_get(node, "node"));
    if (its != NULL && strncmp(its, name, length) == 0 && its[length] == '\0')
      return node;
  }
  return NULL;
}

bool clock_at_hub(struct eventring_cursor *cursor, struct hub_clock *clock)
{
  const struct eventring_info info = target_info(cursor);
  const char *path = eventring_path(cursor), *target = shown_path(cursor);
  if (target == path) return false;
  const json_t *node = find_node(target, strcspn(target, "/")),
    *times = json_object_get(node, "clock"),
    *offset = json_object_get(times, "offset_ns"),
    *bound = json_object_get(times, "bound_ns"),
    *namespace = json_object_get(node, "time_namespace");
  const char *boot = json_string_value(json_object_get(node, "boot_id"));
  if (boot == NULL || strcmp(boot, info.boot_id) != 0
      || !json_is_integer(offset) || !json_is_integer(bound)
      || (json_is_integer(namespace) && info.time_namespace != 0
          && (uint64_t) json_integer_value(namespace) != info.time_namespace))
    return false;
  *clock = (struct hub_clock) { json_integer_value(offset),
                                json_integer_value(bound) };
  return true;
}

bool is_hub_node(const struct command *command, const char *operand)
{
  const char *slash = strchr(operand, '/');
  return slash != NULL && slash > operand && slash[1] == '\0'
    && (given || access(operand, F_OK) != 0) && chosen_hub(command) != NULL;
}

bool parse_hub_target(const struct command *command, const char *target,
                      char node[HUB_NODE_SIZE],
                      char process[HUB_PROCESS_SIZE])
{
  static const char safe[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const char *slash = strchr(target, '/');
  const char *rest = slash != NULL ? slash + 1 : "";
  if (!given && (slash == NULL || access(target, F_OK) == 0
                 || is_stream(target)))
    return false;
  if (chosen_hub(command) == NULL) return false;
  const size_t length = strspn(target, safe);
  if (slash == NULL || target + length != slash || length == 0
      || length >= HUB_NODE_SIZE || rest[0] == '\0'
      || rest[strspn(rest, safe)] != '\0' || strlen(rest) >= HUB_PROCESS_SIZE)
    usage_error(command, "%s: %s: at a hub, a process is NODE/PID or "
                "NODE/STREAM", command->name, target);
  memcpy(node, target, length);
  node[length] = '\0';
  strcpy(process, rest);
  return true;
}

char *fetch_hub_target(const struct command *command, const char *target)
{
  char node[HUB_NODE_SIZE], process[HUB_PROCESS_SIZE], why[512];
  if (!parse_hub_target(command, target, node, process)) return NULL;
  const struct hub_url *url = chosen_hub(command);
  char *stream = is_number(process) ? find_stream(url, node, process) : NULL;
  char *path = fetch(url, target, node, stream != NULL ? stream : process, 0, why,
                     sizeof why);
  if (path == NULL) {
    complain("%s", why);
    exit(STATUS_CANNOT_READ);
  }
  free(stream);
  return path;
}
