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

/* See turns.h. */

#include "locks.h"
#include "turns.h"

void open_turns(struct turns *turns, uint64_t max)
{
  *turns = (struct turns) { .max = max };
  pthread_mutex_init(&turns->lock, NULL);
  pthread_cond_init(&turns->changed, NULL);
}

void close_turns(struct turns *turns)
{
  pthread_cond_destroy(&turns->changed);
  pthread_mutex_destroy(&turns->lock);
}

static bool has_room(const struct turns *turns, uint64_t amount)
{
  return turns->used == 0
    || (turns->used <= turns->max && amount <= turns->max - turns->used);
}

bool take_turn(struct turns *turns, uint64_t amount, uint64_t waiting)
{
  pthread_mutex_lock(&turns->lock);
  bool taken = has_room(turns, amount) || turns->next - turns->first < waiting;
  if (taken) {
    const uint64_t number = turns->next++;
    while (number != turns->first
           || (!has_room(turns, amount) && !turns->ended))
      pthread_cond_wait(&turns->changed, &turns->lock);
    turns->first++;
    taken = !turns->ended;
    if (taken) turns->used += amount;
    /* There may be room for the next one. */
    pthread_cond_broadcast(&turns->changed);
  }
  pthread_mutex_unlock(&turns->lock);
  return taken;
}

void end_turns(struct turns *turns)
{
  pthread_mutex_lock(&turns->lock);
  turns->ended = true;
  pthread_cond_broadcast(&turns->changed);
  pthread_mutex_unlock(&turns->lock);
}

void end_turn(struct turns *turns, uint64_t amount)
{
  pthread_mutex_lock(&turns->lock);
  turns->used -= amount;
  pthread_cond_broadcast(&turns->changed);
  pthread_mutex_unlock(&turns->lock);
}
