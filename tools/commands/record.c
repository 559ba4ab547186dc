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

/* eventring record: copies the rings of a running process to a file without
   loss, all the time or around the events of a trigger.

   The recorder of libeventring copies; this decides when it looks, and when
   another file begins.  How long it sleeps follows from how fast the rings were
   filled last: it looks again before a quarter of one can be full. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "address.h"
#include "common.h"
#include "event_reader.h"
#include "follow.h"
#include "manifest.h"
#include "numbered.h"
#include "options.h"
#include "parse.h"
#include "record_loop.h"
#include "sessions.h"
#include "stream_output.h"
#include "target.h"
#include "targets.h"
#include "text.h"
#include "trigger.h"

static const char usage[] =
"Usage: eventring record [OPTION...] [PID] -o OUT\n"
"Copies all events of a process, from its rings on, until its end or Ctrl-C.\n"
"OUT: a file, -, unix:PATH, tcp:HOST:PORT, tls:HOST:PORT, or exec:COMMAND.\n";

static const enum option_id option_ids[] = {
  OPTION_OUTPUT, OPTION_FORCE, OPTION_FOR, OPTION_MAX_SIZE, OPTION_MAX_FILES,
  OPTION_TRIGGER, OPTION_BEFORE, OPTION_AFTER, OPTION_LEVEL,
  OPTION_FLUSH_INTERVAL, OPTION_DIR, OPTION_HELP, OPTION_END
};

static const char notes[] =
"NAME means any event of this name, NAME > TIME a span that took longer.  TIME\n"
"is 10, 10s or 10ms; SIZE is in bytes, or 10M.  Each further trigger after the\n"
"end of a file starts another file.  Long pauses; the events of another machine:\n"
"  eventring record 1234 -o slow.evr --trigger 'minor > 10ms' --before 2s\n"
"  ssh host eventring record 1234 -o - | eventring top -\n";

/* The time between two lines of progress. */
#define PROGRESS_NS 1000000000

/* How long to wait for the end of a process that has stopped its tracing before
   a note is printed: a process that ends in order stops its tracing too. */
#define ENDING_NS 500000000

/* How long events wait for others before they are written to a stream. */
#define FLUSH_NS 100000000

struct recording {
  struct eventring_cursor *cursor;
  struct sessions *sessions;
  struct eventring_record_totals before_session;
  int64_t started_ns;             /* when the command began */
  struct eventring_recorder *recorder;
  struct trigger trigger;
  struct eventring_cursor *watched; /* for the trigger, else NULL */
  struct trigger_watch *watch;    /* likewise */
  const char *output;
  struct stream_output *stream;   /* NULL: files */
  int64_t flush_ns;
  uint32_t number;                /* of the present file, from 1 */
  bool force;
  uint64_t max_size, max_files;
  int64_t for_ns, before, after;
  bool stopped;                   /* the program has stopped its tracing */
  bool restarted;                 /* this is not the first session */
  int level;
  int64_t keep_until;             /* when the trigger's file ends; 0: all is held
                                     back */
  char why[512];
};

/* Files */

/* Removes the oldest file of the recording if there are more files than
   --max-files allows; a failure is not reported.  To be called when the present
   file has begun. */
static void remove_oldest(const struct recording *r)
{
  if (r->max_files == 0 || r->number <= r->max_files) return;
  char *name = numbered_path(r->output, r->number - (uint32_t) r->max_files);
  unlink(name);
  free(name);
}

/* Ends the present file and begins the next one, numbered one more; with a
   trigger, the next file begins only when the trigger fires again, and the
   caller then calls remove_oldest.  Returns 0, or an error of
   eventring_record_next. */
static int next_file(struct recording *r)
{
  char *name = numbered_path(r->output, ++r->number);
  int error = eventring_record_next(r->recorder, name);
  free(name);
  if (error == 0 && r->trigger.text == NULL) remove_oldest(r);
  return error;
}

/* Triggers */

/* Reads new events of the process and returns whether one of them fired the
   trigger. */
static bool has_triggered(struct recording *r, struct record_loop *loop)
{
  struct event_reader reader;
  const struct eventring_event *event;
  bool found = false;
  read_new_events(&reader, r->watched, record_turn_ns(loop));
  while ((event = next_event(&reader)) != NULL) {
    struct happening happening = trigger_look(r->watch, event);
    if (trigger_fires(&r->trigger, &happening)) found = true;
  }
  loop->behind = reader.out_of_time;
  return found;
}

/* Handles the trigger: begins to write the file if the trigger has fired, and ends
   the file when the time after the last firing is over.  Returns 0 or an error of
   libeventring. */
