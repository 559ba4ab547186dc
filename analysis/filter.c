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

/* Every event of a busy process is asked about.  So decisions that are the same
   for all events of an id (by name and category) are kept in a table, and the
   most expensive ones are last: names of domains and threads. */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "filter.h"
#include "memory.h"
#include "parse.h"
#include "target.h"
#include "wall_clock.h"

#define IDS 65536

/* How long to read after the time of --to, since events of different domains
   may be a little out of order. */
#define LATEST_NS (1000 * 1000 * 1000)

/* One value of --domain or --thread. */
struct choice {
  enum { BY_ID, BY_THREAD_ID, BY_NAME } by;
  uint32_t id;
  const char *name;
};

/* Values of one option, any of which will do. */
struct choices {
  size_t count;
  struct choice *list;
};

struct filter {
  struct eventring_cursor *cursor;
  struct choices domains, threads, names, categories;
  uint32_t category_mask;
  uint32_t forms;                 /* bits of enum form; 0: all */
  int64_t longer_than;            /* -1: not asked for */
  struct time_point from, to;     /* of the options, and then ... */
  int64_t first_ns, last_ns;      /* ... as times of events */
  int64_t stop_ns;
  int64_t ahead_ns;               /* of the clock of the events to ours */
  bool past;
  uint8_t by_id[IDS];
  bool keep_earlier;
};
enum { NOT_DECIDED, WANTED, NOT_WANTED };

/* The forms, numbered as in events; a complete event is an instant of this
   kind. */
enum { COMPLETE = EVENTRING_EV_INSTANT + 1, FORMS };
static const char *const form_names[FORMS] = {
  [EVENTRING_EV_BEGIN] = "begin", [EVENTRING_EV_END] = "end",
  [EVENTRING_EV_COUNTER] = "counter", [EVENTRING_EV_INSTANT] = "instant",
  [COMPLETE] = "complete"
};

/* Options */

/* Adds the pattern [name] to [choices] and returns its place, which is valid
   until the next call.  Keeps the pointer [name]. */
static struct choice *add(struct choices *choices, const char *name)
{
  choices->list = reallocate(choices->list, choices->count + 1,
                             sizeof *choices->list);
  struct choice *choice = &choices->list[choices->count++];
  *choice = (struct choice) { .by = BY_NAME, .name = name };
  return choice;
}

struct filter *new_filter(void)
{
  struct filter *f = allocate(1, sizeof *f);
  f->longer_than = -1;
  f->from.ns = -1;
  f->to.ns = INT64_MAX;
  return f;
}

void free_filter(struct filter *f)
{
  free(f->domains.list);
  free(f->threads.list);
  free(f->names.list);
  free(f->categories.list);
  free(f);
}

/* Adds [value] to [choices], the domains or the threads of the filter.  Digits
   are an id; for a thread, # and digits are an id of the threads library;
   everything else is a pattern of a name.  Returns true on success; false, with
   a message in [why], when [value] is empty or the id is 2^32 or more.  The
   filter must not be used any more after an id that is too large. */
static bool add_domain_or_thread(struct filter *f, struct choices *choices,
                                 const char *value, char *why, size_t why_size)
{
  const char *digits = choices == &f->threads && value[0] == '#' ? value + 1
                                                                 : value;
  const char *kind = choices == &f->domains ? "domain" : "thread";
  if (value[0] == '\0') {
    snprintf(why, why_size, "missing %s", kind);
    return false;
  }
  struct choice *choice = add(choices, value);
  if (digits[0] == '\0' || digits[strspn(digits, "0123456789")] != '\0')
    return true;
  unsigned long long id = strtoull(digits, NULL, 10);
  if (id > UINT32_MAX) {
    snprintf(why, why_size, "there is no %s %s", kind, value);
    return false;
  }
  choice->by = digits == value ? BY_ID : BY_THREAD_ID;
  choice->id = (uint32_t) id;
  return true;
}

/* Parses [value] as a duration into *to.  Returns false, with a message in
   [why] and *to unchanged, when it is no duration. */
static bool take_duration(int64_t *to, const char *value, char *why,
                          size_t why_size)
{
  if (parse_duration(value, to)) return true;
  snprintf(why, why_size, "%s is not a time such as 10ms or 1.5s",
           value[0] == '\0' ? "''" : value);
  return false;
}

/* The same for a duration that is longer than *to; a shorter one holds with it. */
static bool take_longest(int64_t *to, const char *value, char *why, size_t why_size)
{
  int64_t ns;
  if (!take_duration(&ns, value, why, why_size)) return false;
  if (ns > *to) *to = ns;
  return true;
}

