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

/* See fleet.h. */

#define _GNU_SOURCE               /* dup3 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "actions.h"
#include "fleet.h"
#include "fleet_comparison.h"
#include "fleet_readings.h"
#include "hub_client.h"
#include "live_json.h"
#include "locks.h"
#include "memory.h"
#include "registry.h"
#include "target.h"
#include "unnamed_file.h"

/* The longest names of nodes and streams, with the 0. */
#define NODE_SIZE 65
#define STREAM_SIZE 129

/* A recording that was got.  Another one takes its place under the same
   descriptor, so that its path, /proc/self/fd/FD, always means one of them. */
struct got {
  char node[NODE_SIZE], stream[STREAM_SIZE];
  int fd;
  int64_t used_ns;                /* 0: nothing is here */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct got kept[REGISTRY_SHOWN] GUARDED_BY(lock);

static struct answer no_hub(void)
{
  return refusal(404, "the server shows no hub: start it with --hub");
}

struct answer answer_fleet(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  char why[512];
  json_t *nodes, *processes;
  if (settings->hub == NULL) return no_hub();
  nodes = get_from_hub(settings->hub, "/fleet/nodes", why, sizeof why);
  processes = nodes == NULL ? NULL : get_from_hub(settings->hub,
                                                  "/fleet/processes", why,
                                                  sizeof why);
  if (processes == NULL) {
    json_decref(nodes);
    return refusal(502, "%s", why);
  }
  json_object_update_missing(processes, nodes);
  json_decref(nodes);
  return (struct answer) { .status = 200, .json = processes };
}

/* Returns the name of the program at [path], without folders. */
static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

struct answer compare_fleet(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  struct fleet_readings readings;
  char why[512];
  size_t count = 0;
  if (settings->hub == NULL) return no_hub();
  if (!hold_readings(settings->hub, &readings, why, sizeof why))
    return refusal(502, "%s", why);
  struct fleet_process *list = allocate(readings.count, sizeof *list);
  struct process_figures *figures = allocate(readings.count, sizeof *figures);
  for (size_t i = 0; i < readings.count; i++) {
    const struct fleet_reading *r = &readings.list[i];
    if (r->figures == NULL) continue;
    figures[count] = *r->figures;
    if (r->stream->events >= 0 && r->stream->lost >= 0) {
      figures[count].events = (uint64_t) r->stream->events;
      figures[count].lost = (uint64_t) r->stream->lost;
    }
    list[count] = (struct fleet_process) {
      r->stream->node, name_of(r->stream->program), &figures[count], r->facts };
    count++;
  }
  json_t *programs = compare_nodes(list, count);
  json_t *json = json_pack(
    "{s:I, s:I, s:I, s:o, s:o}", "processes", (json_int_t) readings.count,
    "unread", (json_int_t) readings.unread, "old", (json_int_t) readings.old,
    "programs", programs, "versions", compare_versions(list, count));
  free(figures);
  free(list);
  release_readings(&readings);
  return (struct answer) { .status = 200, .json = json };
}

/* Copies the member [name] of [request], a name of a node or stream, to [out].
   Returns false when it is no such name. */
static bool take_name(const json_t *request, const char *name, char *out,
                      size_t size)
{
  static const char safe[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const char *text = json_string_value(json_object_get(request, name));
  if (text == NULL || text[0] == '\0' || text[0] == '.'
      || strlen(text) >= size || text[strspn(text, safe)] != '\0')
    return false;
  strcpy(out, text);
  return true;
}

/* Keeps the recording open as [new->fd], which belongs to this function now,
   in place of the same stream's, or of the one that was asked for first.  Returns
   its descriptor, or -1 with errno.  The caller holds the lock. */
REQUIRES(lock)
static int keep(const struct got *new)
{
  struct got *place = &kept[0];
  int fd = new->fd;
  for (size_t i = 0; i < REGISTRY_SHOWN; i++) {
    if (kept[i].used_ns < place->used_ns) place = &kept[i];
    if (kept[i].used_ns > 0 && strcmp(kept[i].node, new->node) == 0
        && strcmp(kept[i].stream, new->stream) == 0) {
      place = &kept[i];
      break;
    }
  }
  if (place->used_ns > 0) {
    fd = dup3(new->fd, place->fd, O_CLOEXEC);
    close(new->fd);
  }
  if (fd >= 0) {
    *place = *new;
    place->fd = fd;
  }
  return fd;
}

/* Shows the recording open as [fd].  Returns its id, or 0 with the reason. */
static uint64_t show(int fd, char *why, size_t size)
{
  char path[DESCRIPTOR_PATH];
  descriptor_path(fd, path);
  return show_recording(path, why, size);
}

struct answer open_from_fleet(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  struct got got = { .used_ns = monotonic_ns() };
  char path[sizeof "/fleet/recordings/" + NODE_SIZE + STREAM_SIZE], why[512];
  unsigned long left_out = 0;
  uint64_t id;
  int fd;
  if (settings->hub == NULL) return no_hub();
  if (!take_name(asked->body, "node", got.node, sizeof got.node)
      || !take_name(asked->body, "stream", got.stream, sizeof got.stream))
    return refusal(400, "node and stream: as /api/fleet lists them");
  snprintf(path, sizeof path, "/fleet/recordings/%s/%s", got.node, got.stream);
  got.fd = get_file_from_hub(settings->hub, path, &left_out, why, sizeof why);
  if (got.fd < 0) return refusal(502, "%s", why);
  /* Until it is shown, no other one may take its descriptor. */
  pthread_mutex_lock(&lock);
  fd = keep(&got);
  snprintf(why, sizeof why, "%s", fd < 0 ? strerror(errno) : "");
  id = fd < 0 ? 0 : show(fd, why, sizeof why);
  pthread_mutex_unlock(&lock);
  if (id == 0) return refusal(502, "%s", why);
  add_action(asked->origin, id, "open", path);
  return (struct answer) {
    .status = 200, .json = json_pack("{s:o, s:I}", "id", json_id(id),
                                     "parts_left_out", (json_int_t) left_out)
  };
}
