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

/* eventring events: every event as a line of text, in the order of time. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "common.h"
#include "follow.h"
#include "text.h"

static const char help[] =
"Usage: eventring events [OPTION...] PID|FILE\n"
"Prints every event of a traced process, or of the ring file of one that has\n"
"ended, a line each, in the order of time.\n"
"\n"
"  -d, --dir=DIR   with a PID: the directory of the ring file\n"
"  -f, --follow    go on until the process ends or Ctrl-C\n"
"  -r, --raw       exact fields for programs, see below\n"
"  -h, --help      this text\n"
"\n"
"Columns, separated by two spaces or more:\n"
"  1  seconds since tracing started\n"
"  2  domain and its unique id\n"
"  3  thread and its id in the system\n"
"  4  begin or end of a span, counter, instant, or lost\n"
"  5  name of the event; - for lost\n"
"  6  value and unit, or text in quotes; for lost, how many events of this\n"
"     ring were overwritten before they could be read\n"
"In names and texts, bytes that are not printable UTF-8 are shown as \\xHH.\n"
"\n"
"With --raw, columns are separated by one tab: nanoseconds on the machine's\n"
"monotonic clock, ticks of the writer's clock, ring, domain, thread, form as\n"
"above, event id, name, payload as 64-bit words of 16 hexadecimal digits\n"
"separated by spaces.  An event without payload has - there.\n";

struct printer {
  struct eventring_cursor *cursor;
  int64_t started_ns;
  bool flush;                     /* somebody watches */
};

static const char *form_name(uint8_t form)
{
  static const char *const names[] = {
    [EVENTRING_EV_BEGIN] = "begin", [EVENTRING_EV_END] = "end",
    [EVENTRING_EV_COUNTER] = "counter", [EVENTRING_EV_INSTANT] = "instant",
    [EVENTRING_EV_LOST] = "lost"
  };
  return form < sizeof names / sizeof *names ? names[form] : "unknown";
}

static void print_name(const struct eventring_event *event,
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

/* Column 6 */

static void print_hex(const struct eventring_event *event)
{
  for (uint32_t i = 0; i < event->words; i++)
    printf(i == 0 ? "%016" PRIx64 : " %016" PRIx64, event->payload[i]);
}

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

static void print_value(const struct eventring_event *event,
                        const struct eventring_description *description)
{
  if (event->form == EVENTRING_EV_LOST) {
    uint64_t count = event->words > 0 ? event->payload[0] : 0;
    printf("  %" PRIu64 " events", count);
    return;
  }
  if (event->words == 0) return;
  fputs("  ", stdout);
  if (description == NULL) {
    print_hex(event);
    return;
  }
  if (description->payload == EVENTRING_PAYLOAD_BYTES
      || description->payload == EVENTRING_PAYLOAD_TEXT) {
    print_bytes(event);
    return;
  }
  for (uint32_t i = 0; i < event->words; i++)
    printf(i == 0 ? "%" PRId64 : " %" PRId64, (int64_t) event->payload[i]);
  if (description->unit[0] != '\0') {
    putchar(' ');
    print_text(stdout, description->unit, strlen(description->unit),
               TEXT_COLUMN);
  }
}

/* Lines.  The first is the one that people read. */

static void print_time(int64_t ns)
{
  uint64_t distance = ns < 0 ? -(uint64_t) ns : (uint64_t) ns;
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%s%" PRIu64 ".%09" PRIu64,
           ns < 0 ? "-" : "", distance / 1000000000, distance % 1000000000);
  printf("%-13s", seconds);
}

static void print_event(void *state, const struct eventring_event *event)
{
  struct printer *printer = state;
  const struct eventring_description *description =
    eventring_describe(printer->cursor, event->id);
  /* Unsigned, since the times of a damaged file may be any. */
  print_time((int64_t) ((uint64_t) event->ns
                        - (uint64_t) printer->started_ns));
  printf("  domain %-3" PRIu32 "  thread %-7" PRIu32 "  %-7s  ",
         event->domain, event->thread, form_name(event->form));
  print_name(event, description);
  print_value(event, description);
  putchar('\n');
}

static void print_event_raw(void *state, const struct eventring_event *event)
{
  struct printer *printer = state;
  printf("%" PRId64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32
         "\t%s\t%u\t",
         event->ns, event->ticks, event->ring, event->domain, event->thread,
         form_name(event->form), event->id);
  print_name(event, eventring_describe(printer->cursor, event->id));
  putchar('\t');
  if (event->words == 0)
    putchar('-');
  else
    print_hex(event);
  putchar('\n');
}

static bool pass(void *state, bool idle)
{
  struct printer *printer = state;
  (void) idle;
  if (printer->flush) fflush(stdout);
  return output_works();
}

static enum status run(int argc, char **argv)
{
  static const struct option options[] = {
    OPTION_HELP,
    { "dir", required_argument, NULL, 'd' },
    { "follow", no_argument, NULL, 'f' },
    { "raw", no_argument, NULL, 'r' },
    { NULL, 0, NULL, 0 }
  };
  const char *dir = NULL;
  bool follow = false, raw = false;
  int option;
  while ((option = getopt_long(argc, argv, OPTION_SHORT "d:fr", options,
                               NULL)) != -1)
    switch (option) {
    case 'd': dir = optarg; break;
    case 'f': follow = true; break;
    case 'r': raw = true; break;
    default: other_option(&events_command, option, argv);
    }

  struct eventring_cursor *cursor =
    open_target(&events_command, argc, argv, dir, false);
  struct printer printer = {
    .cursor = cursor, .started_ns = target_info(cursor).started_ns,
    .flush = follow
  };
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .state = &printer,
    .event = raw ? print_event_raw : print_event, .pass = pass
  });
  status = finish_output(status);
  uint64_t lost = lost_events(cursor);
  if (lost > 0 && output_works())
    complain("%s: %" PRIu64 " %s overwritten before they could be read",
             eventring_path(cursor), lost,
             lost == 1 ? "event was" : "events were");
  eventring_close(cursor);
  return status;
}

const struct command events_command = {
  .name = "events", .summary = "print every event as a line of text",
  .help = help, .run = run
};