static int watch(struct recording *r, struct record_loop *loop)
{
  const int64_t now = loop->now_ns;
  int error = 0;
  if (has_triggered(r, loop)) {
    if (r->keep_until == 0) {
      error = eventring_record_release(r->recorder);
      if (error == 0) remove_oldest(r);
    }
    r->keep_until = now + r->after;
  } else if (r->keep_until != 0 && now >= r->keep_until) {
    r->keep_until = 0;
    error = next_file(r);
  }
  return error;
}

/* Recording */

/* Returns the totals of all sessions of the recording so far, the present
   session included; its [bytes] are of the present file only. */
static struct eventring_record_totals totals(const struct recording *r)
{
  struct eventring_record_totals t = { .size = sizeof t };
  eventring_record_totals(r->recorder, &t);
  t.files += r->before_session.files;
  t.all_bytes += r->before_session.all_bytes;
  t.events += r->before_session.events;
  t.lost += r->before_session.lost;
  return t;
}

/* Returns whether the time of --for is over at [now]. */
static bool is_over(const struct recording *r, int64_t now)
{
  return r->for_ns > 0 && now - r->started_ns >= r->for_ns;
}

/* Prints a line of progress on standard error in place of the one before.
   [passed]: nanoseconds since the command began. */
static void print_progress(const struct recording *r, int64_t passed)
{
  struct eventring_record_totals t = totals(r);
  char size[QUANTITY_SIZE], time[QUANTITY_SIZE];
  fprintf(stderr, "\r\033[K%s: %" PRIu64 " events, %s, %" PRIu64 " lost",
          format_duration(time, (uint64_t) passed), t.events,
          format_bytes(size, t.all_bytes), t.lost);
}

/* Records the present session until it ends, the user presses Ctrl-C, or the
   time of --for is over; prints progress on a terminal.  Sets [r->stopped] to
   whether the session ended because the program has stopped its tracing.
   Returns 0 or an error of libeventring, with its message, if any, in
   [r->why]. */
static int record_session(struct recording *r)
{
  const bool show = isatty(STDERR_FILENO);
  struct record_loop loop;
  begin_record_loop(&loop, r->recorder, r->cursor);
  const int64_t began = loop.now_ns;
  int64_t shown = began;
  int error = 0;
  r->stopped = false;
  while (interrupted_by() == 0 && error == 0) {
    error = record_new(&loop);
    if (error < 0) return error;
    const int64_t now = loop.now_ns;
    if (r->stream != NULL) stream_output_send(r->stream, r->recorder);
    if (r->watched != NULL) error = watch(r, &loop);
    if (r->max_size > 0) {
      struct eventring_record_totals t = { .size = sizeof t };
      eventring_record_totals(r->recorder, &t);
      if (t.bytes >= r->max_size) error = next_file(r);
    }
    if (loop.complete || is_over(r, now)) break;
    if (loop.words == 0 && has_next_session(r->sessions)) look_for_end(&loop);
    if (show && now - shown >= PROGRESS_NS) {
      shown = now;
      print_progress(r, now - r->started_ns);
    }
    record_sleep(&loop);
  }
  if (show && shown != began) fputs("\r\033[K", stderr);
  r->stopped = loop.ended && eventring_state(r->cursor) == EVENTRING_STATE_ENDED;
  return error;
}

/* Prints a note on the recording: its files, events, time, size and lost
   events, or that the trigger did not fire.  [passed]: nanoseconds since the
   command began. */
static void sum_up(const struct recording *r, int64_t passed)
{
  struct eventring_record_totals t = totals(r);
  char size[QUANTITY_SIZE], time[QUANTITY_SIZE];
  if (t.files == 0) {
    const uint64_t lost = lost_events(r->watched);
    note("nothing was recorded: '%s' did not happen in %s",
         r->trigger.text, format_duration(time, (uint64_t) passed));
    if (lost > 0)
      note("%" PRIu64 " events were overwritten before they could be compared with "
           "the trigger", lost);
    return;
  }
  note("%s%s: %" PRIu64 " events in %s, %s, %" PRIu64 " lost",
       r->output, t.files > 1 ? " and others" : "", t.events,
       format_duration(time, (uint64_t) passed),
       format_bytes(size, t.all_bytes), t.lost);
}

/* Prints the message of [error], by which the recorder failed, and returns its
   status.  When the reader of a stream has closed it, there is no message, and
   the status is STATUS_OK. */
static enum status report(const struct recording *r, int error)
{
  if (r->stream != NULL && stream_output_closed(r->stream)) return STATUS_OK;
  complain("%s", r->why[0] != '\0' ? r->why : eventring_strerror(error));
  return recording_status(error);
}

/* Ends the stream, if the output is one.  Returns [status], or the status of the
   stream when [status] is STATUS_OK. */