/* The same for a time since the start of tracing or of day. */
static bool take_time(struct time_point *to, const char *value, char *why,
                      size_t why_size)
{
  if (parse_time_point(value, to)) return true;
  snprintf(why, why_size, "%s is not a time such as " TIME_EXAMPLES,
           value[0] == '\0' ? "''" : value);
  return false;
}

/* Adds the form called [value].  Returns false, with a message in [why], when
   no form has this name. */
static bool add_form(struct filter *f, const char *value, char *why,
                     size_t why_size)
{
  for (int form = 0; form < FORMS; form++) {
    if (strcmp(form_names[form], value) != 0) continue;
    f->forms |= UINT32_C(1) << form;
    return true;
  }
  snprintf(why, why_size, "unknown form '%s' (forms: begin, end, counter, "
           "instant, complete)", value);
  return false;
}

bool filter_add(struct filter *f, enum filter_by by, const char *value,
                char *why, size_t why_size)
{
  switch (by) {
  case FILTER_DOMAIN:
    return add_domain_or_thread(f, &f->domains, value, why, why_size);
  case FILTER_THREAD:
    return add_domain_or_thread(f, &f->threads, value, why, why_size);
  case FILTER_FORM: return add_form(f, value, why, why_size);
  case FILTER_FROM: return take_time(&f->from, value, why, why_size);
  case FILTER_LONGER_THAN:
    return take_longest(&f->longer_than, value, why, why_size);
  case FILTER_TO: return take_time(&f->to, value, why, why_size);
  case FILTER_CATEGORY: add(&f->categories, value); return true;
  case FILTER_NAME: add(&f->names, value); return true;
  }
  return false;
}

bool filter_needs_durations(const struct filter *f)
{
  return f->longer_than >= 0;
}

bool filter_has_forms(const struct filter *f)
{
  return f->forms != 0;
}

bool filter_has_threads(const struct filter *f)
{
  return f->domains.count > 0 || f->threads.count > 0;
}

void filter_keep_earlier(struct filter *f)
{
  f->keep_earlier = true;
}

/* Returns a copy of [choices] with a list of its own. */
static struct choices copy_choices(struct choices choices)
{
  struct choice *list = allocate(choices.count, sizeof *list);
  if (choices.count > 0)
    memcpy(list, choices.list, choices.count * sizeof *list);
  return (struct choices) { choices.count, list };
}

struct filter *copy_filter(const struct filter *f)
{
  struct filter *copy = allocate(1, sizeof *copy);
  *copy = *f;
  copy->domains = copy_choices(f->domains);
  copy->threads = copy_choices(f->threads);
  copy->names = copy_choices(f->names);
  copy->categories = copy_choices(f->categories);
  return copy;
}

bool filter_begin(struct filter *f, struct eventring_cursor *cursor,
                  char *why, size_t why_size)
{
  return filter_begin_at(f, cursor, target_info(cursor).started_ns, 0, why,
                         why_size);
}

/* Sets the times of events that the filter lets pass, for filter_begin_at.
   Returns false, with a message in [why], when they are of day and the file does
   not have the time of day. */
static bool set_times(struct filter *f, int64_t started_ns, int64_t shift_ns,
                      char *why, size_t why_size)
{
  struct wall_clock clock;
  f->first_ns = f->from.ns < 0 ? INT64_MIN : time_after(started_ns, f->from.ns);
  f->last_ns = time_after(started_ns, f->to.ns);
  if (!f->from.wall && !f->to.wall) return true;
  if (!read_wall_clock(f->cursor, &clock)) {
    snprintf(why, why_size, "%s does not have the time of day",
             eventring_path(f->cursor));
    return false;
  }
  if (f->from.wall)
    f->first_ns = time_after(event_time(&clock, f->from.ns), shift_ns);
  if (f->to.wall)
    f->last_ns = time_after(event_time(&clock, f->to.ns), shift_ns);
  return true;
}

bool filter_begin_at(struct filter *f, struct eventring_cursor *cursor,
                     int64_t started_ns, int64_t shift_ns, char *why,
                     size_t why_size)
{
  const struct eventring_info info = target_info(cursor);
  f->cursor = cursor;
  for (size_t i = 0; i < f->categories.count; i++) {
    uint32_t mask;
    if (!parse_categories(cursor, f->categories.list[i].name, &mask, why,
                          why_size))
      return false;
    f->category_mask |= mask;
  }
  if (!set_times(f, started_ns, shift_ns, why, why_size)) return false;
  f->stop_ns = time_after(f->last_ns, LATEST_NS);
  f->ahead_ns = info.same_boot ? 0
                : time_since(present_ns(&info), monotonic_ns());
  /* A span that ends later may have begun before. */
  if (f->from.ns > 0 && f->longer_than < 0 && !f->keep_earlier)
    eventring_seek(cursor, time_since(f->first_ns, shift_ns));
  return true;
}

