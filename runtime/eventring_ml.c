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

/* The primitives of the standard library's module Eventring: control, names
   and user events over the recorder, cursors over the reader.  Also the
   primitives by which its modules Domain and Semaphore give the reason of a
   wait. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caml/alloc.h"
#include "caml/bigarray.h"
#include "caml/custom.h"
#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "caml/eventring_reader.h"
#include "caml/fail.h"
#include "caml/memory.h"
#include "caml/mlvalues.h"
#include "caml/runtime_events.h"
#include "caml/signals.h"

#define MESSAGE (PATH_MAX + 256)

/* Raises Sys_error with [message], which is copied. */
static CAMLnoret void raise_sys_error(const char *message)
{
  caml_raise_sys_error(caml_copy_string(message));
}

/* Returns a copy of the OCaml string [path] as a C string, in memory from
   malloc that the caller frees.  Raises Invalid_argument with the text
   [function], a function's name, if the path has a NUL byte; Out_of_memory when
   there is no memory. */
static char *copy_path(value path, const char *function)
{
  if (!caml_string_is_c_safe(path)) caml_invalid_argument(function);
  char *copy = strdup(String_val(path));
  if (copy == NULL) caml_raise_out_of_memory();
  return copy;
}

/* Returns the bytes of the OCaml string [name], valid until the next
   allocation.  Raises Invalid_argument if the schema of a ring file cannot
   contain the name: if it is empty, too long, or has a NUL byte. */
static const char *checked_name(value name)
{
  mlsize_t length = caml_string_length(name);
  if (length == 0) caml_invalid_argument("Eventring: a name is empty");
  if (length >= EVENTRING_NAME_SIZE)
    caml_invalid_argument("Eventring: a name is longer than 127 bytes");
  if (!caml_string_is_c_safe(name))
    caml_invalid_argument("Eventring: a name holds a NUL byte");
  return String_val(name);
}

/* Control */

/* Returns the binary logarithm of the words of a ring that has [words] words or
   the next power of two; 0 for 0.  Raises Invalid_argument when no ring has so
   many words. */
static unsigned log_words(intnat words)
{
  unsigned log = EVENTRING_MIN_LOG_WORDS;
  if (words == 0) return 0;
  if (words < (intnat) 1 << EVENTRING_MIN_LOG_WORDS
      || words > (intnat) 1 << EVENTRING_MAX_LOG_WORDS)
    caml_invalid_argument("Eventring.start: a ring has 512 to 2^30 words");
  while ((intnat) 1 << log < words) log++;
  return log;
}

/* Starts tracing, with the ring file in the directory [dir], a string option
   (None: as the environment says), the categories [mask], an int (0: the default
   categories), and rings of [words] words, an int (0: as the settings say), or
   the next power of two.  When tracing has started already, the rings get this
   size, and the other arguments have no effect.  Returns unit.  Raises Sys_error
   on failure, Invalid_argument when the directory has a NUL byte or no ring has
   so many words. */
CAMLprim value caml_ml_eventring_start(value dir, value mask, value words)
{
  char why[MESSAGE];
  unsigned log = log_words(Long_val(words));
  char *copy = Is_some(dir) ? copy_path(Some_val(dir), "Eventring.start")
                            : NULL;
  uint32_t categories = mask != Val_int(0) ? Int_val(mask)
                                           : EVENTRING_DEFAULT_CATEGORIES;
  int ok = caml_eventring_start_rings(copy, categories, log, why, sizeof(why));
  free(copy);
  if (!ok) raise_sys_error(why);
  return Val_unit;
}

/* Has the programs that record this process write the events that they hold.
   Returns unit. */
CAMLprim value caml_ml_eventring_flush(value unit)
{
  caml_eventring_flush();
  return unit;
}

/* Each of the next three primitives calls the function that it is named after,
   in runtime/eventring_control.c, and returns unit. */
CAMLprim value caml_ml_eventring_stop(value unit)
{
  caml_eventring_stop();
  return Val_unit;
}

