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
  E_SUCCESS = 0, E_CURSOR_NOT_OPEN = -1, E_CORRUPT_STREAM = -2,
  E_ALLOC_FAIL = -3, E_PATH_FAILURE = -4, E_OPEN_FAILURE = -5,
  E_NO_CURRENT_RING = -6, E_MAP_FAILURE = -7, E_CURSOR_POLL_BUSY = -8,
  E_NOT_RECORDED = -9           /* the process does not record all categories
                                   of the events of Runtime_events */
} runtime_events_error;

struct caml_runtime_events_cursor;

#ifdef __cplusplus
extern "C" {
#endif

/* Starts tracing with every category; no effect when tracing has started
   already.  Does not stop other domains.  On failure prints one line on
   standard error and leaves tracing off.  Call with the domain lock held. */
CAMLextern void caml_runtime_events_start(void);

/* Pauses tracing; no effect when tracing has not started or is paused already.
   All domains see the pause at their next probe.  Writes an event to the ring
   of this domain.  Call with the domain lock held. */
CAMLextern void caml_runtime_events_pause(void);

/* Resumes tracing; no effect when tracing has not started or is not paused.
   All domains see the end of the pause at their next probe.  Writes an event to
   the ring of this domain.  Call with the domain lock held. */
CAMLextern void caml_runtime_events_resume(void);

/* Returns 1 when tracing has started and is not paused, else 0.  Any thread may
   call it. */
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

/* Returns the category of the span [phase], as a mask. */
Caml_inline uint32_t caml_ev_phase_category(ev_runtime_phase phase)
{
  switch (phase) {
#define PHASE(id, number, category, name, doc) \
  case id: return EVENTRING_##category;
#include "eventring_events.tbl"
  }
  return 0;
}

/* Returns the category of the event [record], as a mask. */
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

/* Returns the category of [counter], as a mask.  A grouped counter is a field
   of another event, and has the category of that event. */
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

/* Returns the place of a grouped counter among the fields of its event, from 0
   on; -1 if [counter] is not grouped. */
Caml_inline int caml_ev_counter_place(ev_runtime_counter counter)
{
  switch (counter) {
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  case id: return place;
#include "eventring_events.tbl"
  default: return -1;
  }
}

/* Returns 1 if the span [phase] is a call of a function of module Gc, else 0. */
Caml_inline int caml_ev_is_gc_call(ev_runtime_phase phase)
{
  switch (phase) {
  case EV_EXPLICIT_GC_SET:
  case EV_EXPLICIT_GC_STAT:
  case EV_EXPLICIT_GC_MINOR:
  case EV_EXPLICIT_GC_MAJOR:
  case EV_EXPLICIT_GC_FULL_MAJOR:
  case EV_EXPLICIT_GC_COMPACT:
  case EV_EXPLICIT_GC_MAJOR_SLICE: return 1;
  default: return 0;
  }
}

/* Records, whether tracing is on or not, causes of collections that follow from
   the beginning of [phase], and that a pause begins with a slice. */
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
  case EV_MAJOR_SLICE:
    caml_eventring_pause_begin();
    caml_eventring_slice_begin(); break;
  case EV_MAJOR_FINISH_CYCLE: caml_eventring_finish_cycle_begin(); break;
  default: break;
  }
}

/* Removes causes that [caml_ev_phase_begins] has recorded for [phase], and ends
   its pause.  At the
   end of EV_MAJOR also writes the event with the memory of the process, if the
   category EVENTRING_GC is recorded. */
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
  case EV_MAJOR_SLICE:
    caml_eventring_slice_end();
    caml_eventring_pause_end(); break;
  case EV_MAJOR_FINISH_CYCLE: Caml_eventring_asked->finishing = 0; break;
  case EV_MAJOR:
    if (Caml_eventring_on(EVENTRING_GC)) caml_eventring_process_memory();
    break;
  default: break;
  }
}

/* Returns the category of the span [phase] at this moment, as a mask.  A major
   slice has the category EVENTRING_GC_DETAIL while this domain finishes a major
   cycle in a stop-the-world section. */
Caml_inline uint32_t caml_ev_category_now(ev_runtime_phase phase)
{
  /* A domain that waits for others there does thousands of slices, without
     work. */
  if (phase == EV_MAJOR_SLICE && Caml_eventring_asked->finishing != 0)
    return EVENTRING_GC_DETAIL;
  return caml_ev_phase_category(phase);
}

/* Handles the beginning of the span [phase]: records causes, and writes the
   event if its category is recorded. */
Caml_inline void caml_ev_inline_begin(ev_runtime_phase phase)
{
  caml_ev_phase_begins(phase);
  if (Caml_eventring_on(caml_ev_category_now(phase)))
    caml_eventring_emit(EVENTRING_WORD(EVENTRING_FIRST_PHASE + phase,
                                       EVENTRING_FORM_BEGIN, 0));
}

/* Writes the end of the span [phase], with its fields if it has any.  The
   caller has tested the category. */
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
    if (caml_ev_is_gc_call(phase))
      caml_eventring_end_call(phase);
    else
      caml_eventring_emit(EVENTRING_WORD(EVENTRING_FIRST_PHASE + phase,
                                         EVENTRING_FORM_END, 0));
  }
}

/* Handles the end of the span [phase]: writes the event if its category is
   recorded, and removes causes. */
