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

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "follow.h"
#include "sessions.h"

#define BATCH 512

/* The first and the longest sleep between two reads of an idle process. */
#define SLEEP_FIRST_NS (5 * 1000 * 1000)
#define SLEEP_LONGEST_NS (50 * 1000 * 1000)

static volatile sig_atomic_t interrupted = 0;   /* by this signal */

/* The handler of SIGINT and SIGTERM: records the signal for interrupted_by. */
static void interrupt(int signal)
{
  interrupted = signal;
}

int interrupted_by(void)
{
  return interrupted;
}

/* Installs the handler of SIGINT and SIGTERM.  SA_RESTART keeps a signal from
   failing a write in progress (nanosleep ends all the same); SA_RESETHAND lets
   a second signal end a program that blocks on its output. */
void catch_interrupts(void)
{
  struct sigaction action = { .sa_handler = interrupt,
                              .sa_flags = SA_RESTART | (int) SA_RESETHAND };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* Returns the time after which events are left out when not following: the
   present time for a running process, else INT64_MAX.  The time is on the clock
   of the process. */
static int64_t last_wanted(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  return info.same_boot && eventring_state(cursor) == EVENTRING_STATE_RUNNING
         ? monotonic_ns() : INT64_MAX;
}

/* How long to wait for the end of a process that has ended its tracing: a
   process that ends in order ends its tracing first. */
#define ENDING_MS 200

/* A source that is being read, with the events that were read and not yet
   passed to the caller. */
struct reader {
  const struct source *source;
  struct sessions *sessions;      /* when following, else NULL */
  int64_t last;                   /* the time of the last event wanted */
  uint64_t damaged;               /* blocks */
  bool ended;                     /* the process is seen to have ended... */
  int64_t ended_ns;               /* ...at this time */
  bool done;                      /* there will be no more events */
  int at, filled;                 /* the rest of [batch] */
  struct eventring_event batch[BATCH];
};

/* Returns the time of the next event in the batch, on the clock of all
   sources. */
static int64_t time_of_next(const struct reader *reader)
{
  return (int64_t) ((uint64_t) reader->batch[reader->at].ns
                    + (uint64_t) reader->source->shift_ns);
}

/* Reads the next events of the reader's source into its batch, which the caller
   has passed on, and which is empty afterwards when the source has no events at
   present.  Leaves out the first event later than [last] and all after it.
   Adds damaged blocks, which are skipped, to [damaged].  Sets [ended] and
   [ended_ns] when the process is seen to have ended, and [done] when there will
   be no more events.  Returns STATUS_OK; STATUS_CANNOT_READ, with a message,
   when reading fails. */
static enum status fill(struct reader *reader, bool follow)
{
  struct eventring_cursor *cursor = reader->source->cursor;
  int n;
  while ((n = eventring_read(cursor, reader->batch, BATCH))
         == EVENTRING_E_DAMAGED)
    reader->damaged++;
  if (n < 0) {
    complain("%s: %s", eventring_path(cursor), eventring_strerror(n));
    return STATUS_CANNOT_READ;
  }
  reader->at = reader->filled = 0;
  while (reader->filled < n && !reader->done)
    if (reader->batch[reader->filled].ns > reader->last)
      reader->done = true;
    else
      reader->filled++;
  if (n > 0) return STATUS_OK;
  /* After the end of the process was seen, events that it wrote before are read
     once more. */
  if (!follow || reader->ended)
    reader->done = true;
  else if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    reader->ended = true;
    reader->ended_ns = monotonic_ns();
  }
  return STATUS_OK;
}

/* Returns the reader with the earliest next event and sets *until to the time
   of the earliest next event of the other readers, INT64_MAX when their batches
   are empty.  Returns NULL when all batches are empty. */
static struct reader *earliest(struct reader *readers, int count,
                               int64_t *until)
{
  struct reader *first = NULL;
  *until = INT64_MAX;
  for (int i = 0; i < count; i++) {
    struct reader *r = &readers[i];
    if (r->at == r->filled) continue;
    if (first == NULL)
      first = r;
    else if (time_of_next(r) < time_of_next(first)) {
      *until = time_of_next(first);
      first = r;
    } else if (time_of_next(r) < *until)
      *until = time_of_next(r);
  }
  return first;
}

/* Passes the events in the batches, with their times on the clock of all
   sources, to the function [event] of [reading], in the order of time, until
   one batch is used up, and returns true.  Leaves out
   EVENTRING_EV_CONTROL_CHANGED unless [changes] is set.  Returns false when all
   batches were empty. */