/* Events */

static bool name_is_wanted(const struct filter *f, const char *name)
{
  for (size_t i = 0; i < f->names.count; i++)
    if (fnmatch(f->names.list[i].name, name, 0) == 0) return true;
  return f->names.count == 0;
}

/* Returns whether the name and category of [event] pass the filter, and stores
   the result for all events of this id, unless the id has no description yet.
   The name of an event without a name is "#" and its id. */
static bool decide(struct filter *f, const struct eventring_event *event)
{
  const struct eventring_description *d =
    eventring_describe(f->cursor, event->id);
  char number[16];
  snprintf(number, sizeof number, "#%u", event->id);
  bool wanted = name_is_wanted(f, d == NULL || d->name[0] == '\0' ? number
                                                                  : d->name);
  if (f->categories.count > 0
      && (d == NULL || d->category >= 32
          || (f->category_mask >> d->category & 1) == 0))
    wanted = false;
  /* An event without a description may get one. */
  if (d != NULL) f->by_id[event->id] = wanted ? WANTED : NOT_WANTED;
  return wanted;
}

/* Returns whether the name and category of [event] pass the filter.  A report
   of lost events passes only if neither is restricted. */
static bool id_is_wanted(struct filter *f,
                         const struct eventring_event *event)
{
  if (event->form == EVENTRING_EV_LOST)
    return f->names.count == 0 && f->categories.count == 0;
  return f->by_id[event->id] == NOT_DECIDED ? decide(f, event)
                                            : f->by_id[event->id] == WANTED;
}

static bool named(const struct choice *choice, const char *name)
{
  return name != NULL && fnmatch(choice->name, name, 0) == 0;
}

/* Returns whether the filter has the form of [event].  A report of lost events
   has none. */
static bool form_is_wanted(const struct filter *f,
                           const struct eventring_event *event)
{
  if (f->forms == 0) return true;
  int form = event->form;
  if (form == EVENTRING_EV_INSTANT) {
    const struct eventring_description *d =
      eventring_describe(f->cursor, event->id);
    if (d != NULL && d->kind == EVENTRING_KIND_COMPLETE) form = COMPLETE;
  } else if (form == EVENTRING_EV_OPEN) {
    form = EVENTRING_EV_BEGIN;
  } else if (form >= COMPLETE) {
    return false;
  }
  return (f->forms >> form & 1) != 0;
}

static bool domain_is_wanted(const struct filter *f,
                             const struct eventring_event *event)
{
  for (size_t i = 0; i < f->domains.count; i++) {
    const struct choice *choice = &f->domains.list[i];
    if (choice->by == BY_ID
        ? choice->id == event->domain
        : named(choice, eventring_domain_name_at(f->cursor, event->domain,
                                                 event->ticks)))
      return true;
  }
  return f->domains.count == 0;
}

static bool thread_is_wanted(const struct filter *f,
                             const struct eventring_event *event)
{
  for (size_t i = 0; i < f->threads.count; i++) {
    const struct choice *choice = &f->threads.list[i];
    if (choice->by == BY_ID ? choice->id == event->thread
        : choice->by == BY_THREAD_ID
        ? event->thread_id >= 0 && choice->id == (uint32_t) event->thread_id
        : named(choice, eventring_thread_name_at(f->cursor, event->domain,
                                                 event->thread,
                                                 event->thread_id,
                                                 event->ticks)))
      return true;
  }
  return f->threads.count == 0;
}

bool filter_wants(struct filter *f, const struct eventring_event *event,
                  int64_t took_ns)
{
  if (event->ns > f->last_ns) {
    f->past = f->past || event->ns > f->stop_ns;
    return false;
  }
  return event->ns >= f->first_ns
      && (f->longer_than < 0 || took_ns > f->longer_than)
      && id_is_wanted(f, event)
      && form_is_wanted(f, event)
      && domain_is_wanted(f, event)
      && thread_is_wanted(f, event);
}

bool filter_is_past(const struct filter *f, bool idle)
{
  return f->past
    || (idle && monotonic_ns() > time_since(f->stop_ns, f->ahead_ns));
}
