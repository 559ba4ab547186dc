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

/* The C interface of Runtime_events, over Eventring's rings.

   The names and numbers are the same as in OCaml's own header of this name, so
   that the runtime's probes, C stubs and the Runtime_events library compile
   and link unchanged.  The interface behind them is caml/eventring.h. */

#ifndef CAML_RUNTIME_EVENTS_H
#define CAML_RUNTIME_EVENTS_H

#include "mlvalues.h"

/* The events, numbered from the first id of their part.  The OCaml constructors
   of Runtime_events may have another order. */

typedef enum {
#define PHASE(id, number, category, name, doc) \
  id = number - EVENTRING_FIRST_PHASE,
#include "eventring_events.tbl"
} ev_runtime_phase;

typedef enum {
#define COUNTER(id, number, category, unit, name, doc) \
  id = number - EVENTRING_FIRST_COUNTER,
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  id = number - EVENTRING_FIRST_COUNTER,
#include "eventring_events.tbl"
} ev_runtime_counter;

typedef enum {
#define LIFECYCLE(id, number, category, name, doc) \
  id = number - EVENTRING_FIRST_LIFECYCLE,
#include "eventring_events.tbl"
} ev_lifecycle;

/* Kinds of message.  Ring files do not use these numbers; they are here for
   code that names them. */
typedef enum {
  EV_INTERNAL,
  EV_LIFECYCLE,
  EV_BEGIN,
  EV_EXIT,
  EV_COUNTER,
  EV_ALLOC,
  EV_FLUSH
} ev_runtime_message_type;

typedef enum { EV_GC } ev_event_type;

typedef enum { EV_USER_SPAN_BEGIN, EV_USER_SPAN_END } ev_user_span;

/* Results of the functions of caml/runtime_events_consumer.h. */
typedef enum {
  E_SUCCESS = 0,
  E_CURSOR_NOT_OPEN = -1,
  E_CORRUPT_STREAM = -2,
  E_ALLOC_FAIL = -3,
  E_PATH_FAILURE = -4,
  E_OPEN_FAILURE = -5,
  E_NO_CURRENT_RING = -6,
  E_MAP_FAILURE = -7,
  E_CURSOR_POLL_BUSY = -8,
  E_NOT_RECORDED = -9           /* the process does not record all categories
                                   of the events of Runtime_events */
} runtime_events_error;

struct caml_runtime_events_cursor;

#ifdef __cplusplus
extern "C" {
#endif

/* Start tracing with every category; no effect when it runs.  Does not stop
   other domains.  Call with the domain lock held.  A failure prints one line
   on stderr and leaves tracing off. */
CAMLextern void caml_runtime_events_start(void);

/* Pause and resume.  All domains see it at their next probe.  No effect when
   not started, or when paused or running already.  Call with the domain lock
   held: the pause or resume is itself an event of this domain. */
CAMLextern void caml_runtime_events_pause(void);
CAMLextern void caml_runtime_events_resume(void);

/* Returns 1 when started and not paused, else 0.  From any thread. */
CAMLextern int caml_runtime_events_are_active(void);

#ifdef __cplusplus
}
#endif

#ifdef CAML_INTERNALS

#include "eventring.h"
#include "eventring_probes.h"

/* The probes.  With a constant event each is the test of caml/eventring.h
   and, when it holds, a call with a constant in a register.  Some also tell
   why a collection runs, see caml/eventring_probes.h. */

Caml_inline uint32_t caml_ev_phase_category(ev_runtime_phase phase)
{
  switch (phase) {
#define PHASE(id, number, category, name, doc) \
  case id: return EVENTRING_##category;
#include "eventring_events.tbl"
  }
  return 0;
}

Caml_inline uint32_t caml_ev_record_category(enum caml_eventring_record record)
{
  switch (record) {
#define RECORD(id, number, category, payload, unit, name, doc) \
  case id: return EVENTRING_##category;
#define COMPLETE(id, number, category, name, doc) \
  case id: return EVENTRING_##category;
#include "eventring_events.tbl"
  }
  return 0;
}

/* Returns the category of a counter; of a grouped counter, the category of the
   event that has it as a field. */
Caml_inline uint32_t caml_ev_counter_category(ev_runtime_counter counter)
{
#define CATEGORY_OF_PHASE(event) caml_ev_phase_category(event)
#define CATEGORY_OF_RECORD(event) caml_ev_record_category(event)
  switch (counter) {
#define COUNTER(id, number, category, unit, name, doc) \
  case id: return EVENTRING_##category;
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  case id: return CATEGORY_OF_##part(event);
#include "eventring_events.tbl"
  }
#undef CATEGORY_OF_PHASE
#undef CATEGORY_OF_RECORD
  return 0;
}