static bool tell(struct reader *readers, int count,
                 const struct reading *reading)
{
  int64_t until;
  struct reader *r;
  while ((r = earliest(readers, count, &until)) != NULL) {
    while (r->at < r->filled && time_of_next(r) <= until) {
      struct eventring_event *event = &r->batch[r->at];
      event->ns = time_of_next(r);
      r->at++;
      if (event->form != EVENTRING_EV_CONTROL_CHANGED || reading->changes)
        reading->event(r->source->state, event);
    }
    if (r->at == r->filled) return true;
  }
  return false;
}

/* Reads all sources until no more events will come, the function [pass] of
   [reading] returns false, or a signal arrives; sleeps while there are no
   events.  Returns STATUS_OK in these cases; STATUS_CANNOT_READ, with a
   message, when reading fails. */
static enum status read_all(struct reader *readers, int count,
                            const struct reading *reading)
{
  long sleep_ns = SLEEP_FIRST_NS;
  while (!interrupted) {
    bool done = true, ended = false;
    for (int i = 0; i < count; i++) {
      struct reader *r = &readers[i];
      bool had_ended = r->ended;
      if (r->at == r->filled && !r->done
          && fill(r, reading->follow) != STATUS_OK)
        return STATUS_CANNOT_READ;
      done = done && r->done;
      ended = ended || r->ended != had_ended;
    }
    bool idle = !tell(readers, count, reading);
    if (!reading->pass(reading->state, idle)) break;
    if (!idle)
      sleep_ns = SLEEP_FIRST_NS;
    else if (done)
      break;
    else if (!ended) {
      nanosleep(&(struct timespec) { .tv_nsec = sleep_ns }, NULL);
      sleep_ns = sleep_ns * 2 > SLEEP_LONGEST_NS ? SLEEP_LONGEST_NS
                                                 : sleep_ns * 2;
    }
  }
  return STATUS_OK;
}

/* Prints messages about damage in the file of [reader]: a damaged end, and the
   number of damaged blocks left out.  Returns STATUS_OK if the file is not
   damaged, else STATUS_CANNOT_READ. */
static enum status report_damage(const struct reader *reader)
{
  uint64_t cut = target_info(reader->source->cursor).damaged_at;
  if (cut != 0)
    complain("%s: cut or damaged from byte %" PRIu64 " on, the events before "
             "that were read", eventring_path(reader->source->cursor), cut);
  if (reader->damaged == 0) return cut == 0 ? STATUS_OK : STATUS_CANNOT_READ;
  complain("%s: %" PRIu64 " damaged %s left out",
           eventring_path(reader->source->cursor), reader->damaged,
           reader->damaged == 1 ? "block was" : "blocks were");
  return STATUS_CANNOT_READ;
}

/* Prints a note if the process of [reader], which was followed, has stopped its
   tracing but still runs.  Waits up to ENDING_MS for the process to end. */
static void report_stop(const struct reader *reader)
{
  struct eventring_cursor *cursor = reader->source->cursor;
  if (reader->ended && eventring_state(cursor) == EVENTRING_STATE_ENDED
      && process_runs(reader->sessions, ENDING_MS))
    note_stop(cursor, reader->ended_ns,
              "it runs on, and is not followed any more");
}

/* Prints a note that the process of [cursor] is followed, if the process runs
   and standard error is a terminal. */
static void tell_of_following(struct eventring_cursor *cursor)
{
  if (isatty(STDERR_FILENO)
      && eventring_state(cursor) == EVENTRING_STATE_RUNNING)
    note("following process %" PRIu32 " until it ends; Ctrl-C stops",
         target_info(cursor).pid);
}

enum status read_sources(const struct source *sources, int count,
                         const struct reading *reading)
{
  struct reader *readers = calloc((size_t) count, sizeof *readers);
  if (readers == NULL) {
    complain("not enough memory");
    return STATUS_CANNOT_READ;
  }
  if (reading->follow) catch_interrupts();
  for (int i = 0; i < count; i++) {
    readers[i].source = &sources[i];
    readers[i].last = reading->follow ? INT64_MAX
                                      : last_wanted(sources[i].cursor);
    if (!reading->follow) continue;
    tell_of_following(sources[i].cursor);
    readers[i].sessions = new_sessions(sources[i].cursor);
  }
  enum status status = read_all(readers, count, reading);
  for (int i = 0; i < count && status == STATUS_OK; i++)
    status = report_damage(&readers[i]);
  for (int i = 0; i < count; i++) {
    if (reading->follow) report_stop(&readers[i]);
    free_sessions(readers[i].sessions);
  }
  free(readers);
  return status;
}

enum status read_events(struct eventring_cursor *cursor,
                        const struct reading *reading)
{
  struct source source = { .cursor = cursor, .state = reading->state };
  return read_sources(&source, 1, reading);
}
