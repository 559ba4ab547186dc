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
   as a line of text, in the order of time; of one process, or of all. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "all_processes.h"
#include "count_text.h"
#include "event_json.h"
#include "event_text.h"
#include "filter_options.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "spans.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring events [OPTION...] [PID|FILE]...\n"
"Prints each event of a process or file on a line, in the order of time.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_FOLLOW, OPTION_RAW, OPTION_JSON, OPTION_COUNT,
  OPTION_CLOCK, OPTION_CATEGORIES, OPTION_DOMAIN, OPTION_THREAD, OPTION_NAME,
  OPTION_FORM, OPTION_LONGER_THAN, OPTION_FROM, OPTION_TO, OPTION_HUB,
  OPTION_RECONNECT, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Each kind of filter must hold once.  Columns: 1 seconds since tracing started,\n"
"2 domain, 3 thread, 4 form, 5 name, 6 values; --all adds node and process.\n";

/* Which and how events are printed, of all processes. */
struct output {
  struct event_text text;
  struct filter *filter;          /* of the command line */
  enum form { LINES, RAW, JSON } form;
  bool counted;
  bool wall;                      /* times are of day */
  bool flush;                     /* somebody watches */
  bool past;                      /* no further event can pass the filters */
  struct filter *clocked;         /* of a process with our clock, or NULL */
  struct printer *printers;       /* one for each process */
};

/* How the events of a process are printed. */
struct printer {
  struct output *output;
  struct eventring_cursor *cursor;
  const struct process_label *label;      /* NULL: there is only one process */
  struct filter *filter;
  bool left_out;                  /* it lacks a category of the filter */
  struct spans *spans;            /* NULL: nobody asks how long spans are */
  struct counts *counts;          /* NULL: events are printed */
  int64_t took_ns;                /* the span that it ends took, or -1 */
  struct wall_clock wall;         /* of the process, if output->wall */
  int64_t shift_ns;               /* added to the times of its events */
};

static void print_line(struct printer *printer,
                       const struct eventring_event *event)
{
  struct event_text *text = &printer->output->text;
  text->cursor = printer->cursor;
  text->process = printer->label != NULL ? printer->label->columns : NULL;
  text->took_ns = printer->took_ns;
  text->wall = printer->output->wall ? &printer->wall : NULL;
  text->shift_ns = printer->shift_ns;
  print_columns(text, event);
  print_value(text, event);
  putchar('\n');
}

static void print_raw_text(const char *text)
{
  putchar('\t');
  if (text[0] == '\0') text = "-";
  print_text(stdout, text, strlen(text), TEXT_COLUMN);
}

/* Prints [event] as a line of values separated by tabs: time, ticks, ring,
   domain, thread, form, id, name and payload, in hexadecimal digits, or "-" if
   it is empty; then the pid, program and node if there may be several
   processes. */
static void print_raw(struct printer *printer,
                      const struct eventring_event *event)
{
  const struct eventring_description *description =
    eventring_describe(printer->cursor, event->id);
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
  if (printer->label != NULL) {
    printf("\t%" PRId32, printer->label->pid);
    print_raw_text(printer->label->program);
    print_raw_text(printer->label->node);
  }
  putchar('\n');
}

static void print_object(struct printer *printer,
                         const struct eventring_event *event)
{
  json_t *object = event_json(printer->cursor,
                              printer->output->text.started_ns, event,
                              printer->took_ns);
  char day[TIME_OF_DAY_SIZE];
  if (printer->output->wall)
    json_object_set_new(object, "time", json_string(
      format_time_of_day(day, wall_time(&printer->wall,
                                        time_since(event->ns,
                                                   printer->shift_ns)))));
  json_label(object, printer->label);
  print_json(object, true);
}

/* Prints or counts [event]. */
static void show(struct printer *printer, const struct eventring_event *event)
{
  if (printer->counts != NULL)
    count_event(printer->counts, event);
  else if (printer->output->form == RAW)
    print_raw(printer, event);
  else if (printer->output->form == JSON)
    print_object(printer, event);
  else
    print_line(printer, event);
}

/* The function [event] of a struct reading; [state] is a struct printer.
   Prints or counts the event if it passes the filter. */
static void handle(void *state, const struct eventring_event *event)
{
  struct printer *printer = state;
  int64_t since;
  if (printer->left_out) return;
  if (printer->spans != NULL)
    printer->took_ns = span_ended(printer->spans, event, &since)
                       ? event->ns - since : -1;
  if (filter_wants(printer->filter, event, printer->took_ns))
    show(printer, event);
  else if (filter_is_past(printer->filter, false))
    printer->output->past = true;
}

/* The function [pass] of a struct reading; [state] is a struct output.  Ends the
   reading when standard output fails or the time of --to is over. */
static bool pass(void *state, bool idle)
{
  struct output *output = state;
  if (output->flush) fflush(stdout);
  return output_works() && !output->past
         && !(idle && output->clocked != NULL
              && filter_is_past(output->clocked, true));
}

/* Makes the printer of the process number [which] of [all], and makes it the
   state of its source.  Sets [left_out], with the reason in [why], if the
   process lacks a category of the filter, or a time of day that is needed. */
