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
#include "check.h"
#include "common.h"
#include "follow.h"
#include "line.h"

static const char help[] =
"Usage: eventring events [OPTION...] PID|FILE\n"
"Prints every event of a process or ring file, a line each, in order of time.\n"
"\n"
"  -c, --check     print what is wrong with the events instead: man eventring\n"
"  -d, --dir=DIR   with a PID: the directory of the ring file\n"
"  -f, --follow    go on until the process ends or Ctrl-C\n"
"  -r, --raw       exact fields for programs, see below\n"
"  -h, --help      this text\n"
"\n"
"Columns, separated by two spaces or more:\n"
"  1  seconds since tracing started\n"
"  2  domain: its unique id, and its name in quotes if it has one\n"
"  3  thread: its id in the system, # and the threads library's id, its name\n"
"  4  begin or end of a span, counter, instant, lasted, or lost\n"
"  5  name of the event; - for lost\n"
"  6  value and unit, text in quotes, or fields as name=value; for lasted,\n"
"     first how long it took; for lost, how many events of this ring\n"
"Bytes of names and texts that are not printable UTF-8 are shown as \\xHH.\n"
"\n"
"With --raw, columns are separated by one tab: monotonic nanoseconds, ticks,\n"
"ring, domain, thread, form, event id, name, payload as hexadecimal words\n";

struct printer {
  struct lines lines;
  bool flush;                     /* somebody watches */
};

static void print_event(void *state, const struct eventring_event *event)
{
  struct printer *printer = state;
  print_columns(&printer->lines, event);
  print_value(&printer->lines, event);
  putchar('\n');
}

static void print_event_raw(void *state, const struct eventring_event *event)
{
  struct printer *printer = state;
  const struct eventring_description *description =
    eventring_describe(printer->lines.cursor, event->id);
  printf("%" PRId64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32
         "\t%s\t%u\t",
         event->ns, event->ticks, event->ring, event->domain, event->thread,
         form_name(event, description), event->id);
  print_name(event, description);
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
    { "check", no_argument, NULL, 'c' },
    { "dir", required_argument, NULL, 'd' },
    { "follow", no_argument, NULL, 'f' },
    { "raw", no_argument, NULL, 'r' },
    { NULL, 0, NULL, 0 }
  };
  const char *dir = NULL;
  bool check = false, follow = false, raw = false;
  int option;
  while ((option = getopt_long(argc, argv, OPTION_SHORT "cd:fr", options,
                               NULL)) != -1)
    switch (option) {
    case 'c': check = true; break;
    case 'd': dir = optarg; break;
    case 'f': follow = true; break;
    case 'r': raw = true; break;
    default: other_option(&events_command, option, argv);
    }

  if (check && raw)
    usage_error(&events_command, "events: --check and --raw exclude each "
                "other");

  struct eventring_cursor *cursor =
    open_target(&events_command, argc, argv, dir, false);
  enum status status;
  if (check)
    status = check_events(cursor, follow);
  else {
    struct printer printer = { .lines = new_lines(cursor), .flush = follow };
    status = read_events(cursor, &(struct reading) {
      .follow = follow, .state = &printer,
      .event = raw ? print_event_raw : print_event, .pass = pass
    });
  }
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