CAMLprim value caml_ml_eventring_pause(value unit)
{
  caml_eventring_pause();
  return Val_unit;
}

CAMLprim value caml_ml_eventring_resume(value unit)
{
  caml_eventring_resume();
  return Val_unit;
}

/* Returns an int that identifies the session: its number in bits 0 to 31 (0:
   tracing has not started), and the process id in the bits above. */
CAMLprim value caml_ml_eventring_session(value unit)
{
  return Val_long((intnat) getpid() << 32 | caml_eventring_session());
}

/* Returns the mask of the categories that are recorded, or to be recorded on
   resume, as an int; 0 when tracing has not started. */
CAMLprim value caml_ml_eventring_mask(value unit)
{
  return Val_int(caml_eventring_categories());
}

/* Sets the categories to record to the mask [mask], an int that is not 0.  No
   effect when tracing has not started.  Returns unit. */
CAMLprim value caml_ml_eventring_set_mask(value mask)
{
  caml_eventring_set_categories(Int_val(mask));
  return Val_unit;
}

/* Returns the duration of the shortest wait that is recorded, in ns, as an int;
   max_int if it is longer.  When tracing has not started, that of the next
   session. */
CAMLprim value caml_ml_eventring_threshold(value unit)
{
  uint64_t ns = caml_eventring_threshold();
  return Val_long(ns < Max_long ? ns : Max_long);
}

/* Sets the duration of the shortest wait that is recorded to [ns], an int; 0
   counts as 1.  No effect when tracing has not started.  Returns unit. */
CAMLprim value caml_ml_eventring_set_threshold(value ns)
{
  caml_eventring_set_threshold(Long_val(ns));
  return Val_unit;
}

/* Returns the processor time between two samples of a thread, in ns, as an
   int. */
CAMLprim value caml_ml_eventring_sample_period(value unit)
{
  return Val_long(caml_eventring_sample_period());
}

/* Sets the processor time between two samples of a thread to [ns], an int, at
   least 1.  Returns unit. */
CAMLprim value caml_ml_eventring_set_sample_period(value ns)
{
  caml_eventring_set_sample_period(Long_val(ns));
  return Val_unit;
}

/* Returns the mean number of allocated words between two samples of them, as an
   int. */
CAMLprim value caml_ml_eventring_alloc_period(value unit)
{
  return Val_long(caml_eventring_alloc_period());
}

/* Sets the mean number of allocated words between two samples of them to
   [words], an int, at least 1.  Returns unit. */
CAMLprim value caml_ml_eventring_set_alloc_period(value words)
{
  caml_eventring_set_alloc_period(Long_val(words));
  return Val_unit;
}

/* Writes a copy of the present content of the rings to the file with the path
   [file].  Releases the domain lock meanwhile.  Returns unit.  Raises Sys_error
   on failure, Invalid_argument when the path has a NUL byte. */
CAMLprim value caml_ml_eventring_snapshot(value file)
{
  char why[MESSAGE];
  char *path = copy_path(file, "Eventring.snapshot");
  caml_enter_blocking_section();
  int ok = caml_eventring_snapshot(path, why, sizeof(why));
  caml_leave_blocking_section();
  free(path);
  if (!ok) raise_sys_error(why);
  return Val_unit;
}

/* Lets the first word of [literal], a string literal of 16 zero bytes, be the
   distance to the control word as soon as tracing has started once.  Bytecode
   always calls the primitives instead, since its literals are in the heap and
   may move: there the first word leads to the second, which is all ones.
   Returns unit. */
CAMLprim value caml_ml_eventring_connect(value literal)
{
#ifdef NATIVE_CODE
  caml_eventring_connect((uint64_t *) Bytes_val(literal));
#else
  uint64_t words[] = {8, UINT64_MAX};
  memcpy(Bytes_val(literal), words, sizeof(words));
#endif
  return Val_unit;
}

/* Set the name of the calling domain or thread to the string [name], and return
   unit.  Raise Invalid_argument if the name is not valid.  Do nothing when
   there is no room for another name, since tracing works without the name. */

