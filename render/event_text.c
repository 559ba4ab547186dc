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
#include "event_field.h"
#include "event_text.h"
#include "target.h"
#include "text.h"

struct event_text new_event_text(struct eventring_cursor *cursor)
{
  return (struct event_text) {
    .cursor = cursor, .started_ns = target_info(cursor).started_ns,
    .domain_width = 10, .thread_width = 14, .took_ns = -1
  };
}

/* Columns 1 to 5 */

const char *form_name(const struct eventring_event *event,
                      const struct eventring_description *description)
{
  static const char *const names[] = {
    [EVENTRING_EV_BEGIN] = "begin", [EVENTRING_EV_END] = "end",
    [EVENTRING_EV_COUNTER] = "counter", [EVENTRING_EV_INSTANT] = "instant",
    [EVENTRING_EV_LOST] = "lost", [EVENTRING_EV_OPEN] = "open"
  };
  if (event->form == EVENTRING_EV_INSTANT && description != NULL
      && description->kind == EVENTRING_KIND_COMPLETE)
    return "complete";
  return event->form < sizeof names / sizeof *names ? names[event->form]
                                                    : "unknown";
}

void print_name(const struct eventring_event *event,
                const struct eventring_description *description)
{
  if (event->form == EVENTRING_EV_LOST)
    putchar('-');
  else if (description == NULL || description->name[0] == '\0')
    printf("#%u", event->id);
  else
    print_text(stdout, description->name, strlen(description->name),
               TEXT_COLUMN);
}

/* Prints [ns], which may be negative, in seconds with 9 decimals, at least 13
   characters wide. */
static void print_time(int64_t ns)
{
  uint64_t distance = ns < 0 ? -(uint64_t) ns : (uint64_t) ns;
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%s%" PRIu64 ".%09" PRIu64,
           ns < 0 ? "-" : "", distance / 1000000000, distance % 1000000000);
  printf("%-13s", seconds);
}

/* Prints a space and [name] in quotes, and returns the number of characters
   printed.  If [name] is NULL, prints nothing and returns 0. */
static int print_quoted_name(const char *name)
{
  if (name == NULL) return 0;
  fputs(" \"", stdout);
  int width = print_text(stdout, name, strlen(name), TEXT_QUOTED);
  putchar('"');
  return width + 3;
}

/* Prints spaces to fill a column of [printed] characters up to *width, which
   grows if the column is wider, and two more. */
static void end_column(int printed, int *width)
{
  if (printed > *width) *width = printed;
  printf("%*s  ", *width - printed, "");
}

void print_columns(struct event_text *text, const struct eventring_event *event)
{
  const struct eventring_description *description =
    eventring_describe(text->cursor, event->id);
  char day[TIME_OF_DAY_SIZE];
  if (text->wall != NULL)
    fputs(format_time_of_day(day, wall_time(text->wall,
                                            time_since(event->ns,
                                                       text->shift_ns))),
          stdout);
  else
    /* Unsigned, since the times of a damaged file may be any. */
    print_time((int64_t) ((uint64_t) event->ns - (uint64_t) text->started_ns));
  if (text->process != NULL) printf("  %s", text->process);

  int printed = printf("  domain %" PRIu32, event->domain) - 2;
  printed += print_quoted_name(
    eventring_domain_name_at(text->cursor, event->domain, event->ticks));
  end_column(printed, &text->domain_width);

  printed = printf("thread %" PRIu32, event->thread);
  if (event->thread_id >= 0) printed += printf(" #%" PRId32, event->thread_id);
  printed += print_quoted_name(
    eventring_thread_name_at(text->cursor, event->domain, event->thread,
                             event->thread_id, event->ticks));
  end_column(printed, &text->thread_width);

  printf("%-8s  ", form_name(event, description));
  print_name(event, description);
}

/* Column 6 */

void print_hex(const struct eventring_event *event)
{
  for (uint32_t i = 0; i < event->words; i++)
    printf(i == 0 ? "%016" PRIx64 : " %016" PRIx64, event->payload[i]);
}

/* Prints the bytes that [event] carries in quotes; if its payload is not a
   string of bytes, prints its words as print_hex does. */
static void print_bytes(const struct eventring_event *event)
{
  size_t length;
  const char *text = eventring_event_bytes(event, &length);
  if (text == NULL) {
    print_hex(event);
    return;
  }
  putchar('"');
  print_text(stdout, text, length, TEXT_QUOTED);
  putchar('"');
}

