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

/* The functions of Runtime_events that libraries call: the modules
   Runtime_events and Unix.  A program without these is linked without this
   file.  The reading side is in otherlibs/runtime_events. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "caml/alloc.h"
#include "caml/callback.h"
#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/fail.h"
#include "caml/memory.h"
#include "caml/osdeps.h"
#include "caml/platform.h"
#include "caml/runtime_events.h"

/* Life */

CAML_EVENTRING_COLD
CAMLexport void caml_runtime_events_start(void)
{
  char why[PATH_MAX + 256];
  if (!caml_eventring_start(NULL, EVENTRING_STOCK_SUFFIX,
                            EVENTRING_EVENT_CATEGORIES, 0, why, sizeof(why)))
    caml_eventring_complain("%s; tracing is off", why);
}

CAMLexport void caml_runtime_events_pause(void)
{
  caml_eventring_pause();
}

CAMLexport void caml_runtime_events_resume(void)
{
  caml_eventring_resume();
}

CAMLexport int caml_runtime_events_are_active(void)
{
  return (caml_eventring_active() & EVENTRING_ALL_CATEGORIES) != 0;
}

CAML_EVENTRING_COLD
CAMLexport char_os *caml_runtime_events_current_location(void)
{
  char_os *result = NULL;
  char *path = caml_eventring_path();
  if (path != NULL) result = caml_stat_strdup_noexc_os(path);
  free(path);
  return result;
}

CAMLprim value caml_ml_runtime_events_start(value unit)
{
  caml_runtime_events_start();
  return Val_unit;
}

CAMLprim value caml_ml_runtime_events_pause(value unit)
{
  caml_runtime_events_pause();
  return Val_unit;
}

CAMLprim value caml_ml_runtime_events_resume(value unit)
{
  caml_runtime_events_resume();
  return Val_unit;
}

CAMLprim value caml_ml_runtime_events_are_active(value unit)
{
  return Val_bool(caml_runtime_events_are_active());
}

/* Returns Some path for the path of this process's ring file, None when tracing
   has not started or there is no memory. */
CAML_EVENTRING_COLD
CAMLprim value caml_ml_runtime_events_path(value unit)
{
  CAMLparam0();
  CAMLlocal2(path, result);
  char_os *location = caml_runtime_events_current_location();
  if (location == NULL) CAMLreturn(Val_none);
  path = caml_copy_string_of_os(location);
  caml_stat_free(location);
  result = caml_alloc_some(path);
  CAMLreturn(result);
}

CAML_EVENTRING_COLD
void caml_runtime_events_post_fork(void)
{
#ifdef CAML_INSTR
  /* The parent writes the counts from before the fork. */
  caml_ev_alloc_forget();
#endif
  caml_eventring_restart_in_child();
}

/* User events.  The OCaml side of these values:

     type 'a t = { id : int; name : string; typ : 'a Type.t; tag : tag option }
     type 'a Type.t = Unit | Int | Span | Custom of 'a custom
     type 'a custom = { serialize : bytes -> 'a -> int;
                        deserialize : bytes -> int -> 'a; id : int }  */

/* The events registered in this program, the newest first:
   a list of Runtime_events.User.t. */
static value user_events = Val_emptylist;
static uintnat user_event_count = 0;
static caml_plat_mutex user_events_lock = CAML_PLAT_MUTEX_INITIALIZER;

enum { EVENT_ID, EVENT_NAME, EVENT_TYPE, EVENT_TAG };

/* Returns the type of event that the OCaml value [type], a Type.t, names. */
static ev_user_ml_type ml_type(value type)
{
  return Is_block(type) ? EV_USER_ML_TYPE_CUSTOM
                        : (ev_user_ml_type) Int_val(type);
}

/* Registers a user event with the name, tag and type given as OCaml values.
   Stores the event, a User.t, in [*result], which the caller has registered as
   a root.  Returns the id of the event, or EVENTRING_TOO_MANY or
   EVENTRING_NO_MEMORY; then the event in [*result] must not be used. */
CAML_EVENTRING_COLD
static int register_event(value event_name, value event_tag, value event_type,
                          value *result)
{
  CAMLparam3(event_name, event_tag, event_type);
  CAMLlocal2(event, item);
  static const struct {
    enum eventring_kind kind;
    enum eventring_payload payload;
  } as[] = {
    [EV_USER_ML_TYPE_UNIT] = { EVENTRING_INSTANT, EVENTRING_NO_PAYLOAD },
    [EV_USER_ML_TYPE_INT] = { EVENTRING_COUNTER, EVENTRING_INT },
    [EV_USER_ML_TYPE_SPAN] = { EVENTRING_SPAN, EVENTRING_NO_PAYLOAD },
    [EV_USER_ML_TYPE_CUSTOM] = { EVENTRING_INSTANT, EVENTRING_BYTES }
  };
  ev_user_ml_type type = ml_type(event_type);

  /* All allocation before the lock is taken: a collection may run finalisers
     that register events. */
  event = caml_alloc_small(4, 0);
  Field(event, EVENT_ID) = Val_int(0);
  Field(event, EVENT_NAME) = event_name;
  Field(event, EVENT_TYPE) = event_type;
  Field(event, EVENT_TAG) = event_tag;
  item = caml_alloc_small(2, Tag_cons);
  Field(item, 0) = event;
  Field(item, 1) = Val_emptylist;

  caml_plat_lock_blocking(&user_events_lock);
  int id = EVENTRING_TOO_MANY;
  if (user_event_count < RUNTIME_EVENTS_MAX_CUSTOM_EVENTS)
    id = caml_eventring_register(String_val(event_name), as[type].kind,
                                 as[type].payload, "");
  if (id >= 0) {
    if (user_event_count++ == 0)
      caml_register_generational_global_root(&user_events);
    Field(event, EVENT_ID) = Val_int(id);
    caml_modify(&Field(item, 1), user_events);
    caml_modify_generational_global_root(&user_events, item);
  }
  caml_plat_unlock(&user_events_lock);
  *result = event;
  CAMLreturnT(int, id);
}

