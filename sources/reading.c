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
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "memory.h"
#include "reading.h"
#include "reconnect.h"
#include "sessions.h"
#include "target.h"
#include "time_heap.h"

/* The number of events that are read at a time of one source, and at least of
   each of many sources, and that the batches of all have room for. */
#define BATCH 512
#define BATCH_LEAST 32
#define BATCHES 32768

/* The first and the longest sleep between two reads of an idle process; and the
   longest one while a stream is read: its events have waited at the sender. */
#define SLEEP_FIRST_NS 5000000L
#define SLEEP_LONGEST_NS 50000000L
#define SLEEP_STREAM_NS 10000000L

/* Events of one process wait this long for earlier ones of another: the times of a
   process are ticks of a clock with a measured rate, and differ from ours by some
   microseconds. */
#define CLOCKS_DIFFER_NS 1000000

/* Returns the time after which events are left out when not following: the
   present time for a running process, else INT64_MAX.  The time is on the clock
   of the process. */
static int64_t last_wanted(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  return info.same_boot && info.format != EVENTRING_FORMAT_STREAM
         && eventring_state(cursor) == EVENTRING_STATE_RUNNING
         ? monotonic_ns() : INT64_MAX;
}

/* How long to wait for the end of a process that has ended its tracing before a
   note is given: a process that ends in order ends its tracing first. */
#define ENDING_NS 500000000

/* A source that is being read, with the events that were read and not yet
   passed to the caller. */
struct reader {
  const struct source *source;
  struct sessions *sessions;      /* when following, else NULL */
  int64_t last;                   /* the time of the last event wanted */
  bool on_our_clock;              /* the source is a file, with times of our
                                     CLOCK_MONOTONIC */
  struct connection connection;   /* of a stream */
  uint64_t damaged;               /* blocks */
  bool ended;                     /* the session is seen to have ended... */
  int64_t ended_ns;               /* ...at this time */
  bool noted;                     /* and the user knows */
  bool failed;                    /* reading did */
  bool done;                      /* there will be no more events */
  int64_t complete_ns;            /* on the clock of all sources: all events up
                                     to here are read, as far as is known */
  int at, filled;                 /* the rest of [batch] */
  struct eventring_event *batch;
};

/* All sources that are being read.  Those with events in their batches are in
   [next], by the time of the first; the others, which are not done, are in
   [empty]. */
struct merge {
  struct reader *readers;
  int count, room;                /* of each batch */
  struct time_heap next;
  int *empty, empty_count;
};

/* Returns the time of the next event in the batch, on the clock of all
   sources. */
static int64_t time_of_next(const struct reader *reader)
{
  return (int64_t) ((uint64_t) reader->batch[reader->at].ns
                    + (uint64_t) reader->source->shift_ns);
}

/* Returns whether the events of [cursor] arrive through a pipe or a socket: all
   of them are wanted, and waited for. */
static bool is_streamed(struct eventring_cursor *cursor)
{
  return target_info(cursor).format == EVENTRING_FORMAT_STREAM;
}

/* Returns the longest sleep between two reads of the sources of [m]. */
static long longest_sleep_ns(const struct merge *m)
{
  for (int i = 0; i < m->count; i++)
    if (is_streamed(m->readers[i].source->cursor)) return SLEEP_STREAM_NS;
  return SLEEP_LONGEST_NS;
}

static bool is_stopped(const struct reading *reading)
{
  return reading->stop != NULL && reading->stop();
}

/* Goes on with [next], the next session of the process of [r].  Returns true; false,
   with [done] set, when the file is of another program. */
static bool enter_session(struct reader *r, struct eventring_cursor *next,
                          const struct reading *reading)
{
  struct eventring_cursor *cursor = r->source->cursor;
  const int missed = eventring_go_on(cursor, next);
  if (missed == EVENTRING_E_MEMORY) out_of_memory();
  if (missed < 0) {
    eventring_close(next);
    note_other_program(r->sessions);
    r->done = true;
    return false;
  }
  add_missed(r->sessions, (uint64_t) missed);
  if (reading->go_on != NULL) reading->go_on(cursor);
  r->ended = r->noted = false;
  return true;
}

/* Looks for the next session of the process of [r], which has ended the present
   one.  Goes on with it and returns true when it has begun.  Sets [done] when there
   will be none.  Says so once when the process runs on. */
static bool await_session(struct reader *r, const struct reading *reading)
{
  struct eventring_cursor *cursor = r->source->cursor, *next = NULL;
  const bool stopped = eventring_state(cursor) == EVENTRING_STATE_ENDED,
    runs = process_runs(r->sessions, 0);
  if (stopped) next = open_next_session(r->sessions, NULL);
  if (next != NULL) return enter_session(r, next, reading);
  if (!stopped || !runs) {
    if (stopped) note_last(r->sessions);
    r->done = true;
  } else if (!r->noted && monotonic_ns() - r->ended_ns >= ENDING_NS) {
    r->noted = true;
    note_stop(r->sessions, r->ended_ns,
              "when it starts it again, that is followed too");
  }
  return false;
}