CAMLprim value caml_ml_eventring_set_domain_name(value name)
{
  caml_eventring_set_domain_name(checked_name(name));
  return Val_unit;
}

CAMLprim value caml_ml_eventring_set_thread_name(value name)
{
  caml_eventring_set_thread_name(checked_name(name));
  return Val_unit;
}

/* User events */

/* Write the event word [word], for the second function with the payload word
   [n], both ints.  Native code calls these two, while user events are recorded,
   without a result, so that the call of the writer is a jump; bytecode calls the
   two after them, which write nothing while user events are not recorded and
   return unit. */
void caml_ml_eventring_emit_native(value word)
{
  caml_eventring_emit((uint64_t) Long_val(word));
}

void caml_ml_eventring_emit_int_native(value word, value n)
{
  caml_eventring_emit_int((uint64_t) Long_val(word), (uint64_t) Long_val(n));
}

CAMLprim value caml_ml_eventring_emit(value word)
{
  if (Caml_eventring_on(EVENTRING_USER)) caml_ml_eventring_emit_native(word);
  return Val_unit;
}

CAMLprim value caml_ml_eventring_emit_int(value word, value n)
{
  if (Caml_eventring_on(EVENTRING_USER))
    caml_ml_eventring_emit_int_native(word, n);
  return Val_unit;
}

/* Writes the event word [word] with the first [length] bytes of [bytes], at
   most EVENTRING_MAX_BYTES.  Writes nothing while user events are not recorded.
   Returns unit. */
CAMLprim value caml_ml_eventring_emit_bytes(value word, value bytes,
                                            value length)
{
  if (Caml_eventring_on(EVENTRING_USER))
    caml_eventring_emit_bytes((uint64_t) Long_val(word), Bytes_val(bytes),
                              Long_val(length));
  return Val_unit;
}

/* Each of the next four primitives calls the function that it is named after,
   in runtime/eventring_user.c.  [request] is the event word of the start of a
   request, without the length: the id of the event.  Numbers of requests are
   ints. */
CAMLprim value caml_ml_eventring_request_start(value request)
{
  return Val_long(caml_eventring_request_start(Int_val(request)));
}

CAMLprim value caml_ml_eventring_request_resume(value number)
{
  caml_eventring_request_resume((uint64_t) Long_val(number));
  return Val_unit;
}

CAMLprim value caml_ml_eventring_request_current(value unit)
{
  return Val_long(caml_eventring_request_current());
}

CAMLprim value caml_ml_eventring_request_finish(value request, value number)
{
  caml_eventring_request_finish(Int_val(request), (uint64_t) Long_val(number));
  return Val_unit;
}

/* Returns true while user events are recorded. */
CAMLprim value caml_ml_eventring_user_on(value unit)
{
  return Val_bool(Caml_eventring_on(EVENTRING_USER));
}

/* Returns the id [id] of an event as an OCaml int.  Raises the exception for an
   error of registration. */
static value registered(int id)
{
  switch (id) {
  case EVENTRING_TOO_MANY:
    caml_invalid_argument("Eventring: 32768 events are registered already");
  case EVENTRING_OTHER_TYPE:
    caml_invalid_argument(
      "Eventring: an event of this name and another type is registered");
  case EVENTRING_NO_MEMORY:
    caml_raise_out_of_memory();
  }
  return Val_int(id);
}

/* Registers an event called [name], with the numbers [kind] of enum
   eventring_kind and [payload] of enum eventring_payload, and the string
   [unit].  Returns the id of the event; the old id if an event of this name and
   type is registered already.  Raises Invalid_argument if the name or the
   unit is not valid, if an event of this name has another type, or if the
   maximum number of events is registered; Out_of_memory when there is no
   memory. */
