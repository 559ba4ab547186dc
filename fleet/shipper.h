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

/* Sends the parts in a spool to a hub, in a thread of its own, and reports.

   A part is sent as it grows: each message has the bytes from an offset on, and
   the hub answers how many it has, durably.  At most one message of a stream is
   under way, and at most four of all.  A hub that does not answer is asked again
   after growing times; the events wait in the spool. */

#ifndef FLEET_SHIPPER_H
#define FLEET_SHIPPER_H

#include <stdbool.h>
#include <stddef.h>
#include "joining.h"
#include "spool.h"
#include "transport.h"

struct shipper;

/* Begins to send the parts in [spool] to the hub of [membership], both of which
   must stay valid.  Closes [transport] at the end, also when it fails.  [say] gets
   a line, from the thread, when the hub cannot be reached, and when it can again.
   Returns NULL, with the reason in [why]. */
struct shipper *begin_shipping(struct spool *spool,
                               const struct membership *membership,
                               struct transport *transport,
                               void (*say)(const char *line), char *why,
                               size_t size);

/* Wakes the thread, since the spool has more bytes. */
void wake_shipper(struct shipper *shipper);

/* Sends what waits for at most [ms] milliseconds, and ends.  Returns whether
   the hub has all. */
bool end_shipping(struct shipper *shipper, int ms);

#endif /* FLEET_SHIPPER_H */