/* Sets [done] if no more events will come of the reader, which had none just now.
   Returns true when it is to be read again at once: when its session is now seen to
   have ended, for events of before, and when the next session has begun. */
static bool note_end(struct reader *reader, const struct reading *reading)
{
  struct eventring_cursor *cursor = reader->source->cursor;
  char text[CONNECTION_TEXT];
  if (keep_connected(&reader->connection, cursor, text) && reading->note != NULL)
    reading->note(text);
  if (!reading->follow && (reader->ended || !is_streamed(cursor)))
    reader->done = true;
  else if (reader->ended)
    return await_session(reader, reading);
  else if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    reader->ended = true;
    reader->ended_ns = monotonic_ns();
    return true;
  }
  return false;
}

/* Takes the [n] events that were read into the batch of [reader], but the first one
   later than [last] and all after it: sets [done] then. */
static void take_batch(struct reader *reader, int n)
{
  while (reader->filled < n && !reader->done)
    if (reader->batch[reader->filled].ns > reader->last)
      reader->done = true;
    else
      reader->filled++;
}

/* Reads the next events of the reader's source, [room] at most, into its batch,
   which the caller has passed on, and which is empty afterwards when the source
   has no events at present.  Adds damaged blocks, which are skipped, to [damaged].
   Sets [done] when there will be no more events, [failed] too, after [problem], when
   reading fails, and [complete_ns]. */
static void fill(struct reader *reader, int room, const struct reading *reading)
{
  struct eventring_cursor *cursor = reader->source->cursor;
  int n;
  reader->complete_ns = reader->on_our_clock
    ? time_after(monotonic_ns() - CLOCKS_DIFFER_NS, reader->source->shift_ns)
    : INT64_MAX;
  reader->at = reader->filled = 0;
  do {
    while ((n = eventring_read(cursor, reader->batch, room))
           == EVENTRING_E_DAMAGED)
      reader->damaged++;
  } while (n == 0 && !is_stopped(reading) && note_end(reader, reading));
  if (n < 0) {
    reading->problem(reader->source->state, reader->source, true,
                     eventring_strerror(n));
    reader->failed = reader->done = true;
  } else
    take_batch(reader, n);
}

/* Adds reader number [which] to the readers with events, or to those without,
   unless there will be no more. */
static void sort_in(struct merge *m, int which)
{
  const struct reader *r = &m->readers[which];
  if (r->at < r->filled)
    time_heap_push(&m->next, (struct timed) { time_of_next(r), which });
  else if (!r->done)
    m->empty[m->empty_count++] = which;
}

/* Reads events into the batches that are empty.  Calls the function [quiet] of
   [reading] for the sources that have none.  Returns the time up to which all
   events are read. */
static int64_t fill_empty(struct merge *m, const struct reading *reading)
{
  int64_t complete_ns = INT64_MAX;
  const int count = m->empty_count;
  m->empty_count = 0;
  for (int i = 0; i < count; i++) {
    struct reader *r = &m->readers[m->empty[i]];
    fill(r, m->room, reading);
    sort_in(m, m->empty[i]);
    if (r->at < r->filled) continue;
    if (reading->quiet != NULL) reading->quiet(r->source->state);
    if (!r->done && r->complete_ns < complete_ns)
      complete_ns = r->complete_ns;
  }
  return complete_ns;
}

/* Passes the events of the reader [r] up to the time [until], with their times
   on the clock of all sources, to the function [event] of [reading].  Leaves
   out EVENTRING_EV_CONTROL_CHANGED unless [changes] is set, and
   EVENTRING_EV_OPEN unless [open_spans] is set. */
static void pass_events(struct reader *r, int64_t until,
                        const struct reading *reading)
{
  while (r->at < r->filled && time_of_next(r) <= until) {
    struct eventring_event *event = &r->batch[r->at];
    event->ns = time_of_next(r);
    r->at++;
    if (event->form == EVENTRING_EV_CONTROL_CHANGED ? reading->changes
        : event->form != EVENTRING_EV_OPEN || reading->open_spans)
      reading->event(r->source->state, event);
  }
}

/* Passes the events in the batches up to the time [complete_ns], in the order
   of time, until one batch is used up.  Returns whether there were any. */
