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

/* See hub_streams.h. */

#include <stdlib.h>
#include <string.h>
#include "explain.h"
#include "hub_client.h"
#include "hub_streams.h"
#include "memory.h"

static int64_t number_of(const json_t *process, const char *name)
{
  const json_t *number = json_object_get(process, name);
  return json_is_integer(number) ? json_integer_value(number) : -1;
}

static const char *text_of(const json_t *process, const char *name)
{
  const char *text = json_string_value(json_object_get(process, name));
  return text != NULL ? text : "";
}

/* Returns whether [name] is a name of a node or stream, of at most [length]
   bytes. */
static bool is_name(const char *name, size_t length)
{
  static const char safe[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const size_t size = strlen(name);
  return size > 0 && size <= length && name[0] != '.'
         && strspn(name, safe) == size;
}

bool is_wanted_node(const char *node, char *const *nodes, size_t count)
{
  const size_t length = strlen(node);
  if (!is_name(node, 64)) return false;
  for (size_t i = 0; i < count; i++)
    if (strncmp(nodes[i], node, length) == 0
        && strcmp(nodes[i] + length, "/") == 0)
      return true;
  return count == 0;
}

/* Returns whether the list [all] has the node [name], which has a slash at its
   end. */
static bool has_node(const json_t *all, char *name)
{
  json_t *node;
  size_t i;
  json_array_foreach(all, i, node) {
    if (is_wanted_node(text_of(node, "node"), &name, 1)) return true;
  }
  return false;
}

json_t *get_hub_nodes(const struct hub_url *url, char *const *nodes,
                      size_t count, char *why, size_t size)
{
  json_t *answer = get_from_hub(url, "/fleet/nodes", why, size);
  if (answer == NULL) return NULL;
  for (size_t i = 0; i < count; i++)
    if (!has_node(json_object_get(answer, "nodes"), nodes[i])) {
      explain(why, size, "the hub has no node %.*s; eventring ps --hub lists "
              "processes", (int) strlen(nodes[i]) - 1, nodes[i]);
      json_decref(answer);
      return NULL;
    }
  return answer;
}

/* Compares two streams for qsort: by node, pid and stream. */
static int in_order(const void *left, const void *right)
{
  const struct hub_stream *a = left, *b = right;
  int order = strcmp(a->node, b->node);
  if (order == 0) order = (a->pid > b->pid) - (a->pid < b->pid);
  return order != 0 ? order : strcmp(a->stream, b->stream);
}

bool get_hub_streams(const struct hub_url *url, char *const *nodes,
                     size_t count, struct hub_streams *streams, char *why,
                     size_t size)
{
  size_t i, room = 0;
  json_t *process;
  *streams = (struct hub_streams) {
    .answer = get_from_hub(url, "/fleet/processes", why, size) };
  if (streams->answer == NULL) return false;
  const json_t *all = json_object_get(streams->answer, "processes");
  if (!json_is_array(all)) {
    free_hub_streams(streams);
    return explain(why, size, "an answer that is not of a hub");
  }
  json_array_foreach(all, i, process) {
    const struct hub_stream stream = {
      .node = text_of(process, "node"), .stream = text_of(process, "stream"),
      .state = text_of(process, "state"),
      .program = text_of(process, "program"), .pid = number_of(process, "pid"),
      .events = number_of(process, "events"),
      .lost = number_of(process, "lost"),
      .parts_dropped = number_of(process, "parts_dropped"),
      .parts = number_of(process, "parts"),
      .bytes = number_of(process, "bytes"),
      .last_data_ns = number_of(process, "last_data_realtime_ns")
    };
    if (!is_name(stream.stream, 128)
        || !is_wanted_node(stream.node, nodes, count))
      continue;
    streams->list = with_room(streams->list, streams->count, &room,
                              sizeof *streams->list);
    streams->list[streams->count++] = stream;
  }
  if (streams->count > 0)
    qsort(streams->list, streams->count, sizeof *streams->list, in_order);
  return true;
}

void free_hub_streams(struct hub_streams *streams)
{
  json_decref(streams->answer);
  free(streams->list);
  *streams = (struct hub_streams) { .answer = NULL };
}
