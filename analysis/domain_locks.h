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

/* Which thread had the lock of a domain that another thread waited for.  No event tells
   it: a thread that gets the lock writes an event, so that the thread of the last event
   before had it.

     struct domain_locks *d = new_domain_locks(cursor);
     for each event but reports of losses:
       domain_locks_event(d, event, role);
       if it is a wait: domain_lock_holder(d, event, ns) */

#ifndef ANALYSIS_DOMAIN_LOCKS_H
#define ANALYSIS_DOMAIN_LOCKS_H

#include "event_roles.h"

struct domain_locks;

/* Returns an object for the events of [cursor], of which none has been seen.  Never
   returns NULL (see memory.h).  The caller frees it with free. */
struct domain_locks *new_domain_locks(struct eventring_cursor *cursor);

/* Takes [event], which has the role [role].  The caller passes all events but reports of
   losses, in order. */
void domain_locks_event(struct domain_locks *d, const struct eventring_event *event,
                        enum event_role role);

/* Returns the id that the system has for the thread that had the domain's lock last
   while the thread of [event] waited for it, in the [lock_ns] nanoseconds before [event],
   which domain_locks_event took last.  0: not known, since it had it before that, or the
   events that say which thread runs are not recorded. */
uint32_t domain_lock_holder(const struct domain_locks *d,
                            const struct eventring_event *event, int64_t lock_ns);

#endif /* ANALYSIS_DOMAIN_LOCKS_H */
