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

/* The sender of a stream: gives the chunks of a recorder to all receivers that
   are connected.

     recorder --> broadcast_write --> a queue for each receiver --> sockets

   No receiver is waited for.  The queue of a receiver is bounded: when it is
   full, chunks of events are left out, and the receiver counts their events as
   lost.  A receiver that connects late gets the chunks that describe the process
   first, and a receiver that connects again the chunks that it lacks
   (eventring_record_rejoin). */

#ifndef FLEET_BROADCAST_H
#define FLEET_BROADCAST_H

#include <stddef.h>
#include <stdint.h>
#include "address.h"
#include "eventring_reader.h"

/* The most receivers, and the most bytes in the queue of each, but for chunks
   that are not of events. */
#define MAX_RECEIVERS 64
#define MAX_QUEUE_BYTES ((size_t) 16 << 20)

struct broadcast;

/* Returns a sender to the connections of [listener], which must stay open; NULL when there is no memory.  The caller frees it with free_broadcast. */
struct broadcast *new_broadcast(const struct listener *listener);
void free_broadcast(struct broadcast *b);

/* Adds a chunk to the queues: the [write] of a recorder; [state] is the
   broadcast.  Returns 0, or -1 with errno when there is no memory. */
int broadcast_write(void *state, int kind, const void *bytes, size_t size);

/* Accepts new receivers, for which the chunks of [recorder] are joined, and
   sends as much of the queues as the sockets take.  Does not wait.  To be called
   often; a receiver that has ended is forgotten. */
void broadcast_send(struct broadcast *b, struct eventring_recorder *recorder);

/* Sends the rest of the queues, but waits at most [ms] milliseconds for slow
   receivers, and closes all connections. */
void broadcast_end(struct broadcast *b, int ms);

/* Numbers since the beginning: receivers that have connected, and chunks of
   events that were left out for slow ones. */
struct broadcast_totals {
  uint64_t receivers, left_out;
};
struct broadcast_totals broadcast_totals(const struct broadcast *b);

#endif /* FLEET_BROADCAST_H */
