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

/* Stubs of the functions of OCaml's runtime that the producer calls, for tests
   that are linked with its files (producer.files) and without OCaml.  Include
   it once in a program. */

#ifndef PRODUCER_H
#define PRODUCER_H

#define CAML_INTERNALS
#include <stdlib.h>
#include "caml/eventring.h"
#include "caml/domain_state.h"
#include "caml/runtime_events.h"
#include "caml/startup_aux.h"

CAMLthread_local caml_domain_state *caml_state;
static struct caml_params params;
const struct caml_params *const caml_params = &params;
static struct caml_eventring_asked asked;
struct caml_eventring_asked *caml_eventring_asked = &asked;
void caml_set_action_pending(caml_domain_state *domain) { (void) domain; }
void caml_interrupt_self(void) { }
char *caml_secure_getenv(const char *name) { (void) name; return NULL; }
void caml_ev_lifecycle(ev_lifecycle event, int64_t data)
{
  (void) event;
  (void) data;
}
void caml_eventring_text(int record, uint32_t category, const char *text)
{
  (void) record;
  (void) category;
  (void) text;
}

char *caml_search_exe_in_path(const char *name) { (void) name; return NULL; }
void caml_stat_free(void *block) { free(block); }
void caml_eventring_skip_words(void) { }
/* The tests' threads have ended when they stop tracing. */
int caml_try_run_on_all_domains(
  void (*handler)(caml_domain_state *, void *, int, caml_domain_state **),
  void *data, void (*leader_setup)(caml_domain_state *))
{
  (void) handler;
  (void) data;
  (void) leader_setup;
  return 1;
}

#endif /* PRODUCER_H */