CAMLprim value caml_ml_eventring_register(value name, value kind,
                                          value payload, value unit)
{
  const char *checked = checked_name(name);
  if (caml_string_length(unit) >= EVENTRING_UNIT_SIZE)
    caml_invalid_argument("Eventring: a unit is longer than 15 bytes");
  if (!caml_string_is_c_safe(unit))
    caml_invalid_argument("Eventring: a unit holds a NUL byte");
  return registered(caml_eventring_register_once(checked, Int_val(kind),
                                                 Int_val(payload),
                                                 String_val(unit)));
}

/* Registers the event of the data point called [name].  Returns and raises as
   caml_ml_eventring_register does. */
CAMLprim value caml_ml_eventring_register_point(value name)
{
  return registered(caml_eventring_register_point(checked_name(name)));
}

/* Cursors.  A handle is a custom block that holds this. */

#define BATCH 256

struct cursor {
  struct eventring_cursor *reader;      /* NULL: freed */
  struct eventring_event events[BATCH];
};

#define Cursor_val(v) (*(struct cursor **) Data_custom_val(v))

_Static_assert(sizeof(struct eventring_event) == 48
               && offsetof(struct eventring_event, ns) == 0
               && offsetof(struct eventring_event, words) == 24
               && offsetof(struct eventring_event, ring) == 28
               && offsetof(struct eventring_event, domain) == 32
               && offsetof(struct eventring_event, thread) == 36
               && offsetof(struct eventring_event, id) == 40
               && offsetof(struct eventring_event, form) == 42
               && offsetof(struct eventring_event, thread_id) == 44,
               "stdlib/eventring.ml reads the events at these offsets");

/* Closes the cursor [v] and frees its memory, when the garbage collector has
   found its handle unreachable. */
static void finalise_cursor(value v)
{
  struct cursor *c = Cursor_val(v);
  if (c == NULL) return;
  eventring_close(c->reader);
  free(c);
}

static struct custom_operations cursor_operations = {
  .identifier = "eventring.cursor",
  .finalize = finalise_cursor
};

/* Opens a ring file for reading and returns a cursor handle.  [source] is of
   the type

     type source = Self | Process of { pid; dir } | File of string

   and with [from_now] true the cursor skips the events that the file has
   already.  Raises Sys_error when the file cannot be opened, or for Self when
   this process is not traced; Invalid_argument when a path has a NUL byte;
   Out_of_memory when there is no memory. */
CAMLprim value caml_ml_eventring_cursor_create(value source, value from_now)
{
  CAMLparam2(source, from_now);
  CAMLlocal1(handle);
  char why[MESSAGE];
  struct eventring_options options = {
    .size = sizeof(options), .from_now = Bool_val(from_now), .message = why,
    .message_size = sizeof(why)
  };
  char *path = NULL;
  int err;

  handle = caml_alloc_custom_mem(&cursor_operations, sizeof(struct cursor *),
                                 EVENTRING_CURSOR_MEMORY);
  Cursor_val(handle) = NULL;
  struct cursor *c = calloc(1, sizeof(*c));
  if (c == NULL) caml_raise_out_of_memory();
  Cursor_val(handle) = c;

  if (Is_long(source)) {
    path = caml_eventring_path();
    if (path == NULL)
      raise_sys_error("Eventring: this process is not being traced");
    err = eventring_open(path, &options, &c->reader);
  } else if (Tag_val(source) == 0) {
    value dir = Field(source, 1);
    if (Is_some(dir)) path = copy_path(Some_val(dir), "Eventring.Cursor.create");
    intnat pid = Long_val(Field(source, 0));
    err = eventring_open_pid(pid > 0 && pid <= INT32_MAX ? (int32_t) pid : 0,
                             path, &options, &c->reader);
  } else {
    path = copy_path(Field(source, 0), "Eventring.Cursor.create");
    err = eventring_open(path, &options, &c->reader);
  }
  free(path);
  if (err == EVENTRING_E_MEMORY) caml_raise_out_of_memory();
  if (err < 0) raise_sys_error(why);
  CAMLreturn(handle);
}

/* Returns the batch of the cursor [handle], a bigarray of bytes over its array
   of events.  The bigarray is valid as long as the handle is reachable. */
