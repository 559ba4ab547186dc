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

/* eventring events: prints every event, or the events that a filter selects,
   as a line of text, in the order of time. */

#include <inttypes.h>
#include <stdio.h>
#include "common.h"
#include "count_text.h"
#include "event_json.h"
#include "event_text.h"
#include "filter_options.h"
#include "follow.h"
#include "json.h"
#include "options.h"
#include "spans.h"
#include "targets.h"

static const char usage[] =
"Usage: eventring events [OPTION...] [PID|FILE]\n"
"Prints each event of a process or file on a line, in the order of time.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_FOLLOW, OPTION_RAW, OPTION_JSON, OPTION_COUNT,
  OPTION_CATEGORIES, OPTION_DOMAIN, OPTION_THREAD, OPTION_NAME,
  OPTION_FORM, OPTION_LONGER_THAN, OPTION_FROM, OPTION_TO, OPTION_HELP,
  OPTION_END
};

static const char notes[] =
"Every kind of filter must hold; of several --name, --domain or --thread, one.\n"
"Columns, separated by two spaces or more:\n"
"  1 seconds since tracing started   2 domain: its id, \"name\" if it has one\n"
"  3 thread: its id in the system, # and the threads library's id, \"name\"\n"
"  4 form: begin or end of a span, counter, instant, complete, or lost\n"
"  5 name of the event   6 its values; for lost, the number of lost events\n";

struct printer {
  struct event_text text;
  struct filter *filter;
  struct spans *spans;            /* NULL: nobody asks how long spans are */
  struct counts *counts;
  void (*print)(struct printer *, const struct eventring_event *);
  int64_t took_ns;                /* the span that it ends took, or -1 */
  bool flush;                     /* somebody watches */
};

static void print_line(struct printer *printer,
                         const struct eventring_event *event)
{
  printer->text.took_ns = printer->took_ns;
  print_columns(&printer->text, event);
  print_value(&printer->text, event);
  putchar('\n');
}

/* Prints [event] as a line of values separated by tabs: time, ticks, ring,
   domain, thread, form, id, name and payload, in hexadecimal digits, or "-" if
   it is empty. */
static void print_raw(struct printer *printer,
                      const struct eventring_event *event)
{
  const struct eventring_description *description =
    eventring_describe(printer->text.cursor, event->id);
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

static void print_object(struct printer *printer,
                         const struct eventring_event *event)
{
  print_json(event_json(printer->text.cursor, printer->text.started_ns,
                        event, printer->took_ns), true);
}

static void count(struct printer *printer,
                  const struct eventring_event *event)
{
  count_event(printer->counts, event);
}

/* The function [event] of a struct reading; [state] is a struct printer.
   Prints or counts the event if it passes the filter. */
static void handle(void *state, const struct eventring_event *event)
{
  struct printer *printer = state;
  int64_t since;
  if (printer->spans != NULL)
    printer->took_ns = span_ended(printer->spans, event, &since)
                       ? event->ns - since : -1;
  if (filter_wants(printer->filter, event, printer->took_ns))
    printer->print(printer, event);
}

/* The function [pass] of a struct reading; [state] is a struct printer.  Ends
   the reading when standard output fails or the time of --to is over. */
static bool pass(void *state, bool idle)
{
  struct printer *printer = state;
  if (printer->flush) fflush(stdout);
  return output_works() && !filter_is_past(printer->filter, idle);
}

enum form { LINES, RAW, JSON };

/* Prints the events of [cursor] that pass [filter] in the form [form] or, if
   [counted] is true, their numbers at the end.  Returns as read_events does. */
static enum status print_events(struct eventring_cursor *cursor,
                                struct filter *filter, enum form form,
                                bool counted, bool follow)
{
  struct printer printer = {
    .text = new_event_text(cursor), .filter = filter, .took_ns = -1,
    .print = form == RAW ? print_raw
             : form == JSON ? print_object : print_line,
    .flush = follow
  };
  begin_filter(filter, cursor);
  if (counted) {
    printer.counts = new_counts(cursor);
    printer.print = count;
  }
  if (filter_needs_durations(filter) || (form == JSON && !counted))
    printer.spans = new_spans(cursor);
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .state = &printer, .event = handle, .pass = pass
  });
  if (counted) {
    print_counts(printer.counts, form == JSON);
    free_counts(printer.counts);
  }
  if (printer.spans != NULL) free_spans(printer.spans);
  return status;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool counted = false, follow = false, raw = false, json = false;
  struct filter *filter = new_filter();
  int option;
  while ((option = next_option(&events_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_COUNT: counted = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: follow = true; break;
    case OPTION_JSON: json = true; break;
    case OPTION_RAW: raw = true; break;
    default: filter_option(&events_command, filter, option, optarg);
    }

  if (raw && (json || counted))
    usage_error(&events_command, "events: --raw and %s exclude each other",
                json ? "--json" : "--count");

  struct eventring_cursor *cursor =
    open_target(&events_command, argc, argv, dir, false);
  enum status status = print_events(cursor, filter,
                                    raw ? RAW : json ? JSON : LINES, counted,
                                    follow);
  free_filter(filter);
  status = finish_output(status);
  uint64_t lost = lost_events(cursor);
  if (lost > 0 && output_works())
    note("%s: %s%" PRIu64 " %s overwritten before they could be read",
         eventring_path(cursor), at_most(cursor), lost,
         lost == 1 ? "event was" : "events were");
  eventring_close(cursor);
  return status;
}

const struct command events_command = {
  .name = "events", .summary = "print each event on a line",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
