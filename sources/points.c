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

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "event_reader.h"
#include "json.h"
#include "memory.h"
#include "points.h"
#include "target.h"
#include "text.h"

/* Times of events and of our clock may differ by less. */
#define SLACK_NS 1000000

/* How often the process is looked at. */
#define POLL_NS 200000

struct points {
  struct eventring_cursor *cursor;
  int64_t since_ns;               /* values from this time on */
  char *text[UINT16_MAX + 1];     /* by id; NULL: none */
};

struct points *new_points(struct eventring_cursor *cursor)
{
  struct points *points = allocate(1, sizeof *points);
  points->cursor = cursor;
  points->since_ns = INT64_MIN;
  return points;
}

void free_points(struct points *points)
{
  for (size_t id = 0; id <= UINT16_MAX; id++) free(points->text[id]);
  free(points);
}

/* Returns the description of [event] if it is one of a point, else NULL. */
static const struct eventring_description *
point_of(struct eventring_cursor *cursor, const struct eventring_event *event)
{
  if (event->form != EVENTRING_EV_INSTANT) return NULL;
  const struct eventring_description *d = eventring_describe(cursor, event->id);
  if (d == NULL || d->payload != EVENTRING_PAYLOAD_TEXT) return NULL;
  const char *category = eventring_category(cursor, d->category);
  return category != NULL && strcmp(category, "points") == 0 ? d : NULL;
}

void points_event(struct points *points, const struct eventring_event *event)
{
  size_t length;
  if (event->ns < points->since_ns
      || point_of(points->cursor, event) == NULL) return;
  const char *bytes = eventring_event_bytes(event, &length);
  if (bytes == NULL) return;
  free(points->text[event->id]);
  points->text[event->id] = strndup(bytes, length);
  if (points->text[event->id] == NULL) out_of_memory();
}

/* Returns the rest of [text] after [type] and a space, or NULL if it does not
   begin so. */
static const char *value_of(const char *text, const char *type)
{
  size_t length = strlen(type);
  return strncmp(text, type, length) == 0 && text[length] == ' '
         ? text + length + 1 : NULL;
}

/* Returns the value in the text of a point, doc/FORMAT.md, as new JSON. */
static json_t *json_point(const char *text)
{
  const char *value;
  if ((value = value_of(text, "int")) != NULL)
    return json_integer(strtoll(value, NULL, 10));
  if ((value = value_of(text, "float")) != NULL) {
    double x = strtod(value, NULL);
    return isfinite(x) ? json_real(x) : json_text(value);
  }
  value = value_of(text, "text");
  return json_text(value != NULL ? value : text);
}

json_t *json_points(const struct points *points, json_t *failures)
{
  json_t *object = json_object();
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const char *text = points->text[id];
    if (text == NULL) continue;
    const char *name = eventring_describe(points->cursor, id)->name;
    const char *failure = value_of(text, "failed");
    if (failure != NULL) json_add_named(failures, name, json_text(failure));
    json_add_named(object, name, failure != NULL ? json_null() : json_point(text));
  }
  return object;
}

/* Returns the type of the value in the text of a point; NULL: an unknown one. */
static const char *type_of(const char *text)
{
  static const char *const types[] = { "int", "float", "text", "failed" };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (value_of(text, types[i]) != NULL) return types[i];
  return NULL;
}

json_t *json_point_list(const struct points *points)
{
  json_t *list = json_array();
  for (uint32_t id = 0; id <= UINT16_MAX; id++) {
    const char *text = points->text[id];
    if (text == NULL) continue;
    const char *failure = value_of(text, "failed");
    json_array_append_new(list, json_pack(
      "{s:o, s:s?, s:o}",
      "name", json_text(eventring_describe(points->cursor, id)->name),
      "type", type_of(text),
      "value", failure != NULL ? json_text(failure) : json_point(text)));
  }
  return list;
}

/* Asking */

/* A request. */
struct asking {
  struct points *points;
  struct eventring_cursor *cursor;
  bool found;                     /* the end of its evaluation */
  bool lost;                      /* events that were not read, of it perhaps */
};

