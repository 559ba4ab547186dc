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

/* The functions of Runtime_events that the runtime itself calls, over the
   rings of eventring_writer.c.  The functions that libraries call are in
   eventring_compat.c. */

#include <string.h>
#include <unistd.h>

#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/eventring_hooks.h"
#include "caml/eventring_reader.h"
#include "caml/runtime_events.h"

#ifndef NATIVE_CODE
/* The stubs of the Runtime_events library call the reader.  ocamlrun loads
   them when it runs: the linker must be made to put the reader in. */
int (*const caml_runtime_events_reader)(const char *,
                                        const struct eventring_options *,
                                        struct eventring_cursor **) =
  eventring_open;
#endif

/* Called by the reader of ring files, in programs that are linked with it. */
static const struct eventring_hooks reader_hooks = {
  .guard = caml_eventring_guard_reading,
  .unguard = caml_eventring_unguard_reading
};

CAML_EVENTRING_COLD
void caml_runtime_events_init(void)
{
  eventring_hooks = &reader_hooks;
  caml_eventring_init_asked();
  caml_eventring_init();
}

CAML_EVENTRING_COLD
void caml_runtime_events_destroy(void)
{
  caml_eventring_end();
}

/* Probes as functions */

CAML_EVENTRING_COLD
void caml_ev_begin(ev_runtime_phase phase)
{
  caml_ev_inline_begin(phase);
}

CAML_EVENTRING_COLD
void caml_ev_end(ev_runtime_phase phase)
{
  caml_ev_inline_end(phase);
}

CAML_EVENTRING_COLD
void caml_ev_counter(ev_runtime_counter counter, uint64_t val)
{
  if (Caml_eventring_on(caml_ev_counter_mask(counter)))
    caml_ev_emit_counter(counter, val);
}

CAML_EVENTRING_COLD
CAMLexport void caml_ev_lifecycle(ev_lifecycle lifecycle, int64_t data)
{
  /* Writes the counts of this domain under its own name while it still can. */
  if (lifecycle == EV_DOMAIN_TERMINATE || lifecycle == EV_RING_STOP
      || lifecycle == EV_RING_PAUSE) { CAML_EV_ALLOC_FLUSH(); }
  if (lifecycle == EV_DOMAIN_TERMINATE || lifecycle == EV_RING_STOP)
    caml_eventring_allocated_at_end();
  if (lifecycle == EV_DOMAIN_TERMINATE) caml_eventring_end_waits();
  if (!Caml_eventring_on(EVENTRING_DOMAIN)) return;
  /* The caller does not give the parent's pid; the reader needs it. */
  if (lifecycle == EV_FORK_CHILD && data == 0) data = getppid();
  caml_eventring_emit_int(EVENTRING_WORD(EVENTRING_FIRST_LIFECYCLE + lifecycle,
                                         EVENTRING_FORM_INSTANT, 1),
                          (uint64_t) data);
}

#ifdef CAML_INSTR

/* Blocks allocated in the major heap, by size; a row a domain, since domains
   allocate at the same time. */
static uint64_t alloc_sizes[EVENTRING_MAX_RINGS]
                           [RUNTIME_EVENTS_NUM_ALLOC_BUCKETS];

void caml_ev_alloc(uint64_t wosize)
{
  uint64_t bucket =
    wosize < 10 ? wosize
    : wosize < 100 ? 9 + wosize / 10
    : RUNTIME_EVENTS_NUM_ALLOC_BUCKETS - 1;
  alloc_sizes[Caml_state->id][bucket]++;
}

void caml_ev_alloc_flush(void)
{
  uint64_t *sizes = alloc_sizes[Caml_state->id];
  caml_eventring_emit_words(EVENTRING_WORD(EVENTRING_FIRST_RECORD
                                           + EV_ALLOC_SIZES,
                                           EVENTRING_FORM_INSTANT, 0),
                            sizes, RUNTIME_EVENTS_NUM_ALLOC_BUCKETS);
  memset(sizes, 0, sizeof(alloc_sizes[0]));
}

void caml_ev_alloc_forget(void)
{
  memset(alloc_sizes[Caml_state->id], 0, sizeof(alloc_sizes[0]));
}

#endif