/* Returns the field of its event that a grouped counter is; -1 for the
   others. */
Caml_inline int caml_ev_counter_place(ev_runtime_counter counter)
{
  switch (counter) {
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  case id: return place;
#include "eventring_events.tbl"
  default: return -1;
  }
}

Caml_inline void caml_ev_phase_begins(ev_runtime_phase phase)
{
  switch (phase) {
  case EV_EXPLICIT_GC_MINOR:
    caml_eventring_request_minor(EV_CAUSE_GC_MINOR); break;
  case EV_EXPLICIT_GC_MAJOR_SLICE:
    Caml_eventring_asked->called_slice = EV_CAUSE_GC_MAJOR_SLICE; break;
  case EV_MAJOR_MARK_OPPORTUNISTIC:
    Caml_eventring_asked->called_slice = EV_CAUSE_OPPORTUNISTIC; break;
  case EV_EXPLICIT_GC_SET:
    caml_eventring_gc_call_begin(EV_CAUSE_GC_SET); break;
  case EV_EXPLICIT_GC_STAT:
    caml_eventring_gc_call_begin(EV_CAUSE_GC_STAT); break;
  case EV_EXPLICIT_GC_MAJOR:
    caml_eventring_gc_call_begin(EV_CAUSE_GC_MAJOR); break;
  case EV_EXPLICIT_GC_FULL_MAJOR:
    caml_eventring_gc_call_begin(EV_CAUSE_GC_FULL_MAJOR); break;
  case EV_EXPLICIT_GC_COMPACT:
    caml_eventring_gc_call_begin(EV_CAUSE_GC_COMPACT); break;
  case EV_STW_LEADER: caml_eventring_stop_requested(); break;
  case EV_STW_API_BARRIER: caml_eventring_stop_arrived(); break;
  case EV_MAJOR_SLICE: caml_eventring_slice_begin(); break;
  case EV_MAJOR_FINISH_CYCLE: caml_eventring_finish_cycle_begin(); break;
  default: break;
  }
}

Caml_inline void caml_ev_phase_ends(ev_runtime_phase phase)
{
  switch (phase) {
  case EV_EXPLICIT_GC_SET:
  case EV_EXPLICIT_GC_STAT:
  case EV_EXPLICIT_GC_MAJOR:
  case EV_EXPLICIT_GC_FULL_MAJOR:
  case EV_EXPLICIT_GC_COMPACT: caml_eventring_gc_call_end(); break;
  case EV_EXPLICIT_GC_MAJOR_SLICE:
  case EV_MAJOR_MARK_OPPORTUNISTIC:
    /* There may have been no slice, for want of work. */
    Caml_eventring_asked->called_slice = 0; break;
  case EV_MAJOR_SLICE: caml_eventring_slice_end(); break;
  case EV_MAJOR_FINISH_CYCLE: Caml_eventring_asked->finishing = 0; break;
  case EV_MAJOR:
    if (Caml_eventring_on(EVENTRING_GC)) caml_eventring_process_memory();
    break;
  default: break;
  }
}

/* Slices in a cycle that is finished in a stop are details of that: a domain
   that waits for others does thousands, of no work. */
Caml_inline uint32_t caml_ev_category_now(ev_runtime_phase phase)
{
  if (phase == EV_MAJOR_SLICE && Caml_eventring_asked->finishing != 0)
    return EVENTRING_GC_DETAIL;
  return caml_ev_phase_category(phase);
}

Caml_inline void caml_ev_inline_begin(ev_runtime_phase phase)
{
  caml_ev_phase_begins(phase);
  if (Caml_eventring_on(caml_ev_category_now(phase)))
    caml_eventring_emit(EVENTRING_WORD(EVENTRING_FIRST_PHASE + phase,
                                       EVENTRING_FORM_BEGIN, 0));
}

Caml_inline void caml_ev_emit_end(ev_runtime_phase phase)
{
  switch (phase) {
  case EV_MINOR: caml_eventring_end_minor(); break;
  case EV_MAJOR_SLICE: caml_eventring_end_slice(); break;
  case EV_MAJOR_GC_CYCLE_DOMAINS:
  case EV_MAJOR_GC_PHASE_CHANGE:
  case EV_MAJOR_FINISH_CYCLE:
  case EV_COMPACT: caml_eventring_end_in_stop(phase); break;
  default:
    caml_eventring_emit(EVENTRING_WORD(EVENTRING_FIRST_PHASE + phase,
                                       EVENTRING_FORM_END, 0));
  }
}