/* Prints a space and [unit]; nothing if [unit] is empty. */
static void print_unit(const char *unit)
{
  if (unit[0] == '\0') return;
  putchar(' ');
  print_text(stdout, unit, strlen(unit), TEXT_COLUMN);
}

/* Prints the words of the payload of [event] as signed numbers, separated by
   spaces, and [unit] after the last. */
static void print_integers(const struct eventring_event *event,
                           const char *unit)
{
  for (uint32_t i = 0; i < event->words; i++)
    printf(i == 0 ? "%" PRId64 : " %" PRId64, (int64_t) event->payload[i]);
  print_unit(unit);
}

/* Prints [value] of the field [field]: the name that the unit has for the
   value, else a duration or a size with its unit, or "none" for a thread that
   the threads library does not know, else the signed number.  Prints the name
   of a domain at [ticks] after its number; the unit after other numbers, unless
   the field's name contains it or it is errno. */
static void print_field_value(struct eventring_cursor *cursor,
                              const struct eventring_field *field,
                              uint64_t value, uint64_t ticks)
{
  char buffer[QUANTITY_SIZE];
  const char *name = eventring_value(cursor, field->unit, value);
  if (name != NULL)
    print_text(stdout, name, strlen(name), TEXT_COLUMN);
  else if (strcmp(field->unit, "thread") == 0 && value > INT32_MAX)
    fputs("none", stdout);      /* not a thread of the threads library */
  else if (strcmp(field->unit, "ns") == 0)
    fputs(format_duration(buffer, value), stdout);
  else if (strcmp(field->unit, "bytes") == 0)
    fputs(format_bytes(buffer, value), stdout);
  else if (strcmp(field->unit, "address") == 0
      || strcmp(field->unit, "lock") == 0)
    printf("0x%" PRIx64, value);
  else {
    printf("%" PRId64, (int64_t) value);
    if (strcmp(field->unit, "domain") == 0 && value <= UINT32_MAX)
      print_quoted_name(
        eventring_domain_name_at(cursor, (uint32_t) value, ticks));
    else if (strstr(field->name, field->unit) == NULL   /* live_blocks */
             && strcmp(field->unit, "errno") != 0
             && strcmp(field->unit, "os_thread") != 0)
      print_unit(field->unit);
  }
}

/* Prints the fields of [event] as NAME=VALUE, separated by spaces.  The first
   field of a complete event is its duration and is printed without a name;
   words without a description are printed as signed numbers without a name. */
static void print_fields(struct eventring_cursor *cursor,
                         const struct eventring_event *event,
                         const struct eventring_description *description)
{
  for (uint32_t i = 0; i < event->words; i++) {
    const struct eventring_field *field = event_field(cursor, event, i);
    if (i > 0) putchar(' ');
    if (field == NULL) {
      printf("%" PRId64, (int64_t) event->payload[i]);
      continue;
    }
    if (i > 0 || description->kind != EVENTRING_KIND_COMPLETE) {
      print_text(stdout, field->name, strlen(field->name), TEXT_COLUMN);
      putchar('=');
    }
    print_field_value(cursor, field, event->payload[i], event->ticks);
  }
}

void print_value(struct event_text *text, const struct eventring_event *event)
{
  const struct eventring_description *description =
    eventring_describe(text->cursor, event->id);
  if (event->form == EVENTRING_EV_LOST) {
    uint64_t count = event->words > 0 ? event->payload[0] : 0;
    printf("  %s%" PRIu64 " events", at_most(text->cursor), count);
    return;
  }
  if (event->form == EVENTRING_EV_END && text->took_ns >= 0) {
    char buffer[QUANTITY_SIZE];
    printf("  %s", format_duration(buffer, (uint64_t) text->took_ns));
    if (event->words > 0) putchar(' ');
  } else if (event->words > 0) {
    fputs("  ", stdout);
  }
  if (event->words == 0) return;
  if (description == NULL) {
    print_hex(event);
    return;
  }
  switch (description->payload) {
  case EVENTRING_PAYLOAD_BYTES:
  case EVENTRING_PAYLOAD_TEXT: print_bytes(event); break;
  case EVENTRING_PAYLOAD_PACKED:
    print_fields(text->cursor, event, description);
    break;
  default: print_integers(event, description->unit);
  }
}
