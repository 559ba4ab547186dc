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

/* Events and names of the program: registering, the interface for C stubs, and
   the names of domains and threads.  A program that uses none of it is linked
   without this file. */

#include <stdlib.h>
#include <string.h>

#include "caml/domain.h"
#include "caml/eventring.h"
#include "eventring_internal.h"

/* Returns the address of the bucket of the first registered event called
   [name], or of the empty bucket, with 0, to put such an event in.  There must
   be buckets.  Call with the session's lock held. */
COLD
static uint32_t *find_name(const char *name)
{
  struct caml_ring_names *names = &caml_ring_names;
  uint32_t hash = 2166136261u;          /* FNV-1a */
  for (const char *p = name; *p != '\0'; p++)
    hash = (hash ^ (unsigned char) *p) * 16777619u;
  uint32_t mask = 2 * names->capacity - 1;
  uint32_t i = hash & mask;
  while (names->bucket[i] != 0
         && strcmp(names->entry[names->bucket[i] - 1].name, name) != 0)
    i = (i + 1) & mask;
  return &names->bucket[i];
}

/* Makes sure that [caml_ring_names] has room for one more event.  Returns 1, or
   0 when out of memory.  Call with the session's lock held. */
COLD
static int reserve_name(void)
{
  struct caml_ring_names *names = &caml_ring_names;
  if (names->count < names->capacity) return 1;
  uint32_t capacity = names->capacity ? 2 * names->capacity : 16;
  void *entry = realloc(names->entry, capacity * sizeof(*names->entry));
  if (entry == NULL) return 0;
  names->entry = entry;
  uint32_t *bucket = calloc(2 * (size_t) capacity, sizeof(*bucket));
  if (bucket == NULL) return 0;
  free(names->bucket);
  names->bucket = bucket;
  names->capacity = capacity;
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t *b = find_name(names->entry[i].name);
    if (*b == 0) *b = i + 1;
  }
  return 1;
}

/* Registers a copy of the event [e], and appends it to the schema of the ring
   file if tracing has started.  Prints a message when the schema has no room,
   and registers the event all the same.  Returns the new id of the event,
   EVENTRING_TOO_MANY or EVENTRING_NO_MEMORY.  Call with the session's lock
   held. */
COLD
static int add_name(const struct eventring_schema_entry *e)
{
  struct caml_ring_names *names = &caml_ring_names;
  if (names->count == EVENTRING_MAX_USER_EVENTS) return EVENTRING_TOO_MANY;
  if (!reserve_name()) return EVENTRING_NO_MEMORY;
  struct eventring_schema_entry *mine = &names->entry[names->count];
  *mine = *e;
  mine->id = EVENTRING_FIRST_USER_ID + names->count;
  uint32_t *b = find_name(mine->name);
  names->count++;
  if (*b == 0) *b = names->count;
  if (caml_eventring_started()) {
    int err = caml_ring_append_to_schema(mine);
    if (err != 0)
      caml_eventring_complain(
        "cannot add the event %s to %s: %s; it has no name there",
        mine->name, caml_ring_session.path, strerror(err));
  }
  return mine->id;
}

COLD
int caml_eventring_register(const char *name, enum eventring_kind kind,
                            enum eventring_payload payload, const char *unit)
{
  struct eventring_schema_entry e;
  caml_ring_describe(&e, name, kind, payload, unit);
  caml_ring_lock_session();
  int id = add_name(&e);
  pthread_mutex_unlock(&caml_ring_session_lock);
  return id;
}

/* Registers a copy of the event [e], unless an event of its name and type is
   registered.  Returns the id of the event; or EVENTRING_OTHER_TYPE if an event
   of its name has another type, or an error of [add_name]. */
