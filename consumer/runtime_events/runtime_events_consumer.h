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

/* Reading events in C with the interface of Runtime_events.  The functions and
   their types are the same as in OCaml's header of this name;
   eventring_reader.h is the interface behind them, which needs no OCaml and
   tells more. */

#ifndef CAML_RUNTIME_EVENTS_CONSUMER_H
#define CAML_RUNTIME_EVENTS_CONSUMER_H

#include "caml/runtime_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a cursor on the ring file of process [pid] in the directory [path]
   (NULL: the current one), or on the ring file of the calling process when
   [pid] is negative.  On success sets *cursor to the cursor, which the caller
   frees by caml_runtime_events_free_cursor, and returns E_SUCCESS.  Returns
   another error, with *cursor unchanged: E_NO_CURRENT_RING when the calling
   process is to be read and is not traced; E_OPEN_FAILURE when there is no file
   or it may not be opened; E_ALLOC_FAIL without memory; E_MAP_FAILURE after
   another error of the system; E_CORRUPT_STREAM for a file that is no ring file
   or is damaged; E_NOT_RECORDED when the process does not record all categories
   of the events below, for example when it was started with
   OCAML_EVENTRING_START=1 but without OCAML_EVENTRING_CATEGORIES=all: a count
   of these events would be wrong. */
CAMLextern runtime_events_error caml_runtime_events_create_cursor(
  const char_os *path, int pid, struct caml_runtime_events_cursor **cursor);

/* Closes and frees the cursor, which must not be NULL.  When called in a
   callback of this cursor, does so at the end of the poll. */
CAMLextern void caml_runtime_events_free_cursor(
  struct caml_runtime_events_cursor *cursor);

/* Set the callback for one kind of event; NULL, the initial value, is no
   callback.  Arguments of callbacks: [domain] is the index of the ring, [data]
   the pointer given to the poll, [timestamp] a time in CLOCK_MONOTONIC
   nanoseconds.  A callback returns 1 to continue the poll, or 0 to end the
   poll; the next poll then begins with the same event. */

CAMLextern void caml_runtime_events_set_runtime_begin(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, uint64_t timestamp,
           ev_runtime_phase phase));

CAMLextern void caml_runtime_events_set_runtime_end(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, uint64_t timestamp,
           ev_runtime_phase phase));

CAMLextern void caml_runtime_events_set_runtime_counter(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, uint64_t timestamp,
           ev_runtime_counter counter, uint64_t value));

/* [sizes]: RUNTIME_EVENTS_NUM_ALLOC_BUCKETS counts. */
CAMLextern void caml_runtime_events_set_runtime_alloc(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, uint64_t timestamp, uint64_t *sizes));
CAMLextern void caml_runtime_events_set_alloc(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, uint64_t timestamp, uint64_t *sizes));

CAMLextern void caml_runtime_events_set_lifecycle(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, ev_lifecycle lifecycle,
           int64_t argument));

/* [lost]: the number of events of this ring that were overwritten before the
   cursor read them, at most INT_MAX. */
CAMLextern void caml_runtime_events_set_lost_events(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int lost));

/* User events.  [name] is valid during the callback; [event_id] identifies the
   event among the user events of the process that is read. */

CAMLextern void caml_runtime_events_set_user_unit(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, uintnat event_id,
           char *name));

CAMLextern void caml_runtime_events_set_user_span(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, uintnat event_id,
           char *name, ev_user_span span));

CAMLextern void caml_runtime_events_set_user_int(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, uintnat event_id,
           char *name, uint64_t value));

/* [words] 64-bit words at [payload]: the length in bytes, then the bytes. */
CAMLextern void caml_runtime_events_set_user_custom(
  struct caml_runtime_events_cursor *cursor,
  int (*f)(int domain, void *data, int64_t timestamp, uintnat event_id,
           char *name, uintnat words, uint64_t *payload));

/* Calls the callbacks for the events that the cursor has not read yet, in the
   order of time over all rings; for at most [max_events] events, not counting
   losses, unless [max_events] is 0.  Events written over 1 ms after the poll
   began are left to the next poll.  [data] is given to the callbacks.  Sets
   *consumed, if [consumed] is not NULL, to the number of events passed, except
   for E_CURSOR_POLL_BUSY.  Returns E_SUCCESS, E_CORRUPT_STREAM when reading
   fails, as at damaged words, or E_CURSOR_POLL_BUSY when another thread polls
   the cursor or the caller is a callback of this cursor. */
CAMLextern runtime_events_error caml_runtime_events_read_poll(
  struct caml_runtime_events_cursor *cursor, void *data, uintnat max_events,
  uintnat *consumed);

#ifdef __cplusplus
}
#endif

#endif /* CAML_RUNTIME_EVENTS_CONSUMER_H */