Caml_inline void caml_ev_inline_end(ev_runtime_phase phase)
{
  uint32_t mask = caml_ev_category_now(phase);
  if (phase == EV_MINOR) mask |= EVENTRING_AT_MINOR;
  if (Caml_eventring_on(mask)) caml_ev_emit_end(phase);
  caml_ev_phase_ends(phase);
}

/* Records the cause of the collection that the runtime requests where it
   reports [counter], if there is one. */
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

/* Returns 1 if [caml_ev_counted] records a cause for [counter], else 0. */
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

/* Returns the mask of the categories that need the reports of [counter]: all of
   them for a counter with a cause, since the cause becomes a field of events of
   other categories; else the counter's own. */
Caml_inline uint32_t caml_ev_counter_mask(ev_runtime_counter counter)
{
  return caml_ev_counter_has_cause(counter)
    ? EVENTRING_ALL_CATEGORIES : caml_ev_counter_category(counter);
}

/* Reports the value [value] of [counter].  Records a cause if the counter has
   one, and then, if the counter's category is recorded, writes the counter's
   event.  A grouped counter is kept instead: the last counter of its group
   writes the event with all of them, and the end of the span EV_MINOR writes
   the counters of a minor collection.  The caller has tested a category of
   [caml_ev_counter_mask]. */
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

/* Probes for the beginning and the end of the span [p].  For a phase that the
   compiler does not know, they call the functions below. */
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

/* Probe for the value [v] of the counter [c].  [v] is not evaluated if no
   category that needs the counter is recorded and the compiler knows [c]. */
#define CAML_EV_COUNTER(c, v) \
  do { \
    if (!__builtin_constant_p(c)) caml_ev_counter(c, (uint64_t) (v)); \
    else if (Caml_eventring_on(caml_ev_counter_mask(c))) \
      caml_ev_emit_counter(c, (uint64_t) (v)); \
  } while (0)

/* Probe for the lifecycle event [l] with the payload [d].  A call, since it is
   rare and libraries outside the runtime use it. */
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

/* The probes CAML_EV_BEGIN, CAML_EV_END, CAML_EV_COUNTER and CAML_EV_LIFECYCLE
   as functions: each writes its event if the event's category is recorded, and
   records causes.  Call with the domain lock held. */
void caml_ev_begin(ev_runtime_phase phase);
void caml_ev_end(ev_runtime_phase phase);
void caml_ev_counter(ev_runtime_counter counter, uint64_t value);
CAMLextern void caml_ev_lifecycle(ev_lifecycle lifecycle, int64_t data);

/* Counts a block of [wosize] words that this domain has allocated in the major
   heap.  Instrumented runtime only, as the next two. */
void caml_ev_alloc(uint64_t wosize);

/* Writes the counts of the blocks that this domain has allocated, and sets them
   to 0.  The caller has tested the category. */
void caml_ev_alloc_flush(void);

/* Sets the counts of the blocks that this domain has allocated to 0. */
void caml_ev_alloc_forget(void);

/* Sizes of 0 to 9 words, tens up to 99, the rest. */
#define RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_SINGLE 1
#define RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_DECADE 9
#define RUNTIME_EVENTS_NUM_ALLOC_BUCKETS \
  (10 * RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_SINGLE \
   + RUNTIME_EVENTS_NUM_ALLOC_BUCKETS_DECADE + 1)

/* Prepares the recorder, and starts tracing if the environment asks for it.
   Called once at each start of the runtime. */
void caml_runtime_events_init(void);

/* Ends tracing when the process or its OCaml runtime ends.  Call with the
   domain lock held. */
void caml_runtime_events_destroy(void);

/* Starts tracing in a forked child, with a ring file of its own, if the parent
   was traced when it forked; drops the child's copy of the parent's allocation
   counts.  Called in the child. */
CAMLextern void caml_runtime_events_post_fork(void);

/* Returns the path of this process' ring file, in memory that the caller frees
   with caml_stat_free; NULL when tracing has not started or there is no
   memory. */
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

/* Registers a user event, as Runtime_events.User.register, and returns it, a
   Runtime_events.User.t.  Raises Invalid_argument if the name is too long or
   has a NUL byte, or if the maximum number of events is registered already;
   Out_of_memory when there is no memory. */
CAMLextern value caml_runtime_events_user_register(value event_name,
                                                   value event_tag,
                                                   value event_type);

/* Writes the user event [event] with the value [content], as
   Runtime_events.User.write, if user events are recorded.  Returns unit.  The
   encoder of a custom type writes to [buffer]; its exceptions are raised here.
   Raises Invalid_argument when the length that the encoder returns is not
   within [buffer]. */
CAMLextern value caml_runtime_events_user_write(value buffer, value event,
                                                value content);

/* Returns the user event that this process has registered under [event_name]
   with the type [event_type], a Runtime_events.User.t.  If several events have
   this name and type, returns the event with the id [id], or else the newest.
   If none has, registers a new event and returns it; returns Val_none for a
   custom type, which needs a decoder, or when there is no room.  Does not
   raise. */
CAMLextern value caml_runtime_events_user_find(
  int id, char *event_name, ev_user_ml_type event_type);

/* Returns an event as [caml_runtime_events_user_find] does, without an id: the
   newest of several. */
CAMLextern value caml_runtime_events_user_resolve(
  char *event_name, ev_user_ml_type event_type);

#endif /* CAML_INTERNALS */

#endif /* CAML_RUNTIME_EVENTS_H */
