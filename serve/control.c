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

#include <stdio.h>
#include <string.h>
#include "actions.h"
#include "category.h"
#include "control.h"
#include "json.h"
#include "points.h"
#include "target.h"

/* The most samples a second that a process is asked for, as in `eventring
   enable`. */
#define MAX_RATE 20000

/* The most words between two samples of allocated words, as in `eventring
   enable`. */
#define MAX_ALLOC_PERIOD INT64_C(1000000000000)

/* How long a process is waited for that is asked for its points, and at most. */
#define USUAL_WAIT_MS 2000
#define MOST_WAIT_MS 10000

/* A change of a process. */
struct change {
  struct view *view;
  const json_t *request;
  const char *action;
  uint32_t added, before;         /* categories, and those that were recorded... */
  json_int_t seconds;             /* ...added for so long */
  char what[256];                 /* the change in words, for the list */
  unsigned status;
  char why[512];
  json_t *result;
};

__attribute__((format(printf, 3, 4)))
static void fail(struct change *c, unsigned status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->why, sizeof c->why, format, arguments);
  va_end(arguments);
  c->status = status;
}

/* Returns the integer [member] of the request, from 1 to [max]; 0, with the
   reason in [c], when there is no such integer. */
static json_int_t positive(struct change *c, const char *member, json_int_t max)
{
  const json_t *value = json_object_get(c->request, member);
  json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;
  if (number >= 1 && number <= max) return number;
  fail(c, 400, "%s: an integer from 1 to %" JSON_INTEGER_FORMAT, member, max);
  return 0;
}

/* Sets *mask to the categories of the request.  Returns false, with the reason
   in [c], when they are wrong. */
static bool wanted_mask(struct change *c, struct eventring_cursor *cursor,
                        uint32_t *mask)
{
  const json_t *list = json_object_get(c->request, "categories");
  *mask = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *name = json_string_value(json_array_get(list, i));
    char why[sizeof c->why];
    uint32_t more;
    if (name == NULL) {
      fail(c, 400, "categories: an array of names");
      return false;
    }
    size_t used = strlen(c->what);
    snprintf(c->what + used, sizeof c->what - used, " %s", name);
    if (!parse_categories(cursor, name, &more, why, sizeof why)) {
      /* Without the path by which the file was opened again. */
      const char *colon = strstr(why, ": ");
      fail(c, 400, "%s", colon != NULL ? colon + 2 : why);
      return false;
    }
    *mask |= more;
  }
  if (*mask == 0)
    fail(c, 400, "categories: at least one; to record nothing: pause");
  return *mask != 0;
}

/* Adds categories for some time. */
static int add_categories(struct change *c, struct eventring_cursor *cursor)
{
  uint32_t mask;
  c->seconds = positive(c, "seconds", 3600);
  if (c->seconds == 0 || !wanted_mask(c, cursor, &mask)) return 0;
  size_t used = strlen(c->what);
  snprintf(c->what + used, sizeof c->what - used, " for %" JSON_INTEGER_FORMAT " s",
           c->seconds);
  c->added = mask;
  c->before = recorded_categories(cursor);
  return eventring_set_categories(cursor, c->before | mask);
}

/* Applies the action to [cursor].  Returns 0 or the error of libeventring; 0,
   with the reason in [c], for a wrong request. */
static int apply(struct change *c, struct eventring_cursor *cursor)
{
  uint32_t mask;
  json_int_t number;
  size_t used = strlen(c->what);
  if (strcmp(c->action, "pause") == 0) return eventring_pause(cursor);
  if (strcmp(c->action, "resume") == 0) {
    if (recorded_categories(cursor) == 0)
      fail(c, 400, "no category to resume");
    return c->status != 0 ? 0 : eventring_resume(cursor);
  }
  if (strcmp(c->action, "categories") == 0)
    return wanted_mask(c, cursor, &mask)
           ? eventring_set_categories(cursor, mask) : 0;
  if (strcmp(c->action, "add") == 0) return add_categories(c, cursor);
  if (strcmp(c->action, "threshold") == 0) {
    number = positive(c, "threshold_ns", INT64_C(3600) * 1000000000);
    snprintf(c->what + used, sizeof c->what - used,
             " %" JSON_INTEGER_FORMAT " ns", number);
    return number > 0 ? eventring_set_threshold(cursor, (uint64_t) number) : 0;
  }
  if (strcmp(c->action, "profile_rate") == 0) {
    number = positive(c, "rate_hz", MAX_RATE);
    snprintf(c->what + used, sizeof c->what - used,
             " %" JSON_INTEGER_FORMAT " a second", number);
    return number > 0
           ? eventring_set_sample_period(cursor, 1000000000u
                                                 / (uint64_t) number) : 0;
  }
  if (strcmp(c->action, "alloc_rate") == 0) {
    number = positive(c, "words", MAX_ALLOC_PERIOD);
    snprintf(c->what + used, sizeof c->what - used,
             " 1 in %" JSON_INTEGER_FORMAT " words", number);
    return number > 0
           ? eventring_set_alloc_period(cursor, (uint64_t) number) : 0;
  }
  fail(c, 400, "action: pause, resume, categories, add, threshold, profile_rate or "
       "alloc_rate");
  return 0;
}