static void begin(struct output *output, const struct all_processes *all,
                  int which, char why[MESSAGE_SIZE])
{
  struct source *source = &all->sources[which];
  struct printer *printer = &output->printers[which];
  *printer = (struct printer) {
    .output = output, .cursor = source->cursor, .took_ns = -1,
    .label = all->labels != NULL ? &all->labels[which] : NULL,
    .filter = copy_filter(output->filter), .shift_ns = source->shift_ns
  };
  source->state = printer;
  printer->left_out = !filter_begin_at(printer->filter, source->cursor,
                                       all->started_ns, source->shift_ns, why,
                                       MESSAGE_SIZE);
  if (!printer->left_out && output->wall
      && !read_wall_clock(source->cursor, &printer->wall)) {
    printer->left_out = true;
    snprintf(why, MESSAGE_SIZE, "%s does not have the time of day",
             eventring_path(source->cursor));
  }
  if (!printer->left_out && source->shift_ns == 0
      && target_info(source->cursor).same_boot)
    output->clocked = printer->filter;
  if (output->counted) printer->counts = new_counts(source->cursor);
  if (filter_needs_durations(printer->filter)
      || (output->form == JSON && !output->counted))
    printer->spans = new_spans(source->cursor);
}

/* Makes the printers of all processes.  If all of them are left out, prints a message and ends the program with STATUS_USAGE. */
static void begin_all(struct output *output, const struct all_processes *all)
{
  char why[MESSAGE_SIZE] = "";
  int wanted = 0;
  output->printers = allocate((size_t) all->count, sizeof *output->printers);
  for (int i = 0; i < all->count; i++) {
    begin(output, all, i, why);
    wanted += !output->printers[i].left_out;
  }
  if (wanted > 0) return;
  complain("%s", why);
  exit(STATUS_USAGE);
}

static void end(struct printer *printer)
{
  if (printer->counts != NULL) free_counts(printer->counts);
  if (printer->spans != NULL) free_spans(printer->spans);
  free_filter(printer->filter);
}

/* Prints the counts of each process, after a line with the process, if there
   may be several, and of all together. */
static void print_all_counts(const struct output *output,
                             const struct all_processes *all)
{
  const struct counts **counts = allocate((size_t) all->count, sizeof *counts);
  const bool json = output->form == JSON;
  for (int i = 0; i < all->count; i++) {
    counts[i] = output->printers[i].counts;
    if (all->labels == NULL) continue;
    json_t *labels = json ? json_object() : NULL;
    if (json)
      json_label(labels, &all->labels[i]);
    else
      printf("%s\n", all->labels[i].columns);
    print_counts(&counts[i], 1, labels);
  }
  json_t *labels = json ? json_object() : NULL;
  if (all->labels != NULL && json)
    json_object_set_new(labels, "processes", json_integer(all->count));
  else if (all->labels != NULL)
    printf("all %d processes\n", all->count);
  print_counts(counts, (size_t) all->count, labels);
  free(counts);
}

/* Prints the events of all processes that pass the filter or, with --count,
   their numbers at the end.  Returns as read_sources does. */
static enum status print_events(struct output *output,
                                struct all_processes *all, bool follow)
{
  output->text = new_event_text(all->sources[0].cursor);
  output->text.started_ns = all->started_ns;
  output->flush = follow;
  begin_all(output, all);
  enum status status = read_sources(all->sources, all->count,
                                    &(struct reading) {
    .follow = follow, .open_spans = true, .state = output, .event = handle,
    .pass = pass
  });
  if (output->counted) print_all_counts(output, all);
  for (int i = 0; i < all->count; i++) end(&output->printers[i]);
  free(output->printers);
  return status != STATUS_OK ? status : all->status;
}

/* Returns whether [clock], the value of --clock, asks for the time of day.  If it
   is no clock, ends the program with STATUS_USAGE. */
static bool is_wall(const char *clock)
{
  if (strcmp(clock, "wall") == 0) return true;
  if (strcmp(clock, "trace") == 0) return false;
  usage_error(&events_command, "events: unknown clock '%s' (clocks: trace, wall)",
              clock);
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool follow = false, raw = false, json = false, several = false;
  struct output output = { .filter = new_filter() };
  int option;
  while ((option = next_option(&events_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: several = true; break;
    case OPTION_CLOCK: output.wall = is_wall(optarg); break;
    case OPTION_COUNT: output.counted = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: follow = true; break;
    case OPTION_HUB: use_hub(&events_command, optarg); break;
    case OPTION_JSON: json = true; break;
    case OPTION_RAW: raw = true; break;
    case OPTION_RECONNECT: use_reconnect(&events_command, optarg); break;
    default: filter_option(&events_command, output.filter, option, optarg);
    }

  if (raw && (json || output.counted))
    usage_error(&events_command, "events: --raw and %s exclude each other",
                json ? "--json" : "--count");
  if (output.wall && (raw || output.counted))
    usage_error(&events_command, "events: --clock=wall and %s exclude each other",
                raw ? "--raw" : "--count");
  output.form = raw ? RAW : json ? JSON : LINES;

  struct all_processes all = open_processes(&events_command, argc, argv, dir,
                                            several);
  note_clocks(all.sources, all.count);
  enum status status = print_events(&output, &all, follow);
  free_filter(output.filter);
  status = finish_output(status);
  if (output_works()) note_lost(&all);
  close_processes(&all);
  return status;
}

const struct command events_command = {
  .name = "events", .summary = "print each event on a line",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