Caml_inline void caml_ev_inline_end(ev_runtime_phase phase)
{
  if (Caml_eventring_on(caml_ev_category_now(phase))) caml_ev_emit_end(phase);
  caml_ev_phase_ends(phase);
}

Caml_inline void caml_ev_counted(ev_runtime_counter counter)
{
  switch (counter) {
  case EV_C_FORCE_MINOR_ALLOC_SMALL:
    caml_eventring_request_minor(EV_CAUSE_MINOR_HEAP_FULL); break;
  case EV_C_FORCE_MINOR_MAKE_VECT:
    caml_eventring_request_minor(EV_CAUSE_ARRAY_MAKE); break;
  case EV_C_FORCE_MINOR_SET_MINOR_HEAP_SIZE:
    caml_eventring_request_minor(EV_CAUSE_MINOR_HEAP_SIZE); break;
  case EV_C_FORCE_MINOR_MEMPROF:
    caml_eventring_request_minor(EV_CAUSE_MEMPROF); break;
  case EV_C_REQUEST_MINOR_REALLOC_REF_TABLE:
    caml_eventring_request_minor(EV_CAUSE_REF_TABLE); break;
  case EV_C_REQUEST_MINOR_REALLOC_EPHE_REF_TABLE:
    caml_eventring_request_minor(EV_CAUSE_EPHE_REF_TABLE); break;
  case EV_C_REQUEST_MINOR_REALLOC_CUSTOM_TABLE:
    caml_eventring_request_minor(EV_CAUSE_CUSTOM_TABLE); break;
  case EV_C_REQUEST_MAJOR_ALLOC_SHR:
    caml_eventring_request_slices(EV_CAUSE_MAJOR_ALLOCATION); break;
  case EV_C_REQUEST_MAJOR_ADJUST_GC_SPEED:
    caml_eventring_request_slices(EV_CAUSE_CUSTOM_MEMORY); break;
  default: break;
  }
}

Caml_inline int caml_ev_counter_has_cause(ev_runtime_counter counter)
{
  switch (counter) {
  case EV_C_FORCE_MINOR_ALLOC_SMALL:
  case EV_C_FORCE_MINOR_MAKE_VECT:
  case EV_C_FORCE_MINOR_SET_MINOR_HEAP_SIZE:
  case EV_C_FORCE_MINOR_MEMPROF:
  case EV_C_REQUEST_MINOR_REALLOC_REF_TABLE:
  case EV_C_REQUEST_MINOR_REALLOC_EPHE_REF_TABLE:
  case EV_C_REQUEST_MINOR_REALLOC_CUSTOM_TABLE:
  case EV_C_REQUEST_MAJOR_ALLOC_SHR:
  case EV_C_REQUEST_MAJOR_ADJUST_GC_SPEED: return 1;
  default: return 0;
  }
}

/* Returns the categories that use a counter.  A cause is a field of events of
   other categories. */
Caml_inline uint32_t caml_ev_counter_mask(ev_runtime_counter counter)
{
  return caml_ev_counter_has_cause(counter)
    ? EVENTRING_ALL_CATEGORIES : caml_ev_counter_category(counter);
}

/* Writes a counter.  The event of a grouped counter is written with the last of
   its fields; the counters of the minor collection go with the end of its
   span. */
Caml_inline void caml_ev_emit_counter(ev_runtime_counter counter,
                                      uint64_t value)
{
  int place = caml_ev_counter_place(counter);
  if (caml_ev_counter_has_cause(counter)) {
    caml_ev_counted(counter);
    if (!Caml_eventring_on(caml_ev_counter_category(counter))) return;
  }
  if (place >= 0)
    Caml_eventring_asked->group[place] = value;
  else
    caml_eventring_emit_int(EVENTRING_WORD(EVENTRING_FIRST_COUNTER + counter,
                                           EVENTRING_FORM_COUNTER, 1), value);
  if (counter == EV_C_MAJOR_HEAP_LARGE_BLOCKS) caml_eventring_heap();
  if (counter == EV_C_MAJOR_SLICE_BUDGET) caml_eventring_pacing();
}

/* With an event that is not known here, all this is in the functions below. */
#define CAML_EV_BEGIN(p) \
  do { \
    if (__builtin_constant_p(p)) caml_ev_inline_begin(p); \
    else caml_ev_begin(p); \
  } while (0)

