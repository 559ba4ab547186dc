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

/* Domains, threads, and their waits.

   Waiting is one event, written when it is over and only if it took longer
   than the threshold: it cannot flood a ring, and a thread that does not wait
   writes nothing.  All waiting that releases the domain lock goes through
   caml_enter_blocking_section and caml_leave_blocking_section:

       since                   returned               now
         |  the system call,     |  for the domain      |
         |  the other's mutex    |  lock                |
         +-----------------------+----------------------+
         |<-------------------- duration -------------->|
                                 |<- for_domain_lock -->|

   The thread that enters is the one that leaves, so [waiting] is a variable of
   the thread; other threads of its domain write to the ring meanwhile. The
   caller may have set a reason, with [caml_eventring_set_wait_reason]. */

#include <string.h>

#include "caml/domain.h"
#include "caml/misc.h"
#include "caml/mlvalues.h"
#include "caml/runtime_events.h"

static CAMLthread_local struct {
  uint64_t since;               /* ticks; 0: not recorded */
  int record;                   /* the event of the blocking section */
  int next;                     /* 1 + the event of the next one; 0: no reason
                                   was set */
} waiting;

CAMLexport void caml_eventring_set_wait_reason(int record)
{
  if (Caml_eventring_on(EVENTRING_WAIT) && waiting.next == 0)
    waiting.next = 1 + record;
}

int caml_eventring_take_wait_reason(void)
{
  if (waiting.next == 0) return EV_BLOCKING_SECTION;
  int record = waiting.next - 1;
  waiting.next = 0;
  return record;
}

CAML_EVENTRING_COLD
caml_result caml_eventring_check_signals(int record, caml_result result)
{
  /* The blocking section will not be entered, and the span that
     caml_ml_condition_wait has begun has its end here. */
  if (caml_result_is_exception(result)
      && (record == EV_CONDITION_WAIT || record == EV_DOMAIN_JOIN
          || record == EV_SEMAPHORE_WAIT))
    CAML_EV_END(EV_DOMAIN_CONDITION_WAIT);
  return result;
}

void caml_eventring_enter_blocking(int record)
{
  waiting.since = caml_eventring_wait_begin();
  waiting.record = record;
}

uint64_t caml_eventring_blocking_returned(void)
{
  return waiting.since != 0 ? caml_eventring_ticks() : 0;
}

void caml_eventring_leave_blocking(uint64_t returned)
{
  /* The time is read once for both events. */
  uint64_t now = returned != 0 ? caml_eventring_ticks() : 0;
  uint32_t active = caml_eventring_active();
  if (active & (EVENTRING_THREAD | EVENTRING_PROFILE)) {
    if (active & EVENTRING_THREAD) caml_eventring_thread_switch(now);
    if (active & EVENTRING_PROFILE) caml_eventring_sample_threads();
  }
  if (returned != 0 && active & EVENTRING_WAIT
      && now - waiting.since >= caml_eventring_threshold_ticks())
    caml_eventring_emit_pair(EVENTRING_RECORD(waiting.record), now,
                             now - waiting.since, now - returned);
  waiting.since = 0;
}

CAMLexport uint64_t caml_eventring_wait_begin(void)
{
  return caml_eventring_work_begin(EVENTRING_WAIT);
}

CAMLexport void caml_eventring_wait_end(int record, uint64_t since)
{
  if (since == 0 || !Caml_eventring_on(EVENTRING_WAIT)) return;
  uint64_t took = caml_eventring_ticks() - since;
  if (took >= caml_eventring_threshold_ticks())
    caml_eventring_emit_packed(EVENTRING_RECORD(record), &took, 1);
}

CAML_EVENTRING_COLD
void caml_eventring_work_end(int record, uint64_t since, uint64_t value)
{
  if (since == 0 || !Caml_eventring_on(EVENTRING_RUNTIME)) return;
  uint64_t field[] = { caml_eventring_ticks() - since, value };
  caml_eventring_emit_packed(EVENTRING_RECORD(record), field, 2);
}

CAML_EVENTRING_COLD
void caml_eventring_text(int record, uint32_t category, const char *text)
{
  size_t length = strlen(text);
  if (!Caml_eventring_on(category)) return;
  if (length > EVENTRING_MAX_BYTES) length = EVENTRING_MAX_BYTES;
  caml_eventring_emit_bytes(EVENTRING_RECORD(record), text, length);
}

/* Domains, threads, and the process */

CAML_EVENTRING_COLD
void caml_eventring_process_exit(int code)
{
  if (Caml_eventring_on(EVENTRING_DOMAIN))
    caml_eventring_emit_int(EVENTRING_WORD(EVENTRING_FIRST_RECORD
                                           + EV_PROCESS_EXIT,
                                           EVENTRING_FORM_INSTANT, 1),
                            (uint64_t) (int64_t) code);
}

CAML_EVENTRING_COLD
void caml_eventring_domain_start(caml_domain_state *parent)
{
  /* Requests of the domain that had this slot before.  The runtime keeps its
     request for slices in all domains, and so its cause must stay. */
  struct caml_eventring_asked *asked = Caml_eventring_asked;
  uint8_t slices_of_all =
    Caml_state->requested_global_major_slice ? asked->slices_of_all : 0;
  memset(asked, 0, sizeof(*asked));
  asked->slices_of_all = slices_of_all;
  if (Caml_eventring_on(EVENTRING_DOMAIN)) {
    uint64_t field[] = { Caml_state->unique_id, parent->unique_id,
                         Caml_state->id };
    caml_eventring_emit_packed(EVENTRING_RECORD(EV_DOMAIN_START), field, 3);
  }
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_self();
}

/* Returns the id of the thread with the descriptor [descr], a Thread.t; -1 for
   Val_unit, when the thread has no Thread.t.  The id is the first field of the
   block. */
static intnat thread_id(value descr)
{
  return Is_block(descr) ? Long_val(Field(descr, 0)) : -1;
}

/* Writes the event [record] with the id of the thread that has the descriptor
   [descr], if the category EVENTRING_THREAD is recorded. */
CAML_EVENTRING_COLD
static void about_thread(int record, value descr)
{
  uint64_t id = thread_id(descr);
  if (Caml_eventring_on(EVENTRING_THREAD))
    caml_eventring_emit_packed(EVENTRING_RECORD(record), &id, 1);
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_start(value descr)
{
  caml_eventring_set_thread(thread_id(descr));
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_self();
  caml_eventring_thread_resume();
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_created(value descr)
{
  about_thread(EV_THREAD_CREATE, descr);
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_registered(value descr)
{
  caml_eventring_thread_created(descr);
  caml_eventring_thread_start(descr);
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_thread_end(value descr)
{
  about_thread(EV_THREAD_END, descr);
}

CAMLexport void caml_eventring_thread_resume(void)
{
  if (Caml_eventring_on(EVENTRING_THREAD)) caml_eventring_thread_switch(0);
}
