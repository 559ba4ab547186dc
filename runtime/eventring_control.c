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

/* Control from inside the program, for the modules Eventring and
   Runtime_events: the size of rings, stop, pause and resume, while other
   processes may do the same from outside.  A program that does none of it is
   linked without this file. */

#include <stdlib.h>
#include <string.h>

#include "caml/eventring.h"
#include "caml/runtime_events.h"
#include "eventring_internal.h"

COLD
int caml_eventring_start_rings(const char *dir, uint32_t mask,
                               unsigned log_words, char *why, size_t size)
{
  const unsigned before = caml_ring_config.log_words;
  if (log_words != 0) caml_ring_config.log_words = log_words;
  if (caml_eventring_start(dir, EVENTRING_SUFFIX, mask, 0, why, size)
      && (log_words == 0 || caml_ring_resize(log_words, why, size))) return 1;
  caml_ring_config.log_words = before;
  return 0;
}

COLD
void caml_eventring_stop(void)
{
  caml_eventring_end();
  caml_ring_unmap_session();
}

/* Returns 1 if the control word [control] has no category to record now, else
   0. */
static int is_paused(uint64_t control)
{
  return ((uint32_t) control & EVENTRING_ALL_CATEGORIES) == 0;
}

COLD
int caml_eventring_pause(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  if (!caml_eventring_started() || is_paused(c)) return 0;
  caml_ev_lifecycle(EV_RING_PAUSE, 0);
  do {
    if (is_paused(c)) return 0;
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c,
                                        (uint64_t) categories_of(c) << 32, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return 1;
}

COLD
int caml_eventring_resume(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED), new;
  if (!caml_eventring_started()) return 0;
  do {
    if (!is_paused(c)) return 0;
    new = (uint64_t) categories_of(c) << 32 | categories_of(c);
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c, new, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  caml_ev_lifecycle(EV_RING_RESUME, 0);
  caml_ring_begin_samples();
  return 1;
}

uint32_t caml_eventring_categories(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  return caml_eventring_started() ? categories_of(c) : 0;
}

COLD
void caml_eventring_set_categories(uint32_t mask)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED), new;
  if (!caml_eventring_started()) return;
  const int sampled = Caml_eventring_on(EVENTRING_PROFILE) != 0;
  do {
    new = (uint64_t) mask << 32 | (is_paused(c) ? 0 : mask);
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c, new, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  if (!sampled) caml_ring_begin_samples();
}

uint64_t caml_eventring_threshold(void)
{
  uint64_t ns = __atomic_load_n(&HEADER->threshold, __ATOMIC_RELAXED);
  if (!caml_eventring_started()) return caml_ring_config.threshold;
  return ns != 0 ? ns : caml_ring_session.header.threshold;
}

void caml_eventring_set_threshold(uint64_t ns)
{
  if (caml_eventring_started())
    __atomic_store_n(&HEADER->threshold, ns != 0 ? ns : 1, __ATOMIC_RELAXED);
}

uint64_t caml_eventring_sample_period(void)
{
  return caml_eventring_started() ? caml_ring_sample_period()
                                  : caml_ring_config.sample_period;
}

void caml_eventring_set_sample_period(uint64_t ns)
{
  caml_ring_config.sample_period = ns;
  if (caml_eventring_started())
    __atomic_store_n(&HEADER->sample_period, ns, __ATOMIC_RELAXED);
}

uint64_t caml_eventring_alloc_period(void)
{
  return caml_eventring_started() ? caml_ring_alloc_period()
                                  : caml_ring_config.alloc_period;
}

void caml_eventring_set_alloc_period(uint64_t words)
{
  caml_ring_config.alloc_period = words;
  if (caml_eventring_started())
    __atomic_store_n(&HEADER->alloc_period, words, __ATOMIC_RELAXED);
}

uint32_t caml_eventring_session(void)
{
  return caml_eventring_started() ? caml_ring_session.number : 0;
}

COLD
char *caml_eventring_path(void)
{
  char *path = NULL;
  pthread_mutex_lock(&caml_ring_session_lock);
  if (caml_eventring_started()) path = strdup(caml_ring_session.path);
  pthread_mutex_unlock(&caml_ring_session_lock);
  return path;
}
