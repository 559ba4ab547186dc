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
#include <stdio.h>
#include <string.h>
#include "between_text.h"
#include "json.h"
#include "target.h"
#include "text.h"

static const char *event_name(struct eventring_cursor *cursor, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(cursor, id);
  return d == NULL ? "" : d->name;
}

static uint64_t duration(const struct between_pair *pair)
{
  return (uint64_t) pair->then.ns - (uint64_t) pair->first.ns;
}

/* Text */

/* The longest pairs that are printed as text. */
#define ROWS 10

/* Prints the name of [event], after its domain and thread unless they are those
   of [before], which may be NULL. */
static void print_event(struct eventring_cursor *cursor,
                        const struct between_event *event,
                        const struct between_event *before)
{
  const char *name = event_name(cursor, event->id);
  if (before == NULL || before->domain != event->domain
      || before->thread != event->thread)
    printf("domain %" PRIu32 " thread %" PRIu32 "  ", event->domain,
           event->thread);
  print_text(stdout, name, strlen(name), TEXT_COLUMN);
}

static void print_longest(struct eventring_cursor *cursor,
                          const struct between_result *r)
{
  const int64_t started_ns = target_info(cursor).started_ns;
  printf("\n%8s  %13s  %s\n", "longest", "from", "events");
  for (uint32_t i = 0; i < r->longest_count && i < ROWS; i++) {
    const struct between_pair *pair = &r->longest[i];
    char took[QUANTITY_SIZE];
    printf("%8s  %13.9f  ", format_duration(took, duration(pair)),
           (double) time_since(pair->first.ns, started_ns) / 1e9);
    print_event(cursor, &pair->first, NULL);
    fputs("  to  ", stdout);
    print_event(cursor, &pair->then, &pair->first);
    putchar('\n');
  }
}

void print_between(struct eventring_cursor *cursor,
                   const struct between_result *r)
{
  printf("\n%" PRIu64 " first events, %" PRIu64 " second events, %" PRIu64
         " pairs\n", r->first, r->then, r->durations.count);
  printf("first events without a pair: %" PRIu64 " before another one, %" PRIu64
         " before a gap, %" PRIu64 " at the end\n", r->replaced, r->cut,
         r->open);
  if (r->longest_count > 0) print_longest(cursor, r);
}

/* JSON */

static json_t *json_event(struct eventring_cursor *cursor,
                          const struct between_event *event,
                          int64_t started_ns)
{
  const char *thread = eventring_thread_name_at(cursor, event->domain,
                                                event->thread,
                                                event->thread_id,
                                                event->ticks);
  json_t *object = json_pack(
    "{s:I,s:I,s:I,s:o}", "ns",
    (json_int_t) time_since(event->ns, started_ns), "domain",
    (json_int_t) event->domain, "thread", (json_int_t) event->thread, "name",
    json_text(event_name(cursor, event->id)));
  if (thread != NULL)
    json_object_set_new(object, "thread_name", json_text(thread));
  return object;
}

static json_t *json_longest(struct eventring_cursor *cursor,
                            const struct between_result *r, int64_t started_ns)
{
  json_t *array = json_array();
  for (uint32_t i = 0; i < r->longest_count; i++) {
    const struct between_pair *pair = &r->longest[i];
    json_array_append_new(array, json_pack(
      "{s:I,s:o,s:o}", "duration_ns", (json_int_t) duration(pair),
      "first", json_event(cursor, &pair->first, started_ns),
      "then", json_event(cursor, &pair->then, started_ns)));
  }
  return array;
}

static json_t *json_series(const struct between_result *r, int64_t started_ns)
{
  json_t *t = json_array(), *count = json_array(), *min = json_array(),
         *max = json_array();
  for (uint32_t i = 0; i < r->point_count; i++) {
    const struct between_point *p = &r->points[i];
    json_array_append_new(t, json_integer(time_since(p->ns, started_ns)));
    json_array_append_new(count, json_integer((json_int_t) p->count));
    json_array_append_new(min, json_integer((json_int_t) p->min));
    json_array_append_new(max, json_integer((json_int_t) p->max));
  }
  return json_pack("{s:I,s:o,s:o,s:o,s:o}", "step_ns",
                   (json_int_t) r->point_ns, "t", t, "count", count,
                   "min_ns", min, "max_ns", max);
}

json_t *json_between(struct eventring_cursor *cursor,
                     const struct between_result *r)
{
  const int64_t started_ns = target_info(cursor).started_ns;
  return json_pack(
    "{s:I,s:I,s:I,s:I,s:I,s:o,s:o}",
    "first_events", (json_int_t) r->first, "then_events", (json_int_t) r->then,
    "replaced", (json_int_t) r->replaced, "cut", (json_int_t) r->cut,
    "open", (json_int_t) r->open,
    "longest", json_longest(cursor, r, started_ns),
    "series", json_series(r, started_ns));
}
