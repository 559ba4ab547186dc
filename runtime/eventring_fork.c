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

/* Fork.  The child is born with the parent's page and rings mapped; before it
   runs anything else it lets go of them.  It gets its own file when it turns
   out to go on as an OCaml program: see eventring_restart.c.

   A child that fork handlers never saw, made by _Fork or clone, finds its
   writers wiped (MADV_WIPEONFORK): see [caml_ring_left_behind]. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "caml/eventring.h"
#include "eventring_internal.h"

/* Forks under way by signal handlers of a thread that has the session's lock: it may
   be in the middle of a change. */
static int inner_forks;

/* Handler that pthread_atfork installs: prepares a fork, in the parent.  Leaves
   a session of the parent's own parent, takes the session's lock until
   [after_fork], and stores the control word and the threshold, for the child's
   own session. */
static void before_fork(void)
{
  caml_ring_left_behind();
  caml_ring_mappings_before_fork();
  /* The lock is held over the fork, so that names, labels and the session are
     complete in the child: no other thread is changing them. */
  if (pthread_mutex_lock(&caml_ring_session_lock) == EDEADLK) {
    inner_forks++;
    return;
  }
  /* Stored here, since the parent may have ended, and its control word may be
     0, when the child runs. */
  caml_ring_session.restart_control =
    without_points(__atomic_load_n(&HEADER->control, __ATOMIC_RELAXED));
  caml_ring_keep_settings();
}

/* Handler that pthread_atfork installs: releases the session's lock after a
   fork, in the parent. */
static void after_fork(void)
{
  if (inner_forks > 0) inner_forks--;
  else pthread_mutex_unlock(&caml_ring_session_lock);
  caml_ring_mappings_after_fork(0);
}

/* Leaves the parent's session, in a forked child with a single thread: unmaps
   the parent's ring file, unless [inner], replaces the control page by private
   zeros, and disowns all writers.  Drops the names of other threads.  Makes the
   session's lock anew, unlocked. */
static void leave_parent(int inner)
{
  const pthread_mutex_t unlocked = LOCK_OF_FORKS;
  caml_ring_session_lock = unlocked;
  caml_ring_mappings_after_fork(1);
  uint32_t old_thread = caml_ring_self.os_id;
  caml_ring_self.os_id = 0;
  /* The parent goes on with its request. */
  caml_ring_self.request = 0;
  caml_ring_fork_labels(old_thread);
  caml_ring_session.started = 0;
  /* The thread that evaluated points may not be in the child. */
  caml_ring_evaluating = 0;
  if (caml_ring_writers == NULL) return;
  if (caml_ring_session.map == NULL) {
    *caml_ring_process_mark() = 1;
    return;
  }
  for (uint32_t i = 0; i < caml_ring_session.header.rings; i++) {
    /* No domain of the child has used a ring. */
    disown(&caml_ring_writers[i]);
    caml_ring_writers[i].session = 0;
  }
  /* Should this fail, probes still find no ring to write to. */
  caml_eventring_replace_page();
  caml_eventring_unguard();
  if (inner) {
    /* The parent may have been about to unmap it. */
  } else if (caml_ring_session.released) {
    caml_ring_unmap_kept();
  } else {
    munmap(caml_ring_session.map, caml_ring_session.header.file_size);
    free(caml_ring_session.mapping);
  }
  caml_ring_session.mapping = NULL;
  caml_ring_session.map = NULL;
  *caml_ring_process_mark() = 1;
}

/* Handler that pthread_atfork installs: leaves the parent's session after a
   fork, in the child, and records in [restart] whether the parent was
   traced.  The child of a signal handler in the middle of a change is not. */
static void fork_handler(void)
{
  struct caml_ring_session *s = &caml_ring_session;
  const int inner = inner_forks > 0;
  inner_forks = 0;
  s->restart = !inner && s->started && !caml_eventring_is_lost();
  leave_parent(inner);
}

int caml_ring_left_behind(void)
{
  if (caml_ring_session.map == NULL || *caml_ring_process_mark() != 0) return 0;
  /* The parent's wish to be traced is not the child's. */
  caml_ring_session.restart = 0;
  leave_parent(0);
  return 1;
}

int caml_ring_watch_forks(void)
{
  static atomic_int watching;
  if (atomic_exchange(&watching, 1)) return 0;
  int err = pthread_atfork(before_fork, after_fork, fork_handler);
  if (err != 0) watching = 0;
  return err;
}

void caml_ring_lock_session(void)
{
  caml_ring_watch_forks();
  caml_ring_left_behind();
  pthread_mutex_lock(&caml_ring_session_lock);
}