CAMLprim value caml_ml_eventring_cursor_batch(value handle)
{
  CAMLparam1(handle);
  struct cursor *c = Cursor_val(handle);
  intnat size = sizeof(c->events);
  CAMLreturn(caml_ba_alloc(CAML_BA_UINT8 | CAML_BA_C_LAYOUT
                           | CAML_BA_EXTERNAL, 1, c->events, &size));
}

/* Reads the next events of the cursor [handle] into its batch.  Returns their
   number; 0 when there are none at present or the cursor is freed; -1 on an
   error of the reader, such as a damaged block; the next call reads on behind
   the damage. */
CAMLprim value caml_ml_eventring_cursor_read(value handle)
{
  struct cursor *c = Cursor_val(handle);
  if (c->reader == NULL) return Val_int(0);
  int n = eventring_read(c->reader, c->events, BATCH);
  return Val_int(n < 0 ? -1 : n);
}

/* Closes the ring file of the cursor [handle], whose batch stays allocated: the
   OCaml side may still hold it.  No effect when the cursor is freed already.
   Returns unit. */
CAMLprim value caml_ml_eventring_cursor_free(value handle)
{
  struct cursor *c = Cursor_val(handle);
  eventring_close(c->reader);
  c->reader = NULL;
  return Val_unit;
}

/* Returns Some (name, unit, kind) for the event with the id [id], or None if
   the schema of the ring file has no such event or the cursor is freed. */
CAMLprim value caml_ml_eventring_cursor_describe(value handle, value id)
{
  CAMLparam1(handle);
  CAMLlocal3(name, unit, all);
  struct cursor *c = Cursor_val(handle);
  const struct eventring_description *d =
    eventring_describe(c->reader, Int_val(id));
  if (d == NULL) CAMLreturn(Val_none);
  name = caml_copy_string(d->name);
  unit = caml_copy_string(d->unit);
  all = caml_alloc_3(0, name, unit, Val_int(d->kind));
  CAMLreturn(caml_alloc_some(all));
}

/* Returns the state of the process that writes the ring file of [handle], a
   result of eventring_state as an int; negative when the cursor is freed. */
CAMLprim value caml_ml_eventring_cursor_state(value handle)
{
  return Val_int(eventring_state(Cursor_val(handle)->reader));
}

/* Returns event [index], below BATCH, of the batch of [c]: the event for which
   the OCaml side runs a callback.  Returns NULL when the cursor is freed or
   [index] is negative, as outside of callbacks. */
static const struct eventring_event *current(const struct cursor *c,
                                             intnat index)
{
  return c->reader != NULL && index >= 0 ? &c->events[index] : NULL;
}

/* Returns Some text for event [index] of the batch of [handle]; None if there
   is no such event, or if its payload is neither bytes nor text.  The payload
   of an event that the schema does not describe counts as bytes if it has their
   form. */
CAMLprim value caml_ml_eventring_cursor_text(value handle, value index)
{
  CAMLparam1(handle);
  CAMLlocal1(text);
  struct cursor *c = Cursor_val(handle);
  size_t length;
  const char *bytes = NULL;
  const struct eventring_event *e = current(c, Long_val(index));
  if (e != NULL) {
    /* An integer 0 has the same words as a text of length 0. */
    const struct eventring_description *d =
      eventring_describe(c->reader, e->id);
    if (d == NULL || d->payload == EVENTRING_PAYLOAD_BYTES
        || d->payload == EVENTRING_PAYLOAD_TEXT)
      bytes = eventring_event_bytes(e, &length);
  }
  if (bytes == NULL) CAMLreturn(Val_none);
  text = caml_alloc_initialized_string(length, bytes);
  CAMLreturn(caml_alloc_some(text));
}

/* Returns payload word [word] of event [index] of the batch of [handle] as Some
   field, a Cursor.field with name, unit, value and meaning; None if there is no
   such event or word, or the schema of the ring file does not describe the
   word. */
