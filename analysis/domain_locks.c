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

#include "domain_locks.h"
#include "memory.h"
#include "target.h"

struct ring {
  bool threads;                   /* events say which thread runs */
  uint32_t thread, before;        /* of the last event, and the one before it; 0: none */
  int64_t ns, before_ns;          /* of their last events */
};

struct domain_locks {
  uint32_t rings;
  struct ring ring[];
};

struct domain_locks *new_domain_locks(struct eventring_cursor *cursor)
{
  const uint32_t rings = target_info(cursor).rings;
  struct domain_locks *d = allocate(1, sizeof *d + rings * sizeof *d->ring);
  d->rings = rings;
  return d;
}

void domain_locks_event(struct domain_locks *d, const struct eventring_event *event,
                        enum event_role role)
{
  if (event->ring >= d->rings) return;
  struct ring *r = &d->ring[event->ring];
  if (role == ROLE_THREAD_RUN) r->threads = true;
  if (event->thread != r->thread) {
    r->before = r->thread;
    r->before_ns = r->ns;
    r->thread = event->thread;
  }
  r->ns = event->ns;
}

uint32_t domain_lock_holder(const struct domain_locks *d,
                            const struct eventring_event *event, int64_t lock_ns)
{
  if (event->ring >= d->rings) return 0;
  const struct ring *r = &d->ring[event->ring];
  return r->threads && time_since(event->ns, r->before_ns) <= lock_ns ? r->before : 0;
}
