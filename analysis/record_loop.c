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

#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include "poll_interval.h"
#include "record_loop.h"
#include "target.h"

#define TURN_NS 10000000

void begin_record_loop(struct record_loop *loop,
                       struct eventring_recorder *recorder,
                       struct eventring_cursor *cursor)
{
  const int64_t now = monotonic_ns();
  *loop = (struct record_loop) {
    .recorder = recorder, .cursor = cursor,
    .ring_words = target_info(cursor).ring_words, .now_ns = now,
    .look_ns = RECORD_LOOK_NS, .looked_ns = now
  };
}

int record_new(struct record_loop *loop)
{
  const int64_t words = eventring_record_step(loop->recorder),
    now = monotonic_ns();
  if (words < 0) return (int) words;
  loop->words = (uint64_t) words;
  loop->passed_ns = now - loop->now_ns;
  loop->now_ns = now;
  loop->complete = loop->ended;
  if (!loop->ended && now - loop->looked_ns >= loop->look_ns) look_for_end(loop);
  return 0;
}

void look_for_end(struct record_loop *loop)
{
  loop->looked_ns = loop->now_ns;
  loop->ended = eventring_state(loop->cursor) != EVENTRING_STATE_RUNNING;
}

long record_sleep_ns(const struct record_loop *loop)
{
  return loop->ended || loop->behind ? 0
         : poll_interval_ns(loop->ring_words, loop->words, loop->passed_ns);
}

int64_t record_turn_ns(const struct record_loop *loop)
{
  return loop->complete ? INT64_MAX : monotonic_ns() + TURN_NS;
}

void record_sleep(const struct record_loop *loop)
{
  const long ns = record_sleep_ns(loop);
  if (ns > 0) nanosleep(&(struct timespec) { .tv_nsec = ns }, NULL);
}