static bool tell(struct merge *m, int64_t complete_ns,
                 const struct reading *reading)
{
  bool any = false;
  while (m->next.count > 0 && m->next.list[0].ns <= complete_ns) {
    const int which = time_heap_pop(&m->next).which;
    struct reader *r = &m->readers[which];
    int64_t until = complete_ns;
    if (m->next.count > 0 && m->next.list[0].ns < until)
      until = m->next.list[0].ns;
    pass_events(r, until, reading);
    any = true;
    if (r->at == r->filled && !r->done) {
      m->empty[m->empty_count++] = which;
      break;
    }
    sort_in(m, which);
  }
  return any;
}

/* Reads all sources until no more events will come, the function [pass] of
   [reading] returns false, or [stop] true; sleeps while there are no events. */
static void read_all(struct merge *m, const struct reading *reading)
{
  const long longest_ns = longest_sleep_ns(m);
  long sleep_ns = SLEEP_FIRST_NS;
  while (!is_stopped(reading)) {
    const int64_t complete_ns = fill_empty(m, reading);
    bool idle = !tell(m, complete_ns, reading);
    if (reading->pass != NULL
        && !reading->pass(reading->state, idle && m->next.count == 0))
      break;
    /* Events that wait for earlier ones do not wait for long. */
    if (!idle || m->next.count > 0) sleep_ns = SLEEP_FIRST_NS;
    if (!idle) continue;
    if (m->empty_count == 0 && m->next.count == 0) break;
    nanosleep(&(struct timespec) { .tv_nsec = sleep_ns }, NULL);
    sleep_ns = sleep_ns * 2 > longest_ns ? longest_ns : sleep_ns * 2;
  }
}

bool describe_damage(uint64_t cut, uint64_t blocks, char *text, size_t size)
{
  char left[64] = "";
  if (blocks > 0)
    snprintf(left, sizeof left, "%" PRIu64 " damaged %s left out", blocks,
             blocks == 1 ? "block was" : "blocks were");
  if (cut != 0)
    snprintf(text, size, "cut or damaged from byte %" PRIu64 " on, the events "
             "before that were read%s%s", cut, blocks > 0 ? "; " : "", left);
  else
    snprintf(text, size, "%s", left);
  return cut != 0 || blocks > 0;
}

/* Reports damage in the file of [reader].  Returns whether there was none. */
static bool report_damage(const struct reader *reader,
                          const struct reading *reading)
{
  struct eventring_cursor *cursor = reader->source->cursor;
  const struct eventring_info info = target_info(cursor);
  char text[DAMAGE_TEXT];
  /* The end is damaged for all processes of the file. */
  struct source file = *reader->source;
  file.name = NULL;
  if (!file.same_file
      && describe_damage(info.damaged_at, 0, text, sizeof text))
    reading->problem(file.state, &file, false, text);
  if (describe_damage(0, reader->damaged, text, sizeof text))
    reading->problem(file.state, reader->source, false, text);
  return info.damaged_at == 0 && reader->damaged == 0;
}

/* Returns a merge of the [count] sources, none of which has been read.  The
   batches of many sources are small. */
static struct merge new_merge(const struct source *sources, int count,
                              const struct reading *reading)
{
  struct merge m = {
    .readers = allocate((size_t) count, sizeof *m.readers), .count = count,
    .room = count <= BATCHES / BATCH ? BATCH
            : count < BATCHES / BATCH_LEAST ? BATCHES / count : BATCH_LEAST,
    .next = new_time_heap(count),
    .empty = allocate((size_t) count, sizeof *m.empty)
  };
  for (int i = 0; i < count; i++) {
    struct reader *r = &m.readers[i];
    r->source = &sources[i];
    r->batch = allocate((size_t) m.room, sizeof *r->batch);
    r->last = reading->follow ? INT64_MAX : last_wanted(sources[i].cursor);
    r->on_our_clock = target_info(sources[i].cursor).same_boot
                      && !is_streamed(sources[i].cursor);
    m.empty[m.empty_count++] = i;
    if (reading->follow)
      r->sessions = new_sessions(sources[i].cursor, reading->note);
  }
  return m;
}

static void free_merge(struct merge *m)
{
  for (int i = 0; i < m->count; i++) {
    free_sessions(m->readers[i].sessions);
    free(m->readers[i].batch);
  }
  free(m->next.list);
  free(m->empty);
  free(m->readers);
}

bool read_merged(const struct source *sources, int count,
                 const struct reading *reading)
{
  bool good = true;
  struct merge m = new_merge(sources, count, reading);
  read_all(&m, reading);
  for (int i = 0; i < count; i++) {
    if (m.readers[i].failed || !report_damage(&m.readers[i], reading))
      good = false;
    if (reading->follow) note_missed(m.readers[i].sessions);
  }
  free_merge(&m);
  return good;
}

bool read_cursor(struct eventring_cursor *cursor, const struct reading *reading)
{
  struct source source = { .cursor = cursor, .state = reading->state };
  return read_merged(&source, 1, reading);
}