#define CAML_EV_END(p) \
  do { \
    if (__builtin_constant_p(p)) caml_ev_inline_end(p); \
    else caml_ev_end(p); \
  } while (0)

/* [v] is not evaluated unless something is recorded. */
#define CAML_EV_COUNTER(c, v) \
  do { \
    if (!__builtin_constant_p(c)) caml_ev_counter(c, (uint64_t) (v)); \
    else if (Caml_eventring_on(caml_ev_counter_mask(c))) \
      caml_ev_emit_counter(c, (uint64_t) (v)); \
  } while (0)

/* Rare, and used by libraries outside the runtime: a call. */
#define CAML_EV_LIFECYCLE(l, d) caml_ev_lifecycle(l, d)

#ifdef CAML_INSTR
#define CAML_EV_ALLOC(s) \
  do { if (Caml_eventring_on(EVENTRING_ALLOC)) caml_ev_alloc(s); } while (0)
#define CAML_EV_ALLOC_FLUSH() \
  do { if (Caml_eventring_on(EVENTRING_ALLOC)) caml_ev_alloc_flush(); } \
  while (0)
#else
#define CAML_EV_ALLOC(s)
#define CAML_EV_ALLOC_FLUSH()
#endif

#define CAML_RUNTIME_EVENTS_INIT() caml_runtime_events_init()
#define CAML_RUNTIME_EVENTS_DESTROY() caml_runtime_events_destroy()

/* The probes above as functions. */
void caml_ev_begin(ev_runtime_phase phase);
void caml_ev_end(ev_runtime_phase phase);
void caml_ev_counter(ev_runtime_counter counter, uint64_t value);
CAMLextern void caml_ev_lifecycle(ev_lifecycle lifecycle, int64_t data);

/* Count a block of [wosize] words allocated in the major heap by this domain;
   write this domain's counts and clear them; clear them only. Instrumented
   runtime only. */
void caml_ev_alloc(uint64_t wosize);
void caml_ev_alloc_flush(void);
void caml_ev_alloc_forget(void);

/* Sizes of 0 to 9 words, tens up to 99, the rest. */
#define RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_SINGLE 1
#define RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_DECADE 9
#define RUNTIME_EVENTS_NUM_ALLOC_BUCKETS \
  (10 * RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_SINGLE \
   + RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_DECADE + 1)

/* Start-up, exit, and a forked child's fresh start. */
void caml_runtime_events_init(void);
void caml_runtime_events_destroy(void);
CAMLextern void caml_runtime_events_post_fork(void);

/* Returns the path of this process' ring file, from caml_stat_alloc; NULL when
   tracing has not been started. */
CAMLextern char_os *caml_runtime_events_current_location(void);

/* User events of the Runtime_events module: its limits and types. */
#define RUNTIME_EVENTS_MAX_CUSTOM_EVENTS (1 << 13)
#define RUNTIME_EVENTS_CUSTOM_EVENT_ID_LENGTH EVENTRING_NAME_SIZE
#define RUNTIME_EVENTS_MAX_MSG_LENGTH (1 << 10)

typedef enum {
  EV_USER_ML_TYPE_UNIT,
  EV_USER_ML_TYPE_INT,
  EV_USER_ML_TYPE_SPAN,
  EV_USER_ML_TYPE_CUSTOM
} ev_user_ml_type;

/* Runtime_events.User.register; raises Invalid_argument on a name that is
   too long or has a NUL, or on one event too many. */
CAMLextern value caml_runtime_events_user_register(value event_name,
                                                   value event_tag,
                                                   value event_type);

/* Runtime_events.User.write; passes on exceptions of the encoder, and raises
   Invalid_argument when the length that it returns is not within [buffer]. */
CAMLextern value caml_runtime_events_user_write(value buffer, value event,
                                                value content);

/* Returns the event registered here under [event_name] with this type, or a new
   one when the type needs no decoder and there is room, or Val_none.  Of
   several that agree, the one with this [id], else the newest.  Does not
   raise. */
CAMLextern value caml_runtime_events_user_find(
  int id, char *event_name, ev_user_ml_type event_type);

/* Returns the event likewise, without an id. */
CAMLextern value caml_runtime_events_user_resolve(
  char *event_name, ev_user_ml_type event_type);

#endif /* CAML_INTERNALS */

#endif /* CAML_RUNTIME_EVENTS_H */