static enum status end_output(const struct recording *r, enum status status)
{
  enum status closed = r->stream == NULL ? STATUS_OK
                                         : close_stream_output(r->stream);
  return status == STATUS_OK ? closed : status;
}

/* Begins the file of the present session, numbered [r->number], with a
   manifest, and sets [r->recorder]; if there is a trigger, also sets
   [r->watched] and [r->watch] to watch for it.  If the file is an input, exists
   without --force, or cannot be written, or the ring file cannot be opened,
   prints a message and ends the program. */
static void begin(struct recording *r)
{
  struct eventring_record_options options = {
    .size = sizeof options, .level = r->level, .replace = r->force,
    .hold_ns = r->trigger.text == NULL ? 0 : time_after(r->before, NOTICED_NS),
    .flush_ns = r->flush_ns,
    .write = r->stream == NULL ? NULL : stream_output_write,
    .state = r->stream,
    .window_bytes = stream_output_window(r->stream),
    .message = r->why, .message_size = sizeof r->why
  };
  /* Better said now than when it has happened. */
  if (r->stream == NULL
      && (refuse_input(r->output)
          || (r->number == 1 && refuse_existing(r->output, r->force))))
    exit(STATUS_CANNOT_WRITE);
  char *manifest = new_manifest(r->cursor, r->trigger.text);
  char *path = numbered_path(r->output, r->number);
  int error = eventring_record(path, r->cursor, &options, &r->recorder);
  free(path);
  if (error == 0) error = eventring_record_note(r->recorder, manifest);
  if (error < 0) exit(end_output(r, report(r, error)));
  free(manifest);
  record_node(r->recorder);
  if (r->trigger.text == NULL) return;
  /* A session that began while we followed is new from its beginning on. */
  struct eventring_options now = { .size = sizeof now,
                                   .from_now = !r->restarted,
                                   .message = r->why,
                                   .message_size = sizeof r->why };
  error = eventring_open(eventring_path(r->cursor), &now, &r->watched);
  if (error < 0) {
    complain("%s", r->why);
    exit(STATUS_CANNOT_READ);
  }
  r->watch = new_trigger_watch(r->watched);
}

/* Closes the recorder of the present session and frees the means to watch for
   the trigger.  A failure of the recorder is not reported: see
   eventring_record_end. */
static void end_session(struct recording *r)
{
  eventring_record_close(r->recorder);
  free_trigger_watch(r->watch);
  eventring_close(r->watched);
  r->recorder = NULL;
  r->watch = NULL;
  r->watched = NULL;
}

/* Waits for the next session of a program that has stopped its tracing, and
   returns its cursor, which the caller closes.  Prints a note if the wait is
   longer than ENDING_NS.  Returns NULL when the process ends without another
   session, at Ctrl-C, or when the time of --for is over. */
static struct eventring_cursor *await_session(const struct recording *r)
{
  const int64_t stopped = monotonic_ns();
  struct eventring_cursor *next;
  bool noted = false;
  while ((next = open_next_session(r->sessions, NULL)) == NULL) {
    int64_t now = monotonic_ns();
    if (interrupted_by() != 0 || is_over(r, now)) return NULL;
    if (!process_runs(r->sessions, 1)) {
      next = open_next_session(r->sessions, NULL);
      if (next == NULL) note_last(r->sessions);
      return next;
    }
    if (!noted && now - stopped >= ENDING_NS) {
      noted = true;
      note_stop(r->sessions, stopped,
                "when it starts it again, that is recorded too");
    }
  }
  return next;
}

/* Waits for the next session of the process, if the program has stopped its
   tracing, and begins to record it, to a new file if the present one has begun.
   Ends the present session, closes [r->cursor] and sets it to the cursor of the
   next one.  Returns true if there is a next session, else false, with nothing
   changed. */
static bool enter_next_session(struct recording *r)
{
  struct eventring_cursor *next =
    r->stopped && r->stream == NULL ? await_session(r) : NULL;
  if (next == NULL) return false;
  const int missed = eventring_sessions_between(r->cursor, next);
  if (missed < 0) {
    note_other_program(r->sessions);
    eventring_close(next);
    return false;
  }
  const bool has_file = r->trigger.text == NULL || r->keep_until != 0;
  r->before_session = totals(r);
  add_missed(r->sessions, (uint64_t) missed);
  end_session(r);
  eventring_close(r->cursor);
  r->cursor = next;
  r->keep_until = 0;
  r->restarted = true;
  if (has_file) r->number++;
  begin(r);
  if (has_file && r->trigger.text == NULL) remove_oldest(r);
  return true;
}

/* Records all sessions of the process, one after the other.  Returns 0 or an
   error of libeventring; the last session is left for end_session. */