static void change(struct change *c)
{
  struct eventring_cursor *cursor = view_open(c->view, true, c->why,
                                              sizeof c->why);
  if (cursor == NULL) {
    c->status = 409;
    return;
  }
  if (eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    fail(c, 409, "the process has ended");
  else {
    int error = apply(c, cursor);
    if (error < 0) fail(c, 409, "%s", eventring_strerror(error));
    /* A loop sees it at once, if we may do that. */
    else eventring_interrupt(cursor);
  }
  if (c->status == 0) {
    c->result = json_control(cursor);
    json_object_set_new(c->result, "path", json_text(view_path(c->view)));
  }
  if (!view_close(c->view, cursor)) fail(c, 503, VIEW_CUT);
}

/* Notes how long the categories that were added are recorded, but for those that were
   before, or, since the user has chosen others, that none are to be taken back. */
static void note_added(struct view_data *data, void *state)
{
  const struct change *c = state;
  const int64_t until_ns = monotonic_ns() + c->seconds * SECOND_NS;
  if (strcmp(c->action, "categories") == 0)
    memset(data->added_until_ns, 0, sizeof data->added_until_ns);
  for (int i = 0; i < 32; i++) {
    int64_t *until = &data->added_until_ns[i];
    const bool ours = (c->before >> i & 1) == 0 || *until != 0;
    if ((c->added >> i & 1) != 0 && ours && *until < until_ns) *until = until_ns;
  }
}

/* Categories whose time is over. */
struct over {
  bool now;                       /* that of all is */
  uint32_t mask;
};

static void find_over(struct view_data *data, void *state)
{
  struct over *o = state;
  const int64_t now_ns = monotonic_ns();
  for (int i = 0; i < 32; i++)
    if (data->added_until_ns[i] != 0 && (o->now || now_ns >= data->added_until_ns[i]))
      o->mask |= UINT32_C(1) << i;
}

static void forget_over(struct view_data *data, void *state)
{
  const struct over *o = state;
  for (int i = 0; i < 32; i++)
    if ((o->mask >> i & 1) != 0) data->added_until_ns[i] = 0;
}

void end_added_categories(struct view *view, bool now)
{
  struct over o = { .now = now };
  char why[512];
  if (!view_look(view, find_over, &o) || o.mask == 0) return;
  struct eventring_cursor *cursor = view_open(view, true, why, sizeof why);
  /* Tried again. */
  if (cursor == NULL) return;
  const int error =
    eventring_set_categories(cursor, recorded_categories(cursor) & ~o.mask);
  view_look(view, forget_over, &o);
  add_action("server", view_id(view), "added categories end",
             error >= 0 ? "ok" : eventring_strerror(error));
  view_close(view, cursor);
}

struct answer control_view(const struct asked *asked)
{
  const char *action =
    json_string_value(json_object_get(asked->body, "action"));
  struct change c = { .view = asked->view, .request = asked->body,
                      .action = action != NULL ? action : "" };
  snprintf(c.what, sizeof c.what, "%s", c.action);
  change(&c);
  if (c.status == 0) view_look(asked->view, note_added, &c);
  add_action(asked->origin, view_id(asked->view), c.what,
             c.status == 0 ? "ok" : c.why);
  if (c.status != 0) return refusal(c.status, "%s", c.why);
  return (struct answer) { .status = 200, .json = c.result };
}

/* Asks the process for its points, which become the result of [c]. */
static void ask(struct change *c, int64_t wait_ns)
{
  struct eventring_cursor *cursor = view_open(c->view, true, c->why, sizeof c->why);
  c->status = 409;
  if (cursor == NULL) return;
  struct points *points = new_points(cursor);
  if (ask_points(points, cursor, wait_ns, c->why, sizeof c->why)) {
    c->status = 0;
    c->result = json_pack("{s:o}", "points", json_point_list(points));
  }
  free_points(points);
  if (!view_close(c->view, cursor)) fail(c, 503, VIEW_CUT);
}

struct answer ask_view(const struct asked *asked)
{
  struct change c = { .view = asked->view, .request = asked->body };
  const json_int_t wait_ms = json_object_get(asked->body, "wait_ms") == NULL
    ? USUAL_WAIT_MS : positive(&c, "wait_ms", MOST_WAIT_MS);
  if (c.status == 0) ask(&c, wait_ms * 1000000);
  add_action(asked->origin, view_id(asked->view), "points", c.status == 0 ? "ok" : c.why);
  if (c.status == 0) return (struct answer) { .status = 200, .json = c.result };
  json_decref(c.result);
  return refusal(c.status, "%s", c.why);
}