CAMLprim value caml_ml_eventring_cursor_field(value handle, value index,
                                              value word)
{
  CAMLparam1(handle);
  CAMLlocal4(name, unit, meaning, all);
  struct cursor *c = Cursor_val(handle);
  const struct eventring_event *e = current(c, Long_val(index));
  if (e == NULL || Long_val(word) >= e->words) CAMLreturn(Val_none);
  const struct eventring_field *field =
    eventring_field(c->reader, e->id, Long_val(word));
  if (field == NULL) CAMLreturn(Val_none);
  uint64_t n = e->payload[Long_val(word)];
  const char *known = eventring_value(c->reader, field->unit, n);
  name = caml_copy_string(field->name);
  unit = caml_copy_string(field->unit);
  meaning = caml_copy_string(known != NULL ? known : "");
  all = caml_alloc_4(0, name, unit, Val_long(n), meaning);
  CAMLreturn(caml_alloc_some(all));
}

/* Returns the name that the domain of event [index] of the batch of [handle] had
   at its time; "" if the domain has no name or there is no such event. */
CAMLprim value caml_ml_eventring_cursor_domain_name(value handle, value index)
{
  struct cursor *c = Cursor_val(handle);
  const struct eventring_event *e = current(c, Long_val(index));
  const char *name =
    e != NULL ? eventring_domain_name_at(c->reader, e->domain, e->ticks) : NULL;
  return caml_copy_string(name != NULL ? name : "");
}

/* Returns the name that the thread of event [index] of the batch of [handle] had
   at its time; "" if the thread has no name or there is no such event. */
CAMLprim value caml_ml_eventring_cursor_thread_name(value handle, value index)
{
  struct cursor *c = Cursor_val(handle);
  const struct eventring_event *e = current(c, Long_val(index));
  const char *name =
    e != NULL ? eventring_thread_name_at(c->reader, e->domain, e->thread,
                                         e->thread_id, e->ticks) : NULL;
  return caml_copy_string(name != NULL ? name : "");
}

/* Returns payload word [word] of event [index] of the batch of [handle]; 0 if
   there is no such event or word.  Native code calls this function, bytecode
   the next. */
intnat caml_ml_eventring_cursor_word(value handle, intnat index, intnat word)
{
  struct cursor *c = Cursor_val(handle);
  const struct eventring_event *e = current(c, index);
  /* Outside of callbacks, the number of words that the OCaml side has seen may
     belong to another event. */
  return e != NULL && word < e->words ? (intnat) e->payload[word] : 0;
}

/* The function above for bytecode. */
CAMLprim value caml_ml_eventring_cursor_word_byte(value handle, value index,
                                                  value word)
{
  return Val_long(caml_ml_eventring_cursor_word(handle, Long_val(index),
                                                Long_val(word)));
}

/* Returns the present time of CLOCK_MONOTONIC in ns, an int. */
CAMLprim value caml_ml_eventring_now(value unit)
{
  return Val_long(eventring_clock_ns(CLOCK_MONOTONIC));
}

/* Wait for [condition] with [mutex] locked, as Condition.wait, and return unit.
   The waits within Domain.join and module Semaphore call these functions, so
   that the rings have events of their own for such waits. */

value caml_ml_condition_wait(value condition, value mutex);

CAMLprim value caml_eventring_domain_join_wait(value condition, value mutex)
{
  caml_eventring_set_wait_reason(EV_DOMAIN_JOIN);
  return caml_ml_condition_wait(condition, mutex);
}

CAMLprim value caml_eventring_semaphore_wait(value condition, value mutex)
{
  caml_eventring_set_wait_reason(EV_SEMAPHORE_WAIT);
  return caml_ml_condition_wait(condition, mutex);
}

/* Writes the event that Dynlink loads the compilation unit [unit], an OCaml
   string, if its category is recorded.  Called in bytecode.  Returns unit. */
CAMLprim value caml_eventring_loaded(value unit)
{
  caml_eventring_text(EV_DYNLINK, EVENTRING_RUNTIME, String_val(unit));
  return Val_unit;
}
