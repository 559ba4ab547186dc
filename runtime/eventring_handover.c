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
#define _GNU_SOURCE

/* Rings of another size, while the program runs.

   The program may ask for them, or another process, by bits of the control word
   that are no category.  The size of a ring never changes, so the session is
   replaced by a new one, which takes over in a stop of all domains:

     all domains have stopped     no domain is in the middle of an event
     each disowns its writer      its next event begins a block, after the stop,
                                  in the ring of the session that runs then
     the leader starts the new    the new file is complete before the control
     session                      page is mapped from it, as the last step
     the leader ends the old one  its file has the name no longer: readers that
                                  have it open read to its end, and then find
                                  the new file under its name
     all go on

   So every event is in one of the two files, and the last event of a ring in
   the old file comes right before the first one of the ring in the new file.  A
   sample of processor time may be left out.  When the new session cannot start,
   nothing has changed: the old one goes on. */

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "caml/runtime_events.h"
#include "eventring_internal.h"

_Static_assert(EVENTRING_ALL_CATEGORIES < 1 << EVENTRING_REQUEST_SHIFT,
               "a request is no category");
_Static_assert(EVENTRING_MAX_REQUEST_LOG_WORDS < 32, "a request has five bits");

/* The least time between two sessions that other processes ask for. */
#define LEAST_REQUEST_NS 1000000000

struct handover {
  const caml_domain_state *leader;
  unsigned log_words;
  int failed;
  struct mapping *past;         /* of the session that was replaced, or NULL */
  char *why;
  size_t why_size;
};

static atomic_int stopped;      /* domains of the present stop */
static atomic_int complete;     /* the leader is done */

/* Called by the runtime in the domain that leads the stop, before it begins. */
static void begin_stop(caml_domain_state *leader)
{
  (void) leader;
  atomic_store(&stopped, 0);
  atomic_store(&complete, 0);
}

/* Ends the session [old], after a new one has taken its place.  Its file was
   removed when the new file got its name. */
COLD
static void end_former(const struct caml_ring_session *old)
{
  struct eventring_header *h = (struct eventring_header *) old->map;
  struct eventring_instant ended = eventring_now(old->header.clock);
  /* The guard is over the new file now. */
  caml_eventring_guard_reading(old->map, old->header.file_size);
  uint64_t control = __atomic_load_n(&h->control, __ATOMIC_RELAXED);
  h->ended = ended;
  __atomic_store_n(&h->state, EVENTRING_ENDED, __ATOMIC_RELEASE);
  /* After the state: without it, a request that is gone was refused. */
  __atomic_store_n(&h->control, (uint64_t) categories_of(control) << 32,
                   __ATOMIC_RELEASE);
  caml_eventring_unguard_reading(old->map);
  /* Also where files are kept: this one is gone. */
  caml_ring_leave_tombstone(old, EVENTRING_ENDED, &ended);
}

/* Makes the session [old] the present one again, after a new one could not
   start. */
COLD
static void restore(const struct caml_ring_session *old)
{
  free(caml_ring_session.path);
  caml_ring_session = *old;
  caml_ring_clock = old->header.clock;
  caml_ring_block_words = old->header.block_words;
  caml_eventring_guard(old->map, old->header.file_size, old->path);
  /* The system took the control page away before it failed to map another. */
  if (memcmp(HEADER->magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE) != 0)
    caml_eventring_session_lost();
}

/* Replaces the session, if one runs and its rings have another size.  All
   domains have stopped. */
COLD
static void hand_over(struct handover *h)
{
  struct caml_ring_session *s = &caml_ring_session;
  sigset_t before;
  caml_ring_stop_samples();
  pthread_mutex_lock(&caml_ring_session_lock);
  if (caml_eventring_started()
      && s->header.ring_words != (uint64_t) 1 << h->log_words) {
    const struct caml_ring_session old = *s;
    const unsigned old_log_words = caml_ring_config.log_words;
    uint64_t control =
      without_ring_request(__atomic_load_n(&HEADER->control, __ATOMIC_RELAXED));
    caml_ring_keep_settings();
    caml_ring_config.log_words = h->log_words;
    s->mapping = NULL;
    s->map = NULL;
    s->path = NULL;
    caml_eventring_hold_signals(&before);
    if (caml_ring_start_session(NULL, &old, control, h->why, h->why_size)) {
      /* The new file has the name of the old one. */
      free(s->path);
      s->path = old.path;
      h->past = old.mapping;
      end_former(&old);
    } else {
      restore(&old);
      caml_ring_config.log_words = old_log_words;
      h->failed = 1;
    }
    caml_eventring_release_signals(&before);
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
}

/* Disowns the writer of [domain], and waits until the leader has replaced the
   session.  Called by the runtime in each of the [domains] domains of the stop,
   after all of them have stopped. */
static void stop(caml_domain_state *domain, void *handover, int domains,
                 caml_domain_state **all)
{
  struct handover *h = handover;
  (void) all;
  disown(&caml_ring_writers[domain->id]);
  atomic_fetch_add(&stopped, 1);
  if (domain == h->leader) {
    while (atomic_load(&stopped) < domains) sched_yield();
    hand_over(h);
    atomic_store(&complete, 1);
  } else {
    while (!atomic_load(&complete)) sched_yield();
  }
}

COLD
int caml_ring_resize(unsigned log_words, char *why, size_t size)
{
  struct handover h = {
    .leader = Caml_state, .log_words = log_words, .why = why, .why_size = size
  };
  if (!caml_eventring_started()) return 1;
  /* Another domain may be about to stop all, this one among them. */
  while (caml_eventring_set_stop_reason(EV_STOP_SESSION),
         !caml_try_run_on_all_domains(&stop, &h, &begin_stop)) { }
  if (h.past != NULL) {
    pthread_mutex_lock(&caml_ring_session_lock);
    caml_ring_release_mapping(h.past);
    pthread_mutex_unlock(&caml_ring_session_lock);
    caml_ring_announce();
  } else {
    /* The stop has ended the samples. */
    caml_ring_begin_samples();
  }
  return !h.failed;
}

/* Carries out the request for rings of 2^[log_words] words, if a process may ask
   for rings of this size. */
COLD
static void carry_out(unsigned log_words)
{
  char why[PATH_MAX + 256];
  if (log_words >= EVENTRING_MIN_LOG_WORDS
      && log_words <= EVENTRING_MAX_REQUEST_LOG_WORDS
      && !caml_ring_resize(log_words, why, sizeof(why)))
    caml_eventring_complain("%s; tracing goes on with rings of %llu words", why,
                            (unsigned long long)
                            caml_ring_session.header.ring_words);
}

COLD
void caml_ring_attend_request(void)
{
  static atomic_int busy;
  static int64_t last_ns;       /* guarded by [busy] */
  if (caml_ring_left_behind() || atomic_exchange(&busy, 1)) return;
  int64_t now_ns = eventring_clock_ns(CLOCK_MONOTONIC);
  /* Requests without end must not keep the program from working: a later one
     waits. */
  if (last_ns == 0 || now_ns - last_ns >= LEAST_REQUEST_NS) {
    unsigned log_words = caml_eventring_active() >> EVENTRING_REQUEST_SHIFT;
    if (log_words != 0) {
      carry_out(log_words);
      last_ns = eventring_clock_ns(CLOCK_MONOTONIC);
    }
    /* When the session goes on, this tells the other process. */
    __atomic_fetch_and(&HEADER->control, ~(uint64_t) EVENTRING_RING_REQUEST,
                       __ATOMIC_RELAXED);
  }
  atomic_store(&busy, 0);
}