COLD
static int add_once(const struct eventring_schema_entry *e)
{
  int id;
  caml_ring_lock_session();
  struct caml_ring_names *names = &caml_ring_names;
  uint32_t at = names->count == 0 ? 0 : *find_name(e->name);
  if (at == 0) {
    id = add_name(e);
  } else {
    const struct eventring_schema_entry *old = &names->entry[at - 1];
    id = old->kind == e->kind && old->payload == e->payload
      && old->category == e->category && strcmp(old->unit, e->unit) == 0
      ? old->id : EVENTRING_OTHER_TYPE;
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
  return id;
}

COLD
int caml_eventring_register_once(const char *name, enum eventring_kind kind,
                                 enum eventring_payload payload,
                                 const char *unit)
{
  struct eventring_schema_entry e;
  caml_ring_describe(&e, name, kind, payload, unit);
  return add_once(&e);
}

COLD
int caml_eventring_register_point(const char *name)
{
  struct eventring_schema_entry e;
  caml_ring_describe(&e, name, EVENTRING_INSTANT, EVENTRING_TEXT, "");
  e.category = EVENTRING_POINTS_BIT;
  return add_once(&e);
}

COLD
int caml_eventring_set_domain_name(const char *name)
{
  return caml_ring_set_label(Caml_state->unique_id, 0, name);
}

COLD
int caml_eventring_set_thread_name(const char *name)
{
  return caml_ring_set_label(Caml_state->unique_id, caml_ring_this_thread(),
                             name);
}

/* For C stubs */

/* Registers an event for C code, as [caml_eventring_register_once], but returns
   EVENTRING_BAD_NAME when [name] is NULL or empty, or [name] or [unit] is too
   long. */
COLD
static int register_for_c(const char *name, enum eventring_kind kind,
                          enum eventring_payload payload, const char *unit)
{
  if (name == NULL || *name == '\0' || strlen(name) >= EVENTRING_NAME_SIZE
      || strlen(unit) >= EVENTRING_UNIT_SIZE)
    return EVENTRING_BAD_NAME;
  return caml_eventring_register_once(name, kind, payload, unit);
}

COLD
CAMLexport int caml_eventring_register_span(const char *name)
{
  return register_for_c(name, EVENTRING_SPAN, EVENTRING_INT, "");
}

COLD
CAMLexport int caml_eventring_register_counter(const char *name,
                                               const char *unit)
{
  return register_for_c(name, EVENTRING_COUNTER, EVENTRING_INT,
                        unit != NULL ? unit : "");
}

COLD
CAMLexport int caml_eventring_register_mark(const char *name)
{
  return register_for_c(name, EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD, "");
}

COLD
CAMLexport int caml_eventring_register_message(const char *name)
{
  return register_for_c(name, EVENTRING_INSTANT, EVENTRING_TEXT, "");
}

COLD
CAMLexport int caml_eventring_register_flow(const char *name)
{
  return register_for_c(name, EVENTRING_FLOW, EVENTRING_INT, "");
}

COLD
CAMLexport int caml_eventring_register_request(const char *name)
{
  return register_for_c(name, EVENTRING_REQUEST, EVENTRING_INT, "");
}

COLD
CAMLexport int caml_eventring_register_custom(const char *name)
{
  return register_for_c(name, EVENTRING_INSTANT, EVENTRING_BYTES, "");
}

/* Returns 1 if user events are being recorded and [event] is an event and not
   an error of registration; else 0. */
Caml_inline int is_recorded(int event)
{
  return Caml_eventring_on(EVENTRING_USER) && event > 0;
}

/* Writes an event word of [event] with the form [form], if [is_recorded]. */
Caml_inline void emit(int event, enum eventring_form form)
{
  if (is_recorded(event))
    caml_eventring_emit(EVENTRING_WORD(event, form, 0));
}

/* Writes an event word of [event] with the form [form] and the payload [n], if
   [is_recorded]. */
Caml_inline void emit_int(int event, enum eventring_form form, int64_t n)
{
  if (is_recorded(event))
    caml_eventring_emit_int(EVENTRING_WORD(event, form, 1), (uint64_t) n);
}

_Static_assert(EVENTRING_MAX_CONTENT <= EVENTRING_MAX_BYTES,
               "a block holds the largest message");

/* Writes [event] with the [length] bytes at [bytes], at most
   EVENTRING_MAX_BYTES.  The caller has tested [is_recorded]. */
static void emit_bytes(int event, const void *bytes, size_t length)
{
  caml_eventring_emit_bytes(EVENTRING_WORD(event, EVENTRING_FORM_INSTANT, 0),
                            bytes, length);
}

CAMLexport void caml_eventring_span_start(int event)
{
  emit(event, EVENTRING_FORM_BEGIN);
}

CAMLexport void caml_eventring_span_finish(int event)
{
  emit(event, EVENTRING_FORM_END);
}

CAMLexport void caml_eventring_counter_sample(int event, int64_t value)
{
  emit_int(event, EVENTRING_FORM_COUNTER, value);
}

CAMLexport void caml_eventring_mark_emit(int event)
{
  emit(event, EVENTRING_FORM_INSTANT);
}

CAMLexport void caml_eventring_message_emit(int event, const char *text)
{
  if (is_recorded(event))
    emit_bytes(event, text, strnlen(text, EVENTRING_MAX_CONTENT));
}

CAMLexport void caml_eventring_flow_start(int event, int64_t id)
{
  emit_int(event, EVENTRING_FORM_BEGIN, id);
}

CAMLexport void caml_eventring_flow_step(int event, int64_t id)
{
  emit_int(event, EVENTRING_FORM_INSTANT, id);
}

CAMLexport void caml_eventring_flow_finish(int event, int64_t id)
{
  emit_int(event, EVENTRING_FORM_END, id);
}

CAMLexport uint64_t caml_eventring_request_start(int event)
{
  static _Atomic uint64_t last;
  if (!is_recorded(event)) return 0;
  uint64_t number =
    atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
  emit_int(event, EVENTRING_FORM_BEGIN, (int64_t) number);
  return number;
}

/* The request of a thread is also set while user events are not recorded: a
   thread must not go on with a request that it left during a pause. */
CAMLexport void caml_eventring_request_resume(uint64_t number)
{
  if (caml_ring_self.request == number) return;
  caml_ring_self.request = number;
  if (Caml_eventring_on(EVENTRING_USER))
    caml_eventring_emit_packed(EVENTRING_RECORD(EV_REQUEST_RUN), &number, 1);
}

CAMLexport void caml_eventring_request_suspend(void)
{
  caml_eventring_request_resume(0);
}

CAMLexport uint64_t caml_eventring_request_current(void)
{
  return caml_ring_self.request;
}

CAMLexport void caml_eventring_request_finish(int event, uint64_t number)
{
  if (number == 0) return;
  emit_int(event, EVENTRING_FORM_END, (int64_t) number);
  /* The event ends the run. */
  if (caml_ring_self.request == number) caml_ring_self.request = 0;
}

CAMLexport void caml_eventring_custom_emit(int event, const void *bytes,
                                           size_t length)
{
  if (is_recorded(event) && length <= EVENTRING_MAX_CONTENT)
    emit_bytes(event, bytes, length);
}

CAMLexport void caml_eventring_flush(void)
{
  if (caml_eventring_started())
    __atomic_fetch_add(&HEADER->flushes, 1, __ATOMIC_RELEASE);
}