CAML_EVENTRING_COLD
CAMLprim value caml_runtime_events_user_register(value event_name,
                                                 value event_tag,
                                                 value event_type)
{
  CAMLparam3(event_name, event_tag, event_type);
  CAMLlocal1(event);

  if (caml_string_length(event_name) >= RUNTIME_EVENTS_CUSTOM_EVENT_ID_LENGTH)
    caml_invalid_argument(
      "Runtime_events.User.register: maximum length for event name exceeded");
  if (!caml_string_is_c_safe(event_name))
    caml_invalid_argument(
      "Runtime_events.User.register: event name has null characters");

  int id = register_event(event_name, event_tag, event_type, &event);
  if (id == EVENTRING_TOO_MANY)
    caml_invalid_argument(
      "Runtime_events.User.register: maximum number of custom events exceeded");
  if (id < 0) caml_raise_out_of_memory();
  CAMLreturn(event);
}

CAMLprim value caml_runtime_events_user_write(value buffer, value event,
                                              value content)
{
  CAMLparam3(buffer, event, content);
  CAMLlocal1(length);
  value type = Field(event, EVENT_TYPE);
  int id = Int_val(Field(event, EVENT_ID));

  if (!Caml_eventring_on(EVENTRING_USER)) CAMLreturn(Val_unit);

  switch (ml_type(type)) {
  case EV_USER_ML_TYPE_UNIT:
    caml_eventring_emit(EVENTRING_WORD(id, EVENTRING_FORM_INSTANT, 0));
    break;
  case EV_USER_ML_TYPE_INT:
    caml_eventring_emit_int(EVENTRING_WORD(id, EVENTRING_FORM_COUNTER, 1),
                            (uint64_t) Long_val(content));
    break;
  case EV_USER_ML_TYPE_SPAN:
    caml_eventring_emit(
      EVENTRING_WORD(id, Int_val(content) == EV_USER_SPAN_BEGIN
                         ? EVENTRING_FORM_BEGIN : EVENTRING_FORM_END, 0));
    break;
  case EV_USER_ML_TYPE_CUSTOM:
    length = caml_callback2(Field(Field(type, 0), 0), buffer, content);
    if (Long_val(length) < 0
        || (mlsize_t) Long_val(length) > caml_string_length(buffer)
        || Long_val(length) > EVENTRING_MAX_BYTES)
      caml_invalid_argument(
        "Runtime_events.User.write: the encoder returned a length that is not"
        " within its buffer");
    /* The encoder may have run for long: still wanted? */
    if (Caml_eventring_on(EVENTRING_USER))
      caml_eventring_emit_bytes(EVENTRING_WORD(id, EVENTRING_FORM_INSTANT, 0),
                                Bytes_val(buffer), Long_val(length));
    break;
  }
  CAMLreturn(Val_unit);
}

CAML_EVENTRING_COLD
CAMLexport value caml_runtime_events_user_find(
  int id, char *event_name, ev_user_ml_type event_type)
{
  CAMLparam0();
  CAMLlocal3(events, name, found);

  caml_plat_lock_blocking(&user_events_lock);
  events = user_events;
  caml_plat_unlock(&user_events_lock);

  /* The type must agree as well: the callback for this event is chosen by
     it. */
  found = Val_none;
  for (; events != Val_emptylist; events = Field(events, 1)) {
    value event = Field(events, 0);
    if (ml_type(Field(event, EVENT_TYPE)) != event_type
        || strcmp(String_val(Field(event, EVENT_NAME)), event_name) != 0)
      continue;
    if (found == Val_none) found = event;
    if (Int_val(Field(event, EVENT_ID)) == id) CAMLreturn(event);
  }
  if (found != Val_none || event_type == EV_USER_ML_TYPE_CUSTOM)
    CAMLreturn(found);
  name = caml_copy_string(event_name);
  int new_id = register_event(name, Val_none, Val_int(event_type), &found);
  CAMLreturn(new_id >= 0 ? found : Val_none);
}

CAMLexport value caml_runtime_events_user_resolve(
  char *event_name, ev_user_ml_type event_type)
{
  return caml_runtime_events_user_find(-1, event_name, event_type);
}
