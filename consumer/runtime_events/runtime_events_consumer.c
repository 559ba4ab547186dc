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

#define CAML_INTERNALS

/* The reading side of Runtime_events, over libeventring.

   Events go by their names: another version of the runtime may have given them
   other numbers.  At open, the cursor makes a table from the numbers in the
   file to our own, by the names in the file's schema.

   The first half is the C interface: a cursor holds a batch of events from
   eventring_read and hands them to callbacks one by one.  An event that a
   callback refuses stays in the batch and comes first in the next poll.  Some
   counters of Runtime_events are fields of other events in our rings; each is
   handed out as an event of its own, before the event that carries it.

   The second half is the OCaml interface.  Its C callbacks call the callbacks
   of a Runtime_events.Callbacks.t.  An exception of an OCaml callback ends the
   poll behind the event that it was raised for, and is raised when the cursor
   is in order again. */

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "caml/alloc.h"
#include "caml/callback.h"
#include "caml/custom.h"
#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "caml/eventring_reader.h"
#include "caml/fail.h"
#include "caml/memory.h"
#include "caml/mlvalues.h"
#include "caml/osdeps.h"
#include "caml/runtime_events.h"
#include "caml/runtime_events_consumer.h"

#define BATCH 128

/* The counters that are fields of other events. */
static const struct grouped {
  uint16_t event;
  uint8_t place, scale;
  uint16_t counter;
} grouped[] = {
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  { EVENTRING_FIRST_##part + event, place, scale, id },
#include "caml/eventring_events.tbl"
};
#define GROUPED_ROWS ((int) (sizeof(grouped) / sizeof(grouped[0])))

struct caml_runtime_events_cursor {
  struct eventring_cursor *reader;
  uint16_t own[EVENTRING_FIRST_USER_ID]; /* by id in the file: our id of the
                                            event of this name, 0: none */
  uint16_t place[GROUPED_ROWS]; /* of these fields in the file, or NO_PLACE */
  atomic_int polling;
  int closing;                  /* free at the end of the poll */
  struct eventring_event batch[BATCH];
  int next, count;              /* the rest of the batch */
  int row;                      /* of the table [grouped]: those above were
                                   handed out for batch[next] */
  const struct grouped *counter; /* being handed out: this counter of
                                    batch[next] or, if NULL, the event */

  int (*runtime_begin)(int, void *, uint64_t, ev_runtime_phase);
  int (*runtime_end)(int, void *, uint64_t, ev_runtime_phase);
  int (*runtime_counter)(int, void *, uint64_t, ev_runtime_counter, uint64_t);
  int (*alloc)(int, void *, uint64_t, uint64_t *);
  int (*lifecycle)(int, void *, int64_t, ev_lifecycle, int64_t);
  int (*lost_events)(int, void *, int);
  int (*user_unit)(int, void *, int64_t, uintnat, char *);
  int (*user_span)(int, void *, int64_t, uintnat, char *, ev_user_span);
  int (*user_int)(int, void *, int64_t, uintnat, char *, uint64_t);
  int (*user_custom)(int, void *, int64_t, uintnat, char *, uintnat,
                     uint64_t *);
};

#define NO_PLACE UINT16_MAX     /* no event has so many words */

/* The events that Runtime_events knows, and the events that carry its
   counters. */
static const struct { uint16_t id; uint8_t kind; const char *name; } known[] = {
#define PHASE(id, number, category, name, doc) \
  { number, EVENTRING_KIND_SPAN, name },
#define COUNTER(id, number, category, unit, name, doc) \
  { number, EVENTRING_KIND_COUNTER, name },
#define LIFECYCLE(id, number, category, name, doc) \
  { number, EVENTRING_KIND_INSTANT, name },
#define RECORD(id, number, category, payload, unit, name, doc) \
  { number, EVENTRING_KIND_INSTANT, name },
#include "caml/eventring_events.tbl"
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

static const struct field {
  uint16_t event;
  uint8_t place;
  const char *unit, *name;
} fields[] = {
#define FIELD(part, event, place, unit, repeats, name) \
  { EVENTRING_FIRST_##part + event, place, unit, name },
#include "caml/eventring_events.tbl"
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* Returns the index of the payload word of event [id] of the file that holds
   the field at place [place] of our event [event], found by its name and unit;
   NO_PLACE when the file has no such field. */
static uint16_t find_place(struct eventring_cursor *reader, uint32_t id,
                           uint16_t event, uint8_t place)
{
  const struct eventring_field *f;
  size_t i = 0;
  while (i < FIELDS && (fields[i].event != event || fields[i].place != place))
    i++;
  if (i == FIELDS) return NO_PLACE;
  for (uint16_t w = 0; w < 64 && (f = eventring_field(reader, id, w)) != NULL;
       w++)
    if (strcmp(f->name, fields[i].name) == 0
        && strcmp(f->unit, fields[i].unit) == 0) return w;
  return NO_PLACE;
}

/* Fills the tables [own], which must be zeros, and [place] of [c] by the names
   in the schema of its file. */
static void map_names(struct caml_runtime_events_cursor *c)
{
  memset(c->place, 0xFF, sizeof(c->place));
  for (uint32_t id = 1; id < EVENTRING_FIRST_USER_ID; id++) {
    const struct eventring_description *d = eventring_describe(c->reader, id);
    size_t i = 0;
    if (d == NULL) continue;
    while (i < KNOWN && (known[i].kind != d->kind
                         || strcmp(known[i].name, d->name) != 0)) i++;
    if (i == KNOWN) continue;
    c->own[id] = known[i].id;
    for (int row = 0; row < GROUPED_ROWS; row++)
      if (grouped[row].event == known[i].id)
        c->place[row] = find_place(c->reader, id, grouped[row].event,
                                   grouped[row].place);
  }
}

/* The categories of the events of Runtime_events. */
static const uint32_t needed = EVENTRING_USER | EVENTRING_ALLOC
#define PHASE(id, number, category, name, doc) | EVENTRING_##category
#define COUNTER(id, number, category, unit, name, doc) | EVENTRING_##category
#define LIFECYCLE(id, number, category, name, doc) | EVENTRING_##category
#include "caml/eventring_events.tbl"
  ;

static int is_needed(const char *category)
{
#define CATEGORY(id, bit, name, by_default, doc) \
  if (strcmp(category, name) == 0) return (needed & EVENTRING_##id) != 0;
#include "caml/eventring_events.tbl"
  return 0;
}

/* Returns 1 when the process records every category that Runtime_events needs
   and the runtime of the process has; also when the process has ended in order,
   since the file then may not show the categories any more.  Otherwise returns
   0 and writes the reason to [why], of [why_size] bytes, if not NULL. */
static int records_all(struct eventring_cursor *reader, char *why,
                       size_t why_size)
{
  struct eventring_info info = { .size = sizeof(info) };
  char missing[256] = "";
  size_t length = 0;

  eventring_get_info(reader, &info);
  uint32_t mask = info.active != 0 ? info.active : info.resume;
  if (mask == 0 && eventring_state(reader) == EVENTRING_STATE_ENDED) return 1;
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(reader, bit);
    if (name != NULL && is_needed(name) && (mask >> bit & 1) == 0
        && length < sizeof(missing))
      length += snprintf(missing + length, sizeof(missing) - length, "%s%s",
                         length > 0 ? "," : "", name);
  }
  if (length == 0) return 1;
  if (why != NULL)
    snprintf(why, why_size, "process %d does not record %s; start it with"
             " OCAML_EVENTRING_CATEGORIES=all", info.pid, missing);
  return 0;
}

static runtime_events_error open_cursor(
  const char_os *path, int pid, struct caml_runtime_events_cursor **result,
  char *why, size_t why_size)
{
  struct eventring_options options = { .size = sizeof(options),
                                       .message = why,
                                       .message_size = why_size };
  struct caml_runtime_events_cursor *cursor;
  int err;

  cursor = caml_stat_calloc_noexc(1, sizeof(*cursor));
  if (cursor == NULL) return E_ALLOC_FAIL;
  if (pid < 0) {
    char_os *own = caml_runtime_events_current_location();
    if (own == NULL) {
      caml_stat_free(cursor);
      return E_NO_CURRENT_RING;
    }
    err = eventring_open(own, &options, &cursor->reader);
    caml_stat_free(own);
  } else {
    err = eventring_open_pid(pid, path != NULL ? path : ".", &options,
                             &cursor->reader);
  }
  if (err == EVENTRING_OK && records_all(cursor->reader, why, why_size)) {
    map_names(cursor);
    *result = cursor;
    return E_SUCCESS;
  }
  eventring_close(cursor->reader);
  caml_stat_free(cursor);
  if (err == EVENTRING_OK) return E_NOT_RECORDED;
  switch (err) {
  case EVENTRING_E_NOT_FOUND:
  case EVENTRING_E_PERMISSION: return E_OPEN_FAILURE;
  case EVENTRING_E_MEMORY: return E_ALLOC_FAIL;
  case EVENTRING_E_SYSTEM: return E_MAP_FAILURE;
  default: return E_CORRUPT_STREAM;
  }
}

CAMLexport runtime_events_error caml_runtime_events_create_cursor(
  const char_os *path, int pid, struct caml_runtime_events_cursor **cursor)
{
  return open_cursor(path, pid, cursor, NULL, 0);
}

CAMLexport void caml_runtime_events_free_cursor(
  struct caml_runtime_events_cursor *cursor)
{
  if (atomic_load(&cursor->polling)) {
    cursor->closing = 1;
    return;
  }
  eventring_close(cursor->reader);
  caml_stat_free(cursor);
}

/* One setter a callback: the field and the function type. */

#define SETTER(setter, field, ...) \
  CAMLexport void caml_runtime_events_set_##setter( \
    struct caml_runtime_events_cursor *cursor, int (*f)(__VA_ARGS__)) \
  { \
    cursor->field = f; \
  }

SETTER(runtime_begin, runtime_begin, int, void *, uint64_t, ev_runtime_phase)
SETTER(runtime_end, runtime_end, int, void *, uint64_t, ev_runtime_phase)
SETTER(runtime_counter, runtime_counter, int, void *, uint64_t,
       ev_runtime_counter, uint64_t)
SETTER(runtime_alloc, alloc, int, void *, uint64_t, uint64_t *)
SETTER(alloc, alloc, int, void *, uint64_t, uint64_t *)
SETTER(lifecycle, lifecycle, int, void *, int64_t, ev_lifecycle, int64_t)
SETTER(lost_events, lost_events, int, void *, int)
SETTER(user_unit, user_unit, int, void *, int64_t, uintnat, char *)
SETTER(user_span, user_span, int, void *, int64_t, uintnat, char *,
       ev_user_span)
SETTER(user_int, user_int, int, void *, int64_t, uintnat, char *, uint64_t)
SETTER(user_custom, user_custom, int, void *, int64_t, uintnat, char *,
       uintnat, uint64_t *)

/* Returns the distance of our event id [id] from [first], when [id] is from
   [first] to [end] - 1; else -1. */
static int member(uint16_t id, int first, int end)
{
  return id >= first && id < end ? id - first : -1;
}

/* Returns the row of the first counter that is a field of [e], the event
   batch[next], and has not been delivered for it yet; NULL when there is none.
   Moves c->row to this row. */
static const struct grouped *next_counter(
  struct caml_runtime_events_cursor *c, const struct eventring_event *e)
{
  /* Most events end here. */
  if (e->words == 0 || e->id >= EVENTRING_FIRST_USER_ID
      || (e->form != EVENTRING_EV_END && e->form != EVENTRING_EV_INSTANT))
    return NULL;
  for (; c->row < GROUPED_ROWS; c->row++)
    if (grouped[c->row].event == c->own[e->id] && c->place[c->row] < e->words)
      return &grouped[c->row];
  return NULL;
}

/* Moves the cursor behind the counter c->counter, which has just been
   delivered, or, if it is NULL, behind the event. */
static void pass(struct caml_runtime_events_cursor *c)
{
  if (c->counter != NULL) {
    c->row++;
  } else {
    c->next++;
    c->row = 0;
  }
}

static int deliver_user(struct caml_runtime_events_cursor *c, void *data,
                        const struct eventring_event *e)
{
  const struct eventring_description *d =
    eventring_describe(c->reader, e->id);
  uintnat id = e->id - EVENTRING_FIRST_USER_ID;
  char *name = d != NULL ? (char *) d->name : "";

  switch (e->form) {
  case EVENTRING_EV_BEGIN:
  case EVENTRING_EV_END:
    return c->user_span == NULL
      || c->user_span(e->ring, data, e->ns, id, name,
                      e->form == EVENTRING_EV_BEGIN ? EV_USER_SPAN_BEGIN
                                                    : EV_USER_SPAN_END);
  case EVENTRING_EV_COUNTER:
    return e->words < 1 || c->user_int == NULL
      || c->user_int(e->ring, data, e->ns, id, name, e->payload[0]);
  default:
    if (e->words == 0)
      return c->user_unit == NULL
        || c->user_unit(e->ring, data, e->ns, id, name);
    return c->user_custom == NULL
      || c->user_custom(e->ring, data, e->ns, id, name, e->words,
                        (uint64_t *) e->payload);
  }
}

/* Calls the callback for the counter c->counter of [e] or, if c->counter is
   NULL, for [e] itself.  Returns 0 when the callback returned 0; else 1, also
   when no callback is set, the event is not one of Runtime_events, or it has
   too few payload words. */
static int deliver(struct caml_runtime_events_cursor *c, void *data,
                   const struct eventring_event *e)
{
  int n;

  if (c->counter != NULL)
    return c->runtime_counter == NULL
      || c->runtime_counter(e->ring, data, e->ns, c->counter->counter,
                            c->counter->scale * e->payload[c->place[c->row]]);
  if (e->form == EVENTRING_EV_LOST) {
    uint64_t lost = e->payload[0];
    return c->lost_events == NULL
      || c->lost_events(e->ring, data, lost > INT_MAX ? INT_MAX : (int) lost);
  }
  if (e->id >= EVENTRING_FIRST_USER_ID) return deliver_user(c, data, e);
  uint16_t own = c->own[e->id];

  switch (e->form) {
  case EVENTRING_EV_BEGIN:
    n = member(own, EVENTRING_FIRST_PHASE, EVENTRING_FIRST_COUNTER);
    return n < 0 || c->runtime_begin == NULL
      || c->runtime_begin(e->ring, data, e->ns, n);
  case EVENTRING_EV_END:
    n = member(own, EVENTRING_FIRST_PHASE, EVENTRING_FIRST_COUNTER);
    return n < 0 || c->runtime_end == NULL
      || c->runtime_end(e->ring, data, e->ns, n);
  case EVENTRING_EV_COUNTER:
    n = member(own, EVENTRING_FIRST_COUNTER, EVENTRING_FIRST_LIFECYCLE);
    return n < 0 || e->words < 1 || c->runtime_counter == NULL
      || c->runtime_counter(e->ring, data, e->ns, n, e->payload[0]);
  default:
    n = member(own, EVENTRING_FIRST_LIFECYCLE, EVENTRING_FIRST_RECORD);
    if (n >= 0)
      return e->words < 1 || c->lifecycle == NULL
        || c->lifecycle(e->ring, data, e->ns, n, (int64_t) e->payload[0]);
    if (own == EVENTRING_FIRST_RECORD + EV_ALLOC_SIZES)
      return e->words < RUNTIME_EVENTS_NUM_ALLOC_BUCKETS || c->alloc == NULL
        || c->alloc(e->ring, data, e->ns, (uint64_t *) e->payload);
    return 1;
  }
}

/* Events written this much after a poll began wait for the next one, so that a
   poll ends even when its callbacks make events.  The time is more than the
   error of any conversion of ticks. */
#define POLL_GRACE_NS 1000000

CAMLexport runtime_events_error caml_runtime_events_read_poll(
  struct caml_runtime_events_cursor *c, void *data, uintnat max_events,
  uintnat *consumed)
{
  runtime_events_error result = E_SUCCESS;
  uintnat passed = 0;
  int idle = 0;

  if (!atomic_compare_exchange_strong(&c->polling, &idle, 1))
    return E_CURSOR_POLL_BUSY;

  int64_t until = eventring_clock_ns(CLOCK_MONOTONIC) + POLL_GRACE_NS;
  while (!c->closing && (max_events == 0 || passed < max_events)) {
    if (c->next == c->count) {
      int n = eventring_read(c->reader, c->batch, BATCH);
      c->next = 0;
      c->count = n > 0 ? n : 0;
      if (n < 0) result = E_CORRUPT_STREAM;
      if (n <= 0) break;
    }
    const struct eventring_event *e = &c->batch[c->next];
    /* A file at rest may have the times of another machine. */
    if (e->ns > until) {
      if (eventring_state(c->reader) == EVENTRING_STATE_RUNNING) break;
      until = INT64_MAX;
    }
    c->counter = next_counter(c, e);
    if (!deliver(c, data, e)) break;
    pass(c);
    passed += e->form != EVENTRING_EV_LOST;
  }

  if (consumed != NULL) *consumed = passed;
  atomic_store(&c->polling, 0);
  if (c->closing) caml_runtime_events_free_cursor(c);
  return result;
}

/* The OCaml interface.

   A Runtime_events.cursor is a block of three fields. */

enum {
  CURSOR_HANDLE,                /* custom block: the C cursor, NULL if freed */
  CURSOR_BUFFER,                /* bytes for decoders, or Val_none */
  CURSOR_EVENTS                 /* array: event id -> User.t, or Val_none */
};

/* Runtime_events.Callbacks.t */
enum {
  CALLBACK_BEGIN, CALLBACK_END, CALLBACK_COUNTER, CALLBACK_ALLOC,
  CALLBACK_LIFECYCLE, CALLBACK_LOST, CALLBACK_USER
};

#define Handle_val(v) \
  (*(struct caml_runtime_events_cursor **) Data_custom_val(v))

/* Arguments of the C callbacks of an OCaml cursor: roots of the poll. */
struct ml_poll {
  value *cursor;
  value *callbacks;
  value *exception;             /* Val_unit: none */
  struct caml_runtime_events_cursor *handle;
};

/* Handles [result], the result of an OCaml callback called by a function
   caml_callback..._exn.  Returns 1, or 0 after an exception, which is kept in
   the poll.  After an exception the event counts as read, so that the next poll
   begins behind it. */
static int ended(struct ml_poll *poll, value result)
{
  if (!Is_exception_result(result)) return 1;
  *poll->exception = Extract_exception(result);
  pass(poll->handle);
  return 0;
}

/* Calls callback number [which] of the poll, if it is set, with the domain, the
   time, and the first [count] of the arguments [a] and [b].  Returns 1, also
   when the callback is not set, or 0 after an exception, which is kept in the
   poll. */
static int call(struct ml_poll *poll, int which, int domain, uint64_t ns,
                int count, value a, value b)
{
  CAMLparam2(a, b);
  CAMLlocal1(f);
  CAMLlocalN(args, 4);
  f = Field(*poll->callbacks, which);
  if (Is_none(f)) CAMLreturnT(int, 1);
  args[0] = Val_int(domain);
  args[1] = caml_copy_int64(ns);
  args[2] = a;
  args[3] = b;
  int r = ended(poll, caml_callbackN_exn(Some_val(f), 2 + count, args));
  CAMLreturnT(int, r);
}

/* The constructors of Runtime_events in the tree that this is built in, by our
   numbers: 1 + the constructor, or 0 for an event that Runtime_events does not
   have, of which OCaml code is not told. */
enum {
#define RUNTIME_PHASE(id) PLACE_OF_##id,
#include "caml/eventring_constructors.tbl"
};
enum {
#define RUNTIME_COUNTER(id) PLACE_OF_##id,
#include "caml/eventring_constructors.tbl"
};
enum {
#define RUNTIME_LIFECYCLE(id) PLACE_OF_##id,
#include "caml/eventring_constructors.tbl"
};
static const uint8_t phase_constructors[EVENTRING_FIRST_COUNTER] = {
#define RUNTIME_PHASE(id) [id] = 1 + PLACE_OF_##id,
#include "caml/eventring_constructors.tbl"
};
static const uint8_t counter_constructors[EVENTRING_FIRST_LIFECYCLE
                                          - EVENTRING_FIRST_COUNTER] = {
#define RUNTIME_COUNTER(id) [id] = 1 + PLACE_OF_##id,
#include "caml/eventring_constructors.tbl"
};
static const uint8_t lifecycle_constructors[EVENTRING_FIRST_RECORD
                                            - EVENTRING_FIRST_LIFECYCLE] = {
#define RUNTIME_LIFECYCLE(id) [id] = 1 + PLACE_OF_##id,
#include "caml/eventring_constructors.tbl"
};

static int ml_begin(int domain, void *data, uint64_t ns,
                    ev_runtime_phase phase)
{
  int constructor = phase_constructors[phase] - 1;
  return constructor < 0
    || call(data, CALLBACK_BEGIN, domain, ns, 1, Val_int(constructor),
            Val_unit);
}

static int ml_end(int domain, void *data, uint64_t ns, ev_runtime_phase phase)
{
  int constructor = phase_constructors[phase] - 1;
  return constructor < 0
    || call(data, CALLBACK_END, domain, ns, 1, Val_int(constructor), Val_unit);
}

static int ml_counter(int domain, void *data, uint64_t ns,
                      ev_runtime_counter counter, uint64_t n)
{
  int constructor = counter_constructors[counter] - 1;
  return constructor < 0
    || call(data, CALLBACK_COUNTER, domain, ns, 2, Val_int(constructor),
            Val_long(n));
}

static int ml_lifecycle(int domain, void *data, int64_t ns,
                        ev_lifecycle lifecycle, int64_t argument)
{
  CAMLparam0();
  CAMLlocal1(arg);
  int constructor = lifecycle_constructors[lifecycle] - 1;
  if (constructor < 0) CAMLreturnT(int, 1);
  arg = Val_none;
  if (argument != 0) arg = caml_alloc_some(Val_long(argument));
  int r = call(data, CALLBACK_LIFECYCLE, domain, ns, 2, Val_int(constructor),
               arg);
  CAMLreturnT(int, r);
}

static int ml_alloc(int domain, void *data, uint64_t ns, uint64_t *sizes)
{
  CAMLparam0();
  CAMLlocal1(array);
  array = caml_alloc(RUNTIME_EVENTS_NUM_ALLOC_BUCKETS, 0);
  for (int i = 0; i < RUNTIME_EVENTS_NUM_ALLOC_BUCKETS; i++)
    Store_field(array, i, Val_long(sizes[i]));
  int r = call(data, CALLBACK_ALLOC, domain, ns, 1, array, Val_unit);
  CAMLreturnT(int, r);
}

static int ml_lost(int domain, void *data, int lost)
{
  struct ml_poll *poll = data;
  value f = Field(*poll->callbacks, CALLBACK_LOST);
  if (Is_none(f)) return 1;
  return ended(poll, caml_callback2_exn(Some_val(f), Val_int(domain),
                                        Val_int(lost)));
}

/* Returns the type of the User.t [event]; EV_USER_ML_TYPE_CUSTOM for all custom
   types. */
static ev_user_ml_type type_of(value event)
{
  value type = Field(event, 2);
  return Is_block(type) ? EV_USER_ML_TYPE_CUSTOM
                        : (ev_user_ml_type) Int_val(type);
}

/* Returns the User.t for event [id] of the traced process, from the cursor's
   array or by name, and keeps it in the array.  Registers an event of this name
   when this program knows none; returns Val_none instead for a custom event, or
   when there is no room.  A broken file may write one id in several forms: the
   result has the type [type]. */
static value known_event(struct ml_poll *poll, uintnat id, char *name,
                         ev_user_ml_type type)
{
  CAMLparam0();
  CAMLlocal3(events, grown, event);
  events = Field(*poll->cursor, CURSOR_EVENTS);
  uintnat size = Is_block(events) ? Wosize_val(events) : 0;
  if (id < size && Is_block(Field(events, id))
      && type_of(Field(events, id)) == type)
    CAMLreturn(Field(events, id));

  /* The ids of this process are right for another run of this program, too,
     if it registers in the same order. */
  event = caml_runtime_events_user_find(EVENTRING_FIRST_USER_ID + id, name,
                                        type);
  if (id >= size) {
    uintnat new_size = size == 0 ? 256 : size;
    while (id >= new_size) new_size *= 2;
    grown = caml_alloc(new_size, 0);
    for (uintnat i = 0; i < size; i++)
      Store_field(grown, i, Field(events, i));
    for (uintnat i = size; i < new_size; i++)
      Store_field(grown, i, Val_none);
    caml_modify(&Field(*poll->cursor, CURSOR_EVENTS), grown);
    events = grown;
  }
  Store_field(events, id, event);
  CAMLreturn(event);
}

/* Returns the list of callbacks for user events of type number [index], an
   OCaml list of one-field blocks; the empty list when there are none.  Types
   are numbered as in ev_user_ml_type, custom types by their own id. */
static value listeners(struct ml_poll *poll, uintnat index)
{
  value by_type = Field(*poll->callbacks, CALLBACK_USER);
  return index < Wosize_val(by_type) ? Field(by_type, index) : Val_emptylist;
}

static int call_listeners(struct ml_poll *poll, value list, int domain,
                          int64_t ns, value event, value content)
{
  CAMLparam3(list, event, content);
  CAMLlocalN(args, 4);
  args[0] = Val_int(domain);
  args[1] = caml_copy_int64(ns);
  args[2] = event;
  args[3] = content;
  for (; list != Val_emptylist; list = Field(list, 1)) {
    value f = Field(Field(list, 0), 0);
    if (!ended(poll, caml_callbackN_exn(f, 4, args))) CAMLreturnT(int, 0);
  }
  CAMLreturnT(int, 1);
}

/* Calls the callbacks for user event [id] of type [type] with the content
   [content], an immediate value.  Returns 1, also when there are no callbacks,
   or 0 after an exception. */
static int user_immediate(void *data, int domain, int64_t ns, uintnat id,
                          char *name, ev_user_ml_type type, value content)
{
  CAMLparam0();
  CAMLlocal1(event);
  /* A new event without listeners is not registered. */
  if (listeners(data, type) == Val_emptylist) CAMLreturnT(int, 1);
  event = known_event(data, id, name, type);
  if (event == Val_none) CAMLreturnT(int, 1);
  int r = call_listeners(data, listeners(data, type), domain, ns, event,
                         content);
  CAMLreturnT(int, r);
}

static int ml_user_unit(int domain, void *data, int64_t ns, uintnat id,
                        char *name)
{
  return user_immediate(data, domain, ns, id, name, EV_USER_ML_TYPE_UNIT,
                        Val_unit);
}

static int ml_user_span(int domain, void *data, int64_t ns, uintnat id,
                        char *name, ev_user_span span)
{
  return user_immediate(data, domain, ns, id, name, EV_USER_ML_TYPE_SPAN,
                        Val_int(span));
}

static int ml_user_int(int domain, void *data, int64_t ns, uintnat id,
                       char *name, uint64_t n)
{
  return user_immediate(data, domain, ns, id, name, EV_USER_ML_TYPE_INT,
                        Val_long(n));
}

static int ml_user_custom(int domain, void *data, int64_t ns, uintnat id,
                          char *name, uintnat words, uint64_t *payload)
{
  CAMLparam0();
  CAMLlocal5(event, list, buffer, content, decoder);
  struct ml_poll *poll = data;
  struct eventring_event e = { .form = EVENTRING_EV_INSTANT,
                               .payload = payload, .words = words };
  size_t length;
  const char *bytes = eventring_event_bytes(&e, &length);

  event = known_event(poll, id, name, EV_USER_ML_TYPE_CUSTOM);
  if (event == Val_none || bytes == NULL || length > EVENTRING_MAX_BYTES)
    CAMLreturnT(int, 1);
  /* A custom type is a block in the User.t's third field. */
  list = listeners(poll, Long_val(Field(Field(Field(event, 2), 0), 2)));
  if (list == Val_emptylist) CAMLreturnT(int, 1);

  buffer = Field(*poll->cursor, CURSOR_BUFFER);
  if (buffer == Val_none) {
    buffer = caml_alloc_string(EVENTRING_MAX_BYTES);
    caml_modify(&Field(*poll->cursor, CURSOR_BUFFER), buffer);
  }
  memcpy(Bytes_val(buffer), bytes, length);
  decoder = Field(Field(Field(event, 2), 0), 1);
  content = caml_callback2_exn(decoder, buffer, Val_long(length));
  if (Is_exception_result(content))
    CAMLreturnT(int, ended(poll, content));
  int r = call_listeners(poll, list, domain, ns, event, content);
  CAMLreturnT(int, r);
}

static void finalise_cursor(value v)
{
  if (Handle_val(v) != NULL) caml_runtime_events_free_cursor(Handle_val(v));
}

static struct custom_operations cursor_operations = {
  .identifier = "runtime_events.cursor",
  .finalize = finalise_cursor
};

CAMLprim value caml_ml_runtime_events_create_cursor(value path_pid)
{
  CAMLparam1(path_pid);
  CAMLlocal2(handle, result);
  struct caml_runtime_events_cursor *c = NULL;
  char_os *path = NULL;
  int pid = -1;
  char why[512] = "", message[560];

  handle = caml_alloc_custom_mem(&cursor_operations,
                                 sizeof(struct caml_runtime_events_cursor *),
                                 EVENTRING_CURSOR_MEMORY);
  Handle_val(handle) = NULL;
  if (Is_some(path_pid)) {
    path = caml_stat_strdup_to_os(String_val(Field(Some_val(path_pid), 0)));
    pid = Int_val(Field(Some_val(path_pid), 1));
  }
  runtime_events_error err = open_cursor(path, pid, &c, why, sizeof(why));
  caml_stat_free(path);

  switch (err) {
  case E_SUCCESS:
    break;
  case E_NO_CURRENT_RING:
    caml_failwith("Runtime_events: no ring for current process."
                  " Was runtime_events started?");
  case E_OPEN_FAILURE:
    caml_failwith("Runtime_events: could not create cursor for specified"
                  " path.");
  case E_ALLOC_FAIL:
    caml_raise_out_of_memory();
  default:
    snprintf(message, sizeof(message), "Runtime_events: %s", why);
    caml_failwith(message);
  }

  caml_runtime_events_set_runtime_begin(c, ml_begin);
  caml_runtime_events_set_runtime_end(c, ml_end);
  caml_runtime_events_set_runtime_counter(c, ml_counter);
  caml_runtime_events_set_alloc(c, ml_alloc);
  caml_runtime_events_set_lifecycle(c, ml_lifecycle);
  caml_runtime_events_set_lost_events(c, ml_lost);
  caml_runtime_events_set_user_unit(c, ml_user_unit);
  caml_runtime_events_set_user_span(c, ml_user_span);
  caml_runtime_events_set_user_int(c, ml_user_int);
  caml_runtime_events_set_user_custom(c, ml_user_custom);
  Handle_val(handle) = c;

  result = caml_alloc_3(0, handle, Val_none, Val_none);
  CAMLreturn(result);
}

CAMLprim value caml_ml_runtime_events_free_cursor(value cursor)
{
  value handle = Field(cursor, CURSOR_HANDLE);
  struct caml_runtime_events_cursor *c = Handle_val(handle);
  Handle_val(handle) = NULL;
  if (c != NULL) caml_runtime_events_free_cursor(c);
  return Val_unit;
}

CAMLprim value caml_ml_runtime_events_read_poll(value cursor, value callbacks,
                                                value max_option)
{
  CAMLparam3(cursor, callbacks, max_option);
  CAMLlocal1(exception);
  struct caml_runtime_events_cursor *c =
    Handle_val(Field(cursor, CURSOR_HANDLE));
  intnat max = Is_some(max_option) ? Long_val(Some_val(max_option)) : 0;
  uintnat consumed = 0;

  if (c == NULL) caml_failwith("Runtime_events: invalid or closed cursor");
  exception = Val_unit;
  struct ml_poll poll = { &cursor, &callbacks, &exception, c };
  runtime_events_error err =
    caml_runtime_events_read_poll(c, &poll, max > 0 ? max : 0, &consumed);

  if (exception != Val_unit) caml_raise(exception);
  switch (err) {
  case E_SUCCESS:
    CAMLreturn(Val_long(consumed));
  case E_CURSOR_POLL_BUSY:
    caml_failwith("Runtime_events: poll called concurrently or reentrant");
  default:
    caml_failwith("Runtime_events: the ring file is damaged");
  }
}