static int record_all(struct recording *r)
{
  int error;
  do {
    error = record_session(r);
    if (error == 0) error = eventring_record_end(r->recorder);
  } while (error == 0 && enter_next_session(r));
  return error;
}

/* Records the process of [r->cursor] as the options say, and prints a note at
   the end.  Returns STATUS_OK; STATUS_CANNOT_WRITE or STATUS_CANNOT_READ, with
   a message, when the recording fails.  [r->cursor] may be another cursor
   afterwards, which the caller closes. */
static enum status record(struct recording *r)
{
  r->started_ns = monotonic_ns();
  r->sessions = new_sessions(r->cursor, note_text);
  catch_interrupts();
  if (address_kind(r->output) != ADDRESS_FILE) {
    r->stream = open_stream_output(r->output);
    if (r->flush_ns == 0) r->flush_ns = FLUSH_NS;
  }
  /* Not woken later than asked for. */
  prctl(PR_SET_TIMERSLACK, 1);
  begin(r);
  if (isatty(STDERR_FILENO))
    note("recording process %" PRIu32 " until it ends; Ctrl-C stops",
         target_info(r->cursor).pid);
  int error = record_all(r);
  enum status status = STATUS_OK;
  if (error == 0) sum_up(r, monotonic_ns() - r->started_ns);
  else status = report(r, error);
  end_session(r);
  note_missed(r->sessions);
  free_sessions(r->sessions);
  return end_output(r, status);
}

/* The command line */

/* Returns the value in [optarg] of the option [option], a duration more than 0,
   in nanoseconds.  For any other value, prints a message and ends the program
   with STATUS_USAGE. */
static int64_t duration(const char *option)
{
  int64_t ns;
  if (!parse_duration(optarg, &ns) || ns == 0)
    usage_error(&record_command, "record: --%s: %s is not a time such as 10s",
                option, optarg);
  return ns;
}

/* Returns the value in [optarg] of the option [option], a number from [low] to
   [high].  For any other value, prints a message and ends the program with
   STATUS_USAGE. */
static long number(const char *option, long low, long high)
{
  char *end;
  long n = strtol(optarg, &end, 10);
  if (end == optarg || *end != '\0' || n < low || n > high)
    usage_error(&record_command, "record: --%s: %s is not a number from %ld to "
                "%ld", option, optarg, low, high);
  return n;
}

static enum status run(int argc, char **argv)
{
  struct recording r = { .number = 1, .before = 5000000000,
                         .after = 1000000000 };
  const char *dir = NULL;
  bool around = false;
  int option;
  while ((option = next_option(&record_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_OUTPUT: r.output = optarg; break;
    case OPTION_FORCE: r.force = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOR: r.for_ns = duration("for"); break;
    case OPTION_MAX_SIZE:
      if (!parse_size(optarg, &r.max_size) || r.max_size < 4096)
        usage_error(&record_command, "record: --max-size: %s is not a size "
                    "from 4K on", optarg);
      break;
    case OPTION_MAX_FILES:
      r.max_files = (uint64_t) number("max-files", 1, 1000000);
      break;
    case OPTION_TRIGGER:
      if (!parse_trigger(&r.trigger, optarg, r.why, sizeof r.why))
        usage_error(&record_command, "record: --trigger: %s", r.why);
      break;
    case OPTION_BEFORE: r.before = duration("before"); around = true; break;
    case OPTION_AFTER: r.after = duration("after"); around = true; break;
    case OPTION_FLUSH_INTERVAL: r.flush_ns = duration("flush-interval"); break;
    case OPTION_LEVEL: r.level = (int) number("level", -7, 19); break;
    }
  if (r.output == NULL)
    usage_error(&record_command, "record: missing output file (-o FILE)");
  if (around && r.trigger.text == NULL)
    usage_error(&record_command, "record: --before and --after go with "
                "--trigger");
  if (r.max_size > 0 && r.trigger.text != NULL)
    usage_error(&record_command, "record: --max-size does not go with "
                "--trigger, where each file is of one");
  if (r.max_files > 0 && r.max_size == 0 && r.trigger.text == NULL)
    usage_error(&record_command, "record: --max-files goes with --max-size or "
                "--trigger");

  if (address_kind(r.output) != ADDRESS_FILE
      && (r.trigger.text != NULL || r.max_size > 0))
    usage_error(&record_command, "record: --trigger and --max-size go with a "
                "file, and %s is a stream", r.output);

  r.cursor = open_target(&record_command, argc, argv, dir, false);
  enum status status = record(&r);
  eventring_close(r.cursor);
  return status;
}

const struct command record_command = {
  .name = "record", .summary = "copy all events of a process to a file",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
