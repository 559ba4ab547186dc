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

/* See top_hub.h. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "address.h"
#include "follow.h"
#include "hub_client.h"
#include "hub_streams.h"
#include "hub_target.h"
#include "live_stats.h"
#include "memory.h"
#include "parse.h"
#include "target.h"
#include "top_hub.h"

#define SHORTEST_NS (2 * SECOND_NS)

/* Events of this time are shown. */
#define SHOWN_NS (70 * SECOND_NS)

/* The least time between two recordings, in times that one takes. */
#define REST 5

struct top_hub {
  const struct hub_url *url;
  char *target;                   /* NODE/PID or NODE/STREAM */
  int64_t bytes, parts;           /* of the recording that was got last */
  int64_t next_ns;                /* when to ask again */
};

bool is_top_hub(const struct command *command, const char *operand)
{
  if (operand == NULL || has_hub_option()) return has_hub_option();
  return strchr(operand, '/') != NULL && !is_stream(operand)
         && access(operand, F_OK) != 0 && chosen_hub(command) != NULL;
}

/* Returns whether [stream] is the process [target]. */
static bool is_target(const struct hub_stream *stream, const char *target)
{
  const size_t length = strlen(stream->node);
  const char *rest = target + length + 1;
  if (strncmp(target, stream->node, length) != 0 || target[length] != '/')
    return false;
  return strcmp(rest, stream->stream) == 0
         || (is_number(rest) && strtoll(rest, NULL, 10) == stream->pid);
}

/* Returns the stream of the process, the one that got data last; NULL when the hub
   has none. */
static const struct hub_stream *find(const struct top_hub *h,
                                     const struct hub_streams *streams)
{
  const struct hub_stream *found = NULL;
  for (size_t i = 0; i < streams->count; i++) {
    const struct hub_stream *s = &streams->list[i];
    if (s->bytes > 0 && is_target(s, h->target)
        && (found == NULL || s->last_data_ns > found->last_data_ns))
      found = s;
  }
  return found;
}

/* Sets the target to the only process that runs.  If none runs, or several do,
   ends the program with a message. */
static void choose(const struct command *command, struct top_hub *h,
                   const struct hub_streams *streams)
{
  const struct hub_stream *only = NULL;
  int running = 0;
  for (size_t i = 0; i < streams->count; i++)
    if (strcmp(streams->list[i].state, "running") == 0
        && streams->list[i].bytes > 0) {
      only = &streams->list[i];
      running++;
    }
  if (running != 1)
    usage_error(command, "%s: missing process (eventring ps --hub lists them): %s",
                command->name, running == 0 ? "none is running"
                                            : "several are running");
  const size_t size = strlen(only->node) + strlen(only->stream) + 2;
  h->target = allocate(size, 1);
  snprintf(h->target, size, "%s/%s", only->node, only->stream);
}

struct top_hub *new_top_hub(const struct command *command, const char *operand)
{
  struct top_hub *h = allocate(1, sizeof *h);
  struct hub_streams streams;
  char why[512];
  h->url = chosen_hub(command);
  if (!get_hub_streams(h->url, NULL, 0, &streams, why, sizeof why)) {
    complain("%s", why);
    exit(STATUS_CANNOT_READ);
  }
  if (operand == NULL)
    choose(command, h, &streams);
  else
    h->target = strcpy(allocate(strlen(operand) + 1, 1), operand);
  if (find(h, &streams) == NULL) {
    complain("the hub has no events of process %s; eventring ps --hub lists "
             "processes", h->target);
    exit(STATUS_CANNOT_READ);
  }
  free_hub_streams(&streams);
  return h;
}

void free_top_hub(struct top_hub *h)
{
  if (h == NULL) return;
  free(h->target);
  free(h);
}

/* Returns whether the user wants something while the hub does not answer. */
static bool is_called(void)
{
  struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
  return interrupted_by() != 0 || poll(&keys, 1, 0) > 0;
}

/* Returns the recording of the process if it has grown; NULL, with the reason in
   [why] if there is one. */
static struct eventring_cursor *get_grown(struct top_hub *h, char *why,
                                          size_t size)
{
  struct eventring_cursor *cursor = NULL;
  struct hub_streams streams;
  if (!get_hub_streams(h->url, NULL, 0, &streams, why, size)) return NULL;
  const struct hub_stream *s = find(h, &streams);
  if (s == NULL)
    snprintf(why, size, "the hub has no events of %s any more", h->target);
  else if (s->bytes != h->bytes || s->parts != h->parts) {
    const json_int_t now_ns = json_integer_value(
      json_object_get(streams.answer, "realtime_ns"));
    cursor = try_hub_recording(h->url, s->node, s->stream,
                               now_ns > SHOWN_NS ? now_ns - SHOWN_NS : 0, why,
                               size);
    if (cursor != NULL) {
      h->bytes = s->bytes;
      h->parts = s->parts;
    }
  }
  free_hub_streams(&streams);
  return cursor;
}

struct eventring_cursor *next_of_hub(struct top_hub *h, char *why, size_t size)
{
  const int64_t began = monotonic_ns();
  why[0] = '\0';
  if (began < h->next_ns) return NULL;
  /* The first request is made before keys count. */
  if (h->bytes > 0) end_hub_requests_when(is_called);
  struct eventring_cursor *cursor = get_grown(h, why, size);
  end_hub_requests_when(NULL);
  if (cursor == NULL && h->bytes > 0 && is_called()) why[0] = '\0';
  const int64_t now = monotonic_ns(), next_ns = now + REST * (now - began);
  h->next_ns = began + SHORTEST_NS;
  /* After a failure as well: keys have their time. */
  if (h->next_ns < now + SECOND_NS) h->next_ns = now + SECOND_NS;
  if (cursor != NULL && h->next_ns < next_ns) h->next_ns = next_ns;
  return cursor;
}
