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

/* A limit of something that threads use at a time, such as memory.  Threads get
   their turn in the order in which they ask. */

#ifndef FLEET_TURNS_H
#define FLEET_TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct turns {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t max;                   /* of [used] */
  uint64_t used;                  /* by all threads that have their turn */
  bool ended;
  uint64_t first, next;           /* the numbers of the threads that wait are
                                     from [first] to before [next] */
};

/* Sets the limit. */
void open_turns(struct turns *turns, uint64_t max);
void close_turns(struct turns *turns);

/* Waits until the thread may use [amount], which the caller gives back to
   end_turn.  An amount above the limit waits until nothing else is used.  Returns
   false, without a turn, when [waiting] threads wait already, or after
   end_turns. */
bool take_turn(struct turns *turns, uint64_t amount, uint64_t waiting);
void end_turn(struct turns *turns, uint64_t amount);

/* Sends the threads that wait away, and all that come later. */
void end_turns(struct turns *turns);

#endif /* FLEET_TURNS_H */
