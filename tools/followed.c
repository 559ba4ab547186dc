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

#include <stdlib.h>
#include "common.h"
#include "event_reader.h"
#include "followed.h"
#include "manifest.h"

/* Prints the message for [error], which is in [f->why] if that is not empty, and
   sets the status to STATUS_CANNOT_WRITE, unless it is that already. */
static void cannot_record(struct followed *f, int error)
{
  if (*f->status == STATUS_CANNOT_WRITE) return;
  complain("%s", f->why[0] != 0 ? f->why : eventring_strerror(error));
  *f->status = STATUS_CANNOT_WRITE;
}

/* Begins a recording, and sets [f->events] to a cursor on its events if there is
   to be a summary.  On failure prints a message. */
static void begin_recording(struct followed *f, const char *output,
                            bool replace, bool summarize)
{
  struct eventring_record_options options = {
    .size = sizeof options, .replace = replace, .message = f->why,
    .message_size = sizeof f->why, .from_start = 1 };
  int error = eventring_record(output, f->cursor, &options, &f->recorder);
  if (error == 0 && summarize)
    error = eventring_record_events(f->recorder, &f->events);
  if (error < 0) {
    cannot_record(f, error);
    eventring_record_close(f->recorder);
    f->recorder = NULL;
    return;
  }
  char *manifest = new_manifest(f->cursor, NULL);
  eventring_record_note(f->recorder, manifest);
  free(manifest);
  record_node(f->recorder);
}

void begin_followed(struct followed *f, struct eventring_cursor *cursor,
                    const char *output, bool replace, bool summarize)
{
  f->cursor = cursor;
  if (output != NULL) begin_recording(f, output, replace, summarize);
  if (f->events == NULL) f->events = cursor;
  if (summarize) f->summary = new_summary(f->events);
}

/* Lets the recorder, if there is one, copy new words, and returns their number.
   On failure prints a message. */
static uint64_t step_recording(struct followed *f)
{
  if (f->recorder == NULL) return 0;
  int64_t words = eventring_record_step(f->recorder);
  if (words < 0) cannot_record(f, (int) words);
  return words < 0 ? 0 : (uint64_t) words;
}

/* Passes the events that can be read to the summary, until there are none, or
   one from [until_ns] or later.  Between the batches, the recorder copies what
   the rings have got, and the number of words is added to *words, unless this is
   NULL: the recorder has ended.  Returns the number of events. */
static uint64_t summarize(struct followed *f, int64_t until_ns,
                          uint64_t *words)
{
  struct event_reader reader;
  const struct eventring_event *event;
  uint64_t events = 0;
  read_new_events(&reader, f->events, INT64_MAX);
  while ((event = next_event(&reader)) != NULL) {
    summary_event(f->summary, event);
    events++;
    if (!batch_is_over(&reader)) continue;
    if (words != NULL) *words += step_recording(f);
    if (event->ns >= until_ns) break;
  }
  return events;
}

uint64_t read_followed(struct followed *f)
{
  const int64_t began = monotonic_ns();
  uint64_t words = step_recording(f);
  uint64_t events = f->summary == NULL ? 0 : summarize(f, began, &words);
  return words > events ? words : events;
}

void end_followed(struct followed *f)
{
  if (f->recorder == NULL) return;
  int error = eventring_record_end(f->recorder);
  if (error < 0) cannot_record(f, error);
  if (f->summary != NULL) summarize(f, INT64_MAX, NULL);
}

void close_followed(struct followed *f)
{
  if (f->summary != NULL) free_summary(f->summary);
  if (f->events != f->cursor) eventring_close(f->events);
  eventring_record_close(f->recorder);
  eventring_close(f->cursor);
  f->events = f->cursor = NULL;
  f->recorder = NULL;
  f->summary = NULL;
}