/* Takes the next event of the cursor. */
static void take(struct asking *asking, const struct eventring_event *event)
{
  if (event->form == EVENTRING_EV_LOST) asking->lost = true;
  points_event(asking->points, event);
  if (event->form != EVENTRING_EV_INSTANT || event->words == 0) return;
  const struct eventring_description *d =
    eventring_describe(asking->cursor, event->id);
  if (d != NULL && d->kind == EVENTRING_KIND_COMPLETE
      && strcmp(d->name, "points_evaluated") == 0
      && event->ns - (int64_t) event->payload[0] >= asking->points->since_ns)
    asking->found = true;
}

/* Reads the events of the cursor up to the present, to the end of the evaluation or
   to the time [until_ns]: an endless loop otherwise, with a program that writes
   faster. */
static void read_answer(struct asking *asking, int64_t until_ns)
{
  struct event_reader reader;
  const struct eventring_event *event;
  asking->found = asking->lost = false;
  read_new_events(&reader, asking->cursor, until_ns);
  while (!asking->found && (event = next_event(&reader)) != NULL)
    take(asking, event);
}

/* Returns the mask of the category of points of [cursor]. */
static uint32_t points_mask(struct eventring_cursor *cursor)
{
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if (name != NULL && strcmp(name, "points") == 0) return UINT32_C(1) << bit;
  }
  return 0;
}

/* Writes to [why] that the points were not evaluated, and withdraws the request
   unless [by_other]: it is another program's. */
static void give_up(struct eventring_cursor *cursor, int64_t wait_ns, bool by_other,
                    char *why, size_t why_size)
{
  char time[QUANTITY_SIZE];
  struct eventring_info info = target_info(cursor);
  bool waits = (info.active & points_mask(cursor)) != 0;
  if (waits && !by_other) eventring_withdraw_points(cursor);
  format_duration(time, (uint64_t) wait_ns);
  if (target_is_cut(cursor))
    snprintf(why, why_size, "%s: cut shorter while it was read", eventring_path(cursor));
  else if (eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    snprintf(why, why_size, "the tracing of process %" PRIi32 " has ended", info.pid);
  else if (waits)
    snprintf(why, why_size, "process %" PRIi32 " has reached no safe point within %s",
             info.pid, time);
  else
    snprintf(why, why_size, "process %" PRIi32 " has not finished the evaluation of its "
             "points within %s", info.pid, time);
}

/* Writes to [why] why points cannot be asked for, as [error] says. */
static void refuse(struct eventring_cursor *cursor, int error, char *why, size_t why_size)
{
  struct eventring_info info = target_info(cursor);
  if (error == EVENTRING_E_VERSION)
    snprintf(why, why_size, "process %" PRIi32 " has no points: its Eventring is older",
             info.pid);
  else if (eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    snprintf(why, why_size, "the tracing of process %" PRIi32 " has ended", info.pid);
  else if (error == EVENTRING_E_ARGUMENT && info.active == 0)
    snprintf(why, why_size, "process %" PRIi32 " is paused; to resume: eventring resume "
             "%" PRIi32, info.pid, info.pid);
  else
    snprintf(why, why_size, "%s: %s", eventring_path(cursor), eventring_strerror(error));
}

/* Waits for the answer to the request, until [until_ns].  Asks once more when
   the answer may be among events that were overwritten before they were read.
   Returns whether there is an answer. */
static bool await_answer(struct asking *asking, int64_t until_ns)
{
  struct eventring_cursor *cursor = asking->cursor;
  while (monotonic_ns() < until_ns
         && eventring_state(cursor) == EVENTRING_STATE_RUNNING) {
    bool waits = (target_info(cursor).active & points_mask(cursor)) != 0;
    read_answer(asking, until_ns);
    if (asking->found) return true;
    if (asking->lost && !waits && eventring_ask_points(cursor) < 0)
      return false;
    nanosleep(&(struct timespec) { .tv_nsec = POLL_NS }, NULL);
  }
  return false;
}

bool ask_points(struct points *points, struct eventring_cursor *cursor, int64_t wait_ns,
                char *why, size_t why_size)
{
  const int64_t begin_ns = monotonic_ns();
  if (target_info(cursor).same_boot) points->since_ns = begin_ns - SLACK_NS;
  const int error = eventring_ask_points(cursor);
  eventring_interrupt(cursor);  /* a loop sees it at once, if we may */
  struct asking asking = { .points = points, .cursor = cursor };
  if (error < 0) {
    refuse(cursor, error, why, why_size);
    return false;
  }
  if (await_answer(&asking, begin_ns + wait_ns)) return true;
  give_up(cursor, wait_ns, error == 1, why, why_size);
  return false;
}
